/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file aarch64.h
 * The few instructions of aarch64 by which code refers to functions and data, as 32-bit words.
 */
#ifndef ACC_AARCH64_H
#define ACC_AARCH64_H

#include <stdbool.h>
#include <stdint.h>

enum { ACC_A64_BYTES = 4, ACC_A64_BTI_C = (int)0xd503245f, ACC_A64_RET = (int)0xd65f03c0 };

/** An instruction that makes an address: "add TO, FROM, VALUE" and the like. */
struct acc_a64 {
	unsigned to, from; /**< registers; adrp has no from */
	uint64_t value;    /**< adrp: the address of the page; otherwise what is added */
};

/** The i-th instruction of code, which is little-endian also where data are not. */
uint32_t acc_a64_word(const unsigned char *code, unsigned i);

/** bl: @return false: it is another instruction, as below. @param addr of the instruction */
bool acc_a64_call(uint32_t word, uint64_t addr, uint64_t *target);

bool acc_a64_adrp(uint32_t word, uint64_t addr, struct acc_a64 *ret);

/** add with a number, 64 bits. */
bool acc_a64_add(uint32_t word, struct acc_a64 *ret);

/** ldr of 64 bits from a register and a number. */
bool acc_a64_load(uint32_t word, struct acc_a64 *ret);

#endif /* ACC_AARCH64_H */
