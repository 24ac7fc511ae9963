/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The judgement in words. Ranks that say the same are one line; so are those that do the same relative to their own
 * number. What comes from a target may have any bytes: control bytes are not printed.
 */
#include "job.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_BYTES = 512, AWAITS_SHOWN = 3, LINES_MAX = 40, ALIKE_MIN = 3, RANGES_SHOWN = 12 };

/* Text that grows by what is added, and is cut at its end. */
struct text {
	char bytes[TEXT_BYTES];
	size_t n;
};

static void add(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct text *t, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	int n = vsnprintf(t->bytes + t->n, sizeof(t->bytes) - t->n, format, args);
	va_end(args);
	if (n > 0)
		t->n = t->n + (size_t)n < sizeof(t->bytes) ? t->n + (size_t)n : sizeof(t->bytes) - 1;
}

static void print(FILE *out, const char *text)
{
	for (; *text; text++)
		putc((unsigned char)*text < 0x20 || *text == 0x7f ? '?' : *text, out);
}

/* ---- ranks ------------------------------------------------------------------------------------------------- */

/* By the MPI's number of it, as communicators name it, or else its place in the list. */
static bool world_number(const struct vd_job *job, int32_t world, long long *ret)
{
	for (size_t i = 0; i < job->n_ranks; i++)
		if (job->ranks[i].world == world && job->ranks[i].mpi_job >= 0) {
			*ret = job->ranks[i].mpi_job;
			return true;
		}
	*ret = world + 1LL;
	return false;
}

static long long world_name(const struct vd_job *job, int32_t i)
{
	long long number;

	world_number(job, job->ranks[i].world, &number);
	return number;
}

static void add_rank(struct text *t, const struct vd_job *job, int32_t i)
{
	if (i < 0 || (size_t)i >= job->n_ranks)
		add(t, "a rank that is not known");
	else if (job->n_worlds > 1)
		add(t, "rank %d of world %lld", job->ranks[i].rank, world_name(job, i));
	else
		add(t, "rank %d", job->ranks[i].rank);
}

/* "rank 3", "ranks [0-2,5]": of one world, in order. */
static void add_ranks(struct text *t, const struct vd_job *job, const int32_t *ranks, size_t n)
{
	size_t n_ranges = 0;

	if (n == 1) {
		add_rank(t, job, ranks[0]);
		return;
	}
	add(t, "ranks [");
	for (size_t i = 0, k; i < n; i = k) {
		for (k = i + 1; k < n && job->ranks[ranks[k]].rank == job->ranks[ranks[k - 1]].rank + 1 &&
				job->ranks[ranks[k]].world == job->ranks[ranks[i]].world;
		     k++)
			;
		if (n_ranges++ == RANGES_SHOWN) {
			add(t, ",...");
			break;
		}
		add(t, "%s%d", i ? "," : "", job->ranks[ranks[i]].rank);
		if (k > i + 1)
			add(t, "-%d", job->ranks[ranks[k - 1]].rank);
	}
	add(t, "]");
	if (job->n_worlds > 1)
		add(t, " of world %lld", world_name(job, ranks[0]));
}

/* ---- what a rank does ---------------------------------------------------------------------------------------- */

static const char *comm_name(const struct vd_job *job, int32_t comm)
{
	return comm >= 0 ? job->comms[comm].name : "a communicator that is not known";
}

static void add_peer(struct text *t, const struct vd_job *job, int32_t own, int32_t peer, bool relative)
{
	if (peer == VD_ANY) {
		add(t, "any rank");
	} else if (relative && peer >= 0 && job->ranks[peer].world == job->ranks[own].world) {
		int64_t n = 0;
		for (size_t i = 0; i < job->n_ranks && job->n_worlds > 1; i++)
			n += job->ranks[i].world == job->ranks[own].world;
		if (job->n_worlds <= 1)
			n = (int64_t)job->n_ranks;
		int64_t d = ((int64_t)job->ranks[peer].rank - job->ranks[own].rank + n) % (n ? n : 1);
		d = d > n / 2 ? d - n : d;
		add(t, d ? "rank%+lld" : "itself", (long long)d);
	} else {
		add_rank(t, job, peer);
	}
}

