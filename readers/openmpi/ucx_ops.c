/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Operations of pml/ucx. Its request follows UCX's own request in memory; the request of a blocking MPI_Send or
 * MPI_Recv is on the stack and has no such part. A persistent request starts another request, whose
 * req_complete_cb_data points back to it; for a buffered send it points to the copy of the data.
 */
#include "openmpi.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum {
	FLAG_SEND = 1,        /* MCA_PML_UCX_REQUEST_FLAG_SEND */
	MODE_SYNCHRONOUS = 0, /* mca_pml_base_send_mode_t */
	MODE_BUFFERED = 2,
	MODE_READY = 3,
};

static const char by_ucx[] = "UCX is told bytes, not elements of a datatype";

/* ---- parts of an operation ---------------------------------------------------------------------------------- */

static void start_ucx_op(enum mdl_op_kind kind, const struct rd_ompi_ucx_tag *word, struct mdl_op *op)
{
	*op = rd_ucx_op(kind);
	op->internal = word->tag < 0;
	op->tag = mdl_known(word->tag);
	if (kind == MDL_MESSAGE)
		return;
	op->count = op->datatype_handle = mdl_unavailable(by_ucx);
	op->request = op->fortran = mdl_unavailable("a blocking call's request on its stack");
}

static struct mdl_num world_rank(struct rd_ompi *o, const struct rd_ompi_comm *c, int64_t rank)
{
	return c ? rd_ompi_world_rank(o, &c->remote, rank) : mdl_unavailable("its communicator does not exist here");
}

static void set_peer(struct rd_ompi *o, const struct rd_ompi_comm *c, int64_t rank, struct mdl_op *op)
{
	op->peer = mdl_known(rank);
	op->peer_world = world_rank(o, c, rank);
}

static struct mdl_num buffer_of(const struct rd_ucx_request *u)
{
	return u->pieces ? mdl_unavailable("the data are in several pieces") : mdl_known((int64_t)u->buffer);
}

/* Count and datatype, which only a persistent request has. */
static enum acc_rc set_datatype(struct rd_ompi_obj *p, struct mdl_op *op)
{
	const struct rd_ompi_datatype *datatype;
	uint64_t count = rd_ompi_u(p, F_mca_pml_ucx_persistent_request_t_count);
	bool has_datatype = rd_ompi_has(p->o, F_mca_pml_ucx_persistent_request_t_ompi_datatype); /* since 4.1.2 */
	uint64_t bytes, datatype_addr = 0;

	if (has_datatype)
		datatype_addr = rd_ompi_u(p, F_mca_pml_ucx_persistent_request_t_ompi_datatype);
	if (p->rc)
		return p->rc;
	if (count > INT64_MAX)
		return ACC_ECORRUPT;
	op->count = mdl_known((int64_t)count);
	if (!has_datatype) {
		op->datatype_handle = mdl_unavailable("this Open MPI keeps no datatype in a persistent request");
		if (op->bytes.known != MDL_KNOWN)
			op->bytes = op->datatype_handle;
		return ACC_OK;
	}
	if (rd_ompi_datatype(p->o, datatype_addr, &datatype)) {
		op->datatype_handle = op->bytes = mdl_unavailable("the datatype cannot be read");
		return ACC_OK;
	}
	op->datatype_handle = mdl_known((int64_t)datatype_addr);
	memcpy(op->datatype, datatype->name, sizeof(op->datatype));
	if (__builtin_mul_overflow(count, datatype->bytes, &bytes) || bytes > INT64_MAX)
		op->bytes = mdl_unavailable("count times size of the datatype makes no sense");
	else
		op->bytes = mdl_known((int64_t)bytes);
	return ACC_OK;
}

static void set_mode(uint64_t mode, struct mdl_op *op)
{
	op->mode = mode == MODE_SYNCHRONOUS ? MDL_SYNCHRONOUS
		   : mode == MODE_BUFFERED  ? MDL_BUFFERED
		   : mode == MODE_READY     ? MDL_READY
					    : MDL_STANDARD;
}

