/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file types.h
 * Types by name, from the DWARF of a target's modules or of single files.
 *
 * No file is opened before the first lookup; the index of a file is built only if the
 * name occurs among its strings. For a module without debug information the separate
 * debug files are searched. The C library and similar libraries are skipped.
 *
 * Not supported, so such types are not found: split DWARF (.dwo), types that `dwz -m` moved to another file, and type
 * units (-fdebug-types-section) of an object that is not linked yet.
 */
#ifndef HOST_TYPES_H
#define HOST_TYPES_H

#include "dwarf_type.h"

struct host_types;

/** A type that was found. Lives as long as its struct host_types. */
struct host_type;

/** Types of a target; borrowed: host_types_destroy() comes before host_close(). NULL: out of memory. */
struct host_types *host_types_of_target(struct host_target *t);

/** An empty collection, for host_types_add(). NULL: out of memory. */
struct host_types *host_types_create(void);

/** Release. Takes NULL. */
void host_types_destroy(struct host_types *types);

/** Add the types of a file; files are searched in the order in which they were added. */
enum host_errc host_types_add(struct host_types *types, const char *path, struct host_error *err);

/**
 * Find a complete type by the tag of a structure, union or enumeration, or by the name of a typedef or base type. Also
 * finds a structure that one file only declares and another one defines.
 *
 * @return borrowed; NULL: there is none. The result is cached, also when nothing is found.
 */
const struct host_type *host_types_find(struct host_types *types, const char *name);

/** Size in bytes; -1: it has none. */
int64_t host_type_bytes(const struct host_type *type);

/** A member of a structure or union, also of an anonymous one inside. @return false: no such member. */
bool host_type_member(const struct host_type *type, const char *name, struct host_member *ret);

/** Path of the file that defines the type. */
const char *host_type_file(const struct host_type *type);

/** How many files with debug information have been opened so far. */
size_t host_types_n_files(const struct host_types *types);

#endif /* HOST_TYPES_H */
