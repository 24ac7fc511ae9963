/* SPDX-License-Identifier: BSD-3-Clause */
/* Refreshes every MPI2DD_REFRESH_SECONDS, from a thread that exists while an interval is set. */
#include "../tracker/own_thread.h"
#include "mirror.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

enum { SECONDS_MAX = 1000 * 1000 };

int mpit_refresh_seconds;
void (*mpit_refresh)(const char *why);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;
static bool running, prepared;

static void refresh_often(void)
{
	pthread_mutex_lock(&lock);
	while (mpit_refresh_seconds) {
		struct timespec until;
		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_sec += mpit_refresh_seconds;
		/* interrupted: a new interval starts from the beginning */
		if (pthread_cond_timedwait(&changed, &lock, &until) != ETIMEDOUT)
			continue;
		pthread_mutex_unlock(&lock);
		__atomic_load_n(&mpit_refresh, __ATOMIC_ACQUIRE)("MPI2DD_REFRESH_SECONDS");
		pthread_mutex_lock(&lock);
	}
	running = false;
	pthread_mutex_unlock(&lock);
}

/* In a forked child, which does not have the thread. */
static void in_child(void)
{
	static const pthread_mutex_t unlocked = PTHREAD_MUTEX_INITIALIZER;

	lock = unlocked;
	running = false;
	mpit_refresh_seconds = 0;
}

/* Start the thread. With the lock held. */
static bool start_mirror_clock(void)
{
	static const struct trk_own_thread refresh = { "mpi2dd-refresh", refresh_often };

	if (!prepared)
		prepared = trk_own_condition(&changed) && pthread_atfork(NULL, NULL, in_child) == 0;
	return prepared && trk_own_thread(&refresh);
}

int mpit_refresh_set(int seconds)
{
	int rc = MPI_SUCCESS;

	if (seconds < 0 || seconds > SECONDS_MAX || !__atomic_load_n(&mpit_refresh, __ATOMIC_ACQUIRE))
		return MPI_T_ERR_INVALID;
	pthread_mutex_lock(&lock);
	int before = mpit_refresh_seconds;
	mpit_refresh_seconds = seconds;
	if (seconds && !running) {
		running = start_mirror_clock();
		if (!running) {
			mpit_refresh_seconds = before;
			rc = MPI_T_ERR_MEMORY;
		}
	} else if (running) {
		pthread_cond_signal(&changed);
	}
	pthread_mutex_unlock(&lock);
	return rc;
}
