/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Queries of all kinds except communicators and statuses.
 */
#include "query_members.h"

#include "completion.h"
#include "referrers.h"
#include "type_class.h"

#pragma GCC poison assert abort exit printf fprintf malloc free

/* ---- error handlers ------------------------------------------------------------------------------------ */

static void fill_errhandler(struct mpidbg_fill *f, const struct mdl_handle *h, void *ret)
{
	struct mpidbg_errhandler_info_t *info = ret;
	int64_t kind = mpidbg_fill_num(f, MPIDBG_ERRHANDLER_UNKNOWN_ATTACHES_TO, h->errhandler.object_kind, -1);
	unsigned bits = 0;

	if (h->predefined)
		bits |= MPIDBG_ERRH_INFO_PREDEFINED | MPIDBG_ERRH_INFO_COMMUNICATOR | MPIDBG_ERRH_INFO_FILE |
			MPIDBG_ERRH_INFO_WINDOW;
	bits |= kind == MDL_COMM   ? MPIDBG_ERRH_INFO_COMMUNICATOR
		: kind == MDL_FILE ? MPIDBG_ERRH_INFO_FILE
		: kind == MDL_WIN  ? MPIDBG_ERRH_INFO_WINDOW
				   : 0;
	if (h->language == MDL_LANGUAGE_C || h->language == MDL_LANGUAGE_CXX || h->predefined)
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
	info->eh_callback_func = h->predefined ? 0
					       : mpidbg_fill_ref(f, MPIDBG_ERRHANDLER_UNKNOWN_FUNCTION,
								 h->errhandler.function);
	mpidbg_fill_object(f, h, &info->eh_object);
	info->eh_attaches_to = h->predefined ? -1 : (int)kind;
	info->eh_handles = mpidbg_fill_all_users(f, MPIDBG_ERRHANDLER_UNKNOWN_HANDLES, h, &info->eh_handle_kinds,
						 &info->eh_num_handles);
	info->eh_refcount = (int16_t)(info->eh_num_handles < INT16_MAX ? info->eh_num_handles : INT16_MAX);
	info->eh_unknown = f->unknown;
}

/* ---- requests ------------------------------------------------------------------------------------------ */

/* Value of req_has_peer and similar members. */
static int has(struct mdl_num n)
{
	return n.known == MDL_ANY ? 3 : n.known == MDL_KNOWN;
}

/* The library may have completed the request without the program knowing, so that it is not in the record. */
static unsigned progress(struct mpidbg_fill *f, const struct mdl_handle *h)
{
	struct mpidbg_completion c = mpidbg_completion_of(f->p, h);

	if (!c.applies)
		return 0;
	if (c.known)
		return c.complete ? MPIDBG_REQUEST_INFO_COMPLETE : MPIDBG_REQUEST_INFO_ACTIVE;
	f->unknown |= MPIDBG_REQUEST_UNKNOWN_COMPLETE;
	return h->request.active && h->life == MDL_LIVE ? MPIDBG_REQUEST_INFO_ACTIVE : 0u;
}

