/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file other_users.h
 * Processes of other user name spaces: those of containers.
 */
#ifndef HOST_OTHER_USERS_H
#define HOST_OTHER_USERS_H

#include <stdbool.h>
#include <sys/types.h>

/** Is a process that may not be read known to be in another user name space than this one? */
bool host_is_of_other_users(pid_t pid);

#endif /* HOST_OTHER_USERS_H */
