/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The built DLL on processes with MPI2DD_info: the functions of mpidbg.h, the iteration over processes
 * of mqs.h, and the descriptions; with good, missing, stale and senseless arguments and tables.
 */
#include "../../readers/jobs/records.h"
#include "../support/demo.h"
#include "../support/fake_mpi2dd.h"
#include "../support/fake_mqs.h"
#include "../support/suite.h"

#include <check.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A debugger on a process that has an MPI2DD_info, and no MPI library that the plugin knows. */
struct session {
	struct fake *f;
	struct fake_mpi2dd m;
	struct fake_mqs *d;
};

static void start(struct session *s, int target)
{
	s->f = demo_fake(target);
	fake_mpi2dd_init(&s->m, s->f);
	s->d = fake_mqs_create(s->f);
	s->d->dll.mqs_setup_basic_callbacks(&s->d->basic);
	ck_assert_int_eq(s->d->dll.mqs_setup_image(s->d->image, &s->d->image_callbacks), mqs_ok);
	ck_assert_int_eq(s->d->dll.mqs_setup_process(s->d->process, &s->d->process_callbacks), mqs_ok);
}

static void stop(struct session *s)
{
	ck_assert_uint_eq(s->d->n_dprints, 0);
	fake_mqs_teardown(s->d);
	fake_mqs_destroy(s->d);
	fake_destroy(s->f);
}

static void has_error(const struct session *s, const char *words)
{
	const char *text = s->d->dll.mpidbg_error_string(s->d->process);

	ck_assert_msg(strstr(text, words) != NULL, "\"%s\" instead of \"%s\"", text, words);
}

/* ---- mpidbg_get_... --------------------------------------------------------------------------------- */

START_TEST(test_get)
{
	struct session s;
	struct mpidbg_mpi2dd *info;
	struct mpidbg_world_proc *procs;
	struct mpidbg_place *places;
	size_t n, n_bad;

	start(&s, _i);
	fake_mpi2dd_job(&s.m, 4);
	fake_mpi2dd_spawned(&s.m, 3, "elsewhere", 2, 1);
	fake_mpi2dd_places(&s.m, false, 3, 50, 0);
	fake_mpi2dd_places(&s.m, true, 2, 60, s.f->word_bytes == 8 ? 24 : 0);
	fake_mpi2dd_put(&s.m, FAKE_INFO(dll_name_64), (int64_t)fake_string(s.f, "/usr/lib/libmpidbg.so"));
	fake_mpi2dd_put(&s.m, FAKE_INFO(debugger_flags), MPI2DD_FLAG_GATE);
	const struct fake_dll *dll = &s.d->dll;

	ck_assert_int_eq(dll->mpidbg_get_mpi2dd(s.d->process, &info), MPIDBG_SUCCESS);
	ck_assert_int_eq(info->version, 1);
	ck_assert_int_eq(info->variant, 1);
	ck_assert_int_eq(info->debug_state, MPI2DD_DEBUG_START);
	ck_assert_uint_eq(info->debugger_flags, MPI2DD_FLAG_GATE);
	ck_assert_uint_eq(info->mpi_flags, 3);
	ck_assert_ptr_null(info->dll_name_32);
	ck_assert_str_eq(info->dll_name_64, "/usr/lib/libmpidbg.so");
	ck_assert_str_eq(info->meta_host, "node0");
	ck_assert_str_eq(info->meta_executable, "/bin/ring");
	ck_assert_int_eq(info->meta_pid, 1000);
	ck_assert_ptr_null(info->abort_string);
	ck_assert_uint_eq(info->n_procs, 4);
	ck_assert_uint_eq(info->n_directories, 3);
	ck_assert_uint_eq(info->n_metadirectories, 2);
	ck_assert_uint_eq(info->info_addr, s.m.info_addr);
	ck_assert_uint_eq(info->registry_addr, 0);
	dll->mpidbg_free(info);

	n_bad = 77;
	ck_assert_int_eq(dll->mpidbg_get_world_procs(s.d->process, &procs, &n, &n_bad), MPIDBG_SUCCESS);
	ck_assert_uint_eq(n, 4);
	ck_assert_uint_eq(n_bad, 0);
	for (size_t i = 0; i < n; i++) {
		ck_assert_int_eq(procs[i].rank, (int64_t)i);
		ck_assert_int_eq(procs[i].pid, (int64_t)(1000 + i));
		ck_assert_str_eq(procs[i].host, i < 2 ? "node0" : "node1");
		ck_assert_str_eq(procs[i].executable, "/bin/ring");
		ck_assert_str_eq(procs[i].world, s.m.world);
		if (i == 3)
			ck_assert_str_eq(procs[i].parent_world, "elsewhere");
		else
			ck_assert_ptr_null(procs[i].parent_world);
		ck_assert_int_eq(procs[i].parent_rank, i == 3 ? 2 : -1);
		ck_assert_int_eq(procs[i].sequence, i == 3 ? 1 : -1);
	}
	dll->mpidbg_free(procs);

	for (int table = MPIDBG_TABLE_DIRECTORIES; table <= MPIDBG_TABLE_METADIRECTORIES; table++) {
		bool meta = table == MPIDBG_TABLE_METADIRECTORIES;

		ck_assert_int_eq(dll->mpidbg_get_places(s.d->process, table, &places, &n, NULL), MPIDBG_SUCCESS);
		ck_assert_uint_eq(n, meta ? 2 : 3);
		for (size_t i = 0; i < n; i++) {
			char host[32];

			snprintf(host, sizeof(host), "dir%zu", i);
			ck_assert_int_eq(places[i].pid, (int64_t)((meta ? 60 : 50) + i));
			ck_assert_str_eq(places[i].host, host);
			ck_assert_str_eq(places[i].executable, "/bin/ring");
		}
		dll->mpidbg_free(places);
	}
	stop(&s);
}
END_TEST

