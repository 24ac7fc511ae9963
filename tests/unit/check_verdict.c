/* SPDX-License-Identifier: BSD-3-Clause */
/* The analysis of constructed snapshots, whose correct result is known. */
#include "../../host/cleanup.h"
#include "../../verdict/report.h"
#include "../../verdict/verdict.h"
#include "../../verdict/words.h"
#include "../support/made_job.h"
#include "../support/suite.h"

#include <check.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static struct vd_job job;
static struct vd_verdict verdict;

static void begin(int n)
{
	made_job_begin(&job, n);
}

static void add_rank(const char *function)
{
	made_job_add_rank(&job, function);
}

/* An operation of the last rank, for which its thread waits. */
static void add_wait(enum vd_op_kind kind, int peer, int64_t tag)
{
	made_job_add_wait(&job, kind, peer, tag);
}

static void add_message(int from, int64_t tag)
{
	struct vd_op *op = vd_add_op(&job);
	ck_assert_ptr_nonnull(op);
	op->kind = VD_MESSAGE;
	op->comm = 0;
	op->peer = from;
	op->tag = tag;
}

START_TEST(test_ring)
{
	enum { N = 100 };

	begin(N);
	for (int i = 0; i < N; i++) {
		add_rank("MPI_Recv");
		add_wait(VD_RECEIVE, (i + 1) % N, 5);
	}
	ck_assert_int_eq(made_job_judge(&job, &verdict), VD_DEADLOCK);
	ck_assert_uint_eq(verdict.n_dead, N);
	ck_assert_uint_eq(verdict.n_cycle, N);
	for (int i = 0; i < N; i++)
		ck_assert_int_eq(verdict.cycle[(size_t)(i + 1) % N], (verdict.cycle[i] + 1) % N);
	made_job_end(&job, &verdict);
}
END_TEST

/* Of several cycles the shortest is named: two ranks that wait for each other within a ring of all. */
START_TEST(test_shortest_cycle)
{
	enum { N = 6 };

	begin(N);
	for (int i = 0; i < N; i++) {
		add_rank(i == 3 ? "MPI_Waitall" : "MPI_Recv");
		add_wait(VD_RECEIVE, (i + 1) % N, 5);
		if (i == 3)
			add_wait(VD_RECEIVE, 2, 5);
	}
	ck_assert_int_eq(made_job_judge(&job, &verdict), VD_DEADLOCK);
	ck_assert_uint_eq(verdict.n_dead, N);
	ck_assert_uint_eq(verdict.n_cycle, 2);
	ck_assert_int_eq(verdict.cycle[0] + verdict.cycle[1], 5);
	made_job_end(&job, &verdict);
}
END_TEST

/* The message is there already: the ring will go on. */
START_TEST(test_ring_with_a_message)
{
	begin(3);
	for (int i = 0; i < 3; i++) {
		add_rank("MPI_Recv");
		add_wait(VD_RECEIVE, (i + 1) % 3, 5);
		if (i == 1)
			add_message(2, 5);
	}
	ck_assert_int_eq(made_job_judge(&job, &verdict), VD_NO_DEADLOCK);
	ck_assert_uint_eq(verdict.n_dead, 0);
	made_job_end(&job, &verdict);
}
END_TEST

/* A send that the receiver has posted no receive for, or has. */
START_TEST(test_sends)
{
	begin(2);
	add_rank("MPI_Send");
	add_wait(VD_SEND, 1, 5);
	add_message(1, 5);
	add_rank("MPI_Send");
	add_wait(VD_SEND, 0, 5);
	add_message(0, 5);
	ck_assert_int_eq(made_job_judge(&job, &verdict), VD_DEADLOCK);
	made_job_end(&job, &verdict);
	/* one has received a message, and the sender has not been told yet */
	begin(2);
	add_rank("MPI_Ssend");
	add_wait(VD_SEND, 1, 5);
	add_message(1, 5);
	add_rank("MPI_Ssend");
	add_wait(VD_SEND, 0, 5);
	ck_assert_int_eq(made_job_judge(&job, &verdict), VD_NO_DEADLOCK);
	made_job_end(&job, &verdict);
	begin(2);
	add_rank("MPI_Send");
	add_wait(VD_SEND, 1, 5);
	add_rank("MPI_Recv");
	add_wait(VD_RECEIVE, 0, 5);
	ck_assert_int_eq(made_job_judge(&job, &verdict), VD_NO_DEADLOCK);
	made_job_end(&job, &verdict);
}
END_TEST

