/* SPDX-License-Identifier: BSD-3-Clause */
/* access/space.c and access/cache.c: bytes, values, symbols, memory and the cost of reads. */
#include "../../access/space.h"
#include "../../access/cache.h"
#include "../../access/limits.h"
#include "../support/demo.h"
#include "../support/suite.h"

#include <check.h>
#include <string.h>

static uint64_t top_of(const struct fake *f)
{
	return f->word_bytes == 4 ? UINT32_MAX : UINT64_MAX;
}

/* A byte that depends on its address, so that a copy from a wrong place is seen. */
static unsigned char byte_at(uint64_t addr)
{
	return (addr * 167 + (addr >> 8) * 13 + (addr >> 16) * 7 + 1) & 0xff;
}

static void map_pattern(struct fake *f, uint64_t addr, uint64_t bytes)
{
	fake_map(f, addr, bytes);
	for (uint64_t at = 0; at < bytes;) {
		unsigned char block[4096];
		size_t n = bytes - at < sizeof(block) ? bytes - at : sizeof(block);

		for (size_t i = 0; i < n; i++)
			block[i] = byte_at(addr + at + i);
		fake_write(f, addr + at, block, n);
		at += n;
	}
}

static void check_pattern(const unsigned char *bytes, uint64_t addr, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (bytes[i] != byte_at(addr + i)) /* ck_assert in every turn would take minutes */
			ck_abort_msg("byte 0x%lx", (unsigned long)(addr + i));
	}
}

static struct fake *make(int i, struct acc_space *sp)
{
	struct fake *f = demo_fake(i);

	ck_assert_int_eq(fake_space(f, sp), ACC_OK);
	return f;
}

/* ---- making one ------------------------------------------------------------------------------------ */

START_TEST(test_sizes)
{
	const struct acc_sizes lp64 = { 2, 4, 8, 8, 8, 1, 8 }, ilp32 = { 2, 4, 4, 8, 4, 1, 4 };
	struct fake *f = demo_fake(0);
	struct acc_space sp;

	ck_assert_int_eq(acc_space_init(&sp, &fake_ops, f, &lp64, false), ACC_OK);
	ck_assert_int_eq(acc_space_init(&sp, &fake_ops, f, &ilp32, true), ACC_OK);
	ck_assert(sp.big_endian);
	ck_assert_int_eq(acc_space_init(&sp, NULL, f, &lp64, false), ACC_EINVAL);
	ck_assert_int_eq(acc_space_init(&sp, &fake_ops, f, NULL, false), ACC_EINVAL);

	/* padb leaves the last two unset. */
	for (int bytes = 0; bytes < 256; bytes++) {
		struct acc_sizes s = lp64;

		s.bool_bytes = bytes;
		s.size_bytes = bytes;
		ck_assert_int_eq(acc_space_init(&sp, &fake_ops, f, &s, false), ACC_OK);
		ck_assert_uint_eq(sp.sizes.bool_bytes, bytes == 2 || bytes == 4 ? bytes : 1);
		ck_assert_uint_eq(sp.sizes.size_bytes, bytes == 4 ? 4 : 8);
	}
	for (int bytes = 0; bytes < 256; bytes++) {
		struct acc_sizes s = lp64;

		s.pointer_bytes = bytes;
		ck_assert_int_eq(acc_space_init(&sp, &fake_ops, f, &s, false),
				 bytes == 4 || bytes == 8 ? ACC_OK : ACC_EINVAL);
		s = lp64;
		s.int_bytes = bytes;
		ck_assert_int_eq(acc_space_init(&sp, &fake_ops, f, &s, false),
				 bytes == 2 || bytes == 4 || bytes == 8 ? ACC_OK : ACC_EINVAL);
		s = lp64;
		s.long_bytes = bytes;
		ck_assert_int_eq(acc_space_init(&sp, &fake_ops, f, &s, false),
				 bytes == 4 || bytes == 8 ? ACC_OK : ACC_EINVAL);
	}
	fake_destroy(f);
}
END_TEST

