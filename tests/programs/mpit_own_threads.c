/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpit_own_threads: events under MPI_THREAD_MULTIPLE. Threads exchange messages with themselves and make communicators,
 * while another one registers and frees callbacks and starts and stops variables all the time. What the events of the
 * registrations that last counted is compared with what the threads did.
 */
#include "mpit_common.h"

/* MPICH declares arrays of statuses, and "ignored" is none. */
#pragma GCC diagnostic ignored "-Wstringop-overflow"

#include <pthread.h>

enum { THREADS = 4, TURNS = 1500, COMMS = 40, BYTES = 12 };

static MPI_Comm comms[THREADS];
static MPI_T_event_registration lasting[4];
static long n_sent, n_received, n_created, n_freed, n_bytes, n_lost;
static long n_of_first; /* collectives on comms[0] */
static int done, overlaps, n_inside, backwards;
static MPI_Count last;

static int index_of(const char *name)
{
	int index = -1;

	MPI_T_event_get_index(name, &index);
	return index;
}

static void on_message(MPI_T_event_instance i, MPI_T_event_registration r, MPI_T_cb_safety s, void *user)
{
	uint64_t bytes = 0;

	(void)r;
	(void)s;
	MPI_T_event_read(i, 2, &bytes);
	__atomic_add_fetch(&n_bytes, (long)bytes, __ATOMIC_RELAXED);
	__atomic_add_fetch((long *)user, 1, __ATOMIC_RELAXED);
}

/* Of the ordered source: one at a time, and never back in time. */
static void on_ordered(MPI_T_event_instance i, MPI_T_event_registration r, MPI_T_cb_safety s, void *user)
{
	MPI_Count stamp = 0;

	(void)r;
	(void)s;
	if (__atomic_add_fetch(&n_inside, 1, __ATOMIC_SEQ_CST) != 1)
		overlaps++;
	MPI_T_event_get_timestamp(i, &stamp);
	backwards += stamp < last;
	last = stamp;
	__atomic_sub_fetch(&n_inside, 1, __ATOMIC_SEQ_CST);
	__atomic_add_fetch((long *)user, 1, __ATOMIC_RELAXED);
}

static void on_other(MPI_T_event_instance i, MPI_T_event_registration r, MPI_T_cb_safety s, void *user)
{
	(void)i;
	(void)r;
	(void)s;
	__atomic_add_fetch((long *)user, 1, __ATOMIC_RELAXED);
}

static void on_lost(MPI_Count count, MPI_T_event_registration r, int source, MPI_T_cb_safety s, void *user)
{
	(void)r;
	(void)source;
	(void)s;
	(void)user;
	__atomic_add_fetch(&n_lost, (long)count, __ATOMIC_RELAXED);
}

static MPI_T_event_registration
listen_to(const char *name, void *object,
	  void (*function)(MPI_T_event_instance, MPI_T_event_registration, MPI_T_cb_safety, void *), void *user)
{
	MPI_T_event_registration r = NULL;

	if (MPI_T_event_handle_alloc(index_of(name), object, MPI_INFO_NULL, &r) != MPI_SUCCESS ||
	    MPI_T_event_register_callback(r, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, user, function) != MPI_SUCCESS)
		rule("own.listen", false, name);
	return r;
}

static void *work(void *argument)
{
	int me = (int)(intptr_t)argument, out[3] = { me, 2, 3 }, in[3];
	MPI_Request r[2];
	MPI_Comm other;

	for (int i = 0; i < TURNS; i++) {
		MPI_Irecv(in, 3, MPI_INT, 0, i, comms[me], &r[0]);
		MPI_Isend(out, 3, MPI_INT, 0, i, comms[me], &r[1]);
		MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
		if (i % (TURNS / COMMS) == 0 && i / (TURNS / COMMS) < COMMS) {
			MPI_Barrier(comms[me]);
			MPI_Comm_dup(comms[me], &other);
			MPI_Comm_free(&other);
		}
	}
	return NULL;
}

