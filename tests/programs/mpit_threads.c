/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpit_threads SECONDS: MPI_T from several threads at once, MPI at MPI_THREAD_MULTIPLE: registering, raising, freeing,
 * reading, starting and ending, a fork now and then, and a timer's signals that interrupt all of it, in whose handler
 * an event is raised and the eleven functions are used. It must not hang: it is ended by SIGALRM then.
 */
#include "mpit_common.h"

#include "internal.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { STARTERS = 6, RAISERS = 2, REGISTRARS = 2, REGISTRATIONS = 1 << 18, SOURCES = 16 };

static void (*raise_event)(int event, MPI_T_cb_safety context, uint64_t object, const uint64_t *values);
static bool stop;

static bool stopped(void)
{
	return __atomic_load_n(&stop, __ATOMIC_RELAXED);
}

/* ---- starting from several threads at once ------------------------------------------------------------ */

static int n_ready, n_wrong_starts;

static void *start(void *unused)
{
	int provided = -1, n;

	(void)unused;
	__atomic_add_fetch(&n_ready, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&n_ready, __ATOMIC_SEQ_CST) < STARTERS)
		sched_yield();
	for (int i = 0; i < 20; i++)
		if (MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided) != MPI_SUCCESS || provided < 0 ||
		    MPI_T_cvar_get_num(&n) != MPI_SUCCESS || n <= 0 || MPI_T_finalize() != MPI_SUCCESS)
			__atomic_add_fetch(&n_wrong_starts, 1, __ATOMIC_SEQ_CST);
	return NULL;
}

static void start_at_once(void)
{
	pthread_t threads[STARTERS];
	int n;

	n_ready = 0;
	for (int i = 0; i < STARTERS; i++)
		pthread_create(&threads[i], NULL, start, NULL);
	for (int i = 0; i < STARTERS; i++)
		pthread_join(threads[i], NULL);
	rule("C18", n_wrong_starts == 0, "threads cannot start MPI_T at once");
	rule("C19", MPI_T_cvar_get_num(&n) == MPI_T_ERR_NOT_INITIALIZED, "started as often as ended, and not ended");
}

/* ---- callbacks ---------------------------------------------------------------------------------------- */

/* One for each registration that was ever made: what must not happen any more after it is freed. */
static struct life {
	int freed; /* by the free callback */
	int running;
	int done; /* has freed itself */
} * lives;
static int n_lives, n_called, n_late, n_freed, n_wrong_free, n_wrong_data, n_backward, n_drops_reported;
static MPI_Count newest[SOURCES];
static bool ordered[SOURCES];

static void look(MPI_T_event_instance i, struct life *life)
{
	MPI_Count stamp = 0, before;
	int source = -1;
	char copy[256];

	__atomic_add_fetch(&life->running, 1, __ATOMIC_SEQ_CST);
	__atomic_add_fetch(&n_late, __atomic_load_n(&life->freed, __ATOMIC_SEQ_CST), __ATOMIC_RELAXED);
	if (MPI_T_event_get_source(i, &source) != MPI_SUCCESS || source < 0 || source >= SOURCES ||
	    MPI_T_event_get_timestamp(i, &stamp) != MPI_SUCCESS || MPI_T_event_copy(i, copy) != MPI_SUCCESS)
		__atomic_add_fetch(&n_wrong_data, 1, __ATOMIC_RELAXED);
	else if (ordered[source]) {
		before = __atomic_exchange_n(&newest[source], stamp, __ATOMIC_SEQ_CST);
		if (before > stamp)
			__atomic_add_fetch(&n_backward, 1, __ATOMIC_RELAXED);
	}
	__atomic_add_fetch(&n_called, 1, __ATOMIC_RELAXED);
	__atomic_sub_fetch(&life->running, 1, __ATOMIC_SEQ_CST);
}

static void on_event(MPI_T_event_instance i, MPI_T_event_registration r, MPI_T_cb_safety s, void *life)
{
	(void)r;
	(void)s;
	look(i, life);
}

static void on_dropped(MPI_Count count, MPI_T_event_registration r, int source, MPI_T_cb_safety s, void *life)
{
	(void)count;
	(void)r;
	(void)source;
	(void)s;
	__atomic_add_fetch(&n_late, __atomic_load_n(&((struct life *)life)->freed, __ATOMIC_SEQ_CST), __ATOMIC_RELAXED);
	__atomic_add_fetch(&n_drops_reported, 1, __ATOMIC_RELAXED);
}

