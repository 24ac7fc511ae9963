/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of requests and messages, with only the members needed for selection. */
#include "ucx.h"

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

static void sift(struct rd_ucx_entry *a, uint64_t root, uint64_t n)
{
	for (uint64_t child; (child = 2 * root + 1) < n; root = child) {
		if (child + 1 < n && a[child].sequence < a[child + 1].sequence)
			child++;
		if (a[root].sequence >= a[child].sequence)
			return;
		struct rd_ucx_entry swap = a[root];
		a[root] = a[child];
		a[child] = swap;
	}
}

void rd_ucx_list_sort(struct rd_ucx_list *list)
{
	struct rd_ucx_entry *a = list->entries;
	bool sorted = true;

	for (uint64_t i = 1; i < list->n && sorted; i++)
		sorted = a[i - 1].sequence <= a[i].sequence;
	if (sorted)
		return;
	for (uint64_t i = list->n / 2; i > 0; i--)
		sift(a, i - 1, list->n);
	for (uint64_t end = list->n; end > 1; end--) {
		struct rd_ucx_entry swap = a[0];
		a[0] = a[end - 1];
		a[end - 1] = swap;
		sift(a, 0, end - 1);
	}
}