static void fill_request(struct mpidbg_fill *f, const struct mdl_handle *h, void *ret)
{
	struct mpidbg_request_info_t *info = ret;
	const struct mdl_handle_request *r = &h->request;

	info->req_bitflags = (enum mpidbg_request_info_bitmap_t)(
		(h->predefined ? MPIDBG_REQUEST_INFO_PREDEFINED : 0u) |
		(r->persistent ? MPIDBG_REQUEST_INFO_PERSISTENT : 0u) |
		(h->life != MDL_LIVE || r->free_called ? MPIDBG_REQUEST_INFO_FREED_HANDLE : 0u) |
		(r->cancelled ? MPIDBG_REQUEST_INFO_CANCELLED : 0u) |
		(r->free_called ? MPIDBG_REQUEST_INFO_FREE_CALLED : 0u) |
		(r->shared ? MPIDBG_REQUEST_INFO_SHARED : 0u) |
		(r->partitioned ? MPIDBG_REQUEST_INFO_PARTITIONED : 0u) | progress(f, h));
	info->req_c_handle = h->handle;
	info->req_fortran_handle = mpidbg_fortran(h);
	mpidbg_fill_object(f, h, &info->req_object);
	info->req_object_kind = mpidbg_fill_int(f, MPIDBG_REQUEST_UNKNOWN_ON, r->object_kind, -1);
	info->req_on = mpidbg_fill_ref(f, MPIDBG_REQUEST_UNKNOWN_ON, r->object);
	info->req_datatype = mpidbg_fill_ref(f, MPIDBG_REQUEST_UNKNOWN_DATATYPE, r->datatype);
	info->req_buffer = mpidbg_fill_ref(f, MPIDBG_REQUEST_UNKNOWN_BUFFER,
					   r->type == MDL_REQUEST_GENERALIZED ? r->extra_state : r->buffer);
	info->req_caller = mpidbg_fill_ref(f, MPIDBG_REQUEST_UNKNOWN_CALLER, r->caller);
	info->req_op = mpidbg_fill_ref(f, MPIDBG_REQUEST_UNKNOWN_OP, r->op);
	info->req_count = mpidbg_fill_num(f, MPIDBG_REQUEST_UNKNOWN_COUNT, r->count, -1);
	info->req_peer = mpidbg_fill_int(f, MPIDBG_REQUEST_UNKNOWN_PEER, r->peer, 0);
	info->req_has_peer = r->peer_is_root && r->peer.known == MDL_KNOWN ? 2 : has(r->peer);
	info->req_tag = mpidbg_fill_int(f, MPIDBG_REQUEST_UNKNOWN_TAG, r->tag, 0);
	info->req_has_tag = has(r->tag);
	info->req_second_side = (int)r->second.side;
	info->req_second_count = mpidbg_fill_num(f, MPIDBG_REQUEST_UNKNOWN_SECOND_SIDE, r->second.count, -1);
	info->req_second_datatype = mpidbg_fill_ref(f, MPIDBG_REQUEST_UNKNOWN_SECOND_SIDE, r->second.datatype);
	info->req_second_buffer = mpidbg_fill_ref(f, MPIDBG_REQUEST_UNKNOWN_SECOND_SIDE, r->second.buffer);
	info->req_has_source = has(r->source);
	info->req_source = mpidbg_fill_int(f, MPIDBG_REQUEST_UNKNOWN_SOURCE, r->source, 0);
	info->req_has_receive_tag = has(r->receive_tag);
	info->req_receive_tag = mpidbg_fill_int(f, MPIDBG_REQUEST_UNKNOWN_RECEIVE_TAG, r->receive_tag, 0);
	if (rd_track_has_no_registry(f->t) && !h->predefined) {
		bool read = r->count.known != MDL_UNAVAILABLE;

		f->unknown |= rd_track_mpi(f->t) == RD_TRACK_MPICH || !read ? MPIDBG_REQUEST_UNKNOWN_CANCELLED : 0;
		f->unknown |= !read ? MPIDBG_REQUEST_UNKNOWN_FREE_CALLED : 0;
		if (r->free_called)
			f->unknown &= ~(uint64_t)MPIDBG_UNKNOWN_FREED;
	}
	info->req_unknown = f->unknown;
}

/* ---- datatypes ----------------------------------------------------------------------------------------- */

