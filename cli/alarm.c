/* SPDX-License-Identifier: BSD-3-Clause */
#include "alarm.h"

#include "judged.h"

#include <stdlib.h>

enum {
	VIEWS = 3,    /* so many views in a row must agree before the job is read */
	LATER_S = 10, /* time to the next reading after one that has confirmed nothing; longer each time */
	LATER_MAX_S = 300
};

static bool seems_stuck(const struct vd_verdict *v)
{
	return v->n_dead || (v->result == VD_MISSING_RANK && v->n_suspects);
}

static void forget_alarm(struct cmd_alarm *a)
{
	free(a->ranks);
	a->ranks = NULL;
	a->n = 0;
}

static void add_ranks(struct cmd_alarm *a, const struct cmd_watch *w, const struct vd_job *job, const int32_t *ranks,
		      size_t n)
{
	size_t *grown = realloc(a->ranks, (a->n + n + 1) * sizeof(*grown));

	if (!grown)
		return;
	a->ranks = grown;
	for (size_t i = 0; i < n; i++) {
		const struct vd_rank *r = &job->ranks[ranks[i]];
		size_t k = cmd_watch_find(w, r->pid, r->host ? r->host : "", 0);
		if (k < w->n)
			a->ranks[a->n++] = k;
	}
}

/* The two readings of mpidbg deadlock. */
static void confirm(struct cmd_alarm *a, const struct cmd_watch *w)
{
	struct cmd_options quiet = *w->o;
	struct cmd_judged j;
	struct vd_verdict v;

	quiet.progress = false; /* the terminal is in full-screen mode */
	cmd_judged_take(&quiet, w->plugin, false, &j);
	if (j.ranks.n_ranks && vd_judge(&j.ranks, &v)) {
		if (v.result != VD_NO_DEADLOCK && !v.uncertain)
			add_ranks(a, w, &j.ranks, v.dead, v.n_dead);
		if (v.result == VD_MISSING_RANK && !v.uncertain)
			add_ranks(a, w, &j.ranks, v.suspects, v.n_suspects);
		vd_verdict_deinit(&v);
	}
	cmd_judged_deinit(&j);
}

/* Has one of the ranks done something since? */
static bool has_changed(const struct cmd_alarm *a, const struct cmd_watch *w)
{
	for (size_t k = 0; k < a->n; k++)
		if (w->ranks[a->ranks[k]]->ended || w->ranks[a->ranks[k]]->since_s > a->asked_s)
			return true;
	return false;
}

void cmd_alarm_look(struct cmd_alarm *a, const struct cmd_watch *w, const struct cmd_view *v)
{
	a->n_views = seems_stuck(&v->verdict) ? a->n_views + 1 : 0;
	if (a->n && has_changed(a, w))
		forget_alarm(a);
	if (a->n || a->n_views < VIEWS || cmd_watch_now() < a->next_s)
		return;
	confirm(a, w);
	a->asked_s = cmd_watch_now();
	a->later_s = a->n ? LATER_S : a->later_s < LATER_MAX_S ? 2 * a->later_s + LATER_S : LATER_MAX_S;
	a->next_s = a->asked_s + (a->n ? 0 : a->later_s);
}

void cmd_alarm_set(struct cmd_alarm *a, const size_t *ranks, size_t n)
{
	forget_alarm(a);
	a->ranks = calloc(n + 1, sizeof(*a->ranks));
	for (size_t i = 0; a->ranks && i < n; i++)
		a->ranks[a->n++] = ranks[i];
}

bool cmd_alarm_is_stuck(const struct cmd_alarm *a, const struct cmd_view *v, int32_t rank)
{
	for (size_t i = 0; i < a->n; i++)
		if (v->watched[rank] == a->ranks[i])
			return true;
	return false;
}

void cmd_alarm_deinit(struct cmd_alarm *a)
{
	free(a->ranks);
	*a = (struct cmd_alarm){ .n = 0 };
}
