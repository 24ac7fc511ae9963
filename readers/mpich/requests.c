/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPIR_Request (src/include/mpir_request.h): the requests of the pool, and the search for UCX's workers and endpoints.
 */
#include "ops.h"

#include <stdio.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum {
	KIND_ENQUEUE = 9, /* since 4.1; later kinds are one higher than in 4.0 */
	KIND_LAST = RD_MPICH_RMA,
	TYPE_AM = 1, /* MPIDI_REQ_TYPE */
};

/* ---- UCX -------------------------------------------------------------------------------------------------- */

/* MPIDI_UCX_global contains the workers: an entry of three or four words for each of at
 * most MPIDI_CH4_MAX_VCIS (64). */
enum { WORKERS_BYTES = 64 * 64 };

static bool take_worker(struct rd_mpich *o, uint64_t word)
{
	return rd_ucx_is_worker(&o->ucx, word) && rd_ucx_add_worker(&o->ucx, word);
}

/* MPIDI_av_table_t number 0, that of MPI_COMM_WORLD: one entry for each rank, with an endpoint or 0. */
static bool take_peers(struct rd_mpich *o, uint64_t word)
{
	int64_t size = o->n_processes, n_ep = 0;
	uint64_t n, ep, step = acc_layout_bytes(o->layout, T_MPIDI_av_entry_t);
	uint64_t entries = word + acc_layout_bytes(o->layout, T_MPIDI_av_table_t);

	if (acc_read_u(o->sp, word + o->layout->fields[F_MPIDI_av_table_t_size].offset, o->sp->sizes.int_bytes, &n) ||
	    n != (uint64_t)size)
		return false;
	for (int64_t i = 0; i < size; i++) {
		if (acc_read_ptr(o->sp, entries + (uint64_t)i * step, &ep) || (ep && !rd_ucx_is_ep(&o->ucx, ep)))
			return false;
		n_ep += ep != 0;
	}
	if (!n_ep)
		return false;
	o->peers_addr = entries;
	return true;
}

/* Reuse the result of the last search if it is still valid. Workers exist from MPI_Init to MPI_Finalize. */
static bool find_again(struct rd_mpich *o)
{
	uint64_t peers_addr = o->found_peers_addr;

	if (!o->n_found_workers || !peers_addr)
		return false;
	for (unsigned i = 0; i < o->n_found_workers; i++)
		if (!(rd_ucx_is_worker(&o->ucx, o->found_workers[i]) &&
		      rd_ucx_add_worker(&o->ucx, o->found_workers[i]))) {
			rd_ucx_forget(&o->ucx);
			return false;
		}
	if (take_peers(o, peers_addr - acc_layout_bytes(o->layout, T_MPIDI_av_table_t)))
		return true;
	rd_ucx_forget(&o->ucx);
	return false;
}

void rd_mpich_find_ucx(struct rd_mpich *o)
{
	o->ucx_why[0] = '\0';
	o->below = strncmp(o->p->library.component, "ch4:ucx", 7) != 0;
	if (o->below && rd_mpich_has_lists(o))
		return;
	if (o->below) {
		snprintf(o->ucx_why, sizeof(o->ucx_why),
			 "MPICH with the device %.32s hands messages to a library that matches them out of MPICH's "
			 "sight; with mpi2dd-run pending sends and receives are shown",
			 o->p->library.component);
		return;
	}
	if (!o->ucx_ready && rd_ucx_init(&o->ucx, o->sp, o->packs)) {
		snprintf(o->ucx_why, sizeof(o->ucx_why), "MPICH hands messages to UCX, and %.200s", o->ucx.why);
		return;
	}
	o->ucx_ready = true;
	if (find_again(o))
		return;
	rd_mpich_words(o, take_worker, WORKERS_BYTES);
	while (!o->ucx.n_workers && !rd_ucx_another(&o->ucx, o->packs))
		rd_mpich_words(o, take_worker, WORKERS_BYTES);
	if (!o->ucx.n_workers)
		snprintf(o->ucx_why, sizeof(o->ucx_why), "MPICH hands messages to UCX, whose worker is not found");
	else if (acc_layout_has(o->layout, F_MPIDI_av_table_t_size) &&
		 acc_layout_has(o->layout, F_MPIDI_av_entry_t_dest))
		rd_mpich_words(o, take_peers, 0);
	memcpy(o->found_workers, o->ucx.worker_addr, sizeof(o->found_workers));
	o->n_found_workers = o->ucx.n_workers;
	o->found_peers_addr = o->peers_addr;
}

