/* SPDX-License-Identifier: BSD-3-Clause */
#include "unmatched.h"

#include "html.h"

#include "../verdict/unmatched.h"
#include "../verdict/words.h"

enum { LINES_OF_COMM = 100, SECTIONS_SHOWN = 40 };

static void put_section(FILE *out, const struct rp_source *s, const struct vd_lone_section *x)
{
	const struct vd_groups *l = &x->lines;

	fputs("<h3>", out);
	rp_text(out, vd_comm_name(s->job, x->comm));
	fputs("</h3>\n<table><thead><tr><th>ranks</th><th>not matched</th><th>begun by</th></tr></thead><tbody>\n",
	      out);
	for (size_t i = 0; i < l->n && i < LINES_OF_COMM; i++) {
		fputs("<tr><td>", out);
		rp_ranks(out, s->job, l->v[i].ranks, l->v[i].n);
		fputs("</td><td>", out);
		rp_text(out, l->v[i].activity);
		fputs("</td><td>", out);
		rp_text(out, l->v[i].place);
		fputs("</td></tr>\n", out);
	}
	if (l->n > LINES_OF_COMM)
		fprintf(out, "<tr><td colspan=3>%zu more lines</td></tr>\n", l->n - LINES_OF_COMM);
	fputs("</tbody></table>\n", out);
}

bool rp_unmatched(FILE *out, const struct rp_source *s)
{
	struct vd_lone_section *v;
	size_t n = vd_lone_sections(s->job, &v);

	for (size_t i = 0; i < n && i < SECTIONS_SHOWN; i++)
		put_section(out, s, &v[i]);
	if (n > SECTIONS_SHOWN)
		fprintf(out, "<p>And on %zu more communicators.</p>\n", n - SECTIONS_SHOWN);
	vd_lone_sections_destroy(v, n);
	return n > 0;
}
