/* SPDX-License-Identifier: BSD-3-Clause */
/* Live processes: the data read is right, and the process does not notice. */
#include "../../host/host.h"
#include "../../host/modules.h"
#include "../../host/thread_state.h"
#include "../support/host_child.h"
#include "../support/suite.h"

#include <check.h>
#include <elfutils/version.h>
#include <errno.h>
#include <grp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Non-static and static, so that both kinds of symbols are looked for. */
uint64_t host_test_marker = 1;
static volatile uint64_t host_test_local = 2;

static struct host_child child;

static void teardown(void)
{
	host_child_end(&child);
}

static double now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

static struct host_target *open_child(void)
{
	struct host_target *t;
	struct host_error err;

	ck_assert_msg(host_open_live(child.pid, &t, &err) == HOST_OK, "%s", err.text);
	return t;
}

/* ---- children ------------------------------------------------------------------------------------ */

static void *beat(void *arg)
{
	struct host_child_shared *s = arg;

	for (;;) {
		atomic_fetch_add(&s->beats, 1);
		nanosleep(&(struct timespec){ .tv_nsec = 200000 }, NULL);
	}
	return NULL;
}

static void run_threads(struct host_child_shared *s)
{
	pthread_t th;

	host_test_marker = 0x1122334455667788;
	host_test_local = 0x99;
	for (int i = 0; i < 3; i++)
		pthread_create(&th, NULL, beat, s);
	atomic_store(&s->ready, 1);
}

static void start(void (*run)(struct host_child_shared *))
{
	child = host_child_start(run);
	host_child_wait(&child.shared->ready);
}

/* ---- reading ------------------------------------------------------------------------------------- */

START_TEST(test_identity_and_values)
{
	start(run_threads);
	struct host_target *t = open_child();
	uint64_t v = 0, addr = 0;

	ck_assert_int_eq(host_pid(t), child.pid);
	ck_assert_uint_eq(host_word_bytes(t), sizeof(void *));
	ck_assert(host_big_endian(t) == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__));
	ck_assert_ptr_null(host_core_path(t));
	ck_assert(strstr(host_executable(t), "check_host_live") != NULL);
	ck_assert(host_symbol(t, "host_test_marker", &addr));
	ck_assert_uint_eq(addr, (uintptr_t)&host_test_marker);
	ck_assert(host_read(t, addr, sizeof(v), &v));
	ck_assert_uint_eq(v, 0x1122334455667788);
	ck_assert(host_symbol(t, "host_test_local", &addr));
	ck_assert_uint_eq(addr, (uintptr_t)&host_test_local);
	ck_assert(!host_symbol(t, "host_test_no_such_symbol", &addr));
	ck_assert(!host_symbol(t, "", &addr));
	/* The symbol may be in the executable (copy relocation) or
	 * in the library; the process itself reports its address. */
	ck_assert(host_symbol(t, "environ", &addr));
	ck_assert_uint_eq(addr, (uintptr_t)&environ);
	ck_assert(host_module(t, "libc.so") || host_module(t, "libc-2."));
	ck_assert_ptr_null(host_module(t, "libnosuch"));
	ck_assert_str_eq(host_module_at(t, 0)->path, host_executable(t));
	ck_assert(host_module_at(t, 0)->executable);
	ck_assert_str_eq(host_getenv(t, "CHECK_HOST_VALUE"), "a=b");
	ck_assert_ptr_null(host_getenv(t, "CHECK_HOST"));
	ck_assert_ptr_null(host_getenv(t, "CHECK_HOST_VALUE=a"));
	ck_assert_ptr_null(host_getenv(t, ""));
	ck_assert_msg(host_warning(t, 0) == NULL, "%s", host_warning(t, 0));
	host_close(t);
}
END_TEST

static char *edge;   /* two pages, the second is gone */
static char *hidden; /* a page that may not be read */

static void run_edges(struct host_child_shared *s)
{
	long page = sysconf(_SC_PAGESIZE);

	memset(edge, 'e', (size_t)page);
	munmap(edge + page, (size_t)page);
	memset(hidden, 'h', (size_t)page);
	mprotect(hidden, (size_t)page, PROT_NONE);
	atomic_store(&s->ready, 1);
}

