/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Converts one request to an operation. The object types, each starting with the previous one: ompi_request_t
 * (ompi/request/request.h), mca_pml_base_request_t, mca_pml_base_{send,recv}_request_t (ompi/mca/pml/base),
 * mca_pml_ob1_{send,recv}_request_t (ompi/mca/pml/ob1).
 *
 * req_complete is a word: 0: pending; 1: complete; any other value is the address of a waiting thread's synchronization
 * object, so it is pending. req_state stays ACTIVE until a completed request is waited for.
 *
 * A receive is matched when the tag of its status is no longer MPI_ANY_TAG, the value that every start of a request
 * sets, also for a probe; req_match_received is not set for probes.
 */
#include "openmpi.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum { /* req_send_mode of mca_pml_base_send_request_t */
       MODE_SYNCHRONOUS = 0,
       MODE_BUFFERED = 2,
       MODE_READY = 3,
};

/* Fields common to all requests. */
struct base {
	int64_t state, type, fortran;
	uint64_t complete;
	bool persistent;
	uint32_t status; /* offset of the status */
};

static struct base base_of(struct rd_ompi_obj *req)
{
	return (struct base){
		.state = rd_ompi_i(req, F_ompi_request_t_req_state),
		.complete = rd_ompi_u(req, F_ompi_request_t_req_complete),
		.persistent = rd_ompi_u(req, F_ompi_request_t_req_persistent),
		.fortran = rd_ompi_has(req->o, F_ompi_request_t_req_f_to_c_index)
				   ? rd_ompi_i(req, F_ompi_request_t_req_f_to_c_index)
				   : -1,
		.status = rd_ompi_offset(req, F_ompi_request_t_req_status),
	};
}

static bool in_use(const struct base *b)
{
	/* INACTIVE and not persistent: created, but not started yet */
	return b->state != RD_OMPI_REQ_INVALID && (b->state != RD_OMPI_REQ_INACTIVE || b->persistent);
}

bool rd_ompi_request_matched(struct rd_ompi_obj *req)
{
	uint32_t status = rd_ompi_offset(req, F_ompi_request_t_req_status);

	return rd_ompi_i_at(req, status, F_ompi_status_public_t_MPI_TAG) != RD_OMPI_ANY;
}

bool rd_ompi_request_pending(struct rd_ompi_obj *req)
{
	struct base b = base_of(req);

	return !req->rc && in_use(&b) && b.state != RD_OMPI_REQ_INACTIVE && b.complete != RD_OMPI_REQ_COMPLETED;
}

/*
 * Up to 5.0 a request is returned to its list after req_complete or, if it was freed before, req_pml_complete was set.
 * Both keep their values until the request is started again.
 */
bool rd_ompi_request_contradicts(struct rd_ompi_obj *req, enum mdl_op_class op_class)
{
	struct base b = base_of(req);

	return op_class != MDL_COLLECTIVES && b.state == RD_OMPI_REQ_INVALID && b.complete != RD_OMPI_REQ_COMPLETED &&
	       rd_ompi_u(req, F_mca_pml_base_request_t_req_type) != 0 &&
	       !rd_ompi_u(req, F_mca_pml_base_request_t_req_pml_complete) && !req->rc;
}

bool rd_ompi_request_wanted(struct rd_ompi_obj *req, enum mdl_op_class op_class, uint64_t *comm_addr, uint32_t *key)
{
	struct base b = base_of(req);

	if (req->rc || !in_use(&b))
		return false;
	if (op_class == MDL_COLLECTIVES) {
		*comm_addr = rd_ompi_u(req, F_ompi_coll_libnbc_request_t_comm);
		/* tags of collectives count down */
		*key = -(uint32_t)rd_ompi_i(req, F_ompi_coll_libnbc_request_t_tag);
		return req->rc == ACC_OK;
	}
	*comm_addr = rd_ompi_u(req, F_mca_pml_base_request_t_req_comm);
	*key = (uint32_t)rd_ompi_u(req, F_mca_pml_base_request_t_req_sequence);
	if (op_class == MDL_SENDS) {
		*key &= 0xffff; /* ob1 numbers the messages to one peer with 16 bits */
		return req->rc == ACC_OK;
	}
	/* an unmatched receive is in a posted list, where its position is known */
	if (b.state != RD_OMPI_REQ_INACTIVE && b.complete != RD_OMPI_REQ_COMPLETED && !rd_ompi_request_matched(req))
		return false;
	return req->rc == ACC_OK;
}

