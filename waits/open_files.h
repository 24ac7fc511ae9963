/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file open_files.h
 * Which processes have which pipes and sockets open: all of /proc, read once for all ranks that are asked about.
 */
#ifndef WT_OPEN_FILES_H
#define WT_OPEN_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct wt_open_file {
	uint64_t inode;
	pid_t pid;
	int fd;
	bool pipe; /**< false: a socket */
};

/** What is found must have been read at this time, of host_now_ms(), or later; what was read before is forgotten. */
void wt_open_files_after(double ms);

/**
 * Those of one pipe or socket, in all processes whose descriptors may be read.
 *
 * @param[out] n_ret number of them; ascending by process
 * @param[out] all   false: there may be others
 * @return borrowed until wt_open_files_after() is called
 */
const struct wt_open_file *wt_open_files_find(uint64_t inode, bool pipe, size_t *n_ret, bool *all);

/** Were there processes whose descriptors may not be read? false before wt_open_files_find() */
bool wt_open_files_hidden(void);

#endif /* WT_OPEN_FILES_H */