START_TEST(test_edges)
{
	long page = sysconf(_SC_PAGESIZE);
	char got[16];

	edge = mmap(NULL, 2 * (size_t)page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	hidden = mmap(NULL, (size_t)page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	start(run_edges);
	struct host_target *t = open_child();
	uint64_t end = (uintptr_t)edge + (uint64_t)page;

	ck_assert(host_read(t, end - 8, 8, got));
	ck_assert_mem_eq(got, "eeeeeeee", 8);
	ck_assert(!host_read(t, end - 8, 9, got));
	ck_assert(!host_read(t, end, 1, got));
	ck_assert(host_read(t, end, 0, got));
	ck_assert(!host_read(t, 0, 1, got));
	ck_assert(!host_read(t, UINT64_MAX - 3, 8, got));
	ck_assert(!host_read(t, UINT64_MAX - 7, 4, got));
	ck_assert(host_read(t, (uintptr_t)hidden + 8, 4, got));
	ck_assert_mem_eq(got, "hhhh", 4);
	host_close(t);
	munmap(edge, 2 * (size_t)page);
	munmap(hidden, (size_t)page);
}
END_TEST

/* ---- leaving it as it was ------------------------------------------------------------------------ */

START_TEST(test_running_stays_running)
{
	start(run_threads);
	ck_assert(host_child_beats(&child));
	struct host_target *t = open_child();
	unsigned long before = atomic_load(&child.shared->beats);
	nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
	ck_assert_uint_eq(atomic_load(&child.shared->beats), before);
	double ms = host_stopped_ms(t);
	ck_assert(ms >= 20);
	host_resume(t);
	double total = host_stopped_ms(t);
	ck_assert(total >= ms);
	ck_assert(host_child_beats(&child));
	ck_assert(host_stopped_ms(t) == total);
	host_resume(t);
	/* Reading goes on without the stop. */
	uint64_t v;
	ck_assert(host_read(t, (uintptr_t)&host_test_marker, sizeof(v), &v));
	ck_assert_uint_eq(v, 0x1122334455667788);
	host_close(t);
	ck_assert(host_child_beats(&child));
	char state = host_child_state(child.pid);
	ck_assert_msg(state == 'S' || state == 'R', "%c", state);
}
END_TEST

START_TEST(test_stopped_stays_stopped)
{
	int status;

	start(run_threads);
	kill(child.pid, SIGSTOP);
	ck_assert_int_eq(waitpid(child.pid, &status, WUNTRACED), child.pid);
	ck_assert(WIFSTOPPED(status));
	for (int i = 0; i < 50; i++) {
		struct host_target *t = open_child();
		size_t n;
		/* without a pause: /proc may show that it is being released by the close before */
		ck_assert(host_stopped_by_signal(t));
		ck_assert_ptr_nonnull(host_threads(t, &n));
		ck_assert_uint_eq(n, 4);
		host_close(t);
	}
	unsigned long before = atomic_load(&child.shared->beats);
	nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
	ck_assert_int_eq(host_child_state(child.pid), 'T');
	ck_assert_uint_eq(atomic_load(&child.shared->beats), before);
	kill(child.pid, SIGCONT);
	ck_assert(host_child_beats(&child));
	struct host_target *t = open_child();
	ck_assert(!host_stopped_by_signal(t));
	host_close(t);
}
END_TEST

static int sleep_pipe[2];

/* System calls that sleep: their results and times as without us. */
static void run_sleeps(struct host_child_shared *s)
{
	struct timespec left = { 0 };
	char c;

	atomic_store(&s->ready, 1);
	double t0 = now_ms();
	atomic_store(&s->value[0], nanosleep(&(struct timespec){ .tv_nsec = 300000000 }, &left));
	double t1 = now_ms();
	atomic_store(&s->value[1], poll(NULL, 0, 300));
	double t2 = now_ms();
	atomic_store(&s->value[2], read(sleep_pipe[0], &c, 1));
	atomic_store(&s->value[3], (long)(t1 - t0));
	atomic_store(&s->value[4], (long)(t2 - t1));
	atomic_store(&s->done, 1);
}

START_TEST(test_sleep_is_not_disturbed)
{
	ck_assert_int_eq(pipe(sleep_pipe), 0);
	start(run_sleeps);
	double end = now_ms() + 700;
	int n = 0;
	for (; now_ms() < end; n++)
		host_close(open_child());
	ck_assert_int_gt(n, 3);
	ck_assert(!atomic_load(&child.shared->done));
	ck_assert_int_eq(write(sleep_pipe[1], "x", 1), 1);
	host_child_wait(&child.shared->done);
	ck_assert_int_eq(atomic_load(&child.shared->value[0]), 0);
	ck_assert_int_eq(atomic_load(&child.shared->value[1]), 0);
	ck_assert_int_eq(atomic_load(&child.shared->value[2]), 1);
	ck_assert_int_ge(atomic_load(&child.shared->value[3]), 299);
	ck_assert_int_ge(atomic_load(&child.shared->value[4]), 299);
	/* Not started anew each time: that would take until we left. */
	ck_assert_int_lt(atomic_load(&child.shared->value[3]), 600);
	close(sleep_pipe[0]);
	close(sleep_pipe[1]);
}
END_TEST

static struct host_child_shared *handler_shared;

static void on_signal(int sig)
{
	(void)sig;
	atomic_fetch_add(&handler_shared->signals, 1);
}

static void run_signals(struct host_child_shared *s)
{
	handler_shared = s;
	signal(SIGRTMIN, on_signal);
	atomic_store(&s->ready, 1);
	for (;;)
		atomic_fetch_add(&s->beats, 1);
}

/* Signals of the queueing kind, so that each one counts: before, during and after a stop. */
START_TEST(test_signals_are_passed_on)
{
	enum { N = 100 };

	start(run_signals);
	for (int i = 0; i < N; i++) {
		kill(child.pid, SIGRTMIN);
		struct host_target *t = open_child();
		kill(child.pid, SIGRTMIN);
		host_close(t);
		kill(child.pid, SIGRTMIN);
	}
	double end = now_ms() + 10000;
	while (atomic_load(&child.shared->signals) < 3 * N && now_ms() < end)
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	ck_assert_uint_eq(atomic_load(&child.shared->signals), 3 * N);
	ck_assert(host_child_beats(&child));
}
END_TEST

/* A stop signal that arrives while we hold it takes effect when we let go. */
START_TEST(test_stop_signal_meanwhile)
{
	int status;

	start(run_threads);
	struct host_target *t = open_child();
	kill(child.pid, SIGSTOP);
	host_close(t);
	ck_assert_int_eq(waitpid(child.pid, &status, WUNTRACED), child.pid);
	ck_assert(WIFSTOPPED(status));
	ck_assert_int_eq(host_child_state(child.pid), 'T');
}
END_TEST

static atomic_int *reader_ready;

START_TEST(test_killed_reader)
{
	start(run_threads);
	reader_ready = &child.shared->done;
	pid_t reader = fork();
	if (reader == 0) {
		struct host_target *t;
		struct host_error err;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		atomic_store(reader_ready, host_open_live(child.pid, &t, &err) == HOST_OK ? 1 : 2);
		for (;;)
			pause();
	}
	host_child_wait(reader_ready);
	ck_assert_int_eq(atomic_load(reader_ready), 1);
	unsigned long before = atomic_load(&child.shared->beats);
	nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
	ck_assert_uint_eq(atomic_load(&child.shared->beats), before);
	kill(reader, SIGKILL);
	ck_assert_int_eq(waitpid(reader, NULL, 0), reader);
	ck_assert(host_child_beats(&child));
}
END_TEST

static void *short_life(void *arg)
{
	return arg;
}

static void run_churn(struct host_child_shared *s)
{
	atomic_store(&s->ready, 1);
	for (;;) {
		pthread_t th[4];
		for (int i = 0; i < 4; i++)
			pthread_create(&th[i], NULL, short_life, NULL);
		for (int i = 0; i < 4; i++)
			pthread_join(th[i], NULL);
		atomic_fetch_add(&s->beats, 1);
	}
}

/* Threads are created and end during the stop: none may remain running while stopped, or stopped afterwards. */
START_TEST(test_threads_come_and_go)
{
	start(run_churn);
	for (int i = 0; i < 50; i++) {
		struct host_target *t = open_child();
		unsigned long before = atomic_load(&child.shared->beats);
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
		ck_assert_uint_eq(atomic_load(&child.shared->beats), before);
		host_close(t);
		ck_assert(host_child_beats(&child));
	}
}
END_TEST

static void *outlive(void *arg)
{
	struct host_child_shared *s = arg;

	while (host_child_state(getpid()) != 'Z')
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	atomic_store(&s->ready, 1);
	return beat(s);
}

static void run_leader_ends(struct host_child_shared *s)
{
	pthread_t th;

	pthread_create(&th, NULL, outlive, s);
	pthread_exit(NULL);
}

/* The first thread has ended, others run: ps shows a zombie, but it is not one. */
START_TEST(test_leader_ended)
{
	struct host_target *t;
	struct host_error err;

	start(run_leader_ends);
	enum host_errc rc = host_open_live(child.pid, &t, &err);
	/* The kernel refuses /proc/PID/exe: this is reported, and no thread remains stopped. */
	if (rc == HOST_OK) {
		size_t n;
		host_threads(t, &n);
		ck_assert_uint_eq(n, 1);
		host_close(t);
	} else {
		ck_assert_str_ne(err.text, "");
	}
	ck_assert(host_child_beats(&child));
}
END_TEST

static void run_vfork(struct host_child_shared *s)
{
	pid_t parent = getpid();

	if (vfork() == 0) {
		/* The parent cannot be interrupted until we exec or exit. */
		while (host_child_state(parent) != 'D')
			usleep(1000);
		atomic_store(&s->ready, 1);
		while (!atomic_load(&s->done))
			usleep(1000);
		_exit(0);
	}
	beat(s);
}

/* The same inside an MPI function, which is identified by name. */
__attribute__((noinline)) int MPI_Win_fence(struct host_child_shared *s);

int MPI_Win_fence(struct host_child_shared *s)
{
	run_vfork(s);
	return atomic_load(&s->done);
}

static void run_vfork_in_mpi(struct host_child_shared *s)
{
	atomic_store(&s->value[0], MPI_Win_fence(s));
}

/*
 * The call is derived from the system call in /proc, or is reported as unknown. vfork() has its return address
 * in a register that /proc does not show, which elfutils before 0.188 cannot unwind. @return for _exit()
 */
static int check_what_it_is_in(struct host_target *t, bool in_mpi)
{
	size_t n, n_unknown;
	const struct mpidbg_thread *th = host_threads(t, &n);
	const int64_t *unknown = host_unknown_threads(t, &n_unknown);

	if (n + n_unknown != 1)
		return 10;
	if (n_unknown)
		return unknown[0] != child.pid ? 11 : in_mpi && _ELFUTILS_PREREQ(0, 188) ? 12 : 0;
	return !in_mpi ? 13 : th[0].id != child.pid ? 14 : !th[0].function || strcmp(th[0].function, "MPI_Win_fence");
}

/* A thread that does not stop: it is reported, memory is read, and the thread continues after the detach. */
START_TEST(test_uninterruptible)
{
	int status;

	start(_i ? run_vfork_in_mpi : run_vfork);
	pid_t reader = fork();
	if (reader == 0) {
		struct host_target *t;
		struct host_error err;
		uint64_t v = 0;
		if (host_open_live(child.pid, &t, &err) != HOST_OK)
			_exit(2);
		if (!host_warning(t, 0) || !strstr(host_warning(t, 0), "does not stop"))
			_exit(3);
		if (!host_read(t, (uintptr_t)&host_test_marker, sizeof(v), &v) || v != 1)
			_exit(4);
		int rc = check_what_it_is_in(t, _i);
		if (rc)
			_exit(rc);
		host_close(t);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(reader, &status, 0), reader);
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), 0);
	atomic_store(&child.shared->done, 1);
	ck_assert(host_child_beats(&child));
}
END_TEST

