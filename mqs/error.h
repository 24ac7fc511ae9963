/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file error.h
 * Converts failures of the reader to codes of the interface and to the text of mqs_dll_error_string().
 */
#ifndef MQS_ERROR_H
#define MQS_ERROR_H

#include "../access/rc.h"
#include "state.h"

/** The object that was being read; selects the codes for "cannot be read" and "is invalid". */
enum mqs_subject {
	MQS_THE_LIBRARY,
	MQS_THE_COMM_LIST,
	MQS_A_COMM,
	MQS_A_GROUP,
	MQS_SENDS,
	MQS_RECEIVES,
	MQS_UNEXPECTED,
	MQS_N_SUBJECTS
};

/**
 * The code for a result. ACC_NONE has no code of its own: the caller handles it first.
 *
 *     ACC_OK                      mqs_ok
 *     ACC_NONE                    mqs_no_information
 *     ACC_ENOMEM                  err_no_store
 *     ACC_ESYMBOL                 err_missing_symbol
 *     ACC_EFIELD, ACC_EWITNESS    err_missing_type
 *     ACC_EINVAL                  err_bad_request
 *     ACC_EREAD                   library err_failed_status, communicator list err_failed_commlist, communicator and
 *                                 group err_failed_communicator, sends err_mpid_sends, receives err_failed_rhandle,
 *                                 unexpected messages err_unexpected
 *     ACC_ECORRUPT, ACC_ELIMIT    library err_failed_status, communicator list err_all_communicators, communicator
 *                                 err_comm_first, group err_group_corrupt, sends err_db_shandle, receives err_posted,
 *                                 unexpected messages err_failed_queue
 */
int mqs_code(enum mqs_subject subject, enum acc_rc rc);

/**
 * Store the text that mqs_dll_error_string() will return for @p
 * code, because the interface requests it without a process.
 *
 * @param p NULL: only @p text
 * @param text used if p->note is empty; NULL: the default text of the code
 * @return @p code
 */
int mqs_error(int code, const struct _mqs_process_info *p, const char *text);

/** mqs_code() and mqs_error() in one. */
int mqs_error_rc(struct _mqs_process_info *p, enum mqs_subject subject, enum acc_rc rc);

#endif /* MQS_ERROR_H */