static bool is_persistent(struct rd_ompi *o, uint64_t addr)
{
	return rd_ompi_has(o, F_mca_pml_ucx_persistent_request_t_tmp_req) &&
	       rd_ompi_has(o, F_mca_pml_ucx_persistent_request_t_flags) &&
	       rd_ompi_has(o, F_mca_pml_ucx_persistent_request_t_buffer) &&
	       rd_ompi_has(o, F_mca_pml_ucx_persistent_request_t_count) &&
	       rd_ompi_has(o, F_mca_pml_ucx_persistent_request_t_tag) &&
	       rd_ompi_has(o, F_mca_pml_ucx_persistent_request_t_send) &&
	       rd_ompi_has(o, F_mca_pml_ucx_persistent_request_t_recv) &&
	       rd_ompi_check(o, addr, C_mca_pml_ucx_persistent_request_t) == ACC_OK;
}

/* Facts that every request of pml/ucx has. */
static void set_request(struct rd_ompi_obj *req, struct mdl_op *op)
{
	uint64_t complete = rd_ompi_u(req, F_ompi_request_t_req_complete);
	int64_t fortran = rd_ompi_has(req->o, F_ompi_request_t_req_f_to_c_index)
				  ? rd_ompi_i(req, F_ompi_request_t_req_f_to_c_index)
				  : -1;

	op->waiter_addr = complete != RD_OMPI_REQ_COMPLETED ? complete : 0;
	op->request = mdl_known((int64_t)req->addr);
	op->fortran = fortran >= 0 ? mdl_known(fortran) : mdl_unavailable("no Fortran handle was made");
}

/* Additional facts of a persistent request @p p. */
static enum acc_rc set_persistent(struct rd_ompi_obj *p, struct mdl_op *op)
{
	struct rd_ompi *o = p->o;
	uint64_t mode;

	op->persistent = true;
	set_request(p, op);
	if (op->kind != MDL_SEND)
		return set_datatype(p, op);
	enum acc_rc rc = acc_read_u(o->sp, p->addr + o->layout->fields[F_mca_pml_ucx_persistent_request_t_send].offset,
				    o->sp->sizes.int_bytes, &mode);
	if (rc)
		return rc;
	set_mode(mode, op);
	return set_datatype(p, op);
}

/* Open MPI's part of a request. The request of a blocking call, on the stack, has none. */
static enum acc_rc set_own(struct rd_ompi *o, const struct rd_ucx_request *u, struct mdl_op *op)
{
	struct rd_ompi_obj req, p;
	uint64_t data = 0;

	op->addr = u->addr;
	if (!rd_ucx_is_request(&o->ucx, u->addr))
		return ACC_OK;
	enum acc_rc rc = rd_ompi_check(o, u->addr, C_ompi_request_t);
	if (rc)
		return rc;
	rd_ompi_load(&req, o, T_ompi_request_t, u->addr, o->request_span);
	if (rd_ompi_has(o, F_ompi_request_t_req_complete_cb_data))
		data = rd_ompi_u(&req, F_ompi_request_t_req_complete_cb_data);
	set_request(&req, op);
	if (req.rc)
		return req.rc;
	op->freed = u->released;
	if (!data)
		return ACC_OK;
	if (op->kind == MDL_SEND && data == u->buffer) {
		/* the buffer is the copy: the program's request completed at once */
		op->mode = MDL_BUFFERED;
		op->system_buffer = true;
		op->request = op->fortran = mdl_unavailable("MPI_Bsend and MPI_Ibsend complete at once");
		return ACC_OK;
	}
	if (!is_persistent(o, data))
		return ACC_OK;
	rd_ompi_load(&p, o, T_mca_pml_ucx_persistent_request_t, data, o->request_span);
	uint64_t started = rd_ompi_u(&p, F_mca_pml_ucx_persistent_request_t_tmp_req);
	if (p.rc || started != u->addr)
		return p.rc ? p.rc : ACC_ECORRUPT;
	op->addr = data;
	return set_persistent(&p, op);
}

static int64_t peers_of(const struct rd_ompi_comm *c)
{
	return (int64_t)c->remote.n;
}