/* Opened while it runs, stopped, let go, stopped again: the stacks are those of the last stop. */
START_TEST(test_two_stops)
{
	struct host_target *t;
	struct host_error err;
	size_t n;

	start(run_threads);
	ck_assert_int_eq(host_open_running(child.pid, &t, &err), HOST_OK);
	ck_assert(host_child_beats(&child));
	ck_assert(host_stopped_ms(t) == 0);
	ck_assert_ptr_null(host_threads(t, &n));
	ck_assert_uint_eq(n, 0);
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(host_stop(t, &err), HOST_OK);
		ck_assert_int_eq(host_stop(t, &err), HOST_OK);
		unsigned long before = atomic_load(&child.shared->beats);
		ck_assert_ptr_nonnull(host_threads(t, &n));
		ck_assert_uint_eq(n, 4);
		ck_assert_uint_eq(atomic_load(&child.shared->beats), before);
		host_resume(t);
		ck_assert(host_child_beats(&child));
	}
	kill(child.pid, SIGKILL);
	waitpid(child.pid, NULL, 0);
	ck_assert_int_eq(host_stop(t, &err), HOST_ABSENT);
	ck_assert(strstr(err.text, "no such process") != NULL);
	host_close(t);
}
END_TEST

/* ---- files that are gone ------------------------------------------------------------------------- */

