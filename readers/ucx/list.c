/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of requests and messages, with only the members needed for selection. */
#include "ucx.h"
#include "../../access/sort.h"

#include <stdio.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

void rd_ucx_list_spoil(struct rd_ucx_list *list, enum acc_rc rc, const char *what)
{
	if (list->rc)
		return;
	list->rc = rc;
	snprintf(list->why, sizeof(list->why), "%s: %s", what, acc_rc_text(rc));
}

bool rd_ucx_list_append(struct rd_ucx *u, struct rd_ucx_list *list, const struct rd_ucx_entry *entry)
{
	if (list->n == list->cap) {
		uint64_t cap = list->cap ? 2 * list->cap : 256;
		struct rd_ucx_entry *more = list->cap < RD_UCX_ENTRIES_MAX ? acc_array(u->sp, cap, sizeof(*more))
									   : NULL;

		if (!more) {
			rd_ucx_list_spoil(list, list->cap < RD_UCX_ENTRIES_MAX ? ACC_ENOMEM : ACC_ELIMIT,
					  "queues of UCX");
			return false;
		}
		if (list->n)
			memcpy(more, list->entries, list->n * sizeof(*more));
		acc_array_free(u->sp, list->entries);
		list->entries = more;
		list->cap = cap;
	}
	list->entries[list->n++] = *entry;
	return true;
}

static int compare_sequences(const void *a, const void *b)
{
	const struct rd_ucx_entry *x = a, *y = b;

	return (x->sequence > y->sequence) - (x->sequence < y->sequence);
}

void rd_ucx_list_sort(struct rd_ucx_list *list)
{
	acc_sort(list->entries, list->n, sizeof(*list->entries), compare_sequences);
}
