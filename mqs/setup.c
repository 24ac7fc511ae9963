/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Entry points that set up and release images, processes and jobs, and report whether there are queues.
 */
#include "callbacks.h"
#include "error.h"
#include "state.h"

#include <stdio.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

void mqs_setup_basic_callbacks(const mqs_basic_callbacks *callbacks)
{
	mqs_callbacks_set(callbacks);
}

/* ---- images ----------------------------------------------------------------------------------------- */

int mqs_setup_image(mqs_image *image, const mqs_image_callbacks *callbacks)
{
	return mqs_error(mqs_code(MQS_THE_LIBRARY, mqs_state_image_setup(MQS_FACE_QUEUES, image, callbacks)), NULL,
			 NULL);
}

int mqs_image_has_queues(mqs_image *image, char **message)
{
	if (message)
		*message = NULL;
	if (!mqs_state_image(image))
		return mqs_error(err_bad_request, NULL, NULL);
	/* MPI is usually a shared library, so its symbols need not exist before the process runs */
	return mqs_ok;
}

void mqs_destroy_image_info(mqs_image_info *info)
{
	mqs_state_image_release(MQS_FACE_QUEUES, info);
}

/* ---- processes -------------------------------------------------------------------------------------- */

int mqs_setup_process(mqs_process *process, const mqs_process_callbacks *callbacks)
{
	return mqs_error(mqs_code(MQS_THE_LIBRARY, mqs_state_process_setup(MQS_FACE_QUEUES, process, callbacks)), NULL,
			 NULL);
}

void mqs_destroy_process_info(mqs_process_info *info)
{
	mqs_state_process_release(MQS_FACE_QUEUES, info);
}

/* Text for a state without communicators; NULL: there are some. */
static const char *why_none(enum mdl_library_state state)
{
	switch (state) {
	case MDL_INITIALIZED:
	case MDL_FINALIZING:
		return NULL;
	case MDL_BEFORE_INIT:
		return "MPI is not initialised yet: there are no communicators";
	case MDL_FINALIZED:
		return "MPI has been finalised: there are no communicators any more";
	default:
		return "it cannot be told whether MPI is initialised";
	}
}

int mqs_process_has_queues(mqs_process *process, char **message)
{
	struct _mqs_process_info *p = mqs_state_process(process);

	if (message)
		*message = NULL;
	if (!p)
		return mqs_error(err_bad_request, NULL, NULL);
	mqs_state_begin(p);

	enum acc_rc rc = mqs_state_update(p);
	const char *why = rc ? p->note.text : why_none(rd_library(p->reader)->state);
	if (!why)
		return mqs_ok;
	snprintf(p->message, sizeof(p->message), "message queues: %s", why);
	if (message)
		*message = p->message;
	if (rc)
		return mqs_error_rc(p, MQS_THE_LIBRARY, rc);
	return mqs_error(mqs_no_information, NULL, why);
}

int mqs_get_global_rank(mqs_process *process)
{
	struct _mqs_process_info *p = mqs_state_process(process);

	if (!p)
		return MQS_INVALID_PROCESS;
	mqs_state_begin(p);
	if (mqs_state_open(p)) {
		mqs_error(MQS_INVALID_PROCESS, p, NULL);
		return MQS_INVALID_PROCESS;
	}

	struct mdl_num rank = rd_library(p->reader)->world_rank;
	return rank.known == MDL_KNOWN && rank.value >= 0 && rank.value <= INT32_MAX ? (int)rank.value
										     : MQS_INVALID_PROCESS;
}
