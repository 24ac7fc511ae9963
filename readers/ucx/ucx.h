/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file ucx.h
 * The tag matching queues of UCX: posted receives, unexpected messages, requests of sends. The MPI's reader interprets
 * the tag words and the owners of requests.
 *
 * A layout pack is used only if its witnesses in libucp agree, and a worker only if its queues are consistent.
 */
#ifndef RD_UCX_H
#define RD_UCX_H

#include "../reader.h"
#include "schema.h"

enum {
	RD_UCX_WORKERS_MAX = 64, /**< as many virtual interfaces as MPICH may have: MPIDI_CH4_MAX_VCIS */
	RD_UCX_VERSION_BYTES = 32,
	/** Buckets of the hash of receives: the two halves of a tag, modulo 1021 each, exclusive or. UCX
	 * 1.10 to 1.23. */
	RD_UCX_HASH = 1024,
};

/** A request; its address is the pointer that UCX's user has. */
struct rd_ucx_request {
	uint64_t addr;
	uint64_t user_data; /**< passed by the MPI; MPICH: its own request */
	uint64_t buffer, bytes;
	bool pieces;        /**< the data are in several pieces: buffer is the address of a list of them */
	uint64_t tag, mask; /**< of a receive: a bit that is 0 in the mask matches anything */
	uint64_t sequence;  /**< of a receive: order of posting in this worker */
	/** Of a matched receive (rd_ucx_begun()): tag and length of the message. Otherwise undefined. */
	uint64_t matched_tag, matched_bytes;
	uint64_t ep_addr; /**< of a send: the endpoint of the destination */
	bool synchronous; /**< of a send: it waits for the receiver; false: no, or unknown */
	uint64_t next;    /**< of a receive in a queue: the link of the next one */
	bool offloaded;   /**< of a receive: also passed to the hardware for matching */
	bool released;    /**< released by the MPI before it was complete */
};

/** An active operation of this kind with origin "ucx"; all other facts are "not applicable" until they are set. */
struct mdl_op rd_ucx_op(enum mdl_op_kind kind);

/** Set what is known of every probe that the debugger has seen; peer and tag are for the MPI to decode. */
void rd_ucx_set_probe(const struct rd_probe *probe, struct mdl_op *op);

/** A message that no receive has matched. */
struct rd_ucx_message {
	uint64_t addr; /**< the library's descriptor */
	uint64_t tag, bytes, data_addr;
	enum mdl_protocol protocol;
	bool synchronous;
};

/** An entry of a list, with the members needed for selection. */
struct rd_ucx_entry {
	uint64_t addr, tag, sequence;
};

/** Maximum number of entries of a list: half of the capacity of an arena. */
enum { RD_UCX_ENTRIES_MAX = ACC_ARENA_BYTES / 2 / sizeof(struct rd_ucx_entry) };

struct rd_ucx_list {
	struct rd_ucx_entry *entries;
	uint64_t n, cap;
	enum acc_rc rc;           /**< why it is incomplete */
	char why[ACC_NOTE_BYTES]; /**< in words */
};

/** A request of a pool that is not complete, with the members needed for selection. */
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
	size_t next_pack; /**< next pack for rd_ucx_another(): first those for the version, then the others */
	char version[RD_UCX_VERSION_BYTES]; /**< of libucp; "": unknown */
	uint64_t own_bytes; /**< bytes that the MPI has reserved behind each request; set by its reader, 0: unknown */
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

/** Offset of a field in its type. */
static inline uint64_t rd_ucx_offset(const struct rd_ucx *u, unsigned field)
{
	return u->layout.fields[field].offset;
}

/* ---- version.c ------------------------------------------------------------------------------------------- */

/** The version of libucp, "1.18.1"; "": unknown (not x86-64, or another compiler's code). Nothing is noted. */
void rd_ucx_version(struct acc_space *sp, char ret[RD_UCX_VERSION_BYTES]);

/** Is the version that of a pack, "1.16.0", or between its two, "1.16.0-1.17.0"? */
bool rd_ucx_names(const char *range, const char *version);

/* ---- open.c ---------------------------------------------------------------------------------------------- */

/** Resolve the layout. @return ACC_OK; ACC_EWITNESS, ACC_EFIELD, ACC_ENOMEM: u->why says it, nothing is noted. */
enum acc_rc rd_ucx_init(struct rd_ucx *u, struct acc_space *sp, const struct rd_packs *packs);

/**
 * Switch to the next pack whose witnesses agree: several releases and configurations have the same witnesses. Called if
 * no worker is found. Returns the codes of rd_ucx_init(); ACC_EWITNESS: no further pack, the current one stays.
 */
enum acc_rc rd_ucx_another(struct rd_ucx *u, const struct rd_packs *packs);

/** Append the name of the pack to mdl_library.layout, replacing that of an earlier call. */
void rd_ucx_pack_text(const struct rd_ucx *u, char *text, size_t size);

/** Release. Accepts an all-zero structure. */
void rd_ucx_deinit(struct rd_ucx *u);

/** Discard lists and workers, because the process may have run. */
void rd_ucx_forget(struct rd_ucx *u);

/** Is there a consistent worker at @p addr? Nothing is noted. */
bool rd_ucx_is_worker(const struct rd_ucx *u, uint64_t addr);

