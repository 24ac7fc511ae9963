/* SPDX-License-Identifier: BSD-3-Clause */
#include "fake_ompi.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

enum {
	FLAG_INTER = 0x1,
	FLAG_NAMED = 0x2,
	FLAG_INTRINSIC = 0x4,
	FLAG_PML_ADDED = 0x1000,
	FLAG_GLOBAL_INDEX = 0x10000,
	EXTENDED_HEADER_BYTES = 24, /* bytes before the second header */
	GROUP_DENSE = 0x4,
	CHUNK_ITEMS = 8,
};

/* ---- types ------------------------------------------------------------------------------------------------ */

/* Facts that are not in the schema: base structures and embedded objects. */
static void describe(struct fake *f, bool since_50)
{
	static const unsigned bases[][2] = {
		{ T_opal_list_item_t, T_opal_object_t },
		{ T_opal_free_list_item_t, T_opal_list_item_t },
		{ T_opal_list_t, T_opal_object_t },
		{ T_opal_lifo_t, T_opal_object_t },
		{ T_opal_free_list_t, T_opal_lifo_t },
		{ T_opal_pointer_array_t, T_opal_object_t },
		{ T_ompi_communicator_t, T_opal_object_t },
		{ T_ompi_group_t, T_opal_object_t },
		{ T_opal_proc_t, T_opal_list_item_t },
		{ T_mca_topo_base_module_t, T_opal_object_t },
		{ T_mca_topo_base_comm_cart_2_2_0_t, T_opal_object_t },
		{ T_mca_topo_base_comm_graph_2_2_0_t, T_opal_object_t },
		{ T_mca_topo_base_comm_dist_graph_2_2_0_t, T_opal_object_t },
		{ T_opal_datatype_t, T_opal_object_t },
		{ T_ompi_datatype_t, T_opal_datatype_t },
		{ T_ompi_win_t, T_opal_object_t },
		{ T_ompi_file_t, T_opal_object_t },
		{ T_ompi_request_t, T_opal_free_list_item_t },
		{ T_mca_pml_base_request_t, T_ompi_request_t },
		{ T_mca_pml_base_send_request_t, T_mca_pml_base_request_t },
		{ T_mca_pml_base_recv_request_t, T_mca_pml_base_request_t },
		{ T_mca_pml_ob1_send_request_t, T_mca_pml_base_send_request_t },
		{ T_mca_pml_ob1_recv_request_t, T_mca_pml_base_recv_request_t },
		{ T_mca_pml_comm_t, T_opal_object_t },
		{ T_mca_pml_ob1_comm_proc_t, T_opal_object_t },
		{ T_mca_pml_ob1_recv_frag_t, T_opal_free_list_item_t },
		{ T_mca_pml_ob1_match_hdr_t, T_mca_pml_ob1_common_hdr_t },
		{ T_mca_pml_ob1_rendezvous_hdr_t, T_mca_pml_ob1_match_hdr_t },
		{ T_ompi_coll_libnbc_request_t, T_ompi_request_t },
	};
	static const unsigned embeds[][2] = {
		{ F_opal_list_t_opal_list_sentinel, T_opal_list_item_t },
		{ F_opal_lifo_t_opal_lifo_ghost, T_opal_list_item_t },
		{ F_opal_free_list_t_fl_allocations, T_opal_list_t },
		{ F_opal_proc_t_proc_name, T_opal_process_name_t },
		{ F_ompi_request_t_req_status, T_ompi_status_public_t },
		{ F_mca_pml_comm_t_wild_receives, T_opal_list_t },
		{ F_mca_pml_ob1_comm_proc_t_specific_receives, T_opal_list_t },
		{ F_mca_pml_ob1_comm_proc_t_unexpected_frags, T_opal_list_t },
		{ F_mca_pml_ob1_recv_frag_t_hdr, T_mca_pml_ob1_rendezvous_hdr_t },
		{ F_mca_pml_ob1_recv_frag_t_segments, T_mca_btl_base_segment_t },
		{ F_mca_pml_ob1_t_non_existing_communicator_pending, T_opal_list_t },
		{ F_ompi_coll_libnbc_component_t_requests, T_opal_free_list_t },
		{ F_ompi_coll_libnbc_component_t_active_requests, T_opal_list_t },
	};

	for (unsigned i = 0; i < sizeof(bases) / sizeof(bases[0]); i++)
		fake_base(f, bases[i][0], bases[i][1]);
	for (unsigned i = 0; i < sizeof(embeds) / sizeof(embeds[0]); i++)
		fake_embed(f, embeds[i][0], embeds[i][1], 1);
	fake_hide_field(f, F_mca_pml_ob1_match_hdr_t_hdr_padding);
	if (since_50) {
		fake_hide_field(f, F_opal_proc_t_proc_hostname);
		fake_hide_type(f, T_ompi_osc_pt2pt_module_t);
		fake_fix_field(f, F_mca_pml_ob1_ext_match_hdr_t_hdr_match, EXTENDED_HEADER_BYTES);
	} else {
		fake_hide_field(f, F_ompi_communicator_t_c_index);
		fake_hide_field(f, F_ompi_communicator_t_instance);
		fake_hide_type(f, T_mca_pml_ob1_ext_match_hdr_t);
	}
}

