/* SPDX-License-Identifier: BSD-3-Clause */
#include "openmpi.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

/* Read the name: an array, since 6.0 a pointer. */
static void load_name(struct rd_ompi *o, struct acc_obj *obj, struct rd_ompi_datatype *slot)
{
	slot->name[0] = '\0';
	if (o->layout->fields[F_ompi_datatype_t_name].width == o->sp->sizes.pointer_bytes)
		rd_ompi_text_at(o, obj, F_ompi_datatype_t_name, slot->name, sizeof(slot->name));
	else
		acc_get_chars(obj, F_ompi_datatype_t_name, slot->name, sizeof(slot->name));
}

enum acc_rc rd_ompi_datatype(struct rd_ompi *o, uint64_t handle, const struct rd_ompi_datatype **ret)
{
	struct rd_ompi_datatype *slot = &o->datatypes[(handle >> 6 ^ handle >> 9) & (RD_OMPI_DATATYPES - 1)];
	struct acc_obj obj;

	if (handle && slot->handle == handle) {
		*ret = slot;
		return ACC_OK;
	}
	/* Predefined datatypes are initialized as objects of the base class
	 * (ompi/datatype/ompi_datatype_internal.h). */
	enum acc_rc rc = rd_ompi_check(o, handle, C_opal_datatype_t);
	if (rc)
		rc = rd_ompi_check(o, handle, C_ompi_datatype_t);
	if (rc)
		return rc;
	struct acc_note note = o->sp->note;
	slot->handle = 0;
	/* ompi_datatype_t starts with opal_datatype_t, which has the size */
	acc_obj_load(&obj, o->sp, o->layout, T_opal_datatype_t, handle);
	slot->bytes = acc_get_u(&obj, F_opal_datatype_t_size);
	rc = obj.rc;
	if (rc == ACC_OK) {
		acc_obj_load(&obj, o->sp, o->layout, T_ompi_datatype_t, handle);
		load_name(o, &obj, slot);
		rc = obj.rc;
	}
	o->sp->note = note;
	if (rc)
		return rc;
	slot->handle = handle;
	*ret = slot;
	return ACC_OK;
}
