/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Entry points for MPI-2: jobs, and processes listed by a process.
 */
#include "error.h"
#include "new_process.h"
#include "state.h"

#include <inttypes.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

/* ---- jobs ------------------------------------------------------------------------------------------- */

/* At level 2 of the interface a debugger has no slot for a job. */
int mqs_setup_job(mqs_job *job, const mqs_job_callbacks *callbacks)
{
	if (!job || !callbacks || !callbacks->mqs_get_process_fp)
		return mqs_error(err_bad_request, NULL, "mqs_setup_job: no job, or no function to get a process of it");
	return mqs_ok;
}

int mqs_destroy_job_info(mqs_job_info *info)
{
	(void)info;
	return mqs_ok;
}

int mqs_set_process_identity(mqs_process *process, int identity)
{
	if (!mqs_state_process(process))
		return mqs_error(err_bad_request, NULL, NULL);
	if (identity < 0)
		return mqs_error(err_bad_request, NULL, "mqs_set_process_identity: an identity is an index, 0 or more");
	return mqs_ok;
}

/* ---- processes -------------------------------------------------------------------------------------- */

int mqs_setup_new_process_iterator(mqs_process *process)
{
	static const char none[] = "no MPI2DD_info in this process, or it tells of no process (yet)";
	struct _mqs_process_info *p = mqs_state_process(process);

	if (!p)
		return mqs_error(err_bad_request, NULL, NULL);
	mqs_state_begin(p);
	mqs_state_end_new_processes(p);

	enum acc_rc rc = mqs_state_space(p);
	if (rc)
		return mqs_error_rc(p, MQS_THE_LIBRARY, rc);
	acc_space_begin(&p->space);
	rc = mqs_new_processes(&p->space, &p->new_processes);
	acc_space_end(&p->space);
	if (rc)
		return mqs_error_rc(p, MQS_THE_LIBRARY, mqs_state_fail(p, rc, rc == ACC_NONE ? none : "MPI2DD_info"));
	return mqs_ok;
}

/* The end of the iteration. Reports a failure if something was omitted. */
static int end_of_list(struct _mqs_process_info *p)
{
	struct acc_note first;
	uint64_t n_bad = mqs_new_processes_bad(p->new_processes, &first);

	mqs_state_end_new_processes(p);
	if (!n_bad)
		return mqs_end_of_list;
	acc_note(&p->note, first.rc, "processes: %" PRIu64 " left out, the first: %s", n_bad, first.text);
	return mqs_error_rc(p, MQS_THE_LIBRARY, first.rc);
}

int mqs_next_new_process(mqs_process *process, mqs_process_location *ret)
{
	struct _mqs_process_info *p = mqs_state_process(process);

	if (!p || !ret)
		return mqs_error(err_bad_request, NULL, NULL);
	if (!p->new_processes)
		return mqs_end_of_list;
	mqs_state_begin(p);
	acc_space_begin(&p->space);
	enum acc_rc rc = mqs_new_processes_next(p->new_processes, ret);
	acc_space_end(&p->space);
	if (rc == ACC_NONE)
		return end_of_list(p);
	if (rc) {
		mqs_state_end_new_processes(p);
		return mqs_error_rc(p, MQS_THE_LIBRARY, mqs_state_fail(p, rc, "the processes"));
	}
	return mqs_ok;
}
