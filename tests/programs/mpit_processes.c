/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpit_processes spawn|abort FILE: the events of processes that are spawned, and of MPI_Abort. Prints a line per rule;
 * with "abort" it writes them to FILE and ends by MPI_Abort with 7.
 */
#include "mpit_common.h"

static int seen[2];
static uint64_t comm_seen;

static void on_event(MPI_T_event_instance i, MPI_T_event_registration r, MPI_T_cb_safety s, void *user)
{
	int n = -1;

	(void)r;
	(void)s;
	MPI_T_event_read(i, 0, &n);
	if (user == &seen[0]) {
		seen[0] = n;
		MPI_T_event_read(i, 1, &comm_seen);
	} else {
		rule("own.abort", n == 7, "another code");
	}
}

static void listen_to(const char *name, void *user)
{
	MPI_T_event_registration r = NULL;
	int index = -1;

	rule("own.listen",
	     MPI_T_event_get_index(name, &index) == MPI_SUCCESS &&
		     MPI_T_event_handle_alloc(index, NULL, MPI_INFO_NULL, &r) == MPI_SUCCESS &&
		     MPI_T_event_register_callback(r, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, user, on_event) ==
			     MPI_SUCCESS,
	     name);
}

int main(int argc, char **argv)
{
	MPI_Comm parent, children;
	int provided;

	MPI_Init(&argc, &argv);
	MPI_Comm_get_parent(&parent);
	if (parent != MPI_COMM_NULL) {
		MPI_Comm_disconnect(&parent);
		MPI_Finalize();
		return 0;
	}
	MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
	if (argc > 2 && strcmp(argv[1], "abort") == 0) {
		if (!freopen(argv[2], "w", stdout))
			MPI_Abort(MPI_COMM_WORLD, 3);
		listen_to("mpi2dd_abort", &seen[1]);
		MPI_Abort(MPI_COMM_WORLD, 7);
	}
	listen_to("mpi2dd_processes_spawned", &seen[0]);
	MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_SELF, &children, MPI_ERRCODES_IGNORE);
	rule("own.spawned", seen[0] == 2, "not two processes");
	rule("own.spawned", memcmp(&comm_seen, &children, sizeof children) == 0, "another communicator");
	MPI_Comm_disconnect(&children);
	MPI_T_finalize();
	MPI_Finalize();
	return n_bad != 0;
}
