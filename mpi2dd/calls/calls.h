/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file calls.h
 * Every MPI call of the program passes here: caught at MPI_X and at PMPI_X, handed to the next one once, with the
 * caller's own arguments; its result and errno go back unchanged.
 *
 * One row of a .def file per function (calls.def includes them all):
 *
 *   CALL(Comm_dup, (MPI_Comm comm, MPI_Comm *newcomm), (comm, newcomm), BEFORE, AFTER)
 *
 * BEFORE and AFTER are statements ((void)0 for none). They see the parameters, struct m2d_thread *t and struct trk_frame
 * *frame, the call (tracker/threads.h); AFTER sees int rc as well. They must not call MPI through the wrapped names:
 * m2d_pmpi.X is the real one. What BEFORE declares AFTER sees.
 *
 * The way of a call: the exported symbol jumps through a slot (entry.c). At first the slot leads to m2d_calls_entry(),
 * which lets library.c find the MPI library and slots.c fill all slots: with our wrappers (wrap.c), or, when the library is
 * of the other flavour, with the real functions, so that the calls bypass this library.
 *
 * Which calls are the program's: all but those that the MPI library makes itself (caller.c), and but the PMPI_X that a
 * tool which we have called as MPI_X makes of it. A callback of the program (an error handler, a reduction operation)
 * that calls MPI is the program again, one deeper.
 */
#ifndef M2D_CALLS_H
#define M2D_CALLS_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the host's header declares. Open MPI 5 has parts of MPI 4 and says that it is 3.1. */
#if MPI_VERSION >= 4
#define M2D_MPI4         1
#define M2D_LARGE_COUNTS 1
#elif defined(OPEN_MPI) && OMPI_MAJOR_VERSION >= 5
#define M2D_MPI4         1
#define M2D_LARGE_COUNTS 0
#else
#define M2D_MPI4         0
#define M2D_LARGE_COUNTS 0
#endif
/* MPIX_Bcast_init and its like. */
#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION == 4
#define M2D_MPIX_PERSISTENT 1
#else
#define M2D_MPIX_PERSISTENT 0
#endif

#define M2D_EXPORT __attribute__((visibility("default")))

/* The declarations below are of this library: no access goes through the global offset table. */
#pragma GCC visibility push(hidden)

/** One number per row, from 0. */
enum m2d_call_id {
#define CALL(name, params, args, before, after) M2D_CALL_##name,
#include "calls.def"
#undef CALL
	M2D_N_CALLS
};

/** A pointer per row. */
struct m2d_functions {
#define CALL(name, params, args, before, after) int(*name) params;
#include "calls.def"
#undef CALL
};

/** The library's own PMPI_X. NULL: the host has no such function, or m2d_calls_resolve() has not returned true. */
extern struct m2d_functions m2d_pmpi;

/** The functions of MPI_T: ours answer in place of the library's (mpi2dd/mpit/). */
enum m2d_tool_call {
#define T(name) M2D_T_##name,
#include "../mpit/functions.def"
#undef T
	M2D_N_TOOL_CALLS
};

/** Index of m2d_calls_next and half of the number of an entry: entry = 2 * call + M2D_MPI or M2D_PMPI. */
enum { M2D_MPI, M2D_PMPI };

/** What our MPI_X and PMPI_X call: the next in the program's scope after us (a tool's, or the library's). */
extern struct m2d_functions m2d_calls_next[2];

/**
 * Find the library and fill m2d_pmpi, m2d_calls_next and m2d_constants. To be called before m2d_pmpi is used outside of a call.
 *
 * @return true: an MPI library of our flavour is there. Safe in any thread, any number of times; leaves errno alone.
 */
bool m2d_calls_resolve(void);

/**
 * Address of a symbol of the MPI library: of a function the library's own; of an object (Open MPI's predefined ones)
 * the one that the program uses. NULL: no such. As m2d_calls_resolve().
 */
void *m2d_calls_symbol(const char *name);

/** The class of an error code; the code itself when the library cannot be asked. */
int m2d_calls_error_class(int code);

/** Names of the functions, "PMPI_Send": from its second character on it is "MPI_Send". */
extern const char *const m2d_calls_names[M2D_N_CALLS];

/** Is the code at this address the MPI library's own (its components too, but not its language bindings)? */
bool m2d_calls_from_library(const void *address);

/** Does the address lie in this library? */
bool m2d_calls_is_ours(const void *address);

/** An object's code, for the quick test: an address that lies in m2d_calls_program is not the library's. */
struct m2d_span {
	uintptr_t from, bytes;
	bool library;
};
extern const struct m2d_span *m2d_calls_program;

/**
 * The constants of the host, also where they are addresses of objects (Open MPI): fetched by name so that the
 * library loads where there is no MPI. Valid after m2d_calls_resolve() has returned true.
 */
struct m2d_constants {
	MPI_Comm comm_world, comm_self, comm_null;
	MPI_Datatype byte, int32, uint64;
	MPI_Info info_null;
	MPI_Errhandler errors_return;
	MPI_Request request_null;
	MPI_Op op_no_op;
	MPI_Request request_empty; /**< Open MPI: the handle of every request that is complete when it is created */
};
extern struct m2d_constants m2d_constants;

/* ---- between the files of this folder ---------------------------------------------------------------- */

/** How the files of libraries that define PMPI_Init are called, whatever their flavour; NULL ends. */
extern const char *const m2d_calls_libraries[];

/** Our wrappers, by number of entry (wrap.c). */
extern void *const m2d_calls_wrappers[2 * M2D_N_CALLS];

/** No MPI library found yet; one of our flavour; one of another flavour. */
enum m2d_library { M2D_LIBRARY_NONE, M2D_LIBRARY_OURS, M2D_LIBRARY_OTHER };

/**
 * As m2d_calls_resolve(), for a call.
 *
 * @param caller    its return address, or NULL: a library that is not in the program's scope is looked for in this object's
 * @param ret_scope where the next MPI_X is, for dlsym; NULL: not wanted. Untouched when there is none.
 */
enum m2d_library m2d_calls_find(const void *caller, void **ret_scope);

/**
 * Fill all slots (entry.c): of the rows, then of MPI_T.
 *
 * @return where @p entry leads now
 */
void *m2d_calls_choose(void *slots[], unsigned entry, const void *caller);

/**
 * Several threads may fill a table, while one that was faster uses it: each place is stored to once, and a thread that reads a
 * place with __ATOMIC_ACQUIRE sees what was stored before it.
 */
static inline void m2d_calls_put(void **place, void *value)
{
	void *seen = __atomic_load_n(place, __ATOMIC_ACQUIRE);

	if (seen != value)
		__atomic_compare_exchange_n(place, &seen, value, false, __ATOMIC_RELEASE, __ATOMIC_ACQUIRE);
}

#pragma GCC visibility pop

#endif /* M2D_CALLS_H */
