/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file file_locks.h
 * Locks of files by flock() and fcntl(), from /proc/locks.
 */
#ifndef WT_FILE_LOCKS_H
#define WT_FILE_LOCKS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * The processes that hold the lock for which a thread waits, as
 * far as this kernel knows them: not those on other machines.
 *
 * @param[out] ret at most @p max
 * @return how many
 */
size_t wt_file_lock_holders(pid_t pid, int64_t tid, pid_t *ret, size_t max);

#endif /* WT_FILE_LOCKS_H */
