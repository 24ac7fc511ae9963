/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Requests that have ended, while a debugger wants to know of them (MPI2DD_FLAG_BEING_DEBUGGED): all are there,
 * also when their handle value has come again, until it lets them go or there is no room, which is said.
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

enum { TIMEOUT_S = 180, TURNS = 40, TAG = 1000, MANY_TURNS = 300, LEAST = 64, HELD = 100 };

static void gdb(const struct answers *t, const char *command, struct mpidbg_run *ret)
{
	char pid[16];
	const char *const argv[] = { "gdb", "-nx", "-batch", "-p", pid, "-ex", command, NULL };

	snprintf(pid, sizeof pid, "%d", (int)t->rank0);
	mpidbg_run_program(ret, (char *const *)argv);
	ck_assert_msg(ret->exit_code == 0, "%s: %s", command, ret->err);
}

static void do_gdb(const struct answers *t, const char *command)
{
	struct mpidbg_run r;

	gdb(t, command, &r);
	mpidbg_run_free(&r);
}

static void set_flag(const struct answers *t)
{
	char command[256];

	snprintf(command, sizeof command,
		 "set {unsigned int}((char *)&MPI2DD_info + 8) = {unsigned int}((char *)&MPI2DD_info + 8) | %d",
		 MPI2DD_FLAG_BEING_DEBUGGED);
	do_gdb(t, command);
}

static int call(const struct answers *t, const char *function, const char *value)
{
	char command[256];
	struct mpidbg_run r;

	snprintf(command, sizeof command, "print ((int (*)(int, unsigned long))%s)(%d, %s)", function, TRK_REQUEST,
		 value);
	gdb(t, command, &r);
	const char *answer = strstr(r.out, "$1 = ");
	ck_assert_msg(answer != NULL, "%s%s", r.out, r.err);
	int n = atoi(answer + 5);
	mpidbg_run_free(&r);
	return n;
}

static int release(const struct answers *t, const char *handle)
{
	return call(t, "MPI2DD_release", handle);
}

#define CALL(name, ...) (((__typeof__(&name))dlsym(plugin.dl, #name))(__VA_ARGS__))

/* The number of the first request of the turns, which has ended. */
static int64_t number_of_first(const struct answers *t)
{
	struct host_error err = { 0 };
	struct host_plugin plugin;
	struct host_target *target;
	struct host_session session;
	char path[512];
	int64_t *numbers = NULL, ret = 0;
	size_t n = 0;

	snprintf(path, sizeof path, "%s/libmpidbg.so", getenv("MPIDBG_BUILD"));
	ck_assert_int_eq(host_plugin_load(path, &plugin, &err), HOST_OK);
	ck_assert_int_eq(host_open_live(t->rank0, &target, &err), HOST_OK);
	ck_assert_int_eq(host_session_open(&plugin, target, NULL, &session, &err), HOST_OK);
	ck_assert_int_eq(CALL(mpidbg_get_numbers, session.process, MPIDBG_REQUEST, 1, &numbers, &n, NULL), 0);
	for (size_t i = 0; i < n && !ret; i++) {
		void *info = NULL;

		ck_assert_int_eq(CALL(mpidbg_query, session.process, MPIDBG_REQUEST, numbers[i], &info), 0);
		const struct mpidbg_request_info_t *r = info;
		ck_assert_int_eq(r->req_object.number, numbers[i]);
		if (r->req_has_tag == 1 && r->req_tag == TAG && r->req_bitflags & MPIDBG_REQUEST_INFO_FREED_HANDLE)
			ret = numbers[i];
		CALL(mpidbg_free_info, MPIDBG_REQUEST, info);
	}
	CALL(mpidbg_free, numbers);
	host_session_close(&session);
	host_close(target);
	host_plugin_unload(&plugin);
	return ret;
}

/* Let it do so much, and wait until it has. */
static void go(const struct answers *t, const char *variable, int turns, int is_done)
{
	double end = job_now() + LAUNCHER_WAIT_S;
	char command[64], answer[32];
	struct mpidbg_run r;
	bool done = false;

	snprintf(command, sizeof command, "set var %s = %d", variable, turns);
	snprintf(answer, sizeof answer, "$1 = %d\n", is_done);
	do_gdb(t, command);
	while (!done && job_now() < end) {
		gdb(t, "print done", &r);
		done = strstr(r.out, answer) != NULL;
		mpidbg_run_free(&r);
	}
	ck_assert(done);
}

/* The output of the command about completed requests. */
struct ended {
	unsigned n;                /* with a tag of the turns */
	unsigned by_tag[TURNS];    /* each */
	unsigned n_by_application; /* freed ones */
	long long forgotten;
	char handle[32]; /* one of them */
	bool incomplete; /* it said so */
};

static struct ended look(const struct answers *t)
{
	struct ended ret = { 0 };
	struct mpidbg_run r;
	json_t *object;
	size_t i;

