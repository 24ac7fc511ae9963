/* SPDX-License-Identifier: BSD-3-Clause */
#include "self.h"

#include "registry.h"

#include <inttypes.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

/* The part of the head with a fixed layout. Naturally aligned, so that no ABI inserts padding. */
enum { FIRST_BYTES = offsetof(struct trk_registry, field_bytes) + 4 };
_Static_assert(offsetof(struct trk_registry, byte_order) == 8 && offsetof(struct trk_registry, version_major) == 12 &&
		       offsetof(struct trk_registry, bytes) == 16 && offsetof(struct trk_registry, word_bytes) == 20 &&
		       offsetof(struct trk_registry, types) == 24 && offsetof(struct trk_registry, fields) == 32 &&
		       offsetof(struct trk_registry, n_types) == 40 && FIRST_BYTES == 56,
	       "the first bytes of the head");
_Static_assert(offsetof(struct trk_type, bytes) == 64 && offsetof(struct trk_type, n) == 72 &&
		       offsetof(struct trk_field, offset) == 64 && offsetof(struct trk_field, width) == 68,
	       "entries of the tables");

static enum acc_rc bad(struct acc_space *sp, enum acc_rc rc, const char *field, uint64_t value)
{
	return acc_note(&sp->note, rc, "registry: trk_registry.%s: 0x%" PRIx64 ": %s", field, value, acc_rc_text(rc));
}

/* A table of the head: number, size and location of its entries. */
static enum acc_rc check_table(struct acc_space *sp, const char *const names[3], uint64_t addr, uint32_t n,
			       uint32_t bytes, uint32_t least, uint32_t most)
{
	uint64_t end;

	if (n < 1 || n > most)
		return bad(sp, n < 1 ? ACC_ECORRUPT : ACC_ELIMIT, names[1], n);
	if (bytes < least || bytes > RD_TRACK_STRIDE_MAX)
		return bad(sp, ACC_ECORRUPT, names[2], bytes);
	if (!acc_plausible(sp, addr, 4) || __builtin_add_overflow(addr, (uint64_t)n * bytes, &end) ||
	    !acc_plausible(sp, end - 1, 1))
		return bad(sp, ACC_ECORRUPT, names[0], addr);
	return ACC_OK;
}

enum acc_rc rd_track_head(struct acc_space *sp, uint64_t addr, struct rd_track_head *ret)
{
	static const char *const type_names[] = { "types", "n_types", "type_bytes" };
	static const char *const field_names[] = { "fields", "n_fields", "field_bytes" };
	unsigned char b[FIRST_BYTES];

	if (!acc_plausible(sp, addr, 4))
		return acc_note(&sp->note, ACC_ECORRUPT, "registry: address 0x%" PRIx64 ": %s", addr,
				acc_rc_text(ACC_ECORRUPT));
	enum acc_rc rc = acc_read(sp, addr, sizeof(b), b);
	if (rc)
		return acc_note(&sp->note, rc, "registry at 0x%" PRIx64 ": %s", addr, acc_rc_text(rc));
	if (memcmp(b, TRK_COOKIE, 8) != 0)
		return bad(sp, ACC_ECORRUPT, "cookie", acc_decode_u(sp, b, 8));

	uint64_t order = acc_decode_u(sp, b + 8, 4), major = acc_decode_u(sp, b + 12, 2);
	if (order != TRK_BYTE_ORDER)
		return bad(sp, ACC_ECORRUPT, "byte_order", order);
	if (major != TRK_VERSION_MAJOR)
		return acc_note(&sp->note, ACC_EFIELD,
				"registry: version %" PRIu64 ".%" PRIu64 "; this plugin knows version %d: use the "
				"plugin that came with the in-target library",
				major, acc_decode_u(sp, b + 14, 2), TRK_VERSION_MAJOR);

	struct rd_track_head h = {
		.bytes = (uint32_t)acc_decode_u(sp, b + 16, 4),
		.types_addr = acc_decode_u(sp, b + 24, 8),
		.fields_addr = acc_decode_u(sp, b + 32, 8),
		.n_types = (uint32_t)acc_decode_u(sp, b + 40, 4),
		.n_fields = (uint32_t)acc_decode_u(sp, b + 44, 4),
		.type_bytes = (uint32_t)acc_decode_u(sp, b + 48, 4),
		.field_bytes = (uint32_t)acc_decode_u(sp, b + 52, 4),
	};
	uint64_t word = acc_decode_u(sp, b + 20, 4);
	if (h.bytes < FIRST_BYTES || h.bytes > RD_TRACK_RECORD_MAX)
		return bad(sp, ACC_ECORRUPT, "bytes", h.bytes);
	if (word != sp->sizes.pointer_bytes)
		return bad(sp, ACC_ECORRUPT, "word_bytes", word);
	rc = check_table(sp, type_names, h.types_addr, h.n_types, h.type_bytes, offsetof(struct trk_type, spare),
			 RD_TRACK_TYPES_MAX);
	if (!rc)
		rc = check_table(sp, field_names, h.fields_addr, h.n_fields, h.field_bytes,
				 offsetof(struct trk_field, kind), RD_TRACK_FIELDS_MAX);
	if (!rc)
		*ret = h;
	return rc;
}

