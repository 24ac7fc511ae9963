/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file listen.h
 * The hub's listening sockets, and their addresses as text.
 */
#ifndef RUN_LISTEN_H
#define RUN_LISTEN_H

#include <stddef.h>

/**
 * Open a stream socket in the abstract name space, non-blocking, close-on-exec.
 *
 * @param[out] ret "unix:NAME", at most @p size bytes with the NUL
 * @return the descriptor, or -1 with errno
 */
int run_listen_unix(char *ret, size_t size);

/**
 * Open a TCP socket that other hosts can connect to.
 *
 * @param[out] ret "tcp:192.0.2.1:5000,tcp:[2001:db8::1]:5000": the addresses of this host that others can reach, IPv4
 *                 first, at most four
 * @return the descriptor; -1: this host has no such address, or no TCP
 */
int run_listen_tcp(char *ret, size_t size);

/**
 * Open a TCP socket on the loopback interface, for local processes that cannot use the abstract name space (a sandbox).
 *
 * @param[out] ret "tcp:127.0.0.1:5000"
 * @return the descriptor; -1: no TCP
 */
int run_listen_loopback(char *ret, size_t size);

/** Write @p n random bytes as 2 * n hexadecimal digits and a NUL. @return 0, or -1 with errno. */
int run_listen_random(char *ret, size_t n);

#endif /* RUN_LISTEN_H */
