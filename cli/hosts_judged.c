/* SPDX-License-Identifier: BSD-3-Clause */
#include "hosts_judged.h"

#include "hosts.h"
#include "returns.h"

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

static void write_snapshot(FILE *to, struct cmd_judged *j)
{
	if (to && j->parts.head && !cmd_parts_write(&j->parts, true, &j->job.problems, to))
		cmd_lines_add(&j->job.problems, "the snapshot cannot be written, or out of memory");
}

/* Which calls have returned between the readings. */
static void apply_returns(const struct cmd_hosts *h, struct vd_job *second)
{
	struct cmd_returns returns = { .threads = NULL };
	json_t *texts = json_array();

	cmd_hosts_returns(h, texts, &returns);
	cmd_returns_apply(&returns, second);
	cmd_returns_deinit(&returns);
	json_decref(texts);
}

static enum cmd_exit judge(const struct cmd_hosts *h, const struct cmd_judging *how, struct cmd_judged *ret)
{
	struct cmd_judged first = { .n_processes = 0 };
	bool whole = h->n_answered == h->answers.n;

	cmd_hosts_parts(h, false, &ret->job.problems, &first.parts);
	cmd_hosts_parts(h, true, &first.job.problems, &ret->parts);
	bool ok = first.parts.n && ret->parts.n && cmd_judged_load(&first, false, &first.job.problems) &&
		  cmd_judged_load(ret, how->keep, &ret->job.problems);
	if (ok) {
		vd_compare(&first.ranks, &ret->ranks);
		vd_compare_transits(&first.ranks, &ret->ranks);
		apply_returns(h, &ret->ranks);
		set_basis(ret, h);
		whole &= !cmd_parts_missing(&ret->parts);
	} else if (!first.parts.n) {
		cmd_lines_add(&ret->job.problems, "job %s: none of %zu hosts has a rank of it", h->plan.name,
			      h->n_answered);
	}
	ret->cpu_s = h->cpu_s;
	write_snapshot(how->snapshot, ret);
	bool any = ret->parts.n > 0;
	whole &= !ret->job.problems.n;
	cmd_judged_deinit(&first);
	return !any ? CMD_ABSENT : whole ? CMD_DONE : CMD_PARTIAL;
}

enum cmd_exit cmd_hosts_judge(const struct cmd_options *o, struct host_plugin *plugin, const struct cmd_judging *how,
			      struct cmd_judged *ret)
{
	struct cmd_lines problems = { 0 };
	struct cmd_hosts h;
	enum cmd_exit rc = cmd_hosts_ask(o, plugin, NULL, &problems, &h);

	if (rc == CMD_DONE && !h.plan.n_hosts) {
		rc = how->once ? cmd_judged_once(o, plugin, ret) : cmd_judged_take(o, plugin, how->keep, ret);
		write_snapshot(how->snapshot, ret);
		return rc;
	}
	*ret = (struct cmd_judged){ .job = { .problems = problems } };
	if (rc == CMD_DONE)
		rc = judge(&h, how, ret);
	cmd_hosts_deinit(&h); /* no process is read after it was loaded */
	return rc;
}
