/* SPDX-License-Identifier: BSD-3-Clause */
#include "collect.h"

#include "../host/absent.h"
#include "cores.h"
#include "fetch.h"
#include "job_environment.h"
#include "job_mpi2dd.h"
#include "job_mpir.h"
#include "priority.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What each of the three sources has found. */
struct sources {
	const struct cmd_options *o;
	struct host_plugin *plugin;
	struct cmd_environment env;
	struct cmd_mpir mpir;
	struct cmd_walk walk;
};

/* argv[0] without its directory: the name that the user typed. */
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

/* ---- comparing lists ------------------------------------------------------------------------- */

/* An index of processes by pid and rank. */
static int by_pid(const void *a, const void *b)
{
	const struct cmd_proc *x = *(struct cmd_proc *const *)a, *y = *(struct cmd_proc *const *)b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return (x->rank > y->rank) - (x->rank < y->rank);
}

static struct cmd_proc **index_of(const struct cmd_job *job)
{
	struct cmd_proc **index = calloc(job->n + 1, sizeof(struct cmd_proc *));

	for (size_t i = 0; index && i < job->n; i++)
		index[i] = &job->procs[i];
	if (index && job->n > 1)
		qsort(index, job->n, sizeof(struct cmd_proc *), by_pid);
	return index;
}

/* Find the same process in an indexed job: equal pid, rank and host, or both on this machine. */
static struct cmd_proc *find_in(struct cmd_proc **index, size_t n, struct cmd_proc *p)
{
	struct cmd_proc **found = n ? bsearch(&p, index, n, sizeof(struct cmd_proc *), by_pid) : NULL;

	if (!found)
		return NULL;
	while (found > index && by_pid(found - 1, &p) == 0)
		found--;
	for (; found < index + n && by_pid(found, &p) == 0; found++)
		if (((*found)->here && p->here) || cmd_same_host((*found)->host, p->host))
			return *found;
	return NULL;
}

/* Does MPI2DD list all processes that the other sources list? */
static bool covers(const struct cmd_job *found, struct cmd_job *known)
{
	struct cmd_proc **index = index_of(found);
	bool all = index != NULL;

	for (size_t i = 0; all && i < known->n; i++)
		all = known->procs[i].pid < 0 || find_in(index, found->n, &known->procs[i]) != NULL;
	free(index);
	return all;
}

/* All processes of one job of the launcher are in one world: copy it from the process where it is known. */
static void spread_worlds(struct cmd_job *job)
{
	for (size_t i = 0; i < job->n; i++) {
		const struct cmd_proc *p = &job->procs[i];
		bool told = i && strcmp(p->job, job->procs[i - 1].job) == 0 && p[-1].world != CMD_NO_WORLD;
		if (p->world == CMD_NO_WORLD || !*p->job || told)
			continue;
		for (size_t j = 0; j < job->n; j++)
			if (job->procs[j].world == CMD_NO_WORLD && strcmp(job->procs[j].job, p->job) == 0)
				job->procs[j].world = p->world;
	}
}

/* Is another process of p's job known to be in this world? */
static bool has_sibling_in(const struct cmd_job *job, const struct cmd_proc *p, size_t world)
{
	for (size_t i = 0; i < job->n; i++)
		if (job->procs[i].world == world && strcmp(job->procs[i].job, p->job) == 0)
			return true;
	return false;
}

/*
 * The entry of the launcher that names a script instead of the rank it has started; the script remains when the
 * program has ended. The rank itself is known from the table that it filled in MPI_Init.
 */
static struct cmd_proc *script_of(const struct cmd_job *job, size_t n, const struct cmd_proc *found)
{
	for (size_t i = 0; i < n; i++) {
		struct cmd_proc *p = &job->procs[i];
		bool same_host = (p->here && found->here) || cmd_same_host(p->host, found->host);
		if (p->world == CMD_NO_WORLD && p->rank == found->rank && same_host &&
		    has_sibling_in(job, p, found->world))
			return p;
	}
	return NULL;
}

static void become(struct cmd_proc *p, const struct cmd_proc *found)
{
	p->pid = found->pid;
	p->table_pid = found->table_pid;
	p->world = found->world;
	cmd_proc_set(&p->executable, found->executable);
}

