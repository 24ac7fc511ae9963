/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file vars.h
 * The state of MPI_T as mirrored in the registry; interface for the faces.
 */
#ifndef RD_TRACK_VARS_H
#define RD_TRACK_VARS_H

#include "../../model/variable.h"
#include "../reader.h"
#include "tracked.h"

/** One table: bounds are checked when it is opened. */
struct rd_track_var_table {
	bool known;
	uint64_t records;
	uint32_t bytes, capacity, high;
	uint64_t n_dropped;
};

/** The opened tables. Plain data; valid until the process runs. */
struct rd_track_vars {
	struct rd_track *t;
	struct mdl_vars about;
	struct rd_track_var_table tables[MDL_N_VAR_KINDS];
	struct rd_process *native; /**< the face's: the open reader of the MPI's own memory; NULL: none */
};

/**
 * Find the tables.
 *
 * @return ACC_OK, also if nothing was mirrored so far (ret->about.known is false); ACC_NONE: a version of the registry
 *         without a mirror; ACC_EREAD, ACC_ECORRUPT. Failures are noted.
 */
enum acc_rc rd_track_vars(struct rd_track *t, struct rd_track_vars *ret);

/** Number of records used so far. */
uint64_t rd_track_vars_high(const struct rd_track_vars *v, enum mdl_var_kind kind);

/**
 * Record @p i of a table.
 *
 * @return ACC_OK; ACC_NONE: there is none, or it was not read; ACC_ECORRUPT, ACC_EREAD: invalid, noted.
 */
enum acc_rc rd_track_variable(const struct rd_track_vars *v, enum mdl_var_kind kind, uint64_t i,
			      struct mdl_variable *ret);
enum acc_rc rd_track_category(const struct rd_track_vars *v, uint64_t i, struct mdl_category *ret);
enum acc_rc rd_track_event(const struct rd_track_vars *v, uint64_t i, struct mdl_event *ret);
enum acc_rc rd_track_registration(const struct rd_track_vars *v, uint64_t i, struct mdl_registration *ret);

/**
 * Read a string at an address, cut off at @p size, always
 * terminated; "" for address 0. @return ACC_OK, ACC_EREAD (noted).
 */
enum acc_rc rd_track_var_text(const struct rd_track_vars *v, uint64_t addr, char *ret, size_t size);

/** Read a variable's string value, which need not be NUL-terminated in the target. */
enum acc_rc rd_track_var_value(const struct rd_track_vars *v, const struct mdl_variable *var, char *ret, size_t size);

/**
 * Whole seconds since the value was read.
 *
 * @param now_s time(); 0: use the core's own time
 * @return unavailable: not known; not applicable: the value is current
 */
struct mdl_num rd_track_var_age(const struct rd_track_vars *v, const struct mdl_variable *var, uint64_t now_s);

/**
 * Element @p i of a variable's objects. If the object is gone
 * there is no value. @return ACC_OK, ACC_EREAD (noted), ACC_EINVAL
 */
enum acc_rc rd_track_object_value(const struct rd_track_vars *v, const struct mdl_variable *var, uint64_t i,
				  struct mdl_object_value *ret);

#endif /* RD_TRACK_VARS_H */
