/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Slabs. Beside the records of a kind, out of a reader's sight: the table that finds them by handle, the queue of those
 * that are freed, the list of empty slots, pins. Slots count from 1 in all of these; 0 is none.
 */
#include "registry.h"

#include "../../include/mpi2dd.h"
#include "../tables/info.h"
#include "arena.h"
#include "describe.h"
#include "predefined.h"
#include "requests.h"
#include "where.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define COOKIE UINT64_C(0x4d50493244447472)
#else
#define COOKIE UINT64_C(0x727444443249504d)
#endif

static struct trk_slab slabs[TRK_N_KINDS];

/* Known for what it is before anything has run; all tables are empty then. */
M2D_EXPORT struct trk_registry MPI2DD_registry __attribute__((aligned(64))) = {
	.cookie = COOKIE,
	.byte_order = TRK_BYTE_ORDER,
	.version_major = TRK_VERSION_MAJOR,
	.version_minor = TRK_VERSION_MINOR,
	.bytes = sizeof(struct trk_registry),
	.word_bytes = sizeof(void *),
	.thread_level = -1,
	.world_rank = -1,
	.world_size = -1,
	.next_id = 1,
	.clock_hz = 1,
};

enum { WALK_MAX = 1 << 14, HEADS_MAX_BITS = 16, CAPACITY_MAX = 1 << 24 };
static const size_t arena_default = (size_t)64 << 20;

struct kind {
	char *records;
	uint32_t bytes, capacity;
	uint32_t bits;
	uint32_t *heads, *next;    /* by handle: live ones, and the freed ones whose value has not come back */
	uint32_t *later, *earlier; /* queue of the freed; `later` also links the empty */
	uint32_t *pins;
	uint32_t oldest, newest, n_freed, empty;
};
static struct kind kinds[TRK_N_KINDS];

static struct {
	const char *name;
	uint32_t capacity;
} settings[TRK_N_KINDS] = {
	[TRK_COMM] = { "COMM", 4096 },
	[TRK_GROUP] = { "GROUP", 4096 },
	[TRK_DATATYPE] = { "DATATYPE", 8192 },
	[TRK_ERRHANDLER] = { "ERRHANDLER", 1024 },
	[TRK_FILE] = { "FILE", 1024 },
	[TRK_INFO] = { "INFO", 4096 },
	[TRK_OP] = { "OP", 1024 },
	[TRK_REQUEST] = { "REQUEST", 65536 },
	[TRK_WIN] = { "WIN", 1024 },
	[TRK_MESSAGE] = { "MESSAGE", 4096 },
	[TRK_SESSION] = { "SESSION", 256 },
	[TRK_KEYVAL] = { "KEYVAL", 1024 },
};
static size_t arena_wanted;

static enum { NOT_YET, READY, FAILED } state;
static bool multiple = true; /* threads may be here at the same time */
static bool busy;            /* somebody is */
static pthread_mutex_t lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;

/* ---- set-up ------------------------------------------------------------------------------------------- */

static bool number_of(const char *variable, uint64_t most, uint64_t *ret)
{
	const char *text = getenv(variable);
	char *end;

	if (!text || *text < '0' || *text > '9')
		return false;
	unsigned long long n = strtoull(text, &end, 10);
	if (*end != '\0')
		return false;
	*ret = n < most ? n : most;
	return true;
}

static void read_settings(void)
{
	uint64_t n;
	bool off = number_of("MPI2DD_TRACK", 1, &n) && n == 0;

	for (unsigned k = 0; k < TRK_N_KINDS; k++) {
		char variable[40] = "MPI2DD_TRACK_";
		strcat(variable, settings[k].name);
		if (off)
			settings[k].capacity = 0;
		else if (number_of(variable, CAPACITY_MAX, &n))
			settings[k].capacity = (uint32_t)n;
	}
	arena_wanted = number_of("MPI2DD_TRACK_ARENA", SIZE_MAX / 4, &n) ? (size_t)n : arena_default;
	trk_where_setup(number_of("MPI2DD_TRACK_WHERE", TRK_WHERE_MAX, &n) ? (unsigned)n : 0);
}

/* The child of a fork: who held the lock is not there any more. */
static void after_fork(void)
{
	static const pthread_mutex_t unlocked = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;

	lock = unlocked;
	busy = false;
}

static void publish(void)
{
	trk_describe(&MPI2DD_registry);
	trk_threads_publish(&MPI2DD_registry);
	MPI2DD_registry.slabs = (uintptr_t)slabs;
	MPI2DD_registry.n_slabs = TRK_N_KINDS;
	MPI2DD_registry.slab_bytes = sizeof(slabs[0]);
	m2d_info_set_registry(&MPI2DD_registry);
}

