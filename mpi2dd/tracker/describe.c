/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of types, fields and calls, generated from the lists of track_layout.h and calls.def. */
#include "describe.h"

#include "../calls/calls.h"

#include <string.h>

#define KIND_trk_u8          TRK_U8
#define KIND_trk_u16         TRK_U16
#define KIND_trk_u32         TRK_U32
#define KIND_trk_u64         TRK_U64
#define KIND_trk_i32         TRK_I32
#define KIND_trk_i64         TRK_I64
#define KIND_trk_addr        TRK_ADDR
#define KIND_trk_span        TRK_SPAN
#define KIND_trk_name        TRK_NAME
#define KIND_trk_object_name TRK_NAME

/* Record types come first, in the order of enum trk_kind. */
#define TYPES(T)                                                                                                       \
	T(trk_comm, TRK_COMM_FIELDS)                                                                                   \
	T(trk_group, TRK_GROUP_FIELDS)                                                                                 \
	T(trk_datatype, TRK_DATATYPE_FIELDS)                                                                           \
	T(trk_errhandler, TRK_ERRHANDLER_FIELDS)                                                                       \
	T(trk_file, TRK_FILE_FIELDS)                                                                                   \
	T(trk_info, TRK_INFO_FIELDS)                                                                                   \
	T(trk_op, TRK_OP_FIELDS)                                                                                       \
	T(trk_request, TRK_REQUEST_FIELDS)                                                                             \
	T(trk_win, TRK_WIN_FIELDS)                                                                                     \
	T(trk_message, TRK_MESSAGE_FIELDS)                                                                             \
	T(trk_session, TRK_SESSION_FIELDS)                                                                             \
	T(trk_keyval, TRK_KEYVAL_FIELDS)                                                                               \
	T(trk_cvar, TRK_CVAR_FIELDS)                                                                                   \
	T(trk_pvar, TRK_PVAR_FIELDS)                                                                                   \
	T(trk_category, TRK_CATEGORY_FIELDS)                                                                           \
	T(trk_event, TRK_EVENT_FIELDS)                                                                                 \
	T(trk_registration, TRK_REGISTRATION_FIELDS)                                                                   \
	T(trk_registry, TRK_REGISTRY_FIELDS)                                                                           \
	T(trk_slab, TRK_SLAB_FIELDS)                                                                                   \
	T(trk_type, TRK_TYPE_FIELDS)                                                                                   \
	T(trk_field, TRK_FIELD_FIELDS)                                                                                 \
	T(trk_frame, TRK_FRAME_FIELDS)                                                                                 \
	T(trk_thread, TRK_THREAD_FIELDS)

#define ONE(type, name)    +1
#define ADD(type, fields)  fields(ONE)
#define TYPE(type, fields) +1
enum { N_FIELDS = 0 TYPES(ADD) + 2 /* frames and depth of trk_thread */, N_TYPES = 0 TYPES(TYPE) };

static struct trk_type types[N_TYPES];
static struct trk_field fields[N_FIELDS];
static uint32_t n_types, n_fields;

enum { CALL_NAME_BYTES = 48 };
static const char call_names[M2D_N_CALLS][CALL_NAME_BYTES] = {
#define CALL(name, symbol, facts, params, args, before, after) #symbol,
#include "../calls/calls.def"
};

static struct trk_type *describe_type(const char *name, size_t bytes, const struct trk_field *rows, size_t n)
{
	struct trk_type *t = &types[n_types++];

	strncpy(t->name, name, sizeof(t->name) - 1);
	t->bytes = (uint32_t)bytes;
	t->first = n_fields;
	t->n = (uint32_t)n;
	memcpy(&fields[n_fields], rows, n * sizeof(rows[0]));
	n_fields += (uint32_t)n;
	return t;
}

#define ROW(type_, name_)                                                                                              \
	{ .name = #name_, .offset = offsetof(here, name_), .width = sizeof(type_), .kind = KIND_##type_ },
#define DESCRIBE(type, list)                                                                                           \
	static struct trk_type *describe_##type(void)                                                                  \
	{                                                                                                              \
		typedef struct type here;                                                                              \
		static const struct trk_field rows[] = { list(ROW) };                                                  \
		return describe_type(#type, sizeof(struct type), rows, sizeof(rows) / sizeof(rows[0]));                \
	}
TYPES(DESCRIBE)

static void describe_types(void)
{
#define RUN(type, list) last = describe_##type();
	struct trk_type *last = NULL;

	n_types = n_fields = 0;
	TYPES(RUN)
	fields[n_fields++] = (struct trk_field){
		.name = "frames",
		.offset = offsetof(struct trk_thread, frames),
		.width = sizeof(struct trk_frame[TRK_FRAMES]),
		.kind = TRK_STRUCT,
	};
	fields[n_fields++] = (struct trk_field){
		.name = "depth",
		.offset = offsetof(struct trk_thread, frames[0].depth),
		.width = sizeof(trk_u8),
		.kind = TRK_U8,
	};
	last->n += 2;
}

void trk_describe(struct trk_registry *r)
{
	if (n_types == 0)
		describe_types();
	r->types = (uintptr_t)types;
	r->fields = (uintptr_t)fields;
	r->n_types = n_types;
	r->n_fields = n_fields;
	r->type_bytes = sizeof(struct trk_type);
	r->field_bytes = sizeof(struct trk_field);
	r->call_names = (uintptr_t)call_names;
	r->n_calls = M2D_N_CALLS;
	r->call_name_bytes = CALL_NAME_BYTES;
}

const struct trk_field *trk_fields_of(enum trk_kind kind, size_t *n)
{
	*n = types[kind].n;
	return &fields[types[kind].first];
}

const struct trk_type *trk_type_of(enum trk_kind kind)
{
	return &types[kind];
}
