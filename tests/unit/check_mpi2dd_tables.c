/* SPDX-License-Identifier: BSD-3-Clause */
/* readers/jobs/{world_table,place_table,records}.c: MPI2DD's tables, sound, damaged and long. */
#include "../../access/limits.h"
#include "../../readers/jobs/place_table.h"
#include "../../readers/jobs/world_table.h"
#include "../support/demo.h"
#include "../support/fake_mpi2dd.h"
#include "../support/suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum acc_rc open_procs(struct fake_mpi2dd *m, struct acc_space *sp, struct rd_world_table *t)
{
	struct rd_mpi2dd info;

	ck_assert_int_eq(fake_space(m->f, sp), ACC_OK);
	acc_space_begin(sp);
	ck_assert_int_eq(rd_jobs_mpi2dd(sp, &info), ACC_OK);
	return rd_world_table(sp, &info, t);
}

static enum acc_rc open_places(struct fake_mpi2dd *m, struct acc_space *sp, struct rd_place_table *t)
{
	struct rd_mpi2dd info;

	ck_assert_int_eq(fake_space(m->f, sp), ACC_OK);
	acc_space_begin(sp);
	ck_assert_int_eq(rd_jobs_mpi2dd(sp, &info), ACC_OK);
	return rd_place_table(sp, &info, RD_MPI2DD_DIRECTORIES, t);
}

static void close_space(struct acc_space *sp)
{
	acc_space_end(sp);
	acc_space_deinit(sp);
}

/* Process i as fake_mpi2dd_job() makes it. */
static void check_proc(const struct fake_mpi2dd *m, const struct rd_world_proc *proc, size_t i)
{
	char host[32];

	snprintf(host, sizeof(host), "node%zu", i / 2);
	ck_assert_int_eq(proc->rank, (int64_t)i);
	ck_assert_int_eq(proc->pid, (int64_t)(1000 + i));
	ck_assert_str_eq(proc->host, host);
	ck_assert_str_eq(proc->executable, "/bin/ring");
	ck_assert_str_eq(proc->world, m->world);
	ck_assert(proc->sound);
}

/* ---- processes -------------------------------------------------------------------------------------- */

START_TEST(test_procs)
{
	enum { N = 3000 };
	struct fake *f = demo_fake(_i);
	struct fake_mpi2dd m;
	struct acc_space sp;
	struct rd_world_table t;
	struct rd_world_proc proc;

	fake_mpi2dd_init(&m, f);
	fake_mpi2dd_job(&m, N);
	fake_mpi2dd_spawned(&m, 7, "elsewhere:1:2:3", 3, 12);
	fake_mpi2dd_spawned(&m, N - 1, "elsewhere:4:5:6", 0, 0);
	ck_assert_int_eq(open_procs(&m, &sp, &t), ACC_OK);
	ck_assert_uint_eq(t.records.n, N);
	for (size_t i = 0; i < N; i++) {
		ck_assert_int_eq(rd_world_table_next(&t, &proc), ACC_OK);
		check_proc(&m, &proc, i);
		if (i == 7) {
			ck_assert_str_eq(proc.parent_world, "elsewhere:1:2:3");
			ck_assert_int_eq(proc.parent_rank, 3);
			ck_assert_int_eq(proc.sequence, 12);
		} else if (i == N - 1) {
			ck_assert_str_eq(proc.parent_world, "elsewhere:4:5:6");
			ck_assert_int_eq(proc.parent_rank, 0);
			ck_assert_int_eq(proc.sequence, 0);
		} else {
			ck_assert_ptr_null(proc.parent_world);
			ck_assert_int_eq(proc.parent_rank, -1);
			ck_assert_int_eq(proc.sequence, -1);
		}
	}
	ck_assert_int_eq(rd_world_table_next(&t, &proc), ACC_NONE);
	ck_assert_int_eq(rd_world_table_next(&t, &proc), ACC_NONE);
	ck_assert_uint_eq(t.n_bad, 0);
	/* A string for each process, a table and little else: far fewer reads than entries. */
	ck_assert_uint_le(sp.stats.n_reads, 60);
	rd_world_table_end(&t);
	close_space(&sp);
	fake_destroy(f);
}
END_TEST

