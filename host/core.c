/* SPDX-License-Identifier: BSD-3-Clause */
#include "core.h"

#include "error.h"

#include "../access/grow.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS_MAX = 1 << 16 };

/* Memory described by the core. bytes is NULL if the core does not contain the contents. */
struct segment {
	uint64_t lo, hi;
	const uint8_t *bytes;
	uint64_t n_bytes;  /* how many of them are in the file */
	uint64_t n_wanted; /* how many should be in the file */
	unsigned prot;
};

struct core_thread {
	pid_t tid;
	const uint8_t *regs;
	size_t regs_bytes;
};

struct host_core {
	struct host_elf *elf;
	struct segment *segments; /* sorted */
	size_t n_segments;
	uint64_t missing, wanted; /* bytes beyond the end of the file; bytes that should be there */
	bool notes_cut;
	struct core_thread *threads;
	size_t n_threads;
	pid_t pid;
	char program[17];
	struct host_note file_note, auxv_note; /* desc NULL: none */
};

/* ---- opening ------------------------------------------------------------------------------------- */

static const char *compression(const uint8_t *b, size_t n)
{
	static const struct {
		const char *name;
		uint8_t magic[6];
		size_t n;
	} known[] = { { "zstd: run unzstd", { 0x28, 0xb5, 0x2f, 0xfd }, 4 },
		      { "gzip: run gunzip", { 0x1f, 0x8b }, 2 },
		      { "xz: run unxz", { 0xfd, '7', 'z', 'X', 'Z', 0 }, 6 },
		      { "lz4: run unlz4", { 0x04, 0x22, 0x4d, 0x18 }, 4 },
		      { "bzip2: run bunzip2", { 'B', 'Z', 'h' }, 3 } };

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (n >= known[i].n && memcmp(b, known[i].magic, known[i].n) == 0)
			return known[i].name;
	return NULL;
}

static enum host_errc error_not_elf(const char *path, struct host_error *err)
{
	uint8_t head[64];
	ssize_t n = -1;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd >= 0) {
		n = read(fd, head, sizeof(head));
		close(fd);
	}
	if (n == 0)
		return host_error_set(err, HOST_UNREADABLE,
				      "%s: is empty, not a core: was the disk full, or ulimit -c 0?", path);
	const char *how = n > 0 ? compression(head, (size_t)n) : NULL;
	if (how)
		return host_error_set(err, HOST_UNREADABLE, "%s: is compressed with %s it first", path, how);
	if (n >= 4 && memcmp(head, ELFMAG, SELFMAG) == 0)
		return host_error_set(err, HOST_UNREADABLE,
				      "%s: starts as an ELF file, but its header is invalid: is it cut off?", path);
	return host_error_set(err, HOST_UNREADABLE, "%s: is not a core (no ELF file)", path);
}

static enum host_errc error_not_core(const char *path, const struct host_elf *e, struct host_error *err)
{
	bool program = e->type == ET_EXEC, library = strstr(path, ".so") != NULL;

	/* libc.so.6 has a program interpreter, too, because it can be executed */
	for (size_t i = 0; i < e->n_phdrs; i++)
		program |= e->phdrs[i].type == PT_INTERP && !library;
	if (program)
		return host_error_set(err, HOST_UNREADABLE, "%s: is an executable, not a core: did you mean -e?", path);
	return host_error_set(err, HOST_UNREADABLE, "%s: is %s, not a core", path,
			      e->type == ET_DYN   ? "a shared object"
			      : e->type == ET_REL ? "an object file"
						  : "an ELF file of another kind");
}

static int by_address(const void *a, const void *b)
{
	const struct segment *x = a, *y = b;

	return x->lo < y->lo ? -1 : x->lo > y->lo;
}

static bool find_segments(struct host_core *c)
{
	const struct host_elf *e = c->elf;

	c->segments = calloc(e->n_phdrs ? e->n_phdrs : 1, sizeof(*c->segments));
	if (!c->segments)
		return false;
	for (size_t i = 0; i < e->n_phdrs; i++) {
		const struct host_phdr *p = &e->phdrs[i];
		uint64_t wanted, n = p->file_bytes, there = p->offset < e->n ? e->n - p->offset : 0;
		if (p->type != PT_LOAD || p->vaddr + p->mem_bytes < p->vaddr || p->mem_bytes == 0)
			continue;
		if (n > p->mem_bytes)
			n = p->mem_bytes;
		wanted = n;
		c->wanted += n;
		if (n > there) {
			c->missing += n - there;
			n = there;
		}
		c->segments[c->n_segments++] = (struct segment){ .lo = p->vaddr,
								 .hi = p->vaddr + p->mem_bytes,
								 .bytes = n ? e->bytes + p->offset : NULL,
								 .n_bytes = n,
								 .n_wanted = wanted,
								 .prot = (p->flags & PF_R ? HOST_MAP_READ : 0) |
									 (p->flags & PF_W ? HOST_MAP_WRITE : 0) |
									 (p->flags & PF_X ? HOST_MAP_EXEC : 0) };
	}
	qsort(c->segments, c->n_segments, sizeof(*c->segments), by_address);
	return true;
}

