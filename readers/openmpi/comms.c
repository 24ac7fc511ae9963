/* SPDX-License-Identifier: BSD-3-Clause */
/* The communicators of the process, as struct rd_reader asks for them. */
#include "openmpi.h"

#pragma GCC poison assert abort exit printf fprintf malloc free

enum { COMM_SLOT_RESERVED = 1 /* of ompi_mpi_communicators, since 5.0: see comm.c */ };

enum acc_rc rd_ompi_comm_first(void *state, struct rd_comm_iter *it)
{
	struct rd_ompi *o = state;
	struct acc_slots slots;

	if (!rd_ompi_alive(o))
		return ACC_NONE;
	enum acc_rc rc = rd_ompi_comm_table(o, &slots);
	if (rc)
		return rc;
	it->i = 0;
	it->n = slots.n;
	return ACC_OK;
}

static void fill_internal(struct rd_ompi *o, struct mdl_comm *m)
{
	const struct rd_ompi_internal *internal = rd_ompi_internal(o, m->id);

	m->internal = internal != NULL;
	m->internal_why = internal ? internal->why : NULL;
	m->local_of = internal ? internal->inter_addr : 0;
}

/*
 * Up to 4.1, while the members of a communicator agree on the id of a new one (ompi_comm_allreduce_getnextcid() in
 * ompi/communicator/comm_cid.c, called by MPI_Comm_dup and others), the slot of the proposed id points to the old
 * communicator, which is also in its own slot.
 */
static bool is_in_slot(struct rd_ompi *o, const struct acc_slots *slots, const struct rd_ompi_comm *c, uint64_t addr)
{
	unsigned width = o->sp->sizes.pointer_bytes;
	uint64_t value;

	return c->slot < slots->n && !acc_read_ptr(o->sp, slots->addr + c->slot * width, &value) && value == addr;
}

enum acc_rc rd_ompi_comm_next(void *state, struct rd_comm_iter *it, struct mdl_comm *ret)
{
	struct rd_ompi *o = state;
	struct acc_slots slots;
	struct rd_ompi_comm c;

	if (!rd_ompi_alive(o))
		return ACC_NONE;
	enum acc_rc rc = rd_ompi_comm_table(o, &slots);
	if (rc)
		return rc;
	while (it->i < it->n && it->i < slots.n) {
		uint64_t addr, slot = it->i++;

		rc = acc_read_ptr(o->sp, slots.addr + slot * o->sp->sizes.pointer_bytes, &addr);
		if (rc)
			return acc_note(&o->sp->note, rc, "ompi_mpi_communicators, slot %llu: %s",
					(unsigned long long)slot, acc_rc_text(rc));
		if (!addr || addr == COMM_SLOT_RESERVED)
			continue;
		rc = rd_ompi_comm_load(o, addr, &c);
		if (rc == ACC_OK && c.slot != slot && is_in_slot(o, &slots, &c, addr))
			continue;
		if (rc == ACC_OK && c.slot != slot)
			rc = rd_ompi_bad(o, ACC_ECORRUPT, T_ompi_communicator_t, addr);
		if (rc == ACC_NONE)
			continue;
		if (rc) {
			if (++it->n_bad >= ACC_BAD_MAX)
				return ACC_ECORRUPT;
			continue;
		}
		fill_internal(o, &c.facts);
		if (c.facts.internal && !it->all)
			continue;
		*ret = c.facts;
		return ACC_OK;
	}
	return ACC_NONE;
}

enum acc_rc rd_ompi_comm_get(void *state, uint64_t id, struct mdl_comm *ret)
{
	struct rd_ompi *o = state;
	struct rd_ompi_comm c;

	enum acc_rc rc = rd_ompi_comm_find(o, id, &c);
	if (rc)
		return rc;
	fill_internal(o, &c.facts);
	*ret = c.facts;
	return ACC_OK;
}

enum acc_rc rd_ompi_comm_members(void *state, const struct mdl_comm *comm, bool remote, uint64_t first, uint64_t n,
				 struct mdl_member *ret)
{
	struct rd_ompi *o = state;
	struct rd_ompi_comm c;
	uint64_t n_known = 0;

	enum acc_rc rc = rd_ompi_comm_find(o, comm->id, &c);
	if (rc)
		return rc;
	if (remote && !c.facts.inter)
		return ACC_NONE;
	const struct rd_ompi_group *g = remote ? &c.remote : &c.local;
	if (first > g->n || n > g->n - first)
		return ACC_EINVAL;
	for (uint64_t i = 0; i < n; i++) {
		rd_ompi_member(o, g, first + i, &ret[i]);
		n_known += ret[i].known;
	}
	return n && !n_known ? rd_ompi_bad(o, ACC_EREAD, T_ompi_group_t, g->addr) : ACC_OK;
}
