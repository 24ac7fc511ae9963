/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sessions of performance variables, and their handles.
 *
 * start, stop, read, readreset, reset and write must work in every callback, even in a signal handler: they take no
 * lock and allocate nothing. The memory of a handle is kept until its session is freed, so that a handle in use never
 * disappears; its slot in the table of handles says whether it is still valid.
 */
#include "mirror.h"
#include "object.h"
#include "pvar_set.h"

#include "../calls/calls.h"
#include "../calls/watching.h"

#include <stdlib.h>
#include <string.h>

union value {
	uint64_t number;
	double real;
};

struct handle {
	struct handle *next;
	struct session *session;
	uintptr_t value; /* the program's handle; 0: freed */
	const struct mpit_own_pvar *own;
	int continuous, readonly, atomic;
	int bind;
	uint64_t object; /* bits of the handle that it is bound to */
	/* fields of our own variables */
	uint64_t identity;
	bool accumulates; /* shows the increase since it was started */
	int started;
	union value base, frozen; /* value when started; value when stopped */
	/* fields of the host's variables */
	uint64_t number; /* number of its object in the registry; 0: not known */
	MPI_T_pvar_session host_session;
	MPI_T_pvar_handle host;
};

struct session {
	uintptr_t value;
	struct handle *handles;
	MPI_T_pvar_session host; /* created with the first handle of a host's variable */
	bool has_host;
};

/* Is the object of this handle (of one of our variables) still the one for which it was created? */
static bool has_object(const struct handle *h)
{
	return !h->own->identity || h->own->identity(h->object) == h->identity;
}

/* Get the variable's current value. */
static bool fetch(const struct handle *h, union value *ret)
{
	memset(ret, 0, sizeof(*ret));
	return has_object(h) && h->own->fetch(h->object, ret);
}

/* A handle of one of our variables is no longer started: calls need not be watched for it. */
static void unwatch(struct handle *h)
{
	if (__atomic_exchange_n(&h->started, 0, __ATOMIC_ACQ_REL) && h->own->watch)
		m2d_watch_listen(h->own->watch, -1);
}

MPIT(pvar_session_create, (MPI_T_pvar_session * session))
{
	int rc = mpit_enter();

	if (rc != MPI_SUCCESS)
		return rc;
	if (!session)
		return mpit_leave(MPI_T_ERR_INVALID);
	struct session *s = calloc(1, sizeof(*s));
	if (!s)
		return mpit_leave(MPI_T_ERR_MEMORY);
	s->value = mpit_handle_make(MPIT_SESSION, s);
	if (!s->value) {
		free(s);
		return mpit_leave(MPI_T_ERR_OUT_OF_SESSIONS);
	}
	*session = (MPI_T_pvar_session)s->value;
	return mpit_leave(MPI_SUCCESS);
}

/* After MPI_Finalize the host's sessions cannot be freed safely; they are leaked, a few bytes each. */
static bool host_can_free(void)
{
	return mpit_host() && mpit_host_is_safe("");
}

MPIT(pvar_session_free, (MPI_T_pvar_session * session))
{
	int rc = mpit_enter();

	if (rc != MPI_SUCCESS)
		return rc;
	struct session *s = session ? mpit_handle_find(MPIT_SESSION, (uintptr_t)*session) : NULL;
	if (!s)
		return mpit_leave(session ? MPI_T_ERR_INVALID_SESSION : MPI_T_ERR_INVALID);
	for (struct handle *h = s->handles, *next; h; h = next) {
		next = h->next;
		if (h->value && !h->own && host_can_free())
			mpit_host()->pvar_handle_free(s->host, &h->host);
		if (h->value && h->own)
			unwatch(h);
		mpit_handle_drop(MPIT_PVAR, h->value);
		free(h);
	}
	if (s->has_host && host_can_free())
		mpit_host()->pvar_session_free(&s->host);
	mpit_handle_drop(MPIT_SESSION, s->value);
	free(s);
	*session = MPI_T_PVAR_SESSION_NULL;
	return mpit_leave(MPI_SUCCESS);
}

static bool accumulates(const struct mpit_own_pvar *own)
{
	return own->var_class == MPI_T_PVAR_CLASS_COUNTER || own->var_class == MPI_T_PVAR_CLASS_AGGREGATE ||
	       own->var_class == MPI_T_PVAR_CLASS_TIMER;
}