/* ---- objects ------------------------------------------------------------------------------------------------ */

uint64_t fake_ompi_class(struct fake_ompi *m, const char *name)
{
	for (unsigned i = 0; i < m->n_classes; i++)
		if (!strcmp(m->classes[i].name, name))
			return m->classes[i].addr;
	ck_assert_uint_lt(m->n_classes, FAKE_OMPI_CLASSES);
	uint64_t addr = fake_new(m->f, T_opal_class_t);
	fake_put_u(m->f, addr, F_opal_class_t_cls_name, fake_string(m->f, name));
	m->classes[m->n_classes].name = name;
	m->classes[m->n_classes++].addr = addr;
	return addr;
}

uint64_t fake_ompi_new(struct fake_ompi *m, unsigned type, const char *class_name)
{
	uint64_t addr = fake_new(m->f, type);

	fake_put_u(m->f, addr, F_opal_object_t_obj_class, fake_ompi_class(m, class_name));
	return addr;
}

static void list_init(struct fake_ompi *m, uint64_t list)
{
	uint64_t sentinel = fake_field_addr(m->f, list, F_opal_list_t_opal_list_sentinel);

	fake_put_u(m->f, sentinel, F_opal_list_item_t_opal_list_next, sentinel);
	fake_put_u(m->f, sentinel, F_opal_list_item_t_opal_list_prev, sentinel);
	fake_put_u(m->f, list, F_opal_list_t_opal_list_length, 0);
}

void fake_ompi_append(struct fake_ompi *m, uint64_t list, uint64_t item)
{
	uint64_t sentinel = fake_field_addr(m->f, list, F_opal_list_t_opal_list_sentinel);
	uint64_t last = fake_get_u(m->f, sentinel, F_opal_list_item_t_opal_list_prev);

	fake_put_u(m->f, item, F_opal_list_item_t_opal_list_prev, last);
	fake_put_u(m->f, item, F_opal_list_item_t_opal_list_next, sentinel);
	fake_put_u(m->f, last, F_opal_list_item_t_opal_list_next, item);
	fake_put_u(m->f, sentinel, F_opal_list_item_t_opal_list_prev, item);
	fake_put_u(m->f, list, F_opal_list_t_opal_list_length,
		   fake_get_u(m->f, list, F_opal_list_t_opal_list_length) + 1);
}

static void freelist_init(struct fake_ompi *m, struct fake_ompi_list *l, uint64_t addr, unsigned type, const char *name)
{
	struct fake *f = m->f;
	uint64_t ghost = fake_field_addr(f, addr, F_opal_lifo_t_opal_lifo_ghost);

	*l = (struct fake_ompi_list){ .addr = addr, .type = type, .class_addr = fake_ompi_class(m, name) };
	l->stride = (fake_type_bytes(f, type) + FAKE_OMPI_ITEM_ALIGN - 1) & ~(uint64_t)(FAKE_OMPI_ITEM_ALIGN - 1);
	fake_put_u(f, addr, F_opal_free_list_t_fl_frag_size, fake_type_bytes(f, type));
	fake_put_u(f, addr, F_opal_free_list_t_fl_frag_alignment, FAKE_OMPI_ITEM_ALIGN);
	fake_put_u(f, addr, F_opal_free_list_t_fl_frag_class, l->class_addr);
	fake_put_u(f, addr, F_opal_free_list_t_fl_num_per_alloc, CHUNK_ITEMS);
	list_init(m, fake_field_addr(f, addr, F_opal_free_list_t_fl_allocations));
	fake_write_ptr(f, fake_field_addr(f, addr, F_opal_lifo_t_opal_lifo_head) + 8, ghost);
	fake_put_u(f, ghost, F_opal_list_item_t_opal_list_next, ghost);
}

