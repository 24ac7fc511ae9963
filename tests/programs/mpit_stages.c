/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_T at stages of a program's life, one rank; which one is in the environment variable MPIT_STAGE:
 *   early    MPI_T is started, MPI is not yet
 *   late     MPI has ended, MPI_T has not
 *   counts   messages are counted, and nothing has been refreshed since
 *   stopped  they were, and no handle is started any more
 * Says what it knows, a line each, "value NAME JSON" or "objects NAME JSON" (an array of the values of all objects),
 * then "ready PID", and waits.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N_MESSAGES = 5, BYTES = 12, N_DUPS = 3, N_HANDLES = 8, LIFE_S = 300 };

static MPI_T_pvar_session session;
static MPI_T_pvar_handle handles[N_HANDLES];
static int n_handles;

static void set_own(int value)
{
	MPI_T_cvar_handle handle;
	int index, count;

	if (MPI_T_cvar_get_index("MPI2DD_TRACK_FREED", &index) ||
	    MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) || MPI_T_cvar_write(handle, &value))
		exit(3);
	MPI_T_cvar_handle_free(&handle);
	printf("value MPI2DD_TRACK_FREED %d\n", value);
}

static void read_own(const char *name)
{
	MPI_T_cvar_handle handle;
	int index, count, value;

	if (MPI_T_cvar_get_index(name, &index) || MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) ||
	    MPI_T_cvar_read(handle, &value))
		exit(6);
	MPI_T_cvar_handle_free(&handle);
	printf("value %s %d\n", name, value);
}

/* The first number of the MPI library's that can be read. */
static void read_one_of_host(void)
{
	int n, value, len, bind, count;
	MPI_T_cvar_handle handle;
	MPI_Datatype type;
	char name[256];

	MPI_T_cvar_get_num(&n);
	for (int i = 0; i < n; i++) {
		len = sizeof(name);
		if (MPI_T_cvar_get_info(i, name, &len, NULL, &type, NULL, NULL, NULL, &bind, NULL) || type != MPI_INT ||
		    bind != MPI_T_BIND_NO_OBJECT || !strncmp(name, "MPI2DD", 6) ||
		    MPI_T_cvar_handle_alloc(i, NULL, &handle, &count))
			continue;
		if (count == 1 && MPI_T_cvar_read(handle, &value) == MPI_SUCCESS) {
			printf("value %s %d\n", name, value);
			return;
		}
	}
	exit(4);
}

/* A handle of a performance variable, started if possible. @return its value */
static unsigned long long start(const char *name, int class, MPI_Comm *comm)
{
	int index, count;
	union {
		unsigned long long number;
		double real;
	} value = { 0 };

	if (MPI_T_pvar_get_index(name, class, &index) ||
	    MPI_T_pvar_handle_alloc(session, index, comm, &handles[n_handles], &count))
		exit(5);
	MPI_T_pvar_start(session, handles[n_handles]);
	MPI_T_pvar_read(session, handles[n_handles++], &value);
	return value.number;
}

static void send_to_self(MPI_Comm comm)
{
	char in[BYTES], out[BYTES] = "";
	MPI_Status statuses[2];
	MPI_Request r[2];

	MPI_Irecv(in, BYTES, MPI_CHAR, 0, 0, comm, &r[0]);
	MPI_Isend(out, BYTES, MPI_CHAR, 0, 0, comm, &r[1]);
	MPI_Waitall(2, r, statuses);
}

static void count(int stop)
{
	MPI_Comm comm, freed, more[N_DUPS];

	MPI_T_pvar_session_create(&session);
	unsigned long long live = start("mpi2dd_live_comm", MPI_T_PVAR_CLASS_LEVEL, NULL);
	MPI_Comm_dup(MPI_COMM_SELF, &comm);
	MPI_Comm_dup(MPI_COMM_SELF, &freed);
	for (int i = 0; i < N_DUPS; i++)
		MPI_Comm_dup(MPI_COMM_SELF, &more[i]);
	start("mpi2dd_messages_sent", MPI_T_PVAR_CLASS_COUNTER, &comm);
	start("mpi2dd_bytes_sent", MPI_T_PVAR_CLASS_AGGREGATE, &comm);
	start("mpi2dd_messages_sent", MPI_T_PVAR_CLASS_COUNTER, &freed);
	start("mpi2dd_requests_started", MPI_T_PVAR_CLASS_COUNTER, NULL);
	start("mpi2dd_time_in_mpi", MPI_T_PVAR_CLASS_TIMER, NULL);
	send_to_self(freed);
	MPI_Comm_free(&freed);
	for (int i = 0; i < N_MESSAGES; i++)
		send_to_self(comm);
	/* one whose communicator is gone cannot be stopped */
	if (stop)
		for (int i = 0; i < n_handles; i++)
			MPI_T_pvar_handle_free(session, &handles[i]);
	else
		printf("objects mpi2dd_messages_sent [%d]\nobjects mpi2dd_bytes_sent [%d]\n"
		       "value mpi2dd_requests_started %d\n",
		       N_MESSAGES, N_MESSAGES * BYTES, 2 * (N_MESSAGES + 1));
	printf("value mpi2dd_live_comm %llu\nvalue mpi2dd_dropped_comm 0\n", live + N_DUPS + 1);
}

int main(int argc, char **argv)
{
	const char *stage = getenv("MPIT_STAGE");
	int provided;

	alarm(LIFE_S); /* without MPI nobody ends it when the test has failed */
	if (!stage || MPI_T_init_thread(MPI_THREAD_SINGLE, &provided))
		return 2;
	if (strcmp(stage, "early") == 0)
		read_one_of_host();
	else
		MPI_Init(&argc, &argv);
	if (strcmp(stage, "counts") == 0 || strcmp(stage, "stopped") == 0)
		count(strcmp(stage, "stopped") == 0);
	if (strcmp(stage, "late") == 0) {
		read_one_of_host();
		MPI_Finalize();
	}
	set_own(4711);
	read_own("MPI2DD_TRACK_COMM");
	read_own("MPI2DD_TRACK_WHERE");
	printf("ready %d\n", (int)getpid());
	fflush(stdout);
	for (;;)
		pause();
}
