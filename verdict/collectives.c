/* SPDX-License-Identifier: BSD-3-Clause */
/* Collectives of one communicator that do not match: their function, root, reduction operation, count or datatype. */
#include "judging.h"

#include "../functions/functions.h"

#include <stdlib.h>
#include <string.h>

/* Limits: basic types of a signature; steps of the comparison of two signatures. */
enum { RUNS_MAX = 64, STEPS_MAX = 100000 };

/* ---- functions ------------------------------------------------------------------------------------------------- */

/* Without the suffix of the variant with counts of type MPI_Count: MPI_Bcast_c is MPI_Bcast. */
static size_t length_of(const char *function)
{
	size_t n = strlen(function);

	return n > 2 && strcmp(function + n - 2, "_c") == 0 ? n - 2 : n;
}

static bool is_same_function(const char *a, const char *b)
{
	size_t n = length_of(a);

	return a == b || (n == length_of(b) && strncmp(a, b, n) == 0);
}

/* Does the in-target library count calls of this collective per communicator? */
static bool is_counted(const char *function)
{
	return fn_facts(function) & FN_COUNTED;
}

/* Does every rank send (MPI_Scatter: receive) the same number of elements of the same type? */
static bool has_one_size(const char *function)
{
	return fn_facts(function) & FN_ONE_SIZE;
}

/* ---- signatures -------------------------------------------------------------------------------------------------- */

/* Iterates over a repeated sequence of basic types. */
struct sequence {
	struct {
		const char *type;
		size_t length; /* of the name */
		uint64_t n;
	} runs[RUNS_MAX];
	size_t n_runs, at;
	uint64_t left, repeats; /* of the run, of the sequence */
};

/* @return false: the signature is not known, or has more than RUNS_MAX basic types */
static bool read_sequence(const struct vd_thread *t, struct sequence *ret)
{
	const char *text = t->signature;

	*ret = (struct sequence){ .repeats = t->count > 0 ? (uint64_t)t->count : 0 };
	if (!text || t->count < 0 || strstr(text, "MPI_BYTE") || strstr(text, "MPI_PACKED")) /* these match any type */
		return false;
	while (*text) {
		char *end;
		size_t n = strcspn(text, "*");
		if (ret->n_runs == RUNS_MAX || !text[n])
			return false;
		ret->runs[ret->n_runs].type = text;
		ret->runs[ret->n_runs].length = n;
		ret->runs[ret->n_runs++].n = strtoull(text + n + 1, &end, 10);
		text = *end ? end + 1 : end;
	}
	ret->left = ret->n_runs ? ret->runs[0].n : 0;
	return ret->n_runs > 0;
}

static bool is_at_end(const struct sequence *s)
{
	return !s->repeats;
}

static void advance_sequence(struct sequence *s, uint64_t n)
{
	s->left -= n;
	if (s->left)
		return;
	if (++s->at == s->n_runs) {
		s->at = 0;
		s->repeats--;
	}
	s->left = s->runs[s->at].n;
}

static bool is_same_type(const struct sequence *a, const struct sequence *b)
{
	return a->runs[a->at].length == b->runs[b->at].length &&
	       memcmp(a->runs[a->at].type, b->runs[b->at].type, a->runs[a->at].length) == 0;
}

/* Do two transfers have different data? false also if unknown. */
static bool data_differ(const struct vd_thread *a, const struct vd_thread *b)
{
	struct sequence x, y;

	if (!read_sequence(a, &x) || !read_sequence(b, &y))
		return false;
	if (strcmp(a->signature, b->signature) == 0)
		return a->count != b->count;
	if (x.n_runs == 1 && y.n_runs == 1)
		return x.repeats * x.left != y.repeats * y.left || ((x.repeats || y.repeats) && !is_same_type(&x, &y));
	for (int i = 0; i < STEPS_MAX; i++) {
		if (is_at_end(&x) || is_at_end(&y))
			return !is_at_end(&x) || !is_at_end(&y);
		if (!is_same_type(&x, &y))
			return true;
		uint64_t n = x.left < y.left ? x.left : y.left;
		advance_sequence(&x, n);
		advance_sequence(&y, n);
	}
	return false;
}

/* ---- two ranks --------------------------------------------------------------------------------------------------- */

/* Both threads are in the same collective of a communicator: a difference is an error of the program. */
static enum vd_field arguments_differ(const struct vd_comm *c, const struct vd_thread *a, const struct vd_thread *b)
{
	if (!is_same_function(a->function, b->function))
		return VD_FIELD_FUNCTION;
	if (c->inter) /* the two groups pass different arguments */
		return VD_FIELD_NONE;
	if (a->root != VD_UNKNOWN && b->root != VD_UNKNOWN && a->root != b->root)
		return VD_FIELD_ROOT;
	if (a->operation && b->operation && strcmp(a->operation, b->operation) != 0)
		return VD_FIELD_OPERATION;
	if (!has_one_size(a->function) || !data_differ(a, b))
		return VD_FIELD_NONE;
	return a->datatype && a->datatype == b->datatype ? VD_FIELD_COUNT : VD_FIELD_DATATYPE;
}

