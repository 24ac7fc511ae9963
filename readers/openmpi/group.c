/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ompi_group_t (ompi/group/group.h, 4.1 and 5.0): its members are an array of ompi_proc_t pointers (dense), or a list
 * of runs, a stride or a bitmap of the ranks of its parent (builds with sparse groups).
 */
#include "openmpi.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum {
	GROUP_DENSE = 0x4,
	GROUP_SPORADIC = 0x8,
	GROUP_STRIDED = 0x10,
	GROUP_BITMAP = 0x20,
	GROUP_DEPTH_MAX = 32,     /* levels of parents: each split of a sparse group adds one */
	GROUP_RUNS_MAX = 1 << 20, /* runs or bitmap bytes searched for one rank */
};

enum acc_rc rd_ompi_group(struct rd_ompi *o, uint64_t addr, struct rd_ompi_group *ret)
{
	struct rd_ompi_group *slot = &o->groups[(addr >> 4) & (RD_OMPI_GROUPS - 1)];
	struct rd_ompi_group g = { .addr = addr };
	struct acc_obj obj;

	if (addr && slot->addr == addr) {
		*ret = *slot;
		return ACC_OK;
	}
	enum acc_rc rc = rd_ompi_check(o, addr, C_ompi_group_t);
	if (rc)
		return rd_ompi_bad(o, rc, T_ompi_group_t, addr);
	acc_obj_load(&obj, o->sp, o->layout, T_ompi_group_t, addr);
	int64_t n = acc_get_i(&obj, F_ompi_group_t_grp_proc_count);
	g.my_rank = acc_get_i(&obj, F_ompi_group_t_grp_my_rank);
	g.procs_addr = acc_get_u(&obj, F_ompi_group_t_grp_proc_pointers);
	g.flags = (uint32_t)acc_get_u(&obj, F_ompi_group_t_grp_flags);
	if (rd_ompi_has(o, F_ompi_group_t_grp_parent_group_ptr))
		g.parent_addr = acc_get_u(&obj, F_ompi_group_t_grp_parent_group_ptr);
	if (obj.rc)
		return obj.rc;
	if (n < 0 || (uint64_t)n > ACC_RANKS_MAX || (g.my_rank >= 0 && g.my_rank >= n))
		return rd_ompi_bad(o, ACC_ECORRUPT, T_ompi_group_t, addr);
	g.n = (uint64_t)n;
	*slot = g;
	*ret = g;
	return ACC_OK;
}

enum acc_rc rd_ompi_proc_name(struct rd_ompi *o, uint64_t proc_addr, uint32_t *job, uint32_t *vpid)
{
	const struct acc_field_at *fields = o->layout->fields;
	uint64_t j, v;

	enum acc_rc rc = rd_ompi_check(o, proc_addr, C_ompi_proc_t);
	if (rc)
		return rc;
	uint64_t name_addr = proc_addr + fields[F_opal_proc_t_proc_name].offset;
	rc = acc_read_u(o->sp, name_addr + fields[F_opal_process_name_t_jobid].offset, 4, &j);
	if (rc == ACC_OK)
		rc = acc_read_u(o->sp, name_addr + fields[F_opal_process_name_t_vpid].offset, 4, &v);
	if (rc)
		return rc;
	*job = (uint32_t)j;
	*vpid = (uint32_t)v;
	return ACC_OK;
}

/* Rank in the parent of rank @p r, for a group of runs { int first, length }. */
static enum acc_rc parent_of_sporadic(struct rd_ompi *o, uint64_t data_addr, uint64_t r, uint64_t *ret)
{
	const struct acc_field_at *fields = o->layout->fields;
	unsigned width = o->sp->sizes.int_bytes;
	uint64_t list_addr, n, first, length;

	if (!rd_ompi_has(o, F_ompi_group_sporadic_data_t_grp_sporadic_list) ||
	    !rd_ompi_has(o, F_ompi_group_sporadic_data_t_grp_sporadic_list_len))
		return ACC_EFIELD;
	enum acc_rc rc = acc_read_ptr(o->sp, data_addr + fields[F_ompi_group_sporadic_data_t_grp_sporadic_list].offset,
				      &list_addr);
	if (rc == ACC_OK)
		rc = acc_read_u(o->sp, data_addr + fields[F_ompi_group_sporadic_data_t_grp_sporadic_list_len].offset,
				width, &n);
	if (rc)
		return rc;
	if (n > GROUP_RUNS_MAX)
		return ACC_ECORRUPT;
	for (uint64_t i = 0; i < n; i++) {
		rc = acc_read_u(o->sp, list_addr + 2 * width * i, width, &first);
		if (rc == ACC_OK)
			rc = acc_read_u(o->sp, list_addr + 2 * width * i + width, width, &length);
		if (rc)
			return rc;
		if (length > ACC_RANKS_MAX || first > ACC_RANKS_MAX)
			return ACC_ECORRUPT;
		if (r < length) {
			*ret = first + r;
			return ACC_OK;
		}
		r -= length;
	}
	return ACC_ECORRUPT;
}

static enum acc_rc parent_of_strided(struct rd_ompi *o, uint64_t data_addr, uint64_t r, uint64_t *ret)
{
	const struct acc_field_at *fields = o->layout->fields;
	unsigned width = o->sp->sizes.int_bytes;
	uint64_t offset, stride;

