/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpidbg procs on jobs that carry libmpi2dd: started by mpi2dd-run or with LD_PRELOAD, asked from every process, with
 * spawned worlds, from cores, under both MPIs. Who the processes are is what they have written down themselves.
 */
#include "../support/job.h"
#include "../support/launcher.h"
#include "../support/mpidbg_run.h"
#include "../support/packs.h"
#include "../support/scratch.h"
#include "../support/suite.h"
#include "../support/process.h"

#include <check.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TIMEOUT_S = 240, CHILDREN = 100, MPICH_RANKS = 3 };

static struct mpidbg_run run;
static char starter[PATH_MAX], preload[PATH_MAX];

#define ck_exit(want)                                                                                                  \
	ck_assert_msg(run.exit_code == (want), "exit %d, not %d\n%s%s", run.exit_code, (want), run.out, run.err)
#define ck_contains(text, words)                                                                                       \
	ck_assert_msg(strstr(text, words), "\"%s\" is not said:\n%s%s", words, run.out, run.err)

/* @return the answer, a new reference */
static json_t *procs(pid_t pid, const char *via, int exit_code)
{
	char number[16];

	mpidbg_run_free(&run);
	snprintf(number, sizeof(number), "%d", (int)pid);
	mpidbg_run(&run, "procs", "--job", number, "--json", "--via", via, NULL);
	ck_exit(exit_code);
	return mpidbg_run_json(&run);
}

static const char *source_of(const json_t *answer)
{
	return json_string_value(json_object_get(json_object_get(answer, "job"), "source"));
}

static const char *text_of(const json_t *p, const char *name)
{
	const char *text = json_string_value(json_object_get(p, name));

	return text ? text : "";
}

static long long number_of(const json_t *p, const char *name)
{
	const json_t *number = json_object_get(p, name);

	return json_is_integer(number) ? json_integer_value(number) : -1;
}

static const json_t *process_at(const json_t *answer, size_t i)
{
	return json_array_get(json_object_get(answer, "processes"), i);
}

static size_t n_processes(const json_t *answer)
{
	return json_array_size(json_object_get(answer, "processes"));
}

/* The processes are those of the job, in its order: ranks 0, 1 and on, then the spawned ones. */
static void is_job(const json_t *answer, const struct job *job)
{
	char host[256] = "";
	const char *first = text_of(process_at(answer, 0), "world");

	ck_assert_int_eq(gethostname(host, sizeof(host) - 1), 0);
	ck_assert_msg(n_processes(answer) == job->n_ranks, "%s%s", run.out, run.err);
	for (size_t i = 0; i < job->n_ranks; i++) {
		const json_t *p = process_at(answer, i);
		const struct job_rank *r = &job->ranks[i];
		bool spawned = r->file_rank >= CHILDREN;
		ck_assert_int_eq(number_of(p, "pid"), r->pid);
		ck_assert_int_eq(number_of(p, "rank"), spawned ? r->file_rank - CHILDREN : r->file_rank);
		ck_assert_str_eq(text_of(p, "host"), host);
		ck_assert_str_ne(text_of(p, "world"), "");
		ck_assert_str_ne(text_of(p, "state"), "");
		ck_assert(text_of(p, "executable")[0] == '/');
		ck_assert_int_eq(strcmp(text_of(p, "world"), first) == 0, !spawned);
		ck_assert_str_eq(text_of(p, "parent_world"), spawned ? first : "");
		ck_assert_int_eq(number_of(p, "parent_rank"), spawned ? 0 : -1);
		ck_assert_int_eq(number_of(p, "sequence"), spawned ? 0 : -1);
	}
}

static void check_from(pid_t pid, const struct job *job, const char *via)
{
	json_t *answer = procs(pid, via, 0);

	ck_assert_msg(strcmp(source_of(answer), "MPI2DD") == 0, "%s%s", run.out, run.err);
	is_job(answer, job);
	json_decref(answer);
}

