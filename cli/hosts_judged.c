/* SPDX-License-Identifier: BSD-3-Clause */
#include "hosts_judged.h"

#include "hosts.h"

#include "../verdict/flows.h"

#include <stdio.h>

static void set_basis(struct cmd_judged *j, const struct cmd_hosts *h)
{
	double apart = -1;
	char text[200];

	for (size_t i = 0; i < h->answers.n; i++) {
		const struct cmd_window *w = &h->windows[i];
		if (w->any && !w->left_out && (apart < 0 || w->second - w->first < apart))
			apart = w->second - w->first;
	}
	snprintf(text, sizeof(text), "%zu of %zu hosts answered (%s), seen at two moments, %.1f s apart", h->n_answered,
		 h->answers.n, h->answers.way, apart);
	j->ranks.basis = vd_string(&j->ranks, text);
}

static enum cmd_exit judge(const struct cmd_hosts *h, struct cmd_judged *ret)
{
	struct cmd_judged first = { .snapshot = NULL };
	bool whole = h->n_answered == h->answers.n;

	first.snapshot = cmd_hosts_snapshot(h, false, &ret->job.problems);
	ret->snapshot = cmd_hosts_snapshot(h, true, &ret->job.problems);
	whole &= !ret->job.problems.n;
	bool ok = first.snapshot && ret->snapshot && cmd_judged_load(&first, &first.job.problems) &&
		  cmd_judged_load(ret, &ret->job.problems);
	if (ok) {
		vd_compare(&first.ranks, &ret->ranks);
		vd_compare_transits(&first.ranks, &ret->ranks);
		set_basis(ret, h);
	} else if (!first.snapshot) {
		cmd_lines_add(&ret->job.problems, "job %s: none of %zu hosts has a rank of it", h->plan.name,
			      h->n_answered);
	}
	cmd_judged_deinit(&first);
	return !ret->snapshot ? CMD_ABSENT : whole ? CMD_DONE : CMD_PARTIAL;
}

enum cmd_exit cmd_hosts_judge(const struct cmd_options *o, struct host_plugin *plugin, bool keep,
			      struct cmd_judged *ret)
{
	struct cmd_lines problems = { 0 };
	struct cmd_hosts h;
	enum cmd_exit rc = cmd_hosts_ask(o, plugin, NULL, &problems, &h);

	if (rc == CMD_DONE && !h.plan.n_hosts)
		return cmd_judged_take(o, plugin, keep, ret);
	*ret = (struct cmd_judged){ .job = { .problems = problems } };
	if (rc == CMD_DONE)
		rc = judge(&h, ret);
	cmd_hosts_deinit(&h);
	return rc;
}
