/* SPDX-License-Identifier: BSD-3-Clause */
#include "wait_texts.h"

#include <stdlib.h>
#include <string.h>

struct mpidbg_wait *cmd_wait_texts_create(const struct wt_waits *w, int64_t pid)
{
	struct mpidbg_wait *ret = w->n ? calloc(w->n, sizeof(*ret)) : NULL;
	char text[WT_TEXT_BYTES];

	for (size_t i = 0; ret && i < w->n; i++) {
		wt_text(&w->v[i], pid, text);
		ret[i] = (struct mpidbg_wait){ w->v[i].tid, strdup(text) };
	}
	return ret;
}

void cmd_wait_texts_destroy(struct mpidbg_wait *texts, const struct wt_waits *w)
{
	for (size_t i = 0; texts && i < w->n; i++)
		free((char *)texts[i].text);
	free(texts);
}
