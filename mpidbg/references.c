/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of objects that other objects refer to. */
#include "references.h"

#include "library_name.h"

#include "../render/fact.h"
#include "../render/handle_kind.h"
#include "../render/json.h"
#include "../render/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

void mpidbg_handle_name(struct mpidbg_description *d, enum mdl_handle_kind kind, struct mdl_num handle,
			char ret[MDL_NAME_BYTES])
{
	struct mdl_handle h;
	struct acc_note note = d->p->space.note;

	ret[0] = '\0';
	if (handle.known == MDL_KNOWN && !rd_track_find(d->p->track, kind, (uint64_t)handle.value, &h)) {
		if (d->library_names)
			mpidbg_library_name(d->p, &h);
		memcpy(ret, h.name, MDL_NAME_BYTES);
	}
	d->p->space.note = note; /* a missing name is not a failure */
}

bool mpidbg_referred(struct mpidbg_description *d, enum mdl_handle_kind kind, struct mdl_num handle, struct mdl_num id,
		     char ret[MDL_NAME_BYTES])
{
	struct acc_note note = d->p->space.note;
	struct mdl_handle h;

	if (handle.known == MDL_NOT_APPLICABLE || id.known != MDL_KNOWN) {
		mpidbg_handle_name(d, kind, handle, ret);
		return true;
	}
	enum acc_rc rc = rd_track_find_id(d->p->track, kind, (uint64_t)id.value, &h);
	ret[0] = '\0';
	if (!rc && d->library_names)
		mpidbg_library_name(d->p, &h);
	if (!rc)
		memcpy(ret, h.name, MDL_NAME_BYTES);
	d->p->space.note = note;
	return rc ? rc != ACC_NONE : h.life == MDL_LIVE;
}

void mpidbg_number_name(struct mpidbg_description *d, enum mdl_handle_kind kind, uint64_t id, char ret[MDL_NAME_BYTES])
{
	struct mdl_handle h;
	struct acc_note note = d->p->space.note;

	ret[0] = '\0';
	if (!rd_track_find_id(d->p->track, kind, id, &h)) {
		if (d->library_names)
			mpidbg_library_name(d->p, &h);
		memcpy(ret, h.name, MDL_NAME_BYTES);
	}
	d->p->space.note = note;
}

/* Types with Fortran kinds have no useful name (Open MPI's is "COMBINER MPI_INT"): show the call that returns them. */
static bool f90_words(struct mpidbg_description *d, const struct mdl_handle *h, char ret[MDL_NAME_BYTES])
{
	const struct mdl_handle_datatype *t = &h->datatype;
	int64_t combiner = t->combiner.known == MDL_KNOWN ? t->combiner.value : MDL_NAMED, v[2];
	const char *call = out_combiner(combiner);
	unsigned n = combiner == MDL_F90_INTEGER ? 1 : 2;

	if ((combiner != MDL_F90_INTEGER && combiner != MDL_F90_REAL && combiner != MDL_F90_COMPLEX) ||
	    !t->integers.known || t->integers.n != n || rd_track_numbers(d->p->track, &t->integers, 8, 0, n, v))
		return false;
	if (n == 1)
		snprintf(ret, MDL_NAME_BYTES, "MPI_Type_create_%s(%" PRId64 ")", call, v[0]);
	else
		snprintf(ret, MDL_NAME_BYTES, "MPI_Type_create_%s(%" PRId64 ",%" PRId64 ")", call, v[0], v[1]);
	return true;
}

bool mpidbg_type_words(struct mpidbg_description *d, uint64_t id, char ret[MDL_NAME_BYTES])
{
	struct mdl_handle h;
	struct acc_note note = d->p->space.note;
	bool found = !rd_track_find_id(d->p->track, MDL_DATATYPE, id, &h);
	bool f90 = found && h.predefined && f90_words(d, &h, ret), named = found && !f90 && h.name[0];

	if (named)
		memcpy(ret, h.name, MDL_NAME_BYTES);
	else if (!f90)
		snprintf(ret, MDL_NAME_BYTES, "datatype #%" PRIu64, id);
	d->p->space.note = note;
	return named;
}

static const char freed[] = "freed by the application";

/*
 * A reference recorded by handle and by number. In JSON the handle of a freed object is null with the reason, and
 * the name is kept.
 */
void mpidbg_ref_fact(struct mpidbg_description *d, const char *key, enum mdl_handle_kind kind, struct mdl_num handle,
		     struct mdl_num id)
{
	char name[MDL_NAME_BYTES], name_key[32];

	if (mpidbg_referred(d, kind, handle, id, name)) {
		out_fact_handle(&d->o, key, handle, name);
	} else if (d->o.json) {
		out_json_unknown(&d->o, key, freed);
		snprintf(name_key, sizeof(name_key), "%s_name", key);
		if (name[0])
			out_json_string(&d->o, name_key, name);
	} else {
		out_fact_label(&d->o, key);
		if (name[0])
			out_name(&d->o, name, true);
		out_text(&d->o, name[0] ? "  %s" : "%s", freed);
	}
}

/* Write " (not recorded)" for a handle without a record, if some objects could not be recorded. */
static void mpidbg_summary_unrecorded(struct mpidbg_description *d, enum mdl_handle_kind kind, struct mdl_num handle)
{
	struct acc_note note = d->p->space.note;
	struct mdl_handle h;

	if (handle.known == MDL_KNOWN && rd_track_count(d->p->track, kind).n_dropped &&
	    rd_track_find(d->p->track, kind, (uint64_t)handle.value, &h) == ACC_NONE)
		out_text(&d->o, " (not recorded)");
	d->p->space.note = note;
}

void mpidbg_summary_name(struct mpidbg_description *d, const char *before, enum mdl_handle_kind kind,
			 struct mdl_num handle)
{
	char name[MDL_NAME_BYTES];

	if (handle.known != MDL_KNOWN)
		return;
	mpidbg_handle_name(d, kind, handle, name);
	out_text(&d->o, "%s", before);
	if (name[0])
		out_name(&d->o, name, true);
	else {
		out_text(&d->o, "%s 0x%" PRIx64, out_handle_word(kind), (uint64_t)handle.value);
		mpidbg_summary_unrecorded(d, kind, handle);
	}
}

void mpidbg_number_fact(struct mpidbg_description *d, const char *key, struct mdl_num number)
{
	if (d->o.json || number.known != MDL_KNOWN) {
		out_fact_num(&d->o, key, number);
		return;
	}
	out_fact_label(&d->o, key);
	out_text(&d->o, "#%" PRId64, number.value);
}
