/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Queries of all kinds except communicators and statuses.
 */
#include "query.h"

#include "completion.h"
#include "referrers.h"

#pragma GCC poison assert abort exit printf fprintf malloc free

static mqs_taddr_t ref(struct mdl_num n)
{
	return (mqs_taddr_t)mpidbg_known(n, 0);
}

/* ---- error handlers ------------------------------------------------------------------------------------ */

static enum acc_rc fill_errhandler(struct rd_track *t, const struct mdl_handle *h, void *ret)
{
	struct mpidbg_errhandler_info_t *info = ret;
	int64_t kind = mpidbg_known(h->errhandler.object_kind, -1);
	unsigned bits = 0;
	enum acc_rc rc = ACC_OK;

	if (h->predefined)
		bits |= MPIDBG_ERRH_INFO_PREDEFINED | MPIDBG_ERRH_INFO_COMMUNICATOR | MPIDBG_ERRH_INFO_FILE |
			MPIDBG_ERRH_INFO_WINDOW;
	bits |= kind == MDL_COMM   ? MPIDBG_ERRH_INFO_COMMUNICATOR
		: kind == MDL_FILE ? MPIDBG_ERRH_INFO_FILE
		: kind == MDL_WIN  ? MPIDBG_ERRH_INFO_WINDOW
				   : 0;
	if (h->language != MDL_LANGUAGE_FORTRAN)
		bits |= MPIDBG_ERRH_INFO_C_CALLBACK;
	if (h->life != MDL_LIVE)
		bits |= MPIDBG_ERRH_INFO_FREED_HANDLE;
	if (h->life == MDL_EARLIER)
		bits |= MPIDBG_ERRH_INFO_FREED_OBJECT;
	if (h->predefined)
		mpidbg_copy_name(info->eh_name, h->name);
	info->eh_bitflags = (enum mpidbg_errhandler_info_bitmap_t)bits;
	info->eh_c_handle = h->handle;
	info->eh_fortran_handle = mpidbg_fortran(h);
	info->eh_callback_func = h->predefined ? 0 : ref(h->errhandler.function);
	mpidbg_fill_object(&info->eh_object, h);
	info->eh_attaches_to = h->predefined ? -1 : (int)kind;
	info->eh_handles = mpidbg_fill_lists(t, &rc, h, &info->eh_handle_kinds, &info->eh_num_handles);
	info->eh_refcount = (int16_t)(info->eh_num_handles < INT16_MAX ? info->eh_num_handles : INT16_MAX);
	return rc;
}

/* ---- requests ------------------------------------------------------------------------------------------ */

/* Value of req_has_peer and similar members. */
static int has(struct mdl_num n)
{
	return n.known == MDL_ANY ? 3 : n.known == MDL_KNOWN;
}

static enum acc_rc fill_request(struct rd_track *t, const struct mdl_handle *h, void *ret)
{
	struct mpidbg_request_info_t *info = ret;
	const struct mdl_handle_request *r = &h->request;

	(void)t;
	info->req_bitflags = (enum mpidbg_request_info_bitmap_t)(
		(h->predefined ? MPIDBG_REQUEST_INFO_PREDEFINED : 0u) |
		(r->persistent ? MPIDBG_REQUEST_INFO_PERSISTENT : 0u) |
		(h->life != MDL_LIVE ? MPIDBG_REQUEST_INFO_FREED_HANDLE : 0u) |
		(r->active && h->life == MDL_LIVE && !r->shared ? MPIDBG_REQUEST_INFO_ACTIVE : 0u) |
		(r->cancelled ? MPIDBG_REQUEST_INFO_CANCELLED : 0u) |
		(r->free_called ? MPIDBG_REQUEST_INFO_FREE_CALLED : 0u) |
		(r->shared ? MPIDBG_REQUEST_INFO_SHARED : 0u) |
		(r->partitioned ? MPIDBG_REQUEST_INFO_PARTITIONED : 0u));
	info->req_c_handle = h->handle;
	info->req_fortran_handle = mpidbg_fortran(h);
	mpidbg_fill_object(&info->req_object, h);
	info->req_object_kind = mpidbg_known_int(r->object_kind, -1);
	info->req_on = ref(r->object);
	info->req_datatype = ref(r->datatype);
	info->req_buffer = ref(r->type == MDL_REQUEST_GENERALIZED ? r->extra_state : r->buffer);
	info->req_caller = ref(r->caller);
	info->req_op = ref(r->op);
	info->req_count = mpidbg_known(r->count, -1);
	info->req_peer = mpidbg_known_int(r->peer, 0);
	info->req_has_peer = r->peer_is_root && r->peer.known == MDL_KNOWN ? 2 : has(r->peer);
	info->req_tag = mpidbg_known_int(r->tag, 0);
	info->req_has_tag = has(r->tag);
	info->req_second_side = (int)r->second.side;
	info->req_second_count = mpidbg_known(r->second.count, -1);
	info->req_second_datatype = ref(r->second.datatype);
	info->req_second_buffer = ref(r->second.buffer);
	info->req_has_source = has(r->source);
	info->req_source = mpidbg_known_int(r->source, 0);
	info->req_has_receive_tag = has(r->receive_tag);
	info->req_receive_tag = mpidbg_known_int(r->receive_tag, 0);
	return ACC_OK;
}

