/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file library.h
 * The MPI library in a process: name, version, state, and the process's rank in its world.
 */
#ifndef MDL_LIBRARY_H
#define MDL_LIBRARY_H

#include "fact.h"

#include <stdbool.h>

enum mdl_library_state {
	MDL_STATE_UNKNOWN,
	MDL_BEFORE_INIT, /**< MPI_Init not called yet, or still running */
	MDL_INITIALIZED,
	MDL_FINALIZING, /**< MPI_Finalize has begun */
	MDL_FINALIZED
};

struct mdl_library {
	const char *implementation; /**< static: "Open MPI" */
	char version[32];           /**< "4.1.4"; "" unknown */
	char component[65];         /**< component that transfers messages: "ob1", "ucx", "cm"; "": unknown */
	const char *origin; /**< static: the source if it is not the memory of the library: "tracker"; otherwise NULL */
	enum mdl_library_state state;
	bool thread_multiple; /**< MPI_THREAD_MULTIPLE was granted */
	bool thread_multiple_known;
	char layout[200]; /**< source of the layout as text: "pack openmpi 4.1.4-4.1.8 (x86-64), 31 witnesses agree" */
	struct mdl_num world_rank;
	struct mdl_num world_size;
	bool abi;           /**< the program has the handles of the standard ABI of MPI 5, not the library's own */
	struct mdl_num job; /**< the MPI's number of this process's job */
};

#endif /* MDL_LIBRARY_H */
