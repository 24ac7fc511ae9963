/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file plain_text.h
 * Checks whether bytes are text. The interface says ASCII; UTF-8 is accepted because paths contain it.
 */
#ifndef RD_JOBS_PLAIN_TEXT_H
#define RD_JOBS_PLAIN_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/**
 * @param n     number of bytes, none of which is NUL
 * @param lines accept tabs and newlines
 * @return false: it contains a control character, or bytes above 127 that are not UTF-8
 */
bool rd_plain_text(const char *text, size_t n, bool lines);

#endif /* RD_JOBS_PLAIN_TEXT_H */
