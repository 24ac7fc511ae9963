/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan.h"

#include "job.h"
#include "job_environment.h"
#include "job_mpir.h"
#include "job_names.h"

#include "../access/grow.h"
#include "../hosts/flux.h"
#include "../hosts/launcher.h"
#include "../hosts/pmix.h"
#include "../hosts/slurm.h"
#include "../hosts/way.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool add_host(struct cmd_plan *p, const char *name)
{
	if (!hs_is_host(name))
		return true;
	for (size_t i = 0; i < p->n_hosts; i++)
		if (cmd_same_host(p->hosts[i], name))
			return true;
	bool ok = ACC_GROW(p->hosts, p->n_hosts) && ACC_GROW(p->here, p->n_hosts);
	char *copy = ok ? strdup(name) : NULL;
	if (!copy)
		return false;
	p->hosts[p->n_hosts] = copy;
	p->here[p->n_hosts++] = cmd_is_here(name);
	return true;
}

/* ---- Slurm --------------------------------------------------------------------------------------------- */

static bool plan_slurm(const char *job, struct cmd_plan *p, char *why, size_t n_why)
{
	struct hs_slurm s = { .job = "" };
	bool ok = hs_slurm_find(job, &s);

	if (!ok)
		snprintf(why, n_why, "%s", s.why);
	snprintf(p->way, sizeof(p->way), "srun");
	snprintf(p->slurm_job, sizeof(p->slurm_job), "%s", s.job);
	snprintf(p->slurm_user, sizeof(p->slurm_user), "%s", s.user);
	snprintf(p->slurm_group, sizeof(p->slurm_group), "%s", s.group);
	snprintf(p->name, sizeof(p->name), "slurm:%s%s%s", s.job, *s.step ? "." : "", s.step);
	for (size_t i = 0; ok && i < s.n_nodes; i++) {
		ok = add_host(p, s.nodes[i]);
		p->here[p->n_hosts - 1] = false; /* its step is entered by srun everywhere */
	}
	hs_slurm_deinit(&s);
	return ok;
}

/* ---- a process of this machine ---------------------------------------------------------------------------- */

/* The hosts in the launcher's table. */
static void add_table(pid_t launcher, struct host_plugin *plugin, struct cmd_plan *p)
{
	struct cmd_mpir table;

	cmd_mpir_read(launcher, plugin, &table);
	for (size_t i = 0; table.rc == MPIDBG_SUCCESS && i < table.n; i++)
		add_host(p, table.v[i].host ? table.v[i].host : "");
	cmd_mpir_deinit(&table, plugin);
}

static bool plan_srun(pid_t srun, pid_t parent, struct cmd_plan *p)
{
	char step[64], why[512];

	if (hs_slurm_step_of(cmd_this_host(), srun, parent, step, sizeof(step)) &&
	    plan_slurm(step, p, why, sizeof(why)))
		return true;
	cmd_plan_deinit(p);
	return false;
}

/* Open MPI 5's launcher, which says itself where its ranks are, and starts agents there. */
static bool plan_pmix(pid_t launcher, struct cmd_plan *p, char *why, size_t n_why)
{
	struct hs_pmix x = { .job = "" };

	if (!hs_pmix_is_launcher(launcher))
		snprintf(why, n_why, "process %d is no launcher of Open MPI 5, or may not be read", (int)launcher);
	else if (hs_pmix_find(launcher, &x, why, n_why)) {
		snprintf(p->way, sizeof(p->way), "pmix");
		snprintf(p->name, sizeof(p->name), "pmix:%.240s", x.job);
		p->launcher = launcher;
		for (size_t i = 0; i < x.n_hosts; i++)
			add_host(p, x.hosts[i]);
		for (size_t i = 0; p->n_hosts > 1 && i < p->n_hosts; i++)
			p->here[i] = false; /* a daemon of the launcher is everywhere */
	}
	hs_pmix_deinit(&x);
	return p->n_hosts > 0;
}

