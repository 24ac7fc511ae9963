/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file dwarf_type.h
 * Properties of a type from its debugging entry: size and members.
 */
#ifndef HOST_DWARF_TYPE_H
#define HOST_DWARF_TYPE_H

#include "dwarf_file.h"

/** A member of a structure or union. */
struct host_member {
	uint64_t offset, bytes;
	bool bit_field; /**< offset is then the byte in which it starts, and bytes is 0 */
};

/** Buffer size for the tag of a structure that is only declared. */
enum { HOST_TAG_BYTES = 256 };

/**
 * Follow typedefs and qualifiers to the underlying type.
 *
 * @param[out] ret       the last entry; unchanged on failure
 * @param[out] declared  "", or, if the entry is only a declaration, the tag under which to look for the definition
 * @return false: void, an endless chain, or damaged.
 */
bool host_dwarf_resolve(const struct host_die *die, struct host_die *ret, char declared[HOST_TAG_BYTES]);

/** Does the entry have this name? */
bool host_dwarf_is_named(const struct host_die *die, const char *name);

/**
 * Size in bytes, through typedefs and of arrays as well; an array without bounds has 0.
 *
 * @return false: it has no size (void, a function, a declaration), or the entry is damaged.
 */
bool host_dwarf_bytes(const struct host_die *die, uint64_t *ret);

/**
 * Find a member by name, also inside anonymous structures and unions.
 *
 * @param die a structure, union or class, from host_dwarf_resolve()
 * @return false: no such member, or its location is not a constant.
 */
bool host_dwarf_member(const struct host_die *die, const char *name, struct host_member *ret);

/**
 * Does the libdwarf of this build find types in type units (-fdebug-types-section)? Those after 20201201 (Debian 11)
 * do. Otherwise such types are not found.
 */
bool host_dwarf_has_units(void);

#endif /* HOST_DWARF_TYPE_H */
