/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file starter.h
 * The protocol between mpi2dd-run (the starter) and the library in the ranks. The
 * starter's hub (mpi2dd/run/hub.c) counts the nodes of a world and learns where its
 * metadirectory is. Does not include mpi.h, because the hub uses the same header.
 *
 * The environment variable MPI2DD_STARTER holds the hub's address:
 *
 *    unix:NAME,tcp:ADDRESS:PORT,tcp:[ADDRESS6]:PORT;COOKIE
 *
 * NAME is a stream socket in the abstract name space, for ranks on the starter's host. The tcp addresses, which may be
 * missing, are for all other hosts and are tried in turn. COOKIE is 32 hexadecimal digits; a client that knows it
 * belongs to the job.
 *
 * One connection carries one request and one answer, each a line of text that ends with a newline. Words are separated
 * by single spaces. In a word of type TEXT every byte other than letters, digits and "-._/:@+," is written as %XX; the
 * empty text is the word "%".
 *
 *    MPI2DD/1 COOKIE HELLO JOB RANK LOCAL_SIZE                      OK
 *    MPI2DD/1 COOKIE VERDICT JOB RANK WORLD_SIZE GOOD               YES or NO
 *    MPI2DD/1 COOKIE PLACE JOB HOST EXECUTABLE PID WORLD_ID         OK
 *    MPI2DD/1 COOKIE WATCH JOB HOST PID                             OK, and more
 *    MPI2DD/1 COOKIE FINAL JOB RANK WORLD_SIZE PID                  OK
 *
 * JOB, HOST, EXECUTABLE and WORLD_ID are TEXT; GOOD is 0 or 1; the other words are decimal numbers. The hub closes the
 * connection without an answer if it does not understand the request, if the cookie is wrong, or if the line is longer
 * than M2D_STARTER_LINE_MAX or not complete after M2D_STARTER_SILENCE_MS.
 *
 * HELLO is sent by one process of each node (local rank 0) before the real MPI_Init: this node has LOCAL_SIZE processes
 * of JOB that carry the library, as far as it can tell. OK means that the hub has counted it.
 * VERDICT is sent by the same process after the real MPI_Init, when the HELLOs of all other nodes have been counted.
 * The hub decides once per job and sends everybody the same answer: NO at once if the LOCAL_SIZEs of all HELLOs do not
 * add up to WORLD_SIZE or a node sends GOOD 0; YES when each node that sent HELLO has sent GOOD 1; NO for all if that
 * takes longer than M2D_STARTER_DECIDE_MS after the first VERDICT.
 * PLACE is sent by rank 0 of a world when its tables are filled. The hub stores the place of the first world in the
 * starter's MPI2DD_info and, after its answer, raises START there.
 * FINAL is sent by each process in MPI_Finalize, before the real one, if objects that are left are to be reported (the
 * variable MPI2DD_LEAKS). When all WORLD_SIZE processes of JOB have sent it, the hub has them reported, and then
 * answers all; a process waits for that no longer than M2D_STARTER_FINAL_MS.
 * WATCH is sent by each process if hang detection is on (the variable MPI2DD_HANG, in seconds); JOB is ignored. This
 * connection stays open until the process ends. The process then sends lines:
 *    STALL RANK SECONDS FUNCTION    no MPI call has finished for SECONDS; it is inside FUNCTION ("%": in none)
 *    GOING                          a call has finished since
 * The hub sends BREAK, at most once: call MPI2DD_breakpoint with MPI2DD_DEBUG_HANG.
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
	M2D_STARTER_ANSWER_MS = 3000, /**< a rank waits at most this long for OK */
	M2D_STARTER_DECIDE_MS = 10000,
	M2D_STARTER_FINAL_MS = 60000,
};

/*
 * The library's side. Called in MPI_Init, by one thread. errno is preserved, no SIGPIPE is raised. File descriptors
 * have high numbers, close-on-exec, and are closed on return. Every wait has a limit. Nothing is printed.
 */

/** Was this process started by mpi2dd-run, and has the hub answered every request so far? Sends nothing. */
bool m2d_starter_known(void);

/**
 * Send HELLO, before the real MPI_Init. Takes at most M2D_STARTER_ANSWER_MS.
 *
 * @param job         name of the world: the same in all its processes, on all hosts; no other world of this starter has
 *                    it. Copied for the decision; cut off after 255 bytes.
 * @param world_rank  of this process; -1: not known
 * @param local_size  number of processes of the world on this node
 * @return true: counted. false: no starter, or it does not answer; from then on m2d_starter_known() is false.
 */
bool m2d_starter_hello(const char *job, int world_rank, int local_size);

/**
 * Send VERDICT, after the real MPI_Init and a successful HELLO in this process.
 *
 * @param mine_good   all local processes have reported
 * @param world_size  number of processes of the world
 * @param timeout_ms  maximum wait. With less than M2D_STARTER_DECIDE_MS plus a margin,
 *                    other nodes may get YES while this one gives up. A stop by a
 *                    debugger does no harm: an answer that has arrived meanwhile is read.
 * @return true: every process of the world carries the library, and every node gets this answer. false: the answer is
 *         NO, or there is none.
 */
bool m2d_starter_decide(bool mine_good, int world_size, int timeout_ms);

/**
 * Send PLACE: this process, rank 0 of its world, is the metadirectory and its tables are filled. Needs no HELLO before.
 *
 * @return true: the starter has confirmed it, within M2D_STARTER_ANSWER_MS.
 */
bool m2d_starter_place(const char *job, const char *host, const char *executable, int pid, const char *world_id);

/** Send FINAL, and wait for the answer, for at most M2D_STARTER_FINAL_MS. */
void m2d_starter_final(const char *job, int world_rank, int world_size, int pid);

/* Hang detection (mpit/stall.c). Called by a thread of the library's own; errno is not preserved. */

/** Send WATCH. @return the connection, to be closed with m2d_connection_close(); -1: no starter, or no answer. */
int m2d_starter_watch(int pid);

/** Send STALL. @param function name of the MPI call; NULL: outside MPI. @return false: the connection is broken. */
bool m2d_starter_stalled(int fd, int world_rank, int seconds, const char *function);

/** Send GOING. @return false: the connection is broken. */
bool m2d_starter_going(int fd);

#endif /* M2D_STARTER_H */
