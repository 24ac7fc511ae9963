/* SPDX-License-Identifier: BSD-3-Clause */
/* mpidbg/threads.c: which operation is a thread's, by words, places and waiters. */
#include "../../mpidbg/threads.h"
#include "../support/demo.h"
#include "../support/suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

enum { STACK = 0x7f0000, STACK_BYTES = 512 };

struct scene {
	struct fake *f;
	struct acc_space sp;
	struct mpidbg_threads t;
	struct mpidbg_thread thread;
	struct mdl_comm world, other;
};

static struct scene *scene_create(int i, const char *function)
{
	struct scene *s = calloc(1, sizeof(*s));

	ck_assert_ptr_nonnull(s);
	s->f = demo_fake(i);
	fake_map(s->f, STACK, STACK_BYTES);
	ck_assert_int_eq(fake_space(s->f, &s->sp), ACC_OK);
	s->thread = (struct mpidbg_thread){
		.id = 42, .function = function, .stack_lo = STACK, .stack_hi = STACK + STACK_BYTES
	};
	s->world.id = 1;
	s->other.id = 2;
	return s;
}

static void scene_start(struct scene *s, bool serial)
{
	ck_assert_int_eq(mpidbg_threads_init(&s->t, &s->sp, &s->thread, 1), ACC_OK);
	s->t.serial = serial;
}

static void scene_destroy(struct scene *s)
{
	mpidbg_threads_deinit(&s->t);
	acc_space_deinit(&s->sp);
	fake_destroy(s->f);
	free(s);
}

static struct mdl_op receive(uint64_t addr, int64_t sequence)
{
	return (struct mdl_op){ .kind = MDL_RECEIVE, .active = true, .addr = addr, .sequence = mdl_known(sequence) };
}

static struct mdl_op send(uint64_t addr, enum mdl_send_mode mode)
{
	return (struct mdl_op){
		.kind = MDL_SEND, .mode = mode, .active = true, .addr = addr, .sequence = mdl_known(1)
	};
}

static bool matches(const struct scene *s, const struct mdl_op *op, const char *function)
{
	struct out_caller caller = mpidbg_threads_caller(&s->t, op);

	ck_assert(caller.known);
	if (!caller.claimed)
		return false;
	ck_assert_int_eq(caller.thread, 42);
	if (function)
		ck_assert_str_eq(caller.function, function);
	else
		ck_assert_ptr_null(caller.function);
	return true;
}

/* The address on the stack, in a register; the request on the stack; its waiter. */
START_TEST(test_evidence)
{
	for (int how = 0; how < 4; how++) {
		struct scene *s = scene_create(_i, "MPI_Recv");
		struct mdl_op a = receive(0x10000, 1), b = receive(0x20000, 2);
		uint64_t registers[] = { 1, 0x20000, 3 };

		if (how == 0)
			fake_write_ptr(s->f, STACK + 64, 0x20000);
		if (how == 1) {
			s->thread.registers = registers;
			s->thread.n_registers = 3;
		}
		if (how == 2)
			b.addr = STACK + 128;
		if (how == 3)
			b.waiter_addr = STACK + 8;
		scene_start(s, false);
		mpidbg_threads_match(&s->t, &s->world, &a);
		mpidbg_threads_match(&s->t, &s->world, &b);
		mpidbg_threads_decide(&s->t);
		ck_assert(!matches(s, &a, NULL));
		ck_assert(matches(s, &b, "MPI_Recv"));
		ck_assert(s->t.matches[0].comm_known);
		ck_assert_uint_eq(s->t.matches[0].comm_id, 1);
		ck_assert_uint_eq(s->t.matches[0].n_candidates, 1);
		ck_assert_uint_eq(s->t.matches[0].ids[0], b.addr);
		scene_destroy(s);
	}
}
END_TEST

