/* SPDX-License-Identifier: BSD-3-Clause */
/* The lines in which an answer travels: as they were written, and as launchers damage them. */
#include "../../hosts/lines.h"
#include "../support/suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

enum { LINES_MAX = 4096 };

struct lines {
	char *line[LINES_MAX];
	size_t n;
};

/* A text that compresses badly, so that it has many lines. */
static char *make_text(size_t n)
{
	char *text = malloc(n + 1);
	uint32_t x = 1;

	ck_assert_ptr_nonnull(text);
	for (size_t i = 0; i < n; i++) {
		x = x * 1664525 + 1013904223;
		text[i] = (char)(' ' + (x >> 24) % 95);
	}
	text[n] = '\0';
	return text;
}

static struct lines write_lines(const char *host, enum hs_kind kind, const char *text, size_t n)
{
	struct lines ret = { .n = 0 };
	char *all = NULL, *rest = NULL;
	size_t n_all;
	FILE *f = open_memstream(&all, &n_all);

	ck_assert(hs_lines_write(f, host, kind, text, n));
	fclose(f);
	for (char *line = strtok_r(all, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		ck_assert_uint_lt(ret.n, LINES_MAX);
		ck_assert_uint_le(strlen(line), HS_LINE_MAX);
		ret.line[ret.n++] = strdup(line);
	}
	free(all);
	return ret;
}

static void free_lines(struct lines *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->line[i]);
}

/* Lines that are none of ours are skipped, as the command does. */
static void add_all(struct hs_text *t, const struct lines *l)
{
	struct hs_line line;

	for (size_t i = 0; i < l->n; i++)
		if (hs_line_parse(l->line[i], &line))
			hs_text_add(t, &line);
}

START_TEST(test_round_trip)
{
	static const size_t sizes[] = { 0, 1, 2, 3, 100, 377, 378, 379, 756, 5000, 100000 };
	size_t n = sizes[_i];
	char *text = make_text(n);
	struct lines l = write_lines("node7", HS_KIND_SECOND, text, n);
	struct hs_text t = { 0 };
	struct hs_line line;

	ck_assert(hs_line_parse(l.line[0], &line));
	ck_assert_str_eq(line.host, "node7");
	ck_assert_int_eq(line.kind, HS_KIND_SECOND);
	add_all(&t, &l);
	ck_assert(t.ended && !t.damaged);
	ck_assert_uint_eq(t.n, n);
	ck_assert_mem_eq(t.text, text, n + 1);
	hs_text_deinit(&t);
	free_lines(&l);
	free(text);
}
END_TEST

/* pdsh and clush write the host's name before each line; the name in the line is then of no interest. */
START_TEST(test_prefix)
{
	struct hs_line line;

	ck_assert(hs_line_parse("n12: mpidbg1 - a 0 QUJD", &line));
	ck_assert_str_eq(line.host, "n12");
	ck_assert(hs_line_parse("n12: mpidbg1 other a 0 QUJD", &line));
	ck_assert_str_eq(line.host, "n12");
	ck_assert(hs_line_parse("mpidbg1 - a 0 QUJD", &line));
	ck_assert_str_eq(line.host, "");
	ck_assert(hs_line_parse("two words: mpidbg1 n3 a 0 QUJD", &line));
	ck_assert_str_eq(line.host, "n3");
	ck_assert(hs_line_parse("n12: mpidbg1 - none", &line));
	ck_assert(line.none && !line.noexec);
	ck_assert(hs_line_parse("mpidbg1 n12 noexec", &line));
	ck_assert(line.noexec && !line.none);
	ck_assert_str_eq(line.host, "n12");
	ck_assert_str_eq(line.host, "n12");
}
END_TEST

