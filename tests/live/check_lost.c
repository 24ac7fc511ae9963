/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages that were sent and have not arrived, by the numbers of Open MPI's ob1. Nothing is lost in a job of one
 * machine: in all programs the numbers must agree. A loss is made by counting up what a rank has sent, in its memory.
 */
#include "../support/job.h"
#include "../support/live_main.h"
#include "../support/mpidbg_run.h"
#include "../support/suite.h"

#include <check.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ASKED_S = 30 };

/* Where all have arrived nothing is on its way either; else a rank that sleeps has not looked yet. */
static const struct {
	const char *command;
	int n;
	bool all_arrived, is_mpich;
} programs[] = { { "receives", 3, true, false },
		 { "sends", 3, false, false },
		 { "unexpected", 3, true, false },
		 { "comms", 4, true, false },
		 { "inter", 5, false, false },
		 { "collectives", 3, false, false },
		 { "blocked Recv", 2, true, false },
		 { "blocked Barrier", 3, false, false },       /* rank 2 sleeps; 4.0's barrier sends to it */
		 { "flood unexpected 70000", 2, true, false }, /* numbers have 16 bits */
		 { "hangs ring_ssend", 3, true, false },
		 { "hangs allreduce_sleeps", 3, false, false },
		 { "hangs ring_recv", 3, true, true } };

static json_t *ask(const struct job *job, const char *what, const char *ranks)
{
	struct mpidbg_run run;
	char pid[32];

	snprintf(pid, sizeof(pid), "%d", (int)job->launcher);
	mpidbg_run(&run, what, "--json", "--job", pid, ranks ? "--ranks" : NULL, ranks, NULL);
	json_t *answer = mpidbg_run_json(&run);
	mpidbg_run_free(&run);
	return answer;
}

static json_t *snapshot(const struct job *job)
{
	struct mpidbg_run run;
	char pid[32];

	snprintf(pid, sizeof(pid), "%d", (int)job->launcher);
	mpidbg_run(&run, "snapshot", "--job", pid, NULL);
	json_t *answer = mpidbg_run_json(&run);
	mpidbg_run_free(&run);
	return answer;
}

static const json_t *on_their_way(const json_t *answer)
{
	const json_t *list = json_object_get(json_object_get(answer, "verdict"), "on_their_way");

	ck_assert(json_is_array(list));
	return list;
}

/* The numbers of MPI_COMM_WORLD of one rank; NULL: they are not known. */
static const json_t *flows(const json_t *snapshot, size_t rank)
{
	const json_t *process = json_array_get(json_object_get(snapshot, "processes"), rank);

	return json_object_get(json_array_get(json_object_get(process, "communicators"), 0), "flows");
}

START_TEST(test_agree)
{
	struct job job;

	if (programs[_i].is_mpich && job_omits_mpich())
		return;
	if (programs[_i].is_mpich)
		job_start_mpich(programs[_i].command, programs[_i].n, &job);
	else
		job_start(programs[_i].command, NULL, programs[_i].n, 0, &job);
	json_t *all = snapshot(&job);
	for (int r = 0; r < programs[_i].n; r++)
		ck_assert_msg(json_is_array(flows(all, (size_t)r)) == !programs[_i].is_mpich, "%s: rank %d",
			      programs[_i].command, r);
	json_decref(all);
	for (int turn = 0; turn < 3; turn++) {
		json_t *answer = ask(&job, "deadlock", NULL);
		const json_t *list = on_their_way(answer), *x;
		size_t i;
		char *said = json_dumps(list, 0);
		ck_assert_msg(!programs[_i].all_arrived || strcmp(said, "[]") == 0, "%s: %s", programs[_i].command,
			      said);
		json_array_foreach(list, i, x)
			ck_assert_msg(json_is_false(json_object_get(x, "lost")), "%s: %s", programs[_i].command, said);
		free(said);
		json_decref(answer);
	}
	job_end(&job);
}
END_TEST

/* ---- made losses ------------------------------------------------------------------------------------------ */

/* The offset of a member in the pack that the process is read with. */
static uint64_t offset_of(const json_t *process, const char *type, const char *member)
{
	const char *layout = json_string_value(json_object_get(json_object_get(process, "mpi"), "layout"));
	char version[64], path[1024], line[256], wanted[160];
	uint64_t offset = UINT64_MAX;

	const char *pack = layout ? strstr(layout, "pack openmpi ") : NULL;
	ck_assert_msg(pack && sscanf(pack, "pack openmpi %63s", version) == 1, "%s", layout ? layout : "no layout");
	snprintf(path, sizeof(path), "%s/layouts/openmpi/openmpi-%s-x86_64.layout", getenv("MPIDBG_BUILD"), version);
	snprintf(wanted, sizeof(wanted), "field %s %s ", type, member);
	FILE *f = fopen(path, "r");
	ck_assert_msg(f != NULL, "%s", path);
	while (fgets(line, sizeof(line), f))
		if (strncmp(line, wanted, strlen(wanted)) == 0)
			offset = strtoull(line + strlen(wanted), NULL, 10);
	fclose(f);
	ck_assert_msg(offset != UINT64_MAX, "%s: %s", path, wanted);
	return offset;
}

static uint64_t word_at(int fd, uint64_t addr)
{
	uint64_t word;

	ck_assert_int_eq(pread(fd, &word, sizeof(word), (off_t)addr), sizeof(word));
	return word;
}

