/* SPDX-License-Identifier: BSD-3-Clause */
#include "image.h"
#include "fuzz.h"
#include "losses.h"
#include "target.h"

#include "../readers/openmpi/schema.h"
#include "../tests/support/packs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the pack, and memory laid out by it ------------------------------------------------------------------- */

const struct acc_pack *image_pack(void)
{
	static struct acc_pack *pack;
	struct acc_note note = { 0 };

	const struct acc_pack_builtin *b = pack ? NULL : pack_of_release("4.1.4");
	if (b)
		FUZZ_MUST(acc_pack_parse(&acc_pack_heap, b->text, b->n, &note, &pack) == ACC_OK);
	FUZZ_MUST(pack);
	return pack;
}

static struct image whole; /* the process before any change */

static uint64_t addr_of(uint32_t at)
{
	return IMAGE_ADDR + at;
}

/** @p bytes zeroed bytes, aligned to 64, far enough from the next object that a little too much still is its own. */
static uint64_t new_bytes(uint32_t bytes)
{
	uint32_t at = (whole.used + 63) & ~63u;
	FUZZ_MUST(at + bytes + 64 <= IMAGE_BYTES && whole.n_objects < IMAGE_OBJECTS);
	whole.objects[whole.n_objects++] = (struct image_object){ at, bytes };
	whole.used = at + bytes;
	return addr_of(at);
}

static uint32_t type_bytes(unsigned type)
{
	const struct acc_pack_type *t = acc_pack_type(image_pack(), rd_ompi_schema.types[type].name);
	FUZZ_MUST(t);
	return t->bytes;
}

static uint64_t new_object(unsigned type)
{
	return new_bytes(type_bytes(type));
}

static void put(uint64_t addr, unsigned width, uint64_t value)
{
	for (unsigned i = 0; i < width; i++)
		whole.memory[addr - IMAGE_ADDR + i] = (uint8_t)(value >> 8 * i);
}

/** NULL: this library has no such field. */
static const struct acc_pack_field *field_of(unsigned field)
{
	const struct acc_field_row *row = &rd_ompi_schema.fields[field];
	return acc_pack_field(image_pack(), row->type_name, row->name);
}

static uint64_t at(uint64_t addr, unsigned field)
{
	FUZZ_MUST(field_of(field));
	return addr + field_of(field)->offset;
}

static void set(uint64_t addr, unsigned field, uint64_t value)
{
	if (field_of(field))
		put(at(addr, field), field_of(field)->bytes, value);
}

static void text(uint64_t addr, const char *s)
{
	memcpy(whole.memory + (addr - IMAGE_ADDR), s, strlen(s) + 1);
}

static uint64_t new_text(const char *s)
{
	uint64_t addr = new_bytes((uint32_t)strlen(s) + 1);
	text(addr, s);
	return addr;
}

static uint64_t new_array(const uint64_t *values, unsigned n, unsigned width)
{
	uint64_t addr = new_bytes(n * width);
	for (unsigned i = 0; i < n; i++)
		put(addr + (uint64_t)i * width, width, values[i]);
	return addr;
}

static void symbol(const char *name, uint64_t addr)
{
	for (unsigned i = 0; i < whole.n_symbols; i++)
		FUZZ_MUST(strcmp(whole.symbols[i].name, name));
	FUZZ_MUST(whole.n_symbols < IMAGE_SYMBOLS);
	whole.symbols[whole.n_symbols++] = (struct image_symbol){ name, (uint32_t)(addr - IMAGE_ADDR), false };
}

/* ---- the process ------------------------------------------------------------------------------------------- */

static uint64_t class_addr(const char *name)
{
	for (unsigned i = 0; i < whole.n_symbols; i++) {
		const char *s = whole.symbols[i].name;
		if (!strncmp(s, name, strlen(name)) && !strcmp(s + strlen(name), "_class"))
			return addr_of(whole.symbols[i].at);
	}
	FUZZ_MUST(!"a class of the pack");
	return 0;
}

