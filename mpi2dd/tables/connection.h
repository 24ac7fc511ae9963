/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file connection.h
 * Sockets between processes that carry the library. Every wait has a deadline. File descriptors have high numbers
 * (programs rely on low ones), close-on-exec and non-blocking. No SIGPIPE is raised, and no resolver is used. Local
 * sockets are in the abstract name space: they leave no files and disappear with the process; only peers of the same
 * user are accepted.
 *
 * A place is a text: "unix:NAME,tcp:192.0.2.1:5000,tcp:[2001:db8::1]:5000", tried from left to right.
 * Deadlines are in milliseconds of m2d_connection_now(). errno is not preserved; the callers do that. A function that
 * returns a file descriptor returns -1 on failure; the caller closes it with m2d_connection_close().
 */
#ifndef M2D_CONNECTION_H
#define M2D_CONNECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { M2D_CONNECTION_NAME_MAX = 100 }; /**< characters of a local socket's name */

/** Milliseconds of a monotonic clock: the unit of all deadlines. */
int64_t m2d_connection_now(void);

/**
 * Wait for poll() events on a descriptor. Polls once more after the deadline, because a debugger may have stopped this
 * process meanwhile. @return true: an event has occurred.
 */
bool m2d_connection_wait(int fd, short events, int64_t deadline);

/** Listen on a local name. Fails if the name is in use. */
int m2d_connection_listen(const char *name);

/** Listen on all addresses of this host. @param[out] ret_port the port that the system chose. */
int m2d_connection_listen_tcp(int *ret_port);

/** Append ",tcp:ADDRESS:PORT" for each address by which other hosts may reach this one, as long as there is room. */
void m2d_connection_own_addresses(int port, char *text, size_t text_bytes);

/** Connect to a local name; fails at once if nobody listens or the queue is full. */
int m2d_connection_reach_name(const char *name);

/**
 * Connect to the first address of a place that answers. If the
 * queue of a local socket is full, it is tried again for a second.
 */
int m2d_connection_reach(const char *place, int64_t deadline);

/** Accept one pending connection; -1: none. Connections from other users are closed and skipped. */
int m2d_connection_accept(int listener);

/** Send all @p n bytes. @return false: the connection is broken, or the deadline has passed. */
bool m2d_connection_send(int fd, const void *bytes, size_t n, int64_t deadline);
/**
 * Receive exactly @p n bytes. @return false: the connection has
 * ended, or the deadline has passed; part of @p ret may be written.
 */
bool m2d_connection_receive(int fd, void *ret, size_t n, int64_t deadline);

/** Close the descriptor if it is open, and set it to -1. */
void m2d_connection_close(int *fd);

/**
 * Fill @p ret with random hexadecimal digits and a NUL. @param
 * n_chars even, at most 64. @return false: the system has none.
 */
bool m2d_connection_secret(char *ret, size_t n_chars);
/** Compare two secrets in a time that depends only on their length. */
bool m2d_connection_same_secret(const char *a, const char *b);

#endif /* M2D_CONNECTION_H */
