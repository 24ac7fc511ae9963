/* SPDX-License-Identifier: BSD-3-Clause */
#include "html.h"

#include "../access/quote.h"
#include "../verdict/words.h"

#include <string.h>

void rp_text(FILE *out, const char *text)
{
	char piece[ACC_QUOTE_BYTES];

	while (text && *text) {
		text += acc_quote_next(text, piece);
		switch (piece[0]) {
		case '&':
			fputs("&amp;", out);
			break;
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		case '\'':
			fputs("&#39;", out);
			break;
		default:
			fputs(piece, out);
		}
	}
}

void rp_rank_id(FILE *out, const struct vd_job *job, int32_t rank)
{
	if (job->n_worlds > 1)
		fprintf(out, "w%dr%d", job->ranks[rank].world + 1, job->ranks[rank].rank);
	else
		fprintf(out, "r%d", job->ranks[rank].rank);
}

void rp_ranks(FILE *out, const struct vd_job *job, const int32_t *ranks, size_t n)
{
	struct vd_text t = { .n = 0 };

	vd_append_ranks(&t, job, ranks, n);
	rp_text(out, t.bytes);
	if (n > 1 && t.bytes[0] == 'r') /* many ranks begin with their number */
		fprintf(out, " <small>(%zu ranks)</small>", n);
}

bool rp_member(FILE *out, const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	rp_text(out, text);
	return text && *text;
}
