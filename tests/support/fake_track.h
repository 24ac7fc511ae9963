/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file fake_track.h
 * A process with a registry (include/track_layout.h), of either word size and byte order.
 *
 * The records have a layout that no compiler would choose, given in the registry's description of itself, so that
 * a reader with built-in offsets is detected.
 *
 *     struct fake_track *m = fake_track_create(8, false, "Open MPI");
 *     uint64_t comm = fake_track_add(m, TRK_COMM, 0x1000);           live, with a number
 *     fake_put_chars(m->f, comm, F_trk_comm_name, "MPI_COMM_WORLD");
 *     fake_track_numbers(m, comm, F_trk_comm_dims, 4, dims, 2);
 *     ...
 *     fake_track_destroy(m);                                          fails the test when memory leaked
 */
#ifndef FAKE_TRACK_H
#define FAKE_TRACK_H

#include "fake.h"

#include "../../readers/tracked/schema.h"

enum { FAKE_TRACK_CAPACITY = 64, FAKE_TRACK_THREADS = 4 };

struct fake_track {
	struct fake *f;
	uint64_t registry, types, fields, slabs, threads, call_names;
	uint64_t records[TRK_N_KINDS];
	uint32_t stride[TRK_N_KINDS], n[TRK_N_KINDS];
	uint32_t thread_stride, frames_offset;
	uint64_t next_id;
};

/** A registry with empty slabs and no calls. @param mpi "Open MPI" or "MPICH" */
struct fake_track *fake_track_create(unsigned word_bytes, bool big_endian, const char *mpi);

/** Release, including the fake. NULL is accepted. */
void fake_track_destroy(struct fake_track *m);

/** A live object. @return its record */
uint64_t fake_track_add(struct fake_track *m, enum trk_kind kind, uint64_t handle);

/** Field of TRK_OBJECT_FIELDS in a record of that kind, by the field of trk_comm: not for requests. */
unsigned fake_track_field(enum trk_kind kind, unsigned field_of_comm);

/** The number of an object's record. */
uint64_t fake_track_id(struct fake_track *m, enum trk_kind kind, uint64_t record);

/** Lists. @param width 1, 4 or 8 */
void fake_track_numbers(struct fake_track *m, uint64_t record, unsigned field, unsigned width, const int64_t *values,
			uint32_t n);
void fake_track_members(struct fake_track *m, uint64_t record, unsigned field, const int *ranks, uint32_t n);
void fake_track_pairs(struct fake_track *m, uint64_t record, unsigned field, const char *const *pairs, uint32_t n);
void fake_track_text(struct fake_track *m, uint64_t record, unsigned field, const char *text);
void fake_track_attributes(struct fake_track *m, uint64_t record, unsigned field, uint64_t keyval, int key,
			   uint64_t value);

/** Number of a call: "MPI_Recv". Ends the test if the fake does not have it. */
uint32_t fake_track_call(const char *name);

/** A datatype made of others: its arguments as the standard's MPI_Type_get_contents orders them. @return its record */
uint64_t fake_track_datatype(struct fake_track *m, uint64_t handle, int combiner, int64_t size, int64_t extent,
			     const int64_t *ints, uint32_t n_ints, const int64_t *addrs, uint32_t n_addrs,
			     const uint64_t *types, uint32_t n_types);

/** Use slot @p i for a thread. @return its address */
uint64_t fake_track_thread(struct fake_track *m, unsigned i, uint32_t tid, uint32_t depth);

/** Address of its k-th frame. */
uint64_t fake_track_frame(struct fake_track *m, uint64_t thread, unsigned k);

#endif /* FAKE_TRACK_H */
