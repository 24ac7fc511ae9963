/* SPDX-License-Identifier: BSD-3-Clause */
#include "answer.h"

#include "json.h"
#include "mqs_print.h"
#include "source_files.h"
#include "host_facts.h"
#include "mpi_library.h"
#include "thread_states.h"
#include "wait_texts.h"

#include "../host/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* One query to one process. */
struct cmd_process_query {
	const struct cmd_options *o;
	struct host_plugin *plugin;
	int what; /* enum mpidbg_what */
	const struct cmd_job *job;
	struct cmd_proc *p;
	struct host_target *target;
	struct host_session session;
	struct cmd_answer *a;
	size_t n_warned; /* number of the host's warnings that were printed */
	bool snapshot;   /* a complete snapshot, with the recorded calls */
	const char *condition;
	struct host_thread_state *states; /* of the threads, just before the stop */
	size_t n_states;
	struct cmd_doing *doings;
	struct wt_waits waits; /* of the threads */
	double start, resumed_ms;
	bool tried, opened, stopped; /* tried: cmd_process_query_prepare() was called */
	bool asked;                  /* queried before; it has run since */
	bool named_wrong;            /* the libraries of its program were looked at */
	bool completed;              /* cmd_process_query_complete() was called for this answer */
};

static void fail(struct cmd_process_query *q, enum cmd_exit rc, const char *why)
{
	char name[4200];

	cmd_proc_name(q->job, q->p, name, sizeof(name));
	/* The host's messages begin with the process or core that they concern. */
	if (strncmp(why, name, strlen(name)) == 0)
		cmd_lines_add(&q->a->problems, "%s", why);
	else if (q->p->core || !q->job->is_job)
		cmd_lines_add(&q->a->problems, "%s: %s", name, why);
	else if (strncmp(why, "process ", 8) == 0)
		cmd_lines_add(&q->a->problems, "rank %lld: %s", (long long)q->p->rank, why);
	else
		cmd_lines_add(&q->a->problems, "%s: %s", name, why);
	if (q->a->rc == CMD_DONE)
		q->a->rc = rc;
}

static const char *topic(int what)
{
	switch (what) {
	case MPIDBG_WHAT_COMMS:
		return "communicators";
	case MPIDBG_WHAT_QUEUES:
		return "queues";
	case MPIDBG_WHAT_HANDLES:
		return "handles";
	case MPIDBG_WHAT_HANDLE:
		return "print";
	case MPIDBG_WHAT_CALLS:
		return "calls";
	case MPIDBG_WHAT_VARS:
		return "vars";
	default:
		return "doctor";
	}
}

/* Is this process the parent of a job? Identifies launchers without a process table (hydra, PRRTE). */
static bool is_above_a_job(pid_t pid)
{
	struct host_error err = { 0 };
	struct host_job job = { 0 };
	bool is = host_job_from_environment(pid, &job, &err) == HOST_OK && job.launcher == pid;

	host_job_deinit(&job);
	return is;
}

/* Did the user pass the pid of mpirun to -p? */
static bool is_launcher(struct cmd_process_query *q)
{
	struct mpidbg_proc *table = NULL;
	size_t n = 0;

	if (q->plugin->mpidbg_get_proctable &&
	    q->plugin->mpidbg_get_proctable(q->session.process, &table, &n) == MPIDBG_SUCCESS) {
		q->plugin->mpidbg_free(table);
		return true;
	}
	return !q->p->core && is_above_a_job((pid_t)q->p->pid);
}

/*
 * Explain why nothing was found; there may be an MPI library that was not recognized. @return NULL: use the text
 * of the plugin
 */
