/* SPDX-License-Identifier: BSD-3-Clause */
/* Which jobs have the starter listen to other hosts: by the launcher's words, the resource manager, the environment. */
#include "../../mpi2dd/run/reach.h"
#include "../support/scratch.h"
#include "../support/suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

static bool is_executable(const char *word)
{
	return strcmp(word, "./a") == 0;
}

/* Of a command line; @ stands for this host's name. */
static enum run_reach reach(const char *text, bool is_launcher, bool is_program)
{
	char line[1024], *words[64];
	struct utsname here;
	size_t n = 0;

	ck_assert_int_eq(uname(&here), 0);
	const char *at = strchr(text, '@');
	snprintf(line, sizeof(line), "%.*s%s%s", at ? (int)(at - text) : (int)strlen(text), text,
		 at ? here.nodename : "", at ? at + 1 : "");
	for (char *save = NULL, *w = strtok_r(line, " ", &save); w; w = strtok_r(NULL, " ", &save))
		words[n++] = w;
	words[n] = NULL;
	return run_reach_needed(words, is_launcher, is_program, is_executable);
}

static void expect(const char *text, enum run_reach expected)
{
	enum run_reach seen = reach(text, true, false);

	ck_assert_msg(seen == expected, "%s: %s", text, seen == RUN_REACH_LOCAL ? "local" : "network");
}

START_TEST(test_launchers)
{
	static const char *const local[] = {
		"mpirun -n 4 ./a",
		"mpirun -n 4 ./a -f input -host node7 --hostfile x", /* the program's own */
		"mpirun -n 1 ./a -H x : -n 2 ./a -f y",
		"mpirun --oversubscribe --mca btl self,tcp -x OMP_NUM_THREADS=2 -n 4 ./a",
		"mpirun -host localhost:4 -n 4 ./a",
		"mpirun --host @ -n 4 ./a",
		"mpirun -H 127.0.0.1,localhost ./a",
		"mpiexec -launcher fork -n 2 ./a",
		"mpiexec -genv A B -n 2 ./a",
	};
	static const char *const network[] = {
		"mpirun -host node7 -n 4 ./a",
		"mpirun --host localhost,node7 ./a",
		"mpirun -H @,node7:2 ./a",
		"mpirun --hostfile hosts ./a",
		"mpirun --machinefile=hosts ./a",
		"mpirun -rf ranks ./a",
		"mpirun --app file",
		"mpiexec -f hosts -n 4 ./a",
		"mpiexec -hosts node7,node8 ./a",
		"mpiexec -launcher ssh ./a",
		"mpiexec -configfile file",
		"mpirun --launch-agent /opt/orted ./a",
		"mpirun --mca plm_rsh_agent ssh ./a",
		"mpirun -n 1 ./a : -host node7 -n 1 ./a",
	};

	for (size_t i = 0; i < sizeof(local) / sizeof(local[0]); i++)
		expect(local[i], RUN_REACH_LOCAL);
	for (size_t i = 0; i < sizeof(network) / sizeof(network[0]); i++)
		expect(network[i], RUN_REACH_NETWORK);
}
END_TEST

START_TEST(test_others)
{
	ck_assert_int_eq(reach("./a", false, true), RUN_REACH_LOCAL);
	ck_assert_int_eq(reach("./jobscript", false, false), RUN_REACH_NETWORK);
	ck_assert_int_eq(run_reach_parse("local"), RUN_REACH_LOCAL);
	ck_assert_int_eq(run_reach_parse("network"), RUN_REACH_NETWORK);
	ck_assert_int_eq(run_reach_parse("Local"), RUN_REACH_AS_NEEDED);
}
END_TEST

/* With a variable: one host, or none of those; several. */
static void variable(const char *name, const char *one, const char *several)
{
	setenv(name, one, 1);
	ck_assert_msg(reach("mpirun ./a", true, false) == RUN_REACH_LOCAL, "%s=%s", name, one);
	setenv(name, several, 1);
	ck_assert_msg(reach("mpirun ./a", true, false) == RUN_REACH_NETWORK, "%s=%s", name, several);
	ck_assert_msg(reach("./a", false, true) == RUN_REACH_NETWORK, "%s=%s, without a launcher", name, several);
	unsetenv(name);
}

START_TEST(test_managers)
{
	char dir[SCRATCH_MAX], one[SCRATCH_MAX + 8], two[SCRATCH_MAX + 8];

	scratch_make(dir, "reach");
	snprintf(one, sizeof(one), "%s/one", dir);
	snprintf(two, sizeof(two), "%s/two", dir);
	FILE *f = fopen(one, "w");
	ck_assert_ptr_nonnull(f);
	fputs("# hosts\nnode1\nnode1\n", f);
	fclose(f);
	f = fopen(two, "w");
	ck_assert_ptr_nonnull(f);
	fputs("node1 4 all.q\nnode2 4 all.q\n", f);
	fclose(f);
	variable("SLURM_JOB_NUM_NODES", "1", "2");
	variable("SLURM_NNODES", "1", "16");
	variable("PBS_NODEFILE", one, two);
	variable("PE_HOSTFILE", one, two);
	variable("LSB_MCPU_HOSTS", "node1 4", "node1 4 node2 4");
	variable("LSB_HOSTS", "node1 node1", "node1 node2");
	setenv("HYDRA_HOST_FILE", one, 1);
	expect("mpiexec ./a", RUN_REACH_NETWORK);
	unsetenv("HYDRA_HOST_FILE");
	setenv("OMPI_MCA_orte_default_hostfile", one, 1);
	expect("mpirun ./a", RUN_REACH_NETWORK);
	unsetenv("OMPI_MCA_orte_default_hostfile");
	scratch_remove(dir);
}
END_TEST

int main(void)
{
	static const char *const variables[] = { "SLURM_JOB_NUM_NODES", "SLURM_NNODES",   "FLUX_JOB_NNODES",
						 "PBS_NUM_NODES",       "PBS_NODEFILE",   "PE_HOSTFILE",
						 "COBALT_NODEFILE",     "LSB_MCPU_HOSTS", "LSB_HOSTS",
						 "LSB_DJOB_HOSTFILE",   "HYDRA_HOST_FILE" };
	Suite *s = suite_create("run_reach");
	TCase *tc = tcase_create("run_reach");

	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
		unsetenv(variables[i]); /* this machine's own */
	tcase_add_test(tc, test_launchers);
	tcase_add_test(tc, test_others);
	tcase_add_test(tc, test_managers);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
