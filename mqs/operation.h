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
 * An unavailable fact becomes -1 (ranks) or 0 (others), with a line of extra_text that says so. The lines: kind of
 * operation; elements and datatype; handles of the request; protocol and matched message; unavailable facts. Empty
 * lines are omitted.
 *
 * @param[out] ret filled completely
 */
void mqs_operation(const struct mdl_op *op, mqs_pending_operation *ret);

#endif /* MQS_OPERATION_H */