START_TEST(test_wrong_tag)
{
	begin(2);
	add_rank("MPI_Recv");
	add_wait(VD_RECEIVE, 1, 7);
	add_message(1, 5);
	add_rank("MPI_Recv");
	add_wait(VD_RECEIVE, 0, 7);
	ck_assert_int_eq(made_job_judge(&job, &verdict), VD_MISMATCH);
	ck_assert_int_eq(verdict.field, VD_FIELD_TAG);
	ck_assert_int_eq(verdict.at_rank, 0);
	ck_assert_int_eq(verdict.there_rank, 1);
	made_job_end(&job, &verdict);
}
END_TEST

/* MPI_Mprobe has taken the message: its sender waits for MPI_Mrecv, and it is not what the receive wants. */
START_TEST(test_held)
{
	for (int held = 0; held < 2; held++) {
		begin(2);
		add_rank("MPI_Recv");
		add_wait(VD_RECEIVE, 1, 7);
		struct vd_op *op = made_job_add_op(&job, VD_PROBE, VD_ANY, held ? VD_ANY_TAG : 6);
		op->matched = true;
		add_rank("MPI_Ssend");
		add_wait(VD_SEND, 0, 5);
		ck_assert_int_eq(made_job_judge(&job, &verdict), held ? VD_DEADLOCK : VD_NO_DEADLOCK);
		made_job_end(&job, &verdict);
	}
}
END_TEST

/* One that waits for any of two that are stuck, and one whose other possibility is free. */
START_TEST(test_some)
{
	for (int free_one = 0; free_one < 2; free_one++) {
		begin(3);
		add_rank("MPI_Waitany");
		add_wait(VD_RECEIVE, 1, 5);
		add_wait(VD_RECEIVE, 2, 5);
		add_rank("MPI_Recv");
		add_wait(VD_RECEIVE, 0, 5);
		add_rank(free_one ? NULL : "MPI_Recv");
		if (!free_one)
			add_wait(VD_RECEIVE, 0, 5);
		ck_assert_int_eq(made_job_judge(&job, &verdict), free_one ? VD_MISSING_RANK : VD_DEADLOCK);
		ck_assert_uint_eq(verdict.n_dead, free_one ? 0 : 3);
		made_job_end(&job, &verdict);
	}
}
END_TEST

START_TEST(test_any_source)
{
	begin(3);
	for (int i = 0; i < 3; i++) {
		add_rank("MPI_Recv");
		add_wait(VD_RECEIVE, VD_ANY, 5);
	}
	ck_assert_int_eq(made_job_judge(&job, &verdict), VD_DEADLOCK);
	ck_assert(verdict.knot);
	ck_assert_uint_eq(verdict.n_cycle, 2); /* that each may wait for itself says nothing */
	made_job_end(&job, &verdict);
}
END_TEST

/* Ranks that wait for each other for certain are named, not one beside them that would take a message from anybody. */
START_TEST(test_beside_any_source)
{
	begin(4);
	add_rank("MPI_Recv");
	add_wait(VD_RECEIVE, VD_ANY, 5);
	for (int i = 1; i < 4; i++) {
		add_rank("MPI_Waitall");
		add_wait(VD_RECEIVE, i % 3 + 1, 5);
		add_wait(VD_RECEIVE, 0, 5);
	}
	ck_assert_int_eq(made_job_judge(&job, &verdict), VD_DEADLOCK);
	ck_assert(!verdict.knot);
	ck_assert_uint_eq(verdict.n_cycle, 3);
	ck_assert_int_ne(verdict.cycle[0], 0);
	made_job_end(&job, &verdict);
}
END_TEST

/*
 * Rank 3 has left out a barrier of ranks 1 and 3. The library implements the other one by messages to rank 0, which
 * takes them in any order: the cycle is that of the ranks that have not come where the other one waits.
 */
