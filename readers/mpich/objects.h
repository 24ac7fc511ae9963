/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file objects.h
 * Internal interface of the files that read MPICH's objects.
 */
#ifndef RD_MPICH_OBJECTS_H
#define RD_MPICH_OBJECTS_H

#include "mpich.h"

/** An object, or a handle without an object in memory. */
struct rd_mpich_place {
	uint64_t addr; /**< 0: not in memory, or not found */
	uint64_t slot; /**< in its pool */
	uint64_t handle;
	int64_t references;
	enum mdl_life life; /**< MDL_FREED: referenced only by other objects */
	bool predefined, null;
	const char *name; /**< static; NULL: read from memory */
};

/** Forms of lists (mdl_list.form). */
enum rd_mpich_list {
	RD_MPICH_INTS = 1,   /**< int, at addr */
	RD_MPICH_HANDLES,    /**< of datatypes: int, at addr */
	RD_MPICH_LPIDS,      /**< MPII_Group_pmap_t: members of a group */
	RD_MPICH_RANKS,      /**< the same, as ranks of MPI_COMM_WORLD */
	RD_MPICH_LOCKS,      /**< of the window at addr, by rank */
	RD_MPICH_ATTRIBUTES, /**< the first MPIR_Attribute at addr */
	RD_MPICH_PAIRS,      /**< MPIR_Info at addr */
};

/** Place @p i of a kind. @return ACC_OK; ACC_NONE: nothing of the program's; ACC_ECORRUPT, ACC_EREAD: not noted */
enum acc_rc rd_mpich_place(struct rd_mpich *o, enum mdl_handle_kind kind, uint64_t i, struct rd_mpich_place *ret);

/* ---- abi.c --------------------------------------------------------------------------------------------------- */

/** Constants of the library, those of mpi.h or of the standard ABI,
 * as the model has them; -1 or NONE: there is no such constant. */
int64_t rd_mpich_combiner(const struct rd_mpich *o, int64_t own);
int64_t rd_mpich_win_flavor(const struct rd_mpich *o, int64_t own);
int64_t rd_mpich_win_model(const struct rd_mpich *o, int64_t own);
enum mdl_topology_kind rd_mpich_topology_kind(const struct rd_mpich *o, uint64_t own);

/* ---- object_facts.c ----------------------------------------------------------------------------------------- */

/** Fill in the facts of the object's kind, and its name. @return ACC_OK, ACC_EREAD, ACC_ECORRUPT */
enum acc_rc rd_mpich_object_facts(struct rd_mpich *o, const struct rd_mpich_place *at, struct mdl_handle *ret);

/* ---- object_references.c -------------------------------------------------------------------------------------- */

/** References that objects of the library hold to the group, datatype or error handler in a slot of its pool. */
uint32_t rd_mpich_references(struct rd_mpich *o, enum mdl_handle_kind kind, uint64_t slot);

/**
 * The group of MPI_COMM_WORLD (@p i 0) or MPI_COMM_SELF (1), which since 5.0 are in no pool.
 *
 * @param[out] references that the library holds
 * @return its address; 0: unknown, with @p references 0
 */
uint64_t rd_mpich_builtin_group(struct rd_mpich *o, uint64_t i, uint32_t *references);

/** Discard the counts. */
void rd_mpich_references_clear(struct rd_mpich *o);

/* ---- object_lists.c --------------------------------------------------------------------------------------------- */

/** Handle of an object; not applicable: @p addr is 0; unavailable: it cannot be read. */
struct mdl_num rd_mpich_handle_at(struct rd_mpich *o, uint64_t addr);

enum acc_rc rd_mpich_number(void *state, const struct mdl_list *list, uint64_t i, int64_t *ret);
enum acc_rc rd_mpich_member(void *state, const struct mdl_list *list, uint64_t i, struct mdl_handle_member *ret);

/** A group as a list of the given form: size 0 for NULL. Not known: its members cannot be read. */
struct mdl_list rd_mpich_group_list(struct rd_mpich *o, uint64_t group_addr, enum rd_mpich_list form);

/* ---- infos.c ------------------------------------------------------------------------------------------------ */

/** Is it an info, and not an entry of one? Up to 4.0 both are objects of the pool. */
bool rd_mpich_is_info(struct rd_mpich *o, uint64_t addr);

/**
 * Up to 4.0 each entry of an info is an object of the pool and the next of exactly one other. Is this so? false: pairs
 * may be missing from an info. Since 4.1 an info has an array: always true. Nothing is noted.
 */
bool rd_mpich_infos_are_whole(struct rd_mpich *o);

/** Addresses of the texts of pair @p i of an info. @return ACC_OK, ACC_EREAD */
enum acc_rc rd_mpich_pair_addrs(struct rd_mpich *o, uint64_t info_addr, uint64_t i, uint64_t *key, uint64_t *value);

/** The list of an info's pairs; not known when it cannot be walked. */
struct mdl_list rd_mpich_pairs(struct rd_mpich *o, uint64_t info_addr);

enum acc_rc rd_mpich_pair(void *state, const struct mdl_list *list, uint64_t i, char *key, size_t key_size, char *value,
			  size_t value_size);

/* ---- attributes.c ------------------------------------------------------------------------------------- */

/** The list of attributes that begins at @p first_addr (0: empty), without the library's own. */
struct mdl_list rd_mpich_attributes(struct rd_mpich *o, uint64_t first_addr);
enum acc_rc rd_mpich_attribute(void *state, const struct mdl_list *list, uint64_t i, struct mdl_handle_attribute *ret);

/** Has the library created the keyval at @p addr for itself: for topologies, for ROMIO? */
bool rd_mpich_is_own_keyval(struct rd_mpich *o, uint64_t addr);

/** Is @p addr in a function of the MPI library that a program cannot name? false: no, or unknown. Nothing is noted. */
bool rd_mpich_is_own_code(struct rd_mpich *o, uint64_t addr);

/** Has the library created the operation for itself: ROMIO, to compare what ranks have passed to MPI_File_open? */
bool rd_mpich_is_own_op(struct rd_mpich *o, const struct rd_mpich_place *at);

/** Can rd_mpich_is_own_code() answer for every function? Nothing is noted. */
bool rd_mpich_is_code_known(struct rd_mpich *o);

/** The topology of a communicator. @return its address; 0: none */
uint64_t rd_mpich_topology_addr(struct rd_mpich *o, const struct rd_mpich_comm *c, enum mdl_topology_kind *kind);

#endif /* RD_MPICH_OBJECTS_H */