static void fill_datatype(struct mpidbg_fill *f, const struct mdl_handle *h, void *ret)
{
	struct mpidbg_datatype_info_t *info = ret;
	const struct mdl_handle_datatype *d = &h->datatype;

	mpidbg_fill_object(f, h, &info->type_object);
	info->type_combiner = mpidbg_fill_int(f, MPIDBG_DATATYPE_UNKNOWN_COMBINER, d->combiner, -1);
	info->type_committed = d->committed;
	info->type_size = mpidbg_fill_num(f, MPIDBG_DATATYPE_UNKNOWN_SIZE, d->size, -1);
	info->type_lower_bound = mpidbg_fill_num(f, MPIDBG_DATATYPE_UNKNOWN_LOWER_BOUND, d->lower_bound, 0);
	info->type_extent = mpidbg_fill_num(f, MPIDBG_DATATYPE_UNKNOWN_EXTENT, d->extent, -1);
	info->type_true_lower_bound = mpidbg_fill_num(f, MPIDBG_DATATYPE_UNKNOWN_TRUE_LOWER_BOUND, d->true_lower_bound,
						      0);
	info->type_true_extent = mpidbg_fill_num(f, MPIDBG_DATATYPE_UNKNOWN_TRUE_EXTENT, d->true_extent, -1);
	info->type_integers = mpidbg_fill_numbers(f, MPIDBG_DATATYPE_UNKNOWN_INTEGERS, &d->integers,
						  &info->type_num_integers);
	info->type_addresses = mpidbg_fill_numbers(f, MPIDBG_DATATYPE_UNKNOWN_ADDRESSES, &d->addresses,
						   &info->type_num_addresses);
	info->type_datatypes = mpidbg_fill_numbers(f, MPIDBG_DATATYPE_UNKNOWN_DATATYPES, &d->datatypes,
						   &info->type_num_datatypes);
	info->type_attrs = mpidbg_fill_attributes(f, MPIDBG_DATATYPE_UNKNOWN_ATTRS, &d->attributes,
						  &info->type_num_attrs);
	info->type_requests = mpidbg_fill_users(f, MPIDBG_DATATYPE_UNKNOWN_REQUESTS, h, MDL_REQUEST,
						&info->type_num_requests);
	info->type_files = mpidbg_fill_users(f, MPIDBG_DATATYPE_UNKNOWN_FILES, h, MDL_FILE, &info->type_num_files);
	info->type_calls = mpidbg_fill_calls(f, MPIDBG_DATATYPE_UNKNOWN_CALLS, h, &info->type_num_calls);
	info->type_unknown = f->unknown;
	if (h->predefined && !h->null) {
		const char *standard = rd_track_standard_name(f->t, h);

		info->type_class = mpidbg_type_class(standard ? standard : h->name);
	}
}

/* ---- files and windows --------------------------------------------------------------------------------- */

static void fill_file(struct mpidbg_fill *f, const struct mdl_handle *h, void *ret)
{
	struct mpidbg_file_info_t *info = ret;
	const struct mdl_handle_file *v = &h->file;
	enum acc_rc rc = h->null ? ACC_OK : rd_track_text(f->t, &v->path, info->file_name, sizeof(info->file_name));

	if (rc == ACC_NONE || v->path.total >= sizeof(info->file_name))
		f->unknown |= MPIDBG_FILE_UNKNOWN_NAME;
	f->rc = rc == ACC_NONE ? ACC_OK : rc;
	mpidbg_fill_object(f, h, &info->file_object);
	info->file_mode = mpidbg_fill_int(f, MPIDBG_FILE_UNKNOWN_MODE, v->mode, -1);
	info->file_atomic = mpidbg_fill_int(f, MPIDBG_FILE_UNKNOWN_ATOMIC, v->atomic, -1);
	info->file_comm = mpidbg_fill_referred(f, MPIDBG_FILE_UNKNOWN_COMM, MDL_COMM, v->comm, v->comm_id);
	info->file_info = mpidbg_fill_referred(f, MPIDBG_FILE_UNKNOWN_INFO, MDL_INFO, v->info, v->info_id);
	info->file_errhandler = mpidbg_fill_ref(f, MPIDBG_FILE_UNKNOWN_ERRHANDLER, v->errhandler);
	info->file_displacement = mpidbg_fill_num(f, MPIDBG_FILE_UNKNOWN_DISPLACEMENT, v->displacement, 0);
	info->file_etype = mpidbg_fill_ref(f, MPIDBG_FILE_UNKNOWN_ETYPE, v->etype);
	info->file_filetype = mpidbg_fill_ref(f, MPIDBG_FILE_UNKNOWN_FILETYPE, v->filetype);
	mpidbg_copy_name(info->file_representation, v->representation);
	mpidbg_copy_name(info->file_split_call, v->split_call);
	info->file_hints = mpidbg_fill_pairs(f, MPIDBG_FILE_UNKNOWN_HINTS, &v->hints, &info->file_num_hints);
	info->file_pending_requests = mpidbg_fill_users(f, MPIDBG_FILE_UNKNOWN_REQUESTS, h, MDL_REQUEST,
							&info->file_num_pending_requests);
	info->file_calls = mpidbg_fill_calls(f, MPIDBG_FILE_UNKNOWN_CALLS, h, &info->file_num_calls);
	if (rd_track_has_no_registry(f->t))
		f->unknown |= MPIDBG_FILE_UNKNOWN_SPLIT_CALL;
	if (!v->representation[0])
		f->unknown |= MPIDBG_FILE_UNKNOWN_REPRESENTATION;
	info->file_unknown = f->unknown;
}

