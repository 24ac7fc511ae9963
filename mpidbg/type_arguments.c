/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The constructor arguments of a datatype as text: "3 blocks of 2 MPI_INT, 4 apart".
 */
#include "handle_words.h"
#include "references.h"

#include "../render/fact.h"
#include "../render/text.h"

#include <inttypes.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

/* Limits of arguments read, and of elements of a list that are shown. */
enum { WORDS_MAX = 128, SHOWN = 12 };

struct arguments {
	struct mpidbg_description *d;
	int64_t i[WORDS_MAX], a[WORDS_MAX], t[SHOWN];
	uint64_t n_i, n_a, n_t; /* number of elements in the arrays */
};

static bool load_integers(struct arguments *x, const struct mdl_list *list, int64_t *to, uint64_t room, uint64_t *n)
{
	*n = list->n < room ? list->n : room;
	if (!list->known || list->total > list->n)
		return false;
	return !*n || !rd_track_numbers(x->d->p->track, list, 8, 0, *n, to);
}

static void type_name(struct arguments *x, uint64_t k)
{
	char name[MDL_NAME_BYTES];

	if (k >= x->n_t)
		return;
	bool quote = mpidbg_type_words(x->d, (uint64_t)x->t[k], name);
	out_name(&x->d->o, name, quote);
}

static void more(struct arguments *x, int64_t n)
{
	if (n > SHOWN)
		out_text(&x->d->o, ", %" PRId64 " more", n - SHOWN);
}

static void list(struct arguments *x, const int64_t *v, int64_t n)
{
	out_text(&x->d->o, "[");
	for (int64_t k = 0; k < n && k < SHOWN; k++)
		out_text(&x->d->o, k ? ",%" PRId64 : "%" PRId64, v[k]);
	out_text(&x->d->o, n > SHOWN ? ",...]" : "]");
}

/* "2 at 5, 3 at 1": lengths, or one length for all; positions in elements or bytes. */
static void blocks(struct arguments *x, int64_t n, const int64_t *lengths, int64_t length, const int64_t *at,
		   bool bytes)
{
	struct out *o = &x->d->o;

	for (int64_t k = 0; k < n && k < SHOWN; k++)
		out_text(o, "%s%" PRId64 " at %s%" PRId64, k ? ", " : "", lengths ? lengths[k] : length,
			 bytes ? "byte " : "", at[k]);
	more(x, n);
	out_text(o, " of ");
	type_name(x, 0);
}

static void structure(struct arguments *x, int64_t n)
{
	struct out *o = &x->d->o;

	for (int64_t k = 0; k < n && k < SHOWN; k++) {
		out_text(o, "%s%" PRId64 " ", k ? ", " : "", x->i[1 + k]);
		type_name(x, (uint64_t)k);
		out_text(o, " at byte %" PRId64, x->a[k]);
	}
	more(x, n);
}

static void order(struct arguments *x, int64_t value)
{
	int c_or_fortran = rd_track_order(x->d->p->track, value);

	if (c_or_fortran >= 0)
		out_text(&x->d->o, ", %s order", c_or_fortran ? "Fortran" : "C");
	out_text(&x->d->o, ", of ");
	type_name(x, 0);
}

static void subarray(struct arguments *x, int64_t n)
{
	list(x, x->i + 1 + n, n);
	out_text(&x->d->o, " of ");
	list(x, x->i + 1, n);
	out_text(&x->d->o, " from ");
	list(x, x->i + 1 + 2 * n, n);
	order(x, x->i[1 + 3 * n]);
}

static void darray(struct arguments *x, int64_t n)
{
	static const char *const words[] = { "block", "cyclic", "none" };
	const struct rd_track *t = x->d->p->track;
	struct out *o = &x->d->o;

	out_text(o, "part of process %" PRId64 " of %" PRId64 ", of ", x->i[1], x->i[0]);
	list(x, x->i + 3, n);
	out_text(o, " over processes ");
	list(x, x->i + 3 + 3 * n, n);
	out_text(o, ",");
	for (int64_t k = 0; k < n && k < SHOWN; k++) {
		int kind = rd_track_distribution(t, x->i[3 + n + k]);
		int64_t darg = x->i[3 + 2 * n + k];

		out_text(o, " %s", kind >= 0 ? words[kind] : "unknown");
		if (kind != 2 && !rd_track_default_darg(t, darg))
			out_text(o, "(%" PRId64 ")", darg);
	}
	order(x, x->i[3 + 4 * n]);
}

static bool has(const struct arguments *x, uint64_t n_i, uint64_t n_a, uint64_t n_t)
{
	return x->n_i >= n_i && x->n_a >= n_a && x->n_t >= n_t;
}

/* The number at the beginning of a list of arguments, if it is valid. */
static int64_t count_of(const struct arguments *x, uint64_t at)
{
	return x->n_i > at && x->i[at] >= 0 && x->i[at] <= INT32_MAX ? x->i[at] : -1;
}

