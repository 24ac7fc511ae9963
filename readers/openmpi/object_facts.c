/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fills in the facts of each kind of handle from the fields of Open MPI's objects (ompi/communicator, group,
 * errhandler, file, info, message, op). Datatypes, windows and keyvals have files of their own.
 */
#include "objects.h"

#include <stdio.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum {
	ERRHANDLER_COMM = 1, /* ompi_errhandler_type_t */
	ERRHANDLER_WIN = 2,
	ERRHANDLER_FILE = 3,
	ERRHANDLER_INSTANCE = 4, /* since 5.0 */
	OP_FORTRAN = 0x2,        /* o_flags */
	OP_CXX = 0x4,            /* up to 4.1 */
	OP_COMMUTE = 0x40,
	OP_LARGE = 0x80, /* since 6.0 */
	INFO_ENV = 1,    /* Fortran indices */
	GROUP_EMPTY = 1,
	MESSAGE_NO_PROC = 1,
};

static const char tracker_only[] = "only the in-target library knows it";

static void name(char ret[MDL_NAME_BYTES], const char *text)
{
	snprintf(ret, MDL_NAME_BYTES, "%s", text);
}

/* A handle that is an address, which MPI objects always have. */
static struct mdl_num handle_of(struct rd_ompi *o, uint64_t addr, enum rd_ompi_class which)
{
	if (!addr)
		return mdl_none();
	return rd_ompi_check(o, addr, which) ? mdl_unavailable("what is at its address is no such object")
					     : mdl_known((int64_t)addr);
}

static struct mdl_num datatype_of(struct rd_ompi *o, uint64_t addr)
{
	return !addr || rd_ompi_check(o, addr, C_opal_datatype_t) ? handle_of(o, addr, C_ompi_datatype_t)
								  : mdl_known((int64_t)addr);
}

static bool is_index(const struct mdl_handle *h, int64_t index)
{
	return h->fortran.known == MDL_KNOWN && h->fortran.value == index;
}

/* ---- communicators, groups --------------------------------------------------------------------------------------- */

static enum acc_rc dist_graph(struct rd_ompi *o, uint64_t addr, struct mdl_handle_comm *c)
{
	struct acc_obj g;

	if (rd_ompi_quiet_load(o, T_mca_topo_base_comm_dist_graph_2_2_0_t, addr, &g))
		return g.rc;
	uint64_t n_in = acc_get_u(&g, F_mca_topo_base_comm_dist_graph_2_2_0_t_indegree);
	uint64_t n_out = acc_get_u(&g, F_mca_topo_base_comm_dist_graph_2_2_0_t_outdegree);
	bool weighted = acc_get_u(&g, F_mca_topo_base_comm_dist_graph_2_2_0_t_weighted);
	c->weighted = mdl_known(weighted);
	c->dims = rd_ompi_elements(acc_get_u(&g, F_mca_topo_base_comm_dist_graph_2_2_0_t_in), n_in, RD_OMPI_INTS);
	c->periods = rd_ompi_elements(acc_get_u(&g, F_mca_topo_base_comm_dist_graph_2_2_0_t_out), n_out, RD_OMPI_INTS);
	if (weighted) {
		c->coords = rd_ompi_elements(acc_get_u(&g, F_mca_topo_base_comm_dist_graph_2_2_0_t_inw), n_in,
					     RD_OMPI_INTS);
		c->weights = rd_ompi_elements(acc_get_u(&g, F_mca_topo_base_comm_dist_graph_2_2_0_t_outw), n_out,
					      RD_OMPI_INTS);
	}
	return n_in > ACC_RANKS_MAX || n_out > ACC_RANKS_MAX ? ACC_ECORRUPT : g.rc;
}

static enum acc_rc graph(struct rd_ompi *o, uint64_t addr, struct mdl_handle_comm *c)
{
	uint64_t n_edges = 0;
	struct acc_obj g;