/* Facts common to sends and receives, and those that do not apply to either. */
static enum acc_rc fill(struct rd_ompi_obj *req, const struct base *b, const struct rd_ompi_comm *comm,
			struct mdl_op *op)
{
	struct rd_ompi *o = req->o;
	uint64_t comm_addr = rd_ompi_u(req, F_mca_pml_base_request_t_req_comm);
	uint64_t sequence = rd_ompi_u(req, F_mca_pml_base_request_t_req_sequence);
	uint64_t count = rd_ompi_u(req, F_mca_pml_base_request_t_req_count);
	uint64_t datatype_addr = rd_ompi_u(req, F_mca_pml_base_request_t_req_datatype);
	int64_t peer = rd_ompi_i(req, F_mca_pml_base_request_t_req_peer);
	int64_t tag = rd_ompi_i(req, F_mca_pml_base_request_t_req_tag);
	uint64_t free_called = rd_ompi_u(req, F_mca_pml_base_request_t_req_free_called);
	/* until it is started, a request has the status of the former
	 * user of its memory: MCA_PML_BASE_RECV_START() resets it */
	int64_t cancelled = rd_ompi_has(o, F_ompi_status_public_t__cancelled) && b->state == RD_OMPI_REQ_ACTIVE
				    ? rd_ompi_i_at(req, b->status, F_ompi_status_public_t__cancelled)
				    : 0;

	if (req->rc)
		return req->rc;
	if (comm_addr != comm->facts.id)
		return ACC_NONE;
	if (count > INT64_MAX)
		return ACC_ECORRUPT;

	op->addr = req->addr;
	op->origin = "ob1";
	op->persistent = b->persistent;
	op->freed = free_called;
	op->cancelled = cancelled;
	op->waiter_addr = b->complete != RD_OMPI_REQ_COMPLETED ? b->complete : 0;
	op->request = mdl_known((int64_t)req->addr);
	op->fortran = b->fortran >= 0 ? mdl_known(b->fortran) : mdl_unavailable("no Fortran handle was made");
	op->sequence = mdl_known((int64_t)sequence);
	op->sender_request = mdl_none();
	op->actual_peer = op->actual_peer_world = op->actual_tag = op->actual_bytes = mdl_none();

	if (peer == RD_OMPI_ANY) {
		op->peer = op->peer_world = mdl_any();
	} else {
		if (peer < 0 || (uint64_t)peer >= comm->remote.n)
			return ACC_ECORRUPT;
		op->peer = mdl_known(peer);
		op->peer_world = rd_ompi_world_rank(o, &comm->remote, peer);
	}
	op->tag = mdl_known(tag);

	const struct rd_ompi_datatype *datatype;
	op->count = mdl_known((int64_t)count);
	op->datatype_handle = mdl_known((int64_t)datatype_addr);
	if (rd_ompi_datatype(o, datatype_addr, &datatype) == ACC_OK) {
		uint64_t bytes;

		memcpy(op->datatype, datatype->name, sizeof(op->datatype));
		if (__builtin_mul_overflow(count, datatype->bytes, &bytes) || bytes > INT64_MAX)
			op->bytes = mdl_unavailable("count times size of the datatype makes no sense");
		else
			op->bytes = mdl_known((int64_t)bytes);
	} else {
		op->datatype_handle = mdl_unavailable("the datatype cannot be read");
		op->bytes = mdl_unavailable("the datatype cannot be read");
	}
	return ACC_OK;
}

enum acc_rc rd_ompi_request_send(struct rd_ompi_obj *req, const struct rd_ompi_comm *comm, struct mdl_op *ret)
{
	struct rd_ompi *o = req->o;
	struct base b = base_of(req);
	struct mdl_op op = { .kind = MDL_SEND };

