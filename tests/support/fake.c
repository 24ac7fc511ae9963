/* SPDX-License-Identifier: BSD-3-Clause */
#include "fake.h"

#include "../../access/pack_heap.h"

#include <check.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fake_segment {
	uint64_t addr, bytes;
	unsigned char *data;
};

struct fake_symbol_row {
	char *name;
	uint64_t addr;
};

/* Before every block that the code under test has allocated. */
struct fake_block {
	struct fake_block *next, *prev;
	size_t bytes;
	uint64_t magic;
};

enum { HEAP_STEP = 1 << 20, OPAQUE_BYTES = 64 };
#define BLOCK_MAGIC UINT64_C(0x66616b65626c6f63)

static void *grow(void *p, size_t n, size_t size)
{
	p = realloc(p, n * size);
	ck_assert_ptr_nonnull(p);
	return p;
}

/* ---- life ------------------------------------------------------------------------------------------ */

struct fake *fake_create(unsigned word_bytes, bool big_endian, const struct acc_schema *schema)
{
	struct fake *f = calloc(1, sizeof(*f));

	ck_assert_ptr_nonnull(f);
	ck_assert(word_bytes == 4 || word_bytes == 8);
	f->word_bytes = word_bytes;
	f->big_endian = big_endian;
	f->schema = schema;
	f->reads.left = f->allocs.left = -1;
	f->heap_addr = word_bytes == 4 ? 0x08100000 : UINT64_C(0x555500100000);
	if (!schema)
		return f;
	f->types = calloc(schema->n_types + 1, sizeof(*f->types));
	f->fields = calloc(schema->n_fields + 1, sizeof(*f->fields));
	ck_assert(f->types && f->fields);
	for (unsigned i = 0; i < schema->n_types; i++)
		f->types[i].base = -1;
	for (unsigned i = 0; i < schema->n_fields; i++)
		f->fields[i].embed = -1;
	return f;
}

void fake_destroy(struct fake *f)
{
	if (!f)
		return;

	size_t n_live = f->n_live;
	for (struct fake_block *b = f->blocks, *next; b; b = next) {
		next = b->next;
		free(b);
	}
	for (size_t i = 0; i < f->n_segments; i++)
		free(f->segments[i].data);
	for (size_t i = 0; i < f->n_symbol_rows; i++)
		free(f->symbols[i].name);
	acc_pack_destroy(&acc_pack_heap, f->pack);
	free(f->pack_text);
	free(f->segments);
	free(f->symbols);
	free(f->types);
	free(f->fields);
	free(f);
	ck_assert_msg(!n_live, "%zu blocks were not released", n_live);
}

/* ---- memory ---------------------------------------------------------------------------------------- */

static uint64_t last_address(const struct fake *f)
{
	return f->word_bytes == 4 ? UINT32_MAX : UINT64_MAX;
}

/* The segment that contains the address, or NULL. */
static const struct fake_segment *segment_of(const struct fake *f, uint64_t addr)
{
	size_t lo = 0, hi = f->n_segments;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		const struct fake_segment *s = &f->segments[mid];

		if (addr < s->addr)
			hi = mid;
		else if (addr - s->addr < s->bytes)
			return s;
		else
			lo = mid + 1;
	}
	return NULL;
}

/* Copy in or out, across adjacent segments. @return false: not all of it is mapped; then some may be copied. */
static bool copy(const struct fake *f, uint64_t addr, size_t n, void *out, const void *in)
{
	size_t done = 0;

	while (done < n) {
		const struct fake_segment *s = segment_of(f, addr);
		if (!s)
			return false;

		uint64_t at = addr - s->addr;
		size_t part = n - done < s->bytes - at ? n - done : s->bytes - at;
		if (out)
			memcpy((char *)out + done, s->data + at, part);
		else if (in)
			memcpy(s->data + at, (const char *)in + done, part);
		done += part;
		addr += part;
		if (done < n && !addr)
			return false;
	}
	return true;
}

