/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plays a script: for each thread of each rank a sequence of MPI calls, sleeps, computations and ends.
 *
 *     mpirun -n 3 player FOLDER
 *
 * FOLDER/script has a line for each operation: rank, thread (0 is the one that initializes MPI), name, arguments, all
 * of them numbers. "leave" ends a thread, which may be started again. "-1 0 level L" asks for a level of threads, "-1 0
 * buffer B" for a buffer of MPI_Bsend. FOLDER/progress is mapped: struct player_progress. Errors of MPI calls are
 * returned and ignored. Without more lines a rank calls MPI_Finalize.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include "player_groups.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>

static void play(int thread);

/* ---- threads, time, ends ---------------------------------------------------------------------------------- */

static void *thread_main(void *arg)
{
	int number = (int)(intptr_t)arg;

	play(number);
	return NULL;
}

static void op_thread(const struct line *l)
{
	if (pthread_create(&threads[l->args[0]], NULL, thread_main, (void *)(intptr_t)l->args[0]))
		_exit(9);
}

static void op_join(const struct line *l)
{
	pthread_join(threads[l->args[0]], NULL);
}

static pthread_mutex_t pool_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t pool_work = PTHREAD_COND_INITIALIZER;

static void *pool_member(void *arg)
{
	pthread_mutex_lock(&pool_mutex);
	for (;;)
		pthread_cond_wait(&pool_work, &pool_mutex);
	return arg;
}

static void *napper(void *arg)
{
	for (;;)
		nap_us((long)(intptr_t)arg);
	return NULL;
}

/* threads that wait for work, which never comes */
static void op_pool(const struct line *l)
{
	pthread_t thread;

	for (int i = 0; i < l->args[0]; i++)
		pthread_create(&thread, NULL, pool_member, NULL);
}

/* u: a thread that sleeps again and again */
static void op_napper(const struct line *l)
{
	pthread_t thread;

	pthread_create(&thread, NULL, napper, (void *)(intptr_t)l->args[0]);
}

static void op_lock(const struct line *l)
{
	pthread_mutex_lock(&mutexes[l->args[0]]);
}

static void op_unlock(const struct line *l)
{
	pthread_mutex_unlock(&mutexes[l->args[0]]);
}

/* milliseconds */
static void op_sleep(const struct line *l)
{
	atomic_store(&progress_of(l)->asleep, 1);
	nap_us(l->args[0] * 1000L);
	atomic_store(&progress_of(l)->asleep, 0);
}

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* milliseconds; -1: for ever */
static void op_compute(const struct line *l)
{
	int64_t end = now_ms() + l->args[0];
	volatile double x = 1;

	atomic_store(&progress_of(l)->asleep, l->args[0] >= 0);
	while (l->args[0] < 0 || now_ms() < end)
		for (int i = 0; i < 100000; i++)
			x = x * 1.0000001 + 1e-9;
	atomic_store(&progress_of(l)->asleep, 0);
}

static void op_pause(const struct line *l)
{
	(void)l;
	for (;;)
		sleep(100000);
}

static void op_stop(const struct line *l)
{
	(void)l;
	raise(SIGSTOP);
}

static void finalize(int number)
{
	struct player_rank *me = &progress->ranks[rank];

	atomic_store(&me->threads[0].line, (uint32_t)number);
	MPI_Finalize();
	atomic_fetch_add(&me->threads[0].finished, 1);
	atomic_store(&me->ended, 1);
	_exit(0);
}

static void op_end(const struct line *l)
{
	finalize(l->number);
}

