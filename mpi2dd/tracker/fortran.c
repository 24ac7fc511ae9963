/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fortran entry points that do not call the C function of the same name: both MPI implementations set attributes
 * without it; Open MPI also creates keyvals and error handlers without it. Every argument is an address, in any MPI
 * library, so a call can be passed on without knowing its types.
 *
 * Each routine has the names that Fortran compilers generate (mpi_x_, mpi_x__, mpi_x, MPI_X), the profiling names, and
 * the names of the mpi_f08 module.
 */
#include "attribute.h"
#include "binding.h"
#include "errhandler.h"
#include "objects.h"

#include <errno.h>

_Static_assert(sizeof(MPI_Fint) == sizeof(int), "an index of Fortran is an int");

/* ---- handles of indices ------------------------------------------------------------------------------- */

#if defined(M2D_OPENMPI_MAJOR)
static uint64_t bits(const char *f2c, MPI_Fint index)
{
	void *(*convert)(MPI_Fint) = (void *(*)(MPI_Fint))(uintptr_t)m2d_calls_symbol(f2c);

	return convert ? (uint64_t)(uintptr_t)convert(index) : 0;
}
#if defined(M2D_ABI)
#define BITS(kind, index) bits("PMPI_" #kind "_fromint", index)
#else
#define BITS(kind, index) bits("PMPI_" #kind "_f2c", index)
#endif
#else
#define BITS(kind, index) ((uint64_t)(uint32_t)(index))
#endif

/* ---- the wrapper of a routine ------------------------------------------------------------------------- */

/*
 * A routine with two or four arguments and ierror. A program that uses mpi_f08 may omit ierror; it is then replaced by
 * our own variable.
 */
