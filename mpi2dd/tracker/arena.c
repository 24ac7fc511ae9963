/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks with a header; one free list for each size. */
#include "arena.h"

#include "threads.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

enum { SMALLEST_BITS = 5, CLASSES = 28, LEAST_BYTES = 1 << 16 };

struct block {
	uint32_t class;
	uint32_t references;
	uint64_t next; /* next block of the free list */
};

static struct {
	char *at, *end;
	struct block *free[CLASSES];
	struct trk_registry *registry;
} arena;

bool trk_arena_setup(size_t bytes, struct trk_registry *registry)
{
	arena.registry = registry;
	for (; bytes >= LEAST_BYTES; bytes /= 2) {
		void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (p == MAP_FAILED)
			continue;
		arena.at = p;
		arena.end = arena.at + bytes;
		TRK_PUT(registry->arena_bytes, bytes);
		return true;
	}
	return false;
}

static size_t class_bytes(uint32_t class)
{
	return (size_t)1 << (class + SMALLEST_BITS);
}

static struct block *take_block(size_t bytes)
{
	uint32_t class = 0;

	while (class < CLASSES && class_bytes(class) < bytes)
		class ++;
	if (class == CLASSES)
		return NULL;
	struct block *b = arena.free[class];
	if (b) {
		arena.free[class] = (struct block *)(uintptr_t)b->next;
	} else if ((size_t)(arena.end - arena.at) >= class_bytes(class)) {
		b = (struct block *)(void *)arena.at;
		arena.at += class_bytes(class);
	} else {
		/* none left: use a block of a larger size */
		for (uint32_t larger = class + 1; larger < CLASSES && !b; larger++) {
			b = arena.free[larger];
			if (!b)
				continue;
			arena.free[larger] = (struct block *)(uintptr_t)b->next;
			class = larger;
		}
		if (!b)
			return NULL;
	}
	b->class = class;
	b->references = 1;
	TRK_PUT(arena.registry->arena_used, arena.registry->arena_used + class_bytes(class));
	return b;
}

void *trk_span_new(struct trk_span *ret, size_t n, size_t element_bytes, size_t hidden)
{
	*ret = trk_span_unknown(n);
	if (n == 0)
		return NULL;
	size_t bytes;
	struct block *b = NULL;
	if (n <= UINT32_MAX && !__builtin_mul_overflow(n, element_bytes, &bytes) &&
	    !__builtin_add_overflow(bytes, hidden, &bytes) && bytes < SIZE_MAX - sizeof(*b))
		b = take_block(bytes + sizeof(*b));
	if (!b) {
		if (arena.registry)
			TRK_PUT(arena.registry->n_arena_dropped, arena.registry->n_arena_dropped + 1);
		return NULL;
	}
	memset(b + 1, 0, bytes);
	ret->addr = (uintptr_t)(b + 1);
	ret->n = ret->total;
	return b + 1;
}

struct trk_span trk_span_copy(const void *elements, size_t n, size_t element_bytes)
{
	struct trk_span ret;
	void *to = trk_span_new(&ret, n, element_bytes, 0);

	if (to)
		memcpy(to, elements, n * element_bytes);
	return ret;
}

static struct block *block_of(struct trk_span span)
{
	return span.addr ? (struct block *)trk_span_at(span) - 1 : NULL;
}

struct trk_span trk_span_share(struct trk_span span)
{
	struct block *b = block_of(span);

	if (b)
		b->references++;
	return span;
}

void trk_span_drop(struct trk_span span)
{
	struct block *b = block_of(span);

	if (!b || --b->references)
		return;
	TRK_PUT(arena.registry->arena_used, arena.registry->arena_used - class_bytes(b->class));
	b->next = (uintptr_t)arena.free[b->class];
	arena.free[b->class] = b;
}

/* ---- scratch ------------------------------------------------------------------------------------------ */

/* A few preallocated pieces: getting memory from the kernel takes longer than most uses of it. */
enum { PIECES = 8, PIECE_BYTES = 8192, HEAD = 16 };
static char pieces[PIECES][PIECE_BYTES] __attribute__((aligned(16)));
static bool taken[PIECES];

void *trk_scratch(size_t n, size_t element_bytes)
{
	size_t bytes;
	int saved = errno;

	if (__builtin_mul_overflow(n, element_bytes, &bytes) || __builtin_add_overflow(bytes, HEAD, &bytes))
		return NULL;
	for (size_t i = 0; i < PIECES && bytes <= PIECE_BYTES; i++)
		if (!__atomic_exchange_n(&taken[i], true, __ATOMIC_ACQUIRE))
			return memset(pieces[i], 0, bytes);
	size_t *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	errno = saved;
	if (p == MAP_FAILED)
		return NULL;
	*p = bytes;
	return (char *)p + HEAD;
}

void trk_scratch_free(void *memory)
{
	int saved = errno;
	char *at = memory;

	if (at >= pieces[0] && at < pieces[0] + sizeof(pieces)) {
		__atomic_store_n(&taken[(size_t)(at - pieces[0]) / PIECE_BYTES], false, __ATOMIC_RELEASE);
	} else if (at) {
		size_t *p = (size_t *)(void *)(at - HEAD);
		munmap(p, *p);
	}
	errno = saved;
}
