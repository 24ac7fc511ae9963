/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handles by their value: an int (src/include/mpir_objects.h), two bits of how it is stored, four of the kind of object,
 * the rest its place. A Fortran handle has the same bits; files are ROMIO's, which keeps a table.
 */
#include "mpich.h"

#pragma GCC poison assert abort exit printf fprintf malloc free

enum { KIND_SHIFT = 26, KIND_MASK = 15 };

enum acc_rc rd_mpich_handle_fortran(void *state, enum mdl_handle_kind kind, int64_t fortran, uint64_t *ret)
{
	static const unsigned char kinds[MDL_N_HANDLE_KINDS] = {
		[MDL_COMM] = 1, [MDL_GROUP] = 2, [MDL_DATATYPE] = 3, [MDL_ERRHANDLER] = 5, [MDL_OP] = 6,
		[MDL_INFO] = 7, [MDL_WIN] = 8,   [MDL_REQUEST] = 11, [MDL_A_MESSAGE] = 11,
	};
	uint32_t handle = (uint32_t)fortran;

	(void)state;
	if ((unsigned)kind >= MDL_N_HANDLE_KINDS || !kinds[kind])
		return ACC_EINVAL;
	if ((handle >> KIND_SHIFT & KIND_MASK) != kinds[kind])
		return ACC_NONE;
	*ret = handle;
	return ACC_OK;
}
