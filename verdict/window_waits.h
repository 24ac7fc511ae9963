/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file window_waits.h
 * For the graph output: the ranks that a rank waiting at a window needs. vd_judge() finds the same through windows.h.
 */
#ifndef VD_WINDOW_WAITS_H
#define VD_WINDOW_WAITS_H

#include "verdict.h"

struct vd_window_waits;

/** @return NULL: out of memory. */
struct vd_window_waits *vd_window_waits_create(const struct vd_job *job);

/**
 * The ranks that a thread in a function of VD_CALL_WINDOW needs.
 *
 * @param[out] ret sorted indexes; space for vd_job.n_ranks of them
 * @param[out] some it needs at least one of them, but it is unknown which
 * @return how many; 0: it needs none, or they are unknown
 */
size_t vd_window_waits_of(struct vd_window_waits *w, int32_t rank, const struct vd_thread *t, int32_t *ret, bool *some);

/** NULL is accepted. */
void vd_window_waits_destroy(struct vd_window_waits *w);

#endif /* VD_WINDOW_WAITS_H */
