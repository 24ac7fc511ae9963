/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file calls.h
 * Interception of MPI calls. Every call of the program to MPI_X or PMPI_X arrives here and is passed on exactly once to
 * the next function of that name, with the caller's own arguments; result and errno are returned unchanged.
 *
 * The functions are the rows of functions/functions.def, which calls.def selects for this MPI library. BEFORE and AFTER
 * of a row are statements that run before and after the real function. They can use the parameters, struct m2d_thread
 * *t and struct trk_frame *frame, which represents the call (tracker/threads.h); AFTER can also use int rc and what
 * BEFORE declares. They must not call MPI through the wrapped names: m2d_pmpi.X is the real function.
 *
 * The path of a call: the exported symbol jumps through a slot (entry.c). Initially the slot leads to
 * m2d_calls_entry(); there library.c finds the MPI library and slots.c fills all slots: with our wrappers (wrap.c), or,
 * if the library is of the other flavour, with the real functions, so that later calls bypass this library.
 *
 * Which calls are the program's: all except those that the MPI library makes itself (caller.c), and except the PMPI_X
 * that a tool calls from its own MPI_X after we have passed the call to it. When a callback of the program (an error
 * handler, a reduction operation) calls MPI, this is a call of the program again, nested one level deeper.
 */
#ifndef M2D_CALLS_H
#define M2D_CALLS_H

#include "forms.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define M2D_EXPORT __attribute__((visibility("default")))

/* hidden: accesses to the declarations below do not go through the global offset table. */
#pragma GCC visibility push(hidden)

/** One number for each row, from 0. */
enum m2d_call_id {
#define CALL(name, symbol, facts, params, args, before, after) M2D_CALL_##name,
#include "calls.def"
	M2D_N_CALLS
};

/** One function pointer for each row. */
struct m2d_functions {
#define CALL(name, symbol, facts, params, args, before, after) int(*name) params;
#include "calls.def"
};

/**
 * The MPI library's own PMPI_X. NULL: the library has no such
 * function, or m2d_calls_resolve() has not returned true so far.
 */
extern struct m2d_functions m2d_pmpi;

/** The functions of MPI_T, which this library implements on top of the MPI library's (mpi2dd/mpit/). */
enum m2d_tool_call {
#define T(name) M2D_T_##name,
#include "../mpit/functions.def"
#undef T
	M2D_N_TOOL_CALLS
};

/** Index into m2d_calls_next, and lowest bit of an entry number: entry = 2 * call + M2D_MPI or M2D_PMPI. */
enum { M2D_MPI, M2D_PMPI };

/**
 * What our MPI_X and PMPI_X call: the next function of this name
 * in the program's symbol scope (a tool's or the library's).
 */
extern struct m2d_functions m2d_calls_next[2];

/**
 * Find the MPI library and fill m2d_pmpi, m2d_calls_next and
 * m2d_constants. Call it before using m2d_pmpi outside of a wrapper.
 *
 * @return true: an MPI library of our flavour is loaded. Thread-safe,
 *         may be called any number of times; preserves errno.
 */
bool m2d_calls_resolve(void);

/**
 * Address of a symbol of the MPI library. For a function: the library's own definition. For an object (Open MPI's
 * predefined handles): the one that the program uses. NULL: not found. Thread-safe; preserves errno.
 */
void *m2d_calls_symbol(const char *name);

/**
 * Which MPI library it is. The libraries built for one MPI know; that of the standard ABI since m2d_calls_resolve() has
 * returned true, and then both may be false.
 */