/* Lists whose elements are two numbers. */
static struct mpidbg_attached_t *fill_attached(struct mpidbg_fill *f, const struct mdl_list *list, int *n)
{
	struct mdl_list words = *list;
	int n_words;

	words.n *= 2;
	words.total *= 2;
	int64_t *v = mpidbg_fill_numbers(f, MPIDBG_WIN_UNKNOWN_ATTACHED, &words, &n_words);
	struct mpidbg_attached_t *ret = mpidbg_query_array(&f->rc, (uint64_t)n_words / 2, sizeof(*ret));
	*n = ret ? n_words / 2 : 0;
	for (int i = 0; i < *n; i++)
		ret[i] = (struct mpidbg_attached_t){ (mqs_taddr_t)v[2 * i], v[2 * i + 1] };
	mpidbg_free(v);
	return ret;
}

static void fill_win(struct mpidbg_fill *f, const struct mdl_handle *h, void *ret)
{
	struct mpidbg_win_info_t *info = ret;
	const struct mdl_handle_win *w = &h->win;
	/* locks that were not found are none, except where epochs are not read */
	const uint64_t locks = w->epochs_why ? MPIDBG_WIN_UNKNOWN_LOCKS : 0;

	mpidbg_fill_object(f, h, &info->win_object);
	info->win_comm = mpidbg_fill_referred(f, MPIDBG_WIN_UNKNOWN_COMM, MDL_COMM, w->comm, w->comm_id);
	info->win_info = mpidbg_fill_referred(f, MPIDBG_WIN_UNKNOWN_INFO, MDL_INFO, w->info, w->info_id);
	info->win_errhandler = mpidbg_fill_ref(f, MPIDBG_WIN_UNKNOWN_ERRHANDLER, w->errhandler);
	info->win_base = mpidbg_fill_ref(f, MPIDBG_WIN_UNKNOWN_BASE, w->base);
	info->win_size = mpidbg_fill_num(f, MPIDBG_WIN_UNKNOWN_SIZE, w->size, -1);
	info->win_displacement_unit = mpidbg_fill_int(f, MPIDBG_WIN_UNKNOWN_DISPLACEMENT_UNIT, w->displacement_unit,
						      -1);
	info->win_flavor = mpidbg_fill_int(f, MPIDBG_WIN_UNKNOWN_FLAVOR, w->flavor, -1);
	info->win_model = mpidbg_fill_int(f, MPIDBG_WIN_UNKNOWN_MODEL, w->model, -1);
	mpidbg_copy_name(info->win_last_sync, w->last_sync);
	info->win_locks = mpidbg_fill_bytes(f, locks, &w->locks, 1, &info->win_num_locks);
	info->win_start_group = mpidbg_fill_ints(f, w->started ? MPIDBG_WIN_UNKNOWN_STARTED : 0, &w->start_group,
						 &info->win_num_started);
	info->win_post_group = mpidbg_fill_ints(f, w->posted ? MPIDBG_WIN_UNKNOWN_POSTED : 0, &w->post_group,
						&info->win_num_posted);
	info->win_attrs = mpidbg_fill_attributes(f, MPIDBG_WIN_UNKNOWN_ATTRS, &w->attributes, &info->win_num_attrs);
	info->win_hints = mpidbg_fill_pairs(f, MPIDBG_WIN_UNKNOWN_HINTS, &w->hints, &info->win_num_hints);
	info->win_attached = fill_attached(f, &w->attached, &info->win_num_attached);
	info->win_requests = mpidbg_fill_users(f, MPIDBG_WIN_UNKNOWN_REQUESTS, h, MDL_REQUEST, &info->win_num_requests);
	info->win_calls = mpidbg_fill_calls(f, MPIDBG_WIN_UNKNOWN_CALLS, h, &info->win_num_calls);
	info->win_bitflags = (w->fence_open ? MPIDBG_WIN_INFO_FENCE : 0u) |
			     (w->started ? MPIDBG_WIN_INFO_STARTED : 0u) | (w->posted ? MPIDBG_WIN_INFO_POSTED : 0u) |
			     (w->lock_all ? MPIDBG_WIN_INFO_LOCK_ALL : 0u);
	for (int i = 0; i < info->win_num_locks; i++)
		if (info->win_locks[i])
			info->win_bitflags |= MPIDBG_WIN_INFO_LOCKED;
	if (rd_track_has_no_registry(f->t))
		f->unknown |= MPIDBG_WIN_UNKNOWN_LAST_SYNC;
	f->unknown |= (w->epochs_why || w->fence_why ? MPIDBG_WIN_UNKNOWN_FENCE : 0) |
		      (w->epochs_why || w->lock_all_why ? MPIDBG_WIN_UNKNOWN_LOCK_ALL : 0) |
		      (w->epochs_why ? MPIDBG_WIN_UNKNOWN_STARTED | MPIDBG_WIN_UNKNOWN_POSTED : 0);
	info->win_unknown = f->unknown;
}

