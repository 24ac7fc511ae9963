/* SPDX-License-Identifier: BSD-3-Clause */
#include "request_table.h"

#include <string.h>

enum { CHUNK = TRK_TABLE_CHUNK, CAPACITY_MAX = 1 << 20 };

struct trk_table *trk_tables[TRK_TABLES];
bool trk_tables_locked = true, trk_tables_have_lists;

struct trk_request *trk_table_records;
uint32_t *trk_table_next;
static uint32_t n_records;
static struct trk_slab *slab;
static uint16_t *owners; /* for each chunk the number of its table + 1 */
static char *pool, *pool_end;

/* ---- memory ------------------------------------------------------------------------------------------- */

static size_t round_up(size_t bytes)
{
	return (bytes + 63) / 64 * 64;
}

static size_t next_bytes(uint32_t n)
{
	return round_up(((size_t)n + 1) * sizeof(*trk_table_next));
}

static size_t owners_bytes(uint32_t n)
{
	return round_up(n / CHUNK * sizeof(*owners));
}

/* A table with k records has at most k heads, and had half as many before, and so on: 8 * k bytes in total. */
static size_t pool_bytes(uint32_t n)
{
	return round_up(8 * (size_t)n) + TRK_TABLES * round_up(sizeof(struct trk_table));
}

uint32_t trk_tables_capacity(uint64_t wanted)
{
	return wanted > CAPACITY_MAX ? CAPACITY_MAX : (uint32_t)((wanted + CHUNK - 1) / CHUNK * CHUNK);
}

size_t trk_tables_bytes(uint32_t n)
{
	return next_bytes(n) + owners_bytes(n) + pool_bytes(n);
}

void trk_tables_setup(struct trk_request *r, uint32_t n, struct trk_slab *s, void *memory)
{
	n_records = n;
	slab = s;
	trk_table_next = memory;
	owners = (uint16_t *)(void *)((char *)memory + next_bytes(n));
	pool = (char *)memory + next_bytes(n) + owners_bytes(n);
	pool_end = pool + pool_bytes(n);
	__atomic_store_n(&trk_table_records, r, __ATOMIC_RELEASE);
}

void trk_tables_dropped(void)
{
	__atomic_fetch_add(&slab->n_dropped, 1, __ATOMIC_RELAXED);
}

