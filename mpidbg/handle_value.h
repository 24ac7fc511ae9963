/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file handle_value.h
 * Which object somebody means: 0x44000000, 5, MPI_COMM_WORLD, fortran:3, @0x7ffd10.
 */
#ifndef MPIDBG_HANDLE_VALUE_H
#define MPIDBG_HANDLE_VALUE_H

#include "../mqs/state.h"

/** A number, decimal or 0x...; a negative one as its bits. @return false: it is none */
bool mpidbg_number(const char *text, uint64_t *ret);

/** Can it be what names an object? @return ACC_OK; ACC_EINVAL: no, and p->note says what can. */
enum acc_rc mpidbg_check_value(struct _mqs_process_info *p, const char *text);

/**
 * Find the object.
 *
 * @return ACC_OK; ACC_NONE: there is no such object, and p->note says so when it is one of another kind; ACC_EREAD: the
 *         variable behind @ cannot be read; ACC_EINVAL: the text makes no sense, as mpidbg_check_value() says. What is wrong
 *         is noted in p->note.
 */
enum acc_rc mpidbg_find_value(struct _mqs_process_info *p, enum mdl_handle_kind kind, const char *text,
			      struct mdl_handle *ret);

/**
 * Find the object by its Fortran handle: a request of Open MPI through the library's own table.
 *
 * @return as rd_track_find_fortran()
 */
enum acc_rc mpidbg_find_fortran(struct _mqs_process_info *p, enum mdl_handle_kind kind, int64_t fortran,
				struct mdl_handle *ret);

#endif /* MPIDBG_HANDLE_VALUE_H */
