/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file mpidbg_datatypes.h
 * The part of mpidbg.h, which includes this header, about datatypes,
 * type maps, reduction operations, MPI_Aint and MPI_Offset.
 */
#ifndef MPIDBG_DATATYPES_H
#define MPIDBG_DATATYPES_H

#include "mpidbg_objects.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Bits of type_unknown, after those of mpidbg_unknown_t. */
enum mpidbg_datatype_unknown_t {
	MPIDBG_DATATYPE_UNKNOWN_COMBINER = 0x100,
	MPIDBG_DATATYPE_UNKNOWN_SIZE = 0x200,
	MPIDBG_DATATYPE_UNKNOWN_LOWER_BOUND = 0x400,
	MPIDBG_DATATYPE_UNKNOWN_EXTENT = 0x800,
	MPIDBG_DATATYPE_UNKNOWN_TRUE_LOWER_BOUND = 0x1000,
	MPIDBG_DATATYPE_UNKNOWN_TRUE_EXTENT = 0x2000,
	MPIDBG_DATATYPE_UNKNOWN_INTEGERS = 0x4000,
	MPIDBG_DATATYPE_UNKNOWN_ADDRESSES = 0x8000,
	MPIDBG_DATATYPE_UNKNOWN_DATATYPES = 0x10000,
	MPIDBG_DATATYPE_UNKNOWN_ATTRS = 0x20000,
	MPIDBG_DATATYPE_UNKNOWN_REQUESTS = 0x40000,
	MPIDBG_DATATYPE_UNKNOWN_FILES = 0x80000,
	MPIDBG_DATATYPE_UNKNOWN_CALLS = 0x100000
};

/** What a predefined type is made of, so that a debugger can show its values. */
enum mpidbg_type_class_t {
	MPIDBG_TYPE_NOT_BASIC, /**< made by the program, MPI_DATATYPE_NULL, or not known */
	MPIDBG_TYPE_INTEGER,
	MPIDBG_TYPE_UNSIGNED,
	MPIDBG_TYPE_REAL,
	MPIDBG_TYPE_COMPLEX, /**< two reals, of half its size each */
	MPIDBG_TYPE_LOGICAL,
	MPIDBG_TYPE_CHARACTER,
	MPIDBG_TYPE_BYTES, /**< MPI_BYTE, MPI_PACKED */
	MPIDBG_TYPE_PAIR   /**< MPI_DOUBLE_INT, MPI_2REAL ...: the type map has its two elements */
};

struct mpidbg_datatype_info_t {
	struct mpidbg_object_t type_object;
	int type_combiner;  /**< enum mpidbg_combiner_t; -1: not recorded */
	int type_committed; /**< predefined types are */
	int64_t type_size, type_lower_bound, type_extent, type_true_lower_bound, type_true_extent;
	/** Arguments as they were given, in the order of MPI_Type_get_contents; datatypes by their numbers. */
	int type_num_integers, type_num_addresses, type_num_datatypes;
	int64_t *type_integers, *type_addresses, *type_datatypes;
	int type_num_attrs;
	struct mpidbg_attribute_pair_t *type_attrs;
	int type_num_requests, type_num_files, type_num_calls; /**< active requests, files, calls that use it */
	mqs_taddr_t *type_requests, *type_files;
	struct mpidbg_call_t *type_calls;
	uint64_t type_unknown; /**< enum mpidbg_datatype_unknown_t */
	int type_class;        /**< enum mpidbg_type_class_t; its size is type_size */
};

/** As MPI_COMBINER_..., numbered alike for every MPI. */
enum mpidbg_combiner_t {
	MPIDBG_COMBINER_NAMED,
	MPIDBG_COMBINER_DUP,
	MPIDBG_COMBINER_CONTIGUOUS,
	MPIDBG_COMBINER_VECTOR,
	MPIDBG_COMBINER_HVECTOR_INTEGER,
	MPIDBG_COMBINER_HVECTOR,
	MPIDBG_COMBINER_INDEXED,
	MPIDBG_COMBINER_HINDEXED_INTEGER,
	MPIDBG_COMBINER_HINDEXED,
	MPIDBG_COMBINER_INDEXED_BLOCK,
	MPIDBG_COMBINER_STRUCT_INTEGER,
	MPIDBG_COMBINER_STRUCT,
	MPIDBG_COMBINER_SUBARRAY,
	MPIDBG_COMBINER_DARRAY,
	MPIDBG_COMBINER_F90_REAL,
	MPIDBG_COMBINER_F90_COMPLEX,
	MPIDBG_COMBINER_F90_INTEGER,
	MPIDBG_COMBINER_RESIZED,
	MPIDBG_COMBINER_HINDEXED_BLOCK,
	MPIDBG_COMBINER_VALUE_INDEX
};