/* The source of a receive. @return false: not a mask of pml/ucx, or the rank is not a member */
static bool set_wanted(struct rd_ompi *o, const struct rd_ompi_comm *c, uint64_t word, uint64_t mask, struct mdl_op *op)
{
	struct rd_ompi_ucx_tag t = rd_ompi_ucx_tag(word);
	bool any_tag, any_source;

	if (!rd_ompi_ucx_mask(mask, &any_tag, &any_source))
		return false;
	if (any_tag)
		op->tag = mdl_any();
	if (any_source) {
		op->peer = op->peer_world = mdl_any();
		return true;
	}
	if (c && (int64_t)t.rank >= peers_of(c))
		return false;
	set_peer(o, c, (int64_t)t.rank, op);
	return true;
}

/* ---- single operations ---------------------------------------------------------------------------------------- */

static enum acc_rc receive(struct rd_ompi *o, const struct rd_ompi_comm *c, uint64_t addr, struct mdl_op *op)
{
	struct rd_ucx_request u;
	enum acc_rc rc = rd_ucx_receive(&o->ucx, addr, &u);

	if (rc)
		return rc;
	struct rd_ompi_ucx_tag t = rd_ompi_ucx_tag(u.tag);
	start_ucx_op(MDL_RECEIVE, &t, op);
	if (!set_wanted(o, c, u.tag, u.mask, op) || u.bytes > INT64_MAX)
		return ACC_ECORRUPT;
	op->bytes = mdl_known((int64_t)u.bytes);
	op->buffer = buffer_of(&u);
	op->sequence = mdl_known((int64_t)u.sequence);
	return set_own(o, &u, op);
}

/* A matched receive: its data has not arrived, or it is complete and not waited for. */
static enum acc_rc matched(struct rd_ompi *o, const struct rd_ompi_comm *c, uint64_t addr, struct mdl_op *op)
{
	struct rd_ucx_request u;
	enum acc_rc rc = receive(o, c, addr, op);

	if (!rc)
		rc = rd_ucx_receive(&o->ucx, addr, &u);
	if (rc)
		return rc;
	struct rd_ompi_ucx_tag t = rd_ompi_ucx_tag(u.matched_tag);
	op->status = MDL_MATCHED;
	op->sequence = mdl_none();
	if (t.context != rd_ompi_ucx_tag(u.tag).context || (c && (int64_t)t.rank >= peers_of(c)) ||
	    u.matched_bytes > INT64_MAX)
		return ACC_ECORRUPT;
	op->actual_peer = mdl_known((int64_t)t.rank);
	op->actual_peer_world = world_rank(o, c, (int64_t)t.rank);
	op->actual_tag = mdl_known(t.tag);
	op->actual_bytes = mdl_known((int64_t)u.matched_bytes);
	op->protocol = MDL_RENDEZVOUS;
	return ACC_OK;
}

static enum acc_rc message(struct rd_ompi *o, const struct rd_ompi_comm *c, uint64_t addr, struct mdl_op *op)
{
	struct rd_ucx_message m;
	enum acc_rc rc = rd_ucx_message(&o->ucx, addr, &m);

	if (rc)
		return rc;
	struct rd_ompi_ucx_tag t = rd_ompi_ucx_tag(m.tag);
	start_ucx_op(MDL_MESSAGE, &t, op);
	if (c && (int64_t)t.rank >= peers_of(c))
		return ACC_ECORRUPT;
	set_peer(o, c, (int64_t)t.rank, op);
	rd_ucx_set_message(&m, addr, op);
	return ACC_OK;
}

/* pml/ucx passes the words of a receive. */
enum acc_rc rd_ompi_ucx_probe(void *state, const struct mdl_comm *comm, const struct rd_probe *probe,
			      struct mdl_op *ret)
{
	struct rd_ompi *o = state;
	struct rd_ompi_ucx_tag t = rd_ompi_ucx_tag(probe->tag);
	struct acc_note note = o->sp->note;
	struct rd_ompi_comm c;

	if (!o->by_ucx)
		return ACC_NONE;
	enum acc_rc rc = rd_ompi_ucx_comm(o, t.context, &c);
	o->sp->note = note;
	if (rc || c.facts.id != comm->id)
		return ACC_NONE;
	start_ucx_op(probe->removes ? MDL_MPROBE : MDL_PROBE, &t, ret);
	if (ret->internal || !set_wanted(o, &c, probe->tag, probe->mask, ret))
		return ACC_NONE;
	ret->count = ret->datatype_handle = mdl_none();
	rd_ucx_set_probe(probe, ret);
	return ACC_OK;
}

