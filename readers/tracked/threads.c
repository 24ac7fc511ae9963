/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What each thread is doing.
 */
#include "transfer_args.h"

#include "../../access/limits.h"

#include <inttypes.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum acc_rc rd_track_threads(struct rd_track *t, const struct rd_track_now *now, struct rd_track_threads *ret)
{
	if (!t || !ret)
		return ACC_EINVAL;
	if (!t->threads_capacity || !rd_track_has(t, F_trk_thread_frames) || !rd_track_has(t, F_trk_thread_tid))
		return ACC_NONE;
	*ret = (struct rd_track_threads){ .t = t, .n_dropped = t->n_threads_dropped };
	if (now)
		ret->now = *now;
	return ACC_OK;
}

/*
 * Nanoseconds since a tick of the registry's clock, which is
 * CLOCK_MONOTONIC if it has 10^9 ticks per second, else time().
 */
static struct mdl_num elapsed(const struct rd_track *t, const struct rd_track_now *now, uint64_t since)
{
	const uint64_t second = 1000000000;
	uint64_t at = t->clock_hz == second ? now->monotonic_ns : now->wall_s;

	if (!since)
		return mdl_none();
	if (t->clock_hz != second && t->clock_hz != 1)
		return mdl_unavailable("the registry's clock is not known here");
	/* for a core, use the time that the library's stall detector, if it ran, stored in the registry */
	bool is_core = !at;
	if (is_core)
		at = t->clock_now;
	if (!at || (is_core && at < since))
		return mdl_unavailable("the time now is not known");
	if (at < since)
		return mdl_known(0);
	if (at - since > (t->clock_hz == second ? (uint64_t)INT64_MAX : INT64_MAX / second))
		return mdl_unavailable("the registry's clock makes no sense");
	return mdl_known((int64_t)((at - since) * (second / t->clock_hz)));
}

static void read_call(struct rd_track_threads *it, struct acc_obj *o, struct mdl_call *c)
{
	struct rd_track *t = it->t;
	struct mdl_num has = rd_track_u(o, F_trk_frame_has), none = mdl_none();
	struct mdl_num kind = rd_track_u(o, F_trk_frame_object_kind);

	rd_track_call_name(t, acc_get_u(o, F_trk_frame_call), c->function);
#define WHEN(bit, fact) (has.value & (bit) ? (fact) : none)
	c->comm = WHEN(TRK_HAS_COMM, rd_track_u(o, F_trk_frame_comm));
	c->datatype = WHEN(TRK_HAS_DATATYPE, rd_track_u(o, F_trk_frame_datatype));
	c->buffer = WHEN(TRK_HAS_BUFFER, rd_track_u(o, F_trk_frame_buffer));
	c->count = WHEN(TRK_HAS_COUNT, rd_track_elements(o, F_trk_frame_count));
	c->peer = c->root = c->tag = c->source = c->receive_tag = none;
	if (has.value & TRK_HAS_ROOT)
		c->root = rd_track_rank(t, acc_get_i(o, F_trk_frame_peer));
	else if (has.value & TRK_HAS_PEER)
		c->peer = rd_track_rank(t, acc_get_i(o, F_trk_frame_peer));
	if (has.value & TRK_HAS_TAG)
		c->tag = rd_track_tag(t, acc_get_i(o, F_trk_frame_tag));
	if (has.value & TRK_HAS_SOURCE && rd_track_has(t, F_trk_frame_source) &&
	    rd_track_has(t, F_trk_frame_receive_tag)) {
		c->source = rd_track_rank(t, acc_get_i(o, F_trk_frame_source));
		c->receive_tag = rd_track_tag(t, acc_get_i(o, F_trk_frame_receive_tag));
	}
	c->object = WHEN(TRK_HAS_OBJECT, rd_track_u(o, F_trk_frame_object));
	c->object_kind = WHEN(TRK_HAS_OBJECT, kind.known == MDL_KNOWN ? rd_track_kind(kind.value) : kind);
	c->op = rd_track_has(t, F_trk_frame_op) ? WHEN(TRK_HAS_OP, rd_track_u(o, F_trk_frame_op)) : none;
	c->group = rd_track_has(t, F_trk_frame_op) ? WHEN(TRK_HAS_GROUP, rd_track_u(o, F_trk_frame_op)) : none;
	c->lock = rd_track_has(t, F_trk_frame_lock) ? WHEN(TRK_HAS_LOCK, rd_track_u(o, F_trk_frame_lock)) : none;
	if (c->lock.known == MDL_KNOWN && c->lock.value != TRK_LOCK_SHARED && c->lock.value != TRK_LOCK_EXCLUSIVE)
		c->lock = mdl_unavailable("no type of lock that is known");
	if (c->object_kind.known == MDL_KNOWN && c->object_kind.value == MDL_OP) {
		c->op = c->object;
		c->object = c->object_kind = none;
	}
	c->requests = WHEN(TRK_HAS_REQUESTS, rd_track_u(o, F_trk_frame_requests));
#undef WHEN
	bool of_win = c->object_kind.known == MDL_KNOWN && c->object_kind.value == MDL_WIN;
	rd_track_second(o,
			&(struct rd_track_second_fields){ F_trk_frame_second_buffer, F_trk_frame_second_count,
							  F_trk_frame_second_datatype, of_win },
			(uint64_t)has.value, c->function, &c->second);
	if (c->second.side != MDL_SECOND_NONE || c->root.known != MDL_NOT_APPLICABLE)
		rd_track_drop_ignored(t,
				      &(struct rd_track_transfer_args){ &c->buffer, &c->count, &c->datatype, &none,
									&c->second, &c->op, c->comm, none, c->root });
	c->nanoseconds = rd_track_has(t, F_trk_frame_since) ? elapsed(t, &it->now, acc_get_u(o, F_trk_frame_since))
							    : mdl_unavailable("the registry does not say");
	c->caller = rd_track_ref(o, F_trk_frame_caller);
}