/* Words that are addresses within the thread's own stack are not kept; the stack ends before its upper bound. */
START_TEST(test_own_stack)
{
	static const uint64_t words[] = { STACK, STACK + STACK_BYTES - 8, STACK + STACK_BYTES, STACK - 8 };
	struct scene *s = scene_create(_i, "MPI_Recv");
	uint64_t registers[] = { STACK + 8, STACK + STACK_BYTES + 8 };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		fake_write_ptr(s->f, STACK + 8 * i, words[i]);
	s->thread.registers = registers;
	s->thread.n_registers = 2;
	scene_start(s, false);

	const struct mpidbg_thread_matches *c = &s->t.matches[0];
	ck_assert_uint_eq(c->n_words, 3);
	ck_assert_uint_eq(c->words[0], STACK - 8);
	ck_assert_uint_eq(c->words[1], STACK + STACK_BYTES);
	ck_assert_uint_eq(c->words[2], STACK + STACK_BYTES + 8);
	scene_destroy(s);
}
END_TEST

/* A word of an earlier call is left over, and the blocked one's is nowhere: posted last is what counts. */
START_TEST(test_left_over_word)
{
	struct scene *s = scene_create(_i, "MPI_Recv");
	struct mdl_op old = receive(0x10000, 1), blocked = receive(0x20000, 2);

	fake_write_ptr(s->f, STACK, 0x10000);
	scene_start(s, true);
	mpidbg_threads_match(&s->t, &s->world, &old);
	mpidbg_threads_match(&s->t, &s->world, &blocked);
	mpidbg_threads_decide(&s->t);
	ck_assert(!matches(s, &old, NULL));
	ck_assert(matches(s, &blocked, "MPI_Recv"));
	scene_destroy(s);
}
END_TEST

/* At MPI_THREAD_MULTIPLE, with words of both on the stack: the call that is blocked has posted last. */
START_TEST(test_two_words)
{
	for (int order = 0; order < 2; order++) {
		struct scene *s = scene_create(_i, "MPI_Recv");
		struct mdl_op old = receive(0x10000, 1), blocked = receive(0x20000, 2);

		fake_write_ptr(s->f, STACK + 16, 0x10000);
		fake_write_ptr(s->f, STACK + 32, 0x20000);
		scene_start(s, false);
		mpidbg_threads_match(&s->t, &s->world, order ? &blocked : &old);
		mpidbg_threads_match(&s->t, &s->world, order ? &old : &blocked);
		mpidbg_threads_decide(&s->t);
		ck_assert(!matches(s, &old, NULL));
		ck_assert(matches(s, &blocked, "MPI_Recv"));
		scene_destroy(s);
	}
}
END_TEST

/* No evidence, and two communicators have a receive: nothing is guessed. With evidence for one it is that one. */
START_TEST(test_no_guess)
{
	for (int evidence = 0; evidence < 2; evidence++) {
		struct scene *s = scene_create(_i, "MPI_Recv");
		struct mdl_op a = receive(0x10000, 1), b = receive(0x20000, 2);

		if (evidence)
			fake_write_ptr(s->f, STACK + 16, 0x10000);
		scene_start(s, true);
		mpidbg_threads_match(&s->t, &s->world, &a);
		mpidbg_threads_match(&s->t, &s->other, &b);
		mpidbg_threads_decide(&s->t);
		ck_assert_int_eq(matches(s, &a, evidence ? "MPI_Recv" : NULL), evidence);
		ck_assert(!matches(s, &b, NULL));
		scene_destroy(s);
	}
}
END_TEST

/* As many words for receives of two communicators: nothing is guessed, in either order; one word more decides. */
START_TEST(test_equal_words)
{
	for (int way = 0; way < 4; way++) {
		struct scene *s = scene_create(_i, "MPI_Recv");
		struct mdl_op a = receive(0x10000, 1), b = receive(0x20000, 2);
		bool more = way & 1, order = way & 2;

		fake_write_ptr(s->f, STACK + 16, 0x10000);
		fake_write_ptr(s->f, STACK + 32, 0x20000);
		if (more)
			fake_write_ptr(s->f, STACK + 48, 0x10000);
		scene_start(s, true);
		mpidbg_threads_match(&s->t, order ? &s->other : &s->world, order ? &b : &a);
		mpidbg_threads_match(&s->t, order ? &s->world : &s->other, order ? &a : &b);
		mpidbg_threads_decide(&s->t);
		ck_assert_int_eq(matches(s, &a, more ? "MPI_Recv" : NULL), more);
		ck_assert(!matches(s, &b, NULL));
		scene_destroy(s);
	}
}
END_TEST

