/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpidbg procs on MPI2DD tables that were filled by hand (tests/programs/tables.c): several worlds, hosts, directories,
 * and everything that can be wrong with them.
 */
#include "../support/job.h"
#include "../support/mpidbg_run.h"
#include "../support/scratch.h"
#include "../support/suite.h"

#include <check.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TIMEOUT_S = 120, PROCESSES_MAX = 16, READY_S = 240 };

static char folder[SCRATCH_MAX], us[256];
static struct process {
	char name[16];
	pid_t pid;
	FILE *tables;
} processes[PROCESSES_MAX];
static size_t n_processes;
static struct mpidbg_run run;

/* ---- the processes ------------------------------------------------------------------------------- */

static void wait_for(const char *name, const char *end)
{
	char path[400];
	double deadline = job_now() + READY_S;

	snprintf(path, sizeof(path), "%s/%s%s", folder, name, end);
	while (access(path, F_OK) != 0) {
		ck_assert_msg(job_now() < deadline, "%s does not come up", name);
		job_nap();
	}
}

static void begin(void)
{
	scratch_make(folder, "tables");
	ck_assert_int_eq(gethostname(us, sizeof(us) - 1), 0);
	n_processes = 0;
}

static void finish(void)
{
	for (size_t i = 0; i < n_processes; i++) {
		kill(processes[i].pid, SIGKILL);
		waitpid(processes[i].pid, NULL, 0);
	}
	mpidbg_run_free(&run);
	scratch_remove(folder);
}

static struct process *find(const char *name)
{
	for (size_t i = 0; i < n_processes; i++)
		if (strcmp(processes[i].name, name) == 0)
			return &processes[i];
	ck_abort_msg("no process %s", name);
}

static pid_t pid_of(const char *name)
{
	return find(name)->pid;
}

/* Start processes, "a b c". @param environment NULL, or a job: they are its ranks 0, 1 and on */
static void start(const char *names, const char *environment)
{
	char copy[256], path[400], program[700], number[16];
	const char *build = getenv("MPIDBG_BUILD");
	int rank = 0;

	snprintf(copy, sizeof(copy), "%s", names);
	snprintf(program, sizeof(program), "%s/programs/tables", build);
	for (char *save = NULL, *name = strtok_r(copy, " ", &save); name; name = strtok_r(NULL, " ", &save)) {
		struct process *p = &processes[n_processes++];
		ck_assert_uint_le(n_processes, PROCESSES_MAX);
		snprintf(p->name, sizeof(p->name), "%s", name);
		p->pid = fork();
		ck_assert_int_ge(p->pid, 0);
		if (p->pid == 0) {
			snprintf(number, sizeof(number), "%d", rank);
			if (environment) {
				setenv("PMIX_NAMESPACE", environment, 1);
				setenv("PMIX_RANK", number, 1);
			}
			execl(program, program, folder, name, (char *)NULL);
			_exit(127);
		}
		rank++;
		wait_for(name, ".pid");
		snprintf(path, sizeof(path), "%s/%s.new", folder, name);
		p->tables = fopen(path, "w");
		ck_assert_ptr_nonnull(p->tables);
	}
}

/* A line of a process's file: a name in braces is that process's place, "{a}" HOST - PID. */
__attribute__((format(printf, 2, 3))) static void add(const char *name, const char *format, ...)
{
	char line[1024];
	FILE *f = find(name)->tables;
	va_list ap;

	va_start(ap, format);
	vsnprintf(line, sizeof(line), format, ap);
	va_end(ap);
	for (const char *c = line; *c; c++) {
		char other[16] = "";
		if (*c != '{') {
			fputc(*c, f);
			continue;
		}
		ck_assert_int_eq(sscanf(c, "{%15[a-z0-9]}", other), 1);
		fprintf(f, "%s - %d", us, (int)pid_of(other));
		c = strchr(c, '}');
	}
	fputc('\n', f);
}

