/* SPDX-License-Identifier: BSD-3-Clause */
#include "layout.h"

#include "pack.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

const char *acc_source_text(enum acc_source source)
{
	switch (source) {
	case ACC_SRC_SELF:
		return "self";
	case ACC_SRC_DEBUGGER:
		return "debugger";
	case ACC_SRC_PACK:
		return "pack";
	case ACC_SRC_NONE:
		break;
	}
	return "none";
}

/* State while a schema is resolved. */
struct resolver {
	struct acc_space *sp;
	const struct acc_self *self;
	const struct acc_pack *pack;
	const struct acc_schema *schema;
	struct acc_layout *layout;
	unsigned debugger_type; /* the type row that debugger_handle belongs to */
	void *debugger_handle;
};

/* Size of a field of that kind: for ACC_CHARS the requested number, for ACC_EMBED 0. */
static unsigned width_of(const struct acc_space *sp, enum acc_kind kind, unsigned count)
{
	switch (kind) {
	case ACC_INT:
	case ACC_UINT:
		return sp->sizes.int_bytes;
	case ACC_I32:
	case ACC_U32:
	case ACC_ENUM:
		return 4;
	case ACC_U8:
		return 1;
	case ACC_U16:
		return 2;
	case ACC_U64:
		return 8;
	case ACC_BOOL:
		return sp->sizes.bool_bytes;
	case ACC_SIZE:
	case ACC_SSIZE:
		return sp->sizes.size_bytes;
	case ACC_PTR:
	case ACC_WORD:
		return sp->sizes.pointer_bytes;
	case ACC_CHARS:
		return count < UINT16_MAX ? count : UINT16_MAX;
	case ACC_EMBED:
		break;
	}
	return 0;
}

static bool sane_bytes(uint64_t bytes)
{
	return bytes > 0 && bytes <= ACC_TYPE_BYTES_MAX;
}

/* ---- one question to one source -------------------------------------------------------------------- */

/* The debugger's handle of a type; cached, because rows of one type are adjacent. */
static void *debugger_type(struct resolver *r, unsigned type)
{
	if (r->debugger_type != type) {
		r->debugger_type = type;
		r->debugger_handle = NULL;
		if (r->sp->ops->type)
			r->debugger_handle = r->sp->ops->type(r->sp->ctx, r->schema->types[type].name);
	}
	return r->debugger_handle;
}

static bool type_bytes_from(struct resolver *r, enum acc_source source, unsigned type, uint64_t *ret)
{
	const char *name = r->schema->types[type].name;
	uint64_t bytes = 0;

	if (source == ACC_SRC_SELF) {
		if (!r->self || !r->self->type || !r->self->type(r->self->ctx, name, &bytes))
			return false;
	} else if (source == ACC_SRC_DEBUGGER) {
		void *handle = debugger_type(r, type);
		int64_t answer = handle && r->sp->ops->type_bytes ? r->sp->ops->type_bytes(r->sp->ctx, handle) : -1;

		if (answer < 0)
			return false;
		bytes = answer;
	} else {
		const struct acc_pack_type *t = r->pack ? acc_pack_type(r->pack, name) : NULL;

		if (!t)
			return false;
		bytes = t->bytes;
	}
	if (!sane_bytes(bytes))
		return false;
	*ret = bytes;
	return true;
}

/* Offset and width from a source; the debugger does not know widths, so the requested one is used. */
static bool field_from(struct resolver *r, enum acc_source source, const struct acc_field_row *row, uint64_t *offset,
		       uint64_t *width)
{
	if (source == ACC_SRC_SELF) {
		unsigned w = 0;

		if (!r->self || !r->self->field || !r->self->field(r->self->ctx, row->type_name, row->name, offset, &w))
			return false;
		*width = w;
		return true;
	}
	if (source == ACC_SRC_DEBUGGER) {
		void *handle = debugger_type(r, row->type);
		int64_t answer = handle && r->sp->ops->field_offset
					 ? r->sp->ops->field_offset(r->sp->ctx, handle, row->name)
					 : -1;

		if (answer < 0)
			return false;
		*offset = answer;
		*width = width_of(r->sp, row->kind, row->count);
		return true;
	}

	const struct acc_pack_field *f = r->pack ? acc_pack_field(r->pack, row->type_name, row->name) : NULL;
	if (!f)
		return false;
	*offset = f->offset;
	*width = f->bytes;
	return true;
}

/* ---- rows ------------------------------------------------------------------------------------------ */

static const enum acc_source order[] = { ACC_SRC_SELF, ACC_SRC_DEBUGGER, ACC_SRC_PACK };
enum { N_SOURCES = sizeof(order) / sizeof(order[0]) };

static void resolve_type(struct resolver *r, unsigned type)
{
	for (unsigned i = 0; i < N_SOURCES; i++) {
		uint64_t bytes;

		if (!type_bytes_from(r, order[i], type, &bytes))
			continue;
		r->layout->types[type].bytes = bytes;
		r->layout->types[type].source = order[i];
		return;
	}
}

