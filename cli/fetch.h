/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file fetch.h
 * Option --debuginfod: debug information of the application, before any process is stopped.
 */
#ifndef CMD_FETCH_H
#define CMD_FETCH_H

#include "job.h"

/** Fetch it for the processes of the job that are here, or its cores. A failure is among the problems of the job. */
void cmd_fetch_debug_files(const struct cmd_options *o, struct cmd_job *job);

#endif /* CMD_FETCH_H */
