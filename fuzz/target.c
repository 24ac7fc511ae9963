/* SPDX-License-Identifier: BSD-3-Clause */
#include "target.h"

const struct acc_sizes fuzz_sizes = {
	.short_bytes = 2,
	.int_bytes = 4,
	.long_bytes = 8,
	.long_long_bytes = 8,
	.pointer_bytes = 8,
	.bool_bytes = 1,
	.size_bytes = 8,
};

void *fuzz_no_type(void *ctx, const char *name)
{
	(void)ctx;
	(void)name;
	return NULL;
}

int64_t fuzz_no_type_bytes(void *ctx, void *type)
{
	(void)ctx;
	(void)type;
	return -1;
}

int64_t fuzz_no_field_offset(void *ctx, void *type, const char *field)
{
	(void)ctx;
	(void)type;
	(void)field;
	return -1;
}
