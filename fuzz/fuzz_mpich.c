/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The readers of MPICH and UCX on a recorded process (fuzz/recorded.h) with damaged memory: communicators, queues,
 * and the objects of every kind with their lists.
 */
#include "fuzz.h"
#include "recorded.h"

#include "../access/limits.h"
#include "../readers/reader.h"
#include "../readers/tracked/tracked.h"

#include <string.h>

/** More than a process of this size can need. */
enum { READS_MAX = 8 << 20, OPS_MAX = 1 << 20, OBJECTS_MAX = 1 << 22, LIST_MAX = 64 };

/* ---- communicators, queues ------------------------------------------------------------------------------------- */

static void check_num(const struct mdl_num *n)
{
	FUZZ_MUST(n->known <= MDL_NOT_APPLICABLE);
	FUZZ_MUST(n->known == MDL_KNOWN || n->value == 0);
	FUZZ_MUST((n->known == MDL_UNAVAILABLE) == (n->why != NULL));
}

static void check_op(const struct mdl_op *op, const struct mdl_comm *comm)
{
	const struct mdl_num *nums[] = { &op->peer,         &op->peer_world, &op->tag,         &op->bytes,
					 &op->count,        &op->buffer,     &op->actual_peer, &op->actual_tag,
					 &op->actual_bytes, &op->request,    &op->fortran,     &op->sequence };

	for (size_t i = 0; i < sizeof(nums) / sizeof(nums[0]); i++)
		check_num(nums[i]);
	FUZZ_MUST(op->kind <= MDL_COLLECTIVE && op->mode <= MDL_MODE_UNKNOWN && op->status <= MDL_COMPLETE);
	FUZZ_MUST(memchr(op->datatype, '\0', sizeof(op->datatype)) && op->origin);
	if (op->bytes.known == MDL_KNOWN)
		FUZZ_MUST(op->bytes.value >= 0);
	if (comm && op->peer.known == MDL_KNOWN && op->kind != MDL_COLLECTIVE)
		FUZZ_MUST(op->peer.value < (comm->inter ? comm->remote_size : comm->size));
}

static void walk_ops(struct rd_process *p, const struct mdl_comm *comm, enum mdl_op_class op_class, bool all)
{
	struct rd_op_iter it;
	struct mdl_op op;
	const char *why = NULL;

	enum acc_rc rc = rd_ops_available(p, op_class, &why);
	FUZZ_MUST(rc == ACC_OK || (rc == ACC_NONE && why));
	if (rd_op_first(p, comm, op_class, all, &it) != ACC_OK)
		return;
	for (unsigned n = 0; rd_op_next(&it, &op) == ACC_OK; n++) {
		struct mdl_comm of;
		struct mdl_op same;

		check_op(&op, comm);
		FUZZ_MUST(n < OPS_MAX);
		if (n < LIST_MAX && op.request.known == MDL_KNOWN &&
		    !rd_request_get(p, (uint64_t)op.request.value, &of, &same))
			check_op(&same, &of);
	}
}

static void walk_comm(struct rd_process *p, const struct mdl_comm *comm, bool all)
{
	struct mdl_member members[16];
	struct mdl_topology topology = { 0 };

	FUZZ_MUST(comm->size >= 1 && comm->size <= (int64_t)ACC_RANKS_MAX);
	FUZZ_MUST(comm->rank >= 0 && comm->rank < comm->size);
	FUZZ_MUST(memchr(comm->name, '\0', sizeof(comm->name)));
	FUZZ_MUST(comm->internal == (comm->internal_why != NULL));
	rd_comm_members(p, comm, false, 0, comm->size < 16 ? (uint64_t)comm->size : 16, members);
	rd_comm_members(p, comm, true, 0, comm->remote_size < 16 ? (uint64_t)comm->remote_size : 16, members);
	rd_comm_topology(p, comm, &topology);
	rd_comm_topology_free(p, &topology);
	for (unsigned c = 0; c < MDL_N_CLASSES; c++)
		walk_ops(p, comm, (enum mdl_op_class)c, all);
}

static void walk_comms(struct rd_process *p, bool all)
{
	struct rd_comm_iter it;
	struct mdl_comm comm;

	if (rd_comm_first(p, all, &it) == ACC_OK)
		while (rd_comm_next(&it, &comm) == ACC_OK)
			walk_comm(p, &comm, all);
	walk_ops(p, NULL, MDL_UNEXPECTED, all);
}

/* ---- objects ------------------------------------------------------------------------------------------------------ */

