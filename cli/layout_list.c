/* SPDX-License-Identifier: BSD-3-Clause */
#include "../access/pack_find.h"
#include "../access/pack_heap.h"
#include "commands.h"
#include "json.h"
#include "layout.h"
#include "message.h"

#include <getopt.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

static const char
	usage[] = "usage: mpidbg layout list [--json]\n"
		  "List the layout packs that the plugin would use: files *.layout in the folders of $MPIDBG_LAYOUTS\n"
		  "and in the install folder, then those that are built in.\n"
		  "  -j, --json  as JSON\n";

static bool is_builtin(const char *file)
{
	return strncmp(file, "builtin:", 8) == 0;
}

static const char *name_of(const char *file)
{
	return is_builtin(file) ? file + 8 : basename(file);
}

static void print_pack(const struct acc_pack *p, const char *file)
{
	printf("%s\n", name_of(file));
	printf("    %s %s, %s, %u-bit %s-endian\n", p->implementation, p->version, p->system, p->word_bytes * 8,
	       p->big_endian ? "big" : "little");
	printf("    %zu types, %zu fields, %zu witnesses; %s%s\n", p->n_types, p->n_fields, p->n_witnesses,
	       is_builtin(file) ? "built in" : "from ", is_builtin(file) ? "" : file);
	if (*p->made_by)
		printf("    made by %s\n", p->made_by);
}

static json_t *pack_json(const struct acc_pack *p, const char *file)
{
	bool builtin = is_builtin(file);
	json_t *o = json_pack("{s:s, s:b, s:s, s:s, s:s, s:s, s:i, s:s, s:I, s:I, s:I}", "name", name_of(file),
			      "builtin", builtin, "implementation", p->implementation, "version", p->version, "system",
			      p->system, "made_by", p->made_by, "word_bytes", (int)p->word_bytes, "byte_order",
			      p->big_endian ? "big" : "little", "types", (json_int_t)p->n_types, "fields",
			      (json_int_t)p->n_fields, "witnesses", (json_int_t)p->n_witnesses);
	if (o && !builtin)
		json_object_set_new(o, "file", json_string(file));
	return o;
}

static int list(bool as_json)
{
	struct acc_pack_list packs = { 0 };
	struct acc_note note = { 0 };
	enum acc_rc rc = acc_pack_list_load(&acc_pack_heap, &note, &packs);
	if (rc) {
		cmd_message("layout: packs: %s", acc_rc_text(rc));
		return CMD_PARTIAL;
	}
	json_t *layouts = as_json ? json_array() : NULL, *problems = as_json ? json_array() : NULL;
	for (size_t i = 0; i < packs.n; i++)
		if (as_json)
			json_array_append_new(layouts, pack_json(packs.packs[i], packs.files[i]));
		else
			print_pack(packs.packs[i], packs.files[i]);
	if (packs.n_skipped) {
		char text[ACC_NOTE_BYTES + 64];
		if (packs.n_skipped > 1)
			snprintf(text, sizeof(text), "%s, and %zu more were skipped", note.text, packs.n_skipped - 1);
		else
			snprintf(text, sizeof(text), "%s", note.text);
		cmd_message("layout: %s", text);
		if (as_json)
			json_array_append_new(problems, json_string(text));
	}
	if (as_json) {
		json_t *o = json_pack("{s:s, s:s, s:o, s:o}", "schema", "mpidbg/1", "command", "layout list", "layouts",
				      layouts, "problems", problems);
		cmd_json_dump(o, stdout, JSON_INDENT(2));
		putchar('\n');
		json_decref(o);
	}
	int code = packs.n_skipped ? CMD_PARTIAL : packs.n ? CMD_DONE : CMD_ABSENT;
	if (code == CMD_ABSENT)
		cmd_message("layout: there is no pack");
	acc_pack_list_destroy(&acc_pack_heap, &packs);
	return code;
}

int cmd_layout_list(int argc, char **argv)
{
	bool as_json = false;
	int code = cmd_layout_flags(argc, argv, usage, &as_json);
	if (code >= 0)
		return code;
	if (optind < argc) {
		cmd_message("layout: list takes no %s", argv[optind]);
		fputs(usage, stderr);
		return CMD_USAGE;
	}
	return list(as_json);
}
