/* SPDX-License-Identifier: BSD-3-Clause */
#include "refs.h"

#include "../../access/limits.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

/*
 * A span ends with the page of its last reference, because a page is readable as a whole. A reference at most GAP bytes
 * behind the end is included in the span: reading the bytes in between costs about as much as a separate read.
 */
enum { PAGE = 4096, GAP = PAGE, SPAN_MIN = 4 * PAGE, SPAN_MAX = 1 << 20 };

enum acc_rc rd_refs_init(struct rd_refs *r, struct acc_space *sp, size_t most)
{
	size_t span = most < SPAN_MAX / PAGE ? most * PAGE : SPAN_MAX;

	*r = (struct rd_refs){ .sp = sp, .cap = most, .span_bytes = span < SPAN_MIN ? SPAN_MIN : span };
	r->refs = acc_array(sp, most, sizeof(*r->refs));
	r->span = acc_array(sp, r->span_bytes, 1);
	return r->refs && r->span ? ACC_OK : ACC_ENOMEM;
}

void rd_refs_deinit(struct rd_refs *r)
{
	if (r->sp) {
		acc_array_free(r->sp, r->refs);
		acc_array_free(r->sp, r->spare);
		acc_array_free(r->sp, r->span);
	}
	*r = (struct rd_refs){ 0 };
}

void rd_refs_clear(struct rd_refs *r)
{
	r->n = 0;
}

void rd_refs_add(struct rd_refs *r, uint64_t addr, uint32_t slot)
{
	if (r->n < r->cap)
		r->refs[r->n++] = (struct rd_ref){ .addr = addr, .slot = slot };
}

bool rd_refs_spent(const struct rd_refs *r)
{
	return r->n_failed >= ACC_FAILED_READS_MAX;
}

void rd_refs_failed(struct rd_refs *r)
{
	r->n_failed++;
}

/* ---- sorting ---------------------------------------------------------------------------------------- */

/* Tables are often written front to back, and so are their strings: already sorted? */
static bool is_sorted(const struct rd_refs *r)
{
	for (size_t i = 1; i < r->n; i++)
		if (r->refs[i].addr < r->refs[i - 1].addr)
			return false;
	return true;
}

/* Radix sort by one byte of the address, from refs to spare; then swap them. */
static void sort_by_byte(struct rd_refs *r, unsigned shift)
{
	size_t starts[256] = { 0 }, at = 0;

	for (size_t i = 0; i < r->n; i++)
		starts[r->refs[i].addr >> shift & 0xff]++;
	/* all equal, as the upper bytes of most tables are */
	if (starts[r->refs[0].addr >> shift & 0xff] == r->n)
		return;
	for (unsigned i = 0; i < 256; i++) {
		size_t n = starts[i];

		starts[i] = at;
		at += n;
	}
	for (size_t i = 0; i < r->n; i++)
		r->spare[starts[r->refs[i].addr >> shift & 0xff]++] = r->refs[i];

	struct rd_ref *sorted = r->spare;
	r->spare = r->refs;
	r->refs = sorted;
}

static enum acc_rc sort_refs(struct rd_refs *r)
{
	if (is_sorted(r))
		return ACC_OK;
	if (!r->spare)
		r->spare = acc_array(r->sp, r->cap, sizeof(*r->spare));
	if (!r->spare)
		return ACC_ENOMEM;
	for (unsigned shift = 0; shift < 64; shift += 8)
		sort_by_byte(r, shift);
	return ACC_OK;
}

/* ---- spans ------------------------------------------------------------------------------------------ */

/* The end of the page; for the last page of the address space one byte less, because its end is not an address. */
static uint64_t page_end(uint64_t addr)
{
	uint64_t last = addr | (PAGE - 1);

	return last == UINT64_MAX ? last : last + 1;
}

/* Number of references, starting at i, that fit into one span; at most @p most. @return the end of the span in *end. */
static size_t span_of(const struct rd_refs *r, size_t i, size_t most, uint64_t *end)
{
	uint64_t first = r->refs[i].addr;
	size_t n = 1;

	*end = page_end(first);
	while (n < most && i + n < r->n) {
		uint64_t addr = r->refs[i + n].addr;

		if ((addr >= *end && addr - *end > GAP) || page_end(addr) - first > r->span_bytes)
			break;
		*end = page_end(addr);
		n++;
	}
	return n;
}

enum acc_rc rd_refs_visit(struct rd_refs *r, rd_refs_fn *fn, void *ctx)
{
	enum acc_rc rc = sort_refs(r);
	size_t most = r->n;

	for (size_t i = 0; i < r->n && !rc;) {
		uint64_t first = r->refs[i].addr, end;
		size_t n = span_of(r, i, most, &end);
		bool read = acc_read(r->sp, first, (size_t)(end - first), r->span) == ACC_OK;

		if (!read) {
			r->n_failed++;
			/* isolate the unreadable reference by halving the range */
			if (n > 1 && !rd_refs_spent(r)) {
				most = n / 2;
				continue;
			}
		}
		for (size_t k = i; k < i + n && !rc; k++) {
			uint64_t off = r->refs[k].addr - first;

			rc = fn(ctx, &r->refs[k], read ? r->span + off : NULL, read ? (size_t)(end - first - off) : 0);
		}
		i += n;
		most = most < r->n / 2 ? most * 2 : r->n;
	}
	return rc;
}
