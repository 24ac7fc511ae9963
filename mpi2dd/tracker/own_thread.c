/* SPDX-License-Identifier: BSD-3-Clause */
#include "own_thread.h"

#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <time.h>

enum { STACK_BYTES = 256 * 1024 };

static void *begin_own_thread(void *arg)
{
	const struct trk_own_thread *what = arg;

	prctl(PR_SET_NAME, what->name, 0, 0, 0);
	what->run();
	return NULL;
}

bool trk_own_thread(const struct trk_own_thread *what)
{
	static const int own[] = { SIGTRAP, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGSYS };
	pthread_attr_t how;
	pthread_t thread;
	sigset_t all, found;

	if (pthread_attr_init(&how) != 0)
		return false;
	pthread_attr_setdetachstate(&how, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&how, STACK_BYTES);
	sigfillset(&all);
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		sigdelset(&all, own[i]);
	pthread_sigmask(SIG_SETMASK, &all, &found);
	bool ok = pthread_create(&thread, &how, begin_own_thread, (void *)what) == 0;
	pthread_sigmask(SIG_SETMASK, &found, NULL);
	pthread_attr_destroy(&how);
	return ok;
}

bool trk_own_condition(pthread_cond_t *ret)
{
	pthread_condattr_t monotonic;

	if (pthread_condattr_init(&monotonic) != 0)
		return false;
	bool ok = pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC) == 0 &&
		  pthread_cond_init(ret, &monotonic) == 0;
	pthread_condattr_destroy(&monotonic);
	return ok;
}
