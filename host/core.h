/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file core.h
 * A core file: its memory, its notes, its threads. Written by the kernel or by gcore, either word size and byte order.
 *
 * The file is mapped: it must not be truncated by others while it is open.
 */
#ifndef HOST_CORE_H
#define HOST_CORE_H

#include "target.h"

/**
 * Open a core and read its notes.
 *
 * @return HOST_OK; HOST_ABSENT: no such file; HOST_DENIED: may not be read; HOST_UNREADABLE: no core, compressed, or no
 *         header that makes sense. @p ret untouched on failure.
 */
enum host_errc host_core_open(const char *path, struct host_core **ret, struct host_error *err);

/** Takes NULL. */
void host_core_close(struct host_core *c);

/**
 * Store in the target what the core says about it: word size,
 * byte order, process id, mappings, auxiliary vector, warnings.
 */
void host_core_describe(struct host_core *c, struct host_target *t);

/** The program's name as the kernel recorded it: at most 16 bytes; "": unknown. Valid until host_core_close(). */
const char *host_core_program(const struct host_core *c);

/**
 * Copy memory: from the core, or else from the mapped files (read-only pages are not in a core).
 * @return number of bytes copied, from the start.
 */
size_t host_core_read(struct host_core *c, struct host_target *t, uint64_t addr, size_t n, void *ret);

/** The address range of the i-th piece of memory. @return false: there are no more. */
bool host_core_segment(const struct host_core *c, size_t i, uint64_t *lo, uint64_t *hi);

/**
 * The id and the registers of the i-th thread; the thread that
 * caused the core comes first. @return false: there are no more.
 */
bool host_core_thread(const struct host_core *c, size_t i, pid_t *tid);
void host_core_regs(const struct host_core *c, size_t i, struct host_regs *ret);

#endif /* HOST_CORE_H */
