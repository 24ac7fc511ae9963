/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file operation.h
 * Converts an operation to the form of the interface.
 */
#ifndef MQS_OPERATION_H
#define MQS_OPERATION_H

#include "../model/operation.h"
#include "export.h"

/**
 * Convert.
 *
 * A fact that is unavailable becomes -1 (ranks) or 0 (the rest) and a line of extra_text that says so. The lines: what
 * it is; elements and datatype; the request's handles; protocol and what it has matched; what is unavailable. A line
 * without content is left out, so that the next ones move up.
 *
 * @param[out] ret filled completely
 */
void mqs_operation(const struct mdl_op *op, mqs_pending_operation *ret);

#endif /* MQS_OPERATION_H */
