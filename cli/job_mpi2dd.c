/* SPDX-License-Identifier: BSD-3-Clause */
#include "job_mpi2dd.h"

#include "../access/grow.h"
#include "../include/mpi2dd.h"
#include "mpi2dd_tables.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SEEDS_MAX = 1024, ANCESTORS_MAX = 8 };

/* A process to visit. Owns the strings. */
struct place {
	char *host, *executable;
	int64_t pid;  /* pid according to the tables */
	size_t world; /* for another metadirectory: world of the one that lists it; CMD_NO_WORLD */
	bool is_meta, is_read;
};

struct walk {
	struct host_plugin *plugin;
	const struct cmd_environment *env;
	struct cmd_walk *ret;
	struct place *places;
	size_t n, n_read;
	pid_t start;
	bool same_pids; /* the first process uses our pid namespace */
	bool progress, full, no_memory;
};

/* ---- places -------------------------------------------------------------------------------------- */

static bool is_visited(const struct walk *w, const char *host, int64_t pid)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->places[i].pid == pid && cmd_same_host(w->places[i].host, host))
			return true;
	return false;
}

static void add_place(struct walk *w, const char *host, const char *executable, int64_t pid, bool is_meta, size_t world)
{
	if (pid <= 0 || is_visited(w, host, pid))
		return;
	if (w->n >= CMD_PLACES_MAX) {
		if (!w->full)
			cmd_lines_add(&w->ret->found.problems,
				      "MPI2DD: more than %d directories are named: the others are not read",
				      CMD_PLACES_MAX);
		w->full = true;
		return;
	}
	if (!ACC_GROW(w->places, w->n)) {
		w->no_memory = true;
		return;
	}
	struct place p = { strdup(host), strdup(executable ? executable : ""), pid, world, is_meta, false };
	if (!p.host || !p.executable) {
		free(p.host);
		free(p.executable);
		w->no_memory = true;
		return;
	}
	w->places[w->n++] = p;
}

__attribute__((format(printf, 4, 5))) static void unread(struct walk *w, const struct place *p, bool gone,
							 const char *format, ...)
{
	struct cmd_walk *r = w->ret;
	char why[700];
	va_list ap;

	va_start(ap, format);
	vsnprintf(why, sizeof(why), format, ap);
	va_end(ap);
	if (!ACC_GROW(r->unread, r->n_unread)) {
		w->no_memory = true;
		return;
	}
	struct cmd_unread *u = &r->unread[r->n_unread];
	*u = (struct cmd_unread){ .host = strdup(p->host), .pid = p->pid, .gone = gone };
	if (!u->host || asprintf(&u->text, "%s process %lld: not read: %s", p->is_meta ? "metadirectory" : "directory",
				 (long long)p->pid, why) < 0) {
		free(u->host);
		w->no_memory = true;
		return;
	}
	r->n_unread++;
}

static bool has_ended(pid_t pid)
{
	char state = host_process_state(pid, NULL);

	return !state || state == 'Z' || state == 'X';
}

/* ---- one process --------------------------------------------------------------------------------- */

static int read_process(struct walk *w, pid_t pid, struct cmd_mpi2dd *ret, struct host_error *err)
{
	struct host_target *t = NULL;
	struct host_session s = { 0 };
	int rc = MPIDBG_ERR_UNAVAILABLE;

	*ret = (struct cmd_mpi2dd){ 0 };
	*err = (struct host_error){ 0 };
	if (host_open_running(pid, &t, err) == HOST_OK && host_session_open(w->plugin, t, NULL, &s, err) == HOST_OK)
		rc = cmd_mpi2dd_read(w->plugin, &s, ret);
	if (rc == MPIDBG_ERR_UNAVAILABLE && ret->problems.n)
		snprintf(err->text, sizeof(err->text), "%s", ret->problems.line[0]);
	host_session_close(&s);
	host_close(t);
	return rc;
}

/*
 * Do the process's own tables name this host and pid? Otherwise the pid was reused, or belongs to a process on
 * another host. A process with damaged tables cannot be checked.
 */
