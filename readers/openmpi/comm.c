/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ompi_communicator_t (ompi/communicator/communicator.h). The pointer array ompi_mpi_communicators contains all
 * communicators by context id: slot 0 MPI_COMM_WORLD, 1 MPI_COMM_SELF, 2 MPI_COMM_NULL. A free slot is NULL; since 5.0,
 * a slot reserved while an id is being negotiated is 1.
 *
 * Since 5.0 the slot is c_index. For communicators derived from another one it is
 * the context id, the same on every member; a communicator made from a group of a
 * session has a different one on each member, and c_contextid is a structure.
 */
#include "openmpi.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum { /* c_flags, 4.1 and 5.0 */
       COMM_INTER = 0x1,
       COMM_INTRINSIC = 0x4,
       COMM_CART = 0x100,
       COMM_GRAPH = 0x200,
       COMM_DIST_GRAPH = 0x400,
       COMM_PML_ADDED = 0x1000,
       COMM_GLOBAL_INDEX = 0x10000, /* 5.0 */
       COMM_NULL_CONTEXT = 2,
       COMM_NULL_RANK = -2, /* MPI_PROC_NULL */
};

/* c_name: an array up to 4.1; a pointer since 5.0, which introduced `instance` at the same time. */
static void load_name(struct rd_ompi *o, struct acc_obj *obj, struct mdl_comm *m)
{
	if (rd_ompi_has(o, F_ompi_communicator_t_instance))
		rd_ompi_text_at(o, obj, F_ompi_communicator_t_c_name, m->name, sizeof(m->name));
	else
		acc_get_chars(obj, F_ompi_communicator_t_c_name, m->name, sizeof(m->name));
}

/* The slot in the table, and the part of it that is the same on every member. */
static void load_context(struct rd_ompi *o, struct acc_obj *obj, uint64_t flags, struct rd_ompi_comm *c)
{
	bool local = rd_ompi_has(o, F_ompi_communicator_t_c_index);

	c->slot = acc_get_u(obj, local ? F_ompi_communicator_t_c_index : F_ompi_communicator_t_c_contextid);
	c->facts.context = mdl_known((int64_t)c->slot);
	if (local && !(flags & (COMM_GLOBAL_INDEX | COMM_INTRINSIC)))
		c->facts.context = mdl_unavailable("made from a group: each member numbers it by itself");
}

enum acc_rc rd_ompi_comm_load(struct rd_ompi *o, uint64_t addr, struct rd_ompi_comm *ret)
{
	struct rd_ompi_comm c = { .facts = { .id = addr, .handle = addr, .addr = addr } };
	struct mdl_comm *m = &c.facts;
	struct acc_obj obj;

	enum acc_rc rc = rd_ompi_check(o, addr, C_ompi_communicator_t);
	if (rc)
		return rd_ompi_bad(o, rc, T_ompi_communicator_t, addr);
	acc_obj_load(&obj, o->sp, o->layout, T_ompi_communicator_t, addr);
	uint64_t flags = acc_get_u(&obj, F_ompi_communicator_t_c_flags);
	load_context(o, &obj, flags, &c);
	m->rank = acc_get_i(&obj, F_ompi_communicator_t_c_my_rank);
	uint64_t local_addr = acc_get_u(&obj, F_ompi_communicator_t_c_local_group);
	uint64_t remote_addr = acc_get_u(&obj, F_ompi_communicator_t_c_remote_group);
	load_name(o, &obj, m);
	if (rd_ompi_has(o, F_ompi_communicator_t_c_local_comm))
		c.local_comm_addr = acc_get_u(&obj, F_ompi_communicator_t_c_local_comm);
	if (rd_ompi_has(o, F_ompi_communicator_t_c_topo))
		c.topo_addr = acc_get_u(&obj, F_ompi_communicator_t_c_topo);
	if (rd_ompi_has(o, F_ompi_communicator_t_c_pml_comm))
		c.pml_comm_addr = acc_get_u(&obj, F_ompi_communicator_t_c_pml_comm);
	m->fortran = mdl_unavailable("this layout has no Fortran index");
	if (rd_ompi_has(o, F_ompi_communicator_t_c_f_to_c_index)) {
		int64_t index = acc_get_i(&obj, F_ompi_communicator_t_c_f_to_c_index);
		m->fortran = index >= 0 ? mdl_known(index) : mdl_unavailable("no Fortran handle was made");
	}
	if (obj.rc)
		return obj.rc;
	if ((flags & COMM_INTRINSIC) && c.slot == COMM_NULL_CONTEXT && m->rank == COMM_NULL_RANK)
		return ACC_NONE; /* MPI_COMM_NULL */
	/* the group is there before the pml has its data, the flag is set after that; both stay while it has */
	if (c.pml_comm_addr && (!local_addr || !(flags & COMM_PML_ADDED)))
		return rd_ompi_bad(o, ACC_ECORRUPT, T_ompi_communicator_t, addr);
	if (!(flags & COMM_PML_ADDED) || !local_addr)
		return ACC_NONE; /* under construction or being freed */
	rc = rd_ompi_group(o, local_addr, &c.local);
	if (rc)
		return rc;
	m->inter = flags & COMM_INTER;
	c.remote = c.local;
	if (m->inter) {
		rc = rd_ompi_group(o, remote_addr, &c.remote);
		if (rc)
			return rc;
		m->remote_size = (int64_t)c.remote.n;
	}
	m->size = (int64_t)c.local.n;
	m->predefined = flags & COMM_INTRINSIC;
	if (m->size < 1 || m->rank < 0 || m->rank >= m->size)
		return rd_ompi_bad(o, ACC_ECORRUPT, T_ompi_communicator_t, addr);
	if (c.topo_addr)
		m->topology = flags & COMM_CART         ? MDL_TOPO_CART
			      : flags & COMM_GRAPH      ? MDL_TOPO_GRAPH
			      : flags & COMM_DIST_GRAPH ? MDL_TOPO_DIST_GRAPH
							: MDL_TOPO_NONE;
	*ret = c;
	return ACC_OK;
}

