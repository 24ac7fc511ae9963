/* SPDX-License-Identifier: BSD-3-Clause */
/* The ranks of a job by the environment of its processes: from the launcher, from a rank, around scripts. */
#include "../../host/host.h"
#include "../support/job.h"
#include "../support/launcher.h"
#include "../support/mpidbg_run.h"
#include "../support/packs.h"
#include "../support/scratch.h"
#include "../support/shell.h"
#include "../support/suite.h"
#include "../support/process.h"

#include <check.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TIMEOUT_S = 240, NOBODY = 65534, MPICH_RANKS = 3 };

/* The result of the function; end() frees. */
struct answer {
	enum host_errc code;
	struct host_error err;
	struct host_job job;
};

static struct answer ask(pid_t pid)
{
	struct answer a = { 0 };
	a.code = host_job_from_environment(pid, &a.job, &a.err);
	return a;
}

static void end(struct answer *a)
{
	host_job_deinit(&a->job);
}

/* It is the whole world of the job, rank by rank, with the pids that the ranks have written down. */
static void is_world(const struct answer *a, const struct job *job)
{
	char host[256] = "";
	ck_assert_msg(a->code == HOST_OK, "%s", a->err.text);
	ck_assert_int_eq(a->job.launcher, job->launcher);
	ck_assert_uint_eq(a->job.n, job->n_ranks);
	ck_assert_int_eq(gethostname(host, sizeof(host) - 1), 0);
	for (size_t i = 0; i < a->job.n; i++) {
		const struct host_proc *p = &a->job.procs[i];
		char exe[PATH_MAX], link[64];
		ck_assert_int_eq(p->rank, i);
		ck_assert_int_eq(p->world_size, job->n_ranks);
		ck_assert_int_eq(p->pid, job->ranks[i].pid);
		ck_assert_str_eq(p->host, host);
		ck_assert_str_ne(p->job, "");
		ck_assert_str_eq(p->job, a->job.procs[0].job);
		snprintf(link, sizeof(link), "/proc/%d/exe", (int)p->pid);
		ssize_t n = readlink(link, exe, sizeof(exe) - 1);
		ck_assert_int_gt(n, 0);
		exe[n] = '\0';
		ck_assert_str_eq(p->executable, exe);
	}
}

START_TEST(test_launcher_and_ranks)
{
	struct job job;
	job_start("receives", NULL, 3, 0, &job);
	struct answer a = ask(job.launcher);
	is_world(&a, &job);
	end(&a);
	for (size_t i = 0; i < job.n_ranks; i++) {
		a = ask(job.ranks[i].pid);
		is_world(&a, &job);
		end(&a);
	}
	job_end(&job);
}
END_TEST

/* A process above one launcher means that launcher; above two, nobody knows. */
/* mpidbg jobs lists the job of this launcher, among those of others. */
static void is_listed(const struct job *job)
{
	struct mpidbg_run run;
	char name[256] = "";
	size_t i, n = 0;
	json_t *one;

	mpidbg_run(&run, "jobs", "--json", NULL);
	ck_assert_msg(run.exit_code == 0, "exit code %d\n%s", run.exit_code, run.err);
	json_t *answer = mpidbg_run_json(&run);
	json_array_foreach(json_object_get(answer, "jobs"), i, one)
	{
		if (json_integer_value(json_object_get(one, "launcher")) != job->launcher)
			continue;
		n++;
		ck_assert_int_eq(json_integer_value(json_object_get(one, "ranks")), job->n_ranks);
		ck_assert_int_eq(json_integer_value(json_object_get(one, "size")), job->n_ranks);
		ck_assert_int_ge(json_integer_value(json_object_get(one, "seconds")), 0);
		snprintf(name, sizeof(name), "%s", json_string_value(json_object_get(one, "job")));
		ck_assert_ptr_nonnull(json_string_value(json_object_get(one, "state")));
	}
	ck_assert_msg(n == 1, "%s", run.out);
	json_decref(answer);
	mpidbg_run_free(&run);
	mpidbg_run(&run, "jobs", NULL);
	ck_assert_int_eq(run.exit_code, 0);
	ck_assert_msg(!strncmp(run.out, "job  ", 5), "%s", run.out);
	mpidbg_run_free(&run);
	/* its name is a way to it */
	mpidbg_run(&run, "procs", "--json", "--job", name, NULL);
	ck_assert_msg(run.exit_code == 0, "%s: exit code %d\n%s", name, run.exit_code, run.err);
	answer = mpidbg_run_json(&run);
	ck_assert_uint_eq(json_array_size(json_object_get(answer, "processes")), job->n_ranks);
	json_decref(answer);
	mpidbg_run_free(&run);
	mpidbg_run(&run, "procs", "--job", "pmix:7", NULL);
	ck_assert_int_eq(run.exit_code, 2);
	ck_assert_str_eq(run.err, "mpidbg: procs: job pmix:7 has no ranks here (mpidbg jobs)\n");
	mpidbg_run_free(&run);
	/* the same without any argument */
	mpidbg_run(&run, NULL);
	ck_assert_int_eq(run.exit_code, 0);
	ck_assert_msg(!strncmp(run.out, "job  ", 5), "%s", run.out);
	mpidbg_run_free(&run);
	/* its name is a way to it */
	mpidbg_run(&run, "procs", "--json", "--job", name, NULL);
	ck_assert_msg(run.exit_code == 0, "%s: exit code %d\n%s", name, run.exit_code, run.err);
	answer = mpidbg_run_json(&run);
	ck_assert_uint_eq(json_array_size(json_object_get(answer, "processes")), job->n_ranks);
	json_decref(answer);
	mpidbg_run_free(&run);
	mpidbg_run(&run, "procs", "--job", "pmix:7", NULL);
	ck_assert_int_eq(run.exit_code, 2);
	ck_assert_str_eq(run.err, "mpidbg: procs: job pmix:7 has no ranks here (mpidbg jobs)\n");
	mpidbg_run_free(&run);
}