START_TEST(test_deinit_takes_anything)
{
	struct acc_space sp = { .ops = NULL };
	struct fake *f;
	char byte;

	acc_space_deinit(NULL);
	acc_space_deinit(&sp);
	f = make(0, &sp);
	acc_space_end(&sp); /* one too many */
	acc_space_begin(&sp);
	map_pattern(f, 0x10000, 4096);
	ck_assert_int_eq(acc_read(&sp, 0x10000, 1, &byte), ACC_OK);
	ck_assert_uint_gt(f->n_live, 0);
	acc_space_deinit(&sp); /* inside of a bracket */
	acc_space_deinit(&sp);
	fake_destroy(f);
}
END_TEST

/* ---- values ---------------------------------------------------------------------------------------- */

START_TEST(test_decode)
{
	static const unsigned char up[8] = { 0x81, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x88 };
	struct acc_space sp;
	struct fake *f = make(_i, &sp);

	for (unsigned width = 1; width <= 8; width++) {
		uint64_t expected = 0;

		for (unsigned k = 0; k < width; k++)
			expected |= (uint64_t)up[k] << 8 * (f->big_endian ? width - 1 - k : k);
		ck_assert_uint_eq(acc_decode_u(&sp, up, width), expected);

		int64_t with_sign = width == 8 ? (int64_t)expected
					       : (int64_t)(expected << (64 - 8 * width)) >> (64 - 8 * width);
		ck_assert_int_eq(acc_decode_i(&sp, up, width), with_sign);
		ck_assert_int_eq(acc_decode_i(&sp, "\xff\xff\xff\xff\xff\xff\xff\xff", width), -1);
		ck_assert_uint_eq(acc_decode_u(&sp, "\xff\xff\xff\xff\xff\xff\xff\xff", width),
				  UINT64_MAX >> (64 - 8 * width));
	}
	ck_assert_uint_eq(acc_decode_u(&sp, up, 0), 0);
	ck_assert_uint_eq(acc_decode_u(&sp, up, 9), 0);
	ck_assert_int_eq(acc_decode_i(&sp, up, 0), 0);
	fake_destroy(f);
}
END_TEST

START_TEST(test_integers)
{
	struct acc_space sp;
	struct fake *f = make(_i, &sp);
	uint64_t at = fake_alloc(f, 64, 8), value = 77;

	for (unsigned width = 1; width <= 8; width++) {
		uint64_t expected = UINT64_C(0x8182838485868788) >> (64 - 8 * width);

		fake_write_u(f, at + 1, width, expected);
		ck_assert_int_eq(acc_read_u(&sp, at + 1, width, &value), ACC_OK);
		ck_assert_uint_eq(value, expected);
	}
	fake_write_ptr(f, at, 0x80000000);
	ck_assert_int_eq(acc_read_ptr(&sp, at, &value), ACC_OK);
	ck_assert_uint_eq(value, 0x80000000);

	value = 77;
	ck_assert_int_eq(acc_read_u(&sp, at, 0, &value), ACC_EINVAL);
	ck_assert_int_eq(acc_read_u(&sp, at, 9, &value), ACC_EINVAL);
	ck_assert_int_eq(acc_read_u(&sp, 4, 4, &value), ACC_EREAD);
	ck_assert_int_eq(acc_read_ptr(&sp, 0, &value), ACC_EREAD);
	ck_assert_uint_eq(value, 77);
	fake_destroy(f);
}
END_TEST

START_TEST(test_plausible)
{
	struct acc_space sp;
	struct fake *f = make(_i, &sp);

	ck_assert(!acc_plausible(&sp, 0, 1));
	ck_assert(acc_plausible(&sp, 1, 1));
	ck_assert(!acc_plausible(&sp, 1, 2));
	ck_assert(!acc_plausible(&sp, 12, 8));
	ck_assert(acc_plausible(&sp, 16, 8));
	ck_assert(acc_plausible(&sp, top_of(f), 1));
	ck_assert(acc_plausible(&sp, UINT32_MAX - 3, 4));
	ck_assert_int_eq(acc_plausible(&sp, UINT64_C(1) << 32, 4), f->word_bytes == 8);
	fake_destroy(f);
}
END_TEST

