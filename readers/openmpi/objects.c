/* SPDX-License-Identifier: BSD-3-Clause */
/* The objects of every kind, as struct rd_objects asks for them. */
#include "objects.h"

#include <stdio.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

/* ---- which kinds ------------------------------------------------------------------------------------------------ */

/* The field that is needed to read a kind. */
static bool is_described(const struct rd_ompi *o, enum mdl_handle_kind kind)
{
	static const unsigned short fields[MDL_N_HANDLE_KINDS] = {
		[MDL_COMM] = F_ompi_communicator_t_c_keyhash,
		[MDL_GROUP] = F_ompi_group_t_grp_f_to_c_index,
		[MDL_DATATYPE] = F_ompi_datatype_args_t_d,
		[MDL_ERRHANDLER] = F_ompi_errhandler_t_eh_name,
		[MDL_FILE] = F_ompi_file_t_f_amode,
		[MDL_INFO] = F_opal_info_entry_t_ie_key,
		[MDL_OP] = F_ompi_op_t_o_flags,
		[MDL_REQUEST] = F_ompi_request_t_req_state,
		[MDL_WIN] = F_ompi_win_t_w_keyhash,
		[MDL_A_MESSAGE] = F_ompi_message_t_m_f_to_c_index,
		[MDL_KEYVAL] = F_ompi_attribute_keyval_t_key,
		[MDL_SESSION] = F_ompi_instance_t_error_handler,
	};

	return rd_ompi_has(o, fields[kind]);
}

static bool known(void *state, enum mdl_handle_kind kind)
{
	struct rd_ompi *o = state;
	struct acc_slots slots;

	if (!is_described(o, kind))
		return false;
	if (kind == MDL_KEYVAL)
		return rd_ompi_keyval_table(o) != 0;
	return kind == MDL_COMM || !rd_ompi_object_table(o, kind, &slots);
}

static const char *lacks(void *state, enum mdl_handle_kind kind)
{
	struct rd_ompi *o = state;

	if (kind == MDL_SESSION && !rd_ompi_has_table(o, kind))
		return NULL; /* this version has none */
	if (!is_described(o, kind))
		return "the layout pack has no rows for them: \"mpidbg layout make\" makes one that has";
	if (!known(o, kind))
		return "the library's table of them was not found";
	if ((kind == MDL_DATATYPE || kind == MDL_REQUEST) && o->objects && o->objects->heap_incomplete)
		return "only part of the memory was searched for them: the heap is too large";
	return NULL;
}

/* ---- access ------------------------------------------------------------------------------------------- */

static uint64_t places(void *state, enum mdl_handle_kind kind)
{
	struct rd_ompi *o = state;

	return rd_ompi_places(o, kind)->n;
}

static enum acc_rc find_handle(void *state, enum mdl_handle_kind kind, uint64_t handle, uint64_t *i)
{
	uint64_t found = rd_ompi_place_of(state, kind, handle);

	if (found == UINT64_MAX)
		return ACC_NONE;
	*i = found;
	return ACC_OK;
}

static enum acc_rc place(struct rd_ompi *o, enum mdl_handle_kind kind, uint64_t i, struct rd_ompi_place *ret)
{
	const struct rd_ompi_places *p = o->objects ? &o->objects->places[kind] : NULL;

	/* the process may have been read again since find() or places() */
	if (!p || !p->built)
		p = rd_ompi_places(o, kind);
	*ret = (struct rd_ompi_place){ .rc = ACC_NONE };
	if (i >= p->n)
		return ACC_NONE;
	*ret = p->v[i];
	return ret->rc;
}

static enum acc_rc key(void *state, enum mdl_handle_kind kind, uint64_t i, enum mdl_life *life, uint64_t *handle,
		       uint64_t *id)
{
	struct rd_ompi *o = state;
	struct rd_ompi_place at;
	enum acc_rc rc = place(o, kind, i, &at);

	if (rc)
		return rd_object_note(o->sp, "Open MPI", at.addr, rc);
	*life = at.life;
	*handle = at.handle;
	*id = at.addr;
	return ACC_OK;
}

