/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the registry, and checks everything in its head before using it.
 */
#include "registry.h"

#include "self.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum { ABI_VERSION = 1 }; /* MPI_ABI_VERSION of MPI 5.0 */

static const char no_field[] = "the registry does not have this field";

/* ---- fields ----------------------------------------------------------------------------------------------- */

struct mdl_num rd_track_u(struct acc_obj *o, unsigned field)
{
	return acc_layout_has(o->layout, field) ? mdl_known((int64_t)acc_get_u(o, field)) : mdl_unavailable(no_field);
}

struct mdl_num rd_track_i(struct acc_obj *o, unsigned field)
{
	return acc_layout_has(o->layout, field) ? mdl_known(acc_get_i(o, field)) : mdl_unavailable(no_field);
}

struct mdl_num rd_track_ref(struct acc_obj *o, unsigned field)
{
	struct mdl_num n = rd_track_u(o, field);

	return n.known == MDL_KNOWN && !n.value ? mdl_none() : n;
}

bool rd_track_flag(struct acc_obj *o, unsigned field)
{
	return acc_layout_has(o->layout, field) && acc_get_u(o, field);
}

static enum acc_rc bad_field(struct acc_obj *o, unsigned field, uint64_t value)
{
	const struct acc_field_row *row = &o->layout->schema->fields[field];

	return acc_note(&o->sp->note, ACC_ECORRUPT, "%s.%s at 0x%" PRIx64 ": 0x%" PRIx64 ": %s", row->type_name,
			row->name, o->addr, value, acc_rc_text(ACC_ECORRUPT));
}

struct mdl_list rd_track_list(struct acc_obj *o, unsigned field, unsigned element_bytes)
{
	char bytes[RD_TRACK_SPAN_BYTES + 1];
	uint64_t end;

	if (!acc_layout_has(o->layout, field) || o->rc)
		return (struct mdl_list){ .known = false };
	acc_get_chars(o, field, bytes, sizeof(bytes));
	if (o->rc)
		return (struct mdl_list){ .known = false };

	struct mdl_list list = {
		.known = true,
		.addr = acc_decode_u(o->sp, bytes, 8),
		.n = acc_decode_u(o->sp, bytes + 8, 4),
		.total = acc_decode_u(o->sp, bytes + 12, 4),
	};
	if (list.n > list.total)
		o->rc = bad_field(o, field, list.n);
	else if (list.n &&
		 (!acc_plausible(o->sp, list.addr, 1) ||
		  __builtin_add_overflow(list.addr, list.n * element_bytes, &end) || !acc_plausible(o->sp, end - 1, 1)))
		o->rc = bad_field(o, field, list.addr);
	if (o->rc)
		list = (struct mdl_list){ .known = false };
	return list;
}

void rd_track_name(struct acc_obj *o, unsigned field, char ret[MDL_NAME_BYTES])
{
	ret[0] = '\0';
	if (acc_layout_has(o->layout, field))
		acc_get_chars(o, field, ret, MDL_NAME_BYTES);
}

void rd_track_call_name(struct rd_track *t, uint64_t call, char ret[MDL_NAME_BYTES])
{
	size_t n = t->call_name_bytes < MDL_NAME_BYTES ? t->call_name_bytes : MDL_NAME_BYTES - 1;

	memset(ret, 0, MDL_NAME_BYTES);
	if (call >= t->n_calls || acc_read(t->sp, t->call_names + call * t->call_name_bytes, n, ret))
		memset(ret, 0, MDL_NAME_BYTES);
}

bool rd_track_has_call(struct rd_track *t, const char *function)
{
	struct acc_note note = t->sp->note;
	char name[MDL_NAME_BYTES];
	bool found = false;

	for (uint64_t i = 0; i < t->n_calls && !found; i++) {
		rd_track_call_name(t, i, name);
		found = !strcmp(name, function);
	}
	t->sp->note = note;
	return found;
}

