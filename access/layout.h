/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file layout.h
 * From names of types and fields to offsets: the rows a reader declares, and where each one is resolved.
 *
 * A reader declares what it reads once, in a .def file of ACC_TYPE and ACC_FIELD lines (readers/openmpi/
 * schema.def). From it come the enums T_type and F_type_field, the names, the fakes of the tests, the rows of
 * `mpidbg doctor` and of `mpidbg layout make`.
 *
 * Each row is resolved from the first source that has it, in the order self-description, debugger, pack
 * (docs/architecture.md), and remembers which. A row that no source has is absent: acc_layout_has() is false, loading
 * it is ACC_EFIELD, and a needed one makes acc_layout_resolve() fail with its name.
 */
#ifndef ACC_LAYOUT_H
#define ACC_LAYOUT_H

#include "limits.h"
#include "space.h"

struct acc_pack;

/** How a field is read. Its width follows from the kind and the target's basic sizes. */
enum acc_kind {
	ACC_INT,   /**< int, signed */
	ACC_UINT,  /**< unsigned int */
	ACC_I32,   /**< int32_t */
	ACC_U8,    /**< uint8_t, char */
	ACC_U16,   /**< uint16_t */
	ACC_U32,   /**< uint32_t */
	ACC_U64,   /**< uint64_t */
	ACC_BOOL,  /**< C99 bool */
	ACC_ENUM,  /**< an enum: as int, signed */
	ACC_SIZE,  /**< size_t */
	ACC_SSIZE, /**< ptrdiff_t, ssize_t, MPI_Aint: signed */
	ACC_PTR,   /**< any pointer */
	ACC_WORD,  /**< a pointer-sized unsigned word that is not always a pointer */
	ACC_CHARS, /**< an inline char array; its size is the row's `count` */
	ACC_EMBED  /**< an embedded structure or array: only its address is used */
};

/** A type of a schema. */
struct acc_type_row {
	const char *name;
	bool needed;
};

/** A field of a schema. */
struct acc_field_row {
	unsigned type; /**< index of the type row */
	const char *type_name;
	const char *name;
	enum acc_kind kind;
	unsigned count; /**< bytes of an ACC_CHARS array, else 1 */
	bool needed;    /**< the reader cannot work without it */
};

struct acc_schema {
	const char *name; /**< "openmpi" */
	const struct acc_type_row *types;
	unsigned n_types;
	const struct acc_field_row *fields;
	unsigned n_fields;
};

/** Rows of a schema, for schema.def; @p index is the constant of the enum of types. */
#define ACC_TYPE_ROW(type, needed)                             { #type, needed },
#define ACC_FIELD_ROW(index, type, field, kind, count, needed) { index, #type, #field, kind, count, needed },

/** The schema of two arrays of rows. */
#define ACC_SCHEMA(schema_name, type_rows, field_rows)                                                                 \
	{                                                                                                              \
		.name = schema_name, .types = type_rows, .n_types = sizeof(type_rows) / sizeof((type_rows)[0]),        \
		.fields = field_rows, .n_fields = sizeof(field_rows) / sizeof((field_rows)[0])                         \
	}

/** Source of a row. */
enum acc_source { ACC_SRC_NONE, ACC_SRC_SELF, ACC_SRC_DEBUGGER, ACC_SRC_PACK };

/** "self", "debugger", "pack" or "none". */
const char *acc_source_text(enum acc_source source);

/**
 * The target's own description, when it has one (the registry of the in-target library). Both functions
 * return false for what they do not know.
 */
struct acc_self {
	bool (*type)(void *ctx, const char *type, uint64_t *bytes);
	bool (*field)(void *ctx, const char *type, const char *field, uint64_t *offset, unsigned *width);
	void *ctx;
};

struct acc_field_at {
	uint32_t offset;
	uint16_t width; /**< in bytes; for an ACC_CHARS array its size; 0 for ACC_EMBED */
	uint8_t source; /**< enum acc_source */
};

struct acc_type_at {
	uint32_t bytes;  /**< sizeof; 0: unknown */
	uint32_t lo, hi; /**< range of the resolved fields: what acc_obj_load() copies */
	uint8_t source;  /**< enum acc_source */
};

/** A resolved schema. */
struct acc_layout {
	const struct acc_schema *schema;
	struct acc_type_at *types;   /**< schema->n_types of them */
	struct acc_field_at *fields; /**< schema->n_fields of them */
	const struct acc_pack *pack; /**< borrowed; NULL when none was used */
};

/**
 * Resolve every row.
 *
 * Each offset is checked: offset + width within the type's size, size at most 1 MiB. A row that fails the check
 * in one source is taken from the next one. A source that knows the field but gives its type another size than the
 * one which was taken speaks of another library: its field is not taken.
 *
 * @param self  NULL if the target does not describe itself.
 * @param pack  NULL: none. Must stay valid as long as @p ret. Its witnesses are the caller's to check first
 *              (acc_witness_check()).
 * @param ret   owned by the caller, acc_layout_deinit(). All-zero on failure.
 * @return ACC_OK; ACC_EFIELD: a needed row is nowhere, noted by name; ACC_ENOMEM.
 */
enum acc_rc acc_layout_resolve(struct acc_space *sp, const struct acc_schema *schema, const struct acc_self *self,
			       const struct acc_pack *pack, struct acc_layout *ret);

/** Release. Takes an all-zero layout. */
void acc_layout_deinit(struct acc_space *sp, struct acc_layout *layout);

/** Is the field known? */
static inline bool acc_layout_has(const struct acc_layout *layout, unsigned field)
{
	return layout->fields[field].source != ACC_SRC_NONE;
}

/** Size of a type in bytes, 0 when unknown. */
static inline uint64_t acc_layout_bytes(const struct acc_layout *layout, unsigned type)
{
	return layout->types[type].bytes;
}

/**
 * One object: a copy of the span of its resolved fields. A failure sticks in rc: load and get as many fields
 * as you like, test rc once. After a failure every get returns 0 (or ""), which must not be used.
 */
struct acc_obj {
	struct acc_space *sp;
	const struct acc_layout *layout;
	uint64_t addr;
	uint32_t lo, hi; /**< the bytes from addr + lo to addr + hi are in buf; hi == lo: read field by field */
	unsigned type;
	enum acc_rc rc;
	unsigned char buf[ACC_OBJ_BYTES];
};

/** Load an object. Checks the address (not 0, 4-byte aligned). A failure is noted with type and address. */
void acc_obj_load(struct acc_obj *ret, struct acc_space *sp, const struct acc_layout *layout, unsigned type,
		  uint64_t addr);

/** Unsigned value of a field of the object's type. A missing field makes rc ACC_EFIELD. */
uint64_t acc_get_u(struct acc_obj *o, unsigned field);

/** The same bits with their sign, whatever the kind: an ACC_U32 of 0xffffffff is -1. */
int64_t acc_get_i(struct acc_obj *o, unsigned field);

/** Address of a field in the target: for ACC_EMBED. 0 with rc set if it is missing. */
uint64_t acc_get_addr(struct acc_obj *o, unsigned field);

/** An inline string, cut to @p size - 1 bytes, always terminated. */
void acc_get_chars(struct acc_obj *o, unsigned field, char *ret, size_t size);

#endif /* ACC_LAYOUT_H */
