/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file stack.h
 * The stack of a process's first thread, found without registers, which the message queue interface does not provide.
 */
#ifndef MQS_STACK_H
#define MQS_STACK_H

#include "../readers/reader.h"

/**
 * Find the used part of the first thread's stack: from its start according to glibc (__libc_stack_end, in ld.so)
 * down to the first unreadable page, at most 256 KiB. Failures are not noted.
 *
 * @param[out] ret hi 0: not found (another libc, or a program that is linked statically without this symbol)
 */
void mqs_stack_find(struct acc_space *sp, struct rd_stack *ret);

#endif /* MQS_STACK_H */
