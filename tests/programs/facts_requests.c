/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Requests in every state, on 2 ranks: pending, complete and not waited for, persistent, partitioned, generalized,
 * freed while active. What is complete is what MPI_Request_get_status says, which ends no request.
 *
 *   flags request 0xHANDLE WORDS     the flags that the C interface has for it: active, complete, persistent,
 *                                    partitioned, freed
 *   requests N                       so many requests are the program's, without the freed one
 */
#include "facts.h"

enum {
	PENDING = 100,
	ARRIVED,
	LARGE,
	PERSISTENT,
	STARTED,
	DONE,
	FREED,
	PARTS,
	PARTS_DONE,
	PARTS_UNEXPECTED,
	COUNT = 3,
	LARGE_COUNT = 100000
};

static int in[8][COUNT], out[COUNT], large[LARGE_COUNT];

static int query(void *state, MPI_Status *status)
{
	(void)state;
	MPI_Status_set_elements(status, MPI_INT, 0);
	MPI_Status_set_cancelled(status, 0);
	status->MPI_SOURCE = status->MPI_TAG = MPI_UNDEFINED;
	return MPI_SUCCESS;
}

static int release(void *state)
{
	(void)state;
	return MPI_SUCCESS;
}

static int cancel(void *state, int complete)
{
	(void)state, (void)complete;
	return MPI_SUCCESS;
}

static bool is_complete(MPI_Request r)
{
	int flag = 0;

	MPI_Request_get_status(r, &flag, MPI_STATUS_IGNORE);
	return flag;
}

static void emit_request(MPI_Request r, bool persistent, bool started)
{
	bool complete = started && is_complete(r);

	emit("flags request 0x%" PRIx64 "%s%s%s", BITS(r), started && !complete ? " active" : "",
	     complete ? " complete" : "", persistent ? " persistent" : "");
	FACT("request", r, "persistent", persistent ? "true" : "false");
	if (started)
		FACT("request", r, "complete", complete ? "true" : "false");
	else
		FACT("request", r, "active", "false");
}

/* Of MPI 4: partitioned ones and a collective, not started, active, and complete. @return how many */
static int emit_newer(MPI_Comm comm)
{
#if MPI_VERSION >= 4
	static int parts[3][2 * COUNT], sum[2];
	MPI_Request idle, active, done, barrier, reduce;

	MPI_Precv_init(parts[0], 2, COUNT, MPI_INT, 1, PARTS, comm, MPI_INFO_NULL, &idle);
	MPI_Precv_init(parts[1], 2, COUNT, MPI_INT, 1, PARTS, comm, MPI_INFO_NULL, &active);
	MPI_Start(&active);
	MPI_Precv_init(parts[2], 2, COUNT, MPI_INT, 1, PARTS_DONE, comm, MPI_INFO_NULL, &done);
	MPI_Start(&done);
	MPI_Barrier_init(comm, MPI_INFO_NULL, &barrier);
	MPI_Allreduce_init(&sum[0], &sum[1], 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &reduce);
	MPI_Start(&reduce);
	while (!is_complete(done))
		;
	emit("flags request 0x%" PRIx64 " persistent partitioned", BITS(idle));
	emit("flags request 0x%" PRIx64 " active persistent partitioned", BITS(active));
	emit("flags request 0x%" PRIx64 " complete persistent partitioned", BITS(done));
	emit("flags request 0x%" PRIx64 " persistent", BITS(barrier));
	emit("flags request 0x%" PRIx64 " active persistent", BITS(reduce));
	FACT("request", done, "comm", "\"0x%" PRIx64 "\"", BITS(comm));
	FACT("request", barrier, "comm", "\"0x%" PRIx64 "\"", BITS(comm));
	return 5;
#else
	(void)comm;
	return 0;
#endif
}

/* One for which MPI_Precv_init is called, and one for which it is not. */
static void send_parts(MPI_Comm comm)
{
#if MPI_VERSION >= 4
	static int parts[2 * COUNT];
	MPI_Request unexpected, done;

	MPI_Psend_init(parts, 2, COUNT, MPI_INT, 0, PARTS_UNEXPECTED, comm, MPI_INFO_NULL, &unexpected);
	MPI_Psend_init(parts, 2, COUNT, MPI_INT, 0, PARTS_DONE, comm, MPI_INFO_NULL, &done);
	MPI_Start(&done);
	MPI_Pready_range(0, 1, done);
	MPI_Wait(&done, MPI_STATUS_IGNORE);
#else
	(void)comm;
#endif
}

static void emit_arguments(MPI_Request r, int tag)
{
	FACT("request", r, "peer", "1");
	FACT("request", r, "tag", "%d", tag);
	FACT("request", r, "count", "%d", COUNT);
}

static void first(void)
{
	MPI_Request pending, arrived, sent, idle, started, done, open_one, closed, a, b, barrier;
	MPI_Comm other;

	MPI_Comm_dup(MPI_COMM_WORLD, &other);
	MPI_Irecv(in[0], COUNT, MPI_INT, 1, PENDING, MPI_COMM_WORLD, &pending);
	MPI_Irecv(in[1], COUNT, MPI_INT, 1, ARRIVED, MPI_COMM_WORLD, &arrived);
	MPI_Issend(large, LARGE_COUNT, MPI_INT, 1, LARGE, MPI_COMM_WORLD, &sent);
	MPI_Send_init(out, COUNT, MPI_INT, 1, PERSISTENT, MPI_COMM_WORLD, &idle);
	MPI_Recv_init(in[2], COUNT, MPI_INT, 1, STARTED, MPI_COMM_WORLD, &started);
	MPI_Start(&started);
	MPI_Recv_init(in[3], COUNT, MPI_INT, 1, DONE, MPI_COMM_WORLD, &done);
	MPI_Start(&done);
	MPI_Grequest_start(query, release, cancel, NULL, &open_one);
	MPI_Grequest_start(query, release, cancel, NULL, &closed);
	MPI_Grequest_complete(closed);
	MPI_Irecv(in[4], COUNT, MPI_INT, 1, FREED, MPI_COMM_WORLD, &a);
	b = a;
	MPI_Request_free(&a);
	MPI_Ibarrier(other, &barrier);
	while (!is_complete(arrived) || !is_complete(sent) || !is_complete(done))
		;
	emit_request(pending, false, true);
	emit_arguments(pending, PENDING);
	emit_request(arrived, false, true);
	emit_request(sent, false, true);
	emit_request(idle, true, false);
	emit_arguments(idle, PERSISTENT);
	emit_request(started, true, true);
	emit_arguments(started, STARTED);
	emit_request(done, true, true);
	emit_arguments(done, DONE);
	emit_request(open_one, false, true);
	emit_request(closed, false, true);
	emit_request(barrier, false, true);
	emit("flags request 0x%" PRIx64 " active freed", BITS(b));
	emit("requests %d", 9 + emit_newer(MPI_COMM_WORLD));
}

static void second(void)
{
	MPI_Comm other;

	MPI_Comm_dup(MPI_COMM_WORLD, &other);
	MPI_Send(out, COUNT, MPI_INT, 0, ARRIVED, MPI_COMM_WORLD);
	MPI_Recv(large, LARGE_COUNT, MPI_INT, 0, LARGE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Send(out, COUNT, MPI_INT, 0, DONE, MPI_COMM_WORLD);
	send_parts(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
	facts_init(&argc, &argv);
	TRUST(facts_size == 2);
	if (facts_rank)
		second();
	else
		first();
	emit_ready();
	for (;;) /* in no call, whose own request would be among those of the library */
		pause();
}