START_TEST(test_left_out)
{
	begin(4);
	struct vd_comm *pair = vd_add_comm(&job);
	ck_assert_ptr_nonnull(pair);
	pair->name = "pair";
	pair->n = pair->n_local = 2;
	pair->members = malloc(2 * sizeof(*pair->members));
	ck_assert_ptr_nonnull(pair->members);
	pair->members[0] = 1;
	pair->members[1] = 3;
	for (int i = 0; i < 4; i++) {
		add_rank("MPI_Barrier");
		add_wait(VD_RECEIVE, i == 0 ? VD_ANY : i == 1 ? 3 : 0, -16);
		job.ops[job.n_ops - 1].internal = true;
		job.threads[job.n_threads - 1].comm = job.ops[job.n_ops - 1].comm = i == 1;
	}
	ck_assert_int_eq(made_job_judge(&job, &verdict), VD_DEADLOCK);
	ck_assert_uint_eq(verdict.n_cycle, 2);
	ck_assert_int_eq(verdict.cycle[0] + verdict.cycle[1], 1 + 3);
	made_job_end(&job, &verdict);
}
END_TEST

START_TEST(test_missing)
{
	begin(4);
	for (int i = 0; i < 4; i++)
		add_rank(i == 2 ? NULL : "MPI_Allreduce");
	ck_assert_int_eq(made_job_judge(&job, &verdict), VD_MISSING_RANK);
	ck_assert(verdict.stands_still);
	ck_assert_uint_eq(verdict.n_suspects, 1);
	ck_assert_int_eq(verdict.suspects[0], 2);
	ck_assert_uint_eq(verdict.n_in_collective, 3);
	made_job_end(&job, &verdict);
}
END_TEST

/* What was not read or went on counts as able to go on; what polls, too, but it may do so for ever. */
START_TEST(test_not_known)
{
	for (int which = 0; which < 3; which++) {
		begin(2);
		add_rank("MPI_Recv");
		add_wait(VD_RECEIVE, 1, 5);
		add_rank(which == 1 ? "MPI_Test" : "MPI_Recv");
		if (which != 1)
			add_wait(VD_RECEIVE, 0, 5);
		job.ranks[1].state = which == 0 ? VD_UNREAD : VD_READ;
		job.ranks[1].went_on = which == 2;
		ck_assert_int_eq(made_job_judge(&job, &verdict), which == 1 ? VD_SPINS : VD_NO_DEADLOCK);
		ck_assert(!verdict.stands_still);
		ck_assert_uint_eq(verdict.n_dead, 0);
		made_job_end(&job, &verdict);
	}
}
END_TEST

START_TEST(test_different_collectives)
{
	begin(3);
	add_rank("MPI_Barrier");
	add_rank("MPI_Allreduce");
	add_rank("MPI_Allreduce");
	ck_assert_int_eq(made_job_judge(&job, &verdict), VD_MISMATCH);
	ck_assert_int_eq(verdict.field, VD_FIELD_FUNCTION);
	made_job_end(&job, &verdict);
}
END_TEST

/* A leaf has left MPI_Reduce and waits for the root, which waits for a rank that has not arrived: nobody is stuck. */
START_TEST(test_leaf_has_left)
{
	for (int receives = 0; receives < 2; receives++) {
		begin(3);
		add_rank("MPI_Reduce");
		add_rank(receives ? "MPI_Recv" : "MPI_Barrier");
		if (receives)
			add_wait(VD_RECEIVE, 0, 5);
		add_rank(NULL);
		ck_assert_int_eq(made_job_judge(&job, &verdict), VD_MISSING_RANK);
		ck_assert_uint_eq(verdict.n_dead, 0);
		ck_assert_uint_eq(verdict.n_suspects, 1);
		ck_assert_int_eq(verdict.suspects[0], 2);
		made_job_end(&job, &verdict);
	}
}
END_TEST

/* All are in it: it ends by itself. */
START_TEST(test_all_have_come)
{
	static const char *const functions[] = { "MPI_Reduce", "MPI_Barrier" };

	for (int i = 0; i < 2; i++) {
		begin(3);
		for (int k = 0; k < 3; k++)
			add_rank(functions[i]);
		ck_assert_int_eq(made_job_judge(&job, &verdict), VD_NO_DEADLOCK);
		ck_assert_uint_eq(verdict.n_dead, 0);
		made_job_end(&job, &verdict);
	}
}
END_TEST

/* ---- from JSON ------------------------------------------------------------------------------------------- */