/* The index of an object in its table. */
static struct mdl_num fortran_of(struct rd_ompi *o, enum mdl_handle_kind kind, uint64_t addr)
{
	static const unsigned short fields[MDL_N_HANDLE_KINDS] = {
		[MDL_COMM] = F_ompi_communicator_t_c_f_to_c_index,
		[MDL_GROUP] = F_ompi_group_t_grp_f_to_c_index,
		[MDL_DATATYPE] = F_ompi_datatype_t_d_f_to_c_index,
		[MDL_ERRHANDLER] = F_ompi_errhandler_t_eh_f_to_c_index,
		[MDL_FILE] = F_ompi_file_t_f_f_to_c_index,
		[MDL_INFO] = F_ompi_info_t_i_f_to_c_index,
		[MDL_OP] = F_ompi_op_t_o_f_to_c_index,
		[MDL_REQUEST] = F_ompi_request_t_req_f_to_c_index,
		[MDL_WIN] = F_ompi_win_t_w_f_to_c_index,
		[MDL_A_MESSAGE] = F_ompi_message_t_m_f_to_c_index,
		[MDL_SESSION] = F_ompi_instance_t_i_f_to_c_index,
	};
	uint64_t raw;

	if (kind == MDL_KEYVAL || !rd_ompi_has(o, fields[kind]))
		return mdl_none();
	if (acc_read_u(o->sp, addr + o->layout->fields[fields[kind]].offset, 4, &raw))
		return mdl_unavailable("it cannot be read");
	int64_t index = (int32_t)(uint32_t)raw;
	return index >= 0 ? mdl_known(index) : mdl_unavailable("no Fortran handle was made of it");
}

static enum acc_rc facts(void *state, enum mdl_handle_kind kind, uint64_t i, struct mdl_handle *ret)
{
	struct rd_ompi *o = state;
	struct rd_ompi_place at;
	enum acc_rc rc = place(o, kind, i, &at);

	if (rc)
		return rd_object_note(o->sp, "Open MPI", at.addr, rc);
	struct mdl_handle h = {
		.kind = kind,
		.life = at.life,
		.predefined = at.predefined,
		.null = at.null,
		.handle = at.handle,
		.addr = at.addr,
		.id = at.addr,
		.fortran = kind == MDL_KEYVAL ? mdl_known((int64_t)at.handle) : fortran_of(o, kind, at.addr),
		.references = mdl_none(),
	};
	rd_object_unrecorded(&h);
	rc = rd_ompi_object_facts(o, &at, &h);
	if (rc)
		return rd_object_note(o->sp, "Open MPI", at.addr, rc);
	*ret = h;
	return ACC_OK;
}

static const char *absent(void *state, enum mdl_handle_kind kind, uint64_t handle)
{
	struct rd_ompi *o = state;
	uint64_t empty;

	if (kind == MDL_REQUEST && !acc_symbol(o->sp, "ompi_request_empty", &empty) && handle == empty)
		return "it represents any request that was complete immediately";
	if (kind == MDL_REQUEST && !acc_symbol(o->sp, "ompi_request_empty_send", &empty) && handle == empty)
		return "it represents any send that was complete immediately";
	if (kind == MDL_KEYVAL || !acc_plausible(o->sp, handle, 4))
		return NULL;
	return rd_ompi_reference_count(o, handle)
		       ? "no such object is at this address: it was freed, or the library's own"
		       : "no object is at this address: it was freed, or never there";
}

enum acc_rc rd_ompi_objects(void *state, struct rd_objects *ret)
{
	struct rd_ompi *o = state;

	if (!rd_ompi_alive(o))
		return ACC_NONE;
	if (!rd_ompi_objects_state(o))
		return ACC_ENOMEM;
	*ret = (struct rd_objects){
		.state = o,
		.known = known,
		.places = places,
		.find = find_handle,
		.key = key,
		.facts = facts,
		.absent = absent,
		.lacks = lacks,
		.number = rd_ompi_number,
		.member = rd_ompi_list_member,
		.attribute = rd_ompi_attribute,
		.pair = rd_ompi_pair,
	};
	return ACC_OK;
}