/* No kind has records before the first object is made; what threads are doing is there at once. */
__attribute__((constructor)) static void at_load(void)
{
	int saved = errno;

	read_settings();
	pthread_atfork(NULL, NULL, after_fork);
	publish();
	for (unsigned k = 0; k < TRK_N_KINDS; k++) {
		memcpy(slabs[k].name, trk_type_of(k)->name, sizeof(slabs[k].name));
		slabs[k].bytes = trk_type_of(k)->bytes;
	}
	errno = saved;
}

static size_t round_up(size_t n)
{
	return (n + 63) / 64 * 64;
}

/* Memory of a kind, at @p at, or only its size when that is NULL. */
static size_t place(unsigned k, char *at)
{
	struct kind *kind = &kinds[k];
	uint32_t n = settings[k].capacity, bits = 4;
	size_t records = round_up((size_t)n * slabs[k].bytes), lists = round_up((n + 1) * sizeof(uint32_t));

	while (bits < HEADS_MAX_BITS && 1u << bits < n)
		bits++;
	size_t heads = round_up(sizeof(uint32_t) << bits);
	if (n == 0)
		return 0;
	if (k == TRK_REQUEST) {
		if (at) {
			slabs[k].records = (uintptr_t)at;
			slabs[k].capacity = n;
			trk_requests_setup((struct trk_request *)(void *)at, n, &slabs[k]);
		}
		return records;
	}
	if (at) {
		*kind = (struct kind){ .records = at, .bytes = slabs[k].bytes, .capacity = n, .bits = bits };
		at += records;
		kind->heads = (uint32_t *)(void *)at;
		at += heads;
		uint32_t **each[] = { &kind->next, &kind->later, &kind->earlier, &kind->pins };
		for (size_t i = 0; i < sizeof(each) / sizeof(each[0]); i++, at += lists)
			*each[i] = (uint32_t *)(void *)at;
		slabs[k].capacity = n;
		slabs[k].records = (uintptr_t)kind->records;
	}
	return records + heads + 4 * lists;
}

/* Once, under the lock. One mapping for all, touched as it is used. */
static void set_up(void)
{
	size_t bytes = 0;
	int saved = errno;

	/* two libraries of ours may have been loaded: the registry is that of the one that works */
	publish();
	for (unsigned k = 0; k < TRK_N_KINDS; k++)
		bytes += place(k, NULL);
	char *at = bytes == 0 ? NULL
			      : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
				     -1, 0);
	if (!at || at == MAP_FAILED) {
		__atomic_store_n(&state, FAILED, __ATOMIC_RELEASE);
		errno = saved;
		return;
	}
	trk_arena_setup(arena_wanted, &MPI2DD_registry);
	for (unsigned k = 0; k < TRK_N_KINDS; k++)
		at += place(k, at);
	MPI2DD_registry.clock_now = trk_now();
	trk_predefined_add();
	__atomic_store_n(&state, READY, __ATOMIC_RELEASE);
	errno = saved;
}

/* ---- the lock ----------------------------------------------------------------------------------------- */

bool trk_lock(void)
{
	int now = __atomic_load_n(&state, __ATOMIC_ACQUIRE);

	if (now == FAILED)
		return false;
	if (now == NOT_YET) {
		int saved = errno;
		trk_predefined_resolve();
		errno = saved;
	}
	if (__atomic_load_n(&multiple, __ATOMIC_RELAXED)) {
		if (pthread_mutex_lock(&lock) != 0)
			return false;
	} else if (busy) {
		return false;
	}
	busy = true;
	if (state == NOT_YET)
		set_up();
	if (state == READY)
		return true;
	trk_unlock();
	return false;
}

void trk_unlock(void)
{
	busy = false;
	if (__atomic_load_n(&multiple, __ATOMIC_RELAXED))
		pthread_mutex_unlock(&lock); /* fails when it was not taken */
}

void trk_set_multiple(bool is)
{
	__atomic_store_n(&multiple, is, __ATOMIC_RELAXED);
}

/* ---- slots -------------------------------------------------------------------------------------------- */

static struct trk_object *at(const struct kind *k, uint32_t slot)
{
	return (struct trk_object *)(void *)(k->records + (size_t)(slot - 1) * k->bytes);
}

static uint32_t slot_of(const struct kind *k, const void *record)
{
	return (uint32_t)((size_t)((const char *)record - k->records) / k->bytes) + 1;
}

static uint32_t *head_of(const struct kind *k, uint64_t handle)
{
	return &k->heads[(handle * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - k->bits)];
}