/* ---- the head --------------------------------------------------------------------------------------------- */

/* A table in the head or a slab; an empty one may have any address. */
static bool sane_table(const struct rd_track *t, uint64_t addr, uint64_t n, uint64_t bytes)
{
	uint64_t size, end;

	return !n || (acc_plausible(t->sp, addr, 4) && !__builtin_mul_overflow(n, bytes, &size) &&
		      !__builtin_add_overflow(addr, size, &end) && acc_plausible(t->sp, end - 1, 1));
}

static enum acc_rc read_slab(struct rd_track *t, unsigned kind, uint64_t addr)
{
	const char *type = rd_track_schema.types[rd_track_record_type(kind)].name;
	struct rd_track_slab *s = &t->slabs[kind];
	char name[sizeof(trk_name) + 1];
	struct acc_obj o;

	acc_obj_load(&o, t->sp, &t->layout, T_trk_slab, addr);
	acc_get_chars(&o, F_trk_slab_name, name, sizeof(name));
	s->records = acc_get_u(&o, F_trk_slab_records);
	s->bytes = (uint32_t)acc_get_u(&o, F_trk_slab_bytes);
	s->capacity = (uint32_t)acc_get_u(&o, F_trk_slab_capacity);
	s->high = (uint32_t)acc_get_u(&o, F_trk_slab_high);
	s->n_dropped = rd_track_has(t, F_trk_slab_n_dropped) ? acc_get_u(&o, F_trk_slab_n_dropped) : 0;
	s->n_live = kind != TRK_REQUEST && rd_track_has(t, F_trk_slab_n_live)
			    ? mdl_known((int64_t)acc_get_u(&o, F_trk_slab_n_live))
			    : mdl_none();
	s->n_forgotten = rd_track_has(t, F_trk_slab_n_forgotten) ? acc_get_u(&o, F_trk_slab_n_forgotten) : 0;
	if (o.rc)
		return o.rc;
	if (!s->records && s->high)
		return bad_field(&o, F_trk_slab_records, s->records); /* it has records, but no address */
	if (!s->records)
		return ACC_OK; /* not set up */
	if (strcmp(name, type) != 0)
		return acc_note(&t->sp->note, ACC_ECORRUPT, "registry: slab %u: holds something else than %s: %s", kind,
				type, acc_rc_text(ACC_ECORRUPT));
	if (s->capacity > RD_TRACK_NUMBER_OF_SLOTS_MAX || s->high > s->capacity)
		return bad_field(&o, s->high > s->capacity ? F_trk_slab_high : F_trk_slab_capacity,
				 s->high > s->capacity ? s->high : s->capacity);
	if (s->bytes < acc_layout_bytes(&t->layout, rd_track_record_type(kind)) || s->bytes > RD_TRACK_RECORD_MAX ||
	    s->bytes % 4)
		return bad_field(&o, F_trk_slab_bytes, s->bytes);
	if (!sane_table(t, s->records, s->capacity, s->bytes))
		return bad_field(&o, F_trk_slab_records, s->records);
	s->known = true;
	return ACC_OK;
}

/* The fields that identify a record. */
static bool can_be_read(const struct rd_track *t, unsigned kind)
{
	const struct acc_schema *schema = &rd_track_schema;
	unsigned n = 0;

	for (unsigned i = 0; i < schema->n_fields; i++) {
		const struct acc_field_row *row = &schema->fields[i];

		if (row->type == rd_track_record_type(kind) && rd_track_has(t, i))
			n += !strcmp(row->name, "sequence") || !strcmp(row->name, "state") ||
			     !strcmp(row->name, "handle");
	}
	return n == 3;
}

static enum acc_rc read_slabs(struct rd_track *t, struct acc_obj *head)
{
	uint64_t addr = acc_get_u(head, F_trk_registry_slabs), n = acc_get_u(head, F_trk_registry_n_slabs);
	uint64_t bytes = acc_get_u(head, F_trk_registry_slab_bytes);

