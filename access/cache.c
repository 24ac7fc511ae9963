/* SPDX-License-Identifier: BSD-3-Clause */
#include "cache.h"

#include "limits.h"
#include "raw.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum {
	N_WAYS = 8,
	N_SETS = ACC_CACHE_BYTES / ACC_LINE_BYTES / N_WAYS - 1,
	LINE_SECTORS = ACC_LINE_BYTES / ACC_SECTOR_BYTES,
	PAGE_SECTORS = ACC_PAGE_BYTES / ACC_SECTOR_BYTES,
	SPARSE_SAMPLE = 2048, /* number of evicted sectors before deciding */
	SPARSE_LEAVE = 8,     /* consecutive neighbours that end the sparse mode */
	RECENT_TICKS = 32     /* a neighbour used longer ago does not indicate sequential access */
};

_Static_assert(LINE_SECTORS == 64, "a line's sectors are the bits of a word");

struct line {
	uint64_t number;     /* address / ACC_LINE_BYTES */
	uint64_t used;       /* tick of the last use; 0: unused line */
	unsigned char *data; /* NULL until the first read; kept when the line is reused for another address */
	uint64_t valid;      /* one bit per sector: its bytes are present */
	uint64_t touched;    /* one bit per sector: it was requested */
	uint8_t failed;      /* one bit per page: it cannot be read as a whole */
};

struct acc_cache {
	uint64_t tick;
	struct line *last;         /* most recently used: most reads are from the same object */
	bool sparse;               /* a single read fetches sectors instead of pages */
	unsigned n_neighbours;     /* consecutive misses next to a sector used recently */
	uint64_t n_gone, n_wasted; /* sectors evicted, and those of them that were never requested */
	struct line lines[N_SETS][N_WAYS];
};

/* The header counts towards the limit as well. */
_Static_assert(sizeof(struct acc_cache) + (uint64_t)N_SETS * N_WAYS * ACC_LINE_BYTES <= ACC_CACHE_BYTES,
	       "the cache is larger than its limit");

struct acc_cache *acc_cache_create(struct acc_space *sp)
{
	struct acc_cache *cache = acc_array(sp, 1, sizeof(*cache));

	if (cache)
		memset(cache, 0, sizeof(*cache));
	return cache;
}

void acc_cache_destroy(struct acc_space *sp, struct acc_cache *cache)
{
	if (!cache)
		return;
	for (unsigned set = 0; set < N_SETS; set++) {
		for (unsigned way = 0; way < N_WAYS; way++)
			acc_array_free(sp, cache->lines[set][way].data);
	}
	acc_array_free(sp, cache);
}

static void clear(struct line *line)
{
	line->used = line->valid = line->touched = 0;
	line->failed = 0;
}

void acc_cache_forget(struct acc_cache *cache)
{
	for (unsigned set = 0; set < N_SETS; set++) {
		for (unsigned way = 0; way < N_WAYS; way++)
			clear(&cache->lines[set][way]);
	}
	cache->last = NULL;
}

/* ---- lines ----------------------------------------------------------------------------------------- */

static struct line *set_of(struct acc_cache *cache, uint64_t number)
{
	uint32_t hash = (uint32_t)((number * UINT64_C(0x9e3779b97f4a7c15)) >> 32);

	return cache->lines[((uint64_t)hash * N_SETS) >> 32];
}

/* The line of that number, or NULL. */
static struct line *find_line(struct acc_cache *cache, uint64_t number)
{
	struct line *set = set_of(cache, number);

	for (unsigned way = 0; way < N_WAYS; way++) {
		if (set[way].used && set[way].number == number)
			return &set[way];
	}
	return NULL;
}

/* Adapt to evicted sectors: were they read needlessly? */
static void give_up(struct acc_cache *cache, struct line *line)
{
	cache->n_gone += __builtin_popcountll(line->valid);
	cache->n_wasted += __builtin_popcountll(line->valid & ~line->touched);
	if (cache->n_gone >= SPARSE_SAMPLE) {
		cache->sparse |= cache->n_wasted * 3 > cache->n_gone * 2;
		cache->n_gone = cache->n_wasted = 0;
	}
	clear(line);
}

/* The line with this number; evicts the least recently used line of its set if necessary. */
static struct line *find_or_take(struct acc_cache *cache, uint64_t number)
{
	struct line *line = find_line(cache, number);

	if (line)
		return line;
	line = set_of(cache, number);
	for (struct line *other = line + 1, *end = line + N_WAYS; other < end; other++) {
		if (other->used < line->used)
			line = other;
	}
	give_up(cache, line);
	line->number = number;
	return line;
}

/* Memory for the bytes of a line: new, or taken from another line of the set. */
static bool have_data(struct acc_space *sp, struct acc_cache *cache, struct line *line)
{
	if (line->data)
		return true;
	line->data = acc_array(sp, 1, ACC_LINE_BYTES);
	if (line->data)
		return true;

	struct line *set = set_of(cache, line->number), *victim = NULL;
	for (unsigned way = 0; way < N_WAYS; way++) {
		if (set[way].data && (!victim || set[way].used < victim->used))
			victim = &set[way];
	}
	if (!victim)
		return false;
	line->data = victim->data;
	victim->data = NULL;
	victim->valid = victim->touched = 0;
	return true;
}

