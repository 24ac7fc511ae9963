/* SPDX-License-Identifier: BSD-3-Clause */
/* A window pins the communicator that it was created with: its group is the window's group. */
#include "win.h"

#include "arena.h"
#include "info.h"
#include "members.h"

static void forget_window(void *record)
{
	const struct trk_win *r = record;

	trk_unpin(TRK_COMM, r->comm_pin);
}

static const struct trk_hooks hooks = { .kind = TRK_WIN, .forget = forget_window };
TRK_HOOKS(hooks);

/* ---- creation ----------------------------------------------------------------------------------------- */

struct facts {
	int flavor, model;
	uint64_t errhandler;
	struct trk_info_facts hints;
	char name[MPI_MAX_OBJECT_NAME + 1]; /* Open MPI sets names such as "rdma window 5" */
};

static int attribute(MPI_Win win, int key)
{
	int *value = NULL, flag = 0;

	if (m2d_pmpi.Win_get_attr(win, key, (void *)&value, &flag) != MPI_SUCCESS || !flag || !value)
		return -1;
	return *value;
}

static void query(MPI_Win win, MPI_Info info, struct facts *f)
{
	MPI_Errhandler e;

	*f = (struct facts){ .flavor = -1, .model = -1 };
	f->flavor = attribute(win, MPI_WIN_CREATE_FLAVOR);
	f->model = attribute(win, MPI_WIN_MODEL);
	if (m2d_pmpi.Win_get_errhandler && m2d_pmpi.Win_get_errhandler(win, &e) == MPI_SUCCESS) {
		f->errhandler = TRK_BITS(e);
		m2d_pmpi.Errhandler_free(&e);
	}
	int length;
	if (!m2d_pmpi.Win_get_name || m2d_pmpi.Win_get_name(win, f->name, &length) != MPI_SUCCESS)
		f->name[0] = '\0';
	trk_info_query(info, &f->hints);
}

void trk_win_made(const void *base, int64_t size, int64_t unit, MPI_Info info, MPI_Comm comm, MPI_Win win)
{
	struct facts f;

	query(win, info, &f);
	if (trk_lock()) {
		struct trk_comm *c = trk_find(TRK_COMM, TRK_BITS(comm));
		struct trk_win *r = trk_create(TRK_WIN, TRK_BITS(win), c ? c->id : 0);
		if (r) {
			r->comm = TRK_BITS(comm);
			r->comm_id = c ? c->id : 0;
			r->comm_pin = trk_pin(TRK_COMM, c);
			r->info = info == m2d_constants.info_null ? 0 : TRK_BITS(info);
			r->info_id = trk_id_of(TRK_INFO, r->info);
			r->errhandler = f.errhandler;
			r->base = (uintptr_t)base;
			r->size = size;
			r->displacement_unit = (int32_t)unit;
			r->flavor = f.flavor;
			r->model = f.model;
			r->last_sync = TRK_NO_CALL;
			r->hints = trk_info_pairs(&f.hints);
			trk_set_name(r, f.name);
			TRK_SET_FORTRAN(r, Win, win);
			trk_publish(TRK_WIN, r);
		}
		trk_unlock();
	}
	trk_info_release(&f.hints);
}

/* Lock, and begin to change the record. NULL: not recorded, and not locked. */
static struct trk_win *begin_change(MPI_Win win)
{
	if (!trk_lock())
		return NULL;
	struct trk_win *r = trk_find(TRK_WIN, TRK_BITS(win));
	if (!r) {
		trk_unlock();
		return NULL;
	}
	trk_change(r);
	return r;
}

static void end_change(struct trk_win *r)
{
	trk_changed(r);
	trk_unlock();
}

void trk_win_info(MPI_Win win, MPI_Info info)
{
	struct trk_info_facts hints;

	trk_info_query(info, &hints);
	struct trk_win *r = begin_change(win);
	if (r) {
		r->info = info == m2d_constants.info_null ? 0 : TRK_BITS(info);
		r->info_id = trk_id_of(TRK_INFO, r->info);
		trk_info_add_hints(&r->hints, &hints);
		end_change(r);
	}
	trk_info_release(&hints);
}

/* ---- synchronization ---------------------------------------------------------------------------------- */

void trk_win_synchronised(MPI_Win win)
{
	struct trk_win *r = begin_change(win);

	if (r) {
		r->last_sync = trk_current_call();
		end_change(r);
	}
}

uint32_t trk_n_locks;

void trk_win_flushed(MPI_Win win, int target)
{
	const struct m2d_thread *t = &m2d_thread;
	struct trk_win *r = begin_change(win);

	if (!r)
		return;
	r->last_sync = trk_current_call();
	if (t->access.win == TRK_BITS(win) && t->access.target >= 0 &&
	    t->access.n_locks == __atomic_load_n(&trk_n_locks, __ATOMIC_RELAXED) &&
	    (target < 0 || target == t->access.target))
		r->lock_held = (uint32_t)t->access.target + 1;
	end_change(r);
}

void trk_win_fenced(MPI_Win win, int assertion)
{
	struct trk_win *r = begin_change(win);

	if (r) {
		r->last_sync = trk_current_call();
		r->fence_open = !(assertion & MPI_MODE_NOSUCCEED);
		end_change(r);
	}
}

