/* SPDX-License-Identifier: BSD-3-Clause */
/* Helpers of the files that read objects: sets of addresses, single fields, the tables. */
#include "objects.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum { ADDRS_FIRST = 64 };

/* ---- small helpers ---------------------------------------------------------------------------------------------- */

bool rd_ompi_addrs_add(struct rd_ompi *o, struct rd_ompi_addrs *a, uint64_t addr)
{
	if (a->n == a->cap) {
		uint64_t cap = a->cap ? 2 * a->cap : ADDRS_FIRST;
		uint64_t *wider = acc_array(o->sp, cap, sizeof(*wider));

		if (!wider)
			return false;
		if (a->n)
			memcpy(wider, a->v, a->n * sizeof(*wider));
		acc_array_free(o->sp, a->v);
		a->v = wider;
		a->cap = cap;
	}
	a->v[a->n++] = addr;
	return true;
}

void rd_ompi_addrs_sort(struct rd_ompi_addrs *a)
{
	/* heap sort: the C library's qsort() may allocate */
	for (uint64_t end = a->n, start = a->n / 2; end > 1;) {
		uint64_t moving;

		if (start) {
			moving = a->v[--start];
		} else {
			moving = a->v[--end];
			a->v[end] = a->v[0];
		}
		uint64_t i = start, child;
		while ((child = 2 * i + 1) < end) {
			if (child + 1 < end && a->v[child + 1] > a->v[child])
				child++;
			if (a->v[child] <= moving)
				break;
			a->v[i] = a->v[child];
			i = child;
		}
		a->v[i] = moving;
	}
}

/* Number of elements below @p addr. */
static uint64_t below(const struct rd_ompi_addrs *a, uint64_t addr)
{
	uint64_t lo = 0, hi = a->n;

	while (lo < hi) {
		uint64_t mid = lo + (hi - lo) / 2;

		if (a->v[mid] < addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

uint64_t rd_ompi_addrs_count(const struct rd_ompi_addrs *a, uint64_t addr)
{
	return addr == UINT64_MAX ? 0 : below(a, addr + 1) - below(a, addr);
}

enum acc_rc rd_ompi_quiet_load(struct rd_ompi *o, unsigned type, uint64_t addr, struct acc_obj *ret)
{
	struct acc_note note = o->sp->note;

	acc_obj_load(ret, o->sp, o->layout, type, addr);
	o->sp->note = note;
	return ret->rc;
}

uint64_t rd_ompi_pointer(struct rd_ompi *o, uint64_t addr, unsigned field)
{
	uint64_t word;

	if (!addr || !rd_ompi_has(o, field) || acc_read_ptr(o->sp, addr + o->layout->fields[field].offset, &word))
		return 0;
	return word;
}

uint64_t rd_ompi_reference_count(struct rd_ompi *o, uint64_t addr)
{
	uint64_t raw;

	if (acc_read_u(o->sp, addr + o->layout->fields[F_opal_object_t_obj_reference_count].offset, 4, &raw) ||
	    raw > INT32_MAX)
		return 0;
	return raw;
}

void rd_ompi_name_of(struct rd_ompi *o, struct acc_obj *obj, unsigned field, char ret[MDL_NAME_BYTES])
{
	uint64_t addr;

	ret[0] = '\0';
	if (!rd_ompi_has(o, field))
		return;
	if (o->layout->fields[field].width != o->sp->sizes.pointer_bytes) {
		acc_get_chars(obj, field, ret, MDL_NAME_BYTES);
		return;
	}
	uint64_t at = acc_get_addr(obj, field);
	if (obj->rc)
		return;
	enum acc_rc rc = acc_read_ptr(o->sp, at, &addr);
	if (!rc && addr)
		rc = acc_read_string(o->sp, addr, ret, MDL_NAME_BYTES);
	obj->rc = rc == ACC_NONE ? ACC_OK : rc;
}

/* ---- tables and state ------------------------------------------------------------------------------------------ */

static const char *const tables[MDL_N_HANDLE_KINDS] = {
	[MDL_COMM] = "ompi_comm_f_to_c_table",
	[MDL_GROUP] = "ompi_group_f_to_c_table",
	[MDL_DATATYPE] = "ompi_datatype_f_to_c_table",
	[MDL_ERRHANDLER] = "ompi_errhandler_f_to_c_table",
	[MDL_FILE] = "ompi_file_f_to_c_table",
	[MDL_INFO] = "ompi_info_f_to_c_table",
	[MDL_OP] = "ompi_op_f_to_c_table",
	[MDL_REQUEST] = "ompi_request_f_to_c_table",
	[MDL_WIN] = "ompi_mpi_windows",
	[MDL_A_MESSAGE] = "ompi_message_f_to_c_table",
	[MDL_SESSION] = "ompi_instance_f_to_c_table", /* since 5.0 */
};

enum acc_rc rd_ompi_object_table(struct rd_ompi *o, enum mdl_handle_kind kind, struct acc_slots *ret)
{
	struct acc_note note = o->sp->note;
	uint64_t addr, class_addr, inner;

	if ((unsigned)kind >= MDL_N_HANDLE_KINDS || !tables[kind] || acc_symbol(o->sp, tables[kind], &addr))
		return ACC_NONE;
	/* for operations, the symbol is a pointer to the array instead of the array, which starts with its class */
	if (kind == MDL_OP && !acc_read_ptr(o->sp, addr, &inner) && acc_plausible(o->sp, inner, 4) &&
	    !acc_read_ptr(o->sp, inner + o->layout->fields[F_opal_object_t_obj_class].offset, &class_addr) &&
	    !rd_ompi_is(o, class_addr, C_opal_pointer_array_t))
		addr = inner;
	enum acc_rc rc = rd_ompi_array(o, addr, ret);
	o->sp->note = note;
	return rc;
}

bool rd_ompi_has_table(struct rd_ompi *o, enum mdl_handle_kind kind)
{
	uint64_t addr;

	return tables[kind] && !acc_symbol(o->sp, tables[kind], &addr);
}

struct rd_ompi_objects *rd_ompi_objects_state(struct rd_ompi *o)
{
	if (!o->objects) {
		o->objects = acc_array(o->sp, 1, sizeof(*o->objects));
		if (o->objects)
			memset(o->objects, 0, sizeof(*o->objects));
	}
	return o->objects;
}

void rd_ompi_objects_clear(struct rd_ompi *o)
{
	if (!o->objects)
		return;
	for (int i = 0; i < MDL_N_HANDLE_KINDS; i++) {
		acc_array_free(o->sp, o->objects->places[i].v);
		acc_array_free(o->sp, o->objects->places[i].index);
		acc_array_free(o->sp, o->objects->references[i].v);
		acc_array_free(o->sp, o->objects->heap[i].v);
	}
	acc_array_free(o->sp, o->objects->views.v);
	acc_array_free(o->sp, o->objects->requests.v);
	acc_array_free(o->sp, o->objects);
	o->objects = NULL;
}
