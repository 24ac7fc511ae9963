/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * References to a group, a datatype or an error handler: communicators to groups and handlers, windows to handlers
 * and the groups of their epochs, files to handlers, datatypes to those that they are made of. An object without a
 * reference beyond these is not the program's any more.
 */
#include "objects.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum { ALIGNMENT = 16, TYPES_MAX = 1 << 20 };

static enum rd_mpich_kind pool_of(enum mdl_handle_kind kind)
{
	return kind == MDL_GROUP ? RD_MPICH_GROUP : kind == MDL_DATATYPE ? RD_MPICH_DATATYPE : RD_MPICH_ERRHANDLER;
}

static void count_addr(struct rd_mpich *o, enum mdl_handle_kind kind, uint64_t addr)
{
	const struct rd_mpich_pool *pool = rd_mpich_pool(o, pool_of(kind));
	uint64_t slot;

	if (addr && pool && rd_mpich_slot_of(pool, addr, &slot))
		o->references[kind][slot]++;
	for (unsigned i = 0; kind == MDL_GROUP && addr && i < RD_MPICH_N_BUILTIN_GROUPS; i++)
		o->builtin_groups[i].references += addr == o->builtin_groups[i].addr;
}

static void count_handle(struct rd_mpich *o, enum mdl_handle_kind kind, uint32_t handle)
{
	const struct rd_mpich_pool *pool = rd_mpich_pool(o, pool_of(kind));
	uint64_t slot;

	if (pool && rd_mpich_slot_of_handle(pool, handle, &slot))
		o->references[kind][slot]++;
}

static void count_field(struct rd_mpich *o, enum mdl_handle_kind kind, uint64_t object_addr, unsigned field)
{
	uint64_t addr;

	if (acc_layout_has(o->layout, field) &&
	    !acc_read_ptr(o->sp, object_addr + o->layout->fields[field].offset, &addr))
		count_addr(o, kind, addr);
}

static void count_windows(struct rd_mpich *o, enum mdl_handle_kind kind)
{
	const struct rd_mpich_pool *wins = rd_mpich_pool(o, RD_MPICH_WIN);
	uint32_t handle;

	for (uint64_t i = 0; wins && i < wins->n_slots; i++) {
		uint64_t addr = wins->is_free[i] ? 0 : rd_mpich_slot(wins, i, RD_MPICH_WIN, &handle);

		if (!addr)
			continue;
		if (kind == MDL_ERRHANDLER) {
			count_field(o, kind, addr, F_MPIR_Win_errhandler);
		} else {
			count_field(o, kind, addr, F_MPIR_Win_start_group);
			count_field(o, kind, addr, F_MPIR_Win_post_group);
		}
	}
}

static void count_sessions(struct rd_mpich *o)
{
	const struct rd_mpich_pool *sessions = rd_mpich_pool(o, RD_MPICH_SESSION);
	uint32_t handle;

	for (uint64_t i = 0; sessions && i < sessions->n_slots; i++)
		if (!sessions->is_free[i])
			count_field(o, MDL_ERRHANDLER, rd_mpich_slot(sessions, i, RD_MPICH_SESSION, &handle),
				    F_MPIR_Session_errhandler);
}

/* The constituent datatypes follow its MPIR_Datatype_contents. */
static void count_parts(struct rd_mpich *o, const struct rd_mpich_pool *types, uint64_t contents_addr)
{
	uint64_t n, handle, slot, addr = contents_addr;

	const struct acc_field_at *count = &o->layout->fields[rd_mpich_field(o, F_MPIR_Datatype_contents_nr_types,
									     F_MPIR_Datatype_contents_int_nr_types)];

	if (acc_read_u(o->sp, addr + count->offset, count->width, &n) || n > TYPES_MAX)
		return;
	addr += (acc_layout_bytes(o->layout, T_MPIR_Datatype_contents) + ALIGNMENT - 1) & ~(uint64_t)(ALIGNMENT - 1);
	for (uint64_t i = 0; i < n; i++)
		if (!acc_read_u(o->sp, addr + 4 * i, 4, &handle) &&
		    rd_mpich_slot_of_handle(types, (uint32_t)handle, &slot))
			o->references[MDL_DATATYPE][slot]++;
}

