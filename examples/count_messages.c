/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * count_messages: a tool that counts the messages of a program by events of MPI_T. Each process prints its count at
 * the end.
 *   mpirun -n 4 -x LD_PRELOAD="libmpi2dd-openmpi.so libcount_messages-openmpi.so" ./program
 */
#include <mpi.h>
#include <mpi2dd_mpit.h>
#include <stdint.h>
#include <stdio.h>

static unsigned long long messages[2], bytes[2];
static const char *const names[2] = { "mpi2dd_message_sent", "mpi2dd_message_received" };

static void count(MPI_T_event_instance event, MPI_T_event_registration from, MPI_T_cb_safety safety, void *which)
{
	uint64_t n = 0;

	(void)from, (void)safety;
	MPI_T_event_read(event, 2, &n); /* peer, tag, bytes, communicator, function */
	__atomic_add_fetch(&messages[which == &names[1]], 1, __ATOMIC_RELAXED);
	if (n != ~0ULL) /* not known: of a partitioned send */
		__atomic_add_fetch(&bytes[which == &names[1]], n, __ATOMIC_RELAXED);
}

__attribute__((constructor)) static void begin(void) /* MPI_T may be used before MPI_Init */
{
	MPI_T_event_registration r;
	int index, provided;

	MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided);
	for (int i = 0; i < 2; i++)
		if (MPI_T_event_get_index(names[i], &index) == MPI_SUCCESS &&
		    MPI_T_event_handle_alloc(index, NULL, MPI_INFO_NULL, &r) == MPI_SUCCESS)
			MPI_T_event_register_callback(r, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, (void *)&names[i],
						      count);
}

__attribute__((destructor)) static void end(void)
{
	fprintf(stderr, "count_messages: sent %llu messages, %llu bytes; received %llu messages, %llu bytes\n",
		messages[0], bytes[0], messages[1], bytes[1]);
}
