/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pending operations. MPICH's tag word for UCX (src/mpid/ch4/netmod/ucx/ucx_impl.h, with 16 bits for ranks): the
 * context in bits 48 to 63, the rank in bits 32 to 47, the tag below.
 */
#include "mpich.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum {
	IT_SERIAL,
	IT_PHASE,
	IT_AT,
	ANY_SOURCE = -2, /* mpi.h */
	PROC_NULL = -1,
	ANY_TAG = -1,
	KIND_SEND = 1,
	KIND_RECV = 2,
	KIND_COLL = 10,
	RECEIVE_UNPACK = 1,     /* MPIDI_UCX_reqtype */
	TAG_BITS = 0x0fffffff,  /* MPI_TAG_UB; three bits above are for errors */
	CONTEXT_COLLECTIVE = 1, /* of the library's own messages in a communicator */
};

enum phase { PHASE_QUEUE, PHASE_REQUESTS, PHASE_INACTIVE, PHASE_BAD };

static const char by_ucx[] = "MPICH passes bytes to UCX, not elements of a datatype";

static uint64_t context_of(uint64_t tag)
{
	return tag >> 48;
}

static bool concerns(uint64_t tag, uint32_t context)
{
	return (context_of(tag) & ~(uint64_t)CONTEXT_COLLECTIVE) == context;
}

enum acc_rc rd_mpich_ops_available(void *state, enum mdl_op_class op_class, const char **why)
{
	struct rd_mpich *o = state;

	if (!o->world_addr)
		*why = "MPI is not initialized, or finalized";
	else if (op_class == MDL_COLLECTIVES || !o->ucx_why[0])
		return ACC_OK;
	else
		*why = o->ucx_why;
	return ACC_NONE;
}

enum acc_rc rd_mpich_op_first(void *state, struct rd_op_iter *it)
{
	struct rd_mpich *o = state;
	const char *why;

	enum acc_rc rc = rd_mpich_ops_available(o, it->op_class, &why);
	if (!rc)
		rc = rd_mpich_requests(o);
	if (rc)
		return rc;
	if (!it->comm && it->op_class != MDL_UNEXPECTED)
		return ACC_NONE;
	if (it->comm && !rd_mpich_comm_find(o, it->comm->handle))
		return ACC_NONE;
	it->state[IT_SERIAL] = o->serial_now = ++o->serial;
	it->state[IT_PHASE] = it->op_class == MDL_RECEIVES || it->op_class == MDL_UNEXPECTED ? PHASE_QUEUE
											     : PHASE_REQUESTS;
	it->state[IT_AT] = 0;
	return ACC_OK;
}

/* ---- parts of an operation ---------------------------------------------------------------------------------- */

static void start(const struct rd_mpich_comm *c, enum mdl_op_kind kind, uint64_t tag, struct mdl_op *op)
{
	*op = rd_ucx_op(kind);
	op->internal = (c && c->facts.internal) || (context_of(tag) & CONTEXT_COLLECTIVE);
	if (kind != MDL_MESSAGE)
		op->count = mdl_unavailable(by_ucx);
}

/* The datatype's name, and bytes of what has none yet. */
static void name_type(struct rd_mpich *o, struct mdl_op *op)
{
	uint64_t bytes;
	int64_t all;

	if (op->datatype_handle.known != MDL_KNOWN || op->count.known != MDL_KNOWN ||
	    rd_mpich_datatype_get(o, (uint64_t)op->datatype_handle.value, op->datatype, &bytes))
		return;
	if (op->bytes.known != MDL_KNOWN && bytes <= INT64_MAX &&
	    !__builtin_mul_overflow((int64_t)bytes, op->count.value, &all))
		op->bytes = mdl_known(all);
}

static bool has_arguments(const struct rd_mpich *o)
{
	return acc_layout_has(o->layout, F_MPIR_Request_preq_buffer) &&
	       acc_layout_has(o->layout, F_MPIR_Request_preq_count) &&
	       acc_layout_has(o->layout, F_MPIR_Request_preq_datatype) &&
	       acc_layout_has(o->layout, F_MPIR_Request_preq_tag) &&
	       acc_layout_has(o->layout, F_MPIR_Request_preq_rank) &&
	       acc_layout_has(o->layout, F_MPIR_Request_preq_type);
}

