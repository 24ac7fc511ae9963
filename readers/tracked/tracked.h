/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file tracked.h
 * The interface to the registry of the in-target library (include/track_layout.h): every MPI object, request and
 * current call of the program, for any MPI.
 *
 * The registry's contents are untrusted. Its head and tables are checked when it is opened; every record, address and
 * number when it is read. An invalid record is skipped, counted and noted.
 */
#ifndef RD_TRACKED_H
#define RD_TRACKED_H

#include "../../access/space.h"
#include "../../model/handle.h"
#include "../../model/library.h"
#include "../objects.h"

struct rd_track;

/**
 * Find the registry by its symbol and resolve its layout.
 *
 * @param sp must outlive the result
 * @param[out] ret released by rd_track_close(). Unchanged on failure.
 * @return ACC_OK; ACC_NONE: no registry in this process; ACC_EREAD, ACC_ECORRUPT, ACC_ELIMIT; ACC_EFIELD: unknown
 *         version, or a required field is not described; ACC_ENOMEM. Failures are noted.
 */
enum acc_rc rd_track_open(struct acc_space *sp, struct rd_track **ret);

/** The same at a given address, such as the one in MPI2DD_info's extension. */
enum acc_rc rd_track_open_at(struct acc_space *sp, uint64_t addr, struct rd_track **ret);

/** The MPI whose handles and constants are used. RD_TRACK_ABI:
 * those of the standard ABI of MPI 5, whichever MPI the library is. */
enum rd_track_mpi { RD_TRACK_OTHER_MPI, RD_TRACK_OPENMPI, RD_TRACK_MPICH, RD_TRACK_ABI };

/**
 * Use the same functions for objects that the reader of an MPI has found in its memory. There are then no calls,
 * variables, settings, and no memory for lists.
 *
 * @param objects copied; what it refers to must outlive the result
 * @return ACC_OK; ACC_ENOMEM
 */
enum acc_rc rd_track_open_objects(struct acc_space *sp, const struct mdl_library *library, enum rd_track_mpi mpi,
				  const struct rd_objects *objects, struct rd_track **ret);

/** Was it opened by rd_track_open_objects()? */
bool rd_track_has_no_registry(const struct rd_track *t);

/** Why no object has a handle, if more is known: static text; otherwise NULL. */
const char *rd_track_absent(const struct rd_track *t, enum mdl_handle_kind kind, uint64_t handle);

/** What a list of the kind lacks, or why the kind is not known: static text; NULL: nothing more to say. */
const char *rd_track_lacks(const struct rd_track *t, enum mdl_handle_kind kind);

/** Release. Takes NULL. */
void rd_track_close(struct rd_track *t);

/** The process may have run: read the head again. @return as rd_track_open(). */
enum acc_rc rd_track_update(struct rd_track *t);

/** The process does not run before the next rd_track_update(): searches by handle and by number use an index. */
void rd_track_keep(struct rd_track *t);

/** The library as the registry describes it: implementation, version, state, world. Borrowed, until the next update. */
const struct mdl_library *rd_track_library(const struct rd_track *t);

/** Size of a C handle of that kind in this process, in bytes. */
unsigned rd_track_handle_bytes(const struct rd_track *t, enum mdl_handle_kind kind);

/** The MPI whose constants the registry contains. */
enum rd_track_mpi rd_track_mpi(const struct rd_track *t);

/** Statistics of a kind. */
struct mdl_handle_count rd_track_count(struct rd_track *t, enum mdl_handle_kind kind);

/** Statistics of the memory for lists. */
struct mdl_handle_memory rd_track_memory(const struct rd_track *t);

/* ---- objects ----------------------------------------------------------------------------------------- */

/** Which records a walk returns. */
enum {
	RD_TRACK_LIVE = 1 << MDL_LIVE,
	RD_TRACK_FREED = 1 << MDL_FREED,
	RD_TRACK_EARLIER = 1 << MDL_EARLIER,
	RD_TRACK_ALL = RD_TRACK_LIVE | RD_TRACK_FREED | RD_TRACK_EARLIER
};