/* As the target has it. */
static void encode(const struct fake *f, unsigned char *at, unsigned width, uint64_t value)
{
	for (unsigned i = 0; i < width; i++)
		at[f->big_endian ? width - 1 - i : i] = (unsigned char)(value >> 8 * i);
}

/* A second block with far longer strings than the first: the array has to move, and its strings with it. */
START_TEST(test_get_long)
{
	enum { N = RD_RECORDS_BLOCK_MAX + 500, LONG = 3000 };
	struct session s;
	struct mpidbg_world_proc *procs;
	size_t n, n_bad;
	char text[LONG];

	start(&s, _i);
	struct fake *f = s.f;
	unsigned word = f->word_bytes;
	uint64_t host = fake_string(f, "h"), world = fake_string(f, "w");
	unsigned char *bytes = malloc((size_t)N * s.m.proc_bytes);
	ck_assert_ptr_nonnull(bytes);
	for (size_t i = 0; i < N; i++) {
		unsigned char *at = bytes + i * s.m.proc_bytes;
		uint64_t executable = world;

		if (i >= RD_RECORDS_BLOCK_MAX) {
			snprintf(text, sizeof(text), "/%0*zu", LONG - 10, i);
			executable = fake_string(f, text);
		}
		encode(f, at, word, host);
		encode(f, at + word, word, executable);
		encode(f, at + 2 * word, word, 0);
		encode(f, at + 3 * word, word, world);
		encode(f, at + 4 * word, 4, i + 1);
		encode(f, at + 4 * word + 4, 4, i);
	}
	s.m.procs_addr = fake_alloc_last(f, (uint64_t)N * s.m.proc_bytes);
	fake_write(f, s.m.procs_addr, bytes, (size_t)N * s.m.proc_bytes);
	free(bytes);
	fake_mpi2dd_put(&s.m, FAKE_INFO(proctable), (int64_t)s.m.procs_addr);
	fake_mpi2dd_put(&s.m, FAKE_INFO(proctable_size), N);
	ck_assert_int_eq(s.d->dll.mpidbg_get_world_procs(s.d->process, &procs, &n, &n_bad), MPIDBG_SUCCESS);
	ck_assert_uint_eq(n, N);
	ck_assert_uint_eq(n_bad, 0);
	for (size_t i = 0; i < N; i++) {
		snprintf(text, sizeof(text), "w");
		if (i >= RD_RECORDS_BLOCK_MAX)
			snprintf(text, sizeof(text), "/%0*zu", LONG - 10, i);
		if (procs[i].rank != (int64_t)i || strcmp(procs[i].executable, text) != 0 ||
		    strcmp(procs[i].host, "h") != 0 || strcmp(procs[i].world, "w") != 0)
			ck_abort_msg("entry %zu: %s", i, procs[i].executable);
	}
	s.d->dll.mpidbg_free(procs);
	stop(&s);
}
END_TEST