static uint64_t new_of_class(unsigned type, const char *class_name)
{
	uint64_t addr = new_object(type);
	set(addr, F_opal_object_t_obj_class, class_addr(class_name));
	set(addr, F_opal_object_t_obj_reference_count, 1);
	return addr;
}

static void make_class(const char *name, const char *symbol_name, uint32_t at, unsigned width, uint64_t value)
{
	uint64_t addr = new_object(T_opal_class_t);
	set(addr, F_opal_class_t_cls_name, new_text(name));
	put(addr + at, width, value);
	symbol(symbol_name, addr);
}

/** Everything that the witnesses of the pack name; and the class of processes, which has none. */
static void make_witnesses(void)
{
	const struct acc_pack *pack = image_pack();
	for (size_t i = 0; i < pack->n_witnesses; i++) {
		const struct acc_pack_witness *w = &pack->witnesses[i];
		char name[128];
		if (w->kind != ACC_WITNESS_UINT) { /* the first of those that would do */
			snprintf(name, sizeof(name), "%.*s",
				 (int)(w->kind == ACC_WITNESS_ONE_OF ? strcspn(w->text, " ") : strlen(w->text)),
				 w->text);
			symbol(w->symbol, new_text(name));
			continue;
		}
		snprintf(name, sizeof(name), "%s", w->symbol);
		name[strlen(name) - strlen("_class")] = '\0';
		make_class(name, w->symbol, w->offset, w->width, w->value);
	}
	make_class("ompi_proc_t", "ompi_proc_t_class", field_of(F_opal_class_t_cls_sizeof)->offset, 8, 120);
}

static void make_list(uint64_t list_addr, const uint64_t *items, unsigned n)
{
	uint64_t head = at(list_addr, F_opal_list_t_opal_list_sentinel), last = head;
	for (unsigned i = 0; i < n; i++) {
		set(last, F_opal_list_item_t_opal_list_next, items[i]);
		set(items[i], F_opal_list_item_t_opal_list_prev, last);
		last = items[i];
	}
	set(last, F_opal_list_item_t_opal_list_next, head);
	set(head, F_opal_list_item_t_opal_list_prev, last);
	set(list_addr, F_opal_list_t_opal_list_length, n);
}

static void make_pointer_array(const char *name, const uint64_t *values, unsigned n)
{
	uint64_t addr = new_object(T_opal_pointer_array_t);
	set(addr, F_opal_pointer_array_t_size, n);
	set(addr, F_opal_pointer_array_t_addr, new_array(values, n, 8));
	symbol(name, addr);
}

static uint64_t make_proc(uint32_t job, uint32_t rank)
{
	uint64_t addr = new_object(T_opal_proc_t), name = at(addr, F_opal_proc_t_proc_name);
	set(addr, F_opal_object_t_obj_class, class_addr("ompi_proc_t"));
	set(name, F_opal_process_name_t_jobid, job);
	set(name, F_opal_process_name_t_vpid, rank);
	return addr;
}

static uint64_t make_group(const uint64_t *procs, unsigned n, int my_rank)
{
	uint64_t addr = new_of_class(T_ompi_group_t, "ompi_group_t");
	set(addr, F_ompi_group_t_grp_proc_count, n);
	set(addr, F_ompi_group_t_grp_my_rank, (uint64_t)my_rank);
	set(addr, F_ompi_group_t_grp_proc_pointers, new_array(procs, n, 8));
	set(addr, F_ompi_group_t_grp_flags, 4);
	return addr;
}

static uint64_t make_comm(unsigned context, const char *name, uint64_t local, uint64_t remote, unsigned flags)
{
	uint64_t addr = new_of_class(T_ompi_communicator_t, "ompi_communicator_t");
	set(addr, F_ompi_communicator_t_c_contextid, context);
	set(addr, F_ompi_communicator_t_c_flags, flags | 0x1000);
	set(addr, F_ompi_communicator_t_c_local_group, local);
	set(addr, F_ompi_communicator_t_c_remote_group, remote);
	set(addr, F_ompi_communicator_t_c_f_to_c_index, context);
	text(at(addr, F_ompi_communicator_t_c_name), name);
	return addr;
}

