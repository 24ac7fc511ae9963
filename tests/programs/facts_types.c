/* SPDX-License-Identifier: BSD-3-Clause */
/* Datatypes by every constructor, nested and named, with
 * attributes, in use, freed; on 2 ranks. Rank 0 ends in MPI_Recv. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1 /* RTLD_DEFAULT, RTLD_NEXT */
#endif
#define FACTS_THREADS MPI_THREAD_SERIALIZED
#include "facts.h"

#include <dlfcn.h>
#include <pthread.h>

enum { ROOM = 65536, BEFORE = 2048 };

/* Displacement of every byte, found by packing a buffer that
 * contains its own displacements: low bytes, then high bytes. */
static int displacements(MPI_Datatype type, int ret[ROOM])
{
	static unsigned char low[ROOM], high[ROOM], packed[2][ROOM];
	int size, at = 0, at2 = 0;

	for (int i = 0; i < ROOM; i++) {
		low[i] = (unsigned char)i;
		high[i] = (unsigned char)(i >> 8);
	}
	MPI_Type_size(type, &size);
	MPI_Pack(low + BEFORE, 1, type, packed[0], ROOM, &at, MPI_COMM_SELF);
	MPI_Pack(high + BEFORE, 1, type, packed[1], ROOM, &at2, MPI_COMM_SELF);
	TRUST(at == size && at2 == size);
	for (int i = 0; i < size; i++)
		ret[i] = (packed[0][i] | packed[1][i] << 8) - BEFORE;
	return size;
}

/* Bytes between its bounds, or its first and last byte, that are not part of it. */
static void emit_holes(MPI_Datatype type, const int *bytes, int n, MPI_Aint lb, MPI_Aint extent)
{
	static char used[2 * ROOM];
	bool first = true;

	memset(used, 0, sizeof(used));
	for (int i = 0; i < n; i++)
		used[bytes[i] + ROOM] = 1;
	if (facts_rank)
		return;
	printf("fact datatype 0x%" PRIx64 " holes [", BITS(type));
	for (MPI_Aint at = lb; at < lb + extent; at++) {
		MPI_Aint end = at;

		while (end < lb + extent && !used[end + ROOM])
			end++;
		if (end > at)
			printf("%s{\"displacement\": %ld, \"bytes\": %ld}", first ? "" : ", ", (long)at,
			       (long)(end - at));
		first = first && end == at;
		at = end > at ? end - 1 : at;
	}
	puts("]");
}

static void emit_contents(MPI_Datatype type, const char *combiner)
{
	int n_integers, n_addresses, n_types, number, integers[64] = { 0 };
	MPI_Aint addresses[64];
	MPI_Datatype types[16];

	FACT("datatype", type, "combiner", "\"%s\"", combiner);
	MPI_Type_get_envelope(type, &n_integers, &n_addresses, &n_types, &number);
	if (number == MPI_COMBINER_NAMED)
		return;
	MPI_Type_get_contents(type, n_integers, n_addresses, n_types, integers, addresses, types);
	if (n_integers)
		emit_ints("fact datatype", BITS(type), "integers", integers, n_integers);
	if (n_addresses && !facts_rank) {
		printf("fact datatype 0x%" PRIx64 " addresses [", BITS(type));
		for (int i = 0; i < n_addresses; i++)
			printf("%s%ld", i ? "," : "", (long)addresses[i]);
		puts("]");
	}
	/* whatever came back is ours to free, unless it is predefined */
	for (int i = 0; i < n_types; i++) {
		int a, b, c;

		MPI_Type_get_envelope(types[i], &a, &b, &c, &number);
		if (number != MPI_COMBINER_NAMED)
			MPI_Type_free(&types[i]);
	}
}

