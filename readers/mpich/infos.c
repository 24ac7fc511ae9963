/* SPDX-License-Identifier: BSD-3-Clause */
/* Infos (src/include/mpir_info.h): pairs of a key and a value. */
#include "objects.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum { PAIRS_MAX = 4096 };

bool rd_mpich_is_info(struct rd_mpich *o, uint64_t addr)
{
	uint64_t key_addr;

	return !acc_layout_has(o->layout, F_MPIR_Info_key) ||
	       (!acc_read_ptr(o->sp, addr + rd_mpich_offset(o, F_MPIR_Info_key), &key_addr) && !key_addr);
}

/* Mark the entry that follows the object at @p addr. @return false: none can be where its link points, or another
 * object has the same link */
static bool mark_next(struct rd_mpich *o, const struct rd_mpich_pool *pool, uint64_t addr, unsigned char *follows)
{
	uint64_t next, i;

	if (acc_read_ptr(o->sp, addr + rd_mpich_offset(o, F_MPIR_Info_next), &next))
		return false;
	if (!next)
		return true;
	if (!rd_mpich_slot_of(pool, next, &i) || pool->is_free[i] || follows[i] || rd_mpich_is_info(o, next))
		return false;
	follows[i] = 1;
	return true;
}

bool rd_mpich_infos_are_whole(struct rd_mpich *o)
{
	struct acc_note note = o->sp->note;
	const struct rd_mpich_pool *pool = rd_mpich_pool(o, RD_MPICH_INFO);
	unsigned char *follows;
	bool ret = true;
	uint32_t handle;

	if (pool && acc_layout_has(o->layout, F_MPIR_Info_next) && acc_layout_has(o->layout, F_MPIR_Info_key) &&
	    (follows = acc_array(o->sp, pool->n_slots, 1)) != NULL) {
		memset(follows, 0, pool->n_slots);
		for (uint64_t i = 0; ret && i < pool->n_slots; i++)
			ret = pool->is_free[i] ||
			      mark_next(o, pool, rd_mpich_slot(pool, i, RD_MPICH_INFO, &handle), follows);
		for (uint64_t i = 0; ret && i < pool->n_slots; i++)
			ret = pool->is_free[i] || follows[i] ||
			      rd_mpich_is_info(o, rd_mpich_slot(pool, i, RD_MPICH_INFO, &handle));
		acc_array_free(o->sp, follows);
	}
	o->sp->note = note;
	return ret;
}

/* Up to 4.0 a chain of objects, the first of which is the info itself. @return address of entry @p i; 0:
 * there is none */
static uint64_t chained(struct rd_mpich *o, uint64_t info_addr, uint64_t i)
{
	uint64_t entry = info_addr;

	for (uint64_t k = 0; entry && k <= i; k++)
		if (acc_read_ptr(o->sp, entry + rd_mpich_offset(o, F_MPIR_Info_next), &entry))
			return 0;
	return entry;
}

struct mdl_list rd_mpich_pairs(struct rd_mpich *o, uint64_t info_addr)
{
	struct acc_note note = o->sp->note;
	struct mdl_list ret = { .addr = info_addr, .form = RD_MPICH_PAIRS, .known = true };
	uint64_t n = 0;

	if (acc_layout_has(o->layout, F_MPIR_Info_size)) {
		ret.known = !acc_read_u(o->sp, info_addr + rd_mpich_offset(o, F_MPIR_Info_size), 4, &n) &&
			    n <= PAIRS_MAX;
	} else if (acc_layout_has(o->layout, F_MPIR_Info_next)) {
		struct acc_walk w;
		uint64_t entry;
		enum acc_rc rc;

		acc_walk_init(&w, o->sp, info_addr, 0, (uint32_t)rd_mpich_offset(o, F_MPIR_Info_next), PAIRS_MAX);
		while ((rc = acc_walk_next(&w, &entry)) == ACC_OK)
			n++;
		ret.known = rc == ACC_NONE && n;
		n -= n != 0;
	} else {
		ret.known = false;
	}
	o->sp->note = note;
	ret.n = ret.total = ret.known ? n : 0;
	return ret;
}

enum acc_rc rd_mpich_pair_addrs(struct rd_mpich *o, uint64_t info_addr, uint64_t i, uint64_t *key, uint64_t *value)
{
	unsigned width = o->sp->sizes.pointer_bytes;
	uint64_t entries;

	if (acc_layout_has(o->layout, F_MPIR_Info_entries)) {
		if (acc_read_ptr(o->sp, info_addr + rd_mpich_offset(o, F_MPIR_Info_entries), &entries) ||
		    acc_read_ptr(o->sp, entries + 2 * i * width, key) ||
		    acc_read_ptr(o->sp, entries + (2 * i + 1) * width, value))
			return ACC_EREAD;
		return ACC_OK;
	}
	uint64_t entry = chained(o, info_addr, i);

	if (!entry || acc_read_ptr(o->sp, entry + rd_mpich_offset(o, F_MPIR_Info_key), key) ||
	    acc_read_ptr(o->sp, entry + rd_mpich_offset(o, F_MPIR_Info_value), value))
		return ACC_EREAD;
	return ACC_OK;
}

enum acc_rc rd_mpich_pair(void *state, const struct mdl_list *list, uint64_t i, char *key, size_t key_size, char *value,
			  size_t value_size)
{
	struct rd_mpich *o = state;
	uint64_t key_addr, value_addr;

	if (rd_mpich_pair_addrs(o, list->addr, i, &key_addr, &value_addr))
		return ACC_EREAD;
	enum acc_rc rc = acc_read_string(o->sp, key_addr, key, key_size);
	return rc ? rc : acc_read_string(o->sp, value_addr, value, value_size);
}
