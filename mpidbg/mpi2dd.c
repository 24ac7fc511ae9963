/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The contents of MPI2DD_info, and its tables as arrays.
 */
#include "array.h"
#include "code.h"

#include "../access/limits.h"
#include "../mqs/callbacks.h"
#include "../readers/jobs/place_table.h"
#include "../readers/jobs/world_table.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

static const char no_info[] = "this process has no MPI2DD_info: it does not carry an MPI2DD library";

/* ---- MPI2DD_info ------------------------------------------------------------------------------------ */

static void fill(struct mpidbg_mpi2dd *ret, const struct rd_mpi2dd *info, const char *const strings[])
{
	*ret = (struct mpidbg_mpi2dd){
		.version = (int)info->version,
		.variant = (int)info->variant,
		.debug_state = (int)info->debug_state,
		.debugger_flags = info->debugger_flags,
		.mpi_flags = info->mpi_flags,
		.dll_name_32 = strings[RD_MPI2DD_DLL_32],
		.dll_name_64 = strings[RD_MPI2DD_DLL_64],
		.meta_host = strings[RD_MPI2DD_META_HOST],
		.meta_executable = strings[RD_MPI2DD_META_EXECUTABLE],
		.meta_pid = info->meta_pid,
		.abort_string = strings[RD_MPI2DD_ABORT],
		.n_procs = (uint64_t)info->tables[RD_MPI2DD_PROCS].n,
		.n_directories = (uint64_t)info->tables[RD_MPI2DD_DIRECTORIES].n,
		.n_metadirectories = (uint64_t)info->tables[RD_MPI2DD_METADIRECTORIES].n,
		.info_addr = info->addr,
		.registry_addr = info->registry_addr,
	};
}

/* The strings are read directly into their final place, because they are few and short. */
static enum acc_rc get_info(struct acc_space *sp, struct mpidbg_mpi2dd **ret)
{
	enum { ROOM = ACC_STRING_MAX + 1 };
	const char *strings[RD_MPI2DD_N_TEXTS] = { NULL };
	struct rd_mpi2dd info;
	enum acc_rc rc = rd_jobs_mpi2dd(sp, &info);

	if (!rc)
		rc = rd_jobs_mpi2dd_check(sp, &info);
	if (rc)
		return rc;

	struct mpidbg_mpi2dd *m = mqs_callbacks_alloc(sizeof(*m) + (size_t)RD_MPI2DD_N_TEXTS * ROOM);
	if (!m)
		return ACC_ENOMEM;
	for (int i = 0; i < RD_MPI2DD_N_TEXTS && (!rc || rc == ACC_NONE); i++) {
		char *at = (char *)(m + 1) + i * ROOM;

		rc = rd_jobs_mpi2dd_text(sp, &info, (enum rd_mpi2dd_text)i, at, ROOM);
		strings[i] = rc ? NULL : at;
	}
	if (rc && rc != ACC_NONE) {
		mqs_callbacks_release(m);
		return rc;
	}
	fill(m, &info, strings);
	*ret = m;
	return ACC_OK;
}

/* ---- tables ----------------------------------------------------------------------------------------- */

static enum acc_rc get_procs(struct acc_space *sp, struct mpidbg_world_proc **ret, size_t *n_ret, size_t *n_bad)
{
	static const size_t strings[] = {
		offsetof(struct mpidbg_world_proc, host),
		offsetof(struct mpidbg_world_proc, executable),
		offsetof(struct mpidbg_world_proc, world),
		offsetof(struct mpidbg_world_proc, parent_world),
	};
	struct mpidbg_array array = { .entry_bytes = sizeof(**ret), .strings = strings };
	struct rd_world_table table;
	struct rd_mpi2dd info;
	enum acc_rc rc = rd_jobs_mpi2dd(sp, &info);

	if (!rc)
		rc = rd_world_table(sp, &info, &table);
	if (rc)
		return rc;
	array.n = (size_t)table.records.n;
	array.n_strings = sizeof(strings) / sizeof(strings[0]);
	while (!(rc = rd_world_table_block(&table))) {
		size_t n = table.records.n_block;
		const char *from = table.texts.text, *text;
		struct mpidbg_world_proc *procs = mpidbg_array_add(&array, n, from, table.texts.n_text, &text);

		if (!procs) {
			rc = ACC_ENOMEM;
			break;
		}
		for (size_t k = 0; k < n; k++) {
			struct rd_world_proc p;

			rd_world_table_at(&table, k, &p);
			procs[k] = (struct mpidbg_world_proc){
				.rank = p.rank,
				.pid = p.pid,
				.host = text + (p.host - from),
				.executable = text + (p.executable - from),
				.world = text + (p.world - from),
				.parent_world = p.parent_world ? text + (p.parent_world - from) : NULL,
				.parent_rank = p.parent_rank,
				.sequence = p.sequence,
			};
		}
	}