static const char *why_absent(struct cmd_process_query *q, char *ret, size_t n)
{
	const char *mpi = cmd_which_mpi(q->target, NULL);
	char wrong[CMD_WRONG_MPI_BYTES];
	uint64_t registry;

	if (is_launcher(q))
		snprintf(ret, n, "is a launcher, not a rank: did you mean --job %lld?", (long long)q->p->pid);
	else if (!mpi)
		snprintf(ret, n, "not an MPI process: no MPI library is loaded (%s)", q->p->executable);
	else if (!cmd_knows_mpi(mpi) && cmd_wrong_mpi(q->target, wrong, sizeof(wrong))) {
		snprintf(ret, n, "%s", wrong);
		q->named_wrong = true;
	} else if (!cmd_knows_mpi(mpi) && !host_symbol(q->target, "MPI2DD_registry", &registry))
		snprintf(ret, n,
			 "is a process of %s, which this plugin can read only when it was started with mpi2dd-run",
			 mpi);
	else
		return NULL;
	return ret;
}

/*
 * The plugin's text about a process without communicators, from the message queue interface; NULL: none.
 *
 * @param[out] outside it has none because it is before MPI_Init or after MPI_Finalize
 */
static const char *why_no_queues(struct cmd_process_query *q, bool *outside)
{
	char *message = NULL;
	int rc = q->plugin->mqs_process_has_queues ? q->plugin->mqs_process_has_queues(q->session.process, &message)
						   : mqs_ok;

	*outside = rc == mqs_no_information;
	return rc == mqs_ok ? NULL : message;
}

/* Does the text contain only the heading: the identity of the
 * process, and the time of variables none of which is shown? */
static bool is_heading(const struct cmd_process_query *q)
{
	const char *end = q->a->text.text ? strchr(q->a->text.text, '\n') : NULL;

	return q->what == MPIDBG_WHAT_VARS || !end || !end[1];
}

static void explain(struct cmd_process_query *q, enum cmd_exit rc, const char *note)
{
	char text[5000], why[1024];

	snprintf(why, sizeof(why), "%s",
		 note); /* copied, because the plugin's text is valid only until its next call */
	/* the plugin reads objects without recognizing the MPI, so its reason is the better one */
	bool objects = q->what >= MPIDBG_WHAT_HANDLES && cmd_which_mpi(q->target, NULL);
	bool no_mpi = rc == CMD_ABSENT && !objects && why_absent(q, text, sizeof(text));

	/* the answer may be in the missing part of the core, which was reported already */
	if (no_mpi && host_is_truncated(q->target)) {
		if (!q->o->json && q->what != MPIDBG_WHAT_DOCTOR)
			cmd_spool_deinit(&q->a->text);
		q->a->rc = CMD_PARTIAL;
		return;
	}
	if (!no_mpi) {
		bool outside;
		const char *words = rc == CMD_ABSENT && !objects ? why_no_queues(q, &outside) : NULL;
		if (words && outside && q->snapshot) /* it has the state, and what the threads do */
			return;
		if (words)
			snprintf(why, sizeof(why), "%s", words);
		snprintf(text, sizeof(text), "%s: %s", topic(q->what), *why ? why : "cannot be read");
	}
	if ((no_mpi || (rc == CMD_ABSENT && is_heading(q))) && !q->o->json && q->what != MPIDBG_WHAT_DOCTOR)
		cmd_spool_deinit(&q->a->text);
	fail(q, rc, text);
}

/*
 * Report a plugin of another version that does not know this query. The message names no process, because it is the
 * same for all of them.
 * @return false: the plugin knows the query, but the arguments are wrong.
 */
static bool is_unknown(struct cmd_process_query *q, const char *note)
{
	const char *version = q->plugin->mqs_version_string ? q->plugin->mqs_version_string() : "";

	/* plugins up to 0.1 return the text "no failure" */
	if (strcmp(note, "no failure") != 0 && !strstr(note, "has no such description"))
		return false;
	cmd_lines_add(&q->a->problems,
		      "%s: the plugin does not know that: %s is %.*s, this command is mpidbg " MPIDBG_VERSION
		      ": install both of one version, or name the plugin with --plugin",
		      topic(q->what), q->plugin->path, (int)strcspn(version, ":"),
		      *version ? version : "of no version");
	q->a->unknown = true;
	q->a->rc = CMD_PARTIAL;
	return true;
}

