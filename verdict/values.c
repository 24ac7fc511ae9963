/* SPDX-License-Identifier: BSD-3-Clause */
#include "values.h"

json_t *vd_rank_json(const struct vd_job *job, int32_t i)
{
	long long number;

	if (job->n_worlds > 1) {
		bool known = vd_world_number(job, i, &number);
		return json_pack("{s:I, s:i}", known ? "job" : "world", (json_int_t)number, "rank", job->ranks[i].rank);
	}
	return json_integer(job->ranks[i].rank);
}

json_t *vd_ranks_json(const struct vd_job *job, const int32_t *ranks, size_t n)
{
	json_t *array = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(array, vd_rank_json(job, ranks[i]));
	return array;
}

json_t *vd_text_json(const char *text)
{
	json_t *s = json_string(text);

	return s ? s : json_string("(text that is no UTF-8)");
}
