/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file recorded.h
 * The recorded memory of a process (fuzz/record_mpich), of which a fuzzer changes words (fuzz/fuzz_mpich.c).
 *
 * A recording: the number of symbols (4 bytes), for each its address (8) and its name, terminated; then pages until
 * the end: the address (8), a bit for each line of 64 bytes that is not zero (8), these lines. Numbers are
 * little-endian. The recording ends at the first byte that does not fit this format.
 */
#ifndef FUZZ_RECORDED_H
#define FUZZ_RECORDED_H

#include "../access/space.h"
#include "../readers/reader.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RECORDED_PAGE = 4096, RECORDED_LINE = 64, RECORDED_PAGES = 2048, RECORDED_SYMBOLS = 512 };

struct recorded_page {
	uint64_t addr, bits;
	const uint8_t *lines; /**< of the input */
};

struct recorded {
	struct recorded_page pages[RECORDED_PAGES];
	unsigned n_pages;
	struct {
		uint64_t addr;
		const char *name; /**< of the input */
	} symbols[RECORDED_SYMBOLS];
	unsigned n_symbols;
	size_t n_live; /**< allocations not released */
	uint64_t n_reads;
};

/** Use an input, which is borrowed. */
void recorded_take(struct recorded *ret, const uint8_t *data, size_t n);

/** Word @p i, counted over all pages and modulo their number; in the input. @param[out] addr in the process */
uint8_t *recorded_word(const struct recorded *r, uint64_t i, uint64_t *addr);

/** The word at a multiple of 8, in the input; NULL: it was not recorded, or is in a line of zeros. */
uint8_t *recorded_at(const struct recorded *r, uint64_t addr);

/** Walk everything that the readers find, and check what holds whatever the memory contains. */
void fuzz_walk_recorded(const uint8_t *data, size_t n);

/** Recorded processes, NULL-terminated. */
extern const char *const fuzz_recordings[];

/** Change a recorded process as an input of fuzz_mpich() says. @return what it lost; NULL: nothing. @param[out] addr of
 * the last change */
const char *fuzz_loss_of(const uint8_t *data, size_t n, uint64_t *addr);

/** The compiled-in packs of MPICH and UCX, and that of Open MPI 4.1.4. */
const struct rd_packs *recorded_packs(void);

/** The process as a target; its context is a struct recorded. */
extern const struct acc_target_ops recorded_ops;

#endif /* FUZZ_RECORDED_H */
