/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file mpidbg_objects.h
 * The part of mpidbg.h, which includes this header, about MPI objects of every kind. Each kind has a structure and
 * functions of its own: mpidbg_comms.h, mpidbg_requests.h, mpidbg_datatypes.h, mpidbg_windows.h.
 */
#ifndef MPIDBG_OBJECTS_H
#define MPIDBG_OBJECTS_H

#include "mqs.h"

#include <stddef.h>
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
 * if its layout is known. Creators and freed objects, which only the records have, are then unavailable; the
 * capabilities say so.
 *
 * A query returns a struct that contains arrays. Each array is allocated separately with mqs_malloc, so that a
 * debugger written for version 1, which frees each separately, still works. mpidbg_free_info() frees all of them
 * in one call.
 *
 * What is not known: the member KIND_unknown of each structure has a bit for each member of which the process says
 * nothing (or, for an array, not everything); the member then has the value documented for "not known". A member whose
 * bit is 0 is known: 0, -1, "" or an array without elements mean that there is none. For null handles, to which the
 * facts do not apply, no bit is set.
 *
 * Structures only ever grow at their end. mpidbg_info_bytes() returns the size
 * that this DLL's structures have, and MPIDBG_HAS() says whether a member is among
 * them. Elements of arrays never grow: more about them is in further arrays.
 *
 * Codes of all queries: MPIDBG_SUCCESS; MPIDBG_ERR_NOT_FOUND: no object has, or had, this handle;
 * MPIDBG_ERR_NOT_SUPPORTED: this kind is unavailable in this process (mpidbg_error_string() says why and what to do);
 * MPIDBG_ERR_UNAVAILABLE: the target cannot be read, or is invalid; MPIDBG_ERR_OUT_OF_RANGE: an argument is NULL or the
 * process is not set up; MPIDBG_ERR_NO_MEM. On failure *info is untouched. The process is assumed to have run since the
 * last call, unless mpidbg_keep() says otherwise. The arguments image, image_info and process_info are not used.
 *
 * mpidbg_KIND_query: all facts about the live object with this C handle; if there is none, about the one freed last.
 * mpidbg_KIND_f2c: the C handle that belongs to a Fortran handle. mpidbg_KIND_cxx2c: the C handle in the C++ object at
 * an address. The *_type arguments belong to version 1 and are ignored.
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

/** A process: its rank in MPI_COMM_WORLD; -1: of another world, or unknown. mpidbg_group_member_t has more. */
struct mpidbg_process_t {
	int mpi_comm_world_rank;
};

/** A member of a communicator or group, whatever its world. Strings belong to the array. */
struct mpidbg_group_member_t {
	int world_rank; /**< in the MPI_COMM_WORLD of its world; -1: not known, and so is the rest */
	/** 0: the world of this process; else its number. */
	uint32_t world;
	/** 1: this process counts the worlds that it has met, from 1; 0: the MPI's number, the same
	 * in all processes. */
	int world_is_local;
	int64_t pid; /**< from the table of processes that the in-target library keeps in some ranks; 0: not known */
	const char *host; /**< from the same table; NULL: not known */
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
	int64_t number;                    /**< see "objects by number"; 0: it has none */
	int64_t parent;                    /**< number of the object from which it was created; 0: none or not known */
	int64_t references;                /**< number of handles to it that the program was given; 0: not known */
	int64_t generation;                /**< objects that had this handle value before; -1: not known */
	char name[MPIDBG_MAX_OBJECT_NAME]; /**< of a group: the process set that it was made of, "mpi://WORLD", if
					      recorded */
	char made_by[MPIDBG_MAX_OBJECT_NAME]; /**< its creator, "MPI_Comm_dup"; "": predefined or not known */
};

/**
 * Bits of KIND_unknown for members that every object has; the bits of each kind follow from MPIDBG_UNKNOWN_OF_KIND on.
 */
enum mpidbg_unknown_t {
	MPIDBG_UNKNOWN_FORTRAN = 0x01, /**< has_fortran 0 does not mean that the program has no Fortran handle of it */
	MPIDBG_UNKNOWN_LANGUAGE = 0x02,
	MPIDBG_UNKNOWN_PARENT = 0x04,
	MPIDBG_UNKNOWN_REFERENCES = 0x08,
	MPIDBG_UNKNOWN_GENERATION = 0x10,
	MPIDBG_UNKNOWN_MADE_BY = 0x20,
	MPIDBG_UNKNOWN_FREED = 0x40, /**< the program may have freed it: MPIDBG_OBJECT_FREED_HANDLE is never set */
	MPIDBG_UNKNOWN_OF_KIND = 0x100
};

/** A call in progress that uses an object. */
struct mpidbg_call_t {
	int64_t thread; /**< the system's thread id */
	char function[MPIDBG_MAX_OBJECT_NAME];
};

