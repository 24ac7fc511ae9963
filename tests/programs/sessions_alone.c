/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Usage: sessions_alone FILE, 1 rank, under an MPI that has sessions, with the in-target library
 * There is no MPI_COMM_WORLD without MPI_Init: what is not known of it is said to be so (told.h).
 */
#include "told.h"

int main(void)
{
#if MPI_VERSION >= 4
	MPI_Session session;
	MPI_Group group;
	MPI_Comm own;

	TRUST(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session) == MPI_SUCCESS);
	MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
	MPI_Comm_create_from_group(group, "own", MPI_INFO_NULL, MPI_ERRORS_RETURN, &own);
	TELL_IS("comm", own, "'rank': 0, 'size': 1");
	tell("{'args': 'print comm MPI_COMM_WORLD', 'is': {'type': 'intra', 'rank': null, 'rank_why': '~MPI_Init', "
	     "'size': null, 'size_why': '~MPI_Init'}}");
	tell("{'args': 'print comm MPI_COMM_WORLD', 'words': 'size                unavailable (the MPI library'}");
#endif
	tell_ready();
}
