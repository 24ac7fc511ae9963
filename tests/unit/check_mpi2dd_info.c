/* SPDX-License-Identifier: BSD-3-Clause */
/* readers/jobs/mpi2dd_info.c: MPI2DD_info, sound, damaged field by field, and contradictory. */
#include "../../access/limits.h"
#include "../../readers/jobs/mpi2dd_info.h"
#include "../support/demo.h"
#include "../support/fake_mpi2dd.h"
#include "../support/suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static char text[ACC_STRING_MAX + 1];

START_TEST(test_sound)
{
	struct fake *f = demo_fake(_i);
	struct fake_mpi2dd m;
	struct acc_space sp;
	struct rd_mpi2dd info;

	fake_mpi2dd_init(&m, f);
	fake_mpi2dd_job(&m, 5);
	uint64_t directories = fake_mpi2dd_places(&m, false, 2, 50, 0), other = fake_mpi2dd_places(&m, true, 3, 60, 0);
	fake_mpi2dd_put(&m, FAKE_INFO(debug_state), MPI2DD_DEBUG_ABORT);
	fake_mpi2dd_put(&m, FAKE_INFO(debugger_flags), 0x80000005);
	fake_mpi2dd_put(&m, FAKE_INFO(dll_name_64), (int64_t)fake_string(f, "/usr/lib/libmpidbg.so"));
	fake_mpi2dd_put(&m, FAKE_INFO(abort_string), (int64_t)fake_string(f, "MPI_Abort(\n\tMPI_COMM_WORLD, 3)"));
	ck_assert_int_eq(fake_space(f, &sp), ACC_OK);
	ck_assert_int_eq(rd_jobs_mpi2dd(&sp, &info), ACC_OK);
	ck_assert_uint_eq(info.addr, m.info_addr);
	ck_assert_uint_eq(info.version, 1);
	ck_assert_uint_eq(info.variant, 1);
	ck_assert_uint_eq(info.debug_state, MPI2DD_DEBUG_ABORT);
	ck_assert_uint_eq(info.debugger_flags, 0x80000005);
	ck_assert_uint_eq(info.mpi_flags, 3);
	ck_assert_int_eq(rd_jobs_mpi2dd_check(&sp, &info), ACC_OK);
	info.debug_state = MPI2DD_DEBUG_HANG; /* of the starter, and far from the others */
	ck_assert_int_eq(rd_jobs_mpi2dd_check(&sp, &info), ACC_OK);
	ck_assert_int_eq(info.tables[RD_MPI2DD_PROCS].n, 5);
	ck_assert_uint_eq(info.tables[RD_MPI2DD_PROCS].addr, m.procs_addr);
	ck_assert_int_eq(info.tables[RD_MPI2DD_DIRECTORIES].n, 2);
	ck_assert_uint_eq(info.tables[RD_MPI2DD_DIRECTORIES].addr, directories);
	ck_assert_int_eq(info.tables[RD_MPI2DD_METADIRECTORIES].n, 3);
	ck_assert_uint_eq(info.tables[RD_MPI2DD_METADIRECTORIES].addr, other);
	ck_assert_int_eq(info.meta_pid, 1000);
	ck_assert(!info.extended);
	ck_assert_uint_eq(info.registry_addr, 0);
	ck_assert_int_eq(rd_jobs_mpi2dd_check(&sp, &info), ACC_OK);
	ck_assert_int_eq(rd_jobs_mpi2dd_text(&sp, &info, RD_MPI2DD_DLL_32, text, sizeof(text)), ACC_NONE);
	ck_assert_int_eq(rd_jobs_mpi2dd_text(&sp, &info, RD_MPI2DD_DLL_64, text, sizeof(text)), ACC_OK);
	ck_assert_str_eq(text, "/usr/lib/libmpidbg.so");
	ck_assert_int_eq(rd_jobs_mpi2dd_text(&sp, &info, RD_MPI2DD_META_HOST, text, sizeof(text)), ACC_OK);
	ck_assert_str_eq(text, "node0");
	ck_assert_int_eq(rd_jobs_mpi2dd_text(&sp, &info, RD_MPI2DD_META_EXECUTABLE, text, sizeof(text)), ACC_OK);
	ck_assert_str_eq(text, "/bin/ring");
	ck_assert_int_eq(rd_jobs_mpi2dd_text(&sp, &info, RD_MPI2DD_ABORT, text, sizeof(text)), ACC_OK);
	ck_assert_str_eq(text, "MPI_Abort(\n\tMPI_COMM_WORLD, 3)");
	ck_assert_ptr_null(rd_jobs_mpi2dd_contradiction(&info, 0));
	ck_assert_int_eq(sp.note.rc, ACC_OK);
	acc_space_deinit(&sp);
	fake_destroy(f);
}
END_TEST