static void emit_type(MPI_Datatype type, const char *made_by, const char *combiner)
{
	static int bytes[ROOM];
	MPI_Aint lb, extent, true_lb, true_extent;
	char name[MPI_MAX_OBJECT_NAME];
	int size, length, n;

	MPI_Type_commit(&type);
	MPI_Type_size(type, &size);
	MPI_Type_get_extent(type, &lb, &extent);
	MPI_Type_get_true_extent(type, &true_lb, &true_extent);
	MPI_Type_get_name(type, name, &length);
	FACT("datatype", type, "made_by", "\"%s\"", made_by);
	FACT("datatype", type, "name", "\"%s\"", name);
	FACT("datatype", type, "predefined", "false");
	FACT("datatype", type, "committed", "true");
	FACT("datatype", type, "state", "\"live\"");
	FACT("datatype", type, "object_freed", "false");
	FACT("datatype", type, "size", "%d", size);
	FACT("datatype", type, "lower_bound", "%ld", (long)lb);
	FACT("datatype", type, "extent", "%ld", (long)extent);
	FACT("datatype", type, "true_lower_bound", "%ld", (long)true_lb);
	FACT("datatype", type, "true_extent", "%ld", (long)true_extent);
	emit_contents(type, combiner);
	n = displacements(type, bytes);
	emit_ints("bytes datatype", BITS(type), "", bytes, n);
	/* an upper bound that was set in a part may lie before the last byte */
	MPI_Aint from = true_lb < lb ? true_lb : lb, end = true_lb + true_extent, ub = lb + extent;
	emit_holes(type, bytes, n, from, (end > ub ? end : ub) - from);
}

static MPI_Datatype record; /* {int at 0, 2 pairs at 8, double at 48}: a structure with a structure in it */

static void *construct(void *type)
{
	MPI_Type_contiguous(11, MPI_SHORT, type);
	return NULL;
}

/* By a thread, whose memory is in an arena of its own. */
static void in_thread(void)
{
	pthread_t thread;
	MPI_Datatype t;

	TRUST(!pthread_create(&thread, NULL, construct, &t) && !pthread_join(thread, NULL));
	emit_type(t, "MPI_Type_contiguous", "contiguous");
}

static void constructors(void)
{
	int lengths[] = { 2, 0, 3 }, at[] = { 5, 0, 1 };
	MPI_Aint bytes_at[] = { 40, 9, 3 };
	MPI_Datatype t, types[] = { MPI_DOUBLE, MPI_INT, MPI_CHAR };

	MPI_Type_contiguous(5, MPI_SHORT, &t);
	emit_type(t, "MPI_Type_contiguous", "contiguous");
	FACT("datatype", t, "datatypes_names", "[\"MPI_SHORT\"]");
	MPI_Type_vector(3, 2, 4, MPI_INT, &t);
	emit_type(t, "MPI_Type_vector", "vector");
	MPI_Type_vector(3, 1, -2, MPI_FLOAT, &t);
	emit_type(t, "MPI_Type_vector", "vector");
	MPI_Type_create_hvector(3, 2, 19, MPI_INT, &t);
	emit_type(t, "MPI_Type_create_hvector", "hvector");
	MPI_Type_indexed(3, lengths, at, MPI_DOUBLE, &t);
	emit_type(t, "MPI_Type_indexed", "indexed");
	MPI_Type_create_hindexed(3, lengths, bytes_at, MPI_CHAR, &t);
	emit_type(t, "MPI_Type_create_hindexed", "hindexed");
	MPI_Type_create_indexed_block(3, 2, at, MPI_INT, &t);
	emit_type(t, "MPI_Type_create_indexed_block", "indexed_block");
	MPI_Type_create_hindexed_block(3, 2, bytes_at, MPI_CHAR, &t);
	emit_type(t, "MPI_Type_create_hindexed_block", "hindexed_block");
	MPI_Type_create_struct(3, lengths, bytes_at, types, &t);
	emit_type(t, "MPI_Type_create_struct", "struct");
	FACT("datatype", t, "datatypes_names", "[\"MPI_DOUBLE\",\"MPI_INT\",\"MPI_CHAR\"]");
	MPI_Type_create_resized(MPI_INT, -4, 24, &t);
	emit_type(t, "MPI_Type_create_resized", "resized");
	MPI_Type_dup(MPI_LONG, &t);
	emit_type(t, "MPI_Type_dup", "dup");
	MPI_Type_contiguous(0, MPI_INT, &t);
	FACT("datatype", t, "size", "0");
	FACT("datatype", t, "elements", "0");
}

