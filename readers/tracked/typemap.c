/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Type maps: the basic elements of a datatype with their displacements, computed from the arguments of its
 * constructors. The elements are counted without visiting each; those requested are then generated one by one.
 *
 * A datatype may contain another one more than once: each is read and counted once. Types without elements are never
 * entered, so that each step of the second pass generates an element or advances in an array of the registry.
 */
#include "registry.h"

#include <inttypes.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum {
	NODES_MAX = 1024,               /* maximum number of datatypes that one consists of */
	DEPTH_MAX = 64,                 /* nesting depth */
	DIMS_MAX = 64,                  /* dimensions of an array */
	NUMBERS_MAX = 16 * 1048576 / 8, /* total number of arguments */
	STEPS_MAX = 64 * 1048576,       /* in the second pass */
	PAIR_BYTES_MAX = 1024           /* size of a member of a predefined pair */
};

struct node {
	uint64_t id;
	enum mdl_combiner combiner;
	int64_t extent;
	uint64_t bytes; /* size of a leaf */
	int64_t *ints, *addrs, *types;
	uint64_t n_ints, n_addrs, n_types;
	uint64_t total;
	enum { NEW, VISITING, DONE } state;
};

struct maker {
	struct rd_track *t;
	struct node *nodes; /* array of NODES_MAX */
	unsigned n_nodes;
	struct mdl_typemap_entry *entries;
	uint64_t n, cap, steps;
	uint64_t n_numbers; /* in total */
	enum acc_rc rc;
};

static struct node *fail(struct maker *m, enum acc_rc rc, uint64_t id, const char *what)
{
	if (!m->rc)
		m->rc = rc == ACC_NONE ? rc
				       : acc_note(&m->t->sp->note, rc, "datatype #%" PRIu64 ": %s: %s", id, what,
						  acc_rc_text(rc));
	return NULL;
}

static uint64_t times(uint64_t a, uint64_t b)
{
	uint64_t c;

	return __builtin_mul_overflow(a, b, &c) ? UINT64_MAX : c;
}

static uint64_t plus(uint64_t a, uint64_t b)
{
	uint64_t c;

	return __builtin_add_overflow(a, b, &c) ? UINT64_MAX : c;
}

static bool is_leaf(enum mdl_combiner c)
{
	return c == MDL_NAMED || c == MDL_F90_REAL || c == MDL_F90_COMPLEX || c == MDL_F90_INTEGER ||
	       c == MDL_VALUE_INDEX;
}

/* ---- reading ------------------------------------------------------------------------------------------------ */

static bool read_list(struct maker *m, uint64_t id, const struct mdl_list *list, int64_t **ret, uint64_t *n)
{
	if (!list->known || list->n < list->total) {
		fail(m, ACC_NONE, id, "arguments");
		return false;
	}
	if (list->n > NUMBERS_MAX - m->n_numbers) {
		fail(m, ACC_ELIMIT, id, "arguments");
		return false;
	}
	*ret = acc_array(m->t->sp, list->n, sizeof(**ret));
	if (!*ret) {
		fail(m, ACC_ENOMEM, id, "arguments");
		return false;
	}
	*n = list->n;
	m->n_numbers += list->n;

	enum acc_rc rc = rd_track_numbers(m->t, list, 8, 0, list->n, *ret);
	if (rc)
		fail(m, rc, id, "arguments");
	return !rc;
}

/*
 * The predefined pairs are equivalent to MPI_Type_create_struct (MPI-4 section 6.9.4) of the two members of a C struct,
 * or, for Fortran, MPI_Type_contiguous.
 */
static const struct pair {
	const char *name, *types[2];
} pairs[] = {
	{ "MPI_FLOAT_INT", { "MPI_FLOAT", "MPI_INT" } },
	{ "MPI_DOUBLE_INT", { "MPI_DOUBLE", "MPI_INT" } },
	{ "MPI_LONG_INT", { "MPI_LONG", "MPI_INT" } },
	{ "MPI_SHORT_INT", { "MPI_SHORT", "MPI_INT" } },
	{ "MPI_2INT", { "MPI_INT", "MPI_INT" } },
	{ "MPI_LONG_DOUBLE_INT", { "MPI_LONG_DOUBLE", "MPI_INT" } },
	{ "MPI_2INTEGER", { "MPI_INTEGER", "MPI_INTEGER" } },
	{ "MPI_2REAL", { "MPI_REAL", "MPI_REAL" } },
	{ "MPI_2DOUBLE_PRECISION", { "MPI_DOUBLE_PRECISION", "MPI_DOUBLE_PRECISION" } },
	{ "MPI_2COMPLEX", { "MPI_COMPLEX", "MPI_COMPLEX" } },
	{ "MPI_2DOUBLE_COMPLEX", { "MPI_DOUBLE_COMPLEX", "MPI_DOUBLE_COMPLEX" } },
};

