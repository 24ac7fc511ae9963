/* SPDX-License-Identifier: BSD-3-Clause */
#include "pack.h"
#include "sort.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

/* Maximum size of a type, and maximum offset: more than any structure has. */
enum { TYPE_BYTES_MAX = 1 << 20 };

/* Lines that may occur only once. */
enum once { IMPLEMENTATION, VERSION, SYSTEM, MADE_BY, WORD_BYTES, BYTE_ORDER, N_ONCE };

/* A pack with space for everything its text can contain, in one allocation. */
struct storage {
	struct acc_pack pack;
	struct acc_pack_type *types;
	struct acc_pack_field *fields;
	struct acc_pack_witness *witnesses;
	char *text; /* a copy, in which words are terminated by NULs */
};

struct parser {
	struct storage *s;
	struct acc_note *note;
	const char *text; /* the original */
	unsigned line;    /* current line, from 1 */
	bool headed;      /* the first line has been parsed */
	bool seen[N_ONCE];
};

static enum acc_rc bad(struct parser *p, const char *why)
{
	return acc_note(p->note, ACC_ECORRUPT, "line %u: %s", p->line, why);
}

/* ---- words and numbers ----------------------------------------------------------------------------- */

/* Split off the next word of *rest: it ends at a space or at the end. NULL: none. */
static char *word(char **rest)
{
	char *start = *rest;

	if (!start || !*start || *start == ' ')
		return NULL;

	char *space = strchr(start, ' ');
	if (space)
		*space = '\0';
	*rest = space ? space + 1 : NULL;
	return start;
}

/* A name: a word of printable ASCII. */
static const char *name(char **rest)
{
	char *start = word(rest);

	for (const char *c = start; c && *c; c++) {
		if (*c < '!' || *c > '~')
			return NULL;
	}
	return start;
}

/* A decimal number in lo..hi. */
static bool parse_number(char **rest, uint64_t lo, uint64_t hi, uint64_t *ret)
{
	const char *c = word(rest);
	uint64_t value = 0;

	if (!c || (*c == '0' && c[1]))
		return false;
	for (; *c; c++) {
		if (*c < '0' || *c > '9' || __builtin_mul_overflow(value, UINT64_C(10), &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*c - '0'), &value))
			return false;
	}
	if (value < lo || value > hi)
		return false;
	*ret = value;
	return true;
}

/* The rest of the line, at least one byte. */
static const char *remainder_of(char **rest)
{
	const char *start = *rest;

	*rest = NULL;
	return start && *start ? start : NULL;
}

/* ---- lines ----------------------------------------------------------------------------------------- */

static enum acc_rc parse_type(struct parser *p, char *rest)
{
	struct acc_pack_type t = { .name = name(&rest) };
	uint64_t bytes;

	if (!t.name || !parse_number(&rest, 1, TYPE_BYTES_MAX, &bytes) || rest)
		return bad(p, "expected: type NAME BYTES");
	t.bytes = bytes;
	p->s->types[p->s->pack.n_types++] = t;
	return ACC_OK;
}

static enum acc_rc parse_field(struct parser *p, char *rest)
{
	struct acc_pack_field f = { .type = name(&rest) };
	uint64_t offset, bytes;

	f.name = f.type ? name(&rest) : NULL;
	if (!f.name || !parse_number(&rest, 0, TYPE_BYTES_MAX, &offset) ||
	    !parse_number(&rest, 0, TYPE_BYTES_MAX, &bytes) || rest)
		return bad(p, "expected: field TYPE NAME OFFSET BYTES");
	f.offset = offset;
	f.bytes = bytes;
	p->s->fields[p->s->pack.n_fields++] = f;
	return ACC_OK;
}

bool acc_pack_text_agrees(const struct acc_pack_witness *w, const char *text)
{
	size_t n = strlen(text);

	if (w->kind == ACC_WITNESS_STRING)
		return !strcmp(w->text, text);
	if (!n || strchr(text, ' '))
		return false;
	for (const char *at = w->text; (at = strstr(at, text)); at++)
		if ((at == w->text || at[-1] == ' ') && (!at[n] || at[n] == ' '))
			return true;
	return false;
}

static enum acc_rc parse_witness(struct parser *p, char *rest)
{
	static const char
		expected[] = "expected: witness uint SYMBOL OFFSET WIDTH VALUE, or witness string|one-of SYMBOL TEXT";
	const char *kind = word(&rest);
	struct acc_pack_witness w = { .symbol = kind ? name(&rest) : NULL };

	if (!w.symbol)
		return bad(p, expected);
	if (!strcmp(kind, "uint")) {
		uint64_t offset, width, value;

		if (!parse_number(&rest, 0, INT32_MAX, &offset) || !parse_number(&rest, 1, 8, &width) ||
		    width & (width - 1) || !parse_number(&rest, 0, UINT64_MAX >> (64 - 8 * width), &value) || rest)
			return bad(p, expected);
		w.kind = ACC_WITNESS_UINT;
		w.offset = offset;
		w.width = width;
		w.value = value;
	} else if (!strcmp(kind, "string") || !strcmp(kind, "one-of")) {
		w.kind = *kind == 's' ? ACC_WITNESS_STRING : ACC_WITNESS_ONE_OF;
		w.text = remainder_of(&rest);
		if (!w.text)
			return bad(p, expected);
	} else {
		return bad(p, expected);
	}
	p->s->witnesses[p->s->pack.n_witnesses++] = w;
	return ACC_OK;
}

