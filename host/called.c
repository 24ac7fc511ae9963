/* SPDX-License-Identifier: BSD-3-Clause */
#include "called.h"

#include "modules.h"
#include "target.h"

#include "../access/aarch64.h"

#include <elf.h>
#include <string.h>

/* Add the signed displacement of an instruction of x86-64 to the address after it. */
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

/* Decode an entry of the procedure linkage table of x86-64:
 * [endbr64] [bnd] jmp *slot(%rip). @return false: not such an entry. */
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

/* call *slot(%rip); call target. @param[out] jumped where the table's entry at the target leads; 0: there is none */
static bool call_x86_64(struct host_target *t, uint64_t return_addr, uint64_t *target, uint64_t *jumped)
{
	unsigned char code[6];

	if (return_addr < sizeof(code) || !host_read(t, return_addr - sizeof(code), sizeof(code), code))
		return false;
	if (code[0] == 0xff && code[1] == 0x15) {
		if (!read_slot(t, displaced(return_addr, code + 2), target))
			return false;
	} else if (code[1] == 0xe8) {
		*target = displaced(return_addr, code + 2);
	} else {
		return false;
	}
	if (!through_table(t, *target, jumped))
		*jumped = 0;
	return true;
}

/* Where an entry of the procedure linkage table of aarch64 leads: [bti c] adrp x16, page; ldr x17, [x16, number]. */
static bool through_table_aarch64(struct host_target *t, uint64_t entry, uint64_t *ret)
{
	unsigned char code[3 * ACC_A64_BYTES];
	struct acc_a64 page, slot;

	if (!host_read(t, entry, sizeof(code), code))
		return false;
	unsigned i = acc_a64_word(code, 0) == (uint32_t)ACC_A64_BTI_C;
	return acc_a64_adrp(acc_a64_word(code, i), entry + (uint64_t)i * ACC_A64_BYTES, &page) &&
	       acc_a64_load(acc_a64_word(code, i + 1), &slot) && slot.from == page.to &&
	       read_slot(t, page.value + slot.value, ret);
}

/* bl target */
static bool call_aarch64(struct host_target *t, uint64_t return_addr, uint64_t *target, uint64_t *jumped)
{
	unsigned char code[ACC_A64_BYTES];

	if (return_addr < sizeof(code) || !host_read(t, return_addr - sizeof(code), sizeof(code), code) ||
	    !acc_a64_call(acc_a64_word(code, 0), return_addr - sizeof(code), target))
		return false;
	if (!through_table_aarch64(t, *target, jumped))
		*jumped = 0;
	return true;
}

static bool find_call(struct host_target *t, uint64_t return_addr, uint64_t *target, uint64_t *jumped)
{
	switch (t->machine) {
	case EM_X86_64:
		return call_x86_64(t, return_addr, target, jumped);
	case EM_AARCH64:
		return call_aarch64(t, return_addr, target, jumped);
	default:
		return false;
	}
}

bool host_called_function(struct host_target *t, uint64_t return_addr, char *ret, size_t size)
{
	uint64_t target, jumped;

	return find_call(t, return_addr, &target, &jumped) &&
	       ((jumped && name_at(t, jumped, ret, size)) || name_at(t, target, ret, size));
}