/* Rank of a world of n that waits for the next one; the members are written alike in all of them but the last. */
static json_t *ring_process(int world, int rank, int n, bool apart)
{
	json_t *members = json_array(), *ret;

	for (int i = 0; apart && i < n; i++)
		json_array_append_new(members, json_integer(i));
	if (!apart)
		json_array_append_new(members, json_sprintf("0-%d", n - 1));
	ret = json_pack(
		"{s:i,s:i,s:{s:s,s:s},s:[{s:i,s:s,s:[s]}],s:[{s:s,s:s,s:i,s:b,s:i,s:i,s:o,s:[],s:[],s:[],s:[{s:s,s:s,"
		"s:s,s:b,s:b,s:i,s:i,s:i}]}]}",
		"rank", rank, "world_number", world, "mpi", "name", "Open MPI", "state", "initialized", "calls",
		"thread", 1, "function", "MPI_Recv", "operations", "0x1", "communicators", "handle", "0x10", "name",
		"MPI_COMM_WORLD", "context", 0, "internal", 0, "rank", rank, "size", n, "members", members,
		"pending_sends", "unexpected", "collectives", "pending_receives", "id", "0x1", "kind", "receive",
		"status", "pending", "active", 1, "internal", 0, "peer", (rank + 1) % n, "tag", 5, "thread", 1);
	ck_assert_ptr_nonnull(ret);
	return ret;
}

/* Names and places come from the target: no byte of them reaches a terminal unquoted. */
START_TEST(test_hostile_texts)
{
	char *text = NULL;
	size_t n = 0;

	begin(2);
	job.comms[0].name = "\033[31m\302\233m\342\200\256<\377>";
	for (int i = 0; i < 2; i++) {
		add_rank("MPI_Recv");
		add_wait(VD_RECEIVE, 1 - i, 5);
	}
	ck_assert_int_eq(made_job_judge(&job, &verdict), VD_DEADLOCK);
	FILE *out = open_memstream(&text, &n);
	vd_report(&job, &verdict, false, out);
	fclose(out);
	ck_assert_msg(strstr(text, "\\x1b[31m\\u{9b}m\\u{202e}<\\xff>") != NULL, "%s", text);
	for (size_t i = 0; i < n; i++)
		ck_assert_msg(text[i] == '\n' || (text[i] >= 0x20 && text[i] < 0x7f), "%s", text);
	free(text);
	made_job_end(&job, &verdict);
}
END_TEST

static char *report_of(bool every_line, size_t columns)
{
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);

	job.every_line = every_line;
	job.columns = columns;
	vd_report(&job, &verdict, false, out);
	fclose(out);
	return text;
}

/* Long lists end with the number of the other lines, unless all
 * are wanted; on a narrow terminal a place has its own line. */
START_TEST(test_lines)
{
	enum { N = 45 };
	static char places[N][32];

	begin(N);
	for (int i = 0; i < N; i++) {
		add_rank("MPI_Recv");
		add_wait(VD_RECEIVE, (i + 1) % N, 5);
		snprintf(places[i], sizeof(places[i]), "exchange_%d at grid.c:%d", i, 100 + i);
		job.threads[job.n_threads - 1].place = places[i];
	}
	ck_assert_int_eq(made_job_judge(&job, &verdict), VD_DEADLOCK);
	_cleanup_free_ char *cut = report_of(false, 0), *whole = report_of(true, 0), *narrow = report_of(true, 60);
	ck_assert_msg(strstr(cut, "  and 5 more lines (--all shows them)\n"), "%s", cut);
	ck_assert_msg(!strstr(whole, "more lines"), "%s", whole);
	for (int i = 0; i < N; i++) {
		char wide[64], own[64];
		snprintf(wide, sizeof(wide), "  at grid.c:%d in exchange_%d\n", 100 + i, i);
		snprintf(own, sizeof(own), "\n           at grid.c:%d in exchange_%d\n", 100 + i, i);
		ck_assert_msg(strstr(whole, wide) && !strstr(whole, own), "%s", whole);
		ck_assert_msg(strstr(narrow, own), "%s", narrow);
	}
	made_job_end(&job, &verdict);
}
END_TEST

