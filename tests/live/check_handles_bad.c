/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handles that were never, or are of another kind; full tables; a registry that is damaged while its program lives; and
 * the debugger that keeps freed objects and lets them go.
 */
#include "../../host/host.h"
#include "../../include/mpi2dd.h"
#include "../../include/mpidbg.h"
#include "../../include/track_layout.h"
#include "../support/answers.h"
#include "../support/job.h"
#include "../support/suite.h"

#include <check.h>
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

enum { TIMEOUT_S = 240, DAMAGES = 400 };

/* ---- words -------------------------------------------------------------------------------------------- */

static void expect(const struct answers *t, const char *args, int exit_code, const char *words)
{
	struct mpidbg_run r;

	answers_run(&r, t, args, false);
	ck_assert_msg(r.exit_code == exit_code && (strstr(r.err, words) || strstr(r.out, words)),
		      "%s: exit %d, expected %d and \"%s\":\n%s%s", args, r.exit_code, exit_code, words, r.out, r.err);
	/* one line, and no more */
	const char *end = strchr(r.err, '\n');
	ck_assert_msg(!end || !end[1], "%s: more than a line: %s", args, r.err);
	mpidbg_run_free(&r);
}

static const char *const leaks[] = { "programs/leaks", "programs-mpich/leaks" };

START_TEST(test_full)
{
	struct answers t;

	answers_start(&t, _i, leaks[_i], 1, "MPI2DD_TRACK_DATATYPE=20");
	expect(&t, "handles datatype", 3, "incomplete: ");
	expect(&t, "handles datatype --leaks", 3, "were not recorded because there was no space");
	expect(&t, "print datatype 0x12345", 1, "were not recorded because there was no space");
	expect(&t, "handles comm", 0, "communicators: 7 live");
	expect(&t, "doctor", 0, "room for 20, 20 used, ");
	answers_stop(&t);
	answers_start(&t, _i, leaks[_i], 1, "MPI2DD_TRACK_ARENA=0");
	expect(&t, "handles comm", 3,
	       "were not recorded because there was no space (the process's environment sets it: MPI2DD_TRACK_ARENA)");
	expect(&t, "doctor", 3, "memory for lists        room for 0 bytes, 0 used");
	answers_stop(&t);
	answers_start(&t, _i, leaks[_i], 1, "MPI2DD_TRACK=0");
	expect(&t, "handles comm", 0, "not recorded");
	expect(&t, "print comm MPI_COMM_WORLD", 1, "not recorded");
	answers_stop(&t);
}
END_TEST

START_TEST(test_wrong)
{
	struct answers t;
	char args[128];

	answers_start(&t, _i, _i ? "programs-mpich/request_lives" : "programs/request_lives", 2, NULL);
	expect(&t, "print comm 0x7f0000001234", 1, "no communicator is 0x7f0000001234");
	expect(&t, "print request 12345678", 1, "no request is 12345678");
	expect(&t, "print comm fortran:-77", 1, "no communicator is fortran:-77");
	expect(&t, "print win @0x3", 3, "cannot be read");
	expect(&t, "print status 0xffffffffffffffff", 3, "cannot be read");
	expect(&t, "print comm cxx:0xffffffffffffffff", 3, "cannot be read");
	/* every request that it has, taken for something else */
	unsigned n = 0;
	for (size_t i = 0; i < t.n && n < 3; i++) {
		unsigned long long handle;

		if (sscanf(json_string_value(json_object_get(t.truths[i], "args")), "print request 0x%llx", &handle) !=
		    1)
			continue;
		snprintf(args, sizeof args, "print comm 0x%llx", handle);
		expect(&t, args, 1, "is no communicator but a ");
		snprintf(args, sizeof args, "print datatype 0x%llx", handle);
		expect(&t, args, 1, "is no datatype but a ");
		n++;
	}
	ck_assert_uint_eq(n, 3);
	expect(&t, "print comm MPI_INT", 1, "MPI_INT is no communicator but a datatype: mpidbg print datatype MPI_INT");
	expect(&t, "print datatype MPI_SUM", 1,
	       "MPI_SUM is no datatype but a reduction operation: mpidbg print op MPI_SUM");
	if (_i == ANSWERS_MPICH) {
		expect(&t, "print op 0x44000000", 1,
		       "0x44000000 is no reduction operation but a communicator: mpidbg print comm 0x44000000");
		expect(&t, "print group fortran:1140850688", 1,
		       "fortran:1140850688 is no group but a communicator: mpidbg print comm 0x44000000");
	}
	answers_stop(&t);
}
END_TEST

