/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Small programs that hang, and others that only look as if they did; the first argument says which.
 *
 *     mpirun -n 3 hangs CASE
 *
 * Each rank writes $TRUTH_DIR/truth.RANK.json, its process id, just before it comes into the state of its case; what the state is
 * stands in the table of tests/live/check_deadlock.c. Nobody leaves it: the job is killed. No rank of a case that "can
 * go on" is stuck: it computes or sleeps and would send what the others wait for, much later.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { LONG = 1 << 18, TAG = 5 };

static int rank, size, left, right;
static int out[LONG], in[LONG];
static MPI_Status statuses[2];

/* The name is put into its place at once: whoever sees the file sees all of it. */
static void announce(void)
{
	const char *dir = getenv("TRUTH_DIR");
	char path[4096], made[4096];

	if (!dir)
		return;
	snprintf(path, sizeof(path), "%s/truth.%d.json", dir, rank);
	snprintf(made, sizeof(made), "%s/making.%d", dir, rank);
	FILE *f = fopen(made, "w");
	if (!f || fprintf(f, "{\"pid\": %ld}\n", (long)getpid()) < 0 || fclose(f) || rename(made, path)) {
		perror(path);
		_exit(9);
	}
}

__attribute__((noinline)) static void compute(void)
{
	for (volatile unsigned long n = 0;; n++)
		;
}

__attribute__((noinline)) static void read_block(void)
{
	for (;;)
		sleep(3600);
}

static void send_to(int peer, int tag, MPI_Comm comm)
{
	MPI_Send(out, 1, MPI_INT, peer, tag, comm);
}

static void receive_from(int peer, int tag, MPI_Comm comm)
{
	MPI_Recv(in, 1, MPI_INT, peer, tag, comm, MPI_STATUS_IGNORE);
}

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
	/* to the right and from the right: each receives from who sends elsewhere */
	MPI_Sendrecv(out, LONG, MPI_INT, right, TAG, in, LONG, MPI_INT, right, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
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

static void finalize_early(void)
{
	if (rank == size - 1)
		MPI_Finalize();
	else
		receive_from(size - 1, TAG, MPI_COMM_WORLD);
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

static void win_locks(void)
{
	MPI_Win a, b;

	MPI_Win_create(out, sizeof(int), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &a);
	MPI_Win_create(in, sizeof(int), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &b);
	MPI_Win first = rank ? a : b, second = rank ? b : a;
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, first);
	MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, first);
	MPI_Win_flush(0, first);
	MPI_Barrier(MPI_COMM_WORLD);
	announce();
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, second);
	MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, second);
	MPI_Win_flush(0, second);
}

static void fence_sleeps(void)
{
	MPI_Win win;

	MPI_Win_create(out, sizeof(int), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	if (rank == size - 1)
		read_block();
	MPI_Win_fence(0, win);
}

/* ---- nobody is stuck ----------------------------------------------------------------------------------- */

static void test_loop(void)
{
	MPI_Request request;
	int flag = 0;

	/* what it waits for never comes, but it could do something else at any time */
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
	/* one message goes round: all but one wait at any time */
	if (rank == 0)
		send_to(right, TAG, MPI_COMM_WORLD);
	for (;;) {
		receive_from(left, TAG, MPI_COMM_WORLD);
		send_to(right, TAG, MPI_COMM_WORLD);
	}
}

static void any_source_saves(void)
{
	/* the master takes from anybody */
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

	/* from the left nothing ever comes; from itself there is always something */
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
	/* both send first: what is sent fits into buffers */
	for (;;) {
		send_to(rank ^ 1, TAG, MPI_COMM_WORLD);
		receive_from(rank ^ 1, TAG, MPI_COMM_WORLD);
	}
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
#define CASE(name)                                                                                                     \
	{                                                                                                              \
#name, name                                                                                            \
	}
	CASE(recv_recv),        CASE(send_send),         CASE(ssend_ssend),        CASE(ring_recv),
	CASE(ring_ssend),       CASE(ring_sendrecv),     CASE(waitall_missing),    CASE(wait_irecv),
	CASE(waitany_all),      CASE(any_source),        CASE(probe_ring),         CASE(wrong_tag),
	CASE(wrong_comm),       CASE(wrong_source),      CASE(chain_sleeps),       CASE(chain_computes),
	CASE(chain_stopped),    CASE(allreduce_sleeps),  CASE(allreduce_computes), CASE(barrier_stopped),
	CASE(ibarrier_sleeps),  CASE(bcast_root_sleeps), CASE(reduce_leaf_sleeps), CASE(finalize_early),
	CASE(killed),           CASE(inter_sleeps),      CASE(recv_and_barrier),   CASE(barrier_allreduce),
	CASE(crossed_comms),    CASE(roots_differ),      CASE(inter_inter),        CASE(split_pairs),
	CASE(win_locks),        CASE(fence_sleeps),      CASE(test_loop),          CASE(exchange),
	CASE(exchange_long),    CASE(allreduces),        CASE(bcast_barrier),      CASE(token),
	CASE(any_source_saves), CASE(waitany_goes_on),   CASE(all_compute),        CASE(all_sleep),
	CASE(ibcasts),          CASE(eager_crossing),
};

int main(int argc, char **argv)
{
	/* The ranks die with whoever started them. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	right = (rank + 1) % size;
	left = (rank + size - 1) % size;
	for (size_t i = 0; argc > 1 && i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (strcmp(cases[i].name, argv[1]) != 0)
			continue;
		if (cases[i].run != win_locks)
			announce();
		cases[i].run();
		for (;;) /* a rank that came out of its case: it has ended what it had to do */
			pause();
	}
	fprintf(stderr, "hangs: no such case\n");
	MPI_Abort(MPI_COMM_WORLD, 2);
}
