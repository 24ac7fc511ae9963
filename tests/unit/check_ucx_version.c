/* SPDX-License-Identifier: BSD-3-Clause */
/* The version of UCX from the code of ucp_get_version_string(), and the versions that a layout pack is for. */
#include "../../readers/ucx/ucx.h"
#include "../support/suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

START_TEST(test_names)
{
	static const struct {
		const char *range, *version;
		bool named;
	} rows[] = {
		{ "1.13.1", "1.13.1", true },
		{ "1.13.1", "1.13.0", false },
		{ "1.13.1", "", false },
		{ "1.20.0-1.20.1", "1.20.0", true },
		{ "1.20.0-1.20.1", "1.20.1", true },
		{ "1.20.0-1.20.1", "1.21.0", false },
		{ "1.16.0-1.17.0", "1.16.9", true },
		{ "1.16.0-1.17.0", "1.9.0", false },
		{ "1.16.0-1.17.0", "1.17", false },
		{ "1.16.0-", "1.16.1", false },
		{ "1.16.0-1.17.0", "version", false },
		{ "1", "1.13.1", false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		ck_assert_msg(rd_ucx_names(rows[i].range, rows[i].version) == rows[i].named, "row %zu", i);
}
END_TEST

enum { ADDR = 0x1000, TEXT = 0x40 };

static unsigned char memory[128];

static bool target_read(void *ctx, uint64_t addr, size_t n, void *ret)
{
	(void)ctx;
	if (addr < ADDR || addr - ADDR > sizeof(memory) || n > sizeof(memory) - (addr - ADDR))
		return false;
	memcpy(ret, memory + (addr - ADDR), n);
	return true;
}

static bool target_symbol(void *ctx, const char *name, uint64_t *ret)
{
	(void)ctx;
	*ret = ADDR;
	return !strcmp(name, "ucp_get_version_string");
}

static void *target_alloc(void *ctx, size_t n)
{
	(void)ctx;
	return malloc(n);
}

static void target_release(void *ctx, void *p)
{
	(void)ctx;
	free(p);
}

/* As Debian 12 and 13 compile it; other code, and addresses outside of memory, are no version. */
START_TEST(test_code)
{
	static const struct acc_target_ops ops = {
		.read = target_read, .symbol = target_symbol, .alloc = target_alloc, .release = target_release
	};
	static const struct acc_sizes sizes = { .short_bytes = 2,
						.int_bytes = 4,
						.long_bytes = 8,
						.long_long_bytes = 8,
						.pointer_bytes = 8,
						.bool_bytes = 1,
						.size_bytes = 8 };
	static const struct {
		unsigned char code[16];
		const char *version;
	} rows[] = {
		{ { 0x48, 0x8d, 0x05, TEXT - 7, 0, 0, 0, 0xc3 }, "1.21.0" },
		{ { 0xf3, 0x0f, 0x1e, 0xfa, 0x48, 0x8d, 0x05, TEXT - 11, 0, 0, 0, 0xc3 }, "1.21.0" },
		{ { 0x48, 0x8d, 0x05, TEXT - 7, 0, 0, 0, 0x90 }, "" },
		{ { 0x48, 0x8b, 0x05, TEXT - 7, 0, 0, 0, 0xc3 }, "" },
		{ { 0x48, 0x8d, 0x05, 0, 0, 0, 0x80, 0xc3 }, "" },
		/* aarch64: adrp x0, 0; add x0, x0, TEXT; ret; then after bti c, of another page, and without its parts
		 */
		{ { 0x00, 0, 0, 0x90, 0x00, 0x00, 0x01, 0x91, 0xc0, 0x03, 0x5f, 0xd6 }, "1.21.0" },
		{ { 0x5f, 0x24, 0x03, 0xd5, 0x00, 0, 0, 0x90, 0x00, 0x00, 0x01, 0x91, 0xc0, 0x03, 0x5f, 0xd6 },
		  "1.21.0" },
		{ { 0x00, 0, 0, 0xb0, 0x00, 0x00, 0x01, 0x91, 0xc0, 0x03, 0x5f, 0xd6 }, "" },
		{ { 0x01, 0, 0, 0x90, 0x00, 0x00, 0x01, 0x91, 0xc0, 0x03, 0x5f, 0xd6 }, "" },
		{ { 0x00, 0, 0, 0x90, 0x00, 0x00, 0x01, 0x91, 0x1f, 0x20, 0x03, 0xd5 }, "" },
	};
	char version[RD_UCX_VERSION_BYTES];
	struct acc_space sp;

	memcpy(memory + TEXT, "1.21.0", 7);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		memcpy(memory, rows[i].code, sizeof(rows[i].code));
		ck_assert_int_eq(acc_space_init(&sp, &ops, NULL, &sizes, false), ACC_OK);
		rd_ucx_version(&sp, version);
		ck_assert_msg(!strcmp(version, rows[i].version), "row %zu: \"%s\"", i, version);
		ck_assert(!sp.note.rc);
		acc_space_deinit(&sp);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("ucx_version");
	TCase *tc = tcase_create("version");

	tcase_add_test(tc, test_names);
	tcase_add_test(tc, test_code);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
