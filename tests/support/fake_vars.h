/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file fake_vars.h
 * MPI_T in the registry of a fake process (fake_track.h): the five tables, empty, and records in them.
 */
#ifndef FAKE_VARS_H
#define FAKE_VARS_H

#include "fake_track.h"

#include "../../model/variable.h"

enum { FAKE_VARS_CAPACITY = 16 };

struct fake_vars {
	struct fake_track *m;
	uint64_t tables; /**< of struct trk_slab */
	uint32_t table_bytes;
	uint64_t records[MDL_N_VAR_KINDS];
	uint32_t stride[MDL_N_VAR_KINDS];
};

/** Make the tables; the last refresh was at 4711, for "MPI_Init", the MPI library's own were read. */
void fake_vars_init(struct fake_vars *v, struct fake_track *m);

/** A record: live, all else zero. */
uint64_t fake_vars_row(struct fake_vars *v, enum mdl_var_kind kind, uint32_t index);

/** Name and description, or another text. */
void fake_vars_text(struct fake_vars *v, uint64_t record, unsigned field, const char *text);

/** An int control variable of the MPI library's with a value. */
uint64_t fake_vars_cvar(struct fake_vars *v, uint32_t index, const char *name, int64_t value);

/**
 * One of everything: cvars 0 "MPI2DD_TRACK_WHERE" (ours, its value 7 at a place of its own), 1 "eager_limit" 65536,
 * 2 "tcp_if" text "lo,eth0", 3 "gone" unavailable, 4 "ratio" 0.5, 5 "mode" 2 "fast" of enumeration "modes"; pvars 0
 * "queue_length" per communicator (0x100: 3), 1 "sizes" 1, 2, 3; categories 0 "MPI2DD" with cvar 0 and category 1,
 * 1 "tcp" with cvars 1, 2; event 0 "stall" (int, int); registration 0 of it: raised 5, dropped 2.
 */
void fake_vars_all(struct fake_vars *v);

#endif /* FAKE_VARS_H */
