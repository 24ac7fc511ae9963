/* SPDX-License-Identifier: BSD-3-Clause */
/* functions/: the table of MPI functions, as data. */
#include "../../functions/functions.h"
#include "../../include/mpidbg.h"
#include "../../verdict/verdict.h"
#include "../support/suite.h"

#include <string.h>

START_TEST(test_unknown)
{
	ck_assert_ptr_null(fn_find(NULL));
	ck_assert_ptr_null(fn_find(""));
	ck_assert_ptr_null(fn_find("MPI_"));
	ck_assert_ptr_null(fn_find("MPIX_"));
	ck_assert_ptr_null(fn_find("MPI_Sen"));
	ck_assert_ptr_null(fn_find("MPI_Send_"));
	ck_assert_ptr_null(fn_find("MPI_Barrier_c"));
	ck_assert_ptr_null(fn_find("MPI_Comm_shrink"));
	ck_assert_uint_eq(fn_facts("no function"), 0);
	ck_assert_int_eq(vd_call_of(NULL), VD_CALL_NONE);
	ck_assert_int_eq(vd_call_of("MPI_Unheard_of"), VD_CALL_OTHER);
}
END_TEST

static const struct {
	const char *name, *parameters;
} signatures[] = {
	{ "MPI_Send", "const void * buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm" },
	{ "MPI_Send_c", "const void * buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm" },
	{ "MPI_Ibarrier", "MPI_Comm comm, MPI_Request * request" },
	{ "MPI_Barrier_init", "MPI_Comm comm, MPI_Info info, MPI_Request * request" },
	{ "MPI_Win_create_c",
	  "void * base, MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win * win" },
	{ "MPI_Type_create_resized", "MPI_Datatype oldtype, MPI_Aint lb, MPI_Aint extent, MPI_Datatype * newtype" },
	{ "MPI_Type_create_resized_c", "MPI_Datatype oldtype, MPI_Count lb, MPI_Count extent, MPI_Datatype * newtype" },
	{ "MPI_Comm_rank", "MPI_Comm comm, int * rank" },
	{ "MPI_Pcontrol", "int level" },
	{ "MPI_Wtime", "" },
};

START_TEST(test_parameters)
{
	const struct fn_function *f = fn_find(signatures[_i].name);

	ck_assert_ptr_nonnull(f);
	ck_assert_str_eq(f->name, signatures[_i].name);
	ck_assert_str_eq(f->parameters, signatures[_i].parameters);

	struct mpidbg_function_t known;
	ck_assert_int_eq(mpidbg_get_function(signatures[_i].name, &known), MPIDBG_SUCCESS);
	ck_assert_str_eq(known.parameters, signatures[_i].parameters);
	ck_assert_int_eq(known.scatters, 0);
}
END_TEST

START_TEST(test_interface)
{
	struct mpidbg_function_t known = { .scatters = 7 };

	ck_assert_int_eq(mpidbg_get_function("MPI_Nothing", &known), MPIDBG_ERR_NOT_FOUND);
	ck_assert_int_eq(mpidbg_get_function(NULL, &known), MPIDBG_ERR_OUT_OF_RANGE);
	ck_assert_int_eq(mpidbg_get_function("MPI_Send", NULL), MPIDBG_ERR_OUT_OF_RANGE);
	ck_assert_int_eq(known.scatters, 7);
	ck_assert_int_eq(mpidbg_get_function("MPI_Iscatterv", &known), MPIDBG_SUCCESS);
	ck_assert_int_eq(known.scatters, 1);
	ck_assert_int_eq(mpidbg_get_function("MPI_Reduce_scatter", &known), MPIDBG_SUCCESS);
	ck_assert_int_eq(known.scatters, 0);
}
END_TEST

