/* SPDX-License-Identifier: BSD-3-Clause */
#include "predefined.h"

#include "arena.h"
#include "attribute.h"
#include "comm.h"
#include "datatype.h"
#include "info.h"

#include <string.h>

/*
 * Open MPI's predefined handles are addresses of objects, found by their symbols; its macros contain the symbol names.
 */
#if defined(OPEN_MPI)
#undef OMPI_PREDEFINED_GLOBAL
#define OMPI_PREDEFINED_GLOBAL(type, global) #global
#define HANDLE(name)                         .symbol = name
#define SYMBOL(kind_, name_, symbol_)        { .kind = kind_, .name = name_, .symbol = #symbol_ },
#define VALUE(kind, name, handle)
#else
#define HANDLE(name) .handle = TRK_BITS(name)
#define SYMBOL(kind, name, symbol)
#define VALUE(kind_, name_, handle_) { .kind = kind_, .name = name_, .handle = TRK_BITS(handle_) },
#endif
#define NAMED(kind_, name_) { .kind = kind_, .name = #name_, HANDLE(name_) },
#define KEY(kind, name)

static struct {
	enum trk_kind kind;
	const char *name;
	const char *symbol;
	uint64_t handle; /* 0: the symbol was not found */
} named[] = {
#include "predefined.def"
};
#undef NAMED
#undef KEY
#undef SYMBOL
#undef VALUE

/* MPI_HOST is deprecated since MPI 4.1, but defined */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static const struct {
	enum trk_kind kind;
	const char *name;
	int key;
} keys[] = {
#define NAMED(kind, name)
#define SYMBOL(kind, name, symbol)
#define VALUE(kind, name, handle)
#define KEY(kind_, name_) { .kind = kind_, .name = #name_, .key = name_ },
#include "predefined.def"
#undef NAMED
#undef KEY
#undef SYMBOL
#undef VALUE
};
#pragma GCC diagnostic pop

enum { N_NAMED = sizeof(named) / sizeof(named[0]), N_KEYS = sizeof(keys) / sizeof(keys[0]) };

bool trk_is_null_name(const char *name)
{
	size_t n = strlen(name);

	return n > 5 && strcmp(name + n - 5, "_NULL") == 0;
}

/* Look up the handles. */
static void find_handles(void)
{
	for (size_t i = 0; i < N_NAMED; i++)
		if (named[i].symbol)
			__atomic_store_n(&named[i].handle, (uintptr_t)m2d_calls_symbol(named[i].symbol),
					 __ATOMIC_RELAXED);
}

static void write_kind(enum trk_kind kind, void *record)
{
	if (kind == TRK_ERRHANDLER) {
		((struct trk_errhandler *)record)->object_kind = TRK_N_KINDS;
	} else if (kind == TRK_COMM) {
		struct trk_comm *r = record;
		r->rank = r->size = r->remote_size = -1;
	} else if (kind == TRK_GROUP) {
		((struct trk_group *)record)->rank = -1;
	} else if (kind == TRK_FILE) {
		((struct trk_file *)record)->split_call = TRK_NO_CALL;
	} else if (kind == TRK_WIN) {
		((struct trk_win *)record)->last_sync = TRK_NO_CALL;
	} else if (kind == TRK_DATATYPE) {
		struct trk_datatype *r = record;
		bool null = trk_is_null_name(r->name);
		r->committed = !null;
		r->combiner = null ? -1 : MPI_COMBINER_NAMED;
		r->size = r->extent = r->true_extent = -1;
	} else if (kind == TRK_MESSAGE) {
		((struct trk_message *)record)->bytes = -1;
	}
}

static void record_predefined(enum trk_kind kind, const char *name, uint64_t handle)
{
	struct trk_object *o = trk_find(kind, handle) ? NULL : trk_create(kind, handle, 0);

	if (!o)
		return;
	TRK_PUT(o->predefined, 1);
	o->call = TRK_NO_CALL;
	trk_span_drop(o->where);
	o->where = (struct trk_span){ 0 };
	trk_set_name(o, name);
	write_kind(kind, o);
	trk_publish(kind, o);
}

static void add_all(void)
{
	for (size_t i = 0; i < N_NAMED; i++)
		if (!named[i].symbol || named[i].handle)
			record_predefined(named[i].kind, named[i].name, named[i].handle);
	for (size_t i = 0; i < N_KEYS; i++) {
		record_predefined(TRK_KEYVAL, keys[i].name, (uint32_t)keys[i].key);
		struct trk_keyval *r = trk_find(TRK_KEYVAL, (uint32_t)keys[i].key);
		if (r) {
			r->object_kind = keys[i].kind;
			r->key = keys[i].key;
			trk_set_fortran(r, r->key);
		}
	}
}

static const struct trk_hooks hooks = { .find = find_handles, .add = add_all };
TRK_HOOKS(hooks);

/* ---- after MPI_Init ----------------------------------------------------------------------------------- */

