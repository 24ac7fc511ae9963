/* SPDX-License-Identifier: BSD-3-Clause */
/* hosts/pmix_types.h has the types of libpmix as its header has them. */
#include "../../hosts/pmix_types.h"
#include "../support/suite.h"

#include <check.h>
#include <stddef.h>
#include <stdio.h>
#if __has_include(<pmix_common.h>)
#include <pmix_common.h>
#define HAVE_PMIX 1
#else
#define HAVE_PMIX 0
#endif

#if HAVE_PMIX
#define SAME_SIZE(ours, its) ck_assert_uint_eq(sizeof(struct ours), sizeof(its))
#define SAME_FIELD(ours, field, its, its_field)                                                                        \
	do {                                                                                                           \
		ck_assert_uint_eq(offsetof(struct ours, field), offsetof(its, its_field));                             \
		ck_assert_uint_eq(sizeof(((struct ours *)0)->field), sizeof(((its *)0)->its_field));                   \
	} while (0)

START_TEST(test_types)
{
	SAME_SIZE(hs_pmix_proc, pmix_proc_t);
	SAME_FIELD(hs_pmix_proc, nspace, pmix_proc_t, nspace);
	SAME_FIELD(hs_pmix_proc, rank, pmix_proc_t, rank);
	SAME_SIZE(hs_pmix_array, pmix_data_array_t);
	SAME_FIELD(hs_pmix_array, type, pmix_data_array_t, type);
	SAME_FIELD(hs_pmix_array, size, pmix_data_array_t, size);
	SAME_FIELD(hs_pmix_array, array, pmix_data_array_t, array);
	SAME_SIZE(hs_pmix_bytes, pmix_byte_object_t);
	SAME_FIELD(hs_pmix_bytes, bytes, pmix_byte_object_t, bytes);
	SAME_FIELD(hs_pmix_bytes, size, pmix_byte_object_t, size);
	SAME_SIZE(hs_pmix_value, pmix_value_t);
	SAME_FIELD(hs_pmix_value, type, pmix_value_t, type);
	SAME_FIELD(hs_pmix_value, data, pmix_value_t, data);
	SAME_SIZE(hs_pmix_info, pmix_info_t);
	SAME_FIELD(hs_pmix_info, key, pmix_info_t, key);
	SAME_FIELD(hs_pmix_info, flags, pmix_info_t, flags);
	SAME_FIELD(hs_pmix_info, value, pmix_info_t, value);
	SAME_SIZE(hs_pmix_query, pmix_query_t);
	SAME_FIELD(hs_pmix_query, keys, pmix_query_t, keys);
	SAME_FIELD(hs_pmix_query, qualifiers, pmix_query_t, qualifiers);
	SAME_FIELD(hs_pmix_query, n_qualifiers, pmix_query_t, nqual);
	SAME_SIZE(hs_pmix_process, pmix_proc_info_t);
	SAME_FIELD(hs_pmix_process, host, pmix_proc_info_t, hostname);
	SAME_FIELD(hs_pmix_process, executable, pmix_proc_info_t, executable_name);
	SAME_FIELD(hs_pmix_process, pid, pmix_proc_info_t, pid);
	SAME_SIZE(hs_pmix_app, pmix_app_t);
	SAME_FIELD(hs_pmix_app, command, pmix_app_t, cmd);
	SAME_FIELD(hs_pmix_app, argv, pmix_app_t, argv);
	SAME_FIELD(hs_pmix_app, env, pmix_app_t, env);
	SAME_FIELD(hs_pmix_app, folder, pmix_app_t, cwd);
	SAME_FIELD(hs_pmix_app, max_processes, pmix_app_t, maxprocs);
	SAME_FIELD(hs_pmix_app, info, pmix_app_t, info);
	SAME_FIELD(hs_pmix_app, n_info, pmix_app_t, ninfo);
}
END_TEST

START_TEST(test_values)
{
	ck_assert_int_eq(HS_PMIX_BOOL, PMIX_BOOL);
	ck_assert_int_eq(HS_PMIX_STRING, PMIX_STRING);
	ck_assert_int_eq(HS_PMIX_PID, PMIX_PID);
	ck_assert_int_eq(HS_PMIX_UINT16, PMIX_UINT16);
	ck_assert_int_eq(HS_PMIX_PROC, PMIX_PROC);
	ck_assert_int_eq(HS_PMIX_PROC_INFO, PMIX_PROC_INFO);
	ck_assert_int_eq(HS_PMIX_DATA_ARRAY, PMIX_DATA_ARRAY);
	ck_assert_int_eq(HS_PMIX_JOB_ENDED, PMIX_ERR_JOB_TERMINATED);
	ck_assert_int_eq(HS_PMIX_STDOUT, PMIX_FWD_STDOUT_CHANNEL);
	ck_assert_uint_eq(HS_PMIX_ALL_RANKS, PMIX_RANK_WILDCARD);
}
END_TEST
#endif

int main(void)
{
#if HAVE_PMIX
	Suite *s = suite_create("pmix");
	TCase *tc = tcase_create("types");

	tcase_add_test(tc, test_types);
	tcase_add_test(tc, test_values);
	suite_add_tcase(s, tc);
	return suite_run(s);
#else
	printf("skipped: there is no header of PMIx\n");
	return 77;
#endif
}
