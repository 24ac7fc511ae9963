/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From the fields of a record to the facts of its kind.
 */
#include "transfer_args.h"

#include "../../access/limits.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

/* ---- null handles ------------------------------------------------------------------- */

/* Is it a null handle? Decided by name and handle, because the program may rename MPI_COMM_WORLD. */
static bool is_null(struct rd_track *t, const struct mdl_handle *h)
{
	static const char *const names[] = { "MPI_COMM_NULL",       "MPI_GROUP_NULL", "MPI_DATATYPE_NULL",
					     "MPI_ERRHANDLER_NULL", "MPI_FILE_NULL",  "MPI_INFO_NULL",
					     "MPI_OP_NULL",         "MPI_WIN_NULL",   "MPI_MESSAGE_NULL",
					     "MPI_SESSION_NULL" };

	for (size_t i = 0; h->predefined && i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(h->name, names[i]))
			return rd_track_stands_for(t, h, names[i]);
	return false;
}

/* Fields of a null handle's record are not facts, except perhaps the error handler and users. */
static void forget_facts(struct mdl_handle *h)
{
	struct mdl_num none = mdl_none();
	struct mdl_list no_list = { 0 };

	switch (h->kind) {
	case MDL_COMM:
		h->comm.rank = h->comm.size = h->comm.remote_size = none;
		h->comm.members_identity = h->comm.remote_members_identity = false;
		break;
	case MDL_GROUP:
		h->group.rank = h->group.size = none;
		h->group.members_identity = false;
		break;
	case MDL_DATATYPE:
		h->datatype.size = h->datatype.lower_bound = h->datatype.extent = none;
		h->datatype.true_lower_bound = h->datatype.true_extent = none;
		break;
	case MDL_ERRHANDLER:
		h->errhandler.object_kind = none;
		break;
	case MDL_FILE:
		h->file.mode = h->file.atomic = h->file.displacement = none;
		break;
	case MDL_INFO:
		h->info.pairs = no_list;
		break;
	case MDL_OP:
		h->op.commutative = h->op.large = none;
		break;
	case MDL_WIN:
		h->win.base = h->win.size = h->win.displacement_unit = h->win.flavor = h->win.model = none;
		break;
	case MDL_A_MESSAGE:
		h->message.source = h->message.tag = h->message.bytes = none;
		break;
	default:
		break;
	}
}

/* Convert the tracker's value for "not known" to unavailable. */
static struct mdl_num unless_minus_one(struct mdl_num n, const char *why)
{
	return n.known == MDL_KNOWN && n.value == -1 ? mdl_unavailable(why) : n;
}

static enum mdl_topology_kind topology_of(struct acc_obj *o)
{
	struct mdl_num n = rd_track_u(o, F_trk_comm_topology);

	switch (n.value) {
	case TRK_TOPO_CART:
		return MDL_TOPO_CART;
	case TRK_TOPO_GRAPH:
		return MDL_TOPO_GRAPH;
	case TRK_TOPO_DIST_GRAPH:
		return MDL_TOPO_DIST_GRAPH;
	default:
		return MDL_TOPO_NONE;
	}
}

/*
 * Are the members those of the world, rank by rank? A missing list means yes. @param size set to not known if the world
 * is smaller: the record is damaged
 */
static bool is_identity(const struct rd_track *t, const struct mdl_list *members, struct mdl_num *size)
{
	struct mdl_num world = t->library.world_size;
	int64_t most = world.known == MDL_KNOWN && world.value < (int64_t)ACC_RANKS_MAX ? world.value
											: (int64_t)ACC_RANKS_MAX;

	if (!members->known || members->total || size->known != MDL_KNOWN || size->value <= 0)
		return false;
	if (size->value <= most)
		return true;
	*size = mdl_unavailable("the registry is damaged: more than the world has");
	return false;
}