static enum mdl_send_mode mode_of(uint64_t type)
{
	static const unsigned char modes[] = { MDL_MODE_UNKNOWN, MDL_STANDARD, MDL_BUFFERED, MDL_SYNCHRONOUS };

	return type < sizeof(modes) ? (enum mdl_send_mode)modes[type] : MDL_MODE_UNKNOWN;
}

/* A persistent request has its arguments (MPIDI_prequest_t). */
static void take_arguments(struct rd_mpich *o, uint64_t addr, struct mdl_op *op)
{
	struct acc_note note = o->sp->note;
	struct acc_obj r;

	if (!has_arguments(o))
		return;
	acc_obj_load(&r, o->sp, o->layout, T_MPIR_Request, addr);
	int64_t count = acc_get_i(&r, F_MPIR_Request_preq_count);
	uint64_t datatype = acc_get_u(&r, F_MPIR_Request_preq_datatype), type = acc_get_u(&r, F_MPIR_Request_preq_type);
	uint64_t buffer = acc_get_u(&r, F_MPIR_Request_preq_buffer);
	o->sp->note = note;
	if (r.rc || count < 0)
		return;
	op->count = mdl_known(count);
	op->datatype_handle = mdl_known((int64_t)datatype);
	op->buffer = mdl_known((int64_t)buffer);
	if (op->kind == MDL_SEND)
		op->mode = mode_of(type);
	name_type(o, op);
}

/* The request's handle, and whether a persistent one has started it. */
static void name_request(struct rd_mpich *o, uint64_t request_addr, struct mdl_op *op)
{
	const struct rd_mpich_pool *pool = rd_mpich_pool(o, RD_MPICH_REQUEST);
	uint64_t slot, references;
	uint32_t handle;

	op->request = op->fortran = mdl_unavailable("UCX's request names none of MPICH's");
	if (!pool || !rd_mpich_slot_of(pool, request_addr, &slot) || pool->is_free[slot])
		return;
	rd_mpich_slot(pool, slot, RD_MPICH_REQUEST, &handle);
	for (uint64_t i = 0; i < o->n_persistent; i++)
		if (o->persistent[i].real_addr == request_addr) {
			handle = o->persistent[i].handle;
			op->persistent = true;
			take_arguments(o, o->persistent[i].addr, op);
		}
	/* one reference is the library's, one the program's until MPI_Request_free */
	op->freed = !op->persistent &&
		    !acc_read_u(o->sp, request_addr + o->layout->fields[F_MPIR_Request_ref_count].offset,
				o->sp->sizes.int_bytes, &references) &&
		    references == 1;
	op->addr = request_addr;
	op->request = mdl_known((int64_t)handle);
	op->fortran = mdl_known((int32_t)handle);
}

static void set_peer(struct rd_mpich *o, const struct rd_mpich_comm *c, int64_t rank, struct mdl_op *op)
{
	op->peer = mdl_known(rank);
	op->peer_world = c ? rd_mpich_world_rank(o, c, rank) : mdl_unavailable("its communicator does not exist here");
}

static int64_t peers_of(const struct rd_mpich_comm *c)
{
	return c->facts.inter ? c->facts.remote_size : c->facts.size;
}

/* What a receive is for. @return false: the mask is none that MPICH makes */
static bool set_wanted(struct rd_mpich *o, const struct rd_mpich_comm *c, uint64_t tag, uint64_t mask,
		       struct mdl_op *op)
{
	uint64_t ranks = mask >> 32 & UINT16_MAX, tags = mask & TAG_BITS;
	int64_t rank = (int64_t)(tag >> 32 & UINT16_MAX);

	if (mask >> 48 != UINT16_MAX || (ranks && ranks != UINT16_MAX) || (tags && tags != TAG_BITS))
		return false;
	op->tag = tags ? mdl_known((int64_t)(tag & TAG_BITS)) : mdl_any();
	if (!ranks) {
		op->peer = op->peer_world = mdl_any();
		return true;
	}
	if (rank >= peers_of(c))
		return false;
	set_peer(o, c, rank, op);
	return true;
}

