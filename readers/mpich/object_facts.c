/* SPDX-License-Identifier: BSD-3-Clause */
/* From the fields of MPICH's objects (src/include/mpir_*.h) to the facts of each kind. */
#include "objects.h"

#include <stdio.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum {
	ALIGNMENT = 16, /* of the arrays behind MPIR_Datatype_contents: MAX_ALIGNMENT */
	ARGUMENTS_MAX = 1 << 24,
	ERRORS_ARE_FATAL = 0x54000000, /* mpi.h */
	ROMIO_OFFSET = 0x1000,         /* between ADIOI_FileD.fortran_handle and the program's */
	OP_REPLACE = 0x5800000d,
	OP_NO_OP = 0x5800000e,
	OP_BUILTIN_LAST = 15,
	OP_USER_NONCOMMUTE = 32, /* MPIR_Op_kind */
	OP_USER_NONCOMMUTE_LARGE = 34,
	OP_USER_LARGE = 35,
	EPOCH_LOCK = 1, /* MPIDIG_EPOTYPE_*, src/mpid/ch4/src/ch4_types.h */
	EPOCH_START = 2,
	EPOCH_POST = 3,
	EPOCH_FENCE = 4,
	EPOCH_REFENCE = 5, /* fenced, and not used since */
	EPOCH_LOCK_ALL = 6,
};

static const char not_kept[] = "MPICH does not keep it", tracker_only[] = "only the in-target library knows it";

/* Where none was set it is MPI_ERRORS_ARE_FATAL. */
static struct mdl_num handler_at(struct rd_mpich *o, uint64_t addr)
{
	return addr ? rd_mpich_handle_at(o, addr) : mdl_known(ERRORS_ARE_FATAL);
}

/* MPII_Object_kind, bits 26 to 29 of a handle. */
static struct mdl_num kind_of(uint64_t kind)
{
	switch (kind) {
	case RD_MPICH_COMM:
		return mdl_known(MDL_COMM);
	case RD_MPICH_DATATYPE:
		return mdl_known(MDL_DATATYPE);
	case RD_MPICH_FILE:
		return mdl_known(MDL_FILE);
	case RD_MPICH_WIN:
		return mdl_known(MDL_WIN);
	case RD_MPICH_SESSION:
		return mdl_known(MDL_SESSION);
	default:
		return mdl_none();
	}
}

static enum acc_rc load_object(struct rd_mpich *o, unsigned type, uint64_t addr, struct acc_obj *ret)
{
	struct acc_note note = o->sp->note;

	acc_obj_load(ret, o->sp, o->layout, type, addr);
	o->sp->note = note;
	return ret->rc;
}

/* A member of an array in memory, of which the pack does not know an own type. */
static struct mdl_list array(uint64_t addr, uint64_t n, uint8_t form)
{
	return (struct mdl_list){ .addr = addr, .n = n, .total = n, .known = true, .form = form };
}

/* ---- communicators, groups ------------------------------------------------------------------------------------ */

static enum acc_rc topology(struct rd_mpich *o, const struct rd_mpich_comm *known, struct mdl_handle_comm *c)
{
	uint64_t addr = rd_mpich_topology_addr(o, known, &c->topology);
	struct acc_obj t;

