/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file mpi2dd_info.h
 * MPI2DD_info, the structure in which a process of a job (or its starter) describes itself and other processes.
 *
 * Its contents are untrusted. rd_jobs_mpi2dd() checks only the head; each table and each string is checked by the
 * function that returns it, so that one invalid field does not hide the others.
 */
#ifndef RD_JOBS_MPI2DD_INFO_H
#define RD_JOBS_MPI2DD_INFO_H

#include "mpi2dd_layout.h"

enum rd_mpi2dd_table { RD_MPI2DD_PROCS, RD_MPI2DD_DIRECTORIES, RD_MPI2DD_METADIRECTORIES, RD_MPI2DD_N_TABLES };

enum rd_mpi2dd_text {
	RD_MPI2DD_DLL_32,
	RD_MPI2DD_DLL_64,
	RD_MPI2DD_META_HOST,
	RD_MPI2DD_META_EXECUTABLE,
	RD_MPI2DD_ABORT,
	RD_MPI2DD_N_TEXTS
};

/** Values of debug_state, and bits of mpi_flags, that are used here. */
enum {
	RD_MPI2DD_STATE_MAX = 8,
	RD_MPI2DD_STATE_HANG = 128, /**< defined by mpi2dd-run */
	RD_MPI2DD_IS_METADIR = 0x01,
	RD_MPI2DD_IS_DIR = 0x02,
	RD_MPI2DD_IGNORE_QUEUE = 0x10,
	RD_MPI2DD_FLAGS_KNOWN = 0x7f
};

/** The unchecked fields; only the head is checked. */
struct rd_mpi2dd {
	uint64_t addr;
	unsigned version, variant, debug_state;
	uint32_t debugger_flags, mpi_flags;
	struct {
		uint64_t addr;
		int64_t n;
	} tables[RD_MPI2DD_N_TABLES];
	uint64_t text_addrs[RD_MPI2DD_N_TEXTS]; /**< 0: none */
	int64_t meta_pid;                       /**< 0: not known yet */
	bool extended;                          /**< the padding contains our magic */
	unsigned extension_version;
	uint64_t registry_addr; /**< 0: none, or the version of the extension is unknown */
};

/**
 * Read the structure.
 *
 * @return ACC_OK; ACC_NONE: no such symbol; ACC_EREAD; ACC_ECORRUPT: wrong magic; ACC_EFIELD: unknown version or
 *         variant. Failures are noted with the field: "MPI2DD_info.version: 2: ...".
 */
enum acc_rc rd_jobs_mpi2dd(struct acc_space *sp, struct rd_mpi2dd *ret);

/** Check debug_state, meta_pid and the three tables. @return ACC_OK, ACC_ECORRUPT or ACC_ELIMIT, noted. */
enum acc_rc rd_jobs_mpi2dd_check(struct acc_space *sp, const struct rd_mpi2dd *info);

/**
 * Check the address and size of a table.
 *
 * @return ACC_OK; ACC_NONE: it has no entries; ACC_ECORRUPT: negative size, a null pointer with entries, or beyond the
 *         end of memory; ACC_ELIMIT: more than ACC_RANKS_MAX. Failures are noted.
 */
enum acc_rc rd_jobs_mpi2dd_table(struct acc_space *sp, const struct rd_mpi2dd *info, enum rd_mpi2dd_table table);

/** "MPI2DD_info.proctable" ... */
const char *rd_jobs_mpi2dd_table_name(enum rd_mpi2dd_table table);

/**
 * Read one of its strings.
 *
 * @param[out] ret always terminated; "" unless ACC_OK
 * @param size of @p ret; ACC_STRING_MAX + 1 is always enough
 * @return ACC_OK; ACC_NONE: the address is null; ACC_EREAD; ACC_ECORRUPT: not terminated within ACC_STRING_MAX, or not
 *         text. Failures are noted with the field.
 */
enum acc_rc rd_jobs_mpi2dd_text(struct acc_space *sp, const struct rd_mpi2dd *info, enum rd_mpi2dd_text text, char *ret,
				size_t size);

/**
 * Contradictions between fields, one by one. Each is worth a message; none makes the rest unusable. A process stopped
 * while it publishes a table may show one for a moment.
 *
 * @param i 0, 1, ...
 * @return static text; NULL: no more
 */
const char *rd_jobs_mpi2dd_contradiction(const struct rd_mpi2dd *info, unsigned i);

#endif /* RD_JOBS_MPI2DD_INFO_H */
