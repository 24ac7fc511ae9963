/* SPDX-License-Identifier: BSD-3-Clause */
/* The entry of libFuzzer, compiled once per target with FUZZ_ONE=fuzz_NAME. */
#include "fuzz.h"

#include <check.h>

#ifndef FUZZ_ONE
#define FUZZ_ONE fuzz_pack
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	return FUZZ_ONE(data, n);
}

/* The fakes of tests/support use Check to verify their arguments, but no test runs here. */
void _mark_point(const char *file, int line)
{
	(void)file, (void)line;
}

void _ck_assert_failed(const char *file, int line, const char *expr, const char *message, ...)
{
	(void)message;
	fuzz_fail(file, line, expr);
}