/* The ranks that wait forever in collectives of a communicator. */
struct together {
	const char *functions[2]; /* of those that differ */
	bool any_more;
	int32_t n;
};

static void join(struct together *x, const char *function)
{
	x->n++;
	for (int i = 0; i < 2; i++) {
		if (!x->functions[i])
			x->functions[i] = function;
		if (is_same_function(x->functions[i], function))
			return;
	}
	x->any_more = true;
}

/*
 * Two ranks that may be in different collectives of the communicator. A rank in MPI_Barrier may already have left the
 * MPI_Reduce that another rank is still in, so two different functions are an error only if no rank can leave them
 * early; or if all members wait forever in one of the two, because then a member has not entered what others wait in.
 */
static enum vd_field functions_differ(const struct vd_comm *c, const struct together *all, const struct vd_thread *a,
				      const struct vd_thread *b)
{
	bool guaranteed = vd_synchronizes(c, a->function);

	if (!is_same_function(a->function, b->function))
		return (guaranteed && vd_synchronizes(c, b->function)) || (all->n == c->n && !all->any_more)
			       ? VD_FIELD_FUNCTION
			       : VD_FIELD_NONE;
	if (a->count >= 0 && b->count >= 0 && a->count != b->count && a->datatype == b->datatype && guaranteed &&
	    has_one_size(a->function))
		return VD_FIELD_COUNT;
	return VD_FIELD_NONE;
}

/* Persistent collectives may be started in a different order by each rank. */
static bool has_persistent(const struct vd_job *job, int32_t rank)
{
	const struct vd_rank *r = &job->ranks[rank];

	for (size_t i = r->first_op; i < r->first_op + r->n_ops; i++)
		if (job->ops[i].kind == VD_COLLECTIVE && job->ops[i].persistent)
			return true;
	return false;
}

bool vd_is_known_which(const struct vd_job *job, int32_t rank, const struct vd_thread *t)
{
	return t->ordinal > 0 && is_counted(t->function) && !has_persistent(job, rank);
}

/* Is the mismatch certain to stop the collective, so that it is reported instead of a rank missing in it? */
static bool is_grave(enum vd_field field)
{
	return field != VD_FIELD_DATATYPE && field != VD_FIELD_OPERATION;
}

/* One thread per communicator, with which the others are compared: index + 1 (0: none yet), and its rank. */
struct first {
	size_t thread;
	int32_t rank;
	struct together all;
};

static void compare_with_first(struct vd_judging *j, struct first *first, bool exact, int32_t rank, size_t i)
{
	const struct vd_thread *t = &j->job->threads[i];
	struct vd_verdict *v = j->v;

	if (t->call != VD_CALL_COLLECTIVE || t->comm == VD_UNKNOWN || (exact && !vd_is_known_which(j->job, rank, t)))
		return;
	struct first *f = &first[t->comm];
	const struct vd_thread *other = f->thread ? &j->job->threads[f->thread - 1] : NULL;
	/* the others wait for the earliest collective */
	if (!other || (exact && t->ordinal < other->ordinal)) {
		f->thread = i + 1;
		f->rank = rank;
		return;
	}
	if (other->ordinal != t->ordinal && (exact || (other->ordinal > 0 && t->ordinal > 0)))
		return;
	const struct vd_comm *c = &j->job->comms[t->comm];
	enum vd_field field = exact ? arguments_differ(c, other, t) : functions_differ(c, &f->all, other, t);
	if (field == VD_FIELD_NONE || (!is_grave(field) && v->n_suspects))
		return;
	v->field = field;
	v->here = other;
	v->at_rank = f->rank;
	v->other = t;
	v->other_rank = rank;
}

static void collect_functions(const struct vd_job *job, const int32_t *ranks, size_t n, struct first *first)
{
	for (size_t i = 0; i < n; i++) {
		const struct vd_rank *r = &job->ranks[ranks[i]];
		for (size_t k = r->first_thread; k < r->first_thread + r->n_threads; k++)
			if (job->threads[k].call == VD_CALL_COLLECTIVE && job->threads[k].comm != VD_UNKNOWN)
				join(&first[job->threads[k].comm].all, job->threads[k].function);
	}
}

