/* SPDX-License-Identifier: BSD-3-Clause */
#include "children.h"

#include "loading.h"
#include "place.h"
#include "python.h"
#include "stack.h"
#include "values.h"
#include "waits.h"

#include "../access/grow.h"

#include <string.h>

enum { CHILDREN_MAX = 64, SHOWN = 4 };

/* The element of a list whose thread is the first one of the process, or else the only one there is. */
static const json_t *of_first_thread(const json_t *list, int64_t pid)
{
	const json_t *x;
	size_t i;

	json_array_foreach(list, i, x)
	{
		if (vd_json_number(x, "thread", -1) == pid)
			return x;
	}
	return json_array_get(list, 0);
}

/* Remove the first @p n bytes at @p at from a text, and write others there, which are not longer. */
static void replace(char *at, size_t n, const char *by)
{
	size_t n_by = strlen(by) < n ? strlen(by) : n;

	memcpy(at, by, n_by);
	memmove(at + n_by, at + n, strlen(at + n) + 1);
}

/* The words of a wait, without the address of a lock: "process 4711 (python3)" is the rank, if that is its id. */
static void word_wait(const json_t *wait, const json_t *call, int64_t rank_pid, char ret[VD_CHILD_WAIT_BYTES])
{
	const char *text = vd_json_text(wait, "text"), *what = vd_json_text(wait, "what");
	char name[40], function[VD_PYTHON_CALL_BYTES];

	snprintf(ret, VD_CHILD_WAIT_BYTES, "%s", text ? text : "");
	if (what && !strcmp(what, VD_PYTHON_LOCK) && vd_python_call(json_object_get(call, "python"), function))
		snprintf(ret, VD_CHILD_WAIT_BYTES, "waits for " VD_PYTHON_LOCK " in %s", function);
	char *at = strstr(ret, " at 0x");
	if (at)
		replace(at, strlen(" at 0x") + strspn(at + strlen(" at 0x"), "0123456789abcdef"), "");
	snprintf(name, sizeof(name), " process %lld", (long long)rank_pid);
	at = strstr(ret, name);
	size_t n = strlen(name);
	if (!at || (at[n] >= '0' && at[n] <= '9'))
		return;
	if (at[n] == ' ' && at[n + 1] == '(')
		n += strcspn(at + n, ")") + (strchr(at + n, ')') != NULL);
	replace(at, n, " its rank");
}

static void load_child(struct vd_job *job, const struct vd_rank *r, const json_t *child)
{
	int64_t pid = vd_json_number(child, "pid", -1);
	const json_t *calls = json_object_get(child, "calls"), *call = of_first_thread(calls, pid);
	const json_t *thread = of_first_thread(json_object_get(child, "threads"), pid);
	const char *place = vd_stack_place(json_object_get(call, "backtrace"), json_object_get(call, "python"),
					   json_object_get(child, "sources"), vd_json_text(call, "function"));

	char waits[VD_CHILD_WAIT_BYTES];

	word_wait(json_object_get(thread, "waits_for"), call, r->pid, waits);
	if (place && strncmp(place, "?? in ", strlen("?? in ")) == 0)
		place += strlen("?? in ");
	if (!ACC_GROW(job->children, job->n_children)) {
		job->no_memory = true;
		return;
	}
	job->children[job->n_children++] = (struct vd_child){
		.pid = pid,
		.name = vd_string(job, vd_json_text(child, "name")),
		.place = vd_string(job, place),
		.waits = vd_string(job, *waits ? waits : NULL),
		.state = vd_string(job, vd_json_text(child, "state")),
		.why = vd_string(job, vd_json_text(child, "why")),
		.n_threads = json_array_size(calls),
	};
}

void vd_load_children(struct vd_job *job, struct vd_rank *r, const json_t *process)
{
	const json_t *child;
	size_t i;

	r->first_child = job->n_children;
	json_array_foreach(json_object_get(process, "children"), i, child)
	{
		if (i < CHILDREN_MAX)
			load_child(job, r, child);
	}
	int64_t left = vd_json_number(process, "children_left_out", 0);
	r->n_children = job->n_children - r->first_child;
	r->n_children_left = left > 0 && left < INT32_MAX ? left : 0;
}

void vd_append_child(struct vd_text *t, const struct vd_child *c)
{
	vd_append(t, "process %lld%s%s%s", (long long)c->pid, c->name ? " (" : "", c->name ? c->name : "",
		  c->name ? ")" : "");
	if (c->why) {
		vd_append(t, ": %s", c->why);
		return;
	}
	vd_append_at(t, " ", c->place);
	if (c->waits)
		vd_append(t, ", %s", c->waits);
	else if (c->state)
		vd_append(t, ", %s", c->state);
	if (c->n_threads > 1)
		vd_append(t, "; it has %zu threads", c->n_threads);
}

void vd_children_print(const struct vd_job *job, int32_t rank, bool several, int indent, FILE *out)
{
	const struct vd_rank *r = &job->ranks[rank];
	size_t n = job->every_line || r->n_children <= SHOWN ? r->n_children : SHOWN;

	for (size_t i = 0; i < n; i++) {
		struct vd_text t = { .n = 0 };
		if (several)
			vd_append(&t, "child of rank %d: ", r->rank);
		else
			vd_append(&t, "its child: ");
		vd_append_child(&t, &job->children[r->first_child + i]);
		fprintf(out, "%*s", indent, "");
		vd_print(out, t.bytes);
		putc('\n', out);
	}
	size_t more = r->n_children - n + (size_t)r->n_children_left;
	if (more)
		fprintf(out, "%*sand %zu more\n", indent, "", more);
}

json_t *vd_children_json(const struct vd_job *job, int32_t rank)
{
	const struct vd_rank *r = &job->ranks[rank];
	json_t *list = r->n_children ? json_array() : NULL;

	for (size_t i = 0; i < r->n_children; i++) {
		const struct vd_child *c = &job->children[r->first_child + i];
		json_t *o = json_pack("{s:I}", "pid", (json_int_t)c->pid);
		if (c->name)
			json_object_set_new(o, "name", vd_text_json(c->name));
		if (c->place)
			json_object_set_new(o, "place", vd_text_json(c->place));
		if (c->waits)
			json_object_set_new(o, "waits", vd_text_json(c->waits));
		json_array_append_new(list, o);
	}
	return list;
}
