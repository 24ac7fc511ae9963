/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file tied.h
 * Edges of ranks in no MPI function that wait for what only other ranks can do: enders.h.
 */
#ifndef VD_TIED_H
#define VD_TIED_H

#include "judging.h"

/** Add the edges of a rank for which vd_tied() has a result. */
void vd_connect_tied(struct vd_judging *j, size_t rank);

#endif /* VD_TIED_H */
