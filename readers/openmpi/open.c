/* SPDX-License-Identifier: BSD-3-Clause */
#include "objects.h"

#include "../../access/pack_choose.h"
#include "../standard_abi.h"

#include <stdio.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

static const char advice[] = "run mpidbg doctor";

/* ---- which layout ----------------------------------------------------------------------------------------- */

/*
 * Should this row exist? The presence of some rows is itself information, and some appear or disappear with the same
 * change in Open MPI.
 */
static bool expected(const struct acc_layout *layout, unsigned field)
{
	bool since_50 = acc_layout_has(layout, F_ompi_communicator_t_instance);

	switch (field) {
	case F_mca_pml_ob1_match_hdr_t_hdr_padding:
	case F_mca_pml_ucx_module_t_ucp_worker: /* a library may be built without UCX */
	case F_mca_pml_ucx_module_t_persistent_reqs:
	case F_mca_pml_ucx_persistent_request_t_tmp_req:
	case F_mca_pml_ucx_persistent_request_t_flags:
	case F_mca_pml_ucx_persistent_request_t_buffer:
	case F_mca_pml_ucx_persistent_request_t_count:
	case F_mca_pml_ucx_persistent_request_t_ompi_datatype:
	case F_mca_pml_ucx_persistent_request_t_tag:
	case F_mca_pml_ucx_persistent_request_t_send:
	case F_mca_pml_ucx_persistent_request_t_recv:
	case F_ompi_osc_ucx_component_t_requests:
	case F_ompi_osc_ucx_component_t_accumulate_requests:
	case F_ompi_osc_ucx_module_t_comm:
	case F_ompi_osc_ucx_module_t_epoch_type:
	case F_ompi_osc_ucx_module_t_start_group:
	case F_ompi_osc_ucx_module_t_post_group:
	case F_ompi_osc_ucx_module_t_outstanding_locks:
	case F_ompi_osc_ucx_epoch_type_t_access:
	case F_ompi_osc_ucx_epoch_type_t_exposure:
	case F_ompi_osc_ucx_lock_t_type:
	case F_ompi_osc_ucx_lock_t_is_nocheck:
	case F_opal_info_entry_t_ie_internal: /* since 5.0.4 */
	case F_attribute_value_t_av_key:      /* up to 4.1.3 */
	case F_attribute_value_t_av_value:
	case F_attribute_value_t_av_set_from:
	case F_attribute_value_t_av_sequence:
	case F_ompi_datatype_args_t_cl: /* since 6.0 */
	case F_ompi_datatype_args_t_l:
		return false;
	case F_ompi_communicator_t_c_index:
	case F_ompi_communicator_t_instance:
	case F_opal_cstring_t_string:
	case F_ompi_instance_t_i_f_to_c_index:
	case F_ompi_instance_t_error_handler:
	case F_ompi_errhandler_t_eh_instance_fn:
	case F_mca_pml_ob1_ext_match_hdr_t_hdr_match:
		return since_50;
	case F_ompi_communicator_t_c_contextid:
	case F_opal_proc_t_proc_hostname:
	case F_ompi_osc_pt2pt_module_t_comm:
	case F_ompi_osc_pt2pt_module_t_all_sync:
	case F_ompi_osc_pt2pt_module_t_pw_group:
	case F_ompi_osc_pt2pt_module_t_outstanding_locks:
	case F_ompi_osc_pt2pt_sync_t_type:
	case F_ompi_osc_pt2pt_sync_t_sync:
	case F_ompi_osc_pt2pt_component_t_requests:
	case F_ompi_osc_pt2pt_request_t_internal:
	case F_ompi_errhandler_t_eh_cxx_dispatch_fn:
		return !since_50;
	case F_ompio_file_t_f_disp:
		return !acc_layout_has(layout, F_ompio_file_t_f_fview);
	case F_ompio_file_t_f_fview: /* since 6.0 */
	case F_ompio_fview_t_f_disp:
		return !acc_layout_has(layout, F_ompio_file_t_f_disp);
	case F_attribute_key_value_t_av_key: /* since 4.1.3 */
	case F_attribute_key_value_t_av_value:
	case F_attribute_key_value_t_av_set_from:
	case F_attribute_key_value_t_av_sequence:
		return !acc_layout_has(layout, F_attribute_value_t_av_key);
	default:
		return true;
	}
}

static bool complete(const struct acc_layout *layout)
{
	for (unsigned i = 0; i < layout->schema->n_fields; i++)
		if (!acc_layout_has(layout, i) && expected(layout, i))
			return false;
	return true;
}

