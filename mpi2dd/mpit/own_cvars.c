/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Our own control variables. Writable ones accept any number, and a read returns the number that was written; invalid
 * numbers are corrected where they are used.
 */
#include "../../include/mpi2dd.h"
#include "../tables/info.h"
#include "../tables/identity.h"
#include "../tracker/registry.h"
#include "../tracker/callsite.h"
#include "cvar.h"
#include "cvar_host.h"
#include "mirror.h"
#include "stall.h"

#include <string.h>

static char version[64] = MPIDBG_VERSION;

static int cvar_number(const void *value)
{
	int ret;

	memcpy(&ret, value, sizeof(ret));
	return ret;
}

static int write_where(const struct mpit_own_cvar *cvar, const void *value)
{
	(void)cvar;
	trk_callsite_setup(cvar_number(value));
	return MPI_SUCCESS;
}

/* When a debugger is attached, all freed objects are kept until it releases them (registry.h). */
static int write_freed(const struct mpit_own_cvar *cvar, const void *value)
{
	if (__atomic_load_n(M2D_INFO_FIELD(debugger_flags), __ATOMIC_RELAXED) & MPI2DD_FLAG_BEING_DEBUGGED)
		return MPI_T_ERR_CVAR_SET_NOT_NOW;
	__atomic_store_n(cvar->number, cvar_number(value), __ATOMIC_RELAXED);
	return MPI_SUCCESS;
}

static int write_stall(const struct mpit_own_cvar *cvar, const void *value)
{
	(void)cvar;
	return mpit_stall_set(cvar_number(value));
}

static int write_refresh(const struct mpit_own_cvar *cvar, const void *value)
{
	(void)cvar;
	return mpit_refresh_set(cvar_number(value));
}

#define FIXED(name_, words, place)                                                                                     \
	{                                                                                                              \
		.name = name_, .desc = words " From the environment, when the library is loaded.",                     \
		.verbosity = MPI_T_VERBOSITY_TUNER_BASIC, .scope = MPI_T_SCOPE_CONSTANT, .number = place               \
	}
#define LOCAL(name_, words, place, function)                                                                           \
	{                                                                                                              \
		.name = name_, .desc = words, .verbosity = MPI_T_VERBOSITY_TUNER_BASIC, .scope = MPI_T_SCOPE_LOCAL,    \
		.number = place, .write = function                                                                     \
	}