static void comm(struct rd_track *t, struct acc_obj *o, struct mdl_handle_comm *c)
{
	static const char no_world[] = "the MPI library does not say: MPI_Init was not called";

	/* of MPI_COMM_WORLD and MPI_COMM_SELF, in a program that uses only sessions */
	c->rank = unless_minus_one(rd_track_i(o, F_trk_comm_rank), no_world);
	c->size = unless_minus_one(rd_track_i(o, F_trk_comm_size), no_world);
	c->remote_size = rd_track_i(o, F_trk_comm_remote_size);
	if (c->remote_size.known == MDL_KNOWN && c->remote_size.value < 0)
		c->remote_size = mdl_none();
	c->topology = topology_of(o);
	c->ndims = c->topology == MDL_TOPO_CART ? rd_track_i(o, F_trk_comm_ndims) : mdl_none();
	c->weighted = c->topology == MDL_TOPO_DIST_GRAPH ? rd_track_u(o, F_trk_comm_weighted) : mdl_none();
	c->errhandler = rd_track_ref(o, F_trk_comm_errhandler);
	c->info = rd_track_ref(o, F_trk_comm_info);
	c->group = rd_track_ref(o, F_trk_comm_group);
	c->remote_group = rd_track_ref(o, F_trk_comm_remote_group);
	c->info_id = rd_track_ref(o, F_trk_comm_info_id);
	c->group_id = rd_track_ref(o, F_trk_comm_group_id);
	c->remote_group_id = rd_track_ref(o, F_trk_comm_remote_group_id);
	c->from_group_id = rd_track_ref(o, F_trk_comm_from_group_id);
	struct mdl_num is_split = rd_track_u(o, F_trk_comm_is_split);
	if (is_split.known == MDL_KNOWN && !is_split.value) {
		c->color = c->key = mdl_none();
	} else {
		c->color = rd_track_i(o, F_trk_comm_color);
		c->key = rd_track_i(o, F_trk_comm_key);
	}
	c->members = rd_track_list(o, F_trk_comm_members, sizeof(struct trk_member));
	c->remote_members = rd_track_list(o, F_trk_comm_remote_members, sizeof(struct trk_member));
	c->members_identity = is_identity(t, &c->members, &c->size);
	c->remote_members_identity = is_identity(t, &c->remote_members, &c->remote_size);
	c->dims = rd_track_list(o, F_trk_comm_dims, 4);
	c->periods = rd_track_list(o, F_trk_comm_periods, 4);
	c->coords = rd_track_list(o, F_trk_comm_coords, 4);
	c->weights = rd_track_list(o, F_trk_comm_weights, 4);
	c->attributes = rd_track_list(o, F_trk_comm_attributes, sizeof(struct trk_attribute));
	c->hints = rd_track_list(o, F_trk_comm_hints, sizeof(struct trk_pair));
	c->collectives = rd_track_list(o, F_trk_comm_collectives, 8);
}

static void group(struct rd_track *t, struct acc_obj *o, struct mdl_handle_group *g)
{
	g->rank = rd_track_i(o, F_trk_group_rank);
	if (g->rank.known == MDL_KNOWN && g->rank.value < 0)
		g->rank = mdl_none();
	g->size = rd_track_i(o, F_trk_group_size);
	g->second_parent = rd_track_ref(o, F_trk_group_second_parent);
	g->members = rd_track_list(o, F_trk_group_members, sizeof(struct trk_member));
	g->members_identity = is_identity(t, &g->members, &g->size);
}