static void add_op(struct text *t, const struct vd_job *job, int32_t own, const struct vd_op *op, bool relative,
		   bool named)
{
	if (op->kind == VD_COLLECTIVE) {
		add(t, "%sa non-blocking collective on %s", named ? " for " : "", comm_name(job, op->comm));
		return;
	}
	if (!named)
		add(t, op->kind == VD_SEND ? "send " : op->kind == VD_PROBE ? "probe " : "receive ");
	add(t, op->kind == VD_SEND ? "%sto " : "%sfrom ", named ? " " : "");
	add_peer(t, job, own, op->peer, relative);
	if (op->tag == VD_ANY_TAG)
		add(t, ", any tag");
	else
		add(t, ", tag %lld", (long long)op->tag);
	add(t, " on %s", comm_name(job, op->comm));
}

static void add_waiting(struct text *t, const struct vd_job *job, int32_t own, const struct vd_thread *x, bool relative)
{
	add(t, "%s", x->function);
	if (x->call == VD_CALL_COLLECTIVE) {
		add(t, " on %s", comm_name(job, x->comm));
		if (x->root >= 0) {
			add(t, ", root ");
			add_rank(t, job, x->root);
		}
		return;
	}
	bool named = x->n_awaits == 1 && strncmp(x->function, "MPI_Wait", 8) != 0;
	for (size_t k = 0; k < x->n_awaits && k < AWAITS_SHOWN; k++) {
		if (!named)
			add(t, k ? "; " : ": ");
		add_op(t, job, own, &job->ops[job->awaits[x->first_await + k]], relative, named);
	}
	if (x->n_awaits > AWAITS_SHOWN)
		add(t, "; and %zu more", x->n_awaits - AWAITS_SHOWN);
}

/* The thread that the rank is known by: one that is in MPI, else the first that is no library's. */
static const struct vd_thread *thread_of(const struct vd_job *job, int32_t i)
{
	const struct vd_rank *r = &job->ranks[i];
	const struct vd_thread *ret = NULL;

	for (size_t k = r->first_thread; k < r->first_thread + r->n_threads; k++) {
		const struct vd_thread *t = &job->threads[k];
		if (t->call != VD_CALL_NONE)
			return t;
		if (!ret && !t->helper)
			ret = t;
	}
	return ret;
}

/* "MPI_Recv from rank 1, tag 5 on MPI_COMM_WORLD" */
static void add_activity(struct text *t, const struct vd_job *job, const struct vd_verdict *v, int32_t i, bool relative)
{
	const struct vd_rank *r = &job->ranks[i];
	const struct vd_thread *x = thread_of(job, i);

	if (r->state == VD_UNREAD || (r->state == VD_ENDED && !(x && x->call == VD_CALL_FINALIZE))) {
		add(t, "%s", r->state == VD_UNREAD ? "could not be read" : r->ended);
		return;
	}
	switch (v->classes[i]) {
	case VD_FREE:
	case VD_MOVING:
		if (!x || x->call == VD_CALL_NONE)
			add(t, "in no MPI function");
		else
			add_waiting(t, job, i, x, relative);
		if (v->classes[i] == VD_MOVING)
			add(t, ", goes on");
		break;
	case VD_POLLING:
		add(t, "polls with %s", x ? x->function : "MPI");
		break;
	case VD_WAITING:
		if (x)
			add_waiting(t, job, i, x, relative);
		break;
	default:
		add(t, "in %s", x && x->function ? x->function : "MPI");
	}
	if (v->classes[i] == VD_FREE && r->process_state)
		add(t, ", %s", r->process_state);
}

