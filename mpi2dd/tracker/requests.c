/* SPDX-License-Identifier: BSD-3-Clause */
#include "requests.h"

#include "../../include/mpi2dd.h"
#include "../tables/info.h"
#include "arena.h"
#include "collectives.h"
#include "registry.h"
#include "callsite.h"

#include <string.h>

void trk_requests_started(int rc)
{
	int level = MPI_THREAD_MULTIPLE;

	if (rc == MPI_SUCCESS && m2d_pmpi.Query_thread && m2d_pmpi.Query_thread(&level) == MPI_SUCCESS)
		__atomic_store_n(&trk_tables_locked, level == MPI_THREAD_MULTIPLE, __ATOMIC_RELAXED);
}

__attribute__((constructor)) static void prepare(void)
{
	pthread_atfork(NULL, NULL, trk_tables_after_fork);
}

/* Class of a handle value that many requests share; -1: the value belongs to one request. */
static inline int class_of(uint64_t handle)
{
#if defined(M2D_OPENMPI_MAJOR)
	if (m2d_calls_is_openmpi()) {
		if (handle == TRK_BITS(m2d_constants.request_empty))
			return 0;
		return handle == TRK_BITS(m2d_constants.request_empty_send) ? 1 : -1;
	}
#endif
#if defined(M2D_ABI)
	/* MPICH converts a handle to the address of the object, which begins with its own handle */
	if (!m2d_calls_is_mpich() || handle < TRK_ABI_PREDEFINED)
		return -1;
	handle = *(const uint32_t *)(uintptr_t)handle;
#endif
	/* the two high bits of an MPICH handle say how it is stored; 1: built-in */
	return handle >> 30 == 1 ? (int)(handle % TRK_TABLE_CLASSES) : -1;
}

bool trk_request_is_shared(uint64_t handle)
{
	return class_of(handle) >= 0;
}

/* The first use sets up the registry. */
static bool is_set_up(void)
{
	static bool asked;

	if (trk_tables_are_set_up())
		return true;
	if (__atomic_exchange_n(&asked, true, __ATOMIC_RELAXED))
		return false;
	if (trk_lock())
		trk_unlock();
	return trk_tables_are_set_up();
}

/* ---- effects of a request on other objects --------------------------------------------------------------- */

/* The lists are memory of the registry. If its lock is already held (signal handler), they are not released. */
static __attribute__((noinline, cold)) void drop_lists(const struct trk_span lists[2])
{
	if (!trk_lock())
		return;
	trk_span_drop(lists[0]);
	trk_span_drop(lists[1]);
	trk_unlock();
}

static __attribute__((noinline, cold)) struct trk_span callsite_of(const struct trk_frame *frame)
{
	struct trk_span ret = { 0 };

	__atomic_store_n(&trk_tables_have_lists, true, __ATOMIC_RELAXED);
	if (trk_lock()) {
		ret = trk_callsite(frame);
		trk_unlock();
	}
	return ret;
}

/* Effects of the end of an operation. After a failed operation MPI must not be asked about the object: it may crash. */
static void apply_completion(const struct trk_request *r, bool failed)
{
	if (r->collective)
		trk_coll_finished(r->comm, (enum trk_coll)(r->collective - 1));
	if (r->flags & TRK_REQ_MAKES_COMM && !failed && trk_comm_idup_done)
		trk_comm_idup_done(r);
}

/* ---- creation ----------------------------------------------------------------------------------------- */

/* The arguments of a message have the same layout in a frame and a record, and are copied in one piece. */
struct arguments {
	uint64_t comm, datatype, buffer;
	int64_t count;
	int32_t peer, tag;
	uint64_t caller;
} __attribute__((may_alias));
#define ALIKE(field)                                                                                                   \
	(offsetof(struct trk_frame, field) - offsetof(struct trk_frame, comm) == offsetof(struct arguments, field) &&  \
	 offsetof(struct trk_request, field) - offsetof(struct trk_request, comm) ==                                   \
		 offsetof(struct arguments, field))
_Static_assert(ALIKE(comm) && ALIKE(datatype) && ALIKE(buffer) && ALIKE(count) && ALIKE(peer) && ALIKE(tag) &&
		       ALIKE(caller),
	       "copied at once");

