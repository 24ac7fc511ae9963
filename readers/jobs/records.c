/* SPDX-License-Identifier: BSD-3-Clause */
#include "records.h"

#include "../../access/limits.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum acc_rc rd_records_init(struct rd_records *r, struct acc_space *sp, uint64_t addr, uint64_t n, uint32_t stride,
			    uint32_t bytes)
{
	*r = (struct rd_records){ .sp = sp, .addr = addr, .n = n, .stride = stride, .bytes = bytes };
	r->cap_block = n < RD_RECORDS_BLOCK_MAX ? (size_t)n : RD_RECORDS_BLOCK_MAX;
	r->block = acc_array(sp, r->cap_block, stride);
	r->unread = acc_array(sp, (r->cap_block + 7) / 8, 1);
	return r->block && r->unread ? ACC_OK : ACC_ENOMEM;
}

void rd_records_deinit(struct rd_records *r)
{
	if (r->sp) {
		acc_array_free(r->sp, r->block);
		acc_array_free(r->sp, r->unread);
	}
	*r = (struct rd_records){ 0 };
}

/* Read records k to k + n of the block. Bytes after the last one do not belong to the table. */
static bool read_part(struct rd_records *r, size_t k, size_t n)
{
	uint64_t addr = r->addr + (r->first + k) * r->stride;

	return acc_read(r->sp, addr, (n - 1) * r->stride + r->bytes, r->block + k * r->stride) == ACC_OK;
}

enum acc_rc rd_records_next(struct rd_records *r)
{
	r->first += r->n_block;
	r->n_block = 0;
	if (r->first >= r->n)
		return ACC_NONE;

	uint64_t left = r->n - r->first;
	size_t n_block = left < r->cap_block ? (size_t)left : r->cap_block, part = n_block;

	memset(r->unread, 0, (r->cap_block + 7) / 8);
	for (size_t k = 0; k < n_block;) {
		size_t n = n_block - k < part ? n_block - k : part;

		if (read_part(r, k, n)) {
			k += n;
			part = part < n_block / 2 ? part * 2 : n_block;
		} else if (n > 1) {
			/* isolate the unreadable record by halving the block */
			part = n / 2;
		} else {
			if (++r->n_unread > ACC_BAD_MAX)
				return ACC_EREAD;
			r->unread[k / 8] |= (unsigned char)(1U << k % 8);
			k++;
			part = 1;
		}
	}
	r->n_block = n_block;
	return ACC_OK;
}

const unsigned char *rd_records_at(const struct rd_records *r, size_t k)
{
	return r->unread[k / 8] >> k % 8 & 1 ? NULL : r->block + k * r->stride;
}
