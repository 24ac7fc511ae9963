/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI2DD's tables of a real job, read through the plugin as a debugger reads them, live and from a core. Who the
 * processes are is what they have written down themselves and what the kernel knows of them.
 */
#include "../../host/host.h"
#include "../../include/mpi2dd.h"
#include "../support/job.h"
#include "../support/suite.h"

#include <check.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RANKS = 4, TIMEOUT_S = 240 };

static struct job job;
static char host[256], executable[PATH_MAX];

struct debugger {
	struct host_target *target;
	struct host_plugin plugin;
	struct host_session session;
};

static void open_process(struct debugger *d, const struct job_rank *rank, bool from_core)
{
	struct host_error err = { 0 };
	char path[PATH_MAX];
	enum host_errc code = from_core ? host_open_core(rank->core, NULL, NULL, &d->target, &err)
					: host_open_live(rank->pid, &d->target, &err);

	ck_assert_msg(code == HOST_OK, "%s", err.text);
	snprintf(path, sizeof(path), "%s/libmpidbg.so", getenv("MPIDBG_BUILD"));
	code = host_plugin_load(path, &d->plugin, &err);
	ck_assert_msg(code == HOST_OK, "%s", err.text);
	code = host_session_open(&d->plugin, d->target, NULL, &d->session, &err);
	ck_assert_msg(code == HOST_OK, "%s", err.text);
}

static void close_process(struct debugger *d)
{
	host_session_close(&d->session);
	host_plugin_unload(&d->plugin);
	host_close(d->target);
}

static const char *why(const struct debugger *d)
{
	return d->plugin.mpidbg_error_string(d->session.process);
}

/* ---- expected values ----------------------------------------------------------------------------------- */

static void start_job(void)
{
	char launcher[PATH_MAX + 64], link[64];

	snprintf(launcher, sizeof(launcher), "-x LD_PRELOAD=%s/libmpi2dd-openmpi.so", getenv("MPIDBG_BUILD"));
	job_start("blocked Recv", launcher, RANKS, 0, &job);
	ck_assert_uint_eq(job.n_ranks, RANKS);
	job_cores(&job);
	ck_assert_int_eq(gethostname(host, sizeof(host) - 1), 0);
	snprintf(link, sizeof(link), "/proc/%d/exe", (int)job.ranks[0].pid);
	ssize_t n = readlink(link, executable, sizeof(executable) - 1);
	ck_assert_int_gt(n, 0);
	executable[n] = '\0';
}

static void end_job(void)
{
	job_end(&job);
}

/* ---- tests: _i is 2 * rank + (1: from its core) ----------------------------------------------------- */

START_TEST(test_info)
{
	struct debugger d;
	struct mpidbg_mpi2dd *info;
	int rank = _i / 2;

	open_process(&d, &job.ranks[rank], _i & 1);
	ck_assert_msg(d.plugin.mpidbg_get_mpi2dd(d.session.process, &info) == MPIDBG_SUCCESS, "%s", why(&d));
	ck_assert_int_eq(info->version, MPI2DD_VERSION);
	ck_assert_int_eq(info->variant, MPI2DD_VARIANT);
	ck_assert_int_eq(info->debug_state, MPI2DD_DEBUG_START);
	ck_assert_int_eq(info->meta_pid, job.ranks[0].pid);
	ck_assert_str_eq(info->meta_host, host);
	ck_assert_str_eq(info->meta_executable, executable);
	ck_assert_ptr_null(info->abort_string);
	ck_assert_uint_eq(info->n_procs, rank == 0 ? RANKS : 0);
	ck_assert_uint_eq(info->n_directories, 0);
	ck_assert_int_eq(!!(info->mpi_flags & MPI2DD_MPIFLAG_I_AM_DIR), rank == 0);
	ck_assert_int_eq(!!(info->mpi_flags & MPI2DD_MPIFLAG_I_AM_METADIR), rank == 0);
	d.plugin.mpidbg_free(info);
	close_process(&d);
}
END_TEST

