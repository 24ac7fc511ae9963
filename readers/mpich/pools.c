/* SPDX-License-Identifier: BSD-3-Clause */
/* One pool: its slots, and which of them are in use. */
#include "mpich.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum {
	SLOTS_MAX = 1 << 22,
	PER_BLOCK = 1024, /* HANDLE_NUM_INDICES, of pools that do not count */
	DIRECT = 2,       /* kinds of handles */
	INDIRECT = 3,
};

static uint64_t at(const struct rd_mpich *o, unsigned field)
{
	return o->layout->fields[field].offset;
}

uint64_t rd_mpich_slot(const struct rd_mpich_pool *pool, uint64_t i, enum rd_mpich_kind kind, uint32_t *handle)
{
	uint32_t top = (uint32_t)kind << 26;

	if (i < pool->n_direct) {
		*handle = (uint32_t)DIRECT << 30 | top | (uint32_t)i;
		return pool->direct_addr + i * pool->object_bytes;
	}
	i -= pool->n_direct;
	uint64_t block = i / pool->per_block;
	*handle = (uint32_t)INDIRECT << 30 | top | (uint32_t)block << 12 | (uint32_t)(i % pool->per_block);
	return pool->blocks[block] + i % pool->per_block * pool->object_bytes;
}

bool rd_mpich_slot_of_handle(const struct rd_mpich_pool *pool, uint32_t handle, uint64_t *ret)
{
	uint64_t i = handle & 0x3ffffff;

	if (handle >> 30 == DIRECT && i < pool->n_direct) {
		*ret = i;
		return true;
	}
	uint64_t block = i >> 12, at_index = i & 0xfff;
	if (handle >> 30 != INDIRECT || block >= pool->n_blocks || at_index >= pool->per_block)
		return false;
	*ret = pool->n_direct + block * pool->per_block + at_index;
	return true;
}

static bool index_in(uint64_t addr, uint64_t start, uint64_t n, uint64_t step, uint64_t *ret)
{
	if (addr < start || (addr - start) % step || (addr - start) / step >= n)
		return false;
	*ret = (addr - start) / step;
	return true;
}

bool rd_mpich_slot_of(const struct rd_mpich_pool *pool, uint64_t addr, uint64_t *ret)
{
	uint64_t i;

	if (index_in(addr, pool->direct_addr, pool->n_direct, pool->object_bytes, ret))
		return true;
	for (uint64_t b = 0; b < pool->n_blocks; b++)
		if (index_in(addr, pool->blocks[b], pool->per_block, pool->object_bytes, &i)) {
			*ret = pool->n_direct + b * pool->per_block + i;
			return true;
		}
	return false;
}

/*
 * The chain of free objects: each a slot, none twice, as many as the pool counts. A process that is stopped while it takes
 * one or gives it back may be one off.
 *
 * @param n_avail UINT64_MAX: the pool does not count them
 */
static enum acc_rc read_free(struct rd_mpich *o, struct rd_mpich_pool *pool, uint64_t first, uint64_t n_avail)
{
	uint64_t n = 0, i, next;

	for (uint64_t addr = first; addr; addr = next, n++) {
		if (!rd_mpich_slot_of(pool, addr, &i) || pool->is_free[i])
			return ACC_ECORRUPT;
		pool->is_free[i] = 1;
		if (acc_read_ptr(o->sp, addr + at(o, F_MPIR_Object_alloc_t_next), &next))
			return ACC_EREAD;
	}
	return n_avail == UINT64_MAX || (n + 1 >= n_avail && n <= n_avail + 1) ? ACC_OK : ACC_ECORRUPT;
}

static enum acc_rc read_blocks(struct rd_mpich *o, struct rd_mpich_pool *pool, uint64_t table_addr)
{
	pool->blocks = acc_array(o->sp, pool->n_blocks, sizeof(*pool->blocks));
	if (!pool->blocks)
		return ACC_ENOMEM;
	for (uint64_t i = 0; i < pool->n_blocks; i++) {
		if (acc_read_ptr(o->sp, table_addr + i * o->sp->sizes.pointer_bytes, &pool->blocks[i]))
			return ACC_EREAD;
		if (!acc_plausible(o->sp, pool->blocks[i], 8))
			return ACC_ECORRUPT;
	}
	return ACC_OK;
}

