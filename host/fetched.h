/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file fetched.h
 * Separate debug files that were fetched for this run of the command (debuginfod.c), by build-id.
 */
#ifndef HOST_FETCHED_H
#define HOST_FETCHED_H

#include "elf_file.h"

/** Was this one asked for, whatever the answer? */
bool host_fetched_asked(const struct host_build_id *id);

/** Path of the file; NULL: it was not asked for, or there is none. Borrowed. */
const char *host_fetched_path(const struct host_build_id *id);

/** Remember an answer. @param path malloc'ed and taken over; NULL: there is none */
void host_fetched_add(const struct host_build_id *id, char *path);

#endif /* HOST_FETCHED_H */
