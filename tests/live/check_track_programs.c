/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The in-target library changes nothing in the programs of tests/programs: those that end say and return the same;
 * those that stay write down the same truth, run with the library and without. Programs that look at what the library
 * adds (track_*, mpit_*, tables, world, worlds, leaks, stall and their like) have no such run: their own tests say what
 * they do without it.
 */
#include "../support/job.h"
#include "../support/scratch.h"
#include "../support/suite.h"
#include "../support/world.h"

#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TIMEOUT_S = 240, WAIT_S = 240 };

static const struct mpi {
	const char *name, *launcher, *programs;
} mpis[] = {
	{ "openmpi", "mpirun.openmpi --oversubscribe", "@build/programs" },
	{ "mpich", "mpirun.mpich", "@build/programs-mpich" },
};
enum { N_MPIS = sizeof mpis / sizeof mpis[0] };

/* ---- programs that end -------------------------------------------------------------------------------- */

static const struct ending {
	const char *command;
	int ranks;
} endings[] = {
	{ "odd_ways fork", 2 },   { "odd_ways longjmp", 2 }, { "odd_ways signals", 2 },
	{ "odd_ways atexit", 2 }, { "odd_ways threads", 2 }, { "storm", 1 },
	{ "printed", 1 },
};

static void same(const char *without, const char *with)
{
	struct mpidbg_run r[2];

	/* MPICH's mpiexec answers 1, by chance, when a process has ended before it was asked why
	 * (tests/neutral/expected) */
	for (int turn = 0; turn < 5; turn++) {
		world_run(&r[0], without);
		world_run(&r[1], with);
		if (r[0].exit_code == r[1].exit_code || (r[0].exit_code != 1 && r[1].exit_code != 1) || turn == 4)
			break;
		mpidbg_run_free(&r[0]);
		mpidbg_run_free(&r[1]);
	}
	ck_assert_msg(r[0].exit_code != 2 && r[0].exit_code != 127 && r[0].exit_code != -1000, "%s: exit %d\n%.2000s",
		      without, r[0].exit_code, r[0].err);
	ck_assert_msg(r[0].exit_code == r[1].exit_code && strcmp(r[0].out, r[1].out) == 0,
		      "%s: exit %d, without %d\n%.1000s%.1000s\nwithout\n%.1000s", with, r[1].exit_code, r[0].exit_code,
		      r[1].out, r[1].err, r[0].out);
	mpidbg_run_free(&r[0]);
	mpidbg_run_free(&r[1]);
}

START_TEST(test_ending)
{
	const struct mpi *m = &mpis[_i % N_MPIS];
	const struct ending *e = &endings[_i / N_MPIS];
	char without[400], with[400];

	snprintf(without, sizeof without, "%s -n %d env -u LD_PRELOAD %s/%s", m->launcher, e->ranks, m->programs,
		 e->command);
	snprintf(with, sizeof with, "%s -n %d env LD_PRELOAD=@%s %s/%s", m->launcher, e->ranks, m->name, m->programs,
		 e->command);
	same(without, with);
}
END_TEST

/* ---- exceptions --------------------------------------------------------------------------------------- */

