/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sessions without MPI_Init, on 2 ranks: communicators, groups and a pending receive; there is no MPI_COMM_WORLD. World
 * ranks are those in the process set mpi://WORLD. With SESSIONS_HANG in the environment both ranks wait for each other
 * in the end.
 */
#include "facts.h"

#if MPI_VERSION >= 4

enum { TAG = 7, HANG_TAG = 9, COUNT = 4 };

static MPI_Group world;

static void emit_in_world(const char *head, uint64_t bits, const char *key, MPI_Group group)
{
	int n, ranks[2] = { 0, 1 }, world_ranks[2];

	MPI_Group_size(group, &n);
	MPI_Group_translate_ranks(group, n, ranks, world, world_ranks);
	emit_ints(head, bits, key, world_ranks, n);
}

static void emit_comm(MPI_Comm c, const char *name)
{
	MPI_Group group;
	int rank, size;

	MPI_Comm_set_name(c, name);
	MPI_Comm_rank(c, &rank);
	MPI_Comm_size(c, &size);
	FACT("comm", c, "name", "\"%s\"", name);
	FACT("comm", c, "rank", "%d", rank);
	FACT("comm", c, "size", "%d", size);
	FACT("comm", c, "world_rank", "%d", facts_rank);
	MPI_Comm_group(c, &group);
	emit_in_world("fact comm", BITS(c), "members", group);
	MPI_Group_free(&group);
}

static void emit_group(MPI_Group group, const char *pset)
{
	emit_in_world("fact group", BITS(group), "members", group);
	emit("pset group 0x%" PRIx64 " %s", BITS(group), pset);
}

int main(void)
{
	static int in[COUNT];
	const int turned[2] = { 1, 0 };
	MPI_Session session;
	MPI_Group self, back;
	MPI_Comm own, alone, reversed, dup;
	MPI_Request pending;

	TRUST(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session) == MPI_SUCCESS);
	MPI_Group_from_session_pset(session, "mpi://WORLD", &world);
	MPI_Group_from_session_pset(session, "mpi://SELF", &self);
	MPI_Group_rank(world, &facts_rank);
	MPI_Group_size(world, &facts_size);
	TRUST(facts_size == 2);
	MPI_Group_incl(world, 2, turned, &back);
	MPI_Comm_create_from_group(world, "own", MPI_INFO_NULL, MPI_ERRORS_RETURN, &own);
	MPI_Comm_create_from_group(self, facts_rank ? "one" : "zero", MPI_INFO_NULL, MPI_ERRORS_RETURN, &alone);
	MPI_Comm_create_from_group(back, "back", MPI_INFO_NULL, MPI_ERRORS_RETURN, &reversed);
	MPI_Comm_dup(reversed, &dup);
	emit_comm(own, "own");
	emit_comm(alone, "alone");
	emit_comm(reversed, "reversed");
	emit_comm(dup, "duplicate");
	emit_group(world, "mpi://WORLD");
	emit_group(self, "mpi://SELF");
	emit_group(back, "");
	MPI_Irecv(in, COUNT, MPI_INT, 0, TAG, dup, &pending); /* rank 0 of it is rank 1 */
	FACT("request", pending, "peer", "0");
	FACT("request", pending, "tag", "%d", TAG);
	emit("flags request 0x%" PRIx64 " active", BITS(pending));
	emit("sessions 1");
	MPI_Barrier(own);
	emit("ready %d", (int)getpid());
	fflush(stdout);
	if (getenv("SESSIONS_HANG"))
		MPI_Recv(in, COUNT, MPI_INT, facts_rank, HANG_TAG, dup, MPI_STATUS_IGNORE);
	for (;;)
		pause();
}

#else

int main(void)
{
	emit("no sessions");
	emit("ready %d", (int)getpid());
	fflush(stdout);
	for (;;)
		pause();
}

#endif
