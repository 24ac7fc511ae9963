/* SPDX-License-Identifier: BSD-3-Clause */
#include "stall.h"

#include "../../include/mpi2dd.h"
#include "../tables/events.h"
#include "../tables/connection.h"
#include "../tables/settings.h"
#include "../tables/starter.h"
#include "../tables/identity.h"
#include "../tracker/own_thread.h"
#include "../tracker/registry.h"
#include "event.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PERIOD_MIN_MS = 20, PERIOD_MAX_MS = 500, LOOKS = 8, SECONDS_MAX = 1000 * 1000 };

int mpit_stall_seconds;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool running, guarded; /* the thread exists; the fork handler is installed */
int mpit_hang_seconds;        /* requested by the starter; 0: none */
static int starter_fd = -1;   /* used by the thread only */

/* A snapshot of what the program's threads have done. */
struct snapshot {
	uint64_t finished;
	uint32_t call; /* the longest current call; TRK_NO_CALL: none */
	bool blind;
};

static struct snapshot take_snapshot(void)
{
	struct snapshot g = { .call = TRK_NO_CALL };
	uint32_t n = __atomic_load_n(&MPI2DD_registry.n_threads, __ATOMIC_ACQUIRE);
	uint64_t since = UINT64_MAX;

	/* calls from a callback of mpi2dd_stall in this thread are not progress of the program */
	const struct trk_thread *own = m2d_thread.slot;

	g.blind = __atomic_load_n(&MPI2DD_registry.n_threads_dropped, __ATOMIC_RELAXED) != 0;
	for (uint32_t i = 0; i < n && i < TRK_THREADS; i++) {
		const struct trk_thread *t = &trk_threads[i];
		uint32_t depth = trk_depth(t);

		if (t == own)
			continue;
		g.finished += __atomic_load_n(&t->n_calls, __ATOMIC_RELAXED);
		if (!depth || !__atomic_load_n(&t->tid, __ATOMIC_RELAXED))
			continue;
		uint64_t began = __atomic_load_n(&t->frames[0].since, __ATOMIC_RELAXED);
		if (g.call == TRK_NO_CALL || (began && began < since)) {
			g.call = __atomic_load_n(&t->frames[0].call, __ATOMIC_RELAXED);
			since = began ? began : since;
		}
	}
	return g;
}

static int period_ms(int stall, int hang)
{
	int least = !stall ? hang : !hang || stall < hang ? stall : hang;
	int64_t ms = (int64_t)least * 1000 / LOOKS;

	return ms < PERIOD_MIN_MS ? PERIOD_MIN_MS : ms > PERIOD_MAX_MS ? PERIOD_MAX_MS : (int)ms;
}

/* ---- the starter ------------------------------------------------------------------------------------- */

static void notify_starter(const struct snapshot *g, uint64_t quiet_ms)
{
	const char *name = g->call < M2D_N_CALLS ? m2d_calls_names[g->call] + 1 : NULL;

	if (!m2d_starter_stalled(starter_fd, m2d_world.rank, (int)(quiet_ms / 1000), name))
		m2d_connection_close(&starter_fd);
}

/* Wait; the starter may ask meanwhile for a call of MPI2DD_breakpoint. */
static void pause_ms(int ms)
{
	struct pollfd p = { .fd = starter_fd, .events = POLLIN };
	char text[16];

	if (poll(&p, 1, ms) <= 0 || starter_fd < 0)
		return;
	ssize_t got = recv(starter_fd, text, sizeof(text), 0);
	if (got > 0 && memmem(text, (size_t)got, "BREAK\n", 6))
		m2d_events_emit(MPI2DD_DEBUG_HANG);
	else if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
		m2d_connection_close(&starter_fd); /* the starter has ended */
}

/* ---- the thread -------------------------------------------------------------------------------------- */

static void raise_event(const struct snapshot *g, uint64_t quiet_ms)
{
	if (mpit_has_listener(MPIT_EVENT_STALL))
		mpit_raise(MPIT_EVENT_STALL, MPI_T_CB_REQUIRE_THREAD_SAFE, 0,
			   (const uint64_t[]){ g->call, quiet_ms / 1000 });
}

