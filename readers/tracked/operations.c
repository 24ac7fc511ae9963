/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Operations that the program has started and whose completion has not been reported to it: requests, and the calls in
 * which threads wait. Whether the library has already done its part is not known here.
 */
#include "operations.h"

#include "../../access/limits.h"

#include <string.h>
#include <strings.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

/* Indexes of rd_op_iter.state. */
enum { AT_PHASE, AT_INDEX, AT_FRAME };
enum { PHASE_REQUESTS, PHASE_THREADS, PHASE_END };

/* ---- which call makes what ------------------------------------------------------------------------------- */

struct call_kind {
	bool makes[MDL_N_CLASSES];
	enum mdl_op_kind receive_kind;
	enum mdl_send_mode mode;
};

static const char *find_word(const char *name, const char *word)
{
	for (; *name; name++)
		if (!strncasecmp(name, word, strlen(word)))
			return name;
	return NULL;
}

/* Derive the class from the name of the function: the standard's names are regular. */
static struct call_kind kind_of(const char *name)
{
	struct call_kind k = { .receive_kind = MDL_RECEIVE };
	const char *send = find_word(name, "send"), *receive = find_word(name, "recv");

	if (send && send > name) {
		char before = send[-1];

		k.makes[MDL_SENDS] = true;
		k.mode = before == 's' || before == 'S'   ? MDL_SYNCHRONOUS
			 : before == 'b' || before == 'B' ? MDL_BUFFERED
			 : before == 'r' || before == 'R' ? MDL_READY
							  : MDL_STANDARD;
	}
	k.makes[MDL_RECEIVES] = receive != NULL;
	if (find_word(name, "probe")) {
		k.makes[MDL_RECEIVES] = true;
		k.receive_kind = find_word(name, "mprobe") ? MDL_MPROBE : MDL_PROBE;
	}
	k.makes[MDL_COLLECTIVES] = !k.makes[MDL_SENDS] && !k.makes[MDL_RECEIVES];
	return k;
}

/* ---- facts ------------------------------------------------------------------------------------------------- */

static const struct rd_track_type_name *type_of(struct rd_track_state *s, uint64_t handle)
{
	struct mdl_handle h;

	for (unsigned i = 0; i < RD_TRACK_TYPE_NAMES; i++)
		if (s->types[i].known && s->types[i].handle == handle)
			return &s->types[i];

	struct rd_track_type_name *n = &s->types[s->next_type++ % RD_TRACK_TYPE_NAMES];
	*n = (struct rd_track_type_name){ .handle = handle, .known = true };
	n->size = mdl_unavailable("the datatype is not recorded");
	if (!rd_track_find(s->t, MDL_DATATYPE, handle, &h)) {
		memcpy(n->name, h.name, sizeof(n->name));
		memcpy(n->call, h.call, sizeof(n->call));
		n->size = h.datatype.size;
	}
	return n;
}

static struct mdl_num world_of(struct rd_track_state *s, const struct mdl_comm *comm, struct mdl_num peer)
{
	struct mdl_member m;

	if (peer.known != MDL_KNOWN || peer.value < 0)
		return peer;
	if (rd_track_comm_members(s, comm, comm->inter, (uint64_t)peer.value, 1, &m) || !m.known)
		return mdl_unavailable("the communicator's members are not recorded");
	return m.own_world ? mdl_known(m.world_rank) : mdl_unavailable("it is of another MPI_COMM_WORLD");
}

static void fill_common(struct rd_track_state *s, const struct rd_track_asked *it, const struct call_kind *k,
			struct mdl_op *ret)
{
	static const char unknown[] = "the tracker does not see what the library has matched";