	c->ndims = c->weighted = mdl_none();
	if (!addr)
		return ACC_OK;
	if (load_object(o, T_MPIR_Topology, addr, &t))
		return t.rc;
	if (c->topology == MDL_TOPO_CART) {
		uint64_t n = acc_get_u(&t, F_MPIR_Topology_ndims);

		c->ndims = mdl_known((int64_t)n);
		c->dims = array(acc_get_u(&t, F_MPIR_Topology_dims), n, RD_MPICH_INTS);
		c->periods = array(acc_get_u(&t, F_MPIR_Topology_periodic), n, RD_MPICH_INTS);
		c->coords = array(acc_get_u(&t, F_MPIR_Topology_position), n, RD_MPICH_INTS);
	} else if (c->topology == MDL_TOPO_GRAPH) {
		c->dims = array(acc_get_u(&t, F_MPIR_Topology_index), acc_get_u(&t, F_MPIR_Topology_nnodes),
				RD_MPICH_INTS);
		c->periods = array(acc_get_u(&t, F_MPIR_Topology_edges), acc_get_u(&t, F_MPIR_Topology_nedges),
				   RD_MPICH_INTS);
	} else {
		uint64_t n_in = acc_get_u(&t, F_MPIR_Topology_indegree),
			 n_out = acc_get_u(&t, F_MPIR_Topology_outdegree);

		c->weighted = mdl_known(acc_get_u(&t, F_MPIR_Topology_is_weighted) != 0);
		c->dims = array(acc_get_u(&t, F_MPIR_Topology_in), n_in, RD_MPICH_INTS);
		c->periods = array(acc_get_u(&t, F_MPIR_Topology_out), n_out, RD_MPICH_INTS);
		if (c->weighted.value) {
			c->coords = array(acc_get_u(&t, F_MPIR_Topology_in_weights), n_in, RD_MPICH_INTS);
			c->weights = array(acc_get_u(&t, F_MPIR_Topology_out_weights), n_out, RD_MPICH_INTS);
		}
	}
	return t.rc;
}

static enum acc_rc comm(struct rd_mpich *o, const struct rd_mpich_place *at, struct mdl_handle *h)
{
	const struct rd_mpich_comm *known = rd_mpich_comm_find(o, at->handle);
	struct mdl_handle_comm *c = &h->comm;
	struct acc_obj obj;

	if (!known || load_object(o, T_MPIR_Comm, at->addr, &obj))
		return ACC_ECORRUPT;
	memcpy(h->name, known->facts.name, sizeof(h->name));
	c->rank = mdl_known(known->facts.rank);
	c->size = mdl_known(known->facts.size);
	c->remote_size = known->facts.inter ? mdl_known(known->facts.remote_size) : mdl_none();
	c->errhandler = mdl_none();
	if (acc_layout_has(o->layout, F_MPIR_Comm_errhandler))
		c->errhandler = handler_at(o, acc_get_u(&obj, F_MPIR_Comm_errhandler));
	c->info_id = c->group_id = c->remote_group_id = mdl_none();
	c->color = c->key = mdl_unavailable(tracker_only);
	c->info = c->from_group_id = c->group = c->remote_group = mdl_unavailable(tracker_only);
	/* no list: members are requested from the reader of the communicator */
	c->members.known = c->remote_members.known = true;
	c->members.total = (uint64_t)known->facts.size;
	c->remote_members.total = (uint64_t)known->facts.remote_size;
	if (acc_layout_has(o->layout, F_MPIR_Comm_attributes))
		c->attributes = rd_mpich_attributes(o, acc_get_u(&obj, F_MPIR_Comm_attributes));
	return topology(o, known, c);
}

static enum acc_rc group(struct rd_mpich *o, const struct rd_mpich_place *at, struct mdl_handle_group *g)
{
	struct acc_obj obj;

	g->second_parent = mdl_none();
	if (!at->addr) {
		g->rank = mdl_none();
		g->size = at->null ? mdl_none() : mdl_known(0);
		return ACC_OK;
	}
	if (load_object(o, T_MPIR_Group, at->addr, &obj))
		return obj.rc;
	int64_t rank = acc_get_i(&obj, F_MPIR_Group_rank), size = acc_get_i(&obj, F_MPIR_Group_size);
	if (size < 0 || size > (int64_t)ACC_RANKS_MAX || rank >= size)
		return ACC_ECORRUPT;
	g->rank = rank < 0 ? mdl_none() : mdl_known(rank);
	g->size = mdl_known(size);
	g->members = rd_mpich_group_list(o, at->addr, RD_MPICH_LPIDS);
	return ACC_OK;
}

