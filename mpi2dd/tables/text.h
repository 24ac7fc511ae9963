/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file text.h
 * Builds strings in buffers of the caller, without stdio and without allocation.
 */
#ifndef M2D_TEXT_H
#define M2D_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * Append a string; @p size is the size of the buffer. Text that does not fit is cut off. @return false: it was cut off.
 */
bool m2d_text_add(char *text, size_t size, const char *more);

/** Append a decimal number. @return false: it was cut off. */
bool m2d_text_add_number(char *text, size_t size, int64_t value);

/** Append a number as 16 hexadecimal digits. @return false: it was cut off. */
bool m2d_text_add_hexadecimal(char *text, size_t size, uint64_t value);

#endif /* M2D_TEXT_H */