	if (head->rc)
		return head->rc;
	memset(t->slabs, 0, sizeof(t->slabs));
	if (n > RD_TRACK_SLABS_MAX)
		return bad_field(head, F_trk_registry_n_slabs, n);
	if (n && (bytes < acc_layout_bytes(&t->layout, T_trk_slab) || bytes > RD_TRACK_STRIDE_MAX || bytes % 4))
		return bad_field(head, F_trk_registry_slab_bytes, bytes);
	if (!sane_table(t, addr, n, bytes))
		return bad_field(head, F_trk_registry_slabs, addr);
	for (unsigned kind = 0; kind < TRK_N_KINDS && kind < n; kind++) {
		if (!can_be_read(t, kind))
			continue;
		enum acc_rc rc = read_slab(t, kind, addr + kind * bytes);
		if (rc)
			return rc;
	}
	return ACC_OK;
}

static uint32_t optional(struct rd_track *t, struct acc_obj *head, unsigned field)
{
	return rd_track_has(t, field) ? (uint32_t)acc_get_u(head, field) : 0;
}

static enum acc_rc read_tables(struct rd_track *t, struct acc_obj *head)
{
	t->call_names = rd_track_has(t, F_trk_registry_call_names) ? acc_get_u(head, F_trk_registry_call_names) : 0;
	t->n_calls = optional(t, head, F_trk_registry_n_calls);
	t->call_name_bytes = optional(t, head, F_trk_registry_call_name_bytes);
	t->threads = rd_track_has(t, F_trk_registry_threads) ? acc_get_u(head, F_trk_registry_threads) : 0;
	t->threads_capacity = optional(t, head, F_trk_registry_threads_capacity);
	t->thread_bytes = optional(t, head, F_trk_registry_thread_bytes);
	t->n_threads = optional(t, head, F_trk_registry_n_threads);
	t->n_threads_dropped = optional(t, head, F_trk_registry_n_threads_dropped);
	if (head->rc)
		return head->rc;
	if (t->n_calls > RD_TRACK_CALLS_MAX)
		return bad_field(head, F_trk_registry_n_calls, t->n_calls);
	if (t->n_calls && (t->call_name_bytes < 2 || t->call_name_bytes > RD_TRACK_STRIDE_MAX))
		return bad_field(head, F_trk_registry_call_name_bytes, t->call_name_bytes);
	if (t->n_calls && !acc_plausible(t->sp, t->call_names, 1))
		return bad_field(head, F_trk_registry_call_names, t->call_names);
	if (t->threads_capacity > RD_TRACK_THREADS_MAX)
		return bad_field(head, F_trk_registry_threads_capacity, t->threads_capacity);
	if (t->threads_capacity && (t->thread_bytes < acc_layout_bytes(&t->layout, T_trk_thread) ||
				    t->thread_bytes > RD_TRACK_RECORD_MAX || t->thread_bytes % 4))
		return bad_field(head, F_trk_registry_thread_bytes, t->thread_bytes);
	if (!sane_table(t, t->threads, t->threads_capacity, t->thread_bytes))
		return bad_field(head, F_trk_registry_threads, t->threads);
	if (t->n_threads > t->threads_capacity)
		return bad_field(head, F_trk_registry_n_threads, t->n_threads);
	return ACC_OK;
}

/* The first dotted number in the library's version string: "Open MPI v4.1.4, package: ..." */
static void find_version(const char *text, char *ret, size_t size)
{
	size_t n = 0;

	while (*text) {
		size_t digits = strspn(text, "0123456789");

		if (digits && text[digits] == '.') {
			while (n + 1 < size && text[n] &&
			       (text[n] == '.' || (text[n] >= '0' && text[n] <= '9') ||
				(text[n] >= 'a' && text[n] <= 'z')))
				n++;
			memcpy(ret, text, n);
			break;
		}
		text += digits ? digits : 1;
	}
	ret[n] = '\0';
}

