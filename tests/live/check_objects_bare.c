/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Objects of every kind in processes that carry nothing: what the facts_... programs say of them against mpidbg handles
 * and print, live and from a core, as far as the MPI library keeps it.
 */
#include "../support/facts.h"
#include "../support/job.h"
#include "../support/mpidbg_run.h"
#include "../support/suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TIMEOUT_S = 400 };

static const struct {
	const char *program;
	int n;
	unsigned at_least[FACTS_N_MPIS]; /* facts */
} programs[] = {
	{ "facts_comms", 3, { 490, 390 } }, { "facts_types", 2, { 570, 500 } }, { "facts_windows", 3, { 115, 100 } },
	{ "facts_others", 2, { 85, 55 } },  { "facts_files", 2, { 49, 47 } },   { "facts_requests", 2, { 25, 22 } },
};

enum { N_PROGRAMS = sizeof(programs) / sizeof(programs[0]) };

START_TEST(test_objects)
{
	const unsigned program = (unsigned)_i / FACTS_N_MPIS, mpi = (unsigned)_i % FACTS_N_MPIS;
	struct facts t;
	unsigned n_facts, n_bad, n_core_facts;

	facts_bare = true;
	facts_start((enum facts_mpi)mpi, programs[program].program, programs[program].n, &t);
	n_bad = facts_compare(&t, &n_facts);
	ck_assert_msg(!n_bad, "%s: %u of %u facts differ, see above", t.program, n_bad, n_facts);
	ck_assert_uint_ge(n_facts, programs[program].at_least[mpi]);
	facts_core(&t);
	n_bad = facts_compare(&t, &n_core_facts);
	ck_assert_msg(!n_bad, "core of %s: %u of %u facts differ, see above", t.program, n_bad, n_core_facts);
	ck_assert_uint_eq(n_core_facts, n_facts);
	facts_stop(&t);
}
END_TEST

/*
 * MPICH linked into the program: one file has the functions of both, so the library's own keyvals (of topologies, of
 * ROMIO) and its operation are known by their symbols only. They are hidden, and those of the program are not.
 */
START_TEST(test_static)
{
	unsigned n_facts, n_bad, n_core_facts;
	struct facts t;
	char path[512];

	snprintf(path, sizeof(path), "%s/programs-mpich-static/%s", getenv("MPIDBG_BUILD"), programs[_i].program);
	if (access(path, X_OK) != 0) {
		printf("not run: no libmpich.a here\n");
		return;
	}
	facts_bare = true;
	facts_start(FACTS_MPICH, path, programs[_i].n, &t);
	n_bad = facts_compare(&t, &n_facts);
	ck_assert_msg(!n_bad, "%s: %u of %u facts differ, see above", path, n_bad, n_facts);
	ck_assert_uint_ge(n_facts, programs[_i].at_least[FACTS_MPICH]);
	facts_core(&t);
	n_bad = facts_compare(&t, &n_core_facts);
	ck_assert_msg(!n_bad, "core of %s: %u of %u facts differ, see above", path, n_bad, n_core_facts);
	ck_assert_uint_eq(n_core_facts, n_facts);
	facts_stop(&t);
}
END_TEST

static const struct {
	const char *osc, *pml, *component;
} one_sided[] = { { "rdma,sm", "ob1", "osc:rdma" },
		  { "pt2pt,sm", "ob1", "osc:pt2pt" },
		  { "ucx,sm", "ucx", "osc:ucx" } };

/* Requests of windows: those of the program, none internal to the library. */
static unsigned window_requests(const struct facts *t)
{
	json_t *answer, *one;
	const json_t *kinds = json_object_get(facts_ask(t, &answer, "handles", "request", NULL), "handles");
	const json_t *requests = json_object_get(json_array_get(kinds, 0), "objects");
	unsigned n = 0;
	size_t i;

	json_array_foreach((json_t *)requests, i, one)
	{
		const char *type = json_string_value(json_object_get(one, "type"));

		n += type && !strcmp(type, "window");
	}
	json_decref(answer);
	return n;
}

