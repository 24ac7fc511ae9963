/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPIR_Comm (src/include/mpir_comm.h). MPI_COMM_WORLD and MPI_COMM_SELF are builtin, all others are in the pool.
 */
#include "objects.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum {
	COMM_INTRA = 0,
	COMM_INTER = 1,
	HIERARCHY_NODE_ROOTS = 2, /* communicators that collectives make for the nodes of another one */
	HIERARCHY_NODE = 3,
	HIERARCHY_MULTI_LEADS = 4, /* since 4.1 */
	ATTR_SUBCOMM = 1,          /* since 5.0: such a one; most other fields are not set */
	/* src/include/mpir_contextid.h, 3.4 to 5.0: the two bits in which their context differs from that of the other
	   one */
	CONTEXT_SUBCOMM = 6,
	WORLD = 0x44000000,
	N_BUILTIN = 2,
};

enum acc_rc rd_mpich_comm_load(struct rd_mpich *o, uint64_t addr, uint32_t handle, struct rd_mpich_comm *ret)
{
	struct acc_note note = o->sp->note;
	struct rd_mpich_comm c = { .addr = addr };
	struct mdl_comm *m = &c.facts;
	struct acc_obj obj;

	acc_obj_load(&obj, o->sp, o->layout, T_MPIR_Comm, addr);
	uint64_t own = acc_get_u(&obj, F_MPIR_Comm_handle);
	int64_t references = acc_get_i(&obj, F_MPIR_Comm_ref_count);
	uint64_t kind = acc_get_u(&obj, F_MPIR_Comm_comm_kind), level = 0;
	if (acc_layout_has(o->layout, F_MPIR_Comm_hierarchy_kind))
		level = acc_get_u(&obj, F_MPIR_Comm_hierarchy_kind);
	else if (acc_get_u(&obj, F_MPIR_Comm_attr) & ATTR_SUBCOMM)
		level = HIERARCHY_NODE;
	int64_t remote_size = acc_get_i(&obj, F_MPIR_Comm_remote_size);
	m->rank = acc_get_i(&obj, F_MPIR_Comm_rank);
	m->size = acc_get_i(&obj, F_MPIR_Comm_local_size);
	bool wide = acc_layout_has(o->layout, F_MPIR_Comm_wide_context_id);
	c.context = (uint32_t)acc_get_u(&obj, wide ? F_MPIR_Comm_wide_context_id : F_MPIR_Comm_context_id);
	c.receive_context = (uint32_t)acc_get_u(&obj,
						wide ? F_MPIR_Comm_wide_recvcontext_id : F_MPIR_Comm_recvcontext_id);
	c.local_comm_addr = acc_get_u(&obj, F_MPIR_Comm_local_comm);
	if (acc_layout_has(o->layout, F_MPIR_Comm_map)) {
		c.peers_addr = c.local_addr = acc_get_addr(&obj, F_MPIR_Comm_map);
		if (kind == COMM_INTER)
			c.local_addr = acc_get_addr(&obj, F_MPIR_Comm_local_map);
	} else {
		c.peers_addr = c.local_addr = acc_get_u(&obj, F_MPIR_Comm_local_group);
		if (kind == COMM_INTER)
			c.peers_addr = acc_get_u(&obj, F_MPIR_Comm_remote_group);
	}
	acc_get_chars(&obj, F_MPIR_Comm_name, m->name, sizeof(m->name));
	o->sp->note = note;
	if (obj.rc)
		return obj.rc;
	if (!own && references <= 0)
		return ACC_NONE;
	m->inter = kind == COMM_INTER;
	m->remote_size = m->inter ? remote_size : 0;
	if (own != handle || references <= 0 || kind > COMM_INTER || level > HIERARCHY_MULTI_LEADS || m->size < 1 ||
	    m->size > (int64_t)ACC_RANKS_MAX || m->rank < 0 || m->rank >= m->size || remote_size < 1 ||
	    remote_size > (int64_t)ACC_RANKS_MAX || (kind == COMM_INTRA && remote_size != m->size))
		return ACC_ECORRUPT;
	m->id = m->handle = handle;
	m->addr = addr;
	m->fortran = mdl_known((int32_t)handle);
	m->context = mdl_known(c.receive_context);
	m->predefined = handle >= WORLD && handle < WORLD + N_BUILTIN;
	if (level >= HIERARCHY_NODE_ROOTS) {
		m->internal = true;
		m->internal_why = "for collectives on the nodes of another communicator";
	}
	*ret = c;
	return ACC_OK;
}

/* Name the communicator to which each of those that collectives
 * have made belongs: it has the same context but for two bits. */
static void find_owners(struct rd_mpich *o)
{
	for (uint64_t i = 0; i < o->n_comms; i++) {
		struct rd_mpich_comm *part = &o->comms[i];

		for (uint64_t k = 0; (part->context & CONTEXT_SUBCOMM) && k < o->n_comms; k++)
			if (o->comms[k].context == (part->context & ~(uint32_t)CONTEXT_SUBCOMM))
				part->facts.part_of = o->comms[k].facts.id;
	}
}

static void add_comm(struct rd_mpich *o, uint64_t addr, uint32_t handle)
{
	enum acc_rc rc = rd_mpich_comm_load(o, addr, handle, &o->comms[o->n_comms]);

	if (rc == ACC_OK)
		o->n_comms++;
	if (rc == ACC_OK || rc == ACC_NONE)
		return;
	o->n_bad_comms++;
	acc_note(&o->sp->note, rc, "MPIR_Comm at 0x%llx: %s", (unsigned long long)addr, acc_rc_text(rc));
}

