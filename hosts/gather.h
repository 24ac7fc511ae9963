/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file gather.h
 * Runs "mpidbg agent" on all hosts of a job at the same time, and collects the answers until a deadline.
 */
#ifndef HS_GATHER_H
#define HS_GATHER_H

#include "lines.h"
#include "way.h"

/** The answer of a host. */
struct hs_host {
	char *name;
	struct hs_text first, second, about; /**< as enum hs_kind */
	bool answered;                       /**< all three are complete */
	double first_s;                      /**< when the first text was complete, in seconds from the beginning */
	char why[256];                       /**< why it has not answered: "timed out", "no mpidbg there" */
};

/** Start with all zero. */
struct hs_answers {
	struct hs_host *hosts; /**< in the order of the request */
	size_t n, n_answered;
	char way[64];   /**< "srun" */
	double started; /**< CLOCK_REALTIME at the beginning, in seconds */
};

/** Called when another host has answered or failed. */
typedef void hs_progress(void *ctx, const struct hs_answers *a, size_t n_over);

/**
 * Ask all hosts. Returns when each has answered or failed, or after the limit; what still runs is then ended.
 *
 * @param progress may be NULL
 * @param[out] ret hs_answers_deinit() frees it
 * @return false: out of memory
 */
bool hs_gather(const struct hs_request *r, hs_progress *progress, void *ctx, struct hs_answers *ret);

/** Release. Leaves all zero. */
void hs_answers_deinit(struct hs_answers *a);

#endif /* HS_GATHER_H */
