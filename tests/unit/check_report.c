/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpidbg report: the page of real jobs and of made-up ones with 4,096 ranks. The page is read by a small reader of tags
 * here, and by Chromium where that is installed.
 */
#include "../support/mpidbg_run.h"
#include "../support/scratch.h"
#include "../support/shell.h"
#include "../support/shell.h"
#include "../support/snapshots.h"
#include "../support/suite.h"

#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MANY = 4096, PAGE_MAX = 5 << 20, DEPTH_MAX = 32 };

static char dir[SCRATCH_MAX], snapshot[SCRATCH_MAX + 32], page[SCRATCH_MAX + 32];
static char *path_before;

static void begin(void)
{
	scratch_make(dir, "report");
	snprintf(snapshot, sizeof(snapshot), "%s/job.json", dir);
	snprintf(page, sizeof(page), "%s/job.html", dir);
	path_before = strdup(getenv("PATH"));
}

static void end(void)
{
	setenv("PATH", path_before, 1);
	free(path_before);
	scratch_remove(dir);
}

static char *read_page(void)
{
	FILE *f = fopen(page, "re");
	struct stat st;

	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(fstat(fileno(f), &st), 0);
	char *text = malloc((size_t)st.st_size + 1);
	ck_assert_ptr_nonnull(text);
	ck_assert_uint_eq(fread(text, 1, (size_t)st.st_size, f), (size_t)st.st_size);
	text[st.st_size] = '\0';
	fclose(f);
	return text;
}

/* Make a page from a snapshot. @return it, to be released with free(); @p err gets the messages. */
static char *report_of(const char *file, int exit_code, char *err, size_t size)
{
	struct mpidbg_run run;

	mpidbg_run(&run, "report", "--snapshot", file, "-o", page, NULL);
	ck_assert_msg(run.exit_code == exit_code, "%d: %s", run.exit_code, run.err);
	ck_assert_str_eq(run.out, "");
	if (err)
		snprintf(err, size, "%s", run.err);
	else
		ck_assert_str_eq(run.err, "");
	mpidbg_run_free(&run);
	return read_page();
}

/* Is each tag closed, in order? Text has no < and no control bytes, and nothing is loaded. */
static void check_tags(const char *text)
{
	static const char *const empty[] = { "meta", "link", "br", "!DOCTYPE", "rect", "path" };
	char open[DEPTH_MAX][16];
	int depth = 0;

	for (const char *c = text; *c; c++) {
		ck_assert_msg((unsigned char)*c >= 0x20 || *c == '\n', "control byte %#x at %.40s", *c, c);
		if (*c != '<')
			continue;
		bool closes = c[1] == '/', is_empty = false;
		const char *name = c + 1 + closes;
		size_t n = strcspn(name, " >/\n");
		const char *over = strchr(name, '>');
		ck_assert_msg(n > 0 && n < sizeof(open[0]) && over, "no tag: %.40s", c);
		for (size_t i = 0; i < sizeof(empty) / sizeof(empty[0]); i++)
			is_empty |= strlen(empty[i]) == n && strncmp(name, empty[i], n) == 0;
		if (closes) {
			ck_assert_msg(depth > 0 && strlen(open[depth - 1]) == n &&
					      strncmp(open[depth - 1], name, n) == 0,
				      "%.40s closes %s", c, depth ? open[depth - 1] : "nothing");
			depth--;
		} else if (!is_empty) {
			ck_assert_int_lt(depth, DEPTH_MAX);
			snprintf(open[depth++], sizeof(open[0]), "%.*s", (int)n, name);
		}
		c = over;
	}
	ck_assert_int_eq(depth, 0);
	ck_assert_ptr_null(strstr(text, "<script"));
	ck_assert_ptr_null(strstr(text, " src="));
	ck_assert_ptr_null(strstr(text, " onload"));
	ck_assert_ptr_null(strstr(text, "http:"));
	ck_assert_ptr_null(strstr(text, "https:"));
}

/* Each rank has one entry, and something links to it. */
static void check_ranks(const char *text, int n)
{
	int *ids = calloc((size_t)n, sizeof(*ids)), *links = calloc((size_t)n, sizeof(*links));

	ck_assert(ids && links);
	for (const char *c = text; (c = strstr(c, "id=\"r")); c++) {
		int r;
		if (sscanf(c, "id=\"r%d\"", &r) == 1 && r >= 0 && r < n)
			ids[r]++;
	}
	for (const char *c = text; (c = strstr(c, "href=\"#r")); c++) {
		int r;
		if (sscanf(c, "href=\"#r%d\"", &r) == 1 && r >= 0 && r < n)
			links[r]++;
	}
	for (int r = 0; r < n; r++)
		ck_assert_msg(ids[r] == 1 && links[r] >= 1, "rank %d: %d entries, %d links", r, ids[r], links[r]);
	free(ids);
	free(links);
}