static void arrays(void)
{
	int sizes[] = { 4, 3, 5 }, parts[] = { 2, 2, 3 }, starts[] = { 1, 0, 2 };
	int gsizes[] = { 7, 4, 5 }, args[] = { 2, MPI_DISTRIBUTE_DFLT_DARG, 3 }, psizes[] = { 2, 1, 2 };
	int distribs[] = { MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_BLOCK };
	int defaults[] = { MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG };
	MPI_Datatype t;

	for (int i = 0; i < 2; i++) {
		MPI_Type_create_subarray(3, sizes, parts, starts, i ? MPI_ORDER_FORTRAN : MPI_ORDER_C, MPI_INT, &t);
		emit_type(t, "MPI_Type_create_subarray", "subarray");
	}
	for (int p = 0; p < 4; p++) {
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION < 40000000
		if (p == 1)
			continue; /* MPICH 3.4.1 packs other elements than those that the standard defines */
#endif
		MPI_Type_create_darray(4, p, 3, gsizes, distribs, p < 2 ? args : defaults, psizes,
				       p & 1 ? MPI_ORDER_C : MPI_ORDER_FORTRAN, MPI_SHORT, &t);
		emit_type(t, "MPI_Type_create_darray", "darray");
	}
}

static void nested(void)
{
	int two[] = { 1, 1 }, lengths[] = { 1, 2, 1 };
	MPI_Aint pair_at[] = { 0, 4 }, at[] = { 0, 8, 48 };
	MPI_Datatype pair, resized, t, u, pair_types[] = { MPI_FLOAT, MPI_CHAR }, types[3] = { MPI_INT, 0, MPI_DOUBLE };

	MPI_Type_create_struct(2, two, pair_at, pair_types, &pair);
	MPI_Type_set_name(pair, "pair");
	MPI_Type_create_resized(pair, 0, 16, &resized);
	MPI_Type_set_name(resized, "wide pair");
	types[1] = resized;
	MPI_Type_create_struct(3, lengths, at, types, &record);
	MPI_Type_set_name(record, "a record");
	emit_type(record, "MPI_Type_create_struct", "struct");
	PRINTS("datatype", &record, MPI_Type_c2f(record));
	FACT("datatype", record, "datatypes_names", "[\"MPI_INT\",\"wide pair\",\"MPI_DOUBLE\"]");
	FACT("datatype", resized, "parent_name", "\"pair\"");
	FACT("datatype", pair, "committed", "false");
	MPI_Type_vector(2, 2, 3, record, &t);
	emit_type(t, "MPI_Type_vector", "vector");
	MPI_Type_create_indexed_block(2, 1, (int[]){ 3, 0 }, t, &u);
	emit_type(u, "MPI_Type_create_indexed_block", "indexed_block");
	MPI_Type_dup(u, &t);
	emit_type(t, "MPI_Type_dup", "dup");
	/* its parts are freed: they stay known as long as it lives */
	MPI_Type_contiguous(3, MPI_INT, &pair);
	MPI_Type_vector(2, 1, 2, pair, &t);
	MPI_Type_free(&pair);
	MPI_Type_contiguous(2, MPI_CHAR, &pair);
	FACT("datatype", pair, "committed", "false");
	emit_type(t, "MPI_Type_vector", "vector");
}