void fake_map(struct fake *f, uint64_t addr, uint64_t bytes)
{
	ck_assert_msg(bytes && addr <= last_address(f) && bytes - 1 <= last_address(f) - addr,
		      "fake_map: 0x%" PRIx64 " + %" PRIu64 " is no range of this process", addr, bytes);

	size_t at = 0;
	while (at < f->n_segments && f->segments[at].addr < addr)
		at++;
	ck_assert_msg((!at || addr - f->segments[at - 1].addr >= f->segments[at - 1].bytes) &&
			      (at == f->n_segments || f->segments[at].addr - addr >= bytes),
		      "fake_map: 0x%" PRIx64 " + %" PRIu64 " overlaps", addr, bytes);
	f->segments = grow(f->segments, f->n_segments + 1, sizeof(*f->segments));
	memmove(&f->segments[at + 1], &f->segments[at], (f->n_segments - at) * sizeof(*f->segments));
	f->segments[at] = (struct fake_segment){ .addr = addr, .bytes = bytes, .data = calloc(1, bytes) };
	ck_assert_ptr_nonnull(f->segments[at].data);
	f->n_segments++;
}

void fake_unmap(struct fake *f, uint64_t addr)
{
	for (size_t i = 0; i < f->n_segments; i++) {
		if (f->segments[i].addr != addr)
			continue;
		free(f->segments[i].data);
		f->n_segments--;
		memmove(&f->segments[i], &f->segments[i + 1], (f->n_segments - i) * sizeof(*f->segments));
		return;
	}
	ck_abort_msg("fake_unmap: nothing starts at 0x%" PRIx64, addr);
}

bool fake_mapped(const struct fake *f, uint64_t addr, uint64_t bytes)
{
	return copy(f, addr, bytes, NULL, NULL);
}

uint64_t fake_alloc(struct fake *f, uint64_t bytes, unsigned align)
{
	if (align < 1)
		align = 1;

	uint64_t addr = (f->heap_addr + align - 1) & ~(uint64_t)(align - 1);
	uint64_t end = addr + bytes + 64; /* the last object is never at the end of the mapping */
	for (uint64_t at = f->heap_addr; !fake_mapped(f, addr, end - addr);) {
		/* Grow in steps that start where the mapped part ends. */
		const struct fake_segment *s = segment_of(f, at);
		if (s) {
			at = s->addr + s->bytes;
			continue;
		}
		at &= ~UINT64_C(4095);
		fake_map(f, at, (end - at + HEAP_STEP - 1) / HEAP_STEP * HEAP_STEP);
	}
	f->heap_addr = addr + bytes;
	return addr;
}

uint64_t fake_alloc_last(struct fake *f, uint64_t bytes)
{
	uint64_t pages = (bytes + 4095) & ~UINT64_C(4095);
	uint64_t addr = f->word_bytes == 4 ? 0x60000000 : UINT64_C(0x7f0000000000);

	while (segment_of(f, addr) || segment_of(f, addr + pages - 1))
		addr += pages + 0x10000;
	fake_map(f, addr, pages);
	return addr + pages - bytes;
}

void fake_write(struct fake *f, uint64_t addr, const void *bytes, size_t n)
{
	ck_assert_msg(copy(f, addr, n, NULL, bytes), "fake_write: 0x%" PRIx64 " + %zu is not mapped", addr, n);
}

void fake_peek(const struct fake *f, uint64_t addr, void *ret, size_t n)
{
	ck_assert_msg(copy(f, addr, n, ret, NULL), "fake_peek: 0x%" PRIx64 " + %zu is not mapped", addr, n);
}

void fake_write_u(struct fake *f, uint64_t addr, unsigned width, uint64_t value)
{
	unsigned char bytes[8];

	ck_assert_msg(width >= 1 && width <= 8, "fake_write_u: width %u", width);
	if (width < 8) {
		uint64_t rest = value >> (8 * width - 1), ones = UINT64_MAX >> (8 * width - 1);

		ck_assert_msg(value >> 8 * width == 0 || rest == ones, "fake_write_u: 0x%" PRIx64 " in %u bytes", value,
			      width);
	}
	for (unsigned i = 0; i < width; i++)
		bytes[f->big_endian ? width - 1 - i : i] = value >> 8 * i;
	fake_write(f, addr, bytes, width);
}

uint64_t fake_peek_u(const struct fake *f, uint64_t addr, unsigned width)
{
	unsigned char bytes[8];
	uint64_t value = 0;

	ck_assert_msg(width >= 1 && width <= 8, "fake_peek_u: width %u", width);
	fake_peek(f, addr, bytes, width);
	for (unsigned i = 0; i < width; i++)
		value |= (uint64_t)bytes[f->big_endian ? width - 1 - i : i] << 8 * i;
	return value;
}