/* A number of the head that cannot be negative. */
static struct mdl_num head_num(const struct rd_track *t, struct acc_obj *head, unsigned field)
{
	if (!rd_track_has(t, field))
		return mdl_unavailable("this registry does not say");
	uint64_t n = acc_get_u(head, field);
	return n > INT64_MAX ? mdl_unavailable("it makes no sense") : mdl_known((int64_t)n);
}

static enum acc_rc read_library(struct rd_track *t, struct acc_obj *head)
{
	static const enum mdl_library_state states[] = { MDL_BEFORE_INIT, MDL_INITIALIZED, MDL_FINALIZED };
	struct mdl_library *lib = &t->library;
	char text[MDL_NAME_BYTES];

	memset(lib, 0, sizeof(*lib));
	rd_track_name(head, F_trk_registry_mpi_name, text);
	snprintf(t->implementation, sizeof(t->implementation), "%.63s", text[0] ? text : "MPI");
	lib->implementation = t->implementation;
	uint64_t abi = rd_track_has(t, F_trk_registry_abi) ? acc_get_u(head, F_trk_registry_abi) : 0;
	t->mpi = abi                         ? abi == ABI_VERSION ? RD_TRACK_ABI : RD_TRACK_OTHER_MPI
		 : !strcmp(text, "Open MPI") ? RD_TRACK_OPENMPI
		 : !strcmp(text, "MPICH")    ? RD_TRACK_MPICH
					     : RD_TRACK_OTHER_MPI;
	lib->abi = t->mpi == RD_TRACK_ABI;
	rd_track_name(head, F_trk_registry_mpi_version, text);
	find_version(text, lib->version, sizeof(lib->version));

	struct mdl_num state = rd_track_u(head, F_trk_registry_mpi_state);
	struct mdl_num level = rd_track_i(head, F_trk_registry_thread_level);
	lib->world_rank = rd_track_i(head, F_trk_registry_world_rank);
	lib->world_size = rd_track_i(head, F_trk_registry_world_size);
	lib->job = mdl_unavailable("the tracker does not number jobs");
	t->clock_hz = rd_track_has(t, F_trk_registry_clock_hz) ? acc_get_u(head, F_trk_registry_clock_hz) : 0;
	t->clock_now = rd_track_has(t, F_trk_registry_clock_now) ? acc_get_u(head, F_trk_registry_clock_now) : 0;
	t->memory.bytes = head_num(t, head, F_trk_registry_arena_bytes);
	t->memory.used = head_num(t, head, F_trk_registry_arena_used);
	t->memory.n_dropped = head_num(t, head, F_trk_registry_n_arena_dropped);
	t->request_null = rd_track_has(t, F_trk_registry_request_null) ? acc_get_u(head, F_trk_registry_request_null)
								       : 0;
	t->request_empty = rd_track_has(t, F_trk_registry_request_empty) ? acc_get_u(head, F_trk_registry_request_empty)
									 : 0;
	if (head->rc)
		return head->rc;
	if (state.known == MDL_KNOWN && state.value > 2)
		return bad_field(head, F_trk_registry_mpi_state, (uint64_t)state.value);
	lib->state = state.known == MDL_KNOWN ? states[state.value] : MDL_STATE_UNKNOWN;
	lib->thread_multiple_known = level.known == MDL_KNOWN && level.value >= 0;
	lib->thread_multiple = lib->thread_multiple_known && level.value == 3;
	if (lib->world_rank.known == MDL_KNOWN && lib->world_rank.value < 0)
		lib->world_rank = mdl_unavailable("the tracker does not know it");
	if (lib->world_size.known == MDL_KNOWN && lib->world_size.value < 1)
		lib->world_size = mdl_unavailable("the tracker does not know it");
	lib->origin = "tracker";
	snprintf(lib->layout, sizeof(lib->layout), "the registry of the in-target library, which describes itself");
	return ACC_OK;
}

