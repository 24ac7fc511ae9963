/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file target.h
 * The definition of struct host_target, only for the files of host/ that implement targets.
 */
#ifndef HOST_TARGET_H
#define HOST_TARGET_H

#include "host.h"
#include "maps.h"
#include "modules.h"

#include <limits.h>

struct host_live;
struct host_core;
struct host_stacks;

enum {
	HOST_REGS_BYTES = 1024, /**< general registers of one thread, as the kernel returns them */
	HOST_WARNINGS_MAX = 64
};

/** General registers of a thread. */
struct host_regs {
	uint8_t bytes[HOST_REGS_BYTES];
	size_t n; /**< 0: unknown */
};

struct host_target {
	pid_t pid;
	char *executable; /**< never NULL once open */
	char *core_path;
	unsigned word_bytes;
	bool big_endian;
	uint16_t machine;
	uint64_t page_bytes;
	bool prepared;       /**< of a live process: identity, mappings and modules have been read */
	unsigned long pages; /**< size of its address space when the mappings were read; 0: unknown */
	bool wants_threads;  /**< of a prepared one: host_threads() will be called */
	bool maps_hold;      /**< a live one: all its threads are stopped since its mappings were read */

	struct host_live *live; /**< exactly one of live and core is set */
	struct host_core *core;
	/** Copy memory, by the target's kind. @return number of bytes copied, from the start */
	size_t (*read)(struct host_target *t, uint64_t addr, size_t n, void *ret);

	struct host_maps maps;
	struct host_module **modules; /**< in scope order */
	size_t n_modules;
	unsigned generation; /**< counts the changes of that list */
	char *exe_override;  /**< -e, or NULL */
	char *sysroot;       /**< of a core: --sysroot, or NULL */

	uint8_t *auxv;
	size_t auxv_bytes;
	char *environ; /**< NAME=VALUE, NUL-separated, twice NUL at the end; NULL: unknown */
	size_t environ_bytes;
	bool environ_tried;

	char *warnings[HOST_WARNINGS_MAX];
	size_t n_warnings;
	bool truncated; /**< a core that is cut off; a warning says so */

	struct host_stacks *stacks;
};

/* ---- target.c; open.c opens, stops and closes targets ---- */

/** Add a warning, unless it is there already. Dropped silently when there are too many. */
void host_warn(struct host_target *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Where a file of the target is here: @p path, or below the folder of --sysroot. @return false: too long */
bool host_path_here(const struct host_target *t, const char *path, char ret[PATH_MAX]);

/** An entry of the auxiliary vector. @return false: not there. */
bool host_auxv(const struct host_target *t, uint64_t type, uint64_t *ret);

/** A pointer of the target. */
bool host_read_ptr(struct host_target *t, uint64_t addr, uint64_t *ret);

/* ---- modules.c ---- */

/**
 * Create t->modules from t->maps, or update them: modules that are still mapped are kept, with everything found out
 * about them. Reads the target's link map; sets t->executable if it is unknown.
 */
void host_modules_update(struct host_target *t);

/** An entry of the dynamic linker's list; glibc: struct link_map { addr, name, ld, next, prev }. */
struct host_link_map {
	uint64_t bias, name_addr, dynamic, next;
};
enum { HOST_LINK_MAP_MAX = 16384 };

/** Address of the first entry: found through the executable's DT_DEBUG, or the linker's _r_debug. */
bool host_link_map_first(struct host_target *t, uint64_t *ret);
bool host_link_map_read(struct host_target *t, uint64_t at, struct host_link_map *ret);

/** Index every symbol table now, so that lookups are fast later. */
void host_modules_prepare(struct host_target *t);

void host_modules_deinit(struct host_target *t);

/* ---- lookup.c ---- */

/** Index its symbols by name and by address now. */
void host_module_prepare(struct host_module *m);

/* ---- core_maps.c ---- */

/** Find the mappings in a core that does not list them, from the executable (-e) and the link map. */
void host_core_find_maps(struct host_target *t);

/* ---- environ.c ---- */

/* ---- stack.c ---- */

/** Before the stop: read what unwinding will need from the files. */
void host_stacks_prepare(struct host_target *t);

/** Copy registers and stacks of a stopped target or a core. Does nothing while it runs, or if done already. */
void host_stacks_copy(struct host_target *t);

/** Discard copies and everything derived from them: the target has run. The result of host_threads() is invalid. */
void host_stacks_forget(struct host_target *t);

void host_stacks_deinit(struct host_target *t);

#endif /* HOST_TARGET_H */
