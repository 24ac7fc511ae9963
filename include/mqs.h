/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file mqs.h
 * The message queue interface between a debugger and an MPI plugin DLL, compatibility level 2.
 *
 * This is the interface of Cownie and Gropp (EuroPVM/MPI 1999) as TotalView, DDT, padb and others use it today.
 * This header was written for mpidbg. Names, layouts, values and the order of the callbacks are those of the
 * interface; tests/conformance/check_mqs_abi.c compares them with the header that Open MPI installs
 * (openmpi/ompi/debuggers/msgq_interface.h).
 *
 * Roles. "The debugger" owns the opaque mqs_image, mqs_process, mqs_type and mqs_job. "The DLL" owns
 * mqs_image_info, mqs_process_info and mqs_job_info, which the debugger stores for it (put/get
 * callbacks, one slot per object). Every address is an address in the target, never in the debugger.
 *
 * Life of a session:
 *
 *     mqs_setup_basic_callbacks        once
 *     mqs_setup_image                  per executable, then mqs_image_has_queues
 *     mqs_setup_process                per process, then mqs_process_has_queues
 *     mqs_update_communicator_list     after every stop, before any iteration
 *     mqs_setup_communicator_iterator  then mqs_get_communicator, mqs_get_comm_group,
 *       mqs_setup_operation_iterator     then mqs_next_operation until mqs_end_of_list
 *     mqs_next_communicator            until mqs_end_of_list
 *     mqs_destroy_process_info, mqs_destroy_image_info
 *
 * There is one communicator iteration and one operation iteration per process at a time.
 * No function here is safe to call from two threads at once, even for different processes.
 */
#ifndef MQS_H
#define MQS_H

#include <stddef.h>
#include <stdio.h> /* FILENAME_MAX */

