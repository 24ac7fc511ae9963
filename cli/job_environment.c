/* SPDX-License-Identifier: BSD-3-Clause */
#include "job_environment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int64_t cmd_own_pid(pid_t pid)
{
	char path[64], line[1024];
	long long own = 0;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	FILE *f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		if (strncmp(line, "NSpid:", 6) != 0)
			continue;
		/* pids from our namespace inwards: the last one is in the process's own namespace */
		line[strcspn(line, "\n")] = '\0';
		char *last = line + strlen(line);
		while (last > line + 6 && last[-1] >= '0' && last[-1] <= '9')
			last--;
		own = atoll(last);
		break;
	}
	if (f)
		fclose(f);
	if (f && own <= 0)
		return pid; /* a kernel without namespaces */
	return own;
}

bool cmd_numbers_as_we_do(pid_t pid)
{
	char path[64], its[64] = "", ours[64] = "";

	snprintf(path, sizeof(path), "/proc/%d/ns/pid", (int)pid);
	if (readlink(path, its, sizeof(its) - 1) < 0 || readlink("/proc/self/ns/pid", ours, sizeof(ours) - 1) < 0)
		return true;
	return strcmp(its, ours) == 0;
}

static void take_job(struct cmd_environment *e, struct host_job *job)
{
	memcpy(e->name, job->name, sizeof(e->name));
	memcpy(e->mpiexec, job->mpiexec, sizeof(e->mpiexec));
	memcpy(e->slurm_job, job->slurm_job, sizeof(e->slurm_job));
	e->v = job->procs;
	e->n = job->n;
	e->ended = job->ended;
	e->n_ended = job->n_ended;
	e->own = calloc(e->n + 1, sizeof(*e->own));
	for (size_t i = 0; e->own && i < e->n; i++)
		e->own[i] = cmd_own_pid(e->v[i].pid);
}

void cmd_environment_collect(pid_t pid, struct cmd_environment *ret)
{
	struct cmd_environment e = { 0 };
	struct host_job job = { 0 };

	e.rc = host_job_from_environment(pid, &job, &e.err);
	e.launcher = job.launcher;
	if (e.launcher > 0 && e.launcher != pid) {
		struct host_job all = { 0 };
		struct host_error ignored = { 0 };
		if (host_job_from_environment(e.launcher, &all, &ignored) == HOST_OK) {
			host_job_deinit(&job);
			job = all;
		}
	}
	take_job(&e, &job);
	*ret = e;
}

void cmd_environment_collect_named(const char *name, struct cmd_environment *ret)
{
	struct cmd_environment e = { 0 };
	struct host_job job = { 0 };

	e.rc = host_job_named(name, &job, &e.err);
	e.launcher = job.launcher;
	take_job(&e, &job);
	*ret = e;
}

const struct host_proc *cmd_environment_next(const struct cmd_environment *e, int64_t own_pid, size_t *i)
{
	for (; e->own && *i < e->n; ++*i)
		if (e->own[*i] == own_pid)
			return &e->v[(*i)++];
	return NULL;
}

const struct host_proc *cmd_environment_find(const struct cmd_environment *e, int64_t rank, int64_t own_pid)
{
	const struct host_proc *p;

	for (size_t i = 0; (p = cmd_environment_next(e, own_pid, &i));)
		if (p->rank == rank)
			return p;
	return NULL;
}

bool cmd_environment_add_one(const struct host_proc *e, struct cmd_job *job)
{
	struct cmd_proc *p = cmd_job_add(job, e->rank, e->pid, e->host[0] ? e->host : cmd_this_host(), e->executable,
					 NULL);

	if (!p)
		return false;
	cmd_proc_set(&p->job, e->job);
	p->world_size = e->world_size;
	return true;
}

bool cmd_environment_add(struct cmd_environment *e, struct cmd_job *job)
{
	for (size_t i = 0; i < e->n; i++)
		if (!cmd_environment_add_one(&e->v[i], job))
			return false;
	job->ended = e->ended;
	job->n_ended = e->n_ended;
	e->ended = NULL;
	e->n_ended = 0;
	return true;
}

void cmd_environment_note_missing(struct cmd_job *job)
{
	struct cmd_ranks ended = { 0 };
	const struct host_ended *one = NULL;
	size_t n_first = 0, n_ended = 0;

	for (size_t i = 0; i < job->n; i++)
		n_first += strcmp(job->procs[i].job, job->procs[0].job) == 0;
	for (size_t i = 0; i < job->n_ended; i++) {
		if (strcmp(job->ended[i].job, job->procs[0].job) != 0 ||
		    !cmd_ranks_add(&ended, job->ended[i].rank, job->ended[i].rank))
			continue;
		one = &job->ended[i];
		n_ended++;
	}
	int64_t size = job->n ? job->procs[0].world_size : -1;
	char *text = n_ended ? cmd_ranks_text(&ended) : NULL;
	if (text && n_ended == 1)
		snprintf(text, strlen(text) + 1, "%lld", (long long)one->rank);
	if (text && size == (int64_t)(n_first + n_ended))
		cmd_lines_add(&job->problems,
			      "%zu of %lld ranks were found on %s: %s %d has no process of %s %s (%s ended, or %s not "
			      "started yet)",
			      n_first, (long long)size, cmd_this_host(), one->starter_name, (int)one->starter,
			      n_ended > 1 ? "ranks" : "rank", text, n_ended > 1 ? "they have" : "it has",
			      n_ended > 1 ? "are" : "is");
	else if (size > (int64_t)n_first)
		cmd_lines_add(
			&job->problems,
			"%zu of %lld ranks were found on %s: the others have ended or run on other hosts (run mpidbg "
			"there)",
			n_first, (long long)size, cmd_this_host());
	free(text);
	cmd_ranks_deinit(&ended);
}

void cmd_environment_deinit(struct cmd_environment *e)
{
	free(e->v);
	free(e->own);
	free(e->ended);
	*e = (struct cmd_environment){ 0 };
}
