/* SPDX-License-Identifier: BSD-3-Clause */
/* Datatypes by every constructor, nested, duplicated, freed in any order. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1 /* RTLD_DEFAULT, RTLD_NEXT */
#endif
#include "track_object.h"

#define LIST(...)                                                                                                      \
	(sizeof((long long[]){ __VA_ARGS__ }) / sizeof(long long)), (long long[])                                      \
	{                                                                                                              \
		__VA_ARGS__                                                                                            \
	}
#define IS_LIST(span, ...) EXPECT(span_is_i64(span, LIST(__VA_ARGS__)))

/* The record, with what MPI says of the type. */
static const struct trk_datatype *check(MPI_Datatype type, const char *call, int combiner, MPI_Datatype old)
{
	const struct trk_datatype *r = TYPE(type);
	int n_integers, n_addresses, n_types, asked;
	MPI_Count size, lb, extent, true_lb, true_extent;

	REQUIRE(r);
	EXPECT_AT_REST(r);
	EXPECT_CALL(r, call);
	EXPECT_IS(r->predefined, 0);
	EXPECT_IS(r->combiner, combiner);
	MPI_Type_get_envelope(type, &n_integers, &n_addresses, &n_types, &asked);
	EXPECT_IS(r->combiner, asked);
	EXPECT_IS(r->integers.n, n_integers);
	EXPECT_IS(r->addresses.n, n_addresses);
	EXPECT_IS(r->datatypes.n, n_types);
	MPI_Type_size_x(type, &size);
	MPI_Type_get_extent_x(type, &lb, &extent);
	MPI_Type_get_true_extent_x(type, &true_lb, &true_extent);
	EXPECT_IS(r->size, size);
	EXPECT_IS(r->lower_bound, lb);
	EXPECT_IS(r->extent, extent);
	EXPECT_IS(r->true_lower_bound, true_lb);
	EXPECT_IS(r->true_extent, true_extent);
	if (old != MPI_DATATYPE_NULL) {
		const uint64_t *ids = span_at(r->datatypes);
		REQUIRE(ids);
		EXPECT_IS(ids[0], TYPE(old)->id);
		EXPECT_IS(r->parent, TYPE(old)->id);
	}
	EXPECT(!r->committed);
	return r;
}

/* The library's own arguments, for a type without derived constituents. */
static void compare(MPI_Datatype type)
{
	const struct trk_datatype *r = TYPE(type);
	int n_integers, n_addresses, n_types, combiner, integers[64] = { 0 };
	MPI_Aint addresses[64] = { 0 };
	MPI_Datatype types[16];

	MPI_Type_get_envelope(type, &n_integers, &n_addresses, &n_types, &combiner);
	MPI_Type_get_contents(type, n_integers, n_addresses, n_types, integers, addresses, types);
	const int64_t *i64 = span_at(r->integers), *a64 = span_at(r->addresses);
	for (int i = 0; i64 && i < n_integers; i++)
		EXPECT_IS(i64[i], integers[i]);
	for (int i = 0; a64 && i < n_addresses; i++)
		EXPECT_IS(a64[i], addresses[i]);
}

static void predefined(void)
{
	const struct trk_datatype *r = TYPE(MPI_INT);

	REQUIRE(r);
	EXPECT_NAME(r, "MPI_INT");
	EXPECT(r->predefined && r->committed);
	EXPECT_IS(r->size, sizeof(int));
	EXPECT_IS(r->extent, sizeof(int));
	EXPECT_IS(r->combiner, MPI_COMBINER_NAMED);
	EXPECT_IS(r->call, TRK_NO_CALL);
	EXPECT_IS(r->fortran, MPI_Type_c2f(MPI_INT));
	EXPECT_NAME(TYPE(MPI_DOUBLE), "MPI_DOUBLE");
	EXPECT_IS(TYPE(MPI_DOUBLE)->size, 8);
	EXPECT_NAME(TYPE(MPI_2INT), "MPI_2INT");
	EXPECT_NAME(TYPE(MPI_DOUBLE_INT), "MPI_DOUBLE_INT");
	EXPECT_IS(TYPE(MPI_DOUBLE_INT)->size, 12);
	EXPECT_NAME(TYPE(MPI_DATATYPE_NULL), "MPI_DATATYPE_NULL");
	EXPECT_NAME(TYPE(MPI_UINT64_T), "MPI_UINT64_T");
	EXPECT_NAME(TYPE(MPI_BYTE), "MPI_BYTE");
}