/* Wrong arguments, no table, no symbol: each with its code, and nothing is touched. */
START_TEST(test_get_nothing)
{
	struct session s;
	struct mpidbg_mpi2dd *info = (void *)1;
	struct mpidbg_world_proc *procs = (void *)1;
	struct mpidbg_place *places = (void *)1;
	size_t n = 77, n_bad = 78;

	start(&s, _i);
	const struct fake_dll *dll = &s.d->dll;
	mqs_process *p = s.d->process;

	ck_assert_int_eq(dll->mpidbg_get_mpi2dd(NULL, &info), MPIDBG_ERR_OUT_OF_RANGE);
	ck_assert_int_eq(dll->mpidbg_get_mpi2dd(p, NULL), MPIDBG_ERR_OUT_OF_RANGE);
	ck_assert_int_eq(dll->mpidbg_get_world_procs(NULL, &procs, &n, &n_bad), MPIDBG_ERR_OUT_OF_RANGE);
	ck_assert_int_eq(dll->mpidbg_get_world_procs(p, NULL, &n, &n_bad), MPIDBG_ERR_OUT_OF_RANGE);
	ck_assert_int_eq(dll->mpidbg_get_world_procs(p, &procs, NULL, &n_bad), MPIDBG_ERR_OUT_OF_RANGE);
	ck_assert_int_eq(dll->mpidbg_get_places(NULL, 0, &places, &n, &n_bad), MPIDBG_ERR_OUT_OF_RANGE);
	ck_assert_int_eq(dll->mpidbg_get_places(p, 2, &places, &n, &n_bad), MPIDBG_ERR_OUT_OF_RANGE);
	ck_assert_int_eq(dll->mpidbg_get_places(p, -1, &places, &n, &n_bad), MPIDBG_ERR_OUT_OF_RANGE);
	ck_assert_int_eq(dll->mpidbg_get_places(p, 0, NULL, &n, &n_bad), MPIDBG_ERR_OUT_OF_RANGE);
	ck_assert_int_eq(dll->mpidbg_get_places(p, 0, &places, NULL, &n_bad), MPIDBG_ERR_OUT_OF_RANGE);

	ck_assert_int_eq(dll->mpidbg_get_world_procs(p, &procs, &n, &n_bad), MPIDBG_ERR_NOT_FOUND);
	has_error(&s, "it is no directory");
	ck_assert_int_eq(dll->mpidbg_get_places(p, 0, &places, &n, &n_bad), MPIDBG_ERR_NOT_FOUND);
	has_error(&s, "no table of other directories");
	ck_assert_int_eq(dll->mpidbg_get_places(p, 1, &places, &n, &n_bad), MPIDBG_ERR_NOT_FOUND);
	has_error(&s, "no table of other metadirectories");
	fake_symbol_remove(s.f, "MPI2DD_info");
	ck_assert_int_eq(dll->mpidbg_get_mpi2dd(p, &info), MPIDBG_ERR_NOT_FOUND);
	has_error(&s, "no MPI2DD_info");
	ck_assert_int_eq(dll->mpidbg_get_world_procs(p, &procs, &n, &n_bad), MPIDBG_ERR_NOT_FOUND);
	has_error(&s, "no MPI2DD_info");
	ck_assert_int_eq(dll->mpidbg_get_places(p, 0, &places, &n, &n_bad), MPIDBG_ERR_NOT_FOUND);
	has_error(&s, "no MPI2DD_info");

	fake_mqs_teardown(s.d); /* stale: the process is no longer set up */
	ck_assert_int_eq(dll->mpidbg_get_mpi2dd(p, &info), MPIDBG_ERR_OUT_OF_RANGE);
	ck_assert_int_eq(dll->mpidbg_get_world_procs(p, &procs, &n, &n_bad), MPIDBG_ERR_OUT_OF_RANGE);
	ck_assert_int_eq(dll->mpidbg_get_places(p, 0, &places, &n, &n_bad), MPIDBG_ERR_OUT_OF_RANGE);
	ck_assert_ptr_eq(info, (void *)1);
	ck_assert_ptr_eq(procs, (void *)1);
	ck_assert_ptr_eq(places, (void *)1);
	ck_assert_uint_eq(n, 77);
	ck_assert_uint_eq(n_bad, 78);
	fake_mqs_destroy(s.d);
	fake_destroy(s.f);
}
END_TEST