/* Allocate zeroed memory that is never freed. NULL: none left. */
static void *pool_take(size_t bytes)
{
	char *at = __atomic_load_n(&pool, __ATOMIC_RELAXED);

	bytes = round_up(bytes);
	do {
		if (bytes > (size_t)(pool_end - at))
			return NULL;
	} while (!__atomic_compare_exchange_n(&pool, &at, at + bytes, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	return at;
}

static void lock_init(struct trk_table *t)
{
	static const pthread_mutex_t unlocked = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;

	t->lock = unlocked;
	t->busy = false;
}

struct trk_table *trk_table_make(unsigned number)
{
	if (number >= TRK_TABLES)
		return NULL;
	if (trk_tables[number])
		return trk_tables[number];
	struct trk_table *t = pool_take(sizeof(*t));
	if (!t)
		return NULL;
	lock_init(t);
	t->number = (uint16_t)number;
	t->heads = t->first;
	t->mask = TRK_TABLE_CHAINS - 1;
	t->hand = number * CHUNK % n_records;
	__atomic_store_n(&trk_tables[number], t, __ATOMIC_RELEASE);
	return t;
}

/*
 * The threads that were in a table do not exist in the child and may have left a chain half-written. A forked child
 * does not call MPI.
 */
void trk_tables_after_fork(void)
{
	for (unsigned i = 0; i < TRK_TABLES; i++)
		if (trk_tables[i])
			lock_init(trk_tables[i]);
}

/* ---- chains ------------------------------------------------------------------------------------------- */

/* Double the number of chains; the order within a chain is kept. Without memory the chains just get longer. */
static void grow(struct trk_table *t)
{
	uint32_t *old = t->heads, n_old = t->mask + 1, mask = 2 * t->mask + 1;
	uint32_t *heads = pool_take(sizeof(*heads) * 2 * n_old);

	if (!heads)
		return;
	t->heads = heads;
	t->mask = mask;
	for (uint32_t c = 0; c < n_old; c++) {
		/* chain c is split into chains c and c + n_old */
		uint32_t *end[2] = { &heads[c], &heads[c + n_old] };
		for (uint32_t i = old[c]; i; i = trk_table_next[i]) {
			uint32_t **to = &end[trk_table_chain(t, trk_table_records[i - 1].handle) != &heads[c]];
			**to = i;
			*to = &trk_table_next[i];
		}
		/* terminated only now: the loop reads the links */
		*end[0] = *end[1] = 0;
	}
}

static void link_record(struct trk_table *t, struct trk_request *r)
{
	uint32_t *head = trk_table_chain(t, r->handle);

	trk_table_next[trk_table_number(r)] = *head;
	*head = trk_table_number(r);
	if (++t->n_chained > 2 * t->mask)
		grow(t);
}

/* Does nothing if the record is in no chain. */
static void unlink_record(struct trk_table *t, const struct trk_request *r)
{
	for (uint32_t *link = trk_table_chain(t, r->handle); *link; link = &trk_table_next[*link]) {
		if (*link != trk_table_number(r))
			continue;
		*link = trk_table_next[*link];
		t->n_chained--;
		return;
	}
}

/* ---- reuse of records ------------------------------------------------------------------------------------ */

/* May an ended record be reused? Records of a class are taken from their list instead. */
static bool can_be_used_again(const struct trk_table *t, const struct trk_request *r)
{
	if (trk_request_state(r) == TRK_LIVE || trk_request_flags(r) & TRK_REQ_SHARED || !r->handle)
		return false;
	for (int k = 0; k < TRK_TABLE_FREED; k++)
		if (t->freed[k] == trk_table_number(r))
			return false;
	return true;
}

/* Count the reuse of an ended record that a debugger wants to keep. */
static void note_forgotten(const struct trk_request *r, bool keeps)
{
	if (keeps && trk_request_state(r) == TRK_FREED)
		__atomic_fetch_add(&slab->n_forgotten, 1, __ATOMIC_RELAXED);
}

/*
 * Take an ended record of the table out of its chain or list, for reuse. The search is short and continues at the next
 * record next time. Spare records must be used first, because the search must not find them.
 */
static struct trk_request *use_again(struct trk_table *t, bool keeps)
{
	enum { SEARCHED = 4 * CHUNK };
	if (t->spare) {
		struct trk_request *r = &trk_table_records[t->spare - 1];
		t->spare = trk_table_next[t->spare];
		note_forgotten(r, keeps);
		return r;
	}
	for (int k = 0; k < TRK_TABLE_CLASSES; k++) {
		uint32_t i = t->ended[k];
		if (!i)
			continue;
		t->ended[k] = trk_table_next[i];
		return &trk_table_records[i - 1];
	}
	uint32_t i = t->hand;
	for (uint32_t n = 0, searched = 0; n < n_records && searched < SEARCHED; n++, i = (i + 1) % n_records) {
		struct trk_request *r = &trk_table_records[i];
		if (__atomic_load_n(&owners[i / CHUNK], __ATOMIC_RELAXED) != t->number + 1) {
			n += CHUNK - 1 - i % CHUNK;
			i += CHUNK - 1 - i % CHUNK;
			continue;
		}
		searched++;
		if (!can_be_used_again(t, r))
			continue;
		note_forgotten(r, keeps);
		unlink_record(t, r);
		t->hand = (i + 1) % n_records;
		return r;
	}
	t->hand = i;
	return NULL;
}

static bool take_chunk(struct trk_table *t)
{
	uint32_t high = __atomic_load_n(&slab->high, __ATOMIC_RELAXED);

	do {
		if (high + CHUNK > n_records)
			return false;
	} while (!__atomic_compare_exchange_n(&slab->high, &high, high + CHUNK, true, __ATOMIC_ACQ_REL,
					      __ATOMIC_RELAXED));
	__atomic_store_n(&owners[high / CHUNK], (uint16_t)(t->number + 1), __ATOMIC_RELEASE);
	t->chunk_at = high;
	t->chunk_end = high + CHUNK;
	return true;
}

static struct trk_request *take_record(struct trk_table *t, bool keeps)
{
	struct trk_request *r;

	if (t->spare && !keeps)
		return use_again(t, keeps);
	if (t->chunk_at == t->chunk_end) {
		/* stop keeping records before other threads run out of them */
		bool scarce = __atomic_load_n(&slab->high, __ATOMIC_RELAXED) + CHUNK > n_records - n_records / 4;
		if (keeps && scarce && (r = use_again(t, keeps)))
			return r;
		if (!take_chunk(t)) {
			r = use_again(t, keeps);
			if (!r)
				trk_tables_dropped();
			return r;
		}
	}
	return &trk_table_records[t->chunk_at++];
}

/* ---- requests ----------------------------------------------------------------------------------------- */

void trk_table_drop_lists(struct trk_table *t, struct trk_request *r)
{
	t->dropped[0] = r->where;
	t->dropped[1] = r->partitions;
	r->where = r->partitions = (struct trk_span){ 0 };
}

struct trk_request *trk_table_create_of_class(struct trk_table *t, uint64_t handle, int class, unsigned rules)
{
	uint32_t i = t->ended[class];
	struct trk_request *r;

	if (i) {
		t->ended[class] = trk_table_next[i];
		r = &trk_table_records[i - 1];
	} else {
		r = take_record(t, rules & TRK_TABLE_KEEPS);
	}
	if (!r)
		return NULL;
	trk_table_write(t, r, handle);
	trk_table_next[trk_table_number(r)] = t->live[class];
	t->live[class] = trk_table_number(r);
	return r;
}

struct trk_request *trk_table_create_first(struct trk_table *t, uint64_t handle, unsigned rules)
{
	bool keeps = rules & TRK_TABLE_KEEPS, live = false;
	struct trk_request *ended = NULL;

	for (uint32_t i = *trk_table_chain(t, handle); i; i = trk_table_next[i]) {
		struct trk_request *r = &trk_table_records[i - 1];
		if (r->handle != handle)
			continue;
		if (trk_request_state(r) == TRK_LIVE && rules & TRK_TABLE_TAKES_OVER) {
			trk_request_set_state(r, TRK_FREED);
			t->n_unseen++;
		}
		if (trk_request_state(r) == TRK_LIVE)
			live = true;
		else
			ended = r;
	}
	/* it is kept unchanged, or comes before the live one */
	bool kept = ended && keeps && trk_request_state(ended) == TRK_FREED;
	bool moves = ended && (kept || live);
	if (moves)
		unlink_record(t, ended);
	struct trk_request *r = ended && !kept ? ended : take_record(t, keeps);
	if (!r)
		return NULL;
	trk_table_write(t, r, handle);
	if (!ended || moves)
		link_record(t, r);
	return r;
}

void trk_table_complete_of_class(struct trk_table *t, const struct trk_request *r, int class)
{
	uint32_t *link = &t->live[class], i = trk_table_number(r);

	while (*link != i)
		link = &trk_table_next[*link];
	*link = trk_table_next[i];
	trk_table_next[i] = t->ended[class];
	t->ended[class] = i;
}

void trk_table_keep_freed(struct trk_table *t, const struct trk_request *r)
{
	/* with few records at most a quarter, so that some are left */
	uint32_t most = n_records / 4 < TRK_TABLE_FREED ? n_records / 4 : TRK_TABLE_FREED;
	uint32_t *place = &t->freed[t->freed_at++ % most], old = *place;

	unlink_record(t, r);
	*place = trk_table_number(r);
	if (old) {
		trk_table_next[old] = t->spare;
		t->spare = old;
	}
}

/* ---- all tables --------------------------------------------------------------------------------------- */

void trk_tables_each(uint32_t most, void (*each)(struct trk_request *r, const void *data), const void *data)
{
	uint32_t high = trk_tables_are_set_up() ? __atomic_load_n(&slab->high, __ATOMIC_ACQUIRE) : 0;

	for (uint32_t first = 0; first < high && first < most; first += CHUNK) {
		unsigned owner = __atomic_load_n(&owners[first / CHUNK], __ATOMIC_ACQUIRE);
		struct trk_table *t = owner ? __atomic_load_n(&trk_tables[owner - 1], __ATOMIC_ACQUIRE) : NULL;
		if (!t || !trk_table_enter(t))
			continue;
		for (struct trk_request *r = &trk_table_records[first]; r < &trk_table_records[first + CHUNK]; r++)
			if (trk_request_state(r) == TRK_LIVE)
				each(r, data);
		trk_table_leave(t);
	}
}

int trk_tables_forget(uint64_t value, bool is_addr)
{
	uint32_t high = trk_tables_are_set_up() ? __atomic_load_n(&slab->high, __ATOMIC_ACQUIRE) : 0;
	int n = 0;

	for (uint32_t i = 0; i < high; i++) {
		struct trk_request *r = &trk_table_records[i];
		uint64_t its = is_addr ? (uintptr_t)r : __atomic_load_n(&r->handle, __ATOMIC_RELAXED);
		uint8_t state = TRK_FREED;

		n += its == value && __atomic_compare_exchange_n(&r->state, &state, TRK_FREE, false, __ATOMIC_ACQ_REL,
								 __ATOMIC_RELAXED);
	}
	return n;
}