static void one_constituent(void)
{
	MPI_Datatype t;
	int lengths[] = { 1, 2 }, displacements[] = { 0, 5 };
	MPI_Aint bytes[] = { 4, -16 };

	MPI_Type_contiguous(7, MPI_INT, &t);
	IS_LIST(check(t, "MPI_Type_contiguous", MPI_COMBINER_CONTIGUOUS, MPI_INT)->integers, 7);
	compare(t);
	MPI_Type_commit(&t);
	EXPECT(TYPE(t)->committed);
	MPI_Type_set_name(t, "seven");
	EXPECT_NAME(TYPE(t), "seven");
	int index = MPI_Type_c2f(t); /* Open MPI assigns it on request */
	EXPECT_IS(TYPE(t)->fortran, index);
	EXPECT(TYPE(t)->has_fortran);
	MPI_Type_free(&t);
	MPI_Type_vector(3, 2, -4, MPI_DOUBLE, &t);
	IS_LIST(check(t, "MPI_Type_vector", MPI_COMBINER_VECTOR, MPI_DOUBLE)->integers, 3, 2, -4);
	compare(t);
	MPI_Type_free(&t);
	MPI_Type_create_hvector(3, 2, 100, MPI_CHAR, &t);
	IS_LIST(check(t, "MPI_Type_create_hvector", MPI_COMBINER_HVECTOR, MPI_CHAR)->addresses, 100);
	compare(t);
	MPI_Type_free(&t);
	MPI_Type_indexed(2, lengths, displacements, MPI_SHORT, &t);
	IS_LIST(check(t, "MPI_Type_indexed", MPI_COMBINER_INDEXED, MPI_SHORT)->integers, 2, 1, 2, 0, 5);
	compare(t);
	MPI_Type_free(&t);
	MPI_Type_create_hindexed(2, lengths, bytes, MPI_SHORT, &t);
	IS_LIST(check(t, "MPI_Type_create_hindexed", MPI_COMBINER_HINDEXED, MPI_SHORT)->addresses, 4, -16);
	compare(t);
	MPI_Type_free(&t);
	MPI_Type_create_indexed_block(2, 3, displacements, MPI_LONG, &t);
	IS_LIST(check(t, "MPI_Type_create_indexed_block", MPI_COMBINER_INDEXED_BLOCK, MPI_LONG)->integers, 2, 3, 0, 5);
	compare(t);
	MPI_Type_free(&t);
	MPI_Type_create_hindexed_block(2, 3, bytes, MPI_LONG, &t);
	IS_LIST(check(t, "MPI_Type_create_hindexed_block", MPI_COMBINER_HINDEXED_BLOCK, MPI_LONG)->integers, 2, 3);
	compare(t);
	MPI_Type_free(&t);
	MPI_Type_create_resized(MPI_FLOAT, -4, 64, &t);
	IS_LIST(check(t, "MPI_Type_create_resized", MPI_COMBINER_RESIZED, MPI_FLOAT)->addresses, -4, 64);
	compare(t);
	MPI_Type_free(&t);
	MPI_Type_create_subarray(2, (int[]){ 6, 7 }, (int[]){ 2, 3 }, (int[]){ 1, 4 }, MPI_ORDER_FORTRAN, MPI_INT, &t);
	IS_LIST(check(t, "MPI_Type_create_subarray", MPI_COMBINER_SUBARRAY, MPI_INT)->integers, 2, 6, 7, 2, 3, 1, 4,
		MPI_ORDER_FORTRAN);
	compare(t);
	MPI_Type_free(&t);
	MPI_Type_create_darray(4, 1, 2, (int[]){ 8, 9 }, (int[]){ MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC },
			       (int[]){ MPI_DISTRIBUTE_DFLT_DARG, 2 }, (int[]){ 2, 2 }, MPI_ORDER_C, MPI_INT, &t);
	IS_LIST(check(t, "MPI_Type_create_darray", MPI_COMBINER_DARRAY, MPI_INT)->integers, 4, 1, 2, 8, 9,
		MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_DFLT_DARG, 2, 2, 2, MPI_ORDER_C);
	compare(t);
	MPI_Type_free(&t);
	MPI_Type_contiguous(0, MPI_INT, &t);
	IS_LIST(check(t, "MPI_Type_contiguous", MPI_COMBINER_CONTIGUOUS, MPI_INT)->integers, 0);
	MPI_Type_free(&t);
}

