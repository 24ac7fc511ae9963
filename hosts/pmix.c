/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmix.h"

#include "child.h"
#include "way.h"

#include <stdlib.h>
#include <string.h>

enum { LIMIT_S = 10 };

bool hs_pmix_find(pid_t launcher, struct hs_pmix *ret, char *why, size_t n_why)
{
	struct hs_words words = { 0 };
	struct hs_pmix p = { .job = "" };
	char *rest = NULL;

	hs_words_add(&words, "/proc/self/exe");
	hs_words_add(&words, "pmix");
	hs_words_printf(&words, "%d", (int)launcher);
	char *text = words.no_memory ? NULL : hs_child_output(words.v, LIMIT_S, why, n_why);
	hs_words_deinit(&words);
	for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line; line = strtok_r(NULL, "\n", &rest)) {
		char **more = *p.job && hs_is_host(line) ? realloc(p.hosts, (p.n_hosts + 1) * sizeof(*more)) : NULL;
		if (!*p.job)
			snprintf(p.job, sizeof(p.job), "%s", line);
		if (!more)
			continue;
		p.hosts = more;
		p.hosts[p.n_hosts] = strdup(line);
		p.n_hosts += p.hosts[p.n_hosts] != NULL;
	}
	free(text);
	*ret = p;
	return p.n_hosts > 0;
}

void hs_pmix_deinit(struct hs_pmix *p)
{
	for (size_t i = 0; i < p->n_hosts; i++)
		free(p->hosts[i]);
	free(p->hosts);
	*p = (struct hs_pmix){ .job = "" };
}
