/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The processes of a group. Up to 4.3 a group has an array of entries; since 5.0 (MPIR_Pmap, src/include/mpir_group.h)
 * it has an array of process numbers, or an offset and a stride.
 */
#include "mpich.h"

#pragma GCC poison assert abort exit printf fprintf malloc free

bool rd_mpich_has_group_map(const struct rd_mpich *o)
{
	return acc_layout_has(o->layout, F_MPIR_Group_use_map) && acc_layout_has(o->layout, F_MPIR_Group_map) &&
	       acc_layout_has(o->layout, F_MPIR_Group_offset) && acc_layout_has(o->layout, F_MPIR_Group_stride);
}

enum acc_rc rd_mpich_group_load(struct rd_mpich *o, uint64_t addr, struct rd_mpich_group *ret)
{
	struct acc_note note = o->sp->note;
	bool mapped = rd_mpich_has_group_map(o);
	struct rd_mpich_group g = { .rank = -1 };
	struct acc_obj obj;

	unsigned lpid = rd_mpich_field(o, F_MPII_Group_pmap_t_lpid, F_MPII_Group_pmap_t_int_lpid);
	if (!mapped && (!acc_layout_has(o->layout, F_MPIR_Group_lrank_to_lpid) || !acc_layout_has(o->layout, lpid)))
		return ACC_EFIELD;
	acc_obj_load(&obj, o->sp, o->layout, T_MPIR_Group, addr);
	g.size = acc_get_i(&obj, F_MPIR_Group_size);
	g.rank = acc_get_i(&obj, F_MPIR_Group_rank);
	if (!mapped) {
		g.numbers_addr = acc_get_u(&obj, F_MPIR_Group_lrank_to_lpid) + o->layout->fields[lpid].offset;
		g.step_bytes = acc_layout_bytes(o->layout, T_MPII_Group_pmap_t);
		g.number_bytes = o->layout->fields[lpid].width;
		mapped = g.size != 0;
	} else if (acc_get_u(&obj, F_MPIR_Group_use_map)) {
		g.numbers_addr = acc_get_u(&obj, F_MPIR_Group_map);
		g.step_bytes = g.number_bytes = o->layout->fields[F_MPIR_Group_offset].width;
	} else {
		g.offset = (int64_t)acc_get_u(&obj, F_MPIR_Group_offset);
		g.stride = (int64_t)acc_get_u(&obj, F_MPIR_Group_stride);
		mapped = false;
	}
	o->sp->note = note;
	if (obj.rc)
		return obj.rc;
	if (g.size < 0 || g.size > (int64_t)ACC_RANKS_MAX || g.rank >= g.size ||
	    (mapped && !acc_plausible(o->sp, g.numbers_addr, 8)))
		return ACC_ECORRUPT;
	*ret = g;
	return ACC_OK;
}

enum acc_rc rd_mpich_group_process(struct rd_mpich *o, const struct rd_mpich_group *g, uint64_t i, uint64_t *ret)
{
	if (g->step_bytes)
		return acc_read_u(o->sp, g->numbers_addr + i * g->step_bytes, g->number_bytes, ret);
	*ret = (uint64_t)g->offset + i * (uint64_t)g->stride;
	return ACC_OK;
}

bool rd_mpich_group_member(struct rd_mpich *o, uint64_t process, struct mdl_member *ret)
{
	uint64_t world = process >> RD_MPICH_WORLD_SHIFT, rank = process & UINT32_MAX;

	*ret = (struct mdl_member){ .known = false };
	if (!world && rank < (uint64_t)o->n_processes)
		*ret = (struct mdl_member){ .known = true, .own_world = true, .world_rank = (int64_t)rank };
	else if (world && world <= RD_MPICH_WORLDS_MAX && rank < ACC_RANKS_MAX && rd_mpich_has_group_map(o))
		*ret = (struct mdl_member){
			.known = true, .job = (uint32_t)world, .job_is_local = true, .world_rank = (int64_t)rank
		};
	return ret->known;
}