/* Thrown by an error handler, by an attribute's copy function, by a reduction, through MPI's own frames and ours. */
static const char thrower[] =
	"#include <mpi.h>\n"
	"#include <cstdio>\n"
	"#include <stdexcept>\n"
	"struct thrown : std::runtime_error { using std::runtime_error::runtime_error; };\n"
	"static int n_gone;\n"
	"struct guard { ~guard() { n_gone++; } };\n"
	"static void handler(MPI_Comm *, int *, ...) { guard g; throw thrown(\"handler\"); }\n"
	"static int copy(MPI_Comm, int, void *, void *, void *, int *) { guard g; throw thrown(\"copy\"); }\n"
	"static void reduce(void *, void *, int *, MPI_Datatype *) { guard g; throw thrown(\"reduction\"); }\n"
	"template <class F> static void attempt(const char *what, F f)\n"
	"{ guard g; try { f(); std::printf(\"%s: nothing\\n\", what); }\n"
	"  catch (const thrown &t) { std::printf(\"%s: %s %d\\n\", what, t.what(), n_gone); } }\n"
	"int main(int c, char **v)\n"
	"{ MPI_Init(&c, &v); int in = 1, out = 0, key; MPI_Comm a, b; MPI_Errhandler h; MPI_Op op;\n"
	"  MPI_Comm_dup(MPI_COMM_SELF, &a); MPI_Comm_create_errhandler(handler, &h); MPI_Comm_set_errhandler(a, h);\n"
	"  for (int i = 0; i < 40; i++) attempt(\"send\", [&] { MPI_Send(&in, 1, MPI_INT, 7, 1, a); });\n"
	"  MPI_Op_create(reduce, 1, &op);\n"
	"  attempt(\"local\", [&] { MPI_Reduce_local(&in, &out, 1, MPI_INT, op); });\n"
	"  MPI_Sendrecv(&in, 1, MPI_INT, 0, 2, &out, 1, MPI_INT, 0, 2, a, MPI_STATUS_IGNORE);\n"
	"  std::printf(\"still %d\\n\", out);\n"
	"  MPI_Op_free(&op); MPI_Errhandler_free(&h);\n"
	"  MPI_Comm_create_keyval(copy, MPI_COMM_NULL_DELETE_FN, &key, nullptr); MPI_Comm_set_attr(a, key, &in);\n"
	"  attempt(\"dup\", [&] { MPI_Comm_dup(a, &b); });\n"
	"  std::printf(\"end\\n\"); std::fflush(stdout); _Exit(17); }\n";

START_TEST(test_exceptions)
{
	const struct mpi *m = &mpis[_i];
	char scratch[SCRATCH_MAX], path[300], command[1200], without[500], with[500];

	scratch_make(scratch, "throw");
	snprintf(path, sizeof path, "%s/thrower.cc", scratch);
	FILE *f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fputs(thrower, f);
	fclose(f);
	snprintf(command, sizeof command,
		 "cd '%s' && mpicxx.%s -std=c++17 -O1 -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX -include cstdlib "
		 "-o thrower thrower.cc",
		 scratch, m->name);
	ck_assert_msg(system(command) == 0, "%s", command);
	snprintf(without, sizeof without, "%s -n 1 env -u LD_PRELOAD %s/thrower", m->launcher, scratch);
	snprintf(with, sizeof with, "%s -n 1 env LD_PRELOAD=@%s %s/thrower", m->launcher, m->name, scratch);
	same(without, with);
	struct mpidbg_run r;
	world_run(&r, with);
	ck_assert_msg(strstr(r.out, "send: handler 1\n") && strstr(r.out, "local: reduction") && strstr(r.out, "end\n"),
		      "%s:\n%.2000s%.1000s", with, r.out, r.err);
	mpidbg_run_free(&r);
	scratch_remove(scratch);
}
END_TEST

/* ---- programs that stay ------------------------------------------------------------------------------- */

