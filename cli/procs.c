/* SPDX-License-Identifier: BSD-3-Clause */
#include "commands.h"

#include "collect.h"
#include "cores.h"
#include "files_query.h"
#include "hosts_query.h"
#include "json.h"
#include "mpi2dd_tables.h"
#include "query_frame.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct cmd_about about = {
	.name = "procs",
	.usage = "--job JOB | --cores DIR|FILE... | --snapshot FILE... | -p PID | --core FILE  [OPTION]...",
	.what = "List the processes of a job: rank, pid, host, state, program. No process is stopped. With --cores, or "
		"for one\n"
		"process or core, list these. The core of a launcher contains its job.\n",
	.options = CMD_OPT_TARGET | CMD_OPT_OUTPUT | CMD_OPT_HOSTS | CMD_OPT_FILES,
};

#if !__GLIBC_PREREQ(2, 32)
/* Names of signals that end programs; other signals are shown as numbers. */
static const char *sigabbrev_np(int signal)
{
	static const char *const names[] = {
		[SIGHUP] = "HUP",   [SIGINT] = "INT",   [SIGQUIT] = "QUIT", [SIGILL] = "ILL",   [SIGTRAP] = "TRAP",
		[SIGABRT] = "ABRT", [SIGBUS] = "BUS",   [SIGFPE] = "FPE",   [SIGKILL] = "KILL", [SIGSEGV] = "SEGV",
		[SIGPIPE] = "PIPE", [SIGALRM] = "ALRM", [SIGTERM] = "TERM", [SIGXCPU] = "XCPU", [SIGSYS] = "SYS"
	};

	return (size_t)signal < sizeof(names) / sizeof(names[0]) ? names[signal] : NULL;
}
#endif

static const char *signal_word(int signal)
{
	static char text[32];
	const char *name = signal > 0 ? sigabbrev_np(signal) : NULL;

	if (signal == 0)
		return "none"; /* a core of a running process, from gcore */
	if (signal < 0)
		return "?";
	snprintf(text, sizeof(text), name ? "SIG%s" : "%.0s%d", name ? name : "", signal);
	return text;
}

static int width_of(const char *text, int width)
{
	int n = cmd_width(text);

	return n > width ? n : width;
}

/* The heading of a world; indented by its depth. */
static void print_world(const struct cmd_job *job, size_t world)
{
	char words[256];

	if (world == CMD_NO_WORLD) {
		puts("of no world that MPI2DD's tables name");
		return;
	}
	cmd_world_words(&job->worlds, world, words, sizeof(words));
	unsigned depth = job->worlds.v[world].depth;
	printf("%*s%s\n", (int)(2 * (depth < 20 ? depth : 20)), "", words);
}

static bool was_spawned(const struct cmd_job *job, size_t world)
{
	return world != CMD_NO_WORLD && (job->worlds.v[world].parent != CMD_NO_WORLD || job->worlds.v[world].parent_id);
}

static void print_text(const struct cmd_job *job)
{
	bool cores = false, hosts = false, jobs = false, worlds = false;
	int pid_width = 7, host_width = 4, core_width = 4, job_width = 3;
	char number[32];

	for (size_t i = 0; i < job->n; i++) {
		const struct cmd_proc *p = &job->procs[i];
		snprintf(number, sizeof(number), "%lld", (long long)p->pid);
		pid_width = width_of(number, pid_width);
		host_width = width_of(p->host, host_width);
		core_width = width_of(p->core ? p->core : "", core_width);
		job_width = width_of(p->job, job_width);
		jobs |= !job->worlds.n && strcmp(p->job, job->procs[0].job) != 0;
		worlds |= p->world != job->procs[0].world || was_spawned(job, p->world);
		cores |= p->core != NULL;
		hosts |= *p->host != '\0';
	}
	if (jobs)
		printf("%-*s  ", job_width, "job");
	printf("%5s  %*s  ", "rank", pid_width, "pid");
	if (hosts)
		printf("%-*s  ", host_width, "host");
	if (cores)
		printf("%-8s  %-*s  ", "signal", core_width, "core");
	else
		printf("%-8s  ", "state");
	puts("executable");
	for (size_t i = 0; i < job->n; i++) {
		const struct cmd_proc *p = &job->procs[i];
		if (worlds && (i == 0 || p->world != p[-1].world))
			print_world(job, p->world);
		snprintf(number, sizeof(number), "%lld", (long long)p->rank);
		if (jobs)
			cmd_put(*p->job ? p->job : "?", job_width + 2);
		printf("%5s  ", p->rank < 0 ? "?" : number);
		snprintf(number, sizeof(number), "%lld", (long long)p->pid);
		printf("%*s  ", pid_width, p->pid < 0 ? "?" : number);
		if (hosts)
			cmd_put(*p->host ? p->host : "?", host_width + 2);
		if (p->core) {
			printf("%-8s  ", signal_word(p->signal));
			cmd_put(p->core, core_width + 2);
		} else {
			printf("%-8s  ", *cmd_proc_state(p) ? cmd_proc_state(p) : "-");
		}
		cmd_put(*p->executable ? p->executable : "?", 0);
		putchar('\n');
	}
}