/* A bad field stops what depends on it, and that alone. */
START_TEST(test_get_damaged)
{
	struct session s;
	struct mpidbg_mpi2dd *info = NULL;
	struct mpidbg_world_proc *procs;
	struct mpidbg_place *places = NULL;
	size_t n, n_bad;

	start(&s, _i);
	fake_mpi2dd_job(&s.m, 4);
	fake_mpi2dd_put(&s.m, FAKE_INFO(directory_size), -3);
	fake_mpi2dd_put_at(&s.m, fake_mpi2dd_proc(&s.m, 1), FAKE_PROC(pid), 0);
	const struct fake_dll *dll = &s.d->dll;
	mqs_process *p = s.d->process;

	ck_assert_int_eq(dll->mpidbg_get_mpi2dd(p, &info), MPIDBG_ERR_UNAVAILABLE);
	has_error(&s, "MPI2DD_info.directory_size: -3");
	ck_assert_int_eq(dll->mpidbg_get_places(p, 0, &places, &n, &n_bad), MPIDBG_ERR_UNAVAILABLE);
	has_error(&s, "MPI2DD_info.directory_size: -3");
	ck_assert_int_eq(dll->mpidbg_get_world_procs(p, &procs, &n, &n_bad), MPIDBG_SUCCESS);
	ck_assert_uint_eq(n, 4);
	ck_assert_uint_eq(n_bad, 1);
	ck_assert_int_eq(procs[1].pid, -1);
	ck_assert_int_eq(procs[2].pid, 1002);
	dll->mpidbg_free(procs);
	fake_mpi2dd_put(&s.m, FAKE_INFO(directory_size), 0);
	fake_mpi2dd_put(&s.m, FAKE_INFO(abort_string), 0xdead0);
	ck_assert_int_eq(dll->mpidbg_get_mpi2dd(p, &info), MPIDBG_ERR_UNAVAILABLE);
	has_error(&s, "MPI2DD_info.abort_string: ");
	fake_mpi2dd_put(&s.m, FAKE_INFO(version), 3);
	ck_assert_int_eq(dll->mpidbg_get_mpi2dd(p, &info), MPIDBG_ERR_UNAVAILABLE);
	has_error(&s, "MPI2DD_info.version: 3: this plugin reads version 1");
	ck_assert_int_eq(dll->mpidbg_get_world_procs(p, &procs, &n, &n_bad), MPIDBG_ERR_UNAVAILABLE);
	ck_assert_ptr_null(info);
	ck_assert_ptr_null(places);
	stop(&s);
}
END_TEST

/* ---- mqs_next_new_process --------------------------------------------------------------------------- */

static void expect(const struct session *s, long pid, const char *host, const char *image)
{
	mqs_process_location at;

	memset(&at, 0x55, sizeof(at));
	ck_assert_int_eq(s->d->dll.mqs_next_new_process(s->d->process, &at), mqs_ok);
	ck_assert_int_eq(at.pid, pid);
	ck_assert_str_eq(at.host_name, host);
	ck_assert_str_eq(at.image_name, image);
}

static void expect_end(const struct session *s, int code)
{
	mqs_process_location at;

	memset(&at, 0x55, sizeof(at));
	ck_assert_int_eq(s->d->dll.mqs_next_new_process(s->d->process, &at), code);
	ck_assert_int_eq(at.host_name[0], 0x55);
	ck_assert_int_eq(s->d->dll.mqs_next_new_process(s->d->process, &at), mqs_end_of_list);
}