/* ---- small ones ---------------------------------------------------------------------------------------- */

static void fill_group(struct mpidbg_fill *f, const struct mdl_handle *h, void *ret)
{
	struct mpidbg_group_info_t *info = ret;
	struct mpidbg_member_list list;

	mpidbg_fill_object(f, h, &info->group_object);
	info->group_rank = mpidbg_fill_int(f, MPIDBG_GROUP_UNKNOWN_RANK, h->group.rank, -1);
	info->group_second_parent = mpidbg_fill_num(f, MPIDBG_GROUP_UNKNOWN_SECOND_PARENT, h->group.second_parent, 0);
	mpidbg_members_of(f->p, h, false, &list);
	f->unknown |= !list.known && mpidbg_known(h->group.size, 1) ? MPIDBG_GROUP_UNKNOWN_PROCS : 0;
	mpidbg_fill_members(f, MPIDBG_GROUP_UNKNOWN_PROCS, &list, &info->group_num_procs, &info->group_procs,
			    &info->group_members);
	info->group_comms = mpidbg_fill_users(f, MPIDBG_GROUP_UNKNOWN_COMMS, h, MDL_COMM, &info->group_num_comms);
	info->group_unknown = f->unknown;
}

static void fill_info(struct mpidbg_fill *f, const struct mdl_handle *h, void *ret)
{
	struct mpidbg_info_info_t *info = ret;

	mpidbg_fill_object(f, h, &info->info_object);
	info->info_pairs = mpidbg_fill_pairs(f, MPIDBG_INFO_UNKNOWN_PAIRS, &h->info.pairs, &info->info_num_pairs);
	info->info_users = mpidbg_fill_all_users(f, MPIDBG_INFO_UNKNOWN_USERS, h, &info->info_user_kinds,
						 &info->info_num_users);
	info->info_unknown = f->unknown;
}

static void fill_op(struct mpidbg_fill *f, const struct mdl_handle *h, void *ret)
{
	struct mpidbg_op_info_t *info = ret;

	mpidbg_fill_object(f, h, &info->op_object);
	info->op_commutative = mpidbg_fill_int(f, MPIDBG_OP_UNKNOWN_COMMUTATIVE, h->op.commutative, -1);
	info->op_function = mpidbg_fill_ref(f, MPIDBG_OP_UNKNOWN_FUNCTION, h->op.function);
	info->op_requests = mpidbg_fill_users(f, MPIDBG_OP_UNKNOWN_REQUESTS, h, MDL_REQUEST, &info->op_num_requests);
	info->op_calls = mpidbg_fill_calls(f, MPIDBG_OP_UNKNOWN_CALLS, h, &info->op_num_calls);
	info->op_unknown = f->unknown;
}

static void fill_message(struct mpidbg_fill *f, const struct mdl_handle *h, void *ret)
{
	struct mpidbg_message_info_t *info = ret;

	mpidbg_fill_object(f, h, &info->message_object);
	info->message_comm = mpidbg_fill_ref(f, MPIDBG_MESSAGE_UNKNOWN_COMM, h->message.comm);
	info->message_source = mpidbg_fill_int(f, MPIDBG_MESSAGE_UNKNOWN_SOURCE, h->message.source, -1);
	info->message_tag = mpidbg_fill_int(f, MPIDBG_MESSAGE_UNKNOWN_TAG, h->message.tag, -1);
	info->message_bytes = mpidbg_fill_num(f, MPIDBG_MESSAGE_UNKNOWN_BYTES, h->message.bytes, -1);
	info->message_unknown = f->unknown;
}

