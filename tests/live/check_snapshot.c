/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Snapshots conform to docs/snapshot.schema.json: of jobs with operations and objects of every kind, with both MPIs,
 * without and with the in-target library, live, from cores and merged.
 */
#include "../support/hangs.h"
#include "../support/live_main.h"
#include "../support/mpidbg_run.h"
#include "../support/suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char validator[] = "tests/support/validate", schema[] = "docs/snapshot.schema.json";

/*
 * Everything that has JSON members of its own: sends and receives, an intercommunicator, a topology, windows,
 * partitioned messages, files, probes, collectives. The first case runs in every configuration, the others in the one
 * given; in all under make check-all.
 */
static const struct {
	struct hang hang;
	enum hang_config config;
} cases[] = {
	{ { .name = "lone_messages", .n = 3 }, HANG_OMPI },
	{ { .name = "inter_sleeps", .n = 4 }, HANG_OMPI_LIB },
	{ { .name = "neighbors_sleep", .n = 4 }, HANG_MPICH },
	{ { .name = "win_locks", .n = 2 }, HANG_MPICH_LIB },
	{ { .name = "partitioned", .n = 2 }, HANG_MPICH_LIB },
	{ { .name = "file_write_all_sleeps", .n = 3 }, HANG_OMPI_LIB },
	{ { .name = "probe_any", .n = 3 }, HANG_OMPI },
	{ { .name = "ibarrier_sleeps", .n = 3 }, HANG_MPICH },
};
enum { N_CASES = sizeof(cases) / sizeof(cases[0]) };

static void save(const struct mpidbg_run *run, const char *path)
{
	FILE *f = fopen(path, "we");

	ck_assert_ptr_nonnull(f);
	ck_assert_int_ge(fputs(run->out, f), 0);
	ck_assert_int_eq(fclose(f), 0);
}

/* Validate a file; the output lists the violations. The caller frees the run. */
static void validate(char *path, struct mpidbg_run *run)
{
	char *const argv[] = { validator, schema, path, NULL };

	mpidbg_run_program(run, argv);
	ck_assert_msg(!*run->err, "%s", run->err);
}

static void take(const char *option, const char *value, char *path)
{
	struct mpidbg_run run;

	mpidbg_run(&run, "snapshot", option, value, NULL);
	ck_assert_msg(run.exit_code == 0, "%s", run.err);
	save(&run, path);
	mpidbg_run_free(&run);
	validate(path, &run);
	ck_assert_msg(run.exit_code == 0, "%s", run.out);
	mpidbg_run_free(&run);
}

/* An undescribed member and a missing one must be rejected; otherwise the schema checks nothing. */
static void check_rejected(const char *path, char *to)
{
	char *line = NULL;
	size_t room = 0;
	FILE *f = fopen(path, "re");
	struct mpidbg_run run;

	ck_assert_ptr_nonnull(f);
	ck_assert_int_gt(getline(&line, &room, f), 0);
	ck_assert_int_gt(getline(&line, &room, f), 0);
	json_t *process = json_loads(line, 0, NULL);
	json_t *comm = json_array_get(json_object_get(process, "communicators"), 0);
	fclose(f);
	free(line);
	ck_assert_ptr_nonnull(comm);
	for (int i = 0; i < 2; i++) {
		json_t *name = json_incref(json_object_get(comm, "name"));
		if (i)
			json_object_del(comm, "name");
		else
			json_object_set_new(comm, "nonsense", json_true());
		ck_assert_int_eq(json_dump_file(process, to, JSON_COMPACT), 0);
		validate(to, &run);
		ck_assert_int_eq(run.exit_code, 1);
		ck_assert_msg(strstr(run.out, ":1: communicators/0: "), "%s", run.out);
		mpidbg_run_free(&run);
		json_object_del(comm, "nonsense");
		json_object_set_new(comm, "name", name);
	}
	json_decref(process);
}

