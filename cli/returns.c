/* SPDX-License-Identifier: BSD-3-Clause */
#include "returns.h"

#include "../access/grow.h"
#include "../host/clock.h"
#include "../host/returns.h"
#include "../verdict/flows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Processor time in which a loop has looked for messages many
 * times. One that yields the processor each time uses little. */
enum { ENOUGH_NS = 500000, NAP_NS = 5000000 };

struct cmd_returning {
	int64_t pid, tid;
	uint64_t addr;
	bool must_run; /* unless it runs, nothing is known of its wait */
	int fd;        /* -1: it was counted on another host */
	uint64_t base_ns;
	const char *host;   /* of another host; else NULL */
	uint64_t n, ran_ns; /* of another host */
};

/* How often it has left the call, and how long it has run since cmd_returns_settle(). */
static bool read_count(const struct cmd_returning *x, uint64_t *n, uint64_t *ran_ns)
{
	*n = x->n;
	*ran_ns = x->ran_ns;
	if (x->fd < 0)
		return true;
	if (!host_returns_read(x->fd, n, ran_ns))
		return false;
	*ran_ns = *ran_ns > x->base_ns ? *ran_ns - x->base_ns : 0;
	return true;
}

void cmd_returns_begin(struct cmd_returns *r, const struct vd_job *first)
{
	for (size_t i = 0; i < first->n_ranks; i++) {
		const struct vd_rank *rank = &first->ranks[i];
		for (size_t k = rank->first_thread; k < rank->first_thread + rank->n_threads; k++) {
			const struct vd_thread *t = &first->threads[k];
			if (!t->returns_to || t->tid <= 0)
				continue;
			int fd = host_returns_open((pid_t)t->tid, t->returns_to);
			if (fd < 0) {
				r->cause = errno;
				continue;
			}
			if (!ACC_GROW(r->threads, r->n)) {
				close(fd);
				return;
			}
			bool must_run = vd_only_waits(t->function);
			r->any_lock |= must_run && t->call == VD_CALL_WINDOW;
			r->threads[r->n++] = (struct cmd_returning){
				.pid = rank->pid, .tid = t->tid, .addr = t->returns_to, .must_run = must_run, .fd = fd
			};
		}
	}
}

void cmd_returns_settle(struct cmd_returns *r)
{
	for (size_t i = 0; i < r->n; i++) {
		struct cmd_returning *x = &r->threads[i];
		uint64_t n, ran_ns;
		x->base_ns = 0;
		if (read_count(x, &n, &ran_ns))
			x->base_ns = ran_ns;
	}
}

/* ---- on several hosts ---------------------------------------------------------------------------------------- */

json_t *cmd_returns_json(const struct cmd_returns *r)
{
	json_t *list = json_array(), *ret = json_pack("{s:i, s:o}", "cause", r->cause, "threads", list);

	for (size_t i = 0; i < r->n; i++) {
		const struct cmd_returning *x = &r->threads[i];
		uint64_t n, ran_ns;
		if (read_count(x, &n, &ran_ns))
			json_array_append_new(list, json_pack("[I, I, I, I, I]", (json_int_t)x->pid, (json_int_t)x->tid,
							      (json_int_t)x->addr, (json_int_t)n, (json_int_t)ran_ns));
	}
	return ret;
}

bool cmd_returns_add(struct cmd_returns *r, const json_t *json, const char *host)
{
	const json_t *thread;
	size_t i;
	int cause = (int)json_integer_value(json_object_get(json, "cause"));

	r->cause = cause ? cause : r->cause;
	json_array_foreach(json_object_get(json, "threads"), i, thread)
	{
		json_int_t v[5];
		if (json_array_size(thread) != 5)
			continue;
		for (size_t k = 0; k < 5; k++)
			v[k] = json_integer_value(json_array_get(thread, k));
		if (v[3] < 0 || v[4] < 0)
			continue;
		if (!ACC_GROW(r->threads, r->n))
			return false;
		r->threads[r->n++] = (struct cmd_returning){ .pid = v[0],
							     .tid = v[1],
							     .addr = (uint64_t)v[2],
							     .fd = -1,
							     .host = host,
							     .n = (uint64_t)v[3],
							     .ran_ns = (uint64_t)v[4] };
	}
	return true;
}

