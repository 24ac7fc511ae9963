/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Jobs on the hosts of a cluster (tests/cluster/cluster), asked for by a user on its login node: with Slurm, and by ssh
 * with both MPIs; hosts that do not answer; a job that is slow; two jobs at once. What the programs do is known:
 * tests/programs/hangs.def.
 */
#include "../support/hangs.h"
#include "../support/job.h"
#include "../support/live_main.h"
#include "../support/mpidbg_run.h"
#include "../support/shell.h"
#include "../support/suite.h"

#include <check.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N_HOSTS = 3, TRIES_SLOW = 5, TRIES_ALL = 50 };

static char folder[] = "/tmp/mpidbg-cluster-XXXXXX";

/* The programs are copied, because the users of the cluster may not enter the folder of the build. */
static void set_up(void)
{
	const char *build = getenv("MPIDBG_BUILD");

	shell_run("cd %s && chmod 755 . && mkdir bin mpich && cd - >/dev/null && for f in mpidbg mpidbg-static "
		  "libmpidbg.so "
		  "mpi2dd-run libmpi2dd-openmpi.so "
		  "programs/hangs "
		  "programs/slow programs/spawn_hosts programs/leaks programs/libidle.so; do cp %s/$f %s/bin/ || exit "
		  "1; done && cp "
		  "%s/programs-mpich/hangs %s/mpich/",
		  folder, build, folder, build, folder);
	shell_run("tests/cluster/cluster up %s %d >%s/up.log 2>&1 || { cat %s/up.log; exit 1; }", folder, N_HOSTS,
		  folder, folder);
}

static void tear_down(void)
{
	shell_run("tests/cluster/cluster down %s", folder);
}

/* Start a job as alice, and wait until each rank is ready. */
static void start(const char *name, int n_ranks, const char *command)
{
	shell_run("mkdir -m 777 %s/truth.%s", folder, name);
	shell_run(
		"setsid tests/cluster/cluster as %s alice login env TRUTH_DIR=%s/truth.%s LD_PRELOAD=%s/bin/libidle.so "
		"OMPI_MCA_btl_tcp_if_include=10.79.0.0/24 OMPI_MCA_oob_tcp_if_include=10.79.0.0/24 "
		"OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_rmaps_base_oversubscribe=1 UCX_TLS=tcp,self "
		"%s </dev/null >%s/log/%s 2>&1 &",
		folder, folder, name, folder, command, folder, name);
	shell_run("for i in $(seq 1200); do [ $(ls %s/truth.%s | wc -l) != %d ] || exit 0; sleep 0.1; done; cat "
		  "%s/log/%s; exit 1",
		  folder, name, n_ranks, folder, name);
}

static void as_alice(const char *command)
{
	shell_run("tests/cluster/cluster as %s alice login sh -c '%s'", folder, command);
}

/* End all jobs with this command, and wait until nothing of them is left: the next test finds its own by name. */
static void end(const char *command)
{
	as_alice(command);
	for (int i = 0; i <= N_HOSTS; i++) {
		char host[16] = "login";
		if (i)
			snprintf(host, sizeof(host), "n%d", i);
		shell_run("for i in $(seq 1200); do tests/cluster/cluster on %s %s pgrep -lx "
			  "'hangs|slow|spawn_hosts|spawn_hydra|mpirun.openmpi|mpiexec.hydra|srun' 2>/dev/null; [ $? != "
			  "1 ] || exit "
			  "0; sleep "
			  "0.1; done; exit 1",
			  folder, host);
	}
}

/* For the next questions: "NAME=VALUE". */
static const char *environment = "";