/* ---- datatypes -------------------------------------------------------------------------------------------------- */

static uint64_t aligned(uint64_t n)
{
	return (n + ALIGNMENT - 1) & ~(uint64_t)(ALIGNMENT - 1);
}

/* MPIR_Datatype_contents: behind it the datatypes, the integers, the addresses, the large counts. */
static enum acc_rc contents(struct rd_mpich *o, uint64_t addr, struct mdl_handle_datatype *d)
{
	struct acc_obj c;

	if (load_object(o, T_MPIR_Datatype_contents, addr, &c))
		return c.rc;
	uint64_t n_ints = acc_get_u(
		&c, rd_mpich_field(o, F_MPIR_Datatype_contents_nr_ints, F_MPIR_Datatype_contents_int_nr_ints));
	uint64_t n_aints = acc_get_u(
		&c, rd_mpich_field(o, F_MPIR_Datatype_contents_nr_aints, F_MPIR_Datatype_contents_int_nr_aints));
	uint64_t n_types = acc_get_u(
		&c, rd_mpich_field(o, F_MPIR_Datatype_contents_nr_types, F_MPIR_Datatype_contents_int_nr_types));
	uint64_t n_counts = 0;
	if (acc_layout_has(o->layout, F_MPIR_Datatype_contents_nr_counts))
		n_counts = acc_get_u(&c, F_MPIR_Datatype_contents_nr_counts);
	int64_t combiner = rd_mpich_combiner(o, acc_get_i(&c, F_MPIR_Datatype_contents_combiner));
	if (c.rc || combiner <= MDL_NAMED || combiner >= MDL_N_COMBINERS || n_ints > ARGUMENTS_MAX ||
	    n_aints > ARGUMENTS_MAX || n_types > ARGUMENTS_MAX || n_counts > ARGUMENTS_MAX)
		return ACC_ECORRUPT;
	uint64_t types_addr = addr + aligned(acc_layout_bytes(o->layout, T_MPIR_Datatype_contents));
	uint64_t ints_addr = types_addr + aligned(n_types * 4), aints_addr = ints_addr + aligned(n_ints * 4);
	d->combiner = mdl_known(combiner);
	d->datatypes = array(types_addr, n_types, RD_MPICH_HANDLES);
	d->integers = array(ints_addr, n_ints, RD_MPICH_INTS);
	d->addresses = array(aints_addr, n_aints, 0);
	if (n_counts && !n_ints)
		d->integers = array(aints_addr + n_aints * 8, n_counts, 0);
	else if (n_counts) /* of both, which comes when differs from one constructor to another */
		d->integers.known = false;
	return ACC_OK;
}

static enum acc_rc datatype(struct rd_mpich *o, const struct rd_mpich_place *at, struct mdl_handle *h)
{
	struct mdl_handle_datatype *d = &h->datatype;
	struct acc_obj obj;