/* Was the process stopped while it changed what cannot be understood? At another moment that may make sense. */
static bool is_unclear(const struct cmd_process_query *q, const char *note)
{
	const char *state = q->a->state;

	return !q->p->core && state && !strcmp(state, cmd_state_text('R')) &&
	       (strstr(note, " skipped") || strstr(note, "makes no sense"));
}

/* Does the answer contain what the threads do? Doctor reports whether that can be known. */
static bool needs_threads(const struct cmd_process_query *q)
{
	switch (q->what) {
	case MPIDBG_WHAT_HANDLES:
	case MPIDBG_WHAT_HANDLE:
	case MPIDBG_WHAT_VARS:
	case MPIDBG_WHAT_PROCS:
		return q->snapshot || q->o->judged;
	default:
		return true;
	}
}

/* Does the answer contain the arguments of MPI_Probe? */
static bool wants_probes(const struct cmd_process_query *q)
{
	return q->snapshot || q->o->judged || q->what == MPIDBG_WHAT_QUEUES || q->what == MPIDBG_WHAT_CALLS;
}

static int place(void *ctx, uint64_t return_addr, char *ret, size_t size)
{
	return !host_place(ctx, return_addr, ret, size);
}

/* Parts of a snapshot that only a process with the in-target library has. */
static void describe_recorded(struct cmd_process_query *q, struct mpidbg_options options)
{
	static const char *const kinds[CMD_N_OBJECTS] = { "win", "file" };
	uint64_t addr;

	if (!host_symbol(q->target, "MPI2DD_registry", &addr) && !host_symbol(q->target, "MPI2DD_info", &addr))
		return;
	options.write_ctx = &q->a->calls;
	q->plugin->mpidbg_describe(q->session.process, MPIDBG_WHAT_CALLS, &options, NULL);
	for (int i = 0; i < CMD_N_OBJECTS; i++) {
		struct mpidbg_options objects = options;
		objects.write_ctx = &q->a->objects[i];
		objects.kind = kinds[i];
		objects.all = false;
		q->plugin->mpidbg_describe(q->session.process, MPIDBG_WHAT_HANDLES, &objects, NULL);
	}
	if (!q->o->variables)
		return;
	options.write_ctx = &q->a->vars;
	options.kind = "cvars";
	options.all = false;
	q->plugin->mpidbg_describe(q->session.process, MPIDBG_WHAT_VARS, &options, NULL);
}

static void describe(struct cmd_process_query *q)
{
	struct cmd_answer *a = q->a;
	struct mpidbg_probe probes[CMD_PROBING_MAX];
	struct mpidbg_options options = {
		.size = sizeof(options),
		.format = q->o->json ? MPIDBG_FORMAT_JSON : MPIDBG_FORMAT_TEXT,
		.color = q->o->color,
		.all = q->o->all || q->snapshot,
		.pid = q->p->pid > 0 ? q->p->pid : 0,
		.host = *q->p->host ? q->p->host : NULL,
		.executable = *q->p->executable ? q->p->executable : NULL,
		.core = q->p->core,
		.write = cmd_spool_write,
		.write_ctx = &a->text,
		.kind = q->o->words[0],
		.value = q->o->words[1],
		.leaks = q->o->leaks,
		.freed = q->o->freed,
		.moved = q->o->moved,
		.place = place,
		.place_ctx = q->target,
		.has_rank = q->p->rank >= 0,
		.rank = q->p->rank,
		.world_size = q->p->world_size > 0 ? q->p->world_size : 0,
		.condition = q->condition,
		.most_messages = q->snapshot ? CMD_SNAPSHOT_MESSAGES : 0,
	};

	if (!q->p->core) {
		options.now_ns = (uint64_t)(host_now_ms() * 1e6);
		options.now_s = (uint64_t)time(NULL);
	}
	if (needs_threads(q)) {
		options.threads = host_threads(q->target, &options.n_threads);
		/* A core without notes has no registers: the calls of its threads are unknown. */
		if (!options.n_threads && q->p->core)
			options.threads = NULL;
		options.unknown_threads = host_unknown_threads(q->target, &options.n_unknown_threads);
		if (q->snapshot || q->o->judged)
			cmd_source_files_write(q->target, &a->sources);
	}
	options.n_probes = cmd_probes_give(q->p, probes);
	options.probes = probes;
	if (q->snapshot) {
		describe_recorded(q, options);
	} else if (q->o->judged) {
		struct mpidbg_options json = options;
		json.format = MPIDBG_FORMAT_JSON;
		json.color = false;
		json.all = true;
		json.most_messages = CMD_SNAPSHOT_MESSAGES;
		describe_recorded(q, json);
		json.write_ctx = &a->snapshot;
		q->plugin->mpidbg_describe(q->session.process, MPIDBG_WHAT_QUEUES, &json, NULL);
	}
	struct mpidbg_wait *waits = q->snapshot ? NULL : cmd_wait_texts_create(&q->waits, q->p->pid);
	options.waits = waits;
	options.n_waits = waits ? q->waits.n : 0;
	int rc = q->plugin->mpidbg_describe(q->session.process, q->what, &options, NULL);
	cmd_wait_texts_destroy(waits, &q->waits);
	const char *note = q->plugin->mpidbg_error_string ? q->plugin->mpidbg_error_string(q->session.process) : "";
	if (rc == MPIDBG_SUCCESS || (rc == MPIDBG_ERR_OUT_OF_RANGE && is_unknown(q, note)))
		return;
	a->unclear = rc == MPIDBG_ERR_UNAVAILABLE && is_unclear(q, note);
	explain(q,
		rc == MPIDBG_ERR_NOT_FOUND      ? CMD_ABSENT
		: rc == MPIDBG_ERR_OUT_OF_RANGE ? CMD_USAGE
						: CMD_PARTIAL,
		note);
}

