/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file state.h
 * The state of an image and of a process: one each, shared by both faces, because a debugger has one slot for each.
 *
 * A state is found through the debugger's get callback and recognised by its magic number. Set-ups are counted per
 * face; the last release frees the state and clears the debugger's slot, so that a later call finds
 * nothing instead of freed memory. An image that is released before its processes remains in memory, unusable, until
 * they are released.
 */
#ifndef MQS_STATE_H
#define MQS_STATE_H

#include "../access/pack_find.h"
#include "../readers/python/python.h"
#include "../readers/reader.h"
#include "../readers/tracked/merge.h"
#include "../readers/tracked/tracked.h"
#include "export.h"

#include <stdbool.h>

enum mqs_face { MQS_FACE_QUEUES, MQS_FACE_HANDLES, MQS_N_FACES };

/** The state of an image. */
struct _mqs_image_info {
	uint64_t magic;
	unsigned n_setups[MQS_N_FACES];
	unsigned n_processes; /**< number of processes that refer to it */
	mqs_image *image;
	const mqs_image_callbacks *callbacks[MQS_N_FACES]; /**< one table for each face that is set up */
	bool packs_loaded;
	struct acc_pack_list packs;
	struct acc_note packs_note; /**< the first pack that was skipped */
};

/** The state of a process. */
struct _mqs_process_info {
	uint64_t magic;
	unsigned n_setups[MQS_N_FACES];
	mqs_process *process;
	struct _mqs_image_info *image; /**< held */
	const mqs_process_callbacks *callbacks[MQS_N_FACES];

	bool space_made;
	struct acc_space space;
	struct rd_packs packs;
	struct rd_process *reader; /**< NULL: not opened yet, or it could not be opened */
	struct rd_track *
		track; /**< the registry of the in-target library, or objects in its place; NULL: not opened, or none */
	struct rd_track_merge *merge; /**< its requests, for the iteration of the queue face; NULL: none */
	bool merge_tried;
	struct rd_python *python; /**< CPython in the process; NULL: not opened, or none */
	struct rd_stack stack;    /**< of the first thread, for the iteration of the queue face; hi 0: not found */
	/** The process does not run until this is cleared (mpidbg_keep()): what was read since is kept. */
	bool kept;
	bool kept_reader, kept_track;    /**< read since then */
	struct mpidbg_user_index *users; /**< of mpidbg/: references between objects; NULL: not built */
	void (*users_free)(struct _mqs_process_info *p);
	struct acc_note note;              /**< of the last entry point that failed */
	char message[ACC_NOTE_BYTES + 64]; /**< of mqs_process_has_queues() */

	/* the one iteration of the queue face */
	bool updated; /**< mqs_update_communicator_list() since the last iteration began */
	bool comm_current;
	struct mdl_comm comm;
	struct rd_comm_iter comms;
	struct acc_note comms_bad; /**< the first communicator that was skipped */
	bool ops_current;          /**< holds a bracket of the space open */
	mqs_op_class op_class;
	struct rd_op_iter ops;
	struct acc_note ops_bad;   /**< the first operation that was skipped */
	bool op_given;             /**< the iteration has returned an operation */
	struct mdl_num op_request; /**< handle of its request */

	struct mqs_new_processes *new_processes; /**< the iteration over other processes; NULL: none */
};

/* ---- images ----------------------------------------------------------------------------------------- */

/** The state of an image; NULL: not set up, or the data in the slot is not this plugin's. */
struct _mqs_image_info *mqs_state_image(mqs_image *image);

/**
 * Count a set-up.
 *
 * @return ACC_OK; ACC_EINVAL: NULL, a table without a required function, no basic callbacks; ACC_ENOMEM.
 */
enum acc_rc mqs_state_image_setup(enum mqs_face face, mqs_image *image, const mqs_image_callbacks *callbacks);

/** Undo a set-up of a face. Accepts NULL, a foreign state, and a face that is not set up. */
void mqs_state_image_release(enum mqs_face face, struct _mqs_image_info *info);

