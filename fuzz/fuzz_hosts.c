/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Answers of two hosts, as they travel to the command that has asked (hosts/lines.h), and the snapshots in them, which
 * are merged and judged.
 *
 * Bit 0 of the first byte: the rest are the lines that arrive. Otherwise it is up to four snapshots with a NUL between
 * two, the first and second moment of host n1, then those of n2; an empty one is as the first of its host, or of n1.
 * They travel in lines, and must arrive as they were.
 */
#include "fuzz.h"

#include "../cli/hosts.h"
#include "../cli/judged.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_HOSTS = 2, N_TEXTS = 2 * N_HOSTS };

static char names[N_HOSTS][3] = { "n1", "n2" };

/* ---- what arrives -------------------------------------------------------------------------------------------- */

static struct hs_text *text_of(struct hs_host *h, char kind)
{
	return kind == HS_KIND_FIRST    ? &h->first
	       : kind == HS_KIND_SECOND ? &h->second
	       : kind == HS_KIND_ABOUT  ? &h->about
					: NULL;
}

/* @param n_before bytes that have arrived before, which bound what a text takes */
static void arrive(struct hs_host *hosts, const char *text, size_t n_before)
{
	struct hs_line line;

	if (!hs_line_parse(text, &line))
		return;
	FUZZ_MUST(memchr(line.host, '\0', sizeof(line.host)));
	struct hs_text *t = text_of(&hosts[strcmp(line.host, names[1]) == 0], line.kind);
	if (!t || line.none)
		return;
	hs_text_add(t, &line);
	FUZZ_MUST(t->n_packed <= n_before && t->n <= HS_TEXT_MAX && t->n <= n_before * HS_RATIO_MAX);
	FUZZ_MUST(!t->text || (t->ended && !t->damaged && t->text[t->n] == '\0'));
}

static void take_lines(struct hs_host *hosts, const uint8_t *data, size_t n)
{
	char line[HS_LINE_MAX * 2];

	for (size_t at = 0, end; at < n; at = end + 1) {
		const uint8_t *newline = memchr(data + at, '\n', n - at);
		end = newline ? (size_t)(newline - data) : n;
		if (end - at >= sizeof(line))
			continue;
		memcpy(line, data + at, end - at);
		line[end - at] = '\0';
		arrive(hosts, line, end);
	}
}

static void travel(struct hs_host *hosts, unsigned host, enum hs_kind kind, const char *text, size_t n)
{
	char *lines = NULL;
	size_t n_lines = 0;
	FILE *f = open_memstream(&lines, &n_lines);

	FUZZ_MUST(f && hs_lines_write(f, names[host], kind, text, n));
	fclose(f);
	take_lines(hosts, (const uint8_t *)lines, n_lines);
	const struct hs_text *t = text_of(&hosts[host], (char)kind);
	FUZZ_MUST(t->text && t->n == n && memcmp(t->text, text, n) == 0);
	free(lines);
}

static void take_texts(struct hs_host *hosts, const char *data, size_t n)
{
	const char *text[N_TEXTS] = { data };
	size_t n_text[N_TEXTS] = { 0 }, at = 0;

	for (unsigned i = 0; i < N_TEXTS && at <= n; i++) {
		const char *end = i + 1 < N_TEXTS ? memchr(data + at, '\0', n - at) : NULL;

		text[i] = data + at;
		n_text[i] = end ? (size_t)(end - text[i]) : n - at;
		at += n_text[i] + 1;
	}
	for (unsigned i = 0; i < N_TEXTS; i++) {
		unsigned first = i & ~1u, k = n_text[i] ? i : n_text[first] ? first : 0;

		travel(hosts, i / 2, i % 2 ? HS_KIND_SECOND : HS_KIND_FIRST, text[k], n_text[k]);
	}
}

/* ---- what is made of it -------------------------------------------------------------------------------------- */

static void judge(struct cmd_judged *first, struct cmd_judged *second)
{
	struct vd_verdict v;

	if (!first->parts.n || !second->parts.n || !cmd_judged_load(first, false, &first->job.problems) ||
	    !cmd_judged_load(second, false, &second->job.problems))
		return;
	vd_compare(&first->ranks, &second->ranks);
	if (!vd_judge(&second->ranks, &v))
		return;
	json_t *report = vd_report_json(&second->ranks, &v);
	FUZZ_MUST(report);
	json_decref(report);
	vd_verdict_deinit(&v);
}

static void merge(struct hs_host *hosts)
{
	struct cmd_window windows[N_HOSTS] = { { .any = true }, { .any = true } };
	struct cmd_hosts h = { .answers = { .hosts = hosts, .n = N_HOSTS }, .windows = windows };
	struct cmd_judged first = { .n_processes = 0 }, second = { .n_processes = 0 };

	for (unsigned i = 0; i < N_HOSTS; i++)
		hosts[i].answered = hosts[i].first.text && hosts[i].second.text;
	cmd_hosts_parts(&h, false, &first.job.problems, &first.parts);
	cmd_hosts_parts(&h, true, &second.job.problems, &second.parts);
	judge(&first, &second);
	cmd_judged_deinit(&first);
	cmd_judged_deinit(&second);
}

int fuzz_hosts(const uint8_t *data, size_t n)
{
	struct hs_host hosts[N_HOSTS] = { { .name = names[0] }, { .name = names[1] } };

	if (n && data[0] & 1)
		take_lines(hosts, data + 1, n - 1);
	else
		take_texts(hosts, (const char *)data + (n > 0), n ? n - 1 : 0);
	merge(hosts);
	for (unsigned i = 0; i < N_HOSTS; i++) {
		hs_text_deinit(&hosts[i].first);
		hs_text_deinit(&hosts[i].second);
		hs_text_deinit(&hosts[i].about);
	}
	return 0;
}