static bool is_itself(const struct cmd_mpi2dd *d, const struct place *p)
{
	if (d->problems.n)
		return true;
	if (d->info->meta_pid == p->pid && d->info->meta_host && cmd_same_host(d->info->meta_host, p->host))
		return true;
	return cmd_mpi2dd_entry(d, p->host, p->pid) != NULL;
}

/* Read everything in the process, and add the places that it refers to. */
static void take_tables(struct walk *w, const struct cmd_mpi2dd *d, const struct place *p)
{
	struct cmd_job *found = &w->ret->found;
	const struct mpidbg_world_proc *self = cmd_mpi2dd_entry(d, p->host, p->pid);
	size_t world = CMD_NO_WORLD;

	w->n_read++;
	for (size_t i = 0; i < d->problems.n; i++)
		cmd_lines_add(&found->problems, "process %lld: %s", (long long)p->pid, d->problems.line[i]);
	if (!cmd_mpi2dd_add(d, found))
		w->no_memory = true;
	if (self && self->world)
		world = cmd_worlds_find(&found->worlds, self->world);
	if (world != CMD_NO_WORLD)
		cmd_world_number(&found->worlds.v[world], d->job);
	if (world != CMD_NO_WORLD && p->world != CMD_NO_WORLD && p->world != world &&
	    found->worlds.v[world].met == CMD_NO_WORLD)
		found->worlds.v[world].met = p->world;
	if (d->info->meta_host)
		add_place(w, d->info->meta_host, d->info->meta_executable, d->info->meta_pid, true, CMD_NO_WORLD);
	for (size_t i = 0; i < d->n_directories; i++)
		add_place(w, d->directories[i].host, d->directories[i].executable, d->directories[i].pid, false,
			  CMD_NO_WORLD);
	for (size_t i = 0; i < d->n_metadirectories; i++)
		add_place(w, d->metadirectories[i].host, d->metadirectories[i].executable, d->metadirectories[i].pid,
			  true, world);
}

/* Read a candidate process on this machine. @return true: it is the one that was listed. */
static bool try_process(struct walk *w, const struct place *p, pid_t pid, int *rc, struct host_error *err)
{
	struct cmd_mpi2dd d;

	*rc = read_process(w, pid, &d, err);
	bool is = *rc == MPIDBG_SUCCESS && is_itself(&d, p);
	if (is)
		take_tables(w, &d, p);
	cmd_mpi2dd_free(w->plugin, &d);
	return is;
}

static void visit(struct walk *w, const struct place *p)
{
	const struct host_proc *e;
	struct host_error err = { 0 };
	int rc = MPIDBG_SUCCESS;
	bool tried = false, named_here = cmd_is_here(p->host);

	for (size_t i = 0; (e = cmd_environment_next(w->env, p->pid, &i));) {
		tried |= named_here;
		if (try_process(w, p, e->pid, &rc, &err))
			return;
	}
	if (!tried && w->same_pids && named_here) {
		tried = true;
		if (try_process(w, p, (pid_t)p->pid, &rc, &err))
			return;
	}
	if (!tried && named_here && !w->same_pids)
		unread(w, p, false, "it is in another pid namespace: run mpidbg in its container");
	else if (!tried)
		unread(w, p, false, "it is on host %s: run mpidbg there", p->host);
	else if (w->same_pids && has_ended((pid_t)p->pid))
		unread(w, p, true, "it has ended");
	else if (rc == MPIDBG_SUCCESS || rc == MPIDBG_ERR_NOT_FOUND)
		unread(w, p, true, "it has ended, and its number belongs to another process now");
	else
		unread(w, p, false, "%s", err.text);
}

/* The host of the process, as named in its own tables. */
static const char *host_of(const struct cmd_mpi2dd *d, int64_t own_pid)
{
	const char *host = NULL;

	for (size_t i = 0; i < d->n_procs; i++)
		if (d->procs[i].pid == own_pid && (!host || cmd_is_here(d->procs[i].host)))
			host = d->procs[i].host;
	if (!host && d->info->meta_pid == own_pid && d->info->meta_host && cmd_is_here(d->info->meta_host))
		host = d->info->meta_host;
	return host ? host : cmd_this_host();
}

/*
 * A rank other than the first of its world that has spawned or joined by itself is a metadirectory that no table lists,
 * so all ranks on this machine are read. Ranks on other hosts are not; they can be reached only from their children.
 */
