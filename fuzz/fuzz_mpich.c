/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The readers of MPICH and UCX, and of Open MPI's objects, on a recorded process (fuzz/recorded.h) of
 * which words were changed: communicators, queues, and the objects of every kind with their lists.
 * What few changes leave is compared with the process as it was recorded. The first byte selects the
 * recording; with bit 7 also words that memory has once are changed, everything is walked, and
 * nothing is compared. The rest are changes (fuzz/changes.h), whose words are those recorded.
 */
#include "changes.h"
#include "fuzz.h"
#include "losses.h"
#include "queues.h"
#include "recorded.h"
#include "target.h"

#include <string.h>

/** Limits above what a process of this size can need. */
enum { READS_MAX = 8 << 20, OPS_MAX = 1 << 20, OBJECTS_MAX = 1 << 22, LIST_MAX = 64 };

/* Of the last only part of the memory is recorded. */
const char *const fuzz_recordings[] = { "fuzz/recordings/queues",     "fuzz/recordings/queues_5.0",
					"fuzz/recordings/queues_ofi", "fuzz/recordings/files",
					"fuzz/recordings/openmpi",    "fuzz/recordings/queues_5.0.2",
					"fuzz/recordings/comms",      NULL };

enum { N_RECORDINGS = sizeof(fuzz_recordings) / sizeof(fuzz_recordings[0]) - 1, N_WHOLE = N_RECORDINGS - 1 };

static struct {
	struct fuzz_stored file;
	struct fuzz_seen seen;
	uint64_t single[FUZZ_SINGLE_MAX];
	size_t n_single;
	struct fuzz_tags tags;
} recordings[N_RECORDINGS];

static struct recorded r;

/* ---- walks --------------------------------------------------------------------------------------------------- */

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

static void walk_objects(struct rd_process *p)
{
	bool openmpi = !strcmp(rd_library(p)->implementation, "Open MPI");
	enum rd_track_mpi mpi = openmpi ? RD_TRACK_OPENMPI : RD_TRACK_MPICH;
	struct rd_objects objects;
	struct rd_track *t;

	if (rd_objects_open(p, &objects) || rd_track_open_objects(p->sp, rd_library(p), mpi, &objects, &t))
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

static void open_recorded(struct acc_space *sp, const uint8_t *data, size_t n, struct rd_process **ret)
{
	recorded_take(&r, data, n);
	FUZZ_MUST(acc_space_init(sp, &recorded_ops, &r, &fuzz_sizes, false) == ACC_OK);
	acc_space_begin(sp);
	*ret = NULL;
	FUZZ_MUST(rd_open(sp, recorded_packs(), ret) < ACC_N_RC);
}

static void close_recorded(struct acc_space *sp, struct rd_process *p)
{
	rd_close(p);
	acc_space_end(sp);
	acc_space_deinit(sp);
	FUZZ_MUST(r.n_live == 0);
}

void fuzz_walk_recorded(const uint8_t *data, size_t n)
{
	struct acc_space sp;
	struct rd_process *p;

	open_recorded(&sp, data, n, &p);
	if (p) {
		fuzz_walk_comms(p, false, MDL_MODE_UNKNOWN, OPS_MAX);
		walk_objects(p);
		acc_space_forget(&sp);
		if (rd_update(p) == ACC_OK) {
			fuzz_walk_comms(p, true, MDL_MODE_UNKNOWN, OPS_MAX);
			walk_objects(p);
		}
	}
	FUZZ_MUST(r.n_reads < READS_MAX);
	close_recorded(&sp, p);
}

/* ---- comparison ---------------------------------------------------------------------------------------------- */

static bool load(unsigned which)
{
	struct fuzz_stored *f = &recordings[which].file;
	struct acc_space sp;
	struct rd_process *p;

	if (f->data)
		return true;
	f->path = fuzz_recordings[which];
	if (!fuzz_load(f))
		return false;
	if (which >= N_WHOLE)
		return true;
	open_recorded(&sp, f->data, f->n, &p);
	FUZZ_MUST(p);
	fuzz_see(p, &recordings[which].seen);
	recordings[which].n_single = fuzz_single(p, recordings[which].single);
	fuzz_find_tags(p, &recordings[which].tags);
	FUZZ_MUST(!recordings[which].seen.partial);
	close_recorded(&sp, p);
	return true;
}

/* What is lost of a recording; NULL: nothing. */
static const char *lost_of(unsigned which)
{
	const char *lost = NULL;
	struct fuzz_seen now;
	struct acc_space sp;
	struct rd_process *p;

	open_recorded(&sp, recordings[which].file.data, recordings[which].file.n, &p);
	if (p) {
		fuzz_see(p, &now);
		lost = fuzz_lost(&recordings[which].seen, &now);
	}
	close_recorded(&sp, p);
	return lost;
}

static unsigned selected(const uint8_t *data, size_t n, bool *everything)
{
	*everything = n && data[0] & 0x80;
	return n ? (data[0] & 0x7fu) % N_RECORDINGS : 0;
}

static unsigned compared; /* the recording in is_kept() */

static bool is_kept(uint64_t addr, uint64_t value)
{
	return fuzz_is_single(recordings[compared].single, recordings[compared].n_single, addr) ||
	       fuzz_is_tag(&recordings[compared].tags, addr, value);
}

static uint8_t *word_of(const void *ctx, uint64_t number, uint64_t *addr)
{
	return recorded_word(ctx, number, addr);
}

static void make_changes(const uint8_t *data, size_t n, struct fuzz_changes *c)
{
	bool everything;

	compared = selected(data, n, &everything);
	c->n = 0;
	c->addr = 0;
	recorded_take(&r, recordings[compared].file.data, recordings[compared].file.n);
	for (size_t at = 1; at + FUZZ_CHANGE_BYTES <= n && c->n < FUZZ_CHANGES_MAX; at += FUZZ_CHANGE_BYTES)
		fuzz_change(c, word_of, &r, data + at, everything ? NULL : is_kept);
}

const char *fuzz_loss_of(const uint8_t *data, size_t n, uint64_t *addr)
{
	static struct fuzz_changes c;
	const char *lost = NULL;
	bool everything;
	unsigned which = selected(data, n, &everything);

	if (!load(which))
		return NULL;
	make_changes(data, n, &c);
	*addr = c.addr;
	if (which < N_WHOLE && !everything && c.n <= FUZZ_COMPARED_MAX)
		lost = lost_of(which);
	fuzz_undo(&c);
	return lost;
}

int fuzz_mpich(const uint8_t *data, size_t n)
{
	static struct fuzz_changes c;
	bool everything;
	unsigned which = selected(data, n, &everything);
	uint64_t addr;

	FUZZ_MUST(!fuzz_loss_of(data, n, &addr));
	if ((!everything && which < N_WHOLE) || !load(which))
		return 0;
	make_changes(data, n, &c);
	fuzz_walk_recorded(recordings[which].file.data, recordings[which].file.n);
	fuzz_undo(&c);
	return 0;
}
