/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Both sides of what requests and a call move: collectives with and without a root, MPI_IN_PLACE, intercommunicators,
 * windows, MPI_Isendrecv. On 2 ranks: rank 0 begins what rank 1 does not take part in, so that it is not complete.
 */
#include "facts.h"

#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION < 5
#include <mpi-ext.h>
#define MPI_Allgather_init MPIX_Allgather_init
#define MPI_Gather_init    MPIX_Gather_init
#endif

enum { MANY = 100000, A_COUNT_EACH = -1 };
static int out[4 * MANY], in[4 * MANY];
static const int counts[2] = { MANY, MANY }, places[2] = { 0, MANY };
static MPI_Datatype two, three; /* ints */
static MPI_Comm self, between;

#define ADDRESS "\"0x%" PRIx64 "\""

/* The first side of a request; type MPI_DATATYPE_NULL: neither count nor datatype. */
static void first(MPI_Request r, const void *buffer, int count, MPI_Datatype type)
{
	if (buffer)
		FACT("request", r, "buffer", ADDRESS, (uint64_t)(uintptr_t)buffer);
	else
		LACKS("request", r, "buffer");
	if (type == MPI_DATATYPE_NULL) {
		LACKS("request", r, "count");
		LACKS("request", r, "datatype");
		return;
	}
	if (count == A_COUNT_EACH)
		FACT("request", r, "count_why", "\"a count for each rank\"");
	else
		FACT("request", r, "count", "%d", count);
	FACT("request", r, "datatype", ADDRESS, BITS(type));
	HAS("datatype", type, "requests", ADDRESS, BITS(r));
}

/* The other side, whose facts begin with @p side. */
#define SECOND(r, side, buffer, n, type)                                                                               \
	do {                                                                                                           \
		FACT("request", r, side "_buffer", ADDRESS, (uint64_t)(uintptr_t)(buffer));                            \
		if ((n) == A_COUNT_EACH)                                                                               \
			FACT("request", r, side "_count_why", "\"a count for each rank\"");                            \
		else                                                                                                   \
			FACT("request", r, side "_count", "%d", n);                                                    \
		FACT("request", r, side "_datatype", ADDRESS, BITS(type));                                             \
		HAS("datatype", type, "requests", ADDRESS, BITS(r));                                                   \
	} while (0)

static void no_second(MPI_Request r)
{
	LACKS("request", r, "receive_buffer");
	LACKS("request", r, "receive_count");
	LACKS("request", r, "receive_datatype");
	LACKS("request", r, "send_buffer");
	LACKS("request", r, "send_count");
	LACKS("request", r, "send_datatype");
}

/* ---- collectives --------------------------------------------------------------------------------------------- */

static void without_root(MPI_Comm comm)
{
	MPI_Request r;

	MPI_Iallgather(out, 3 * 100, two, in, 2 * 100, three, comm, &r);
	first(r, out, 300, two);
	SECOND(r, "receive", in, 200, three);
	MPI_Iallgather(MPI_IN_PLACE, 77, MPI_CHAR, in, 200, three, comm, &r);
	first(r, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL);
	FACT("request", r, "buffer_name", "\"MPI_IN_PLACE\"");
	SECOND(r, "receive", in, 200, three);
	MPI_Iallgatherv(out, MANY, MPI_INT, in, counts, places, MPI_INT, comm, &r);
	first(r, out, MANY, MPI_INT);
	SECOND(r, "receive", in, A_COUNT_EACH, MPI_INT);
	MPI_Ialltoallv(out, counts, places, two, in, counts, places, two, comm, &r);
	first(r, out, A_COUNT_EACH, two);
	SECOND(r, "receive", in, A_COUNT_EACH, two);
	MPI_Ialltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, in, counts, places, two, comm, &r);
	first(r, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL);
	SECOND(r, "receive", in, A_COUNT_EACH, two);
	/* a reduction has one count and one datatype, also in place */
	MPI_Iallreduce(MPI_IN_PLACE, in, MANY, MPI_INT, MPI_SUM, comm, &r);
	first(r, MPI_IN_PLACE, MANY, MPI_INT);
	FACT("request", r, "receive_buffer", ADDRESS, (uint64_t)(uintptr_t)in);
	LACKS("request", r, "receive_count");
	LACKS("request", r, "receive_datatype");
	MPI_Ibcast(in, MANY, MPI_INT, 1, comm, &r);
	first(r, in, MANY, MPI_INT);
	no_second(r);
}

