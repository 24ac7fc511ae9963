/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file registry.h
 * The opened registry, shared by the files of this directory.
 */
#ifndef RD_TRACK_REGISTRY_H
#define RD_TRACK_REGISTRY_H

#include "schema.h"
#include "tracked.h"

/** The location of a kind's records. */
struct rd_track_slab {
	bool known;
	bool asked;   /* `known` is set */
	bool counted; /* `high` and `capacity` are */
	uint64_t records;
	uint32_t bytes, capacity, high;
	uint64_t n_dropped, n_forgotten;
	struct mdl_num n_live; /* counted by the writer, including predefined objects; not applicable: not counted */
};

/** Slots by handle and by number; of several objects the one that a search prefers. */
struct rd_track_index {
	bool tried;
	uint64_t mask;                  /**< of the tables; they are at most half full */
	struct rd_track_indexed *by[2]; /**< by handle, by number; NULL: none */
};

/** Predefined handles that standard.def may name. */
enum { RD_TRACK_STANDARD_MAX = 128 };

struct rd_track {
	struct acc_space *sp;
	struct rd_objects objects; /**< the registry's own (rd_track_recorded()), or those of a reader */
	struct acc_layout layout;
	bool kept; /**< rd_track_keep() */
	struct rd_track_index index[MDL_N_HANDLE_KINDS];
	uint64_t addr; /**< of the head; 0: the objects are a reader's */
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
	uint64_t request_null;  /**< handle bits of MPI_REQUEST_NULL; 0: not known */
	uint64_t request_empty; /**< Open MPI's handle value for requests that are
				 *   complete when created; 0: none, or not known */
};

/** Limits on the sizes in the head. */
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

/** Can the kind be read? Objects from a reader are asked for when this is called first: it may have to
 * search for them. */
bool rd_track_knows(struct rd_track *t, enum mdl_handle_kind kind);

/** Slots of a kind that a walk reads. */
uint64_t rd_track_high(struct rd_track *t, enum mdl_handle_kind kind);

/** Does the registry describe the field? */
static inline bool rd_track_has(const struct rd_track *t, unsigned field)
{
	return acc_layout_has(&t->layout, field);
}

/* ---- fields of a loaded object; one that the registry does not describe is unavailable ------------------- */

struct mdl_num rd_track_u(struct acc_obj *o, unsigned field);
struct mdl_num rd_track_i(struct acc_obj *o, unsigned field);

/** A handle or an address; 0: not applicable. */
struct mdl_num rd_track_ref(struct acc_obj *o, unsigned field);

/** true if the value is 1; false if it is 0 or not described. */
bool rd_track_flag(struct acc_obj *o, unsigned field);

/** A span. Its address and sizes are checked: if it is invalid or unreadable, @p o fails. */
struct mdl_list rd_track_list(struct acc_obj *o, unsigned field, unsigned element_bytes);

/** A name; "" when it is not described. */
void rd_track_name(struct acc_obj *o, unsigned field, char ret[MDL_NAME_BYTES]);

/** The name of a call: "MPI_Send"; "" for TRK_NO_CALL and calls without a name. */
void rd_track_call_name(struct rd_track *t, uint64_t call, char ret[MDL_NAME_BYTES]);

/* ---- the registry itself ------------------------------------------------------------------------------ */

/** Read its head: where its tables are. @return ACC_OK; a failure, noted, and no kind is known */
enum acc_rc rd_track_read(struct rd_track *t);

/** Its records as objects. */
struct rd_objects rd_track_recorded(struct rd_track *t);

/** The facts specific to its kind, from a loaded record. */
void rd_track_facts(struct rd_track *t, struct acc_obj *o, struct mdl_handle *ret);

/* ---- slots.c: single objects, and searches for them ---------------------------------------------------- */

/**
 * The object in slot @p i of a kind, with all its facts.
 *
 * @return ACC_OK; ACC_NONE: the slot is empty; ACC_ECORRUPT, ACC_EREAD: it is bad, noted.
 */
enum acc_rc rd_track_record(struct rd_track *t, enum mdl_handle_kind kind, uint64_t i, struct mdl_handle *ret);

/** With those common to all kinds at least: handle, life, name, parent, call. @return like rd_track_record(). */
enum acc_rc rd_track_brief(struct rd_track *t, enum mdl_handle_kind kind, uint64_t i, struct mdl_handle *ret);

/** Only the number, handle value and state of record @p i. @return like rd_track_record(). */
enum acc_rc rd_track_record_key(struct rd_track *t, enum mdl_handle_kind kind, uint64_t i, enum mdl_life *life,
				uint64_t *handle, uint64_t *id);

/**
 * Look for the object of a handle that no slot has, where handles are addresses (objects.h). @return true: there is
 * one, in a new slot
 */
bool rd_track_add(struct rd_track *t, enum mdl_handle_kind kind, uint64_t handle);

/**
 * The slot of the object with a handle value, or a number: of several
 * the live one, otherwise the last. @return like rd_track_find().
 */
enum acc_rc rd_track_slot_of(struct rd_track *t, enum mdl_handle_kind kind, uint64_t handle, uint64_t *ret);
enum acc_rc rd_track_slot_of_id(struct rd_track *t, enum mdl_handle_kind kind, uint64_t id, uint64_t *ret);

/** rd_track_slot_of(), then rd_track_brief(). */
enum acc_rc rd_track_brief_of(struct rd_track *t, enum mdl_handle_kind kind, uint64_t handle, struct mdl_handle *ret);

