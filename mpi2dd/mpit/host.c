/* SPDX-License-Identifier: BSD-3-Clause */
/* The host's MPI_T, initialized once and never finalized. */
#include "mpit.h"

#include "../calls/calls.h"

#include <string.h>

static struct mpit_host host;
static bool tried, usable, early; /* early: it was initialized before MPI_Init */
static int wanted_level = MPI_THREAD_SINGLE;

void mpit_host_wanted_level(int required)
{
	if (required > wanted_level)
		wanted_level = required;
}

static void find_functions(void)
{
#define HOST(name, params) host.name = (int(*) params)m2d_calls_symbol("PMPI_T_" #name);
#include "host.def"
#undef HOST
}

static bool is_complete(void)
{
	bool all = true;

#define HOST(name, params) all = all && host.name;
#include "host.def"
#undef HOST
	return all;
}

/* Open MPI 4.1 and 5.0 make the level of the last MPI_T_init_thread the level of MPI: request the one that MPI has. */
static int level(void)
{
	int ret = wanted_level;

	if (mpit_mpi_is_up() && m2d_pmpi.Query_thread)
		m2d_pmpi.Query_thread(&ret);
	return ret;
}

/*
 * Open MPI up to 5.0 records the thread that first initializes MPI_T as the one that calls MPI_Init
 * (ompi_mpi_thread_level() in ompi/runtime/ompi_mpi_init.c). Before MPI_Init, restore the old value.
 */
static int start_host(void)
{
	int provided;

#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION < 6
	void **main_thread = early ? m2d_calls_symbol("ompi_mpi_main_thread") : NULL;
	void *before = main_thread ? *main_thread : NULL;
	int rc = host.init_thread(level(), &provided);
	if (main_thread)
		*main_thread = before;
	return rc;
#else
	return host.init_thread(level(), &provided);
#endif
}

const struct mpit_host *mpit_host(void)
{
	int finalized = 0;

	if (tried)
		return usable ? &host : NULL;
	if (!m2d_calls_resolve())
		return NULL;
	/* After MPI_Finalize, Open MPI would open all its components again, and has been seen to crash in that. */
	if (m2d_pmpi.Finalized && m2d_pmpi.Finalized(&finalized) == MPI_SUCCESS && finalized)
		return NULL;
	tried = true;
	early = !mpit_mpi_is_up();
	find_functions();
	usable = is_complete() && start_host() == MPI_SUCCESS;
	return usable ? &host : NULL;
}

const struct mpit_host *mpit_host_known(void)
{
	return tried && usable ? &host : NULL;
}

bool mpit_host_is_safe(const char *variable)
{
#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION < 6
	int finalized = 0;

	/*
	 * Components that MPI_Init unloads leave their variables registered: Open MPI 4.1.4 crashes when
	 * pml_ucx_verbose, opal_common_ucx_*, osc_ucx_* or *_ofi_verbose is read then. If MPI_T is first initialized
	 * after MPI_Init, these variables do not exist.
	 */
	if (early && (strstr(variable, "_ucx_") || strstr(variable, "_ofi_")))
		return false;
	return !m2d_pmpi.Finalized || m2d_pmpi.Finalized(&finalized) != MPI_SUCCESS || !finalized;
#else
	(void)variable;
	return true;
#endif
}
