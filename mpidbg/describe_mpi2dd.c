/* SPDX-License-Identifier: BSD-3-Clause */
#include "describe_mpi2dd.h"

#include "../access/limits.h"
#include "../mqs/callbacks.h"
#include "../readers/jobs/place_table.h"
#include "../readers/jobs/world_table.h"
#include "../render/json.h"
#include "../render/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum { COL_VALUE = 26 };

static void label(struct out *o, const char *what)
{
	out_line(o, 1);
	out_text(o, "%s", what);
	out_column(o, COL_VALUE);
}

/* ---- states and flags ------------------------------------------------------------------------------- */

static const char *const states[RD_MPI2DD_STATE_MAX + 1] = {
	"none", "start", "spawn", "connect", "accept", "join", "directory changed", "metadirectory changed", "abort",
};

static const char *const debugger_flags[] = { "gate", "being debugged", "request directory events", NULL };
static const char *const mpi_flags[] = {
	"metadirectory", "directory",         "starter",           "force to main",
	"ignore queue",  "acquired pre main", "partial attach ok", NULL,
};

/* Write each bit by name, as a JSON array or a list; bits without a name as a number. */
static void write_flags(struct out *o, const char *key, uint32_t flags, const char *const names[])
{
	const char *comma = "";
	unsigned n_names = 0;

	while (names[n_names])
		n_names++;
	if (o->json)
		out_json_array(o, key);
	else if (!flags)
		out_text(o, "none");
	for (unsigned bit = 0; bit < 32; bit++) {
		char number[16];
		const char *name = bit < n_names ? names[bit] : number;

		if (!(flags >> bit & 1))
			continue;
		snprintf(number, sizeof(number), "0x%" PRIx32, UINT32_C(1) << bit);
		if (o->json)
			out_json_string(o, NULL, name);
		else
			out_text(o, "%s%s", comma, name);
		comma = ", ";
	}
	if (o->json)
		out_json_array_end(o);
}

/* Report the note as a problem, unless it was reported already, because the size of a table is checked twice. */
static void problem_once(struct mpidbg_description *d)
{
	struct acc_note *note = &d->p->space.note;
	bool known = false;

	for (unsigned i = 0; i < d->n_problems; i++)
		known |= strcmp(d->problems[i], note->text) == 0;
	if (note->rc && !known)
		mpidbg_problem(d, "%s", note->text);
	acc_note_clear(note);
}

/* ---- the structure ---------------------------------------------------------------------------------- */

/* Write a string of MPI2DD_info: omitted if null, unknown if unreadable or invalid. */
static void write_text(struct mpidbg_description *d, const struct rd_mpi2dd *info, enum rd_mpi2dd_text text,
		       const char *key, const char *words, char *room)
{
	struct acc_note *note = &d->p->space.note;

	acc_note_clear(note);

	enum acc_rc rc = rd_jobs_mpi2dd_text(&d->p->space, info, text, room, ACC_STRING_MAX + 1);
	if (rc == ACC_NONE)
		return;
	if (rc)
		mpidbg_problem(d, "%s", note->text);
	if (d->o.json && rc) {
		out_json_unknown(&d->o, key, note->text);
	} else if (d->o.json) {
		out_json_string(&d->o, key, room);
	} else {
		label(&d->o, words);
		if (rc)
			out_text(&d->o, "unavailable");
		else
			out_name(&d->o, room, false);
		out_line_end(&d->o);
	}
	acc_note_clear(note);
}

static void write_meta(struct mpidbg_description *d, const struct rd_mpi2dd *info, char *room)
{
	struct out *o = &d->o;

	if (!info->meta_pid && !info->text_addrs[RD_MPI2DD_META_HOST] && !info->text_addrs[RD_MPI2DD_META_EXECUTABLE])
		return;
	if (o->json)
		out_json_object(o, "metadirectory");

	struct mdl_num pid = info->meta_pid > 0   ? mdl_known(info->meta_pid)
			     : info->meta_pid < 0 ? mdl_unavailable("makes no sense")
						  : mdl_unavailable("not known yet");
	if (o->json) {
		out_json_num(o, "pid", pid);
	} else {
		label(o, "metadirectory");
		out_text(o, "pid ");
		out_num(o, pid);
		out_line_end(o);
	}
	write_text(d, info, RD_MPI2DD_META_HOST, "host", "  on host", room);
	write_text(d, info, RD_MPI2DD_META_EXECUTABLE, "executable", "  executable", room);
	if (o->json)
		out_json_object_end(o);
}

