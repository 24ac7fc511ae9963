/* SPDX-License-Identifier: BSD-3-Clause */
/* Tag words and masks of pml ucx: ompi/mca/pml/ucx/pml_ucx_request.h
 * of 4.0 to 5.0 has 24 bits of tag, 20 of rank, 20 of context. */
#include "../../readers/openmpi/openmpi.h"
#include "../support/suite.h"

#include <check.h>

static uint64_t word(int64_t tag, uint64_t rank, uint64_t context)
{
	return (uint64_t)tag << 40 | rank << 20 | context;
}

START_TEST(test_words)
{
	static const struct {
		int64_t tag;
		uint64_t rank, context;
	} rows[] = {
		{ 0, 0, 0 },      { 99, 1, 3 },          { 8388607, 1048575, 1048575 },
		{ -1, 0, 0 },     { -17, 5, 2 },         { -8388608, 1048575, 1 },
		{ 1, 524288, 0 }, { 4194304, 0, 65535 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rd_ompi_ucx_tag t = rd_ompi_ucx_tag(word(rows[i].tag, rows[i].rank, rows[i].context));

		ck_assert_int_eq(t.tag, rows[i].tag);
		ck_assert_uint_eq(t.rank, rows[i].rank);
		ck_assert_uint_eq(t.context, rows[i].context);
	}
}
END_TEST

/* The four masks that pml ucx uses, and invalid ones. */
START_TEST(test_masks)
{
	static const struct {
		uint64_t mask;
		bool ok, any_tag, any_source;
	} rows[] = {
		{ UINT64_MAX, true, false, false },
		{ 0x800000ffffffffff, true, true, false },
		{ 0xffffff00000fffff, true, false, true },
		{ 0x80000000000fffff, true, true, true },
		{ 0, false, false, false },
		{ 0x7fffffffffffffff, false, false, false }, /* the library's own with any tag */
		{ 0xfffffffffffffffe, false, false, false }, /* any context */
		{ 0xffffff8000ffffff, false, false, false }, /* part of a rank */
		{ 0x8000ffffffffffff, false, false, false }, /* part of a tag */
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		bool any_tag = false, any_source = false;

		ck_assert_msg(rd_ompi_ucx_mask(rows[i].mask, &any_tag, &any_source) == rows[i].ok, "row %zu", i);
		ck_assert_msg(any_tag == rows[i].any_tag && any_source == rows[i].any_source, "row %zu", i);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("ompi_ucx");
	TCase *tc = tcase_create("words");

	tcase_add_test(tc, test_words);
	tcase_add_test(tc, test_masks);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