/* Run mpidbg with these arguments, which a shell on the host sees. */
static void ask_as(struct mpidbg_run *run, const char *user, const char *host, const char *arguments)
{
	char line[1024], cluster[] = "tests/cluster/cluster", as[] = "as", sh[] = "sh", c[] = "-c";
	char *argv[] = { cluster, as, folder, (char *)user, (char *)host, sh, c, line, NULL };

	snprintf(line, sizeof(line), "exec env %s mpidbg %s%s", environment, arguments,
		 strstr(arguments, "--limit") || strchr(arguments, '>') || !strstr(arguments, "--job")
			 ? ""
			 : " --progress=never --limit 200");
	mpidbg_run_program(run, argv);
}

static void ask(struct mpidbg_run *run, const char *arguments)
{
	ask_as(run, "alice", "login", arguments);
}

static void contains(const struct mpidbg_run *run, const char *text)
{
	ck_assert_msg(strstr(run->out, text) || strstr(run->err, text), "no \"%s\" in (exit code %d)\n%s%s", text,
		      run->exit_code, run->out, run->err);
}

/* The whole answer about the ring whose tags do not match. */
static void expect_ring_at(const char *host, const char *arguments, const char *way)
{
	struct mpidbg_run run;
	char basis[100];

	ask_as(&run, "alice", host, arguments);
	ck_assert_msg(run.exit_code == 4, "%s: exit code %d\n%s%s", arguments, run.exit_code, run.out, run.err);
	snprintf(basis, sizeof(basis), "2 of 2 hosts answered (%s), seen at two moments", way);
	contains(&run, basis);
	contains(&run, "2 of 3 ranks wait for something that can never happen");
	contains(&run, "the tag differs");
	ck_assert_msg(!*run.err, "%s: %s", arguments, run.err);
	mpidbg_run_free(&run);
}

static void expect_ring(const char *arguments, const char *way)
{
	expect_ring_at("login", arguments, way);
}

/* Two readings of a job, compared. */
static void expect_diff(const char *arguments, const char *conclusion)
{
	struct mpidbg_run run;

	ask(&run, arguments);
	ck_assert_msg(run.exit_code == 0, "%s: exit code %d\n%s%s", arguments, run.exit_code, run.out, run.err);
	contains(&run, conclusion);
	mpidbg_run_free(&run);
}

/* mpidbg top in a terminal: it runs until top_ends(). */
static void start_top(const char *job)
{
	shell_run("tmux -L %s -f /dev/null new-session -d -x 120 -y 14 \"tests/cluster/cluster as %s alice login env "
		  "TERM=screen sh -c 'mpidbg top --job slurm:\\$(squeue -h -n %s -o %%A); echo exit \\$?; sleep "
		  "1000'\"",
		  strrchr(folder, '/') + 1, folder, job);
}

static void top_shows(const char *text)
{
	shell_run("for i in $(seq 1200); do tmux -L %s capture-pane -p | grep -q -e '%s' && exit 0; sleep 0.1; done; "
		  "tmux -L %s capture-pane -p; exit 1",
		  strrchr(folder, '/') + 1, text, strrchr(folder, '/') + 1);
}

static void top_ends(void)
{
	shell_run("tmux -L %s send-keys q", strrchr(folder, '/') + 1);
	top_shows("^exit 0");
	shell_run("tmux -L %s kill-server", strrchr(folder, '/') + 1);
}

/* The same from outside the machines, which are reached one by
 * one as containers are: by a command that runs another in there. */
static void expect_ring_outside(const char *job)
{
	struct mpidbg_run run;
	char line[600], sh[] = "sh", c[] = "-c";

	snprintf(
		line, sizeof(line),
		"MPIDBG_ON_HOSTS=%s/bin/mpidbg exec $MPIDBG_BUILD/mpidbg deadlock --progress=never --limit 200 --hosts "
		"n1,n2 --via 'tests/cluster/cluster on %s %%h' --job slurm:$(tests/cluster/cluster as %s alice login "
		"squeue "
		"-h -n %s -o %%A)",
		folder, folder, folder, job);
	mpidbg_run_program(&run, (char *[]){ sh, c, line, NULL });
	ck_assert_msg(run.exit_code == 4, "exit code %d\n%s%s", run.exit_code, run.out, run.err);
	contains(&run, "2 of 2 hosts answered (tests/cluster/cluster), seen at two moments");
	contains(&run, "2 of 3 ranks wait for something that can never happen");
	ck_assert_str_eq(run.err, "");
	mpidbg_run_free(&run);
}

