/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Requests in the registry: tests/programs/track_requests.c compares them with what it did; and a process with heavy
 * traffic is stopped a thousand times, each time at whatever instructions its threads happen to be.
 */
#include "../../include/track_layout.h"
#include "../support/job.h"
#include "../support/suite.h"
#include "../support/world.h"

#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TIMEOUT_S = 300, STOPS = 1000, TRAFFIC_S = 280, STOPS_S = 200, TIDS = 64 };

#define ON_OPENMPI(program) "mpirun.openmpi --oversubscribe -n 2 -x LD_PRELOAD=@openmpi @build/programs/" program
#define ON_MPICH(program)   "mpirun.mpich -n 2 -genv LD_PRELOAD @mpich @build/programs-mpich/" program
static const char *const rules[] = {
	ON_OPENMPI("track_requests multiple"),
	ON_MPICH("track_requests multiple"),
	ON_OPENMPI("track_requests single"),
	ON_MPICH("track_requests single"),
	ON_OPENMPI("track_requests serialized"),
	ON_MPICH("track_requests serialized"),
	ON_OPENMPI("track_rounds"),
	ON_MPICH("track_rounds"),
	ON_OPENMPI("track_turns serialized"),
	ON_MPICH("track_turns serialized"),
	ON_OPENMPI("track_turns multiple"),
	ON_MPICH("track_turns multiple"),
	ON_OPENMPI("track_early"),
	ON_MPICH("track_early"),
};
enum { N_RULES = sizeof rules / sizeof rules[0] };

START_TEST(test_rules)
{
	struct mpidbg_run r;

	world_run(&r, rules[_i]);
	ck_assert_msg(r.exit_code == 0, "exit %d\n%s%s", r.exit_code, r.out, r.err);
	const char *first = strstr(r.out, "ok ");
	ck_assert_msg(first && strstr(first + 1, "ok "), "%s", r.out);
	mpidbg_run_free(&r);
}
END_TEST

/* The library allocates no memory for requests after the start;
 * the test also shows that an allocation would be detected. */
static const char *const memory[] = {
	/* Open MPI's memory/patcher and UCX would step between the library and mmap */
	"mpirun.openmpi --oversubscribe -n 1 -x OMPI_MCA_memory=^patcher -x UCX_MEM_MMAP_HOOK_MODE=none -x "
	"LD_PRELOAD=@openmpi "
	"@build/programs/track_memory",
	"mpirun.mpich -n 1 -genv UCX_MEM_MMAP_HOOK_MODE none -genv LD_PRELOAD @mpich "
	"@build/programs-mpich/track_memory",
};

START_TEST(test_memory)
{
	struct mpidbg_run r;

	world_run(&r, memory[_i]);
	ck_assert_msg(r.exit_code == 0 && strstr(r.out, "ok "), "exit %d\n%s%s", r.exit_code, r.out, r.err);
	mpidbg_run_free(&r);
}
END_TEST

/* ---- stops -------------------------------------------------------------------------------------------- */

static pid_t pid;
static pid_t tids[TIDS];
static int n_tids;

static void fetch(uint64_t address, void *ret, size_t bytes)
{
	struct iovec to = { ret, bytes }, from = { (void *)(uintptr_t)address, bytes };

	ck_assert_msg(process_vm_readv(pid, &to, 1, &from, 1, 0) == (ssize_t)bytes, "0x%llx, %zu bytes: %s",
		      (unsigned long long)address, bytes, strerror(errno));
}

static void seize_all(void)
{
	char path[64];
	struct dirent *e;

	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	DIR *d = opendir(path);
	ck_assert_ptr_nonnull(d);
	n_tids = 0;
	while ((e = readdir(d)))
		if (e->d_name[0] != '.' && n_tids < TIDS && ptrace(PTRACE_SEIZE, atoi(e->d_name), 0, 0) == 0)
			tids[n_tids++] = atoi(e->d_name);
	closedir(d);
}

