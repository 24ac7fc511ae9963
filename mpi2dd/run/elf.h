/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file elf.h
 * The shared libraries that a program needs: the names in its ELF file, or the full list from the dynamic loader.
 */
#ifndef RUN_ELF_H
#define RUN_ELF_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

struct run_elf {
	int bits;                   /**< 32 or 64; 0: not an ELF file that can be executed or loaded */
	unsigned machine;           /**< EM_X86_64 ... of <elf.h> */
	char interpreter[PATH_MAX]; /**< path of the dynamic loader; "": none */
	char **names;               /**< sonames, as written in the file or listed
				     *   by the loader; owned by the structure */
	size_t n;
};

/**
 * Read DT_NEEDED and the program interpreter of a file. Never
 * fails: for a script, a missing or a damaged file, bits is 0.
 *
 * @param[out] ret release with run_elf_deinit()
 */
void run_elf_init(struct run_elf *ret, const char *path);

/**
 * Replace the names by all libraries that the dynamic loader would load, indirect dependencies included, with this
 * process's environment (LD_LIBRARY_PATH and so on). The program itself is not executed. Takes at most five seconds.
 *
 * @return true: done. false: the loader is not glibc's, or it did not answer; the names are unchanged.
 */
bool run_elf_ask_loader(struct run_elf *elf, const char *path);

/** Free what run_elf_init() allocated; the structure itself is the caller's. */
void run_elf_deinit(struct run_elf *elf);

#endif /* RUN_ELF_H */