/** Capabilities of a kind in a process; those of version 1 have the same values. Error handlers have an own enum. */
enum mpidbg_capabilities_t {
	MPIDBG_CAP_BASIC = 0x01,        /**< objects of the kind can be queried */
	MPIDBG_CAP_STRING_NAMES = 0x02, /**< they have names */
	MPIDBG_CAP_FREED_HANDLE = 0x04, /**< what the program has freed is known */
	MPIDBG_CAP_REQUEST_LIST = 0x10, /**< the requests, windows ... that use an object are known */
	MPIDBG_CAP_WINDOW_LIST = 0x20,
	MPIDBG_CAP_FILE_LIST = 0x40,
	MPIDBG_CAP_COMM_LIST = 0x80,
	MPIDBG_CAP_CALL_LIST = 0x100, /**< and the calls in progress */
	MPIDBG_CAP_MADE_BY = 0x200    /**< creators and parents are known */
};

/**
 * What can be told about objects of a kind in this process as it is now: with the in-target library, or from the memory
 * of this MPI with this layout.
 *
 * @param[out] ret enum mpidbg_capabilities_t; 0: nothing, as before MPI_Init
 * @return MPIDBG_SUCCESS; MPIDBG_ERR_NOT_SUPPORTED: the process has no MPI library, or none that can be read;
 *         MPIDBG_ERR_OUT_OF_RANGE: no such kind
 */
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

/**
 * 1: the process is stopped, and stays so until this function is called again; what is read in between is kept, so that
 * many queries cost as much as one list. 0: it may run again, as at first. A second call with 1 discards what was kept,
 * for a process that has run and is stopped again. Cores can be kept once for all.
 *
 * @return MPIDBG_SUCCESS; MPIDBG_ERR_OUT_OF_RANGE: not set up;
 * MPIDBG_ERR_UNAVAILABLE: the debugger's sizes of types are invalid
 */
MPIDBG_EXPORT int mpidbg_keep(mqs_process *process, int keep);

/* ---- objects by number ------------------------------------------------------------------------------------- */

/*
 * An object's number (mpidbg_object_t.number) is the debugger's own handle of it. It tells apart objects that have, or
 * had, the same handle value, and names objects of which the program has no handle: the group of a communicator
 * (mpidbg_comm_info_t.comm_group_number). With the in-target library numbers of objects other than requests are never
 * reused; all others are valid until the process runs again. Codes: those of queries.
 *
 * Freed objects that the in-target library keeps for a debugger are released one by one by MPI2DD_release_number(kind,
 * number), which the debugger calls in the stopped process (docs/registry.md); kinds are those of enum
 * mpidbg_handle_kind_t.
 */

/** The numbers of all objects of a kind; arguments as mpidbg_get_handles(). MPI_REQUEST_NULL has none. */
MPIDBG_EXPORT int mpidbg_get_numbers(mqs_process *process, int kind, int freed, int64_t **ret, size_t *n_ret,
				     uint64_t *n_missing);

/**
 * All facts about the object with this number.
 *
 * @param[out] info the structure of its kind, struct mpidbg_KIND_info_t, to be freed with mpidbg_free_info(kind, *info)
 */
MPIDBG_EXPORT int mpidbg_query(mqs_process *process, int kind, int64_t number, void **info);

/**
 * The number of the object that a user has named: a name (MPI_COMM_WORLD, or one given by the program), a handle value
 * (0x.., or decimal), fortran:N, or @ADDRESS of a variable that holds a C handle.
 */
MPIDBG_EXPORT int mpidbg_find(mqs_process *process, int kind, const char *text, int64_t *ret);

/** A reference from or to another object. */
struct mpidbg_reference_t {
	const char *role; /**< "errhandler", "comm", "datatype" ...; static */
	int is_user;      /**< 0: the object refers to this one; 1: this one refers to the object */
	int kind;         /**< enum mpidbg_handle_kind_t of the other one */
	int64_t number;
	mqs_taddr_t handle; /**< of a freed object the value that it had */
};

/**
 * The objects to which an object refers, and those that refer to it, as far as they are known.
 *
 * @param[out] ret one allocation, to be freed with mpidbg_free(), @p n_ret of them; NULL: none
 */
MPIDBG_EXPORT int mpidbg_get_references(mqs_process *process, int kind, int64_t number, struct mpidbg_reference_t **ret,
					size_t *n_ret);

/**
 * C handles of the communicator and the request of the operation that mqs_next_operation() has returned last; request
 * 0: not known, or the operation has none (a blocking call).
 *
 * @return MPIDBG_SUCCESS; MPIDBG_ERR_NOT_FOUND: none was returned, or the iteration has ended; MPIDBG_ERR_OUT_OF_RANGE
 */
MPIDBG_EXPORT int mpidbg_operation_objects(mqs_process *process, mqs_taddr_t *comm, mqs_taddr_t *request);

/* ---- sizes ------------------------------------------------------------------------------------------------- */

/**
 * Size of the structure that the queries of a kind return, in bytes; 0: the kind has none.
 *
 * MPIDBG_HAS(bytes, mpidbg_comm_info_t, comm_unknown) says whether a structure of that size has the member.
 */
MPIDBG_EXPORT int mpidbg_info_bytes(int kind);

#define MPIDBG_HAS(bytes, type, member)                                                                                \
	((size_t)(bytes) >= offsetof(struct type, member) + sizeof(((struct type *)0)->member))

/** Free the struct returned by a query of this kind, with all its arrays. NULL is accepted. */
MPIDBG_EXPORT void mpidbg_free_info(int kind, void *info);
#ifdef __cplusplus
}
#endif

#endif /* MPIDBG_OBJECTS_H */