bool vd_find_collectives(struct vd_judging *j, bool exact)
{
	struct vd_verdict *v = j->v;
	const int32_t *ranks = exact ? v->waiting : v->dead;
	size_t n = exact ? v->n_waiting : v->n_dead;
	struct first *first = calloc(j->job->n_comms + 1, sizeof(*first));

	if (!first)
		return false;
	collect_functions(j->job, ranks, n, first);
	for (size_t i = 0; v->field == VD_FIELD_NONE && i < n; i++) {
		const struct vd_rank *r = &j->job->ranks[ranks[i]];
		for (size_t t = r->first_thread; t < r->first_thread + r->n_threads && v->field == VD_FIELD_NONE; t++)
			compare_with_first(j, first, exact, ranks[i], t);
	}
	free(first);
	return true;
}

/* ---- a rank that has left -------------------------------------------------------------------------------------- */

/* The thread of a rank that waits forever in a known collective of the communicator; NULL: none */
static const struct vd_thread *waits_in(const struct vd_judging *j, int32_t rank, int32_t comm)
{
	const struct vd_rank *r = rank >= 0 && (size_t)rank < j->job->n_ranks ? &j->job->ranks[rank] : NULL;

	if (!r || j->v->classes[rank] != VD_WAITING || j->graph.nodes[rank].live)
		return NULL;
	for (size_t i = r->first_thread; i < r->first_thread + r->n_threads; i++) {
		const struct vd_thread *t = &j->job->threads[i];
		if (t->call == VD_CALL_COLLECTIVE && t->comm == comm)
			return vd_is_known_which(j->job, rank, t) ? t : NULL;
	}
	return NULL;
}

void vd_find_left(struct vd_judging *j)
{
	struct vd_verdict *v = j->v;
	const struct vd_comm *c = v->comm >= 0 ? &j->job->comms[v->comm] : NULL;
	const struct vd_thread *first = NULL, *last = NULL;
	int32_t first_rank = VD_UNKNOWN, last_rank = VD_UNKNOWN;

	for (int32_t i = 0; c && i < c->n; i++) {
		int32_t r = vd_member(c, i);
		const struct vd_thread *t = waits_in(j, r, v->comm);
		if (!t)
			return;
		if (!first || t->ordinal < first->ordinal) {
			first = t;
			first_rank = r;
		}
		if (!last || t->ordinal > last->ordinal) {
			last = t;
			last_rank = r;
		}
	}
	if (!first || first->ordinal == last->ordinal || !vd_has_data(first->function))
		return;
	v->field = VD_FIELD_DATA;
	v->here = first;
	v->at_rank = first_rank;
	v->other = last;
	v->other_rank = last_rank;
}

/* ---- nonblocking collectives -------------------------------------------------------------------------- */

static const struct vd_op *started_by(const struct vd_job *job, int32_t rank, int32_t comm, size_t *n)
{
	const struct vd_rank *r = rank >= 0 && (size_t)rank < job->n_ranks ? &job->ranks[rank] : NULL;
	const struct vd_op *ret = NULL;

	*n = 0;
	for (size_t i = r ? r->first_op : 0; r && i < r->first_op + r->n_ops; i++) {
		const struct vd_op *op = &job->ops[i];
		if (op->kind != VD_COLLECTIVE || op->comm != comm || op->internal || op->matched || op->inactive)
			continue;
		ret = op;
		++*n;
	}
	return ret;
}

bool vd_only_started(const struct vd_job *job, int32_t comm)
{
	const struct vd_comm *c = &job->comms[comm];

	for (int32_t i = 0; i < c->n; i++) {
		size_t n;
		const struct vd_op *op = started_by(job, vd_member(c, i), comm, &n);
		if (n > 1 || (op && (!op->function || op->persistent)))
			return false;
	}
	return true;
}

void vd_find_started(struct vd_judging *j)
{
	struct vd_verdict *v = j->v;

	for (size_t i = 0; i < v->n_cycle && v->field == VD_FIELD_NONE; i++) {
		const struct vd_rank *r = &j->job->ranks[v->cycle[i]];
		int32_t next = v->cycle[(i + 1) % v->n_cycle];
		for (size_t t = r->first_thread; t < r->first_thread + r->n_threads; t++) {
			const struct vd_thread *x = &j->job->threads[t];
			for (size_t k = x->first_await; k < x->first_await + x->n_awaits; k++) {
				const struct vd_op *op = &j->job->ops[j->job->awaits[k]];
				size_t n;
				const struct vd_op *other = op->kind == VD_COLLECTIVE && op->comm >= 0 &&
									    vd_only_started(j->job, op->comm)
								    ? started_by(j->job, next, op->comm, &n)
								    : NULL;
				if (!other || other == op || !op->function ||
				    is_same_function(op->function, other->function))
					continue;
				v->field = VD_FIELD_FUNCTION;
				v->wanted = op;
				v->at_rank = v->cycle[i];
				v->there = other;
				v->there_rank = next;
			}
		}
	}
}
