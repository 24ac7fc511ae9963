/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpidbg deadlock on input that is not as it should be: each defect is said in a line, and the rest is judged. The
 * snapshots are made up (tests/support/snapshots.h): a ring of receives, a cycle of all.
 */
#include "../../access/quote.h"
#include "../support/mpidbg_run.h"
#include "../support/scratch.h"
#include "../support/snapshots.h"
#include "../support/suite.h"

#include <check.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 4 };

static char whole[SCRATCH_MAX], part[SCRATCH_MAX];
static struct mpidbg_run run;

static json_t *ring(void)
{
	snapshots_write(whole, SNAPSHOTS_RING, &(struct snapshots_at){ .n = N, .time = 1763712000 });
	return snapshots_load(whole);
}

static void keep(json_t *snapshot, const char *path)
{
	ck_assert_int_eq(json_dump_file(snapshot, path, 0), 0);
	json_decref(snapshot);
}

/* Leave the ranks from first to last of the snapshot. */
static json_t *ranks(int first, int last)
{
	json_t *ret = ring(), *list = json_object_get(ret, "processes");

	for (size_t i = json_array_size(list); i-- > 0;)
		if ((int)i < first || (int)i > last)
			json_array_remove(list, i);
	return ret;
}

static void ask(void)
{
	mpidbg_run_free(&run);
	mpidbg_run(&run, "deadlock", "--snapshot", whole, part, NULL);
}

/* One line, and no other. */
static void said(const char *line)
{
	const char *end = strchr(run.err, '\n');

	ck_assert_msg(strstr(run.err, line) && end && !end[1], "%s%s", run.out, run.err);
}

static void setup(void)
{
	memset(&run, 0, sizeof(run));
	fclose(fdopen(scratch_file(whole, "whole"), "w"));
	fclose(fdopen(scratch_file(part, "part"), "w"));
}

static void teardown(void)
{
	mpidbg_run_free(&run);
	remove(whole);
	remove(part);
}

/* 61 of 1,024 ranks are missing: one sleeps, the others compute in many lines of two functions, which take
 * a line each. */
START_TEST(test_many_missing)
{
	snapshots_write(whole, SNAPSHOTS_COMPUTING, &(struct snapshots_at){ .n = 1024 });
	mpidbg_run_free(&run);
	mpidbg_run(&run, "deadlock", "--snapshot", whole, NULL);
	ck_assert_msg(strstr(run.out,
			     "963 of 1024 ranks wait in MPI_Allreduce on MPI_COMM_WORLD; 61 ranks [0,17,34,51,...] "
			     "are not in it.\n"),
		      "%s", run.out);
	const char *odd = strstr(run.out, "  rank 272 "), *eos = strstr(run.out, " at eos.c:200-222 in eos\n");
	const char *flux = strstr(run.out, " at physics.c:200-222 in flux\n");
	ck_assert_msg(odd && eos && flux && odd < eos && eos < flux, "%s", run.out);
	ck_assert_msg(strstr(run.out, "look at rank 272, mesh.c:71; 60 other ranks are missing, too\n"), "%s", run.out);
}
END_TEST

START_TEST(test_parts)
{
	json_t *second = ranks(2, 3);
	keep(ranks(0, 1), whole);
	keep(second, part);
	ask();
	ck_assert_str_eq(run.err, "");
	ck_assert_int_eq(run.exit_code, 4);
	ck_assert_msg(strstr(run.out, "4 of 4 ranks wait for something that can never happen."), "%s", run.out);
}
END_TEST

/* A message from rank 0 to rank 1 and one from rank 1 to rank 2 have not arrived. */
static void set_flows(json_t *snapshot)
{
	static const int numbers[][6] = { { 1, 3, 1 }, { 0, 0, 3, 2, 7, 1 }, { 1, 0, 7 } };
	json_t *process;
	size_t i;

	json_array_foreach(json_object_get(snapshot, "processes"), i, process)
	{
		json_int_t rank = json_integer_value(json_object_get(process, "rank"));
		json_t *comm = json_array_get(json_object_get(process, "communicators"), 0), *flows = json_array();
		for (int k = 0; rank < 3 && k < (rank == 1 ? 6 : 3); k++)
			json_array_append_new(flows, json_integer(numbers[rank][k]));
		json_object_set_new(comm, "flows", flows);
		if (!json_object_get(comm, "unexpected"))
			json_object_set_new(comm, "unexpected", json_array());
	}
}