START_TEST(test_new_processes)
{
	struct session s;

	start(&s, _i);
	fake_mpi2dd_job(&s.m, 3);
	uint64_t places = fake_mpi2dd_places(&s.m, false, 2, 50, 0);
	/* A directory that is in the process table, too; the same pid on another host is another process. */
	fake_mpi2dd_put_at(&s.m, places, FAKE_PLACE(host_name), (int64_t)fake_string(s.f, "node1"));
	fake_mpi2dd_put_at(&s.m, places, FAKE_PLACE(pid), 1002);
	places = fake_mpi2dd_places(&s.m, true, 2, 60, 0);
	fake_mpi2dd_put_at(&s.m, places, FAKE_PLACE(pid), 1002);
	const struct fake_dll *dll = &s.d->dll;

	expect_end(&s, mqs_end_of_list); /* not started */
	for (int turn = 0; turn < 2; turn++) {
		ck_assert_int_eq(dll->mqs_setup_new_process_iterator(s.d->process), mqs_ok);
		expect(&s, 1000, "node0", "/bin/ring");
		expect(&s, 1001, "node0", "/bin/ring");
		expect(&s, 1002, "node1", "/bin/ring");
		expect(&s, 51, "dir1", "/bin/ring");
		expect(&s, 1002, "dir0", "/bin/ring");
		expect(&s, 61, "dir1", "/bin/ring");
		expect_end(&s, mqs_end_of_list);
	}
	/* From a process that is no directory its metadirectory is found. */
	fake_mpi2dd_put(&s.m, FAKE_INFO(proctable_size), 0);
	fake_mpi2dd_put(&s.m, FAKE_INFO(directory_size), 0);
	fake_mpi2dd_put(&s.m, FAKE_INFO(metadirectory_size), 0);
	ck_assert_int_eq(dll->mqs_setup_new_process_iterator(s.d->process), mqs_ok);
	expect(&s, 1000, "node0", "/bin/ring");
	expect_end(&s, mqs_end_of_list);
	fake_mpi2dd_put(&s.m, FAKE_INFO(meta_pid), 0);
	ck_assert_int_eq(dll->mqs_setup_new_process_iterator(s.d->process), mqs_no_information);
	ck_assert_ptr_nonnull(strstr(dll->mqs_dll_error_string(mqs_no_information), "MPI2DD_info"));
	expect_end(&s, mqs_end_of_list);
	stop(&s);
}
END_TEST

/* An iteration ends when the process may have run, when another one starts, and with the process. */
START_TEST(test_new_processes_end)
{
	struct session s;
	mqs_process_location at;

	start(&s, _i);
	fake_mpi2dd_job(&s.m, 3);
	const struct fake_dll *dll = &s.d->dll;

	ck_assert_int_eq(dll->mqs_setup_new_process_iterator(NULL), err_bad_request);
	ck_assert_int_eq(dll->mqs_setup_new_process_iterator(s.d->process), mqs_ok);
	expect(&s, 1000, "node0", "/bin/ring");
	ck_assert_int_eq(dll->mqs_next_new_process(s.d->process, NULL), err_bad_request);
	ck_assert_int_eq(dll->mqs_next_new_process(NULL, &at), err_bad_request);
	expect(&s, 1001, "node0", "/bin/ring");
	ck_assert_int_eq(dll->mqs_setup_new_process_iterator(s.d->process), mqs_ok);
	expect(&s, 1000, "node0", "/bin/ring");
	dll->mqs_update_communicator_list(s.d->process);
	expect_end(&s, mqs_end_of_list);

	ck_assert_int_eq(dll->mqs_set_process_identity(s.d->process, 0), mqs_ok);
	ck_assert_int_eq(dll->mqs_set_process_identity(s.d->process, -1), err_bad_request);
	ck_assert_int_eq(dll->mqs_setup_new_process_iterator(s.d->process), mqs_ok);
	expect(&s, 1000, "node0", "/bin/ring");
	stop(&s); /* in the midst of it: nothing leaks */
}
END_TEST