/** A walk over the objects of a kind. Plain data; needs no release. */
struct rd_track_iter {
	struct rd_track *t;
	enum mdl_handle_kind kind;
	unsigned lives;
	uint64_t i;
	bool null_given;      /**< MPI_REQUEST_NULL, which has no record, was returned */
	uint64_t n_bad;       /**< records skipped */
	uint64_t n_unsettled; /**< returned records that were being written */
};

/** Start. @return ACC_OK; ACC_NONE: this kind is not recorded here, and *ret is a walk over nothing; ACC_EINVAL. */
enum acc_rc rd_track_first(struct rd_track *t, enum mdl_handle_kind kind, unsigned lives, struct rd_track_iter *ret);

/** The next object, in the order of the slots. @return ACC_OK; ACC_NONE at the end; a failure that ends the walk. */
enum acc_rc rd_track_next(struct rd_track_iter *it, struct mdl_handle *ret);

/** Is it MPI_REQUEST_NULL? false also if the registry does not contain its value. */
bool rd_track_is_request_null(const struct rd_track *t, uint64_t handle);

/**
 * The object with a handle value: the live one, otherwise the one that was freed last.
 *
 * @return ACC_OK; ACC_NONE: no object has or had this value, as far as it is recorded; a failure of the walk.
 */
enum acc_rc rd_track_find(struct rd_track *t, enum mdl_handle_kind kind, uint64_t handle, struct mdl_handle *ret);

/** Find an object by Fortran handle. @return like rd_track_find(). */
enum acc_rc rd_track_find_fortran(struct rd_track *t, enum mdl_handle_kind kind, int64_t fortran,
				  struct mdl_handle *ret);

/**
 * Convert a Fortran handle of MPICH to the C handle. It is the same number, written as a Fortran program prints it
 * (possibly negative) or like the C handle. For files it is an index.
 *
 * @return false: another MPI, or more than 32 bits
 */
bool rd_track_fortran_handle(const struct rd_track *t, int64_t fortran, uint64_t *ret);

/**
 * Find an object by name: the predefined object with this name in the standard, even if renamed; otherwise the first
 * one that the program has given this name. @return like rd_track_find().
 */
enum acc_rc rd_track_find_name(struct rd_track *t, enum mdl_handle_kind kind, const char *name, struct mdl_handle *ret);

/** Find an object by number (mdl_handle.id). @return like rd_track_find(). */
enum acc_rc rd_track_find_id(struct rd_track *t, enum mdl_handle_kind kind, uint64_t id, struct mdl_handle *ret);

/** The object whose record is at an address of the registry (mdl_handle.addr). @return like rd_track_find(). */
enum acc_rc rd_track_find_addr(struct rd_track *t, enum mdl_handle_kind kind, uint64_t addr, struct mdl_handle *ret);

/**
 * The standard's name of a predefined object, even if the program has renamed it. If two names have the same handle,
 * the recorded one.
 *
 * @return NULL: not known
 */
const char *rd_track_standard_name(struct rd_track *t, const struct mdl_handle *h);

/* ---- lists: elements first .. first + n - 1, which must be below list->n ----------------------------- */

/** Numbers of @p width bytes: 4 and 8 are signed, 1 is unsigned. @return ACC_OK, ACC_EREAD, ACC_EINVAL. */
enum acc_rc rd_track_numbers(struct rd_track *t, const struct mdl_list *list, unsigned width, uint64_t first,
			     uint64_t n, int64_t *ret);

enum acc_rc rd_track_members(struct rd_track *t, const struct mdl_list *list, uint64_t first, uint64_t n,
			     struct mdl_handle_member *ret);

enum acc_rc rd_track_attribute(struct rd_track *t, const struct mdl_list *list, uint64_t i,
			       struct mdl_handle_attribute *ret);