	if (rd_ompi_quiet_load(o, T_mca_topo_base_comm_graph_2_2_0_t, addr, &g))
		return g.rc;
	uint64_t n = acc_get_u(&g, F_mca_topo_base_comm_graph_2_2_0_t_nnodes);
	uint64_t index_addr = acc_get_u(&g, F_mca_topo_base_comm_graph_2_2_0_t_index);
	if (g.rc || n > ACC_RANKS_MAX)
		return g.rc ? g.rc : ACC_ECORRUPT;
	/* the last index is the number of edges */
	if (n && acc_read_u(o->sp, index_addr + 4 * (n - 1), 4, &n_edges))
		return ACC_EREAD;
	c->dims = rd_ompi_elements(index_addr, n, RD_OMPI_INTS);
	c->periods = rd_ompi_elements(acc_get_u(&g, F_mca_topo_base_comm_graph_2_2_0_t_edges), n_edges, RD_OMPI_INTS);
	return n_edges > ACC_RANKS_MAX ? ACC_ECORRUPT : g.rc;
}

static enum acc_rc cart(struct rd_ompi *o, uint64_t addr, struct mdl_handle_comm *c)
{
	enum { DIMS_MAX = 1024 };
	struct acc_obj t;

	if (rd_ompi_quiet_load(o, T_mca_topo_base_comm_cart_2_2_0_t, addr, &t))
		return t.rc;
	uint64_t n = acc_get_u(&t, F_mca_topo_base_comm_cart_2_2_0_t_ndims);
	c->ndims = mdl_known((int64_t)n);
	c->dims = rd_ompi_elements(acc_get_u(&t, F_mca_topo_base_comm_cart_2_2_0_t_dims), n, RD_OMPI_INTS);
	c->periods = rd_ompi_elements(acc_get_u(&t, F_mca_topo_base_comm_cart_2_2_0_t_periods), n, RD_OMPI_INTS);
	c->coords = rd_ompi_elements(acc_get_u(&t, F_mca_topo_base_comm_cart_2_2_0_t_coords), n, RD_OMPI_INTS);
	return n > DIMS_MAX ? ACC_ECORRUPT : t.rc;
}

static enum acc_rc topology(struct rd_ompi *o, const struct rd_ompi_comm *known, struct mdl_handle_comm *c)
{
	uint64_t addr = rd_ompi_pointer(o, known->topo_addr, F_mca_topo_base_module_t_mtc);

	c->ndims = c->weighted = mdl_none();
	c->topology = known->facts.topology;
	switch (c->topology) {
	case MDL_TOPO_CART:
		return cart(o, addr, c);
	case MDL_TOPO_GRAPH:
		return graph(o, addr, c);
	case MDL_TOPO_DIST_GRAPH:
		return dist_graph(o, addr, c);
	default:
		return ACC_OK;
	}
}

static enum acc_rc comm(struct rd_ompi *o, const struct rd_ompi_place *at, struct mdl_handle *h)
{
	struct mdl_handle_comm *c = &h->comm;
	struct rd_ompi_comm known;

	c->rank = c->size = c->remote_size = mdl_none();
	if (at->null) {
		name(h->name, "MPI_COMM_NULL");
		return ACC_OK;
	}
	if (rd_ompi_comm_find(o, at->addr, &known))
		return ACC_ECORRUPT;
	memcpy(h->name, known.facts.name, sizeof(h->name)); /* the library's default name if the program has set none */
	c->rank = mdl_known(known.facts.rank);
	c->size = mdl_known(known.facts.size);
	if (known.facts.inter)
		c->remote_size = mdl_known(known.facts.remote_size);
	c->errhandler = handle_of(o, rd_ompi_pointer(o, at->addr, F_ompi_communicator_t_error_handler),
				  C_ompi_errhandler_t);
	c->info_id = c->group_id = c->remote_group_id = mdl_none();
	c->color = c->key = mdl_unavailable(tracker_only);
	c->info = c->from_group_id = c->group = c->remote_group = mdl_unavailable(tracker_only);
	/* no list: members are requested from the reader of the communicator */
	c->members.known = c->remote_members.known = true;
	c->members.total = (uint64_t)known.facts.size;
	c->remote_members.total = (uint64_t)known.facts.remote_size;
	c->attributes = rd_ompi_attributes(o, rd_ompi_pointer(o, at->addr, F_ompi_communicator_t_c_keyhash),
					   known.slot ? RD_OMPI_ATTRIBUTES : RD_OMPI_ALL_ATTRIBUTES);
	c->hints = rd_ompi_hints(o, at->addr);
	return topology(o, &known, c);
}

static enum acc_rc group(struct rd_ompi *o, const struct rd_ompi_place *at, struct mdl_handle *h)
{
	struct acc_note note = o->sp->note;
	struct mdl_handle_group *g = &h->group;
	struct rd_ompi_group known;

