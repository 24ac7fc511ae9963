/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file objects.h
 * Internal interface between the files that read the objects of Open MPI.
 *
 * The handle of an object is its address. The library's Fortran translation tables hold every group, error handler,
 * file, info, operation and window from its construction on (ompi/group/group_init.c and others, 4.0 to 6.0), but of
 * datatypes, requests and messages only those that the program has converted with MPI_..._c2f. object_places.c says
 * where the others are found.
 */
#ifndef RD_OMPI_OBJECTS_H
#define RD_OMPI_OBJECTS_H

#include "openmpi.h"

/** An object of the program, or a slot of a table that should refer to one. */
struct rd_ompi_place {
	uint64_t addr;
	uint64_t handle;    /**< its address; of a keyval, its key */
	enum acc_rc rc;     /**< not ACC_OK: it is invalid or unreadable */
	enum mdl_life life; /**< freed: kept alive by references of other objects */
	bool predefined, null;
};

/** The objects of one kind. */
struct rd_ompi_places {
	bool built;
	struct rd_ompi_place *v;
	uint64_t n, cap;
	uint64_t *index; /**< hash table by handle, of 2 * cap: 1 + the first place with the handle; 0: none */
};

/** Addresses; sorted when complete. An address occurs once for each reference to it. */
struct rd_ompi_addrs {
	bool built;
	uint64_t *v;
	uint64_t n, cap;
};

/** Everything collected about objects; discarded by rd_ompi_objects_clear(). */
struct rd_ompi_objects {
	struct rd_ompi_places places[MDL_N_HANDLE_KINDS];
	struct rd_ompi_addrs references[MDL_N_HANDLE_KINDS]; /**< to groups, error handlers, datatypes */
	struct rd_ompi_addrs views;                          /**< datatypes of file views */
	struct rd_ompi_addrs requests;                       /**< of operations in the queues; not sorted */
	uint64_t n_bad_operations;
	bool heap_searched, heap_incomplete;
	bool heap_merged[MDL_N_HANDLE_KINDS];          /**< what was found there is in `places` */
	struct rd_ompi_addrs heap[MDL_N_HANDLE_KINDS]; /**< datatypes and requests, not checked */
};

/** Forms of lists (mdl_list.form). */
enum rd_ompi_list_form {
	RD_OMPI_INTS = 1,   /**< int, at addr */
	RD_OMPI_LONGS,      /**< of a pointer's size, signed, at addr */
	RD_OMPI_HANDLES,    /**< pointers, at addr */
	RD_OMPI_MEMBERS,    /**< of the group at addr */
	RD_OMPI_RANKS,      /**< the same, as ranks of MPI_COMM_WORLD */
	RD_OMPI_ATTRIBUTES, /**< in the opal_hash_table_t at addr, without the library's own */
	RD_OMPI_ALL_ATTRIBUTES,
	RD_OMPI_PAIRS,            /**< of the opal_info_t at addr */
	RD_OMPI_LOCKS,            /**< by rank: values of enum ompi_osc_sm_locktype_t at addr */
	RD_OMPI_LOCK_ARRAY_RDMA,  /**< by rank: pointers at addr to ompi_osc_rdma_sync_t */
	RD_OMPI_LOCK_TABLE_RDMA,  /**< by rank: in the opal_hash_table_t at addr, ompi_osc_rdma_sync_t */
	RD_OMPI_LOCK_TABLE_PT2PT, /**< the same, ompi_osc_pt2pt_sync_t */
	RD_OMPI_LOCK_TABLE_UCX,   /**< the same, ompi_osc_ucx_lock_t */
};

/* ---- object_basics.c ------------------------------------------------------------------------------------------- */

/** The state above, allocated when it is first needed; NULL: no memory. */
struct rd_ompi_objects *rd_ompi_objects_state(struct rd_ompi *o);

/** Discard everything. The state may never have been allocated. */
void rd_ompi_objects_clear(struct rd_ompi *o);

/** Add an address. @return false: no memory, or too many */
bool rd_ompi_addrs_add(struct rd_ompi *o, struct rd_ompi_addrs *a, uint64_t addr);

/** Sort, before counting. */
void rd_ompi_addrs_sort(struct rd_ompi_addrs *a);

/** How often is it there? */
uint64_t rd_ompi_addrs_count(const struct rd_ompi_addrs *a, uint64_t addr);

/** Load an object without a note of a failure. @return ret->rc */
enum acc_rc rd_ompi_quiet_load(struct rd_ompi *o, unsigned type, uint64_t addr, struct acc_obj *ret);

