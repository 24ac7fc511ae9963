/* SPDX-License-Identifier: BSD-3-Clause */
#include "error.h"

#include "callbacks.h"

#include <stdio.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

/* mqs_dll_error_string() gets only a code, so the last failure is stored here. */
static int last_code;
static char last_text[ACC_NOTE_BYTES + 64];

int mqs_code(enum mqs_subject subject, enum acc_rc rc)
{
	static const int unread[MQS_N_SUBJECTS] = {
		[MQS_THE_LIBRARY] = err_failed_status,  [MQS_THE_COMM_LIST] = err_failed_commlist,
		[MQS_A_COMM] = err_failed_communicator, [MQS_A_GROUP] = err_failed_communicator,
		[MQS_SENDS] = err_mpid_sends,           [MQS_RECEIVES] = err_failed_rhandle,
		[MQS_UNEXPECTED] = err_unexpected,
	};
	static const int senseless[MQS_N_SUBJECTS] = {
		[MQS_THE_LIBRARY] = err_failed_status, [MQS_THE_COMM_LIST] = err_all_communicators,
		[MQS_A_COMM] = err_comm_first,         [MQS_A_GROUP] = err_group_corrupt,
		[MQS_SENDS] = err_db_shandle,          [MQS_RECEIVES] = err_posted,
		[MQS_UNEXPECTED] = err_failed_queue,
	};

	switch (rc) {
	case ACC_OK:
		return mqs_ok;
	case ACC_NONE:
		return mqs_no_information;
	case ACC_ENOMEM:
		return err_no_store;
	case ACC_ESYMBOL:
		return err_missing_symbol;
	case ACC_EFIELD:
	case ACC_EWITNESS:
		return err_missing_type;
	case ACC_EREAD:
		return unread[subject];
	case ACC_ECORRUPT:
	case ACC_ELIMIT:
		return senseless[subject];
	default:
		return err_bad_request;
	}
}

/* Text for a code without a recorded failure. NULL: not a code of this DLL. */
static const char *code_text(int code)
{
	switch (code) {
	case mqs_ok:
		return "ok";
	case mqs_no_information:
		return "no information";
	case mqs_end_of_list:
		return "end of list";
	case err_silent_failure:
		return "failed";
	case err_no_current_communicator:
		return "no current communicator: start with mqs_setup_communicator_iterator()";
	case err_bad_request:
		return "wrong argument, or the image or process is not set up";
	case err_no_store:
		return "the debugger has no memory for us";
	case err_missing_type:
		return "the layout of a type is not known: see mpidbg doctor";
	case err_missing_symbol:
		return "a symbol is missing";
	case err_failed_status:
		return "the state of the MPI library cannot be read";
	case err_failed_commlist:
		return "the communicators cannot be read";
	case err_all_communicators:
		return "the list of communicators makes no sense";
	case err_failed_communicator:
		return "a communicator cannot be read";
	case err_comm_first:
		return "a communicator makes no sense";
	case err_group_corrupt:
		return "a group makes no sense";
	case err_mpid_sends:
		return "the pending sends cannot be read";
	case err_db_shandle:
		return "the pending sends make no sense";
	case err_failed_rhandle:
		return "the pending receives cannot be read";
	case err_posted:
		return "the pending receives make no sense";
	case err_unexpected:
		return "the unexpected messages cannot be read";
	case err_failed_queue:
		return "the unexpected messages make no sense";
	default:
		return NULL;
	}
}

int mqs_error(int code, const struct _mqs_process_info *p, const char *text)
{
	if (code == mqs_ok)
		return code;
	if (p && p->note.rc)
		text = p->note.text;
	if (!text)
		text = code_text(code);
	last_code = code;
	snprintf(last_text, sizeof(last_text), "%s", text ? text : "failed");
	return code;
}

int mqs_error_rc(struct _mqs_process_info *p, enum mqs_subject subject, enum acc_rc rc)
{
	return mqs_error(mqs_code(subject, rc), p, NULL);
}

char *mqs_dll_error_string(int code)
{
	static char unknown[64];

	if (code != mqs_ok && code == last_code && last_text[0])
		return last_text;

	const char *text = code_text(code);
	if (text)
		return (char *)text;
	/* codes of the debugger: it has its own text for them */
	snprintf(unknown, sizeof(unknown), "unknown error code %d", code);
	return unknown;
}
