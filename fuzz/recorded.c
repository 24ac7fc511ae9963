/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorded.h"

#include "changes.h"
#include "fuzz.h"
#include "target.h"

#include "../tests/support/packs.h"

#include <stdlib.h>
#include <string.h>

const struct rd_packs *recorded_packs(void)
{
	enum { PACKS_MAX = 64 };
	static struct acc_pack *list[PACKS_MAX];
	static struct rd_packs ret;

	for (const struct acc_pack_builtin *b = acc_pack_builtins; !ret.packs && b->text && ret.n < PACKS_MAX; b++) {
		struct acc_note note = { 0 };

		if (strncmp(b->file, "mpich-", 6) != 0 && strncmp(b->file, "ucx-", 4) != 0 &&
		    strcmp(b->file, "openmpi-4.1.4-4.1.8-x86_64.layout") != 0)
			continue;
		FUZZ_MUST(acc_pack_parse(&acc_pack_heap, b->text, b->n, &note, &list[ret.n]) == ACC_OK);
		ret.n++;
	}
	FUZZ_MUST(ret.n >= 2);
	ret.packs = (const struct acc_pack *const *)list;
	return &ret;
}

static int by_addr(const void *a, const void *b)
{
	const struct recorded_page *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

void recorded_take(struct recorded *ret, const uint8_t *data, size_t n)
{
	enum { ADDR = 8 };
	size_t at = 4, n_symbols = n < at ? 0 : fuzz_number(data, 4);

	memset(ret, 0, sizeof(*ret));
	for (size_t i = 0; i < n_symbols && at + ADDR < n; i++) {
		const uint8_t *end = memchr(data + at + ADDR, '\0', n - at - ADDR);

		if (!end || ret->n_symbols == RECORDED_SYMBOLS)
			break;
		ret->symbols[ret->n_symbols].addr = fuzz_number(data + at, ADDR);
		ret->symbols[ret->n_symbols++].name = (const char *)data + at + ADDR;
		at = (size_t)(end + 1 - data);
	}
	while (at < n && n - at >= 2 * ADDR && ret->n_pages < RECORDED_PAGES) {
		struct recorded_page *p = &ret->pages[ret->n_pages];
		size_t bytes = 0;

		p->addr = fuzz_number(data + at, ADDR) & ~(uint64_t)(RECORDED_PAGE - 1);
		p->bits = fuzz_number(data + at + ADDR, ADDR);
		p->lines = data + at + 2 * ADDR;
		for (unsigned i = 0; i < RECORDED_PAGE / RECORDED_LINE; i++)
			bytes += (p->bits >> i & 1) * RECORDED_LINE;
		at += 2 * ADDR;
		if (bytes > n - at)
			break;
		at += bytes;
		ret->n_pages++;
	}
	qsort(ret->pages, ret->n_pages, sizeof(ret->pages[0]), by_addr);
}

enum { WORDS_OF_LINE = RECORDED_LINE / FUZZ_WORD };

uint8_t *recorded_word(const struct recorded *r, uint64_t i, uint64_t *addr)
{
	uint64_t n = 0;

	for (unsigned p = 0; p < r->n_pages; p++)
		n += (uint64_t)__builtin_popcountll(r->pages[p].bits) * WORDS_OF_LINE;
	FUZZ_MUST(n);
	i %= n ? n : 1;
	for (unsigned p = 0; p < r->n_pages; p++) {
		uint64_t here = (uint64_t)__builtin_popcountll(r->pages[p].bits) * WORDS_OF_LINE;

		if (i >= here) {
			i -= here;
			continue;
		}
		uint64_t line = 0;
		for (uint64_t left = i / WORDS_OF_LINE; line < RECORDED_PAGE / RECORDED_LINE; line++)
			if ((r->pages[p].bits >> line & 1) && !left--)
				break;
		*addr = r->pages[p].addr + line * RECORDED_LINE + i % WORDS_OF_LINE * FUZZ_WORD;
		return (uint8_t *)(uintptr_t)r->pages[p].lines + i * FUZZ_WORD;
	}
	return NULL;
}

static const struct recorded_page *page_at(const struct recorded *r, uint64_t addr)
{
	const struct recorded_page key = { .addr = addr & ~(uint64_t)(RECORDED_PAGE - 1) };

	return bsearch(&key, r->pages, r->n_pages, sizeof(key), by_addr);
}

uint8_t *recorded_at(const struct recorded *r, uint64_t addr)
{
	const struct recorded_page *p = page_at(r, addr);
	unsigned line = (unsigned)(addr % RECORDED_PAGE / RECORDED_LINE);

	if (!p || !(p->bits >> line & 1))
		return NULL;
	unsigned before = (unsigned)__builtin_popcountll(p->bits & ((UINT64_C(1) << line) - 1));
	return (uint8_t *)(uintptr_t)p->lines + before * RECORDED_LINE + addr % RECORDED_LINE;
}

static bool read_page(const struct recorded *r, uint64_t addr, size_t first, size_t n, uint8_t *ret)
{
	const struct recorded_page *p = page_at(r, addr);
	uint8_t page[RECORDED_PAGE] = { 0 };

	if (!p)
		return false;
	const uint8_t *line = p->lines;
	for (unsigned i = 0; i < RECORDED_PAGE / RECORDED_LINE; i++) {
		if (!(p->bits >> i & 1))
			continue;
		memcpy(page + (size_t)i * RECORDED_LINE, line, RECORDED_LINE);
		line += RECORDED_LINE;
	}
	memcpy(ret, page + first, n);
	return true;
}

static bool op_read(void *ctx, uint64_t addr, size_t n, void *ret)
{
	struct recorded *r = ctx;

	r->n_reads++;
	FUZZ_MUST(n > 0);
	for (size_t done = 0, part; done < n; done += part) {
		uint64_t at = addr + done;
		size_t first = at & (RECORDED_PAGE - 1);

		part = RECORDED_PAGE - first < n - done ? RECORDED_PAGE - first : n - done;
		if (!read_page(r, at - first, first, part, (uint8_t *)ret + done))
			return false;
	}
	return true;
}

static bool op_symbol(void *ctx, const char *name, uint64_t *ret)
{
	const struct recorded *r = ctx;

	for (unsigned i = 0; i < r->n_symbols; i++)
		if (!strcmp(r->symbols[i].name, name)) {
			*ret = r->symbols[i].addr;
			return true;
		}
	return false;
}

static void *op_alloc(void *ctx, size_t n)
{
	struct recorded *r = ctx;
	void *p = malloc(n);

	r->n_live += p != NULL;
	return p;
}

static void op_release(void *ctx, void *p)
{
	struct recorded *r = ctx;

	FUZZ_MUST(p && r->n_live);
	r->n_live--;
	free(p);
}

const struct acc_target_ops recorded_ops = {
	.read = op_read,
	.symbol = op_symbol,
	.type = fuzz_no_type,
	.type_bytes = fuzz_no_type_bytes,
	.field_offset = fuzz_no_field_offset,
	.alloc = op_alloc,
	.release = op_release,
};