/* The table of communicators. */
enum acc_rc rd_ompi_comm_table(struct rd_ompi *o, struct acc_slots *ret)
{
	uint64_t addr;

	enum acc_rc rc = rd_ompi_symbol(o, S_ompi_mpi_communicators, &addr);
	if (rc)
		return acc_note(&o->sp->note, rc, "ompi_mpi_communicators: %s", acc_rc_text(rc));
	return rd_ompi_array(o, addr, ret);
}

/* Does a slot contain this address? @return ACC_OK, ACC_NONE, or a failure, noted. */
static enum acc_rc listed(struct rd_ompi *o, uint64_t addr)
{
	struct acc_slots slots;
	uint64_t value;

	enum acc_rc rc = rd_ompi_comm_table(o, &slots);
	if (rc)
		return rc;
	while ((rc = acc_slots_next(&slots, &value)) == ACC_OK)
		if (value == addr)
			return ACC_OK;
	return rc == ACC_NONE ? rc : acc_note(&o->sp->note, rc, "ompi_mpi_communicators: %s", acc_rc_text(rc));
}

enum acc_rc rd_ompi_comm_find(struct rd_ompi *o, uint64_t addr, struct rd_ompi_comm *ret)
{
	struct acc_slots slots;
	struct rd_ompi_comm c;
	uint64_t value;

	if (!rd_ompi_alive(o) || !acc_plausible(o->sp, addr, 4))
		return ACC_NONE;
	/*
	 * A handle from the caller is a communicator only if the table contains it: nothing is noted about its bytes,
	 * and an unreadable one is a failure only if it should exist.
	 */
	struct acc_note note = o->sp->note;
	enum acc_rc rc = rd_ompi_comm_load(o, addr, &c);
	o->sp->note = note;
	if (rc == ACC_EREAD) {
		rc = listed(o, addr);
		return rc == ACC_OK ? rd_ompi_bad(o, ACC_EREAD, T_ompi_communicator_t, addr) : rc;
	}
	if (rc)
		return ACC_NONE;
	rc = rd_ompi_comm_table(o, &slots);
	if (rc)
		return rc;
	if (c.slot >= slots.n)
		return ACC_NONE;
	rc = acc_read_ptr(o->sp, slots.addr + c.slot * o->sp->sizes.pointer_bytes, &value);
	if (rc)
		return acc_note(&o->sp->note, rc, "ompi_mpi_communicators, slot %llu: %s", (unsigned long long)c.slot,
				acc_rc_text(rc));
	if (value != addr)
		return ACC_NONE;
	*ret = c;
	return ACC_OK;
}

enum acc_rc rd_ompi_procs(struct rd_ompi *o, const struct rd_ompi_comm *of, struct acc_slots *ret)
{
	uint64_t pml_comm_addr = of->pml_comm_addr;
	struct acc_obj comm;

	enum acc_rc rc = rd_ompi_check(o, pml_comm_addr, C_mca_pml_ob1_comm_t);
	if (rc)
		return rd_ompi_bad(o, rc, T_mca_pml_comm_t, pml_comm_addr);
	acc_obj_load(&comm, o->sp, o->layout, T_mca_pml_comm_t, pml_comm_addr);
	uint64_t procs_addr = acc_get_u(&comm, F_mca_pml_comm_t_procs);
	uint64_t n = acc_get_u(&comm, F_mca_pml_comm_t_num_procs);
	if (comm.rc)
		return comm.rc;
	if (n != of->remote.n || (n && !acc_plausible(o->sp, procs_addr, 4)))
		return rd_ompi_bad(o, ACC_ECORRUPT, T_mca_pml_comm_t, pml_comm_addr);
	rc = acc_slots_init(ret, o->sp, procs_addr, n);
	return rc ? rd_ompi_bad(o, rc, T_mca_pml_comm_t, pml_comm_addr) : ACC_OK;
}