static int alloc_host(struct session *s, const struct mpit_pvar *p, const void *obj_handle, struct handle *h,
		      int *count)
{
	struct mpit_host_object room;
	int rc = mpit_pvar_still_exists(p);

	if (rc == MPI_SUCCESS && !mpit_object_is_usable(p->bind, obj_handle))
		rc = MPI_T_ERR_INVALID_HANDLE;
	if (rc == MPI_SUCCESS && !s->has_host) {
		rc = mpit_host()->pvar_session_create(&s->host);
		s->has_host = rc == MPI_SUCCESS;
	}
	h->host_session = s->host;
	h->object = rc == MPI_SUCCESS ? mpit_object_bits(p->bind, obj_handle) : 0;
	h->number = rc == MPI_SUCCESS ? mpit_object_number(p->bind, h->object) : 0;
	if (rc != MPI_SUCCESS)
		return rc;
	return mpit_host()->pvar_handle_alloc(s->host, p->host_index, mpit_object_for_host(p->bind, obj_handle, &room),
					      &h->host, count);
}

static int alloc_own(const struct mpit_pvar *p, const void *obj_handle, struct handle *h, int *count)
{
	if (!mpit_object_is_live(p->bind, obj_handle))
		return MPI_T_ERR_INVALID_HANDLE;
	h->own = p->own;
	h->object = mpit_object_bits(p->bind, obj_handle);
	h->accumulates = accumulates(p->own);
	h->started = p->own->continuous;
	*count = 1;
	bool is_new = false;
	h->identity = p->own->prepare ? p->own->prepare(h->object, &is_new) : 0;
	if (is_new)
		mpit_mirror_counters();
	if (!fetch(h, &h->frozen))
		return MPI_T_ERR_INVALID_HANDLE; /* no such object */
	if (h->accumulates) {
		h->base = h->frozen;
		memset(&h->frozen, 0, sizeof(h->frozen));
		if (p->own->continuous)
			memset(&h->base, 0, sizeof(h->base));
	}
	return MPI_SUCCESS;
}

MPIT(pvar_handle_alloc,
     (MPI_T_pvar_session session, int pvar_index, void *obj_handle, MPI_T_pvar_handle *handle, int *count))
{
	int rc = mpit_enter(), n = 1;

	if (rc != MPI_SUCCESS)
		return rc;
	struct session *s = mpit_handle_find(MPIT_SESSION, (uintptr_t)session);
	const struct mpit_pvar *p = s ? mpit_pvar_at(pvar_index) : NULL;
	if (!s || !p)
		return mpit_leave(s ? MPI_T_ERR_INVALID_INDEX : MPI_T_ERR_INVALID_SESSION);
	if (!handle || !count || !mpit_object_is_readable(p->bind, obj_handle))
		return mpit_leave(MPI_T_ERR_INVALID);
	struct handle *h = calloc(1, sizeof(*h));
	if (!h)
		return mpit_leave(MPI_T_ERR_MEMORY);
	*h = (struct handle){
		.session = s, .bind = p->bind, .continuous = p->continuous, .readonly = p->readonly, .atomic = p->atomic
	};
	rc = p->own ? alloc_own(p, obj_handle, h, &n) : alloc_host(s, p, obj_handle, h, &n);
	if (rc == MPI_SUCCESS && !(h->value = mpit_handle_make(MPIT_PVAR, h))) {
		if (!h->own)
			mpit_host()->pvar_handle_free(s->host, &h->host);
		rc = MPI_T_ERR_OUT_OF_HANDLES;
	}
	if (rc != MPI_SUCCESS) {
		free(h);
		return mpit_leave(rc);
	}
	h->next = s->handles;
	__atomic_store_n(&s->handles, h, __ATOMIC_RELEASE);
	*count = n;
	*handle = (MPI_T_pvar_handle)h->value;
	return mpit_leave(MPI_SUCCESS);
}

/* Find a handle and check that it belongs to this session. */
static int find_handle(MPI_T_pvar_session session, MPI_T_pvar_handle handle, struct handle **ret)
{
	const struct session *s = mpit_handle_find(MPIT_SESSION, (uintptr_t)session);

	if (!s)
		return MPI_T_ERR_INVALID_SESSION;
	struct handle *h = mpit_handle_find(MPIT_PVAR, (uintptr_t)handle);
	if (!h || h->session != s)
		return MPI_T_ERR_INVALID_HANDLE;
	*ret = h;
	return MPI_SUCCESS;
}

MPIT(pvar_handle_free, (MPI_T_pvar_session session, MPI_T_pvar_handle *handle))
{
	int rc = mpit_enter();
	struct handle *h;

	if (rc != MPI_SUCCESS)
		return rc;
	if (!handle)
		return mpit_leave(MPI_T_ERR_INVALID);
	rc = find_handle(session, *handle, &h);
	if (rc != MPI_SUCCESS)
		return mpit_leave(rc);
	if (!h->own && host_can_free())
		mpit_host()->pvar_handle_free(h->host_session, &h->host);
	if (h->own)
		unwatch(h);
	mpit_handle_drop(MPIT_PVAR, h->value);
	h->value = 0;
	*handle = MPI_T_PVAR_HANDLE_NULL;
	return mpit_leave(MPI_SUCCESS);
}