static mqs_process *get_process(mqs_job *job, int i)
{
	(void)job;
	(void)i;
	return NULL;
}

START_TEST(test_job)
{
	struct session s;
	mqs_job_callbacks callbacks = { get_process };
	mqs_job *job = (mqs_job *)&s;

	start(&s, _i);
	const struct fake_dll *dll = &s.d->dll;
	ck_assert_int_eq(dll->mqs_setup_job(job, &callbacks), mqs_ok);
	ck_assert_int_eq(dll->mqs_setup_job(job, NULL), err_bad_request);
	ck_assert_int_eq(dll->mqs_setup_job(NULL, &callbacks), err_bad_request);
	callbacks.mqs_get_process_fp = NULL;
	ck_assert_int_eq(dll->mqs_setup_job(job, &callbacks), err_bad_request);
	ck_assert_int_eq(dll->mqs_destroy_job_info(NULL), mqs_ok);
	stop(&s);
}
END_TEST

/* What cannot be told whole is left out, and the iteration does not end well. */
START_TEST(test_new_processes_damaged)
{
	struct session s;
	char host[80];

	memset(host, 'h', sizeof(host) - 1);
	host[sizeof(host) - 1] = '\0';
	start(&s, _i);
	fake_mpi2dd_job(&s.m, 4);
	fake_mpi2dd_put(&s.m, FAKE_INFO(directory_size), -1);
	fake_mpi2dd_put_at(&s.m, fake_mpi2dd_proc(&s.m, 1), FAKE_PROC(pid), -1);
	fake_mpi2dd_put_at(&s.m, fake_mpi2dd_proc(&s.m, 2), FAKE_PROC(host_name), (int64_t)fake_string(s.f, host));
	/* Without its world a process is found all the same. */
	fake_mpi2dd_put_at(&s.m, fake_mpi2dd_proc(&s.m, 3), FAKE_PROC(comm_world_id), 0);
	const struct fake_dll *dll = &s.d->dll;

	ck_assert_int_eq(dll->mqs_setup_new_process_iterator(s.d->process), mqs_ok);
	expect(&s, 1000, "node0", "/bin/ring");
	expect(&s, 1003, "node1", "/bin/ring");
	mqs_process_location at;
	ck_assert_int_eq(dll->mqs_next_new_process(s.d->process, &at), err_failed_status);
	const char *words = dll->mqs_dll_error_string(err_failed_status);
	ck_assert_msg(strstr(words, "processes: 3 left out, the first: MPI2DD_info.proctable: ") != NULL, "%s", words);
	ck_assert_int_eq(dll->mqs_next_new_process(s.d->process, &at), mqs_end_of_list);

	fake_mpi2dd_put(&s.m, FAKE_INFO(variant), 9);
	ck_assert_int_eq(dll->mqs_setup_new_process_iterator(s.d->process), err_missing_type);
	ck_assert_ptr_nonnull(strstr(dll->mqs_dll_error_string(err_missing_type), "MPI2DD_info.variant: 9"));
	stop(&s);
}
END_TEST

/* Hundreds of processes: the set of processes already returned must grow. */
START_TEST(test_many_new_processes)
{
	enum { N = 3000 };
	struct session s;
	char host[32];

	start(&s, _i);
	fake_mpi2dd_job(&s.m, N);
	ck_assert_int_eq(s.d->dll.mqs_setup_new_process_iterator(s.d->process), mqs_ok);
	for (int i = 0; i < N; i++) {
		snprintf(host, sizeof(host), "node%d", i / 2);
		expect(&s, 1000 + i, host, "/bin/ring");
	}
	expect_end(&s, mqs_end_of_list);
	stop(&s);
}
END_TEST

/* ---- descriptions ----------------------------------------------------------------------------------- */

static json_t *describe(const struct session *s, int what, int wanted_code)
{
	struct mpidbg_options options = { .size = sizeof(options), .format = MPIDBG_FORMAT_JSON };
	char *text = NULL;
	json_error_t error;

	ck_assert_int_eq(s->d->dll.mpidbg_describe(s->d->process, what, &options, &text), wanted_code);
	ck_assert_ptr_nonnull(text);
	json_t *json = json_loads(text, 0, &error);
	ck_assert_msg(json != NULL, "%s: %s", error.text, text);
	s->d->dll.mpidbg_free(text);
	return json;
}