#define CAPACITY(kind, words)                                                                                          \
	FIXED("MPI2DD_TRACK_" #kind, "How many " words " can be recorded at a time; 0: none.",                         \
	      &trk_capacities[TRK_##kind])

static const struct mpit_enum_item off_on[] = { { 0, "off" }, { 1, "on" } };
static const struct mpit_enum_item vars[] = { { MPIT_VARS_NONE, "none" },
					      { MPIT_VARS_OWN, "own" },
					      { MPIT_VARS_HOST, "host" } };

const struct mpit_own_cvar mpit_own_cvars[] = {
	{ .name = "MPI2DD_VERSION",
	  .desc = "Version of the in-target library of mpidbg.",
	  .verbosity = MPI_T_VERBOSITY_USER_BASIC,
	  .scope = MPI_T_SCOPE_CONSTANT,
	  .text = version,
	  .text_bytes = sizeof(version) },
	{ .name = "MPI2DD_TRACK",
	  .desc = "Are objects and requests recorded? From the environment, when the library is loaded.",
	  .verbosity = MPI_T_VERBOSITY_USER_BASIC,
	  .scope = MPI_T_SCOPE_CONSTANT,
	  .number = &trk_is_on,
	  .enum_name = "mpi2dd_off_on",
	  .items = off_on,
	  .n_items = 2 },
	CAPACITY(COMM, "communicators"),
	CAPACITY(GROUP, "groups"),
	CAPACITY(DATATYPE, "datatypes"),
	CAPACITY(ERRHANDLER, "error handlers"),
	CAPACITY(FILE, "files"),
	CAPACITY(INFO, "info objects"),
	CAPACITY(OP, "reduction operations"),
	CAPACITY(REQUEST, "requests"),
	CAPACITY(WIN, "windows"),
	CAPACITY(MESSAGE, "messages of matched probes"),
	CAPACITY(SESSION, "sessions"),
	CAPACITY(KEYVAL, "attribute keys"),
	{ .name = "MPI2DD_TRACK_ARENA",
	  .desc = "Memory for lists (members, arguments, texts), bytes. From the environment, when the library is "
		  "loaded.",
	  .verbosity = MPI_T_VERBOSITY_TUNER_BASIC,
	  .scope = MPI_T_SCOPE_CONSTANT,
	  .large = &trk_arena_wanted },
	{ .name = "MPI2DD_WRITE_ENUMS",
	  .desc = "May Open MPI's variables with an enumeration be written? From the environment, when the library is "
		  "loaded.",
	  .verbosity = MPI_T_VERBOSITY_TUNER_BASIC,
	  .scope = MPI_T_SCOPE_CONSTANT,
	  .number = &mpit_write_enums,
	  .enum_name = "mpi2dd_off_on",
	  .items = off_on,
	  .n_items = 2 },
	LOCAL("MPI2DD_TRACK_WHERE",
	      "Return addresses kept of the creation of each object from now on, at most 32; 0: none.",
	      &trk_callsite_depth, write_where),
	LOCAL("MPI2DD_TRACK_FREED",
	      "Records kept of freed objects of each kind, at least 1; negative: a quarter of the capacity. Under a "
	      "debugger "
	      "all are kept, and it cannot be set.",
	      &trk_freed_max, write_freed),
	LOCAL("MPI2DD_STALL_SECONDS",
	      "Seconds in which no MPI call is finished after which mpi2dd_stall is raised; 0: never. Not negative.",
	      &mpit_stall_seconds, write_stall),
	LOCAL("MPI2DD_REFRESH_SECONDS",
	      "Seconds between refreshes of the performance variables that a debugger sees, at most 1000000; 0: at "
	      "events "
	      "only.",
	      &mpit_refresh_seconds, write_refresh),
	{ .name = "MPI2DD_VARS",
	  .desc = "Which variables a debugger sees. From the environment, when the library is loaded.",
	  .verbosity = MPI_T_VERBOSITY_TUNER_BASIC,
	  .scope = MPI_T_SCOPE_READONLY,
	  .number = &mpit_vars,
	  .enum_name = "mpi2dd_vars",
	  .items = vars,
	  .n_items = 3 },
	FIXED("MPI2DD_GATE", "1: MPI_Init waits for a debugger to open the gate.", &m2d_gate),
	{ .name = "MPI2DD_EVERYONE",
	  .desc = "1: all processes of the job carry this library, as the user says. From the environment, in "
		  "MPI_Init.",
	  .verbosity = MPI_T_VERBOSITY_TUNER_BASIC,
	  .scope = MPI_T_SCOPE_READONLY,
	  .number = &m2d_everyone },
	{ .name = "MPI2DD_HANG",
	  .desc = "Seconds in which no MPI call is finished after which mpi2dd-run is told (its option --hang); 0: "
		  "never. From the environment, in MPI_Init.",
	  .verbosity = MPI_T_VERBOSITY_USER_BASIC,
	  .scope = MPI_T_SCOPE_READONLY,
	  .number = &mpit_hang_seconds },
	{ .name = "MPI2DD_DEBUGGER_FLAGS",
	  .desc = "What a debugger has written into MPI2DD_info.debugger_flags: 1 the gate is open, 2 a debugger is "
		  "attached, 4 "
		  "it wants to be told of tables.",
	  .verbosity = MPI_T_VERBOSITY_MPIDEV_BASIC,
	  .scope = MPI_T_SCOPE_READONLY,
	  .number = (int *)M2D_INFO_FIELD(debugger_flags) },
};
const int mpit_n_own_cvars = sizeof(mpit_own_cvars) / sizeof(mpit_own_cvars[0]);