	if (req->rc == ACC_OK && !in_use(&b))
		return ACC_NONE;
	enum acc_rc rc = fill(req, &b, comm, &op);
	if (rc)
		return rc;
	int64_t type = rd_ompi_i(req, F_mca_pml_base_request_t_req_type);
	int64_t mode = rd_ompi_i(req, F_mca_pml_base_send_request_t_req_send_mode);
	bool pml_complete = rd_ompi_u(req, F_mca_pml_base_request_t_req_pml_complete);
	uint64_t user_addr = rd_ompi_u(req, F_mca_pml_base_request_t_req_addr);
	uint64_t buffer_addr = rd_ompi_u(req, F_mca_pml_base_send_request_t_req_addr);
	uint64_t packed = rd_ompi_u(req, F_mca_pml_base_send_request_t_req_bytes_packed);
	uint64_t acked = 0, phase = 0, rdma = 0;
	if (rd_ompi_has(o, F_mca_pml_ob1_send_request_t_req_recv))
		acked = rd_ompi_u(req, F_mca_pml_ob1_send_request_t_req_recv);
	if (rd_ompi_has(o, F_mca_pml_ob1_send_request_t_req_state))
		phase = rd_ompi_u(req, F_mca_pml_ob1_send_request_t_req_state);
	if (rd_ompi_has(o, F_mca_pml_ob1_send_request_t_rdma_frag))
		rdma = rd_ompi_u(req, F_mca_pml_ob1_send_request_t_rdma_frag);
	if (req->rc)
		return req->rc;
	if (type != RD_OMPI_PML_SEND || packed > INT64_MAX || op.peer.known != MDL_KNOWN)
		return ACC_ECORRUPT;

	op.mode = mode == MODE_SYNCHRONOUS ? MDL_SYNCHRONOUS
		  : mode == MODE_BUFFERED  ? MDL_BUFFERED
		  : mode == MODE_READY     ? MDL_READY
					   : MDL_STANDARD;
	bool complete = b.complete == RD_OMPI_REQ_COMPLETED;
	/* a buffered send completes at once; its message is released only when the pml has completed it, too */
	bool going = op.mode == MDL_BUFFERED && !pml_complete;
	if ((complete || b.state == RD_OMPI_REQ_INACTIVE) && !going) {
		op.status = MDL_COMPLETE;
	} else {
		op.active = true;
		/* the receiver's acknowledgement contains the address of its request, which is cleared only when a
		 * request is created */
		op.status = acked && !b.persistent ? MDL_MATCHED : MDL_PENDING;
		op.protocol = phase || rdma || op.status == MDL_MATCHED ? MDL_RENDEZVOUS : MDL_PROTOCOL_UNKNOWN;
	}
	op.internal = op.tag.value < 0;
	/* the library computes the length from count and datatype:
	 * a difference means that one of the three was overwritten */
	if (op.bytes.known == MDL_KNOWN && op.bytes.value != (int64_t)packed)
		op.contradiction = "the library's length, and count times size of the datatype, differ";
	op.bytes = op.contradiction ? mdl_unavailable(op.contradiction) : mdl_known((int64_t)packed);
	op.system_buffer = buffer_addr != user_addr;
	op.buffer = mdl_known((int64_t)buffer_addr);
	op.sequence.value &= 0xffff;
	*ret = op;
	return ACC_OK;
}

/* The message returned by MPI_Mprobe: its fragment is stored in the buffer address. */
static void fill_message(struct rd_ompi_obj *req, struct mdl_op *op)
{
	struct rd_ompi_message message;
	uint64_t frag_addr = rd_ompi_u(req, F_mca_pml_base_request_t_req_addr);

	if (req->rc || rd_ompi_message(req->o, frag_addr, &message))
		return;
	op->protocol = message.protocol;
	if (message.protocol == MDL_RENDEZVOUS)
		op->sender_request = mdl_known((int64_t)message.sender_request);
}

enum acc_rc rd_ompi_request_receive(struct rd_ompi_obj *req, const struct rd_ompi_comm *comm, struct mdl_op *ret)
{
	struct rd_ompi *o = req->o;
	struct base b = base_of(req);
	struct mdl_op op = { .kind = MDL_RECEIVE };

