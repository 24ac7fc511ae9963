/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file modules.h
 * The ELF files that a target has mapped: the executable, its shared objects, the vdso.
 *
 * The list is in ELF scope order: executable, then the order of the link map, then the others.
 * It lives as long as the target. A module whose file cannot be had (deleted, replaced, on another machine) is
 * listed too: then file is NULL, and elf is what could be read of it from memory, or NULL.
 */
#ifndef HOST_MODULES_H
#define HOST_MODULES_H

#include "host.h"

struct host_elf;
struct host_shared_file;

struct host_module {
	char *path;       /**< as the target names it: "/usr/lib/x86_64-linux-gnu/libmpi.so.40", "[vdso]" */
	char *file;       /**< what open() takes here: the path, or one through /proc/PID; NULL: no file that fits */
	uint64_t lo, hi;  /**< from the first mapped byte to behind the last */
	uint64_t bias;    /**< address in the target = address in the file + bias */
	bool executable;  /**< the program itself */
	bool from_memory; /**< elf was read from the target's memory: no section headers, no DWARF */
	struct host_elf *elf; /**< host/elf_file.h; borrowed from shared; NULL: unreadable */

	/* Private to modules.c and lookup.c. */
	struct host_shared_file *shared; /**< NULL: unreadable */
	bool kept;
	uint64_t header_lo; /**< where its ELF header is mapped; UINT64_MAX: nowhere */
	uint64_t dev, inode;
};

/**
 * Is it the in-target library, libmpi2dd-NAME.so? It has neither code of the user nor types of the MPI library, and its
 * debug information is large.
 */
bool host_module_is_mpi2dd(const struct host_module *m);

/**
 * May it be part of the application: the executable, or a library that is not of
 * the system, a compiler, MPI, or of what MPI is built on? Source lines are
 * looked up only for these, including libraries that a distribution has packaged.
 */
bool host_module_is_application(const struct host_module *m);

/** Look again for its separate debug file, if none was found. */
void host_module_forget_debug_file(struct host_module *m);

/** The i-th module in scope order, or NULL. */
struct host_module *host_module_at(struct host_target *t, size_t i);

/** The module that has @p addr mapped, or NULL. */
struct host_module *host_module_of(struct host_target *t, uint64_t addr);

/**
 * Path of the separate debug file, looked for on the first call: by build-id below /usr/lib/debug, then by debuglink
 * (checksum checked) next to the file, in .debug/ next to it, and below /usr/lib/debug. NULL: there is none.
 */
const char *host_module_debug_file(struct host_module *m);

/** Name of the function around @p addr, cut to @p size. @return false: not known, @p ret untouched. */
bool host_module_function(struct host_module *m, uint64_t addr, char *ret, size_t size);

/** The same, and how far from its start. */
bool host_module_function_offset(struct host_module *m, uint64_t addr, char *ret, size_t size, uint64_t *offset);

/** Name of the variable that contains @p addr, how far from its start that is, and its size. @return
 * false: not known. */
bool host_module_object(struct host_module *m, uint64_t addr, char *ret, size_t size, uint64_t *offset,
			uint64_t *bytes);

/** May the memory at an address be shared with other processes:
 * is it a mapped file that is no module, or unknown memory? */
bool host_may_be_shared(struct host_target *t, uint64_t addr);

#endif /* HOST_MODULES_H */