static void ask(struct cmd_process_query *q)
{
	if (q->plugin->mpidbg_describe) {
		/* several descriptions of one moment: what the first has read need not be read again */
		if (q->plugin->mpidbg_keep)
			q->plugin->mpidbg_keep(q->session.process, 1);
		describe(q);
		if (q->plugin->mpidbg_keep)
			q->plugin->mpidbg_keep(q->session.process, 0);
	} else {
		char why[512] = "";
		enum cmd_exit rc = cmd_mqs_print(&q->session, q->what, q->o, q->p, &q->a->text, why, sizeof(why));
		if (rc != CMD_DONE)
			explain(q, rc, why);
	}
	if (q->what == MPIDBG_WHAT_DOCTOR)
		cmd_host_facts(q->o, q->plugin, q->target, &q->a->text);
	if (q->a->text.failed)
		fail(q, CMD_PARTIAL, "no room for the output (memory, or the directory for temporary files)");
}

static int discard_text(void *ctx, const char *text, size_t n)
{
	(void)ctx, (void)text, (void)n;
	return 0;
}

/*
 * Query once while the process still runs, so that everything needed for the answer (layouts, types, symbols) is
 * loaded. Data read from a running process may be inconsistent; the plugin tolerates that like any damage, and the
 * answer is discarded.
 */
static void warm_up(struct cmd_process_query *q)
{
	struct mpidbg_options options = { .size = sizeof(options), .write = discard_text };

	if (host_core_path(q->target) || !q->plugin->mpidbg_describe)
		return;
	q->plugin->mpidbg_describe(q->session.process, MPIDBG_WHAT_COMMS, &options, NULL);
	if (q->plugin->mqs_update_communicator_list)
		q->plugin->mqs_update_communicator_list(q->session.process);
}

/*
 * Report the host's warnings about missing parts. Only one about a program that the user named and that does not
 * match affects the exit code.
 */
static void add_warnings(struct cmd_process_query *q)
{
	const char *warning;
	char wrong[CMD_WRONG_MPI_BYTES];
	char *exe = q->o->exe ? realpath(q->o->exe, NULL) : NULL;

	for (; (warning = host_warning(q->target, q->n_warned)); q->n_warned++) {
		if (exe && strncmp(warning, exe, strlen(exe)) == 0)
			q->a->rc = CMD_PARTIAL;
		fail(q, q->a->rc, warning);
	}
	free(exe);
	if (!q->named_wrong && cmd_wrong_mpi(q->target, wrong, sizeof(wrong)))
		fail(q, q->a->rc, wrong);
	q->named_wrong = true;
}