	if (load_object(o, T_MPIR_Datatype, at->addr, &obj))
		return obj.rc;
	d->committed = at->predefined || acc_get_i(&obj, F_MPIR_Datatype_is_committed);
	d->combiner = mdl_known(MDL_NAMED);
	d->size = mdl_known(acc_get_i(&obj, F_MPIR_Datatype_size));
	d->lower_bound = mdl_known(acc_get_i(&obj, F_MPIR_Datatype_lb));
	d->extent = mdl_known(acc_get_i(&obj, F_MPIR_Datatype_extent));
	int64_t true_lb = acc_get_i(&obj, F_MPIR_Datatype_true_lb), true_extent;
	if (__builtin_sub_overflow(acc_get_i(&obj, F_MPIR_Datatype_true_ub), true_lb, &true_extent))
		return ACC_ECORRUPT;
	d->true_lower_bound = mdl_known(true_lb);
	d->true_extent = mdl_known(true_extent);
	/* some builtin ones have no bounds of their own */
	if (at->predefined && !true_extent)
		d->true_extent = d->size;
	acc_get_chars(&obj, F_MPIR_Datatype_name, h->name, sizeof(h->name));
	uint64_t attributes = acc_get_u(&obj, F_MPIR_Datatype_attributes);
	uint64_t contents_addr = acc_get_u(&obj, F_MPIR_Datatype_contents);
	if (obj.rc)
		return obj.rc;
	d->attributes = rd_mpich_attributes(o, attributes);
	if (at->predefined)
		return ACC_OK;
	if (!contents_addr || contents(o, contents_addr, d))
		d->combiner = mdl_unavailable(contents_addr ? "its arguments make no sense" : not_kept);
	/* the library creates one for all requests with the same digits, and never frees it */
	h->predefined = d->combiner.known == MDL_KNOWN &&
			(d->combiner.value == MDL_F90_REAL || d->combiner.value == MDL_F90_COMPLEX ||
			 d->combiner.value == MDL_F90_INTEGER);
	return ACC_OK;
}

/* ---- error handlers, operations, keyvals ------------------------------------------------------ */

/*
 * MPIR_Lang_t (src/include/mpir_misc.h): C, then, where the library has these bindings, Fortran (twice) and C++.
 * Since 4.3 the number after C means a function of the bindings, in whichever language; the versions differ in
 * MPIR_Op.is_commute.
 */
static void language(struct rd_mpich *o, uint64_t number, struct mdl_handle *h)
{
	enum { C, FORTRAN, FORTRAN_90, CXX };
	uint64_t addr;

	if (number == C)
		h->language = MDL_LANGUAGE_C;
	else if (acc_layout_has(o->layout, F_MPIR_Op_is_commute))
		return;
	else if (number == FORTRAN || number == FORTRAN_90)
		h->language = acc_symbol(o->sp, "mpi_init_", &addr) ? MDL_LANGUAGE_CXX : MDL_LANGUAGE_FORTRAN;
	else if (number == CXX)
		h->language = MDL_LANGUAGE_CXX;
}

static enum acc_rc errhandler(struct rd_mpich *o, const struct rd_mpich_place *at, struct mdl_handle *h)
{
	struct mdl_handle_errhandler *e = &h->errhandler;
	struct acc_obj obj;

	e->object_kind = e->function = mdl_none();
	if (!at->addr)
		return ACC_OK;
	if (load_object(o, T_MPIR_Errhandler, at->addr, &obj))
		return obj.rc;
	e->object_kind = kind_of(acc_get_u(&obj, F_MPIR_Errhandler_kind));
	e->function = mdl_known((int64_t)acc_get_u(&obj, F_MPIR_Errhandler_errfn));
	if (!at->predefined && acc_layout_has(o->layout, F_MPIR_Errhandler_language))
		language(o, acc_get_u(&obj, F_MPIR_Errhandler_language), h);
	return ACC_OK;
}

static enum acc_rc op(struct rd_mpich *o, const struct rd_mpich_place *at, struct mdl_handle *h)
{
	struct mdl_handle_op *p = &h->op;
	struct acc_obj obj;

	p->commutative = at->null ? mdl_none() : mdl_known(at->handle != OP_REPLACE && at->handle != OP_NO_OP);
	p->large = at->null ? mdl_none() : mdl_known(0);
	p->function = mdl_none();
	if (!at->addr)
		return ACC_OK;
	if (load_object(o, T_MPIR_Op, at->addr, &obj))
		return obj.rc;
	uint64_t kind = acc_get_u(&obj, F_MPIR_Op_kind);
	if (kind <= OP_BUILTIN_LAST)
		return ACC_ECORRUPT;
	p->function = mdl_known((int64_t)acc_get_u(&obj, F_MPIR_Op_function));
	if (acc_layout_has(o->layout, F_MPIR_Op_language))
		language(o, acc_get_u(&obj, F_MPIR_Op_language), h);
	p->large = mdl_known(kind == OP_USER_NONCOMMUTE_LARGE || kind == OP_USER_LARGE);
	if (acc_layout_has(o->layout, F_MPIR_Op_is_commute))
		p->commutative = mdl_known(acc_get_i(&obj, F_MPIR_Op_is_commute) != 0);
	else
		p->commutative = mdl_known(kind != OP_USER_NONCOMMUTE && kind != OP_USER_NONCOMMUTE_LARGE);
	return ACC_OK;
}

