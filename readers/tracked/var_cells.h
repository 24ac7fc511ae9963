/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file var_cells.h
 * Performance variables of the in-target library where they are counted: what they are now, at any stop and in a core,
 * not their values of the last refresh.
 */
#ifndef RD_TRACK_VAR_CELLS_H
#define RD_TRACK_VAR_CELLS_H

#include "registry.h"
#include "vars.h"

/**
 * Give a performance variable its present value, when the record says where it is counted.
 *
 * @param o    its record, loaded
 * @param ret  type and the rest filled in, value and objects as of the last refresh. When this answers true: value or
 *             objects of now, read_at not applicable; or value unavailable, as it is not started.
 * @return false: it is not counted anywhere, or that place cannot be read: @p ret is as it was
 */
bool rd_track_var_cells(const struct rd_track_vars *v, struct acc_obj *o, struct mdl_variable *ret);

/**
 * The same for element @p i of its objects: their values are replaced, or they are gone.
 *
 * @param ret  filled in as of the last refresh
 */
void rd_track_object_cell(const struct rd_track_vars *v, const struct mdl_variable *var, uint64_t i,
			  struct mdl_object_value *ret);

#endif /* RD_TRACK_VAR_CELLS_H */
