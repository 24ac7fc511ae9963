/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file thread_errors.h
 * Threads of one rank that are in MPI in a way that MPI does not allow.
 */
#ifndef VD_THREAD_ERRORS_H
#define VD_THREAD_ERRORS_H

#include "words.h"

/**
 * "error of the program: threads 4711 and 4719 of rank 2 are both in collectives of MPI_COMM_WORLD (MPI_Barrier,
 * MPI_Bcast), which MPI does not allow"; or two threads are in MPI at once, though the level of thread support is below
 * MPI_THREAD_MULTIPLE. The first rank is named, others are counted.
 *
 * @return false: there is none
 */
bool vd_append_thread_error(struct vd_text *t, const struct vd_job *job);

#endif /* VD_THREAD_ERRORS_H */
