/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file player_messages.h
 * Operations of player.c: messages and requests. Arguments in the order of their letters: c communicator, p peer (-1:
 * MPI_ANY_SOURCE), t tag (-1: MPI_ANY_TAG), b bytes, m mode (0 standard, 1 synchronous, 2 buffered), r request, u
 * microseconds of a pause between two polls.
 */
#ifndef PLAYER_MESSAGES_H
#define PLAYER_MESSAGES_H

#include "player_state.h"

static int peer_of(int p)
{
	return p < 0 ? MPI_ANY_SOURCE : p;
}

static int tag_of(int t)
{
	return t < 0 ? MPI_ANY_TAG : t;
}

/* m c p t b */
static void op_send(const struct line *l)
{
	const int *a = l->args;
	void *data = memory((size_t)a[4]);

	if (a[0] == 1)
		MPI_Ssend(data, a[4], MPI_BYTE, a[2], a[3], comms[a[1]]);
	else if (a[0] == 2)
		MPI_Bsend(data, a[4], MPI_BYTE, a[2], a[3], comms[a[1]]);
	else
		MPI_Send(data, a[4], MPI_BYTE, a[2], a[3], comms[a[1]]);
	free(data);
}

/* c p t b */
static void op_recv(const struct line *l)
{
	const int *a = l->args;
	void *data = memory((size_t)a[3]);

	MPI_Recv(data, a[3], MPI_BYTE, peer_of(a[1]), tag_of(a[2]), comms[a[0]], MPI_STATUS_IGNORE);
	free(data);
}

/* c p t b p t: sends to the first, receives from the second */
static void op_sendrecv(const struct line *l)
{
	const int *a = l->args;
	void *out = memory((size_t)a[3]), *in = memory((size_t)a[3]);

	MPI_Sendrecv(out, a[3], MPI_BYTE, a[1], a[2], in, a[3], MPI_BYTE, peer_of(a[4]), tag_of(a[5]), comms[a[0]],
		     MPI_STATUS_IGNORE);
	free(out);
	free(in);
}

static void *request_memory(int r, int bytes)
{
	free(request_buffers[r]);
	return request_buffers[r] = memory((size_t)bytes);
}

/* r m c p t b */
static void op_isend(const struct line *l)
{
	const int *a = l->args;
	void *data = request_memory(a[0], a[5]);

	if (a[1] == 1)
		MPI_Issend(data, a[5], MPI_BYTE, a[3], a[4], comms[a[2]], &requests[a[0]]);
	else
		MPI_Isend(data, a[5], MPI_BYTE, a[3], a[4], comms[a[2]], &requests[a[0]]);
}

/* r c p t b */
static void op_irecv(const struct line *l)
{
	const int *a = l->args;

	MPI_Irecv(request_memory(a[0], a[4]), a[4], MPI_BYTE, peer_of(a[2]), tag_of(a[3]), comms[a[1]],
		  &requests[a[0]]);
}

/* r m c p t b */
static void op_send_init(const struct line *l)
{
	const int *a = l->args;
	void *data = request_memory(a[0], a[5]);

	if (a[1] == 1)
		MPI_Ssend_init(data, a[5], MPI_BYTE, a[3], a[4], comms[a[2]], &requests[a[0]]);
	else
		MPI_Send_init(data, a[5], MPI_BYTE, a[3], a[4], comms[a[2]], &requests[a[0]]);
}

/* r c p t b */
static void op_recv_init(const struct line *l)
{
	const int *a = l->args;

	MPI_Recv_init(request_memory(a[0], a[4]), a[4], MPI_BYTE, peer_of(a[2]), tag_of(a[3]), comms[a[1]],
		      &requests[a[0]]);
}

static void op_start(const struct line *l)
{
	MPI_Start(&requests[l->args[0]]);
}

static void op_request_free(const struct line *l)
{
	MPI_Request_free(&requests[l->args[0]]);
}

static void op_wait(const struct line *l)
{
	MPI_Wait(&requests[l->args[0]], MPI_STATUS_IGNORE);
}

static int take(const struct line *l, MPI_Request *ret)
{
	for (int i = 0; i < l->n_args; i++)
		ret[i] = requests[l->args[i]];
	return l->n_args;
}

static void put_back(const struct line *l, const MPI_Request *all)
{
	for (int i = 0; i < l->n_args; i++)
		requests[l->args[i]] = all[i];
}

static void op_waitall(const struct line *l)
{
	MPI_Status statuses[ARGS_MAX];
	MPI_Request all[ARGS_MAX];

	MPI_Waitall(take(l, all), all, statuses);
	put_back(l, all);
}

/* all of them, one after the other */
static void op_waitany(const struct line *l)
{
	MPI_Request all[ARGS_MAX];
	int n = take(l, all), index;

	for (int i = 0; i < n; i++) {
		MPI_Waitany(n, all, &index, MPI_STATUS_IGNORE);
		finished_one(l);
	}
	put_back(l, all);
}

static void op_waitsome(const struct line *l)
{
	MPI_Status statuses[ARGS_MAX];
	MPI_Request all[ARGS_MAX];
	int n = take(l, all), indices[ARGS_MAX];

	for (int left = n; left > 0;) {
		int some = 0;
		MPI_Waitsome(n, all, &some, indices, statuses);
		if (some <= 0)
			break;
		left -= some;
		finished_one(l);
	}
	put_back(l, all);
}

/* r u */
static void op_test(const struct line *l)
{
	for (int done = 0; !done;) {
		MPI_Test(&requests[l->args[0]], &done, MPI_STATUS_IGNORE);
		if (!done)
			nap_us(l->args[1]);
	}
}

/* u r... */
static void op_testall(const struct line *l)
{
	struct line tail = *l;
	MPI_Status statuses[ARGS_MAX];
	MPI_Request all[ARGS_MAX];

	tail.n_args--;
	memmove(tail.args, l->args + 1, (size_t)tail.n_args * sizeof(int));
	int n = take(&tail, all);
	for (int done = 0; !done;) {
		MPI_Testall(n, all, &done, statuses);
		if (!done)
			nap_us(l->args[0]);
	}
	put_back(&tail, all);
}

/* c p t: the message stays */
static void op_probe(const struct line *l)
{
	MPI_Probe(peer_of(l->args[1]), tag_of(l->args[2]), comms[l->args[0]], MPI_STATUS_IGNORE);
}

/* c p t u: the message stays */
static void op_iprobe(const struct line *l)
{
	for (int found = 0; !found;) {
		MPI_Iprobe(peer_of(l->args[1]), tag_of(l->args[2]), comms[l->args[0]], &found, MPI_STATUS_IGNORE);
		if (!found)
			nap_us(l->args[3]);
	}
}

/* c p t b */
static void op_mprobe(const struct line *l)
{
	const int *a = l->args;
	MPI_Message message;
	void *data = memory((size_t)a[3]);

	MPI_Mprobe(peer_of(a[1]), tag_of(a[2]), comms[a[0]], &message, MPI_STATUS_IGNORE);
	MPI_Mrecv(data, a[3], MPI_BYTE, &message, MPI_STATUS_IGNORE);
	free(data);
}

#endif /* PLAYER_MESSAGES_H */
