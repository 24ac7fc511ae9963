/* SPDX-License-Identifier: BSD-3-Clause */
#include "flat.h"

#include "fuzz.h"
#include "target.h"

#include <stdlib.h>
#include <string.h>

static bool read_memory(void *ctx, uint64_t addr, size_t n, void *ret)
{
	const struct flat *flat = ctx;
	if (addr < FLAT_ADDR || addr - FLAT_ADDR > flat->n || n > flat->n - (addr - FLAT_ADDR))
		return false;
	memcpy(ret, flat->bytes + (addr - FLAT_ADDR), n);
	return true;
}

static bool symbol(void *ctx, const char *name, uint64_t *ret)
{
	const struct flat *flat = ctx;
	for (int i = 0; i < FLAT_SYMBOLS; i++) {
		if (flat->symbols[i].name && !strcmp(name, flat->symbols[i].name)) {
			*ret = flat->symbols[i].addr;
			return true;
		}
	}
	return false;
}

static void *alloc(void *ctx, size_t n)
{
	struct flat *flat = ctx;
	void *p = malloc(n);
	flat->n_live += p != NULL;
	return p;
}

static void release(void *ctx, void *p)
{
	struct flat *flat = ctx;
	FUZZ_MUST(p && flat->n_live > 0);
	flat->n_live--;
	free(p);
}

static const struct acc_target_ops ops = {
	.read = read_memory,
	.symbol = symbol,
	.type = fuzz_no_type,
	.type_bytes = fuzz_no_type_bytes,
	.field_offset = fuzz_no_field_offset,
	.alloc = alloc,
	.release = release,
};

void flat_space(struct flat *flat, uint8_t flags, struct acc_space *ret)
{
	bool wide = flags & 1;
	const struct acc_sizes sizes = {
		.short_bytes = 2,
		.int_bytes = 4,
		.long_bytes = wide ? 8 : 4,
		.long_long_bytes = 8,
		.pointer_bytes = wide ? 8 : 4,
		.bool_bytes = 1,
		.size_bytes = wide ? 8 : 4,
	};
	FUZZ_MUST(acc_space_init(ret, &ops, flat, &sizes, flags & 2) == ACC_OK);
}