static void with_root(MPI_Comm comm)
{
	MPI_Request r;

	MPI_Igather(out, MANY, two, in, MANY, two, 0, comm, &r);
	first(r, out, MANY, two);
	SECOND(r, "receive", in, MANY, two);
	MPI_Igather(MPI_IN_PLACE, 5, MPI_CHAR, in, MANY, three, 0, comm, &r);
	first(r, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL);
	SECOND(r, "receive", in, MANY, three);
	MPI_Igatherv(out, MANY, two, in, counts, places, two, 0, comm, &r);
	first(r, out, MANY, two);
	SECOND(r, "receive", in, A_COUNT_EACH, two);
	/* what is received means nothing here */
	MPI_Igather(out, MANY, two, NULL, -17, MPI_CHAR, 1, comm, &r);
	first(r, out, MANY, two);
	no_second(r);
	/* the received data is the first side */
	MPI_Iscatter(out, 200, three, in, 300, two, 0, comm, &r);
	first(r, in, 300, two);
	SECOND(r, "send", out, 200, three);
	MPI_Iscatter(NULL, -17, MPI_CHAR, in, MANY, two, 1, comm, &r);
	first(r, in, MANY, two);
	no_second(r);
	MPI_Iscatterv(out, counts, places, two, MPI_IN_PLACE, 0, MPI_CHAR, 0, comm, &r);
	first(r, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL);
	SECOND(r, "send", out, A_COUNT_EACH, two);
	MPI_Ireduce(out, in, MANY, MPI_INT, MPI_MAX, 0, comm, &r);
	first(r, out, MANY, MPI_INT);
	FACT("request", r, "receive_buffer", ADDRESS, (uint64_t)(uintptr_t)in);
	MPI_Ireduce(out, NULL, MANY, MPI_INT, MPI_MAX, 1, comm, &r);
	first(r, out, MANY, MPI_INT);
	no_second(r);
}

/* The groups have one process each: this one is the root, or sends to that of the other group. */
static void between_groups(void)
{
	MPI_Request r;

	MPI_Igather(NULL, -17, MPI_CHAR, in, MANY, two, MPI_ROOT, between, &r);
	FACT("request", r, "root", "-4");
	first(r, NULL, 0, MPI_DATATYPE_NULL);
	SECOND(r, "receive", in, MANY, two);
	MPI_Igather(out, MANY, three, NULL, -17, MPI_CHAR, 0, between, &r);
	first(r, out, MANY, three);
	no_second(r);
	MPI_Iscatter(out, MANY, two, NULL, -17, MPI_CHAR, MPI_ROOT, between, &r);
	first(r, NULL, 0, MPI_DATATYPE_NULL);
	SECOND(r, "send", out, MANY, two);
	/* those beside the root have no part in it */
	MPI_Ibcast(out, MANY, two, MPI_PROC_NULL, between, &r);
	FACT("request", r, "root", "-2");
	first(r, NULL, 0, MPI_DATATYPE_NULL);
	MPI_Ireduce(out, in, MANY, MPI_INT, MPI_SUM, MPI_ROOT, between, &r);
	first(r, NULL, MANY, MPI_INT);
	FACT("request", r, "receive_buffer", ADDRESS, (uint64_t)(uintptr_t)in);
}

