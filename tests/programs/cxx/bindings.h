/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file bindings.h
 * HAS_BINDINGS: this MPI has the C++ bindings. Open MPI 5 has none; a program is then one that says so and exits 77.
 */
#include "../told.h"

#include <cstdio>

#if !defined(OPEN_MPI) || (defined(OMPI_BUILD_CXX_BINDINGS) && OMPI_BUILD_CXX_BINDINGS)
#define HAS_BINDINGS 1
#else
#define HAS_BINDINGS 0
int main()
{
	puts("this MPI has no C++ bindings");
	return 77;
}
#endif
