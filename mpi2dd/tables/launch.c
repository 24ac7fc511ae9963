/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Open MPI's mpirun, and all other launchers that use PRRTE, set PMIX_NAMESPACE and OMPI_COMM_WORLD_*. Hydra sets PMI_*
 * and MPI_LOCAL*, but no name of the job; instead we use the address at which its proxies report to mpiexec, from the
 * proxy's command line. Slurm's srun starts programs of both MPIs without another launcher and sets SLURM_*.
 */
#include "launch.h"

#include "../calls/host.h"
#include "text.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

static const struct m2d_launch nothing = { .world_rank = -1, .world_size = -1, .local_rank = -1, .local_size = -1 };

/* Read a decimal number from the environment; -1: none. */
static int environment_number(const char *name)
{
	const char *text = getenv(name);
	char *end;

	if (!text || *text < '0' || *text > '9')
		return -1;
	long value = strtol(text, &end, 10);
	return *end || value > INT_MAX ? -1 : (int)value;
}

static bool is_consistent(const struct m2d_launch *l)
{
	return l->job[0] && l->world_rank >= 0 && l->world_rank < l->world_size && l->local_rank >= 0 &&
	       l->local_rank < l->local_size && l->local_size <= l->world_size;
}

static void set_numbers(struct m2d_launch *ret, const char *const names[4])
{
	ret->world_rank = environment_number(names[0]);
	ret->world_size = environment_number(names[1]);
	ret->local_rank = environment_number(names[2]);
	ret->local_size = environment_number(names[3]);
	ret->known = is_consistent(ret);
}

void m2d_launch_contact(const char *uri, char *ret, int ret_bytes)
{
	/* 4.x: "1363607552.0;tcp://192.0.2.1:4000;tcp6://[2001:db8::1]:4001" */
	const char *from = strstr(uri, "://");
	size_t n = from ? strcspn(from += 3, ";") : 0;

	if (n >= (size_t)ret_bytes)
		n = (size_t)ret_bytes - 1;
	memcpy(ret, from ? from : "", n);
	ret[n] = '\0';
}

int m2d_launch_tasks(const char *list, int node)
{
	/* "4(x2),3": 4 on each of the first two nodes, 3 on the next one */
	while (*list >= '0' && *list <= '9') {
		char *end;
		long tasks = strtol(list, &end, 10), times = 1;

		if (end[0] == '(' && end[1] == 'x') {
			times = strtol(end + 2, &end, 10);
			if (*end++ != ')' || times < 1)
				return -1;
		}
		if (tasks < 1 || tasks > INT_MAX || (*end && *end != ','))
			return -1;
		if (node < times)
			return (int)tasks;
		node -= times > INT_MAX ? INT_MAX : (int)times;
		list = end + (*end == ',');
	}
	return -1;
}

/* A step of srun, when it started this process directly. */
static void read_slurm(struct m2d_launch *ret)
{
	const char *job = getenv("SLURM_JOB_ID"), *step = getenv("SLURM_STEP_ID");
	const char *tasks = getenv("SLURM_STEP_TASKS_PER_NODE");
	int node = environment_number("SLURM_NODEID");

	if (!job || !step || !tasks || node < 0)
		return;
	*ret = nothing;
	m2d_text_add(ret->job, sizeof(ret->job) - 60, "slurm-");
	m2d_text_add(ret->job, sizeof(ret->job) - 60, job);
	m2d_text_add(ret->job, sizeof(ret->job), ".");
	m2d_text_add(ret->job, sizeof(ret->job), step);
	m2d_text_add_number(ret->node, sizeof(ret->node), node);
	set_numbers(ret, (const char *const[]){ "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", "" });
	ret->local_size = m2d_launch_tasks(tasks, node);
	ret->known = is_consistent(ret);
}

#if defined(M2D_OPENMPI_MAJOR)