/* "residual at solve.c:71" is "at solve.c:71 in residual". */
static void add_place(struct text *t, const struct vd_job *job, const struct vd_verdict *v, int32_t i)
{
	const struct vd_thread *x = thread_of(job, i);
	const char *place = x ? x->place : NULL, *at = place ? strstr(place, " at ") : NULL;

	if (!place || job->ranks[i].state != VD_READ)
		return;
	if (at)
		add(t, "at %s in %.*s", at + 4, (int)(at - place), place);
	else
		add(t, "in %s", place);
	if (v->classes[i] == VD_FREE && x->inner && strncmp(place, x->inner, strlen(x->inner)) != 0)
		add(t, " (%s)", x->inner);
}

/* "mesh.c:212", "in read_block" */
static void add_short_place(struct text *t, const struct vd_job *job, int32_t i)
{
	const struct vd_thread *x = thread_of(job, i);
	const char *place = x ? x->place : NULL, *at = place ? strstr(place, " at ") : NULL;

	if (place && job->ranks[i].state == VD_READ)
		add(t, ", %s%s", at ? "" : "in ", at ? at + 4 : place);
}

/* ---- lines --------------------------------------------------------------------------------------------------- */

struct line {
	char *activity, *place;
	int32_t *ranks;
	size_t n, cap;
	bool last; /* behind those that wait */
};

struct lines {
	struct line *v;
	size_t n, cap;
	struct vd_names *names;
	bool no_memory;
};

static void add_to_line(struct lines *l, const struct text *activity, const struct text *place, int32_t rank,
			const char *group, bool last)
{
	char key[2 * TEXT_BYTES + 64];

	snprintf(key, sizeof(key), "%s\n%s\n%s", activity->bytes, place->bytes, group);
	int32_t i = vd_name(&l->names, key, (int32_t)l->n);
	if (i == VD_UNKNOWN) {
		l->no_memory = true;
		return;
	}
	if ((size_t)i == l->n) {
		struct line *grown = vd_grow(l->v, l->n, 1, &l->cap, sizeof(*grown));
		if (!grown) {
			l->no_memory = true;
			return;
		}
		l->v = grown;
		grown[l->n++] = (struct line){ .activity = strdup(activity->bytes),
					       .place = strdup(place->bytes),
					       .last = last };
	}
	struct line *x = &l->v[i];
	int32_t *grown = vd_grow(x->ranks, x->n, 1, &x->cap, sizeof(*grown));
	l->no_memory |= !grown || !x->activity || !x->place;
	if (!grown)
		return;
	x->ranks = grown;
	x->ranks[x->n++] = rank;
}

static void lines_deinit(struct lines *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->v[i].activity);
		free(l->v[i].place);
		free(l->v[i].ranks);
	}
	free(l->v);
	vd_names_destroy(l->names);
	memset(l, 0, sizeof(*l));
}

static void add_line(struct lines *l, const struct vd_job *job, const struct vd_verdict *v, int32_t i, bool relative)
{
	struct text activity = { .n = 0 }, place = { .n = 0 };
	char group[32];

	add_activity(&activity, job, v, i, relative);
	add_place(&place, job, v, i);
	snprintf(group, sizeof(group), "%d %d", job->ranks[i].world, v->classes[i]);
	add_to_line(l, &activity, &place, i, group, v->classes[i] != VD_WAITING);
}