/* Copy the file or window, the reduction operation, and the second buffer (TRK_HAS_OF_REQUESTS). */
static void write_rest(struct trk_request *r, const struct trk_frame *frame)
{
	uint32_t has = frame->has;

	if (has & TRK_HAS_COMM) {
		r->op = frame->object;
	} else {
		bool object = has & TRK_HAS_OBJECT;
		r->comm = object ? frame->object : 0;
		r->object_kind = object ? (uint8_t)frame->object_kind : TRK_N_KINDS;
		r->op = has & TRK_HAS_OP ? frame->op : 0;
	}
	if (!(has & TRK_HAS_OF_REQUESTS))
		return;
	r->object_kind |= (uint8_t)((has & TRK_HAS_OF_REQUESTS) >> 8);
	r->second_datatype = frame->second_datatype;
	r->second_count = frame->second_count;
	r->second_buffer = frame->second_buffer;
	if (has & TRK_HAS_SOURCE)
		r->op = (uint32_t)frame->source | (uint64_t)(uint32_t)frame->receive_tag << 32;
}

static inline struct trk_request_head write_request(struct trk_request *r, const struct trk_frame *frame,
						    unsigned flags)
{
	*(struct arguments *)(void *)&r->comm = *(const struct arguments *)(const void *)&frame->comm;
	r->object_kind = TRK_COMM;
	if (__builtin_expect(frame->has & ~(uint32_t)TRK_HAS_MESSAGE, 0) || !(frame->has & TRK_HAS_COMM))
		write_rest(r, frame);
	return (struct trk_request_head){ .flags = (uint8_t)flags,
					  .collective = (uint8_t)(flags >> TRK_CREATED_CLASS_SHIFT),
					  .call = frame->call,
					  .has = (uint8_t)frame->has,
					  .object_kind = r->object_kind };
}

static bool is_debugged(void)
{
	return __atomic_load_n(M2D_INFO_FIELD(debugger_flags), __ATOMIC_RELAXED) & MPI2DD_FLAG_BEING_DEBUGGED;
}

/* The request is complete when created. */
static __attribute__((noinline, cold)) void record_completed(const struct trk_frame *frame, unsigned flags)
{
	struct trk_request r = { 0 };

	r.collective = write_request(&r, frame, flags).collective;
	r.call = frame->call;
	r.flags = (uint8_t)flags;
	apply_completion(&r, false);
}

/*
 * Leave the table, then release the lists of the record's last request and count the requests whose end was not seen.
 */
static __attribute__((noinline, cold)) void leave_and_release(struct m2d_thread *t, struct trk_table *own)
{
	struct trk_span lists[2] = { own->dropped[0], own->dropped[1] };
	uint64_t n_unseen = own->n_unseen;

	own->dropped[0] = own->dropped[1] = (struct trk_span){ 0 };
	own->n_unseen = 0;
	trk_table_leave(own);
	TRK_ADD(t->slot->n_retired, n_unseen);
	drop_lists(lists);
}

static inline void create(struct m2d_thread *t, struct trk_table *own, const struct trk_frame *frame, uint64_t handle,
			  int class, unsigned flags, struct trk_span *where)
{
	unsigned rules = is_debugged() ? TRK_TABLE_KEEPS : 0;

	if (!trk_tables_locked && trk_is_first(t, frame))
		rules |= TRK_TABLE_TAKES_OVER;
	struct trk_request *r = trk_table_create(own, handle, class, rules);
	if (r) {
		struct trk_request_head head = write_request(r, frame, flags);
		if (__builtin_expect(where != NULL, 0)) {
			r->where = where[0];
			where[0] = (struct trk_span){ 0 };
		}
		trk_request_written(r, head);
		TRK_COUNT(t->slot->n_born);
	}
	if (__builtin_expect(own->n_unseen || trk_tables_have_lists, 0))
		leave_and_release(t, own);
	else
		trk_table_leave(own);
}

