/* SPDX-License-Identifier: BSD-3-Clause */
#include "ask_job.h"

#include "answer.h"
#include "priority.h"
#include "runs.h"
#include "workers.h"

#include "../host/clock.h"
#include "../host/tracer.h"

#include <stdlib.h>
#include <time.h>

/* Maximum time for which processes stay stopped while they are prepared; after that they are resumed once. */
enum { HELD_MS = 250 };

/* How often, and until when, a job is asked again if memory of a running process makes no sense: damage remains. */
enum { LOOKS = 3, LOOKS_MS = 3000, RUN_NS = 1000000 };

/* The processes of one worker. */
struct share {
	const struct cmd_options *o;
	struct host_plugin *plugin;
	int what;
	struct cmd_job *job;
	bool crowded;
	struct cmd_process_query **q;
	size_t n;
	struct cmd_worker *worker; /* NULL: this process is the only one */
	size_t n_shown;
};

static bool is_live(const struct cmd_proc *p)
{
	return !p->core;
}

static void show_progress(const struct cmd_options *o, const struct cmd_job *job, const struct cmd_proc *p, size_t i)
{
	if (p && p->rank >= 0)
		cmd_progress(o->progress && job->n > 1, "rank %lld (%zu of %zu)", (long long)p->rank, i, job->n);
	else
		cmd_progress(o->progress && job->n > 1, "%zu of %zu", i, job->n);
}

/* Count a finished process. */
static void count_finished(struct share *s)
{
	if (s->worker)
		cmd_worker_step(s->worker);
	else
		show_progress(s->o, s->job, NULL, ++s->n_shown);
}

/* Are there more runnable processes than processors? Then this command rarely runs until they are stopped. */
static bool is_crowded(const struct cmd_job *job)
{
	size_t n = 0;

	for (size_t i = 0; i < job->n; i++) {
		const struct cmd_proc *p = &job->procs[i];
		n += is_live(p) && p->here && p->pid > 0 && host_process_state((pid_t)p->pid, NULL) == 'R';
	}
	return job->n > 1 && n >= cmd_n_processors();
}

static void resume(struct share *s)
{
	for (size_t i = 0; i < s->n; i++)
		cmd_process_query_resume(s->q[i]);
}

/*
 * Stop all ranks, which leaves the processors to this command, then prepare and query one after the other.
 * @return false: it took too long; the ranks were resumed and must
 *         be queried again so that all answers are from one moment
 */
static bool ask_held(struct share *s)
{
	double start = host_now_ms();
	size_t i = 0;

	cmd_process_query_stop_together(s->q, s->n);
	cmd_worker_wait(s->worker, true);
	for (; i < s->n && host_now_ms() - start < HELD_MS; i++) {
		cmd_process_query_prepare(s->q[i]);
		cmd_process_query_ask(s->q[i]);
		count_finished(s);
	}
	if (i < s->n)
		resume(s);
	bool all = cmd_worker_wait(s->worker, i == s->n);
	resume(s);
	return all;
}

/* Prepare all ranks while they run, then stop and query them. */
static void ask_prepared(struct share *s)
{
	for (size_t i = 0; i < s->n; i++) {
		cmd_process_query_again(s->q[i]);
		cmd_process_query_prepare(s->q[i]);
		if (!s->crowded)
			count_finished(s);
	}
	cmd_worker_wait(s->worker, true);
	cmd_process_query_stop_together(s->q, s->n);
	cmd_worker_wait(s->worker, true);
	for (size_t i = 0; i < s->n; i++)
		cmd_process_query_ask(s->q[i]);
	cmd_worker_wait(s->worker, true);
	resume(s);
}

/* The share of worker @p k of @p n: every n-th live process. */
static void ask_share(void *ctx, struct cmd_worker *worker, size_t k, size_t n)
{
	struct share s = *(const struct share *)ctx;

	s.worker = worker;
	s.q = calloc(s.job->n + 1, sizeof(struct cmd_process_query *));
	for (size_t i = 0, at = 0; i < s.job->n; i++) {
		struct cmd_proc *p = &s.job->procs[i];
		if (!is_live(p) || at++ % n != k)
			continue;
		struct cmd_process_query *q = cmd_process_query_begin(s.o, s.plugin, s.what, s.job, p, p->answer);
		if (s.q)
			s.q[s.n++] = q;
		else
			cmd_process_query_close(q);
	}
	if (!s.crowded || !ask_held(&s))
		ask_prepared(&s);
	for (size_t i = 0; i < s.n; i++)
		cmd_process_query_close(s.q[i]);
	free(s.q);
}

/* The process by which two mpidbg that read the same job take turns. @return 0: there is none */
static pid_t first_process(const struct cmd_job *job)
{
	int64_t ret = 0;

	for (size_t i = 0; i < job->n; i++) {
		const struct cmd_proc *p = &job->procs[i];
		if (is_live(p) && p->here && p->pid > 0 && (!ret || p->pid < ret))
			ret = p->pid;
	}
	return (pid_t)ret;
}

/* Wait until the processes that were changing what was read have run. @return false: there are none */
static bool wait_for_unclear(const struct cmd_job *job)
{
	struct cmd_run *runs = calloc(job->n + 1, sizeof(*runs));
	double start = host_now_ms();
	size_t n = 0;

	for (size_t i = 0; runs && i < job->n; i++)
		if (is_live(&job->procs[i]) && job->procs[i].answer->unclear)
			cmd_run_take(job->procs[i].pid, &runs[n++]);
	for (size_t i = 0; i < n; i++)
		while (cmd_run_is_short(&runs[i]) && host_now_ms() - start < LOOKS_MS)
			nanosleep(&(struct timespec){ .tv_nsec = RUN_NS }, NULL);
	free(runs);
	return n > 0;
}

/* All at one moment; at another one if at this a process was changing what was read, or was in MPI_Probe. */
static void ask_live(const struct cmd_options *o, struct host_plugin *plugin, int what, struct cmd_job *job)
{
	double start = host_now_ms();

	for (int i = 0; i < LOOKS; i++) {
		struct share s = { .o = o, .plugin = plugin, .what = what, .job = job, .crowded = is_crowded(job) };

		for (size_t k = 0; i && k < job->n; k++)
			if (is_live(&job->procs[k]))
				cmd_answer_deinit(job->procs[k].answer);
		cmd_workers_run(o, job, ask_share, &s);
		if (i + 1 == LOOKS || host_now_ms() - start > LOOKS_MS)
			break;
		bool probing = cmd_probes_take(job), unclear = wait_for_unclear(job);
		if ((!probing && !unclear) || host_now_ms() - start > LOOKS_MS)
			break;
	}
	cmd_probes_end(job);
}

void cmd_ask_all(const struct cmd_options *o, struct host_plugin *plugin, int what, struct cmd_job *job)
{
	size_t n_live = 0;

	for (size_t i = 0; i < job->n; i++) {
		struct cmd_proc *p = &job->procs[i];
		if (is_live(p)) {
			n_live++;
			continue;
		}
		show_progress(o, job, p, i + 1);
		struct cmd_process_query *core = cmd_process_query_open(o, plugin, what, job, p, p->answer);
		cmd_process_query_stop(core);
		cmd_process_query_ask(core);
		cmd_process_query_close(core);
	}
	if (n_live) {
		struct cmd_priority before;
		int turn = host_turn_take(first_process(job));
		cmd_priority_raise(&before);
		ask_live(o, plugin, what, job);
		host_turn_end(turn);
		cmd_priority_restore(&before);
	}
	cmd_progress_end();
}
