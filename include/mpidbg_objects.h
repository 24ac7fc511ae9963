/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file mpidbg_objects.h
 * The part of mpidbg.h, which includes this header, about MPI objects of every kind. Each kind has a structure and functions
 * of its own: mpidbg_comms.h, mpidbg_requests.h, mpidbg_datatypes.h, mpidbg_windows.h.
 */
#ifndef MPIDBG_OBJECTS_H
#define MPIDBG_OBJECTS_H

#include "mqs.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef MPIDBG_EXPORT
#define MPIDBG_EXPORT extern
#endif

/*
 * For communicators, error handlers, requests and statuses: names, order and values are those of interface version
 * 1. Members before the line "since version 1" have the offsets of version 1; those after it are ours. The other
 * kinds, which version 1 does not define, follow the same pattern.
 *
 * The facts come from the records of the in-target library (mpi2dd-run), or else from the MPI library's own memory,
 * if its layout is known. Creators and freed objects, which only the records have, are then unavailable; the capabilities
 * say so.
 *
 * A query returns a struct that contains arrays. Each array is allocated separately with mqs_malloc, so that a
 * debugger written for version 1, which frees each separately, still works. mpidbg_free_info() frees all of them
 * in one call.
 *
 * Codes of all queries: MPIDBG_SUCCESS; MPIDBG_ERR_NOT_FOUND: no object has, or had, this handle;
 * MPIDBG_ERR_NOT_SUPPORTED: this kind is unavailable in this process (mpidbg_error_string() says why and what to do);
 * MPIDBG_ERR_UNAVAILABLE: the target cannot be read, or is invalid; MPIDBG_ERR_OUT_OF_RANGE: an argument is NULL or
 * the process is not set up; MPIDBG_ERR_NO_MEM. On failure *info is untouched. The process is assumed to have run
 * since the last call. The arguments image, image_info and process_info are not used.
 *
 * mpidbg_KIND_query: all facts about the live object with this C handle; if there is none, about the one freed last.
 * mpidbg_KIND_f2c: the C handle that belongs to a Fortran handle. mpidbg_KIND_cxx2c: the C handle in the C++ object at an
 * address. The *_type arguments belong to version 1 and are ignored.
 */

enum { MPIDBG_MAX_OBJECT_NAME = 64, MPIDBG_MAX_FILENAME = 1024 };

/** Kinds of objects. */
enum mpidbg_handle_kind_t {
	MPIDBG_COMM,
	MPIDBG_GROUP,
	MPIDBG_DATATYPE,
	MPIDBG_ERRHANDLER,
	MPIDBG_FILE,
	MPIDBG_INFO,
	MPIDBG_OP,
	MPIDBG_REQUEST,
	MPIDBG_WIN,
	MPIDBG_MESSAGE,
	MPIDBG_SESSION,
	MPIDBG_KEYVAL,
	MPIDBG_STATUS,
	MPIDBG_AINT, /**< an address integer or an offset in the target's memory; not handles */
	MPIDBG_OFFSET,
	MPIDBG_N_HANDLE_KINDS
};

/** A process: its rank in MPI_COMM_WORLD; -1: of another world, or unknown. */
struct mpidbg_process_t {
	int mpi_comm_world_rank;
};

/** A predefined handle. map_name NULL ends an array. */
struct mpidbg_name_map_t {
	char *map_name;
	mqs_taddr_t map_handle;
};

/** An attribute. Each string is allocated separately. */
struct mpidbg_attribute_pair_t {
	int keyval;
	char *keyval_name; /**< NULL: the keyval has no name */
	char *value;       /**< the attribute's value, "0x55d0" */
};

/** A key and value of an info. The strings belong to the array. */
struct mpidbg_info_pair_t {
	const char *key, *value;
};

/** Bits of mpidbg_object_t.flags; those of version 1 have the same values. */
enum mpidbg_object_bitmap_t {
	MPIDBG_OBJECT_PREDEFINED = 0x01,
	MPIDBG_OBJECT_FREED_HANDLE = 0x20, /**< the program has freed it, or its request is complete */
	/** The library has freed it: its handle value belongs to another object. Without this bit it is unknown
	 *  whether the library still has a freed object. */
	MPIDBG_OBJECT_FREED_OBJECT = 0x40,
	MPIDBG_OBJECT_EARLIER = 0x100,  /**< freed, and another object has this handle value now */
	MPIDBG_OBJECT_UNSETTLED = 0x200 /**< the process was stopped while it was being recorded */
};

/** Facts that every object has. */
struct mpidbg_object_t {
	unsigned flags; /**< enum mpidbg_object_bitmap_t */
	int has_fortran;
	int fortran_handle; /**< when has_fortran */
	int language;       /**< of its callback function: 0 none or not known, 1 C, 2 Fortran, 3 C++ */
	mqs_taddr_t c_handle;
	int64_t number;     /**< unique for each object, never reused; 0: this kind has none */
	int64_t parent;     /**< number of the object from which it was created; 0: none or not known */
	int64_t references; /**< number of handles to it that the program was given; 0: not known */
	int64_t generation; /**< objects that had this handle value before; -1: not known */
	char name[MPIDBG_MAX_OBJECT_NAME];
	char made_by[MPIDBG_MAX_OBJECT_NAME]; /**< its creator, "MPI_Comm_dup"; "": predefined or not known */
};

/** A call in progress that uses an object. */
struct mpidbg_call_t {
	int64_t thread; /**< the system's thread id */
	char function[MPIDBG_MAX_OBJECT_NAME];
};

/** Capabilities of a kind in a process. Kinds without an enum of their own: 0x01 (basic), 0x04 (freed handles). */
MPIDBG_EXPORT int mpidbg_get_capabilities(mqs_process *process, int kind, unsigned *ret);

/** Names of the predefined handles of a kind. @param[out] ret one allocation, to be freed with mpidbg_free(). */
MPIDBG_EXPORT int mpidbg_get_name_map(mqs_process *process, int kind, struct mpidbg_name_map_t **ret);

/**
 * The C handles of all objects of a kind.
 *
 * @param freed  0: live objects; 1: also freed ones
 * @param[out] ret one allocation, to be freed with mpidbg_free(); @p n_ret of them
 * @param[out] n_missing objects that were not recorded for lack of space, plus invalid records; may be NULL
 */
MPIDBG_EXPORT int mpidbg_get_handles(mqs_process *process, int kind, int freed, mqs_taddr_t **ret, size_t *n_ret,
				     uint64_t *n_missing);

/** Free the struct returned by a query of this kind, with all its arrays. NULL is accepted. */
MPIDBG_EXPORT void mpidbg_free_info(int kind, void *info);
#ifdef __cplusplus
}
#endif

#endif /* MPIDBG_OBJECTS_H */
