/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The built DLL with wrong arguments, in the wrong order, with callbacks that fail and memory that lies. It
 * answers with the code that its header promises, gives back what it has taken, and neither crashes nor hangs.
 */
#include "../support/mqs_session.h"
#include "../support/suite.h"

#include <check.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* Kinds of targets: 0..3. */
static struct fake_ompi *process_of(int i)
{
	return mqs_session_process(i & 1 ? 4 : 8, i & 2);
}

/* ---- arguments -------------------------------------------------------------------------------------- */

/* Every entry point with a process argument, for a process that is not set up, and for NULL. */
static void check_no_process(struct fake_mqs *m, mqs_process *process)
{
	mqs_communicator comm;
	mqs_pending_operation op;
	mqs_process_location location;
	int ranks[4], calls, active;
	char *message = (char *)"untouched";

	ck_assert_int_eq(m->dll.mqs_process_has_queues(process, &message), err_bad_request);
	ck_assert_int_eq(m->dll.mqs_process_has_queues(process, NULL), err_bad_request);
	ck_assert_int_eq(m->dll.mqs_update_communicator_list(process), err_bad_request);
	ck_assert_int_eq(m->dll.mqs_setup_communicator_iterator(process), err_bad_request);
	ck_assert_int_eq(m->dll.mqs_get_communicator(process, &comm), err_bad_request);
	ck_assert_int_eq(m->dll.mqs_get_comm_group(process, ranks), err_bad_request);
	ck_assert_int_eq(m->dll.mqs_next_communicator(process), err_bad_request);
	ck_assert_int_eq(m->dll.mqs_setup_operation_iterator(process, mqs_pending_sends), err_bad_request);
	ck_assert_int_eq(m->dll.mqs_next_operation(process, &op), err_bad_request);
	ck_assert_int_eq(m->dll.mqs_get_global_rank(process), MQS_INVALID_PROCESS);
	ck_assert_int_eq(m->dll.mqs_get_comm_coll_state(process, 0, &calls, &active), err_bad_request);
	ck_assert_int_eq(m->dll.mqs_setup_new_process_iterator(process), err_bad_request);
	ck_assert_int_eq(m->dll.mqs_next_new_process(process, &location), err_bad_request);
	ck_assert_int_eq(m->dll.mqs_set_process_identity(process, 0), err_bad_request);
	ck_assert_ptr_nonnull(strstr(m->dll.mqs_dll_error_string(err_bad_request), "not set up"));

	struct mpidbg_stats stats;
	struct mpidbg_proc *procs = (void *)1;
	size_t n = 77;
	char *text = (char *)"untouched";
	ck_assert_int_eq(m->dll.mpidbg_get_stats(process, &stats), MPIDBG_ERR_OUT_OF_RANGE);
	ck_assert_int_eq(m->dll.mpidbg_get_proctable(process, &procs, &n), MPIDBG_ERR_OUT_OF_RANGE);
	ck_assert_ptr_eq(procs, (void *)1);
	ck_assert_uint_eq(n, 77);
	ck_assert_int_eq(m->dll.mpidbg_describe(process, MPIDBG_WHAT_COMMS, NULL, &text), MPIDBG_ERR_OUT_OF_RANGE);
	ck_assert_ptr_null(text);
	ck_assert_ptr_nonnull(m->dll.mpidbg_error_string(process));
}

START_TEST(test_before_anything)
{
	struct fake_ompi *o = process_of(_i);
	struct fake_mqs *m = fake_mqs_create(o->f);

	check_no_process(m, NULL);
	check_no_process(m, m->process);
	ck_assert_int_eq(m->dll.mqs_image_has_queues(NULL, NULL), err_bad_request);
	ck_assert_int_eq(m->dll.mqs_image_has_queues(m->image, NULL), err_bad_request);
	ck_assert_int_eq(m->dll.mqs_setup_image(NULL, &m->image_callbacks), err_bad_request);
	ck_assert_int_eq(m->dll.mqs_setup_image(m->image, NULL), err_bad_request);
	ck_assert_ptr_null(fake_mqs_image_info(m));
	ck_assert_int_eq(m->dll.mqs_setup_process(NULL, &m->process_callbacks), err_bad_request);
	ck_assert_int_eq(m->dll.mqs_setup_process(m->process, NULL), err_bad_request);
	/* Its image is not set up. */
	ck_assert_int_eq(m->dll.mqs_setup_process(m->process, &m->process_callbacks), err_bad_request);
	ck_assert_ptr_null(fake_mqs_process_info(m->process));
	ck_assert_int_eq(m->dll.mpidbg_init_per_image(NULL, &m->image_callbacks, NULL), MPIDBG_ERR_OUT_OF_RANGE);
	ck_assert_int_eq(m->dll.mpidbg_init_per_image(m->image, NULL, NULL), MPIDBG_ERR_OUT_OF_RANGE);
	ck_assert_int_eq(m->dll.mpidbg_init_per_process(m->process, &m->process_callbacks, NULL),
			 MPIDBG_ERR_OUT_OF_RANGE);
	ck_assert_int_eq(m->dll.mqs_setup_job(NULL, NULL), err_bad_request);
	ck_assert_int_eq(m->dll.mqs_destroy_job_info(NULL), mqs_ok);
	m->dll.mqs_destroy_image_info(NULL);
	m->dll.mqs_destroy_process_info(NULL);
	m->dll.mpidbg_finalize_per_image(NULL, NULL);
	m->dll.mpidbg_finalize_per_process(NULL, NULL);
	m->dll.mpidbg_finalize_per_image(m->image, NULL);
	m->dll.mpidbg_finalize_per_process(m->process, NULL);
	m->dll.mpidbg_free(NULL);
	fake_mqs_destroy(m);
	fake_ompi_destroy(o);
}
END_TEST

