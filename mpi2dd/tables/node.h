/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file node.h
 * The processes of this world on this node find each other over local sockets.
 *
 * Before the real MPI_Init, each process listens on a socket named after user, world, node and local rank. MPI_Init
 * synchronizes the processes, so after it every such socket exists or never will. The process with local rank 0, the
 * node's directory, connects to each name (a process that listens carries the library), collects that many reports, and
 * answers them all. Nobody waits for a process without the library. All functions preserve errno.
 */
#ifndef M2D_NODE_H
#define M2D_NODE_H

#include "directory.h"
#include "launch.h"
#include "message.h"

enum {
	M2D_NODE_GATHER_MS = 10000, /**< waiting for reports of processes that are known to carry the library */
	M2D_NODE_ANSWER_MS = 90000, /**< waiting for the directory, which may itself wait for other nodes */
};

/** Before the real MPI_Init: open this process's socket. */
void m2d_node_listen(const struct m2d_launch *launch, const char *host);

/**
 * In the directory: collect the reports of the other processes.
 *
 * @param[out] ret array of local_size - 1 elements; the strings are permanent
 * @return how many were filled. local_size - 1: all processes of the node carry the library.
 */
size_t m2d_node_gather(const struct m2d_launch *launch, struct m2d_process *ret);

/** In the directory: send the same answer to all processes that have reported. */
void m2d_node_answer(const struct m2d_message *answer);

/**
 * In another process: send the report and wait for the answer.
 * @return false: there is no directory, or it has given up.
 */
bool m2d_node_report(const struct m2d_launch *launch, const struct m2d_process *self, struct m2d_message *ret);

/** Close all sockets. */
void m2d_node_close(void);

#endif /* M2D_NODE_H */
