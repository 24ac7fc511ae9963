/* SPDX-License-Identifier: BSD-3-Clause */
/* printed: variables of handle types for GDB, at printed_here() and printed_again(); then it aborts with code 5. */
#include <mpi.h>

struct both {
	MPI_Comm comm;
	MPI_Datatype type;
} both; /* global: the compiler keeps it in memory */

void printed_here(void), printed_again(void);

__attribute__((noinline)) void printed_here(void)
{
	__asm__ volatile("" ::: "memory");
}

int main(int argc, char **argv)
{
	MPI_Comm workers, copy;
	MPI_Datatype column, record;
	MPI_Request requests[2] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL };
	MPI_Status status;
	int lengths[2] = { 1, 2 }, number = 7, answer = 0;
	volatile int fortran;
	MPI_Aint places[2] = { 0, 16 };
	MPI_Datatype types[2] = { MPI_CHAR, MPI_DOUBLE };

	MPI_Init(&argc, &argv);
	MPI_Comm_dup(MPI_COMM_WORLD, &workers);
	MPI_Comm_set_name(workers, "workers");
	MPI_Comm_dup(MPI_COMM_SELF, &copy);
	MPI_Type_vector(2, 1, 3, MPI_INT, &column);
	MPI_Type_commit(&column);
	MPI_Type_create_struct(2, lengths, places, types, &record);
	both.comm = workers;
	both.type = record;
	MPI_Sendrecv(&number, 1, MPI_INT, 0, 3, &answer, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF,
		     &status);
	MPI_Irecv(&answer, 1, MPI_INT, 0, 5, workers, &requests[0]);
	fortran = (int)MPI_Comm_c2f(workers);
	printed_here();
	/* complete at once: both libraries have one request for all of these */
	MPI_Request same[2];
	MPI_Irecv(&answer, 1, MPI_INT, MPI_PROC_NULL, 6, workers, &same[0]);
	MPI_Irecv(&answer, 1, MPI_INT, MPI_PROC_NULL, 7, workers, &same[1]);
	printed_again();
	MPI_Comm_free(&copy);
	MPI_Abort(both.comm, 5 + 0 * fortran);
}

__attribute__((noinline)) void printed_again(void)
{
	__asm__ volatile("" ::: "memory");
}
