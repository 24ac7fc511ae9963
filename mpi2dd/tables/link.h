/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file link.h
 * Links between worlds made by MPI_Comm_spawn, MPI_Comm_connect and MPI_Comm_accept, MPI_Comm_join. The roots of both
 * sides exchange the locations of their metadirectories, and each side adds the other one to its metadirectory_table.
 *
 * A partner without the library is never sent anything, and is waited for only briefly (M2D_LINK_GRACE_MS). Whether it
 * carries the library is known from what it did before its own real call, which is under way or over when ours returns.
 *
 * - Spawn: the children find the place of a socket in their environment (M2D_LINK_VARIABLE). Their rank 0 connects to
 *   it before its real MPI_Init.
 * - Connect: the process that opened the port listens from MPI_Open_port to MPI_Close_port on a socket named after the
 *   port; the connecting root connects to it before its real MPI_Comm_connect.
 * - Join: each side listens on a socket named after the two ends of the file descriptor.
 *
 * The root enters what it has learned into its own tables. If it is not its world's metadirectory, it becomes an
 * additional one (I_AM_METADIR). Rank 0 of the world gets the entry too if it takes part in the call: by a broadcast on
 * the communicator of the call, and only when all processes of that communicator are known to carry the library.
 *
 * All functions preserve errno. Between the "before" and the "after"
 * function of a call, the state belongs to the calling thread.
 */
#ifndef M2D_LINK_H
#define M2D_LINK_H

#include <mpi.h>

#define M2D_LINK_VARIABLE "MPI2DD_PARENT"

enum {
	M2D_LINK_WAIT_MS = 10000, /**< wait for a partner that is known to carry the library */
	M2D_LINK_GRACE_MS = 100,  /**< wait for a partner that may or may not carry it */
};

struct MPI2DD_SPAWNDESC;

/* ---- for the set-up of the world ----------------------------------------------------------------- */

/** Before the real MPI_Init: rank 0 of a spawned world tells its parent that it carries the library. */
void m2d_link_before_init(void);

/**
 * After the real MPI_Init has succeeded, when rank, size, id, host, executable, pid and meta_* of
 * m2d_world are known, and before any other process of this world gets an answer: rank 0 of a
 * spawned world exchanges locations with the parent's root and enters it into metadirectory_table.
 * Takes at most M2D_LINK_WAIT_MS, and only if the parent carries the library.
 */
void m2d_link_after_init(void);

/** Maximum length of the text of m2d_link_origin(), with the NUL. */
enum { M2D_LINK_ORIGIN_MAX = 320 };

/**
 * The process that spawned this world, as a text for the world's other directories: "": none (started by a launcher),
 * "?": unknown parent, else "RANK SEQUENCE WORLD-ID". Without m2d_link_set_origin(), only rank 0 knows more than "" and
 * "?". Valid after m2d_link_after_init().
 */
const char *m2d_link_origin(void);

/** Take over rank 0's text in another process of the world. Ignored if it is malformed. */
void m2d_link_set_origin(const char *text);

/**
 * spawn_desc for this world's processes; NULL: the world was not spawned. For an unknown parent: parent_comm_world_id
 * 0, parent_rank -1, sequence -1. Static; does not change after m2d_link_set_origin().
 */
const struct MPI2DD_SPAWNDESC *m2d_link_spawn_desc(void);

/**
 * Tell the parent that this world's tables are filled, so that it may raise its event. Any process may call it; only
 * rank 0 sends.
 */
void m2d_link_tables_filled(void);

/** In a forked child, which has no links: close the inherited sockets. */
void m2d_link_forget(void);

/** Before the real MPI_Finalize: enter partners that have arrived late, and close all sockets. */
void m2d_link_before_finalize(void);

/* ---- for the wrappers ---------------------------------------------------------------------------- */

/**
 * @return the info to pass to the real function: the program's own, or a copy with our variables added (released by
 *         m2d_link_after_spawn()).
 */
MPI_Info m2d_link_before_spawn(MPI_Info info, int root, MPI_Comm comm);
/** Like m2d_link_before_spawn() for MPI_Comm_spawn_multiple. @return @p infos or an array of ours. */
const MPI_Info *m2d_link_before_spawns(int count, const MPI_Info infos[], int root, MPI_Comm comm);
void m2d_link_after_spawn(int rc);

/** A port has been opened: listen for processes that will connect to it. */
void m2d_link_port_opened(const char *port_name);
void m2d_link_port_closed(const char *port_name);

void m2d_link_before_accept(const char *port_name, int root, MPI_Comm comm);
void m2d_link_after_accept(int rc, const MPI_Comm *newcomm);
void m2d_link_before_connect(const char *port_name, int root, MPI_Comm comm);
void m2d_link_after_connect(int rc);

void m2d_link_before_join(int fd);
void m2d_link_after_join(int rc);

#endif /* M2D_LINK_H */
