/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tables of a world, held against what each rank knows of itself. Each test looks at all of the jobs below; the
 * numbers are those of the requirements in docs/mpi2dd.md.
 */
#include "../../include/mpi2dd.h"
#include "../support/launcher.h"
#include "../support/suite.h"
#include "../support/world.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TIMEOUT_S = 240 };

/* Without --oversubscribe, with which launchers since 5.0 put all ranks on the first host. */
#define HOSTS "-H n1:2,n2:2,n3:1 --mca plm_rsh_agent @support/host_agent"

#define NETWORK      "@support/hosts n1 n2 n3 -- "
#define NETWORK_ARGS "--mca oob_tcp_if_include 10.77.3.0/24 --mca btl_tcp_if_include 10.77.3.0/24 "

/* Every process carries the library. */
static struct job_case {
	const char *command;
	size_t n, n_hosts;
} cases[] = {
	{ "mpirun.openmpi --oversubscribe -n 1 -x LD_PRELOAD=@openmpi @world fork", 1, 1 },
	{ "mpirun.openmpi --oversubscribe -n 2 -x LD_PRELOAD=@openmpi @world multiple", 2, 1 },
	{ "mpirun.openmpi --oversubscribe -n 5 -x LD_PRELOAD=@openmpi @world fork", 5, 1 },
	{ "mpirun.openmpi --oversubscribe -n 2 -x LD_PRELOAD=@openmpi @world : -n 1 -x LD_PRELOAD=@openmpi sh -c "
	  "@world",
	  3, 1 },
	{ "env LD_PRELOAD=@openmpi @world", 1, 1 },
	/* variables of another launcher, or of another program's rank, do not lead astray */
	{ "env LD_PRELOAD=@openmpi SLURM_JOB_ID=1 SLURM_STEP_ID=0 SLURM_STEP_TASKS_PER_NODE=4 SLURM_NODEID=0 "
	  "SLURM_STEP_NUM_TASKS=4 SLURM_PROCID=0 SLURM_LOCALID=0 @world",
	  1, 1 },
	{ "mpirun.mpich -n 1 -genv LD_PRELOAD @mpich @worldmpich fork", 1, 1 },
	{ "mpirun.mpich -n 2 -genv LD_PRELOAD @mpich @worldmpich multiple", 2, 1 },
	{ "mpirun.mpich -n 5 -genv LD_PRELOAD @mpich @worldmpich fork", 5, 1 },
	{ "env LD_PRELOAD=@mpich @worldmpich", 1, 1 },
	{ "mpirun.openmpi " HOSTS " -n 5 -x LD_PRELOAD=@openmpi -x MPI2DD_EVERYONE=1 @world", 5, 3 },
	{ "@build/mpi2dd-run mpirun.openmpi " HOSTS " -n 5 @world", 5, 3 },
	{ "@build/mpi2dd-run mpirun.mpich -n 3 @worldmpich", 3, 1 },
	/* hosts with separate networks; local sockets of one are not visible from the other */
	{ NETWORK "@build/mpi2dd-run mpirun.openmpi " NETWORK_ARGS HOSTS " -n 5 @world", 5, 3 },
	{ NETWORK "mpirun.openmpi " NETWORK_ARGS HOSTS " -n 5 -x LD_PRELOAD=@openmpi -x MPI2DD_EVERYONE=1 @world", 5,
	  3 },
};
enum { N_CASES = sizeof cases / sizeof *cases };
static json_t *tables[N_CASES];
static size_t n_cases = N_CASES;

/* Leave out the cases with these words in their command. */
static void leave_out(const char *words)
{
	size_t n = 0;

	for (size_t i = 0; i < n_cases; i++)
		if (!strstr(cases[i].command, words))
			cases[n++] = cases[i];
	n_cases = n;
}

static void start_all(void)
{
	struct mpidbg_run r;
	world_run(&r, NETWORK "true");
	if (r.exit_code != 0) {
		printf("no networks of our own here: %s", r.err);
		leave_out(NETWORK);
	}
	mpidbg_run_free(&r);
	if (!launcher_reaches_hosts())
		leave_out("mpirun.openmpi " HOSTS);
	for (size_t i = 0; i < n_cases; i++) {
		const char *command = cases[i].command;

		if (strstr(command, " : ") && !launcher_takes_several()) {
			command = "mpirun.openmpi --oversubscribe -n 3 -x LD_PRELOAD=@openmpi sh -c @world";
			printf("%s: instead of %s\n", command, cases[i].command);
		}
		tables[i] = world_table(command);
		ck_assert_msg(json_array_size(tables[i]) == cases[i].n, "%s: %zu ranks", cases[i].command,
			      json_array_size(tables[i]));
	}
}