/* A launcher that has reached other hosts by ssh or srun. */
static bool plan_launcher(pid_t pid, const struct cmd_environment *e, struct host_plugin *plugin, struct cmd_plan *p)
{
	struct hs_launcher l = { .job = "" };

	hs_launcher_look(pid, &l);
	if (!*l.slurm_job) /* the daemon of Slurm above it is root's */
		snprintf(l.slurm_job, sizeof(l.slurm_job), "%s", e->slurm_job);
	if (!*l.job || (!l.n_hosts && !l.by_srun)) {
		bool found = l.srun && plan_srun(l.srun, l.srun_parent, p); /* below mpi2dd-run or a script */
		hs_launcher_deinit(&l);
		return found;
	}
	snprintf(p->name, sizeof(p->name), "%s", l.job);
	snprintf(p->slurm_job, sizeof(p->slurm_job), "%s", l.slurm_job);
	snprintf(p->way, sizeof(p->way), "%s", l.by_srun && *l.slurm_job ? "srun" : "ssh");
	if (e->n)
		add_host(p, cmd_this_host());
	for (size_t i = 0; i < l.n_hosts; i++)
		add_host(p, l.hosts[i]);
	add_table(pid, plugin, p);
	if (l.by_srun && *l.slurm_job && (!p->n_hosts || (p->n_hosts == 1 && p->here[0]))) {
		struct hs_slurm s = { .job = "" };
		hs_slurm_find(l.slurm_job, &s);
		for (size_t i = 0; i < s.n_nodes; i++)
			add_host(p, s.nodes[i]);
		hs_slurm_deinit(&s);
	}
	hs_launcher_deinit(&l);
	return true;
}

/* A rank of a job in Slurm, of which there are more ranks on other nodes. */
static bool plan_rank(const struct cmd_environment *e, struct cmd_plan *p)
{
	bool is_step = strncmp(e->name, "slurm:", 6) == 0;
	char why[512];

	if (!e->n || (e->v[0].world_size > 0 && (int64_t)e->n >= e->v[0].world_size) || (!is_step && !*e->slurm_job) ||
	    !*e->name || !plan_slurm(is_step ? e->name + 6 : e->slurm_job, p, why, sizeof(why)))
		return false;
	snprintf(p->name, sizeof(p->name), "%s", e->name);
	return true;
}

static bool has_all_here(const struct cmd_environment *e)
{
	return e->n && e->v[0].world_size > 0 && (int64_t)e->n >= e->v[0].world_size;
}

static void plan_process(const struct cmd_options *o, struct host_plugin *plugin, struct cmd_lines *problems,
			 struct cmd_plan *p)
{
	struct cmd_environment e = { .rc = HOST_OK };
	char name[64], why[512] = "";
	pid_t parent;

	hs_process_name(o->pid, name, sizeof(name), &parent);
	if (strcmp(name, "srun") == 0 && plan_srun(o->pid, parent, p))
		return;
	if (strcmp(name, "sattach") == 0) {
		char step[64];
		if (hs_sattach_step(o->pid, step, sizeof(step)) && plan_slurm(step, p, why, sizeof(why)))
			return;
		cmd_plan_deinit(p);
	}
	cmd_environment_collect(o->pid, &e);
	pid_t launcher = e.launcher > 0 ? e.launcher : o->pid;
	bool by_pmix = o->way ? strcmp(o->way, "pmix") == 0 : !has_all_here(&e) && hs_pmix_is_launcher(launcher);
	if (by_pmix && plan_pmix(launcher, p, why, sizeof(why))) {
		cmd_environment_deinit(&e);
		return;
	}
	if (by_pmix && o->way)
		cmd_lines_add(problems, "job %d: %s", (int)o->pid, why);
	if (!plan_launcher(e.launcher > 0 ? e.launcher : o->pid, &e, plugin, p) && !plan_rank(&e, p))
		cmd_plan_deinit(p);
	if (!*p->name && o->hosts && e.n)
		snprintf(p->name, sizeof(p->name), "%s", e.name);
	cmd_environment_deinit(&e);
}