static const char stopped_by_signal[] = "stopped by a signal";

/* Describe an unusual state of a process that can still be read; NULL: none. */
static const char *condition(pid_t pid)
{
	switch (host_process_state(pid, NULL)) {
	case 'T':
		return stopped_by_signal;
	case 'Z':
	case 'X':
		return "its first thread has ended";
	default:
		return NULL;
	}
}

/* A job that a daemon of root has started, such as slurmstepd, and whose processes all belong to one user. */
static bool is_daemons_job(const struct cmd_job *job, pid_t launcher)
{
	uid_t root, first, other;

	if (!host_owner(launcher, &root) || root != 0 || !job->n || !host_owner((pid_t)job->procs[0].pid, &first))
		return false;
	for (size_t i = 1; i < job->n; i++)
		if (job->procs[i].here && (!host_owner((pid_t)job->procs[i].pid, &other) || other != first))
			return false;
	return true;
}

/*
 * Root may attach to any process, but must not do so only because
 * another user's launcher, or a table written by one, names it.
 */
static bool is_owners(struct cmd_process_query *q)
{
	const struct cmd_proc *p = q->p;
	pid_t named_by = q->job->launcher > 0 ? q->job->launcher : q->o->pid;
	uid_t owner, wanted;
	char text[256];

	if (q->job->one_owner)
		return true;
	if (geteuid() != 0 || q->o->any_owner || !q->job->is_job || p->core || !host_owner((pid_t)p->pid, &owner) ||
	    !host_owner(named_by, &wanted) || owner == wanted || is_daemons_job(q->job, named_by))
		return true;
	snprintf(text, sizeof(text),
		 "belongs to uid %u, and process %d, which names it, to uid %u: not looked at; --any-owner does it all "
		 "the same",
		 (unsigned)owner, (int)named_by, (unsigned)wanted);
	fail(q, CMD_PARTIAL, text);
	return false;
}

/* What keeps it from running, just before it is stopped. */
static void look_at(struct cmd_process_query *q)
{
	if (q->p->core || !(q->snapshot || q->o->judged))
		return;
	cmd_spool_deinit(&q->a->kept);
	cmd_kept_write((pid_t)q->p->pid, &q->a->kept);
}

/* Check that the process exists and may be read. A core is opened completely. */
static void open_bare(struct cmd_process_query *q)
{
	struct cmd_proc *p = q->p;
	struct host_error err = { 0 };
	char text[600];

	if (!p->here) {
		snprintf(text, sizeof(text), "on host %s: run mpidbg there", p->host);
		fail(q, CMD_PARTIAL, text);
		return;
	}
	if (!p->core && p->pid <= 0) {
		fail(q, CMD_PARTIAL, "its entry in the process table cannot be read");
		return;
	}
	if (!is_owners(q))
		return;
	enum host_errc code = p->core ? host_open_core(p->core, q->o->exe, q->o->sysroot, &q->target, &err)
				      : host_open_bare((pid_t)p->pid, &q->target, &err);
	if (code != HOST_OK)
		look_at(q);
	if (code != HOST_OK)
		fail(q, cmd_exit_of(code), err.text);
}

/* Files, symbols, the plugin. */
static void prepare(struct cmd_process_query *q)
{
	struct host_error err = { 0 };

	if (!q || !q->target || q->tried)
		return;
	q->tried = true;
	enum host_errc code = host_prepare(q->target, needs_threads(q), &err);
	if (code == HOST_OK)
		code = host_session_open(q->plugin, q->target, q->o->layout, &q->session, &err);
	q->opened = code == HOST_OK;
	if (!q->opened)
		fail(q, cmd_exit_of(code), err.text);
}

