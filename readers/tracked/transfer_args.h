/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file transfer_args.h
 * The two buffers of a call that transfers data (track_layout.h,
 * TRK_SECOND_FIELDS), without the arguments that MPI ignores.
 */
#ifndef RD_TRACK_TRANSFER_ARGS_H
#define RD_TRACK_TRANSFER_ARGS_H

#include "registry.h"

/** A number of elements; -1 (counts for each rank) becomes unavailable. */
struct mdl_num rd_track_elements(struct acc_obj *o, unsigned field);

/** The fields of the second buffer, and whether it is at the target of a window. */
struct rd_track_second_fields {
	unsigned buffer, count, datatype;
	bool of_win;
};

/** Read the second buffer. @param has enum trk_has: which of its fields are valid. @param call name of the function. */
void rd_track_second(struct acc_obj *o, const struct rd_track_second_fields *f, uint64_t has, const char *call,
		     struct mdl_second *ret);

/** Facts that were read, and the ones that decide which of them are significant. */
struct rd_track_transfer_args {
	struct mdl_num *buffer, *count, *datatype, *datatype_id;
	struct mdl_second *second;
	struct mdl_num *op;
	struct mdl_num comm, comm_id, root; /**< root not applicable: the call has no root */
};

/** Mark arguments that MPI ignores as not applicable. Does nothing if this process's rank is not known. */
void rd_track_drop_ignored(struct rd_track *t, const struct rd_track_transfer_args *given);

#endif /* RD_TRACK_TRANSFER_ARGS_H */
