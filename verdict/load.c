/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From the JSON of a process to what is judged. What has another type than docs/json.md says counts as not there.
 */
#include "job.h"
#include "members.h"

#include <stdlib.h>
#include <string.h>

static const char *text_of(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

static int64_t number_of(const json_t *object, const char *key, int64_t otherwise)
{
	const json_t *v = json_object_get(object, key);

	return json_is_integer(v) ? json_integer_value(v) : otherwise;
}

static bool is_true(const json_t *object, const char *key)
{
	return json_is_true(json_object_get(object, key));
}

/* "0x55d0c8a012a0" */
static uint64_t address_of(const json_t *object, const char *key)
{
	const char *text = text_of(object, key);

	return text ? strtoull(text, NULL, 16) : 0;
}

/* ---- who ----------------------------------------------------------------------------------------------- */

static void world_key(char ret[64], char kind, int64_t world, int64_t rank)
{
	snprintf(ret, 64, "%c%lld.%lld", kind, (long long)world, (long long)rank);
}

bool vd_load_rank(struct vd_job *job, const json_t *process)
{
	int64_t rank = number_of(process, "rank", -1), world = number_of(process, "world_number", 0);
	int64_t mpi_job = number_of(json_object_get(process, "world"), "job", -1);
	char key[64];

	if (!json_is_object(process) || rank < 0 || rank > INT32_MAX || world < 0 || world > INT32_MAX ||
	    job->n_ranks >= INT32_MAX)
		return false;
	world_key(key, 'w', world, rank);
	if (vd_name(&job->rank_names, key, VD_UNKNOWN) != VD_UNKNOWN)
		return false;
	int32_t i = (int32_t)job->n_ranks;
	struct vd_rank *r = vd_add_rank(job);
	if (!r)
		return false;
	vd_name(&job->rank_names, key, i);
	if (mpi_job >= 0) {
		world_key(key, 'j', mpi_job, rank);
		vd_name(&job->rank_names, key, i);
	}
	world_key(key, 'n', world, 0);
	r->first = vd_name(&job->rank_names, key, i);
	if (r->first == VD_UNKNOWN)
		return false;
	job->ranks[r->first].n_there++;
	r->world = (int32_t)world;
	r->rank = (int32_t)rank;
	r->mpi_job = mpi_job;
	if (job->n_worlds <= r->world)
		job->n_worlds = r->world + 1;
	return true;
}

/* A member of another world, {"job": J, "rank": R}, or null. */
static int32_t member(struct vd_job *job, const json_t *m)
{
	char key[64];

	if (json_is_integer(json_object_get(m, "job")))
		world_key(key, 'j', number_of(m, "job", -1), number_of(m, "rank", -1));
	else if (json_is_integer(json_object_get(m, "world")))
		world_key(key, 'w', number_of(m, "world", 0) - 1, number_of(m, "rank", -1));
	else
		return VD_UNKNOWN;
	return vd_name(&job->rank_names, key, VD_UNKNOWN);
}

/* ---- communicators --------------------------------------------------------------------------------------- */

/* A communicator as the process that is loaded sees it. */
struct view {
	const json_t *json;
	int32_t comm;
	const struct vd_list *list; /* its members; &nobody: no memory */
	bool is_ours;               /* the list is kept by nobody else */
};

static const struct vd_list nobody = { NULL, 0, 0, 0, 0 };

struct loading {
	struct vd_job *job;
	size_t rank;    /* index */
	size_t n_ranks; /* that the job has in the end */
	struct view *views;
	size_t n_views;
	uint64_t print; /* fingerprint */
};

/*
 * What tells a communicator from others over all its members: the MPI library's context number and the groups. Where the
 * number is not known it is the name, and which it is in the process of those with this name and these groups: they are
 * made by all members in one order.
 */
static void comm_key(const struct loading *l, const struct view *v, size_t n_before, char ret[256])
{
	uint64_t local = v->list->local, remote = v->list->remote;
	const json_t *context = json_object_get(v->json, "context");
	const char *name = text_of(v->json, "name");

	(void)l;
	if (v->list->n > v->list->n_local && remote < local) {
		uint64_t swap = local;
		local = remote;
		remote = swap;
	}
	if (json_is_integer(context))
		snprintf(ret, 256, "c%lld %llx %llx", (long long)json_integer_value(context), (unsigned long long)local,
			 (unsigned long long)remote);
	else
		snprintf(ret, 256, "n%.128s %llx %llx %zu", name ? name : "", (unsigned long long)local,
			 (unsigned long long)remote, n_before);
}

static size_t like_it(const struct loading *l, const struct view *v)
{
	const char *name = text_of(v->json, "name");
	size_t n = 0;

	for (const struct view *w = l->views; w < v; w++) {
		const char *other = text_of(w->json, "name");
		n += !strcmp(name ? name : "", other ? other : "") &&
		     (w->list == v->list ||
		      (w->list->n == v->list->n &&
		       !memcmp(w->list->members, v->list->members, v->list->n * sizeof(*v->list->members))));
	}
	return n;
}

/* A rank of the process's own world. */
static int32_t own_rank(const struct loading *l, const struct vd_rank *own, int64_t rank)
{
	struct vd_job *job = l->job;
	char key[64];

	/* one world, all of it there, in order: no name is looked for */
	if (rank >= 0 && (uint64_t)rank < l->n_ranks && job->ranks[rank].rank == rank &&
	    job->ranks[rank].world == own->world)
		return (int32_t)rank;
	world_key(key, 'w', own->world, rank);
	return vd_name(&job->rank_names, key, VD_UNKNOWN);
}

/* @return how many there are in @p ret now */
static size_t load_members(struct loading *l, const json_t *group, int32_t *ret)
{
	const struct vd_rank *own = &l->job->ranks[l->rank];
	const json_t *m;
	size_t i, n = 0;
	int64_t first, last;

	json_array_foreach(group, i, m)
	{
		if (vd_members_range(m, &first, &last))
			for (; first <= last; first++)
				ret[n++] = own_rank(l, own, first);
		else if (json_is_integer(m))
			ret[n++] = own_rank(l, own, json_integer_value(m));
		else
			ret[n++] = member(l->job, m);
	}
	return n;
}

/* The groups as they are written, of the rank's world, when that is short: what they are kept by. NULL: it is not. */
static char *written(const struct loading *l, const json_t *const groups[2])
{
	enum { FEW = 32, TEXT_BYTES = 4096 };
	char *text[2] = { NULL, NULL }, *ret = NULL;

	if (json_array_size(groups[0]) + json_array_size(groups[1]) > FEW)
		return NULL;
	for (int i = 0; i < 2; i++)
		text[i] = groups[i] ? json_dumps(groups[i], JSON_COMPACT | JSON_SORT_KEYS) : NULL;
	size_t n = 32 + (text[0] ? strlen(text[0]) : 0) + (text[1] ? strlen(text[1]) : 0);
	ret = n < TEXT_BYTES ? malloc(n) : NULL;
	if (ret)
		snprintf(ret, n, "%d %s %s", l->job->ranks[l->rank].world, text[0] ? text[0] : "",
			 text[1] ? text[1] : "");
	free(text[0]);
	free(text[1]);
	return ret;
}

/* Its members, which another process may have had already. */
static void load_list(struct loading *l, struct view *v)
{
	const json_t *groups[2] = { json_object_get(v->json, "members"), json_object_get(v->json, "remote_members") };
	size_t n_local = vd_members_count(groups[0]), n = n_local + vd_members_count(groups[1]);
	char *text = written(l, groups);
	int32_t *members;

	v->list = text ? vd_list_find(l->job->lists, text) : NULL;
	if (!v->list && n <= INT32_MAX) {
		members = calloc(n + 1, sizeof(*members));
		if (members && n_local)
			load_members(l, groups[0], members);
		if (members && n > n_local)
			load_members(l, groups[1], members + n_local);
		v->list = vd_list_add(&l->job->lists, text, members, n, n_local);
		v->is_ours = !text;
	}
	free(text);
	if (v->list)
		return;
	v->list = &nobody;
	v->is_ours = false;
}

static void load_view(struct loading *l, struct view *v)
{
	struct vd_job *job = l->job;
	char key[256];

	v->comm = VD_UNKNOWN;
	load_list(l, v);
	if (v->list == &nobody)
		return;
	comm_key(l, v, like_it(l, v), key);
	v->comm = vd_name(&job->comm_names, key, VD_UNKNOWN);
	if (v->comm != VD_UNKNOWN)
		return;
	struct vd_comm *c = vd_add_comm(job);
	int32_t *members = malloc((v->list->n + 1) * sizeof(*members));
	if (!c || !members) {
		job->n_comms -= c != NULL;
		free(members);
		return;
	}
	memcpy(members, v->list->members, v->list->n * sizeof(*members));
	c->members = members;
	c->n = (int32_t)v->list->n;
	c->n_local = (int32_t)v->list->n_local;
	c->inter = v->list->n > v->list->n_local;
	const char *name = text_of(v->json, "name");
	c->name = vd_string(job, name && *name ? name : "a communicator without name");
	v->comm = vd_name(&job->comm_names, key, (int32_t)job->n_comms - 1);
}

/* ---- operations -------------------------------------------------------------------------------------------- */

static int32_t peer_of(const struct view *v, const json_t *op)
{
	const json_t *peer = json_object_get(op, "peer");
	const char *why = text_of(op, "peer_why");
	const struct vd_list *list = v->list;
	size_t first = list->n > list->n_local ? list->n_local : 0;

	if (json_is_integer(peer)) {
		int64_t i = json_integer_value(peer);
		return i >= 0 && (uint64_t)i < list->n - first ? list->members[first + (size_t)i] : VD_UNKNOWN;
	}
	return why && strcmp(why, "any") == 0 ? VD_ANY : VD_UNKNOWN;
}

static void load_op(struct loading *l, const struct view *v, const json_t *json, enum vd_op_kind kind)
{
	const char *status = text_of(json, "status"), *what = text_of(json, "kind"), *why = text_of(json, "tag_why");
	const json_t *tag = json_object_get(json, "tag");
	struct vd_op *op = vd_add_op(l->job);

	if (!op)
		return;
	op->id = address_of(json, "id");
	op->kind = (uint8_t)(what && (!strcmp(what, "probe") || !strcmp(what, "mprobe")) ? VD_PROBE : kind);
	op->comm = v->comm;
	op->peer = kind == VD_COLLECTIVE ? VD_UNKNOWN : peer_of(v, json);
	op->tag = json_is_integer(tag) ? json_integer_value(tag) : VD_ANY_TAG;
	if (!json_is_integer(tag) && !(why && strcmp(why, "any") == 0) && kind != VD_COLLECTIVE)
		op->peer = VD_UNKNOWN; /* what it matches cannot be told */
	op->sequence = number_of(json, "sequence", -1);
	op->internal = is_true(json, "internal");
	op->matched = kind != VD_MESSAGE && status && strcmp(status, "pending") != 0;
	op->inactive = json_is_false(json_object_get(json, "active")) || is_true(json, "cancelled");

	uint64_t facts[6] = {
		op->id,   (uint64_t)op->sequence, (uint64_t)op->tag,
		op->kind, (uint64_t)op->peer,     status ? vd_hash(VD_HASH_SEED, status, strlen(status)) : 0
	};
	l->print = vd_hash(l->print, facts, sizeof(facts));
}

static void load_ops(struct loading *l)
{
	static const struct {
		const char *key;
		enum vd_op_kind kind;
	} lists[] = { { "pending_sends", VD_SEND },
		      { "pending_receives", VD_RECEIVE },
		      { "unexpected", VD_MESSAGE },
		      { "collectives", VD_COLLECTIVE } };
	struct vd_rank *r = &l->job->ranks[l->rank];

	r->first_op = l->job->n_ops;
	r->n_ops = 0;
	for (size_t i = 0; i < l->n_views; i++) {
		for (size_t k = 0; k < sizeof(lists) / sizeof(lists[0]); k++) {
			const json_t *list = json_object_get(l->views[i].json, lists[k].key), *op;
			size_t at;
			if (!json_is_array(list) && lists[k].kind == VD_MESSAGE)
				r->no_unexpected = true;
			else if (!json_is_array(list) && lists[k].kind != VD_COLLECTIVE)
				r->no_operations = true;
			json_array_foreach(list, at, op) load_op(l, &l->views[i], op, lists[k].kind);
			r = &l->job->ranks[l->rank];
		}
	}
}

/* ---- threads ------------------------------------------------------------------------------------------------- */

static bool starts(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

static bool is_mpi_frame(const char *frame)
{
	return starts(frame, "MPI_") || starts(frame, "PMPI_") || starts(frame, "mpi_") || starts(frame, "pmpi_") ||
	       starts(frame, "ompi_") || starts(frame, "wrap_M2D_") || starts(frame, "MPI::") ||
	       starts(frame, "?? in libmpi") || starts(frame, "?? in libpmpi") || starts(frame, "?? in mca_");
}

/* "solve at solve.py:12": what called a library that called MPI. NULL: nothing of Python, or not before the program's own code. */
static const char *python_frame(const json_t *backtrace, size_t from)
{
	for (size_t i = from; i < json_array_size(backtrace); i++) {
		const char *frame = json_string_value(json_array_get(backtrace, i)),
			   *at = frame ? strstr(frame, " at ") : NULL;
		if (at && !starts(frame, "?? "))
			return strstr(at, ".py:") ? frame : NULL;
	}
	return NULL;
}

/*
 * The frame that called MPI; of a thread in no MPI function the innermost of the program itself: with a source line, or
 * else what main has called.
 */
static const char *place_of(const json_t *backtrace, bool in_mpi)
{
	size_t n = json_array_size(backtrace);
	const char *below = NULL;

	for (size_t i = n; in_mpi && i-- > 0;) {
		const char *frame = json_string_value(json_array_get(backtrace, i));
		if (frame && is_mpi_frame(frame)) {
			const char *python = python_frame(backtrace, i + 1);
			return python ? python : json_string_value(json_array_get(backtrace, i + 1));
		}
	}
	for (size_t i = 0; !in_mpi && i < n; i++) {
		const char *frame = json_string_value(json_array_get(backtrace, i));
		if (frame && strstr(frame, " at "))
			return frame;
	}
	for (size_t i = 0; !in_mpi && i < n; i++) {
		const char *frame = json_string_value(json_array_get(backtrace, i));
		if (frame && strcmp(frame, "main") == 0)
			return below ? below : frame;
		below = frame;
	}
	return NULL;
}

/* Where a thread begins, and where it waits: the C library's, which may have lines as the program has. */
static bool is_libc_frame(const char *frame)
{
	static const char *const names[] = { "start_thread",  "clone",           "epoll_wait", "epoll_pwait",
					     "poll",          "select",          "read",       "futex_",
					     "pthread_cond_", "clock_nanosleep", "?? at " };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (starts(frame, names[i]))
			return true;
	return starts(frame, "__");
}

/* A thread that some library has made for itself: no function of the program is on its stack. */
static bool is_helper(const json_t *backtrace)
{
	const json_t *frame;
	size_t i, n_libraries = 0;

	json_array_foreach(backtrace, i, frame)
	{
		const char *text = json_string_value(frame);
		if (!text || strcmp(text, "main") == 0 || (strstr(text, " at ") && !is_libc_frame(text)))
			return false;
		n_libraries += starts(text, "?? in lib") || starts(text, "opal_") || starts(text, "event_base_loop") ||
			       starts(text, "ucs_") || starts(text, "ofi_") || starts(text, "fi_");
	}
	return n_libraries > 0;
}

static const json_t *recorded_call(const json_t *process, int64_t tid)
{
	const json_t *call;
	size_t i;

	json_array_foreach(json_object_get(process, "recorded_calls"), i,
			   call) if (number_of(call, "thread", -1) == tid) return call;
	return NULL;
}

/* By the handle that the in-target library has recorded, else by the name, when one communicator alone has it. */
static const struct view *comm_of(const struct loading *l, const json_t *thread, const json_t *recorded)
{
	const char *name = text_of(thread, "communicator");
	uint64_t handle = address_of(recorded, "comm");
	const struct view *found = NULL;
	size_t n = 0;

	for (size_t i = 0; i < l->n_views; i++) {
		const struct view *v = &l->views[i];
		const char *other = text_of(v->json, "name");
		if (handle && address_of(v->json, "handle") == handle)
			return v;
		if (name && other && strcmp(name, other) == 0) {
			found = v;
			n++;
		}
	}
	return n == 1 ? found : NULL;
}

/*
 * What MPICH waits for in a collective through shared memory stands in no queue. A collective is not waited for in a
 * communicator of one; when one alone of the program's has more members, it is that. Windows and files have a communicator of
 * their own, which is the library's.
 */
static const struct view *only_comm(const struct loading *l)
{
	const struct view *found = NULL;
	size_t n = 0;

	for (size_t i = 0; i < l->n_views; i++) {
		const struct view *v = &l->views[i];
		if (v->list->n <= 1 || is_true(v->json, "internal"))
			continue;
		found = v;
		n++;
	}
	return n == 1 && found->list->n == found->list->n_local ? found : NULL;
}

static bool waits_in(const json_t *json, int64_t tid)
{
	return number_of(json, "thread", -1) == tid;
}

/* Operations whose member "thread" says that the thread waits for them; of a collective the library's own. */
static void load_awaits(struct loading *l, const struct vd_thread *t, int64_t tid)
{
	static const char *const keys[] = { "pending_sends", "pending_receives", "unexpected", "collectives" };
	size_t at = l->job->ranks[l->rank].first_op;
	int32_t comm = t->comm;
	bool collective = t->call == VD_CALL_COLLECTIVE;

	for (size_t i = 0; i < l->n_views; i++) {
		for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++) {
			const json_t *op;
			size_t j;
			json_array_foreach(json_object_get(l->views[i].json, keys[k]), j, op)
			{
				const struct vd_op *o = &l->job->ops[at];
				bool own = collective && o->internal && o->comm == comm && comm != VD_UNKNOWN &&
					   !o->inactive && !o->matched && o->kind != VD_MESSAGE;
				if (at < l->job->n_ops && (own || (waits_in(op, tid) && o->kind != VD_COLLECTIVE) ||
							   (waits_in(op, tid) && !collective)))
					vd_add_await(l->job, (int32_t)at);
				at++;
			}
		}
	}
}

/* The requests of the array that the in-target library knows: "request_handles". */
static void load_requests(struct loading *l, const json_t *recorded)
{
	static const char *const keys[] = { "pending_sends", "pending_receives", "unexpected", "collectives" };
	const json_t *handles = json_object_get(recorded, "request_handles");
	size_t at = l->job->ranks[l->rank].first_op;

	for (size_t i = 0; json_is_array(handles) && i < l->n_views; i++) {
		for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++) {
			const json_t *op, *handle;
			size_t j, n;
			json_array_foreach(json_object_get(l->views[i].json, keys[k]), j, op)
			{
				const char *request = text_of(op, "request");
				json_array_foreach(handles, n,
						   handle) if (request && json_string_value(handle) &&
							       strcmp(request, json_string_value(handle)) == 0)
				{
					vd_add_await(l->job, (int32_t)at);
					break;
				}
				at++;
			}
		}
	}
}

