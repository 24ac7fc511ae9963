/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file descriptor.h
 * What the descriptors of a process are: files, pipes, sockets; and which other processes have the other end.
 */
#ifndef WT_DESCRIPTOR_H
#define WT_DESCRIPTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum wt_descriptor_kind {
	WT_FD_UNKNOWN, /**< /proc may not be read, or it is closed */
	WT_FD_FILE,
	WT_FD_TERMINAL,
	WT_FD_PIPE,
	WT_FD_SOCKET,
	WT_FD_OTHER /**< an eventfd, a timer ... */
};

enum { WT_DESCRIPTOR_BYTES = 160 };

struct wt_descriptor {
	enum wt_descriptor_kind kind;
	uint64_t inode; /**< of a pipe or socket; 0: unknown */
	uint64_t peer;  /**< of a socket: inode of the socket at its other end; 0: unknown, or elsewhere */
	char text[WT_DESCRIPTOR_BYTES]; /**< "a pipe", "the file /scratch/out.h5 (lustre)"; unquoted bytes of a path */
};

/**
 * Describe a descriptor. Asks no file system, which may not answer.
 *
 * @param more also what takes time: the type of the file system, and to whom a socket is connected
 */
void wt_descriptor_read(pid_t pid, int fd, bool more, struct wt_descriptor *ret);

/**
 * The other processes that have the other end of a pipe or socket open: all those whose descriptors may be read.
 *
 * @param reads    the process reads from it; of a pipe only those that may write into it are wanted, and vice versa
 * @param[out] ret at most @p max process ids, ascending
 * @param[out] all false: there may be others: of another user, on another host, or more than @p max
 * @return how many; 0 and all: only the process itself has it
 */
size_t wt_descriptor_peers(pid_t pid, const struct wt_descriptor *d, bool reads, pid_t *ret, size_t max, bool *all);

/**
 * All processes that have the other end of a pipe open, the reading or writing one itself among them.
 *
 * @param d of kind WT_FD_PIPE
 * The other arguments are those of wt_descriptor_peers().
 */
size_t wt_pipe_holders(const struct wt_descriptor *d, bool reads, pid_t *ret, size_t max, bool *all);

/** The descriptors that an epoll descriptor watches. @return how many; at most @p max are in @p ret */
size_t wt_descriptor_watched(pid_t pid, int fd, int *ret, size_t max);

/** Has this process the other end of a pipe or socket of another one open? As for wt_descriptor_peers(). */
bool wt_descriptor_is_peer(pid_t pid, const struct wt_descriptor *d, bool reads);

/** The name of a process, "" if it is unknown: as the kernel has it, at most 15 characters. */
void wt_process_name(pid_t pid, char ret[17]);

#endif /* WT_DESCRIPTOR_H */