/* A child of a process, or 0. */
static pid_t child_of(pid_t pid)
{
	char path[64];
	int child = 0;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid, (int)pid);
	FILE *f = fopen(path, "r");
	/* The first of them: of mpirun, a rank. */
	if (f && fscanf(f, "%d", &child) != 1)
		child = 0;
	if (f)
		fclose(f);
	return child;
}

static void check_from_all(const struct job *job)
{
	check_from(job->launcher, job, "any");
	check_from(job->launcher, job, "mpi2dd");
	for (size_t i = 0; i < job->n_ranks; i++)
		check_from(job->ranks[i].pid, job, "any");
	if (job_starter)
		check_from(child_of(job->launcher), job, "any");
}

START_TEST(test_preload)
{
	struct job job;

	job_starter = NULL;
	job_start("receives", preload, 3, 0, &job);
	check_from_all(&job);
	job_end(&job);
}
END_TEST

START_TEST(test_starter)
{
	struct job job;
	char number[16];

	job_starter = starter;
	job_start("receives", NULL, 3, 0, &job);
	check_from_all(&job);
	snprintf(number, sizeof(number), "%d", (int)job.launcher);
	mpidbg_run_free(&run);
	mpidbg_run(&run, "procs", "--job", number, NULL);
	ck_exit(0);
	ck_contains(run.out, ": 3 ranks (MPI2DD)\n");
	ck_assert_str_eq(run.err, "");
	job_end(&job);
}
END_TEST

/* Launchers of Open MPI since 5.0 have no table of their ranks. */
static bool has_proctable(void)
{
	return strtol(pack_installed_release(), NULL, 10) < 5;
}

/*
 * The number that Open MPI has given to a process's world: up to 4.1 its
 * launcher has put it into the environment; from 5.0 on it is the process's own.
 */
static const char *number_of_world(pid_t pid)
{
	static char numbers[4][32], text[1 << 16];
	static unsigned next;
	char path[64], *found = NULL;

	snprintf(path, sizeof(path), "/proc/%d/environ", (int)pid);
	FILE *f = fopen(path, "r");
	ck_assert_ptr_nonnull(f);
	size_t n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[n] = '\0';
	for (char *v = text; !found && v < text + n; v += strlen(v) + 1)
		if (strncmp(v, "PMIX_NAMESPACE=", 15) == 0)
			found = v + 15;
	ck_assert_ptr_nonnull(found);
	char *number = numbers[next++ % 4];
	if (!strchr(found, '@')) {
		snprintf(number, sizeof(numbers[0]), "%.31s", found);
		return number;
	}
	struct mpidbg_run own;
	snprintf(path, sizeof(path), "%d", (int)pid);
	mpidbg_run(&own, "comms", "--json", "-p", path, NULL);
	ck_assert_msg(own.exit_code == 0, "exit %d: %s", own.exit_code, own.err);
	json_t *answer = mpidbg_run_json(&own);
	snprintf(number, sizeof(numbers[0]), "%lld", number_of(json_object_get(process_at(answer, 0), "world"), "job"));
	json_decref(answer);
	mpidbg_run_free(&own);
	return number;
}

/* "\n  world CHILD: spawned by rank 0 of world PARENT, call 0\n" is said, indented so far. */
static void check_spawned(int indent, pid_t child, pid_t parent)
{
	char line[160];

	snprintf(line, sizeof(line), "\n%*sworld %s: spawned by rank 0 of world %s, call 0\n", indent, "",
		 number_of_world(child), number_of_world(parent));
	ck_contains(run.out, line);
}

static void check_root(pid_t pid)
{
	char line[64];

	snprintf(line, sizeof(line), "\nworld %s\n", number_of_world(pid));
	ck_contains(run.out, line);
}

/* @param value NULL: none */
static void ask(const char *command, pid_t pid, const char *kind, const char *value, bool json)
{
	char number[16];
	const char *words[8] = { command, "-p", number };
	size_t n = 3;

	snprintf(number, sizeof(number), "%d", (int)pid);
	if (json)
		words[n++] = "--json";
	if (kind)
		words[n++] = kind;
	words[n] = value;
	mpidbg_run_free(&run);
	mpidbg_run(&run, words[0], words[1], words[2], words[3], words[4], words[5], NULL);
	ck_exit(0);
}

