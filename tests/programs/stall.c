/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stall SECONDS TURNS [FIFO]: two ranks; rank 1 is outside of MPI for SECONDS before each of TURNS messages, before the
 * first one until somebody opens FIFO for writing, when it is named; rank 0 waits for them in MPI_Recv. Rank 0 listens
 * for mpi2dd_stall, where there is one, and says at its end what it has heard:
 *
 *     stalls 2, 2 in another thread, 2 at level 2, 2 in MPI_Recv, 2 after 1 s or more, 0 wrong
 *
 * With MPI2DD_BREAKPOINTS in the environment each rank says how often MPI2DD_breakpoint was called with the state HANG.
 */
#include "event_trap.h"

#include <mpi.h>

#include "../../include/mpi2dd.h"
#include "../../include/mpi2dd_mpit.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#pragma weak MPI_T_event_get_index
#pragma weak MPI_T_event_handle_alloc
#pragma weak MPI_T_event_register_callback
#pragma weak MPI_T_event_read

static struct {
	int n, n_elsewhere, n_level, n_receive, n_long, n_wrong;
} heard;
#define COUNT(member, more) __atomic_add_fetch(&heard.member, more, __ATOMIC_RELAXED)
#define COUNTED(member)     __atomic_load_n(&heard.member, __ATOMIC_RELAXED)
static pthread_t main_thread;
static uint32_t receive_call;

static void listen(MPI_T_event_instance event, MPI_T_event_registration registration, MPI_T_cb_safety level, void *data)
{
	int call = -1, seconds = -1;

	(void)registration;
	if (MPI_T_event_read(event, 0, &call) || MPI_T_event_read(event, 1, &seconds) || data != &heard)
		COUNT(n_wrong, 1);
	/* calls of the callback's own, in the thread of the library, are not the program going on */
	COUNT(n_wrong, MPI_Comm_set_name(MPI_COMM_SELF, "self") != MPI_SUCCESS);
	COUNT(n, 1);
	COUNT(n_elsewhere, !pthread_equal(pthread_self(), main_thread));
	COUNT(n_level, level == MPI_T_CB_REQUIRE_THREAD_SAFE);
	COUNT(n_receive, (uint32_t)call == receive_call);
	COUNT(n_long, seconds >= 1);
}

/* The number of MPI_Recv: errors are told with it. */
static void learn_number(MPI_T_event_instance event, MPI_T_event_registration registration, MPI_T_cb_safety level,
			 void *data)
{
	(void)registration;
	(void)level;
	MPI_T_event_read(event, 0, data);
}

static void prepare(void)
{
	MPI_T_event_registration stalls, errors;
	int index, level, none = 0;

	main_thread = pthread_self();
	if (!MPI_T_event_get_index || MPI_T_init_thread(MPI_THREAD_MULTIPLE, &level) ||
	    MPI_T_event_get_index("mpi2dd_error_returned", &index) ||
	    MPI_T_event_handle_alloc(index, NULL, MPI_INFO_NULL, &errors) ||
	    MPI_T_event_register_callback(errors, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, &receive_call, learn_number))
		return;
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Recv(&none, 1, MPI_INT, 1 << 20, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	/* a callback that may only run where anything is allowed hears nothing of a watchdog */
	if (MPI_T_event_get_index("mpi2dd_stall", &index) ||
	    MPI_T_event_handle_alloc(index, NULL, MPI_INFO_NULL, &stalls) ||
	    MPI_T_event_register_callback(stalls, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, NULL, listen) ||
	    MPI_T_event_register_callback(stalls, MPI_T_CB_REQUIRE_THREAD_SAFE, MPI_INFO_NULL, &heard, listen))
		COUNT(n_wrong, 1);
}

static int hang_breakpoints(void)
{
	char needle[32];
	int n = 0;

	snprintf(needle, sizeof(needle), "\"state\": %d", MPI2DD_DEBUG_HANG);
	for (const char *p = event_text.text; event_text.n && (p = strstr(p, needle)); p++)
		n++;
	return n;
}

/* Blocked in one system call: a loop that looks for a file would be found running now and then. */
static void await_writer(const char *fifo)
{
	int fd = open(fifo, O_RDONLY);

	if (fd < 0)
		exit(9);
	close(fd);
}

int main(int argc, char **argv)
{
	int rank, seconds = argc > 1 ? atoi(argv[1]) : 1, turns = argc > 2 ? atoi(argv[2]) : 1, word = 0;

	alarm(120);
	if (getenv("MPI2DD_BREAKPOINTS"))
		event_trap_set();
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0)
		prepare();
	for (int i = 0; i < turns; i++) {
		if (rank == 1) {
			if (i == 0 && argc > 3)
				await_writer(argv[3]);
			else
				sleep((unsigned)seconds);
			MPI_Send(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
		} else if (rank == 0) {
			MPI_Recv(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		}
	}
	if (rank == 0)
		printf("stalls %d, %d in another thread, %d at level %d, %d in MPI_Recv, %d after 1 s or more, %d "
		       "wrong\n",
		       COUNTED(n), COUNTED(n_elsewhere), COUNTED(n_level), (int)MPI_T_CB_REQUIRE_THREAD_SAFE,
		       COUNTED(n_receive), COUNTED(n_long), COUNTED(n_wrong));
	if (getenv("MPI2DD_BREAKPOINTS"))
		printf("rank %d: %d hangs at MPI2DD_breakpoint\n", rank, hang_breakpoints());
	MPI_Finalize();
	return 0;
}
