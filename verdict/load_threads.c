/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads of a process: their current functions and locations, and the operations they wait for. */
#include "loading.h"
#include "members.h"
#include "partitioned.h"
#include "place.h"
#include "ports.h"
#include "python.h"
#include "stack.h"
#include "waits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool starts(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

static const json_t *recorded_call(const json_t *process, int64_t tid)
{
	const json_t *call;
	size_t i;

	json_array_foreach(json_object_get(process, "recorded_calls"), i,
			   call) if (vd_json_number(call, "thread", -1) == tid) return call;
	return NULL;
}

/*
 * Find the communicator by the handle that the in-target library
 * recorded; otherwise by its id, or by its name, if that is unique.
 */
static const struct vd_view *comm_of(const struct vd_loading *l, const json_t *thread, const json_t *recorded)
{
	const char *name = vd_json_text(thread, "communicator");
	uint64_t handle = vd_json_address(recorded, "comm"), id = vd_json_address(thread, "communicator_id");
	const struct vd_view *found = NULL;
	size_t n = 0;

	for (size_t i = 0; i < l->n_views; i++) {
		const struct vd_view *v = &l->views[i];
		const char *other = vd_json_text(v->json, "name");
		if (handle && vd_json_address(v->json, "handle") == handle)
			return v;
		if (!handle && id && vd_json_address(v->json, "id") == id)
			return v;
		if (name && other && strcmp(name, other) == 0) {
			found = v;
			n++;
		}
	}
	return n == 1 ? found : NULL;
}

/*
 * In MPICH a collective that waits in shared memory is in no queue. No collective waits in a communicator of one
 * process; so if only one of the program's communicators has more members, it is that one. Windows and files have
 * internal communicators.
 */
static const struct vd_view *only_comm(const struct vd_loading *l)
{
	const struct vd_view *found = NULL;
	size_t n = 0;

	for (size_t i = 0; i < l->n_views; i++) {
		const struct vd_view *v = &l->views[i];
		if (v->list->n <= 1 || vd_json_true(v->json, "internal"))
			continue;
		found = v;
		n++;
	}
	return n == 1 && found->list->n == found->list->n_local ? found : NULL;
}

/* Does the function create a window or a file? Then its communicator is its argument. */
static bool makes(const char *function)
{
	return starts(function, "MPI_Win_create") || starts(function, "MPI_Win_allocate") ||
	       starts(function, "MPI_File_open");
}

/*
 * A function that creates an object communicates first in the communicator passed to it, then in one that the
 * library has created and that cannot be told from the program's. So the communicator of the pending operations
 * does not identify the argument, except MPI_COMM_WORLD, or if it is the only one that the thread refers to.
 */
static const struct vd_view *given_comm(const struct vd_loading *l, const json_t *thread, const json_t *recorded)
{
	const struct vd_view *v = comm_of(l, thread, recorded);

	if (v && (vd_json_address(recorded, "comm") || vd_json_true(v->json, "predefined") ||
		  vd_json_true(thread, "communicator_given"))) {
		l->job->comms[v->comm].of_program = true;
		return v;
	}
	return v ? NULL : only_comm(l);
}

/* A rank that makes or frees no window has the program's communicators only, and those of its windows, which are known.
 */
static void find_of_program(const struct vd_loading *l, const json_t *process)
{
	const json_t *thread;
	size_t at;

	json_array_foreach(json_object_get(process, "calls"), at, thread)
	{
		const char *function = vd_json_text(thread, "function");
		if (json_object_get(thread, "function_why") ||
		    (function && (starts(function, "MPI_Win_") || starts(function, "MPI_File_"))))
			return;
	}
	for (size_t i = 0; i < l->n_views; i++)
		if (l->views[i].comm >= 0 && !vd_json_true(l->views[i].json, "internal"))
			l->job->comms[l->views[i].comm].of_program = true;
}

void vd_find_passed(struct vd_job *job)
{
	for (size_t i = 0; i < job->n_threads; i++) {
		struct vd_thread *t = &job->threads[i];
		if (t->comm == VD_UNKNOWN && t->comm_maybe != VD_UNKNOWN && job->comms[t->comm_maybe].of_program)
			t->comm = t->comm_maybe;
	}
}

