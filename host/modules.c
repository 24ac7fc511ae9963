/* SPDX-License-Identifier: BSD-3-Clause */
#include "modules.h"

#include "elf_file.h"
#include "image.h"
#include "shared_file.h"
#include "target.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MODULES_MAX = 16384 };

static void module_destroy(struct host_module *m)
{
	if (!m)
		return;
	host_shared_file_release(m->shared);
	free(m->file);
	free(m->path);
	free(m);
}

void host_modules_deinit(struct host_target *t)
{
	for (size_t i = 0; i < t->n_modules; i++)
		module_destroy(t->modules[i]);
	free(t->modules);
	t->modules = NULL;
	t->n_modules = 0;
}

bool host_module_is_mpi2dd(const struct host_module *m)
{
	static const char prefix[] = "libmpi2dd-";

	return !m->executable && !strncmp(basename(m->path), prefix, sizeof(prefix) - 1);
}

/* Is it a library of the system, of a compiler, of MPI or of
 * what MPI is built on? Others may be part of the application. */
static bool is_system_library(const struct host_module *m)
{
	static const char *const names[] = { "ld-",       "ld64",        "libc.",       "libc-",      "libm.",
					     "libm-",     "libpthread",  "libdl",       "librt",      "libgcc_s",
					     "libstdc++", "libgfortran", "libquadmath", "libgomp",    "libomp",
					     "libiomp",   "libpython",   "python",      "libmpi",     "libpmpi",
					     "libompi",   "libopen-",    "libopen_mpi", "mca_",       "libmca_",
					     "libpmix",   "libpmi",      "libprrte",    "libucp",     "libucs",
					     "libuct",    "libucm",      "libfabric",   "libevent",   "libhwloc",
					     "libpsm",    "libib",       "libmlx",      "librdmacm",  "libnuma",
					     "libnl-",    "libz.",       "libcrypto",   "libssl",     "libudev",
					     "libutil",   "libcap",      "libmpidbg",   "linux-vdso", "[vdso]" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strncmp(basename(m->path), names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

bool host_module_is_application(const struct host_module *m)
{
	return m->executable || (m->path[0] == '/' && !is_system_library(m) && !host_module_is_mpi2dd(m));
}

/* ---- grouping of mappings ------------------------------------------------------------------------ */

/* Consecutive mappings of one file. */
struct group {
	const struct host_map *first;
	uint64_t lo, hi;
	bool exec;
};

static bool is_file(const struct host_map *m)
{
	return m->path[0] == '/' && strncmp(m->path, "/dev/", 5) != 0 && strncmp(m->path, "/SYSV", 5) != 0 &&
	       strncmp(m->path, "/memfd:", 7) != 0;
}

/* a file mapped twice (dlmopen) starts again at offset 0 */
static bool continues(const struct group *g, const struct host_map *m)
{
	return strcmp(g->first->path, m->path) == 0 && g->first->inode == m->inode && m->offset != 0;
}

static size_t group_maps(const struct host_maps *maps, struct group *ret)
{
	size_t n = 0;

	for (size_t i = 0; i < maps->n && n < MODULES_MAX; i++) {
		const struct host_map *m = &maps->v[i];
		bool vdso = strcmp(m->path, "[vdso]") == 0;
		if (!vdso && !is_file(m))
			continue;
		if (n == 0 || !continues(&ret[n - 1], m))
			ret[n++] = (struct group){ .first = m, .lo = m->lo, .hi = m->hi };
		struct group *g = &ret[n - 1];
		g->hi = m->hi;
		g->exec |= (m->prot & (HOST_MAP_EXEC | HOST_MAP_UNKNOWN)) != 0;
	}
	return n;
}

/* ---- one module's file --------------------------------------------------------------------------- */

enum proof {
	PROOF_NEEDED, /* only a file with the build-id in memory */
	PROOF_IF_ANY  /* also a file about which a core says nothing */
};

/* Is this the file that the target has mapped? It has the same inode, or the build-id in memory. */
static bool is_the_mapped_file(struct host_target *t, const struct host_module *m, const struct host_elf *e,
			       uint64_t inode, enum proof proof)
{
	if (m->inode && inode == m->inode)
		return true;
	if (e->word_bytes != t->word_bytes || e->big_endian != t->big_endian || e->machine != t->machine)
		return false;

	struct host_build_id file, memory;
	host_elf_build_id(e, &file);
	memory.n = 0;
	if (m->header_lo != UINT64_MAX)
		host_image_build_id(t, m->header_lo, &memory);
	if (memory.n)
		return host_build_id_equal(&file, &memory);
	return t->core && proof == PROOF_IF_ANY; /* nothing in the core contradicts it */
}

/* @return 0: accepted; errno; ESTALE: another build. */
static int try_file(struct host_target *t, struct host_module *m, const char *path, enum proof proof)
{
	struct host_shared_file *f = NULL;
	int rc = host_shared_file_open(path, &f);

	if (rc)
		return rc;
	m->file = is_the_mapped_file(t, m, f->elf, f->inode, proof) ? strdup(path) : NULL;
	if (!m->file) {
		rc = is_the_mapped_file(t, m, f->elf, f->inode, proof) ? ENOMEM : ESTALE;
		host_shared_file_release(f);
		return rc;
	}
	m->shared = f;
	m->elf = f->elf;
	return 0;
}

/* In the folder of --sysroot first. A file at the same path of this machine may be another one. */
static int find_file_of_core(struct host_target *t, struct host_module *m)
{
	char path[PATH_MAX];

	if (!t->sysroot)
		return try_file(t, m, m->path, PROOF_IF_ANY);
	int rc = host_path_here(t, m->path, path) ? try_file(t, m, path, PROOF_IF_ANY) : ENAMETOOLONG;
	return rc == ENOENT && try_file(t, m, m->path, PROOF_NEEDED) == 0 ? 0 : rc;
}

static int find_file(struct host_target *t, struct host_module *m, const struct host_map *first)
{
	char path[PATH_MAX + 64];
	int rc;

	if (m->executable && t->exe_override)
		return try_file(t, m, t->exe_override, PROOF_IF_ANY);
	if (t->core)
		return find_file_of_core(t, m);
	/* try the plain path if it is the same file; through the process's root (container); by inode */
	rc = first->deleted ? ESTALE : try_file(t, m, m->path, PROOF_IF_ANY);
	if (rc == 0 || rc == ENOEXEC)
		return rc;
	snprintf(path, sizeof(path), "/proc/%d/root%s", (int)t->pid, m->path);
	if (!first->deleted && try_file(t, m, path, PROOF_IF_ANY) == 0)
		return 0;
	snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, (int)t->pid, first->lo, first->hi);
	if (try_file(t, m, path, PROOF_IF_ANY) == 0)
		return 0;
	snprintf(path, sizeof(path), "/proc/%d/exe", (int)t->pid);
	return m->executable && try_file(t, m, path, PROOF_IF_ANY) == 0 ? 0 : rc;
}

static void warn_no_file(struct host_target *t, const struct host_module *m, int cause)
{
	const char *name = m->executable && t->exe_override ? t->exe_override : m->path;

	if (cause == ESTALE && t->core)
		host_warn(t, "%s: build-id differs from the core's: it is another build and is not used", name);
	else if (cause == ESTALE)
		host_warn(t,
			  "%s: the file was replaced or deleted since the program started: its own memory is read "
			  "instead",
			  name);
	else
		host_warn(t, "%s: %s", name, cause == ENOEXEC ? "not an ELF file" : strerror(cause));
}

/* Bias by the first mapping: the PT_LOAD that starts in the same page of the file. */
static bool find_bias(const struct host_target *t, struct host_module *m, const struct host_map *first)
{
	uint64_t page = t->page_bytes;

	for (size_t i = 0; i < m->elf->n_phdrs; i++) {
		const struct host_phdr *p = &m->elf->phdrs[i];
		if (p->type != PT_LOAD || p->offset - p->offset % page != first->offset)
			continue;
		m->bias = first->lo - (p->vaddr - p->vaddr % page);
		/* a program with a fixed address, mapped elsewhere, was only read as data */
		return m->elf->type != ET_EXEC || m->bias == 0;
	}
	return false;
}

/* Use what can be read of the module's file in the target's memory. */
static void take_image(struct host_target *t, struct host_module *m, uint64_t at)
{
	m->shared = host_shared_file_from_memory(host_image_read(t, at));
	m->elf = m->shared ? m->shared->elf : NULL;
}

static struct host_module *module_create(struct host_target *t, const struct group *g, bool executable)
{
	const struct host_map *first = g->first;
	struct host_module *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	*m = (struct host_module){ .lo = g->lo,
				   .hi = g->hi,
				   .executable = executable,
				   .header_lo = first->offset == 0 ? first->lo : UINT64_MAX,
				   .dev = first->dev,
				   .inode = first->inode };
	m->path = strdup(first->path);
	if (!m->path)
		goto none;
	if (m->path[0] == '[') {
		take_image(t, m, m->lo);
		m->from_memory = true;
	} else {
		int cause = find_file(t, m, first);
		if (cause == ENOEXEC && !executable)
			goto none; /* data that happens to be mapped executable */
		if (cause && m->header_lo != UINT64_MAX) {
			take_image(t, m, m->header_lo);
			m->from_memory = m->elf != NULL;
		}
		/* shared memory and other data deleted with the job is not reported */
		if (cause == ENOENT && !m->elf && !executable && !strstr(m->path, ".so"))
			goto none;
		if (cause)
			warn_no_file(t, m, cause);
	}
	if (m->elf && !find_bias(t, m, first)) {
		if (!executable)
			goto none;
		host_shared_file_release(m->shared);
		m->shared = NULL;
		m->elf = NULL;
	}
	/* .bss follows the last mapping of the file. */
	for (size_t i = 0; m->elf && i < m->elf->n_phdrs; i++) {
		const struct host_phdr *p = &m->elf->phdrs[i];
		uint64_t end = p->vaddr + p->mem_bytes + m->bias;
		if (p->type == PT_LOAD && end > m->hi && end - m->lo < (UINT64_C(1) << 40))
			m->hi = end;
	}
	if (m->elf && m->from_memory)
		m->shared->symbols = host_symbols_create(m->elf, HOST_SYMBOLS_DYNAMIC, m->bias);
	return m;
none:
	module_destroy(m);
	return NULL;
}

/* ---- scope order --------------------------------------------------------------------------------- */

static uint64_t dynamic_value(struct host_target *t, const struct host_module *m, uint64_t tag)
{
	enum { ENTRIES_MAX = 1024, TOGETHER = 32 };
	const unsigned w = t->word_bytes;
	uint8_t entries[TOGETHER * 2 * sizeof(uint64_t)];

	for (size_t i = 0; m->elf && i < m->elf->n_phdrs; i++) {
		const struct host_phdr *p = &m->elf->phdrs[i];
		if (p->type != PT_DYNAMIC)
			continue;
		uint64_t n = p->mem_bytes / (2 * w) < ENTRIES_MAX ? p->mem_bytes / (2 * w) : ENTRIES_MAX;
		for (uint64_t k = 0; k < n; k++) {
			uint64_t rest = n - k < TOGETHER ? n - k : TOGETHER, at = m->bias + p->vaddr + k * 2 * w;
			const uint8_t *entry = entries + (k % TOGETHER) * 2 * w;
			if (k % TOGETHER == 0 && !host_read(t, at, rest * 2 * w, entries))
				return 0;
			uint64_t there = host_decode_u(entry, w, t->big_endian);
			if (there == tag)
				return host_decode_u(entry + w, w, t->big_endian);
			if (there == DT_NULL)
				return 0;
		}
	}
	return 0;
}

/* Find r_debug of the dynamic linker: through the executable's DT_DEBUG, or else the linker's symbol. */
static uint64_t find_r_debug(struct host_target *t)
{
	for (size_t i = 0; i < t->n_modules; i++)
		if (t->modules[i]->executable) {
			uint64_t at = dynamic_value(t, t->modules[i], DT_DEBUG);
			if (at)
				return at;
		}
	for (size_t i = 0; i < t->n_modules; i++) {
		struct host_symbol_info info;
		if (strncmp(basename(t->modules[i]->path), "ld", 2) == 0 &&
		    host_symbols_by_name(t->modules[i]->shared ? t->modules[i]->shared->symbols : NULL, "_r_debug",
					 HOST_SCOPE_GLOBAL, &info))
			return info.value + t->modules[i]->bias;
	}
	return 0;
}

bool host_link_map_first(struct host_target *t, uint64_t *ret)
{
	uint64_t r_debug = find_r_debug(t);

	return r_debug && host_read_ptr(t, r_debug + t->word_bytes, ret) && *ret;
}

bool host_link_map_read(struct host_target *t, uint64_t at, struct host_link_map *ret)
{
	const unsigned w = t->word_bytes;
	uint8_t words[4 * sizeof(uint64_t)];

	if (!host_read(t, at, 4 * (size_t)w, words))
		return false;
	*ret = (struct host_link_map){ .bias = host_decode_u(words, w, t->big_endian),
				       .name_addr = host_decode_u(words + w, w, t->big_endian),
				       .dynamic = host_decode_u(words + 2 * w, w, t->big_endian),
				       .next = host_decode_u(words + 3 * w, w, t->big_endian) };
	return true;
}

/* Sort the modules in the order of the link map. */
static void order_by_link_map(struct host_target *t)
{
	struct host_link_map link;
	uint64_t map;
	size_t placed = 0;

	if (!host_link_map_first(t, &map))
		map = 0;
	for (size_t n = 0; map && n < HOST_LINK_MAP_MAX && host_link_map_read(t, map, &link); n++) {
		for (size_t i = placed; i < t->n_modules; i++) {
			struct host_module *m = t->modules[i];
			if (link.dynamic < m->lo || link.dynamic >= m->hi)
				continue;
			memmove(&t->modules[placed + 1], &t->modules[placed], (i - placed) * sizeof(*t->modules));
			t->modules[placed++] = m;
			break;
		}
		map = link.next;
	}
	/* the executable comes first, whatever the list says */
	for (size_t i = 1; i < t->n_modules; i++) {
		struct host_module *m = t->modules[i];
		if (!m->executable)
			continue;
		memmove(&t->modules[1], &t->modules[0], i * sizeof(*t->modules));
		t->modules[0] = m;
	}
}

/* ---- the list ------------------------------------------------------------------------------------ */

static bool is_same(const struct host_module *m, const struct group *g)
{
	return m->lo == g->lo && m->inode == g->first->inode && m->dev == g->first->dev &&
	       strcmp(m->path, g->first->path) == 0;
}

/* The executable is the module that contains the program headers, whose address the kernel passed to the program. */
static bool is_executable(const struct host_target *t, const struct group *g)
{
	uint64_t at;

	if (!host_auxv(t, AT_PHDR, &at) && !host_auxv(t, AT_ENTRY, &at))
		return t->exe_override && strcmp(g->first->path, t->exe_override) == 0;
	return at >= g->lo && at < g->hi && g->first->path[0] == '/';
}

void host_modules_update(struct host_target *t)
{
	struct group *groups = calloc(t->maps.n ? t->maps.n : 1, sizeof(*groups));
	size_t n = groups ? group_maps(&t->maps, groups) : 0, n_new = 0;
	struct host_module **list = calloc(n ? n : 1, sizeof(struct host_module *));
	bool changed = false;

	if (!groups || !list) {
		free(groups);
		free(list);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		struct host_module *m = NULL;
		if (!groups[i].exec)
			continue;
		for (size_t k = 0; k < t->n_modules && !m; k++)
			if (!t->modules[k]->kept && is_same(t->modules[k], &groups[i]))
				m = t->modules[k];
		if (!m) {
			m = module_create(t, &groups[i], is_executable(t, &groups[i]));
			changed = true;
		}
		if (!m)
			continue;
		m->kept = true;
		list[n_new++] = m;
	}
	free(groups);
	if (!changed && n_new == t->n_modules) {
		for (size_t k = 0; k < n_new; k++)
			list[k]->kept = false;
		free(list);
		return;
	}
	for (size_t k = 0; k < t->n_modules; k++)
		if (!t->modules[k]->kept)
			module_destroy(t->modules[k]);
	for (size_t k = 0; k < n_new; k++)
		list[k]->kept = false;
	free(t->modules);
	t->modules = list;
	t->n_modules = n_new;
	t->generation++;
	order_by_link_map(t);
}

void host_modules_prepare(struct host_target *t)
{
	for (size_t i = 0; i < t->n_modules; i++)
		host_module_prepare(t->modules[i]);
}

struct host_module *host_module_at(struct host_target *t, size_t i)
{
	return i < t->n_modules ? t->modules[i] : NULL;
}

struct host_module *host_module_of(struct host_target *t, uint64_t addr)
{
	for (size_t i = 0; i < t->n_modules; i++)
		if (addr >= t->modules[i]->lo && addr < t->modules[i]->hi)
			return t->modules[i];
	return NULL;
}

const char *host_module(struct host_target *t, const char *prefix)
{
	for (size_t i = 0; i < t->n_modules; i++)
		if (strncmp(basename(t->modules[i]->path), prefix, strlen(prefix)) == 0)
			return t->modules[i]->path;
	return NULL;
}

bool host_may_be_shared(struct host_target *t, uint64_t addr)
{
	const struct host_map *map = host_maps_find(&t->maps, addr);

	return !host_module_of(t, addr) && (!map || map->path[0] == '/');
}