START_TEST(test_no_procs)
{
	struct fake *f = demo_fake(_i);
	struct fake_mpi2dd m;
	struct acc_space sp;
	struct rd_world_table t;

	fake_mpi2dd_init(&m, f);
	ck_assert_int_eq(open_procs(&m, &sp, &t), ACC_NONE);
	close_space(&sp);
	/* A pointer without a size: a table that is being published. */
	fake_mpi2dd_put(&m, FAKE_INFO(proctable), 0x1000);
	ck_assert_int_eq(open_procs(&m, &sp, &t), ACC_NONE);
	close_space(&sp);
	fake_mpi2dd_put(&m, FAKE_INFO(proctable_size), -1);
	ck_assert_int_eq(open_procs(&m, &sp, &t), ACC_ECORRUPT);
	ck_assert_ptr_nonnull(strstr(sp.note.text, "MPI2DD_info.proctable_size: -1"));
	close_space(&sp);
	/* The table itself cannot be read. */
	fake_mpi2dd_put(&m, FAKE_INFO(proctable_size), 2);
	ck_assert_int_eq(open_procs(&m, &sp, &t), ACC_OK);
	for (int i = 0; i < 2; i++) {
		struct rd_world_proc proc;

		ck_assert_int_eq(rd_world_table_next(&t, &proc), ACC_OK);
		ck_assert_int_eq(proc.pid, -1);
		ck_assert_int_eq(proc.rank, -1);
		ck_assert_str_eq(proc.host, "");
		ck_assert(!proc.sound);
	}
	ck_assert_uint_eq(t.n_bad, 2);
	rd_world_table_end(&t);
	close_space(&sp);
	fake_destroy(f);
}
END_TEST

/*
 * One field of one entry is invalid: that field is reported as
 * bad; its other fields and all other entries are returned.
 */
static const struct {
	struct fake_mpi2dd_field field;
	int64_t value;
	bool host, executable, world, pid, rank, parent; /* which is missing then */
} entry_damages[] = {
	{ FAKE_PROC(host_name), 0, .host = true },
	{ FAKE_PROC(host_name), 0xdead0, .host = true },
	{ FAKE_PROC(host_name), -1, .host = true },
	{ FAKE_PROC(executable_name), 0, .executable = true },
	{ FAKE_PROC(executable_name), 0xdead0, .executable = true },
	{ FAKE_PROC(comm_world_id), 0xdead0, .world = true },
	{ FAKE_PROC(pid), 0, .pid = true },
	{ FAKE_PROC(pid), -4, .pid = true },
	{ FAKE_PROC(rank), -1, .rank = true },
	{ FAKE_PROC(rank), INT32_MIN, .rank = true },
	{ FAKE_PROC(spawn_desc), 0xdead0, .parent = true },
	{ FAKE_PROC(spawn_desc), -3, .parent = true },
};
enum { N_ENTRY_DAMAGES = sizeof(entry_damages) / sizeof(entry_damages[0]) };

START_TEST(test_damaged_proc)
{
	enum { N = 9, BAD = 4 };

	for (int target = 0; target < DEMO_N_TARGETS; target++) {
		struct fake *f = demo_fake(target);
		struct fake_mpi2dd m;
		struct acc_space sp;
		struct rd_world_table t;
		struct rd_world_proc proc;

		fake_mpi2dd_init(&m, f);
		fake_mpi2dd_job(&m, N);
		fake_mpi2dd_put_at(&m, fake_mpi2dd_proc(&m, BAD), entry_damages[_i].field, entry_damages[_i].value);
		ck_assert_int_eq(open_procs(&m, &sp, &t), ACC_OK);
		for (size_t i = 0; i < N; i++) {
			ck_assert_int_eq(rd_world_table_next(&t, &proc), ACC_OK);
			if (i != BAD) {
				check_proc(&m, &proc, i);
				continue;
			}
			ck_assert(!proc.sound);
			ck_assert_str_eq(proc.host, entry_damages[_i].host ? "" : "node2");
			ck_assert_str_eq(proc.executable, entry_damages[_i].executable ? "" : "/bin/ring");
			ck_assert_str_eq(proc.world, entry_damages[_i].world ? "" : m.world);
			ck_assert_int_eq(proc.pid, entry_damages[_i].pid ? -1 : 1000 + BAD);
			ck_assert_int_eq(proc.rank, entry_damages[_i].rank ? -1 : BAD);
			if (entry_damages[_i].parent)
				ck_assert_str_eq(proc.parent_world, "");
			else
				ck_assert_ptr_null(proc.parent_world);
			ck_assert_int_eq(proc.parent_rank, -1);
		}
		ck_assert_int_eq(rd_world_table_next(&t, &proc), ACC_NONE);
		ck_assert_uint_eq(t.n_bad, 1);
		rd_world_table_end(&t);
		close_space(&sp);
		fake_destroy(f);
	}
}
END_TEST