/* From rank 0 to 1 only: both are of one part, also if merged snapshots are merged again. */
static void has_one_on_its_way(void)
{
	json_t *answer = mpidbg_run_json(&run),
	       *list = json_object_get(json_object_get(answer, "verdict"), "on_their_way");

	ck_assert_msg(json_array_size(list) == 1, "%s", run.out);
	ck_assert_int_eq(json_integer_value(json_object_get(json_array_get(list, 0), "from")), 0);
	ck_assert_int_eq(json_integer_value(json_object_get(json_array_get(list, 0), "to")), 1);
	json_decref(answer);
}

START_TEST(test_on_their_way)
{
	char merged[SCRATCH_MAX];

	fclose(fdopen(scratch_file(merged, "merged"), "w"));
	json_t *last = ranks(3, 3), *second = ranks(2, 2), *first = ranks(0, 1);
	set_flows(first);
	set_flows(second);
	json_object_set_new(second, "time", json_integer(1763712002));
	keep(first, whole);
	keep(second, part);
	mpidbg_run(&run, "deadlock", "--json", "--snapshot", whole, part, NULL);
	has_one_on_its_way();
	mpidbg_run_free(&run);
	mpidbg_run(&run, "snapshot", "--snapshot", whole, part, NULL);
	keep(mpidbg_run_json(&run), merged);
	keep(last, part);
	mpidbg_run_free(&run);
	mpidbg_run(&run, "deadlock", "--json", "--snapshot", part, merged, NULL);
	has_one_on_its_way();
	ck_assert_msg(strstr(run.out, "merged from 3 snapshots, taken within 3 s: messages in flight between them "
				      "are unknown"),
		      "%s", run.out);
	remove(merged);
}
END_TEST

START_TEST(test_damaged_json)
{
	FILE *f = fopen(part, "w");

	keep(ring(), whole);
	fputs("{\"schema\": \"mpidbg-snapshot/2\", \"processes\": [{\"rank\": 0, ", f);
	fclose(f);
	ask();
	said(": no JSON: ");
	ck_assert_int_eq(run.exit_code, 4);
	mpidbg_run_free(&run);
	mpidbg_run(&run, "deadlock", "--snapshot", part, NULL);
	said(": no JSON: ");
	ck_assert_int_eq(run.exit_code, 3);
	ck_assert_str_eq(run.out, "");
}
END_TEST

/* Ask about a file as it is, whose processes are read one by one,
 * and through a pipe, from which the file is read as a whole. */
static void ask_both(struct mpidbg_run *file, struct mpidbg_run *piped)
{
	char pipe[SCRATCH_MAX + 8];

	mpidbg_run(file, "deadlock", "--json", "--snapshot", whole, NULL);
	snprintf(pipe, sizeof(pipe), "%s.fifo", whole);
	ck_assert_int_eq(mkfifo(pipe, 0600), 0);
	pid_t child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0) {
		char bytes[4096];
		FILE *from = fopen(whole, "r"), *to = fopen(pipe, "w");
		for (size_t n; from && to && (n = fread(bytes, 1, sizeof(bytes), from)) > 0;)
			fwrite(bytes, 1, n, to);
		_exit(!from || !to || fclose(to));
	}
	mpidbg_run(piped, "deadlock", "--json", "--snapshot", pipe, NULL);
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
	remove(pipe);
}

static void write_whole(const char *before, const char *processes, const char *after)
{
	FILE *f = fopen(whole, "w");

	ck_assert_ptr_nonnull(f);
	fprintf(f, "{%s\"processes\":%s%s}\n", before, processes, after);
	fclose(f);
}