/* ---- bytes ----------------------------------------------------------------------------------------- */

/* _i: target, bit 2 set: within a bracket. */
START_TEST(test_read_every_length_and_place)
{
	struct acc_space sp;
	struct fake *f = make(_i & 3, &sp);
	const uint64_t base = 0x40000, end = base + 3 * ACC_LINE_BYTES;
	unsigned char got[2 * ACC_LINE_BYTES + 100];

	map_pattern(f, base, end - base);
	if (_i & 4)
		acc_space_begin(&sp);
	for (uint64_t at = base; at < end; at += 1237) {
		for (size_t n = 1; n < sizeof(got); n = n * 3 + 5) {
			if (n > end - at)
				break;
			memset(got, 0, n);
			ck_assert_int_eq(acc_read(&sp, at, n, got), ACC_OK);
			check_pattern(got, at, n);
		}
	}
	/* Ranges that end exactly at the end, and one byte beyond it. */
	for (size_t n = 1; n < 3 * 4096; n += 997) {
		ck_assert_int_eq(acc_read(&sp, end - n, n, got), ACC_OK);
		check_pattern(got, end - n, n);
		ck_assert_int_eq(acc_read(&sp, end - n, n + 1, got), ACC_EREAD);
		ck_assert_int_eq(acc_read(&sp, base - 1, n, got), ACC_EREAD);
	}
	ck_assert_int_eq(acc_read(&sp, 0, 0, NULL), ACC_OK);
	ck_assert_int_eq(sp.note.rc, ACC_OK);
	if (_i & 4)
		acc_space_end(&sp);
	ck_assert_uint_eq(f->n_live, 0);
	fake_destroy(f);
}
END_TEST

START_TEST(test_ranges_that_wrap)
{
	struct acc_space sp;
	struct fake *f = make(_i & 3, &sp);
	uint64_t top = top_of(f);
	unsigned char got[64];

	map_pattern(f, top - 8191, 8192);
	map_pattern(f, 0, 4096);
	if (_i & 4)
		acc_space_begin(&sp);
	ck_assert_int_eq(acc_read(&sp, top, 1, got), ACC_OK);
	ck_assert_int_eq(acc_read(&sp, top - 63, 64, got), ACC_OK);
	check_pattern(got, top - 63, 64);
	ck_assert_int_eq(acc_read(&sp, top - 62, 64, got), ACC_EREAD);
	ck_assert_int_eq(acc_read(&sp, top, 2, got), ACC_EREAD);
	ck_assert_int_eq(acc_read(&sp, 5000, SIZE_MAX, got), ACC_EREAD);
	ck_assert_int_eq(acc_read(&sp, top - 63, (size_t)1 << 31, got), ACC_EREAD);
	if (f->word_bytes == 4) {
		/* No address of this process: the debugger is not even asked. */
		uint64_t n_reads = f->n_reads;

		ck_assert_int_eq(acc_read(&sp, UINT64_C(1) << 32, 4, got), ACC_EREAD);
		ck_assert_int_eq(acc_read(&sp, UINT64_MAX, 1, got), ACC_EREAD);
		ck_assert_uint_eq(f->n_reads, n_reads);
	}
	ck_assert_uint_le(f->largest_read, ACC_READ_BYTES_MAX);
	acc_space_deinit(&sp);
	fake_destroy(f);
}
END_TEST

/* A read of 2^31 bytes is asked for in pieces that fit the debuggers' int. */
static uint64_t saved_bytes, asked_most;

static bool count_read(void *ctx, uint64_t addr, size_t n, void *ret)
{
	(void)ctx, (void)addr, (void)ret;
	saved_bytes += n;
	if (n > asked_most)
		asked_most = n;
	return true;
}