/* Strings that are none, and fields of a spawn description. */
START_TEST(test_damaged_strings)
{
	struct fake *f = demo_fake(_i);
	struct fake_mpi2dd m;
	struct acc_space sp;
	struct rd_world_table t;
	struct rd_world_proc proc[6];
	uint64_t endless = fake_alloc(f, 3 * ACC_STRING_MAX, 8);
	char block[2 * ACC_STRING_MAX];

	memset(block, 'x', sizeof(block));
	fake_write(f, endless, block, sizeof(block));
	fake_mpi2dd_init(&m, f);
	fake_mpi2dd_job(&m, 6);
	fake_mpi2dd_put_at(&m, fake_mpi2dd_proc(&m, 0), FAKE_PROC(host_name), (int64_t)endless);
	/* The end of the same text: here it has an end in reach. */
	fake_mpi2dd_put_at(&m, fake_mpi2dd_proc(&m, 1), FAKE_PROC(host_name), (int64_t)(endless + sizeof(block) - 10));
	fake_mpi2dd_put_at(&m, fake_mpi2dd_proc(&m, 2), FAKE_PROC(executable_name),
			   (int64_t)fake_string(f, "\x01\x02"));
	/* Behind the text of another: it starts within it. */
	uint64_t long_name = fake_string(f, "/opt/bin/ring");
	fake_mpi2dd_put_at(&m, fake_mpi2dd_proc(&m, 3), FAKE_PROC(executable_name), (int64_t)long_name);
	fake_mpi2dd_put_at(&m, fake_mpi2dd_proc(&m, 4), FAKE_PROC(executable_name), (int64_t)(long_name + 4));
	fake_mpi2dd_put_at(&m, fake_mpi2dd_proc(&m, 5), FAKE_PROC(executable_name), (int64_t)(long_name + 13));
	fake_mpi2dd_spawned(&m, 3, "w", -2, 5);
	fake_mpi2dd_spawned(&m, 4, "", 2, -5);
	ck_assert_int_eq(open_procs(&m, &sp, &t), ACC_OK);
	for (size_t i = 0; i < 6; i++)
		ck_assert_int_eq(rd_world_table_next(&t, &proc[i]), ACC_OK);
	ck_assert_str_eq(proc[0].host, "");
	ck_assert_str_eq(proc[1].host, "xxxxxxxxxx");
	ck_assert(proc[1].sound);
	ck_assert_str_eq(proc[2].executable, "");
	ck_assert_str_eq(proc[3].executable, "/opt/bin/ring");
	ck_assert_str_eq(proc[4].executable, "/bin/ring");
	ck_assert_str_eq(proc[5].executable, "");
	ck_assert_str_eq(proc[3].parent_world, "w");
	ck_assert_int_eq(proc[3].parent_rank, -1);
	ck_assert_int_eq(proc[3].sequence, 5);
	ck_assert_str_eq(proc[4].parent_world, "");
	ck_assert_int_eq(proc[4].parent_rank, 2);
	ck_assert_int_eq(proc[4].sequence, -1);
	ck_assert_uint_eq(t.n_bad, 5);
	rd_world_table_end(&t);
	close_space(&sp);
	fake_destroy(f);
}
END_TEST

/* The size is larger than the table. */
START_TEST(test_short_table)
{
	struct fake *f = demo_fake(_i);
	struct fake_mpi2dd m;
	struct acc_space sp;
	struct rd_world_table t;
	struct rd_world_proc proc;
	size_t n = 0;

	fake_mpi2dd_init(&m, f);
	fake_mpi2dd_job(&m, 4);
	fake_mpi2dd_put(&m, FAKE_INFO(proctable_size), 6);
	ck_assert_int_eq(open_procs(&m, &sp, &t), ACC_OK);
	for (; rd_world_table_next(&t, &proc) == ACC_OK; n++) {
		if (n < 4)
			check_proc(&m, &proc, n);
		else
			ck_assert(!proc.sound);
	}
	ck_assert_uint_eq(n, 6);
	ck_assert_uint_eq(t.n_bad, 2);
	rd_world_table_end(&t);
	close_space(&sp);
	/* Far more: no table, and not after a hundred million tries. */
	fake_mpi2dd_put(&m, FAKE_INFO(proctable_size), 1 << 25);
	ck_assert_int_eq(open_procs(&m, &sp, &t), ACC_OK);
	ck_assert_int_eq(rd_world_table_next(&t, &proc), ACC_EREAD);
	ck_assert_ptr_nonnull(strstr(sp.note.text, "MPI2DD_info.proctable: entry 0 of 33554432: "));
	ck_assert_uint_le(sp.stats.n_failed, 3000);
	rd_world_table_end(&t);
	close_space(&sp);
	fake_destroy(f);
}
END_TEST

