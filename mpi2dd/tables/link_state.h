/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file link_state.h
 * Shared by the files that implement link.h: the state of a call in progress, and operations on the partner.
 */
#ifndef M2D_LINK_STATE_H
#define M2D_LINK_STATE_H

#include "handshake.h"
#include "connection.h"
#include "link.h"

#include <stdbool.h>

struct m2d_port;

/** One call of one thread. Initially zero, except that descriptors are -1. */
struct m2d_link {
	struct m2d_link *next; /**< in the list of unused records */
	MPI_Comm comm;         /**< of the call; valid if has_comm */
	int root;
	bool has_comm, is_root;
	bool changed;   /**< METADIRECTORY_CHANGED is still to be raised */
	bool is_in_use; /**< an MPI operation may still use this memory, so it must not be reused */

	int listener, listener_tcp; /**< for spawn; join uses only the first */
	int partner;                /**< connection to the other side's root */
	MPI_Info *infos;            /**< for spawn: the infos that we created, to be freed */
	int n_infos;
	struct m2d_port *port; /**< for accept */
	bool is_server;        /**< for join: the partner connects to us */
	char partner_name[M2D_CONNECTION_NAME_MAX + 1];

	struct m2d_handshake mine, theirs;
	struct m2d_message scratch;
	struct m2d_message broadcast[2]; /**< our handshake, the partner's handshake */
};

/**
 * Create this thread's state for a call. State left over from an
 * earlier call (whose error handler did not return) is ended first.
 *
 * @param comm of the call; m2d_constants.comm_null if it has none or an invalid one, which is not accessed
 * @return NULL: not between MPI_Init and MPI_Finalize, or out of memory. The call is then not traced.
 */
struct m2d_link *m2d_link_begin(int root, MPI_Comm comm);

/** The state of this thread's call; NULL: none. */
struct m2d_link *m2d_link_current(void);

/** Close and free everything in it. Takes NULL. */
void m2d_link_end(struct m2d_link *m);

/** Fill m->mine. @param sequence number of the spawn; -1: not a spawn */
void m2d_link_write_handshake(struct m2d_link *m, int sequence);

/** Send m->mine and receive m->theirs over m->partner, within M2D_LINK_WAIT_MS. @return false: failed. */
bool m2d_link_exchange(struct m2d_link *m);

/**
 * Enter m->theirs' metadirectory and root into our table, and our
 * own metadirectory if this process is not it. Sets m->changed.
 */
void m2d_link_enter(struct m2d_link *m);

/**
 * After a successful call, in every process of m->comm: rank 0 of the world receives from the root what the root has
 * learned, if rank 0 takes part in the call and all its processes carry the library. When this returns in the root, the
 * table of rank 0 is up to date, unless rank 0 has not answered within 2 * M2D_LINK_WAIT_MS.
 *
 * @param has_partner on the root: m->theirs is filled
 */
void m2d_link_inform_rank_0(struct m2d_link *m, bool has_partner);

/** Raise METADIRECTORY_CHANGED if m->changed, then @p state unless it is 0. */
void m2d_link_emit(struct m2d_link *m, int state);

/** Derive a socket name (M2D_CONNECTION_NAME_MAX + 1 bytes) from a key that both sides know. */
void m2d_link_socket_name(char *ret, char kind, const char *key);

/** The byte that rank 0 of the children sends when their tables are filled. */
extern const char m2d_link_filled;

/** In a forked child: close the inherited sockets of all ports. */
void m2d_link_ports_forget(void);

/** Enter connectors that have arrived late, and close the sockets of all ports. */
void m2d_link_ports_close(void);

#endif /* M2D_LINK_STATE_H */
