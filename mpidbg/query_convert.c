/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handles of other languages, and statuses.
 */
#include "names.h"
#include "query.h"

#include "handle_value.h"

#pragma GCC poison assert abort exit printf fprintf malloc free

/* ---- Fortran ------------------------------------------------------------------------------------------- */

/* Without a registry, use the MPI library's own tables. */
static enum acc_rc native_f2c(struct _mqs_process_info *p, enum mdl_handle_kind kind, int64_t fortran, mqs_taddr_t *ret)
{
	uint64_t handle;
	enum acc_rc rc = mqs_state_update(p);

	if (!rc)
		rc = rd_handle_fortran(p->reader, kind, fortran, &handle);
	if (!rc)
		*ret = handle;
	return rc;
}

static int f2c(mqs_process *process, enum mdl_handle_kind kind, mqs_taddr_t fortran, mqs_taddr_t *ret)
{
	struct _mqs_process_info *p;
	int code = ret ? mpidbg_query_begin(process, false, &p) : MPIDBG_ERR_OUT_OF_RANGE;
	struct mdl_handle h;
	enum acc_rc rc;

	if (code)
		return code;
	/* the interface says "a zero-padded Fortran integer": the sign is lost */
	int64_t value = (int32_t)(uint32_t)fortran;
	if (p->track) {
		rc = mpidbg_find_fortran(p, kind, value, &h);
		if (!rc)
			*ret = h.handle;
	} else {
		rc = native_f2c(p, kind, value, ret);
		if (rc == ACC_EINVAL || (rc == ACC_NONE && !p->reader)) {
			mpidbg_query_end(p, ACC_OK, "");
			return MPIDBG_ERR_NOT_SUPPORTED;
		}
	}
	return mpidbg_query_end(p, rc, "no object of this kind has this Fortran handle");
}

/* ---- C++ ----------------------------------------------------------------------------------------------- */

/*
 * The classes of both bindings (Open MPI's mpi/cxx, MPICH's mpicxx.h) have a virtual destructor and one member,
 * the C handle, which follows the pointer to the table of virtual functions.
 */
static int cxx2c(mqs_process *process, enum mdl_handle_kind kind, mqs_taddr_t object, mqs_taddr_t *ret)
{
	struct _mqs_process_info *p;
	int code = ret ? mpidbg_query_begin(process, kind != MDL_COMM, &p) : MPIDBG_ERR_OUT_OF_RANGE;
	uint64_t value, at;
	struct mdl_handle h;

	if (code)
		return code;
	unsigned bytes = p->track ? rd_track_handle_bytes(p->track, kind) : p->space.sizes.pointer_bytes;
	if (!object || __builtin_add_overflow(object, p->space.sizes.pointer_bytes, &at) ||
	    acc_read_u(&p->space, at, bytes, &value))
		return mpidbg_query_end(p, ACC_EREAD, "the C++ object");

	enum acc_rc rc;
	if (p->track) {
		rc = rd_track_find(p->track, kind, value, &h);
	} else {
		struct mpidbg_comm_info_t *info;

		acc_space_end(&p->space);
		code = mpidbg_comm_query(NULL, NULL, process, NULL, value, &info);
		if (code)
			return code;
		mpidbg_free_info(MPIDBG_COMM, info);
		*ret = value;
		return MPIDBG_SUCCESS;
	}
	if (!rc)
		*ret = value;
	return mpidbg_query_end(p, rc, "the C++ object holds no handle of this kind");
}

/* ---- statuses ------------------------------------------------------------------------------------------ */

static int status_here(mqs_process *process, mqs_taddr_t addr, mqs_taddr_t offset, mqs_taddr_t *ret)
{
	struct _mqs_process_info *p;
	struct mdl_status s;
	int code = ret ? mpidbg_query_begin(process, false, &p) : MPIDBG_ERR_OUT_OF_RANGE;

	if (code)
		return code;
	if (offset)
		addr += p->space.sizes.pointer_bytes;
	enum acc_rc rc = rd_track_status(&p->space, mpidbg_which_mpi(p), addr, &s);
	if (!rc)
		*ret = addr;
	return mpidbg_query_end(p, rc, "status");
}