/* More memory than any table, and nothing in it. */
START_TEST(test_zeroes)
{
	struct fake *f = demo_fake(_i);
	struct fake_mpi2dd m;
	struct acc_space sp;
	struct rd_world_table t;
	struct rd_world_proc proc;

	fake_mpi2dd_init(&m, f);
	fake_mpi2dd_job(&m, 4);
	fake_mpi2dd_put(&m, FAKE_INFO(proctable), (int64_t)fake_alloc(f, 4 << 20, 8));
	fake_mpi2dd_put(&m, FAKE_INFO(proctable_size), (4 << 20) / m.proc_bytes);
	ck_assert_int_eq(open_procs(&m, &sp, &t), ACC_OK);
	ck_assert_int_eq(rd_world_table_next(&t, &proc), ACC_ECORRUPT);
	ck_assert_ptr_nonnull(strstr(sp.note.text, "MPI2DD_info.proctable: entry 0"));
	rd_world_table_end(&t);
	close_space(&sp);
	fake_destroy(f);
}
END_TEST

/* As the target has it; fake_write_u() for each field of a long table takes minutes. */
static void encode(const struct fake *f, unsigned char *at, unsigned width, uint64_t value)
{
	for (unsigned i = 0; i < width; i++)
		at[f->big_endian ? width - 1 - i : i] = (unsigned char)(value >> 8 * i);
}

/* More than one block; strings shared in turns, in another order than that of their addresses. */
START_TEST(test_blocks)
{
	enum { HOSTS = 100, N = RD_RECORDS_BLOCK_MAX + 1000 };
	struct fake *f = demo_fake(_i);
	struct fake_mpi2dd m;
	struct acc_space sp;
	struct rd_world_table t;
	struct rd_world_proc proc;
	uint64_t hosts[HOSTS];
	char host[32];

	fake_mpi2dd_init(&m, f);
	for (int i = 0; i < HOSTS; i++) {
		snprintf(host, sizeof(host), "host%d", i);
		hosts[i] = fake_string(f, host);
	}

	unsigned word = f->word_bytes;
	uint64_t executable = fake_string(f, "/bin/ring"), world = fake_string(f, m.world);
	unsigned char *bytes = malloc(N * m.proc_bytes);
	ck_assert_ptr_nonnull(bytes);
	for (size_t i = 0; i < N; i++) {
		unsigned char *at = bytes + i * m.proc_bytes;

		encode(f, at, word, hosts[(i * 37) % HOSTS]);
		encode(f, at + word, word, executable);
		encode(f, at + 2 * word, word, 0);
		encode(f, at + 3 * word, word, world);
		encode(f, at + 4 * word, 4, i + 1);
		encode(f, at + 4 * word + 4, 4, i);
	}
	m.procs_addr = fake_alloc_last(f, N * m.proc_bytes);
	fake_write(f, m.procs_addr, bytes, N * m.proc_bytes);
	free(bytes);
	fake_mpi2dd_put(&m, FAKE_INFO(proctable), (int64_t)m.procs_addr);
	fake_mpi2dd_put(&m, FAKE_INFO(proctable_size), N);
	ck_assert_int_eq(open_procs(&m, &sp, &t), ACC_OK);
	for (size_t i = 0; i < N; i++) {
		snprintf(host, sizeof(host), "host%zu", (i * 37) % HOSTS);
		ck_assert_int_eq(rd_world_table_next(&t, &proc), ACC_OK);
		if (proc.rank != (int64_t)i || strcmp(proc.host, host) != 0 || proc.pid != (int64_t)i + 1)
			ck_abort_msg("entry %zu: %s", i, proc.host);
	}
	ck_assert_int_eq(rd_world_table_next(&t, &proc), ACC_NONE);
	ck_assert_uint_eq(t.n_bad, 0);
	ck_assert_uint_le(sp.stats.n_reads, 20);
	/* Each string is kept once. */
	ck_assert_uint_le(t.texts.n_text, 1 + HOSTS * 8 + 100);
	rd_world_table_end(&t);
	close_space(&sp);
	fake_destroy(f);
}
END_TEST

