/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The message queue interface of a process with the in-target library, of either MPI: communicators, pending sends and
 * receives, and how many collective calls have been made. Under Open MPI the operations are found in the library's own
 * memory, and carry what was recorded of them beside. What is right says the program (tests/programs/facts_queues.c).
 */
#include "../../host/host.h"
#include "../support/answers.h"
#include "../support/job.h"
#include "../support/suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TIMEOUT_S = 120, MANY = 100, RANKS = 16, MAIN_BYTES = 1 << 16 };

/* ---- the program's truth ----------------------------------------------------------------------------- */

static const char *text_of(const json_t *o, const char *key)
{
	const char *text = json_string_value(json_object_get(o, key));

	return text ? text : "";
}

static long long int_of(const json_t *o, const char *key)
{
	return json_integer_value(json_object_get(o, key));
}

/* The line of a communicator: {"comm": ..., "rank": ...}. NULL: the program does not speak of it. */
static const json_t *truth_comm(const struct answers *t, const char *name)
{
	for (size_t i = 0; i < t->n; i++)
		if (json_object_get(t->truths[i], "rank") && !strcmp(text_of(t->truths[i], "comm"), name))
			return t->truths[i];
	return NULL;
}

static uint64_t address_of_main(const struct answers *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (json_object_get(t->truths[i], "main"))
			return (uint64_t)int_of(t->truths[i], "main");
	ck_abort_msg("the program does not say where main is");
	return 0;
}

static bool is_of(const json_t *truth, const char *queue, const char *comm, const mqs_pending_operation *op)
{
	const json_t *tag = json_object_get(truth, "tag");

	return !strcmp(text_of(truth, "queue"), queue) && !strcmp(text_of(truth, "comm"), comm) &&
	       (op->tag_wild ? json_is_null(tag) : json_is_integer(tag) && json_integer_value(tag) == op->desired_tag);
}

/* ---- output of the interface ------------------------------------------------------------------------------ */

static const char *line_with(const mqs_pending_operation *op, const char *text)
{
	for (int i = 0; i < 5; i++)
		if (!strncmp(op->extra_text[i], text, strlen(text)))
			return op->extra_text[i];
	return NULL;
}

static void assert_operation(const struct answers *t, const json_t *truth, const mqs_pending_operation *op)
{
	static const char called[] = "called from 0x";
	uint64_t start = address_of_main(t);
	json_t *text;
	size_t i;

	ck_assert_int_eq(op->status, mqs_st_pending);
	ck_assert_int_eq(op->desired_local_rank, int_of(truth, "peer"));
	ck_assert_int_eq(op->desired_length, int_of(truth, "bytes"));
	ck_assert_uint_eq(op->buffer, (mqs_taddr_t)int_of(truth, "buffer"));
	json_array_foreach(json_object_get(truth, "texts"), i, text) ck_assert_msg(
		line_with(op, json_string_value(text)) != NULL, "no %s in: %.64s | %.64s | %.64s | %.64s",
		json_string_value(text), op->extra_text[0], op->extra_text[1], op->extra_text[2], op->extra_text[3]);
	const char *line = line_with(op, called);
	ck_assert_msg(line != NULL, "no caller of %.64s", op->extra_text[0]);
	uint64_t caller = strtoull(line + sizeof(called) - 1, NULL, 16);
	ck_assert_msg(caller > start && caller < start + MAIN_BYTES, "%s is not in main, 0x%llx", line,
		      (unsigned long long)start);
}

/* @return how many there are, each of which the program knows */
static int operations(const struct host_session *s, const struct answers *t, const char *comm, int op_class)
{
	const char *queue = op_class == mqs_pending_sends ? "sends" : "receives";
	const struct host_plugin *p = s->plugin;
	mqs_pending_operation op;
	int rc, n = 0;

	ck_assert_int_eq(p->mqs_setup_operation_iterator(s->process, op_class), mqs_ok);
	for (; (rc = p->mqs_next_operation(s->process, &op)) == mqs_ok && n < MANY; n++) {
		size_t i = 0;

		while (i < t->n && !is_of(t->truths[i], queue, comm, &op))
			i++;
		ck_assert_msg(i < t->n, "%s of %s, tag %ld: the program does not know it", queue, comm,
			      (long)op.desired_tag);
		assert_operation(t, t->truths[i], &op);
	}
	ck_assert_int_eq(rc, mqs_end_of_list);
	return n;
}