START_TEST(test_slurm)
{
	struct mpidbg_run run;

	start("ring", 3, "srun -J ring --mpi=pmix -N2 -n3 hangs ring_sendrecv_tag");
	expect_ring("deadlock --job slurm:$(squeue -h -n ring -o %A)", "srun");
	expect_ring("deadlock --job slurm:$(squeue -h -n ring -o %A).0", "srun");
	expect_ring("deadlock --job $(pgrep -o -x srun)", "srun");
	as_alice("sattach $(squeue -h -n ring -o %A).0 </dev/null >/dev/null 2>&1 & while ! pgrep -x sattach "
		 ">/dev/null; do sleep 0.1; done");
	expect_ring("deadlock --job $(pgrep -o -x sattach)", "srun");
	expect_ring("deadlock --job slurm:$(squeue -h -n ring -o %A) --via pdsh", "pdsh");
	expect_ring("deadlock --job slurm:$(squeue -h -n ring -o %A) --via clush", "clush");
	expect_ring("deadlock --job slurm:$(squeue -h -n ring -o %A) --via \"ssh -x %h\"", "ssh");
	expect_ring_outside("ring");
	/* root reads the job of a user, whose launcher is root's */
	ask_as(&run, "root", "login", "deadlock --job slurm:$(squeue -h -n ring -o %A)");
	ck_assert_msg(run.exit_code == 4, "exit code %d\n%s%s", run.exit_code, run.out, run.err);
	ck_assert_str_eq(run.err, "");
	mpidbg_run_free(&run);
	/* hosts whose mpidbg is another version */
	shell_run("cd %s/bin && v=$(./mpidbg --version | grep -o '[0-9][0-9.]*' | head -n 1) && sed \"s/$v/9${v#?}/g\" "
		  "mpidbg-static >older && chmod 755 older",
		  folder);
	environment = "MPIDBG_ON_HOSTS=$PWD/../../bin/older";
	ask(&run, "deadlock --job slurm:$(squeue -h -n ring -o %A)");
	environment = "";
	ck_assert_int_eq(run.exit_code, 4);
	contains(&run, "n1: its mpidbg is version 9");
	mpidbg_run_free(&run);
	/* a host that is so slow that the other one has ended before it begins: both are asked again */
	shell_run(
		"printf '#!/bin/sh\\n[ $(uname -n) != n2 ] || sleep 1.5\\nexec mpidbg \"$@\"\\n' >%s/bin/late && chmod "
		"755 %s/bin/late",
		folder, folder);
	environment = "MPIDBG_ON_HOSTS=$PWD/../../bin/late";
	expect_ring("deadlock --job slurm:$(squeue -h -n ring -o %A)", "srun");
	environment = "";
	/* another user reads nothing */
	ask_as(&run, "bob", "login", "deadlock --job slurm:$(squeue -h -n ring -o %A)");
	ck_assert_int_eq(run.exit_code, 3);
	contains(&run, "no host answered");
	mpidbg_run_free(&run);
	ask(&run, "jobs");
	ck_assert_int_eq(run.exit_code, 0);
	contains(&run, "running on n[1-2]  ring");
	mpidbg_run_free(&run);
	ask(&run, "deadlock --job slurm:99999");
	ck_assert_int_eq(run.exit_code, 1);
	mpidbg_run_free(&run);
	expect_diff("diff --job slurm:$(squeue -h -n ring -o %A)", "stuck: none of 3 ranks has made progress");
	start_top("ring"); /* not before: a rank is read by one mpidbg at a time */
	top_shows(" 3 ranks");
	top_shows("^1 .*MPI_Sendrecv to rank 2");
	end("scancel -n ring");
	top_shows("the job has ended");
	top_ends();
}
END_TEST

