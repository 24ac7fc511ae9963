/* SPDX-License-Identifier: BSD-3-Clause */
#include "elf_file.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

uint64_t host_decode_u(const void *bytes, unsigned width, bool big_endian)
{
	const uint8_t *b = bytes;
	bool swap = big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	uint64_t v = 0;
	uint32_t half;

	/* the widths of almost all fields; symbol tables have a hundred thousand of them */
	if (width == sizeof(v)) {
		memcpy(&v, b, sizeof(v));
		return swap ? __builtin_bswap64(v) : v;
	}
	if (width == sizeof(half)) {
		memcpy(&half, b, sizeof(half));
		return swap ? __builtin_bswap32(half) : half;
	}
	for (unsigned i = 0; i < width; i++)
		v = v << 8 | b[big_endian ? i : width - 1 - i];
	return v;
}

const uint8_t *host_elf_at(const struct host_elf *e, uint64_t offset, uint64_t n)
{
	return offset <= e->n && n <= e->n - offset ? e->bytes + offset : NULL;
}

uint64_t host_elf_u(const struct host_elf *e, uint64_t offset, unsigned width)
{
	const uint8_t *p = host_elf_at(e, offset, width);

	return p ? host_decode_u(p, width, e->big_endian) : 0;
}

const char *host_elf_string(const struct host_elf *e, uint64_t offset)
{
	if (offset >= e->n || !memchr(e->bytes + offset, '\0', e->n - offset))
		return NULL;
	return (const char *)e->bytes + offset;
}

/* Decode program headers: Elf32_Phdr and Elf64_Phdr have the same members in different order. */
static void decode_phdr(const struct host_elf *e, uint64_t at, struct host_phdr *ret)
{
	bool is64 = e->word_bytes == 8;
	unsigned w = e->word_bytes;

	ret->type = (uint32_t)host_elf_u(e, at, 4);
	ret->flags = (uint32_t)host_elf_u(e, at + (is64 ? 4 : 24), 4);
	ret->offset = host_elf_u(e, at + (is64 ? 8 : 4), w);
	ret->vaddr = host_elf_u(e, at + (is64 ? 16 : 8), w);
	ret->file_bytes = host_elf_u(e, at + (is64 ? 32 : 16), w);
	ret->mem_bytes = host_elf_u(e, at + (is64 ? 40 : 20), w);
	ret->align = host_elf_u(e, at + (is64 ? 48 : 28), w);
}

static void decode_shdr(const struct host_elf *e, uint64_t at, struct host_shdr *ret)
{
	bool is64 = e->word_bytes == 8;
	unsigned w = e->word_bytes;

	ret->name = (uint32_t)host_elf_u(e, at, 4);
	ret->type = (uint32_t)host_elf_u(e, at + 4, 4);
	ret->flags = host_elf_u(e, at + 8, w);
	ret->addr = host_elf_u(e, at + (is64 ? 16 : 12), w);
	ret->offset = host_elf_u(e, at + (is64 ? 24 : 16), w);
	ret->bytes = host_elf_u(e, at + (is64 ? 32 : 20), w);
	ret->link = (uint32_t)host_elf_u(e, at + (is64 ? 40 : 24), 4);
	ret->entry_bytes = host_elf_u(e, at + (is64 ? 56 : 36), w);
}

/* Number of headers that lie within the file. Others are ignored: a truncated core is still a core. */
static uint64_t entries_there(const struct host_elf *e, uint64_t offset, uint64_t entry_bytes, uint64_t n, uint64_t cap)
{
	if (entry_bytes == 0 || offset == 0 || offset > e->n)
		return 0;
	uint64_t fit = (e->n - offset) / entry_bytes;

	if (n > fit)
		n = fit;
	return n < cap ? n : cap;
}