/* ---- --hosts ------------------------------------------------------------------------------------------------ */

static bool in_brackets(const char *text, const char *at)
{
	bool in = false;

	for (; text < at; text++)
		in = *text == '[' || (in && *text != ']');
	return in;
}

/* Add "n[1-3,7]x" as n1x, n2x, n3x, n7x. @return false: it has no valid form, or out of memory */
static bool add_pattern(struct cmd_plan *p, const char *text)
{
	enum { HOSTS_MAX = 100000 };
	const char *open = strchr(text, '['), *close = open ? strchr(open, ']') : NULL;
	char name[512];

	if (!open)
		return hs_is_host(text) && add_host(p, text);
	if (!close)
		return false;
	for (const char *at = open + 1; at < close; at++) {
		char *end;
		int width = (int)strspn(at, "0123456789");
		unsigned long first = strtoul(at, &end, 10), last = first;
		if (end == at)
			return false;
		if (*end == '-') {
			at = end + 1;
			last = strtoul(at, &end, 10);
		}
		if (end == at || (*end != ',' && *end != ']') || last < first || last - first >= HOSTS_MAX)
			return false;
		for (unsigned long i = first; i <= last; i++) {
			snprintf(name, sizeof(name), "%.*s%0*lu%s", (int)(open - text), text, width, i, close + 1);
			if (!add_pattern(p, name))
				return false;
		}
		at = end;
	}
	return true;
}

static bool add_list(struct cmd_plan *p, const char *list)
{
	char name[512];

	for (const char *at = list; *at;) {
		const char *end = strchr(at, ',');
		while (end && in_brackets(at, end))
			end = strchr(end + 1, ',');
		size_t n = end ? (size_t)(end - at) : strlen(at);
		if (!n || n >= sizeof(name))
			return false;
		snprintf(name, sizeof(name), "%.*s", (int)n, at);
		if (!add_pattern(p, name))
			return false;
		at += n + (end != NULL);
	}
	return p->n_hosts > 0;
}

/* Does the way also reach this machine as it reaches the others? */
static bool is_everywhere(const char *way)
{
	return strcmp(way, "srun") == 0 || strcmp(way, "flux") == 0 || strcmp(way, "pmix") == 0;
}

/* The user's hosts instead of those that were found. */
static bool use_list(const struct cmd_options *o, struct cmd_plan *p)
{
	struct cmd_plan own = { .way = "" };

	if (!add_list(&own, o->hosts)) {
		cmd_plan_deinit(&own);
		return false;
	}
	for (size_t i = 0; i < own.n_hosts && is_everywhere(p->way); i++)
		own.here[i] = false;
	snprintf(own.way, sizeof(own.way), "%s", p->way);
	snprintf(own.name, sizeof(own.name), "%s", p->name);
	snprintf(own.slurm_job, sizeof(own.slurm_job), "%s", p->slurm_job);
	snprintf(own.slurm_user, sizeof(own.slurm_user), "%s", p->slurm_user);
	snprintf(own.flux_ranks, sizeof(own.flux_ranks), "%s", p->flux_ranks);
	own.launcher = p->launcher;
	snprintf(own.slurm_group, sizeof(own.slurm_group), "%s", p->slurm_group);
	cmd_plan_deinit(p);
	*p = own;
	return true;
}

/* ---- all of it ------------------------------------------------------------------------------------------------- */

static enum cmd_exit named_flux(const struct cmd_options *o, struct cmd_lines *problems, struct cmd_plan *p)
{
	char why[512] = "";
	struct hs_flux f;
	bool ok = hs_flux_find(o->job + 5, &f, why, sizeof(why));

	if (!ok || !add_list(p, f.nodes)) {
		cmd_lines_add(problems, "job %s: %s", o->job, ok ? "its nodes have no valid names" : why);
		return CMD_ABSENT;
	}
	snprintf(p->way, sizeof(p->way), "flux");
	snprintf(p->name, sizeof(p->name), "flux:%s", f.job);
	snprintf(p->flux_ranks, sizeof(p->flux_ranks), "%s", f.ranks);
	for (size_t i = 0; i < p->n_hosts; i++)
		p->here[i] = false; /* a broker is everywhere */
	return CMD_DONE;
}

