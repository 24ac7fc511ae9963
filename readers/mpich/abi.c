/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPICH's code compiled for the standard ABI of MPI 5: the file libmpi_abi.so.1 contains the whole library. Its handles
 * are ints as in libmpich, and only what the program passes is converted; but its constants are those of the ABI
 * (mpi_abi.h), also where they are stored in objects.
 */
#include "objects.h"

#include "../standard_abi.h"

#pragma GCC poison assert abort exit printf fprintf malloc free

enum {
	COMBINER_NAMED = 1, /* mpi.h: MPI_COMBINER_*; the others follow in the order of enum mdl_combiner */
	ABI_CART = 211,
};

/*
 * The ABI has no constants that are objects, so the library exports none of those that mpi.h declares. In a statically
 * linked program a function of the conversion is found.
 */
bool rd_mpich_is_abi(struct acc_space *sp)
{
	static const char *const of_mpi_h[] = { "MPIR_Dup_fn", "MPI_UNWEIGHTED", "MPIR_C_MPI_UNWEIGHTED",
						"MPII_Version_string" };
	struct acc_note note = sp->note;
	uint64_t addr;

	bool abi = acc_symbol(sp, "ABI_init_builtins", &addr) == ACC_OK;
	if (!abi && acc_symbol(sp, "MPIR_fortran_true", &addr) == ACC_OK) {
		abi = true;
		for (size_t i = 0; i < sizeof(of_mpi_h) / sizeof(of_mpi_h[0]); i++)
			abi = abi && acc_symbol(sp, of_mpi_h[i], &addr) != ACC_OK;
	}
	sp->note = note;
	return abi;
}

int64_t rd_mpich_combiner(const struct rd_mpich *o, int64_t own)
{
	return o->abi ? rd_abi_combiner(own) : own - COMBINER_NAMED;
}

int64_t rd_mpich_win_flavor(const struct rd_mpich *o, int64_t own)
{
	return o->abi ? rd_abi_win_flavor(own) : own;
}

int64_t rd_mpich_win_model(const struct rd_mpich *o, int64_t own)
{
	return o->abi ? rd_abi_win_model(own) : own;
}

enum mdl_topology_kind rd_mpich_topology_kind(const struct rd_mpich *o, uint64_t own)
{
	/* mpi.h: MPI_GRAPH, MPI_CART, MPI_DIST_GRAPH; mpi_abi.h: MPI_CART, MPI_GRAPH, MPI_DIST_GRAPH */
	static const enum mdl_topology_kind kinds[] = { MDL_TOPO_GRAPH, MDL_TOPO_CART, MDL_TOPO_DIST_GRAPH },
					    of_abi[] = { MDL_TOPO_CART, MDL_TOPO_GRAPH, MDL_TOPO_DIST_GRAPH };

	own -= o->abi ? ABI_CART : 1;
	return own >= sizeof(kinds) / sizeof(kinds[0]) ? MDL_TOPO_NONE : o->abi ? of_abi[own] : kinds[own];
}
