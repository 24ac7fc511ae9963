/* SPDX-License-Identifier: BSD-3-Clause */
#include "proclist.h"

#include "absent.h"
#include "cleanup.h"
#include "maps.h"

#include "../access/grow.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int by_pid(const void *a, const void *b)
{
	pid_t x = ((const struct host_process *)a)->pid, y = ((const struct host_process *)b)->pid;
	return (x > y) - (x < y);
}

/* Format: 4711 (name) S 4710 ...; the name may contain blanks and parentheses. */
static bool read_stat(pid_t pid, struct host_process *ret)
{
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	char *text = host_read_file(path, NULL);
	if (!text)
		return false;
	struct host_process p = {
		.pid = pid, .tid = pid, .rank = -1, .size = -1, .local_rank = -1, .local_size = -1, .pmi_fd = -1
	};
	char *open = strchr(text, '('), *close = strrchr(text, ')');
	int parent;
	bool ok = open && close && open < close && sscanf(close + 1, " %c %d", &p.state, &parent) == 2;
	if (ok) {
		*close = '\0';
		snprintf(p.name, sizeof(p.name), "%s", open + 1);
		p.parent = parent;
		*ret = p;
	}
	free(text);
	return ok;
}

char host_process_state(pid_t pid, pid_t *parent)
{
	struct host_process p;

	if (!read_stat(pid, &p))
		return 0;
	if (parent)
		*parent = p.parent;
	return p.state;
}

/* A field of /proc/PID/stat, as proc(5) counts them: the third follows the name, in which there may be blanks. */
static const char *stat_field(const char *text, int field)
{
	const char *at = text ? strrchr(text, ')') : NULL;

	for (int i = 2; at && i < field; i++)
		at = strchr(at + 1, ' ');
	return at;
}

int host_process_exit_status(pid_t pid)
{
	enum { EXIT_CODE = 52 };
	char path[64], space[64];

	if (host_process_state(pid, NULL) != 'Z')
		return -1;
	/* to those who may not trace it the kernel says 0; of a zombie
	 * this link alone still exists, with the same condition */
	snprintf(path, sizeof(path), "/proc/%d/ns/user", (int)pid);
	if (readlink(path, space, sizeof(space)) <= 0)
		return -1;
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	_cleanup_free_ char *text = host_read_file(path, NULL);
	const char *at = stat_field(text, EXIT_CODE);
	return at ? (int)strtol(at, NULL, 10) : -1;
}

bool host_process_age(pid_t pid, double *ret)
{
	enum { START_TIME = 22 }; /* in ticks since the system was started */
	char path[64];
	double uptime = 0;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	_cleanup_free_ char *text = host_read_file(path, NULL);
	_cleanup_free_ char *up = host_read_file("/proc/uptime", NULL);
	const char *at = stat_field(text, START_TIME);
	bool ok = at && up && sscanf(up, "%lf", &uptime) == 1;
	if (ok)
		*ret = uptime - strtod(at, NULL) / (double)sysconf(_SC_CLK_TCK);
	return ok;
}

bool host_proclist_load(struct host_proclist *ret)
{
	struct host_proclist list = { 0 };
	*ret = list;
	struct host_error err;
	DIR *dir = host_proc_there(&err) ? NULL : opendir("/proc");
	if (!dir)
		return false;
	bool ok = true;
	for (struct dirent *entry; ok && (entry = readdir(dir));) {
		char *end;
		long pid = strtol(entry->d_name, &end, 10);
		if (*end || pid <= 0 || pid > INT32_MAX)
			continue;
		ok = ACC_GROW(list.v, list.n);
		if (!ok)
			break;
		if (!read_stat((pid_t)pid, &list.v[list.n])) /* the process has ended */
			continue;
		struct host_process *p = &list.v[list.n++];
		pid_t living = p->state == 'Z' ? host_living_thread(p->pid) : 0;
		if (living) {
			p->tid = living;
			p->state = host_process_state(living, NULL);
		}
	}
	closedir(dir);
	if (!ok) {
		host_proclist_deinit(&list);
		return false;
	}
	if (list.n)
		qsort(list.v, list.n, sizeof(*list.v), by_pid);
	*ret = list;
	return true;
}

void host_proclist_deinit(struct host_proclist *list)
{
	free(list->v);
	list->v = NULL;
	list->n = 0;
}

struct host_process *host_proclist_find(const struct host_proclist *list, pid_t pid)
{
	struct host_process key = { .pid = pid };
	return list->n ? bsearch(&key, list->v, list->n, sizeof(*list->v), by_pid) : NULL;
}

/* The value of a variable in an environment, or NULL. */
static const char *variable(const char *environment, size_t n, const char *name)
{
	size_t length = strlen(name);
	for (const char *p = environment, *end = environment + n; p < end; p += strlen(p) + 1)
		if (!strncmp(p, name, length) && p[length] == '=')
			return p + length + 1;
	return NULL;
}

/* The first of several variables that contains a number >= 0; -1: none. */
static int64_t environment_number(const char *environment, size_t n, const char *const *names)
{
	for (; *names; names++) {
		const char *value = variable(environment, n, *names);
		char *end;
		if (!value || *value < '0' || *value > '9')
			continue;
		long long i = strtoll(value, &end, 10);
		if (!*end && i <= INT32_MAX)
			return i;
	}
	return -1;
}

