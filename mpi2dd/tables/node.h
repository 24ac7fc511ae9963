/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file node.h
 * The processes of this world on this node find each other over local sockets.
 *
 * Before the real MPI_Init each process listens on a socket named after user, world, node and local rank. After it,
 * everybody's socket is there or will never be. The process with local rank 0, the node's directory, looks which
 * sockets are there (who answers, carries the library), takes as many reports, and answers them all. Nobody waits for
 * a process without the library. All functions leave errno alone.
 */
#ifndef M2D_NODE_H
#define M2D_NODE_H

#include "directory.h"
#include "launch.h"
#include "message.h"

enum {
	M2D_NODE_GATHER_MS = 10000, /**< for the reports of processes that are known to carry the library */
	M2D_NODE_ANSWER_MS = 90000, /**< for the directory, which may itself wait for other nodes */
};

/** Before the real MPI_Init: be there. */
void m2d_node_listen(const struct m2d_launch *launch, const char *host);

/**
 * The directory: collect the reports of the others.
 *
 * @param[out] ret       local_size - 1 elements; the strings are permanent
 * @return how many. local_size - 1: all processes of the node carry the library.
 */
size_t m2d_node_gather(const struct m2d_launch *launch, struct m2d_process *ret);

/** The directory: the same answer to all who have reported. */
void m2d_node_answer(const struct m2d_message *answer);

/** Another process: report, and wait for the answer. false: there is no directory, or it has given up. */
bool m2d_node_report(const struct m2d_launch *launch, const struct m2d_process *self, struct m2d_message *ret);

/** Close every socket. */
void m2d_node_close(void);

#endif /* M2D_NODE_H */