void trk_request_created(struct m2d_thread *t, const struct trk_frame *frame, uint64_t handle, unsigned flags)
{
	struct trk_table *own = t->number < TRK_TABLES ? trk_tables[t->number] : NULL;
	struct trk_span where[2], *lists = NULL;
	int class = class_of(handle);

	if (__builtin_expect(!own, 0)) {
		if (!is_set_up())
			return;
		own = trk_table_make(t->number);
	}
	if (!(flags & TRK_REQ_PERSISTENT)) {
		flags |= TRK_REQ_ACTIVE;
		if (flags >> TRK_CREATED_CLASS_SHIFT)
			trk_coll_begun(frame->comm, (enum trk_coll)((flags >> TRK_CREATED_CLASS_SHIFT) - 1));
	}
	if (class >= 0) {
		flags |= TRK_REQ_SHARED;
	} else if (trk_callsite_is_enabled()) {
		where[0] = callsite_of(frame);
		where[1] = (struct trk_span){ 0 };
		lists = where;
	}
	if (own && trk_table_enter(own))
		create(t, own, frame, handle, class, flags, lists);
	else
		trk_tables_dropped();
	/* lists of a request that was not recorded */
	if (lists)
		drop_lists(lists);
	if (class >= 0 && flags & (TRK_REQ_MAKES_COMM | ~0u << TRK_CREATED_CLASS_SHIFT))
		record_completed(frame, flags);
}

/* ---- the live request of a handle value ---------------------------------------------------------------- */

/* Search this table. It is entered if the request is found. */
static inline struct trk_request *find_in(struct trk_table *table, uint64_t handle, int class)
{
	if (!table || !trk_table_enter(table))
		return NULL;
	struct trk_request *r = trk_table_find(table, handle, class);
	if (!r)
		trk_table_leave(table);
	return r;
}

/* Search the tables of other threads, starting with the one of the last hit. */
static __attribute__((noinline)) struct trk_request *find_elsewhere(const struct m2d_thread *t, uint64_t handle,
								    int class, struct trk_table **ret)
{
	static __thread unsigned last __attribute__((tls_model("initial-exec")));

	for (unsigned n = 0; n < TRK_TABLES; n++) {
		unsigned i = (last + n) % TRK_TABLES;
		struct trk_table *table = i == t->number ? NULL : __atomic_load_n(&trk_tables[i], __ATOMIC_ACQUIRE);
		struct trk_request *r = find_in(table, handle, class);
		if (!r)
			continue;
		last = i;
		*ret = table;
		return r;
	}
	return NULL;
}

/*
 * The live request with this handle value (of a class: any). Its table is entered; the caller leaves it. NULL: none. At
 * MPI_THREAD_MULTIPLE there may briefly be two in different tables, when the library has reused the value before the
 * thread that completed the first request could record it; then the one of the calling thread is returned.
 */
static inline struct trk_request *find_request(const struct m2d_thread *t, uint64_t handle, int class,
					       struct trk_table **ret)
{
	struct trk_table *own = t->number < TRK_TABLES ? trk_tables[t->number] : NULL;
	struct trk_request *r = find_in(own, handle, class);

	*ret = own;
	return __builtin_expect(r != NULL, 1) ? r : find_elsewhere(t, handle, class, ret);
}

/* ---- completion --------------------------------------------------------------------------------------- */

/*
 * End a request. @param freed it no longer exists; else a
 * persistent request becomes inactive. @return it no longer exists
 */
static inline bool end_request(struct trk_table *table, struct trk_request *r, int class, bool freed, unsigned flags)
{
	uint8_t now = r->flags;

	if (flags && now & TRK_REQ_ACTIVE && class < 0)
		TRK_PUT(r->flags, (uint8_t)(now | flags));
	freed |= !(now & TRK_REQ_PERSISTENT);
	if (freed)
		trk_table_complete(table, r, class, flags & TRK_REQ_FREE_CALLED);
	else
		TRK_PUT(r->flags, (uint8_t)(r->flags & ~TRK_REQ_ACTIVE));
	return freed;
}

/* Has its end an effect on another object? It belongs to a collective or to MPI_Comm_idup, and was active. */
static inline bool has_effect(const struct trk_request *r)
{
	return (r->collective || r->flags & TRK_REQ_MAKES_COMM) && r->flags & TRK_REQ_ACTIVE;
}

static __attribute__((noinline)) void complete(struct m2d_thread *t, uint64_t handle, bool freed, unsigned flags)
{
	int class = class_of(handle);
	struct trk_table *table;
	struct trk_request *r = find_request(t, handle, class, &table), was = { 0 };

	if (!r)
		return;
	bool follows = has_effect(r) && class < 0 && !(flags & TRK_REQ_FREE_CALLED);
	if (follows)
		was = *r;
	bool ended = end_request(table, r, class, freed, flags);
	trk_table_leave(table);
	TRK_ADD(t->slot->n_retired, ended);
	if (follows)
		apply_completion(&was, flags & TRK_END_FAILED);
}