static void *find(enum trk_kind kind, uint64_t handle, bool freed_too)
{
	const struct kind *k = &kinds[kind];
	struct trk_object *freed = NULL;

	if (k->capacity == 0)
		return NULL;
	uint32_t i = __atomic_load_n(head_of(k, handle), __ATOMIC_ACQUIRE);
	for (unsigned turn = 0; i && turn < WALK_MAX; turn++) {
		struct trk_object *o = at(k, i);
		if (o->handle == handle && o->state == TRK_LIVE)
			return o;
		if (o->handle == handle && o->state == TRK_FREED)
			freed = o;
		i = __atomic_load_n(&k->next[i], __ATOMIC_ACQUIRE);
	}
	return freed_too ? freed : NULL;
}

void *trk_find(enum trk_kind kind, uint64_t handle)
{
	return find(kind, handle, false);
}

void *trk_find_any(enum trk_kind kind, uint64_t handle)
{
	return find(kind, handle, true);
}

void *trk_look(enum trk_kind kind, uint64_t handle)
{
	return __atomic_load_n(&state, __ATOMIC_ACQUIRE) == READY ? find(kind, handle, false) : NULL;
}

uint64_t trk_id_of(enum trk_kind kind, uint64_t handle)
{
	const struct trk_object *o = trk_find(kind, handle);

	return o ? o->id : 0;
}

static void unlink_handle(struct kind *k, uint32_t slot)
{
	uint32_t *link = head_of(k, at(k, slot)->handle);

	for (; *link; link = &k->next[*link]) {
		if (*link != slot)
			continue;
		/* its own `next` stays: who looks without the lock goes on from here */
		__atomic_store_n(link, k->next[slot], __ATOMIC_RELEASE);
		return;
	}
}

/* ---- the queue of the freed --------------------------------------------------------------------------- */

static void enqueue(struct kind *k, uint32_t slot)
{
	k->later[slot] = 0;
	k->earlier[slot] = k->newest;
	if (k->newest)
		k->later[k->newest] = slot;
	else
		k->oldest = slot;
	k->newest = slot;
	k->n_freed++;
}

static void dequeue(struct kind *k, uint32_t slot)
{
	uint32_t later = k->later[slot], earlier = k->earlier[slot];

	if (later)
		k->earlier[later] = earlier;
	else
		k->newest = earlier;
	if (earlier)
		k->later[earlier] = later;
	else
		k->oldest = later;
	k->n_freed--;
}

/* A freed record that is in the queue becomes an empty slot. */
static void forget(enum trk_kind kind, uint32_t slot)
{
	struct kind *k = &kinds[kind];
	struct trk_object *o = at(k, slot);
	size_t n;
	const struct trk_field *f = trk_fields_of(kind, &n);

	dequeue(k, slot);
	o->sequence++;
	trk_order();
	if (o->state == TRK_FREED)
		unlink_handle(k, slot);
	o->state = TRK_FREE;
	trk_order();
	if (kind == TRK_DATATYPE)
		trk_datatype_forgotten((struct trk_datatype *)(void *)o);
	else if (kind == TRK_WIN)
		trk_win_forgotten((struct trk_win *)(void *)o);
	else if (kind == TRK_FILE)
		trk_file_forgotten((struct trk_file *)(void *)o);
	for (size_t i = 0; i < n; i++)
		if (f[i].kind == TRK_SPAN)
			trk_span_drop(*(struct trk_span *)(void *)((char *)o + f[i].offset));
	uint32_t sequence = o->sequence;
	memset(o, 0, k->bytes);
	o->sequence = sequence;
	trk_changed(o);
	k->later[slot] = k->empty;
	k->empty = slot;
}

static bool is_debugged(void)
{
	return MPI2DD_info.debugger_flags & MPI2DD_FLAG_BEING_DEBUGGED;
}

static void bury(enum trk_kind kind, uint32_t slot)
{
	struct kind *k = &kinds[kind];
	uint32_t most = k->capacity / 4 ? k->capacity / 4 : 1;

	if (k->pins[slot] == 0)
		enqueue(k, slot);
	while (k->n_freed > most && !is_debugged())
		forget(kind, k->oldest);
}

/* ---- birth and death ---------------------------------------------------------------------------------- */

static uint32_t take_slot(enum trk_kind kind)
{
	struct kind *k = &kinds[kind];

	if (!k->empty && slabs[kind].high < k->capacity)
		return ++slabs[kind].high;
	if (!k->empty && k->oldest)
		forget(kind, k->oldest);
	uint32_t slot = k->empty;
	if (slot)
		k->empty = k->later[slot];
	return slot;
}

/* The value belongs to a new object: whoever had it is an earlier one. @return how many there were */
static uint32_t take_over(enum trk_kind kind, uint64_t handle)
{
	struct kind *k = &kinds[kind];
	struct trk_object *o = trk_find_any(kind, handle);

	if (!o)
		return 0;
	uint32_t slot = slot_of(k, o), n = o->generation + 1;
	bool unseen = o->state == TRK_LIVE;
	unlink_handle(k, slot);
	o->state = TRK_EARLIER;
	if (unseen) {
		slabs[kind].n_live--;
		bury(kind, slot);
	}
	return n;
}

