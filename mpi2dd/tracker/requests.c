/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tables of requests. A table belongs to a slot of threads: its thread inserts and unlinks, others only look. Slots of
 * the slab are handed to tables in chunks. Numbers of records count from 1 in chains; 0 ends them.
 */
#include "requests.h"

#include "collectives.h"
#include "registry.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

enum { CHUNK = 64, FIRST = 128, LISTS = 16, WALK_MAX = 1 << 16, RETRIES = 3 };

/* Heads of chains; replaced as a whole when the table grows, and never given back: others may be looking. */
struct heads {
	uint32_t mask;
	uint32_t first[];
};

/* Records of one shared handle value. Others take from it by counting in n_taken. */
struct shared {
	uint32_t live, freed; /* chains */
	uint32_t n_live;
	uint32_t n_taken;
};

struct trk_table {
	struct heads *heads;
	uint32_t changes; /* odd: chains are being changed */
	uint32_t n_slots; /* records that it has, in chains */
	uint32_t chunk_at, chunk_end;
	uint32_t hand; /* chunk where the search for an ended record goes on */
	struct shared shared[LISTS];
	struct {
		struct heads heads;
		uint32_t first[FIRST];
	} few;
};

static struct trk_table tables[TRK_THREADS];

static struct trk_request *records;
static uint32_t capacity;
static struct trk_slab *slab;
static bool multiple = true;

/* Owner of each chunk: number of the table + 1. */
enum { CHUNKS_MAX = 1 << 14 };
static uint16_t owners[CHUNKS_MAX];

void trk_requests_setup(struct trk_request *r, uint32_t n, struct trk_slab *s)
{
	capacity = n > CHUNKS_MAX * CHUNK ? CHUNKS_MAX * CHUNK : n / CHUNK * CHUNK;
	slab = s;
	__atomic_store_n(&records, r, __ATOMIC_RELEASE);
}

void trk_requests_started(int rc)
{
	int level = MPI_THREAD_MULTIPLE;

	if (rc == MPI_SUCCESS && m2d_pmpi.Query_thread && m2d_pmpi.Query_thread(&level) == MPI_SUCCESS)
		__atomic_store_n(&multiple, level == MPI_THREAD_MULTIPLE, __ATOMIC_RELAXED);
}

/* Number of the list of a shared handle value; -1: the value is of one request alone. */
static inline int list_of(uint64_t handle)
{
#if defined(OPEN_MPI)
	return handle == TRK_BITS(m2d_constants.request_empty) ? 0 : -1;
#else
	/* MPICH: the two high bits of a handle say how it is stored; 1: built in */
	return handle >> 30 == 1 ? (int)(handle % LISTS) : -1;
#endif
}

static inline uint32_t hash(const struct heads *h, uint64_t handle)
{
	return (uint32_t)(handle * UINT64_C(0x9e3779b97f4a7c15) >> 40) & h->mask;
}

/* ---- writing a record --------------------------------------------------------------------------------- */

/*
 * The frame's fields are copied one by one, as wide as they have just been written: the processor forwards a store to
 * a load of the same width at once, and makes a wider load wait. The compiler would like to make them wider.
 */
#define COPY(field) (r->field = __atomic_load_n(&frame->field, __ATOMIC_RELAXED))

static inline void write_record(struct trk_request *r, const struct trk_frame *frame, uint64_t handle, unsigned flags)
{
	uint32_t has = frame->has;

	r->sequence++;
	r->state = TRK_FREE;
	trk_order();
	COPY(comm);
	COPY(datatype);
	COPY(buffer);
	COPY(count);
	COPY(peer);
	COPY(tag);
	COPY(caller);
	r->handle = handle;
	r->object_kind = TRK_COMM;
	if (__builtin_expect(!(has & TRK_HAS_COMM), 0)) {
		bool object = has & TRK_HAS_OBJECT;
		r->comm = object ? frame->object : 0;
		r->object_kind = object ? (uint8_t)frame->object_kind : TRK_N_KINDS;
	}
	r->has = (uint8_t)has;
	r->call = (uint16_t)frame->call;
	r->flags = (uint8_t)flags;
	r->collective = (uint16_t)(flags >> TRK_BORN_CLASS_SHIFT);
	trk_order();
	r->state = TRK_LIVE;
	r->sequence++;
}