static void persistent(MPI_Comm comm)
{
#if MPI_VERSION >= 4 || defined(OPEN_MPI) /* MPICH 3 has no persistent collectives */
	static MPI_Request r, s;

	/* all make them; nobody starts them */
	MPI_Allgather_init(MPI_IN_PLACE, 0, MPI_CHAR, in, MANY, two, comm, MPI_INFO_NULL, &r);
	first(r, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL);
	SECOND(r, "receive", in, MANY, two);
	MPI_Gather_init(out, MANY, three, in, MANY, three, 0, comm, MPI_INFO_NULL, &s);
	first(s, out, MANY, three);
	SECOND(s, "receive", in, MANY, three);
#else
	(void)comm;
#endif
}

/* ---- others -------------------------------------------------------------------------------------------------- */

static void window(void)
{
	static int memory[64];
	MPI_Request r;
	MPI_Win win;

	MPI_Win_create(memory, sizeof(memory), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_lock_all(0, win);
	if (facts_rank)
		return;
	MPI_Rput(out, 6, MPI_INT, 1, 11, 2, three, win, &r);
	first(r, out, 6, MPI_INT);
	FACT("request", r, "peer", "1");
	FACT("request", r, "target_displacement", "11");
	FACT("request", r, "target_count", "2");
	FACT("request", r, "target_datatype", ADDRESS, BITS(three));
	HAS("datatype", three, "requests", ADDRESS, BITS(r));
}

static void both_ways(MPI_Comm comm)
{
#if MPI_VERSION >= 4
	MPI_Request r;

	MPI_Isendrecv(out, MANY, two, 1, 5, in, MANY - 1, three, MPI_ANY_SOURCE, 6, comm, &r);
	first(r, out, MANY, two);
	SECOND(r, "receive", in, MANY - 1, three);
	FACT("request", r, "peer", "1");
	FACT("request", r, "tag", "5");
	FACT("request", r, "source", "null");
	FACT("request", r, "source_why", "\"any\"");
	FACT("request", r, "receive_tag", "6");
	MPI_Isendrecv_replace(in, MANY, two, 1, 7, 1, 8, comm, &r);
	first(r, in, MANY, two);
	SECOND(r, "receive", in, MANY, two);
	FACT("request", r, "source", "1");
	FACT("request", r, "receive_tag", "8");
#else
	(void)comm;
#endif
}

int main(int argc, char **argv)
{
	MPI_Comm comm, rooted, quiet, busy;

	facts_init(&argc, &argv);
	TRUST(facts_size == 2);
	MPI_Type_contiguous(2, MPI_INT, &two);
	MPI_Type_contiguous(3, MPI_INT, &three);
	MPI_Type_commit(&two);
	MPI_Type_commit(&three);
	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	MPI_Comm_dup(MPI_COMM_WORLD, &rooted);
	MPI_Comm_dup(MPI_COMM_WORLD, &quiet);
	MPI_Comm_dup(MPI_COMM_WORLD, &busy);
	MPI_Comm_split(MPI_COMM_WORLD, facts_rank, 0, &self);
	MPI_Intercomm_create(self, 0, MPI_COMM_WORLD, !facts_rank, 3, &between);
	persistent(quiet);
	window();
	if (!facts_rank) {
		without_root(comm);
		with_root(rooted);
		between_groups();
		both_ways(comm);
	}
	HAS("datatype", three, "calls", "{\"thread\": %d, \"function\": \"MPI_Gather\"}", (int)getpid());
	emit("call function \"MPI_Gather\"");
	emit("call buffer_name \"MPI_IN_PLACE\"");
	emit("call root 0");
	emit("call receive_buffer " ADDRESS, (uint64_t)(uintptr_t)in);
	emit("call receive_count 4");
	emit("call receive_datatype " ADDRESS, BITS(three));
	emit_ready();
	MPI_Gather(MPI_IN_PLACE, -3, MPI_CHAR, in, 4, three, 0, busy);
	return 1;
}
