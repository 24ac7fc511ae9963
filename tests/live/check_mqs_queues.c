/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The queues of unprepared processes through the message queue interface, which
 * offers a plugin neither threads nor stacks: every operation that the programs
 * have posted, with its rank, tag and length, those of blocking calls included.
 */
#include "../../host/host.h"
#include "../support/job.h"
#include "../support/mpich_truth.h"
#include "../support/suite.h"
#include "../support/truth.h"

#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UCX "--mca pml ucx --mca opal_common_ucx_tls any --mca opal_common_ucx_devices any"

enum { TIMEOUT_S = 240, SETTLE_S = 60, OPERATIONS_MAX = 1000 };

static const struct {
	const char *command;
	int n;
	const char *mca; /* NULL: MPICH */
} cases[] = {
	{ "blocked Recv", 2, NULL },   { "blocked Recv_any", 2, NULL }, { "blocked Send", 2, NULL },
	{ "blocked Ssend", 2, NULL },  { "blocked Sendrecv", 2, NULL }, { "blocked Waitall", 2, NULL },
	{ "receives", 3, NULL },       { "unexpected", 3, NULL },       { "blocked Recv", 2, UCX },
	{ "blocked Send", 2, UCX },    { "blocked Ssend", 2, UCX },     { "blocked Sendrecv", 2, UCX },
	{ "blocked Waitall", 2, UCX }, { "receives", 3, UCX },          { "sends", 2, UCX },
	{ "blocked Send", 2, "" },     { "blocked Sendrecv", 2, "" },   { "receives", 3, "" },
};

static const struct {
	const char *name;
	int op_class;
} queues[] = {
	{ "pending_sends", mqs_pending_sends },
	{ "pending_receives", mqs_pending_receives },
	{ "unexpected", mqs_unexpected_messages },
};

static struct host_plugin plugin;

/* ---- output of the interface ------------------------------------------------------------------------------ */

static json_t *rank_or_any(mqs_tword_t rank)
{
	return rank == MQS_INVALID_PROCESS ? json_null() : json_integer(rank);
}

static json_t *list_queue(const struct host_session *s, int op_class)
{
	json_t *list = json_array();
	mqs_pending_operation op;
	int rc = plugin.mqs_setup_operation_iterator(s->process, op_class);

	ck_assert_int_eq(rc, mqs_ok);
	for (int n = 0; n < OPERATIONS_MAX; n++) {
		memset(&op, 0, sizeof op);
		rc = plugin.mqs_next_operation(s->process, &op);
		if (rc != mqs_ok)
			break;
		json_array_append_new(list, json_pack("{s:o, s:o, s:I}", "peer", rank_or_any(op.desired_local_rank),
						      "tag", op.tag_wild ? json_null() : json_integer(op.desired_tag),
						      "bytes", (json_int_t)op.desired_length));
	}
	ck_assert_msg(rc == mqs_end_of_list, "%s", plugin.mqs_dll_error_string(rc));
	return list;
}

static json_t *list_all(const struct host_session *s)
{
	json_t *comms = json_array();
	mqs_communicator comm;

	ck_assert_int_eq(plugin.mqs_update_communicator_list(s->process), mqs_ok);
	int rc = plugin.mqs_setup_communicator_iterator(s->process);
	for (; rc == mqs_ok; rc = plugin.mqs_next_communicator(s->process)) {
		memset(&comm, 0, sizeof comm);
		ck_assert_int_eq(plugin.mqs_get_communicator(s->process, &comm), mqs_ok);
		/* truth_compare() pairs communicators by handle, which the interface does not have */
		json_t *c = json_pack("{s:s, s:s, s:I, s:I}", "handle", comm.name, "name", comm.name, "rank",
				      (json_int_t)comm.local_rank, "size", (json_int_t)comm.size);
		for (size_t i = 0; i < sizeof queues / sizeof queues[0]; i++)
			json_object_set_new(c, queues[i].name, list_queue(s, queues[i].op_class));
		json_array_append_new(comms, c);
	}
	ck_assert_int_eq(rc, mqs_end_of_list);
	return json_pack("{s:o}", "communicators", comms);
}

