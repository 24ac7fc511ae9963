/* SPDX-License-Identifier: BSD-3-Clause */
#include "layout.h"

#include <inttypes.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

/* A failure of the whole object, or of one field. */
static void fail(struct acc_obj *o, enum acc_rc rc)
{
	o->rc = acc_note(&o->sp->note, rc, "%s at 0x%" PRIx64 ": %s", o->layout->schema->types[o->type].name, o->addr,
			 acc_rc_text(rc));
}

static void fail_field(struct acc_obj *o, enum acc_rc rc, unsigned field)
{
	const struct acc_field_row *row = &o->layout->schema->fields[field];

	o->rc = acc_note(&o->sp->note, rc, "%s.%s at 0x%" PRIx64 ": %s", row->type_name, row->name, o->addr,
			 acc_rc_text(rc));
}

void acc_obj_load(struct acc_obj *ret, struct acc_space *sp, const struct acc_layout *layout, unsigned type,
		  uint64_t addr)
{
	ret->sp = sp;
	ret->layout = layout;
	ret->addr = addr;
	ret->lo = ret->hi = 0;
	ret->type = type;
	ret->rc = ACC_OK;
	if (type >= layout->schema->n_types) {
		ret->rc = acc_note(&sp->note, ACC_EINVAL, "type %u: %s", type, acc_rc_text(ACC_EINVAL));
		return;
	}
	if (!acc_plausible(sp, addr, 4)) {
		fail(ret, ACC_ECORRUPT);
		return;
	}

	const struct acc_type_at *at = &layout->types[type];
	if (at->hi - at->lo <= sizeof(ret->buf)) {
		uint64_t from;
		enum acc_rc rc = __builtin_add_overflow(addr, at->lo, &from)
					 ? ACC_EREAD
					 : acc_read(sp, from, at->hi - at->lo, ret->buf);

		if (rc) {
			fail(ret, rc);
			return;
		}
		ret->lo = at->lo;
		ret->hi = at->hi;
	}
	sp->stats.n_objects++;
	sp->stats.object_bytes += at->bytes ? at->bytes : at->hi - at->lo;
}

/* The location of a field; NULL with rc set if it does not belong to the object, or no source has it. */
static const struct acc_field_at *field_of(struct acc_obj *o, unsigned field)
{
	if (o->rc)
		return NULL;
	if (field >= o->layout->schema->n_fields || o->layout->schema->fields[field].type != o->type) {
		fail(o, ACC_EINVAL);
		return NULL;
	}
	if (!acc_layout_has(o->layout, field)) {
		fail_field(o, ACC_EFIELD, field);
		return NULL;
	}
	return &o->layout->fields[field];
}

/* The bytes of a field: from the copy, or read into scratch. NULL with rc set. */
static const unsigned char *bytes_of(struct acc_obj *o, unsigned field, const struct acc_field_at *at, unsigned n,
				     unsigned char *scratch)
{
	if (at->offset >= o->lo && (uint64_t)at->offset + n <= o->hi)
		return o->buf + (at->offset - o->lo);

	uint64_t from;
	enum acc_rc rc = __builtin_add_overflow(o->addr, at->offset, &from) ? ACC_EREAD
									    : acc_read(o->sp, from, n, scratch);
	if (rc) {
		fail_field(o, rc, field);
		return NULL;
	}
	return scratch;
}

/* The bytes of a field that is an integer. */
static const unsigned char *integer(struct acc_obj *o, unsigned field, unsigned *width, unsigned char scratch[8])
{
	const struct acc_field_at *at = field_of(o, field);

	if (!at)
		return NULL;

	enum acc_kind kind = o->layout->schema->fields[field].kind;
	if (kind == ACC_CHARS || kind == ACC_EMBED || at->width < 1 || at->width > 8) {
		fail_field(o, ACC_EINVAL, field);
		return NULL;
	}
	*width = at->width;
	return bytes_of(o, field, at, at->width, scratch);
}

uint64_t acc_get_u(struct acc_obj *o, unsigned field)
{
	unsigned char scratch[8];
	unsigned width;
	const unsigned char *bytes = integer(o, field, &width, scratch);

	return bytes ? acc_decode_u(o->sp, bytes, width) : 0;
}

int64_t acc_get_i(struct acc_obj *o, unsigned field)
{
	unsigned char scratch[8];
	unsigned width;
	const unsigned char *bytes = integer(o, field, &width, scratch);

	return bytes ? acc_decode_i(o->sp, bytes, width) : 0;
}

uint64_t acc_get_addr(struct acc_obj *o, unsigned field)
{
	const struct acc_field_at *at = field_of(o, field);
	uint64_t addr;

	if (!at)
		return 0;
	if (__builtin_add_overflow(o->addr, at->offset, &addr) || !acc_plausible(o->sp, addr, 1)) {
		fail_field(o, ACC_ECORRUPT, field);
		return 0;
	}
	return addr;
}

void acc_get_chars(struct acc_obj *o, unsigned field, char *ret, size_t size)
{
	if (!size)
		return;
	ret[0] = '\0';

	const struct acc_field_at *at = field_of(o, field);
	if (!at)
		return;
	if (o->layout->schema->fields[field].kind != ACC_CHARS) {
		fail_field(o, ACC_EINVAL, field);
		return;
	}

	size_t n = at->width < size - 1 ? at->width : size - 1;
	const unsigned char *bytes = bytes_of(o, field, at, n, (unsigned char *)ret);
	if (!bytes) {
		ret[0] = '\0';
		return;
	}
	if (bytes != (unsigned char *)ret)
		memcpy(ret, bytes, n);
	ret[n] = '\0';
}