#if defined(OPEN_MPI)
/* Store the Fortran index of a predefined object: it is fixed, so querying it has no side effect. */
static void query_index(enum trk_kind kind, uint64_t handle)
{
	void *h = (void *)(uintptr_t)handle;
	int index;

	switch (kind) {
	case TRK_COMM:
		index = m2d_pmpi.Comm_c2f(h);
		break;
	case TRK_GROUP:
		index = m2d_pmpi.Group_c2f(h);
		break;
	case TRK_DATATYPE:
		index = m2d_pmpi.Type_c2f(h);
		break;
	case TRK_ERRHANDLER:
		index = m2d_pmpi.Errhandler_c2f(h);
		break;
	case TRK_FILE:
		index = m2d_pmpi.File_c2f(h);
		break;
	case TRK_INFO:
		index = m2d_pmpi.Info_c2f(h);
		break;
	case TRK_OP:
		index = m2d_pmpi.Op_c2f(h);
		break;
	case TRK_WIN:
		index = m2d_pmpi.Win_c2f(h);
		break;
	case TRK_MESSAGE:
		index = m2d_pmpi.Message_c2f(h);
		break;
	default:
		return;
	}
	trk_fortran(kind, handle, index);
}
#endif

static void query_info(uint64_t handle)
{
	trk_info_changed(TRK_HANDLE(MPI_Info, handle));
}

static void query_op(uint64_t handle)
{
	int commutes = 0;
	MPI_Op op = TRK_HANDLE(MPI_Op, handle);

#if !defined(OPEN_MPI)
	/* "No" since MPICH 4.0 (MPIR_Op_is_commutative() in src/mpi/coll/op/op_impl.c); 3.4 aborts if it is asked. */
	if (op == MPI_NO_OP)
		return;
#endif

	if (!m2d_pmpi.Op_commutative || m2d_pmpi.Op_commutative(op, &commutes) != MPI_SUCCESS || !trk_lock())
		return;
	struct trk_op *r = trk_find(TRK_OP, handle);
	if (r)
		r->commutative = commutes != 0;
	trk_unlock();
}

/* Does the record have this name? A name without a type of its own on this host may be an alias of the null handle. */
static bool is_own_name(enum trk_kind kind, uint64_t handle, const char *name)
{
	bool is = false;

	if (trk_lock()) {
		const struct trk_object *o = trk_find(kind, handle);
		is = o && strcmp(o->name, name) == 0;
		trk_unlock();
	}
	return is;
}

static bool is_fortran(const char *name)
{
	static const char *const starts[] = {
		"MPI_CHARACTER", "MPI_COMPLEX",  "MPI_DOUBLE_COMPLEX", "MPI_DOUBLE_PRECISION",
		"MPI_INTEGER",   "MPI_LOGICAL",  "MPI_REAL",           "MPI_2INTEGER",
		"MPI_2REAL",     "MPI_2COMPLEX", "MPI_2DOUBLE_"
	};

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		if (strncmp(name, starts[i], strlen(starts[i])) == 0)
			return true;
	return false;
}

void trk_predefined_query(bool fortran)
{
	for (size_t i = 0; i < N_NAMED; i++) {
		if (named[i].symbol && !named[i].handle)
			continue;
#if defined(OPEN_MPI)
		query_index(named[i].kind, named[i].handle);
#endif
		if (trk_is_null_name(named[i].name) || !is_own_name(named[i].kind, named[i].handle, named[i].name))
			continue;
		if (named[i].kind == TRK_OP)
			query_op(named[i].handle);
		else if (named[i].kind == TRK_DATATYPE && (fortran || !is_fortran(named[i].name)))
			trk_datatype_query(named[i].handle);
		else if (named[i].kind == TRK_INFO)
			query_info(named[i].handle);
	}
}

/*
 * The attributes are integers and the library returns the address
 * of a copy: the value is recorded like a Fortran integer.
 */
static void query_attribute(int key)
{
	void *at = NULL;
	int there = 0, value;

	if (m2d_pmpi.Comm_get_attr(m2d_constants.comm_world, key, (void *)&at, &there) != MPI_SUCCESS || !there || !at)
		return;
	memcpy(&value, at, sizeof(value));
	trk_attribute_set(TRK_COMM, TRK_BITS(m2d_constants.comm_world), key, (uint64_t)(int64_t)value, 2);
}

/*
 * For this attribute MPICH asks its process manager, and starts one if there is none (a program without mpiexec). What
 * other MPIs do is not known.
 */
static bool may_be_queried(int key)
{
	return key != MPI_UNIVERSE_SIZE || m2d_calls_is_openmpi();
}

void trk_predefined_query_world(void)
{
	for (size_t i = 0; i < N_KEYS && m2d_pmpi.Comm_get_attr; i++)
		if (keys[i].kind == TRK_COMM && may_be_queried(keys[i].key))
			query_attribute(keys[i].key);
}

void trk_predefined_attribute_returned(int key, int flag)
{
	if (flag && key == MPI_UNIVERSE_SIZE && !may_be_queried(key))
		query_attribute(key);
}

void trk_predefined_new_code(void)
{
	if (MPI2DD_registry.mpi_state == 1 && trk_has_world() && m2d_pmpi.Comm_get_attr)
		query_attribute(MPI_LASTUSEDCODE);
}