static const struct pair *pair_of(struct rd_track *t, const struct mdl_handle *h)
{
	for (size_t i = 0; h->predefined && i < sizeof(pairs) / sizeof(pairs[0]); i++)
		if (rd_track_stands_for(t, h, pairs[i].name))
			return &pairs[i];
	return NULL;
}

/* Find the predefined type of that name. Predefined types are recorded first: the walk is short. */
static enum acc_rc find_predefined(struct rd_track *t, const char *name, struct mdl_handle *ret)
{
	struct rd_track_iter it;
	enum acc_rc rc = rd_track_find_standard(t, MDL_DATATYPE, name, ret);

	if (!rc)
		return ACC_OK;
	rc = rd_track_first(t, MDL_DATATYPE, RD_TRACK_LIVE, &it);
	while (!rc && !(rc = rd_track_next(&it, ret)))
		if (ret->predefined && !strcmp(ret->name, name))
			return ACC_OK;
	return rc;
}

/* Set the constructor arguments. The second member is aligned to its size, like an int on every target. */
static struct node *write_pair(struct maker *m, struct node *node, const struct pair *pair, int64_t size)
{
	static const char what[] = "the two that it is made of";
	int64_t bytes[2];

	node->combiner = MDL_STRUCT;
	node->ints = acc_array(m->t->sp, 3, sizeof(*node->ints));
	node->addrs = acc_array(m->t->sp, 2, sizeof(*node->addrs));
	node->types = acc_array(m->t->sp, 2, sizeof(*node->types));
	if (!node->ints || !node->addrs || !node->types)
		return fail(m, ACC_ENOMEM, node->id, what);
	for (unsigned i = 0; i < 2; i++) {
		struct mdl_handle h;
		enum acc_rc rc = find_predefined(m->t, pair->types[i], &h);

		if (rc || h.datatype.size.known != MDL_KNOWN || h.datatype.size.value == -1)
			return fail(m, rc ? rc : ACC_NONE, node->id, what);
		bytes[i] = h.datatype.size.value;
		/* in an Open MPI without Fortran, MPI_REAL has size 0, and MPI_2REAL the size of two */
		if (!bytes[i] && !strcmp(pair->types[0], pair->types[1]) && !strncmp(pair->name, "MPI_2", 5))
			bytes[i] = size / 2;
		if (bytes[i] < 1 || bytes[i] > PAIR_BYTES_MAX)
			return fail(m, ACC_ECORRUPT, h.id, "size");
		node->types[i] = (int64_t)h.id;
		node->ints[1 + i] = 1;
	}
	node->ints[0] = 2;
	node->addrs[0] = 0;
	node->addrs[1] = (bytes[0] + bytes[1] - 1) / bytes[1] * bytes[1];
	node->n_ints = 3;
	node->n_addrs = node->n_types = 2;
	return node;
}

static struct node *add_node(struct maker *m, const struct mdl_handle *h)
{
	const struct pair *pair = pair_of(m->t, h);
	const struct mdl_handle_datatype *d = &h->datatype;
	struct node *node = &m->nodes[m->n_nodes];

