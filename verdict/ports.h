/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file ports.h
 * The two ends of a port: MPI_Comm_accept and MPI_Comm_connect.
 */
#ifndef VD_PORTS_H
#define VD_PORTS_H

#include "verdict.h"

/** Remember that the rank waits at its end of vd_thread.port, if it has one. */
void vd_port_add(struct vd_job *job, const struct vd_thread *t, int32_t rank);

/** A rank that waits at the other end of the port; VD_UNKNOWN: none that was read. */
int32_t vd_port_partner(const struct vd_job *job, const struct vd_thread *t);

#endif /* VD_PORTS_H */
