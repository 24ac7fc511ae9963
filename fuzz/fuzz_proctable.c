/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The memory of a launcher. The first byte says word size and byte order (bits 0 and 1) and whether the symbols are
 * there (bits 2 and 3); the rest is memory, mapped at one address, that begins with the two variables.
 */
#include "fuzz.h"

#include "../access/limits.h"
#include "../readers/jobs/proctable.h"

#include <stdlib.h>
#include <string.h>

enum { MEMORY_ADDR = 0x10000 };

struct launcher {
	const uint8_t *bytes;
	size_t n;
	bool table, size;
};

static bool read_memory(void *ctx, uint64_t addr, size_t n, void *ret)
{
	const struct launcher *l = ctx;
	if (addr < MEMORY_ADDR || addr - MEMORY_ADDR > l->n || n > l->n - (addr - MEMORY_ADDR))
		return false;
	memcpy(ret, l->bytes + (addr - MEMORY_ADDR), n);
	return true;
}

static bool symbol(void *ctx, const char *name, uint64_t *ret)
{
	const struct launcher *l = ctx;
	*ret = MEMORY_ADDR;
	if (!strcmp(name, "MPIR_proctable_size"))
		return l->size;
	*ret += 8;
	return !strcmp(name, "MPIR_proctable") && l->table;
}

static void *type(void *ctx, const char *name)
{
	(void)ctx;
	(void)name;
	return NULL;
}

static int64_t type_bytes(void *ctx, void *t)
{
	(void)ctx;
	(void)t;
	return -1;
}

static int64_t field_offset(void *ctx, void *t, const char *field)
{
	(void)ctx;
	(void)t;
	(void)field;
	return -1;
}

static void *alloc(void *ctx, size_t n)
{
	(void)ctx;
	return malloc(n);
}

static void release(void *ctx, void *p)
{
	(void)ctx;
	free(p);
}

static const struct acc_target_ops ops = {
	.read = read_memory,
	.symbol = symbol,
	.type = type,
	.type_bytes = type_bytes,
	.field_offset = field_offset,
	.alloc = alloc,
	.release = release,
};

int fuzz_proctable(const uint8_t *data, size_t n)
{
	if (n == 0)
		return 0;
	bool wide = data[0] & 1;
	const struct acc_sizes sizes = {
		.short_bytes = 2,
		.int_bytes = 4,
		.long_bytes = wide ? 8 : 4,
		.long_long_bytes = 8,
		.pointer_bytes = wide ? 8 : 4,
		.bool_bytes = 1,
		.size_bytes = wide ? 8 : 4,
	};
	struct launcher l = { data + 1, n - 1, !(data[0] & 4), !(data[0] & 8) };
	struct acc_space sp;
	FUZZ_MUST(acc_space_init(&sp, &ops, &l, &sizes, data[0] & 2) == ACC_OK);
	if (data[0] & 16)
		acc_space_begin(&sp);

	struct rd_proctable t = { 0 };
	enum acc_rc rc = rd_jobs_proctable(&sp, &t);
	if (rc == ACC_OK) {
		struct rd_proc *p = malloc(sizeof(*p));
		FUZZ_MUST(p);
		FUZZ_MUST(t.n > 0);
		uint64_t seen = 0;
		/* A table may claim millions of entries: what is not mapped must cost little. */
		while (seen < 300 && (rc = rd_jobs_proctable_next(&t, p)) == ACC_OK) {
			FUZZ_MUST(p->rank == (int64_t)seen++);
			FUZZ_MUST(p->pid == -1 || p->pid > 0);
			FUZZ_MUST(memchr(p->host, '\0', sizeof(p->host)));
			FUZZ_MUST(memchr(p->executable, '\0', sizeof(p->executable)));
		}
		FUZZ_MUST(rc == ACC_OK || rc == ACC_NONE);
		free(p);
	} else if (rc != ACC_NONE) {
		FUZZ_MUST(sp.note.rc != ACC_OK && sp.note.text[0]);
	}
	if (data[0] & 16)
		acc_space_end(&sp);
	acc_space_deinit(&sp);
	return 0;
}