static void datatype(struct rd_track *t, struct acc_obj *o, struct mdl_handle_datatype *d)
{
	struct mdl_num combiner = rd_track_i(o, F_trk_datatype_combiner);
	int known = combiner.known == MDL_KNOWN ? rd_track_combiner(t, combiner.value) : -1;

	d->committed = rd_track_flag(o, F_trk_datatype_committed);
	d->combiner = known >= 0 ? mdl_known(known) : mdl_unavailable("how it was made is not recorded");
	d->size = rd_track_i(o, F_trk_datatype_size);
	d->lower_bound = rd_track_i(o, F_trk_datatype_lower_bound);
	d->extent = rd_track_i(o, F_trk_datatype_extent);
	d->true_lower_bound = rd_track_i(o, F_trk_datatype_true_lower_bound);
	d->true_extent = rd_track_i(o, F_trk_datatype_true_extent);
	if (d->size.known == MDL_KNOWN && d->size.value == -1) /* a predefined type that was
								* not queried from MPI so far */
		d->size = d->lower_bound = d->extent = d->true_lower_bound = d->true_extent = mdl_unavailable(
			t->library.state == MDL_BEFORE_INIT ? "not known before MPI_Init has returned"
							    : "not recorded");
	d->integers = rd_track_list(o, F_trk_datatype_integers, 8);
	d->addresses = rd_track_list(o, F_trk_datatype_addresses, 8);
	d->datatypes = rd_track_list(o, F_trk_datatype_datatypes, 8);
	d->attributes = rd_track_list(o, F_trk_datatype_attributes, sizeof(struct trk_attribute));
}

static void errhandler(struct acc_obj *o, struct mdl_handle_errhandler *e)
{
	struct mdl_num kind = rd_track_u(o, F_trk_errhandler_object_kind);

	e->object_kind = kind.known == MDL_KNOWN ? rd_track_kind(kind.value) : kind;
	e->function = rd_track_ref(o, F_trk_errhandler_function);
}

static void file(struct rd_track *t, struct acc_obj *o, struct mdl_handle_file *f)
{
	struct mdl_num split = rd_track_u(o, F_trk_file_split_call);

	f->path = rd_track_list(o, F_trk_file_path, 1);
	f->mode = rd_track_file_mode(t, rd_track_i(o, F_trk_file_mode));
	f->atomic = rd_track_i(o, F_trk_file_atomic);
	f->comm = rd_track_ref(o, F_trk_file_comm);
	f->comm_id = rd_track_ref(o, F_trk_file_comm_id);
	f->info = rd_track_ref(o, F_trk_file_info);
	f->info_id = rd_track_ref(o, F_trk_file_info_id);
	f->errhandler = rd_track_ref(o, F_trk_file_errhandler);
	f->displacement = rd_track_i(o, F_trk_file_displacement);
	f->etype = rd_track_ref(o, F_trk_file_etype);
	f->etype_id = rd_track_moved(t, MDL_DATATYPE, &f->etype, rd_track_ref(o, F_trk_file_etype_id));
	f->filetype = rd_track_ref(o, F_trk_file_filetype);
	f->filetype_id = rd_track_moved(t, MDL_DATATYPE, &f->filetype, rd_track_ref(o, F_trk_file_filetype_id));
	rd_track_name(o, F_trk_file_representation, f->representation);
	if (split.known == MDL_KNOWN)
		rd_track_call_name(t, (uint64_t)split.value, f->split_call);
	f->hints = rd_track_list(o, F_trk_file_hints, sizeof(struct trk_pair));
}

static void op(struct acc_obj *o, struct mdl_handle_op *p)
{
	p->commutative = rd_track_u(o, F_trk_op_commutative);
	p->large = rd_track_u(o, F_trk_op_large);
	p->function = rd_track_ref(o, F_trk_op_function);
}

/*
 * Kind of a request from the function's name, because names are
 * regular: a collective neither sends nor receives by name.
 */
static enum mdl_request_type type_of(const char *call, struct mdl_num object_kind)
{
	if (!call[0])
		return MDL_REQUEST_UNKNOWN;
	if (strstr(call, "Grequest"))
		return MDL_REQUEST_GENERALIZED;
	if (object_kind.known != MDL_KNOWN)
		return MDL_REQUEST_UNKNOWN;
	if (object_kind.value == MDL_FILE)
		return MDL_REQUEST_FILE;
	if (object_kind.value == MDL_WIN)
		return MDL_REQUEST_WINDOW;
	return strstr(call, "send") || strstr(call, "Send") || strstr(call, "recv") || strstr(call, "Recv")
		       ? MDL_REQUEST_POINT_TO_POINT
		       : MDL_REQUEST_COLLECTIVE;
}