#if defined(M2D_ABI)
enum m2d_mpi { M2D_MPI_OTHER, M2D_MPI_OPENMPI, M2D_MPI_MPICH };
extern enum m2d_mpi m2d_calls_mpi;
#endif
static inline bool m2d_calls_is_openmpi(void)
{
#if defined(OPEN_MPI)
	return true;
#elif defined(M2D_ABI)
	return __atomic_load_n(&m2d_calls_mpi, __ATOMIC_RELAXED) == M2D_MPI_OPENMPI;
#else
	return false;
#endif
}
static inline bool m2d_calls_is_mpich(void)
{
#if defined(M2D_ABI)
	return __atomic_load_n(&m2d_calls_mpi, __ATOMIC_RELAXED) == M2D_MPI_MPICH;
#else
	return !m2d_calls_is_openmpi();
#endif
}

/** The class of an error code, from MPI_Error_class(); the code itself if the library cannot be asked. */
int m2d_calls_error_class(int code);

/** Names of the functions in the form "PMPI_Send"; without the first character: "MPI_Send". */
extern const char *const m2d_calls_names[M2D_N_CALLS];

/** Bits of enum fn_fact (functions/functions.h). */
extern const uint32_t m2d_calls_facts[M2D_N_CALLS];

/** Does this address belong to the MPI library's code (including its components, but not its language bindings)? */
bool m2d_calls_from_library(const void *address);

/** Does this address belong to this library? */
bool m2d_calls_is_ours(const void *address);

/**
 * The address range of a loaded object, for a quick test: an address inside m2d_calls_program is not the MPI library's.
 */
struct m2d_span {
	uintptr_t from, bytes;
	bool library;
};
extern const struct m2d_span *m2d_calls_program;

/**
 * The constants of the host, including those that are addresses of objects (Open MPI). They are looked up by name, so
 * that this library can be loaded without MPI. Valid after m2d_calls_resolve() has returned true.
 */
struct m2d_constants {
	MPI_Comm comm_world, comm_self, comm_null;
	MPI_Datatype byte, int32, uint64;
	MPI_Info info_null;
	MPI_Errhandler errors_return;
	MPI_Request request_null;
	MPI_Op op_no_op;
	MPI_Request request_empty; /**< Open MPI: the handle shared by all requests that are complete when created */
	MPI_Request request_empty_send; /**< ... by such sends, if they have their own (since 5.0); else the same */
};
extern struct m2d_constants m2d_constants;

/* ---- internal to this directory -------------------------------------------------------------------------- */

/** File names of libraries that define PMPI_Init, of any flavour; NULL-terminated. */
extern const char *const m2d_calls_libraries[];

/** Our wrappers, by entry number (wrap.c). */
extern void *const m2d_calls_wrappers[2 * M2D_N_CALLS];

/** No MPI library found so far; one of our flavour; one of another flavour. */
enum m2d_library { M2D_LIBRARY_NONE, M2D_LIBRARY_OURS, M2D_LIBRARY_OTHER };

/**
 * Like m2d_calls_resolve(), on behalf of a call.
 *
 * @param caller    return address of the call, or NULL. If the MPI library is not in the program's symbol scope, it is
 *                  searched in the scope of the object that contains this address.
 * @param ret_scope where the next MPI_X is, as a handle for dlsym; NULL: not wanted. Unchanged if there is none.
 */
enum m2d_library m2d_calls_find(const void *caller, void **ret_scope);

/**
 * Fill all slots (entry.c), those of the rows and those of MPI_T.
 *
 * @param entry  number of the entry that was called
 * @param caller return address of that call
 * @return the new contents of that entry's slot
 */
void *m2d_calls_fill_slots(void *slots[], unsigned entry, const void *caller);

/**
 * Store a pointer in a table that several threads may fill at the same time while another one already uses it. Each
 * element is written once. A thread that reads an element with __ATOMIC_ACQUIRE also sees all earlier stores.
 */
static inline void m2d_calls_store_once(void **place, void *value)
{
	void *seen = __atomic_load_n(place, __ATOMIC_ACQUIRE);

	if (seen != value)
		__atomic_compare_exchange_n(place, &seen, value, false, __ATOMIC_RELEASE, __ATOMIC_ACQUIRE);
}

#pragma GCC visibility pop

#endif /* M2D_CALLS_H */