/* A line that may occur once: the head of the pack. */
static enum acc_rc parse_once(struct parser *p, const char *keyword, char *rest)
{
	static const char *const keywords[N_ONCE] = {
		[IMPLEMENTATION] = "implementation",
		[VERSION] = "version",
		[SYSTEM] = "system",
		[MADE_BY] = "made-by",
		[WORD_BYTES] = "word-bytes",
		[BYTE_ORDER] = "byte-order",
	};
	struct acc_pack *pack = &p->s->pack;
	unsigned which = 0;

	while (which < N_ONCE && strcmp(keyword, keywords[which]))
		which++;
	if (which == N_ONCE)
		return bad(p, "unknown keyword");
	if (p->seen[which])
		return bad(p, "this line occurs twice");
	p->seen[which] = true;

	const char *value = remainder_of(&rest);
	if (!value)
		return bad(p, "the value is missing");
	switch ((enum once)which) {
	case IMPLEMENTATION:
		pack->implementation = value;
		break;
	case VERSION:
		pack->version = value;
		break;
	case SYSTEM:
		pack->system = value;
		break;
	case MADE_BY:
		pack->made_by = value;
		break;
	case WORD_BYTES:
		if (strcmp(value, "4") && strcmp(value, "8"))
			return bad(p, "word-bytes is neither 4 nor 8");
		pack->word_bytes = *value - '0';
		break;
	case BYTE_ORDER:
		if (strcmp(value, "little") && strcmp(value, "big"))
			return bad(p, "byte-order is neither little nor big");
		pack->big_endian = *value == 'b';
		break;
	case N_ONCE:
		break;
	}
	return ACC_OK;
}

static enum acc_rc parse_line(struct parser *p, char *line)
{
	if (!*line || *line == '#')
		return ACC_OK;
	if (!p->headed) {
		if (strcmp(line, "mpidbg-layout 1"))
			return bad(p, strncmp(line, "mpidbg-layout ", 14)
					      ? "not a layout pack"
					      : "a layout pack of a version that is not known");
		p->headed = true;
		return ACC_OK;
	}

	char *rest = line;
	const char *keyword = word(&rest);
	if (!keyword)
		return bad(p, "a space where a keyword is expected");
	if (!strcmp(keyword, "type"))
		return parse_type(p, rest);
	if (!strcmp(keyword, "field"))
		return parse_field(p, rest);
	if (!strcmp(keyword, "witness"))
		return parse_witness(p, rest);
	return parse_once(p, keyword, rest);
}

/* Each line: its length and its bytes, then its words. */
static enum acc_rc parse_lines(struct parser *p, size_t n)
{
	char *line = p->s->text, *end = line + n;

	while (line < end) {
		char *stop = memchr(line, '\n', end - line);

		if (!stop)
			stop = end;
		p->line++;
		if (stop - line > ACC_PACK_LINE_BYTES_MAX)
			return bad(p, "too long");
		for (const char *c = line; c < stop; c++) {
			if ((unsigned char)*c < ' ' || *c == 0x7f)
				return bad(p, "a control character");
		}
		*stop = '\0';

		enum acc_rc rc = parse_line(p, line);
		if (rc)
			return rc;
		line = stop + 1;
	}
	return ACC_OK;
}

/* ---- order ----------------------------------------------------------------------------------------- */