/* Do the lists of n numbers fit into the arrays? The last list may be cut. */
static bool blocks_fit(const struct arguments *x, int64_t combiner, int64_t n)
{
	uint64_t m = n < 0 ? UINT64_MAX : (uint64_t)n, shown = m < SHOWN ? m : SHOWN;

	switch (combiner) {
	case MDL_INDEXED:
		return m < WORDS_MAX && has(x, 1 + m + shown, 0, 1);
	case MDL_HINDEXED_INTEGER:
	case MDL_HINDEXED:
		return n >= 0 && has(x, 1 + shown, shown, 1);
	case MDL_INDEXED_BLOCK:
		return n >= 0 && has(x, 2 + shown, 0, 1);
	case MDL_HINDEXED_BLOCK:
		return n >= 0 && has(x, 2, shown, 1);
	case MDL_STRUCT_INTEGER:
	case MDL_STRUCT:
		return n >= 0 && has(x, 1 + shown, shown, shown);
	default:
		return false;
	}
}

/* @return true: the arguments match the constructor; they are written unless @p dry */
static bool write(struct arguments *x, int64_t combiner, bool dry)
{
	struct out *o = &x->d->o;
	int64_t n = count_of(x, 0);
	bool fit;

#define WHEN(condition)                                                                                                \
	fit = (condition);                                                                                             \
	if (!fit || dry)                                                                                               \
		return fit;
	switch (combiner) {
	case MDL_DUP:
		WHEN(has(x, 0, 0, 1))
		out_text(o, "a duplicate of ");
		type_name(x, 0);
		return true;
	case MDL_CONTIGUOUS:
		WHEN(has(x, 1, 0, 1))
		out_text(o, "%" PRId64 " ", x->i[0]);
		type_name(x, 0);
		return true;
	case MDL_VECTOR:
	case MDL_HVECTOR_INTEGER:
	case MDL_HVECTOR:
		WHEN(has(x, combiner == MDL_VECTOR ? 3 : 2, combiner == MDL_VECTOR ? 0 : 1, 1))
		out_text(o, "%" PRId64 " blocks of %" PRId64 " ", x->i[0], x->i[1]);
		type_name(x, 0);
		out_text(o, ", %" PRId64 "%s apart", combiner == MDL_VECTOR ? x->i[2] : x->a[0],
			 combiner == MDL_VECTOR ? "" : " bytes");
		return true;
	case MDL_INDEXED:
		WHEN(blocks_fit(x, combiner, n))
		blocks(x, n, x->i + 1, 0, x->i + 1 + n, false);
		return true;
	case MDL_HINDEXED_INTEGER:
	case MDL_HINDEXED:
		WHEN(blocks_fit(x, combiner, n))
		blocks(x, n, x->i + 1, 0, x->a, true);
		return true;
	case MDL_INDEXED_BLOCK:
	case MDL_HINDEXED_BLOCK:
		WHEN(blocks_fit(x, combiner, n))
		blocks(x, n, NULL, x->i[1], combiner == MDL_INDEXED_BLOCK ? x->i + 2 : x->a,
		       combiner == MDL_HINDEXED_BLOCK);
		return true;
	case MDL_STRUCT_INTEGER:
	case MDL_STRUCT:
		WHEN(blocks_fit(x, combiner, n))
		structure(x, n);
		return true;
	case MDL_SUBARRAY:
		WHEN(n >= 0 && n < WORDS_MAX / 4 && has(x, 2 + 3 * (uint64_t)n, 0, 1))
		subarray(x, n);
		return true;
	case MDL_DARRAY:
		n = count_of(x, 2);
		WHEN(n >= 0 && n < WORDS_MAX / 5 && has(x, 4 + 4 * (uint64_t)n, 0, 1))
		darray(x, n);
		return true;
	case MDL_RESIZED:
		WHEN(has(x, 0, 2, 1))
		type_name(x, 0);
		out_text(o, " with lower bound %" PRId64 ", extent %" PRId64, x->a[0], x->a[1]);
		return true;
	case MDL_F90_REAL:
	case MDL_F90_COMPLEX:
		WHEN(has(x, 2, 0, 0))
		out_text(o, "precision %" PRId64 ", range %" PRId64, x->i[0], x->i[1]);
		return true;
	case MDL_F90_INTEGER:
		WHEN(has(x, 1, 0, 0))
		out_text(o, "range %" PRId64, x->i[0]);
		return true;
	default:
		return false;
	}
#undef WHEN
}

bool mpidbg_type_arguments(struct mpidbg_description *d, const struct mdl_handle *h)
{
	const struct mdl_handle_datatype *t = &h->datatype;
	struct arguments x = { .d = d };

	if (t->combiner.known != MDL_KNOWN || !load_integers(&x, &t->integers, x.i, WORDS_MAX, &x.n_i) ||
	    !load_integers(&x, &t->addresses, x.a, WORDS_MAX, &x.n_a) ||
	    !load_integers(&x, &t->datatypes, x.t, SHOWN, &x.n_t) || !write(&x, t->combiner.value, true))
		return false;
	out_fact_label(&d->o, "arguments");
	return write(&x, t->combiner.value, false);
}