static void stop_all(void)
{
	int status;

	for (int i = 0; i < n_tids; i++)
		ck_assert_int_eq(ptrace(PTRACE_INTERRUPT, tids[i], 0, 0), 0);
	for (int i = 0; i < n_tids; i++) {
		ck_assert_int_eq(waitpid(tids[i], &status, __WALL), tids[i]);
		ck_assert(WIFSTOPPED(status));
	}
}

static void go_all(void)
{
	for (int i = 0; i < n_tids; i++)
		ptrace(PTRACE_CONT, tids[i], 0, 0);
}

/* The result of the program's own checks: tests/programs/track_traffic.c. */
struct truth {
	long low, high, turns, spare[5];
	struct {
		long low, high;
	} objects[TRK_N_KINDS];
};

static void truth_of(uint64_t address, int n, struct truth *ret)
{
	struct truth one;

	memset(ret, 0, sizeof *ret);
	for (int i = 0; i < n; i++) {
		fetch(address + (uint64_t)i * sizeof one, &one, sizeof one);
		ret->low += one.low;
		ret->high += one.high;
		for (int k = 0; k < TRK_N_KINDS; k++) {
			ret->objects[k].low += one.objects[k].low;
			ret->objects[k].high += one.objects[k].high;
		}
	}
}

struct seen {
	long live_min, live_max;
	int n_unsettled, n_in_calls, n_no_arguments, n_messages;
	long n_objects, n_objects_unsettled, n_pairs, n_freed;
};

/* What every record but a request begins with. */
struct head {
	TRK_OBJECT_FIELDS(TRK_FIELD)
};

static void check_span(struct trk_span span, size_t element, const struct trk_registry *g, const char *what)
{
	char last[64];

	ck_assert_msg(span.n <= span.total, "%s: %u of %u", what, span.n, span.total);
	ck_assert_msg(span.n * element <= g->arena_bytes, "%s: %u", what, span.n);
	if (span.n)
		fetch(span.addr + (span.n - 1) * element, last, element < sizeof last ? element : sizeof last);
}

/* Pairs of an info: both texts are there, and end. */
static void check_pairs(struct trk_span span, struct seen *seen)
{
	struct trk_pair pair;
	char text[8];

	for (uint32_t i = 0; i < span.n; i++) {
		fetch(span.addr + i * sizeof pair, &pair, sizeof pair);
		fetch(pair.key_addr, text, sizeof text);
		ck_assert_msg(strncmp(text, "key", 3) == 0 && strnlen(text, sizeof text) == 4, "key %.8s", text);
		fetch(pair.value_addr, text, sizeof text);
		ck_assert_msg(strncmp(text, "a value ", 8) == 0, "value %.8s", text);
		seen->n_pairs++;
	}
}

static void check_object(unsigned kind, const void *record, const struct trk_registry *g, struct seen *seen)
{
	const struct head *h = record;

	ck_assert_uint_le(h->predefined, 1);
	ck_assert_uint_le(h->has_fortran, 1);
	ck_assert_uint_le(h->language, 3);
	ck_assert_msg(h->call == TRK_NO_CALL || h->call < g->n_calls, "kind %u: call %u", kind, h->call);
	ck_assert_msg(h->id && h->id < g->next_id, "kind %u: number %llu", kind, (unsigned long long)h->id);
	ck_assert(memchr(h->name, '\0', sizeof h->name) != NULL);
	check_span(h->where, 8, g, "where");
	if (kind == TRK_COMM) {
		const struct trk_comm *c = record;
		ck_assert(h->predefined || c->size >= 1);
		check_span(c->members, sizeof(struct trk_member), g, "members");
		check_span(c->attributes, sizeof(struct trk_attribute), g, "attributes");
		check_span(c->collectives, 8, g, "collectives");
	} else if (kind == TRK_GROUP) {
		check_span(((const struct trk_group *)record)->members, sizeof(struct trk_member), g, "members");
	} else if (kind == TRK_DATATYPE) {
		const struct trk_datatype *t = record;
		check_span(t->integers, 8, g, "integers");
		check_span(t->addresses, 8, g, "addresses");
		check_span(t->datatypes, 8, g, "datatypes");
		if (!h->predefined && h->state == TRK_LIVE)
			ck_assert_uint_ge(t->datatypes.n, 1);
	} else if (kind == TRK_INFO) {
		check_span(((const struct trk_info *)record)->pairs, sizeof(struct trk_pair), g, "pairs");
		if (h->state == TRK_LIVE && !h->predefined)
			check_pairs(((const struct trk_info *)record)->pairs, seen);
	}
}

