/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Objects of every kind in processes of MPICH that carry nothing: what the tell_... programs say of them against mpidbg
 * handles and print, live and from a core, as far as MPICH keeps it.
 */
#include "../support/job.h"
#include "../support/mpidbg_run.h"
#include "../support/suite.h"
#include "../support/teller.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

enum { TIMEOUT_S = 400 };

static const struct {
	const char *program;
	int n;
	unsigned at_least; /* facts */
} programs[] = {
	{ "tell_comms", 3, 390 }, { "tell_types", 2, 500 }, { "tell_windows", 3, 100 },
	{ "tell_files", 2, 45 },  { "tell_others", 2, 55 },
};

START_TEST(test_objects)
{
	struct teller t;
	unsigned n_facts, n_bad, n_core_facts;

	teller_bare = true;
	teller_start(TELLER_MPICH, programs[_i].program, programs[_i].n, &t);
	n_bad = teller_compare(&t, &n_facts);
	ck_assert_msg(!n_bad, "%s: %u of %u facts differ, see above", t.program, n_bad, n_facts);
	ck_assert_uint_ge(n_facts, programs[_i].at_least);
	teller_core(&t);
	n_bad = teller_compare(&t, &n_core_facts);
	ck_assert_msg(!n_bad, "core of %s: %u of %u facts differ, see above", t.program, n_bad, n_core_facts);
	ck_assert_uint_eq(n_core_facts, n_facts);
	teller_stop(&t);
}
END_TEST

/* The type map of section 3.12 of MPI-1, from the arguments that MPICH keeps. */
START_TEST(test_text)
{
	static const char *const lines[] = {
		("type map            {(MPI_INT, 0), (MPI_FLOAT, 8), (MPI_CHAR, 12), (MPI_FLOAT, 24), (MPI_CHAR, 28), "
		 "(MPI_DOUBLE, 48)}"),
		"combiner            struct",
		"bytes               |aaaa....bbbbc...........dddde...................ffffffff|",
	};
	struct teller t;

	teller_bare = true;
	teller_start(TELLER_MPICH, "tell_types", 2, &t);
	char *text = teller_text(&t, "print", "datatype", "a record");
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		ck_assert_msg(strstr(text, lines[i]) != NULL, "no \"%s\" in\n%s", lines[i], text);
	free(text);
	teller_stop(&t);
}
END_TEST

int main(void)
{
	job_require_mpich();
	Suite *suite = suite_create("objects_bare");
	TCase *tcase = tcase_create("truth");

	tcase_set_timeout(tcase, TIMEOUT_S);
	tcase_add_loop_test(tcase, test_objects, 0, sizeof(programs) / sizeof(programs[0]));
	tcase_add_test(tcase, test_text);
	suite_add_tcase(suite, tcase);
	return suite_run(suite);
}
