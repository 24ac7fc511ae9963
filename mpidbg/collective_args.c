/* SPDX-License-Identifier: BSD-3-Clause */
/* Facts about a collective call on which all ranks must agree:
 * its position in the sequence of calls, the type of its data. */
#include "collective_args.h"

#include "references.h"

#include "../render/fact.h"
#include "../render/json.h"

#pragma GCC poison assert abort exit printf fprintf malloc free

/* Limits: counters of a communicator (two per class); runs of equal basic types; basic elements examined. */
enum { COUNTERS_MAX = 64, RUNS_MAX = 64, ELEMENTS_MAX = 16384 };

/* Number of collectives started on a communicator, if at least one of them is not finished. */
static bool begun(struct mpidbg_description *d, struct mdl_num comm, uint64_t *ret)
{
	struct acc_note note = d->p->space.note;
	int64_t counts[COUNTERS_MAX];
	struct mdl_handle h;
	uint64_t n, n_begun = 0, n_finished = 0;

	enum acc_rc rc = rd_track_find(d->p->track, MDL_COMM, (uint64_t)comm.value, &h);
	n = !rc && h.comm.collectives.known ? h.comm.collectives.n : 0;
	if (!rc && n && n <= COUNTERS_MAX)
		rc = rd_track_numbers(d->p->track, &h.comm.collectives, 8, 0, n, counts);
	d->p->space.note = note; /* an unrecorded communicator is not a failure */
	if (rc || !n || n > COUNTERS_MAX)
		return false;
	for (uint64_t i = 0; i + 1 < n; i += 2) {
		n_begun += (uint64_t)counts[i];
		n_finished += (uint64_t)counts[i + 1];
	}
	*ret = n_begun;
	return n_begun > n_finished && n_begun <= INT64_MAX;
}

static void describe_run(struct mpidbg_description *d, uint64_t id, uint64_t n)
{
	char name[MDL_NAME_BYTES];

	mpidbg_type_words(d, id, name);
	out_json_object(&d->o, NULL);
	out_json_string(&d->o, "type", name);
	out_json_uint(&d->o, "n", n);
	out_json_object_end(&d->o);
}

static uint64_t count_runs(const struct rd_track_typemap *map)
{
	uint64_t n = 0;

	for (uint64_t i = 0; i < map->n; i++)
		n += !i || map->entries[i].id != map->entries[i - 1].id;
	return n;
}

/* Write the basic types of one element in order, without displacements. */
static void signature(struct mpidbg_description *d, struct mdl_num datatype)
{
	struct acc_note note = d->p->space.note;
	struct rd_track_typemap map = { .n = 0 };
	struct mdl_handle h;

	enum acc_rc rc = rd_track_find(d->p->track, MDL_DATATYPE, (uint64_t)datatype.value, &h);
	bool is_there = !rc;
	rc = rc ? rc : rd_track_typemap(d->p->track, &h, ELEMENTS_MAX, &map);
	d->p->space.note = note; /* an incompletely recorded type is not a failure */
	if (is_there && h.predefined && rc == ACC_NONE) {
		out_json_array(&d->o, "datatype_signature");
		describe_run(d, h.id, 1);
		out_json_array_end(&d->o);
	} else if (rc) {
		out_json_unknown(&d->o, "datatype_signature",
				 "how the datatype, or a part of it, was made is not recorded");
	} else if (map.total > map.n || count_runs(&map) > RUNS_MAX) {
		out_json_unknown(&d->o, "datatype_signature", "the datatype has too many elements");
	} else {
		out_json_array(&d->o, "datatype_signature");
		for (uint64_t i = 0, end; i < map.n && !d->o.failed; i = end) {
			for (end = i + 1; end < map.n && map.entries[end].id == map.entries[i].id;)
				end++;
			describe_run(d, map.entries[i].id, end - i);
		}
		out_json_array_end(&d->o);
	}
	if (is_there && !rc)
		rd_track_typemap_free(d->p->track, &map);
}

void mpidbg_collective_args(struct mpidbg_description *d, const struct mdl_call *c)
{
	uint64_t n;

	if (c->comm.known != MDL_KNOWN || c->tag.known != MDL_NOT_APPLICABLE)
		return;
	if (begun(d, c->comm, &n))
		out_json_uint(&d->o, "collectives_begun", n);
	if (c->datatype.known == MDL_KNOWN)
		signature(d, c->datatype);
}
