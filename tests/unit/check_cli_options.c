/* SPDX-License-Identifier: BSD-3-Clause */
/* The command's options, rank sets, suggestions, spools and its bit of JSON. */
#include "../../cli/commands.h"
#include "../../cli/json.h"
#include "../../cli/options.h"
#include "../../cli/ranks.h"
#include "../../cli/message.h"
#include "../../cli/spool.h"
#include "../support/suite.h"

#include <check.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- rank sets ----------------------------------------------------------------------------------- */

static const struct {
	const char *text, *shown; /* shown NULL: refused */
	uint64_t n;
} sets[] = {
	{ "0", "[0]", 1 },
	{ "0,2-4", "[0,2-4]", 4 },
	{ "2-4,0", "[0,2-4]", 4 },
	{ "4,3,2", "[2-4]", 3 },
	{ "0-1,3,2", "[0-3]", 4 },
	{ "5-9,0-20,7", "[0-20]", 21 },
	{ "1,1,1", "[1]", 1 },
	{ "1-3,5-7,4", "[1-7]", 7 },
	{ "9,1,5,3,7", "[1,3,5,7,9]", 5 },
	{ "[0-3,7]", "[0-3,7]", 5 },
	{ "0-2147483647", "[0-2147483647]", UINT64_C(2147483648) },
	{ "", NULL, 0 },
	{ ",", NULL, 0 },
	{ "1,", NULL, 0 },
	{ "-1", NULL, 0 },
	{ "1-", NULL, 0 },
	{ "3-2", NULL, 0 },
	{ "1 2", NULL, 0 },
	{ " 1", NULL, 0 },
	{ "2147483648", NULL, 0 },
	{ "99999999999999999999999", NULL, 0 },
	{ "0-2-3", NULL, 0 },
	{ "[1", NULL, 0 },
	{ "1]", NULL, 0 },
	{ "all", NULL, 0 },
	{ "0x1", NULL, 0 },
};

START_TEST(test_ranks)
{
	struct cmd_ranks set = { 0 };
	const char *wrong = cmd_ranks_parse(sets[_i].text, &set);

	if (!sets[_i].shown) {
		ck_assert_ptr_nonnull(wrong);
		ck_assert_ptr_null(set.range);
		return;
	}
	ck_assert_ptr_null(wrong);
	char *text = cmd_ranks_text(&set);
	ck_assert_str_eq(text, sets[_i].shown);
	ck_assert_uint_eq(cmd_ranks_count(&set), sets[_i].n);
	free(text);
	cmd_ranks_deinit(&set);
}
END_TEST

/* Adding ranks in any order gives the set: compared with a plain table. */
START_TEST(test_ranks_add)
{
	enum { N = 64 };
	bool in[N] = { false };
	struct cmd_ranks set = { 0 };
	uint64_t n = 0;
	unsigned x = (unsigned)_i * 2654435761u + 1;

	for (int k = 0; k < 40; k++) {
		x = x * 1103515245u + 12345u;
		int first = (int)(x >> 16) % N, last = first + (int)(x >> 8) % 5;
		last = last < N ? last : N - 1;
		ck_assert(cmd_ranks_add(&set, first, last));
		for (int r = first; r <= last; r++)
			in[r] = true;
	}
	for (int r = 0; r < N; r++) {
		ck_assert_int_eq(cmd_ranks_has(&set, r), in[r]);
		n += in[r];
	}
	ck_assert_uint_eq(cmd_ranks_count(&set), n);
	for (size_t i = 1; i < set.n; i++)
		ck_assert_int_gt(set.range[i].first, set.range[i - 1].last + 1);
	struct cmd_ranks missing = cmd_ranks_missing(&set, N);
	for (int r = 0; r < N; r++)
		ck_assert_int_eq(cmd_ranks_has(&missing, r), !in[r]);
	ck_assert_uint_eq(cmd_ranks_count(&missing), N - n);
	cmd_ranks_deinit(&missing);
	cmd_ranks_deinit(&set);
}
END_TEST

