/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Usage: track_clock program | child | realtime | session, alone, with the in-target library
 * Since when the registry says that a call lasts, and that the library has no thread of its own in a program that asks
 * for none. The program looks from within a call, by an error handler, and knows itself when it has called. child: in
 * the child of a fork. realtime: with SCHED_FIFO; exits with 77 when the system does not let it. session: MPI-4's,
 * without MPI_Init.
 */
#include "registry.h"

#include <dirent.h>
#include <sched.h>
#include <sys/wait.h>
#include <time.h>

static const char names[] = "mpi2dd-"; /* of the library's threads */
static uint64_t since;
static int n_handled;

static void handler(MPI_Comm *comm, int *code, ...)
{
	const struct trk_thread *t = registry_own_thread();

	(void)comm;
	(void)code;
	n_handled++;
	if (!EXPECT(t != NULL) || !EXPECT_IS(t->frames[0].depth, 1))
		return;
	EXPECT(strcmp(registry_call(t->frames[0].call), "MPI_Recv") == 0);
	since = t->frames[0].since;
}

/* Threads of the library in this process. */
static int n_threads(void)
{
	DIR *d = opendir("/proc/self/task");
	struct dirent *e;
	int n = 0;

	while (d && (e = readdir(d))) {
		char path[300], name[64] = "";
		snprintf(path, sizeof path, "/proc/self/task/%s/comm", e->d_name);
		FILE *f = fopen(path, "r");
		if (f && fgets(name, sizeof name, f))
			n += strncmp(name, names, strlen(names)) == 0;
		if (f)
			fclose(f);
	}
	if (d)
		closedir(d);
	return n;
}

static void nap(double seconds)
{
	nanosleep(&(struct timespec){ .tv_sec = (time_t)seconds,
				      .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9) },
		  NULL);
}

static void expect_since(void)
{
	int in, handled = n_handled;
	time_t before = time(NULL);

	since = 0;
	MPI_Recv(&in, 1, MPI_INT, 99, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	time_t after = time(NULL);
	EXPECT_IS(n_handled, handled + 1);
	EXPECT(since >= (uint64_t)before && since <= (uint64_t)after);
	EXPECT_IS(registry_own_thread()->frames[0].since, 0);
}

static void expect_clock(void)
{
	for (int i = 0; i < 3; i++) {
		expect_since();
		nap(1.3);
	}
	expect_since();
	EXPECT_IS(n_threads(), 0);
}

static void in_child(void)
{
	fflush(NULL);
	pid_t child = fork();
	if (child == 0) {
		int before = registry_n_bad;
		EXPECT_IS(n_threads(), 0);
		nap(1.3);
		expect_since();
		_exit(registry_n_bad != before);
	}
	int status = -1;
	EXPECT(child > 0 && waitpid(child, &status, 0) == child);
	EXPECT_IS(status, 0);
}

#if MPI_VERSION >= 4
static void session(void)
{
	MPI_Session first, second;

	MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &first);
	registry_open();
	MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &second);
	MPI_Session_finalize(&first);
	EXPECT_IS(n_threads(), 0);
	MPI_Session_finalize(&second);
	EXPECT_IS(n_threads(), 0);
}
#endif

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	MPI_Errhandler h;
	bool realtime = strcmp(mode, "realtime") == 0;

	if (realtime && sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){ .sched_priority = 1 }) != 0) {
		perror("SCHED_FIFO");
		return 77;
	}
	EXPECT_IS(n_threads(), 0);
#if MPI_VERSION >= 4
	if (strcmp(mode, "session") == 0) {
		session();
		return registry_close();
	}
#endif
	MPI_Init(&argc, &argv);
	registry_open();
	MPI_Comm_create_errhandler(handler, &h);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, h);
	if (strcmp(mode, "child") == 0)
		in_child();
	else
		expect_clock();
	MPI_Errhandler_free(&h);
	MPI_Finalize();
	EXPECT_IS(n_threads(), 0);
	return registry_close();
}
