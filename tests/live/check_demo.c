/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The hanging job of `make demo` under both MPIs, nothing prepared: the same queues, communicators and verdict, line by
 * line, but for what one of the libraries does not keep (count and datatype under MPICH) and its own protocol.
 */
#include "../support/job.h"
#include "../support/scratch.h"
#include "../support/suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TIMEOUT_S = 300, TEXT_MAX = 1 << 16 };

/* Drop from @p start to @p end, wherever they are in the line. */
static void drop(char *line, const char *start, const char *end)
{
	char *at = strstr(line, start), *to = at ? strstr(at, end) : NULL;

	if (to)
		memmove(at, to + strlen(end), strlen(to + strlen(end)) + 1);
}

static void drop_word(char *line, const char *word)
{
	char *at = strstr(line, word);

	if (at)
		memmove(at, at + strlen(word), strlen(at + strlen(word)) + 1);
}

static void squeeze(char *line)
{
	char *to = line;

	for (const char *from = line; *from; from++)
		if (*from != ' ' || (to > line && to[-1] != ' '))
			*to++ = *from;
	while (to > line && (to[-1] == ' ' || to[-1] == '\n'))
		to--;
	*to = '\0';
}

/* The facts from the demo, without names of the library and facts that only one library has. */
static void picture(const char *mpi, char ret[TEXT_MAX])
{
	char dir[SCRATCH_MAX], command[4 * SCRATCH_MAX], path[SCRATCH_MAX + 16], line[1024];
	size_t n = 0;

	scratch_make(dir, "demo");
	snprintf(path, sizeof path, "%s/words", dir);
	snprintf(command, sizeof command, "touch %s && tools/demo '%s' %s %s >%s/out 2>&1", path,
		 getenv("MPIDBG_BUILD"), mpi, path, dir);
	int rc = system(command);
	if (rc) {
		snprintf(command, sizeof command, "tail -20 %s/out >&2", dir);
		ck_assert_int_eq(system(command), 0);
	}
	ck_assert_msg(rc == 0, "tools/demo with %s: status %d", mpi, rc);
	FILE *f = fopen(path, "r");
	ck_assert_ptr_nonnull(f);
	ret[0] = '\0';
	while (fgets(line, sizeof line, f)) {
		if (!strncmp(line, "ranks ", 6))
			drop(line, "  /", ")"); /* the program and the library */
		else
			drop(line, " (131072", ")");
		drop(line, " (100", ")");
		drop(line, " (1 MPI_INT", ")");
		drop_word(line, "eager");
		drop_word(line, "rendezvous");
		squeeze(line);
		if (line[0])
			n += (size_t)snprintf(ret + n, TEXT_MAX - n, "%s\n", line);
		ck_assert_uint_lt(n, TEXT_MAX);
	}
	fclose(f);
	scratch_remove(dir);
}

START_TEST(test_same)
{
	static char openmpi[TEXT_MAX], mpich[TEXT_MAX];

	picture("openmpi", openmpi);
	picture("mpich", mpich);
	ck_assert_str_eq(mpich, openmpi);
	ck_assert_msg(strstr(mpich, "receive MPI_Recv from rank-1 tag 8 1048576 bytes blocked: main thread"), "%s",
		      mpich);
	ck_assert_msg(strstr(mpich, "unexpected from rank-1 tag 7 1048576 bytes"), "%s", mpich);
}
END_TEST

int main(void)
{
	job_require_mpich();
	Suite *suite = suite_create("demo");
	TCase *tcase = tcase_create("both MPIs");

	tcase_set_timeout(tcase, TIMEOUT_S);
	tcase_add_test(tcase, test_same);
	suite_add_tcase(suite, tcase);
	return suite_run(suite);
}
