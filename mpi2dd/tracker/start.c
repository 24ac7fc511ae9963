/* SPDX-License-Identifier: BSD-3-Clause */
#include "start.h"

#include "arena.h"
#include "comm.h"
#include "predefined.h"
#include "registry.h"

#include <string.h>

static void write_text(char *to, size_t size, const char *from)
{
	size_t n = strcspn(from, "\r\n");

	n = n < size - 1 ? n : size - 1;
	memcpy(to, from, n);
	to[n] = '\0';
}

/*
 * @return whether the MPI library has Fortran's datatypes. An MPICH configured without Fortran has not: asking for the
 * size of MPI_CHARACTER ends the program there. Its version text contains the options of configure.
 */
static bool query_version(void)
{
	char *text = trk_scratch(MPI_MAX_LIBRARY_VERSION_STRING + 1, 1);
	bool fortran = true;
	int n = 0;

	if (m2d_calls_is_openmpi() || m2d_calls_is_mpich())
		write_text(MPI2DD_registry.mpi_name, sizeof(MPI2DD_registry.mpi_name),
			   m2d_calls_is_openmpi() ? "Open MPI" : "MPICH");
	if (text && m2d_pmpi.Get_library_version && m2d_pmpi.Get_library_version(text, &n) == MPI_SUCCESS) {
		write_text(MPI2DD_registry.mpi_version, sizeof(MPI2DD_registry.mpi_version), text);
		if (!MPI2DD_registry.mpi_name[0]) /* of the ABI: "Example MPI 1.0" */
			write_text(MPI2DD_registry.mpi_name, 1 + strcspn(MPI2DD_registry.mpi_version, "0123456789,:("),
				   MPI2DD_registry.mpi_version);
		fortran = !strstr(text, "--disable-fortran") && !strstr(text, "--enable-fortran=no");
	}
	trk_scratch_free(text);
	return fortran;
}

static int level_number(int level)
{
	return level == MPI_THREAD_SINGLE       ? 0
	       : level == MPI_THREAD_FUNNELED   ? 1
	       : level == MPI_THREAD_SERIALIZED ? 2
	       : level == MPI_THREAD_MULTIPLE   ? 3
						: -1;
}

/* Facts that do not require MPI_COMM_WORLD. @return as query_version() */
static bool query_library(void)
{
	MPI2DD_registry.request_null = TRK_BITS(m2d_constants.request_null);
	MPI2DD_registry.request_empty = m2d_constants.request_empty == m2d_constants.request_null
						? 0
						: TRK_BITS(m2d_constants.request_empty);
	return query_version();
}

bool trk_mpi_started(int rc)
{
	int rank = -1, size = -1, level = MPI_THREAD_MULTIPLE;

	if (rc != MPI_SUCCESS || !trk_set_has_world())
		return false;
	/* take the lock once so that the registry is set up; the head is filled in even if nothing is recorded */
	if (trk_lock())
		trk_unlock();
	if (m2d_pmpi.Query_thread(&level) == MPI_SUCCESS) {
		MPI2DD_registry.thread_level = level_number(level);
		trk_set_multiple(level == MPI_THREAD_MULTIPLE);
	}
	if (m2d_pmpi.Comm_rank(m2d_constants.comm_world, &rank) == MPI_SUCCESS)
		MPI2DD_registry.world_rank = rank;
	if (m2d_pmpi.Comm_size(m2d_constants.comm_world, &size) == MPI_SUCCESS)
		MPI2DD_registry.world_size = size;
	trk_predefined_query(query_library());
	trk_comm_predefined();
	trk_predefined_query_world();
	MPI2DD_registry.mpi_state = 1;
	return true;
}

/* With sessions only there is no MPI_COMM_WORLD; the world is the session's set "mpi://WORLD". */
bool trk_session_started(int rank, int size)
{
	if (MPI2DD_registry.mpi_state != 0)
		return false;
	if (trk_lock())
		trk_unlock();
	MPI2DD_registry.world_rank = rank;
	MPI2DD_registry.world_size = size;
	trk_predefined_query(query_library());
	MPI2DD_registry.mpi_state = 1;
	return true;
}

void trk_mpi_finished(int rc)
{
	if (rc == MPI_SUCCESS)
		MPI2DD_registry.mpi_state = 2;
}