static void nested(void)
{
	MPI_Datatype vector, inner, outer, parts[3] = { MPI_INT, 0, MPI_DOUBLE }, got[3];
	int lengths[] = { 1, 2, 3 }, integers[8];
	MPI_Aint at[] = { 0, 8, 400 }, addresses[8];

	MPI_Type_vector(2, 1, 3, MPI_INT, &vector);
	MPI_Type_create_resized(vector, 0, 100, &inner);
	parts[1] = inner;
	MPI_Type_create_struct(3, lengths, at, parts, &outer);
	const struct trk_datatype *r = check(outer, "MPI_Type_create_struct", MPI_COMBINER_STRUCT, MPI_INT);
	const struct trk_datatype *inner_record = TYPE(inner), *vector_record = TYPE(vector);
	IS_LIST(r->integers, 3, 1, 2, 3);
	IS_LIST(r->addresses, 0, 8, 400);
	const uint64_t *ids = span_at(r->datatypes);
	REQUIRE(ids);
	EXPECT_IS(ids[1], inner_record->id);
	EXPECT_IS(ids[2], TYPE(MPI_DOUBLE)->id);
	/* freed before the types made from them: their records remain, however many types are created */
	MPI_Datatype was = inner;
	MPI_Type_free(&inner);
	MPI_Type_free(&vector);
	EXPECT_IS(inner_record->state, TRK_FREED);
	uint64_t inner_id = ids[1], vector_id = vector_record->id;
	for (int i = 0; i < 20000; i++) {
		MPI_Datatype t;
		MPI_Type_contiguous(i % 5, MPI_INT, &t);
		MPI_Type_free(&t);
	}
	EXPECT(inner_record->id == inner_id && inner_record->state != TRK_FREE);
	EXPECT(vector_record->id == vector_id && vector_record->state != TRK_FREE);
	IS_LIST(vector_record->integers, 2, 1, 3);
	EXPECT_IS(registry_slab(TRK_DATATYPE)->n_dropped, 0);
	(void)was;
	/* handles of the constituents, or of copies of them */
	uint32_t n_live = registry_slab(TRK_DATATYPE)->n_live;
	MPI_Type_get_contents(outer, 4, 3, 3, integers, addresses, got);
	const struct trk_datatype *copy = TYPE(got[1]);
	REQUIRE(copy);
	EXPECT(got[0] == MPI_INT && got[2] == MPI_DOUBLE);
	if (copy != inner_record) {
		EXPECT_CALL(copy, "MPI_Type_get_contents");
		EXPECT_IS(copy->parent, r->id);
		int n_integers, n_addresses, n_types, combiner;
		MPI_Type_get_envelope(got[1], &n_integers, &n_addresses, &n_types, &combiner);
		EXPECT_IS(copy->combiner, combiner);
		EXPECT_IS(copy->datatypes.n, n_types);
	}
	MPI_Type_free(&got[1]);
	EXPECT_IS(registry_slab(TRK_DATATYPE)->n_live, n_live);
	MPI_Type_free(&outer);
	for (int i = 0; i < 20000; i++) { /* now nothing needs them */
		MPI_Datatype t;
		MPI_Type_contiguous(i % 5, MPI_INT, &t);
		MPI_Type_free(&t);
	}
	EXPECT(inner_record->id != inner_id);
	EXPECT(vector_record->id != vector_id);
}

static void duplicates(void)
{
	MPI_Datatype a, b;
	int key;
	static char value[2];

	MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, &key, NULL);
	EXPECT_IS(KEYVAL(key)->object_kind, TRK_DATATYPE);
	MPI_Type_vector(2, 1, 3, MPI_INT, &a);
	MPI_Type_commit(&a);
	MPI_Type_set_attr(a, key, value);
	MPI_Type_dup(a, &b);
	const struct trk_datatype *r = TYPE(b);
	REQUIRE(r);
	EXPECT_CALL(r, "MPI_Type_dup");
	EXPECT_IS(r->combiner, MPI_COMBINER_DUP);
	EXPECT_IS(r->parent, TYPE(a)->id);
	EXPECT(r->committed);
	REQUIRE(attribute_of(r->attributes, key));
	EXPECT_IS(attribute_of(r->attributes, key)->value, (uintptr_t)value);
	MPI_Type_delete_attr(b, key);
	EXPECT_IS(TYPE(b)->attributes.n, 0);
	MPI_Type_free(&b);
	MPI_Type_free(&a);
	MPI_Type_dup(MPI_INT, &b);
	REQUIRE(TYPE(b));
	EXPECT_IS(TYPE(b)->parent, TYPE(MPI_INT)->id);
	MPI_Type_free(&b);
	MPI_Type_free_keyval(&key);
}

static void f90(void)
{
	MPI_Datatype a, b;

	MPI_Type_create_f90_real(6, 30, &a);
	const struct trk_datatype *r = TYPE(a);
	REQUIRE(r);
	EXPECT(r->predefined);
	uint32_t n_live = registry_slab(TRK_DATATYPE)->n_live;
	MPI_Type_create_f90_real(6, 30, &b);
	EXPECT(a == b && TYPE(b) == r);
	EXPECT_IS(registry_slab(TRK_DATATYPE)->n_live, n_live);
	if (r->combiner == MPI_COMBINER_F90_REAL) {
		IS_LIST(r->integers, 6, 30);
	}
	MPI_Type_create_f90_integer(5, &a);
	REQUIRE(TYPE(a));
	MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, &a);
	REQUIRE(TYPE(a));
	EXPECT(TYPE(a)->predefined);
}

