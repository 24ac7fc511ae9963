/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file loading.h
 * State while the process of a snapshot is loaded, shared by the files that load its parts. A member whose type differs
 * from docs/json.md counts as missing.
 */
#ifndef VD_LOADING_H
#define VD_LOADING_H

#include "job.h"

/** A communicator as seen by the process that is being loaded. */
struct vd_view {
	const json_t *json;
	int32_t comm;               /**< index; VD_UNKNOWN */
	const struct vd_list *list; /**< its members; NULL: out of memory */
	bool is_ours;               /**< the list is not in vd_job.lists and is freed by vd_unload_comms() */
};

/** A window or a file as recorded in the process that is being loaded. */
struct vd_object {
	const json_t *json;
	const struct vd_view *of; /**< the communicator that it was created with; NULL: not known */
	const char *name;         /**< "": it has none */
	int32_t comm;             /**< index of its entry; VD_UNKNOWN */
	uint8_t kind;             /**< enum vd_comm_kind */
};

struct vd_loading {
	struct vd_job *job;
	size_t rank;    /**< index */
	size_t n_ranks; /**< final number of ranks of the job */
	struct vd_view *views;
	size_t n_views;
	struct vd_object *objects;
	size_t n_objects;
	size_t next_state; /**< where the state of the next thread is, probably, in the member "threads" */
	uint64_t print;    /**< fingerprint of the data loaded so far */
};

/** A member of a JSON object: a string, a number, a boolean. If it is missing: NULL, @p otherwise, false. */
const char *vd_json_text(const json_t *object, const char *key);
int64_t vd_json_number(const json_t *object, const char *key, int64_t otherwise);
bool vd_json_true(const json_t *object, const char *key);

/** Set the source file of the place of a thread. @param thread of the member "calls" of @p process */
void vd_load_source(struct vd_job *job, struct vd_thread *t, const json_t *process, const json_t *thread);

/** Parse "0x55d0c8a012a0"; 0: missing. */
uint64_t vd_json_address(const json_t *object, const char *key);

/** Parse "0x55d0c8a012a0"; 0 for NULL. */
uint64_t vd_address(const char *text);

/** Index of the rank with this number in the communicator, in the remote group of an intercommunicator; VD_UNKNOWN. */
int32_t vd_peer_at(const struct vd_view *v, int64_t peer);

/** Write a number in decimal, at most 20 digits and a NUL: much faster than snprintf(). @return the address
 * of the NUL */
char *vd_put_number(char *to, uint64_t number);

/** Key of a rank in vd_job.rank_names: kind 'w': @p world is
 * the index of the world; 'j': the MPI's number of the world. */
void vd_rank_key(char ret[64], char kind, int64_t world, int64_t rank);

/** Load the communicators: vd_loading.views. vd_unload_comms() frees. */
void vd_load_comms(struct vd_loading *l, const json_t *process);
void vd_unload_comms(struct vd_loading *l);

/**
 * May a list with @p n members, written as @p n_elements numbers
 * and ranges, be loaded? Otherwise it is counted in n_refused.
 */
bool vd_may_load_members(struct vd_loading *l, size_t n, size_t n_elements);

/**
 * Load the members of a group ("members" in docs/json.md).
 *
 * @param[out] ret indexes of ranks, with space for vd_members_count() of them; VD_UNKNOWN: not in the snapshot
 * @return number of elements written
 */
size_t vd_load_members(struct vd_loading *l, const json_t *group, int32_t *ret);

/** Load recorded windows and files into vd_loading.objects. vd_unload_objects() frees. */
void vd_load_objects(struct vd_loading *l, const json_t *process);
void vd_unload_objects(struct vd_loading *l);

/**
 * Find the window or file of the function "MPI_Win_..." or "MPI_File_..." that a thread is in: by the recorded
 * handle; if nothing is recorded, by the internal communicator of the object, if there is only one object, or if
 * the library waits in the communicator of only one.
 *
 * @param recorded the call recorded by the in-target library; NULL: none
 * @return index of its entry in vd_job.comms; VD_UNKNOWN
 */
int32_t vd_object_of(const struct vd_loading *l, const json_t *recorded, enum vd_comm_kind kind);

/** Load the operations of the communicators. */
void vd_load_ops(struct vd_loading *l);

/**
 * Load the operations that a thread in MPI waits for: those that name it in their member "thread"; for a collective,
 * internal operations.
 */
void vd_load_awaits(struct vd_loading *l, const json_t *process, const struct vd_thread *t);

/**
 * The same for MPI_Wait and similar functions: by the handles that the in-target library has recorded, else by the
 * addresses on the stack. May set vd_thread.call to VD_CALL_OTHER, if what is known is not enough.
 *
 * @param thread   it, in "calls"
 * @param recorded its call in "recorded_calls"; NULL: none
 */
void vd_load_waits(struct vd_loading *l, const json_t *process, const json_t *thread, struct vd_thread *t,
		   const json_t *recorded);

/**
 * Load the message for which MPI_Intercomm_create of MPICH waits if its arguments are not recorded: the leaders send
 * each other messages, and the members of each group. Nothing if it is another function, or if the message may be meant
 * for another call.
 */
void vd_load_leaders(struct vd_loading *l, const json_t *process, const struct vd_thread *t);

/** Load what MPI_Probe waits for in MPICH, of which nothing is known. Nothing if it is another function. */
void vd_load_probe(struct vd_loading *l, const struct vd_thread *t);

/**
 * Load for what a thread polls: vd_thread.n_polled and vd_thread.comm. No conclusion depends on it.
 *
 * @param comm of the call; NULL: unknown
 */
void vd_load_polled(struct vd_loading *l, const json_t *process, const json_t *thread, struct vd_thread *t,
		    const json_t *recorded, const struct vd_view *comm);

/** Load the threads and the operations that they wait for. */
void vd_load_threads(struct vd_loading *l, const json_t *process);

#endif /* VD_LOADING_H */