/* Move the worlds known to MPI2DD, and the processes that only MPI2DD lists, to the job. */
static bool annotate(struct cmd_job *job, struct cmd_job *found)
{
	struct cmd_proc **index = index_of(job);
	size_t n = job->n;
	bool *is_new = calloc(found->n + 1, sizeof(*is_new));

	if (!index || !is_new) {
		free(index);
		free(is_new);
		return false;
	}
	for (size_t i = 0; i < found->n; i++) {
		struct cmd_proc *p = find_in(index, n, &found->procs[i]);
		is_new[i] = !p;
		if (p)
			p->world = found->procs[i].world;
	}
	free(index);
	bool ok = true;
	for (size_t i = 0; ok && i < found->n; i++) {
		const struct cmd_proc *f = &found->procs[i];
		if (!is_new[i])
			continue;
		struct cmd_proc *script = script_of(job, n, f);
		if (script) {
			become(script, f);
			continue;
		}
		struct cmd_proc *p = cmd_job_add(job, f->rank, f->pid, f->host, f->executable, NULL);
		ok = p != NULL;
		if (!ok)
			break;
		p->table_pid = f->table_pid;
		p->world = f->world;
		p->here = f->here;
		cmd_proc_set(&p->job, f->job);
	}
	free(is_new);
	job->worlds = found->worlds;
	found->worlds = (struct cmd_worlds){ 0 };
	spread_worlds(job);
	return ok;
}

/* ---- choosing ------------------------------------------------------------------------------------ */

/*
 * Report directories that were not read, unless their processes are known from another source: a directory on
 * another host if the launcher's table lists its process and thereby its world; a directory that has ended if the
 * environments show no missing process.
 */
static void note_unread(const struct sources *s, struct cmd_job *job, bool all_known)
{
	for (size_t i = 0; i < s->walk.n_unread; i++) {
		const struct cmd_unread *u = &s->walk.unread[i];
		bool known = u->gone && all_known && s->env.n;
		for (size_t j = 0; !u->gone && !known && j < s->mpir.n; j++)
			known = s->mpir.v[j].pid == u->pid && cmd_same_host(s->mpir.v[j].host, u->host);
		if (!known)
			cmd_lines_add(&job->problems, "%s", u->text);
	}
	for (size_t i = 0; i < s->walk.found.problems.n; i++)
		cmd_lines_add(&job->problems, "%s", s->walk.found.problems.line[i]);
}

/* The job according to the launcher and the environment, if --via allows them. */
static bool from_launcher(struct sources *s, struct cmd_job *job)
{
	if (s->o->via == CMD_VIA_MPI2DD)
		return true;
	if (s->mpir.rc == MPIDBG_SUCCESS) {
		job->source = "MPIR_proctable";
		job->launcher = s->mpir.launcher;
		return cmd_mpir_add(&s->mpir, &s->env, s->o->via == CMD_VIA_ANY, job);
	}
	if (s->o->via != CMD_VIA_MPIR && s->env.rc == HOST_OK) {
		job->source = "environment";
		job->launcher = s->env.launcher;
		return cmd_environment_add(&s->env, job);
	}
	return true;
}

static void report_table_problem(const struct sources *s, struct cmd_job *job)
{
	uid_t owner;

	/* the daemon of a batch system is root's, and nobody else's table is missing */
	if (geteuid() != 0 && host_owner(s->mpir.launcher, &owner) && owner == 0 && s->mpir.err.code == HOST_DENIED)
		return;
	if (s->o->via == CMD_VIA_ANY && s->mpir.rc != MPIDBG_ERR_NOT_FOUND && s->mpir.rc != MPIDBG_ERR_NOT_SUPPORTED &&
	    s->mpir.err.text[0])
		cmd_lines_add(&job->problems, "process table of the launcher: %s", s->mpir.err.text);
}

