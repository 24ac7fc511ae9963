/* SPDX-License-Identifier: BSD-3-Clause */
#include "fake_track.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static const char *const calls[] = { "MPI_Init",
				     "MPI_Send",
				     "MPI_Recv",
				     "MPI_Irecv",
				     "MPI_Isend",
				     "MPI_Comm_dup",
				     "MPI_Bcast",
				     "MPI_Waitall",
				     "MPI_Win_fence",
				     "MPI_File_open",
				     "MPI_Type_vector",
				     "MPI_Type_create_struct",
				     "MPI_File_write_all_begin",
				     "MPI_Sendrecv",
				     "MPI_Allreduce",
				     "MPI_Cart_create",
				     "MPI_Ibcast",
				     "MPI_Send_init",
				     "MPI_Win_create",
				     "MPI_Info_create" };
enum { N_CALLS = sizeof(calls) / sizeof(calls[0]), NAME_BYTES = 48 };

/* The fields of the head whose offsets are fixed by the format. */
static void fix_head(struct fake *f)
{
	static const struct {
		unsigned field;
		uint32_t offset;
	} first[] = {
		{ F_trk_registry_cookie, 0 },         { F_trk_registry_byte_order, 8 },
		{ F_trk_registry_version_major, 12 }, { F_trk_registry_version_minor, 14 },
		{ F_trk_registry_bytes, 16 },         { F_trk_registry_word_bytes, 20 },
		{ F_trk_registry_types, 24 },         { F_trk_registry_fields, 32 },
		{ F_trk_registry_n_types, 40 },       { F_trk_registry_n_fields, 44 },
		{ F_trk_registry_type_bytes, 48 },    { F_trk_registry_field_bytes, 52 },
	};

	for (size_t i = 0; i < sizeof(first) / sizeof(first[0]); i++)
		fake_fix_field(f, first[i].field, first[i].offset);
	uint32_t at = 64;
	for (unsigned i = 0; i < f->schema->n_fields; i++) {
		const struct acc_field_row *row = &f->schema->fields[i];

		if (row->type != T_trk_registry || i <= F_trk_registry_field_bytes)
			continue;
		fake_fix_field(f, i, at);
		at += 72;
	}
}

static void put_description(struct fake_track *m)
{
	struct fake *f = m->f;
	const struct acc_schema *s = f->schema;
	enum { TYPE = 96, FIELD = 88 }; /* larger than necessary */

	m->types = fake_alloc(f, (uint64_t)s->n_types * TYPE, 8);
	m->fields = fake_alloc(f, (uint64_t)s->n_fields * FIELD, 8);
	for (unsigned i = 0; i < s->n_types; i++) {
		uint64_t at = m->types + (uint64_t)i * TYPE;
		uint32_t first = 0, n = 0;

		for (unsigned k = 0; k < s->n_fields; k++) {
			if (s->fields[k].type != i)
				continue;
			first = n++ ? first : k;
		}
		fake_write(f, at, s->types[i].name, strlen(s->types[i].name) + 1);
		fake_write_u(f, at + 64, 4, fake_type_bytes(f, i));
		fake_write_u(f, at + 68, 4, first);
		fake_write_u(f, at + 72, 4, n);
	}
	for (unsigned k = 0; k < s->n_fields; k++) {
		uint64_t at = m->fields + (uint64_t)k * FIELD;

		fake_write(f, at, s->fields[k].name, strlen(s->fields[k].name) + 1);
		fake_write_u(f, at + 64, 4, fake_field_offset(f, k));
		fake_write_u(f, at + 68, 4,
			     s->fields[k].kind == ACC_EMBED ? fake_type_bytes(f, T_trk_frame) * TRK_FRAMES
							    : fake_field_width(f, k));
	}
	fake_put_u(f, m->registry, F_trk_registry_types, m->types);
	fake_put_u(f, m->registry, F_trk_registry_fields, m->fields);
	fake_put_u(f, m->registry, F_trk_registry_n_types, s->n_types);
	fake_put_u(f, m->registry, F_trk_registry_n_fields, s->n_fields);
	fake_put_u(f, m->registry, F_trk_registry_type_bytes, TYPE);
	fake_put_u(f, m->registry, F_trk_registry_field_bytes, FIELD);
}