static json_t *seen_of(pid_t pid)
{
	struct host_error err = { 0 };
	struct host_target *target;
	struct host_session s;
	char *message = NULL;

	ck_assert_msg(host_open_live(pid, &target, &err) == HOST_OK, "%s", err.text);
	ck_assert_msg(host_session_open(&plugin, target, NULL, &s, &err) == HOST_OK, "%s", err.text);
	ck_assert_int_eq(plugin.mqs_image_has_queues(s.image, &message), mqs_ok);
	ck_assert_msg(plugin.mqs_process_has_queues(s.process, &message) == mqs_ok, "%s", message ? message : "");
	json_t *seen = list_all(&s);
	host_session_close(&s);
	host_close(target);
	return seen;
}

/* ---- facts of the program -------------------------------------------------------------------------------- */

static void keep_only(json_t *object, const char *const *keys, size_t n)
{
	const char *key;
	json_t *value;
	void *next;

	json_object_foreach_safe(object, next, key, value)
	{
		bool kept = false;

		for (size_t i = 0; i < n; i++)
			kept |= !strcmp(key, keys[i]);
		if (!kept)
			json_object_del(object, key);
	}
}

/* What the interface has of it, too. */
static json_t *reduced(const json_t *truth)
{
	static const char *const of_comm[] = {
		"name", "rank", "size", "pending_sends", "pending_receives", "unexpected"
	};
	static const char *const of_op[] = { "peer", "tag", "bytes" };
	json_t *comms = json_deep_copy(json_object_get(truth, "communicators")), *comm, *op;
	size_t i, k;

	json_array_foreach(comms, i, comm)
	{
		bool unordered = json_array_size(json_object_get(comm, "unordered")) != 0;

		keep_only(comm, of_comm, sizeof of_comm / sizeof of_comm[0]);
		json_object_set(comm, "handle", json_object_get(comm, "name"));
		for (size_t q = 0; q < sizeof queues / sizeof queues[0]; q++)
			json_array_foreach(json_object_get(comm, queues[q].name), k, op)
				keep_only(op, of_op, sizeof of_op / sizeof of_op[0]);
		if (unordered)
			json_object_set_new(comm, "unordered", json_pack("[s]", "pending_receives"));
	}
	return json_pack("{s:o}", "communicators", comms);
}

/* A rank that has announced that it blocks may not have arrived yet. */
static void check_rank(const struct job_rank *rank)
{
	json_t *truth = reduced(rank->truth);
	double end = job_now() + SETTLE_S;
	int n;

	do {
		char *text = NULL;
		size_t bytes;
		FILE *report = open_memstream(&text, &bytes);
		json_t *seen = seen_of(rank->pid);

		ck_assert_ptr_nonnull(report);
		n = truth_compare(truth, seen, TRUTH_CORE, report);
		fclose(report);
		json_decref(seen);
		ck_assert_msg(!n || job_now() < end, "rank %d: %s", rank->file_rank, text);
		free(text);
		if (n)
			job_nap();
	} while (n);
	json_decref(truth);
}

START_TEST(test_queues)
{
	struct job job;

	if (!cases[_i].mca && job_omits_mpich())
		return;
	if (cases[_i].mca)
		job_start(cases[_i].command, cases[_i].mca, cases[_i].n, 0, &job);
	else
		job_start_mpich(cases[_i].command, cases[_i].n, &job);
	for (size_t i = 0; i < job.n_ranks; i++) {
		if (!cases[_i].mca) {
			mpich_truth_fit(job.ranks[i].truth, false);
			truth_without_probes(job.ranks[i].truth);
		}
		check_rank(&job.ranks[i]);
	}
	job_end(&job);
}
END_TEST

static void set_up(void)
{
	struct host_error err = { 0 };
	char path[512];

	snprintf(path, sizeof path, "%s/libmpidbg.so", getenv("MPIDBG_BUILD"));
	ck_assert_msg(host_plugin_load(path, &plugin, &err) == HOST_OK, "%s", err.text);
}

static void tear_down(void)
{
	host_plugin_unload(&plugin);
}

int main(void)
{
	job_require();
	Suite *s = suite_create("mqs_queues");
	TCase *tc = tcase_create("queues");

	tcase_set_timeout(tc, TIMEOUT_S);
	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_loop_test(tc, test_queues, 0, sizeof cases / sizeof cases[0]);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