uint64_t fake_ompi_item(struct fake_ompi *m, struct fake_ompi_list *l)
{
	struct fake *f = m->f;

	if (!l->left) {
		uint64_t header = fake_type_bytes(f, T_opal_free_list_item_t);
		uint64_t chunk = fake_alloc(f, header + FAKE_OMPI_ITEM_ALIGN + CHUNK_ITEMS * l->stride, 16);

		fake_put_u(f, chunk, F_opal_object_t_obj_class, fake_ompi_class(m, "opal_free_list_item_t"));
		fake_ompi_append(m, fake_field_addr(f, l->addr, F_opal_free_list_t_fl_allocations), chunk);
		l->next = (chunk + header + FAKE_OMPI_ITEM_ALIGN - 1) & ~(uint64_t)(FAKE_OMPI_ITEM_ALIGN - 1);
		l->left = CHUNK_ITEMS;
		for (unsigned i = 0; i < CHUNK_ITEMS; i++)
			fake_put_u(f, l->next + i * l->stride, F_opal_object_t_obj_class, l->class_addr);
		l->n += CHUNK_ITEMS;
		fake_put_u(f, l->addr, F_opal_free_list_t_fl_num_allocated, l->n);
	}
	uint64_t item = l->next;
	l->next += l->stride;
	l->left--;
	return item;
}

void fake_ompi_array(struct fake_ompi *m, uint64_t array, const uint64_t *values, int n)
{
	fake_put_i(m->f, array, F_opal_pointer_array_t_size, n);
	fake_put_u(m->f, array, F_opal_pointer_array_t_addr, n ? fake_ptrs(m->f, values, (size_t)n) : 0);
}

uint64_t fake_ompi_proc(struct fake_ompi *m, uint32_t job, uint32_t vpid)
{
	uint64_t proc = fake_ompi_new(m, T_opal_proc_t, "ompi_proc_t");
	uint64_t name = fake_field_addr(m->f, proc, F_opal_proc_t_proc_name);

	fake_put_u(m->f, name, F_opal_process_name_t_jobid, job);
	fake_put_u(m->f, name, F_opal_process_name_t_vpid, vpid);
	return proc;
}

uint64_t fake_ompi_group(struct fake_ompi *m, const uint64_t *entries, int n, int my_rank)
{
	uint64_t group = fake_ompi_new(m, T_ompi_group_t, "ompi_group_t");

	fake_put_i(m->f, group, F_ompi_group_t_grp_proc_count, n);
	fake_put_i(m->f, group, F_ompi_group_t_grp_my_rank, my_rank);
	fake_put_u(m->f, group, F_ompi_group_t_grp_proc_pointers, fake_ptrs(m->f, entries, (size_t)n));
	fake_put_u(m->f, group, F_ompi_group_t_grp_flags, GROUP_DENSE);
	return group;
}

/* ---- communicators --------------------------------------------------------------------------------------------- */