START_TEST(test_ranks_missing_is_bounded)
{
	struct cmd_ranks set = { 0 };

	ck_assert(cmd_ranks_add(&set, 3, 3));
	struct cmd_ranks missing = cmd_ranks_missing(&set, INT64_C(1) << 31); /* a size that a broken core told */
	char *text = cmd_ranks_text(&missing);
	ck_assert_str_eq(text, "[0-2,4-2147483647]");
	free(text);
	cmd_ranks_deinit(&missing);
	missing = cmd_ranks_missing(&set, 2);
	ck_assert_uint_eq(cmd_ranks_count(&missing), 2);
	cmd_ranks_deinit(&missing);
	cmd_ranks_deinit(&set);
}
END_TEST

/* ---- options ------------------------------------------------------------------------------------- */

static struct cmd_about about = {
	.name = "queues",
	.usage = "",
	.what = "",
	.options = CMD_OPT_TARGET | CMD_OPT_OUTPUT | CMD_OPT_ALL | CMD_OPT_LAYOUT,
};

/* Parse arguments; messages on stderr are stored in said. */
static char said[4096];

static bool parse(const char *words, struct cmd_options *o, int *rc)
{
	static char line[1024];
	char *argv[32];
	int argc = 0, saved = dup(STDERR_FILENO);
	FILE *f = tmpfile();

	ck_assert_ptr_nonnull(f);
	snprintf(line, sizeof(line), "queues %s", words);
	for (char *word = strtok(line, " "); word; word = strtok(NULL, " "))
		argv[argc++] = word;
	argv[argc] = NULL;
	fflush(stderr);
	dup2(fileno(f), STDERR_FILENO);
	bool ok = cmd_options_parse(&about, argc, argv, o, rc);
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
	rewind(f);
	said[fread(said, 1, sizeof(said) - 1, f)] = '\0';
	fclose(f);
	return ok;
}

/* Commands with KIND and VALUE accept a negative number as a value; others treat it as an option. */
START_TEST(test_options_negative)
{
	static const char *const lines[] = { "aint -3 -p 5", "-p 5 aint -3", "aint -p 5 -3", "aint -p 5 -- -3",
					     "--json aint -3 --all -p 5" };
	struct cmd_options o;
	int rc;

	about.n_words = 2;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		ck_assert_msg(parse(lines[i], &o, &rc), "%s: %s", lines[i], said);
		ck_assert_uint_eq(o.n_words, 2);
		ck_assert_str_eq(o.words[0], "aint");
		ck_assert_str_eq(o.words[1], "-3");
		ck_assert_int_eq(o.pid, 5);
		cmd_options_deinit(&o);
	}
	/* the files of --cores come after the arguments */
	ck_assert_msg(parse("aint -0x10 --cores /etc /usr", &o, &rc), "%s", said);
	ck_assert_str_eq(o.words[1], "-0x10");
	ck_assert_uint_eq(o.n_files, 2);
	cmd_options_deinit(&o);
	ck_assert(!parse("aint -q -p 5", &o, &rc));
	ck_assert_msg(strstr(said, "unknown option -q") != NULL, "%s", said);
	ck_assert(!parse("aint -3 4 -p 5", &o, &rc));
	ck_assert_msg(strstr(said, "4 alone") != NULL, "%s", said);
	/* a pid is not a value */
	ck_assert(!parse("aint 3 -p -5", &o, &rc));
	about.n_words = 0;
	ck_assert(!parse("-3 -p 5", &o, &rc));
	ck_assert_msg(strstr(said, "unknown option -3") != NULL, "%s", said);
}
END_TEST