/* With MPI_THREAD_MULTIPLE another thread may have posted since: without evidence nothing is said. */
START_TEST(test_not_serial)
{
	struct scene *s = scene_create(_i, "MPI_Recv");
	struct mdl_op a = receive(0x10000, 1);

	scene_start(s, false);
	mpidbg_threads_match(&s->t, &s->world, &a);
	mpidbg_threads_decide(&s->t);
	ck_assert(!matches(s, &a, NULL));
	scene_destroy(s);
}
END_TEST

/* An operation that the function cannot have created is not matched, whatever words are on the stack. */
START_TEST(test_kinds)
{
	static const struct {
		const char *function;
		bool matches[6]; /* receive, standard send, synchronous send, probe, mprobe, message of mprobe */
	} rows[] = {
		{ "MPI_Recv", { true } },
		{ "MPI_Send", { false, true } },
		{ "MPI_Ssend", { false, false, true } },
		{ "MPI_Sendrecv", { true, true } },
		{ "MPI_Probe", { false, false, false, true } },
		{ "MPI_Mprobe", { false, false, false, false, true } },
		{ "MPI_Mrecv", { true, false, false, false, false, true } },
		{ "MPI_Barrier", { false } },
		{ NULL, { false } },
	};

	for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
		for (int k = 0; k < 6; k++) {
			struct scene *s = scene_create(_i, rows[r].function);
			struct mdl_op op = k == 1   ? send(0x10000, MDL_STANDARD)
					   : k == 2 ? send(0x10000, MDL_SYNCHRONOUS)
						    : receive(0x10000, 1);

			if (k == 3)
				op.kind = MDL_PROBE;
			if (k >= 4)
				op.kind = MDL_MPROBE;
			if (k == 5)
				op.status = MDL_MATCHED;
			fake_write_ptr(s->f, STACK + 32, 0x10000);
			scene_start(s, true);
			mpidbg_threads_match(&s->t, &s->world, &op);
			mpidbg_threads_decide(&s->t);
			ck_assert_msg(matches(s, &op, rows[r].function) == rows[r].matches[k], "%s, %d",
				      rows[r].function, k);
			scene_destroy(s);
		}
	}
}
END_TEST

/* Complete, persistent, internal and inactive ones are nobody's block. */
START_TEST(test_not_blocked_in)
{
	for (int k = 0; k < 4; k++) {
		struct scene *s = scene_create(_i, "MPI_Recv");
		struct mdl_op op = receive(0x10000, 1);

		op.status = k == 0 ? MDL_COMPLETE : MDL_PENDING;
		op.persistent = k == 1;
		op.internal = k == 2;
		op.active = k != 3;
		fake_write_ptr(s->f, STACK + 32, 0x10000);
		scene_start(s, true);
		mpidbg_threads_match(&s->t, &s->world, &op);
		mpidbg_threads_decide(&s->t);
		ck_assert(!matches(s, &op, NULL));
		scene_destroy(s);
	}
}
END_TEST

START_TEST(test_waits)
{
	struct scene *s = scene_create(_i, "MPI_Waitall");
	struct mdl_op a = receive(0x10000, 1), b = send(0x20000, MDL_READY), stale = receive(0x30000, 3);

	a.waiter_addr = b.waiter_addr = STACK + 100;
	b.persistent = true;
	fake_write_ptr(s->f, STACK, 0x30000);
	scene_start(s, true);
	mpidbg_threads_match(&s->t, &s->world, &b);
	mpidbg_threads_match(&s->t, &s->world, &a);
	mpidbg_threads_match(&s->t, &s->other, &stale);
	mpidbg_threads_decide(&s->t);
	ck_assert(matches(s, &a, NULL));
	ck_assert(matches(s, &b, NULL));
	ck_assert(!matches(s, &stale, NULL));
	ck_assert_uint_eq(s->t.matches[0].n_candidates, 2);
	ck_assert_uint_lt(s->t.matches[0].ids[0], s->t.matches[0].ids[1]);
	scene_destroy(s);

	s = scene_create(_i, "MPI_Wait");
	fake_write_ptr(s->f, STACK, 0x10000);
	fake_write_ptr(s->f, STACK + 8, 0x30000);
	fake_write_ptr(s->f, STACK + 16, 0x30000);
	a.waiter_addr = 0;
	scene_start(s, true);
	mpidbg_threads_match(&s->t, &s->world, &a);
	mpidbg_threads_match(&s->t, &s->other, &stale);
	mpidbg_threads_decide(&s->t);
	ck_assert_int_eq(matches(s, &a, NULL) + matches(s, &stale, NULL), 1);
	scene_destroy(s);
}
END_TEST

