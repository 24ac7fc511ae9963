/* SPDX-License-Identifier: BSD-3-Clause */
/* readers/jobs/proctable.c: the process table of a launcher, true and damaged. */
#include "../../access/limits.h"
#include "../../readers/jobs/proctable.h"
#include "../support/demo.h"
#include "../support/suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t stride_of(const struct fake *f)
{
	return f->word_bytes == 8 ? 24 : 12;
}

static uint64_t put_table(struct fake *f, int64_t n, uint64_t table)
{
	uint64_t size_addr = fake_alloc(f, 4, 4), pointer_addr = fake_alloc(f, f->word_bytes, f->word_bytes);

	fake_write_u(f, size_addr, 4, (uint32_t)n);
	fake_write_ptr(f, pointer_addr, table);
	fake_symbol(f, "MPIR_proctable_size", size_addr);
	fake_symbol(f, "MPIR_proctable", pointer_addr);
	return size_addr;
}

static void put_entry(struct fake *f, uint64_t table, int i, const char *host, const char *executable, int pid)
{
	uint64_t at = table + (uint64_t)i * stride_of(f);

	fake_write_ptr(f, at, fake_string(f, host));
	fake_write_ptr(f, at + f->word_bytes, fake_string(f, executable));
	fake_write_u(f, at + 2 * f->word_bytes, 4, (uint32_t)pid);
}

/* A table of @p n valid entries whose last byte is the last of its mapping. */
static uint64_t put_job(struct fake *f, int n)
{
	uint64_t table = fake_alloc_last(f, (uint64_t)n * stride_of(f));
	char host[32];

	for (int i = 0; i < n; i++) {
		snprintf(host, sizeof(host), "node%d", i / 2);
		put_entry(f, table, i, host, "/home/u/ring", 1000 + i);
	}
	put_table(f, n, table);
	return table;
}

START_TEST(test_sound)
{
	struct fake *f = demo_fake(_i);
	struct acc_space sp;
	struct rd_proctable t;
	struct rd_proc proc;
	enum { N = 1000 };

	put_job(f, N);
	ck_assert_int_eq(fake_space(f, &sp), ACC_OK);
	acc_space_begin(&sp);
	ck_assert_int_eq(rd_jobs_proctable(&sp, &t), ACC_OK);
	ck_assert_uint_eq(t.n, N);
	ck_assert_uint_eq(t.stride, stride_of(f));
	for (int i = 0; i < N; i++) {
		char host[32];

		snprintf(host, sizeof(host), "node%d", i / 2);
		ck_assert_int_eq(rd_jobs_proctable_next(&t, &proc), ACC_OK);
		ck_assert_int_eq(proc.rank, i);
		ck_assert_int_eq(proc.pid, 1000 + i);
		ck_assert_str_eq(proc.host, host);
		ck_assert_str_eq(proc.executable, "/home/u/ring");
	}
	ck_assert_int_eq(rd_jobs_proctable_next(&t, &proc), ACC_NONE);
	ck_assert_int_eq(rd_jobs_proctable_next(&t, &proc), ACC_NONE);
	ck_assert_uint_eq(t.n_bad, 0);
	acc_space_end(&sp);
	acc_space_deinit(&sp);
	fake_destroy(f);
}
END_TEST

/* The entries are fetched in blocks, not one by one. */
START_TEST(test_few_reads)
{
	struct fake *f = demo_fake(_i);
	struct acc_space sp;
	struct rd_proctable t;
	struct rd_proc proc;
	uint64_t host = fake_string(f, "h");
	enum { N = 2000 };
	uint64_t table = fake_alloc(f, (uint64_t)N * stride_of(f), 8);

	for (int i = 0; i < N; i++) {
		fake_write_ptr(f, table + (uint64_t)i * stride_of(f), host);
		fake_write_ptr(f, table + (uint64_t)i * stride_of(f) + f->word_bytes, host);
		fake_write_u(f, table + (uint64_t)i * stride_of(f) + 2 * f->word_bytes, 4, 7);
	}
	put_table(f, N, table);
	ck_assert_int_eq(fake_space(f, &sp), ACC_OK);
	acc_space_begin(&sp);
	ck_assert_int_eq(rd_jobs_proctable(&sp, &t), ACC_OK);
	while (rd_jobs_proctable_next(&t, &proc) == ACC_OK)
		;
	acc_space_end(&sp);
	ck_assert_uint_eq(t.n_bad, 0);
	ck_assert_uint_le(sp.stats.n_reads, 40);
	acc_space_deinit(&sp);
	fake_destroy(f);
}
END_TEST

