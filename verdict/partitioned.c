/* SPDX-License-Identifier: BSD-3-Clause */
#include "partitioned.h"

#include "loading.h"

#include "../access/grow.h"

#include <string.h>

static struct vd_partitioned *add_partitioned(struct vd_job *job)
{
	if (!ACC_GROW(job->partitioned, job->n_partitioned)) {
		job->no_memory = true;
		return NULL;
	}
	return &job->partitioned[job->n_partitioned++];
}

static const struct vd_view *view_of(const struct vd_loading *l, uint64_t handle)
{
	for (size_t i = 0; handle && i < l->n_views; i++)
		if (vd_json_address(l->views[i].json, "handle") == handle)
			return &l->views[i];
	return NULL;
}

void vd_load_partitioned(struct vd_loading *l, const json_t *process)
{
	const json_t *message;
	size_t i;

	l->job->ranks[l->rank].first_partitioned = l->job->n_partitioned;
	l->job->ranks[l->rank].n_partitioned = 0;
	json_array_foreach(json_object_get(process, "partitioned"), i, message)
	{
		const struct vd_view *v = view_of(l, vd_json_address(message, "comm"));
		const char *kind = vd_json_text(message, "kind");
		int64_t n = vd_json_number(message, "partitions", -1), n_ready = vd_json_number(message, "ready", -1);
		struct vd_partitioned *p = v && v->comm >= 0 && kind ? add_partitioned(l->job) : NULL;
		if (!p)
			continue;
		*p = (struct vd_partitioned){ .request = vd_json_address(message, "request"),
					      .comm = v->comm,
					      .peer = vd_peer_at(v, vd_json_number(message, "peer", -1)),
					      .tag = vd_json_number(message, "tag", -1),
					      .n = n,
					      .n_ready = n_ready >= 0 && n_ready <= n ? n_ready : -1,
					      .is_send = strcmp(kind, "send") == 0 };
		l->job->ranks[l->rank].n_partitioned++;
	}
}

const struct vd_partitioned *vd_partitioned_send(const struct vd_job *job, int32_t own,
						 const struct vd_partitioned *receive)
{
	const struct vd_partitioned *ret = NULL;
	size_t n_sends = 0, n_receives = 0;

	if (receive->peer < 0 || (size_t)receive->peer >= job->n_ranks || receive->tag < 0)
		return NULL;
	const struct vd_rank *from = &job->ranks[receive->peer], *to = &job->ranks[own];
	for (size_t i = from->first_partitioned; i < from->first_partitioned + from->n_partitioned; i++) {
		const struct vd_partitioned *p = &job->partitioned[i];
		if (!p->is_send || p->comm != receive->comm || p->peer != own || p->tag != receive->tag)
			continue;
		ret = p;
		n_sends++;
	}
	for (size_t i = to->first_partitioned; i < to->first_partitioned + to->n_partitioned; i++) {
		const struct vd_partitioned *p = &job->partitioned[i];
		n_receives += !p->is_send && p->comm == receive->comm && p->peer == receive->peer &&
			      p->tag == receive->tag;
	}
	return n_sends == 1 && n_receives == 1 ? ret : NULL;
}

int32_t vd_partitioned_of(const struct vd_loading *l, const json_t *recorded)
{
	const struct vd_rank *r = &l->job->ranks[l->rank];
	const json_t *handle;
	int32_t ret = -1;
	size_t i;

	if (!r->n_partitioned)
		return -1;
	json_array_foreach(json_object_get(recorded, "request_handles"), i, handle)
	{
		uint64_t request = vd_address(json_string_value(handle));
		for (size_t k = r->first_partitioned; request && k < r->first_partitioned + r->n_partitioned; k++) {
			const struct vd_partitioned *p = &l->job->partitioned[k];
			if (p->request != request)
				continue;
			if (p->is_send && p->n_ready >= 0 && p->n_ready < p->n)
				return (int32_t)k;
			ret = ret < 0 ? (int32_t)k : ret;
		}
	}
	return ret;
}