/* Predefined pairs, and types made from them, have a type map with holes. */
static void pairs(void)
{
	static const MPI_Datatype some[] = { MPI_FLOAT_INT, MPI_DOUBLE_INT, MPI_LONG_INT,
					     MPI_SHORT_INT, MPI_2INT,       MPI_LONG_DOUBLE_INT };
	static int bytes[ROOM];
	MPI_Aint lb, extent;
	MPI_Datatype t;

	for (size_t i = 0; i < sizeof(some) / sizeof(some[0]); i++) {
		int n = displacements(some[i], bytes);

		MPI_Type_get_extent(some[i], &lb, &extent);
		emit_ints("bytes datatype", BITS(some[i]), "", bytes, n);
		emit_holes(some[i], bytes, n, lb, extent);
		FACT("datatype", some[i], "elements", "2");
		MPI_Type_contiguous(3, some[i], &t);
		emit_type(t, "MPI_Type_contiguous", "contiguous");
		MPI_Type_vector(2, 1, 2, some[i], &t);
		emit_type(t, "MPI_Type_vector", "vector");
	}
	MPI_Type_contiguous(3, MPI_SHORT_INT, &t);
	MPI_Type_set_name(t, "three pairs");
	FACT("datatype", t, "datatypes_names", "[\"MPI_SHORT_INT\"]");
	FACT("datatype", t, "holes",
	     "[{\"displacement\": %d, \"bytes\": 2}, {\"displacement\": %d, \"bytes\": 2}, "
	     "{\"displacement\": %d, \"bytes\": 2}]",
	     2, 10, 18);
	emit("print datatype MPI_SHORT_INT holes [{\"displacement\": 2, \"bytes\": 2}]");
	emit("print datatype MPI_DOUBLE_INT type_map [{\"type\": \"MPI_DOUBLE\", \"displacement\": 0, \"bytes\": 8}, "
	     "{\"type\": \"MPI_INT\", \"displacement\": 8, \"bytes\": 4}]");
}

/* Data outside of what MPI_Type_create_resized says. */
static void beyond(void)
{
	MPI_Datatype t, resized;

	MPI_Type_vector(3, 1, 4, MPI_INT, &t);
	MPI_Type_create_resized(t, 0, 4, &resized);
	MPI_Type_set_name(resized, "beyond its bounds");
	emit_type(resized, "MPI_Type_create_resized", "resized");
	MPI_Type_vector(2, 1, 2, MPI_INT, &t);
	MPI_Type_create_resized(t, 8, 8, &resized);
	MPI_Type_set_name(resized, "before its bounds");
	emit_type(resized, "MPI_Type_create_resized", "resized");
}

static void predefined(void)
{
	static const struct {
		const char *name;
		int size;
	} some[] = { { "MPI_INT", sizeof(int) },       { "MPI_DOUBLE", sizeof(double) },  { "MPI_CHAR", 1 },
		     { "MPI_LONG", sizeof(long) },     { "MPI_2INT", 2 * sizeof(int) },   { "MPI_BYTE", 1 },
		     { "MPI_AINT", sizeof(MPI_Aint) }, { "MPI_COUNT", sizeof(MPI_Count) } };

	for (size_t i = 0; i < sizeof(some) / sizeof(some[0]); i++) {
		emit("print datatype %s size %d", some[i].name, some[i].size);
		emit("print MPI_Datatype %s predefined true", some[i].name);
		emit("print datatype %s combiner \"named\"", some[i].name);
	}
	emit("print datatype MPI_DATATYPE_NULL predefined true");
	emit("print datatype MPI_DATATYPE_NULL size null");
	emit("print datatype MPI_DATATYPE_NULL lower_bound null");
	FACT("datatype", MPI_INT, "name", "\"MPI_INT\"");
	FACT("datatype", MPI_INT, "fortran", "%d", (int)MPI_Type_c2f(MPI_INT));
}

