/* SPDX-License-Identifier: BSD-3-Clause */
#include "fetched.h"

#include "../access/grow.h"

#include <stdlib.h>

struct answer {
	struct host_build_id id;
	char *path; /* NULL: no server has it */
};

static struct {
	struct answer *v;
	size_t n;
} answers;

static const struct answer *find_answer(const struct host_build_id *id)
{
	for (size_t i = 0; id->n && i < answers.n; i++)
		if (host_build_id_equal(&answers.v[i].id, id))
			return &answers.v[i];
	return NULL;
}

bool host_fetched_asked(const struct host_build_id *id)
{
	return find_answer(id) != NULL;
}

const char *host_fetched_path(const struct host_build_id *id)
{
	const struct answer *a = find_answer(id);

	return a ? a->path : NULL;
}

void host_fetched_add(const struct host_build_id *id, char *path)
{
	if (!ACC_GROW(answers.v, answers.n)) {
		free(path);
		return;
	}
	answers.v[answers.n++] = (struct answer){ *id, path };
}