static const struct {
	const char *name;
	enum fn_wait wait;
	uint32_t facts;
	enum vd_call call;
} rows[] = {
	{ "MPI_Send", FN_ALL, FN_SENDS_STANDARD, VD_CALL_ALL },
	{ "MPI_Isend_c", FN_LOCAL, FN_SENDS_STANDARD | FN_REQUEST, VD_CALL_OTHER },
	{ "MPI_Rsend_init", FN_LOCAL, FN_SENDS_READY | FN_REQUEST | FN_PERSISTENT, VD_CALL_OTHER },
	{ "MPI_Bsend", FN_BUFFERED, FN_SENDS_BUFFERED, VD_CALL_ALL },
	{ "MPI_Sendrecv_replace", FN_ALL, FN_SENDS_STANDARD | FN_RECEIVES, VD_CALL_ALL },
	{ "MPI_Mrecv_c", FN_ALL, FN_RECEIVES | FN_OF_MESSAGE, VD_CALL_ALL },
	{ "MPI_Waitall", FN_ALL, FN_COMPLETES | FN_REQUESTS, VD_CALL_ALL },
	{ "MPI_Waitsome", FN_SOME, FN_COMPLETES | FN_REQUESTS, VD_CALL_SOME },
	{ "MPI_Test", FN_POLL, FN_COMPLETES | FN_ONE_REQUEST, VD_CALL_POLL },
	{ "MPI_Test_cancelled", FN_LOCAL, 0, VD_CALL_OTHER },
	{ "MPI_Barrier", FN_COLLECTIVE, FN_ON_COMM | FN_COUNTED | FN_SYNC_ALWAYS, VD_CALL_COLLECTIVE },
	{ "MPI_Allreduce_c", FN_COLLECTIVE, FN_ON_COMM | FN_COUNTED | FN_SYNC_DATA | FN_ONE_SIZE, VD_CALL_COLLECTIVE },
	{ "MPI_Alltoallv", FN_COLLECTIVE, FN_ON_COMM | FN_COUNTED | FN_SYNC_USUAL, VD_CALL_COLLECTIVE },
	{ "MPI_Scatterv", FN_COLLECTIVE, FN_ON_COMM | FN_COUNTED | FN_SCATTERS, VD_CALL_COLLECTIVE },
	{ "MPI_Iscatter", FN_LOCAL, FN_ON_COMM | FN_REQUEST | FN_ONE_SIZE | FN_SCATTERS, VD_CALL_OTHER },
	{ "MPIX_Scatterv_init", FN_LOCAL, FN_ON_COMM | FN_REQUEST | FN_PERSISTENT | FN_SCATTERS, VD_CALL_OTHER },
	{ "MPI_Neighbor_alltoallw", FN_NEIGHBORS, FN_ON_COMM | FN_COUNTED, VD_CALL_NEIGHBORS },
	{ "MPI_Comm_connect", FN_COLLECTIVE, FN_SYNC_USUAL | FN_CONNECTS, VD_CALL_COLLECTIVE },
	{ "MPI_Win_unlock_all", FN_WINDOW, 0, VD_CALL_WINDOW },
	{ "MPI_Finalize", FN_FINALIZE, 0, VD_CALL_FINALIZE },
	{ "MPI_Init_thread", FN_INIT, 0, VD_CALL_INIT },
	{ "MPI_File_read_at_all_begin_c", FN_COLLECTIVE, 0, VD_CALL_COLLECTIVE },
	/* all members of the communicator, or of the window's, take part */
	{ "MPI_Comm_disconnect", FN_COLLECTIVE, 0, VD_CALL_COLLECTIVE },
	{ "MPI_Comm_set_info", FN_COLLECTIVE, 0, VD_CALL_COLLECTIVE },
	{ "MPI_Win_set_info", FN_COLLECTIVE, 0, VD_CALL_COLLECTIVE },
	/* they wait for some of them, or for something that is no rank */
	{ "MPI_Comm_create_group", FN_UNFOLLOWED, FN_ON_COMM, VD_CALL_OTHER },
	{ "MPI_Comm_create_from_group", FN_UNFOLLOWED, 0, VD_CALL_OTHER },
	{ "MPI_Buffer_detach_c", FN_UNFOLLOWED, 0, VD_CALL_OTHER },
	{ "MPI_File_read", FN_UNFOLLOWED, 0, VD_CALL_OTHER },
	{ "MPI_Lookup_name", FN_UNFOLLOWED, 0, VD_CALL_OTHER },
	{ "MPIX_Comm_shrink", FN_UNFOLLOWED, 0, VD_CALL_OTHER },
};

START_TEST(test_facts)
{
	const struct fn_function *f = fn_find(rows[_i].name);

	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(f->wait, rows[_i].wait);
	ck_assert_uint_eq(f->facts, rows[_i].facts);
	ck_assert_uint_eq(fn_facts(rows[_i].name), rows[_i].facts);
	ck_assert_int_eq(vd_call_of(rows[_i].name), rows[_i].call);
	ck_assert(vd_connects(rows[_i].name) == ((rows[_i].facts & FN_CONNECTS) != 0));
	const struct vd_comm intra = { .n = 2 }, inter = { .n = 2, .inter = true }, window = { .kind = VD_WINDOW };
	ck_assert(vd_synchronizes(&intra, rows[_i].name) == ((rows[_i].facts & (FN_SYNC_ALWAYS | FN_SYNC_DATA)) != 0));
	ck_assert(!vd_synchronizes(&inter, rows[_i].name) && !vd_synchronizes(&window, rows[_i].name));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("functions");
	TCase *tc = tcase_create("table");

	tcase_add_test(tc, test_unknown);
	tcase_add_test(tc, test_interface);
	tcase_add_loop_test(tc, test_parameters, 0, sizeof(signatures) / sizeof(signatures[0]));
	tcase_add_loop_test(tc, test_facts, 0, sizeof(rows) / sizeof(rows[0]));
	suite_add_tcase(suite, tc);
	return suite_run(suite);
}