/* Asked in the middle of everything, as padb does. */
static unsigned collectives(const struct host_session *s, const struct answers *t, const char *comm)
{
	unsigned n = 0;

	for (size_t i = 0; i < t->n; i++) {
		const json_t *truth = t->truths[i];
		int calls = -1, active = -1;

		if (!json_object_get(truth, "collective") || strcmp(text_of(truth, "comm"), comm) != 0)
			continue;
		int rc = s->plugin->mqs_get_comm_coll_state(s->process, (int)int_of(truth, "collective"), &calls,
							    &active);
		ck_assert_msg(rc == mqs_ok && calls == int_of(truth, "calls") && active == int_of(truth, "active"),
			      "class %lld of %s: code %d, %d calls, %d active", int_of(truth, "collective"), comm, rc,
			      calls, active);
		n++;
	}
	return n;
}

static void assert_group(const struct host_session *s, const json_t *truth, const mqs_communicator *comm)
{
	json_t *rank, *group = json_object_get(truth, "group");
	int ranks[RANKS];
	size_t i;

	ck_assert_int_eq(comm->local_rank, int_of(truth, "rank"));
	ck_assert_uint_eq((size_t)comm->size, json_array_size(group));
	ck_assert_int_eq(s->plugin->mqs_get_comm_group(s->process, ranks), mqs_ok);
	json_array_foreach(group, i, rank) ck_assert_int_eq(ranks[i], json_integer_value(rank));
}

/* Walk twice: the second walk finds the same, even without mqs_update_communicator_list(). */
static void walk(const struct host_session *s, const struct answers *t)
{
	const struct host_plugin *p = s->plugin;
	unsigned n_collectives = 0, n_comms = 0, n = 0;
	mqs_communicator comm;

	int rc = p->mqs_setup_communicator_iterator(s->process);
	for (; rc == mqs_ok && n < MANY; rc = p->mqs_next_communicator(s->process), n++) {
		ck_assert_int_eq(p->mqs_get_communicator(s->process, &comm), mqs_ok);
		const json_t *truth = truth_comm(t, comm.name);
		if (!truth)
			continue;
		n_comms++;
		assert_group(s, truth, &comm);
		n_collectives += collectives(s, t, comm.name);
		ck_assert_int_eq(operations(s, t, comm.name, mqs_pending_sends), int_of(truth, "sends"));
		n_collectives += collectives(s, t, comm.name);
		ck_assert_int_eq(operations(s, t, comm.name, mqs_pending_receives), int_of(truth, "receives"));
	}
	ck_assert_int_eq(rc, mqs_end_of_list);
	ck_assert_uint_eq(n_comms, 3);
	ck_assert_uint_eq(n_collectives, 2 * 5);
}

/* ---- tests ------------------------------------------------------------------------------------------------ */

START_TEST(test_queues)
{
	char path[512], *message = NULL;
	struct host_error err = { 0 };
	struct host_plugin plugin;
	struct host_target *target;
	struct host_session s;
	struct answers t;

	snprintf(path, sizeof path, "%s/libmpidbg.so", getenv("MPIDBG_BUILD"));
	answers_start(&t, (enum answers_mpi)_i,
		      _i == ANSWERS_MPICH ? "programs-mpich/facts_queues" : "programs/facts_queues", 2, NULL);
	ck_assert_uint_ge(t.n, 14);
	ck_assert_msg(host_plugin_load(path, &plugin, &err) == HOST_OK, "%s", err.text);
	ck_assert_msg(host_open_live(t.rank0, &target, &err) == HOST_OK, "%s", err.text);
	ck_assert_msg(host_session_open(&plugin, target, NULL, &s, &err) == HOST_OK, "%s", err.text);
	ck_assert_int_eq(plugin.mqs_image_has_queues(s.image, &message), mqs_ok);
	ck_assert_int_eq(plugin.mqs_process_has_queues(s.process, &message), mqs_ok);
	ck_assert_int_eq(plugin.mqs_update_communicator_list(s.process), mqs_ok);
	walk(&s, &t);
	walk(&s, &t);
	host_session_close(&s);
	host_close(target);
	host_plugin_unload(&plugin);
	answers_stop(&t);
}
END_TEST

int main(void)
{
	job_require();
	Suite *suite = suite_create("queues_tracked");
	TCase *tcase = tcase_create("mqs");

	tcase_set_timeout(tcase, TIMEOUT_S);
	tcase_add_loop_test(tcase, test_queues, 0, ANSWERS_MPIS);
	suite_add_tcase(suite, tcase);
	return suite_run(suite);
}