/* Of Open MPI. */
static void read_prte(struct m2d_launch *ret)
{
	static const char *const servers[] = { "PMIX_SERVER_URI41", "PMIX_SERVER_URI4", "PMIX_SERVER_URI3",
					       "PMIX_SERVER_URI21", "PMIX_SERVER_URI2" };
	const char *name_space = getenv("PMIX_NAMESPACE"), *launcher = getenv("OMPI_MCA_orte_hnp_uri"), *node = NULL;
	char contact[128] = "";

	*ret = nothing;
	if (!name_space)
		return;
	/* Up to Open MPI 4.x two instances of mpirun may share a name
	 * space number: their contact addresses distinguish them. */
	if (launcher)
		m2d_launch_contact(launcher, contact, sizeof(contact));
	m2d_text_add(ret->job, sizeof(contact), name_space);
	if (contact[0]) {
		m2d_text_add(ret->job, sizeof(ret->job), "@");
		m2d_text_add(ret->job, sizeof(ret->job), contact);
	}
	for (size_t i = 0; i < sizeof(servers) / sizeof(*servers) && !node; i++)
		node = getenv(servers[i]);
	m2d_text_add(ret->node, sizeof(ret->node), node ? node : "");
	set_numbers(ret, (const char *const[]){ "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
						"OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE" });
}

#endif
#if !defined(OPEN_MPI)

/* Find the proxy as the peer of the PMI socket: its parent process may be a script. */
static pid_t proxy_pid(void)
{
	int fd = environment_number("PMI_FD");
	struct ucred who = { 0 };
	socklen_t bytes = sizeof(who);

	if (fd >= 0 && getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &bytes) == 0 && who.pid > 0)
		return who.pid;
	return getppid();
}

/* The word after @p option in a list of NUL-terminated words; NULL: none. */
static const char *word_after(const char *words, size_t n, const char *option)
{
	for (size_t i = 0; i < n; i += strlen(words + i) + 1) {
		size_t next = i + strlen(words + i) + 1;
		if (next < n && strcmp(words + i, option) == 0)
			return words + next;
	}
	return NULL;
}

/* Of MPICH. */
static void read_hydra(const char *host, struct m2d_launch *ret)
{
	char path[40] = "/proc/", words[4096];
	ssize_t n = -1;

	*ret = nothing;
	if (environment_number("PMI_RANK") < 0 || environment_number("MPI_LOCALRANKID") < 0)
		return;
	int proxy = (int)proxy_pid();
	m2d_text_add_number(path, sizeof(path), proxy);
	m2d_text_add(path, sizeof(path), "/cmdline");
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, words, sizeof(words) - 1);
		close(fd);
	}
	words[n > 0 ? n : 0] = '\0';
	const char *port = n > 0 ? word_after(words, (size_t)n, "--control-port") : NULL;
	const char *group = n > 0 ? word_after(words, (size_t)n, "--pgid") : NULL;
	if (port && group) {
		m2d_text_add(ret->job, sizeof(ret->job) - 40, port);
		m2d_text_add(ret->job, sizeof(ret->job), "/");
		m2d_text_add(ret->job, sizeof(ret->job), group);
	} else { /* a name per node */
		m2d_text_add(ret->job, sizeof(ret->job) - 40, host);
		m2d_text_add(ret->job, sizeof(ret->job), ":");
		m2d_text_add_number(ret->job, sizeof(ret->job), proxy);
	}
	m2d_text_add_number(ret->node, sizeof(ret->node), proxy);
	set_numbers(ret, (const char *const[]){ "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS" });
}

#endif

void m2d_launch_read(const char *host, struct m2d_launch *ret)
{
#if defined(M2D_OPENMPI_MAJOR)
	(void)host;
	read_prte(ret);
#endif
#if !defined(OPEN_MPI)
	if (!ret->known)
		read_hydra(host, ret);
#endif
	if (!ret->known)
		read_slurm(ret);
}
