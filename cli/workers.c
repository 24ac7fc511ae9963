/* SPDX-License-Identifier: BSD-3-Clause */
#include "workers.h"

#include "answer.h"
#include "priority.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	SHARE_MIN = 4, /* minimum number of processes that justifies a worker */
	WORKERS_MAX = 32,
	STRING_MAX = 1 << 20
};

/* A worker writes one byte (after ANSWERS, its answers follow), and reads YES or NO. */
enum { STEP = 's', YES = 'y', NO = 'n', ANSWERS = 'a' };

struct cmd_worker {
	int fd;
};

/* ---- in a worker ------------------------------------------------------------------------------------- */

static void send_byte(int fd, char byte)
{
	while (send(fd, &byte, 1, MSG_NOSIGNAL) < 0 && errno == EINTR)
		;
}

/* @return 0: the other end is closed */
static char receive_byte(int fd)
{
	char byte = 0;

	while (read(fd, &byte, 1) < 0 && errno == EINTR)
		;
	return byte;
}

bool cmd_worker_wait(struct cmd_worker *w, bool mine)
{
	if (!w)
		return mine;
	send_byte(w->fd, mine ? YES : NO);
	char all = receive_byte(w->fd);
	if (!all)
		_exit(1); /* the parent has ended; exiting resumes all stopped processes */
	return all == YES;
}

void cmd_worker_step(struct cmd_worker *w)
{
	if (w)
		send_byte(w->fd, STEP);
}

/* ---- answers ----------------------------------------------------------------------------------------- */

/* The fields of fixed size of an answer and its process. Both ends are the same program. */
struct fixed {
	int64_t rank, world_size, pid;
	const char *state; /* a static string, valid in both processes */
	enum cmd_exit rc;
	bool left_out, unknown, unclear;
	uint64_t n_reads, read_bytes, n_problems;
	double stopped_ms, all_ms;
	size_t n_probing;
	struct cmd_probing probing[CMD_PROBING_MAX];
};

static struct cmd_spool *spool_of(struct cmd_answer *a, size_t i)
{
	struct cmd_spool *const all[] = { &a->text,    &a->vars,    &a->calls, &a->snapshot,
					  &a->threads, &a->sources, &a->kept };

	if (i < sizeof(all) / sizeof(all[0]))
		return all[i];
	i -= sizeof(all) / sizeof(all[0]);
	return i < CMD_N_OBJECTS ? &a->objects[i] : NULL;
}

static void put_string(FILE *to, const char *text)
{
	uint64_t n = strlen(text);

	fwrite(&n, sizeof(n), 1, to);
	fwrite(text, 1, n, to);
}

static void put_spool(FILE *to, struct cmd_spool *s)
{
	int64_t n = cmd_spool_size(s);
	bool failed = s->failed || n < 0;

	n = failed ? 0 : n;
	fwrite(&failed, sizeof(failed), 1, to);
	fwrite(&n, sizeof(n), 1, to);
	if (n)
		cmd_spool_copy(s, 0, to);
}

static void put_answer(FILE *to, const struct cmd_proc *p)
{
	struct cmd_answer *a = p->answer;
	struct fixed f = { .rank = p->rank,
			   .world_size = p->world_size,
			   .pid = p->pid,
			   .state = a->state,
			   .rc = a->rc,
			   .left_out = a->left_out,
			   .unknown = a->unknown,
			   .unclear = a->unclear,
			   .n_reads = a->n_reads,
			   .read_bytes = a->read_bytes,
			   .n_problems = a->problems.n,
			   .stopped_ms = a->stopped_ms,
			   .all_ms = a->all_ms,
			   .n_probing = a->n_probing };

	memcpy(f.probing, a->probing, sizeof(f.probing));
	fwrite(&f, sizeof(f), 1, to);
	put_string(to, p->host);
	put_string(to, p->executable);
	put_string(to, p->job);
	for (size_t i = 0; i < a->problems.n; i++)
		put_string(to, a->problems.line[i]);
	struct cmd_spool *s;
	for (size_t i = 0; (s = spool_of(a, i)); i++)
		put_spool(to, s);
}