/* ---- datatypes ----------------------------------------------------------------------------------------- */

static enum acc_rc fill_datatype(struct rd_track *t, const struct mdl_handle *h, void *ret)
{
	struct mpidbg_datatype_info_t *info = ret;
	const struct mdl_handle_datatype *d = &h->datatype;
	enum acc_rc rc = ACC_OK;

	mpidbg_fill_object(&info->type_object, h);
	info->type_combiner = mpidbg_known_int(d->combiner, -1);
	info->type_committed = d->committed;
	info->type_size = mpidbg_known(d->size, -1);
	info->type_lower_bound = mpidbg_known(d->lower_bound, 0);
	info->type_extent = mpidbg_known(d->extent, -1);
	info->type_true_lower_bound = mpidbg_known(d->true_lower_bound, 0);
	info->type_true_extent = mpidbg_known(d->true_extent, -1);
	info->type_integers = mpidbg_fill_numbers(t, &rc, &d->integers, &info->type_num_integers);
	info->type_addresses = mpidbg_fill_numbers(t, &rc, &d->addresses, &info->type_num_addresses);
	info->type_datatypes = mpidbg_fill_numbers(t, &rc, &d->datatypes, &info->type_num_datatypes);
	info->type_attrs = mpidbg_fill_attributes(t, &rc, &d->attributes, &info->type_num_attrs);
	info->type_requests = mpidbg_fill_list(t, &rc, h, 0, &info->type_num_requests);
	info->type_files = mpidbg_fill_list(t, &rc, h, 1, &info->type_num_files);
	info->type_calls = mpidbg_fill_calls(t, &rc, h, &info->type_num_calls);
	return rc;
}

/* ---- files and windows --------------------------------------------------------------------------------- */

static enum acc_rc fill_file(struct rd_track *t, const struct mdl_handle *h, void *ret)
{
	struct mpidbg_file_info_t *info = ret;
	const struct mdl_handle_file *f = &h->file;
	enum acc_rc rc = rd_track_text(t, &f->path, info->file_name, sizeof(info->file_name));

	if (rc == ACC_NONE)
		rc = ACC_OK;
	mpidbg_fill_object(&info->file_object, h);
	info->file_mode = mpidbg_known_int(f->mode, -1);
	info->file_atomic = mpidbg_known_int(f->atomic, -1);
	info->file_comm = mpidbg_referred_handle(t, MDL_COMM, f->comm, f->comm_id);
	info->file_info = mpidbg_referred_handle(t, MDL_INFO, f->info, f->info_id);
	info->file_errhandler = ref(f->errhandler);
	info->file_displacement = mpidbg_known(f->displacement, 0);
	info->file_etype = ref(f->etype);
	info->file_filetype = ref(f->filetype);
	mpidbg_copy_name(info->file_representation, f->representation);
	mpidbg_copy_name(info->file_split_call, f->split_call);
	info->file_hints = mpidbg_fill_pairs(t, &rc, &f->hints, &info->file_num_hints);
	info->file_pending_requests = mpidbg_fill_list(t, &rc, h, 0, &info->file_num_pending_requests);
	info->file_calls = mpidbg_fill_calls(t, &rc, h, &info->file_num_calls);
	return rc;
}

/* Lists whose elements are two numbers. */
static struct mpidbg_attached_t *fill_attached(struct rd_track *t, enum acc_rc *rc, const struct mdl_list *list, int *n)
{
	struct mdl_list words = *list;
	int n_words;

	words.n *= 2;
	words.total *= 2;
	int64_t *v = mpidbg_fill_numbers(t, rc, &words, &n_words);
	struct mpidbg_attached_t *ret = mpidbg_query_array(rc, (uint64_t)n_words / 2, sizeof(*ret));
	*n = ret ? n_words / 2 : 0;
	for (int i = 0; i < *n; i++)
		ret[i] = (struct mpidbg_attached_t){ (mqs_taddr_t)v[2 * i], v[2 * i + 1] };
	mpidbg_free(v);
	return ret;
}

static enum acc_rc fill_win(struct rd_track *t, const struct mdl_handle *h, void *ret)
{
	struct mpidbg_win_info_t *info = ret;
	const struct mdl_handle_win *w = &h->win;
	enum acc_rc rc = ACC_OK;

