/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file unmatched.h
 * Messages without a counterpart in the whole job: receives without a send, sends without a receive, and arrived
 * messages without a receive whose sends are complete.
 *
 * Only operations whose both sides were read are listed. A receive whose sender was not read, a send whose
 * receiver was not, and a message in transit are counted in vd_unmatched.n_unknown. So are those whose partner may be
 * among operations that a snapshot has only counted.
 */
#ifndef VD_UNMATCHED_H
#define VD_UNMATCHED_H

#include "groups.h"

enum vd_lone_kind {
	VD_LONE_RECEIVE,
	VD_LONE_SEND,   /**< a pending send */
	VD_LONE_MESSAGE /**< an arrived message whose send is complete, because it was short or buffered */
};

enum vd_arrival { VD_ARRIVED, VD_NOT_ARRIVED, VD_ARRIVAL_UNKNOWN };

/**
 * Does a thread wait for it? VD_WAIT_POSSIBLE: the thread waits for some of several operations, or it is unknown for
 * which. VD_WAIT_POLLED: none does, but one polls for it (MPI_Test).
 */
enum vd_wait { VD_WAIT_NONE, VD_WAIT_CERTAIN, VD_WAIT_POSSIBLE, VD_WAIT_POLLED };

/** One or more equal operations. */
struct vd_lone {
	int32_t comm, from, to; /**< indexes; from may be VD_ANY */
	int32_t thread; /**< in vd_job.threads: it waits or polls for the operation, or may do so; -1: none does */
	uint32_t n;
	int64_t tag;   /**< or VD_ANY_TAG */
	int64_t bytes; /**< of a receive, the size of its buffer; -1: not known */
	const char *function,
		*place;  /**< function that started the receive or send, and its location; NULL: not known */
	uint8_t kind;    /**< enum vd_lone_kind */
	uint8_t arrival; /**< enum vd_arrival, of a send or message */
	uint8_t wait;    /**< enum vd_wait */
};

struct vd_unmatched {
	struct vd_lone *v; /**< by communicator, receiver, sender, tag */
	size_t n;
	size_t n_unknown;
};

/** @return false: out of memory. vd_unmatched_deinit() frees. Takes O(n log n) for n operations. */
bool vd_find_unmatched(const struct vd_job *job, struct vd_unmatched *ret);
void vd_unmatched_deinit(struct vd_unmatched *u);

/** The unmatched operations of a communicator as text: one line per group of ranks. */
struct vd_lone_section {
	int32_t comm;
	struct vd_groups
		lines; /**< activity: the operation; place: how it was started, and whether a thread waits for it */
};

/** @return number of sections; 0 also if out of memory. vd_lone_sections_destroy() frees. */
size_t vd_lone_sections(const struct vd_job *job, struct vd_lone_section **ret);
void vd_lone_sections_destroy(struct vd_lone_section *v, size_t n);

/** Write a section for each communicator with unmatched operations, after an empty line; nothing if there are none. */
void vd_print_unmatched(const struct vd_job *job, FILE *out);

/** Add "unmatched" (docs/json.md) to a verdict. */
void vd_unmatched_json(const struct vd_job *job, json_t *ret);

#endif /* VD_UNMATCHED_H */