/* MPICH by srun, asked once, and watched until it is known to hang, and then ended by scancel. */
START_TEST(test_pmi2)
{
	struct mpidbg_run run;
	char command[300];

	snprintf(command, sizeof(command), "srun -J pmi2 --mpi=pmi2 -N2 -n3 %s/mpich/hangs ring_sendrecv_tag", folder);
	start("pmi2", 3, command);
	expect_ring("deadlock --job slurm:$(squeue -h -n pmi2 -o %A)", "srun");
	ask(&run, "watch --job slurm:$(squeue -h -n pmi2 -o %A) --after 1 --then end -o watched");
	ck_assert_msg(run.exit_code == 4, "exit code %d\n%s%s", run.exit_code, run.out, run.err);
	contains(&run, "watch: nothing has moved for ");
	contains(&run, "watch: the job is ended");
	ck_assert_msg(!strstr(run.err, "has not ended") && !strstr(run.err, "scancel"), "%s", run.err);
	contains(&run, "the tag differs");
	mpidbg_run_free(&run);
	ask(&run, "deadlock --progress=never --snapshot watched/hang.*.json");
	contains(&run, "the tag differs");
	mpidbg_run_free(&run);
	end("true");
}
END_TEST

/* mpirun in a batch job: the job is named on the login node, or by mpirun or a rank where that runs. */
START_TEST(test_batch)
{
	struct mpidbg_run run;

	start("batch", 3,
	      "sbatch -J batch -w n1,n2 -n4 --ntasks-per-node=2 -o /dev/null --wrap 'exec mpirun.openmpi -n 3 hangs "
	      "ring_sendrecv_tag'");
	expect_ring("deadlock --job slurm:$(squeue -h -n batch -o %A)", "srun");
	expect_ring_at("n1", "deadlock --job $(pgrep -o -x mpirun.openmpi)", "srun");
	expect_ring_at("n1", "deadlock --job $(pgrep -o -x hangs)", "srun");
	/* snapshots of the hosts as files, with that of another job among them */
	start("other", 3, "srun -J other --mpi=pmix -w n3 -n3 hangs ring_sendrecv_tag");
	as_alice("mkdir -p parts");
	for (int i = 1; i <= N_HOSTS; i++) {
		char host[16], line[200];
		snprintf(host, sizeof(host), "n%d", i);
		snprintf(line, sizeof(line), "snapshot --via env --job $(pgrep -o -x hangs) >parts/n%d", i);
		ask_as(&run, "alice", host, line);
		mpidbg_run_free(&run);
	}
	ask(&run, "deadlock --progress=never --snapshot parts");
	ck_assert_msg(run.exit_code == 4, "exit code %d\n%s%s", run.exit_code, run.out, run.err);
	contains(&run, "2 of 3 ranks wait for something that can never happen");
	contains(&run, "parts/n3: is of job slurm:");
	contains(&run, ": it is left out");
	ck_assert_msg(strchr(run.err, '\n') == strrchr(run.err, '\n'), "%s", run.err);
	mpidbg_run_free(&run);
	end("scancel -n batch; scancel -n other");
}
END_TEST

/* A world on one host has spawned one on another, where its processes have the same numbers. */
START_TEST(test_spawned)
{
	struct mpidbg_run run;

	start("spawned", 4, "mpirun.openmpi -x LD_PRELOAD -x TRUTH_DIR -H n1:2,n2:2 -n 2 spawn_hosts n2");
	ask(&run, "deadlock --job $(pgrep -o -x mpirun.openmpi)");
	ck_assert_msg(run.exit_code == 4, "exit code %d\n%s%s", run.exit_code, run.out, run.err);
	ck_assert_str_eq(run.err, "");
	contains(&run, "4 of 4 ranks wait for something that can never happen");
	contains(&run, "deadlock: rank 1 of world ");
	mpidbg_run_free(&run);
	end("kill $(pgrep -o -x mpirun.openmpi)");
}
END_TEST

