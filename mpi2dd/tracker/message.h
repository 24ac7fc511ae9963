/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file message.h
 * Messages: made by MPI_Mprobe and MPI_Improbe, consumed by MPI_Mrecv and MPI_Imrecv. See objects.h.
 */
#ifndef TRK_MESSAGE_H
#define TRK_MESSAGE_H

#include "objects.h"

#pragma GCC visibility push(hidden)

/** @param status of the probe, or MPI_STATUS_IGNORE: then source and tag are what was asked for */
void trk_message_made(MPI_Comm comm, int source, int tag, const MPI_Status *status, MPI_Message message);

/** The frame of the receive of a message gets what is known of it. */
void trk_message_envelope(struct trk_frame *frame, uint64_t message);

#pragma GCC visibility pop

#endif /* TRK_MESSAGE_H */