	ret->kind = it->op_class == MDL_SENDS      ? MDL_SEND
		    : it->op_class == MDL_RECEIVES ? k->receive_kind
						   : MDL_COLLECTIVE;
	ret->mode = k->mode;
	ret->status = MDL_PENDING;
	ret->active = true;
	ret->actual_peer = ret->actual_peer_world = ret->actual_tag = ret->actual_bytes = mdl_unavailable(unknown);
	ret->sender_request = mdl_none();
	ret->sequence = mdl_unavailable("the tracker keeps no order");
	ret->origin = "tracker";
	ret->peer_world = world_of(s, it->comm, ret->peer);
	ret->bytes = mdl_none();
	if (ret->datatype_handle.known == MDL_KNOWN) {
		const struct rd_track_type_name *type = type_of(s, (uint64_t)ret->datatype_handle.value);
		int64_t bytes;

		memcpy(ret->datatype, type->name, sizeof(ret->datatype));
		memcpy(ret->datatype_call, type->call, sizeof(ret->datatype_call));
		ret->bytes = mdl_unavailable("the datatype's size is not recorded");
		if (type->size.known == MDL_KNOWN && ret->count.known == MDL_KNOWN &&
		    !__builtin_mul_overflow(type->size.value, ret->count.value, &bytes))
			ret->bytes = mdl_known(bytes);
	}
}

/* ---- requests ------------------------------------------------------------------------------------------------ */

/* Select one half of MPI_Sendrecv; *ret is the send. @return false: this half has no partner, or is not selected */
static bool half_of_both(const struct rd_track_asked *it, struct mdl_num source, struct mdl_num receive_tag,
			 const struct mdl_second *second, struct mdl_op *ret)
{
	if (it->op_class == MDL_RECEIVES) {
		ret->peer = source;
		ret->tag = receive_tag;
		ret->count = second->count;
		ret->datatype_handle = second->datatype;
		ret->buffer = second->buffer;
	}
	return ret->peer.known != MDL_KNOWN || ret->peer.value != MDL_PROC_NULL;
}

bool rd_track_request_op(struct rd_track_state *s, const struct rd_track_asked *it, const struct mdl_handle *h,
			 struct mdl_op *ret)
{
	const struct mdl_handle_request *r = &h->request;
	struct call_kind k = kind_of(h->call);

	if (r->object_kind.known != MDL_KNOWN || r->object_kind.value != MDL_COMM || r->object.known != MDL_KNOWN ||
	    (uint64_t)r->object.value != it->comm->handle || !h->call[0] || !k.makes[it->op_class])
		return false;
	bool active = r->active, both = r->source.known != MDL_NOT_APPLICABLE;
	if (!active && !it->all)
		return false;
	*ret = (struct mdl_op){ .peer = r->peer, .tag = r->tag, .count = r->count, .datatype_handle = r->datatype };
	ret->buffer = r->buffer;
	if (both && !half_of_both(it, r->source, r->receive_tag, &r->second, ret))
		return false;
	ret->caller = r->caller;
	memcpy(ret->call, h->call, sizeof(ret->call));
	ret->request = mdl_known((int64_t)h->handle);
	ret->fortran = h->fortran;
	ret->addr = h->addr;
	fill_common(s, it, &k, ret);
	ret->active = active;
	ret->status = r->shared ? MDL_COMPLETE : MDL_PENDING;
	ret->persistent = r->persistent;
	ret->cancelled = r->cancelled;
	ret->freed = r->free_called;
	return true;
}

static enum acc_rc next_request(struct rd_track_state *s, struct rd_op_iter *it, struct mdl_op *ret)
{
	const struct rd_track_asked asked = { it->comm, it->op_class, it->all };
	struct rd_track_iter walk;
	struct mdl_handle h;
	enum acc_rc rc = rd_track_first(s->t, MDL_REQUEST, RD_TRACK_LIVE, &walk);

	if (rc)
		return rc;
	walk.i = it->state[AT_INDEX];
	while (!(rc = rd_track_next(&walk, &h)))
		if (rd_track_request_op(s, &asked, &h, ret))
			break;
	it->state[AT_INDEX] = rc ? 0 : walk.i;
	it->n_bad += rc == ACC_NONE && it->op_class != MDL_SENDS ? 0
								 : walk.n_bad; /* bad ones have no class: report once */
	return rc;
}

/* ---- calls --------------------------------------------------------------------------------------------------- */