/* ---- the pool ----------------------------------------------------------------------------------------------- */

static bool may_be_self(const struct rd_mpich *o)
{
	return acc_layout_has(o->layout, F_MPIR_Request_self_tag) &&
	       acc_layout_has(o->layout, F_MPIR_Request_self_context_id) &&
	       acc_layout_has(o->layout, F_MPIR_Request_self_buf) &&
	       acc_layout_has(o->layout, F_MPIR_Request_self_count) &&
	       acc_layout_has(o->layout, F_MPIR_Request_self_datatype);
}

/* For a communicator with one process the request contains context and tag. */
static bool is_self(struct rd_mpich *o, struct acc_obj *r, uint64_t *key)
{
	uint64_t context;

	if (!may_be_self(o))
		return false;
	context = acc_get_u(r, F_MPIR_Request_self_context_id);
	for (uint64_t i = 0; i < o->n_comms; i++) {
		const struct rd_mpich_comm *c = &o->comms[i];

		if (c->facts.inter || c->facts.size != 1 || c->context != context)
			continue;
		*key = context << 48 | (acc_get_u(r, F_MPIR_Request_self_tag) & UINT32_MAX);
		return true;
	}
	return false;
}

/* The kind as numbered in 4.0. @return RD_MPICH_PART for kinds that 4.0 does not have: neither is shown */
static uint64_t kind_of(const struct rd_mpich *o, uint64_t kind)
{
	/* 3.4 has no partitioned communication and no persistent collectives */
	if (!rd_mpich_pool_counts(o) && kind >= RD_MPICH_PREQUEST_COLL)
		return kind + (RD_MPICH_GREQUEST - RD_MPICH_PREQUEST_COLL);
	if (!acc_layout_has(o->layout, F_MPIR_Request_enqueue_stream) || kind < KIND_ENQUEUE)
		return kind;
	return kind == KIND_ENQUEUE ? RD_MPICH_PART : kind - 1;
}

/* Is it a request of ch4's generic path? 4.0 does not mark them; there only requests within a node are recognised. */
static bool is_generic(const struct rd_mpich *o, struct acc_obj *r)
{
	if (!rd_mpich_has_lists(o))
		return false;
	if (acc_layout_has(o->layout, F_MPIR_Request_dev_type))
		return acc_get_u(r, F_MPIR_Request_dev_type) == TYPE_AM;
	return acc_layout_has(o->layout, F_MPIR_Request_is_local) && acc_get_u(r, F_MPIR_Request_is_local) == 1;
}

/* A send or receive that is not inside UCX. */
static enum acc_rc elsewhere(struct rd_mpich *o, struct acc_obj *r, uint64_t comm_addr, struct rd_mpich_request *ret)
{
	bool generic = is_generic(o, r);
	struct rd_mpich_am am;

	if (!o->below && !generic)
		return ACC_ECORRUPT;
	if (ret->kind == RD_MPICH_RECV && generic) {
		if (!rd_mpich_am_load(o, ret->addr, &am))
			return ACC_ECORRUPT;
		ret->where = (uint8_t)rd_mpich_am_where(&am);
		ret->key = am.key;
		return am.match_addr && am.match_addr != ret->addr ? ACC_NONE : ACC_OK;
	}
	/* a receive from any source has two requests; the one for this node is listed */
	if (ret->kind == RD_MPICH_RECV && acc_layout_has(o->layout, F_MPIR_Request_anysrc_partner) &&
	    acc_get_u(r, F_MPIR_Request_anysrc_partner))
		return ACC_NONE;
	const struct rd_mpich_debug *d = rd_mpich_debug_of(o, ret->addr);
	for (uint64_t i = 0; i < o->n_comms; i++) {
		const struct rd_mpich_comm *c = &o->comms[i];

		if (comm_addr ? c->addr != comm_addr : !d || c->receive_context != (uint64_t)d->context)
			continue;
		ret->where = RD_MPICH_OPAQUE;
		ret->key = (uint64_t)(ret->kind == RD_MPICH_SEND ? c->context : c->receive_context) << 48;
		return r->rc;
	}
	return comm_addr || !o->below ? ACC_ECORRUPT : ACC_EFIELD;
}

static bool is_persistent(uint64_t kind)
{
	return kind == RD_MPICH_PREQUEST_SEND || kind == RD_MPICH_PREQUEST_RECV || kind == RD_MPICH_PREQUEST_COLL;
}