/* Was the call left by longjmp or an exception? Then its return address is no longer on the stack. */
static bool was_left(struct rd_track *t, struct acc_obj *frame)
{
	uint64_t at, caller, word;

	if (!rd_track_has(t, F_trk_frame_frame) || !rd_track_has(t, F_trk_frame_caller))
		return false;
	at = acc_get_u(frame, F_trk_frame_frame);
	caller = acc_get_u(frame, F_trk_frame_caller);
	return at && caller && !acc_read_ptr(t->sp, at, &word) && word != caller;
}

static void read_error(struct rd_track_threads *it, struct acc_obj *o, struct mdl_thread *ret)
{
	struct rd_track *t = it->t;
	struct acc_note note = t->sp->note;
	uint64_t number = rd_track_has(t, F_trk_thread_error) ? acc_get_u(o, F_trk_thread_error) : 0;

	if (!number || !rd_track_has(t, F_trk_thread_error_name) || !rd_track_has(t, F_trk_thread_error_caller) ||
	    !rd_track_has(t, F_trk_thread_error_at))
		return;
	rd_track_call_name(t, number - 1, ret->error.function);
	if (acc_read_string(t->sp, acc_get_u(o, F_trk_thread_error_name), ret->error.name, sizeof(ret->error.name)))
		ret->error.function[0] = '\0';
	ret->error.nanoseconds = elapsed(t, &it->now, acc_get_u(o, F_trk_thread_error_at));
	ret->error.caller = rd_track_ref(o, F_trk_thread_error_caller);
	t->sp->note = note; /* an unreadable error is no failure of the call */
}

/* @return ACC_OK; ACC_NONE: unused slot; a failure, noted */
static enum acc_rc read_thread(struct rd_track_threads *it, uint64_t i, struct mdl_thread *ret)
{
	struct rd_track *t = it->t;
	struct acc_obj o;
	uint32_t frame_bytes = (uint32_t)acc_layout_bytes(&t->layout, T_trk_frame);

	acc_obj_load(&o, t->sp, &t->layout, T_trk_thread, t->threads + i * t->thread_bytes);
	memset(ret, 0, sizeof(*ret));
	ret->tid = acc_get_u(&o, F_trk_thread_tid);
	if (!ret->tid || o.rc)
		return o.rc ? o.rc : ACC_NONE;
	ret->n_calls = rd_track_has(t, F_trk_thread_n_calls) ? acc_get_u(&o, F_trk_thread_n_calls) : 0;
	ret->depth = rd_track_u(&o, F_trk_thread_depth);
	read_error(it, &o, ret);

	uint64_t frames = acc_get_addr(&o, F_trk_thread_frames);
	if (o.rc)
		return o.rc;
	if (ret->depth.known != MDL_KNOWN)
		return ACC_OK;
	/* calls nested more deeply than there are frames are not recorded */
	uint32_t offset = t->layout.fields[F_trk_thread_frames].offset;
	unsigned room = frame_bytes ? (t->thread_bytes - offset) / frame_bytes : 0;
	if (ret->depth.value > room)
		return acc_note(&t->sp->note, ACC_ECORRUPT, "trk_thread.depth at 0x%" PRIx64 ": %" PRId64 ": %s",
				o.addr, ret->depth.value, acc_rc_text(ACC_ECORRUPT));
	ret->n = (unsigned)ret->depth.value;
	if (ret->n > MDL_CALLS_MAX)
		ret->n = MDL_CALLS_MAX;
	for (unsigned k = 0; k < ret->n; k++) {
		struct acc_obj f;

		acc_obj_load(&f, t->sp, &t->layout, T_trk_frame, frames + k * frame_bytes);
		if (was_left(t, &f)) {
			ret->n = k;
			break;
		}
		read_call(it, &f, &ret->calls[k]);
		if (f.rc)
			return f.rc;
	}
	return ACC_OK;
}

enum acc_rc rd_track_thread_next(struct rd_track_threads *it, struct mdl_thread *ret)
{
	if (!it || !it->t || !ret)
		return ACC_EINVAL;
	while (it->i < it->t->n_threads) {
		enum acc_rc rc = read_thread(it, it->i++, ret);

		if (!rc)
			return ACC_OK;
		if (rc == ACC_NONE)
			continue;
		if (++it->n_bad > ACC_BAD_MAX) {
			it->i = UINT64_MAX;
			return ACC_ECORRUPT;
		}
	}
	return ACC_NONE;
}
