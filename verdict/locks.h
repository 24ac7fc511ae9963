/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file locks.h
 * Threads of a rank that wait for each other outside MPI.
 */
#ifndef VD_LOCKS_H
#define VD_LOCKS_H

#include "verdict.h"

/** The thread for which another one of its rank waits, because it holds a lock or has to end; NULL: none is known. */
const struct vd_thread *vd_waits_for(const struct vd_job *job, const struct vd_rank *r, const struct vd_thread *t);

/**
 * Do all threads of a rank wait for ever for locks of each other: does each lead to a cycle of locks and their holders,
 * or of threads that wait for threads to end? Threads of libraries do not count: only its holder releases a lock.
 *
 * @param certain true: they have also not run between two moments,
 * or are seen stopped at one; false: it seems so at one moment
 */
bool vd_is_locked(const struct vd_job *job, const struct vd_rank *r, bool certain);

/**
 * Does a thread that a library has created do something: compute, or wait in a
 * system call other than for another thread? It may wake threads that wait at a
 * condition or the like. Those in which the MPI library makes progress do not count.
 */
bool vd_has_worker(const struct vd_job *job, const struct vd_rank *r);

#endif /* VD_LOCKS_H */