START_TEST(test_huge_read)
{
	struct acc_target_ops ops = fake_ops;
	struct fake *f = demo_fake(0);
	struct acc_sizes sizes = fake_sizes(f);
	struct acc_space sp;
	char nothing[1];

	ops.read = count_read;
	ck_assert_int_eq(acc_space_init(&sp, &ops, f, &sizes, false), ACC_OK);
	ck_assert_int_eq(acc_read(&sp, 4096, ((size_t)1 << 31) + 1, nothing), ACC_OK);
	ck_assert_uint_eq(saved_bytes, (UINT64_C(1) << 31) + 1);
	ck_assert_uint_le(asked_most, ACC_READ_BYTES_MAX);
	ck_assert_uint_eq(sp.stats.read_bytes, saved_bytes);
	fake_destroy(f);
}
END_TEST

START_TEST(test_strings)
{
	struct acc_space sp;
	struct fake *f = make(_i & 3, &sp);
	char text[300], got[300];

	if (_i & 4)
		acc_space_begin(&sp);
	for (size_t n = 0; n < 200; n++) {
		memset(text, 'a' + n % 26, n);
		text[n] = '\0';

		/* The string ends where its mapping ends. */
		uint64_t at = fake_alloc_last(f, n + 1);
		fake_write(f, at, text, n + 1);
		ck_assert_int_eq(acc_read_string(&sp, at, got, sizeof(got)), ACC_OK);
		ck_assert_str_eq(got, text);
		ck_assert_int_eq(acc_read_string(&sp, at, got, 10), ACC_OK);
		ck_assert_uint_eq(strlen(got), n < 9 ? n : 9);
		ck_assert_int_eq(acc_read_string(&sp, at, got, 1), ACC_OK);
		ck_assert_str_eq(got, "");

		/* Without its NUL it runs into what cannot be read. */
		if (n) {
			fake_write(f, at + n, "x", 1);
			strcpy(got, "before");
			ck_assert_int_eq(acc_read_string(&sp, at + 1, got, sizeof(got)), _i & 4 ? ACC_OK : ACC_EREAD);
			if (!(_i & 4))
				ck_assert_str_eq(got, "");
		}
	}
	strcpy(got, "before");
	ck_assert_int_eq(acc_read_string(&sp, 0, got, sizeof(got)), ACC_NONE);
	ck_assert_str_eq(got, "");
	ck_assert_int_eq(acc_read_string(&sp, 8, got, sizeof(got)), ACC_EREAD);
	ck_assert_int_eq(acc_read_string(&sp, 8, got, 0), ACC_EINVAL);
	ck_assert_int_eq(acc_read_string(&sp, top_of(f), got, sizeof(got)), ACC_EREAD);
	acc_space_deinit(&sp);
	fake_destroy(f);
}
END_TEST

START_TEST(test_symbols)
{
	struct acc_space sp;
	struct fake *f = make(_i, &sp);
	uint64_t addr = 5;

	fake_symbol(f, "here", 0x80001000);
	ck_assert_int_eq(acc_symbol(&sp, "nowhere", &addr), ACC_ESYMBOL);
	ck_assert_uint_eq(addr, 5);
	ck_assert_int_eq(acc_symbol(&sp, "here", &addr), ACC_OK);
	ck_assert_uint_eq(addr, 0x80001000);
	fake_symbol_remove(f, "here");
	ck_assert_int_eq(acc_symbol(&sp, "here", &addr), ACC_ESYMBOL);
	ck_assert_int_eq(sp.note.rc, ACC_OK);
	fake_destroy(f);
}
END_TEST

START_TEST(test_arrays)
{
	struct acc_space sp;
	struct fake *f = make(0, &sp);
	void *p;

	ck_assert_ptr_null(acc_array(&sp, UINT64_MAX, 2));
	ck_assert_ptr_null(acc_array(&sp, UINT64_C(1) << 32, (size_t)1 << 32));
	ck_assert_ptr_null(acc_array(&sp, UINT64_C(1) << 31, 4));
	ck_assert_ptr_null(acc_array(&sp, ACC_ARENA_BYTES + 1, 1));
	ck_assert_uint_eq(f->allocs.n_calls, 0);
	p = acc_array(&sp, 10, 10);
	ck_assert_ptr_nonnull(p);
	ck_assert_uint_eq(f->live_bytes, 100);
	acc_array_free(&sp, p);
	p = acc_array(&sp, 0, 10);
	ck_assert_ptr_nonnull(p);
	acc_array_free(&sp, p);
	acc_array_free(&sp, NULL);
	fake_fuse(&f->allocs, 0, false);
	ck_assert_ptr_null(acc_array(&sp, 1, 1));
	fake_destroy(f);
}
END_TEST

