/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Usage: STAY=copy|local in_call FILE, 1 process, with the in-target library
 * Stays in a callback of a call: of MPI_Comm_dup on the last of more communicators than MPI2DD_TRACK_COMM=8 has room
 * for, or of MPI_Reduce_local, which is no call that is recorded. Says what calls and print say then (answers.h).
 */
#include "answers.h"

enum { N_COMMS = 12 };

static int copy(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
	(void)key, (void)extra, (void)in, (void)out, (void)flag;
#if defined(OPEN_MPI)
	/* not recorded, but the library has a name for each */
	(void)comm;
	emit("{'args': 'calls', 'exit': 3, 'words': 'in MPI_Comm_dup on \\\"MPI COMM'}");
#else
	emit("{'args': 'calls', 'exit': 3, 'words': 'in MPI_Comm_dup on communicator 0x%" PRIx64 " (not recorded)'}",
	     BITS(comm));
#endif
	emit("{'args': 'calls', 'exit': 3, 'words': 'communicators: incomplete: '}");
	emit("{'args': 'calls', 'exit': 3, 'is': {'problems': ['~communicators: incomplete: ', '...']}}");
	emit_ready();
}

static void reduce(void *in, void *inout, int *n, MPI_Datatype *type)
{
	(void)in, (void)inout, (void)n, (void)type;
	emit("{'args': 'calls', 'words': 'in MPI_Reduce_local, which is not tracked ('}");
	emit("{'args': 'calls', 'is': {'calls': [{'function': 'MPI_Reduce_local', 'tracked': false}]}}");
	emit_ready();
}

static void stay_in_copy(void)
{
	MPI_Comm c = MPI_COMM_WORLD, unused;
	int key;

	MPI_Comm_create_keyval(copy, MPI_COMM_NULL_DELETE_FN, &key, NULL);
	for (int i = 0; i < N_COMMS; i++)
		MPI_Comm_dup(MPI_COMM_WORLD, &c);
	MPI_Comm_set_attr(c, key, &key);
	MPI_Comm_dup(c, &unused);
}

/* Complete when created: if the library shares one request for all of these, they cannot be distinguished. */
static void make_requests(void)
{
	static MPI_Request all, none;
	static int in = 1, out;

	MPI_Irecv(&in, 1, MPI_INT, MPI_PROC_NULL, 22, MPI_COMM_WORLD, &none);
	MPI_Iallreduce(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF, &all);
	if (BITS(all) != BITS(none))
		return;
	emit("{'args': 'print request @%p', 'is': {'handle': '0x%" PRIx64 "', 'complete': true, 'sharing': 2, "
	     "'requests': [{'made_by': 'MPI_Irecv', 'tag': 22, 'comm_name': 'MPI_COMM_WORLD'}, "
	     "{'made_by': 'MPI_Iallreduce', 'comm_name': 'MPI_COMM_SELF'}]}}",
	     (void *)&all, BITS(all));
	emit("{'args': 'print request @%p', 'words': '2 live requests have this handle: it is unknown which "
	     "of them is meant'}",
	     (void *)&none);
}

int main(int argc, char **argv)
{
	MPI_Op op;
	int a = 1, b = 2;
	const char *where = getenv("STAY");

	MPI_Init(&argc, &argv);
	if (where && !strcmp(where, "copy"))
		stay_in_copy();
	make_requests();
	MPI_Op_create(reduce, 1, &op);
	MPI_Reduce_local(&a, &b, 1, MPI_INT, op);
}
