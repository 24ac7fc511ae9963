/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file handle_value.h
 * Parse the value of an object: 0x44000000, 5, MPI_COMM_WORLD, fortran:3, @0x7ffd10.
 */
#ifndef MPIDBG_HANDLE_VALUE_H
#define MPIDBG_HANDLE_VALUE_H

#include "../mqs/state.h"

/** Parse a number, decimal or 0x...; negative ones as their bits. @return false: not a number */
bool mpidbg_number(const char *text, uint64_t *ret);

/** Is this text a valid object specification? @return ACC_OK; ACC_EINVAL: no; p->note says what is accepted. */
enum acc_rc mpidbg_check_value(struct _mqs_process_info *p, const char *text);

/**
 * Read a variable that holds a handle.
 *
 * @param bytes width of a C handle: 4, 8
 * @return ACC_OK; ACC_EREAD: it cannot be read, recorded in p->note
 */
enum acc_rc mpidbg_read_handle(struct _mqs_process_info *p, uint64_t addr, unsigned bytes, uint64_t *ret);

/**
 * Read a variable that contains a Fortran handle, an INTEGER; negative ones as their bits. @return like
 * mpidbg_read_handle()
 */
enum acc_rc mpidbg_read_fortran_handle(struct _mqs_process_info *p, uint64_t addr, uint64_t *ret);

/**
 * Address of the handle in an object of the C++ bindings: after
 * the pointer to the table of virtual functions (query_convert.c).
 *
 * @return ACC_OK; ACC_EREAD: there is no such address, recorded in p->note
 */
enum acc_rc mpidbg_handle_in_object(struct _mqs_process_info *p, uint64_t object, uint64_t *ret);

/**
 * Find the object.
 *
 * @return ACC_OK; ACC_NONE: there is no such object (p->note says if it is one of another kind); ACC_EREAD: the
 *         variable at @ADDRESS cannot be read; ACC_EINVAL: the text is invalid, see mpidbg_check_value(). Failures are
 *         recorded in p->note.
 */
enum acc_rc mpidbg_find_value(struct _mqs_process_info *p, enum mdl_handle_kind kind, const char *text,
			      struct mdl_handle *ret);

/**
 * Find an object by its Fortran handle; requests of Open MPI through the library's own table.
 *
 * @return as rd_track_find_fortran()
 */
enum acc_rc mpidbg_find_fortran(struct _mqs_process_info *p, enum mdl_handle_kind kind, int64_t fortran,
				struct mdl_handle *ret);

#endif /* MPIDBG_HANDLE_VALUE_H */