static const char *string_of(json_t *json, const char *key)
{
	const char *text = json_string_value(json_object_get(json, key));

	ck_assert_msg(text != NULL, "%s", key);
	return text;
}

START_TEST(test_describe)
{
	struct session s;

	start(&s, _i);
	fake_mpi2dd_job(&s.m, 2);
	fake_mpi2dd_spawned(&s.m, 1, "elsewhere", 2, 1);
	fake_mpi2dd_places(&s.m, false, 1, 50, 0);
	json_t *json = describe(&s, MPIDBG_WHAT_PROCS, MPIDBG_SUCCESS);
	json_t *info = json_object_get(json, "mpi2dd");
	ck_assert_str_eq(string_of(info, "state"), "start");
	ck_assert_int_eq(json_integer_value(json_object_get(info, "version")), 1);
	ck_assert_str_eq(json_string_value(json_array_get(json_object_get(info, "mpi_flags"), 0)), "metadirectory");
	ck_assert_str_eq(json_string_value(json_array_get(json_object_get(info, "mpi_flags"), 1)), "directory");
	ck_assert_uint_eq(json_array_size(json_object_get(info, "debugger_flags")), 0);
	ck_assert_str_eq(string_of(json_object_get(info, "metadirectory"), "host"), "node0");
	ck_assert_uint_eq(json_array_size(json_object_get(json, "processes")), 2);
	json_t *proc = json_array_get(json_object_get(json, "processes"), 1);
	ck_assert_int_eq(json_integer_value(json_object_get(proc, "pid")), 1001);
	ck_assert_str_eq(string_of(proc, "world"), s.m.world);
	ck_assert_str_eq(string_of(json_object_get(proc, "parent"), "world"), "elsewhere");
	ck_assert_int_eq(json_integer_value(json_object_get(json_object_get(proc, "parent"), "sequence")), 1);
	ck_assert_uint_eq(json_array_size(json_object_get(json, "directories")), 1);
	ck_assert_uint_eq(json_array_size(json_object_get(json, "metadirectories")), 0);
	ck_assert_uint_eq(json_array_size(json_object_get(json, "problems")), 0);
	json_decref(json);

	/* The doctor reports it even without an MPI library. */
	json = describe(&s, MPIDBG_WHAT_DOCTOR, MPIDBG_ERR_NOT_FOUND);
	ck_assert_ptr_nonnull(json_object_get(json_object_get(json, "mpi2dd"), "state"));
	json_decref(json);
	fake_symbol_remove(s.f, "MPI2DD_info");
	json = describe(&s, MPIDBG_WHAT_DOCTOR, MPIDBG_ERR_NOT_FOUND);
	ck_assert(json_is_null(json_object_get(json, "mpi2dd")));
	ck_assert_ptr_nonnull(strstr(string_of(json, "mpi2dd_why"), "not there"));
	json_decref(json);
	stop(&s);
}
END_TEST

START_TEST(test_describe_problems)
{
	struct session s;

	start(&s, _i);
	fake_mpi2dd_job(&s.m, 2);
	fake_mpi2dd_put(&s.m, FAKE_INFO(proctable_size), -3);
	fake_mpi2dd_put(&s.m, FAKE_INFO(meta_host_name), 0xdead0);
	fake_mpi2dd_put(&s.m, FAKE_INFO(mpi_flags), 0x100);
	fake_mpi2dd_put(&s.m, FAKE_INFO(debug_state), 44);
	json_t *json = describe(&s, MPIDBG_WHAT_PROCS, MPIDBG_ERR_UNAVAILABLE);
	json_t *problems = json_object_get(json, "problems");
	char all[4096] = "";
	size_t n;
	json_t *problem;

	json_array_foreach(problems, n, problem)
		snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s\n", json_string_value(problem));
	ck_assert_msg(strstr(all, "MPI2DD_info.proctable_size: -3") != NULL, "%s", all);
	ck_assert_msg(strstr(all, "MPI2DD_info.meta_host_name: ") != NULL, "%s", all);
	ck_assert_msg(strstr(all, "MPI2DD_info.mpi_flags: has bits") != NULL, "%s", all);
	ck_assert_msg(strstr(all, "MPI2DD_info.debug_state: 44") != NULL, "%s", all);
	ck_assert(json_is_null(json_object_get(json_object_get(json, "mpi2dd"), "state")));
	json_decref(json);
	stop(&s);
}
END_TEST

