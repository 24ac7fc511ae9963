/* SPDX-License-Identifier: BSD-3-Clause */
/* Our own control variables. */
#include "cvar.h"

static char version[64] = MPIDBG_VERSION;

const struct mpit_own_cvar mpit_own_cvars[] = {
	{ .name = "MPI2DD_VERSION",
	  .desc = "Version of the in-target library of mpidbg.",
	  .verbosity = MPI_T_VERBOSITY_USER_BASIC,
	  .scope = MPI_T_SCOPE_CONSTANT,
	  .text = version,
	  .text_bytes = sizeof(version) },
};
const int mpit_n_own_cvars = sizeof(mpit_own_cvars) / sizeof(mpit_own_cvars[0]);