/* The same ranks of the same world, in JSON: {"job": WORLD, "rank": 0 and 1}. */
static void is_other_side(const json_t *members, const char *world)
{
	ck_assert_msg(json_array_size(members) == 2, "%s", run.out);
	for (size_t i = 0; i < 2; i++) {
		ck_assert_int_eq(number_of(json_array_get(members, i), "job"), atoll(world));
		ck_assert_int_eq(number_of(json_array_get(members, i), "rank"), (long long)i);
	}
}

/* procs, comms, queues and print use the same name for the world of the other side, and print knows the parents. */
static void check_names(const struct job *job)
{
	const char *parents = number_of_world(job->ranks[0].pid), *children = number_of_world(job->ranks[2].pid);
	char words[160];

	for (size_t i = 0; i < 4; i++) {
		const char *other = i < 2 ? children : parents;
		ask("comms", job->ranks[i].pid, NULL, NULL, false);
		snprintf(words, sizeof(words), "remote members [world %s:0-1] (2 ranks)", other);
		ck_contains(run.out, words);
		ask("queues", job->ranks[i].pid, NULL, NULL, false);
		snprintf(words, sizeof(words), "remote [world %s:0-1]", other);
		ck_contains(run.out, words);
	}
	for (size_t i = 2; i < 4; i++) {
		ask("print", job->ranks[i].pid, "comm", "MPI_COMM_PARENT", false);
		snprintf(words, sizeof(words), "remote members      [0 of world %s,1 of world %s]\n", parents, parents);
		ck_contains(run.out, words);
		ask("print", job->ranks[i].pid, "comm", "MPI_COMM_PARENT", true);
		json_t *answer = mpidbg_run_json(&run);
		ck_assert(
			json_is_false(json_object_get(json_object_get(process_at(answer, 0), "handle"), "predefined")));
		is_other_side(json_object_get(json_object_get(process_at(answer, 0), "handle"), "remote_members"),
			      parents);
		json_decref(answer);
		ask("comms", job->ranks[i].pid, NULL, NULL, true);
		answer = mpidbg_run_json(&run);
		is_other_side(
			json_object_get(json_array_get(json_object_get(process_at(answer, 0), "communicators"), 2),
					"remote_members"),
			parents);
		json_decref(answer);
	}
	/* a group, which has no place in the MPI library's lists: by the communicators that have the same world */
	ask("handles", job->ranks[0].pid, "group", NULL, true);
	json_t *answer = mpidbg_run_json(&run);
	const json_t *of, *kinds = json_object_get(process_at(answer, 0), "handles");
	size_t k, n = 0;
	json_array_foreach(json_object_get(json_array_get(kinds, 0), "objects"), k, of)
	{
		if (strcmp(text_of(of, "made_by"), "MPI_Comm_remote_group") != 0)
			continue;
		is_other_side(json_object_get(of, "members"), children);
		n++;
	}
	ck_assert_msg(n == 1, "%s", run.out);
	json_decref(answer);
}