START_TEST(test_procs)
{
	struct debugger d;
	struct mpidbg_world_proc *procs;
	size_t n, n_bad;
	bool seen[RANKS] = { false };

	open_process(&d, &job.ranks[_i / 2], _i & 1);
	int rc = d.plugin.mpidbg_get_world_procs(d.session.process, &procs, &n, &n_bad);
	if (_i / 2 != 0) {
		ck_assert_int_eq(rc, MPIDBG_ERR_NOT_FOUND);
		ck_assert_ptr_nonnull(strstr(why(&d), "it is no directory"));
		close_process(&d);
		return;
	}
	ck_assert_msg(rc == MPIDBG_SUCCESS, "%s", why(&d));
	ck_assert_uint_eq(n, RANKS);
	ck_assert_uint_eq(n_bad, 0);
	for (size_t i = 0; i < n; i++) {
		ck_assert(procs[i].rank >= 0 && procs[i].rank < RANKS && !seen[procs[i].rank]);
		seen[procs[i].rank] = true;
		ck_assert_int_eq(procs[i].pid, job.ranks[procs[i].rank].pid);
		ck_assert_str_eq(procs[i].host, host);
		ck_assert_str_eq(procs[i].executable, executable);
		ck_assert_str_ne(procs[i].world, "");
		ck_assert_str_eq(procs[i].world, procs[0].world);
		ck_assert_ptr_null(procs[i].parent_world);
	}
	d.plugin.mpidbg_free(procs);
	close_process(&d);
}
END_TEST

/* The rank that has written down this pid. */
static int rank_of(long pid)
{
	for (int rank = 0; rank < RANKS; rank++)
		if (job.ranks[rank].pid == pid)
			return rank;
	ck_abort_msg("pid %ld is no rank", pid);
	return 0;
}

/* From the directory all are found; from any other rank the directory. */
START_TEST(test_new_processes)
{
	__typeof__(mqs_setup_new_process_iterator) *first;
	__typeof__(mqs_next_new_process) *next;
	struct debugger d;
	mqs_process_location at;
	bool seen[RANKS] = { false };
	int rc, n = 0;

	open_process(&d, &job.ranks[_i / 2], _i & 1);
	first = (__typeof__(first))dlsym(d.plugin.dl, "mqs_setup_new_process_iterator");
	next = (__typeof__(next))dlsym(d.plugin.dl, "mqs_next_new_process");
	ck_assert(first && next);
	ck_assert_int_eq(first(d.session.process), mqs_ok);
	while ((rc = next(d.session.process, &at)) == mqs_ok) {
		int rank = rank_of(at.pid);

		ck_assert(!seen[rank]);
		seen[rank] = true;
		n++;
		ck_assert_str_eq(at.host_name, host);
		ck_assert_str_eq(at.image_name, executable);
	}
	ck_assert_int_eq(rc, mqs_end_of_list);
	ck_assert_int_eq(n, _i / 2 == 0 ? RANKS : 1);
	ck_assert(seen[0]);
	close_process(&d);
}
END_TEST

/* The descriptions of a process that is sound have no problems, and the doctor knows of MPI2DD. */
START_TEST(test_describe)
{
	struct debugger d;
	char *text = NULL;

	open_process(&d, &job.ranks[_i / 2], _i & 1);
	int rc = d.plugin.mpidbg_describe(d.session.process, MPIDBG_WHAT_PROCS, NULL, &text);
	ck_assert_msg(rc == MPIDBG_SUCCESS, "%s\n%s", why(&d), text);
	ck_assert_msg(strstr(text, executable) != NULL, "%s", text);
	d.plugin.mpidbg_free(text);
	rc = d.plugin.mpidbg_describe(d.session.process, MPIDBG_WHAT_DOCTOR, NULL, &text);
	ck_assert_msg(rc == MPIDBG_SUCCESS, "%s\n%s", why(&d), text);
	ck_assert_msg(strstr(text, "MPI2DD_info") && strstr(text, "partial attach ok"), "%s", text);
	d.plugin.mpidbg_free(text);
	close_process(&d);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("mpi2dd_read");
	TCase *tc = tcase_create("mpi2dd_read");

	tcase_set_timeout(tc, TIMEOUT_S);
	tcase_add_unchecked_fixture(tc, start_job, end_job);
	tcase_add_loop_test(tc, test_info, 0, 2 * RANKS);
	tcase_add_loop_test(tc, test_procs, 0, 2 * RANKS);
	tcase_add_loop_test(tc, test_new_processes, 0, 2 * RANKS);
	tcase_add_loop_test(tc, test_describe, 0, 2 * RANKS);
	suite_add_tcase(s, tc);
	return s;
}

int main(void)
{
	job_require();
	return suite_run(suite());
}