static enum acc_rc keyval(struct rd_mpich *o, const struct rd_mpich_place *at, struct mdl_handle_keyval *k)
{
	struct acc_obj obj;

	if (load_object(o, T_MPII_Keyval, at->addr, &obj))
		return obj.rc;
	k->object_kind = kind_of(acc_get_u(&obj, F_MPII_Keyval_kind));
	k->key = mdl_known((int32_t)at->handle);
	uint64_t copy = acc_get_u(&obj, F_MPII_Keyval_copy_function),
		 destroy = acc_get_u(&obj, F_MPII_Keyval_delete_function);
	k->copy_function = copy ? mdl_known((int64_t)copy) : mdl_none();
	k->delete_function = destroy ? mdl_known((int64_t)destroy) : mdl_none();
	k->extra_state = mdl_known((int64_t)acc_get_u(&obj, F_MPII_Keyval_extra_state));
	return obj.rc;
}

/* ---- windows ----------------------------------------------------------------------------------------- */

static struct mdl_list locks(struct rd_mpich *o, uint64_t win_addr, struct mdl_num size)
{
	if (size.known != MDL_KNOWN || !acc_layout_has(o->layout, F_MPIR_Win_targets) ||
	    !acc_layout_has(o->layout, F_MPIDIG_win_target_t_next))
		return (struct mdl_list){ .known = false };
	return array(win_addr, (uint64_t)size.value, RD_MPICH_LOCKS);
}

static void epochs(struct rd_mpich *o, struct acc_obj *obj, uint64_t win_addr, struct mdl_num size,
		   struct mdl_handle_win *w)
{
	int64_t access = acc_get_i(obj, F_MPIR_Win_access_epoch_type);
	int64_t exposure = acc_get_i(obj, F_MPIR_Win_exposure_epoch_type);

	w->fence_open = access == EPOCH_FENCE || access == EPOCH_REFENCE;
	w->lock_all = access == EPOCH_LOCK_ALL;
	w->started = access == EPOCH_START;
	w->posted = exposure == EPOCH_POST;
	if (w->started)
		w->start_group = rd_mpich_group_list(o, acc_get_u(obj, F_MPIR_Win_start_group), RD_MPICH_RANKS);
	if (w->posted)
		w->post_group = rd_mpich_group_list(o, acc_get_u(obj, F_MPIR_Win_post_group), RD_MPICH_RANKS);
	if (access == EPOCH_LOCK)
		w->locks = locks(o, win_addr, size);
}

static enum acc_rc win(struct rd_mpich *o, const struct rd_mpich_place *at, struct mdl_handle *h)
{
	struct mdl_handle_win *w = &h->win;
	struct rd_mpich_comm c;
	struct acc_obj obj;