static void publish(void)
{
	char from[400], to[400];

	for (size_t i = 0; i < n_processes; i++) {
		if (!processes[i].tables)
			continue;
		fclose(processes[i].tables);
		processes[i].tables = NULL;
		snprintf(from, sizeof(from), "%s/%.15s.new", folder, processes[i].name);
		snprintf(to, sizeof(to), "%s/%.15s.tables", folder, processes[i].name);
		ck_assert_int_eq(rename(from, to), 0);
		wait_for(processes[i].name, ".ready");
	}
}

/* ---- the command --------------------------------------------------------------------------------- */

static void procs(pid_t pid, const char *format_option, const char *via)
{
	char number[16];

	mpidbg_run_free(&run);
	snprintf(number, sizeof(number), "%d", (int)pid);
	if (via)
		mpidbg_run(&run, "procs", "--job", number, "--via", via, format_option, NULL);
	else
		mpidbg_run(&run, "procs", "--job", number, format_option, NULL);
}

#define ck_exit(want)                                                                                                  \
	ck_assert_msg(run.exit_code == (want), "exit %d, not %d\n%s%s", run.exit_code, (want), run.out, run.err)
#define ck_contains(text, words)                                                                                       \
	ck_assert_msg(strstr(text, words), "\"%s\" is not said:\n%s%s", words, run.out, run.err)

static size_t count_lines(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

/* Its table as lines "WORLD RANK NAME", in its order; NAME is the pid where there is no process with a name. */
static const char *listed(void)
{
	static char text[4096];
	size_t i;
	json_t *p, *json = mpidbg_run_json(&run), *all = json_object_get(json, "processes");

	text[0] = '\0';
	json_array_foreach(all, i, p)
	{
		const char *world = json_string_value(json_object_get(p, "world"));
		long long pid = json_integer_value(json_object_get(p, "pid"));
		char name[32];
		snprintf(name, sizeof(name), "%lld", pid);
		for (size_t j = 0; j < n_processes; j++)
			if (processes[j].pid == pid)
				snprintf(name, sizeof(name), "%.15s", processes[j].name);
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s %lld %s\n", world ? world : "?",
			 (long long)json_integer_value(json_object_get(p, "rank")), name);
	}
	json_decref(json);
	return text;
}

static const char *source(void)
{
	static char text[64];
	json_t *json = mpidbg_run_json(&run);
	const char *s = json_string_value(json_object_get(json_object_get(json, "job"), "source"));

	snprintf(text, sizeof(text), "%s", s ? s : "");
	json_decref(json);
	return text;
}

/* ---- tests --------------------------------------------------------------------------------------- */

START_TEST(test_one_world)
{
	begin();
	start("a b c", NULL);
	for (const char *n = "a\0b\0c\0"; *n; n += 2)
		add(n, "meta {a}");
	add("a", "flags 3");
	add("a", "proc {b} 1 w1");
	add("a", "proc {a} 0 w1");
	add("a", "proc {c} 2 w1");
	publish();
	for (size_t i = 0; i < n_processes; i++) {
		procs(processes[i].pid, "--json", NULL);
		ck_exit(0);
		ck_assert_str_eq(listed(), "w1 0 a\nw1 1 b\nw1 2 c\n");
		ck_assert_str_eq(source(), "MPI2DD");
	}
	procs(pid_of("b"), "--color=never", NULL);
	ck_exit(0);
	ck_contains(run.out, "job of 3 ranks (MPI2DD)\n rank");
	ck_assert_uint_eq(count_lines(run.out), 5);
	ck_assert_str_eq(run.err, "");
	finish();
}
END_TEST

/* Two directories, each with its own half and one process that both have. */
START_TEST(test_two_directories)
{
	begin();
	start("a b c d", NULL);
	for (const char *n = "a\0b\0c\0d\0"; *n; n += 2)
		add(n, "meta {a}");
	add("a", "directory {c}");
	add("a", "proc {a} 0 w1");
	add("a", "proc {b} 1 w1");
	add("c", "proc {c} 2 w1");
	add("c", "proc {d} 3 w1");
	add("c", "proc {b} 1 w1");
	publish();
	for (size_t i = 0; i < n_processes; i++) {
		procs(processes[i].pid, "--json", "mpi2dd");
		ck_exit(0);
		ck_assert_str_eq(listed(), "w1 0 a\nw1 1 b\nw1 2 c\nw1 3 d\n");
	}
	finish();
}
END_TEST

