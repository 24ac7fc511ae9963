/* SPDX-License-Identifier: BSD-3-Clause */
/* readers/openmpi/flows.c: the numbers of messages. */
#include "../support/fake_ompi.h"
#include "../support/suite.h"

#include <check.h>

enum { MAX = 64 };

static struct fake_ompi *make(int i)
{
	return i & 4 ? fake_ompi_create_50(i & 1 ? 4 : 8, i & 2, 8, 1) : fake_ompi_create(i & 1 ? 4 : 8, i & 2, 8, 1);
}

static struct mdl_flow flows[MAX];
static size_t n_flows;

static bool take(void *most, const struct mdl_flow *flow)
{
	ck_assert_uint_lt(n_flows, MAX);
	flows[n_flows++] = *flow;
	return n_flows < *(size_t *)most;
}

static enum acc_rc walk(struct rd_process *p, uint64_t comm_addr, size_t most)
{
	struct mdl_comm comm;

	n_flows = 0;
	ck_assert_int_eq(rd_comm_get(p, comm_addr, &comm), ACC_OK);
	return rd_flows(p, &comm, take, &most);
}

static void set(struct fake_ompi *m, int peer, uint64_t sent, uint64_t expected)
{
	uint64_t proc = fake_ompi_peer(m, m->world, peer);

	fake_put_u(m->f, proc, F_mca_pml_ob1_comm_proc_t_send_sequence, sent);
	fake_put_u(m->f, proc, F_mca_pml_ob1_comm_proc_t_expected_sequence, expected);
}

START_TEST(test_numbers)
{
	struct fake_ompi *m = make(_i);

	set(m, 2, 5, 1);
	set(m, 7, 65536 + 3, 65535);
	struct rd_process *p = fake_ompi_open(m);
	ck_assert_int_eq(walk(p, m->world, MAX), ACC_OK);
	ck_assert_uint_eq(n_flows, 2);
	ck_assert(flows[0].peer == 2 && flows[0].sent == 5 && flows[0].expected == 1);
	ck_assert(flows[1].peer == 7 && flows[1].sent == 3 && flows[1].expected == 65535);
	ck_assert_int_eq(walk(p, m->world, 1), ACC_OK);
	ck_assert_uint_eq(n_flows, 1);
	rd_close(p);
	fake_ompi_destroy(m);
}
END_TEST

/* Messages that may overtake each other have no numbers; other assertions change nothing. */
START_TEST(test_overtaking)
{
	struct fake_ompi *m = make(_i);

	set(m, 2, 5, 1);
	fake_put_u(m->f, m->world, F_ompi_communicator_t_c_assertions, 7);
	struct rd_process *p = fake_ompi_open(m);
	ck_assert_int_eq(walk(p, m->world, MAX), ACC_OK);
	ck_assert_uint_eq(n_flows, 1);
	fake_put_u(m->f, m->world, F_ompi_communicator_t_c_assertions, 8 | 1);
	rd_update(p);
	ck_assert_int_eq(walk(p, m->world, MAX), ACC_NONE);
	ck_assert_uint_eq(n_flows, 0);
	rd_close(p);
	fake_ompi_destroy(m);
}
END_TEST

/* An invalid peer object ends the walk with a failure, because incomplete numbers are useless. */
START_TEST(test_damage)
{
	struct fake_ompi *m = make(_i);

	set(m, 2, 5, 1);
	set(m, 4, 6, 1);
	fake_put_u(m->f, fake_ompi_peer(m, m->world, 4), F_opal_object_t_obj_class, 0x44444440);
	struct rd_process *p = fake_ompi_open(m);
	enum acc_rc rc = walk(p, m->world, MAX);
	ck_assert_uint_eq(n_flows, 1);
	ck_assert(rc != ACC_OK && rc != ACC_NONE);
	rd_close(p);
	fake_ompi_destroy(m);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("ompi_flows");
	TCase *tc = tcase_create("ompi_flows");

	tcase_set_timeout(tc, 20);
	tcase_add_loop_test(tc, test_numbers, 0, 8);
	tcase_add_loop_test(tc, test_overtaking, 0, 8);
	tcase_add_loop_test(tc, test_damage, 0, 8);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
