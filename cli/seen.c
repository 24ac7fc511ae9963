/* SPDX-License-Identifier: BSD-3-Clause */
#include "seen.h"

#include "../host/clock.h"
#include "../verdict/source.h"

void cmd_seen_take(const struct cmd_options *o, struct host_plugin *plugin, const struct cmd_judging *how,
		   const char *command, struct cmd_seen *ret)
{
	*ret = (struct cmd_seen){ .at_s = host_now_ms() / 1e3 };
	ret->rc = cmd_hosts_judge(o, plugin, how, &ret->judged);
	ret->judged.ranks.sources = vd_sources_create(o->source_dir);
	ret->ok = ret->judged.ranks.n_ranks && vd_judge(&ret->judged.ranks, &ret->verdict);
	if (ret->ok)
		vd_group_ranks(&ret->groups, &ret->judged.ranks, &ret->verdict);
	if (ret->judged.ranks.n_ranks && (!ret->ok || ret->groups.no_memory)) {
		cmd_message("%s: out of memory", command);
		ret->rc = CMD_PARTIAL;
	}
}

void cmd_seen_compare(const struct cmd_seen *first, const struct cmd_seen *last, bool timed, struct vd_changes *ret)
{
	struct vd_seen before = { &first->judged.ranks, &first->verdict, &first->groups };
	struct vd_seen after = { &last->judged.ranks, &last->verdict, &last->groups };

	vd_changes_find(ret, &before, &after, timed ? (int64_t)(last->at_s - first->at_s + 0.5) : -1);
}

int cmd_seen_exit(const struct cmd_seen *s)
{
	if (s->judged.parts.changed)
		return CMD_PARTIAL;
	if (s->verdict.result == VD_SPINS)
		return CMD_SPINNING;
	return s->verdict.result != VD_NO_DEADLOCK && s->verdict.stands_still ? CMD_DEADLOCK : s->rc;
}

void cmd_seen_deinit(struct cmd_seen *s)
{
	vd_groups_deinit(&s->groups);
	vd_verdict_deinit(&s->verdict);
	cmd_judged_deinit(&s->judged);
	*s = (struct cmd_seen){ .ok = false };
}
