/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The requests allocated from a worker's pool (src/ucs/datastruct/mpool.h): chunks of elements. The word before an
 * element is the address of the pool while the element is in use, and of the next free element otherwise. The pool is
 * read once, in the order of memory, which is faster than following the queues.
 */
#include "ucx.h"
#include "../../access/sort.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum {
	ELEMENT_BYTES_MAX = 64 << 10,
	ALIGN_MAX = 64 << 10,
	ELEMENTS_MAX = 1 << 20, /* of a pool: more than a list can hold */
	FOUND_MAX = ACC_ARENA_BYTES / 2 / sizeof(struct rd_ucx_found),
};

struct chunk {
	uint64_t pool_addr, elems_addr, n, stride;
};

struct chunks {
	struct chunk *all;
	uint64_t n, cap;
};

static uint64_t request_bytes(const struct rd_ucx *u)
{
	return acc_layout_bytes(&u->layout, U_ucp_request_t);
}

/* ---- the table -------------------------------------------------------------------------------------------- */

static bool append_found(struct rd_ucx *u, const struct rd_ucx_found *found)
{
	if (u->n_found == u->cap_found) {
		uint64_t cap = u->cap_found ? 2 * u->cap_found : 256;
		struct rd_ucx_found *more = u->cap_found < FOUND_MAX ? acc_array(u->sp, cap, sizeof(*more)) : NULL;

		if (!more)
			return false;
		if (u->n_found)
			memcpy(more, u->found, u->n_found * sizeof(*more));
		acc_array_free(u->sp, u->found);
		u->found = more;
		u->cap_found = cap;
	}
	u->found[u->n_found++] = *found;
	return true;
}

