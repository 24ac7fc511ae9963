/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file registry.h
 * The registry as it was found, for the files of this folder.
 */
#ifndef RD_TRACK_REGISTRY_H
#define RD_TRACK_REGISTRY_H

#include "schema.h"
#include "tracked.h"

/** Where the records of a kind are. */
struct rd_track_slab {
	bool known;
	uint64_t records;
	uint32_t bytes, capacity, high;
	uint64_t n_dropped, n_forgotten;
	struct mdl_num n_live; /* as the writer counts them, predefined ones too; not applicable where it does not */
};

/** Predefined handles that standard.def may name. */
enum { RD_TRACK_STANDARD_MAX = 128 };

struct rd_track {
	struct acc_space *sp;
	struct rd_objects objects; /**< in place of records, when its functions are there */
	struct acc_layout layout;
	uint64_t addr; /**< of the head */
	struct mdl_library library;
	char implementation[sizeof(trk_name)];
	enum rd_track_mpi mpi;
	struct rd_track_slab slabs[TRK_N_KINDS];
	struct mdl_handle_memory memory;
	uint64_t call_names;
	uint32_t n_calls, call_name_bytes;
	uint64_t threads;
	uint32_t threads_capacity, thread_bytes, n_threads, n_threads_dropped;
	uint64_t clock_hz, clock_now;
	bool standard_asked[RD_TRACK_STANDARD_MAX]; /**< standard.c: each row's symbol is looked up once */
	uint64_t standard[RD_TRACK_STANDARD_MAX];
	uint64_t request_null; /**< handle bits of MPI_REQUEST_NULL; 0: not known */
	uint64_t
		request_empty; /**< the value of Open MPI for requests that are complete when created; 0: none, or not known */
};

/** Caps on what the head may say. */
enum {
	RD_TRACK_TYPES_MAX = 256,
	RD_TRACK_FIELDS_MAX = 8192,
	RD_TRACK_STRIDE_MAX = 4096,  /**< bytes of an entry of a table */
	RD_TRACK_RECORD_MAX = 65536, /**< bytes of a record */
	RD_TRACK_CALLS_MAX = 65536,
	RD_TRACK_THREADS_MAX = 1 << 20,
	RD_TRACK_SLABS_MAX = 256,
	RD_TRACK_NUMBER_OF_SLOTS_MAX = 1 << 28
};

/** Are there objects of a reader in place of a registry? */
static inline bool rd_track_is_borrowed(const struct rd_track *t)
{
	return t->objects.places != NULL;
}

/** Does the registry describe the field? */
static inline bool rd_track_has(const struct rd_track *t, unsigned field)
{
	return acc_layout_has(&t->layout, field);
}

/* ---- fields of a loaded object; one that the registry does not describe is unavailable ----------------- */

struct mdl_num rd_track_u(struct acc_obj *o, unsigned field);
struct mdl_num rd_track_i(struct acc_obj *o, unsigned field);

/** A handle or an address: 0 does not apply. */
struct mdl_num rd_track_ref(struct acc_obj *o, unsigned field);

/** 1 or 0; also 0 when it is not described. */
bool rd_track_flag(struct acc_obj *o, unsigned field);

/** A span. Its address and numbers are checked: an unreadable or invalid one makes @p o fail. */
struct mdl_list rd_track_list(struct acc_obj *o, unsigned field, unsigned element_bytes);

/** A name; "" when it is not described. */
void rd_track_name(struct acc_obj *o, unsigned field, char ret[MDL_NAME_BYTES]);

/** The name of a call: "MPI_Send"; "" for TRK_NO_CALL and what has none. */
void rd_track_call_name(struct rd_track *t, uint64_t call, char ret[MDL_NAME_BYTES]);

/* ---- slots.c: locations of records, and members common to all kinds ----------------------------------- */

/**
 * Load record @p i of a kind, and what records of all kinds have: handle, life, name, parent, call.
 *
 * @param[out] o the record; a failure of a field sticks in its rc
 * @return ACC_OK; ACC_NONE: the slot is empty; ACC_ECORRUPT, ACC_EREAD: it is bad, noted.
 */
enum acc_rc rd_track_brief(struct rd_track *t, enum mdl_handle_kind kind, uint64_t i, struct acc_obj *o,
			   struct mdl_handle *ret);

/** The number, handle value and state of record @p i, and no more. @return as rd_track_brief(). */
enum acc_rc rd_track_record_key(struct rd_track *t, enum mdl_handle_kind kind, uint64_t i, enum mdl_life *life,
				uint64_t *handle, uint64_t *id);

