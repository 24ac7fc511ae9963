/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file link_state.h
 * What the files behind link.h share: the state of a call that is under way, and what is done with a partner.
 */
#ifndef M2D_LINK_STATE_H
#define M2D_LINK_STATE_H

#include "handshake.h"
#include "connection.h"
#include "link.h"

#include <stdbool.h>

struct m2d_port;

/** One call of one thread; all zero at first, file descriptors -1. */
struct m2d_link {
	struct m2d_link *next; /**< of the unused ones */
	MPI_Comm comm;         /**< of the call, when has_comm */
	int root;
	bool has_comm, is_root;
	bool changed; /**< an event to be told: METADIRECTORY_CHANGED */
	bool is_lost; /**< MPI may still use the memory */

	int listener, listener_tcp; /**< spawn; join has only the first */
	int partner;                /**< a connection */
	MPI_Info *infos;            /**< spawn: ours, to be freed */
	int n_infos;
	struct m2d_port *port; /**< accept */
	bool is_server;        /**< join: the partner connects to us */
	char partner_name[M2D_CONNECTION_NAME_MAX + 1];

	struct m2d_handshake mine, theirs;
	struct m2d_message scratch;
	struct m2d_message broadcast[2]; /**< ours, theirs */
};

/**
 * Begin a call: this thread's state. What an earlier call has left (an error handler that did not return) is ended.
 *
 * @param comm m2d_constants.comm_null: the call has none, or an invalid one, which is not touched
 * @return NULL: not between MPI_Init and MPI_Finalize, or no memory. Then there is nothing to be done in this call.
 */
struct m2d_link *m2d_link_begin(int root, MPI_Comm comm);

/** This thread's call; NULL: none. */
struct m2d_link *m2d_link_current(void);

/** Close and release everything of it. Takes NULL. */
void m2d_link_end(struct m2d_link *m);

/** Write our side into m->mine. @param sequence number of the spawn, -1: none */
void m2d_link_write_handshake(struct m2d_link *m, int sequence);

/** Give m->mine and take m->theirs over m->partner, within M2D_LINK_WAIT_MS. */
bool m2d_link_exchange(struct m2d_link *m);

/** Into our table: m->theirs' metadirectory and root; and our own metadirectory, when we are not it. */
void m2d_link_enter(struct m2d_link *m);

/**
 * After a successful call, in every process of m->comm: rank 0 of the world learns from the root what that has
 * learned, if it takes part and all of them carry the library. When this returns in the root, rank 0's table is right
 * (or rank 0 has not answered within 2 * M2D_LINK_WAIT_MS).
 *
 * @param met on the root: m->theirs is filled
 */
void m2d_link_spread(struct m2d_link *m, bool met);

/** The events: METADIRECTORY_CHANGED if so, then @p state if it is not 0. */
void m2d_link_emit(struct m2d_link *m, int state);

/** The name of a socket (M2D_CONNECTION_NAME_MAX + 1 characters) that both sides make of the same key. */
void m2d_link_socket_name(char *ret, char kind, const char *key);

/** The byte by which rank 0 of the children says that their tables are filled. */
extern const char m2d_link_filled;

/** In a forked child: the sockets of the ports are not its own. */
void m2d_link_ports_forget(void);

/** Late connectors are entered, and all ports' sockets closed. */
void m2d_link_ports_close(void);

#endif /* M2D_LINK_STATE_H */