/* ---- places ----------------------------------------------------------------------------------------- */

/* Packed, or aligned by a compiler: in a 32-bit process there is no difference. */
START_TEST(test_places)
{
	static const size_t counts[] = { 1, 2, 3, 64, 65, 500 };

	for (int target = 0; target < DEMO_N_TARGETS; target++) {
		for (uint32_t stride = 20; stride <= 24; stride += 4) {
			struct fake *f = demo_fake(target);
			struct fake_mpi2dd m;
			struct acc_space sp;
			struct rd_place_table t;
			struct rd_place place;
			char host[32];
			size_t n = counts[_i];

			fake_mpi2dd_init(&m, f);
			fake_mpi2dd_places(&m, false, n, 50, f->word_bytes == 8 ? stride : 0);
			ck_assert_int_eq(open_places(&m, &sp, &t), ACC_OK);
			if (n > 1)
				ck_assert_uint_eq(t.records.stride, m.place_stride);
			for (size_t i = 0; i < n; i++) {
				snprintf(host, sizeof(host), "dir%zu", i);
				ck_assert_int_eq(rd_place_table_next(&t, &place), ACC_OK);
				ck_assert_int_eq(place.pid, (int64_t)(50 + i));
				ck_assert_str_eq(place.host, host);
				ck_assert_str_eq(place.executable, "/bin/ring");
				ck_assert(place.sound);
			}
			ck_assert_int_eq(rd_place_table_next(&t, &place), ACC_NONE);
			ck_assert_uint_eq(t.n_bad, 0);
			rd_place_table_end(&t);
			close_space(&sp);
			fake_destroy(f);
		}
	}
}
END_TEST

/* With a bad entry among them the stride is still found. */
START_TEST(test_damaged_place)
{
	static const struct {
		struct fake_mpi2dd_field field;
		int64_t value;
	} rows[] = {
		{ FAKE_PLACE(host_name), 0 },
		{ FAKE_PLACE(host_name), 0xdead0 },
		{ FAKE_PLACE(executable_name), 0 },
		{ FAKE_PLACE(pid), -9 },
	};

	for (uint32_t stride = 20; stride <= 24; stride += 4) {
		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
			struct fake *f = demo_fake(_i);
			struct fake_mpi2dd m;
			struct acc_space sp;
			struct rd_place_table t;
			struct rd_place place;

			fake_mpi2dd_init(&m, f);
			fake_mpi2dd_places(&m, false, 4, 50, f->word_bytes == 8 ? stride : 0);
			fake_mpi2dd_put_at(&m, m.directories_addr + m.place_stride, rows[i].field, rows[i].value);
			ck_assert_int_eq(open_places(&m, &sp, &t), ACC_OK);
			for (int k = 0; k < 4; k++) {
				ck_assert_int_eq(rd_place_table_next(&t, &place), ACC_OK);
				ck_assert_int_eq(place.sound, k != 1);
				if (k != 1)
					ck_assert_int_eq(place.pid, 50 + k);
			}
			ck_assert_uint_eq(t.n_bad, 1);
			rd_place_table_end(&t);
			close_space(&sp);
			fake_destroy(f);
		}
	}
}
END_TEST

START_TEST(test_no_places)
{
	struct fake *f = demo_fake(_i);
	struct fake_mpi2dd m;
	struct acc_space sp;
	struct rd_place_table t;
	struct rd_mpi2dd info = { 0 };

	fake_mpi2dd_init(&m, f);
	ck_assert_int_eq(open_places(&m, &sp, &t), ACC_NONE);
	ck_assert_int_eq(rd_place_table(&sp, &info, RD_MPI2DD_PROCS, &t), ACC_EINVAL);
	close_space(&sp);
	fake_mpi2dd_put(&m, FAKE_INFO(directory_size), 3);
	ck_assert_int_eq(open_places(&m, &sp, &t), ACC_ECORRUPT);
	ck_assert_ptr_nonnull(strstr(sp.note.text, "MPI2DD_info.directory_table: null"));
	close_space(&sp);
	fake_destroy(f);
}
END_TEST