/*
 * A call that completes requests has succeeded. A request that is not persistent and keeps its handle has failed all
 * the same: MPICH returns MPI_SUCCESS since 4.3 when an error handler of the program has returned, Open MPI 6.0.0rc2
 * now and then.
 */
static inline bool has_failed(const struct trk_request *r, bool freed)
{
	return !freed && !(r->flags & TRK_REQ_PERSISTENT);
}

/* The thread's own table is entered once for all requests that are in it and have no such effect. */
void trk_completed_all(struct m2d_thread *t, int n, const MPI_Request was[], const MPI_Request is[])
{
	struct trk_table *own = t->number < TRK_TABLES ? trk_tables[t->number] : NULL;
	bool entered = own && trk_table_enter(own);
	uint64_t n_ended = 0;

	for (int i = 0; i < n; i++) {
		uint64_t handle = TRK_BITS(was[i]);
		int class = class_of(handle);
		bool freed = is[i] == m2d_constants.request_null;
		if (was[i] == m2d_constants.request_null)
			continue;
		struct trk_request *r = entered ? trk_table_find(own, handle, class) : NULL;
		if (__builtin_expect(r && (class >= 0 || !has_effect(r)), 1)) {
			n_ended += has_failed(r, freed) ? 0 : end_request(own, r, class, freed, 0);
			continue;
		}
		if (entered)
			trk_table_leave(own);
		struct trk_request copy;
		const struct trk_request *record;
		bool shared;
		if (freed || (trk_request_copy(t, handle, &copy, &record, &shared) && !has_failed(&copy, false)))
			complete(t, handle, freed, 0);
		entered = own && trk_table_enter(own);
	}
	if (entered)
		trk_table_leave(own);
	TRK_ADD(t->slot->n_retired, n_ended);
}

void trk_request_ended(struct m2d_thread *t, uint64_t handle, unsigned flags)
{
	complete(t, handle, true, flags);
}

void trk_completed(struct m2d_thread *t, MPI_Request was, MPI_Request is, bool failed)
{
	if (!failed)
		trk_completed_all(t, 1, &was, &is);
	else if (was != m2d_constants.request_null)
		complete(t, TRK_BITS(was), is == m2d_constants.request_null, TRK_END_FAILED);
}

void trk_request_failed(struct m2d_thread *t, MPI_Request was, int rc)
{
	int class = m2d_calls_error_class(rc);
	struct trk_request r;
	const struct trk_request *record;
	bool shared;

	if (was == m2d_constants.request_null)
		return;
	/* an error of the call itself: the request was not examined */
	if (class == MPI_ERR_REQUEST || class == MPI_ERR_ARG || class == MPI_ERR_PENDING)
		return;
	if (trk_request_copy(t, TRK_BITS(was), &r, &record, &shared) && r.flags & TRK_REQ_PERSISTENT &&
	    r.flags & TRK_REQ_ACTIVE)
		complete(t, TRK_BITS(was), false, TRK_END_FAILED);
}

/* ---- changes ------------------------------------------------------------------------------------------ */

/* For requests whose handle value is not shared. */
static struct trk_request *find_alone(const struct m2d_thread *t, uint64_t handle, struct trk_table **ret)
{
	return class_of(handle) < 0 ? find_request(t, handle, -1, ret) : NULL;
}

void trk_request_mark(struct m2d_thread *t, uint64_t handle, unsigned flags)
{
	struct trk_table *table;
	struct trk_request *r = find_alone(t, handle, &table);
	unsigned collective = 0;

	if (!r)
		return;
	uint64_t comm = r->comm;
	/* started again */
	if (flags & TRK_REQ_ACTIVE) {
		TRK_PUT(r->flags, (uint8_t)(r->flags & ~TRK_REQ_CANCELLED));
		if (r->partitions.n)
			memset(trk_span_at(r->partitions), 0, r->partitions.n);
		collective = r->collective;
	}
	TRK_PUT(r->flags, (uint8_t)(r->flags | flags));
	trk_table_leave(table);
	if (collective)
		trk_coll_begun(comm, (enum trk_coll)(collective - 1));
}