	g->second_parent = g->rank = g->size = mdl_none();
	if (at->null)
		name(h->name, "MPI_GROUP_NULL");
	else if (is_index(h, GROUP_EMPTY))
		name(h->name, "MPI_GROUP_EMPTY");
	if (at->null)
		return ACC_OK;
	enum acc_rc rc = rd_ompi_group(o, at->addr, &known);
	o->sp->note = note;
	if (rc)
		return rc;
	g->rank = known.my_rank < 0 ? mdl_none() : mdl_known(known.my_rank);
	g->size = mdl_known((int64_t)known.n);
	g->members = rd_ompi_group_list(o, at->addr, RD_OMPI_MEMBERS);
	return ACC_OK;
}

/* ---- error handlers, operations, infos --------------------------------------------------------------------------- */

static enum acc_rc errhandler(struct rd_ompi *o, const struct rd_ompi_place *at, struct mdl_handle *h)
{
	static const unsigned functions[] = { 0, F_ompi_errhandler_t_eh_comm_fn, F_ompi_errhandler_t_eh_win_fn,
					      F_ompi_errhandler_t_eh_file_fn, F_ompi_errhandler_t_eh_instance_fn };
	static const unsigned char kinds[] = { MDL_N_HANDLE_KINDS, MDL_COMM, MDL_WIN, MDL_FILE, MDL_SESSION };
	struct mdl_handle_errhandler *e = &h->errhandler;
	struct acc_obj obj;

	e->object_kind = e->function = mdl_none();
	if (rd_ompi_quiet_load(o, T_ompi_errhandler_t, at->addr, &obj))
		return obj.rc;
	rd_ompi_name_of(o, &obj, F_ompi_errhandler_t_eh_name, h->name);
	if (!strcmp(h->name, "MPI_ERRORS_THROW_EXCEPTIONS")) /* mpi.h has it for C++ only */
		name(h->name, "MPI::ERRORS_THROW_EXCEPTIONS");
	uint64_t type = acc_get_u(&obj, F_ompi_errhandler_t_eh_mpi_object_type),
		 lang = acc_get_u(&obj, F_ompi_errhandler_t_eh_lang);
	if (obj.rc || at->predefined)
		return obj.rc;
	if (type < ERRHANDLER_COMM || type > ERRHANDLER_INSTANCE)
		return ACC_ECORRUPT;
	e->object_kind = mdl_known(kinds[type]);
	/* 0 is C; up to 4.1, 1 is C++ and 2 Fortran; since then 1 is Fortran */
	bool cxx = rd_ompi_has(o, F_ompi_errhandler_t_eh_cxx_dispatch_fn);
	h->language = !lang ? MDL_LANGUAGE_C : cxx && lang == 1 ? MDL_LANGUAGE_CXX : MDL_LANGUAGE_FORTRAN;
	unsigned field = h->language == MDL_LANGUAGE_FORTRAN ? F_ompi_errhandler_t_eh_fort_fn : functions[type];
	if (!rd_ompi_has(o, field)) {
		e->function = mdl_unavailable("the layout does not say where it is");
		return ACC_OK;
	}
	uint64_t addr = acc_get_u(&obj, field);
	e->function = addr ? mdl_known((int64_t)addr) : mdl_none();
	return obj.rc;
}

static enum acc_rc op(struct rd_ompi *o, const struct rd_ompi_place *at, struct mdl_handle *h)
{
	struct mdl_handle_op *p = &h->op;
	struct acc_obj obj;
	uint64_t function;

	p->commutative = p->large = p->function = mdl_none();
	if (rd_ompi_quiet_load(o, T_ompi_op_t, at->addr, &obj))
		return obj.rc;
	if (at->predefined)
		rd_ompi_name_of(o, &obj, F_ompi_op_t_o_name, h->name);
	if (at->null)
		name(h->name, "MPI_OP_NULL"); /* the library calls it MPI_NULL */
	uint64_t flags = acc_get_u(&obj, F_ompi_op_t_o_flags), at_addr = acc_get_addr(&obj, F_ompi_op_t_o_func);
	if (obj.rc || at->null)
		return obj.rc;
	p->commutative = mdl_known((flags & OP_COMMUTE) != 0);
	p->large = mdl_known((flags & OP_LARGE) != 0);
	if (at->predefined)
		return ACC_OK;
	if (acc_read_ptr(o->sp, at_addr, &function))
		return ACC_EREAD;
	p->function = mdl_known((int64_t)function);
	h->language = flags & OP_FORTRAN ? MDL_LANGUAGE_FORTRAN : flags & OP_CXX ? MDL_LANGUAGE_CXX : MDL_LANGUAGE_C;
	return ACC_OK;
}