/* ---- failures of the debugger ----------------------------------------------------------------------- */

/* Call everything once. @return false: a call has failed; true: everything was returned, possibly after retries */
static bool everything(const struct session *s)
{
	const struct fake_dll *dll = &s->d->dll;
	mqs_process *p = s->d->process;
	struct mpidbg_mpi2dd *info = NULL;
	struct mpidbg_world_proc *procs = NULL;
	struct mpidbg_place *places = NULL;
	mqs_process_location at;
	size_t n = 4, n_places = 3, n_bad = 0, n_bad_places = 0, n_new = 0;
	char *text = NULL;
	bool good = dll->mpidbg_get_mpi2dd(p, &info) == MPIDBG_SUCCESS;

	good &= dll->mpidbg_get_world_procs(p, &procs, &n, &n_bad) == MPIDBG_SUCCESS;
	good &= dll->mpidbg_get_places(p, 0, &places, &n_places, &n_bad_places) == MPIDBG_SUCCESS;
	good &= dll->mpidbg_describe(p, MPIDBG_WHAT_PROCS, NULL, &text) == MPIDBG_SUCCESS;
	good &= dll->mqs_setup_new_process_iterator(p) == mqs_ok;
	int rc;
	while ((rc = dll->mqs_next_new_process(p, &at)) == mqs_ok)
		n_new++;
	good &= rc == mqs_end_of_list;
	dll->mpidbg_free(info);
	dll->mpidbg_free(procs);
	dll->mpidbg_free(places);
	dll->mpidbg_free(text);
	ck_assert_uint_eq(n, 4);
	ck_assert_uint_eq(n_places, 3);
	if (good && !n_bad && !n_bad_places)
		ck_assert_uint_eq(n_new, 7);
	return good && !n_bad && !n_bad_places;
}

static void nth_fails(int target, bool allocs)
{
	struct session s;

	start(&s, target);
	fake_mpi2dd_job(&s.m, 4);
	fake_mpi2dd_spawned(&s.m, 2, "w", 1, 0);
	fake_mpi2dd_places(&s.m, false, 3, 50, 0);
	struct fake_fuse *fuse = allocs ? &s.f->allocs : &s.f->reads;
	size_t before = s.f->n_live;

	for (int64_t i = 0;; i++) {
		ck_assert_int_lt(i, 2000);
		fake_fuse(fuse, i, false);
		bool good = everything(&s);
		uint64_t n_failed = fuse->n_failed;
		fake_fuse_off(fuse);
		/* No memory leaks. everything() checks that failures are reported. */
		ck_assert_uint_eq(s.f->n_live, before);
		if (!n_failed) {
			ck_assert(good);
			ck_assert_int_gt(i, 10);
			break;
		}
	}
	stop(&s);
}

START_TEST(test_nth_read_fails)
{
	nth_fails(_i, false);
}
END_TEST

START_TEST(test_nth_alloc_fails)
{
	nth_fails(_i, true);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("mpi2dd_dll");
	TCase *tc = tcase_create("mpi2dd_dll");

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, test_get, 0, DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_get_long, 0, 2);
	tcase_add_loop_test(tc, test_get_nothing, 0, DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_get_damaged, 0, DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_new_processes, 0, DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_new_processes_end, 0, DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_job, 0, DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_new_processes_damaged, 0, DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_many_new_processes, 0, 2);
	tcase_add_loop_test(tc, test_describe, 0, DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_describe_problems, 0, DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_nth_read_fails, 0, DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_nth_alloc_fails, 0, DEMO_N_TARGETS);
	suite_add_tcase(s, tc);
	return s;
}

int main(void)
{
	return suite_run(suite());
}
