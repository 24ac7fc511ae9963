/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Constants whose values each MPI chooses. For an unknown MPI the value is not converted, or is unavailable where only
 * its meaning matters.
 */
#include "registry.h"

#include "../standard_abi.h"

#pragma GCC poison assert abort exit printf fprintf malloc free

struct mdl_num rd_track_rank_of(enum rd_track_mpi mpi, int64_t value)
{
	if (mpi == RD_TRACK_ABI)
		return rd_abi_rank(value);
	if ((mpi == RD_TRACK_OPENMPI && value == -1) || (mpi == RD_TRACK_MPICH && value == -2))
		return mdl_any();
	/* convert PROC_NULL and ROOT to Open MPI's values, which all readers use */
	if (mpi == RD_TRACK_MPICH && value == -1)
		return mdl_known(MDL_PROC_NULL);
	if (mpi == RD_TRACK_MPICH && value == -3)
		return mdl_known(MDL_ROOT);
	return mdl_known(value);
}

struct mdl_num rd_track_tag_of(enum rd_track_mpi mpi, int64_t value)
{
	if (mpi == RD_TRACK_ABI)
		return rd_abi_tag(value);
	return mpi != RD_TRACK_OTHER_MPI && value == -1 ? mdl_any() : mdl_known(value);
}

struct mdl_num rd_track_rank(const struct rd_track *t, int64_t value)
{
	return rd_track_rank_of(t->mpi, value);
}

struct mdl_num rd_track_tag(const struct rd_track *t, int64_t value)
{
	return rd_track_tag_of(t->mpi, value);
}

/* Both MPIs number them in the same order, Open MPI from 0 and MPICH from 1. */
int rd_track_combiner(const struct rd_track *t, int64_t value)
{
	int64_t first = t->mpi == RD_TRACK_MPICH;

	if (t->mpi == RD_TRACK_ABI)
		return rd_abi_combiner(value);
	if (t->mpi == RD_TRACK_OTHER_MPI || value < first || value - first >= MDL_N_COMBINERS)
		return -1;
	return (int)(value - first);
}

int rd_track_order(const struct rd_track *t, int64_t value)
{
	int64_t c = t->mpi == RD_TRACK_MPICH ? 56 : 0;

	if (t->mpi == RD_TRACK_ABI) /* 0xc, 0xf */
		return value == 12 ? 0 : value == 15 ? 1 : -1;
	return t->mpi != RD_TRACK_OTHER_MPI && (value == c || value == c + 1) ? (int)(value - c) : -1;
}

int rd_track_distribution(const struct rd_track *t, int64_t value)
{
	int64_t block = t->mpi == RD_TRACK_MPICH ? 121 : 0;

	if (t->mpi == RD_TRACK_ABI) /* NONE, BLOCK, CYCLIC */
		return value == 16 ? 2 : value == 17 || value == 18 ? (int)(value - 17) : -1;
	return t->mpi != RD_TRACK_OTHER_MPI && value >= block && value <= block + 2 ? (int)(value - block) : -1;
}

bool rd_track_default_darg(const struct rd_track *t, int64_t value)
{
	return value == (t->mpi == RD_TRACK_MPICH ? -49767 : t->mpi == RD_TRACK_ABI ? 19 : -1);
}

bool rd_track_in_place(const struct rd_track *t, struct mdl_num address)
{
	uint64_t all = t->sp->sizes.pointer_bytes < 8 ? UINT32_MAX : UINT64_MAX;

	/* (void *)1 and (void *)-1 */
	return address.known == MDL_KNOWN && t->mpi != RD_TRACK_OTHER_MPI &&
	       (uint64_t)address.value == (t->mpi == RD_TRACK_MPICH ? all : 1);
}

const char *rd_track_buffer_name(const struct rd_track *t, struct mdl_num address)
{
	if (address.known != MDL_KNOWN || t->mpi == RD_TRACK_OTHER_MPI)
		return NULL;
	if (!address.value)
		return "MPI_BOTTOM";
	return rd_track_in_place(t, address) ? "MPI_IN_PLACE" : NULL;
}

struct mdl_num rd_track_win_model(const struct rd_track *t, int64_t value)
{
	if (t->mpi == RD_TRACK_ABI && rd_abi_win_model(value) >= 0)
		return mdl_known(rd_abi_win_model(value));
	if (t->mpi == RD_TRACK_OPENMPI && (value == 0 || value == 1))
		return mdl_known(value ? MDL_WIN_SEPARATE : MDL_WIN_UNIFIED);
	if (t->mpi == RD_TRACK_MPICH && (value == 1 || value == 2))
		return mdl_known(value == 1 ? MDL_WIN_SEPARATE : MDL_WIN_UNIFIED);
	return mdl_unavailable("the number of the memory model is not known for this MPI");
}

struct mdl_num rd_track_win_flavor(const struct rd_track *t, struct mdl_num value)
{
	if (t->mpi != RD_TRACK_ABI || value.known != MDL_KNOWN)
		return value;
	int flavor = rd_abi_win_flavor(value.value);
	return flavor >= 0 ? mdl_known(flavor) : mdl_unavailable("it makes no sense");
}

struct mdl_num rd_track_file_mode(const struct rd_track *t, struct mdl_num value)
{
	return t->mpi == RD_TRACK_ABI && value.known == MDL_KNOWN ? mdl_known(rd_abi_file_mode(value.value)) : value;
}

struct mdl_num rd_track_kind(int64_t value)
{
	if (value >= 0 && value < TRK_N_KINDS)
		return mdl_known(value);
	return value == TRK_N_KINDS ? mdl_none() : mdl_unavailable("the registry names a kind that is not known here");
}
