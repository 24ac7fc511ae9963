/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Usage: odd_comms FILE, 3 ranks, with the in-target library
 * Communicators that are seldom met: the first ranks of the world on the other side; where an MPI can spawn, members of
 * another world; topologies with nothing in them. Rank 2 says what they are (answers.h): it is on the side of those
 * that have the first ranks on the other one.
 */
#include "answers.h"

#if defined(OPEN_MPI)
enum { CAN_SPAWN = 1 };
#else /* Debian's MPICH cannot */
enum { CAN_SPAWN = 0 };
#endif
enum { CHILDREN = 2, WAIT_S = 300 };

static int rank;

/* Ranks 0 and 1 there, 2 here: the other side has the ranks that it has in the world. */
static void first_ranks_there(void)
{
	MPI_Comm half, between, copy, merged;
	MPI_Group there;
	int high = rank == 2;

	MPI_Comm_split(MPI_COMM_WORLD, high, rank, &half);
	MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, high ? 0 : 2, 5, &between);
	MPI_Comm_set_name(between, "between");
	MPI_Comm_dup(between, &copy);
	MPI_Comm_remote_group(copy, &there);
	MPI_Intercomm_merge(between, high, &merged);
	EMIT_ANSWER("comm", between,
		    "'type': 'inter', 'size': 1, 'remote_size': 2, 'members': [2], 'remote_members': [0, 1]");
	EMIT_ANSWER("comm", copy, "'members': [2], 'remote_members': [0, 1]");
	EMIT_ANSWER("comm", merged, "'members': [0, 1, 2]");
	EMIT_ANSWER("group", there, "'members': [0, 1]");
	emit("{'args': 'comms', 'comm': 'between', 'is': {'members': [2], 'remote_members': [0, 1]}}");
	emit("{'args': 'comms', 'words': 'remote members [0-1] (2 ranks)'}");
}

static void empty_topologies(void)
{
	MPI_Comm point, lonely;
	int none = 0;

	MPI_Cart_create(MPI_COMM_SELF, 0, &none, &none, 0, &point);
	MPI_Dist_graph_create_adjacent(MPI_COMM_SELF, 0, &none, &none, 0, &none, &none, MPI_INFO_NULL, 0, &lonely);
	EMIT_ANSWER("comm", point, "'topology': 'cart', 'dims': [], 'periods': [], 'coords': []");
	emit("{'args': 'print comm 0x%" PRIx64 "', 'words': 'dims                []'}", BITS(point));
	emit("{'args': 'handles comm', 'words': ', cartesian 0-dimensional'}");
	EMIT_ANSWER("comm", lonely, "'topology': 'dist_graph', 'in': [], 'out': []");
}

/*
 * The world and two spawned children, which are in another world with a number assigned by the MPI, as seen from
 * the world. 0: the number is unknown, because the name of the job is not a number (Open MPI since 5.0).
 */
static void other_world(MPI_Comm inter, MPI_Comm all, MPI_Comm back, MPI_Comm unknown, long n)
{
	char job[40] = "";

	if (n)
		snprintf(job, sizeof job, "'job': %ld, ", n);
	EMIT_ANSWER("comm", inter, "'members': [0, 1, 2], 'remote_members': [{%s'rank': 0}, {%s'rank': 1}]", job, job);
	EMIT_ANSWER("comm", all, "'members': [0, 1, 2, {%s'rank': 0}, {%s'rank': 1}]", job, job);
	EMIT_ANSWER("comm", back, "'members': [{%s'rank': 1}, {%s'rank': 0}, 2, 1, 0]", job, job);
	/* only who is of the own world can be asked for by the
	 * in-target library; the MPI library's memory has the others */
	EMIT_ANSWER("comm", unknown, "'members': [0, 1, 2], 'remote_members': [{%s'rank': 0}, {%s'rank': 1}]", job,
		    job);
	if (!n)
		return;
	emit("{'args': 'print comm 0x%" PRIx64 "', 'words': 'remote members      [0 of world %ld,1 of world %ld]'}",
	     BITS(inter), n, n);
	emit("{'args': 'print comm 0x%" PRIx64 "', 'words': '[0,1,2,0 of world %ld,1 of world %ld]'}", BITS(all), n, n);
	emit("{'args': 'print comm 0x%" PRIx64 "', 'words': '[1 of world %ld,0 of world %ld,2,1,0]'}", BITS(back), n,
	     n);
	emit("{'args': 'print comm 0x%" PRIx64 "', 'words': '[0 of world %ld,1 of world %ld]'}", BITS(unknown), n, n);
}

static void spawn(const char *program, MPI_Comm parent)
{
	bool child = parent != MPI_COMM_NULL;
	MPI_Comm inter = parent, all, back, half, unknown;
	long number = child && getenv("PMIX_NAMESPACE") ? atol(getenv("PMIX_NAMESPACE")) : 0;
	int place;

	if (!child)
		MPI_Comm_spawn(program, MPI_ARGV_NULL, CHILDREN, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter,
			       MPI_ERRCODES_IGNORE);
	MPI_Intercomm_merge(inter, child, &all);
	MPI_Comm_rank(all, &place);
	MPI_Comm_split(all, 0, -place, &back);
	MPI_Comm_split(all, child, place, &half);
	MPI_Intercomm_create(half, 0, all, child ? 0 : 3, 6, &unknown);
	MPI_Bcast(&number, 1, MPI_LONG, 3, all);
	other_world(inter, all, back, unknown, number);
}

int main(int argc, char **argv)
{
	MPI_Comm parent;

	alarm(WAIT_S);
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_get_parent(&parent);
	emit_on = rank == 2 && parent == MPI_COMM_NULL;
	if (parent == MPI_COMM_NULL) {
		first_ranks_there();
		empty_topologies();
	}
	if (CAN_SPAWN)
		spawn(argv[0], parent);
	emit_ready();
}
