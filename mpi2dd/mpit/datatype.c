/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpit.h"

#include "../calls/calls.h"

MPI_Datatype mpit_datatype(enum mpit_type type)
{
#if defined(OPEN_MPI)
	static const char *const symbols[] = {
		"ompi_mpi_int",           "ompi_mpi_char",   "ompi_mpi_unsigned_long_long",
		"ompi_mpi_unsigned_long", "ompi_mpi_double", "ompi_mpi_uint64_t",
		"ompi_mpi_int32_t"
	};
	static MPI_Datatype known[sizeof(symbols) / sizeof(symbols[0])];

	if (!known[type] && m2d_calls_resolve())
		known[type] = (MPI_Datatype)m2d_calls_symbol(symbols[type]);
	return known[type];
#else
	static const MPI_Datatype known[] = { MPI_INT,           MPI_CHAR,   MPI_UNSIGNED_LONG_LONG,
					      MPI_UNSIGNED_LONG, MPI_DOUBLE, MPI_UINT64_T,
					      MPI_INT32_T };

	return known[type];
#endif
}