static struct mdl_num buffer_of(const struct rd_ucx_request *u)
{
	return u->pieces ? mdl_unavailable("the data are in several pieces") : mdl_known((int64_t)u->buffer);
}

/* Where MPICH unpacks the data itself UCX has its buffer, not the program's. */
static struct mdl_num receive_buffer(struct rd_mpich *o, const struct rd_ucx_request *u)
{
	struct acc_note note = o->sp->note;
	const struct rd_mpich_pool *pool = rd_mpich_pool(o, RD_MPICH_REQUEST);
	struct acc_obj r;
	uint64_t slot;

	if (!acc_layout_has(o->layout, F_MPIR_Request_ucx_type) ||
	    !acc_layout_has(o->layout, F_MPIR_Request_ucx_user_buf))
		return buffer_of(u);
	if (!pool || !rd_mpich_slot_of(pool, u->user_data, &slot) || pool->is_free[slot])
		return mdl_unavailable("UCX's request names none of MPICH's");
	acc_obj_load(&r, o->sp, o->layout, T_MPIR_Request, u->user_data);
	uint64_t type = acc_get_u(&r, F_MPIR_Request_ucx_type);
	uint64_t buffer = acc_get_u(&r, F_MPIR_Request_ucx_user_buf);
	o->sp->note = note;
	if (r.rc)
		return mdl_unavailable("MPICH's request cannot be read");
	return type == RECEIVE_UNPACK ? mdl_known((int64_t)buffer) : buffer_of(u);
}

/* ---- receives ------------------------------------------------------------------------------------------------- */

static enum acc_rc receive(struct rd_mpich *o, const struct rd_mpich_comm *c, uint64_t ucp_addr, struct mdl_op *op)
{
	struct rd_ucx_request u;
	enum acc_rc rc = rd_ucx_receive(&o->ucx, ucp_addr, &u);

	if (rc)
		return rc;
	start(c, MDL_RECEIVE, u.tag, op);
	if (!set_wanted(o, c, u.tag, u.mask, op) || u.bytes > INT64_MAX)
		return ACC_ECORRUPT;
	op->addr = ucp_addr;
	op->bytes = mdl_known((int64_t)u.bytes);
	op->buffer = receive_buffer(o, &u);
	op->sequence = mdl_known((int64_t)u.sequence);
	name_request(o, u.user_data, op);
	return ACC_OK;
}

static enum acc_rc message(struct rd_mpich *o, const struct rd_mpich_comm *c, uint64_t addr, struct mdl_op *op)
{
	struct rd_ucx_message m;
	enum acc_rc rc = rd_ucx_message(&o->ucx, addr, &m);
	int64_t rank;

	if (rc)
		return rc;
	start(c, MDL_MESSAGE, m.tag, op);
	rank = (int64_t)(m.tag >> 32 & UINT16_MAX);
	if (c && rank >= peers_of(c))
		return ACC_ECORRUPT;
	set_peer(o, c, rank, op);
	op->tag = mdl_known((int64_t)(m.tag & TAG_BITS));
	op->bytes = mdl_known((int64_t)m.bytes);
	op->protocol = m.protocol;
	op->system_buffer = true;
	op->buffer = m.data_addr ? mdl_known((int64_t)m.data_addr)
				 : mdl_unavailable("its data are still with the sender");
	op->addr = addr;
	return ACC_OK;
}

/* Of a message to oneself: the request of the send is all that there is of it. */
static enum acc_rc to_self(struct rd_mpich *o, const struct rd_mpich_comm *c, const struct rd_mpich_request *r,
			   enum mdl_op_kind kind, struct mdl_op *op)
{
	struct acc_obj obj;
	bool any = (int32_t)(r->key & UINT32_MAX) == -1;

