/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Records of datatypes. A record pins the records of its constituents, because its type map needs them after the
 * program has freed them. The pins are stored behind the numbers in the same block, where readers do not look.
 */
#include "datatype.h"

#include "arena.h"
#include "attribute.h"

#include <string.h>

/* Facts queried from the library. */
struct facts {
	int64_t size, lower_bound, extent, true_lower_bound, true_extent;
	char name[MPI_MAX_OBJECT_NAME + 1]; /* Open MPI names a copied type: "Dup MPI_INT" */
};

static struct facts query(MPI_Datatype type)
{
	struct facts f = { -1, 0, -1, 0, -1, "" };
	MPI_Count size = -1, lb = 0, extent = -1, true_lb = 0, true_extent = -1;

	/* MPI_UNDEFINED, a negative number: Open MPI 6.0 has no such optional type */
	if (m2d_pmpi.Type_size_x && m2d_pmpi.Type_size_x(type, &size) == MPI_SUCCESS && size >= 0)
		f.size = size;
	if (m2d_pmpi.Type_get_extent_x && m2d_pmpi.Type_get_extent_x(type, &lb, &extent) == MPI_SUCCESS) {
		f.lower_bound = lb;
		f.extent = extent;
	}
	if (m2d_pmpi.Type_get_true_extent_x &&
	    m2d_pmpi.Type_get_true_extent_x(type, &true_lb, &true_extent) == MPI_SUCCESS) {
		f.true_lower_bound = true_lb;
		f.true_extent = true_extent;
	}
	int length;
	if (!m2d_pmpi.Type_get_name || m2d_pmpi.Type_get_name(type, f.name, &length) != MPI_SUCCESS)
		f.name[0] = '\0';
	return f;
}

static void write_facts(struct trk_datatype *r, const struct facts *f)
{
	r->size = f->size;
	r->lower_bound = f->lower_bound;
	r->extent = f->extent;
	r->true_lower_bound = f->true_lower_bound;
	r->true_extent = f->true_extent;
	if (f->name[0] && !r->name[0])
		trk_set_name(r, f->name);
}

static struct trk_span flatten(const struct trk_list lists[], unsigned n_lists)
{
	size_t n = 0;
	struct trk_span ret;

	for (unsigned i = 0; i < n_lists; i++)
		n += lists[i].n;
	int64_t *to = trk_span_new(&ret, n, sizeof(*to), 0);
	for (unsigned i = 0; to && i < n_lists; i++) {
		const struct trk_list *l = &lists[i];
		for (size_t j = 0; j < l->n; j++)
			*to++ = !l->at          ? l->number
				: l->bytes == 4 ? ((const int32_t *)l->at)[j]
						: ((const int64_t *)l->at)[j];
	}
	return ret;
}

/* ---- constituents ------------------------------------------------------------------------------------- */

static uint32_t *pins_of(struct trk_span datatypes)
{
	uint64_t *ids = trk_span_at(datatypes);

	return ids ? (uint32_t *)(void *)(ids + datatypes.n) : NULL;
}

static struct trk_span constituents(int64_t n, const MPI_Datatype types[])
{
	struct trk_span ret;
	uint64_t *ids = trk_span_new(&ret, n > 0 ? (size_t)n : 0, sizeof(*ids),
				     n > 0 ? (size_t)n * sizeof(uint32_t) : 0);
	uint32_t *pins = pins_of(ret);

	for (int64_t i = 0; ids && i < n; i++) {
		struct trk_object *o = trk_find(TRK_DATATYPE, TRK_BITS(types[i]));
		ids[i] = o ? o->id : 0;
		pins[i] = trk_pin(TRK_DATATYPE, o);
	}
	return ret;
}

/* The constituents of another record, with pins of their own, for a copy of that record. */
static struct trk_span constituents_of(const struct trk_datatype *from)
{
	struct trk_span ret;
	uint32_t n = from->datatypes.n;
	uint64_t *ids = trk_span_new(&ret, n, sizeof(*ids), n * sizeof(uint32_t));
	uint32_t *pins = pins_of(ret), *from_pins = pins_of(from->datatypes);

