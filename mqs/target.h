/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file target.h
 * The debugger's callbacks as the operations of an acc_space.
 */
#ifndef MQS_TARGET_H
#define MQS_TARGET_H

#include "../access/space.h"
#include "state.h"

/** The operations; their ctx is the struct _mqs_process_info. */
extern const struct acc_target_ops mqs_target_ops;

/**
 * Set up the process's space: sizes of the basic types come from the debugger, the byte order from its conversion
 * of known bytes.
 *
 * @return ACC_OK; ACC_EINVAL, noted in the space: the sizes or the conversion are invalid.
 */
enum acc_rc mqs_target_space(struct _mqs_process_info *p, struct acc_space *ret);

#endif /* MQS_TARGET_H */
