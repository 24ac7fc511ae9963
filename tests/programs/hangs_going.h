/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file hangs_going.h
 * Cases of hangs.c in which no rank is stuck.
 */
#ifndef HANGS_GOING_H
#define HANGS_GOING_H

#include "hangs_windows.h"

#include <pthread.h>

static void test_loop(void)
{
	MPI_Request request;
	int flag = 0;

	/* the message never arrives, but a rank that polls could do something else at any time */
	MPI_Irecv(in, 1, MPI_INT, left, TAG, MPI_COMM_WORLD, &request);
	while (!flag)
		MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
}

static void exchange(void)
{
	for (;;)
		MPI_Sendrecv(out, 1, MPI_INT, right, TAG, in, 1, MPI_INT, left, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void exchange_long(void)
{
	for (;;)
		MPI_Sendrecv(out, LONG, MPI_INT, right, TAG, in, LONG, MPI_INT, left, TAG, MPI_COMM_WORLD,
			     MPI_STATUS_IGNORE);
}

static void allreduces(void)
{
	for (;;)
		MPI_Allreduce(out, in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void bcast_barrier(void)
{
	for (;;) {
		MPI_Bcast(in, LONG, MPI_INT, 0, MPI_COMM_WORLD);
		MPI_Reduce(out, in, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
		MPI_Barrier(MPI_COMM_WORLD);
	}
}

static void token(void)
{
	/* one message travels round the ring: at any time all ranks but one wait */
	if (rank == 0)
		send_to(right, TAG, MPI_COMM_WORLD);
	for (;;) {
		receive_from(left, TAG, MPI_COMM_WORLD);
		send_to(right, TAG, MPI_COMM_WORLD);
	}
}

static void any_source_saves(void)
{
	/* rank 0 receives from any rank and replies */
	for (;;) {
		if (rank == 0) {
			MPI_Status status;
			MPI_Recv(in, 1, MPI_INT, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &status);
			send_to(status.MPI_SOURCE, TAG, MPI_COMM_WORLD);
		} else {
			send_to(0, TAG, MPI_COMM_WORLD);
			receive_from(0, TAG, MPI_COMM_WORLD);
		}
	}
}

static void waitany_goes_on(void)
{
	MPI_Request requests[2];
	int index;

	/* nothing arrives from the left neighbour; a message from itself is always available */
	MPI_Irecv(in, 1, MPI_INT, left, TAG + 1, MPI_COMM_WORLD, &requests[0]);
	for (;;) {
		MPI_Irecv(in + 1, 1, MPI_INT, rank, TAG, MPI_COMM_WORLD, &requests[1]);
		send_to(rank, TAG, MPI_COMM_WORLD);
		MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
	}
}

static void all_compute(void)
{
	compute();
}

static void all_sleep(void)
{
	read_block();
}

static void ibcasts(void)
{
	for (;;) {
		MPI_Request requests[2];
		MPI_Ibcast(in, 16, MPI_INT, 0, MPI_COMM_WORLD, &requests[0]);
		MPI_Iallreduce(out, in + 64, 16, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[1]);
		MPI_Waitall(2, requests, statuses);
	}
}

static void eager_crossing(void)
{
	/* both ranks of a pair send first; the messages are short enough for MPI to buffer them */
	for (;;) {
		send_to(rank ^ 1, TAG, MPI_COMM_WORLD);
		receive_from(rank ^ 1, TAG, MPI_COMM_WORLD);
	}
}

static void waitsome_goes_on(void)
{
	MPI_Request requests[2];
	int n, indexes[2];

	MPI_Irecv(in, 1, MPI_INT, left, TAG + 1, MPI_COMM_WORLD, &requests[0]);
	for (;;) {
		MPI_Irecv(in + 1, 1, MPI_INT, rank, TAG, MPI_COMM_WORLD, &requests[1]);
		send_to(rank, TAG, MPI_COMM_WORLD);
		MPI_Waitsome(2, requests, &n, indexes, statuses);
	}
}

static void testany_loop(void)
{
	MPI_Request requests[2];
	int index, flag = 0;

	MPI_Irecv(in, 1, MPI_INT, left, TAG, MPI_COMM_WORLD, &requests[0]);
	MPI_Irecv(in + 1, 1, MPI_INT, right, TAG, MPI_COMM_WORLD, &requests[1]);
	while (!flag)
		MPI_Testany(2, requests, &index, &flag, MPI_STATUS_IGNORE);
}

static void iprobe_loop(void)
{
	int flag = 0;

	while (!flag) { /* at many moments it is between two calls */
		MPI_Iprobe(left, TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
		for (volatile int i = 0; i < 25; i++)
			;
	}
}

/* A message goes round. With MPICH it is seen nowhere between a rank that has sent it and the next one. */
static void iprobe_ring(void)
{
	int flag = 0;

	if (rank == 0)
		send_to(right, TAG, MPI_COMM_WORLD);
	for (;;) {
		MPI_Iprobe(left, TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
		if (!flag)
			continue;
		receive_from(left, TAG, MPI_COMM_WORLD);
		send_to(right, TAG, MPI_COMM_WORLD);
	}
}

/* All ranks but one wait; that one polls for a message, and gets one with another tag. */
static void one_polls(void)
{
	if (rank == size - 1)
		send_to(right, TAG + 4, MPI_COMM_WORLD);
	if (rank == 0)
		iprobe_loop();
	receive_from(left, TAG, MPI_COMM_WORLD);
}

/* All other ranks wait for rank 0, which sends each of them a message now and then. */
static void slow_master(void)
{
	for (;;) {
		if (rank == 0) {
			usleep(20000);
			for (int i = 1; i < size; i++)
				send_to(i, TAG, MPI_COMM_WORLD);
		} else {
			receive_from(0, TAG, MPI_COMM_WORLD);
		}
	}
}

static void slow_collective(void)
{
	for (;;) {
		if (rank == size - 1)
			usleep(20000);
		MPI_Allreduce(out, in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	}
}

static void ssends(void)
{
	for (;;) {
		if (rank % 2)
			receive_from(rank ^ 1, TAG, MPI_COMM_WORLD);
		MPI_Ssend(out, 1, MPI_INT, rank ^ 1, TAG, MPI_COMM_WORLD);
		if (rank % 2 == 0)
			receive_from(rank ^ 1, TAG, MPI_COMM_WORLD);
	}
}

static void isends(void)
{
	for (;;) {
		MPI_Request requests[2];
		MPI_Isend(out, LONG, MPI_INT, right, TAG, MPI_COMM_WORLD, &requests[0]);
		MPI_Irecv(in, LONG, MPI_INT, left, TAG, MPI_COMM_WORLD, &requests[1]);
		MPI_Waitall(2, requests, statuses);
	}
}

static void issends_test(void)
{
	for (;;) {
		MPI_Request requests[2];
		int flag = 0;
		MPI_Issend(out, 1, MPI_INT, right, TAG, MPI_COMM_WORLD, &requests[0]);
		MPI_Irecv(in, 1, MPI_INT, left, TAG, MPI_COMM_WORLD, &requests[1]);
		while (!flag)
			MPI_Testall(2, requests, &flag, statuses);
	}
}

static void persistents(void)
{
	MPI_Request requests[2];

	MPI_Send_init(out, 1, MPI_INT, right, TAG, MPI_COMM_WORLD, &requests[0]);
	MPI_Recv_init(in, 1, MPI_INT, left, TAG, MPI_COMM_WORLD, &requests[1]);
	for (;;) {
		MPI_Startall(2, requests);
		MPI_Waitall(2, requests, statuses);
	}
}

static void bsends(void)
{
	static char buffer[1 << 16];

	MPI_Buffer_attach(buffer, sizeof(buffer));
	for (;;) {
		MPI_Bsend(out, 1, MPI_INT, right, TAG, MPI_COMM_WORLD);
		receive_from(left, TAG, MPI_COMM_WORLD);
	}
}

static void probes(void)
{
	for (;;) {
		MPI_Status status;
		send_to(right, TAG, MPI_COMM_WORLD);
		MPI_Probe(left, TAG, MPI_COMM_WORLD, &status);
		receive_from(left, TAG, MPI_COMM_WORLD);
	}
}

static void mprobes(void)
{
	for (;;) {
		MPI_Message message;
		send_to(right, TAG, MPI_COMM_WORLD);
		MPI_Mprobe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
		MPI_Mrecv(in, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
	}
}

/* A rank waits in MPI_Probe for a message that is sent late. */
static void slow_probe(void)
{
	for (;;) {
		if (rank == 0) {
			usleep(20000);
			for (int i = 1; i < size; i++)
				send_to(i, TAG, MPI_COMM_WORLD);
			continue;
		}
		MPI_Probe(0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		receive_from(0, TAG, MPI_COMM_WORLD);
	}
}

static void other_tags_first(void)
{
	/* the message for the last receive arrives first and stays unexpected, and the receives continue */
	for (;;) {
		for (int tag = 0; tag < 4; tag++)
			send_to(right, TAG + tag, MPI_COMM_WORLD);
		for (int tag = 3; tag >= 0; tag--)
			receive_from(left, TAG + tag, MPI_COMM_WORLD);
	}
}

static void any_tag(void)
{
	for (;;) {
		send_to(right, TAG + rank, MPI_COMM_WORLD);
		receive_from(left, MPI_ANY_TAG, MPI_COMM_WORLD);
	}
}

static void pipeline(void)
{
	for (;;) {
		if (rank)
			receive_from(left, TAG, MPI_COMM_WORLD);
		if (rank < size - 1) /* synchronous: no faster than the receiver */
			MPI_Ssend(out, 1, MPI_INT, right, TAG, MPI_COMM_WORLD);
		else
			usleep(1000);
	}
}

static void alltoalls(void)
{
	for (;;)
		MPI_Alltoall(out, 64, MPI_INT, in, 64, MPI_INT, MPI_COMM_WORLD);
}

static void gathers(void)
{
	for (int root = 0;; root = (root + 1) % size) {
		MPI_Gather(out, 16, MPI_INT, in, 16, MPI_INT, root, MPI_COMM_WORLD);
		MPI_Scatter(out, 16, MPI_INT, in, 16, MPI_INT, root, MPI_COMM_WORLD);
		MPI_Allgather(out, 16, MPI_INT, in, 16, MPI_INT, MPI_COMM_WORLD);
	}
}

/* The ranks describe the same data by different datatypes and counts, and the root changes. */
static void other_types(void)
{
	MPI_Datatype pairs;

	MPI_Type_vector(4, 2, 3, MPI_INT, &pairs);
	MPI_Type_commit(&pairs);
	for (int root = 0;; root = (root + 1) % size) {
		if (rank == root)
			usleep(20000);
		if (rank % 2)
			MPI_Bcast(in, 2, pairs, root, MPI_COMM_WORLD);
		else
			MPI_Bcast(in, 16, MPI_INT, root, MPI_COMM_WORLD);
	}
}

static void scans(void)
{
	for (;;) {
		MPI_Scan(out, in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
		MPI_Exscan(out, in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
		MPI_Reduce_scatter_block(out, in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	}
}

static void long_bcasts(void)
{
	for (;;)
		MPI_Bcast(in, LONG, MPI_INT, 0, MPI_COMM_WORLD);
}

static void barriers_of_two(void)
{
	MPI_Comm a, b;

	MPI_Comm_dup(MPI_COMM_WORLD, &a);
	MPI_Comm_dup(MPI_COMM_WORLD, &b);
	for (;;) {
		MPI_Barrier(a);
		MPI_Barrier(b);
	}
}

static void rows_and_columns(void)
{
	MPI_Comm row, column;

	MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &row);
	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &column);
	for (;;) {
		MPI_Allreduce(out, in, 1, MPI_INT, MPI_SUM, row);
		MPI_Allreduce(out, in, 1, MPI_INT, MPI_SUM, column);
	}
}

static void dups(void)
{
	for (;;) {
		MPI_Comm dup;
		MPI_Comm_dup(MPI_COMM_WORLD, &dup);
		MPI_Comm_free(&dup);
	}
}

static void inter_exchange(void)
{
	MPI_Comm half, inter;

	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
	MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank % 2 ? 0 : 1, 99, &inter);
	for (;;) {
		send_to(rank / 2, TAG, inter);
		receive_from(rank / 2, TAG, inter);
	}
}

static void cart_shift(void)
{
	MPI_Comm cart;
	int from, to;

	MPI_Cart_create(MPI_COMM_WORLD, 1, &size, (int[]){ 1 }, 0, &cart);
	MPI_Cart_shift(cart, 0, 1, &from, &to);
	for (;;)
		MPI_Sendrecv(out, 1, MPI_INT, to, TAG, in, 1, MPI_INT, from, TAG, cart, MPI_STATUS_IGNORE);
}

/* In turn, one rank enters the collective later than its neighbours. */
static void neighbors(void)
{
	MPI_Comm line;

	MPI_Cart_create(MPI_COMM_WORLD, 1, &size, (int[]){ 1 }, 0, &line);
	for (int i = 0;; i++) {
		if (i % size == rank)
			usleep(3000);
		MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, line);
	}
}

/* The first half of the ranks does not wait for the second, which sleeps. */
static void neighbors_far(void)
{
	int other = rank ^ 1, weight = 1;
	MPI_Comm halves;

	MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &other, &weight, 1, &other, &weight, MPI_INFO_NULL, 0,
				       &halves);
	if (rank >= size / 2)
		read_block();
	for (;;)
		MPI_Neighbor_allgather(out, 1, MPI_INT, in, 1, MPI_INT, halves);
}

/* One rank has started the collective but waits for something else: it takes part nevertheless. */
static void ibarrier_not_waited(void)
{
	for (;;) {
		MPI_Request request;
		MPI_Ibarrier(MPI_COMM_WORLD, &request);
		if (rank == size - 1)
			receive_from(0, TAG, MPI_COMM_WORLD);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		if (rank == 0)
			send_to(size - 1, TAG, MPI_COMM_WORLD);
	}
}

static void win_goes_on(void)
{
	MPI_Win win = make_window();

	announce();
	for (;;) {
		lock(win, right);
		MPI_Win_unlock(right, win);
	}
}

/* All ranks acquire and hold shared locks, one of them for a long time. */
static void win_shared_goes_on(void)
{
	MPI_Win win = make_window();

	announce();
	for (;;) {
		MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
		MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
		MPI_Win_flush(0, win);
		if (rank == size - 1)
			usleep(20000);
		MPI_Win_unlock(0, win);
	}
}

static void win_lock_all_goes_on(void)
{
	MPI_Win win = make_window();

	announce();
	MPI_Win_lock_all(0, win);
	for (;;) {
		MPI_Put(&rank, 1, MPI_INT, right, 0, 1, MPI_INT, win);
		MPI_Win_flush_all(win);
	}
}

static void fences(void)
{
	MPI_Win win = make_window();

	announce();
	for (;;) {
		MPI_Win_fence(0, win);
		MPI_Put(&rank, 1, MPI_INT, right, 0, 1, MPI_INT, win);
	}
}

static void pscw_goes_on(void)
{
	MPI_Win win = make_window();
	MPI_Group to = group_of(right), from = group_of(left);

	announce();
	for (;;) {
		MPI_Win_post(from, 0, win);
		MPI_Win_start(to, 0, win);
		MPI_Put(&rank, 1, MPI_INT, right, 0, 1, MPI_INT, win);
		MPI_Win_complete(win);
		MPI_Win_wait(win);
	}
}

static void files_go_on(void)
{
	MPI_File file = open_file();

	announce();
	for (;;) {
		MPI_File_write_at_all(file, rank * 64, out, 16, MPI_INT, MPI_STATUS_IGNORE);
		MPI_File_sync(file);
	}
}

static void *receive_always(void *arg)
{
	(void)arg;
	for (;;)
		receive_from(left, TAG, MPI_COMM_WORLD);
	return NULL;
}

/* One thread of each rank waits for a message that another thread of its neighbour sends late. */
static void threads_go_on(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, receive_always, NULL) != 0)
		MPI_Abort(MPI_COMM_WORLD, 3);
	for (;;) {
		usleep(20000);
		send_to(right, TAG, MPI_COMM_WORLD);
	}
}

/* Two threads wait; one for a message that never arrives, the other makes progress. */
static void *receive_never(void *arg)
{
	(void)arg;
	MPI_Recv(in + 100, 1, MPI_INT, left, TAG + 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return NULL;
}

static void threads_one_stuck(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, receive_never, NULL) != 0)
		MPI_Abort(MPI_COMM_WORLD, 3);
	exchange();
}

static int query_nothing(void *arg, MPI_Status *status)
{
	(void)arg;
	MPI_Status_set_elements(status, MPI_INT, 0);
	MPI_Status_set_cancelled(status, 0);
	status->MPI_SOURCE = MPI_UNDEFINED;
	status->MPI_TAG = MPI_UNDEFINED;
	return MPI_SUCCESS;
}

static int free_nothing(void *arg)
{
	(void)arg;
	return MPI_SUCCESS;
}

static int cancel_nothing(void *arg, int complete)
{
	(void)arg;
	(void)complete;
	return MPI_SUCCESS;
}

static void *complete_late(void *arg)
{
	usleep(20000);
	MPI_Grequest_complete(*(MPI_Request *)arg);
	return NULL;
}

/* Rank 0 waits for a request that its other thread completes; the other ranks wait for rank 0. */
static void threads_grequest(void)
{
	for (;;) {
		if (rank) {
			receive_from(0, TAG, MPI_COMM_WORLD);
			continue;
		}
		MPI_Request request, same;
		pthread_t thread;
		MPI_Grequest_start(query_nothing, free_nothing, cancel_nothing, NULL, &request);
		same = request;
		if (pthread_create(&thread, NULL, complete_late, &same) != 0)
			MPI_Abort(MPI_COMM_WORLD, 3);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		pthread_join(thread, NULL);
		for (int i = 1; i < size; i++)
			send_to(i, TAG, MPI_COMM_WORLD);
	}
}

/* Cancelled receives do not wait for a message. */
static void cancels(void)
{
	for (;;) {
		MPI_Request requests[2];
		MPI_Irecv(in, 1, MPI_INT, left, TAG + 1, MPI_COMM_WORLD, &requests[0]);
		MPI_Cancel(&requests[0]);
		MPI_Irecv(in + 1, 1, MPI_INT, left, TAG, MPI_COMM_WORLD, &requests[1]);
		if (rank == 0)
			usleep(20000);
		send_to(right, TAG, MPI_COMM_WORLD);
		MPI_Waitall(2, requests, statuses);
	}
}

/* A receive is freed before it completes; its rank waits in a barrier that rank 0 enters late. */
static void freed_requests(void)
{
	for (;;) {
		MPI_Request request;
		MPI_Irecv(in, 1, MPI_INT, left, TAG, MPI_COMM_WORLD, &request);
		MPI_Request_free(&request);
		if (rank == 0)
			usleep(20000);
		send_to(right, TAG, MPI_COMM_WORLD);
		MPI_Barrier(MPI_COMM_WORLD);
	}
}

static void inter_barriers(void)
{
	MPI_Comm half, inter;

	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
	MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank % 2 ? 0 : 1, 99, &inter);
	for (;;) {
		if (rank == size - 1)
			usleep(20000);
		MPI_Barrier(inter);
		MPI_Allreduce(out, in, rank % 2 + 1, MPI_INT, MPI_SUM, half);
		MPI_Bcast(in, 4, MPI_INT, rank % 2 ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL, inter);
	}
}

/* Rank 0 reads a flag in the memory of rank 1 until rank 2 has set it; rank 1 waits for a message of rank 0. */
static void win_flag(void)
{
	MPI_Win win = make_window();

	announce();
	MPI_Win_lock_all(0, win);
	for (int i = 1;; i++) {
		int seen = 0, none = 0;
		if (rank == 2) {
			usleep(20000);
			MPI_Accumulate(&i, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_REPLACE, win);
			MPI_Win_flush(1, win);
		}
		while (rank == 0 && seen != i) {
			MPI_Fetch_and_op(&none, &seen, MPI_INT, 1, 0, MPI_NO_OP, win);
			MPI_Win_flush(1, win);
		}
		if (rank == 0)
			send_to(1, TAG, MPI_COMM_WORLD);
		if (rank == 1)
			receive_from(0, TAG, MPI_COMM_WORLD);
		MPI_Barrier(MPI_COMM_WORLD);
	}
}

static MPI_Request shared_request;
static int shared_to[2];

/* Another thread cancels the request that the first one waits for. */
static void *cancel_late(void *arg)
{
	char c;

	(void)arg;
	while (read(shared_to[0], &c, 1) == 1) {
		usleep(20000);
		MPI_Cancel(&shared_request);
	}
	return NULL;
}

static void threads_cancel(void)
{
	pthread_t thread;
	char c = 0;

	if (pipe(shared_to) != 0 || pthread_create(&thread, NULL, cancel_late, NULL) != 0)
		MPI_Abort(MPI_COMM_WORLD, 3);
	for (;;) {
		MPI_Request request;
		MPI_Irecv(in, 1, MPI_INT, left, TAG, MPI_COMM_WORLD, &request);
		shared_request = request;
		if (write(shared_to[1], &c, 1) != 1)
			MPI_Abort(MPI_COMM_WORLD, 3);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	}
}

/* Another thread marks both partitions of a message ready, late. */
#if MPI_VERSION >= 4
static void *ready_late(void *arg)
{
	char c;

	(void)arg;
	while (read(shared_to[0], &c, 1) == 1) {
		usleep(20000);
		MPI_Pready(1, shared_request);
	}
	return NULL;
}
#endif

static void threads_pready(void)
{
#if MPI_VERSION >= 4
	MPI_Request requests[2];
	pthread_t thread;
	char c = 0;

	if (pipe(shared_to) != 0 || pthread_create(&thread, NULL, ready_late, NULL) != 0)
		MPI_Abort(MPI_COMM_WORLD, 3);
	MPI_Psend_init(out, 2, 4, MPI_INT, right, TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
	MPI_Precv_init(in, 2, 4, MPI_INT, left, TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
	shared_request = requests[0];
	for (;;) {
		MPI_Startall(2, requests);
		MPI_Pready(0, requests[0]);
		if (write(shared_to[1], &c, 1) != 1)
			MPI_Abort(MPI_COMM_WORLD, 3);
		MPI_Waitall(2, requests, statuses);
	}
#else
	threads_cancel();
#endif
}

/* No rank waits for long: each computes much more than it communicates. */
static void mostly_computes(void)
{
	for (;;) {
		for (volatile unsigned long n = 0; n < 10000000; n++)
			;
		MPI_Barrier(MPI_COMM_WORLD);
	}
}

static void finishes(void)
{
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
}

#endif /* HANGS_GOING_H */