/* ---- looking ------------------------------------------------------------------------------------------------- */

/* Has the thread run enough, or is nothing gained by waiting? */
static bool is_done(const struct cmd_returning *x)
{
	uint64_t n, ran_ns;

	return !x->must_run || !read_count(x, &n, &ran_ns) || n > 0 || ran_ns >= ENOUGH_NS;
}

void cmd_returns_wait(const struct cmd_returns *r, double max_ms)
{
	double start = host_now_ms();

	for (size_t i = 0; i < r->n && host_now_ms() - start < max_ms;)
		if (is_done(&r->threads[i]))
			i++;
		else
			nanosleep(&(struct timespec){ .tv_nsec = NAP_NS }, NULL);
}

/* What a thread that is still in a call to the same place has done. */
static void apply(const struct cmd_returns *r, const struct cmd_returning *x, struct vd_rank *rank, struct vd_thread *t)
{
	uint64_t n, ran_ns;

	if (x->addr != t->returns_to || !read_count(x, &n, &ran_ns))
		return;
	t->stays = n == 0 && ran_ns >= ENOUGH_NS && (t->call != VD_CALL_WINDOW || r->all_ran);
	t->may_return &= vd_is_probe(t->function) && !t->stays;
	rank->went_on |= n > 0;
}

/* Does the library number the messages of the communicators in which the thread waits, so that none passes unseen? */
static bool has_numbers(const struct vd_job *job, int32_t rank, const struct vd_thread *t)
{
	for (size_t i = t->first_await; i < t->first_await + t->n_awaits; i++) {
		int32_t comm = job->ops[job->awaits[i]].comm;
		if (comm < 0 || !vd_flows_known(job, comm, rank))
			return false;
	}
	return true;
}

void cmd_returns_doubt(struct vd_job *job)
{
	for (size_t i = 0; i < job->n_ranks; i++) {
		const struct vd_rank *rank = &job->ranks[i];
		for (size_t k = rank->first_thread; k < rank->first_thread + rank->n_threads; k++) {
			struct vd_thread *t = &job->threads[k];
			bool unnumbered = (vd_is_probe(t->function) || t->call == VD_CALL_SOME) &&
					  !has_numbers(job, (int32_t)i, t);
			unnumbered |= t->call == VD_CALL_WINDOW;
			t->may_return = unnumbered && rank->n_calls < 0 &&
					(!rank->one_moment || vd_is_probe(t->function));
		}
	}
}

static bool is_of(const struct cmd_returning *x, const struct vd_rank *rank, const struct vd_thread *t)
{
	return x->pid == rank->pid && x->tid == t->tid &&
	       (!x->host || (rank->host && strcmp(x->host, rank->host) == 0));
}

const char *cmd_returns_why(struct vd_job *job, int cause)
{
	return cause == EACCES || cause == EPERM ? "that needs root, or sysctl kernel.perf_event_paranoid=2"
						 : vd_string(job, strerror(cause));
}

void cmd_returns_apply(const struct cmd_returns *r, struct vd_job *second)
{
	if (r->cause && r->cause != ESRCH)
		second->no_returns = cmd_returns_why(second, r->cause);
	cmd_returns_doubt(second);
	for (size_t i = 0; r->n && i < second->n_ranks; i++) {
		struct vd_rank *rank = &second->ranks[i];
		for (size_t k = rank->first_thread; k < rank->first_thread + rank->n_threads; k++) {
			struct vd_thread *t = &second->threads[k];
			for (size_t x = 0; t->returns_to && x < r->n; x++)
				if (is_of(&r->threads[x], rank, t))
					apply(r, &r->threads[x], rank, t);
		}
	}
}

void cmd_returns_deinit(struct cmd_returns *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->threads[i].fd >= 0)
			close(r->threads[i].fd);
	free(r->threads);
	*r = (struct cmd_returns){ .threads = NULL };
}
