/* SPDX-License-Identifier: BSD-3-Clause */
#include "job.h"

#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WORDS_MAX = 48 };

const char *job_starter;
const char *job_wrapper;

double job_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void job_nap(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
}

static bool on_path(const char *name)
{
	char command[256];

	snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", name);
	return system(command) == 0;
}

static bool can_ptrace(void)
{
	pid_t child = fork();
	bool ok;

	if (child == 0) {
		for (;;)
			pause();
	}
	ok = ptrace(PTRACE_SEIZE, child, NULL, NULL) == 0;
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	return ok;
}

/* That of 4.1.0 (Debian 11) fails in every MPI_Win_create. */
static bool osc_ucx_fails(void)
{
	return system("ompi_info --parsable 2>/dev/null | grep -q '^ompi:version:full:4\\.1\\.0$'") == 0;
}

bool job_has_component(const char *component)
{
	char command[128];

	if (!strcmp(component, "osc:ucx") && osc_ucx_fails())
		return false;
	snprintf(command, sizeof command, "ompi_info --parsable 2>/dev/null | grep -q '^mca:%s:'", component);
	return system(command) == 0;
}

bool job_mpich_is_read(void)
{
	return system("mpichversion 2>/dev/null | grep -q '^MPICH Device:.*ch4'") == 0;
}

bool job_omits_mpich(void)
{
	if (job_mpich_is_read())
		return false;
	puts("left out: no MPICH with device ch4; others are read with the in-target library only");
	return true;
}

bool job_mpich_has_mpi4(void)
{
	return system("mpichversion 2>/dev/null | grep -q '^MPICH Version:[[:space:]]*[1-3][.]'") != 0;
}

bool job_mpich_is_5(void)
{
	return system("mpichversion 2>/dev/null | grep -q '^MPICH Version:[[:space:]]*[5-9][.]'") == 0;
}

void job_require_mpich(void)
{
	job_require();
	if (!job_mpich_is_read()) {
		puts("MPICH is not installed, or its device is not ch4: it is read with the in-target library only");
		exit(77);
	}
}

void job_require(void)
{
	const char *why = NULL;

	if (!getenv("MPIDBG_BUILD"))
		why = "MPIDBG_BUILD names no build folder";
	else if (!on_path("mpirun.openmpi"))
		why = "mpirun.openmpi is not installed";
	else if (!on_path("gcore"))
		why = "gcore (package gdb) is not installed";
	else if (!can_ptrace())
		why = "processes may not be traced here";
	if (why) {
		printf("%s\n", why);
		exit(77);
	}
	if (osc_ucx_fails())
		setenv("OMPI_MCA_osc", "^ucx", 0);
	setenv("UCX_SOCKADDR_TLS_PRIORITY", "tcp", 0); /* with rdmacm, UCX 1.10 fails on a machine without RDMA */
}

/* Words separated by single spaces, in place, appended to argv. */
static size_t split(char *text, char **argv, size_t n)
{
	for (char *save = NULL, *word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		ck_assert_uint_lt(n, WORDS_MAX - 1);
		argv[n++] = word;
	}
	argv[n] = NULL;
	return n;
}

static void exec_launcher(const char *dir, char **argv)
{
	char log[512];

	snprintf(log, sizeof log, "%s/log", dir);
	int fd = open(log, O_WRONLY | O_CREAT | O_APPEND, 0600), null = open("/dev/null", O_RDONLY);
	dup2(null, 0);
	dup2(fd, 1);
	dup2(fd, 2);
	setpgid(0, 0);
	setenv("TRUTH_DIR", dir, 1);
	execvp(argv[0], argv);
	_exit(127);
}

const char *job_log(const struct job *job)
{
	static char text[4096];
	char path[512];

	snprintf(path, sizeof path, "%s/log", job->dir);
	FILE *f = fopen(path, "r");
	size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
	text[n] = '\0';
	if (f)
		fclose(f);
	return text;
}

static int file_order(const void *a, const void *b)
{
	return ((const struct job_rank *)a)->file_rank - ((const struct job_rank *)b)->file_rank;
}

/* The complete name: a rank's file has another one while it is written. */
static bool is_truth(const char *name, int *rank)
{
	int n = 0;

	return sscanf(name, "truth.%d.json%n", rank, &n) == 1 && n && !name[n];
}

