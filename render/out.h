/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file out.h
 * A streaming writer: passes bytes in pieces to a function of the caller; its only memory is its own buffer. The
 * two formats, text.h and json.h, are built on it.
 *
 * A writer that fails (the caller's function returned non-zero) discards the rest; out_end() reports it.
 */
#ifndef OUT_H
#define OUT_H

#include "../model/fact.h"

#include <stdbool.h>

enum { OUT_BUFFER_BYTES = 4096, OUT_DEPTH_MAX = 16 };

struct out {
	int (*write)(void *ctx, const char *text, size_t n);
	void *ctx;
	bool json;
	bool color;
	bool all;        /**< also addresses and items that are hidden by default */
	unsigned indent; /**< spaces in front of every line of text */
	bool failed;

	/* text: position in the line */
	unsigned column; /**< characters since the start of the line, its indent included */
	bool in_line;

	/* JSON: open objects and arrays */
	unsigned depth;
	uint32_t not_first; /**< bit d: the object or array at depth d is not empty */

	uint64_t n_items; /**< of lists of facts (fact.h) */
	size_t n;
	char buffer[OUT_BUFFER_BYTES];
};

/** Start. Members that are not arguments (color, all, indent) are set by the caller afterwards. */
void out_begin(struct out *o, bool json, int (*write)(void *ctx, const char *text, size_t n), void *ctx);

/** Flush. @return false: the caller's function has failed at some point. */
bool out_end(struct out *o);

/** Write bytes unchanged. */
void out_bytes(struct out *o, const char *bytes, size_t n);

#endif /* OUT_H */
