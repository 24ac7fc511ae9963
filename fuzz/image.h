/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file image.h
 * The memory of a small Open MPI process, laid out by the compiled-in pack: communicators of every kind, posted
 * receives, messages, sends, collectives, a window and a file. It is created once; an input is a list of changes to it.
 *
 * A change has eight bytes: what, object (2, modulo the number of objects), word (in units of 4 bytes, modulo the
 * object's size), value (4, signed, little-endian). What, modulo 8:
 *
 *     0 write 1 byte    1 write 4 bytes    2 write 8 bytes, sign-extended
 *     3 write the address of object number (value modulo their number), plus value >> 16
 *     4 the object cannot be read        5 symbol (value modulo their number) is gone
 *     6 symbol (value modulo their number) is at the object    7 allocation (value modulo 64) from now fails
 */
#ifndef FUZZ_IMAGE_H
#define FUZZ_IMAGE_H

#include "../access/pack.h"
#include "../access/space.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { IMAGE_BYTES = 1 << 16, IMAGE_OBJECTS = 256, IMAGE_SYMBOLS = 128, IMAGE_HOLES = 8 };

/** Address of the memory in the process. */
#define IMAGE_ADDR UINT64_C(0x7f0000000000)

struct image_object {
	uint32_t at, bytes; /**< in memory */
};

struct image_symbol {
	const char *name;
	uint32_t at;
	bool gone;
};

struct image {
	uint8_t memory[IMAGE_BYTES];
	uint32_t used;
	struct image_object objects[IMAGE_OBJECTS];
	unsigned n_objects;
	struct image_symbol symbols[IMAGE_SYMBOLS];
	unsigned n_symbols;
	struct image_object holes[IMAGE_HOLES]; /**< cannot be read */
	unsigned n_holes;
	int64_t allocs_left; /**< until one fails; negative: none does */
	size_t n_live;       /**< allocations not released */
	uint64_t n_reads;
	const uint64_t *kept; /**< words that changes leave as they are (fuzz_single()), as they do the symbols then;
				 NULL: none */
	size_t n_kept;
};

/** Open MPI's compiled-in pack. */
const struct acc_pack *image_pack(void);

/** A fresh copy of the process. */
void image_reset(struct image *image);

/** Apply changes; what remains of @p n after the last whole one is ignored. */
void image_change(struct image *image, const uint8_t *data, size_t n);

/** The process as a target; the ctx is a struct image. It knows no types: the pack describes them. */
extern const struct acc_target_ops image_ops;

#endif /* FUZZ_IMAGE_H */