/* ---- files ----------------------------------------------------------------------------------------------------- */

/* The program's datatype: io/ompio has a duplicate of one that is not predefined. */
static struct mdl_num viewed(struct rd_ompi *o, uint64_t ompio_addr, unsigned field)
{
	uint64_t addr = rd_ompi_pointer(o, ompio_addr, field), original;
	struct rd_ompi_args args;

	if (!addr)
		return mdl_unavailable("it cannot be read");
	if (!rd_ompi_args(o, addr, &args) && args.combiner == MDL_DUP && args.n_types == 1 &&
	    !acc_read_ptr(o->sp, args.types_addr, &original))
		return datatype_of(o, original);
	return datatype_of(o, addr);
}

/* Since 6.0 it is in a structure of its own. */
static bool displacement(struct rd_ompi *o, uint64_t ompio_addr, uint64_t *ret)
{
	const struct acc_field_at *fields = o->layout->fields;
	uint64_t offset;

	if (rd_ompi_has(o, F_ompio_file_t_f_disp))
		offset = fields[F_ompio_file_t_f_disp].offset;
	else if (rd_ompi_has(o, F_ompio_file_t_f_fview) && rd_ompi_has(o, F_ompio_fview_t_f_disp))
		offset = (uint64_t)fields[F_ompio_file_t_f_fview].offset + fields[F_ompio_fview_t_f_disp].offset;
	else
		return false;
	return acc_read_u(o->sp, ompio_addr + offset, 8, ret) == ACC_OK;
}

static void view(struct rd_ompi *o, uint64_t ompio_addr, struct mdl_handle_file *f)
{
	uint64_t raw, text_addr;

	f->etype = viewed(o, ompio_addr, F_ompio_file_t_f_etype);
	f->filetype = viewed(o, ompio_addr, F_ompio_file_t_f_orig_filetype);
	f->displacement = mdl_unavailable("it cannot be read");
	if (displacement(o, ompio_addr, &raw))
		f->displacement = mdl_known((int64_t)raw);
	if (rd_ompi_has(o, F_ompio_file_t_f_atomicity) &&
	    !acc_read_u(o->sp, ompio_addr + o->layout->fields[F_ompio_file_t_f_atomicity].offset, 4, &raw))
		f->atomic = mdl_known(raw != 0);
	text_addr = rd_ompi_pointer(o, ompio_addr, F_ompio_file_t_f_datarep);
	if (acc_read_string(o->sp, text_addr, f->representation, sizeof(f->representation)))
		f->representation[0] = '\0';
}

static enum acc_rc file(struct rd_ompi *o, const struct rd_ompi_place *at, struct mdl_handle *h)
{
	static const char not_ompio[] = "only views of io/ompio are read";
	struct mdl_handle_file *f = &h->file;
	char path[ACC_STRING_MAX + 1];
	struct acc_obj obj;

	f->mode = f->atomic = f->comm = f->comm_id = f->info = f->info_id = f->errhandler = f->displacement = f->etype =
		f->filetype = f->etype_id = f->filetype_id = mdl_none();
	if (rd_ompi_quiet_load(o, T_ompi_file_t, at->addr, &obj))
		return obj.rc;
	f->errhandler = handle_of(o, acc_get_u(&obj, F_ompi_file_t_error_handler), C_ompi_errhandler_t);
	if (at->null) {
		name(h->name, "MPI_FILE_NULL");
		return obj.rc;
	}
	uint64_t path_addr = acc_get_u(&obj, F_ompi_file_t_f_filename);
	f->mode = mdl_known(acc_get_i(&obj, F_ompi_file_t_f_amode));
	f->comm = handle_of(o, acc_get_u(&obj, F_ompi_file_t_f_comm), C_ompi_communicator_t);
	if (obj.rc)
		return obj.rc;
	if (path_addr) {
		enum acc_rc rc = acc_read_string(o->sp, path_addr, path, sizeof(path));

		if (rc)
			return rc;
		f->path = (struct mdl_list){
			.addr = path_addr, .n = strlen(path), .total = strlen(path), .known = true
		};
	}
	f->hints = rd_ompi_hints(o, at->addr);
	f->etype = f->filetype = f->displacement = mdl_unavailable(not_ompio);
	uint64_t ompio_addr = rd_ompi_ompio(o, at->addr);
	if (ompio_addr)
		view(o, ompio_addr, f);
	/* objects are numbered by address; the number allows a
	 * reader to look up whether the program has freed the object */
	f->comm_id = f->comm.known == MDL_KNOWN ? f->comm : mdl_none();
	f->etype_id = f->etype.known == MDL_KNOWN ? f->etype : mdl_none();
	f->filetype_id = f->filetype.known == MDL_KNOWN ? f->filetype : mdl_none();
	return ACC_OK;
}

