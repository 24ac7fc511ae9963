/* SPDX-License-Identifier: BSD-3-Clause */
/* Elements of the lists that MPICH's objects have, one at a time. */
#include "objects.h"

#pragma GCC poison assert abort exit printf fprintf malloc free

enum { TARGETS_MAX = 1 << 20, LOCK_SOME = 3, EPOCH_LOCK = 1 };

struct mdl_num rd_mpich_handle_at(struct rd_mpich *o, uint64_t addr)
{
	uint64_t handle;

	if (!addr)
		return mdl_none();
	if (acc_read_u(o->sp, addr + o->layout->fields[F_MPIR_Handle_common_handle].offset, 4, &handle) || !handle)
		return mdl_unavailable("MPICH's object cannot be read");
	return mdl_known((int64_t)handle);
}

/* ---- groups --------------------------------------------------------------------------------------------------- */

struct mdl_list rd_mpich_group_list(struct rd_mpich *o, uint64_t group_addr, enum rd_mpich_list form)
{
	struct mdl_list ret = { .known = false };
	struct rd_mpich_group g;

	if (!group_addr || rd_mpich_group_load(o, group_addr, &g))
		return ret;
	return (struct mdl_list){
		.addr = group_addr, .n = (uint64_t)g.size, .total = (uint64_t)g.size, .known = true, .form = form
	};
}

static enum acc_rc process_at(struct rd_mpich *o, const struct mdl_list *list, uint64_t i, uint64_t *ret)
{
	struct rd_mpich_group g;
	enum acc_rc rc = rd_mpich_group_load(o, list->addr, &g);

	if (!rc && i >= (uint64_t)g.size)
		rc = ACC_ECORRUPT;
	return rc ? rc : rd_mpich_group_process(o, &g, i, ret);
}

enum acc_rc rd_mpich_member(void *state, const struct mdl_list *list, uint64_t i, struct mdl_handle_member *ret)
{
	struct rd_mpich *o = state;
	struct mdl_member m;
	uint64_t process;
	enum acc_rc rc = process_at(o, list, i, &process);

	if (rc)
		return rc;
	rd_mpich_group_member(o, process, &m);
	*ret = (struct mdl_handle_member){ .known = m.known, .rank = m.world_rank, .world = m.job };
	return ACC_OK;
}

/* ---- numbers ---------------------------------------------------------------------------------------------------- */

/* Targets are in a hash table whose elements are chained in the order of their making (uthash). */
static enum acc_rc lock_of(struct rd_mpich *o, uint64_t win_addr, uint64_t rank, int64_t *ret)
{
	uint64_t target, next, raw, n = 0;
	enum acc_rc rc = acc_read_ptr(o->sp, win_addr + rd_mpich_offset(o, F_MPIR_Win_targets), &target);

	*ret = 0;
	for (; !rc && target; target = next) {
		if (++n > TARGETS_MAX)
			return ACC_ECORRUPT;
		rc = acc_read_u(o->sp, target + rd_mpich_offset(o, F_MPIDIG_win_target_t_rank), 4, &raw);
		if (!rc && raw == rank) {
			rc = acc_read_u(o->sp, target + rd_mpich_offset(o, F_MPIDIG_win_target_t_access_epoch_type), 4,
					&raw);
			*ret = !rc && raw == EPOCH_LOCK ? LOCK_SOME : 0;
			return rc;
		}
		if (!rc)
			rc = acc_read_ptr(o->sp, target + rd_mpich_offset(o, F_MPIDIG_win_target_t_next), &next);
	}
	return rc;
}

enum acc_rc rd_mpich_number(void *state, const struct mdl_list *list, uint64_t i, int64_t *ret)
{
	struct rd_mpich *o = state;
	uint64_t raw;
	enum acc_rc rc;

	switch (list->form) {
	case RD_MPICH_INTS:
	case RD_MPICH_HANDLES:
		rc = acc_read_u(o->sp, list->addr + i * 4, 4, &raw);
		if (!rc)
			*ret = list->form == RD_MPICH_INTS ? (int32_t)(uint32_t)raw
							   : (int64_t)rd_mpich_public_type(raw);
		return rc;
	case RD_MPICH_RANKS:
		rc = process_at(o, list, i, &raw);
		if (!rc && raw > ACC_RANKS_MAX)
			rc = ACC_ECORRUPT;
		if (!rc)
			*ret = (int64_t)raw;
		return rc;
	case RD_MPICH_LOCKS:
		return lock_of(o, list->addr, i, ret);
	default:
		return ACC_EINVAL;
	}
}