/* A type made from it has the type map that the program requested. */
static void emit_f90_map(MPI_Datatype t, const char *expected, const char *name)
{
	MPI_Datatype two;
	int size;

	MPI_Type_size(t, &size);
	MPI_Type_contiguous(2, t, &two);
	MPI_Type_set_name(two, name);
	FACT("datatype", two, "type_map",
	     "[{\"type\": \"%s\", \"displacement\": 0, \"bytes\": %d}, "
	     "{\"type\": \"%s\", \"displacement\": %d, \"bytes\": %d}]",
	     expected, size, expected, size, size);
}

/* Unnamed and predefined: the same handle each time, not to be freed. */
static void f90(void)
{
	MPI_Datatype t, again;
	int a, b, c, number, size;

	MPI_Type_create_f90_real(12, 30, &t);
	MPI_Type_create_f90_real(12, 30, &again);
	TRUST(t == again);
	MPI_Type_size(t, &size);
	FACT("datatype", t, "size", "%d", size);
	FACT("datatype", t, "predefined", "true");
	MPI_Type_get_envelope(t, &a, &b, &c, &number);
	FACT("datatype", t, "combiner", number == MPI_COMBINER_F90_REAL ? "\"f90_real\"" : "\"named\"");
	MPI_Type_create_f90_complex(12, 30, &t);
	MPI_Type_size(t, &size);
	FACT("datatype", t, "size", "%d", size);
	MPI_Type_get_envelope(t, &a, &b, &c, &number);
	FACT("datatype", t, "combiner", number == MPI_COMBINER_F90_COMPLEX ? "\"f90_complex\"" : "\"named\"");
	MPI_Type_create_f90_integer(7, &t);
	MPI_Type_size(t, &size);
	FACT("datatype", t, "size", "%d", size);
	MPI_Type_get_envelope(t, &a, &b, &c, &number);
	FACT("datatype", t, "combiner", number == MPI_COMBINER_F90_INTEGER ? "\"f90_integer\"" : "\"named\"");
	emit_f90_map(t, "MPI_Type_create_f90_integer(7)", "seven digits");
	MPI_Type_create_f90_real(12, 30, &t);
	emit_f90_map(t, "MPI_Type_create_f90_real(12,30)", "twelve digits");
}

/* Removed in MPI-3, but still in the libraries: it is known which name was called. */
static void mpi_1(void)
{
	int (*structure)(int, int *, MPI_Aint *, MPI_Datatype *, MPI_Datatype *) = dlsym(RTLD_DEFAULT,
											 "MPI_Type_struct");
	int (*hvector)(int, int, MPI_Aint, MPI_Datatype, MPI_Datatype *) = dlsym(RTLD_DEFAULT, "MPI_Type_hvector");
	int (*hindexed)(int, int *, MPI_Aint *, MPI_Datatype, MPI_Datatype *) = dlsym(RTLD_DEFAULT,
										      "MPI_Type_hindexed");
	MPI_Datatype t, old = MPI_INT;
	int two = 2;
	MPI_Aint at = 8;

	if (structure && structure(1, &two, &at, &old, &t) == MPI_SUCCESS)
		FACT("datatype", t, "made_by", "\"MPI_Type_struct\"");
		/* the markers of bounds: MPICH's mpi.h has them, Open MPI's the objects */
#if defined(OPEN_MPI)
	MPI_Datatype bounded[] = { dlsym(RTLD_DEFAULT, "ompi_mpi_lb"), MPI_INT, dlsym(RTLD_DEFAULT, "ompi_mpi_ub") };
#else
	MPI_Datatype bounded[] = { MPI_LB, MPI_INT, MPI_UB };
#endif
	if (structure && bounded[0] && bounded[2] &&
	    structure(3, (int[]){ 1, 1, 1 }, (MPI_Aint[]){ -4, 0, 8 }, bounded, &t) == MPI_SUCCESS) {
		MPI_Type_set_name(t, "bounded");
		FACT("datatype", t, "datatypes_names", "[\"MPI_LB\",\"MPI_INT\",\"MPI_UB\"]");
		FACT("datatype", t, "lower_bound", "-4");
		FACT("datatype", t, "extent", "12");
		FACT("datatype", t, "holes",
		     "[{\"displacement\": -4, \"bytes\": 4}, {\"displacement\": 4, \"bytes\": 4}]");
		FACT("datatype", t, "type_map",
		     "[{\"type\": \"MPI_LB\", \"displacement\": -4, \"bytes\": 0}, "
		     "{\"type\": \"MPI_INT\", \"displacement\": 0, \"bytes\": 4}, "
		     "{\"type\": \"MPI_UB\", \"displacement\": 8, \"bytes\": 0}]");
		emit("print datatype MPI_LB predefined true");
		emit("print datatype MPI_UB size 0");
	}
	if (hvector && hvector(3, 2, 100, MPI_INT, &t) == MPI_SUCCESS)
		FACT("datatype", t, "made_by", "\"MPI_Type_hvector\"");
	if (hindexed && hindexed(1, &two, &at, MPI_INT, &t) == MPI_SUCCESS)
		FACT("datatype", t, "made_by", "\"MPI_Type_hindexed\"");
}

