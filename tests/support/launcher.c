/* SPDX-License-Identifier: BSD-3-Clause */
#include "launcher.h"

#include "job.h"
#include "process.h"

#include <check.h>
#include <dirent.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RANK_NICE = 10, END_S = 10, DESCENDANTS_MAX = 256 };

struct descendant {
	pid_t pid;
	unsigned long long started;
};

void launcher_environment(void)
{
	setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
	setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
	unsetenv("LD_PRELOAD");
	/* All ranks are on this machine: use only the loopback
	 * interface. Options on the command line take precedence. */
	setenv("OMPI_MCA_btl_tcp_if_include", "lo", 0);
}

/*
 * PRRTE, the launcher of Open MPI since 5.0, has had two names for it: that of 5.0.7 knows only the older, and the
 * others warn of it, 5.0.10's also beside the newer one.
 */
static void oversubscribe_prrte(void)
{
	static int newer = -1;

	if (newer < 0) {
		char more[100];

		launcher_environment();
		snprintf(more, sizeof more, "exec timeout 100 mpirun.openmpi -n %ld true >/dev/null 2>&1",
			 sysconf(_SC_NPROCESSORS_ONLN) + 1);
		setenv("PRTE_MCA_mapby", "slot:oversubscribe", 1);
		newer = system(more) == 0;
		unsetenv("PRTE_MCA_mapby");
	}
	setenv(newer ? "PRTE_MCA_mapby" : "PRTE_MCA_rmaps_default_mapping_policy", "slot:oversubscribe", 1);
}

void launcher_oversubscribe(void)
{
	setenv("OMPI_MCA_rmaps_base_oversubscribe", "1", 1);
	oversubscribe_prrte();
}

bool launcher_takes_several(void)
{
	static const char
		two[] = "exec timeout 100 mpirun.openmpi --oversubscribe -n 1 true : -n 1 true >/dev/null 2>&1";
	static int crashes = -1;

	if (crashes < 0) {
		launcher_environment();
		int status = system(two); /* the shell has become timeout, which dies as its program does */
		crashes = WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV;
		if (crashes)
			puts("Open MPI's launcher crashes when it is given several programs");
	}
	return !crashes;
}

bool launcher_reaches_hosts(void)
{
	enum { NEUTRALS_CODE = 23 };
	static int reaches = -1;
	char two[PATH_MAX];

	if (reaches < 0) {
		launcher_environment();
		snprintf(two, sizeof two,
			 "exec timeout 100 mpirun.openmpi -H n1:1,n2:1 --mca plm_rsh_agent "
			 "\"$PWD\"/tests/support/host_agent"
			 " -n 2 %s/programs/neutral >/dev/null 2>&1",
			 getenv("MPIDBG_BUILD"));
		int status = system(two);
		reaches = WIFEXITED(status) && WEXITSTATUS(status) == NEUTRALS_CODE;
		if (!reaches)
			puts("Open MPI's ranks do not reach each other when this machine is two hosts");
	}
	return reaches;
}

void launcher_make_take_several(void)
{
	if (!launcher_takes_several())
		setenv("PMIX_MCA_pmdl", "^ompi", 1);
	oversubscribe_prrte();
}

void launcher_child(pid_t test)
{
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != test)
		_exit(127);
	signal(SIGTERM, SIG_DFL);
	launcher_environment();
}

void launcher_ranks_sleep(void)
{
	char path[PATH_MAX], library[PATH_MAX];

	snprintf(path, sizeof path, "%s/programs/libidle.so", getenv("MPIDBG_BUILD"));
	/*
	 * In the child of a test with several threads an assertion may never return: Check locks a mutex for each,
	 * which another thread may have held at the time of the fork.
	 */
	if (!realpath(path, library)) {
		dprintf(STDERR_FILENO, "%s: not there: make programs\n", path);
		_exit(127);
	}
	setenv("LD_PRELOAD", library, 1);
	setenv("OMPI_MCA_mpi_yield_when_idle", "1", 1);
}