static void take_walk(struct sources *s, struct cmd_job *job)
{
	struct cmd_job taken = s->walk.found;

	taken.is_job = true;
	taken.source = "MPI2DD";
	taken.launcher = s->env.launcher;
	taken.problems = job->problems;
	job->problems = (struct cmd_lines){ 0 };
	cmd_job_deinit(job);
	*job = taken;
	s->walk.found = (struct cmd_job){ .problems = s->walk.found.problems };
}

static bool choose(struct sources *s, struct cmd_job *job)
{
	bool ok = from_launcher(s, job);

	if (!s->walk.found.n) {
		if (job->source && strcmp(job->source, "environment") == 0 && s->o->via == CMD_VIA_ANY)
			report_table_problem(s, job);
		if (job->source && strcmp(job->source, "environment") == 0)
			cmd_environment_note_missing(job);
		if (s->o->via == CMD_VIA_ANY && job->n)
			note_unread(s, job, true);
		return ok;
	}
	bool whole = ok && covers(&s->walk.found, job);
	if (whole || !job->n) {
		take_walk(s, job);
	} else {
		if (strcmp(job->source, "environment") == 0)
			cmd_environment_note_missing(job);
		ok = ok && annotate(job, &s->walk.found);
	}
	note_unread(s, job, whole);
	return ok;
}

/* ---- nothing found ------------------------------------------------------------------------------------- */

static enum cmd_exit report_none_found(const struct sources *s, struct cmd_job *job)
{
	int pid = (int)s->o->pid;
	const char *why = s->mpir.err.text;

	switch (s->o->via) {
	case CMD_VIA_MPI2DD:
		cmd_lines_add(&job->problems, "job %d: %s", pid, s->walk.why_none);
		return s->walk.denied || s->walk.damaged ? CMD_PARTIAL : CMD_ABSENT;
	case CMD_VIA_MPIR:
		if (s->mpir.rc == MPIDBG_ERR_NOT_FOUND)
			cmd_lines_add(&job->problems, "job %d: process %d has no process table (MPIR_proctable)", pid,
				      (int)s->mpir.launcher);
		else
			cmd_lines_add(&job->problems, "job %d: process table of process %d: %s", pid,
				      (int)s->mpir.launcher, *why ? why : "cannot be read");
		return s->mpir.rc == MPIDBG_ERR_NOT_FOUND || s->mpir.rc == MPIDBG_ERR_NOT_SUPPORTED ? CMD_ABSENT
												    : CMD_PARTIAL;
	case CMD_VIA_ANY:
	case CMD_VIA_ENVIRONMENT:
		break;
	}
	if (s->o->via == CMD_VIA_ANY && (s->walk.prepared || s->walk.damaged)) {
		cmd_lines_add(&job->problems, "job %d: %s", pid, s->walk.why_none);
		return s->walk.damaged ? CMD_PARTIAL : CMD_ABSENT;
	}
	bool denied = s->mpir.err.code == HOST_DENIED;
	cmd_lines_add(&job->problems, "job %d: %s", pid, denied ? why : s->env.err.text);
	return denied ? CMD_PARTIAL : cmd_exit_of(s->env.rc);
}

/* Query the selected processes. @return false: out of memory. */
static bool ask(struct sources *s)
{
	const struct cmd_options *o = s->o;
	bool ok = true;

	/* a parent of several launchers: the user must select a job */
	bool which = s->env.rc == HOST_USAGE && o->via == CMD_VIA_ANY;
	if ((o->via == CMD_VIA_ANY || o->via == CMD_VIA_MPI2DD) && !which)
		ok = cmd_walk_mpi2dd(o->pid, o->via == CMD_VIA_MPI2DD, o->progress, s->plugin, &s->env, &s->walk);
	if (o->via == CMD_VIA_ANY || o->via == CMD_VIA_MPIR)
		cmd_mpir_read(s->env.launcher > 0 ? s->env.launcher : o->pid, s->plugin, &s->mpir);
	return ok;
}

/* for mpidbg agent: the ranks on this host of a job that another host knows */
static enum cmd_exit collect_named(const struct cmd_options *o, struct cmd_job *job)
{
	struct cmd_environment env;
	enum cmd_exit rc = CMD_DONE;