/* Two processes that wait for each other, as a list. @param odd members of the first one, with a comma */
static char *pair(const char *odd)
{
	static char text[4096];
	size_t n = 0;

	text[n++] = '[';
	for (int i = 0; i < 2; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n,
				      "%s\n{%s\"rank\" : %d, \"pid\":%d,\t\"world_number\": 0, \"mpi\": {\"state\": "
				      "\"initialized\"}, \"calls\": "
				      "[{\"thread\": 1, \"function\": \"MPI_Recv\", \"backtrace\": [\"MPI_Recv\", "
				      "\"f\\\"]}{[ at a.c:7\"]}], "
				      "\"communicators\": [{\"name\": \"MPI_COMM_WORLD\", \"size\": 2, \"context\": 0, "
				      "\"members\": [0, 1], "
				      "\"flows\": [], \"pending_sends\": [], \"unexpected\": [], \"pending_receives\": "
				      "[{\"kind\": \"receive\", \"status\": "
				      "\"pending\", \"peer\": %d, \"tag\": 5, \"thread\": 1}]}]}",
				      i ? " ,\r\n " : " ", i ? "" : odd, i, 100 + i, 1 - i);
	snprintf(text + n, sizeof(text) - n, "\n ] ");
	return text;
}

#define SCHEMA "\"schema\": \"mpidbg-snapshot/2\""

