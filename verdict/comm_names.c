/* SPDX-License-Identifier: BSD-3-Clause */
/* What to call communicators without name. */
#include "job.h"
#include "words.h"

#include <string.h>

static bool is_nameless(const struct vd_comm *c)
{
	return c->kind == VD_COMM && c->name && strcmp(c->name, VD_NAMELESS) == 0;
}

static bool has_same_members(const struct vd_comm *a, const struct vd_comm *b)
{
	return a->n == b->n && a->n_local == b->n_local && a->members && b->members &&
	       memcmp(a->members, b->members, (size_t)a->n * sizeof(*a->members)) == 0;
}

/* " of all 4 ranks", " of ranks [0-2]", " of 3 ranks", of which not all are in the snapshot */
static void append_members(struct vd_text *t, const struct vd_job *job, const struct vd_comm *c)
{
	int32_t n = 0;

	while (n < c->n && c->members && c->members[n] >= 0 && (size_t)c->members[n] < job->n_ranks)
		n++;
	vd_append(t, " of ");
	if (n < c->n)
		vd_append(t, "%d ranks", c->n);
	else if ((size_t)n == job->n_ranks)
		vd_append(t, "all %d ranks", n);
	else
		vd_append_ranks(t, job, c->members, (size_t)n);
}

void vd_name_comms(struct vd_job *job)
{
	enum { COMPARED_MAX = 1000 }; /* more are told apart by their numbers alone */
	size_t n = 0;

	for (size_t i = 0; i < job->n_comms; i++)
		n += is_nameless(&job->comms[i]);
	for (size_t i = 0; n > 1 && i < job->n_comms; i++) {
		struct vd_comm *c = &job->comms[i];
		struct vd_text t = { .n = 0 };
		bool alike = n > COMPARED_MAX;
		if (!is_nameless(c))
			continue;
		for (size_t k = 0; k < job->n_comms && !alike; k++)
			alike = k != i && has_same_members(c, &job->comms[k]) &&
				strncmp(job->comms[k].name, VD_NAMELESS, strlen(VD_NAMELESS)) == 0;
		vd_append(&t, VD_NAMELESS);
		append_members(&t, job, c);
		if (alike && c->context >= 0)
			vd_append(&t, " (context %lld)", (long long)c->context);
		c->name = vd_string(job, t.bytes);
	}
}
