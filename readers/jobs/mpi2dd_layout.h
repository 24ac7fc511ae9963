/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file mpi2dd_layout.h
 * The layout of MPI2DD's structures: packed, in the target's word size and byte order. No type information is needed.
 *
 * mpi2dd_fields.def contains the numbers; tests/unit/check_mpi2dd_layout.c compares them with include/mpi2dd.h.
 */
#ifndef RD_JOBS_MPI2DD_LAYOUT_H
#define RD_JOBS_MPI2DD_LAYOUT_H

#include "../../access/space.h"

enum rd_mpi2dd_struct {
	RD_MPI2DD_INFO,
	RD_MPI2DD_PROCDESC,
	RD_MPI2DD_SPAWNDESC,
	RD_MPI2DD_DIRECTORYENTRY, /**< packed: an array's stride may be larger, see place_table.h */
	RD_MPI2DD_EXTENSION,
	RD_MPI2DD_N_STRUCTS
};

/** RD_INFO_magic, RD_PROCDESC_pid ... */
enum rd_mpi2dd_field {
#define RD_MPI2DD(type, field, at64, bytes64, at32, bytes32) RD_##type##_##field,
#include "mpi2dd_fields.def"
#undef RD_MPI2DD
	RD_MPI2DD_N_FIELDS
};

struct rd_mpi2dd_place {
	uint8_t at, bytes;
};

struct rd_mpi2dd_row {
	const char *name; /**< "proctable_size" */
	enum rd_mpi2dd_struct type;
	struct rd_mpi2dd_place wide, narrow; /**< in a 64-bit and in a 32-bit process */
};

extern const struct rd_mpi2dd_row rd_mpi2dd_rows[RD_MPI2DD_N_FIELDS];

/** Size of a structure in the target; no more is read. */
uint32_t rd_mpi2dd_bytes(const struct acc_space *sp, enum rd_mpi2dd_struct type);

/** Size of the largest structure. */
enum { RD_MPI2DD_BYTES_MAX = 128 };

static inline struct rd_mpi2dd_place rd_mpi2dd_place(const struct acc_space *sp, enum rd_mpi2dd_field field)
{
	return sp->sizes.pointer_bytes == 8 ? rd_mpi2dd_rows[field].wide : rd_mpi2dd_rows[field].narrow;
}

/** A field of at most 8 bytes, zero-extended or sign-extended. @param object the bytes of the structure. */
uint64_t rd_mpi2dd_u(const struct acc_space *sp, const unsigned char *object, enum rd_mpi2dd_field field);
int64_t rd_mpi2dd_i(const struct acc_space *sp, const unsigned char *object, enum rd_mpi2dd_field field);

#endif /* RD_JOBS_MPI2DD_LAYOUT_H */