static enum cmd_exit named(const struct cmd_options *o, struct cmd_lines *problems, struct cmd_plan *p)
{
	if (cmd_job_is_flux(o->job))
		return named_flux(o, problems, p);
	char why[512] = "";
	const char *job = o->job + 6; /* "slurm:", options.c */

	if (plan_slurm(job, p, why, sizeof(why)))
		return CMD_DONE;
	/* without Slurm's commands here, the user can name the hosts and a way */
	if (o->hosts && o->way && strcmp(o->way, "srun") != 0 && strspn(job, "0123456789.") == strlen(job)) {
		snprintf(p->name, sizeof(p->name), "slurm:%s", job);
		return CMD_DONE;
	}
	cmd_lines_add(problems, "job %s: %s", o->job, why);
	return CMD_ABSENT;
}

enum cmd_exit cmd_plan_make(const struct cmd_options *o, struct host_plugin *plugin, struct cmd_lines *problems,
			    struct cmd_plan *ret)
{
	struct cmd_plan p = { .way = "" };
	enum cmd_exit rc = CMD_DONE;

	*ret = p;
	if (o->kind != CMD_TARGET_JOB || o->named || o->via != CMD_VIA_ANY)
		return CMD_DONE;
	if (o->job)
		rc = named(o, problems, &p);
	else
		plan_process(o, plugin, problems, &p);
	if (rc == CMD_DONE && o->way) {
		snprintf(p.way, sizeof(p.way), "%s", o->way);
		for (size_t i = 0; i < p.n_hosts && !is_everywhere(p.way); i++)
			p.here[i] = cmd_is_here(p.hosts[i]);
	}
	if (!*p.way)
		snprintf(p.way, sizeof(p.way), "ssh");
	if (rc == CMD_DONE && (o->hosts || o->way) && !*p.name) {
		cmd_lines_add(
			problems,
			"job %d: is not known to have other hosts, or what it is called there: give the pid of its "
			"launcher, or slurm:JOB",
			(int)o->pid);
		rc = CMD_ABSENT;
	}
	if (rc == CMD_DONE && strcmp(p.way, "srun") == 0 && p.n_hosts && !*p.slurm_job) {
		cmd_lines_add(problems, "job %d: --via srun: it does not run in a job of Slurm", (int)o->pid);
		rc = CMD_USAGE;
	}
	if (rc == CMD_DONE && strcmp(p.way, "flux") == 0 && p.n_hosts && !*p.flux_ranks) {
		cmd_lines_add(problems, "--via flux: is for a job that is named flux:ID");
		rc = CMD_USAGE;
	}
	if (rc == CMD_DONE && strcmp(p.way, "pmix") == 0 && p.n_hosts && !p.launcher) {
		cmd_lines_add(problems,
			      "job %d: --via pmix: it has no launcher of Open MPI 5 here, or that does not answer",
			      (int)o->pid);
		rc = CMD_USAGE;
	}
	if (rc == CMD_DONE && o->hosts && !use_list(o, &p)) {
		cmd_lines_add(problems, "--hosts %s: is no list of hosts: n1,n3 or n[1-3]", o->hosts);
		rc = CMD_USAGE;
	}
	/* ranks of this machine only: they are read as ever */
	if (rc == CMD_DONE && !o->hosts && !o->way && p.n_hosts == 1 && p.here[0])
		p.n_hosts = 0;
	if (rc != CMD_DONE || !p.n_hosts || !*p.name)
		cmd_plan_deinit(&p);
	*ret = p;
	return rc;
}

void cmd_plan_deinit(struct cmd_plan *p)
{
	for (size_t i = 0; i < p->n_hosts; i++)
		free(p->hosts[i]);
	free(p->hosts);
	free(p->here);
	*p = (struct cmd_plan){ .way = "" };
}
