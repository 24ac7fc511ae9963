/* SPDX-License-Identifier: BSD-3-Clause */
#include "message.h"

void trk_message_made(MPI_Comm comm, int source, int tag, const MPI_Status *status, MPI_Message message)
{
	MPI_Count bytes = -1;

	/* a probe of MPI_PROC_NULL returns MPI_MESSAGE_NO_PROC */
	if (trk_is_predefined(TRK_MESSAGE, TRK_BITS(message)))
		return;
	if (status && status != MPI_STATUS_IGNORE) {
		source = status->MPI_SOURCE;
		tag = status->MPI_TAG;
		if (!m2d_pmpi.Get_elements_x ||
		    m2d_pmpi.Get_elements_x(status, m2d_constants.byte, &bytes) != MPI_SUCCESS ||
		    bytes == MPI_UNDEFINED)
			bytes = -1;
	}
	if (!trk_lock())
		return;
	struct trk_message *r = trk_create(TRK_MESSAGE, TRK_BITS(message), trk_id_of(TRK_COMM, TRK_BITS(comm)));
	if (r) {
		r->comm = TRK_BITS(comm);
		r->source = source;
		r->tag = tag;
		r->bytes = bytes;
		trk_publish(TRK_MESSAGE, r);
	}
	trk_unlock();
}

void trk_message_envelope(struct trk_frame *frame, uint64_t message)
{
	if (!trk_lock())
		return;
	const struct trk_message *r = trk_find(TRK_MESSAGE, message);
	if (r && !r->predefined) {
		frame->comm = r->comm;
		frame->peer = r->source;
		frame->tag = r->tag;
		trk_has(frame, frame->has | TRK_HAS_COMM | TRK_HAS_PEER | TRK_HAS_TAG);
	}
	trk_unlock();
}
