/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file query.h
 * Common parts of the queries of handles: convert facts to the structures of mpidbg.h.
 *
 * Each array is a separate allocation (see mpidbg_objects.h). A structure that was filled only in part can be passed to
 * mpidbg_free_info().
 */
#ifndef MPIDBG_QUERY_H
#define MPIDBG_QUERY_H

#include "code.h"

/**
 * Start a query.
 *
 * @param need_track fail with MPIDBG_ERR_NOT_SUPPORTED if the objects of the process are not known
 * @param[out] ret the process, with an open bracket, closed by mpidbg_query_end()
 * @return MPIDBG_SUCCESS, or the code to be returned
 */
int mpidbg_query_begin(mqs_process *process, bool need_track, struct _mqs_process_info **ret);

/** End a query. @param rc recorded in the note unless ACC_OK.
 * @param what "communicators". @return the code to return */
int mpidbg_query_end(struct _mqs_process_info *p, enum acc_rc rc, const char *what);

/**
 * Zeroed memory of the debugger. @return NULL for 0 elements, *rc unchanged; NULL and *rc = ACC_ENOMEM: out of memory.
 */
void *mpidbg_query_array(enum acc_rc *rc, uint64_t n, size_t size);

/** The value of a number if it is known, else @p otherwise. */
int64_t mpidbg_known(struct mdl_num n, int64_t otherwise);

/** Like mpidbg_known(), as an int; a number that does not fit into an int becomes @p otherwise. */
int mpidbg_known_int(struct mdl_num n, int otherwise);

/** Copy a string, cut off at MPIDBG_MAX_OBJECT_NAME. */
void mpidbg_copy_name(char ret[MPIDBG_MAX_OBJECT_NAME], const char *text);

/** The Fortran handle in the form of version 1. */
int mpidbg_fortran(const struct mdl_handle *h);

/**
 * Start a query about a kind. @return as mpidbg_query_begin(); MPIDBG_ERR_NOT_SUPPORTED: objects of this kind are not
 * known in this process; MPIDBG_ERR_OUT_OF_RANGE: no such kind
 */
int mpidbg_query_known(mqs_process *process, int kind, struct _mqs_process_info **ret);

/** The structure of an object's kind, released by mpidbg_free_info(). */
enum acc_rc mpidbg_query_object(struct _mqs_process_info *p, const struct mdl_handle *h, void **ret);

/**
 * The number by which queries take an object, mpidbg_object_t.number: that of its record, or, of a request, which has
 * none, the address of the record.
 */
int64_t mpidbg_number_of(const struct mdl_handle *h);

/**
 * The number of a communicator's group of which the program has no handle: these two bits, and the number of the
 * communicator. Numbers of records are counted from 1, and those of objects in the MPI library's memory are handles:
 * all are smaller.
 */
enum { MPIDBG_REMOTE_BIT = 61, MPIDBG_OF_COMM_BIT = 62 };
int64_t mpidbg_group_of_comm(int64_t comm, bool remote);

/* ---- filling a structure --------------------------------------------------------------------------------- */

/** The structure that is being filled. */
struct mpidbg_fill {
	struct _mqs_process_info *p;
	struct rd_track *t;
	enum acc_rc rc;   /**< the first failure; after one, arrays stay empty */
	uint64_t unknown; /**< bits of the members that are not known (mpidbg_unknown_t) */
};

/** Fill in a struct mpidbg_comm_info_t. */
void mpidbg_fill_comm(struct mpidbg_fill *f, const struct mdl_handle *h, void *info);

/** The same from the communicators that the MPI library's memory shows, for a layout without rows for objects. */
enum acc_rc mpidbg_query_native_comm(struct _mqs_process_info *p, mqs_taddr_t handle, struct mpidbg_comm_info_t **ret);

/** Name, rank and size only: of an object; from the MPI library's memory. */
void mpidbg_brief_comm(struct _mqs_process_info *p, const struct mdl_handle *h, struct mpidbg_comm_brief_t *ret);
enum acc_rc mpidbg_brief_native_comm(struct _mqs_process_info *p, mqs_taddr_t handle, struct mpidbg_comm_brief_t *ret);

/** Fill in the facts common to all objects. */
void mpidbg_fill_object(struct mpidbg_fill *f, const struct mdl_handle *h, struct mpidbg_object_t *ret);

/** A number; if it is not known, @p bit is set. Otherwise as mpidbg_known() and mpidbg_known_int(). */
int64_t mpidbg_fill_num(struct mpidbg_fill *f, uint64_t bit, struct mdl_num n, int64_t otherwise);
int mpidbg_fill_int(struct mpidbg_fill *f, uint64_t bit, struct mdl_num n, int otherwise);

/** A handle or an address; 0: none, or not known. */
mqs_taddr_t mpidbg_fill_ref(struct mpidbg_fill *f, uint64_t bit, struct mdl_num n);

/** The handle of an object that another one refers to; also 0 if the program has freed the object with that number, so
 * that the handle value may belong to another object now. */
mqs_taddr_t mpidbg_fill_referred(struct mpidbg_fill *f, uint64_t bit, enum mdl_handle_kind kind, struct mdl_num handle,
				 struct mdl_num id);

/**
 * Copy lists to arrays. A list that is not there is one without elements; one that is incomplete, or, without the
 * in-target library, not there, sets @p bit.
 *
 * @param[out] n number of elements; if 0, the array is NULL
 */
int64_t *mpidbg_fill_numbers(struct mpidbg_fill *f, uint64_t bit, const struct mdl_list *list, int *n);
int *mpidbg_fill_ints(struct mpidbg_fill *f, uint64_t bit, const struct mdl_list *list, int *n);
int8_t *mpidbg_fill_bytes(struct mpidbg_fill *f, uint64_t bit, const struct mdl_list *list, unsigned width, int *n);
struct mpidbg_attribute_pair_t *mpidbg_fill_attributes(struct mpidbg_fill *f, uint64_t bit, const struct mdl_list *list,
						       int *n);
struct mpidbg_info_pair_t *mpidbg_fill_pairs(struct mpidbg_fill *f, uint64_t bit, const struct mdl_list *list, int *n);

#endif /* MPIDBG_QUERY_H */
