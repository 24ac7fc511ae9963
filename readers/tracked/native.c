/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handles of the standard ABI, and those that the MPI library has itself for the same objects. Predefined ones are
 * constants in both. Of the others, Open MPI's handle is the address of the object in both; MPICH's is a number with
 * which the object begins, and the handle of the ABI is the address of the object.
 */
#include "registry.h"

#include "../standard_abi.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

static bool is_of_mpich(const struct rd_track *t)
{
	return !strcmp(t->library.implementation, "MPICH");
}

uint64_t rd_track_of_native(struct rd_track *t, enum mdl_handle_kind kind, uint64_t native, uint64_t addr)
{
	uint64_t standard;

	if (t->mpi != RD_TRACK_ABI)
		return native;
	if (!rd_track_standard_of_native(t, kind, native, &standard))
		return standard;
	return is_of_mpich(t) && addr ? addr : native;
}

uint64_t rd_track_native(struct rd_track *t, enum mdl_handle_kind kind, uint64_t handle)
{
	uint64_t native;

	if (t->mpi != RD_TRACK_ABI && !t->library.abi)
		return handle;
	return rd_abi_native(t->sp, t->library.implementation, kind, handle, &native) ? 0 : native;
}
