/* SPDX-License-Identifier: BSD-3-Clause */
#include "job_mpir.h"

#include <stdio.h>
#include <string.h>

void cmd_mpir_read(pid_t launcher, struct host_plugin *plugin, struct cmd_mpir *ret)
{
	struct host_target *t = NULL;
	struct host_session s = { 0 };
	struct cmd_mpir m = { .rc = MPIDBG_ERR_UNAVAILABLE, .launcher = launcher };

	if (!plugin->mpidbg_get_proctable) {
		snprintf(m.err.text, sizeof(m.err.text), "the plugin reads no process tables");
		m.rc = MPIDBG_ERR_NOT_SUPPORTED;
	} else if (host_open_running(launcher, &t, &m.err) == HOST_OK &&
		   host_session_open(plugin, t, NULL, &s, &m.err) == HOST_OK) {
		m.rc = plugin->mpidbg_get_proctable(s.process, &m.v, &m.n);
		if (m.rc != MPIDBG_SUCCESS)
			snprintf(m.err.text, sizeof(m.err.text), "%s",
				 plugin->mpidbg_error_string ? plugin->mpidbg_error_string(s.process) : "");
	}
	host_session_close(&s);
	host_close(t);
	*ret = m;
}

/* Is a process a descendant of another one, such as a script that the launcher has started? */
static bool is_below(pid_t pid, pid_t above)
{
	enum { ANCESTORS_MAX = 64 };

	for (int i = 0; i < ANCESTORS_MAX && pid > 1; i++)
		if (!host_process_state(pid, &pid))
			return false;
		else if (pid == above)
			return true;
	return false;
}

static bool is_or_is_below(pid_t pid, pid_t above)
{
	return pid && (pid == above || is_below(pid, above));
}

/*
 * The process of the environment's list that is this entry of the table, or NULL. A number denotes a process of one
 * host only: that of another host may have the same. A host may have another name in the table than here, so an equal
 * rank will do.
 */
static const struct host_proc *same_process(const struct mpidbg_proc *m, const struct cmd_environment *env,
					    bool same_pids)
{
	bool here = cmd_is_here(m->host ? m->host : "");

	for (size_t i = 0; i < env->n; i++) {
		const struct host_proc *e = &env->v[i];
		if (same_pids && e->pid == m->pid && (here || e->rank == m->rank))
			return e;
		if (same_pids && e->rank == m->rank &&
		    (is_below(e->pid, (pid_t)m->pid) || is_or_is_below(e->wrapper, (pid_t)m->pid)))
			return e;
		if (!same_pids && e->rank == m->rank && strcmp(e->job, env->v[0].job) == 0)
			return e;
	}
	return NULL;
}

/* Does a process have the rank and the host of an entry? Its number is unknown, then: it is of this world
 * all the same. */
static bool is_listed(const struct cmd_mpir *m, const struct host_proc *e)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->v[i].rank == e->rank && cmd_is_here(m->v[i].host ? m->v[i].host : ""))
			return e->world_size == (int64_t)m->n;
	return false;
}

bool cmd_mpir_add(const struct cmd_mpir *m, const struct cmd_environment *env, bool spawned, struct cmd_job *job)
{
	/* A launcher in a container uses pids of its own namespace, which differ from ours. */
	bool same_pids = cmd_numbers_as_we_do(m->launcher);
	const char *main_job = "";
	size_t first = job->n;

	for (size_t i = 0; i < m->n; i++) {
		const struct mpidbg_proc *t = &m->v[i];
		const struct host_proc *e = same_process(t, env, same_pids);
		if (e)
			main_job = e->job;
		struct cmd_proc *p = cmd_job_add(job, t->rank, e ? e->pid : t->pid, t->host,
						 e && e->pid != t->pid && same_pids ? e->executable : t->executable,
						 NULL);
		if (!p)
			return false;
		p->here = e || cmd_is_here(p->host);
		p->world_size = (int64_t)m->n;
		p->table_pid = t->pid;
	}
	for (size_t i = first; i < job->n; i++)
		cmd_proc_set(&job->procs[i].job, main_job);
	for (size_t j = 0; spawned && j < env->n; j++) {
		bool unknown = !*main_job && is_listed(m, &env->v[j]);
		if (!unknown && strcmp(env->v[j].job, main_job) != 0 && !cmd_environment_add_one(&env->v[j], job))
			return false;
	}
	return true;
}

void cmd_mpir_deinit(struct cmd_mpir *m, const struct host_plugin *plugin)
{
	if (m->v && plugin->mpidbg_free)
		plugin->mpidbg_free(m->v);
	m->v = NULL;
	m->n = 0;
}