static void *meddle(void *unused)
{
	MPI_T_pvar_session session;
	long n = 0;

	(void)unused;
	MPI_T_pvar_session_create(&session);
	while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE)) {
		MPI_T_event_registration a = listen_to("mpi2dd_message_sent", NULL, on_other, &n),
					 b = listen_to("mpi2dd_comm_created", NULL, on_other, &n),
					 c = listen_to("mpi2dd_request_completed", NULL, on_other, &n);
		MPI_T_pvar_handle h;
		int index, count;
		uint64_t value;
		if (MPI_T_pvar_get_index("mpi2dd_messages_sent", MPI_T_PVAR_CLASS_COUNTER, &index) == MPI_SUCCESS &&
		    MPI_T_pvar_handle_alloc(session, index, &comms[1], &h, &count) == MPI_SUCCESS) {
			MPI_T_pvar_start(session, h);
			MPI_T_pvar_read(session, h, &value);
			MPI_T_pvar_stop(session, h);
			MPI_T_pvar_handle_free(session, &h);
		}
		MPI_T_event_handle_free(b, NULL, NULL);
		MPI_T_event_handle_free(a, NULL, NULL);
		MPI_T_event_handle_free(c, NULL, NULL);
	}
	MPI_T_pvar_session_free(&session);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS], meddler;
	MPI_T_pvar_session session;
	MPI_T_pvar_handle sent;
	int level, provided, index, count;
	uint64_t value = 0;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	if (level != MPI_THREAD_MULTIPLE) {
		puts("skip: no MPI_THREAD_MULTIPLE");
		return 77;
	}
	MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided);
	for (int i = 0; i < THREADS; i++)
		MPI_Comm_dup(MPI_COMM_SELF, &comms[i]);
	lasting[0] = listen_to("mpi2dd_message_sent", NULL, on_message, &n_sent);
	lasting[1] = listen_to("mpi2dd_message_received", NULL, on_message, &n_received);
	lasting[2] = listen_to("mpi2dd_comm_created", NULL, on_ordered, &n_created);
	lasting[3] = listen_to("mpi2dd_comm_freed", &comms[0], on_ordered, &n_freed);
	MPI_T_event_registration collectives = listen_to("mpi2dd_collective_entered", &comms[0], on_other, &n_of_first);
	MPI_T_event_set_dropped_handler(lasting[2], on_lost);
	MPI_T_pvar_session_create(&session);
	rule("own.pvar",
	     MPI_T_pvar_get_index("mpi2dd_messages_sent", MPI_T_PVAR_CLASS_COUNTER, &index) == MPI_SUCCESS &&
		     MPI_T_pvar_handle_alloc(session, index, &comms[0], &sent, &count) == MPI_SUCCESS &&
		     MPI_T_pvar_start(session, sent) == MPI_SUCCESS,
	     "mpi2dd_messages_sent");
	pthread_create(&meddler, NULL, meddle, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, (void *)(intptr_t)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	__atomic_store_n(&done, 1, __ATOMIC_RELEASE);
	pthread_join(meddler, NULL);

	rule("own.threads", n_sent == THREADS * TURNS, "not an event for each message sent");
	rule("own.threads", n_received == THREADS * TURNS, "not an event for each message received");
	rule("own.threads", n_bytes == 2L * THREADS * TURNS * BYTES, "other bytes");
	rule("own.threads", n_of_first == 2 * COMMS, /* barriers, and communicators made */
	     "not the collectives of one communicator");
	rule("own.threads", n_created + n_lost == THREADS * COMMS, "communicators made are neither told nor lost");
	rule("own.threads", n_created > THREADS * COMMS / 2, "most communicators made are lost");
	rule("001.3", overlaps == 0 && backwards == 0, "an ordered source that is not");
	rule("own.pvar", MPI_T_pvar_read(session, sent, &value) == MPI_SUCCESS && value == TURNS,
	     "messages of one communicator");
	MPI_Comm_free(&comms[0]);
	rule("own.threads", n_freed == 1, "the communicator that was freed");
	MPI_T_event_handle_free(collectives, NULL, NULL);
	MPI_T_pvar_session_free(&session);
	printf("created %ld lost %ld sent %ld received %ld\n", n_created, n_lost, n_sent, n_received);
	MPI_T_finalize();
	MPI_Finalize();
	return n_bad != 0;
}