START_TEST(test_spawned)
{
	struct job job;
	char number[16];

	job_starter = starter;
	job_start("spawn", NULL, 2, 4, &job);
	check_from_all(&job);
	for (size_t i = 0; i < job.n_ranks; i++) {
		snprintf(number, sizeof(number), "%d", (int)job.ranks[i].pid);
		mpidbg_run_free(&run);
		mpidbg_run(&run, "procs", "--job", number, NULL);
		ck_exit(0);
		ck_contains(run.out, ": 2 ranks, 2 spawned (MPI2DD)\n");
		check_root(job.ranks[0].pid);
		check_spawned(2, job.ranks[2].pid, job.ranks[0].pid);
	}
	check_names(&job);
	/* Other commands read the same processes. */
	mpidbg_run_free(&run);
	mpidbg_run(&run, "comms", "--job", number, "--json", NULL);
	ck_exit(0);
	json_t *answer = mpidbg_run_json(&run);
	ck_assert_uint_eq(n_processes(answer), 4);
	for (size_t i = 0; i < 4; i++)
		ck_assert_int_eq(number_of(process_at(answer, i), "pid"), job.ranks[i].pid);
	json_decref(answer);

	/* Each source reports what it knows, and only that. */
	answer = procs(job.ranks[1].pid, "mpir", has_proctable() ? 0 : 1);
	if (has_proctable()) {
		ck_assert_str_eq(source_of(answer), "MPIR_proctable");
		ck_assert_uint_eq(n_processes(answer), 2);
		ck_assert_ptr_null(json_object_get(process_at(answer, 0), "world"));
	} else {
		ck_contains(run.err, "MPIR_proctable");
	}
	json_decref(answer);
	answer = procs(job.ranks[1].pid, "env", 0);
	ck_assert_str_eq(source_of(answer), "environment");
	ck_assert_uint_eq(n_processes(answer), 4);
	ck_assert_ptr_null(json_object_get(process_at(answer, 0), "world"));
	json_decref(answer);
	check_from(job.ranks[3].pid, &job, "mpi2dd");
	job_end(&job);
}
END_TEST

/* Exactly the processes that have written their facts are listed. */
static void lists_all(const json_t *answer, const struct job *job, pid_t other)
{
	ck_assert_msg(n_processes(answer) == job->n_ranks + (other ? 1 : 0), "%s%s", run.out, run.err);
	for (size_t i = 0; i < n_processes(answer); i++) {
		long long pid = number_of(process_at(answer, i), "pid");
		bool found = pid == other;
		for (size_t j = 0; j < job->n_ranks; j++)
			found |= job->ranks[j].pid == pid;
		ck_assert_msg(found, "%lld\n%s", pid, run.out);
	}
}

START_TEST(test_grandchildren)
{
	struct job job;
	char number[16];
	pid_t pids[3];

	job_starter = starter;
	job_start("worlds grand", NULL, 1, 3, &job);
	for (size_t i = 0; i < job.n_ranks; i++) {
		json_t *answer = procs(job.ranks[i].pid, "any", 0);
		ck_assert_str_eq(source_of(answer), "MPI2DD");
		lists_all(answer, &job, 0);
		for (size_t j = 0; j < 3; j++)
			pids[j] = (pid_t)number_of(process_at(answer, j), "pid");
		json_decref(answer);
		snprintf(number, sizeof(number), "%d", (int)job.ranks[i].pid);
		mpidbg_run_free(&run);
		mpidbg_run(&run, "procs", "--job", number, NULL);
		ck_exit(0);
		check_root(pids[0]);
		check_spawned(2, pids[1], pids[0]);
		check_spawned(4, pids[2], pids[1]);
	}
	job_end(&job);
}
END_TEST

/* Each rank spawns on its own: the process with the entries is not a metadirectory that another process lists. */
START_TEST(test_spawned_by_each_rank)
{
	struct job job;

	job_starter = starter;
	job_start("worlds self", NULL, 3, 6, &job);
	for (size_t i = 0; i < job.n_ranks; i++) {
		json_t *answer = procs(job.ranks[i].pid, "mpi2dd", 0);
		lists_all(answer, &job, 0);
		int n_spawned = 0;
		for (size_t j = 0; j < n_processes(answer); j++)
			n_spawned += *text_of(process_at(answer, j), "parent_world") != '\0';
		ck_assert_int_eq(n_spawned, 3);
		json_decref(answer);
	}
	job_end(&job);
}
END_TEST

/* A shell command line, which is sent the signal when we die. */
static pid_t in_background(const char *line, int signal)
{
	pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, signal);
	launcher_environment();
	execl("/bin/sh", "sh", "-c", line, (char *)NULL);
	_exit(127);
}

static void end(pid_t pid)
{
	kill(pid, SIGTERM);
	waitpid(pid, NULL, 0);
}

