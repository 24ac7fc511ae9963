/* SPDX-License-Identifier: BSD-3-Clause */
/* 1 process: calls that fail, so that arguments_seen() is called from within them. */
#include <mpi.h>

static int in[8], out[8], n_seen;

__attribute__((noinline)) static void arguments_seen(void)
{
	__asm__ volatile("" : : : "memory");
	n_seen++;
}

static void of_comm(MPI_Comm *comm, int *code, ...)
{
	(void)comm, (void)code;
	arguments_seen();
}

static void of_win(MPI_Win *win, int *code, ...)
{
	(void)win, (void)code;
	arguments_seen();
}

int main(int argc, char **argv)
{
	MPI_Errhandler e, f;
	MPI_Comm comm;
	MPI_Win win;
	int *memory;

	MPI_Init(&argc, &argv);
	MPI_Comm_dup(MPI_COMM_SELF, &comm);
	MPI_Comm_create_errhandler(of_comm, &e);
	MPI_Comm_set_errhandler(comm, e);
	MPI_Win_allocate(sizeof(in), 1, MPI_INFO_NULL, comm, &memory, &win);
	MPI_Win_create_errhandler(of_win, &f);
	MPI_Win_set_errhandler(win, f);
	MPI_Win_lock_all(0, win);
	MPI_Sendrecv(out, 7, MPI_INT, MPI_PROC_NULL, 5, in, 6, MPI_DATATYPE_NULL, MPI_ANY_SOURCE, MPI_ANY_TAG, comm,
		     MPI_STATUS_IGNORE);
	MPI_Scatter(out, 3, MPI_INT, in, -4, MPI_INT, 0, comm);
	MPI_Get_accumulate(out, 1, MPI_CHAR, in, 2, MPI_INT, 1000, 3, 2, MPI_INT, MPI_NO_OP, win);
	MPI_Get_accumulate(out, 1, MPI_INT, in, 1, MPI_INT, 1000, 4, 1, MPI_INT, MPI_SUM, win);
	return n_seen != 4;
}
