/* SPDX-License-Identifier: BSD-3-Clause */
/* One mapping with the records of all tables, a buffer for a value that is being read, and the lists. */
#include "mirror_table.h"

#include "../tracker/head.h"
#include "../tracker/threads.h"
#include "mirror.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

enum { LISTS_BYTES = 4 << 20, SMALLEST = 32 };

/* The block of a list; its size precedes the elements. */
struct list_block {
	uint32_t bytes, spare[3];
};

/* The beginning of every record. */
struct row {
	uint32_t sequence;
	uint8_t state;
};

#define TABLE(type, n)                                                                                                 \
	{                                                                                                              \
		.name = #type, .bytes = sizeof(struct type), .capacity = n                                             \
	}
int mpit_vars = MPIT_VARS_OWN;

static struct trk_slab tables[MPIT_TABLES] = {
	[MPIT_CVARS] = TABLE(trk_cvar, 8192),
	[MPIT_PVARS] = TABLE(trk_pvar, 4096),
	[MPIT_CATEGORIES] = TABLE(trk_category, 4096),
	[MPIT_EVENTS] = TABLE(trk_event, 256),
	[MPIT_REGISTRATIONS] = TABLE(trk_registration, 1024),
};

static char *value, *list_at, *list_end;
static bool tried;

bool mpit_tables(void)
{
	size_t bytes = MPIT_VALUE_BYTES + LISTS_BYTES;
	int saved = errno;

	if (tried)
		return value != NULL;
	tried = true;
	for (int i = 0; i < MPIT_TABLES; i++)
		bytes += (size_t)tables[i].bytes * tables[i].capacity;
	char *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	errno = saved;
	if (at == MAP_FAILED)
		return false;
	for (int i = 0; i < MPIT_TABLES; i++) {
		tables[i].records = (uintptr_t)at;
		at += (size_t)tables[i].bytes * tables[i].capacity;
	}
	value = at;
	list_at = value + MPIT_VALUE_BYTES;
	list_end = list_at + LISTS_BYTES;
	trk_order();
	MPI2DD_registry.var_tables = (uintptr_t)tables;
	MPI2DD_registry.n_var_tables = MPIT_TABLES;
	return true;
}

static void *record(const struct trk_slab *t, int index)
{
	return (char *)(uintptr_t)t->records + (size_t)index * t->bytes;
}

void *mpit_row(enum mpit_table table, int index)
{
	struct trk_slab *t = &tables[table];

	if (!mpit_tables())
		return NULL;
	if (index < 0 || (uint32_t)index >= t->capacity) {
		t->n_dropped++;
		return NULL;
	}
	if ((uint32_t)index >= t->high)
		t->high = (uint32_t)index + 1;
	return record(t, index);
}

void *mpit_row_known(enum mpit_table table, int index)
{
	const struct trk_slab *t = &tables[table];

	return index >= 0 && (uint32_t)index < t->high ? record(t, index) : NULL;
}

int mpit_rows(enum mpit_table table)
{
	return (int)tables[table].high;
}

int mpit_rows_max(enum mpit_table table)
{
	return (int)tables[table].capacity;
}

void mpit_row_dropped(enum mpit_table table)
{
	tables[table].n_dropped++;
}

void mpit_row_change(void *row)
{
	struct row *r = row;

	r->sequence |= 1;
	trk_order();
}

void mpit_row_changed(void *row)
{
	struct row *r = row;

	trk_order();
	if (r->state == TRK_FREE)
		r->state = TRK_LIVE;
	trk_order();
	r->sequence++;
}

static struct list_block *alloc_block(size_t bytes)
{
	size_t size = SMALLEST;

	while (size < bytes)
		size *= 2;
	if (size + sizeof(struct list_block) > (size_t)(list_end - list_at))
		return NULL;
	struct list_block *list_block = (struct list_block *)(void *)list_at;
	list_block->bytes = (uint32_t)size;
	list_at += size + sizeof(*list_block);
	return list_block;
}

void mpit_list(struct trk_span *list, const void *elements, size_t n, size_t element_bytes)
{
	size_t bytes = n * element_bytes;
	struct list_block *list_block = list->addr ? (struct list_block *)(uintptr_t)list->addr - 1 : NULL;

	if (bytes > LISTS_BYTES)
		list_block = NULL;
	else if (n && (!list_block || list_block->bytes < bytes))
		list_block = alloc_block(bytes);
	*list = (struct trk_span){ .total = (uint32_t)n };
	if (!list_block)
		return;
	memcpy(list_block + 1, elements, bytes);
	list->addr = (uintptr_t)(list_block + 1);
	list->n = (uint32_t)n;
}

void *mpit_value_buffer(void)
{
	return value;
}
