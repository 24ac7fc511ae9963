/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file sockets.h
 * Sockets of a process by their inodes: TCP from /proc/PID/net, Unix sockets from the kernel's sock_diag.
 */
#ifndef WT_SOCKETS_H
#define WT_SOCKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * Describe a socket: "a TCP connection to 10.0.0.2:4711", "a TCP
 * socket that listens at port 80", "a Unix socket", "a socket".
 *
 * @param[out] peer inode of the socket at the other end, if it is on this machine and known; else 0
 */
void wt_socket_read(pid_t pid, uint64_t inode, char *ret, size_t size, uint64_t *peer);

/**
 * The Unix sockets of our network name space that have unread messages, or unaccepted connections.
 *
 * @param[out] ret at most @p max inodes
 * @param[out] all false: there may be others
 */
size_t wt_sockets_unread(uint64_t *ret, size_t max, bool *all);

#endif /* WT_SOCKETS_H */
