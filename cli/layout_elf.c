/* SPDX-License-Identifier: BSD-3-Clause */
#include "../host/error.h"
#include "layout.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct layout_elf {
	int fd;
	Elf *elf;
	GElf_Ehdr ehdr;
	const unsigned char *bytes; /* the complete file */
	size_t n;
};

enum host_errc layout_elf_open(const char *path, struct layout_elf **ret, struct host_error *err)
{
	elf_version(EV_CURRENT);
	struct layout_elf *e = calloc(1, sizeof(*e));
	if (!e)
		return host_error_set(err, HOST_UNREADABLE, "%s: out of memory", path);
	e->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (e->fd < 0) {
		enum host_errc code = errno == EACCES ? HOST_DENIED : HOST_ABSENT;
		host_error_set(err, code, "%s: %s", path, strerror(errno));
		layout_elf_close(e);
		return code;
	}
	e->elf = elf_begin(e->fd, ELF_C_READ_MMAP, NULL);
	if (!e->elf || elf_kind(e->elf) != ELF_K_ELF || !gelf_getehdr(e->elf, &e->ehdr) ||
	    !(e->bytes = (const unsigned char *)elf_rawfile(e->elf, &e->n))) {
		layout_elf_close(e);
		return host_error_set(err, HOST_UNREADABLE, "%s: is not an ELF file", path);
	}
	*ret = e;
	return HOST_OK;
}

void layout_elf_close(struct layout_elf *e)
{
	if (!e)
		return;
	elf_end(e->elf);
	if (e->fd >= 0)
		close(e->fd);
	free(e);
}

unsigned layout_elf_word_bytes(const struct layout_elf *e)
{
	return e->ehdr.e_ident[EI_CLASS] == ELFCLASS32 ? 4 : 8;
}

bool layout_elf_big_endian(const struct layout_elf *e)
{
	return e->ehdr.e_ident[EI_DATA] == ELFDATA2MSB;
}

/* The symbols of one section. */
static bool find_in(struct layout_elf *e, Elf_Scn *scn, const GElf_Shdr *shdr, const char *name, uint64_t *ret)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t n = data && shdr->sh_entsize ? data->d_size / shdr->sh_entsize : 0;
	for (size_t i = 1; i < n && i <= INT32_MAX; i++) {
		GElf_Sym symbol;
		if (!gelf_getsym(data, (int)i, &symbol) || symbol.st_shndx == SHN_UNDEF)
			continue;
		const char *s = elf_strptr(e->elf, shdr->sh_link, symbol.st_name);
		if (s && !strcmp(s, name)) {
			*ret = symbol.st_value;
			return true;
		}
	}
	return false;
}

static bool find_symbol(struct layout_elf *e, const char *name, uint64_t *ret)
{
	GElf_Shdr shdr;
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(e->elf, scn));)
		if (gelf_getshdr(scn, &shdr) && (shdr.sh_type == SHT_DYNSYM || shdr.sh_type == SHT_SYMTAB) &&
		    find_in(e, scn, &shdr, name, ret))
			return true;
	return false;
}

/* Bytes of the file that are loaded at an address; NULL: none, or fewer than n. */
static const unsigned char *bytes_at(struct layout_elf *e, uint64_t addr, uint64_t n, uint64_t *n_ret)
{
	size_t n_headers;
	if (elf_getphdrnum(e->elf, &n_headers))
		return NULL;
	for (size_t i = 0; i < n_headers && i <= INT32_MAX; i++) {
		GElf_Phdr p;
		if (!gelf_getphdr(e->elf, (int)i, &p) || p.p_type != PT_LOAD || addr < p.p_vaddr ||
		    addr - p.p_vaddr >= p.p_filesz)
			continue;
		uint64_t skip = addr - p.p_vaddr, left = p.p_filesz - skip;
		if (left < n || p.p_offset > e->n || skip > e->n - p.p_offset || left > e->n - p.p_offset - skip)
			return NULL;
		*n_ret = left;
		return e->bytes + p.p_offset + skip;
	}
	return NULL;
}

enum layout_verdict layout_elf_witness(struct layout_elf *e, const struct acc_pack_witness *witness, uint64_t *found)
{
	uint64_t addr, left;
	if (e->ehdr.e_type == ET_REL || !find_symbol(e, witness->symbol, &addr))
		return LAYOUT_ABSENT;
	if (witness->kind != ACC_WITNESS_UINT) {
		const unsigned char *p = bytes_at(e, addr, 1, &left);
		if (!p)
			return LAYOUT_UNREADABLE;
		return memchr(p, 0, left) && acc_pack_text_agrees(witness, (const char *)p) ? LAYOUT_AGREES
											    : LAYOUT_DISAGREES;
	}
	const unsigned char *p = bytes_at(e, addr + witness->offset, witness->width, &left);
	if (!p || witness->width > sizeof(uint64_t))
		return LAYOUT_UNREADABLE;
	uint64_t value = 0;
	for (unsigned i = 0; i < witness->width; i++)
		value = value << 8 | p[layout_elf_big_endian(e) ? i : witness->width - 1 - i];
	if (found)
		*found = value;
	return value == witness->value ? LAYOUT_AGREES : LAYOUT_DISAGREES;
}
