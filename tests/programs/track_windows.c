/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows of every flavour, and every epoch as it begins and ends; on 3 ranks, of which a window has the last two. */
#include "track_object.h"

static int rank, size;
static MPI_Comm pair; /* ranks 2 and 1 of the world */

#define LAST_IS(r, name) EXPECT(strcmp(registry_call((r)->last_sync), name) == 0)

static const struct trk_win *check(MPI_Win win, const char *call, void *base, int flavor, long bytes, int unit)
{
	const struct trk_win *r = WIN(win);
	int *got, flag;

	REQUIRE(r);
	EXPECT_AT_REST(r);
	EXPECT_CALL(r, call);
	EXPECT_IS(r->comm, BITS(pair));
	EXPECT_IS(r->comm_id, COMM(pair)->id);
	EXPECT_IS(r->base, (uintptr_t)base);
	EXPECT_IS(r->size, bytes);
	EXPECT_IS(r->displacement_unit, unit);
	EXPECT_IS(r->flavor, flavor);
	MPI_Win_get_attr(win, MPI_WIN_MODEL, &got, &flag);
	EXPECT_IS(r->model, *got);
	EXPECT_IS(r->fortran, MPI_Win_c2f(win));
	EXPECT_IS(r->last_sync, TRK_NO_CALL);
	EXPECT_IS(r->errhandler, BITS(MPI_ERRORS_ARE_FATAL));
	EXPECT(!r->fence_open && !r->lock_all && !r->started && !r->posted && r->locks.total == 0);
	return r;
}

static void fences(MPI_Win win, const struct trk_win *r)
{
	MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
	LAST_IS(r, "MPI_Win_fence");
	EXPECT_IS(r->fence_open, 1);
	MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
	EXPECT_IS(r->fence_open, 0);
}

static void general(MPI_Win win, const struct trk_win *r)
{
	MPI_Group group, peer;
	int me, other, flag = 0;

	MPI_Comm_rank(pair, &me);
	other = 1 - me;
	MPI_Comm_group(pair, &group);
	MPI_Group_incl(group, 1, &other, &peer);
	if (me == 0) {
		MPI_Win_start(peer, 0, win);
		LAST_IS(r, "MPI_Win_start");
		EXPECT_IS(r->started, 1);
		EXPECT(span_is_i32(r->start_group, 1, &other));
		MPI_Win_complete(win);
		LAST_IS(r, "MPI_Win_complete");
		EXPECT_IS(r->started, 0);
		EXPECT_IS(r->start_group.total, 0);
		MPI_Win_start(peer, 0, win);
		MPI_Win_complete(win);
	} else {
		MPI_Win_post(peer, 0, win);
		LAST_IS(r, "MPI_Win_post");
		EXPECT_IS(r->posted, 1);
		EXPECT(span_is_i32(r->post_group, 1, &other));
		MPI_Win_wait(win);
		LAST_IS(r, "MPI_Win_wait");
		EXPECT_IS(r->posted, 0);
		EXPECT_IS(r->post_group.total, 0);
		MPI_Win_post(peer, 0, win);
		while (!flag) {
			EXPECT_IS(r->posted, 1);
			MPI_Win_test(win, &flag);
		}
		LAST_IS(r, "MPI_Win_test");
		EXPECT_IS(r->posted, 0);
	}
	MPI_Group_free(&peer);
	MPI_Group_free(&group);
}

static int lock_of(const struct trk_win *r, int target)
{
	const uint8_t *locks = span_at(r->locks);

	return locks && (uint32_t)target < r->locks.n ? locks[target] : -1;
}

