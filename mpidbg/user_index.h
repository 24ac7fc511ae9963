/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file user_index.h
 * All references between objects, collected once while the process does not run (mqs_state_keep()): without them the
 * users of each object are found by reading all others.
 */
#ifndef MPIDBG_USER_INDEX_H
#define MPIDBG_USER_INDEX_H

#include "../mqs/state.h"

/** Is the index to be used? It is built by the first call. @return false: the process may run, or there is no memory */
bool mpidbg_users_indexed(struct _mqs_process_info *p);

/**
 * The users of a kind that refer to an object, in the order of their records.
 *
 * @param[in,out] at 0 at first
 * @return false: no more
 */
bool mpidbg_user_next(const struct _mqs_process_info *p, const struct mdl_handle *to, enum mdl_handle_kind kind,
		      uint64_t *at, uint64_t *handle);

#endif /* MPIDBG_USER_INDEX_H */