static void set_destination(struct rd_ompi *o, const struct rd_ompi_comm *c, uint64_t ep_addr, struct mdl_op *op)
{
	int64_t rank = c ? rd_ompi_ucx_rank(o, c, ep_addr) : -1;

	if (!c)
		op->peer = op->peer_world = mdl_unavailable("its communicator does not exist here");
	else if (rank >= 0)
		set_peer(o, c, rank, op);
	else
		op->peer = op->peer_world = mdl_unavailable("the endpoint inside UCX is no member's");
}

static enum acc_rc send(struct rd_ompi *o, const struct rd_ompi_comm *c, uint64_t addr, struct mdl_op *op)
{
	struct rd_ucx_request u;
	enum acc_rc rc = rd_ucx_send(&o->ucx, addr, &u);

	if (rc)
		return rc;
	struct rd_ompi_ucx_tag t = rd_ompi_ucx_tag(u.tag);
	/* the sender is this process */
	if ((c && (int64_t)t.rank != c->facts.rank) || u.bytes > INT64_MAX)
		return ACC_ECORRUPT;
	start_ucx_op(MDL_SEND, &t, op);
	op->mode = u.synchronous ? MDL_SYNCHRONOUS : MDL_MODE_UNKNOWN;
	op->bytes = mdl_known((int64_t)u.bytes);
	op->buffer = buffer_of(&u);
	set_destination(o, c, u.ep_addr, op);
	return set_own(o, &u, op);
}

/* A persistent request that is not started, or whose operation has completed. */
static enum acc_rc inactive(struct rd_ompi *o, const struct rd_ompi_comm *c, bool sends, uint64_t addr,
			    struct mdl_op *op)
{
	const struct acc_field_at *fields = o->layout->fields;
	struct rd_ompi_obj p;
	uint64_t mask, ep_addr;

	rd_ompi_load(&p, o, T_mca_pml_ucx_persistent_request_t, addr, o->request_span);
	int64_t state = rd_ompi_i(&p, F_ompi_request_t_req_state);
	uint64_t started = rd_ompi_u(&p, F_mca_pml_ucx_persistent_request_t_tmp_req);
	uint64_t flags = rd_ompi_u(&p, F_mca_pml_ucx_persistent_request_t_flags);
	uint64_t word = rd_ompi_u(&p, F_mca_pml_ucx_persistent_request_t_tag);
	uint64_t buffer = rd_ompi_u(&p, F_mca_pml_ucx_persistent_request_t_buffer);
	uint64_t comm_addr = rd_ompi_has(o, F_ompi_request_t_req_mpi_object)
				     ? rd_ompi_u(&p, F_ompi_request_t_req_mpi_object)
				     : c->facts.id;
	struct rd_ompi_ucx_tag t = rd_ompi_ucx_tag(word);
	if (p.rc)
		return p.rc;
	/* an unused one is INACTIVE, too, but has no communicator and no datatype */
	if (state == RD_OMPI_REQ_INVALID || started || !(flags & FLAG_SEND) == sends || t.context != c->slot ||
	    comm_addr != c->facts.id)
		return ACC_NONE;
	start_ucx_op(sends ? MDL_SEND : MDL_RECEIVE, &t, op);
	op->addr = addr;
	op->active = false;
	op->status = MDL_COMPLETE;
	op->buffer = mdl_known((int64_t)buffer);
	enum acc_rc rc = set_persistent(&p, op);
	if (rc)
		return rc;
	if (rd_ompi_has(o, F_mca_pml_ucx_persistent_request_t_ompi_datatype) && op->datatype_handle.known != MDL_KNOWN)
		return ACC_NONE;
	if (sends) {
		rc = acc_read_ptr(o->sp,
				  addr + fields[F_mca_pml_ucx_persistent_request_t_send].offset +
					  o->sp->sizes.pointer_bytes,
				  &ep_addr);
		if (!rc)
			set_destination(o, c, ep_addr, op);
		return rc;
	}
	rc = acc_read_u(o->sp, addr + fields[F_mca_pml_ucx_persistent_request_t_recv].offset, 8, &mask);
	if (!rc && !set_wanted(o, c, word, mask, op))
		rc = ACC_ECORRUPT;
	return rc;
}

