/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file dwarf_type.h
 * What a debugging entry says about a type: its size, its members.
 */
#ifndef HOST_DWARF_TYPE_H
#define HOST_DWARF_TYPE_H

#include "dwarf_file.h"

/** A member of a structure or union. */
struct host_member {
	uint64_t offset, bytes;
	bool bit_field; /**< then offset is that of the byte in which it starts, and bytes is 0 */
};

/** Room for the tag of a structure that is only declared. */
enum { HOST_TAG_BYTES = 256 };

/**
 * Follow typedefs and qualifiers to the underlying type.
 *
 * @param[out] ret       the entry at the end; untouched on failure
 * @param[out] declared  "", or, when the entry is a declaration only, the tag to look its definition up by
 * @return false: void, a chain without end, or damaged.
 */
bool host_dwarf_resolve(const struct host_die *die, struct host_die *ret, char declared[HOST_TAG_BYTES]);

/** Does the entry have this name? */
bool host_dwarf_is_named(const struct host_die *die, const char *name);

/**
 * Size in bytes, through typedefs, of arrays as well; an array without bounds has 0.
 *
 * @return false when it has none (void, a function, a declaration) or the entry is damaged.
 */
bool host_dwarf_bytes(const struct host_die *die, uint64_t *ret);

/**
 * A member by name, also one of an anonymous structure or union inside.
 *
 * @param die a structure, union or class (host_dwarf_resolve())
 * @return false: no such member, or its place is no constant.
 */
bool host_dwarf_member(const struct host_die *die, const char *name, struct host_member *ret);

#endif /* HOST_DWARF_TYPE_H */
