/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Open MPI over pml ucx, nothing prepared: queues live, with --all and from cores, as the programs say. Of an operation
 * Open MPI leaves to UCX how many bytes it has, not how many of which datatype, unless it is persistent; and UCX does
 * not record whether a send is a ready one.
 */
#include "../support/hangs.h"
#include "../support/job.h"
#include "../support/live_main.h"
#include "../support/mpidbg_run.h"
#include "../support/truth.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROBED_S = 100 };

#define UCX "--mca pml ucx --mca opal_common_ucx_tls any --mca opal_common_ucx_devices any"

static const struct {
	const char *command;
	int n;
	const char *mca; /* more */
} cases[] = {
	{ "blocked Recv", 2, "" },
	{ "blocked Recv_any", 2, "" },
	{ "blocked Send", 2, "" },
	{ "blocked Ssend", 2, "" },
	{ "blocked Sendrecv", 2, "" },
	{ "blocked Wait", 2, "" },
	{ "blocked Waitall", 8, "" },
	{ "blocked Probe", 2, "" },
	{ "blocked Mprobe", 2, "" },
	{ "blocked Barrier", 3, "" },
	{ "blocked Bcast", 3, "" },
	{ "blocked Allreduce", 4, "" },
	{ "receives", 3, "" },
	{ "sends", 2, "" },
	{ "unexpected", 3, "" },
	{ "matched", 2, " -x UCX_TLS=tcp,self -x UCX_RNDV_THRESH=1024" },
	{ "inter", 5, "" },
	{ "comms", 4, "" },
	{ "collectives", 3, "" },
	{ "threads", 2, "" },
	{ "lifetime before", 2, "" },
	{ "lifetime after", 2, "" },
};

static const char *const op_lists[] = { "pending_sends", "pending_receives", "unexpected" };

/* Up to 4.1.1 a persistent request has UCX's datatype only,
 * and while it is inactive nobody knows how many bytes it has. */
static bool keeps_datatype(void)
{
	return system("ompi_info --parsable 2>/dev/null | grep -q '^ompi:version:full:4\\.\\(0\\..*\\|1\\.[01]\\)$'") !=
	       0;
}

static void without_datatype(json_t *op)
{
	json_object_del(op, "datatype");
	json_object_del(op, "datatype_handle");
}

/* Unavailable facts of an operation are null with a reason; they are not compared with the program's. */
static void without_unknowns(json_t *op, bool has_datatypes)
{
	const char *kind = json_string_value(json_object_get(op, "kind"));
	const char *mode = json_string_value(json_object_get(op, "mode"));

	if (json_is_true(json_object_get(op, "persistent"))) {
		if (!has_datatypes)
			without_datatype(op);
		return;
	}
	json_object_del(op, "count");
	json_object_del(op, "datatype");
	json_object_del(op, "datatype_handle");
	if (!kind || strcmp(kind, "send") != 0 || !mode || strcmp(mode, "synchronous") == 0)
		return;
	/* of a buffered send the program has another request, which is complete */
	if (strcmp(mode, "buffered") == 0)
		json_object_del(op, "request");
	else
		json_object_del(op, "mode");
}

static void without_inactive_datatypes(json_t *comm)
{
	static const char *const lists[] = { "inactive_sends", "inactive_receives" };
	json_t *op;
	size_t k;

	for (size_t l = 0; l < 2; l++)
		json_array_foreach(json_object_get(comm, lists[l]), k, op)
		{
			without_datatype(op);
			json_object_del(op, "bytes");
		}
}

static void fit(json_t *truth, bool tracked)
{
	json_t *comm, *op, *comms = json_object_get(truth, "communicators");
	bool has_datatypes = tracked || keeps_datatype();
	size_t i, k;

	if (comms)
		json_object_set_new(json_object_get(truth, "mpi"), "component", json_string("ucx"));
	if (!tracked)
		truth_probes_live(truth);
	/* a pending receive does not keep a communicator alive that the program has freed */
	for (i = json_array_size(comms); i > 0; i--) {
		const char *name = json_string_value(json_object_get(json_array_get(comms, i - 1), "name"));

		if (name && strcmp(name, "freed with a receive") == 0)
			truth_orphan(truth, i - 1);
	}
	json_array_foreach(comms, i, comm)
	{
		for (size_t l = 0; !tracked && l < sizeof op_lists / sizeof op_lists[0]; l++)
			json_array_foreach(json_object_get(comm, op_lists[l]), k, op)
				without_unknowns(op, has_datatypes);
		if (!has_datatypes)
			without_inactive_datatypes(comm);
	}
}

START_TEST(test_truth)
{
	struct job job;
	char mca[256];

	snprintf(mca, sizeof mca, UCX "%s", cases[_i].mca);
	job_start(cases[_i].command, mca, cases[_i].n, 0, &job);
	for (size_t i = 0; i < job.n_ranks; i++)
		fit(job.ranks[i].truth, false);
	truth_check_job(&job);
	job_end(&job);
}
END_TEST

