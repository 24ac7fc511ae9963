/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file pack_find.h
 * All layout packs of this installation: the compiled-in ones and files.
 *
 * Files *.layout are looked for in the folders of $MPIDBG_LAYOUTS (separated by colons) and in
 * MPIDBG_PREFIX/share/mpidbg/layouts. A file replaces the compiled-in pack of the same base name; of two files
 * with the same name the first one is used.
 */
#ifndef ACC_PACK_FIND_H
#define ACC_PACK_FIND_H

#include "pack.h"

/**
 * Maximum number of pack files read in addition to the compiled-in packs. Each has at most ACC_PACK_BYTES_MAX bytes.
 */
enum { ACC_PACK_FILES_MAX = 64 };

/** Size of the origin of a pack, with its NUL; longer paths are cut off at the beginning. */
enum { ACC_PACK_ORIGIN_BYTES = 256 };

struct acc_pack_list {
	const struct acc_pack **packs;        /**< n of them; files first, then the compiled-in ones */
	char (*files)[ACC_PACK_ORIGIN_BYTES]; /**< path of each, or "builtin:NAME" */
	size_t n;
	size_t n_parsed;  /**< the first ones, from files, which this list owns */
	size_t n_skipped; /**< files that are not valid packs; the first is noted */
};

/**
 * Load every pack.
 *
 * @param[out] note the first pack that was skipped, and why ("/etc/x.layout: line 3: unknown keyword").
 * @param[out] ret  the caller's, acc_pack_list_destroy(). Untouched on failure.
 * @return ACC_OK, also with packs skipped or none found; ACC_ENOMEM.
 * Reads files and the environment, no target. Not for mpi2dd/.
 */
enum acc_rc acc_pack_list_load(const struct acc_pack_alloc *alloc, struct acc_note *note, struct acc_pack_list *ret);

/** Release. Takes NULL and an all-zero list, which it leaves behind. */
void acc_pack_list_destroy(const struct acc_pack_alloc *alloc, struct acc_pack_list *list);

#endif /* ACC_PACK_FIND_H */