static void write_numbers(struct out *o, const struct rd_mpi2dd *info)
{
	const char *state = info->debug_state <= RD_MPI2DD_STATE_MAX    ? states[info->debug_state]
			    : info->debug_state == RD_MPI2DD_STATE_HANG ? "hang"
									: NULL;

	if (o->json) {
		out_json_addr(o, "address", info->addr);
		out_json_uint(o, "version", info->version);
		out_json_uint(o, "variant", info->variant);
		if (state)
			out_json_string(o, "state", state);
		else
			out_json_unknown(o, "state", "makes no sense");
		write_flags(o, "debugger_flags", info->debugger_flags, debugger_flags);
		write_flags(o, "mpi_flags", info->mpi_flags, mpi_flags);
		return;
	}
	label(o, "MPI2DD_info");
	out_text(o, "at 0x%" PRIx64 ", version %u, variant %u", info->addr, info->version, info->variant);
	label(o, "last breakpoint");
	out_text(o, "%s", state ? state : "unavailable");
	label(o, "debugger's flags");
	write_flags(o, NULL, info->debugger_flags, debugger_flags);
	label(o, "flags of the MPI");
	write_flags(o, NULL, info->mpi_flags, mpi_flags);
	out_line_end(o);
}

static void write_registry(struct out *o, const struct rd_mpi2dd *info)
{
	if (o->json) {
		if (info->registry_addr)
			out_json_addr(o, "registry", info->registry_addr);
		return;
	}
	label(o, "its extension");
	if (info->registry_addr)
		out_text(o, "registry of MPI objects at 0x%" PRIx64, info->registry_addr);
	else if (info->extended)
		out_text(o, "nothing that this plugin knows");
	else
		out_text(o, "none");
	out_line_end(o);
}

void mpidbg_write_mpi2dd(struct mpidbg_description *d, const struct rd_mpi2dd *info)
{
	struct acc_note *note = &d->p->space.note;
	const char *words;

	acc_note_clear(note);
	rd_jobs_mpi2dd_check(&d->p->space, info);
	problem_once(d);
	for (unsigned i = 0; (words = rd_jobs_mpi2dd_contradiction(info, i)); i++)
		mpidbg_problem(d, "%s", words);

	if (d->o.json)
		out_json_object(&d->o, "mpi2dd");
	write_numbers(&d->o, info);

	char *room = mqs_callbacks_alloc(ACC_STRING_MAX + 1);
	if (room) {
		write_text(d, info, RD_MPI2DD_DLL_32, "dll_name_32", "32-bit queue library", room);
		write_text(d, info, RD_MPI2DD_DLL_64, "dll_name_64", "64-bit queue library", room);
		write_meta(d, info, room);
		write_text(d, info, RD_MPI2DD_ABORT, "abort_string", "abort", room);
		mqs_callbacks_release(room);
	} else {
		mpidbg_problem(d, "MPI2DD_info: strings: %s", acc_rc_text(ACC_ENOMEM));
	}
	write_registry(&d->o, info);
	if (d->o.json)
		out_json_object_end(&d->o);
}

/* ---- tables ----------------------------------------------------------------------------------------- */

static struct mdl_num table_number(int64_t n)
{
	return n >= 0 ? mdl_known(n) : mdl_unavailable("makes no sense in the table");
}

