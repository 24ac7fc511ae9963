/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file flat.h
 * A target whose memory is the fuzzer's input, mapped at one address, with a few symbols and no types.
 */
#ifndef FUZZ_FLAT_H
#define FUZZ_FLAT_H

#include "../access/space.h"

enum { FLAT_ADDR = 0x10000, FLAT_SYMBOLS = 2 };

struct flat {
	const uint8_t *bytes;
	size_t n;
	struct {
		const char *name; /**< NULL: none */
		uint64_t addr;
	} symbols[FLAT_SYMBOLS];
	size_t n_live; /**< allocations not released */
};

/** Make the space: bit 0 of @p flags: 64-bit words, bit 1: big-endian. */
void flat_space(struct flat *flat, uint8_t flags, struct acc_space *ret);

#endif /* FUZZ_FLAT_H */