/* As it is before the first instruction of the program. */
START_TEST(test_before_init)
{
	struct fake *f = demo_fake(_i);
	struct fake_mpi2dd m;
	struct acc_space sp;
	struct rd_mpi2dd info;

	ck_assert_int_eq(fake_space(f, &sp), ACC_OK);
	ck_assert_int_eq(rd_jobs_mpi2dd(&sp, &info), ACC_NONE);
	fake_mpi2dd_init(&m, f);
	ck_assert_int_eq(rd_jobs_mpi2dd(&sp, &info), ACC_OK);
	ck_assert_int_eq(rd_jobs_mpi2dd_check(&sp, &info), ACC_OK);
	for (int t = 0; t < RD_MPI2DD_N_TABLES; t++)
		ck_assert_int_eq(rd_jobs_mpi2dd_table(&sp, &info, (enum rd_mpi2dd_table)t), ACC_NONE);
	for (int t = 0; t < RD_MPI2DD_N_TEXTS; t++)
		ck_assert_int_eq(rd_jobs_mpi2dd_text(&sp, &info, (enum rd_mpi2dd_text)t, text, sizeof(text)), ACC_NONE);
	ck_assert_ptr_null(rd_jobs_mpi2dd_contradiction(&info, 0));
	ck_assert_int_eq(sp.note.rc, ACC_OK);
	acc_space_deinit(&sp);
	fake_destroy(f);
}
END_TEST

/* Each field in turn: the error contains its name and value. */
static const struct {
	struct fake_mpi2dd_field field;
	int64_t value;
	enum acc_rc rc;
	const char *words;
} damages[] = {
	{ FAKE_INFO(version), 0, ACC_EFIELD, "MPI2DD_info.version: 0: " },
	{ FAKE_INFO(version), 2, ACC_EFIELD, "MPI2DD_info.version: 2: " },
	{ FAKE_INFO(variant), 255, ACC_EFIELD, "MPI2DD_info.variant: 255: " },
	{ FAKE_INFO(debug_state), 9, ACC_ECORRUPT, "MPI2DD_info.debug_state: 9: " },
	{ FAKE_INFO(debug_state), 127, ACC_ECORRUPT, "MPI2DD_info.debug_state: 127: " },
	{ FAKE_INFO(debug_state), 200, ACC_ECORRUPT, "MPI2DD_info.debug_state: 200: " },
	{ FAKE_INFO(meta_pid), -1, ACC_ECORRUPT, "MPI2DD_info.meta_pid: -1: " },
	{ FAKE_INFO(proctable_size), -3, ACC_ECORRUPT, "MPI2DD_info.proctable_size: -3: " },
	{ FAKE_INFO(proctable_size), INT32_MIN, ACC_ECORRUPT, "MPI2DD_info.proctable_size: -2147483648: " },
	{ FAKE_INFO(proctable_size), INT32_MAX, ACC_ELIMIT, "MPI2DD_info.proctable_size: 2147483647: " },
	{ FAKE_INFO(proctable), 0, ACC_ECORRUPT, "MPI2DD_info.proctable: null, and proctable_size is 5" },
	{ FAKE_INFO(proctable), -8, ACC_ECORRUPT, "MPI2DD_info.proctable: 0x" },
	{ FAKE_INFO(directory_size), -1, ACC_ECORRUPT, "MPI2DD_info.directory_size: -1: " },
	{ FAKE_INFO(directory_size), (1 << 27) + 1, ACC_ELIMIT, "MPI2DD_info.directory_size: 134217729: " },
	{ FAKE_INFO(directory_table), 0, ACC_ECORRUPT, "MPI2DD_info.directory_table: null, and directory_size is 2" },
	{ FAKE_INFO(directory_table), -2, ACC_ECORRUPT, "MPI2DD_info.directory_table: 0x" },
	{ FAKE_INFO(metadirectory_size), -7, ACC_ECORRUPT, "MPI2DD_info.metadirectory_size: -7: " },
	{ FAKE_INFO(metadirectory_size), INT32_MAX, ACC_ELIMIT, "MPI2DD_info.metadirectory_size: 2147483647: " },
	{ FAKE_INFO(metadirectory_table), 0, ACC_ECORRUPT,
	  "MPI2DD_info.metadirectory_table: null, and metadirectory_size is 3" },
};
enum { N_DAMAGES = sizeof(damages) / sizeof(damages[0]) };