	answers_run(&r, t, "handles request --freed --json", false);
	ck_assert_msg(r.exit_code == 0 || r.exit_code == 3, "exit %d: %s", r.exit_code, r.err);
	json_t *answer = mpidbg_run_json(&r);
	const json_t *process = json_array_get(json_object_get(answer, "processes"), 0);
	const json_t *group = json_array_get(json_object_get(process, "handles"), 0);
	ret.incomplete = r.exit_code == 3;
	ret.forgotten = json_integer_value(json_object_get(group, "forgotten"));
	json_array_foreach(json_object_get(group, "objects"), i, object)
	{
		json_int_t tag = json_integer_value(json_object_get(object, "tag"));

		if (!strcmp(json_string_value(json_object_get(object, "state")), "live") || tag < TAG)
			continue;
		ret.n++;
		if (tag < TAG + TURNS)
			ret.by_tag[tag - TAG]++;
		ret.n_by_application += json_is_true(json_object_get(object, "persistent"));
		snprintf(ret.handle, sizeof ret.handle, "%s", json_string_value(json_object_get(object, "handle")));
	}
	json_decref(answer);
	mpidbg_run_free(&r);
	return ret;
}

static void expect(const struct answers *t, const char *args, int exit_code, const char *words)
{
	struct mpidbg_run r;

	answers_run(&r, t, args, false);
	ck_assert_msg(r.exit_code == exit_code && (strstr(r.err, words) || strstr(r.out, words)),
		      "%s: exit %d, expected %d and \"%s\":\n%.500s%.500s", args, r.exit_code, exit_code, words, r.out,
		      r.err);
	mpidbg_run_free(&r);
}

static void start(struct answers *t, int mpi, const char *environment)
{
	answers_start(t, (enum answers_mpi)mpi,
		      mpi == ANSWERS_MPICH ? "programs-mpich/facts_orphans" : "programs/facts_orphans", 1, environment);
}

/* All of them, each once; those of one handle value go when it is released. */
START_TEST(test_kept)
{
	struct answers t;

	start(&t, _i, NULL);
	set_flag(&t);
	/* the process created requests before the flag was set */
	ck_assert_int_eq(release(&t, "0"), 0);
	go(&t, "go", TURNS, 1);
	struct ended e = look(&t);
	ck_assert_uint_eq(e.n, TURNS);
	for (int i = 0; i < TURNS; i++)
		ck_assert_msg(e.by_tag[i] == 1, "tag %d: %u times", TAG + i, e.by_tag[i]);
	ck_assert_uint_eq(e.n_by_application, TURNS / 4);
	ck_assert_int_eq(e.forgotten, 0);
	ck_assert(!e.incomplete);
	/* one of them by its number, then those of a handle value */
	char number[32];
	snprintf(number, sizeof number, "%" PRId64, number_of_first(&t));
	ck_assert_int_eq(call(&t, "MPI2DD_release_number", number), 1);
	ck_assert_int_eq(call(&t, "MPI2DD_release_number", number), 0);
	e = look(&t);
	ck_assert_uint_eq(e.n, TURNS - 1);
	ck_assert_uint_eq(e.by_tag[0], 0);
	int n = release(&t, e.handle);
	ck_assert_int_ge(n, 1);
	ck_assert_int_eq(release(&t, e.handle), 0);
	struct ended after = look(&t);
	/* the value may have been that of one before the turns, too */
	ck_assert_uint_ge(after.n + (unsigned)n, TURNS - 1);
	ck_assert_uint_lt(after.n, TURNS - 1);
	ck_assert_str_ne(after.handle, e.handle);
	answers_stop(&t);
}
END_TEST

/* Without a debugger a value that comes again replaces what had it: the test before would fail. */
START_TEST(test_not_kept)
{
	struct answers t;

	start(&t, _i, NULL);
	go(&t, "go", TURNS, 1);
	struct ended e = look(&t);
	ck_assert_uint_lt(e.n, TURNS);
	ck_assert_int_eq(e.forgotten, 0);
	answers_stop(&t);
}
END_TEST

/* The smallest table: the limit holds and is reported, and the program continues. A smaller setting is rounded up. */
START_TEST(test_full)
{
	struct answers t;

	start(&t, _i, "MPI2DD_TRACK_REQUEST=1");
	set_flag(&t);
	ck_assert_int_eq(release(&t, "0"), 0);
	go(&t, "go", MANY_TURNS, 1);
	struct ended e = look(&t);
	ck_assert_uint_gt(e.n, LEAST / 2);
	ck_assert_uint_le(e.n, LEAST);
	ck_assert_int_ge(e.forgotten, MANY_TURNS - LEAST);
	ck_assert(e.incomplete);
	/* more than the capacity: pending requests replace completed ones */
	go(&t, "hold", HELD, 2);
	expect(&t, "handles request", 3, "requests: incomplete: ");
	expect(&t, "handles request --leaks", 3, "were not recorded because there was no space");
	expect(&t, "print request 0x12345", 1, "were not recorded because there was no space");
	answers_stop(&t);
}
END_TEST

int main(void)
{
	job_require();
	Suite *suite = suite_create("request_orphans");
	TCase *tcase = tcase_create("orphans");

	tcase_set_timeout(tcase, TIMEOUT_S);
	tcase_add_loop_test(tcase, test_kept, 0, ANSWERS_MPIS);
	tcase_add_loop_test(tcase, test_not_kept, 0, ANSWERS_MPIS);
	tcase_add_loop_test(tcase, test_full, 0, ANSWERS_MPIS);
	suite_add_tcase(suite, tcase);
	return suite_run(suite);
}