int mpidbg_status_query(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
			mqs_process_info *process_info, mqs_taddr_t c_status, struct mpidbg_status_info_t **info)
{
	struct _mqs_process_info *p;
	struct mdl_status s;
	int code = info ? mpidbg_query_begin(process, false, &p) : MPIDBG_ERR_OUT_OF_RANGE;

	(void)image, (void)image_info, (void)process_info;
	if (code)
		return code;
	enum acc_rc rc = rd_track_status(&p->space, mpidbg_which_mpi(p), c_status, &s);
	struct mpidbg_status_info_t *ret = mpidbg_query_array(&rc, 1, sizeof(*ret));
	if (ret) {
		ret->status_bitflags = (enum mpidbg_status_info_bitmap_t)(
			(mpidbg_known(s.cancelled, 0) ? MPIDBG_STATUS_INFO_CANCELLED : 0u) |
			(s.bytes.known == MDL_KNOWN ? MPIDBG_STATUS_INFO_COUNT_KNOWN : 0u));
		ret->status_source = s.host_source;
		ret->status_tag = s.host_tag;
		ret->status_error = mpidbg_known_int(s.error, 0);
		ret->status_bytes = mpidbg_known(s.bytes, -1);
		ret->status_addr = c_status;
		*info = ret;
	}
	return mpidbg_query_end(p, rc, "status");
}

/* A Fortran status has the members of the C one in the same order, as an array or a derived type. */
int mpidbg_status_f2c(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
		      mqs_process_info *process_info, mqs_taddr_t f77_status, mqs_taddr_t *c_status)
{
	(void)image, (void)image_info, (void)process_info;
	return status_here(process, f77_status, 0, c_status);
}

int mpidbg_status_cxx2c(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
			mqs_process_info *process_info, mqs_taddr_t cxx_status, mqs_taddr_t *c_status)
{
	(void)image, (void)image_info, (void)process_info;
	return status_here(process, cxx_status, 1, c_status);
}

/* ---- public functions ------------------------------------------------------------------------------------------ */

#define F2C(name, kind)                                                                                                \
	int mpidbg_##name##_f2c(mqs_image *image, mqs_image_info *image_info, mqs_process *process,                    \
				mqs_process_info *process_info, mqs_taddr_t fortran, mqs_taddr_t *ret)                 \
	{                                                                                                              \
		(void)image, (void)image_info, (void)process_info;                                                     \
		return f2c(process, kind, fortran, ret);                                                               \
	}
#define CXX2C(name, kind)                                                                                              \
	int mpidbg_##name##_cxx2c(mqs_image *image, mqs_image_info *image_info, mqs_process *process,                  \
				  mqs_process_info *process_info, mqs_taddr_t object, mqs_taddr_t *ret)                \
	{                                                                                                              \
		(void)image, (void)image_info, (void)process_info;                                                     \
		return cxx2c(process, kind, object, ret);                                                              \
	}
#define CXX2C_TYPED(name, kind)                                                                                        \
	int mpidbg_##name##_cxx2c(mqs_image *image, mqs_image_info *image_info, mqs_process *process,                  \
				  mqs_process_info *process_info, mqs_taddr_t object,                                  \
				  enum mpidbg_##name##_info_bitmap_t type, mqs_taddr_t *ret)                           \
	{                                                                                                              \
		(void)image, (void)image_info, (void)process_info, (void)type;                                         \
		return cxx2c(process, kind, object, ret);                                                              \
	}

F2C(comm, MDL_COMM)
F2C(errhandler, MDL_ERRHANDLER)
F2C(request, MDL_REQUEST)
F2C(datatype, MDL_DATATYPE)
F2C(file, MDL_FILE)
F2C(group, MDL_GROUP)
F2C(info, MDL_INFO)
F2C(op, MDL_OP)
F2C(win, MDL_WIN)
F2C(message, MDL_A_MESSAGE)
F2C(session, MDL_SESSION)

CXX2C_TYPED(comm, MDL_COMM)
CXX2C_TYPED(request, MDL_REQUEST)
CXX2C(errhandler, MDL_ERRHANDLER)
CXX2C(datatype, MDL_DATATYPE)
CXX2C(file, MDL_FILE)
CXX2C(group, MDL_GROUP)
CXX2C(info, MDL_INFO)
CXX2C(op, MDL_OP)
CXX2C(win, MDL_WIN)
CXX2C(message, MDL_A_MESSAGE)
CXX2C(session, MDL_SESSION)
