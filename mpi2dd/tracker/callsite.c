/* SPDX-License-Identifier: BSD-3-Clause */
/* One address is stored in the frame; more are taken from the stack. */
#include "callsite.h"

#include "arena.h"

#include <execinfo.h>

int trk_callsite_depth;

enum { OUR_FRAMES = 16 };

void trk_callsite_setup(int n)
{
	void *one[1];

	/* the first backtrace() loads a library: do that now, not inside a call of the program */
	if (n > 1)
		(void)backtrace(one, 1);
	__atomic_store_n(&trk_callsite_depth, n, __ATOMIC_SEQ_CST);
}

struct trk_span trk_callsite(const struct trk_frame *frame)
{
	uint64_t where[TRK_CALLSITE_MAX];
	void *all[TRK_CALLSITE_MAX + OUR_FRAMES];
	int wanted = __atomic_load_n(&trk_callsite_depth, __ATOMIC_ACQUIRE);
	unsigned n = 0, depth = wanted <= 0 ? 0 : wanted > TRK_CALLSITE_MAX ? TRK_CALLSITE_MAX : (unsigned)wanted;

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
