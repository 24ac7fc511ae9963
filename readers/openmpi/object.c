/* SPDX-License-Identifier: BSD-3-Clause */
#include "openmpi.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

/* In the order of enum rd_ompi_symbol. */
static const char *const symbol_names[RD_OMPI_N_SYMBOLS] = {
	"ompi_mpi_state",
	"ompi_version_string",
	"ompi_mpi_communicators",
	"ompi_proc_local_proc",
	"ompi_mpi_thread_multiple",
	"ompi_mpi_windows",
	"ompi_file_f_to_c_table",
	"mca_pml_base_selected_component",
	"pml_selected_component",
	"mca_pml_base_send_requests",
	"mca_pml_base_recv_requests",
	"mca_pml_ob1",
	"mca_pml_ob1_recvreq",
	"ompi_pml_ucx",
	"mca_coll_libnbc_component",
};

/* In the order of enum rd_ompi_class. */
static const char *const class_names[RD_OMPI_N_CLASSES] = {
	"ompi_communicator_t",
	"ompi_group_t",
	"ompi_proc_t",
	"ompi_datatype_t",
	"opal_datatype_t",
	"mca_pml_ob1_comm_t",
	"mca_pml_ob1_comm_proc_t",
	"mca_pml_ob1_send_request_t",
	"mca_pml_ob1_recv_request_t",
	"mca_pml_ob1_recv_frag_t",
	"ompi_coll_libnbc_request_t",
	"ompi_request_t",
	"mca_pml_ucx_persistent_request_t",
	"ompi_errhandler_t",
	"ompi_file_t",
	"ompi_grequest_t",
	"ompi_info_t",
	"ompi_message_t",
	"ompi_op_t",
	"ompi_win_t",
	"opal_hash_table_t",
	"opal_pointer_array_t",
	"attribute_key_value_t",
	"attribute_value_t",
	"ompi_attribute_keyval_t",
	"ompi_osc_rdma_sync_t",
	"ompi_osc_pt2pt_sync_t",
	"ompi_osc_ucx_lock_t",
	"ompi_osc_rdma_request_t",
	"ompi_osc_pt2pt_request_t",
	"ompi_osc_ucx_request_t",
	"ompi_osc_ucx_generic_request_t",
	"ompi_osc_ucx_accumulate_request_t",
	"mca_ompio_request_t",
	"ompi_instance_t",
};

uint32_t rd_ompi_span(const struct acc_layout *layout, const unsigned *types, unsigned n)
{
	uint32_t hi = 0;

	for (unsigned i = 0; i < n; i++)
		if (layout->types[types[i]].hi > hi)
			hi = layout->types[types[i]].hi;
	return hi < ACC_OBJ_BYTES ? hi : ACC_OBJ_BYTES;
}

void rd_ompi_text_at(struct rd_ompi *o, struct acc_obj *obj, unsigned field, char *ret, size_t size)
{
	uint64_t text_addr, at_addr = acc_get_addr(obj, field);

	if (obj->rc)
		return;
	enum acc_rc rc = acc_read_ptr(o->sp, at_addr, &text_addr);
	if (rc == ACC_OK && text_addr)
		rc = acc_read_string(o->sp, text_addr, ret, size);
	if (rc)
		obj->rc = rd_ompi_bad(o, rc, obj->type, obj->addr);
}

void rd_ompi_peek(struct rd_ompi_obj *ret, struct rd_ompi *o, unsigned type, uint64_t addr, uint32_t n)
{
	ret->o = o;
	ret->addr = addr;
	ret->type = type;
	ret->n = n < ACC_OBJ_BYTES ? n : ACC_OBJ_BYTES;
	ret->rc = acc_plausible(o->sp, addr, 4) ? acc_read(o->sp, addr, ret->n, ret->buf) : ACC_ECORRUPT;
}

void rd_ompi_load(struct rd_ompi_obj *ret, struct rd_ompi *o, unsigned type, uint64_t addr, uint32_t n)
{
	rd_ompi_peek(ret, o, type, addr, n);
	if (ret->rc == ACC_OK) {
		uint64_t bytes = acc_layout_bytes(o->layout, type);
		o->sp->stats.n_objects++;
		o->sp->stats.object_bytes += bytes ? bytes : ret->n;
	}
}

/* The bytes of a field: from the copy, or read now if they are beyond its end. NULL: rc is set. */
static const unsigned char *field_bytes(struct rd_ompi_obj *obj, uint32_t base, unsigned field, unsigned char *tmp,
					unsigned *width)
{
	const struct acc_field_at *at = &obj->o->layout->fields[field];

	if (obj->rc)
		return NULL;
	if (at->source == ACC_SRC_NONE || at->width < 1 || at->width > 8) {
		obj->rc = ACC_EFIELD;
		return NULL;
	}
	*width = at->width;
	uint64_t offset = (uint64_t)base + at->offset;
	if (offset + at->width <= obj->n)
		return obj->buf + offset;
	obj->rc = acc_read(obj->o->sp, obj->addr + offset, at->width, tmp);
	return obj->rc ? NULL : tmp;
}

uint64_t rd_ompi_u_at(struct rd_ompi_obj *obj, uint32_t base, unsigned field)
{
	unsigned char tmp[8];
	unsigned width = 0;
	const unsigned char *bytes = field_bytes(obj, base, field, tmp, &width);

	return bytes ? acc_decode_u(obj->o->sp, bytes, width) : 0;
}

