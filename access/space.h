/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file space.h
 * One target process as readers see it: bytes, symbols, sizes, byte order; a page cache; counters; a note.
 *
 * All access of a reader to a target uses an acc_space. It contains nothing about MPI. It stores no address
 * of the target as a host pointer, and swaps bytes in one place (acc_decode_u).
 *
 * Lifetime of cached bytes: from acc_space_begin() to acc_space_end(), which bracket one entry-point call or
 * one iteration. Outside of such a bracket every read goes to the debugger.
 */
#ifndef ACC_SPACE_H
#define ACC_SPACE_H

#include "rc.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** What a debugger must provide. The faces make one from the mqs callback tables, tests from a fake. */
struct acc_target_ops {
	/** Copy @p n bytes at @p addr. @return true only when all were copied. */
	bool (*read)(void *ctx, uint64_t addr, size_t n, void *ret);
	/** Address of a data symbol in ELF scope order. @return false: no such symbol. */
	bool (*symbol)(void *ctx, const char *name, uint64_t *ret);
	/** A type, opaque, or NULL. The debugger owns it. */
	void *(*type)(void *ctx, const char *name);
	/** Size of a type; -1: not known. */
	int64_t (*type_bytes)(void *ctx, void *type);
	/** Byte offset of a member, or -1. */
	int64_t (*field_offset)(void *ctx, void *type, const char *field);
	/** The debugger's allocator. */
	void *(*alloc)(void *ctx, size_t n);
	void (*release)(void *ctx, void *p);
};

/** Sizes of the target's basic types. */
struct acc_sizes {
	uint8_t short_bytes, int_bytes, long_bytes, long_long_bytes, pointer_bytes, bool_bytes, size_bytes;
};

/** Counters; never reset here. */
struct acc_stats {
	uint64_t n_reads;      /**< calls of ops->read */
	uint64_t read_bytes;   /**< bytes requested in them */
	uint64_t n_failed;     /**< of them, calls that failed */
	uint64_t object_bytes; /**< bytes of the objects that readers loaded: the structures' own size */
	uint64_t n_objects;    /**< objects loaded */
};

struct acc_cache;

struct acc_space {
	const struct acc_target_ops *ops;
	void *ctx; /**< given back to ops */
	struct acc_sizes sizes;
	bool big_endian; /**< of the target */
	struct acc_stats stats;
	struct acc_note note;
	struct acc_cache *cache; /**< NULL outside of a bracket, and until its first read */
	unsigned depth;          /**< brackets may nest; the outermost one counts */
};

/**
 * Make a space. Allocates nothing.
 *
 * @param sizes checked: pointer 4 or 8, int 2..8 and so on. A bool size or size_t size that is invalid (padb
 *              leaves both unset) becomes 1 and the pointer's size.
 * @return ACC_OK; ACC_EINVAL: the other sizes make no sense. @p sp is then not usable.
 */
enum acc_rc acc_space_init(struct acc_space *sp, const struct acc_target_ops *ops, void *ctx,
			   const struct acc_sizes *sizes, bool big_endian);

/** Release the cache, if any. Takes NULL and an all-zero space. */
void acc_space_deinit(struct acc_space *sp);

/** Open a bracket in which pages are cached, from the first read on. Without memory for that it works uncached. */
void acc_space_begin(struct acc_space *sp);

/** Close a bracket; the outermost one discards every cached byte. */
void acc_space_end(struct acc_space *sp);

/** Discard every cached byte inside an open bracket: the target has run. */
void acc_space_forget(struct acc_space *sp);

/**
 * Copy target memory. Reads whole cache lines when that works and exactly the bytes when it does not, so that
 * the last object before an unmapped page is read.
 *
 * @return ACC_OK with all @p n bytes; ACC_EREAD (also for a range that wraps), nothing noted: the caller knows
 *         what it was for. @p ret may be partly written on failure.
 */
enum acc_rc acc_read(struct acc_space *sp, uint64_t addr, size_t n, void *ret);

/** Read one integer of @p width bytes (1..8), zero-extended. */
enum acc_rc acc_read_u(struct acc_space *sp, uint64_t addr, unsigned width, uint64_t *ret);

/** Read one pointer. */
enum acc_rc acc_read_ptr(struct acc_space *sp, uint64_t addr, uint64_t *ret);

/**
 * A NUL-terminated string of at most @p size - 1 bytes.
 *
 * @param ret always terminated; "" on failure. Cut when longer. Bytes are not checked.
 * @return ACC_OK; ACC_NONE: address 0; ACC_EREAD.
 */
enum acc_rc acc_read_string(struct acc_space *sp, uint64_t addr, char *ret, size_t size);

/** Address of a data symbol. @return ACC_OK or ACC_ESYMBOL, nothing noted. */
enum acc_rc acc_symbol(struct acc_space *sp, const char *name, uint64_t *ret);

/** Decode @p width (1..8) bytes of the target, zero-extended. */
uint64_t acc_decode_u(const struct acc_space *sp, const void *bytes, unsigned width);

/** Decode @p width (1..8) bytes of the target, sign-extended. */
int64_t acc_decode_i(const struct acc_space *sp, const void *bytes, unsigned width);

/** Can an object be at this address: not 0, aligned to @p align (a power of two), within the word size? */
bool acc_plausible(const struct acc_space *sp, uint64_t addr, unsigned align);

/**
 * Memory for @p n elements of @p size bytes from the debugger, not zeroed. The product is checked and capped at
 * ACC_ARENA_BYTES. No elements are one byte. NULL on failure.
 */
void *acc_array(struct acc_space *sp, uint64_t n, size_t size);

/** Free memory of acc_array(). Takes NULL. */
void acc_array_free(struct acc_space *sp, void *p);

#endif /* ACC_SPACE_H */