struct cmd_process_query *cmd_process_query_begin(const struct cmd_options *o, struct host_plugin *plugin, int what,
						  const struct cmd_job *job, struct cmd_proc *p, struct cmd_answer *ret)
{
	struct cmd_process_query *q = malloc(sizeof(*q));

	*ret = (struct cmd_answer){ .state = cmd_proc_state(p) };
	if (!q) {
		cmd_lines_add(&ret->problems, "out of memory");
		ret->rc = CMD_PARTIAL;
		return NULL;
	}
	*q = (struct cmd_process_query){ .o = o,
					 .plugin = plugin,
					 .what = what == CMD_WHAT_SNAPSHOT ? MPIDBG_WHAT_QUEUES : what,
					 .snapshot = what == CMD_WHAT_SNAPSHOT,
					 .job = job,
					 .p = p,
					 .a = ret,
					 .start = host_now_ms() };
	open_bare(q);
	return q;
}

struct cmd_process_query *cmd_process_query_open(const struct cmd_options *o, struct host_plugin *plugin, int what,
						 const struct cmd_job *job, struct cmd_proc *p, struct cmd_answer *ret)
{
	struct cmd_process_query *q = cmd_process_query_begin(o, plugin, what, job, p, ret);

	cmd_process_query_prepare(q);
	return q;
}

void cmd_process_query_prepare(struct cmd_process_query *q)
{
	bool before = !q || q->tried;

	prepare(q);
	if (!before && q->opened && !q->stopped)
		warm_up(q);
}

void cmd_process_query_stop_together(struct cmd_process_query *const *q, size_t n)
{
	struct host_target **targets = calloc(n + 1, sizeof(*targets));
	enum host_errc *codes = calloc(n + 1, sizeof(*codes));
	struct host_error *errors = calloc(n + 1, sizeof(*errors));
	bool have_memory = targets && codes && errors;

	for (size_t i = 0; i < n; i++) {
		bool can = q[i] && q[i]->target && (q[i]->opened || !q[i]->tried) && !q[i]->stopped;
		if (can && !have_memory)
			fail(q[i], CMD_PARTIAL, "out of memory");
		if (!can || !have_memory)
			continue;
		q[i]->condition = q[i]->p->core ? NULL : condition(host_pid(q[i]->target));
		free(q[i]->states);
		q[i]->states = NULL;
		q[i]->n_states = 0;
		look_at(q[i]);
		if (!q[i]->p->core && (q[i]->snapshot || q[i]->o->judged))
			q[i]->states = host_thread_states(host_pid(q[i]->target), true, &q[i]->n_states);
		targets[i] = q[i]->target;
	}
	if (have_memory)
		host_stop_together(targets, n, codes, errors);
	for (size_t i = 0; have_memory && i < n; i++) {
		if (!targets[i])
			continue;
		q[i]->stopped = codes[i] == HOST_OK;
		if (!q[i]->stopped)
			fail(q[i], cmd_exit_of(codes[i]), errors[i].text);
		else if (host_stopped_by_signal(q[i]->target)) {
			/* /proc may have said otherwise: a process that we
			 * have just released is not stopped again at once */
			q[i]->condition = stopped_by_signal;
			q[i]->a->state = cmd_state_text('T');
		}
	}
	free(targets);
	free(codes);
	free(errors);
}

void cmd_process_query_stop(struct cmd_process_query *q)
{
	cmd_process_query_stop_together(&q, 1);
}

void cmd_process_query_ask(struct cmd_process_query *q)
{
	if (!q)
		return;
	if (!q->stopped || !q->opened) {
		if (q->target && q->what == MPIDBG_WHAT_DOCTOR)
			cmd_host_facts(q->o, q->plugin, q->target, &q->a->text);
		return;
	}
	if (q->asked && q->plugin->mqs_update_communicator_list)
		q->plugin->mqs_update_communicator_list(q->session.process);
	q->asked = true;
	q->completed = false;
	cmd_proc_identify(q->p, q->plugin, &q->session);
	q->a->left_out = q->o->have_ranks && q->p->rank >= 0 && !cmd_ranks_has(&q->o->ranks, q->p->rank);
	if (q->a->left_out)
		return;
	wt_waits_deinit(&q->waits);
	if (needs_threads(q))
		wt_find(q->target, &q->waits);
	free(q->doings);
	q->doings = cmd_thread_doings(q->target, q->states, q->n_states);
	if (needs_threads(q))
		cmd_thread_returns(q->target, q->states, q->n_states, q->doings);
	if (host_is_truncated(q->target))
		add_warnings(q); /* the reason for the failures that follow */
	if (wants_probes(q))
		q->a->n_probing = cmd_probing_find(q->target, q->a->probing);
	ask(q);
}

