/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The wrappers: for each row MPI_X and PMPI_X. A program's MPI_X goes on to the next MPI_X (a PMPI tool that was
 * linked or preloaded after us still sees it), PMPI_X to the library's.
 */
#include "calls.h"

#include "../tables/events.h"
#include "../tables/world.h"

#include <errno.h>

__thread struct m2d_thread m2d_thread __attribute__((tls_model("initial-exec")));

/* Within a call: the program's only when a callback of it calls. A tool makes PMPI_X of MPI_X: the same call. */
static bool is_nested(const struct m2d_thread *t, enum m2d_call_id call, const void *caller)
{
	return t->call == call || m2d_calls_from_library(caller);
}

#define CALLER __builtin_return_address(0)

#define WRAP(entry, real, name, params, args, before, after)                                                           \
	M2D_EXPORT int entry params;                                                                                   \
	int entry params                                                                                               \
	{                                                                                                              \
		struct m2d_thread *t = &m2d_thread;                                                                    \
		if (__builtin_expect(!real, 0) && (!m2d_calls_resolve() || !real))                                     \
			return MPI_ERR_INTERN;                                                                         \
		if (t->depth ? is_nested(t, M2D_CALL_##name, CALLER) : m2d_calls_from_library(CALLER))                 \
			return real args;                                                                              \
		enum m2d_call_id outer = t->call;                                                                      \
		t->call = M2D_CALL_##name;                                                                             \
		t->depth++;                                                                                            \
		before;                                                                                                \
		int rc = real args;                                                                                    \
		int saved = errno;                                                                                     \
		after;                                                                                                 \
		t->depth--;                                                                                            \
		t->call = outer;                                                                                       \
		errno = saved;                                                                                         \
		return rc;                                                                                             \
	}

#define CALL(name, params, args, before, after)                                                                        \
	WRAP(MPI_##name, m2d_mpi.name, name, params, args, before, after)                                              \
	WRAP(PMPI_##name, m2d_pmpi.name, name, params, args, before, after)
#include "calls.def"
#undef CALL
