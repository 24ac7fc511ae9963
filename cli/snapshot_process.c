/* SPDX-License-Identifier: BSD-3-Clause */
#include "snapshot_process.h"

#include "answer.h"

#include "../verdict/members.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

json_t *cmd_spool_json(struct cmd_spool *s)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = s->n ? open_memstream(&text, &n) : NULL;
	bool ok = f && cmd_spool_copy(s, 0, f);

	if (f)
		ok = fclose(f) == 0 && ok;
	json_t *ret = ok ? json_loadb(text, n, 0, NULL) : NULL;
	free(text);
	return ret;
}

static void pack_members(const json_t *process)
{
	const json_t *comm;
	size_t i;

	json_array_foreach(json_object_get(process, "communicators"), i, comm)
	{
		vd_members_pack(json_object_get(comm, "members"));
		vd_members_pack(json_object_get(comm, "remote_members"));
	}
}

/*
 * Add the objects of one kind. If some were not recorded for lack of space, objects cannot be identified by their
 * order; then none are included.
 */
static void add_objects(json_t *process, int which, struct cmd_spool *s)
{
	static const char *const names[CMD_N_OBJECTS] = { "windows", "files" };
	json_t *answer = cmd_spool_json(s), *kind = json_array_get(json_object_get(answer, "handles"), 0);

	if (json_is_array(json_object_get(kind, "objects")) && json_is_true(json_object_get(kind, "recorded")) &&
	    json_integer_value(json_object_get(kind, "not_recorded")) == 0)
		json_object_set(process, names[which], json_object_get(kind, "objects"));
	json_decref(answer);
}

json_t *cmd_snapshot_process(const struct cmd_proc *p, bool beside_text)
{
	struct cmd_answer *a = p->answer;
	json_t *process = cmd_spool_json(beside_text ? &a->snapshot : &a->text), *calls = cmd_spool_json(&a->calls);

	if (!process) {
		struct cmd_spool stand_in = { 0 };
		cmd_answer_stand_in(a, p, &stand_in);
		process = cmd_spool_json(&stand_in);
		cmd_spool_deinit(&stand_in);
	}
	if (process && !json_is_integer(json_object_get(process, "rank")) && p->rank >= 0) {
		json_object_set_new(process, "rank", json_integer(p->rank));
		json_object_del(process, "rank_why");
	}
	if (process && *a->state)
		json_object_set_new(process, "state", json_string(a->state));
	json_t *threads = process ? cmd_spool_json(&a->threads) : NULL;
	if (threads)
		json_object_set_new(process, "threads", threads);
	json_t *kept = process ? cmd_spool_json(&a->kept) : NULL;
	if (kept)
		json_object_set_new(process, "kept", kept);
	json_t *sources = process ? cmd_spool_json(&a->sources) : NULL;
	if (sources)
		json_object_set_new(process, "sources", sources);
	if (calls && json_is_array(json_object_get(calls, "calls")))
		json_object_set(process, "recorded_calls", json_object_get(calls, "calls"));
	if (json_is_array(json_object_get(calls, "partitioned")))
		json_object_set(process, "partitioned", json_object_get(calls, "partitioned"));
	json_decref(calls);
	for (int i = 0; process && i < CMD_N_OBJECTS; i++)
		add_objects(process, i, &a->objects[i]);
	pack_members(process);
	return process;
}
