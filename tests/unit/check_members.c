/* SPDX-License-Identifier: BSD-3-Clause */
/* Members of a group in a snapshot: ranks that follow each other are one text, and nothing else is. */
#include "../../cli/answer.h"
#include "../../cli/snapshot.h"
#include "../../verdict/members.h"
#include "../support/suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

static const struct pack {
	const char *before, *after;
	size_t n; /* members */
} packs[] = {
	{ "[0,1,2,3]", "[\"0-3\"]", 4 },
	{ "[0,1,2]", "[0,1,2]", 3 },
	{ "[3,2,1,0]", "[3,2,1,0]", 4 },
	{ "[9,0,1,2,3,4,7]", "[9,\"0-4\",7]", 7 },
	{ "[null,4,5,6,7,{\"job\":1,\"rank\":0}]", "[null,\"4-7\",{\"job\":1,\"rank\":0}]", 6 },
	{ "[-2,-1,0,1,2,3]", "[-2,-1,\"0-3\"]", 6 },
	{ "[9223372036854775806,9223372036854775807]", "[9223372036854775806,9223372036854775807]", 2 },
	{ "[\"0-9\",10,11,12,13]", "[\"0-9\",10,11,12,13]", 14 }, /* what has texts already stays as it is */
	{ "[]", "[]", 0 },
};

START_TEST(test_pack)
{
	json_t *members = json_loads(packs[_i].before, 0, NULL);

	vd_members_pack(members);
	char *after = json_dumps(members, JSON_COMPACT);
	ck_assert_str_eq(after, packs[_i].after);
	ck_assert_uint_eq(vd_members_count(members), packs[_i].n);
	free(after);
	json_decref(members);
}
END_TEST

/* GDB's mpi deadlock writes snapshots as the command does: the same version, limit and members. */
START_TEST(test_python)
{
	static const char script[] = "import importlib.util as u; s = u.spec_from_file_location('m', "
				     "'gdb-scripts/mpidbg_gdb/snapshot_format.py'); "
				     "m = u.module_from_spec(s); s.loader.exec_module(m); import json, sys; "
				     "print(m.SCHEMA, m.MESSAGES_MAX, "
				     "json.dumps(m.pack_members(json.loads(sys.argv[1])), separators=(',', ':')))";
	char command[2048], answer[512] = "", expected[512];

	snprintf(command, sizeof(command), "python3 -c \"%s\" '%s'", script, packs[_i].before);
	FILE *f = popen(command, "r");
	ck_assert_ptr_nonnull(f);
	ck_assert_ptr_nonnull(fgets(answer, sizeof(answer), f));
	ck_assert_int_eq(pclose(f), 0);
	snprintf(expected, sizeof(expected), "%s %d %s\n", CMD_SNAPSHOT_SCHEMA, CMD_SNAPSHOT_MESSAGES, packs[_i].after);
	ck_assert_str_eq(answer, expected);
}
END_TEST

START_TEST(test_range)
{
	static const char *const bad[] = { "",          "-",    "3",    "3-",   "-3",   "5-3",
					   "0-3 ",      "0-3x", "+1-2", "0--3", " 0-3", "0-99999999999999999999",
					   "0-4194304", "a-b" };
	int64_t first, last;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		json_t *member = json_string(bad[i]);
		ck_assert_msg(!vd_members_range(member, &first, &last), "%s", bad[i]);
		json_decref(member);
	}
	json_t *member = json_string("17-4095");
	ck_assert(vd_members_range(member, &first, &last));
	ck_assert_int_eq(first, 17);
	ck_assert_int_eq(last, 4095);
	json_decref(member);
	ck_assert(!vd_members_range(NULL, &first, &last));
	vd_members_pack(NULL);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("members");
	TCase *tc = tcase_create("members");

	tcase_add_loop_test(tc, test_pack, 0, (int)(sizeof(packs) / sizeof(packs[0])));
	tcase_add_loop_test(tc, test_python, 0, sizeof(packs) / sizeof(packs[0]));
	tcase_add_test(tc, test_range);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
