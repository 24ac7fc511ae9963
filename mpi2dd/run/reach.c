/* SPDX-License-Identifier: BSD-3-Clause */
#include "reach.h"

#include "launch_words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#define IS_IN(word, list) is_in(word, list, sizeof(list) / sizeof((list)[0]))

static bool is_in(const char *word, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(word, list[i]) == 0)
			return true;
	return false;
}

enum run_reach run_reach_parse(const char *word)
{
	return strcmp(word, "local") == 0     ? RUN_REACH_LOCAL
	       : strcmp(word, "network") == 0 ? RUN_REACH_NETWORK
					      : RUN_REACH_AS_NEEDED;
}

/* ---- hosts ------------------------------------------------------------------------------------------- */

/* Is this a name of this host? No name service is asked. */
static bool is_this_host(const char *name, size_t n)
{
	struct utsname here;

	if ((n == 9 && strncmp(name, "localhost", n) == 0) || (n > 4 && strncmp(name, "127.", 4) == 0))
		return true;
	return uname(&here) == 0 && strlen(here.nodename) == n && strncmp(name, here.nodename, n) == 0;
}

/* Does a list "node1:4,node2" contain another host? */
static bool lists_other_hosts(const char *list)
{
	while (*list) {
		size_t n = strcspn(list, ","), name = strcspn(list, ":,");

		if (n && !is_this_host(list, name))
			return true;
		list += n + (list[n] == ',');
	}
	return false;
}

/*
 * Count the hosts in a file with one host per line. @return the number of different ones, 2 at most; 0: none, or the
 * file cannot be read.
 */
static int count_hosts(const char *path)
{
	FILE *f = path ? fopen(path, "re") : NULL;
	char line[1024], first[256] = "", host[256];
	int n = 0;

	while (f && n < 2 && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%255s", host) != 1 || host[0] == '#')
			continue;
		if (n && strcmp(host, first) == 0)
			continue;
		memcpy(first, host, sizeof(first));
		n++;
	}
	if (f)
		fclose(f);
	return n;
}

static bool is_more_than_one(const char *variable)
{
	const char *value = getenv(variable);

	return value && atoi(value) > 1;
}

/* Does a list contain different hosts? "node1 node1 node2", or with numbers in between: "node1 4 node2 4". */
static bool hosts_differ(const char *words)
{
	const char *first = words;
	size_t n_first = strcspn(first, " ");

	for (const char *at = words; *at;) {
		size_t n = strcspn(at, " ");

		if (n && strspn(at, "0123456789") != n && (n != n_first || strncmp(at, first, n) != 0))
			return true;
		at += n + strspn(at + n, " ");
	}
	return false;
}

static bool allocation_has_hosts(void)
{
	static const char *const counts[] = { "SLURM_JOB_NUM_NODES", "SLURM_NNODES", "FLUX_JOB_NNODES",
					      "PBS_NUM_NODES" };
	static const char *const files[] = { "PBS_NODEFILE", "PE_HOSTFILE", "COBALT_NODEFILE", "LSB_DJOB_HOSTFILE" };
	static const char *const lists[] = { "LSB_MCPU_HOSTS", "LSB_HOSTS" };

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		if (is_more_than_one(counts[i]))
			return true;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (count_hosts(getenv(files[i])) > 1)
			return true;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		if (getenv(lists[i]) && hosts_differ(getenv(lists[i])))
			return true;
	return false;
}

/* ---- launchers --------------------------------------------------------------------------------------- */

/* Options that imply other hosts: files of hosts or of commands, agents, remote launchers. */
static const char *const remote_options[] = {
	"hostfile",
	"machinefile",
	"default-hostfile",
	"rankfile",
	"rf",
	"app",
	"launch-agent",
	"hnp",
	"dvm-uri",
	"configfile",
	"f",
	"launcher-exec",
	"machine",
	"bootstrap-exec",
};
static const char *const host_list_options[] = { "host", "H", "hosts" };
static const char *const mca_parameters[] = {
	"orte_default_hostfile", "orte_rankfile", "orte_launch_agent",     "orte_hnp_uri",      "plm_rsh_agent",
	"orte_rsh_agent",        "plm_ssh_agent", "prte_default_hostfile", "prte_launch_agent", "rmaps_rank_file_path",
};