static char *copy_of_self(const char *name)
{
	size_t n;
	unsigned char *bytes = host_child_file("/proc/self/exe", &n);
	char *path = host_child_write(name, bytes, n);

	free(bytes);
	ck_assert_int_eq(chmod(path, 0755), 0);
	return path;
}

static char *exec_path;
static int exec_pipe[2];

static void run_exec(struct host_child_shared *s)
{
	(void)s;
	char fd[16];
	snprintf(fd, sizeof(fd), "%d", exec_pipe[1]);
	execl(exec_path, exec_path, "--be-a-target", fd, NULL);
	_exit(127);
}

/* _i = 0: deleted; 1: replaced by another program */
START_TEST(test_executable_gone)
{
	char byte;

	ck_assert_int_eq(pipe(exec_pipe), 0);
	exec_path = copy_of_self("gone");
	child = host_child_start(run_exec);
	ck_assert_int_eq(read(exec_pipe[0], &byte, 1), 1);
	ck_assert_int_eq(unlink(exec_path), 0);
	if (_i == 1)
		free(host_child_write("gone", "#!/bin/sh\n", 10));
	struct host_target *t = open_child();
	uint64_t addr, v = 0;
	ck_assert_str_eq(host_executable(t), exec_path);
	ck_assert(host_symbol(t, "host_test_marker", &addr));
	ck_assert(host_read(t, addr, sizeof(v), &v));
	ck_assert_uint_eq(v, 0x5151);
	host_close(t);
	unlink(exec_path);
	free(exec_path);
	close(exec_pipe[0]);
	close(exec_pipe[1]);
}
END_TEST