void fake_write_ptr(struct fake *f, uint64_t addr, uint64_t value)
{
	fake_write_u(f, addr, f->word_bytes, value);
}

uint64_t fake_peek_ptr(const struct fake *f, uint64_t addr)
{
	return fake_peek_u(f, addr, f->word_bytes);
}

uint64_t fake_string(struct fake *f, const char *text)
{
	uint64_t addr = fake_alloc(f, strlen(text) + 1, 1);

	fake_write(f, addr, text, strlen(text) + 1);
	return addr;
}

uint64_t fake_ptrs(struct fake *f, const uint64_t *values, size_t n)
{
	uint64_t addr = fake_alloc(f, n * f->word_bytes, f->word_bytes);

	for (size_t i = 0; i < n; i++)
		fake_write_ptr(f, addr + i * f->word_bytes, values[i]);
	return addr;
}

uint64_t fake_ints(struct fake *f, const int *values, size_t n)
{
	uint64_t addr = fake_alloc(f, n * 4, 4);

	for (size_t i = 0; i < n; i++)
		fake_write_u(f, addr + i * 4, 4, (uint64_t)(int64_t)values[i]);
	return addr;
}

/* ---- symbols --------------------------------------------------------------------------------------- */

static struct fake_symbol_row *find_symbol(const struct fake *f, const char *name)
{
	for (size_t i = 0; i < f->n_symbol_rows; i++) {
		if (!strcmp(f->symbols[i].name, name))
			return &f->symbols[i];
	}
	return NULL;
}

void fake_symbol(struct fake *f, const char *name, uint64_t addr)
{
	struct fake_symbol_row *row = find_symbol(f, name);

	if (!row) {
		f->symbols = grow(f->symbols, f->n_symbol_rows + 1, sizeof(*f->symbols));
		row = &f->symbols[f->n_symbol_rows++];
		row->name = strdup(name);
		ck_assert_ptr_nonnull(row->name);
	}
	row->addr = addr;
}

void fake_symbol_remove(struct fake *f, const char *name)
{
	struct fake_symbol_row *row = find_symbol(f, name);

	ck_assert_msg(row, "fake_symbol_remove: there is no %s", name);
	free(row->name);
	*row = f->symbols[--f->n_symbol_rows];
}

/* ---- types ----------------------------------------------------------------------------------------- */

static void check_type(const struct fake *f, unsigned type, bool laid_out)
{
	ck_assert_msg(f->schema && type < f->schema->n_types, "fake: type %u is not of the schema", type);
	ck_assert_msg(f->laid_out == laid_out, "fake: %s fake_lay_out()", laid_out ? "only after" : "only before");
}

static void check_field(const struct fake *f, unsigned field, bool laid_out)
{
	ck_assert_msg(f->schema && field < f->schema->n_fields, "fake: field %u is not of the schema", field);
	ck_assert_msg(f->laid_out == laid_out, "fake: %s fake_lay_out()", laid_out ? "only after" : "only before");
}

void fake_base(struct fake *f, unsigned type, unsigned base)
{
	check_type(f, type, false);
	check_type(f, base, false);
	f->types[type].base = base;
}

void fake_embed(struct fake *f, unsigned field, unsigned type, unsigned n)
{
	check_field(f, field, false);
	check_type(f, type, false);
	ck_assert_int_eq(f->schema->fields[field].kind, ACC_EMBED);
	f->fields[field].embed = type;
	f->fields[field].embed_n = n;
}

void fake_fix_field(struct fake *f, unsigned field, uint32_t offset)
{
	check_field(f, field, false);
	f->fields[field].offset = offset;
	f->fields[field].fixed = true;
}

void fake_fix_type(struct fake *f, unsigned type, uint32_t bytes)
{
	check_type(f, type, false);
	f->types[type].bytes = bytes;
}

void fake_hide_type(struct fake *f, unsigned type)
{
	ck_assert(f->schema && type < f->schema->n_types);
	f->types[type].hidden = true;
}

void fake_hide_field(struct fake *f, unsigned field)
{
	ck_assert(f->schema && field < f->schema->n_fields);
	f->fields[field].hidden = true;
}