/* First by what they say; those that are alone with it then by what they say relative to themselves. */
static void make_lines(struct lines *ret, const struct vd_job *job, const struct vd_verdict *v)
{
	struct lines same = { .n = 0 }, alike = { .n = 0 };
	bool *is_alike = calloc(job->n_ranks + 1, sizeof(*is_alike));

	if (!is_alike) {
		ret->no_memory = true;
		return;
	}
	for (size_t i = 0; i < job->n_ranks; i++)
		add_line(&same, job, v, (int32_t)i, false);
	for (size_t i = 0; i < same.n; i++)
		if (same.v[i].n == 1)
			add_line(&alike, job, v, same.v[i].ranks[0], true);
	for (size_t i = 0; i < alike.n; i++)
		for (size_t k = 0; alike.v[i].n >= ALIKE_MIN && k < alike.v[i].n; k++)
			is_alike[alike.v[i].ranks[k]] = true;
	for (int last = 0; last < 2; last++) {
		for (size_t i = 0; i < alike.n; i++)
			for (size_t k = 0; alike.v[i].last == last && alike.v[i].n >= ALIKE_MIN && k < alike.v[i].n;
			     k++)
				add_line(ret, job, v, alike.v[i].ranks[k], true);
		for (size_t i = 0; i < same.n; i++) {
			bool done = same.v[i].n == 1 && is_alike[same.v[i].ranks[0]];
			for (size_t k = 0; same.v[i].last == last && !done && k < same.v[i].n; k++)
				add_line(ret, job, v, same.v[i].ranks[k], false);
		}
	}
	free(is_alike);
	ret->no_memory |= same.no_memory || alike.no_memory;
	lines_deinit(&same);
	lines_deinit(&alike);
}

static void print_lines(const struct vd_job *job, const struct vd_verdict *v, FILE *out)
{
	struct lines l = { .n = 0 };
	int width = 0, rank_width = 0;

	make_lines(&l, job, v);
	for (size_t i = 0; i < l.n && i < LINES_MAX; i++) {
		struct text ranks = { .n = 0 };
		add_ranks(&ranks, job, l.v[i].ranks, l.v[i].n);
		int n = l.v[i].activity ? (int)strlen(l.v[i].activity) : 0;
		width = n > width && n <= 60 ? n : width;
		rank_width = (int)ranks.n > rank_width ? (int)ranks.n : rank_width;
	}
	for (size_t i = 0; i < l.n && i < LINES_MAX; i++) {
		struct text ranks = { .n = 0 }, line = { .n = 0 };
		add_ranks(&ranks, job, l.v[i].ranks, l.v[i].n);
		bool place = l.v[i].place && *l.v[i].place;
		add(&line, "  %-*s  %-*s%s%s", rank_width, ranks.bytes, place ? width : 0,
		    l.v[i].activity ? l.v[i].activity : "?", place ? "  " : "", place ? l.v[i].place : "");
		print(out, line.bytes);
		putc('\n', out);
	}
	if (l.n > LINES_MAX)
		fprintf(out, "  and %zu more lines\n", l.n - LINES_MAX);
	lines_deinit(&l);
}

/* ---- headline and conclusion ------------------------------------------------------------------------------------ */

/* Members of the communicator that are not in the collective, and are no more than waiting for others elsewhere. */
static size_t not_in_it(const struct vd_job *job, const struct vd_verdict *v, int32_t **ret)
{
	const struct vd_comm *c = &job->comms[v->comm];
	size_t n = 0;

	*ret = malloc(((size_t)c->n + 1) * sizeof(**ret));
	for (int32_t i = 0; *ret && i < c->n; i++) {
		int32_t r = c->members ? c->members[i] : i;
		if (r < 0 || (size_t)r >= job->n_ranks)
			continue;
		const struct vd_thread *t = thread_of(job, r);
		if (!t || t->function != v->function || t->comm != v->comm)
			(*ret)[n++] = r;
	}
	return n;
}

static void collective_headline(struct text *t, const struct vd_job *job, const struct vd_verdict *v)
{
	int32_t *others = NULL;
	size_t n = not_in_it(job, v, &others);

	add(t, "%zu of %d ranks wait in %s on %s", v->n_in_collective, job->comms[v->comm].n, v->function,
	    comm_name(job, v->comm));
	if (n && others) {
		add(t, "; ");
		add_ranks(t, job, others, n);
		add(t, vd_synchronizes(v->function) ? " %s not entered it" : " %s not in it",
		    vd_synchronizes(v->function) ? n == 1 ? "has" : "have"
		    : n == 1                     ? "is"
						 : "are");
	}
	add(t, ".");
	free(others);
}

