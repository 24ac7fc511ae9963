/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file mqs_session.h
 * A debugger's walk through all lists of the queue face, and a simulated process with entries in each list.
 */
#ifndef MQS_SESSION_H
#define MQS_SESSION_H

#include "fake_mqs.h"
#include "fake_ompi.h"

/** What a walk has seen. */
struct mqs_seen {
	int first_failure; /**< the first code that is neither mqs_ok nor mqs_end_of_list; 0: none */
	unsigned n_comms, n_groups;
	unsigned n_ops[3]; /**< by mqs_op_class */
	unsigned n_no_information;
};

/** Rank 1 of 4 with receives, messages, sends and a second communicator of 3 ranks. Release with
 * fake_ompi_destroy(). */
struct fake_ompi *mqs_session_process(unsigned word_bytes, bool big_endian);

/** Everything of a process that is set up: communicators, groups, the three queues. A failure ends that part. */
struct mqs_seen mqs_session_walk(struct fake_mqs *m);

/** Ends the test unless the code is one that the DLL may return, with its own text. */
void mqs_session_check_code(struct fake_mqs *m, int code);

#endif /* MQS_SESSION_H */