	if (!ids)
		return trk_span_unknown(from->datatypes.total);
	memcpy(ids, trk_span_at(from->datatypes), n * sizeof(*ids));
	for (uint32_t i = 0; i < n; i++)
		pins[i] = trk_pin(TRK_DATATYPE, trk_pinned(TRK_DATATYPE, from_pins[i]));
	return ret;
}

static void forget_datatype(void *record)
{
	const struct trk_datatype *r = record;
	const uint32_t *pins = pins_of(r->datatypes);

	for (uint32_t i = 0; pins && i < r->datatypes.n; i++)
		trk_unpin(TRK_DATATYPE, pins[i]);
}

static const struct trk_hooks hooks = { .kind = TRK_DATATYPE, .forget = forget_datatype };
TRK_HOOKS(hooks);

/* ---- creation ----------------------------------------------------------------------------------------- */

void trk_datatype_made(const struct trk_contents *c, int64_t n, const MPI_Datatype types[], MPI_Datatype type)
{
	struct facts f = query(type);

	if (!trk_lock())
		return;
	/* without constituents the library may return a type of its own (an empty struct) */
	struct trk_object *had = trk_find(TRK_DATATYPE, TRK_BITS(type));
	if (!had || !had->predefined) {
		struct trk_datatype *r = trk_create(TRK_DATATYPE, TRK_BITS(type),
						    n > 0 ? trk_id_of(TRK_DATATYPE, TRK_BITS(types[0])) : 0);
		if (r) {
			r->combiner = c->combiner;
			r->integers = flatten(c->integers, c->n_integers);
			r->addresses = flatten(c->addresses, c->n_addresses);
			r->datatypes = constituents(n, types);
			write_facts(r, &f);
			trk_publish(TRK_DATATYPE, r);
		}
	}
	trk_unlock();
}

void trk_datatype_duplicated(MPI_Datatype from, MPI_Datatype type)
{
	struct trk_contents c;
	trk_contents_begin(&c, MPI_COMBINER_DUP);
	trk_datatype_made(&c, 1, &from, type);
	if (trk_lock()) {
		/* the copy of a committed type is committed */
		const struct trk_datatype *original = trk_find(TRK_DATATYPE, TRK_BITS(from));
		struct trk_datatype *r = trk_find(TRK_DATATYPE, TRK_BITS(type));
		if (original && r && r != original) {
			trk_change(r);
			r->committed = original->committed;
			trk_changed(r);
		}
		trk_unlock();
	}
	trk_attributes_copied(TRK_DATATYPE, TRK_BITS(from), TRK_BITS(type));
}

void trk_datatype_f90(int combiner, int n, const int arguments[], MPI_Datatype type)
{
	struct facts f = query(type);

	if (!trk_lock())
		return;
	if (!trk_find(TRK_DATATYPE, TRK_BITS(type))) {
		struct trk_datatype *r = trk_create(TRK_DATATYPE, TRK_BITS(type), 0);
		if (r) {
			int64_t integers[2] = { arguments[0], n > 1 ? arguments[1] : 0 };
			TRK_PUT(r->predefined, 1);
			r->committed = 1;
			r->combiner = combiner;
			r->integers = trk_span_copy(integers, (size_t)n, sizeof(integers[0]));
			write_facts(r, &f);
			trk_publish(TRK_DATATYPE, r);
		}
	}
	trk_unlock();
}

void trk_datatype_committed(MPI_Datatype type)
{
	if (!trk_lock())
		return;
	struct trk_datatype *r = trk_find(TRK_DATATYPE, TRK_BITS(type));
	if (r)
		r->committed = 1;
	trk_unlock();
}

/* ---- handles that are given back ---------------------------------------------------------------------- */

/*
 * The combiner and the number of constituents. Types with large
 * counts need the function for large counts; the other one fails.
 */
