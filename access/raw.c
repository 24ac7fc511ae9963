/* SPDX-License-Identifier: BSD-3-Clause */
#include "raw.h"

#include "limits.h"

#pragma GCC poison assert abort exit printf fprintf malloc free

bool acc_raw_read(struct acc_space *sp, uint64_t addr, size_t n, void *ret)
{
	sp->stats.n_reads++;
	sp->stats.read_bytes += n;
	if (sp->ops->read(sp->ctx, addr, n, ret))
		return true;
	sp->stats.n_failed++;
	return false;
}

void *acc_array(struct acc_space *sp, uint64_t n, size_t size)
{
	uint64_t bytes;

	if (__builtin_mul_overflow(n, (uint64_t)size, &bytes) || bytes > ACC_ARENA_BYTES)
		return NULL;
	return sp->ops->alloc(sp->ctx, bytes ? bytes : 1);
}

void acc_array_free(struct acc_space *sp, void *p)
{
	if (p)
		sp->ops->release(sp->ctx, p);
}
