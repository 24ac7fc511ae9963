/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file operations.h
 * Requests and current calls as pending operations.
 */
#ifndef RD_TRACK_OPERATIONS_H
#define RD_TRACK_OPERATIONS_H

#include "../reader.h"
#include "tracked.h"

/** A cached datatype name and size: most operations use few types. */
struct rd_track_type_name {
	uint64_t handle;
	bool known;
	char name[MDL_NAME_BYTES];
	char call[MDL_NAME_BYTES]; /* the creating call; "" predefined or not known */
	struct mdl_num size;
};

enum { RD_TRACK_TYPE_NAMES = 8 };

/** State of the reader. */
struct rd_track_state {
	struct rd_process *p;
	struct rd_track *t;
	struct rd_track_type_name types[RD_TRACK_TYPE_NAMES];
	unsigned next_type;
};

/** What a walk selects: a class of operations of one communicator. */
struct rd_track_asked {
	const struct mdl_comm *comm;
	enum mdl_op_class op_class;
	bool all; /**< include inactive persistent requests */
};

/** Convert a request to a pending operation. @return false: it is not selected; *ret may have changed */
bool rd_track_request_op(struct rd_track_state *s, const struct rd_track_asked *it, const struct mdl_handle *h,
			 struct mdl_op *ret);

/** Convert the call that a thread waits in to a pending operation. @return like rd_track_request_op() */
bool rd_track_call_op(struct rd_track_state *s, const struct rd_track_asked *it, const struct mdl_thread *thread,
		      const struct mdl_call *c, struct mdl_op *ret);

/** Functions of struct rd_reader. */
enum acc_rc rd_track_ops_available(void *state, enum mdl_op_class op_class, const char **why);
enum acc_rc rd_track_op_first(void *state, struct rd_op_iter *it);
enum acc_rc rd_track_op_next(void *state, struct rd_op_iter *it, struct mdl_op *ret);
enum acc_rc rd_track_comm_members(void *state, const struct mdl_comm *comm, bool remote, uint64_t first, uint64_t n,
				  struct mdl_member *ret);

#endif /* RD_TRACK_OPERATIONS_H */
