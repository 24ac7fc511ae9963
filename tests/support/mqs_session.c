/* SPDX-License-Identifier: BSD-3-Clause */
#include "mqs_session.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

/* Limits above the length of any list here, so that an endless list is a failure and not a hang. */
enum { OPS_MAX = 100000, COMMS_MAX = 10000 };

struct fake_ompi *mqs_session_process(unsigned word_bytes, bool big_endian)
{
	struct fake_ompi *m = fake_ompi_create(word_bytes, big_endian, 4, 1);
	uint64_t row = fake_ompi_comm(m, "row", 3, 1, 0);

	fake_ompi_post(m, m->world, 2, 99, 5);
	fake_ompi_post(m, m->world, -1, 7, 1);
	fake_ompi_post(m, m->world, 3, -1, 0);
	fake_ompi_post(m, row, 0, 1, 2);
	fake_ompi_message(m, m->world, 3, 8, 100, MDL_EAGER);
	fake_ompi_message(m, m->world, 0, 9, 1000000, MDL_RENDEZVOUS);
	fake_ompi_send(m, m->world, 2, 11, 4, 0);
	fake_ompi_send(m, row, 2, 12, 4, 4);
	return m;
}

void mqs_session_check_code(struct fake_mqs *m, int code)
{
	const char *words = m->dll.mqs_dll_error_string(code);

	ck_assert_ptr_nonnull(words);
	ck_assert_msg(words[0] && strlen(words) < 1000, "code %d has no words", code);
	ck_assert_msg(strncmp(words, "unknown error", 13), "code %d is not one of its own", code);
}

static void walk_queue(struct fake_mqs *m, int op_class, struct mqs_seen *seen)
{
	mqs_pending_operation op;
	int rc = m->dll.mqs_setup_operation_iterator(m->process, op_class);

	if (rc == mqs_no_information)
		seen->n_no_information++;
	for (unsigned n = 0; !rc; n++) {
		ck_assert_uint_lt(n, OPS_MAX);
		memset(&op, 0x5a, sizeof(op));
		rc = m->dll.mqs_next_operation(m->process, &op);
		if (rc)
			break;
		seen->n_ops[op_class]++;
		ck_assert_msg(op.extra_text[0][0], "an operation without words");
		for (int i = 0; i < 5; i++) {
			ck_assert_ptr_nonnull(memchr(op.extra_text[i], '\0', sizeof(op.extra_text[i])));
			for (const char *c = op.extra_text[i]; *c; c++)
				ck_assert_int_ge((unsigned char)*c, ' ');
		}
	}
	mqs_session_check_code(m, rc);
	if (rc != mqs_end_of_list && rc != mqs_no_information && !seen->first_failure)
		seen->first_failure = rc;
}

static void walk_group(struct fake_mqs *m, const mqs_communicator *comm, struct mqs_seen *seen)
{
	ck_assert_int_gt(comm->size, 0);
	ck_assert_int_lt(comm->size, 1 << 24);

	int *ranks = malloc((size_t)comm->size * sizeof(*ranks));
	ck_assert_ptr_nonnull(ranks);
	for (long i = 0; i < comm->size; i++)
		ranks[i] = -77;

	int rc = m->dll.mqs_get_comm_group(m->process, ranks);
	for (long i = 0; i < comm->size; i++) {
		if (rc)
			ck_assert_int_eq(ranks[i], -77);
		else
			ck_assert_int_ge(ranks[i], MQS_INVALID_PROCESS);
	}
	free(ranks);
	mqs_session_check_code(m, rc);
	if (!rc)
		seen->n_groups++;
	else if (!seen->first_failure)
		seen->first_failure = rc;
}

struct mqs_seen mqs_session_walk(struct fake_mqs *m)
{
	struct mqs_seen seen = { 0 };
	mqs_communicator comm;
	int rc = m->dll.mqs_setup_communicator_iterator(m->process);

	while (!rc) {
		memset(&comm, 0x5a, sizeof(comm));
		rc = m->dll.mqs_get_communicator(m->process, &comm);
		ck_assert_int_eq(rc, mqs_ok);
		ck_assert_uint_lt(++seen.n_comms, COMMS_MAX);
		ck_assert_ptr_nonnull(memchr(comm.name, '\0', sizeof(comm.name)));
		walk_group(m, &comm, &seen);
		for (int op_class = mqs_pending_sends; op_class <= mqs_unexpected_messages; op_class++)
			walk_queue(m, op_class, &seen);
		rc = m->dll.mqs_next_communicator(m->process);
	}
	mqs_session_check_code(m, rc);
	if (rc != mqs_end_of_list && !seen.first_failure)
		seen.first_failure = rc;
	return seen;
}
