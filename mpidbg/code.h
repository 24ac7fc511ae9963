/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file code.h
 * Converts results of the reader to the return codes of mpidbg.h.
 */
#ifndef MPIDBG_CODE_H
#define MPIDBG_CODE_H

#include "../mqs/state.h"

/** ACC_OK: SUCCESS; ACC_NONE: ERR_NOT_FOUND; ACC_EINVAL:
 * ERR_OUT_OF_RANGE; ACC_ENOMEM: ERR_NO_MEM; else ERR_UNAVAILABLE. */
int mpidbg_code(enum acc_rc rc);

#endif /* MPIDBG_CODE_H */