struct rd_ucx_found *rd_ucx_find(struct rd_ucx *u, uint64_t addr)
{
	for (uint64_t lo = 0, hi = u->n_found; lo < hi;) {
		uint64_t mid = lo + (hi - lo) / 2;

		if (u->found[mid].addr == addr)
			return &u->found[mid];
		if (u->found[mid].addr < addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

/* ---- pools ------------------------------------------------------------------------------------------------ */

/* Distance between elements; 0: invalid. */
static uint64_t stride_of(struct rd_ucx *u, struct acc_obj *data)
{
	bool is_32 = !acc_layout_has(&u->layout, UF_ucs_mpool_data_t_elem_size);
	uint64_t bytes = acc_get_u(data, is_32 ? UF_ucs_mpool_data_t_elem_size_32 : UF_ucs_mpool_data_t_elem_size);
	uint64_t align = acc_get_u(data, is_32 ? UF_ucs_mpool_data_t_alignment_32 : UF_ucs_mpool_data_t_alignment);

	if (data->rc || bytes < request_bytes(u) + u->sp->sizes.pointer_bytes || bytes > ELEMENT_BYTES_MAX || !align ||
	    align > ALIGN_MAX || (align & (align - 1)))
		return 0;
	return (bytes + align - 1) & ~(align - 1);
}

/* The requests of a chunk that are not complete. */
static enum acc_rc take_chunk(struct rd_ucx *u, const struct chunk *chunk)
{
	unsigned width = u->sp->sizes.pointer_bytes;
	uint64_t addr = chunk->elems_addr, owner, flags;
	struct rd_ucx_found found;

	for (uint64_t n = chunk->n; n > 0; n--, addr += chunk->stride) {
		enum acc_rc rc = acc_read_ptr(u->sp, addr, &owner);

		if (rc)
			return rc;
		if (owner != chunk->pool_addr)
			continue;
		rc = acc_read_u(u->sp, addr + width + rd_ucx_offset(u, UF_ucp_request_t_flags), 4, &flags);
		if (rc)
			return rc;
		uint64_t request_addr = addr + width + request_bytes(u);
		enum rd_ucx_kind kind = flags & RD_UCX_COMPLETED ? RD_UCX_OTHER
								 : rd_ucx_kind_of(u, request_addr, flags);
		if (kind == RD_UCX_OTHER || rd_ucx_look(u, request_addr, kind, &found))
			continue;
		if (u->n_found && u->found[u->n_found - 1].addr >= request_addr)
			return ACC_ECORRUPT; /* chunks that overlap */
		if (!append_found(u, &found))
			return ACC_ELIMIT;
	}
	return ACC_OK;
}

static int compare_chunks(const void *a, const void *b)
{
	return acc_compare_u64(&((const struct chunk *)a)->elems_addr, &((const struct chunk *)b)->elems_addr);
}

static bool append_chunk(struct rd_ucx *u, struct chunks *chunks, const struct chunk *chunk)
{
	if (chunks->n == chunks->cap) {
		uint64_t cap = chunks->cap ? 2 * chunks->cap : 64;
		struct chunk *more = acc_array(u->sp, cap, sizeof(*more));

		if (!more)
			return false;
		if (chunks->n)
			memcpy(more, chunks->all, chunks->n * sizeof(*more));
		acc_array_free(u->sp, chunks->all);
		chunks->all = more;
		chunks->cap = cap;
	}
	chunks->all[chunks->n++] = *chunk;
	return true;
}

/* The chunks of a pool. A chunk need not be aligned. The walk is bounded because each has at least one element. */
static enum acc_rc add_pool(struct rd_ucx *u, uint64_t pool_addr, struct chunks *chunks)
{
	uint64_t data_addr, n_left = ELEMENTS_MAX;
	struct acc_obj data, obj;

	enum acc_rc rc = acc_read_ptr(u->sp, pool_addr + rd_ucx_offset(u, UF_ucs_mpool_t_data), &data_addr);
	if (rc)
		return rc;
	acc_obj_load(&data, u->sp, &u->layout, U_ucs_mpool_data_t, data_addr);
	uint64_t stride = stride_of(u, &data), chunk_addr = acc_get_u(&data, UF_ucs_mpool_data_t_chunks);
	if (data.rc || !stride)
		return data.rc ? data.rc : ACC_ECORRUPT;
	while (chunk_addr) {
		acc_obj_load(&obj, u->sp, &u->layout, U_ucs_mpool_chunk_t, chunk_addr);
		struct chunk c = { pool_addr, acc_get_u(&obj, UF_ucs_mpool_chunk_t_elems),
				   acc_get_u(&obj, UF_ucs_mpool_chunk_t_num_elems), stride };
		chunk_addr = acc_get_u(&obj, UF_ucs_mpool_chunk_t_next);
		if (obj.rc)
			return obj.rc;
		if (!c.n || c.n > n_left || !acc_plausible(u->sp, c.elems_addr, u->sp->sizes.pointer_bytes))
			return ACC_ECORRUPT;
		n_left -= c.n;
		if (!append_chunk(u, chunks, &c))
			return ACC_ENOMEM;
	}
	return ACC_OK;
}

enum acc_rc rd_ucx_take_pools(struct rd_ucx *u)
{
	struct acc_note note = u->sp->note;
	struct chunks chunks = { 0 };
	enum acc_rc rc = ACC_OK;

	if (u->pools_taken)
		return u->pools_rc;
	u->pools_taken = true;
	for (unsigned i = 0; !rc && i < u->n_workers; i++)
		rc = add_pool(u, u->worker_addr[i] + rd_ucx_offset(u, UF_ucp_worker_t_req_mp), &chunks);
	if (!rc)
		acc_sort(chunks.all, chunks.n, sizeof(*chunks.all), compare_chunks);
	for (uint64_t i = 0; !rc && i < chunks.n; i++)
		rc = take_chunk(u, &chunks.all[i]);
	acc_array_free(u->sp, chunks.all);
	u->sp->note = note;
	u->pools_rc = rc;
	return rc;
}
