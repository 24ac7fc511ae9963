/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Searches the heap for datatypes and some requests. They are in no list of the library, but each starts with the
 * address of its class, for example ompi_datatype_t_class. The library allocates all of them with malloc(), from the
 * arena of the calling thread. The search covers the contiguous readable memory around objects that are known, and the
 * heaps of glibc's other arenas.
 */
#include "objects.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum {
	BLOCK = 1 << 16,
	PAGE = 4096,
	ALIGNMENT = 16,        /* of addresses returned by malloc(), also on 32-bit machines */
	HEAPS_MAX = 64,        /* separate ranges: one for each arena */
	WAY_MAX = 128 << 20,   /* bytes in either direction */
	TOTAL_MAX = 512 << 20, /* bytes in all ranges */
	ARENA_HEAP = 64 << 20, /* size and alignment of a heap of an arena other than the first, with 64 bits */
	ARENA_PROBES = 1024,   /* 64 GiB of addresses */
	ARENA_HEADER_MAX = 128 /* bytes before the arena in its first heap */
};

struct heap {
	uint64_t lo, hi;
};

/* Classes of objects that are not, or not always, in a table. */
static const struct {
	const char *symbol;
	enum mdl_handle_kind kind;
} classes[] = {
	{ "ompi_datatype_t_class", MDL_DATATYPE },    { "ompi_grequest_t_class", MDL_REQUEST },
	{ "mca_ompio_request_t_class", MDL_REQUEST }, { "ompi_osc_rdma_request_t_class", MDL_REQUEST },
	{ "ompi_request_t_class", MDL_REQUEST }, /* persistent ones with MPI_PROC_NULL */
};

enum { N_CLASSES = sizeof(classes) / sizeof(classes[0]) };

struct search {
	struct rd_ompi *o;
	uint64_t class_addr[N_CLASSES];
	struct heap heaps[HEAPS_MAX];
	unsigned n;
	uint64_t total;
	unsigned char *block;
};

static bool searched(const struct search *s, uint64_t addr)
{
	for (unsigned i = 0; i < s->n; i++)
		if (addr >= s->heaps[i].lo && addr < s->heaps[i].hi)
			return true;
	return false;
}

static void look_through(struct search *s, uint64_t addr, uint64_t n)
{
	unsigned width = s->o->sp->sizes.pointer_bytes;

	for (uint64_t i = 0; i + width <= n; i += ALIGNMENT) {
		uint64_t word = acc_decode_u(s->o->sp, s->block + i, width);

		for (unsigned k = 0; word && k < (unsigned)N_CLASSES; k++)
			if (word == s->class_addr[k] &&
			    !rd_ompi_addrs_add(s->o, &s->o->objects->heap[classes[k].kind], addr + i))
				s->o->objects->heap_incomplete = true;
	}
	s->total += n;
}

/* @return false: the range ends here */
static bool search_block(struct search *s, uint64_t addr, uint64_t n)
{
	if (searched(s, addr) || acc_read(s->o->sp, addr, n, s->block))
		return false;
	look_through(s, addr, n);
	return true;
}

static bool may_go_on(struct search *s, uint64_t so_far)
{
	if (so_far < WAY_MAX && s->total < TOTAL_MAX)
		return true;
	s->o->objects->heap_incomplete = true;
	return false;
}

/* Extend the range by whole blocks, then by pages, because the next block may be partly mapped. */
static void extend(struct search *s, uint64_t anchor)
{
	uint64_t start = anchor & ~(uint64_t)(PAGE - 1), lo = start, hi = start;

	while (may_go_on(s, hi - start) && hi < UINT64_MAX - BLOCK && search_block(s, hi, BLOCK))
		hi += BLOCK;
	while (may_go_on(s, hi - start) && hi < UINT64_MAX - BLOCK && search_block(s, hi, PAGE))
		hi += PAGE;
	while (may_go_on(s, start - lo) && lo > BLOCK && search_block(s, lo - BLOCK, BLOCK))
		lo -= BLOCK;
	while (may_go_on(s, start - lo) && lo > PAGE && search_block(s, lo - PAGE, PAGE))
		lo -= PAGE;
	s->heaps[s->n++] = (struct heap){ lo, hi };
}

