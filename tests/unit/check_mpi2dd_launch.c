/* SPDX-License-Identifier: BSD-3-Clause */
/* What Open MPI's launcher says, and the messages of the set-up: m2d_launch_read(), m2d_message_*, m2d_text_*. */
#include "../../mpi2dd/tables/launch.h"
#include "../../mpi2dd/tables/connection.h"
#include "../../mpi2dd/tables/message.h"
#include "../../mpi2dd/tables/text.h"
#include "../support/suite.h"

#include <check.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void set(const char *name_space, const char *hnp, const char *rank, const char *size, const char *local_rank,
		const char *local_size)
{
	const char *const names[] = {
		"PMIX_NAMESPACE",       "OMPI_MCA_orte_hnp_uri",      "OMPI_COMM_WORLD_RANK",
		"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"
	};
	const char *const values[] = { name_space, hnp, rank, size, local_rank, local_size };
	for (size_t i = 0; i < 6; i++)
		values[i] ? setenv(names[i], values[i], 1) : unsetenv(names[i]);
}

START_TEST(test_launch)
{
	struct m2d_launch l;
	set("1363607553", "1363607552.0;tcp://192.0.2.2:44065;tcp6://[fd00::2]:35817", "3", "8", "1", "2");
	setenv("PMIX_SERVER_URI2", "1363607552.2;tcp4://127.0.0.1:4000", 1);
	m2d_launch_read("h", &l);
	ck_assert(l.known);
	ck_assert_str_eq(l.job, "1363607553@192.0.2.2:44065");
	ck_assert_str_eq(l.node, "1363607552.2;tcp4://127.0.0.1:4000");
	ck_assert_int_eq(l.world_rank, 3);
	ck_assert_int_eq(l.world_size, 8);
	ck_assert_int_eq(l.local_rank, 1);
	ck_assert_int_eq(l.local_size, 2);
	/* 5.x: the name space is a name of its own */
	set("prterun-h-12@1", NULL, "0", "1", "0", "1");
	m2d_launch_read("h", &l);
	ck_assert(l.known);
	ck_assert_str_eq(l.job, "prterun-h-12@1");
}
END_TEST

/* Each makes one value senseless: then nothing is believed. */
START_TEST(test_launch_unknown)
{
	static const char *const cases[][6] = {
		{ NULL, NULL, "0", "1", "0", "1" },          { "n", NULL, NULL, "1", "0", "1" },
		{ "n", NULL, "x", "1", "0", "1" },           { "n", NULL, "0", "1", NULL, "1" },
		{ "n", NULL, "0", "2", "2", "2" },           { "n", NULL, "0", "1", "0", "2" },
		{ "n", NULL, "-1", "1", "0", "1" },          { "n", NULL, "0", "1", "0", "" },
		{ "n", NULL, "1", "1", "0", "1" },           { "", NULL, "0", "1", "0", "1" },
		{ "n", NULL, "0", "99999999999", "0", "1" }, { "n", NULL, "0", "1", "0", "0" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct m2d_launch l;
		set(cases[i][0], cases[i][1], cases[i][2], cases[i][3], cases[i][4], cases[i][5]);
		m2d_launch_read("h", &l);
		ck_assert_msg(!l.known, "case %zu", i);
	}
}
END_TEST

START_TEST(test_slurm)
{
	static const struct {
		const char *list;
		int node, expected;
	} cases[] = { { "4", 0, 4 },
		      { "4(x2),3", 0, 4 },
		      { "4(x2),3", 1, 4 },
		      { "4(x2),3", 2, 3 },
		      { "4(x2),3", 3, -1 },
		      { "1,2,3", 2, 3 },
		      { "", 0, -1 },
		      { "x", 0, -1 },
		      { "4(x", 0, -1 },
		      { "4(x)", 0, -1 },
		      { "4(x2)3", 2, -1 },
		      { "4(x0)", 0, -1 },
		      { "0", 0, -1 },
		      { "4x", 0, -1 },
		      { "99999999999999999999", 0, -1 },
		      { "4(x99999999999999999999),3", 7, 4 } };
	struct m2d_launch l;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		ck_assert_msg(m2d_launch_tasks(cases[i].list, cases[i].node) == cases[i].expected, "%s, node %d: %d",
			      cases[i].list, cases[i].node, m2d_launch_tasks(cases[i].list, cases[i].node));
	set(NULL, NULL, NULL, NULL, NULL, NULL);
	setenv("SLURM_JOB_ID", "17", 1);
	setenv("SLURM_STEP_ID", "2", 1);
	setenv("SLURM_STEP_TASKS_PER_NODE", "4(x2),3", 1);
	setenv("SLURM_NODEID", "2", 1);
	setenv("SLURM_PROCID", "9", 1);
	setenv("SLURM_STEP_NUM_TASKS", "11", 1);
	setenv("SLURM_LOCALID", "1", 1);
	m2d_launch_read("h", &l);
	ck_assert(l.known);
	ck_assert_str_eq(l.job, "slurm-17.2");
	ck_assert_int_eq(l.world_rank, 9);
	ck_assert_int_eq(l.world_size, 11);
	ck_assert_int_eq(l.local_rank, 1);
	ck_assert_int_eq(l.local_size, 3);
	/* mpirun within an allocation knows better */
	set("n", NULL, "0", "2", "0", "2");
	m2d_launch_read("h", &l);
	ck_assert_str_eq(l.job, "n");
}
END_TEST

START_TEST(test_contact)
{
	char text[8];
	m2d_launch_contact("x;tcp://10.0.0.1:5;tcp6://y", text, sizeof text);
	ck_assert_str_eq(text, "10.0.0."); /* cut */
	m2d_launch_contact("nothing", text, sizeof text);
	ck_assert_str_eq(text, "");
	m2d_launch_contact("a://b", text, sizeof text);
	ck_assert_str_eq(text, "b");
}
END_TEST

/* ---- messages ------------------------------------------------------------------------------------ */

static struct m2d_message m, other;

START_TEST(test_message)
{
	int ends[2];
	memset(&m, 0, sizeof m);
	m2d_message_put_number(&m, INT_MIN);
	m2d_message_put_text(&m, "");
	m2d_message_put_text(&m, "a text");
	m2d_message_put_number(&m, INT_MAX);
	ck_assert(!m.failed);
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
	ck_assert(m2d_message_send(ends[0], &m, m2d_connection_now() + 1000));
	ck_assert(m2d_message_receive(ends[1], &other, m2d_connection_now() + 1000));
	ck_assert_int_eq(m2d_message_take_number(&other), INT_MIN);
	ck_assert_str_eq(m2d_message_take_text(&other), "");
	ck_assert_str_eq(m2d_message_take_text(&other), "a text");
	ck_assert_int_eq(m2d_message_take_number(&other), INT_MAX);
	ck_assert(!other.failed && other.at == other.n);
	m2d_message_take_text(&other);
	ck_assert(other.failed);
	/* nothing comes: bounded */
	int64_t start = m2d_connection_now();
	ck_assert(!m2d_message_receive(ends[1], &other, start + 100));
	ck_assert_int_lt(m2d_connection_now() - start, 2000);
	close(ends[0]);
	ck_assert(!m2d_message_receive(ends[1], &other, m2d_connection_now() + 1000));
	close(ends[1]);
}
END_TEST

START_TEST(test_message_numbers)
{
	static const char *const bad[] = { "",   "-",  "1x",         "x",           "--1",
					   "+1", " 1", "2147483648", "-2147483649", "99999999999999999999" };
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		memset(&m, 0, sizeof m);
		m2d_message_put_text(&m, bad[i]);
		ck_assert_int_eq(m2d_message_take_number(&m), 0);
		ck_assert_msg(m.failed, "\"%s\"", bad[i]);
	}
	/* a text without its end */
	memset(&m, 'a', sizeof m);
	m.at = 0;
	m.failed = false;
	m.n = sizeof m.bytes;
	m2d_message_take_text(&m);
	ck_assert(m.failed);
}
END_TEST

