/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The process table of a launcher in words.
 */
#include "describe.h"

#include "code.h"

#include "../readers/jobs/proctable.h"
#include "../render/json.h"
#include "../render/process.h"
#include "../render/text.h"

#include <inttypes.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum { COL_PID = 8, COL_HOST = 18, COL_EXECUTABLE = 38 };

static void write_proc(struct out *o, const struct rd_proc *proc)
{
	struct mdl_num pid = proc->pid > 0 ? mdl_known(proc->pid) : mdl_unavailable("makes no sense in the table");

	if (o->json) {
		out_json_object(o, NULL);
		out_json_int(o, "rank", proc->rank);
		out_json_num(o, "pid", pid);
		out_json_string(o, "host", proc->host);
		out_json_string(o, "executable", proc->executable);
		out_json_object_end(o);
		return;
	}
	out_line(o, 0);
	out_text(o, "%" PRId64, proc->rank);
	out_column(o, COL_PID);
	out_num(o, pid);
	out_column(o, COL_HOST);
	out_name(o, proc->host, true);
	out_column(o, COL_EXECUTABLE);
	out_name(o, proc->executable, true);
	out_line_end(o);
}

static void write_head(struct out *o)
{
	if (o->json) {
		out_json_object(o, NULL);
		out_json_array(o, "processes");
		return;
	}
	out_line(o, 0);
	out_text(o, "rank");
	out_column(o, COL_PID);
	out_text(o, "pid");
	out_column(o, COL_HOST);
	out_text(o, "host");
	out_column(o, COL_EXECUTABLE);
	out_text(o, "executable");
	out_line_end(o);
}

int mpidbg_describe_procs(struct mpidbg_description *d)
{
	struct rd_proctable table;
	struct rd_proc proc;
	enum acc_rc rc = rd_jobs_proctable(&d->p->space, &table);

	if (rc == ACC_NONE) {
		mqs_state_fail(d->p, rc, "no MPIR_proctable, or an empty one");
		return MPIDBG_ERR_NOT_FOUND;
	}
	write_head(&d->o);
	if (!rc) {
		while (!d->o.failed && rd_jobs_proctable_next(&table, &proc) == ACC_OK)
			write_proc(&d->o, &proc);
	}
	if (d->o.json)
		out_json_array_end(&d->o);
	mpidbg_problem_walk(d, rc, rc ? 0 : table.n_bad, "MPIR_proctable");
	mpidbg_write_problems(d);
	if (d->o.json)
		out_json_object_end(&d->o);
	return mpidbg_code(rc);
}
