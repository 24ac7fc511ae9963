/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file transfer_args.h
 * The two sides of what a call moves (track_layout.h, TRK_SECOND_FIELDS), without what MPI ignores.
 */
#ifndef RD_TRACK_SIDES_H
#define RD_TRACK_SIDES_H

#include "registry.h"

/** A number of elements; -1 is unavailable: a count for each rank. */
struct mdl_num rd_track_elements(struct acc_obj *o, unsigned field);

/** Where the second side is in an object, and whether that is at the target of a window. */
struct rd_track_second_fields {
	unsigned buffer, count, datatype;
	bool of_win;
};

/** @param has enum trk_has, with the bits that say which of them there are */
void rd_track_second(struct acc_obj *o, const struct rd_track_second_fields *f, uint64_t has, const char *call,
		     struct mdl_second *ret);

/** Facts that were read, and what decides which of them mean something. */
struct rd_track_transfer_args {
	struct mdl_num *buffer, *count, *datatype, *datatype_id;
	struct mdl_second *second;
	struct mdl_num *op;
	struct mdl_num comm, comm_id, root; /**< root not applicable: the call has none */
};

/** Those that MPI ignores do not apply. Where this process's rank is not known all stay. */
void rd_track_drop_ignored(struct rd_track *t, const struct rd_track_transfer_args *given);

#endif /* RD_TRACK_SIDES_H */
