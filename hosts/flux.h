/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file flux.h
 * What Flux knows about a job: its brokers and its nodes, from flux jobs.
 */
#ifndef HS_FLUX_H
#define HS_FLUX_H

#include <stdbool.h>
#include <stddef.h>

struct hs_flux {
	char job[64];     /**< as its processes have it in FLUX_JOB_ID, without the first character, an f: "2CQzyMuZ" */
	char ranks[4096]; /**< of its brokers, for flux exec: "0-3,7" */
	char nodes[4096]; /**< "n[1-4],n8" */
};

/**
 * Find the nodes of a job that runs.
 *
 * @param job "ƒ2CQzyMuZ", "f2CQzyMuZ", or a decimal number
 * @param[out] why of a failure, one line
 */
bool hs_flux_find(const char *job, struct hs_flux *ret, char *why, size_t n_why);

/** The id of a job after its first character, an f of one or two bytes. */
const char *hs_flux_id(const char *text);

#endif /* HS_FLUX_H */
