/* SPDX-License-Identifier: BSD-3-Clause */
/* functions/: the table of MPI functions, as data. */
#include "../../functions/functions.h"
#include "../../include/mpidbg.h"
#include "../../verdict/verdict.h"
#include "../support/suite.h"

#include <fnmatch.h>
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

/* Every row: what the MPI standard says, by names. Patterns of fnmatch(), without the _c of large counts. */
#define COLLECTIVES                                                                                                    \
	"[Bb]arrier|[Bb]cast|[Aa]llgather?(v)|[Aa]llreduce|[Aa]lltoall?([vw])|[Rr]educe|[Rr]educe_scatter?(_block)|"   \
	"[Gg]ather?(v)|[Ss]can|[Ee]xscan|[Ss]catter?(v)"
#define NEIGHBORS    "[Nn]eighbor_@(allgather|alltoall)?([vw])"
#define CONSTRUCTORS "Comm_dup?(_with_info)|Comm_create|Comm_split*|Cart_@(create|sub)|Graph_create|Dist_graph_create*"
#define NOT_REQUESTS "probe|mprobe|nit*|nfo_*|ntercomm_*|s_thread_main"

static const struct {
	enum fn_wait wait;
	const char *names;
} waits[] = {
	{ FN_POLL, "MPI_@(Iprobe|Improbe|Test|Test[as]*|Request_get_status|Win_test)" },
	{ FN_BUFFERED, "MPI_Bsend" },
	{ FN_ALL, "MPI_@([SR]send|Send|Recv|Mrecv|Sendrecv*|Probe|Mprobe|Wait|Waitall)" },
	{ FN_SOME, "MPI_Wait@(any|some)" },
	{ FN_COLLECTIVE, "MPI_@(" COLLECTIVES ")" },
	{ FN_COLLECTIVE, "MPI_@(" CONSTRUCTORS "|Intercomm_@(create|merge)|Comm_@(free|disconnect|set_info))" },
	{ FN_COLLECTIVE, "MPI_Comm_@(spawn*|accept|connect)" },
	{ FN_COLLECTIVE, "MPI_Win_@(create|create_dynamic|allocate*|free|fence|set_info)" },
	{ FN_COLLECTIVE, "MPI_File_@(open|close|set_!(errhandler)|preallocate|sync|seek_shared)" },
	{ FN_COLLECTIVE, "MPI_File_@(read|write)@(?(_at)_all|_ordered)?(_begin|_end)" },
	{ FN_NEIGHBORS, "MPI_" NEIGHBORS },
	{ FN_WINDOW, "MPI_Win_@(start|complete|wait|lock*|unlock*|flush*)" },
	{ FN_INIT, "MPI_Init?(_thread)" },
	{ FN_FINALIZE, "MPI_Finalize" },
	{ FN_UNFOLLOWED,
	  "MPI_@(Comm_create_group|Comm_create_from_group|Intercomm_create_from_groups|Comm_join|Win_post)" },
	{ FN_UNFOLLOWED, "MPI_@(Buffer_detach|Publish_name|Unpublish_name|Lookup_name|Session_@(init|finalize))" },
	{ FN_UNFOLLOWED, "MPI_File_@(@(read|write)?(_at|_shared)|get_position_shared|delete)" },
	{ FN_UNFOLLOWED, "MPIX_Comm_shrink" },
};

