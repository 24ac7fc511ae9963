/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Numbers of messages: mca_pml_ob1_comm_proc_t (ompi/mca/pml/ob1/pml_ob1_comm.h, 4.0 to 5.0). A
 * sender increments send_sequence before it sends, starting from 0, and puts it into the header
 * as 16 bits. A receiver accepts only the message with number expected_sequence, which starts
 * at 1, and stores early messages in frags_cant_match (pml_ob1_isend.c, pml_ob1_sendreq.h,
 * pml_ob1_recvfrag.c). Communicators that allow overtaking are not counted on either side.
 */
#include "openmpi.h"

#pragma GCC poison assert abort exit printf fprintf malloc free

enum { ALLOW_OVERTAKE = 8 }; /* OMPI_COMM_ASSERT_ALLOW_OVERTAKE, ompi/communicator/communicator.h, 4.0 to 5.0 */

/* @return ACC_OK: messages are counted; ACC_NONE: they are not, or it is not known */
static enum acc_rc check_counts(struct rd_ompi *o, uint64_t comm_addr)
{
	const struct acc_field_at *at = &o->layout->fields[F_ompi_communicator_t_c_assertions];
	uint64_t assertions;

	if (!rd_ompi_has(o, F_ompi_communicator_t_c_assertions))
		return ACC_NONE;
	enum acc_rc rc = acc_read_u(o->sp, comm_addr + at->offset, at->width, &assertions);
	if (rc)
		return rd_ompi_bad(o, rc, T_ompi_communicator_t, comm_addr);
	return assertions & ALLOW_OVERTAKE ? ACC_NONE : ACC_OK;
}

enum acc_rc rd_ompi_flows(void *state, const struct mdl_comm *comm,
			  bool (*each)(void *ctx, const struct mdl_flow *flow), void *ctx)
{
	struct rd_ompi *o = state;
	const struct acc_field_at *sent = &o->layout->fields[F_mca_pml_ob1_comm_proc_t_send_sequence];
	const struct acc_field_at *expected = &o->layout->fields[F_mca_pml_ob1_comm_proc_t_expected_sequence];
	struct rd_ompi_comm c;
	struct acc_slots procs;
	uint64_t proc_addr, s, e;

	if (!rd_ompi_alive(o) || !o->ob1 || !rd_ompi_has(o, F_mca_pml_ob1_comm_proc_t_send_sequence) ||
	    !rd_ompi_has(o, F_mca_pml_ob1_comm_proc_t_expected_sequence))
		return ACC_NONE;
	enum acc_rc rc = rd_ompi_comm_find(o, comm->id, &c);
	if (rc)
		return rc;
	if (!c.pml_comm_addr)
		return ACC_NONE;
	rc = check_counts(o, c.facts.id);
	if (rc)
		return rc;
	rc = rd_ompi_procs(o, &c, &procs);
	while (rc == ACC_OK && (rc = acc_slots_next(&procs, &proc_addr)) == ACC_OK) {
		if (!proc_addr)
			continue;
		rc = rd_ompi_check(o, proc_addr, C_mca_pml_ob1_comm_proc_t);
		if (rc == ACC_OK)
			rc = acc_read_u(o->sp, proc_addr + sent->offset, sent->width, &s);
		if (rc == ACC_OK)
			rc = acc_read_u(o->sp, proc_addr + expected->offset, expected->width, &e);
		if (rc)
			return rd_ompi_bad(o, rc, T_mca_pml_ob1_comm_proc_t, proc_addr);
		struct mdl_flow flow = { .peer = (int64_t)procs.i - 1, .sent = (uint16_t)s, .expected = (uint16_t)e };
		if (!each(ctx, &flow))
			return ACC_OK;
	}
	return rc == ACC_NONE ? ACC_OK : rc;
}