static unsigned rows_from(const struct acc_layout *layout, enum acc_source source)
{
	unsigned n = 0;

	for (unsigned i = 0; i < layout->schema->n_fields; i++)
		n += layout->fields[i].source == source;
	return n;
}

/*
 * Does the debugger know any of the types? Some debuggers are slow at looking up types, so not all are looked up twice.
 */
static bool debugger_has_types(const struct acc_space *sp)
{
	return sp->ops->type && sp->ops->type(sp->ctx, "ompi_communicator_t");
}

/* Sizes of the objects that are read as a whole. */
static void spans(struct rd_ompi *o)
{
	static const unsigned request[] = { T_opal_object_t, T_opal_list_item_t, T_ompi_request_t };
	static const unsigned send[] = { T_mca_pml_base_request_t, T_mca_pml_base_send_request_t,
					 T_mca_pml_ob1_send_request_t };
	static const unsigned recv[] = { T_mca_pml_base_request_t, T_mca_pml_base_recv_request_t,
					 T_mca_pml_ob1_recv_request_t };
	static const unsigned coll[] = { T_ompi_coll_libnbc_request_t };
	static const unsigned segment[] = { T_mca_btl_base_segment_t };
	const struct acc_field_at *segments = &o->layout->fields[F_mca_pml_ob1_recv_frag_t_segments];
	uint32_t base = rd_ompi_span(o->layout, request, 3);
	uint32_t n;

	n = rd_ompi_span(o->layout, send, 3);
	o->send_span = n > base ? n : base;
	n = rd_ompi_span(o->layout, recv, 3);
	o->recv_span = n > base ? n : base;
	n = rd_ompi_span(o->layout, coll, 1);
	o->coll_span = n > base ? n : base;
	o->request_span = base;
	o->frag_span = segments->offset + rd_ompi_span(o->layout, segment, 1);
}

/* The value of a witness in the process, if it is another one than in the pack. */
static bool other_size(struct rd_ompi *o, const struct acc_pack *pack, const char *symbol, uint64_t *bytes,
		       uint64_t *expected_bytes)
{
	for (size_t i = 0; i < pack->n_witnesses; i++) {
		const struct acc_pack_witness *w = &pack->witnesses[i];
		uint64_t addr;

		if (w->kind != ACC_WITNESS_UINT || strcmp(w->symbol, symbol) != 0)
			continue;
		*expected_bytes = w->value;
		return !acc_symbol(o->sp, symbol, &addr) && !acc_read_u(o->sp, addr + w->offset, w->width, bytes) &&
		       *bytes != w->value;
	}
	return false;
}

/*
 * Every object of a debug build is larger than by default: naming the kind of build says more than the first of many
 * sizes. In a heterogeneous build since 5.0 received messages are larger.
 *
 * @return NULL: the pack is of the same kind
 */
static const char *other_configuration(struct rd_ompi *o, const struct acc_pack *pack)
{
	uint64_t bytes, expected_bytes;

	if (other_size(o, pack, "opal_object_t_class", &bytes, &expected_bytes))
		return bytes > expected_bytes ? "it was configured with --enable-debug"
					      : "it was configured without --enable-debug";
	if (!other_size(o, pack, "mca_pml_ob1_recv_frag_t_class", &bytes, &expected_bytes))
		return NULL;
	enum acc_rc rc = rd_ompi_heterogeneous(o);
	bool padded = acc_pack_field(pack, "mca_pml_ob1_match_hdr_t", "hdr_padding") != NULL;
	if (rc == ACC_OK && !padded)
		return "it was configured with --enable-heterogeneous";
	return rc == ACC_NONE && padded ? "it was configured without --enable-heterogeneous" : NULL;
}

static enum acc_rc no_layout(struct rd_ompi *o, const struct acc_pack_choice *choice)
{
	const struct acc_pack *best = choice->nearest;
	const char *configuration;
	char version[48];

	rd_ompi_read_version(o);
	snprintf(version, sizeof(version), "Open MPI%s%s", o->p->library.version[0] ? " " : "", o->p->library.version);
	if (!best)
		return acc_note(&o->sp->note, ACC_EWITNESS,
				"%s: neither the debugger nor a layout pack describes its types; %s", version, advice);
	if (!choice->result.n_agree && !choice->result.n_disagree)
		return acc_note(&o->sp->note, ACC_EWITNESS, "%s: no layout pack is for it: %.150s; %s", version,
				choice->result.first, advice);
	configuration = other_configuration(o, best);
	return acc_note(&o->sp->note, ACC_EWITNESS,
			"%s: the nearest layout pack, %.24s (%.30s), disagrees in %u of %u facts: %.100s; %s", version,
			best->version, best->system, choice->result.n_disagree,
			choice->result.n_disagree + choice->result.n_agree,
			configuration ? configuration : choice->result.first, advice);
}

