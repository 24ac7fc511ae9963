/* SPDX-License-Identifier: BSD-3-Clause */
#include "clock.h"

#include "../calls/calls.h"
#include "../tables/settings.h"
#include "own_thread.h"
#include "registry.h"

#include <errno.h>
#include <sched.h>
#include <stdbool.h>

uint64_t trk_seconds;
int trk_clock_thread = 1;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;
static bool prepared, running;
static unsigned n_users; /* MPI_Init, sessions */

/*
 * Until the next full second. Of a clock that nobody sets: a wall clock that was set back would come to the appointed
 * second much later.
 */
static void wait_for_second(void)
{
	const long second = 1000000000;
	struct timespec wall, until;

	clock_gettime(CLOCK_REALTIME, &wall);
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += second - wall.tv_nsec;
	until.tv_sec += until.tv_nsec / second;
	until.tv_nsec %= second;
	pthread_cond_timedwait(&changed, &lock, &until);
}

/* In the registry too, for who reads a core: first there, so that no call has begun later than that. */
static void set_time(void)
{
	uint64_t now = (uint64_t)time(NULL);

	__atomic_store_n(&MPI2DD_registry.clock_now, now, __ATOMIC_RELEASE);
	__atomic_store_n(&trk_seconds, now, __ATOMIC_RELEASE);
}

static void tick(void)
{
	pthread_mutex_lock(&lock);
	while (n_users) {
		set_time();
		wait_for_second();
	}
	running = false;
	pthread_mutex_unlock(&lock);
}

/* The thread is the parent's. */
static void in_child(void)
{
	static const pthread_mutex_t unlocked = PTHREAD_MUTEX_INITIALIZER;

	lock = unlocked;
	running = false;
	n_users = 0;
	__atomic_store_n(&trk_seconds, 0, __ATOMIC_RELAXED);
	m2d_calls_choose();
}

__attribute__((constructor)) static void prepare(void)
{
	int64_t n;

	if (m2d_setting("MPI2DD_CLOCK_THREAD", &n))
		trk_clock_thread = (int)n;
	prepared = trk_own_condition(&changed) && pthread_atfork(NULL, NULL, in_child) == 0;
}

/* Threads of a program with real-time scheduling wait until they get a processor, and this one would inherit it. */
static bool is_real_time(void)
{
	int policy = sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;

	return policy == SCHED_FIFO || policy == SCHED_RR;
}

void trk_clock_begin(int rc)
{
	static const struct trk_own_thread clock = { "mpi2dd-clock", tick };
	int saved = errno;

	if (rc != MPI_SUCCESS || !trk_clock_thread || !prepared || is_real_time())
		goto end;
	pthread_mutex_lock(&lock);
	n_users++;
	if (!running)
		running = trk_own_thread(&clock);
	if (running)
		set_time();
	pthread_mutex_unlock(&lock);
	m2d_calls_choose();
end:
	errno = saved;
}

void trk_clock_end(int rc)
{
	int saved = errno;

	pthread_mutex_lock(&lock);
	if (rc == MPI_SUCCESS && n_users && --n_users == 0) {
		__atomic_store_n(&trk_seconds, 0, __ATOMIC_RELAXED);
		pthread_cond_signal(&changed);
	}
	pthread_mutex_unlock(&lock);
	m2d_calls_choose();
	errno = saved;
}
