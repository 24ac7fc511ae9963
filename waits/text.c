/* SPDX-License-Identifier: BSD-3-Clause */
#include "waits.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void wt_text(const struct wt_wait *x, int64_t pid, char ret[WT_TEXT_BYTES])
{
	const char *why = "", *more = "";
	char held[96] = "", where[32] = "";

	switch (x->holder) {
	case WT_HOLDER_SELF:
		why = x->kind == WT_JOIN ? ", which is this thread" : ", which it holds itself";
		break;
	case WT_HOLDER_THREAD:
		if (x->kind != WT_JOIN && x->owner == pid)
			why = ", held by the main thread";
		else if (x->kind != WT_JOIN)
			snprintf(held, sizeof(held), ", held by thread %" PRId64, x->owner);
		break;
	case WT_HOLDER_GONE:
		snprintf(held, sizeof(held), ", held by thread %" PRId64 ", which this process does not have",
			 x->owner);
		break;
	default:
		break;
	}
	if (x->addr && strncmp(x->what, "a ", 2) == 0)
		snprintf(where, sizeof(where), " at 0x%" PRIx64, x->addr);
	if (x->foreign)
		more = "; another process may use it, too";
	snprintf(ret, WT_TEXT_BYTES, "waits for %s%s%s%s%s", x->what, where, why, held, more);
}
