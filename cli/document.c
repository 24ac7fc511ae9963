/* SPDX-License-Identifier: BSD-3-Clause */
#include "document.h"

#include "../access/grow.h"
#include "../verdict/verdict.h"

#include <string.h>

const char *cmd_part_text(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

int64_t cmd_part_number(const json_t *object, const char *key, int64_t otherwise)
{
	const json_t *v = json_object_get(object, key);

	return json_is_integer(v) ? json_integer_value(v) : otherwise;
}

bool cmd_part_is_rank(int64_t rank)
{
	return rank >= 0 && rank <= INT32_MAX;
}

bool cmd_part_was_read(const json_t *process)
{
	const char *state = cmd_part_text(process, "state");

	return json_is_object(json_object_get(process, "mpi")) ||
	       (state && (strcmp(state, "gone") == 0 || strcmp(state, "zombie") == 0));
}

struct cmd_part_process *cmd_part_grow(struct cmd_parts *p)
{
	if (!ACC_GROW(p->processes, p->n)) {
		p->no_memory = true;
		return NULL;
	}
	return &p->processes[p->n++];
}
