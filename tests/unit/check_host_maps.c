/* SPDX-License-Identifier: BSD-3-Clause */
/* host/maps.c */
#include "../../host/maps.h"
#include "../support/suite.h"

#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

static const char text[] = "00400000-00401000 r--p 00000000 fd:00 1234   /home/u/a program\n"
			   "00401000-00402000 r-xp 00001000 fd:00 1234   /home/u/a program\n"
			   "senseless line\n"
			   "00500000-00500000 rw-p 00000000 00:00 0 \n"
			   "00600000-00700000 rw-p 00000000 00:00 0 \n"
			   "7f0000000000-7f0000001000 ---s 00002000 08:11 99   /tmp/x (deleted)\n"
			   "7ffc00000000-7ffc00021000 rw-p 00000000 00:00 0      [stack]\n"
			   "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0      [vsyscall]";

START_TEST(test_parse)
{
	struct host_maps m;

	ck_assert(host_maps_parse(strdup(text), &m));
	ck_assert_uint_eq(m.n, 6);
	ck_assert_uint_eq(m.v[1].lo, 0x401000);
	ck_assert_uint_eq(m.v[1].hi, 0x402000);
	ck_assert_uint_eq(m.v[1].offset, 0x1000);
	ck_assert_uint_eq(m.v[1].prot, HOST_MAP_READ | HOST_MAP_EXEC);
	ck_assert_uint_eq(m.v[1].inode, 1234);
	ck_assert_uint_eq(m.v[1].dev, makedev(0xfd, 0));
	ck_assert_str_eq(m.v[1].path, "/home/u/a program");
	ck_assert(!m.v[1].deleted);
	ck_assert_str_eq(m.v[2].path, "");
	ck_assert_uint_eq(m.v[2].prot, HOST_MAP_READ | HOST_MAP_WRITE);
	ck_assert_str_eq(m.v[3].path, "/tmp/x");
	ck_assert(m.v[3].deleted);
	ck_assert_uint_eq(m.v[3].prot, 0);
	ck_assert_str_eq(m.v[4].path, "[stack]");
	ck_assert_uint_eq(m.v[5].hi, 0xffffffffff601000);

	ck_assert_ptr_null(host_maps_find(&m, 0x3fffff));
	ck_assert_ptr_eq(host_maps_find(&m, 0x400000), &m.v[0]);
	ck_assert_ptr_eq(host_maps_find(&m, 0x401fff), &m.v[1]);
	ck_assert_ptr_null(host_maps_find(&m, 0x402000));
	ck_assert_ptr_null(host_maps_find(&m, UINT64_MAX));

	ck_assert(host_maps_add(&m, &(struct host_map){ .lo = 0x500000, .hi = 0x501000, .path = "[vdso]" }));
	ck_assert_uint_eq(m.n, 7);
	ck_assert_str_eq(host_maps_find(&m, 0x500800)->path, "[vdso]");
	for (size_t i = 1; i < m.n; i++)
		ck_assert_uint_lt(m.v[i - 1].lo, m.v[i].lo);
	host_maps_deinit(&m);
	host_maps_deinit(&m);
	ck_assert_ptr_null(host_maps_find(&m, 0x400000));
}
END_TEST

START_TEST(test_parse_empty)
{
	struct host_maps m;

	ck_assert(host_maps_parse(strdup(""), &m));
	ck_assert_uint_eq(m.n, 0);
	host_maps_deinit(&m);
}
END_TEST

/* NT_FILE by hand. _i: bit 0: 4 or 8 bytes a word; bit 1: byte order */
static size_t put(uint8_t *to, uint64_t v, unsigned w, bool big)
{
	for (unsigned i = 0; i < w; i++)
		to[big ? w - 1 - i : i] = (uint8_t)(v >> (8 * i));
	return w;
}

START_TEST(test_note)
{
	unsigned w = _i & 1 ? 8 : 4;
	bool big = _i & 2;
	uint8_t d[256];
	size_t n = 0;
	struct host_maps m;

	n += put(d + n, 3, w, big);
	n += put(d + n, 4096, w, big);
	static const uint64_t entries[3][3] = { { 0x20000, 0x21000, 1 },
						{ 0x10000, 0x11000, 0 },
						{ 0x30000, 0x30000, 7 } };
	for (int i = 0; i < 3; i++)
		for (int k = 0; k < 3; k++)
			n += put(d + n, entries[i][k], w, big);
	memcpy(d + n, "/b\0/a (deleted)\0/senseless", 27);
	n += 27;
	struct host_note note = { .desc = d, .desc_bytes = n };
	ck_assert(host_maps_from_note(&note, w, big, &m));
	ck_assert_uint_eq(m.n, 2);
	ck_assert_uint_eq(m.v[0].lo, 0x10000);
	ck_assert_str_eq(m.v[0].path, "/a");
	ck_assert(m.v[0].deleted);
	ck_assert_uint_eq(m.v[1].offset, 4096);
	ck_assert_str_eq(m.v[1].path, "/b");
	ck_assert_uint_eq(m.v[1].prot, HOST_MAP_UNKNOWN);
	host_maps_deinit(&m);

	/* Cut off anywhere: as many as are whole, or none. */
	for (size_t cut = 0; cut < n; cut++) {
		uint8_t *copy = malloc(cut ? cut : 1);
		memcpy(copy, d, cut);
		note = (struct host_note){ .desc = copy, .desc_bytes = cut };
		if (host_maps_from_note(&note, w, big, &m)) {
			ck_assert_uint_le(m.n, 2);
			host_maps_deinit(&m);
		}
		free(copy);
	}
	/* A count that is a lie. */
	put(d, w == 8 ? UINT64_MAX : UINT32_MAX, w, big);
	note = (struct host_note){ .desc = d, .desc_bytes = n };
	if (host_maps_from_note(&note, w, big, &m))
		host_maps_deinit(&m);
}
END_TEST

START_TEST(test_read_file)
{
	size_t n = 0;
	char *s = host_read_file("/proc/self/maps", &n);

	ck_assert_ptr_nonnull(s);
	ck_assert_uint_gt(n, 0);
	ck_assert_uint_eq(strlen(s), n);
	free(s);
	errno = 0;
	ck_assert_ptr_null(host_read_file("/nonexistent/file", &n));
	ck_assert_int_eq(errno, ENOENT);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("host_maps");
	TCase *tc = tcase_create("maps");

	tcase_add_test(tc, test_parse);
	tcase_add_test(tc, test_parse_empty);
	tcase_add_loop_test(tc, test_note, 0, 4);
	tcase_add_test(tc, test_read_file);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
