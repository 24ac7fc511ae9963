/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Entry points that iterate over communicators and operations.
 */
#include "error.h"
#include "operation.h"
#include "stack.h"
#include "state.h"

#include "../access/quote.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

/* Number of members fetched at once: 6 KiB of stack. */
enum { MEMBERS_BLOCK = 256 };

/* ---- communicators ---------------------------------------------------------------------------------- */

int mqs_update_communicator_list(mqs_process *process)
{
	struct _mqs_process_info *p = mqs_state_process(process);

	if (!p)
		return mqs_error(err_bad_request, NULL, NULL);
	mqs_state_begin(p);

	enum acc_rc rc = mqs_state_update(p);
	if (rc)
		return mqs_error_rc(p, MQS_THE_LIBRARY, rc);
	p->updated = true;
	return mqs_ok;
}

/* Keep the first failure of an iteration until its end. */
static void keep_first(struct acc_note *first, const struct _mqs_process_info *p)
{
	if (!first->rc)
		*first = p->space.note;
}

/* The end of an iteration. Reports a failure if something was omitted. */
static int end_of_list(struct _mqs_process_info *p, enum mqs_subject subject, uint64_t n_bad,
		       const struct acc_note *first)
{
	if (!n_bad)
		return mqs_end_of_list;

	enum acc_rc rc = first->rc ? first->rc : ACC_ECORRUPT;
	acc_note(&p->note, rc, "%" PRIu64 " left out, the first: %s", n_bad, first->rc ? first->text : acc_rc_text(rc));
	return mqs_error_rc(p, subject, rc);
}

/* Make the next communicator current. */
static int advance(struct _mqs_process_info *p)
{
	acc_space_begin(&p->space);
	enum acc_rc rc = rd_comm_next(&p->comms, &p->comm);
	acc_space_end(&p->space);
	p->comm_current = rc == ACC_OK;
	if (p->space.note.rc)
		keep_first(&p->comms_bad, p);
	if (rc == ACC_NONE)
		return end_of_list(p, MQS_A_COMM, p->comms.n_bad, &p->comms_bad);
	if (rc)
		return mqs_error_rc(p, MQS_A_COMM, mqs_state_fail(p, rc, "the next communicator"));
	return mqs_ok;
}

int mqs_setup_communicator_iterator(mqs_process *process)
{
	struct _mqs_process_info *p = mqs_state_process(process);

	if (!p)
		return mqs_error(err_bad_request, NULL, NULL);
	mqs_state_begin(p);

	/* some debuggers never call mqs_update_communicator_list() */
	enum acc_rc rc = p->updated && p->reader ? ACC_OK : mqs_state_update(p);
	if (rc)
		return mqs_error_rc(p, MQS_THE_LIBRARY, rc);
	mqs_state_end_operations(p);
	p->updated = false;
	p->comm_current = false;
	acc_note_clear(&p->comms_bad);
	acc_space_begin(&p->space);
	/* the interface passes no threads */
	mqs_stack_find(&p->space, &p->stack);
	rd_set_stacks(p->reader, &p->stack, p->stack.hi != 0);
	rc = rd_comm_first(p->reader, false, &p->comms);
	acc_space_end(&p->space);
	if (rc == ACC_NONE)
		return mqs_end_of_list;
	if (rc)
		return mqs_error_rc(p, MQS_THE_COMM_LIST, mqs_state_fail(p, rc, "the communicators"));
	return advance(p);
}

int mqs_next_communicator(mqs_process *process)
{
	struct _mqs_process_info *p = mqs_state_process(process);

	if (!p)
		return mqs_error(err_bad_request, NULL, NULL);
	mqs_state_begin(p);
	mqs_state_end_operations(p);
	return p->comm_current ? advance(p) : mqs_end_of_list;
}

int mqs_get_communicator(mqs_process *process, mqs_communicator *ret)
{
	struct _mqs_process_info *p = mqs_state_process(process);

	if (!p || !ret)
		return mqs_error(err_bad_request, NULL, NULL);
	if (!p->comm_current)
		return mqs_error(err_no_current_communicator, NULL, NULL);

	mqs_communicator c = { .local_rank = p->comm.rank, .size = p->comm.size };
	c.unique_id = p->comm.context.known == MDL_KNOWN ? (mqs_taddr_t)p->comm.context.value : (mqs_taddr_t)p->comm.id;
	acc_clean(c.name, sizeof(c.name), p->comm.name);
	*ret = c;
	return mqs_ok;
}

static int rank_of(const struct mdl_member *m)
{
	if (!m->known || !m->own_world || m->world_rank < 0 || m->world_rank > INT32_MAX)
		return MQS_INVALID_PROCESS;
	return (int)m->world_rank;
}

/* All members of the current communicator, in pieces. */
static enum acc_rc fetch_ranks(struct _mqs_process_info *p, int *ranks)
{
	struct mdl_member block[MEMBERS_BLOCK];
	enum acc_rc bad = ACC_OK;
	bool any = false;

	for (uint64_t first = 0, n; first < (uint64_t)p->comm.size; first += n) {
		n = (uint64_t)p->comm.size - first;
		if (n > MEMBERS_BLOCK)
			n = MEMBERS_BLOCK;

		enum acc_rc rc = rd_comm_members(p->reader, &p->comm, false, first, n, block);
		if (rc && rc != ACC_EREAD)
			return rc;
		bad = rc ? rc : bad;
		any |= !rc;
		for (uint64_t i = 0; i < n; i++)
			ranks[first + i] = rc ? MQS_INVALID_PROCESS : rank_of(&block[i]);
	}
	return any ? ACC_OK : bad;
}