/*
 * The same with MPICH's launcher, which has another address for each world. MPICH 4 of Debian spawns nothing, so a
 * script asks the launcher for it as MPI_Comm_spawn does (PMI 1).
 */
START_TEST(test_spawned_hydra)
{
	struct mpidbg_run run;
	char command[300];

	shell_run("cat >%s/bin/spawn_hydra <<'END'\n"
		  "#!/bin/bash\n"
		  "printf 'cmd=init pmi_version=1 pmi_subversion=1\\n' >&$PMI_FD; read -r -u $PMI_FD line\n"
		  "[ $# = 0 ] || [ $PMI_RANK != 0 ] || printf '%%s\\n' mcmd=spawn nprocs=2 execname=$0 totspawns=1 "
		  "spawnssofar=1 argcnt=0 preput_num=0 info_num=1 info_key_0=host info_val_0=$1 endcmd >&$PMI_FD\n"
		  "touch $TRUTH_DIR/$#.$PMI_RANK\n"
		  "exec sleep 1000\nEND\nchmod +x %s/bin/spawn_hydra",
		  folder, folder);
	snprintf(command, sizeof(command), "mpiexec.hydra -iface eth0 -hosts n1:2,n2:2 -n 3 %s/bin/spawn_hydra n2,n3",
		 folder);
	start("spawned_hydra", 5, command);
	ask(&run, "procs --job $(pgrep -o -x mpiexec.hydra)");
	ck_assert_msg(run.exit_code == 0, "exit code %d\n%s%s", run.exit_code, run.out, run.err);
	contains(&run, ": 3 ranks, 2 spawned (ssh)");
	contains(&run, "n2    sleeping  ");
	mpidbg_run_free(&run);
	ask(&run, "snapshot --job $(pgrep -o -x mpiexec.hydra) 2>log | grep -o '{.world.:[0-9]*,.rank.:[0-9]*'");
	contains(&run, "{\"world\":0,\"rank\":2\n{\"world\":1,\"rank\":0\n{\"world\":1,\"rank\":1\n");
	mpidbg_run_free(&run);
	ask(&run, "jobs");
	contains(&run, "on n1,n2,n3  mpiexec.hydra -iface eth0 ");
	ck_assert_msg(run.exit_code == 0 && run.out[0] && strchr(strchr(run.out, '\n') + 1, '\n')[1] == '\0', "%s",
		      run.out);
	mpidbg_run_free(&run);
	/* both worlds are one job, also where mpiexec is not; n3 has none of the first one */
	as_alice("mkdir -p spawned");
	for (int i = 1; i <= N_HOSTS; i++) {
		char host[16], line[200];
		snprintf(host, sizeof(host), "n%d", i);
		ask_as(&run, "alice", host, "jobs | tee jobs.log | grep -c hydra:");
		ck_assert_msg(strcmp(run.out, "1\n") == 0, "%s: %s%s", host, run.out, run.err);
		mpidbg_run_free(&run);
		snprintf(line, sizeof(line), "snapshot --via env --job $(pgrep -o -u alice -x sleep) >spawned/n%d", i);
		ask_as(&run, "alice", host, line);
		mpidbg_run_free(&run);
	}
	ask(&run, "snapshot --snapshot spawned/n3 spawned/n1 spawned/n2 | grep -o '{.world.:[0-9]*,.rank.:[0-9]*'");
	ck_assert_str_eq(run.out, "{\"world\":0,\"rank\":0\n{\"world\":0,\"rank\":1\n{\"world\":0,\"rank\":2\n"
				  "{\"world\":1,\"rank\":0\n{\"world\":1,\"rank\":1\n");
	ck_assert_msg(!strstr(run.err, "left out") && !strstr(run.err, "earlier file"), "%s", run.err);
	mpidbg_run_free(&run);
	end("kill $(pgrep -o -x mpiexec.hydra)");
}
END_TEST