/**
 * A basic element of a datatype; a predefined pair (MPI_DOUBLE_INT) has two. The bytes between elements, sorted by
 * displacement, are its holes.
 */
struct mpidbg_type_map_entry_t {
	int64_t displacement; /**< bytes */
	int64_t bytes;        /**< size of the basic type */
	int64_t datatype;     /**< its number: mpidbg_object_t.number */
};

/** Bits of op_unknown, after those of mpidbg_unknown_t. */
enum mpidbg_op_unknown_t {
	MPIDBG_OP_UNKNOWN_COMMUTATIVE = 0x100,
	MPIDBG_OP_UNKNOWN_FUNCTION = 0x200,
	MPIDBG_OP_UNKNOWN_REQUESTS = 0x400,
	MPIDBG_OP_UNKNOWN_CALLS = 0x800
};

struct mpidbg_op_info_t {
	struct mpidbg_object_t op_object;
	int op_commutative; /**< -1: not known */
	mqs_taddr_t op_function;
	int op_num_requests, op_num_calls; /**< active requests and current calls that use it */
	mqs_taddr_t *op_requests;
	struct mpidbg_call_t *op_calls;
	uint64_t op_unknown; /**< enum mpidbg_op_unknown_t */
};

/** An MPI_Aint or MPI_Offset. */
struct mpidbg_integer_info_t {
	mqs_taddr_t integer_addr;
	int64_t integer_value;
	int integer_bytes;        /**< size in C, and of INTEGER(KIND=MPI_ADDRESS_KIND) or MPI_OFFSET_KIND in Fortran */
	int integer_is_signed;    /**< 1: both types are signed */
	int integer_fortran_kind; /**< the Fortran kind, for compilers whose kinds are sizes in bytes */
};

/**
 * The type map of a datatype.
 *
 * @param cap maximum number of entries to return
 * @param[out] ret one allocation, to be freed with mpidbg_free(); @p n_ret entries
 * @param[out] total number of entries that the type has; UINT64_MAX: that many or more
 */
MPIDBG_EXPORT int mpidbg_get_type_map(mqs_process *process, mqs_taddr_t datatype, size_t cap,
				      struct mpidbg_type_map_entry_t **ret, size_t *n_ret, uint64_t *total);

MPIDBG_EXPORT int mpidbg_datatype_query(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
					mqs_process_info *process_info, mqs_taddr_t datatype,
					struct mpidbg_datatype_info_t **info);
MPIDBG_EXPORT int mpidbg_datatype_f2c(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
				      mqs_process_info *process_info, mqs_taddr_t f77_datatype,
				      mqs_taddr_t *c_datatype);
MPIDBG_EXPORT int mpidbg_datatype_cxx2c(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
					mqs_process_info *process_info, mqs_taddr_t cxx_datatype,
					mqs_taddr_t *c_datatype);

MPIDBG_EXPORT int mpidbg_op_query(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
				  mqs_process_info *process_info, mqs_taddr_t c_op, struct mpidbg_op_info_t **info);
MPIDBG_EXPORT int mpidbg_op_f2c(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
				mqs_process_info *process_info, mqs_taddr_t f77_op, mqs_taddr_t *c_op);
MPIDBG_EXPORT int mpidbg_op_cxx2c(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
				  mqs_process_info *process_info, mqs_taddr_t cxx_op, mqs_taddr_t *c_op);

/**
 * The MPI_Aint (MPIDBG_AINT) or MPI_Offset (MPIDBG_OFFSET) at an address of the target.
 *
 * @param[out] ret to be freed with mpidbg_free_info(kind, ret)
 * @return as a query; MPIDBG_ERR_NOT_SUPPORTED: the width of the type cannot be determined in this process.
 */
MPIDBG_EXPORT int mpidbg_integer_query(mqs_process *process, int kind, mqs_taddr_t addr,
				       struct mpidbg_integer_info_t **ret);
#ifdef __cplusplus
}
#endif

#endif /* MPIDBG_DATATYPES_H */