static void hide(struct rd_mpich *o, uint64_t addr, const char *why, uint64_t inter)
{
	for (uint64_t i = 0; addr && i < o->n_comms; i++) {
		struct mdl_comm *m = &o->comms[i].facts;

		if (o->comms[i].addr != addr || m->predefined)
			continue;
		m->internal = true;
		m->internal_why = why;
		m->local_of = inter;
	}
}

static void hide_windows(struct rd_mpich *o)
{
	const struct rd_mpich_pool *pool = rd_mpich_pool(o, RD_MPICH_WIN);
	uint64_t comm_addr;
	uint32_t handle;

	for (uint64_t i = 0; pool && i < pool->n_slots; i++) {
		uint64_t addr = rd_mpich_slot(pool, i, RD_MPICH_WIN, &handle);

		if (!pool->is_free[i] &&
		    !acc_read_ptr(o->sp, addr + o->layout->fields[F_MPIR_Win_comm_ptr].offset, &comm_addr))
			hide(o, comm_addr, "of a window", 0);
	}
}

enum acc_rc rd_mpich_comms(struct rd_mpich *o)
{
	if (o->comms_built)
		return ACC_OK;
	const struct rd_mpich_pool *pool = rd_mpich_pool(o, RD_MPICH_COMM);
	if (!pool)
		return o->sp->note.rc ? o->sp->note.rc : ACC_ECORRUPT;
	o->comms = acc_array(o->sp, pool->n_slots + N_BUILTIN, sizeof(*o->comms));
	if (!o->comms)
		return acc_note(&o->sp->note, ACC_ENOMEM, "communicators: %s", acc_rc_text(ACC_ENOMEM));
	o->comms_built = true;
	o->n_bad_comms += pool->chain_rc != ACC_OK;
	for (uint32_t i = 0; o->world_addr && i < N_BUILTIN; i++)
		add_comm(o, o->world_addr + i * acc_layout_bytes(o->layout, T_MPIR_Comm), WORLD + i);
	for (uint64_t i = 0; i < pool->n_slots; i++) {
		uint32_t handle;
		uint64_t addr = rd_mpich_slot(pool, i, RD_MPICH_COMM, &handle);

		if (!pool->is_free[i])
			add_comm(o, addr, handle);
	}
	for (uint64_t i = 0; i < o->n_comms; i++)
		if (o->comms[i].facts.inter)
			hide(o, o->comms[i].local_comm_addr, "of an intercommunicator", o->comms[i].facts.id);
	hide_windows(o);
	rd_mpich_find_files(o);
	for (uint64_t i = 0; i < o->n_files; i++) {
		const struct rd_mpich_comm *c = rd_mpich_comm_find(o, o->files[i].comm);

		hide(o, c ? c->addr : 0, "of a file", 0);
	}
	find_owners(o);
	for (uint64_t i = 0; i < o->n_comms; i++)
		rd_mpich_topology_addr(o, &o->comms[i], &o->comms[i].facts.topology);
	return ACC_OK;
}

bool rd_mpich_is_released(struct rd_mpich *o, uint32_t context)
{
	const struct rd_mpich_pool *pool = rd_mpich_pool(o, RD_MPICH_COMM);
	bool wide = acc_layout_has(o->layout, F_MPIR_Comm_wide_context_id), ret = false;
	unsigned field = wide ? F_MPIR_Comm_wide_context_id : F_MPIR_Comm_context_id;
	unsigned receive_field = wide ? F_MPIR_Comm_wide_recvcontext_id : F_MPIR_Comm_recvcontext_id;
	struct acc_note note = o->sp->note;

	for (uint64_t i = 0; pool && i < pool->n_slots && !ret; i++) {
		uint32_t handle;
		uint64_t addr = rd_mpich_slot(pool, i, RD_MPICH_COMM, &handle);
		struct acc_obj obj;

		if (!pool->is_free[i])
			continue;
		acc_obj_load(&obj, o->sp, o->layout, T_MPIR_Comm, addr);
		uint64_t own = acc_get_u(&obj, field), receive = acc_get_u(&obj, receive_field);
		ret = !obj.rc && (own == context || receive == context);
	}
	o->sp->note = note;
	return ret;
}

const struct rd_mpich_comm *rd_mpich_comm_find(struct rd_mpich *o, uint64_t handle)
{
	if (!o->initialized || rd_mpich_comms(o))
		return NULL;
	for (uint64_t i = 0; i < o->n_comms; i++)
		if (o->comms[i].facts.handle == (handle >> 32 == UINT32_MAX ? handle & UINT32_MAX : handle))
			return &o->comms[i];
	return NULL;
}

enum acc_rc rd_mpich_comm_first(void *state, struct rd_comm_iter *it)
{
	struct rd_mpich *o = state;

	if (!o->initialized)
		return ACC_NONE;
	enum acc_rc rc = rd_mpich_comms(o);
	if (rc)
		return rc;
	it->i = 0;
	it->n = o->n_comms;
	return ACC_OK;
}

enum acc_rc rd_mpich_comm_next(void *state, struct rd_comm_iter *it, struct mdl_comm *ret)
{
	struct rd_mpich *o = state;

	if (!o->initialized || rd_mpich_comms(o))
		return ACC_NONE;
	if (!it->i)
		it->n_bad += o->n_bad_comms;
	while (it->i < o->n_comms) {
		const struct mdl_comm *m = &o->comms[it->i++].facts;

		if (m->internal && !it->all)
			continue;
		*ret = *m;
		return ACC_OK;
	}
	return ACC_NONE;
}

enum acc_rc rd_mpich_comm_get(void *state, uint64_t id, struct mdl_comm *ret)
{
	const struct rd_mpich_comm *c = rd_mpich_comm_find(state, id);

	if (!c)
		return ACC_NONE;
	*ret = c->facts;
	return ACC_OK;
}
