/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file fake_mpi2dd.h
 * MPI2DD_info and its tables in a fake's memory, laid out by include/mpi2dd.h and not by the reader's own numbers.
 *
 *     struct fake_mpi2dd m;
 *     fake_mpi2dd_init(&m, f);                          a valid MPI2DD_info without processes
 *     fake_mpi2dd_job(&m, 4);                           4 processes of one world, on 2 hosts
 *     fake_mpi2dd_put(&m, FAKE_INFO(proctable_size), -3);
 */
#ifndef FAKE_MPI2DD_H
#define FAKE_MPI2DD_H

#include "fake.h"

#include "../../include/mpi2dd.h"

/** A field: its offset and width in a 64-bit and in a 32-bit process. */
struct fake_mpi2dd_field {
	size_t at64, at32;
	unsigned bytes64, bytes32;
	const char *name;
};

#define FAKE_FIELD(type, field)                                                                                        \
	((struct fake_mpi2dd_field){ offsetof(struct MPI2DD_##type##_64, field),                                       \
				     offsetof(struct MPI2DD_##type##_32, field),                                       \
				     sizeof(((struct MPI2DD_##type##_64 *)0)->field),                                  \
				     sizeof(((struct MPI2DD_##type##_32 *)0)->field), #field })
#define FAKE_INFO(field)  FAKE_FIELD(INFO, field)
#define FAKE_PROC(field)  FAKE_FIELD(PROCDESC, field)
#define FAKE_SPAWN(field) FAKE_FIELD(SPAWNDESC, field)
#define FAKE_PLACE(field) FAKE_FIELD(DIRECTORYENTRY, field)

struct fake_mpi2dd {
	struct fake *f;
	uint64_t info_addr;
	uint64_t procs_addr, directories_addr, metadirectories_addr; /**< 0: none */
	uint32_t proc_bytes, place_stride;
	char world[64];
};

/** Define the symbol: magic, version, variant, the rest 0. */
void fake_mpi2dd_init(struct fake_mpi2dd *ret, struct fake *f);

/** Write a field of MPI2DD_info, or of the structure at @p addr; negative values in two's complement. */
void fake_mpi2dd_put(struct fake_mpi2dd *m, struct fake_mpi2dd_field field, int64_t value);
void fake_mpi2dd_put_at(struct fake_mpi2dd *m, uint64_t addr, struct fake_mpi2dd_field field, int64_t value);

/** Address of the i-th entry of a table. */
uint64_t fake_mpi2dd_proc(const struct fake_mpi2dd *m, size_t i);

/**
 * A process table: process i has rank i, pid 1000 + i, host "node<i/2>" (a string of its own), executable
 * "/bin/ring", the world m->world; flags directory and metadirectory; this process's own metadirectory is process
 * 0. The memory after the last byte of the table is unreadable.
 */
void fake_mpi2dd_job(struct fake_mpi2dd *m, size_t n);

/** Process i was spawned by rank @p parent_rank of @p world as its spawn @p sequence. */
void fake_mpi2dd_spawned(struct fake_mpi2dd *m, size_t i, const char *world, int parent_rank, int sequence);

/**
 * A table of directories (or of metadirectories): entry i has pid @p first_pid + i, host "dir<i>", "/bin/ring".
 *
 * @param n at least 1. The last byte of the last entry, without padding, is the last that can be read.
 * @param stride 0: packed
 * @return its address
 */
uint64_t fake_mpi2dd_places(struct fake_mpi2dd *m, bool meta, size_t n, int first_pid, uint32_t stride);

#endif /* FAKE_MPI2DD_H */