/* @return malloc'ed; NULL: the worker has ended, or no memory */
static char *get_string(FILE *from)
{
	uint64_t n;

	if (fread(&n, sizeof(n), 1, from) != 1 || n > STRING_MAX)
		return NULL;
	char *text = malloc(n + 1);
	if (!text || fread(text, 1, n, from) != n) {
		free(text);
		return NULL;
	}
	text[n] = '\0';
	return text;
}

static bool get_spool(FILE *from, struct cmd_spool *s)
{
	char piece[65536];
	int64_t n;
	bool failed;

	if (fread(&failed, sizeof(failed), 1, from) != 1 || fread(&n, sizeof(n), 1, from) != 1)
		return false;
	while (n > 0) {
		size_t part = n < (int64_t)sizeof(piece) ? (size_t)n : sizeof(piece);
		if (fread(piece, 1, part, from) != part)
			return false;
		cmd_spool_add(s, piece, part);
		n -= (int64_t)part;
	}
	s->failed |= failed;
	return true;
}

static bool get_answer(FILE *from, struct cmd_proc *p)
{
	struct cmd_answer *a = p->answer;
	struct fixed f;

	if (fread(&f, sizeof(f), 1, from) != 1)
		return false;
	p->rank = f.rank;
	p->world_size = f.world_size;
	p->pid = f.pid;
	*a = (struct cmd_answer){ .state = f.state,
				  .rc = f.rc,
				  .left_out = f.left_out,
				  .unknown = f.unknown,
				  .unclear = f.unclear,
				  .n_reads = f.n_reads,
				  .read_bytes = f.read_bytes,
				  .stopped_ms = f.stopped_ms,
				  .all_ms = f.all_ms,
				  .n_probing = f.n_probing };
	memcpy(a->probing, f.probing, sizeof(a->probing));
	char **const strings[] = { &p->host, &p->executable, &p->job };
	for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++) {
		char *text = get_string(from);
		if (!text)
			return false;
		free(*strings[i]);
		*strings[i] = text;
	}
	for (uint64_t i = 0; i < f.n_problems; i++) {
		char *line = get_string(from);
		if (!line)
			return false;
		cmd_lines_add(&a->problems, "%s", line);
		free(line);
	}
	struct cmd_spool *s;
	for (size_t i = 0; (s = spool_of(a, i)); i++)
		if (!get_spool(from, s))
			return false;
	return true;
}

/* The next process of a worker. @return NULL: there are no more */
static struct cmd_proc *next_of(const struct cmd_job *job, size_t k, size_t n, size_t *at, size_t *n_live)
{
	for (; *at < job->n; ++*at) {
		struct cmd_proc *p = &job->procs[*at];
		if (p->core || (*n_live)++ % n != k)
			continue;
		++*at;
		return p;
	}
	return NULL;
}

/* ---- the workers ------------------------------------------------------------------------------------- */

struct crew {
	const struct cmd_options *o;
	struct cmd_job *job;
	size_t n, n_steps;
	struct {
		pid_t pid;
		int fd; /* -1: it has ended */
		bool waits, yes;
	} worker[WORKERS_MAX];
};

static void run_worker(struct crew *c, size_t k, int fd, cmd_worker_share *share, void *ctx)
{
	struct cmd_worker w = { fd };
	size_t at = 0, n_live = 0;

	setsid(); /* its own autogroup, and thereby its own share of the processors */
	share(ctx, &w, k, c->n);
	send_byte(fd, ANSWERS);
	FILE *to = fdopen(fd, "w");
	for (struct cmd_proc *p; to && (p = next_of(c->job, k, c->n, &at, &n_live));)
		put_answer(to, p);
	_exit(to && fflush(to) == 0 ? 0 : 1);
}

/* @return false: fork() has failed */
static bool start_worker(struct crew *c, size_t k, cmd_worker_share *share, void *ctx)
{
	int ends[2];
	pid_t parent = getpid();

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return false;
	pid_t pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(1);
		close(ends[0]);
		run_worker(c, k, ends[1], share, ctx);
	}
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return false;
	}
	c->worker[k].pid = pid;
	c->worker[k].fd = ends[0];
	return true;
}

