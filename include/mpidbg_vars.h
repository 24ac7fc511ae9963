/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file mpidbg_vars.h
 * The MPI_T part of mpidbg.h, which includes this header.
 *
 * Control variables, performance variables, categories and events of MPI_T, as listed by the in-target library:
 * its own and those of the MPI library. Indices are those of the MPI_T functions in this process. Variables that
 * the in-target library has not listed yet are missing; mpidbg_get_vars_state() says so.
 *
 * Each function returns one allocation that includes the strings, to be freed with mpidbg_free(). Return codes are
 * those of the handle queries; MPIDBG_ERR_NOT_FOUND: this process has none (yet).
 */
#ifndef MPIDBG_VARS_H
#define MPIDBG_VARS_H

#include "mqs.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef MPIDBG_EXPORT
#define MPIDBG_EXPORT extern
#endif

/** Datatypes of variables and of elements of events. */
enum mpidbg_var_type_t {
	MPIDBG_VAR_OTHER,
	MPIDBG_VAR_INT,
	MPIDBG_VAR_UNSIGNED,
	MPIDBG_VAR_UNSIGNED_LONG,
	MPIDBG_VAR_UNSIGNED_LONG_LONG,
	MPIDBG_VAR_COUNT,
	MPIDBG_VAR_CHAR,
	MPIDBG_VAR_DOUBLE,
	MPIDBG_VAR_INT32,
	MPIDBG_VAR_INT64,
	MPIDBG_VAR_UINT32,
	MPIDBG_VAR_UINT64,
	MPIDBG_VAR_LONG,
	MPIDBG_VAR_BOOL
};

/** MPI_T_SCOPE_*, MPI_T_PVAR_CLASS_* and MPI_T_BIND_*, numbered alike for every MPI. -1: not known. */
enum mpidbg_scope_t {
	MPIDBG_SCOPE_CONSTANT,
	MPIDBG_SCOPE_READONLY,
	MPIDBG_SCOPE_LOCAL,
	MPIDBG_SCOPE_GROUP,
	MPIDBG_SCOPE_GROUP_EQ,
	MPIDBG_SCOPE_ALL,
	MPIDBG_SCOPE_ALL_EQ
};
enum mpidbg_class_t {
	MPIDBG_CLASS_STATE,
	MPIDBG_CLASS_LEVEL,
	MPIDBG_CLASS_SIZE,
	MPIDBG_CLASS_PERCENTAGE,
	MPIDBG_CLASS_HIGHWATERMARK,
	MPIDBG_CLASS_LOWWATERMARK,
	MPIDBG_CLASS_COUNTER,
	MPIDBG_CLASS_AGGREGATE,
	MPIDBG_CLASS_TIMER,
	MPIDBG_CLASS_GENERIC
};
enum mpidbg_bind_t {
	MPIDBG_BIND_NO_OBJECT,
	MPIDBG_BIND_COMM,
	MPIDBG_BIND_DATATYPE,
	MPIDBG_BIND_ERRHANDLER,
	MPIDBG_BIND_FILE,
	MPIDBG_BIND_GROUP,
	MPIDBG_BIND_OP,
	MPIDBG_BIND_REQUEST,
	MPIDBG_BIND_WIN,
	MPIDBG_BIND_MESSAGE,
	MPIDBG_BIND_INFO,
	MPIDBG_BIND_SESSION
};

enum mpidbg_origin_t {
	MPIDBG_ORIGIN_MPI2DD, /**< of the in-target library */
	MPIDBG_ORIGIN_MPI     /**< of the MPI library */
};

/** A control variable. */
struct mpidbg_cvar_t {
	int cvar_index, cvar_origin;
	const char *cvar_name, *cvar_description;
	int cvar_type, cvar_scope, cvar_bind;
	int cvar_verbosity;     /**< 1 .. 9, from user basic to MPI developer all; 0: not known */
	int cvar_count;         /**< elements of its value; 0: not known */
	const char *cvar_value; /**< as text: "4096", "1.5", "tcp,self", "1, 2, 3"; NULL: not known */
	const char *cvar_why;   /**< why it is not known; NULL: it is */
	const char *cvar_enum;  /**< name of its enumeration; NULL: none */
	const char *cvar_item;  /**< name of the value in the enumeration; NULL: none */
	int64_t cvar_number;    /**< its (first) value, if it is an integer */
	double cvar_real;       /**< its (first) value, if cvar_type is MPIDBG_VAR_DOUBLE */
	int64_t cvar_time;      /**< time() of the target when it was read; 0: read from the variable itself just now */
};

