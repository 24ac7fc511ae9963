/* SPDX-License-Identifier: BSD-3-Clause */
/* The environment as it was at exec: of a live process from /proc, of a core from its initial stack. */
#include "cleanup.h"
#include "target.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

enum {
	STACK_TOP_MAX = 8 << 20, /* arguments and environment: at most a quarter of the stack limit, usually 2 MB */
	ENVIRON_VARIABLES_MAX = 1 << 16
};

/*
 * The kernel lays the initial stack out upwards: argc, argv[], NULL, envp[], NULL, auxv, ..., the strings of argv and
 * envp, the name of the program (AT_EXECFN). The core repeats auxv in a note: where these bytes are in memory,
 * envp[] ends right below.
 */
static bool find_auxv_in_stack(struct host_target *t, const uint8_t *stack, uint64_t lo, size_t n, uint64_t *ret)
{
	if (t->auxv_bytes < 8 * t->word_bytes)
		return false;
	size_t step = t->word_bytes, need = t->auxv_bytes;
	for (size_t i = 0; i + need <= n; i += step)
		if (memcmp(stack + i, t->auxv, need) == 0) {
			*ret = lo + i;
			return true;
		}
	return false;
}

/* Copy the highest readable part of the stack, up to and including the string at @p top. */
static uint8_t *copy_stack_top(struct host_target *t, uint64_t top, uint64_t *lo, size_t *n)
{
	uint64_t end = (top | 4095) + 1;
	size_t size = 1 << 14;
	uint8_t *copy = NULL;

	/* as much as possible: the stack may be shorter than the longest environment */
	for (size_t try = size; try <= STACK_TOP_MAX && try < end; try *= 2) {
		uint8_t *more = realloc(copy, try);
		if (!more || !host_read(t, end - try, try, more)) {
			copy = more ? more : copy;
			break;
		}
		copy = more;
		*lo = end - try;
		*n = try;
		uint64_t unused;
		if (find_auxv_in_stack(t, copy, *lo, *n, &unused) && unused - *lo > try / 2)
			return copy;
	}
	if (*n == 0) {
		free(copy);
		return NULL;
	}
	if (!host_read(t, *lo, *n, copy)) {
		free(copy);
		return NULL;
	}
	return copy;
}

static uint64_t word_at(const struct host_target *t, const uint8_t *stack, uint64_t lo, uint64_t addr)
{
	return host_decode_u(stack + (addr - lo), t->word_bytes, t->big_endian);
}

/*
 * Copy one string of envp[]: usually on the stack, or in the heap if the program has replaced it. @return its length.
 */
static size_t copy_variable(struct host_target *t, const uint8_t *stack, uint64_t lo, size_t n, uint64_t p, char *ret,
			    size_t room)
{
	if (p >= lo && p < lo + n) {
		const char *s = (const char *)stack + (p - lo);
		size_t len = strnlen(s, n - (size_t)(p - lo));
		if (len >= n - (p - lo) || len >= room)
			return 0;
		memcpy(ret, s, len + 1);
		return len;
	}
	/* Byte by byte up to its end: bytes after it may not be readable. */
	for (size_t len = 0; len < room && host_read(t, p + len, 1, ret + len); len++)
		if (!ret[len])
			return len;
	return 0;
}

/* Find the environment of a core on its initial stack. */
static void host_environ_from_stack(struct host_target *t)
{
	uint64_t top, auxv, lo = 0, w = t->word_bytes;
	size_t n = 0;

	if (!host_auxv(t, AT_EXECFN, &top))
		return;
	_cleanup_free_ uint8_t *stack = copy_stack_top(t, top, &lo, &n);
	if (!stack)
		return;
	/* The words below auxv: envp[] and its NULL, down to the NULL that ends argv[]. */
	if (!find_auxv_in_stack(t, stack, lo, n, &auxv) || auxv < lo + w || word_at(t, stack, lo, auxv - w) != 0)
		return;
	uint64_t first = auxv - w;
	for (int k = 0; first >= lo + w && word_at(t, stack, lo, first - w) && k < ENVIRON_VARIABLES_MAX; k++)
		first -= w;
	size_t used = 0, room = 2 * n;
	t->environ = malloc(room);
	for (uint64_t at = first; t->environ && at < auxv - w; at += w) {
		char *to = t->environ + used;
		size_t len = copy_variable(t, stack, lo, n, word_at(t, stack, lo, at), to, room - used);
		if (len && memchr(to, '=', len))
			used += len + 1;
	}
	t->environ_bytes = used;
}

const char *host_getenv(struct host_target *t, const char *name)
{
	size_t n = strlen(name);

	if (!t->environ_tried && t->core)
		host_environ_from_stack(t);
	t->environ_tried = true;
	if (n == 0 || strchr(name, '='))
		return NULL;
	for (size_t at = 0; at < t->environ_bytes; at += strlen(t->environ + at) + 1)
		if (strncmp(t->environ + at, name, n) == 0 && t->environ[at + n] == '=')
			return t->environ + at + n + 1;
	return NULL;
}