/* Two jobs of two launchers: from either one both are found. */
START_TEST(test_connected)
{
	char folder[SCRATCH_MAX], line[4 * PATH_MAX], command[700], options[PATH_MAX + 700], uri[400];
	struct job job;

	if (system("command -v ompi-server >/dev/null") != 0) {
		puts("not tested: Open MPI has no ompi-server since 5.0, and jobs of two mpirun cannot connect");
		return;
	}
	scratch_make(folder, "procs");
	snprintf(uri, sizeof(uri), "%s/uri", folder);
	snprintf(line, sizeof(line), "exec ompi-server --no-daemonize -r '%s'", uri);
	pid_t server = in_background(line, SIGTERM);
	double deadline = job_now() + LAUNCHER_WAIT_S;
	while (access(uri, R_OK) != 0) {
		ck_assert_msg(job_now() < deadline, "ompi-server does not come up");
		job_nap();
	}
	snprintf(line, sizeof(line),
		 "TRUTH_DIR='%s' exec mpirun.openmpi --oversubscribe --ompi-server file:%s -n 1 %s "
		 "'%s/programs/worlds' connect '%s/port' >/dev/null 2>&1",
		 folder, uri, preload, getenv("MPIDBG_BUILD"), folder);
	pid_t client = in_background(line, SIGTERM);
	job_starter = NULL;
	snprintf(command, sizeof(command), "worlds accept %s/port 1", folder);
	ck_assert_uint_lt(strlen(command), sizeof(job.command));
	snprintf(options, sizeof(options), "--ompi-server file:%s %s", uri, preload);
	job_start(command, options, 2, 0, &job);
	pid_t other = child_of(client);
	ck_assert_int_gt(other, 0);

	json_t *answer = procs(job.launcher, "any", 0);
	ck_assert_str_eq(source_of(answer), "MPI2DD");
	lists_all(answer, &job, other);
	ck_assert_int_eq(number_of(process_at(answer, 2), "pid"), other);
	json_decref(answer);
	answer = procs(client, "any", 0);
	ck_assert_str_eq(source_of(answer), "MPI2DD");
	lists_all(answer, &job, other);
	ck_assert_int_eq(number_of(process_at(answer, 0), "pid"), other);
	json_decref(answer);
	char number[16], words[160];
	snprintf(number, sizeof(number), "%d", (int)other);
	mpidbg_run_free(&run);
	mpidbg_run(&run, "procs", "--job", number, NULL);
	ck_exit(0);
	ck_contains(run.out, ": 1 rank, 2 connected (MPI2DD)\n");
	snprintf(words, sizeof(words), "\nworld %s: connected with world %s\n", number_of_world(job.ranks[0].pid),
		 number_of_world(other));
	ck_contains(run.out, words);

	job_end(&job);
	end(client);
	end(server);
	scratch_remove(folder);
}
END_TEST

/* A job in a container, with names and numbers of its own: read from outside, by the numbers that we see. */
START_TEST(test_container)
{
	char folder[SCRATCH_MAX], line[3 * PATH_MAX], path[400];

	if (system("unshare --uts --pid --fork --mount-proc hostname inside >/dev/null 2>&1") != 0) {
		puts("no namespaces here: not tested");
		return;
	}
	scratch_make(folder, "procs");
	snprintf(line, sizeof(line),
		 "export TRUTH_DIR='%s'; exec unshare --uts --pid --fork --kill-child --mount-proc sh -c \"hostname "
		 "inside; "
		 "exec '%s' mpirun.openmpi --oversubscribe -n 3 '%s/programs/receives' >/dev/null 2>&1\"",
		 folder, starter, getenv("MPIDBG_BUILD"));
	/* unshare ignores SIGTERM; its child, the first process of the namespace, takes all of them with it. */
	pid_t outer = in_background(line, SIGKILL);
	double deadline = job_now() + LAUNCHER_WAIT_S;
	for (int rank = 0; rank < 3; rank++) {
		snprintf(path, sizeof(path), "%s/truth.%d.json", folder, rank);
		while (access(path, R_OK) != 0) {
			ck_assert_msg(job_now() < deadline, "the job does not come up");
			job_nap();
		}
	}
	pid_t in_starter = child_of(outer), mpirun = child_of(in_starter);
	pid_t pids[] = { outer, in_starter, mpirun, child_of(mpirun) };
	for (size_t i = 0; i < sizeof(pids) / sizeof(pids[0]); i++) {
		json_t *answer = procs(pids[i], "any", 0);
		ck_assert_str_eq(source_of(answer), "MPI2DD");
		ck_assert_uint_eq(n_processes(answer), 3);
		for (size_t j = 0; j < 3; j++) {
			const json_t *p = process_at(answer, j);
			char link[64], exe[PATH_MAX];
			ck_assert_str_eq(text_of(p, "host"), "inside");
			ck_assert_int_eq(number_of(p, "rank"), j);
			snprintf(link, sizeof(link), "/proc/%lld/exe", number_of(p, "pid"));
			ssize_t n = readlink(link, exe, sizeof(exe) - 1);
			ck_assert_int_gt(n, 0);
			exe[n] = '\0';
			ck_assert_str_eq(exe, text_of(p, "executable"));
		}
		json_decref(answer);
	}
	kill(outer, SIGKILL);
	waitpid(outer, NULL, 0);
	scratch_remove(folder);
}
END_TEST