static void walk_numbers(struct rd_track *t, const struct mdl_list *list, unsigned width)
{
	int64_t v;

	FUZZ_MUST(list->n <= list->total);
	for (uint64_t i = 0; list->known && i < list->n && i < LIST_MAX; i++)
		rd_track_numbers(t, list, width, i, 1, &v);
}

static void walk_attributes(struct rd_track *t, const struct mdl_list *list)
{
	struct mdl_handle_attribute a;

	for (uint64_t i = 0; list->known && i < list->n && i < LIST_MAX; i++)
		rd_track_attribute(t, list, i, &a);
}

static void walk_lists(struct rd_track *t, const struct mdl_handle *h)
{
	char key[64], value[64];
	struct mdl_handle_member m;
	struct rd_track_typemap map;

	switch (h->kind) {
	case MDL_COMM:
		walk_numbers(t, &h->comm.dims, 4);
		walk_numbers(t, &h->comm.periods, 4);
		walk_numbers(t, &h->comm.coords, 4);
		walk_numbers(t, &h->comm.weights, 4);
		walk_attributes(t, &h->comm.attributes);
		break;
	case MDL_GROUP:
		for (uint64_t i = 0; h->group.members.known && i < h->group.members.n && i < LIST_MAX; i++)
			rd_track_members(t, &h->group.members, i, 1, &m);
		break;
	case MDL_DATATYPE:
		walk_numbers(t, &h->datatype.integers, 8);
		walk_numbers(t, &h->datatype.addresses, 8);
		walk_numbers(t, &h->datatype.datatypes, 8);
		walk_attributes(t, &h->datatype.attributes);
		if (!rd_track_typemap(t, h, 1000, &map))
			rd_track_typemap_free(t, &map);
		break;
	case MDL_INFO:
		for (uint64_t i = 0; h->info.pairs.known && i < h->info.pairs.n && i < LIST_MAX; i++)
			if (!rd_track_pair(t, &h->info.pairs, i, key, sizeof(key), value, sizeof(value)))
				FUZZ_MUST(memchr(key, '\0', sizeof(key)) && memchr(value, '\0', sizeof(value)));
		break;
	case MDL_WIN:
		walk_numbers(t, &h->win.locks, 1);
		walk_numbers(t, &h->win.start_group, 4);
		walk_numbers(t, &h->win.post_group, 4);
		walk_attributes(t, &h->win.attributes);
		break;
	default:
		break;
	}
}

static void walk_objects(struct rd_process *p, struct acc_space *sp)
{
	struct rd_objects objects;
	struct rd_track *t;

	if (rd_objects_open(p, &objects) || rd_track_open_objects(sp, rd_library(p), RD_TRACK_MPICH, &objects, &t))
		return;
	for (int kind = 0; kind < MDL_N_HANDLE_KINDS; kind++) {
		struct rd_track_iter it;
		struct mdl_handle h, again;
		uint64_t n = 0;

		if (rd_track_first(t, (enum mdl_handle_kind)kind, RD_TRACK_ALL, &it))
			continue;
		for (; rd_track_next(&it, &h) == ACC_OK; n++) {
			FUZZ_MUST(n < OBJECTS_MAX && memchr(h.name, '\0', sizeof(h.name)) && h.life <= MDL_EARLIER);
			walk_lists(t, &h);
			if (n < LIST_MAX)
				rd_track_find(t, h.kind, h.handle, &again);
		}
		rd_track_absent(t, (enum mdl_handle_kind)kind, 0x84000001);
	}
	rd_track_close(t);
}

int fuzz_mpich(const uint8_t *data, size_t n)
{
	static struct recorded r;
	static const struct acc_sizes sizes = { .short_bytes = 2,
						.int_bytes = 4,
						.long_bytes = 8,
						.long_long_bytes = 8,
						.pointer_bytes = 8,
						.bool_bytes = 1,
						.size_bytes = 8 };
	struct rd_process *p = NULL;
	struct acc_space sp;

	recorded_take(&r, data, n);
	FUZZ_MUST(acc_space_init(&sp, &recorded_ops, &r, &sizes, false) == ACC_OK);
	acc_space_begin(&sp);
	enum acc_rc rc = rd_open(&sp, recorded_packs(), &p);
	FUZZ_MUST(rc < ACC_N_RC);
	if (rc == ACC_OK) {
		walk_comms(p, false);
		walk_objects(p, &sp);
		acc_space_forget(&sp);
		if (rd_update(p) == ACC_OK) {
			walk_comms(p, true);
			walk_objects(p, &sp);
		}
	}
	FUZZ_MUST(r.n_reads < READS_MAX);
	rd_close(p);
	acc_space_end(&sp);
	acc_space_deinit(&sp);
	FUZZ_MUST(r.n_live == 0);
	return 0;
}