uint64_t fake_ompi_comm(struct fake_ompi *m, const char *name, int size, int rank, uint64_t remote)
{
	struct fake *f = m->f;
	uint64_t comm = fake_ompi_new(m, T_ompi_communicator_t, "ompi_communicator_t");
	uint64_t pml = fake_ompi_new(m, T_mca_pml_comm_t, "mca_pml_ob1_comm_t");
	uint64_t group = fake_ompi_group(m, m->procs, size, rank);
	int context = m->next_context++;
	int peers = remote ? (int)fake_get_u(f, remote, F_ompi_group_t_grp_proc_count) : size;

	ck_assert_int_lt(context, FAKE_OMPI_SLOTS);
	if (!f->fields[F_ompi_communicator_t_c_contextid].hidden)
		fake_put_i(f, comm, F_ompi_communicator_t_c_contextid, m->since_50 ? 0x5a5a : context);
	if (m->since_50) {
		fake_put_i(f, comm, F_ompi_communicator_t_c_index, context);
		fake_write_ptr(f, fake_field_addr(f, comm, F_ompi_communicator_t_c_name), fake_string(f, name));
	} else {
		fake_put_chars(f, comm, F_ompi_communicator_t_c_name, name);
	}
	fake_put_i(f, comm, F_ompi_communicator_t_c_my_rank, rank);
	fake_put_u(f, comm, F_ompi_communicator_t_c_flags,
		   FLAG_NAMED | FLAG_PML_ADDED | (m->since_50 ? FLAG_GLOBAL_INDEX : 0) | (remote ? FLAG_INTER : 0) |
			   (context < 3 ? FLAG_INTRINSIC : 0));
	fake_put_u(f, comm, F_ompi_communicator_t_c_local_group, group);
	fake_put_u(f, comm, F_ompi_communicator_t_c_remote_group, remote ? remote : group);
	fake_put_i(f, comm, F_ompi_communicator_t_c_f_to_c_index, context + 100);
	fake_put_u(f, comm, F_ompi_communicator_t_c_pml_comm, pml);
	list_init(m, fake_field_addr(f, pml, F_mca_pml_comm_t_wild_receives));
	fake_put_u(f, pml, F_mca_pml_comm_t_procs, fake_alloc(f, (uint64_t)peers * f->word_bytes, f->word_bytes));
	fake_put_i(f, pml, F_mca_pml_comm_t_num_procs, peers);
	fake_write_ptr(f, m->slots + (uint64_t)context * f->word_bytes, comm);
	return comm;
}

uint64_t fake_ompi_peer(struct fake_ompi *m, uint64_t comm, int peer)
{
	struct fake *f = m->f;
	uint64_t pml = fake_get_u(f, comm, F_ompi_communicator_t_c_pml_comm);
	uint64_t slot = fake_get_u(f, pml, F_mca_pml_comm_t_procs) + (uint64_t)peer * f->word_bytes;
	uint64_t proc = fake_peek_ptr(f, slot);

	if (!proc) {
		proc = fake_ompi_new(m, T_mca_pml_ob1_comm_proc_t, "mca_pml_ob1_comm_proc_t");
		list_init(m, fake_field_addr(f, proc, F_mca_pml_ob1_comm_proc_t_specific_receives));
		list_init(m, fake_field_addr(f, proc, F_mca_pml_ob1_comm_proc_t_unexpected_frags));
		fake_write_ptr(f, slot, proc);
	}
	return proc;
}

/* ---- requests ---------------------------------------------------------------------------------------------------- */

static void request(struct fake_ompi *m, uint64_t req, uint64_t comm, int peer, int tag, int count)
{
	struct fake *f = m->f;

	fake_put_i(f, req, F_ompi_request_t_req_state, 2);
	fake_put_u(f, req, F_ompi_request_t_req_complete, 0);
	fake_put_i(f, req, F_ompi_request_t_req_f_to_c_index, -32766);
	fake_put_u(f, req, F_mca_pml_base_request_t_req_comm, comm);
	fake_put_u(f, req, F_mca_pml_base_request_t_req_datatype, m->dt_int);
	fake_put_u(f, req, F_mca_pml_base_request_t_req_addr, 0x7000);
	fake_put_i(f, req, F_mca_pml_base_request_t_req_count, count);
	fake_put_i(f, req, F_mca_pml_base_request_t_req_peer, peer);
	fake_put_i(f, req, F_mca_pml_base_request_t_req_tag, tag);
}

uint64_t fake_ompi_receive(struct fake_ompi *m, uint64_t comm, int peer, int tag, int count)
{
	struct fake *f = m->f;
	uint64_t req = fake_ompi_item(m, &m->receives);
	uint64_t pml = fake_get_u(f, comm, F_ompi_communicator_t_c_pml_comm);
	uint64_t status = fake_field_addr(f, req, F_ompi_request_t_req_status);

	request(m, req, comm, peer, tag, count);
	fake_put_i(f, req, F_mca_pml_base_request_t_req_type, 2);
	fake_put_u(f, req, F_mca_pml_base_request_t_req_sequence, m->sequence++);
	fake_put_u(f, pml, F_mca_pml_comm_t_recv_sequence, m->sequence);
	fake_put_i(f, status, F_ompi_status_public_t_MPI_SOURCE, -1);
	fake_put_i(f, status, F_ompi_status_public_t_MPI_TAG, -1);
	return req;
}

