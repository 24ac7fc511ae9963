/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Requests in progress that are in no queue: those of the pools, and those that blocking calls have on their stacks.
 */
#include "ucx.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

/* From the stack pointer to the frame of the MPI function there are some KiB. */
enum { STACK_BYTES_MAX = 256 << 10 };

static const char bad_pool[] = "the pool of requests inside UCX";

static uint64_t request_bytes(const struct rd_ucx *u)
{
	return acc_layout_bytes(&u->layout, U_ucp_request_t);
}

/* ---- stacks ------------------------------------------------------------------------------------------------ */

/* Add a request that is not complete according to @p flags. */
static void take_request(struct rd_ucx *u, uint64_t addr, uint64_t flags)
{
	enum rd_ucx_kind kind = rd_ucx_kind_of(u, addr, flags);
	struct rd_ucx_found f;

	if (kind == RD_UCX_OTHER || rd_ucx_look(u, addr, kind, &f) ||
	    (kind == RD_UCX_RECEIVE && (u->receives.rc || rd_ucx_is_posted(u, addr, f.sequence))))
		return;
	rd_ucx_list_append(u, kind == RD_UCX_SEND ? &u->sends : &u->begun,
			   &(struct rd_ucx_entry){ addr, f.tag, f.sequence });
}

/* Is the buffer of a request readable? This excludes most data on a stack that only look like a request. */
static bool has_data(struct rd_ucx *u, uint64_t addr)
{
	struct rd_ucx_request r;
	unsigned char byte;

	if (rd_ucx_send(u, addr, &r))
		return false;
	return r.pieces || !r.bytes ||
	       (!acc_read(u->sp, r.buffer, 1, &byte) && !acc_read(u->sp, r.buffer + r.bytes - 1, 1, &byte));
}

/* Add the request at @p addr of a stack, whose contents are at @p bytes, if there is one in progress. */
static void take_place(struct rd_ucx *u, const unsigned char *bytes, uint64_t addr)
{
	unsigned width = u->sp->sizes.pointer_bytes;
	uint64_t flags = acc_decode_u(u->sp, bytes + rd_ucx_offset(u, UF_ucp_request_t_flags), 4);
	uint64_t ep_addr = acc_decode_u(u->sp, bytes + rd_ucx_offset(u, UF_ucp_request_t_send_ep), width);
	uint64_t worker_addr = acc_decode_u(u->sp, bytes + rd_ucx_offset(u, UF_ucp_request_t_recv_worker), width);

	if (flags & (RD_UCX_COMPLETED | RD_UCX_RELEASED))
		return;
	if (flags & RD_UCX_RECV_TAG) {
		for (unsigned i = 0; i < u->n_workers; i++)
			if (worker_addr == u->worker_addr[i])
				take_request(u, addr + request_bytes(u), flags);
	} else if (flags & (RD_UCX_SEND_TAG | RD_UCX_PROTO_SEND) && !(flags & RD_UCX_NO_SEND) &&
		   rd_ucx_is_ep(u, ep_addr) && has_data(u, addr + request_bytes(u))) {
		take_request(u, addr + request_bytes(u), flags);
	}
}

/* An unreadable stack contributes nothing. */
static void take_stack(struct rd_ucx *u, const struct rd_stack *stack, unsigned char *buffer)
{
	uint64_t lo = (stack->lo + 7) & ~UINT64_C(7);
	uint64_t bytes = stack->hi > lo ? stack->hi - lo : 0;

	if (bytes > STACK_BYTES_MAX)
		bytes = STACK_BYTES_MAX;
	if (bytes < request_bytes(u) || acc_read(u->sp, lo, (size_t)bytes, buffer))
		return;
	uint64_t n_sends = u->sends.n, n_begun = u->begun.n;
	for (uint64_t i = 0; i + request_bytes(u) <= bytes; i += 8)
		take_place(u, buffer + i, lo + i);
	if (stack->no_pointer && u->sends.n - n_sends + u->begun.n - n_begun > 1) {
		u->sends.n = n_sends;
		u->begun.n = n_begun;
		rd_ucx_list_spoil(&u->sends, ACC_ECORRUPT,
				  "the request of a blocking call, of which the stack has several");
	}
}

/* ---- all ---------------------------------------------------------------------------------------------------- */

static void build(struct rd_ucx *u)
{
	struct acc_note note = u->sp->note;

	if (u->under_way_built)
		return;
	u->under_way_built = true;
	const struct rd_ucx_list *posted = rd_ucx_receives(u); /* needed to tell posted from matched receives */
	enum acc_rc rc = rd_ucx_take_pools(u);

	if (rc) {
		rd_ucx_list_spoil(&u->sends, rc, bad_pool);
		rd_ucx_list_spoil(&u->begun, rc, bad_pool);
	} else if (posted->rc) {
		rd_ucx_list_spoil(&u->begun, posted->rc, "receives inside UCX that are in no queue");
	}
	for (uint64_t i = 0; i < u->n_found; i++) {
		const struct rd_ucx_found *f = &u->found[i];
		bool send = f->kind == RD_UCX_SEND;

		if ((send || (!f->posted && !posted->rc)) &&
		    !rd_ucx_list_append(u, send ? &u->sends : &u->begun,
					&(struct rd_ucx_entry){ f->addr, f->tag, f->sequence }))
			break;
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
	u->under_way_built = false;
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
