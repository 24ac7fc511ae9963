/* SPDX-License-Identifier: BSD-3-Clause */
/* The table as data: first all rows, then the functions with large counts. */
#include "functions.h"

#include <stddef.h>
#include <string.h>

/*
 * (int, a)(int, b) -> "int a, int b": FIRST, and then by turns ONE
 * and TWO, take a pair each; the name of the last one is removed.
 */
#define TEXT(parameters)  END(FIRST parameters)
#define FIRST(type, name) STRING(type) " " #name ONE
#define ONE(type, name)   ", " STRING(type) " " #name TWO
#define TWO(type, name)   ", " STRING(type) " " #name ONE
#define END(...)          END_(__VA_ARGS__)
#define END_(...)         __VA_ARGS__##_END
#define FIRST_END         ""
#define ONE_END
#define TWO_END
#define STRING(type)  STRING_(type)
#define STRING_(type) #type

#define NONE

#define FUNCTION(name, waits, facts, parameters) { name, TEXT(parameters), sizeof(name) - 1, waits, facts },

static const struct fn_function functions[] = {
#define MPI_OF(name)                   "MPI_" #name
#define NAME_EVERY                     MPI_OF
#define NAME_EVERY_C                   MPI_OF
#define NAME_MPI4                      MPI_OF
#define NAME_MPI4_C                    MPI_OF
#define NAME_PERSISTENT_EVERY          MPI_OF
#define NAME_PERSISTENT_EVERY_C        MPI_OF
#define NAME_LARGE                     MPI_OF
#define NAME_OPENMPI                   MPI_OF
#define NAME_ABI                       MPI_OF
#define NAME_MPIX(name)                "MPIX_" #name
#define NAME_MPICHX                    NAME_MPIX
#define NAME_MPICHX_4_3                NAME_MPIX
#define PLAIN(name, forms, parameters) RECORD(name, forms, FN_LOCAL, 0, parameters, , )
#define RECORD(name, forms, waits, facts, parameters, before, after)                                                   \
	FUNCTION(NAME_##forms(name), waits, facts, parameters)
#define COUNT  int
#define DISPL  int
#define EXTENT MPI_Aint
#include "functions.def"

/* only those with _C */
#define LARGE(name, waits, facts, parameters) FUNCTION("MPI_" #name "_c", waits, facts, parameters)
#define LARGE_EVERY(name, waits, facts, parameters)
#define LARGE_EVERY_C LARGE
#define LARGE_MPI4(name, waits, facts, parameters)
#define LARGE_MPI4_C LARGE
#define LARGE_PERSISTENT_EVERY(name, waits, facts, parameters)
#define LARGE_PERSISTENT_EVERY_C LARGE
#define LARGE_LARGE(name, waits, facts, parameters)
#define LARGE_OPENMPI(name, waits, facts, parameters)
#define LARGE_ABI(name, waits, facts, parameters)
#define LARGE_MPIX(name, waits, facts, parameters)
#define LARGE_MPICHX(name, waits, facts, parameters)
#define LARGE_MPICHX_4_3(name, waits, facts, parameters)
#define PLAIN(name, forms, parameters)                               RECORD(name, forms, FN_LOCAL, 0, parameters, , )
#define RECORD(name, forms, waits, facts, parameters, before, after) LARGE_##forms(name, waits, facts, parameters)
#define COUNT                                                        MPI_Count
#define DISPL                                                        MPI_Aint
#define EXTENT                                                       MPI_Count
#include "functions.def"
};

/* Not above: a parameter of MPI_Win_fence has one of these names. */
#pragma GCC poison assert abort exit printf fprintf malloc free

enum { N_FUNCTIONS = sizeof(functions) / sizeof(functions[0]) };

/* @p skipped bytes of each name are not compared. */
static const struct fn_function *find_function(const char *name, size_t n, size_t skipped)
{
	for (size_t i = 0; i < N_FUNCTIONS; i++) {
		if (functions[i].name_bytes == n + skipped && memcmp(functions[i].name + skipped, name, n) == 0)
			return &functions[i];
	}
	return NULL;
}

const struct fn_function *fn_find(const char *name)
{
	const struct fn_function *f = name ? find_function(name, strlen(name), 0) : NULL;

	/* the persistent collectives of Open MPI 4 */
	return !f && name && strncmp(name, "MPIX_", 5) == 0 ? find_function(name + 5, strlen(name + 5), 4) : f;
}

uint32_t fn_facts(const char *name)
{
	const struct fn_function *f = fn_find(name);

	return f ? f->facts : 0;
}