/* Names of host that are short in one table and long in another are one host. */
START_TEST(test_long_host_name)
{
	begin();
	start("a b", NULL);
	add("a", "meta %s.cluster.example - %d", us, (int)pid_of("a"));
	add("b", "meta {a}");
	add("a", "proc {a} 0 w1");
	add("a", "proc %s.cluster.example - %d 1 w1", us, (int)pid_of("b"));
	add("a", "proc {b} 1 w1");
	publish();
	procs(pid_of("b"), "--json", NULL);
	ck_exit(0);
	ck_assert_str_eq(listed(), "w1 0 a\nw1 1 b\n");
	finish();
}
END_TEST

/* Hosts may be addresses: ours are here, others not. */
START_TEST(test_addresses)
{
	begin();
	start("a b", NULL);
	int a = (int)pid_of("a"), b = (int)pid_of("b");
	add("a", "meta 127.0.0.1 - %d", a);
	add("b", "meta 127.0.0.1 - %d", a);
	add("a", "directory 192.0.2.77 - %d", b);
	add("a", "proc 127.0.0.1 - %d 0 w1", a);
	add("a", "proc 127.0.0.1 - %d 1 w1", b);
	publish();
	procs(pid_of("b"), "--json", NULL);
	ck_exit(3);
	ck_assert_str_eq(listed(), "w1 0 a\nw1 1 b\n");
	ck_contains(run.err, "it is on host 192.0.2.77: run mpidbg there");
	json_t *json = mpidbg_run_json(&run);
	ck_assert_ptr_nonnull(json_object_get(json_array_get(json_object_get(json, "processes"), 1), "state"));
	json_decref(json);
	finish();
}
END_TEST

/* w1 has spawned w2 and w3, w2 has spawned w4, w5 was met; the metadirectories all name each other. */
START_TEST(test_worlds)
{
	static const char *const all = "w1 0 a\nw1 1 b\nw3 0 c\nw2 0 d\nw4 0 e\nw5 0 f\n";
	begin();
	start("a b c d e f", NULL);
	for (const char *n = "a\0c\0d\0e\0f\0"; *n; n += 2) {
		add(n, "meta {%s}", n);
		for (const char *m = "a\0c\0d\0e\0f\0"; *m; m += 2)
			add(n, "metadirectory {%s}", m); /* itself too, which it should not */
	}
	add("b", "meta {a}");
	add("a", "proc {a} 0 w1");
	add("a", "proc {b} 1 w1");
	add("c", "proc {c} 0 w3 w1 0 1");
	add("d", "proc {d} 0 w2 w1 1 0");
	add("e", "proc {e} 0 w4 w2 0 0");
	add("f", "proc {f} 0 w5");
	publish();
	for (size_t i = 0; i < n_processes - 1; i++) {
		procs(processes[i].pid, "--json", NULL);
		ck_exit(0);
		ck_assert_str_eq(listed(), all);
	}
	procs(pid_of("f"), "--json", NULL);
	ck_exit(0);
	ck_assert_str_eq(listed(), "w5 0 f\nw1 0 a\nw1 1 b\nw3 0 c\nw2 0 d\nw4 0 e\n");

	procs(pid_of("a"), "--color=never", NULL);
	ck_exit(0);
	ck_contains(run.out, "job of 2 ranks, 3 spawned, 1 connected (MPI2DD)\n");
	ck_contains(run.out, "\nworld 1\n");
	ck_contains(run.out, "\n  world 2: spawned by rank 0 of world 1, call 1\n");
	ck_contains(run.out, "\n  world 3: spawned by rank 1 of world 1, call 0\n");
	ck_contains(run.out, "\n    world 4: spawned by rank 0 of world 3, call 0\n");
	ck_contains(run.out, "\nworld 5: connected with world 1\n");

	procs(pid_of("a"), "--json", NULL);
	json_t *json = mpidbg_run_json(&run);
	const json_t *e = json_array_get(json_object_get(json, "processes"), 4);
	ck_assert_str_eq(json_string_value(json_object_get(e, "world")), "w4");
	ck_assert_str_eq(json_string_value(json_object_get(e, "parent_world")), "w2");
	ck_assert_int_eq(json_integer_value(json_object_get(e, "parent_rank")), 0);
	ck_assert_int_eq(json_integer_value(json_object_get(e, "sequence")), 0);
	ck_assert_ptr_null(json_object_get(json_array_get(json_object_get(json, "processes"), 0), "parent_world"));
	json_decref(json);
	finish();
}
END_TEST