/* Store the time in the registry, for readers of a core; 0: no longer updated. */
static void write_time(uint64_t now)
{
	__atomic_store_n(&MPI2DD_registry.clock_now, now, __ATOMIC_RELAXED);
}

static bool is_over(int stall, int hang)
{
	bool over = false;

	pthread_mutex_lock(&lock);
	if (!stall && !hang && !mpit_stall_seconds) {
		running = false;
		over = true;
		write_time(0);
	}
	pthread_mutex_unlock(&lock);
	return over;
}

static void watch(void)
{
	struct snapshot last = take_snapshot();
	int64_t before = m2d_connection_now();
	uint64_t quiet_ms = 0;
	bool raised = false, reported = false;
	int hang = mpit_hang_seconds;

	if (hang) {
		starter_fd = m2d_starter_watch((int)getpid());
		if (starter_fd < 0)
			hang = 0;
		else /* the reporting process need not be an ancestor of this one */
			prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
	}
	for (;;) {
		int stall = __atomic_load_n(&mpit_stall_seconds, __ATOMIC_RELAXED), ms = period_ms(stall, hang);

		if (is_over(stall, hang))
			return;
		write_time(trk_now());
		pause_ms(ms);
		if (hang && starter_fd < 0)
			hang = 0;
		int64_t now = m2d_connection_now(), passed = now - before;
		struct snapshot g = take_snapshot();
		before = now;
		if (g.finished != last.finished || g.blind) {
			if (reported && starter_fd >= 0 && !m2d_starter_going(starter_fd))
				m2d_connection_close(&starter_fd);
			raised = reported = false;
			quiet_ms = 0;
			last = g;
			continue;
		}
		quiet_ms += (uint64_t)(passed > 2 * ms ? ms : passed); /* if more, we were stopped, too */
		if (stall && !raised && g.call != TRK_NO_CALL && quiet_ms >= (uint64_t)stall * 1000) {
			raised = true;
			raise_event(&g, quiet_ms);
		}
		/* report again when it has left or entered a call without finishing one */
		if (hang && quiet_ms >= (uint64_t)hang * 1000 && (!reported || g.call != last.call)) {
			reported = true;
			notify_starter(&g, quiet_ms);
		}
		last = g;
	}
}

/* In a forked child, which does not have the thread; the lock may be in any state. */
static void in_child(void)
{
	pthread_mutex_init(&lock, NULL);
	running = false;
	write_time(0);
	mpit_hang_seconds = 0;
	m2d_connection_close(&starter_fd);
}

/* Start the thread if necessary. With the lock held. */
static bool ensure_running(void)
{
	static const struct trk_own_thread stall = { "mpi2dd-stall", watch };

	if (running)
		return true;
	if (!guarded && pthread_atfork(NULL, NULL, in_child) != 0)
		return false;
	guarded = true;
	running = trk_own_thread(&stall);
	return running;
}

int mpit_stall_set(int seconds)
{
	int saved = errno, rc = MPI_SUCCESS;

	if (seconds < 0)
		return MPI_T_ERR_INVALID;
	pthread_mutex_lock(&lock);
	int before = mpit_stall_seconds;
	__atomic_store_n(&mpit_stall_seconds, seconds, __ATOMIC_RELAXED);
	if (seconds && !ensure_running()) {
		__atomic_store_n(&mpit_stall_seconds, before, __ATOMIC_RELAXED);
		rc = MPI_T_ERR_MEMORY;
	}
	pthread_mutex_unlock(&lock);
	errno = saved;
	return rc;
}

static int seconds_of(const char *variable)
{
	int64_t n;

	return m2d_setting(variable, &n) ? (int)n : 0;
}

void mpit_stall_begin(void)
{
	int saved = errno, stall = seconds_of("MPI2DD_STALL_SECONDS");

	pthread_mutex_lock(&lock);
	if (!running) {
		mpit_hang_seconds = m2d_starter_known() ? seconds_of("MPI2DD_HANG") : 0;
		if (stall)
			mpit_stall_seconds = stall;
		if (mpit_hang_seconds || mpit_stall_seconds)
			ensure_running();
	}
	pthread_mutex_unlock(&lock);
	errno = saved;
}
