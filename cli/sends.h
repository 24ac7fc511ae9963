/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file sends.h
 * Does any rank on this machine send a message for some time? A message on its way in the memory of UCX is not seen, so
 * that ranks that exchange messages by polling look alike at many moments. The kernel counts how often their threads
 * enter UCX's functions that send (host/returns.h).
 */
#ifndef CMD_SENDS_H
#define CMD_SENDS_H

#include "../verdict/verdict.h"

struct cmd_sending; /* a thread */

/** Initialize with zero; cmd_sends_deinit() frees. */
struct cmd_sends {
	struct cmd_sending *threads;
	size_t n;
	bool unknown; /**< not all threads of the ranks are counted that may send unseen */
	int cause;    /**< errno of why; 0: there is no function that can be counted, or there are too many threads */
};

/** Begin to count the threads of all ranks whose messages the MPI library does not number. */
void cmd_sends_begin(struct cmd_sends *s, const struct vd_job *job);

/** Mark the ranks that have sent since (vd_rank.went_on), and say why that is unknown (vd_job.unseen_sends). */
void cmd_sends_apply(const struct cmd_sends *s, struct vd_job *job);

void cmd_sends_deinit(struct cmd_sends *s);

#endif /* CMD_SENDS_H */