static void visit_ranks(struct walk *w)
{
	for (size_t i = 0; i < w->env->n; i++) {
		struct cmd_mpi2dd d;
		struct host_error err;
		pid_t pid = w->env->v[i].pid;
		if (read_process(w, pid, &d, &err) == MPIDBG_SUCCESS &&
		    d.info->mpi_flags & MPI2DD_MPIFLAG_I_AM_METADIR && d.n_metadirectories) {
			int64_t own = cmd_own_pid(pid);
			const char *host = host_of(&d, own);
			size_t n = w->n;
			add_place(w, host, NULL, own, true, CMD_NO_WORLD);
			if (w->n > n) { /* it was not visited before */
				struct place self = w->places[n];
				w->places[n].is_read = true;
				take_tables(w, &d, &self);
			}
		}
		cmd_mpi2dd_free(w->plugin, &d);
	}
}

/* ---- where to begin ------------------------------------------------------------------------------ */

static void begin_walk(struct walk *w, pid_t pid, const struct cmd_mpi2dd *d)
{
	int64_t own = cmd_own_pid(pid);
	const char *host = host_of(d, own);

	w->start = pid;
	w->same_pids = cmd_numbers_as_we_do(pid);
	add_place(w, host, NULL, own, false, CMD_NO_WORLD);
	if (w->n == 1) {
		struct place self = w->places[0];
		w->places[0].is_read = true;
		take_tables(w, d, &self);
	}
}

/* Try to start from a process: it must refer to others, or have tables. @return true: the walk can begin. */
static bool try_seed(struct walk *w, pid_t pid, bool is_given)
{
	struct cmd_mpi2dd d;
	struct host_error err;
	struct cmd_walk *r = w->ret;
	int rc = read_process(w, pid, &d, &err);
	bool ok = rc == MPIDBG_SUCCESS && (d.info->meta_pid > 0 || d.n_procs);

	if (ok) {
		begin_walk(w, pid, &d);
	} else if (rc == MPIDBG_SUCCESS) {
		r->prepared = true;
		snprintf(r->why_none, sizeof(r->why_none),
			 d.info->mpi_flags & MPI2DD_MPIFLAG_I_AM_STARTER
				 ? "process %d: the starter knows of no process that has returned from MPI_Init yet"
				 : "process %d has not returned from MPI_Init yet: its tables are empty",
			 (int)pid);
	} else if (rc == MPIDBG_ERR_UNAVAILABLE && !r->prepared && (is_given || !r->why_none[0])) {
		r->denied = err.code == HOST_DENIED;
		r->damaged = !err.code;
		snprintf(r->why_none, sizeof(r->why_none), "%.500s", err.text);
		if (r->damaged) {
			snprintf(r->why_none, sizeof(r->why_none), "process %d: %.400s", (int)pid, err.text);
			cmd_lines_add(&r->found.problems, "%s", r->why_none);
		}
	} else if (rc == MPIDBG_ERR_NOT_SUPPORTED) {
		snprintf(r->why_none, sizeof(r->why_none), "this plugin reads no MPI2DD tables");
	}
	cmd_mpi2dd_free(w->plugin, &d);
	return ok;
}

/* Is the in-target library mapped? A program may also have been linked with its sources. */
static bool looks_prepared(pid_t pid)
{
	char path[64], line[4096];
	bool found = false;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	FILE *f = fopen(path, "re");
	while (f && !found && fgets(line, sizeof(line), f))
		found = strstr(line, "/libmpi2dd") != NULL;
	if (f)
		fclose(f);
	return found;
}

static bool is_starter(pid_t pid)
{
	char path[64], name[32] = "";

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	FILE *f = fopen(path, "re");
	bool read = f && fgets(name, sizeof(name), f);
	if (f)
		fclose(f);
	return read && strcmp(name, "mpi2dd-run\n") == 0;
}