/* The count passed to the call applies to one partition. */
static void partitions(struct acc_obj *o, struct mdl_handle_request *r)
{
	int64_t all;

	r->partitions = rd_track_u(o, F_trk_request_op);
	r->count_per_partition = r->count;
	r->partitions_done = rd_track_list(o, F_trk_request_partitions, 1);
	if (r->partitions.known != MDL_KNOWN || r->count.known != MDL_KNOWN)
		return;
	if (__builtin_mul_overflow(r->partitions.value, r->count.value, &all))
		r->count = mdl_unavailable("it makes no sense");
	else
		r->count = mdl_known(all);
}

/* Is it the handle value of all requests that are complete when created (track_layout.h)? */
static bool is_shared(const struct rd_track *t, uint64_t handle)
{
	/* with the ABI MPICH's handles are addresses of objects that begin with its own handle */
	if (t->mpi == RD_TRACK_ABI && !strcmp(t->implementation, "MPICH"))
		return handle >= TRK_ABI_PREDEFINED && !acc_read_u(t->sp, handle, 4, &handle) && handle >> 30 == 1;
	if (t->mpi == RD_TRACK_MPICH)
		return handle <= UINT32_MAX && handle >> 30 == 1;
	return t->mpi != RD_TRACK_OTHER_MPI && t->request_empty && handle == t->request_empty;
}

/* A completed request is not active, and its handles may have been reused since. */
static void ended(struct rd_track *t, struct mdl_handle_request *r)
{
	if (!r->free_called)
		r->active = false;
	if (r->object_kind.known == MDL_KNOWN)
		r->object = rd_track_of_ended(t, (enum mdl_handle_kind)r->object_kind.value, r->object);
	r->datatype = rd_track_of_ended(t, MDL_DATATYPE, r->datatype);
	r->second.datatype = rd_track_of_ended(t, MDL_DATATYPE, r->second.datatype);
	r->op = rd_track_of_ended(t, MDL_OP, r->op);
}

/* A request of a call with a root has the root as its peer; only the frame of a call has a separate field. */
static void request(struct rd_track *t, struct acc_obj *o, const char *call, enum mdl_life life,
		    struct mdl_handle_request *r)
{
	struct mdl_num flags = rd_track_u(o, F_trk_request_flags);
	struct mdl_num has = rd_track_u(o, F_trk_request_has);
	struct mdl_num kind = rd_track_u(o, F_trk_request_object_kind);
	struct mdl_num absent = mdl_none();
	uint64_t second = kind.known == MDL_KNOWN ? ((uint64_t)kind.value << 8) & TRK_HAS_OF_REQUESTS : 0;

