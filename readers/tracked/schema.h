/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file schema.h
 * Indexes of the types (T_trk_...) and fields (F_trk_..._field) of the registry.
 *
 * The names and widths come from include/track_layout.h; the offsets come from the registry's own description.
 */
#ifndef RD_TRACK_SCHEMA_H
#define RD_TRACK_SCHEMA_H

#include "../../access/layout.h"
#include "../../include/track_layout.h"

/** Bytes of a span: address, number, total. */
enum { RD_TRACK_SPAN_BYTES = 16 };

/* How each kind of field is read. A span is read as bytes, so that it is part of its object's one copy. */
#define RD_TRACK_KIND_trk_u8           ACC_U8
#define RD_TRACK_KIND_trk_u16          ACC_U16
#define RD_TRACK_KIND_trk_u32          ACC_U32
#define RD_TRACK_KIND_trk_u64          ACC_U64
#define RD_TRACK_KIND_trk_i32          ACC_I32
#define RD_TRACK_KIND_trk_i64          ACC_U64
#define RD_TRACK_KIND_trk_addr         ACC_U64
#define RD_TRACK_KIND_trk_span         ACC_CHARS
#define RD_TRACK_KIND_trk_name         ACC_CHARS
#define RD_TRACK_KIND_trk_object_name  ACC_CHARS
#define RD_TRACK_COUNT_trk_u8          1
#define RD_TRACK_COUNT_trk_u16         1
#define RD_TRACK_COUNT_trk_u32         1
#define RD_TRACK_COUNT_trk_u64         1
#define RD_TRACK_COUNT_trk_i32         1
#define RD_TRACK_COUNT_trk_i64         1
#define RD_TRACK_COUNT_trk_addr        1
#define RD_TRACK_COUNT_trk_span        RD_TRACK_SPAN_BYTES
#define RD_TRACK_COUNT_trk_name        sizeof(trk_name)
#define RD_TRACK_COUNT_trk_object_name sizeof(trk_object_name)

enum rd_track_type {
#define ACC_TYPE(type, needed) T_##type,
#include "schema.def"
	RD_TRACK_N_TYPES
};

enum rd_track_field {
#define ACC_FIELD(type, field, kind, count, needed) F_##type##_##field,
#include "schema.def"
	RD_TRACK_N_FIELDS
};

/** Type of the records of a kind of object. */
static inline unsigned rd_track_record_type(unsigned kind)
{
	return T_trk_comm + kind;
}

_Static_assert(T_trk_keyval - T_trk_comm == TRK_KEYVAL && T_trk_request - T_trk_comm == TRK_REQUEST,
	       "the records stand in the order of enum trk_kind");

/** The rows, in the order of the enums. */
extern const struct acc_schema rd_track_schema;

#endif /* RD_TRACK_SCHEMA_H */
