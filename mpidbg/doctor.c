/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Facts about the MPI of a process, where they come from, and advice about missing ones.
 */
#include "describe.h"

#include "code.h"
#include "describe_mpi2dd.h"
#include "doctor_packs.h"
#include "capacity.h"
#include "origins.h"
#include "settings.h"

#include "../render/json.h"
#include "../render/operation.h"
#include "../render/process.h"
#include "../render/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum { COL_VALUE = 26 };

/* Start a line "  what        value" at the column of the value. */
static void label(struct out *o, const char *what)
{
	out_line(o, 1);
	out_text(o, "%s", what);
	out_column(o, COL_VALUE);
}

/* ---- layout ----------------------------------------------------------------------------------------- */

struct rows {
	uint64_t n[ACC_SRC_PACK + 1];
	uint64_t n_missing_needed;
};

static struct rows count_rows(const struct acc_layout *layout)
{
	struct rows ret = { { 0 } };

	for (unsigned i = 0; i < layout->schema->n_fields; i++) {
		unsigned source = layout->fields[i].source;

		ret.n[source <= ACC_SRC_PACK ? source : ACC_SRC_NONE]++;
		ret.n_missing_needed += source == ACC_SRC_NONE && layout->schema->fields[i].needed;
	}
	return ret;
}

static void json_rows(struct out *o, const struct acc_layout *layout, const struct rows *rows)
{
	out_json_object(o, "rows");
	for (int source = ACC_SRC_NONE; source <= ACC_SRC_PACK; source++)
		out_json_uint(o, acc_source_text((enum acc_source)source), rows->n[source]);
	out_json_object_end(o);
	out_json_array(o, "missing");
	for (unsigned i = 0; i < layout->schema->n_fields; i++) {
		const struct acc_field_row *row = &layout->schema->fields[i];
		char name[160];

		if (acc_layout_has(layout, i))
			continue;
		snprintf(name, sizeof(name), "%s.%s", row->type_name, row->name);
		out_json_object(o, NULL);
		out_json_string(o, "row", name);
		out_json_bool(o, "needed", row->needed);
		out_json_object_end(o);
	}
	out_json_array_end(o);
}

/* Rows that only some builds have are listed with --all; nothing is missing without them. */
static void text_rows(struct out *o, const struct acc_layout *layout, const struct rows *rows)
{
	uint64_t n_optional = 0;

	for (unsigned i = 0; i < layout->schema->n_fields; i++)
		n_optional += !acc_layout_has(layout, i) && !layout->schema->fields[i].needed;
	label(o, "rows");
	out_text(o,
		 "%" PRIu64 " from the target itself, %" PRIu64 " from the debugger, %" PRIu64 " from a pack, %" PRIu64
		 " missing",
		 rows->n[ACC_SRC_SELF], rows->n[ACC_SRC_DEBUGGER], rows->n[ACC_SRC_PACK], rows->n[ACC_SRC_NONE]);
	if (n_optional && !o->all)
		out_text(o, " (%" PRIu64 " optional: other builds have them; --all lists them)", n_optional);
	for (unsigned i = 0; i < layout->schema->n_fields; i++) {
		const struct acc_field_row *row = &layout->schema->fields[i];

		if (acc_layout_has(layout, i) || (!row->needed && !o->all))
			continue;
		label(o, "missing row");
		out_text(o, "%s.%s (%s)", row->type_name, row->name,
			 row->needed ? "needed" : "optional: only some builds have it");
	}
	out_line_end(o);
}

static void write_witnesses(struct out *o, const struct acc_witness_result *w)
{
	if (o->json) {
		out_json_object(o, "witnesses");
		out_json_uint(o, "agree", w->n_agree);
		out_json_uint(o, "absent", w->n_absent);
		out_json_uint(o, "disagree", w->n_disagree);
		if (w->first[0])
			out_json_string(o, "first", w->first);
		out_json_object_end(o);
		return;
	}
	label(o, "witnesses");
	out_text(o, "%u agree, %u are not in this process, %u disagree", w->n_agree, w->n_absent, w->n_disagree);
	if (w->first[0]) {
		out_text(o, ": ");
		out_name(o, w->first, false);
	}
	out_line_end(o);
}

