/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file starter.h
 * The starter, mpi2dd-run, as the library in the ranks sees it: a hub that counts the nodes of a world and learns
 * where its metadirectory is. Includes no mpi.h: the hub (mpi2dd/run/hub.c) is built with the same header.
 *
 * The hub's place is the environment variable MPI2DD_STARTER:
 *
 *     unix:NAME,tcp:ADDRESS:PORT,tcp:[ADDRESS6]:PORT;COOKIE
 *
 * NAME is a stream socket of the abstract name space, for ranks on the starter's host; the tcp addresses, which may
 * be missing, are for the other ones, tried in turn. COOKIE: 32 hexadecimal digits, who knows it belongs to the job.
 *
 * One connection carries one request and one answer, each a line of text that ends with a newline. Words are
 * separated by single spaces; a word that is TEXT has every byte but letters, digits and "-._/:@+," as %XX, and the
 * empty text is the word "%".
 *
 *     MPI2DD/1 COOKIE HELLO JOB RANK LOCAL_SIZE                      OK
 *     MPI2DD/1 COOKIE VERDICT JOB RANK WORLD_SIZE GOOD               YES or NO
 *     MPI2DD/1 COOKIE PLACE JOB HOST EXECUTABLE PID WORLD_ID         OK
 *     MPI2DD/1 COOKIE WATCH JOB HOST PID                             OK, and more
 *
 * JOB, HOST, EXECUTABLE, WORLD_ID are TEXT, the others decimal numbers, GOOD is 0 or 1. The hub closes the connection
 * without an answer when it does not understand the request, when the cookie is wrong, when the line is longer than
 * M2D_STARTER_LINE_MAX or not there after M2D_STARTER_SILENCE_MS.
 *
 * HELLO: one process of each node (its local rank 0), before the real MPI_Init: this node has LOCAL_SIZE processes of
 * JOB that carry the library, as far as it can tell. The answer says that the hub has counted it.
 * VERDICT: the same process after the real MPI_Init, when all other nodes have had their HELLO counted. Decided once
 * per job, and everybody gets the same answer. NO at once when the sizes of all HELLOs are not WORLD_SIZE, or when a
 * node says GOOD 0. YES when each node that said HELLO has said GOOD 1. NO for all when that takes longer than
 * M2D_STARTER_DECIDE_MS from the first VERDICT on.
 * PLACE: rank 0 of a world, when its tables are there. The hub keeps the first world's for MPI2DD_info of the starter
 * and tells START there, after it has answered.
 * WATCH: each process, when the hub wants to know of hangs (the variable MPI2DD_HANG, in seconds); JOB is not looked at.
 * This connection stays: its end is the process's. The process says, each a line,
 *     STALL RANK SECONDS FUNCTION    no MPI call was finished for so long; it is in this one ("%": in none)
 *     GOING                          one was
 * and the hub says BREAK, once at most: call MPI2DD_breakpoint, with MPI2DD_DEBUG_HANG.
 */
#ifndef M2D_STARTER_H
#define M2D_STARTER_H

#include <stdbool.h>

#define M2D_STARTER_VARIABLE "MPI2DD_STARTER"
#define M2D_STARTER_GREETING "MPI2DD/1"

enum {
	M2D_STARTER_COOKIE_CHARS = 32,
	M2D_STARTER_LINE_MAX = 32768, /**< bytes of a request, with its newline */
	M2D_STARTER_PLACE_MAX = 1024, /**< bytes of the variable's value, with the NUL */
	M2D_STARTER_SILENCE_MS = 3000,
	M2D_STARTER_ANSWER_MS = 3000, /**< a rank waits no longer for OK */
	M2D_STARTER_DECIDE_MS = 10000,
};

/*
 * The library's side. Called in MPI_Init, by one thread. errno stays as it was, there is no SIGPIPE, file
 * descriptors are high, close-on-exec, and closed on return; nothing waits without a limit, nothing is printed.
 */

/** Was this process started by mpi2dd-run, and has the hub answered so far? Sends nothing. */
bool m2d_starter_known(void);

/**
 * Say HELLO, before the real MPI_Init; at most M2D_STARTER_ANSWER_MS.
 *
 * @param job         name of the world: the same in all its processes, on all hosts; no other world of this starter
 *                    has it. Kept as a copy for the verdict; cut after 255 bytes.
 * @param world_rank  of this process, -1 when it is not known
 * @param local_size  processes of the world on this node
 * @return true: counted. false: no starter, or it does not answer, which is remembered: m2d_starter_known() is false.
 */
bool m2d_starter_hello(const char *job, int world_rank, int local_size);

/**
 * Ask for the verdict, after the real MPI_Init and a HELLO in this process.
 *
 * @param mine_good   all local processes have answered
 * @param timeout_ms  give up then. Less than M2D_STARTER_DECIDE_MS and some more risks that other nodes hear YES
 *                    and this one nothing; a stop by a debugger meanwhile does no harm, an answer that has arrived
 *                    is taken.
 * @return true: every process of the world carries the library, and every node is told so. false: no, or no answer.
 */
bool m2d_starter_verdict(bool mine_good, int world_size, int timeout_ms);

/**
 * Tell where the metadirectory of this world is: rank 0 itself, with its tables filled. No HELLO is needed before.
 *
 * @return true: the starter has it. At most M2D_STARTER_ANSWER_MS.
 */
bool m2d_starter_place(const char *job, const char *host, const char *executable, int pid, const char *world_id);

/*
 * Hangs (mpit/stall.c). In a thread of the library's own; errno is not kept.
 */

/** Say WATCH. @return the connection, to be closed with m2d_connection_close(); -1: no starter, or no answer. */
int m2d_starter_watch(int pid);

/** STALL. @param function NULL: in none. @return false: the connection is dead. */
bool m2d_starter_stalled(int fd, int world_rank, int seconds, const char *function);

/** GOING. */
bool m2d_starter_going(int fd);

#endif /* M2D_STARTER_H */