static void end_all(void)
{
	for (size_t i = 0; i < n_cases; i++)
		json_decref(tables[i]);
}

#define EACH_RANK(i, rank)                                                                                             \
	for (size_t i = 0; i < n_cases; i++)                                                                           \
		for (size_t rank = 0; rank < cases[i].n; rank++)

static size_t size_of(const json_t *info, const char *name)
{
	ck_assert(json_is_array(json_object_get(info, name)));
	return json_array_size(json_object_get(info, name));
}

static bool has_flag(const json_t *info, int flag)
{
	return world_number(info, "mpi_flags") & flag;
}

START_TEST(test_req_03_05_magic_version_variant)
{
	EACH_RANK(i, rank)
	{
		const json_t *info = world_info(tables[i], rank);
		ck_assert_int_eq(world_number(info, "magic"), 1);
		ck_assert_int_eq(world_number(info, "version"), 1);
		ck_assert_int_eq(world_number(info, "variant"), 1);
	}
}
END_TEST

START_TEST(test_req_06_state_is_start)
{
	EACH_RANK(i, rank)
	ck_assert_int_eq(world_number(world_info(tables[i], rank), "state"), MPI2DD_DEBUG_START);
}
END_TEST

START_TEST(test_req_07_debugger_flags_are_zero)
{
	EACH_RANK(i, rank)
	ck_assert_int_eq(world_number(world_info(tables[i], rank), "debugger_flags"), 0);
}
END_TEST

START_TEST(test_req_11_flags_fit_the_tables)
{
	EACH_RANK(i, rank)
	{
		const json_t *info = world_info(tables[i], rank);
		bool meta = world_number(info, "meta_pid") == world_number(world_rank(tables[i], rank), "pid") &&
			    strcmp(world_text(info, "meta_host"), world_text(world_rank(tables[i], rank), "host")) == 0;
		ck_assert_int_eq(has_flag(info, MPI2DD_MPIFLAG_I_AM_DIR), size_of(info, "proctable") > 0);
		ck_assert_int_eq(has_flag(info, MPI2DD_MPIFLAG_I_AM_METADIR), meta);
		ck_assert_int_eq(meta, rank == 0);
		ck_assert(!has_flag(info, MPI2DD_MPIFLAG_I_AM_STARTER));
		ck_assert(!has_flag(info, MPI2DD_MPIFLAG_FORCE_TO_MAIN));
		ck_assert(!has_flag(info, MPI2DD_MPIFLAG_ACQUIRED_PRE_MAIN));
		ck_assert(has_flag(info, MPI2DD_MPIFLAG_PARTIAL_ATTACH_OK));
		ck_assert(!has_flag(info, ~0x7f));
	}
}
END_TEST

START_TEST(test_req_12_path_of_the_plugin)
{
	char *plugin = world_command("@build/libmpidbg.so");
	ck_assert_int_eq(access(plugin, R_OK), 0);
	EACH_RANK(i, rank)
	{
		const json_t *info = world_info(tables[i], rank);
		ck_assert_str_eq(world_text(info, "dll_64"), plugin);
		ck_assert_str_eq(world_text(world_rank(tables[i], rank), "plugins"), plugin);
		ck_assert(json_is_null(json_object_get(info, "dll_32")));
		ck_assert(!has_flag(info, MPI2DD_MPIFLAG_IGNORE_QUEUE));
	}
	free(plugin);
}
END_TEST

/* The way from any rank leads to the same processes. */
START_TEST(test_req_13_every_rank_leads_to_all)
{
	for (size_t i = 0; i < n_cases; i++) {
		json_t *first = world_walk(tables[i], 0);
		ck_assert_uint_eq(json_array_size(first), cases[i].n);
		for (size_t rank = 1; rank < cases[i].n; rank++) {
			json_t *other = world_walk(tables[i], rank);
			ck_assert(json_equal(first, other));
			json_decref(other);
		}
		json_decref(first);
	}
}
END_TEST