static void choose_pack(struct rd_ompi *o, const char *version, struct acc_pack_choice *ret)
{
	acc_pack_choose(o->sp, o->packs ? o->packs->packs : NULL, o->packs ? o->packs->n : 0, rd_ompi_schema.name,
			&rd_ompi_schema, version, ret);
}

static enum acc_rc take_pack(struct rd_ompi *o, const struct acc_pack *pack, struct acc_layout *layout)
{
	acc_layout_deinit(o->sp, layout);

	enum acc_rc rc = acc_layout_resolve(o->sp, &rd_ompi_schema, NULL, pack, layout);
	if (!rc) {
		o->layout = layout;
		rd_ompi_read_version(o);
		o->layout = NULL;
	}
	return rc;
}

/*
 * A core without the library's file does not contain the version string, but the version numbers of its components,
 * which can be read with a first, preliminary pack. They decide which pack is used.
 */
static enum acc_rc resolve_by_pack(struct rd_ompi *o, struct acc_pack_choice *choice, struct acc_layout *layout)
{
	const struct acc_layout *before = o->layout;
	enum acc_rc rc = take_pack(o, choice->pack, layout);
	char version[sizeof(o->p->library.version)];

	memcpy(version, o->p->library.version, sizeof(version));
	if (!rc && version[0] && !acc_pack_names(choice->pack, version)) {
		choose_pack(o, version, choice);
		if (choice->pack) {
			rc = take_pack(o, choice->pack, layout);
		} else {
			o->layout = layout; /* needed to read the version */
			rc = no_layout(o, choice);
			acc_layout_deinit(o->sp, layout);
		}
	}
	o->layout = before;
	return rc;
}

static enum acc_rc resolve(struct rd_ompi *o)
{
	struct acc_space *sp = o->sp;
	struct acc_layout layout;
	struct acc_note note = sp->note; /* failed attempts are not failures */
	struct acc_pack_choice choice = { 0 };
	enum acc_rc rc = ACC_EFIELD;
	bool whole = false;

	memset(&layout, 0, sizeof(layout));
	if (debugger_has_types(sp)) {
		rc = acc_layout_resolve(sp, &rd_ompi_schema, NULL, NULL, &layout);
		sp->note = note;
		if (rc != ACC_OK && rc != ACC_EFIELD)
			return acc_note(&sp->note, rc, "layout of Open MPI: %s", acc_rc_text(rc));
		whole = rc == ACC_OK && complete(&layout);
	}
	if (!whole) {
		choose_pack(o, NULL, &choice);
		if (!choice.pack && rc)
			return no_layout(o, &choice);
		if (choice.pack) {
			rc = resolve_by_pack(o, &choice, &layout);
			if (rc)
				return rc;
		} else {
			memset(&choice, 0, sizeof(choice)); /* none was used */
		}
	}
	acc_layout_deinit(sp, &o->p->layout);
	o->p->layout = layout;
	o->p->witnesses = choice.result;
	o->layout = &o->p->layout;
	o->match_header_bytes = 0;
	spans(o);

	struct mdl_library *lib = &o->p->library;
	char pack_text[128] = "", debugger_text[64] = "";
	unsigned n_debugger = rows_from(&layout, ACC_SRC_DEBUGGER);
	if (layout.pack)
		snprintf(pack_text, sizeof(pack_text), "pack openmpi %.24s (%.30s), %u witnesses agree%s",
			 layout.pack->version, layout.pack->system, choice.result.n_agree,
			 choice.another ? "; another pack fits, too" : "");
	if (n_debugger)
		snprintf(debugger_text, sizeof(debugger_text), "the debugger's types (%u of %u rows)", n_debugger,
			 layout.schema->n_fields);
	snprintf(lib->layout, sizeof(lib->layout), "%s%s%s", debugger_text,
		 debugger_text[0] && pack_text[0] ? ", " : "", pack_text);
	return ACC_OK;
}

/* ---- epochs ------------------------------------------------------------------------------------------------- */

