/* SPDX-License-Identifier: BSD-3-Clause */
#include "fake_vars.h"

#include <check.h>
#include <string.h>

static const unsigned types[MDL_N_VAR_KINDS] = { T_trk_cvar, T_trk_pvar, T_trk_category, T_trk_event,
						 T_trk_registration };
static const unsigned states[MDL_N_VAR_KINDS] = { F_trk_cvar_state, F_trk_pvar_state, F_trk_category_state,
						  F_trk_event_state, F_trk_registration_state };

void fake_vars_init(struct fake_vars *v, struct fake_track *m)
{
	struct fake *f = m->f;

	memset(v, 0, sizeof(*v));
	v->m = m;
	v->table_bytes = (uint32_t)fake_get_u(f, m->registry, F_trk_registry_slab_bytes);
	v->tables = fake_alloc(f, (uint64_t)v->table_bytes * MDL_N_VAR_KINDS, 8);
	for (int k = 0; k < MDL_N_VAR_KINDS; k++) {
		/* the last kind first: a reader finds them by name */
		uint64_t slab = v->tables + (uint64_t)(MDL_N_VAR_KINDS - 1 - k) * v->table_bytes;

		v->stride[k] = (fake_type_bytes(f, types[k]) + 15) & ~7u;
		v->records[k] = fake_alloc(f, (uint64_t)v->stride[k] * FAKE_VARS_CAPACITY, 8);
		fake_put_chars(f, slab, F_trk_slab_name, f->schema->types[types[k]].name);
		fake_put_u(f, slab, F_trk_slab_records, v->records[k]);
		fake_put_u(f, slab, F_trk_slab_bytes, v->stride[k]);
		fake_put_u(f, slab, F_trk_slab_capacity, FAKE_VARS_CAPACITY);
	}
	fake_put_u(f, m->registry, F_trk_registry_var_tables, v->tables);
	fake_put_u(f, m->registry, F_trk_registry_n_var_tables, MDL_N_VAR_KINDS);
	fake_put_u(f, m->registry, F_trk_registry_vars_host, TRK_VARS_READ);
	fake_put_u(f, m->registry, F_trk_registry_vars_read_at, 4711);
	fake_put_u(f, m->registry, F_trk_registry_n_vars_refreshes, 1);
	fake_put_u(f, m->registry, F_trk_registry_vars_why, fake_string(f, "MPI_Init"));
}

uint64_t fake_vars_row(struct fake_vars *v, enum mdl_var_kind kind, uint32_t index)
{
	struct fake *f = v->m->f;
	uint64_t slab = v->tables + (uint64_t)(MDL_N_VAR_KINDS - 1 - (int)kind) * v->table_bytes;
	uint64_t record = v->records[kind] + (uint64_t)index * v->stride[kind];

	ck_assert_uint_lt(index, FAKE_VARS_CAPACITY);
	if (fake_get_u(f, slab, F_trk_slab_high) <= index)
		fake_put_u(f, slab, F_trk_slab_high, index + 1);
	fake_put_u(f, record, states[kind], TRK_LIVE);
	return record;
}

void fake_vars_text(struct fake_vars *v, uint64_t record, unsigned field, const char *text)
{
	fake_put_u(v->m->f, record, field, fake_string(v->m->f, text));
}

uint64_t fake_vars_cvar(struct fake_vars *v, uint32_t index, const char *name, int64_t value)
{
	struct fake *f = v->m->f;
	uint64_t r = fake_vars_row(v, MDL_CVARS, index);

	fake_vars_text(v, r, F_trk_cvar_name, name);
	fake_vars_text(v, r, F_trk_cvar_description, "What it is.");
	fake_put_u(f, r, F_trk_cvar_origin, 1);
	fake_put_u(f, r, F_trk_cvar_type, TRK_VAR_INT);
	fake_put_u(f, r, F_trk_cvar_value_state, TRK_VALUE_KNOWN);
	fake_put_u(f, r, F_trk_cvar_count, 1);
	fake_put_u(f, r, F_trk_cvar_value, (uint64_t)value);
	fake_put_i(f, r, F_trk_cvar_scope, 6);
	fake_put_i(f, r, F_trk_cvar_verbosity, 9);
	fake_put_u(f, r, F_trk_cvar_read_at, 4711);
	return r;
}