static bool find_start(struct walk *w, pid_t given, bool thorough)
{
	size_t n = 0;

	if (try_seed(w, given, true))
		return true;
	for (size_t i = 0; i < w->env->n && n < SEEDS_MAX; i++) {
		pid_t pid = w->env->v[i].pid;
		bool first_of_job = i == 0 || strcmp(w->env->v[i].job, w->env->v[i - 1].job) != 0;
		if (pid == given || (!thorough && !first_of_job && !looks_prepared(pid)))
			continue;
		n++;
		if (try_seed(w, pid, false))
			return true;
	}
	/* all ranks may be on other hosts; the starter, an ancestor, knows at least where */
	pid_t pid = given;
	for (int i = 0; i < ANCESTORS_MAX && host_process_state(pid, &pid) && pid > 1; i++)
		if (is_starter(pid) && try_seed(w, pid, false))
			return true;
	return false;
}

/* ---- afterwards ---------------------------------------------------------------------------------- */

/* Find out which of the processes are on this machine, and their pids here. */
static void localize(struct walk *w)
{
	struct cmd_job *found = &w->ret->found;

	for (size_t i = 0; i < found->n; i++) {
		struct cmd_proc *p = &found->procs[i];
		const struct host_proc *e = cmd_environment_find(w->env, p->rank, p->table_pid);
		if (e) {
			p->pid = e->pid;
			p->here = true;
			p->world_size = e->world_size;
			cmd_proc_set(&p->job, e->job);
		} else {
			p->here = w->same_pids && cmd_is_here(p->host);
		}
	}
}

/* The world size comes from the launcher, via the ranks; otherwise from the tables, if all of them were read. */
static void set_sizes(struct walk *w)
{
	struct cmd_job *found = &w->ret->found;
	bool all_read = !found->problems.n;

	for (size_t i = 0; i < w->ret->n_unread; i++)
		all_read &= w->ret->unread[i].gone;
	for (size_t i = 0; i < found->n; i++) {
		struct cmd_proc *p = &found->procs[i], *before = i ? p - 1 : NULL;
		if (p->world_size < 0 && before && before->world == p->world)
			p->world_size = before->world_size;
		else if (p->world_size < 0 && all_read)
			p->world_size = (int64_t)found->worlds.v[p->world].n_procs;
	}
}

bool cmd_walk_mpi2dd(pid_t start, bool thorough, bool progress, struct host_plugin *plugin,
		     const struct cmd_environment *env, struct cmd_walk *ret)
{
	struct walk w = {
		.plugin = plugin, .env = env, .ret = ret, .start = start, .same_pids = true, .progress = progress
	};

	*ret = (struct cmd_walk){ 0 };
	bool found = find_start(&w, start, thorough), asked_ranks = false;
	/* a copy, because add_place() may move the array; its strings stay in place */
	for (size_t i = 0; found && (i < w.n || !asked_ranks); i++) {
		if (i == w.n) {
			asked_ranks = true;
			visit_ranks(&w);
			if (i == w.n)
				break;
		}
		struct place p = w.places[i];
		cmd_progress(w.progress && w.n > 1, "MPI2DD: %zu of %zu directories", i + 1, w.n);
		if (!p.is_read)
			visit(&w, &p);
	}
	cmd_progress_end();
	/* the world of the first process was read first */
	if (!cmd_mpi2dd_settle(&ret->found, ret->found.worlds.n ? 0 : CMD_NO_WORLD))
		w.no_memory = true;
	else {
		localize(&w);
		set_sizes(&w);
	}
	if (!ret->found.n && ret->found.problems.n && !ret->why_none[0]) {
		snprintf(ret->why_none, sizeof(ret->why_none), "%.500s", ret->found.problems.line[0]);
		ret->damaged = true;
	}
	if (!ret->found.n && !ret->why_none[0])
		snprintf(ret->why_none, sizeof(ret->why_none), "%s",
			 ret->n_unread ? ret->unread[0].text
				       : "no MPI2DD_info in it, nor in ranks below it: start the job with mpi2dd-run");
	for (size_t i = 0; i < w.n; i++) {
		free(w.places[i].host);
		free(w.places[i].executable);
	}
	free(w.places);
	return !w.no_memory;
}

void cmd_walk_deinit(struct cmd_walk *w)
{
	cmd_job_deinit(&w->found);
	for (size_t i = 0; i < w->n_unread; i++) {
		free(w->unread[i].host);
		free(w->unread[i].text);
	}
	free(w->unread);
	*w = (struct cmd_walk){ 0 };
}