START_TEST(test_none)
{
	struct fake *f = demo_fake(_i);
	struct acc_space sp;
	struct rd_proctable t;

	ck_assert_int_eq(fake_space(f, &sp), ACC_OK);
	ck_assert_int_eq(rd_jobs_proctable(&sp, &t), ACC_NONE);
	uint64_t size_addr = put_table(f, 0, 0); /* as in a rank of Open MPI */
	ck_assert_int_eq(rd_jobs_proctable(&sp, &t), ACC_NONE);
	fake_write_u(f, size_addr, 4, 3); /* not filled in yet */
	ck_assert_int_eq(rd_jobs_proctable(&sp, &t), ACC_NONE);
	ck_assert_int_eq(sp.note.rc, ACC_OK);
	fake_symbol_remove(f, "MPIR_proctable");
	ck_assert_int_eq(rd_jobs_proctable(&sp, &t), ACC_NONE);
	acc_space_deinit(&sp);
	fake_destroy(f);
}
END_TEST

/* Sizes and addresses that make no sense. */
START_TEST(test_senseless)
{
	static const struct {
		int64_t n;
		uint64_t table;
		enum acc_rc rc;
	} rows[] = {
		{ -1, 0x10000, ACC_ECORRUPT },      { INT32_MIN, 0x10000, ACC_ECORRUPT },
		{ INT32_MAX, 0x10000, ACC_ELIMIT }, { (INT64_C(1) << 27) + 1, 0x10000, ACC_ELIMIT },
		{ 4, 0x10001, ACC_ECORRUPT },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct fake *f = demo_fake(_i);
		struct acc_space sp;
		struct rd_proctable t;

		put_table(f, rows[i].n, rows[i].table);
		ck_assert_int_eq(fake_space(f, &sp), ACC_OK);
		ck_assert_int_eq(rd_jobs_proctable(&sp, &t), rows[i].rc);
		ck_assert_int_eq(sp.note.rc, rows[i].rc);
		ck_assert_ptr_nonnull(strstr(sp.note.text, "MPIR_proctable"));
		acc_space_deinit(&sp);
		fake_destroy(f);
	}
}
END_TEST

/* The size is too large, strings are unmapped, a pid is invalid: the rest is still returned. */
START_TEST(test_damaged_entries)
{
	struct fake *f = demo_fake(_i);
	struct acc_space sp;
	struct rd_proctable t;
	struct rd_proc proc;
	uint64_t table = put_job(f, 4);

	fake_write_ptr(f, table, 0xdead0);                                              /* host of 0 */
	fake_write_ptr(f, table + stride_of(f) + f->word_bytes, 0);                     /* executable of 1 */
	fake_write_u(f, table + 2 * stride_of(f) + 2 * f->word_bytes, 4, (uint32_t)-5); /* pid of 2 */
	put_table(f, 6, table);
	ck_assert_int_eq(fake_space(f, &sp), ACC_OK);
	ck_assert_int_eq(rd_jobs_proctable(&sp, &t), ACC_OK);
	ck_assert_int_eq(rd_jobs_proctable_next(&t, &proc), ACC_OK);
	ck_assert_int_eq(proc.pid, 1000);
	ck_assert_str_eq(proc.host, "");
	ck_assert_str_eq(proc.executable, "/home/u/ring");
	ck_assert_int_eq(rd_jobs_proctable_next(&t, &proc), ACC_OK);
	ck_assert_int_eq(proc.pid, 1001);
	ck_assert_str_eq(proc.host, "node0");
	ck_assert_str_eq(proc.executable, "");
	ck_assert_int_eq(rd_jobs_proctable_next(&t, &proc), ACC_OK);
	ck_assert_int_eq(proc.pid, -1);
	ck_assert_str_eq(proc.host, "node1");
	ck_assert_int_eq(rd_jobs_proctable_next(&t, &proc), ACC_OK);
	ck_assert_int_eq(proc.pid, 1003);
	ck_assert_uint_eq(t.n_bad, 3);
	for (int i = 4; i < 6; i++) { /* beyond the end of the mapping */
		ck_assert_int_eq(rd_jobs_proctable_next(&t, &proc), ACC_OK);
		ck_assert_int_eq(proc.rank, i);
		ck_assert_int_eq(proc.pid, -1);
		ck_assert_str_eq(proc.host, "");
	}
	ck_assert_int_eq(rd_jobs_proctable_next(&t, &proc), ACC_NONE);
	ck_assert_uint_eq(t.n_bad, 5);
	acc_space_deinit(&sp);
	fake_destroy(f);
}
END_TEST