static void on_freed(MPI_T_event_registration r, MPI_T_cb_safety s, void *user)
{
	struct life *life = user;

	(void)r;
	(void)s;
	if (__atomic_load_n(&life->running, __ATOMIC_SEQ_CST) != 0 ||
	    __atomic_exchange_n(&life->freed, 1, __ATOMIC_SEQ_CST) != 0)
		__atomic_add_fetch(&n_wrong_free, 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&n_freed, 1, __ATOMIC_RELAXED);
}

static void on_event_free(MPI_T_event_instance i, MPI_T_event_registration r, MPI_T_cb_safety s, void *user)
{
	struct life *life = user;

	(void)s;
	look(i, life);
	MPI_T_event_handle_free(r, life, NULL); /* a second thread in here gets the error that it is freed already */
	__atomic_store_n(&life->done, 1, __ATOMIC_SEQ_CST);
}

/* ---- threads ------------------------------------------------------------------------------------------ */

static MPI_T_event_registration
make(int type, MPI_Comm *comm,
     void (*function)(MPI_T_event_instance, MPI_T_event_registration, MPI_T_cb_safety, void *), MPI_T_cb_safety level)
{
	MPI_T_event_registration r;
	int n = __atomic_fetch_add(&n_lives, 1, __ATOMIC_SEQ_CST);

	if (n >= REGISTRATIONS || MPI_T_event_handle_alloc(type, comm, MPI_INFO_NULL, &r) != MPI_SUCCESS) {
		__atomic_sub_fetch(&n_lives, 1, __ATOMIC_SEQ_CST);
		return NULL;
	}
	MPI_T_event_set_dropped_handler(r, on_dropped);
	MPI_T_event_register_callback(r, level, MPI_INFO_NULL, &lives[n], function);
	return r;
}

static void *registrar(void *comm)
{
	int n_types, bind;

	MPI_T_event_get_num(&n_types);
	for (int i = 0; !stopped() && __atomic_load_n(&n_lives, __ATOMIC_RELAXED) < REGISTRATIONS; i++) {
		int type = i % n_types;
		MPI_T_event_get_info(type, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, &bind);
		if (bind != MPI_T_BIND_NO_OBJECT && bind != MPI_T_BIND_MPI_COMM)
			continue;
		MPI_T_event_registration r = make(type, comm, on_event, (MPI_T_cb_safety)(i % 4));
		if (i % 8 == 0)
			sched_yield();
		if (r && i % 3 == 0)
			MPI_T_event_register_callback(r, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, NULL, NULL);
		if (r)
			MPI_T_event_handle_free(r, NULL, NULL);
	}
	return NULL;
}

/* The same with free callbacks, one registration at a time so that its life is known. */
static void *careful_registrar(void *comm)
{
	int error, n;

	(void)comm;
	MPI_T_event_get_index("mpi2dd_error_returned", &error);
	while (!stopped() && (n = __atomic_fetch_add(&n_lives, 1, __ATOMIC_SEQ_CST)) < REGISTRATIONS) {
		MPI_T_event_registration r;
		struct life *life = &lives[n];
		if (MPI_T_event_handle_alloc(error, NULL, MPI_INFO_NULL, &r) != MPI_SUCCESS)
			continue;
		MPI_T_event_set_dropped_handler(r, on_dropped);
		MPI_T_event_register_callback(r, MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE, MPI_INFO_NULL, life, on_event);
		sched_yield();
		MPI_T_event_handle_free(r, life, on_freed);
		/* the last callback that runs tells: soon */
		for (int i = 0; !__atomic_load_n(&life->freed, __ATOMIC_SEQ_CST); i++)
			if (i > 1000)
				usleep(100);
			else
				sched_yield();
	}
	return NULL;
}

static void *self_freeing(void *comm)
{
	int error, n;

	(void)comm;
	MPI_T_event_get_index("mpi2dd_error_returned", &error);
	while (!stopped() && (n = __atomic_fetch_add(&n_lives, 1, __ATOMIC_SEQ_CST)) < REGISTRATIONS) {
		MPI_T_event_registration r;
		struct life *life = &lives[n];
		if (MPI_T_event_handle_alloc(error, NULL, MPI_INFO_NULL, &r) != MPI_SUCCESS)
			continue;
		MPI_T_event_register_callback(r, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, life, on_event_free);
		while (!stopped() && !__atomic_load_n(&life->done, __ATOMIC_SEQ_CST))
			usleep(50);
		if (!__atomic_load_n(&life->done, __ATOMIC_SEQ_CST))
			MPI_T_event_handle_free(r, NULL, NULL);
	}
	return NULL;
}

static void *raiser(void *comm)
{
	MPI_Comm mine = *(MPI_Comm *)comm, other;
	int value = 0;

	while (!stopped()) {
		MPI_Send(&value, 1, MPI_INT, 1 << 20, 0, mine); /* an error */
		MPI_Comm_dup(mine, &other);
		MPI_Comm_set_name(other, "raised");
		MPI_Comm_free(&other);
	}
	return NULL;
}

