/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file mpidbg.h
 * The interface of libmpidbg.so beyond mqs.h: processes, MPI objects, and descriptions of a process as text or JSON.
 *
 * The set-up functions have the names, the arguments and the return codes of version 1 of the MPI handle
 * debugging interface (spec 003; Open MPI's ompi/debuggers/mpihandles_interface.h). They use the same mqs_*
 * callback tables as mqs.h and the same slot per image and per process: a debugger may use one interface or both on
 * the same image or process, in either order; the state exists until the last interface has released it.
 *
 * Not safe to call from two threads at once. Communicators and queues exist only between MPI_Init and MPI_Finalize
 * of the target; at other times the functions return an error that says so.
 */
#ifndef MPIDBG_H
#define MPIDBG_H

#include "mpidbg_comms.h"
#include "mpidbg_datatypes.h"
#include "mpidbg_description.h"
#include "mpidbg_jobs.h"
#include "mpidbg_objects.h"
#include "mpidbg_requests.h"
#include "mpidbg_vars.h"
#include "mpidbg_windows.h"
#include "mqs.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { MPIDBG_INTERFACE_VERSION = 1 };

enum mpidbg_return_codes_t {
	MPIDBG_SUCCESS,
	MPIDBG_ERR_NOT_FOUND,     /**< this process does not have it */
	MPIDBG_ERR_NOT_SUPPORTED, /**< not available from this DLL or for this MPI */
	MPIDBG_ERR_OUT_OF_RANGE,  /**< an argument is invalid (NULL, unknown enum value, not set up) */
	MPIDBG_ERR_UNAVAILABLE,   /**< the target could not be read */
	MPIDBG_ERR_NO_MEM,
	MPIDBG_MAX_RETURN_CODE
};

/** Types of the MPI handles, filled by mpidbg_init_per_image(); every member may be NULL. Version 1 layout. */
struct mpidbg_handle_info_t {
	mqs_type *hi_c_aint, *hi_c_comm, *hi_c_datatype, *hi_c_errhandler, *hi_c_file, *hi_c_group, *hi_c_info,
		*hi_c_offset, *hi_c_op, *hi_c_request, *hi_c_status, *hi_c_win;
	mqs_type *hi_cxx_aint, *hi_cxx_comm, *hi_cxx_intracomm, *hi_cxx_intercomm, *hi_cxx_graphcomm, *hi_cxx_cartcomm,
		*hi_cxx_datatype, *hi_cxx_errhandler, *hi_cxx_file, *hi_cxx_group, *hi_cxx_info, *hi_cxx_offset,
		*hi_cxx_op, *hi_cxx_request, *hi_cxx_prequest, *hi_cxx_grequest, *hi_cxx_status, *hi_cxx_win;
};

#ifndef MPIDBG_EXPORT
#define MPIDBG_EXPORT extern
#endif

/** 1: the DLL is for big-endian debuggers. Valid as soon as the DLL is loaded. */
MPIDBG_EXPORT char mpidbg_dll_is_big_endian;

/** Bits of an address of the DLL: 32 or 64. Valid as soon as the DLL is loaded. */
MPIDBG_EXPORT char mpidbg_dll_bitness;

/** As mqs_setup_basic_callbacks(); either is enough. @return MPIDBG_SUCCESS or MPIDBG_ERR_OUT_OF_RANGE. */
MPIDBG_EXPORT int mpidbg_init_once(const mqs_basic_callbacks *callbacks);

/** @return MPIDBG_INTERFACE_VERSION. */
MPIDBG_EXPORT int mpidbg_interface_version_compatibility(void);

/** @return name and version of this DLL; static, do not free. */
MPIDBG_EXPORT char *mpidbg_version_string(void);

/** @return sizeof(mqs_taddr_t), in bytes. */
MPIDBG_EXPORT int mpidbg_dll_taddr_width(void);

/**
 * Prepare for an executable. The handle types that the debugger can find are filled in.
 *
 * @param handle_types may be NULL.
 * @return MPIDBG_SUCCESS; MPIDBG_ERR_OUT_OF_RANGE: NULL, a table without the functions that are needed (sizes of
 *         basic types, symbols), no basic callbacks yet; MPIDBG_ERR_NO_MEM. On failure nothing is attached.
 */
MPIDBG_EXPORT int mpidbg_init_per_image(mqs_image *image, const mqs_image_callbacks *callbacks,
					struct mpidbg_handle_info_t *handle_types);

/** Release an image. NULL is accepted. */
MPIDBG_EXPORT void mpidbg_finalize_per_image(mqs_image *image, mqs_image_info *image_info);

/** Prepare for an MPI process or a launcher; reads predefined names, if any. Codes as mpidbg_init_per_image(). */
MPIDBG_EXPORT int mpidbg_init_per_process(mqs_process *process, const mqs_process_callbacks *callbacks,
					  struct mpidbg_handle_info_t *handle_types);

/** Release a process. NULL is accepted. */
MPIDBG_EXPORT void mpidbg_finalize_per_process(mqs_process *process, mqs_process_info *process_info);

/** First failure of the last call for this process, and what to do about it. Static until the next call. */
MPIDBG_EXPORT const char *mpidbg_error_string(mqs_process *process);

/** Free a text or an array that a function of this header returned. NULL is accepted. */
MPIDBG_EXPORT void mpidbg_free(void *p);

/** The cost of reading this process so far: reads of target memory, and objects copied from it. */
struct mpidbg_stats {
	uint64_t n_reads, read_bytes, n_failed_reads;
	uint64_t n_objects, object_bytes;
};

/** @param[out] ret counts of this process; untouched on failure. @return MPIDBG_SUCCESS or _ERR_OUT_OF_RANGE. */
MPIDBG_EXPORT int mpidbg_get_stats(mqs_process *process, struct mpidbg_stats *ret);

#ifdef __cplusplus
}
#endif

#endif /* MPIDBG_H */