START_TEST(test_options_good)
{
	struct cmd_options o;
	int rc;

	ck_assert(parse("-p 123 --json --all --stats", &o, &rc));
	ck_assert_int_eq(o.kind, CMD_TARGET_PROCESS);
	ck_assert_int_eq(o.pid, 123);
	ck_assert(o.json && o.all && o.stats && !o.color && !o.have_ranks);
	cmd_options_deinit(&o);

	ck_assert(parse("--core a.core -e prog --color=always", &o, &rc));
	ck_assert_int_eq(o.kind, CMD_TARGET_CORE);
	ck_assert_uint_eq(o.n_files, 1);
	ck_assert_str_eq(o.files[0], "a.core");
	ck_assert_str_eq(o.exe, "prog");
	ck_assert(o.color);
	cmd_options_deinit(&o);

	ck_assert(parse("--cores a b --ranks 0,2-4 c", &o, &rc));
	ck_assert_int_eq(o.kind, CMD_TARGET_CORES);
	ck_assert_uint_eq(o.n_files, 3);
	ck_assert_str_eq(o.files[0], "a");
	ck_assert_str_eq(o.files[1], "b");
	ck_assert_str_eq(o.files[2], "c");
	ck_assert(o.have_ranks && cmd_ranks_has(&o.ranks, 3) && !cmd_ranks_has(&o.ranks, 1));
	cmd_options_deinit(&o);

	ck_assert(parse("--job=4711 --plugin x.so --layout y.layout --color=never --progress=never", &o, &rc));
	ck_assert_int_eq(o.kind, CMD_TARGET_JOB);
	ck_assert_int_eq(o.pid, 4711);
	ck_assert_str_eq(o.plugin, "x.so");
	ck_assert_str_eq(o.layout, "y.layout");
	ck_assert(!o.color && !o.progress);
	cmd_options_deinit(&o);
}
END_TEST

static const struct {
	const char *words, *hint;
} bad[] = {
	{ "", "no target given" },
	{ "--json", "no target given" },
	{ "-p 1 --core x", "one target at a time" },
	{ "--job 1 -p 2", "one target at a time" },
	{ "-p", "-p needs an argument" },
	{ "--core", "--core needs an argument" },
	{ "-p abc", "not \"abc\"" },
	{ "-p 0", "not \"0\"" },
	{ "-p -5", "not \"-5\"" },
	{ "-p 12x", "not \"12x\"" },
	{ "-p 99999999999999", "not \"99999999999999\"" },
	{ "-p /", "did you mean --cores?" },
	{ "--core /", "did you mean --cores?" },
	{ "--core 1", "did you mean -p?" },
	{ "--cores 1", "did you mean --job?" },
	{ "12345", "did you mean -p 12345" },
	{ "-p 1 12345", "did you mean" },
	{ "nonsense", "unknown argument \"nonsense\"" },
	{ "/", "did you mean --cores?" },
	{ "-p 1 --ranks 0", "--ranks goes with --job or --cores" },
	{ "--job 1 --ranks 3-1", "from its lower to its higher" },
	{ "--job 1 -e x", "-e goes with --core" },
	{ "-p 1 --layout x", "--layout goes with --plugin" },
	{ "-p 1 --color=blue", "auto, always or never" },
	{ "-p 1 --jsno", "did you mean --json?" },
	{ "-p 1 --frobnicate", "see mpidbg queues --help" },
	{ "-x", "unknown option -x" },
};

START_TEST(test_options_bad)
{
	struct cmd_options o;
	int rc = -1;

	ck_assert(!parse(bad[_i].words, &o, &rc));
	ck_assert_int_eq(rc, CMD_USAGE);
	ck_assert_msg(strstr(said, bad[_i].hint), "\"%s\" said: %s", bad[_i].words, said);
	ck_assert_msg(strncmp(said, "mpidbg: queues: ", 16) == 0 && strchr(said, '\n') == said + strlen(said) - 1,
		      "one line of ours: %s", said);
	ck_assert_ptr_null(o.files);
}
END_TEST

/* ---- words --------------------------------------------------------------------------------------- */