	if (m->n_nodes == NODES_MAX)
		return fail(m, ACC_ELIMIT, h->id, "datatypes that it is made of");
	if (d->combiner.known != MDL_KNOWN || d->extent.known != MDL_KNOWN || d->size.known != MDL_KNOWN)
		return fail(m, ACC_NONE, h->id, "how it was made");
	*node = (struct node){ .id = h->id,
			       .combiner = (enum mdl_combiner)d->combiner.value,
			       .extent = d->extent.value };
	m->n_nodes++;
	/* an Open MPI without Fortran has most of these types, with size 0 */
	if (pair && node->combiner == MDL_NAMED && d->size.value)
		return write_pair(m, node, pair, d->size.value);
	if (is_leaf(node->combiner)) {
		if (d->size.value < 0)
			return fail(m, d->size.value == -1 ? ACC_NONE : ACC_ECORRUPT, h->id, "size");
		node->bytes = (uint64_t)d->size.value;
		node->total = 1;
		node->state = DONE;
		return node;
	}
	if (!read_list(m, h->id, &d->integers, &node->ints, &node->n_ints) ||
	    !read_list(m, h->id, &d->addresses, &node->addrs, &node->n_addrs) ||
	    !read_list(m, h->id, &d->datatypes, &node->types, &node->n_types))
		return NULL;
	return node;
}

static struct node *node_of(struct maker *m, uint64_t id)
{
	struct mdl_handle h;

	for (unsigned i = 0; i < m->n_nodes; i++)
		if (m->nodes[i].id == id)
			return &m->nodes[i];

	enum acc_rc rc = rd_track_find_id(m->t, MDL_DATATYPE, id, &h);
	return rc ? fail(m, rc, id, "what it is made of") : add_node(m, &h);
}

/* ---- arrays ------------------------------------------------------------------------------------------------- */

/* One dimension of a subarray or a distributed array: which indices belong to this process. */
struct dim {
	int64_t size, n;      /* total number of indices; number owned */
	int64_t first;        /* the first owned index */
	int64_t block, cycle; /* owned indices come in blocks, one per cycle */
};

struct array {
	unsigned n;
	bool fortran;
	struct dim dims[DIMS_MAX];
};

static bool subarray(struct maker *m, const struct node *node, struct array *a)
{
	const int64_t *ints = node->ints;
	int64_t n = node->n_ints ? ints[0] : -1;

	if (n < 1 || n > DIMS_MAX || node->n_ints != 2 + 3 * (uint64_t)n)
		return fail(m, ACC_ECORRUPT, node->id, "arguments of a subarray");
	int order = rd_track_order(m->t, ints[1 + 3 * n]);
	a->n = (unsigned)n;
	a->fortran = order == 1;
	for (int64_t i = 0; i < n; i++) {
		int64_t size = ints[1 + i], sub = ints[1 + n + i], start = ints[1 + 2 * n + i];

		if (order < 0 || size < 1 || sub < 1 || sub > size || start < 0 || start > size - sub)
			return fail(m, ACC_ECORRUPT, node->id, "arguments of a subarray");
		a->dims[i] = (struct dim){ size, sub, start, sub, size };
	}
	return true;
}

/* The standard's rules of block and cyclic distribution for one dimension: coordinate c of p processes. */
static bool distribute(struct maker *m, const struct node *node, struct dim *d, int kind, int64_t arg, int64_t p,
		       int64_t c)
{
	bool by_default = rd_track_default_darg(m->t, arg);
	int64_t g = d->size;

	switch (kind) {
	case 0: /* block */
		d->block = by_default ? (g + p - 1) / p : arg;
		d->cycle = g;
		break;
	case 1: /* cyclic */
		d->block = by_default ? 1 : arg;
		d->cycle = d->block > 0 && p <= INT64_MAX / d->block ? d->block * p : 0;
		break;
	case 2: /* none */
		d->block = d->cycle = g;
		c = 0;
		break;
	default:
		d->block = 0;
	}
	if (d->block < 1 || d->cycle < 1)
		return fail(m, ACC_ECORRUPT, node->id, "arguments of a distributed array");
	d->first = c * d->block;
	d->n = 0;
	if (d->first >= g)
		return true;
	if (kind == 1) {
		int64_t whole = (g - d->first) / d->cycle, rest = (g - d->first) % d->cycle;

		d->n = whole * d->block + (rest < d->block ? rest : d->block);
	} else {
		d->n = g - d->first < d->block ? g - d->first : d->block;
	}
	return true;
}

