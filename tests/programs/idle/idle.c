/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Preloaded into the ranks of most tests, so that a rank that waits sleeps instead of polling: it would take a whole
 * processor from the programs that read it. What the MPI library and the program do is otherwise the same.
 *
 * Two functions that MPI libraries call while they wait are defined here. Each returns at once when it is called now
 * and then, and sleeps a little when a thread has called nothing else for some milliseconds.
 * sched_yield(): Open MPI with mpi_yield_when_idle, in opal_progress() and its callers.
 * ucp_worker_progress(): MPICH's ch4:ucx and Open MPI's pml ucx.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Two calls at most GAP_NS apart belong to the same wait; after POLL_NS of it each call sleeps for SLEEP_NS. */
enum { GAP_NS = 20000, POLL_NS = 2000000, SLEEP_NS = 300000 };

typedef unsigned (*progress_fn)(void *worker);

int sched_yield(void);
unsigned ucp_worker_progress(void *worker);

static _Thread_local int64_t since_ns, last_ns;

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void wait_a_little(void)
{
	int64_t now = now_ns();

	if (now - last_ns > GAP_NS)
		since_ns = now;
	last_ns = now;
	if (now - since_ns < POLL_NS)
		return;
	int saved = errno;
	nanosleep(&(struct timespec){ .tv_nsec = SLEEP_NS }, NULL);
	errno = saved;
	last_ns = now_ns();
}

int sched_yield(void)
{
	wait_a_little();
	return (int)syscall(SYS_sched_yield);
}

/* Open MPI loads UCX with a component, where RTLD_NEXT does not look. */
static progress_fn real_progress(void)
{
	static progress_fn _Atomic found;
	progress_fn f = atomic_load(&found);

	if (f)
		return f;
	f = (progress_fn)dlsym(RTLD_NEXT, "ucp_worker_progress");
	if (!f) {
		void *ucp = dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD);
		f = ucp ? (progress_fn)dlsym(ucp, "ucp_worker_progress") : NULL;
	}
	atomic_store(&found, f);
	return f;
}

unsigned ucp_worker_progress(void *worker)
{
	progress_fn f = real_progress();
	unsigned events = f ? f(worker) : 0;

	if (events)
		since_ns = last_ns = 0;
	else
		wait_a_little();
	return events;
}