/* ---- the six that work anywhere ------------------------------------------------------------------------ */

static bool is_all(MPI_T_pvar_handle handle)
{
#if defined(M2D_OPENMPI_MAJOR)
	return handle == MPI_T_PVAR_ALL_HANDLES;
#else
	/* MPICH exports MPI_T_PVAR_ALL_HANDLES as an object: look it
	 * up by name, because this library also loads without MPICH. */
	static const MPI_T_pvar_handle *all;
	const MPI_T_pvar_handle *is = __atomic_load_n(&all, __ATOMIC_RELAXED);
	if (!is) {
		is = m2d_calls_symbol("MPI_T_PVAR_ALL_HANDLES");
		__atomic_store_n(&all, is, __ATOMIC_RELAXED);
	}
	return is && handle == *is;
#endif
}

static uint64_t minus(const struct mpit_own_pvar *own, const union value *a, const union value *b, union value *ret)
{
	if (own->type == MPIT_DOUBLE)
		ret->real = a->real - b->real;
	else
		ret->number = a->number - b->number;
	return ret->number;
}

static void plus(const struct mpit_own_pvar *own, union value *a, const union value *b)
{
	if (own->type == MPIT_DOUBLE)
		a->real += b->real;
	else
		a->number += b->number;
}

/* Compute the value that a handle of one of our variables shows now. */
static int shown_value(const struct handle *h, union value *ret)
{
	union value now, since;

	if (!has_object(h))
		return MPI_T_ERR_INVALID_HANDLE;
	if (!h->started) {
		*ret = h->frozen;
		return MPI_SUCCESS;
	}
	if (!fetch(h, &now))
		return MPI_T_ERR_INVALID_HANDLE;
	if (!h->accumulates) {
		*ret = now;
		return MPI_SUCCESS;
	}
	minus(h->own, &now, &h->base, &since);
	*ret = h->frozen;
	plus(h->own, ret, &since);
	return MPI_SUCCESS;
}

/*
 * May the host be called for this handle of one of its variables? Not if its object was freed, because the host would
 * still read its memory, which MPI_Finalize does to all objects; for Open MPI up to 5.0, not at all after MPI_Finalize.
 * Takes no lock.
 */
static int host_call_allowed(const struct handle *h)
{
	if (h->number && mpit_object_number(h->bind, h->object) != h->number)
		return MPI_T_ERR_INVALID_HANDLE;
	if (h->bind != MPI_T_BIND_NO_OBJECT && !mpit_mpi_is_up())
		return MPI_T_ERR_NOT_ACCESSIBLE;
	return mpit_host_known() && mpit_host_is_safe("") ? MPI_SUCCESS : MPI_T_ERR_NOT_ACCESSIBLE;
}

