/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file plain_text.h
 * Are these bytes text? The interface says ASCII; UTF-8 is let pass, because paths have it.
 */
#ifndef RD_JOBS_PLAIN_TEXT_H
#define RD_JOBS_PLAIN_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/**
 * @param n     bytes, none of them NUL
 * @param lines tabs and ends of lines are text, too
 * @return false: a control character, or bytes above 127 that are no UTF-8
 */
bool rd_plain_text(const char *text, size_t n, bool lines);

#endif /* RD_JOBS_PLAIN_TEXT_H */