static size_t count_truths(const char *dir)
{
	DIR *d = opendir(dir);
	size_t n = 0;
	int rank;

	ck_assert_ptr_nonnull(d);
	for (struct dirent *e; (e = readdir(d));)
		n += is_truth(e->d_name, &rank);
	closedir(d);
	return n;
}

static void load_truths(struct job *job)
{
	DIR *d = opendir(job->dir);

	ck_assert_ptr_nonnull(d);
	for (struct dirent *e; (e = readdir(d));) {
		struct job_rank *r = &job->ranks[job->n_ranks];
		char path[600];
		json_error_t error;

		if (!is_truth(e->d_name, &r->file_rank))
			continue;
		ck_assert_uint_lt(job->n_ranks, JOB_RANKS_MAX);
		snprintf(path, sizeof path, "%s/%s", job->dir, e->d_name);
		r->truth = json_load_file(path, 0, &error);
		ck_assert_msg(r->truth != NULL, "%s: line %d: %s", path, error.line, error.text);
		r->pid = (pid_t)json_integer_value(json_object_get(r->truth, "pid"));
		ck_assert_int_gt(r->pid, 1);
		job->n_ranks++;
	}
	closedir(d);
	qsort(job->ranks, job->n_ranks, sizeof job->ranks[0], file_order);
}

/* Nothing is expected to end a test this way: report the sender. */
static void terminated(int number, siginfo_t *info, void *context)
{
	char path[64], command[200] = "";

	(void)context;
	snprintf(path, sizeof path, "/proc/%d/cmdline", (int)info->si_pid);
	int fd = open(path, O_RDONLY);
	ssize_t n = fd >= 0 ? read(fd, command, sizeof command - 1) : 0;
	for (ssize_t i = 0; i < n; i++)
		command[i] = command[i] ? command[i] : ' ';
	dprintf(2, "test %d: signal %d, code %d, from process %d (%s)\n", (int)getpid(), number, info->si_code,
		(int)info->si_pid, command);
	signal(number, SIG_DFL);
	raise(number);
}

bool job_try(const char *command, const char *mca, int n, int n_truths, struct job *ret)
{
	const char *build = getenv("MPIDBG_BUILD");
	char program[1024], words[1024], launcher_words[2048], *argv[WORDS_MAX];

	struct sigaction tell = { .sa_sigaction = terminated, .sa_flags = SA_SIGINFO };

	sigaction(SIGTERM, &tell, NULL);
	memset(ret, 0, sizeof *ret);
	scratch_make(ret->dir, "job");
	snprintf(ret->command, sizeof ret->command, "%s", command);
	int used = snprintf(launcher_words, sizeof launcher_words, "%s mpirun.openmpi --oversubscribe -n %d %s %s",
			    job_starter ? job_starter : "", n, mca ? mca : "", job_wrapper ? job_wrapper : "");
	ck_assert_int_lt(used, (int)sizeof launcher_words);
	snprintf(words, sizeof words, "%s", command);
	size_t i_program = split(launcher_words, argv, 0);
	split(words, argv, i_program);
	if (argv[i_program][0] != '/') {
		snprintf(program, sizeof program, "%s/programs/%s", build, argv[i_program]);
		argv[i_program] = program;
	}
	ck_assert_msg(access(argv[i_program], X_OK) == 0, "%s: %s", argv[i_program], strerror(errno));

	pid_t parent = getpid();
	ret->launcher = fork();
	ck_assert_int_ge(ret->launcher, 0);
	if (ret->launcher == 0) {
		launcher_child(parent);
		launcher_ranks_sleep();
		exec_launcher(ret->dir, argv);
	}
	if (n_truths == 0)
		n_truths = n;
	double deadline = job_now() + LAUNCHER_WAIT_S;
	while (count_truths(ret->dir) < (size_t)n_truths) {
		if (waitpid(ret->launcher, NULL, WNOHANG) == ret->launcher) {
			ret->launcher = 0;
			return false;
		}
		if (job_now() > deadline) {
			job_stop(ret);
			return false;
		}
		job_nap();
	}
	load_truths(ret);
	ck_assert_uint_eq(ret->n_ranks, (size_t)n_truths);
	launcher_give_way(ret->launcher);
	return true;
}