static void locks(MPI_Win win, const struct trk_win *r)
{
	int me;

	MPI_Comm_rank(pair, &me);
	MPI_Barrier(pair);
	if (me == 0) {
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
		LAST_IS(r, "MPI_Win_lock");
		EXPECT_IS(r->locks.n, 2);
		EXPECT_IS(lock_of(r, 1), TRK_LOCK_EXCLUSIVE);
		EXPECT_IS(lock_of(r, 0), TRK_LOCK_NONE);
		MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
		EXPECT_IS(lock_of(r, 0), TRK_LOCK_SHARED);
		MPI_Win_flush(1, win);
		LAST_IS(r, "MPI_Win_flush");
		EXPECT_IS(r->lock_held, 0); /* not accessed */
		MPI_Put(&me, 0, MPI_INT, 1, 0, 0, MPI_INT, win);
		MPI_Win_flush(1, win);
		EXPECT_IS(r->lock_held, 0); /* a library may do nothing for no elements */
		MPI_Put(&me, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
		MPI_Win_flush_local(1, win);
		MPI_Win_flush(0, win);
		EXPECT_IS(r->lock_held, 0); /* not complete at the target */
		MPI_Win_flush(1, win);
		EXPECT_IS(r->lock_held, 2);
		LAST_IS(r, "MPI_Win_flush");
		MPI_Win_unlock(0, win);
		LAST_IS(r, "MPI_Win_unlock");
		EXPECT_IS(lock_of(r, 0), TRK_LOCK_NONE);
		EXPECT_IS(lock_of(r, 1), TRK_LOCK_EXCLUSIVE);
		EXPECT_IS(r->lock_held, 2);
		MPI_Win_unlock(1, win);
		EXPECT_IS(lock_of(r, 1), TRK_LOCK_NONE);
		EXPECT_IS(r->lock_held, 0);
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
		MPI_Win_flush_all(win);
		EXPECT_IS(r->lock_held, 0); /* the access was before this lock */
		MPI_Put(&me, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
		MPI_Win_flush_all(win);
		EXPECT_IS(r->lock_held, 2);
		MPI_Win_unlock(1, win);
		EXPECT_IS(r->lock_held, 0);
	}
	MPI_Barrier(pair);
	MPI_Win_lock_all(0, win);
	EXPECT_IS(r->lock_all, 1);
	EXPECT_IS(r->lock_held, 0);
	MPI_Win_flush_local_all(win);
	LAST_IS(r, "MPI_Win_flush_local_all");
	MPI_Win_sync(win);
	LAST_IS(r, "MPI_Win_sync");
	MPI_Win_unlock_all(win);
	EXPECT_IS(r->lock_all, 0);
	LAST_IS(r, "MPI_Win_unlock_all");
}

static void dynamic(void)
{
	static char a[32], b[64];
	MPI_Win win;

	MPI_Win_create_dynamic(MPI_INFO_NULL, pair, &win);
	const struct trk_win *r = check(win, "MPI_Win_create_dynamic", NULL, MPI_WIN_FLAVOR_DYNAMIC, 0, 1);
	MPI_Win_attach(win, a, sizeof a);
	MPI_Win_attach(win, b, sizeof b);
	const uint64_t(*at)[2] = span_at(r->attached);
	EXPECT_IS(r->attached.n, 2);
	REQUIRE(at);
	EXPECT_IS(at[0][0], (uintptr_t)a);
	EXPECT_IS(at[1][1], sizeof b);
	MPI_Win_detach(win, a);
	EXPECT_IS(r->attached.n, 1);
	EXPECT_IS(((const uint64_t(*)[2])span_at(r->attached))[0][0], (uintptr_t)b);
	MPI_Win_detach(win, b);
	EXPECT_IS(r->attached.n, 0);
	MPI_Win_free(&win);
}

/* Debian sid's MPICH 5.0.2 (ch4:ucx) finds no shared memory between processes of one node. */
static bool allocate_shared(void **base, MPI_Win *win)
{
	MPI_Comm_set_errhandler(pair, MPI_ERRORS_RETURN);
	int rc = MPI_Win_allocate_shared(64, 8, MPI_INFO_NULL, pair, base, win);
	MPI_Comm_set_errhandler(pair, MPI_ERRORS_ARE_FATAL);
#if !defined(MPICH_NUMVERSION) || MPICH_NUMVERSION < 50000000
	EXPECT(rc == MPI_SUCCESS);
#endif
	return rc == MPI_SUCCESS;
}

static void all(void)
{
	static char memory[256], value;
	MPI_Win win, was;
	MPI_Info info;
	void *base;
	int key;

	MPI_Info_create(&info);
	MPI_Info_set(info, "no_locks", "false");
	MPI_Win_create(memory, sizeof memory, 4, info, pair, &win);
	const struct trk_win *r = check(win, "MPI_Win_create", memory, MPI_WIN_FLAVOR_CREATE, sizeof memory, 4);
	EXPECT_IS(r->info, BITS(info));
	EXPECT(pair_value(r->hints, "no_locks") && strcmp(pair_value(r->hints, "no_locks"), "false") == 0);
	MPI_Info_free(&info);
	MPI_Win_set_name(win, "a window");
	EXPECT_NAME(r, "a window");
	MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &key, NULL);
	MPI_Win_set_attr(win, key, &value);
	REQUIRE(attribute_of(r->attributes, key));
	EXPECT_IS(attribute_of(r->attributes, key)->value, (uintptr_t)&value);
	MPI_Win_delete_attr(win, key);
	EXPECT_IS(r->attributes.n, 0);
	MPI_Win_free_keyval(&key);
	MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
	EXPECT_IS(r->errhandler, BITS(MPI_ERRORS_RETURN));
	fences(win, r);
	general(win, r);
	locks(win, r);
	was = win;
	MPI_Win_free(&win);
	EXPECT(!WIN(was) && FREED_OBJECT(TRK_WIN, was) == (const void *)r);
	MPI_Win_allocate(64, 8, MPI_INFO_NULL, pair, &base, &win);
	check(win, "MPI_Win_allocate", base, MPI_WIN_FLAVOR_ALLOCATE, 64, 8);
	MPI_Win_free(&win);
	if (allocate_shared(&base, &win)) {
		check(win, "MPI_Win_allocate_shared", base, MPI_WIN_FLAVOR_SHARED, 64, 8);
		MPI_Win_free(&win);
	}
	dynamic();
}

int main(int argc, char *argv[])
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	registry_open();
	EXPECT_NAME(WIN(MPI_WIN_NULL), "MPI_WIN_NULL");
	MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 0, -rank, &pair);
	if (pair != MPI_COMM_NULL) {
		all();
		MPI_Comm_free(&pair);
	}
	EXPECT_IS(registry_slab(TRK_WIN)->n_live, 1);
	MPI_Finalize();
	return registry_close();
}
