/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file script.h
 * Random scripts for tests/programs/player.c.
 *
 * A script is a sequence of phases. Each phase is a piece of communication that ends if all its threads come to it (a
 * message and its receive, a collective, ...). All threads execute their parts in the order of the phases, and a
 * non-blocking operation is waited for in a later phase. So a script without a fault ends, whatever the MPI library
 * buffers: the first phase that is not finished has all it needs. One phase of most scripts is replaced by a fault.
 */
#ifndef TEST_SCRIPT_H
#define TEST_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum script_effect {
	SCRIPT_ENDS,  /**< no fault */
	SCRIPT_HANGS, /**< may hang; whether it does depends on what the MPI library buffers: see the progress */
	SCRIPT_RUNS   /**< ranks wait for one that computes, or is stopped until a signal continues it */
};

enum {
	SCRIPT_RANKS_MAX = 5,
	SCRIPT_COMMS_MAX = 40,
	SCRIPT_LATE_MAX = 64,
	SCRIPT_NUMBERS_MAX = 256,
	SCRIPT_WINDOWS_MAX = 32
};

struct script_comm {
	int index;                      /**< number in the script */
	int thread;                     /**< the thread of each member that uses it */
	int n, ranks[SCRIPT_RANKS_MAX]; /**< world ranks, in the order of local ranks */
	bool inter, cart, ended;        /**< intercommunicators have @p n_remote others in @p remote */
	int n_remote, remote[SCRIPT_RANKS_MAX];
};

/** A request that is not yet waited for. */
struct script_late {
	int rank, thread, request;
};

struct script {
	unsigned seed;
	int n, level;
	bool mpich;        /**< for this MPI */
	const char *fault; /**< name; "": none */
	enum script_effect effect;
	char *text; /**< the file */

	/* while it is made */
	uint64_t random;
	size_t n_text;
	struct script_comm comms[SCRIPT_COMMS_MAX];
	int n_comms, n_requests, n_windows, n_tags, comm_numbers;
	struct script_late late[SCRIPT_LATE_MAX];
	int n_late;
	int thread_of_comm; /**< communicator of the second threads; -1: none */
	bool has_fault;
};

/**
 * Make the script of a seed. The same seed makes the same script.
 *
 * @param fault name of the fault to plant; NULL: chosen by the seed, or none
 * @param[out] ret script_free()
 */
void script_make(unsigned seed, bool mpich, const char *fault, struct script *ret);

void script_free(struct script *s);

/** The operation at a line of the file, from 1, and what follows; "": there is none. */
const char *script_op(const struct script *s, unsigned line);

/** Names of all faults, ends with NULL. */
const char *script_fault_name(size_t i);

/* ---- for script_faults.c ---------------------------------------------------------------------------------- */

/** A number of 0..n-1. */
int script_below(struct script *s, int n);

static inline bool script_chance(struct script *s, int percent)
{
	return script_below(s, 100) < percent;
}

/** Append an operation of a thread of a rank. */
void script_add(struct script *s, int rank, int thread, const char *format, ...) __attribute__((format(printf, 4, 5)));

/** Append an operation of the thread that uses this communicator, of its member @p member. */
#define script_member(s, c, member, ...) script_add(s, (c)->ranks[member], (c)->thread, __VA_ARGS__)

/** A random intracommunicator of at least @p n members that no thread has ended; NULL: there is none. */
struct script_comm *script_comm(struct script *s, int n);

/** A new communicator with the members of another; the caller writes the lines that make it. NULL: too many. */
struct script_comm *script_new_comm(struct script *s, const struct script_comm *like);

/** All members duplicate it. NULL: too many. */
struct script_comm *script_dup(struct script *s, const struct script_comm *c);

/** A new intercommunicator between the halves of @p c; NULL: too many. */
struct script_comm *script_inter(struct script *s, const struct script_comm *c);

/** A new ring of all members; NULL: too many. */
struct script_comm *script_cart(struct script *s, const struct script_comm *c);

/** A function of enum player_function for this communicator. */
int script_function(struct script *s, const struct script_comm *c);

/** Sizes of messages: small ones are sent at once by every MPI library, large ones never. */
int script_small(struct script *s);
int script_large(struct script *s);

/** A thread, which was started, ends; thread 0 joins it. */
void script_leave(struct script *s, int rank, int thread);

/**
 * Append the faulty phase.
 *
 * @return false: the script has no communicator for it; nothing was appended.
 */
bool script_plant(struct script *s, const char *name);

#endif /* TEST_SCRIPT_H */