	if (req->rc == ACC_OK && !in_use(&b))
		return ACC_NONE;
	enum acc_rc rc = fill(req, &b, comm, &op);
	if (rc)
		return rc;
	int64_t type = rd_ompi_i(req, F_mca_pml_base_request_t_req_type);
	uint64_t buffer_addr = rd_ompi_u(req, F_mca_pml_base_request_t_req_addr);
	int64_t source = rd_ompi_i_at(req, b.status, F_ompi_status_public_t_MPI_SOURCE);
	int64_t tag = rd_ompi_i_at(req, b.status, F_ompi_status_public_t_MPI_TAG);
	uint64_t received = rd_ompi_u_at(req, b.status, F_ompi_status_public_t__ucount);
	uint64_t packed = rd_ompi_u(req, F_mca_pml_base_recv_request_t_req_bytes_packed);
	uint64_t sender = 0;
	if (rd_ompi_has(o, F_mca_pml_ob1_recv_request_t_remote_req_send))
		sender = rd_ompi_u(req, F_mca_pml_ob1_recv_request_t_remote_req_send);
	if (req->rc)
		return req->rc;
	bool complete = b.complete == RD_OMPI_REQ_COMPLETED, inactive = b.state == RD_OMPI_REQ_INACTIVE;
	bool matched = !inactive && tag != RD_OMPI_ANY;

	op.buffer = mdl_known((int64_t)buffer_addr);
	switch (type) {
	case RD_OMPI_PML_RECV:
		break;
	case RD_OMPI_PML_PROBE:
	case RD_OMPI_PML_MPROBE:
	case RD_OMPI_PML_IMPROBE:
		op.kind = type == RD_OMPI_PML_PROBE ? MDL_PROBE : MDL_MPROBE;
		op.count = op.bytes = op.datatype_handle = mdl_none();
		op.datatype[0] = '\0';
		op.buffer = matched ? mdl_unavailable("the message was not received yet") : mdl_none();
		op.request = op.fortran = mdl_unavailable("a probe has no request");
		break;
	default:
		return ACC_ECORRUPT;
	}
	if (op.kind == MDL_MPROBE && matched)
		op.status = MDL_MATCHED; /* the probe has completed, its message is not received */
	else if (complete || inactive)
		op.status = MDL_COMPLETE;
	else
		op.status = matched ? MDL_MATCHED : MDL_PENDING;
	op.active = op.status != MDL_COMPLETE;
	if (op.tag.value == RD_OMPI_ANY)
		op.tag = mdl_any();
	op.internal = op.tag.known == MDL_KNOWN && op.tag.value < 0;
	if (matched) {
		uint64_t bytes = complete ? received : packed;

		if (source < 0 || (uint64_t)source >= comm->remote.n || bytes > INT64_MAX)
			return ACC_ECORRUPT;
		op.actual_peer = mdl_known(source);
		op.actual_peer_world = rd_ompi_world_rank(o, &comm->remote, source);
		op.actual_tag = mdl_known(tag);
		op.actual_bytes = mdl_known((int64_t)bytes);
	}
	if (op.kind == MDL_MPROBE && matched) {
		fill_message(req, &op);
	} else if (op.status == MDL_MATCHED) {
		/* an eager message is received when it is matched; only a rendezvous takes time */
		op.protocol = MDL_RENDEZVOUS;
		op.sender_request = sender ? mdl_known((int64_t)sender)
					   : mdl_unavailable("the sender's request is not recorded");
	}
	*ret = op;
	return ACC_OK;
}

enum acc_rc rd_ompi_request_collective(struct rd_ompi_obj *req, const struct rd_ompi_comm *comm, struct mdl_op *ret)
{
	static const char why[] = "coll/libnbc keeps no arguments";
	struct base b = base_of(req);
	struct mdl_op op = { .kind = MDL_COLLECTIVE, .origin = "libnbc", .addr = req->addr };
	uint64_t comm_addr = rd_ompi_u(req, F_ompi_coll_libnbc_request_t_comm);
	int64_t tag = rd_ompi_i(req, F_ompi_coll_libnbc_request_t_tag);