/** The pointer at the offset of a row in the structure at @p addr; 0: none, or not readable. */
uint64_t rd_ompi_pointer(struct rd_ompi *o, uint64_t addr, unsigned field);

/** The reference count of an object; 0: not readable. */
uint64_t rd_ompi_reference_count(struct rd_ompi *o, uint64_t addr);

/**
 * Add the items of the opal_free_list_t at @p addr that are in use (freelist.c). If its allocations cannot be read to
 * the end, those found so far are added.
 *
 * @return ACC_OK; ACC_NONE: not known which are unused; a failure. Then none is added.
 */
enum acc_rc rd_ompi_items_in_use(struct rd_ompi *o, uint64_t addr, struct rd_ompi_addrs *ret);

/** Has the library a table of the kind? */
bool rd_ompi_has_table(struct rd_ompi *o, enum mdl_handle_kind kind);

/** The table of a kind: an opal_pointer_array_t. @return ACC_OK; ACC_NONE: no such table; a failure, not noted */
enum acc_rc rd_ompi_object_table(struct rd_ompi *o, enum mdl_handle_kind kind, struct acc_slots *ret);

/** Text that is an inline array, or a pointer to it when the row is as wide as one. A failure is kept in obj->rc. */
void rd_ompi_name_of(struct rd_ompi *o, struct acc_obj *obj, unsigned field, char ret[MDL_NAME_BYTES]);

/* ---- object_requests.c ------------------------------------------------------------------------------------------ */

/** Addresses of the requests of all operations in the queues of the program's communicators. NULL: no memory. */
const struct rd_ompi_addrs *rd_ompi_operations(struct rd_ompi *o);

/** Add the requests of MPI_Rput and the like that osc/pt2pt and osc/ucx have taken from their lists. */
void rd_ompi_window_requests(struct rd_ompi *o, struct rd_ompi_addrs *ret);

/** Is this a request that is in no list of the library (generalized, of io/ompio, of osc/rdma), or one of a window? */
bool rd_ompi_is_lone_request(struct rd_ompi *o, uint64_t addr);

/* ---- objects.c -------------------------------------------------------------------------------------------------- */

/** The objects, as struct rd_reader asks for them. @return ACC_OK, ACC_NONE, ACC_ENOMEM */
enum acc_rc rd_ompi_objects(void *state, struct rd_objects *ret);

/* ---- object_places.c -------------------------------------------------------------------------------------------- */

/** Collect the objects of a kind, once. */
struct rd_ompi_places *rd_ompi_places(struct rd_ompi *o, enum mdl_handle_kind kind);

/** Find the place of a handle, without a search in memory. @return its index; UINT64_MAX: there is none */
uint64_t rd_ompi_place_of(struct rd_ompi *o, enum mdl_handle_kind kind, uint64_t handle);

/** Search the heap around the objects that are known, once, for datatypes and requests: into o->objects->heap. */
void rd_ompi_heap_search(struct rd_ompi *o);

/* ---- object_references.c --------------------------------------------------------------------------------------- */

/** References that other objects hold to a group, an error handler, a datatype or a communicator. */
uint64_t rd_ompi_references(struct rd_ompi *o, enum mdl_handle_kind kind, uint64_t addr);

/** Is it a datatype that io/ompio made for the view of a file? */
bool rd_ompi_is_view(struct rd_ompi *o, uint64_t addr);

/** Which component does the module of a window belong to? */
enum rd_ompi_osc { RD_OMPI_OSC_OTHER, RD_OMPI_OSC_RDMA, RD_OMPI_OSC_SM, RD_OMPI_OSC_PT2PT, RD_OMPI_OSC_UCX };
enum rd_ompi_osc rd_ompi_osc_of(struct rd_ompi *o, uint64_t module_addr);

/** The ompio_file_t of a file; 0: another component reads and writes it. */
uint64_t rd_ompi_ompio(struct rd_ompi *o, uint64_t file_addr);

/* ---- object_facts.c, object_types.c, object_windows.c ---------------------------------------------------------- */

/** Fill in the facts of the object's kind, and its name. @return ACC_OK, ACC_EREAD, ACC_ECORRUPT */
enum acc_rc rd_ompi_object_facts(struct rd_ompi *o, const struct rd_ompi_place *at, struct mdl_handle *ret);
enum acc_rc rd_ompi_datatype_facts(struct rd_ompi *o, const struct rd_ompi_place *at, struct mdl_handle *ret);
enum acc_rc rd_ompi_win_facts(struct rd_ompi *o, const struct rd_ompi_place *at, struct mdl_handle *ret);