/** The slot of the object with a handle value, or a number: of several the live one, otherwise the last. @return as
 * rd_track_find(). */
enum acc_rc rd_track_slot_of(struct rd_track *t, enum mdl_handle_kind kind, uint64_t handle, uint64_t *ret);
enum acc_rc rd_track_slot_of_id(struct rd_track *t, enum mdl_handle_kind kind, uint64_t id, uint64_t *ret);

/** rd_track_slot_of(), then rd_track_brief(). */
enum acc_rc rd_track_brief_of(struct rd_track *t, enum mdl_handle_kind kind, uint64_t handle, struct mdl_handle *ret);

/** The handle in the form of records: its width, zero-extended. @return false: no handle has these bits, it is wider. */
bool rd_track_bits(const struct rd_track *t, enum mdl_handle_kind kind, uint64_t handle, uint64_t *ret);

/** Is an object that fits a better answer to a search than the best one before it? */
bool rd_track_is_better(enum mdl_life life, uint64_t id, bool found, enum mdl_life best, uint64_t best_id);

/* ---- records ------------------------------------------------------------------------------------------ */

/**
 * Record @p i of a kind.
 *
 * @return ACC_OK; ACC_NONE: the slot is empty; ACC_ECORRUPT, ACC_EREAD: it is bad, noted.
 */
enum acc_rc rd_track_record(struct rd_track *t, enum mdl_handle_kind kind, uint64_t i, struct mdl_handle *ret);

/** The facts of a kind, from a record that is loaded. */
void rd_track_facts(struct rd_track *t, struct acc_obj *o, struct mdl_handle *ret);

/* ---- the standard's names, whatever the program calls its objects --------------------------------------- */

/** Is it the predefined object with this name in the standard? If unknown, its current name decides. */
bool rd_track_stands_for(struct rd_track *t, const struct mdl_handle *h, const char *name);

/** The slot of the predefined object that the standard calls so. @return as the next one. */
enum acc_rc rd_track_slot_of_standard(struct rd_track *t, enum mdl_handle_kind kind, const char *name, uint64_t *ret);

/** The predefined object with this name in the standard. @return ACC_OK; ACC_NONE: there is none, or it is unknown. */
enum acc_rc rd_track_find_standard(struct rd_track *t, enum mdl_handle_kind kind, const char *name,
				   struct mdl_handle *ret);

/* ---- objects that others name ----------------------------------------------------------------------------- */

/**
 * An object that is named by its number instead of by its handle (TRK_BY_NUMBER): *handle is unavailable then.
 *
 * @return the number; not applicable: it is not
 */
struct mdl_num rd_track_by_number(struct mdl_num *handle);

/**
 * An object that was freed since it was named may have left its handle to another one: *handle is unavailable then.
 *
 * @param id number of the object that was named; not applicable: not known
 * @return that number, when it has; else not applicable
 */
struct mdl_num rd_track_moved(struct rd_track *t, enum mdl_handle_kind kind, struct mdl_num *handle, struct mdl_num id);

/**
 * What an ended request was made with is unavailable when more than one object has had this handle: it is not known
 * which. Unchanged otherwise.
 */
struct mdl_num rd_track_of_ended(struct rd_track *t, enum mdl_handle_kind kind, struct mdl_num handle);

/* ---- numbers that differ between MPIs ----------------------------------------------------------------- */

/** A rank as the program gave it: a number, any, or unavailable ("MPI_PROC_NULL" is negative and stays a number). */
struct mdl_num rd_track_rank(const struct rd_track *t, int64_t value);
struct mdl_num rd_track_tag(const struct rd_track *t, int64_t value);

/** The same without a registry. */
struct mdl_num rd_track_rank_of(enum rd_track_mpi mpi, int64_t value);
struct mdl_num rd_track_tag_of(enum rd_track_mpi mpi, int64_t value);

/** MPI_IN_PLACE; of an MPI that is not known here nothing is. */
bool rd_track_in_place(const struct rd_track *t, struct mdl_num address);

/** enum mdl_combiner; -1: none that is known. */
int rd_track_combiner(const struct rd_track *t, int64_t value);

struct mdl_num rd_track_win_model(const struct rd_track *t, int64_t value);

/** enum mdl_handle_kind of a kind in the registry; not applicable: TRK_N_KINDS. */
struct mdl_num rd_track_kind(int64_t value);

#endif /* RD_TRACK_REGISTRY_H */
