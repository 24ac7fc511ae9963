/* SPDX-License-Identifier: BSD-3-Clause */
#include "stack.h"

#pragma GCC poison assert abort exit printf fprintf malloc free

enum {
	PAGE = 4096,
	DEPTH = 256 << 10, /* a few KiB are usual, but a program may have large arrays on its stack */
};

void mqs_stack_find(struct acc_space *sp, struct rd_stack *ret)
{
	struct acc_note note = sp->note;
	uint64_t symbol_addr, end;
	unsigned char byte;

	*ret = (struct rd_stack){ .no_pointer = true };
	if (!acc_symbol(sp, "__libc_stack_end", &symbol_addr) && !acc_read_ptr(sp, symbol_addr, &end) && end > DEPTH) {
		uint64_t lo = end, page = (end - 1) & ~(uint64_t)(PAGE - 1);

		for (; page > end - DEPTH && !acc_read(sp, page, 1, &byte); page -= PAGE)
			lo = page;
		if (lo < end) {
			ret->lo = lo;
			ret->hi = end;
		}
	}
	sp->note = note;
}
