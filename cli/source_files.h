/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file source_files.h
 * The source files of a process in its snapshot: member "sources" in docs/json.md.
 */
#ifndef CMD_SOURCE_FILES_H
#define CMD_SOURCE_FILES_H

#include "spool.h"

#include "../host/source_files.h"

/** Write them as a JSON array, sorted by path, so that ranks that are alike have the same; nothing if
 * there are none. */
void cmd_source_files_write(const struct host_target *t, struct cmd_spool *out);

#endif /* CMD_SOURCE_FILES_H */