static int be_a_target(int fd)
{
	host_test_marker = 0x5151;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (write(fd, "r", 1) != 1)
		return 1;
	for (;;)
		pause();
}

/* ---- errors -------------------------------------------------------------------------------------- */

static void expect_error(pid_t pid, enum host_errc code, const char *words)
{
	struct host_target *t = (struct host_target *)&t;
	struct host_error err;

	ck_assert_int_eq(host_open_live(pid, &t, &err), code);
	ck_assert_int_eq(err.code, code);
	ck_assert_ptr_null(t);
	ck_assert_msg(strstr(err.text, words) != NULL, "\"%s\" has no \"%s\"", err.text, words);
	ck_assert(strchr(err.text, '\n') == NULL);
	host_close(t);
}

START_TEST(test_gone)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	expect_error(pid, HOST_ABSENT, "no such process");
	struct host_target *t;
	ck_assert_int_eq(host_open_live(pid, &t, NULL), HOST_ABSENT);
}
END_TEST

START_TEST(test_zombie)
{
	char words[64];
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	siginfo_t info;
	ck_assert_int_eq(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	snprintf(words, sizeof(words), "process %d is a zombie", (int)pid);
	expect_error(pid, HOST_UNREADABLE, words);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}
END_TEST

START_TEST(test_traced)
{
	char words[64];

	start(run_threads);
	reader_ready = &child.shared->done;
	pid_t tracer = fork();
	if (tracer == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		atomic_store(reader_ready, ptrace(PTRACE_SEIZE, child.pid, NULL, NULL) == 0 ? 1 : 2);
		for (;;)
			pause();
	}
	host_child_wait(reader_ready);
	ck_assert_int_eq(atomic_load(reader_ready), 1);
	snprintf(words, sizeof(words), "is being traced by PID %d (check_host_live", (int)tracer);
	/* The kernel cuts names to 15 bytes. */
	words[strlen(words) < 60 ? strlen(words) : 60] = '\0';
	char name[16];
	ck_assert_int_eq(prctl(PR_GET_NAME, name), 0);
	snprintf(words, sizeof(words), "is being traced by PID %d (%s)", (int)tracer, name);
	expect_error(child.pid, HOST_DENIED, words);
	kill(tracer, SIGKILL);
	waitpid(tracer, NULL, 0);
	host_close(open_child());
}
END_TEST

/* Another mpidbg lets go of a process after milliseconds: it is waited for, but not for ever. */
START_TEST(test_reader)
{
	start(run_threads);
	reader_ready = &child.shared->done;
	pid_t tracer = fork();
	if (tracer == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, "mpidbg");
		atomic_store(reader_ready, ptrace(PTRACE_SEIZE, child.pid, NULL, NULL) == 0 ? 1 : 2);
		if (_i == 0)
			usleep(200000);
		else
			for (;;)
				pause();
		_exit(0);
	}
	host_child_wait(reader_ready);
	ck_assert_int_eq(atomic_load(reader_ready), 1);
	if (_i == 0) {
		host_close(open_child());
	} else {
		expect_error(child.pid, HOST_DENIED, "(mpidbg): detach that first");
		kill(tracer, SIGKILL);
	}
	waitpid(tracer, NULL, 0);
}
END_TEST

