/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file mpidbg_windows.h
 * The part of mpidbg.h, which includes this header, about windows, files and infos.
 */
#ifndef MPIDBG_WINDOWS_H
#define MPIDBG_WINDOWS_H

#include "mpidbg_objects.h"

#ifdef __cplusplus
extern "C" {
#endif

enum mpidbg_win_info_bitmap_t {
	MPIDBG_WIN_INFO_FENCE = 0x1,   /**< after MPI_Win_fence without MPI_MODE_NOSUCCEED */
	MPIDBG_WIN_INFO_STARTED = 0x2, /**< MPI_Win_start without MPI_Win_complete */
	MPIDBG_WIN_INFO_POSTED = 0x4,  /**< MPI_Win_post without MPI_Win_wait or a true MPI_Win_test */
	MPIDBG_WIN_INFO_LOCK_ALL = 0x8,
	MPIDBG_WIN_INFO_LOCKED = 0x10 /**< this process has locked a target */
};

/** Memory that was attached to a window (MPI_Win_attach). */
struct mpidbg_attached_t {
	mqs_taddr_t base;
	int64_t size;
};

/** Bits of win_unknown, after those of mpidbg_unknown_t. */
enum mpidbg_win_unknown_t {
	MPIDBG_WIN_UNKNOWN_FENCE = 0x100,
	MPIDBG_WIN_UNKNOWN_STARTED = 0x200, /**< and win_start_group */
	MPIDBG_WIN_UNKNOWN_POSTED = 0x400,  /**< and win_post_group */
	MPIDBG_WIN_UNKNOWN_LOCK_ALL = 0x800,
	MPIDBG_WIN_UNKNOWN_COMM = 0x1000,
	MPIDBG_WIN_UNKNOWN_INFO = 0x2000,
	MPIDBG_WIN_UNKNOWN_ERRHANDLER = 0x4000,
	MPIDBG_WIN_UNKNOWN_BASE = 0x8000,
	MPIDBG_WIN_UNKNOWN_SIZE = 0x10000,
	MPIDBG_WIN_UNKNOWN_DISPLACEMENT_UNIT = 0x20000,
	MPIDBG_WIN_UNKNOWN_FLAVOR = 0x40000,
	MPIDBG_WIN_UNKNOWN_MODEL = 0x80000,
	MPIDBG_WIN_UNKNOWN_LAST_SYNC = 0x100000,
	MPIDBG_WIN_UNKNOWN_LOCKS = 0x200000,
	MPIDBG_WIN_UNKNOWN_ATTRS = 0x400000,
	MPIDBG_WIN_UNKNOWN_HINTS = 0x800000,
	MPIDBG_WIN_UNKNOWN_ATTACHED = 0x1000000,
	MPIDBG_WIN_UNKNOWN_REQUESTS = 0x2000000,
	MPIDBG_WIN_UNKNOWN_CALLS = 0x4000000
};

struct mpidbg_win_info_t {
	struct mpidbg_object_t win_object;
	unsigned win_bitflags;                          /**< enum mpidbg_win_info_bitmap_t */
	mqs_taddr_t win_comm, win_info, win_errhandler; /**< 0: not known, or freed */
	mqs_taddr_t win_base;
	int64_t win_size;                           /**< -1: not known, or MPI_WIN_NULL */
	int win_displacement_unit;                  /**< -1: not known, or MPI_WIN_NULL */
	int win_flavor;                             /**< 1 create, 2 allocate, 3 dynamic, 4 shared; -1 not known */
	int win_model;                              /**< 1 separate, 2 unified, -1 not known */
	char win_last_sync[MPIDBG_MAX_OBJECT_NAME]; /**< "MPI_Win_fence"; "" none yet */
	int win_num_locks;
	int8_t *win_locks; /**< for each rank of its group: 0, 1 shared, 2 exclusive */
	int win_num_started, win_num_posted;
	int *win_start_group, *win_post_group;
	int win_num_attrs;
	struct mpidbg_attribute_pair_t *win_attrs;
	int win_num_hints;
	struct mpidbg_info_pair_t *win_hints;
	int win_num_attached, win_num_requests, win_num_calls;
	struct mpidbg_attached_t *win_attached; /**< of a dynamic window */
	mqs_taddr_t *win_requests;
	struct mpidbg_call_t *win_calls;
	uint64_t win_unknown; /**< enum mpidbg_win_unknown_t */
};

/** Bits of file_unknown, after those of mpidbg_unknown_t. */
enum mpidbg_file_unknown_t {
	MPIDBG_FILE_UNKNOWN_NAME = 0x100,
	MPIDBG_FILE_UNKNOWN_MODE = 0x200,
	MPIDBG_FILE_UNKNOWN_ATOMIC = 0x400,
	MPIDBG_FILE_UNKNOWN_COMM = 0x800,
	MPIDBG_FILE_UNKNOWN_INFO = 0x1000,
	MPIDBG_FILE_UNKNOWN_ERRHANDLER = 0x2000,
	MPIDBG_FILE_UNKNOWN_DISPLACEMENT = 0x4000,
	MPIDBG_FILE_UNKNOWN_ETYPE = 0x8000,
	MPIDBG_FILE_UNKNOWN_FILETYPE = 0x10000,
	MPIDBG_FILE_UNKNOWN_REPRESENTATION = 0x20000,
	MPIDBG_FILE_UNKNOWN_SPLIT_CALL = 0x40000,
	MPIDBG_FILE_UNKNOWN_HINTS = 0x80000,
	MPIDBG_FILE_UNKNOWN_REQUESTS = 0x100000,
	MPIDBG_FILE_UNKNOWN_CALLS = 0x200000
};

struct mpidbg_file_info_t {
	struct mpidbg_object_t file_object;
	char file_name[MPIDBG_MAX_FILENAME];
	int file_mode;                                     /**< MPI_MODE_* of the MPI; -1: not known */
	int file_atomic;                                   /**< -1: not known */
	mqs_taddr_t file_comm, file_info, file_errhandler; /**< 0: not known, or freed */
	int64_t file_displacement;                         /**< of the view */
	mqs_taddr_t file_etype, file_filetype;
	char file_representation[MPIDBG_MAX_OBJECT_NAME];
	char file_split_call[MPIDBG_MAX_OBJECT_NAME]; /**< the begin call of the open split collective; "" none */
	int file_num_hints;
	struct mpidbg_info_pair_t *file_hints;
	int file_num_pending_requests;
	mqs_taddr_t *file_pending_requests;
	int file_num_calls;
	struct mpidbg_call_t *file_calls;
	uint64_t file_unknown; /**< enum mpidbg_file_unknown_t */
};

/** Bits of info_unknown, after those of mpidbg_unknown_t. */
enum mpidbg_info_unknown_t { MPIDBG_INFO_UNKNOWN_PAIRS = 0x100, MPIDBG_INFO_UNKNOWN_USERS = 0x200 };

struct mpidbg_info_info_t {
	struct mpidbg_object_t info_object;
	int info_num_pairs;
	struct mpidbg_info_pair_t *info_pairs;
	int info_num_users; /**< communicators, files, windows and sessions created with it or set to it */
	mqs_taddr_t *info_users;
	int *info_user_kinds;  /**< enum mpidbg_handle_kind_t of each */
	uint64_t info_unknown; /**< enum mpidbg_info_unknown_t */
};

MPIDBG_EXPORT int mpidbg_win_query(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
				   mqs_process_info *process_info, mqs_taddr_t c_win, struct mpidbg_win_info_t **info);
MPIDBG_EXPORT int mpidbg_win_f2c(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
				 mqs_process_info *process_info, mqs_taddr_t f77_win, mqs_taddr_t *c_win);
MPIDBG_EXPORT int mpidbg_win_cxx2c(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
				   mqs_process_info *process_info, mqs_taddr_t cxx_win, mqs_taddr_t *c_win);

MPIDBG_EXPORT int mpidbg_file_query(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
				    mqs_process_info *process_info, mqs_taddr_t c_file,
				    struct mpidbg_file_info_t **info);
MPIDBG_EXPORT int mpidbg_file_f2c(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
				  mqs_process_info *process_info, mqs_taddr_t f77_file, mqs_taddr_t *c_file);
MPIDBG_EXPORT int mpidbg_file_cxx2c(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
				    mqs_process_info *process_info, mqs_taddr_t cxx_file, mqs_taddr_t *c_file);

MPIDBG_EXPORT int mpidbg_info_query(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
				    mqs_process_info *process_info, mqs_taddr_t c_info,
				    struct mpidbg_info_info_t **info);
MPIDBG_EXPORT int mpidbg_info_f2c(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
				  mqs_process_info *process_info, mqs_taddr_t f77_info, mqs_taddr_t *c_info);
MPIDBG_EXPORT int mpidbg_info_cxx2c(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
				    mqs_process_info *process_info, mqs_taddr_t cxx_info, mqs_taddr_t *c_info);
#ifdef __cplusplus
}
#endif

#endif /* MPIDBG_WINDOWS_H */
