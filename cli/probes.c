/* SPDX-License-Identifier: BSD-3-Clause */
#include "probes.h"

#include "answer.h"

#include "../host/arguments.h"
#include "../host/clock.h"
#include "../host/returns.h"
#include "../host/stopped.h"
#include "../verdict/verdict.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { SAMPLES = 3, TOGETHER = 16, TAKE_MS = 300, NAP_NS = 500000 };

/* The arguments of ucp_tag_probe_nb(): src/ucp/api/ucp.h of UCX 1.10 to 1.18. */
enum { TAG = 1, MASK = 2, REMOVE = 3, INFO = 4 };

struct probe {
	struct cmd_probing of;
	int returned_fd; /* counts whether the call returns; -1: unknown */
	struct host_calls *calls;
	bool known;
	uint64_t tag, mask, info_addr;
};

struct cmd_probes {
	struct probe v[CMD_PROBING_MAX];
	size_t n;
};

/* ---- in a stopped process -------------------------------------------------------------------------------------- */

size_t cmd_probing_find(struct host_target *t, struct cmd_probing ret[CMD_PROBING_MAX])
{
	size_t n_threads, n = 0;
	const struct mpidbg_thread *threads = host_threads(t, &n_threads);
	struct host_stopped x;
	uint64_t entry, recorder;

	if (host_core_path(t) || host_stopped_by_signal(t))
		return 0;
	for (size_t i = 0; threads && i < n_threads && n < CMD_PROBING_MAX; i++) {
		const char *function = threads[i].function;
		if (!function || !vd_is_probe(function) || !host_symbol(t, "ucp_tag_probe_nb", &entry) ||
		    host_symbol(t, "MPI2DD_registry", &recorder))
			continue;
		for (size_t k = 0; host_stopped_thread(t, k, &x); k++)
			if (x.tid == threads[i].id && x.return_addr)
				ret[n++] = (struct cmd_probing){ .tid = x.tid,
								 .returns_to = x.return_addr,
								 .entry = entry,
								 .removes = vd_takes_message(function) };
	}
	return n;
}

size_t cmd_probes_give(const struct cmd_proc *p, struct mpidbg_probe ret[CMD_PROBING_MAX])
{
	uint64_t n_returns, ran_ns;
	size_t n = 0;

	for (size_t i = 0; p->probes && i < p->probes->n; i++) {
		const struct probe *x = &p->probes->v[i];
		if (x->known && host_returns_read(x->returned_fd, &n_returns, &ran_ns) && !n_returns)
			ret[n++] = (struct mpidbg_probe){
				.thread = x->of.tid, .tag = x->tag, .mask = x->mask, .info_addr = x->info_addr
			};
	}
	return n;
}

/* ---- in a running one -------------------------------------------------------------------------------------------- */

static bool is_new(const struct cmd_probes *probes, const struct cmd_probing *of)
{
	for (size_t i = 0; i < probes->n; i++)
		if (probes->v[i].of.tid == of->tid)
			return false;
	return probes->n < CMD_PROBING_MAX;
}

/* Add the threads of a process that were not looked at. @return how many */
static size_t add_new(struct cmd_proc *p, struct probe **list, size_t max)
{
	size_t n = 0;

	if (!p->probes && p->answer->n_probing)
		p->probes = calloc(1, sizeof(*p->probes));
	for (size_t i = 0; p->probes && i < p->answer->n_probing && n < max; i++) {
		const struct cmd_probing *of = &p->answer->probing[i];
		if (!is_new(p->probes, of))
			continue;
		struct probe *x = &p->probes->v[p->probes->n++];
		*x = (struct probe){ .of = *of, .returned_fd = host_returns_open((pid_t)of->tid, of->returns_to) };
		if (x->returned_fd >= 0)
			x->calls = host_calls_open((pid_t)of->tid, of->entry);
		list[n++] = x;
	}
	return n;
}

/*
 * What a thread asks for. MPICH 3.4 asks for messages of its own, too, and takes them: these are not meant.
 * @return the number of samples
 */
static size_t read_calls(struct probe *x)
{
	struct host_arguments a[HOST_CALLS_MAX];
	size_t n = x->calls ? host_calls_read(x->calls, a) : 0, n_seen = 0;
	bool differ = false;

	for (size_t i = 0; i < n; i++) {
		const uint64_t *v = a[i].v;
		if ((v[REMOVE] & 0xffffffff) != x->of.removes)
			continue;
		differ |= n_seen && (v[TAG] != x->tag || v[MASK] != x->mask || v[INFO] != x->info_addr);
		x->tag = v[TAG];
		x->mask = v[MASK];
		x->info_addr = v[INFO];
		n_seen++;
	}
	x->known = n_seen && !differ;
	return n;
}

static bool sample(struct probe *const *list, size_t n, double until_ms)
{
	bool any = false;

	for (size_t i = 0; i < n;)
		if (!list[i]->calls || read_calls(list[i]) >= SAMPLES || host_now_ms() > until_ms)
			i++;
		else
			nanosleep(&(struct timespec){ .tv_nsec = NAP_NS }, NULL);
	for (size_t i = 0; i < n; i++) {
		read_calls(list[i]);
		any |= list[i]->known;
		host_calls_close(list[i]->calls);
		list[i]->calls = NULL;
	}
	return any;
}

bool cmd_probes_take(struct cmd_job *job)
{
	struct probe *list[TOGETHER + CMD_PROBING_MAX];
	double until_ms = host_now_ms() + TAKE_MS;
	size_t n = 0;
	bool any = false;

	for (size_t i = 0; i < job->n; i++) {
		if (job->procs[i].answer)
			n += add_new(&job->procs[i], list + n, sizeof(list) / sizeof(list[0]) - n);
		if (n >= TOGETHER || (n && i + 1 == job->n)) {
			any |= sample(list, n, until_ms);
			n = 0;
		}
	}
	return any;
}

void cmd_probes_end(struct cmd_job *job)
{
	for (size_t i = 0; i < job->n; i++) {
		struct cmd_probes *probes = job->procs[i].probes;
		for (size_t k = 0; probes && k < probes->n; k++)
			if (probes->v[k].returned_fd >= 0)
				close(probes->v[k].returned_fd);
		free(probes);
		job->procs[i].probes = NULL;
	}
}
