/* SPDX-License-Identifier: BSD-3-Clause */
/* The launcher's command line with the library in it, word by word. */
#include "../../mpi2dd/run/launch.h"
#include "../support/scratch.h"
#include "../support/suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WORDS_MAX = 64, TEXT_MAX = 2048 };

/* The programs of this world. "ssh" is one that is also the argument of options. */
static bool is_program(const char *word)
{
	static const char *const programs[] = { "./a", "./b", "prog", "ssh", "sh" };

	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
		if (strcmp(word, programs[i]) == 0)
			return true;
	return false;
}

struct words {
	char text[TEXT_MAX];
	char *w[WORDS_MAX];
};

static void split(struct words *ret, const char *text)
{
	size_t n = 0;

	snprintf(ret->text, sizeof(ret->text), "%s", text);
	for (char *save = NULL, *w = strtok_r(ret->text, " ", &save); w; w = strtok_r(NULL, " ", &save))
		ret->w[n++] = w;
	ret->w[n] = NULL;
}

static const struct {
	enum run_style style;
	const char *preload, *env_list; /* the environment's */
	const char *in, *out;
	const char *out_preload, *out_env_list; /* the environment's after it; NULL: as it was */
} lines[] = {
	/* no launcher */
	{ RUN_BY_ENVIRONMENT, NULL, NULL, "./a -x 1", "./a -x 1", "/L", NULL },
	{ RUN_BY_ENVIRONMENT, "/u", NULL, "./a : ./b", "./a : ./b", "/L:/u", NULL },
	{ RUN_BY_ENVIRONMENT, "", NULL, "srun -n 2 ./a", "srun -n 2 ./a", "/L", NULL },

	/* Open MPI */
	{ RUN_BY_OPENMPI, NULL, NULL, "mpirun -n 2 ./a", "mpirun -x LD_PRELOAD=/L -x S -x G -n 2 ./a", NULL, NULL },
	{ RUN_BY_OPENMPI, NULL, NULL, "mpirun", "mpirun -x LD_PRELOAD=/L -x S -x G", NULL, NULL },
	{ RUN_BY_OPENMPI, "/u:/v", NULL, "mpirun ./a", "mpirun -x LD_PRELOAD=/L:/u:/v -x S -x G ./a", NULL, NULL },
	{ RUN_BY_OPENMPI, NULL, NULL, "mpirun -n 1 ./a x : -n 2 ./b : ./a",
	  "mpirun -x LD_PRELOAD=/L -x S -x G -n 1 ./a x : -x LD_PRELOAD=/L -x S -x G -n 2 ./b : -x LD_PRELOAD=/L -x S "
	  "-x "
	  "G ./a",
	  NULL, NULL },
	/* the user's own preload, as a value and from the environment; and what only looks like one */
	{ RUN_BY_OPENMPI, "/e", NULL, "mpirun -x LD_PRELOAD=/u -n 1 ./a",
	  "mpirun -x S -x G -x LD_PRELOAD=/L:/u -n 1 ./a", NULL, NULL },
	{ RUN_BY_OPENMPI, "/e", NULL, "mpirun -n 1 -x LD_PRELOAD ./a", "mpirun -x S -x G -n 1 -x LD_PRELOAD=/L:/e ./a",
	  NULL, NULL },
	{ RUN_BY_OPENMPI, NULL, NULL, "mpirun -x LD_PRELOAD ./a", "mpirun -x S -x G -x LD_PRELOAD=/L ./a", NULL, NULL },
	{ RUN_BY_OPENMPI, NULL, NULL, "mpirun -x LD_PRELOADED=1 ./a -x LD_PRELOAD=/u",
	  "mpirun -x LD_PRELOAD=/L -x S -x G -x LD_PRELOADED=1 ./a -x LD_PRELOAD=/u", NULL, NULL },
	{ RUN_BY_OPENMPI, NULL, NULL, "mpirun ./a : -x LD_PRELOAD=/u ./b",
	  "mpirun -x LD_PRELOAD=/L -x S -x G ./a : -x S -x G -x LD_PRELOAD=/L:/u ./b", NULL, NULL },
	/* options whose arguments are programs' names, unknown options, "--" */
	{ RUN_BY_OPENMPI, NULL, NULL, "mpirun --mca plm_rsh_agent ssh -x LD_PRELOAD=/u ./a -x LD_PRELOAD=/v",
	  "mpirun -x S -x G --mca plm_rsh_agent ssh -x LD_PRELOAD=/L:/u ./a -x LD_PRELOAD=/v", NULL, NULL },
	{ RUN_BY_OPENMPI, NULL, NULL, "mpirun --new-one 3 --new-flag -x LD_PRELOAD=/u -- ./a -x LD_PRELOAD=/v",
	  "mpirun -x S -x G --new-one 3 --new-flag -x LD_PRELOAD=/L:/u -- ./a -x LD_PRELOAD=/v", NULL, NULL },
	{ RUN_BY_OPENMPI, NULL, NULL, "mpirun --new-flag ./a -x LD_PRELOAD=/v",
	  "mpirun -x LD_PRELOAD=/L -x S -x G --new-flag ./a -x LD_PRELOAD=/v", NULL, NULL },
	/* the list that excludes -x: of the environment, of the command line, of both */
	{ RUN_BY_OPENMPI, NULL, "A=1;B", "mpirun ./a : ./b", "mpirun ./a : ./b", NULL, "A=1;B;S;G;LD_PRELOAD=/L" },
	{ RUN_BY_OPENMPI, "/e", "LD_PRELOAD;B", "mpirun ./a", "mpirun ./a", NULL, "B;S;G;LD_PRELOAD=/L:/e" },
	{ RUN_BY_OPENMPI, NULL, "LD_PRELOAD=/u", "mpirun ./a", "mpirun ./a", NULL, "S;G;LD_PRELOAD=/L:/u" },
	{ RUN_BY_OPENMPI, NULL, NULL, "mpirun --mca mca_base_env_list A=1 ./a",
	  "mpirun --mca mca_base_env_list A=1;S;G;LD_PRELOAD=/L ./a", NULL, NULL },
	{ RUN_BY_OPENMPI, NULL, "C", "mpirun -gmca mca_base_env_list A=1 ./a",
	  "mpirun -gmca mca_base_env_list A=1;S;G;LD_PRELOAD=/L ./a", NULL, NULL },
	{ RUN_BY_OPENMPI, NULL, NULL, "mpirun --mca mca_base_env_list A=1 ./a : ./b",
	  "mpirun --mca mca_base_env_list A=1;S;G;LD_PRELOAD=/L ./a : ./b", "/L", NULL },
	/* a file of programs: options of the command line do not reach them */
	{ RUN_BY_OPENMPI, NULL, NULL, "mpirun --app /nonexistent/file", "mpirun --app /nonexistent/file", NULL,
	  "S;G;LD_PRELOAD=/L" },

	/* MPICH */
	{ RUN_BY_MPICH, NULL, NULL, "mpiexec -n 2 ./a", "mpiexec -genv LD_PRELOAD /L -n 2 ./a", NULL, NULL },
	{ RUN_BY_MPICH, "/u", NULL, "mpiexec ./a : -n 2 ./b", "mpiexec -genv LD_PRELOAD /L:/u ./a : -n 2 ./b", NULL,
	  NULL },
	{ RUN_BY_MPICH, NULL, NULL, "mpiexec -genv LD_PRELOAD /u ./a -env LD_PRELOAD /v",
	  "mpiexec -genv LD_PRELOAD /L -genv LD_PRELOAD /L:/u ./a -env LD_PRELOAD /v", NULL, NULL },
	{ RUN_BY_MPICH, NULL, NULL, "mpiexec ./a : -env LD_PRELOAD=/u -n 1 ./b",
	  "mpiexec -genv LD_PRELOAD /L ./a : -env LD_PRELOAD=/L:/u -n 1 ./b", NULL, NULL },
	{ RUN_BY_MPICH, NULL, NULL, "mpiexec -genv A=1 -env B 2 -launcher ssh ./a",
	  "mpiexec -genv LD_PRELOAD /L -genv A=1 -env B 2 -launcher ssh ./a", NULL, NULL },
	{ RUN_BY_MPICH, NULL, NULL, "mpiexec -genvlist A,B -n 1 ./a",
	  "mpiexec -genv LD_PRELOAD /L -genvlist A,B,S,G -n 1 ./a", NULL, NULL },
	{ RUN_BY_MPICH, NULL, NULL, "mpiexec -genvnone -n 1 ./a : -envnone ./b -envnone",
	  "mpiexec -genv LD_PRELOAD /L -genvlist S,G -n 1 ./a : -envlist S,G ./b -envnone", NULL, NULL },
};