static void write_layout(struct mpidbg_description *d, const struct rows *rows)
{
	const struct acc_layout *layout = rd_layout(d->p->reader);
	const struct mdl_library *library = rd_library(d->p->reader);

	if (d->o.json) {
		out_json_object(&d->o, "layout");
		out_json_string(&d->o, "source", library->layout);
		json_rows(&d->o, layout, rows);
		write_witnesses(&d->o, rd_witnesses(d->p->reader));
		out_json_object_end(&d->o);
		return;
	}
	label(&d->o, "layout");
	out_name(&d->o, library->layout, false);
	text_rows(&d->o, layout, rows);
	write_witnesses(&d->o, rd_witnesses(d->p->reader));
}

/* ---- library, queues -------------------------------------------------------------------------------- */

static void text_library(struct out *o, const struct mdl_library *library)
{
	label(o, "MPI");
	out_text(o, "%s ", library->implementation);
	out_name(o, library->version[0] ? library->version : "of unknown version", false);
	label(o, "state");
	out_text(o, "%s", out_state_text(library->state));
	if (library->thread_multiple_known)
		out_text(o, ", MPI_THREAD_MULTIPLE %s", library->thread_multiple ? "granted" : "not granted");
	label(o, "messages are moved by");
	out_name(o, library->component[0] ? library->component : "unknown", false);
	out_line_end(o);
}

/* Say why the library's own memory is not read and only the records are used. */
static void write_refused(struct mpidbg_description *d)
{
	const char *why = rd_refused(d->p->reader);

	if (d->o.json) {
		if (*why)
			out_json_string(&d->o, "refused", why);
	} else if (*why) {
		label(&d->o, "not read");
		out_name(&d->o, why, false);
		out_line_end(&d->o);
	}
}

static void write_queues(struct mpidbg_description *d)
{
	if (d->o.json)
		out_json_object(&d->o, "queues");
	for (int i = 0; i < MDL_N_CLASSES; i++) {
		enum mdl_op_class op_class = (enum mdl_op_class)i;
		const char *why = NULL;
		bool can = rd_ops_available(d->p->reader, op_class, &why) != ACC_NONE;

		if (!d->o.json) {
			label(&d->o, out_queue_words(op_class));
			out_text(&d->o, "%s%s%s", can ? "can be seen" : "cannot be seen", why && !can ? ": " : "",
				 why && !can ? why : "");
			out_line_end(&d->o);
		} else if (can) {
			out_json_bool(&d->o, out_queue_key(op_class), true);
		} else {
			out_json_unknown(&d->o, out_queue_key(op_class), why);
		}
	}
	if (d->o.json)
		out_json_object_end(&d->o);
}

/* ---- MPI2DD ------------------------------------------------------------------------------------------ */

/* Does the process describe itself and its job? Most do not, which is not a problem. */
static void write_mpi2dd(struct mpidbg_description *d)
{
	static const char absent[] = "not there: the process does not carry an MPI2DD library";
	struct acc_note *note = &d->p->space.note;
	struct rd_mpi2dd info;

	acc_note_clear(note);

	enum acc_rc rc = rd_jobs_mpi2dd(&d->p->space, &info);
	if (rc && rc != ACC_NONE)
		mpidbg_problem(d, "%s", note->text);
	if (!rc) {
		mpidbg_write_mpi2dd(d, &info);
	} else if (d->o.json) {
		out_json_unknown(&d->o, "mpi2dd", rc == ACC_NONE ? absent : note->text);
	} else {
		label(&d->o, "MPI2DD");
		out_text(&d->o, "%s", rc == ACC_NONE ? absent : "cannot be used");
		out_line_end(&d->o);
	}
	acc_note_clear(note);
}

/* Settings of the in-target library that have no effect, and capacities that were exceeded. */
static void write_settings(struct mpidbg_description *d)
{
	struct _mqs_process_info *p = d->p;
	struct acc_note before = p->note;

	if (!mqs_state_track(p))
		mpidbg_write_settings(d, p->track, "setting", COL_VALUE);
	p->note = before; /* a missing registry is not a failure */
}

/* ---- advice ----------------------------------------------------------------------------------------- */