static bool decode_headers(struct host_elf *e)
{
	bool is64 = e->word_bytes == 8;
	unsigned w = e->word_bytes;

	if (!host_elf_at(e, 0, is64 ? 64 : 52))
		return false;
	e->type = (uint16_t)host_elf_u(e, 16, 2);
	e->machine = (uint16_t)host_elf_u(e, 18, 2);
	e->entry = host_elf_u(e, 24, w);
	uint64_t phoff = host_elf_u(e, is64 ? 32 : 28, w);
	uint64_t shoff = host_elf_u(e, is64 ? 40 : 32, w);
	uint64_t phentsize = host_elf_u(e, is64 ? 54 : 42, 2);
	uint64_t phnum = host_elf_u(e, is64 ? 56 : 44, 2);
	uint64_t shentsize = host_elf_u(e, is64 ? 58 : 46, 2);
	uint64_t shnum = host_elf_u(e, is64 ? 60 : 48, 2);
	uint64_t shstrndx = host_elf_u(e, is64 ? 62 : 50, 2);
	uint64_t shdr_bytes = is64 ? 64 : 40, phdr_bytes = is64 ? 56 : 32;

	if ((phnum && phentsize != phdr_bytes) || (shnum && shentsize != shdr_bytes))
		return false;
	/* Counts that need more than 16 bits are stored in section header 0. */
	if (shoff && (phnum == PN_XNUM || shnum == 0 || shstrndx == SHN_XINDEX) && host_elf_at(e, shoff, shdr_bytes)) {
		if (phnum == PN_XNUM)
			phnum = host_elf_u(e, shoff + (is64 ? 44 : 28), 4);
		if (shnum == 0)
			shnum = host_elf_u(e, shoff + (is64 ? 32 : 20), w);
		if (shstrndx == SHN_XINDEX)
			shstrndx = host_elf_u(e, shoff + (is64 ? 40 : 24), 4);
	}
	phnum = entries_there(e, phoff, phdr_bytes, phnum, HOST_ELF_PHDRS_MAX);
	shnum = entries_there(e, shoff, shdr_bytes, shnum, HOST_ELF_SHDRS_MAX);
	e->phdrs = calloc(phnum ? phnum : 1, sizeof(*e->phdrs));
	e->shdrs = calloc(shnum ? shnum : 1, sizeof(*e->shdrs));
	if (!e->phdrs || !e->shdrs)
		return false;
	e->n_phdrs = phnum;
	e->n_shdrs = shnum;
	e->names_section = (uint32_t)shstrndx;
	for (size_t i = 0; i < phnum; i++)
		decode_phdr(e, phoff + i * phdr_bytes, &e->phdrs[i]);
	for (size_t i = 0; i < shnum; i++)
		decode_shdr(e, shoff + i * shdr_bytes, &e->shdrs[i]);
	return true;
}

static enum host_elf_rc elf_create(const uint8_t *bytes, size_t n, bool mapped, struct host_elf **ret)
{
	struct host_elf *e = calloc(1, sizeof(*e));
	enum host_elf_rc rc = HOST_ELF_EBAD;

	if (!e) {
		if (mapped)
			munmap((void *)bytes, n);
		else
			free((void *)bytes);
		return rc;
	}
	e->bytes = bytes;
	e->n = n;
	e->mapped = mapped;
	if (n < EI_NIDENT || memcmp(bytes, ELFMAG, SELFMAG) != 0) {
		rc = HOST_ELF_ENOTELF;
		goto fail;
	}
	if ((bytes[EI_CLASS] != ELFCLASS32 && bytes[EI_CLASS] != ELFCLASS64) ||
	    (bytes[EI_DATA] != ELFDATA2LSB && bytes[EI_DATA] != ELFDATA2MSB))
		goto fail;
	e->word_bytes = bytes[EI_CLASS] == ELFCLASS64 ? 8 : 4;
	e->big_endian = bytes[EI_DATA] == ELFDATA2MSB;
	if (!decode_headers(e))
		goto fail;
	*ret = e;
	return HOST_ELF_OK;
fail:
	host_elf_close(e);
	return rc;
}

