/* SPDX-License-Identifier: BSD-3-Clause */
#include "aarch64.h"

#pragma GCC poison assert abort exit printf fprintf malloc free

static uint64_t sign_extended(uint64_t v, unsigned bits)
{
	uint64_t sign = UINT64_C(1) << (bits - 1);

	return (v ^ sign) - sign;
}

uint32_t acc_a64_word(const unsigned char *code, unsigned i)
{
	const unsigned char *p = code + (uint64_t)i * ACC_A64_BYTES;

	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

bool acc_a64_call(uint32_t word, uint64_t addr, uint64_t *target)
{
	if ((word & 0xfc000000) != 0x94000000)
		return false;
	*target = addr + (sign_extended(word & 0x03ffffff, 26) << 2);
	return true;
}

bool acc_a64_adrp(uint32_t word, uint64_t addr, struct acc_a64 *ret)
{
	if ((word & 0x9f000000) != 0x90000000)
		return false;
	uint64_t pages = (word >> 3 & 0x1ffffc) | (word >> 29 & 3);
	*ret = (struct acc_a64){ .to = word & 31,
				 .value = (addr & ~UINT64_C(0xfff)) + (sign_extended(pages, 21) << 12) };
	return true;
}

static struct acc_a64 operands(uint32_t word, unsigned shift)
{
	return (struct acc_a64){ .to = word & 31, .from = word >> 5 & 31, .value = (word >> 10 & 0xfff) << shift };
}

bool acc_a64_add(uint32_t word, struct acc_a64 *ret)
{
	if ((word & 0xffc00000) != 0x91000000)
		return false;
	*ret = operands(word, 0);
	return true;
}

bool acc_a64_load(uint32_t word, struct acc_a64 *ret)
{
	if ((word & 0xffc00000) != 0xf9400000)
		return false;
	*ret = operands(word, 3);
	return true;
}
