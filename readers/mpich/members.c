/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The members of a communicator. Up to 4.3 MPIDI_rank_map_t (src/mpid/ch4/include/mpidpre.h) maps a rank to a place in
 * a table of processes. Table 0 is MPI_COMM_WORLD. Other tables contain processes that were spawned or connected; the
 * place in such a table is not the rank of the process in its own world. Since 5.0 the members are those of a group.
 */
#include "mpich.h"

#pragma GCC poison assert abort exit printf fprintf malloc free

enum map_mode { /* odd values: all on one node */
		MAP_DIRECT = 0,
		MAP_OFFSET = 2,
		MAP_STRIDE = 4,
		MAP_BLOCKS = 6,
		MAP_LUT = 8,
		MAP_MLUT = 10,
		MAP_NONE = 11,
		MAP_GROUP, /* ours: the processes of a group */
};

struct map {
	int64_t mode, table, n, offset, stride, block;
	uint64_t table_addr;
	struct rd_mpich_group group;
};

static enum acc_rc load_map(struct rd_mpich *o, uint64_t addr, int64_t size, struct map *ret)
{
	struct acc_note note = o->sp->note;
	struct acc_obj obj;

	if (rd_mpich_has_group_map(o)) {
		*ret = (struct map){ .mode = MAP_GROUP };
		enum acc_rc rc = rd_mpich_group_load(o, addr, &ret->group);
		return !rc && ret->group.size != size ? ACC_ECORRUPT : rc;
	}
	acc_obj_load(&obj, o->sp, o->layout, T_MPIDI_rank_map_t, addr);
	struct map m = {
		.mode = acc_get_i(&obj, F_MPIDI_rank_map_t_mode),
		.table = acc_get_i(&obj, F_MPIDI_rank_map_t_avtid),
		.n = acc_get_i(&obj, F_MPIDI_rank_map_t_size),
		.offset = acc_get_i(&obj, F_MPIDI_rank_map_t_offset),
		.stride = acc_get_i(&obj, F_MPIDI_rank_map_t_stride),
		.block = acc_get_i(&obj, F_MPIDI_rank_map_t_blocksize),
		.table_addr = acc_get_u(&obj, F_MPIDI_rank_map_t_table),
	};
	o->sp->note = note;
	if (obj.rc)
		return obj.rc;
	if (m.mode < MAP_DIRECT || m.mode >= MAP_NONE || m.n != size)
		return ACC_ECORRUPT;
	if (m.mode < MAP_MLUT)
		m.mode &= ~INT64_C(1);
	if (m.mode == MAP_BLOCKS && m.block < 1)
		return ACC_ECORRUPT;
	*ret = m;
	return ACC_OK;
}

static bool read_int(struct rd_mpich *o, uint64_t addr, int64_t *ret)
{
	uint64_t raw;

	if (acc_read_u(o->sp, addr, o->sp->sizes.int_bytes, &raw))
		return false;
	*ret = (int32_t)raw;
	return true;
}

static void member(struct rd_mpich *o, const struct map *m, int64_t rank, struct mdl_member *ret)
{
	int64_t place = rank, table = m->table;
	uint64_t entry, process;

	*ret = (struct mdl_member){ .known = false };
	switch (m->mode) {
	case MAP_GROUP:
		if (!rd_mpich_group_process(o, &m->group, (uint64_t)rank, &process))
			rd_mpich_group_member(o, process, ret);
		return;
	case MAP_DIRECT:
		break;
	case MAP_OFFSET:
		place = rank + m->offset;
		break;
	case MAP_STRIDE:
		place = rank * m->stride + m->offset;
		break;
	case MAP_BLOCKS:
		place = rank / m->block * m->stride + rank % m->block + m->offset;
		break;
	case MAP_LUT:
		if (!read_int(o, m->table_addr + (uint64_t)rank * o->sp->sizes.int_bytes, &place))
			return;
		break;
	default:
		entry = m->table_addr + (uint64_t)rank * acc_layout_bytes(o->layout, T_MPIDI_rank_map_mlut_t);
		if (!read_int(o, entry + o->layout->fields[F_MPIDI_rank_map_mlut_t_avtid].offset, &table) ||
		    !read_int(o, entry + o->layout->fields[F_MPIDI_rank_map_mlut_t_lpid].offset, &place))
			return;
		break;
	}
	if (table || place < 0 || place >= o->n_processes)
		return;
	*ret = (struct mdl_member){ .known = true, .own_world = true, .world_rank = place };
}

enum acc_rc rd_mpich_comm_members(void *state, const struct mdl_comm *comm, bool remote, uint64_t first, uint64_t n,
				  struct mdl_member *ret)
{
	struct rd_mpich *o = state;
	const struct rd_mpich_comm *c = rd_mpich_comm_find(o, comm->handle);
	struct map m;

	if (!c || (remote && !c->facts.inter))
		return ACC_NONE;
	uint64_t size = (uint64_t)(remote ? c->facts.remote_size : c->facts.size);
	if (first > size || n > size - first)
		return ACC_EINVAL;
	enum acc_rc rc = load_map(o, remote ? c->peers_addr : c->local_addr, (int64_t)size, &m);
	if (rc)
		return acc_note(&o->sp->note, rc, "rank map of %.64s: %s", c->facts.name, acc_rc_text(rc));
	for (uint64_t i = 0; i < n; i++)
		member(o, &m, (int64_t)(first + i), &ret[i]);
	return ACC_OK;
}

struct mdl_num rd_mpich_world_rank(struct rd_mpich *o, const struct rd_mpich_comm *c, int64_t rank)
{
	int64_t size = c->facts.inter ? c->facts.remote_size : c->facts.size;
	struct mdl_member who = { .known = false };
	struct map m;

	if (rank >= 0 && rank < size && load_map(o, c->peers_addr, size, &m) == ACC_OK)
		member(o, &m, rank, &who);
	return who.known && who.own_world ? mdl_known(who.world_rank) : mdl_unavailable("the rank map cannot tell it");
}