/* elf_prstatus: siginfo (12), cursig (2), padding, two masks (long), pid ...; registers after four times. */
static void take_prstatus(struct host_core *c, const struct host_note *note)
{
	size_t pid_at = c->elf->word_bytes == 8 ? 32 : 24, regs_at = c->elf->word_bytes == 8 ? 112 : 72;

	if (note->desc_bytes <= regs_at || c->n_threads >= THREADS_MAX)
		return;
	if (!ACC_GROW(c->threads, c->n_threads))
		return;
	size_t n = note->desc_bytes - regs_at;
	c->threads[c->n_threads++] = (struct core_thread){
		.tid = (pid_t)host_decode_u(note->desc + pid_at, 4, c->elf->big_endian),
		.regs = note->desc + regs_at,
		.regs_bytes = n < HOST_REGS_BYTES ? n : HOST_REGS_BYTES,
	};
}

/* elf_prpsinfo: four bytes, flag (long), uid and gid (2 or 4 bytes each), pid, ppid, pgrp, sid,
 * name (16), arguments. */
static void take_prpsinfo(struct host_core *c, const struct host_note *note)
{
	size_t pid_at = c->elf->word_bytes == 8 ? 24 : note->desc_bytes >= 128 ? 16 : 12;

	if (note->desc_bytes < pid_at + 32)
		return;
	c->pid = (pid_t)host_decode_u(note->desc + pid_at, 4, c->elf->big_endian);
	memcpy(c->program, note->desc + pid_at + 16, 16);
}

static void take_notes(struct host_core *c)
{
	const struct host_elf *e = c->elf;

	for (size_t i = 0; i < e->n_phdrs; i++) {
		const struct host_phdr *p = &e->phdrs[i];
		if (p->type != PT_NOTE)
			continue;
		uint64_t n = p->offset < e->n ? e->n - p->offset : 0;
		if (p->file_bytes > n)
			c->notes_cut = true;
		else
			n = p->file_bytes;
		struct host_note note;
		for (size_t pos = 0;
		     n && host_note_next(e->bytes + p->offset, (size_t)n, e->big_endian, 4, &pos, &note);) {
			if (note.name_bytes < 4 || memcmp(note.name, "CORE", 4) != 0)
				continue;
			if (note.type == NT_PRSTATUS)
				take_prstatus(c, &note);
			else if (note.type == NT_PRPSINFO)
				take_prpsinfo(c, &note);
			else if (note.type == NT_AUXV)
				c->auxv_note = note;
			else if (note.type == NT_FILE)
				c->file_note = note;
		}
	}
}

enum host_errc host_core_open(const char *path, struct host_core **ret, struct host_error *err)
{
	struct host_elf *e = NULL;

	switch (host_elf_open(path, &e)) {
	case HOST_ELF_OK:
		break;
	case HOST_ELF_ENOENT:
		return host_error_set(err, errno == EACCES || errno == EPERM ? HOST_DENIED : HOST_ABSENT, "%s: %s",
				      path, strerror(errno));
	default:
		return error_not_elf(path, err);
	}
	if (e->type != ET_CORE) {
		enum host_errc rc = error_not_core(path, e, err);
		host_elf_close(e);
		return rc;
	}
	struct host_core *c = calloc(1, sizeof(*c));
	if (!c) {
		host_elf_close(e);
		return host_error_set(err, HOST_UNREADABLE, "%s: out of memory", path);
	}
	c->elf = e;
	if (!find_segments(c)) {
		host_core_close(c);
		return host_error_set(err, HOST_UNREADABLE, "%s: out of memory", path);
	}
	take_notes(c);
	if (c->n_segments == 0) {
		host_core_close(c);
		return host_error_set(err, HOST_UNREADABLE, "%s: is a core without any memory in it: is it cut off?",
				      path);
	}
	*ret = c;
	return HOST_OK;
}

void host_core_close(struct host_core *c)
{
	if (!c)
		return;
	free(c->segments);
	free(c->threads);
	host_elf_close(c->elf);
	free(c);
}

/* ---- what it says -------------------------------------------------------------------------------- */

