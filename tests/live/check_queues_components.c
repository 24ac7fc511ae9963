/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Other components than ob1 move the messages: communicators are seen all the same; what cannot be seen is null with
 * a reason, never an empty list.
 */
#include "../support/job.h"
#include "../support/live_main.h"
#include "../support/mpidbg_run.h"
#include "../support/truth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *component, *mca;
} opaque[] = {
	{ "cm", "--mca pml cm --mca mtl ofi" },
};

/* The lists are not for truth_compare(): say nothing of them. */
static json_t *without_lists(const json_t *truth)
{
	static const char *const names[] = { "pending_sends", "pending_receives", "unexpected",
					     "collectives",   "inactive_sends",   "inactive_receives" };
	json_t *copy = json_deep_copy(truth);
	json_t *comms = json_object_get(copy, "communicators");

	json_object_del(copy, "calls");
	for (size_t i = 0; i < json_array_size(comms); i++)
		for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
			json_object_del(json_array_get(comms, i), names[k]);
	return copy;
}

static void assert_reasons(const json_t *comm, const char *component)
{
	static const char *const names[] = { "pending_receives", "unexpected" };

	for (size_t i = 0; i < 2; i++) {
		char key[64];

		snprintf(key, sizeof key, "%s_why", names[i]);
		const json_t *list = json_object_get(comm, names[i]);
		const char *why = json_string_value(json_object_get(comm, key));
		ck_assert_msg(json_is_null(list), "%s is not null", names[i]);
		ck_assert_msg(why && strstr(why, component), "%s: %s", key, why ? why : "missing");
		ck_assert_msg(strstr(why, "mpi2dd-run"), "%s does not say what helps: %s", key, why);
	}
}

/*
 * Start a job with one of these components and run queues on its first rank.
 *
 * @return false: the component does not run here; the reason was printed, and there is nothing to release
 */
static bool ask_opaque(int which, struct job *job, struct mpidbg_run *run)
{
	char pid[16];

	if (!job_try("blocked Recv", opaque[which].mca, 2, 0, job)) {
		printf("not tested: pml %s does not run here\n", opaque[which].component);
		job_end(job);
		return false;
	}
	snprintf(pid, sizeof pid, "%d", (int)job->ranks[0].pid);
	mpidbg_run(run, "queues", "-p", pid, "--json", NULL);
	return true;
}

START_TEST(test_opaque)
{
	struct mpidbg_run run;
	struct job job;
	char *report = NULL;
	size_t n_report;

	if (!ask_opaque(_i, &job, &run))
		return;
	ck_assert_msg(run.exit_code == 0 || run.exit_code == 3, "exit %d: %s", run.exit_code, run.err);
	json_t *json = mpidbg_run_json(&run);
	const json_t *process = json_array_get(json_object_get(json, "processes"), 0);
	const json_t *comms = json_object_get(process, "communicators");
	json_t *truth = without_lists(job.ranks[0].truth);

	FILE *f = open_memstream(&report, &n_report);
	ck_assert_ptr_nonnull(f);
	int n = truth_compare(truth, process, TRUTH_LIVE, f);
	fclose(f);
	ck_assert_msg(n == 0, "%s", report);
	ck_assert_str_eq(json_string_value(json_object_get(json_object_get(process, "mpi"), "component")),
			 opaque[_i].component);
	ck_assert_uint_ge(json_array_size(comms), 3);
	for (size_t i = 0; i < json_array_size(comms); i++)
		assert_reasons(json_array_get(comms, i), opaque[_i].component);
	free(report);
	json_decref(truth);
	json_decref(json);
	mpidbg_run_free(&run);
	job_end(&job);
}
END_TEST

/* @return the operation of the list that has this tag */
static const json_t *with_tag(const json_t *list, json_int_t tag)
{
	json_t *op;
	size_t i;

	json_array_foreach(list, i, op) if (json_integer_value(json_object_get(op, "tag")) == tag) return op;
	return NULL;
}

/*
 * With the in-target library: the operations started by the
 * program are known, whichever component transfers the messages.
 */
START_TEST(test_opaque_tracked)
{
	static const char *const names[] = { "pending_sends", "pending_receives" };
	char starter[512];
	struct mpidbg_run run;
	struct job job;
	unsigned n = 0;

	snprintf(starter, sizeof starter, "%s/mpi2dd-run", getenv("MPIDBG_BUILD"));
	job_starter = starter;
	if (!ask_opaque(_i, &job, &run))
		return;
	ck_assert_msg(run.exit_code == 0, "exit %d: %s", run.exit_code, run.err);
	json_t *json = mpidbg_run_json(&run);
	const json_t *process = json_array_get(json_object_get(json, "processes"), 0);
	json_t *truths = json_object_get(job.ranks[0].truth, "communicators"), *comm;
	size_t i, k;
	json_array_foreach(json_object_get(process, "communicators"), i, comm)
	{
		const json_t *truth = NULL;

		json_array_foreach(truths, k, truth) if (json_equal(json_object_get(truth, "name"),
								    json_object_get(comm, "name"))) break;
		ck_assert_msg(truth != NULL, "communicator %zu: the program has none of this name", i);
		for (k = 0; k < 2; k++) {
			const json_t *seen = json_object_get(comm, names[k]), *op;
			json_t *expected = json_object_get(truth, names[k]);
			size_t j;

			ck_assert(json_is_array(seen));
			ck_assert_uint_eq(json_array_size(seen), json_array_size(expected));
			json_array_foreach(expected, j, op)
			{
				json_int_t tag = json_integer_value(json_object_get(op, "tag"));
				const json_t *same = with_tag(seen, tag);

				ck_assert_msg(same != NULL, "no operation with tag %d", (int)tag);
				ck_assert(json_equal(json_object_get(same, "peer"), json_object_get(op, "peer")));
				ck_assert(
					json_equal(json_object_get(same, "function"), json_object_get(op, "function")));
				ck_assert_str_eq(json_string_value(json_object_get(same, "origin")), "tracker");
				n++;
			}
		}
		/* Only the library itself knows which messages have arrived. */
		ck_assert(json_is_null(json_object_get(comm, "unexpected")));
	}
	ck_assert_uint_eq(n, 2);
	json_decref(json);
	mpidbg_run_free(&run);
	job_end(&job);
}
END_TEST

/* The monitoring component sits on top of ob1: all is there. */
static const struct live_case cases[] = {
	{ "receives", "--mca pml_monitoring_enable 1 --mca pml_monitoring_enable_output 0", 3,
	  .crashes_in = "6.0.0rc2" },
	{ "sends", "--mca pml_monitoring_enable 1 --mca pml_monitoring_enable_output 0", 2, .crashes_in = "6.0.0rc2" },
};

int main(void)
{
	TCase *tc = tcase_create("opaque");

	tcase_add_loop_test(tc, test_opaque, 0, sizeof opaque / sizeof opaque[0]);
	tcase_add_loop_test(tc, test_opaque_tracked, 0, sizeof opaque / sizeof opaque[0]);
	return live_main("check_queues_components", cases, sizeof cases / sizeof cases[0], tc);
}
