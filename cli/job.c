/* SPDX-License-Identifier: BSD-3-Clause */
#include "job.h"

#include "commands.h"
#include "cores.h"

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

/* "node1" and "node1.cluster.example" are one machine. */
static bool is_here(const char *host)
{
	const char *me = cmd_this_host();
	size_t n = strcspn(host, "."), n_me = strcspn(me, ".");

	if (!*host || strcmp(host, "localhost") == 0 || strcmp(host, me) == 0)
		return true;
	return n == n_me && strncmp(host, me, n) == 0 && (!host[n] || !me[n_me]);
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
	struct cmd_proc *procs = realloc(job->procs, (job->n + 1) * sizeof(*procs));

	if (!procs)
		return NULL;
	job->procs = procs;
	struct cmd_proc *p = &procs[job->n];
	*p = (struct cmd_proc){ .rank = rank,
				.world_size = -1,
				.pid = pid,
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

static int compare(const void *a, const void *b)
{
	const struct cmd_proc *x = a, *y = b;

	/* The job that was started first stands first: its number is smaller, when they are numbers. */
	size_t nx = strlen(x->job), ny = strlen(y->job);
	int by_job = nx != ny ? (nx > ny) - (nx < ny) : strcmp(x->job, y->job);
	if (by_job && nx && ny)
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

void cmd_job_sort(struct cmd_job *job)
{
	if (job->n > 1)
		qsort(job->procs, job->n, sizeof(*job->procs), compare);
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

/* argv[0] without its folders: the name under which the user started it. */
static char *name_of_process(pid_t pid)
{
	char path[64], text[4096];

	snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)pid);
	FILE *f = fopen(path, "re");
	size_t n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;
	if (f)
		fclose(f);
	text[n] = '\0';
	const char *slash = strrchr(text, '/');
	return strdup(slash ? slash + 1 : text);
}

/* ---- a live job ---------------------------------------------------------------------------------- */

/* Ask a process for its process table. It need not be stopped for it: the table stays as it is once it is there. */
static int read_proctable(pid_t pid, struct host_plugin *plugin, struct mpidbg_proc **ret, size_t *n_ret,
			  struct host_error *err)
{
	struct host_target *t = NULL;
	struct host_session s = { 0 };
	int rc = MPIDBG_ERR_UNAVAILABLE;

	if (!plugin->mpidbg_get_proctable) {
		snprintf(err->text, sizeof(err->text), "the plugin reads no process tables");
		return MPIDBG_ERR_NOT_SUPPORTED;
	}
	if (host_open_running(pid, &t, err) == HOST_OK && host_session_open(plugin, t, NULL, &s, err) == HOST_OK) {
		rc = plugin->mpidbg_get_proctable(s.process, ret, n_ret);
		if (rc != MPIDBG_SUCCESS)
			snprintf(err->text, sizeof(err->text), "%s",
				 plugin->mpidbg_error_string ? plugin->mpidbg_error_string(s.process) : "");
	}
	host_session_close(&s);
	host_close(t);
	return rc;
}

/* A launcher in a container numbers its ranks as the container does; the numbers that we see are others. */
static bool numbers_as_we_do(pid_t launcher)
{
	char path[64], its[64] = "", ours[64] = "";

	snprintf(path, sizeof(path), "/proc/%d/ns/pid", (int)launcher);
	if (readlink(path, its, sizeof(its) - 1) < 0 || readlink("/proc/self/ns/pid", ours, sizeof(ours) - 1) < 0)
		return true;
	return strcmp(its, ours) == 0;
}

/* The process of the environment's list that is this entry of the table, or NULL. */
static const struct host_proc *same_process(const struct mpidbg_proc *m, const struct host_proc *env, size_t n_env,
					    bool same_pids)
{
	for (size_t i = 0; i < n_env; i++) {
		if (same_pids && env[i].pid == m->pid)
			return &env[i];
		if (!same_pids && env[i].rank == m->rank && strcmp(env[i].job, env[0].job) == 0)
			return &env[i];
	}
	return NULL;
}

/*
 * The table names every rank on every host; the environments of the processes here correct it where the launcher
 * numbers processes otherwise than we do, and add jobs that the ranks have spawned.
 */
static bool merge(struct cmd_job *job, const struct mpidbg_proc *table, size_t n_table, const struct host_proc *env,
		  size_t n_env)
{
	bool same_pids = numbers_as_we_do(job->launcher);
	const char *main_job = "";

	for (size_t i = 0; i < n_table; i++) {
		const struct host_proc *e = same_process(&table[i], env, n_env, same_pids);
		if (e)
			main_job = e->job;
		struct cmd_proc *p = cmd_job_add(job, table[i].rank, e ? e->pid : table[i].pid, table[i].host,
						 table[i].executable, NULL);
		if (!p)
			return false;
		p->here = e || is_here(p->host);
		p->world_size = (int64_t)n_table;
	}
	for (size_t i = 0; i < job->n; i++)
		cmd_proc_set(&job->procs[i].job, main_job);
	for (size_t j = 0; j < n_env; j++) {
		if (strcmp(env[j].job, main_job) == 0)
			continue;
		struct cmd_proc *p = cmd_job_add(job, env[j].rank, env[j].pid, env[j].host, env[j].executable, NULL);
		if (!p)
			return false;
		cmd_proc_set(&p->job, env[j].job);
		p->world_size = env[j].world_size;
	}
	return true;
}

static bool add_environment(struct cmd_job *job, const struct host_proc *env, size_t n_env)
{
	for (size_t j = 0; j < n_env; j++) {
		struct cmd_proc *p = cmd_job_add(job, env[j].rank, env[j].pid,
						 env[j].host[0] ? env[j].host : cmd_this_host(), env[j].executable,
						 NULL);
		if (!p)
			return false;
		cmd_proc_set(&p->job, env[j].job);
		p->world_size = env[j].world_size;
	}
	return true;
}

/* What the environment shows of one machine only, and what other jobs have come out of this one. */
static void note_missing(struct cmd_job *job)
{
	size_t n_first = 0;

	for (size_t i = 0; i < job->n; i++)
		n_first += strcmp(job->procs[i].job, job->procs[0].job) == 0;
	int64_t size = job->n ? job->procs[0].world_size : -1;
	if (size > (int64_t)n_first)
		cmd_lines_add(
			&job->problems,
			"%zu of %lld ranks were found on %s: the others have ended or run on other hosts (run mpidbg "
			"there)",
			n_first, (long long)size, cmd_this_host());
}

static enum cmd_exit collect_job(const struct cmd_options *o, struct host_plugin *plugin, struct cmd_job *job)
{
	struct host_proc *env = NULL;
	struct mpidbg_proc *table = NULL;
	size_t n_env = 0, n_table = 0;
	struct host_error env_err = { 0 }, table_err = { 0 };
	pid_t launcher = 0;

	enum host_errc env_rc = host_job_from_environment(o->pid, &launcher, &env, &n_env, &env_err);
	char path[32];
	snprintf(path, sizeof(path), "/proc/%d", (int)o->pid);
	if (env_rc != HOST_OK && access(path, F_OK) != 0) {
		cmd_lines_add(&job->problems, "job %d: no such process", (int)o->pid);
		return CMD_ABSENT;
	}
	if (env_rc != HOST_OK)
		launcher = 0;
	if (launcher > 0 && launcher != o->pid) {
		/* A rank was named: what is meant is all that its launcher has started, spawned jobs too. */
		struct host_proc *all = NULL;
		size_t n_all = 0;
		pid_t same = 0;
		struct host_error ignored = { 0 };
		if (host_job_from_environment(launcher, &same, &all, &n_all, &ignored) == HOST_OK) {
			free(env);
			env = all;
			n_env = n_all;
		}
	}
	int rc = read_proctable(launcher > 0 ? launcher : o->pid, plugin, &table, &n_table, &table_err);
	bool ok = true;
	if (rc == MPIDBG_SUCCESS) {
		job->source = "MPIR_proctable";
		job->launcher = launcher > 0 ? launcher : o->pid;
		ok = merge(job, table, n_table, env, n_env);
	} else if (env_rc == HOST_OK) {
		job->source = "environment";
		job->launcher = launcher;
		if (rc != MPIDBG_ERR_NOT_FOUND && rc != MPIDBG_ERR_NOT_SUPPORTED && table_err.text[0])
			cmd_lines_add(&job->problems, "process table of the launcher: %s", table_err.text);
		ok = add_environment(job, env, n_env);
		note_missing(job);
	} else {
		cmd_lines_add(&job->problems, "job %d: %s", (int)o->pid,
			      table_err.code == HOST_DENIED ? table_err.text : env_err.text);
	}
	if (table && plugin->mpidbg_free)
		plugin->mpidbg_free(table);
	free(env);
	if (!ok) {
		cmd_lines_add(&job->problems, "out of memory");
		return CMD_PARTIAL;
	}
	if (!job->source)
		return table_err.code == HOST_DENIED ? CMD_PARTIAL : cmd_exit_of(env_rc);
	if (job->launcher)
		job->launcher_name = name_of_process(job->launcher);
	cmd_job_sort(job);
	return CMD_DONE;
}

/* ---- all kinds ----------------------------------------------------------------------------------- */

/* Ranks that nobody asked for go; a rank that is unknown stays. */
static void filter(struct cmd_job *job, const struct cmd_ranks *ranks)
{
	size_t n = 0;

	for (size_t i = 0; i < job->n; i++) {
		if (job->procs[i].rank < 0 || cmd_ranks_has(ranks, job->procs[i].rank))
			job->procs[n++] = job->procs[i];
		else
			proc_deinit(&job->procs[i]);
	}
	job->n = n;
}

enum cmd_exit cmd_job_collect(const struct cmd_options *o, struct host_plugin *plugin, struct cmd_job *ret)
{
	enum cmd_exit rc = CMD_DONE;
	struct cmd_proc *p;

	*ret = (struct cmd_job){ .is_job = o->kind == CMD_TARGET_JOB || o->kind == CMD_TARGET_CORES };
	switch (o->kind) {
	case CMD_TARGET_PROCESS:
		p = cmd_job_add(ret, -1, o->pid, cmd_this_host(), NULL, NULL);
		if (!p)
			rc = CMD_PARTIAL;
		break;
	case CMD_TARGET_CORE:
		p = cmd_job_add(ret, -1, -1, NULL, NULL, o->files[0]);
		if (!p)
			rc = CMD_PARTIAL;
		break;
	case CMD_TARGET_JOB:
		rc = collect_job(o, plugin, ret);
		break;
	case CMD_TARGET_CORES:
		ret->source = "cores";
		rc = cmd_cores_find(o, ret);
		break;
	}
	if (o->have_ranks)
		filter(ret, &o->ranks);
	return rc;
}

enum cmd_exit cmd_job_check_ranks(struct cmd_job *job, const struct cmd_options *o)
{
	struct cmd_ranks missing = { 0 };

	if (!o->have_ranks)
		return CMD_DONE;
	/* Bounded by what is there, not by what was typed: "--ranks 0-2147483647" is a fair way to say "all". */
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
	cmd_lines_deinit(&job->problems);
	*job = (struct cmd_job){ 0 };
}
