/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Small programs that hang, and others that only look as if they did; the first argument says which.
 *
 *     mpirun -n 3 hangs CASE
 *
 * Each rank writes $TRUTH_DIR/truth.RANK.json, its process id, just before it comes into the state of its case; what is
 * true of the state stands in hangs.def. Nobody leaves it: the job is killed.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include "hangs.h"
#include "hangs_collectives.h"
#include "hangs_going.h"
#include "hangs_ends.h"
#include "hangs_groups.h"
#include "hangs_threads.h"
#include "hangs_windows.h"

#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>

/* ---- point to point: nobody can go on ---------------------------------------------------------------- */

static void recv_recv(void)
{
	receive_from(rank ^ 1, TAG, MPI_COMM_WORLD);
}

static void send_send(void)
{
	MPI_Send(out, LONG, MPI_INT, rank ^ 1, TAG, MPI_COMM_WORLD);
}

static void ssend_ssend(void)
{
	MPI_Ssend(out, 1, MPI_INT, rank ^ 1, TAG, MPI_COMM_WORLD);
}

static void ring_recv(void)
{
	receive_from(left, TAG, MPI_COMM_WORLD);
}

static void ring_ssend(void)
{
	MPI_Ssend(out, 1, MPI_INT, right, TAG, MPI_COMM_WORLD);
}

