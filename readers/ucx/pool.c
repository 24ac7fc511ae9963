/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Requests that are under way and in no queue. A worker gives out its requests from a pool
 * (src/ucs/datastruct/mpool.h): chunks of elements, each after a word that names the pool while the element is in use
 * and the next free one otherwise. A blocking call may give UCX a request on its stack instead.
 */
#include "ucx.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum {
	ELEMENT_BYTES_MAX = 64 << 10,
	ALIGN_MAX = 64 << 10,
	ELEMENTS_MAX = 1 << 20,      /* of a pool: more than a list takes */
	STACK_BYTES_MAX = 256 << 10, /* a stack up to an MPI function's frame has some KiB */
	OP_TAG_LAST = 1,             /* ucp_operation_id_t: tagged sends, then synchronous ones */
};

static const char bad_pool[] = "the pool of requests inside UCX";

static uint64_t at(const struct rd_ucx *u, unsigned field)
{
	return u->layout.fields[field].offset;
}

static uint64_t request_bytes(const struct rd_ucx *u)
{
	return acc_layout_bytes(&u->layout, U_ucp_request_t);
}

/* ---- one request ------------------------------------------------------------------------------------------ */

static enum rd_ucx_kind kind_of(struct rd_ucx *u, uint64_t addr, uint64_t flags)
{
	uint64_t config_addr, op;

	if (flags & RD_UCX_RECV_TAG)
		return flags & RD_UCX_NO_RECEIVE ? RD_UCX_OTHER : RD_UCX_RECEIVE;
	if (flags & RD_UCX_NO_SEND)
		return RD_UCX_OTHER;
	if (!(flags & RD_UCX_PROTO_SEND))
		return flags & RD_UCX_SEND_TAG ? RD_UCX_SEND : RD_UCX_OTHER;
	/* A send by the newer protocols becomes another operation when the receiver has answered, and its tag is
	 * overwritten. */
	if (acc_read_ptr(u->sp, addr - request_bytes(u) + at(u, UF_ucp_request_t_send_config), &config_addr) ||
	    !rd_ucx_operation(u, config_addr, &op) || op > OP_TAG_LAST)
		return RD_UCX_OTHER;
	return RD_UCX_SEND;
}

enum rd_ucx_kind rd_ucx_what(struct rd_ucx *u, uint64_t addr, bool *complete)
{
	uint64_t flags;

	if (!rd_ucx_is_request(u, addr) ||
	    acc_read_u(u->sp, addr - request_bytes(u) + at(u, UF_ucp_request_t_flags), 4, &flags))
		return RD_UCX_OTHER;
	*complete = flags & RD_UCX_COMPLETED;
	return kind_of(u, addr, flags);
}

/* A request that is not complete according to @p flags. @return false: there is no room for it */
static bool take(struct rd_ucx *u, uint64_t addr, uint64_t flags)
{
	struct rd_ucx_request r;

	switch (kind_of(u, addr, flags)) {
	case RD_UCX_RECEIVE:
		if (rd_ucx_receive(u, addr, &r) || rd_ucx_is_posted(u, addr, r.sequence))
			return true;
		return rd_ucx_list_append(u, &u->begun, &(struct rd_ucx_entry){ addr, r.tag, r.sequence });
	case RD_UCX_SEND:
		if (rd_ucx_send(u, addr, &r))
			return true;
		return rd_ucx_list_append(u, &u->sends, &(struct rd_ucx_entry){ addr, r.tag, 0 });
	default:
		return true;
	}
}

/* ---- pools ------------------------------------------------------------------------------------------------ */

/* Distance of two elements; 0: invalid. */
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

static enum acc_rc take_chunk(struct rd_ucx *u, uint64_t pool_addr, uint64_t chunk_addr, uint64_t stride,
			      uint64_t *n_left)
{
	unsigned width = u->sp->sizes.pointer_bytes;
	struct acc_obj chunk;
	uint64_t owner, flags;

	acc_obj_load(&chunk, u->sp, &u->layout, U_ucs_mpool_chunk_t, chunk_addr);
	uint64_t addr = acc_get_u(&chunk, UF_ucs_mpool_chunk_t_elems);
	uint64_t n = acc_get_u(&chunk, UF_ucs_mpool_chunk_t_num_elems);
	if (chunk.rc)
		return chunk.rc;
	if (!n || n > *n_left || !acc_plausible(u->sp, addr, width))
		return ACC_ECORRUPT;
	*n_left -= n;
	for (; n > 0; n--, addr += stride) {
		enum acc_rc rc = acc_read_ptr(u->sp, addr, &owner);

		if (rc)
			return rc;
		if (owner != pool_addr)
			continue;
		rc = acc_read_u(u->sp, addr + width + at(u, UF_ucp_request_t_flags), 4, &flags);
		if (rc)
			return rc;
		if (!(flags & RD_UCX_COMPLETED) && !take(u, addr + width + request_bytes(u), flags))
			return ACC_ELIMIT; /* which the list says */
	}
	return ACC_OK;
}

static enum acc_rc take_pool(struct rd_ucx *u, uint64_t pool_addr)
{
	uint64_t data_addr, n_left = ELEMENTS_MAX;
	struct acc_obj data;

