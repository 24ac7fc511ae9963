/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Objects of a program of the standard ABI whose constants or handles differ from those of libmpi, then a hang: each of
 * two ranks receives from the other, with another tag than MPI_ANY_TAG pending in a request.
 *
 * Each rank writes $TRUTH_DIR/truth.RANK.json: its process id, and the values of its handles.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { TAG = 11 };

int MPI_Comm_toint(MPI_Comm comm); /* of MPI 5.0 */

static void write_truth(int rank, MPI_Comm grid, MPI_Datatype column, MPI_Request request)
{
	char path[4096], made[4096];
	const char *dir = getenv("TRUTH_DIR");

	snprintf(path, sizeof(path), "%s/truth.%d.json", dir ? dir : ".", rank);
	snprintf(made, sizeof(made), "%s/making.%d", dir ? dir : ".", rank);
	FILE *f = fopen(made, "w");
	if (!f ||
	    fprintf(f,
		    "{\"pid\": %ld, \"fortran\": \"fortran:%d\", \"grid\": \"0x%jx\", \"column\": \"0x%jx\", "
		    "\"request\": \"0x%jx\"}\n",
		    (long)getpid(), MPI_Comm_toint(grid), (uintmax_t)(uintptr_t)grid, (uintmax_t)(uintptr_t)column,
		    (uintmax_t)(uintptr_t)request) < 0 ||
	    fclose(f) || rename(made, path)) {
		perror(path);
		MPI_Abort(MPI_COMM_WORLD, 9);
	}
}

int main(int argc, char **argv)
{
	int rank, size, dims[] = { 2 }, periods[] = { 1 }, wild, value;
	MPI_Request request;
	MPI_Datatype column;
	MPI_Comm grid;
	MPI_Win win;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &grid);
	MPI_Comm_set_name(grid, "grid");
	MPI_Type_vector(3, 1, 5, MPI_DOUBLE, &column);
	MPI_Type_set_name(column, "column");
	MPI_Type_commit(&column);
	MPI_Win_create(&wild, sizeof(wild), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_set_name(win, "window");
	MPI_Irecv(&wild, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, grid, &request);
	write_truth(rank, grid, column, request);
	MPI_Recv(&value, 1, MPI_INT, (rank + 1) % size, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