static uint64_t make_topo(unsigned type, unsigned mtc_type, uint64_t *mtc)
{
	uint64_t addr = new_of_class(T_mca_topo_base_module_t, "mca_topo_base_module_t");
	set(addr, F_mca_topo_base_module_t_type, type);
	*mtc = new_object(mtc_type);
	set(addr, F_mca_topo_base_module_t_mtc, *mtc);
	return addr;
}

static uint64_t datatype;
enum { DATATYPE_BYTES = 8 };

/** A request in @p addr, which may be an item of a free list. */
static void make_request(uint64_t addr, const char *class_name, uint64_t comm, unsigned type, int peer, int tag,
			 unsigned sequence)
{
	set(addr, F_opal_object_t_obj_class, class_addr(class_name));
	set(addr, F_ompi_request_t_req_state, 2);
	set(addr, F_ompi_request_t_req_mpi_object, comm);
	set(addr, F_ompi_request_t_req_f_to_c_index, (uint64_t)-32766);
	set(addr, F_mca_pml_base_request_t_req_type, type);
	set(addr, F_mca_pml_base_request_t_req_comm, comm);
	set(addr, F_mca_pml_base_request_t_req_datatype, datatype);
	set(addr, F_mca_pml_base_request_t_req_addr, 0x1000);
	set(addr, F_mca_pml_base_request_t_req_count, 4);
	set(addr, F_mca_pml_base_request_t_req_peer, (uint64_t)peer);
	set(addr, F_mca_pml_base_request_t_req_tag, (uint64_t)tag);
	set(addr, F_mca_pml_base_request_t_req_sequence, sequence);
	uint64_t status = at(addr, F_ompi_request_t_req_status);
	set(status, F_ompi_status_public_t_MPI_SOURCE, (uint64_t)peer);
	set(status, F_ompi_status_public_t_MPI_TAG, (uint64_t)-1);
}

enum { ALIGN = 128 };

/** A free list with one chunk of @p n items; its items are returned. */
static void make_free_list(uint64_t addr, const char *class_name, unsigned type, uint64_t *items, unsigned n)
{
	uint32_t bytes = type_bytes(type), stride = (bytes + ALIGN - 1) & ~(ALIGN - 1u);
	uint64_t chunk = new_bytes(2 * ALIGN + n * stride);
	uint64_t first = (chunk + type_bytes(T_opal_free_list_item_t) + ALIGN - 1) & ~(uint64_t)(ALIGN - 1);
	for (unsigned i = 0; i < n; i++) {
		items[i] = first + (uint64_t)i * stride;
		set(items[i], F_opal_object_t_obj_class, class_addr(class_name));
		/* so that changes can name them */
		whole.objects[whole.n_objects++] = (struct image_object){ (uint32_t)(items[i] - IMAGE_ADDR), bytes };
	}
	set(addr, F_opal_free_list_t_fl_num_allocated, n);
	set(addr, F_opal_free_list_t_fl_num_per_alloc, 64);
	set(addr, F_opal_free_list_t_fl_frag_size, bytes);
	set(addr, F_opal_free_list_t_fl_frag_alignment, ALIGN);
	set(addr, F_opal_free_list_t_fl_frag_class, class_addr(class_name));
	make_list(at(addr, F_opal_free_list_t_fl_allocations), &chunk, 1);
}