/* Epochs, locks and requests of windows, with each component of Open MPI that has them. */
START_TEST(test_windows)
{
	enum { REQUESTS = 4, FACTS = 130 };
	struct facts t;
	unsigned n_facts, n_bad;

	if (!job_has_component(one_sided[_i].component)) {
		printf("not run: this Open MPI has no component %s\n", one_sided[_i].component);
		return;
	}
	setenv("OMPI_MCA_osc", one_sided[_i].osc, 1);
	setenv("OMPI_MCA_pml", one_sided[_i].pml, 1);
	setenv("OMPI_MCA_pml_ucx_tls", "any", 1);
	setenv("OMPI_MCA_pml_ucx_devices", "any", 1);
	facts_bare = true;
	facts_start(FACTS_OPENMPI, "facts_windows", 3, &t);
	n_bad = facts_compare(&t, &n_facts);
	ck_assert_msg(!n_bad, "%s: %u of %u facts differ, see above", one_sided[_i].osc, n_bad, n_facts);
	ck_assert_uint_ge(n_facts, FACTS);
	ck_assert_uint_eq(window_requests(&t), REQUESTS);
	facts_stop(&t);
}
END_TEST

/* The type map of section 3.12 of MPI-1, from the arguments that MPICH keeps; and nothing else than
 * what was created. */
START_TEST(test_text)
{
	static const char *const lines[] = {
		("type map            {(MPI_INT, 0), (MPI_FLOAT, 8), (MPI_CHAR, 12), (MPI_FLOAT, 24), (MPI_CHAR, 28), "
		 "(MPI_DOUBLE, 48)}"),
		"combiner            struct",
		"bytes               |aaaa....bbbbc...........dddde...................ffffffff|",
	};
	struct facts t;

	facts_bare = true;
	facts_start((enum facts_mpi)_i, "facts_types", 2, &t);
	char *text = facts_text(&t, "print", "datatype", "a record");
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		ck_assert_msg(strstr(text, lines[i]) != NULL, "no \"%s\" in\n%s", lines[i], text);
	free(text);
	/* the program has created no group: the library's own are hidden */
	text = facts_text(&t, "handles", NULL, NULL);
	const char *groups = strstr(text, "  groups: ");
	ck_assert_msg(groups && !strncmp(groups, "  groups: 0 live, ", 18), "%.500s", groups ? groups : text);
	free(text);
	facts_stop(&t);
}
END_TEST

/* What a program has not freed is unknown without creators: nothing is claimed. */
START_TEST(test_leaks)
{
	struct mpidbg_run r;
	struct facts t;
	json_t *answer;

	facts_bare = true;
	facts_start((enum facts_mpi)_i, "facts_others", 2, &t);
	mpidbg_run(&r, "handles", "--leaks", "-p", t.pid_text, NULL);
	ck_assert_msg(r.exit_code == 3, "exit %d: %s%s", r.exit_code, r.out, r.err);
	ck_assert_msg(!strstr(r.out, "nothing is left") && strstr(r.out, "mpi2dd-run"), "%s", r.out);
	mpidbg_run_free(&r);
	mpidbg_run(&r, "handles", "--leaks", "--json", "-p", t.pid_text, NULL);
	answer = mpidbg_run_json(&r);
	ck_assert(json_is_null(json_object_get(facts_process(answer), "leaks")));
	ck_assert_str_ne(json_string_value(json_object_get(facts_process(answer), "leaks_why")), "");
	json_decref(answer);
	mpidbg_run_free(&r);
	facts_stop(&t);
}
END_TEST

int main(void)
{
	job_require_mpich();
	Suite *suite = suite_create("objects_bare");
	TCase *tcase = tcase_create("truth");

	tcase_set_timeout(tcase, TIMEOUT_S);
	tcase_add_loop_test(tcase, test_objects, 0, N_PROGRAMS * FACTS_N_MPIS);
	tcase_add_loop_test(tcase, test_static, 0, N_PROGRAMS);
	tcase_add_loop_test(tcase, test_windows, 0, sizeof(one_sided) / sizeof(one_sided[0]));
	tcase_add_loop_test(tcase, test_text, 0, FACTS_N_MPIS);
	tcase_add_loop_test(tcase, test_leaks, 0, FACTS_N_MPIS);
	suite_add_tcase(suite, tcase);
	return suite_run(suite);
}