/* ---- damage ------------------------------------------------------------------------------------------- */

static struct host_plugin plugin;

static void move(pid_t pid, bool write, uint64_t address, void *bytes, size_t n)
{
	struct iovec here = { bytes, n }, there = { (void *)(uintptr_t)address, n };
	ssize_t done = write ? process_vm_writev(pid, &here, 1, &there, 1, 0)
			     : process_vm_readv(pid, &here, 1, &there, 1, 0);

	ck_assert_msg(done == (ssize_t)n, "0x%llx", (unsigned long long)address);
}

/* Run all queries on a process; every answer must be valid JSON. */
static void ask_all(struct host_session *s, int turn)
{
	struct mpidbg_options o = { .size = sizeof o, .format = MPIDBG_FORMAT_JSON, .all = 1, .freed = 1 };
	static const int whats[] = { MPIDBG_WHAT_HANDLES, MPIDBG_WHAT_CALLS, MPIDBG_WHAT_QUEUES, MPIDBG_WHAT_COMMS };
	char *text = NULL;

	o.leaks = turn % 3 == 0;
	double start = job_now();
	int rc = plugin.mpidbg_describe(s->process, whats[turn % 4], &o, &text);
	ck_assert_int_ge(rc, MPIDBG_SUCCESS);
	ck_assert_int_lt(rc, MPIDBG_MAX_RETURN_CODE);
	ck_assert_msg(job_now() - start < 30, "it took %.1f s", job_now() - start);
	if (rc != MPIDBG_SUCCESS)
		ck_assert(plugin.mpidbg_error_string(s->process)[0]);
	if (text) {
		json_error_t error;
		json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, &error);
		ck_assert_msg(json != NULL, "%s: %.200s", error.text, text);
		json_decref(json);
	}
	plugin.mpidbg_free(text);
}

START_TEST(test_damaged)
{
	char path[4096];
	struct host_session session = { 0 };
	struct host_target *target = NULL;
	struct host_error err = { 0 };
	struct trk_registry head = { 0 };
	struct trk_slab slabs[TRK_N_KINDS];
	uint64_t address = 0;
	struct answers t;
	unsigned random = 7;

	answers_start(&t, _i, leaks[_i], 1, "MPI2DD_TRACK_WHERE=3");
	snprintf(path, sizeof path, "%s/libmpidbg.so", getenv("MPIDBG_BUILD"));
	ck_assert_msg(host_plugin_load(path, &plugin, &err) == HOST_OK, "%s", err.text);
	ck_assert_msg(host_open_live(t.rank0, &target, &err) == HOST_OK, "%s", err.text);
	ck_assert_msg(host_session_open(&plugin, target, NULL, &session, &err) == HOST_OK, "%s", err.text);
	ck_assert(host_symbol(target, "MPI2DD_registry", &address));
	move(t.rank0, false, address, &head, sizeof head);
	move(t.rank0, false, head.slabs, slabs, sizeof slabs);
	for (int turn = 0; turn < DAMAGES; turn++) {
		static const uint64_t values[] = { 0, 1, 0x7f, 0xffffffff, UINT64_MAX, 0x100000000, 0x55, 0x4000 };
		uint64_t base, bytes, was, now;

		random = random * 1664525u + 1013904223u;
		switch (turn % 6) {
		case 0:
			base = address;
			bytes = sizeof head;
			break;
		case 1:
			base = head.slabs;
			bytes = sizeof slabs;
			break;
		case 2:
			base = head.fields;
			bytes = (uint64_t)head.n_fields * head.field_bytes;
			break;
		case 3:
			base = head.threads;
			bytes = head.thread_bytes;
			break;
		default: {
			unsigned kind = (random >> 8) % TRK_N_KINDS;
			base = slabs[kind].records;
			bytes = (uint64_t)slabs[kind].bytes * (slabs[kind].high ? slabs[kind].high : 1);
		}
		}
		uint64_t at = base + (random >> 3) % (bytes / 4 - 1) * 4;
		move(t.rank0, false, at, &was, sizeof was);
		now = turn % 2 ? values[(random >> 20) % 8] : was ^ UINT64_C(1) << (random >> 24) % 64;
		move(t.rank0, true, at, &now, sizeof now);
		ask_all(&session, turn);
		move(t.rank0, true, at, &was, sizeof was);
	}
	/* and all is well again */
	struct mpidbg_options o = { .size = sizeof o, .format = MPIDBG_FORMAT_JSON };
	char *text = NULL;
	ck_assert_int_eq(plugin.mpidbg_describe(session.process, MPIDBG_WHAT_HANDLES, &o, &text), MPIDBG_SUCCESS);
	plugin.mpidbg_free(text);
	host_session_close(&session);
	host_close(target);
	host_plugin_unload(&plugin);
	ck_assert_uint_eq(answers_ask(&t, false), 0);
	answers_stop(&t);
}
END_TEST