int mqs_get_comm_group(mqs_process *process, int *ranks)
{
	struct _mqs_process_info *p = mqs_state_process(process);

	if (!p || !ranks)
		return mqs_error(err_bad_request, NULL, NULL);
	if (!p->comm_current)
		return mqs_error(err_no_current_communicator, NULL, NULL);
	mqs_state_begin(p);

	/* a copy, so that a failure leaves the debugger's array unchanged */
	int *copy = acc_array(&p->space, (uint64_t)p->comm.size, sizeof(*copy));
	if (!copy)
		return mqs_error(err_no_store, NULL, NULL);
	acc_space_begin(&p->space);
	enum acc_rc rc = fetch_ranks(p, copy);
	acc_space_end(&p->space);
	if (!rc)
		memcpy(ranks, copy, (size_t)p->comm.size * sizeof(*copy));
	acc_array_free(&p->space, copy);
	return rc ? mqs_error_rc(p, MQS_A_GROUP, mqs_state_fail(p, rc, "the group")) : mqs_ok;
}

/* ---- operations ------------------------------------------------------------------------------------- */

static enum mqs_subject subject_of(int op_class)
{
	return op_class == mqs_pending_sends      ? MQS_SENDS
	       : op_class == mqs_pending_receives ? MQS_RECEIVES
						  : MQS_UNEXPECTED;
}

static enum mdl_op_class class_of(int op_class)
{
	return op_class == mqs_pending_sends      ? MDL_SENDS
	       : op_class == mqs_pending_receives ? MDL_RECEIVES
						  : MDL_UNEXPECTED;
}

int mqs_setup_operation_iterator(mqs_process *process, int op_class)
{
	struct _mqs_process_info *p = mqs_state_process(process);
	const char *why = NULL;

	if (!p || op_class < mqs_pending_sends || op_class > mqs_unexpected_messages)
		return mqs_error(err_bad_request, NULL, NULL);
	if (!p->comm_current)
		return mqs_error(err_no_current_communicator, NULL, NULL);
	mqs_state_begin(p);
	mqs_state_end_operations(p);
	if (rd_ops_available(p->reader, class_of(op_class), &why) == ACC_NONE)
		return mqs_error(mqs_no_information, NULL, why);

	mqs_state_merge(p);
	acc_space_begin(&p->space);
	enum acc_rc rc = rd_op_first(p->reader, &p->comm, class_of(op_class), false, &p->ops);
	if (rc) {
		acc_space_end(&p->space);
		return mqs_error_rc(p, subject_of(op_class), mqs_state_fail(p, rc, "the queue"));
	}
	p->ops_current = true;
	acc_note_clear(&p->ops_bad);
	p->op_class = (mqs_op_class)op_class;
	return mqs_ok;
}

int mqs_next_operation(mqs_process *process, mqs_pending_operation *ret)
{
	struct _mqs_process_info *p = mqs_state_process(process);
	struct mdl_op op;

	if (!p || !ret)
		return mqs_error(err_bad_request, NULL, NULL);
	if (!p->comm_current)
		return mqs_error(err_no_current_communicator, NULL, NULL);
	if (!p->ops_current)
		return mqs_end_of_list;
	mqs_state_begin(p);

	enum acc_rc rc = rd_op_next(&p->ops, &op);
	if (p->space.note.rc)
		keep_first(&p->ops_bad, p);
	if (!rc) {
		rd_track_merge_op(p->merge, &p->comm, &op);
		mqs_operation(&op, ret);
		p->op_given = true;
		p->op_request = op.request;
		return mqs_ok;
	}
	mqs_state_end_operations(p);
	if (rc == ACC_NONE)
		return end_of_list(p, subject_of((int)p->op_class), p->ops.n_bad, &p->ops_bad);
	return mqs_error_rc(p, subject_of((int)p->op_class), mqs_state_fail(p, rc, "the queue"));
}

int mqs_get_comm_coll_state(mqs_process *process, int op_class, int *calls, int *active)
{
	struct _mqs_process_info *p = mqs_state_process(process);

	if (!p || op_class < 0 || op_class > 13 || !calls || !active)
		return mqs_error(err_bad_request, NULL, NULL);
	mqs_state_begin(p);
	if (mqs_state_track(p) || !p->comm_current)
		return mqs_error(mqs_no_information, NULL, "this MPI does not count its collective calls");

	struct mdl_handle h;
	int64_t counts[2];
	enum acc_rc rc = rd_track_find(p->track, MDL_COMM, p->comm.handle, &h);
	/* begun and finished, by class, in the order of the interface */
	if (!rc && (!h.comm.collectives.known || h.comm.collectives.n < 2 * 14))
		rc = ACC_NONE;
	if (!rc)
		rc = rd_track_numbers(p->track, &h.comm.collectives, 8, 2 * (uint64_t)op_class, 2, counts);
	if (rc == ACC_NONE)
		return mqs_error(mqs_no_information, NULL, "collective calls of this communicator are not recorded");
	if (rc)
		return mqs_error_rc(p, MQS_A_COMM, rc);
	*calls = counts[0] > INT_MAX ? INT_MAX : (int)counts[0];
	*active = counts[0] > counts[1] ? (int)(counts[0] - counts[1]) : 0;
	return mqs_ok;
}