	w->comm = w->comm_id = w->info = w->info_id = w->errhandler = mdl_none();
	w->base = w->size = w->displacement_unit = w->flavor = w->model = mdl_none();
	if (!at->addr)
		return ACC_OK;
	if (load_object(o, T_MPIR_Win, at->addr, &obj))
		return obj.rc;
	acc_get_chars(&obj, F_MPIR_Win_name, h->name, sizeof(h->name));
	w->base = mdl_known((int64_t)acc_get_u(&obj, F_MPIR_Win_base));
	w->size = mdl_known(acc_get_i(&obj, F_MPIR_Win_size));
	w->displacement_unit = mdl_known(acc_get_i(&obj, F_MPIR_Win_disp_unit));
	w->flavor = mdl_known(rd_mpich_win_flavor(o, acc_get_i(&obj, F_MPIR_Win_create_flavor)));
	w->model = mdl_known(rd_mpich_win_model(o, acc_get_i(&obj, F_MPIR_Win_model)));
	w->errhandler = handler_at(o, acc_get_u(&obj, F_MPIR_Win_errhandler));
	/* its communicator is a duplicate of the library's own */
	w->comm = mdl_unavailable("MPICH keeps a duplicate of the communicator");
	uint64_t attributes = acc_get_u(&obj, F_MPIR_Win_attributes), comm_addr = acc_get_u(&obj, F_MPIR_Win_comm_ptr);
	if (obj.rc)
		return obj.rc;
	if (w->flavor.value < MDL_WIN_CREATE || w->flavor.value > MDL_WIN_SHARED || w->model.value < 0 ||
	    w->model.value > MDL_WIN_UNIFIED)
		return ACC_ECORRUPT;
	w->attributes = rd_mpich_attributes(o, attributes);
	struct mdl_num comm_handle = rd_mpich_handle_at(o, comm_addr);
	struct mdl_num size = mdl_none();
	if (comm_handle.known == MDL_KNOWN && !rd_mpich_comm_load(o, comm_addr, (uint32_t)comm_handle.value, &c))
		size = mdl_known(c.facts.size);
	if (acc_layout_has(o->layout, F_MPIR_Win_access_epoch_type))
		epochs(o, &obj, at->addr, size, w);
	return ACC_OK;
}

/* ---- files, sessions --------------------------------------------------------------------------------- */

/* ROMIO makes a contiguous type of one element, since 4.1 a duplicate, of a datatype of the program (ad_set_view.c). */
static struct mdl_num viewed_type(struct rd_mpich *o, uint32_t handle)
{
	const struct rd_mpich_pool *pool = rd_mpich_pool(o, RD_MPICH_DATATYPE);
	struct mdl_handle_datatype d = { 0 };
	uint64_t slot, contents_addr, original;
	uint32_t own;

	if (!pool || !rd_mpich_slot_of_handle(pool, handle, &slot))
		return mdl_known(rd_mpich_public_type(handle));
	uint64_t addr = rd_mpich_slot(pool, slot, RD_MPICH_DATATYPE, &own);
	if (acc_read_ptr(o->sp, addr + o->layout->fields[F_MPIR_Datatype_contents].offset, &contents_addr) ||
	    contents(o, contents_addr, &d) || (d.combiner.value != MDL_CONTIGUOUS && d.combiner.value != MDL_DUP) ||
	    d.datatypes.n != 1 || acc_read_u(o->sp, d.datatypes.addr, 4, &original))
		return mdl_unavailable("ROMIO's copy of the datatype cannot be read");
	return mdl_known(rd_mpich_public_type(original));
}

static enum acc_rc file(struct rd_mpich *o, const struct rd_mpich_place *at, struct mdl_handle *h)
{
	struct mdl_handle_file *f = &h->file;
	const struct rd_mpich_pool *infos = rd_mpich_pool(o, RD_MPICH_INFO);
	char path[ACC_STRING_MAX];
	struct acc_obj obj;
	uint64_t slot;
	uint32_t own;

