/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file standard_abi.h
 * Constants of the standard ABI of MPI 5.0 (mpi_abi.h), as they are stored in objects and passed in calls, converted to
 * those of the model.
 */
#ifndef RD_STANDARD_ABI_H
#define RD_STANDARD_ABI_H

#include "../access/space.h"
#include "../model/fact.h"
#include "../model/handle.h"

/** A rank, or MPI_ANY_SOURCE, MPI_PROC_NULL (MDL_PROC_NULL), MPI_ROOT (MDL_ROOT). */
struct mdl_num rd_abi_rank(int64_t value);

/** A tag, or MPI_ANY_TAG. */
struct mdl_num rd_abi_tag(int64_t value);

/** MPI_COMBINER_*: enum mdl_combiner; -1: not one. */
int rd_abi_combiner(int64_t value);

/** MPI_WIN_SEPARATE, MPI_WIN_UNIFIED: enum mdl_win_model; -1: neither. */
int rd_abi_win_model(int64_t value);

/** MPI_WIN_FLAVOR_*: enum mdl_win_flavor; -1: not one. */
int rd_abi_win_flavor(int64_t value);

/** Bits of MPI_MODE_*: those of enum mdl_file_mode. Other bits are removed. */
int64_t rd_abi_file_mode(int64_t value);

/** Is Open MPI's library of the ABI loaded, which converts the program's handles to those of the library proper? */
bool rd_abi_is_openmpi(struct acc_space *sp);

/**
 * The library's own handle of an object for the program's: of a predefined one, the handle with the same name (MPICH's
 * basic datatypes without their sizes). Of the others Open MPI's handle is the same; MPICH's is the number with which
 * the object begins, whose address the program has. A handle of the library itself stays as it is.
 *
 * @param implementation of struct mdl_library
 * @return ACC_OK; ACC_NONE: there is none, or its value is not known; ACC_EREAD
 */
enum acc_rc rd_abi_native(struct acc_space *sp, const char *implementation, enum mdl_handle_kind kind, uint64_t handle,
			  uint64_t *ret);

#endif /* RD_STANDARD_ABI_H */