/* ---- slots -------------------------------------------------------------------------------------------- */

static void change(struct trk_table *t)
{
	__atomic_store_n(&t->changes, t->changes + 1, __ATOMIC_RELEASE);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static void unlink_record(struct trk_table *t, uint32_t i)
{
	uint32_t *link = &t->heads->first[hash(t->heads, records[i - 1].handle)];

	for (; *link; link = &records[*link - 1].next) {
		if (*link != i)
			continue;
		change(t);
		__atomic_store_n(link, records[i - 1].next, __ATOMIC_RELEASE);
		change(t);
		t->n_slots--;
		return;
	}
}

/* An ended record of our own, taken out of its chain. The search is short: the next one goes on from there. */
static uint32_t recycle(struct trk_table *t, unsigned number)
{
	uint32_t n_chunks = capacity / CHUNK;

	for (int k = 0; k < LISTS; k++) {
		uint32_t i = t->shared[k].freed;
		if (i) {
			t->shared[k].freed = records[i - 1].next;
			return i;
		}
	}
	for (uint32_t turn = 0, looked = 0; turn < n_chunks && looked < 4; turn++) {
		uint32_t c = t->hand++ % n_chunks;
		if (owners[c] != number + 1)
			continue;
		looked++;
		for (uint32_t i = c * CHUNK + 1; i <= (c + 1) * CHUNK; i++) {
			struct trk_request *r = &records[i - 1];
			if (__atomic_load_n(&r->state, __ATOMIC_ACQUIRE) != TRK_FREED || r->flags & TRK_REQ_SHARED)
				continue;
			unlink_record(t, i);
			t->hand--;
			return i;
		}
	}
	return 0;
}

/* A slot to write. @return 0: none left, which is counted */
static uint32_t take_slot(struct trk_table *t, unsigned number)
{
	if (t->chunk_at == t->chunk_end) {
		uint32_t high = __atomic_load_n(&slab->high, __ATOMIC_RELAXED);
		do {
			if (high + CHUNK > capacity) {
				uint32_t i = recycle(t, number);
				if (!i)
					__atomic_fetch_add(&slab->n_dropped, 1, __ATOMIC_RELAXED);
				return i;
			}
		} while (!__atomic_compare_exchange_n(&slab->high, &high, high + CHUNK, true, __ATOMIC_ACQ_REL,
						      __ATOMIC_RELAXED));
		__atomic_store_n(&owners[high / CHUNK], (uint16_t)(number + 1), __ATOMIC_RELAXED);
		t->chunk_at = high + 1;
		t->chunk_end = high + 1 + CHUNK;
	}
	return t->chunk_at++;
}

/* Twice the chains. When there is no memory they stay as they are, and get longer. */
static void grow(struct trk_table *t)
{
	struct heads *old = t->heads, *h;
	uint32_t mask = 2 * old->mask + 1;
	size_t bytes = sizeof(struct heads) + sizeof(uint32_t) * ((size_t)mask + 1);
	int saved = errno;

	h = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	errno = saved;
	if (h == MAP_FAILED)
		return;
	h->mask = mask;
	change(t);
	for (uint32_t i = 0; i <= old->mask; i++) {
		for (uint32_t at = old->first[i], next; at; at = next) {
			uint32_t *first = &h->first[hash(h, records[at - 1].handle)];
			next = records[at - 1].next;
			records[at - 1].next = *first;
			*first = at;
		}
	}
	__atomic_store_n(&t->heads, h, __ATOMIC_RELEASE);
	change(t);
}

/* What follows from the end of an operation. */
static __attribute__((noinline, cold)) void follow_slowly(const struct trk_request *r)
{
	if (r->collective)
		trk_coll_finished(r->comm, (enum trk_coll)(r->collective - 1));
	if (r->flags & TRK_REQ_MAKES_COMM && trk_comm_idup_done)
		trk_comm_idup_done(r);
}

static inline void follow(const struct trk_request *r)
{
	if (__builtin_expect(r->collective || r->flags & TRK_REQ_MAKES_COMM, 0))
		follow_slowly(r);
}

static inline void end_first(struct shared *s)
{
	uint32_t i = s->live;

	s->live = records[i - 1].next;
	__atomic_store_n(&s->n_live, s->n_live - 1, __ATOMIC_RELAXED);
	records[i - 1].state = TRK_FREED;
	records[i - 1].next = s->freed;
	s->freed = i;
}

/* What other threads have completed of this list is ended now. */
static void settle(struct shared *s)
{
	uint32_t n = __atomic_exchange_n(&s->n_taken, 0, __ATOMIC_ACQ_REL);

	for (; n && s->live; n--)
		end_first(s);
}

static bool born_shared(struct trk_table *t, unsigned number, struct shared *s, const struct trk_frame *frame,
			uint64_t handle, unsigned flags)
{
	if (__builtin_expect(__atomic_load_n(&s->n_taken, __ATOMIC_RELAXED), 0))
		settle(s);
	uint32_t i = s->freed;
	if (i)
		s->freed = records[i - 1].next;
	else
		i = take_slot(t, number);
	if (!i)
		return false;
	write_record(&records[i - 1], frame, handle, flags | TRK_REQ_SHARED);
	records[i - 1].next = s->live;
	s->live = i;
	__atomic_store_n(&s->n_live, s->n_live + 1, __ATOMIC_RELEASE);
	/* complete at birth */
	follow(&records[i - 1]);
	return true;
}

static bool born_alone(struct trk_table *t, unsigned number, const struct trk_frame *frame, uint64_t handle,
		       unsigned flags)
{
	uint32_t *first = &t->heads->first[hash(t->heads, handle)], i = *first;

	for (; i; i = records[i - 1].next) {
		struct trk_request *r = &records[i - 1];
		if (r->handle == handle && (r->state != TRK_LIVE || !multiple)) {
			write_record(r, frame, handle, flags);
			return true;
		}
	}
	i = take_slot(t, number);
	if (!i)
		return false;
	write_record(&records[i - 1], frame, handle, flags);
	/* recycling may have changed the chain, but not its place */
	records[i - 1].next = *first;
	__atomic_store_n(first, i, __ATOMIC_RELEASE);
	if (++t->n_slots > 2 * t->heads->mask)
		grow(t);
	return true;
}

/* The calling thread's table. @return NULL: it has none, so the request is not recorded, which is counted */
static struct trk_table *own_table(struct m2d_thread *t)
{
	if (t->number >= TRK_THREADS) {
		__atomic_fetch_add(&slab->n_dropped, 1, __ATOMIC_RELAXED);
		return NULL;
	}
	struct trk_table *own = &tables[t->number];
	if (!own->heads) {
		own->few.heads.mask = FIRST - 1;
		__atomic_store_n(&own->heads, &own->few.heads, __ATOMIC_RELEASE);
	}
	t->table = own;
	return own;
}

/* The registry is set up by whoever needs it first. */
static bool is_set_up(void)
{
	static bool asked;

	if (__atomic_load_n(&records, __ATOMIC_ACQUIRE))
		return true;
	if (__atomic_exchange_n(&asked, true, __ATOMIC_RELAXED))
		return false;
	if (trk_lock())
		trk_unlock();
	return __atomic_load_n(&records, __ATOMIC_ACQUIRE);
}

/* The rarer ways of being born. */
static __attribute__((noinline)) void born_slowly(struct m2d_thread *t, const struct trk_frame *frame, uint64_t handle,
						  unsigned flags)
{
	if (!is_set_up())
		return;
	struct trk_table *own = t->table ? t->table : own_table(t);
	if (flags >> TRK_BORN_CLASS_SHIFT && !(flags & TRK_REQ_PERSISTENT))
		trk_coll_begun(frame->comm, (enum trk_coll)((flags >> TRK_BORN_CLASS_SHIFT) - 1));
	if (!own)
		return;
	int list = list_of(handle);
	bool done = list >= 0 ? born_shared(own, t->number, &own->shared[list], frame, handle, flags)
			      : born_alone(own, t->number, frame, handle, flags);
	t->slot->n_born += done;
}

void trk_request_born(struct m2d_thread *t, const struct trk_frame *frame, uint64_t handle, unsigned flags)
{
	struct trk_table *own = t->table;

	if (!(flags & TRK_REQ_PERSISTENT))
		flags |= TRK_REQ_ACTIVE;
	/* the usual case, without a call out of here: a slot of the kind that is wanted is the first at hand */
	if (__builtin_expect(own && !(flags & ~(unsigned)(TRK_REQ_ACTIVE | TRK_REQ_PERSISTENT)), 1)) {
		int list = list_of(handle);
		if (list >= 0) {
			struct shared *s = &own->shared[list];
			uint32_t i = s->freed;
			if (__builtin_expect(i && !__atomic_load_n(&s->n_taken, __ATOMIC_RELAXED), 1)) {
				struct trk_request *r = &records[i - 1];
				s->freed = r->next;
				write_record(r, frame, handle, flags | TRK_REQ_SHARED);
				r->next = s->live;
				s->live = i;
				__atomic_store_n(&s->n_live, s->n_live + 1, __ATOMIC_RELEASE);
				t->slot->n_born++;
				return;
			}
		} else {
			uint32_t i = own->heads->first[hash(own->heads, handle)];
			struct trk_request *r = &records[i - 1];
			if (__builtin_expect(i && r->handle == handle && r->state == TRK_FREED, 1)) {
				write_record(r, frame, handle, flags);
				t->slot->n_born++;
				return;
			}
		}
	}
	born_slowly(t, frame, handle, flags);
}

/* ---- end ---------------------------------------------------------------------------------------------- */

/*
 * The live record with this handle value. At MPI_THREAD_MULTIPLE there may be two for a moment, when the library gave
 * the value out again before the thread that completed the request could say so: then it is the older one.
 */
static inline struct trk_request *find_own(const struct trk_table *t, uint64_t handle)
{
	struct trk_request *found = NULL;

	for (uint32_t i = t->heads->first[hash(t->heads, handle)]; i; i = records[i - 1].next) {
		struct trk_request *r = &records[i - 1];
		if (r->handle != handle || r->state != TRK_LIVE)
			continue;
		if (!multiple)
			return r;
		found = r;
	}
	return found;
}

static struct trk_request *find_other(const struct trk_table *t, uint64_t handle)
{
	for (int turn = 0; turn < RETRIES; turn++) {
		uint32_t changes = __atomic_load_n(&t->changes, __ATOMIC_ACQUIRE);
		const struct heads *h = __atomic_load_n(&t->heads, __ATOMIC_ACQUIRE);
		struct trk_request *found = NULL;
		uint32_t i = __atomic_load_n(&h->first[hash(h, handle)], __ATOMIC_ACQUIRE);
		for (int n = 0; i && n < WALK_MAX; n++, i = __atomic_load_n(&records[i - 1].next, __ATOMIC_ACQUIRE))
			if (records[i - 1].handle == handle && records[i - 1].state == TRK_LIVE)
				found = &records[i - 1];
		if (found)
			return found;
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
		if (changes % 2 == 0 && changes == __atomic_load_n(&t->changes, __ATOMIC_ACQUIRE))
			return NULL;
	}
	return NULL;
}

/* In the tables of other threads, beginning with the one where it was found last. */
static __attribute__((noinline, cold)) struct trk_request *find_elsewhere(const struct m2d_thread *t, uint64_t handle)
{
	static __thread unsigned last __attribute__((tls_model("initial-exec")));

	for (unsigned n = 0; n < TRK_THREADS; n++) {
		unsigned i = (last + n) % TRK_THREADS;
		if (&tables[i] == t->table || !__atomic_load_n(&tables[i].heads, __ATOMIC_ACQUIRE))
			continue;
		struct trk_request *r = find_other(&tables[i], handle);
		if (r) {
			last = i;
			return r;
		}
	}
	return NULL;
}

static inline struct trk_request *find(const struct m2d_thread *t, uint64_t handle)
{
	struct trk_request *r = t->table ? find_own(t->table, handle) : NULL;

	return __builtin_expect(r != NULL, 1) ? r : find_elsewhere(t, handle);
}

/* One of a shared value was completed: our own, or one of another thread's. @return is there one? */
static inline bool end_shared(const struct m2d_thread *t, int list)
{
	struct shared *s = t->table ? &t->table->shared[list] : NULL;

	if (s && __builtin_expect(__atomic_load_n(&s->n_taken, __ATOMIC_RELAXED), 0))
		settle(s);
	if (s && s->live) {
		end_first(s);
		return true;
	}
	for (unsigned i = 0; i < TRK_THREADS; i++) {
		s = &tables[i].shared[list];
		if (i == t->number ||
		    __atomic_load_n(&s->n_live, __ATOMIC_ACQUIRE) <= __atomic_load_n(&s->n_taken, __ATOMIC_RELAXED))
			continue;
		__atomic_fetch_add(&s->n_taken, 1, __ATOMIC_ACQ_REL);
		return true;
	}
	return false;
}

static __attribute__((noinline)) void end_slowly(struct m2d_thread *t, uint64_t handle, bool gone, unsigned flags)
{
	if (!__atomic_load_n(&records, __ATOMIC_ACQUIRE))
		return;
	int list = list_of(handle);
	if (list >= 0) {
		t->slot->n_retired += end_shared(t, list);
		return;
	}
	struct trk_request *r = find(t, handle);
	if (!r)
		return;
	bool was_active = r->flags & TRK_REQ_ACTIVE;
	if (was_active && !(flags & TRK_REQ_FREE_CALLED))
		follow(r);
	if (!gone && r->flags & TRK_REQ_PERSISTENT) {
		r->flags &= (uint8_t)~TRK_REQ_ACTIVE;
		return;
	}
	if (flags && was_active)
		r->flags |= (uint8_t)flags;
	__atomic_store_n(&r->state, TRK_FREED, __ATOMIC_RELEASE);
	t->slot->n_retired++;
}

void trk_request_done(struct m2d_thread *t, uint64_t handle)
{
	end_slowly(t, handle, false, 0);
}

void trk_request_gone(struct m2d_thread *t, uint64_t handle, unsigned flags)
{
	struct trk_table *own = t->table;

	/* the usual case: nonblocking, our own, the first of its chain */
	if (__builtin_expect(own && !flags, 1)) {
		int list = list_of(handle);
		if (list >= 0) {
			struct shared *s = &own->shared[list];
			if (__builtin_expect(s->live && !__atomic_load_n(&s->n_taken, __ATOMIC_RELAXED), 1)) {
				end_first(s);
				t->slot->n_retired++;
				return;
			}
		} else {
			uint32_t i = own->heads->first[hash(own->heads, handle)];
			struct trk_request *r = &records[i - 1];
			if (__builtin_expect(i && r->handle == handle && r->state == TRK_LIVE &&
						     r->flags == TRK_REQ_ACTIVE && !r->collective &&
						     (!multiple || !r->next),
					     1)) {
				__atomic_store_n(&r->state, TRK_FREED, __ATOMIC_RELEASE);
				t->slot->n_retired++;
				return;
			}
		}
	}
	end_slowly(t, handle, true, flags);
}

void trk_request_mark(struct m2d_thread *t, uint64_t handle, unsigned flags)
{
	if (!__atomic_load_n(&records, __ATOMIC_ACQUIRE) || list_of(handle) >= 0)
		return;
	struct trk_request *r = find(t, handle);
	if (!r)
		return;
	/* MPI_Grequest_complete may come from another thread than the one that waits */
	__atomic_fetch_or(&r->flags, (uint8_t)flags, __ATOMIC_RELAXED);
	if (flags & TRK_REQ_ACTIVE) {
		if (r->collective)
			trk_coll_begun(r->comm, (enum trk_coll)(r->collective - 1));
	}
}

unsigned trk_requests_live(uint64_t handle)
{
	unsigned n = 0;

	for (uint32_t i = 0; records && i < slab->high; i++)
		n += records[i].state == TRK_LIVE && records[i].handle == handle;
	return n;
}