START_TEST(test_foreign)
{
	if (geteuid() != 0)
		return; /* only root can become somebody else */
	start(run_threads);
	pid_t other = fork();
	if (other == 0) {
		struct host_target *t;
		struct host_error err;
		if (setgroups(0, NULL) || setgid(65534) || setuid(65534))
			_exit(2);
		if (host_open_live(child.pid, &t, &err) != HOST_DENIED)
			_exit(3);
		_exit(strstr(err.text, "belongs to root (uid 0): run as that user or as root") ? 0 : 4);
	}
	int status;
	ck_assert_int_eq(waitpid(other, &status, 0), other);
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), 0);
	ck_assert(host_child_beats(&child));
}
END_TEST

START_TEST(test_senseless_pids)
{
	expect_error(0, HOST_USAGE, "not a process id");
	expect_error(-5, HOST_USAGE, "not a process id");
	expect_error(getpid(), HOST_USAGE, "itself");
	expect_error(999999999, HOST_ABSENT, "no such process");
	char link[8];
	if (access("/proc/2/exe", F_OK) != 0 && access("/proc/2/status", F_OK) == 0 &&
	    readlink("/proc/2/exe", link, sizeof(link)) < 0 && errno == ENOENT)
		expect_error(2, HOST_UNREADABLE, "kernel thread");
	host_close(NULL);
}
END_TEST

static void sleep_in_no_function(struct host_child_shared *s)
{
	struct timespec left = { .tv_sec = 3600 };

	s->ready = 1;
	while (syscall(SYS_clock_nanosleep, CLOCK_REALTIME, 0, &left, &left) != 0)
		;
}

/* A stop interrupts a sleep, and the kernel continues it by another call. The function that has made it has no name
 * that says so: the arguments do. */
START_TEST(test_interrupted_sleep)
{
	double ends_s = 0;
	const char *name = NULL;

	child = host_child_start(sleep_in_no_function);
	host_child_wait(&child.shared->ready);
	for (int i = 0; i < 3; i++) {
		while (host_child_state(child.pid) != 'S')
			;
		size_t n = 0;
		struct host_thread_state *states = host_thread_states(child.pid, true, &n);
		struct host_target *t = open_child();
		ck_assert_uint_eq(n, 1);
		ck_assert_int_eq(host_doing_of(t, &states[0], &ends_s, &name), HOST_SLEEPS);
		ck_assert_str_eq(name, "clock_nanosleep");
		ck_assert_msg(ends_s > 3000 && ends_s <= 3600, "%f", ends_s);
		host_close(t);
		free(states);
	}
}
END_TEST

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "--be-a-target") == 0)
		return be_a_target(atoi(argv[2]));
	if (!getenv("CHECK_HOST_VALUE")) {
		/* /proc/PID/environ shows the environment at exec. */
		setenv("CHECK_HOST_VALUE", "a=b", 1);
		execv("/proc/self/exe", argv);
		return 1;
	}
	prctl(PR_SET_NAME, "check_host_live");
	Suite *s = suite_create("host_live");
	TCase *tc = tcase_create("live");
	tcase_set_timeout(tc, 120);
	tcase_add_checked_fixture(tc, NULL, teardown);
	tcase_add_test(tc, test_interrupted_sleep);
	tcase_add_test(tc, test_identity_and_values);
	tcase_add_test(tc, test_edges);
	tcase_add_test(tc, test_running_stays_running);
	tcase_add_test(tc, test_stopped_stays_stopped);
	tcase_add_test(tc, test_sleep_is_not_disturbed);
	tcase_add_test(tc, test_signals_are_passed_on);
	tcase_add_test(tc, test_stop_signal_meanwhile);
	tcase_add_test(tc, test_killed_reader);
	tcase_add_test(tc, test_threads_come_and_go);
	tcase_add_test(tc, test_leader_ended);
	tcase_add_loop_test(tc, test_uninterruptible, 0, 2);
	tcase_add_test(tc, test_two_stops);
	tcase_add_loop_test(tc, test_executable_gone, 0, 2);
	tcase_add_test(tc, test_gone);
	tcase_add_test(tc, test_zombie);
	tcase_add_test(tc, test_traced);
	tcase_add_loop_test(tc, test_reader, 0, 2);
	tcase_add_test(tc, test_foreign);
	tcase_add_test(tc, test_senseless_pids);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