	mpidbg_fill_object(&info->win_object, h);
	info->win_comm = mpidbg_referred_handle(t, MDL_COMM, w->comm, w->comm_id);
	info->win_info = mpidbg_referred_handle(t, MDL_INFO, w->info, w->info_id);
	info->win_errhandler = ref(w->errhandler);
	info->win_base = ref(w->base);
	info->win_size = mpidbg_known(w->size, -1);
	info->win_displacement_unit = mpidbg_known_int(w->displacement_unit, -1);
	info->win_flavor = mpidbg_known_int(w->flavor, -1);
	info->win_model = mpidbg_known_int(w->model, -1);
	mpidbg_copy_name(info->win_last_sync, w->last_sync);
	info->win_locks = mpidbg_fill_bytes(t, &rc, &w->locks, 1, &info->win_num_locks);
	info->win_start_group = mpidbg_fill_ints(t, &rc, &w->start_group, &info->win_num_started);
	info->win_post_group = mpidbg_fill_ints(t, &rc, &w->post_group, &info->win_num_posted);
	info->win_attrs = mpidbg_fill_attributes(t, &rc, &w->attributes, &info->win_num_attrs);
	info->win_hints = mpidbg_fill_pairs(t, &rc, &w->hints, &info->win_num_hints);
	info->win_attached = fill_attached(t, &rc, &w->attached, &info->win_num_attached);
	info->win_requests = mpidbg_fill_list(t, &rc, h, 0, &info->win_num_requests);
	info->win_calls = mpidbg_fill_calls(t, &rc, h, &info->win_num_calls);
	info->win_bitflags = (w->fence_open ? MPIDBG_WIN_INFO_FENCE : 0u) |
			     (w->started ? MPIDBG_WIN_INFO_STARTED : 0u) | (w->posted ? MPIDBG_WIN_INFO_POSTED : 0u) |
			     (w->lock_all ? MPIDBG_WIN_INFO_LOCK_ALL : 0u);
	for (int i = 0; i < info->win_num_locks; i++)
		if (info->win_locks[i])
			info->win_bitflags |= MPIDBG_WIN_INFO_LOCKED;
	return rc;
}

/* ---- small ones ---------------------------------------------------------------------------------------- */

static enum acc_rc fill_group(struct rd_track *t, const struct mdl_handle *h, void *ret)
{
	struct mpidbg_group_info_t *info = ret;
	enum acc_rc rc = ACC_OK;

	mpidbg_fill_object(&info->group_object, h);
	info->group_rank = mpidbg_known_int(h->group.rank, -1);
	info->group_second_parent = mpidbg_known(h->group.second_parent, 0);
	info->group_procs = mpidbg_fill_procs(t, &rc, &h->group.members, &info->group_num_procs);
	if (h->group.members_identity)
		info->group_procs = mpidbg_fill_identity(&rc, mpidbg_known_int(h->group.size, 0),
							 &info->group_num_procs);
	info->group_comms = mpidbg_fill_list(t, &rc, h, 0, &info->group_num_comms);
	return rc;
}

static enum acc_rc fill_info(struct rd_track *t, const struct mdl_handle *h, void *ret)
{
	struct mpidbg_info_info_t *info = ret;
	enum acc_rc rc = ACC_OK;

	mpidbg_fill_object(&info->info_object, h);
	info->info_pairs = mpidbg_fill_pairs(t, &rc, &h->info.pairs, &info->info_num_pairs);
	info->info_users = mpidbg_fill_lists(t, &rc, h, &info->info_user_kinds, &info->info_num_users);
	return rc;
}

static enum acc_rc fill_op(struct rd_track *t, const struct mdl_handle *h, void *ret)
{
	struct mpidbg_op_info_t *info = ret;
	enum acc_rc rc = ACC_OK;

	mpidbg_fill_object(&info->op_object, h);
	info->op_commutative = mpidbg_known_int(h->op.commutative, -1);
	info->op_function = ref(h->op.function);
	info->op_requests = mpidbg_fill_list(t, &rc, h, 0, &info->op_num_requests);
	info->op_calls = mpidbg_fill_calls(t, &rc, h, &info->op_num_calls);
	return rc;
}

static enum acc_rc fill_message(struct rd_track *t, const struct mdl_handle *h, void *ret)
{
	struct mpidbg_message_info_t *info = ret;

	(void)t;
	mpidbg_fill_object(&info->message_object, h);
	info->message_comm = ref(h->message.comm);
	info->message_source = mpidbg_known_int(h->message.source, -1);
	info->message_tag = mpidbg_known_int(h->message.tag, -1);
	info->message_bytes = mpidbg_known(h->message.bytes, -1);
	return ACC_OK;
}

static enum acc_rc fill_session(struct rd_track *t, const struct mdl_handle *h, void *ret)
{
	struct mpidbg_session_info_t *info = ret;