static void headline(struct text *t, const struct vd_job *job, const struct vd_verdict *v)
{
	if (v->result != VD_NO_DEADLOCK && v->comm >= 0 && 2 * v->n_in_collective >= v->n_waiting) {
		collective_headline(t, job, v);
		return;
	}
	if (v->result == VD_NO_DEADLOCK && !v->n_waiting) {
		add(t, "No rank waits for another.");
		return;
	}
	if (v->n_dead)
		add(t, "%zu of %zu ranks wait for what cannot come.", v->n_dead, job->n_ranks);
	else
		add(t, "%zu of %zu ranks wait.", v->n_waiting, job->n_ranks);
}

static void say_missing(struct text *t, const struct vd_job *job, const struct vd_verdict *v)
{
	int32_t first = v->suspects[0];

	add(t, "missing rank%s: look at ", v->n_suspects > 1 ? "s" : "");
	add_ranks(t, job, v->suspects, v->n_suspects);
	if (job->ranks[first].state == VD_ENDED)
		add(t, ", which %s", v->n_suspects > 1 ? "have ended" : job->ranks[first].ended);
	else if (v->classes[first] == VD_OVER)
		add(t, ", in MPI_Finalize");
	else
		add_short_place(t, job, first);
}

static void say_cycle(struct text *t, const struct vd_job *job, const struct vd_verdict *v)
{
	enum { SHOWN = 6 };

	add(t, "deadlock: ");
	if (v->n_cycle < 2 && !v->knot) {
		add_rank(t, job, v->cycle[0]);
		add(t, " waits for itself");
	} else if (v->knot) {
		add_ranks(t, job, v->dead, v->n_dead);
		add(t, v->n_dead > 1 ? " wait for each other, and nobody else is left to wake any of them"
				     : " waits for somebody, and nobody is left");
	} else {
		for (size_t i = 0; i < v->n_cycle && i < SHOWN; i++) {
			if (i)
				add(t, ", which");
			else
				add_rank(t, job, v->cycle[0]);
			add(t, " waits for ");
			if (i + 1 == SHOWN && v->n_cycle > SHOWN)
				add(t, "... (%zu ranks in a cycle)", v->n_cycle);
			else
				add_rank(t, job, v->cycle[(i + 1) % v->n_cycle]);
		}
	}
	add_short_place(t, job, v->cycle[0]);
}

static void say_mismatch(struct text *t, const struct vd_job *job, const struct vd_verdict *v)
{
	add(t, "mismatch: ");
	add_rank(t, job, v->at_rank);
	if (v->wanted) {
		add(t, " waits for a message");
		add_op(t, job, v->at_rank, v->wanted, false, true);
		add(t, "; ");
		add_rank(t, job, v->there_rank);
		add(t, " has sent one with tag %lld on %s: the %s differs", (long long)v->there->tag,
		    comm_name(job, v->there->comm), vd_field_text(v->field));
	} else {
		add(t, " is in %s on %s", v->here->function, comm_name(job, v->here->comm));
		if (v->field == VD_FIELD_ROOT) {
			add(t, " with root ");
			add_rank(t, job, v->here->root);
		} else if (v->field == VD_FIELD_COUNT) {
			add(t, " with count %lld", (long long)v->here->count);
		}
		add(t, ", ");
		add_rank(t, job, v->other_rank);
		add(t, " in %s", v->other->function);
		if (v->field == VD_FIELD_ROOT) {
			add(t, " with root ");
			add_rank(t, job, v->other->root);
		} else if (v->field == VD_FIELD_COUNT) {
			add(t, " with count %lld", (long long)v->other->count);
		}
		add(t, ": the %s differs", vd_field_text(v->field));
	}
	add_short_place(t, job, v->at_rank);
}