/** Key and value of an info. Cut off at their sizes, always terminated. */
enum acc_rc rd_track_pair(struct rd_track *t, const struct mdl_list *list, uint64_t i, char *key, size_t key_size,
			  char *value, size_t value_size);

/** A list of characters as text. Cut off at @p size, always terminated. */
enum acc_rc rd_track_text(struct rd_track *t, const struct mdl_list *list, char *ret, size_t size);

/* ---- current calls ----------------------------------------------------------------------------------- */

/** The time on the target's machine; 0: not known. */
struct rd_track_now {
	uint64_t monotonic_ns; /**< CLOCK_MONOTONIC */
	uint64_t wall_s;       /**< time() */
};

struct rd_track_threads {
	struct rd_track *t;
	struct rd_track_now now;
	uint64_t i, n_bad;
	uint64_t n_dropped; /**< threads that are not recorded */
};

/** Start a walk. @param now NULL: not known; the registry's last time stamp is used. @return like rd_track_first(). */
enum acc_rc rd_track_threads(struct rd_track *t, const struct rd_track_now *now, struct rd_track_threads *ret);

/** The next thread that has called MPI; it need not be in a call now. @return like rd_track_next(). */
enum acc_rc rd_track_thread_next(struct rd_track_threads *it, struct mdl_thread *ret);

/** Is this the name of a function recorded in this process: "MPI_Recv"? */
bool rd_track_has_call(struct rd_track *t, const char *function);

/* ---- type maps --------------------------------------------------------------------------------------- */

/** The type map of a datatype. */
struct rd_track_typemap {
	uint64_t total;                    /**< number of basic elements; UINT64_MAX: that many or more */
	uint64_t n;                        /**< number of entries available */
	struct mdl_typemap_entry *entries; /**< released by rd_track_typemap_free(); in
					    *   the order of the standard's definition */
};

/**
 * Compute a type map.
 *
 * @param cap maximum number of entries
 * @return ACC_OK; ACC_NONE: how the type or a part of it was constructed is not recorded; ACC_ECORRUPT: its parts do
 *         not fit together; ACC_ELIMIT: nested too deeply, or too much work; ACC_EREAD, ACC_ENOMEM. Failures are noted.
 */
enum acc_rc rd_track_typemap(struct rd_track *t, const struct mdl_handle *datatype, uint64_t cap,
			     struct rd_track_typemap *ret);
void rd_track_typemap_free(struct rd_track *t, struct rd_track_typemap *map);

/**
 * Convert MPI_ORDER_C to 0, MPI_ORDER_FORTRAN to 1; MPI_DISTRIBUTE_BLOCK, _CYCLIC, _NONE to 0, 1, 2. -1: none of these.
 */
int rd_track_order(const struct rd_track *t, int64_t value);
int rd_track_distribution(const struct rd_track *t, int64_t value);

/** The name of a buffer address with a special meaning: "MPI_BOTTOM", "MPI_IN_PLACE"; else NULL. */
const char *rd_track_buffer_name(const struct rd_track *t, struct mdl_num address);

/** Is it MPI_DISTRIBUTE_DFLT_DARG? */
bool rd_track_default_darg(const struct rd_track *t, int64_t value);

/* ---- other data -------------------------------------------------------------------------------- */

/**
 * Read an MPI_Status in the target's memory. Source and tag are "any" where the MPI left its wildcards (an empty
 * status); the source may be MDL_PROC_NULL.
 *
 * @param mpi whose layout it has; RD_TRACK_OTHER_MPI: that of the MPI ABI
 *            (bytes and cancelled unavailable, source and tag unconverted)
 * @return ACC_OK; ACC_EREAD, noted.
 */
enum acc_rc rd_track_status(struct acc_space *sp, enum rd_track_mpi mpi, uint64_t addr, struct mdl_status *ret);

#endif /* RD_TRACKED_H */
