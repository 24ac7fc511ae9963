/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The readers of MPICH and UCX, and of Open MPI's objects, on a recorded process (fuzz/recorded.h) with damaged memory:
 * communicators, queues, and the objects of every kind with their lists.
 */
#include "fuzz.h"
#include "queues.h"
#include "recorded.h"
#include "target.h"

#include "../readers/reader.h"
#include "../readers/tracked/tracked.h"

#include <string.h>

/** Limits above what a process of this size can need. */
enum { READS_MAX = 8 << 20, OPS_MAX = 1 << 20, OBJECTS_MAX = 1 << 22, LIST_MAX = 64 };

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
	bool openmpi = !strcmp(rd_library(p)->implementation, "Open MPI");
	enum rd_track_mpi mpi = openmpi ? RD_TRACK_OPENMPI : RD_TRACK_MPICH;
	struct rd_objects objects;
	struct rd_track *t;

	if (rd_objects_open(p, &objects) || rd_track_open_objects(sp, rd_library(p), mpi, &objects, &t))
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
	struct rd_process *p = NULL;
	struct acc_space sp;

	recorded_take(&r, data, n);
	FUZZ_MUST(acc_space_init(&sp, &recorded_ops, &r, &fuzz_sizes, false) == ACC_OK);
	acc_space_begin(&sp);
	enum acc_rc rc = rd_open(&sp, recorded_packs(), &p);
	FUZZ_MUST(rc < ACC_N_RC);
	if (rc == ACC_OK) {
		fuzz_walk_comms(p, false, MDL_MODE_UNKNOWN, OPS_MAX);
		walk_objects(p, &sp);
		acc_space_forget(&sp);
		if (rd_update(p) == ACC_OK) {
			fuzz_walk_comms(p, true, MDL_MODE_UNKNOWN, OPS_MAX);
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