static void has(const char *text, const char *what)
{
	ck_assert_msg(strstr(text, what) != NULL, "not there: %s", what);
}

/* ---- real jobs ------------------------------------------------------------------------------------------------- */

START_TEST(test_ring)
{
	begin();
	char *text = report_of("tests/snapshots/ring_tag.json", 0, NULL, 0);

	check_tags(text);
	check_ranks(text, 4);
	/* the snapshot is of an earlier version, without numbers of messages: one may be in flight */
	has(text, "<title>ring_hang, 4 ranks: possible mismatch</title>");
	has(text, "rank 3 has sent one with tag 7 on MPI_COMM_WORLD: the tag differs, ring_hang.c:61");
	/* the cycle of four, in red, each rank a node of its own */
	int n = 0;
	for (const char *c = text; (c = strstr(c, "class=\"edge cycle\"")); c++)
		n++;
	ck_assert_int_eq(n, 4);
	has(text,
	    "<tr class=\"send\"><td><a href=\"#r0\">ranks [0-3] <small>(4 ranks)</small></a></td><td>send</td><td></td>"
	    "<td>to rank+1</td><td class=\"n\">7</td><td class=\"n\">1048576</td><td>131072 "
	    "MPI_DOUBLE</td><td>rendezvous</td>");
	has(text, "<tr class=\"receive\">");
	has(text, "<td>receive</td><td>MPI_Recv</td><td>from rank-1</td><td class=\"n\">8</td>");
	has(text, "<tr class=\"unexpected\">");
	has(text, "from rank-1</td><td class=\"n\">42</td>");
	/* what has no partner, by communicator */
	has(text, "<h2 id=\"unmatched\">Messages that are not matched</h2>\n<h3>MPI_COMM_WORLD</h3>");
	has(text,
	    "<td>receive from rank-1, tag 8, up to 1048576 bytes</td><td>MPI_Recv at ring_hang.c:61 in main</td>");
	has(text, "<td>message to rank+1, tag 7, 16 bytes, arrived</td><td>the send is complete</td>");
	has(text, "<h3>ring</h3>");
	has(text, "main at ring_hang.c:61\n");
	has(text, "<th>program</th><td>/home/u/ring_hang</td>");
	has(text, "<th>command line</th><td><code>mpirun --oversubscribe -n 4 ring_hang truth</code></td>");
	free(text);
	end();
}
END_TEST

/* Two ranks, each of which has locked one of two windows and waits for the lock of the other one. */
START_TEST(test_windows)
{
	begin();
	char *text = report_of("tests/snapshots/win_locks.json", 0, NULL, 0);
	int n_edges = 0, n_labels = 0;

	check_tags(text);
	has(text, "<title>hangs, 2 ranks: deadlock</title>");
	for (const char *c = text; (c = strstr(c, "class=\"edge cycle\"")); c++)
		n_edges++;
	for (const char *c = text; (c = strstr(c, ">lock</text>")); c++)
		n_labels++;
	ck_assert_int_eq(n_edges, 2);
	ck_assert_int_eq(n_labels, 2);
	has(text, "<p>No message is known to have no partner.</p>");
	free(text);
	end();
}
END_TEST

START_TEST(test_collective)
{
	begin();
	char *text = report_of("tests/snapshots/allreduce_missing.json", 0, NULL, 0);

	check_tags(text);
	check_ranks(text, 4);
	has(text, "missing rank: look at rank 3, hangs.c:54");
	has(text, "<h3>MPI_Allreduce on MPI_COMM_WORLD: 3 of 4</h3>");
	has(text, "<td>in it</td><td>ranks [0-2] <small>(3 ranks)</small></td>");
	has(text,
	    "<td>not in it</td><td><a href=\"#g2\">rank 3</a></td><td>in no MPI function, sleeping, at hangs.c:54 in "
	    "read_block (clock_nanosleep)</td>");
	has(text, "class=\"node suspect\"");
	/* the merged call tree: all, then the missing rank in red beside the others */
	has(text, "<g class=\"frame\"><rect x=\"0.0\" y=\"0\" width=\"1159.0\" height=\"19\"/><text x=\"4.0\" "
		  "y=\"14\">main at hangs.c:495</text><title>main at hangs.c:495: ranks [0-3]");
	has(text, "<g class=\"frame suspect\"><rect x=\"0.0\" y=\"60\" width=\"289.0\"");
	has(text, "<g class=\"frame mpi\"><rect x=\"290.0\" y=\"60\" width=\"869.0\"");
	free(text);
	end();
}
END_TEST