enum acc_rc rd_mpich_request_unused(struct rd_mpich *o, uint64_t addr)
{
	uint64_t cc_addr, count;

	if (acc_read_ptr(o->sp, addr + o->layout->fields[F_MPIR_Request_cc_ptr].offset, &cc_addr) || !cc_addr)
		return ACC_NONE;
	if (is_persistent(rd_mpich_request_kind(o, addr)) || acc_read_u(o->sp, cc_addr, o->sp->sizes.int_bytes, &count))
		return ACC_ECORRUPT;
	return count ? ACC_ECORRUPT : ACC_NONE;
}

/* Is it a request in use? The current operation of an active persistent request. */
static bool is_in_use(struct rd_mpich *o, uint64_t addr)
{
	const struct rd_mpich_pool *pool = rd_mpich_pool(o, RD_MPICH_REQUEST);
	uint64_t slot;

	return pool && rd_mpich_slot_of(pool, addr, &slot) && !pool->is_free[slot];
}

/* Does the communicator of a request exist? Otherwise no walk over a communicator's operations would find it. */
static bool has_comm(const struct rd_mpich *o, uint64_t comm_addr)
{
	for (uint64_t i = 0; i < o->n_comms; i++)
		if (o->comms[i].addr == comm_addr)
			return true;
	return false;
}

/* Does the tag word name the communicator of the request? 3.4 and 4.0 do not record that of a send or receive. */
static bool names_comm(const struct rd_mpich *o, uint64_t comm_addr, const struct rd_mpich_request *r)
{
	for (uint64_t i = 0; comm_addr && i < o->n_comms; i++) {
		const struct rd_mpich_comm *c = &o->comms[i];

		if (c->addr == comm_addr)
			return rd_mpich_concerns(r->key, r->kind == RD_MPICH_SEND ? c->context : c->receive_context);
	}
	return !comm_addr;
}

/* @return ACC_NONE: complete, or of a kind that is not listed */
static enum acc_rc read_request(struct rd_mpich *o, uint64_t addr, uint32_t handle, struct rd_mpich_request *ret)
{
	struct rd_ucx_request u;
	struct acc_obj r;
	uint64_t count;

	acc_obj_load(&r, o->sp, o->layout, T_MPIR_Request, addr);
	uint64_t own = acc_get_u(&r, F_MPIR_Request_handle), kind = kind_of(o, acc_get_u(&r, F_MPIR_Request_kind));
	uint64_t cc_addr = acc_get_u(&r, F_MPIR_Request_cc_ptr), real_addr = acc_get_u(&r, F_MPIR_Request_real_request);
	uint64_t comm_addr = acc_get_u(&r, F_MPIR_Request_comm);
	int64_t references = acc_get_i(&r, F_MPIR_Request_ref_count);
	if (r.rc)
		return r.rc;
	if (references <= 0)
		return rd_mpich_request_unused(o, addr);
	if (own != handle || kind > KIND_LAST)
		return ACC_ECORRUPT;
	*ret = (struct rd_mpich_request){ .addr = addr, .kind = (uint8_t)kind };
	if (is_persistent(kind)) {
		o->persistent[o->n_persistent++] = (struct rd_mpich_persistent){ addr,
										 real_addr,
										 comm_addr,
										 handle,
										 kind == RD_MPICH_PREQUEST_SEND,
										 kind == RD_MPICH_PREQUEST_COLL };
		return has_comm(o, comm_addr) && (!real_addr || is_in_use(o, real_addr)) ? ACC_NONE : ACC_ECORRUPT;
	}
	if (kind != RD_MPICH_SEND && kind != RD_MPICH_RECV && kind != RD_MPICH_COLL)
		return ACC_NONE;
	enum acc_rc rc = acc_read_u(o->sp, cc_addr, o->sp->sizes.int_bytes, &count);
	if (rc || !count)
		return rc ? rc : ACC_NONE;
	if (kind == RD_MPICH_COLL) {
		ret->key = comm_addr;
		return has_comm(o, comm_addr) ? ACC_OK : ACC_ECORRUPT;
	}
	uint64_t ucp_addr = acc_layout_has(o->layout, F_MPIR_Request_ucp_request)
				    ? acc_get_u(&r, F_MPIR_Request_ucp_request)
				    : 0;
	if (o->ucx.n_workers && rd_ucx_is_request(&o->ucx, ucp_addr)) {
		rc = kind == RD_MPICH_SEND ? rd_ucx_send(&o->ucx, ucp_addr, &u) : rd_ucx_receive(&o->ucx, ucp_addr, &u);
		ret->key = u.tag;
		return rc || names_comm(o, comm_addr, ret) ? rc : ACC_ECORRUPT;
	}
	ret->where = RD_MPICH_SELF;
	return is_self(o, &r, &ret->key) ? ACC_OK : elsewhere(o, &r, comm_addr, ret);
}

