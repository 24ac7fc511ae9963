/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the elements of lists in Open MPI's objects, one at a time. */
#include "objects.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum {
	PAIRS_MAX = 4096,
	PAIR_BYTES = 64,
	SHARED = 1, /* of mdl_handle_win.locks */
	EXCLUSIVE = 2,
	SOME = 3,       /* MPI_MODE_NOCHECK: which kind is not kept */
	SM_NOCHECK = 1, /* enum ompi_osc_sm_locktype_t */
	SM_EXCLUSIVE = 2,
	SM_SHARED = 3,
	MPI_LOCK_EXCLUSIVE = 1, /* mpi.h */
};

/* ---- groups ---------------------------------------------------------------------------------------------------- */

static enum acc_rc load_group(struct rd_ompi *o, uint64_t addr, struct rd_ompi_group *ret)
{
	struct acc_note note = o->sp->note;
	enum acc_rc rc = rd_ompi_group(o, addr, ret);

	o->sp->note = note;
	return rc;
}

struct mdl_list rd_ompi_group_list(struct rd_ompi *o, uint64_t group_addr, enum rd_ompi_list_form form)
{
	struct mdl_list unknown = { .known = false };
	struct rd_ompi_group g;

	if (!group_addr || load_group(o, group_addr, &g))
		return unknown;
	return rd_ompi_elements(group_addr, g.n, form);
}

static enum acc_rc member(struct rd_ompi *o, const struct mdl_list *list, uint64_t i, struct mdl_member *ret)
{
	struct rd_ompi_group g;
	enum acc_rc rc = load_group(o, list->addr, &g);

	if (!rc && i >= g.n)
		rc = ACC_ECORRUPT;
	if (!rc)
		rd_ompi_member(o, &g, i, ret);
	return rc;
}

enum acc_rc rd_ompi_list_member(void *state, const struct mdl_list *list, uint64_t i, struct mdl_handle_member *ret)
{
	struct rd_ompi *o = state;
	struct mdl_member m;
	enum acc_rc rc = member(o, list, i, &m);

	if (rc)
		return rc;
	bool own = o->job_known && m.job == o->job;
	*ret = (struct mdl_handle_member){ .known = m.known,
					   .rank = m.world_rank,
					   .world = own || !m.known ? 0 : m.job };
	return ACC_OK;
}

/* ---- locks ----------------------------------------------------------------------------------------------------- */

/* enum locktype of osc/ucx */
static enum acc_rc kind_of_ucx_lock(struct rd_ompi *o, uint64_t addr, int64_t *ret)
{
	enum { UCX_EXCLUSIVE = 0, UCX_SHARED = 1 };
	const struct acc_field_at *fields = o->layout->fields;
	uint64_t raw, unchecked;

	if (rd_ompi_check(o, addr, C_ompi_osc_ucx_lock_t))
		return ACC_ECORRUPT;
	enum acc_rc rc = acc_read_u(o->sp, addr + fields[F_ompi_osc_ucx_lock_t_is_nocheck].offset, 1, &unchecked);
	if (!rc)
		rc = acc_read_u(o->sp, addr + fields[F_ompi_osc_ucx_lock_t_type].offset, 4, &raw);
	if (!rc && !unchecked && raw > UCX_SHARED)
		rc = ACC_ECORRUPT;
	if (!rc)
		*ret = unchecked ? SOME : raw == UCX_EXCLUSIVE ? EXCLUSIVE : SHARED;
	return rc;
}

/* The kind of a lock follows the target, in 16 bits (rdma) or 32 bits (pt2pt). */
static enum acc_rc kind_of_lock(struct rd_ompi *o, uint64_t addr, bool rdma, int64_t *ret)
{
	unsigned row = rdma ? F_ompi_osc_rdma_sync_t_sync : F_ompi_osc_pt2pt_sync_t_sync;
	uint64_t type;

	if (rd_ompi_check(o, addr, rdma ? C_ompi_osc_rdma_sync_t : C_ompi_osc_pt2pt_sync_t))
		return ACC_ECORRUPT;
	enum acc_rc rc = acc_read_u(o->sp, addr + o->layout->fields[row].offset + 4, rdma ? 2 : 4, &type);
	if (!rc)
		*ret = type == MPI_LOCK_EXCLUSIVE ? EXCLUSIVE : SHARED;
	return rc;
}

