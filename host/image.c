/* SPDX-License-Identifier: BSD-3-Clause */
#include "image.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

enum {
	PAGE = 4096,
	IMAGE_BYTES_MAX = 256 << 20, /* the largest libraries have about 100 MB */
	NOTES_MAX = 4096
};

/* Read the first page or as much as possible: the ELF header and usually all program headers. */
static struct host_elf *read_headers(struct host_target *t, uint64_t at)
{
	uint8_t *page = malloc(PAGE);
	struct host_elf *e = NULL;
	size_t n = PAGE;

	if (!page)
		return NULL;
	while (n >= 64 && !host_read(t, at, n, page))
		n /= 2;
	if (n < 64 || host_elf_from_bytes(page, n, &e)) {
		if (n < 64)
			free(page);
		return NULL;
	}
	return e;
}

/* Read page by page if reading everything at once fails. */
static void read_what_can_be_read(struct host_target *t, uint64_t addr, uint64_t n, uint8_t *ret)
{
	if (host_read(t, addr, (size_t)n, ret))
		return;
	for (uint64_t done = 0; done < n;) {
		uint64_t piece = PAGE - ((addr + done) & (PAGE - 1));
		if (piece > n - done)
			piece = n - done;
		if (!host_read(t, addr + done, (size_t)piece, ret + done))
			memset(ret + done, 0, (size_t)piece);
		done += piece;
	}
}

struct host_elf *host_image_read(struct host_target *t, uint64_t at)
{
	struct host_elf *head = read_headers(t, at);
	uint64_t first = head ? host_elf_first_vaddr(head) : UINT64_MAX, size = 0;

	for (size_t i = 0; first != UINT64_MAX && i < head->n_phdrs; i++) {
		const struct host_phdr *p = &head->phdrs[i];
		if (p->type == PT_LOAD && p->offset <= IMAGE_BYTES_MAX && p->file_bytes <= IMAGE_BYTES_MAX &&
		    p->offset + p->file_bytes > size)
			size = p->offset + p->file_bytes;
	}
	uint8_t *image = size >= 64 && size <= IMAGE_BYTES_MAX ? calloc(1, size) : NULL;
	if (!image) {
		host_elf_close(head);
		return NULL;
	}
	for (size_t i = 0; i < head->n_phdrs; i++) {
		const struct host_phdr *p = &head->phdrs[i];
		if (p->type == PT_LOAD && p->offset <= size && p->file_bytes <= size - p->offset)
			read_what_can_be_read(t, at + (p->vaddr - first), p->file_bytes, image + p->offset);
	}
	host_elf_close(head);
	struct host_elf *e = NULL;
	return host_elf_from_bytes(image, size, &e) ? NULL : e;
}

void host_image_build_id(struct host_target *t, uint64_t at, struct host_build_id *ret)
{
	struct host_elf *head = read_headers(t, at);
	uint64_t first = head ? host_elf_first_vaddr(head) : UINT64_MAX;

	ret->n = 0;
	for (size_t i = 0; first != UINT64_MAX && i < head->n_phdrs; i++) {
		const struct host_phdr *p = &head->phdrs[i];
		uint8_t notes[NOTES_MAX];
		if (p->type == PT_NOTE && p->file_bytes <= sizeof(notes) &&
		    host_read(t, at + (p->vaddr - first), (size_t)p->file_bytes, notes) &&
		    host_build_id_from_notes(notes, (size_t)p->file_bytes, head->big_endian, p->align == 8 ? 8 : 4,
					     ret))
			break;
	}
	host_elf_close(head);
}