static void set_span(struct trk_span *span, struct trk_span to)
{
	span->addr = to.addr;
	trk_order();
	span->total = to.total;
	trk_order();
	span->n = to.n;
}

void trk_request_partitions(struct m2d_thread *t, uint64_t handle, int partitions)
{
	struct trk_span unused[2] = { 0 };
	struct trk_table *table;

	__atomic_store_n(&trk_tables_have_lists, true, __ATOMIC_RELAXED);
	if (trk_lock()) {
		trk_span_new(&unused[1], (size_t)partitions, 1, 0);
		trk_unlock();
	}
	struct trk_request *r = find_alone(t, handle, &table);
	if (r) {
		r->op = (uint64_t)partitions;
		set_span(&r->partitions, unused[1]);
		trk_order();
		/* the flag is set after the number was stored */
		TRK_PUT(r->flags, (uint8_t)(r->flags | TRK_REQ_PARTITIONED));
		trk_table_leave(table);
		return;
	}
	drop_lists(unused);
}

void trk_request_partition(struct m2d_thread *t, uint64_t handle, int first, int last)
{
	struct trk_table *table;
	struct trk_request *r = first < 0 ? NULL : find_alone(t, handle, &table);

	if (!r)
		return;
	uint8_t *each = trk_span_at(r->partitions);
	for (uint32_t i = (uint32_t)first; i < r->partitions.n && i <= (uint32_t)last; i++)
		TRK_PUT(each[i], 1);
	trk_table_leave(table);
}

void trk_request_partition_list(struct m2d_thread *t, uint64_t handle, int n_done, const int done[])
{
	for (int i = 0; i < n_done; i++)
		trk_request_partition(t, handle, done[i], done[i]);
}

bool trk_request_copy(const struct m2d_thread *t, uint64_t handle, struct trk_request *ret,
		      const struct trk_request **record, bool *shared)
{
	struct trk_table *table;
	const struct trk_request *r = find_alone(t, handle, &table);

	*shared = trk_request_is_shared(handle);
	*record = r;
	if (!r)
		return false;
	*ret = *r;
	trk_table_leave(table);
	return true;
}

/* ---- all requests ------------------------------------------------------------------------------------- */

/* One thread may complete a request that another created; both counters can change while we add them up. */
uint64_t trk_requests_n_live(void)
{
	uint64_t n_ended = trk_threads_sum(offsetof(struct trk_thread, n_retired));
	uint64_t n_created = trk_threads_sum(offsetof(struct trk_thread, n_born));

	return n_created > n_ended ? n_created - n_ended : 0;
}

struct renamed {
	enum trk_kind kind;
	uint64_t handle, id;
};

static void name_by_number(struct trk_request *r, const void *data)
{
	const struct renamed *object = data;
	uint64_t *fields[2] = { NULL, NULL };

	if (object->kind == TRK_DATATYPE) {
		fields[0] = &r->datatype;
		fields[1] = &r->second_datatype;
	} else if (object->kind == TRK_OP && r->has & TRK_HAS_OBJECT) {
		fields[0] = &r->op;
	} else if (trk_request_object_kind(r) == object->kind) {
		fields[0] = &r->comm;
	}
	for (int i = 0; i < 2; i++)
		if (fields[i] && *fields[i] == object->handle)
			*fields[i] = TRK_BY_NUMBER | object->id;
}

/*
 * A handle value is about to be reused for a new object, and the program does not know it yet: live requests that name
 * the old object by handle are changed to name it by number (TRK_BY_NUMBER). Looks at the first 4,096 records, and at
 * none if no request is live.
 */
static void value_reused(enum trk_kind kind, uint64_t handle, uint64_t id)
{
	enum { LOOKED_AT = 4096 };
	struct renamed object = { kind, handle, id };
	bool named = kind == TRK_DATATYPE || kind == TRK_OP || kind == TRK_COMM || kind == TRK_FILE || kind == TRK_WIN;

	if (named && trk_requests_n_live())
		trk_tables_each(LOOKED_AT, name_by_number, &object);
}

static const struct trk_hooks hooks = { .value_reused = value_reused };
TRK_HOOKS(hooks);