static bool darray(struct maker *m, const struct node *node, struct array *a)
{
	const int64_t *ints = node->ints;
	int64_t n = node->n_ints > 2 ? ints[2] : -1;

	if (n < 1 || n > DIMS_MAX || node->n_ints != 4 + 4 * (uint64_t)n)
		return fail(m, ACC_ECORRUPT, node->id, "arguments of a distributed array");
	int order = rd_track_order(m->t, ints[3 + 4 * n]);
	const int64_t *gsizes = ints + 3, *distribs = gsizes + n, *args = distribs + n, *psizes = args + n;
	int64_t rank = ints[1], grid = 1;
	for (int64_t i = 0; i < n; i++)
		if (psizes[i] < 1 || __builtin_mul_overflow(grid, psizes[i], &grid))
			return fail(m, ACC_ECORRUPT, node->id, "arguments of a distributed array");
	if (order < 0 || rank < 0 || rank >= grid)
		return fail(m, ACC_ECORRUPT, node->id, "arguments of a distributed array");
	a->n = (unsigned)n;
	a->fortran = order == 1;
	for (int64_t i = 0; i < n; i++) {
		if (gsizes[i] < 1 || gsizes[i] > INT64_MAX / 2)
			return fail(m, ACC_ECORRUPT, node->id, "arguments of a distributed array");
		a->dims[i] = (struct dim){ .size = gsizes[i] };
		grid /= psizes[i];
		int64_t c = rank / grid;
		rank %= grid;
		if (!distribute(m, node, &a->dims[i], rd_track_distribution(m->t, distribs[i]), args[i], psizes[i], c))
			return false;
	}
	return true;
}

static bool array_of(struct maker *m, const struct node *node, struct array *a)
{
	memset(a, 0, sizeof(*a));
	return node->combiner == MDL_SUBARRAY ? subarray(m, node, a) : darray(m, node, a);
}

/* ---- counting ------------------------------------------------------------------------------------------------ */

static uint64_t count_basic_types(struct maker *m, uint64_t id, unsigned depth);

/* Blocks: their number, and the length and location of each. */
static int64_t n_blocks(const struct node *n)
{
	switch (n->combiner) {
	case MDL_CONTIGUOUS:
	case MDL_DUP:
	case MDL_RESIZED:
		return 1;
	default:
		return n->ints[0];
	}
}

static int64_t block_length(const struct node *n, int64_t i)
{
	switch (n->combiner) {
	case MDL_CONTIGUOUS:
		return n->ints[0];
	case MDL_DUP:
	case MDL_RESIZED:
		return 1;
	case MDL_VECTOR:
	case MDL_HVECTOR:
	case MDL_HVECTOR_INTEGER:
	case MDL_INDEXED_BLOCK:
	case MDL_HINDEXED_BLOCK:
		return n->ints[1];
	default:
		return n->ints[1 + i];
	}
}

/* Displacement in bytes; wraps around like the library's own arithmetic. */
static int64_t block_at(const struct node *n, int64_t i, int64_t extent)
{
	uint64_t e = (uint64_t)extent;

	switch (n->combiner) {
	case MDL_VECTOR:
		return (int64_t)((uint64_t)i * (uint64_t)n->ints[2] * e);
	case MDL_HVECTOR:
		return (int64_t)((uint64_t)i * (uint64_t)n->addrs[0]);
	case MDL_HVECTOR_INTEGER:
		return (int64_t)((uint64_t)i * (uint64_t)n->ints[2]);
	case MDL_INDEXED:
		return (int64_t)((uint64_t)n->ints[1 + n->ints[0] + i] * e);
	case MDL_INDEXED_BLOCK:
		return (int64_t)((uint64_t)n->ints[2 + i] * e);
	case MDL_HINDEXED:
	case MDL_HINDEXED_BLOCK:
	case MDL_STRUCT:
		return n->addrs[i];
	case MDL_HINDEXED_INTEGER:
	case MDL_STRUCT_INTEGER:
		return n->ints[1 + n->ints[0] + i];
	default:
		return 0;
	}
}

static bool is_struct(const struct node *n)
{
	return n->combiner == MDL_STRUCT || n->combiner == MDL_STRUCT_INTEGER;
}