/* The part of a snapshot that one host would have written: some of the ranks, and what their variables are. */
static void write_part(const char *path, int first, int last)
{
	json_t *whole = json_load_file("tests/snapshots/variables.json", 0, NULL), *list, *one, *value;
	size_t i, k, m;

	ck_assert_ptr_nonnull(whole);
	list = json_object_get(whole, "processes");
	for (i = json_array_size(list); i-- > 0;)
		if ((int)i < first || (int)i > last)
			json_array_remove(list, i);
	json_array_foreach(json_object_get(json_object_get(whole, "variables"), "list"), i, one)
	{
		json_t *values = json_object_get(one, "values");
		for (k = json_array_size(values); k-- > 0;) {
			value = json_object_get(json_array_get(values, k), "ranks");
			for (m = json_array_size(value); m-- > 0;) {
				json_int_t r = json_integer_value(json_array_get(value, m));
				if (r < first || r > last)
					json_array_remove(value, m);
			}
			if (!json_array_size(value))
				json_array_remove(values, k);
		}
	}
	ck_assert_int_eq(json_dump_file(whole, path, 0), 0);
	json_decref(whole);
}

static const char row[] = "<tr><td>btl_tcp_sndbuf</td><td>0 <small>ranks [0-1] <small>(2 ranks)</small></small><br>77 "
			  "<small>rank 2</small></td></tr>";

START_TEST(test_variables)
{
	char other[SCRATCH_MAX + 32], *text;
	struct mpidbg_run run;

	begin();
	text = report_of("tests/snapshots/variables.json", 0, NULL, 0);
	check_tags(text);
	has(text, "<p>2 of 5 control variables differ.</p>");
	has(text, row);
	ck_assert_ptr_null(strstr(text, "btl_tcp_rcvbuf"));
	free(text);

	/* the same of two hosts */
	snprintf(other, sizeof(other), "%s/other.json", dir);
	write_part(snapshot, 0, 1);
	write_part(other, 2, 2);
	mpidbg_run(&run, "report", "--snapshot", snapshot, other, "-o", page, NULL);
	ck_assert_msg(run.exit_code == 0, "%s", run.err);
	mpidbg_run_free(&run);
	text = read_page();
	has(text, "<p>2 of 5 control variables differ.</p>");
	has(text, row);
	check_ranks(text, 3);
	free(text);
	end();
}
END_TEST

/* ---- many ranks --------------------------------------------------------------------------------------- */

/* The one that sleeps, before 240 that compute, which are folded. */
static void check_odd_first(const char *text)
{
	const char *first = strstr(text, "Look here first</h2>"), *waits = strstr(text, "<h2 id=\"waits\">");

	ck_assert(first && waits && first < waits);
	const char *odd = strstr(first, "<h3>rank 272: in no MPI function, sleeping, at mesh.c:71 in step (poll)</h3>");
	ck_assert(odd && odd < waits);
	/* in the table it is the first, and the largest group the last */
	const char *table = strstr(waits, "<h2 id=\"ranks\">");
	ck_assert_ptr_nonnull(table);
	odd = strstr(table, ">rank 272</a></td>");
	const char *eos = strstr(table, "<summary>at eos.c:200-222 in eos, 23 lines</summary>");
	const char *all = strstr(table, "<td>MPI_Allreduce on MPI_COMM_WORLD</td>");
	ck_assert(odd && eos && all && odd < eos && eos < all);
	has(text, "<li>at physics.c:217 in flux: <a href=");
}