/* The worker died: answers that it has not sent are unavailable. */
static void stand_in(struct crew *c, size_t k, struct cmd_proc *p)
{
	char name[4200];

	cmd_answer_deinit(p->answer);
	*p->answer = (struct cmd_answer){ .state = cmd_proc_state(p), .rc = CMD_PARTIAL };
	cmd_proc_name(c->job, p, name, sizeof(name));
	cmd_lines_add(&p->answer->problems, "%s: the process of mpidbg that read it (%d) has ended unexpectedly", name,
		      (int)c->worker[k].pid);
}

static void take_answers(struct crew *c, size_t k, bool has_ended)
{
	FILE *from = has_ended ? NULL : fdopen(c->worker[k].fd, "r");
	size_t at = 0, n_live = 0;
	bool whole = from != NULL;

	for (struct cmd_proc *p; (p = next_of(c->job, k, c->n, &at, &n_live));) {
		whole = whole && get_answer(from, p);
		if (!whole)
			stand_in(c, k, p);
	}
	if (from)
		fclose(from);
	else
		close(c->worker[k].fd);
	c->worker[k].fd = -1;
	while (waitpid(c->worker[k].pid, NULL, 0) < 0 && errno == EINTR)
		;
}

static void take_message(struct crew *c, size_t k)
{
	char byte = receive_byte(c->worker[k].fd);

	switch (byte) {
	case STEP:
		c->n_steps += c->n_steps < c->job->n;
		cmd_progress(c->o->progress, "%zu of %zu", c->n_steps, c->job->n);
		break;
	case YES:
	case NO:
		c->worker[k].waits = true;
		c->worker[k].yes = byte == YES;
		break;
	default:
		take_answers(c, k, byte != ANSWERS);
		break;
	}
}

/* All workers wait: release them. */
static void release_workers(struct crew *c)
{
	bool all = true;

	for (size_t k = 0; k < c->n; k++)
		if (c->worker[k].fd >= 0 && !c->worker[k].waits)
			return;
	for (size_t k = 0; k < c->n; k++)
		all = all && (c->worker[k].fd < 0 || c->worker[k].yes);
	for (size_t k = 0; k < c->n; k++) {
		if (c->worker[k].fd < 0)
			continue;
		c->worker[k].waits = false;
		send_byte(c->worker[k].fd, all ? YES : NO);
	}
}

static void serve(struct crew *c)
{
	for (;;) {
		struct pollfd fds[WORKERS_MAX];
		size_t which[WORKERS_MAX];
		nfds_t n = 0;

		for (size_t k = 0; k < c->n; k++) {
			if (c->worker[k].fd < 0 || c->worker[k].waits)
				continue;
			which[n] = k;
			fds[n++] = (struct pollfd){ .fd = c->worker[k].fd, .events = POLLIN };
		}
		if (!n)
			return;
		if (poll(fds, n, -1) < 0)
			continue;
		for (nfds_t i = 0; i < n; i++)
			if (fds[i].revents)
				take_message(c, which[i]);
		release_workers(c);
	}
}

static size_t number_of_workers(const struct cmd_job *job)
{
	size_t n = 0, most = cmd_n_processors();

	for (size_t i = 0; i < job->n; i++)
		n += !job->procs[i].core;
	n /= SHARE_MIN;
	n = n < most ? n : most;
	return n < WORKERS_MAX ? n : WORKERS_MAX;
}

void cmd_workers_run(const struct cmd_options *o, struct cmd_job *job, cmd_worker_share *share, void *ctx)
{
	struct crew c = { .o = o, .job = job, .n = number_of_workers(job) };

	if (c.n < 2) {
		share(ctx, NULL, 0, 1);
		return;
	}
	fflush(NULL);
	for (size_t k = 0; k < c.n; k++) {
		c.worker[k].fd = -1;
		if (!start_worker(&c, k, share, ctx)) {
			/* the workers already started divide the processes by the wrong number of workers */
			for (size_t i = 0; i < k; i++) {
				kill(c.worker[i].pid, SIGKILL);
				waitpid(c.worker[i].pid, NULL, 0);
				close(c.worker[i].fd);
			}
			share(ctx, NULL, 0, 1);
			return;
		}
	}
	serve(&c);
}