/* ---- brackets -------------------------------------------------------------------------------------- */

START_TEST(test_outside_of_a_bracket_nothing_is_kept)
{
	struct acc_space sp;
	struct fake *f = make(0, &sp);
	uint64_t at = fake_alloc(f, 8, 8), value;

	for (int k = 1; k < 5; k++) {
		fake_write_u(f, at, 8, k);
		ck_assert_int_eq(acc_read_u(&sp, at, 8, &value), ACC_OK);
		ck_assert_uint_eq(value, k);
		ck_assert_uint_eq(f->n_reads, k);
		ck_assert_uint_eq(f->read_bytes, 8 * k);
	}
	ck_assert_uint_eq(f->allocs.n_calls, 0);
	fake_destroy(f);
}
END_TEST

START_TEST(test_a_bracket_keeps_until_its_end)
{
	struct acc_space sp;
	struct fake *f = make(0, &sp);
	uint64_t at = fake_alloc(f, 8, 8), value;

	fake_write_u(f, at, 8, 1);
	acc_space_begin(&sp);
	ck_assert_uint_eq(f->allocs.n_calls, 0); /* nothing is allocated before something is read */
	ck_assert_int_eq(acc_read_u(&sp, at, 8, &value), ACC_OK);
	fake_write_u(f, at, 8, 2);
	acc_space_begin(&sp); /* nested: the same pages */
	ck_assert_int_eq(acc_read_u(&sp, at, 8, &value), ACC_OK);
	ck_assert_uint_eq(value, 1);
	acc_space_end(&sp);
	ck_assert_int_eq(acc_read_u(&sp, at, 8, &value), ACC_OK);
	ck_assert_uint_eq(value, 1);
	ck_assert_uint_eq(f->n_reads, 1);
	acc_space_forget(&sp);
	ck_assert_int_eq(acc_read_u(&sp, at, 8, &value), ACC_OK);
	ck_assert_uint_eq(value, 2);
	fake_write_u(f, at, 8, 3);
	acc_space_end(&sp);
	ck_assert_ptr_null(sp.cache);
	ck_assert_uint_eq(f->n_live, 0);
	acc_space_begin(&sp);
	ck_assert_int_eq(acc_read_u(&sp, at, 8, &value), ACC_OK);
	ck_assert_uint_eq(value, 3);
	acc_space_end(&sp);
	acc_space_forget(&sp);
	fake_destroy(f);
}
END_TEST

START_TEST(test_stats)
{
	struct acc_space sp;
	struct fake *f = make(0, &sp);
	uint64_t at = fake_alloc(f, 20000, 4096), value;
	char bytes[20000];

	acc_space_begin(&sp);
	for (int k = 0; k < 1000; k++) {
		ck_assert_int_eq(acc_read(&sp, at + k * 10, 10, bytes), ACC_OK);
		acc_read_u(&sp, 4, 4, &value);
	}
	ck_assert_int_eq(acc_read(&sp, at, 20000, bytes), ACC_OK);
	acc_space_end(&sp);
	ck_assert_uint_eq(sp.stats.n_reads, f->n_reads);
	ck_assert_uint_eq(sp.stats.read_bytes, f->read_bytes);
	ck_assert_uint_eq(sp.stats.n_failed, f->n_failed);
	ck_assert_uint_gt(sp.stats.n_failed, 0);
	fake_destroy(f);
}
END_TEST

/* ---- what it costs --------------------------------------------------------------------------------- */

enum { N_OBJECTS = 20000, OBJECT_BYTES = 650, STRIDE = 768, CHUNK = 64 };

/*
 * The k-th object that is read: up, down, or as a free list gives them: chunks upwards, downwards within each.
 */