/** How a datatype was constructed: the numbers of its arguments, and where they are. */
struct rd_ompi_args {
	int64_t combiner; /**< enum mdl_combiner */
	uint64_t n_ints, n_addresses, n_types, n_counts;
	uint64_t ints_addr, addresses_addr, types_addr, counts_addr;
};

/** @return ACC_OK; ACC_NONE: it is predefined, or the library's own; ACC_EREAD, ACC_ECORRUPT; not noted */
enum acc_rc rd_ompi_args(struct rd_ompi *o, uint64_t datatype_addr, struct rd_ompi_args *ret);

/**
 * Flags of an opal_datatype_t. @return ACC_OK, ACC_EREAD
 * OMPI_DATATYPE_FLAG_PREDEFINED is 0x200 in 16 bits of flags, and, since 6.0, 0x40000 in 32 bits. Each value is the
 * flag of no other property of a datatype in the releases where it is not this one (ompi/datatype/ompi_datatype.h,
 * opal/datatype/opal_datatype.h).
 */
enum acc_rc rd_ompi_datatype_flags(struct rd_ompi *o, uint64_t addr, uint64_t *ret);
enum { RD_OMPI_TYPE_COMMITTED = 0x4, RD_OMPI_TYPE_PREDEFINED = 0x40200 };

/* ---- object_lists.c ---------------------------------------------------------------------------------------------- */

enum acc_rc rd_ompi_number(void *state, const struct mdl_list *list, uint64_t i, int64_t *ret);
enum acc_rc rd_ompi_list_member(void *state, const struct mdl_list *list, uint64_t i, struct mdl_handle_member *ret);
enum acc_rc rd_ompi_pair(void *state, const struct mdl_list *list, uint64_t i, char *key, size_t key_size, char *value,
			 size_t value_size);

/** The pairs of the opal_info_t at @p info_addr. Not known: they cannot be read. */
struct mdl_list rd_ompi_pairs(struct rd_ompi *o, uint64_t info_addr);

/** The hints that the object at @p addr, which starts with an opal_infosubscriber_t, has. */
struct mdl_list rd_ompi_hints(struct rd_ompi *o, uint64_t addr);

/** A group as a list of the given form. Not known: NULL, or its members cannot be read. */
struct mdl_list rd_ompi_group_list(struct rd_ompi *o, uint64_t group_addr, enum rd_ompi_list_form form);

/** An array in memory. */
static inline struct mdl_list rd_ompi_elements(uint64_t addr, uint64_t n, enum rd_ompi_list_form form)
{
	return (struct mdl_list){ .addr = addr, .n = n, .total = n, .known = true, .form = (uint8_t)form };
}

/* ---- attributes.c ---------------------------------------------------------------------------------------------- */

/** A walk over the elements of an opal_hash_table_t whose keys are numbers. */
struct rd_ompi_hash {
	struct rd_ompi *o;
	uint64_t table_addr, capacity, n, i, bytes;
};

/** @return ACC_OK; ACC_EREAD, ACC_ECORRUPT: not noted. An address of 0 is a table without elements. */
enum acc_rc rd_ompi_hash_first(struct rd_ompi *o, uint64_t addr, struct rd_ompi_hash *ret);

/** @return ACC_OK; ACC_NONE at the end; ACC_EREAD */
enum acc_rc rd_ompi_hash_next(struct rd_ompi_hash *h, uint64_t *key, uint64_t *value);

/** The attributes in the table at @p hash_addr (0: none). Not known: it cannot be read. */
struct mdl_list rd_ompi_attributes(struct rd_ompi *o, uint64_t hash_addr, enum rd_ompi_list_form form);
enum acc_rc rd_ompi_attribute(void *state, const struct mdl_list *list, uint64_t i, struct mdl_handle_attribute *ret);

/** The value of the attribute with this key; not applicable: there is none; unavailable: it cannot be read. */
struct mdl_num rd_ompi_attribute_value(struct rd_ompi *o, uint64_t hash_addr, int64_t key);

/** The table of all keyvals, which no symbol names. @return its address; 0: not found */
uint64_t rd_ompi_keyval_table(struct rd_ompi *o);

enum acc_rc rd_ompi_keyval_facts(struct rd_ompi *o, const struct rd_ompi_place *at, struct mdl_handle *ret);

#endif /* RD_OMPI_OBJECTS_H */
