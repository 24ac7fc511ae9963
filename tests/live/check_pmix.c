/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Jobs of Open MPI 5 on the machines of a cluster (tests/cluster/cluster): their launcher says as PMIx server where the
 * ranks are, and starts the agents.
 */
#include "../support/job.h"
#include "../support/live_main.h"
#include "../support/mpidbg_run.h"
#include "../support/shell.h"
#include "../support/suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N_HOSTS = 2, N_RANKS = 3 };

static char folder[] = "/tmp/mpidbg-pmix-XXXXXX";

static void set_up(void)
{
	const char *build = getenv("MPIDBG_BUILD");

	shell_run("chmod 755 %s && mkdir %s/bin && cp %s/mpidbg %s/libmpidbg.so %s/programs/hangs %s/bin/", folder,
		  folder, build, build, build, folder);
	shell_run("tests/cluster/cluster machines %s %d >%s/up.log 2>&1 || { cat %s/up.log; exit 1; }", folder, N_HOSTS,
		  folder, folder);
}

static void tear_down(void)
{
	shell_run("tests/cluster/cluster down %s", folder);
}

/* Start a job with one rank on n2 and the others on n1, and wait until each is ready. */
static void start(const char *state)
{
	shell_run("mkdir -m 777 %s/truth; setsid tests/cluster/cluster as %s alice login env TRUTH_DIR=%s/truth "
		  "mpirun.openmpi --host n1:2,n2:1 --map-by slot -n %d -x TRUTH_DIR hangs %s </dev/null >%s/log/job "
		  "2>&1 &",
		  folder, folder, folder, N_RANKS, state, folder);
	shell_run(
		"for i in $(seq 1200); do [ $(ls %s/truth | wc -l) != %d ] || exit 0; sleep 0.1; done; cat %s/log/job; "
		"exit 1",
		folder, N_RANKS, folder);
}

static void ask(struct mpidbg_run *run, const char *arguments)
{
	char line[512], cluster[] = "tests/cluster/cluster", as[] = "as", alice[] = "alice", login[] = "login",
			sh[] = "sh", c[] = "-c";

	snprintf(line, sizeof(line), "exec %s/bin/mpidbg %s --job $(pgrep -o -x prterun) --progress=never --limit 200",
		 folder, arguments);
	mpidbg_run_program(run, (char *[]){ cluster, as, folder, alice, login, sh, c, line, NULL });
}

static void contains(const struct mpidbg_run *run, const char *text)
{
	ck_assert_msg(strstr(run->out, text) || strstr(run->err, text), "no \"%s\" in (exit code %d)\n%s%s", text,
		      run->exit_code, run->out, run->err);
}

START_TEST(test_pmix)
{
	struct mpidbg_run run;

	start("ring_sendrecv_tag");
	shell_run("cp %s/log/job %s/log/before", folder, folder);
	ask(&run, "deadlock");
	ck_assert_msg(run.exit_code == 4, "exit code %d\n%s%s", run.exit_code, run.out, run.err);
	contains(&run, "2 of 2 hosts answered (pmix), seen at two moments");
	contains(&run, "2 of 3 ranks wait for something that can never happen");
	contains(&run, "the tag differs");
	ck_assert_str_eq(run.err, "");
	mpidbg_run_free(&run);
	ask(&run, "procs");
	ck_assert_msg(run.exit_code == 0, "exit code %d\n%s%s", run.exit_code, run.out, run.err);
	contains(&run, "n2");
	mpidbg_run_free(&run);
	/* nothing of it is in the output of mpirun, whose ranks go on */
	shell_run("cmp %s/log/job %s/log/before && [ $(ls %s/truth | wc -l) = %d ] && tests/cluster/cluster on %s "
		  "login pgrep -x "
		  "prterun >/dev/null",
		  folder, folder, folder, N_RANKS, folder);
	shell_run("tests/cluster/cluster on %s login pkill -x prterun; for i in $(seq 600); do tests/cluster/cluster "
		  "on %s n1 pgrep "
		  "-x hangs >/dev/null || exit 0; sleep 0.1; done; exit 1",
		  folder, folder);
}
END_TEST

/* Why this cannot be tested here; NULL: it can. */
static const char *obstacle(void)
{
	if (system("command -v prterun >/dev/null"))
		return "Open MPI has no launcher of PRRTE: it is older than 5.0";
	if (geteuid() != 0 || system("unshare --net --uts --ipc --pid --fork --mount --mount-proc true 2>/dev/null"))
		return "machines are made of name spaces, which are not allowed here (root, CAP_SYS_ADMIN)";
	return system("command -v ip >/dev/null") ? "ip is not installed" : NULL;
}

int main(void)
{
	live_require(obstacle(), folder);
	Suite *s = suite_create("pmix");
	TCase *tc = tcase_create("pmix");

	tcase_set_timeout(tc, LIVE_TIMEOUT_S);
	tcase_add_unchecked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, test_pmix);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