START_TEST(test_many)
{
	static const char *const results[] = { "deadlock", "missing rank", "mismatch", "missing rank" };
	char title[64];

	begin();
	snapshots_write(snapshot, (enum snapshots_kind)_i, &(struct snapshots_at){ .n = MANY, .n_unexpected = 1 });
	char *text = report_of(snapshot, 0, NULL, 0);
	ck_assert_uint_lt(strlen(text), PAGE_MAX);
	check_tags(text);
	check_ranks(text, MANY);
	snprintf(title, sizeof(title), "<title>solve, %d ranks: %s</title>", MANY, results[_i]);
	if (_i != SNAPSHOTS_APART)
		has(text, title);
	has(text, "<svg");
	/* however many ranks: a picture that can be looked at */
	int n = 0;
	for (const char *c = text; (c = strstr(c, "class=\"node")); c++)
		n++;
	ck_assert_int_ge(n, 3);
	ck_assert_int_le(n, 40);
	if (_i == SNAPSHOTS_MISSING)
		has(text, "<td>not in it</td><td><a href=\"#g2\">ranks [17,1999] <small>(2 ranks)</small></a></td>");
	if (_i == SNAPSHOTS_COMPUTING)
		check_odd_first(text);
	free(text);
	end();
}
END_TEST

/* ---- texts of the target -------------------------------------------------------------------------------- */

START_TEST(test_hostile)
{
	static const char *const texts[] = {
		"</td><script>alert(1)</script>",
		"\"><img src=x onload=alert(1)>",
		"'onload='a' &lt;script&gt; \\N \\\" {|} &#60;",
		"\033]0;title\007\033[31m\r\n\302\205\342\200\256",
		"]]></style></svg>--><!--",
	};

	begin();
	snapshots_write(snapshot, (enum snapshots_kind)(_i % 2),
			&(struct snapshots_at){ .n = 24, .text = texts[_i], .n_unexpected = 2 });
	char *text = report_of(snapshot, 0, NULL, 0);
	ck_assert_ptr_null(strstr(text, "\033"));
	check_ranks(text, 24);
	/* " src=" and " onload" are there as text */
	if (_i != 1)
		check_tags(text);
	if (_i == 0)
		has(text, "&lt;/td&gt;&lt;script&gt;alert(1)&lt;/script&gt;");
	if (_i == 1) {
		ck_assert_ptr_null(strstr(text, "<img"));
		ck_assert_ptr_null(strstr(text, "\"\">"));
	}
	if (_i == 2)
		has(text, "&amp;lt;script&amp;gt;");
	if (_i == 3)
		has(text, "\\x1b]0;title\\x07\\x1b[31m\\x0d\\x0a\\u{85}\\u{202e}");
	free(text);
	end();
}
END_TEST

/* ---- Graphviz ------------------------------------------------------------------------------------------- */

/* A file named dot that is not the program, in the only directory of PATH. */
static void other_dot(const char *script)
{
	char path[SCRATCH_MAX + 32];

	setenv("PATH", dir, 1);
	if (!script)
		return;
	snprintf(path, sizeof(path), "%s/dot", dir);
	FILE *f = fopen(path, "we");
	ck_assert_ptr_nonnull(f);
	fprintf(f, "#!/bin/sh\n%s\n", script);
	ck_assert_int_eq(fclose(f), 0);
	ck_assert_int_eq(chmod(path, 0700), 0);
}

START_TEST(test_no_dot)
{
	static const char *const scripts[] = { NULL, "echo graph 1 x y", "exit 3", "echo stop",
					       "echo graph 1 1 1; echo node n0 nan 1e30 0 0; echo stop" };
	static const char *const why[] = { "dot (Graphviz) is not installed",
					   "dot (Graphviz) did not answer as it should" };
	char err[256];

	begin();
	other_dot(scripts[_i]);
	char *text = report_of("tests/snapshots/ring_tag.json", 0, err, sizeof(err));
	has(err, "mpidbg: report: without the wait-for graph: ");
	has(err, why[_i > 0]);
	has(text, why[_i > 0]);
	has(text, "<li class=\"cycle\">rank 0 &#8594; rank 3 <small>(tag 8)</small></li>");
	ck_assert_ptr_null(strstr(text, "aria-label=\"wait-for graph\""));
	check_tags(text);
	free(text);
	end();
}
END_TEST

START_TEST(test_dot_alone)
{
	struct mpidbg_run run;

	begin();
	snapshots_write(snapshot, SNAPSHOTS_RING, &(struct snapshots_at){ .n = MANY, .text = "\"];x[label=\"\\N" });
	mpidbg_run(&run, "report", "--snapshot", snapshot, "--dot", NULL);
	ck_assert_int_eq(run.exit_code, 0);
	ck_assert_str_eq(run.err, "");
	ck_assert_uint_lt(strlen(run.out), 20000);
	has(run.out, "digraph waits {\n");
	has(run.out, "\\\"];x[label=\\\"\\\\N");
	FILE *f = fopen(page, "we");
	ck_assert(f && fputs(run.out, f) >= 0 && fclose(f) == 0);
	mpidbg_run_free(&run);
	mpidbg_run_program(&run, (char **)(const char *[]){ "dot", "-Tplain", page, NULL });
	ck_assert_msg(run.exit_code == 0, "%s", run.err);
	has(run.out, "\nnode n0 ");
	ck_assert_ptr_null(strstr(run.out, "\nnode x "));
	mpidbg_run_free(&run);
	end();
}
END_TEST