enum host_elf_rc host_elf_open_fd(int fd, struct host_elf **ret)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return HOST_ELF_ENOENT;
	if (S_ISDIR(st.st_mode)) {
		errno = EISDIR;
		return HOST_ELF_ENOENT;
	}
	if (!S_ISREG(st.st_mode) || st.st_size < EI_NIDENT)
		return HOST_ELF_ENOTELF;
	void *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED)
		return HOST_ELF_ENOENT;
	return elf_create(p, (size_t)st.st_size, true, ret);
}

enum host_elf_rc host_elf_open(const char *path, struct host_elf **ret)
{
	/* O_NONBLOCK: a name that turns out to be a FIFO must not hang us. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return HOST_ELF_ENOENT;
	enum host_elf_rc rc = host_elf_open_fd(fd, ret);
	int saved = errno;
	close(fd);
	errno = saved;
	return rc;
}

enum host_elf_rc host_elf_from_bytes(uint8_t *bytes, size_t n, struct host_elf **ret)
{
	return elf_create(bytes, n, false, ret);
}

void host_elf_close(struct host_elf *e)
{
	if (!e)
		return;
	free(e->phdrs);
	free(e->shdrs);
	if (e->mapped)
		munmap((void *)e->bytes, e->n);
	else
		free((void *)e->bytes);
	free(e);
}

bool host_elf_offset_of(const struct host_elf *e, uint64_t vaddr, uint64_t *offset, uint64_t *n)
{
	for (size_t i = 0; i < e->n_phdrs; i++) {
		const struct host_phdr *p = &e->phdrs[i];

		if (p->type != PT_LOAD || vaddr < p->vaddr || vaddr - p->vaddr >= p->file_bytes)
			continue;
		uint64_t into = vaddr - p->vaddr;
		if (p->offset > e->n || into >= e->n - p->offset)
			return false;
		*offset = p->offset + into;
		if (n) {
			uint64_t left = e->n - *offset;
			*n = p->file_bytes - into < left ? p->file_bytes - into : left;
		}
		return true;
	}
	return false;
}

const struct host_shdr *host_elf_section(const struct host_elf *e, const char *name)
{
	if (e->names_section >= e->n_shdrs)
		return NULL;
	const struct host_shdr *names = &e->shdrs[e->names_section];

	for (size_t i = 1; i < e->n_shdrs; i++) {
		if (e->shdrs[i].name >= names->bytes || names->offset > e->n)
			continue;
		const char *s = host_elf_string(e, names->offset + e->shdrs[i].name);
		if (s && strcmp(s, name) == 0)
			return &e->shdrs[i];
	}
	return NULL;
}

const struct host_shdr *host_elf_section_of_type(const struct host_elf *e, uint32_t type)
{
	for (size_t i = 1; i < e->n_shdrs; i++)
		if (e->shdrs[i].type == type)
			return &e->shdrs[i];
	return NULL;
}

uint64_t host_elf_first_vaddr(const struct host_elf *e)
{
	uint64_t first = UINT64_MAX;

	for (size_t i = 0; i < e->n_phdrs; i++)
		if (e->phdrs[i].type == PT_LOAD && e->phdrs[i].vaddr < first)
			first = e->phdrs[i].vaddr;
	return first == UINT64_MAX ? first : first & ~UINT64_C(0xfff);
}

bool host_note_next(const uint8_t *bytes, size_t n, bool big_endian, unsigned align, size_t *pos, struct host_note *ret)
{
	size_t at = *pos;

	if (at > n || n - at < 12)
		return false;
	uint64_t name_bytes = host_decode_u(bytes + at, 4, big_endian);
	uint64_t desc_bytes = host_decode_u(bytes + at + 4, 4, big_endian);
	uint32_t type = (uint32_t)host_decode_u(bytes + at + 8, 4, big_endian);
	at += 12;
	/* Names are padded to 4 even if descriptors are padded to 8; the descriptor starts aligned. */
	uint64_t desc_at = (at + name_bytes + align - 1) & ~(uint64_t)(align - 1);
	uint64_t next = (desc_at + desc_bytes + align - 1) & ~(uint64_t)(align - 1);

