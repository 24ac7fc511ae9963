/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file demo.h
 * The schema of demo.def, and a fake laid out by it.
 */
#ifndef DEMO_H
#define DEMO_H

#include "fake.h"

enum demo_type {
#define ACC_TYPE(type, needed) T_##type,
#define ACC_FIELD(type, field, kind, count, needed)
#include "demo.def"
#undef ACC_TYPE
#undef ACC_FIELD
	DEMO_N_TYPES
};

enum demo_field {
#define ACC_TYPE(type, needed)
#define ACC_FIELD(type, field, kind, count, needed) F_##type##_##field,
#include "demo.def"
#undef ACC_TYPE
#undef ACC_FIELD
	DEMO_N_FIELDS
};

extern const struct acc_schema demo_schema;

/** Word sizes and byte orders, for loop tests: 0..DEMO_N_TARGETS - 1. */
enum { DEMO_N_TARGETS = 4 };

/** A fake of the i-th kind of target, not laid out. */
struct fake *demo_fake(int i);

/** The same, laid out: a demo_node_t starts with a demo_base_t, a demo_wide_t has 4096 bytes. */
struct fake *demo_fake_laid_out(int i);

#endif /* DEMO_H */