static enum acc_rc lock_in_table(struct rd_ompi *o, const struct mdl_list *list, uint64_t rank, int64_t *ret)
{
	struct rd_ompi_hash h;
	uint64_t key, addr;
	enum acc_rc rc = rd_ompi_hash_first(o, list->addr, &h);

	*ret = 0;
	while (!rc && (rc = rd_ompi_hash_next(&h, &key, &addr)) == ACC_OK)
		if ((uint32_t)key == rank)
			return list->form == RD_OMPI_LOCK_TABLE_UCX
				       ? kind_of_ucx_lock(o, addr, ret)
				       : kind_of_lock(o, addr, list->form == RD_OMPI_LOCK_TABLE_RDMA, ret);
	return rc == ACC_NONE ? ACC_OK : rc;
}

static enum acc_rc lock_in_array(struct rd_ompi *o, const struct mdl_list *list, uint64_t rank, int64_t *ret)
{
	uint64_t addr;
	enum acc_rc rc = acc_read_ptr(o->sp, list->addr + rank * o->sp->sizes.pointer_bytes, &addr);

	*ret = 0;
	return rc || !addr ? rc : kind_of_lock(o, addr, true, ret);
}

static enum acc_rc lock_of_sm(struct rd_ompi *o, const struct mdl_list *list, uint64_t rank, int64_t *ret)
{
	uint64_t raw;
	enum acc_rc rc = acc_read_u(o->sp, list->addr + 4 * rank, 4, &raw);

	if (rc)
		return rc;
	if (raw > SM_SHARED)
		return ACC_ECORRUPT;
	*ret = raw == SM_EXCLUSIVE ? EXCLUSIVE : raw == SM_SHARED ? SHARED : raw == SM_NOCHECK ? SOME : 0;
	return ACC_OK;
}

/* ---- numbers --------------------------------------------------------------------------------------------------- */

enum acc_rc rd_ompi_number(void *state, const struct mdl_list *list, uint64_t i, int64_t *ret)
{
	struct rd_ompi *o = state;
	unsigned width = o->sp->sizes.pointer_bytes;
	unsigned char bytes[8];
	struct mdl_member m;
	enum acc_rc rc;

	switch (list->form) {
	case RD_OMPI_INTS:
	case RD_OMPI_LONGS:
		width = list->form == RD_OMPI_INTS ? 4 : width;
		rc = acc_read(o->sp, list->addr + i * width, width, bytes);
		if (!rc)
			*ret = acc_decode_i(o->sp, bytes, width);
		return rc;
	case RD_OMPI_HANDLES:
		rc = acc_read(o->sp, list->addr + i * width, width, bytes);
		if (!rc)
			*ret = (int64_t)acc_decode_u(o->sp, bytes, width);
		return rc;
	case RD_OMPI_RANKS:
		rc = member(o, list, i, &m);
		if (!rc && !m.known)
			rc = ACC_EREAD;
		if (!rc)
			*ret = m.world_rank;
		return rc;
	case RD_OMPI_LOCKS:
		return lock_of_sm(o, list, i, ret);
	case RD_OMPI_LOCK_ARRAY_RDMA:
		return lock_in_array(o, list, i, ret);
	case RD_OMPI_LOCK_TABLE_RDMA:
	case RD_OMPI_LOCK_TABLE_PT2PT:
	case RD_OMPI_LOCK_TABLE_UCX:
		return lock_in_table(o, list, i, ret);
	default:
		return ACC_EINVAL;
	}
}

/* ---- infos ----------------------------------------------------------------------------------------------------- */

/*
 * Key and value of an entry. Since 5.0 both are an opal_cstring_t; 5.0.4 introduced ie_internal.
 *
 * @return ACC_OK; ACC_NONE: it is the library's own
 */