static void ring_sendrecv(void)
{
	/* send to the right, receive from the right: each receives from a rank that sends elsewhere */
	MPI_Sendrecv(out, LONG, MPI_INT, right, TAG, in, LONG, MPI_INT, right, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Rank 1 sends with another tag than the rest. */
static void ring_sendrecv_tag(void)
{
	MPI_Sendrecv(out, LONG, MPI_INT, right, rank == 1 ? TAG + 1 : TAG, in, LONG, MPI_INT, left, TAG, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
	read_block();
}

static void mprobe_tag(void)
{
	MPI_Message message;

	if (rank == 0) {
		send_to(1, TAG + 1, MPI_COMM_WORLD);
		receive_from(1, TAG, MPI_COMM_WORLD);
	}
	if (rank == 1)
		MPI_Mprobe(0, TAG, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
	MPI_Barrier(MPI_COMM_WORLD);
}

/* The others would be content with any message of two, but rank 0 sends one with a third tag. */
static void waitany_ssend(void)
{
	MPI_Request requests[2];
	int index;

	MPI_Irecv(in, 1, MPI_INT, left, TAG, MPI_COMM_WORLD, &requests[0]);
	MPI_Irecv(in + 1, 1, MPI_INT, right, TAG + 1, MPI_COMM_WORLD, &requests[1]);
	if (rank == 0)
		MPI_Ssend(out, 1, MPI_INT, 1, TAG + 2, MPI_COMM_WORLD);
	MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
}

static void waitall_missing(void)
{
	MPI_Request requests[2];

	MPI_Irecv(in, 1, MPI_INT, left, TAG, MPI_COMM_WORLD, &requests[0]);
	MPI_Irecv(in + 1, 1, MPI_INT, left, TAG + 1, MPI_COMM_WORLD, &requests[1]);
	send_to(right, TAG, MPI_COMM_WORLD);
	MPI_Waitall(2, requests, statuses);
}

static void wait_irecv(void)
{
	MPI_Request request;

	MPI_Irecv(in, 1, MPI_INT, left, TAG, MPI_COMM_WORLD, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void waitany_all(void)
{
	MPI_Request requests[2];
	int index;

	MPI_Irecv(in, 1, MPI_INT, left, TAG, MPI_COMM_WORLD, &requests[0]);
	MPI_Irecv(in + 1, 1, MPI_INT, right, TAG, MPI_COMM_WORLD, &requests[1]);
	MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
}

static void any_source(void)
{
	receive_from(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD);
}

static void probe_ring(void)
{
	MPI_Status status;

	MPI_Probe(left, TAG, MPI_COMM_WORLD, &status);
}

static void wrong_tag(void)
{
	send_to(right, TAG, MPI_COMM_WORLD);
	receive_from(left, TAG + 2, MPI_COMM_WORLD);
}

static void wrong_comm(void)
{
	MPI_Comm dup;

	MPI_Comm_dup(MPI_COMM_WORLD, &dup);
	MPI_Comm_set_name(dup, "own");
	send_to(right, TAG, MPI_COMM_WORLD);
	receive_from(left, TAG, dup);
}

static void wrong_source(void)
{
	send_to(right, TAG, MPI_COMM_WORLD);
	receive_from(right, TAG, MPI_COMM_WORLD);
}

static void waitsome_all(void)
{
	MPI_Request requests[2];
	int n, indexes[2];

	MPI_Irecv(in, 1, MPI_INT, left, TAG, MPI_COMM_WORLD, &requests[0]);
	MPI_Irecv(in + 1, 1, MPI_INT, right, TAG, MPI_COMM_WORLD, &requests[1]);
	MPI_Waitsome(2, requests, &n, indexes, statuses);
}

static void mrecv_ring(void)
{
	MPI_Message message;
	MPI_Status status;

	MPI_Mprobe(left, TAG, MPI_COMM_WORLD, &message, &status);
	MPI_Mrecv(in, 1, MPI_INT, &message, &status);
	send_to(right, TAG, MPI_COMM_WORLD);
}

static void probe_any(void)
{
	MPI_Status status;

	MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
}

static void persistent_ring(void)
{
	MPI_Request request;

	MPI_Recv_init(in, 1, MPI_INT, left, TAG, MPI_COMM_WORLD, &request);
	MPI_Start(&request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Rank 1 waits for both partitions of a message, but rank 0 has
 * marked only one ready; rank 0 waits for a message from rank 1. */
static void partitioned(void)
{
#if MPI_VERSION >= 4
	MPI_Request request;

	if (rank == 0) {
		MPI_Psend_init(out, 2, 4, MPI_INT, 1, TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
		MPI_Start(&request);
		MPI_Pready(0, request);
	} else {
		MPI_Precv_init(in, 2, 4, MPI_INT, 0, TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
		MPI_Start(&request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	}
#endif
	receive_from(rank ^ 1, TAG + 1, MPI_COMM_WORLD);
}

static void two_pairs_and_one(void)
{
	/* ranks 0 and 1 wait for each other, rank 2 for rank 0: the cycle has two */
	receive_from(rank == 0 ? 1 : 0, TAG, MPI_COMM_WORLD);
}

static void self_recv(void)
{
	receive_from(rank, TAG, MPI_COMM_WORLD);
}

static void send_then_tag(void)
{
	/* the neighbour first receives another message, which is sent after this one */
	MPI_Ssend(out, 1, MPI_INT, rank ^ 1, rank ? TAG : TAG + 1, MPI_COMM_WORLD);
	receive_from(rank ^ 1, rank ? TAG + 1 : TAG, MPI_COMM_WORLD);
}

/* One that the others wait for waits for anybody: rank 2 may still send. */
static void any_source_computes(void)
{
	if (rank == 2)
		compute();
	receive_from(rank ? 0 : MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD);
}

/* Of each kind of message without a partner one; the receive and the send with tag 16 match. */
static void lone_messages(void)
{
	MPI_Request requests[3];
	MPI_Comm side;

	MPI_Comm_dup(MPI_COMM_WORLD, &side);
	MPI_Comm_set_name(side, "side");
	if (rank == 0) {
		for (int i = 0; i < 3; i++)
			MPI_Send(out, 3, MPI_INT, 1, 11, MPI_COMM_WORLD);
		MPI_Isend(out, LONG, MPI_INT, 2, 12, MPI_COMM_WORLD, &requests[0]);
		MPI_Irecv(in, 10, MPI_INT, 2, 13, MPI_COMM_WORLD, &requests[1]);
		MPI_Irecv(in + 10, 1, MPI_INT, 1, 16, MPI_COMM_WORLD, &requests[2]);
	} else if (rank == 1) {
		MPI_Irecv(in, 2, MPI_INT, MPI_ANY_SOURCE, 14, MPI_COMM_WORLD, &requests[0]);
		MPI_Send(out, 1, MPI_INT, 0, 16, MPI_COMM_WORLD);
	} else {
		MPI_Send(out, 8, MPI_INT, 0, 15, side);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Recv(in + 100, 1, MPI_INT, left, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* ---- one of several, and it is in no queue of messages -------------------------------------------------- */

/* Rank 0 waits for a message of rank 1 or for something that rank 2, which computes, will do; rank 1 waits
 * for rank 0. */
static void one_of(MPI_Request other)
{
	MPI_Request requests[2] = { MPI_REQUEST_NULL, other };
	int index;

	if (rank == 2)
		compute();
	if (rank == 1)
		receive_from(0, TAG + 2, MPI_COMM_WORLD);
	MPI_Irecv(in + 100, 1, MPI_INT, 1, TAG + 1, MPI_COMM_WORLD, &requests[0]);
	MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
	receive_from(2, TAG + 3, MPI_COMM_WORLD);
}

static MPI_Request begin_idup(void)
{
	static MPI_Comm dup;
	MPI_Request request = MPI_REQUEST_NULL;

	if (rank != 2)
		MPI_Comm_idup(MPI_COMM_WORLD, &dup, &request);
	return request;
}

static void waitany_idup_computes(void)
{
	one_of(begin_idup());
}

static MPI_Request begin_access(void)
{
	MPI_Request request = MPI_REQUEST_NULL;
	MPI_Win win = make_window();

	MPI_Win_lock_all(0, win);
	if (rank == 0)
		MPI_Rget_accumulate(out, 1, MPI_INT, in, 1, MPI_INT, 2, 0, 1, MPI_INT, MPI_SUM, win, &request);
	return request;
}

static void waitany_access_computes(void)
{
	one_of(begin_access());
}

static MPI_Request begin_partitioned(void)
{
	MPI_Request request = MPI_REQUEST_NULL;

#if MPI_VERSION >= 4
	if (rank == 2)
		MPI_Psend_init(out, 2, 4, MPI_INT, 0, TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
	if (rank == 0)
		MPI_Precv_init(in, 2, 4, MPI_INT, 2, TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
	if (rank != 1)
		MPI_Start(&request);
	if (rank == 2)
		MPI_Pready(0, request);
#else
	if (rank == 0)
		MPI_Irecv(in, 1, MPI_INT, 2, TAG, MPI_COMM_WORLD, &request);
#endif
	return request;
}

static void waitany_partitioned_computes(void)
{
	one_of(begin_partitioned());
}

/*
 * What is left on the stack of an earlier MPI_Waitall of many requests: rank 0 waits for rank 2, which computes, and
 * has posted a receive from rank 1, which waits for rank 0.
 */
static void waitall_after_many(void)
{
	enum { MANY = 20 };
	MPI_Request requests[2 * MANY], other;
	MPI_Status many[2 * MANY];

	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < MANY; i++) {
			MPI_Irecv(in + i, 1, MPI_INT, left, TAG + i, MPI_COMM_WORLD, &requests[2 * i]);
			MPI_Isend(out, 1, MPI_INT, right, TAG + i, MPI_COMM_WORLD, &requests[2 * i + 1]);
		}
		MPI_Waitall(2 * MANY, requests, many);
	}
	if (rank == 2)
		compute();
	if (rank == 1)
		receive_from(0, TAG + 2, MPI_COMM_WORLD);
	for (int i = 0; i < MANY; i++)
		MPI_Irecv(in + 100 + i, 1, MPI_INT, 1, TAG + 50, MPI_COMM_WORLD, &requests[i]);
	MPI_Irecv(in + 10, 1, MPI_INT, 2, TAG, MPI_COMM_WORLD, &other);
	MPI_Waitall(1, &other, many);
}

/* ---- somebody is missing ----------------------------------------------------------------------------- */

/* Rank 0 waits for the last, the others for rank 0, in a chain. */
static void chain(void (*last)(void))
{
	if (rank == size - 1)
		last();
	receive_from(right, TAG, MPI_COMM_WORLD);
}

static void chain_sleeps(void)
{
	chain(read_block);
}

static void chain_computes(void)
{
	chain(compute);
}

static void stop(void)
{
	raise(SIGSTOP);
	read_block();
}

static void chain_stopped(void)
{
	chain(stop);
}

static void allreduce_with(void (*last)(void))
{
	if (rank == size - 1)
		last();
	MPI_Allreduce(out, in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void allreduce_sleeps(void)
{
	allreduce_with(read_block);
}

static void allreduce_computes(void)
{
	allreduce_with(compute);
}

static void barrier_stopped(void)
{
	if (rank == size - 1)
		stop();
	MPI_Barrier(MPI_COMM_WORLD);
}

static void ibarrier_sleeps(void)
{
	MPI_Request request;

	if (rank == size - 1)
		read_block();
	MPI_Ibarrier(MPI_COMM_WORLD, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void bcast_root_sleeps(void)
{
	if (rank == 0)
		read_block();
	MPI_Bcast(in, 1, MPI_INT, 0, MPI_COMM_WORLD);
}

static void reduce_leaf_sleeps(void)
{
	if (rank == size - 1)
		read_block();
	MPI_Reduce(out, in, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
}

static void killed(void)
{
	if (rank == size - 1)
		raise(SIGKILL);
	receive_from(size - 1, TAG, MPI_COMM_WORLD);
}

static void inter_sleeps(void)
{
	MPI_Comm half, inter;

	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
	MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank % 2 ? 0 : 1, 99, &inter);
	if (rank == 1)
		read_block();
	if (rank == 0) /* rank 0 of the other group is world rank 1 */
		receive_from(0, TAG, inter);
	MPI_Barrier(half);
	receive_from(0, TAG, MPI_COMM_WORLD);
}

/* Rank 1 is in the other group of the intercommunicator that the others turn into one of all. */
static void merge_sleeps(void)
{
	MPI_Comm half, inter, all;

	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
	MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank % 2 ? 0 : 1, 99, &inter);
	if (rank == 1)
		read_block();
	MPI_Intercomm_merge(inter, rank % 2, &all);
}

/* ---- the ranks are in different things ---------------------------------------------------------------- */

static void recv_and_barrier(void)
{
	if (rank == 0)
		receive_from(1, TAG, MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
}

static void barrier_allreduce(void)
{
	if (rank == 0)
		MPI_Barrier(MPI_COMM_WORLD);
	MPI_Allreduce(out, in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void crossed_comms(void)
{
	MPI_Comm a, b;

	MPI_Comm_dup(MPI_COMM_WORLD, &a);
	MPI_Comm_dup(MPI_COMM_WORLD, &b);
	MPI_Comm_set_name(a, "a");
	MPI_Comm_set_name(b, "b");
	MPI_Barrier(rank ? a : b);
}

static void roots_differ(void)
{
	/* each takes its left for the root */
	MPI_Bcast(in, 1, MPI_INT, left, MPI_COMM_WORLD);
}

/* The same in the second collective of the communicator. */
static void second_roots_differ(void)
{
	MPI_Bcast(in, 1, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Bcast(in, 1, MPI_INT, left, MPI_COMM_WORLD);
}

/* The root never comes, so that no data move; the others do not agree on them. */
static void counts_differ(void)
{
	if (rank == 0)
		read_block();
	MPI_Bcast(in, rank, MPI_INT, 0, MPI_COMM_WORLD);
}

static void datatypes_differ(void)
{
	if (rank == 2)
		receive_from(0, TAG, MPI_COMM_WORLD);
	MPI_Allreduce(out, in, 1, rank ? MPI_INT : MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}

static void operations_differ(void)
{
	if (rank == 2)
		receive_from(0, TAG, MPI_COMM_WORLD);
	MPI_Allreduce(out, in, 1, MPI_INT, rank ? MPI_MAX : MPI_SUM, MPI_COMM_WORLD);
}

static void inter_inter(void)
{
	MPI_Comm half, inter;

	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
	MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank % 2 ? 0 : 1, 99, &inter);
	receive_from(0, TAG, inter);
}

static void split_pairs(void)
{
	MPI_Comm pair;

	/* two pairs, each in a cycle of its own */
	MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &pair);
	receive_from(1 - rank % 2, TAG, pair);
}

static void barrier_reduce(void)
{
	if (rank == 0)
		MPI_Barrier(MPI_COMM_WORLD);
	MPI_Reduce(out, in, 1, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
}

static void crossed_splits(void)
{
	MPI_Comm row, column;

	/* two rows of two: every other rank begins with its column */
	MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &row);
	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &column);
	MPI_Comm_set_name(row, "row");
	MPI_Comm_set_name(column, "column");
	MPI_Barrier(rank == 0 || rank == 3 ? row : column);
	MPI_Barrier(rank == 0 || rank == 3 ? column : row);
}

static void dup_sleeps(void)
{
	MPI_Comm dup;

	if (rank == size - 1)
		read_block();
	MPI_Comm_dup(MPI_COMM_WORLD, &dup);
}

static void alltoall_recv(void)
{
	if (rank == 1)
		receive_from(0, TAG, MPI_COMM_WORLD);
	MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD);
}

static void ibarrier_recv(void)
{
	MPI_Request request;

	if (rank == size - 1)
		receive_from(0, TAG, MPI_COMM_WORLD);
	MPI_Ibarrier(MPI_COMM_WORLD, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	send_to(right, TAG, MPI_COMM_WORLD);
}

/* It has begun the collective, and never calls MPI again: what it is to pass on stays where it is. */
static void ibarrier_not_waited_sleeps(void)
{
	MPI_Request request;

	MPI_Ibarrier(MPI_COMM_WORLD, &request);
	if (rank == size - 1)
		read_block();
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Barrier(MPI_COMM_WORLD); /* reached by ranks that need nothing from the sleeping rank */
}

/*
 * Rank 0 has begun a collective that needs rank 2, and waits in another one for rank 1 alone, which computes. Then it
 * would send what rank 2 waits for.
 */
static void ibarrier_bcast_computes(void)
{
	MPI_Request request;

	if (rank == 1)
		compute();
	if (rank == 2)
		receive_from(0, TAG, MPI_COMM_WORLD);
	MPI_Ibarrier(MPI_COMM_WORLD, &request);
	MPI_Bcast(in, 1, MPI_INT, 1, MPI_COMM_WORLD);
	send_to(2, TAG, MPI_COMM_WORLD);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* ---- neighbours alone count ----------------------------------------------------------------------------- */

static MPI_Comm line_of(int periodic)
{
	MPI_Comm line;

	MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &line);
	MPI_Comm_set_name(line, "line");
	return line;
}

static void exchange_with_neighbors(MPI_Comm comm)
{
	MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, comm);
}

/* The last rank sleeps: its one neighbour waits for it, and those
 * further away have gone on to what that neighbour owes them. */
static void neighbors_sleep(void)
{
	MPI_Comm line = line_of(0);

	if (rank == size - 1)
		read_block();
	exchange_with_neighbors(line);
	receive_from(size - 2, TAG, line);
}

/* Rank 0 exchanges with rank 1, which wants a message first. Ranks 2 and 3 are far away and wait for rank 1, too. */
static void neighbors_recv(void)
{
	MPI_Comm line = line_of(0);

	if (rank == 1)
		receive_from(0, TAG, line);
	exchange_with_neighbors(line);
	receive_from(1, TAG, line);
}

/* The same, but rank 3 computes and may still take part. */
static void neighbors_compute(void)
{
	MPI_Comm line = line_of(0);

	if (rank == size - 1)
		compute();
	exchange_with_neighbors(line);
}

static void exits(void)
{
	if (rank == size - 1)
		_exit(0);
	receive_from(size - 1, TAG, MPI_COMM_WORLD);
}

static void spawn_recv(void)
{
	static char name[] = "spawn_recv";
	MPI_Comm others;

	MPI_Comm_get_parent(&others);
	if (others == MPI_COMM_NULL)
		MPI_Comm_spawn(program, (char *[]){ name, NULL }, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &others,
			       MPI_ERRCODES_IGNORE);
	receive_from(0, TAG, others);
}

static const struct {
	const char *name;
	void (*run)(void);
	bool announces; /* by itself */
} cases[] = {
#define HANG(name, ...)          { #name, name, false },
#define HANG_IN(name, ...)       { #name, name, false },
#define GOES_ON(name, ...)       { #name, name, false },
#define HANG_AFTER(name, ...)    { #name, name, true },
#define GOES_ON_AFTER(name, ...) { #name, name, true },
#include "hangs.def"
	{ "exits_unwaited", exits_unwaited, false }, /* of check_ranks_end.c */
	{ "killed_unwaited", killed_unwaited, false },
	{ "abort_stays", abort_stays, false },
	{ "truncated", truncated, false },
};

static void init_threads(int *argc, char ***argv)
{
	int level;

	MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &level);
	if (level != MPI_THREAD_MULTIPLE) {
		fprintf(stderr, "hangs: no MPI_THREAD_MULTIPLE\n");
		MPI_Abort(MPI_COMM_WORLD, 3);
	}
}

static void leave(int number)
{
	(void)number;
	_exit(0);
}

int main(int argc, char **argv)
{
	/* The ranks die with whoever started them. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGUSR1, SIG_IGN); /* from hydra, when another rank has died and it was told not to end the job */
	signal(SIGUSR2, leave);
	program = argv[0];
	if (argc > 1 && strcmp(argv[1], "init_sleeps") == 0)
		before_init();
	if (argc > 1 && strncmp(argv[1], "threads_", 8) == 0)
		init_threads(&argc, &argv);
	else
		MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Comm parent;
	MPI_Comm_get_parent(&parent);
	is_spawned = parent != MPI_COMM_NULL;
	right = (rank + 1) % size;
	left = (rank + size - 1) % size;
	for (size_t i = 0; argc > 1 && i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (strcmp(cases[i].name, argv[1]) != 0)
			continue;
		if (!cases[i].announces)
			announce();
		cases[i].run();
		for (;;) /* a rank that came out of its case: it has ended what it had to do */
			pause();
	}
	fprintf(stderr, "hangs: no such case\n");
	MPI_Abort(MPI_COMM_WORLD, 2);
}