/* Communicators of two worlds with equal member lists are different; each rank uses those of its own world. */
START_TEST(test_worlds)
{
	static const int sizes[] = { 6, 4, 4 };
	json_t *all = json_array(), *process;
	size_t i;

	for (int w = 0; w < 3; w++)
		for (int r = 0; r < sizes[w]; r++)
			json_array_append_new(all, ring_process(w, r, sizes[w], r == sizes[w] - 1));
	memset(&job, 0, sizeof(job));
	json_array_foreach(all, i, process) ck_assert(vd_load_rank(&job, process));
	json_array_foreach(all, i, process) vd_load_process(&job, i, process);
	ck_assert_uint_eq(job.n_comms, 3);
	ck_assert_int_eq(made_job_judge(&job, &verdict), VD_DEADLOCK);
	ck_assert_uint_eq(verdict.n_dead, 14);
	ck_assert_uint_eq(verdict.n_cycle, 4);
	for (i = 0; i < job.n_ops; i++) {
		const struct vd_comm *c = &job.comms[job.ops[i].comm];
		ck_assert_int_eq(job.ops[i].peer, c->members[(size_t)(job.ranks[i].rank + 1) % (size_t)c->n]);
		ck_assert_int_eq(job.ranks[job.ops[i].peer].world, job.ranks[i].world);
		ck_assert_int_eq(job.ranks[job.ranks[i].first].n_there, c->n);
	}
	int32_t two[] = { 4, 5, 6, 8 };
	struct vd_text text = { 0 };
	vd_append_ranks(&text, &job, two, 4);
	ck_assert_str_eq(text.bytes, "ranks [4-5] of world 1, [0,2] of world 2");
	json_decref(all);
	made_job_end(&job, &verdict);
}
END_TEST

/* Of two receives that the library may have completed one does not hold up the rank when the other can come. */
START_TEST(test_unsure)
{
	for (int can_come = 0; can_come < 2; can_come++) {
		begin(3);
		add_rank("MPI_Waitall");
		add_wait(VD_RECEIVE, 1, 5);
		add_wait(VD_RECEIVE, 2, 5);
		job.ops[0].unsure = job.ops[1].unsure = true;
		add_rank("MPI_Recv");
		add_wait(VD_RECEIVE, 0, 5);
		add_rank(can_come ? NULL : "MPI_Recv");
		if (!can_come)
			add_wait(VD_RECEIVE, 0, 5);
		ck_assert_int_eq(made_job_judge(&job, &verdict), can_come ? VD_MISSING_RANK : VD_DEADLOCK);
		made_job_end(&job, &verdict);
	}
	/* complete for the program, too: stopped within the call */
	begin(2);
	add_rank("MPI_Wait");
	add_wait(VD_RECEIVE, 1, 5);
	job.ops[0].unsure = job.ops[0].matched = true;
	add_rank("MPI_Recv");
	add_wait(VD_RECEIVE, 0, 5);
	ck_assert_int_eq(made_job_judge(&job, &verdict), VD_NO_DEADLOCK);
	made_job_end(&job, &verdict);
}
END_TEST

/* The arguments of a probe cannot be read: it counts as able to go on, for its message may be on its way. */
START_TEST(test_probe_for_what)
{
	struct vd_text text = { 0 };

	begin(3);
	for (int i = 0; i < 3; i++) {
		add_rank("MPI_Probe");
		add_wait(VD_PROBE, VD_UNKNOWN, VD_ANY_TAG);
		job.ops[job.n_ops - 1].comm = VD_UNKNOWN;
	}
	ck_assert_int_eq(made_job_judge(&job, &verdict), VD_NO_DEADLOCK);
	ck_assert_uint_eq(verdict.n_dead, 0);
	ck_assert_uint_eq(verdict.n_unknown, 3);
	ck_assert(vd_remark(&text, &job, &verdict, 4));
	ck_assert_str_eq(text.bytes, "the arguments of MPI_Probe are unavailable of ranks [0-2]");
	made_job_end(&job, &verdict);
}
END_TEST

/* If the threads have stayed in their calls, what had arrived is
 * not what they ask for; but another message may be on its way. */