	if (desc_at > n || desc_bytes > n - desc_at)
		return false;
	*ret = (struct host_note){ .name = (const char *)bytes + at,
				   .name_bytes = (size_t)name_bytes,
				   .type = type,
				   .desc = bytes + desc_at,
				   .desc_bytes = (size_t)desc_bytes };
	*pos = next < n ? (size_t)next : n;
	return true;
}

bool host_build_id_from_notes(const uint8_t *bytes, size_t n, bool big_endian, unsigned align,
			      struct host_build_id *ret)
{
	struct host_note note;

	for (size_t pos = 0; host_note_next(bytes, n, big_endian, align, &pos, &note);) {
		if (note.type != NT_GNU_BUILD_ID || note.name_bytes != 4 || memcmp(note.name, "GNU", 4) != 0 ||
		    note.desc_bytes == 0 || note.desc_bytes > HOST_BUILD_ID_MAX)
			continue;
		memcpy(ret->bytes, note.desc, note.desc_bytes);
		ret->n = note.desc_bytes;
		return true;
	}
	return false;
}

/* Value of the i-th entry with this tag in PT_DYNAMIC. @return false: there are fewer */
static bool dynamic_value(const struct host_elf *e, uint64_t wanted, size_t i, uint64_t *ret)
{
	const struct host_phdr *p = e->phdrs, *end = p ? p + e->n_phdrs : p;
	unsigned w = e->word_bytes;

	while (p < end && p->type != PT_DYNAMIC)
		p++;
	for (uint64_t at = 0; p < end && p->file_bytes - at >= 2 * w && host_elf_at(e, p->offset + at, 2 * w);
	     at += 2 * w) {
		uint64_t tag = host_elf_u(e, p->offset + at, w);
		if (tag == DT_NULL)
			return false;
		if (tag == wanted && i-- == 0) {
			*ret = host_elf_u(e, p->offset + at + w, w);
			return true;
		}
	}
	return false;
}

const char *host_elf_needed(const struct host_elf *e, size_t i)
{
	uint64_t name, strings, offset, n;

	if (!dynamic_value(e, DT_NEEDED, i, &name) || !dynamic_value(e, DT_STRTAB, 0, &strings) ||
	    !host_elf_offset_of(e, strings, &offset, &n) || name >= n)
		return NULL;
	return host_elf_string(e, offset + name);
}

void host_elf_build_id(const struct host_elf *e, struct host_build_id *ret)
{
	ret->n = 0;
	for (size_t i = 0; i < e->n_phdrs; i++) {
		const struct host_phdr *p = &e->phdrs[i];
		if (p->type != PT_NOTE || p->offset >= e->n)
			continue;
		uint64_t n = p->file_bytes < e->n - p->offset ? p->file_bytes : e->n - p->offset;
		if (host_build_id_from_notes(e->bytes + p->offset, (size_t)n, e->big_endian, p->align == 8 ? 8 : 4,
					     ret))
			return;
	}
}

bool host_build_id_equal(const struct host_build_id *a, const struct host_build_id *b)
{
	return a->n == b->n && memcmp(a->bytes, b->bytes, a->n) == 0;
}

const char *host_machine_name(uint16_t machine)
{
	static const struct {
		uint16_t machine;
		const char *name;
	} names[] = { { EM_386, "i386" },        { EM_X86_64, "x86-64" },    { EM_ARM, "ARM" },
		      { EM_AARCH64, "AArch64" }, { EM_PPC, "PowerPC" },      { EM_PPC64, "PowerPC 64" },
		      { EM_S390, "S/390" },      { EM_RISCV, "RISC-V" },     { EM_MIPS, "MIPS" },
		      { EM_SPARC, "SPARC" },     { EM_SPARCV9, "SPARC v9" }, { EM_IA_64, "Itanium" } };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].machine == machine)
			return names[i].name;
	return "an unknown machine";
}
