/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file pmix_types.h
 * What is needed of the binary interface of libpmix.so.2: its types have had these sizes and offsets since PMIx 3
 * (include/pmix_common.h of openpmix/openpmix; compared with the headers of 4.2 and 5.0 by
 * tests/unit/check_hosts_pmix.c). Names are PMIx's, in lower case.
 */
#ifndef HS_PMIX_TYPES_H
#define HS_PMIX_TYPES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { HS_PMIX_NAME = 256, HS_PMIX_KEY = 512 };

/** Values of pmix_data_type_t. */
enum {
	HS_PMIX_BOOL = 1,
	HS_PMIX_STRING = 3,
	HS_PMIX_PID = 5,
	HS_PMIX_UINT16 = 13,
	HS_PMIX_PROC = 22,
	HS_PMIX_PROC_INFO = 38,
	HS_PMIX_DATA_ARRAY = 39
};

enum { HS_PMIX_JOB_ENDED = -145 };         /**< PMIX_ERR_JOB_TERMINATED, later called PMIX_EVENT_JOB_END */
enum { HS_PMIX_STDOUT = 2 };               /**< PMIX_FWD_STDOUT_CHANNEL */
#define HS_PMIX_ALL_RANKS (UINT32_MAX - 1) /**< PMIX_RANK_WILDCARD */

struct hs_pmix_proc { /* pmix_proc_t */
	char nspace[HS_PMIX_NAME];
	uint32_t rank;
};

struct hs_pmix_array { /* pmix_data_array_t */
	uint16_t type;
	size_t size;
	void *array;
};

struct hs_pmix_bytes { /* pmix_byte_object_t */
	char *bytes;
	size_t size;
};

struct hs_pmix_value { /* pmix_value_t */
	uint16_t type;
	union {
		unsigned char flag;
		char *string;
		pid_t pid;
		uint16_t uint16;
		struct hs_pmix_proc *proc;
		struct hs_pmix_array *array;
		char *largest[3];
	} data;
};

struct hs_pmix_info { /* pmix_info_t */
	char key[HS_PMIX_KEY];
	uint32_t flags;
	struct hs_pmix_value value;
};

struct hs_pmix_query { /* pmix_query_t */
	char **keys;
	struct hs_pmix_info *qualifiers;
	size_t n_qualifiers;
};

struct hs_pmix_process { /* pmix_proc_info_t */
	struct hs_pmix_proc proc;
	char *host, *executable;
	pid_t pid;
	int exit_code;
	uint8_t state;
};

struct hs_pmix_app { /* pmix_app_t */
	char *command, **argv, **env, *folder;
	int max_processes;
	struct hs_pmix_info *info;
	size_t n_info;
};

#endif /* HS_PMIX_TYPES_H */
