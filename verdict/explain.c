/* SPDX-License-Identifier: BSD-3-Clause */
#include "explain.h"

#include "children.h"
#include "enders.h"
#include "loading.h"
#include "place.h"
#include "report.h"
#include "source.h"
#include "waits.h"

#include <string.h>

enum { THREADS_SHOWN = 40, FRAMES_SHOWN = 12 };

static void print(FILE *out, const struct vd_text *t)
{
	vd_print(out, t->bytes);
	putc('\n', out);
}

/* "rank 2 of 3: process 4711 on node1, sleeping" */
static void print_heading(const struct vd_job *job, size_t i, const json_t *process, FILE *out)
{
	const struct vd_rank *r = &job->ranks[i];
	const json_t *mpi = json_object_get(process, "mpi");
	const char *program = vd_json_text(process, "executable"), *name = vd_json_text(mpi, "name"),
		   *version = vd_json_text(mpi, "version");
	struct vd_text t = { .n = 0 };

	vd_append_rank(&t, job, (int32_t)i);
	if (r->pid > 0)
		vd_append(&t, ": process %lld%s%s", (long long)r->pid, r->host ? " on " : "", r->host ? r->host : "");
	if (r->process_state)
		vd_append(&t, ", %s", r->process_state);
	if (r->state == VD_UNREAD)
		vd_append(&t, ": it could not be read");
	if (r->kept)
		vd_append(&t, ", %s", r->kept);
	if (r->swapped_kb > 0)
		vd_append(&t, ", %lld kB of it swapped out", (long long)r->swapped_kb);
	print(out, &t);
	t = (struct vd_text){ .n = 0 };
	if (program)
		vd_append(&t, "%s", program);
	if (name)
		vd_append(&t, "%s(%s%s%s)", program ? "  " : "", name, version ? " " : "", version ? version : "");
	if (t.n)
		print(out, &t);
}

/* "has not run since the first moment", "computes (98 % of a processor)" */
static void append_doing(struct vd_text *t, const struct vd_rank *r, const struct vd_thread *x)
{
	if (x->n_runs == 0)
		vd_append(t, "has not run between the two moments");
	else if (x->n_runs > 0)
		vd_append(t, "has run %lld time%s between the two moments, %lld.%lld %% of a processor",
			  (long long)x->n_runs, x->n_runs == 1 ? "" : "s", (long long)x->ran_permille / 10,
			  (long long)x->ran_permille % 10);
	else if (x->doing == VD_RUNS)
		vd_append(t, "runs");
	if (x->n_runs > 0 && x->place_before && x->place)
		vd_append(t, "; %s%s",
			  strcmp(x->place, x->place_before) == 0 ? "at the same place both times" : "before in ",
			  strcmp(x->place, x->place_before) == 0 ? "" : x->place_before);
	if (x->doing == VD_SLEEPS && x->ends_ms >= 0)
		vd_append(t, "%ssleeps for another %lld.%lld s", t->n ? "; " : "", (long long)x->ends_ms / 1000,
			  (long long)x->ends_ms % 1000 / 100);
	(void)r;
}

static const json_t *call_of(const json_t *process, int64_t tid)
{
	const json_t *call;
	size_t i;

	json_array_foreach(json_object_get(process, "calls"), i, call)
	{
		if (vd_json_number(call, "thread", -1) == tid)
			return call;
	}
	return NULL;
}

static void print_stack(const json_t *call, FILE *out)
{
	const json_t *stack = json_object_get(call, "backtrace");
	size_t n = json_array_size(stack);

	for (size_t i = 0; i < n && i < FRAMES_SHOWN; i++) {
		const char *frame = json_string_value(json_array_get(stack, i));
		fprintf(out, "    #%zu ", i);
		vd_print(out, frame ? frame : "?");
		putc('\n', out);
	}
	if (n > FRAMES_SHOWN)
		fprintf(out, "    and %zu more\n", n - FRAMES_SHOWN);
}

static void print_thread(const struct vd_job *job, size_t i, const struct vd_thread *x, const json_t *process,
			 FILE *out)
{
	const struct vd_rank *r = &job->ranks[i];
	struct vd_text t = { .n = 0 }, doing = { .n = 0 }, wait = { .n = 0 };
	struct vd_source source;

	if (x->tid == r->pid)
		vd_append(&t, "main thread (%lld): ", (long long)x->tid);
	else
		vd_append(&t, "thread %lld: ", (long long)x->tid);
	if (x->function)
		vd_append_call(&t, job, (int32_t)i, x, false);
	else
		vd_append(&t, x->held && !x->place ? "MPI function not known" : "in no MPI function");
	vd_append_at(&t, ", ", x->place);
	putc('\n', out);
	print(out, &t);
	if (vd_source_read(job, x, &source))
		vd_source_print(&source, 2, out);
	if (x->waits_for) {
		vd_append(&wait, "  ");
		vd_append_wait(&wait, job, r, x, x);
		vd_append(&wait, vd_is_foreign(job, r, x) ? ": it can go on" : "");
		print(out, &wait);
		if (x->owner > 0 && x->holder == VD_HELD_THREAD && !x->joins && x->owner != r->pid)
			fprintf(out, "  its holder is thread %lld\n", (long long)x->owner);
	}
	append_doing(&doing, r, x);
	if (doing.n) {
		fputs("  ", out);
		print(out, &doing);
	}
	print_stack(call_of(process, x->tid), out);
}

static void print_children(const struct vd_job *job, const struct vd_rank *r, const json_t *process, FILE *out)
{
	const json_t *children = json_object_get(process, "children");

	for (size_t i = 0; i < r->n_children; i++) {
		const struct vd_child *c = &job->children[r->first_child + i];
		struct vd_text t = { .n = 0 };
		const json_t *child = json_array_get(children, i), *calls = json_object_get(child, "calls");
		vd_append(&t, "child ");
		vd_append_child(&t, c);
		putc('\n', out);
		print(out, &t);
		print_stack(call_of(child, c->pid) ? call_of(child, c->pid) : json_array_get(calls, 0), out);
	}
	if (r->n_children_left)
		fprintf(out, "and %lld more children\n", (long long)r->n_children_left);
}

void vd_explain(const struct vd_job *job, const struct vd_verdict *v, size_t i, const json_t *process, FILE *out)
{
	const struct vd_rank *r = &job->ranks[i];
	struct vd_text end = { .n = 0 };
	size_t n_helpers = 0, n = 0;

	print_heading(job, i, process, out);
	for (size_t k = r->first_thread; k < r->first_thread + r->n_threads; k++) {
		const struct vd_thread *x = &job->threads[k];
		n_helpers += x->helper;
		if (!x->helper && n++ < THREADS_SHOWN)
			print_thread(job, i, x, process, out);
	}
	print_children(job, r, process, out);
	putc('\n', out);
	if (n > THREADS_SHOWN)
		fprintf(out, "and %zu more threads\n", n - THREADS_SHOWN);
	if (n_helpers)
		fprintf(out, "%zu thread%s of libraries %s not shown\n", n_helpers, n_helpers == 1 ? "" : "s",
			n_helpers == 1 ? "is" : "are");
	if (job->basis) {
		vd_print(out, job->basis);
		putc('\n', out);
	}
	vd_conclusion(&end, job, v);
	print(out, &end);
}