/* Rank @p from counts @p n more messages to rank @p to of MPI_COMM_WORLD than it has sent. */
static void pretend(const struct job *job, size_t from, int to, int n)
{
	json_t *all = snapshot(job);
	const json_t *process = json_array_get(json_object_get(all, "processes"), from);
	const json_t *world = json_array_get(json_object_get(process, "communicators"), 0);
	uint64_t addr = strtoull(json_string_value(json_object_get(world, "handle")), NULL, 16);
	char path[64];
	int32_t sent;

	ck_assert_str_eq(json_string_value(json_object_get(world, "name")), "MPI_COMM_WORLD");
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)json_integer_value(json_object_get(process, "pid")));
	int fd = open(path, O_RDWR | O_CLOEXEC);
	ck_assert_msg(fd >= 0, "%s", path);
	addr = word_at(fd, addr + offset_of(process, "ompi_communicator_t", "c_pml_comm"));
	addr = word_at(fd, addr + offset_of(process, "mca_pml_comm_t", "procs"));
	addr = word_at(fd, addr + 8 * (uint64_t)to);
	ck_assert_uint_ne(addr, 0);
	addr += offset_of(process, "mca_pml_ob1_comm_proc_t", "send_sequence");
	ck_assert_int_eq(pread(fd, &sent, sizeof(sent), (off_t)addr), sizeof(sent));
	sent += n;
	ck_assert_int_eq(pwrite(fd, &sent, sizeof(sent), (off_t)addr), sizeof(sent));
	close(fd);
	json_decref(all);
}

static bool is_pair(const json_t *x, int from, int to, int n)
{
	return json_integer_value(json_object_get(x, "from")) == from &&
	       json_integer_value(json_object_get(x, "to")) == to &&
	       json_integer_value(json_object_get(x, "messages")) == n &&
	       strcmp(json_string_value(json_object_get(x, "communicator")), "MPI_COMM_WORLD") == 0;
}

/* Both wait for each other: a message that was sent and does not arrive is lost. */
START_TEST(test_lost)
{
	struct mpidbg_run run;
	struct job job;
	char pid[32];
	bool lost = false;

	/* a rank that sleeps is not polling */
	job_start("hangs recv_recv", "--mca mpi_yield_when_idle 0", 2, 0, &job);
	snprintf(pid, sizeof(pid), "%d", (int)job.launcher);
	pretend(&job, 0, 1, 3);
	for (double end = job_now() + ASKED_S; !lost && job_now() < end;) {
		json_t *answer = ask(&job, "deadlock", NULL);
		const json_t *list = on_their_way(answer);
		ck_assert_uint_eq(json_array_size(list), 1);
		ck_assert(is_pair(json_array_get(list, 0), 0, 1, 3));
		lost = json_is_true(json_object_get(json_array_get(list, 0), "lost"));
		json_decref(answer);
	}
	ck_assert(lost);
	mpidbg_run(&run, "deadlock", "--job", pid, NULL);
	ck_assert_msg(strstr(run.out, "3 messages from rank 0 to rank 1 on MPI_COMM_WORLD have not arrived (number "),
		      "%s", run.out);
	mpidbg_run_free(&run);
	/* of one rank alone nothing is said */
	json_t *half = ask(&job, "deadlock", "0");
	ck_assert_uint_eq(json_array_size(on_their_way(half)), 0);
	json_decref(half);
	/* nor is a core a second moment */
	job_cores(&job);
	mpidbg_run(&run, "deadlock", "--json", "--cores", job.dir, NULL);
	json_t *cores = mpidbg_run_json(&run);
	ck_assert(is_pair(json_array_get(on_their_way(cores), 0), 0, 1, 3));
	ck_assert(json_is_false(json_object_get(json_array_get(on_their_way(cores), 0), "lost")));
	json_decref(cores);
	mpidbg_run_free(&run);
	job_end(&job);
}
END_TEST

/* Rank 2 sleeps and has not polled yet: the messages from rank 1, the real and the faked ones, are in transit. */
START_TEST(test_not_polling)
{
	struct mpidbg_run run;
	struct job job;
	char pid[32];
	bool there = false;

	job_start("hangs allreduce_sleeps", NULL, 3, 0, &job);
	snprintf(pid, sizeof(pid), "%d", (int)job.launcher);
	for (double end = job_now() + ASKED_S; !there && job_now() < end;) {
		json_t *answer = ask(&job, "deadlock", NULL);
		there = json_array_size(on_their_way(answer)) == 1;
		json_decref(answer);
	}
	ck_assert(there);
	pretend(&job, 1, 2, 1);
	for (int turn = 0; turn < 3; turn++) {
		json_t *answer = ask(&job, "deadlock", NULL);
		const json_t *list = on_their_way(answer);
		ck_assert_uint_eq(json_array_size(list), 1);
		ck_assert(is_pair(json_array_get(list, 0), 1, 2, 2));
		ck_assert(json_is_false(json_object_get(json_array_get(list, 0), "lost")));
		json_decref(answer);
	}
	mpidbg_run(&run, "deadlock", "--job", pid, NULL);
	ck_assert_msg(strstr(run.out, "missing rank: look at rank 2") && !strstr(run.out, "not arrived"), "%s",
		      run.out);
	mpidbg_run_free(&run);
	job_end(&job);
}
END_TEST

int main(void)
{
	job_require();
	Suite *s = suite_create("lost");
	TCase *tc = tcase_create("lost");

	tcase_set_timeout(tc, LIVE_TIMEOUT_S);
	tcase_add_loop_test(tc, test_agree, 0, sizeof(programs) / sizeof(programs[0]));
	tcase_add_test(tc, test_lost);
	tcase_add_test(tc, test_not_polling);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
