/* SPDX-License-Identifier: BSD-3-Clause */
#include "page.h"

#include "message.h"

#include "../report/dot.h"
#include "../report/page.h"
#include "../verdict/report.h"

#include <stdlib.h>

/* @return false: out of memory */
static bool write_dot(FILE *out, const struct rp_source *s)
{
	struct rp_waits w = { .n_nodes = 0 };

	rp_waits_make(&w, s);
	bool ok = !w.no_memory;
	if (ok)
		rp_dot(out, &w);
	rp_waits_deinit(&w);
	return ok;
}

enum cmd_exit cmd_page_write(FILE *out, const struct cmd_seen *s, bool dot, const char *command, const char *name)
{
	const struct cmd_judged *j = &s->judged;
	const char *no_picture = NULL;
	struct vd_folds folds = { .n = 0 };

	vd_fold_groups(&folds, &j->ranks, &s->verdict, &s->groups);
	int32_t *group_of = rp_group_of(&j->ranks, &s->groups);
	int32_t *suspects = calloc(j->ranks.n_ranks + 1, sizeof(*suspects));
	struct rp_source source = { .snapshot = j->parts.head,
				    .processes = (const json_t *const *)j->processes,
				    .job = &j->ranks,
				    .verdict = &s->verdict,
				    .groups = &s->groups,
				    .folds = &folds,
				    .suspects = suspects,
				    .n_suspects = suspects ? vd_look_at(&j->ranks, &s->verdict, suspects) : 0,
				    .group_of = group_of,
				    .problems = j->job.problems.line,
				    .n_problems = j->job.problems.n };
	bool ok = group_of && suspects && !s->groups.no_memory && !folds.no_memory &&
		  (dot ? write_dot(out, &source) : rp_page(out, &source, &no_picture));
	free(group_of);
	free(suspects);
	vd_folds_deinit(&folds);
	if (!ok)
		cmd_message("%s: %s: out of memory, or it cannot be written", command, name);
	if (no_picture)
		cmd_message("%s: without the wait-for graph: %s", command, no_picture);
	return ok ? CMD_DONE : CMD_PARTIAL;
}
