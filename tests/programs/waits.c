/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs whose last rank waits outside MPI; the first argument says for what.
 *
 *     mpirun -n 3 waits CASE
 *
 * Each rank writes $TRUTH_DIR/truth.RANK.json just before it comes into the state of its case; what is true of it
 * stands in waits.def. Nobody leaves it: the job is killed.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif

#include <arpa/inet.h>
#include <fcntl.h>
#include <mpi.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int rank, size;

void cudaStreamSynchronize(void);
void ncclAllReduce(void);

int omp_get_thread_num(void); /* omp.h comes with a compiler, or in a package of its own */

static pthread_mutex_t io_lock = PTHREAD_MUTEX_INITIALIZER, pool_lock = PTHREAD_MUTEX_INITIALIZER, made, locks[4];
static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static pthread_once_t once_control = PTHREAD_ONCE_INIT;
static pthread_barrier_t team;
static sem_t slots, began;

/* The file is renamed when it is complete, so a reader never sees a part of it. */
static void announce(void)
{
	const char *dir = getenv("TRUTH_DIR");
	char path[4096], unfinished[4096];

	if (!dir)
		return;
	snprintf(path, sizeof(path), "%s/truth.%d.json", dir, rank);
	snprintf(unfinished, sizeof(unfinished), "%s/making.%d", dir, rank);
	FILE *f = fopen(unfinished, "w");
	if (!f || fprintf(f, "{\"pid\": %ld}\n", (long)getpid()) < 0 || fclose(f) || rename(unfinished, path)) {
		perror(path);
		_exit(9);
	}
}

__attribute__((noinline)) static void compute(void)
{
	for (volatile unsigned long n = 0; n < (unsigned long)-1; n++)
		;
}

__attribute__((noinline)) static void sleep_on(void)
{
	for (;;)
		sleep(3600);
}

/* Run a function in another thread, until it has said that it has what it wants. */
static pthread_t beside(void *(*run)(void *), void *arg)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, run, arg) != 0)
		MPI_Abort(MPI_COMM_WORLD, 3);
	while (sem_wait(&began) != 0)
		;
	return thread;
}

/* ---- mutexes --------------------------------------------------------------------------------------------------- */

static void *hold(void *lock)
{
	pthread_mutex_lock(lock);
	sem_post(&began);
	sleep_on();
	return NULL;
}

static void *hold_in_mpi(void *lock)
{
	pthread_mutex_lock(lock);
	sem_post(&began);
	MPI_Recv(&size, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return NULL;
}

static void mutex_mpi(void)
{
	beside(hold_in_mpi, &io_lock);
	pthread_mutex_lock(&io_lock);
}

/* A function of which neither the compiler nor the assembler says how it is unwound, as in some libraries. */
#if defined(__x86_64__)
void lock_without_unwinding(pthread_mutex_t *lock);
__asm__(".pushsection .text\n"
	".type lock_without_unwinding, @function\n"
	"lock_without_unwinding:\n"
	"	sub $200, %rsp\n"
	"	call pthread_mutex_lock@plt\n"
	"	add $200, %rsp\n"
	"	ret\n"
	".size lock_without_unwinding, . - lock_without_unwinding\n"
	".popsection\n");
#else
#define lock_without_unwinding pthread_mutex_lock
#endif

static void mutex_not_unwound(void)
{
	beside(hold_in_mpi, &io_lock);
	lock_without_unwinding(&io_lock);
}

static void *take(void *lock)
{
	pthread_mutex_lock(lock);
	return NULL;
}

/* A thousand threads. */
static void mutex_many(void)
{
	pthread_attr_t small;
	pthread_t thread;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 64 << 10);
	pthread_mutex_lock(&io_lock);
	for (int i = 1; i < 1000; i++)
		if (pthread_create(&thread, &small, take, &io_lock) != 0)
			MPI_Abort(MPI_COMM_WORLD, 3);
	pthread_mutex_lock(&io_lock);
}

static void mutex_sleeps(void)
{
	beside(hold, &io_lock);
	pthread_mutex_lock(&io_lock);
}

static void mutex_self(void)
{
	pthread_mutex_lock(&io_lock);
	pthread_mutex_lock(&io_lock);
}

static void mutex_array(void)
{
	for (int i = 0; i < 4; i++)
		pthread_mutex_init(&locks[i], NULL);
	beside(hold, &locks[2]);
	pthread_mutex_lock(&locks[2]);
}

static void mutex_heap(void)
{
	pthread_mutex_t *lock = calloc(1, sizeof(*lock));

	pthread_mutex_init(lock, NULL);
	beside(hold, lock);
	pthread_mutex_lock(lock);
}