static const struct segment *find_segment(const struct host_core *c, uint64_t addr)
{
	size_t lo = 0, hi = c->n_segments;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (c->segments[mid].hi <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < c->n_segments && c->segments[lo].lo <= addr ? &c->segments[lo] : NULL;
}

void host_core_describe(struct host_core *c, struct host_target *t)
{
	const struct host_elf *e = c->elf;

	t->word_bytes = e->word_bytes;
	t->big_endian = e->big_endian;
	t->machine = e->machine;
	t->pid = c->pid ? c->pid : c->n_threads ? c->threads[0].tid : 0;
	t->truncated = c->missing || c->notes_cut;
	if (c->missing)
		host_warn(t, "core is truncated: %.1f of %.1f MB of memory are missing%s", (double)c->missing / 1e6,
			  (double)c->wanted / 1e6, c->notes_cut ? ", and notes too" : "");
	else if (c->notes_cut)
		host_warn(t, "core is truncated: notes are cut off");
	if (c->auxv_note.desc) {
		t->auxv = malloc(c->auxv_note.desc_bytes ? c->auxv_note.desc_bytes : 1);
		if (t->auxv) {
			memcpy(t->auxv, c->auxv_note.desc, c->auxv_note.desc_bytes);
			t->auxv_bytes = c->auxv_note.desc_bytes;
		}
	}
	if (!c->file_note.desc || !host_maps_from_note(&c->file_note, t->word_bytes, t->big_endian, &t->maps)) {
		host_warn(t, "core has no list of mapped files (NT_FILE)");
		return;
	}
	for (size_t i = 0; i < t->maps.n; i++) {
		const struct segment *s = find_segment(c, t->maps.v[i].lo);
		if (s)
			t->maps.v[i].prot = s->prot;
	}
	/* The vdso is not a file; the kernel passes its address to the program. */
	uint64_t vdso;
	const struct segment *s = host_auxv(t, AT_SYSINFO_EHDR, &vdso) ? find_segment(c, vdso) : NULL;
	if (s && s->lo == vdso && s->bytes)
		host_maps_add(&t->maps,
			      &(struct host_map){ .lo = s->lo, .hi = s->hi, .prot = s->prot, .path = "[vdso]" });
}

const char *host_core_program(const struct host_core *c)
{
	return c->program;
}

/* ---- reading ------------------------------------------------------------------------------------- */

/* A page that is not in the core because it was not modified has the contents of the file. */
static size_t read_from_file(struct host_target *t, uint64_t addr, size_t n, void *ret)
{
	const struct host_map *map = host_maps_find(&t->maps, addr);
	const struct host_module *m = map ? host_module_of(t, addr) : NULL;

	if (!m || !m->elf || m->from_memory)
		return 0;
	uint64_t offset = map->offset + (addr - map->lo);
	if (n > map->hi - addr)
		n = (size_t)(map->hi - addr);
	if (offset >= m->elf->n)
		return 0;
	if (n > m->elf->n - offset)
		n = (size_t)(m->elf->n - offset);
	memcpy(ret, m->elf->bytes + offset, n);
	return n;
}

size_t host_core_read(struct host_core *c, struct host_target *t, uint64_t addr, size_t n, void *ret)
{
	size_t done = 0;

	while (done < n) {
		uint64_t at = addr + done;
		const struct segment *s = find_segment(c, at);
		size_t got = n - done;
		if (s && at - s->lo < s->n_bytes) {
			if (got > s->n_bytes - (at - s->lo))
				got = (size_t)(s->n_bytes - (at - s->lo));
			memcpy((char *)ret + done, s->bytes + (at - s->lo), got);
		} else if (s && at - s->lo < s->n_wanted && s->prot & HOST_MAP_WRITE) {
			break; /* truncated: the program may have modified the page */
		} else {
			/* only up to the next segment, which may have newer contents */
			if (s && got > s->hi - at)
				got = (size_t)(s->hi - at);
			got = read_from_file(t, at, got, (char *)ret + done);
		}
		if (got == 0)
			break;
		done += got;
	}
	return done;
}

bool host_core_segment(const struct host_core *c, size_t i, uint64_t *lo, uint64_t *hi)
{
	if (i >= c->n_segments)
		return false;
	*lo = c->segments[i].lo;
	*hi = c->segments[i].hi;
	return true;
}

bool host_core_thread(const struct host_core *c, size_t i, pid_t *tid)
{
	if (i >= c->n_threads)
		return false;
	*tid = c->threads[i].tid;
	return true;
}

void host_core_regs(const struct host_core *c, size_t i, struct host_regs *ret)
{
	ret->n = 0;
	if (i >= c->n_threads)
		return;
	memcpy(ret->bytes, c->threads[i].regs, c->threads[i].regs_bytes);
	ret->n = c->threads[i].regs_bytes;
}
