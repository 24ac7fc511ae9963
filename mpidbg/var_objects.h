/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file var_objects.h
 * Values of a performance variable for the objects that it is bound to: as mirrored by the in-target library, or
 * current values for communicators if the MPI's reader can locate them.
 */
#ifndef MPIDBG_VAR_OBJECTS_H
#define MPIDBG_VAR_OBJECTS_H

#include "../mqs/state.h"
#include "../readers/tracked/vars.h"

/** One object and its value. */
struct mpidbg_var_object {
	uint64_t handle;
	char name[MDL_NAME_BYTES]; /**< "" when it has none */
	uint64_t value;            /**< its element, or the sum of `count` elements */
	uint64_t count;
};

/** An iteration over them; nothing to free. */
struct mpidbg_var_objects {
	const struct rd_track_vars *v;
	const struct mdl_variable *var;
	struct rd_comm_iter comms;
	uint64_t i;
	char variable[128];
};

/** The name of an object that a variable or a registration is bound to. @return false: it has none, and *ret is its
 * handle as text */
bool mpidbg_object_name(const struct rd_track_vars *v, struct mdl_num bind, uint64_t handle, char *ret, size_t size);

/** The reader of the MPI's own memory, for rd_track_vars.native; NULL: none, which is not noted. */
struct rd_process *mpidbg_var_native(struct _mqs_process_info *p);

/**
 * Replace the value of a variable by the current values of its objects, if v->native has all of them; sets
 * var->of_queues, and read_at to not applicable. Otherwise unchanged. A failure is not noted.
 */
void mpidbg_var_now(const struct rd_track_vars *v, struct mdl_variable *var);

/** Start. @return ACC_OK; ACC_NONE: there are none; a failure, noted */
enum acc_rc mpidbg_var_objects_first(const struct rd_track_vars *v, const struct mdl_variable *var,
				     struct mpidbg_var_objects *ret);

/** The next one. @return ACC_OK; ACC_NONE at the end; ACC_EREAD and others, noted */
enum acc_rc mpidbg_var_objects_next(struct mpidbg_var_objects *it, struct mpidbg_var_object *ret);

#endif /* MPIDBG_VAR_OBJECTS_H */