/** A performance variable. */
struct mpidbg_pvar_t {
	int pvar_index, pvar_origin;
	const char *pvar_name, *pvar_description;
	int pvar_class, pvar_type, pvar_bind, pvar_verbosity;
	int pvar_readonly, pvar_continuous, pvar_atomic;
	const char *pvar_value,
		*pvar_why; /**< as for a control variable; if bound to objects: "0x44000000: 3, 0x84000001: 0" */
	const char *pvar_enum, *pvar_item;
	int64_t pvar_number;
	double pvar_real;
	int64_t pvar_time;
};

/** A category. Its members: mpidbg_get_category_members(). */
struct mpidbg_category_t {
	int cat_index, cat_origin;
	const char *cat_name, *cat_description;
	int cat_parent; /**< index of the category that contains it; -1: none */
	int cat_num_cvars, cat_num_pvars, cat_num_events, cat_num_categories;
};

enum { MPIDBG_EVENT_ELEMENTS_MAX = 16 };

/** A type of events. */
struct mpidbg_event_t {
	int event_index, event_origin;
	const char *event_name, *event_description;
	const char *event_source;
	int event_source_ordered, event_bind;
	int event_num_elements;                        /**< may be more than the next member holds */
	int event_elements[MPIDBG_EVENT_ELEMENTS_MAX]; /**< enum mpidbg_var_type_t */
};

/** A registration of a program or tool for events of a type. */
struct mpidbg_registration_t {
	int reg_event;                /**< index of the event type */
	int reg_freed;                /**< 1: freed; its counts remain until the record is reused */
	mqs_taddr_t reg_handle;       /**< MPI_T_event_registration */
	mqs_taddr_t reg_object;       /**< handle that it is bound to; 0: none */
	mqs_taddr_t reg_callbacks[4]; /**< by MPI_T_cb_safety, from MPI_T_CB_REQUIRE_NONE on; 0: none */
	mqs_taddr_t reg_dropped_handler;
	int64_t reg_raised,
		reg_dropped; /**< events delivered to a callback; events for which no callback could be called */
};

/** Which parts of MPI_T the in-target library has read, and when. */
struct mpidbg_vars_state_t {
	int64_t vars_time;       /**< of the last refresh: time() of the target; 0: there was none */
	int64_t vars_n;          /**< refreshes so far */
	const char *vars_why;    /**< the cause of the last one: "MPI_Init", "MPI_Abort", "MPI2DD_refresh" ... */
	int vars_has_mpi;        /**< 1: the variables of the MPI library are included; 0: not */
	const char *vars_todo;   /**< if they are not: why, and what to do; otherwise NULL */
	uint64_t vars_n_dropped; /**< variables, categories and events not listed for lack of space */
};

MPIDBG_EXPORT int mpidbg_get_cvars(mqs_process *process, struct mpidbg_cvar_t **ret, size_t *n_ret);
MPIDBG_EXPORT int mpidbg_get_pvars(mqs_process *process, struct mpidbg_pvar_t **ret, size_t *n_ret);
MPIDBG_EXPORT int mpidbg_get_categories(mqs_process *process, struct mpidbg_category_t **ret, size_t *n_ret);
MPIDBG_EXPORT int mpidbg_get_events(mqs_process *process, struct mpidbg_event_t **ret, size_t *n_ret);
MPIDBG_EXPORT int mpidbg_get_registrations(mqs_process *process, struct mpidbg_registration_t **ret, size_t *n_ret);
MPIDBG_EXPORT int mpidbg_get_vars_state(mqs_process *process, struct mpidbg_vars_state_t **ret);

/** Members of a category. */
enum mpidbg_member_t { MPIDBG_MEMBER_CVARS, MPIDBG_MEMBER_PVARS, MPIDBG_MEMBER_EVENTS, MPIDBG_MEMBER_CATEGORIES };

/**
 * Indices of the members of a category of one type.
 *
 * @param member enum mpidbg_member_t
 * @param[out] ret NULL with *n_ret 0 and MPIDBG_SUCCESS if it has none of this type
 * @return MPIDBG_ERR_NOT_FOUND: no such category
 */
MPIDBG_EXPORT int mpidbg_get_category_members(mqs_process *process, int category, int member, int **ret, size_t *n_ret);

#ifdef __cplusplus
}
#endif

#endif /* MPIDBG_VARS_H */
