/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A debugger may stop a process between any two instructions and read its tables: here it does so at each of them,
 * while a child fills them, changes them and forgets them (requirement 31 of docs/mpi2dd.md).
 */
#include "../../include/mpi2dd.h"
#include "../../mpi2dd/tables/directory.h"
#include "../../mpi2dd/tables/alloc_permanent.h"
#include "../support/suite.h"

#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TIMEOUT_S = 120, MANY = 40 };

#ifdef __SANITIZE_ADDRESS__
static const bool is_sanitized = true;
#else
static const bool is_sanitized;
#endif

struct MPI2DD_INFO MPI2DD_info __attribute__((aligned(64))) = { .version = 1 };

static struct m2d_process all[MANY];
static char hosts[MANY][16];
static struct MPI2DD_SPAWNDESC spawn;

static void set_up(void)
{
	for (int i = 0; i < MANY; i++) {
		snprintf(hosts[i], sizeof hosts[i], "host%d", i);
		all[i] = (struct m2d_process){ hosts[i], i % 3 ? "/bin/a" : "/bin/b", 1000 + i, i };
	}
}

/* ---- the code that is single-stepped ---------------------------------------------------------------------- */

static void fill_and_change(void)
{
	m2d_directory_set_meta("meta", "/bin/meta", 4711);
	m2d_directory_set_processes(all, 3, "world", NULL);
	m2d_directory_set_directories(all, 2);
	m2d_directory_set_processes(all, MANY, "world", &spawn);
	m2d_directory_set_directories(all, 30);
	m2d_directory_set_processes(all, 5, "world", &spawn);
	m2d_directory_forget();
}

/* ---- the debugger -------------------------------------------------------------------------------- */

static pid_t child;

static void fetch(void *to, MPI2DD_ADDR_T from, size_t n)
{
	struct iovec here = { to, n }, there = { (void *)from, n };
	ck_assert_msg(process_vm_readv(child, &here, 1, &there, 1, 0) == (ssize_t)n, "%zu bytes at %#zx", n,
		      (size_t)from);
}

static void has_text(MPI2DD_ADDR_T at, const char *expected)
{
	char text[32] = "";
	ck_assert(at != 0);
	fetch(text, at, strlen(expected) + 1);
	ck_assert_str_eq(text, expected);
}

/* All tables are complete. Counts what was seen, so that a test that sees nothing fails. */
static void look(size_t seen[3])
{
	struct MPI2DD_INFO info = { 0 };
	struct MPI2DD_PROCDESC p[MANY] = { 0 };
	struct MPI2DD_DIRECTORYENTRY d[MANY] = { 0 };
	fetch(&info, (MPI2DD_ADDR_T)&MPI2DD_info, sizeof info);
	ck_assert(info.proctable_size == 0 || info.proctable_size == 3 || info.proctable_size == 5 ||
		  info.proctable_size == MANY);
	ck_assert(info.directory_size == 0 || info.directory_size == 2 || info.directory_size == 30);
	if (info.mpi_flags & MPI2DD_MPIFLAG_I_AM_DIR)
		ck_assert_int_gt(info.proctable_size, 0);
	if (info.meta_pid) {
		has_text(info.meta_host_name, "meta");
		has_text(info.meta_executable_name, "/bin/meta");
	}
	if (info.proctable_size)
		fetch(p, info.proctable, (size_t)info.proctable_size * sizeof *p);
	if (info.directory_size)
		fetch(d, info.directory_table, (size_t)info.directory_size * sizeof *d);
	/* texts of the ends: all of them would take too long at every step */
	for (int i = 0; i < info.proctable_size; i++) {
		ck_assert_int_eq(p[i].pid, all[i].pid);
		ck_assert_int_eq(p[i].rank, i);
		ck_assert(p[i].host_name && p[i].executable_name && p[i].comm_world_id);
		if (i + 1 == info.proctable_size) {
			has_text(p[i].host_name, all[i].host);
			has_text(p[i].executable_name, all[i].executable);
			has_text(p[i].comm_world_id, "world");
		}
	}
	for (int i = 0; i < info.directory_size; i++) {
		ck_assert_int_eq(d[i].pid, all[i].pid);
		if (i + 1 == info.directory_size)
			has_text(d[i].host_name, all[i].host);
	}
	seen[0] += info.proctable_size == MANY;
	seen[1] += info.directory_size == 30;
	seen[2]++;
}

START_TEST(test_req_31_a_stop_at_any_instruction)
{
	size_t seen[3] = { 0 };
	int status;
	set_up();
	child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		fill_and_change();
		_exit(0);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFSTOPPED(status));
	for (;;) {
		ck_assert_int_eq(ptrace(PTRACE_SINGLESTEP, child, NULL, NULL), 0);
		ck_assert_int_eq(waitpid(child, &status, 0), child);
		if (!WIFSTOPPED(status))
			break;
		look(seen);
	}
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	ck_assert_uint_gt(seen[0], 100);
	ck_assert_uint_gt(seen[1], 100);
	ck_assert_uint_gt(seen[2], 1000);
}
END_TEST

/* ---- the tables themselves ----------------------------------------------------------------------- */

START_TEST(test_texts_are_kept_once)
{
	set_up();
	ck_assert(m2d_directory_set_processes(all, MANY, "w", NULL));
	const struct MPI2DD_PROCDESC *p = (const void *)MPI2DD_info.proctable;
	for (int i = 0; i < MANY; i++) {
		ck_assert_str_eq((const char *)p[i].host_name, all[i].host);
		ck_assert_str_eq((const char *)p[i].executable_name, all[i].executable);
		ck_assert(p[i].executable_name == p[i % 3 ? 1 : 0].executable_name);
		ck_assert(p[i].comm_world_id == p[0].comm_world_id);
		ck_assert(p[i].spawn_desc == 0);
	}
	hosts[0][0] = 'X'; /* copies */
	ck_assert_str_eq((const char *)p[0].host_name, "host0");
}
END_TEST

START_TEST(test_unknown_world)
{
	set_up();
	ck_assert(m2d_directory_set_processes(all, 1, "", &spawn));
	const struct MPI2DD_PROCDESC *p = (const void *)MPI2DD_info.proctable;
	ck_assert(p->comm_world_id == 0);
	ck_assert(p->spawn_desc == (MPI2DD_ADDR_T)&spawn);
}
END_TEST

START_TEST(test_no_directories)
{
	ck_assert(m2d_directory_set_directories(NULL, 0));
	ck_assert(MPI2DD_info.directory_table == 0);
	ck_assert_int_eq(MPI2DD_info.directory_size, 0);
	ck_assert_uint_eq(MPI2DD_info.mpi_flags, MPI2DD_MPIFLAG_I_AM_METADIR);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("check_mpi2dd_publish");
	TCase *tc = tcase_create("publish");
	tcase_set_timeout(tc, TIMEOUT_S);
	if (!is_sanitized) /* most steps would be in the sanitizer's own code */
		tcase_add_test(tc, test_req_31_a_stop_at_any_instruction);
	tcase_add_test(tc, test_texts_are_kept_once);
	tcase_add_test(tc, test_unknown_world);
	tcase_add_test(tc, test_no_directories);
	suite_add_tcase(suite, tc);
	return suite_run(suite);
}