/* ---- failures --------------------------------------------------------------------------------------- */

/* Everything of the tables. @return the first failure that is not the end */
static enum acc_rc read_all(struct acc_space *sp, size_t *n, uint64_t *n_bad)
{
	struct rd_mpi2dd info;
	struct rd_world_table procs;
	struct rd_world_proc proc;
	struct rd_place_table places;
	struct rd_place place;

	*n = *n_bad = 0;

	enum acc_rc rc = rd_jobs_mpi2dd(sp, &info);
	if (!rc)
		rc = rd_world_table(sp, &info, &procs);
	if (rc)
		return rc;
	while (!(rc = rd_world_table_next(&procs, &proc)))
		++*n;
	*n_bad += procs.n_bad;
	rd_world_table_end(&procs);
	for (int t = RD_MPI2DD_DIRECTORIES; rc == ACC_NONE && t <= RD_MPI2DD_METADIRECTORIES; t++) {
		rc = rd_place_table(sp, &info, (enum rd_mpi2dd_table)t, &places);
		if (rc)
			return rc;
		while (!(rc = rd_place_table_next(&places, &place)))
			++*n;
		*n_bad += places.n_bad;
		rd_place_table_end(&places);
	}
	return rc == ACC_NONE ? ACC_OK : rc;
}

/* The n-th read, or the n-th allocation, fails: the answer is an error, or nothing is lost but counted. */
static void nth_fails(int target, bool allocs, bool for_ever)
{
	struct fake *f = demo_fake(target);
	struct fake_mpi2dd m;
	struct fake_fuse *fuse = allocs ? &f->allocs : &f->reads;

	fake_mpi2dd_init(&m, f);
	fake_mpi2dd_job(&m, 6);
	fake_mpi2dd_spawned(&m, 2, "w", 1, 0);
	fake_mpi2dd_spawned(&m, 1, "v", 1, 0);
	fake_mpi2dd_places(&m, false, 3, 50, f->word_bytes == 8 ? 24 : 0);
	fake_mpi2dd_places(&m, true, 2, 60, 0);
	for (int64_t i = 0;; i++) {
		struct acc_space sp;
		size_t n;
		uint64_t n_bad;

		ck_assert_int_lt(i, 1000);
		ck_assert_int_eq(fake_space(f, &sp), ACC_OK);
		fake_fuse(fuse, i, for_ever);
		enum acc_rc rc = read_all(&sp, &n, &n_bad);
		uint64_t n_failed = fuse->n_failed;
		fake_fuse_off(fuse);
		if (rc) {
			ck_assert_int_eq(rc, allocs ? ACC_ENOMEM : ACC_EREAD);
			ck_assert_int_eq(sp.note.rc, rc);
			ck_assert_ptr_nonnull(strstr(sp.note.text, "MPI2DD_info"));
		} else {
			ck_assert_uint_eq(n, 11);
		}
		acc_space_deinit(&sp);
		ck_assert_uint_eq(f->n_live, 0);
		if (!n_failed) {
			ck_assert_int_eq(rc, ACC_OK);
			ck_assert_uint_eq(n_bad, 0);
			ck_assert_int_gt(i, 3);
			break;
		}
	}
	fake_destroy(f);
}

START_TEST(test_nth_read_fails)
{
	nth_fails(_i, false, false);
	nth_fails(_i, false, true);
}
END_TEST

START_TEST(test_nth_alloc_fails)
{
	nth_fails(_i, true, false);
	nth_fails(_i, true, true);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("mpi2dd_tables");
	TCase *tc = tcase_create("mpi2dd_tables");

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, test_procs, 0, DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_no_procs, 0, DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_damaged_proc, 0, N_ENTRY_DAMAGES);
	tcase_add_loop_test(tc, test_damaged_strings, 0, DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_short_table, 0, DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_zeroes, 0, DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_blocks, 0, DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_places, 0, 6);
	tcase_add_loop_test(tc, test_damaged_place, 0, DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_no_places, 0, DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_nth_read_fails, 0, DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_nth_alloc_fails, 0, DEMO_N_TARGETS);
	suite_add_tcase(s, tc);
	return s;
}

int main(void)
{
	return suite_run(suite());
}
