/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file dwarf_file.h
 * The DWARF of one ELF file, and an index of the types at the top level of its units.
 *
 * The file belongs to the target and is untrusted. Walks are bounded, sibling entries must have increasing offsets, and
 * chains of references have a limit; invalid entries are treated as not found.
 */
#ifndef HOST_DWARF_FILE_H
#define HOST_DWARF_FILE_H

#include "host.h"

#if __has_include(<libdwarf/libdwarf.h>) /* the directory depends on the version of libdwarf */
#include <libdwarf/dwarf.h>
#include <libdwarf/libdwarf.h>
#elif __has_include(<libdwarf-2/libdwarf.h>)
#include <libdwarf-2/dwarf.h>
#include <libdwarf-2/libdwarf.h>
#elif __has_include(<libdwarf-0/libdwarf.h>)
#include <libdwarf-0/dwarf.h>
#include <libdwarf-0/libdwarf.h>
#else
#include <dwarf.h>
#include <libdwarf.h>
#endif

struct host_dwarf;

/** Location of a debugging entry. Plain data; valid as long as its file. */
struct host_die {
	struct host_dwarf *file;
	uint64_t offset;
	bool is_info; /**< in .debug_info, else in .debug_types */
};

/**
 * Open a file. Its units are not read yet.
 *
 * @param[out] ret untouched on failure.
 * @return HOST_OK; HOST_ABSENT: no such file, or no debug information in it; HOST_UNREADABLE: no ELF file, or damaged.
 */
enum host_errc host_dwarf_open(const char *path, struct host_dwarf **ret, struct host_error *err);

/** Close. Takes NULL. */
void host_dwarf_close(struct host_dwarf *d);

const char *host_dwarf_path(const struct host_dwarf *d);

/** Word size in bytes (4 or 8) and byte order of the file. */
unsigned host_dwarf_word_bytes(const struct host_dwarf *d);
bool host_dwarf_big_endian(const struct host_dwarf *d);

/** Handle for libdwarf calls; NULL when libdwarf cannot open the file. */
Dwarf_Debug host_dwarf_debug(struct host_dwarf *d);

/**
 * Can the file define a type of this name? Searches for the name among the file's strings, which costs far less than
 * the index. false is always right; true may be wrong.
 */
bool host_dwarf_mentions(struct host_dwarf *d, const char *name);

/**
 * Find a type by name; C++ types also in a namespace ("MPI::Comm"), except std. Builds the index on the first call.
 *
 * @param[out] definition a complete structure, union, class, enumeration or base type of that name
 * @param[out] alias      a typedef of that name
 * @return true: at least one was found; the other one has file == NULL. Outputs are unchanged on failure.
 */
bool host_dwarf_find(struct host_dwarf *d, const char *name, struct host_die *definition, struct host_die *alias);

#endif /* HOST_DWARF_FILE_H */