static void put_slabs(struct fake_track *m)
{
	struct fake *f = m->f;
	uint32_t bytes = (fake_type_bytes(f, T_trk_slab) + 7) & ~7u;

	m->slabs = fake_alloc(f, (uint64_t)bytes * TRK_N_KINDS, 8);
	fake_put_u(f, m->registry, F_trk_registry_slabs, m->slabs);
	fake_put_u(f, m->registry, F_trk_registry_n_slabs, TRK_N_KINDS);
	fake_put_u(f, m->registry, F_trk_registry_slab_bytes, bytes);
	for (unsigned k = 0; k < TRK_N_KINDS; k++) {
		uint64_t slab = m->slabs + (uint64_t)k * bytes;
		unsigned type = rd_track_record_type(k);

		m->stride[k] = (fake_type_bytes(f, type) + 15) & ~7u;
		m->records[k] = fake_alloc(f, (uint64_t)m->stride[k] * FAKE_TRACK_CAPACITY, 8);
		fake_put_chars(f, slab, F_trk_slab_name, f->schema->types[type].name);
		fake_put_u(f, slab, F_trk_slab_records, m->records[k]);
		fake_put_u(f, slab, F_trk_slab_bytes, m->stride[k]);
		fake_put_u(f, slab, F_trk_slab_capacity, FAKE_TRACK_CAPACITY);
	}
}

static void put_rest(struct fake_track *m, const char *mpi)
{
	struct fake *f = m->f;

	m->call_names = fake_alloc(f, (uint64_t)N_CALLS * NAME_BYTES, 8);
	for (unsigned i = 0; i < N_CALLS; i++)
		fake_write(f, m->call_names + (uint64_t)i * NAME_BYTES, calls[i], strlen(calls[i]) + 1);
	fake_put_u(f, m->registry, F_trk_registry_call_names, m->call_names);
	fake_put_u(f, m->registry, F_trk_registry_n_calls, N_CALLS);
	fake_put_u(f, m->registry, F_trk_registry_call_name_bytes, NAME_BYTES);

	m->frames_offset = fake_field_offset(f, F_trk_thread_frames);
	m->thread_stride = (fake_type_bytes(f, T_trk_thread) + 7) & ~7u;
	m->threads = fake_alloc(f, (uint64_t)m->thread_stride * FAKE_TRACK_THREADS, 8);
	fake_put_u(f, m->registry, F_trk_registry_threads, m->threads);
	fake_put_u(f, m->registry, F_trk_registry_threads_capacity, FAKE_TRACK_THREADS);
	fake_put_u(f, m->registry, F_trk_registry_thread_bytes, m->thread_stride);

	fake_put_u(f, m->registry, F_trk_registry_mpi_state, 1);
	fake_put_i(f, m->registry, F_trk_registry_thread_level, 3);
	fake_put_i(f, m->registry, F_trk_registry_world_rank, 1);
	fake_put_i(f, m->registry, F_trk_registry_world_size, 4);
	fake_put_chars(f, m->registry, F_trk_registry_mpi_name, mpi);
	fake_put_chars(f, m->registry, F_trk_registry_mpi_version, "Open MPI v4.1.4, package: Debian");
	fake_put_u(f, m->registry, F_trk_registry_clock_hz, 1000000000);
	fake_put_u(f, m->registry, F_trk_registry_clock_now, 5000000000);
}

struct fake_track *fake_track_create(unsigned word_bytes, bool big_endian, const char *mpi)
{
	struct fake_track *m = calloc(1, sizeof(*m));
	struct fake *f = fake_create(word_bytes, big_endian, &rd_track_schema);

