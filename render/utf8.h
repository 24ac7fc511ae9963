/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file utf8.h
 * Names come from the target: any bytes. Here they are told apart.
 */
#ifndef OUT_UTF8_H
#define OUT_UTF8_H

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
unsigned out_utf8_next(const char *text, uint32_t *ret);

/** May a terminal be shown this character? Not controls, line separators or what changes the direction of text. */
bool out_utf8_shown(uint32_t c);

/**
 * Copy a text that came from the target: what is no UTF-8 or must not be shown becomes '?'.
 *
 * @param ret  always terminated; cut between characters to @p size - 1 bytes
 * @param size 1 or more
 */
void out_clean(char *ret, size_t size, const char *text);

#endif /* OUT_UTF8_H */
