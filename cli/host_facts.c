/* SPDX-License-Identifier: BSD-3-Clause */
#include "host_facts.h"

#include "../access/pack_find.h"
#include "../access/pack_heap.h"
#include "../host/elf_file.h"
#include "../host/modules.h"
#include "json.h"
#include "mpi_library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct host_module *module_of_path(struct host_target *t, const char *path)
{
	struct host_module *m;

	for (size_t i = 0; (m = host_module_at(t, i)); i++)
		if (strcmp(m->path, path) == 0)
			return m;
	return NULL;
}

static void build_id_text(const struct host_module *m, char *ret, size_t n)
{
	struct host_build_id id = { .n = 0 };

	ret[0] = '\0';
	if (m && m->elf)
		host_elf_build_id(m->elf, &id);
	for (size_t i = 0; i < id.n && 2 * i + 3 <= n; i++)
		sprintf(ret + 2 * i, "%02x", id.bytes[i]);
}

/* The source of its debug information. */
static const char *debug_info(struct host_module *m)
{
	if (!m || !m->elf)
		return "unknown";
	if (host_elf_section(m->elf, ".debug_info"))
		return m->path;
	const char *debug = host_module_debug_file(m);
	return debug ? debug : "none";
}

static bool ptrace_scope(char *ret, size_t n)
{
	FILE *f = fopen("/proc/sys/kernel/yama/ptrace_scope", "re");
	bool ok = f && fgets(ret, (int)n, f);

	if (f)
		fclose(f);
	if (ok)
		ret[strcspn(ret, "\n")] = '\0';
	return ok;
}

static const char *scope_words(const char *scope)
{
	switch (scope[0]) {
	case '0':
		return "any process of the same user";
	case '1':
		return "children, and anything for root";
	case '2':
		return "root";
	case '3':
		return "nobody";
	default:
		return "unknown";
	}
}

struct seen {
	const char *mpi, *file, *debug, *plugin_version, *layouts;
	char build_id[2 * HOST_BUILD_ID_MAX + 1], scope[16], wrong[CMD_WRONG_MPI_BYTES];
	bool have_scope, is_wrong;
	struct acc_pack_list packs;
	struct acc_note skipped;
};

static void look_around(struct seen *s, const struct host_plugin *plugin, struct host_target *t)
{
	s->mpi = cmd_which_mpi(t, &s->file);
	s->is_wrong = cmd_wrong_mpi(t, s->wrong, sizeof(s->wrong));
	struct host_module *m = s->mpi ? module_of_path(t, s->file) : NULL;
	build_id_text(m, s->build_id, sizeof(s->build_id));
	s->debug = debug_info(m);
	s->plugin_version = plugin->mqs_version_string ? plugin->mqs_version_string() : "";
	s->layouts = getenv("MPIDBG_LAYOUTS");
	s->have_scope = ptrace_scope(s->scope, sizeof(s->scope));
	acc_pack_list_load(&acc_pack_heap, &s->skipped, &s->packs);
}

/* Write a name and a value, aligned with the lines of the plugin. */
static void row(struct cmd_spool *out, const char *name, const char *value)
{
	cmd_spool_printf(out, "  %-23s %s", name, value);
}

static void add_text(const struct seen *s, const struct host_plugin *plugin, struct cmd_spool *out)
{
	if (s->mpi) {
		row(out, "library", s->file);
		cmd_spool_printf(out, " (%s)\n", s->mpi);
		row(out, "  build-id", *s->build_id ? s->build_id : "none");
		cmd_spool_puts(out, "\n");
		row(out, "  debug information", s->debug);
		cmd_spool_puts(out, strcmp(s->debug, "none") == 0 ? " (a layout pack does instead)\n" : "\n");
	}
	if (s->is_wrong) {
		row(out, "what to do", s->wrong);
		cmd_spool_puts(out, "\n");
	}
	row(out, "plugin", plugin->path);
	cmd_spool_printf(out, " (%s)\n", s->plugin_version);
	size_t n_builtin = 0;
	for (size_t i = 0; i < s->packs.n; i++) {
		if (strncmp(s->packs.files[i], "builtin:", 8)) {
			row(out, i ? "" : "layout packs found", s->packs.files[i]);
			cmd_spool_puts(out, "\n");
		} else {
			n_builtin++;
		}
	}
	row(out, n_builtin == s->packs.n ? "layout packs found" : "", "");
	cmd_spool_printf(out, "%zu built in\n", n_builtin);
	if (s->packs.n_skipped) {
		row(out, "layout packs skipped", s->skipped.text);
		cmd_spool_printf(out, "%s\n", s->packs.n_skipped > 1 ? ", and others" : "");
	}
	row(out, "  also searched", "MPIDBG_LAYOUTS");
	cmd_spool_printf(out, "%s%s, %s/share/mpidbg/layouts\n", s->layouts ? "=" : " (not set)",
			 s->layouts ? s->layouts : "", MPIDBG_PREFIX);
	row(out, "tracing is allowed for", s->have_scope ? scope_words(s->scope) : "any process of the same user");
	if (s->have_scope)
		cmd_spool_printf(out, " (kernel.yama.ptrace_scope is %s)\n", s->scope);
	else
		cmd_spool_puts(out, " (this kernel has no ptrace_scope)\n");
}

/* Continue the plugin's JSON object, whose closing brace ends the spool; if there is no output, start a new object. */
static void add_json(const struct seen *s, const struct host_plugin *plugin, struct cmd_spool *out)
{
	bool first = true, inner = true;

	while (out->n && strchr(" \n", out->text[out->n - 1]))
		out->n--;
	if (out->n && out->text[out->n - 1] == '}') {
		out->n--;
		while (out->n && strchr(" \n", out->text[out->n - 1]))
			out->n--;
		first = out->text[out->n - 1] == '{';
	} else {
		cmd_spool_puts(out, "{");
	}
	cmd_json_name(out, &first, "debugger");
	cmd_spool_puts(out, "{");
	if (s->mpi) {
		cmd_json_member(out, &inner, "library", s->file);
		cmd_json_member(out, &inner, "mpi", s->mpi);
		if (*s->build_id)
			cmd_json_member(out, &inner, "build_id", s->build_id);
		cmd_json_member(out, &inner, "debug_info", s->debug);
	}
	if (s->is_wrong)
		cmd_json_member(out, &inner, "mpi_problem", s->wrong);
	cmd_json_member(out, &inner, "plugin", plugin->path);
	cmd_json_member(out, &inner, "plugin_version", s->plugin_version);
	char **files = calloc(s->packs.n + 1, sizeof(*files));
	for (size_t i = 0; files && i < s->packs.n; i++)
		files[i] = s->packs.files[i];
	cmd_json_lines(out, &inner, "packs", files, files ? s->packs.n : 0);
	free(files);
	if (s->have_scope)
		cmd_json_number(out, &inner, "ptrace_scope", atoi(s->scope));
	cmd_spool_puts(out, "}}\n");
}

void cmd_host_facts(const struct cmd_options *o, const struct host_plugin *plugin, struct host_target *t,
		    struct cmd_spool *out)
{
	struct seen s = { 0 };

	host_resume(t); /* the rest reads no memory */
	look_around(&s, plugin, t);
	if (o->json && !out->rest)
		add_json(&s, plugin, out);
	else if (!o->json)
		add_text(&s, plugin, out);
	acc_pack_list_destroy(&acc_pack_heap, &s.packs);
}