/* A ring of MPI_Probe, which leaves no trace in memory: each host counts whether the calls return. */
static void expect_probes(void)
{
	struct mpidbg_run run;
	FILE *f = fopen("/proc/sys/kernel/perf_event_paranoid", "r");
	int paranoid = 3;
	bool counted = f && fscanf(f, "%d", &paranoid) == 1 && paranoid <= 2 && hang_can_count();

	if (f)
		fclose(f);
	ask(&run, "deadlock --job $(pgrep -o -x mpiexec.hydra)");
	ck_assert_msg(run.exit_code == (counted ? 4 : 0), "exit code %d\n%s%s", run.exit_code, run.out, run.err);
	contains(&run,
		 counted ? "2 of 2 hosts answered (ssh), seen at two moments" : "it is unknown whether it returns");
	ck_assert_str_eq(run.err, "");
	mpidbg_run_free(&run);
}

START_TEST(test_ssh)
{
	start("ompi", 3, "mpirun.openmpi -x LD_PRELOAD -x TRUTH_DIR -H n1:2,n2:1 hangs ring_sendrecv_tag");
	expect_ring("deadlock --job $(pgrep -o -x mpirun.openmpi)", "ssh");
	end("kill $(pgrep -o -x mpirun.openmpi)");
	char command[300];
	snprintf(command, sizeof(command), "mpiexec.hydra -iface eth0 -hosts n2:2,n3:1 %s/mpich/hangs probe_ring",
		 folder);
	start("mpich", 3, command);
	expect_probes();
	end("kill $(pgrep -o -x mpiexec.hydra)");
}
END_TEST

/*
 * A job of Flux, which is not installed: a program in its place prints what flux jobs prints, and flux exec runs a
 * command by ssh. The ranks are started by mpirun with the variable that Flux's shell sets.
 */
START_TEST(test_flux)
{
	shell_run("cat >%s/bin/flux <<'END'\n"
		  "#!/bin/sh\n"
		  "command=$1\n"
		  "shift\n"
		  "case $command in\n"
		  "jobs) [ \"$4\" = f2CQzyMuZ ] && echo 'f2CQzyMuZ RUN [0-1] n[1-2]' ;;\n"
		  "exec)\n"
		  "\t[ \"$2 $3\" = '-r 0-1' ] || exit 1\n"
		  "\tfor host in n1 n2; do ssh -n $host \"sh -c '$6'\" & done\n"
		  "\twait ;;\n"
		  "esac\n"
		  "END\nchmod +x %s/bin/flux",
		  folder, folder);
	start("flux", 3,
	      "mpirun.openmpi -x LD_PRELOAD -x TRUTH_DIR -x FLUX_JOB_ID=f2CQzyMuZ -H n1:2,n2:1 hangs "
	      "ring_sendrecv_tag");
	expect_ring("deadlock --job flux:f2CQzyMuZ", "flux");
	end("kill $(pgrep -o -x mpirun.openmpi)");
}
END_TEST

/* The starter's report is of all hosts, whatever has started the ranks, and none is on its own. */
static void expect_report(const char *name, const char *command)
{
	struct mpidbg_run run;
	char line[400];

	snprintf(line, sizeof(line), "sh -c 'mkdir -p %s && cd %s && exec mpi2dd-run --hang 2 --on-hang report,end %s'",
		 name, name, command);
	start(name, 3, line);
	snprintf(line, sizeof(line),
		 "for i in $(seq 1200); do pgrep -x mpi2dd-run >/dev/null || break; sleep 0.1; done; "
		 "cat "
		 "%s/mpi2dd-hang.*.txt",
		 name);
	char cluster[] = "tests/cluster/cluster", as[] = "as", alice[] = "alice", login[] = "login", sh[] = "sh",
	     c[] = "-c";
	mpidbg_run_program(&run, (char *[]){ cluster, as, folder, alice, login, sh, c, line, NULL });
	contains(&run, "2 of 2 hosts answered");
	contains(&run, "2 of 3 ranks wait for something that can never happen");
	ck_assert_msg(!strstr(run.out, "could not be read"), "%s", run.out);
	mpidbg_run_free(&run);
	end("true");
}

