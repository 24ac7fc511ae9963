/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds one object by its handle, which in Open MPI is its address. A value is accepted as a handle only if the class
 * of the object matches; nothing is noted about its bytes.
 */
#include "objects.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

static enum acc_rc request_of(struct rd_ompi *o, enum mdl_op_class op_class, uint64_t addr, struct mdl_comm *comm,
			      struct mdl_op *ret)
{
	enum rd_ompi_class which;
	struct rd_ompi_comm c;
	struct rd_ompi_obj req;
	unsigned type, comm_field;
	uint64_t list_addr;
	uint32_t span;

	if (o->by_ucx && op_class != MDL_COLLECTIVES)
		return ACC_NONE;
	if (rd_ompi_index_source(o, op_class, &list_addr, &type, &which, &span))
		return ACC_NONE;
	comm_field = op_class == MDL_COLLECTIVES ? F_ompi_coll_libnbc_request_t_comm
						 : F_mca_pml_base_request_t_req_comm;
	rd_ompi_load(&req, o, type, addr, span);
	uint64_t class_addr = rd_ompi_u(&req, F_opal_object_t_obj_class);
	if (req.rc)
		return req.rc;
	if (rd_ompi_is(o, class_addr, which))
		return ACC_NONE;
	enum acc_rc rc = rd_ompi_comm_find(o, rd_ompi_u(&req, comm_field), &c);
	if (req.rc || rc)
		return req.rc ? req.rc : rc;
	rc = op_class == MDL_SENDS      ? rd_ompi_request_send(&req, &c, ret)
	     : op_class == MDL_RECEIVES ? rd_ompi_request_receive(&req, &c, ret)
					: rd_ompi_request_collective(&req, &c, ret);
	if (rc == ACC_OK)
		*comm = c.facts;
	return rc;
}

enum acc_rc rd_ompi_request_get(void *state, uint64_t handle, struct mdl_comm *comm, struct mdl_op *ret)
{
	static const enum mdl_op_class classes[] = { MDL_SENDS, MDL_RECEIVES, MDL_COLLECTIVES };
	struct rd_ompi *o = state;
	enum acc_rc rc = ACC_NONE;
	const char *why;

	if (!rd_ompi_alive(o) || !acc_plausible(o->sp, handle, 4))
		return ACC_NONE;
	struct acc_note note = o->sp->note;
	if (o->by_ucx)
		rc = rd_ompi_ucx_request(o, handle, comm, ret);
	for (size_t i = 0; rc == ACC_NONE && i < sizeof(classes) / sizeof(classes[0]); i++)
		if (!rd_ompi_ops_available(o, classes[i], &why))
			rc = request_of(o, classes[i], handle, comm, ret);
	o->sp->note = note;
	return rc;
}

/* The library has tables of objects with a Fortran handle, which is the index in the table. */
enum acc_rc rd_ompi_handle_fortran(void *state, enum mdl_handle_kind kind, int64_t fortran, uint64_t *ret)
{
	struct rd_ompi *o = state;
	struct acc_slots slots;
	uint64_t value = 0;

	if ((unsigned)kind >= MDL_N_HANDLE_KINDS || !rd_ompi_has_table(o, kind))
		return ACC_EINVAL;
	if (!rd_ompi_alive(o) || fortran < 0)
		return ACC_NONE;
	enum acc_rc rc = rd_ompi_object_table(o, kind, &slots);
	if (rc)
		return rc;
	if ((uint64_t)fortran >= slots.n)
		return ACC_NONE;
	if (acc_read_ptr(o->sp, slots.addr + (uint64_t)fortran * o->sp->sizes.pointer_bytes, &value))
		return ACC_EREAD;
	if (!value)
		return ACC_NONE;
	*ret = value;
	return ACC_OK;
}

enum acc_rc rd_ompi_datatype_get(void *state, uint64_t handle, char name[MDL_NAME_BYTES], uint64_t *bytes)
{
	struct rd_ompi *o = state;
	const struct rd_ompi_datatype *found;

	if (!rd_ompi_alive(o))
		return ACC_NONE;
	struct acc_note note = o->sp->note;
	enum acc_rc rc = rd_ompi_datatype(o, handle, &found);
	o->sp->note = note;
	if (rc)
		return rc == ACC_EREAD ? rc : ACC_NONE;
	memcpy(name, found->name, sizeof(found->name));
	*bytes = found->bytes;
	return ACC_OK;
}