START_TEST(test_names_and_numbers)
{
	struct fake_ompi *o = process_of(0);
	struct fake_mqs *m = fake_mqs_create(o->f);

	ck_assert_int_eq(m->dll.mqs_version_compatibility(), 2);
	ck_assert_int_eq(m->dll.mqs_dll_taddr_width(), (int)sizeof(long));
	ck_assert_ptr_nonnull(strstr(m->dll.mqs_version_string(), "mpidbg"));
	ck_assert_str_eq(m->dll.mqs_dll_error_string(4711), "unknown error code 4711");
	ck_assert_str_eq(m->dll.mqs_dll_error_string(-1), "unknown error code -1");
	ck_assert_int_eq(*m->dll.mpidbg_dll_bitness, 8 * (int)sizeof(void *));
	ck_assert_int_eq(*m->dll.mpidbg_dll_is_big_endian, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	fake_mqs_destroy(m);
	fake_ompi_destroy(o);
}
END_TEST

START_TEST(test_basic_callbacks)
{
	struct fake_ompi *o = process_of(0);
	struct fake_mqs *m = fake_mqs_create(o->f);
	mqs_basic_callbacks incomplete = m->basic;

	/* Refused tables leave the good one in force. */
	incomplete.mqs_malloc_fp = NULL;
	m->dll.mqs_setup_basic_callbacks(NULL);
	m->dll.mqs_setup_basic_callbacks(&incomplete);
	ck_assert_int_eq(m->dll.mpidbg_init_once(NULL), MPIDBG_ERR_OUT_OF_RANGE);
	ck_assert_int_eq(m->dll.mpidbg_init_once(&incomplete), MPIDBG_ERR_OUT_OF_RANGE);
	ck_assert_int_eq(fake_mqs_setup(m, NULL), mqs_ok);
	ck_assert_uint_eq(mqs_session_walk(m).n_comms, 3);
	fake_mqs_teardown(m);
	ck_assert_uint_eq(m->n_dprints, 0);
	fake_mqs_destroy(m);
	fake_ompi_destroy(o);
}
END_TEST

/* Tables without a function that is needed are refused; without types a pack may answer. */
START_TEST(test_incomplete_tables)
{
	struct fake_ompi *o = process_of(0);
	struct fake_mqs *m = fake_mqs_create(o->f);
	mqs_image_callbacks image = m->image_callbacks;
	mqs_process_callbacks process = m->process_callbacks;

	image.mqs_find_symbol_fp = NULL;
	ck_assert_int_eq(m->dll.mqs_setup_image(m->image, &image), err_bad_request);
	image = m->image_callbacks;
	image.mqs_get_type_sizes_fp = NULL;
	ck_assert_int_eq(m->dll.mqs_setup_image(m->image, &image), err_bad_request);
	ck_assert_ptr_null(fake_mqs_image_info(m));
	m->image_callbacks.mqs_find_type_fp = NULL;
	m->image_callbacks.mqs_field_offset_fp = NULL;
	m->image_callbacks.mqs_sizeof_fp = NULL;
	m->image_callbacks.mqs_find_function_fp = NULL;
	ck_assert_int_eq(m->dll.mqs_setup_image(m->image, &m->image_callbacks), mqs_ok);
	process.mqs_fetch_data_fp = NULL;
	ck_assert_int_eq(m->dll.mqs_setup_process(m->process, &process), err_bad_request);
	process = m->process_callbacks;
	process.mqs_get_image_fp = NULL;
	ck_assert_int_eq(m->dll.mqs_setup_process(m->process, &process), err_bad_request);
	process = m->process_callbacks;
	process.mqs_target_to_host_fp = NULL;
	ck_assert_int_eq(m->dll.mqs_setup_process(m->process, &process), err_bad_request);
	ck_assert_ptr_null(fake_mqs_process_info(m->process));
	m->process_callbacks.mqs_get_global_rank_fp = NULL;
	ck_assert_int_eq(m->dll.mqs_setup_process(m->process, &m->process_callbacks), mqs_ok);

	char *message = NULL;
	int rc = m->dll.mqs_process_has_queues(m->process, &message);
	ck_assert_int_eq(rc, err_missing_type);
	ck_assert_ptr_nonnull(message);
	ck_assert_ptr_null(strchr(message, '%'));
	fake_mqs_teardown(m);
	fake_mqs_destroy(m);
	fake_ompi_destroy(o);
}
END_TEST

/* ---- order ------------------------------------------------------------------------------------------ */

START_TEST(test_order)
{
	struct fake_ompi *o = process_of(_i);
	struct fake_mqs *m = fake_mqs_create(o->f);
	mqs_communicator comm;
	mqs_pending_operation op;
	int ranks[4], calls = 7, active = 7;

	ck_assert_int_eq(fake_mqs_setup(m, NULL), mqs_ok);
	ck_assert_int_eq(m->dll.mqs_get_communicator(m->process, &comm), err_no_current_communicator);
	ck_assert_int_eq(m->dll.mqs_get_comm_group(m->process, ranks), err_no_current_communicator);
	ck_assert_int_eq(m->dll.mqs_setup_operation_iterator(m->process, mqs_pending_sends),
			 err_no_current_communicator);
	ck_assert_int_eq(m->dll.mqs_next_operation(m->process, &op), err_no_current_communicator);
	ck_assert_int_eq(m->dll.mqs_next_communicator(m->process), mqs_end_of_list);

	ck_assert_int_eq(m->dll.mqs_setup_communicator_iterator(m->process), mqs_ok);
	ck_assert_int_eq(m->dll.mqs_get_communicator(m->process, NULL), err_bad_request);
	ck_assert_int_eq(m->dll.mqs_get_comm_group(m->process, NULL), err_bad_request);
	ck_assert_int_eq(m->dll.mqs_next_operation(m->process, NULL), err_bad_request);
	ck_assert_int_eq(m->dll.mqs_next_operation(m->process, &op), mqs_end_of_list);
	ck_assert_int_eq(m->dll.mqs_setup_operation_iterator(m->process, -1), err_bad_request);
	ck_assert_int_eq(m->dll.mqs_setup_operation_iterator(m->process, 3), err_bad_request);
	ck_assert_int_eq(m->dll.mqs_setup_operation_iterator(m->process, mqs_pending_receives), mqs_ok);
	ck_assert_int_eq(m->dll.mqs_next_operation(m->process, &op), mqs_ok);
	/* The next communicator ends the walk over this one's operations. */
	ck_assert_int_eq(m->dll.mqs_next_communicator(m->process), mqs_ok);
	ck_assert_int_eq(m->dll.mqs_next_operation(m->process, &op), mqs_end_of_list);
	ck_assert_int_eq(m->dll.mqs_setup_operation_iterator(m->process, mqs_pending_receives), mqs_ok);
	/* So does the news that the process has run. */
	ck_assert_int_eq(m->dll.mqs_update_communicator_list(m->process), mqs_ok);
	ck_assert_int_eq(m->dll.mqs_get_communicator(m->process, &comm), err_no_current_communicator);

	ck_assert_int_eq(m->dll.mqs_get_comm_coll_state(m->process, 0, &calls, &active), mqs_no_information);
	ck_assert_int_eq(m->dll.mqs_get_comm_coll_state(m->process, 14, &calls, &active), err_bad_request);
	ck_assert_int_eq(m->dll.mqs_get_comm_coll_state(m->process, -1, &calls, &active), err_bad_request);
	ck_assert_int_eq(m->dll.mqs_get_comm_coll_state(m->process, 0, NULL, &active), err_bad_request);
	ck_assert_int_eq(calls, 7);
	ck_assert_int_eq(m->dll.mqs_setup_new_process_iterator(m->process), mqs_no_information);
	ck_assert_int_eq(m->dll.mqs_set_process_identity(m->process, 3), mqs_ok);
	fake_mqs_teardown(m);
	fake_mqs_destroy(m);
	fake_ompi_destroy(o);
}
END_TEST

START_TEST(test_after_destroy)
{
	struct fake_ompi *o = process_of(_i);
	struct fake_mqs *m = fake_mqs_create(o->f);

	ck_assert_int_eq(fake_mqs_setup(m, NULL), mqs_ok);
	mqs_session_walk(m);
	m->dll.mqs_destroy_process_info(fake_mqs_process_info(m->process));
	ck_assert_ptr_null(fake_mqs_process_info(m->process)); /* emptied by the DLL */
	check_no_process(m, m->process);
	/* And again. */
	ck_assert_int_eq(m->dll.mqs_setup_process(m->process, &m->process_callbacks), mqs_ok);
	ck_assert_uint_eq(mqs_session_walk(m).n_comms, 3);
	fake_mqs_teardown(m);
	check_no_process(m, m->process);
	ck_assert_uint_eq(o->f->n_live, 0);
	fake_mqs_destroy(m);
	fake_ompi_destroy(o);
}
END_TEST

/* The image goes first: its process is of no use any more, and is released all the same. */
START_TEST(test_image_destroyed_first)
{
	struct fake_ompi *o = process_of(0);
	struct fake_mqs *m = fake_mqs_create(o->f);

	ck_assert_int_eq(fake_mqs_setup(m, NULL), mqs_ok);
	ck_assert_int_eq(m->dll.mqs_setup_communicator_iterator(m->process), mqs_ok);
	ck_assert_int_eq(m->dll.mqs_setup_operation_iterator(m->process, mqs_pending_receives), mqs_ok);
	m->dll.mqs_destroy_image_info(fake_mqs_image_info(m));
	ck_assert_ptr_null(fake_mqs_image_info(m));
	check_no_process(m, m->process);
	/* Set up again, it serves the same process. */
	ck_assert_int_eq(m->dll.mqs_setup_image(m->image, &m->image_callbacks), mqs_ok);
	ck_assert_int_eq(m->dll.mqs_setup_process(m->process, &m->process_callbacks), mqs_ok);
	ck_assert_uint_eq(mqs_session_walk(m).n_comms, 3);
	m->dll.mqs_destroy_image_info(fake_mqs_image_info(m));
	/* The process was set up twice. */
	m->dll.mqs_destroy_process_info(fake_mqs_process_info(m->process));
	ck_assert_ptr_nonnull(fake_mqs_process_info(m->process));
	m->dll.mqs_destroy_process_info(fake_mqs_process_info(m->process));
	ck_assert_ptr_null(fake_mqs_process_info(m->process));
	ck_assert_uint_eq(o->f->n_live, 0);
	fake_mqs_destroy(m);
	fake_ompi_destroy(o);
}
END_TEST

/* The slots hold something of another plugin. */
static char foreign[4096];

static mqs_process_info *get_foreign_process(mqs_process *process)
{
	(void)process;
	return (mqs_process_info *)foreign;
}

START_TEST(test_foreign_slot)
{
	struct fake_ompi *o = process_of(0);
	struct fake_mqs *m = fake_mqs_create(o->f);

	m->basic.mqs_get_process_info_fp = get_foreign_process;
	check_no_process(m, m->process);
	m->dll.mqs_destroy_process_info((mqs_process_info *)foreign);
	m->dll.mqs_destroy_image_info((mqs_image_info *)foreign);
	m->dll.mpidbg_finalize_per_image(m->image, (mqs_image_info *)foreign);
	m->dll.mpidbg_finalize_per_process(m->process, (mqs_process_info *)foreign);
	fake_mqs_destroy(m);
	fake_ompi_destroy(o);
}
END_TEST

/* Both faces share one state: it exists until the last face has released it, in any order. */
START_TEST(test_two_faces)
{
	struct fake_ompi *o = process_of(0);
	struct fake_mqs *m = fake_mqs_create(o->f);
	struct mpidbg_handle_info_t types;

	memset(&types, 0x5a, sizeof(types));
	if (_i & 1) {
		ck_assert_int_eq(m->dll.mpidbg_init_per_image(m->image, &m->image_callbacks, &types), MPIDBG_SUCCESS);
		ck_assert_int_eq(m->dll.mqs_setup_image(m->image, &m->image_callbacks), mqs_ok);
		ck_assert_int_eq(m->dll.mpidbg_init_per_process(m->process, &m->process_callbacks, NULL),
				 MPIDBG_SUCCESS);
		ck_assert_int_eq(m->dll.mqs_setup_process(m->process, &m->process_callbacks), mqs_ok);
	} else {
		ck_assert_int_eq(m->dll.mqs_setup_image(m->image, &m->image_callbacks), mqs_ok);
		ck_assert_int_eq(m->dll.mqs_setup_process(m->process, &m->process_callbacks), mqs_ok);
		ck_assert_int_eq(m->dll.mpidbg_init_per_image(m->image, &m->image_callbacks, &types), MPIDBG_SUCCESS);
		ck_assert_int_eq(m->dll.mpidbg_init_per_process(m->process, &m->process_callbacks, &types),
				 MPIDBG_SUCCESS);
	}
	/* the fake has Open MPI's structures, and none of the standard's names */
	ck_assert_ptr_nonnull(types.hi_c_comm);
	ck_assert_ptr_null(types.hi_c_aint); /* the debugger knows no MPI_Comm here */
	ck_assert_ptr_null(types.hi_cxx_win);

	mqs_process_info *info = fake_mqs_process_info(m->process);
	mqs_image_info *image_info = fake_mqs_image_info(m);
	if (_i & 2) {
		m->dll.mqs_destroy_process_info(info);
		m->dll.mqs_destroy_process_info(info); /* of a face that is gone: nothing happens */
		m->dll.mqs_destroy_image_info(image_info);
		ck_assert_ptr_eq(fake_mqs_process_info(m->process), info);

		char *text = NULL;
		ck_assert_int_eq(m->dll.mpidbg_describe(m->process, MPIDBG_WHAT_COMMS, NULL, &text), MPIDBG_SUCCESS);
		ck_assert_ptr_nonnull(strstr(text, "row"));
		m->dll.mpidbg_free(text);
		m->dll.mpidbg_finalize_per_process(m->process, info);
		m->dll.mpidbg_finalize_per_image(m->image, image_info);
	} else {
		m->dll.mpidbg_finalize_per_process(m->process, NULL);
		m->dll.mpidbg_finalize_per_image(m->image, NULL);
		ck_assert_uint_eq(mqs_session_walk(m).n_comms, 3);
		m->dll.mqs_destroy_process_info(info);
		m->dll.mqs_destroy_image_info(image_info);
	}
	ck_assert_ptr_null(fake_mqs_process_info(m->process));
	ck_assert_ptr_null(fake_mqs_image_info(m));
	ck_assert_uint_eq(o->f->n_live, 0);
	fake_mqs_destroy(m);
	fake_ompi_destroy(o);
}
END_TEST

/* ---- facts ------------------------------------------------------------------------------------------ */

static void next_op(struct fake_mqs *m, mqs_pending_operation *ret)
{
	memset(ret, 0x5a, sizeof(*ret));
	ck_assert_int_eq(m->dll.mqs_next_operation(m->process, ret), mqs_ok);
}

START_TEST(test_facts)
{
	struct fake_ompi *o = process_of(_i);
	struct fake_mqs *m = fake_mqs_create(o->f);
	mqs_communicator comm;
	mqs_pending_operation op;
	int ranks[4];

	ck_assert_int_eq(fake_mqs_setup(m, NULL), mqs_ok);
	ck_assert_int_eq(m->dll.mqs_get_global_rank(m->process), 1);
	ck_assert_int_eq(m->dll.mqs_setup_communicator_iterator(m->process), mqs_ok);
	ck_assert_int_eq(m->dll.mqs_get_communicator(m->process, &comm), mqs_ok);
	ck_assert_str_eq(comm.name, "MPI_COMM_WORLD");
	ck_assert_int_eq(comm.local_rank, 1);
	ck_assert_int_eq(comm.size, 4);
	ck_assert_uint_eq(comm.unique_id, 0);
	ck_assert_int_eq(m->dll.mqs_get_comm_group(m->process, ranks), mqs_ok);
	for (int i = 0; i < 4; i++)
		ck_assert_int_eq(ranks[i], i);

	ck_assert_int_eq(m->dll.mqs_setup_operation_iterator(m->process, mqs_pending_receives), mqs_ok);
	next_op(m, &op);
	ck_assert_int_eq(op.status, mqs_st_pending);
	ck_assert_int_eq(op.desired_local_rank, 2);
	ck_assert_int_eq(op.desired_global_rank, 2);
	ck_assert_int_eq(op.tag_wild, 0);
	ck_assert_int_eq(op.desired_tag, 99);
	ck_assert_int_eq(op.desired_length, 20);
	ck_assert_str_eq(op.extra_text[0], "Receive: MPI_Recv or MPI_Irecv");
	ck_assert_str_eq(op.extra_text[1], "5 MPI_INT");
	ck_assert_int_eq(strncmp(op.extra_text[2], "request 0x", 10), 0);
	next_op(m, &op);
	ck_assert_int_eq(op.desired_local_rank, MQS_INVALID_PROCESS);
	ck_assert_int_eq(op.desired_tag, 7);
	next_op(m, &op);
	ck_assert_int_eq(op.desired_local_rank, 3);
	ck_assert_int_eq(op.tag_wild, 1);
	ck_assert_int_eq(m->dll.mqs_next_operation(m->process, &op), mqs_end_of_list);
	ck_assert_int_eq(m->dll.mqs_next_operation(m->process, &op), mqs_end_of_list);

	ck_assert_int_eq(m->dll.mqs_setup_operation_iterator(m->process, mqs_pending_sends), mqs_ok);
	next_op(m, &op);
	ck_assert_int_eq(op.desired_local_rank, 2);
	ck_assert_int_eq(op.actual_local_rank, 2); /* of a send both are valid */
	ck_assert_int_eq(op.desired_tag, 11);
	ck_assert_int_eq(op.actual_tag, 11);
	ck_assert_int_eq(op.desired_length, 16);
	ck_assert_str_eq(op.extra_text[0], "Send: MPI_Ssend or MPI_Issend");
	ck_assert_int_eq(m->dll.mqs_next_operation(m->process, &op), mqs_end_of_list);

	unsigned n_eager = 0, n_rendezvous = 0;
	ck_assert_int_eq(m->dll.mqs_setup_operation_iterator(m->process, mqs_unexpected_messages), mqs_ok);
	while (m->dll.mqs_next_operation(m->process, &op) == mqs_ok) {
		ck_assert_str_eq(op.extra_text[0], "Unexpected message");
		ck_assert_int_eq(op.desired_local_rank, op.actual_local_rank);
		n_eager += op.actual_local_rank == 3 && op.actual_tag == 8 && op.actual_length == 100;
		n_rendezvous += op.actual_local_rank == 0 && op.actual_tag == 9 && op.actual_length == 1000000;
	}
	ck_assert_uint_eq(n_eager, 1);
	ck_assert_uint_eq(n_rendezvous, 1);

	ck_assert_int_eq(m->dll.mqs_next_communicator(m->process), mqs_ok);
	ck_assert_int_eq(m->dll.mqs_next_communicator(m->process), mqs_ok);
	ck_assert_int_eq(m->dll.mqs_get_communicator(m->process, &comm), mqs_ok);
	ck_assert_str_eq(comm.name, "row");
	ck_assert_int_eq(comm.size, 3);
	ck_assert_int_eq(m->dll.mqs_next_communicator(m->process), mqs_end_of_list);
	ck_assert_int_eq(m->dll.mqs_get_communicator(m->process, &comm), err_no_current_communicator);
	fake_mqs_teardown(m);
	fake_mqs_destroy(m);
	fake_ompi_destroy(o);
}
END_TEST

/* A name that would harm a terminal, and one that is cut inside of a character. */
START_TEST(test_hostile_names)
{
	struct fake_ompi *o = process_of(0);
	struct fake_mqs *m = fake_mqs_create(o->f);
	mqs_communicator comm;

	uint64_t row = fake_peek_ptr(o->f, o->slots + 3 * o->f->word_bytes);
	fake_put_chars(o->f, row, F_ompi_communicator_t_c_name, "a\033[31mb\xff\xc3\xbc");
	ck_assert_int_eq(fake_mqs_setup(m, NULL), mqs_ok);
	ck_assert_int_eq(m->dll.mqs_setup_communicator_iterator(m->process), mqs_ok);
	ck_assert_int_eq(m->dll.mqs_next_communicator(m->process), mqs_ok);
	ck_assert_int_eq(m->dll.mqs_next_communicator(m->process), mqs_ok);
	ck_assert_int_eq(m->dll.mqs_get_communicator(m->process, &comm), mqs_ok);
	ck_assert_str_eq(comm.name, "a?[31mb?\xc3\xbc");
	fake_mqs_teardown(m);
	fake_mqs_destroy(m);
	fake_ompi_destroy(o);
}
END_TEST

/* States of the library without communicators. */
START_TEST(test_states)
{
	static const struct {
		int state;
		const char *words;
	} rows[] = { { 0, "not initialised" }, { 1, "not initialised" }, { 5, "finalised" } };
	struct fake_ompi *o = process_of(0);
	struct fake_mqs *m = fake_mqs_create(o->f);
	uint64_t addr;
	char *message = NULL, *text = NULL;

	ck_assert(fake_ops.symbol(o->f, "ompi_mpi_state", &addr));
	fake_write_u(o->f, addr, 4, (uint64_t)rows[_i].state);
	ck_assert_int_eq(fake_mqs_setup(m, &message), mqs_no_information);
	ck_assert_ptr_nonnull(message);
	ck_assert_msg(strstr(message, rows[_i].words), "%s", message);
	ck_assert_ptr_nonnull(strstr(m->dll.mqs_dll_error_string(mqs_no_information), rows[_i].words));
	ck_assert_int_eq(m->dll.mqs_setup_communicator_iterator(m->process), mqs_end_of_list);
	ck_assert_int_eq(m->dll.mqs_get_global_rank(m->process), MQS_INVALID_PROCESS);
	ck_assert_int_eq(m->dll.mpidbg_describe(m->process, MPIDBG_WHAT_QUEUES, NULL, &text), MPIDBG_ERR_NOT_FOUND);
	ck_assert_ptr_nonnull(strstr(text, rows[_i].words));
	m->dll.mpidbg_free(text);
	/* It goes on: the same process, a moment later. */
	fake_write_u(o->f, addr, 4, 2);
	ck_assert_int_eq(m->dll.mqs_process_has_queues(m->process, &message), mqs_ok);
	ck_assert_uint_eq(mqs_session_walk(m).n_comms, 3);
	fake_mqs_teardown(m);
	fake_mqs_destroy(m);
	fake_ompi_destroy(o);
}
END_TEST

/* No MPI at all. */
START_TEST(test_no_mpi)
{
	struct fake *f = fake_create(8, false, NULL);
	struct fake_mqs *m = fake_mqs_create(f);
	struct mpidbg_proc *procs;
	size_t n;
	char *message = NULL, *text = NULL;

	ck_assert_int_eq(fake_mqs_setup(m, &message), mqs_no_information);
	ck_assert_msg(message && strstr(message, "no MPI"), "%s", message);
	ck_assert_int_eq(m->dll.mqs_setup_communicator_iterator(m->process), mqs_no_information);
	ck_assert_int_eq(m->dll.mpidbg_describe(m->process, MPIDBG_WHAT_DOCTOR, NULL, &text), MPIDBG_ERR_NOT_FOUND);
	ck_assert_ptr_nonnull(strstr(text, "what to do"));
	m->dll.mpidbg_free(text);
	ck_assert_int_eq(m->dll.mpidbg_get_proctable(m->process, &procs, &n), MPIDBG_ERR_NOT_FOUND);
	fake_mqs_teardown(m);
	fake_mqs_destroy(m);
	fake_destroy(f);
}
END_TEST

/* ---- callbacks that fail ------------------------------------------------------------------------------ */

/* Set-up, walk, every description and tear-down; any return code is accepted. */
static void session_of_everything(struct fake_mqs *m)
{
	char *message = NULL, *text;
	int rc = fake_mqs_setup(m, &message);

	mqs_session_check_code(m, rc);
	if (message)
		ck_assert_uint_lt(strlen(message), 1000);
	if (fake_mqs_process_info(m->process)) {
		m->dll.mqs_get_global_rank(m->process);
		mqs_session_walk(m);
	}
	for (int what = MPIDBG_WHAT_COMMS; fake_mqs_process_info(m->process) && what <= MPIDBG_WHAT_PROCS; what++) {
		struct mpidbg_options options = { .size = sizeof(options), .format = MPIDBG_FORMAT_JSON, .all = 1 };
		json_error_t error;

		text = (char *)"untouched";
		rc = m->dll.mpidbg_describe(m->process, what, &options, &text);
		ck_assert_int_ge(rc, MPIDBG_SUCCESS);
		ck_assert_int_lt(rc, MPIDBG_MAX_RETURN_CODE);
		if (rc == MPIDBG_ERR_NO_MEM || rc == MPIDBG_ERR_OUT_OF_RANGE)
			ck_assert_ptr_null(text);
		if (text && text[0]) {
			json_t *json = json_loads(text, 0, &error);

			ck_assert_msg(json, "%s: %s", error.text, text);
			json_decref(json);
		}
		m->dll.mpidbg_free(text);
	}
	fake_mqs_teardown(m);
	ck_assert_uint_eq(m->fake->n_live, 0);
}

START_TEST(test_nth_read_fails)
{
	struct fake_ompi *o = process_of(_i & 3);
	bool for_ever = _i & 4;

	for (int64_t n = _i % suite_stride(4);; n += suite_stride(4)) {
		struct fake_mqs *m = fake_mqs_create(o->f);

		fake_fuse(&o->f->reads, n, for_ever);
		session_of_everything(m);
		bool done = !o->f->reads.n_failed;
		fake_mqs_destroy(m);
		fake_fuse_off(&o->f->reads);
		if (done)
			break;
		ck_assert_int_lt(n, 100000);
	}
	fake_ompi_destroy(o);
}
END_TEST

START_TEST(test_nth_malloc_fails)
{
	struct fake_ompi *o = process_of(_i & 3);
	bool for_ever = _i & 4;

	for (int64_t n = _i % suite_stride(4);; n += suite_stride(4)) {
		struct fake_mqs *m = fake_mqs_create(o->f);

		fake_fuse(&o->f->allocs, n, for_ever);
		if (n == 0) {
			ck_assert_int_eq(m->dll.mqs_setup_image(m->image, &m->image_callbacks), err_no_store);
			ck_assert_ptr_null(fake_mqs_image_info(m));
		}
		session_of_everything(m);
		bool done = !o->f->allocs.n_failed;
		fake_mqs_destroy(m);
		fake_fuse_off(&o->f->allocs);
		if (done)
			break;
		ck_assert_int_lt(n, 100000);
	}
	fake_ompi_destroy(o);
}
END_TEST

/* Symbols and types: the same with callbacks of our own in front of the fake's. */
static struct {
	mqs_find_symbol_ft symbol;
	mqs_find_type_ft type;
	int64_t symbols_left, types_left;
	unsigned n_failed;
} blown;

static int find_symbol(mqs_image *image, char *name, mqs_taddr_t *ret)
{
	if (blown.symbols_left-- == 0) {
		blown.n_failed++;
		return mqs_no_information;
	}
	return blown.symbol(image, name, ret);
}

static mqs_type *find_type(mqs_image *image, char *name, mqs_lang_code language)
{
	if (blown.types_left-- == 0) {
		blown.n_failed++;
		return NULL;
	}
	return blown.type(image, name, language);
}

START_TEST(test_nth_symbol_or_type_fails)
{
	struct fake_ompi *o = process_of(_i & 3);

	for (int64_t n = _i % suite_stride(4);; n += suite_stride(4)) {
		struct fake_mqs *m = fake_mqs_create(o->f);

		blown.symbol = m->image_callbacks.mqs_find_symbol_fp;
		blown.type = m->image_callbacks.mqs_find_type_fp;
		m->image_callbacks.mqs_find_symbol_fp = find_symbol;
		m->image_callbacks.mqs_find_type_fp = find_type;
		blown.symbols_left = _i & 4 ? n : -1;
		blown.types_left = _i & 4 ? -1 : n;
		blown.n_failed = 0;
		session_of_everything(m);
		fake_mqs_destroy(m);
		if (!blown.n_failed)
			break;
		ck_assert_int_lt(n, 10000);
	}
	fake_ompi_destroy(o);
}
END_TEST

/* ---- memory that lies --------------------------------------------------------------------------------- */

static struct mqs_seen walk_damaged(struct fake_ompi *o)
{
	struct fake_mqs *m = fake_mqs_create(o->f);
	struct mqs_seen seen = { 0 };

	if (fake_mqs_setup(m, NULL) == mqs_ok)
		seen = mqs_session_walk(m);
	else
		seen.first_failure = mqs_no_information;
	fake_mqs_teardown(m);
	session_of_everything(m);
	fake_mqs_destroy(m);
	return seen;
}

/* A receive whose next pointer leads back to itself, or to an invalid address. */
START_TEST(test_damaged_receives)
{
	static const uint64_t nowhere[] = { 0, 0xdeadbee8, 0xfffffff8, 3 };
	struct fake_ompi *o = process_of(_i & 3);
	uint64_t request = fake_ompi_post(o, o->world, 2, 99, 5);

	fake_put_u(o->f, request, F_opal_list_item_t_opal_list_next, _i >> 2 ? nowhere[(_i >> 2) - 1] : request);

	struct mqs_seen seen = walk_damaged(o);
	ck_assert_uint_eq(seen.n_comms, 3);
	ck_assert_int_ne(seen.first_failure, 0);
	ck_assert_msg(seen.first_failure == err_posted || seen.first_failure == err_failed_rhandle, "%d",
		      seen.first_failure);
	ck_assert_uint_eq(seen.n_ops[mqs_unexpected_messages], 2); /* the other queues are still read */
	fake_ompi_destroy(o);
}
END_TEST

/* Sizes that make no sense, in the table of communicators and in a group. */
START_TEST(test_damaged_sizes)
{
	static const uint64_t sizes[] = { 0x80000000, 0xffffffff, 0x7fffffff, 0x40000000 };
	struct fake_ompi *o = process_of(_i & 3);
	uint64_t group = fake_get_u(o->f, o->world, F_ompi_communicator_t_c_local_group);

	fake_put_u(o->f, group, F_ompi_group_t_grp_proc_count, sizes[_i >> 2]);
	walk_damaged(o);
	fake_ompi_destroy(o);

	o = process_of(_i & 3);
	fake_put_u(o->f, o->table, F_opal_pointer_array_t_size, sizes[_i >> 2]);
	ck_assert_int_ne(walk_damaged(o).first_failure, mqs_ok);
	fake_ompi_destroy(o);
}
END_TEST

/* The word of every object of the process in turn is replaced. */
START_TEST(test_any_word_of_a_communicator)
{
	static const uint64_t values[] = { 0, 1, 0x7fffffff, 0xfffffff0, 0xdeadbee8 };
	struct fake_ompi *o = process_of(_i & 3);
	uint64_t row = fake_peek_ptr(o->f, o->slots + 3 * o->f->word_bytes);
	uint32_t bytes = fake_type_bytes(o->f, T_ompi_communicator_t);

	for (uint32_t at = 4 * (_i % suite_stride(4)); at + 4 <= bytes; at += 4 * suite_stride(4)) {
		for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
			uint64_t saved = fake_peek_u(o->f, row + at, 4);

			fake_write_u(o->f, row + at, 4, values[i]);
			walk_damaged(o);
			fake_write_u(o->f, row + at, 4, saved);
		}
	}
	fake_ompi_destroy(o);
}
END_TEST

