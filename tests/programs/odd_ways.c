/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Usage: odd_ways fork | longjmp | signals | atexit | threads, on 2 ranks, with or without an in-target library
 * What programs do around MPI that a library in them could upset; rank 0 prints what comes out, which depends on
 * nothing but MPI.
 */
#include <mpi.h>

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static int rank;

/* n messages to and fro; what arrived. */
static long exchange(int n)
{
	long sum = 0;

	for (int i = 0; i < n; i++) {
		MPI_Request r;
		int in = -1, out = 10 * i + rank;
		MPI_Irecv(&in, 1, MPI_INT, !rank, 3, MPI_COMM_WORLD, &r);
		MPI_Send(&out, 1, MPI_INT, !rank, 3, MPI_COMM_WORLD);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
		sum += in;
	}
	return sum;
}

__attribute__((format(printf, 1, 2))) static void emit(const char *format, ...)
{
	va_list ap;

	if (rank != 0)
		return;
	va_start(ap, format);
	vprintf(format, ap);
	va_end(ap);
	fflush(stdout);
}

/* ---- children that call no MPI: one ends without, one with what exit() does, one becomes another program ------- */

static void forks(void)
{
	for (int way = 0; way < 3; way++) {
		int status = -1;
		emit("before: %ld\n", exchange(10));
		pid_t child = fork();
		if (child == 0) {
			if (way == 0)
				_exit(11);
			if (way == 1)
				exit(12);
			execlp("sh", "sh", "-c", "exit 13", (char *)NULL);
			_exit(1);
		}
		waitpid(child, &status, 0);
		emit("child: exit %d, signal %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1,
		     WIFSIGNALED(status) ? WTERMSIG(status) : 0);
		emit("after: %ld\n", exchange(10));
	}
}

/* ---- longjmp out of an error handler ------------------------------------------------------------------------ */

static jmp_buf back;

static void leave(MPI_Comm *comm, int *code, ...)
{
	int class = -1;

	(void)comm;
	MPI_Error_class(*code, &class);
	longjmp(back, 1 + class);
}

static void jumps(void)
{
	MPI_Errhandler handler;
	MPI_Comm comm;
	int out = 1;

	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	MPI_Comm_create_errhandler(leave, &handler);
	MPI_Comm_set_errhandler(comm, handler);
	for (volatile int i = 0; i < 50; i++) {
		int class = setjmp(back);
		if (class == 0) {
			MPI_Send(&out, 1, MPI_INT, 99, 5, comm);
			emit("no error\n");
		} else if (i % 10 == 0) {
			emit("class %d\n", class - 1);
		}
		if (i % 10 == 0)
			emit("%ld\n", exchange(3));
	}
	MPI_Errhandler_free(&handler);
	MPI_Comm_free(&comm);
}

/* ---- signals while MPI calls are made ----------------------------------------------------------------------- */

static volatile sig_atomic_t n_signals;

static void on_signal(int number)
{
	int saved = errno;

	n_signals += number == SIGALRM;
	errno = saved;
}

static void signals(void)
{
	struct sigaction act = { .sa_handler = on_signal, .sa_flags = SA_RESTART }, was;
	struct itimerval often = { { 0, 500 }, { 0, 500 } }, never = { { 0, 0 }, { 0, 0 } };
	long sum = 0;

	sigaction(SIGALRM, &act, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	for (int all = 0, i = 0; !all; i++) {
		int enough = n_signals >= 20 && i >= 1000;
		if (i < 1000)
			sum += exchange(1);
		MPI_Allreduce(&enough, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
	}
	setitimer(ITIMER_REAL, &never, NULL);
	sigaction(SIGALRM, NULL, &was);
	emit("%ld, interrupted: %d, handler %s\n", sum, n_signals >= 20, was.sa_handler == on_signal ? "kept" : "lost");
	for (int i = 1; i < 32; i++)
		if (sigaction(i, NULL, &was) == 0 && i != SIGALRM)
			emit("%s", was.sa_handler == SIG_DFL ? "d" : was.sa_handler == SIG_IGN ? "i" : "h");
	emit("\n");
}

/* ---- threads that never called MPI before, one at a time ---------------------------------------------------- */

static void *in_thread(void *sum)
{
	*(long *)sum = exchange(2);
	return NULL;
}

static void threads(void)
{
	for (int i = 0; i < 700; i++) {
		pthread_t t;
		long sum = -1;
		pthread_create(&t, NULL, in_thread, &sum);
		pthread_join(t, NULL);
		if (i % 100 == 0)
			emit("%ld\n", sum);
	}
}

static void at_exit(void)
{
	emit("at exit: %ld\n", exchange(5));
	emit("finalize: %d\n", MPI_Finalize());
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "";
	int provided;

	MPI_Init_thread(&argc, &argv, strcmp(way, "threads") == 0 ? MPI_THREAD_SERIALIZED : MPI_THREAD_SINGLE,
			&provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (strcmp(way, "fork") == 0)
		forks();
	else if (strcmp(way, "longjmp") == 0)
		jumps();
	else if (strcmp(way, "signals") == 0)
		signals();
	else if (strcmp(way, "threads") == 0)
		threads();
	else if (strcmp(way, "atexit") == 0)
		atexit(at_exit);
	else
		return 2;
	if (strcmp(way, "atexit") == 0)
		return 0;
	MPI_Finalize();
	emit("end\n");
	return rank == 0 ? 21 : 0;
}