uint64_t fake_ompi_post(struct fake_ompi *m, uint64_t comm, int peer, int tag, int count)
{
	struct fake *f = m->f;
	uint64_t req = fake_ompi_receive(m, comm, peer, tag, count);
	uint64_t pml = fake_get_u(f, comm, F_ompi_communicator_t_c_pml_comm);

	fake_ompi_append(m,
			 peer < 0 ? fake_field_addr(f, pml, F_mca_pml_comm_t_wild_receives)
				  : fake_field_addr(f, fake_ompi_peer(m, comm, peer),
						    F_mca_pml_ob1_comm_proc_t_specific_receives),
			 req);
	return req;
}

void fake_ompi_match(struct fake_ompi *m, uint64_t req, int source, int tag, uint64_t bytes)
{
	uint64_t status = fake_field_addr(m->f, req, F_ompi_request_t_req_status);

	fake_put_i(m->f, status, F_ompi_status_public_t_MPI_SOURCE, source);
	fake_put_i(m->f, status, F_ompi_status_public_t_MPI_TAG, tag);
	fake_put_u(m->f, status, F_ompi_status_public_t__ucount, bytes);
	fake_put_u(m->f, req, F_mca_pml_base_recv_request_t_req_bytes_packed, bytes);
}

uint64_t fake_ompi_send(struct fake_ompi *m, uint64_t comm, int peer, int tag, int count, int mode)
{
	struct fake *f = m->f;
	uint64_t req = fake_ompi_item(m, &m->sends);

	request(m, req, comm, peer, tag, count);
	fake_put_i(f, req, F_mca_pml_base_request_t_req_type, 1);
	fake_put_u(f, req, F_mca_pml_base_request_t_req_sequence, m->sends.n - m->sends.left);
	fake_put_u(f, req, F_mca_pml_base_send_request_t_req_addr, 0x7000);
	fake_put_i(f, req, F_mca_pml_base_send_request_t_req_bytes_packed, 4 * count);
	fake_put_i(f, req, F_mca_pml_base_send_request_t_req_send_mode, mode);
	return req;
}

uint64_t fake_ompi_collective(struct fake_ompi *m, uint64_t comm, int tag)
{
	struct fake *f = m->f;
	uint64_t req = fake_ompi_item(m, &m->collectives);

	fake_put_i(f, req, F_ompi_request_t_req_state, 2);
	fake_put_i(f, req, F_ompi_request_t_req_f_to_c_index, -32766);
	fake_put_u(f, req, F_ompi_coll_libnbc_request_t_comm, comm);
	fake_put_i(f, req, F_ompi_coll_libnbc_request_t_tag, tag);
	return req;
}

/* ---- messages -------------------------------------------------------------------------------------------------- */

uint64_t fake_ompi_frag(struct fake_ompi *m, uint64_t comm, int source, int tag, uint64_t bytes,
			enum mdl_protocol protocol, int sequence)
{
	struct fake *f = m->f;
	uint64_t frag = fake_ompi_item(m, &m->frags);
	uint64_t hdr = fake_field_addr(f, frag, F_mca_pml_ob1_recv_frag_t_hdr);
	uint64_t segment = fake_field_addr(f, frag, F_mca_pml_ob1_recv_frag_t_segments);
	uint64_t header = fake_field_offset(f, F_mca_pml_ob1_match_hdr_t_hdr_seq) + 2;