static unsigned width_of(const struct fake *f, const struct acc_field_row *row)
{
	switch (row->kind) {
	case ACC_INT:
	case ACC_UINT:
	case ACC_I32:
	case ACC_U32:
	case ACC_ENUM:
		return 4;
	case ACC_U8:
	case ACC_BOOL:
		return 1;
	case ACC_U16:
		return 2;
	case ACC_U64:
		return 8;
	case ACC_SIZE:
	case ACC_SSIZE:
	case ACC_PTR:
	case ACC_WORD:
		return f->word_bytes;
	case ACC_CHARS:
		return row->count;
	case ACC_EMBED:
		break;
	}
	return 0;
}

static void lay_out_type(struct fake *f, unsigned type, unsigned depth)
{
	struct fake_type_at *t = &f->types[type];
	const struct acc_schema *schema = f->schema;
	uint32_t at = 0;

	if (t->laid_out)
		return;
	ck_assert_msg(depth < 32, "fake: %s is its own base or member", schema->types[type].name);
	if (t->base >= 0) {
		lay_out_type(f, t->base, depth + 1);
		at = f->types[t->base].bytes;
	}
	t->at = at;

	/* Last row first, so that no code can rely on the schema's order, with a gap before each field. */
	for (unsigned i = schema->n_fields; i-- > 0;) {
		const struct acc_field_row *row = &schema->fields[i];
		struct fake_field_at *field = &f->fields[i];
		unsigned align;

		if (row->type != type)
			continue;
		if (row->kind == ACC_EMBED) {
			align = 8;
			field->bytes = OPAQUE_BYTES;
			if (field->embed >= 0) {
				lay_out_type(f, field->embed, depth + 1);
				field->bytes = f->types[field->embed].bytes * field->embed_n;
			}
		} else {
			field->bytes = width_of(f, row);
			align = row->kind == ACC_CHARS ? 1 : field->bytes;
		}
		if (!field->fixed) {
			at += i % 3 * 4;
			field->offset = (at + align - 1) & ~(align - 1);
		}
		if (field->offset + field->bytes > at)
			at = field->offset + field->bytes;
	}
	if (!t->bytes) {
		t->bytes = (at + 8 + 7) & ~7u;
	}
	t->laid_out = true;
}

void fake_lay_out(struct fake *f)
{
	ck_assert_ptr_nonnull(f->schema);
	ck_assert(!f->laid_out);
	for (unsigned i = 0; i < f->schema->n_types; i++)
		lay_out_type(f, i, 0);
	f->laid_out = true;
}

void fake_lay_out_as(struct fake *f, const struct acc_pack *pack)
{
	ck_assert_ptr_nonnull(f->schema);
	ck_assert(!f->laid_out);
	ck_assert_uint_eq(pack->word_bytes, f->word_bytes);
	for (unsigned i = 0; i < f->schema->n_types; i++) {
		const struct acc_pack_type *t = acc_pack_type(pack, f->schema->types[i].name);

		f->types[i].bytes = t ? t->bytes : 0;
		f->types[i].hidden |= !t;
		f->types[i].laid_out = true;
	}
	for (unsigned i = 0; i < f->schema->n_fields; i++) {
		const struct acc_field_row *row = &f->schema->fields[i];
		const struct acc_pack_field *p = acc_pack_field(pack, row->type_name, row->name);

		f->fields[i].offset = p ? p->offset : 0;
		f->fields[i].bytes = p ? p->bytes : 0;
		f->fields[i].hidden |= !p;
	}
	f->laid_out = true;
}

uint32_t fake_type_bytes(const struct fake *f, unsigned type)
{
	check_type(f, type, true);
	return f->types[type].bytes;
}

uint32_t fake_field_offset(const struct fake *f, unsigned field)
{
	check_field(f, field, true);
	return f->fields[field].offset;
}

unsigned fake_field_width(const struct fake *f, unsigned field)
{
	check_field(f, field, true);
	return f->fields[field].bytes;
}

/* ---- objects --------------------------------------------------------------------------------------- */

uint64_t fake_new(struct fake *f, unsigned type)
{
	return fake_alloc(f, fake_type_bytes(f, type), 16);
}

uint64_t fake_new_n(struct fake *f, unsigned type, size_t n, uint64_t stride)
{
	if (!stride)
		stride = (fake_type_bytes(f, type) + 15) & ~UINT64_C(15);
	return fake_alloc(f, n * stride, 16);
}

void fake_put_u(struct fake *f, uint64_t addr, unsigned field, uint64_t value)
{
	fake_write_u(f, fake_field_addr(f, addr, field), fake_field_width(f, field), value);
}