/* A collective's communicator is derived from the library's internal messages; its operations are not listed. */
START_TEST(test_collective)
{
	struct scene *s = scene_create(_i, "MPI_Barrier");
	struct mdl_op own = receive(0x10000, 1), users = receive(0x20000, 2);

	own.internal = true;
	fake_write_ptr(s->f, STACK, 0x10000);
	fake_write_ptr(s->f, STACK + 8, 0x20000);
	scene_start(s, true);
	mpidbg_threads_match(&s->t, &s->world, &users);
	mpidbg_threads_match(&s->t, &s->other, &own);
	mpidbg_threads_decide(&s->t);
	ck_assert(!matches(s, &own, NULL));
	ck_assert(!matches(s, &users, NULL));
	ck_assert(s->t.matches[0].comm_known);
	ck_assert_uint_eq(s->t.matches[0].comm_id, 2);
	scene_destroy(s);
}
END_TEST

/* More operations than are kept. */
START_TEST(test_many)
{
	struct scene *s = scene_create(_i, "MPI_Waitsome");

	scene_start(s, true);
	for (uint64_t i = 0; i < 3 * MPIDBG_CANDIDATES_MAX; i++) {
		struct mdl_op op = receive(0x100000 + 64 * i, (int64_t)i);

		op.waiter_addr = STACK;
		mpidbg_threads_match(&s->t, &s->world, &op);
	}
	mpidbg_threads_decide(&s->t);
	ck_assert_uint_eq(s->t.matches[0].n_candidates, MPIDBG_CANDIDATES_MAX);
	ck_assert_uint_eq(s->t.matches[0].n_more, 2 * MPIDBG_CANDIDATES_MAX);
	scene_destroy(s);
}
END_TEST

/* Stacks that are unreadable, senseless or enormous; and no memory. */
START_TEST(test_bad_stacks)
{
	static const uint64_t ranges[][2] = { { 0, 0 },
					      { STACK + 64, STACK },
					      { STACK, UINT64_MAX },
					      { 1, STACK },
					      { 0xdead0000, 0xdead1000 },
					      { STACK + 3, STACK + 100 },
					      { UINT64_MAX - 3, UINT64_MAX } };

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		struct scene *s = scene_create(_i, "MPI_Recv");
		struct mdl_op op = receive(0x10000, 1);

		s->thread.stack_lo = ranges[i][0];
		s->thread.stack_hi = ranges[i][1];
		scene_start(s, true);
		mpidbg_threads_match(&s->t, &s->world, &op);
		mpidbg_threads_decide(&s->t);
		ck_assert(matches(s, &op, "MPI_Recv")); /* the only one that it can be */
		scene_destroy(s);
	}
	for (int64_t n = 0;; n++) {
		struct scene *s = scene_create(_i, "MPI_Recv");
		struct mdl_op op = receive(0x10000, 1);

		fake_fuse(&s->f->allocs, n, false);
		if (mpidbg_threads_init(&s->t, &s->sp, &s->thread, 1) == ACC_OK) {
			s->t.serial = true;
			mpidbg_threads_match(&s->t, &s->world, &op);
			mpidbg_threads_decide(&s->t);
			mpidbg_threads_caller(&s->t, &op);
		} else {
			ck_assert_ptr_null(s->t.matches);
		}
		bool done = !s->f->allocs.n_failed;
		fake_fuse_off(&s->f->allocs);
		scene_destroy(s);
		if (done)
			break;
	}
}
END_TEST

/* ---- waits for several ------------------------------------------------------------------------------------- */

