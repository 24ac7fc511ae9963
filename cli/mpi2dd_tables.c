/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi2dd_tables.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TRIES = 4, PAUSE_MS = 5 };

static const char *why(const struct host_plugin *plugin, const struct host_session *s)
{
	const char *text = plugin->mpidbg_error_string ? plugin->mpidbg_error_string(s->process) : NULL;

	return text && *text ? text : "cannot be read";
}

/* Data read from a running process may be partly old and partly new. */
static bool again(const struct host_session *s, int rc, int tries)
{
	if (rc != MPIDBG_ERR_UNAVAILABLE || host_core_path(s->target) || tries >= TRIES)
		return false;
	nanosleep(&(struct timespec){ .tv_nsec = PAUSE_MS * 1000000L }, NULL);
	return true;
}

static void note(struct cmd_mpi2dd *d, const char *table, int rc, const char *text, size_t n_bad)
{
	if (rc != MPIDBG_SUCCESS && rc != MPIDBG_ERR_NOT_FOUND)
		cmd_lines_add(&d->problems, "%s: %s", table, text);
	else if (n_bad)
		cmd_lines_add(&d->problems, "%s: %zu %s no sense or cannot be read", table, n_bad,
			      n_bad == 1 ? "entry makes" : "entries make");
}

static void read_procs(struct host_plugin *plugin, struct host_session *s, struct cmd_mpi2dd *d)
{
	size_t n_bad;
	int rc, tries = 0;

	do {
		n_bad = 0;
		rc = plugin->mpidbg_get_world_procs(s->process, &d->procs, &d->n_procs, &n_bad);
	} while (again(s, rc, ++tries));
	note(d, "proctable", rc, why(plugin, s), n_bad);
}

static void read_places(struct host_plugin *plugin, struct host_session *s, struct cmd_mpi2dd *d, int table,
			struct mpidbg_place **ret, size_t *n_ret)
{
	size_t n_bad;
	int rc, tries = 0;

	do {
		n_bad = 0;
		rc = plugin->mpidbg_get_places(s->process, table, ret, n_ret, &n_bad);
	} while (again(s, rc, ++tries));
	note(d, table == MPIDBG_TABLE_DIRECTORIES ? "directory_table" : "metadirectory_table", rc, why(plugin, s),
	     n_bad);
}

int cmd_mpi2dd_read(struct host_plugin *plugin, struct host_session *s, struct cmd_mpi2dd *ret)
{
	int rc, tries = 0;

	*ret = (struct cmd_mpi2dd){ 0 };
	if (!plugin->mpidbg_get_mpi2dd || !plugin->mpidbg_get_world_procs || !plugin->mpidbg_get_places)
		return MPIDBG_ERR_NOT_SUPPORTED;
	do
		rc = plugin->mpidbg_get_mpi2dd(s->process, &ret->info);
	while (again(s, rc, ++tries));
	if (rc == MPIDBG_ERR_NOT_FOUND)
		return rc;
	if (rc != MPIDBG_SUCCESS) {
		cmd_lines_add(&ret->problems, "MPI2DD_info: %s", why(plugin, s));
		return MPIDBG_ERR_UNAVAILABLE;
	}
	const char *job = host_getenv(s->target, "PMIX_NAMESPACE");
	if (!job)
		job = host_getenv(s->target, "OMPI_MCA_ess_base_jobid");
	snprintf(ret->job, sizeof(ret->job), "%s", job ? job : "");
	if (ret->info->n_procs)
		read_procs(plugin, s, ret);
	if (ret->info->n_directories)
		read_places(plugin, s, ret, MPIDBG_TABLE_DIRECTORIES, &ret->directories, &ret->n_directories);
	if (ret->info->n_metadirectories)
		read_places(plugin, s, ret, MPIDBG_TABLE_METADIRECTORIES, &ret->metadirectories,
			    &ret->n_metadirectories);
	return MPIDBG_SUCCESS;
}

void cmd_mpi2dd_free(struct host_plugin *plugin, struct cmd_mpi2dd *d)
{
	if (plugin->mpidbg_free) {
		plugin->mpidbg_free(d->info);
		plugin->mpidbg_free(d->procs);
		plugin->mpidbg_free(d->directories);
		plugin->mpidbg_free(d->metadirectories);
	}
	cmd_lines_deinit(&d->problems);
	*d = (struct cmd_mpi2dd){ 0 };
}

const struct mpidbg_world_proc *cmd_mpi2dd_entry(const struct cmd_mpi2dd *d, const char *host, int64_t pid)
{
	for (size_t i = 0; i < d->n_procs; i++)
		if (d->procs[i].pid == pid && cmd_same_host(d->procs[i].host, host))
			return &d->procs[i];
	return NULL;
}

bool cmd_mpi2dd_add(const struct cmd_mpi2dd *d, struct cmd_job *job)
{
	for (size_t i = 0; i < d->n_procs; i++) {
		const struct mpidbg_world_proc *e = &d->procs[i];
		if (e->pid < 0)
			continue;
		size_t world = cmd_worlds_add(&job->worlds, e->world ? e->world : "");
		if (world == CMD_NO_WORLD)
			return false;
		if (e->parent_world &&
		    !cmd_worlds_spawned(&job->worlds, world, e->parent_world, e->parent_rank, e->sequence))
			return false;
		struct cmd_proc *p = cmd_job_add(job, e->rank, e->pid, e->host, e->executable, NULL);
		if (!p)
			return false;
		p->world = world;
		p->table_pid = e->pid;
		p->here = false;
	}
	return true;
}

static void free_proc(struct cmd_proc *p)
{
	free(p->host);
	free(p->executable);
	free(p->core);
	free(p->job);
}

/* Sorted: equal entries are adjacent. */
static void drop_doubles(struct cmd_job *job)
{
	size_t n = 0;

	for (size_t i = 0; i < job->n; i++) {
		struct cmd_proc *p = &job->procs[i], *before = n ? &job->procs[n - 1] : NULL;
		bool same_rank = before && before->world == p->world && before->rank == p->rank;
		if (same_rank && before->table_pid == p->table_pid && cmd_same_host(before->host, p->host)) {
			before->here |= p->here;
			free_proc(p);
			continue;
		}
		if (same_rank)
			cmd_lines_add(&job->problems,
				      "world %s: rank %lld is named twice: process %lld on %s and process %lld on %s",
				      job->worlds.v[p->world].id, (long long)p->rank, (long long)before->table_pid,
				      before->host, (long long)p->table_pid, p->host);
		job->procs[n++] = *p;
	}
	job->n = n;
}

bool cmd_mpi2dd_settle(struct cmd_job *job, size_t first)
{
	size_t *place;

	if (!cmd_worlds_arrange(&job->worlds, first, &place))
		return false;
	for (size_t i = 0; place && i < job->n; i++)
		job->procs[i].world = place[job->procs[i].world];
	free(place);
	cmd_job_sort(job);
	drop_doubles(job);
	for (size_t i = 0; i < job->n; i++)
		job->worlds.v[job->procs[i].world].n_procs++;
	return true;
}
