/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file slow_disk.h
 * A file system whose fsync() does not return, as on a file
 * server that does not answer: a rank in it cannot be stopped.
 */
#ifndef TEST_SLOW_DISK_H
#define TEST_SLOW_DISK_H

#include <stdbool.h>
#include <sys/types.h>

/**
 * Mount it on @p folder, in a name space of this process and those that it starts from now on. Each name in it is a
 * file that can be written.
 *
 * @param[out] server the process that answers; when it is killed, all calls return
 * @return false: this user must not mount, or the kernel has no FUSE
 */
bool slow_disk_mount(const char *folder, pid_t *server);

#endif /* TEST_SLOW_DISK_H */
