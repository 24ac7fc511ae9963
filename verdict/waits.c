/* SPDX-License-Identifier: BSD-3-Clause */
#include "waits.h"

#include "enders.h"
#include "loading.h"
#include "locks.h"
#include "place.h"

#include "../access/grow.h"

#include <string.h>

enum { CHAIN_MAX = 8 };

static void load_others(struct vd_job *job, struct vd_thread *t, const json_t *waits_for)
{
	static const char *const relations[] = { "", "other end", "child", "holder" };
	const char *relation = vd_json_text(waits_for, "relation");
	const json_t *list = json_object_get(waits_for, "processes"), *process;
	size_t i;

	for (uint8_t k = VD_OTHER_END; relation && k <= VD_FILE_LOCK; k++)
		if (strcmp(relation, relations[k]) == 0)
			t->relation = k;
	t->first_other = job->n_others;
	json_array_foreach(list, i, process)
	{
		if (!ACC_GROW(job->others, job->n_others)) {
			t->relation = VD_RELATION_UNKNOWN;
			return;
		}
		job->others[job->n_others++] = (struct vd_other){ .pid = vd_json_number(process, "pid", -1),
								  .name = vd_string(job, vd_json_text(process, "name")),
								  .does = vd_string(job, vd_json_text(process, "does")),
								  .waits_back = vd_json_true(process, "waits_back") };
		t->n_others++;
	}
}

void vd_load_wait(struct vd_job *job, struct vd_thread *t, const json_t *waits_for)
{
	static const char *const holders[] = { "any", "unknown", "thread", "self", "gone" };
	const char *holder = vd_json_text(waits_for, "holder"), *kind = vd_json_text(waits_for, "kind");

	t->waits_for = vd_string(job, vd_json_text(waits_for, "what"));
	if (!t->waits_for)
		return;
	t->holder = VD_HELD_UNKNOWN;
	for (uint8_t i = 0; holder && i < sizeof(holders) / sizeof(holders[0]); i++)
		if (strcmp(holder, holders[i]) == 0)
			t->holder = i;
	t->owner = vd_json_number(waits_for, "owner", -1);
	t->joins = kind && strcmp(kind, "thread") == 0;
	t->foreign = vd_json_true(waits_for, "other_process");
	t->ends = vd_json_true(waits_for, "ends");
	t->hidden = vd_json_true(waits_for, "others_hidden");
	t->signal = vd_string(job, vd_json_text(waits_for, "signal"));
	t->on_gpu = kind && strcmp(kind, "GPU") == 0;
	t->call_waits = kind && strcmp(kind, "system call") == 0;
	load_others(job, t, waits_for);
	vd_load_enders(job, t, json_object_get(waits_for, "ended_by"));
}

/* ", in MPI_Recv at io.c:40", ", at io.c:40 in work", nothing if it is not known */
static void append_where(struct vd_text *text, const struct vd_thread *t)
{
	const char *where = vd_place_of(t->place).where;

	if (t->function)
		vd_append(text, ", in %s%s%s", t->function, where ? " at " : "", where ? where : "");
	else
		vd_append_at(text, ", ", t->place);
}

/* ", at the other end rank 1", ": process 4711 (python3), which
 * waits for data from a pipe, whose other end this rank has" */
static void append_others(struct vd_text *text, const struct vd_job *job, const struct vd_rank *r,
			  const struct vd_thread *t)
{
	enum { SHOWN = 3 };

	if (t->relation == VD_OTHER_END && !t->n_others)
		vd_append(text, ", whose other end only this rank has");
	for (size_t i = 0; i < t->n_others; i++) {
		const struct vd_other *o = &job->others[t->first_other + i];
		const struct vd_rank *other = vd_rank_of(job, r, o->pid);
		if (i == SHOWN) {
			vd_append(text, "; and %zu more processes", t->n_others - i);
			return;
		}
		vd_append(text, "%s",
			  i                             ? ";"
			  : t->relation == VD_FILE_LOCK ? ", held by"
			  : t->relation == VD_CHILD     ? ":"
							: ", at the other end");
		if (other)
			vd_append(text, " rank %d", other->rank);
		else
			vd_append(text, " process %lld%s%s%s", (long long)o->pid, o->name ? " (" : "",
				  o->name ? o->name : "", o->name ? ")" : "");
		if (!other && o->does)
			vd_append(text, ", which %s", o->does);
		if (!other && o->waits_back)
			vd_append(text, ", whose other end this rank has");
	}
}

/* ", in MPI_Recv at x.c:12", the thread that has not come to
 * an OpenMP barrier, or does not wait for Python's global lock */
static void append_absent(struct vd_text *text, const struct vd_job *job, const struct vd_rank *r,
			  const struct vd_thread *t)
{
	bool named = t->holder == VD_HELD_ANY || t->holder == VD_HELD_UNKNOWN;

	for (size_t i = r->first_thread; named && i < r->first_thread + r->n_threads; i++)
		if (job->threads[i].tid == t->owner) {
			append_where(text, &job->threads[i]);
			return;
		}
}

void vd_append_wait(struct vd_text *text, const struct vd_job *job, const struct vd_rank *r, const struct vd_thread *t,
		    const struct vd_thread *shown)
{
	for (int i = 0; i < CHAIN_MAX && t && t->waits_for; i++) {
		const struct vd_thread *next = vd_waits_for(job, r, t);
		vd_append(text, "%swaits for ", i ? ", which " : "");
		if (t->joins && next && next->tid != r->pid)
			vd_append(text, "another thread to end");
		else if (t->joins && next)
			vd_append(text, "its main thread to end");
		else
			vd_append(text, "%s", t->waits_for);
		if (t->holder == VD_HELD_SELF)
			vd_append(text, t->joins ? ", which it is itself" : ", which it holds itself");
		if (t->holder == VD_HELD_GONE)
			vd_append(text, ", held by a thread that this process does not have");
		append_others(text, job, r, t);
		append_absent(text, job, r, t);
		if (t->signal)
			vd_append(text, ", which %s may end", t->signal);
		else if (t->foreign && !t->call_waits && !t->on_gpu)
			vd_append(text, ", which another process may end");
		if (!next || t->holder == VD_HELD_SELF)
			return;
		if (!t->joins)
			vd_append(text, ", held by %s",
				  next == shown         ? "this thread"
				  : next->tid == r->pid ? "its main thread"
							: "another thread");
		if (next == shown)
			return;
		if (next->function || !next->waits_for || next->call_waits)
			append_where(text, next);
		t = next->function ? NULL : next;
	}
}

void vd_append_holding(struct vd_text *text, const struct vd_job *job, const struct vd_rank *r)
{
	const struct vd_thread *found = NULL;

	for (size_t i = r->first_thread; i < r->first_thread + r->n_threads; i++) {
		const struct vd_thread *t = &job->threads[i];
		if (t->call == VD_CALL_NONE && !t->helper && vd_waits_for(job, r, t) && (!found || t->tid == r->pid))
			found = t;
	}
	if (!found)
		return;
	vd_append(text, found->tid == r->pid ? ", whose main thread " : ", of which a thread ");
	vd_append_wait(text, job, r, found, NULL);
}
