/* SPDX-License-Identifier: BSD-3-Clause */
/* The entry of libFuzzer, compiled once per target with FUZZ_ONE=fuzz_NAME. */
#include "fuzz.h"

#ifndef FUZZ_ONE
#define FUZZ_ONE fuzz_pack
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	return FUZZ_ONE(data, n);
}