/* ---- tables ----------------------------------------------------------------------------------------------- */

static enum acc_rc copy(struct acc_space *sp, uint64_t addr, uint32_t n, uint32_t bytes, unsigned char **ret)
{
	*ret = acc_array(sp, n, bytes);
	return *ret ? acc_read(sp, addr, (size_t)n * bytes, *ret) : ACC_ENOMEM;
}

static const unsigned char *type_at(const struct rd_track_self *s, uint32_t i)
{
	return s->types + (size_t)i * s->head.type_bytes;
}

static uint32_t word_of(const struct rd_track_self *s, const unsigned char *entry, size_t offset)
{
	return (uint32_t)acc_decode_u(s->sp, entry + offset, 4);
}

enum acc_rc rd_track_self_init(struct rd_track_self *ret, struct acc_space *sp, const struct rd_track_head *head)
{
	*ret = (struct rd_track_self){ .sp = sp, .head = *head };
	enum acc_rc rc = copy(sp, head->types_addr, head->n_types, head->type_bytes, &ret->types);
	if (!rc)
		rc = copy(sp, head->fields_addr, head->n_fields, head->field_bytes, &ret->fields);
	if (rc)
		return acc_note(&sp->note, rc, "registry: tables of types and fields: %s", acc_rc_text(rc));
	for (uint32_t i = 0; i < head->n_types; i++) {
		uint32_t first = word_of(ret, type_at(ret, i), offsetof(struct trk_type, first));
		uint32_t n = word_of(ret, type_at(ret, i), offsetof(struct trk_type, n));

		if (first > head->n_fields || n > head->n_fields - first)
			return acc_note(&sp->note, ACC_ECORRUPT,
					"registry: type %" PRIu32 ": fields %" PRIu32 " to %" PRIu64 " of %" PRIu32
					": %s",
					i, first, (uint64_t)first + n, head->n_fields, acc_rc_text(ACC_ECORRUPT));
	}
	return ACC_OK;
}

void rd_track_self_deinit(struct rd_track_self *self)
{
	acc_array_free(self->sp, self->types);
	acc_array_free(self->sp, self->fields);
	self->types = self->fields = NULL;
}

static bool named(const unsigned char *entry, const char *name)
{
	return strncmp((const char *)entry, name, sizeof(trk_name)) == 0;
}

static const unsigned char *find_type(struct rd_track_self *s, const char *name)
{
	for (uint32_t k = 0; k < s->head.n_types; k++) {
		uint32_t i = (s->last + k) % s->head.n_types;

		if (named(type_at(s, i), name)) {
			s->last = i;
			return type_at(s, i);
		}
	}
	return NULL;
}

static bool self_type(void *ctx, const char *type, uint64_t *bytes)
{
	struct rd_track_self *s = ctx;
	const unsigned char *t = find_type(s, type);

	if (!t)
		return false;
	*bytes = word_of(s, t, offsetof(struct trk_type, bytes));
	return true;
}

static bool self_field(void *ctx, const char *type, const char *field, uint64_t *offset, unsigned *width)
{
	struct rd_track_self *s = ctx;
	const unsigned char *t = find_type(s, type);

	if (!t)
		return false;

	uint32_t first = word_of(s, t, offsetof(struct trk_type, first));
	uint32_t n = word_of(s, t, offsetof(struct trk_type, n));
	for (uint32_t i = first; i < first + n; i++) {
		const unsigned char *f = s->fields + (size_t)i * s->head.field_bytes;

		if (named(f, field)) {
			*offset = word_of(s, f, offsetof(struct trk_field, offset));
			*width = word_of(s, f, offsetof(struct trk_field, width));
			return true;
		}
	}
	return false;
}

struct acc_self rd_track_self(struct rd_track_self *self)
{
	return (struct acc_self){ self_type, self_field, self };
}
