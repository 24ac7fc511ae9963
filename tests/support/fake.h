/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file fake.h
 * A simulated process: memory, symbols and types created by a test, in either word size and byte order.
 *
 * A fake is laid out from a reader's own schema, so that a test never repeats an offset:
 *
 *     struct fake *f = fake_create(8, false, &rd_ompi_schema);
 *     fake_base(f, T_ompi_communicator_t, T_opal_object_t);            the object header comes first in it
 *     fake_embed(f, F_opal_list_t_opal_list_sentinel, T_opal_list_item_t, 1);
 *     fake_lay_out(f);                                                 or fake_lay_out_as(f, pack)
 *     uint64_t comm = fake_new(f, T_ompi_communicator_t);
 *     fake_put_u(f, comm, F_ompi_communicator_t_c_my_rank, 3);
 *     fake_put_chars(f, comm, F_ompi_communicator_t_c_name, "MPI_COMM_WORLD");
 *     fake_symbol(f, "ompi_mpi_comm_world", comm);
 *
 *     struct acc_space sp;
 *     struct acc_layout layout;
 *     ck_assert_int_eq(fake_space(f, &sp), ACC_OK);
 *     ck_assert_int_eq(fake_resolve(f, &sp, FAKE_BY_TYPES, &layout), ACC_OK);
 *     ...
 *     acc_layout_deinit(&sp, &layout);
 *     acc_space_deinit(&sp);
 *     fake_destroy(f);                                                 fails the test when memory leaked
 *
 * Wrong use by the test (an unmapped address, a value that does not fit) ends the test with a message; these
 * functions return no errors. Invalid requests of the code under test fail without ending the test. fake_mqs.h
 * turns a fake into a complete debugger that calls the built DLL.
 */
#ifndef FAKE_H
#define FAKE_H

#include "../../access/layout.h"
#include "../../access/pack.h"

/** The source of types. */
enum fake_by {
	FAKE_BY_TYPES, /**< the debugger's type callbacks */
	FAKE_BY_PACK,  /**< a pack made from the fake; the type callbacks know nothing */
	FAKE_BY_NOBODY /**< neither */
};

/** Lets a callback fail: the n-th call after fake_fuse(), once or from then on. */
struct fake_fuse {
	int64_t left; /**< calls that still succeed; -1: never fails */
	bool for_ever;
	uint64_t n_calls;  /**< since fake_fuse() */
	uint64_t n_failed; /**< calls that the fuse let fail */
};

struct fake_type_at {
	uint32_t bytes;
	uint32_t at; /**< offset of the type's own fields, after its base */
	int base;    /**< -1: none */
	bool hidden;
	bool laid_out;
};

struct fake_field_at {
	uint32_t offset, bytes;
	int embed; /**< type of an ACC_EMBED, -1: opaque */
	uint32_t embed_n;
	bool hidden;
	bool fixed; /**< the test has set the offset */
};

struct fake_segment;
struct fake_symbol_row;
struct fake_block;

struct fake {
	unsigned word_bytes;
	bool big_endian;
	const struct acc_schema *schema; /**< may be NULL: no types */
	struct fake_type_at *types;
	struct fake_field_at *fields;
	bool laid_out;
	enum fake_by by;

	struct fake_fuse reads, allocs;         /**< read and alloc callbacks */
	uint64_t n_reads, read_bytes, n_failed; /**< counts of the read callback */
	uint64_t n_symbols_asked, n_types_asked;
	uint64_t largest_read;
	size_t n_live; /**< blocks allocated and not released */
	uint64_t live_bytes, peak_bytes;

	struct fake_segment *segments; /**< sorted by address */
	size_t n_segments;
	struct fake_symbol_row *symbols;
	size_t n_symbol_rows;
	struct fake_block *blocks;
	uint64_t heap_addr; /**< next address of fake_alloc() */
	char *pack_text;
	struct acc_pack *pack;
	char witness_text[16384];
};

/* ---- life ------------------------------------------------------------------------------------------ */

/**
 * @param word_bytes 4 or 8
 * @param schema     borrowed; NULL: a fake without types
 */
struct fake *fake_create(unsigned word_bytes, bool big_endian, const struct acc_schema *schema);

/** Release. Fails the test if the code under test has leaked memory. NULL is accepted. */
void fake_destroy(struct fake *f);

/* ---- memory ---------------------------------------------------------------------------------------- */

/** Map zeroed memory. It must not overlap other mappings; adjacent segments read as one. */
void fake_map(struct fake *f, uint64_t addr, uint64_t bytes);

/** Unmap every whole segment that starts at @p addr. */
void fake_unmap(struct fake *f, uint64_t addr);

/** Zeroed memory from the fake's heap (mapped as needed), aligned to @p align (a power of two). Never adjacent
 *  to the end of its mapping unless fake_alloc_last() is used. */
uint64_t fake_alloc(struct fake *f, uint64_t bytes, unsigned align);

/** Zeroed memory whose last byte is the last byte of a mapping: bytes after it cannot be read. */
uint64_t fake_alloc_last(struct fake *f, uint64_t bytes);

/** Is all of it mapped? */
bool fake_mapped(const struct fake *f, uint64_t addr, uint64_t bytes);

/** Write and read bytes as the program would. */
void fake_write(struct fake *f, uint64_t addr, const void *bytes, size_t n);
void fake_peek(const struct fake *f, uint64_t addr, void *ret, size_t n);

