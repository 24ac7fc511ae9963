/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file quote.h
 * Text from a target may contain any bytes, including control sequences for a terminal. All text written for users or
 * as JSON, by the plugin and by the command alike, passes through one of these.
 */
#ifndef ACC_QUOTE_H
#define ACC_QUOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * Decode the next character.
 *
 * @param text NUL-terminated, not at its end
 * @param[out] ret the code point; of bytes that are no UTF-8, the first byte
 * @return bytes that it takes, 1 to 4; 0: the first byte starts no character (overlong, surrogate, cut, stray)
 */
unsigned acc_utf8_next(const char *text, uint32_t *ret);

/**
 * May this character be written to a terminal? Not control characters, line separators, or characters that change the
 * direction of text.
 */
bool acc_utf8_shown(uint32_t c);

/**
 * Copy a text that came from the target: bytes that are not UTF-8 or must not be shown become '?'.
 *
 * @param ret  always terminated; cut between characters to @p size - 1 bytes
 * @param size 1 or more
 */
void acc_clean(char *ret, size_t size, const char *text);

/** Bytes of the longest piece of acc_quote_next(), with its NUL: "\u{10ffff}". */
enum { ACC_QUOTE_BYTES = 12 };

/**
 * The next character of a text, as a terminal may be shown it: itself, or \xNN of a byte, \u{NNNN} of a character.
 *
 * @param text NUL-terminated, not at its end
 * @return number of bytes of @p text that it represents, 1 to 4
 */
unsigned acc_quote_next(const char *text, char ret[ACC_QUOTE_BYTES]);

/** The same of a whole text. @param ret always terminated;
 * cut between pieces to @p size - 1 bytes. @return its length */
size_t acc_quote(char *ret, size_t size, const char *text);

#endif /* ACC_QUOTE_H */