START_TEST(test_not_ours)
{
	static const char *const foreign[] = { "",
					       "Welcome to n12",
					       "mpidbg1",
					       "mpidbg1 ",
					       "mpidbg1 n1",
					       "mpidbg1 n1 a",
					       "mpidbg1 n1 a ",
					       "mpidbg1 n1 a 0",
					       "mpidbg1 n1 a 0 ",
					       "mpidbg1 n1 a 0 QUJ",
					       "mpidbg1 n1 a -1 QUJD",
					       "mpidbg1 n1 a 0x QUJD",
					       "mpidbg1 n1 ab 0 QUJD",
					       "mpidbg1 n1 a end 1 2",
					       "mpidbg1 n1 a end 1 2 3 4",
					       "mpidbg1 n1 a end 1 2 99999999999",
					       "mpidbg1 n1 none of it",
					       "mpidbg1 n1 noexec 1" };
	struct hs_line line;

	ck_assert_msg(!hs_line_parse(foreign[_i], &line), "%s", foreign[_i]);
}
END_TEST

/* Each way of damaging one of the lines makes the text damaged or leaves it without its end. */
enum damage { DROP, REPEAT, SWAP, CUT, MIX, FLIP, N_DAMAGES };

static void damage(struct lines *l, size_t i, enum damage what)
{
	char *line = l->line[i], mixed[2 * HS_LINE_MAX];
	size_t n = strlen(line);

	switch (what) {
	case DROP:
		strcpy(line, "");
		break;
	case REPEAT:
		free(l->line[i + 1]);
		l->line[i + 1] = strdup(line);
		break;
	case SWAP:
		l->line[i] = l->line[i + 1];
		l->line[i + 1] = line;
		break;
	case CUT:
		line[n - 4] = '\0'; /* four characters are three bytes: what is left is well formed */
		break;
	case MIX: /* the end of another line in its middle */
		snprintf(mixed, sizeof(mixed), "%.*sQUJD%s", (int)n - 40, line, line + n - 40);
		free(line);
		l->line[i] = strdup(mixed);
		break;
	case FLIP:
		line[n - 9] = line[n - 9] == 'A' ? 'B' : 'A';
		break;
	case N_DAMAGES:
		break;
	}
}

START_TEST(test_damage)
{
	enum damage what = (enum damage)(_i % N_DAMAGES);
	char *text = make_text(3000);

	for (size_t i = 0; i < 4; i++) {
		struct lines l = write_lines("-", HS_KIND_FIRST, text, 3000);
		struct hs_text t = { 0 };
		ck_assert_uint_gt(l.n, 5);
		damage(&l, i, what);
		add_all(&t, &l);
		ck_assert_msg(t.damaged && !t.text, "damage %d of line %zu", (int)what, i);
		hs_text_deinit(&t);
		free_lines(&l);
	}
	free(text);
}
END_TEST

START_TEST(test_no_end)
{
	char *text = make_text(3000);
	struct lines l = write_lines("-", HS_KIND_FIRST, text, 3000);
	struct hs_text t = { 0 };

	free(l.line[--l.n]);
	add_all(&t, &l);
	ck_assert(!t.ended && !t.text);
	hs_text_deinit(&t);
	free_lines(&l);
	free(text);
}
END_TEST

/* A last line may promise anything: no more memory is taken than the bytes can fill. */
START_TEST(test_promises)
{
	static const char *const ends[] = { "mpidbg1 - a end 3 18446744073709551615 2743272264",
					    "mpidbg1 - a end 3 1000000000000 2743272264",
					    "mpidbg1 - a end 3 3 2743272264", "mpidbg1 - a end 4 3 2743272264" };
	struct hs_text t = { 0 };
	struct hs_line line;

	ck_assert(hs_line_parse("mpidbg1 - a 0 QUJD", &line) && hs_text_add(&t, &line));
	ck_assert(hs_line_parse(ends[_i], &line));
	ck_assert(!hs_text_add(&t, &line));
	ck_assert(t.damaged && !t.text);
	hs_text_deinit(&t);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("hosts_lines");
	TCase *tc = tcase_create("lines");

	tcase_add_loop_test(tc, test_round_trip, 0, 11);
	tcase_add_test(tc, test_prefix);
	tcase_add_loop_test(tc, test_not_ours, 0, 17);
	tcase_add_loop_test(tc, test_damage, 0, N_DAMAGES);
	tcase_add_test(tc, test_no_end);
	tcase_add_loop_test(tc, test_promises, 0, 4);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