/* Whichever way a file is read, what it says is the same: white space, brackets in strings, members in any order. */
START_TEST(test_one_by_one)
{
	static const struct {
		const char *before, *odd, *after;
		int exit_code;
	} cases[] = {
		{ SCHEMA ", ", "", "", 4 },
		{ "", "", ", \"job\": {\"launcher\": 7}, " SCHEMA, 4 },
		{ SCHEMA ", \"x\": [[{}, \"]\"], {\"processes\": 1}, -1.5e3, true, null], ", "\"\": {}, ", "", 4 },
		{ SCHEMA ", ", "\"a \\\\\": \"\\\\\", \"b\": \"\\u00e9\\\"\", ", "", 4 },
		{ SCHEMA ", ", "\"extent\": 1, ", "", 4 },
		{ SCHEMA ", ", "\"r\\u0061nk\": 7, ", "", 4 }, /* replaced by the later member */
		{ SCHEMA ", ", "\"rank\": 7, ", "", 4 },
		{ SCHEMA ", ", "\"identity\": 7, ", "", 4 },
		{ SCHEMA ", \"processes\": [], ", "", "", 4 },
		{ SCHEMA ", ", "\"state\": \"gone\", ", "", 4 },
		/* no JSON */
		{ SCHEMA ", ", "\"a\": tru, ", "", 3 },
		{ SCHEMA ", ", "\"a\": [1, 2}, ", "", 3 },
		{ SCHEMA ", ", "\"a\": \"\x80\", ", "", 3 },
		{ SCHEMA ", ", "\"a\" 1, ", "", 3 },
		{ SCHEMA ", ", "\"a\": , ", "", 3 },
		{ SCHEMA ", ", "", ", \"end\"", 3 },
		/* something else follows: what came before it counts */
		{ SCHEMA ", ", "", "}", 4 },
		/* no snapshot */
		{ "\"schema\": \"mpidbg/1\", ", "", "", 3 },
		{ SCHEMA ", ", "", ", \"processes\": 5", 3 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct mpidbg_run file, piped;
		char *name;
		write_whole(cases[i].before, pair(cases[i].odd), cases[i].after);
		ask_both(&file, &piped);
		while ((name = strstr(piped.err, ".fifo")) || (name = strstr(piped.out, ".fifo")))
			memmove(name, name + 5, strlen(name + 5) + 1);
		ck_assert_msg(file.exit_code == cases[i].exit_code, "case %zu: %d: %s%s", i, file.exit_code, file.out,
			      file.err);
		ck_assert_int_eq(piped.exit_code, cases[i].exit_code);
		ck_assert_msg(strcmp(file.out, piped.out) == 0, "case %zu: %s%s", i, file.out, piped.out);
		ck_assert_msg(strcmp(file.err, piped.err) == 0, "case %zu: %s%s", i, file.err, piped.err);
		ck_assert_int_eq(strstr(file.err, ": no JSON: ") != NULL, i >= 10 && i <= 16);
		mpidbg_run_free(&file);
		mpidbg_run_free(&piped);
	}
}
END_TEST

/* The error is in the line where it is in the file, also beyond what is read at a time. */
START_TEST(test_damaged_process)
{
	enum { MANY = 2000 };

	snapshots_write(whole, SNAPSHOTS_RING, &(struct snapshots_at){ .n = MANY, .time = 1763712000 });
	FILE *f = fopen(whole, "r+");
	ck_assert_ptr_nonnull(f);
	fseek(f, 0, SEEK_END);
	long size = ftell(f), at = size / 4 * 3;
	char *text = malloc((size_t)size + 1);
	rewind(f);
	ck_assert_uint_eq(fread(text, 1, (size_t)size, f), (size_t)size);
	text[size] = '\0';
	char *wrong = strstr(text + at, "\"rank\":");
	ck_assert_ptr_nonnull(wrong);
	wrong[6] = '='; /* the colon */
	rewind(f);
	fwrite(text, 1, (size_t)size, f);
	fclose(f);
	free(text);
	struct mpidbg_run file, piped;
	ask_both(&file, &piped);
	ck_assert_int_eq(file.exit_code, 3);
	ck_assert_ptr_nonnull(strstr(file.err, ": no JSON: "));
	ck_assert_str_eq(strstr(file.err, ": no JSON: "), strstr(piped.err, ": no JSON: "));
	mpidbg_run_free(&file);
	mpidbg_run_free(&piped);
}
END_TEST

/* Files of the ranks of a job that take turns: each process comes from its own. */
START_TEST(test_taking_turns)
{
	for (int odd = 1; odd >= 0; odd--) {
		json_t *snapshot = ring(), *list = json_object_get(snapshot, "processes");
		for (size_t i = json_array_size(list); i-- > 0;)
			if ((int)(i % 2) != odd)
				json_array_remove(list, i);
		keep(snapshot, odd ? part : whole);
	}
	ask();
	ck_assert_str_eq(run.err, "");
	ck_assert_int_eq(run.exit_code, 4);
	ck_assert_msg(strstr(run.out, "4 of 4 ranks wait for something that can never happen."), "%s", run.out);
}
END_TEST

/* The answer is the first line, in red if nothing moves; the evidence follows, and then the lists. */
START_TEST(test_answer_first)
{
	mpidbg_run(&run, "deadlock", "--color=always", "--snapshot", "tests/snapshots/ring_tag.json", NULL);
	ck_assert_msg(
		strncmp(run.out, "\033[1;33mpossible mismatch: as of this moment rank 0 waits for a message", 60) == 0,
		"%s", run.out);
	ck_assert_msg(strstr(run.out,
			     "ring_hang.c:61\033[0m\n4 of 4 ranks wait.\nseen at one moment: messages in flight are "
			     "unknown\n\n  \033[1;31mranks [0-3]\033[0m  MPI_Recv from rank-1"),
		      "%s", run.out);
	mpidbg_run_free(&run);
	mpidbg_run(&run, "deadlock", "--snapshot", "tests/snapshots/ring_tag.json", NULL);
	ck_assert_msg(strncmp(run.out, "possible mismatch: ", 19) == 0 && !strchr(run.out, '\033'), "%s", run.out);
}
END_TEST

START_TEST(test_missing_part)
{
	keep(ranks(0, 2), part);
	keep(ranks(0, 2), whole);
	mpidbg_run(&run, "deadlock", "--snapshot", part, NULL);
	ck_assert_int_eq(run.exit_code, 3);
	ck_assert_msg(strstr(run.out, "1 rank of MPI_COMM_WORLD is not here: it counts as able to go on"), "%s",
		      run.out);
	ck_assert_msg(strncmp(run.out, "no deadlock", 11) == 0, "%s", run.out);
}
END_TEST

/* What two ranks show that were read is said, although a third one may still help: nothing is certain. */
START_TEST(test_mismatch_of_a_part)
{
	json_t *snapshot = json_load_file("tests/snapshots/ring_tag.json", 0, NULL);

	json_array_remove(json_object_get(snapshot, "processes"), 3);
	keep(snapshot, whole);
	mpidbg_run(&run, "deadlock", "--snapshot", whole, NULL);
	ck_assert_msg(run.exit_code == 3, "exit code %d\n%s%s", run.exit_code, run.out, run.err);
	ck_assert_msg(strstr(run.out,
			     "possible mismatch: as of this moment rank 1 waits for a message from rank 0, tag 8 on "
			     "MPI_COMM_WORLD; rank 0 has sent one with tag 7 on MPI_COMM_WORLD: the tag differs"),
		      "%s", run.out);
	ck_assert_ptr_nonnull(strstr(run.out, "1 rank of MPI_COMM_WORLD is not here: it counts as able to go on"));
}
END_TEST

START_TEST(test_nothing_read)
{
	json_t *snapshot = ring(), *process;
	size_t i;

	json_array_foreach(json_object_get(snapshot, "processes"), i, process)
	{
		json_object_del(process, "mpi");
		json_object_del(process, "calls");
	}
	keep(snapshot, whole);
	mpidbg_run(&run, "deadlock", "--snapshot", whole, NULL);
	ck_assert_msg(run.exit_code == 3, "exit code %d\n%s%s", run.exit_code, run.out, run.err);
	static const char said[] = "no deadlock is known: ranks [0-3] could not be read\nNo rank could be read.\n";
	ck_assert_msg(!strncmp(run.out, said, strlen(said)), "%s", run.out);
}
END_TEST

/* The same ranks in two files. */
START_TEST(test_twice)
{
	json_t *second = ranks(1, 1);
	keep(ring(), whole);
	keep(second, part);
	ask();
	said(": rank 1 is in an earlier file, too: that one counts");
	ck_assert_int_eq(run.exit_code, 4);
}
END_TEST

/* Two processes of one file have a rank: it is not known which is meant, and nothing is concluded from either. */
START_TEST(test_two_of_one_rank)
{
	json_t *snapshot = ring(), *list = json_object_get(snapshot, "processes");
	json_t *other = json_deep_copy(json_array_get(list, 2));

	json_object_set_new(other, "pid", json_integer(4711));
	json_array_insert_new(list, 0, other);
	keep(snapshot, whole);
	mpidbg_run(&run, "deadlock", "--snapshot", whole, NULL);
	said(": another process has rank 2 as well: both are omitted");
	ck_assert_msg(strstr(run.out, "not read: rank 2: it counts as able to go on"), "%s", run.out);
	ck_assert_int_ne(run.exit_code, 4);
}
END_TEST

START_TEST(test_rank_not_known)
{
	json_t *snapshot = ring(), *process = json_array_get(json_object_get(snapshot, "processes"), 3);

	json_object_set_new(process, "rank", json_null());
	json_object_set_new(process, "pid", json_integer(4711));
	keep(snapshot, whole);
	mpidbg_run(&run, "deadlock", "--snapshot", whole, NULL);
	said("process 4711: its rank is unknown: it is omitted");
	ck_assert_int_ne(run.exit_code, 4);
}
END_TEST

/* Ranges of millions of ranks are a few characters: the memory that a file needs grows with the file. */
START_TEST(test_huge_ranges)
{
	enum { COMMS = 100, KIB_MAX = 200 << 10 };
	static const char *const commands[] = { "deadlock", "report", "diff" };
	json_t *snapshot = ring(), *process;
	struct rusage used;
	size_t i;

	json_array_foreach(json_object_get(snapshot, "processes"), i, process)
	{
		json_t *comms = json_object_get(process, "communicators");

		for (int k = 0; k < COMMS; k++) {
			json_t *c = json_deep_copy(json_array_get(comms, 0));

			json_object_set_new(c, "context", json_integer(1000 + k));
			json_object_set_new(c, "members", json_pack("[o]", json_sprintf("0-%d", 4000000 + k)));
			json_array_append_new(comms, c);
		}
	}
	keep(snapshot, part);
	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		mpidbg_run_free(&run);
		if (i < 2)
			mpidbg_run(&run, commands[i], "--snapshot", part, NULL);
		else
			mpidbg_run(&run, commands[i], part, part, NULL);
		ck_assert_msg(strstr(run.err, "lists name more members than the snapshot or the communicator can have"),
			      "%s: %s", commands[i], run.err);
		ck_assert_int_eq(run.exit_code, 3);
		ck_assert_int_eq(getrusage(RUSAGE_CHILDREN, &used), 0);
		ck_assert_msg(used.ru_maxrss < KIB_MAX, "%s: %ld KiB", commands[i], used.ru_maxrss);
	}
}
END_TEST

