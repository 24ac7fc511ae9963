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

enum { TIMEOUT_S = 300, STOPS = 1000, TRAFFIC_S = 120, TIDS = 64 };

static const char *const rules[] = {
	"mpirun.openmpi --oversubscribe -n 2 -x LD_PRELOAD=@openmpi @build/programs/track_requests",
	"mpirun.mpich -n 2 -genv LD_PRELOAD @mpich @build/programs-mpich/track_requests",
};

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
	ck_assert_int_gt(n_tids, 4);
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

/* What the program says of itself. */
static void truth_of(uint64_t address, int n, long *low, long *high)
{
	long one[8];

	*low = *high = 0;
	for (int i = 0; i < n; i++) {
		fetch(address + (uint64_t)i * sizeof one, one, sizeof one);
		*low += one[0];
		*high += one[1];
	}
}

struct seen {
	long live_min, live_max;
	int n_unsettled, n_in_calls, n_no_arguments;
};

/* Every record and frame of the stopped process; then their number against the truth. */
static void validate(uint64_t registry_addr, uint64_t truth_addr, int n_threads, int stop, struct seen *seen)
{
	static struct trk_thread threads[512];
	static struct trk_request records[1 << 16];
	struct trk_registry g = { 0 };
	struct trk_slab s = { 0 };
	long low, high, live = 0;
	int n_unsettled = 0;

	fetch(registry_addr, &g, sizeof g);
	ck_assert_int_eq(memcmp(&g.cookie, TRK_COOKIE, 8), 0);
	ck_assert_uint_le(g.n_threads, 512);
	ck_assert_uint_eq(g.thread_bytes, sizeof threads[0]);
	fetch(g.threads, threads, g.n_threads * sizeof threads[0]);
	for (uint32_t i = 0; i < g.n_threads; i++) {
		const struct trk_thread *t = &threads[i];
		ck_assert_uint_le(t->depth, TRK_FRAMES);
		if (!t->tid)
			ck_assert_uint_eq(t->depth, 0);
		for (uint32_t k = 0; k < t->depth; k++) {
			const struct trk_frame *f = &t->frames[k];
			char name[64] = "";
			ck_assert_uint_lt(f->call, g.n_calls);
			fetch(g.call_names + (uint64_t)f->call * g.call_name_bytes, name, 5);
			ck_assert_msg(strncmp(name, "MPI", 3) == 0, "call %u: %s", f->call, name);
			ck_assert_uint_eq(f->has & ~1023u, 0);
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
		ck_assert_uint_le(r->next, s.high);
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
	/* chains end */
	static unsigned char mark[(1 << 16) + 1];
	memset(mark, 0, sizeof mark);
	for (uint32_t i = 1; i <= s.high; i++) {
		uint32_t at = i;
		for (; at && !mark[at]; at = records[at - 1].next)
			mark[at] = 1;
		ck_assert_msg(!at || mark[at] == 2, "stop %d: a cycle at record %u", stop, at);
		for (at = i; at && mark[at] == 1; at = records[at - 1].next)
			mark[at] = 2;
	}
	truth_of(truth_addr, n_threads, &low, &high);
	/* what is being written is there or not */
	ck_assert_msg(n_unsettled <= n_threads, "%d unsettled", n_unsettled);
	ck_assert_msg(live + n_unsettled >= low && live <= high,
		      "stop %d: %ld live, %d unsettled; the program has %ld to %ld", stop, live, n_unsettled, low,
		      high);
	seen->n_unsettled += n_unsettled;
	seen->live_max = live > seen->live_max ? live : seen->live_max;
	seen->live_min = live < seen->live_min ? live : seen->live_min;
}

static const char *const traffic[] = {
	"env LD_PRELOAD=@openmpi @build/programs/track_traffic",
	"env LD_PRELOAD=@mpich @build/programs-mpich/track_traffic",
};

START_TEST(test_stops)
{
	struct seen seen = { .live_min = 1 << 20 };
	unsigned long long registry_addr = 0, truth_addr = 0;
	char command[256], line[200] = "";
	int n_threads = 0, out;

	snprintf(command, sizeof command, "%s %d", traffic[_i], TRAFFIC_S);
	pid = world_start(command, &out);
	double deadline = job_now() + 30;
	while (job_now() < deadline && pread(out, line, sizeof line - 1, 0) < 10)
		job_nap();
	ck_assert_msg(sscanf(line, "%llx %llx %d", &registry_addr, &truth_addr, &n_threads) == 3, "%s", line);
	/* until all threads are at work */
	for (int i = 0; i < n_threads; i++) {
		long one[8] = { 0 };
		while (job_now() < deadline && one[2] < 2) {
			fetch(truth_addr + (uint64_t)i * sizeof one, one, sizeof one);
			job_nap();
		}
		ck_assert_int_ge(one[2], 2);
	}
	seize_all();
	unsigned random = 1;
	for (int stop = 0; stop < STOPS; stop++) {
		random = random * 1664525u + 1013904223u;
		nanosleep(&(struct timespec){ .tv_nsec = 1000L * (random >> 16) % 1500000 }, NULL);
		stop_all();
		validate(registry_addr, truth_addr, n_threads, stop, &seen);
		go_all();
	}
	printf("%d stops: %ld to %ld live, %d unsettled, %d calls, %d of them without arguments\n", STOPS,
	       seen.live_min, seen.live_max, seen.n_unsettled, seen.n_in_calls, seen.n_no_arguments);
	/* it was not idle, and it was not always the same */
	ck_assert_int_gt(seen.live_max, seen.live_min);
	ck_assert_int_gt(seen.n_in_calls, STOPS);
	kill(pid, SIGKILL);
	/* its threads are ours to bury before it is */
	while (waitpid(-1, NULL, __WALL) > 0 || errno == EINTR)
		;
	close(out);
}
END_TEST

/* It ends by itself, with what it says at its end. */
START_TEST(test_traffic)
{
	struct mpidbg_run r;
	char command[256];

	snprintf(command, sizeof command, "%s 3", traffic[_i]);
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
	tcase_add_loop_test(tc, test_rules, 0, 2);
	tcase_add_loop_test(tc, test_traffic, 0, 2);
	tcase_add_loop_test(tc, test_stops, 0, 2);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