static void load_collective(struct loading *l, struct vd_thread *t, const json_t *thread, const json_t *recorded)
{
	const struct view *v = comm_of(l, thread, recorded);
	if (!v && !text_of(thread, "communicator") && !address_of(recorded, "comm") &&
	    !starts(t->function, "MPI_Win_") && !starts(t->function, "MPI_File_"))
		v = only_comm(l);
	int64_t root = number_of(recorded, "root", -1);

	t->comm = v ? v->comm : VD_UNKNOWN;
	if (v && v->list->n == v->list->n_local && root >= 0 && (uint64_t)root < v->list->n)
		t->root = v->list->members[root];
	t->count = number_of(recorded, "count", -1);
	t->datatype = vd_string(l->job, text_of(recorded, "datatype_name"));
}

static void load_thread(struct loading *l, const json_t *process, const json_t *thread)
{
	int64_t tid = number_of(thread, "thread", -1), n_calls;
	const char *function = text_of(thread, "function");
	const json_t *recorded = recorded_call(process, tid), *backtrace = json_object_get(thread, "backtrace");
	struct vd_thread *t = vd_add_thread(l->job);
	char inner[256];

	if (!t)
		return;
	t->function = vd_string(l->job, function);
	t->call = (uint8_t)vd_call_of(function);
	t->helper = !function && tid != number_of(process, "pid", -1) && is_helper(backtrace);
	const char *place = place_of(backtrace, function != NULL);
	t->place = vd_string(l->job, place ? place : text_of(recorded, "caller_place"));
	const char *first = json_string_value(json_array_get(backtrace, 0));
	if (first) {
		const char *at = strstr(first, " at ");
		snprintf(inner, sizeof(inner), "%.*s", at ? (int)(at - first) : (int)strlen(first), first);
		t->inner = vd_string(l->job, inner);
	}
	if (t->call == VD_CALL_COLLECTIVE)
		load_collective(l, t, thread, recorded);
	if (t->call == VD_CALL_ALL || t->call == VD_CALL_SOME || t->call == VD_CALL_COLLECTIVE)
		load_awaits(l, t, tid);
	if (!t->n_awaits && (t->call == VD_CALL_ALL || t->call == VD_CALL_SOME))
		load_requests(l, recorded);
	if (number_of(thread, "operations_left_out", 0) > 0)
		t->call = VD_CALL_OTHER;
	if (function)
		l->print = vd_hash(l->print, function, strlen(function) + 1);
	n_calls = number_of(recorded, "n_calls", -1);
	l->print = vd_hash(l->print, &n_calls, sizeof(n_calls));
}