/* Do the numbers of arguments match the constructor? */
static bool arguments_fit(const struct node *n)
{
	uint64_t c = n->n_ints && n->ints[0] >= 0 ? (uint64_t)n->ints[0] : UINT64_MAX / 4;

	if (n->n_types != (is_struct(n) ? c : 1))
		return false;
	switch (n->combiner) {
	case MDL_DUP:
		return true;
	case MDL_RESIZED:
		return n->n_addrs == 2;
	case MDL_CONTIGUOUS:
		return n->n_ints == 1 && c <= INT64_MAX;
	case MDL_VECTOR:
	case MDL_HVECTOR_INTEGER:
		return n->n_ints == 3 && c <= INT64_MAX;
	case MDL_HVECTOR:
		return n->n_ints == 2 && n->n_addrs == 1;
	case MDL_INDEXED:
	case MDL_HINDEXED_INTEGER:
	case MDL_STRUCT_INTEGER:
		return n->n_ints == 1 + 2 * c;
	case MDL_HINDEXED:
	case MDL_STRUCT:
		return n->n_ints == 1 + c && n->n_addrs == c;
	case MDL_INDEXED_BLOCK:
		return n->n_ints == 2 + c;
	case MDL_HINDEXED_BLOCK:
		return n->n_ints == 2 && n->n_addrs == c;
	default:
		return false;
	}
}

static uint64_t count_blocks(struct maker *m, const struct node *n, unsigned depth)
{
	int64_t blocks;
	uint64_t total = 0;

	if (!arguments_fit(n)) {
		fail(m, ACC_ECORRUPT, n->id, "arguments of its constructor");
		return 0;
	}
	blocks = n_blocks(n);
	if (n->combiner == MDL_VECTOR || n->combiner == MDL_HVECTOR || n->combiner == MDL_HVECTOR_INTEGER ||
	    n->combiner == MDL_INDEXED_BLOCK || n->combiner == MDL_HINDEXED_BLOCK) {
		if (n->ints[1] < 0) {
			fail(m, ACC_ECORRUPT, n->id, "block length");
			return 0;
		}
		return times(times((uint64_t)blocks, (uint64_t)n->ints[1]),
			     count_basic_types(m, (uint64_t)n->types[0], depth));
	}
	for (int64_t i = 0; i < blocks && !m->rc; i++) {
		int64_t length = block_length(n, i);

		if (length < 0) {
			fail(m, ACC_ECORRUPT, n->id, "block length");
			return 0;
		}
		uint64_t each = is_struct(n) ? count_basic_types(m, (uint64_t)n->types[i], depth) : 1;
		total = plus(total, times((uint64_t)length, each));
	}
	return is_struct(n) ? total : times(total, count_basic_types(m, (uint64_t)n->types[0], depth));
}

static uint64_t count_basic_types(struct maker *m, uint64_t id, unsigned depth)
{
	struct node *n = m->rc ? NULL : node_of(m, id);
	struct array a;

	if (!n)
		return 0;
	if (n->state == DONE)
		return n->total;
	if (n->state == VISITING || depth == DEPTH_MAX) {
		fail(m, n->state == VISITING ? ACC_ECORRUPT : ACC_ELIMIT, id,
		     "it contains itself, or is nested too deep");
		return 0;
	}
	n->state = VISITING;
	if (n->combiner == MDL_SUBARRAY || n->combiner == MDL_DARRAY) {
		if (n->n_types != 1)
			fail(m, ACC_ECORRUPT, id, "arguments of its constructor");
		else if (array_of(m, n, &a)) {
			n->total = count_basic_types(m, (uint64_t)n->types[0], depth + 1);
			for (unsigned i = 0; i < a.n; i++)
				n->total = times(n->total, (uint64_t)a.dims[i].n);
		}
	} else {
		uint64_t total = count_blocks(m, n, depth + 1);

		n->total = total;
	}
	n->state = DONE;
	return m->rc ? 0 : n->total;
}

/* ---- making entries ------------------------------------------------------------------------------------------ */

static bool full(struct maker *m)
{
	if (m->n >= m->cap || m->rc)
		return true;
	if (++m->steps > STEPS_MAX)
		fail(m, ACC_ELIMIT, 0, "type map: too much work");
	return m->rc != ACC_OK;
}

static void make(struct maker *m, const struct node *n, int64_t at);

static void make_block(struct maker *m, uint64_t id, int64_t at, int64_t length)
{
	const struct node *child = node_of(m, id);

	if (!child || !child->total)
		return;
	for (int64_t j = 0; j < length && !full(m); j++)
		make(m, child, (int64_t)((uint64_t)at + (uint64_t)j * (uint64_t)child->extent));
}

