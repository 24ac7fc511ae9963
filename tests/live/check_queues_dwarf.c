/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The same answers when the types come from DWARF, through the debugger's type callbacks: programs are built with
 * an object whose debug information describes every type of the layout pack, and looked at like all others.
 */
#include "../support/job.h"
#include "../support/live_main.h"
#include "../support/mpidbg_run.h"
#include "../support/pack_types.h"
#include "../support/packs.h"
#include "../support/scratch.h"
#include "../support/truth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* @param dir scratch folder, for the executable @p path */
static void build(const char *program, char dir[SCRATCH_MAX], char *path, size_t n)
{
	char command[2048], types[SCRATCH_MAX + 16];

	scratch_make(dir, "described");
	snprintf(types, sizeof types, "%s/types.c", dir);
	pack_types_write(types, pack_installed_release(), "int described = 1;");
	snprintf(path, n, "%s/%s", dir, program);
	snprintf(command, sizeof command,
		 "mpicc.openmpi -std=gnu11 -g -fno-eliminate-unused-debug-types -Itests/programs -o %s "
		 "tests/programs/%s.c %s "
		 "-lpthread",
		 path, program, types);
	ck_assert_msg(system(command) == 0, "failed: %s", command);
}

static const struct {
	const char *program;
	int n;
} cases[] = { { "receives", 3 }, { "unexpected", 3 }, { "sends", 2 }, { "topologies", 4 }, { "windows", 2 } };

START_TEST(test_same)
{
	struct mpidbg_run run;
	struct job job;
	char dir[SCRATCH_MAX], path[SCRATCH_MAX + 64], pid[16];
	unsigned got, all;

	build(cases[_i].program, dir, path, sizeof path);
	job_start(path, NULL, cases[_i].n, 0, &job);

	/* all from the debugger, none from a pack: otherwise this tests nothing */
	snprintf(pid, sizeof pid, "%d", (int)job.ranks[0].pid);
	mpidbg_run(&run, "comms", "-p", pid, "--json", NULL);
	json_t *json = mpidbg_run_json(&run);
	const json_t *mpi = json_object_get(json_array_get(json_object_get(json, "processes"), 0), "mpi");
	const char *layout = json_string_value(json_object_get(mpi, "layout"));
	ck_assert_ptr_nonnull(layout);
	ck_assert_msg(sscanf(layout, "the debugger's types (%u of %u rows)", &got, &all) == 2 &&
			      strstr(layout, "pack") == NULL,
		      "layout: %s", layout);
	/* fields that only other builds and releases have: layouts/openmpi/absent_rows-4 (18 rows), -5 (20)
	 * and -6 (17) */
	ck_assert_uint_ge(got + 20, all);
	json_decref(json);
	mpidbg_run_free(&run);

	truth_check_job(&job);
	job_end(&job);
	scratch_remove(dir);
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("dwarf");

	tcase_add_loop_test(tc, test_same, 0, sizeof cases / sizeof cases[0]);
	return live_main("check_queues_dwarf", NULL, 0, tc);
}