static uint64_t object_addr(uint64_t base, int how, uint64_t k)
{
	if (how == 1)
		k = N_OBJECTS - 1 - k;
	else if (how == 2)
		k = k / CHUNK * CHUNK + CHUNK - 1 - k % CHUNK;
	return base + k * STRIDE;
}

START_TEST(test_neighbours_cost_little)
{
	struct acc_space sp;
	struct fake *f = make(0, &sp);
	const uint64_t base = 0x700000;
	unsigned char object[OBJECT_BYTES];

	map_pattern(f, base, (N_OBJECTS + CHUNK) * STRIDE);
	acc_space_begin(&sp);
	for (uint64_t k = 0; k < N_OBJECTS; k++) {
		uint64_t addr = object_addr(base, _i, k);

		ck_assert_int_eq(acc_read(&sp, addr, OBJECT_BYTES, object), ACC_OK);
		ck_assert_uint_eq(object[0], byte_at(addr));
		ck_assert_uint_eq(object[OBJECT_BYTES - 1], byte_at(addr + OBJECT_BYTES - 1));
	}
	ck_assert_msg(sp.stats.read_bytes * 10 <= (uint64_t)N_OBJECTS * OBJECT_BYTES * 12, "%lu bytes for %d",
		      (unsigned long)sp.stats.read_bytes, N_OBJECTS * OBJECT_BYTES);
	ck_assert_uint_le(sp.stats.n_reads, sp.stats.read_bytes / 8192);
	ck_assert_uint_le(f->peak_bytes, ACC_CACHE_BYTES);
	acc_space_end(&sp);
	fake_destroy(f);
}
END_TEST

/* In no order, in far more memory than is kept: then in order again. */
START_TEST(test_no_order_costs_little)
{
	enum { N = 4 * N_OBJECTS };
	struct acc_space sp;
	struct fake *f = make(0, &sp);
	const uint64_t base = 0x700000;
	unsigned char object[OBJECT_BYTES];

	map_pattern(f, base, (uint64_t)N * STRIDE + ACC_LINE_BYTES);
	acc_space_begin(&sp);
	for (uint64_t k = 0; k < N; k++) {
		uint64_t addr = base + k * 7919 % N * STRIDE;

		if (acc_read(&sp, addr + 16, 8, object) || acc_read(&sp, addr, OBJECT_BYTES, object))
			ck_abort_msg("object %lu", (unsigned long)k);
		check_pattern(object, addr, OBJECT_BYTES);
	}
	ck_assert_msg(sp.stats.read_bytes * 10 <= (uint64_t)N * OBJECT_BYTES * 15, "%lu bytes for %d",
		      (unsigned long)sp.stats.read_bytes, N * OBJECT_BYTES);
	ck_assert_uint_le(sp.stats.n_reads, 3 * N);

	uint64_t n_reads = sp.stats.n_reads, read_bytes = sp.stats.read_bytes;
	for (uint64_t k = 0; k < N_OBJECTS; k++) {
		if (acc_read(&sp, base + k * STRIDE, OBJECT_BYTES, object))
			ck_abort_msg("object %lu", (unsigned long)k);
		check_pattern(object, base + k * STRIDE, OBJECT_BYTES);
	}
	ck_assert_uint_le((sp.stats.read_bytes - read_bytes) * 10, (uint64_t)N_OBJECTS * OBJECT_BYTES * 12);
	ck_assert_uint_le(sp.stats.n_reads - n_reads, (uint64_t)N_OBJECTS * STRIDE / 8192);
	acc_space_end(&sp);
	fake_destroy(f);
}
END_TEST

START_TEST(test_a_lone_read_costs_a_page)
{
	struct acc_space sp;
	struct fake *f = make(0, &sp);
	uint64_t value;

	acc_space_begin(&sp);
	for (uint64_t k = 0; k < 50; k++) {
		uint64_t at = 0x10000000 + k * 0x100000;

		fake_map(f, at - 0x10000, 0x20000);
		ck_assert_int_eq(acc_read_ptr(&sp, at + 8, &value), ACC_OK);
	}
	ck_assert_uint_eq(sp.stats.n_reads, 50);
	ck_assert_uint_eq(sp.stats.read_bytes, 50 * ACC_PAGE_BYTES);
	acc_space_end(&sp);
	fake_destroy(f);
}
END_TEST