/* An unprepared job is found from the other sources; --via mpi2dd reports in one line that it has no information. */
START_TEST(test_unprepared)
{
	struct job job;

	job_starter = NULL;
	job_start("receives", NULL, 3, 0, &job);
	json_t *answer = procs(job.launcher, "any", 0);
	ck_assert_str_eq(source_of(answer), has_proctable() ? "MPIR_proctable" : "environment");
	ck_assert_uint_eq(n_processes(answer), 3);
	ck_assert_ptr_null(json_object_get(process_at(answer, 0), "world"));
	json_decref(answer);
	json_decref(procs(job.launcher, "mpi2dd", 1));
	ck_contains(run.err, "no MPI2DD_info in it, nor in ranks below it: start the job with mpi2dd-run");
	ck_assert_ptr_eq(strchr(run.err, '\n'), run.err + strlen(run.err) - 1);
	json_decref(procs(job.ranks[1].pid, "mpi2dd", 1));
	job_end(&job);
}
END_TEST

/* Nothing is stopped for it: a process that is being traced can be listed. */
START_TEST(test_stops_nobody)
{
	struct job job;

	job_starter = starter;
	job_start("receives", NULL, 3, 0, &job);
	kill(job.ranks[0].pid, SIGSTOP);
	while (process_state(job.ranks[0].pid) != 'T')
		job_nap();
	json_t *answer = procs(job.launcher, "any", 0);
	ck_assert_str_eq(source_of(answer), "MPI2DD");
	ck_assert_str_eq(text_of(process_at(answer, 0), "state"), "stopped");
	json_decref(answer);
	ck_assert_int_eq(process_state(job.ranks[0].pid), 'T');
	job_end(&job);
}
END_TEST

/* A rank that has ended remains in the table and is listed as gone. */
START_TEST(test_rank_gone)
{
	struct job job;

	job_starter = starter;
	/* mpirun would end the job with it: let it not see. */
	job_start("receives", NULL, 3, 0, &job);
	pid_t mpirun = child_of(job.launcher);
	kill(mpirun, SIGSTOP);
	while (process_state(mpirun) != 'T')
		job_nap();
	kill(job.ranks[2].pid, SIGKILL);
	while (process_state(job.ranks[2].pid) && process_state(job.ranks[2].pid) != 'Z')
		job_nap();
	json_t *answer = procs(job.ranks[0].pid, "mpi2dd", 0);
	ck_assert_uint_eq(n_processes(answer), 3);
	const char *state = text_of(process_at(answer, 2), "state");
	ck_assert_msg(strcmp(state, "zombie") == 0 || strcmp(state, "gone") == 0, "%s", state);
	json_decref(answer);
	kill(mpirun, SIGCONT);
	job_end(&job);
}
END_TEST