/* ---- orphans ------------------------------------------------------------------------------------------ */

static void gdb(const struct answers *t, const char *command, struct mpidbg_run *ret)
{
	char pid[16];
	const char *const argv[] = { "gdb", "-nx", "-batch", "-p", pid, "-ex", command, NULL };

	snprintf(pid, sizeof pid, "%d", (int)t->rank0);
	mpidbg_run_program(ret, (char *const *)argv);
	ck_assert_msg(ret->exit_code == 0, "%s: %s", command, ret->err);
}

/* Call a function of the in-target library in the process. */
static int call(const struct answers *t, const char *function, int kind, uint64_t value)
{
	char command[256];
	struct mpidbg_run r;

	snprintf(command, sizeof command, "print ((int (*)(int, unsigned long))%s)(%d, %" PRIu64 ")", function, kind,
		 value);
	gdb(t, command, &r);
	const char *answer = strstr(r.out, "$1 = ");
	ck_assert_msg(answer != NULL, "%s", r.out);
	int ret = atoi(answer + 5);
	mpidbg_run_free(&r);
	return ret;
}

static bool is_done(const struct answers *t)
{
	struct mpidbg_run r;

	gdb(t, "print done", &r);
	bool ret = strstr(r.out, "$1 = 1\n") != NULL;
	mpidbg_run_free(&r);
	return ret;
}

/* The infos that are freed and still known. */
static size_t freed(const struct answers *t, char first[32])
{
	struct mpidbg_run r;
	json_t *object;
	size_t n = 0, i;

	answers_run(&r, t, "handles info --freed --json", false);
	ck_assert_msg(r.exit_code == 0, "%s", r.err);
	json_t *answer = mpidbg_run_json(&r);
	const json_t *process = json_array_get(json_object_get(answer, "processes"), 0);
	const json_t *group = json_array_get(json_object_get(process, "handles"), 0);
	json_array_foreach(json_object_get(group, "objects"), i, object)
	{
		if (!strcmp(json_string_value(json_object_get(object, "state")), "live"))
			continue;
		if (!n++)
			snprintf(first, 32, "%s", json_string_value(json_object_get(object, "handle")));
	}
	json_decref(answer);
	mpidbg_run_free(&r);
	return n;
}

#define CALL(name, ...) (((__typeof__(&name))dlsym(plugin.dl, #name))(__VA_ARGS__))

/* The freed communicators that the C interface lists, each with a number and a name of its own. @param[out] number of
 * one of them */