/* A page that cannot be read as a whole is requested once; then exactly the needed bytes are read. */
START_TEST(test_a_page_that_fails_is_remembered)
{
	struct acc_space sp;
	struct fake *f = make(_i, &sp);
	const uint64_t base = 0x40000;
	unsigned char bytes[16];

	map_pattern(f, base, 100); /* less than a page */
	acc_space_begin(&sp);
	for (int k = 0; k < 10; k++) {
		ck_assert_int_eq(acc_read(&sp, base + 84, 16, bytes), ACC_OK);
		check_pattern(bytes, base + 84, 16);
		ck_assert_int_eq(acc_read(&sp, base + 85, 16, bytes), ACC_EREAD);
	}
	ck_assert_uint_eq(sp.stats.n_reads, 21);
	ck_assert_uint_eq(sp.stats.n_failed, 11);
	ck_assert_uint_eq(sp.stats.read_bytes, ACC_PAGE_BYTES + 20 * 16);
	acc_space_end(&sp);
	fake_destroy(f);
}
END_TEST

/* Far more lines than the cache can contain, twice: correct bytes, bounded memory. */
START_TEST(test_eviction)
{
	struct acc_space sp;
	struct fake *f = make(0, &sp);
	const uint64_t base = 0x1000000, bytes = 3 * ACC_CACHE_BYTES;
	unsigned char got[8];

	map_pattern(f, base, bytes);
	acc_space_begin(&sp);
	for (int round = 0; round < 2; round++) {
		for (uint64_t at = 0; at < bytes; at += 4096 - 8) {
			uint64_t addr = base + (at * 7919) % (bytes - 8);

			ck_assert_int_eq(acc_read(&sp, addr, 8, got), ACC_OK);
			check_pattern(got, addr, 8);
		}
	}
	ck_assert_uint_le(f->peak_bytes, ACC_CACHE_BYTES);
	acc_space_end(&sp);
	ck_assert_uint_eq(f->n_live, 0);
	fake_destroy(f);
}
END_TEST

/* What is used again and again stays while much else passes by. */
START_TEST(test_the_least_recently_used_goes)
{
	struct acc_space sp;
	struct fake *f = make(0, &sp);
	const uint64_t base = 0x1000000, bytes = 2 * ACC_CACHE_BYTES;
	uint64_t hot_reads = 0, value;

	map_pattern(f, base, bytes);
	acc_space_begin(&sp);
	for (uint64_t at = ACC_LINE_BYTES; at < bytes; at += ACC_LINE_BYTES) {
		uint64_t before = sp.stats.n_reads;

		if (acc_read_ptr(&sp, base, &value))
			ck_abort_msg("the hot page");
		hot_reads += sp.stats.n_reads - before;
		if (acc_read_ptr(&sp, base + at, &value))
			ck_abort_msg("line 0x%lx", (unsigned long)at);
	}
	ck_assert_uint_eq(hot_reads, 1);
	acc_space_end(&sp);
	fake_destroy(f);
}
END_TEST

/* ---- failures -------------------------------------------------------------------------------------- */

/* Reads over three lines, with a hole: the answer never depends on which read of ours failed before it. */
static enum acc_rc read_around(struct acc_space *sp, uint64_t base)
{
	unsigned char bytes[6000];
	enum acc_rc first = ACC_OK;

	acc_space_begin(sp);
	for (uint64_t at = 0; at + sizeof(bytes) < 2 * ACC_LINE_BYTES; at += 1500) {
		enum acc_rc rc = acc_read(sp, base + at, sizeof(bytes), bytes);

		if (!rc)
			check_pattern(bytes, base + at, sizeof(bytes));
		else if (!first)
			first = rc;
	}
	acc_space_end(sp);
	return first;
}