/* A string without end is cut. */
START_TEST(test_endless_string)
{
	struct fake *f = demo_fake(_i);
	struct acc_space sp;
	struct rd_proctable t;
	struct rd_proc proc;
	uint64_t table = put_job(f, 1), endless = fake_alloc(f, 1 << 16, 8);
	char block[4096];

	memset(block, 'x', sizeof(block));
	for (int i = 0; i < 16; i++)
		fake_write(f, endless + (uint64_t)i * sizeof(block), block, sizeof(block));
	fake_write_ptr(f, table, endless);
	fake_write_ptr(f, table + f->word_bytes, endless);
	ck_assert_int_eq(fake_space(f, &sp), ACC_OK);
	ck_assert_int_eq(rd_jobs_proctable(&sp, &t), ACC_OK);
	ck_assert_int_eq(rd_jobs_proctable_next(&t, &proc), ACC_OK);
	ck_assert_uint_eq(strlen(proc.host), sizeof(proc.host) - 1);
	ck_assert_uint_eq(strlen(proc.executable), sizeof(proc.executable) - 1);
	acc_space_deinit(&sp);
	fake_destroy(f);
}
END_TEST

START_TEST(test_nth_read_fails)
{
	struct fake *f = demo_fake(_i);

	put_job(f, 5);
	for (int64_t n = 0;; n++) {
		struct acc_space sp;
		struct rd_proctable t;
		struct rd_proc proc;
		uint64_t n_entries = 0;

		fake_fuse(&f->reads, n, false);
		ck_assert_int_eq(fake_space(f, &sp), ACC_OK);
		enum acc_rc rc = rd_jobs_proctable(&sp, &t);
		if (!rc) {
			while (rd_jobs_proctable_next(&t, &proc) == ACC_OK)
				n_entries++;
			ck_assert_uint_eq(n_entries, 5);
			/* A block that failed is read again; of the rest something is missing, and counted. */
		} else {
			ck_assert_int_eq(rc, ACC_EREAD);
			ck_assert_int_eq(sp.note.rc, ACC_EREAD);
		}
		acc_space_deinit(&sp);
		if (!f->reads.n_failed) {
			ck_assert_int_eq(rc, ACC_OK);
			ck_assert_uint_eq(t.n_bad, 0);
			break;
		}
	}
	fake_fuse_off(&f->reads);
	fake_destroy(f);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("proctable");
	TCase *tc = tcase_create("proctable");

	tcase_add_loop_test(tc, test_sound, 0, DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_few_reads, 0, DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_none, 0, DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_senseless, 0, DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_damaged_entries, 0, DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_endless_string, 0, DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_nth_read_fails, 0, DEMO_N_TARGETS);
	suite_add_tcase(s, tc);
	return s;
}

int main(void)
{
	return suite_run(suite());
}