static int query_envelope(MPI_Datatype type, int64_t *ret_n)
{
	int combiner = -1;

	*ret_n = 0;
#if M2D_LARGE_COUNTS
	MPI_Count integers, addresses, large, types;
	if (m2d_pmpi.Type_get_envelope_c &&
	    m2d_pmpi.Type_get_envelope_c(type, &integers, &addresses, &large, &types, &combiner) == MPI_SUCCESS)
		*ret_n = types;
#else
	int integers, addresses, types;
	if (m2d_pmpi.Type_get_envelope &&
	    m2d_pmpi.Type_get_envelope(type, &integers, &addresses, &types, &combiner) == MPI_SUCCESS)
		*ret_n = types;
#endif
	return combiner;
}

/* The library may have returned a duplicate, or a type with one element: the original becomes its constituent. */
static void write_copy(struct trk_datatype *r, struct trk_datatype *original, MPI_Datatype original_handle)
{
	int64_t one = 1;

	r->committed = original->committed;
	if (original->combiner == r->combiner) {
		r->integers = trk_span_share(original->integers);
		r->addresses = trk_span_share(original->addresses);
		r->datatypes = constituents_of(original);
		return;
	}
	r->datatypes = constituents(1, &original_handle);
	if (r->combiner == MPI_COMBINER_CONTIGUOUS)
		r->integers = trk_span_copy(&one, 1, sizeof(one));
}

static void record_returned(struct trk_datatype *original, uint64_t parent, MPI_Datatype type, const struct facts *f,
			    int combiner)
{
	struct trk_object *had = trk_find(TRK_DATATYPE, TRK_BITS(type));

	if (had) {
		trk_add_reference(had);
		return;
	}
	/* keeps the original's record while the new one is created */
	uint32_t pin = trk_pin(TRK_DATATYPE, original);
	struct trk_datatype *r = trk_create(TRK_DATATYPE, TRK_BITS(type), parent);
	if (r) {
		r->combiner = combiner;
		if (original)
			write_copy(r, original, TRK_HANDLE(MPI_Datatype, original->handle));
		write_facts(r, f);
		trk_publish(TRK_DATATYPE, r);
	}
	trk_unpin(TRK_DATATYPE, pin);
}

void trk_datatypes_returned(MPI_Datatype container, int64_t max, const MPI_Datatype types[])
{
	int64_t n;

	query_envelope(container, &n);
	for (int64_t i = 0; i < n && i < max; i++) {
		int64_t unused;
		if (trk_is_predefined(TRK_DATATYPE, TRK_BITS(types[i])))
			continue;
		struct facts f = query(types[i]);
		int combiner = query_envelope(types[i], &unused);
		if (!trk_lock())
			return;
		struct trk_datatype *c = trk_find(TRK_DATATYPE, TRK_BITS(container)), *original = NULL;
		const uint32_t *pins = c ? pins_of(c->datatypes) : NULL;
		if (pins && i < c->datatypes.n)
			original = trk_pinned(TRK_DATATYPE, pins[i]);
		record_returned(original, c ? c->id : 0, types[i], &f, combiner);
		trk_unlock();
	}
}

void trk_datatype_returned(uint32_t pin, uint64_t id, MPI_Datatype type)
{
	int64_t unused;

	if (trk_is_predefined(TRK_DATATYPE, TRK_BITS(type)))
		return;
	struct facts f = query(type);
	int combiner = query_envelope(type, &unused);
	if (!trk_lock())
		return;
	struct trk_datatype *o = trk_pinned(TRK_DATATYPE, pin);
	record_returned(o && o->id == id ? o : NULL, id, type, &f, combiner);
	trk_unlock();
}

void trk_datatype_query(uint64_t handle)
{
	struct facts f = query(TRK_HANDLE(MPI_Datatype, handle));

	if (!trk_lock())
		return;
	struct trk_datatype *r = trk_find(TRK_DATATYPE, handle);
	if (r) {
		trk_change(r);
		write_facts(r, &f);
		trk_changed(r);
	}
	trk_unlock();
}
