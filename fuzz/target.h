/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file target.h
 * Common parts of the targets of several fuzzers: sizes of x86-64, and a debugger without types.
 */
#ifndef FUZZ_TARGET_H
#define FUZZ_TARGET_H

#include "../access/space.h"

/** Sizes of the C types of x86-64. */
extern const struct acc_sizes fuzz_sizes;

/** For struct acc_target_ops: there is no debug information. */
void *fuzz_no_type(void *ctx, const char *name);
int64_t fuzz_no_type_bytes(void *ctx, void *type);
int64_t fuzz_no_field_offset(void *ctx, void *type, const char *field);

#endif /* FUZZ_TARGET_H */