void fake_put_i(struct fake *f, uint64_t addr, unsigned field, int64_t value)
{
	fake_put_u(f, addr, field, (uint64_t)value);
}

void fake_put_chars(struct fake *f, uint64_t addr, unsigned field, const char *text)
{
	size_t n = strlen(text), width = fake_field_width(f, field);

	ck_assert_int_eq(f->schema->fields[field].kind, ACC_CHARS);
	ck_assert_msg(n <= width, "fake_put_chars: \"%s\" in %zu bytes", text, width);
	fake_write(f, fake_field_addr(f, addr, field), text, n < width ? n + 1 : n);
}

uint64_t fake_get_u(const struct fake *f, uint64_t addr, unsigned field)
{
	return fake_peek_u(f, fake_field_addr(f, addr, field), fake_field_width(f, field));
}

uint64_t fake_field_addr(const struct fake *f, uint64_t addr, unsigned field)
{
	return addr + fake_field_offset(f, field);
}

/* ---- failures -------------------------------------------------------------------------------------- */

void fake_fuse(struct fake_fuse *fuse, int64_t n, bool for_ever)
{
	*fuse = (struct fake_fuse){ .left = n, .for_ever = for_ever };
}

void fake_fuse_off(struct fake_fuse *fuse)
{
	*fuse = (struct fake_fuse){ .left = -1 };
}

/* One call. @return false: it fails. */
static bool fuse_holds(struct fake_fuse *fuse)
{
	fuse->n_calls++;
	if (fuse->left < 0)
		return true;
	if (fuse->left > 0) {
		fuse->left--;
		return true;
	}
	fuse->n_failed++;
	if (!fuse->for_ever)
		fuse->left = -1;
	return false;
}

/* ---- the fake as a target -------------------------------------------------------------------------- */

static bool fake_read(void *ctx, uint64_t addr, size_t n, void *ret)
{
	struct fake *f = ctx;

	f->n_reads++;
	f->read_bytes += n;
	if (n > f->largest_read)
		f->largest_read = n;
	if (n && addr <= last_address(f) && n - 1 <= last_address(f) - addr && fuse_holds(&f->reads) &&
	    copy(f, addr, n, ret, NULL))
		return true;
	f->n_failed++;
	return false;
}

static bool fake_find_symbol(void *ctx, const char *name, uint64_t *ret)
{
	struct fake *f = ctx;
	const struct fake_symbol_row *row = find_symbol(f, name);

	f->n_symbols_asked++;
	if (!row)
		return false;
	*ret = row->addr;
	return true;
}

static void *fake_find_type(void *ctx, const char *name)
{
	struct fake *f = ctx;

	f->n_types_asked++;
	if (f->by != FAKE_BY_TYPES || !f->laid_out)
		return NULL;
	for (unsigned i = 0; i < f->schema->n_types; i++) {
		if (!f->types[i].hidden && !strcmp(f->schema->types[i].name, name))
			return &f->types[i];
	}
	return NULL;
}

static int64_t fake_find_type_bytes(void *ctx, void *type)
{
	(void)ctx;
	return ((struct fake_type_at *)type)->bytes;
}

static int64_t fake_find_field(void *ctx, void *type, const char *field)
{
	struct fake *f = ctx;
	unsigned index = (struct fake_type_at *)type - f->types;

	for (unsigned i = 0; i < f->schema->n_fields; i++) {
		const struct acc_field_row *row = &f->schema->fields[i];

		if (row->type == index && !f->fields[i].hidden && !strcmp(row->name, field))
			return f->fields[i].offset;
	}
	return -1;
}

static void *fake_malloc(void *ctx, size_t n)
{
	struct fake *f = ctx;

	if (!fuse_holds(&f->allocs))
		return NULL;

	struct fake_block *b = malloc(sizeof(*b) + n);
	ck_assert_ptr_nonnull(b);
	*b = (struct fake_block){ .next = f->blocks, .bytes = n, .magic = BLOCK_MAGIC };
	if (b->next)
		b->next->prev = b;
	f->blocks = b;
	f->n_live++;
	f->live_bytes += n;
	if (f->live_bytes > f->peak_bytes)
		f->peak_bytes = f->live_bytes;
	memset(b + 1, 0xa5, n); /* new memory is not zeroed */
	return b + 1;
}