void *trk_born(enum trk_kind kind, uint64_t handle, uint64_t parent)
{
	struct kind *k = &kinds[kind];
	uint32_t slot = 0, generation = 0;

	if (k->capacity) {
		generation = take_over(kind, handle);
		slot = take_slot(kind);
	}
	if (!slot) {
		slabs[kind].n_dropped++;
		return NULL;
	}
	struct trk_object *o = at(k, slot);
	uint32_t sequence = o->sequence | 1;
	o->sequence = sequence;
	trk_order();
	memset(o, 0, k->bytes);
	o->sequence = sequence;
	o->handle = handle;
	o->id = __atomic_fetch_add(&MPI2DD_registry.next_id, 1, __ATOMIC_RELAXED);
	o->parent = parent;
	o->call = trk_current_call();
	o->references = 1;
	o->generation = generation;
	o->born_at = trk_now();
	o->where = trk_where(trk_current_frame());
#if !defined(OPEN_MPI)
	/* the index is the handle, but of files */
	o->fortran = (int32_t)handle;
	o->has_fortran = kind != TRK_FILE;
#endif
	k->pins[slot] = 0;
	return o;
}

void trk_settled(enum trk_kind kind, void *record)
{
	struct kind *k = &kinds[kind];
	struct trk_object *o = record;
	uint32_t slot = slot_of(k, o), *head = head_of(k, o->handle);

	trk_order();
	o->state = TRK_LIVE;
	trk_changed(o);
	k->next[slot] = *head;
	__atomic_store_n(head, slot, __ATOMIC_RELEASE);
	slabs[kind].n_live++;
	slabs[kind].n_born++;
}

void trk_died(enum trk_kind kind, void *record)
{
	struct trk_object *o = record;

	/* a communicator that is predefined and can be freed is the parent's */
	if (!o || (o->predefined && kind != TRK_COMM) || o->state != TRK_LIVE)
		return;
	o->state = TRK_FREED;
	slabs[kind].n_live--;
	bury(kind, slot_of(&kinds[kind], o));
}

void trk_revive(enum trk_kind kind, void *record)
{
	struct kind *k = &kinds[kind];
	struct trk_object *o = record;

	if (o->state != TRK_FREED)
		return;
	if (k->pins[slot_of(k, o)] == 0)
		dequeue(k, slot_of(k, o));
	o->references = 1;
	o->state = TRK_LIVE;
	slabs[kind].n_live++;
}

void trk_referred(void *record)
{
	struct trk_object *o = record;

	if (o && !o->predefined)
		o->references++;
}

void trk_released(enum trk_kind kind, void *record)
{
	struct trk_object *o = record;

	if (!o || (o->predefined && kind != TRK_COMM))
		return;
	if (o->references)
		o->references--;
	if (o->references == 0)
		trk_died(kind, o);
}

uint32_t trk_pin(enum trk_kind kind, void *record)
{
	struct kind *k = &kinds[kind];

	if (!record)
		return 0;
	uint32_t slot = slot_of(k, record);
	if (k->pins[slot]++ == 0 && at(k, slot)->state != TRK_LIVE)
		dequeue(k, slot);
	return slot;
}

void trk_unpin(enum trk_kind kind, uint32_t pin)
{
	struct kind *k = &kinds[kind];

	if (!pin || --k->pins[pin] || at(k, pin)->state == TRK_LIVE)
		return;
	/* not trimmed here: it may be that one is being forgotten right now */
	enqueue(k, pin);
}

void *trk_pinned(enum trk_kind kind, uint32_t pin)
{
	return pin ? at(&kinds[kind], pin) : NULL;
}

void trk_set_name(void *record, const char *name)
{
	struct trk_object *o = record;
	size_t n = name ? strnlen(name, sizeof(o->name) - 1) : 0;

	memset(o->name, 0, sizeof(o->name));
	if (n)
		memcpy(o->name, name, n);
}

M2D_EXPORT int MPI2DD_release(int kind, uint64_t handle)
{
	int n = 0;

	if (kind < 0 || kind >= TRK_N_KINDS || kind == TRK_REQUEST || state != READY)
		return 0;
	if (busy || !trk_lock())
		return -1;
	struct kind *k = &kinds[kind];
	for (uint32_t slot = k->oldest, next; slot; slot = next) {
		next = k->later[slot];
		if (at(k, slot)->handle != handle)
			continue;
		forget((enum trk_kind)kind, slot);
		n++;
	}
	trk_unlock();
	return n;
}