static size_t read_autogroup(const char *path, char text[64])
{
	FILE *f = fopen(path, "re");
	size_t n = f ? fread(text, 1, 63, f) : 0;

	text[n] = '\0';
	if (f)
		fclose(f);
	return n;
}

/*
 * MPICH's launcher makes each rank a session leader. Linux then gives each rank a share of the processors as large
 * as that of our whole session, whatever the priority of its threads (sched(7), "The autogroup feature").
 */
static void autogroup_gives_way(pid_t rank)
{
	char path[64], theirs[64], ours[64];

	snprintf(path, sizeof path, "/proc/%d/autogroup", (int)rank);
	if (!read_autogroup(path, theirs) || !read_autogroup("/proc/self/autogroup", ours) || !strcmp(theirs, ours))
		return;
	FILE *f = fopen(path, "we");
	if (!f)
		return;
	fprintf(f, "%d", RANK_NICE);
	fclose(f);
}

static void threads_give_way(pid_t rank)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/task", (int)rank);
	DIR *d = opendir(path);
	for (struct dirent *e; d && (e = readdir(d));)
		if (e->d_name[0] != '.')
			setpriority(PRIO_PROCESS, (id_t)strtoul(e->d_name, NULL, 10), RANK_NICE);
	if (d)
		closedir(d);
}

static bool descends_from(pid_t pid, pid_t ancestor)
{
	struct process_stat s;

	while (pid > 1 && pid != ancestor)
		pid = process_stat(pid, &s) ? s.parent : 0;
	return pid == ancestor;
}

static size_t descendants_of(pid_t launcher, struct descendant ret[DESCENDANTS_MAX])
{
	DIR *d = opendir("/proc");
	struct process_stat s;
	size_t n = 0;

	ck_assert_ptr_nonnull(d);
	for (struct dirent *e; n < DESCENDANTS_MAX && (e = readdir(d));) {
		pid_t pid = (pid_t)strtol(e->d_name, NULL, 10);
		if (pid > 1 && pid != launcher && descends_from(pid, launcher) && process_stat(pid, &s))
			ret[n++] = (struct descendant){ pid, s.started };
	}
	closedir(d);
	return n;
}

void launcher_give_way(pid_t launcher)
{
	struct descendant all[DESCENDANTS_MAX];
	size_t n = descendants_of(launcher, all);

	for (size_t i = 0; i < n; i++) {
		autogroup_gives_way(all[i].pid);
		threads_give_way(all[i].pid);
	}
}

static bool runs(pid_t pid)
{
	char state = process_state(pid);

	return state && state != 'Z' && state != 'X';
}

/* Is it still the same process? Its pid may have been reused. */
static bool is_still(const struct descendant *d)
{
	struct process_stat s;

	return runs(d->pid) && process_stat(d->pid, &s) && s.started == d->started;
}

void launcher_stop(pid_t launcher, const pid_t *ranks, size_t n)
{
	struct descendant below[DESCENDANTS_MAX];
	size_t n_below = launcher > 0 ? descendants_of(launcher, below) : 0;
	double deadline = job_now() + END_S;

	for (size_t i = 0; i < n; i++)
		if (ranks[i] > 1)
			kill(ranks[i], SIGKILL);
	if (launcher > 0) {
		kill(launcher, SIGTERM);
		while (waitpid(launcher, NULL, WNOHANG) == 0) {
			if (job_now() > deadline)
				kill(launcher, SIGKILL);
			job_nap();
		}
	}
	deadline = job_now() + END_S;
	for (size_t i = 0; i < n; i++)
		while (ranks[i] > 1 && runs(ranks[i]) && job_now() < deadline)
			job_nap();
	for (size_t i = 0; i < n_below; i++)
		while (is_still(&below[i])) {
			if (job_now() > deadline)
				kill(below[i].pid, SIGKILL);
			job_nap();
		}
}
