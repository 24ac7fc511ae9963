/* SPDX-License-Identifier: BSD-3-Clause */
/* Spawned worlds and their parents find each other; a process without the library is left alone. */
#include "../../include/mpi2dd.h"
#include "../support/job.h"
#include "../support/launcher.h"
#include "../support/live_main.h"
#include "../support/connections.h"
#include "../support/scratch.h"
#include "../support/world.h"

#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct {
	const char *command;
	int n, n_processes;
	size_t n_linked; /* on both sides */
} cases[] = {
	{ "worlds spawn 0 1", 1, 3, 2 }, { "worlds spawn 0 1", 2, 4, 2 }, { "worlds spawn 0 3", 2, 8, 6 },
	{ "worlds spawn 1 2", 2, 6, 4 }, /* the root is not the metadirectory */
	{ "worlds spawn 2 1", 3, 5, 2 }, { "worlds self", 3, 6, 6 },      { "worlds multiple", 2, 6, 4 },
	{ "worlds grand", 2, 4, 4 },     { "worlds fail", 2, 3, 2 }, /* the one that failed is not counted */
};

static void start(const char *command, const char *mca, int n, int n_processes, struct job *ret)
{
	launcher_oversubscribe();
	job_start(command, mca, n, n_processes, ret);
}

/* The launcher waits long for ranks that it has asked to end. */
static void finish(struct job *job)
{
	for (size_t i = 0; i < job->n_ranks; i++)
		kill(job->ranks[i].pid, SIGKILL);
	job_end(job);
}

static size_t check(const struct job *job)
{
	return connections_check(&job, 1);
}

START_TEST(test_req_17_18_26_30_33_spawn)
{
	struct job job;

	if (strcmp(cases[_i].command, "worlds multiple") == 0 && !launcher_takes_several())
		return; /* nor in this call */
	start(cases[_i].command, connections_preload(), cases[_i].n, cases[_i].n_processes, &job);
	ck_assert_uint_eq(check(&job), cases[_i].n_linked);
	finish(&job);
}
END_TEST

/* Two threads spawn at the same time: their order is undefined, but both numbers are assigned. */
START_TEST(test_req_30_threads)
{
	struct job job;
	char options[1100];
	unsigned seen = 0;

	snprintf(options, sizeof options, "%s -x WORLDS_OWN=unordered", connections_preload());
	start("worlds threads", options, 1, 3, &job);
	ck_assert_uint_eq(check(&job), 4);
	for (size_t i = 0; i < job.n_ranks; i++) {
		const json_t *spawn = json_object_get(
			json_array_get(json_object_get(json_object_get(job.ranks[i].truth, "info"), "proctable"), 0),
			"spawn");
		if (spawn)
			seen |= 1U << json_integer_value(json_object_get(spawn, "sequence"));
	}
	ck_assert_uint_eq(seen, 3);
	finish(&job);
}
END_TEST

/* The children get the program's own info unchanged; ours is not visible in it. */
START_TEST(test_info)
{
	struct job job;

	start("worlds info WORLDS_OWN=kept", connections_preload(), 1, 3, &job);
	ck_assert_uint_eq(check(&job), 2);
	for (size_t i = 0; i < job.n_ranks; i++) {
		const json_t *truth = job.ranks[i].truth;
		const char *call = json_string_value(
			json_object_get(json_array_get(json_object_get(truth, "connections"), 0), "call"));
		bool is_child = strcmp(call, "parent") == 0;
		ck_assert_str_eq(json_string_value(json_object_get(truth, "own")), is_child ? "kept" : "");
		ck_assert_int_eq(json_integer_value(json_object_get(truth, "variable")), is_child);
	}
	finish(&job);
}
END_TEST

/* An info without room for another line: the children get the program's value and are not linked. */
START_TEST(test_info_full)
{
	struct job job;
	char command[512] = "worlds info WORLDS_OWN=";
	size_t n = strlen(command);

	memset(command + n, 'x', 230);
	start(command, connections_preload(), 1, 3, &job);
	for (size_t i = 0; i < job.n_ranks; i++) {
		const json_t *truth = job.ranks[i].truth;
		const char *own = json_string_value(json_object_get(truth, "own"));
		ck_assert(strlen(own) == 0 || strlen(own) == 230);
		ck_assert_int_eq(json_integer_value(json_object_get(truth, "variable")), 0);
		ck_assert_uint_eq(json_array_size(json_object_get(json_object_get(truth, "info"), "metadirectories")),
				  0);
	}
	finish(&job);
}
END_TEST

START_TEST(test_children_without)
{
	struct job job;

	start("worlds command /usr/bin/env -u LD_PRELOAD", connections_preload(), 2, 4, &job);
	ck_assert_uint_eq(check(&job), 0);
	finish(&job);
}
END_TEST

START_TEST(test_parent_without)
{
	struct job job;
	char command[1200];

	snprintf(command, sizeof command, "worlds command /usr/bin/env LD_PRELOAD=%s", connections_library());
	start(command, NULL, 2, 4, &job);
	ck_assert_uint_eq(check(&job), 0);
	finish(&job);
}
END_TEST