static void fake_release(void *ctx, void *p)
{
	struct fake *f = ctx;

	ck_assert_msg(p, "fake: NULL was released");

	struct fake_block *b = (struct fake_block *)p - 1;
	ck_assert_msg(b->magic == BLOCK_MAGIC, "fake: %p was released, which nobody allocated", p);
	b->magic = 0;
	if (b->next)
		b->next->prev = b->prev;
	if (b->prev)
		b->prev->next = b->next;
	else
		f->blocks = b->next;
	f->n_live--;
	f->live_bytes -= b->bytes;
	free(b);
}

const struct acc_target_ops fake_ops = {
	.read = fake_read,
	.symbol = fake_find_symbol,
	.type = fake_find_type,
	.type_bytes = fake_find_type_bytes,
	.field_offset = fake_find_field,
	.alloc = fake_malloc,
	.release = fake_release,
};

struct acc_sizes fake_sizes(const struct fake *f)
{
	return (struct acc_sizes){
		.short_bytes = 2,
		.int_bytes = 4,
		.long_bytes = f->word_bytes,
		.long_long_bytes = 8,
		.pointer_bytes = f->word_bytes,
		.bool_bytes = 1,
		.size_bytes = f->word_bytes,
	};
}

enum acc_rc fake_space(struct fake *f, struct acc_space *ret)
{
	struct acc_sizes sizes = fake_sizes(f);

	return acc_space_init(ret, &fake_ops, f, &sizes, f->big_endian);
}

void fake_answer_by(struct fake *f, enum fake_by by)
{
	f->by = by;
}

/* ---- the fake as a pack ---------------------------------------------------------------------------- */

static void add_witness(struct fake *f, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add_witness(struct fake *f, const char *format, ...)
{
	size_t n = strlen(f->witness_text);
	va_list args;

	va_start(args, format);
	int more = vsnprintf(f->witness_text + n, sizeof(f->witness_text) - n, format, args);
	va_end(args);
	ck_assert_msg(more > 0 && (size_t)more < sizeof(f->witness_text) - n, "fake: too many witnesses");
}

void fake_witness_u(struct fake *f, const char *symbol, uint32_t offset, unsigned width, uint64_t value)
{
	add_witness(f, "witness uint %s %" PRIu32 " %u %" PRIu64 "\n", symbol, offset, width, value);
}

void fake_witness_string(struct fake *f, const char *symbol, const char *text)
{
	add_witness(f, "witness string %s %s\n", symbol, text);
}

const char *fake_pack_text(struct fake *f, const char *implementation, const char *version)
{
	size_t n;

	free(f->pack_text);
	f->pack_text = NULL;

	FILE *out = open_memstream(&f->pack_text, &n);
	ck_assert_ptr_nonnull(out);
	fprintf(out, "mpidbg-layout 1\nimplementation %s\nversion %s\nsystem fake\nword-bytes %u\nbyte-order %s\n",
		implementation, version, f->word_bytes, f->big_endian ? "big" : "little");
	for (unsigned i = 0; f->schema && i < f->schema->n_types; i++) {
		if (!f->types[i].hidden)
			fprintf(out, "type %s %" PRIu32 "\n", f->schema->types[i].name, f->types[i].bytes);
	}
	for (unsigned i = 0; f->schema && i < f->schema->n_fields; i++) {
		const struct acc_field_row *row = &f->schema->fields[i];

		if (!f->fields[i].hidden && !f->types[row->type].hidden)
			fprintf(out, "field %s %s %" PRIu32 " %" PRIu32 "\n", row->type_name, row->name,
				f->fields[i].offset, f->fields[i].bytes);
	}
	fputs(f->witness_text, out);
	ck_assert_int_eq(fclose(out), 0);
	return f->pack_text;
}

const struct acc_pack *fake_pack(struct fake *f, const char *implementation, const char *version)
{
	const char *text = fake_pack_text(f, implementation, version);
	struct acc_note note = { .rc = ACC_OK };

	acc_pack_destroy(&acc_pack_heap, f->pack);
	f->pack = NULL;
	ck_assert_msg(!acc_pack_parse(&acc_pack_heap, text, strlen(text), &note, &f->pack), "fake_pack: %s", note.text);
	return f->pack;
}

enum acc_rc fake_resolve(struct fake *f, struct acc_space *sp, enum fake_by by, struct acc_layout *ret)
{
	fake_answer_by(f, by);
	return acc_layout_resolve(sp, f->schema, NULL, by == FAKE_BY_PACK ? fake_pack(f, "fake", "1.0") : NULL, ret);
}