static void json_proc(struct out *o, const struct rd_world_proc *proc)
{
	out_json_object(o, NULL);
	out_json_num(o, "rank", table_number(proc->rank));
	out_json_num(o, "pid", table_number(proc->pid));
	out_json_string(o, "host", proc->host);
	out_json_string(o, "executable", proc->executable);
	out_json_string(o, "world", proc->world);
	if (proc->parent_world) {
		out_json_object(o, "parent");
		out_json_string(o, "world", proc->parent_world);
		out_json_num(o, "rank", table_number(proc->parent_rank));
		out_json_num(o, "sequence", table_number(proc->sequence));
		out_json_object_end(o);
	}
	out_json_object_end(o);
}

static void text_proc(struct out *o, const struct rd_world_proc *proc)
{
	out_line(o, 0);
	out_num(o, table_number(proc->rank));
	out_column(o, MPIDBG_COL_PID);
	out_num(o, table_number(proc->pid));
	out_column(o, MPIDBG_COL_HOST);
	out_name(o, proc->host, true);
	out_column(o, MPIDBG_COL_EXECUTABLE);
	out_name(o, proc->executable, true);
	out_column(o, MPIDBG_COL_WORLD);
	out_name(o, proc->world, true);
	if (proc->parent_world) {
		out_text(o, "  spawned by rank ");
		out_num(o, table_number(proc->parent_rank));
		out_text(o, " of ");
		out_name(o, proc->parent_world, true);
		out_text(o, ", its spawn ");
		out_num(o, table_number(proc->sequence));
	}
	out_line_end(o);
}

void mpidbg_write_world_procs(struct mpidbg_description *d, const struct rd_mpi2dd *info)
{
	struct rd_world_table table = { .n_bad = 0 };
	struct rd_world_proc proc;
	enum acc_rc rc;

	acc_note_clear(&d->p->space.note);
	if (rd_world_table(&d->p->space, info, &table)) {
		problem_once(d);
		return;
	}
	while (!(rc = rd_world_table_next(&table, &proc)) && !d->o.failed) {
		if (d->o.json)
			json_proc(&d->o, &proc);
		else
			text_proc(&d->o, &proc);
	}
	mpidbg_problem_walk(d, rc == ACC_NONE ? ACC_OK : rc, rc && rc != ACC_NONE ? 0 : table.n_bad,
			    "MPI2DD_info.proctable");
	rd_world_table_end(&table);
}

static void write_place(struct out *o, const struct rd_place *place)
{
	if (o->json) {
		out_json_object(o, NULL);
		out_json_num(o, "pid", table_number(place->pid));
		out_json_string(o, "host", place->host);
		out_json_string(o, "executable", place->executable);
		out_json_object_end(o);
		return;
	}
	out_line(o, 0);
	out_column(o, MPIDBG_COL_PID);
	out_num(o, table_number(place->pid));
	out_column(o, MPIDBG_COL_HOST);
	out_name(o, place->host, true);
	out_column(o, MPIDBG_COL_EXECUTABLE);
	out_name(o, place->executable, true);
	out_line_end(o);
}

void mpidbg_write_places(struct mpidbg_description *d, const struct rd_mpi2dd *info, enum rd_mpi2dd_table which)
{
	const char *key = which == RD_MPI2DD_DIRECTORIES ? "directories" : "metadirectories";
	struct rd_place_table table = { .n_bad = 0 };
	struct rd_place place;

	acc_note_clear(&d->p->space.note);

	enum acc_rc rc = rd_place_table(&d->p->space, info, which, &table);
	problem_once(d);
	if (d->o.json) {
		out_json_array(&d->o, key);
	} else if (!rc) {
		out_line(&d->o, 0);
		out_text(&d->o, "other %s", key);
		out_line_end(&d->o);
	}
	if (!rc) {
		while (!(rc = rd_place_table_next(&table, &place)) && !d->o.failed)
			write_place(&d->o, &place);
		mpidbg_problem_walk(d, rc == ACC_NONE ? ACC_OK : rc, rc && rc != ACC_NONE ? 0 : table.n_bad,
				    rd_jobs_mpi2dd_table_name(which));
		rd_place_table_end(&table);
	}
	if (d->o.json)
		out_json_array_end(&d->o);
}