static unsigned freed_comms(const struct answers *t, int64_t *number, uint64_t *handle)
{
	enum { ORPHANS = 20 };
	struct host_error err = { 0 };
	struct host_target *target;
	struct host_session session;
	char path[512];
	bool seen[ORPHANS] = { false };
	int64_t *numbers = NULL;
	size_t n = 0;
	unsigned ret = 0;

	snprintf(path, sizeof path, "%s/libmpidbg.so", getenv("MPIDBG_BUILD"));
	ck_assert_int_eq(host_plugin_load(path, &plugin, &err), HOST_OK);
	ck_assert_int_eq(host_open_live(t->rank0, &target, &err), HOST_OK);
	ck_assert_int_eq(host_session_open(&plugin, target, NULL, &session, &err), HOST_OK);
	ck_assert_int_eq(CALL(mpidbg_get_numbers, session.process, MPIDBG_COMM, 1, &numbers, &n, NULL), MPIDBG_SUCCESS);
	for (size_t i = 0; i < n; i++) {
		void *info = NULL;
		unsigned which;

		ck_assert_int_eq(CALL(mpidbg_query, session.process, MPIDBG_COMM, numbers[i], &info), MPIDBG_SUCCESS);
		const struct mpidbg_comm_info_t *c = info;
		ck_assert_int_eq(c->comm_object.number, numbers[i]);
		if (sscanf(c->comm_name, "freed %u", &which) == 1) {
			ck_assert(c->comm_bitflags & MPIDBG_COMM_INFO_FREED_HANDLE);
			ck_assert(which < ORPHANS && !seen[which]);
			ck_assert(!ret || c->comm_c_handle == *handle);
			seen[which] = true;
			*handle = c->comm_c_handle;
			*number = numbers[i];
			ret++;
		}
		CALL(mpidbg_free_info, MPIDBG_COMM, info);
	}
	CALL(mpidbg_free, numbers);
	host_session_close(&session);
	host_close(target);
	host_plugin_unload(&plugin);
	return ret;
}

/* Of 20 communicators that had one handle value, one is released by its number, then the others by the value. */
static void release_comms(const struct answers *t)
{
	uint64_t handle = 0;
	int64_t number = 0;

	ck_assert_uint_eq(freed_comms(t, &number, &handle), 20);
	ck_assert_int_eq(call(t, "MPI2DD_release_number", TRK_COMM, (uint64_t)number), 1);
	ck_assert_int_eq(call(t, "MPI2DD_release_number", TRK_COMM, (uint64_t)number), 0);
	ck_assert_uint_eq(freed_comms(t, &number, &handle), 19);
	ck_assert_int_eq(call(t, "MPI2DD_release", TRK_COMM, handle), 19);
	ck_assert_uint_eq(freed_comms(t, &number, &handle), 0);
}

START_TEST(test_orphans)
{
	static const char
		flag[] = "set {unsigned int}((char *)&MPI2DD_info + 8) = {unsigned int}((char *)&MPI2DD_info + "
			 "8) | %d";
	bool debugged = _i >= ANSWERS_MPIS;
	char command[256], first[32] = "";
	struct mpidbg_run r;
	struct answers t;

	answers_start(&t, _i % ANSWERS_MPIS, _i % ANSWERS_MPIS ? "programs-mpich/orphans" : "programs/orphans", 1,
		      "MPI2DD_TRACK_INFO=64");
	if (debugged) {
		snprintf(command, sizeof command, flag, MPI2DD_FLAG_BEING_DEBUGGED);
		gdb(&t, command, &r);
		mpidbg_run_free(&r);
	}
	gdb(&t, "set var go = 1", &r);
	mpidbg_run_free(&r);
	/* all of them with a debugger; a quarter of the table without */
	size_t expected = debugged ? 40 : 16, n = 0;
	double end = job_now() + 30;
	while ((n = freed(&t, first)) != expected && job_now() < end)
		job_nap();
	ck_assert_uint_eq(n, expected);
	if (debugged) {
		int released = call(&t, "MPI2DD_release", TRK_INFO, strtoull(first, NULL, 0));
		ck_assert_int_ge(released, 1);
		ck_assert_uint_eq(freed(&t, first), expected - (size_t)released);
		while (!is_done(&t) && job_now() < end)
			job_nap();
		release_comms(&t);
	}
	answers_stop(&t);
}
END_TEST

int main(void)
{
	job_require();
	Suite *suite = suite_create("handles_bad");
	TCase *tcase = tcase_create("live");

	tcase_set_timeout(tcase, TIMEOUT_S);
	tcase_add_loop_test(tcase, test_full, 0, ANSWERS_MPIS);
	tcase_add_loop_test(tcase, test_wrong, 0, ANSWERS_MPIS);
	tcase_add_loop_test(tcase, test_damaged, 0, ANSWERS_MPIS);
	tcase_add_loop_test(tcase, test_orphans, 0, 2 * ANSWERS_MPIS);
	suite_add_tcase(suite, tcase);
	return suite_run(suite);
}