static void add_world(struct cmd_spool *s, bool *first, const struct cmd_world *w)
{
	cmd_json_member(s, first, "world", w->id);
	if (!w->parent_id)
		return;
	cmd_json_member(s, first, "parent_world", w->parent_id);
	cmd_json_number(s, first, "parent_rank", w->parent_rank);
	cmd_json_number(s, first, "sequence", w->sequence);
}

static void print_json(const struct cmd_job *job)
{
	struct cmd_spool s = { 0 };

	cmd_query_json_begin(about.name, job);
	for (size_t i = 0; i < job->n; i++) {
		const struct cmd_proc *p = &job->procs[i];
		bool first = true;
		cmd_spool_printf(&s, i ? "  ,{" : "  {");
		if (p->rank >= 0)
			cmd_json_number(&s, &first, "rank", p->rank);
		else
			cmd_json_member(&s, &first, "rank", NULL);
		if (p->rank < 0)
			cmd_json_member(&s, &first, "rank_why", "neither its memory nor its environment contains it");
		if (p->pid > 0)
			cmd_json_number(&s, &first, "pid", p->pid);
		if (*p->host)
			cmd_json_member(&s, &first, "host", p->host);
		if (*p->executable)
			cmd_json_member(&s, &first, "executable", p->executable);
		if (p->core)
			cmd_json_member(&s, &first, "core", p->core);
		if (p->core && p->signal > 0)
			cmd_json_number(&s, &first, "signal", p->signal);
		if (*cmd_proc_state(p))
			cmd_json_member(&s, &first, "state", cmd_proc_state(p));
		if (*p->job)
			cmd_json_member(&s, &first, "namespace", p->job);
		if (p->world != CMD_NO_WORLD)
			add_world(&s, &first, &job->worlds.v[p->world]);
		cmd_spool_puts(&s, "}\n");
	}
	cmd_spool_copy(&s, 0, stdout);
	cmd_spool_deinit(&s);
	cmd_query_json_end(job);
}

/* ---- one process or core ------------------------------------------------------------------------- */

/* The process table of a launcher replaces the launcher itself. */
static bool take_proctable(struct cmd_job *job, struct host_plugin *plugin, struct host_session *session)
{
	struct mpidbg_proc *table = NULL;
	size_t n = 0;

	if (!plugin->mpidbg_get_proctable ||
	    plugin->mpidbg_get_proctable(session->process, &table, &n) != MPIDBG_SUCCESS)
		return false;
	bool from_core = job->procs[0].core != NULL;
	pid_t launcher = (pid_t)job->procs[0].pid;
	cmd_job_deinit(job);
	*job = (struct cmd_job){ .is_job = true, .source = "MPIR_proctable", .launcher = launcher > 0 ? launcher : 0 };
	for (size_t i = 0; i < n; i++) {
		struct cmd_proc *p = cmd_job_add(job, table[i].rank, table[i].pid, table[i].host, table[i].executable,
						 NULL);
		if (!p)
			break;
		p->world_size = (int64_t)n;
		p->here = !from_core && strcmp(p->host, cmd_this_host()) == 0;
	}
	plugin->mpidbg_free(table);
	return true;
}

/* Add the tables of one process. A damaged table is reported and does not affect other facts about the process. */
static void add_tables(struct host_plugin *plugin, struct host_session *s, const char *name, struct cmd_job *tables)
{
	struct cmd_mpi2dd d;

	cmd_mpi2dd_read(plugin, s, &d);
	if (d.info && !cmd_mpi2dd_add(&d, tables))
		cmd_lines_add(&tables->problems, "out of memory");
	for (size_t i = 0; i < d.problems.n; i++)
		cmd_lines_add(&tables->problems, "%s: %s", name, d.problems.line[i]);
	cmd_mpi2dd_free(plugin, &d);
}

/* Open the listed processes for their rank, and for the tables of cores. */
static enum cmd_exit identify(const struct cmd_options *o, struct host_plugin *plugin, struct cmd_job *job, size_t i,
			      struct cmd_job *tables, bool *replaced)
{
	struct cmd_proc *p = &job->procs[i];
	struct host_target *t = NULL;
	struct host_session s = { 0 };
	struct host_error err = { 0 };
	enum host_errc code = p->core ? host_open_core(p->core, o->exe, o->sysroot, &t, &err)
				      : host_open_running((pid_t)p->pid, &t, &err);