START_TEST(test_damaged)
{
	for (int target = 0; target < DEMO_N_TARGETS; target++) {
		struct fake *f = demo_fake(target);
		struct fake_mpi2dd m;
		struct acc_space sp;
		struct rd_mpi2dd info = { .addr = 77 };

		fake_mpi2dd_init(&m, f);
		fake_mpi2dd_job(&m, 5);
		fake_mpi2dd_places(&m, false, 2, 50, 0);
		fake_mpi2dd_places(&m, true, 3, 60, 0);
		fake_mpi2dd_put(&m, damages[_i].field, damages[_i].value);
		ck_assert_int_eq(fake_space(f, &sp), ACC_OK);
		enum acc_rc rc = rd_jobs_mpi2dd(&sp, &info);
		if (rc)
			ck_assert_uint_eq(info.addr, 77);
		else
			rc = rd_jobs_mpi2dd_check(&sp, &info);
		ck_assert_int_eq(rc, damages[_i].rc);
		ck_assert_int_eq(sp.note.rc, damages[_i].rc);
		ck_assert_msg(!strncmp(sp.note.text, damages[_i].words, strlen(damages[_i].words)), "%s", sp.note.text);
		acc_space_deinit(&sp);
		fake_destroy(f);
	}
}
END_TEST

START_TEST(test_magic)
{
	static const char *const wrong[] = { "MPI1\x7f", "MPI2\0", "\0\0\0\0", "mpi2\x7f", "\x7fMPI2" };

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct fake *f = demo_fake(_i);
		struct fake_mpi2dd m;
		struct acc_space sp;
		struct rd_mpi2dd info;

		fake_mpi2dd_init(&m, f);
		fake_write(f, m.info_addr, wrong[i], MPI2DD_MAGIC_BYTES);
		ck_assert_int_eq(fake_space(f, &sp), ACC_OK);
		ck_assert_int_eq(rd_jobs_mpi2dd(&sp, &info), ACC_ECORRUPT);
		ck_assert_ptr_nonnull(strstr(sp.note.text, "MPI2DD_info.magic: "));
		acc_space_deinit(&sp);
		fake_destroy(f);
	}
}
END_TEST

START_TEST(test_unreadable)
{
	struct fake *f = demo_fake(_i);
	struct acc_space sp;
	struct rd_mpi2dd info;

	fake_symbol(f, "MPI2DD_info", 0xdead0000);
	ck_assert_int_eq(fake_space(f, &sp), ACC_OK);
	ck_assert_int_eq(rd_jobs_mpi2dd(&sp, &info), ACC_EREAD);
	ck_assert_ptr_nonnull(strstr(sp.note.text, "MPI2DD_info at 0xdead0000"));
	acc_space_deinit(&sp);
	fake_destroy(f);
}
END_TEST