static const struct {
	uint32_t fact;
	const char *names;
} facts[] = {
	{ FN_SENDS_STANDARD, "MPI_@(Send|Isend|Send_init|Sendrecv*|Isendrecv*|Psend_init)" },
	{ FN_SENDS_SYNCHRONOUS, "MPI_@(Ssend|Issend|Ssend_init)" },
	{ FN_SENDS_BUFFERED, "MPI_@(Bsend|Ibsend|Bsend_init)" },
	{ FN_SENDS_READY, "MPI_@(Rsend|Irsend|Rsend_init)" },
	{ FN_RECEIVES, "MPI_@(Recv|Irecv|Recv_init|Sendrecv*|Isendrecv*|Precv_init|Mrecv|Imrecv)" },
	{ FN_OF_MESSAGE, "MPI_@(Mrecv|Imrecv)" },
	{ FN_PROBES, "MPI_Probe" },
	{ FN_MPROBES, "MPI_Mprobe" },
	{ FN_ON_COMM, "MPI_?(I)@(" COLLECTIVES "|" NEIGHBORS ")?(_init)" },
	{ FN_ON_COMM, "MPI_@(" CONSTRUCTORS "|Comm_create_group|Comm_idup*|Intercomm_@(create|merge))" },
	{ FN_COUNTED, "MPI_@(" COLLECTIVES "|" NEIGHBORS ")" },
	{ FN_REQUEST, "MPI_I!(" NOT_REQUESTS ")" },
	{ FN_REQUEST | FN_PERSISTENT, "MPI_!(Session)_init" },
	{ FN_REQUEST, "MPI_Comm_idup*" },
	{ FN_PARTITIONED, "MPI_P@(send|recv)_init" },
	{ FN_STARTS, "MPI_Start?(all)" },
	{ FN_COMPLETES | FN_ONE_REQUEST, "MPI_@(Wait|Test)" },
	{ FN_COMPLETES | FN_REQUESTS, "MPI_@(Wait|Test)@(all|any|some)" },
	{ FN_ONE_REQUEST, "MPI_Request_get_status" },
	{ FN_SYNC_ALWAYS, "MPI_Barrier" },
	{ FN_SYNC_DATA, "MPI_@(Allgather|Allreduce|Alltoall|Reduce_scatter_block)" },
	{ FN_SYNC_USUAL, "MPI_@(Allgatherv|Alltoall[vw]|Reduce_scatter)" },
	{ FN_SYNC_USUAL, "MPI_@(" CONSTRUCTORS "|Intercomm_@(create|merge))" },
	{ FN_SYNC_USUAL, "MPI_Win_@(create|create_dynamic|allocate*|free)" },
	{ FN_SYNC_USUAL | FN_CONNECTS, "MPI_Comm_@(spawn*|accept|connect)" },
	{ FN_CONNECTS, "MPI_Intercomm_create" },
	{ FN_ONE_SIZE, "MPI_?(I)@([Bb]cast|[Aa]llgather|[Aa]llreduce|[Aa]lltoall|[Rr]educe|[Gg]ather)?(_init)" },
	{ FN_ONE_SIZE, "MPI_?(I)@([Ss]can|[Ee]xscan|[Ss]catter|[Rr]educe_scatter_block)?(_init)" },
	{ FN_SCATTERS, "MPI_?(I)[Ss]catter?(v)?(_init)" },
};
enum { N_WAITS = sizeof(waits) / sizeof(waits[0]), N_FACTS = sizeof(facts) / sizeof(facts[0]) };

static const char *const all[] = {
#define RECORD(name, forms, waits, facts, parameters, before, after) #forms " " #name,
#define PLAIN(name, forms, parameters)                               #forms " " #name,
#include "../../functions/functions.def"
};

START_TEST(test_every_row)
{
	bool has_wait[N_WAITS] = { false }, has_fact[N_FACTS] = { false };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		const char *plain = strchr(all[i], ' ') + 1;
		enum fn_wait wait = FN_LOCAL;
		uint32_t expected = 0;
		char name[80], large[84];

		snprintf(name, sizeof(name), "MPI%s_%s",
			 strncmp(all[i], "MPIX", 4) && strncmp(all[i], "MPICHX", 6) ? "" : "X", plain);
		for (size_t k = 0; k < N_WAITS; k++)
			if (fnmatch(waits[k].names, name, FNM_EXTMATCH) == 0) {
				ck_assert_msg(wait == FN_LOCAL, "%s is in two lists", name);
				wait = waits[k].wait;
				has_wait[k] = true;
			}
		for (size_t k = 0; k < N_FACTS; k++)
			if (fnmatch(facts[k].names, name, FNM_EXTMATCH) == 0) {
				expected |= facts[k].fact;
				has_fact[k] = true;
			}
		snprintf(large, sizeof(large), "%s_c", name);
		for (const struct fn_function *f = fn_find(name); f;
		     f = f->name_bytes == strlen(name) ? fn_find(large) : NULL)
			ck_assert_msg(f->wait == wait && f->facts == expected, "%s: %d 0x%x, expected %d 0x%x", f->name,
				      (int)f->wait, (unsigned)f->facts, (int)wait, (unsigned)expected);
	}
	for (size_t k = 0; k < N_WAITS; k++)
		ck_assert_msg(has_wait[k], "no function is like %s", waits[k].names);
	for (size_t k = 0; k < N_FACTS; k++)
		ck_assert_msg(has_fact[k], "no function is like %s", facts[k].names);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("functions");
	TCase *tc = tcase_create("table");

	tcase_add_test(tc, test_unknown);
	tcase_add_test(tc, test_interface);
	tcase_add_test(tc, test_every_row);
	tcase_add_loop_test(tc, test_parameters, 0, sizeof(signatures) / sizeof(signatures[0]));
	tcase_add_loop_test(tc, test_facts, 0, sizeof(rows) / sizeof(rows[0]));
	suite_add_tcase(suite, tc);
	return suite_run(suite);
}
