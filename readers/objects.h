/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file objects.h
 * MPI objects, wherever they are: records of the in-target library's registry (tracked/recorded.c), or what a reader
 * finds in the MPI library's own memory. Walks, searches and output do not depend on their origin.
 *
 * An object's number (mdl_handle.id) is its handle, unless key() says otherwise. A list (mdl_list) whose `form` is not
 * 0 is read through the functions here; one of form 0 is in the target's memory in the format of the registry.
 */
#ifndef RD_OBJECTS_H
#define RD_OBJECTS_H

#include "../access/rc.h"
#include "../access/space.h"
#include "../model/handle.h"

struct rd_objects {
	void *state; /**< belongs to the reader */

	/** Can the kind be read? */
	bool (*known)(void *state, enum mdl_handle_kind kind);

	/** Number of slots of a kind that is known; a walk reads each. May search memory at the first call. */
	uint64_t (*places)(void *state, enum mdl_handle_kind kind);

	/**
	 * The slot of the object with a handle, found without a search for all of the kind. NULL: slots are compared,
	 * and indexed while the process does not run.
	 *
	 * @return ACC_OK; ACC_NONE: there is none
	 */
	enum acc_rc (*find)(void *state, enum mdl_handle_kind kind, uint64_t handle, uint64_t *i);

	/**
	 * State, handle and number of slot @p i. @return ACC_OK; ACC_NONE: the slot has no object of the program;
	 * ACC_ECORRUPT, ACC_EREAD: invalid, noted
	 */
	enum acc_rc (*key)(void *state, enum mdl_handle_kind kind, uint64_t i, enum mdl_life *life, uint64_t *handle,
			   uint64_t *id);

	/** The facts common to all kinds, where they cost less than all of them. May be NULL. @return like key() */
	enum acc_rc (*brief)(void *state, enum mdl_handle_kind kind, uint64_t i, struct mdl_handle *ret);

	/** All facts about slot @p i. @return like key() */
	enum acc_rc (*facts)(void *state, enum mdl_handle_kind kind, uint64_t i, struct mdl_handle *ret);

	/** The process may have run: find the objects again. NULL: the
	 * reader's own update does it. @return ACC_OK; failures, noted */
	enum acc_rc (*update)(void *state);

	bool int_numbers; /**< numbers of objects are MPI_Fint, which lists have with their sign */

	/**
	 * Look for the object of a handle that no slot has and that is its address. NULL: this MPI has no such handles.
	 *
	 * @return true: there is one, in a new slot behind the others of its kind
	 */
	bool (*add)(void *state, enum mdl_handle_kind kind, uint64_t handle);

	/** Why no object has this handle, if more is known: static text; otherwise NULL. */
	const char *(*absent)(void *state, enum mdl_handle_kind kind, uint64_t handle);

	/** What a list of the kind lacks, or why it cannot be read: static text; NULL: nothing. May be NULL. */
	const char *(*lacks)(void *state, enum mdl_handle_kind kind);

	/** Element @p i of a list; @p i must be below list->n. @return ACC_OK; ACC_EREAD, ACC_ECORRUPT */
	enum acc_rc (*number)(void *state, const struct mdl_list *list, uint64_t i, int64_t *ret);
	enum acc_rc (*member)(void *state, const struct mdl_list *list, uint64_t i, struct mdl_handle_member *ret);
	enum acc_rc (*attribute)(void *state, const struct mdl_list *list, uint64_t i,
				 struct mdl_handle_attribute *ret);
	/** Key and value; cut off at their sizes, always terminated. */
	enum acc_rc (*pair)(void *state, const struct mdl_list *list, uint64_t i, char *key, size_t key_size,
			    char *value, size_t value_size);
};

/** Note why an object of @p library ("MPICH") at @p addr cannot
 * be read. @return @p rc; of ACC_OK and ACC_NONE nothing is noted */
enum acc_rc rd_object_note(struct acc_space *sp, const char *library, uint64_t addr, enum acc_rc rc);

/** Set the facts that an MPI library does not keep (parent,
 * generation, time of creation) to unavailable, and the origin. */
void rd_object_unrecorded(struct mdl_handle *h);

#endif /* RD_OBJECTS_H */