/* ---- the script ------------------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	void (*run)(const struct line *l);
} ops[] = {
#define OP(name)                                                                                                       \
	{                                                                                                              \
#name, op_##name                                                                                       \
	}
	OP(send),       OP(recv),         OP(sendrecv),     OP(isend),    OP(irecv),   OP(send_init), OP(recv_init),
	OP(start),      OP(request_free), OP(wait),         OP(waitall),  OP(waitany), OP(waitsome),  OP(test),
	OP(testall),    OP(probe),        OP(iprobe),       OP(mprobe),   OP(coll),    OP(icoll),     OP(traffic),
	OP(split),      OP(dup),          OP(create),       OP(inter),    OP(merge),   OP(cart),      OP(comm_free),
	OP(disconnect), OP(win),          OP(win_free),     OP(fence),    OP(put),     OP(win_lock),  OP(win_unlock),
	OP(win_post),   OP(win_start),    OP(win_complete), OP(win_wait), OP(thread),  OP(join),      OP(pool),
	OP(napper),     OP(lock),         OP(unlock),       OP(sleep),    OP(compute), OP(pause),     OP(stop),
	OP(end),
#undef OP
};

static void play_line(const struct line *l)
{
	for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++)
		if (!strcmp(ops[i].name, l->op)) {
			ops[i].run(l);
			return;
		}
	fprintf(stderr, "player: line %d: no operation %s\n", l->number, l->op);
	_exit(9);
}

static void play(int thread)
{
	static size_t next[PLAYER_THREADS_MAX];

	while (next[thread] < n_lines) {
		size_t i = next[thread]++;
		if (lines[i].thread != thread)
			continue;
		if (!strcmp(lines[i].op, "leave"))
			break;
		atomic_store(&progress_of(&lines[i])->line, (uint32_t)lines[i].number);
		play_line(&lines[i]);
		finished_one(&lines[i]);
	}
	atomic_store(&progress->ranks[rank].threads[thread].line, 0);
}

static bool parse(char *text, int *ret_rank, struct line *ret)
{
	int used = 0;

	if (sscanf(text, "%d %d %23s%n", ret_rank, &ret->thread, ret->op, &used) != 3)
		return false;
	for (char *p = text + used, *end; ret->n_args < ARGS_MAX; p = end) {
		long value = strtol(p, &end, 10);
		if (end == p)
			break;
		ret->args[ret->n_args++] = (int)value;
	}
	return ret->thread >= 0 && ret->thread < PLAYER_THREADS_MAX;
}

/* Lines of this rank (before MPI_Init, -1: those of all ranks). */
static void load(const char *folder, int whose)
{
	char path[4096], text[512];

	snprintf(path, sizeof path, "%s/script", folder);
	FILE *f = fopen(path, "r");
	if (!f) {
		perror(path);
		_exit(9);
	}
	n_lines = 0;
	for (int number = 1; fgets(text, sizeof text, f); number++) {
		struct line l = { .number = number };
		int r;
		if (text[0] == '#' || !parse(text, &r, &l) || r != whose)
			continue;
		lines = realloc(lines, (n_lines + 1) * sizeof *lines);
		if (!lines)
			_exit(9);
		lines[n_lines++] = l;
	}
	fclose(f);
}

static int setting(const char *name, int otherwise)
{
	for (size_t i = 0; i < n_lines; i++)
		if (!strcmp(lines[i].op, name))
			return lines[i].args[0];
	return otherwise;
}

static void map_progress(const char *folder)
{
	char path[4096];

	snprintf(path, sizeof path, "%s/progress", folder);
	int fd = open(path, O_RDWR);
	progress = fd >= 0 ? mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;
	if (progress == MAP_FAILED) {
		perror(path);
		_exit(9);
	}
}

/* The file is renamed when it is complete, so a reader never sees a part of it. */
static void announce(void)
{
	const char *dir = getenv("TRUTH_DIR");
	char path[4096], made[4096];

	if (!dir)
		return;
	snprintf(path, sizeof path, "%s/truth.%d.json", dir, rank);
	snprintf(made, sizeof made, "%s/making.%d", dir, rank);
	FILE *f = fopen(made, "w");
	if (!f || fprintf(f, "{\"pid\": %ld}\n", (long)getpid()) < 0 || fclose(f) || rename(made, path)) {
		perror(path);
		_exit(9);
	}
}

int main(int argc, char **argv)
{
	int given;

	if (argc != 2)
		return 2;
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
	map_progress(argv[1]);
	load(argv[1], -1);
	int buffer_bytes = setting("buffer", 0);
	MPI_Init_thread(&argc, &argv, setting("level", MPI_THREAD_SINGLE), &given);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank >= PLAYER_RANKS_MAX)
		return 9;
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	if (buffer_bytes)
		MPI_Buffer_attach(memory((size_t)buffer_bytes), buffer_bytes);
	for (int i = 0; i < COMMS_MAX; i++)
		comms[i] = i ? MPI_COMM_NULL : MPI_COMM_WORLD;
	for (int i = 0; i < REQUESTS_MAX; i++)
		requests[i] = MPI_REQUEST_NULL;
	for (int i = 0; i < MUTEXES_MAX; i++)
		pthread_mutex_init(&mutexes[i], NULL);
	load(argv[1], rank);
	announce();
	play(0);
	finalize((int)n_lines);
}
