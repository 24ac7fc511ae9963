/* SPDX-License-Identifier: BSD-3-Clause */
#include "job.h"

#include "commands.h"

#include "../access/grow.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum cmd_exit cmd_exit_of(enum host_errc code)
{
	switch (code) {
	case HOST_OK:
		return CMD_DONE;
	case HOST_ABSENT:
		return CMD_ABSENT;
	case HOST_USAGE:
		return CMD_USAGE;
	case HOST_DENIED:
	case HOST_UNREADABLE:
		break;
	}
	return CMD_PARTIAL;
}

const char *cmd_this_host(void)
{
	static char name[256];

	if (!name[0] && gethostname(name, sizeof(name) - 1) != 0)
		snprintf(name, sizeof(name), "localhost");
	return name;
}

bool cmd_same_host(const char *a, const char *b)
{
	size_t n = strcspn(a, "."), n_b = strcspn(b, ".");

	if (strcmp(a, b) == 0)
		return true;
	return n && n == n_b && strncmp(a, b, n) == 0 && (!a[n] || !b[n_b]);
}

/* Is it the address of an interface of this machine? MPI2DD allows addresses in place of host names. */
static bool is_own_address(const char *host)
{
	static char last[64];
	static bool last_is;
	unsigned char bytes[sizeof(struct in6_addr)];
	int family = strchr(host, ':') ? AF_INET6 : AF_INET;

	if (strlen(host) >= sizeof(last) || inet_pton(family, host, bytes) != 1)
		return false;
	if (strcmp(host, last) == 0)
		return last_is;
	struct ifaddrs *all = NULL;
	bool found = false;
	if (getifaddrs(&all) != 0)
		return false;
	for (const struct ifaddrs *i = all; i && !found; i = i->ifa_next) {
		if (!i->ifa_addr || i->ifa_addr->sa_family != family)
			continue;
		if (family == AF_INET)
			found = !memcmp(&((struct sockaddr_in *)(void *)i->ifa_addr)->sin_addr, bytes, 4);
		else
			found = !memcmp(&((struct sockaddr_in6 *)(void *)i->ifa_addr)->sin6_addr, bytes, 16);
	}
	freeifaddrs(all);
	snprintf(last, sizeof(last), "%s", host);
	last_is = found;
	return found;
}

bool cmd_is_here(const char *host)
{
	return is_own_address(host) || !*host || strcmp(host, "localhost") == 0 || cmd_same_host(host, cmd_this_host());
}

static void proc_deinit(struct cmd_proc *p)
{
	free(p->host);
	free(p->executable);
	free(p->core);
	free(p->job);
}

void cmd_proc_set(char **string, const char *value)
{
	char *copy = strdup(value ? value : "");

	if (!copy)
		return;
	free(*string);
	*string = copy;
}

struct cmd_proc *cmd_job_add(struct cmd_job *job, int64_t rank, int64_t pid, const char *host, const char *executable,
			     const char *core)
{
	if (!ACC_GROW(job->procs, job->n))
		return NULL;
	struct cmd_proc *p = &job->procs[job->n];
	*p = (struct cmd_proc){ .rank = rank,
				.world_size = -1,
				.pid = pid,
				.table_pid = -1,
				.world = CMD_NO_WORLD,
				.host = strdup(host ? host : ""),
				.executable = strdup(executable ? executable : ""),
				.core = core ? strdup(core) : NULL,
				.job = strdup(""),
				.here = true,
				.signal = -1 };
	if (!p->host || !p->executable || !p->job || (core && !p->core)) {
		proc_deinit(p);
		return NULL;
	}
	job->n++;
	return p;
}

static int compare_processes(const void *a, const void *b)
{
	const struct cmd_proc *x = a, *y = b;

	if (x->world != y->world)
		return x->world < y->world ? -1 : 1;
	/* jobs in the order they were started: if job ids are numbers, they increase */
	size_t nx = strlen(x->job), ny = strlen(y->job);
	int by_job = nx != ny ? (nx > ny) - (nx < ny) : strcmp(x->job, y->job);
	if (by_job && nx && ny && x->world == CMD_NO_WORLD)
		return by_job;
	if (x->rank != y->rank) {
		if (x->rank < 0 || y->rank < 0)
			return x->rank < 0 ? 1 : -1;
		return x->rank < y->rank ? -1 : 1;
	}
	if (x->core && y->core)
		return strcmp(x->core, y->core);
	return (x->pid > y->pid) - (x->pid < y->pid);
}

bool cmd_same_world(const struct cmd_proc *a, const struct cmd_proc *b)
{
	if (a->world != CMD_NO_WORLD && b->world != CMD_NO_WORLD)
		return a->world == b->world;
	return strcmp(a->job, b->job) == 0;
}

void cmd_job_number_worlds(struct cmd_job *job)
{
	for (size_t i = 0; i < job->n; i++)
		if (job->procs[i].world != CMD_NO_WORLD)
			cmd_world_number(&job->worlds.v[job->procs[i].world], job->procs[i].job);
}

void cmd_job_sort(struct cmd_job *job)
{
	if (job->n > 1)
		qsort(job->procs, job->n, sizeof(*job->procs), compare_processes);
}