static void write_advice(struct mpidbg_description *d, const char *const *advice, size_t n)
{
	if (d->o.json)
		out_json_array(&d->o, "advice");
	for (size_t i = 0; i < n; i++) {
		if (d->o.json) {
			out_json_string(&d->o, NULL, advice[i]);
		} else {
			label(&d->o, "what to do");
			out_text(&d->o, "%s", advice[i]);
			out_line_end(&d->o);
		}
	}
	if (d->o.json)
		out_json_array_end(&d->o);
}

static void advise(struct mpidbg_description *d, enum acc_rc rc, const struct rows *rows)
{
	const char *advice[4];
	size_t n = 0;
	uint64_t addr;

	/* a constant that is a symbol only in MPICH and its derivatives */
	if (rc == ACC_NONE && acc_symbol(&d->p->space, "MPI_UNWEIGHTED", &addr) == ACC_OK) {
		advice[n++] = "this is a process of MPICH, or of an MPI made from it: it is read with the help of a "
			      "library in it; "
			      "start the job with mpi2dd-run";
	} else if (rc == ACC_NONE) {
		advice[n++] = "is this the MPI process itself, and not its launcher, shell or wrapper? try mpidbg "
			      "procs --job PID";
		advice[n++] = "has the program loaded its MPI library yet?";
	} else if ((rc == ACC_EWITNESS || (!rc && rd_refused(d->p->reader)[0])) &&
		   acc_symbol(&d->p->space, "MPI_UNWEIGHTED", &addr) == ACC_OK) {
		if (rc)
			advice[n++] = "start the job with mpi2dd-run: communicators, pending sends and receives, "
				      "objects and calls are then read from the library in it";
		else if (rd_library(d->p->reader)->state == MDL_BEFORE_INIT)
			advice[n++] = "look again when MPI_Init has returned";
		advice[n] = "or make a layout pack for this MPICH from its source tree, configured as it was "
			    "(docs/adding-an-mpi.md), and name its folder in MPIDBG_LAYOUTS";
		if (!n)
			advice[n] += strlen("or ");
		n++;
	} else if (rc == ACC_EWITNESS || rc == ACC_EFIELD || rows->n_missing_needed ||
		   (!rc && rd_refused(d->p->reader)[0])) {
		advice[n++] = acc_symbol(&d->p->space, "ompi_mpi_state", &addr) == ACC_OK
				      ? "make a layout pack for this MPI: mpidbg layout make --source FOLDER, from its "
					"source "
					"tree, configured as it was"
				      : "make a layout pack for this MPI: mpidbg layout make, on a machine that has "
					"its debug "
					"information";
		advice[n++] = "put it in a folder and name that in MPIDBG_LAYOUTS";
		advice[n++] = "or install the debug information of the MPI library: the debugger's types then answer";
	} else if (rc) {
		advice[n++] = "is the process alive and readable, or the core complete?";
	} else if (rd_library(d->p->reader)->state == MDL_BEFORE_INIT) {
		advice[n++] = "look again when MPI_Init has returned";
	}
	write_advice(d, advice, n);
}

int mpidbg_describe_doctor(struct mpidbg_description *d)
{
	struct _mqs_process_info *p = d->p;
	const struct out_identity identity = mpidbg_identity(d);
	enum acc_rc rc = mqs_state_update(p);
	/* the library is still known if it could not be updated */
	const struct mdl_library *library = p->reader && rd_layout(p->reader)->schema ? rd_library(p->reader) : NULL;
	struct rows rows = { { 0 } };

	out_process_begin(&d->o, &identity, library, p->note.text);
	if (rc && rc != ACC_NONE)
		mpidbg_problem(d, "%s", p->note.text);
	if (library) {
		rows = count_rows(rd_layout(p->reader));
		if (!d->o.json)
			text_library(&d->o, library);
		write_refused(d);
		write_queues(d);
		write_layout(d, &rows);
	}
	mpidbg_write_origins(d, COL_VALUE);
	write_mpi2dd(d);
	write_settings(d);
	mpidbg_write_capacity(d);
	mpidbg_write_packs(d);
	advise(d, rc, &rows);
	mpidbg_write_problems(d);
	out_process_end(&d->o);
	return mpidbg_code(rc);
}