/* ---- requests, messages ---------------------------------------------------------------------------------------- */

static void no_request(struct mdl_handle_request *r)
{
	r->object = r->object_kind = r->datatype = r->buffer = r->count = r->peer = r->tag = r->op = r->caller =
		r->extra_state = r->source = r->receive_tag = r->partitions = r->count_per_partition = r->object_id =
			r->datatype_id = r->op_id = mdl_none();
	r->second = mdl_no_second();
}

/* enum ompi_request_type_t, ompi/request/request.h */
static enum mdl_request_type type_of(uint64_t type)
{
	enum { PML, IO, GEN, WIN, COLL };

	switch (type) {
	case PML:
		return MDL_REQUEST_POINT_TO_POINT;
	case IO:
		return MDL_REQUEST_FILE;
	case GEN:
		return MDL_REQUEST_GENERALIZED;
	case WIN:
		return MDL_REQUEST_WINDOW;
	case COLL:
		return MDL_REQUEST_COLLECTIVE;
	default:
		return MDL_REQUEST_UNKNOWN;
	}
}

static enum acc_rc request(struct rd_ompi *o, const struct rd_ompi_place *at, struct mdl_handle *h)
{
	struct mdl_handle_request *r = &h->request;
	struct acc_obj obj;
	struct mdl_comm c;
	struct mdl_op one;

	no_request(r);
	if (at->null) {
		name(h->name, "MPI_REQUEST_NULL");
		return ACC_OK;
	}
	if (rd_ompi_quiet_load(o, T_ompi_request_t, at->addr, &obj))
		return obj.rc;
	r->caller = mdl_unavailable(tracker_only);
	r->type = type_of(acc_get_u(&obj, F_ompi_request_t_req_type));
	r->persistent = acc_get_u(&obj, F_ompi_request_t_req_persistent);
	r->active = acc_get_u(&obj, F_ompi_request_t_req_state) == RD_OMPI_REQ_ACTIVE;
	uint64_t on = acc_get_u(&obj, F_ompi_request_t_req_mpi_object);
	if (obj.rc)
		return obj.rc;
	if (r->type == MDL_REQUEST_FILE && !rd_ompi_check(o, on, C_ompi_file_t)) {
		r->object_kind = mdl_known(MDL_FILE);
		r->object = mdl_known((int64_t)on);
	}
	if (r->type == MDL_REQUEST_WINDOW && !rd_ompi_check(o, on, C_ompi_win_t)) {
		r->object_kind = mdl_known(MDL_WIN);
		r->object = mdl_known((int64_t)on);
	}
	bool done;
	if (r->type == MDL_REQUEST_GENERALIZED)
		r->generalized_complete = !rd_ompi_request_done(o, at->addr, &done) && done;
	if (r->type == MDL_REQUEST_GENERALIZED && rd_ompi_has(o, F_ompi_grequest_t_greq_state))
		r->extra_state = mdl_known((int64_t)rd_ompi_pointer(o, at->addr, F_ompi_grequest_t_greq_state));
	if (r->type == MDL_REQUEST_POINT_TO_POINT || r->type == MDL_REQUEST_UNKNOWN)
		r->object = r->object_kind = r->datatype = r->buffer = r->count = r->peer = r->tag = mdl_unavailable(
			"the component that transfers messages keeps no arguments of this request");
	if (rd_ompi_request_get(o, at->addr, &c, &one))
		return ACC_OK;
	r->object_kind = mdl_known(MDL_COMM);
	r->object = mdl_known((int64_t)c.handle);
	r->operation = one.kind == MDL_SEND ? "send" : one.kind == MDL_RECEIVE ? "receive" : NULL;
	if (mdl_persistent_call(&one))
		snprintf(h->call, sizeof(h->call), "%s", mdl_persistent_call(&one));
	if (one.kind == MDL_COLLECTIVE)
		r->type = MDL_REQUEST_COLLECTIVE;
	r->persistent = one.persistent;
	r->free_called = one.freed;
	r->cancelled = one.cancelled;
	r->datatype = one.datatype_handle;
	r->buffer = one.buffer;
	r->count = one.count;
	r->peer = one.peer;
	/* the tag of a collective was chosen by the library */
	r->tag = one.kind == MDL_COLLECTIVE ? mdl_none() : one.tag;
	return ACC_OK;
}