/* Strings: unreadable, without end, no text. */
START_TEST(test_texts)
{
	struct fake *f = demo_fake(_i);
	struct fake_mpi2dd m;
	struct acc_space sp;
	struct rd_mpi2dd info;
	uint64_t endless = fake_alloc(f, 2 * ACC_STRING_MAX, 8);
	char block[ACC_STRING_MAX + 100];

	memset(block, 'x', sizeof(block));
	fake_write(f, endless, block, sizeof(block));
	fake_mpi2dd_init(&m, f);
	fake_mpi2dd_put(&m, FAKE_INFO(dll_name_32), 0xdead0);
	fake_mpi2dd_put(&m, FAKE_INFO(dll_name_64), (int64_t)endless);
	fake_mpi2dd_put(&m, FAKE_INFO(meta_host_name), (int64_t)fake_string(f, "node\n0"));
	fake_mpi2dd_put(&m, FAKE_INFO(meta_executable_name), (int64_t)fake_string(f, "/caf\xc3\xa9/\xff"));
	fake_mpi2dd_put(&m, FAKE_INFO(abort_string), (int64_t)fake_string(f, "ring\a"));
	ck_assert_int_eq(fake_space(f, &sp), ACC_OK);
	ck_assert_int_eq(rd_jobs_mpi2dd(&sp, &info), ACC_OK);

	static const struct {
		enum rd_mpi2dd_text which;
		enum acc_rc rc;
		const char *words, *name;
	} rows[] = {
		{ RD_MPI2DD_DLL_32, ACC_EREAD, "0xdead0: cannot be read", "MPI2DD_info.dll_name_32: " },
		{ RD_MPI2DD_DLL_64, ACC_ECORRUPT, "has no end", "MPI2DD_info.dll_name_64: " },
		{ RD_MPI2DD_META_HOST, ACC_ECORRUPT, "is no text", "MPI2DD_info.meta_host_name: " },
		{ RD_MPI2DD_META_EXECUTABLE, ACC_ECORRUPT, "is no text", "MPI2DD_info.meta_executable_name: " },
		{ RD_MPI2DD_ABORT, ACC_ECORRUPT, "is no text", "MPI2DD_info.abort_string: " },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		acc_note_clear(&sp.note);
		ck_assert_int_eq(rd_jobs_mpi2dd_text(&sp, &info, rows[i].which, text, sizeof(text)), rows[i].rc);
		ck_assert_str_eq(text, "");
		ck_assert_ptr_nonnull(strstr(sp.note.text, rows[i].words));
		ck_assert_ptr_eq(strstr(sp.note.text, rows[i].name), sp.note.text);
	}
	/* The longest that is taken. */
	fake_write(f, endless + ACC_STRING_MAX - 1, "", 1);
	ck_assert_int_eq(rd_jobs_mpi2dd_text(&sp, &info, RD_MPI2DD_DLL_64, text, sizeof(text)), ACC_OK);
	ck_assert_uint_eq(strlen(text), ACC_STRING_MAX - 1);
	acc_space_deinit(&sp);
	fake_destroy(f);
}
END_TEST