/* A cycle of parents, a parent that is not listed, a world that is its own parent. */
START_TEST(test_strange_parents)
{
	begin();
	start("a", NULL);
	add("a", "meta {a}");
	add("a", "proc {a} 0 w1 w2 0 0");
	add("a", "proc {a} 0 w2 w3 0 0");
	add("a", "proc {a} 0 w3 w1 0 0");
	add("a", "proc {a} 0 w4 w4 0 0");
	add("a", "proc {a} 0 w5 lost 7 3");
	publish();
	procs(pid_of("a"), "--color=never", NULL);
	ck_exit(0);
	ck_contains(run.out, "spawned by rank 7 of a world that is not listed, call 3\n");
	procs(pid_of("a"), "--json", NULL);
	json_t *json = mpidbg_run_json(&run);
	ck_assert_uint_eq(json_array_size(json_object_get(json, "processes")), 5);
	json_decref(json);
	finish();
}
END_TEST

/* Processes of another host are listed; a directory there is named as not read. */
START_TEST(test_other_host)
{
	begin();
	start("a b", NULL);
	add("a", "meta {a}");
	add("a", "directory elsewhere /far/prog %d", (int)pid_of("b")); /* a number that is in use here */
	add("a", "directory elsewhere /far/prog 77");
	add("a", "proc {a} 0 w1");
	add("a", "proc elsewhere /far/prog %d 1 w1", (int)pid_of("b"));
	add("b", "meta {a}");
	publish();
	procs(pid_of("a"), "--json", NULL);
	ck_exit(3);
	ck_assert_str_eq(listed(), "w1 0 a\nw1 1 b\n");
	ck_contains(run.err, "directory process 77: not read: it is on host elsewhere: run mpidbg there");
	ck_assert_uint_eq(count_lines(run.err), 2);
	json_t *json = mpidbg_run_json(&run);
	const json_t *far = json_array_get(json_object_get(json, "processes"), 1);
	ck_assert_str_eq(json_string_value(json_object_get(far, "host")), "elsewhere");
	ck_assert_ptr_null(json_object_get(far, "state"));
	ck_assert_uint_eq(json_array_size(json_object_get(json, "problems")), 2);
	json_decref(json);

	/* From a rank whose metadirectory is on another host nothing is found. */
	start("c", NULL);
	add("c", "meta elsewhere /far/prog 78");
	publish();
	procs(pid_of("c"), "--color=never", "mpi2dd");
	ck_exit(1);
	ck_contains(run.err, "metadirectory process 78: not read: it is on host elsewhere: run mpidbg there");
	ck_assert_uint_eq(count_lines(run.err), 1);
	finish();
}
END_TEST

/* The metadirectory is on another host; the first process is itself a directory: its entries are shown. */
START_TEST(test_start_is_directory)
{
	begin();
	start("a b", NULL);
	add("a", "meta elsewhere /far/prog 78");
	add("b", "meta elsewhere /far/prog 78");
	add("a", "proc {a} 4 w1");
	add("a", "proc {b} 5 w1");
	publish();
	procs(pid_of("a"), "--json", NULL);
	ck_exit(3);
	ck_assert_str_eq(listed(), "w1 4 a\nw1 5 b\n");
	ck_contains(run.err, "it is on host elsewhere");
	finish();
}
END_TEST

