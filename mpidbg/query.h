/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file query.h
 * Common parts of the queries of handles: converts facts to the structures of mpidbg.h.
 *
 * Each array is a separate allocation (see mpidbg.h). A fill function that fails leaves a structure that can be
 * passed to mpidbg_free_info().
 */
#ifndef MPIDBG_QUERY_H
#define MPIDBG_QUERY_H

#include "code.h"

/**
 * Start a query.
 *
 * @param need_track fail with MPIDBG_ERR_NOT_SUPPORTED if the process has no registry
 * @param[out] ret the process, with an open bracket, closed by mpidbg_query_end()
 * @return MPIDBG_SUCCESS, or the code to be returned
 */
int mpidbg_query_begin(mqs_process *process, bool need_track, struct _mqs_process_info **ret);

/** End a query. @param rc recorded in the note unless ACC_OK. @param what "communicators". @return the code to
 * return */
int mpidbg_query_end(struct _mqs_process_info *p, enum acc_rc rc, const char *what);

/**
 * Zeroed memory of the debugger. @return NULL for 0 elements, *rc unchanged; NULL and *rc = ACC_ENOMEM: out of memory.
 */
void *mpidbg_query_array(enum acc_rc *rc, uint64_t n, size_t size);

/** The value of a number if it is known, else @p otherwise. */
int64_t mpidbg_known(struct mdl_num n, int64_t otherwise);

/**
 * Handle of an object that another one refers to; 0: not known, or the program has freed the object with that
 * number, so that the handle value may belong to another object now.
 */
mqs_taddr_t mpidbg_referred_handle(struct rd_track *t, enum mdl_handle_kind kind, struct mdl_num handle,
				   struct mdl_num id);

/** Like mpidbg_known(), as an int; a number that does not fit into an int becomes @p otherwise. */
int mpidbg_known_int(struct mdl_num n, int otherwise);

/** Copy a string, cut off at MPIDBG_MAX_OBJECT_NAME. */
void mpidbg_copy_name(char ret[MPIDBG_MAX_OBJECT_NAME], const char *text);

/** Fill in the fields common to all objects, and the Fortran handle in the form of version 1. */
void mpidbg_fill_object(struct mpidbg_object_t *ret, const struct mdl_handle *h);
int mpidbg_fortran(const struct mdl_handle *h);

/** Copy lists to arrays. @param[out] n number of elements; if 0, the array is NULL */
int64_t *mpidbg_fill_numbers(struct rd_track *t, enum acc_rc *rc, const struct mdl_list *list, int *n);
int *mpidbg_fill_ints(struct rd_track *t, enum acc_rc *rc, const struct mdl_list *list, int *n);
int8_t *mpidbg_fill_bytes(struct rd_track *t, enum acc_rc *rc, const struct mdl_list *list, unsigned width, int *n);
/** Ranks 0 .. size - 1 of the world, for which no list is recorded. */
struct mpidbg_process_t *mpidbg_fill_identity(enum acc_rc *rc, int size, int *n);
struct mpidbg_process_t *mpidbg_fill_procs(struct rd_track *t, enum acc_rc *rc, const struct mdl_list *list, int *n);
struct mpidbg_attribute_pair_t *mpidbg_fill_attributes(struct rd_track *t, enum acc_rc *rc, const struct mdl_list *list,
						       int *n);
struct mpidbg_info_pair_t *mpidbg_fill_pairs(struct rd_track *t, enum acc_rc *rc, const struct mdl_list *list, int *n);

/** Does an object refer to another one? */
typedef bool mpidbg_refers(const struct mdl_handle *h, const struct mdl_handle *to);

/**
 * Handles of the live objects of a kind that refer to @p to. @param n_more incremented by their number
 */
mqs_taddr_t *mpidbg_fill_users(struct rd_track *t, enum acc_rc *rc, enum mdl_handle_kind kind,
			       const struct mdl_handle *to, mpidbg_refers *refers, int *n);

/** Requests on this communicator, file or window. */
mpidbg_refers mpidbg_request_on;

#endif /* MPIDBG_QUERY_H */
