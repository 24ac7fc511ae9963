/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The process table of a launcher as an array.
 */
#include "code.h"

#include "../mqs/callbacks.h"
#include "../readers/jobs/proctable.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

/* Total size of the strings of the table, with their NULs. */
static enum acc_rc measure(struct acc_space *sp, uint64_t *n, uint64_t *string_bytes)
{
	struct rd_proctable table;
	struct rd_proc proc;
	enum acc_rc rc = rd_jobs_proctable(sp, &table);

	if (rc)
		return rc;
	*n = table.n;
	*string_bytes = 0;
	while (rd_jobs_proctable_next(&table, &proc) == ACC_OK)
		*string_bytes += strlen(proc.host) + strlen(proc.executable) + 2;
	return ACC_OK;
}

/* Append a string; "" if there is no space, because the table has changed since it was measured. */
static const char *append_text(char **at, const char *end, const char *text)
{
	size_t bytes = strlen(text) + 1;

	if ((size_t)(end - *at) < bytes)
		return "";
	memcpy(*at, text, bytes);
	*at += bytes;
	return *at - bytes;
}

static enum acc_rc fill(struct acc_space *sp, struct mpidbg_proc *ret, uint64_t n, uint64_t string_bytes,
			uint64_t *n_ret)
{
	struct rd_proctable table;
	struct rd_proc proc;
	char *at = (char *)(ret + n), *end = at + string_bytes;
	enum acc_rc rc = rd_jobs_proctable(sp, &table);

	if (rc)
		return rc;
	for (*n_ret = 0; *n_ret < n && rd_jobs_proctable_next(&table, &proc) == ACC_OK; ++*n_ret) {
		ret[*n_ret] = (struct mpidbg_proc){ .rank = proc.rank, .pid = proc.pid };
		ret[*n_ret].host = append_text(&at, end, proc.host);
		ret[*n_ret].executable = append_text(&at, end, proc.executable);
	}
	return ACC_OK;
}

static enum acc_rc get(struct _mqs_process_info *p, struct mpidbg_proc **ret, size_t *n_ret)
{
	uint64_t n, n_filled, string_bytes, bytes;
	enum acc_rc rc = measure(&p->space, &n, &string_bytes);

	if (rc)
		return rc;
	if (__builtin_mul_overflow(n, sizeof(**ret), &bytes) || __builtin_add_overflow(bytes, string_bytes, &bytes) ||
	    bytes > SIZE_MAX)
		return ACC_ENOMEM;

	struct mpidbg_proc *procs = mqs_callbacks_alloc((size_t)bytes);
	if (!procs)
		return ACC_ENOMEM;
	rc = fill(&p->space, procs, n, string_bytes, &n_filled);
	if (rc) {
		mqs_callbacks_release(procs);
		return rc;
	}
	*ret = procs;
	*n_ret = (size_t)n_filled;
	return ACC_OK;
}

int mpidbg_get_proctable(mqs_process *process, struct mpidbg_proc **ret, size_t *n_ret)
{
	struct _mqs_process_info *p = mqs_state_process(process);

	if (!p || !ret || !n_ret)
		return MPIDBG_ERR_OUT_OF_RANGE;
	mqs_state_begin(p);

	enum acc_rc rc = mqs_state_space(p);
	if (rc)
		return MPIDBG_ERR_UNAVAILABLE;
	acc_space_begin(&p->space);
	rc = get(p, ret, n_ret);
	acc_space_end(&p->space);
	if (rc)
		mqs_state_fail(p, rc, rc == ACC_NONE ? "no MPIR_proctable, or an empty one" : "MPIR_proctable");
	return mpidbg_code(rc);
}
