/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The rules of MPI_T, tried by programs in themselves, on both MPIs with our library, and the table of docs/mpi_t.md:
 * it has every rule, and each program that it names for a rule has tried it here and found it kept.
 */
#include "../support/job.h"
#include "../support/mpidbg_run.h"
#include "../support/scratch.h"
#include "../support/suite.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct flavour {
	const char *name, *programs, *pair; /* pair: starts two ranks */
} flavours[] = {
	{ "openmpi", "programs", "mpirun.openmpi --oversubscribe -n 2 -x LD_PRELOAD=$lib" },
	{ "mpich", "programs-mpich", "mpirun.mpich -n 2 -genv LD_PRELOAD $lib" },
};
enum { N_FLAVOURS = sizeof flavours / sizeof flavours[0] };

/* Program and arguments. */
static const char *const runs[] = {
	"mpit_rules before",
	"mpit_rules during",
	"mpit_rules after",
	"mpit_rules all",
	"mpit_cvars before",
	"mpit_cvars during",
	"mpit_cvars after",
	"mpit_cvars all",
	"mpit_cvars across",
	"mpit_pvars before",
	"mpit_pvars during",
	"mpit_pvars all",
	"mpit_renumbered",
	"mpit_categories during",
	"mpit_categories all",
	"mpit_categories across",
	"mpit_events",
	"mpit_levels",
	"mpit_bad",
	"mpit_threads 2",
	/* the six nestings, then the same again and again, with forks, and from a thread only */
	"mpit_orders TtMm",
	"mpit_orders TMtm",
	"mpit_orders TMmt",
	"mpit_orders MTtm",
	"mpit_orders MTmt",
	"mpit_orders MmTt",
	"mpit_orders TtTtMTtTtmTt",
	"mpit_orders TfMfpmft",
	"mpit_orders pMpmp",
};
enum { N_RUNS = sizeof runs / sizeof runs[0] };

/* Chapters of the rules: prefix, how many. */
static const struct {
	const char *prefix;
	int n;
} chapters[] = { { "C", 26 }, { "000.", 25 }, { "001.", 51 }, { "002.", 13 }, { "P", 11 } };
enum { N_CHAPTERS = sizeof chapters / sizeof chapters[0], KEPT_MAX = 8192 };

/* "program number", for each rule that was found kept. */
static char kept[KEPT_MAX][64];
static int n_kept;

static bool is_kept(const char *program, const char *number)
{
	char wanted[64];

	snprintf(wanted, sizeof wanted, "%s %s", program, number);
	for (int i = 0; i < n_kept; i++)
		if (strcmp(kept[i], wanted) == 0)
			return true;
	return false;
}

/* Run a program and collect its output. */
static void try_program(const struct flavour *f, const char *before, const char *program)
{
	char command[3 * PATH_MAX], build[PATH_MAX], name[32];
	static char timeout[] = "timeout", seconds[] = "100", sh[] = "sh", c[] = "-c";
	struct mpidbg_run run;
	int n = 0;

	ck_assert_ptr_nonnull(realpath(getenv("MPIDBG_BUILD"), build));
	snprintf(command, sizeof command, "lib=%s/libmpi2dd-%s.so; %s %s/%s/%s", build, f->name, before, build,
		 f->programs, program);
	snprintf(name, sizeof name, "%.*s", (int)strcspn(program, " "), program);
	mpidbg_run_program(&run, (char *[]){ timeout, seconds, sh, c, command, NULL });
	for (const char *line = run.out; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		int length = (int)strcspn(line, "\n");
		ck_assert_msg(strncmp(line, "fail ", 5) != 0, "%s %s: %.*s", f->name, program, length, line);
		if (strncmp(line, "pass ", 5) != 0)
			continue;
		char number[16];
		snprintf(number, sizeof number, "%.*s", length - 5, line + 5);
		n++;
		if (!is_kept(name, number) && n_kept < KEPT_MAX)
			snprintf(kept[n_kept++], sizeof kept[0], "%s %s", name, number);
	}
	ck_assert_msg(run.exit_code == 0 && n > 0, "%s %s: exit %d, %d rules\n%s\n%s", f->name, program, run.exit_code,
		      n, run.out, run.err);
	mpidbg_run_free(&run);
}