/* The ranks of a group in the window's group. If they are not known, the list has only a length. */
static struct trk_span ranks_of(const struct trk_win *r, MPI_Group group, int n)
{
	struct trk_group *g = trk_find(TRK_GROUP, TRK_BITS(group));
	struct trk_span ret;

	if (!g || g->size != n)
		return trk_span_unknown(n > 0 ? (size_t)n : 0);
	int32_t *ranks = trk_span_new(&ret, n > 0 ? (size_t)n : 0, sizeof(*ranks), 0);
	if (ranks && !trk_members_find(trk_side_group(g), trk_side_local(trk_pinned(TRK_COMM, r->comm_pin)), ranks)) {
		trk_span_drop(ret);
		return trk_span_unknown((size_t)n);
	}
	return ret;
}

static int size_of(MPI_Group group)
{
	int n = 0;

	return m2d_pmpi.Group_size(group, &n) == MPI_SUCCESS ? n : 0;
}

void trk_win_started(MPI_Win win, MPI_Group group)
{
	int n = size_of(group);
	struct trk_win *r = begin_change(win);

	if (r) {
		r->last_sync = trk_current_call();
		r->started = 1;
		/* an epoch that a fence makes possible does not begin if an epoch of another kind follows */
		r->fence_open = 0;
		trk_span_drop(r->start_group);
		r->start_group = ranks_of(r, group, n);
		end_change(r);
	}
}

void trk_win_completed(MPI_Win win)
{
	struct trk_win *r = begin_change(win);

	if (r) {
		r->last_sync = trk_current_call();
		r->started = 0;
		trk_span_drop(r->start_group);
		r->start_group = (struct trk_span){ 0 };
		end_change(r);
	}
}

void trk_win_posted(MPI_Win win, MPI_Group group)
{
	int n = size_of(group);
	struct trk_win *r = begin_change(win);

	if (r) {
		r->last_sync = trk_current_call();
		r->posted = 1;
		r->fence_open = 0;
		trk_span_drop(r->post_group);
		r->post_group = ranks_of(r, group, n);
		end_change(r);
	}
}

void trk_win_waited(MPI_Win win)
{
	struct trk_win *r = begin_change(win);

	if (r) {
		r->last_sync = trk_current_call();
		r->posted = 0;
		trk_span_drop(r->post_group);
		r->post_group = (struct trk_span){ 0 };
		end_change(r);
	}
}

void trk_win_locked(MPI_Win win, int rank, int type)
{
	struct trk_win *r = begin_change(win);

	if (!r)
		return;
	r->last_sync = trk_current_call();
	r->fence_open = 0;
	__atomic_fetch_add(&trk_n_locks, 1, __ATOMIC_RELAXED);
	if (r->lock_held == (uint32_t)rank + 1)
		r->lock_held = 0;
	if (r->locks.total == 0) {
		const struct trk_comm *c = trk_pinned(TRK_COMM, r->comm_pin);
		int n = c ? c->size : rank + 1;
		trk_span_new(&r->locks, n > 0 ? (size_t)n : 0, 1, 0);
	}
	uint8_t *locks = trk_span_at(r->locks);
	if (locks && rank >= 0 && (uint32_t)rank < r->locks.n)
		locks[rank] = type == 0                 ? TRK_LOCK_NONE
			      : type == MPI_LOCK_SHARED ? TRK_LOCK_SHARED
							: TRK_LOCK_EXCLUSIVE;
	end_change(r);
}

void trk_win_locked_all(MPI_Win win, bool locked)
{
	struct trk_win *r = begin_change(win);

	if (r) {
		r->last_sync = trk_current_call();
		r->fence_open = 0;
		r->lock_all = locked;
		r->lock_held = 0;
		__atomic_fetch_add(&trk_n_locks, 1, __ATOMIC_RELAXED);
		end_change(r);
	}
}

/* ---- attached memory ---------------------------------------------------------------------------------- */

void trk_win_attached(MPI_Win win, const void *base, int64_t size)
{
	struct trk_win *r = begin_change(win);

	if (!r)
		return;
	struct trk_span old = r->attached;
	const uint64_t(*from)[2] = trk_span_at(old);
	uint64_t(*to)[2] = trk_span_new(&r->attached, (size_t)old.n + 1, sizeof(*to), 0);
	for (uint32_t i = 0; to && i < old.n; i++) {
		to[i][0] = from[i][0];
		to[i][1] = from[i][1];
	}
	if (to) {
		to[old.n][0] = (uintptr_t)base;
		to[old.n][1] = (uint64_t)size;
	}
	trk_span_drop(old);
	end_change(r);
}

void trk_win_detached(MPI_Win win, const void *base)
{
	struct trk_win *r = begin_change(win);
	uint64_t(*list)[2] = r ? trk_span_at(r->attached) : NULL;

	/* the last element replaces the removed one */
	for (uint32_t i = 0; list && i < r->attached.n; i++) {
		if (list[i][0] != (uintptr_t)base)
			continue;
		uint32_t last = r->attached.n - 1;
		list[i][0] = list[last][0];
		list[i][1] = list[last][1];
		r->attached.n--;
		r->attached.total--;
		break;
	}
	if (r && r->attached.n == 0) {
		trk_span_drop(r->attached);
		r->attached = (struct trk_span){ 0 };
	}
	if (r)
		end_change(r);
}