	if (p->core)
		cmd_core_facts(p);
	if (code == HOST_OK)
		code = host_session_open(plugin, t, o->layout, &s, &err);
	if (code == HOST_OK) {
		cmd_proc_identify(p, plugin, &s);
		*replaced = !job->is_job && p->rank < 0 && take_proctable(job, plugin, &s);
		for (size_t w = 0; !*replaced && host_warning(t, w); w++)
			cmd_lines_add(&job->problems, "%s", host_warning(t, w));
		if (!*replaced)
			add_tables(plugin, &s, p->core ? p->core : "process", tables);
	} else {
		cmd_lines_add(&job->problems, "%s", err.text);
	}
	/* the rank may be in the missing part of a truncated core, which was reported */
	bool untold = t && !*replaced && p->rank < 0 && host_is_truncated(t);
	host_session_close(&s);
	host_close(t);
	return untold ? CMD_PARTIAL : cmd_exit_of(code);
}

static enum cmd_exit identify_all(const struct cmd_options *o, struct host_plugin *plugin, struct cmd_job *job)
{
	size_t n_failed = 0, n = job->n;
	enum cmd_exit rc = CMD_DONE;
	bool replaced = false;
	struct cmd_job tables = { 0 };
	bool *opened = calloc(n + 1, sizeof(*opened));

	for (size_t i = 0; i < n && !replaced; i++) {
		cmd_progress(o->progress && n > 1, "%zu of %zu", i + 1, n);
		rc = identify(o, plugin, job, i, &tables, &replaced);
		n_failed += rc != CMD_DONE;
		if (opened)
			opened[i] = rc == CMD_DONE;
	}
	cmd_progress_end();
	bool ok = opened && (replaced || cmd_cores_match(job, &tables));
	for (size_t i = 0; i < tables.problems.n; i++)
		cmd_lines_add(&job->problems, "%s", tables.problems.line[i]);
	for (size_t i = 0; !replaced && opened && i < n; i++)
		if (opened[i] && job->procs[i].rank < 0)
			cmd_lines_add(&job->problems, "%s: has no rank: no MPI process, or not yet initialised",
				      job->procs[i].core ? job->procs[i].core : "process");
	free(opened);
	cmd_job_deinit(&tables);
	if (!ok) {
		cmd_lines_add(&job->problems, "out of memory");
		return CMD_PARTIAL;
	}
	cmd_job_sort(job);
	if (n == 1)
		return rc;
	return n_failed ? CMD_PARTIAL : CMD_DONE;
}

static int run_procs(const struct cmd_options *o, struct host_plugin *plugin, struct cmd_job *job)
{
	enum cmd_exit rc = o->kind == CMD_TARGET_SNAPSHOT ? CMD_DONE : cmd_query_plugin(o, plugin);
	if (rc != CMD_DONE)
		return rc;
	struct cmd_answer *answers = NULL;
	bool elsewhere = o->kind == CMD_TARGET_SNAPSHOT;
	if (elsewhere)
		rc = cmd_files_answers(o, -1, job, &answers);
	if (o->kind == CMD_TARGET_JOB)
		rc = cmd_hosts_answers(o, plugin, "procs", job, &answers, &elsewhere);
	free(answers); /* they are empty */
	for (size_t i = 0; i < job->n; i++)
		job->procs[i].answer = NULL;
	if (!elsewhere)
		rc = cmd_job_collect(o, plugin, job);
	size_t n_problems = elsewhere && rc == CMD_DONE ? 0 : job->problems.n;
	bool found = rc == CMD_DONE || (elsewhere && job->n);
	if (found && o->kind != CMD_TARGET_JOB && o->kind != CMD_TARGET_SNAPSHOT)
		rc = identify_all(o, plugin, job);
	if (o->kind == CMD_TARGET_CORES)
		cmd_cores_check(job, o);
	enum cmd_exit ranks = found ? cmd_job_check_ranks(job, o) : CMD_DONE;
	if (o->json) {
		print_json(job);
	} else if (found && job->n && !(job->n == 1 && rc != CMD_DONE)) {
		cmd_query_heading(job);
		print_text(job);
	}
	cmd_query_print_problems(job);
	if (rc == CMD_DONE && n_problems)
		rc = CMD_PARTIAL;
	return rc != CMD_DONE ? rc : ranks;
}

int cmd_procs(int argc, char **argv)
{
	struct cmd_options o;
	struct host_plugin plugin = { 0 };
	struct cmd_job job = { 0 };
	int rc;

	if (!cmd_options_parse(&about, argc, argv, &o, &rc))
		return rc;
	rc = run_procs(&o, &plugin, &job);
	cmd_job_deinit(&job);
	host_plugin_unload(&plugin);
	cmd_options_deinit(&o);
	return rc;
}