enum { ARRAY = 0x900000, LISTED = 0x910000, HIDDEN = 0x920000, DONE = 0x930000, STALE = 0x940000 };

static enum rd_request_is is_request(void *state, uint64_t addr)
{
	(void)state;
	return addr == LISTED || addr == HIDDEN || addr == STALE ? RD_PENDING_REQUEST
	       : addr == DONE                                    ? RD_IDLE_REQUEST
								 : RD_NO_REQUEST;
}

static const struct rd_reader requests_reader = { .request_at = is_request };

/*
 * The array of a wait: one request that a queue shows, one that is complete, and one that no queue shows or none. On
 * the stack is its address.
 */
static struct scene *wait_scene(int i, const char *function, uint64_t third)
{
	struct rd_process p = { .reader = &requests_reader };
	struct scene *s = scene_create(i, function);
	uint64_t width = s->sp.sizes.pointer_bytes;

	fake_map(s->f, ARRAY, 64);
	fake_write_ptr(s->f, ARRAY, LISTED);
	fake_write_ptr(s->f, ARRAY + width, DONE);
	fake_write_ptr(s->f, ARRAY + 2 * width, third);
	fake_write_ptr(s->f, STACK + 64, ARRAY);
	scene_start(s, true);
	mpidbg_threads_requests(&s->t, &p);
	return s;
}

START_TEST(test_hidden_request)
{
	static const char *const functions[] = { "MPI_Waitany", "MPI_Waitsome", "MPI_Waitall", "MPI_Wait" };

	for (int k = 0; k < 4; k++) {
		for (int hidden = 0; hidden < 2; hidden++) {
			struct scene *s = wait_scene(_i, functions[k], hidden ? HIDDEN : DONE);
			struct mdl_op listed = receive(LISTED, 1);

			mpidbg_threads_match(&s->t, &s->world, &listed);
			mpidbg_threads_decide(&s->t);
			/* MPI_Wait has one */
			ck_assert_uint_eq(s->t.matches[0].n_more, hidden && k < 3);
			ck_assert_uint_eq(s->t.matches[0].n_possible, 1);
			ck_assert_uint_eq(s->t.matches[0].possible[0], LISTED);
			scene_destroy(s);
		}
	}
}
END_TEST

/* Two words: one may be of an earlier call. A request that refers to the thread is certain. */
START_TEST(test_possible)
{
	for (int certain = 0; certain < 2; certain++) {
		struct scene *s = scene_create(_i, "MPI_Waitall");
		struct rd_process p = { .reader = &requests_reader };
		struct mdl_op listed = receive(LISTED, 1), stale = receive(STALE, 2);

		fake_write_ptr(s->f, STACK + 64, LISTED);
		fake_write_ptr(s->f, STACK + 128, STALE);
		fake_write_ptr(s->f, STACK + 192, HIDDEN);
		if (certain)
			listed.waiter_addr = STACK + 8;
		scene_start(s, true);
		mpidbg_threads_requests(&s->t, &p);
		mpidbg_threads_match(&s->t, &s->world, &stale);
		mpidbg_threads_match(&s->t, &s->world, &listed);
		mpidbg_threads_decide(&s->t);
		const struct mpidbg_thread_matches *c = &s->t.matches[0];
		ck_assert_uint_eq(c->n_more, !certain);
		ck_assert_uint_eq(c->n_possible, certain ? 0 : 2);
		ck_assert_uint_eq(c->n_candidates, certain ? 1 : 2);
		if (!certain)
			ck_assert(c->possible[0] == LISTED && c->possible[1] == STALE);
		scene_destroy(s);
	}
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("threads");
	TCase *tc = tcase_create("threads");

	tcase_add_loop_test(tc, test_evidence, 0, DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_own_stack, 0, DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_left_over_word, 0, DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_two_words, 0, DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_equal_words, 0, DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_no_guess, 0, DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_not_serial, 0, DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_kinds, 0, DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_not_blocked_in, 0, DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_waits, 0, DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_collective, 0, DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_many, 0, DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_bad_stacks, 0, DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_hidden_request, 0, DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_possible, 0, DEMO_N_TARGETS);
	suite_add_tcase(s, tc);
	return s;
}

int main(void)
{
	return suite_run(suite());
}