static uint64_t make_frag(unsigned type, unsigned context, int source, int tag, unsigned sequence)
{
	uint64_t addr = new_of_class(T_mca_pml_ob1_recv_frag_t, "mca_pml_ob1_recv_frag_t");
	uint64_t hdr = at(addr, F_mca_pml_ob1_recv_frag_t_hdr), segment = at(addr, F_mca_pml_ob1_recv_frag_t_segments);
	set(hdr, F_mca_pml_ob1_common_hdr_t_hdr_type, type);
	set(hdr, F_mca_pml_ob1_match_hdr_t_hdr_ctx, context);
	set(hdr, F_mca_pml_ob1_match_hdr_t_hdr_src, (uint64_t)source);
	set(hdr, F_mca_pml_ob1_match_hdr_t_hdr_tag, (uint64_t)tag);
	set(hdr, F_mca_pml_ob1_match_hdr_t_hdr_seq, sequence);
	if (type != 0x41) {
		set(hdr, F_mca_pml_ob1_rendezvous_hdr_t_hdr_msg_length, 1 << 20);
		set(hdr, F_mca_pml_ob1_rendezvous_hdr_t_hdr_src_req, 0x5000);
	}
	set(addr, F_mca_pml_ob1_recv_frag_t_num_segments, 1);
	set(segment, F_mca_btl_base_segment_t_seg_addr, addr);
	set(segment, F_mca_btl_base_segment_t_seg_len, 14 + 32);
	return addr;
}

enum { N_PROCS = 4 };

/** What ob1 hangs on a communicator: posted receives, messages, early messages. */
static uint64_t make_ob1_comm(uint64_t comm, unsigned context, uint64_t *recv)
{
	uint64_t addr = new_of_class(T_mca_pml_comm_t, "mca_pml_ob1_comm_t"), procs[N_PROCS] = { 0 };
	for (unsigned i = 0; i < N_PROCS - 1; i++) {
		procs[i] = new_of_class(T_mca_pml_ob1_comm_proc_t, "mca_pml_ob1_comm_proc_t");
		uint64_t frags[2] = { make_frag(0x41, context, (int)i, 7, 1), make_frag(0x42, context, (int)i, 8, 2) };
		make_list(at(procs[i], F_mca_pml_ob1_comm_proc_t_unexpected_frags), frags, i ? 2 : 0);
		make_list(at(procs[i], F_mca_pml_ob1_comm_proc_t_specific_receives), recv, i == 1 ? 2 : 0);
		if (i == 2) {
			/* two early ones in a ring; the first heads a ring of one that follows it */
			uint64_t early[3];
			for (unsigned j = 0; j < 3; j++)
				early[j] = make_frag(0x41, context, 2, 9, 10 + j);
			set(early[0], F_opal_list_item_t_opal_list_next, early[1]);
			set(early[1], F_opal_list_item_t_opal_list_next, early[0]);
			set(early[2], F_opal_list_item_t_opal_list_next, early[2]);
			set(early[0], F_mca_pml_ob1_recv_frag_t_range, early[2]);
			set(procs[i], F_mca_pml_ob1_comm_proc_t_frags_cant_match, early[0]);
		}
	}
	make_request(recv[0], "mca_pml_ob1_recv_request_t", comm, 2, 1, 5, 0);
	make_request(recv[1], "mca_pml_ob1_recv_request_t", comm, 4, 1, -1, 2);
	make_request(recv[2], "mca_pml_ob1_recv_request_t", comm, 2, -1, -1, 1);
	set(addr, F_mca_pml_comm_t_recv_sequence, 3);
	make_list(at(addr, F_mca_pml_comm_t_wild_receives), &recv[2], 1);
	set(addr, F_mca_pml_comm_t_procs, new_array(procs, N_PROCS, 8));
	set(addr, F_mca_pml_comm_t_num_procs, N_PROCS);
	set(comm, F_ompi_communicator_t_c_pml_comm, addr);
	return addr;
}

/** The same of a communicator without operations. */
static void make_idle_comm(uint64_t comm, unsigned n_peers)
{
	uint64_t addr = new_of_class(T_mca_pml_comm_t, "mca_pml_ob1_comm_t"), procs[N_PROCS] = { 0 };

	make_list(at(addr, F_mca_pml_comm_t_wild_receives), NULL, 0);
	set(addr, F_mca_pml_comm_t_procs, new_array(procs, n_peers, 8));
	set(addr, F_mca_pml_comm_t_num_procs, n_peers);
	set(comm, F_ompi_communicator_t_c_pml_comm, addr);
}

