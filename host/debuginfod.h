/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file debuginfod.h
 * Separate debug files from the servers that DEBUGINFOD_URLS names, by libdebuginfod of elfutils, which is loaded when it is
 * needed and stores them for next time. Nothing is asked unless host_debuginfod_fetch() is called.
 */
#ifndef HOST_DEBUGINFOD_H
#define HOST_DEBUGINFOD_H

#include "elf_file.h"
#include "host.h"

/** Path of the file with this build-id that was fetched; NULL: none. Borrowed. */
const char *host_debuginfod_path(const struct host_build_id *id);

#endif /* HOST_DEBUGINFOD_H */