static enum acc_rc read_pair(struct rd_ompi *o, uint64_t addr, char *key, size_t key_size, char *value,
			     size_t value_size)
{
	/* up to 4.1: prefix of a key that keeps a value as it was before a component changed it */
	static const char own[] = "_OMPI_IN_";
	bool counted = rd_ompi_has(o, F_opal_cstring_t_string);
	const struct acc_field_at *fields = o->layout->fields;
	uint64_t value_addr = rd_ompi_pointer(o, addr, F_opal_info_entry_t_ie_value), internal = 0;
	uint64_t key_addr = addr + fields[F_opal_info_entry_t_ie_key].offset;
	enum acc_rc rc;

	if (counted) {
		if (rd_ompi_has(o, F_opal_info_entry_t_ie_internal) &&
		    acc_read_u(o->sp, addr + fields[F_opal_info_entry_t_ie_internal].offset, 1, &internal))
			return ACC_EREAD;
		if (internal)
			return ACC_NONE;
		key_addr = rd_ompi_pointer(o, addr, F_opal_info_entry_t_ie_key);
		if (!key_addr)
			return ACC_EREAD;
		key_addr += fields[F_opal_cstring_t_string].offset;
		value_addr += value_addr ? fields[F_opal_cstring_t_string].offset : 0;
	}
	rc = acc_read_string(o->sp, key_addr, key, key_size);
	if (rc || !strncmp(key, own, sizeof(own) - 1))
		return rc ? rc : ACC_NONE;
	if (!value_addr && value_size) {
		value[0] = '\0';
		return ACC_OK;
	}
	return acc_read_string(o->sp, value_addr, value, value_size);
}

static enum acc_rc start_info_walk(struct rd_ompi *o, uint64_t info_addr, struct acc_walk *w)
{
	uint64_t first, sentinel, length;
	enum acc_rc rc = rd_ompi_list(o, info_addr, &first, &sentinel, &length);

	if (!rc && length > PAIRS_MAX)
		rc = ACC_ELIMIT;
	if (rc)
		return rc;
	acc_walk_init(w, o->sp, first, sentinel, o->layout->fields[F_opal_list_item_t_opal_list_next].offset,
		      length + 1);
	acc_walk_compare(w, o->layout->fields[F_opal_list_item_t_opal_list_prev].offset, length);
	return ACC_OK;
}

struct mdl_list rd_ompi_pairs(struct rd_ompi *o, uint64_t info_addr)
{
	struct mdl_list unknown = { .known = false };
	struct acc_note note = o->sp->note;
	char key[PAIR_BYTES], value[PAIR_BYTES];
	struct acc_walk w;
	uint64_t entry, n = 0;

	if (!rd_ompi_has(o, F_opal_info_entry_t_ie_key) || !rd_ompi_has(o, F_opal_info_entry_t_ie_value))
		return unknown;
	enum acc_rc rc = start_info_walk(o, info_addr, &w);
	while (!rc && (rc = acc_walk_next(&w, &entry)) == ACC_OK)
		n += read_pair(o, entry, key, sizeof(key), value, sizeof(value)) != ACC_NONE;
	o->sp->note = note;
	return rc == ACC_NONE ? rd_ompi_elements(info_addr, n, RD_OMPI_PAIRS) : unknown;
}

struct mdl_list rd_ompi_hints(struct rd_ompi *o, uint64_t addr)
{
	uint64_t info_addr = rd_ompi_pointer(o, addr, F_opal_infosubscriber_t_s_info);

	if (!rd_ompi_has(o, F_opal_infosubscriber_t_s_info))
		return (struct mdl_list){ .known = false };
	return info_addr ? rd_ompi_pairs(o, info_addr) : rd_ompi_elements(0, 0, RD_OMPI_PAIRS);
}

enum acc_rc rd_ompi_pair(void *state, const struct mdl_list *list, uint64_t i, char *key, size_t key_size, char *value,
			 size_t value_size)
{
	struct rd_ompi *o = state;
	struct acc_note note = o->sp->note;
	struct acc_walk w;
	uint64_t entry;
	enum acc_rc rc = start_info_walk(o, list->addr, &w);

	while (!rc && (rc = acc_walk_next(&w, &entry)) == ACC_OK) {
		rc = read_pair(o, entry, key, key_size, value, value_size);
		if (rc && rc != ACC_NONE)
			break;
		if (!rc && !i--) {
			o->sp->note = note;
			return ACC_OK;
		}
		rc = ACC_OK;
	}
	o->sp->note = note;
	return rc == ACC_NONE ? ACC_ECORRUPT : rc;
}
