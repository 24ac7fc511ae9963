/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file mpidbg_requests.h
 * The part of mpidbg.h, which includes this header, about requests, statuses and messages.
 */
#ifndef MPIDBG_REQUESTS_H
#define MPIDBG_REQUESTS_H

#include "mpidbg_objects.h"

#ifdef __cplusplus
extern "C" {
#endif

enum mpidbg_request_capabilities_t { MPIDBG_REQUEST_CAP_BASIC = 0x01, MPIDBG_REQUEST_CAP_MAX };

enum mpidbg_request_info_bitmap_t {
	MPIDBG_REQUEST_INFO_PREDEFINED = 0x01,
	MPIDBG_REQUEST_INFO_MAX,
	/* since version 1 */
	MPIDBG_REQUEST_INFO_PERSISTENT = 0x10,
	/** Complete and returned to the program as complete; or freed with MPI_Request_free, after which it may be
	   active still. */
	MPIDBG_REQUEST_INFO_FREED_HANDLE = 0x20,
	MPIDBG_REQUEST_INFO_ACTIVE = 0x40,    /**< started and not complete; see also MPIDBG_REQUEST_UNKNOWN_COMPLETE */
	MPIDBG_REQUEST_INFO_CANCELLED = 0x80, /**< MPI_Cancel was called; its status says whether it succeeded */
	MPIDBG_REQUEST_INFO_FREE_CALLED = 0x100, /**< MPI_Request_free was called while it was active */
	MPIDBG_REQUEST_INFO_SHARED = 0x200, /**< complete when created; other requests have the same handle value */
	MPIDBG_REQUEST_INFO_PARTITIONED = 0x400,
	MPIDBG_REQUEST_INFO_COMPLETE = 0x800 /**< started and complete, even if the program does not know yet */
};

/** Bits of req_unknown, after those of mpidbg_unknown_t. */
enum mpidbg_request_unknown_t {
	MPIDBG_REQUEST_UNKNOWN_COMPLETE = 0x100, /**< neither the records nor the MPI library say whether
						  * it is complete */
	MPIDBG_REQUEST_UNKNOWN_ON = 0x200,
	MPIDBG_REQUEST_UNKNOWN_PEER = 0x400,
	MPIDBG_REQUEST_UNKNOWN_TAG = 0x800, /**< a collective has none that the program has chosen */
	MPIDBG_REQUEST_UNKNOWN_COUNT = 0x1000,
	MPIDBG_REQUEST_UNKNOWN_DATATYPE = 0x2000,
	MPIDBG_REQUEST_UNKNOWN_BUFFER = 0x4000,
	MPIDBG_REQUEST_UNKNOWN_CALLER = 0x8000,
	MPIDBG_REQUEST_UNKNOWN_OP = 0x10000,
	MPIDBG_REQUEST_UNKNOWN_SECOND_SIDE = 0x20000,
	MPIDBG_REQUEST_UNKNOWN_SOURCE = 0x40000,
	MPIDBG_REQUEST_UNKNOWN_RECEIVE_TAG = 0x80000,
	MPIDBG_REQUEST_UNKNOWN_CANCELLED = 0x100000,
	MPIDBG_REQUEST_UNKNOWN_FREE_CALLED = 0x200000
};

struct mpidbg_request_info_t {
	enum mpidbg_request_info_bitmap_t req_bitflags;
	mqs_taddr_t req_c_handle;
	int req_fortran_handle; /**< as comm_fortran_handle */
	/* since version 1 */
	struct mpidbg_object_t req_object;
	int req_object_kind; /**< enum mpidbg_handle_kind_t of req_on: communicator, file or window; -1: none */
	int req_has_peer;    /**< 1: req_peer is a rank; 2: it is a root; 3: any source; 0: the request has none */
	int req_peer;        /**< -2: MPI_PROC_NULL, -4: MPI_ROOT */
	int req_has_tag;     /**< 1: req_tag is valid; 3: any tag; 0: the request has none */
	int req_tag;
	int64_t req_count; /**< elements (partitioned: in all partitions); -1: none, or one count for each rank */
	/** 0: none or not known. req_buffer of a generalized request is its extra state. */
	mqs_taddr_t req_on, req_datatype, req_buffer, req_caller;
	mqs_taddr_t req_op; /**< reduction operation; 0: none or not known */
	/**
	 * The other side. 1: the data received; req_buffer, req_count and req_datatype describe the data sent
	 * (collectives, MPI_Isendrecv). 2: the data sent (MPI_Iscatter and similar functions). 3: the data at the
	 * target of a window. 0: there is none, or MPI ignores it at this rank. Arguments that MPI ignores for
	 * MPI_IN_PLACE are -1 and 0, like unknown ones.
	 */
	int req_second_side;
	int64_t req_second_count;        /**< as req_count */
	mqs_taddr_t req_second_datatype; /**< as req_datatype */
	mqs_taddr_t req_second_buffer;   /**< of a window the displacement at the target, as given */
	int req_has_source; /**< as req_has_peer, for the receive of MPI_Isendrecv; req_peer is the send's */
	int req_source;
	int req_has_receive_tag; /**< as req_has_tag */
	int req_receive_tag;
	uint64_t req_unknown; /**< enum mpidbg_request_unknown_t */
};

/* statuses: the "handle" is the address of the MPI_Status */

enum mpidbg_status_capabilities_t { MPIDBG_STATUS_CAP_BASIC = 0x01, MPIDBG_STATUS_CAP_MAX };

enum mpidbg_status_info_bitmap_t {
	MPIDBG_STATUS_INFO_PREDEFINED = 0x01,
	MPIDBG_STATUS_INFO_MAX,
	/* since version 1 */
	MPIDBG_STATUS_INFO_CANCELLED = 0x10,
	MPIDBG_STATUS_INFO_COUNT_KNOWN = 0x20 /**< status_bytes and MPIDBG_STATUS_INFO_CANCELLED are valid */
};

struct mpidbg_status_info_t {
	enum mpidbg_status_info_bitmap_t status_bitflags;
	/* since version 1 */
	int status_source, status_tag, status_error; /**< the public members, with the values of the MPI library */
	int64_t status_bytes;
	mqs_taddr_t status_addr;
};

/** Bits of message_unknown, after those of mpidbg_unknown_t. */
enum mpidbg_message_unknown_t {
	MPIDBG_MESSAGE_UNKNOWN_COMM = 0x100,
	MPIDBG_MESSAGE_UNKNOWN_SOURCE = 0x200,
	MPIDBG_MESSAGE_UNKNOWN_TAG = 0x400,
	MPIDBG_MESSAGE_UNKNOWN_BYTES = 0x800
};

struct mpidbg_message_info_t {
	struct mpidbg_object_t message_object;
	mqs_taddr_t message_comm;
	int message_source;       /**< -2: MPI_PROC_NULL (of MPI_MESSAGE_NO_PROC); -1: not known */
	int message_tag;          /**< -1: any (of MPI_MESSAGE_NO_PROC), or not known */
	int64_t message_bytes;    /**< -1: not known */
	uint64_t message_unknown; /**< enum mpidbg_message_unknown_t */
};

/** As mpidbg_comm_capabilities and mpidbg_comm_name_map (mpidbg_comms.h). */
MPIDBG_EXPORT enum mpidbg_request_capabilities_t mpidbg_request_capabilities;
MPIDBG_EXPORT struct mpidbg_name_map_t *mpidbg_request_name_map;
MPIDBG_EXPORT enum mpidbg_status_capabilities_t mpidbg_status_capabilities;
MPIDBG_EXPORT struct mpidbg_name_map_t *mpidbg_status_name_map;

MPIDBG_EXPORT int mpidbg_request_query(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
				       mqs_process_info *process_info, mqs_taddr_t request,
				       struct mpidbg_request_info_t **info);
MPIDBG_EXPORT int mpidbg_request_f2c(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
				     mqs_process_info *process_info, mqs_taddr_t f77_request, mqs_taddr_t *c_request);
MPIDBG_EXPORT int mpidbg_request_cxx2c(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
				       mqs_process_info *process_info, mqs_taddr_t cxx_request,
				       enum mpidbg_request_info_bitmap_t request_type, mqs_taddr_t *c_request);

MPIDBG_EXPORT int mpidbg_status_query(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
				      mqs_process_info *process_info, mqs_taddr_t status,
				      struct mpidbg_status_info_t **info);
MPIDBG_EXPORT int mpidbg_status_f2c(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
				    mqs_process_info *process_info, mqs_taddr_t f77_status, mqs_taddr_t *c_status);
MPIDBG_EXPORT int mpidbg_status_cxx2c(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
				      mqs_process_info *process_info, mqs_taddr_t cxx_status, mqs_taddr_t *c_status);

MPIDBG_EXPORT int mpidbg_message_query(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
				       mqs_process_info *process_info, mqs_taddr_t message,
				       struct mpidbg_message_info_t **info);
MPIDBG_EXPORT int mpidbg_message_f2c(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
				     mqs_process_info *process_info, mqs_taddr_t f77_message, mqs_taddr_t *c_message);
MPIDBG_EXPORT int mpidbg_message_cxx2c(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
				       mqs_process_info *process_info, mqs_taddr_t cxx_message, mqs_taddr_t *c_message);
#ifdef __cplusplus
}
#endif

#endif /* MPIDBG_REQUESTS_H */
