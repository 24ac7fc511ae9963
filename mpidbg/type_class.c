/* SPDX-License-Identifier: BSD-3-Clause */
#include "type_class.h"

#include "../include/mpidbg.h"

#include <stdbool.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

static bool starts(const char *name, const char *with)
{
	return !strncmp(name, with, strlen(with));
}

/* In order: the first row that fits decides. `whole`: the whole name, otherwise its beginning. */
static const struct {
	const char *name;
	bool whole;
	enum mpidbg_type_class_t type_class;
} rows[] = {
	{ "2", false, MPIDBG_TYPE_PAIR },
	{ "FLOAT_INT", true, MPIDBG_TYPE_PAIR },
	{ "DOUBLE_INT", true, MPIDBG_TYPE_PAIR },
	{ "LONG_INT", true, MPIDBG_TYPE_PAIR },
	{ "SHORT_INT", true, MPIDBG_TYPE_PAIR },
	{ "LONG_DOUBLE_INT", true, MPIDBG_TYPE_PAIR },
	{ "COMPLEX", false, MPIDBG_TYPE_COMPLEX },
	{ "DOUBLE_COMPLEX", true, MPIDBG_TYPE_COMPLEX },
	{ "C_BOOL", true, MPIDBG_TYPE_LOGICAL },
	{ "CXX_BOOL", true, MPIDBG_TYPE_LOGICAL },
	{ "C_", false, MPIDBG_TYPE_COMPLEX },
	{ "CXX_", false, MPIDBG_TYPE_COMPLEX },
	{ "FLOAT", true, MPIDBG_TYPE_REAL },
	{ "DOUBLE", true, MPIDBG_TYPE_REAL },
	{ "DOUBLE_PRECISION", true, MPIDBG_TYPE_REAL },
	{ "LONG_DOUBLE", true, MPIDBG_TYPE_REAL },
	{ "REAL", false, MPIDBG_TYPE_REAL },
	{ "LOGICAL", false, MPIDBG_TYPE_LOGICAL },
	{ "CHAR", true, MPIDBG_TYPE_CHARACTER },
	{ "CHARACTER", true, MPIDBG_TYPE_CHARACTER },
	{ "WCHAR", true, MPIDBG_TYPE_CHARACTER },
	{ "UNSIGNED", false, MPIDBG_TYPE_UNSIGNED },
	{ "UINT", false, MPIDBG_TYPE_UNSIGNED },
	{ "BYTE", true, MPIDBG_TYPE_BYTES },
	{ "PACKED", true, MPIDBG_TYPE_BYTES },
	{ "INT", false, MPIDBG_TYPE_INTEGER },
	{ "SHORT", true, MPIDBG_TYPE_INTEGER },
	{ "LONG", false, MPIDBG_TYPE_INTEGER },
	{ "SIGNED_CHAR", true, MPIDBG_TYPE_INTEGER },
	{ "AINT", true, MPIDBG_TYPE_INTEGER },
	{ "COUNT", true, MPIDBG_TYPE_INTEGER },
	{ "OFFSET", true, MPIDBG_TYPE_INTEGER },
};

int mpidbg_type_class(const char *name)
{
	if (!name || !starts(name, "MPI_"))
		return MPIDBG_TYPE_NOT_BASIC;
	name += 4;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].whole ? !strcmp(name, rows[i].name) : starts(name, rows[i].name))
			return (int)rows[i].type_class;
	return MPIDBG_TYPE_NOT_BASIC;
}
