/* SPDX-License-Identifier: BSD-3-Clause */
#include "sends.h"

#include "returns.h"

#include "../access/grow.h"
#include "../host/returns.h"
#include "../verdict/flows.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum { THREADS_MAX = 64 /* of a rank */ };

struct cmd_sending {
	int64_t pid;
	int fd;
};

/* Does the library number the messages of the rank in all its communicators? */
static bool has_numbers(const struct vd_job *job, int32_t rank)
{
	const struct vd_comm *world = job->n_comms ? &job->comms[0] : NULL;

	return world && world->kind == VD_COMM && vd_flows_known(job, 0, rank);
}

static bool add_thread(struct cmd_sends *s, int64_t pid, const struct vd_thread *t)
{
	for (size_t i = 0; i < VD_N_SENDS_AT; i++) {
		if (!t->sends_at[i] || t->tid <= 0 || !ACC_GROW(s->threads, s->n))
			return false;
		int fd = host_returns_open((pid_t)t->tid, t->sends_at[i]);
		if (fd < 0) {
			s->cause = errno;
			return false;
		}
		s->threads[s->n++] = (struct cmd_sending){ .pid = pid, .fd = fd };
	}
	return true;
}

void cmd_sends_begin(struct cmd_sends *s, const struct vd_job *job)
{
	for (size_t i = 0; i < job->n_ranks && !s->unknown; i++) {
		const struct vd_rank *r = &job->ranks[i];
		if (r->state != VD_READ || has_numbers(job, (int32_t)i))
			continue;
		s->unknown = !r->n_threads || r->n_threads > THREADS_MAX;
		for (size_t k = r->first_thread; k < r->first_thread + r->n_threads && !s->unknown; k++)
			s->unknown = !add_thread(s, r->pid, &job->threads[k]);
	}
}

static void mark(struct vd_job *job, int64_t pid)
{
	for (size_t i = 0; i < job->n_ranks; i++)
		job->ranks[i].went_on |= job->ranks[i].pid == pid;
}

void cmd_sends_apply(const struct cmd_sends *s, struct vd_job *job)
{
	bool unknown = s->unknown;

	for (size_t i = 0; i < s->n; i++) {
		uint64_t n, ran_ns;
		if (!host_returns_read(s->threads[i].fd, &n, &ran_ns))
			unknown = true;
		else if (n)
			mark(job, s->threads[i].pid);
	}
	if (unknown)
		job->unseen_sends = s->cause ? cmd_returns_why(job, s->cause) : "its messages cannot be counted";
}

void cmd_sends_deinit(struct cmd_sends *s)
{
	for (size_t i = 0; i < s->n; i++)
		close(s->threads[i].fd);
	free(s->threads);
	*s = (struct cmd_sends){ .threads = NULL };
}