/* ---- descriptions ------------------------------------------------------------------------------------- */

static int stop_after(void *ctx, const char *text, size_t n)
{
	(void)text, (void)n;
	return (*(int *)ctx)-- <= 0;
}

START_TEST(test_describe_arguments)
{
	struct fake_ompi *o = process_of(0);
	struct fake_mqs *m = fake_mqs_create(o->f);
	struct mpidbg_options options = { .size = sizeof(options) };
	char *text = NULL;
	int left = 0;

	ck_assert_int_eq(fake_mqs_setup(m, NULL), mqs_ok);
	ck_assert_int_eq(m->dll.mpidbg_describe(m->process, -1, NULL, &text), MPIDBG_ERR_OUT_OF_RANGE);
	ck_assert_int_eq(m->dll.mpidbg_describe(m->process, MPIDBG_WHAT_VARS + 1, NULL, &text),
			 MPIDBG_ERR_OUT_OF_RANGE);
	ck_assert_ptr_nonnull(strstr(m->dll.mpidbg_error_string(m->process), "has no such description"));
	ck_assert_int_eq(m->dll.mpidbg_describe(m->process, 0, NULL, NULL), MPIDBG_ERR_OUT_OF_RANGE);
	options.size = 0;
	ck_assert_int_eq(m->dll.mpidbg_describe(m->process, 0, &options, &text), MPIDBG_ERR_OUT_OF_RANGE);
	options.size = sizeof(options);
	options.format = 7;
	ck_assert_int_eq(m->dll.mpidbg_describe(m->process, 0, &options, &text), MPIDBG_ERR_OUT_OF_RANGE);
	ck_assert_ptr_null(text);
	options.format = MPIDBG_FORMAT_TEXT;
	/* A debugger of an older version: members beyond its structure count as 0. */
	options.size = offsetof(struct mpidbg_options, threads);
	options.threads = (const struct mpidbg_thread *)1;
	options.n_threads = 1000;
	ck_assert_int_eq(m->dll.mpidbg_describe(m->process, MPIDBG_WHAT_QUEUES, &options, &text), MPIDBG_SUCCESS);
	ck_assert_ptr_nonnull(strstr(text, "rank 1 of 4"));
	m->dll.mpidbg_free(text);
	/* The reader of the text has had enough. */
	options = (struct mpidbg_options){ .size = sizeof(options), .write = stop_after, .write_ctx = &left };
	ck_assert_int_eq(m->dll.mpidbg_describe(m->process, MPIDBG_WHAT_QUEUES, &options, NULL),
			 MPIDBG_ERR_UNAVAILABLE);
	left = 1000;
	ck_assert_int_eq(m->dll.mpidbg_describe(m->process, MPIDBG_WHAT_QUEUES, &options, NULL), MPIDBG_SUCCESS);
	fake_mqs_teardown(m);
	fake_mqs_destroy(m);
	fake_ompi_destroy(o);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("mqs_faults");
	TCase *tc = tcase_create("mqs_faults");

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, test_before_anything, 0, 4);
	tcase_add_test(tc, test_names_and_numbers);
	tcase_add_test(tc, test_basic_callbacks);
	tcase_add_test(tc, test_incomplete_tables);
	tcase_add_loop_test(tc, test_order, 0, 4);
	tcase_add_loop_test(tc, test_after_destroy, 0, 4);
	tcase_add_test(tc, test_image_destroyed_first);
	tcase_add_test(tc, test_foreign_slot);
	tcase_add_loop_test(tc, test_two_faces, 0, 4);
	tcase_add_loop_test(tc, test_facts, 0, 4);
	tcase_add_test(tc, test_hostile_names);
	tcase_add_loop_test(tc, test_states, 0, 3);
	tcase_add_test(tc, test_no_mpi);
	tcase_add_loop_test(tc, test_nth_read_fails, 0, 8);
	tcase_add_loop_test(tc, test_nth_malloc_fails, 0, 8);
	tcase_add_loop_test(tc, test_nth_symbol_or_type_fails, 0, 8);
	tcase_add_loop_test(tc, test_damaged_receives, 0, 20);
	tcase_add_loop_test(tc, test_damaged_sizes, 0, 16);
	tcase_add_loop_test(tc, test_any_word_of_a_communicator, 0, 4);
	tcase_add_test(tc, test_describe_arguments);
	suite_add_tcase(s, tc);
	return s;
}

int main(void)
{
	return suite_run(suite());
}
