/* SPDX-License-Identifier: BSD-3-Clause */
/* The version of UCX. No data of libucp has it; ucp_get_version_string() returns its address, which is in the code. */
#include "ucx.h"

#include "../../access/aarch64.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum { CODE = 16, INSTRUCTION = 7, N_PARTS = 3, PART_MAX = 10000 };

/* "lea TEXT(%rip), %rax; ret", in some builds after endbr64. */
static bool text_of_x86_64(struct acc_space *sp, const unsigned char *code, uint64_t addr, uint64_t *ret)
{
	static const unsigned char endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa }, lea[] = { 0x48, 0x8d, 0x05 };
	unsigned i = memcmp(code, endbr64, sizeof(endbr64)) ? 0 : sizeof(endbr64);
	int32_t distance = (int32_t)acc_decode_u(sp, code + i + sizeof(lea), 4);

	*ret = addr + i + INSTRUCTION + (uint64_t)(int64_t)distance;
	return !memcmp(code + i, lea, sizeof(lea)) && code[i + INSTRUCTION] == 0xc3;
}

/* "adrp x0, PAGE; add x0, x0, NUMBER; ret", in some builds after "bti c". */
static bool text_of_aarch64(const unsigned char *code, uint64_t addr, uint64_t *ret)
{
	unsigned i = acc_a64_word(code, 0) == (uint32_t)ACC_A64_BTI_C;
	struct acc_a64 page, text;

	if (!acc_a64_adrp(acc_a64_word(code, i), addr + (uint64_t)i * ACC_A64_BYTES, &page) ||
	    !acc_a64_add(acc_a64_word(code, i + 1), &text) || page.to || text.to || text.from ||
	    acc_a64_word(code, i + 2) != (uint32_t)ACC_A64_RET)
		return false;
	*ret = page.value + text.value;
	return true;
}

void rd_ucx_version(struct acc_space *sp, char ret[RD_UCX_VERSION_BYTES])
{
	struct acc_note note = sp->note;
	unsigned char code[CODE];
	uint64_t addr, text;

	ret[0] = '\0';
	if (sp->sizes.pointer_bytes == 8 && !sp->big_endian && !acc_symbol(sp, "ucp_get_version_string", &addr) &&
	    !acc_read(sp, addr, sizeof(code), code) &&
	    (text_of_x86_64(sp, code, addr, &text) || text_of_aarch64(code, addr, &text)) &&
	    acc_read_string(sp, text, ret, RD_UCX_VERSION_BYTES))
		ret[0] = '\0';
	sp->note = note;
}

/* "1.20.0": a number to compare. @return where the text ends; NULL: it is none */
static const char *number_of(const char *text, uint64_t *ret)
{
	*ret = 0;
	for (unsigned part = 0; part < N_PARTS; part++) {
		uint64_t n = 0;

		if (*text < '0' || *text > '9')
			return NULL;
		for (; *text >= '0' && *text <= '9' && n < PART_MAX; text++)
			n = n * 10 + (uint64_t)(*text - '0');
		*ret = *ret * PART_MAX + n;
		if (part + 1 < N_PARTS && *text++ != '.')
			return NULL;
	}
	return text;
}

bool rd_ucx_names(const char *range, const char *version)
{
	uint64_t lo, hi, own;
	const char *end = number_of(range, &lo);

	if (!end || !number_of(version, &own))
		return false;
	if (*end != '-')
		return own == lo;
	return number_of(end + 1, &hi) && own >= lo && own <= hi;
}