	fake_put_u(f, hdr, F_mca_pml_ob1_common_hdr_t_hdr_type, protocol == MDL_EAGER ? 0x41 : 0x42);
	if (comm)
		fake_put_u(f, hdr, F_mca_pml_ob1_match_hdr_t_hdr_ctx,
			   fake_get_u(f, comm,
				      m->since_50 ? F_ompi_communicator_t_c_index : F_ompi_communicator_t_c_contextid));
	fake_put_i(f, hdr, F_mca_pml_ob1_match_hdr_t_hdr_src, source);
	fake_put_i(f, hdr, F_mca_pml_ob1_match_hdr_t_hdr_tag, tag);
	fake_put_i(f, hdr, F_mca_pml_ob1_match_hdr_t_hdr_seq, sequence);
	fake_put_u(f, segment, F_mca_btl_base_segment_t_seg_addr, 0x9000);
	fake_put_u(f, segment, F_mca_btl_base_segment_t_seg_len, protocol == MDL_EAGER ? header + bytes : header + 16);
	fake_put_i(f, frag, F_mca_pml_ob1_recv_frag_t_num_segments, 1);
	if (protocol != MDL_EAGER) {
		fake_put_u(f, hdr, F_mca_pml_ob1_rendezvous_hdr_t_hdr_msg_length, bytes);
		fake_put_u(f, hdr, F_mca_pml_ob1_rendezvous_hdr_t_hdr_src_req, 0xabc0);
	}
	return frag;
}

uint64_t fake_ompi_message(struct fake_ompi *m, uint64_t comm, int source, int tag, uint64_t bytes,
			   enum mdl_protocol protocol)
{
	uint64_t proc = fake_ompi_peer(m, comm, source);
	uint64_t list = fake_field_addr(m->f, proc, F_mca_pml_ob1_comm_proc_t_unexpected_frags);
	int sequence = (int)fake_get_u(m->f, list, F_opal_list_t_opal_list_length) + 1;
	uint64_t frag = fake_ompi_frag(m, comm, source, tag, bytes, protocol, sequence);

	fake_ompi_append(m, list, frag);
	return frag;
}

/* ---- life -------------------------------------------------------------------------------------------- */

static uint64_t datatype(struct fake_ompi *m, const char *name, const char *class_name, uint64_t bytes)
{
	uint64_t addr = fake_ompi_new(m, T_ompi_datatype_t, class_name);

	fake_put_u(m->f, addr, F_opal_datatype_t_size, bytes);
	if (fake_field_width(m->f, F_ompi_datatype_t_name) == m->f->word_bytes)
		fake_put_u(m->f, addr, F_ompi_datatype_t_name, fake_string(m->f, name));
	else
		fake_put_chars(m->f, addr, F_ompi_datatype_t_name, name);
	return addr;
}

static uint64_t component(struct fake_ompi *m, const char *name)
{
	uint64_t addr = fake_new(m->f, T_mca_base_component_2_1_0_t);

	fake_put_chars(m->f, addr, F_mca_base_component_2_1_0_t_mca_component_name, name);
	fake_put_i(m->f, addr, F_mca_base_component_2_1_0_t_mca_component_major_version, 4);
	fake_put_i(m->f, addr, F_mca_base_component_2_1_0_t_mca_component_minor_version, 1);
	fake_put_i(m->f, addr, F_mca_base_component_2_1_0_t_mca_component_release_version, 4);
	return addr;
}

static void symbols(struct fake_ompi *m)
{
	struct fake *f = m->f;
	uint64_t state = fake_alloc(f, 4, 8), threads = fake_alloc(f, 1, 8), cached = fake_alloc(f, 8, 8);
	uint64_t local = fake_alloc(f, 8, 8);
	uint64_t nbc = fake_new(f, T_ompi_coll_libnbc_component_t);

	fake_write_u(f, state, 4, 2);
	fake_write_ptr(f, local, m->procs[m->rank]);
	fake_symbol(f, "ompi_mpi_state", state);
	fake_symbol(f, "ompi_version_string", fake_string(f, m->since_50 ? "5.0.7" : "4.1.4"));
	fake_symbol(f, "ompi_mpi_communicators", m->table);
	fake_symbol(f, "ompi_proc_local_proc", local);
	fake_symbol(f, "ompi_mpi_thread_multiple", threads);
	fake_symbol(f, "ompi_mpi_windows", m->windows);
	fake_symbol(f, "ompi_file_f_to_c_table", m->files);
	fake_symbol(f, "mca_pml_base_selected_component", component(m, "ob1"));
	fake_symbol(f, "mca_pml_base_send_requests", m->sends.addr);
	fake_symbol(f, "mca_pml_base_recv_requests", m->receives.addr);
	fake_symbol(f, "mca_pml_ob1", m->ob1);
	fake_symbol(f, "mca_pml_ob1_recvreq", cached);
	fake_symbol(f, "mca_coll_libnbc_component", nbc);
	freelist_init(m, &m->collectives, fake_field_addr(f, nbc, F_ompi_coll_libnbc_component_t_requests),
		      T_ompi_coll_libnbc_request_t, "ompi_coll_libnbc_request_t");
}

