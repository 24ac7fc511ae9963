/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file units.h
 * The compilation unit that contains an address.
 */
#ifndef HOST_UNITS_H
#define HOST_UNITS_H

#include <elfutils/libdwfl.h>
#include <stddef.h>

/** Indexes of modules whose compiler has written none (.debug_aranges), as Clang. Start with all zero. */
struct host_units {
	struct host_units_of *v;
	size_t n;
};

void host_units_deinit(struct host_units *u);

/**
 * @param bias to be subtracted from @p pc for the unit
 * @return NULL: none is known
 */
Dwarf_Die *host_unit_at(struct host_units *u, Dwfl_Module *mod, Dwarf_Addr pc, Dwarf_Addr *bias);

#endif /* HOST_UNITS_H */
