/* SPDX-License-Identifier: BSD-3-Clause */
#include "ucx.h"

#include <stdio.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

/*
 * The next pack whose witnesses agree, starting at u->next_pack. Releases with different structures may have the same
 * witnesses (1.20 and 1.21), so packs for the version of the library are tried before the others.
 */
static const struct acc_pack *choose_pack(struct rd_ucx *u, const struct rd_packs *packs)
{
	struct acc_witness_result r;

	while (packs && u->next_pack < 2 * packs->n) {
		bool named = u->next_pack < packs->n;
		const struct acc_pack *pack = packs->packs[u->next_pack++ % packs->n];

		if (!pack || strcmp(pack->implementation, rd_ucx_schema.name) ||
		    rd_ucx_names(pack->version, u->version) != named)
			continue;
		if (acc_witness_check(u->sp, pack, &r) == ACC_OK) {
			u->witnesses = r;
			return pack;
		}
		snprintf(u->why, sizeof(u->why), "the layout pack for UCX %.16s disagrees: %.150s", pack->version,
			 r.first);
	}
	return NULL;
}

static enum acc_rc take_pack(struct rd_ucx *u, const struct rd_packs *packs)
{
	struct acc_note note = u->sp->note;
	const struct acc_pack *pack = choose_pack(u, packs);
	struct acc_layout layout;

	if (!pack)
		return ACC_EWITNESS;
	memset(&layout, 0, sizeof(layout));
	enum acc_rc rc = acc_layout_resolve(u->sp, &rd_ucx_schema, NULL, pack, &layout);
	if (rc) {
		snprintf(u->why, sizeof(u->why), "layout of UCX: %.200s", u->sp->note.text);
	} else {
		acc_layout_deinit(u->sp, &u->layout);
		u->layout = layout;
		u->why[0] = '\0';
	}
	u->sp->note = note;
	return rc;
}

enum acc_rc rd_ucx_init(struct rd_ucx *u, struct acc_space *sp, const struct rd_packs *packs)
{
	memset(u, 0, sizeof(*u));
	u->sp = sp;
	rd_ucx_version(sp, u->version);
	snprintf(u->why, sizeof(u->why), "there is no layout pack for UCX");
	return take_pack(u, packs);
}

enum acc_rc rd_ucx_another(struct rd_ucx *u, const struct rd_packs *packs)
{
	rd_ucx_forget(u);
	return take_pack(u, packs);
}

void rd_ucx_pack_text(const struct rd_ucx *u, char *text, size_t size)
{
	static const char start[] = "; pack ucx ";
	char *old = strstr(text, start);
	size_t n = old ? (size_t)(old - text) : strlen(text);

	if (u->layout.pack && n < size)
		snprintf(text + n, size - n, "%s%.16s (%.30s), %u witnesses agree", start, u->layout.pack->version,
			 u->layout.pack->system, u->witnesses.n_agree);
}

void rd_ucx_forget(struct rd_ucx *u)
{
	if (!u->sp)
		return;
	struct rd_ucx_list *lists[] = { &u->receives, &u->messages, &u->sends, &u->begun };

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		acc_array_free(u->sp, lists[i]->entries);
		memset(lists[i], 0, sizeof(*lists[i]));
	}
	u->n_workers = 0;
	u->stacks = NULL;
	u->n_stacks = 0;
	acc_array_free(u->sp, u->found);
	u->found = NULL;
	u->n_found = u->cap_found = 0;
	u->pools_rc = ACC_OK;
	u->built = u->under_way_built = u->pools_taken = false;
}

void rd_ucx_deinit(struct rd_ucx *u)
{
	if (!u->sp)
		return;
	rd_ucx_forget(u);
	acc_layout_deinit(u->sp, &u->layout);
	memset(u, 0, sizeof(*u));
}

/* ---- workers -------------------------------------------------------------------------------------------- */

/* Is the queue consistent? Its tail is the queue itself if it is empty, and otherwise a plausible address. */
static bool queue_holds(const struct rd_ucx *u, uint64_t addr)
{
	uint64_t head, tail, count;

	if (acc_read_ptr(u->sp, addr + rd_ucx_offset(u, UF_ucs_queue_head_t_head), &head) ||
	    acc_read_ptr(u->sp, addr + rd_ucx_offset(u, UF_ucs_queue_head_t_ptail), &tail) ||
	    acc_read_u(u->sp, addr + rd_ucx_offset(u, UF_ucp_request_queue_t_sw_count), u->sp->sizes.int_bytes,
		       &count) ||
	    !acc_plausible(u->sp, tail, 8))
		return false;
	if (tail == addr)
		return count == 0;
	return acc_plausible(u->sp, head, 8) && count <= ACC_LIST_MAX && !acc_read_ptr(u->sp, tail, &head);
}