/**
 * Convert a handle to the form in records: the handle's width,
 * zero-extended. @return false: it is too wide to be a handle.
 */
bool rd_track_bits(const struct rd_track *t, enum mdl_handle_kind kind, uint64_t handle, uint64_t *ret);

/** Start an index for up to @p n records. @return false: no memory, or too many */
bool rd_track_index_open(struct rd_track *t, enum mdl_handle_kind kind, uint64_t n);

/** Add a record to the index that is open. */
void rd_track_index_add(struct rd_track *t, enum mdl_handle_kind kind, uint64_t slot, enum mdl_life life,
			uint64_t handle, uint64_t id);

/** Look in the index that is open. @return false: it has no such record */
bool rd_track_index_find(const struct rd_track *t, enum mdl_handle_kind kind, bool by_id, uint64_t value,
			 uint64_t *ret);

/** Discard the indexes of all kinds. */
void rd_track_index_free(struct rd_track *t);

/** Is this match better than the best one so far? */
bool rd_track_is_better(enum mdl_life life, uint64_t id, bool found, enum mdl_life best, uint64_t best_id);

/* ---- the standard's names, whatever the program calls its objects --------------------------------------- */

/** Is it the predefined object with this name in the standard? If unknown, its current name decides. */
bool rd_track_stands_for(struct rd_track *t, const struct mdl_handle *h, const char *name);

/** The slot of the predefined object with this name in the standard. @return like rd_track_find_standard(). */
enum acc_rc rd_track_slot_of_standard(struct rd_track *t, enum mdl_handle_kind kind, const char *name, uint64_t *ret);

/** The predefined object with this name in the standard. @return ACC_OK; ACC_NONE: there is none, or it is unknown. */
enum acc_rc rd_track_find_standard(struct rd_track *t, enum mdl_handle_kind kind, const char *name,
				   struct mdl_handle *ret);

/* ---- references to other objects ------------------------------------------------------------------------- */

/**
 * Handle a reference by number instead of by handle (TRK_BY_NUMBER): *handle becomes unavailable.
 *
 * @return the number; not applicable: it is a reference by handle
 */
struct mdl_num rd_track_by_number(struct mdl_num *handle);

/**
 * Handle a reference to an object that was freed and whose handle
 * value may have been reused: *handle becomes unavailable then.
 *
 * @param id number of the referenced object; not applicable: not known
 * @return that number if the handle was reused; else not applicable
 */
struct mdl_num rd_track_moved(struct rd_track *t, enum mdl_handle_kind kind, struct mdl_num *handle, struct mdl_num id);

/**
 * A reference of an ended request becomes unavailable if more than one object has had this handle value, because it is
 * not known which one is meant. Unchanged otherwise.
 */
struct mdl_num rd_track_of_ended(struct rd_track *t, enum mdl_handle_kind kind, struct mdl_num handle);

/* ---- numbers that differ between MPIs ----------------------------------------------------------------- */

/** A rank as passed by the program: a number, "any", or unavailable. MPI_PROC_NULL stays a (negative) number. */
struct mdl_num rd_track_rank(const struct rd_track *t, int64_t value);
struct mdl_num rd_track_tag(const struct rd_track *t, int64_t value);

/** The same without a registry. */
struct mdl_num rd_track_rank_of(enum rd_track_mpi mpi, int64_t value);
struct mdl_num rd_track_tag_of(enum rd_track_mpi mpi, int64_t value);

/** Is it MPI_IN_PLACE? Always false for an unknown MPI. */
bool rd_track_in_place(const struct rd_track *t, struct mdl_num address);

/** enum mdl_combiner; -1: unknown. */
int rd_track_combiner(const struct rd_track *t, int64_t value);

/**
 * The handle of the ABI for an object that the library's own reader has found. Of a process without the ABI: @p native.
 *
 * @param native handle of the library itself
 * @param addr   of the object; 0: not known
 */
uint64_t rd_track_of_native(struct rd_track *t, enum mdl_handle_kind kind, uint64_t native, uint64_t addr);

/** Bytes of a handle in the records: the program's or, of objects from a reader, the library's own. */
unsigned rd_track_key_bytes(const struct rd_track *t, enum mdl_handle_kind kind);

/**
 * The library's own handle for a handle of the program; 0: not known. Of a process without the ABI they are the same.
 * MPICH's basic datatypes are without their sizes.
 */
uint64_t rd_track_native(struct rd_track *t, enum mdl_handle_kind kind, uint64_t handle);

/** The name of a constant of the ABI; NULL: there is none. */
const char *rd_track_name_of_standard(enum mdl_handle_kind kind, uint64_t standard);

/**
 * The handle of the ABI for a predefined handle of the library itself.
 *
 * @return ACC_OK; ACC_NONE: not known, @p ret is unchanged
 */
enum acc_rc rd_track_standard_of_native(struct rd_track *t, enum mdl_handle_kind kind, uint64_t native, uint64_t *ret);

struct mdl_num rd_track_win_model(const struct rd_track *t, int64_t value);
struct mdl_num rd_track_win_flavor(const struct rd_track *t, struct mdl_num value);
struct mdl_num rd_track_file_mode(const struct rd_track *t, struct mdl_num value);

/** enum mdl_handle_kind of a kind in the registry; not applicable: TRK_N_KINDS. */
struct mdl_num rd_track_kind(int64_t value);

#endif /* RD_TRACK_REGISTRY_H */