/** The callbacks of an image; NULL when no face is set up any more. */
static inline const mqs_image_callbacks *mqs_state_image_callbacks(const struct _mqs_image_info *info)
{
	return info->callbacks[MQS_FACE_QUEUES] ? info->callbacks[MQS_FACE_QUEUES] : info->callbacks[MQS_FACE_HANDLES];
}

/* ---- processes -------------------------------------------------------------------------------------- */

/** The state of a process whose image is set up, or NULL. */
struct _mqs_process_info *mqs_state_process(mqs_process *process);

/** Count a set-up. @return as mqs_state_image_setup(); ACC_EINVAL also when its image is not set up. */
enum acc_rc mqs_state_process_setup(enum mqs_face face, mqs_process *process, const mqs_process_callbacks *callbacks);

/** Undo a set-up. Accepts NULL and a foreign state. */
void mqs_state_process_release(enum mqs_face face, struct _mqs_process_info *info);

/** The callbacks of a process; NULL when no face is set up any more. */
static inline const mqs_process_callbacks *mqs_state_process_callbacks(const struct _mqs_process_info *info)
{
	return info->callbacks[MQS_FACE_QUEUES] ? info->callbacks[MQS_FACE_QUEUES] : info->callbacks[MQS_FACE_HANDLES];
}

/* ---- reading ---------------------------------------------------------------------------------------- */

/** Set up the space. @return ACC_OK; ACC_EINVAL, noted in p->note. */
enum acc_rc mqs_state_space(struct _mqs_process_info *p);

/**
 * Open the reader unless it is open; load the packs first.
 *
 * @return as rd_open(); a failure is noted in p->note. A later call tries again.
 */
enum acc_rc mqs_state_open(struct _mqs_process_info *p);

/** Open the reader, or tell it that the process may have run. Ends the iterations. @return as rd_update(). */
enum acc_rc mqs_state_update(struct _mqs_process_info *p);

/**
 * The process does not run from now on, or may run again. A bracket of the space is open in between. What was read
 * before is discarded in both cases.
 */
enum acc_rc mqs_state_keep(struct _mqs_process_info *p, bool keep);

/** End the iteration over other processes. */
void mqs_state_end_new_processes(struct _mqs_process_info *p);

/**
 * Open the registry of the in-target library, or tell it that the process may have run.
 *
 * @return as rd_track_open(); a failure, or a missing registry, is noted in p->note.
 */
enum acc_rc mqs_state_track(struct _mqs_process_info *p);

/** Open the objects: those of the registry, or otherwise those that the reader finds in the MPI library's own memory.
 * They are in p->track until the next mqs_state_track().
 *
 * @return as mqs_state_track(); ACC_NONE: there is no registry, and this MPI's objects are not read.
 */
enum acc_rc mqs_state_objects(struct _mqs_process_info *p);

/**
 * Index the registry's records of requests, to add their facts to operations that the reader finds in the MPI
 * library's own memory; does nothing if that was done or tried since mqs_state_end_merge(), if there is no registry,
 * or if the registry is the reader's source. The process may have run in between, so each record is checked again.
 */
void mqs_state_merge(struct _mqs_process_info *p);
void mqs_state_end_merge(struct _mqs_process_info *p);

/**
 * Find CPython in the process, unless that was done.
 *
 * @param[out] why reason of a failure as text; p->note is not used. Untouched on success and with ACC_NONE.
 * @return as rd_python_open(). A later call tries again.
 */
enum acc_rc mqs_state_python(struct _mqs_process_info *p, char why[ACC_NOTE_BYTES]);

/** End the iteration over operations and its bracket. */
void mqs_state_end_operations(struct _mqs_process_info *p);

/** Start an entry point: clear the notes of the previous one. */
void mqs_state_begin(struct _mqs_process_info *p);

/** Move the note of the space, or else @p text, to the note of the process. @return @p rc. */
enum acc_rc mqs_state_fail(struct _mqs_process_info *p, enum acc_rc rc, const char *text);

#endif /* MQS_STATE_H */