/* A metadirectory that has ended, one whose pid was reused, one that is not an MPI2DD process. */
START_TEST(test_vanished)
{
	begin();
	start("a b c d", NULL);
	pid_t sleeper = fork();
	if (sleeper == 0) {
		execlp("sleep", "sleep", "300", (char *)NULL);
		_exit(127);
	}
	add("a", "meta {a}");
	add("a", "proc {a} 0 w1");
	add("a", "metadirectory {b}");
	add("a", "metadirectory {c}");
	add("a", "metadirectory %s - %d", us, (int)sleeper);
	add("b", "meta {b}");
	add("c", "meta {d}"); /* says that it is somebody else's */
	add("c", "proc {d} 0 w7");
	add("d", "meta {d}");
	publish();
	kill(pid_of("b"), SIGKILL);
	waitpid(pid_of("b"), NULL, 0);
	procs(pid_of("a"), "--json", NULL);
	kill(sleeper, SIGKILL);
	waitpid(sleeper, NULL, 0);
	ck_exit(3);
	ck_assert_str_eq(listed(), "w1 0 a\n");
	char words[200];
	snprintf(words, sizeof(words), "metadirectory process %d: not read: it has ended\n", (int)pid_of("b"));
	ck_contains(run.err, words);
	snprintf(words, sizeof(words), "process %d: not read: it has ended, and its number belongs to another",
		 (int)pid_of("c"));
	ck_contains(run.err, words);
	snprintf(words, sizeof(words), "process %d: not read: it has ended, and its number", (int)sleeper);
	ck_contains(run.err, words);
	ck_assert_uint_eq(count_lines(run.err), 3);
	processes[1].pid = processes[0].pid; /* gone: not to be killed again */
	finish();
}
END_TEST

static const struct damage {
	const char *line;
	int exit_code;
	const char *words;
} damages[] = {
	{ "raw proctable 0x10", 3, "proctable" },
	{ "raw proctable_size -5", 3, "proctable_size" },
	{ "raw proctable_size 2147483647", 3, "proctable" },
	{ "raw directory_size 100000", 3, "directory" },
	{ "raw directory_table 0xdead0000beef", 3, "directory_table" },
	{ "raw metadirectory_size -1", 3, "metadirectory" },
	{ "raw metadirectory_table 1", 3, "metadirectory_table" },
	{ "raw meta_host_name 0x10", 3, "meta_host_name" },
	{ "raw version 9", 3, "version" },
	{ "raw magic 0", 3, "magic" },
};

/* Whatever is damaged: words, an exit code, an end. */
START_TEST(test_damaged)
{
	const struct damage *d = &damages[_i];

	begin();
	start("a b", NULL);
	add("a", "meta {a}");
	add("a", "proc {a} 0 w1");
	add("a", "proc {b} 1 w1");
	add("a", "directory {b}");
	add("a", "metadirectory {b}");
	add("a", "%s", d->line);
	add("b", "meta {a}");
	publish();
	procs(pid_of("a"), "--color=never", NULL);
	ck_assert_msg(run.exit_code == d->exit_code, "%s: exit %d\n%s%s", d->line, run.exit_code, run.out, run.err);
	ck_contains(run.err, d->words);
	ck_assert_msg(run.seconds < 20, "%s: %f s", d->line, run.seconds);
	procs(pid_of("b"), "--color=never", NULL);
	ck_assert_msg(run.exit_code == 3 || run.exit_code == 1, "%s: exit %d\n%s%s", d->line, run.exit_code, run.out,
		      run.err);
	ck_assert(*run.err);
	finish();
}
END_TEST

/* One rank of one world is named for two processes: both are shown, and it is said. */
START_TEST(test_rank_twice)
{
	begin();
	start("a b", NULL);
	add("a", "meta {a}");
	add("a", "proc {a} 0 w1");
	add("a", "proc {b} 0 w1");
	publish();
	procs(pid_of("a"), "--json", NULL);
	ck_exit(3);
	ck_contains(run.err, "world w1: rank 0 is named twice");
	json_t *json = mpidbg_run_json(&run);
	ck_assert_uint_eq(json_array_size(json_object_get(json, "processes")), 2);
	json_decref(json);
	finish();
}
END_TEST