	r->persistent = flags.value & TRK_REQ_PERSISTENT;
	r->active = flags.value & TRK_REQ_ACTIVE || !r->persistent;
	r->cancelled = flags.value & TRK_REQ_CANCELLED;
	r->free_called = flags.value & TRK_REQ_FREE_CALLED;
	r->shared = flags.value & TRK_REQ_SHARED || is_shared(t, acc_get_u(o, F_trk_request_handle));
	if (r->shared)
		r->active = false;
	r->partitioned = flags.value & TRK_REQ_PARTITIONED;
	r->generalized_complete = flags.value & TRK_REQ_GENERALIZED_COMPLETE;
	if (r->partitioned)
		r->active = flags.value & TRK_REQ_ACTIVE;
	r->object_kind = kind.known == MDL_KNOWN ? rd_track_kind(kind.value & 15) : kind;
	r->object = r->object_kind.known == MDL_KNOWN ? rd_track_u(o, F_trk_request_comm) : absent;
	r->object_id = rd_track_by_number(&r->object);
	r->datatype = has.value & TRK_HAS_DATATYPE ? rd_track_u(o, F_trk_request_datatype) : absent;
	r->datatype_id = rd_track_by_number(&r->datatype);
	r->buffer = has.value & TRK_HAS_BUFFER ? rd_track_u(o, F_trk_request_buffer) : absent;
	r->count = has.value & TRK_HAS_COUNT ? rd_track_elements(o, F_trk_request_count) : absent;
	r->peer = r->tag = absent;
	if (has.value & (TRK_HAS_PEER | TRK_HAS_ROOT))
		r->peer = rd_track_rank(t, acc_get_i(o, F_trk_request_peer));
	r->peer_is_root = has.value & TRK_HAS_ROOT;
	if (has.value & TRK_HAS_TAG)
		r->tag = rd_track_tag(t, acc_get_i(o, F_trk_request_tag));
	r->op = r->op_id = r->partitions = r->count_per_partition = r->source = r->receive_tag = absent;
	if (r->partitioned)
		partitions(o, r);
	else if (second & TRK_HAS_SOURCE) {
		r->source = rd_track_rank(t, (int32_t)(uint32_t)acc_get_u(o, F_trk_request_op));
		r->receive_tag = rd_track_tag(t, (int32_t)(acc_get_u(o, F_trk_request_op) >> 32));
	} else if (has.value & TRK_HAS_OBJECT) {
		r->op = rd_track_ref(o, F_trk_request_op);
		r->op_id = rd_track_by_number(&r->op);
	}
	r->caller = rd_track_ref(o, F_trk_request_caller);
	r->type = type_of(call, r->object_kind);
	rd_track_second(o,
			&(struct rd_track_second_fields){ F_trk_request_second_buffer, F_trk_request_second_count,
							  F_trk_request_second_datatype,
							  r->type == MDL_REQUEST_WINDOW },
			second, call, &r->second);
	if (life != MDL_LIVE)
		ended(t, r);
	if (second || r->peer_is_root)
		rd_track_drop_ignored(t, &(struct rd_track_transfer_args){
						 &r->buffer, &r->count, &r->datatype, &r->datatype_id, &r->second,
						 &r->op, r->object, r->object_id, r->peer_is_root ? r->peer : absent });
	r->extra_state = absent;
	if (r->type == MDL_REQUEST_GENERALIZED) { /* a generalized request stores it in the buffer field */
		r->extra_state = r->buffer;
		r->buffer = absent;
	}
}

static void win(struct rd_track *t, struct acc_obj *o, struct mdl_handle_win *w)
{
	struct mdl_num model = rd_track_i(o, F_trk_win_model), sync = rd_track_u(o, F_trk_win_last_sync);

	w->comm = rd_track_ref(o, F_trk_win_comm);
	w->comm_id = rd_track_ref(o, F_trk_win_comm_id);
	w->info = rd_track_ref(o, F_trk_win_info);
	w->info_id = rd_track_ref(o, F_trk_win_info_id);
	w->errhandler = rd_track_ref(o, F_trk_win_errhandler);
	w->base = rd_track_u(o, F_trk_win_base);
	w->size = rd_track_i(o, F_trk_win_size);
	w->displacement_unit = rd_track_i(o, F_trk_win_displacement_unit);
	w->flavor = rd_track_win_flavor(t, rd_track_i(o, F_trk_win_flavor));
	w->model = model.known == MDL_KNOWN ? rd_track_win_model(t, model.value) : model;
	if (sync.known == MDL_KNOWN)
		rd_track_call_name(t, (uint64_t)sync.value, w->last_sync);
	w->fence_open = rd_track_flag(o, F_trk_win_fence_open);
	w->lock_all = rd_track_flag(o, F_trk_win_lock_all);
	w->started = rd_track_flag(o, F_trk_win_started);
	w->posted = rd_track_flag(o, F_trk_win_posted);
	w->locks = rd_track_list(o, F_trk_win_locks, 1);
	struct mdl_num held = rd_track_u(o, F_trk_win_lock_held);
	w->lock_held = held.known == MDL_KNOWN ? held.value ? mdl_known(held.value - 1) : mdl_none() : held;
	w->start_group = rd_track_list(o, F_trk_win_start_group, 4);
	w->post_group = rd_track_list(o, F_trk_win_post_group, 4);
	w->attached = rd_track_list(o, F_trk_win_attached, 16);
	w->attributes = rd_track_list(o, F_trk_win_attributes, sizeof(struct trk_attribute));
	w->hints = rd_track_list(o, F_trk_win_hints, sizeof(struct trk_pair));
}