/* A circular list: its neighbours on both sides point back. */
static bool list_holds(const struct rd_ucx *u, uint64_t addr)
{
	uint64_t next, prev, back;
	uint64_t next_off = rd_ucx_offset(u, UF_ucs_list_link_t_next),
		 prev_off = rd_ucx_offset(u, UF_ucs_list_link_t_prev);

	return !acc_read_ptr(u->sp, addr + next_off, &next) && !acc_read_ptr(u->sp, addr + prev_off, &prev) &&
	       acc_plausible(u->sp, next, 8) && acc_plausible(u->sp, prev, 8) &&
	       !acc_read_ptr(u->sp, next + prev_off, &back) && back == addr &&
	       !acc_read_ptr(u->sp, prev + next_off, &back) && back == addr;
}

/* A chunk of the pool, unless there is none yet: its elements can be read. Where the list is
 * differs between releases. */
static bool chunk_holds(const struct rd_ucx *u, uint64_t data_addr)
{
	uint64_t chunk_addr, elems_addr, n, owner;

	if (acc_read_ptr(u->sp, data_addr + rd_ucx_offset(u, UF_ucs_mpool_data_t_chunks), &chunk_addr))
		return false;
	return !chunk_addr ||
	       (!acc_read_ptr(u->sp, chunk_addr + rd_ucx_offset(u, UF_ucs_mpool_chunk_t_elems), &elems_addr) &&
		!acc_read_u(u->sp, chunk_addr + rd_ucx_offset(u, UF_ucs_mpool_chunk_t_num_elems),
			    u->sp->sizes.int_bytes, &n) &&
		n && acc_plausible(u->sp, elems_addr, 8) && !acc_read_ptr(u->sp, elems_addr, &owner));
}

/* The elements of the pool of requests: a word, UCX's part and the MPI's, whose size is known then. */
static bool pool_holds(const struct rd_ucx *u, uint64_t pool_addr)
{
	bool is_32 = !acc_layout_has(&u->layout, UF_ucs_mpool_data_t_elem_size);
	const struct acc_field_at
		*size = &u->layout.fields[is_32 ? UF_ucs_mpool_data_t_elem_size_32 : UF_ucs_mpool_data_t_elem_size];
	uint64_t data_addr, bytes, request = acc_layout_bytes(&u->layout, U_ucp_request_t) + u->sp->sizes.pointer_bytes;

	if (acc_read_ptr(u->sp, pool_addr + rd_ucx_offset(u, UF_ucs_mpool_t_data), &data_addr) ||
	    !acc_plausible(u->sp, data_addr, 8) || size->source == ACC_SRC_NONE ||
	    acc_read_u(u->sp, data_addr + size->offset, size->width, &bytes))
		return false;
	return (u->own_bytes ? bytes == request + u->own_bytes : bytes >= request) && chunk_holds(u, data_addr);
}

bool rd_ucx_is_worker(const struct rd_ucx *u, uint64_t addr)
{
	uint64_t hash;

	/* Also check the first and the last bucket: most are empty. */
	return acc_plausible(u->sp, addr, 8) &&
	       list_holds(u, addr + rd_ucx_offset(u, UF_ucp_worker_t_unexpected_all)) &&
	       queue_holds(u, addr + rd_ucx_offset(u, UF_ucp_worker_t_expected_wildcard)) &&
	       pool_holds(u, addr + rd_ucx_offset(u, UF_ucp_worker_t_req_mp)) &&
	       !acc_read_ptr(u->sp, addr + rd_ucx_offset(u, UF_ucp_worker_t_expected_hash), &hash) &&
	       acc_plausible(u->sp, hash, 8) && queue_holds(u, hash) &&
	       queue_holds(u, hash + (RD_UCX_HASH - 1) * acc_layout_bytes(&u->layout, U_ucp_request_queue_t));
}

bool rd_ucx_add_worker(struct rd_ucx *u, uint64_t addr)
{
	for (unsigned i = 0; i < u->n_workers; i++)
		if (u->worker_addr[i] == addr)
			return true;
	if (u->n_workers == RD_UCX_WORKERS_MAX)
		return false;
	u->worker_addr[u->n_workers++] = addr;
	return true;
}

bool rd_ucx_is_ep(const struct rd_ucx *u, uint64_t addr)
{
	uint64_t worker;

	if (!acc_plausible(u->sp, addr, 8) || acc_read_ptr(u->sp, addr + rd_ucx_offset(u, UF_ucp_ep_t_worker), &worker))
		return false;
	for (unsigned i = 0; i < u->n_workers; i++)
		if (u->worker_addr[i] == worker)
			return true;
	return false;
}