	mpidbg_fill_object(&info->session_object, h);
	info->session_info = mpidbg_referred_handle(t, MDL_INFO, h->session.info, h->session.info_id);
	info->session_errhandler = ref(h->session.errhandler);
	return ACC_OK;
}

/* ---- public functions ------------------------------------------------------------------------------------------ */

static const struct {
	size_t bytes;
	enum acc_rc (*fill)(struct rd_track *t, const struct mdl_handle *h, void *info);
	const char *absent;
} kinds[MDL_N_HANDLE_KINDS] = {
	[MDL_ERRHANDLER] = { sizeof(struct mpidbg_errhandler_info_t), fill_errhandler,
			     "no error handler has this handle" },
	[MDL_REQUEST] = { sizeof(struct mpidbg_request_info_t), fill_request, "no request has this handle" },
	[MDL_DATATYPE] = { sizeof(struct mpidbg_datatype_info_t), fill_datatype, "no datatype has this handle" },
	[MDL_FILE] = { sizeof(struct mpidbg_file_info_t), fill_file, "no file has this handle" },
	[MDL_GROUP] = { sizeof(struct mpidbg_group_info_t), fill_group, "no group has this handle" },
	[MDL_INFO] = { sizeof(struct mpidbg_info_info_t), fill_info, "no info has this handle" },
	[MDL_OP] = { sizeof(struct mpidbg_op_info_t), fill_op, "no reduction operation has this handle" },
	[MDL_WIN] = { sizeof(struct mpidbg_win_info_t), fill_win, "no window has this handle" },
	[MDL_A_MESSAGE] = { sizeof(struct mpidbg_message_info_t), fill_message, "no message has this handle" },
	[MDL_SESSION] = { sizeof(struct mpidbg_session_info_t), fill_session, "no session has this handle" },
};

/* The library may have completed the request without the program knowing, so that it is not in the record. */
static void mark_complete(struct _mqs_process_info *p, const struct mdl_handle *h, struct mpidbg_request_info_t *info)
{
	struct mpidbg_completion c = mpidbg_completion_of(p, h);

	if (c.known && c.complete)
		info->req_bitflags = (enum mpidbg_request_info_bitmap_t)(
			((unsigned)info->req_bitflags & ~(unsigned)MPIDBG_REQUEST_INFO_ACTIVE) |
			(unsigned)MPIDBG_REQUEST_INFO_COMPLETE);
}

static enum acc_rc query(struct _mqs_process_info *p, enum mdl_handle_kind kind, mqs_taddr_t handle, void **ret)
{
	struct rd_track *t = p->track;
	struct mdl_handle h;
	enum acc_rc rc = rd_track_find(t, kind, handle, &h);

	if (rc)
		return rc;
	void *info = mpidbg_query_array(&rc, 1, kinds[kind].bytes);
	if (!info)
		return rc;
	rc = kinds[kind].fill(t, &h, info);
	if (rc) {
		mpidbg_free_info((int)kind, info);
		return rc;
	}
	if (kind == MDL_REQUEST)
		mark_complete(p, &h, info);
	*ret = info;
	return ACC_OK;
}

static int query_kind(mqs_process *process, enum mdl_handle_kind kind, mqs_taddr_t handle, void **ret)
{
	struct _mqs_process_info *p;
	int code = ret ? mpidbg_query_begin(process, true, &p) : MPIDBG_ERR_OUT_OF_RANGE;

	if (code)
		return code;
	if (!rd_track_count(p->track, kind).known) {
		mpidbg_query_end(p, ACC_NONE, "this kind is not recorded in this process");
		return MPIDBG_ERR_NOT_SUPPORTED;
	}
	return mpidbg_query_end(p, query(p, kind, handle, ret), kinds[kind].absent);
}

#define QUERY(name, kind)                                                                                              \
	int mpidbg_##name##_query(mqs_image *image, mqs_image_info *image_info, mqs_process *process,                  \
				  mqs_process_info *process_info, mqs_taddr_t handle,                                  \
				  struct mpidbg_##name##_info_t **info)                                                \
	{                                                                                                              \
		void *ret;                                                                                             \
		int code = query_kind(process, kind, handle, info ? &ret : NULL);                                      \
		(void)image, (void)image_info, (void)process_info;                                                     \
		if (!code)                                                                                             \
			*info = ret;                                                                                   \
		return code;                                                                                           \
	}

QUERY(errhandler, MDL_ERRHANDLER)
QUERY(request, MDL_REQUEST)
QUERY(datatype, MDL_DATATYPE)
QUERY(file, MDL_FILE)
QUERY(group, MDL_GROUP)
QUERY(info, MDL_INFO)
QUERY(op, MDL_OP)
QUERY(win, MDL_WIN)
QUERY(message, MDL_A_MESSAGE)
QUERY(session, MDL_SESSION)