	acc_obj_load(&obj, o->sp, o->layout, T_MPIR_Request, r->addr);
	int64_t count = acc_get_i(&obj, F_MPIR_Request_self_count);
	uint64_t datatype = acc_get_u(&obj, F_MPIR_Request_self_datatype);
	uint64_t buffer = acc_get_u(&obj, F_MPIR_Request_self_buf);
	if (obj.rc)
		return obj.rc;
	if (count < 0 || (any && kind != MDL_RECEIVE))
		return ACC_ECORRUPT;
	start(c, kind, r->key, op);
	set_peer(o, c, 0, op);
	op->tag = any ? mdl_any() : mdl_known((int64_t)(r->key & TAG_BITS));
	op->origin = "ch4";
	op->buffer = mdl_known((int64_t)buffer);
	op->addr = r->addr;
	op->bytes = mdl_unavailable("the size of the datatype is not known");
	/* a builtin type has its size in bits 8 to 15 of its handle */
	if (datatype >> 26 == (1 << 4 | RD_MPICH_DATATYPE) && count <= INT64_MAX / UINT8_MAX)
		op->bytes = mdl_known(count * (int64_t)(datatype >> 8 & UINT8_MAX));
	if (kind == MDL_MESSAGE) {
		struct mdl_op typed = *op;

		typed.count = mdl_known(count);
		typed.datatype_handle = mdl_known((int64_t)datatype);
		name_type(o, &typed);
		op->bytes = typed.bytes;
		return ACC_OK;
	}
	op->count = mdl_known(count);
	op->datatype_handle = mdl_known((int64_t)datatype);
	op->mode = MDL_MODE_UNKNOWN;
	name_type(o, op);
	name_request(o, r->addr, op);
	op->freed = false; /* in this version the library has no reference */
	return ACC_OK;
}

/* ---- sends, collectives ----------------------------------------------------------------------------------------- */

/* The rank whose endpoint it is. */
static void set_destination(struct rd_mpich *o, const struct rd_mpich_comm *c, uint64_t ep_addr, struct mdl_op *op)
{
	uint64_t step = acc_layout_bytes(o->layout, T_MPIDI_av_entry_t), ep;
	int64_t world = -1;

	op->peer = op->peer_world = mdl_unavailable("the endpoint inside UCX is no rank's of MPI_COMM_WORLD");
	for (int64_t i = 0; o->peers_addr && i < o->p->library.world_size.value && world < 0; i++)
		if (!acc_read_ptr(o->sp, o->peers_addr + (uint64_t)i * step, &ep) && ep == ep_addr)
			world = i;
	if (world < 0)
		return;
	op->peer_world = mdl_known(world);
	for (int64_t i = 0; i < peers_of(c); i++) {
		struct mdl_num w = rd_mpich_world_rank(o, c, i);

		if (w.known == MDL_KNOWN && w.value == world) {
			op->peer = mdl_known(i);
			return;
		}
	}
	op->peer = mdl_unavailable("the receiver is not found among the communicator's members");
}

static enum acc_rc send(struct rd_mpich *o, const struct rd_mpich_comm *c, const struct rd_mpich_request *r,
			struct mdl_op *op)
{
	struct rd_ucx_request u;
	uint64_t ucp_addr;
	enum acc_rc rc = acc_read_ptr(o->sp, r->addr + o->layout->fields[F_MPIR_Request_ucp_request].offset, &ucp_addr);

	if (!rc)
		rc = rd_ucx_send(&o->ucx, ucp_addr, &u);
	if (rc)
		return rc;
	if (u.bytes > INT64_MAX)
		return ACC_ECORRUPT;
	start(c, MDL_SEND, u.tag, op);
	op->mode = u.synchronous ? MDL_SYNCHRONOUS : MDL_MODE_UNKNOWN;
	op->tag = mdl_known((int64_t)(u.tag & TAG_BITS));
	op->bytes = mdl_known((int64_t)u.bytes);
	op->buffer = buffer_of(&u);
	set_destination(o, c, u.ep_addr, op);
	name_request(o, r->addr, op);
	return ACC_OK;
}

static void collective(struct rd_mpich *o, const struct rd_mpich_comm *c, const struct rd_mpich_request *r,
		       struct mdl_op *op)
{
	static const char why[] = "MPICH does not record it";

