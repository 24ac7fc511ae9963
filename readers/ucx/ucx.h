/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file ucx.h
 * The matching queues inside UCX: receives that are posted, messages that have come unasked, requests of sends. What a tag
 * word means, and whose the requests are, is the business of the MPI's reader.
 *
 * A layout pack is believed when data of libucp agrees; a worker when its lists hold together. Otherwise nothing is read.
 */
#ifndef RD_UCX_H
#define RD_UCX_H

#include "../reader.h"
#include "schema.h"

enum {
	RD_UCX_WORKERS_MAX = 64, /**< as many virtual interfaces as MPICH may have: MPIDI_CH4_MAX_VCIS */
	/** Buckets of the hash of receives: the two halves of a tag, modulo 1021 each, exclusive or. UCX 1.10 to 1.20. */
	RD_UCX_HASH = 1024,
};

/** A request as the MPI holds it, its address being the user's pointer. */
struct rd_ucx_request {
	uint64_t addr;
	uint64_t user_data; /**< what the MPI gave with it: of MPICH, its own request */
	uint64_t buffer, bytes;
	bool pieces;        /**< the data are in pieces: buffer names a list of them */
	uint64_t tag, mask; /**< of a receive: a bit that is 0 in the mask matches anything */
	uint64_t sequence;  /**< of a receive: order of posting in this worker */
	/** Of a receive that is matched (rd_ucx_begun()): the message's tag and length. Before that they mean nothing. */
	uint64_t matched_tag, matched_bytes;
	uint64_t ep_addr; /**< of a send: where to */
	bool synchronous; /**< of a send: known to wait for the receiver; false says nothing */
	uint64_t next;    /**< of a receive in a queue: the link of the next one */
	bool offloaded;   /**< of a receive: the hardware matches it, too */
	bool released;    /**< the MPI has let it go before it was complete */
};

/** An active operation of this kind that UCX has, of which nothing else is known yet. It is "not applicable" until it is set. */
struct mdl_op rd_ucx_op(enum mdl_op_kind kind);

/** A message that no receive has matched. */
struct rd_ucx_message {
	uint64_t addr; /**< the library's descriptor */
	uint64_t tag, bytes, data_addr;
	enum mdl_protocol protocol;
	bool synchronous;
};

/** An entry of a list: what is needed to choose, in the order of the list. */
struct rd_ucx_entry {
	uint64_t addr, tag, sequence;
};

/** Entries of one list: half of what one arena may hold. */
enum { RD_UCX_ENTRIES_MAX = ACC_ARENA_BYTES / 2 / sizeof(struct rd_ucx_entry) };

struct rd_ucx_list {
	struct rd_ucx_entry *entries;
	uint64_t n, cap;
	enum acc_rc rc;           /**< why it is not whole */
	char why[ACC_NOTE_BYTES]; /**< in words */
};

/** A request of a pool that is not complete: what is needed to choose. */
struct rd_ucx_found {
	uint64_t addr, tag, next, sequence; /**< next and sequence of a receive, as in struct rd_ucx_request */
	uint8_t kind;                       /**< enum rd_ucx_kind: RD_UCX_SEND, RD_UCX_RECEIVE */
	bool exact;                         /**< a receive without wildcards */
	bool offloaded, posted;             /**< of a receive; posted: in a queue */
};

struct rd_ucx {
	struct acc_space *sp;
	struct acc_layout layout;
	struct acc_witness_result witnesses;
	size_t next_pack;   /**< to be tried by rd_ucx_another() */
	uint64_t own_bytes; /**< what the MPI has behind each request; set by its reader, 0: not known */
	uint64_t worker_addr[RD_UCX_WORKERS_MAX];
	unsigned n_workers;
	bool built, under_way_built;
	struct rd_ucx_found *found; /**< by address */
	uint64_t n_found, cap_found;
	bool pools_taken;
	enum acc_rc pools_rc;
	struct rd_ucx_list receives, messages; /**< in the queues */
	struct rd_ucx_list sends, begun;       /**< in the pools and on stacks */
	const struct rd_stack *stacks;         /**< borrowed */
	size_t n_stacks;
	char why[ACC_NOTE_BYTES]; /**< why nothing is read; "" */
};

/** Resolve the layout. @return ACC_OK; ACC_EWITNESS, ACC_EFIELD, ACC_ENOMEM: u->why says it, nothing is noted. */
enum acc_rc rd_ucx_init(struct rd_ucx *u, struct acc_space *sp, const struct rd_packs *packs);

/**
 * Take the next pack whose witnesses agree, too: they are few, and libraries of other releases or with other options have the
 * same. To be called when no worker is found. Codes as rd_ucx_init(); ACC_EWITNESS: there is none, and the last one stays.
 */
enum acc_rc rd_ucx_another(struct rd_ucx *u, const struct rd_packs *packs);

/** Append the pack to the words of mdl_library.layout, in place of what an earlier call has appended. */
void rd_ucx_say_pack(const struct rd_ucx *u, char *text, size_t size);

/** Release. Takes an all-zero one. */
void rd_ucx_deinit(struct rd_ucx *u);

/** The process may have run: forget lists and workers. */
void rd_ucx_forget(struct rd_ucx *u);

/** Do the lists at @p addr hold together as a worker's? Nothing is noted. */
bool rd_ucx_is_worker(const struct rd_ucx *u, uint64_t addr);