	if (!rd_ompi_has(o, F_ompi_group_strided_data_t_grp_strided_offset) ||
	    !rd_ompi_has(o, F_ompi_group_strided_data_t_grp_strided_stride))
		return ACC_EFIELD;
	enum acc_rc rc = acc_read_u(o->sp, data_addr + fields[F_ompi_group_strided_data_t_grp_strided_offset].offset,
				    width, &offset);
	if (rc == ACC_OK)
		rc = acc_read_u(o->sp, data_addr + fields[F_ompi_group_strided_data_t_grp_strided_stride].offset, width,
				&stride);
	if (rc)
		return rc;
	if (offset > ACC_RANKS_MAX || stride > ACC_RANKS_MAX)
		return ACC_ECORRUPT;
	*ret = offset + r * stride;
	return ACC_OK;
}

static enum acc_rc parent_of_bitmap(struct rd_ompi *o, uint64_t data_addr, uint64_t r, uint64_t *ret)
{
	const struct acc_field_at *fields = o->layout->fields;
	uint64_t array_addr, n;

	if (!rd_ompi_has(o, F_ompi_group_bitmap_data_t_grp_bitmap_array) ||
	    !rd_ompi_has(o, F_ompi_group_bitmap_data_t_grp_bitmap_array_len))
		return ACC_EFIELD;
	enum acc_rc rc = acc_read_ptr(o->sp, data_addr + fields[F_ompi_group_bitmap_data_t_grp_bitmap_array].offset,
				      &array_addr);
	if (rc == ACC_OK)
		rc = acc_read_u(o->sp, data_addr + fields[F_ompi_group_bitmap_data_t_grp_bitmap_array_len].offset,
				o->sp->sizes.int_bytes, &n);
	if (rc)
		return rc;
	if (n > GROUP_RUNS_MAX)
		return ACC_ECORRUPT;
	for (uint64_t i = 0; i < n; i++) {
		uint64_t byte;

		rc = acc_read_u(o->sp, array_addr + i, 1, &byte);
		if (rc)
			return rc;
		for (unsigned bit = 0; bit < 8; bit++)
			if ((byte >> bit & 1) && r-- == 0) {
				*ret = 8 * i + bit;
				return ACC_OK;
			}
	}
	return ACC_ECORRUPT;
}

/* Find the dense group that a member comes from, and the member's rank there. */
static enum acc_rc to_dense(struct rd_ompi *o, struct rd_ompi_group *g, uint64_t *rank)
{
	for (unsigned depth = 0; depth < GROUP_DEPTH_MAX; depth++) {
		enum acc_rc rc;
		uint64_t parent_rank = 0;

		if ((g->flags & GROUP_DENSE) || !(g->flags & (GROUP_SPORADIC | GROUP_STRIDED | GROUP_BITMAP)))
			return ACC_OK;
		if (!rd_ompi_has(o, F_ompi_group_t_sparse_data))
			return ACC_EFIELD;
		uint64_t data_addr = g->addr + o->layout->fields[F_ompi_group_t_sparse_data].offset;
		if (g->flags & GROUP_SPORADIC)
			rc = parent_of_sporadic(o, data_addr, *rank, &parent_rank);
		else if (g->flags & GROUP_STRIDED)
			rc = parent_of_strided(o, data_addr, *rank, &parent_rank);
		else
			rc = parent_of_bitmap(o, data_addr, *rank, &parent_rank);
		if (rc == ACC_OK)
			rc = rd_ompi_group(o, g->parent_addr, g);
		if (rc)
			return rc;
		if (parent_rank >= g->n)
			return ACC_ECORRUPT;
		*rank = parent_rank;
	}
	return ACC_ELIMIT;
}

void rd_ompi_member(struct rd_ompi *o, const struct rd_ompi_group *group, uint64_t rank, struct mdl_member *ret)
{
	struct rd_ompi_group g = *group;
	unsigned width = o->sp->sizes.pointer_bytes;
	uint64_t value;
	uint32_t job = 0, vpid = 0;

	*ret = (struct mdl_member){ 0 };
	if (to_dense(o, &g, &rank) || !acc_plausible(o->sp, g.procs_addr, width))
		return;
	if (acc_read_ptr(o->sp, g.procs_addr + rank * width, &value))
		return;
	if (value & 1) {
		/*
		 * A sentinel: a process known by name only (ompi/proc/proc.h). 64 bits: vpid above bit 32, job family
		 * above 16, local job above 1. 32 bits: vpid above bit 1, same job.
		 */
		if (width == 8) {
			job = (uint32_t)(value >> 16 & 0xffff) << 16 | (uint32_t)(value >> 1 & 0x7fff);
			vpid = (uint32_t)(value >> 32);
		} else {
			if (!o->job_known)
				return;
			job = o->job;
			vpid = (uint32_t)(value >> 1);
		}
	} else if (rd_ompi_proc_name(o, value, &job, &vpid)) {
		return;
	}
	if (vpid >= ACC_RANKS_MAX)
		return;
	ret->known = true;
	ret->job = job;
	ret->world_rank = vpid;
	ret->own_world = o->job_known && job == o->job;
}

struct mdl_num rd_ompi_world_rank(struct rd_ompi *o, const struct rd_ompi_group *group, int64_t rank)
{
	if (rank < 0 || (uint64_t)rank >= group->n)
		return mdl_unavailable("no such rank in the group");
	struct rd_ompi_peer *slot = &o->peers[((uint64_t)rank ^ group->addr >> 6) & (RD_OMPI_PEERS - 1)];
	if (slot->group_addr != group->addr || slot->rank != (uint64_t)rank) {
		rd_ompi_member(o, group, (uint64_t)rank, &slot->member);
		slot->group_addr = group->addr;
		slot->rank = (uint64_t)rank;
	}
	if (!slot->member.known)
		return mdl_unavailable("the process's name cannot be read");
	if (!o->job_known)
		return mdl_unavailable("this process's own job is not known");
	if (!slot->member.own_world)
		return mdl_unavailable("a process of another job");
	return mdl_known(slot->member.world_rank);
}
