/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file members.h
 * Writes the members of a group, in the order of their local ranks: a JSON array, or a short text of runs, "[0-3,7]".
 */
#ifndef OUT_MEMBERS_H
#define OUT_MEMBERS_H

#include "../model/comm.h"
#include "out.h"

/** Bytes of the text; a count replaces members that do not fit. */
enum { OUT_MEMBERS_BYTES = 256 };

struct out_members {
	struct out *o;
	uint64_t n;    /**< members so far */
	bool identity; /**< text: every local rank equals its world rank */
	bool in_run;
	int64_t run_first, run_last;
	uint32_t run_job;
	bool run_own, run_known, run_local;
	uint64_t n_left_out; /**< number of members that do not fit into the text */
	size_t n_text;
	char text[OUT_MEMBERS_BYTES]; /**< after the end: "[0-3,7]" */
};

/** Start. @param key of the JSON array; unused for text, which out_members_end() leaves in m->text. */
void out_members_begin(struct out_members *m, struct out *o, const char *key);

/** The next member. */
void out_member(struct out_members *m, const struct mdl_member *member);

void out_members_end(struct out_members *m);

#endif /* OUT_MEMBERS_H */