/* Before MPI_Init has returned, and a starter that knows nothing yet. */
START_TEST(test_too_early)
{
	begin();
	start("a b", NULL);
	add("b", "flags 4");
	publish();
	procs(pid_of("a"), "--color=never", NULL);
	ck_exit(1);
	ck_contains(run.err, "has not returned from MPI_Init yet");
	ck_assert_uint_eq(count_lines(run.err), 1);
	procs(pid_of("b"), "--color=never", "mpi2dd");
	ck_exit(1);
	ck_contains(run.err, "the starter knows of no process");
	ck_assert_uint_eq(count_lines(run.err), 1);
	finish();
}
END_TEST

/* What one source does not have, is one line and exit 1. */
START_TEST(test_forced)
{
	begin();
	start("a", NULL);
	add("a", "meta {a}");
	add("a", "proc {a} 0 w1");
	publish();
	procs(pid_of("a"), "--color=never", "mpir");
	ck_exit(1);
	ck_contains(run.err, "MPIR_proctable");
	ck_assert_uint_eq(count_lines(run.err), 1);
	ck_assert_str_eq(run.out, "");
	procs(pid_of("a"), "--color=never", "env");
	ck_exit(1);
	ck_assert_uint_eq(count_lines(run.err), 1);
	procs(getpid(), "--color=never", "mpi2dd");
	ck_exit(1);
	ck_contains(run.err, "no MPI2DD_info");
	ck_assert_uint_eq(count_lines(run.err), 1);
	procs(pid_of("a"), "--color=never", "mpi");
	ck_exit(2);
	ck_contains(run.err, "--via is mpi2dd, mpir, env or any");
	mpidbg_run_free(&run);
	mpidbg_run(&run, "procs", "--via", "env", "-p", "1", NULL);
	ck_exit(2);
	ck_contains(run.err, "--via goes with --job");
	finish();
}
END_TEST

/* The launcher's environment knows ranks that the tables lack: these are listed, and what MPI2DD knows is added. */
START_TEST(test_not_all_prepared)
{
	begin();
	start("a b c", "check_procs_tables.1");
	start("d", NULL);
	add("a", "meta {a}");
	add("a", "proc {a} 0 w1");
	add("a", "metadirectory {d}");
	add("d", "meta {d}");
	add("d", "proc {d} 0 w2 w1 0 0");
	publish();
	procs(pid_of("b"), "--json", NULL);
	ck_exit(0);
	ck_assert_str_eq(source(), "environment");
	ck_assert_str_eq(listed(), "w1 0 a\nw1 1 b\nw1 2 c\nw2 0 d\n");
	procs(pid_of("b"), "--json", "mpi2dd");
	ck_exit(0);
	ck_assert_str_eq(source(), "MPI2DD");
	ck_assert_str_eq(listed(), "w1 0 a\nw2 0 d\n");
	procs(pid_of("b"), "--json", "env");
	ck_exit(0);
	ck_assert_str_eq(listed(), "? 0 a\n? 1 b\n? 2 c\n");
	finish();
}
END_TEST

/* A world that was spawned and has ended leaves its entry: nothing is missing when the environments show no more. */
START_TEST(test_ended_world)
{
	begin();
	start("a b", "check_procs_tables.2");
	start("d", NULL);
	add("a", "meta {a}");
	add("b", "meta {a}");
	add("a", "proc {a} 0 w1");
	add("a", "proc {b} 1 w1");
	add("a", "metadirectory {d}");
	publish();
	kill(pid_of("d"), SIGKILL);
	waitpid(pid_of("d"), NULL, 0);
	procs(pid_of("b"), "--json", NULL);
	ck_exit(0);
	ck_assert_str_eq(listed(), "w1 0 a\nw1 1 b\n");
	ck_assert_str_eq(source(), "MPI2DD");
	find("d")->pid = pid_of("a");
	finish();
}
END_TEST

/*
 * Hosts that have another name and are yet this machine: the environments show the processes here, and the processes
 * call themselves by that name.
 */
