/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file refs.h
 * Many addresses of small things, read with few reads: sorted, and fetched in spans in which neighbours lie.
 *
 *     rd_refs_init(&r, sp, most);
 *     rd_refs_add(&r, addr, slot) ...
 *     rd_refs_visit(&r, fn, ctx);         fn sees each, in order of address
 *     rd_refs_clear(&r);                  and so on with the next lot
 *     rd_refs_deinit(&r);
 */
#ifndef RD_JOBS_REFS_H
#define RD_JOBS_REFS_H

#include "../../access/space.h"

struct rd_ref {
	uint64_t addr;
	uint32_t slot; /**< the caller's */
};

struct rd_refs {
	struct acc_space *sp;
	struct rd_ref *refs, *spare; /**< spare: made when it is first needed */
	size_t n, cap;
	unsigned char *span;
	size_t span_bytes;
	uint64_t n_failed; /**< reads that have failed, since rd_refs_init() */
};

/** @param most references of a lot. @return ACC_OK or ACC_ENOMEM. rd_refs_deinit() in both cases. */
enum acc_rc rd_refs_init(struct rd_refs *r, struct acc_space *sp, size_t most);

/** Release. Takes an all-zero one. */
void rd_refs_deinit(struct rd_refs *r);

/** Forget the references. */
void rd_refs_clear(struct rd_refs *r);

/** Add one; at most the number passed to rd_refs_init(). */
void rd_refs_add(struct rd_refs *r, uint64_t addr, uint32_t slot);

/**
 * One reference.
 *
 * @param bytes the bytes at its address, as far as they were read
 * @param n     of them; 0: could not be read together with others. The thing may be read by itself, unless
 *              rd_refs_spent()
 * @return ACC_OK, or a failure that ends the visit
 */
typedef enum acc_rc rd_refs_fn(void *ctx, const struct rd_ref *ref, const unsigned char *bytes, size_t n);

/** Sort, read, call. @return ACC_OK; ACC_ENOMEM; what the function returned. */
enum acc_rc rd_refs_visit(struct rd_refs *r, rd_refs_fn *fn, void *ctx);

/** So many reads have failed (ACC_FAILED_READS_MAX) that nothing more is read by itself. */
bool rd_refs_spent(const struct rd_refs *r);

/** The function has read a thing by itself, and failed. */
void rd_refs_failed(struct rd_refs *r);

#endif /* RD_JOBS_REFS_H */