static void attributes(void)
{
	static int value;
	MPI_Datatype a, b;
	int key;

	MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, &key, NULL);
	MPI_Type_contiguous(4, MPI_BYTE, &a);
	MPI_Type_set_attr(a, key, &value);
	MPI_Type_dup(a, &b);
	FACT("datatype", a, "attributes", "[{\"key\": %d, \"value\": \"0x%" PRIx64 "\"}]", key,
	     (uint64_t)(uintptr_t)&value);
	FACT("datatype", b, "attributes", "[{\"key\": %d, \"value\": \"0x%" PRIx64 "\"}]", key,
	     (uint64_t)(uintptr_t)&value);
	FACT("datatype", b, "committed", "false");
	MPI_Type_dup(a, &b);
	MPI_Type_delete_attr(b, key);
	FACT("datatype", b, "attributes", "[]");
}

static void in_use(void)
{
	static char room[1024];
	MPI_Datatype t, freed;
	MPI_Request request;

	MPI_Irecv(room, 1, record, 1, 7, MPI_COMM_WORLD, &request);
	FACT("datatype", record, "requests", "[\"0x%" PRIx64 "\"]", BITS(request));
	FACT("request", request, "datatype_name", "\"a record\"");
	/* marked for freeing, and in use until the receive is complete */
	MPI_Type_vector(2, 3, 4, MPI_SHORT, &t);
	MPI_Type_set_name(t, "freed in use");
	MPI_Type_commit(&t);
	MPI_Irecv(room + 512, 1, t, 1, 8, MPI_COMM_WORLD, &request);
	freed = t;
	MPI_Type_free(&t);
	PAST("datatype", BITS(freed), "name", "\"freed in use\"");
	PAST("datatype", BITS(freed), "state", "\"freed\"");
	PAST("datatype", BITS(freed), "object_freed", "null");
	PAST("datatype", BITS(freed), "requests", "[\"0x%" PRIx64 "\"]", BITS(request));
	emit("print datatype 0x%" PRIx64 " state \"freed\"", BITS(freed));
}

int main(int argc, char **argv)
{
	static char room[4096];

	facts_init(&argc, &argv);
	TRUST(facts_size == 2);
	predefined();
	constructors();
	in_thread();
	arrays();
	nested();
	pairs();
	beyond();
	f90();
	mpi_1();
	attributes();
	in_use();
	FACT("datatype", record, "calls", "[{\"thread\": %d, \"function\": \"MPI_Recv\"}]", (int)getpid());
	emit("call datatype_name \"a record\"");
	emit("call count 3");
	emit("call caller_place \"main at facts_types.c:%d\"", __LINE__ + 2);
	emit_ready();
	MPI_Recv(room, 3, record, 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return 1;
}
