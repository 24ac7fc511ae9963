/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The processes of a job: from MPI2DD_info and its tables, or from a launcher's MPIR_proctable.
 */
#include "describe.h"

#include "code.h"
#include "describe_mpi2dd.h"

#include "../readers/jobs/proctable.h"
#include "../render/json.h"
#include "../render/process.h"
#include "../render/text.h"

#include <inttypes.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

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
	out_column(o, MPIDBG_COL_PID);
	out_num(o, pid);
	out_column(o, MPIDBG_COL_HOST);
	out_name(o, proc->host, true);
	out_column(o, MPIDBG_COL_EXECUTABLE);
	out_name(o, proc->executable, true);
	out_line_end(o);
}

static void write_head(struct out *o, bool worlds)
{
	if (o->json) {
		out_json_array(o, "processes");
		return;
	}
	out_line(o, 0);
	out_text(o, "rank");
	out_column(o, MPIDBG_COL_PID);
	out_text(o, "pid");
	out_column(o, MPIDBG_COL_HOST);
	out_text(o, "host");
	out_column(o, MPIDBG_COL_EXECUTABLE);
	out_text(o, "executable");
	if (worlds) {
		out_column(o, MPIDBG_COL_WORLD);
		out_text(o, "world");
	}
	out_line_end(o);
}

static void write_tail(struct out *o)
{
	if (o->json)
		out_json_array_end(o);
}

/* Describe MPIR_proctable. @return ACC_OK; ACC_NONE: none, and nothing is written; a failure, reported as a problem. */
static enum acc_rc write_mpir(struct mpidbg_description *d)
{
	struct rd_proctable table;
	struct rd_proc proc;
	enum acc_rc rc = rd_jobs_proctable(&d->p->space, &table);

	if (rc == ACC_NONE)
		return rc;
	write_head(&d->o, false);
	if (!rc) {
		while (!d->o.failed && rd_jobs_proctable_next(&table, &proc) == ACC_OK)
			write_proc(&d->o, &proc);
	}
	write_tail(&d->o);
	mpidbg_problem_walk(d, rc, rc ? 0 : table.n_bad, "MPIR_proctable");
	return rc;
}

/* Describe MPI2DD_info, and the launcher's own table if there is nothing else. */
static enum acc_rc write_mpi2dd(struct mpidbg_description *d, const struct rd_mpi2dd *info)
{
	bool has_procs = info->tables[RD_MPI2DD_PROCS].n;
	enum acc_rc rc = ACC_NONE;

	mpidbg_write_mpi2dd(d, info);
	if (!has_procs)
		rc = write_mpir(d);
	if (rc == ACC_NONE) {
		if (d->o.json || has_procs)
			write_head(&d->o, true);
		mpidbg_write_world_procs(d, info);
		write_tail(&d->o);
		rc = ACC_OK;
	}
	mpidbg_write_places(d, info, RD_MPI2DD_DIRECTORIES);
	mpidbg_write_places(d, info, RD_MPI2DD_METADIRECTORIES);
	return rc;
}

int mpidbg_describe_procs(struct mpidbg_description *d)
{
	struct acc_space *sp = &d->p->space;
	struct rd_proctable table;
	struct rd_mpi2dd info;
	enum acc_rc rc = rd_jobs_mpi2dd(sp, &info);

	if (rc == ACC_NONE && rd_jobs_proctable(sp, &table) == ACC_NONE) {
		mqs_state_fail(d->p, rc, "no MPI2DD_info, and no MPIR_proctable, or an empty one");
		return MPIDBG_ERR_NOT_FOUND;
	}
	if (d->o.json)
		out_json_object(&d->o, NULL);
	if (rc && rc != ACC_NONE)
		mpidbg_problem_walk(d, rc, 0, "MPI2DD");
	/* An invalid table does not hide the others. */
	enum acc_rc told = rc ? write_mpir(d) : write_mpi2dd(d, &info);
	mpidbg_write_problems(d);
	if (d->o.json)
		out_json_object_end(&d->o);
	return mpidbg_code(rc && rc != ACC_NONE ? rc : told);
}
