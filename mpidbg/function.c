/* SPDX-License-Identifier: BSD-3-Clause */
/* Facts of the table of MPI functions, for debuggers. */
#include "code.h"

#include "../functions/functions.h"

#include <stddef.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

int mpidbg_get_function(const char *name, struct mpidbg_function_t *ret)
{
	if (!name || !ret)
		return MPIDBG_ERR_OUT_OF_RANGE;
	const struct fn_function *f = fn_find(name);
	if (!f)
		return MPIDBG_ERR_NOT_FOUND;
	*ret = (struct mpidbg_function_t){ .parameters = f->parameters, .scatters = (f->facts & FN_SCATTERS) != 0 };
	return MPIDBG_SUCCESS;
}