static void fill_session(struct mpidbg_fill *f, const struct mdl_handle *h, void *ret)
{
	struct mpidbg_session_info_t *info = ret;

	mpidbg_fill_object(f, h, &info->session_object);
	info->session_info = mpidbg_fill_referred(f, MPIDBG_SESSION_UNKNOWN_INFO, MDL_INFO, h->session.info,
						  h->session.info_id);
	info->session_errhandler = mpidbg_fill_ref(f, MPIDBG_SESSION_UNKNOWN_ERRHANDLER, h->session.errhandler);
	info->session_unknown = f->unknown;
}

/* ---- keyvals ---------------------------------------------------------------------------------------------- */

static void fill_keyval(struct mpidbg_fill *f, const struct mdl_handle *h, void *ret)
{
	struct mpidbg_keyval_info_t *info = ret;
	const struct mdl_handle_keyval *k = &h->keyval;

	mpidbg_fill_object(f, h, &info->keyval_object);
	info->keyval_value = mpidbg_fill_int(f, MPIDBG_KEYVAL_UNKNOWN_VALUE, k->key, -1);
	info->keyval_attaches_to = mpidbg_fill_int(f, MPIDBG_KEYVAL_UNKNOWN_ATTACHES_TO, k->object_kind, -1);
	info->keyval_copy_function = mpidbg_fill_ref(f, MPIDBG_KEYVAL_UNKNOWN_COPY_FUNCTION, k->copy_function);
	info->keyval_delete_function = mpidbg_fill_ref(f, MPIDBG_KEYVAL_UNKNOWN_DELETE_FUNCTION, k->delete_function);
	info->keyval_extra_state = mpidbg_fill_ref(f, MPIDBG_KEYVAL_UNKNOWN_EXTRA_STATE, k->extra_state);
	info->keyval_unknown = f->unknown;
}

/* ---- one object ------------------------------------------------------------------------------------------------ */

#define INFO(kind) struct mpidbg_##kind##_info_t
static const struct {
	size_t bytes, unknown_at;
	void (*fill)(struct mpidbg_fill *f, const struct mdl_handle *h, void *info);
	const char *absent;
} kinds[MDL_N_HANDLE_KINDS] = {
	[MDL_COMM] = { sizeof(INFO(comm)), offsetof(INFO(comm), comm_unknown), mpidbg_fill_comm,
		       "no communicator has this handle" },
	[MDL_ERRHANDLER] = { sizeof(INFO(errhandler)), offsetof(INFO(errhandler), eh_unknown), fill_errhandler,
			     "no error handler has this handle" },
	[MDL_REQUEST] = { sizeof(INFO(request)), offsetof(INFO(request), req_unknown), fill_request,
			  "no request has this handle" },
	[MDL_DATATYPE] = { sizeof(INFO(datatype)), offsetof(INFO(datatype), type_unknown), fill_datatype,
			   "no datatype has this handle" },
	[MDL_FILE] = { sizeof(INFO(file)), offsetof(INFO(file), file_unknown), fill_file, "no file has this handle" },
	[MDL_GROUP] = { sizeof(INFO(group)), offsetof(INFO(group), group_unknown), fill_group,
			"no group has this handle" },
	[MDL_INFO] = { sizeof(INFO(info)), offsetof(INFO(info), info_unknown), fill_info, "no info has this handle" },
	[MDL_OP] = { sizeof(INFO(op)), offsetof(INFO(op), op_unknown), fill_op,
		     "no reduction operation has this handle" },
	[MDL_WIN] = { sizeof(INFO(win)), offsetof(INFO(win), win_unknown), fill_win, "no window has this handle" },
	[MDL_A_MESSAGE] = { sizeof(INFO(message)), offsetof(INFO(message), message_unknown), fill_message,
			    "no message has this handle" },
	[MDL_SESSION] = { sizeof(INFO(session)), offsetof(INFO(session), session_unknown), fill_session,
			  "no session has this handle" },
	[MDL_KEYVAL] = { sizeof(INFO(keyval)), offsetof(INFO(keyval), keyval_unknown), fill_keyval,
			 "no keyval has this value" },
};

enum acc_rc mpidbg_query_object(struct _mqs_process_info *p, const struct mdl_handle *h, void **ret)
{
	struct mpidbg_fill f = { .p = p, .t = p->track };
	void *info = mpidbg_query_array(&f.rc, 1, kinds[h->kind].bytes);

