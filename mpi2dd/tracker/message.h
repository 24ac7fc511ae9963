/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file message.h
 * Messages: created by MPI_Mprobe and MPI_Improbe, consumed by MPI_Mrecv and MPI_Imrecv. See objects.h.
 */
#ifndef TRK_MESSAGE_H
#define TRK_MESSAGE_H

#include "objects.h"

#pragma GCC visibility push(hidden)

/**
 * A message handle was returned. @param status of the probe, or
 * MPI_STATUS_IGNORE: then the arguments of the probe are recorded.
 */
void trk_message_made(MPI_Comm comm, int source, int tag, const MPI_Status *status, MPI_Message message);

/** Fill the frame of a call that receives a message with the message's source, tag and communicator. */
void trk_message_envelope(struct trk_frame *frame, uint64_t message);

#pragma GCC visibility pop

#endif /* TRK_MESSAGE_H */