static const struct {
	const char *command;
	int n;
} tracked[] = { { "blocked Recv", 2 }, { "blocked Send", 2 }, { "receives", 3 }, { "unexpected", 3 }, { "inter", 5 } };

/* With the in-target library, too: count, datatype and mode are its word, the rest is UCX's. */
START_TEST(test_tracked)
{
	char starter[512];
	struct job job;

	snprintf(starter, sizeof starter, "%s/mpi2dd-run", getenv("MPIDBG_BUILD"));
	job_starter = starter;
	job_start(tracked[_i].command, UCX, tracked[_i].n, 0, &job);
	for (size_t i = 0; i < job.n_ranks; i++)
		fit(job.ranks[i].truth, true);
	truth_check_live(&job);
	job_end(&job);
}
END_TEST

/* A word of the worker that is not as UCX has it: the reason, and nothing is shown. Offsets of Open MPI
 * 4.1, UCX 1.13. */
static const struct {
	const char *what; /* for GDB */
	const char *why;
} damage[] = {
	{ "*(long *)((char *)&ompi_pml_ucx + 192) = 0x1230", "worker" },
	{ "*(long *)((char *)&ompi_pml_ucx + 192) += 64", "worker" },
	/* the hash of receives, and the list of messages */
	{ "*(long *)(*(long *)((char *)&ompi_pml_ucx + 192) + 904) = 0x1230", "worker" },
	{ "*(long *)(*(long *)((char *)&ompi_pml_ucx + 192) + 928) = 0x1230", "worker" },
};

START_TEST(test_damaged)
{
	char command[512], pid[16];
	struct mpidbg_run run;
	struct job job;
	json_t *comm;
	size_t i;

	job_start("blocked Recv", UCX, 2, 0, &job);
	snprintf(pid, sizeof pid, "%d", (int)job.ranks[1].pid);
	snprintf(command, sizeof command, "gdb -nx -q -batch -p %s -ex 'set var %s' >/dev/null 2>&1", pid,
		 damage[_i].what);
	ck_assert_int_eq(system(command), 0);
	mpidbg_run(&run, "queues", "-p", pid, "--json", NULL);
	json_t *json = mpidbg_run_json(&run);
	json_t *comms = json_object_get(json_array_get(json_object_get(json, "processes"), 0), "communicators");
	ck_assert_uint_eq(json_array_size(comms), 3);
	json_array_foreach(comms, i, comm)
	{
		for (size_t l = 0; l < sizeof op_lists / sizeof op_lists[0]; l++) {
			char key[64];

			snprintf(key, sizeof key, "%s_why", op_lists[l]);
			const char *why = json_string_value(json_object_get(comm, key));
			ck_assert_msg(json_is_null(json_object_get(comm, op_lists[l])), "%s is not null", op_lists[l]);
			ck_assert_msg(why && strstr(why, "UCX") && strstr(why, damage[_i].why), "%s: %s", key,
				      why ? why : "missing");
		}
	}
	json_decref(json);
	mpidbg_run_free(&run);
	job_end(&job);
}
END_TEST

/* MPI_Probe leaves no trace in UCX: that no message comes is known because the calls do not return. */
START_TEST(test_probe)
{
	struct mpidbg_run run;
	struct job job;
	char pid[16];

	if (!hang_can_count())
		return;
	job_start("hangs probe_any", UCX " --mca osc ^ucx", 3, 0, &job);
	snprintf(pid, sizeof pid, "%d", (int)job.launcher);
	double until = job_now() + PROBED_S;
	for (bool found = false; !found;) { /* a rank announces its state before it is in it */
		mpidbg_run(&run, "deadlock", "--job", pid, NULL);
		found = run.exit_code == 4 && strncmp(run.out, "deadlock: ranks [0-2] wait for each other", 41) == 0;
		ck_assert_msg(found || job_now() < until, "%s%s", run.out, run.err);
		mpidbg_run_free(&run);
	}
	job_end(&job);
}
END_TEST

static bool is_ucx_1_13(void)
{
	return system("dpkg-query -W -f '${Version}' libucx0 2>/dev/null | grep -q '^1[.]13[.]'") == 0;
}

int main(void)
{
	TCase *tc = tcase_create("truth");

	tcase_add_loop_test(tc, test_truth, 0, sizeof cases / sizeof cases[0]);
	tcase_add_loop_test(tc, test_tracked, 0, sizeof tracked / sizeof tracked[0]);
	tcase_add_test(tc, test_probe);
	if (is_ucx_1_13()) /* with Open MPI 4.1: the offsets are theirs */
		tcase_add_loop_test(tc, test_damaged, 0, sizeof damage / sizeof damage[0]);
	return live_main("check_queues_pml_ucx", NULL, 0, tc);
}