/* A message of a collective, or of one of the library's own communicators? */
static bool is_of_collective(struct rd_mpich *o, const struct rd_mpich_request *r)
{
	if (r->kind == RD_MPICH_COLL || r->where == RD_MPICH_OPAQUE || r->where == RD_MPICH_ARRIVED)
		return false;
	if (rd_mpich_context_of(r->key) & RD_MPICH_CONTEXT_COLLECTIVE)
		return true;
	for (uint64_t i = 0; i < o->n_comms; i++) {
		const struct rd_mpich_comm *c = &o->comms[i];

		if (rd_mpich_concerns(r->key, r->kind == RD_MPICH_SEND ? c->context : c->receive_context))
			return c->facts.internal;
	}
	return false;
}

/*
 * A part of a partitioned message, by its own number: kind_of() gives this number also to kinds that 4.0 does not have.
 * Or a message for which MPI_Precv_init was not called yet, to which 4.0 gives no communicator
 * (mpidig_part_callbacks.c).
 */
static bool is_part(struct rd_mpich *o, uint64_t addr)
{
	uint64_t kind, comm_addr;

	if (!rd_mpich_pool_counts(o) ||
	    acc_read_u(o->sp, addr + o->layout->fields[F_MPIR_Request_kind].offset, o->sp->sizes.int_bytes, &kind))
		return false;
	return kind == RD_MPICH_PART ||
	       (kind == RD_MPICH_PART_RECV &&
		!acc_read_ptr(o->sp, addr + o->layout->fields[F_MPIR_Request_comm].offset, &comm_addr) && !comm_addr);
}

bool rd_mpich_is_librarys_request(struct rd_mpich *o, uint64_t addr)
{
	struct acc_note note = o->sp->note;
	struct rd_mpich_am am;
	struct acc_obj r;

	const struct rd_mpich_request_slot *at = rd_mpich_requests(o) ? NULL : rd_mpich_request_slot(o, addr);
	o->sp->note = note;
	if (is_part(o, addr) ||
	    (at && (at->started_by || (at->request && is_of_collective(o, &o->requests[at->request - 1])))))
		return true;
	if (!rd_mpich_has_lists(o) || rd_mpich_request_kind(o, addr) != RD_MPICH_RECV)
		return false;
	acc_obj_load(&r, o->sp, o->layout, T_MPIR_Request, addr);
	bool partner = acc_layout_has(o->layout, F_MPIR_Request_anysrc_partner) &&
		       acc_layout_has(o->layout, F_MPIR_Request_is_local) &&
		       acc_get_u(&r, F_MPIR_Request_anysrc_partner) && !acc_get_u(&r, F_MPIR_Request_is_local);
	bool generic = is_generic(o, &r);
	o->sp->note = note;
	return !r.rc &&
	       (partner || (generic && rd_mpich_am_load(o, addr, &am) && rd_mpich_am_where(&am) == RD_MPICH_ARRIVED));
}

uint64_t rd_mpich_request_kind(struct rd_mpich *o, uint64_t addr)
{
	uint64_t kind;

	if (acc_read_u(o->sp, addr + o->layout->fields[F_MPIR_Request_kind].offset, o->sp->sizes.int_bytes, &kind))
		return 0;
	return kind_of(o, kind);
}

enum mdl_request_type rd_mpich_request_type(struct rd_mpich *o, uint64_t addr)
{
	switch (rd_mpich_request_kind(o, addr)) {
	case RD_MPICH_SEND:
	case RD_MPICH_RECV:
	case RD_MPICH_PREQUEST_SEND:
	case RD_MPICH_PREQUEST_RECV:
		return MDL_REQUEST_POINT_TO_POINT;
	case RD_MPICH_PREQUEST_COLL:
	case RD_MPICH_COLL:
		return MDL_REQUEST_COLLECTIVE;
	case RD_MPICH_GREQUEST:
		return MDL_REQUEST_GENERALIZED;
	case RD_MPICH_RMA:
		return MDL_REQUEST_WINDOW;
	default:
		return MDL_REQUEST_UNKNOWN;
	}
}

