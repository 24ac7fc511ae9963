/* SPDX-License-Identifier: BSD-3-Clause */
#include "called.h"

#include "modules.h"
#include "target.h"

#include <elf.h>
#include <string.h>

/*
 * Add the signed displacement of an instruction to the address after it. Little-endian, because only x86-64 is decoded.
 */
static uint64_t displaced(uint64_t after, const unsigned char p[4])
{
	int32_t displacement = (int32_t)((uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
					 (uint32_t)p[3] << 24);

	return after + (uint64_t)(int64_t)displacement;
}

/* Read the function pointer in a slot. */
static bool read_slot(struct host_target *t, uint64_t slot, uint64_t *ret)
{
	unsigned char bytes[8];

	if (!host_read(t, slot, sizeof(bytes), bytes))
		return false;
	*ret = 0;
	for (size_t i = 0; i < sizeof(bytes); i++)
		*ret |= (uint64_t)bytes[i] << 8 * i;
	return true;
}

/* Decode an entry of the procedure linkage table: [endbr64] [bnd] jmp *slot(%rip). @return false: not such an entry. */
static bool through_table(struct host_target *t, uint64_t entry, uint64_t *ret)
{
	static const unsigned char endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	unsigned char code[11];
	size_t i = 0;

	if (!host_read(t, entry, sizeof(code), code))
		return false;
	if (memcmp(code, endbr64, sizeof(endbr64)) == 0)
		i += sizeof(endbr64);
	i += code[i] == 0xf2;
	return code[i] == 0xff && code[i + 1] == 0x25 && read_slot(t, displaced(entry + i + 6, code + i + 2), ret);
}

/* The name of the C or Fortran function that begins exactly at this address. */
static bool name_at(struct host_target *t, uint64_t addr, char *ret, size_t size)
{
	struct host_module *m = host_module_of(t, addr);
	uint64_t offset;

	return m && host_module_function_offset(m, addr, ret, size, &offset) && offset == 0;
}

bool host_called_function(struct host_target *t, uint64_t return_addr, char *ret, size_t size)
{
	unsigned char code[6];
	uint64_t target, jumped;

	if (t->machine != EM_X86_64 || return_addr < sizeof(code) ||
	    !host_read(t, return_addr - sizeof(code), sizeof(code), code))
		return false;
	if (code[0] == 0xff && code[1] == 0x15) { /* call *slot(%rip) */
		if (!read_slot(t, displaced(return_addr, code + 2), &target))
			return false;
	} else if (code[1] == 0xe8) { /* call target */
		target = displaced(return_addr, code + 2);
	} else {
		return false;
	}
	return (through_table(t, target, &jumped) && name_at(t, jumped, ret, size)) || name_at(t, target, ret, size);
}