static void make_topologies(uint64_t cart, uint64_t graph, uint64_t dist)
{
	const uint64_t numbers[] = { 2, 2, 1, 0, 3, 1 };
	uint64_t ints = new_array(numbers, 6, 4), mtc;
	set(cart, F_ompi_communicator_t_c_topo, make_topo(0x100, T_mca_topo_base_comm_cart_2_2_0_t, &mtc));
	set(mtc, F_mca_topo_base_comm_cart_2_2_0_t_ndims, 2);
	set(mtc, F_mca_topo_base_comm_cart_2_2_0_t_dims, ints);
	set(mtc, F_mca_topo_base_comm_cart_2_2_0_t_periods, ints + 8);
	set(mtc, F_mca_topo_base_comm_cart_2_2_0_t_coords, ints + 8);
	set(graph, F_ompi_communicator_t_c_topo, make_topo(0x200, T_mca_topo_base_comm_graph_2_2_0_t, &mtc));
	set(mtc, F_mca_topo_base_comm_graph_2_2_0_t_nnodes, 2);
	set(mtc, F_mca_topo_base_comm_graph_2_2_0_t_index, ints);
	set(mtc, F_mca_topo_base_comm_graph_2_2_0_t_edges, ints + 8);
	set(dist, F_ompi_communicator_t_c_topo, make_topo(0x400, T_mca_topo_base_comm_dist_graph_2_2_0_t, &mtc));
	set(mtc, F_mca_topo_base_comm_dist_graph_2_2_0_t_in, ints + 8);
	set(mtc, F_mca_topo_base_comm_dist_graph_2_2_0_t_inw, ints);
	set(mtc, F_mca_topo_base_comm_dist_graph_2_2_0_t_out, ints + 8);
	set(mtc, F_mca_topo_base_comm_dist_graph_2_2_0_t_outw, ints);
	set(mtc, F_mca_topo_base_comm_dist_graph_2_2_0_t_indegree, 2);
	set(mtc, F_mca_topo_base_comm_dist_graph_2_2_0_t_outdegree, 1);
	set(mtc, F_mca_topo_base_comm_dist_graph_2_2_0_t_weighted, 1);
}

static void make_library(void)
{
	uint64_t state = new_bytes(4), threads = new_bytes(1), component = new_object(T_mca_base_component_2_1_0_t);
	put(state, 4, 2);
	symbol("ompi_mpi_state", state);
	put(threads, 1, 1);
	symbol("ompi_mpi_thread_multiple", threads);
	text(at(component, F_mca_base_component_2_1_0_t_mca_component_name), "ob1");
	set(component, F_mca_base_component_2_1_0_t_mca_component_major_version, 4);
	set(component, F_mca_base_component_2_1_0_t_mca_component_minor_version, 1);
	set(component, F_mca_base_component_2_1_0_t_mca_component_release_version, 4);
	symbol("mca_pml_base_selected_component", component);
}

/** Sends, receives and collectives of @p comm in their free lists. */
static void make_requests(uint64_t comm, uint64_t *recv)
{
	uint64_t sends = new_object(T_opal_free_list_t), receives = new_object(T_opal_free_list_t), send[4];
	uint64_t libnbc = new_object(T_ompi_coll_libnbc_component_t), coll[2];
	make_free_list(sends, "mca_pml_ob1_send_request_t", T_mca_pml_ob1_send_request_t, send, 4);
	for (unsigned i = 0; i < 3; i++) {
		make_request(send[i], "mca_pml_ob1_send_request_t", comm, 1, 1, 3, i);
		set(send[i], F_mca_pml_base_send_request_t_req_addr, 0x1000);
		set(send[i], F_mca_pml_base_request_t_req_count, (1 << 20) / DATATYPE_BYTES);
		set(send[i], F_mca_pml_base_send_request_t_req_bytes_packed, 1 << 20);
		set(send[i], F_mca_pml_base_send_request_t_req_send_mode, i);
	}
	symbol("mca_pml_base_send_requests", sends);
	make_free_list(receives, "mca_pml_ob1_recv_request_t", T_mca_pml_ob1_recv_request_t, recv, 4);
	symbol("mca_pml_base_recv_requests", receives);
	make_free_list(at(libnbc, F_ompi_coll_libnbc_component_t_requests), "ompi_coll_libnbc_request_t",
		       T_ompi_coll_libnbc_request_t, coll, 2);
	set(coll[0], F_ompi_request_t_req_state, 2);
	set(coll[0], F_ompi_coll_libnbc_request_t_comm, comm);
	set(coll[0], F_ompi_coll_libnbc_request_t_tag, (uint64_t)-30);
	symbol("mca_coll_libnbc_component", libnbc);
}

