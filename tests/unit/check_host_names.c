/* SPDX-License-Identifier: BSD-3-Clause */
/* host/mpi_name.c, host/demangle.c, host/error.c */
#include "../../access/grow.h"
#include "../../host/demangle.h"
#include "../../host/error.h"
#include "../../host/mpi_name.h"
#include "../support/suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *function, *mpi; /* NULL: not MPI's */
} names[] = {
	{ "MPI_Recv", "MPI_Recv" },
	{ "PMPI_Recv", "MPI_Recv" },
	{ "MPI_Comm_c2f", "MPI_Comm_c2f" },
	{ "MPI_T_init_thread", "MPI_T_init_thread" },
	{ "mpi_recv_", "MPI_Recv" },
	{ "mpi_recv__", "MPI_Recv" },
	{ "pmpi_recv_", "MPI_Recv" },
	{ "mpi_recv_f08_", "MPI_Recv" },
	{ "pmpi_recv_f08_", "MPI_Recv" },
	{ "mpi_comm_rank_", "MPI_Comm_rank" },
	{ "mpi_file_write_all_f08ts_", "MPI_File_write_all" },
	{ "MPI_RECV", "MPI_Recv" },
	{ "PMPI_COMM_RANK", "MPI_Comm_rank" },
	{ "ompi_mpi_finalize", "MPI_Finalize" }, /* MPI_Finalize jumps to it */
	{ "ompi_mpi_finalized", NULL },
	{ "", NULL },
	{ "P", NULL },
	{ "p", NULL },
	{ "MPI_", NULL },
	{ "PMPI_", NULL },
	{ "mpi_", NULL },
	{ "mpi__", NULL },
	{ "pMPI_Recv", NULL },
	{ "Pmpi_recv_", NULL },
	{ "PPMPI_Recv", NULL },
	{ "mpi_recv", NULL }, /* a user's own function may be called so */
	{ "MPI_recv_helper", NULL },
	{ "MPI_9", NULL },
	{ "MPID_Recv", NULL },
	{ "MPIR_Recv", NULL },
	{ "ompi_recv_f", NULL },
	{ "my_MPI_Recv", NULL },
	{ "opal_progress", NULL },
	{ "main", NULL },
};

START_TEST(test_mpi_name)
{
	char got[64] = "untouched";

	bool is = host_mpi_name(names[_i].function, got, sizeof(got));
	ck_assert_msg(is == (names[_i].mpi != NULL), "%s", names[_i].function);
	ck_assert_str_eq(got, is ? names[_i].mpi : "untouched");
	ck_assert(host_mpi_name(names[_i].function, NULL, 0) == is);
}
END_TEST

static const struct {
	const char *symbol, *name;
} symbols[] = {
	{ "_ZL3addPKvPviRKN3MPI8DatatypeE", "add" },
	{ "_ZNK3MPI9Intracomm3DupEv", "MPI::Intracomm::Dup" },
	{ "_ZN12_GLOBAL__N_14workEi", "(anonymous namespace)::work" },
	{ "_ZN12_GLOBAL__N_15tableE", "(anonymous namespace)::table" },
	{ "_ZN3FunclEPFicE", "Fun::operator()" },
	{ "_Z3sumIdET_S0_", "double sum<double>" },
	{ "_ZZ4mainENKUlvE_clEv", "main::{lambda()#1}::operator()" },
	{ "_ZZ4mainENUlvE_4_FUNEv", "main::{lambda()#1}::_FUN" },
	{ "_ZL3addv.cold", "add" },
	{ "_Znonsense", "_Znonsense" },
	{ "_Z", "_Z" },
	{ "main", "main" },
	{ "MAIN__", "MAIN__" },
	{ "", "" },
};

START_TEST(test_demangle)
{
	char got[64];

	snprintf(got, sizeof(got), "%s", symbols[_i].symbol);
	host_demangle(got, sizeof(got));
	ck_assert_str_eq(got, symbols[_i].name);
}
END_TEST

START_TEST(test_demangle_is_cut)
{
	char got[1200] = "_ZNK3MPI9Intracomm3DupEv";

	host_demangle(got, 10);
	ck_assert_str_eq(got, "MPI::Intr");
	/* too long to be asked about */
	memcpy(got, "_Z1000", 6);
	memset(got + 6, 'a', 1000);
	got[1006] = 'v';
	got[1007] = '\0';
	host_demangle(got, sizeof(got));
	ck_assert_int_eq(strncmp(got, "_Z1000a", 7), 0);
}
END_TEST

START_TEST(test_mpi_name_is_cut)
{
	char got[8];

	for (size_t n = 1; n <= sizeof(got); n++) {
		memset(got, '#', sizeof(got));
		ck_assert(host_mpi_name("mpi_recv_", got, n));
		ck_assert_uint_eq(strlen(got), n - 1);
		ck_assert_int_eq(memcmp(got, "MPI_Recv", n - 1), 0);
	}
	char longest[1024];
	memset(longest, 'X', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	memcpy(longest, "MPI_", 4);
	ck_assert(host_mpi_name(longest, got, sizeof(got)));
	ck_assert_str_eq(got, "MPI_Xxx");
}
END_TEST

START_TEST(test_error)
{
	struct host_error err = { 0 };
	char huge[2000];

	ck_assert_int_eq(host_error_set(&err, HOST_DENIED, "process %d", 5), HOST_DENIED);
	ck_assert_int_eq(err.code, HOST_DENIED);
	ck_assert_str_eq(err.text, "process 5");
	host_error_set(&err, HOST_USAGE, "a%sb", "\n\r");
	ck_assert_str_eq(err.text, "a??b");
	memset(huge, 'x', sizeof(huge) - 1);
	huge[sizeof(huge) - 1] = '\0';
	host_error_set(&err, HOST_USAGE, "%s", huge);
	ck_assert_uint_eq(strlen(err.text), sizeof(err.text) - 1);
	host_error_clear(&err);
	ck_assert_int_eq(err.code, HOST_OK);
	ck_assert_str_eq(err.text, "");
	ck_assert_int_eq(host_error_set(NULL, HOST_ABSENT, "nobody listens"), HOST_ABSENT);
	host_error_clear(NULL);
}
END_TEST

/* Fill the array up to @p end elements. */
static size_t *filled(size_t *v, size_t n, size_t end)
{
	for (; n < end; n++) {
		if (!ACC_GROW(v, n))
			ck_abort_msg("out of memory");
		memcpy(&v[n], &(size_t){ n + 7 }, sizeof(*v));
	}
	return v;
}

/* Elements stay what they were while the array grows, also after some were taken off its end. */
START_TEST(test_grow)
{
	enum { N = 1000 };
	size_t *v = filled(NULL, 0, N);

	for (size_t least = 0; least < 40; least++) {
		v = filled(v, least, N);
		for (size_t i = 0; i < N; i++)
			ck_assert_uint_eq(v[i], i + 7);
	}
	free(v);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("host_names");
	TCase *tc = tcase_create("names");

	tcase_add_loop_test(tc, test_mpi_name, 0, sizeof(names) / sizeof(names[0]));
	tcase_add_test(tc, test_mpi_name_is_cut);
	tcase_add_loop_test(tc, test_demangle, 0, sizeof(symbols) / sizeof(symbols[0]));
	tcase_add_test(tc, test_demangle_is_cut);
	tcase_add_test(tc, test_error);
	tcase_add_test(tc, test_grow);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