START_TEST(test_message_full)
{
	char text[M2D_MESSAGE_MAX];
	memset(text, 'x', sizeof text);
	text[sizeof text - 1] = '\0';
	memset(&m, 0, sizeof m);
	m2d_message_put_text(&m, text);
	ck_assert(!m.failed);
	m2d_message_put_text(&m, "");
	ck_assert(m.failed);
	ck_assert(!m2d_message_send(-1, &m, 0));
}
END_TEST

/* Invalid messages: wrong digits, too long, truncated. */
START_TEST(test_message_garbage)
{
	static const struct {
		const char *bytes;
		size_t n;
	} cases[] = { { "zzzzzzzzzzzzzzzz", 17 },
		      { "00000000ffffffff", 17 },
		      { "ffffffffffffffff", 17 },
		      { "0000000000000004\0ab", 19 },
		      { "0000", 4 },
		      { "00000000000000011", 17 } };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		int ends[2];
		ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
		ck_assert_int_eq(write(ends[0], cases[i].bytes, cases[i].n), cases[i].n);
		close(ends[0]);
		ck_assert_msg(!m2d_message_receive(ends[1], &m, m2d_connection_now() + 1000), "case %zu", i);
		close(ends[1]);
	}
}
END_TEST

START_TEST(test_text)
{
	char text[24] = "";
	ck_assert(m2d_text_add(text, sizeof text, "a"));
	ck_assert(m2d_text_add_number(text, sizeof text, -9));
	ck_assert(m2d_text_add_hexadecimal(text, sizeof text, 0xf00d));
	ck_assert_str_eq(text, "a-9000000000000f00d");
	ck_assert(!m2d_text_add(text, sizeof text, "12345"));
	ck_assert_str_eq(text, "a-9000000000000f00d1234");
	ck_assert(!m2d_text_add(text, sizeof text, "1"));
	char number[24] = "";
	ck_assert(m2d_text_add_number(number, sizeof number, INT64_MIN));
	ck_assert_str_eq(number, "-9223372036854775808");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("check_mpi2dd_launch");
	TCase *tc = tcase_create("launch");
	tcase_add_test(tc, test_launch);
	tcase_add_test(tc, test_launch_unknown);
	tcase_add_test(tc, test_slurm);
	tcase_add_test(tc, test_contact);
	tcase_add_test(tc, test_message);
	tcase_add_test(tc, test_message_numbers);
	tcase_add_test(tc, test_message_full);
	tcase_add_test(tc, test_message_garbage);
	tcase_add_test(tc, test_text);
	suite_add_tcase(suite, tc);
	return suite_run(suite);
}