static int by_bits(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* All records of a kind of object; their number against the truth; no two live ones with one handle value. */
static void validate_kind(unsigned kind, const struct trk_registry *g, const struct truth *truth, int n_threads,
			  int stop, struct seen *seen)
{
	static unsigned char records[1 << 23];
	static uint64_t handles[1 << 14];
	struct trk_slab s = { 0 };
	long live = 0, unsettled = 0;
	size_t n_handles = 0;

	fetch(g->slabs + kind * g->slab_bytes, &s, sizeof s);
	if (!s.records)
		return;
	ck_assert_uint_le(s.high, s.capacity);
	ck_assert_uint_le((uint64_t)s.high * s.bytes, sizeof records);
	ck_assert_uint_le(s.high, 1 << 14);
	ck_assert_uint_eq(s.n_dropped, 0);
	fetch(s.records, records, (size_t)s.high * s.bytes);
	for (uint32_t i = 0; i < s.high; i++) {
		const struct head *h = (const struct head *)(const void *)(records + (size_t)i * s.bytes);

		ck_assert_uint_le(h->state, TRK_EARLIER);
		if (h->sequence % 2) {
			unsettled++;
			continue;
		}
		seen->n_freed += h->state == TRK_FREED || h->state == TRK_EARLIER;
		if (h->state == TRK_FREE)
			continue;
		/* of the many that are freed a part each time: every list is a system call */
		if (h->state == TRK_LIVE || i % 64 == (uint32_t)stop % 64)
			check_object(kind, h, g, seen);
		if (h->state != TRK_LIVE)
			continue;
		/* of a group the library may hand out one handle several times */
		live += h->predefined ? 0 : kind == TRK_GROUP ? (long)h->references : 1;
		/* MPICH has several names for one value among the predefined */
		if (!h->predefined)
			handles[n_handles++] = h->handle;
	}
	qsort(handles, n_handles, sizeof handles[0], by_bits);
	long twice = 0;
	for (size_t i = 1; i < n_handles; i++)
		twice += handles[i] == handles[i - 1];
	/* the handle value was reused before the thread that freed the request could record it */
	ck_assert_msg(twice <= n_threads, "stop %d: kind %u: %ld values twice", stop, kind, twice);
	ck_assert_msg(unsettled <= n_threads, "stop %d: kind %u: %ld unsettled", stop, kind, unsettled);
	ck_assert_msg(live + unsettled >= truth->objects[kind].low && live <= truth->objects[kind].high,
		      "stop %d: kind %u: %ld live, %ld unsettled; the program has %ld to %ld", stop, kind, live,
		      unsettled, truth->objects[kind].low, truth->objects[kind].high);
	seen->n_objects += live;
	seen->n_objects_unsettled += unsettled;
}

/* Every record and frame of the stopped process; then their number against the truth. */
static void validate(uint64_t registry_addr, uint64_t truth_addr, int n_threads, int stop, struct seen *seen)
{
	static struct trk_thread threads[512];
	static struct trk_request records[1 << 16];
	struct trk_registry g = { 0 };
	struct trk_slab s = { 0 };
	struct truth truth;
	long live = 0;
	int n_unsettled = 0;

	fetch(registry_addr, &g, sizeof g);
	ck_assert_int_eq(memcmp(&g.cookie, TRK_COOKIE, 8), 0);
	ck_assert_uint_le(g.n_threads, 512);
	ck_assert_uint_eq(g.thread_bytes, sizeof threads[0]);
	fetch(g.threads, threads, g.n_threads * sizeof threads[0]);
	for (uint32_t i = 0; i < g.n_threads; i++) {
		const struct trk_thread *t = &threads[i];
		ck_assert_uint_le(t->frames[0].depth, TRK_FRAMES);
		if (!t->tid)
			ck_assert_uint_eq(t->frames[0].depth, 0);
		for (uint32_t k = 0; k < t->frames[0].depth; k++) {
			const struct trk_frame *f = &t->frames[k];
			char name[64] = "";
			ck_assert_uint_lt(f->call, g.n_calls);
			fetch(g.call_names + (uint64_t)f->call * g.call_name_bytes, name, 5);
			ck_assert_msg(strncmp(name, "MPI", 3) == 0, "call %u: %s", f->call, name);
			ck_assert_uint_eq(f->has & ~4095u, 0);
			/* the arguments are those of a message of the program */
			if ((f->has & TRK_HAS_MESSAGE) == TRK_HAS_MESSAGE) {
				ck_assert(f->comm != 0 && f->datatype != 0 && f->count >= 0 && f->count <= 1 << 20);
				seen->n_messages++;
			}
			ck_assert(f->caller != 0);
			seen->n_in_calls++;
			seen->n_no_arguments += f->has == 0;
		}
	}
	fetch(g.slabs + TRK_REQUEST * g.slab_bytes, &s, sizeof s);
	ck_assert_uint_eq(s.bytes, sizeof records[0]);
	ck_assert_uint_le(s.high, s.capacity);
	ck_assert_uint_le(s.high, 1 << 16);
	ck_assert_uint_eq(s.n_dropped, 0);
	fetch(s.records, records, s.high * sizeof records[0]);
	for (uint32_t i = 0; i < s.high; i++) {
		const struct trk_request *r = &records[i];
		ck_assert_uint_le(r->state, TRK_FREED);
		if (r->sequence % 2) {
			n_unsettled++;
			continue;
		}
		if (r->state == TRK_LIVE) {
			live++;
			ck_assert(r->handle != 0);
			ck_assert_uint_lt(r->call, g.n_calls);
			ck_assert_int_eq(r->object_kind, TRK_COMM);
			ck_assert_msg(r->has == 0x3f, "record %u: has 0x%x", i, r->has);
			ck_assert(r->flags & (TRK_REQ_ACTIVE | TRK_REQ_PERSISTENT));
		}
	}
	truth_of(truth_addr, n_threads, &truth);
	long low = truth.low, high = truth.high;
	/* a record that is being written may or may not be there */
	ck_assert_msg(n_unsettled <= n_threads, "%d unsettled", n_unsettled);
	ck_assert_msg(live + n_unsettled >= low && live <= high,
		      "stop %d: %ld live, %d unsettled; the program has %ld to %ld", stop, live, n_unsettled, low,
		      high);
	seen->n_unsettled += n_unsettled;
	seen->live_max = live > seen->live_max ? live : seen->live_max;
	seen->live_min = live < seen->live_min ? live : seen->live_min;
	for (unsigned kind = 0; kind < TRK_N_KINDS; kind++)
		if (kind != TRK_REQUEST)
			validate_kind(kind, &g, &truth, n_threads, stop, seen);
}

static const char *const traffic[] = {
	"env LD_PRELOAD=@openmpi @build/programs/track_traffic %d",
	"env LD_PRELOAD=@mpich @build/programs-mpich/track_traffic %d",
	"env LD_PRELOAD=@openmpi @build/programs/track_traffic %d alone",
	"env LD_PRELOAD=@mpich @build/programs-mpich/track_traffic %d alone",
};
enum { N_TRAFFIC = sizeof traffic / sizeof traffic[0] };

START_TEST(test_stops)
{
	struct seen seen = { .live_min = 1 << 20 };
	unsigned long long registry_addr = 0, truth_addr = 0;
	char command[256], line[200] = "";
	int n_threads = 0, out;

	snprintf(command, sizeof command, traffic[_i], TRAFFIC_S);
	pid = world_start(command, &out);
	double deadline = job_now() + 30;
	while (job_now() < deadline && pread(out, line, sizeof line - 1, 0) < 10)
		job_nap();
	ck_assert_msg(sscanf(line, "%llx %llx %d", &registry_addr, &truth_addr, &n_threads) == 3, "%s", line);
	/* until all threads are at work */
	for (int i = 0; i < n_threads; i++) {
		struct truth one = { 0 };
		while (job_now() < deadline && one.turns < 2) {
			fetch(truth_addr + (uint64_t)i * sizeof one, &one, sizeof one);
			job_nap();
		}
		ck_assert_int_ge(one.turns, 2);
	}
	seize_all();
	/* the main one besides four */
	ck_assert_int_ge(n_tids, n_threads);
	unsigned random = 1;
	int stop = 0;
	/* on a machine that is busy with something else it takes too long for all of them */
	for (double end = job_now() + STOPS_S; stop < STOPS && (stop < STOPS / 5 || job_now() < end); stop++) {
		random = random * 1664525u + 1013904223u;
		nanosleep(&(struct timespec){ .tv_nsec = 1000L * (random >> 16) % 1500000 }, NULL);
		stop_all();
		validate(registry_addr, truth_addr, n_threads, stop, &seen);
		go_all();
	}
	printf("%d stops: %ld to %ld live, %d unsettled, %d calls, %d of them without arguments, %d with "
	       "those of a message\n",
	       stop, seen.live_min, seen.live_max, seen.n_unsettled, seen.n_in_calls, seen.n_no_arguments,
	       seen.n_messages);
	printf("objects: %.1f live at a stop, %ld unsettled, %.1f freed, %.1f keys and values\n",
	       (double)seen.n_objects / stop, seen.n_objects_unsettled, (double)seen.n_freed / stop,
	       (double)seen.n_pairs / stop);
	/* it was not idle, and it was not always the same */
	ck_assert_int_gt(seen.n_objects, stop);
	ck_assert_int_gt(seen.n_freed, stop);
	ck_assert_int_gt(seen.n_pairs, 10);
	ck_assert_int_gt(seen.live_max, seen.live_min);
	ck_assert_int_gt(seen.n_in_calls, stop * n_threads / 4);
	ck_assert_int_gt(seen.n_messages, 0);
	kill(pid, SIGKILL);
	/* its threads are ours to bury before it is */
	while (waitpid(-1, NULL, __WALL) > 0 || errno == EINTR)
		;
	close(out);
}
END_TEST

/* It exits by itself, after printing its results. */
START_TEST(test_traffic)
{
	struct mpidbg_run r;
	char command[256];

	snprintf(command, sizeof command, traffic[_i], 3);
	world_run(&r, command);
	ck_assert_msg(r.exit_code == 0 && strstr(r.out, "ok "), "exit %d\n%s%s", r.exit_code, r.out, r.err);
	mpidbg_run_free(&r);
}
END_TEST

int main(void)
{
	world_require();
	Suite *s = suite_create("check_track_requests");
	TCase *tc = tcase_create("requests");

	tcase_set_timeout(tc, TIMEOUT_S);
	tcase_add_loop_test(tc, test_rules, 0, N_RULES);
	tcase_add_loop_test(tc, test_memory, 0, 2);
	tcase_add_loop_test(tc, test_traffic, 0, N_TRAFFIC);
	suite_add_tcase(s, tc);
	tc = tcase_create("stops");
	tcase_set_timeout(tc, TIMEOUT_S);
	tcase_add_loop_test(tc, test_stops, 0, N_TRAFFIC);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