	ck_assert_ptr_nonnull(m);
	m->f = f;
	fix_head(f);
	fake_embed(f, F_trk_thread_frames, T_trk_frame, TRK_FRAMES);
	fake_lay_out(f);
	fake_answer_by(f, FAKE_BY_NOBODY);
	m->registry = fake_new(f, T_trk_registry);
	fake_symbol(f, "MPI2DD_registry", m->registry);
	fake_write(f, m->registry, TRK_COOKIE, 8);
	fake_put_u(f, m->registry, F_trk_registry_byte_order, TRK_BYTE_ORDER);
	fake_put_u(f, m->registry, F_trk_registry_version_major, TRK_VERSION_MAJOR);
	fake_put_u(f, m->registry, F_trk_registry_bytes, fake_type_bytes(f, T_trk_registry));
	fake_put_u(f, m->registry, F_trk_registry_word_bytes, word_bytes);
	put_description(m);
	put_slabs(m);
	put_rest(m, mpi);
	return m;
}

void fake_track_destroy(struct fake_track *m)
{
	if (!m)
		return;
	fake_destroy(m->f);
	free(m);
}

/* ---- records ---------------------------------------------------------------------------------------- */

unsigned fake_track_field(enum trk_kind kind, unsigned field_of_comm)
{
	static const unsigned first[TRK_N_KINDS] = {
		[TRK_COMM] = F_trk_comm_sequence,
		[TRK_GROUP] = F_trk_group_sequence,
		[TRK_DATATYPE] = F_trk_datatype_sequence,
		[TRK_ERRHANDLER] = F_trk_errhandler_sequence,
		[TRK_FILE] = F_trk_file_sequence,
		[TRK_INFO] = F_trk_info_sequence,
		[TRK_OP] = F_trk_op_sequence,
		[TRK_WIN] = F_trk_win_sequence,
		[TRK_MESSAGE] = F_trk_message_sequence,
		[TRK_SESSION] = F_trk_session_sequence,
		[TRK_KEYVAL] = F_trk_keyval_sequence,
	};

	ck_assert_int_ne(kind, TRK_REQUEST);
	return first[kind] + (field_of_comm - F_trk_comm_sequence);
}

uint64_t fake_track_add(struct fake_track *m, enum trk_kind kind, uint64_t handle)
{
	struct fake *f = m->f;
	uint64_t slab = m->slabs + (uint64_t)kind * fake_get_u(f, m->registry, F_trk_registry_slab_bytes);

	ck_assert_uint_lt(m->n[kind], FAKE_TRACK_CAPACITY);
	uint64_t record = m->records[kind] + (uint64_t)m->n[kind]++ * m->stride[kind];
	fake_put_u(f, slab, F_trk_slab_high, m->n[kind]);
	if (kind == TRK_REQUEST) {
		fake_put_u(f, record, F_trk_request_state, TRK_LIVE);
		fake_put_u(f, record, F_trk_request_handle, handle);
		fake_put_u(f, record, F_trk_request_object_kind, TRK_N_KINDS);
		return record;
	}
	fake_put_u(f, slab, F_trk_slab_n_live, fake_get_u(f, slab, F_trk_slab_n_live) + 1);
	fake_put_u(f, record, fake_track_field(kind, F_trk_comm_state), TRK_LIVE);
	fake_put_u(f, record, fake_track_field(kind, F_trk_comm_handle), handle);
	fake_put_u(f, record, fake_track_field(kind, F_trk_comm_id), ++m->next_id);
	fake_put_u(f, record, fake_track_field(kind, F_trk_comm_references), 1);
	fake_put_u(f, record, fake_track_field(kind, F_trk_comm_call), TRK_NO_CALL);
	return record;
}

uint64_t fake_track_id(struct fake_track *m, enum trk_kind kind, uint64_t record)
{
	return fake_get_u(m->f, record, fake_track_field(kind, F_trk_comm_id));
}

static void put_span(struct fake_track *m, uint64_t record, unsigned field, uint64_t addr, uint32_t n)
{
	uint64_t at = fake_field_addr(m->f, record, field);

	fake_write_u(m->f, at, 8, n ? addr : 0);
	fake_write_u(m->f, at + 8, 4, n);
	fake_write_u(m->f, at + 12, 4, n);
}