static enum acc_rc message(struct rd_ompi *o, const struct rd_ompi_place *at, struct mdl_handle *h)
{
	struct mdl_handle_message *m = &h->message;
	struct rd_ompi_obj request;
	struct acc_obj obj;

	m->comm = m->source = m->tag = m->bytes = mdl_none();
	if (at->null) {
		name(h->name, "MPI_MESSAGE_NULL");
		return ACC_OK;
	}
	if (is_index(h, MESSAGE_NO_PROC) && at->predefined) { /* MPI-4 section 3.8.3 */
		name(h->name, "MPI_MESSAGE_NO_PROC");
		m->source = mdl_known(MDL_PROC_NULL);
		m->tag = mdl_any();
		m->bytes = mdl_known(0);
		return ACC_OK;
	}
	if (rd_ompi_quiet_load(o, T_ompi_message_t, at->addr, &obj))
		return obj.rc;
	m->comm = handle_of(o, acc_get_u(&obj, F_ompi_message_t_comm), C_ompi_communicator_t);
	m->source = mdl_known(acc_get_i(&obj, F_ompi_message_t_peer));
	m->bytes = mdl_known(acc_get_i(&obj, F_ompi_message_t_count));
	m->tag = mdl_unavailable("only ob1's requests are read");
	uint64_t request_addr = acc_get_u(&obj, F_ompi_message_t_req_ptr);
	if (obj.rc || !o->ob1 || rd_ompi_check(o, request_addr, C_mca_pml_ob1_recv_request_t))
		return obj.rc;
	rd_ompi_peek(&request, o, T_ompi_request_t, request_addr, o->recv_span);
	uint32_t status = rd_ompi_offset(&request, F_ompi_request_t_req_status);
	int64_t tag = rd_ompi_i_at(&request, status, F_ompi_status_public_t_MPI_TAG);
	if (!request.rc)
		m->tag = mdl_known(tag);
	return ACC_OK;
}

/* ---- public function ------------------------------------------------------------------------------------------- */

enum acc_rc rd_ompi_object_facts(struct rd_ompi *o, const struct rd_ompi_place *at, struct mdl_handle *ret)
{
	switch (ret->kind) {
	case MDL_COMM:
		return comm(o, at, ret);
	case MDL_GROUP:
		return group(o, at, ret);
	case MDL_DATATYPE:
		return rd_ompi_datatype_facts(o, at, ret);
	case MDL_ERRHANDLER:
		return errhandler(o, at, ret);
	case MDL_FILE:
		return file(o, at, ret);
	case MDL_INFO:
		if (at->predefined)
			name(ret->name, is_index(ret, INFO_ENV) ? "MPI_INFO_ENV" : "MPI_INFO_NULL");
		if (!at->null)
			ret->info.pairs = rd_ompi_pairs(o, at->addr);
		return ACC_OK;
	case MDL_OP:
		return op(o, at, ret);
	case MDL_WIN:
		return rd_ompi_win_facts(o, at, ret);
	case MDL_KEYVAL:
		return rd_ompi_keyval_facts(o, at, ret);
	case MDL_REQUEST:
		return request(o, at, ret);
	case MDL_A_MESSAGE:
		return message(o, at, ret);
	case MDL_SESSION:
		if (at->null)
			name(ret->name, "MPI_SESSION_NULL");
		ret->session.info = ret->session.info_id = mdl_none();
		ret->session.errhandler = handle_of(o, rd_ompi_pointer(o, at->addr, F_ompi_instance_t_error_handler),
						    C_ompi_errhandler_t);
		return ACC_OK;
	default:
		return ACC_OK;
	}
}
