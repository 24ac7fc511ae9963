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
	RD_UCX_WORKERS_MAX = 16,
	RD_UCX_HASH = 1021, /**< buckets of the hash of receives: UCP_TAG_MATCH_HASH_SIZE, UCX 1.10 to 1.20 */
};

/** A request as the MPI holds it, its address being the user's pointer. */
struct rd_ucx_request {
	uint64_t addr;
	uint64_t user_data; /**< what the MPI gave with it: of MPICH, its own request */
	uint64_t buffer, bytes;
	bool pieces;        /**< the data are in pieces: buffer names a list of them */
	uint64_t tag, mask; /**< of a receive: a bit that is 0 in the mask matches anything */
	uint64_t sequence;  /**< of a receive: order of posting in this worker */
	uint64_t ep_addr;   /**< of a send: where to */
	bool synchronous;   /**< of a send: known to wait for the receiver; false says nothing */
};

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

struct rd_ucx_list {
	struct rd_ucx_entry *entries;
	uint64_t n, cap;
	enum acc_rc rc;           /**< why it is not whole */
	char why[ACC_NOTE_BYTES]; /**< in words */
};

struct rd_ucx {
	struct acc_space *sp;
	struct acc_layout layout;
	struct acc_witness_result witnesses;
	uint64_t worker_addr[RD_UCX_WORKERS_MAX];
	unsigned n_workers;
	bool built;
	struct rd_ucx_list receives, messages;
	char why[ACC_NOTE_BYTES]; /**< why nothing is read; "" */
};

/** Resolve the layout. @return ACC_OK; ACC_EWITNESS, ACC_EFIELD, ACC_ENOMEM: u->why says it, nothing is noted. */
enum acc_rc rd_ucx_init(struct rd_ucx *u, struct acc_space *sp, const struct rd_packs *packs);

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

/** @return ACC_OK; ACC_ECORRUPT: no request of one of the workers; ACC_EREAD. Nothing noted. */
enum acc_rc rd_ucx_receive(struct rd_ucx *u, uint64_t addr, struct rd_ucx_request *ret);
enum acc_rc rd_ucx_send(struct rd_ucx *u, uint64_t addr, struct rd_ucx_request *ret);
enum acc_rc rd_ucx_message(struct rd_ucx *u, uint64_t addr, struct rd_ucx_message *ret);

/** Was the memory of @p addr given out by one of the workers' pools of requests? */
bool rd_ucx_is_request(struct rd_ucx *u, uint64_t addr);

#endif /* RD_UCX_H */
