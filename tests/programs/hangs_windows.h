/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file hangs_windows.h
 * Cases of hangs.c with windows and files. The _AFTER cases of
 * hangs.def first reach a state of their own, then announce it.
 */
#ifndef HANGS_WINDOWS_H
#define HANGS_WINDOWS_H

#include "hangs.h"

/* ---- windows: no rank can go on ----------------------------------------------------------------------------- */

static int of_window[2];

static MPI_Win make_window(void)
{
	MPI_Win win;

	MPI_Win_create(of_window, sizeof(of_window), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	return win;
}

/* Lock, and write and flush: MPI may acquire a lock only at the first access. */
static void lock(MPI_Win win, int target)
{
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win);
	MPI_Put(&rank, 1, MPI_INT, target, 0, 1, MPI_INT, win);
	MPI_Win_flush(target, win);
}

static void win_locks(void)
{
	MPI_Win a = make_window(), b = make_window();

	lock(rank ? a : b, 0);
	MPI_Barrier(MPI_COMM_WORLD);
	announce();
	lock(rank ? b : a, 0);
}

/* One window, locked at two ranks */
static void win_targets(void)
{
	MPI_Win win = make_window();

	if (rank < 2)
		lock(win, rank);
	MPI_Barrier(MPI_COMM_WORLD);
	announce();
	if (rank < 2)
		lock(win, 1 - rank);
	else
		receive_from(0, TAG, MPI_COMM_WORLD);
}

/* The holder of the lock waits for a message from a rank that waits for the lock. */
static void win_lock_recv(void)
{
	MPI_Win win = make_window();

	if (rank == 0)
		lock(win, 0);
	MPI_Barrier(MPI_COMM_WORLD);
	announce();
	if (rank == 0)
		receive_from(1, TAG, MPI_COMM_WORLD);
	else
		lock(win, 0);
}

static void win_holder_sleeps(void)
{
	MPI_Win win = make_window();

	if (rank == 1)
		lock(win, 0);
	MPI_Barrier(MPI_COMM_WORLD);
	announce();
	if (rank == 1)
		read_block();
	if (rank == 0)
		MPI_Barrier(MPI_COMM_WORLD);
	lock(win, 0);
}

/* A shared lock excludes an exclusive one, and its holder waits for the rank that requests the exclusive lock. */
static void win_shared_excludes(void)
{
	MPI_Win win = make_window();

	if (rank == 1) {
		MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
		MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
		MPI_Win_flush(0, win);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	announce();
	if (rank == 1)
		receive_from(0, TAG, MPI_COMM_WORLD);
	lock(win, 0);
}

static MPI_Group group_of(int other)
{
	MPI_Group all, ret;

	MPI_Comm_group(MPI_COMM_WORLD, &all);
	MPI_Group_incl(all, 1, &other, &ret);
	return ret;
}

/* The origin waits for a post, the target for a message. */
static void pscw_start(void)
{
	MPI_Win win = make_window();

	MPI_Barrier(MPI_COMM_WORLD);
	announce();
	if (rank == 1)
		receive_from(0, TAG, MPI_COMM_WORLD);
	MPI_Win_start(group_of(1), 0, win);
	MPI_Put(&rank, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
	MPI_Win_complete(win);
}

/* Rank 1, which sleeps, is in the window but not in the group: rank 0 waits for rank 2 alone. */
static void pscw_start_one(void)
{
	MPI_Win win = make_window();

	MPI_Barrier(MPI_COMM_WORLD);
	announce();
	if (rank == 1)
		read_block();
	if (rank == 2)
		receive_from(0, TAG, MPI_COMM_WORLD);
	MPI_Win_start(group_of(2), 0, win);
	MPI_Put(&rank, 1, MPI_INT, 2, 0, 1, MPI_INT, win);
	MPI_Win_complete(win);
}

/* The target waits for the origin to complete, which waits for a message. */
static void pscw_wait(void)
{
	MPI_Win win = make_window();

	if (rank == 1)
		MPI_Win_post(group_of(0), 0, win);
	else
		MPI_Win_start(group_of(1), 0, win);
	MPI_Barrier(MPI_COMM_WORLD);
	announce();
	if (rank == 1)
		MPI_Win_wait(win);
	else
		receive_from(1, TAG, MPI_COMM_WORLD);
}

static void pscw_sleeps(void)
{
	MPI_Win win = make_window();

	if (rank == 1)
		MPI_Win_post(group_of(0), 0, win);
	MPI_Barrier(MPI_COMM_WORLD);
	announce();
	if (rank == 1)
		MPI_Win_wait(win);
	read_block();
}

static void fences_crossed(void)
{
	MPI_Win a = make_window(), b = make_window();

	MPI_Win_fence(rank ? MPI_MODE_NOSTORE : 0, rank ? a : b);
}

static void fence_sleeps(void)
{
	MPI_Win win = make_window();

	if (rank == size - 1)
		read_block();
	MPI_Win_fence(0, win);
}

static void fence_recv(void)
{
	MPI_Win win = make_window();

	if (rank == 1)
		receive_from(0, TAG, MPI_COMM_WORLD);
	MPI_Win_fence(0, win);
	send_to(right, TAG, MPI_COMM_WORLD);
}

static void win_free_sleeps(void)
{
	MPI_Win win = make_window();

	if (rank == size - 1)
		read_block();
	MPI_Win_free(&win);
}

/* The communicator is none of those that every program has. */
static void win_allocate_sleeps(void)
{
	MPI_Comm comm;
	MPI_Win win;
	void *base;

	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	if (rank == size - 1)
		read_block();
	MPI_Win_allocate(64, 1, MPI_INFO_NULL, comm, &base, &win);
}

static void win_create_sleeps(void)
{
	if (rank == size - 1)
		read_block();
	make_window();
}

/* ---- files -------------------------------------------------------------------------------------------------- */

static MPI_File open_file(void)
{
	const char *dir = getenv("TRUTH_DIR");
	char path[4096];
	MPI_File file;

	snprintf(path, sizeof(path), "%s/data", dir ? dir : "/tmp");
	if (MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file) != MPI_SUCCESS)
		MPI_Abort(MPI_COMM_WORLD, 3);
	return file;
}

static void file_open_sleeps(void)
{
	if (rank == size - 1)
		read_block();
	open_file();
}

static void file_write_all_sleeps(void)
{
	MPI_File file = open_file();

	if (rank == size - 1)
		read_block();
	MPI_File_write_at_all(file, rank * 64, out, 16, MPI_INT, MPI_STATUS_IGNORE);
}

static void file_set_view_sleeps(void)
{
	MPI_File file = open_file();

	if (rank == size - 1)
		read_block();
	MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
}

static void file_close_recv(void)
{
	MPI_File file = open_file();

	if (rank == 1)
		receive_from(0, TAG, MPI_COMM_WORLD);
	MPI_File_close(&file);
	send_to(right, TAG, MPI_COMM_WORLD);
}

/* One file: the ranks call MPI_File_sync and MPI_Barrier in opposite order. */
static void file_sync_barrier(void)
{
	MPI_File file = open_file();

	if (rank == 0)
		MPI_Barrier(MPI_COMM_WORLD);
	MPI_File_sync(file);
	MPI_File_set_size(file, 1024);
	MPI_Barrier(MPI_COMM_WORLD);
}

#endif /* HANGS_WINDOWS_H */
