/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of one description: its problems, the identity of the process, the heading of an object. */
#include "describe.h"

#include "../render/handle_kind.h"
#include "../render/json.h"
#include "../render/process.h"
#include "../render/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

/* ---- problems --------------------------------------------------------------------------------------- */

void mpidbg_problem(struct mpidbg_description *d, const char *format, ...)
{
	va_list args;

	if (d->n_problems == MPIDBG_PROBLEMS_MAX) {
		d->n_more_problems++;
		return;
	}
	va_start(args, format);
	vsnprintf(d->problems[d->n_problems], sizeof(d->problems[0]), format, args);
	va_end(args);
	d->n_problems++;
}

void mpidbg_problem_walk(struct mpidbg_description *d, enum acc_rc rc, uint64_t n_bad, const char *what)
{
	struct acc_note *note = &d->p->space.note;
	const char *why = note->rc ? note->text : acc_rc_text(rc);

	if (n_bad && note->rc)
		mpidbg_problem(d, "%s: %" PRIu64 " skipped, the first: %s", what, n_bad, why);
	else if (n_bad)
		mpidbg_problem(d, "%s: %" PRIu64 " skipped", what, n_bad);
	else if (rc)
		mpidbg_problem(d, "%s: %s", what, why);
	if (n_bad && rc)
		mpidbg_problem(d, "%s: ended early: %s", what, acc_rc_text(rc));
	acc_note_clear(note);
}

void mpidbg_write_problems(struct mpidbg_description *d)
{
	char more[64];

	out_problems_begin(&d->o);
	for (unsigned i = 0; i < d->n_problems; i++)
		out_problem(&d->o, d->problems[i]);
	if (d->n_more_problems) {
		snprintf(more, sizeof(more), "%" PRIu64 " more problems", d->n_more_problems);
		out_problem(&d->o, more);
	}
	out_problems_end(&d->o);
}

/* ---- the process ------------------------------------------------------------------------------------ */

/* Facts from the MPI library's own memory, in addition to the registry or when there is none. */
static void add_own_rank(struct mpidbg_description *d, struct out_identity *ret)
{
	struct acc_note note = d->p->space.note, message = d->p->note;

	if (!mqs_state_update(d->p) && rd_library(d->p->reader)->world_rank.known == MDL_KNOWN) {
		ret->rank = rd_library(d->p->reader)->world_rank;
		if (rd_library(d->p->reader)->world_size.known == MDL_KNOWN)
			ret->world_size = rd_library(d->p->reader)->world_size;
		ret->rank_origin = NULL;
	}
	d->p->space.note = note; /* an unknown rank is not a failure */
	d->p->note = message;
}

struct out_identity mpidbg_identity(struct mpidbg_description *d)
{
	const struct mpidbg_options *o = &d->options;
	bool sized = o->has_rank && o->world_size > 0;
	struct out_identity ret = {
		.pid = o->pid,
		.host = o->host,
		.executable = o->executable,
		.core = o->core,
		.condition = o->condition,
		.rank = o->has_rank && o->rank >= 0 ? mdl_known(o->rank) : mdl_none(),
		.world_size = sized ? mdl_known(o->world_size) : mdl_none(),
		.rank_origin = "launcher",
	};

	if (d->what != MPIDBG_WHAT_COMMS && d->what != MPIDBG_WHAT_QUEUES && d->what != MPIDBG_WHAT_DOCTOR)
		add_own_rank(d, &ret);
	return ret;
}

/* ---- Python ----------------------------------------------------------------------------------------- */

void mpidbg_write_python(struct mpidbg_description *d, int64_t tid)
{
	const struct mpidbg_python_thread *t = mpidbg_python_of(&d->python, d->options.threads, tid);

	if (t)
		out_python(&d->o, t->frames, t->n, t->in_backtrace);
}

void mpidbg_write_no_python(struct mpidbg_description *d)
{
	if (!d->python.why[0])
		return;
	if (d->o.json)
		out_json_string(&d->o, "python_why", d->python.why);
	else
		out_remark(&d->o, "Python functions", d->python.why);
}

/* ---- one object --------------------------------------------------------------------------------------- */

void mpidbg_object_begin(struct mpidbg_description *d, enum mdl_handle_kind kind, const char *name, uint64_t handle)
{
	if (d->o.json) {
		out_json_object(&d->o, "handle");
		return;
	}
	out_line(&d->o, 1);
	out_text(&d->o, "%s ", out_handle_word(kind));
	if (name[0])
		out_name(&d->o, name, true);
	else
		out_text(&d->o, "0x%" PRIx64, handle);
}

void mpidbg_object_end(struct mpidbg_description *d)
{
	if (d->o.json)
		out_json_object_end(&d->o);
	else
		out_line_end(&d->o);
}