START_TEST(test_extension)
{
	struct fake *f = demo_fake(_i);
	struct fake_mpi2dd m;
	struct acc_space sp;
	struct rd_mpi2dd info;

	fake_mpi2dd_init(&m, f);
	uint64_t at = m.info_addr + (f->word_bytes == 8 ? offsetof(struct MPI2DD_INFO_64, padding)
							: offsetof(struct MPI2DD_INFO_32, padding)),
		 registry_at = at + offsetof(struct MPI2DD_EXTENSION, registry);
	fake_write_u(f, at + offsetof(struct MPI2DD_EXTENSION, magic), 4, MPI2DD_EXTENSION_MAGIC);
	fake_write_u(f, at + offsetof(struct MPI2DD_EXTENSION, version), 4, MPI2DD_EXTENSION_VERSION);
	fake_write_u(f, registry_at, 8, 0x12345678);
	ck_assert_int_eq(fake_space(f, &sp), ACC_OK);
	ck_assert_int_eq(rd_jobs_mpi2dd(&sp, &info), ACC_OK);
	ck_assert(info.extended);
	ck_assert_uint_eq(info.registry_addr, 0x12345678);
	fake_write_u(f, registry_at, 8, 0);
	ck_assert_int_eq(rd_jobs_mpi2dd(&sp, &info), ACC_OK);
	ck_assert_uint_eq(info.registry_addr, 0);
	/* Beyond the target's words. */
	fake_write_u(f, registry_at, 8, UINT64_C(0x7f0012345678));
	ck_assert_int_eq(rd_jobs_mpi2dd(&sp, &info), ACC_OK);
	ck_assert_uint_eq(info.registry_addr, f->word_bytes == 8 ? UINT64_C(0x7f0012345678) : 0);
	/* A future version: its data is not used. */
	fake_write_u(f, at + offsetof(struct MPI2DD_EXTENSION, version), 4, 2);
	ck_assert_int_eq(rd_jobs_mpi2dd(&sp, &info), ACC_OK);
	ck_assert_uint_eq(info.registry_addr, 0);
	ck_assert_ptr_nonnull(strstr(rd_jobs_mpi2dd_contradiction(&info, 0), "MPI2DD_info.padding"));
	/* Somebody else's. */
	fake_write_u(f, at, 4, 1);
	ck_assert_int_eq(rd_jobs_mpi2dd(&sp, &info), ACC_OK);
	ck_assert(!info.extended);
	ck_assert_uint_eq(info.registry_addr, 0);
	acc_space_deinit(&sp);
	fake_destroy(f);
}
END_TEST

/* One contradiction more with each line. */
START_TEST(test_contradictions)
{
	static const struct {
		struct fake_mpi2dd_field field;
		int64_t value;
		const char *words;
	} rows[] = {
		{ FAKE_INFO(mpi_flags), MPI2DD_MPIFLAG_I_AM_METADIR, "does not say that this is a directory" },
		{ FAKE_INFO(mpi_flags), 0,
		  "does not say that this is a metadirectory, and there is a directory_table" },
		{ FAKE_INFO(mpi_flags), 0x83, "has bits" },
		{ FAKE_INFO(mpi_flags), 0x13, "there are no message queues, and names a library" },
		{ FAKE_INFO(proctable_size), 0, "says that this is a directory, and proctable_size is 0" },
		{ FAKE_INFO(meta_host_name), 0, "MPI2DD_info.meta_host_name: null" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct fake *f = demo_fake(_i);
		struct fake_mpi2dd m;
		struct acc_space sp;
		struct rd_mpi2dd info;
		bool found = false;
		const char *words;

		fake_mpi2dd_init(&m, f);
		fake_mpi2dd_job(&m, 5);
		fake_mpi2dd_places(&m, false, 2, 50, 0);
		fake_mpi2dd_put(&m, FAKE_INFO(dll_name_32), (int64_t)fake_string(f, "/x.so"));
		fake_mpi2dd_put(&m, rows[i].field, rows[i].value);
		ck_assert_int_eq(fake_space(f, &sp), ACC_OK);
		ck_assert_int_eq(rd_jobs_mpi2dd(&sp, &info), ACC_OK);
		ck_assert_int_eq(rd_jobs_mpi2dd_check(&sp, &info), ACC_OK);
		for (unsigned k = 0; (words = rd_jobs_mpi2dd_contradiction(&info, k)); k++)
			found |= strstr(words, rows[i].words) != NULL;
		ck_assert_msg(found, "%s", rows[i].words);
		acc_space_deinit(&sp);
		fake_destroy(f);
	}
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("mpi2dd_info");
	TCase *tc = tcase_create("mpi2dd_info");

	tcase_add_loop_test(tc, test_sound, 0, DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_before_init, 0, DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_damaged, 0, N_DAMAGES);
	tcase_add_loop_test(tc, test_magic, 0, DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_unreadable, 0, DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_texts, 0, DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_extension, 0, DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_contradictions, 0, DEMO_N_TARGETS);
	suite_add_tcase(s, tc);
	return s;
}

int main(void)
{
	return suite_run(suite());
}
