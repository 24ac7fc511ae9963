/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handles by their value: an int (src/include/mpir_objects.h), two bits of how it is stored, four of the kind of
 * object, the rest its place. A Fortran handle has the same bits; files belong to ROMIO, which has a table.
 */
#include "mpich.h"

#pragma GCC poison assert abort exit printf fprintf malloc free

enum { KIND_SHIFT = 26, KIND_MASK = 15, INDEX_MASK = (1 << KIND_SHIFT) - 1, DIRECT = 2 };

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

/* Address of the datatype with a handle; 0: there is none. */
static uint64_t type_addr(struct rd_mpich *o, uint32_t handle)
{
	const struct rd_mpich_pool *pool;
	uint64_t slot;
	uint32_t own;

	if ((handle >> KIND_SHIFT & KIND_MASK) != RD_MPICH_DATATYPE)
		return 0;
	if (handle >> 30 == 1)
		return o->types_addr ? o->types_addr + (handle & 0xff) * acc_layout_bytes(o->layout, T_MPIR_Datatype)
				     : 0;
	if (handle >> 30 == DIRECT && o->direct_types_addr)
		return (handle & INDEX_MASK) < RD_MPICH_DIRECT_TYPES
			       ? o->direct_types_addr +
					 (handle & INDEX_MASK) * acc_layout_bytes(o->layout, T_MPIR_Datatype)
			       : 0;
	pool = rd_mpich_pool(o, RD_MPICH_DATATYPE);
	if (!pool || !rd_mpich_slot_of_handle(pool, handle, &slot) || pool->is_free[slot])
		return 0;
	return rd_mpich_slot(pool, slot, RD_MPICH_DATATYPE, &own);
}

enum acc_rc rd_mpich_datatype_get(void *state, uint64_t handle, char name[MDL_NAME_BYTES], uint64_t *bytes)
{
	struct rd_mpich *o = state;
	struct acc_note note = o->sp->note;
	struct acc_obj t;
	uint64_t own;

	if (!acc_layout_has(o->layout, F_MPIR_Datatype_size) || !acc_layout_has(o->layout, F_MPIR_Datatype_name) ||
	    !acc_layout_has(o->layout, F_MPIR_Handle_common_handle))
		return ACC_EINVAL;
	uint64_t addr = o->initialized ? type_addr(o, (uint32_t)handle) : 0;
	if (!addr || acc_read_u(o->sp, addr + o->layout->fields[F_MPIR_Handle_common_handle].offset, 4, &own) ||
	    rd_mpich_public_type(own) != rd_mpich_public_type(handle))
		return ACC_NONE;
	acc_obj_load(&t, o->sp, o->layout, T_MPIR_Datatype, addr);
	int64_t size = acc_get_i(&t, F_MPIR_Datatype_size);
	acc_get_chars(&t, F_MPIR_Datatype_name, name, MDL_NAME_BYTES);
	o->sp->note = note;
	if (t.rc || size < 0)
		return t.rc ? t.rc : ACC_ECORRUPT;
	*bytes = (uint64_t)size;
	return ACC_OK;
}