static const struct staying {
	const char *command;
	int ranks, truths; /* 0: one for each rank */
} stayings[] = {
	{ "blocked Recv", 2, 0 }, { "blocked Waitall", 2, 0 }, { "blocked Bcast", 3, 0 },
	{ "collectives", 3, 0 },  { "comms", 4, 0 },           { "flood receives 100", 2, 0 },
	{ "inter", 5, 0 },        { "lifetime before", 2, 0 }, { "lifetime after", 2, 0 },
	{ "many", 2, 0 },         { "messages", 2, 0 },        { "receives", 3, 0 },
	{ "sends", 2, 0 },        { "spawn", 2, 4 },           { "threads", 2, 0 },
	{ "topologies", 4, 0 },   { "unexpected", 3, 0 },      { "windows", 2, 0 },
};

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* One text per truth: without addresses and numbers of processes, lists sorted. */
static char *text_of(const json_t *j)
{
	if (json_is_string(j) && strncmp(json_string_value(j), "0x", 2) == 0)
		return strdup("address");
	if (!json_is_array(j) && !json_is_object(j))
		return json_dumps(j, JSON_ENCODE_ANY);
	size_t n = 0, bytes = 3;
	char *parts[4096];
	if (json_is_array(j)) {
		for (size_t i = 0; i < json_array_size(j); i++)
			parts[n++] = text_of(json_array_get(j, i));
	} else {
		const char *key;
		json_t *value;
		json_object_foreach((json_t *)(uintptr_t)j, key, value)
		{
			if (strcmp(key, "pid") == 0 || strcmp(key, "thread") == 0)
				continue;
			char *text = text_of(value);
			ck_assert_int_ge(asprintf(&parts[n++], "%s=%s", key, text), 0);
			free(text);
		}
	}
	ck_assert_uint_lt(n, sizeof parts / sizeof parts[0]);
	qsort(parts, n, sizeof parts[0], by_text);
	for (size_t i = 0; i < n; i++)
		bytes += strlen(parts[i]) + 1;
	char *ret = calloc(1, bytes), *at = ret;
	ck_assert_ptr_nonnull(ret);
	*at++ = '(';
	for (size_t i = 0; i < n; i++) {
		at = stpcpy(at, parts[i]);
		*at++ = ' ';
		free(parts[i]);
	}
	*at++ = ')';
	return ret;
}

START_TEST(test_staying)
{
	const struct staying *p = &stayings[_i];
	char *preload = world_command("-x LD_PRELOAD=@openmpi");
	struct job job[2];

	for (int with = 0; with < 2; with++)
		job_start(p->command, with ? preload : NULL, p->ranks, p->truths, &job[with]);
	ck_assert_uint_eq(job[0].n_ranks, job[1].n_ranks);
	for (size_t i = 0; i < job[0].n_ranks; i++) {
		size_t k = 0;
		while (k < job[1].n_ranks && job[1].ranks[k].file_rank != job[0].ranks[i].file_rank)
			k++;
		ck_assert_uint_lt(k, job[1].n_ranks);
		char *text[2] = { text_of(job[0].ranks[i].truth), text_of(job[1].ranks[k].truth) };
		ck_assert_msg(strcmp(text[0], text[1]) == 0, "%s, rank %d: without\n%.1200s\nwith\n%.1200s", p->command,
			      job[0].ranks[i].file_rank, text[0], text[1]);
		ck_assert_uint_gt(strlen(text[0]), 4);
		free(text[0]);
		free(text[1]);
	}
	job_end(&job[0]);
	job_end(&job[1]);
	free(preload);
}
END_TEST

/* The program checks every byte until it is stopped. */
START_TEST(test_pingpong)
{
	char *preload = world_command("-x LD_PRELOAD=@openmpi"), path[300];
	struct job job;

	job_start("pingpong", preload, 2, 0, &job);
	for (int i = 0; i < 50; i++)
		job_nap();
	snprintf(path, sizeof path, "%s/stop", job.dir);
	int fd = open(path, O_CREAT | O_WRONLY, 0600);
	ck_assert_int_ge(fd, 0);
	close(fd);
	int code = job_wait(&job, WAIT_S);
	ck_assert_msg(code == 0, "exit %d\n%s", code, job_log(&job));
	job_end(&job);
	free(preload);
}
END_TEST

int main(void)
{
	world_require();
	Suite *s = suite_create("check_track_programs");
	TCase *tc = tcase_create("programs");

	tcase_set_timeout(tc, TIMEOUT_S);
	tcase_add_loop_test(tc, test_ending, 0, N_MPIS * (int)(sizeof endings / sizeof endings[0]));
	tcase_add_loop_test(tc, test_exceptions, 0, N_MPIS);
	tcase_add_loop_test(tc, test_staying, 0, (int)(sizeof stayings / sizeof stayings[0]));
	tcase_add_test(tc, test_pingpong);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