START_TEST(test_starter)
{
	expect_report("hang_ssh", "mpirun.openmpi -x LD_PRELOAD -x TRUTH_DIR -H n1:2,n2:1 hangs ring_sendrecv_tag");
	expect_report("hang_srun", "srun --mpi=pmix -N2 -n3 hangs ring_sendrecv_tag");
}
END_TEST

/* What is left at the end of a job on two hosts, once for the ranks that agree. */
START_TEST(test_leaks)
{
	struct mpidbg_run run;
	char line[] = "export OMPI_MCA_btl_tcp_if_include=10.79.0.0/24 OMPI_MCA_oob_tcp_if_include=10.79.0.0/24 "
		      "OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_rmaps_base_oversubscribe=1; "
		      "exec mpi2dd-run --leaks mpirun.openmpi -H n1:2,n2:1 leaks finalize";
	char cluster[] = "tests/cluster/cluster", as[] = "as", alice[] = "alice", login[] = "login", sh[] = "sh",
	     c[] = "-c";

	mpidbg_run_program(&run, (char *[]){ cluster, as, folder, alice, login, sh, c, line, NULL });
	ck_assert_msg(run.exit_code == 0, "exit code %d\n%s%s", run.exit_code, run.out, run.err);
	contains(&run, "ranks [0,2] (2 ranks)");
	contains(&run, "rank 1 of 3 ");
	contains(&run, "3 datatypes by MPI_Type_contiguous in leave_types at leaks.c:");
	mpidbg_run_free(&run);
}
END_TEST

/* Two jobs on the same hosts: the one that hangs, and the one that does not. */
START_TEST(test_slow)
{
	struct mpidbg_run run;

	start("hung", 3, "srun -J hung --mpi=pmix -N2 -n3 hangs ring_sendrecv_tag");
	start("slow", 4, "srun -J slow --mpi=pmix -N2 -n4 slow");
	for (int i = 0; i < (suite_stride(2) == 1 ? TRIES_ALL : TRIES_SLOW); i++) {
		ask(&run, "deadlock --job slurm:$(squeue -h -n slow -o %A)");
		ck_assert_msg(run.exit_code == 0, "exit code %d\n%s%s", run.exit_code, run.out, run.err);
		contains(&run, "no deadlock: rank"); /* "rank 3 goes on", or all of them do */
		mpidbg_run_free(&run);
	}
	expect_ring("deadlock --job slurm:$(squeue -h -n hung -o %A)", "srun");
	expect_diff("diff --job slurm:$(squeue -h -n slow -o %A)", "going on: ");
	end("scancel -n slow; scancel -n hung");
}
END_TEST

/* All three hosts answer, one of them with a copy of mpidbg, of which nothing is left. */
static void expect_copied(const char *arguments, const char *way)
{
	struct mpidbg_run run;
	char basis[100];

	ask(&run, arguments);
	ck_assert_msg(run.exit_code == 4, "%s: exit code %d\n%s%s", arguments, run.exit_code, run.out, run.err);
	snprintf(basis, sizeof(basis), "3 of 3 hosts answered (%s), seen at two moments", way);
	contains(&run, basis);
	ck_assert_str_eq(run.err, "");
	mpidbg_run_free(&run);
	for (int i = 1; i <= N_HOSTS; i++)
		shell_run("tests/cluster/cluster on %s n%d sh -c '! ls /tmp/mpidbg.* 2>/dev/null'", folder, i);
}

/* A host that is silent, and one that has no mpidbg: what the
 * others say is shown, and nothing is concluded from the rest. */