static void large(void)
{
#if MPI_VERSION >= 4
	MPI_Datatype t;
	MPI_Count lengths[] = { 1, (MPI_Count)1 << 32 }, at[] = { 0, (MPI_Count)1 << 40 };

	MPI_Type_vector_c((MPI_Count)3 << 31, 1, 2, MPI_CHAR, &t);
	REQUIRE(TYPE(t));
	EXPECT_CALL(TYPE(t), "MPI_Type_vector_c");
	IS_LIST(TYPE(t)->integers, 3LL << 31, 1, 2);
	EXPECT_IS(TYPE(t)->size, 3LL << 31);
	MPI_Type_free(&t);
	MPI_Type_create_hindexed_c(2, lengths, at, MPI_CHAR, &t);
	REQUIRE(TYPE(t));
	IS_LIST(TYPE(t)->integers, 2, 1, 1LL << 32);
	IS_LIST(TYPE(t)->addresses, 0, 1LL << 40);
	EXPECT_IS(TYPE(t)->combiner, MPI_COMBINER_HINDEXED);
	MPI_Type_free(&t);
#endif
}

static void no_handler(MPI_Comm *comm, int *code, ...)
{
	(void)comm, (void)code;
}

/* Removed in MPI-3, and still in the libraries: old binaries call them. Libraries make others of them:
 * one object each. */
static void mpi_1(void)
{
	const struct trk_slab *types = registry_slab(TRK_DATATYPE), *handlers = registry_slab(TRK_ERRHANDLER),
			      *keyvals = registry_slab(TRK_KEYVAL);
	uint64_t n_types = types->n_born, n_handlers = handlers->n_born, n_keyvals = keyvals->n_born;
	int (*struct_1)(int, int *, MPI_Aint *, MPI_Datatype *, MPI_Datatype *) = dlsym(RTLD_DEFAULT,
											"MPI_Type_struct");
	int (*hvector)(int, int, MPI_Aint, MPI_Datatype, MPI_Datatype *) = dlsym(RTLD_DEFAULT, "MPI_Type_hvector");
	int (*hindexed)(int, int *, MPI_Aint *, MPI_Datatype, MPI_Datatype *) = dlsym(RTLD_DEFAULT,
										      "MPI_Type_hindexed");
	MPI_Datatype t, old = MPI_INT;
	int two = 2;
	MPI_Aint at = 8;

	EXPECT(struct_1 && hvector && hindexed);
	if (struct_1(1, &two, &at, &old, &t) == MPI_SUCCESS) {
		REQUIRE(TYPE(t));
		EXPECT_CALL(TYPE(t), "MPI_Type_struct");
		IS_LIST(TYPE(t)->addresses, 8);
		EXPECT_IS(types->n_born, ++n_types);
		MPI_Type_free(&t);
	}
	if (hvector(3, 2, 100, MPI_INT, &t) == MPI_SUCCESS) {
		EXPECT_CALL(TYPE(t), "MPI_Type_hvector");
		EXPECT_IS(types->n_born, ++n_types);
		MPI_Type_free(&t);
	}
	if (hindexed(1, &two, &at, MPI_INT, &t) == MPI_SUCCESS) {
		EXPECT_CALL(TYPE(t), "MPI_Type_hindexed");
		EXPECT_IS(types->n_born, ++n_types);
		MPI_Type_free(&t);
	}
	int (*handler)(void (*)(MPI_Comm *, int *, ...), MPI_Errhandler *) = dlsym(RTLD_DEFAULT,
										   "MPI_Errhandler_create");
	int (*keyval)(void *, void *, int *, void *) = dlsym(RTLD_DEFAULT, "MPI_Keyval_create");
	MPI_Errhandler e;
	int key;

	EXPECT(handler && keyval);
	if (handler(no_handler, &e) == MPI_SUCCESS) {
		EXPECT_IS(handlers->n_born, ++n_handlers);
		MPI_Errhandler_free(&e);
	}
	if (keyval((void *)(uintptr_t)MPI_COMM_NULL_COPY_FN, (void *)(uintptr_t)MPI_COMM_NULL_DELETE_FN, &key, NULL) ==
	    MPI_SUCCESS) {
		EXPECT_IS(keyvals->n_born, ++n_keyvals);
		MPI_Comm_free_keyval(&key);
	}
}

int main(int argc, char *argv[])
{
	MPI_Init(&argc, &argv);
	registry_open();
	predefined();
	uint32_t n_live = registry_slab(TRK_DATATYPE)->n_live;
	one_constituent();
	nested();
	duplicates();
	large();
	mpi_1();
	EXPECT_IS(registry_slab(TRK_DATATYPE)->n_live, n_live);
	f90();
	EXPECT_IS(registry->n_arena_dropped, 0);
	MPI_Finalize();
	return registry_close();
}
