/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Usage: leaks FILE, 1 process, with the in-target library and MPI2DD_TRACK_WHERE=3
 *        leaks finalize, any number of processes: ends
 * Makes objects that it does not free, in places that it knows, and others that it does.
 */
#include "answers.h"

#include <string.h>

static int line_dup, line_types, line_info, line_request, line_wrapped;

/* 7 communicators in one place */
static __attribute__((noinline)) void leave_comms(void)
{
	MPI_Comm c;

	for (int i = 0; i < 7; i++) {
		line_dup = __LINE__ + 1;
		MPI_Comm_dup(MPI_COMM_WORLD, &c);
	}
	MPI_Comm_dup(MPI_COMM_SELF, &c);
	MPI_Comm_free(&c);
}

/* 4 datatypes in one place, one of which is freed */
static __attribute__((noinline)) void leave_types(void)
{
	MPI_Datatype t = MPI_DATATYPE_NULL;

	for (int i = 0; i < 4; i++) {
		line_types = __LINE__ + 1;
		MPI_Type_contiguous(i + 1, MPI_INT, &t);
	}
	MPI_Type_free(&t);
	/* of the standard: nobody may free it */
	MPI_Type_create_f90_integer(4, &t);
}

static int in[8];
static MPI_Request requests[8];

static __attribute__((noinline)) void leave_requests(void)
{
	for (int i = 0; i < 5; i++) {
		line_request = __LINE__ + 1;
		MPI_Irecv(&in[i], 1, MPI_INT, 0, i, MPI_COMM_SELF, &requests[i]);
	}
	/* freed while active, and completed: neither is left */
	MPI_Irecv(&in[5], 1, MPI_INT, 0, 50, MPI_COMM_SELF, &requests[5]);
	MPI_Request_free(&requests[5]);
	MPI_Irecv(&in[6], 1, MPI_INT, 0, 60, MPI_COMM_SELF, &requests[6]);
	MPI_Send(&in[7], 1, MPI_INT, 0, 60, MPI_COMM_SELF);
	MPI_Wait(&requests[6], MPI_STATUS_IGNORE);
}

static __attribute__((noinline)) void make_info(MPI_Info *ret)
{
	line_info = __LINE__ + 1;
	MPI_Info_create(ret);
	__asm__ volatile("" ::: "memory");
}

static __attribute__((noinline)) void leave_infos(void)
{
	MPI_Info one, two;

	line_wrapped = __LINE__ + 1;
	make_info(&one);
	make_info(&two);
	__asm__ volatile("" ::: "memory");
}

/* Each rank leaves what the others leave; rank 1 has 3 datatypes more. */
static int finalize(void)
{
	int rank;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	leave_comms();
	if (rank == 1)
		leave_types();
	MPI_Finalize();
	return 0;
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	if (argc > 1 && !strcmp(argv[1], "finalize"))
		return finalize();
	leave_comms();
	leave_types();
	leave_requests();
	leave_infos();
	emit("{'args': 'handles --leaks', 'is': {'leaks': ["
	     "{'count': 7, 'kinds': {'comm': 7}, 'made_by': 'MPI_Comm_dup', "
	     "'where_places': ['~leave_comms at leaks.c:%d', '~main at leaks.c:', '...']}, "
	     "{'count': 5, 'kinds': {'request': 5}, 'made_by': 'MPI_Irecv', "
	     "'where_places': ['leave_requests at leaks.c:%d', '~main at leaks.c:', '...']}, "
	     "{'count': 3, 'kinds': {'datatype': 3}, 'made_by': 'MPI_Type_contiguous', "
	     "'where_places': ['leave_types at leaks.c:%d', '...']}, "
	     "{'count': 1, 'kinds': {'info': 1}, 'where_places': ['make_info at leaks.c:%d', '...']}, "
	     "{'count': 1, 'kinds': {'info': 1}, 'where_places': ['make_info at leaks.c:%d', '...']}]}}",
	     line_dup, line_request, line_types, line_info, line_info);
	emit("{'args': 'handles datatype --leaks', 'is': {'leaks': [{'count': 3}]}}");
	emit("{'args': 'handles --leaks', 'words': '7 communicators by MPI_Comm_dup in leave_comms at leaks.c:%d'}",
	     line_dup);
	emit("{'args': 'handles --leaks', 'words': '17 objects that were not freed, from 5 places'}");
	emit("{'args': 'handles --leaks', 'words': 'called from leave_infos at leaks.c:%d'}", line_wrapped);
	emit("{'args': 'handles win --leaks', 'words': 'nothing is left that the program must free'}");
	emit_ready();
}