START_TEST(test_unanswered)
{
	struct mpidbg_run run;

	start("wide", 3, "srun -J wide --mpi=pmix -N3 -n3 hangs ring_recv");
	shell_run("touch %s/none && tests/cluster/cluster on %s n3 mount --bind %s/none %s/bin/mpidbg", folder, folder,
		  folder, folder);
	shell_run("tests/cluster/cluster on %s n2 pkill -STOP -x sshd", folder);
	ask(&run, "deadlock --limit 40 --via ssh --job slurm:$(squeue -h -n wide -o %A)");
	ck_assert_msg(run.exit_code == 3, "exit code %d\n%s%s", run.exit_code, run.out, run.err);
	contains(&run, "1 of 3 hosts answered (ssh)");
	contains(&run, "n2: Connection timed out during banner exchange");
	contains(&run, "n3: no mpidbg there");
	mpidbg_run_free(&run);
	ask(&run, "deadlock --job slurm:$(squeue -h -n wide -o %A)");
	ck_assert_msg(run.exit_code == 3, "exit code %d\n%s%s", run.exit_code, run.out, run.err);
	contains(&run, "2 of 3 hosts answered (srun)");
	contains(&run, "n3: no mpidbg there");
	mpidbg_run_free(&run);
	/* hosts that were not asked */
	ask(&run, "deadlock --job slurm:$(squeue -h -n wide -o %A) --hosts n1,n2");
	ck_assert_msg(run.exit_code == 3, "exit code %d\n%s%s", run.exit_code, run.out, run.err);
	contains(&run, "1 rank of MPI_COMM_WORLD is not here");
	mpidbg_run_free(&run);
	shell_run("tests/cluster/cluster on %s n2 pkill -CONT -x sshd", folder);
	expect_copied("deadlock --copy --job slurm:$(squeue -h -n wide -o %A)", "srun");
	expect_copied("deadlock --copy --via ssh --job slurm:$(squeue -h -n wide -o %A)", "ssh");
	ask(&run, "deadlock --copy --via pdsh --job slurm:$(squeue -h -n wide -o %A)");
	ck_assert_int_eq(run.exit_code, 2);
	contains(&run, "--copy: not by pdsh");
	mpidbg_run_free(&run);
	shell_run("tests/cluster/cluster on %s n3 umount %s/bin/mpidbg", folder, folder);
	end("scancel -n wide");
}
END_TEST

/* Why no cluster can be made here; NULL: it can. */
static const char *obstacle(void)
{
	static const char *const programs[] = { "slurmctld", "slurmd", "munged",  "sshd", "pdsh",
						"clush",     "ip",     "setpriv", "tmux" };
	static char text[100];
	char command[200];

	if (geteuid() != 0 || system("unshare --net --uts --ipc --pid --fork --mount --mount-proc true 2>/dev/null"))
		return "a cluster is made of name spaces, which are not allowed here (root, CAP_SYS_ADMIN)";
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		snprintf(command, sizeof(command), "PATH=$PATH:/usr/sbin command -v %s >/dev/null", programs[i]);
		if (system(command) == 0)
			continue;
		snprintf(text, sizeof(text), "%s is not installed", programs[i]);
		return text;
	}
	return NULL;
}

int main(void)
{
	live_require(obstacle(), folder);
	Suite *s = suite_create("cluster");
	TCase *tc = tcase_create("cluster");

	tcase_set_timeout(tc, LIVE_TIMEOUT_S);
	tcase_add_unchecked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, test_slurm);
	tcase_add_test(tc, test_pmi2);
	tcase_add_test(tc, test_batch);
	tcase_add_test(tc, test_spawned);
	tcase_add_test(tc, test_spawned_hydra);
	tcase_add_test(tc, test_ssh);
	tcase_add_test(tc, test_flux);
	tcase_add_test(tc, test_starter);
	tcase_add_test(tc, test_leaks);
	tcase_add_test(tc, test_slow);
	tcase_add_test(tc, test_unanswered);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