	f->mode = f->atomic = f->comm = f->comm_id = f->info = f->info_id = f->errhandler = f->displacement = f->etype =
		f->filetype = f->etype_id = f->filetype_id = mdl_none();
	if (!at->addr)
		return ACC_OK;
	if (load_object(o, T_ADIOI_FileD, at->addr, &obj))
		return obj.rc;
	int64_t fortran = acc_get_i(&obj, F_ADIOI_FileD_fortran_handle);
	/* ROMIO_HANDLE_OFFSET (src/mpi/romio), which came with the communicators of 5.0 */
	int64_t offset = acc_layout_has(o->layout, F_MPIR_Comm_wide_context_id) ? ROMIO_OFFSET : 0;
	h->fortran = fortran > 0 ? mdl_known(fortran + offset) : mdl_unavailable("the program has not asked for it");
	uint64_t path_addr = acc_get_u(&obj, F_ADIOI_FileD_filename);
	if (!acc_read_string(o->sp, path_addr, path, sizeof(path)))
		f->path = array(path_addr, strlen(path), 0);
	f->mode = mdl_known(acc_get_i(&obj, F_ADIOI_FileD_orig_access_mode));
	f->atomic = mdl_known(acc_get_i(&obj, F_ADIOI_FileD_atomicity));
	f->comm = mdl_unavailable("MPICH keeps a duplicate of the communicator");
	f->info = mdl_unavailable(tracker_only);
	f->errhandler = mdl_known((int64_t)acc_get_u(&obj, F_ADIOI_FileD_err_handler));
	f->displacement = mdl_known(acc_get_i(&obj, F_ADIOI_FileD_disp));
	f->etype = viewed_type(o, (uint32_t)acc_get_u(&obj, F_ADIOI_FileD_etype));
	f->filetype = viewed_type(o, (uint32_t)acc_get_u(&obj, F_ADIOI_FileD_filetype));
	snprintf(f->representation, sizeof(f->representation), "%s",
		 acc_get_i(&obj, F_ADIOI_FileD_is_external32) ? "external32" : "native");
	if (infos && rd_mpich_slot_of_handle(infos, (uint32_t)acc_get_u(&obj, F_ADIOI_FileD_info), &slot))
		f->hints = rd_mpich_pairs(o, rd_mpich_slot(infos, slot, RD_MPICH_INFO, &own));
	return obj.rc;
}

static enum acc_rc session(struct rd_mpich *o, const struct rd_mpich_place *at, struct mdl_handle_session *s)
{
	struct acc_obj obj;

	s->info = s->info_id = s->errhandler = mdl_none();
	if (!at->addr)
		return ACC_OK;
	if (load_object(o, T_MPIR_Session, at->addr, &obj))
		return obj.rc;
	s->info = mdl_unavailable(tracker_only);
	s->errhandler = handler_at(o, acc_get_u(&obj, F_MPIR_Session_errhandler));
	return obj.rc;
}

/* ---- requests, messages ------------------------------------------------------------------------------ */

static void no_request(struct mdl_handle_request *r)
{
	r->object = r->object_kind = r->datatype = r->buffer = r->count = r->peer = r->tag = r->op = r->caller =
		r->extra_state = r->source = r->receive_tag = r->partitions = r->count_per_partition = r->object_id =
			r->datatype_id = r->op_id = mdl_none();
	r->second = mdl_no_second();
}

/* Partitioned requests and persistent collectives refer to their communicator. */
static void kept_comm(struct rd_mpich *o, uint64_t addr, struct mdl_handle_request *r)
{
	uint64_t kind = rd_mpich_request_kind(o, addr), comm_addr;

	if ((kind != RD_MPICH_PART_SEND && kind != RD_MPICH_PART_RECV && kind != RD_MPICH_PREQUEST_COLL) ||
	    acc_read_ptr(o->sp, addr + o->layout->fields[F_MPIR_Request_comm].offset, &comm_addr))
		return;
	struct mdl_num handle = rd_mpich_handle_at(o, comm_addr);
	if (handle.known != MDL_KNOWN || !rd_mpich_comm_find(o, (uint64_t)handle.value))
		return;
	r->object_kind = mdl_known(MDL_COMM);
	r->object = handle;
}

