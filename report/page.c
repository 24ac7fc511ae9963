/* SPDX-License-Identifier: BSD-3-Clause */
#include "page.h"

#include "html.h"
#include "icicle.h"
#include "layout.h"
#include "queues.h"
#include "ranks.h"
#include "rollcall.h"
#include "start.h"
#include "style.h"
#include "svg.h"
#include "unmatched.h"
#include "variables.h"
#include "waits.h"

#include "../verdict/report.h"

static void put_title(FILE *out, const struct rp_source *s)
{
	const char *program = rp_program(s);

	rp_text(out, program ? program : "MPI job");
	fprintf(out, ", %zu rank%s: ", s->job->n_ranks, s->job->n_ranks == 1 ? "" : "s");
	rp_text(out, vd_result_text(s->verdict));
}

static void put_head(FILE *out, const struct rp_source *s)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
	      /* no scripts, nothing is loaded from elsewhere; an empty icon, because browsers request one */
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
	      "img-src data:\">\n"
	      "<link rel=\"icon\" href=\"data:,\">\n<title>",
	      out);
	put_title(out, s);
	fputs("</title>\n<style>\n", out);
	fputs(rp_style, out);
	fputs("</style></head>\n<body>\n<h1>", out);
	put_title(out, s);
	fputs("</h1>\n", out);
}

static void put_verdict(FILE *out, const struct rp_source *s)
{
	struct vd_text text[3] = { { .n = 0 } };

	vd_conclusion(&text[0], s->job, s->verdict);
	vd_headline(&text[1], s->job, s->verdict);
	vd_append_basis(&text[2], s->job, s->verdict);
	fprintf(out, "<div class=\"verdict%s\">", s->verdict->result == VD_NO_DEADLOCK ? "" : " bad");
	for (int i = 0; i < 3; i++) {
		static const char *const tags[] = { "<p class=\"end\">", "<p>", "<p class=\"soft\">" };
		if (!text[i].n)
			continue;
		fputs(tags[i], out);
		rp_text(out, text[i].bytes);
		fputs("</p>\n", out);
	}
	for (int i = 0; i < VD_REMARKS; i++) {
		struct vd_text t = { .n = 0 };
		if (!vd_remark(&t, s->job, s->verdict, i))
			continue;
		fputs("<p class=\"soft\">", out);
		rp_text(out, t.bytes);
		fputs("</p>\n", out);
	}
	fputs("</div>\n", out);
}

static bool put_waits(FILE *out, const struct rp_source *s, const char **no_picture)
{
	struct rp_waits w = { .n_nodes = 0 };
	struct rp_layout l = { .width = 0 };

	*no_picture = NULL;
	rp_waits_make(&w, s);
	bool ok = !w.no_memory;
	fputs("<h2 id=\"waits\">Wait-for graph</h2>\n", out);
	if (ok && w.n_edges) {
		*no_picture = rp_layout_make(&l, &w, "dot");
		if (!*no_picture)
			rp_svg(out, s, &w, &l);
		else
			fprintf(out, "<p>No picture: %s.</p>\n", *no_picture);
		fputs("<details", out);
		fputs(*no_picture ? " open" : "", out);
		fputs("><summary>in words</summary>\n", out);
		rp_waits_list(out, &w);
		fputs("</details>\n", out);
	} else {
		fputs("<p>Nobody is known to wait for another rank.</p>\n", out);
	}
	rp_layout_deinit(&l);
	rp_waits_deinit(&w);
	return ok;
}

static void put_problems(FILE *out, const struct rp_source *s)
{
	if (!s->n_problems)
		return;
	fputs("<h2 id=\"problems\">What could not be read</h2>\n<ul>\n", out);
	for (size_t i = 0; i < s->n_problems; i++) {
		fputs("<li>", out);
		rp_text(out, s->problems[i]);
		fputs("</li>\n", out);
	}
	fputs("</ul>\n", out);
}

bool rp_page(FILE *out, const struct rp_source *s, const char **no_picture)
{
	put_head(out, s);
	put_verdict(out, s);
	fputs("<nav><a href=\"#waits\">wait-for graph</a><a href=\"#ranks\">ranks</a><a href=\"#stacks\">call "
	      "tree</a><a href=\"#unmatched\">not "
	      "matched</a>"
	      "<a href=\"#queues\">queues</a>"
	      "<a href=\"#collectives\">collectives</a><a href=\"#variables\">variables</a><a href=\"#start\">how it "
	      "was started</a>"
	      "<a href=\"#entries\">stacks and processes</a></nav>\n",
	      out);
	if (s->n_suspects) {
		fputs("<h2 id=\"suspects\">Look here first</h2>\n", out);
		rp_suspects(out, s);
	}
	bool ok = put_waits(out, s, no_picture);
	fputs("<h2 id=\"ranks\">Ranks</h2>\n", out);
	rp_rank_table(out, s);
	rp_rank_map(out, s);
	fputs("<h2 id=\"stacks\">Merged call tree</h2>\n", out);
	if (!rp_icicle(out, s))
		fputs("<p>No stack is known.</p>\n", out);
	fputs("<h2 id=\"collectives\">Roll call of collectives</h2>\n", out);
	if (!rp_rollcall(out, s))
		fputs("<p>No rank is in a collective.</p>\n", out);
	fputs("<h2 id=\"unmatched\">Messages that are not matched</h2>\n", out);
	if (!rp_unmatched(out, s))
		fputs("<p>No message is known to have no partner.</p>\n", out);
	fputs("<h2 id=\"queues\">Queues by communicator</h2>\n", out);
	rp_queues(out, s);
	fputs("<h2 id=\"variables\">MPI_T: differences between ranks</h2>\n", out);
	rp_variables(out, s);
	put_problems(out, s);
	fputs("<h2 id=\"start\">How the job was started</h2>\n", out);
	rp_start(out, s);
	fputs("<h2 id=\"entries\">Stacks and processes</h2>\n", out);
	rp_rank_entries(out, s);
	fputs("</body></html>\n", out);
	return ok && !ferror(out);
}