static MPI_T_pvar_session session;
static MPI_T_pvar_handle pvar;
static int n_wrong_reads, n_reads;

static void *reader(void *unused)
{
	static char value[1 << 18];
	int n, count, provided;
	MPI_T_cvar_handle h;
	MPI_T_pvar_session s;
	MPI_T_pvar_handle p;
	unsigned long long number;

	(void)unused;
	for (int i = 0; !stopped(); i++) {
		bool right = MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS &&
			     MPI_T_cvar_get_num(&n) == MPI_SUCCESS;
		int bind;
		MPI_T_cvar_get_info(i % n, NULL, NULL, NULL, NULL, NULL, NULL, NULL, &bind, NULL);
		if (bind == MPI_T_BIND_NO_OBJECT && MPI_T_cvar_handle_alloc(i % n, NULL, &h, &count) == MPI_SUCCESS) {
			MPI_T_cvar_read(h, value);
			right = MPI_T_cvar_handle_free(&h) == MPI_SUCCESS && right;
		}
		right = MPI_T_pvar_session_create(&s) == MPI_SUCCESS && right;
		right = MPI_T_pvar_get_index("mpi2dd_event_listeners", MPI_T_PVAR_CLASS_LEVEL, &n) == MPI_SUCCESS &&
			right;
		right = MPI_T_pvar_handle_alloc(s, n, NULL, &p, &count) == MPI_SUCCESS &&
			MPI_T_pvar_read(s, p, &number) == MPI_SUCCESS && right;
		right = MPI_T_pvar_read(session, pvar, &number) == MPI_SUCCESS && right;
		right = MPI_T_pvar_session_free(&s) == MPI_SUCCESS && right;
		right = MPI_T_category_changed(&n) == MPI_SUCCESS && MPI_T_finalize() == MPI_SUCCESS && right;
		__atomic_add_fetch(&n_wrong_reads, !right, __ATOMIC_RELAXED);
		__atomic_add_fetch(&n_reads, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

/* ---- signals ------------------------------------------------------------------------------------------ */

static int n_signals, n_wrong_in_signal;

static void on_timer(int number)
{
	static const uint64_t values[SAID_ELEMENTS];
	unsigned long long value;
	MPI_Count now;
	char copy[64];
	int source, saved = errno;
	MPI_T_event_instance none = NULL;

	(void)number;
	/* there is no current event: the functions return an error */
	bool right = MPI_T_event_copy(none, copy) == MPI_T_ERR_INVALID_HANDLE &&
		     MPI_T_event_get_source(none, &source) == MPI_T_ERR_INVALID_HANDLE &&
		     MPI_T_event_get_timestamp(none, &now) == MPI_T_ERR_INVALID_HANDLE &&
		     MPI_T_event_read(none, 0, copy) == MPI_T_ERR_INVALID_HANDLE &&
		     MPI_T_pvar_read(session, pvar, &value) == MPI_SUCCESS &&
		     MPI_T_pvar_readreset(session, pvar, &value) == MPI_T_ERR_PVAR_NO_ATOMIC &&
		     MPI_T_pvar_reset(session, pvar) == MPI_T_ERR_PVAR_NO_WRITE &&
		     MPI_T_pvar_start(session, pvar) == MPI_T_ERR_PVAR_NO_STARTSTOP &&
		     MPI_T_pvar_stop(session, pvar) == MPI_T_ERR_PVAR_NO_STARTSTOP &&
		     MPI_T_pvar_write(session, pvar, &value) == MPI_T_ERR_PVAR_NO_WRITE &&
		     MPI_T_source_get_timestamp(0, &now) == MPI_SUCCESS;
	__atomic_add_fetch(&n_wrong_in_signal, !right, __ATOMIC_RELAXED);
	__atomic_add_fetch(&n_signals, 1, __ATOMIC_RELAXED);
	if (raise_event)
		raise_event(0, MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE, 0, values);
	errno = saved;
}

static void on_hang(int number)
{
	static const char text[] = "fail 001.10: it hangs\n";

	(void)number;
	if (write(1, text, sizeof text - 1) < 0)
		_exit(4);
	_exit(3);
}

static bool forked(void)
{
	int status = -1, n;
	pid_t child = fork();

	if (child == 0) {
		struct itimerval none = { 0 };
		setitimer(ITIMER_PROF, &none, NULL);
		_exit(MPI_T_cvar_get_num(&n) == MPI_SUCCESS && n > 0 ? 7 : 1);
	}
	while (waitpid(child, &status, 0) < 0)
		; /* a signal */
	return WIFEXITED(status) && WEXITSTATUS(status) == 7;
}

/* ------------------------------------------------------------------------------------------------------- */

static void all_at_once(double seconds)
{
	static void *(*const work[])(void *) = { raiser, raiser, registrar, careful_registrar, self_freeing, reader };
	enum { N = sizeof work / sizeof work[0] };
	pthread_t threads[N];
	static MPI_Comm comms[N];
	struct itimerval often = { { 0, 2000 }, { 0, 2000 } }, none = { 0 };
	int provided, index, count, n_forks = 0, n_wrong_forks = 0, n_sources;
	MPI_T_source_order order;
	struct timespec begin, now, pause = { 0, 100000000 };

	lives = calloc(REGISTRATIONS, sizeof *lives);
	MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided);
	MPI_T_source_get_num(&n_sources);
	for (int i = 0; i < n_sources && i < SOURCES; i++)
		ordered[i] = MPI_T_source_get_info(i, NULL, NULL, NULL, NULL, &order, NULL, NULL, NULL) ==
				     MPI_SUCCESS &&
			     order == MPI_T_SOURCE_ORDERED;
	MPI_T_pvar_session_create(&session);
	MPI_T_pvar_get_index("mpi2dd_event_listeners", MPI_T_PVAR_CLASS_LEVEL, &index);
	MPI_T_pvar_handle_alloc(session, index, NULL, &pvar, &count);
	for (int i = 0; i < N; i++)
		MPI_Comm_dup(MPI_COMM_SELF, &comms[i]);
	signal(SIGPROF, on_timer);
	setitimer(ITIMER_PROF, &often, NULL); /* whichever thread of the program runs */
	for (int i = 0; i < N; i++)
		pthread_create(&threads[i], NULL, work[i], &comms[i]);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		nanosleep(&pause, NULL);
		n_wrong_forks += !forked();
		n_forks++;
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((double)(now.tv_sec - begin.tv_sec) + 1e-9 * (double)(now.tv_nsec - begin.tv_nsec) < seconds);
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (int i = 0; i < N; i++)
		pthread_join(threads[i], NULL);
	setitimer(ITIMER_PROF, &none, NULL);
	signal(SIGPROF, SIG_IGN);
	for (int i = 0; i < N; i++)
		MPI_Comm_free(&comms[i]);
	printf("note: %d registrations, %d callbacks, %d freed with a callback, %d signals, %d reads, %d forks, "
	       "%d told of losses\n",
	       n_lives, n_called, n_freed, n_signals, n_reads, n_forks, n_drops_reported);
	rule("001.3", n_backward == 0, "an ordered source went back in time");
	rule("001.8", n_signals > 0 && n_wrong_in_signal == 0, "one of the eleven does not work in a signal handler");
	rule("001.10", n_signals > 0, "no signals");
	rule("001.31", n_called > 0 && n_wrong_data == 0, "no callbacks, or one without its event");
	rule("001.36", n_freed > 0 && n_wrong_free == 0, "freed while a callback runs, or twice");
	rule("001.37", n_late == 0, "a callback after the registration was freed");
	rule("C18", n_wrong_reads == 0 && n_reads > 0, "MPI_T does not work in a thread");
	rule("P11", n_wrong_reads == 0 && n_reads > 0, "sessions of several threads");
	rule("C19", n_forks > 0 && n_wrong_forks == 0, "a child that was forked meanwhile cannot use MPI_T");
	MPI_T_pvar_session_free(&session);
	MPI_T_finalize();
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 2;
	int provided;

	if (!MPI_T_event_get_num) {
		puts("fail 001.11: no event functions");
		return 1;
	}
	signal(SIGALRM, on_hang);
	alarm((unsigned)seconds + 60);
	raise_event = (void (*)(int, MPI_T_cb_safety, uint64_t, const uint64_t *))internal_symbol(
		(void *)MPI_T_event_get_num, "mpit_raise");
	start_at_once();
	/* Threads of the MPI library do not take the timer's signal: all_at_once() reads the counters after it has
	 * joined its own. */
	sigset_t timer;
	sigemptyset(&timer);
	sigaddset(&timer, SIGPROF);
	pthread_sigmask(SIG_BLOCK, &timer, NULL);
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	pthread_sigmask(SIG_UNBLOCK, &timer, NULL);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	rule("C18", provided == MPI_THREAD_MULTIPLE, "no MPI_THREAD_MULTIPLE here");
	start_at_once();
	all_at_once(seconds);
	MPI_Finalize();
	start_at_once();
	return n_bad != 0;
}