/** Add a worker that rd_ucx_is_worker(). @return false: there are too many */
bool rd_ucx_add_worker(struct rd_ucx *u, uint64_t addr);

/** Is it an endpoint of one of the workers? */
bool rd_ucx_is_ep(const struct rd_ucx *u, uint64_t addr);

/** The lists of all workers, read on first use: receives by sequence, messages in the order of arrival. Borrowed. */
const struct rd_ucx_list *rd_ucx_receives(struct rd_ucx *u);
const struct rd_ucx_list *rd_ucx_messages(struct rd_ucx *u);

/** Parts of stacks on which requests of blocking calls may lie; borrowed until the next call or rd_ucx_forget(). */
void rd_ucx_set_stacks(struct rd_ucx *u, const struct rd_stack *stacks, size_t n);

/**
 * Requests in progress, from the pools of all workers and from stacks, read on first use: tagged sends, in no
 * particular order; and matched tagged receives, which are in no queue, whose data have not arrived yet. Borrowed.
 */
const struct rd_ucx_list *rd_ucx_sends(struct rd_ucx *u);
const struct rd_ucx_list *rd_ucx_begun(struct rd_ucx *u);

/** The operation of a request. */
enum rd_ucx_kind { RD_UCX_OTHER, RD_UCX_SEND, RD_UCX_RECEIVE };

/**
 * The operation of a request in one of the pools.
 *
 * @param[out] complete it is complete, and not released by the MPI yet
 * @return RD_UCX_OTHER: no tagged operation, or no request of a pool
 */
enum rd_ucx_kind rd_ucx_what(struct rd_ucx *u, uint64_t addr, bool *complete);

/** The same for a request with these flags. */
enum rd_ucx_kind rd_ucx_kind_of(struct rd_ucx *u, uint64_t addr, uint64_t flags);

/** Is the receive still in a queue? */
bool rd_ucx_is_posted(struct rd_ucx *u, uint64_t addr, uint64_t sequence);

/**
 * Load a request. It may be on a stack; a caller that only accepts requests of pools calls rd_ucx_is_request() first.
 *
 * @return ACC_OK; ACC_ECORRUPT: no request of one of the workers; ACC_EREAD. Nothing noted.
 */
enum acc_rc rd_ucx_receive(struct rd_ucx *u, uint64_t addr, struct rd_ucx_request *ret);
enum acc_rc rd_ucx_send(struct rd_ucx *u, uint64_t addr, struct rd_ucx_request *ret);

/** @return ACC_OK; ACC_ECORRUPT: no message; ACC_EREAD. Nothing noted. */
enum acc_rc rd_ucx_message(struct rd_ucx *u, uint64_t addr, struct rd_ucx_message *ret);

/** Set what UCX knows of a message at @p addr: bytes, protocol, buffer. Peer and tag are for the MPI to decode. */
void rd_ucx_set_message(const struct rd_ucx_message *m, uint64_t addr, struct mdl_op *op);

/** Is @p addr a request that was allocated from the pool of one of the workers? */
bool rd_ucx_is_request(struct rd_ucx *u, uint64_t addr);

/* ---- request.c, pool.c: for queues.c and under_way.c ---------------------------------------------------- */

/** A request of this kind. Codes as rd_ucx_receive(). */
enum acc_rc rd_ucx_look(struct rd_ucx *u, uint64_t addr, enum rd_ucx_kind kind, struct rd_ucx_found *ret);

/** Read the pools of all workers into u->found, once. @return ACC_OK; otherwise why it is incomplete */
enum acc_rc rd_ucx_take_pools(struct rd_ucx *u);

/** The entry of u->found with this address, or NULL. */
struct rd_ucx_found *rd_ucx_find(struct rd_ucx *u, uint64_t addr);

/* ---- list.c ------------------------------------------------------------------- */

/** Mark a list as incomplete; the first reason is kept. */
void rd_ucx_list_spoil(struct rd_ucx_list *list, enum acc_rc rc, const char *what);

/** @return false: there is no room for it, which is noted in the list */
bool rd_ucx_list_append(struct rd_ucx *u, struct rd_ucx_list *list, const struct rd_ucx_entry *entry);

/** Sort by sequence. Linear for a sorted list. */
void rd_ucx_list_sort(struct rd_ucx_list *list);

/** ucp_request_t.flags, UCX 1.10 to 1.23. */
enum {
	RD_UCX_COMPLETED = 1 << 0,
	RD_UCX_RELEASED = 1 << 1,
	RD_UCX_PROTO_SEND = 1 << 2, /**< uses the newer protocols */
	RD_UCX_OFFLOADED = 1 << 10, /**< a receive passed to hardware: not counted in its queue */
	RD_UCX_SEND_TAG = 1 << 14,
	RD_UCX_RECV_TAG = 1 << 17,
	/** Flags that no tagged send has: active messages, streams, fragments, receives excluded from hardware
	   matching. */
	RD_UCX_NO_SEND = 1 << 11 | 1 << 12 | 1 << 13 | 1 << 15 | 1 << 16 | 1 << 17,
	RD_UCX_NO_RECEIVE = 1 << 2 | 1 << 12 | 1 << 13 | 1 << 14 | 1 << 15 | 1 << 16,
};

#endif /* RD_UCX_H */
