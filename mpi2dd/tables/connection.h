/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file connection.h
 * Sockets between processes that carry the library. Every wait has a limit; file descriptors are high (programs count
 * on low ones), close-on-exec and non-blocking; there is no SIGPIPE and no resolver. Local sockets live in the
 * abstract name space: no files, and they disappear with the process; only processes of the same user are talked to there.
 *
 * A place is text: "unix:NAME,tcp:192.0.2.1:5000,tcp:[2001:db8::1]:5000", tried in turn.
 * errno is not kept: the callers do that. A function that returns a file descriptor returns -1 on failure.
 */
#ifndef M2D_CONNECTION_H
#define M2D_CONNECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { M2D_CONNECTION_NAME_MAX = 100 }; /**< characters of a local socket's name */

/** Milliseconds of a clock that only goes forward: what deadlines are made of. */
int64_t m2d_connection_now(void);

/** Wait for poll() events. After the deadline it looks once more: a debugger may have held us. */
bool m2d_connection_wait(int fd, short events, int64_t deadline);

/** Listen under a name. Returns -1 also when the name is in use. */
int m2d_connection_listen(const char *name);

/** Listen on all addresses of this host, on a port that the system chooses. */
int m2d_connection_listen_tcp(int *ret_port);

/** Append ",tcp:ADDRESS:PORT" of each address by which other hosts may reach this one, as far as there is room. */
void m2d_connection_own_addresses(int port, char *text, size_t text_bytes);

/** Connect to a local name, at once or not at all. */
int m2d_connection_reach_name(const char *name);

/** Connect to the first part of a place that answers; a local one whose queue is full is tried again for a second. */
int m2d_connection_reach(const char *place, int64_t deadline);

/** Take one connection that is there; -1: none. One of another user is closed, and the next one taken. */
int m2d_connection_accept(int listener);

bool m2d_connection_send(int fd, const void *bytes, size_t n, int64_t deadline);
/** All @p n bytes, or false. */
bool m2d_connection_receive(int fd, void *ret, size_t n, int64_t deadline);

/** Close if open, and forget. */
void m2d_connection_close(int *fd);

/** Random hexadecimal digits from the system; false: it gives none. @p n_chars even, at most 64. */
bool m2d_connection_secret(char *ret, size_t n_chars);
/** Are two texts the same? Takes as long for any two of a length. */
bool m2d_connection_same_secret(const char *a, const char *b);

#endif /* M2D_CONNECTION_H */