int64_t cmd_job_size(const struct cmd_job *job)
{
	for (size_t i = 0; i < job->n; i++)
		if (job->procs[i].world_size > 0)
			return job->procs[i].world_size;
	return -1;
}

void cmd_proc_name(const struct cmd_job *job, const struct cmd_proc *p, char *ret, size_t n)
{
	if (p->core)
		snprintf(ret, n, "%s", p->core);
	else if (job->is_job && p->rank >= 0)
		snprintf(ret, n, "rank %lld (process %lld)", (long long)p->rank, (long long)p->pid);
	else
		snprintf(ret, n, "process %lld", (long long)p->pid);
}

void cmd_proc_identify(struct cmd_proc *p, const struct host_plugin *plugin, const struct host_session *s)
{
	static const char *const jobs[] = { "PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "PMI_JOBID", NULL };
	static const char *const ranks[] = { "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", NULL };
	static const char *const sizes[] = { "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", NULL };
	struct host_target *t = s->target;
	const char *text = NULL;

	if (p->pid < 0 || !p->core)
		p->pid = host_pid(t);
	if (*host_executable(t))
		cmd_proc_set(&p->executable, host_executable(t));
	for (size_t i = 0; !*p->job && jobs[i]; i++)
		if ((text = host_getenv(t, jobs[i])))
			cmd_proc_set(&p->job, text);
	if (p->rank < 0 && plugin->mqs_get_global_rank)
		p->rank = plugin->mqs_get_global_rank(s->process);
	for (size_t i = 0; p->rank < 0 && ranks[i]; i++)
		if ((text = host_getenv(t, ranks[i])))
			p->rank = atoll(text);
	for (size_t i = 0; p->world_size < 0 && sizes[i]; i++)
		if ((text = host_getenv(t, sizes[i])))
			p->world_size = atoll(text);
}

const char *cmd_state_text(char letter)
{
	switch (letter) {
	case 'R':
		return "running";
	case 'S':
	case 'I':
		return "sleeping";
	case 'D':
		return "waiting"; /* uninterruptible */
	case 'T':
		return "stopped";
	case 't':
		return "traced";
	case 'Z':
	case 'X':
		return "zombie";
	default:
		return NULL;
	}
}

const char *cmd_proc_state(const struct cmd_proc *p)
{
	bool here = p->here && !p->core && p->pid > 0;
	char letter = here ? host_process_state((pid_t)p->pid, NULL) : 0;
	pid_t living = letter == 'Z' ? host_living_thread((pid_t)p->pid) : 0;
	const char *state = cmd_state_text(living ? host_process_state(living, NULL) : letter);

	if (state)
		return state;
	return here ? "gone" : p->far_state ? p->far_state : "";
}

void cmd_proc_set_state(struct cmd_proc *p, const char *text)
{
	for (const char *letter = "RSDTtZ"; *letter; letter++)
		if (strcmp(text, cmd_state_text(*letter)) == 0)
			p->far_state = cmd_state_text(*letter);
	if (strcmp(text, "gone") == 0)
		p->far_state = "gone";
}

/* ---- all kinds ----------------------------------------------------------------------------------- */

void cmd_job_keep_ranks(struct cmd_job *job, const struct cmd_ranks *ranks)
{
	size_t n = 0;

	for (size_t i = 0; i < job->n; i++) {
		if (job->procs[i].rank < 0 || cmd_ranks_has(ranks, job->procs[i].rank))
			job->procs[n++] = job->procs[i];
		else
			proc_deinit(&job->procs[i]);
	}
	job->n = n;
	n = 0;
	for (size_t i = 0; i < job->n_ended; i++)
		if (cmd_ranks_has(ranks, job->ended[i].rank))
			job->ended[n++] = job->ended[i];
	job->n_ended = n;
}

enum cmd_exit cmd_job_check_ranks(struct cmd_job *job, const struct cmd_options *o)
{
	struct cmd_ranks missing = { 0 };

	if (!o->have_ranks)
		return CMD_DONE;
	/* Bounded by the existing ranks, not by the argument: "--ranks 0-2147483647" is a valid way to say "all". */
	for (size_t i = 0; i < o->ranks.n; i++) {
		const struct cmd_rank_range *r = &o->ranks.range[i];
		bool any = false;
		for (size_t j = 0; j < job->n && !any; j++)
			any = job->procs[j].rank >= r->first && job->procs[j].rank <= r->last;
		if (!any)
			cmd_ranks_add(&missing, r->first, r->first);
	}
	if (!missing.n)
		return CMD_DONE;
	char *text = cmd_ranks_text(&missing);
	cmd_lines_add(&job->problems, "no such rank: %s", text ? text : "?");
	free(text);
	cmd_ranks_deinit(&missing);
	return CMD_ABSENT;
}

void cmd_job_deinit(struct cmd_job *job)
{
	for (size_t i = 0; i < job->n; i++)
		proc_deinit(&job->procs[i]);
	free(job->procs);
	free(job->launcher_name);
	free(job->ended);
	cmd_worlds_deinit(&job->worlds);
	cmd_lines_deinit(&job->problems);
	*job = (struct cmd_job){ 0 };
}
