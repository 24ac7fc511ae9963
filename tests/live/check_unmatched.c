/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages without a partner, over the job: lone_messages of tests/programs/hangs.c leaves one of each kind, under Open
 * MPI and MPICH, without and with the in-target library, live and from cores.
 */
#include "../support/hangs.h"
#include "../support/live_main.h"
#include "../support/mpidbg_run.h"
#include "../support/suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ASKED_S = 150 };

/* What the program does: kind, communicator, sender, receiver, tag, bytes, how many, whether it has arrived. */
static const char *const expected[] = {
	"receive on MPI_COMM_WORLD from 2 to 0, tag 5, 4 bytes, 1 waited for",
	"receive on MPI_COMM_WORLD from 2 to 0, tag 13, 40 bytes, 1 not waited for",
	"receive on MPI_COMM_WORLD from any to 1, tag 14, 8 bytes, 1 not waited for",
	"receive on MPI_COMM_WORLD from 0 to 1, tag 5, 4 bytes, 1 waited for",
	"message on MPI_COMM_WORLD from 0 to 1, tag 11, 12 bytes, 3 arrived",
	"send on MPI_COMM_WORLD from 0 to 2, tag 12, 1048576 bytes, 1 not waited for, arrived",
	"receive on MPI_COMM_WORLD from 1 to 2, tag 5, 4 bytes, 1 waited for",
	"message on side from 2 to 0, tag 15, 32 bytes, 1 arrived",
};
enum { N = sizeof(expected) / sizeof(expected[0]) };

static const char *text(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

static long long number(const json_t *o, const char *key)
{
	return (long long)json_integer_value(json_object_get(o, key));
}

static void words(const json_t *o, char ret[256])
{
	const json_t *waits = json_object_get(o, "waits"), *arrived = json_object_get(o, "arrived");
	char from[32];

	if (json_is_null(json_object_get(o, "from")))
		snprintf(from, sizeof(from), "%s", text(o, "from_why"));
	else
		snprintf(from, sizeof(from), "%lld", number(o, "from"));
	snprintf(ret, 256, "%s on %s from %s to %lld, tag %lld, %lld bytes, %lld%s%s%s", text(o, "kind"),
		 text(o, "communicator"), from, number(o, "to"), number(o, "tag"), number(o, "bytes"), number(o, "n"),
		 json_is_true(waits)    ? " waited for"
		 : json_is_false(waits) ? " not waited for"
					: "",
		 waits && arrived ? "," : "",
		 json_is_true(arrived)    ? " arrived"
		 : json_is_false(arrived) ? " not arrived"
					  : "");
}

/* Are they all there, in any order, and no others? */
static bool are_all(const json_t *list)
{
	const json_t *o;
	size_t i, n_found = 0;
	char found[256];

	json_array_foreach(list, i, o)
	{
		words(o, found);
		for (int k = 0; k < N; k++)
			n_found += strcmp(found, expected[k]) == 0;
	}
	return n_found == N && json_array_size(list) == N;
}

static bool ask(const char *option, const char *value, char *ret, size_t size)
{
	struct mpidbg_run run;

	mpidbg_run(&run, "deadlock", "--json", option, value, NULL);
	json_t *answer = mpidbg_run_json(&run);
	const json_t *verdict = json_object_get(answer, "verdict");
	bool right = are_all(json_object_get(verdict, "unmatched"));
	char *list = json_dumps(json_object_get(verdict, "unmatched"), JSON_COMPACT | JSON_ENCODE_ANY);
	snprintf(ret, size, "%s%s", list ? list : "no list", run.err);
	free(list);
	json_decref(answer);
	mpidbg_run_free(&run);
	return right;
}

static bool is_printed(const char *text)
{
	const char *section = strstr(text, "\nNot matched on MPI_COMM_WORLD:\n");

	return section && strstr(section, "3 messages to rank 1, tag 11, 12 bytes, arrived") &&
	       strstr(section, "\nNot matched on side:\n  rank 2  message to rank 0, tag 15, 32 bytes, arrived  "
			       "the send is complete\n");
}

START_TEST(test_lone)
{
	const struct hang hang = { .name = "lone_messages", .n = 3 };
	static char said[8192];
	struct mpidbg_run run;
	struct job job;
	char pid[32];
	bool right = false;

	if ((_i == HANG_MPICH || _i == HANG_MPICH_LIB) && job_omits_mpich()) /* which messages have arrived */
		return;
	hang_start(&hang, (enum hang_config)_i, &job);
	snprintf(pid, sizeof(pid), "%d", (int)job.launcher);
	/* until every rank has got to the receive in which it hangs */
	for (double until = job_now() + ASKED_S; !right && job_now() < until;) {
		if (!ask("--job", pid, said, sizeof(said)))
			continue;
		mpidbg_run(&run, "deadlock", "--job", pid, NULL);
		right = is_printed(run.out);
		snprintf(said, sizeof(said), "%s", run.out);
		mpidbg_run_free(&run);
	}
	ck_assert_msg(right, "%s", said);
	job_cores(&job);
	job_stop(&job);
	ck_assert_msg(ask("--cores", job.dir, said, sizeof(said)), "from cores: %s", said);
	job_end(&job);
}
END_TEST

int main(void)
{
	job_require();
	Suite *s = suite_create("unmatched");
	TCase *tc = tcase_create("messages without a partner");

	tcase_set_timeout(tc, LIVE_TIMEOUT_S);
	tcase_add_loop_test(tc, test_lone, 0, N_HANG_CONFIGS);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
