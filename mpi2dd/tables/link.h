/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file link.h
 * Links between worlds: MPI_Comm_spawn, MPI_Comm_connect and MPI_Comm_accept, MPI_Comm_join. The roots of both sides tell
 * each other where the metadirectories are; each side enters the other one into its metadirectory_table.
 *
 * A partner that does not carry the library is never sent anything and waited for only briefly (M2D_LINK_GRACE_MS):
 * whether it carries the library is seen by what it has done before its own real call, which is under way or over
 * when ours returns.
 *
 *  - Spawn: the children find the place of a socket in their environment (M2D_LINK_VARIABLE). Rank 0 of them
 *    connects to it before its real MPI_Init.
 *  - Connect: the process that opened the port listens from MPI_Open_port to MPI_Close_port on a socket named after
 *    the port, and the connecting root connects to it before its real MPI_Comm_connect.
 *  - Join: each side listens on a socket named after the two ends of the file descriptor.
 *
 * The root holds what it has learned in its own tables. When it is not its world's metadirectory it becomes one more
 * (I_AM_METADIR); rank 0 gets the entry too when it takes part in the call, by a broadcast on the communicator of the
 * call, and only when all of its processes are known to carry the library.
 *
 * All functions keep errno. Between the two functions of a call the state is the thread's own.
 */
#ifndef M2D_LINK_H
#define M2D_LINK_H

#include <mpi.h>

#define M2D_LINK_VARIABLE "MPI2DD_PARENT"

enum {
	M2D_LINK_WAIT_MS = 10000, /**< for a partner that carries the library and is about to answer */
	M2D_LINK_GRACE_MS = 100,  /**< for one of which that is not known */
};

struct MPI2DD_SPAWNDESC;

/* ---- for the set-up of the world ----------------------------------------------------------------- */

/** Before the real MPI_Init: rank 0 of a spawned world tells its parent that it carries the library. */
void m2d_link_before_init(void);

/**
 * After the real MPI_Init has succeeded, m2d_world.{rank,size,id,host,executable,pid,meta_*} known, before any other
 * process of this world is answered: rank 0 of a spawned world gives its place to the parent's root and takes that
 * one's, which goes into metadirectory_table. At most M2D_LINK_WAIT_MS, and only when the parent carries the
 * library.
 */
void m2d_link_after_init(void);

/** Longest text of m2d_link_origin(), with the NUL. */
enum { M2D_LINK_ORIGIN_MAX = 320 };

/**
 * The process that spawned this world, as a text for its other directories: "" none (a launcher started it),
 * "?" a parent that cannot be told, else "RANK SEQUENCE WORLD-ID". Only rank 0 knows more than "" and "?" by itself.
 * Valid from m2d_link_after_init() on.
 */
const char *m2d_link_origin(void);

/** Take rank 0's text in another process of the world. Nothing when it is not of the form. */
void m2d_link_set_origin(const char *text);

/**
 * For spawn_desc of this world's processes: NULL when it was not spawned. When the parent cannot be told:
 * parent_comm_world_id 0, parent_rank -1, sequence -1. Static, does not change after m2d_link_set_origin().
 */
const struct MPI2DD_SPAWNDESC *m2d_link_spawn_desc(void);

/**
 * The tables of this world are filled: the parent may tell its debugger. Any process may call it, rank 0 does
 * something.
 */
void m2d_link_tables_filled(void);

/** In a forked child, which is linked to no world: close what it has inherited. */
void m2d_link_forget(void);

/** Before the real MPI_Finalize: what has come late is entered; no file descriptor stays open. */
void m2d_link_before_finalize(void);

/* ---- for the wrappers ---------------------------------------------------------------------------- */

/** @return the info to call the real function with: the program's own, or a copy with our place added. */
MPI_Info m2d_link_before_spawn(MPI_Info info, int root, MPI_Comm comm);
/** As m2d_link_before_spawn(), for an array, which may be changed into one of ours. */
const MPI_Info *m2d_link_before_spawns(int count, const MPI_Info infos[], int root, MPI_Comm comm);
void m2d_link_after_spawn(int rc);

/** The port exists: listen for those who will connect to it. */
void m2d_link_port_opened(const char *port_name);
void m2d_link_port_closed(const char *port_name);

void m2d_link_before_accept(const char *port_name, int root, MPI_Comm comm);
void m2d_link_after_accept(int rc, const MPI_Comm *newcomm);
void m2d_link_before_connect(const char *port_name, int root, MPI_Comm comm);
void m2d_link_after_connect(int rc);

void m2d_link_before_join(int fd);
void m2d_link_after_join(int rc);

#endif /* M2D_LINK_H */