static int compare_types(const void *a, const void *b)
{
	const struct acc_pack_type *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int compare_fields(const void *a, const void *b)
{
	const struct acc_pack_field *x = a, *y = b;
	int order = strcmp(x->type, y->type);

	return order ? order : strcmp(x->name, y->name);
}

static int compare_witnesses(const void *a, const void *b)
{
	const struct acc_pack_witness *x = a, *y = b;
	int order = strcmp(x->symbol, y->symbol);

	if (!order)
		order = (x->kind > y->kind) - (x->kind < y->kind);
	return order ? order : (x->offset > y->offset) - (x->offset < y->offset);
}

/* The line number of a word. */
static unsigned line_of(const struct parser *p, const char *word_of_ours)
{
	unsigned line = 1;

	for (const char *c = p->text; c < p->text + (word_of_ours - p->s->text); c++)
		line += *c == '\n';
	return line;
}

/* Check the complete pack: no duplicates, every field within its type. */
static enum acc_rc check_whole(struct parser *p)
{
	struct acc_pack *pack = &p->s->pack;

	p->line++;
	if (!p->headed)
		return bad(p, "not a layout pack");
	if (!p->seen[WORD_BYTES] || !p->seen[BYTE_ORDER])
		return bad(p, "word-bytes or byte-order is missing");

	acc_sort(p->s->types, pack->n_types, sizeof(*pack->types), compare_types);
	acc_sort(p->s->fields, pack->n_fields, sizeof(*pack->fields), compare_fields);
	acc_sort(p->s->witnesses, pack->n_witnesses, sizeof(*pack->witnesses), compare_witnesses);
	for (size_t i = 1; i < pack->n_types; i++) {
		if (compare_types(&pack->types[i - 1], &pack->types[i]))
			continue;
		p->line = line_of(p, pack->types[i].name);
		return bad(p, "this type occurs twice");
	}
	for (size_t i = 0; i < pack->n_fields; i++) {
		const struct acc_pack_field *f = &pack->fields[i];
		const struct acc_pack_type *t = acc_pack_type(pack, f->type);

		const char *why = NULL;

		if (i && !compare_fields(f - 1, f))
			why = "this field occurs twice";
		else if (!t)
			why = "a field of a type that has no line";
		else if (f->offset > t->bytes || f->bytes > t->bytes - f->offset)
			why = "a field that is not within its type";
		if (why) {
			p->line = line_of(p, f->name); /* expensive, counts from the start of
							* the text: not done for every field */
			return bad(p, why);
		}
	}
	for (size_t i = 1; i < pack->n_witnesses; i++) {
		if (compare_witnesses(&pack->witnesses[i - 1], &pack->witnesses[i]))
			continue;
		p->line = line_of(p, pack->witnesses[i].symbol);
		return bad(p, "this witness occurs twice");
	}
	return ACC_OK;
}

/* ---- public functions -------------------------------------------------------------------------------------- */

/* Number of lines that start with a keyword. */
static size_t count_lines(const char *text, size_t n, const char *keyword)
{
	size_t count = 0, length = strlen(keyword);
	const char *end = text + n;

	for (const char *line = text; line < end;) {
		const char *stop = memchr(line, '\n', end - line);

		if ((size_t)(end - line) > length && !memcmp(line, keyword, length))
			count++;
		line = stop ? stop + 1 : end;
	}
	return count;
}

enum acc_rc acc_pack_parse(const struct acc_pack_alloc *alloc, const char *text, size_t n, struct acc_note *note,
			   struct acc_pack **ret)
{
	if (n > ACC_PACK_BYTES_MAX)
		return acc_note(note, ACC_ECORRUPT, "line 1: a file of more than %d bytes", ACC_PACK_BYTES_MAX);

	/* Below 1 MiB of text there is no product that could overflow. */
	size_t n_types = count_lines(text, n, "type "), n_fields = count_lines(text, n, "field ");
	size_t n_witnesses = count_lines(text, n, "witness ");
	struct storage *s = alloc->alloc(alloc->ctx, sizeof(*s) + n_types * sizeof(*s->types) +
							     n_fields * sizeof(*s->fields) +
							     n_witnesses * sizeof(*s->witnesses) + n + 1);
	if (!s)
		return acc_note(note, ACC_ENOMEM, "layout pack: %s", acc_rc_text(ACC_ENOMEM));

	memset(s, 0, sizeof(*s));
	s->witnesses = (struct acc_pack_witness *)(s + 1);
	s->fields = (struct acc_pack_field *)(s->witnesses + n_witnesses);
	s->types = (struct acc_pack_type *)(s->fields + n_fields);
	s->text = (char *)(s->types + n_types);
	memcpy(s->text, text, n);
	s->text[n] = '\0';
	s->pack.types = s->types;
	s->pack.fields = s->fields;
	s->pack.witnesses = s->witnesses;
	s->pack.implementation = s->pack.version = s->pack.system = s->pack.made_by = "";

	struct parser p = { .s = s, .note = note, .text = text };
	enum acc_rc rc = parse_lines(&p, n);
	if (!rc)
		rc = check_whole(&p);
	if (rc) {
		acc_pack_destroy(alloc, &s->pack);
		return rc;
	}
	*ret = &s->pack;
	return ACC_OK;
}

void acc_pack_destroy(const struct acc_pack_alloc *alloc, struct acc_pack *pack)
{
	/* The pack is the first member of its storage. */
	if (pack)
		alloc->release(alloc->ctx, pack);
}

const struct acc_pack_type *acc_pack_type(const struct acc_pack *pack, const char *name_wanted)
{
	size_t lo = 0, hi = pack->n_types;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int order = strcmp(name_wanted, pack->types[mid].name);

		if (!order)
			return &pack->types[mid];
		if (order < 0)
			hi = mid;
		else
			lo = mid + 1;
	}
	return NULL;
}

const struct acc_pack_field *acc_pack_field(const struct acc_pack *pack, const char *type, const char *name_wanted)
{
	const struct acc_pack_field key = { .type = type, .name = name_wanted };
	size_t lo = 0, hi = pack->n_fields;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int order = compare_fields(&key, &pack->fields[mid]);

		if (!order)
			return &pack->fields[mid];
		if (order < 0)
			hi = mid;
		else
			lo = mid + 1;
	}
	return NULL;
}
