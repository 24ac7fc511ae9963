/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file elf_file.h
 * An ELF file as bytes: the headers are decoded once; everything else is checked against the file's length on access.
 *
 * Either word size and byte order. The bytes are a mapped file or an image assembled from a target's memory; both are
 * untrusted. This file does not depend on targets.
 */
#ifndef HOST_ELF_FILE_H
#define HOST_ELF_FILE_H

#include "cleanup.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	HOST_BUILD_ID_MAX = 64,       /**< bytes of a build-id; 20 is usual */
	HOST_ELF_PHDRS_MAX = 1 << 20, /**< program headers: a core has one per mapping, a process 65530 at most by
					 default */
	HOST_ELF_SHDRS_MAX = 1 << 20
};

struct host_phdr {
	uint32_t type, flags;
	uint64_t offset, vaddr, file_bytes, mem_bytes, align;
};

struct host_shdr {
	uint32_t name, type, link;
	uint64_t flags, addr, offset, bytes, entry_bytes;
};

struct host_elf {
	const uint8_t *bytes;
	size_t n;
	bool mapped;         /**< bytes are mmap'ed; else malloc'ed */
	unsigned word_bytes; /**< 4 or 8 */
	bool big_endian;
	uint16_t type, machine; /**< ET_..., EM_... */
	uint64_t entry;
	struct host_phdr *phdrs;
	size_t n_phdrs;
	struct host_shdr *shdrs; /**< the part that lies within the file; an image from memory has none */
	size_t n_shdrs;
	uint32_t names_section;
};

struct host_build_id {
	uint8_t bytes[HOST_BUILD_ID_MAX];
	size_t n; /**< 0: none */
};

/** A note; its pointers point into the bytes that were walked. */
struct host_note {
	const char *name; /**< name_bytes long, including the NUL if it is well-formed */
	size_t name_bytes;
	uint32_t type;
	const uint8_t *desc;
	size_t desc_bytes;
};

/** Result of host_elf_open(). */
enum host_elf_rc {
	HOST_ELF_OK = 0,
	HOST_ELF_ENOENT, /**< cannot be opened: errno says why */
	HOST_ELF_ENOTELF,
	HOST_ELF_EBAD /**< starts as ELF but is invalid, or no memory */
};

/** One unsigned integer of @p width bytes (1..8). */
uint64_t host_decode_u(const void *bytes, unsigned width, bool big_endian);

/**
 * Map an ELF file. @p fd stays the caller's.
 * @param[out] ret untouched on failure; host_elf_close() frees it.
 */
enum host_elf_rc host_elf_open_fd(int fd, struct host_elf **ret);
enum host_elf_rc host_elf_open(const char *path, struct host_elf **ret);

/** Take ownership of malloc'ed bytes, also on failure (then they are freed). */
enum host_elf_rc host_elf_from_bytes(uint8_t *bytes, size_t n, struct host_elf **ret);

/** Takes NULL. */
void host_elf_close(struct host_elf *e);

HOST_CLEANUP_OF(struct host_elf, host_elf_close)

/** Pointer to the bytes [offset, offset + n); NULL if they are not entirely within the file. */
const uint8_t *host_elf_at(const struct host_elf *e, uint64_t offset, uint64_t n);

/** Decode one integer of the file; 0 if it is not within the file: only for fields checked with host_elf_at(). */
uint64_t host_elf_u(const struct host_elf *e, uint64_t offset, unsigned width);

/** A NUL-terminated string of the file, or NULL. */
const char *host_elf_string(const struct host_elf *e, uint64_t offset);

/**
 * File offset of a virtual address (without bias).
 * @param[out] n number of bytes that the segment has in the file from there; may be NULL.
 */
bool host_elf_offset_of(const struct host_elf *e, uint64_t vaddr, uint64_t *offset, uint64_t *n);

/** First section of that name, or NULL. */
const struct host_shdr *host_elf_section(const struct host_elf *e, const char *name);

/** First section of that type, or NULL. */
const struct host_shdr *host_elf_section_of_type(const struct host_elf *e, uint32_t type);

/** Lowest p_vaddr of the PT_LOAD headers, rounded down to its page; UINT64_MAX: none. */
uint64_t host_elf_first_vaddr(const struct host_elf *e);

/** Name of the i-th library that the file itself needs (DT_NEEDED), as it is written there; NULL: there are fewer. */
const char *host_elf_needed(const struct host_elf *e, size_t i);

/** The build-id, n = 0 when there is none. */
void host_elf_build_id(const struct host_elf *e, struct host_build_id *ret);

/** Find the build-id in the bytes of a note segment. @return false: not there, @p ret unchanged. */
bool host_build_id_from_notes(const uint8_t *bytes, size_t n, bool big_endian, unsigned align,
			      struct host_build_id *ret);

bool host_build_id_equal(const struct host_build_id *a, const struct host_build_id *b);

/**
 * The next note in @p n bytes.
 *
 * @param align 4 or 8: of the note segment
 * @param[in,out] pos where the walk is; 0 at first
 * @return false at the end, also where a note is cut off.
 */
bool host_note_next(const uint8_t *bytes, size_t n, bool big_endian, unsigned align, size_t *pos,
		    struct host_note *ret);

/** "x86-64", "AArch64" ... static, never NULL. */
const char *host_machine_name(uint16_t machine);

#endif /* HOST_ELF_FILE_H */