START_TEST(test_cores)
{
	struct job job;
	char folder[600], command[2400], child[200], alone[200];

	job_starter = starter;
	job_start("spawn", NULL, 2, 4, &job);
	snprintf(child, sizeof(child), "\n  world %s: spawned by rank 0 of world %s, call 0\n",
		 number_of_world(job.ranks[2].pid), number_of_world(job.ranks[0].pid));
	snprintf(alone, sizeof(alone), "world %s: spawned by rank 0 of a world that is not listed, call 0\n",
		 number_of_world(job.ranks[2].pid));
	job_cores(&job);
	job_stop(&job);
	snprintf(folder, sizeof(folder), "%s/cores", job.dir);
	snprintf(command, sizeof(command), "mkdir '%s' && mv '%s'/core.* '%s'", folder, job.dir, folder);
	ck_assert_int_eq(system(command), 0);
	mpidbg_run_free(&run);
	mpidbg_run(&run, "procs", "--cores", folder, NULL);
	ck_exit(0);
	ck_contains(run.out, "job of 2 ranks, 2 spawned, from 4 cores\n");
	ck_contains(run.out, child);
	mpidbg_run_free(&run);
	mpidbg_run(&run, "procs", "--cores", folder, "--json", NULL);
	ck_exit(0);
	json_t *answer = mpidbg_run_json(&run);
	ck_assert_uint_eq(n_processes(answer), 4);
	for (size_t i = 0; i < 4; i++) {
		const json_t *p = process_at(answer, i);
		ck_assert_int_eq(number_of(p, "rank"), i % 2);
		ck_assert_str_eq(text_of(p, "world"), text_of(process_at(answer, i & 2), "world"));
		ck_assert_str_eq(text_of(p, "parent_world"), i < 2 ? "" : text_of(process_at(answer, 0), "world"));
		ck_assert_str_ne(text_of(p, "host"), "");
	}
	json_decref(answer);

	/* One core alone: rank 0 is its world's directory. */
	char *core = NULL;
	ck_assert_int_ge(asprintf(&core, "%s%s", folder, strrchr(job.ranks[2].core, '/')), 0);
	mpidbg_run_free(&run);
	mpidbg_run(&run, "procs", "--core", core, "--json", NULL);
	ck_exit(0);
	answer = mpidbg_run_json(&run);
	ck_assert_int_eq(number_of(process_at(answer, 0), "rank"), 0);
	ck_assert_int_eq(number_of(process_at(answer, 0), "parent_rank"), 0);
	json_decref(answer);
	mpidbg_run_free(&run);
	mpidbg_run(&run, "procs", "--cores", core, NULL);
	ck_contains(run.out, alone);

	/* A missing rank is reported, with its world. */
	ck_assert_int_eq(unlink(core), 0);
	free(core);
	mpidbg_run_free(&run);
	mpidbg_run(&run, "procs", "--cores", folder, NULL);
	ck_contains(run.err, "no core of rank [0] of 2");
	job_end(&job);
}
END_TEST

/* ---- MPICH ---------------------------------------------------------------------------------------- */

/* MPI_Comm_spawn of MPICH 4.0.2, as Debian 12 ships it, fails by itself: one world. */
static const char mpich_program
	[] = "#include <mpi.h>\n#include <stdio.h>\n#include <sys/prctl.h>\n#include <unistd.h>\n"
	     "int main(int argc, char **argv)\n{\n\tint rank;\n\tchar path[4096];\n\tMPI_Init(&argc, &argv);\n"
	     "\tprctl(PR_SET_PDEATHSIG, 9);\n\talarm(200);\n\tMPI_Comm_rank(MPI_COMM_WORLD, &rank);\n"
	     "\tsnprintf(path, sizeof path, \"%s/rank%d\", argv[1], rank);\n"
	     "\tFILE *f = fopen(path, \"w\");\n\tfprintf(f, \"%d\\n\", (int)getpid());\n\tfclose(f);\n"
	     "\tfor (;;)\n\t\tpause();\n}\n";

