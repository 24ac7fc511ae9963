/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cores that do not list the mapped files: truncated cores of gcore, which writes its notes last, and old ones. The
 * executable is located in memory by its build-id (its name, if not given with -e, is read from the top of the stack,
 * where the kernel put it), the shared objects through the link map.
 */
#include "core.h"
#include "image.h"
#include "target.h"

#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The mappings that the loader makes of a file. */
static void add_maps(struct host_target *t, const struct host_elf *e, uint64_t bias, const char *path)
{
	uint64_t page = t->page_bytes;

	for (size_t i = 0; i < e->n_phdrs; i++) {
		const struct host_phdr *p = &e->phdrs[i];
		if (p->type != PT_LOAD || p->file_bytes == 0)
			continue;
		uint64_t lo = bias + p->vaddr, hi = lo + p->file_bytes;
		struct host_map m = { .lo = lo - lo % page,
				      .hi = hi + (page - hi % page) % page,
				      .offset = p->offset - p->offset % page,
				      .prot = (p->flags & PF_R ? HOST_MAP_READ : 0) |
					      (p->flags & PF_W ? HOST_MAP_WRITE : 0) |
					      (p->flags & PF_X ? HOST_MAP_EXEC : 0),
				      .path = path };
		if (m.lo < m.hi)
			host_maps_add(&t->maps, &m);
	}
}

/*
 * The bias by what the kernel told the program: the addresses of its program headers and of its entry point, which must
 * agree, and their number. For cores without pages that were not modified, in which no build-id is.
 */
static bool bias_by_auxv(struct host_target *t, const struct host_elf *e, uint64_t *bias)
{
	uint64_t phdr, n_phdrs, entry;

	if (!host_auxv(t, AT_PHDR, &phdr) || !host_auxv(t, AT_PHNUM, &n_phdrs) || !host_auxv(t, AT_ENTRY, &entry) ||
	    n_phdrs != e->n_phdrs)
		return false;
	for (size_t i = 0; i < e->n_phdrs; i++)
		if (e->phdrs[i].type == PT_PHDR) {
			*bias = phdr - e->phdrs[i].vaddr;
			return entry - *bias == e->entry;
		}
	return false;
}

/* Find the executable: at its fixed address, where its build-id is in memory, or by the auxiliary vector. */
static bool find_executable(struct host_target *t, const struct host_elf *e, uint64_t *bias)
{
	struct host_build_id file, memory;
	uint64_t at, end, first = host_elf_first_vaddr(e);

	if (first == UINT64_MAX)
		return false;
	if (e->type == ET_EXEC) {
		*bias = 0;
		return true;
	}
	host_elf_build_id(e, &file);
	for (size_t i = 0; file.n && host_core_segment(t->core, i, &at, &end); i++) {
		host_image_build_id(t, at, &memory);
		if (!host_build_id_equal(&file, &memory))
			continue;
		*bias = at - first;
		return true;
	}
	if (!bias_by_auxv(t, e, bias))
		return false;
	host_image_build_id(t, *bias + first, &memory);
	return !memory.n; /* otherwise it is another build */
}

/* ---- its name ------------------------------------------------------------------------------------ */

/* Layout of the strings at the top of a stack: arguments, environment, the name of the program, a zero word. */
enum { TEXTS_BYTES = 64 << 10 };

/* The value of PWD in a list of NUL-terminated strings; NULL: not in the list. */
static const char *folder_in(const char *texts, const char *end)
{
	static const char name[] = "PWD=";

	for (const char *text = texts; text < end; text += strlen(text) + 1)
		if (strncmp(text, name, sizeof(name) - 1) == 0)
			return text + sizeof(name) - 1;
	return NULL;
}

/*
 * Get the name of the program if these @p n bytes are the end of a stack: the last word must be zero.
 * @return false: they are not
 */
static bool name_in(const char *texts, size_t n, unsigned word, char ret[PATH_MAX])
{
	static const char zeros[8];

	if (n < 2 * word || memcmp(texts + n - word, zeros, word) != 0 || texts[n - word - 1] || !texts[n - word - 2])
		return false;
	const char *name = texts + n - word - 1;
	while (name > texts && name[-1])
		name--;
	if (name == texts)
		return false;
	if (name[0] == '/')
		return snprintf(ret, PATH_MAX, "%s", name) < PATH_MAX;
	const char *folder = folder_in(texts, name);
	return folder && folder[0] == '/' && strchr(name, '/') &&
	       snprintf(ret, PATH_MAX, "%s/%s", folder, name) < PATH_MAX;
}