START_TEST(test_two_jobs)
{
	struct job one, two;
	job_start("receives", NULL, 3, 0, &one);
	struct answer a = ask(getpid());
	is_world(&a, &one);
	end(&a);
	job_start("sends", NULL, 2, 0, &two);
	a = ask(getpid());
	ck_assert_int_eq(a.code, HOST_USAGE);
	ck_assert_ptr_nonnull(strstr(a.err.text, "has several jobs among its descendants"));
	ck_assert_ptr_null(a.job.procs);
	a = ask(one.ranks[1].pid);
	is_world(&a, &one);
	end(&a);
	a = ask(two.launcher);
	is_world(&a, &two);
	end(&a);
	a = ask(two.ranks[0].pid);
	is_world(&a, &two);
	end(&a);
	is_listed(&one);
	is_listed(&two);
	job_end(&one);
	job_end(&two);
}
END_TEST

/*
 * One launcher with daemons of several hosts, all of them on
 * this machine and started by shells of an agent, is one job.
 */
START_TEST(test_daemons_below)
{
	struct job job;
	char top[PATH_MAX / 2], mca[PATH_MAX];

	if (!launcher_reaches_hosts())
		return;
	ck_assert_ptr_nonnull(getcwd(top, sizeof(top)));
	snprintf(mca, sizeof(mca), "-H n1:2,n2:2 --mca plm_rsh_agent %s/tests/support/host_agent", top);
	job_start("receives", mca, 4, 0, &job);
	struct answer a = ask(getpid());
	is_world(&a, &job);
	end(&a);
	for (size_t i = 0; i < job.n_ranks; i++) {
		a = ask(job.ranks[i].pid);
		is_world(&a, &job);
		end(&a);
	}
	job_end(&job);
}
END_TEST

static pid_t parent_of(pid_t pid)
{
	struct process_stat s;

	ck_assert(process_stat(pid, &s));
	return s.parent;
}

/* A script around the program inherits its rank and is not it. */
START_TEST(test_script_around)
{
	struct job job;
	char script[SCRATCH_MAX];
	FILE *f = fdopen(scratch_file(script, "script"), "w");
	ck_assert_ptr_nonnull(f);
	fputs("#!/bin/sh\n\"$@\"\nexit $?\n", f);
	ck_assert_int_eq(fclose(f), 0);
	ck_assert_int_eq(chmod(script, 0755), 0);
	job_start("receives", script, 3, 0, &job);
	pid_t around = parent_of(job.ranks[2].pid);
	ck_assert_int_ne(around, job.launcher);
	struct answer a = ask(job.launcher);
	is_world(&a, &job);
	end(&a);
	a = ask(job.ranks[0].pid);
	is_world(&a, &job);
	end(&a);
	a = ask(around);
	is_world(&a, &job);
	end(&a);
	/* The launcher's table names the scripts: the ranks are the programs they start, and nothing was spawned. Open
	 * MPI's launchers since 5.0 have no table: their ranks are found by their environment. */
	const char *source = strtol(pack_installed_release(), NULL, 10) < 5 ? "MPIR_proctable" : "environment";
	char number[32];
	struct mpidbg_run run;
	snprintf(number, sizeof(number), "%d", (int)job.launcher);
	mpidbg_run(&run, "procs", "--job", number, "--json", (char *)NULL);
	ck_assert_msg(run.exit_code == 0, "%s%s", run.out, run.err);
	json_t *json = mpidbg_run_json(&run), *procs = json_object_get(json, "processes");
	ck_assert_str_eq(json_string_value(json_object_get(json_object_get(json, "job"), "source")), source);
	ck_assert_uint_eq(json_array_size(procs), job.n_ranks);
	for (size_t i = 0; i < job.n_ranks; i++) {
		const json_t *p = json_array_get(procs, i);
		const char *exe = json_string_value(json_object_get(p, "executable"));
		ck_assert_int_eq(json_integer_value(json_object_get(p, "pid")), job.ranks[i].pid);
		ck_assert_int_eq(json_integer_value(json_object_get(p, "rank")), (int)i);
		ck_assert_msg(exe && strstr(exe, "/receives"), "%s", exe ? exe : "no executable");
	}
	json_decref(json);
	mpidbg_run_free(&run);
	mpidbg_run(&run, "queues", "--job", number, (char *)NULL);
	ck_assert_msg(run.exit_code == 0 && strstr(run.out, ": 3 ranks (") && !strstr(run.out, "spawned"), "%s%s",
		      run.out, run.err);
	mpidbg_run_free(&run);
	job_end(&job);
	unlink(script);
}
END_TEST

