/* SPDX-License-Identifier: BSD-3-Clause */
#include "proctable.h"

#include "../../access/limits.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

/* The MPIR interface: struct { char *host_name; char *executable_name; int pid; }, naturally aligned. */
static uint32_t entry_bytes(const struct acc_space *sp)
{
	uint32_t pointer = sp->sizes.pointer_bytes, bytes = 2 * pointer + sp->sizes.int_bytes;

	return (bytes + pointer - 1) / pointer * pointer;
}

static enum acc_rc bad(struct acc_space *sp, enum acc_rc rc, const char *what, int64_t n)
{
	return acc_note(&sp->note, rc, "%s (size %lld): %s", what, (long long)n, acc_rc_text(rc));
}

enum acc_rc rd_jobs_proctable(struct acc_space *sp, struct rd_proctable *ret)
{
	uint64_t size_addr, table_addr, addr;
	unsigned char bytes[8];

	if (acc_symbol(sp, "MPIR_proctable_size", &size_addr) || acc_symbol(sp, "MPIR_proctable", &table_addr))
		return ACC_NONE;
	if (acc_read(sp, size_addr, sp->sizes.int_bytes, bytes))
		return bad(sp, ACC_EREAD, "MPIR_proctable_size", 0);

	int64_t n = acc_decode_i(sp, bytes, sp->sizes.int_bytes);
	if (!n)
		return ACC_NONE;
	if (n < 0)
		return bad(sp, ACC_ECORRUPT, "MPIR_proctable", n);
	if ((uint64_t)n > ACC_RANKS_MAX)
		return bad(sp, ACC_ELIMIT, "MPIR_proctable", n);
	if (acc_read_ptr(sp, table_addr, &addr))
		return bad(sp, ACC_EREAD, "MPIR_proctable", n);
	if (!addr)
		return ACC_NONE;
	if (!acc_plausible(sp, addr, sp->sizes.pointer_bytes))
		return bad(sp, ACC_ECORRUPT, "MPIR_proctable", n);

	*ret = (struct rd_proctable){ .sp = sp, .addr = addr, .n = (uint64_t)n, .stride = entry_bytes(sp) };
	return ACC_OK;
}

/* Make the bytes of the entry available. If a block cannot be read, its entries are read one by one. */
static const unsigned char *entry(struct rd_proctable *t)
{
	uint64_t n = t->n - t->i, cap = RD_PROCTABLE_BLOCK_BYTES / t->stride;

	if (t->i >= t->block_first && t->i < t->block_first + t->n_block)
		return t->block + (t->i - t->block_first) * t->stride;
	if (t->i < t->single_until)
		n = 1;
	if (n > cap)
		n = cap;
	t->n_block = 0;
	if (acc_read(t->sp, t->addr + t->i * t->stride, (size_t)(n * t->stride), t->block)) {
		if (n == 1)
			return NULL;
		t->single_until = t->i + n;
		if (acc_read(t->sp, t->addr + t->i * t->stride, t->stride, t->block))
			return NULL;
		n = 1;
	}
	t->block_first = t->i;
	t->n_block = n;
	return t->block;
}

static bool string_at(struct acc_space *sp, const unsigned char *pointer, char *ret, size_t size)
{
	return acc_read_string(sp, acc_decode_u(sp, pointer, sp->sizes.pointer_bytes), ret, size) == ACC_OK;
}

enum acc_rc rd_jobs_proctable_next(struct rd_proctable *t, struct rd_proc *ret)
{
	if (t->i >= t->n)
		return ACC_NONE;

	const unsigned char *bytes = entry(t);
	unsigned pointer = t->sp->sizes.pointer_bytes;
	bool sound = bytes;

	ret->rank = (int64_t)t->i;
	ret->pid = -1;
	ret->host[0] = ret->executable[0] = '\0';
	if (bytes) {
		int64_t pid = acc_decode_i(t->sp, bytes + 2 * pointer, t->sp->sizes.int_bytes);

		if (pid > 0)
			ret->pid = pid;
		sound = pid > 0;
		sound &= string_at(t->sp, bytes, ret->host, sizeof(ret->host));
		sound &= string_at(t->sp, bytes + pointer, ret->executable, sizeof(ret->executable));
	}
	if (!sound)
		t->n_bad++;
	t->i++;
	return ACC_OK;
}