static int32_t comm_of_call(const struct vd_loading *l, const struct vd_thread *t, const json_t *thread,
			    const json_t *recorded)
{
	const struct vd_view *v;

	if (makes(t->function))
		v = given_comm(l, thread, recorded);
	else if (starts(t->function, "MPI_Win_"))
		return vd_object_of(l, recorded, VD_WINDOW);
	else if (starts(t->function, "MPI_File_"))
		return vd_object_of(l, recorded, VD_FILE);
	else
		v = comm_of(l, thread, recorded);
	if (!v && !vd_json_text(thread, "communicator") && !vd_json_address(thread, "communicator_id") &&
	    !vd_json_address(recorded, "comm"))
		v = only_comm(l);
	return v ? v->comm : VD_UNKNOWN;
}

/* "MPI_INT*2 MPI_CHAR*1"; NULL: not known, or too long */
static const char *signature(struct vd_loading *l, const json_t *recorded)
{
	const json_t *list = json_object_get(recorded, "datatype_signature"), *run;
	char text[2048];
	size_t i, n = 0;

	json_array_foreach(list, i, run)
	{
		const char *type = vd_json_text(run, "type");
		int64_t count = vd_json_number(run, "n", 0);
		if (!type || strpbrk(type, "* ") || count <= 0)
			return NULL;
		int m = snprintf(text + n, sizeof(text) - n, "%s%s*%lld", n ? " " : "", type, (long long)count);
		if (m < 0 || (size_t)m >= sizeof(text) - n)
			return NULL;
		n += (size_t)m;
	}
	return n ? vd_string(l->job, text) : NULL;
}

/* User-defined operations have no names, or names that are not unique. */
static const char *operation(struct vd_loading *l, const json_t *recorded)
{
	const char *name = vd_json_text(recorded, "op_name");

	return name && starts(name, "MPI_") ? vd_string(l->job, name) : NULL;
}

/* The type of the lock that MPI_Win_lock waits for; the ranks that must post for MPI_Win_start. */
static void load_epoch(struct vd_loading *l, struct vd_thread *t, const json_t *recorded)
{
	const char *lock = vd_json_text(recorded, "lock");
	const json_t *members = json_object_get(recorded, "members");
	size_t n = vd_members_count(members);

	t->lock = !lock ? 0 : strcmp(lock, "shared") == 0 ? 1 : strcmp(lock, "exclusive") == 0 ? 2 : 0;
	if (!n || vd_json_number(recorded, "members_missing", 0) > 0 ||
	    vd_json_number(recorded, "members_more", 0) > 0 || !vd_may_load_members(l, n, json_array_size(members)))
		return;
	t->targets = calloc(n, sizeof(*t->targets));
	if (t->targets)
		t->n_targets = (int32_t)vd_load_members(l, members, t->targets);
}

/*
 * What MPI_Intercomm_create and MPI_Comm_accept wait for besides the members of their communicator. Unless the call is
 * recorded, its communicator is unknown, too: the library communicates in several.
 */
static void load_connection(struct vd_loading *l, struct vd_thread *t, const json_t *recorded)
{
	const char *function = vd_json_text(recorded, "function"), *port = vd_json_text(recorded, "port");
	uint64_t peers = vd_json_address(recorded, "peer_comm");

	if (!function || strcmp(function, t->function) != 0 || !vd_json_address(recorded, "comm"))
		t->comm = VD_UNKNOWN;
	if (t->comm == VD_UNKNOWN || t->root != (int32_t)l->rank)
		return;
	for (size_t i = 0; peers && i < l->n_views; i++) {
		const struct vd_view *v = &l->views[i];
		if (vd_json_address(v->json, "handle") != peers)
			continue;
		t->peers = v->comm;
		t->leader = vd_peer_at(v, vd_json_number(recorded, "remote_leader", -1));
	}
	t->tag = vd_json_number(recorded, "tag", -1);
	t->port = vd_string(l->job, port);
	vd_port_add(l->job, t, (int32_t)l->rank);
}

