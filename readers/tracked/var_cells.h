/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file var_cells.h
 * Current values of the in-target library's performance variables, read from their counters at any stop and in a core,
 * instead of the values of the last refresh.
 */
#ifndef RD_TRACK_VAR_CELLS_H
#define RD_TRACK_VAR_CELLS_H

#include "registry.h"
#include "vars.h"

/**
 * Replace the value of a performance variable by its current value, if the record says where it is counted.
 *
 * @param o    its record, loaded
 * @param[in,out] ret filled in, with value and objects as of the last refresh. On true: value or objects are current
 *                    and read_at is not applicable; or the value is unavailable because the variable is not started.
 * @return false: it is not counted anywhere, or the counter cannot be read; @p ret is unchanged
 */
bool rd_track_var_cells(const struct rd_track_vars *v, struct acc_obj *o, struct mdl_variable *ret);

/**
 * The same for element @p i of its objects: the value is replaced, or the object is marked as gone.
 *
 * @param[in,out] ret filled in as of the last refresh
 */
void rd_track_object_cell(const struct rd_track_vars *v, const struct mdl_variable *var, uint64_t i,
			  struct mdl_object_value *ret);

#endif /* RD_TRACK_VAR_CELLS_H */