static void message(struct rd_track *t, struct acc_obj *o, const struct mdl_handle *h, struct mdl_handle_message *m)
{
	/* MPI-4 section 3.8.3: such a message has no sender */
	if (h->predefined && !strcmp(h->name, "MPI_MESSAGE_NO_PROC")) {
		*m = (struct mdl_handle_message){ mdl_none(), mdl_known(MDL_PROC_NULL), mdl_any(), mdl_known(0) };
		return;
	}
	m->comm = rd_track_ref(o, F_trk_message_comm);
	m->source = rd_track_i(o, F_trk_message_source);
	if (m->source.known == MDL_KNOWN)
		m->source = rd_track_rank(t, m->source.value);
	m->tag = rd_track_i(o, F_trk_message_tag);
	m->bytes = unless_minus_one(rd_track_i(o, F_trk_message_bytes), "not recorded");
}

static void keyval(struct acc_obj *o, struct mdl_handle_keyval *k)
{
	struct mdl_num kind = rd_track_u(o, F_trk_keyval_object_kind);

	k->object_kind = kind.known == MDL_KNOWN ? rd_track_kind(kind.value) : kind;
	k->key = rd_track_i(o, F_trk_keyval_key);
	k->copy_function = rd_track_ref(o, F_trk_keyval_copy_function);
	k->delete_function = rd_track_ref(o, F_trk_keyval_delete_function);
	k->extra_state = rd_track_u(o, F_trk_keyval_extra_state);
}

void rd_track_facts(struct rd_track *t, struct acc_obj *o, struct mdl_handle *ret)
{
	switch (ret->kind) {
	case MDL_COMM:
		comm(t, o, &ret->comm);
		break;
	case MDL_GROUP:
		group(t, o, &ret->group);
		break;
	case MDL_DATATYPE:
		datatype(t, o, &ret->datatype);
		break;
	case MDL_ERRHANDLER:
		errhandler(o, &ret->errhandler);
		break;
	case MDL_FILE:
		file(t, o, &ret->file);
		break;
	case MDL_INFO:
		ret->info.pairs = rd_track_list(o, F_trk_info_pairs, sizeof(struct trk_pair));
		break;
	case MDL_OP:
		op(o, &ret->op);
		break;
	case MDL_REQUEST:
		request(t, o, ret->call, ret->life, &ret->request);
		break;
	case MDL_WIN:
		win(t, o, &ret->win);
		break;
	case MDL_A_MESSAGE:
		message(t, o, ret, &ret->message);
		break;
	case MDL_SESSION:
		ret->session.info = rd_track_ref(o, F_trk_session_info);
		ret->session.info_id = rd_track_ref(o, F_trk_session_info_id);
		ret->session.errhandler = rd_track_ref(o, F_trk_session_errhandler);
		break;
	case MDL_KEYVAL:
		keyval(o, &ret->keyval);
		break;
	default:
		break;
	}
	ret->null = is_null(t, ret);
	if (ret->null)
		forget_facts(ret);
}
