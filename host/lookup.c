/* SPDX-License-Identifier: BSD-3-Clause */
/* Symbol lookup in a target: across all modules, with their biases and separate debug files. */
#include "debugfile.h"
#include "modules.h"
#include "shared_file.h"
#include "target.h"

#include <stdio.h>
#include <string.h>

const char *host_module_debug_file(struct host_module *m)
{
	struct host_shared_file *f = m->shared;

	if (!f)
		return NULL;
	if (!f->debug_tried) {
		f->debug_tried = true;
		if (m->file && !m->from_memory)
			host_debugfile_find(m->elf, m->file, m->path, &f->debug_path, &f->debug_elf);
	}
	return f->debug_path;
}

/* .symtab of the file or of its separate debug file; NULL: none. Created on the first call. */
static struct host_symbols *host_module_full_symbols(struct host_module *m)
{
	struct host_shared_file *f = m->shared;

	if (!f || f->full_tried)
		return f ? f->full : NULL;
	f->full_tried = true;
	f->full = host_symbols_create(f->elf, HOST_SYMBOLS_FULL, 0);
	if (!f->full && host_module_debug_file(m))
		f->full = host_symbols_create(f->debug_elf, HOST_SYMBOLS_FULL, 0);
	return f->full;
}

/* Use .dynsym; NULL: none. */
static struct host_symbols *dynamic_symbols(const struct host_module *m)
{
	return m->shared ? m->shared->symbols : NULL;
}

void host_module_forget_debug_file(struct host_module *m)
{
	if (!m->shared || m->shared->debug_path)
		return;
	m->shared->debug_tried = false;
	m->shared->full_tried = m->shared->full != NULL;
}

static bool by_name(struct host_module *m, const char *name, enum host_symbol_scope scope, uint64_t *ret)
{
	struct host_symbol_info info;

	if (!host_symbols_by_name(scope == HOST_SCOPE_GLOBAL ? dynamic_symbols(m) : NULL, name, scope, &info) &&
	    !host_symbols_by_name(host_module_full_symbols(m), name, scope, &info))
		return false;
	*ret = info.absolute ? info.value : info.value + m->bias;
	return true;
}

bool host_symbol(struct host_target *t, const char *name, uint64_t *ret)
{
	for (enum host_symbol_scope scope = HOST_SCOPE_GLOBAL; scope <= HOST_SCOPE_LOCAL; scope++)
		for (size_t i = 0; i < t->n_modules; i++)
			if (by_name(t->modules[i], name, scope, ret))
				return true;
	return false;
}

bool host_module_function_offset(struct host_module *m, uint64_t addr, char *ret, size_t size, uint64_t *offset)
{
	struct host_symbol_info info;

	if (!host_symbols_function(host_module_full_symbols(m), addr - m->bias, &info) &&
	    !host_symbols_function(dynamic_symbols(m), addr - m->bias, &info))
		return false;
	/* a compiler's suffix, as in "solve.isra.0", is not part of the name in the source */
	size_t n = strcspn(info.name + 1, ".@") + 1;
	snprintf(ret, size, "%.*s", n < 4096 ? (int)n : 4096, info.name);
	*offset = addr - m->bias - info.value;
	return true;
}

bool host_module_function(struct host_module *m, uint64_t addr, char *ret, size_t size)
{
	uint64_t offset;

	return host_module_function_offset(m, addr, ret, size, &offset);
}

bool host_module_object(struct host_module *m, uint64_t addr, char *ret, size_t size, uint64_t *offset, uint64_t *bytes)
{
	struct host_symbol_info info;

	if (!host_symbols_object(host_module_full_symbols(m), addr - m->bias, &info) &&
	    !host_symbols_object(dynamic_symbols(m), addr - m->bias, &info))
		return false;
	snprintf(ret, size, "%.*s", info.name_bytes < 4096 ? (int)info.name_bytes : 4096, info.name);
	*offset = addr - m->bias - info.value;
	*bytes = info.bytes;
	return true;
}

void host_module_prepare(struct host_module *m)
{
	struct host_symbol_info unused;

	host_symbols_function(host_module_full_symbols(m), 0, &unused);
	host_symbols_function(dynamic_symbols(m), 0, &unused);
}