/* Advance through the owned indices like an odometer; the fastest dimension is the last (C) or the first (Fortran). */
static void make_array(struct maker *m, const struct node *n, int64_t at)
{
	const struct node *child = node_of(m, (uint64_t)n->types[0]);
	int64_t k[DIMS_MAX] = { 0 };
	struct array a;

	if (!child || !array_of(m, n, &a))
		return;
	while (!full(m)) {
		uint64_t index = 0, stride = 1;
		unsigned i;

		for (i = 0; i < a.n; i++) {
			unsigned d = a.fortran ? i : a.n - 1 - i;
			const struct dim *dim = &a.dims[d];

			index += stride * (uint64_t)(dim->first + k[d] / dim->block * dim->cycle + k[d] % dim->block);
			stride *= (uint64_t)dim->size;
		}
		make(m, child, (int64_t)((uint64_t)at + index * (uint64_t)child->extent));
		for (i = 0; i < a.n; i++) {
			unsigned d = a.fortran ? i : a.n - 1 - i;

			if (++k[d] < a.dims[d].n)
				break;
			k[d] = 0;
		}
		if (i == a.n)
			return;
	}
}

static void make(struct maker *m, const struct node *n, int64_t at)
{
	if (m->n >= m->cap || m->rc)
		return;
	if (is_leaf(n->combiner)) {
		m->entries[m->n++] = (struct mdl_typemap_entry){ at, n->bytes, n->id };
		return;
	}
	if (n->combiner == MDL_SUBARRAY || n->combiner == MDL_DARRAY) {
		make_array(m, n, at);
		return;
	}

	int64_t blocks = n_blocks(n);
	const struct node *child = is_struct(n) || !n->n_types ? NULL : node_of(m, (uint64_t)n->types[0]);
	for (int64_t i = 0; i < blocks && !full(m); i++)
		make_block(m, (uint64_t)n->types[is_struct(n) ? i : 0],
			   (int64_t)((uint64_t)at + (uint64_t)block_at(n, i, child ? child->extent : 0)),
			   block_length(n, i));
}

/* ---- public functions -------------------------------------------------------------------------------- */

static void make_map(struct maker *m, const struct mdl_handle *datatype, uint64_t cap, uint64_t *total)
{
	struct node *root = datatype->id ? node_of(m, datatype->id) : add_node(m, datatype);

	if (!root)
		return;
	*total = count_basic_types(m, root->id, 0);
	if (m->rc)
		return;
	m->cap = cap < *total ? cap : *total;
	m->entries = acc_array(m->t->sp, m->cap, sizeof(*m->entries));
	if (!m->entries)
		fail(m, ACC_ENOMEM, datatype->id, "type map");
	else if (root->total)
		make(m, root, 0);
}

enum acc_rc rd_track_typemap(struct rd_track *t, const struct mdl_handle *datatype, uint64_t cap,
			     struct rd_track_typemap *ret)
{
	if (!t || !datatype || !ret || datatype->kind != MDL_DATATYPE)
		return ACC_EINVAL;
	struct maker m = { .t = t, .nodes = acc_array(t->sp, NODES_MAX, sizeof(*m.nodes)) };
	uint64_t total = 0;

	if (!m.nodes)
		return acc_note(&t->sp->note, ACC_ENOMEM, "type map: %s", acc_rc_text(ACC_ENOMEM));
	acc_space_begin(t->sp);
	make_map(&m, datatype, cap, &total);
	acc_space_end(t->sp);
	for (unsigned i = 0; i < m.n_nodes; i++) {
		acc_array_free(t->sp, m.nodes[i].ints);
		acc_array_free(t->sp, m.nodes[i].addrs);
		acc_array_free(t->sp, m.nodes[i].types);
	}
	acc_array_free(t->sp, m.nodes);
	if (m.rc) {
		acc_array_free(t->sp, m.entries);
		return m.rc;
	}
	*ret = (struct rd_track_typemap){ total, m.n, m.entries };
	return ACC_OK;
}

void rd_track_typemap_free(struct rd_track *t, struct rd_track_typemap *map)
{
	if (!t || !map)
		return;
	acc_array_free(t->sp, map->entries);
	*map = (struct rd_track_typemap){ 0 };
}
