/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * verdict_speed KIND RANKS: load, analyze and report a generated snapshot, and print one line: the result, seconds
 * of processor time of the analysis, and the peak of our memory in kilobytes.
 *
 *   ring      each rank waits for a message from its left neighbour
 *   tree      each rank waits for its parent in a binary tree, and the root for the last leaf
 *   alltoall  all are in MPI_Alltoall, with 4 receives of it and 2 messages that came early
 *   missing   all but one are in MPI_Allreduce
 *
 * The processes are loaded one by one from JSON in memory; parsing the JSON of a file is not measured.
 */
#include "../verdict/flows.h"
#include "../verdict/verdict.h"
#include "spent.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPERATIONS = 4, EARLY = 2 };

/* The kinds, with the expected result of the analysis. */
static const struct kind {
	const char *name, *function, *place;
	enum vd_result result;
} kinds[] = { { "ring", "MPI_Recv", "exchange at ring.c:71", VD_DEADLOCK },
	      { "tree", "MPI_Recv", "descend at tree.c:40", VD_DEADLOCK },
	      { "alltoall", "MPI_Alltoall", "transpose at fft.c:212", VD_DEADLOCK },
	      { "missing", "MPI_Allreduce", "residual at solve.c:71", VD_MISSING_RANK } };

struct text {
	char bytes[16384];
	size_t n;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *t, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	t->n += (size_t)vsnprintf(t->bytes + t->n, sizeof(t->bytes) - t->n, format, ap);
	va_end(ap);
}

static void add_op(struct text *t, const struct kind *k, long rank, long peer, int tag, int i)
{
	bool internal = tag < 0;

	add(t,
	    "%s{\"id\": \"0x%lx\", \"kind\": \"receive\", \"status\": \"pending\", \"internal\": %s, \"active\": true, "
	    "\"peer\": %ld, \"tag\": %d, \"sequence\": %d%s",
	    i ? ", " : "", 0x1000 + 64 * (rank * 100 + i), internal ? "true" : "false", peer, tag, i,
	    internal ? "" : ", \"function\": ");
	if (!internal)
		add(t, "\"%s\", \"thread\": %ld", k->function, 100000 + rank);
	add(t, "}");
}

/* The source of the i-th receive. */
static long peer_of(const struct kind *k, long rank, long n, int i)
{
	if (strcmp(k->name, "tree") == 0)
		return rank ? (rank - 1) / 2 : n - 1;
	if (strcmp(k->name, "alltoall") == 0)
		return (rank + 1 + i * (n / OPERATIONS)) % n;
	return (rank + n - 1) % n;
}

static void add_queues(struct text *t, const struct kind *k, long rank, long n, bool is_missing)
{
	bool is_alltoall = strcmp(k->name, "alltoall") == 0;
	int tag = strcmp(k->function, "MPI_Recv") == 0 ? 5 : -13;

	add(t, "\"pending_sends\": [], \"pending_receives\": [");
	for (int i = 0; !is_missing && i < (is_alltoall ? OPERATIONS : 1); i++)
		add_op(t, k, rank, peer_of(k, rank, n, i), tag, i);
	add(t, "], \"unexpected\": [");
	for (int i = 0; is_alltoall && i < EARLY; i++)
		add(t,
		    "%s{\"id\": \"0x%lx\", \"kind\": \"message\", \"status\": \"pending\", \"internal\": true, "
		    "\"peer\": %ld, "
		    "\"tag\": -13, \"sequence\": %d}",
		    i ? ", " : "", 0x1000 + 64 * (rank * 100 + 50 + i), (rank + 7 + i) % n, i);
	add(t, "], \"collectives\": []");
}