	size_t bad = (size_t)table.n_bad;
	rd_world_table_end(&table);
	if (rc != ACC_NONE) {
		mpidbg_array_free(&array);
		return rc;
	}
	*ret = (void *)array.bytes;
	*n_ret = array.n_filled;
	if (n_bad)
		*n_bad = bad;
	return ACC_OK;
}

static enum acc_rc get_places(struct acc_space *sp, enum rd_mpi2dd_table which, struct mpidbg_place **ret,
			      size_t *n_ret, size_t *n_bad)
{
	static const size_t strings[] = { offsetof(struct mpidbg_place, host),
					  offsetof(struct mpidbg_place, executable) };
	struct mpidbg_array array = { .entry_bytes = sizeof(**ret), .strings = strings };
	struct rd_place_table table;
	struct rd_mpi2dd info;
	enum acc_rc rc = rd_jobs_mpi2dd(sp, &info);

	if (!rc)
		rc = rd_place_table(sp, &info, which, &table);
	if (rc)
		return rc;
	array.n = (size_t)table.records.n;
	array.n_strings = sizeof(strings) / sizeof(strings[0]);
	while (!(rc = rd_place_table_block(&table))) {
		size_t n = table.records.n_block;
		const char *from = table.texts.text, *text;
		struct mpidbg_place *places = mpidbg_array_add(&array, n, from, table.texts.n_text, &text);

		if (!places) {
			rc = ACC_ENOMEM;
			break;
		}
		for (size_t k = 0; k < n; k++) {
			struct rd_place p;

			rd_place_table_at(&table, k, &p);
			places[k] = (struct mpidbg_place){
				.pid = p.pid,
				.host = text + (p.host - from),
				.executable = text + (p.executable - from),
			};
		}
	}

	size_t bad = (size_t)table.n_bad;
	rd_place_table_end(&table);
	if (rc != ACC_NONE) {
		mpidbg_array_free(&array);
		return rc;
	}
	*ret = (void *)array.bytes;
	*n_ret = array.n_filled;
	if (n_bad)
		*n_bad = bad;
	return ACC_OK;
}

/* ---- entry points ----------------------------------------------------------------------------------- */

static enum acc_rc begin_mpi2dd(struct _mqs_process_info *p)
{
	mqs_state_begin(p);
	/* invalid type sizes from the debugger: nothing can be read, but the caller made no error */
	if (mqs_state_space(p))
		return ACC_EREAD;
	acc_space_begin(&p->space);
	return ACC_OK;
}

static int end(struct _mqs_process_info *p, enum acc_rc rc, const char *absent)
{
	uint64_t addr;
	bool there = rc == ACC_NONE && acc_symbol(&p->space, "MPI2DD_info", &addr) == ACC_OK;

	acc_space_end(&p->space);
	if (rc)
		mqs_state_fail(p, rc, rc != ACC_NONE ? "MPI2DD_info" : there ? absent : no_info);
	return mpidbg_code(rc);
}

int mpidbg_get_mpi2dd(mqs_process *process, struct mpidbg_mpi2dd **ret)
{
	struct _mqs_process_info *p = mqs_state_process(process);

	if (!p || !ret)
		return MPIDBG_ERR_OUT_OF_RANGE;
	if (begin_mpi2dd(p))
		return MPIDBG_ERR_UNAVAILABLE;
	return end(p, get_info(&p->space, ret), no_info);
}

int mpidbg_get_world_procs(mqs_process *process, struct mpidbg_world_proc **ret, size_t *n_ret, size_t *n_bad)
{
	struct _mqs_process_info *p = mqs_state_process(process);

	if (!p || !ret || !n_ret)
		return MPIDBG_ERR_OUT_OF_RANGE;
	if (begin_mpi2dd(p))
		return MPIDBG_ERR_UNAVAILABLE;
	return end(p, get_procs(&p->space, ret, n_ret, n_bad), "this process has no process table: it is no directory");
}

int mpidbg_get_places(mqs_process *process, int table, struct mpidbg_place **ret, size_t *n_ret, size_t *n_bad)
{
	struct _mqs_process_info *p = mqs_state_process(process);
	bool meta = table == MPIDBG_TABLE_METADIRECTORIES;

	if (!p || !ret || !n_ret || (!meta && table != MPIDBG_TABLE_DIRECTORIES))
		return MPIDBG_ERR_OUT_OF_RANGE;
	if (begin_mpi2dd(p))
		return MPIDBG_ERR_UNAVAILABLE;
	return end(p,
		   get_places(&p->space, meta ? RD_MPI2DD_METADIRECTORIES : RD_MPI2DD_DIRECTORIES, ret, n_ret, n_bad),
		   meta ? "this process has no table of other metadirectories"
			: "this process has no table of other directories");
}
