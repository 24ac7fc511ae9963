/* SPDX-License-Identifier: BSD-3-Clause */
#include "units.h"

#include "../access/grow.h"

#include <stdlib.h>

enum { UNITS_MAX = 1 << 18, RANGES_MAX = 1 << 20 };

struct range {
	Dwarf_Addr lo, hi;
	Dwarf_Die *unit; /* owned by the module */
};

/* The index of one module. */
struct host_units_of {
	const Dwfl_Module *mod;
	struct range *ranges; /* by address */
	size_t n;
};

static int by_address(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return (x->lo > y->lo) - (x->lo < y->lo);
}

static void index_module(Dwfl_Module *mod, struct host_units_of *ret)
{
	Dwarf_Die *unit = NULL;
	Dwarf_Addr bias, base, lo, hi;
	bool room = true;

	*ret = (struct host_units_of){ .mod = mod };
	for (size_t i = 0; room && i < UNITS_MAX && (unit = dwfl_module_nextcu(mod, unit, &bias)); i++) {
		ptrdiff_t at = 0;
		while (room && (at = dwarf_ranges(unit, at, &base, &lo, &hi)) > 0) {
			room = ret->n < RANGES_MAX && ACC_GROW(ret->ranges, ret->n);
			if (room)
				ret->ranges[ret->n++] = (struct range){ lo, hi, unit };
		}
	}
	if (ret->n)
		qsort(ret->ranges, ret->n, sizeof(*ret->ranges), by_address);
}

static Dwarf_Die *find(const struct host_units_of *m, Dwarf_Addr addr)
{
	size_t lo = 0, hi = m->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (m->ranges[mid].lo <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && addr < m->ranges[lo - 1].hi ? m->ranges[lo - 1].unit : NULL;
}

Dwarf_Die *host_unit_at(struct host_units *u, Dwfl_Module *mod, Dwarf_Addr pc, Dwarf_Addr *bias)
{
	Dwarf_Die *unit = dwfl_module_addrdie(mod, pc, bias);
	size_t i = 0;

	if (unit || !dwfl_module_getdwarf(mod, bias))
		return unit;
	while (i < u->n && u->v[i].mod != mod)
		i++;
	if (i == u->n) {
		if (!ACC_GROW(u->v, u->n))
			return NULL;
		index_module(mod, &u->v[u->n++]);
	}
	return find(&u->v[i], pc - *bias);
}

void host_units_deinit(struct host_units *u)
{
	for (size_t i = 0; i < u->n; i++)
		free(u->v[i].ranges);
	free(u->v);
	*u = (struct host_units){ 0 };
}