	if (!info)
		return f.rc;
	kinds[h->kind].fill(&f, h, info);
	if (f.rc) {
		mpidbg_free_info((int)h->kind, info);
		return f.rc;
	}
	/* facts of a kind do not apply to its null handle */
	if (h->null)
		*(uint64_t *)((char *)info + kinds[h->kind].unknown_at) = 0;
	*ret = info;
	return ACC_OK;
}

int mpidbg_info_bytes(int kind)
{
	switch (kind) {
	case MPIDBG_STATUS:
		return sizeof(struct mpidbg_status_info_t);
	case MPIDBG_AINT:
	case MPIDBG_OFFSET:
		return sizeof(struct mpidbg_integer_info_t);
	default:
		return kind >= 0 && kind < MPIDBG_STATUS ? (int)kinds[kind].bytes : 0;
	}
}

int mpidbg_query_known(mqs_process *process, int kind, struct _mqs_process_info **ret)
{
	struct _mqs_process_info *p;
	int code = kind >= 0 && kind < MPIDBG_STATUS ? mpidbg_query_begin(process, true, &p) : MPIDBG_ERR_OUT_OF_RANGE;

	if (code)
		return code;
	if (rd_track_count(p->track, (enum mdl_handle_kind)kind).known) {
		*ret = p;
		return MPIDBG_SUCCESS;
	}
	const char *lacks = rd_track_lacks(p->track, (enum mdl_handle_kind)kind);
	mpidbg_query_end(p, ACC_NONE, lacks ? lacks : "objects of this kind are not recorded in this process");
	return MPIDBG_ERR_NOT_SUPPORTED;
}

/* ---- public functions ------------------------------------------------------------------------------------------ */

static int query_kind(mqs_process *process, enum mdl_handle_kind kind, mqs_taddr_t handle, void **ret)
{
	struct _mqs_process_info *p;
	struct mdl_handle h;
	int code = ret ? mpidbg_query_known(process, (int)kind, &p) : MPIDBG_ERR_OUT_OF_RANGE;

	if (code)
		return code;
	enum acc_rc rc = rd_track_find(p->track, kind, handle, &h);
	const char *why = rc == ACC_NONE ? rd_track_absent(p->track, kind, handle) : NULL;
	if (!rc)
		rc = mpidbg_query_object(p, &h, ret);
	return mpidbg_query_end(p, rc, why ? why : kinds[kind].absent);
}

int mpidbg_comm_query(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
		      mqs_process_info *process_info, mqs_taddr_t c_comm, struct mpidbg_comm_info_t **info)
{
	struct _mqs_process_info *p;
	struct mdl_handle h;
	void *ret = NULL;
	enum acc_rc rc;

	(void)image, (void)image_info, (void)process_info;
	int code = info ? mpidbg_query_begin(process, false, &p) : MPIDBG_ERR_OUT_OF_RANGE;
	if (code)
		return code;
	if (p->track && rd_track_count(p->track, MDL_COMM).known) {
		rc = rd_track_find(p->track, MDL_COMM, c_comm, &h);
		if (!rc)
			rc = mpidbg_query_object(p, &h, &ret);
		if (!rc)
			*info = ret;
	} else {
		rc = mpidbg_query_native_comm(p, c_comm, info);
	}
	return mpidbg_query_end(p, rc, kinds[MDL_COMM].absent);
}

int mpidbg_comm_brief(mqs_process *process, mqs_taddr_t c_comm, struct mpidbg_comm_brief_t *ret)
{
	struct _mqs_process_info *p;
	struct mpidbg_comm_brief_t brief = { .comm_rank = -1 };
	struct mdl_handle h;
	enum acc_rc rc;

	int code = ret ? mpidbg_query_begin(process, false, &p) : MPIDBG_ERR_OUT_OF_RANGE;
	if (code)
		return code;
	if (p->track && rd_track_count(p->track, MDL_COMM).known) {
		rc = rd_track_find(p->track, MDL_COMM, c_comm, &h);
		if (!rc)
			mpidbg_brief_comm(p, &h, &brief);
	} else {
		rc = mpidbg_brief_native_comm(p, c_comm, &brief);
	}
	if (!rc)
		*ret = brief;
	return mpidbg_query_end(p, rc, kinds[MDL_COMM].absent);
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
QUERY(keyval, MDL_KEYVAL)
