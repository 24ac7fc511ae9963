/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The C++ bindings of Open MPI (up to 4.1; later versions have none). They create error handlers and keyvals without
 * calling the C functions. For an operation they call the C function with a function of the binding and set the
 * program's function afterwards. MPICH's bindings call the C functions with the program's own functions.
 *
 * Source of names and parameters: ompi/mpi/cxx/ comm.h, datatype.h,
 * win.h, op_inln.h, cxx_glue.h (installed with Open MPI).
 */
#include "attribute.h"
#include "binding.h"
#include "errhandler.h"
#include "op.h"

#include <errno.h>

#if defined(OPEN_MPI)

enum { CXX = 3 };

typedef void set_callback(MPI_Op op, void *function);

M2D_EXPORT set_callback ompi_op_set_cxx_callback;
M2D_EXPORT void ompi_op_set_cxx_callback(MPI_Op op, void *function)
{
	static struct trk_binding binding = { .symbol = "ompi_op_set_cxx_callback" };
	set_callback *next = (set_callback *)trk_binding_next(&binding, __builtin_return_address(0));

	if (!next)
		return;
	next(op, function);
	trk_op_set_function(op, function, CXX);
}

typedef MPI_Errhandler create_errhandler(void *function);

static MPI_Errhandler errhandler(struct trk_binding *binding, const void *caller, unsigned call, enum trk_kind kind,
				 void *function)
{
	struct trk_frame *frame;
	create_errhandler *next = (create_errhandler *)trk_binding_begin(binding, call, caller, &frame);

	if (!next)
		return NULL;
	MPI_Errhandler made = next(function);
	if (!frame)
		return made;
	int saved = errno;
	if (made)
		trk_errhandler_made(kind, function, CXX, TRK_BITS(made));
	trk_leave(&m2d_thread, frame);
	errno = saved;
	return made;
}

#define ERRHANDLER(name, call, kind)                                                                                   \
	M2D_EXPORT create_errhandler name;                                                                             \
	M2D_EXPORT MPI_Errhandler name(void *function)                                                                 \
	{                                                                                                              \
		static struct trk_binding binding = { .symbol = #name };                                               \
		return errhandler(&binding, __builtin_return_address(0), M2D_CALL_##call, kind, function);             \
	}
ERRHANDLER(ompi_cxx_errhandler_create_comm, Comm_create_errhandler, TRK_COMM)
ERRHANDLER(ompi_cxx_errhandler_create_file, File_create_errhandler, TRK_FILE)
ERRHANDLER(ompi_cxx_errhandler_create_win, Win_create_errhandler, TRK_WIN)

/* Each function is passed either as a C or as a C++ function; the other one is NULL. */
typedef int create_keyval(void *copy, void *delete, void *cxx_copy, void *cxx_delete, void *extra_state, int *keyval);

static int keyval(struct trk_binding *binding, const void *caller, unsigned call, enum trk_kind kind, void *copy,
		  void *delete, void *cxx_copy, void *cxx_delete, void *extra_state, int *ret)
{
	struct trk_frame *frame;
	create_keyval *next = (create_keyval *)trk_binding_begin(binding, call, caller, &frame);

	if (!next)
		return MPI_ERR_INTERN;
	int rc = next(copy, delete, cxx_copy, cxx_delete, extra_state, ret);
	if (!frame)
		return rc;
	int saved = errno;
	if (rc == MPI_SUCCESS)
		trk_keyval_made(kind, *ret, cxx_copy ? cxx_copy : copy, cxx_delete ? cxx_delete : delete,
				(uintptr_t)extra_state, CXX);
	trk_leave(&m2d_thread, frame);
	errno = saved;
	return rc;
}

/* The mangled names of MPI::Comm::do_create_keyval and so on. */
#define KEYVAL(name, mangled, call, kind)                                                                              \
	M2D_EXPORT create_keyval name __asm__(mangled);                                                                \
	int name(void *copy, void *delete, void *cxx_copy, void *cxx_delete, void *extra_state, int *ret)              \
	{                                                                                                              \
		static struct trk_binding binding = { .symbol = mangled };                                             \
		return keyval(&binding, __builtin_return_address(0), M2D_CALL_##call, kind, copy, delete, cxx_copy,    \
			      cxx_delete, extra_state, ret);                                                           \
	}
KEYVAL(comm_do_create_keyval,
       "_ZN3MPI4Comm16do_create_keyvalEPFiP19ompi_communicator_tiPvS3_S3_PiEPFiS2_iS3_S3_E"
       "PFiRKS0_iS3_S3_S3_RbEPFiRS0_iS3_S3_ES3_Ri",
       Comm_create_keyval, TRK_COMM)
KEYVAL(type_do_create_keyval,
       "_ZN3MPI8Datatype16do_create_keyvalEPFiP15ompi_datatype_tiPvS3_S3_PiEPFiS2_iS3_S3_E"
       "PFiRKS0_iS3_PKvS3_RbEPFiRS0_iS3_S3_ES3_Ri",
       Type_create_keyval, TRK_DATATYPE)
KEYVAL(win_do_create_keyval,
       "_ZN3MPI3Win16do_create_keyvalEPFiP10ompi_win_tiPvS3_S3_PiEPFiS2_iS3_S3_E"
       "PFiRKS0_iS3_S3_S3_RbEPFiRS0_iS3_S3_ES3_Ri",
       Win_create_keyval, TRK_WIN)

#endif
