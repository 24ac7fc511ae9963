/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file deadlock.h
 * The judgement of a snapshot.
 */
#ifndef CMD_DEADLOCK_H
#define CMD_DEADLOCK_H

#include "../verdict/verdict.h"
#include "say.h"

/**
 * Load a snapshot.
 *
 * @param[out] ret all zero before; vd_job_deinit() frees it, also on failure
 * @param problems gets a line for each process that is left out
 * @return false without memory
 */
bool cmd_deadlock_load(const json_t *snapshot, struct vd_job *ret, struct cmd_lines *problems);

#endif /* CMD_DEADLOCK_H */
