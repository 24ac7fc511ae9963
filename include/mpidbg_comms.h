/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file mpidbg_comms.h
 * The part of mpidbg.h, which includes this header, about communicators, groups, error handlers and sessions.
 */
#ifndef MPIDBG_COMMS_H
#define MPIDBG_COMMS_H

#include "mpidbg_objects.h"

#ifdef __cplusplus
extern "C" {
#endif

enum mpidbg_comm_capabilities_t {
	MPIDBG_COMM_CAP_BASIC = 0x01,
	MPIDBG_COMM_CAP_STRING_NAMES = 0x02,
	MPIDBG_COMM_CAP_FREED_HANDLE = 0x04,
	MPIDBG_COMM_CAP_FREED_OBJECT = 0x08, /**< never: only the library itself has this information */
	MPIDBG_COMM_CAP_REQUEST_LIST = 0x10,
	MPIDBG_COMM_CAP_WINDOW_LIST = 0x20,
	MPIDBG_COMM_CAP_FILE_LIST = 0x40,
	MPIDBG_COMM_CAP_MAX
};

enum mpidbg_comm_info_bitmap_t {
	MPIDBG_COMM_INFO_PREDEFINED = 0x01,
	MPIDBG_COMM_INFO_CARTESIAN = 0x02,
	MPIDBG_COMM_INFO_GRAPH = 0x04,
	MPIDBG_COMM_INFO_TOPO_REORDERED = 0x08, /**< only read from Open MPI */
	MPIDBG_COMM_INFO_INTERCOMM = 0x10,
	MPIDBG_COMM_INFO_FREED_HANDLE = 0x20,
	MPIDBG_COMM_INFO_FREED_OBJECT = 0x40,
	MPIDBG_COMM_INFO_COMM_NULL = 0x80,
	MPIDBG_COMM_INFO_DIST_GRAPH = 0x00000400,
	MPIDBG_COMM_INFO_MAX
};

/** Bits of comm_unknown, after those of mpidbg_unknown_t. */
enum mpidbg_comm_unknown_t {
	MPIDBG_COMM_UNKNOWN_RANK = 0x100,
	MPIDBG_COMM_UNKNOWN_SIZE = 0x200,
	MPIDBG_COMM_UNKNOWN_LOCAL_PROCS = 0x400,
	MPIDBG_COMM_UNKNOWN_REMOTE_PROCS = 0x800,
	MPIDBG_COMM_UNKNOWN_TOPOLOGY = 0x1000,
	MPIDBG_COMM_UNKNOWN_ATTRS = 0x2000,
	MPIDBG_COMM_UNKNOWN_REQUESTS = 0x4000,
	MPIDBG_COMM_UNKNOWN_WINDOWS = 0x8000,
	MPIDBG_COMM_UNKNOWN_FILES = 0x10000,
	MPIDBG_COMM_UNKNOWN_ERRHANDLER = 0x20000,
	MPIDBG_COMM_UNKNOWN_INFO = 0x40000,
	MPIDBG_COMM_UNKNOWN_GROUP = 0x80000, /**< has the program a handle of its group? */
	MPIDBG_COMM_UNKNOWN_REMOTE_GROUP = 0x100000,
	MPIDBG_COMM_UNKNOWN_WORLD_RANK = 0x200000,
	MPIDBG_COMM_UNKNOWN_MADE_OF = 0x400000,
	MPIDBG_COMM_UNKNOWN_CALLS = 0x800000,
	MPIDBG_COMM_UNKNOWN_SPLIT = 0x1000000 /**< what MPI_Comm_split was given */
};

struct mpidbg_comm_info_t {
	char comm_name[MPIDBG_MAX_OBJECT_NAME];
	enum mpidbg_comm_info_bitmap_t comm_bitflags;
	int comm_rank; /**< -1: not known */
	int comm_size; /**< of the local group; -1: not known, or MPI_COMM_NULL */
	int comm_num_local_procs;
	struct mpidbg_process_t *comm_local_procs;
	int comm_num_remote_procs; /**< 0: an intracommunicator */
	struct mpidbg_process_t *comm_remote_procs;
	int comm_cart_num_dims;
	int *comm_cart_dims;
	int8_t *comm_cart_periods;
	int comm_graph_num_nodes;
	int *comm_graph_index;
	int *comm_graph_edges; /**< comm_graph_index[comm_graph_num_nodes - 1] of them */
	mqs_taddr_t comm_c_handle;
	int comm_fortran_handle; /**< MPIDBG_ERR_UNAVAILABLE (4): not known, if comm_object.has_fortran is 0 */
	int comm_num_attrs;
	struct mpidbg_attribute_pair_t *comm_attrs;
	int comm_num_pending_requests; /**< MPIDBG_ERR_NOT_SUPPORTED: unavailable (then the array is NULL) */
	mqs_taddr_t *comm_pending_requests;
	int comm_num_derived_windows;
	mqs_taddr_t *comm_derived_windows;
	int comm_num_derived_files;
	mqs_taddr_t *comm_derived_files;
	/* since version 1 */
	struct mpidbg_object_t comm_object;
	int *comm_cart_coords; /**< comm_cart_num_dims of them; NULL: not known */
	int comm_num_sources, comm_num_destinations;
	int *comm_sources, *comm_destinations;               /**< of a distributed graph */
	int *comm_source_weights, *comm_destination_weights; /**< NULL: unweighted */
	mqs_taddr_t comm_errhandler, comm_info;              /**< handles; 0: not known, or freed */
	mqs_taddr_t comm_group, comm_remote_group; /**< handles, if the program has requested them; otherwise 0 */
	int comm_world_rank;                       /**< of this process in its MPI_COMM_WORLD; -1: not known */
	int64_t comm_made_of; /**< number of the group passed to MPI_Comm_create or a similar function; 0: none */
	int comm_num_calls;
	struct mpidbg_call_t *comm_calls;
	int64_t comm_group_number; /**< opens its group, also one of which the program has no handle (mpidbg_query()) */
	int64_t comm_remote_group_number;                  /**< the same of the remote group; 0: an intracommunicator */
	struct mpidbg_group_member_t *comm_local_members;  /**< comm_num_local_procs of them */
	struct mpidbg_group_member_t *comm_remote_members; /**< comm_num_remote_procs of them */
	uint64_t comm_unknown;                             /**< enum mpidbg_comm_unknown_t */
	int comm_is_split;                                 /**< 1: MPI_Comm_split has made it */
	int comm_color, comm_key; /**< what it was given in this process; 0 if comm_is_split is 0 */
};

/* error handlers */

enum mpidbg_errhandler_capabilities_t {
	MPIDBG_ERRH_CAP_BASIC = 0x01,
	MPIDBG_ERRH_CAP_STRING_NAMES = 0x02,
	MPIDBG_ERRH_CAP_FREED_HANDLE = 0x04,
	MPIDBG_ERRH_CAP_FREED_OBJECT = 0x08,
	MPIDBG_ERRH_CAP_HANDLE_LIST = 0x10,
	MPIDBG_ERRH_CAP_MAX
};

enum mpidbg_errhandler_info_bitmap_t {
	MPIDBG_ERRH_INFO_PREDEFINED = 0x01,
	MPIDBG_ERRH_INFO_COMMUNICATOR = 0x02,
	MPIDBG_ERRH_INFO_FILE = 0x04,
	MPIDBG_ERRH_INFO_WINDOW = 0x08,
	MPIDBG_ERRH_INFO_C_CALLBACK = 0x10,
	MPIDBG_ERRH_INFO_FREED_HANDLE = 0x20,
	MPIDBG_ERRH_INFO_FREED_OBJECT = 0x40,
	MPIDBG_ERRH_INFO_MAX
};

/** Bits of eh_unknown, after those of mpidbg_unknown_t. */
enum mpidbg_errhandler_unknown_t {
	MPIDBG_ERRHANDLER_UNKNOWN_HANDLES = 0x100,
	MPIDBG_ERRHANDLER_UNKNOWN_FUNCTION = 0x200,
	MPIDBG_ERRHANDLER_UNKNOWN_ATTACHES_TO = 0x400
};

struct mpidbg_errhandler_info_t {
	char eh_name[MPIDBG_MAX_OBJECT_NAME];
	enum mpidbg_errhandler_info_bitmap_t eh_bitflags;
	mqs_taddr_t eh_c_handle;
	int eh_fortran_handle;   /**< as comm_fortran_handle */
	int16_t eh_refcount;     /**< handles in eh_handles; 32767: at least as many */
	mqs_taddr_t *eh_handles; /**< communicators, files, windows and sessions that use it */
	mqs_taddr_t eh_callback_func;
	/* since version 1 */
	struct mpidbg_object_t eh_object;
	int eh_num_handles;   /**< as eh_refcount, whatever their number */
	int *eh_handle_kinds; /**< enum mpidbg_handle_kind_t, of each in eh_handles */
	int eh_attaches_to;   /**< kind of object it can be set for, enum mpidbg_handle_kind_t; -1: all, or not known */
	uint64_t eh_unknown;  /**< enum mpidbg_errhandler_unknown_t */
};

/** Bits of group_unknown, after those of mpidbg_unknown_t. */
enum mpidbg_group_unknown_t {
	MPIDBG_GROUP_UNKNOWN_RANK = 0x100,
	MPIDBG_GROUP_UNKNOWN_PROCS = 0x200,
	MPIDBG_GROUP_UNKNOWN_SECOND_PARENT = 0x400,
	MPIDBG_GROUP_UNKNOWN_COMMS = 0x800
};

struct mpidbg_group_info_t {
	struct mpidbg_object_t group_object;
	int group_rank; /**< -1: this process is no member, or it is not known */
	int group_num_procs;
	struct mpidbg_process_t *group_procs;
	int64_t group_second_parent; /**< number of the second group of MPI_Group_union or similar; 0: none */
	int group_num_comms;
	mqs_taddr_t *group_comms; /**< communicators created from it, or from which the program got it */
	struct mpidbg_group_member_t *group_members; /**< group_num_procs of them */
	uint64_t group_unknown;                      /**< enum mpidbg_group_unknown_t */
};

/** Bits of session_unknown, after those of mpidbg_unknown_t. */
enum mpidbg_session_unknown_t { MPIDBG_SESSION_UNKNOWN_INFO = 0x100, MPIDBG_SESSION_UNKNOWN_ERRHANDLER = 0x200 };

struct mpidbg_session_info_t {
	struct mpidbg_object_t session_object;
	mqs_taddr_t session_info, session_errhandler;
	uint64_t session_unknown; /**< enum mpidbg_session_unknown_t */
};

/** Bits of keyval_unknown, after those of mpidbg_unknown_t. */
enum mpidbg_keyval_unknown_t {
	MPIDBG_KEYVAL_UNKNOWN_VALUE = 0x100,
	MPIDBG_KEYVAL_UNKNOWN_ATTACHES_TO = 0x200,
	MPIDBG_KEYVAL_UNKNOWN_COPY_FUNCTION = 0x400,
	MPIDBG_KEYVAL_UNKNOWN_DELETE_FUNCTION = 0x800,
	MPIDBG_KEYVAL_UNKNOWN_EXTRA_STATE = 0x1000
};

struct mpidbg_keyval_info_t {
	struct mpidbg_object_t keyval_object;
	int keyval_value;       /**< the integer that the program passes as keyval */
	int keyval_attaches_to; /**< enum mpidbg_handle_kind_t: communicator, datatype or window; -1: any,
				 * or not known */
	mqs_taddr_t keyval_copy_function, keyval_delete_function; /**< 0: none */
	mqs_taddr_t keyval_extra_state;
	uint64_t keyval_unknown; /**< enum mpidbg_keyval_unknown_t */
};

/** Capabilities and names of predefined handles (NULL: none available) of the process that was set up last, valid after
 * mpidbg_init_per_process(). With several processes use mpidbg_get_capabilities() and mpidbg_get_name_map(). */
MPIDBG_EXPORT enum mpidbg_comm_capabilities_t mpidbg_comm_capabilities;
MPIDBG_EXPORT struct mpidbg_name_map_t *mpidbg_comm_name_map;
MPIDBG_EXPORT enum mpidbg_errhandler_capabilities_t mpidbg_errhandler_capabilities;
MPIDBG_EXPORT struct mpidbg_name_map_t *mpidbg_errhandler_name_map;

MPIDBG_EXPORT int mpidbg_comm_query(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
				    mqs_process_info *process_info, mqs_taddr_t c_comm,
				    struct mpidbg_comm_info_t **info);

/** What a condition of a breakpoint asks of a communicator. */
struct mpidbg_comm_brief_t {
	char comm_name[MPIDBG_MAX_OBJECT_NAME];
	int comm_rank, comm_size; /**< -1: unavailable */
};

/** The first members of mpidbg_comm_query(), which reads much more; no memory is allocated. */
MPIDBG_EXPORT int mpidbg_comm_brief(mqs_process *process, mqs_taddr_t c_comm, struct mpidbg_comm_brief_t *ret);

MPIDBG_EXPORT int mpidbg_comm_f2c(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
				  mqs_process_info *process_info, mqs_taddr_t f77_comm, mqs_taddr_t *c_comm);
MPIDBG_EXPORT int mpidbg_comm_cxx2c(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
				    mqs_process_info *process_info, mqs_taddr_t cxx_comm,
				    enum mpidbg_comm_info_bitmap_t comm_type, mqs_taddr_t *c_comm);

MPIDBG_EXPORT int mpidbg_group_query(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
				     mqs_process_info *process_info, mqs_taddr_t group,
				     struct mpidbg_group_info_t **info);
MPIDBG_EXPORT int mpidbg_group_f2c(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
				   mqs_process_info *process_info, mqs_taddr_t f77_group, mqs_taddr_t *c_group);
MPIDBG_EXPORT int mpidbg_group_cxx2c(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
				     mqs_process_info *process_info, mqs_taddr_t cxx_group, mqs_taddr_t *c_group);

MPIDBG_EXPORT int mpidbg_errhandler_query(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
					  mqs_process_info *process_info, mqs_taddr_t errhandler,
					  struct mpidbg_errhandler_info_t **info);
MPIDBG_EXPORT int mpidbg_errhandler_f2c(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
					mqs_process_info *process_info, mqs_taddr_t f77_errhandler,
					mqs_taddr_t *c_errhandler);
MPIDBG_EXPORT int mpidbg_errhandler_cxx2c(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
					  mqs_process_info *process_info, mqs_taddr_t cxx_errhandler,
					  mqs_taddr_t *c_errhandler);

MPIDBG_EXPORT int mpidbg_session_query(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
				       mqs_process_info *process_info, mqs_taddr_t session,
				       struct mpidbg_session_info_t **info);
MPIDBG_EXPORT int mpidbg_session_f2c(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
				     mqs_process_info *process_info, mqs_taddr_t f77_session, mqs_taddr_t *c_session);
MPIDBG_EXPORT int mpidbg_session_cxx2c(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
				       mqs_process_info *process_info, mqs_taddr_t cxx_session, mqs_taddr_t *c_session);
/** Keyvals have no Fortran handles of their own: their value is the same in both languages. */
MPIDBG_EXPORT int mpidbg_keyval_query(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
				      mqs_process_info *process_info, mqs_taddr_t keyval,
				      struct mpidbg_keyval_info_t **info);

#ifdef __cplusplus
}
#endif

#endif /* MPIDBG_COMMS_H */