static void make(void)
{
	uint64_t procs[N_PROCS], others[2] = { (UINT64_C(1) << 32) | 0x20003, 0 }, recv[4];
	make_witnesses();
	make_library();
	datatype = new_of_class(T_ompi_datatype_t, "ompi_datatype_t");
	set(datatype, F_opal_datatype_t_size, DATATYPE_BYTES);
	text(at(datatype, F_ompi_datatype_t_name), "MPI_DOUBLE");
	for (unsigned i = 0; i < N_PROCS; i++)
		procs[i] = make_proc(0x10001, i);
	others[1] = make_proc(0x10002, 1);
	symbol("ompi_proc_local_proc", new_array(procs, 1, 8));

	uint64_t all = make_group(procs, N_PROCS, 0), self = make_group(procs, 1, 0),
		 far = make_group(others, 2, -32766);
	uint64_t comms[] = {
		make_comm(0, "MPI_COMM_WORLD", all, all, 0x4),
		make_comm(1, "MPI_COMM_SELF", self, self, 0x4),
		make_comm(2, "MPI_COMM_NULL", self, self, 0x4),
		make_comm(3, "cart", all, all, 0x100),
		make_comm(4, "graph", all, all, 0x200),
		make_comm(5, "dist", all, all, 0x400),
		make_comm(6, "inter", self, far, 0x1),
		make_comm(7, "MPI COMMUNICATOR 7", self, self, 0),
		make_comm(8, "of the window", all, all, 0),
		make_comm(9, "of the file", all, all, 0),
		0,
	};
	set(comms[2], F_ompi_communicator_t_c_my_rank, (uint64_t)-2);
	set(comms[6], F_ompi_communicator_t_c_local_comm, comms[7]);
	for (unsigned i = 1; comms[i]; i++)
		if (i != 2)
			make_idle_comm(comms[i], i == 1 || i == 7 ? 1 : i == 6 ? 2 : N_PROCS);
	make_topologies(comms[3], comms[4], comms[5]);
	make_pointer_array("ompi_mpi_communicators", comms, sizeof(comms) / sizeof(comms[0]));
	make_requests(comms[0], recv);
	make_ob1_comm(comms[0], 0, recv);

	uint64_t window = new_object(T_ompi_win_t), module = new_object(T_ompi_osc_pt2pt_module_t);
	set(module, F_ompi_osc_pt2pt_module_t_comm, comms[8]);
	set(window, F_ompi_win_t_w_osc_module, module);
	make_pointer_array("ompi_mpi_windows", &window, 1);
	uint64_t file = new_object(T_ompi_file_t), data = new_object(T_ompio_file_t);
	set(file, F_ompi_file_t_f_comm, comms[0]);
	set(data, F_ompio_file_t_f_comm, comms[9]);
	set(file, F_ompi_file_t_f_io_selected_data, data);
	make_pointer_array("ompi_file_f_to_c_table", &file, 1);

	uint64_t ob1 = new_object(T_mca_pml_ob1_t), orphan = make_frag(0x41, 77, 1, 1, 1);
	make_list(at(ob1, F_mca_pml_ob1_t_non_existing_communicator_pending), &orphan, 1);
	symbol("mca_pml_ob1", ob1);
	symbol("mca_pml_ob1_recvreq", new_array(&recv[3], 1, 8));
	whole.allocs_left = -1;
}