/* One such list, in a rank's MPI_COMM_WORLD, is said as well, and a list that has lost a member. */
START_TEST(test_other_size)
{
	static const char *const lists[] = { "0-4000000", "0-2" };
	json_t *snapshot = ring(), *comms;

	comms = json_object_get(json_array_get(json_object_get(snapshot, "processes"), 1), "communicators");
	json_object_set_new(json_array_get(comms, 0), "members", json_pack("[s]", lists[_i]));
	keep(snapshot, part);
	mpidbg_run_free(&run);
	mpidbg_run(&run, "deadlock", "--snapshot", part, NULL);
	ck_assert_msg(strstr(run.err, "1 lists name more members"), "%s", run.err);
	ck_assert_int_eq(run.exit_code, 3);
}
END_TEST

/* A change that leaves valid JSON: of the head, of a process's queue, of a rank, of the end. The sum at
 * the end tells. */
START_TEST(test_changed)
{
	static const char *const from[] = { "", "\"size\":4", "\"pending_receives\"", "\"rank\":2",
					    "\"problems\":[]}" };
	static const char *const to[] = { "", "\"size\":3", "\"pending_recei_es\"", "\"rank\":7", "\"probl_ms\":[]}" };
	char *at;

	json_decref(ring());
	for (int fold = 0; fold < 2; fold++) {
		mpidbg_run_free(&run);
		mpidbg_run(&run, "snapshot", "--snapshot", whole, fold ? "--fold" : NULL, NULL);
		ck_assert_int_eq(run.exit_code, 0);
		ck_assert_msg(strstr(run.out, ",\"sum\":\""), "%s", run.out);
		at = strstr(run.out, from[_i]);
		ck_assert_ptr_nonnull(at);
		memcpy(at, to[_i], strlen(to[_i]));
		FILE *f = fopen(part, "we");
		ck_assert_ptr_nonnull(f);
		ck_assert_int_ge(fputs(run.out, f), 0);
		ck_assert_int_eq(fclose(f), 0);
		mpidbg_run_free(&run);
		mpidbg_run(&run, "deadlock", "--snapshot", part, NULL);
		ck_assert_msg(!strstr(run.err, "is damaged or was edited") == !_i, "%s", run.err);
		ck_assert_msg(_i ? run.exit_code == 3 : run.exit_code == 4, "exit %d: %s", run.exit_code, run.err);
	}
}
END_TEST