enum acc_rc rd_mpich_requests(struct rd_mpich *o)
{
	if (o->requests_built)
		return ACC_OK;
	enum acc_rc rc = rd_mpich_comms(o);
	if (rc)
		return rc;
	const struct rd_mpich_pool *pool = rd_mpich_pool(o, RD_MPICH_REQUEST);
	if (!pool)
		return o->sp->note.rc ? o->sp->note.rc : ACC_ECORRUPT;
	uint64_t n = 0;
	for (uint64_t i = 0; i < pool->n_slots; i++)
		n += !pool->is_free[i];
	o->requests = acc_array(o->sp, n, sizeof(*o->requests));
	o->persistent = acc_array(o->sp, n, sizeof(*o->persistent));
	if (!o->requests || !o->persistent)
		return acc_note(&o->sp->note, ACC_ENOMEM, "requests: %s", acc_rc_text(ACC_ENOMEM));
	o->requests_built = true;
	o->n_bad_requests += pool->chain_rc != ACC_OK;
	rc = rd_mpich_debugq(o, pool);
	if (rc)
		return acc_note(&o->sp->note, rc, "requests: %s", acc_rc_text(rc));
	for (uint64_t i = 0; i < pool->n_slots; i++) {
		uint32_t handle;
		uint64_t addr = rd_mpich_slot(pool, i, RD_MPICH_REQUEST, &handle);
		struct rd_mpich_request r;

		if (pool->is_free[i])
			continue;
		rc = read_request(o, addr, handle, &r);
		if (rc == ACC_OK) {
			o->requests[o->n_requests++] = r;
		} else if (rc != ACC_NONE) {
			o->n_bad_requests++;
			acc_note(&o->sp->note, rc, "MPIR_Request at 0x%llx: %s", (unsigned long long)addr,
				 rc == ACC_EFIELD ? "its communicator is known only to the library below MPICH"
						  : acc_rc_text(rc));
		}
	}
	rc = rd_mpich_lists(o, pool);
	if (!rc)
		rc = rd_mpich_index_requests(o);
	return rc ? acc_note(&o->sp->note, rc, "requests: %s", acc_rc_text(rc)) : ACC_OK;
}

/* Is it the request of a persistent collective whose current operation is among the requests? */
static bool is_active_collective(const struct rd_mpich *o, uint64_t addr)
{
	for (uint64_t i = 0; i < o->n_persistent; i++) {
		const struct rd_mpich_persistent *p = &o->persistent[i];
		for (uint64_t k = 0; p->addr == addr && p->collective && k < o->n_requests; k++)
			if (o->requests[k].addr == p->real_addr && o->requests[k].kind == RD_MPICH_COLL)
				return true;
	}
	return false;
}

/*
 * Sends, receives and collectives are listed as operations, which have other addresses over UCX: here only the kinds
 * count that are not listed.
 */
enum rd_request_is rd_mpich_request_at(void *state, uint64_t addr)
{
	struct rd_mpich *o = state;
	struct acc_note note = o->sp->note;
	const struct rd_mpich_pool *pool = rd_mpich_pool(o, RD_MPICH_REQUEST);
	enum rd_request_is ret = RD_NO_REQUEST;
	uint64_t i, count;
	struct acc_obj r;

	if (!addr)
		return RD_IDLE_REQUEST; /* of MPI_REQUEST_NULL in MPIR_Waitany's array */
	if (pool && rd_mpich_slot_of(pool, addr, &i)) {
		acc_obj_load(&r, o->sp, o->layout, T_MPIR_Request, addr);
		uint64_t kind = kind_of(o, acc_get_u(&r, F_MPIR_Request_kind));
		uint64_t cc_addr = acc_get_u(&r, F_MPIR_Request_cc_ptr);
		bool unused = pool->is_free[i] || acc_get_i(&r, F_MPIR_Request_ref_count) <= 0;
		bool listed = kind == RD_MPICH_SEND || kind == RD_MPICH_RECV || kind == RD_MPICH_COLL ||
			      kind == RD_MPICH_PREQUEST_SEND || kind == RD_MPICH_PREQUEST_RECV ||
			      (kind == RD_MPICH_PREQUEST_COLL && is_active_collective(o, addr));
		if (!r.rc && (unused || listed))
			ret = RD_IDLE_REQUEST;
		else if (r.rc || acc_read_u(o->sp, cc_addr, o->sp->sizes.int_bytes, &count) || count)
			ret = RD_PENDING_REQUEST;
		else
			ret = RD_IDLE_REQUEST;
	}
	o->sp->note = note;
	return ret;
}