/* Spawned processes are another world: the launcher has both, a rank its own. */
START_TEST(test_spawned)
{
	struct job job;
	job_start("spawn", NULL, 2, 4, &job);
	struct answer a = ask(job.launcher);
	ck_assert_msg(a.code == HOST_OK, "%s", a.err.text);
	ck_assert_uint_eq(a.job.n, 4);
	for (size_t i = 0; i < 4; i++) {
		ck_assert_int_eq(a.job.procs[i].rank, i % 2);
		ck_assert_int_eq(a.job.procs[i].pid, job.ranks[i].pid);
	}
	ck_assert_str_eq(a.job.procs[0].job, a.job.procs[1].job);
	ck_assert_str_eq(a.job.procs[2].job, a.job.procs[3].job);
	ck_assert_str_ne(a.job.procs[1].job, a.job.procs[2].job);
	end(&a);
	for (size_t i = 0; i < 4; i++) {
		a = ask(job.ranks[i].pid);
		ck_assert_msg(a.code == HOST_OK, "%s", a.err.text);
		ck_assert_uint_eq(a.job.n, 2);
		ck_assert_int_eq(a.job.procs[i % 2].pid, job.ranks[i].pid);
		end(&a);
	}
	job_end(&job);
}
END_TEST

/* Processes that belong to no job: an error, and the words for it. */
START_TEST(test_foreign)
{
	struct answer a = ask(getpid());
	ck_assert_int_eq(a.code, HOST_ABSENT);
	ck_assert_ptr_nonnull(strstr(a.err.text, "is no rank of an MPI job"));
	ck_assert_ptr_null(a.job.procs);

	pid_t child = fork();
	ck_assert_int_ge(child, 0);
	if (!child)
		_exit(0);
	siginfo_t info;
	ck_assert_int_eq(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
	a = ask(child);
	ck_assert_int_eq(a.code, HOST_UNREADABLE);
	ck_assert_ptr_nonnull(strstr(a.err.text, "is a zombie"));
	ck_assert_int_eq(waitpid(child, NULL, 0), child);

	a = ask(child);
	ck_assert_int_eq(a.code, HOST_ABSENT);
	ck_assert_ptr_nonnull(strstr(a.err.text, "no such process"));
	a = ask(-1);
	ck_assert_int_eq(a.code, HOST_ABSENT);
	a = ask(0);
	ck_assert_int_eq(a.code, HOST_ABSENT);
}
END_TEST

/* A rank of another user: only root can be another one here. */
START_TEST(test_denied)
{
	struct job job;
	int status;
	if (geteuid() != 0)
		return;
	job_start("sends", NULL, 2, 0, &job);
	pid_t child = fork();
	ck_assert_int_ge(child, 0);
	if (!child) {
		if (setgid(NOBODY) || setuid(NOBODY))
			_exit(99);
		struct answer a = ask(job.ranks[0].pid);
		_exit(a.code == HOST_DENIED && strstr(a.err.text, "run mpidbg as its user") ? 0 : 1);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), 0);
	job_end(&job);
}
END_TEST