bool cmd_process_query_again(struct cmd_process_query *q)
{
	if (!q || !q->opened)
		return false;
	cmd_spool_deinit(&q->a->text);
	cmd_spool_deinit(&q->a->calls);
	for (int i = 0; i < CMD_N_OBJECTS; i++)
		cmd_spool_deinit(&q->a->objects[i]);
	cmd_spool_deinit(&q->a->snapshot);
	cmd_spool_deinit(&q->a->vars);
	cmd_spool_deinit(&q->a->threads);
	cmd_spool_deinit(&q->a->kept);
	cmd_spool_deinit(&q->a->sources);
	cmd_lines_deinit(&q->a->problems);
	q->a->rc = CMD_DONE;
	q->a->state = cmd_proc_state(q->p);
	q->stopped = false;
	return true;
}

void cmd_process_query_resume(struct cmd_process_query *q)
{
	if (!q || !q->target)
		return;
	if (q->stopped)
		q->resumed_ms = host_now_ms();
	host_resume(q->target);
	q->stopped = false;
	q->a->stopped_ms = host_stopped_ms(q->target);
}

void cmd_process_query_complete(struct cmd_process_query *q)
{
	if (!q || !q->asked || q->completed || q->a->left_out || !(q->n_states || q->waits.n) ||
	    !(q->snapshot || q->o->judged))
		return;
	q->completed = true;
	wt_look_up(q->target, &q->waits, q->resumed_ms);
	cmd_thread_states_write(q->states, q->doings, q->n_states, &q->waits, &q->a->threads);
}

void cmd_process_query_close(struct cmd_process_query *q)
{
	if (!q)
		return;
	cmd_process_query_resume(q);
	cmd_process_query_complete(q);
	if (q->target)
		add_warnings(q);
	host_session_reads(&q->session, &q->a->n_reads, &q->a->read_bytes);
	host_session_close(&q->session);
	host_close(q->target);
	free(q->states);
	free(q->doings);
	wt_waits_deinit(&q->waits);
	q->a->all_ms = host_now_ms() - q->start;
	free(q);
}

void cmd_answer_stand_in(const struct cmd_answer *a, const struct cmd_proc *p, struct cmd_spool *ret)
{
	bool first = true;

	cmd_spool_puts(ret, "{");
	if (p->rank >= 0)
		cmd_json_number(ret, &first, "rank", p->rank);
	if (p->pid > 0)
		cmd_json_number(ret, &first, "pid", p->pid);
	if (*p->host)
		cmd_json_member(ret, &first, "host", p->host);
	if (*p->executable)
		cmd_json_member(ret, &first, "executable", p->executable);
	if (p->core)
		cmd_json_member(ret, &first, "core", p->core);
	cmd_json_lines(ret, &first, "problems", a->problems.line, a->problems.n);
	cmd_spool_puts(ret, "}\n");
}

void cmd_answer_deinit(struct cmd_answer *a)
{
	cmd_spool_deinit(&a->text);
	cmd_spool_deinit(&a->calls);
	for (int i = 0; i < CMD_N_OBJECTS; i++)
		cmd_spool_deinit(&a->objects[i]);
	cmd_spool_deinit(&a->snapshot);
	cmd_spool_deinit(&a->vars);
	cmd_spool_deinit(&a->threads);
	cmd_spool_deinit(&a->kept);
	cmd_spool_deinit(&a->sources);
	cmd_lines_deinit(&a->problems);
	*a = (struct cmd_answer){ 0 };
}