/* Call a function of the host, if allowed; evaluates to its error code. */
#define HOST_PVAR(h, function, ...)                                                                                    \
	({                                                                                                             \
		int may_ = host_call_allowed(h);                                                                       \
		may_ == MPI_SUCCESS ? mpit_host_known()->function((h)->host_session, (h)->host, ##__VA_ARGS__) : may_; \
	})

static int start_pvar(struct handle *h)
{
	if (!h->own)
		return HOST_PVAR(h, pvar_start);
	if (h->started)
		return MPI_SUCCESS;
	if (h->own->watch)
		m2d_watch_listen(h->own->watch, 1);
	bool is_there = !h->accumulates || fetch(h, &h->base);
	/* another thread may have started it first */
	if ((!is_there || __atomic_exchange_n(&h->started, 1, __ATOMIC_ACQ_REL)) && h->own->watch)
		m2d_watch_listen(h->own->watch, -1);
	return is_there ? MPI_SUCCESS : MPI_T_ERR_INVALID_HANDLE;
}

static int stop(struct handle *h)
{
	if (!h->own)
		return HOST_PVAR(h, pvar_stop);
	union value now;
	int rc = shown_value(h, &now);
	if (rc == MPI_SUCCESS) {
		h->frozen = now;
		unwatch(h);
	}
	return rc;
}

static int reset(struct handle *h)
{
	if (!h->own)
		return HOST_PVAR(h, pvar_reset);
	if (!has_object(h) || (h->accumulates && h->started && !fetch(h, &h->base)))
		return MPI_T_ERR_INVALID_HANDLE;
	if (h->accumulates)
		memset(&h->frozen, 0, sizeof(h->frozen));
	return MPI_SUCCESS;
}

/* For ALL_HANDLES: apply a function to the session's handles, except those for which @p skip is true. */
static int for_each_handle(MPI_T_pvar_session session, int (*function)(struct handle *),
			   bool (*skip)(const struct handle *))
{
	struct session *s = mpit_handle_find(MPIT_SESSION, (uintptr_t)session);
	int rc = MPI_SUCCESS;

	if (!s)
		return MPI_T_ERR_INVALID_SESSION;
	for (struct handle *h = __atomic_load_n(&s->handles, __ATOMIC_ACQUIRE); h; h = h->next) {
		if (!h->value || skip(h))
			continue;
		int one = function(h);
		rc = rc == MPI_SUCCESS ? one : rc;
	}
	return rc;
}

static bool is_continuous(const struct handle *h)
{
	return h->continuous != 0;
}

static bool is_readonly(const struct handle *h)
{
	return h->readonly != 0;
}

/*
 * Apply a function to one handle or to all of the session. @param refuses for which handles the function is an error.
 */
static int apply(MPI_T_pvar_session session, MPI_T_pvar_handle handle, int (*function)(struct handle *),
		 bool (*refuses)(const struct handle *), int refusal)
{
	int rc = mpit_enter_anywhere();
	struct handle *h;

	if (rc != MPI_SUCCESS)
		return rc;
	if (is_all(handle))
		return for_each_handle(session, function, refuses);
	rc = find_handle(session, handle, &h);
	if (rc != MPI_SUCCESS)
		return rc;
	return refuses(h) ? refusal : function(h);
}

MPIT(pvar_start, (MPI_T_pvar_session session, MPI_T_pvar_handle handle))
{
	return apply(session, handle, start_pvar, is_continuous, MPI_T_ERR_PVAR_NO_STARTSTOP);
}

MPIT(pvar_stop, (MPI_T_pvar_session session, MPI_T_pvar_handle handle))
{
	return apply(session, handle, stop, is_continuous, MPI_T_ERR_PVAR_NO_STARTSTOP);
}

MPIT(pvar_reset, (MPI_T_pvar_session session, MPI_T_pvar_handle handle))
{
	return apply(session, handle, reset, is_readonly, MPI_T_ERR_PVAR_NO_WRITE);
}

/* Find the handle to be read or written, and check its buffer. */
static int find_one(MPI_T_pvar_session session, MPI_T_pvar_handle handle, const void *buf, struct handle **ret)
{
	int rc = mpit_enter_anywhere();

	if (rc != MPI_SUCCESS)
		return rc;
	rc = is_all(handle) ? MPI_T_ERR_INVALID_HANDLE : find_handle(session, handle, ret);
	return rc == MPI_SUCCESS && !buf ? MPI_T_ERR_INVALID : rc;
}

static int read_one(struct handle *h, void *buf)
{
	union value now;

	if (!h->own)
		return HOST_PVAR(h, pvar_read, buf);
	int rc = shown_value(h, &now);
	if (rc == MPI_SUCCESS)
		memcpy(buf, &now, h->own->type == MPIT_INT ? sizeof(int) : sizeof(now));
	return rc;
}

MPIT(pvar_read, (MPI_T_pvar_session session, MPI_T_pvar_handle handle, void *buf))
{
	struct handle *h;
	int rc = find_one(session, handle, buf, &h);

	if (rc != MPI_SUCCESS)
		return rc;
	return read_one(h, buf);
}

MPIT(pvar_write, (MPI_T_pvar_session session, MPI_T_pvar_handle handle, const void *buf))
{
	struct handle *h;
	int rc = find_one(session, handle, buf, &h);

	if (rc != MPI_SUCCESS)
		return rc;
	if (h->readonly)
		return MPI_T_ERR_PVAR_NO_WRITE;
	if (!h->own)
		return HOST_PVAR(h, pvar_write, buf);
	if (!h->accumulates)
		return MPI_T_ERR_PVAR_NO_WRITE;
	rc = reset(h);
	if (rc == MPI_SUCCESS)
		memcpy(&h->frozen, buf, sizeof(h->frozen));
	return rc;
}

MPIT(pvar_readreset, (MPI_T_pvar_session session, MPI_T_pvar_handle handle, void *buf))
{
	struct handle *h;
	int rc = find_one(session, handle, buf, &h);

	if (rc != MPI_SUCCESS)
		return rc;
	if (!h->atomic)
		return MPI_T_ERR_PVAR_NO_ATOMIC;
	if (h->readonly)
		return MPI_T_ERR_PVAR_NO_WRITE;
	/* Open MPI 4.1 and 5.0 have no readreset; a read and a
	 * reset are equivalent, because nothing happens in between. */
	rc = read_one(h, buf);
	return rc == MPI_SUCCESS ? reset(h) : rc;
}
