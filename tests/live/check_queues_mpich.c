/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPICH, nothing prepared: communicators, their members and queues, live, with --all and from cores, as the programs
 * say. Of an operation MPICH leaves to UCX how many bytes it has, not how many of which datatype; and UCX does not
 * record the mode of a send.
 */
#include "../support/job.h"
#include "../support/live_main.h"
#include "../support/truth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *command;
	int n;
} cases[] = {
	{ "blocked Recv", 2 },    { "blocked Recv_any", 2 }, { "blocked Ssend", 2 },
	{ "blocked Barrier", 3 }, { "blocked Waitall", 2 },  { "receives", 3 },
	{ "sends", 2 },           { "unexpected", 3 },       { "inter", 5 },
	{ "comms", 4 },
};

static const char *const op_lists[] = { "pending_sends", "pending_receives", "unexpected" };

/* What cannot be told of an operation is null with a reason: not compared with what the program knows. */
static void without_unknowns(json_t *op)
{
	json_object_del(op, "count");
	json_object_del(op, "datatype");
	json_object_del(op, "datatype_handle");
	const char *mode = json_string_value(json_object_get(op, "mode"));
	if (json_string_value(json_object_get(op, "kind"))[0] != 's' || (mode && !strcmp(mode, "synchronous")))
		return;
	/* of a buffered send MPICH gives the program another request, which is complete */
	if (mode && !strcmp(mode, "buffered"))
		json_object_del(op, "request");
	json_object_del(op, "mode");
	json_object_del(op, "function");
}

/* A process that is alone in a communicator: from anybody is from itself, and MPICH keeps no difference. */
static void from_itself(json_t *receives)
{
	json_t *op;
	size_t i;

	json_array_foreach(receives, i, op)
	{
		json_object_del(op, "peer");
		json_object_del(op, "peer_why");
		json_object_del(op, "peer_world");
	}
}

/* Since 4.1 a pending receive keeps MPICH's communicator alive when the program has freed it. */
static bool keeps_freed(void)
{
	static int major, minor;
	FILE *f = major ? NULL : popen("mpichversion --version", "r");

	if (f) {
		ck_assert_int_eq(fscanf(f, "MPICH Version: %d.%d", &major, &minor), 2);
		pclose(f);
	}
	return major > 4 || minor > 0;
}

static void fit(json_t *truth)
{
	json_t *comm, *op, *comms = json_object_get(truth, "communicators");
	size_t i, k;

	json_object_del(json_object_get(truth, "mpi"), "thread_multiple");
	for (i = json_array_size(comms); i > 0; i--) {
		const char *name = json_string_value(json_object_get(json_array_get(comms, i - 1), "name"));

		if (name && !strcmp(name, "freed with a receive") && !keeps_freed())
			json_array_remove(comms, i - 1);
	}
	json_array_foreach(comms, i, comm)
	{
		/* topologies are not read */
		json_object_del(comm, "topology");
		/* to itself MPICH sends nothing before the receive is there, whatever the size */
		if (json_integer_value(json_object_get(comm, "size")) == 1) {
			json_object_del(comm, "pending_sends");
			from_itself(json_object_get(comm, "pending_receives"));
		}
		/* persistent requests that are not active are not shown */
		json_object_del(comm, "inactive_sends");
		json_object_del(comm, "inactive_receives");
		for (size_t l = 0; l < sizeof op_lists / sizeof op_lists[0]; l++)
			json_array_foreach(json_object_get(comm, op_lists[l]), k, op) without_unknowns(op);
	}
}

START_TEST(test_truth)
{
	struct job job;

	job_start_mpich(cases[_i].command, cases[_i].n, &job);
	for (size_t i = 0; i < job.n_ranks; i++)
		fit(job.ranks[i].truth);
	truth_check_job(&job);
	job_end(&job);
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("truth");

	tcase_add_loop_test(tc, test_truth, 0, sizeof cases / sizeof cases[0]);
	return live_main("check_queues_mpich", NULL, 0, tc);
}
