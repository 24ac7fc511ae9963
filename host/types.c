/* SPDX-License-Identifier: BSD-3-Clause */
#include "types.h"
#include "error.h"
#include "modules.h"
#include "shared_file.h"

#include "../access/grow.h"

#include <stdlib.h>
#include <string.h>

/* Limit for structures that one file declares and another one defines, in a chain. */
enum { DECLARED_MAX = 8 };

struct host_type {
	struct host_type *next;
	char *name;
	bool known; /* false: known not to exist */
	struct host_die die;
	int64_t bytes;
};

struct host_types {
	struct host_target *target; /* NULL: only files added by host_types_add() */
	bool opened;                /* the target's modules have been searched */
	struct host_dwarf **files;
	size_t n_files;
	struct host_type *found;
};

struct host_types *host_types_create(void)
{
	return calloc(1, sizeof(struct host_types));
}

struct host_types *host_types_of_target(struct host_target *t)
{
	struct host_types *types = host_types_create();
	if (types)
		types->target = t;
	return types;
}

void host_types_destroy(struct host_types *types)
{
	if (!types)
		return;
	for (struct host_type *type = types->found, *next; type; type = next) {
		next = type->next;
		free(type->name);
		free(type);
	}
	for (size_t i = 0; i < types->n_files; i++)
		host_dwarf_close(types->files[i]);
	free(types->files);
	free(types);
}

enum host_errc host_types_add(struct host_types *types, const char *path, struct host_error *err)
{
	if (!ACC_GROW(types->files, types->n_files))
		return host_error_set(err, HOST_UNREADABLE, "%s: out of memory", path);
	enum host_errc code = host_dwarf_open(path, &types->files[types->n_files], err);
	if (!code)
		types->n_files++;
	return code;
}

/*
 * Can a module contain the types of an MPI library, or of a program with one linked in? The C and C++ libraries cannot;
 * their debug files are often installed, and large. Nor can the in-target library.
 */
static bool can_hold(const struct host_module *m)
{
	static const char *const others[] = { "libc.so",  "libm.so",  "ld-linux",  "libpthread.so", "librt.so",
					      "libdl.so", "libgcc_s", "libstdc++", "libgfortran",   "[" };
	const char *slash = strrchr(m->path, '/'), *name = slash ? slash + 1 : m->path;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (!strncmp(name, others[i], strlen(others[i])))
			return false;
	return m->file && !m->from_memory && !host_module_is_mpi2dd(m);
}

/* Open the DWARF of the target's modules. A module without DWARF is not an error. */
static void open_modules(struct host_types *types)
{
	struct host_module *m;
	types->opened = true;
	for (size_t i = 0; (m = host_module_at(types->target, i)); i++) {
		if (!can_hold(m) || (m->shared && m->shared->no_types) || !host_types_add(types, m->file, NULL))
			continue;
		const char *debug = host_module_debug_file(m);
		enum host_errc code = debug ? host_types_add(types, debug, NULL) : HOST_ABSENT;
		if (m->shared)
			m->shared->no_types = code == HOST_ABSENT;
	}
}

/* The definition of an entry: a typedef's structure, or the definition of a mere declaration. */
static bool find_complete(struct host_types *types, const char *name, unsigned depth, struct host_die *ret)
{
	for (size_t i = 0; i < types->n_files; i++) {
		struct host_die definition, alias, end;
		char declared[HOST_TAG_BYTES];
		if (!host_dwarf_mentions(types->files[i], name) ||
		    !host_dwarf_find(types->files[i], name, &definition, &alias))
			continue;
		if (definition.file && host_dwarf_is_named(&definition, name)) {
			*ret = definition;
			return true;
		}
		if (!alias.file || !host_dwarf_is_named(&alias, name) || !host_dwarf_resolve(&alias, &end, declared))
			continue;
		if (!*declared) {
			*ret = end;
			return true;
		}
		if (depth < DECLARED_MAX && find_complete(types, declared, depth + 1, ret))
			return true;
	}
	return false;
}

const struct host_type *host_types_find(struct host_types *types, const char *name)
{
	for (struct host_type *type = types->found; type; type = type->next)
		if (!strcmp(type->name, name))
			return type->known ? type : NULL;
	if (types->target && !types->opened)
		open_modules(types);
	struct host_type *type = calloc(1, sizeof(*type));
	if (!type || !(type->name = strdup(name))) {
		free(type);
		return NULL;
	}
	type->next = types->found;
	types->found = type;
	type->bytes = -1;
	uint64_t bytes;
	if (*name && find_complete(types, name, 0, &type->die)) {
		type->known = true;
		if (host_dwarf_bytes(&type->die, &bytes) && bytes <= INT64_MAX)
			type->bytes = (int64_t)bytes;
	}
	return type->known ? type : NULL;
}

int64_t host_type_bytes(const struct host_type *type)
{
	return type->bytes;
}

bool host_type_member(const struct host_type *type, const char *name, struct host_member *ret)
{
	return host_dwarf_member(&type->die, name, ret);
}

const char *host_type_file(const struct host_type *type)
{
	return host_dwarf_path(type->die.file);
}

size_t host_types_n_files(const struct host_types *types)
{
	return types->n_files;
}
