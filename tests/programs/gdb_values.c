/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Variables of every handle type, for a debugger to print at values_here(): predefined, of the program, null, freed,
 * never existing; in structures, arrays, behind typedefs, and in 50 frames of 4 handles each. Run with one process.
 * What it did is in tests/gdb/values*.expected, line for line.
 */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 50 };

typedef MPI_Comm library_comm;
typedef library_comm solver_comm; /* a typedef of a typedef */

struct solver {
	const solver_comm comm;
	MPI_Datatype row, column;
	MPI_Request halo[2];
};

void values_here(void);
void keep(void *p);

/* Keeps its argument in memory. */
__attribute__((noinline)) void keep(void *p)
{
	__asm__ volatile("" : : "r"(p) : "memory");
}

__attribute__((noinline)) void values_here(void)
{
	__asm__ volatile("" ::: "memory");
}

static void sum(void *in, void *inout, int *n, MPI_Datatype *type)
{
	(void)in, (void)inout, (void)n, (void)type;
}

static void on_error(MPI_Comm *comm, int *code, ...)
{
	(void)comm, (void)code;
}

static MPI_Comm pool[DEPTH];

/* Handles in every frame of a deep stack. */
__attribute__((noinline)) static void deep(int n, MPI_Comm outer)
{
	MPI_Comm comm = pool[n - 1];
	MPI_Datatype type = n % 2 ? MPI_INT : MPI_DOUBLE;
	MPI_Request request = MPI_REQUEST_NULL;
	MPI_Op op = MPI_SUM;

	keep(&comm);
	keep(&type);
	keep(&request);
	keep(&op);
	if (n > 1)
		deep(n - 1, comm);
	else
		values_here();
	keep(&comm);
	keep(&outer);
}

__attribute__((noinline)) static void objects(const char *path)
{
	MPI_Comm world = MPI_COMM_WORLD, no_comm = MPI_COMM_NULL, grid, freed, stale, never;
	int dims[2] = { 1, 1 }, periods[2] = { 0, 1 }, number = 7, answer = 0, message_flag = 0, bytes[4] = { 0 };
	MPI_Group group, no_group = MPI_GROUP_NULL, empty = MPI_GROUP_EMPTY;
	MPI_Datatype column, row, record, no_type = MPI_DATATYPE_NULL;
	MPI_Request pending, persistent, none = MPI_REQUEST_NULL;
	MPI_Status status;
	MPI_Op add, max = MPI_MAX;
	MPI_Info info, no_info = MPI_INFO_NULL;
	MPI_Errhandler handler, fatal = MPI_ERRORS_ARE_FATAL;
	MPI_Win win;
	MPI_File file, no_file = MPI_FILE_NULL;
	MPI_Message message;

	MPI_Cart_create(world, 2, dims, periods, 0, &grid);
	MPI_Comm_set_name(grid, "grid");
	MPI_Comm_dup(world, &freed);
	MPI_Comm_set_name(freed, "scratch");
	stale = freed;
	MPI_Comm_free(&freed);
	/* A value that no call ever returned. */
	memset(&never, 0x5a, sizeof(never));
	MPI_Comm_group(world, &group);
	MPI_Type_vector(2, 1, 3, MPI_INT, &column);
	MPI_Type_commit(&column);
	MPI_Type_set_name(column, "column");
	MPI_Type_contiguous(3, MPI_INT, &row);
	MPI_Type_commit(&row);
	MPI_Type_contiguous(5, MPI_DOUBLE, &record);
	MPI_Recv_init(&answer, 1, MPI_INT, 0, 11, grid, &persistent);
	MPI_Irecv(bytes, 4, MPI_INT, MPI_ANY_SOURCE, 12, grid, &pending);
	MPI_Sendrecv(&number, 1, MPI_INT, 0, 3, &answer, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF,
		     &status);
	MPI_Op_create(sum, 1, &add);
	MPI_Info_create(&info);
	MPI_Info_set(info, "no_locks", "true");
	MPI_Comm_create_errhandler(on_error, &handler);
	MPI_Win_create(bytes, sizeof(bytes), 4, MPI_INFO_NULL, world, &win);
	if (MPI_File_open(world, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
			  &file)) {
		fprintf(stderr, "%s: cannot be opened\n", path);
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	MPI_Request sent;
	MPI_Isend(&number, 1, MPI_INT, 0, 13, MPI_COMM_SELF, &sent);
	while (!message_flag)
		MPI_Improbe(0, 13, MPI_COMM_SELF, &message_flag, &message, MPI_STATUS_IGNORE);

	struct solver solver = { grid, row, column, { pending, MPI_REQUEST_NULL } };
	solver_comm library[2] = { grid, MPI_COMM_SELF };
	for (int i = 0; i < DEPTH; i++)
		MPI_Comm_dup(world, &pool[i]);

	void *const all[] = { &world,   &no_comm, &grid,   &freed,   &stale,   &never,      &group, &no_group,
			      &empty,   &column,  &record, &no_type, &pending, &persistent, &none,  &status,
			      &add,     &max,     &info,   &no_info, &handler, &fatal,      &win,   &file,
			      &no_file, &message, &solver, library,  &row };
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		keep(all[i]);
	values_here(); /* everything is alive */
	deep(DEPTH, grid);
	MPI_Mrecv(&answer, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
	MPI_Wait(&sent, MPI_STATUS_IGNORE);
	MPI_Cancel(&pending);
	MPI_Wait(&pending, MPI_STATUS_IGNORE);
	keep(&solver);
	values_here(); /* the request that solver.halo[0] still names is over */
	MPI_File_close(&file);
	MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	objects(argc > 1 ? argv[1] : "gdb_values.data");
	MPI_Finalize();
	return EXIT_SUCCESS;
}
