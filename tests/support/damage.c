/* SPDX-License-Identifier: BSD-3-Clause */
#include "damage.h"

#include "../../fuzz/recorded.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static struct recorded r;

uint8_t *damage_load(const char *path, size_t *n)
{
	FILE *f = fopen(path, "rb");
	struct stat st;

	ck_assert_msg(f != NULL, "%s", path);
	ck_assert_int_eq(fstat(fileno(f), &st), 0);
	*n = (size_t)st.st_size;
	uint8_t *data = malloc(*n);
	ck_assert_ptr_nonnull(data);
	ck_assert_uint_eq(fread(data, 1, *n, f), *n);
	fclose(f);
	return data;
}

size_t damage_words(uint8_t *data, size_t n, size_t stride, enum damage_start start)
{
	static const uint64_t bad[] = { 0, UINT64_MAX, 1, 0x7fffffff, 0x100000000, 0x10000 };
	enum { SPREAD = 31 };
	size_t turn = 0;

	recorded_take(&r, data, n);
	ck_assert_uint_gt(r.n_pages, 20);
	for (unsigned p = 0; p < r.n_pages; p++) {
		size_t bytes = 0;

		for (unsigned i = 0; i < RECORDED_PAGE / RECORDED_LINE; i++)
			bytes += (r.pages[p].bits >> i & 1) * RECORDED_LINE;
		size_t first = (start == DAMAGE_SPREAD ? (turn + p) * SPREAD : turn) % stride;
		for (size_t at = first * 8; at + 8 <= bytes; at += stride * 8, turn++) {
			uint8_t *word = data + (r.pages[p].lines - data) + at;
			uint64_t before, now;

			memcpy(&before, word, 8);
			now = turn % 8 < 6 ? bad[turn % 8] : turn % 8 == 6 ? before + 1 : r.pages[p].addr + at;
			memcpy(word, &now, 8);
			fuzz_walk_recorded(data, n);
			memcpy(word, &before, 8);
		}
	}
	return turn;
}

void damage_pages(uint8_t *data, size_t n, unsigned stride)
{
	recorded_take(&r, data, n);
	for (unsigned p = 0; p < r.n_pages; p += stride) {
		uint8_t *addr = data + (r.pages[p].lines - data) - 16;
		uint8_t before[8];

		memcpy(before, addr, sizeof before);
		memset(addr, 0x11, sizeof before);
		fuzz_walk_recorded(data, n);
		memcpy(addr, before, sizeof before);
	}
}
