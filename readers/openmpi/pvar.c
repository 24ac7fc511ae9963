/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Performance variables of pml ob1 where they are counted: the lengths of a communicator's queues, one for each peer
 * (ompi/mca/pml/ob1/pml_ob1_component.c, 4.1 and 5.0; receives from any source are in none of them).
 */
#include "openmpi.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

/* @return the field of mca_pml_ob1_comm_proc_t whose list length the variable counts; -1: another variable */
static int list_of(const char *name)
{
	if (strcmp(name, "pml_ob1_unexpected_msgq_length") == 0)
		return F_mca_pml_ob1_comm_proc_t_unexpected_frags;
	if (strcmp(name, "pml_ob1_posted_recvq_length") == 0)
		return F_mca_pml_ob1_comm_proc_t_specific_receives;
	return -1;
}

enum acc_rc rd_ompi_pvar_get(void *state, const char *name, const struct mdl_comm *comm, uint64_t *ret, uint64_t *count)
{
	struct rd_ompi *o = state;
	int field = list_of(name);
	struct rd_ompi_comm c;
	struct acc_slots procs;
	uint64_t proc_addr, first, sentinel, length, sum = 0, n = 0;

	if (field < 0 || !rd_ompi_alive(o) || !o->ob1 || !rd_ompi_has(o, (unsigned)field))
		return ACC_NONE;
	enum acc_rc rc = rd_ompi_comm_find(o, comm->id, &c);
	if (rc)
		return rc;
	if (!c.pml_comm_addr)
		return ACC_NONE;
	rc = rd_ompi_procs(o, &c, &procs);
	while (rc == ACC_OK && (rc = acc_slots_next(&procs, &proc_addr)) == ACC_OK) {
		n++;
		if (!proc_addr)
			continue;
		rc = rd_ompi_check(o, proc_addr, C_mca_pml_ob1_comm_proc_t);
		if (rc == ACC_OK)
			rc = rd_ompi_list(o, proc_addr + o->layout->fields[field].offset, &first, &sentinel, &length);
		if (rc == ACC_OK && length > ACC_LIST_MAX)
			rc = ACC_ECORRUPT;
		if (rc)
			return rd_ompi_bad(o, rc, T_mca_pml_ob1_comm_proc_t, proc_addr);
		sum += length;
	}
	if (rc != ACC_NONE)
		return rc;
	*ret = sum;
	*count = n;
	return ACC_OK;
}
