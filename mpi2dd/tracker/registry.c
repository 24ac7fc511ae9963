/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Slabs. Besides its records, each kind has tables that readers do not see: the hash table by handle value, the queue
 * of freed records, the list of empty slots, and pins. Slot numbers start at 1; 0 is none.
 */
#include "registry.h"

#include "../../include/mpi2dd.h"
#include "../calls/copies.h"
#include "../tables/info.h"
#include "../tables/settings.h"
#include "arena.h"
#include "describe.h"
#include "requests.h"
#include "callsite.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct trk_slab slabs[TRK_N_KINDS];

enum { WALK_MAX = 1 << 14, HEADS_MAX_BITS = 16 };
static const size_t arena_default = (size_t)64 << 20;

struct kind {
	char *records;
	uint32_t bytes, capacity;
	uint32_t bits;
	uint32_t *heads, *next;    /* hash chains by handle value: live records,
				    * and freed ones whose value has not been reused */
	uint32_t *later, *earlier; /* the queue of freed records; `later` also links the empty slots */
	uint32_t *pins;
	uint32_t oldest, newest, n_freed, empty;
	void (*forget)(void *record); /* from the hooks of the kind; NULL: its records hold only spans */
};
static struct kind kinds[TRK_N_KINDS];

/* The hooks of all kinds; the linker puts them into one section (registry.h). */
extern const struct trk_hooks *const trk_hooks_begin[] __asm__("__start_trk_hooks")
	__attribute__((visibility("hidden")));
extern const struct trk_hooks *const trk_hooks_end[] __asm__("__stop_trk_hooks") __attribute__((visibility("hidden")));

#define FOR_EACH_HOOKS(h) for (const struct trk_hooks *const *(h) = trk_hooks_begin; (h) < trk_hooks_end; (h)++)

static const char *const kind_names[TRK_N_KINDS] = {
	[TRK_COMM] = "COMM",
	[TRK_GROUP] = "GROUP",
	[TRK_DATATYPE] = "DATATYPE",
	[TRK_ERRHANDLER] = "ERRHANDLER",
	[TRK_FILE] = "FILE",
	[TRK_INFO] = "INFO",
	[TRK_OP] = "OP",
	[TRK_REQUEST] = "REQUEST",
	[TRK_WIN] = "WIN",
	[TRK_MESSAGE] = "MESSAGE",
	[TRK_SESSION] = "SESSION",
	[TRK_KEYVAL] = "KEYVAL",
};
static enum { NOT_YET, READY, FAILED } state;
static bool multiple = true; /* several threads may call MPI at the same time */
static bool busy;            /* a thread holds the registry */
static pthread_mutex_t lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;

const struct trk_slab *trk_slab_of(enum trk_kind kind)
{
	return &slabs[kind];
}

/* ---- set-up ------------------------------------------------------------------------------------------- */

static char refused[2048]; /* settings in the environment that we did not understand */

static void read_settings(void)
{
	int64_t n;
	bool off = m2d_setting("MPI2DD_TRACK", &n) && n == 0;

	for (unsigned k = 0; k < TRK_N_KINDS; k++) {
		char variable[40] = "MPI2DD_TRACK_";
		strcat(variable, kind_names[k]);
		if (off)
			trk_capacities[k] = 0;
		else if (m2d_setting(variable, &n))
			trk_capacities[k] = k == TRK_REQUEST ? (int)trk_tables_capacity(n) : (int)n;
	}
	trk_is_on = !off;
	if (m2d_setting("MPI2DD_TRACK_FREED", &n))
		trk_freed_max = (int)n;
	trk_arena_wanted = m2d_setting("MPI2DD_TRACK_ARENA", &n) ? (uint64_t)n : arena_default;
	trk_callsite_setup(m2d_setting("MPI2DD_TRACK_WHERE", &n) ? (int)n : 0);
	m2d_settings_wrong(environ, refused, sizeof(refused));
}