START_TEST(test_nearest)
{
	static const char *const names[] = { "procs", "comms", "queues", "doctor", "layout", "help", NULL };

	ck_assert_str_eq(cmd_nearest("queue", names), "queues");
	ck_assert_str_eq(cmd_nearest("quues", names), "queues");
	ck_assert_str_eq(cmd_nearest("cosmm", names), "comms");
	ck_assert_str_eq(cmd_nearest("doc", names), "doctor");
	ck_assert_str_eq(cmd_nearest("hlep", names), "help");
	ck_assert_ptr_null(cmd_nearest("frobnicate", names));
	ck_assert_ptr_null(cmd_nearest("", names));
	ck_assert_ptr_null(cmd_nearest("xy", names));
	ck_assert_ptr_null(cmd_nearest("a-word-much-longer-than-any-of-our-names-could-be", names));
}
END_TEST

START_TEST(test_spool)
{
	enum { PIECE = 1000, N = CMD_SPOOL_BYTES / PIECE + 100 };
	struct cmd_spool s = { 0 };
	char piece[PIECE];
	FILE *out = tmpfile();

	ck_assert_ptr_nonnull(out);
	for (int i = 0; i < N; i++) {
		memset(piece, 'a' + i % 26, sizeof(piece));
		ck_assert(cmd_spool_add(&s, piece, sizeof(piece)));
	}
	ck_assert(s.n <= CMD_SPOOL_BYTES);
	ck_assert_ptr_nonnull(s.rest);
	for (int again = 0; again < 2; again++) { /* it can be read twice */
		rewind(out);
		ck_assert(cmd_spool_copy(&s, 0, out));
		ck_assert_int_eq(ftell(out), (long)N * PIECE);
		rewind(out);
		for (int i = 0; i < N; i++) {
			ck_assert_uint_eq(fread(piece, 1, sizeof(piece), out), sizeof(piece));
			ck_assert(piece[0] == 'a' + i % 26 && piece[PIECE - 1] == 'a' + i % 26);
		}
	}
	fclose(out);
	cmd_spool_deinit(&s);
	ck_assert(cmd_spool_copy(&s, 0, stdout)); /* an empty one prints nothing */
}
END_TEST

START_TEST(test_json_string)
{
	static const char *const texts[] = {
		"",     "plain",        "\"quoted\\\"",     "new\nline\ttab\x7f\x1b[31m", "\xc3\xa4 ok", "\xff",
		"\xc3", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xf0\x9f\x98\x80",           "\xc0\x80",    "a\x80z"
	};
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct cmd_spool s = { 0 };
		json_error_t error;
		cmd_json_string(&s, texts[i]);
		json_t *value = json_loads(s.text, JSON_DECODE_ANY, &error);
		ck_assert_msg(json_is_string(value), "%zu: %s: %s", i, s.text, error.text);
		json_t *same = json_string(texts[i]); /* NULL when it is no UTF-8 */
		if (same)
			ck_assert_str_eq(json_string_value(value), texts[i]);
		else
			ck_assert_ptr_nonnull(strstr(json_string_value(value), "\xef\xbf\xbd"));
		json_decref(same);
		json_decref(value);
		cmd_spool_deinit(&s);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cli options");
	TCase *tc = tcase_create("all");

	tcase_add_loop_test(tc, test_ranks, 0, sizeof(sets) / sizeof(sets[0]));
	tcase_add_loop_test(tc, test_ranks_add, 0, 100);
	tcase_add_test(tc, test_ranks_missing_is_bounded);
	tcase_add_test(tc, test_options_negative);
	tcase_add_test(tc, test_options_good);
	tcase_add_loop_test(tc, test_options_bad, 0, sizeof(bad) / sizeof(bad[0]));
	tcase_add_test(tc, test_nearest);
	tcase_add_test(tc, test_spool);
	tcase_add_test(tc, test_json_string);
	suite_add_tcase(suite, tc);
	return suite_run(suite);
}
