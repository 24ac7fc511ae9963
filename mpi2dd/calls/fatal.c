/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Detects that an error handler of the MPI library (MPI_ERRORS_ARE_FATAL and similar) ends the program: no MPI call of
 * the program shows that. The library's own function that ends the process is called through its exported symbol, which
 * is intercepted here:
 *
 * Open MPI 4.1 and 5.0: ompi_mpi_abort() (ompi/runtime/ompi_mpi_abort.h), called by each of the handlers and by
 * MPI_Abort.
 * MPICH 3.3 to 4.x: MPIR_Err_return_comm() and MPIR_Err_return_win() (src/mpi/errhan/errutil.c), called for every error
 * of a call, fatal or not. Each object begins with its handle and reference count (MPIR_OBJECT_HEADER). Any later
 * function would be too late: MPICH first informs the launcher, which kills the processes.
 */
#include "../tables/events.h"
#include "../tables/identity.h"
#include "watch.h"

#include <dlfcn.h>

static void *next_definition(const char *name)
{
	void *ret = dlsym(RTLD_NEXT, name);

	return ret ? ret : m2d_calls_symbol(name);
}

/* Raise the event, with the name of the MPI call that this thread is in. */
static void report_fatal(int code)
{
	const struct trk_thread *s = m2d_thread.slot;
	uint32_t depth = s ? trk_depth(s) : 0, call = M2D_N_CALLS;

	if (depth && depth <= TRK_FRAMES)
		call = s->frames[depth - 1].call;
	if (call != M2D_CALL_Abort)
		m2d_events_fatal(call < M2D_N_CALLS ? m2d_calls_names[call] + 1 : NULL, code);
}

#if defined(M2D_OPENMPI_MAJOR)

M2D_EXPORT int ompi_mpi_abort(void *comm, int code);
M2D_EXPORT int ompi_mpi_abort(void *comm, int code)
{
	int (*next)(void *, int) = (int (*)(void *, int))next_definition("ompi_mpi_abort");

	if (m2d_calls_resolve())
		report_fatal(code);
	return next ? next(comm, code) : code;
}

#else

typedef int err_return(void *object, const char *function, int code);
M2D_EXPORT err_return MPIR_Err_return_comm;
M2D_EXPORT err_return MPIR_Err_return_win;

enum { CODE_IS_FATAL = 0x80 }; /* ERROR_FATAL_MASK, src/include/mpir_errcodes.h */

static bool is_initialized(void)
{
	int initialized = 0, finalized = 1;

	return m2d_pmpi.Initialized && m2d_pmpi.Finalized && m2d_pmpi.Initialized(&initialized) == MPI_SUCCESS &&
	       initialized && m2d_pmpi.Finalized(&finalized) == MPI_SUCCESS && !finalized;
}

static bool handler_is_fatal(MPI_Errhandler handler)
{
	if (handler == MPI_ERRORS_RETURN)
		return false;
	if (handler == MPI_ERRORS_ARE_FATAL)
		return true;
#if defined(MPI_ERRORS_ABORT)
	if (handler == MPI_ERRORS_ABORT)
		return true;
#endif
	m2d_pmpi.Errhandler_free(&handler);
	return false;
}

/*
 * May MPI functions be called to get the handler? At MPI_THREAD_MULTIPLE the failed call still holds MPICH's lock, and
 * a nested call would fail an assertion of MPICH.
 */
static bool may_call_mpi(void)
{
	int level = MPI_THREAD_MULTIPLE;

	return m2d_pmpi.Query_thread && m2d_pmpi.Query_thread(&level) == MPI_SUCCESS && level != MPI_THREAD_MULTIPLE;
}

/*
 * Does an error on a communicator end the program? Errors without a communicator belong to MPI_COMM_WORLD; before
 * MPI_Init every error is fatal.
 */
static bool comm_error_is_fatal(const int *object, int code)
{
	MPI_Errhandler handler;
	MPI_Comm comm = object ? *object : MPI_COMM_WORLD;

	if (code == MPI_SUCCESS)
		return false;
	if ((code & CODE_IS_FATAL) || !is_initialized())
		return true;
	return may_call_mpi() && m2d_pmpi.Comm_get_errhandler(comm, &handler) == MPI_SUCCESS &&
	       handler_is_fatal(handler);
}

int MPIR_Err_return_comm(void *object, const char *function, int code)
{
	err_return *next = (err_return *)next_definition("MPIR_Err_return_comm");

	if (m2d_calls_resolve() && comm_error_is_fatal(object, code))
		report_fatal(code);
	return next ? next(object, function, code) : code;
}

int MPIR_Err_return_win(void *object, const char *function, int code)
{
	err_return *next = (err_return *)next_definition("MPIR_Err_return_win");
	MPI_Errhandler handler;

	/* without a window, MPICH calls MPIR_Err_return_comm() */
	if (object && code != MPI_SUCCESS && m2d_calls_resolve() && is_initialized() &&
	    ((code & CODE_IS_FATAL) ||
	     (may_call_mpi() && m2d_pmpi.Win_get_errhandler(*(const int *)object, &handler) == MPI_SUCCESS &&
	      handler_is_fatal(handler))))
		report_fatal(code);
	return next ? next(object, function, code) : code;
}

#endif