/* ---- a process ------------------------------------------------------------------------------------------------- */

static void load_state(struct vd_job *job, struct vd_rank *r, const json_t *process)
{
	const json_t *mpi = json_object_get(process, "mpi");
	const char *state = text_of(mpi, "state"), *process_state = text_of(process, "state");

	r->pid = number_of(process, "pid", -1);
	r->process_state = vd_string(job, process_state);
	r->multiple = !json_is_false(json_object_get(mpi, "thread_multiple"));
	if (process_state && (!strcmp(process_state, "gone") || !strcmp(process_state, "zombie"))) {
		r->state = VD_ENDED;
		r->ended = "has ended";
	} else if (state && !strcmp(state, "finalized")) {
		r->state = VD_ENDED;
		r->ended = "has finished MPI";
	} else if (!json_is_array(json_object_get(process, "calls")) || !state) {
		r->state = VD_UNREAD;
	}
}

void vd_load_process(struct vd_job *job, size_t i, const json_t *process)
{
	struct loading l = { .job = job, .rank = i, .print = VD_HASH_SEED };
	const json_t *comms = json_object_get(process, "communicators"), *comm, *thread;
	size_t at;

	if (i >= job->n_ranks)
		return;
	struct vd_rank *r = &job->ranks[i];
	size_t n_ranks = l.n_ranks = job->n_ranks;
	job->n_ranks = i + 1; /* what is added is the last one's */
	r->first_thread = job->n_threads;
	r->n_threads = 0;
	load_state(job, r, process);
	l.n_views = json_array_size(comms);
	l.views = calloc(l.n_views + 1, sizeof(*l.views));
	if (!l.views) {
		l.n_views = 0;
		job->no_memory = true;
	}
	for (at = 0; at < l.n_views; at++) {
		comm = json_array_get(comms, at);
		l.views[at].json = comm;
		load_view(&l, &l.views[at]);
	}
	load_ops(&l);
	job->ranks[i].ops_print = l.print;
	job->ranks[i].n_calls = -1;
	json_array_foreach(json_object_get(process, "recorded_calls"), at, thread)
	{
		int64_t n = number_of(thread, "n_calls", -1);
		if (n >= 0 && n < INT64_MAX / 2 && job->ranks[i].n_calls < INT64_MAX / 2)
			job->ranks[i].n_calls = n + (job->ranks[i].n_calls < 0 ? 0 : job->ranks[i].n_calls);
	}
	json_array_foreach(json_object_get(process, "calls"), at, thread) load_thread(&l, process, thread);
	job->ranks[i].fingerprint = l.print;
	job->n_ranks = n_ranks;
	for (at = 0; at < l.n_views; at++)
		if (l.views[at].is_ours)
			vd_list_destroy(l.views[at].list);
	free(l.views);
}

size_t vd_compare(const struct vd_job *earlier, struct vd_job *later)
{
	size_t n = 0;

	for (size_t i = 0; i < later->n_ranks; i++) {
		struct vd_rank *r = &later->ranks[i];
		const struct vd_rank *before = i < earlier->n_ranks ? &earlier->ranks[i] : NULL;
		r->went_on = !before || before->rank != r->rank || before->world != r->world ||
			     before->state != r->state || before->fingerprint != r->fingerprint;
		n += r->went_on;
	}
	return n;
}