	start(c, MDL_COLLECTIVE, 0, op);
	op->origin = "mpich";
	op->count = mdl_unavailable(why);
	name_request(o, r->addr, op);
}

/* ---- the walk ---------------------------------------------------------------------------------------- */

/* Is it still in a queue of UCX? */
static bool is_posted(struct rd_mpich *o, uint64_t ucp_addr, uint64_t sequence)
{
	const struct rd_ucx_list *list = rd_ucx_receives(&o->ucx);
	uint64_t lo = 0, n = list->n;

	while (n) {
		uint64_t half = n / 2;

		if (list->entries[lo + half].sequence < sequence) {
			lo += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	for (; lo < list->n && list->entries[lo].sequence == sequence; lo++)
		if (list->entries[lo].addr == ucp_addr)
			return true;
	return false;
}

/* A receive that is in no queue any more and not complete: its message has come, its data have not. */
static enum acc_rc matched(struct rd_mpich *o, const struct rd_mpich_comm *c, const struct rd_mpich_request *r,
			   struct mdl_op *op)
{
	struct rd_ucx_request u;
	uint64_t ucp_addr;
	enum acc_rc rc = acc_read_ptr(o->sp, r->addr + o->layout->fields[F_MPIR_Request_ucp_request].offset, &ucp_addr);

	if (!rc)
		rc = rd_ucx_receive(&o->ucx, ucp_addr, &u);
	if (rc)
		return rc;
	if (is_posted(o, ucp_addr, u.sequence))
		return ACC_NONE;
	rc = receive(o, c, ucp_addr, op);
	op->status = MDL_MATCHED;
	op->sequence = mdl_none();
	op->actual_peer = op->actual_peer_world = op->actual_tag = op->actual_bytes = mdl_unavailable(
		"UCX has matched it and keeps no record of what with");
	return rc;
}

static bool has_comm(struct rd_mpich *o, uint64_t tag)
{
	for (uint64_t i = 0; i < o->n_comms; i++)
		if (concerns(tag, o->comms[i].receive_context))
			return true;
	return false;
}

static enum acc_rc from_queue(struct rd_mpich *o, struct rd_op_iter *it, const struct rd_mpich_comm *c,
			      struct mdl_op *op)
{
	bool receives = it->op_class == MDL_RECEIVES;
	const struct rd_ucx_list *list = receives ? rd_ucx_receives(&o->ucx) : rd_ucx_messages(&o->ucx);

	while (it->state[IT_AT] < list->n) {
		const struct rd_ucx_entry *e = &list->entries[it->state[IT_AT]++];

		if (c ? !concerns(e->tag, c->receive_context) : has_comm(o, e->tag))
			continue;
		enum acc_rc rc = receives ? receive(o, c, e->addr, op) : message(o, c, e->addr, op);
		if (!rc)
			return ACC_OK;
		it->n_bad++;
		acc_note(&o->sp->note, rc, "%s inside UCX at 0x%llx: %s", receives ? "receive" : "message",
			 (unsigned long long)e->addr, acc_rc_text(rc));
	}
	if (list->rc) {
		it->n_bad++;
		acc_note(&o->sp->note, list->rc, "%s", list->why);
	}
	return ACC_NONE;
}

/* @return ACC_NONE: it does not belong here */
static enum acc_rc one_request(struct rd_mpich *o, enum mdl_op_class op_class, const struct rd_mpich_comm *c,
			       const struct rd_mpich_request *r, struct mdl_op *op)
{
	switch (op_class) {
	case MDL_SENDS:
		if (r->kind != KIND_SEND || !concerns(r->key, c->context))
			return ACC_NONE;
		return r->self ? to_self(o, c, r, MDL_SEND, op) : send(o, c, r, op);
	case MDL_RECEIVES:
		if (r->kind != KIND_RECV || !concerns(r->key, c->receive_context))
			return ACC_NONE;
		return r->self ? to_self(o, c, r, MDL_RECEIVE, op) : matched(o, c, r, op);
	case MDL_UNEXPECTED:
		if (r->kind != KIND_SEND || !r->self || !c || !concerns(r->key, c->receive_context))
			return ACC_NONE;
		return to_self(o, c, r, MDL_MESSAGE, op);
	default:
		if (r->kind != KIND_COLL || r->key != c->addr)
			return ACC_NONE;
		collective(o, c, r, op);
		return ACC_OK;
	}
}

static enum acc_rc from_requests(struct rd_mpich *o, struct rd_op_iter *it, const struct rd_mpich_comm *c,
				 struct mdl_op *op)
{
	while (it->state[IT_AT] < o->n_requests) {
		const struct rd_mpich_request *r = &o->requests[it->state[IT_AT]++];
		enum acc_rc rc = one_request(o, it->op_class, c, r, op);

		if (!rc)
			return ACC_OK;
		if (rc == ACC_NONE)
			continue;
		it->n_bad++;
		acc_note(&o->sp->note, rc, "MPIR_Request at 0x%llx: %s", (unsigned long long)r->addr, acc_rc_text(rc));
	}
	if (it->op_class != MDL_UNEXPECTED && o->n_bad_requests) {
		it->n_bad += o->n_bad_requests;
		acc_note(&o->sp->note, ACC_ECORRUPT, "requests: not all of them make sense");
	}
	return ACC_NONE;
}

/* ---- persistent requests that are not active -------------------------------------------------------------------- */

static enum acc_rc inactive(struct rd_mpich *o, const struct rd_mpich_comm *c, const struct rd_mpich_persistent *p,
			    struct mdl_op *op)
{
	struct acc_obj r;

	acc_obj_load(&r, o->sp, o->layout, T_MPIR_Request, p->addr);
	int64_t rank = acc_get_i(&r, F_MPIR_Request_preq_rank), tag = acc_get_i(&r, F_MPIR_Request_preq_tag);
	if (r.rc)
		return r.rc;
	start(c, p->send ? MDL_SEND : MDL_RECEIVE, 0, op);
	if (rank == ANY_SOURCE && !p->send)
		op->peer = op->peer_world = mdl_any();
	else if (rank == PROC_NULL)
		op->peer = op->peer_world = mdl_known(MDL_PROC_NULL);
	else if (rank >= 0 && rank < peers_of(c))
		set_peer(o, c, rank, op);
	else
		return ACC_ECORRUPT;
	op->tag = tag == ANY_TAG && !p->send ? mdl_any() : mdl_known(tag);
	op->mode = MDL_MODE_UNKNOWN;
	take_arguments(o, p->addr, op);
	op->persistent = true;
	op->active = false;
	op->addr = p->addr;
	op->request = mdl_known((int64_t)p->handle);
	op->fortran = mdl_known((int32_t)p->handle);
	op->origin = "ch4";
	return ACC_OK;
}

static enum acc_rc from_inactive(struct rd_mpich *o, struct rd_op_iter *it, const struct rd_mpich_comm *c,
				 struct mdl_op *op)
{
	while (it->all && c && has_arguments(o) && it->state[IT_AT] < o->n_persistent) {
		const struct rd_mpich_persistent *p = &o->persistent[it->state[IT_AT]++];

		if (p->real_addr || p->comm_addr != c->addr || it->op_class != (p->send ? MDL_SENDS : MDL_RECEIVES))
			continue;
		enum acc_rc rc = inactive(o, c, p, op);
		if (!rc)
			return ACC_OK;
		it->n_bad++;
		acc_note(&o->sp->note, rc, "MPIR_Request at 0x%llx: %s", (unsigned long long)p->addr, acc_rc_text(rc));
	}
	return ACC_NONE;
}

/* ---- one request ------------------------------------------------------------------------------------- */

/* Of a receive in a queue the walk gives the queue's entry; here any will do. */
static enum acc_rc op_of(struct rd_mpich *o, const struct rd_mpich_comm *c, const struct rd_mpich_request *r,
			 struct mdl_op *op)
{
	uint64_t ucp_addr;

	if (r->kind == KIND_COLL || r->kind == KIND_SEND)
		return one_request(o, r->kind == KIND_COLL ? MDL_COLLECTIVES : MDL_SENDS, c, r, op);
	enum acc_rc rc = one_request(o, MDL_RECEIVES, c, r, op);
	if (rc != ACC_NONE || r->self || !concerns(r->key, c->receive_context))
		return rc;
	rc = acc_read_ptr(o->sp, r->addr + o->layout->fields[F_MPIR_Request_ucp_request].offset, &ucp_addr);
	return rc ? rc : receive(o, c, ucp_addr, op);
}

static enum acc_rc find_op(struct rd_mpich *o, uint64_t addr, struct mdl_comm *comm, struct mdl_op *ret)
{
	for (uint64_t i = 0; i < o->n_requests; i++) {
		const struct rd_mpich_request *r = &o->requests[i];

		for (uint64_t k = 0; r->addr == addr && k < o->n_comms; k++) {
			enum acc_rc rc = op_of(o, &o->comms[k], r, ret);

			*comm = o->comms[k].facts;
			if (rc != ACC_NONE)
				return rc;
		}
	}
	return ACC_NONE;
}

static enum acc_rc find_persistent(struct rd_mpich *o, uint64_t addr, struct mdl_comm *comm, struct mdl_op *ret)
{
	for (uint64_t i = 0; i < o->n_persistent; i++) {
		const struct rd_mpich_persistent *p = &o->persistent[i];

		if (p->addr != addr)
			continue;
		if (p->real_addr)
			return find_op(o, p->real_addr, comm, ret);
		for (uint64_t k = 0; has_arguments(o) && k < o->n_comms; k++)
			if (o->comms[k].addr == p->comm_addr) {
				*comm = o->comms[k].facts;
				return inactive(o, &o->comms[k], p, ret);
			}
	}
	return ACC_NONE;
}

enum acc_rc rd_mpich_request_get(void *state, uint64_t handle, struct mdl_comm *comm, struct mdl_op *ret)
{
	struct rd_mpich *o = state;
	const struct rd_mpich_pool *pool;
	struct mdl_comm c = { .id = 0 };
	struct mdl_op op;
	uint64_t slot;
	uint32_t own;

	if (!o->world_addr)
		return ACC_NONE;
	enum acc_rc rc = rd_mpich_requests(o);
	if (rc)
		return rc;
	pool = rd_mpich_pool(o, RD_MPICH_REQUEST);
	if (handle >> 32 == UINT32_MAX)
		handle &= UINT32_MAX;
	if (!pool || handle >> 26 & ~(uint64_t)0x3f || (handle >> 26 & 15) != RD_MPICH_REQUEST ||
	    !rd_mpich_slot_of_handle(pool, (uint32_t)handle, &slot) || pool->is_free[slot])
		return ACC_NONE;
	uint64_t addr = rd_mpich_slot(pool, slot, RD_MPICH_REQUEST, &own);
	rc = find_persistent(o, addr, &c, &op);
	if (rc == ACC_NONE)
		rc = find_op(o, addr, &c, &op);
	if (rc)
		return rc;
	*comm = c;
	*ret = op;
	return ACC_OK;
}

enum acc_rc rd_mpich_op_next(void *state, struct rd_op_iter *it, struct mdl_op *ret)
{
	struct rd_mpich *o = state;
	struct mdl_op op;

	if (it->state[IT_SERIAL] != o->serial_now)
		return ACC_EINVAL; /* another walk was started, or the process has run */
	const struct rd_mpich_comm *c = it->comm ? rd_mpich_comm_find(o, it->comm->handle) : NULL;
	if (it->comm && !c)
		return ACC_NONE;
	while (it->state[IT_PHASE] != PHASE_BAD) {
		enum acc_rc rc = it->state[IT_PHASE] == PHASE_QUEUE      ? from_queue(o, it, c, &op)
				 : it->state[IT_PHASE] == PHASE_REQUESTS ? from_requests(o, it, c, &op)
									 : from_inactive(o, it, c, &op);

		if (rc == ACC_OK && !it->all && op.internal)
			continue;
		if (rc == ACC_OK) {
			*ret = op;
			return ACC_OK;
		}
		it->state[IT_PHASE]++;
		it->state[IT_AT] = 0;
	}
	return ACC_NONE;
}