#define NAMES(...) ((const char *const[]){ __VA_ARGS__, NULL })

static void look_environment(struct host_process *p, const char *e, size_t n)
{
	const char *job = variable(e, n, "PMIX_NAMESPACE");
	const char *slurm = variable(e, n, "SLURM_JOB_ID"), *step = variable(e, n, "SLURM_STEP_ID");

	snprintf(p->slurm_job, sizeof(p->slurm_job), "%.31s", slurm ? slurm : "");
	snprintf(p->slurm_step, sizeof(p->slurm_step), "%.31s", step ? step : "");
	const char *flux = variable(e, n, "FLUX_JOB_ID");
	if (flux) /* U+0192 or, without UTF-8, an f is before the number */
		flux += strncmp(flux, "\xc6\x92", 2) == 0 ? 2 : *flux == 'f';
	snprintf(p->flux_job, sizeof(p->flux_job), "%.31s", flux ? flux : "");
	p->local_rank = environment_number(e, n, NAMES("OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID"));
	p->pmi_fd = environment_number(e, n, NAMES("PMI_FD"));
	p->spawned = environment_number(e, n, NAMES("PMI_SPAWNED")) > 0;
	p->local_size = environment_number(e, n, NAMES("OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"));
	if (!job)
		job = variable(e, n, "OMPI_MCA_ess_base_jobid");
	int64_t rank = environment_number(e, n, NAMES("OMPI_COMM_WORLD_RANK", "PMIX_RANK", "OMPI_MCA_ess_base_vpid"));
	if (job && *job && rank >= 0) {
		p->launch = HOST_LAUNCH_PMIX;
		p->rank = rank;
		p->size = environment_number(
			e, n, NAMES("OMPI_COMM_WORLD_SIZE", "OMPI_MCA_orte_ess_num_procs", "SLURM_NTASKS"));
		snprintf(p->job, sizeof(p->job), "%s", job);
		return;
	}
	rank = environment_number(e, n, NAMES("PMI_RANK"));
	bool is_srun = slurm && step && environment_number(e, n, NAMES("SLURM_PROCID")) >= 0;
	if (rank >= 0 && !variable(e, n, "PMI_FD") && !variable(e, n, "PMI_PORT") && is_srun)
		p->launch = HOST_LAUNCH_SLURM;
	else if (rank >= 0)
		p->launch = HOST_LAUNCH_PMI;
	else if (is_srun) {
		p->launch = HOST_LAUNCH_SLURM; /* also every script of a batch job: see host/job.c */
		rank = environment_number(e, n, NAMES("SLURM_PROCID"));
	} else
		return;
	p->rank = rank;
	p->size = environment_number(e, n, NAMES("PMI_SIZE", "SLURM_NTASKS"));
	if (p->launch == HOST_LAUNCH_SLURM)
		snprintf(p->job, sizeof(p->job), "%.31s.%.31s", slurm, step);
}

/* Names of MPI libraries; our plugin must not match. */
static bool maps_mpi(const char *maps)
{
	static const char *const names[] = { "/libmpi.so", "/libmpich.so", "/libmpi_", "/libmpich-", NULL };
	for (const char *const *name = names; *name; name++)
		if (strstr(maps, *name))
			return true;
	return false;
}

bool host_process_look(struct host_process *p)
{
	char path[64];
	size_t n;
	if (p->looked)
		return true;
	snprintf(path, sizeof(path), "/proc/%d/environ", (int)p->tid);
	char *environment = host_read_file(path, &n);
	if (!environment)
		return false;
	p->looked = true;
	look_environment(p, environment, n);
	free(environment);
	return true;
}

bool host_process_has_mpi(struct host_process *p)
{
	char path[64];

	if (p->mpi == HOST_MPI_UNKNOWN) {
		snprintf(path, sizeof(path), "/proc/%d/maps", (int)p->tid);
		char *maps = host_read_file(path, NULL);
		p->mpi = maps && maps_mpi(maps) ? HOST_MPI_MAPPED : HOST_MPI_NONE;
		free(maps);
	}
	return p->mpi == HOST_MPI_MAPPED;
}

bool host_process_argument(const struct host_process *p, const char *name, char *ret, size_t n)
{
	char path[64];
	size_t n_words;
	snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)p->pid);
	char *words = host_read_file(path, &n_words);
	const char *before = NULL;
	bool found = false;
	for (const char *word = words; word && word < words + n_words && !found; word += strlen(word) + 1) {
		found = before && strcmp(before, name) == 0 && strlen(word) < n;
		if (found)
			snprintf(ret, n, "%s", word);
		before = word;
	}
	free(words);
	return found;
}

bool host_process_is_launcher(const struct host_process *p)
{
	/* the kernel truncates names to 15 bytes */
	static const char *const names[] = { "mpirun", "mpiexec", "orterun",   "oshrun",          "prterun",
					     "prte",   "prted",   "orted",     "hydra_pmi_proxy", "hydra_bstrap_proxy",
					     "srun",   "aprun",   "slurmstepd" };
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		size_t n = strlen(names[i]) < 15 ? strlen(names[i]) : 15;
		/* mpirun may be an alternative (symbolic link) for "mpirun.openmpi" or "mpiexec.hydra" */
		if (!strncmp(p->name, names[i], n) && (!p->name[n] || p->name[n] == '.'))
			return true;
	}
	return false;
}