static void merge(const char *path, char *to)
{
	struct mpidbg_run run;

	mpidbg_run(&run, "snapshot", "--snapshot", path, path, NULL);
	save(&run, to);
	mpidbg_run_free(&run);
	validate(to, &run);
	ck_assert_msg(run.exit_code == 0, "%s", run.out);
	mpidbg_run_free(&run);
}

/* A folded snapshot has another form, and the same content. */
static void fold(const char *path, char *to)
{
	struct mpidbg_run run, again, unfolded;

	mpidbg_run(&run, "snapshot", "--fold", "--snapshot", path, NULL);
	ck_assert_int_eq(run.exit_code, 0);
	save(&run, to);
	mpidbg_run_free(&run);
	validate(to, &run);
	ck_assert_msg(run.exit_code == 0, "%s", run.out);
	mpidbg_run_free(&run);
	mpidbg_run(&again, "snapshot", "--snapshot", path, NULL);
	mpidbg_run(&unfolded, "snapshot", "--snapshot", to, NULL);
	ck_assert_str_eq(again.out, unfolded.out);
	mpidbg_run_free(&again);
	mpidbg_run_free(&unfolded);
}

/* What queues shows of a snapshot is what it shows of the job, but for the heading; the ranks may still be on their way
 * into their hang. */
static void show(const char *pid, char *path)
{
	struct mpidbg_run live, stored;
	bool same = false;

	for (double end = job_now() + LAUNCHER_WAIT_S; !same; job_nap()) {
		mpidbg_run(&live, "queues", "--no-verdict", "--job", pid, NULL);
		mpidbg_run(&stored, "queues", "--no-verdict", "--snapshot", path, NULL);
		ck_assert_msg(stored.exit_code == 0, "%s", stored.err);
		ck_assert_ptr_nonnull(strchr(live.out, '\n'));
		ck_assert_ptr_nonnull(strchr(stored.out, '\n'));
		same = strcmp(strchr(stored.out, '\n'), strchr(live.out, '\n')) == 0;
		ck_assert_msg(same || job_now() < end, "stored:\n%s\nlive:\n%s", stored.out, live.out);
		mpidbg_run_free(&live);
		mpidbg_run_free(&stored);
		if (!same)
			take("--job", pid, path);
	}
}

START_TEST(test_form)
{
	const struct hang *hang = &cases[_i / N_HANG_CONFIGS].hang;
	char path[600], other[600], pid[32];
	struct job job;

	if (_i % N_HANG_CONFIGS == HANG_MPICH && job_omits_mpich())
		return;
	hang_start(hang, (enum hang_config)(_i % N_HANG_CONFIGS), &job);
	snprintf(path, sizeof(path), "%s/snapshot.json", job.dir);
	snprintf(other, sizeof(other), "%s/other.json", job.dir);
	snprintf(pid, sizeof(pid), "%d", (int)job.launcher);
	take("--job", pid, path);
	fold(path, other);
	if (_i % N_HANG_CONFIGS == HANG_OMPI || _i % N_HANG_CONFIGS == HANG_MPICH)
		show(pid, path);
	if (_i < N_HANG_CONFIGS) {
		check_rejected(path, other);
		merge(path, other);
		job_cores(&job);
		job_stop(&job);
		take("--cores", job.dir, other);
	}
	job_end(&job);
}
END_TEST

int main(void)
{
	job_require();
	Suite *s = suite_create("snapshot");
	TCase *tc = tcase_create("form");
	bool all = suite_stride(2) == 1;

	tcase_set_timeout(tc, LIVE_TIMEOUT_S);
	for (int i = 0; i < N_CASES * N_HANG_CONFIGS; i++)
		if (all || i < N_HANG_CONFIGS || i % N_HANG_CONFIGS == (int)cases[i / N_HANG_CONFIGS].config)
			tcase_add_loop_test(tc, test_form, i, i + 1);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
