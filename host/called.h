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
 * The function called by the call instruction before a return address: directly, through the procedure linkage table,
 * or through the global offset table.
 *
 * @param[out] ret its name, cut off at @p size; undefined on failure
 * @return false: the processor is neither x86-64 nor aarch64, the bytes are not such a call, the memory cannot be read,
 * or no symbol begins at the called address
 */
bool host_called_function(struct host_target *t, uint64_t return_addr, char *ret, size_t size);

#endif /* HOST_CALLED_H */