static pid_t written_pid(const char *folder, int rank, pid_t launcher)
{
	char path[PATH_MAX + 64];
	int pid = 0;
	double deadline = job_now() + LAUNCHER_WAIT_S;

	snprintf(path, sizeof(path), "%s/rank%d", folder, rank);
	while (!pid) {
		ck_assert_msg(job_now() < deadline, "MPICH's job does not come up");
		ck_assert_msg(waitpid(launcher, NULL, WNOHANG) == 0, "MPICH's job has ended");
		job_nap();
		FILE *f = fopen(path, "r");
		if (f && fscanf(f, "%d", &pid) != 1)
			pid = 0;
		if (f)
			fclose(f);
	}
	return pid;
}

static void check_mpich(pid_t pid, const pid_t *ranks)
{
	json_t *answer = procs(pid, "any", 0);

	ck_assert_msg(strcmp(source_of(answer), "MPI2DD") == 0, "%s%s", run.out, run.err);
	ck_assert_msg(n_processes(answer) == MPICH_RANKS, "%s%s", run.out, run.err);
	for (size_t i = 0; i < MPICH_RANKS; i++) {
		const json_t *p = process_at(answer, i);
		ck_assert_int_eq(number_of(p, "rank"), i);
		ck_assert_int_eq(number_of(p, "pid"), ranks[i]);
		ck_assert_str_ne(text_of(p, "world"), "");
		ck_assert_str_eq(text_of(p, "world"), text_of(process_at(answer, 0), "world"));
	}
	json_decref(answer);
}

START_TEST(test_mpich)
{
	char folder[SCRATCH_MAX], command[3 * PATH_MAX], path[PATH_MAX + 64];
	pid_t ranks[MPICH_RANKS];

	scratch_make(folder, "procs");
	snprintf(path, sizeof(path), "%s/wait.c", folder);
	FILE *f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fputs(mpich_program, f);
	ck_assert_int_eq(fclose(f), 0);
	snprintf(command, sizeof(command), "mpicc.mpich -o '%s/wait' '%s'", folder, path);
	ck_assert_msg(system(command) == 0, "%s", command);
	snprintf(path, sizeof(path), "%s/wait", folder);
	pid_t launcher = fork();
	ck_assert_int_ge(launcher, 0);
	if (!launcher) {
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		unsetenv("LD_PRELOAD");
		if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
			_exit(127);
		execl(starter, starter, "mpiexec.mpich", "-n", "3", path, folder, (char *)NULL);
		_exit(127);
	}
	for (int i = 0; i < MPICH_RANKS; i++)
		ranks[i] = written_pid(folder, i, launcher);
	check_mpich(launcher, ranks);
	check_mpich(child_of(launcher), ranks);
	for (int i = 0; i < MPICH_RANKS; i++)
		check_mpich(ranks[i], ranks);
	kill(launcher, SIGTERM);
	ck_assert_int_eq(waitpid(launcher, NULL, 0), launcher);
	scratch_remove(folder);
}
END_TEST

int main(void)
{
	job_require();
	char build[PATH_MAX];
	if (!realpath(getenv("MPIDBG_BUILD"), build))
		return EXIT_FAILURE;
	snprintf(starter, sizeof(starter), "%.4000s/mpi2dd-run", build);
	snprintf(preload, sizeof(preload), "-x LD_PRELOAD=%.4000s/libmpi2dd-openmpi.so", build);
	Suite *s = suite_create("procs_mpi2dd");
	TCase *tc = tcase_create("procs_mpi2dd");
	tcase_set_timeout(tc, TIMEOUT_S);
	tcase_add_test(tc, test_preload);
	tcase_add_test(tc, test_starter);
	tcase_add_test(tc, test_spawned);
	tcase_add_test(tc, test_grandchildren);
	tcase_add_test(tc, test_spawned_by_each_rank);
	tcase_add_test(tc, test_connected);
	tcase_add_test(tc, test_container);
	tcase_add_test(tc, test_unprepared);
	tcase_add_test(tc, test_stops_nobody);
	tcase_add_test(tc, test_rank_gone);
	tcase_add_test(tc, test_cores);
	if (!system("command -v mpicc.mpich mpiexec.mpich >/dev/null"))
		tcase_add_test(tc, test_mpich);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