START_TEST(test_req_14_metadirectory_program)
{
	EACH_RANK(i, rank)
	{
		const char *path = world_text(world_info(tables[i], rank), "meta_executable");
		ck_assert_str_eq(path, world_text(world_rank(tables[i], 0), "executable"));
		ck_assert_int_eq(access(path, R_OK), 0);
	}
}
END_TEST

START_TEST(test_req_15_no_abort_string)
{
	EACH_RANK(i, rank)
	ck_assert(json_is_null(json_object_get(world_info(tables[i], rank), "abort")));
}
END_TEST

START_TEST(test_req_16_one_proctable_for_each_host)
{
	for (size_t i = 0; i < n_cases; i++) {
		size_t n = 0;
		for (size_t rank = 0; rank < cases[i].n; rank++) {
			const json_t *info = world_info(tables[i], rank);
			bool none = size_of(info, "proctable") == 0;
			ck_assert_int_eq(none, world_number(info, "proctable_null"));
			n += !none;
		}
		ck_assert_uint_eq(n, cases[i].n_hosts);
	}
}
END_TEST

START_TEST(test_req_17_no_entry_for_itself)
{
	EACH_RANK(i, rank)
	{
		const json_t *info = world_info(tables[i], rank), *entry;
		size_t k;
		ck_assert_uint_eq(size_of(info, "directories"), rank == 0 ? cases[i].n_hosts - 1 : 0);
		ck_assert_int_eq(size_of(info, "directories") == 0, world_number(info, "directory_table_null"));
		json_array_foreach(json_object_get(info, "directories"), k, entry)
		{
			ck_assert(world_number(entry, "pid") != world_number(world_rank(tables[i], rank), "pid") ||
				  strcmp(world_text(entry, "host"), world_text(world_rank(tables[i], rank), "host")) !=
					  0);
			ck_assert_str_eq(world_text(entry, "executable"),
					 world_text(world_rank(tables[i], 0), "executable"));
		}
	}
}
END_TEST

START_TEST(test_req_18_19_no_other_worlds)
{
	EACH_RANK(i, rank)
	{
		const json_t *info = world_info(tables[i], rank);
		ck_assert_uint_eq(size_of(info, "metadirectories"), 0);
		ck_assert_int_eq(world_number(info, "metadirectory_table_null"), 1);
	}
}
END_TEST

START_TEST(test_req_20_padding_is_our_extension)
{
	EACH_RANK(i, rank)
	ck_assert_int_eq(world_number(world_info(tables[i], rank), "extension"), MPI2DD_EXTENSION_VERSION);
}
END_TEST

START_TEST(test_req_26_nobody_was_spawned)
{
	for (size_t i = 0; i < n_cases; i++) {
		json_t *all = world_walk(tables[i], 0), *entry;
		size_t k;
		json_array_foreach(all, k, entry)
		{
			ck_assert(!json_object_get(entry, "parent_world"));
			ck_assert(!json_object_get(entry, "sequence"));
		}
		json_decref(all);
	}
}
END_TEST

START_TEST(test_req_27_worlds_differ)
{
	const char *ids[N_CASES];
	for (size_t i = 0; i < n_cases; i++) {
		json_t *all = world_walk(tables[i], 0), *entry;
		size_t k;
		ids[i] = json_string_value(json_object_get(
			json_array_get(json_object_get(world_info(tables[i], 0), "proctable"), 0), "world"));
		ck_assert(ids[i] && ids[i][0]);
		json_array_foreach(all, k, entry)
		{
			ck_assert_str_eq(world_text(entry, "world"), ids[i]);
		}
		for (size_t other = 0; other < i; other++)
			ck_assert_str_ne(ids[i], ids[other]);
		json_decref(all);
	}
}
END_TEST

/* All ranks, each once, as they know themselves: host (24), program (25), pid (28), rank (29). */
START_TEST(test_req_24_25_28_29_processes)
{
	for (size_t i = 0; i < n_cases; i++) {
		json_t *all = world_walk(tables[i], 0), *entry;
		bool seen[16] = { false };
		size_t k;
		json_array_foreach(all, k, entry)
		{
			long long rank = world_number(entry, "rank");
			ck_assert(rank >= 0 && (size_t)rank < cases[i].n && !seen[rank]);
			seen[rank] = true;
			const json_t *truth = world_rank(tables[i], (size_t)rank);
			ck_assert_int_eq(world_number(entry, "pid"), world_number(truth, "pid"));
			ck_assert_str_eq(world_text(entry, "host"), world_text(truth, "host"));
			ck_assert_str_eq(world_text(entry, "executable"), world_text(truth, "executable"));
		}
		ck_assert_uint_eq(json_array_size(all), cases[i].n);
		json_decref(all);
	}
}
END_TEST