/* Rank 1 of the parents, which is the root's partner in the call, does not carry the library. */
START_TEST(test_one_parent_without)
{
	struct job job;
	char script[SCRATCH_MAX], options[1400];
	FILE *f = fdopen(scratch_file(script, "spawn"), "w");

	ck_assert_ptr_nonnull(f);
	fputs("#!/bin/sh\n[ \"$OMPI_COMM_WORLD_RANK\" = 1 ] && unset LD_PRELOAD\nexec \"$@\"\n", f);
	fchmod(fileno(f), 0700);
	fclose(f);
	snprintf(options, sizeof options, "%s %s", connections_preload(), script);
	start("worlds spawn 0 1", options, 2, 4, &job);
	size_t n_with = 0;
	for (size_t i = 0; i < job.n_ranks; i++)
		n_with += !json_is_null(json_object_get(job.ranks[i].truth, "info"));
	ck_assert_uint_eq(n_with, 3);
	ck_assert_uint_eq(check(&job), 2);
	finish(&job);
	unlink(script);
}
END_TEST

static char *codes_of_parent(const struct job *job)
{
	for (size_t i = 0; i < job->n_ranks; i++) {
		const json_t *codes = json_object_get(job->ranks[i].truth, "codes");
		if (json_array_size(codes))
			return json_dumps(codes, JSON_COMPACT);
	}
	ck_abort_msg("no codes");
	return NULL;
}

/* A failing call has the same result as without the library. */
START_TEST(test_failures)
{
	struct job with, without;

	start("worlds fail", connections_preload(), 1, 2, &with);
	start("worlds fail", NULL, 1, 2, &without);
	char *a = codes_of_parent(&with), *b = codes_of_parent(&without);
	ck_assert_str_eq(a, b);
	free(a);
	free(b);
	finish(&with);
	finish(&without);
}
END_TEST

/* MPICH's ch4 as Debian builds it has no dynamic processes before 5.0: the result is the same as
 * without the library. */
START_TEST(test_mpich_has_none)
{
	struct mpidbg_run with, without;

	if (!job_mpich_is_read() || job_mpich_is_5()) {
		puts("this MPICH has dynamic processes");
		return;
	}
	world_run(&with, "mpirun.mpich -n 1 -genv LD_PRELOAD @mpich @build/programs-mpich/worlds unsupported");
	world_run(&without, "mpirun.mpich -n 1 @build/programs-mpich/worlds unsupported");
	ck_assert_msg(strcmp(with.out, without.out) == 0, "with: exit %d, %s%s\nwithout: exit %d, %s", with.exit_code,
		      with.out, with.err, without.exit_code, without.out);
	ck_assert_int_eq(with.exit_code, without.exit_code);
	ck_assert_ptr_nonnull(strstr(with.out, "spawn"));
	mpidbg_run_free(&with);
	mpidbg_run_free(&without);
}
END_TEST

/* A debugger that has requested it gets an event for each table that has changed: the root's, rank 0's, the child's. */
START_TEST(test_req_10_metadirectory_events)
{
	struct job job;
	size_t n_changed = 0, n_directories = 0;

	/* in the launcher's own environment: what -x adds does not reach spawned processes under Open MPI 5.0 */
	setenv("WORLDS_REQUEST", "1", 1);
	start("worlds spawn 1 1", connections_preload(), 2, 4, &job);
	ck_assert_uint_eq(check(&job), 2);
	for (size_t i = 0; i < job.n_ranks; i++) {
		const json_t *events = json_object_get(job.ranks[i].truth, "events"), *event;
		size_t k;
		json_array_foreach(events, k, event)
		{
			json_int_t state = json_integer_value(json_object_get(event, "state"));

			n_directories += state == MPI2DD_DEBUG_DIRECTORY_CHANGED;
			if (state != MPI2DD_DEBUG_METADIRECTORY_CHANGED)
				continue;
			ck_assert_uint_eq(json_array_size(json_object_get(event, "metadirectories")), 2);
			n_changed++;
		}
	}
	ck_assert_uint_eq(n_changed, 3);
	ck_assert_uint_eq(n_directories, 2); /* each world's, on this one host */
	finish(&job);
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("spawn");

	tcase_add_loop_test(tc, test_req_17_18_26_30_33_spawn, 0, sizeof cases / sizeof *cases);
	tcase_add_test(tc, test_req_30_threads);
	tcase_add_test(tc, test_req_10_metadirectory_events);
	tcase_add_test(tc, test_failures);
	if (system("command -v mpirun.mpich >/dev/null 2>&1") == 0)
		tcase_add_test(tc, test_mpich_has_none);
	tcase_add_test(tc, test_info);
	tcase_add_test(tc, test_info_full);
	tcase_add_test(tc, test_children_without);
	tcase_add_test(tc, test_parent_without);
	tcase_add_test(tc, test_one_parent_without);
	return live_main("mpi2dd_spawn", NULL, 0, tc);
}
