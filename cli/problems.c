/* SPDX-License-Identifier: BSD-3-Clause */
#include "problems.h"

#include "ranks.h"

#include "../access/grow.h"

#include <stdlib.h>
#include <string.h>

/* A problem, and the ranks that have it. */
struct problem {
	const char *line;  /* text of the first rank; borrowed */
	const char *words; /* the part after the name of the process; NULL: no such prefix */
	const struct cmd_proc *first;
	struct cmd_ranks ranks;
};

struct problems {
	struct problem *v;
	size_t n;
};

/* The part after the prefix of "rank 1 (process 4713): vars: no registry". @return NULL: no such prefix */
static const char *words_of(const struct cmd_job *job, const struct cmd_proc *p, const char *line)
{
	char name[4200];

	if (!job->is_job || p->rank < 0)
		return NULL;
	cmd_proc_name(job, p, name, sizeof(name));
	size_t n = strlen(name);
	return strncmp(line, name, n) == 0 && strncmp(line + n, ": ", 2) == 0 ? line + n + 2 : NULL;
}

static struct problem *find_problem(struct problems *all, const char *words, const struct cmd_proc *p)
{
	for (size_t i = 0; words && i < all->n; i++)
		if (all->v[i].words && cmd_same_world(all->v[i].first, p) && strcmp(all->v[i].words, words) == 0)
			return &all->v[i];
	return NULL;
}

static bool add_problem(struct problems *all, const struct problem *problem)
{
	if (!ACC_GROW(all->v, all->n))
		return false;
	all->v[all->n++] = *problem;
	return true;
}

/* if out of memory, print the line unchanged */
static void take_problem(struct cmd_job *job, struct problems *all, const struct cmd_proc *p, const char *line)
{
	struct problem one = { .line = line, .words = words_of(job, p, line), .first = p };
	struct problem *known = find_problem(all, one.words, p);

	if (known && cmd_ranks_add(&known->ranks, p->rank, p->rank))
		return;
	if (one.words && !cmd_ranks_add(&one.ranks, p->rank, p->rank))
		one.words = NULL;
	if (!add_problem(all, &one)) {
		cmd_lines_add(&job->problems, "%s", line);
		cmd_ranks_deinit(&one.ranks);
	}
}

void cmd_problems_gather(struct cmd_job *job)
{
	struct problems all = { 0 };
	bool unknown = false;

	for (size_t i = 0; i < job->n; i++) {
		const struct cmd_answer *a = job->procs[i].answer;

		if (a->unknown && unknown)
			continue;
		unknown |= a->unknown;
		for (size_t k = 0; k < a->problems.n; k++)
			take_problem(job, &all, &job->procs[i], a->problems.line[k]);
	}
	for (size_t i = 0; i < all.n; i++) {
		struct problem *one = &all.v[i];
		char *set = cmd_ranks_count(&one->ranks) > 1 ? cmd_ranks_text(&one->ranks) : NULL;

		if (set)
			cmd_lines_add(&job->problems, "ranks %s: %s", set, one->words);
		else
			cmd_lines_add(&job->problems, "%s", one->line);
		free(set);
		cmd_ranks_deinit(&one->ranks);
	}
	free(all.v);
}