#ifdef __cplusplus
extern "C" {
#endif

/** Level of the interface that mqs_version_compatibility() reports. */
enum { MQS_INTERFACE_COMPATIBILITY = 2 };

typedef struct _mqs_image_info mqs_image_info;     /**< the DLL's data about an executable */
typedef struct _mqs_process_info mqs_process_info; /**< the DLL's data about a process */
typedef struct _mqs_job_info mqs_job_info;         /**< the DLL's data about a job */
typedef struct mqs_image_ mqs_image;               /**< the debugger's executable */
typedef struct mqs_process_ mqs_process;           /**< the debugger's process */
typedef struct mqs_job_ mqs_job;                   /**< the debugger's job */
typedef struct mqs_type_ mqs_type;                 /**< the debugger's type */

typedef unsigned long mqs_taddr_t; /**< an address in the target */
typedef long mqs_tword_t;          /**< a signed word of the target */

/** Sizes in bytes of the target's basic C types. */
typedef struct {
	int short_size;
	int int_size;
	int long_size;
	int long_long_size;
	int pointer_size;
	int bool_size;   /**< C99 bool */
	int size_t_size; /**< size_t */
} mqs_target_type_sizes;

/** Results of most functions. Codes from mqs_first_user_code up belong to the side that returns them. */
enum { mqs_ok = 0, mqs_no_information, mqs_end_of_list, mqs_first_user_code = 100 };

/** Identity and location of a process that the debugger does not know yet (MPI-2 functions). */
typedef struct mqs_process_location {
	long pid;
	char image_name[FILENAME_MAX];
	char host_name[64];
} mqs_process_location;

/** Language of a type or function that is looked up. */
typedef enum { mqs_lang_c = 'c', mqs_lang_cplus = 'C', mqs_lang_f77 = 'f', mqs_lang_f90 = 'F' } mqs_lang_code;

/** Which queue mqs_setup_operation_iterator() walks. */
typedef enum { mqs_pending_sends, mqs_pending_receives, mqs_unexpected_messages } mqs_op_class;

/** A rank that does not exist, or MPI_ANY_SOURCE in a receive. */
enum { MQS_INVALID_PROCESS = -1 };

/** Values of mqs_pending_operation.status. */
enum mqs_status { mqs_st_pending, mqs_st_matched, mqs_st_complete };

/**
 * The DLL's own codes, as MPICH's and Open MPI's DLLs number them. We return the ones that fit:
 *
 *   err_bad_request              NULL, not set up, already destroyed, an unknown class
 *   err_no_current_communicator  no iteration, or it has ended
 *   err_no_store                 the debugger's allocator returned NULL
 *   err_missing_symbol           a symbol that the library must have is not there
 *   err_missing_type             no source describes a type or field, or a pack's witness disagrees
 *   cannot be read               err_failed_status (the library), err_failed_commlist (the communicators),
 *                                err_failed_communicator (one, or its group), err_mpid_sends, err_failed_rhandle
 *                                (receives), err_unexpected
 *   read, but invalid            err_failed_status, err_all_communicators, err_comm_first, err_group_corrupt,
 *                                err_db_shandle (sends), err_posted (receives), err_failed_queue (unexpected)
 */
enum {
	err_silent_failure = mqs_first_user_code,
	err_no_current_communicator,
	err_bad_request,
	err_no_store,
	err_failed_qhdr,
	err_unexpected,
	err_posted,
	err_failed_queue,
	err_first,
	err_context_id,
	err_tag,
	err_tagmask,
	err_lsrc,
	err_srcmask,
	err_next,
	err_ptr,
	err_missing_type,
	err_missing_symbol,
	err_db_shandle,
	err_db_comm,
	err_db_target,
	err_db_tag,
	err_db_data,
	err_db_byte_length,
	err_db_next,
	err_failed_rhandle,
	err_is_complete,
	err_buf,
	err_len,
	err_s,
	err_failed_status,
	err_count,
	err_MPI_SOURCE,
	err_MPI_TAG,
	err_failed_commlist,
	err_sequence_number,
	err_comm_first,
	err_failed_communicator,
	err_lrank_to_grank,
	err_send_context,
	err_recv_context,
	err_comm_next,
	err_comm_name,
	err_all_communicators,
	err_mpid_sends,
	err_mpid_recvs,
	err_group_corrupt
};

/** A communicator. */
typedef struct {
	/**
	 * The context id, as Open MPI's own DLL has it: the same at every stop and on every member, so that debuggers
	 * match communicators across processes by it. Processes without a common member may use one id for different
	 * communicators. If the context id is unavailable, this is the address of the communicator.
	 */
	mqs_taddr_t unique_id;
	mqs_tword_t local_rank; /**< this process's rank in it */
	mqs_tword_t size;       /**< number of processes of the local group */
	char name[64];          /**< NUL-terminated, truncated to 63 bytes */
} mqs_communicator;

/** A pending send, a pending receive or an unexpected message. Messages are assumed to be contiguous. */
typedef struct {
	int status; /**< enum mqs_status */

	mqs_tword_t desired_local_rank;  /**< partner in the communicator, -1 for any source */
	mqs_tword_t desired_global_rank; /**< the same in MPI_COMM_WORLD, -1 when not a member of it */
	int tag_wild;                    /**< 1: any tag is accepted, desired_tag means nothing */
	mqs_tword_t desired_tag;
	mqs_tword_t desired_length; /**< bytes in the buffer */
	int system_buffer;          /**< 1: the buffer belongs to the library, not to the user */
	mqs_taddr_t buffer;         /**< address of the data, 0 when there is none */

	/* Valid when status is mqs_st_matched or more, and for every send. */
	mqs_tword_t actual_local_rank;
	mqs_tword_t actual_global_rank;
	mqs_tword_t actual_tag;
	mqs_tword_t actual_length;

	/** Up to five lines for the user, each NUL-terminated; the first empty one ends them. */
	char extra_text[5][64];
} mqs_pending_operation;

/* ---- functions of the debugger --------------------------------------------------------- */

typedef void (*mqs_put_image_info_ft)(mqs_image *, mqs_image_info *);
typedef mqs_image_info *(*mqs_get_image_info_ft)(mqs_image *);
typedef mqs_process *(*mqs_get_process_ft)(mqs_job *, int);
typedef void (*mqs_put_job_info_ft)(mqs_job *, mqs_job_info *);
typedef mqs_job_info *(*mqs_get_job_info_ft)(mqs_job *);
typedef mqs_image *(*mqs_get_image_ft)(mqs_process *);
/** Rank of the process in MPI_COMM_WORLD, or -1 when the debugger does not know. */
typedef int (*mqs_get_global_rank_ft)(mqs_process *);
/** mqs_ok and the address, or another code. */
typedef int (*mqs_find_function_ft)(mqs_image *, char *, mqs_lang_code, mqs_taddr_t *);
typedef int (*mqs_find_symbol_ft)(mqs_image *, char *, mqs_taddr_t *);
typedef void (*mqs_put_process_info_ft)(mqs_process *, mqs_process_info *);
typedef mqs_process_info *(*mqs_get_process_info_ft)(mqs_process *);
typedef mqs_job *(*mqs_get_process_job_ft)(mqs_process *);
typedef int (*mqs_get_process_identity_ft)(mqs_job *);
typedef void *(*mqs_malloc_ft)(size_t);
typedef void (*mqs_free_ft)(void *);
/** A type by its name (struct tag or typedef), or NULL. */
typedef mqs_type *(*mqs_find_type_ft)(mqs_image *, char *, mqs_lang_code);
/** Offset in bytes of a member of a structure, or -1. */
typedef int (*mqs_field_offset_ft)(mqs_type *, char *);
/** Size in bytes of a type, or -1. */
typedef int (*mqs_sizeof_ft)(mqs_type *);
typedef void (*mqs_get_type_sizes_ft)(mqs_process *, mqs_target_type_sizes *);
/** Copy bytes of the target, unconverted. mqs_ok only when all of them were read. */
typedef int (*mqs_fetch_data_ft)(mqs_process *, mqs_taddr_t, int, void *);
/** Convert one integer of the given number of bytes from target to host byte order. */
typedef void (*mqs_target_to_host_ft)(mqs_process *, const void *, void *, int);
typedef void (*mqs_dprints_ft)(const char *);
typedef char *(*mqs_errorstring_ft)(int);

typedef struct mqs_basic_callbacks {
	mqs_malloc_ft mqs_malloc_fp;
	mqs_free_ft mqs_free_fp;
	mqs_dprints_ft mqs_dprints_fp;
	mqs_errorstring_ft mqs_errorstring_fp;
	mqs_put_image_info_ft mqs_put_image_info_fp;
	mqs_get_image_info_ft mqs_get_image_info_fp;
	mqs_put_process_info_ft mqs_put_process_info_fp;
	mqs_get_process_info_ft mqs_get_process_info_fp;
} mqs_basic_callbacks;

typedef struct mqs_job_callbacks {
	mqs_get_process_ft mqs_get_process_fp;
} mqs_job_callbacks;

typedef struct mqs_image_callbacks {
	mqs_get_type_sizes_ft mqs_get_type_sizes_fp;
	mqs_find_function_ft mqs_find_function_fp;
	mqs_find_symbol_ft mqs_find_symbol_fp;
	mqs_find_type_ft mqs_find_type_fp;
	mqs_field_offset_ft mqs_field_offset_fp;
	mqs_sizeof_ft mqs_sizeof_fp;
} mqs_image_callbacks;

typedef struct mqs_process_callbacks {
	mqs_get_global_rank_ft mqs_get_global_rank_fp;
	mqs_get_image_ft mqs_get_image_fp;
	mqs_fetch_data_ft mqs_fetch_data_fp;
	mqs_target_to_host_ft mqs_target_to_host_fp;
} mqs_process_callbacks;

/* ---- functions of the DLL --------------------------------------------------------- */

#ifndef MQS_EXPORT
#define MQS_EXPORT extern
#endif

/**
 * Give the DLL the debugger's basic functions. Call first, once; a later call replaces them.
 *
 * @param callbacks owned by the debugger; must remain valid while the DLL is loaded. NULL is ignored.
 */
MQS_EXPORT void mqs_setup_basic_callbacks(const mqs_basic_callbacks *callbacks);

/** Name and version of this DLL; static, never NULL. May be called before everything else. */
MQS_EXPORT char *mqs_version_string(void);

/** MQS_INTERFACE_COMPATIBILITY. May be called before everything else. */
MQS_EXPORT int mqs_version_compatibility(void);

/** sizeof(mqs_taddr_t) that the DLL was compiled with; a target's addresses may be narrower. */
MQS_EXPORT int mqs_dll_taddr_width(void);

/**
 * Text for a code that one of these functions returned.
 *
 * @return owned by the DLL, valid until the next call into it; never NULL. For a failure of this DLL it names
 *         what failed first (type, field or symbol, address) and what to do. Other codes give
 *         "unknown error code N".
 */
MQS_EXPORT char *mqs_dll_error_string(int code);

/**
 * Prepare for an executable. Saves the callbacks; looks nothing up yet.
 *
 * @return mqs_ok; err_no_store; err_bad_request for NULL or before mqs_setup_basic_callbacks(). On failure
 *         nothing is attached to the image.
 */
MQS_EXPORT int mqs_setup_image(mqs_image *image, const mqs_image_callbacks *callbacks);

/**
 * Can processes of this executable have message queues that we read?
 *
 * @param[out] message NULL, or a printf format for a pop-up in which %s is replaced by the image's name; static.
 * @return mqs_ok, also if this can be decided only from the process; mqs_no_information with a message: no MPI in it.
 */
MQS_EXPORT int mqs_image_has_queues(mqs_image *image, char **message);

/** Release what mqs_setup_image() allocated. NULL is accepted. */
MQS_EXPORT void mqs_destroy_image_info(mqs_image_info *info);

/**
 * Prepare for a job. Nothing is stored: at level 2 a debugger has no slot for it.
 *
 * @return mqs_ok; err_bad_request: NULL, or a table without its function.
 */
MQS_EXPORT int mqs_setup_job(mqs_job *job, const mqs_job_callbacks *callbacks);

/** Release what mqs_setup_job() allocated. NULL is accepted. @return mqs_ok. */
MQS_EXPORT int mqs_destroy_job_info(mqs_job_info *info);

/**
 * Prepare for a process of an image that has queues. Saves the callbacks; reads nothing yet.
 *
 * @return mqs_ok; err_bad_request (NULL, or the image was not set up); err_no_store.
 */
MQS_EXPORT int mqs_setup_process(mqs_process *process, const mqs_process_callbacks *callbacks);

/** Release what mqs_setup_process() allocated. NULL is accepted. */
MQS_EXPORT void mqs_destroy_process_info(mqs_process_info *info);

/**
 * Examine the process: find the MPI and its layout, check its witnesses and its state.
 *
 * @param[out] message NULL, or a text for the user (no format); valid until the next call for this process.
 * @return mqs_ok; mqs_no_information: MPI not initialised yet, already finalised, or no MPI;
 *         another code of this DLL: the process cannot be read.
 */
MQS_EXPORT int mqs_process_has_queues(mqs_process *process, char **message);

/** Discard everything that was read before: the process has run. @return mqs_ok or a code of this DLL. */
MQS_EXPORT int mqs_update_communicator_list(mqs_process *process);

/**
 * Start an iteration over the communicators; the first one becomes current.
 *
 * @return mqs_ok; mqs_end_of_list: there is none; a code of this DLL.
 */
MQS_EXPORT int mqs_setup_communicator_iterator(mqs_process *process);

/** Describe the current communicator. @return mqs_ok; err_no_current_communicator; a code of this DLL. */
MQS_EXPORT int mqs_get_communicator(mqs_process *process, mqs_communicator *ret);

/**
 * World ranks of the members of the current communicator's local group, by local rank.
 *
 * @param[out] ranks an array of mqs_communicator.size elements, owned by the debugger; MQS_INVALID_PROCESS for a
 *             process of another MPI_COMM_WORLD. Untouched on failure.
 */
MQS_EXPORT int mqs_get_comm_group(mqs_process *process, int *ranks);

/**
 * Go to the next communicator. Ends the iteration over operations.
 *
 * An unreadable one is omitted; the iteration then ends with a code of this DLL instead of mqs_end_of_list, and
 * mqs_dll_error_string() says how many were omitted, and why.
 *
 * @return mqs_ok; mqs_end_of_list, also without an iteration; a code of this DLL, which ends the iteration.
 */
MQS_EXPORT int mqs_next_communicator(mqs_process *process);

/**
 * Start an iteration over one class of operations of the current communicator.
 *
 * @param op_class an mqs_op_class
 * @return mqs_ok, also if there are no operations (mqs_next_operation() then returns mqs_end_of_list);
 *         mqs_no_information: unavailable for this MPI or PML (mqs_dll_error_string() gives the reason);
 *         err_no_current_communicator; err_bad_request; a code of this DLL.
 */
MQS_EXPORT int mqs_setup_operation_iterator(mqs_process *process, int op_class);

/**
 * Fetch the next operation. An unavailable fact is -1 (ranks) or 0, and a line of extra_text says so. An
 * unreadable operation is omitted; the iteration then ends with a code of this DLL as in mqs_next_communicator().
 *
 * @return mqs_ok with *ret filled; mqs_end_of_list, also without an iteration; err_no_current_communicator;
 *         err_bad_request; a code of this DLL, which ends the iteration. *ret is untouched then.
 */
MQS_EXPORT int mqs_next_operation(mqs_process *process, mqs_pending_operation *ret);

/**
 * Start an iteration over the processes listed in the MPI2DD_info of this process (spec 004, mpi2dd.h): every process
 * of its process table, including itself if it is listed; then the directories and the other metadirectories that
 * it lists; then its own metadirectory. From any one process of a job all are found: set up those that are listed,
 * and iterate over theirs.
 *
 * An iteration yields each process (host and pid) once. It holds memory of the debugger until it has ended, by
 * itself, with mqs_update_communicator_list() or mqs_process_has_queues(), or with the process. A new one may be
 * started at any time and yields the contents of the tables at that time; the debugger must find out which of the
 * processes are new.
 *
 * @return mqs_ok; mqs_no_information: no MPI2DD_info, or it lists no process (before MPI_Init has returned);
 *         err_bad_request; a code of this DLL: MPI2DD_info cannot be read, or is of an unknown version.
 */
MQS_EXPORT int mqs_setup_new_process_iterator(mqs_process *process);

/**
 * Return the next process. An unreadable or invalid entry, or one whose host name does not fit in host_name, is
 * omitted; the iteration then ends with a code of this DLL, as in mqs_next_communicator().
 *
 * @return mqs_ok; mqs_end_of_list, also without an iteration; err_bad_request; a code of this DLL, which ends the
 *         iteration. *ret is untouched unless mqs_ok.
 */
MQS_EXPORT int mqs_next_new_process(mqs_process *process, mqs_process_location *ret);

/**
 * Tell the DLL the identity (the index in its job) that the debugger gave to a new process. It is not used.
 *
 * @return mqs_ok; err_bad_request: not set up, or a negative index.
 */
MQS_EXPORT int mqs_set_process_identity(mqs_process *process, int identity);

/* ---- optional entry points that padb looks up ---------------------------------------------------- */

/**
 * The process's rank in MPI_COMM_WORLD, as the MPI library has it. padb calls it right after
 * mqs_setup_process(), before mqs_process_has_queues().
 *
 * @return the rank, 0 or more; MQS_INVALID_PROCESS when it cannot be read.
 */
MQS_EXPORT int mqs_get_global_rank(mqs_process *process);

/**
 * Number of collective calls of a class on the current communicator, and number of active ones.
 *
 * @param op_class 0 barrier, 1 broadcast, 2 allgather, 3 allgatherv, 4 allreduce, 5 alltoall, 6 alltoallv,
 *                 7 reduce_scatter, 8 reduce, 9 gather, 10 gatherv, 11 scan, 12 scatter, 13 scatterv
 * @return mqs_ok; mqs_no_information: the library does not count; err_bad_request.
 */
MQS_EXPORT int mqs_get_comm_coll_state(mqs_process *process, int op_class, int *calls, int *active);

#ifdef __cplusplus
}
#endif

#endif /* MQS_H */