/* Objects that were allocated one at a time. */
static void from_table(struct search *s, enum mdl_handle_kind kind)
{
	struct acc_slots slots;
	uint64_t addr, i = 0;

	if (rd_ompi_object_table(s->o, kind, &slots))
		return;
	while (!acc_slots_next(&slots, &addr)) {
		/* the first ones are predefined, in the library's data */
		if (++i <= 4 && kind != MDL_GROUP)
			continue;
		if (s->n < HEAPS_MAX && acc_plausible(s->o->sp, addr, ALIGNMENT) && !searched(s, addr) &&
		    i > (kind == MDL_GROUP ? 2 : 4))
			extend(s, addr);
	}
}

/*
 * Does a heap of an arena begin here? heap_info of glibc's malloc/arena.c: the arena, the heap before it, its size, and
 * how much of it is mapped for reading. The arena is in its own first heap.
 */
static bool arena_heap(struct search *s, uint64_t at, uint64_t *size)
{
	enum { ARENA, BEFORE, SIZE, MAPPED, N_WORDS };
	uint64_t words[N_WORDS];
	unsigned char bytes[N_WORDS * 8];

	if (acc_read(s->o->sp, at, sizeof(bytes), bytes))
		return false;
	for (unsigned i = 0; i < (unsigned)N_WORDS; i++)
		words[i] = acc_decode_u(s->o->sp, bytes + (size_t)i * 8, 8);
	*size = words[SIZE];
	if (!words[SIZE] || words[SIZE] % PAGE || words[SIZE] > words[MAPPED] || words[MAPPED] > ARENA_HEAP)
		return false;
	if (!words[BEFORE])
		return words[ARENA] > at && words[ARENA] <= at + ARENA_HEADER_MAX;
	return words[BEFORE] % ARENA_HEAP == 0 && words[BEFORE] != at &&
	       words[ARENA] % ARENA_HEAP <= ARENA_HEADER_MAX && words[ARENA] - words[ARENA] % ARENA_HEAP != at;
}

/* Such heaps are mapped below the libraries that were there before. */
static void from_arenas(struct search *s)
{
	uint64_t at, size;

	if (s->o->sp->sizes.pointer_bytes != 8 || acc_symbol(s->o->sp, "ompi_mpi_communicators", &at))
		return;
	at -= at % ARENA_HEAP;
	for (unsigned i = 0; i < ARENA_PROBES && at > ARENA_HEAP; i++) {
		at -= ARENA_HEAP;
		if (searched(s, at) || !arena_heap(s, at, &size))
			continue;
		if (s->n == HEAPS_MAX || s->total + size > TOTAL_MAX) {
			s->o->objects->heap_incomplete = true;
			return;
		}
		uint64_t end = at + size, done = at;
		while (done + BLOCK <= end && search_block(s, done, BLOCK))
			done += BLOCK;
		while (done + PAGE <= end && search_block(s, done, PAGE))
			done += PAGE;
		s->heaps[s->n++] = (struct heap){ at, done };
	}
}

void rd_ompi_heap_search(struct rd_ompi *o)
{
	static const enum mdl_handle_kind anchors[] = { MDL_GROUP, MDL_COMM, MDL_INFO, MDL_WIN };

	if (o->objects->heap_searched)
		return;
	o->objects->heap_searched = true;
	struct search *s = acc_array(o->sp, 1, sizeof(*s));
	struct acc_note note = o->sp->note;
	if (!s) {
		o->objects->heap_incomplete = true;
		return;
	}
	*s = (struct search){ .o = o, .block = acc_array(o->sp, 1, BLOCK) };
	for (unsigned k = 0; k < (unsigned)N_CLASSES; k++)
		if (acc_symbol(o->sp, classes[k].symbol, &s->class_addr[k]))
			s->class_addr[k] = 0;
	for (unsigned k = 0; s->block && k < sizeof(anchors) / sizeof(anchors[0]); k++)
		from_table(s, anchors[k]);
	if (s->block)
		from_arenas(s);
	o->objects->heap_incomplete |= !s->block || !s->class_addr[0];
	acc_array_free(o->sp, s->block);
	acc_array_free(o->sp, s);
	o->sp->note = note;
}
