/* SPDX-License-Identifier: BSD-3-Clause */
#include "merge.h"

#include "operations.h"
#include "registry.h"

#include "../../access/limits.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum {
	MERGE_MAX = 1 << 20, /* live requests */
	CALLS_MAX = 1024,    /* calls in which threads wait */
	FREED_MAX = 1024,    /* freed requests whose records are searched; each search reads all records */
};

struct entry {
	uint64_t handle; /* the library's own */
	uint32_t slot;   /* + 1; 0: empty */
	bool ambiguous;  /* several live requests have this value: ambiguous */
};

/* A call that a thread is in. */
struct waiting {
	struct mdl_thread thread;
	unsigned frame;
};

struct rd_track_merge {
	struct rd_track *t;
	struct rd_track_state state;
	struct entry *entries;
	uint64_t mask;
	struct waiting *calls;
	unsigned n_calls, n_freed;
	struct mdl_differences differences; /* of the last operation */
};

static struct entry *find_entry(const struct rd_track_merge *m, uint64_t handle)
{
	uint64_t at = (handle * UINT64_C(0x9e3779b97f4a7c15) >> 20) & m->mask;

	while (m->entries[at].slot && m->entries[at].handle != handle)
		at = (at + 1) & m->mask;
	return &m->entries[at];
}

/* Called once to count and once to fill. @return number of live requests */
static uint64_t walk(struct rd_track *t, struct rd_track_merge *m)
{
	uint64_t n = 0;

	for (uint64_t i = 0; i < t->slabs[TRK_REQUEST].high && n < MERGE_MAX; i++) {
		enum mdl_life life;
		uint64_t handle, id;

		if (rd_track_record_key(t, MDL_REQUEST, i, &life, &handle, &id) || life != MDL_LIVE)
			continue;
		n++;
		if (!m)
			continue;
		/* when a process runs during the reads, it may have more requests the second time */
		if (n > m->mask / 2 + 1)
			break;
		handle = rd_track_native(t, MDL_REQUEST, handle);
		struct entry *e = find_entry(m, handle);
		e->ambiguous = e->slot != 0;
		e->handle = handle;
		e->slot = (uint32_t)i + 1;
	}
	return n;
}

static void read_calls(struct rd_track_merge *m)
{
	struct rd_track_threads walk;
	struct mdl_thread thread;

	if (rd_track_threads(m->t, NULL, &walk))
		return;
	while (!rd_track_thread_next(&walk, &thread))
		for (unsigned i = 0; i < thread.n; i++) {
			const struct mdl_call *c = &thread.calls[i];

			if (m->n_calls == CALLS_MAX)
				return;
			if (c->function[0] && c->nanoseconds.known != MDL_NOT_APPLICABLE)
				m->calls[m->n_calls++] = (struct waiting){ thread, i };
		}
}

enum acc_rc rd_track_merge_open(struct rd_track *t, struct rd_track_merge **ret)
{
	uint64_t n, size = 16;

	if (!t || !ret)
		return ACC_EINVAL;
	if (!t->slabs[TRK_REQUEST].known)
		return ACC_NONE;
	acc_space_begin(t->sp);
	n = walk(t, NULL);
	while (size < 2 * n)
		size *= 2;
	struct rd_track_merge *m = acc_array(t->sp, 1, sizeof(*m));
	struct entry *entries = acc_array(t->sp, size, sizeof(*entries));
	struct waiting *calls = acc_array(t->sp, CALLS_MAX, sizeof(*calls));
	bool ok = m && entries && calls;
	if (ok) {
		memset(entries, 0, size * sizeof(*entries));
		memset(m, 0, sizeof(*m));
		m->t = m->state.t = t;
		m->entries = entries;
		m->mask = size - 1;
		m->calls = calls;
		walk(t, m);
		read_calls(m);
		*ret = m;
	} else {
		acc_array_free(t->sp, m);
		acc_array_free(t->sp, entries);
		acc_array_free(t->sp, calls);
	}
	acc_space_end(t->sp);
	return ok ? ACC_OK : acc_note(&t->sp->note, ACC_ENOMEM, "requests: %s", acc_rc_text(ACC_ENOMEM));
}

void rd_track_merge_close(struct rd_track_merge *m)
{
	if (!m)
		return;
	acc_array_free(m->t->sp, m->entries);
	acc_array_free(m->t->sp, m->calls);
	acc_array_free(m->t->sp, m);
}

/* ---- one operation, from two origins --------------------------------------------------------------------------- */

static enum mdl_op_class class_of(const struct mdl_op *op)
{
	return op->kind == MDL_SEND ? MDL_SENDS : op->kind == MDL_COLLECTIVE ? MDL_COLLECTIVES : MDL_RECEIVES;
}

static void differ(struct rd_track_merge *m, const char *fact, struct mdl_num library, struct mdl_num tracker)
{
	struct mdl_differences *d = &m->differences;

	if (d->n < MDL_DIFFERENCES_MAX)
		d->list[d->n++] = (struct mdl_difference){ fact, library, tracker };
}