START_TEST(test_req_32_simple_job)
{
	for (size_t i = 0; i < n_cases; i++) {
		const json_t *info = world_info(tables[i], 0);
		if (cases[i].n_hosts > 1)
			continue;
		ck_assert_uint_eq(size_of(info, "directories") + size_of(info, "metadirectories"), 0);
		ck_assert_uint_eq(size_of(info, "proctable"), cases[i].n);
	}
}
END_TEST

/* The program finds no message and no file descriptor of ours, and gets the thread level that it asked for. */
START_TEST(test_nothing_left_behind)
{
	json_t *without[2] = { world_table("mpirun.openmpi --oversubscribe -n 5 @world"),
			       world_table("mpirun.mpich -n 5 @worldmpich") };
	EACH_RANK(i, rank)
	{
		const json_t *truth = world_rank(tables[i], rank);
		ck_assert_int_eq(world_number(truth, "messages_waiting"), 0);
		ck_assert_int_eq(world_number(truth, "high_descriptors"), 0);
		ck_assert_int_eq(world_number(truth, "provided"), strstr(cases[i].command, "multiple") ? 3 : -1);
		if (cases[i].n != 5 || cases[i].n_hosts != 1)
			continue;
		const json_t *other = world_rank(without[strstr(cases[i].command, "mpich") != NULL], rank);
		ck_assert_int_eq(world_number(truth, "low_descriptors"), world_number(other, "low_descriptors"));
	}
	json_decref(without[0]);
	json_decref(without[1]);
}
END_TEST

/* A forked child is no process of the job, and still leads to it. */
START_TEST(test_forked_child)
{
	EACH_RANK(i, rank)
	{
		const json_t *child = json_object_get(world_rank(tables[i], rank), "child");
		if (!strstr(cases[i].command, "fork"))
			continue;
		ck_assert(json_is_object(child));
		ck_assert(!has_flag(child, MPI2DD_MPIFLAG_I_AM_DIR) && !has_flag(child, MPI2DD_MPIFLAG_I_AM_METADIR));
		ck_assert_uint_eq(size_of(child, "proctable"), 0);
		ck_assert_int_eq(world_number(child, "meta_pid"), world_number(world_rank(tables[i], 0), "pid"));
	}
}
END_TEST

int main(void)
{
	world_require();
	launcher_takes_several();

	Suite *suite = suite_create("check_mpi2dd_world");
	TCase *tc = tcase_create("world");
	tcase_set_timeout(tc, TIMEOUT_S);
	tcase_add_unchecked_fixture(tc, start_all, end_all);
	tcase_add_test(tc, test_req_03_05_magic_version_variant);
	tcase_add_test(tc, test_req_06_state_is_start);
	tcase_add_test(tc, test_req_07_debugger_flags_are_zero);
	tcase_add_test(tc, test_req_11_flags_fit_the_tables);
	tcase_add_test(tc, test_req_12_path_of_the_plugin);
	tcase_add_test(tc, test_req_13_every_rank_leads_to_all);
	tcase_add_test(tc, test_req_14_metadirectory_program);
	tcase_add_test(tc, test_req_15_no_abort_string);
	tcase_add_test(tc, test_req_16_one_proctable_for_each_host);
	tcase_add_test(tc, test_req_17_no_entry_for_itself);
	tcase_add_test(tc, test_req_18_19_no_other_worlds);
	tcase_add_test(tc, test_req_20_padding_is_our_extension);
	tcase_add_test(tc, test_req_24_25_28_29_processes);
	tcase_add_test(tc, test_req_26_nobody_was_spawned);
	tcase_add_test(tc, test_req_27_worlds_differ);
	tcase_add_test(tc, test_req_32_simple_job);
	tcase_add_test(tc, test_nothing_left_behind);
	tcase_add_test(tc, test_forked_child);
	suite_add_tcase(suite, tc);
	return suite_run(suite);
}