static enum acc_rc read_pool(struct rd_mpich *o, struct rd_mpich_pool *pool, uint64_t addr)
{
	struct acc_obj a;

	acc_obj_load(&a, o->sp, o->layout, T_MPIR_Object_alloc_t, addr);
	pool->addr = addr;
	pool->initialized = acc_get_u(&a, F_MPIR_Object_alloc_t_initialized) != 0;
	pool->object_bytes = (uint32_t)acc_get_u(&a, F_MPIR_Object_alloc_t_size);
	pool->direct_addr = acc_get_u(&a, F_MPIR_Object_alloc_t_direct);
	pool->n_direct = acc_get_u(&a, F_MPIR_Object_alloc_t_direct_size);
	pool->n_blocks = acc_get_u(&a, F_MPIR_Object_alloc_t_indirect_size);
	bool counts = rd_mpich_pool_counts(o);
	uint64_t n = counts ? acc_get_u(&a, F_MPIR_Object_alloc_t_num_allocated)
			    : pool->n_direct + pool->n_blocks * PER_BLOCK;
	uint64_t n_avail = counts ? acc_get_u(&a, F_MPIR_Object_alloc_t_num_avail) : 0;
	uint64_t first = acc_get_u(&a, F_MPIR_Object_alloc_t_avail),
		 table = acc_get_u(&a, F_MPIR_Object_alloc_t_indirect);
	if (a.rc || !pool->initialized)
		return a.rc;
	if (n > SLOTS_MAX || n < pool->n_direct || n_avail > n || pool->n_direct > SLOTS_MAX || !pool->object_bytes ||
	    pool->n_blocks > ACC_SLOTS_MAX ||
	    (pool->n_blocks ? (n - pool->n_direct) % pool->n_blocks : n != pool->n_direct))
		return ACC_ECORRUPT;
	pool->n_slots = n;
	pool->per_block = pool->n_blocks ? (n - pool->n_direct) / pool->n_blocks : 1;
	if (!pool->per_block || pool->per_block > 1 << 12)
		return ACC_ECORRUPT;
	pool->is_free = acc_array(o->sp, n, 1);
	if (!pool->is_free)
		return ACC_ENOMEM;
	memset(pool->is_free, 0, n);
	enum acc_rc rc = read_blocks(o, pool, table);
	return rc ? rc : read_free(o, pool, first, counts ? n_avail : UINT64_MAX);
}

const struct rd_mpich_pool *rd_mpich_pool(struct rd_mpich *o, enum rd_mpich_kind kind)
{
	static const char *const names[RD_MPICH_N_KINDS] = {
		[RD_MPICH_COMM] = "communicators", [RD_MPICH_GROUP] = "groups",
		[RD_MPICH_DATATYPE] = "datatypes", [RD_MPICH_ERRHANDLER] = "error handlers",
		[RD_MPICH_OP] = "operations",      [RD_MPICH_INFO] = "infos",
		[RD_MPICH_WIN] = "windows",        [RD_MPICH_KEYVAL] = "keyvals",
		[RD_MPICH_REQUEST] = "requests"
	};
	struct rd_mpich_pool *pool = &o->pools[kind];

	if (pool->known)
		return pool;
	if (!o->pool_addr[kind] || pool->addr)
		return NULL;
	enum acc_rc rc = read_pool(o, pool, o->pool_addr[kind]);
	pool->known = rc == ACC_OK;
	if (rc)
		acc_note(&o->sp->note, rc, "pool of %s at 0x%llx: %s", names[kind] ? names[kind] : "objects",
			 (unsigned long long)o->pool_addr[kind], acc_rc_text(rc));
	return rc ? NULL : pool;
}

void rd_mpich_pools_clear(struct rd_mpich *o)
{
	for (unsigned i = 0; i < RD_MPICH_N_KINDS; i++) {
		acc_array_free(o->sp, o->pools[i].blocks);
		acc_array_free(o->sp, o->pools[i].is_free);
	}
	memset(o->pools, 0, sizeof(o->pools));
}