static bool is_stated(struct mdl_num n)
{
	return n.known == MDL_KNOWN || n.known == MDL_ANY;
}

/* Take over a fact that the library does not have; compare a fact that both have. @return false: they differ */
static bool combine(struct rd_track_merge *m, struct mdl_op *op, enum mdl_op_fact bit, const char *fact,
		    struct mdl_num *library, struct mdl_num tracker)
{
	if (!is_stated(tracker))
		return true;
	if (!is_stated(*library)) {
		*library = tracker;
		op->from_tracker |= bit;
		return true;
	}
	if (library->known == tracker.known && (library->known == MDL_ANY || library->value == tracker.value))
		return true;
	differ(m, fact, *library, tracker);
	return false;
}

/*
 * For a process alone in its communicator, MPICH does not record that
 * it receives from any source: the source is the process itself.
 */
static struct mdl_num peer_stated(const struct mdl_comm *comm, const struct mdl_op *op, struct mdl_num tracker)
{
	bool alone = comm && !comm->inter && comm->size == 1;

	return alone && tracker.known == MDL_ANY && op->peer.known == MDL_KNOWN && !op->peer.value ? op->peer : tracker;
}

/* Is the program's handle of a datatype this one of the library? */
static bool is_native_type(struct rd_track *t, uint64_t handle, uint64_t native)
{
	return rd_track_of_native(t, MDL_DATATYPE, native, 0) == handle ||
	       rd_track_native(t, MDL_DATATYPE, handle) == native;
}

/*
 * For data with a lower bound, or not contiguous, the library may store another address than the program passed; for
 * packed data (a buffered send) another count.
 */
static void combine_data(struct rd_track_merge *m, struct mdl_op *op, const struct mdl_op *word)
{
	struct mdl_handle type;
	bool simple = word->datatype_handle.known == MDL_KNOWN &&
		      !rd_track_find(m->t, MDL_DATATYPE, (uint64_t)word->datatype_handle.value, &type) &&
		      type.predefined && !op->system_buffer && op->mode != MDL_BUFFERED;

	if (simple || !is_stated(op->buffer))
		combine(m, op, MDL_FACT_BUFFER, "buffer", &op->buffer, word->buffer);
	if (op->system_buffer || op->mode == MDL_BUFFERED)
		return;
	combine(m, op, MDL_FACT_BYTES, "bytes", &op->bytes, word->bytes);
	combine(m, op, MDL_FACT_COUNT, "count", &op->count, word->count);
	if (!op->datatype[0]) {
		memcpy(op->datatype, word->datatype, sizeof(op->datatype));
		if (op->datatype[0])
			op->from_tracker |= MDL_FACT_DATATYPE;
	}
	if (op->datatype_handle.known == MDL_KNOWN && word->datatype_handle.known == MDL_KNOWN &&
	    is_native_type(m->t, (uint64_t)word->datatype_handle.value, (uint64_t)op->datatype_handle.value))
		op->datatype_handle = word->datatype_handle;
	combine(m, op, MDL_FACT_DATATYPE_HANDLE, "datatype_handle", &op->datatype_handle, word->datatype_handle);
	memcpy(op->datatype_call, word->datatype_call, sizeof(op->datatype_call));
}

static void combine_mode(struct rd_track_merge *m, struct mdl_op *op, const struct mdl_op *word)
{
	if (op->kind != MDL_SEND || word->mode == MDL_MODE_UNKNOWN)
		return;
	if (op->mode == MDL_MODE_UNKNOWN) {
		op->mode = word->mode;
		op->from_tracker |= MDL_FACT_MODE;
	} else if (op->mode != word->mode) {
		differ(m, "mode", mdl_known(op->mode), mdl_known(word->mode));
	}
}

static void take_facts(struct rd_track_merge *m, const struct mdl_comm *comm, struct mdl_op *op,
		       const struct mdl_op *word)
{
	bool same = true;

	if (op->persistent != word->persistent) {
		differ(m, "persistent", mdl_known(op->persistent), mdl_known(word->persistent));
		same = false;
	}
	if (op->kind == MDL_COLLECTIVE) {
		/* take over the root: the library does not record arguments of collectives */
		op->peer = op->peer.known == MDL_NOT_APPLICABLE ? word->peer : op->peer;
		op->count = op->count.known == MDL_KNOWN ? op->count : word->count;
	} else {
		same &= combine(m, op, MDL_FACT_PEER, "peer", &op->peer, peer_stated(comm, op, word->peer));
		same &= combine(m, op, MDL_FACT_TAG, "tag", &op->tag, word->tag);
		if (op->from_tracker & MDL_FACT_PEER)
			op->peer_world = word->peer_world;
	}
	/* the record belongs to an earlier use of the request: its other facts do not apply */
	if (!same)
		return;
	op->tracked = true;
	if (word->request.known == MDL_KNOWN)
		op->request = word->request; /* the program's, which differs with the standard ABI */
	memcpy(op->call, word->call, sizeof(op->call));
	op->caller = word->caller;
	combine_mode(m, op, word);
	combine_data(m, op, word);
}