START_TEST(test_probe_stays)
{
	enum {
		ALL_STAY,
		ONE_RETURNS,
		ONE_IS_STOPPED,
		MESSAGE_COMES,
		MESSAGE_IS_THERE,
		MEMBER_ABSENT,
		MEMBERLESS,
		COUNTED,
		N_WAYS
	};
	bool dead = _i == ALL_STAY || _i == MESSAGE_IS_THERE;

	begin(3);
	for (int i = 0; i < 3; i++) {
		add_rank("MPI_Probe");
		struct vd_rank *r = &job.ranks[job.n_ranks - 1];
		add_wait(VD_PROBE, VD_UNKNOWN, VD_ANY_TAG);
		job.ops[job.n_ops - 1].comm = VD_UNKNOWN;
		job.threads[i].stays = i || _i != ONE_RETURNS;
		r->one_moment = !i && _i == ONE_IS_STOPPED;
		r->n_more_sends = i && _i == COUNTED;
		if (!i && _i == MESSAGE_IS_THERE)
			made_job_add_op(&job, VD_MESSAGE, 1, 5);
		if (i == 1 && (_i == MESSAGE_COMES || _i == MESSAGE_IS_THERE))
			made_job_add_op(&job, VD_SEND, 0, 5);
	}
	if (_i == MEMBER_ABSENT)
		job.comms[0].n++;
	job.any_memberless = _i == MEMBERLESS;
	ck_assert_int_eq(made_job_judge(&job, &verdict), dead ? VD_DEADLOCK : VD_NO_DEADLOCK);
	ck_assert_uint_eq(verdict.n_dead, dead ? 3 : 0);
	made_job_end(&job, &verdict);
}
END_TEST

/* All have begun a non-blocking collective; one is in no MPI function and takes no part in it. */
START_TEST(test_not_waited_for)
{
	for (int idle = 0; idle < 2; idle++) {
		begin(3);
		for (int i = 0; i < 3; i++) {
			add_rank(i < 2 ? "MPI_Wait" : idle ? NULL : "MPI_Recv");
			if (i == 2 && !idle)
				add_wait(VD_RECEIVE, 0, 5);
			if (i < 2) {
				add_wait(VD_COLLECTIVE, VD_UNKNOWN, 0);
			} else {
				struct vd_op *op = vd_add_op(&job);
				op->kind = VD_COLLECTIVE;
				op->comm = 0;
			}
			job.ops[job.n_ops - 1].sequence = 7;
		}
		ck_assert_int_eq(made_job_judge(&job, &verdict), idle ? VD_MISSING_RANK : VD_NO_DEADLOCK);
		ck_assert_uint_eq(verdict.n_suspects, idle ? 1 : 0);
		if (idle)
			ck_assert_int_eq(verdict.suspects[0], 2);
		made_job_end(&job, &verdict);
	}
}
END_TEST

/*
 * Rank 0 has left the collective and waits for rank 2, which is in it. Rank 1 is in it, too: while
 * it moves, it may complete the part of rank 2, as a rank does that passes on the data of MPI_Bcast.
 */
START_TEST(test_moves_within)
{
	for (int blocking = 0; blocking < 2; blocking++) {
		for (int moves = 0; moves < 2; moves++) {
			begin(3);
			add_rank("MPI_Recv");
			add_wait(VD_RECEIVE, 2, 5);
			for (int i = 1; i < 3; i++) {
				add_rank(blocking ? "MPI_Bcast" : "MPI_Wait");
				if (!blocking) {
					add_wait(VD_COLLECTIVE, VD_UNKNOWN, 0);
					job.ops[job.n_ops - 1].sequence = 7;
				}
			}
			job.ranks[1].went_on = moves;
			made_job_judge(&job, &verdict);
			ck_assert_uint_eq(verdict.n_dead, moves ? 0 : 3);
			made_job_end(&job, &verdict);
		}
	}
}
END_TEST

/* A rank waits for one that is not in the snapshot: it is named, and nothing is concluded from that. */
START_TEST(test_absent)
{
	json_t *receive = json_pack("{s:s, s:s, s:i, s:i, s:i, s:i}", "kind", "receive", "status", "pending", "peer", 1,
				    "peer_world", 1, "tag", 5, "thread", 1);
	json_t *comm = json_pack("{s:s, s:s, s:i, s:i, s:[i,i], s:[], s:[], s:[o]}", "name", "MPI_COMM_WORLD", "kind",
				 "intra", "context", 0, "size", 2, "members", 0, 1, "pending_sends", "unexpected",
				 "pending_receives", receive);
	json_t *process = json_pack("{s:i, s:i, s:{s:s}, s:[{s:i, s:s}], s:[o]}", "rank", 0, "pid", 1, "mpi", "state",
				    "initialized", "calls", "thread", 1, "function", "MPI_Recv", "communicators", comm);
	struct vd_text line = { .n = 0 }, text = { .n = 0 };

	memset(&job, 0, sizeof(job));
	ck_assert(vd_load_rank(&job, process));
	vd_load_process(&job, 0, process);
	ck_assert_int_eq(made_job_judge(&job, &verdict), VD_NO_DEADLOCK);
	ck_assert_uint_eq(verdict.n_waiting, 1);
	ck_assert_uint_eq(verdict.n_unknown, 0);
	vd_append_activity(&line, &job, &verdict, 0, false);
	ck_assert_str_eq(line.bytes, "MPI_Recv from rank 1, which is not here, tag 5 on MPI_COMM_WORLD");
	vd_conclusion(&text, &job, &verdict);
	ck_assert_str_eq(text.bytes, "no deadlock is known: 1 rank of MPI_COMM_WORLD is not here");
	json_decref(process);
	made_job_end(&job, &verdict);
}
END_TEST