static size_t ranks_of_class(const struct vd_job *job, const struct vd_verdict *v, enum vd_class class, int32_t **ret)
{
	size_t n = 0;

	*ret = malloc((job->n_ranks + 1) * sizeof(**ret));
	for (size_t i = 0; *ret && i < job->n_ranks; i++)
		if (v->classes[i] == class)
			(*ret)[n++] = (int32_t)i;
	return n;
}

static void say_none(struct text *t, const struct vd_job *job, const struct vd_verdict *v)
{
	static const struct {
		enum vd_class class;
		const char *one, *many;
	} why[] = { { VD_MOVING, " goes on", " go on" },
		    { VD_POLLING, " polls, and may go on", " poll, and may go on" },
		    { VD_OPAQUE, " waits for what is not known here", " wait for what is not known here" },
		    { VD_FREE, " is in no MPI function", " are in no MPI function" } };
	bool any = false;

	add(t, "no deadlock%s", v->n_unknown && v->n_waiting ? " is known" : "");
	for (size_t i = 0; i < sizeof(why) / sizeof(why[0]); i++) {
		int32_t *ranks = NULL;
		size_t n = ranks_of_class(job, v, why[i].class, &ranks);
		if (n && ranks) {
			add(t, any ? "; " : ": ");
			add_ranks(t, job, ranks, n);
			add(t, "%s", n == 1 ? why[i].one : why[i].many);
			any = true;
		}
		free(ranks);
	}
	if (!any && v->n_waiting)
		add(t, ": what each waits for is on its way or can still come");
}

static void conclusion(struct text *t, const struct vd_job *job, const struct vd_verdict *v)
{
	switch (v->result) {
	case VD_DEADLOCK:
		say_cycle(t, job, v);
		break;
	case VD_MISMATCH:
		say_mismatch(t, job, v);
		break;
	case VD_MISSING_RANK:
		say_missing(t, job, v);
		break;
	default:
		say_none(t, job, v);
	}
}

/* ---- what it rests on ----------------------------------------------------------------------------------------- */

/* The i-th remark about what is not known. @return false: there are no more. */
static bool remark(struct text *t, const struct vd_job *job, const struct vd_verdict *v, int which)
{
	uint8_t *mark = calloc(job->n_ranks + 1, 1);
	int32_t *ranks = malloc((job->n_ranks + 1) * sizeof(*ranks));
	size_t n = 0, n_unknown = 0;

	for (size_t i = 0; mark && ranks && which < 3 && i < job->n_ranks; i++) {
		const struct vd_rank *r = &job->ranks[i];
		mark[i] = which == 0   ? r->state == VD_UNREAD
			  : which == 1 ? r->state == VD_READ && r->no_unexpected
				       : r->state == VD_READ && v->classes[i] == VD_OPAQUE;
		if (mark[i])
			ranks[n++] = (int32_t)i;
	}
	for (size_t c = 0; which == 3 && job->n_comms && c < 1; c++)
		for (int32_t i = 0; job->comms[c].members && i < job->comms[c].n; i++)
			n_unknown += job->comms[c].members[i] < 0;
	if (which == 3 && n_unknown)
		add(t, "%zu ranks of %s are not here: they count as able to go on", n_unknown, job->comms[0].name);
	else if (n) {
		add(t, which == 0   ? "not read: "
		       : which == 1 ? "what has arrived is not known of "
				    : "what it waits for is not known of ");
		add_ranks(t, job, ranks, n);
		if (which != 1)
			add(t, ": %s as able to go on", n == 1 ? "it counts" : "they count");
	}
	free(mark);
	free(ranks);
	return t->n > 0;
}

enum { N_REMARKS = 4 };

