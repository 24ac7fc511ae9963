/* SPDX-License-Identifier: BSD-3-Clause */
/* Start and end of MPI_T, which we count ourselves, and the lock. */
#include "mpit.h"

#include "../calls/calls.h"

#include <pthread.h>

__thread int mpit_callback_level __attribute__((tls_model("initial-exec"))) = -1;

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static int references;

static void before_fork(void)
{
	pthread_mutex_lock(&lock);
}

static void after_fork(void)
{
	pthread_mutex_unlock(&lock);
}

/* The lock is the parent's thread's, whose number the child's has not: it cannot be unlocked, but made anew. */
static void in_child(void)
{
	static const pthread_mutex_t unlocked = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

	lock = unlocked;
}

/* Nothing for programs that never use MPI_T. */
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
	if (rc == MPI_SUCCESS)
		pthread_mutex_lock(&lock);
	return rc;
}

int mpit_leave(int rc)
{
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

static bool is_level(int level)
{
	return level == MPI_THREAD_SINGLE || level == MPI_THREAD_FUNNELED || level == MPI_THREAD_SERIALIZED ||
	       level == MPI_THREAD_MULTIPLE;
}

MPIT(init_thread, (int required, int *provided))
{
	if (!is_level(required))
		return MPI_T_ERR_INVALID;
	if (mpit_callback_level == MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE)
		return MPI_T_ERR_NOT_ACCESSIBLE;
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, survive_fork);
	pthread_mutex_lock(&lock);
	__atomic_add_fetch(&references, 1, __ATOMIC_RELEASE);
	mpit_host_wanted_level(required);
	/* Our lock stands before everything of the host's: any level is provided. */
	if (provided)
		*provided = required;
	pthread_mutex_unlock(&lock);
	return MPI_SUCCESS;
}

MPIT(finalize, (void))
{
	int rc = mpit_enter();

	if (rc != MPI_SUCCESS)
		return rc;
	__atomic_sub_fetch(&references, 1, __ATOMIC_RELEASE);
	return mpit_leave(MPI_SUCCESS);
}