/* ---- reading --------------------------------------------------------------------------------------- */

/* The bits of sectors [lo, hi), lo < hi. */
static uint64_t bits(unsigned lo, unsigned hi)
{
	return (UINT64_MAX >> (LINE_SECTORS - (hi - lo))) << lo;
}

/* Is the sector valid and, if `recent`, accessed within RECENT_TICKS? */
static bool is_there(const struct acc_cache *cache, const struct line *line, unsigned sector, bool recent)
{
	uint64_t bit = UINT64_C(1) << sector;

	if (!line || !(line->valid & bit))
		return false;
	return !recent || (line->touched & bit && cache->tick - line->used < RECENT_TICKS);
}

/* Read sectors [lo, hi). */
static bool fill(struct acc_space *sp, struct line *line, unsigned lo, unsigned hi)
{
	if (!acc_raw_read(sp, line->number * ACC_LINE_BYTES + lo * ACC_SECTOR_BYTES,
			  (hi - lo) * (size_t)ACC_SECTOR_BYTES, line->data + lo * ACC_SECTOR_BYTES))
		return false;
	line->valid |= bits(lo, hi);
	return true;
}

/* Read sectors [*lo, *hi) of one page, or more: valid neighbours determine the direction. */
static void widen(struct acc_cache *cache, const struct line *line, unsigned *lo, unsigned *hi)
{
	unsigned page = *lo / PAGE_SECTORS, first = page, end = page + 1;
	unsigned from = cache->sparse ? *lo : page * PAGE_SECTORS, to = cache->sparse ? *hi : end * PAGE_SECTORS;
	bool forward = from ? is_there(cache, line, from - 1, cache->sparse)
			    : is_there(cache, find_line(cache, line->number - 1), LINE_SECTORS - 1, cache->sparse);
	bool backward = to < LINE_SECTORS ? is_there(cache, line, to, cache->sparse)
					  : is_there(cache, find_line(cache, line->number + 1), 0, cache->sparse);

	if (cache->sparse) {
		cache->n_neighbours = forward || backward ? cache->n_neighbours + 1 : 0;
		if (cache->n_neighbours < SPARSE_LEAVE)
			return;
		cache->sparse = false;
		cache->n_neighbours = 0;
		cache->n_gone = cache->n_wasted = 0;
	}
	while (forward && end < ACC_LINE_PAGES && !(line->failed & 1u << end) &&
	       !(line->valid & bits(end * PAGE_SECTORS, (end + 1) * PAGE_SECTORS)))
		end++;
	while (backward && first > 0 && !(line->failed & 1u << (first - 1)) &&
	       !(line->valid & bits((first - 1) * PAGE_SECTORS, first * PAGE_SECTORS)))
		first--;
	*lo = first * PAGE_SECTORS;
	*hi = end * PAGE_SECTORS;
}

/* Make sectors [lo, hi) of one page valid. */
static bool load_line(struct acc_space *sp, struct acc_cache *cache, struct line *line, unsigned lo, unsigned hi)
{
	unsigned page = lo / PAGE_SECTORS, from = lo, to = hi;

	if (line->failed & 1u << page || !have_data(sp, cache, line))
		return false;
	widen(cache, line, &from, &to);
	if (fill(sp, line, from, to))
		return true;
	if (to - from > PAGE_SECTORS && fill(sp, line, page * PAGE_SECTORS, (page + 1) * PAGE_SECTORS))
		return true;
	line->failed |= 1u << page;
	return false;
}

/* Some of these sectors of a line are not valid: read them, page by page. */
static bool load_missing(struct acc_space *sp, struct acc_cache *cache, struct line *line, uint64_t wanted)
{
	bool whole = true;

	for (unsigned page = 0; page < ACC_LINE_PAGES; page++) {
		uint64_t missing = wanted & ~line->valid & bits(page * PAGE_SECTORS, (page + 1) * PAGE_SECTORS);

		if (missing && !load_line(sp, cache, line, __builtin_ctzll(missing), 64 - __builtin_clzll(missing)))
			whole = false;
	}
	return whole;
}

enum acc_rc acc_cache_read(struct acc_space *sp, struct acc_cache *cache, uint64_t addr, size_t n, void *ret)
{
	unsigned char *out = ret;

	while (n) {
		uint64_t number = addr / ACC_LINE_BYTES;
		unsigned at = addr % ACC_LINE_BYTES;
		size_t part = n < ACC_LINE_BYTES - at ? n : ACC_LINE_BYTES - at;
		uint64_t wanted = bits(at / ACC_SECTOR_BYTES, (at + part - 1) / ACC_SECTOR_BYTES + 1);
		struct line *line = cache->last;

		if (!line || line->number != number)
			line = cache->last = find_or_take(cache, number);
		line->used = ++cache->tick;
		if ((line->valid & wanted) == wanted || load_missing(sp, cache, line, wanted)) {
			line->touched |= wanted;
			memcpy(out, line->data + at, part);
		} else if (!acc_raw_read(sp, addr, part, out)) {
			return ACC_EREAD;
		}
		addr += part;
		out += part;
		n -= part;
	}
	return ACC_OK;
}