static void add_cvars(struct fake_vars *v)
{
	struct fake *f = v->m->f;
	uint64_t r = fake_vars_cvar(v, 0, "MPI2DD_TRACK_WHERE", 0), place = fake_alloc(f, 4, 4), bits;
	double half = 0.5;

	fake_write_u(f, place, 4, 7);
	fake_put_u(f, r, F_trk_cvar_place, place);
	fake_put_u(f, r, F_trk_cvar_origin, 0);
	fake_put_i(f, r, F_trk_cvar_scope, 2);
	fake_vars_cvar(v, 1, "eager_limit", 65536);
	r = fake_vars_cvar(v, 2, "tcp_if", 0);
	fake_put_u(f, r, F_trk_cvar_type, TRK_VAR_CHAR);
	fake_put_u(f, r, F_trk_cvar_count, 2048);
	fake_track_text(v->m, r, F_trk_cvar_values, "lo,eth0");
	r = fake_vars_cvar(v, 3, "gone", 0);
	fake_put_u(f, r, F_trk_cvar_value_state, TRK_VALUE_GONE);
	r = fake_vars_cvar(v, 4, "ratio", 0);
	fake_put_u(f, r, F_trk_cvar_type, TRK_VAR_DOUBLE);
	memcpy(&bits, &half, 8);
	fake_put_u(f, r, F_trk_cvar_value, bits);
	r = fake_vars_cvar(v, 5, "mode", 2);
	fake_vars_text(v, r, F_trk_cvar_enumeration, "modes");
	fake_vars_text(v, r, F_trk_cvar_item, "fast");
}

static void add_pvars(struct fake_vars *v)
{
	const int64_t sizes[] = { 1, 2, 3 };
	struct fake *f = v->m->f;
	uint64_t r = fake_vars_row(v, MDL_PVARS, 0), objects = fake_alloc(f, sizeof(struct trk_object_value), 8);
	uint64_t span = fake_field_addr(f, r, F_trk_pvar_objects);

	fake_vars_text(v, r, F_trk_pvar_name, "queue_length");
	fake_put_u(f, r, F_trk_pvar_origin, 1);
	fake_put_u(f, r, F_trk_pvar_type, TRK_VAR_UNSIGNED);
	fake_put_u(f, r, F_trk_pvar_value_state, TRK_VALUE_KNOWN);
	fake_put_i(f, r, F_trk_pvar_bind, TRK_BIND_COMM);
	fake_put_i(f, r, F_trk_pvar_var_class, 1);
	fake_put_u(f, r, F_trk_pvar_continuous, 1);
	fake_put_u(f, r, F_trk_pvar_read_at, 4711);
	fake_write_u(f, objects, 8, 0x100);
	fake_write_u(f, objects + 8, 8, 3);
	fake_write_u(f, objects + 16, 4, 4);
	fake_write_u(f, span, 8, objects);
	fake_write_u(f, span + 8, 4, 1);
	fake_write_u(f, span + 12, 4, 1);
	r = fake_vars_row(v, MDL_PVARS, 1);
	fake_vars_text(v, r, F_trk_pvar_name, "sizes");
	fake_put_u(f, r, F_trk_pvar_type, TRK_VAR_UINT64);
	fake_put_u(f, r, F_trk_pvar_value_state, TRK_VALUE_KNOWN);
	fake_put_u(f, r, F_trk_pvar_count, 3);
	fake_put_i(f, r, F_trk_pvar_var_class, 2);
	fake_track_numbers(v->m, r, F_trk_pvar_values, 8, sizes, 3);
}

void fake_vars_all(struct fake_vars *v)
{
	const int64_t own[] = { 0 }, below[] = { 1 }, tcp[] = { 1, 2 }, elements[] = { TRK_VAR_INT, TRK_VAR_INT };
	struct fake *f = v->m->f;
	uint64_t r;

	add_cvars(v);
	add_pvars(v);
	r = fake_vars_row(v, MDL_CATEGORIES, 0);
	fake_vars_text(v, r, F_trk_category_name, "MPI2DD");
	fake_put_i(f, r, F_trk_category_parent, -1);
	fake_track_numbers(v->m, r, F_trk_category_cvars, 4, own, 1);
	fake_track_numbers(v->m, r, F_trk_category_categories, 4, below, 1);
	r = fake_vars_row(v, MDL_CATEGORIES, 1);
	fake_vars_text(v, r, F_trk_category_name, "tcp");
	fake_put_i(f, r, F_trk_category_parent, 0);
	fake_track_numbers(v->m, r, F_trk_category_cvars, 4, tcp, 2);
	r = fake_vars_row(v, MDL_EVENTS, 0);
	fake_vars_text(v, r, F_trk_event_name, "stall");
	fake_vars_text(v, r, F_trk_event_source, "watchdog");
	fake_put_u(f, r, F_trk_event_ordered, 1);
	fake_track_numbers(v->m, r, F_trk_event_elements, 1, elements, 2);
	r = fake_vars_row(v, MDL_REGISTRATIONS, 0);
	fake_put_u(f, r, F_trk_registration_handle, 0x77);
	fake_put_u(f, r, F_trk_registration_callback_thread_safe, 0x4000);
	fake_put_u(f, r, F_trk_registration_raised, 5);
	fake_put_u(f, r, F_trk_registration_dropped, 2);
}
