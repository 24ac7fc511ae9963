/* SPDX-License-Identifier: BSD-3-Clause */
#include "code.h"

#pragma GCC poison assert abort exit printf fprintf malloc free

int mpidbg_code(enum acc_rc rc)
{
	switch (rc) {
	case ACC_OK:
		return MPIDBG_SUCCESS;
	case ACC_NONE:
		return MPIDBG_ERR_NOT_FOUND;
	case ACC_EINVAL:
		return MPIDBG_ERR_OUT_OF_RANGE;
	case ACC_ENOMEM:
		return MPIDBG_ERR_NO_MEM;
	default:
		return MPIDBG_ERR_UNAVAILABLE;
	}
}
