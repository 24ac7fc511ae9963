/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file request_record.h
 * The record of a request: how it is written, so that at every instruction a reader finds it whole or in the making; and
 * the fields that threads look at while another writes. For requests.c and request_table.h, which know whose it is.
 */
#ifndef TRK_REQUEST_RECORD_H
#define TRK_REQUEST_RECORD_H

#include "threads.h"

#include <stddef.h>

/** The class of a nonblocking collective goes with the flags of BORN: TRK_BORN_CLASS(TRK_BCAST). */
enum { TRK_BORN_CLASS_SHIFT = 16 };
#define TRK_BORN_CLASS(class) (((unsigned)(class) + 1) << TRK_BORN_CLASS_SHIFT)

/** The first eight bytes of a record, as two numbers: read and written at once. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define TRK_REQUEST_HEAD(sequence, state, flags, collective)                                                           \
	((uint32_t)(sequence) | (uint32_t)(state) << 8 | (uint32_t)(flags) << 16 | (uint32_t)(collective) << 24)
#define TRK_REQUEST_ORIGIN(call, has, object_kind)                                                                     \
	((uint32_t)(call) | (uint32_t)(has) << 16 | (uint32_t)(object_kind) << 24)
#else
#define TRK_REQUEST_HEAD(sequence, state, flags, collective)                                                           \
	((uint32_t)(sequence) << 24 | (uint32_t)(state) << 16 | (uint32_t)(flags) << 8 | (uint32_t)(collective))
#define TRK_REQUEST_ORIGIN(call, has, object_kind)                                                                     \
	((uint32_t)(call) << 16 | (uint32_t)(has) << 8 | (uint32_t)(object_kind))
#endif
/** Both, the first eight bytes. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define TRK_REQUEST_WORDS(head, origin) ((uint64_t)(head) | (uint64_t)(origin) << 32)
#define TRK_REQUEST_HEAD_OF(words)      ((uint32_t)(words))
#else
#define TRK_REQUEST_WORDS(head, origin) ((uint64_t)(head) << 32 | (uint64_t)(origin))
#define TRK_REQUEST_HEAD_OF(words)      ((uint32_t)((words) >> 32))
#endif
typedef uint32_t __attribute__((may_alias)) trk_request_word;
typedef uint64_t __attribute__((may_alias)) trk_request_words;
_Static_assert(offsetof(struct trk_request, sequence) == 0 && offsetof(struct trk_request, state) == 1 &&
		       offsetof(struct trk_request, flags) == 2 && offsetof(struct trk_request, collective) == 3 &&
		       offsetof(struct trk_request, call) == 4 && offsetof(struct trk_request, has) == 6 &&
		       offsetof(struct trk_request, object_kind) == 7,
	       "as HEAD and ORIGIN have them");

/** The slab of the requests. */
extern struct trk_slab *trk_requests_slab;

/** Is it a request of the round that has not ended? */
static inline bool trk_request_in_round(uint8_t state)
{
	return state >> TRK_ROUND_SHIFT &&
	       state >> TRK_ROUND_SHIFT == __atomic_load_n(&trk_requests_slab->round, __ATOMIC_RELAXED);
}

/** Threads that look for a request in the tables of others read these while they are written. */
static inline uint8_t trk_request_state(const struct trk_request *r)
{
	uint8_t state = __atomic_load_n(&r->state, __ATOMIC_RELAXED);

	return state >> TRK_ROUND_SHIFT && !trk_request_in_round(state) ? TRK_FREED : state % (1 << TRK_ROUND_SHIFT);
}

static inline uint8_t trk_request_flags(const struct trk_request *r)
{
	return __atomic_load_n(&r->flags, __ATOMIC_RELAXED);
}

static inline void trk_request_set_state(struct trk_request *r, uint8_t state)
{
	__atomic_store_n(&r->state, state, __ATOMIC_RELAXED);
}

