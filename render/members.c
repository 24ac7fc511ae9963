/* SPDX-License-Identifier: BSD-3-Clause */
#include "members.h"

#include "json.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

/* Space reserved for "and 12345678 more]". */
enum { REST_BYTES = 32 };

void out_members_begin(struct out_members *m, struct out *o, const char *key)
{
	memset(m, 0, sizeof(*m));
	m->o = o;
	m->identity = true;
	if (o->json)
		out_json_array(o, key);
}

static void run_text(const struct out_members *m, char *ret, size_t size)
{
	char job[32] = "";

	if (m->run_known && !m->run_own)
		snprintf(job, sizeof(job), "%sworld %" PRIu32 ":", m->run_local ? "other " : "", m->run_job);
	if (!m->run_known)
		snprintf(ret, size, m->run_first == m->run_last ? "unreadable" : "%" PRId64 " unreadable",
			 m->run_last - m->run_first + 1);
	else if (m->run_first == m->run_last)
		snprintf(ret, size, "%s%" PRId64, job, m->run_first);
	else
		snprintf(ret, size, "%s%" PRId64 "-%" PRId64, job, m->run_first, m->run_last);
}

static void run_end(struct out_members *m)
{
	char run[80];

	if (!m->in_run)
		return;
	m->in_run = false;
	run_text(m, run, sizeof(run));

	size_t n = strlen(run);
	if (m->n_left_out || m->n_text + n + 2 + REST_BYTES > sizeof(m->text)) {
		m->n_left_out += (uint64_t)(m->run_last - m->run_first) + 1;
		return;
	}
	m->text[m->n_text] = m->n_text ? ',' : '[';
	memcpy(m->text + m->n_text + 1, run, n);
	m->n_text += n + 1;
}

static void text_member(struct out_members *m, const struct mdl_member *member)
{
	/* Unreadable members are only counted. */
	int64_t rank = member->known ? member->world_rank : m->in_run && !m->run_known ? m->run_last + 1 : 0;

	if (!member->known || !member->own_world || (uint64_t)rank != m->n)
		m->identity = false;
	if (m->in_run && rank == m->run_last + 1 && member->known == m->run_known &&
	    (!member->known ||
	     (member->own_world == m->run_own && member->job == m->run_job && member->job_is_local == m->run_local))) {
		m->run_last = rank;
		return;
	}
	run_end(m);
	m->in_run = true;
	m->run_first = m->run_last = rank;
	m->run_known = member->known;
	m->run_own = member->own_world;
	m->run_job = member->job;
	m->run_local = member->job_is_local;
}

static void json_member(struct out_members *m, const struct mdl_member *member)
{
	if (!member->known) {
		out_json_null(m->o, NULL);
	} else if (member->own_world) {
		out_json_int(m->o, NULL, member->world_rank);
	} else {
		out_json_object(m->o, NULL);
		out_json_uint(m->o, member->job_is_local ? "other_world" : "job", member->job);
		out_json_int(m->o, "rank", member->world_rank);
		out_json_object_end(m->o);
	}
}

void out_member(struct out_members *m, const struct mdl_member *member)
{
	if (m->o->json)
		json_member(m, member);
	else
		text_member(m, member);
	m->n++;
}

void out_members_end(struct out_members *m)
{
	if (m->o->json) {
		out_json_array_end(m->o);
		return;
	}
	run_end(m);
	if (!m->n_text)
		m->text[m->n_text++] = '[';
	if (m->n_left_out)
		snprintf(m->text + m->n_text, sizeof(m->text) - m->n_text, ", %" PRIu64 " more]", m->n_left_out);
	else
		snprintf(m->text + m->n_text, sizeof(m->text) - m->n_text, "]");
}