/* Characters of a file that control a terminal or the direction
 * of text are escaped wherever they are written, and survive. */
START_TEST(test_raw_characters)
{
	static const char odd[] = "a\xc2\x9b"
				  "31m\xe2\x80\xae"
				  "b\x7f\x1b\xf3\xa0\x81\x81\xc3\xbc";
	static const char escaped[] = "a\\u009b"
				      "31m\\u202e"
				      "b\\u007f\\u001B\\udb40\\udc41\xc3\xbc";
	static const struct {
		const char *words[5];
		bool is_json;
	} rows[] = { { { "snapshot", "--snapshot", whole }, true },
		     { { "deadlock", "--json", "--snapshot", whole }, true },
		     { { "deadlock", "--snapshot", whole }, false },
		     { { "diff", "--json", whole, part }, true },
		     { { "diff", whole, part }, false },
		     { { "report", "--snapshot", whole }, false },
		     { { "queues", "--json", "--snapshot", whole }, true },
		     { { "queues", "--snapshot", whole }, false },
		     { { "procs", "--json", "--snapshot", whole }, false },
		     { { "procs", "--snapshot", whole }, false },
		     { { "calls", "--snapshot", whole }, false },
		     { { "stacks", "--json", "--snapshot", whole }, false },
		     { { "stacks", "--snapshot", whole }, false } };
	json_t *snapshot = ring(), *process;
	size_t i;

	json_array_foreach(json_object_get(snapshot, "processes"), i, process)
	{
		json_t *call = json_array_get(json_object_get(process, "calls"), 0);

		json_object_set_new(process, "executable", json_string(odd));
		json_object_set_new(json_array_get(json_object_get(process, "communicators"), 0), "name",
				    json_string(odd));
		json_object_set_new(call, "communicator", json_string(odd));
		json_array_insert_new(json_object_get(call, "backtrace"), 0, json_string(odd));
	}
	keep(json_incref(snapshot), whole);
	json_object_set_new(
		json_array_get(json_object_get(json_array_get(json_object_get(snapshot, "processes"), 1), "calls"), 0),
		"function", json_string(odd));
	keep(snapshot, part);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *const *w = rows[i].words;

		mpidbg_run_free(&run);
		mpidbg_run(&run, w[0], w[1], w[2], w[3], w[4], NULL);
		for (const char *text = run.out; *text;) {
			uint32_t c;
			unsigned n = acc_utf8_next(text, &c);

			ck_assert_msg(n && (acc_utf8_shown(c) || c == '\n' || c == '\t'), "%s: U+%04X: %.80s", w[0],
				      (unsigned)c, text);
			text += n;
		}
		if (rows[i].is_json)
			ck_assert_msg(strstr(run.out, escaped), "%s: %.800s%s", w[0], run.out, run.err);
	}
}
END_TEST