/* Invalid input: a communicator has a member twice, so that no rank is left for which the collective could wait. */
START_TEST(test_member_twice)
{
	struct vd_text text = { .n = 0 };

	begin(2);
	job.comms[0].members = calloc(2, sizeof(*job.comms[0].members));
	ck_assert_ptr_nonnull(job.comms[0].members);
	add_rank("MPI_File_close");
	add_rank("MPI_Recv");
	add_wait(VD_RECEIVE, 0, 5);
	ck_assert_int_eq(made_job_judge(&job, &verdict), VD_NO_DEADLOCK);
	ck_assert_uint_eq(verdict.n_dead, 0);
	vd_conclusion(&text, &job, &verdict);
	ck_assert_uint_gt(text.n, 0);
	made_job_end(&job, &verdict);
}
END_TEST

/* Between two snapshots a rank has ended and another one has
 * appeared: the ranks after it are still compared with themselves. */
START_TEST(test_compare_without_one)
{
	struct vd_job earlier = { .n_ranks = 0 };

	begin(4);
	for (int i = 0; i < 4; i++) {
		add_rank("MPI_Recv");
		job.ranks[i].fingerprint = (uint64_t)i + 100;
	}
	job.ranks[3].rank = 4;
	earlier = job;
	begin(4);
	for (int i = 0; i < 3; i++) {
		add_rank("MPI_Recv");
		job.ranks[i].rank = i + 1;
		job.ranks[i].fingerprint = (uint64_t)i + 101;
	}
	ck_assert_uint_eq(vd_compare(&earlier, &job), 1);
	ck_assert(!job.ranks[0].went_on && !job.ranks[1].went_on && job.ranks[2].went_on); /* ranks 1, 2 and 3 */
	ck_assert_ptr_eq(vd_find_rank(&earlier, 0, 4), &earlier.ranks[3]);
	ck_assert_ptr_null(vd_find_rank(&earlier, 0, 3));
	ck_assert_ptr_null(vd_find_rank(&earlier, 1, 0));
	vd_job_deinit(&earlier);
	vd_job_deinit(&job);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("verdict");
	TCase *t = tcase_create("made-up snapshots");

	tcase_add_test(t, test_ring);
	tcase_add_test(t, test_shortest_cycle);
	tcase_add_test(t, test_ring_with_a_message);
	tcase_add_test(t, test_sends);
	tcase_add_test(t, test_wrong_tag);
	tcase_add_test(t, test_held);
	tcase_add_test(t, test_some);
	tcase_add_test(t, test_any_source);
	tcase_add_test(t, test_beside_any_source);
	tcase_add_test(t, test_left_out);
	tcase_add_test(t, test_missing);
	tcase_add_test(t, test_not_known);
	tcase_add_test(t, test_different_collectives);
	tcase_add_test(t, test_leaf_has_left);
	tcase_add_test(t, test_all_have_come);
	tcase_add_test(t, test_hostile_texts);
	tcase_add_test(t, test_lines);
	tcase_add_test(t, test_worlds);
	tcase_add_test(t, test_unsure);
	tcase_add_test(t, test_probe_for_what);
	tcase_add_loop_test(t, test_probe_stays, 0, 8);
	tcase_add_test(t, test_not_waited_for);
	tcase_add_test(t, test_moves_within);
	tcase_add_test(t, test_absent);
	tcase_add_test(t, test_compare_without_one);
	tcase_add_test(t, test_member_twice);
	suite_add_tcase(s, t);
	return suite_run(s);
}
