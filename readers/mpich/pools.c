/* SPDX-License-Identifier: BSD-3-Clause */
/* A pool: its slots, and which of them are in use. */
#include "mpich.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum {
	SLOTS_MAX = 1 << 22,
	PER_BLOCK = 1024, /* HANDLE_NUM_INDICES, for pools that do not store the number of slots */
	DIRECT = 2,       /* kinds of handles */
	INDIRECT = 3,
	INDEX_BITS = 12, /* of a handle: its place in a block */
	INDEX_MASK = (1 << INDEX_BITS) - 1,
	VCIS_MAX = 64, /* MPIR_REQUEST_NUM_POOLS */
};

uint64_t rd_mpich_slot(const struct rd_mpich_pool *pool, uint64_t i, enum rd_mpich_kind kind, uint32_t *handle)
{
	if (i < pool->n_direct) {
		*handle = (uint32_t)DIRECT << 30 | (uint32_t)kind << 26 | (uint32_t)i;
		return pool->direct_addr + i * pool->object_bytes;
	}
	i -= pool->n_direct;
	uint64_t block = i / pool->per_block;
	*handle = pool->block_handles[block] | (uint32_t)(i % pool->per_block);
	return pool->blocks[block] + i % pool->per_block * pool->object_bytes;
}

bool rd_mpich_slot_of_handle(const struct rd_mpich_pool *pool, uint32_t handle, uint64_t *ret)
{
	uint64_t i = handle & 0x3ffffff, block = i >> INDEX_BITS, at_index = handle & INDEX_MASK;
	uint32_t first = handle & ~(uint32_t)INDEX_MASK;

	if (handle >> 30 == DIRECT && i < pool->n_direct) {
		*ret = i;
		return true;
	}
	if (handle >> 30 != INDIRECT || at_index >= pool->per_block)
		return false;
	/* the requests of virtual interfaces other than the first have other numbers */
	if (block >= pool->n_blocks || pool->block_handles[block] != first)
		for (block = 0; block < pool->n_blocks && pool->block_handles[block] != first;)
			block++;
	if (block == pool->n_blocks)
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

/* MPICH does not count references to the others. */
static bool is_counted(enum rd_mpich_kind kind)
{
	return kind != RD_MPICH_INFO && kind != RD_MPICH_WIN && kind != RD_MPICH_SESSION;
}

static enum acc_rc references_of(struct rd_mpich *o, uint64_t addr, int64_t *ret)
{
	uint64_t raw;
	enum acc_rc rc = acc_read_u(o->sp, addr + rd_mpich_offset(o, F_MPIR_Handle_common_ref_count), 4, &raw);

	if (!rc)
		*ret = (int32_t)(uint32_t)raw;
	return rc;
}

/*
 * Follow the chain of free objects: each must be a slot without references and occur once, and their number must be
 * that in the pool, or differ by one if the process was stopped while it allocated or freed an object.
 *
 * @param n_avail UINT64_MAX: the pool does not store their number
 */
static enum acc_rc read_free(struct rd_mpich *o, struct rd_mpich_pool *pool, enum rd_mpich_kind kind, uint64_t first,
			     uint64_t n_avail)
{
	bool counted = is_counted(kind) && acc_layout_has(o->layout, F_MPIR_Handle_common_ref_count);
	uint64_t n = 0, i, next;
	int64_t references = 0;

	for (uint64_t addr = first; addr; addr = next, n++) {
		if (!rd_mpich_slot_of(pool, addr, &i) || pool->is_free[i])
			return ACC_ECORRUPT;
		pool->is_free[i] = 1;
		if (acc_read_ptr(o->sp, addr + rd_mpich_offset(o, F_MPIR_Object_alloc_t_next), &next) ||
		    (counted && references_of(o, addr, &references)))
			return ACC_EREAD;
		if (references > 0)
			return ACC_ECORRUPT;
	}
	return n_avail == UINT64_MAX || (n + 1 >= n_avail && n <= n_avail + 1) ? ACC_OK : ACC_ECORRUPT;
}

/* The chain is damaged: an object is in use if it has its handle and references. */
static enum acc_rc recover(struct rd_mpich *o, struct rd_mpich_pool *pool, enum rd_mpich_kind kind, enum acc_rc rc)
{
	if (!is_counted(kind) || !acc_layout_has(o->layout, F_MPIR_Handle_common_ref_count))
		return rc;
	for (uint64_t i = 0; i < pool->n_slots; i++) {
		uint32_t expected;
		uint64_t addr = rd_mpich_slot(pool, i, kind, &expected), own;
		int64_t references;

		pool->is_free[i] = acc_read_u(o->sp, addr + rd_mpich_offset(o, F_MPIR_Handle_common_handle), 4, &own) ||
				   references_of(o, addr, &references) || references <= 0 ||
				   (kind == RD_MPICH_KEYVAL ? own & ~(uint64_t)RD_MPICH_KEYVAL_OF : own) != expected;
	}
	pool->chain_rc = rc;
	return ACC_OK;
}

/* MPIR_Object_alloc_t: the head of a pool. */
struct head {
	bool initialized;
	uint64_t kind, object_bytes, direct_addr, n_direct, table_addr, n_blocks, n_slots, per_block;
	uint64_t first_free, n_avail; /* n_avail UINT64_MAX: not counted */
};

static enum acc_rc read_head(struct rd_mpich *o, uint64_t addr, struct head *ret)
{
	bool counts = rd_mpich_pool_counts(o);
	struct acc_obj a;

	acc_obj_load(&a, o->sp, o->layout, T_MPIR_Object_alloc_t, addr);
	struct head h = {
		.initialized = acc_get_u(&a, F_MPIR_Object_alloc_t_initialized) != 0,
		.kind = acc_get_u(&a, F_MPIR_Object_alloc_t_kind),
		.object_bytes = acc_get_u(&a, F_MPIR_Object_alloc_t_size),
		.direct_addr = acc_get_u(&a, F_MPIR_Object_alloc_t_direct),
		.n_direct = acc_get_u(&a, F_MPIR_Object_alloc_t_direct_size),
		.table_addr = acc_get_u(&a, F_MPIR_Object_alloc_t_indirect),
		.n_blocks = acc_get_u(&a, F_MPIR_Object_alloc_t_indirect_size),
		.first_free = acc_get_u(&a, F_MPIR_Object_alloc_t_avail),
		.n_avail = UINT64_MAX,
	};
	h.n_slots = h.n_direct + h.n_blocks * PER_BLOCK;
	if (counts) {
		h.n_slots = acc_get_u(&a, F_MPIR_Object_alloc_t_num_allocated);
		h.n_avail = acc_get_u(&a, F_MPIR_Object_alloc_t_num_avail);
	}
	*ret = h;
	if (a.rc || !h.initialized)
		return a.rc;
	if (h.n_slots > SLOTS_MAX || h.n_slots < h.n_direct || (counts && h.n_avail > h.n_slots) ||
	    h.n_direct > SLOTS_MAX || !h.object_bytes || h.object_bytes > UINT32_MAX || h.n_blocks > ACC_SLOTS_MAX ||
	    (h.n_blocks ? (h.n_slots - h.n_direct) % h.n_blocks : h.n_slots != h.n_direct))
		return ACC_ECORRUPT;
	ret->per_block = h.n_blocks ? (h.n_slots - h.n_direct) / h.n_blocks : 1;
	return ret->per_block && ret->per_block <= INDEX_MASK + 1 ? ACC_OK : ACC_ECORRUPT;
}

/*
 * The pool of requests of a virtual interface other than the first: the elements behind the first of MPIR_Request_mem
 * (src/include/mpir_request.h), without a direct block. @return ACC_NONE: there is none
 */
static enum acc_rc read_next_head(struct rd_mpich *o, const struct rd_mpich_pool *pool, unsigned vci, struct head *ret)
{
	enum acc_rc rc = read_head(o, pool->addr + vci * acc_layout_bytes(o->layout, T_MPIR_Object_alloc_t), ret);

	/* what is behind the array is something else */
	if (ret->kind != RD_MPICH_REQUEST || ret->object_bytes != pool->object_bytes || !ret->initialized)
		return ACC_NONE;
	if (!rc && (ret->n_direct || (pool->per_block > 1 && ret->n_blocks && ret->per_block != pool->per_block)))
		rc = ACC_ECORRUPT;
	return rc;
}

/* Bits of a request's handle that name its pool; since 4.3,
 * when operations got is_commute, one says that there are some. */
static uint32_t pool_bits(const struct rd_mpich *o, unsigned vci)
{
	if (!vci)
		return 0;
	return acc_layout_has(o->layout, F_MPIR_Op_is_commute) ? UINT32_C(1) << 25 | vci << 19 : vci << 20;
}

/* The blocks of one head, behind those that the pool has. */
static enum acc_rc add_blocks(struct rd_mpich *o, struct rd_mpich_pool *pool, const struct head *h, uint32_t handle)
{
	for (uint64_t i = 0; i < h->n_blocks; i++) {
		uint64_t *block = &pool->blocks[pool->n_blocks];

		if (acc_read_ptr(o->sp, h->table_addr + i * o->sp->sizes.pointer_bytes, block))
			return ACC_EREAD;
		if (!acc_plausible(o->sp, *block, 8))
			return ACC_ECORRUPT;
		pool->block_handles[pool->n_blocks++] = handle | (uint32_t)i << INDEX_BITS;
	}
	return ACC_OK;
}

static enum acc_rc read_pool(struct rd_mpich *o, struct rd_mpich_pool *pool, enum rd_mpich_kind kind, uint64_t addr)
{
	uint32_t handle = (uint32_t)INDIRECT << 30 | (uint32_t)kind << 26;
	uint64_t n_blocks;
	unsigned n_vcis = 1;
	struct head h, next;

	pool->addr = addr;
	enum acc_rc rc = read_head(o, addr, &h);
	pool->initialized = h.initialized;
	pool->object_bytes = (uint32_t)h.object_bytes;
	pool->direct_addr = h.direct_addr;
	pool->n_direct = h.n_direct;
	if (rc || !h.initialized)
		return rc;
	pool->per_block = h.per_block;
	n_blocks = h.n_blocks;
	for (; kind == RD_MPICH_REQUEST && n_vcis < VCIS_MAX; n_vcis++) {
		rc = read_next_head(o, pool, n_vcis, &next);
		if (rc == ACC_NONE)
			break;
		if (rc)
			return rc;
		n_blocks += next.n_blocks;
		if (next.n_blocks)
			pool->per_block = next.per_block;
	}
	pool->n_slots = h.n_direct + n_blocks * pool->per_block;
	if (pool->n_slots > SLOTS_MAX)
		return ACC_ECORRUPT;
	pool->blocks = acc_array(o->sp, n_blocks, sizeof(*pool->blocks));
	pool->block_handles = acc_array(o->sp, n_blocks, sizeof(*pool->block_handles));
	pool->is_free = acc_array(o->sp, pool->n_slots, 1);
	if (!pool->blocks || !pool->block_handles || !pool->is_free)
		return ACC_ENOMEM;
	memset(pool->is_free, 0, pool->n_slots);
	rc = add_blocks(o, pool, &h, handle);
	for (unsigned vci = 1; !rc && vci < n_vcis; vci++) {
		rc = read_next_head(o, pool, vci, &next);
		if (!rc && pool->n_blocks + next.n_blocks > n_blocks)
			rc = ACC_ECORRUPT;
		if (!rc)
			rc = add_blocks(o, pool, &next, handle | pool_bits(o, vci));
	}
	if (rc)
		return rc;
	for (unsigned vci = 1; !rc && vci < n_vcis; vci++) {
		rc = read_next_head(o, pool, vci, &next);
		if (!rc)
			rc = read_free(o, pool, kind, next.first_free, next.n_avail);
	}
	if (!rc)
		rc = read_free(o, pool, kind, h.first_free, h.n_avail);
	return rc ? recover(o, pool, kind, rc) : ACC_OK;
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
	enum acc_rc rc = read_pool(o, pool, kind, o->pool_addr[kind]);
	pool->known = rc == ACC_OK;
	if (rc || pool->chain_rc)
		acc_note(&o->sp->note, rc ? rc : pool->chain_rc, "pool of %s at 0x%llx: %s%s",
			 names[kind] ? names[kind] : "objects", (unsigned long long)o->pool_addr[kind],
			 rc ? "" : "chain of free ones: ", acc_rc_text(rc ? rc : pool->chain_rc));
	return rc ? NULL : pool;
}

void rd_mpich_pools_clear(struct rd_mpich *o)
{
	for (unsigned i = 0; i < RD_MPICH_N_KINDS; i++) {
		acc_array_free(o->sp, o->pools[i].blocks);
		acc_array_free(o->sp, o->pools[i].block_handles);
		acc_array_free(o->sp, o->pools[i].is_free);
	}
	memset(o->pools, 0, sizeof(o->pools));
}