void vd_report(const struct vd_job *job, const struct vd_verdict *v, FILE *out)
{
	struct text head = { .n = 0 }, end = { .n = 0 };

	headline(&head, job, v);
	conclusion(&end, job, v);
	print(out, head.bytes);
	fputs("\n\n", out);
	print_lines(job, v, out);
	putc('\n', out);
	for (int i = 0; i < N_REMARKS; i++) {
		struct text t = { .n = 0 };
		if (!remark(&t, job, v, i))
			continue;
		print(out, t.bytes);
		putc('\n', out);
	}
	if (job->basis && v->result != VD_NO_DEADLOCK) {
		print(out, job->basis);
		putc('\n', out);
	}
	print(out, end.bytes);
	putc('\n', out);
}

/* ---- JSON ------------------------------------------------------------------------------------------------------- */

static json_t *rank_json(const struct vd_job *job, int32_t i)
{
	long long number;

	if (job->n_worlds > 1) {
		bool known = world_number(job, job->ranks[i].world, &number);
		return json_pack("{s:I, s:i}", known ? "job" : "world", (json_int_t)number, "rank", job->ranks[i].rank);
	}
	return json_integer(job->ranks[i].rank);
}

static json_t *ranks_json(const struct vd_job *job, const int32_t *ranks, size_t n)
{
	json_t *array = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(array, rank_json(job, ranks[i]));
	return array;
}

static json_t *text_json(const struct text *t)
{
	json_t *s = json_string(t->bytes);

	return s ? s : json_string("(text that is no UTF-8)");
}

json_t *vd_report_json(const struct vd_job *job, const struct vd_verdict *v)
{
	json_t *o = json_object(), *groups = json_array(), *remarks = json_array();
	struct text head = { .n = 0 }, end = { .n = 0 };
	struct lines l = { .n = 0 };

	headline(&head, job, v);
	conclusion(&end, job, v);
	json_object_set_new(o, "result", json_string(vd_result_text(v->result)));
	json_object_set_new(o, "stands_still", json_boolean(v->stands_still));
	json_object_set_new(o, "headline", text_json(&head));
	json_object_set_new(o, "conclusion", text_json(&end));
	json_object_set_new(o, "waiting", ranks_json(job, v->waiting, v->n_waiting));
	json_object_set_new(o, "waiting_for_ever", ranks_json(job, v->dead, v->n_dead));
	json_object_set_new(o, "cycle", ranks_json(job, v->cycle, v->n_cycle));
	json_object_set_new(o, "missing",
			    ranks_json(job, v->suspects, v->result == VD_MISSING_RANK ? v->n_suspects : 0));
	json_object_set_new(o, "unknown", ranks_json(job, v->unknown, v->n_unknown));
	if (v->field != VD_FIELD_NONE)
		json_object_set_new(o, "field", json_string(vd_field_text(v->field)));
	make_lines(&l, job, v);
	for (size_t i = 0; i < l.n; i++) {
		struct text activity = { .n = 0 }, place = { .n = 0 };
		add(&activity, "%s", l.v[i].activity ? l.v[i].activity : "");
		add(&place, "%s", l.v[i].place ? l.v[i].place : "");
		json_t *g = json_object();
		json_object_set_new(g, "ranks", ranks_json(job, l.v[i].ranks, l.v[i].n));
		json_object_set_new(g, "activity", text_json(&activity));
		if (place.n)
			json_object_set_new(g, "place", text_json(&place));
		json_array_append_new(groups, g);
	}
	lines_deinit(&l);
	json_object_set_new(o, "groups", groups);
	for (int i = 0; i < N_REMARKS; i++) {
		struct text t = { .n = 0 };
		if (remark(&t, job, v, i))
			json_array_append_new(remarks, text_json(&t));
	}
	json_object_set_new(o, "unavailable", remarks);
	if (job->basis)
		json_object_set_new(o, "basis", json_string(job->basis));
	return o;
}