/** Add a worker that rd_ucx_is_worker(). @return false: there are too many */
bool rd_ucx_add_worker(struct rd_ucx *u, uint64_t addr);

/** Is it an endpoint of one of the workers? */
bool rd_ucx_is_ep(const struct rd_ucx *u, uint64_t addr);

/** The lists of all workers, made on first use: receives by sequence, messages as they came. Borrowed. */
const struct rd_ucx_list *rd_ucx_receives(struct rd_ucx *u);
const struct rd_ucx_list *rd_ucx_messages(struct rd_ucx *u);

/** Parts of stacks on which requests of blocking calls may lie; borrowed until the next call or rd_ucx_forget(). */
void rd_ucx_set_stacks(struct rd_ucx *u, const struct rd_stack *stacks, size_t n);

/**
 * Requests that are under way, from the pools of all workers and from the stacks, made on first use: tagged sends, in no
 * order; and tagged receives that are in no queue any more, because their message has come and their data have not. Borrowed.
 */
const struct rd_ucx_list *rd_ucx_sends(struct rd_ucx *u);
const struct rd_ucx_list *rd_ucx_begun(struct rd_ucx *u);

/** What a request is for. */
enum rd_ucx_kind { RD_UCX_OTHER, RD_UCX_SEND, RD_UCX_RECEIVE };

/**
 * What a request of one of the pools is for, from its address alone.
 *
 * @param[out] complete it is; the MPI has not given it back yet
 * @return RD_UCX_OTHER: no tagged operation, or no request of a pool
 */
enum rd_ucx_kind rd_ucx_what(struct rd_ucx *u, uint64_t addr, bool *complete);

/** The same of a request with these flags. */
enum rd_ucx_kind rd_ucx_kind_of(struct rd_ucx *u, uint64_t addr, uint64_t flags);

/** Is the receive still in a queue? */
bool rd_ucx_is_posted(struct rd_ucx *u, uint64_t addr, uint64_t sequence);

/**
 * A request by its address. It may lie on a stack: MPICH's caller asks rd_ucx_is_request() first.
 *
 * @return ACC_OK; ACC_ECORRUPT: no request of one of the workers; ACC_EREAD. Nothing noted.
 */
enum acc_rc rd_ucx_receive(struct rd_ucx *u, uint64_t addr, struct rd_ucx_request *ret);
enum acc_rc rd_ucx_send(struct rd_ucx *u, uint64_t addr, struct rd_ucx_request *ret);

/** @return ACC_OK; ACC_ECORRUPT: no message; ACC_EREAD. Nothing noted. */
enum acc_rc rd_ucx_message(struct rd_ucx *u, uint64_t addr, struct rd_ucx_message *ret);

/** Set what UCX knows of a message at @p addr: bytes, protocol, buffer. Peer and tag are for the MPI to decode. */
void rd_ucx_set_message(const struct rd_ucx_message *m, uint64_t addr, struct mdl_op *op);

/** Was the memory of @p addr given out by one of the workers' pools of requests? */
bool rd_ucx_is_request(struct rd_ucx *u, uint64_t addr);

/* ---- request.c, pool.c: for queues.c and under_way.c ---------------------------------------------------- */

/** A request of this kind. Codes as rd_ucx_receive(). */
enum acc_rc rd_ucx_look(struct rd_ucx *u, uint64_t addr, enum rd_ucx_kind kind, struct rd_ucx_found *ret);

/** Read the pools of all workers into u->found, once. @return ACC_OK; why it is not whole */
enum acc_rc rd_ucx_take_pools(struct rd_ucx *u);

/** The entry of u->found with this address, or NULL. */
struct rd_ucx_found *rd_ucx_find(struct rd_ucx *u, uint64_t addr);

/* ---- list.c ------------------------------------------------------------------- */

/** Why a list is not whole: the first reason counts. */
void rd_ucx_list_spoil(struct rd_ucx_list *list, enum acc_rc rc, const char *what);

/** @return false: there is no room for it, which is noted in the list */
bool rd_ucx_list_append(struct rd_ucx *u, struct rd_ucx_list *list, const struct rd_ucx_entry *entry);

/** By sequence; those that are sorted already cost nothing. */
void rd_ucx_list_sort(struct rd_ucx_list *list);

/** ucp_request_t.flags and what they say: UCX 1.10 to 1.20. */
enum {
	RD_UCX_COMPLETED = 1 << 0,
	RD_UCX_RELEASED = 1 << 1,
	RD_UCX_PROTO_SEND = 1 << 2, /**< by the newer protocols */
	RD_UCX_OFFLOADED = 1 << 10, /**< a receive that the hardware has: not counted in its queue */
	RD_UCX_SEND_TAG = 1 << 14,
	RD_UCX_RECV_TAG = 1 << 17,
	/** Of active messages, streams, fragments, and a receive that hardware must not have: none of a tagged send. */
	RD_UCX_NO_SEND = 1 << 11 | 1 << 12 | 1 << 13 | 1 << 15 | 1 << 16 | 1 << 17,
	RD_UCX_NO_RECEIVE = 1 << 2 | 1 << 12 | 1 << 13 | 1 << 14 | 1 << 15 | 1 << 16,
};

/** Of a send by the newer protocols: ucp_operation_id_t of what it was chosen a protocol for. @return false: not known */
bool rd_ucx_operation(const struct rd_ucx *u, uint64_t config_addr, uint64_t *ret);

#endif /* RD_UCX_H */