void image_reset(struct image *image)
{
	if (!whole.n_objects)
		make();
	*image = whole;
}

/* ---- changes ----------------------------------------------------------------------------------------------- */

enum { CHANGE_BYTES = 8 };

static void change(struct image *m, const uint8_t *c)
{
	const struct image_object *o = &m->objects[(c[1] | (unsigned)c[2] << 8) % m->n_objects];
	uint32_t offset = o->bytes >= 4 ? c[3] * 4u % o->bytes : 0;
	uint32_t raw = c[4] | (uint32_t)c[5] << 8 | (uint32_t)c[6] << 16 | (uint32_t)c[7] << 24;
	int64_t value = (int32_t)raw;
	struct image_symbol *s = &m->symbols[raw % m->n_symbols];
	uint64_t word = (uint64_t)value;
	unsigned width = 8;

	switch (c[0] % 8) {
	case 0:
		width = 1;
		break;
	case 1:
		width = 4;
		break;
	case 2:
		break;
	case 3:
		word = addr_of(m->objects[(raw & 0xffff) % m->n_objects].at) + (raw >> 16);
		break;
	case 4:
		if (m->n_holes < IMAGE_HOLES)
			m->holes[m->n_holes++] = *o;
		return;
	case 5:
		s->gone = !m->kept || s->gone;
		return;
	case 6:
		s->at = m->kept ? s->at : o->at + offset;
		return;
	default:
		m->allocs_left = raw % 64;
		return;
	}
	if (m->kept && (fuzz_is_single(m->kept, m->n_kept, addr_of(o->at + offset)) ||
			fuzz_is_single(m->kept, m->n_kept, addr_of(o->at + offset + width - 1))))
		return;
	for (unsigned i = 0; i < width && offset + i < IMAGE_BYTES - o->at; i++)
		m->memory[o->at + offset + i] = (uint8_t)(word >> 8 * i);
}

void image_change(struct image *image, const uint8_t *data, size_t n)
{
	for (; n >= CHANGE_BYTES; data += CHANGE_BYTES, n -= CHANGE_BYTES)
		change(image, data);
}

/* ---- the process as a target ------------------------------------------------------------------------------- */

static bool op_read(void *ctx, uint64_t addr, size_t n, void *ret)
{
	struct image *m = ctx;

	m->n_reads++;
	FUZZ_MUST(n > 0);
	if (addr < IMAGE_ADDR || addr - IMAGE_ADDR > IMAGE_BYTES || n > IMAGE_BYTES - (addr - IMAGE_ADDR))
		return false;
	uint64_t lo = addr - IMAGE_ADDR;
	for (unsigned i = 0; i < m->n_holes; i++)
		if (lo < m->holes[i].at + m->holes[i].bytes && m->holes[i].at < lo + n)
			return false;
	memcpy(ret, m->memory + lo, n);
	return true;
}

static bool op_symbol(void *ctx, const char *name, uint64_t *ret)
{
	const struct image *m = ctx;
	for (unsigned i = 0; i < m->n_symbols; i++) {
		if (strcmp(m->symbols[i].name, name) || m->symbols[i].gone)
			continue;
		*ret = addr_of(m->symbols[i].at);
		return true;
	}
	return false;
}

static void *op_alloc(void *ctx, size_t n)
{
	struct image *m = ctx;
	if (m->allocs_left == 0) {
		m->allocs_left = -1;
		return NULL;
	}
	m->allocs_left -= m->allocs_left > 0;
	void *p = malloc(n);
	m->n_live += p != NULL;
	return p;
}

static void op_release(void *ctx, void *p)
{
	struct image *m = ctx;
	FUZZ_MUST(p && m->n_live);
	m->n_live--;
	free(p);
}

const struct acc_target_ops image_ops = {
	.read = op_read,
	.symbol = op_symbol,
	.type = fuzz_no_type,
	.type_bytes = fuzz_no_type_bytes,
	.field_offset = fuzz_no_field_offset,
	.alloc = op_alloc,
	.release = op_release,
};
