/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Is a function one of the MPI library? The library's own keyvals (topologies, ROMIO) have functions that it does not
 * export, which a program therefore cannot pass. The file that contains PMPI_Get_library_version begins with an ELF
 * header, whose program headers (elf(5)) tell where its code is mapped. A statically linked program is one file with
 * the library; there the functions are known by their symbols.
 */
#include "objects.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum {
	PAGE = 4096,
	PAGES_MAX = 1 << 14, /* from a function down to the header: MPICH's code has 2 to 10 MiB */
	HEADERS_MAX = 64,
	MAGIC = 0x464c457f,
	PHOFF = 32, /* Elf64_Ehdr */
	PHENTSIZE = 54,
	PHNUM = 56,
	PHDR_BYTES = 56, /* Elf64_Phdr */
	PHDR_FLAGS = 4,
	PHDR_OFFSET = 8,
	PHDR_VADDR = 16,
	PHDR_MEMSZ = 40,
	LOAD = 1,
	EXECUTABLE = 1,
};

/* @return 0: none below @p addr without a gap */
static uint64_t header_below(struct rd_mpich *o, uint64_t addr)
{
	uint64_t page = addr & ~(uint64_t)(PAGE - 1), word;

	for (unsigned i = 0; i < PAGES_MAX && page; i++, page -= PAGE) {
		if (acc_read_u(o->sp, page, 4, &word))
			return 0;
		if (word == MAGIC)
			return page;
	}
	return 0;
}

/* The part of the file at @p header_addr that contains the function at @p addr. */
static bool find_part(struct rd_mpich *o, uint64_t header_addr, uint64_t addr, uint64_t *lo, uint64_t *hi)
{
	unsigned char header[PHNUM + 2], part[PHDR_BYTES];
	uint64_t base = 0;
	bool based = false;

	if (acc_read(o->sp, header_addr, sizeof(header), header) ||
	    acc_decode_u(o->sp, header + PHENTSIZE, 2) != PHDR_BYTES)
		return false;
	uint64_t parts = header_addr + acc_decode_u(o->sp, header + PHOFF, 8);
	uint64_t n = acc_decode_u(o->sp, header + PHNUM, 2);
	for (uint64_t i = 0; i < n && i < HEADERS_MAX; i++) {
		if (acc_read(o->sp, parts + i * PHDR_BYTES, PHDR_BYTES, part))
			return false;
		uint64_t start = acc_decode_u(o->sp, part + PHDR_VADDR, 8);
		uint64_t size = acc_decode_u(o->sp, part + PHDR_MEMSZ, 8);
		if (acc_decode_u(o->sp, part, 4) != LOAD)
			continue;
		if (!based && !acc_decode_u(o->sp, part + PHDR_OFFSET, 8))
			base = header_addr - start; /* the header is the start of this part */
		based = true;
		if (!(acc_decode_u(o->sp, part + PHDR_FLAGS, 4) & EXECUTABLE) || addr - (base + start) >= size)
			continue;
		*lo = base + start;
		*hi = base + start + size;
		return true;
	}
	return false;
}

static void find_code(struct rd_mpich *o)
{
	struct acc_note note = o->sp->note;
	uint64_t addr, header_addr;

	o->code_asked = true;
	o->code_lo = o->code_hi = 0;
	if (o->sp->sizes.pointer_bytes != 8 || !rd_mpich_known_function(o, &addr))
		return;
	header_addr = header_below(o, addr);
	if (!header_addr || !find_part(o, header_addr, addr, &o->code_lo, &o->code_hi))
		o->code_lo = o->code_hi = 0;
	o->sp->note = note;
}

static bool is_one_of(struct rd_mpich *o, uint64_t addr, const char *const *symbols, size_t n)
{
	struct acc_note note = o->sp->note;
	bool found = false;

	for (size_t i = 0; i < n && !found; i++) {
		uint64_t at;

		found = !acc_symbol(o->sp, symbols[i], &at) && at == addr;
	}
	o->sp->note = note;
	return found;
}

bool rd_mpich_is_own_code(struct rd_mpich *o, uint64_t addr)
{
	static const char *const own[] = {
		"MPIR_Topology_delete_fn",     "ADIOI_End_call", "ADIOI_cb_delete_name_array",
		"ADIOI_Flattened_type_delete", "ad_daos_end",    "ADIOI_IME_End_call",
		"ADIOI_PVFS2_End_call"
	};
	/* what a Fortran program passes, if the bindings are in the same file */
	static const char *const given[] = { "mpi_null_delete_fn_", "mpi_comm_null_delete_fn_",
					     "mpi_type_null_delete_fn_", "mpi_win_null_delete_fn_" };

	if (!addr)
		return false;
	if (rd_mpich_is_static(o->sp))
		return is_one_of(o, addr, own, sizeof(own) / sizeof(own[0]));
	if (!o->code_asked)
		find_code(o);
	return addr >= o->code_lo && addr < o->code_hi && !is_one_of(o, addr, given, sizeof(given) / sizeof(given[0]));
}

bool rd_mpich_is_code_known(struct rd_mpich *o)
{
	struct acc_note note = o->sp->note;
	uint64_t addr;

	if (rd_mpich_is_static(o->sp)) {
		bool known = !acc_symbol(o->sp, "MPIR_Topology_delete_fn", &addr);

		o->sp->note = note;
		return known;
	}
	if (!o->code_asked)
		find_code(o);
	return o->code_hi != 0;
}

bool rd_mpich_is_own_op(struct rd_mpich *o, const struct rd_mpich_place *at)
{
	struct acc_note note = o->sp->note;
	uint64_t addr, value = 0;

	if (at->predefined || !at->addr || !acc_layout_has(o->layout, F_MPIR_Op_function))
		return false;
	if (rd_mpich_is_static(o->sp)) {
		bool known = !acc_symbol(o->sp, "ADIO_same_amode", &addr) && !acc_read_u(o->sp, addr, 4, &value);
		o->sp->note = note;
		return known && value == at->handle;
	}
	bool known = !acc_read_ptr(o->sp, at->addr + o->layout->fields[F_MPIR_Op_function].offset, &value);
	o->sp->note = note;
	return known && rd_mpich_is_own_code(o, value);
}