/* Find a field in one source; false if the source does not have it or it is invalid. */
static bool resolve_field_from(struct resolver *r, enum acc_source source, const struct acc_field_row *row,
			       struct acc_field_at *ret)
{
	const struct acc_type_at *type = &r->layout->types[row->type];
	uint64_t offset, given, bytes;
	unsigned width = width_of(r->sp, row->kind, row->count);

	if (!field_from(r, source, row, &offset, &given))
		return false;

	/*
	 * A source that has the field also has the size of the type. If that size differs from the one in the source of
	 * the type, the two describe different libraries.
	 */
	if (type->source == ACC_SRC_NONE)
		bytes = ACC_TYPE_BYTES_MAX;
	else if (!type_bytes_from(r, source, row->type, &bytes))
		bytes = type->bytes;
	else if (bytes != type->bytes)
		return false;

	if (row->kind == ACC_CHARS) {
		/* the debugger does not know widths: an array ends at the latest with its type */
		if (source == ACC_SRC_DEBUGGER && type->source != ACC_SRC_NONE && offset < bytes &&
		    given > bytes - offset)
			given = bytes - offset;
		width = given < width ? given : width;
	} else if (row->kind != ACC_EMBED && given != width)
		return false;
	if (row->kind != ACC_EMBED && !width)
		return false;
	if (offset >= bytes || width > bytes - offset)
		return false;
	*ret = (struct acc_field_at){ .offset = offset, .width = width, .source = source };
	return true;
}

static void resolve_field(struct resolver *r, unsigned field)
{
	const struct acc_field_row *row = &r->schema->fields[field];
	struct acc_field_at *at = &r->layout->fields[field];

	for (unsigned i = 0; i < N_SOURCES; i++) {
		if (resolve_field_from(r, order[i], row, at))
			break;
	}
	if (!acc_layout_has(r->layout, field) || row->kind == ACC_EMBED)
		return;

	struct acc_type_at *type = &r->layout->types[row->type];
	uint32_t end = at->offset + at->width;
	if (type->lo == type->hi) {
		type->lo = at->offset;
		type->hi = end;
		return;
	}
	if (at->offset < type->lo)
		type->lo = at->offset;
	if (end > type->hi)
		type->hi = end;
}

/* The first required row that no source has. */
static enum acc_rc check_needed(struct acc_space *sp, const struct acc_layout *layout)
{
	const struct acc_schema *schema = layout->schema;

	for (unsigned i = 0; i < schema->n_types; i++) {
		if (schema->types[i].needed && layout->types[i].source == ACC_SRC_NONE)
			return acc_note(&sp->note, ACC_EFIELD, "%s: no source describes this type",
					schema->types[i].name);
	}
	for (unsigned i = 0; i < schema->n_fields; i++) {
		if (schema->fields[i].needed && !acc_layout_has(layout, i))
			return acc_note(&sp->note, ACC_EFIELD, "%s.%s: no source describes this field",
					schema->fields[i].type_name, schema->fields[i].name);
	}
	return ACC_OK;
}

enum acc_rc acc_layout_resolve(struct acc_space *sp, const struct acc_schema *schema, const struct acc_self *self,
			       const struct acc_pack *pack, struct acc_layout *ret)
{
	memset(ret, 0, sizeof(*ret));

	struct acc_layout layout = {
		.schema = schema,
		.types = acc_array(sp, schema->n_types, sizeof(*layout.types)),
		.fields = acc_array(sp, schema->n_fields, sizeof(*layout.fields)),
		.pack = pack,
	};
	if (!layout.types || !layout.fields) {
		acc_layout_deinit(sp, &layout);
		return acc_note(&sp->note, ACC_ENOMEM, "layout of %s: %s", schema->name, acc_rc_text(ACC_ENOMEM));
	}
	memset(layout.types, 0, schema->n_types * sizeof(*layout.types));
	memset(layout.fields, 0, schema->n_fields * sizeof(*layout.fields));

	struct resolver r = {
		.sp = sp,
		.self = self,
		.pack = pack,
		.schema = schema,
		.layout = &layout,
		.debugger_type = UINT32_MAX,
	};
	for (unsigned i = 0; i < schema->n_types; i++)
		resolve_type(&r, i);
	for (unsigned i = 0; i < schema->n_fields; i++)
		resolve_field(&r, i);

	enum acc_rc rc = check_needed(sp, &layout);
	if (rc) {
		acc_layout_deinit(sp, &layout);
		return rc;
	}
	*ret = layout;
	return ACC_OK;
}

void acc_layout_deinit(struct acc_space *sp, struct acc_layout *layout)
{
	if (!layout)
		return;
	acc_array_free(sp, layout->types);
	acc_array_free(sp, layout->fields);
	memset(layout, 0, sizeof(*layout));
}