bool rd_track_call_op(struct rd_track_state *s, const struct rd_track_asked *it, const struct mdl_thread *thread,
		      const struct mdl_call *c, struct mdl_op *ret)
{
	struct call_kind k = kind_of(c->function);
	bool both = k.makes[MDL_SENDS] && k.makes[MDL_RECEIVES];

	/* a call that does not wait has no time (MPI_Comm_rank); one with a request is covered by the request */
	if (c->comm.known != MDL_KNOWN || (uint64_t)c->comm.value != it->comm->handle || !c->function[0] ||
	    c->nanoseconds.known == MDL_NOT_APPLICABLE || !k.makes[it->op_class])
		return false;
	*ret = (struct mdl_op){ .peer = c->peer, .tag = c->tag, .count = c->count, .datatype_handle = c->datatype };
	if (it->op_class == MDL_COLLECTIVES)
		ret->peer = c->root;
	ret->buffer = c->buffer;
	if (both && !half_of_both(it, c->source, c->receive_tag, &c->second, ret))
		return false;
	memcpy(ret->call, c->function, sizeof(ret->call));
	ret->blocking = true;
	ret->thread = thread->tid;
	ret->request = ret->fortran = mdl_none();
	fill_common(s, it, &k, ret);
	return true;
}

static enum acc_rc next_call(struct rd_track_state *s, struct rd_op_iter *it, struct mdl_op *ret)
{
	const struct rd_track_asked asked = { it->comm, it->op_class, it->all };
	struct rd_track_threads walk;
	struct mdl_thread thread;
	enum acc_rc rc = rd_track_threads(s->t, NULL, &walk);

	walk.i = rc ? 0 : it->state[AT_INDEX];
	while (!rc) {
		uint64_t at = walk.i;

		rc = rd_track_thread_next(&walk, &thread);
		if (rc)
			break;
		/* the walk has skipped free slots before the thread:
		 * find the thread again from where the search began */
		for (uint64_t k = it->state[AT_FRAME]; k < thread.n; k++) {
			if (!rd_track_call_op(s, &asked, &thread, &thread.calls[k], ret))
				continue;
			it->state[AT_INDEX] = at;
			it->state[AT_FRAME] = k + 1;
			ret->addr = (thread.tid << 8 | k) << 1 | 1; /* not an address: odd, and
								     * different for each call */
			return ACC_OK;
		}
		it->state[AT_INDEX] = walk.i;
		it->state[AT_FRAME] = 0;
	}
	return rc;
}

/* ---- public functions -------------------------------------------------------------------------------- */

enum acc_rc rd_track_ops_available(void *state, enum mdl_op_class op_class, const char **why)
{
	struct rd_track_state *s = state;

	if (op_class == MDL_UNEXPECTED) {
		*why = "only the MPI library knows what has arrived, and this plugin cannot read this one's memory";
		return ACC_NONE;
	}
	if (!rd_track_count(s->t, MDL_REQUEST).known) {
		*why = "requests are not recorded in this process";
		return ACC_NONE;
	}
	return ACC_OK;
}

enum acc_rc rd_track_op_first(void *state, struct rd_op_iter *it)
{
	const char *why;

	memset(it->state, 0, sizeof(it->state));
	if (!it->comm)
		return ACC_NONE;
	return rd_track_ops_available(state, it->op_class, &why);
}

enum acc_rc rd_track_op_next(void *state, struct rd_op_iter *it, struct mdl_op *ret)
{
	struct rd_track_state *s = state;
	enum acc_rc rc = ACC_NONE;

	if (it->state[AT_PHASE] == PHASE_REQUESTS) {
		rc = next_request(s, it, ret);
		if (rc != ACC_NONE)
			return rc;
		it->state[AT_PHASE] = PHASE_THREADS;
		it->state[AT_INDEX] = 0;
	}
	if (it->state[AT_PHASE] == PHASE_THREADS) {
		rc = next_call(s, it, ret);
		if (rc)
			it->state[AT_PHASE] = PHASE_END;
	}
	return rc;
}