int64_t rd_ompi_i_at(struct rd_ompi_obj *obj, uint32_t base, unsigned field)
{
	unsigned char tmp[8];
	unsigned width = 0;
	const unsigned char *bytes = field_bytes(obj, base, field, tmp, &width);

	return bytes ? acc_decode_i(obj->o->sp, bytes, width) : 0;
}

uint64_t rd_ompi_u(struct rd_ompi_obj *obj, unsigned field)
{
	return rd_ompi_u_at(obj, 0, field);
}

int64_t rd_ompi_i(struct rd_ompi_obj *obj, unsigned field)
{
	return rd_ompi_i_at(obj, 0, field);
}

uint32_t rd_ompi_offset(struct rd_ompi_obj *obj, unsigned field)
{
	if (obj->rc)
		return 0;
	if (!rd_ompi_has(obj->o, field)) {
		obj->rc = ACC_EFIELD;
		return 0;
	}
	return obj->o->layout->fields[field].offset;
}

enum acc_rc rd_ompi_is(struct rd_ompi *o, uint64_t class_addr, enum rd_ompi_class which)
{
	char name[64];
	uint64_t name_addr;

	if (class_addr && class_addr == o->class_addr[which])
		return ACC_OK;
	if (!acc_plausible(o->sp, class_addr, 4))
		return ACC_ECORRUPT;
	uint32_t offset = o->layout->fields[F_opal_class_t_cls_name].offset;
	enum acc_rc rc = acc_read_ptr(o->sp, class_addr + offset, &name_addr);
	if (rc == ACC_OK)
		rc = acc_read_string(o->sp, name_addr, name, sizeof(name));
	if (rc == ACC_NONE)
		return ACC_ECORRUPT;
	if (rc)
		return rc;
	if (strcmp(name, class_names[which]))
		return ACC_ECORRUPT;
	o->class_addr[which] = class_addr;
	return ACC_OK;
}

enum acc_rc rd_ompi_check(struct rd_ompi *o, uint64_t addr, enum rd_ompi_class which)
{
	uint64_t class_addr;

	if (!acc_plausible(o->sp, addr, 4))
		return ACC_ECORRUPT;
	uint32_t offset = o->layout->fields[F_opal_object_t_obj_class].offset;
	enum acc_rc rc = acc_read_ptr(o->sp, addr + offset, &class_addr);
	return rc ? rc : rd_ompi_is(o, class_addr, which);
}

enum acc_rc rd_ompi_bad(struct rd_ompi *o, enum acc_rc rc, unsigned type, uint64_t addr)
{
	return acc_note(&o->sp->note, rc, "%s at 0x%llx: %s", o->layout->schema->types[type].name,
			(unsigned long long)addr, acc_rc_text(rc));
}

enum acc_rc rd_ompi_skip(struct rd_ompi *o, struct rd_op_iter *it, enum acc_rc rc, unsigned type, uint64_t addr)
{
	rd_ompi_bad(o, rc, type, addr);
	return ++it->n_bad < ACC_BAD_MAX ? ACC_OK : ACC_ECORRUPT;
}

enum acc_rc rd_ompi_symbol(struct rd_ompi *o, enum rd_ompi_symbol which, uint64_t *ret)
{
	uint64_t addr;

	if (!o->symbol_addr[which]) {
		if (o->symbol_asked[which])
			return ACC_ESYMBOL;
		o->symbol_asked[which] = true;
		enum acc_rc rc = acc_symbol(o->sp, symbol_names[which], &addr);
		if (rc)
			return rc;
		o->symbol_addr[which] = addr;
	}
	*ret = o->symbol_addr[which];
	return *ret ? ACC_OK : ACC_ESYMBOL;
}

enum acc_rc rd_ompi_array(struct rd_ompi *o, uint64_t addr, struct acc_slots *ret)
{
	struct acc_obj a;

	acc_obj_load(&a, o->sp, o->layout, T_opal_pointer_array_t, addr);
	int64_t n = acc_get_i(&a, F_opal_pointer_array_t_size);
	uint64_t slots_addr = acc_get_u(&a, F_opal_pointer_array_t_addr);
	if (a.rc)
		return a.rc;
	if (n < 0 || (n > 0 && !acc_plausible(o->sp, slots_addr, 4)))
		return rd_ompi_bad(o, ACC_ECORRUPT, T_opal_pointer_array_t, addr);
	enum acc_rc rc = acc_slots_init(ret, o->sp, slots_addr, (uint64_t)n);
	return rc ? rd_ompi_bad(o, rc, T_opal_pointer_array_t, addr) : ACC_OK;
}

enum acc_rc rd_ompi_list(struct rd_ompi *o, uint64_t addr, uint64_t *first, uint64_t *sentinel, uint64_t *length)
{
	const struct acc_field_at *fields = o->layout->fields;
	uint64_t head = addr + fields[F_opal_list_t_opal_list_sentinel].offset;
	uint64_t next, n;

	if (!acc_plausible(o->sp, addr, 4))
		return ACC_ECORRUPT;
	enum acc_rc rc = acc_read_ptr(o->sp, head + fields[F_opal_list_item_t_opal_list_next].offset, &next);
	if (rc == ACC_OK)
		rc = acc_read_u(o->sp, addr + fields[F_opal_list_t_opal_list_length].offset,
				fields[F_opal_list_t_opal_list_length].width, &n);
	if (rc)
		return rc;
	*first = next;
	*sentinel = head;
	*length = n;
	return ACC_OK;
}