	if (req->rc)
		return req->rc;
	if (!in_use(&b) || comm_addr != comm->facts.id)
		return ACC_NONE;
	bool complete = b.complete == RD_OMPI_REQ_COMPLETED;
	op.persistent = b.persistent;
	op.active = b.state != RD_OMPI_REQ_INACTIVE && !complete;
	op.status = op.active ? MDL_PENDING : MDL_COMPLETE;
	op.waiter_addr = complete ? 0 : b.complete;
	op.peer = op.peer_world = mdl_none();
	op.tag = mdl_known(tag); /* the library's own tag; the same on every member for the same collective */
	op.bytes = op.count = op.datatype_handle = op.buffer = mdl_unavailable(why);
	op.actual_peer = op.actual_peer_world = op.actual_tag = op.actual_bytes = mdl_none();
	op.request = mdl_known((int64_t)req->addr);
	op.fortran = b.fortran >= 0 ? mdl_known(b.fortran) : mdl_unavailable("no Fortran handle was made");
	op.sequence = mdl_known(-tag);
	op.sender_request = mdl_none();
	*ret = op;
	return ACC_OK;
}

/* ---- a request of any kind ---------------------------------------------------------------------------------- */

/* Most derived classes have three classes between them and opal_object_t. */
enum { PARENTS_MAX = 8 };

/*
 * Is the class derived from ompi_request_t? opal_class_t (opal/class/opal_object.h, 1.0 to 5.0) begins with cls_name
 * and cls_parent; the last parent is opal_object_t, which has none.
 */
static bool is_request_class(struct rd_ompi *o, uint64_t class_addr)
{
	uint32_t parent_off = o->layout->fields[F_opal_class_t_cls_name].offset + o->sp->sizes.pointer_bytes;

	for (unsigned i = 0; i < PARENTS_MAX && acc_plausible(o->sp, class_addr, o->sp->sizes.pointer_bytes); i++) {
		if (!rd_ompi_is(o, class_addr, C_ompi_request_t))
			return true;
		if (acc_read_ptr(o->sp, class_addr + parent_off, &class_addr))
			return false;
	}
	return false;
}

static bool is_request(struct rd_ompi *o, uint64_t addr)
{
	uint64_t class_addr;

	return acc_plausible(o->sp, addr, o->sp->sizes.pointer_bytes) &&
	       !acc_read_ptr(o->sp, addr + o->layout->fields[F_opal_object_t_obj_class].offset, &class_addr) &&
	       is_request_class(o, class_addr);
}

enum acc_rc rd_ompi_request_done(void *state, uint64_t handle, bool *ret)
{
	struct rd_ompi *o = state;
	struct acc_note note = o->sp->note;
	struct rd_ompi_obj req;

	if (!is_request(o, handle)) {
		o->sp->note = note;
		return ACC_NONE;
	}
	rd_ompi_peek(&req, o, T_ompi_request_t, handle, (uint32_t)acc_layout_bytes(o->layout, T_ompi_request_t));
	struct base b = base_of(&req);
	o->sp->note = note;
	if (req.rc || !in_use(&b))
		return req.rc ? req.rc : ACC_NONE;
	*ret = b.state == RD_OMPI_REQ_INACTIVE || b.complete == RD_OMPI_REQ_COMPLETED;
	return ACC_OK;
}

/* Is it a request of pml/ucx that it has released? It stays as it was when UCX made it: active, and not complete. */
static bool is_released_ucx(struct rd_ompi *o, uint64_t addr)
{
	return o->by_ucx && rd_ompi_check(o, addr, C_ompi_request_t) == ACC_OK && !rd_ucx_is_request(&o->ucx, addr);
}

enum rd_request_is rd_ompi_request_at(void *state, uint64_t addr)
{
	struct rd_ompi *o = state;
	struct acc_note note = o->sp->note;
	struct rd_ompi_obj req;
	enum rd_request_is ret = RD_NO_REQUEST;

	if (is_request(o, addr)) {
		rd_ompi_peek(&req, o, T_ompi_request_t, addr, (uint32_t)acc_layout_bytes(o->layout, T_ompi_request_t));
		bool pending = rd_ompi_i(&req, F_ompi_request_t_req_state) == RD_OMPI_REQ_ACTIVE &&
			       rd_ompi_u(&req, F_ompi_request_t_req_complete) != RD_OMPI_REQ_COMPLETED;
		ret = req.rc || (pending && !is_released_ucx(o, addr)) ? RD_PENDING_REQUEST : RD_IDLE_REQUEST;
	}
	o->sp->note = note;
	return ret;
}