/* Discard the data of this epoch. */
static void forget_process(struct rd_ompi *o)
{
	rd_ompi_index_clear(o, &o->sends);
	rd_ompi_index_clear(o, &o->receives);
	rd_ompi_index_clear(o, &o->collectives);
	rd_ompi_internal_clear(o);
	rd_ompi_objects_clear(o);
	o->keyval_table_asked = false;
	rd_ompi_ucx_forget(o);
	acc_array_free(o->sp, o->ops.heads);
	memset(&o->ops, 0, sizeof(o->ops)); /* serial 0 is never used: walks in progress have ended */
	memset(o->datatypes, 0, sizeof(o->datatypes));
	memset(o->peers, 0, sizeof(o->peers));
	memset(o->groups, 0, sizeof(o->groups));
	memset(o->class_addr, 0, sizeof(o->class_addr));
	for (unsigned i = 0; i < RD_OMPI_N_SYMBOLS; i++)
		o->symbol_asked[i] = false;
}

static void reset_library(struct rd_ompi *o)
{
	struct mdl_library *lib = &o->p->library;

	lib->implementation = "Open MPI";
	lib->abi = rd_abi_is_openmpi(o->sp);
	lib->component[0] = '\0';
	lib->thread_multiple = lib->thread_multiple_known = false;
	lib->world_rank = lib->world_size = lib->job = mdl_unavailable("MPI is not initialized, or finalized");
	o->ob1 = o->by_ucx = false;
	o->pml_why = NULL;
	o->job_known = false;
}

static enum acc_rc look_at_world(struct rd_ompi *o)
{
	int64_t before = o->mpi_state;

	enum acc_rc rc = rd_ompi_read_state(o);
	if (rc)
		return rc;
	/* MPI_Init loads components and their witnesses: a layout found before it is checked again */
	if (!o->layout || (before < RD_OMPI_STATE_INIT && o->mpi_state >= RD_OMPI_STATE_INIT)) {
		rc = resolve(o);
		if (rc)
			return rc;
		rd_ompi_read_version(o);
	}
	return rd_ompi_read_world(o);
}

static enum acc_rc refresh(struct rd_ompi *o)
{
	reset_library(o);
	enum acc_rc rc = look_at_world(o);
	if (rc) {
		/* nothing is read until a later attempt succeeds */
		o->mpi_state = 0;
		o->p->library.state = MDL_STATE_UNKNOWN;
	}
	return rc;
}

static void close_ompi(void *state)
{
	struct rd_ompi *o = state;

	if (!o)
		return;
	forget_process(o);
	rd_ucx_deinit(&o->ucx);
	acc_layout_deinit(o->sp, &o->p->layout);
	acc_array_free(o->sp, o);
}

static enum acc_rc open_ompi(struct rd_process *p, const struct rd_packs *packs, void **state)
{
	uint64_t addr;

	if (acc_symbol(p->sp, "ompi_mpi_state", &addr))
		return ACC_NONE;
	struct rd_ompi *o = acc_array(p->sp, 1, sizeof(*o));
	if (!o)
		return ACC_ENOMEM;
	memset(o, 0, sizeof(*o));
	o->p = p;
	o->sp = p->sp;
	o->packs = packs;
	enum acc_rc rc = refresh(o);
	if (rc) {
		close_ompi(o);
		return rc;
	}
	*state = o;
	return ACC_OK;
}

static enum acc_rc update_ompi(void *state)
{
	struct rd_ompi *o = state;

	forget_process(o);
	return refresh(o);
}

const struct rd_reader rd_ompi_reader = {
	.name = "openmpi",
	.open = open_ompi,
	.close = close_ompi,
	.update = update_ompi,
	.comm_first = rd_ompi_comm_first,
	.comm_next = rd_ompi_comm_next,
	.comm_get = rd_ompi_comm_get,
	.comm_members = rd_ompi_comm_members,
	.comm_topology = rd_ompi_topology,
	.ops_available = rd_ompi_ops_available,
	.op_first = rd_ompi_op_first,
	.probe = rd_ompi_ucx_probe,
	.op_next = rd_ompi_op_next,
	.objects = rd_ompi_objects,
	.set_stacks = rd_ompi_set_stacks,
	.request_at = rd_ompi_request_at,
	.request_get = rd_ompi_request_get,
	.request_done = rd_ompi_request_done,
	.handle_fortran = rd_ompi_handle_fortran,
	.datatype_get = rd_ompi_datatype_get,
	.pvar_get = rd_ompi_pvar_get,
	.flows = rd_ompi_flows,
};