/* ---- the walk ---------------------------------------------------------------------------------------------------- */

enum acc_rc rd_ompi_ucx_first(struct rd_ompi *o, struct rd_op_iter *it)
{
	o->ops.ucx_at = 0;
	o->ops.phase = it->op_class == MDL_SENDS ? P_UCX_BEGUN : P_UCX_QUEUED;
	return ACC_OK;
}

static const struct rd_ucx_list *list_of(struct rd_ompi *o, enum mdl_op_class op_class)
{
	if (op_class == MDL_UNEXPECTED)
		return rd_ucx_messages(&o->ucx);
	if (o->ops.phase == P_UCX_QUEUED)
		return rd_ucx_receives(&o->ucx);
	return op_class == MDL_SENDS ? rd_ucx_sends(&o->ucx) : rd_ucx_begun(&o->ucx);
}

static enum acc_rc entry_op(struct rd_ompi *o, struct rd_op_iter *it, uint64_t addr, struct mdl_op *ret)
{
	const struct rd_ompi_comm *c = it->comm ? &o->ops.comm : NULL;

	if (it->op_class == MDL_UNEXPECTED)
		return message(o, c, addr, ret);
	if (it->op_class == MDL_SENDS)
		return send(o, c, addr, ret);
	return o->ops.phase == P_UCX_QUEUED ? receive(o, c, addr, ret) : matched(o, c, addr, ret);
}

/*
 * Does it belong to the communicator of this walk, or, without one, to a communicator that does not exist? A former
 * request on a stack may look like one of the latter.
 */
static bool belongs(struct rd_ompi *o, const struct rd_op_iter *it, const struct rd_ucx_entry *e)
{
	uint64_t context = rd_ompi_ucx_tag(e->tag).context;
	struct rd_ompi_comm c;

	if (it->comm)
		return context == o->ops.comm.slot;
	return rd_ompi_ucx_comm(o, context, &c) == ACC_NONE &&
	       (it->op_class == MDL_UNEXPECTED || rd_ucx_is_request(&o->ucx, e->addr));
}

static enum acc_rc from_list(struct rd_ompi *o, struct rd_op_iter *it, struct mdl_op *ret)
{
	const struct rd_ucx_list *list = list_of(o, it->op_class);

	while (o->ops.ucx_at < list->n) {
		const struct rd_ucx_entry *e = &list->entries[o->ops.ucx_at++];

		if (!belongs(o, it, e))
			continue;
		enum acc_rc rc = entry_op(o, it, e->addr, ret);
		if (!rc)
			return ACC_OK;
		it->n_bad++;
		acc_note(&o->sp->note, rc, "%s inside UCX at 0x%llx: %s",
			 it->op_class == MDL_SENDS      ? "send"
			 : it->op_class == MDL_RECEIVES ? "receive"
							: "message",
			 (unsigned long long)e->addr, acc_rc_text(rc));
	}
	if (list->rc && (it->comm || it->op_class == MDL_UNEXPECTED)) {
		it->n_bad++;
		acc_note(&o->sp->note, list->rc, "%s", list->why);
	}
	return ACC_NONE;
}

static enum acc_rc first_inactive(struct rd_ompi *o)
{
	uint64_t module_addr;

	if (!rd_ompi_has(o, F_mca_pml_ucx_module_t_persistent_reqs) || rd_ompi_symbol(o, S_ompi_pml_ucx, &module_addr))
		return ACC_NONE;
	return rd_ompi_freelist_first(o, module_addr + o->layout->fields[F_mca_pml_ucx_module_t_persistent_reqs].offset,
				      &o->ops.freelist);
}

static enum acc_rc from_persistent(struct rd_ompi *o, struct rd_op_iter *it, struct mdl_op *ret)
{
	uint64_t addr;
	enum acc_rc rc;