/** @param pack NULL: the fake's own layout */
static struct fake_ompi *create(unsigned word_bytes, bool big_endian, int size, int rank, bool since_50,
				const struct acc_pack *pack)
{
	struct fake_ompi *m = calloc(1, sizeof(*m));

	ck_assert_ptr_nonnull(m);
	ck_assert(size >= 1 && size <= FAKE_OMPI_PROCS && rank >= 0 && rank < size);
	struct fake *f = m->f = fake_create(word_bytes, big_endian, &rd_ompi_schema);
	m->size = size;
	m->rank = rank;
	m->since_50 = since_50;
	describe(f, since_50);
	if (pack)
		fake_lay_out_as(f, pack);
	else
		fake_lay_out(f);
	for (int i = 0; i < size; i++)
		m->procs[i] = fake_ompi_proc(m, FAKE_OMPI_JOB, (uint32_t)i);
	m->slots = fake_alloc(f, (uint64_t)FAKE_OMPI_SLOTS * word_bytes, 16);
	m->table = fake_ompi_new(m, T_opal_pointer_array_t, "opal_pointer_array_t");
	fake_put_i(f, m->table, F_opal_pointer_array_t_size, FAKE_OMPI_SLOTS);
	fake_put_u(f, m->table, F_opal_pointer_array_t_addr, m->slots);
	m->windows = fake_ompi_new(m, T_opal_pointer_array_t, "opal_pointer_array_t");
	m->files = fake_ompi_new(m, T_opal_pointer_array_t, "opal_pointer_array_t");
	m->dt_int = datatype(m, "MPI_INT", "opal_datatype_t", 4);
	m->dt_user = datatype(m, "", "ompi_datatype_t", 24);
	freelist_init(m, &m->sends, fake_new(f, T_opal_free_list_t), T_mca_pml_ob1_send_request_t,
		      "mca_pml_ob1_send_request_t");
	freelist_init(m, &m->receives, fake_new(f, T_opal_free_list_t), T_mca_pml_ob1_recv_request_t,
		      "mca_pml_ob1_recv_request_t");
	freelist_init(m, &m->frags, fake_new(f, T_opal_free_list_t), T_mca_pml_ob1_recv_frag_t,
		      "mca_pml_ob1_recv_frag_t");
	m->ob1 = fake_new(f, T_mca_pml_ob1_t);
	list_init(m, fake_field_addr(f, m->ob1, F_mca_pml_ob1_t_non_existing_communicator_pending));
	symbols(m);
	m->world = fake_ompi_comm(m, "MPI_COMM_WORLD", size, rank, 0);
	m->self = fake_ompi_comm(m, "MPI_COMM_SELF", 1, 0, 0);
	fake_put_u(f, fake_get_u(f, m->self, F_ompi_communicator_t_c_local_group), F_ompi_group_t_grp_proc_pointers,
		   fake_ptrs(f, &m->procs[rank], 1));
	m->null = fake_ompi_comm(m, "MPI_COMM_NULL", 0, -2, 0);
	ck_assert_int_eq(fake_space(f, &m->sp), ACC_OK);
	return m;
}

struct fake_ompi *fake_ompi_create(unsigned word_bytes, bool big_endian, int size, int rank)
{
	return create(word_bytes, big_endian, size, rank, false, NULL);
}

struct fake_ompi *fake_ompi_create_50(unsigned word_bytes, bool big_endian, int size, int rank)
{
	return create(word_bytes, big_endian, size, rank, true, NULL);
}