START_TEST(test_host_seen_here)
{
	begin();
	start("a b", "check_procs_tables.3");
	int a = (int)pid_of("a"), b = (int)pid_of("b");
	for (const char *n = "a\0b\0"; *n; n += 2)
		add(n, "meta node1 - %d", a);
	add("a", "directory node2 - %d", b);
	add("a", "proc node1 - %d 0 w1", a);
	add("b", "proc node2 - %d 1 w1", b);
	publish();
	procs(pid_of("a"), "--json", NULL);
	ck_exit(0);
	ck_assert_str_eq(listed(), "w1 0 a\nw1 1 b\n");
	procs(pid_of("b"), "--json", NULL);
	ck_exit(0);
	ck_assert_str_eq(listed(), "w1 0 a\nw1 1 b\n");
	finish();
}
END_TEST

/* Other commands with --job look at the same processes. */
START_TEST(test_other_commands)
{
	char number[16];

	begin();
	start("a b", NULL);
	add("a", "meta {a}");
	add("b", "meta {a}");
	add("a", "proc {a} 0 w1");
	add("a", "proc {b} 1 w1");
	publish();
	snprintf(number, sizeof(number), "%d", (int)pid_of("b"));
	mpidbg_run(&run, "queues", "--job", number, "--json", NULL);
	ck_exit(1); /* they are no MPI processes: but both were asked */
	json_t *json = mpidbg_run_json(&run);
	ck_assert_uint_eq(json_array_size(json_object_get(json, "processes")), 2);
	json_decref(json);
	ck_contains(run.err, "ranks [0-1]: not an MPI process");
	finish();
}
END_TEST

/* Cores: worlds by the tables in them. */
START_TEST(test_cores)
{
	char command[1400], path[400];

	begin();
	start("a b c", NULL);
	for (const char *n = "a\0b\0"; *n; n += 2)
		add(n, "meta {a}");
	add("c", "meta {c}");
	add("a", "proc {a} 0 w1");
	add("a", "proc {b} 1 w1");
	add("c", "proc {c} 0 w2 w1 1 0");
	publish();
	snprintf(path, sizeof(path), "%s/cores", folder);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	for (size_t i = 0; i < n_processes; i++) {
		snprintf(command, sizeof(command), "gcore -o '%s/core' %d >'%s/log' 2>&1 </dev/null", path,
			 (int)processes[i].pid, folder);
		ck_assert_int_eq(system(command), 0);
	}
	mpidbg_run(&run, "procs", "--cores", path, "--json", NULL);
	ck_exit(0);
	ck_assert_str_eq(listed(), "w1 0 a\nw1 1 b\nw2 0 c\n");
	mpidbg_run_free(&run);
	mpidbg_run(&run, "procs", "--cores", path, NULL);
	ck_exit(0);
	ck_contains(run.out, "\n  world 2: spawned by rank 1 of world 1, call 0\n");
	snprintf(path, sizeof(path), "%s/cores/core.%d", folder, (int)pid_of("c"));
	mpidbg_run_free(&run);
	mpidbg_run(&run, "procs", "--core", path, "--json", NULL);
	ck_exit(0);
	ck_assert_str_eq(listed(), "w2 0 c\n");
	finish();
}
END_TEST

int main(void)
{
	job_require();
	Suite *s = suite_create("procs_tables");
	TCase *tc = tcase_create("procs_tables");
	tcase_set_timeout(tc, TIMEOUT_S);
	tcase_add_test(tc, test_one_world);
	tcase_add_test(tc, test_two_directories);
	tcase_add_test(tc, test_long_host_name);
	tcase_add_test(tc, test_addresses);
	tcase_add_test(tc, test_worlds);
	tcase_add_test(tc, test_strange_parents);
	tcase_add_test(tc, test_other_host);
	tcase_add_test(tc, test_start_is_directory);
	tcase_add_test(tc, test_vanished);
	tcase_add_loop_test(tc, test_damaged, 0, sizeof(damages) / sizeof(damages[0]));
	tcase_add_test(tc, test_rank_twice);
	tcase_add_test(tc, test_too_early);
	tcase_add_test(tc, test_forced);
	tcase_add_test(tc, test_not_all_prepared);
	tcase_add_test(tc, test_ended_world);
	tcase_add_test(tc, test_host_seen_here);
	tcase_add_test(tc, test_other_commands);
	tcase_add_test(tc, test_cores);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