static void same_or_null(const char *seen, const char *expected)
{
	if (expected)
		ck_assert_pstr_eq(seen, expected);
	else
		ck_assert_ptr_null(seen);
}

START_TEST(test_line)
{
	static const char *const names[] = { "S", "G", NULL };
	struct words in = { 0 };
	struct run_launched out;
	char text[TEXT_MAX] = "";

	split(&in, lines[_i].in);
	struct run_launch launch = {
		.style = lines[_i].style,
		.argv = in.w,
		.library = "/L",
		.preload = lines[_i].preload,
		.env_list = lines[_i].env_list,
		.names = names,
		.is_program = is_program,
	};
	run_launch_rewrite(&launch, &out);
	for (char **w = out.argv; *w; w++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", w == out.argv ? "" : " ", *w);
	ck_assert_str_eq(text, lines[_i].out);
	same_or_null(out.preload, lines[_i].out_preload);
	same_or_null(out.env_list, lines[_i].out_env_list);
	run_launched_free(&out);
	ck_assert_ptr_null(out.argv);
}
END_TEST

/* Words with spaces, empty ones: each stays one word. */
START_TEST(test_words_stay)
{
	const char *in[] = { "mpirun", "-x", "A=b c", "", "sh", "-c", "echo :", NULL };
	static const char *const expected[] = {
		"mpirun", "-x", "LD_PRELOAD=/L", "-x", "A=b c", "", "sh", "-c", "echo :"
	};
	static const char *const names[] = { NULL };
	struct run_launch launch = { .style = RUN_BY_OPENMPI,
				     .argv = (char *const *)in,
				     .library = "/L",
				     .names = names,
				     .is_program = is_program };
	struct run_launched out;

	run_launch_rewrite(&launch, &out);
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
		ck_assert_str_eq(out.argv[i], expected[i]);
	ck_assert_ptr_null(out.argv[sizeof(expected) / sizeof(expected[0])]);
	run_launched_free(&out);
}
END_TEST

/* A file of --app that uses -x excludes the list: then the launcher's environment. */
START_TEST(test_app_file)
{
	static const char *const names[] = { "S", NULL };
	static const char *const texts[] = { "-n 1 ./a\n-n 2 ./b\n", "-n 1 ./a\n-x A=1 -n 2 ./b\n" };
	char path[SCRATCH_MAX];
	int fd = scratch_file(path, "launch");

	ck_assert_int_eq(write(fd, texts[_i], strlen(texts[_i])), (ssize_t)strlen(texts[_i]));
	close(fd);
	const char *in[] = { "mpirun", "-app", path, NULL };
	struct run_launch launch = { .style = RUN_BY_OPENMPI,
				     .argv = (char *const *)in,
				     .library = "/L",
				     .names = names,
				     .is_program = is_program };
	struct run_launched out;
	run_launch_rewrite(&launch, &out);
	unlink(path);
	same_or_null(out.env_list, _i == 0 ? "S;LD_PRELOAD=/L" : NULL);
	same_or_null(out.preload, _i == 0 ? NULL : "/L");
	ck_assert_ptr_null(out.argv[3]);
	run_launched_free(&out);
}
END_TEST

static const struct {
	const char *line;
	const char *programs;
} commands[] = {
	{ "mpirun", "" },
	{ "mpirun --version", "" },
	{ "mpirun -n 2 ./a", "./a" },
	{ "mpirun -n 2 ./nowhere x", "./nowhere" },
	{ "mpirun -n 2 ./a : -n 1 ./b : prog", "./a ./b prog" },
	{ "mpirun -np 1 -H h1,h2 --map-by core --mca btl self,tcp -wdir /tmp ./a ./b", "./a" },
	{ "mpirun --oversubscribe -q prog", "prog" },
	{ "mpirun -launcher ssh -genv A 1 -genv B=2 prog", "prog" },
	{ "mpirun --unknown-flag prog", "prog" },
	{ "mpirun --unknown 7 prog", "prog" },
	{ "mpirun --unknown=7 prog", "prog" },
	{ "mpirun -n 1 -- prog", "prog" },
	{ "mpirun -n 1 : ./b", "./b" },
	{ "mpirun -n", "" },
	{ "mpirun --mca a", "" },
	{ "mpirun : :", "" },
};

START_TEST(test_programs)
{
	struct words in = { 0 };
	size_t at[RUN_PROGRAMS_MAX];
	char text[TEXT_MAX] = "";

	split(&in, commands[_i].line);
	size_t n = run_launch_programs(in.w, is_program, at);
	for (size_t i = 0; i < n; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", i ? " " : "", in.w[at[i]]);
	ck_assert_str_eq(text, commands[_i].programs);
}
END_TEST

/* More parts than the limit. */
START_TEST(test_many_parts)
{
	enum { PARTS = 3 * RUN_PROGRAMS_MAX };
	const char *in[2 * PARTS + 2];
	size_t n = 0, at[RUN_PROGRAMS_MAX];

	in[n++] = "mpirun";
	for (size_t i = 0; i < PARTS; i++) {
		in[n++] = "prog";
		in[n++] = ":";
	}
	in[n - 1] = NULL;
	ck_assert_uint_eq(run_launch_programs((char *const *)in, is_program, at), RUN_PROGRAMS_MAX);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("run_launch");
	TCase *tc = tcase_create("run_launch");
	tcase_add_loop_test(tc, test_line, 0, sizeof(lines) / sizeof(lines[0]));
	tcase_add_test(tc, test_words_stay);
	tcase_add_loop_test(tc, test_app_file, 0, 2);
	tcase_add_loop_test(tc, test_programs, 0, sizeof(commands) / sizeof(commands[0]));
	tcase_add_test(tc, test_many_parts);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