/* Hydra gives its jobs no name: the ranks are identified by their common launcher. */
START_TEST(test_hydra)
{
	static const char
		program[] = "#include <mpi.h>\n#include <signal.h>\n#include <sys/prctl.h>\n#include <unistd.h>\n"
			    "int main(int argc, char **argv)\n"
			    "{\n\tMPI_Init(&argc, &argv);\n\tprctl(PR_SET_PDEATHSIG, 9);\n"
			    "\talarm(200);\n\tfor (;;)\n\t\tpause();\n}\n";
	char folder[SCRATCH_MAX], command[3 * PATH_MAX], path[PATH_MAX + 64];
	scratch_make(folder, "hydra");
	snprintf(path, sizeof(path), "%s/wait.c", folder);
	FILE *f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fputs(program, f);
	ck_assert_int_eq(fclose(f), 0);
	snprintf(command, sizeof(command), "mpicc.mpich -o '%s/wait' '%s'", folder, path);
	ck_assert_msg(system(command) == 0, "%s", command);
	snprintf(path, sizeof(path), "%s/wait", folder);

	pid_t launcher = fork();
	ck_assert_int_ge(launcher, 0);
	if (!launcher) {
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		unsetenv("LD_PRELOAD");
		if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
			_exit(127);
		execlp("mpiexec.mpich", "mpiexec.mpich", "-n", "3", path, NULL);
		_exit(127);
	}
	struct answer a = { 0 };
	double deadline = job_now() + LAUNCHER_WAIT_S;
	do {
		end(&a);
		job_nap();
		a = ask(launcher);
		ck_assert_msg(job_now() < deadline, "hydra's job does not come up: %s", a.err.text);
	} while (a.code || a.job.n < MPICH_RANKS || strcmp(a.job.procs[0].executable, path) ||
		 strcmp(a.job.procs[1].executable, path) || strcmp(a.job.procs[2].executable, path));
	ck_assert_int_eq(a.job.launcher, launcher);
	for (size_t i = 0; i < MPICH_RANKS; i++) {
		ck_assert_int_eq(a.job.procs[i].rank, i);
		ck_assert_int_eq(a.job.procs[i].world_size, MPICH_RANKS);
		/* by the number of the world, and the address of mpiexec */
		ck_assert_str_eq(a.job.procs[i].job, a.job.procs[0].job);
		ck_assert_msg(strncmp(a.job.procs[i].job, "0/", 2) == 0, "%s", a.job.procs[i].job);
	}
	struct answer of_rank = ask(a.job.procs[2].pid);
	ck_assert_int_eq(of_rank.code, HOST_OK);
	ck_assert_int_eq(of_rank.job.launcher, launcher);
	ck_assert_uint_eq(of_rank.job.n, MPICH_RANKS);
	for (size_t i = 0; i < MPICH_RANKS; i++)
		ck_assert_int_eq(of_rank.job.procs[i].pid, a.job.procs[i].pid);
	end(&of_rank);
	end(&a);
	kill(launcher, SIGTERM);
	ck_assert_int_eq(waitpid(launcher, NULL, 0), launcher);
	scratch_remove(folder);
}
END_TEST

/*
 * The jobs of a prun are those of prte, which is no ancestor of it, if there is only one. In a name space of processes
 * of their own: PRRTE by its names, a rank by its environment.
 */
START_TEST(test_prun)
{
	static const char
		prte[] = "export PMIX_NAMESPACE=prte-x-9@1 OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=1; sleep 1000 & "
			 "touch one; wait";
	const char *build = getenv("MPIDBG_BUILD"), *answer;
	char folder[SCRATCH_MAX], ignored[100], *path = realpath(build ? build : "build", NULL);

	if (shell_status(ignored, sizeof(ignored), "unshare --pid --fork --mount --mount-proc true 2>&1") != 0) {
		printf("skipped: name spaces are not allowed here\n");
		free(path);
		return;
	}
	scratch_make(folder, "prun");
	answer = shell_output(
		1,
		"cd %s && cp /bin/sh prte && cp /bin/sleep prun && exec 2>&1 unshare --pid --fork --kill-child --mount "
		"--mount-proc sh -c './prte -c \"%s\" & ./prun 1000 & p=$!; while ! [ -e one ]; do sleep 0.01; done; "
		"%s/mpidbg procs --job $p; ./prte -c \"touch two; sleep 1000; true\" & while ! [ -e two ]; do sleep "
		"0.01; done; %s/mpidbg procs --job $p'",
		folder, prte, path, path);
	ck_assert_msg(strstr(answer, "job of prte ") && strstr(answer, "    0 "), "%s", answer);
	ck_assert_msg(strstr(answer,
			     "(prun): is no rank of an MPI job, and none of its descendants is: give the pid of prte"),
		      "%s", answer);
	scratch_remove(folder);
	free(path);
}
END_TEST

int main(void)
{
	job_require();
	Suite *s = suite_create("job");
	TCase *tc = tcase_create("job");
	tcase_set_timeout(tc, TIMEOUT_S);
	tcase_add_test(tc, test_foreign);
	tcase_add_test(tc, test_launcher_and_ranks);
	tcase_add_test(tc, test_two_jobs);
	tcase_add_test(tc, test_daemons_below);
	tcase_add_test(tc, test_script_around);
	tcase_add_test(tc, test_spawned);
	tcase_add_test(tc, test_prun);
	tcase_add_test(tc, test_denied);
	if (!system("command -v mpicc.mpich mpiexec.mpich >/dev/null"))
		tcase_add_test(tc, test_hydra);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
