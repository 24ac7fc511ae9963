/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Usage: mpit_cost
 * Nanoseconds, the smallest of many chunks; one process, with
 * and without the in-target library for bench/run to compare:
 *
 *   unheard    raising an event without listeners: what the library does before it looks for listeners
 *   barrier    MPI_Barrier alone; heard: with one callback that counts (entered), the library only
 *   cvar       reading a control variable of the MPI library's; own_cvar: of the in-target library's
 *   pvar       reading a performance variable of the MPI library's; own_pvar
 */
#include <mpi.h>

#include "../include/mpi2dd_mpit.h"
#include "../mpi2dd/mpit/event.h"

#include <stdio.h>
#include <string.h>

#pragma weak MPI_T_event_get_index
#pragma weak MPI_T_event_handle_alloc
#pragma weak MPI_T_event_register_callback

enum { CHUNKS = 200, ROUNDS = 2000 };

/* Declared in event.h: no listeners. */
int mpit_n_listeners[MPIT_N_EVENTS];
static long n_raised;
void mpit_raise(enum mpit_event event, MPI_T_cb_safety context, uint64_t object, const uint64_t *values)
{
	(void)event, (void)context, (void)object;
	n_raised += (long)values[0];
}

static void smallest(const char *name, double (*chunk)(void))
{
	double best = 1e9;

	for (int i = 0; i < CHUNKS; i++) {
		double ns = chunk();
		best = ns < best ? ns : best;
	}
	printf("%s %.2f\n", name, best);
	fflush(stdout);
}

/* The cost of the loop itself is subtracted. */
static double loop(bool raising)
{
	enum { TURNS = 1000000 };
	double start = MPI_Wtime();

	for (int i = 0; i < TURNS; i++) {
		__asm__ volatile("" : : "r"(i) : "memory");
		if (raising && mpit_has_listener(MPIT_EVENT_MESSAGE_SENT))
			mpit_raise(MPIT_EVENT_MESSAGE_SENT, MPI_T_CB_REQUIRE_NONE, 0,
				   (const uint64_t[]){ (uint64_t)i });
	}
	return (MPI_Wtime() - start) * 1e9 / TURNS;
}

static void unheard(void)
{
	double with = 1e9, without = 1e9;

	for (int i = 0; i < 20; i++) {
		double a = loop(true), b = loop(false);
		with = a < with ? a : with;
		without = b < without ? b : without;
	}
	printf("unheard %.2f\n", with > without ? with - without : 0);
}

static double barrier_chunk(void)
{
	double start = MPI_Wtime();

	for (int i = 0; i < ROUNDS; i++)
		MPI_Barrier(MPI_COMM_SELF);
	return (MPI_Wtime() - start) * 1e9 / ROUNDS;
}

static long n_heard;

static void hear(MPI_T_event_instance i, MPI_T_event_registration r, MPI_T_cb_safety s, void *user)
{
	(void)i, (void)r, (void)s, (void)user;
	n_heard++;
}

static void events(void)
{
	MPI_T_event_registration r;
	MPI_Comm self = MPI_COMM_SELF;
	int index;

	smallest("barrier", barrier_chunk);
	if (!MPI_T_event_get_index || MPI_T_event_get_index("mpi2dd_collective_entered", &index) != MPI_SUCCESS ||
	    MPI_T_event_handle_alloc(index, &self, MPI_INFO_NULL, &r) != MPI_SUCCESS ||
	    MPI_T_event_register_callback(r, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, NULL, hear) != MPI_SUCCESS)
		return;
	smallest("heard", barrier_chunk);
}

static MPI_T_cvar_handle cvar;
static MPI_T_pvar_session session;
static MPI_T_pvar_handle pvar;
static char room[65536];

static double cvar_chunk(void)
{
	double start = MPI_Wtime();

	for (int i = 0; i < ROUNDS; i++)
		MPI_T_cvar_read(cvar, room);
	return (MPI_Wtime() - start) * 1e9 / ROUNDS;
}

static double pvar_chunk(void)
{
	double start = MPI_Wtime();

	for (int i = 0; i < ROUNDS; i++)
		MPI_T_pvar_read(session, pvar, room);
	return (MPI_Wtime() - start) * 1e9 / ROUNDS;
}

static bool is_own(const char *name)
{
	return strncmp(name, "MPI2DD", 6) == 0 || strncmp(name, "mpi2dd", 6) == 0;
}

/* Finds the first readable number, of the in-target library or of the MPI library. */
static void cvars(bool own)
{
	int n = 0, count;

	MPI_T_cvar_get_num(&n);
	for (int i = 0; i < n; i++) {
		char name[256];
		int length = sizeof name, bind;
		MPI_Datatype type;
		if (MPI_T_cvar_get_info(i, name, &length, NULL, &type, NULL, NULL, NULL, &bind, NULL) != MPI_SUCCESS ||
		    is_own(name) != own || type != MPI_INT || bind != MPI_T_BIND_NO_OBJECT ||
		    MPI_T_cvar_handle_alloc(i, NULL, &cvar, &count) != MPI_SUCCESS)
			continue;
		if (count == 1 && MPI_T_cvar_read(cvar, room) == MPI_SUCCESS) {
			smallest(own ? "own_cvar" : "cvar", cvar_chunk);
			return;
		}
	}
}

static void pvars(bool own)
{
	int n = 0, count;

	MPI_T_pvar_get_num(&n);
	for (int i = 0; i < n; i++) {
		char name[256];
		int length = sizeof name, bind, continuous, class;
		if (MPI_T_pvar_get_info(i, name, &length, NULL, &class, NULL, NULL, NULL, NULL, &bind, NULL,
					&continuous, NULL) != MPI_SUCCESS ||
		    is_own(name) != own || bind != MPI_T_BIND_NO_OBJECT ||
		    MPI_T_pvar_handle_alloc(session, i, NULL, &pvar, &count) != MPI_SUCCESS)
			continue;
		if (!continuous)
			MPI_T_pvar_start(session, pvar);
		if ((size_t)count * 8 <= sizeof room && MPI_T_pvar_read(session, pvar, room) == MPI_SUCCESS) {
			smallest(own ? "own_pvar" : "pvar", pvar_chunk);
			return;
		}
	}
}

int main(int argc, char **argv)
{
	int provided;

	MPI_Init(&argc, &argv);
	MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
	MPI_T_pvar_session_create(&session);
	unheard();
	events();
	cvars(false);
	cvars(true);
	pvars(false);
	pvars(true);
	MPI_Finalize();
	return n_raised != 0;
}
