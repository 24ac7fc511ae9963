/* SPDX-License-Identifier: BSD-3-Clause */
#include "../host/layout_types.h"
#include "../host/types.h"
#include "commands.h"
#include "json.h"
#include "layout.h"
#include "message.h"

#include <getopt.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char usage
	[] = "usage: mpidbg layout check [--json] PACK [FILE ...]\n"
	     "Is a pack well-formed, and does each file agree with it? Types and members are compared with a file's\n"
	     "debug information (a probe, a library with -g), witnesses with the data of a library, stripped or not.\n"
	     "PACK is a file, or the name of a pack that is built in. Exit code 3: something disagrees; 1: a file has\n"
	     "none of the types in the pack.\n"
	     "  -j, --json  as JSON\n";

/* Result of comparing one file. */
struct result {
	bool has_dwarf;
	size_t n_types, n_fields, n_witnesses; /* number that agree */
	size_t n_absent;                       /* types, fields, witnesses missing in the file */
	size_t n_wrong;
	json_t *wrong; /* lines */
};

static void disagree(struct result *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void disagree(struct result *r, const char *format, ...)
{
	char text[512];
	va_list ap;
	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	r->n_wrong++;
	json_array_append_new(r->wrong, json_string(text));
}

static void check_fields(const struct acc_pack *pack, struct host_types *types, struct result *r)
{
	for (size_t i = 0; i < pack->n_fields; i++) {
		const struct acc_pack_field *f = &pack->fields[i];
		const struct host_type *type = host_types_find(types, f->type);
		struct host_member m;
		if (!type)
			r->n_absent++;
		else if (!host_type_member(type, f->name, &m) || m.bit_field)
			disagree(r, "field %s.%s: the file has no such member", f->type, f->name);
		else if (m.offset != f->offset || m.bytes != f->bytes)
			disagree(r,
				 "field %s.%s: %" PRIu64 " bytes at %" PRIu64
				 " in the file, %u bytes at %u in the pack",
				 f->type, f->name, m.bytes, m.offset, f->bytes, f->offset);
		else
			r->n_fields++;
	}
}

static void check_dwarf(const struct acc_pack *pack, struct host_types *types, struct result *r)
{
	r->has_dwarf = true;
	for (size_t i = 0; i < pack->n_types; i++) {
		const struct acc_pack_type *t = &pack->types[i];
		const struct host_type *type = host_types_find(types, t->name);
		if (!type)
			r->n_absent++;
		else if (host_type_bytes(type) != t->bytes)
			disagree(r, "type %s: %" PRId64 " bytes in the file, %u in the pack", t->name,
				 host_type_bytes(type), t->bytes);
		else
			r->n_types++;
	}
	check_fields(pack, types, r);
}

static void check_witnesses(const struct acc_pack *pack, struct layout_elf *e, struct result *r)
{
	for (size_t i = 0; i < pack->n_witnesses; i++) {
		const struct acc_pack_witness *w = &pack->witnesses[i];
		uint64_t found = 0;
		switch (layout_elf_witness(e, w, &found)) {
		case LAYOUT_ABSENT:
			r->n_absent++;
			break;
		case LAYOUT_AGREES:
			r->n_witnesses++;
			break;
		case LAYOUT_UNREADABLE:
			disagree(r, "witness %s: its bytes are not in the file", w->symbol);
			break;
		case LAYOUT_DISAGREES:
			if (w->kind != ACC_WITNESS_UINT)
				disagree(r, "witness %s: is not \"%s\" in the file", w->symbol, w->text);
			else
				disagree(r, "witness %s+%u: %" PRIu64 " in the file, %" PRIu64 " in the pack",
					 w->symbol, w->offset, found, w->value);
		}
	}
}

static int check_file(const struct acc_pack *pack, const char *path, struct result *r)
{
	struct host_error err;
	struct layout_elf *e;
	enum host_errc code = layout_elf_open(path, &e, &err);
	if (code) {
		cmd_message("layout: %s", err.text);
		return code == HOST_ABSENT ? CMD_ABSENT : CMD_PARTIAL;
	}
	if (layout_elf_word_bytes(e) != pack->word_bytes || layout_elf_big_endian(e) != pack->big_endian)
		disagree(r, "word size and byte order: %u-bit %s-endian in the file, %u-bit %s-endian in the pack",
			 layout_elf_word_bytes(e) * 8, layout_elf_big_endian(e) ? "big" : "little",
			 pack->word_bytes * 8, pack->big_endian ? "big" : "little");
	else {
		struct host_types *types = host_types_create();
		check_witnesses(pack, e, r);
		if (types && !host_types_add(types, path, NULL))
			check_dwarf(pack, types, r);
		host_types_destroy(types);
	}
	layout_elf_close(e);
	return CMD_DONE;
}

static int report_file(const char *path, const struct result *r, json_t *files)
{
	if (files)
		json_array_append_new(files, json_pack("{s:s, s:b, s:I, s:I, s:I, s:I, s:O}", "file", path,
						       "debug_information", r->has_dwarf, "types_agree",
						       (json_int_t)r->n_types, "fields_agree", (json_int_t)r->n_fields,
						       "witnesses_agree", (json_int_t)r->n_witnesses, "absent",
						       (json_int_t)r->n_absent, "disagreements", r->wrong));
	else if (r->has_dwarf)
		printf("%s: %zu types, %zu fields and %zu witnesses agree, %zu disagree\n", path, r->n_types,
		       r->n_fields, r->n_witnesses, r->n_wrong);
	else
		printf("%s: %zu witnesses agree, %zu disagree; no debug information\n", path, r->n_witnesses,
		       r->n_wrong);
	size_t i;
	json_t *line;
	json_array_foreach(r->wrong, i, line)
	{
		if (!files)
			printf("    %s\n", json_string_value(line));
	}
	if (r->n_wrong) {
		cmd_message("layout: %s: disagrees with the pack in %zu places", path, r->n_wrong);
		return CMD_PARTIAL;
	}
	if (!r->n_types && !r->n_fields && !r->n_witnesses) {
		cmd_message("layout: %s: has none of the types in the pack", path);
		return CMD_ABSENT;
	}
	return CMD_DONE;
}

/* A file, or else a built-in pack of that name. */
static enum host_errc open_pack(const char *name, struct acc_pack **ret, struct host_error *err)
{
	enum host_errc code = host_layout_open(name, ret, err);
	for (const struct acc_pack_builtin *b = acc_pack_builtins; code == HOST_ABSENT && b->file; b++)
		if (!strcmp(b->file, name))
			code = host_layout_parse(name, b->text, b->n, ret, err);
	return code;
}

static int check(const char *name, int n_files, char **paths, bool as_json)
{
	struct host_error err;
	struct acc_pack *pack;
	enum host_errc code = open_pack(name, &pack, &err);
	if (code) {
		cmd_message("layout: %s", err.text);
		return code == HOST_ABSENT ? CMD_ABSENT : CMD_PARTIAL;
	}
	json_t *files = as_json ? json_array() : NULL;
	if (!as_json)
		printf("%s: %s %s, %s, %u-bit %s-endian: %zu types, %zu fields, %zu witnesses\n", name,
		       pack->implementation, pack->version, pack->system, pack->word_bytes * 8,
		       pack->big_endian ? "big" : "little", pack->n_types, pack->n_fields, pack->n_witnesses);
	int rc = CMD_DONE;
	for (int i = 0; i < n_files; i++) {
		struct result r = { .wrong = json_array() };
		int one = check_file(pack, paths[i], &r);
		if (!one)
			one = report_file(paths[i], &r, files);
		json_decref(r.wrong);
		if (one > rc)
			rc = one;
	}
	if (as_json) {
		json_t *o = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:o}", "schema", "mpidbg/1",
				      "command", "layout check", "pack", name, "implementation", pack->implementation,
				      "version", pack->version, "system", pack->system, "types",
				      (json_int_t)pack->n_types, "fields", (json_int_t)pack->n_fields, "witnesses",
				      (json_int_t)pack->n_witnesses, "files", files);
		cmd_json_dump(o, stdout, JSON_INDENT(2));
		putchar('\n');
		json_decref(o);
	}
	host_layout_close(pack);
	return rc;
}

int cmd_layout_check(int argc, char **argv)
{
	bool as_json = false;
	int code = cmd_layout_flags(argc, argv, usage, &as_json);
	if (code >= 0)
		return code;
	if (optind == argc) {
		cmd_message("layout: check needs a pack");
		fputs(usage, stderr);
		return CMD_USAGE;
	}
	return check(argv[optind], argc - optind - 1, argv + optind + 1, as_json);
}