static void count_types(struct rd_mpich *o)
{
	const struct rd_mpich_pool *types = rd_mpich_pool(o, RD_MPICH_DATATYPE);
	uint64_t contents_addr;
	uint32_t handle;

	if (!acc_layout_has(o->layout, F_MPIR_Datatype_contents) ||
	    !acc_layout_has(o->layout, rd_mpich_field(o, F_MPIR_Datatype_contents_nr_types,
						      F_MPIR_Datatype_contents_int_nr_types)))
		return;
	for (uint64_t i = 0; types && i < types->n_slots; i++) {
		uint64_t addr = types->is_free[i] ? 0 : rd_mpich_slot(types, i, RD_MPICH_DATATYPE, &handle);

		if (addr &&
		    !acc_read_ptr(o->sp, addr + o->layout->fields[F_MPIR_Datatype_contents].offset, &contents_addr) &&
		    contents_addr)
			count_parts(o, types, contents_addr);
	}
}

static void count_all(struct rd_mpich *o, enum mdl_handle_kind kind)
{
	if (kind == MDL_DATATYPE) {
		count_types(o);
		return;
	}
	for (uint64_t i = 0; i < o->n_comms; i++) {
		if (kind == MDL_ERRHANDLER) {
			count_field(o, kind, o->comms[i].addr, F_MPIR_Comm_errhandler);
		} else {
			count_field(o, kind, o->comms[i].addr, F_MPIR_Comm_local_group);
			count_field(o, kind, o->comms[i].addr, F_MPIR_Comm_remote_group);
		}
	}
	count_windows(o, kind);
	if (kind != MDL_ERRHANDLER)
		return;
	count_sessions(o);
	for (uint64_t i = 0; i < o->n_files; i++)
		count_handle(o, kind, o->files[i].errhandler);
}

/* Each has one reference that MPI_Init made. */
static void find_builtin_groups(struct rd_mpich *o)
{
	memset(o->builtin_groups, 0, sizeof(o->builtin_groups));
	for (unsigned i = 0; rd_mpich_has_group_map(o) && i < RD_MPICH_N_BUILTIN_GROUPS; i++) {
		const struct rd_mpich_comm *c = rd_mpich_comm_find(o, 0x44000000 + i);

		o->builtin_groups[i].addr = c ? c->local_addr : 0;
		o->builtin_groups[i].references = 1;
	}
}

uint32_t rd_mpich_references(struct rd_mpich *o, enum mdl_handle_kind kind, uint64_t slot)
{
	const struct rd_mpich_pool *pool = rd_mpich_pool(o, pool_of(kind));

	if (!pool)
		return 0;
	if (!o->references[kind]) {
		o->references[kind] = acc_array(o->sp, pool->n_slots + 1, sizeof(*o->references[kind]));
		if (!o->references[kind])
			return 0;
		memset(o->references[kind], 0, pool->n_slots * sizeof(*o->references[kind]));
		if (kind == MDL_GROUP)
			find_builtin_groups(o);
		count_all(o, kind);
	}
	return slot < pool->n_slots ? o->references[kind][slot] : 0;
}

uint64_t rd_mpich_builtin_group(struct rd_mpich *o, uint64_t i, uint32_t *references)
{
	*references = 0;
	rd_mpich_references(o, MDL_GROUP, 0);
	if (i >= RD_MPICH_N_BUILTIN_GROUPS || !o->references[MDL_GROUP])
		return 0;
	*references = o->builtin_groups[i].references;
	return o->builtin_groups[i].addr;
}

void rd_mpich_references_clear(struct rd_mpich *o)
{
	for (int i = 0; i < MDL_N_HANDLE_KINDS; i++) {
		acc_array_free(o->sp, o->references[i]);
		o->references[i] = NULL;
	}
	o->topology_keyval_addr = 0;
	o->topology_keyval_asked = false;
}