/** End one of a shared handle value while its owner may do so, too, or use its record anew. @return it was live until now */
static inline bool trk_request_end_of_other(struct trk_request *r)
{
	trk_request_word *head = (trk_request_word *)r, live = __atomic_load_n(head, __ATOMIC_ACQUIRE);
	trk_request_word mask = TRK_REQUEST_HEAD(1, UINT8_MAX, TRK_REQ_SHARED, 0);

	/* nor one that is being written */
	if ((live & mask) != TRK_REQUEST_HEAD(0, TRK_LIVE, TRK_REQ_SHARED, 0))
		return false;
	return __atomic_compare_exchange_n(
		head, &live, (live & ~TRK_REQUEST_HEAD(0, UINT8_MAX, 0, 0)) | TRK_REQUEST_HEAD(0, TRK_FREED, 0, 0),
		false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

/** What follows is written in between. @return its sequence, for trk_request_written() */
static inline unsigned trk_request_write(struct trk_request *r)
{
	unsigned sequence = r->sequence + 1u;

	__atomic_store_n(&r->sequence, (uint8_t)sequence, __ATOMIC_RELAXED);
	trk_order();
	return sequence;
}

static inline void trk_request_written(struct trk_request *r, unsigned sequence, unsigned state, unsigned flags)
{
	trk_order();
	__atomic_store_n((trk_request_word *)r,
			 TRK_REQUEST_HEAD((uint8_t)(sequence + 1), state, (uint8_t)flags,
					  (uint8_t)(flags >> TRK_BORN_CLASS_SHIFT)),
			 __ATOMIC_RELEASE);
}

/*
 * The arguments are laid out alike in both. They were written before the MPI library's function, so that they are in
 * the cache by now: a load that is wider than the stores does not have to wait.
 */
enum { TRK_ARGUMENTS = offsetof(struct trk_frame, caller) + 8 - offsetof(struct trk_frame, comm) };
#define TRK_ALIKE(field)                                                                                               \
	(offsetof(struct trk_frame, field) - offsetof(struct trk_frame, comm) ==                                       \
	 offsetof(struct trk_request, field) - offsetof(struct trk_request, comm))
_Static_assert(TRK_ALIKE(datatype) && TRK_ALIKE(buffer) && TRK_ALIKE(count) && TRK_ALIKE(peer) && TRK_ALIKE(tag) &&
		       TRK_ALIKE(caller),
	       "copied in one go");

/* Two words at once. */
typedef uint64_t trk_two_words __attribute__((vector_size(16), aligned(8), may_alias));

/** The arguments of a call: `comm` and what follows of a frame, or of the record where they are. */
static inline void trk_arguments_copy(uint64_t *arguments, const uint64_t *others)
{
	const trk_two_words *from = (const trk_two_words *)others;
	trk_two_words *to = (trk_two_words *)arguments;

	for (size_t i = 0; i < TRK_ARGUMENTS / sizeof(*to); i++)
		to[i] = from[i];
}

/** The arguments of a message as they lie in a frame and in a record, from `comm` on: where the `next` of a slot is. */
struct trk_arguments {
	uint64_t comm, datatype, buffer;
	int64_t count;
	int32_t peer, tag;
	uint64_t caller;
} __attribute__((may_alias));
_Static_assert(sizeof(struct trk_arguments) == TRK_ARGUMENTS &&
		       offsetof(struct trk_arguments, caller) ==
			       offsetof(struct trk_request, caller) - offsetof(struct trk_request, comm) &&
		       offsetof(struct trk_arguments, peer) ==
			       offsetof(struct trk_request, peer) - offsetof(struct trk_request, comm),
	       "as they have them");

static inline struct trk_arguments *trk_arguments_at(uint64_t next)
{
	return (struct trk_arguments *)(uintptr_t)next;
}

/** `next` for this record; and the record where that is. */
static inline uint64_t trk_next_in(struct trk_request *r)
{
	return (uintptr_t)&r->comm;
}

static inline struct trk_request *trk_record_with(uint64_t next)
{
	return (struct trk_request *)((uintptr_t)next - offsetof(struct trk_request, comm));
}

/** Of all requests but those with a communicator alone: the file or window; the reduction operation. */
static inline void trk_request_write_object(struct trk_request *r, const struct trk_frame *frame, uint32_t has)
{
	bool object = has & TRK_HAS_OBJECT;

	if (has & TRK_HAS_COMM) {
		r->op = frame->object;
		return;
	}
	r->comm = object ? frame->object : 0;
	TRK_PUT(r->object_kind, object ? (uint8_t)frame->object_kind : TRK_N_KINDS);
	r->op = has & TRK_HAS_OP ? frame->op : 0;
}

/** What the other side has (TRK_HAS_OF_REQUESTS). */
static inline void trk_request_write_second(struct trk_request *r, const struct trk_frame *frame, uint32_t has)
{
	TRK_PUT(r->object_kind, r->object_kind | (uint8_t)((has & TRK_HAS_OF_REQUESTS) >> 8));
	r->second_datatype = frame->second_datatype;
	r->second_count = frame->second_count;
	r->second_buffer = frame->second_buffer;
	if (has & TRK_HAS_SOURCE)
		r->op = (uint32_t)frame->source | (uint64_t)(uint32_t)frame->receive_tag << 32;
}

_Static_assert(TRK_N_KINDS < 16, "four bits of object_kind");

/** The kind of what a request is on. */
static inline enum trk_kind trk_request_object_kind(const struct trk_request *r)
{
	return (enum trk_kind)(__atomic_load_n(&r->object_kind, __ATOMIC_RELAXED) & 15);
}

/** Any request; @p state with its round. */
static inline void trk_request_write_any(struct trk_request *r, const struct trk_frame *frame, uint64_t handle,
					 unsigned state, unsigned flags)
{
	uint32_t has = frame->has;
	unsigned sequence = trk_request_write(r);

	trk_request_set_state(r, TRK_FREE);
	trk_order();
	trk_arguments_copy(&r->comm, &frame->comm);
	__atomic_store_n(&r->handle, handle, __ATOMIC_RELAXED);
	TRK_PUT(r->object_kind, TRK_COMM);
	if ((has & (TRK_HAS_COMM | TRK_HAS_OBJECT)) != TRK_HAS_COMM)
		trk_request_write_object(r, frame, has);
	if (has & TRK_HAS_OF_REQUESTS)
		trk_request_write_second(r, frame, has);
	TRK_PUT(r->has, (uint8_t)has);
	r->call = frame->call;
	trk_request_written(r, sequence, state, flags);
}

/**
 * The first eight bytes of a message's record: its call is to be added. With an odd sequence, as long as it is written; with
 * an even one when the rest is there.
 */
static inline trk_request_words trk_request_message(unsigned sequence, unsigned state)
{
	return TRK_REQUEST_WORDS(TRK_REQUEST_HEAD(sequence, state, TRK_REQ_ACTIVE, 0),
				 TRK_REQUEST_ORIGIN(0, TRK_HAS_MESSAGE, TRK_COMM));
}

/**
 * The request of a message, in a record that is not live. Its sequence is odd from the first store to the last; the state
 * is there before the rest, which nobody sees while it is odd.
 */
static inline void trk_request_write_message(struct trk_request *r, const uint64_t *arguments,
					     trk_request_words message, unsigned call, unsigned flags)
{
	__atomic_store_n((trk_request_words *)r,
			 message | TRK_REQUEST_WORDS(TRK_REQUEST_HEAD(0, 0, flags, 0), TRK_REQUEST_ORIGIN(call, 0, 0)),
			 __ATOMIC_RELAXED);
	trk_order();
	trk_arguments_copy(&r->comm, arguments);
	__atomic_store_n(&r->sequence, 2, __ATOMIC_RELEASE);
}

/** The same in the record where the arguments are, which nobody looks at before it is live: that is the last store. */
static inline void trk_request_write_next(struct trk_request *r, trk_request_words message, unsigned call,
					  uint64_t handle)
{
	__atomic_store_n(&r->handle, handle, __ATOMIC_RELAXED);
	trk_order();
	__atomic_store_n((trk_request_words *)r,
			 message | TRK_REQUEST_WORDS(TRK_REQUEST_HEAD(0, 0, 0, 0), TRK_REQUEST_ORIGIN(call, 0, 0)),
			 __ATOMIC_RELEASE);
}

#endif /* TRK_REQUEST_RECORD_H */
