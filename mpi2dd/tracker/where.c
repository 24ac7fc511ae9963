/* SPDX-License-Identifier: BSD-3-Clause */
/* One address is the frame's; more are taken from the stack. */
#include "where.h"

#include "arena.h"

#include <execinfo.h>

static unsigned depth;

enum { OUR_FRAMES = 16 };

void trk_where_setup(unsigned n)
{
	void *one[1];

	depth = n;
	/* its first call loads a library: now, not in the middle of the program's calls */
	if (depth > 1)
		(void)backtrace(one, 1);
}

struct trk_span trk_where(const struct trk_frame *frame)
{
	uint64_t where[TRK_WHERE_MAX];
	void *all[TRK_WHERE_MAX + OUR_FRAMES];
	unsigned n = 0;

	if (!depth || !frame)
		return (struct trk_span){ 0 };
	where[n++] = frame->caller;
	if (depth > 1) {
		int n_all = backtrace(all, (int)depth + OUR_FRAMES), i = 0;
		while (i < n_all && (uintptr_t)all[i] != frame->caller)
			i++;
		for (i++; i < n_all && n < depth; i++)
			where[n++] = (uintptr_t)all[i];
	}
	return trk_span_copy(where, n, sizeof(where[0]));
}