static void load_collective(struct vd_loading *l, struct vd_thread *t, const json_t *thread, const json_t *recorded)
{
	int64_t root = vd_json_number(recorded, "root", -1), target = vd_json_number(recorded, "peer", -1);

	t->comm = comm_of_call(l, t, thread, recorded);
	const struct vd_view *maybe = makes(t->function) && starts(t->function, "MPI_Win_")
					      ? comm_of(l, thread, recorded)
					      : NULL;
	t->comm_maybe = maybe ? maybe->comm : VD_UNKNOWN;
	const struct vd_comm *c = t->comm == VD_UNKNOWN ? NULL : &l->job->comms[t->comm];
	if (c && !c->inter && root >= 0 && root < c->n)
		t->root = c->members[root];
	t->count = vd_json_number(recorded, "count", -1);
	t->datatype = vd_string(l->job, vd_json_text(recorded, "datatype_name"));
	t->signature = signature(l, recorded);
	t->operation = operation(l, recorded);
	t->ordinal = vd_json_number(recorded, "collectives_begun", -1);
	if (vd_connects(t->function))
		load_connection(l, t, recorded);
	if (t->call != VD_CALL_WINDOW)
		return;
	load_epoch(l, t, recorded);
	if (strstr(t->function, "_all"))
		t->target = VD_ANY;
	else if (c && target >= 0 && target < c->n)
		t->target = c->members[target];
}

/* Does the thread wait for internal operations of its collective? */
static bool has_own_ops(const struct vd_thread *t)
{
	return t->call == VD_CALL_NEIGHBORS || (t->call == VD_CALL_COLLECTIVE && !starts(t->function, "MPI_Win_") &&
						!starts(t->function, "MPI_File_") && !vd_connects(t->function));
}

/* The state of a thread; NULL: none. They are in the order of the
 * calls, most often: begin behind the last one that was found. */
static const json_t *state_of(struct vd_loading *l, const json_t *process, int64_t tid)
{
	const json_t *states = json_object_get(process, "threads");
	size_t n = json_array_size(states);

	for (size_t i = 0; i < n; i++) {
		size_t at = (l->next_state + i) % n;
		const json_t *state = json_array_get(states, at);
		if (vd_json_number(state, "thread", -1) == tid) {
			l->next_state = at + 1;
			return state;
		}
	}
	return NULL;
}

/* What the thread did just before its process was stopped, and what it waits for. */
static void load_doing(struct vd_loading *l, struct vd_thread *t, const json_t *process)
{
	static const char *const texts[] = { "", "runs", "waits", "sleeps" };
	const json_t *state = state_of(l, process, t->tid);
	struct vd_job *job = l->job;

	if (state) {
		const char *does = vd_json_text(state, "does");
		for (uint8_t k = VD_RUNS; does && k <= VD_SLEEPS; k++)
			if (strcmp(does, texts[k]) == 0)
				t->doing = k;
		t->ends_ms = vd_json_number(state, "ends_in_ms", -1);
		const char *call = vd_json_text(state, "system_call");
		t->in_futex = call && strcmp(call, "futex") == 0;
		const char *file = vd_json_text(state, "file"), *letter = vd_json_text(state, "state");
		const char *kernel = vd_json_text(state, "kernel_function");
		char held[512];
		bool waits = letter && strcmp(letter, "waiting") == 0;
		if (waits)
			snprintf(held, sizeof(held), "%s%s%.300s%s%s", call ? call : "", call && file ? " of " : "",
				 call && file ? file : "", call && kernel ? "; the kernel is in " : "",
				 call && kernel ? kernel : "");
		t->held = waits ? vd_string(job, held) : NULL;
		t->returns_to = vd_json_address(state, "returns_to");
		for (size_t k = 0; k < VD_N_SENDS_AT; k++)
			t->sends_at[k] = vd_address(
				json_string_value(json_array_get(json_object_get(state, "sends_at"), k)));
		vd_load_wait(job, t, json_object_get(state, "waits_for"));
	}
}

static void load_error(struct vd_job *job, struct vd_thread *t, const json_t *error)
{
	t->error = vd_string(job, vd_json_text(error, "class"));
	t->failed = t->error ? vd_string(job, vd_json_text(error, "function")) : NULL;
	t->failed_place = vd_string(job, vd_json_text(error, "caller_place"));
	t->failed_ns = vd_json_number(error, "nanoseconds", -1);
}

/* The names of the functions on a stack, a line each. */
static const char *functions_on(struct vd_job *job, const json_t *backtrace)
{
	enum { OF_FRAME = 128, FRAMES = 16 };
	char text[FRAMES * (OF_FRAME + 1) + 1];
	const json_t *frame;
	size_t i, n = 0;

	text[0] = '\0';
	json_array_foreach(backtrace, i, frame)
	{
		const struct vd_place p = vd_place_of(json_string_value(frame));
		if (p.n_function > 0 && p.n_function <= OF_FRAME && n + OF_FRAME + 2 < sizeof(text))
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%.*s\n", p.n_function, p.function);
	}
	return vd_string(job, text);
}