static void lock_made(bool robust, bool inherits)
{
	pthread_mutexattr_t how;

	pthread_mutexattr_init(&how);
	if (robust)
		pthread_mutexattr_setrobust(&how, PTHREAD_MUTEX_ROBUST);
	if (inherits)
		pthread_mutexattr_setprotocol(&how, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(&made, &how);
	beside(hold, &made);
	pthread_mutex_lock(&made);
}

static void mutex_inherits(void)
{
	lock_made(false, true);
}

static void mutex_robust(void)
{
	lock_made(true, false);
}

static void *lock_and_end(void *lock)
{
	pthread_mutex_lock(lock);
	sem_post(&began);
	return NULL;
}

static void mutex_gone(void)
{
	pthread_join(beside(lock_and_end, &io_lock), NULL);
	pthread_mutex_lock(&io_lock);
}

static void *lock_both(void *unused)
{
	pthread_mutex_lock(&io_lock);
	sem_post(&began);
	pthread_mutex_lock(&pool_lock);
	return unused;
}

static void mutexes_crossed(void)
{
	pthread_mutex_lock(&pool_lock);
	beside(lock_both, NULL);
	pthread_mutex_lock(&io_lock);
}

/* ---- more than two threads, and threads that go on
 * ------------------------------------------------------------------- */

static void *lock_then(void *unused)
{
	pthread_mutex_lock(&io_lock);
	sem_post(&began);
	pthread_mutex_lock(&pool_lock);
	return unused;
}

static void mutex_chain_mpi(void)
{
	beside(hold_in_mpi, &pool_lock);
	beside(lock_then, NULL);
	pthread_mutex_lock(&io_lock);
}

static void *receive(void *unused)
{
	sem_post(&began);
	MPI_Recv(&size, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return unused;
}

static void join_mpi(void)
{
	pthread_join(beside(receive, NULL), NULL);
}

static void mutexes_for_ever(void)
{
	mutexes_crossed();
}

/* Rank 0 waits for the last one; what rank 1 computes does not help. */
static void locked_rank_computes(void)
{
	mutexes_crossed();
}

static void locked_alone(void)
{
	mutexes_crossed();
}

static void locked_all(void)
{
	mutexes_crossed();
}

static void *hold_for_a_computing_rank(void *lock)
{
	pthread_mutex_lock(lock);
	sem_post(&began);
	MPI_Recv(&size, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return NULL;
}

static void mutex_mpi_computes(void)
{
	beside(hold_for_a_computing_rank, &io_lock);
	pthread_mutex_lock(&io_lock);
}

static void *hold_and_compute(void *lock)
{
	pthread_mutex_lock(lock);
	sem_post(&began);
	compute();
	return NULL;
}

static void mutex_held_computes(void)
{
	beside(hold_and_compute, &io_lock);
	pthread_mutex_lock(&io_lock);
}

static void *hold_shortly(void *lock)
{
	pthread_mutex_lock(lock);
	sem_post(&began);
	for (;;)
		sleep(20);
	return NULL;
}

static void mutex_soon(void)
{
	beside(hold_shortly, &io_lock);
	pthread_mutex_lock(&io_lock);
}

static void mutex_timed(void)
{
	beside(hold, &io_lock);
	for (;;) {
		struct timespec end = { time(NULL) + 20, 0 };
		pthread_mutex_timedlock(&io_lock, &end);
	}
}

static void *begin_and_compute(void *unused)
{
	sem_post(&began);
	compute();
	return unused;
}

static void condition_computes(void)
{
	beside(begin_and_compute, NULL);
	pthread_mutex_lock(&io_lock);
	for (;;)
		pthread_cond_wait(&work, &io_lock);
}

static void join_computes(void)
{
	pthread_join(beside(begin_and_compute, NULL), NULL);
}

/* ---- other locks ----------------------------------------------------------------------------------------------- */

static void *write_table(void *unused)
{
	pthread_rwlock_wrlock(&table);
	sem_post(&began);
	sleep_on();
	return unused;
}

static void *read_table(void *unused)
{
	pthread_rwlock_rdlock(&table);
	sem_post(&began);
	sleep_on();
	return unused;
}

static void rwlock_writer(void)
{
	beside(write_table, NULL);
	pthread_rwlock_wrlock(&table);
}

static void rwlock_reader(void)
{
	beside(write_table, NULL);
	pthread_rwlock_rdlock(&table);
}

static void rwlock_read_by(void)
{
	beside(read_table, NULL);
	pthread_rwlock_wrlock(&table);
}

static void condition(void)
{
	pthread_mutex_lock(&io_lock);
	for (;;)
		pthread_cond_wait(&work, &io_lock);
}

static void semaphore(void)
{
	sem_init(&slots, 0, 0);
	while (sem_wait(&slots) != 0)
		;
}

static void barrier(void)
{
	pthread_barrier_init(&team, NULL, 2);
	pthread_barrier_wait(&team);
}

static void *begin_and_sleep(void *unused)
{
	sem_post(&began);
	sleep_on();
	return unused;
}

static void join(void)
{
	pthread_join(beside(begin_and_sleep, NULL), NULL);
}

static void *begin_and_lock(void *unused)
{
	sem_post(&began);
	pthread_mutex_lock(&io_lock);
	return unused;
}

static void join_mutex(void)
{
	pthread_mutex_lock(&io_lock);
	pthread_join(beside(begin_and_lock, NULL), NULL);
}

static void initialize(void)
{
	sem_post(&began);
	sleep_on();
}

static void *begin_once(void *unused)
{
	pthread_once(&once_control, initialize);
	return unused;
}

static void once(void)
{
	beside(begin_once, NULL);
	pthread_once(&once_control, initialize);
}

static void *enter_barrier(void *unused)
{
	sem_post(&began);
	MPI_Barrier(MPI_COMM_WORLD);
	return unused;
}

static void collectives_alone(void)
{
	beside(enter_barrier, NULL);
	MPI_Barrier(MPI_COMM_WORLD);
}

#include "waits_descriptors.h"
#include "waits_children.h"

/* ---- shared memory ------------------------------------------------------------------------------------- */

static void semaphore_shared(void)
{
	char name[64];

	snprintf(name, sizeof(name), "/mpidbg-test-%ld", (long)getpid());
	sem_t *shared = sem_open(name, O_CREAT, 0600, 0);
	sem_unlink(name);
	while (sem_wait(shared) != 0)
		;
}

static pthread_mutex_t *shared_lock;

static void hold_shared(void)
{
	pthread_mutex_lock(shared_lock);
	if (write(to_parent[1], "", 1) != 1)
		_exit(1);
}

static void share(void)
{
	pthread_mutexattr_t how;

	pthread_mutexattr_init(&how);
	pthread_mutexattr_setpshared(&how, PTHREAD_PROCESS_SHARED);
	shared_lock = mmap(NULL, sizeof(*shared_lock), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_mutex_init(shared_lock, &how);
	child(hold_shared);
	read_one(to_parent[0]);
}

static void mutex_shared(void)
{
	share();
	pthread_mutex_lock(shared_lock);
}

/* A thread beside the one in MPI that waits for another process, and would send what that one waits for. */
static void *read_and_send(void *unused)
{
	sem_post(&began);
	read_one(to_parent[0]);
	MPI_Send(&rank, 1, MPI_INT, rank, 5, MPI_COMM_WORLD);
	return unused;
}

static void beside_pipe(void)
{
	child(nothing);
	close(to_parent[1]);
	beside(read_and_send, NULL);
	MPI_Recv(&size, 1, MPI_INT, rank, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void *lock_and_send(void *unused)
{
	sem_post(&began);
	pthread_mutex_lock(shared_lock);
	MPI_Send(&rank, 1, MPI_INT, rank, 5, MPI_COMM_WORLD);
	return unused;
}

static void beside_shared(void)
{
	share();
	beside(lock_and_send, NULL);
	MPI_Recv(&size, 1, MPI_INT, rank, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* ---- OpenMP and GPUs
 * --------------------------------------------------------------------------------------------------- */

static void openmp_barrier(void)
{
#pragma omp parallel num_threads(3)
	{
		if (omp_get_thread_num() == 1)
			sleep_on();
#pragma omp barrier
	}
}

static void openmp_barrier_mpi(void)
{
#pragma omp parallel num_threads(3)
	{
		if (omp_get_thread_num() == 1)
			MPI_Recv(&size, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#pragma omp barrier
	}
}

static void openmp_critical(void)
{
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 0)
			sem_wait(&began);
#pragma omp critical
		{
			sem_post(&began);
			sleep_on();
		}
	}
}

static void openmp_region(void)
{
#pragma omp parallel num_threads(3)
	{
		if (omp_get_thread_num() == 1)
			sleep_on();
	}
}

/* As in the libraries of that name: only the name counts. */
__attribute__((noinline)) void cudaStreamSynchronize(void)
{
	sleep_on();
}

__attribute__((noinline)) void ncclAllReduce(void)
{
	sleep_on();
}

static void gpu(void)
{
	cudaStreamSynchronize();
}

static void gpus(void)
{
	ncclAllReduce();
}

/* ---- all ------------------------------------------------------------------------------------------------ */

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
#define WAIT(name, n, exit, phrase) { #name, name },
#include "waits.def"
};

int main(int argc, char **argv)
{
	int level;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	sem_init(&began, 0, 0);
	for (size_t i = 0; argc > 1 && i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (strcmp(cases[i].name, argv[1]) != 0)
			continue;
		if (strncmp(argv[1], "rank_pipe", strlen("rank_pipe")) == 0)
			give_end();
		announce();
		if (rank == 1 && strcmp(argv[1], "rank_pipe_another") == 0)
			child(nothing);
		if (rank == 1 && strcmp(argv[1], "rank_pipe_thread") == 0)
			beside(sleep_beside, NULL);
		if (rank == 1 && strcmp(argv[1], "rank_pipe_signal") == 0)
			signal(SIGALRM, on_alarm);
		if (rank == size - 1 || strcmp(argv[1], "locked_all") == 0)
			cases[i].run();
		if (rank == 1 && strstr(argv[1], "_computes"))
			compute();
		if (strstr(argv[1], "_alone"))
			sleep_on();
		MPI_Barrier(MPI_COMM_WORLD);
		sleep_on();
	}
	fprintf(stderr, "waits: no such case\n");
	MPI_Abort(MPI_COMM_WORLD, 2);
}
