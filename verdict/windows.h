/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file windows.h
 * The ranks that a rank waiting at a window needs: the holder of the lock, ranks that have not posted or completed.
 *
 * The in-target library records a lock when MPI_Win_lock returns. In the MPI libraries supported here the lock has
 * been granted at that point (Open MPI's osc/rdma and osc/sm, MPICH's ch4). A library that grants it later would
 * do so in the next call for the same target, so a rank that is in such a call counts as one that may or may not
 * hold the lock.
 */
#ifndef VD_WINDOWS_H
#define VD_WINDOWS_H

#include "judging.h"

/** @return false: out of memory. vd_windows_deinit() frees. */
bool vd_windows_init(struct vd_windows *w, const struct vd_job *job);
void vd_windows_deinit(struct vd_windows *w);

/**
 * The node that a thread in a function of VD_CALL_WINDOW needs.
 *
 * A remote operation needs its target to drive MPI progress. A target that waits in MPI does; one that is in no
 * MPI function is therefore needed.
 *
 * @return -1: it is not known what it waits for
 */
int32_t vd_window_node(struct vd_judging *j, int32_t rank, const struct vd_thread *t);

#endif /* VD_WINDOWS_H */