/* ---- which record it is ---------------------------------------------------------------------------------------- */

/*
 * The library continues with a request that the program freed before it was complete. Its handle is not reused until
 * then, so the record with this handle that was freed last belongs to it.
 */
static bool find_freed(struct rd_track_merge *m, const struct mdl_op *op, struct mdl_handle *ret)
{
	return op->freed && m->n_freed++ < FREED_MAX &&
	       !rd_track_find(m->t, MDL_REQUEST,
			      rd_track_of_native(m->t, MDL_REQUEST, (uint64_t)op->request.value, op->addr), ret) &&
	       ret->life == MDL_FREED && ret->request.free_called;
}

/* @return false: no record, or it is itself ambiguous */
static bool find_request(struct rd_track_merge *m, const struct rd_track_asked *asked, const struct mdl_op *op,
			 struct mdl_op *word)
{
	struct mdl_handle h;

	if (op->request.known != MDL_KNOWN)
		return false;
	const struct entry *e = find_entry(m, (uint64_t)op->request.value);
	if (e->slot) {
		if (e->ambiguous || rd_track_record(m->t, MDL_REQUEST, e->slot - 1, &h) || h.life != MDL_LIVE ||
		    rd_track_native(m->t, MDL_REQUEST, h.handle) != (uint64_t)op->request.value)
			return false;
	} else if (!find_freed(m, op, &h)) {
		return false;
	}
	if (h.unsettled || h.request.shared)
		return false;
	if (rd_track_request_op(&m->state, asked, &h, word))
		return true;
	const struct mdl_handle_request *r = &h.request;
	if (r->object_kind.known == MDL_KNOWN && r->object_kind.value == MDL_COMM && r->object.known == MDL_KNOWN &&
	    (uint64_t)r->object.value != asked->comm->handle)
		differ(m, "communicator", mdl_known((int64_t)asked->comm->handle), r->object);
	if ((op->kind == MDL_COLLECTIVE) != (r->type == MDL_REQUEST_COLLECTIVE))
		differ(m, "collective", mdl_known(op->kind == MDL_COLLECTIVE),
		       mdl_known(r->type == MDL_REQUEST_COLLECTIVE));
	return false;
}

static bool may_be(struct mdl_num library, struct mdl_num tracker)
{
	return !is_stated(library) || !is_stated(tracker) ||
	       (library.known == tracker.known && library.value == tracker.value);
}

/* The only waiting call that can have created it: requests internal to the library have no record. */
static bool find_call(struct rd_track_merge *m, const struct rd_track_asked *asked, const struct mdl_op *op,
		      struct mdl_op *word)
{
	unsigned n = 0;

	if (op->persistent || op->freed || op->kind == MDL_COLLECTIVE)
		return false;
	for (unsigned i = 0; i < m->n_calls; i++) {
		const struct waiting *w = &m->calls[i];
		struct mdl_op one;

		if (!rd_track_call_op(&m->state, asked, &w->thread, &w->thread.calls[w->frame], &one) ||
		    !may_be(op->peer, peer_stated(asked->comm, op, one.peer)) || !may_be(op->tag, one.tag) ||
		    (one.kind == MDL_PROBE || one.kind == MDL_MPROBE) !=
			    (op->kind == MDL_PROBE || op->kind == MDL_MPROBE))
			continue;
		one.caller = w->thread.calls[w->frame].caller;
		*word = one;
		n++;
	}
	return n == 1;
}

void rd_track_merge_op(struct rd_track_merge *m, const struct mdl_comm *comm, struct mdl_op *op)
{
	struct mdl_op word;

	if (!m || !comm || op->internal || op->kind == MDL_MESSAGE)
		return;
	struct mdl_comm own = *comm;
	own.handle = rd_track_of_native(m->t, MDL_COMM, comm->handle, comm->addr);
	struct rd_track_asked asked = { &own, class_of(op), true };
	m->differences.n = 0;
	if (find_request(m, &asked, op, &word)) {
		take_facts(m, comm, op, &word);
	} else if (!m->differences.n && find_call(m, &asked, op, &word)) {
		take_facts(m, comm, op, &word);
		op->blocking = op->tracked;
		op->thread = op->tracked ? word.thread : 0;
	}
	if (m->differences.n)
		op->differences = &m->differences;
}

/* ---- communicators --------------------------------------------------------------------------------------------- */

enum acc_rc rd_track_merge_comm(struct rd_track *t, const struct mdl_comm *comm, struct mdl_handle *ret)
{
	enum acc_rc rc = rd_track_find(t, MDL_COMM, rd_track_of_native(t, MDL_COMM, comm->handle, comm->addr), ret);

	if (rc || ret->life != MDL_LIVE || ret->unsettled)
		return rc ? rc : ACC_NONE;
	/* this memory contained another object before */
	if (ret->comm.size.known == MDL_KNOWN && ret->comm.size.value != comm->size)
		return ACC_NONE;
	return ACC_OK;
}