	cmd_environment_collect_named(o->named, &env);
	job->source = "environment";
	job->launcher = env.launcher;
	snprintf(job->name, sizeof(job->name), "%s", *env.name ? env.name : o->named);
	memcpy(job->mpiexec, env.mpiexec, sizeof(job->mpiexec));
	job->one_owner = true; /* host_job_named() */
	if (env.rc != HOST_OK) {
		cmd_lines_add(&job->problems, "%s: %s", o->named, env.err.text);
		rc = cmd_exit_of(env.rc);
	} else if (!cmd_environment_add(&env, job)) {
		cmd_lines_add(&job->problems, "out of memory");
		rc = CMD_PARTIAL;
	}
	cmd_environment_deinit(&env);
	cmd_job_sort(job);
	return rc;
}

/*
 * The launcher's process that has started the first rank may be stopped: then ranks that have ended stay as zombies,
 * and MPI_Abort ends nothing. One that a debugger has stopped is not meant. No problem of the answer: nothing is
 * missing in it.
 */
static void note_stopped_launcher(const struct cmd_job *job)
{
	static bool said; /* a job is read twice */
	enum { ANCESTORS_MAX = 64 };
	pid_t pid = 0, parent;

	for (size_t i = 0; i < job->n && pid <= 0; i++)
		if (job->procs[i].here && host_process_state((pid_t)job->procs[i].pid, &parent))
			pid = parent;
	for (int i = 0; i < ANCESTORS_MAX && pid > 1; i++, pid = parent) {
		char state = host_process_state(pid, &parent);
		if (!state)
			return;
		if (state == 'T' && !said) {
			said = true;
			char *name = name_of_process(pid);
			cmd_message(
				"%s %d is stopped by a signal: it neither notices that ranks have ended nor ends them "
				"(kill -CONT %d continues it)",
				name ? name : "process", (int)pid, (int)pid);
			free(name);
		}
		if (pid == job->launcher)
			return;
	}
}

/* for --job: *job has no processes */
static enum cmd_exit collect_job(const struct cmd_options *o, struct host_plugin *plugin, struct cmd_job *job)
{
	struct sources s = { .o = o, .plugin = plugin, .mpir = { .rc = MPIDBG_ERR_NOT_FOUND } };
	enum cmd_exit rc = CMD_DONE;
	char path[32];

	cmd_environment_collect(o->pid, &s.env);
	snprintf(path, sizeof(path), "/proc/%d", (int)o->pid);
	if (s.env.rc != HOST_OK && access(path, F_OK) != 0) {
		struct host_error err = { 0 };
		enum host_errc why = host_error_absent("job", o->pid, &err);
		cmd_lines_add(&job->problems, "%s", err.text);
		cmd_environment_deinit(&s.env);
		return cmd_exit_of(why);
	}
	bool ok = ask(&s) && choose(&s, job);
	if (!ok) {
		cmd_lines_add(&job->problems, "out of memory");
		rc = CMD_PARTIAL;
	} else if (!job->source) {
		rc = report_none_found(&s, job);
	} else {
		if (job->launcher)
			job->launcher_name = name_of_process(job->launcher);
		cmd_job_sort(job);
		note_stopped_launcher(job);
	}
	memcpy(job->name, s.env.name, sizeof(job->name));
	memcpy(job->mpiexec, s.env.mpiexec, sizeof(job->mpiexec));
	cmd_mpir_deinit(&s.mpir, plugin);
	cmd_walk_deinit(&s.walk);
	cmd_environment_deinit(&s.env);
	return rc;
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
	case CMD_TARGET_JOB: {
		struct cmd_priority before;
		cmd_priority_raise(&before);
		rc = o->named ? collect_named(o, ret) : collect_job(o, plugin, ret);
		cmd_priority_restore(&before);
		break;
	}
	case CMD_TARGET_CORES:
		ret->source = "cores";
		rc = cmd_cores_find(o, ret);
		break;
	case CMD_TARGET_SNAPSHOT: /* its processes are in its files */
		break;
	}
	cmd_job_number_worlds(ret);
	if (o->have_ranks)
		cmd_job_keep_ranks(ret, &o->ranks);
	if (o->debuginfod)
		cmd_fetch_debug_files(o, ret);
	return rc;
}
