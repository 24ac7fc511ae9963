/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Usage: sessions_alone FILE, 2 ranks, under an MPI that has sessions, with the in-target library
 * There is no MPI_COMM_WORLD without MPI_Init: what is not known of it is said to be so, and who is in groups and
 * communicators is known all the same, from the set of processes "mpi://WORLD" (answers.h).
 */
#include "answers.h"

int main(void)
{
#if MPI_VERSION >= 4
	const int turned[2] = { 1, 0 };
	int rank, size;
	MPI_Session session;
	MPI_Group all, alone, back;
	MPI_Comm own, self, reversed, dup;

	TRUST(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session) == MPI_SUCCESS);
	MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
	MPI_Group_from_session_pset(session, "mpi://SELF", &alone);
	MPI_Group_rank(all, &rank);
	MPI_Group_size(all, &size);
	TRUST(size == 2);
	emit_on = rank == 1;
	MPI_Comm_create_from_group(all, "own", MPI_INFO_NULL, MPI_ERRORS_RETURN, &own);
	MPI_Comm_create_from_group(alone, rank ? "one" : "zero", MPI_INFO_NULL, MPI_ERRORS_RETURN, &self);
	MPI_Group_incl(all, 2, turned, &back);
	MPI_Comm_create_from_group(back, "back", MPI_INFO_NULL, MPI_ERRORS_RETURN, &reversed);
	MPI_Comm_set_name(reversed, "reversed");
	MPI_Comm_dup(reversed, &dup);
	EMIT_ANSWER("comm", own, "'rank': 1, 'size': 2, 'members': [0, 1], 'world_rank': 1");
	EMIT_ANSWER("comm", self, "'rank': 0, 'size': 1, 'members': [1]");
	EMIT_ANSWER("comm", reversed, "'rank': 0, 'size': 2, 'members': [1, 0]");
	EMIT_ANSWER("comm", dup, "'rank': 0, 'size': 2, 'members': [1, 0]");
	EMIT_ANSWER("group", all, "'made_by': 'MPI_Group_from_session_pset', 'rank': 1, 'members': [0, 1]");
	EMIT_ANSWER("group", alone, "'rank': 0, 'members': [1]");
	EMIT_ANSWER("group", back, "'rank': 0, 'members': [1, 0]");
	emit("{'args': 'print comm MPI_COMM_WORLD', 'is': {'type': 'intra', 'rank': null, 'rank_why': '~MPI_Init', "
	     "'size': null, 'size_why': '~MPI_Init'}}");
	emit("{'args': 'print comm MPI_COMM_WORLD', 'words': 'size                unavailable (the MPI library'}");
	emit("{'args': 'print datatype MPI_DOUBLE', 'is': {'size': 8, 'combiner': 'named'}}");
	emit("{'args': 'print op MPI_REPLACE', 'is': {'predefined': true}}");
	emit("{'args': 'comms', 'words': 'rank 0 of 2'}");
#endif
	emit_ready();
}