static enum acc_rc read_head(struct rd_track *t)
{
	struct acc_obj head;

	acc_obj_load(&head, t->sp, &t->layout, T_trk_registry, t->addr);
	enum acc_rc rc = head.rc ? head.rc : read_slabs(t, &head);
	if (!rc)
		rc = read_tables(t, &head);
	if (!rc)
		rc = read_library(t, &head);
	return rc;
}

/* ---- life ------------------------------------------------------------------------------------------------- */

/* The types and fields required to find anything. */
static enum acc_rc check_needed(struct rd_track *t)
{
	static const unsigned needed[] = { F_trk_registry_slabs, F_trk_registry_n_slabs, F_trk_registry_slab_bytes,
					   F_trk_slab_name,      F_trk_slab_records,     F_trk_slab_bytes,
					   F_trk_slab_capacity,  F_trk_slab_high };

	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
		const struct acc_field_row *row = &rd_track_schema.fields[needed[i]];

		if (!rd_track_has(t, needed[i]))
			return acc_note(&t->sp->note, ACC_EFIELD, "registry: %s.%s: the registry does not describe it",
					row->type_name, row->name);
	}
	return ACC_OK;
}

static enum acc_rc resolve(struct rd_track *t)
{
	struct rd_track_self tables;
	struct rd_track_head head;
	enum acc_rc rc = rd_track_head(t->sp, t->addr, &head);

	if (rc)
		return rc;
	rc = rd_track_self_init(&tables, t->sp, &head);
	if (!rc) {
		struct acc_self self = rd_track_self(&tables);

		rc = acc_layout_resolve(t->sp, &rd_track_schema, &self, NULL, &t->layout);
	}
	rd_track_self_deinit(&tables);
	/* the debugger's own type information is useless if the registry's layout differs */
	for (unsigned i = 0; !rc && i < rd_track_schema.n_fields; i++) {
		struct acc_field_at *at = &t->layout.fields[i];

		if (at->source != ACC_SRC_SELF ||
		    (rd_track_schema.fields[i].kind == ACC_CHARS && at->width < RD_TRACK_SPAN_BYTES))
			at->source = ACC_SRC_NONE;
	}
	return rc ? rc : check_needed(t);
}

enum acc_rc rd_track_read(struct rd_track *t)
{
	acc_space_begin(t->sp);
	enum acc_rc rc = t->layout.schema ? ACC_OK : resolve(t);
	if (!rc)
		rc = read_head(t);
	acc_space_end(t->sp);
	if (rc)
		memset(t->slabs, 0, sizeof(t->slabs));
	for (int i = 0; i < TRK_N_KINDS; i++)
		t->slabs[i].asked = t->slabs[i].counted = true;
	return rc;
}

const struct mdl_library *rd_track_library(const struct rd_track *t)
{
	return &t->library;
}

enum rd_track_mpi rd_track_mpi(const struct rd_track *t)
{
	return t->mpi;
}

unsigned rd_track_handle_bytes(const struct rd_track *t, enum mdl_handle_kind kind)
{
	return t->library.abi && kind != MDL_KEYVAL ? t->sp->sizes.pointer_bytes : rd_track_key_bytes(t, kind);
}

unsigned rd_track_key_bytes(const struct rd_track *t, enum mdl_handle_kind kind)
{
	/* MPICH's handles are int, except MPI_File, which is a pointer; keyvals are int everywhere */
	if (kind == MDL_KEYVAL || (t->mpi == RD_TRACK_MPICH && kind != MDL_FILE))
		return 4;
	return t->sp->sizes.pointer_bytes;
}

struct mdl_handle_memory rd_track_memory(const struct rd_track *t)
{
	return t->memory;
}
