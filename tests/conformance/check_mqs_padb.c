/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The built DLL as three debuggers drive it: padb, which fills in half of the answers and never asks for news;
 * TotalView, which keeps many processes of one image and looks at them in turns; a debugger that uses both faces.
 */
#include "../support/mqs_session.h"
#include "../support/suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

/* ---- padb ------------------------------------------------------------------------------------------- */

static void get_five_sizes(mqs_process *process, mqs_target_type_sizes *ret)
{
	(void)process;
	ret->short_size = sizeof(short);
	ret->int_size = sizeof(int);
	ret->long_size = sizeof(long);
	ret->long_long_size = sizeof(long long);
	ret->pointer_size = sizeof(void *);
	/* bool_size and size_t_size are left unset */
}

static void copy_as_it_is(mqs_process *process, const void *in, void *out, int n)
{
	(void)process;
	memcpy(out, in, (size_t)n);
}

START_TEST(test_padb)
{
	struct fake_ompi *o = mqs_session_process(8, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	struct fake_mqs *m = fake_mqs_create(o->f);
	char *message = NULL;
	int calls, active;

	m->basic.mqs_dprints_fp = NULL;
	m->basic.mqs_errorstring_fp = NULL;
	m->image_callbacks.mqs_get_type_sizes_fp = get_five_sizes;
	m->process_callbacks.mqs_target_to_host_fp = copy_as_it_is;
	m->dll.mqs_setup_basic_callbacks(&m->basic);
	ck_assert_int_eq(m->dll.mqs_version_compatibility(), 2);
	ck_assert_int_eq(m->dll.mqs_dll_taddr_width(), (int)sizeof(long));
	ck_assert_int_eq(m->dll.mqs_setup_image(m->image, &m->image_callbacks), mqs_ok);
	ck_assert_int_eq(m->dll.mqs_image_has_queues(m->image, &message), mqs_ok);
	ck_assert_int_eq(m->dll.mqs_setup_process(m->process, &m->process_callbacks), mqs_ok);
	/* The rank, before it is asked whether there are queues. */
	ck_assert_int_eq(m->dll.mqs_get_global_rank(m->process), 1);
	ck_assert_int_eq(m->dll.mqs_process_has_queues(m->process, &message), mqs_ok);
	m->dll.mqs_update_communicator_list(m->process);
	ck_assert_int_eq(m->dll.mqs_setup_communicator_iterator(m->process), mqs_ok);
	ck_assert_int_eq(m->dll.mqs_get_comm_coll_state(m->process, 0, &calls, &active), mqs_no_information);

	struct mqs_seen seen = mqs_session_walk(m);
	ck_assert_int_eq(seen.first_failure, 0);
	ck_assert_uint_eq(seen.n_comms, 3);
	ck_assert_uint_eq(seen.n_groups, 3);
	ck_assert_uint_eq(seen.n_ops[mqs_pending_receives], 4);
	ck_assert_uint_eq(seen.n_ops[mqs_pending_sends], 2);
	ck_assert_uint_eq(seen.n_ops[mqs_unexpected_messages], 2);
	fake_mqs_teardown(m);
	fake_mqs_destroy(m);
	fake_ompi_destroy(o);
}
END_TEST

/* mqs_update_communicator_list() is never called: later changes of the program are seen nevertheless. */
START_TEST(test_no_update)
{
	struct fake_ompi *o = mqs_session_process(_i & 1 ? 4 : 8, _i & 2);
	struct fake_mqs *m = fake_mqs_create(o->f);

	ck_assert_int_eq(m->dll.mqs_setup_image(m->image, &m->image_callbacks), mqs_ok);
	ck_assert_int_eq(m->dll.mqs_setup_process(m->process, &m->process_callbacks), mqs_ok);
	ck_assert_uint_eq(mqs_session_walk(m).n_comms, 3);
	fake_ompi_comm(o, "new", 2, 1, 0);
	fake_ompi_post(o, o->world, 0, 1, 1);
	fake_ompi_send(o, o->world, 0, 1, 1, 4);

	struct mqs_seen seen = mqs_session_walk(m);
	ck_assert_uint_eq(seen.n_comms, 4);
	ck_assert_uint_eq(seen.n_ops[mqs_pending_receives], 5);
	ck_assert_uint_eq(seen.n_ops[mqs_pending_sends], 3);
	fake_mqs_teardown(m);
	fake_mqs_destroy(m);
	fake_ompi_destroy(o);
}
END_TEST

/* A debugger with an invalid conversion or invalid sizes gets an error, and nothing is read. */
static void convert_to_zero(mqs_process *process, const void *in, void *out, int n)
{
	(void)process, (void)in;
	memset(out, 0, (size_t)n);
}

START_TEST(test_senseless_debugger)
{
	struct fake_ompi *o = mqs_session_process(8, false);
	struct fake_mqs *m = fake_mqs_create(o->f);
	char *message = NULL;

	if (_i)
		m->sizes.pointer_size = 5;
	else
		m->process_callbacks.mqs_target_to_host_fp = convert_to_zero;
	ck_assert_int_eq(fake_mqs_setup(m, &message), err_bad_request);
	ck_assert_msg(message && strstr(message, "make") && strstr(message, "no sense"), "%s", message);
	ck_assert_int_eq(m->dll.mqs_get_global_rank(m->process), MQS_INVALID_PROCESS);
	ck_assert_uint_eq(m->n_fetches, 0);
	fake_mqs_teardown(m);
	fake_mqs_destroy(m);
	fake_ompi_destroy(o);
}
END_TEST

/* ---- TotalView -------------------------------------------------------------------------------------- */

enum { N_PROCESSES = 3 };

/* Several processes of one image, each with an iteration under way at the same time. */
START_TEST(test_totalview)
{
	struct fake_ompi *o = mqs_session_process(_i & 1 ? 4 : 8, _i & 2);
	struct fake_mqs *m = fake_mqs_create(o->f);
	mqs_process *processes[N_PROCESSES] = { m->process, fake_mqs_add_process(m, o->f),
						fake_mqs_add_process(m, o->f) };
	unsigned n_receives[N_PROCESSES] = { 0 };
	bool ended[N_PROCESSES] = { false };
	mqs_pending_operation op;
	char *message;

	ck_assert_int_eq(m->dll.mqs_setup_image(m->image, &m->image_callbacks), mqs_ok);
	ck_assert_int_eq(m->dll.mqs_image_has_queues(m->image, &message), mqs_ok);
	for (int i = 0; i < N_PROCESSES; i++) {
		ck_assert_int_eq(m->dll.mqs_setup_process(processes[i], &m->process_callbacks), mqs_ok);
		ck_assert_int_eq(m->dll.mqs_process_has_queues(processes[i], &message), mqs_ok);
	}
	/* After a stop padb updates the communicators, twice. */
	for (int i = 0; i < N_PROCESSES; i++) {
		ck_assert_int_eq(m->dll.mqs_update_communicator_list(processes[i]), mqs_ok);
		ck_assert_int_eq(m->dll.mqs_update_communicator_list(processes[i]), mqs_ok);
		ck_assert_int_eq(m->dll.mqs_setup_communicator_iterator(processes[i]), mqs_ok);
		ck_assert_int_eq(m->dll.mqs_setup_operation_iterator(processes[i], mqs_pending_receives), mqs_ok);
	}
	for (int left = N_PROCESSES; left;) {
		for (int i = 0; i < N_PROCESSES; i++) {
			if (ended[i])
				continue;

			int rc = m->dll.mqs_next_operation(processes[i], &op);
			ck_assert(rc == mqs_ok || rc == mqs_end_of_list);
			n_receives[i] += rc == mqs_ok;
			ended[i] = rc != mqs_ok;
			left -= ended[i];
		}
	}
	for (int i = 0; i < N_PROCESSES; i++)
		ck_assert_uint_eq(n_receives[i], 3);
	/* The first process exits, the image is reloaded under another address, the others go on. */
	m->dll.mqs_destroy_process_info(fake_mqs_process_info(processes[0]));
	ck_assert_int_eq(m->dll.mqs_next_communicator(processes[1]), mqs_ok);
	ck_assert_int_eq(m->dll.mqs_next_communicator(processes[0]), err_bad_request);
	fake_mqs_teardown(m);
	ck_assert_uint_eq(o->f->n_live, 0);
	fake_mqs_destroy(m);
	fake_ompi_destroy(o);
}
END_TEST

/* An iteration that is left in the middle, and the process runs: nothing of before is shown. */
START_TEST(test_left_in_the_middle)
{
	struct fake_ompi *o = mqs_session_process(_i & 1 ? 4 : 8, _i & 2);
	struct fake_mqs *m = fake_mqs_create(o->f);
	mqs_pending_operation op;

	ck_assert_int_eq(fake_mqs_setup(m, NULL), mqs_ok);
	ck_assert_int_eq(m->dll.mqs_setup_communicator_iterator(m->process), mqs_ok);
	ck_assert_int_eq(m->dll.mqs_setup_operation_iterator(m->process, mqs_pending_receives), mqs_ok);
	ck_assert_int_eq(m->dll.mqs_next_operation(m->process, &op), mqs_ok);
	ck_assert_int_eq(op.desired_tag, 99);

	/* The first receive's tag changes while the debugger has pages in its hands. */
	uint64_t peer = fake_ompi_peer(o, o->world, 2);
	uint64_t list = fake_field_addr(o->f, peer, F_mca_pml_ob1_comm_proc_t_specific_receives);
	uint64_t request = fake_get_u(o->f, list + fake_field_offset(o->f, F_opal_list_t_opal_list_sentinel),
				      F_opal_list_item_t_opal_list_next);
	fake_put_i(o->f, request, F_mca_pml_base_request_t_req_tag, 98);
	ck_assert_int_eq(m->dll.mqs_update_communicator_list(m->process), mqs_ok);
	ck_assert_int_eq(m->dll.mqs_setup_communicator_iterator(m->process), mqs_ok);
	ck_assert_int_eq(m->dll.mqs_setup_operation_iterator(m->process, mqs_pending_receives), mqs_ok);
	ck_assert_int_eq(m->dll.mqs_next_operation(m->process, &op), mqs_ok);
	ck_assert_int_eq(op.desired_tag, 98);
	fake_mqs_teardown(m);
	fake_mqs_destroy(m);
	fake_ompi_destroy(o);
}
END_TEST

/* ---- both faces ------------------------------------------------------------------------------------- */

static int append(void *ctx, const char *text, size_t n)
{
	char *all = ctx;

	strncat(all, text, n);
	return 0;
}

START_TEST(test_gdb)
{
	struct fake_ompi *o = mqs_session_process(_i & 1 ? 4 : 8, _i & 2);
	struct fake_mqs *m = fake_mqs_create(o->f);
	char *text = NULL;
	static char written[1 << 16];
	struct mpidbg_options options = { .size = sizeof(options), .write = append, .write_ctx = written, .pid = 42 };
	struct mpidbg_stats stats;

	written[0] = '\0';
	ck_assert_int_eq(m->dll.mpidbg_init_once(&m->basic), MPIDBG_SUCCESS);
	ck_assert_int_eq(m->dll.mpidbg_init_per_image(m->image, &m->image_callbacks, NULL), MPIDBG_SUCCESS);
	ck_assert_int_eq(m->dll.mpidbg_init_per_process(m->process, &m->process_callbacks, NULL), MPIDBG_SUCCESS);
	ck_assert_int_eq(m->dll.mpidbg_get_stats(m->process, &stats), MPIDBG_SUCCESS);
	ck_assert_uint_le(stats.n_reads, 16); /* what kinds of objects there are, for the capabilities; no objects */
	ck_assert_int_eq(m->dll.mpidbg_describe(m->process, MPIDBG_WHAT_QUEUES, NULL, &text), MPIDBG_SUCCESS);
	options.size = sizeof(options);
	ck_assert_int_eq(m->dll.mpidbg_describe(m->process, MPIDBG_WHAT_QUEUES, &options, NULL), MPIDBG_SUCCESS);
	ck_assert_ptr_nonnull(strstr(text, "rank 1 of 4"));
	ck_assert_ptr_nonnull(strstr(text, "tag 99"));
	ck_assert_ptr_null(strstr(text, "pid"));
	ck_assert_ptr_nonnull(strstr(written, "pid 42"));
	ck_assert_ptr_nonnull(strstr(written, "tag 99"));
	m->dll.mpidbg_free(text);
	ck_assert_int_eq(m->dll.mpidbg_get_stats(m->process, &stats), MPIDBG_SUCCESS);
	ck_assert_uint_gt(stats.n_reads, 0);
	ck_assert_uint_gt(stats.read_bytes, 0);
	ck_assert_uint_gt(stats.n_objects, 0);
	m->dll.mpidbg_finalize_per_process(m->process, fake_mqs_process_info(m->process));
	m->dll.mpidbg_finalize_per_image(m->image, fake_mqs_image_info(m));
	ck_assert_ptr_null(fake_mqs_image_info(m));
	fake_mqs_destroy(m);
	fake_ompi_destroy(o);
}
END_TEST

/* A description in the middle of an iteration ends it, and harms nothing. */
START_TEST(test_describe_in_an_iteration)
{
	struct fake_ompi *o = mqs_session_process(8, false);
	struct fake_mqs *m = fake_mqs_create(o->f);
	mqs_pending_operation op;
	char *text = NULL;

	ck_assert_int_eq(fake_mqs_setup(m, NULL), mqs_ok);
	ck_assert_int_eq(m->dll.mqs_setup_communicator_iterator(m->process), mqs_ok);
	ck_assert_int_eq(m->dll.mqs_setup_operation_iterator(m->process, mqs_pending_receives), mqs_ok);
	ck_assert_int_eq(m->dll.mqs_next_operation(m->process, &op), mqs_ok);
	ck_assert_int_eq(m->dll.mpidbg_describe(m->process, MPIDBG_WHAT_QUEUES, NULL, &text), MPIDBG_SUCCESS);
	m->dll.mpidbg_free(text);
	ck_assert_int_eq(m->dll.mqs_next_operation(m->process, &op), err_no_current_communicator);
	ck_assert_uint_eq(mqs_session_walk(m).n_comms, 3);
	fake_mqs_teardown(m);
	fake_mqs_destroy(m);
	fake_ompi_destroy(o);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("mqs_padb");
	TCase *tc = tcase_create("mqs_padb");

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, test_padb);
	tcase_add_loop_test(tc, test_no_update, 0, 4);
	tcase_add_loop_test(tc, test_senseless_debugger, 0, 2);
	tcase_add_loop_test(tc, test_totalview, 0, 4);
	tcase_add_loop_test(tc, test_left_in_the_middle, 0, 4);
	tcase_add_loop_test(tc, test_gdb, 0, 4);
	tcase_add_test(tc, test_describe_in_an_iteration);
	suite_add_tcase(s, tc);
	return s;
}

int main(void)
{
	return suite_run(suite());
}