/* Does the core belong to the program in this file? Compares build-ids. */
static bool is_program_of(struct host_target *t, const char *path)
{
	struct host_build_id id = { .n = 0 };
	struct host_elf *e = NULL;
	uint64_t bias;

	if (host_elf_open(path, &e) != HOST_ELF_OK)
		return false;
	bool is = (e->type == ET_EXEC || e->type == ET_DYN) && e->word_bytes == t->word_bytes &&
		  e->big_endian == t->big_endian && find_executable(t, e, &bias);
	host_elf_build_id(e, &id);
	if (is && e->type == ET_EXEC) {
		struct host_build_id memory;
		host_image_build_id(t, host_elf_first_vaddr(e), &memory);
		is = host_build_id_equal(&id, &memory);
	}
	host_elf_close(e);
	return is && id.n;
}

/* @return malloc'ed; NULL: no stack, no such file, or the file has been replaced */
static char *find_program(struct host_target *t)
{
	char *texts = malloc(TEXTS_BYTES), path[PATH_MAX], here[PATH_MAX];
	uint64_t lo, hi;
	bool found = false;

	for (size_t i = 0; texts && !found && host_core_segment(t->core, i, &lo, &hi); i++) {
		size_t n = hi - lo < TEXTS_BYTES ? (size_t)(hi - lo) : TEXTS_BYTES;
		found = host_read(t, hi - n, n, texts) && name_in(texts, n, t->word_bytes, path) &&
			((host_path_here(t, path, here) && is_program_of(t, here)) ||
			 (t->sysroot && snprintf(here, sizeof(here), "%s", path) && is_program_of(t, here)));
	}
	free(texts);
	return found ? strdup(here) : NULL;
}

/* ---- all of it ----------------------------------------------------------------------------------- */

static bool read_path(struct host_target *t, uint64_t addr, char *ret, size_t size)
{
	for (size_t n = 0; n < size && host_read(t, addr + n, 1, ret + n); n++)
		if (!ret[n])
			return n > 0;
	return false;
}

static void add_shared_object(struct host_target *t, const struct host_link_map *link)
{
	char path[PATH_MAX], here[PATH_MAX];
	struct host_elf *e = NULL;

	if (!read_path(t, link->name_addr, path, sizeof(path)) || path[0] != '/')
		return; /* the executable and the vdso have no name here */
	if (!host_path_here(t, path, here) || host_elf_open(here, &e) != HOST_ELF_OK)
		e = host_image_read(t, link->bias);
	if (!e) {
		host_warn(t, "%s: not found, and not in the core", path);
		return;
	}
	if (e->word_bytes == t->word_bytes && e->big_endian == t->big_endian)
		add_maps(t, e, link->bias, path);
	host_elf_close(e);
}

void host_core_find_maps(struct host_target *t)
{
	struct host_elf *e = NULL;
	uint64_t bias, at;

	if (!t->exe_override)
		t->exe_override = find_program(t);
	if (!t->exe_override) {
		host_warn(t, "its program is not found in what is there: name it with -e");
		return;
	}
	if (host_elf_open(t->exe_override, &e) != HOST_ELF_OK)
		return;
	bool found = e->word_bytes == t->word_bytes && e->big_endian == t->big_endian && find_executable(t, e, &bias);
	if (found)
		add_maps(t, e, bias, t->exe_override);
	host_elf_close(e);
	if (!found) {
		host_warn(t, "%s: is not found in the core: it is another program, or another build", t->exe_override);
		return;
	}
	host_modules_update(t);
	struct host_link_map link;
	bool more = host_link_map_first(t, &at);
	for (size_t n = 0; more && n < HOST_LINK_MAP_MAX && host_link_map_read(t, at, &link); n++) {
		add_shared_object(t, &link);
		at = link.next;
		more = at != 0;
	}
	host_modules_update(t);
}