START_TEST(test_every_read_fails_once)
{
	struct acc_space sp;
	struct fake *f = make(_i & 3, &sp);
	const uint64_t base = 0x40000 + 100;
	int64_t fuse = 0;

	map_pattern(f, 0x40000, 3 * ACC_LINE_BYTES);
	for (;; fuse++) {
		fake_fuse(&f->reads, fuse, _i & 4);

		enum acc_rc rc = read_around(&sp, base);
		ck_assert_uint_eq(f->n_live, 0);
		if (!f->reads.n_failed) {
			ck_assert_int_eq(rc, ACC_OK);
			break;
		}
		/* A single failure is made up for by an exact read; a lasting one is not. */
		ck_assert_int_eq(rc, _i & 4 ? ACC_EREAD : ACC_OK);
	}
	ck_assert_int_gt(fuse, 2);
	fake_destroy(f);
}
END_TEST

START_TEST(test_every_allocation_fails_once)
{
	struct acc_space sp;
	struct fake *f = make(_i & 3, &sp);
	int64_t fuse = 0;

	map_pattern(f, 0x40000, 3 * ACC_LINE_BYTES);
	for (;; fuse++) {
		fake_fuse(&f->allocs, fuse, _i & 4);
		ck_assert_int_eq(read_around(&sp, 0x40000), ACC_OK); /* works without memory */
		ck_assert_uint_eq(f->n_live, 0);
		if (!f->allocs.n_failed)
			break;
	}
	ck_assert_int_gt(fuse, 1);
	fake_destroy(f);
}
END_TEST

/* Pages of a cache without memory for more lines move from line to line. */
START_TEST(test_little_memory)
{
	struct acc_space sp;
	struct fake *f = make(0, &sp);
	const uint64_t bytes = ACC_CACHE_BYTES;
	unsigned char got[100];

	map_pattern(f, 0x100000, bytes);
	for (int64_t fuse = 1; fuse < 200; fuse += 37) {
		fake_fuse(&f->allocs, fuse, true);
		acc_space_begin(&sp);
		for (uint64_t at = 0; at + sizeof(got) < bytes; at += 5000) {
			ck_assert_int_eq(acc_read(&sp, 0x100000 + at, sizeof(got), got), ACC_OK);
			check_pattern(got, 0x100000 + at, sizeof(got));
		}
		acc_space_end(&sp);
		ck_assert_uint_eq(f->n_live, 0);
	}
	fake_destroy(f);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("space");
	TCase *tc = tcase_create("space"), *cost = tcase_create("cost");

	tcase_add_test(tc, test_sizes);
	tcase_add_test(tc, test_deinit_takes_anything);
	tcase_add_loop_test(tc, test_decode, 0, DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_integers, 0, DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_plausible, 0, DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_read_every_length_and_place, 0, 2 * DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_ranges_that_wrap, 0, 2 * DEMO_N_TARGETS);
	tcase_add_test(tc, test_huge_read);
	tcase_add_loop_test(tc, test_strings, 0, 2 * DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_symbols, 0, DEMO_N_TARGETS);
	tcase_add_test(tc, test_arrays);
	tcase_add_test(tc, test_outside_of_a_bracket_nothing_is_kept);
	tcase_add_test(tc, test_a_bracket_keeps_until_its_end);
	tcase_add_test(tc, test_stats);
	tcase_add_loop_test(tc, test_every_read_fails_once, 0, 2 * DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_every_allocation_fails_once, 0, 2 * DEMO_N_TARGETS);
	suite_add_tcase(suite, tc);

	tcase_set_timeout(cost, 60);
	tcase_add_loop_test(cost, test_neighbours_cost_little, 0, 3);
	tcase_add_test(cost, test_no_order_costs_little);
	tcase_add_test(cost, test_a_lone_read_costs_a_page);
	tcase_add_loop_test(cost, test_a_page_that_fails_is_remembered, 0, DEMO_N_TARGETS);
	tcase_add_test(cost, test_eviction);
	tcase_add_test(cost, test_the_least_recently_used_goes);
	tcase_add_test(cost, test_little_memory);
	suite_add_tcase(suite, cost);

	return suite_run(suite);
}