static bool environment_names_hosts(void)
{
	static const char *const variables[] = { "HYDRA_HOST_FILE", "HYDRA_LAUNCHER_EXEC", "HYDRA_BOOTSTRAP_EXEC" };
	static const char *const prefixes[] = { "OMPI_MCA_", "PRTE_MCA_" };
	char name[64];

	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
		if (getenv(variables[i]))
			return true;
	for (size_t i = 0; i < sizeof(mca_parameters) / sizeof(mca_parameters[0]); i++)
		for (size_t k = 0; k < sizeof(prefixes) / sizeof(prefixes[0]); k++) {
			snprintf(name, sizeof(name), "%s%s", prefixes[k], mca_parameters[i]);
			if (getenv(name))
				return true;
		}
	return false;
}

/* The default hostfile, which Open MPI reads without an option; Debian's copy contains only comments. */
static bool default_file_names_hosts(void)
{
	return count_hosts("/etc/openmpi/openmpi-default-hostfile") > 0 ||
	       count_hosts("/etc/prte-default-hostfile") > 0;
}

/* Does one option of a launcher imply other hosts? @param value the word after it; NULL: none. */
static bool option_implies_hosts(const char *name, const char *value)
{
	const char *equals = strchr(name, '=');
	char bare[64];

	if (equals && (size_t)(equals - name) < sizeof(bare)) {
		snprintf(bare, sizeof(bare), "%.*s", (int)(equals - name), name);
		name = bare;
		value = equals + 1;
	}
	if (IS_IN(name, remote_options))
		return true;
	if (IS_IN(name, host_list_options))
		return !value || lists_other_hosts(value);
	if (strcmp(name, "launcher") == 0 || strcmp(name, "bootstrap") == 0)
		return !value || strcmp(value, "fork") != 0;
	size_t n = strlen(name);
	return n >= 3 && strcmp(name + n - 3, "mca") == 0 && value && IS_IN(value, mca_parameters);
}

static bool is_one_of(size_t i, const size_t *list, size_t n)
{
	for (size_t k = 0; k < n; k++)
		if (list[k] == i)
			return true;
	return false;
}

/* Look at the launcher's own options: the words before the program, in each part between ":". */
static bool options_imply_hosts(char *const *argv, run_launch_is_program_fn *is_program)
{
	size_t programs[RUN_PROGRAMS_MAX], n_programs = run_launch_programs(argv, is_program, programs);
	bool is_launcher_option = true;

	for (size_t i = 1; argv[i]; i++) {
		const char *name = run_launch_option(argv[i]);

		if (strcmp(argv[i], ":") == 0)
			is_launcher_option = true;
		else if (is_one_of(i, programs, n_programs))
			is_launcher_option = false;
		if (!is_launcher_option || !name)
			continue;
		if (option_implies_hosts(name, argv[i + 1]))
			return true;
		for (size_t n = run_launch_arguments(argv[i], argv[i + 1], is_program); n && argv[i + 1]; n--)
			i++;
	}
	return false;
}

enum run_reach run_reach_needed(char *const *argv, bool is_launcher, bool is_program,
				run_launch_is_program_fn *is_executable)
{
	if (allocation_has_hosts() || (!is_launcher && !is_program))
		return RUN_REACH_NETWORK;
	if (is_launcher &&
	    (options_imply_hosts(argv, is_executable) || environment_names_hosts() || default_file_names_hosts()))
		return RUN_REACH_NETWORK;
	return RUN_REACH_LOCAL;
}