#define BODY(call, type, ...)                                                                                          \
	struct trk_frame *frame;                                                                                       \
	MPI_Fint own = MPI_SUCCESS, *rc = ierror ? ierror : &own;                                                      \
	void *next = trk_binding_begin(entry, M2D_CALL_##call, caller, &frame);                                        \
	if (!next) {                                                                                                   \
		*rc = MPI_ERR_INTERN;                                                                                  \
		return;                                                                                                \
	}                                                                                                              \
	((type *)next)(__VA_ARGS__, rc);                                                                               \
	if (!frame)                                                                                                    \
		return;                                                                                                \
	int saved = errno;                                                                                             \
	if (*rc == MPI_SUCCESS)

#define END                                                                                                            \
	trk_leave(&m2d_thread, frame);                                                                                 \
	errno = saved

/* ---- attributes --------------------------------------------------------------------------------------- */

typedef void set_routine(MPI_Fint *object, MPI_Fint *keyval, void *value, MPI_Fint *ierror);

static void attr_put(struct trk_binding *entry, const void *caller, MPI_Fint *object, MPI_Fint *keyval, void *value,
		     MPI_Fint *ierror)
{
	BODY(Attr_put, set_routine, object, keyval, value)
	trk_attribute_set(TRK_COMM, BITS(Comm, *object), *keyval, (uint64_t)(int64_t) * (MPI_Fint *)value, 2);
	END;
}

static void comm_set_attr(struct trk_binding *entry, const void *caller, MPI_Fint *object, MPI_Fint *keyval,
			  void *value, MPI_Fint *ierror)
{
	BODY(Comm_set_attr, set_routine, object, keyval, value)
	trk_attribute_set(TRK_COMM, BITS(Comm, *object), *keyval, (uint64_t) * (MPI_Aint *)value, 2);
	END;
}

static void type_set_attr(struct trk_binding *entry, const void *caller, MPI_Fint *object, MPI_Fint *keyval,
			  void *value, MPI_Fint *ierror)
{
	BODY(Type_set_attr, set_routine, object, keyval, value)
	trk_attribute_set(TRK_DATATYPE, BITS(Type, *object), *keyval, (uint64_t) * (MPI_Aint *)value, 2);
	END;
}

static void win_set_attr(struct trk_binding *entry, const void *caller, MPI_Fint *object, MPI_Fint *keyval, void *value,
			 MPI_Fint *ierror)
{
	BODY(Win_set_attr, set_routine, object, keyval, value)
	trk_attribute_set(TRK_WIN, BITS(Win, *object), *keyval, (uint64_t) * (MPI_Aint *)value, 2);
	END;
}

/* The names of a routine. F08: it has a name in the module mpi_f08. */
#define ENTRY(name, routine, params, args)                                                                             \
	M2D_EXPORT void name params;                                                                                   \
	M2D_EXPORT void name params                                                                                    \
	{                                                                                                              \
		static struct trk_binding entry = { .symbol = #name };                                                 \
		routine args;                                                                                          \
	}
#define NAMES(small, large, routine, params, args)                                                                     \
	ENTRY(mpi_##small##_, routine, params, args)                                                                   \
	ENTRY(mpi_##small##__, routine, params, args)                                                                  \
	ENTRY(mpi_##small, routine, params, args)                                                                      \
	ENTRY(MPI_##large, routine, params, args)                                                                      \
	ENTRY(pmpi_##small##_, routine, params, args)                                                                  \
	ENTRY(pmpi_##small##__, routine, params, args)                                                                 \
	ENTRY(pmpi_##small, routine, params, args)                                                                     \
	ENTRY(PMPI_##large, routine, params, args)
#if defined(OPEN_MPI)
#define F08(small, routine, params, args)                                                                              \
	ENTRY(mpi_##small##_f08_, routine, params, args)                                                               \
	ENTRY(pmpi_##small##_f08_, routine, params, args)
#else
#define F08(small, routine, params, args)                                                                              \
	ENTRY(mpi_##small##_f08_, routine, params, args)                                                               \
	ENTRY(pmpir_##small##_f08_, routine, params, args)
#endif

#define SET_PARAMS (MPI_Fint * object, MPI_Fint * keyval, void *value, MPI_Fint *ierror)
#define SET_ARGS   (&entry, __builtin_return_address(0), object, keyval, value, ierror)
NAMES(attr_put, ATTR_PUT, attr_put, SET_PARAMS, SET_ARGS)
NAMES(comm_set_attr, COMM_SET_ATTR, comm_set_attr, SET_PARAMS, SET_ARGS)
NAMES(type_set_attr, TYPE_SET_ATTR, type_set_attr, SET_PARAMS, SET_ARGS)
NAMES(win_set_attr, WIN_SET_ATTR, win_set_attr, SET_PARAMS, SET_ARGS)
F08(comm_set_attr, comm_set_attr, SET_PARAMS, SET_ARGS)
F08(type_set_attr, type_set_attr, SET_PARAMS, SET_ARGS)
F08(win_set_attr, win_set_attr, SET_PARAMS, SET_ARGS)

#if defined(OPEN_MPI)

/* ---- keyvals and error handlers ----------------------------------------------------------------------- */

typedef void keyval_routine(void *copy, void *delete, MPI_Fint *keyval, void *extra, MPI_Fint *ierror);

#define KEYVAL_ROUTINE(routine, call, kind, integer)                                                                   \
	static void routine(struct trk_binding *entry, const void *caller, void *copy, void *delete, MPI_Fint *keyval, \
			    void *extra, MPI_Fint *ierror)                                                             \
	{                                                                                                              \
		BODY(call, keyval_routine, copy, delete, keyval, extra)                                                \
		trk_keyval_made(kind, *keyval, copy, delete, (uint64_t)(int64_t) * (integer *)extra, 2);               \
		END;                                                                                                   \
	}
KEYVAL_ROUTINE(keyval_create, Keyval_create, TRK_COMM, MPI_Fint)
KEYVAL_ROUTINE(comm_create_keyval, Comm_create_keyval, TRK_COMM, MPI_Aint)
KEYVAL_ROUTINE(type_create_keyval, Type_create_keyval, TRK_DATATYPE, MPI_Aint)
KEYVAL_ROUTINE(win_create_keyval, Win_create_keyval, TRK_WIN, MPI_Aint)

#define KEYVAL_PARAMS (void *copy, void *delete, MPI_Fint *keyval, void *extra, MPI_Fint *ierror)
#define KEYVAL_ARGS   (&entry, __builtin_return_address(0), copy, delete, keyval, extra, ierror)
NAMES(keyval_create, KEYVAL_CREATE, keyval_create, KEYVAL_PARAMS, KEYVAL_ARGS)
NAMES(comm_create_keyval, COMM_CREATE_KEYVAL, comm_create_keyval, KEYVAL_PARAMS, KEYVAL_ARGS)
NAMES(type_create_keyval, TYPE_CREATE_KEYVAL, type_create_keyval, KEYVAL_PARAMS, KEYVAL_ARGS)
NAMES(win_create_keyval, WIN_CREATE_KEYVAL, win_create_keyval, KEYVAL_PARAMS, KEYVAL_ARGS)
F08(comm_create_keyval, comm_create_keyval, KEYVAL_PARAMS, KEYVAL_ARGS)
F08(type_create_keyval, type_create_keyval, KEYVAL_PARAMS, KEYVAL_ARGS)
F08(win_create_keyval, win_create_keyval, KEYVAL_PARAMS, KEYVAL_ARGS)

typedef void handler_routine(void *function, MPI_Fint *errhandler, MPI_Fint *ierror);

#define HANDLER_ROUTINE(routine, call, kind)                                                                           \
	static void routine(struct trk_binding *entry, const void *caller, void *function, MPI_Fint *errhandler,       \
			    MPI_Fint *ierror)                                                                          \
	{                                                                                                              \
		BODY(call, handler_routine, function, errhandler)                                                      \
		trk_errhandler_made(kind, function, 2, BITS(Errhandler, *errhandler));                                 \
		END;                                                                                                   \
	}
HANDLER_ROUTINE(errhandler_create, Errhandler_create, TRK_COMM)
HANDLER_ROUTINE(comm_create_errhandler, Comm_create_errhandler, TRK_COMM)
HANDLER_ROUTINE(file_create_errhandler, File_create_errhandler, TRK_FILE)
HANDLER_ROUTINE(win_create_errhandler, Win_create_errhandler, TRK_WIN)

#define HANDLER_PARAMS (void *function, MPI_Fint *errhandler, MPI_Fint *ierror)
#define HANDLER_ARGS   (&entry, __builtin_return_address(0), function, errhandler, ierror)
NAMES(errhandler_create, ERRHANDLER_CREATE, errhandler_create, HANDLER_PARAMS, HANDLER_ARGS)
NAMES(comm_create_errhandler, COMM_CREATE_ERRHANDLER, comm_create_errhandler, HANDLER_PARAMS, HANDLER_ARGS)
NAMES(file_create_errhandler, FILE_CREATE_ERRHANDLER, file_create_errhandler, HANDLER_PARAMS, HANDLER_ARGS)
NAMES(win_create_errhandler, WIN_CREATE_ERRHANDLER, win_create_errhandler, HANDLER_PARAMS, HANDLER_ARGS)
F08(comm_create_errhandler, comm_create_errhandler, HANDLER_PARAMS, HANDLER_ARGS)
F08(file_create_errhandler, file_create_errhandler, HANDLER_PARAMS, HANDLER_ARGS)
F08(win_create_errhandler, win_create_errhandler, HANDLER_PARAMS, HANDLER_ARGS)

#endif