/* The cell of a row of a table, without spaces around it. */
static void cell(const char *row, int n, char *ret, size_t room)
{
	const char *at = row;

	for (int i = 0; i <= n && at; i++)
		at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL;
	ret[0] = '\0';
	if (!at)
		return;
	at += strspn(at, " ");
	size_t length = strcspn(at, "|\n");
	while (length && at[length - 1] == ' ')
		length--;
	snprintf(ret, room, "%.*s", (int)length, at);
}

/* Row of a rule: number | what | programs | Open MPI | MPICH | remark. */
static bool find_row(const char *text, const char *number, char *programs, size_t room)
{
	char first[64];

	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		if (*line != '|')
			continue;
		cell(line, 0, first, sizeof first);
		if (strcmp(first, number) == 0) {
			cell(line, 2, programs, room);
			return true;
		}
	}
	return false;
}

static char *page(void)
{
	FILE *file = fopen("docs/mpi_t.md", "r");
	char *text = calloc(1, 1 << 18);

	ck_assert_ptr_nonnull(file);
	ck_assert_ptr_nonnull(text);
	ck_assert(fread(text, 1, (1 << 18) - 1, file) > 0);
	fclose(file);
	return text;
}

static void compare_with_table(const struct flavour *f)
{
	char *text = page(), number[16], programs[256];

	for (int c = 0; c < N_CHAPTERS; c++)
		for (int i = 1; i <= chapters[c].n; i++) {
			int n = 0;
			snprintf(number, sizeof number, "%s%d", chapters[c].prefix, i);
			ck_assert_msg(find_row(text, number, programs, sizeof programs), "docs/mpi_t.md has no row %s",
				      number);
			for (char *save = NULL, *p = strtok_r(programs, " ,`", &save); p;
			     p = strtok_r(NULL, " ,`", &save)) {
				ck_assert_msg(is_kept(p, number), "%s: docs/mpi_t.md says that %s tries %s", f->name, p,
					      number);
				n++;
			}
			ck_assert_msg(n > 0, "docs/mpi_t.md: no program tries %s", number);
		}
	free(text);
}

START_TEST(test_rules)
{
	const struct flavour *f = &flavours[_i];
	char late[256];

	for (int i = 0; i < N_RUNS; i++)
		try_program(f, "LD_PRELOAD=$lib", runs[i]);
	try_program(f, "LD_PRELOAD=$lib MPI2DD_WRITE_ENUMS=1", "mpit_cvars during");
	try_program(f, f->pair, "mpit_pair");
	snprintf(late, sizeof late, "MPIT_PAIR_LATE=1 %s", f->pair);
	try_program(f, late, "mpit_pair");
	compare_with_table(f);
}
END_TEST

/* Linked instead of preloaded: the linker may leave the MPI library out, as ours defines all that the program calls. */
START_TEST(test_linked)
{
	char build[PATH_MAX], line[3 * PATH_MAX], program[SCRATCH_MAX];
	static char timeout[] = "timeout", seconds[] = "100", during[] = "during";
	struct mpidbg_run run;

	ck_assert_ptr_nonnull(realpath(getenv("MPIDBG_BUILD"), build));
	close(scratch_file(program, "linked"));
	snprintf(line, sizeof line,
		 "mpicc.%s tests/programs/mpit_pvars.c -o %s -L%s -lmpi2dd-%s -Wl,--as-needed -Wl,-rpath,%s",
		 flavours[_i].name, program, build, flavours[_i].name, build);
	ck_assert_int_eq(system(line), 0);
	mpidbg_run_program(&run, (char *[]){ timeout, seconds, program, during, NULL });
	ck_assert_msg(run.exit_code == 0 && strstr(run.out, "pass P11") != NULL, "exit %d\n%s%s", run.exit_code,
		      run.out, run.err);
	mpidbg_run_free(&run);
	unlink(program);
}
END_TEST

int main(void)
{
	job_require();
	Suite *suite = suite_create("check_mpit_rules");
	TCase *tc = tcase_create("rules");
	tcase_set_timeout(tc, 300);
	tcase_add_loop_test(tc, test_rules, 0, N_FLAVOURS);
	tcase_add_loop_test(tc, test_linked, 0, N_FLAVOURS);
	suite_add_tcase(suite, tc);
	return suite_run(suite);
}