	while ((rc = rd_ompi_freelist_next(&o->ops.freelist, &addr)) == ACC_OK) {
		if (!is_persistent(o, addr))
			return ACC_NONE; /* of another class */
		rc = inactive(o, &o->ops.comm, it->op_class == MDL_SENDS, addr, ret);
		if (rc == ACC_NONE)
			continue;
		if (rc)
			rc = rd_ompi_skip(o, it, rc, T_mca_pml_ucx_persistent_request_t, addr);
		else
			return ACC_OK;
		if (rc)
			return rc;
	}
	return rc;
}

enum acc_rc rd_ompi_ucx_next(struct rd_ompi *o, struct rd_op_iter *it, struct mdl_op *ret)
{
	enum acc_rc rc;

	for (;;) {
		rc = o->ops.phase == P_UCX_INACTIVE ? from_persistent(o, it, ret) : from_list(o, it, ret);
		if (rc != ACC_NONE || it->op_class == MDL_UNEXPECTED || o->ops.phase == P_UCX_INACTIVE)
			return rc;
		o->ops.ucx_at = 0;
		if (o->ops.phase == P_UCX_QUEUED) {
			o->ops.phase = P_UCX_BEGUN;
			continue;
		}
		rc = it->all && it->comm ? first_inactive(o) : ACC_NONE;
		if (rc)
			return rc;
		o->ops.phase = P_UCX_INACTIVE;
	}
}

/* ---- by handle --------------------------------------------------------------------------------------------------- */

/* Convert a request of UCX to an operation. */
static enum acc_rc by_address(struct rd_ompi *o, uint64_t addr, struct rd_ompi_comm *c, struct mdl_op *ret)
{
	bool complete = false;
	struct rd_ucx_request u;
	enum rd_ucx_kind kind = rd_ucx_what(&o->ucx, addr, &complete);
	enum acc_rc rc = kind == RD_UCX_SEND      ? rd_ucx_send(&o->ucx, addr, &u)
			 : kind == RD_UCX_RECEIVE ? rd_ucx_receive(&o->ucx, addr, &u)
						  : ACC_NONE;

	if (!rc)
		rc = rd_ompi_ucx_comm(o, rd_ompi_ucx_tag(u.tag).context, c);
	if (rc)
		return rc;
	if (kind == RD_UCX_SEND)
		rc = send(o, c, addr, ret);
	else if (!complete && rd_ucx_is_posted(&o->ucx, addr, u.sequence))
		rc = receive(o, c, addr, ret);
	else
		rc = matched(o, c, addr, ret);
	if (!rc && complete) {
		ret->status = MDL_COMPLETE;
		ret->active = false;
	}
	return rc;
}

static enum acc_rc by_persistent(struct rd_ompi *o, uint64_t addr, struct rd_ompi_comm *c, struct mdl_op *ret)
{
	struct rd_ompi_obj p;

	rd_ompi_load(&p, o, T_mca_pml_ucx_persistent_request_t, addr, o->request_span);
	uint64_t started = rd_ompi_u(&p, F_mca_pml_ucx_persistent_request_t_tmp_req);
	uint64_t word = rd_ompi_u(&p, F_mca_pml_ucx_persistent_request_t_tag);
	uint64_t flags = rd_ompi_u(&p, F_mca_pml_ucx_persistent_request_t_flags);
	if (p.rc)
		return p.rc;
	if (started)
		return by_address(o, started, c, ret);
	enum acc_rc rc = rd_ompi_ucx_comm(o, rd_ompi_ucx_tag(word).context, c);
	return rc ? rc : inactive(o, c, flags & FLAG_SEND, addr, ret);
}

enum acc_rc rd_ompi_ucx_request(struct rd_ompi *o, uint64_t handle, struct mdl_comm *comm, struct mdl_op *ret)
{
	struct rd_ompi_comm c;
	struct mdl_op op;
	enum acc_rc rc = ACC_NONE;

	if (is_persistent(o, handle))
		rc = by_persistent(o, handle, &c, &op);
	else if (rd_ompi_check(o, handle, C_ompi_request_t) == ACC_OK)
		rc = by_address(o, handle, &c, &op);
	if (rc)
		return rc;
	*comm = c.facts;
	*ret = op;
	return ACC_OK;
}
