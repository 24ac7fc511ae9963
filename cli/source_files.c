/* SPDX-License-Identifier: BSD-3-Clause */
#include "source_files.h"

#include "json.h"

#include <stdlib.h>
#include <string.h>

static int by_path(const void *a, const void *b)
{
	const struct host_source_file *x = a, *y = b;

	return strcmp(x->path, y->path);
}

void cmd_source_files_write(const struct host_target *t, struct cmd_spool *out)
{
	size_t n;
	const struct host_source_file *files = host_source_files(t, &n);
	struct host_source_file *sorted = n ? malloc(n * sizeof(*sorted)) : NULL;

	if (!sorted)
		return;
	memcpy(sorted, files, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), by_path);
	cmd_spool_puts(out, "[");
	for (size_t i = 0; i < n; i++) {
		bool first = true;
		cmd_spool_puts(out, i ? ",{" : "{");
		cmd_json_member(out, &first, "path", sorted[i].path);
		if (sorted[i].built >= 0)
			cmd_json_number(out, &first, "built", sorted[i].built);
		if (sorted[i].system) {
			cmd_json_name(out, &first, "system");
			cmd_spool_puts(out, "true");
		}
		cmd_spool_puts(out, "}");
	}
	cmd_spool_puts(out, "]");
	free(sorted);
}
