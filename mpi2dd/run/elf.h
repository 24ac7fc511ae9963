/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file elf.h
 * What a program needs: the names in its ELF file, and those that the loader would add.
 */
#ifndef RUN_ELF_H
#define RUN_ELF_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

struct run_elf {
	int bits;                   /**< 32 or 64; 0: no ELF file that can be executed or loaded */
	char interpreter[PATH_MAX]; /**< its loader; "": none */
	char **names;               /**< sonames, as they stand in the file or as the loader says them */
	size_t n;
};

/**
 * Read DT_NEEDED and the interpreter of a file. Never fails: a script, a missing or damaged file has bits 0.
 *
 * @param[out] ret run_elf_deinit()
 */
void run_elf_init(struct run_elf *ret, const char *path);

/**
 * Replace the names by all libraries that the loader would take, with those that libraries need, as the environment
 * of this process makes it look for them. The program does not run. Bounded in time.
 *
 * @return true: done. false: no loader that can be asked, or it did not answer; the names stay.
 */
bool run_elf_ask_loader(struct run_elf *elf, const char *path);

/** Release. */
void run_elf_deinit(struct run_elf *elf);

#endif /* RUN_ELF_H */