/** Integers of 1..8 bytes in the target's byte order. @p value must fit (as signed or unsigned). */
void fake_write_u(struct fake *f, uint64_t addr, unsigned width, uint64_t value);
uint64_t fake_peek_u(const struct fake *f, uint64_t addr, unsigned width);
void fake_write_ptr(struct fake *f, uint64_t addr, uint64_t value);
uint64_t fake_peek_ptr(const struct fake *f, uint64_t addr);

/** A NUL-terminated string on the heap. @return its address. */
uint64_t fake_string(struct fake *f, const char *text);

/** An array of pointers or of ints on the heap. */
uint64_t fake_ptrs(struct fake *f, const uint64_t *values, size_t n);
uint64_t fake_ints(struct fake *f, const int *values, size_t n);

/** Define a symbol, or move it. */
void fake_symbol(struct fake *f, const char *name, uint64_t addr);

/** Forget a symbol. */
void fake_symbol_remove(struct fake *f, const char *name);

/* ---- types ----------------------------------------------------------------------------------------- */

/** The first member of @p type is a @p base; its own fields follow. Call before fake_lay_out(). */
void fake_base(struct fake *f, unsigned type, unsigned base);

/** The ACC_EMBED field holds @p n objects of @p type. Opaque ones have 64 bytes. Before fake_lay_out(). */
void fake_embed(struct fake *f, unsigned field, unsigned type, unsigned n);

/** Set the offset of a field, or the size of a type. Call before fake_lay_out(). */
void fake_fix_field(struct fake *f, unsigned field, uint32_t offset);
void fake_fix_type(struct fake *f, unsigned type, uint32_t bytes);

/** No source knows the type (and its fields), or the field. At any time before resolving. */
void fake_hide_type(struct fake *f, unsigned type);
void fake_hide_field(struct fake *f, unsigned field);

/**
 * Give every type a size and every field an offset: after the base, in an order different from the schema's,
 * naturally aligned, with gaps. Two fakes of one schema and word size are laid out the same.
 */
void fake_lay_out(struct fake *f);

/** Lay out by a pack; types and fields that it lacks are hidden. The pack must have the word size of the fake. */
void fake_lay_out_as(struct fake *f, const struct acc_pack *pack);

/** Size of a type; offset and width of a field. After fake_lay_out(). */
uint32_t fake_type_bytes(const struct fake *f, unsigned type);
uint32_t fake_field_offset(const struct fake *f, unsigned field);
unsigned fake_field_width(const struct fake *f, unsigned field);

/* ---- objects --------------------------------------------------------------------------------------- */

/** A zeroed object on the heap, 16-byte aligned. */
uint64_t fake_new(struct fake *f, unsigned type);

/** @p n zeroed objects, @p stride bytes apart (0: the type's size rounded up to 16). @return the first. */
uint64_t fake_new_n(struct fake *f, unsigned type, size_t n, uint64_t stride);

/** Set and get a field of the object at @p addr. */
void fake_put_u(struct fake *f, uint64_t addr, unsigned field, uint64_t value);
void fake_put_i(struct fake *f, uint64_t addr, unsigned field, int64_t value);
void fake_put_chars(struct fake *f, uint64_t addr, unsigned field, const char *text);
uint64_t fake_get_u(const struct fake *f, uint64_t addr, unsigned field);

/** Address of a field of the object at @p addr. */
uint64_t fake_field_addr(const struct fake *f, uint64_t addr, unsigned field);

/* ---- failures -------------------------------------------------------------------------------------- */

/**
 * Arm a fuse: @p n more calls succeed, the next one fails, and all later ones too when @p for_ever. The loop:
 *
 *     for (int64_t n = 0;; n++) {
 *             fake_fuse(&f->reads, n, false);
 *             rc = the operation;
 *             if (!f->reads.n_failed)
 *                     break;          nothing failed: every call has failed once
 *             ck_assert_int_ne(rc, ACC_OK); ...
 *     }
 *     fake_fuse_off(&f->reads);
 */
void fake_fuse(struct fake_fuse *fuse, int64_t n, bool for_ever);
void fake_fuse_off(struct fake_fuse *fuse);

/* ---- the fake as a target -------------------------------------------------------------------------- */

/** The operations; their ctx is the fake. */
extern const struct acc_target_ops fake_ops;

/** Sizes of the target's basic types: ILP32 or LP64. */
struct acc_sizes fake_sizes(const struct fake *f);

/** acc_space_init() on the fake. */
enum acc_rc fake_space(struct fake *f, struct acc_space *ret);

/** Set the source of types. The default is FAKE_BY_TYPES. */
void fake_answer_by(struct fake *f, enum fake_by by);

/**
 * The fake's layout as a pack text; fake_witness_...() lines are in it. The fake owns it, until the next call.
 * To pass it to the built DLL, write it to a file in a folder that $MPIDBG_LAYOUTS names.
 */
const char *fake_pack_text(struct fake *f, const char *implementation, const char *version);

/** Add a witness to later fake_pack_text()s. */
void fake_witness_u(struct fake *f, const char *symbol, uint32_t offset, unsigned width, uint64_t value);
void fake_witness_string(struct fake *f, const char *symbol, const char *text);

/** fake_pack_text() parsed. The fake owns it, until the next call. */
const struct acc_pack *fake_pack(struct fake *f, const char *implementation, const char *version);

/** Resolve the fake's schema from types or from a pack. Release with acc_layout_deinit(). */
enum acc_rc fake_resolve(struct fake *f, struct acc_space *sp, enum fake_by by, struct acc_layout *ret);

#endif /* FAKE_H */