/* In a forked child: the thread that held the lock does not exist. */
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
	MPI2DD_registry.refused = refused[0] ? (uintptr_t)refused : 0;
	m2d_info_set_registry(&MPI2DD_registry);
}

/* Publish the threads' calls at once. No kind has records before its first object is created. */
__attribute__((constructor)) static void on_load(void)
{
	int saved = errno;

	if (m2d_copies_is_inactive()) /* the exported symbol MPI2DD_registry belongs to the other copy */
		return;
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

/* Lay out the tables of a kind in memory at @p at; with NULL, compute only the size. */
static size_t lay_out_kind(unsigned k, char *at)
{
	struct kind *kind = &kinds[k];
	uint32_t n = (uint32_t)trk_capacities[k], bits = 4;
	size_t records = round_up((size_t)n * slabs[k].bytes), lists = round_up((n + 1) * sizeof(uint32_t));
	size_t aside = round_up(trk_tables_bytes(n));

	while (bits < HEADS_MAX_BITS && 1u << bits < n)
		bits++;
	size_t heads = round_up(sizeof(uint32_t) << bits);
	if (n == 0)
		return 0;
	if (k == TRK_REQUEST) {
		if (at) {
			slabs[k].records = (uintptr_t)at;
			slabs[k].capacity = n;
			trk_tables_setup((struct trk_request *)(void *)at, n, &slabs[k], at + records);
		}
		return records + aside;
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

/* Set up the registry, once, under the lock. One mapping for everything; its pages are touched when used. */
static void set_up(void)
{
	size_t bytes = 0;
	int saved = errno;

	/* if two copies of this library are loaded, the registry is that of the active one */
	publish();
	for (unsigned k = 0; k < TRK_N_KINDS; k++)
		bytes += lay_out_kind(k, NULL);
	char *at = bytes == 0 ? NULL
			      : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
				     -1, 0);
	if (!at || at == MAP_FAILED) {
		__atomic_store_n(&state, FAILED, __ATOMIC_RELEASE);
		errno = saved;
		return;
	}
	trk_arena_setup((size_t)trk_arena_wanted, &MPI2DD_registry);
	for (unsigned k = 0; k < TRK_N_KINDS; k++)
		at += lay_out_kind(k, at);
	FOR_EACH_HOOKS(h)
	{
		if ((*h)->forget)
			kinds[(*h)->kind].forget = (*h)->forget;
		if ((*h)->add)
			(*h)->add();
	}
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
		FOR_EACH_HOOKS(h)
		if ((*h)->find)
			(*h)->find();
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
		pthread_mutex_unlock(&lock); /* fails harmlessly if it was not taken */
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

/*
 * Atomic, because readers without the lock load it at the same time. The contents of a live record were written before
 * it became live.
 */
static void set_state(struct trk_object *o, enum trk_state now)
{
	__atomic_store_n(&o->state, (uint8_t)now, __ATOMIC_RELEASE);
}

/* Clear all fields but the sequence. */
static void clear_record(const struct kind *k, struct trk_object *o)
{
	set_state(o, TRK_FREE);
	TRK_PUT(o->predefined, 0);
	o->has_fortran = o->language = 0;
	TRK_PUT(o->handle, 0);
	TRK_PUT(o->id, 0);
	memset(&o->parent, 0, k->bytes - offsetof(struct trk_object, parent));
}
_Static_assert(offsetof(struct trk_object, parent) == 24, "all fields before it are in wipe()");

static void *find_record(enum trk_kind kind, uint64_t handle, bool freed_too)
{
	const struct kind *k = &kinds[kind];
	struct trk_object *freed = NULL;

	if (k->capacity == 0)
		return NULL;
	uint32_t i = __atomic_load_n(head_of(k, handle), __ATOMIC_ACQUIRE);
	for (unsigned turn = 0; i && turn < WALK_MAX; turn++) {
		struct trk_object *o = at(k, i);
		uint8_t is = __atomic_load_n(&o->state, __ATOMIC_ACQUIRE);
		bool same = __atomic_load_n(&o->handle, __ATOMIC_RELAXED) == handle;
		if (same && is == TRK_LIVE)
			return o;
		if (same && is == TRK_FREED)
			freed = o;
		i = __atomic_load_n(&k->next[i], __ATOMIC_ACQUIRE);
	}
	return freed_too ? freed : NULL;
}

void *trk_find(enum trk_kind kind, uint64_t handle)
{
	return find_record(kind, handle, false);
}

void *trk_find_any(enum trk_kind kind, uint64_t handle)
{
	return find_record(kind, handle, true);
}

void *trk_find_unlocked(enum trk_kind kind, uint64_t handle)
{
	return __atomic_load_n(&state, __ATOMIC_ACQUIRE) == READY ? find_record(kind, handle, false) : NULL;
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
		/* its own `next` is kept: a reader without the lock continues from here */
		__atomic_store_n(link, k->next[slot], __ATOMIC_RELEASE);
		return;
	}
}

/* ---- the queue of freed records ------------------------------------------------------------------------- */

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

/* Turn a freed record in the queue into an empty slot. */
static void forget_record(enum trk_kind kind, uint32_t slot)
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
	set_state(o, TRK_FREE);
	trk_order();
	if (k->forget)
		k->forget(o);
	for (size_t i = 0; i < n; i++)
		if (f[i].kind == TRK_SPAN)
			trk_span_drop(*(struct trk_span *)(void *)((char *)o + f[i].offset));
	clear_record(k, o);
	trk_changed(o);
	k->later[slot] = k->empty;
	k->empty = slot;
}

static bool is_debugged(void)
{
	return MPI2DD_info.debugger_flags & MPI2DD_FLAG_BEING_DEBUGGED;
}

static void move_to_freed(enum trk_kind kind, uint32_t slot)
{
	struct kind *k = &kinds[kind];
	int wanted = __atomic_load_n(&trk_freed_max, __ATOMIC_RELAXED);
	uint32_t most = wanted < 0 ? k->capacity / 4 : (uint32_t)wanted;

	most = most ? most : 1;

	if (k->pins[slot] == 0)
		enqueue(k, slot);
	while (k->n_freed > most && !is_debugged())
		forget_record(kind, k->oldest);
}

/* ---- creation and release ------------------------------------------------------------------------------- */

static uint32_t take_slot(enum trk_kind kind)
{
	struct kind *k = &kinds[kind];

	if (!k->empty && slabs[kind].high < k->capacity) {
		__atomic_store_n(&slabs[kind].high, slabs[kind].high + 1, __ATOMIC_RELEASE);
		return slabs[kind].high;
	}
	if (!k->empty && k->oldest) {
		if (is_debugged())
			TRK_PUT(slabs[kind].n_forgotten, slabs[kind].n_forgotten + 1);
		forget_record(kind, k->oldest);
	}
	uint32_t slot = k->empty;
	if (slot)
		k->empty = k->later[slot];
	return slot;
}

/* The handle value belongs to a new object: the records that have it become TRK_EARLIER. @return how many */
static uint32_t supersede(enum trk_kind kind, uint64_t handle)
{
	struct kind *k = &kinds[kind];
	struct trk_object *o = trk_find_any(kind, handle);

	if (!o)
		return 0;
	uint32_t slot = slot_of(k, o), n = o->generation + 1;
	bool unseen = o->state == TRK_LIVE;
	FOR_EACH_HOOKS(h)
	if ((*h)->value_reused)
		(*h)->value_reused(kind, handle, o->id);
	unlink_handle(k, slot);
	set_state(o, TRK_EARLIER);
	if (unseen) {
		TRK_PUT(slabs[kind].n_live, slabs[kind].n_live - 1);
		move_to_freed(kind, slot);
	}
	return n;
}

void *trk_create(enum trk_kind kind, uint64_t handle, uint64_t parent)
{
	struct kind *k = &kinds[kind];
	uint32_t slot = 0, generation = 0;

	if (k->capacity) {
		generation = supersede(kind, handle);
		slot = take_slot(kind);
	}
	if (!slot) {
		TRK_PUT(slabs[kind].n_dropped, slabs[kind].n_dropped + 1);
		return NULL;
	}
	struct trk_object *o = at(k, slot);
	o->sequence |= 1;
	trk_order();
	clear_record(k, o);
	TRK_PUT(o->handle, handle);
	TRK_PUT(o->id, __atomic_fetch_add(&MPI2DD_registry.next_id, 1, __ATOMIC_RELAXED));
	o->parent = parent;
	o->call = trk_current_call();
	o->references = 1;
	o->generation = generation;
	o->born_at = trk_now();
	o->where = trk_callsite(trk_current_frame());
#if defined(M2D_ABI)
	/* of predefined handles */
	o->fortran = (int32_t)handle;
	o->has_fortran = handle < TRK_ABI_PREDEFINED;
#elif !defined(OPEN_MPI)
	/* the Fortran index equals the handle, except for files */
	o->fortran = (int32_t)handle;
	o->has_fortran = kind != TRK_FILE;
#endif
	k->pins[slot] = 0;
	return o;
}

void trk_publish(enum trk_kind kind, void *record)
{
	struct kind *k = &kinds[kind];
	struct trk_object *o = record;
	uint32_t slot = slot_of(k, o), *head = head_of(k, o->handle);

	trk_order();
	set_state(o, TRK_LIVE);
	trk_changed(o);
	/* atomic: a reader without the lock may still be at this slot, which was another record */
	TRK_PUT(k->next[slot], *head);
	__atomic_store_n(head, slot, __ATOMIC_RELEASE);
	TRK_PUT(slabs[kind].n_live, slabs[kind].n_live + 1);
	slabs[kind].n_born++;
}

void trk_release_handle(enum trk_kind kind, void *record)
{
	struct trk_object *o = record;

	/* the only predefined communicator that can be freed is the one from MPI_Comm_get_parent */
	if (!o || (o->predefined && kind != TRK_COMM) || o->state != TRK_LIVE)
		return;
	set_state(o, TRK_FREED);
	TRK_PUT(slabs[kind].n_live, slabs[kind].n_live - 1);
	move_to_freed(kind, slot_of(&kinds[kind], o));
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
	set_state(o, TRK_LIVE);
	TRK_PUT(slabs[kind].n_live, slabs[kind].n_live + 1);
}

void trk_add_reference(void *record)
{
	struct trk_object *o = record;

	if (o && !o->predefined)
		o->references++;
}

void trk_drop_reference(enum trk_kind kind, void *record)
{
	struct trk_object *o = record;

	if (!o || (o->predefined && kind != TRK_COMM))
		return;
	if (o->references)
		o->references--;
	if (o->references == 0)
		trk_release_handle(kind, o);
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
	/* not trimmed here: a record may be in the process of being forgotten */
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

/* @param by_number is @p value a number, or a handle value? */
static int release(int kind, uint64_t value, bool by_number)
{
	int n = 0;

	if (kind < 0 || kind >= TRK_N_KINDS || state != READY)
		return 0;
	if (kind == TRK_REQUEST)
		return trk_tables_forget(value, by_number);
	if (busy || !trk_lock())
		return -1;
	struct kind *k = &kinds[kind];
	for (uint32_t slot = k->oldest, next; slot; slot = next) {
		next = k->later[slot];
		if ((by_number ? at(k, slot)->id : at(k, slot)->handle) != value)
			continue;
		forget_record((enum trk_kind)kind, slot);
		n++;
	}
	trk_unlock();
	return n;
}

M2D_EXPORT int MPI2DD_release(int kind, uint64_t handle)
{
	return release(kind, handle, false);
}

M2D_EXPORT int MPI2DD_release_number(int kind, uint64_t number)
{
	return release(kind, number, true);
}