/* The process of one rank, parsed from text. */
static json_t *parse(const struct kind *k, long rank, long n)
{
	static struct text t;
	bool is_missing = strcmp(k->name, "missing") == 0 && rank == n / 2;

	t.n = 0;
	add(&t,
	    "{\"rank\": %ld, \"pid\": %ld, \"host\": \"node%ld\", \"executable\": \"/home/u/a.out\", \"world\": "
	    "{\"job\": 1, "
	    "\"rank\": %ld, \"size\": %ld}, \"world_number\": 0, \"state\": \"%s\", \"mpi\": {\"name\": \"Open MPI\", "
	    "\"version\": \"4.1.4\", \"state\": \"initialized\", \"thread_multiple\": false}, \"calls\": [{\"thread\": "
	    "%ld, ",
	    rank, 100000 + rank, rank / 64, rank, n, is_missing ? "sleeping" : "running", 100000 + rank);
	if (is_missing)
		add(&t, "\"function\": null, \"backtrace\": [\"clock_nanosleep\", \"read_block at mesh.c:212\", "
			"\"main\"]}]");
	else
		add(&t,
		    "\"function\": \"%s\", \"communicator\": \"MPI_COMM_WORLD\", \"backtrace\": [\"%s\", \"%s\", "
		    "\"main at "
		    "main.c:9\"]}]",
		    k->function, k->function, k->place);
	add(&t,
	    ", \"communicators\": [{\"id\": \"0x10\", \"handle\": \"0x10\", \"name\": \"MPI_COMM_WORLD\", \"kind\": "
	    "\"intra\", "
	    "\"context\": 0, \"predefined\": true, \"rank\": %ld, \"size\": %ld, \"members\": [\"0-%ld\"], ",
	    rank, n, n - 1);
	add_queues(&t, k, rank, n, is_missing);
	add(&t, "}]}");
	return json_loadb(t.bytes, t.n, 0, NULL);
}

static void set(json_t *object, const char *key, long value)
{
	json_integer_set(json_object_get(object, key), value);
}

/* All ranks are copies of one parsed text with their own numbers, because only the analysis is measured. */
static json_t *process(const struct kind *k, long rank, long n)
{
	static json_t *parsed[2];
	bool is_missing = strcmp(k->name, "missing") == 0 && rank == n / 2;
	json_t **p = &parsed[is_missing];
	size_t i;
	json_t *op;

	if (!*p)
		*p = parse(k, rank, n);
	if (!*p)
		return NULL;
	json_t *comm = json_array_get(json_object_get(*p, "communicators"), 0);
	set(*p, "rank", rank);
	set(*p, "pid", 100000 + rank);
	set(json_object_get(*p, "world"), "rank", rank);
	set(json_array_get(json_object_get(*p, "calls"), 0), "thread", 100000 + rank);
	set(comm, "rank", rank);
	json_array_foreach(json_object_get(comm, "pending_receives"), i, op)
	{
		set(op, "peer", peer_of(k, rank, n, (int)i));
		set(op, "thread", 100000 + rank);
	}
	json_array_foreach(json_object_get(comm, "unexpected"), i, op) set(op, "peer", (rank + 7 + (long)i) % n);
	return json_incref(*p);
}

static const struct kind *kind_of(const char *name)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(kinds[i].name, name) == 0)
			return &kinds[i];
	return NULL;
}

static bool each(const struct kind *k, long n, struct vd_job *job, bool names_only)
{
	for (long i = 0; i < n; i++) {
		json_t *p = process(k, i, n);
		if (!p || (names_only && !vd_load_rank(job, p)))
			return false;
		if (!names_only)
			vd_load_process(job, (size_t)i, p);
		json_decref(p);
	}
	return true;
}

int main(int argc, char **argv)
{
	const struct kind *k = argc == 3 ? kind_of(argv[1]) : NULL;
	long n = argc == 3 ? atol(argv[2]) : 0;
	struct vd_job job = { .n_ranks = 0 };
	struct vd_verdict v;

	if (!k || n < 4) {
		fprintf(stderr, "usage: verdict_speed ring|tree|alltoall|missing RANKS\n");
		return 2;
	}
	FILE *out = fopen("/dev/null", "w");
	double start = spent_seconds(CLOCK_PROCESS_CPUTIME_ID);
	if (!out || !each(k, n, &job, true) || !each(k, n, &job, false)) {
		fprintf(stderr, "verdict_speed: cannot load\n");
		return 3;
	}
	vd_find_transits(&job);
	if (job.no_memory || !vd_judge(&job, &v)) {
		fprintf(stderr, "verdict_speed: out of memory\n");
		return 3;
	}
	vd_report(&job, &v, false, out);
	double seconds = spent_seconds(CLOCK_PROCESS_CPUTIME_ID) - start;
	if (v.result != k->result) {
		fprintf(stderr, "verdict_speed: %s of %ld ranks: %s\n", k->name, n, vd_result_text(&v));
		return 3;
	}
	printf("%s: %.3f %ld\n", vd_result_text(&v), seconds, spent_kb("VmHWM"));
	vd_verdict_deinit(&v);
	vd_job_deinit(&job);
	fclose(out);
	return 0;
}