	enum acc_rc rc = acc_read_ptr(u->sp, pool_addr + at(u, UF_ucs_mpool_t_data), &data_addr);
	if (rc)
		return rc;
	acc_obj_load(&data, u->sp, &u->layout, U_ucs_mpool_data_t, data_addr);
	uint64_t stride = stride_of(u, &data), chunk_addr = acc_get_u(&data, UF_ucs_mpool_data_t_chunks);
	if (data.rc || !stride)
		return data.rc ? data.rc : ACC_ECORRUPT;
	/* A chunk is not aligned to a word. Each has an element at least: that bounds the walk. */
	while (!rc && chunk_addr) {
		rc = take_chunk(u, pool_addr, chunk_addr, stride, &n_left);
		if (!rc)
			rc = acc_read_ptr(u->sp, chunk_addr + at(u, UF_ucs_mpool_chunk_t_next), &chunk_addr);
	}
	return rc;
}

/* ---- stacks ------------------------------------------------------------------------------------------------ */

/* Are the data of a request within reach? What only looks like a request on a stack has no such buffer. */
static bool has_data(struct rd_ucx *u, uint64_t addr)
{
	struct rd_ucx_request r;
	unsigned char byte;

	if (rd_ucx_send(u, addr, &r))
		return false;
	return r.pieces || !r.bytes ||
	       (!acc_read(u->sp, r.buffer, 1, &byte) && !acc_read(u->sp, r.buffer + r.bytes - 1, 1, &byte));
}

/* A pending request at @p bytes of a stack copy, whose address in the target is @p addr. */
static void take_place(struct rd_ucx *u, const unsigned char *bytes, uint64_t addr)
{
	unsigned width = u->sp->sizes.pointer_bytes;
	uint64_t flags = acc_decode_u(u->sp, bytes + at(u, UF_ucp_request_t_flags), 4);
	uint64_t ep_addr = acc_decode_u(u->sp, bytes + at(u, UF_ucp_request_t_send_ep), width);
	uint64_t worker_addr = acc_decode_u(u->sp, bytes + at(u, UF_ucp_request_t_recv_worker), width);

	if (flags & (RD_UCX_COMPLETED | RD_UCX_RELEASED))
		return;
	if (flags & RD_UCX_RECV_TAG) {
		for (unsigned i = 0; i < u->n_workers; i++)
			if (worker_addr == u->worker_addr[i])
				take(u, addr + request_bytes(u), flags);
	} else if (flags & (RD_UCX_SEND_TAG | RD_UCX_PROTO_SEND) && !(flags & RD_UCX_NO_SEND) &&
		   rd_ucx_is_ep(u, ep_addr) && has_data(u, addr + request_bytes(u))) {
		take(u, addr + request_bytes(u), flags);
	}
}

/* A stack that cannot be read has none. */
static void take_stack(struct rd_ucx *u, const struct rd_stack *stack, unsigned char *buffer)
{
	uint64_t lo = (stack->lo + 7) & ~UINT64_C(7);
	uint64_t bytes = stack->hi > lo ? stack->hi - lo : 0;

	if (bytes > STACK_BYTES_MAX)
		bytes = STACK_BYTES_MAX;
	if (bytes < request_bytes(u) || acc_read(u->sp, lo, (size_t)bytes, buffer))
		return;
	for (uint64_t i = 0; i + request_bytes(u) <= bytes; i += 8)
		take_place(u, buffer + i, lo + i);
}

/* ---- all ---------------------------------------------------------------------------------------------------- */

static void build(struct rd_ucx *u)
{
	struct acc_note note = u->sp->note;

	if (u->pools_built)
		return;
	u->pools_built = true;
	for (unsigned i = 0; i < u->n_workers; i++) {
		enum acc_rc rc = take_pool(u, u->worker_addr[i] + at(u, UF_ucp_worker_t_req_mp));

		if (rc) {
			rd_ucx_list_spoil(&u->sends, rc, bad_pool);
			rd_ucx_list_spoil(&u->begun, rc, bad_pool);
		}
	}
	unsigned char *buffer = u->n_stacks ? acc_array(u->sp, STACK_BYTES_MAX, 1) : NULL;
	for (size_t i = 0; buffer && i < u->n_stacks; i++)
		take_stack(u, &u->stacks[i], buffer);
	acc_array_free(u->sp, buffer);
	if (u->n_stacks && !buffer)
		rd_ucx_list_spoil(&u->sends, ACC_ENOMEM, "stacks of threads");
	u->sp->note = note;
}

void rd_ucx_set_stacks(struct rd_ucx *u, const struct rd_stack *stacks, size_t n)
{
	struct rd_ucx_list *lists[] = { &u->sends, &u->begun };

	for (size_t i = 0; u->sp && i < sizeof(lists) / sizeof(lists[0]); i++) {
		acc_array_free(u->sp, lists[i]->entries);
		memset(lists[i], 0, sizeof(*lists[i]));
	}
	u->pools_built = false;
	u->stacks = stacks;
	u->n_stacks = n;
}

const struct rd_ucx_list *rd_ucx_sends(struct rd_ucx *u)
{
	build(u);
	return &u->sends;
}

const struct rd_ucx_list *rd_ucx_begun(struct rd_ucx *u)
{
	build(u);
	return &u->begun;
}