static enum acc_rc request(struct rd_mpich *o, const struct rd_mpich_place *at, struct mdl_handle *h)
{
	struct mdl_handle_request *r = &h->request;
	struct mdl_comm c;
	struct mdl_op one;

	no_request(r);
	if (!at->addr)
		return ACC_OK;
	r->caller = mdl_unavailable(tracker_only);
	r->type = rd_mpich_request_type(o, at->addr);
	r->object = r->object_kind = r->datatype = r->buffer = r->count = r->peer = r->tag = mdl_unavailable(
		"MPICH keeps the arguments of requests only while they are pending");
	struct rd_mpich_progress progress;
	enum acc_rc rc = rd_mpich_request_progress(o, at->addr, &progress);
	if (rc)
		return rc;
	r->persistent = progress.persistent;
	r->partitioned = progress.partitioned;
	if (r->partitioned)
		r->partitions = r->count_per_partition = mdl_unavailable("it is not read from MPICH's memory");
	r->active = progress.started;
	if (r->type == MDL_REQUEST_GENERALIZED) {
		r->object = r->object_kind = r->datatype = r->buffer = r->count = r->peer = r->tag = mdl_none();
		r->generalized_complete = progress.done;
	}
	if (rd_mpich_request_get(o, at->handle, &c, &one)) {
		kept_comm(o, at->addr, r);
		return ACC_OK;
	}
	r->object_kind = mdl_known(MDL_COMM);
	r->object = c.handle ? mdl_known((int64_t)c.handle)
			     : mdl_unavailable("its communicator does not exist any more");
	r->operation = one.kind == MDL_SEND ? "send" : one.kind == MDL_RECEIVE ? "receive" : NULL;
	if (mdl_persistent_call(&one))
		snprintf(h->call, sizeof(h->call), "%s", mdl_persistent_call(&one));
	r->free_called = one.freed;
	r->datatype = one.datatype_handle;
	r->buffer = one.buffer;
	r->count = one.count;
	r->peer = one.peer;
	r->tag = one.tag;
	return ACC_OK;
}

static enum acc_rc message(const struct rd_mpich_place *at, struct mdl_handle_message *m)
{
	if (at->addr) {
		m->comm = m->source = m->tag = m->bytes = mdl_unavailable("it is not read from MPICH's memory");
	} else if (at->null) {
		m->comm = m->source = m->tag = m->bytes = mdl_none();
	} else { /* MPI_MESSAGE_NO_PROC: MPI-4 section 3.8.3 */
		m->comm = mdl_none();
		m->source = mdl_known(MDL_PROC_NULL);
		m->tag = mdl_any();
		m->bytes = mdl_known(0);
	}
	return ACC_OK;
}

enum acc_rc rd_mpich_object_facts(struct rd_mpich *o, const struct rd_mpich_place *at, struct mdl_handle *ret)
{
	switch (ret->kind) {
	case MDL_COMM:
		if (at->null) {
			ret->comm.rank = ret->comm.size = ret->comm.remote_size = mdl_none();
			return ACC_OK;
		}
		return comm(o, at, ret);
	case MDL_GROUP:
		return group(o, at, &ret->group);
	case MDL_DATATYPE:
		return at->null ? ACC_OK : datatype(o, at, ret);
	case MDL_ERRHANDLER:
		return errhandler(o, at, ret);
	case MDL_INFO:
		if (at->addr)
			ret->info.pairs = rd_mpich_pairs(o, at->addr);
		return ACC_OK;
	case MDL_OP:
		return op(o, at, ret);
	case MDL_WIN:
		return win(o, at, ret);
	case MDL_FILE:
		return file(o, at, ret);
	case MDL_SESSION:
		return session(o, at, &ret->session);
	case MDL_KEYVAL:
		return keyval(o, at, &ret->keyval);
	case MDL_REQUEST:
		return request(o, at, ret);
	case MDL_A_MESSAGE:
		return message(at, &ret->message);
	default:
		return ACC_OK;
	}
}