void fake_track_numbers(struct fake_track *m, uint64_t record, unsigned field, unsigned width, const int64_t *values,
			uint32_t n)
{
	uint64_t addr = n ? fake_alloc(m->f, (uint64_t)n * width, 8) : 0;
	uint64_t mask = width == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * width) - 1;

	for (uint32_t i = 0; i < n; i++)
		fake_write_u(m->f, addr + (uint64_t)i * width, width, (uint64_t)values[i] & mask);
	put_span(m, record, field, addr, n);
}

void fake_track_members(struct fake_track *m, uint64_t record, unsigned field, const int *ranks, uint32_t n)
{
	uint64_t addr = fake_alloc(m->f, (uint64_t)n * 8, 8);

	for (uint32_t i = 0; i < n; i++)
		fake_write_u(m->f, addr + 8 * (uint64_t)i, 4, (uint32_t)ranks[i]);
	put_span(m, record, field, addr, n);
}

void fake_track_pairs(struct fake_track *m, uint64_t record, unsigned field, const char *const *pairs, uint32_t n)
{
	uint64_t addr = fake_alloc(m->f, (uint64_t)n * 16, 8);

	for (uint32_t i = 0; i < 2 * n; i++)
		fake_write_u(m->f, addr + 8 * (uint64_t)i, 8, fake_string(m->f, pairs[i]));
	put_span(m, record, field, addr, n);
}

void fake_track_text(struct fake_track *m, uint64_t record, unsigned field, const char *text)
{
	put_span(m, record, field, fake_string(m->f, text), (uint32_t)strlen(text));
}

void fake_track_attributes(struct fake_track *m, uint64_t record, unsigned field, uint64_t keyval, int key,
			   uint64_t value)
{
	uint64_t addr = fake_alloc(m->f, sizeof(struct trk_attribute), 8);

	fake_write_u(m->f, addr + offsetof(struct trk_attribute, keyval), 8, keyval);
	fake_write_u(m->f, addr + offsetof(struct trk_attribute, value), 8, value);
	fake_write_u(m->f, addr + offsetof(struct trk_attribute, key), 4, (uint32_t)key);
	put_span(m, record, field, addr, 1);
}

uint32_t fake_track_call(const char *name)
{
	for (uint32_t i = 0; i < N_CALLS; i++)
		if (!strcmp(calls[i], name))
			return i;
	ck_abort_msg("fake_track_call: %s is none of its calls", name);
	return 0;
}

uint64_t fake_track_datatype(struct fake_track *m, uint64_t handle, int combiner, int64_t size, int64_t extent,
			     const int64_t *ints, uint32_t n_ints, const int64_t *addrs, uint32_t n_addrs,
			     const uint64_t *types, uint32_t n_types)
{
	uint64_t d = fake_track_add(m, TRK_DATATYPE, handle);

	fake_put_i(m->f, d, F_trk_datatype_combiner, combiner);
	fake_put_u(m->f, d, F_trk_datatype_size, (uint64_t)size);
	fake_put_u(m->f, d, F_trk_datatype_extent, (uint64_t)extent);
	fake_put_u(m->f, d, F_trk_datatype_true_extent, (uint64_t)extent);
	fake_track_numbers(m, d, F_trk_datatype_integers, 8, ints, n_ints);
	fake_track_numbers(m, d, F_trk_datatype_addresses, 8, addrs, n_addrs);
	fake_track_numbers(m, d, F_trk_datatype_datatypes, 8, (const int64_t *)types, n_types);
	return d;
}

uint64_t fake_track_thread(struct fake_track *m, unsigned i, uint32_t tid, uint32_t depth)
{
	uint64_t at = m->threads + (uint64_t)i * m->thread_stride;

	ck_assert_uint_lt(i, FAKE_TRACK_THREADS);
	if (fake_get_u(m->f, m->registry, F_trk_registry_n_threads) <= i)
		fake_put_u(m->f, m->registry, F_trk_registry_n_threads, i + 1);
	fake_put_u(m->f, at, F_trk_thread_tid, tid);
	fake_put_u(m->f, at, F_trk_thread_depth, depth);
	return at;
}

uint64_t fake_track_frame(struct fake_track *m, uint64_t thread, unsigned k)
{
	return thread + m->frames_offset + (uint64_t)k * fake_type_bytes(m->f, T_trk_frame);
}
