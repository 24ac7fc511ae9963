/* SPDX-License-Identifier: BSD-3-Clause */
#include "../access/grow.h"
#include "../host/types.h"
#include "commands.h"
#include "layout.h"
#include "message.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
	"usage: mpidbg layout make [-o FILE] --source FOLDER [--build FOLDER]\n"
	"       mpidbg layout make [-o FILE] --rows FILE ... PROBE.o ...\n"
	"The first form writes the pack of an Open MPI from its source tree, configured as it was for the library\n"
	"(nothing is built; a compiler and make are needed). The second one is for other libraries.\n"
	"  -s, --source FOLDER  a source tree of Open MPI\n"
	"  -b, --build FOLDER   where its configure was run; without it: in the source tree\n"
	"  -o, --output FILE    where the pack goes; without it: stdout\n"
	"\n"
	"Write a layout pack: the types and members that the rows name, as the debug information of the\n"
	"probes has them. Lines are sorted: the same input gives the same bytes.\n"
	"  -r, --rows FILE      rows (type, field, optional-type, optional-field, no-type, no-field,\n"
	"                       other-field, class, witness, and head lines); may be repeated\n";

/* Lines of the pack, before sorting. */
struct lines {
	char **line;
	size_t n;
};

static bool lines_add(struct lines *lines, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool lines_add(struct lines *lines, const char *format, ...)
{
	if (!ACC_GROW(lines->line, lines->n))
		return false;
	va_list ap;
	va_start(ap, format);
	int n = vasprintf(&lines->line[lines->n], format, ap);
	va_end(ap);
	if (n < 0)
		return false;
	lines->n++;
	return true;
}

static void lines_deinit(struct lines *lines)
{
	for (size_t i = 0; i < lines->n; i++)
		free(lines->line[i]);
	free(lines->line);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Everything that one run generates. */
struct maker {
	struct layout_rows rows;
	struct host_types *types;
	unsigned word_bytes;
	bool big_endian;
	struct lines head, body; /* body: type, field and witness lines sort in this order */
	size_t n_missing;
	bool out_of_memory;
};

static void missing(struct maker *m, const struct layout_row *row, const char *what, const char *why)
{
	cmd_message("layout: %s: line %u: %s: %s", row->file, row->line, what, why);
	m->n_missing++;
}

static bool declared_absent(const struct maker *m, enum layout_row_kind kind, const char *type, const char *field)
{
	for (size_t i = 0; i < m->rows.n; i++)
		if (m->rows.rows[i].kind == kind && !strcmp(m->rows.rows[i].name, type) &&
		    (!field || !strcmp(m->rows.rows[i].second, field)))
			return true;
	return false;
}

static const struct host_type *sized_type(struct maker *m, const struct layout_row *row, const char *name)
{
	const struct host_type *type = host_types_find(m->types, name);
	if (!type)
		missing(m, row, name, "no probe defines this type");
	else if (host_type_bytes(type) < 0 || host_type_bytes(type) > UINT32_MAX) {
		missing(m, row, name, "has no size");
		type = NULL;
	}
	return type;
}

/* rows for absent fields are checked as well */
static void make_no_type(struct maker *m, const struct layout_row *row)
{
	if (host_types_find(m->types, row->name))
		missing(m, row, row->name, "a probe defines this type");
}

static void make_no_field(struct maker *m, const struct layout_row *row)
{
	struct host_member member;
	char what[512];
	const struct host_type *type = sized_type(m, row, row->name);
	snprintf(what, sizeof(what), "%s.%s", row->name, row->second);
	if (!type)
		return;
	bool there = host_type_member(type, row->second, &member);
	if (there && row->kind == LAYOUT_NO_FIELD)
		missing(m, row, what, "the type has this member");
	else if (!there && row->kind == LAYOUT_OTHER_FIELD)
		missing(m, row, what, "the type has no such member");
}

static void make_field(struct maker *m, const struct layout_row *row)
{
	struct host_member member;
	char what[512];
	if (row->optional && !host_types_find(m->types, row->name))
		return;
	const struct host_type *type = sized_type(m, row, row->name);
	if (!type || declared_absent(m, LAYOUT_OTHER_FIELD, row->name, row->second))
		return;
	snprintf(what, sizeof(what), "%s.%s", row->name, row->second);
	if (!host_type_member(type, row->second, &member)) {
		if (!row->optional && !declared_absent(m, LAYOUT_NO_FIELD, row->name, row->second))
			missing(m, row, what, "the type has no such member");
	} else if (row->bytes && member.bytes != row->bytes)
		return; /* a different member with the same name */
	else if (member.bit_field)
		missing(m, row, what, "is a bit field");
	else if (member.offset > UINT32_MAX || member.bytes > UINT32_MAX)
		missing(m, row, what, "is too large");
	else if (!lines_add(&m->body, "field %s %s %" PRIu64 " %" PRIu64, row->name, row->second, member.offset,
			    member.bytes))
		m->out_of_memory = true;
}

/* The size of a type in the library: cls_sizeof of its class object. */
static void make_class(struct maker *m, const struct layout_row *row)
{
	struct host_member size;
	const struct host_type *class = sized_type(m, row, "opal_class_t");
	const struct host_type *type = sized_type(m, row, row->second);
	if (!class || !type)
		return;
	if (!host_type_member(class, "cls_sizeof", &size) || size.bit_field)
		missing(m, row, "opal_class_t.cls_sizeof", "the type has no such member");
	else if (!lines_add(&m->body, "witness uint %s %" PRIu64 " %" PRIu64 " %" PRId64, row->name, size.offset,
			    size.bytes, host_type_bytes(type)))
		m->out_of_memory = true;
}

static void make_row(struct maker *m, const struct layout_row *row)
{
	const struct host_type *type;
	if ((row->kind == LAYOUT_TYPE || row->kind == LAYOUT_FIELD) &&
	    declared_absent(m, LAYOUT_NO_TYPE, row->name, NULL))
		return;
	switch (row->kind) {
	case LAYOUT_HEAD:
		m->out_of_memory |= !lines_add(&m->head, "%s", row->name);
		break;
	case LAYOUT_WITNESS:
		m->out_of_memory |= !lines_add(&m->body, "%s", row->name);
		break;
	case LAYOUT_TYPE:
		if (row->optional && !host_types_find(m->types, row->name))
			break;
		type = sized_type(m, row, row->name);
		if (type)
			m->out_of_memory |= !lines_add(&m->body, "type %s %" PRId64, row->name, host_type_bytes(type));
		break;
	case LAYOUT_FIELD:
		make_field(m, row);
		break;
	case LAYOUT_NO_FIELD:
	case LAYOUT_OTHER_FIELD:
		make_no_field(m, row);
		break;
	case LAYOUT_NO_TYPE:
		make_no_type(m, row);
		break;
	case LAYOUT_CLASS:
		make_class(m, row);
		break;
	}
}

/* Print the head line with this keyword; called in the order of the format. */
static void print_head(FILE *out, const struct maker *m, const char *keyword)
{
	size_t n = strlen(keyword);
	for (size_t i = 0; i < m->head.n; i++)
		if (!strncmp(m->head.line[i], keyword, n) && m->head.line[i][n] == ' ') {
			fprintf(out, "%s\n", m->head.line[i]);
			return;
		}
}

/* "type" lines, then "field", then "witness", each sorted, without duplicates. */
static void print_body(FILE *out, const struct maker *m, const char *keyword)
{
	size_t n = strlen(keyword);
	for (size_t i = 0; i < m->body.n; i++)
		if (!strncmp(m->body.line[i], keyword, n) && m->body.line[i][n] == ' ' &&
		    (!i || strcmp(m->body.line[i], m->body.line[i - 1])))
			fprintf(out, "%s\n", m->body.line[i]);
}

static void print_pack(FILE *out, const struct maker *m)
{
	fprintf(out, "mpidbg-layout 1\n");
	print_head(out, m, "implementation");
	print_head(out, m, "version");
	print_head(out, m, "system");
	fprintf(out, "word-bytes %u\nbyte-order %s\n", m->word_bytes, m->big_endian ? "big" : "little");
	print_head(out, m, "made-by");
	qsort(m->body.line, m->body.n, sizeof(*m->body.line), by_text);
	print_body(out, m, "type");
	print_body(out, m, "field");
	print_body(out, m, "witness");
}

static int write_pack(const struct maker *m, const char *path)
{
	FILE *out = path ? fopen(path, "we") : stdout;
	if (!out) {
		cmd_message("layout: %s: %s", path, strerror(errno));
		return CMD_ABSENT;
	}
	print_pack(out, m);
	bool bad = fflush(out) || ferror(out);
	if (path)
		bad |= fclose(out) != 0;
	if (!bad)
		return CMD_DONE;
	cmd_message("layout: %s: cannot be written: %s", path ? path : "stdout", strerror(errno));
	return CMD_PARTIAL;
}

/* All probes have one architecture, because a pack has one word size and one byte order. */
static int add_probe(struct maker *m, const char *path, bool first)
{
	struct host_error err;
	struct host_dwarf *d;
	enum host_errc code = host_dwarf_open(path, &d, &err);
	if (!code) {
		unsigned word_bytes = host_dwarf_word_bytes(d);
		bool big_endian = host_dwarf_big_endian(d);
		host_dwarf_close(d);
		if (!first && (word_bytes != m->word_bytes || big_endian != m->big_endian)) {
			cmd_message("layout: %s: is for another word size or byte order than the probe before", path);
			return CMD_USAGE;
		}
		m->word_bytes = word_bytes;
		m->big_endian = big_endian;
		code = host_types_add(m->types, path, &err);
	}
	if (!code)
		return CMD_DONE;
	cmd_message("layout: %s%s", err.text, code == HOST_ABSENT ? ": was it compiled with -g?" : "");
	return code == HOST_ABSENT ? CMD_ABSENT : CMD_PARTIAL;
}

static int make(struct maker *m, int n_probes, char **probes, const char *output)
{
	for (int i = 0; i < n_probes; i++) {
		int rc = add_probe(m, probes[i], i == 0);
		if (rc)
			return rc;
	}
	for (size_t i = 0; i < m->rows.n; i++)
		make_row(m, &m->rows.rows[i]);
	if (m->out_of_memory) {
		cmd_message("layout: out of memory");
		return CMD_PARTIAL;
	}
	int rc = write_pack(m, output);
	if (rc || !m->n_missing)
		return rc;
	cmd_message("layout: %zu rows do not fit the probes", m->n_missing);
	return CMD_PARTIAL;
}

int cmd_layout_make(int argc, char **argv)
{
	static const struct option options[] = {
		{ "rows", required_argument, NULL, 'r' },  { "source", required_argument, NULL, 's' },
		{ "build", required_argument, NULL, 'b' }, { "output", required_argument, NULL, 'o' },
		{ "help", no_argument, NULL, 'h' },        { 0 }
	};
	struct maker m = { 0 };
	const char *output = NULL, *source = NULL, *build = NULL;
	int rc = CMD_DONE, c;
	bool done = false;
	optind = 0;
	opterr = 0;
	while (!done && (c = getopt_long(argc, argv, "r:s:b:o:h", options, NULL)) != -1)
		switch (c) {
		case 'r':
			if (!layout_rows_add(&m.rows, optarg)) {
				rc = CMD_USAGE;
				done = true;
			}
			break;
		case 's':
			source = optarg;
			break;
		case 'b':
			build = optarg;
			break;
		case 'o':
			output = optarg;
			break;
		case 'h':
			fputs(usage, stdout);
			done = true;
			break;
		default:
			fputs(usage, stderr);
			rc = CMD_USAGE;
			done = true;
		}
	if (!done && (source || build)) {
		if (source && !m.rows.n && optind == argc)
			return cmd_layout_source(source, build, output);
		cmd_message(source ? "layout: --source goes without rows and probes"
				   : "layout: --build goes with --source");
		fputs(usage, stderr);
		rc = CMD_USAGE;
		done = true;
	}
	if (!done && (!m.rows.n || optind == argc)) {
		cmd_message("layout: make needs --source, or --rows and a probe");
		fputs(usage, stderr);
		rc = CMD_USAGE;
		done = true;
	}
	if (!done) {
		m.types = host_types_create();
		rc = m.types ? make(&m, argc - optind, argv + optind, output) : CMD_PARTIAL;
	}
	host_types_destroy(m.types);
	lines_deinit(&m.head);
	lines_deinit(&m.body);
	layout_rows_deinit(&m.rows);
	return rc;
}