struct fake_ompi *fake_ompi_create_as(const struct acc_pack *pack, const char *version, int size, int rank)
{
	struct fake_ompi *m = create(pack->word_bytes, pack->big_endian, size, rank,
				     acc_pack_field(pack, "ompi_communicator_t", "instance") != NULL, pack);
	struct fake *f = m->f;

	fake_symbol(f, "ompi_version_string", fake_string(f, version));
	for (size_t i = 0; i < pack->n_witnesses; i++) {
		const struct acc_pack_witness *w = &pack->witnesses[i];
		if (w->kind != ACC_WITNESS_UINT)
			continue;
		uint64_t addr = fake_alloc(f, w->offset + w->width, 16);
		fake_write_u(f, addr + w->offset, w->width, w->value);
		fake_symbol(f, w->symbol, addr);
	}
	fake_answer_by(f, FAKE_BY_NOBODY);
	return m;
}

void fake_ompi_destroy(struct fake_ompi *m)
{
	if (!m)
		return;
	acc_space_deinit(&m->sp);
	struct fake *f = m->f;
	free(m);
	fake_destroy(f);
}

struct rd_process *fake_ompi_open(struct fake_ompi *m)
{
	static const struct rd_packs none = { 0 };
	struct rd_process *p = NULL;

	enum acc_rc rc = rd_open(&m->sp, &none, &p);
	ck_assert_msg(rc == ACC_OK, "rd_open: %s (%s)", acc_rc_text(rc), m->sp.note.text);
	return p;
}

static void see_ops(struct rd_process *p, const struct mdl_comm *comm, bool all, struct fake_ompi_seen *seen)
{
	for (int op_class = 0; op_class < MDL_N_CLASSES; op_class++) {
		struct rd_op_iter it = { 0 };
		struct mdl_op op;
		const char *why;

		if (rd_ops_available(p, op_class, &why))
			continue;
		enum acc_rc rc = rd_op_first(p, comm, op_class, all, &it);
		while (rc == ACC_OK && (rc = rd_op_next(&it, &op)) == ACC_OK)
			seen->n_ops++;
		seen->n_failures += rc != ACC_NONE;
		seen->n_bad += it.n_bad;
	}
}

enum acc_rc fake_ompi_walk(struct rd_process *p, uint64_t comm_addr, enum mdl_op_class op_class, bool all,
			   struct fake_ompi_ops *ret)
{
	struct rd_op_iter it;
	struct mdl_comm comm;
	struct mdl_op op;

	ret->n = 0;
	if (comm_addr)
		ck_assert_int_eq(rd_comm_get(p, comm_addr, &comm), ACC_OK);
	enum acc_rc rc = rd_op_first(p, comm_addr ? &comm : NULL, op_class, all, &it);
	ck_assert_int_eq(rc, ACC_OK);
	while ((rc = rd_op_next(&it, &op)) == ACC_OK) {
		if (ret->n < FAKE_OMPI_OPS)
			ret->v[ret->n] = op;
		ret->n++;
	}
	ck_assert_int_eq(rd_op_next(&it, &op), ACC_NONE); /* the end stays */
	ret->n_bad = it.n_bad;
	return rc;
}

struct fake_ompi_seen fake_ompi_see(struct rd_process *p, bool all)
{
	struct fake_ompi_seen seen = { 0 };
	struct rd_comm_iter it = { 0 };
	struct mdl_comm comm;

	acc_space_begin(p->sp);
	enum acc_rc rc = rd_comm_first(p, all, &it);
	while (rc == ACC_OK && (rc = rd_comm_next(&it, &comm)) == ACC_OK) {
		struct mdl_member members[8];
		struct mdl_topology topology;

		seen.n_comms++;
		rd_comm_members(p, &comm, false, 0, comm.size < 8 ? (uint64_t)comm.size : 8, members);
		if (comm.inter)
			rd_comm_members(p, &comm, true, 0, comm.remote_size < 8 ? (uint64_t)comm.remote_size : 8,
					members);
		if (rd_comm_topology(p, &comm, &topology) == ACC_OK)
			rd_comm_topology_free(p, &topology);
		see_ops(p, &comm, all, &seen);
	}
	seen.n_failures += rc != ACC_NONE;
	seen.n_bad += it.n_bad;
	see_ops(p, NULL, all, &seen);
	acc_space_end(p->sp);
	return seen;
}
