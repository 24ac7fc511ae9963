/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file called.h
 * Which function a call instruction has called.
 *
 * A function that ends by jumping to another one leaves no frame: below the frame of MPICH's MPI_Waitany is a static
 * function without a name. The call instruction before the return address still identifies the called function.
 */
#ifndef HOST_CALLED_H
#define HOST_CALLED_H

#include "host.h"

/**
 * The function that the call before a return address has called: directly, through the procedure linkage table, or
 * through the global offset table.
 *
 * @param[out] ret its name, cut to @p size
 * @return false: the processor is not x86-64, the bytes are no such call, the memory cannot be read, or no symbol
 *         begins at what was called; @p ret is not valid.
 */
bool host_called_function(struct host_target *t, uint64_t return_addr, char *ret, size_t size);

#endif /* HOST_CALLED_H */
