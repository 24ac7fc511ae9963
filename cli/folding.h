/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file folding.h
 * Prints operations of one process that differ only in the peer as one line.
 */
#ifndef CMD_FOLDING_H
#define CMD_FOLDING_H

#include <stddef.h>
#include <stdio.h>

/**
 * Print the text of a process or of a group of ranks. Three or more consecutive operations that differ only in
 * their peer become one line: "unexpected from [1,3,5] tag 5 4 bytes eager (3 of them)".
 */
void cmd_fold_print(const char *text, size_t n, FILE *out);

#endif /* CMD_FOLDING_H */
