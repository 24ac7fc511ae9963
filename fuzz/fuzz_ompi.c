/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The reader of Open MPI on a process with damaged memory. The first byte: bit 0, everything in one bracket of the
 * page cache; bit 1, the second half of the changes is made after the process was opened; the rest are changes
 * (fuzz/image.h).
 */
#include "fuzz.h"
#include "image.h"

#include "../access/limits.h"
#include "../readers/reader.h"

#include <string.h>

/** More than a process of 64 KiB can hold without something being counted many times. */
enum { READS_MAX = 4 << 20, OPS_MAX = 1 << 18 };

static void check_num(const struct mdl_num *n)
{
	FUZZ_MUST(n->known <= MDL_NOT_APPLICABLE);
	FUZZ_MUST(n->known == MDL_KNOWN || n->value == 0);
	FUZZ_MUST((n->known == MDL_UNAVAILABLE) == (n->why != NULL));
}

static void check_op(const struct mdl_op *op, const struct mdl_comm *comm)
{
	const struct mdl_num *nums[] = { &op->peer,       &op->peer_world,   &op->tag,
					 &op->bytes,      &op->count,        &op->datatype_handle,
					 &op->buffer,     &op->actual_peer,  &op->actual_peer_world,
					 &op->actual_tag, &op->actual_bytes, &op->request,
					 &op->fortran,    &op->sequence,     &op->sender_request };
	for (size_t i = 0; i < sizeof(nums) / sizeof(nums[0]); i++)
		check_num(nums[i]);
	FUZZ_MUST(op->kind <= MDL_COLLECTIVE && op->mode <= MDL_READY && op->status <= MDL_COMPLETE);
	FUZZ_MUST(op->protocol <= MDL_RENDEZVOUS);
	FUZZ_MUST(memchr(op->datatype, '\0', sizeof(op->datatype)));
	FUZZ_MUST(op->origin);
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
		check_op(&op, comm);
		FUZZ_MUST(n < OPS_MAX);
	}
	FUZZ_MUST(rd_op_next(&it, &op) != ACC_OK);
}

static void walk_comm(struct rd_process *p, const struct mdl_comm *comm, bool all)
{
	struct mdl_member members[16];
	struct mdl_topology topology = { 0 };
	struct mdl_comm again;

	FUZZ_MUST(comm->size >= 1 && comm->size <= (int64_t)ACC_RANKS_MAX);
	FUZZ_MUST(comm->rank >= 0 && comm->rank < comm->size);
	FUZZ_MUST(comm->remote_size >= 0 && comm->remote_size <= (int64_t)ACC_RANKS_MAX);
	FUZZ_MUST(memchr(comm->name, '\0', sizeof(comm->name)));
	FUZZ_MUST(comm->internal == (comm->internal_why != NULL));
	check_num(&comm->fortran);
	check_num(&comm->context);

	uint64_t n = comm->size < 16 ? (uint64_t)comm->size : 16;
	rd_comm_members(p, comm, false, 0, n, members);
	rd_comm_members(p, comm, false, (uint64_t)comm->size - n, n, members);
	FUZZ_MUST(rd_comm_members(p, comm, false, (uint64_t)comm->size, 1, members) != ACC_OK);
	n = comm->remote_size < 16 ? (uint64_t)comm->remote_size : 16;
	rd_comm_members(p, comm, true, 0, n, members);
	if (rd_comm_topology(p, comm, &topology) == ACC_OK) {
		int64_t sum = 0;
		if (topology.kind == MDL_TOPO_CART)
			for (int64_t i = 0; i < topology.n_dims; i++)
				sum += topology.dims[i] + topology.periods[i] + (int64_t)topology.coords[i];
		for (int64_t i = 0; i < topology.n_nodes; i++)
			sum += topology.index[i];
		for (int64_t i = 0; i < topology.n_edges; i++)
			sum += topology.edges[i];
		for (int64_t i = 0; i < topology.n_in; i++)
			sum += topology.in[i] + (topology.in_weights ? topology.in_weights[i] : 0);
		for (int64_t i = 0; i < topology.n_out; i++)
			sum += topology.out[i] + (topology.out_weights ? topology.out_weights[i] : 0);
		FUZZ_MUST(sum != INT64_MIN);
	}
	rd_comm_topology_free(p, &topology);
	rd_comm_get(p, comm->id, &again);
	for (unsigned c = 0; c < MDL_N_CLASSES; c++)
		walk_ops(p, comm, (enum mdl_op_class)c, all);
}

static void walk_process(struct rd_process *p, struct image *m, bool all)
{
	const struct mdl_library *lib = rd_library(p);
	struct rd_comm_iter it;
	struct mdl_comm comm;

	FUZZ_MUST(lib->implementation && memchr(lib->version, '\0', sizeof(lib->version)));
	FUZZ_MUST(memchr(lib->component, '\0', sizeof(lib->component)));
	FUZZ_MUST(memchr(lib->layout, '\0', sizeof(lib->layout)));
	check_num(&lib->world_rank);
	check_num(&lib->world_size);
	check_num(&lib->job);
	if (rd_comm_first(p, all, &it) == ACC_OK)
		while (rd_comm_next(&it, &comm) == ACC_OK)
			walk_comm(p, &comm, all);
	for (unsigned c = 0; c < MDL_N_CLASSES; c++)
		walk_ops(p, NULL, (enum mdl_op_class)c, all);
	/* an address that is no communicator, one that is an object of another kind */
	rd_comm_get(p, 0, &comm);
	rd_comm_get(p, 3, &comm);
	rd_comm_get(p, IMAGE_ADDR + m->objects[m->n_objects / 2].at, &comm);
	FUZZ_MUST(m->n_reads < READS_MAX);
}

int fuzz_ompi(const uint8_t *data, size_t n)
{
	static struct image m;
	static const struct acc_sizes sizes = { .short_bytes = 2,
						.int_bytes = 4,
						.long_bytes = 8,
						.long_long_bytes = 8,
						.pointer_bytes = 8,
						.bool_bytes = 1,
						.size_bytes = 8 };
	const struct acc_pack *pack = image_pack();
	const struct rd_packs packs = { &pack, 1 };
	struct acc_space sp;
	struct rd_process *p = NULL;

	uint8_t flags = n ? data[0] : 0;
	size_t first = n > 1 ? (flags & 2 ? (n - 1) / 2 & ~(size_t)7 : n - 1) : 0;
	image_reset(&m);
	image_change(&m, data + 1, first);
	FUZZ_MUST(acc_space_init(&sp, &image_ops, &m, &sizes, false) == ACC_OK);
	if (flags & 1)
		acc_space_begin(&sp);
	enum acc_rc rc = rd_open(&sp, &packs, &p);
	FUZZ_MUST(rc < ACC_N_RC);
	if (rc == ACC_OK) {
		if (n > 1)
			image_change(&m, data + 1 + first, n - 1 - first);
		walk_process(p, &m, false);
		acc_space_forget(&sp);
		if (rd_update(p) == ACC_OK)
			walk_process(p, &m, true);
	}
	FUZZ_MUST(memchr(sp.note.text, '\0', sizeof(sp.note.text)));
	FUZZ_MUST(n > 1 || (rc == ACC_OK && sp.note.rc == ACC_OK)); /* unchanged, the process reads well */
	rd_close(p);
	if (flags & 1)
		acc_space_end(&sp);
	acc_space_deinit(&sp);
	FUZZ_MUST(m.n_live == 0);
	return 0;
}
