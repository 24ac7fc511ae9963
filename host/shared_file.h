/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file shared_file.h
 * ELF files shared by all open targets: mapped once, with their symbols indexed once.
 *
 * The ranks of a job map the same files. Files are identified by device, inode, size and time stamps, so a replaced
 * file of the same name is a different one. Some files that no target uses any more are kept for the next target, such
 * as the next core of a job. Not thread-safe.
 */
#ifndef HOST_SHARED_FILE_H
#define HOST_SHARED_FILE_H

#include "symbols.h"

#include <time.h>

struct host_shared_file {
	struct host_elf *elf;
	struct host_symbols *symbols; /**< .dynsym; NULL: there is none */

	/* Found on demand: host_module_full_symbols(), host_module_debug_file(). */
	struct host_symbols *full; /**< .symtab, of elf or of debug_elf */
	struct host_elf *debug_elf;
	char *debug_path;
	bool full_tried, debug_tried;
	bool no_types;      /**< neither elf nor debug_elf has DWARF */
	struct Elf *libelf; /**< for libdwfl: host_shared_file_libelf() */

	/* Private to shared_file.c. */
	struct host_shared_file *next;
	size_t n_users;
	bool from_memory;
	uint64_t dev, inode, bytes;
	struct timespec modified, changed;
};

/**
 * Open a regular file that is ELF; never a device.
 *
 * @param[out] ret released by host_shared_file_release(); unchanged on failure
 * @return 0; ENOEXEC: not a regular ELF file; else another errno.
 */
int host_shared_file_open(const char *path, struct host_shared_file **ret);

/**
 * The same for an image that was read from the memory of a
 * target; it is not shared, and its creator fills in the symbols.
 *
 * @param e taken over, also on failure; NULL: there is no image
 * @return NULL: no memory, or no image
 */
struct host_shared_file *host_shared_file_from_memory(struct host_elf *e);

/**
 * A descriptor of libelf for the file, mapped once for all targets.
 *
 * @return the caller releases it with elf_end(); NULL: no memory, or an image that is in no file
 */
struct Elf *host_shared_file_libelf(struct host_shared_file *f, const char *path);

/** Takes NULL. */
void host_shared_file_release(struct host_shared_file *f);

#endif /* HOST_SHARED_FILE_H */
