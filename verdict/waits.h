/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file waits.h
 * What threads wait for outside MPI: locks, and which thread of their rank holds them.
 */
#ifndef VD_WAITS_H
#define VD_WAITS_H

#include "text.h"
#include "verdict.h"

/** What a wait is for if that is all that is known of a lock in Python. */
#define VD_PYTHON_LOCK "a lock of Python"

/** Load the member "waits_for" of a thread's state (docs/json.md). NULL: it has none. */
void vd_load_wait(struct vd_job *job, struct vd_thread *t, const json_t *waits_for);

/**
 * "waits for the mutex io_lock, held by its main thread, in MPI_Recv at io.c:40"; the threads between are named, too:
 * "..., held by another thread, which waits for the mutex ...". Nothing if nothing is known.
 *
 * @param shown the thread of which the text speaks before: "this thread"
 */
void vd_append_wait(struct vd_text *text, const struct vd_job *job, const struct vd_rank *r, const struct vd_thread *t,
		    const struct vd_thread *shown);

/** ", whose main thread waits for the mutex io_lock, held by another
 * thread, in MPI_Recv at io.c:40"; nothing if no thread does. */
void vd_append_holding(struct vd_text *text, const struct vd_job *job, const struct vd_rank *r);

#endif /* VD_WAITS_H */