void job_start(const char *command, const char *mca, int n, int n_truths, struct job *ret)
{
	ck_assert_msg(job_try(command, mca, n, n_truths, ret), "%s: not ready after %d s, or ended:\n%s", command,
		      LAUNCHER_WAIT_S, job_log(ret));
}

bool job_try_mpich(const char *command, int n, struct job *ret)
{
	char starter[PATH_MAX], build[PATH_MAX], program[PATH_MAX + 64];
	const char *before = job_starter;

	ck_assert_ptr_nonnull(realpath("tests/support/as_mpich", starter));
	ck_assert_ptr_nonnull(realpath(getenv("MPIDBG_BUILD"), build));
	snprintf(program, sizeof program, "%s/programs-mpich/%s", build, command);
	setenv("JOB_STARTER", before ? before : "", 1);
	job_starter = starter;
	bool ready = job_try(program, NULL, n, 0, ret);
	job_starter = before;
	return ready;
}

void job_start_mpich(const char *command, int n, struct job *ret)
{
	ck_assert_msg(job_try_mpich(command, n, ret), "%s: not ready after %d s, or ended:\n%s", command,
		      LAUNCHER_WAIT_S, job_log(ret));
}

/* The commands of gcore, in one GDB for all ranks: most of what it does is to start, and to read the libraries. */
bool job_try_cores(struct job *job)
{
	char command[JOB_RANKS_MAX * 700 + 1024];
	size_t n = (size_t)snprintf(command, sizeof command,
				    "gdb -nx -batch --readnever -iex 'set debuginfod enabled off' -ex 'set height 0'");

	for (size_t i = 0; i < job->n_ranks; i++) {
		struct job_rank *r = &job->ranks[i];

		snprintf(r->core, sizeof r->core, "%s/core.%d", job->dir, (int)r->pid);
		n += (size_t)snprintf(command + n, sizeof command - n, " -ex 'attach %d' -ex 'gcore %s' -ex detach",
				      (int)r->pid, r->core);
		ck_assert_uint_lt(n, sizeof command);
	}
	/* standard input closed: GDB stops when it has to ask */
	n += (size_t)snprintf(command + n, sizeof command - n, " >%s/gcore.log 2>&1 </dev/null", job->dir);
	ck_assert_uint_lt(n, sizeof command);
	bool all = system(command) == 0;
	for (size_t i = 0; i < job->n_ranks; i++)
		all = all && access(job->ranks[i].core, R_OK) == 0;
	return all;
}

void job_cores(struct job *job)
{
	ck_assert_msg(job_try_cores(job), "gcore failed: see %s/gcore.log", job->dir);
}

int job_wait(struct job *job, double seconds)
{
	double deadline = job_now() + seconds;
	int status;

	while (waitpid(job->launcher, &status, WNOHANG) == 0) {
		if (job_now() > deadline)
			return -1;
		job_nap();
	}
	job->launcher = 0;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void job_stop(struct job *job)
{
	pid_t ranks[JOB_RANKS_MAX];

	for (size_t i = 0; i < job->n_ranks; i++) {
		ranks[i] = job->ranks[i].pid;
		job->ranks[i].pid = 0;
	}
	launcher_stop(job->launcher, ranks, job->n_ranks);
	job->launcher = 0;
}

void job_end(struct job *job)
{
	if (!job->dir[0])
		return;
	job_stop(job);
	for (size_t i = 0; i < job->n_ranks; i++)
		json_decref(job->ranks[i].truth);
	scratch_remove(job->dir);
	memset(job, 0, sizeof *job);
}

static int tracer_of(const char *status_path)
{
	char line[256];
	int tracer = 0;
	FILE *f = fopen(status_path, "r");

	while (f && fgets(line, sizeof line, f))
		if (sscanf(line, "TracerPid: %d", &tracer) == 1)
			break;
	if (f)
		fclose(f);
	return tracer;
}

bool job_is_traced(pid_t pid)
{
	char path[320];
	bool traced = false;

	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	DIR *d = opendir(path);
	for (struct dirent *e; d && (e = readdir(d));) {
		snprintf(path, sizeof path, "/proc/%d/task/%.200s/status", (int)pid, e->d_name);
		traced = traced || (e->d_name[0] != '.' && tracer_of(path) != 0);
	}
	if (d)
		closedir(d);
	return traced;
}
