/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file refs.h
 * Reads many small objects at given addresses with few reads:
 * the addresses are sorted, and neighbours are fetched together.
 *
 *    rd_refs_init(&r, sp, most);
 *    rd_refs_add(&r, addr, slot) ...
 *    rd_refs_visit(&r, fn, ctx);         calls fn for each, in order of address
 *    rd_refs_clear(&r);                  then the next batch
 *    rd_refs_deinit(&r);
 */
#ifndef RD_JOBS_REFS_H
#define RD_JOBS_REFS_H

#include "../../access/space.h"

struct rd_ref {
	uint64_t addr;
	uint32_t slot; /**< chosen by the caller */
};

struct rd_refs {
	struct acc_space *sp;
	struct rd_ref *refs, *spare; /**< spare: allocated when first needed */
	size_t n, cap;
	unsigned char *span;
	size_t span_bytes;
	uint64_t n_failed; /**< number of failed reads since rd_refs_init() */
};

/**
 * @param most maximum number of references in a batch. @return ACC_OK
 *             or ACC_ENOMEM. Call rd_refs_deinit() in both cases.
 */
enum acc_rc rd_refs_init(struct rd_refs *r, struct acc_space *sp, size_t most);

/** Release. Takes an all-zero one. */
void rd_refs_deinit(struct rd_refs *r);

/** Remove all references. */
void rd_refs_clear(struct rd_refs *r);

/** Add one; at most the number passed to rd_refs_init(). */
void rd_refs_add(struct rd_refs *r, uint64_t addr, uint32_t slot);

/**
 * Called for each reference.
 *
 * @param bytes the bytes at its address
 * @param n     how many; 0: they could not be read together with others. The
 *              function may read them separately, unless rd_refs_spent().
 * @return ACC_OK, or a failure that ends the visit
 */
typedef enum acc_rc rd_refs_fn(void *ctx, const struct rd_ref *ref, const unsigned char *bytes, size_t n);

/** Sort, read, and call the function. @return ACC_OK; ACC_ENOMEM; or what the function returned. */
enum acc_rc rd_refs_visit(struct rd_refs *r, rd_refs_fn *fn, void *ctx);

/** Have so many reads failed (ACC_FAILED_READS_MAX) that the function should not read separately any more? */
bool rd_refs_spent(const struct rd_refs *r);

/** To be called when the function has read separately and failed. */
void rd_refs_failed(struct rd_refs *r);

#endif /* RD_JOBS_REFS_H */