/* ---- what is no snapshot, and no place for a page ---------------------------------------------------------------- */

START_TEST(test_refused)
{
	struct mpidbg_run run;
	char text[64];

	begin();
	snapshots_write(snapshot, SNAPSHOTS_RING, &(struct snapshots_at){ .n = 4, .schema = "mpidbg-snapshot/4" });
	mpidbg_run(&run, "report", "--snapshot", snapshot, "-o", page, NULL);
	ck_assert_int_eq(run.exit_code, 3);
	has(run.err, "is no snapshot that this version knows (mpidbg-snapshot/4)");
	ck_assert_int_ne(access(page, F_OK), 0);
	mpidbg_run_free(&run);
	snprintf(text, sizeof(text), "/nowhere/job.html");
	mpidbg_run(&run, "report", "--snapshot", "tests/snapshots/ring_tag.json", "-o", text, NULL);
	ck_assert_int_eq(run.exit_code, 3);
	has(run.err, "mpidbg: report: /nowhere/job.html: No such file or directory");
	mpidbg_run_free(&run);
	mpidbg_run(&run, "report", "--snapshot", "tests/snapshots/ring_tag.json", "-o", "/dev/full", NULL);
	ck_assert_int_eq(run.exit_code, 3);
	has(run.err, "mpidbg: report: /dev/full: ");
	mpidbg_run_free(&run);
	end();
}
END_TEST

/* ---- the picture of the documents ---------------------------------------------------------------------- */

/* tests/snapshots/report.sum is the sum of the page that docs/report.png shows, without the graph, which depends on the
 * version of dot. */
START_TEST(test_picture)
{
	shell_run("test \"$(tools/report_sum '%s')\" = \"$(cat tests/snapshots/report.sum)\" || "
		  "{ echo 'the page has changed: make picture draws docs/report.png anew'; false; }",
		  getenv("MPIDBG_BUILD"));
}
END_TEST

/* ---- a browser ------------------------------------------------------------------------------------------ */

static const char *browser;

START_TEST(test_browser)
{
	struct mpidbg_run run;
	char url[SCRATCH_MAX + 48];

	begin();
	snapshots_write(snapshot, SNAPSHOTS_MISSING,
			&(struct snapshots_at){ .n = MANY, .text = "<script>document.title='run'</script>" });
	free(report_of(snapshot, 0, NULL, 0));
	snprintf(url, sizeof(url), "file://%s", page);
	mpidbg_run_program(&run, (char **)(const char *[]){ browser, "--no-sandbox", "--headless", "--disable-gpu",
							    "--enable-logging=stderr", "--dump-dom", url, NULL });
	ck_assert_msg(run.exit_code == 0, "%s", run.err);
	ck_assert_msg(!strstr(run.err, "CONSOLE"), "%s", run.err);
	ck_assert_ptr_null(strstr(run.out, "<script"));
	has(run.out, ", 4096 ranks: missing rank</title>");
	check_ranks(run.out, MANY);
	mpidbg_run_free(&run);
	end();
}
END_TEST

/* Chromium is large, and not installed for this test alone. */
static const char *find_browser(void)
{
	static const char *const paths[] = { "/usr/bin/chromium-headless-shell", "/usr/bin/chromium" };

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		if (access(paths[i], X_OK) == 0)
			return paths[i];
	puts("skipped: the page in a browser: chromium is not installed");
	return NULL;
}

int main(void)
{
	Suite *s = suite_create("report");
	TCase *tc = tcase_create("page");

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, test_ring);
	tcase_add_test(tc, test_windows);
	tcase_add_test(tc, test_collective);
	tcase_add_test(tc, test_variables);
	tcase_add_loop_test(tc, test_many, 0, 4);
	tcase_add_loop_test(tc, test_hostile, 0, 5);
	tcase_add_loop_test(tc, test_no_dot, 0, 5);
	tcase_add_test(tc, test_picture);
	tcase_add_test(tc, test_dot_alone);
	tcase_add_test(tc, test_refused);
	browser = find_browser();
	if (browser)
		tcase_add_test(tc, test_browser);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