static void load_thread(struct vd_loading *l, const json_t *process, const json_t *thread)
{
	int64_t tid = vd_json_number(thread, "thread", -1), n_calls;
	const char *function = vd_json_text(thread, "function");
	const json_t *recorded = recorded_call(process, tid), *backtrace = json_object_get(thread, "backtrace");
	struct vd_thread *t = vd_add_thread(l->job);
	char inner[256];

	if (!t)
		return;
	t->tid = tid;
	load_doing(l, t, process);
	char call[VD_PYTHON_CALL_BYTES], what[VD_PYTHON_CALL_BYTES + 32];
	if (t->waits_for && !strcmp(t->waits_for, VD_PYTHON_LOCK) &&
	    vd_python_call(json_object_get(thread, "python"), call)) {
		snprintf(what, sizeof(what), VD_PYTHON_LOCK " in %s", call);
		t->waits_for = vd_string(l->job, what);
	}
	t->waits_for_own = !function && vd_stack_waits_for_own(backtrace);
	t->function = vd_string(l->job, function);
	t->call = (uint8_t)vd_call_of(function);
	t->helper = !function && tid != vd_json_number(process, "pid", -1) && vd_stack_is_helper(backtrace);
	t->progress = t->helper && vd_stack_is_progress(backtrace);
	const char *place = vd_stack_place(backtrace, json_object_get(thread, "python"),
					   json_object_get(process, "sources"), function != NULL);
	if (place && starts(place, "?? in ") && strstr(place, "+0x"))
		place += strlen("?? in ");
	t->place = vd_string(l->job, place ? place : vd_json_text(recorded, "caller_place"));
	vd_load_source(l->job, t, process, thread);
	if (t->call == VD_CALL_POLL)
		t->callers = functions_on(l->job, backtrace);
	const char *first = json_string_value(json_array_get(backtrace, 0));
	if (first) {
		snprintf(inner, sizeof(inner), "%.*s", vd_place_of(first).n_function, first);
		t->inner = vd_string(l->job, inner);
	}
	if (t->call == VD_CALL_COLLECTIVE || t->call == VD_CALL_NEIGHBORS || t->call == VD_CALL_WINDOW)
		load_collective(l, t, thread, recorded);
	if (t->call == VD_CALL_ALL || t->call == VD_CALL_SOME)
		vd_load_waits(l, process, thread, t, recorded);
	else if (has_own_ops(t))
		vd_load_awaits(l, process, t);
	else if (t->call == VD_CALL_POLL)
		vd_load_polled(l, process, thread, t, recorded, comm_of(l, thread, recorded));
	else
		vd_load_leaders(l, process, t);
	t->waits_for_more |= vd_call_of(function) == VD_CALL_OTHER ||
			     (vd_connects(function) && t->comm == VD_UNKNOWN && !t->n_awaits) ||
			     json_object_get(thread, "function_why") ||
			     ((t->call == VD_CALL_ALL || t->call == VD_CALL_SOME) && !t->n_awaits);
	if (!t->n_awaits && t->call == VD_CALL_ALL)
		vd_load_probe(l, t);
	bool starts_nothing = (t->call == VD_CALL_ALL || t->call == VD_CALL_SOME) &&
			      !starts(t->function, "MPI_Sendrecv");
	t->settled = vd_stack_waits(backtrace, starts_nothing);
	if (function && vd_json_text(recorded, "function") && !strcmp(function, vd_json_text(recorded, "function")))
		t->partitioned = vd_partitioned_of(l, recorded) + 1;
	load_error(l->job, t, json_object_get(recorded, "last_error"));
	if (function)
		l->print = vd_hash(l->print, function, strlen(function) + 1);
	n_calls = vd_json_number(recorded, "n_calls", -1);
	if (t->call != VD_CALL_POLL) /* each poll is a call, and no progress */
		l->print = vd_hash(l->print, &n_calls, sizeof(n_calls));
}

void vd_load_threads(struct vd_loading *l, const json_t *process)
{
	const json_t *thread;
	size_t i;

	json_array_foreach(json_object_get(process, "calls"), i, thread) load_thread(l, process, thread);
	if (i)
		find_of_program(l, process);
}
