/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file variable.h
 * The state of MPI_T: control variables, performance variables, categories, types of events, registrations.
 *
 * Strings and lists remain in the target; they are read through the reader that returned the fact.
 */
#ifndef MDL_VARIABLE_H
#define MDL_VARIABLE_H

#include "handle.h"

#include <stdbool.h>

/** The tables of MPI_T. */
enum mdl_var_kind { MDL_CVARS, MDL_PVARS, MDL_CATEGORIES, MDL_EVENTS, MDL_REGISTRATIONS, MDL_N_VAR_KINDS };

/** Datatypes of variables and elements. */
enum mdl_var_type {
	MDL_VAR_OTHER,
	MDL_VAR_INT,
	MDL_VAR_UNSIGNED,
	MDL_VAR_UNSIGNED_LONG,
	MDL_VAR_UNSIGNED_LONG_LONG,
	MDL_VAR_COUNT,
	MDL_VAR_CHAR, /**< a text */
	MDL_VAR_DOUBLE,
	MDL_VAR_INT32,
	MDL_VAR_INT64,
	MDL_VAR_UINT32,
	MDL_VAR_UINT64,
	MDL_VAR_LONG,
	MDL_VAR_BOOL,
	MDL_N_VAR_TYPES
};

/** Are the MPI library's variables included? */
enum mdl_vars_host { MDL_VARS_NOT_READ, MDL_VARS_READ, MDL_VARS_NONE, MDL_VARS_OFF };

/** Facts about all tables. */
struct mdl_vars {
	bool known; /**< false: nothing was read yet */
	enum mdl_vars_host host;
	struct mdl_num read_at; /**< of the last refresh: time() of the target; unavailable: there was none */
	struct mdl_num n_refreshes;
	uint64_t why;     /**< text: cause of the last refresh; 0: none */
	uint64_t refused; /**< text: lines about settings that were not understood; 0: none */
	uint64_t n_dropped;
};

/** A control or a performance variable. Addresses of texts: 0 when there is none. */
struct mdl_variable {
	enum mdl_var_kind kind; /**< MDL_CVARS or MDL_PVARS */
	uint64_t index;
	bool unsettled; /**< the process was stopped while the record was being written */
	bool of_mpi;    /**< true: of the MPI library; false: of the in-target library */
	uint64_t name, description, enumeration, item;
	enum mdl_var_type type;
	struct mdl_num bind, verbosity, count;
	struct mdl_num scope;                                   /**< of a control variable: 0 constant .. 6 all equal */
	struct mdl_num var_class, readonly, continuous, atomic; /**< of a performance variable */

	struct mdl_num
		value; /**< one number, or the bits of a double; not applicable: text, numbers or objects has it */
	uint64_t text; /**< value of a text, `text_bytes` long at most */
	uint64_t text_bytes;
	bool is_text;
	struct mdl_list values;  /**< several numbers, 8 bytes each */
	struct mdl_list objects; /**< of struct mdl_object_value: bound to objects */
	struct mdl_list cells;   /**< counters of the objects' values; not known: the values are those of read_at */
	bool of_queues;          /**< bound to communicators, with current values from their queues: no `objects` */
	struct mdl_num read_at;  /**< time() of the target; not applicable: the value is current */
	uint64_t read_for;       /**< text: cause of the reading; 0: not known, or the value is current */
};

struct mdl_object_value {
	uint64_t object; /**< bits of its handle */
	uint64_t value;
	uint64_t count; /**< elements of which `value` is the sum */
	bool gone;      /**< the object was freed, so it has no value */
};

struct mdl_category {
	uint64_t index;
	bool unsettled, of_mpi;
	uint64_t name, description;
	struct mdl_num parent;      /**< not applicable: none */
	struct mdl_list members[4]; /**< numbers of 4 bytes: indices of control variables, performance variables,
				       events, categories */
};

struct mdl_event {
	uint64_t index;
	bool unsettled, of_mpi, ordered;
	uint64_t name, description, source;
	struct mdl_num bind;
	struct mdl_list elements; /**< numbers of 1 byte: enum mdl_var_type */
};

struct mdl_registration {
	uint64_t index;
	bool unsettled, freed;
	struct mdl_num event;
	struct mdl_num object; /**< not applicable: bound to nothing */
	uint64_t handle;
	struct mdl_num callbacks[4]; /**< addresses by safety level; not applicable: none */
	struct mdl_num dropped_handler;
	struct mdl_num raised, dropped;
};

#endif /* MDL_VARIABLE_H */