START_TEST(test_another_job)
{
	json_t *second = ranks(2, 3);

	json_object_set_new(json_object_get(second, "job"), "launcher", json_integer(77));
	keep(second, part);
	json_t *first = ranks(0, 1);
	json_object_set_new(json_object_get(first, "job"), "launcher", json_integer(66));
	keep(first, whole);
	ask();
	said(": has another launcher than the files before: is it of this job?");
}
END_TEST

START_TEST(test_other_moment)
{
	json_t *second = ranks(2, 3);

	json_object_set_new(second, "time", json_integer(1763712000 + 3600));
	keep(second, part);
	keep(ranks(0, 1), whole);
	ask();
	said(": was taken 3600 s after the files before: what its ranks were doing then is not known");
	ck_assert_msg(strstr(run.out, "merged from 2 snapshots, taken within 3601 s: "), "%s", run.out);
}
END_TEST

/*
 * A rank that has ended while the others were read: it will not send any more. What it sent may still arrive: one
 * moment does not prove a deadlock.
 */
START_TEST(test_gone)
{
	json_t *snapshot = ring(), *list = json_object_get(snapshot, "processes");

	json_array_set_new(list, 2,
			   json_pack("{s:i, s:i, s:i, s:s, s:[s]}", "rank", 2, "pid", 4711, "world_number", 0, "state",
				     "gone", "problems", "process 4711 is gone"));
	keep(snapshot, whole);
	mpidbg_run(&run, "deadlock", "--snapshot", whole, NULL);
	ck_assert_msg(strstr(run.out, "missing rank: look at rank 2, which has ended\n"), "%s%s", run.out, run.err);
	ck_assert_int_eq(run.exit_code, 0);
}
END_TEST

/* One that could not be read: it may do anything. */
START_TEST(test_unread)
{
	json_t *snapshot = ring(), *list = json_object_get(snapshot, "processes");

	json_array_set_new(list, 2, json_pack("{s:i, s:i, s:i}", "rank", 2, "pid", 4711, "world_number", 0));
	keep(snapshot, whole);
	mpidbg_run(&run, "deadlock", "--snapshot", whole, NULL);
	ck_assert_msg(strstr(run.out, "not read: rank 2: it counts as able to go on"), "%s%s", run.out, run.err);
	ck_assert_int_eq(run.exit_code, 3);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("deadlock_input");
	TCase *t = tcase_create("snapshots");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, test_many_missing);
	tcase_add_test(t, test_parts);
	tcase_add_test(t, test_on_their_way);
	tcase_add_test(t, test_damaged_json);
	tcase_add_test(t, test_one_by_one);
	tcase_add_test(t, test_damaged_process);
	tcase_add_test(t, test_taking_turns);
	tcase_add_test(t, test_answer_first);
	tcase_add_test(t, test_missing_part);
	tcase_add_test(t, test_mismatch_of_a_part);
	tcase_add_test(t, test_nothing_read);
	tcase_add_test(t, test_twice);
	tcase_add_test(t, test_two_of_one_rank);
	tcase_add_test(t, test_rank_not_known);
	tcase_add_test(t, test_huge_ranges);
	tcase_add_loop_test(t, test_other_size, 0, 2);
	tcase_add_loop_test(t, test_changed, 0, 5);
	tcase_add_test(t, test_raw_characters);
	tcase_add_test(t, test_another_job);
	tcase_add_test(t, test_other_moment);
	tcase_add_test(t, test_gone);
	tcase_add_test(t, test_unread);
	suite_add_tcase(s, t);
	return suite_run(s);
}
