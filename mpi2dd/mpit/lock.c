/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_T's lock and its initialization count. */
#include "mpit.h"

#include "../calls/calls.h"
#include "ordered.h"

#include <pthread.h>

__thread int mpit_callback_level __attribute__((tls_model("initial-exec"))) = -1;

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static int references;
static int held; /* how many times the owner has taken the lock */

static void before_fork(void)
{
	pthread_mutex_lock(&lock);
}

static void after_fork(void)
{
	pthread_mutex_unlock(&lock);
}

/*
 * After fork the recorded owner is a thread of the parent, so
 * the child reinitialises the mutex instead of unlocking it.
 */
static void in_child(void)
{
	static const pthread_mutex_t unlocked = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

	lock = unlocked;
	held = 0;
	mpit_ordered_in_child();
}

/* Called only for programs that use MPI_T. */
static void survive_fork(void)
{
	pthread_atfork(before_fork, after_fork, in_child);
}

int mpit_enter_anywhere(void)
{
	return __atomic_load_n(&references, __ATOMIC_ACQUIRE) > 0 ? MPI_SUCCESS : MPI_T_ERR_NOT_INITIALIZED;
}

int mpit_enter(void)
{
	if (mpit_callback_level == MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE)
		return MPI_T_ERR_NOT_ACCESSIBLE;
	int rc = mpit_enter_anywhere();
	if (rc == MPI_SUCCESS) {
		pthread_mutex_lock(&lock);
		held++;
	}
	return rc;
}

bool mpit_try_lock(void)
{
	if (mpit_callback_level == MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE || pthread_mutex_trylock(&lock) != 0)
		return false;
	if (held) {
		/* this thread holds it already and is in the middle of something */
		pthread_mutex_unlock(&lock);
		return false;
	}
	held++;
	return true;
}

int mpit_leave(int rc)
{
	held--;
	pthread_mutex_unlock(&lock);
	return rc;
}

bool mpit_mpi_is_up(void)
{
	int initialized = 0, finalized = 1;

	return m2d_calls_resolve() && m2d_pmpi.Initialized && m2d_pmpi.Finalized &&
	       m2d_pmpi.Initialized(&initialized) == MPI_SUCCESS && initialized &&
	       m2d_pmpi.Finalized(&finalized) == MPI_SUCCESS && !finalized;
}

bool mpit_start(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, survive_fork);
	pthread_mutex_lock(&lock);
	held++;
	return __atomic_fetch_add(&references, 1, __ATOMIC_RELEASE) == 0;
}

bool mpit_end(void)
{
	/* another thread may have finalized MPI_T while this one waited for the lock */
	if (references <= 0)
		return false;
	__atomic_sub_fetch(&references, 1, __ATOMIC_RELEASE);
	return true;
}
