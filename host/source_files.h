/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file source_files.h
 * The source files to which the lines of stacks belong.
 */
#ifndef HOST_SOURCE_FILES_H
#define HOST_SOURCE_FILES_H

#include "host.h"

enum { HOST_SOURCES_MAX = 256 };

struct host_source_file {
	const char *path; /**< as the compiler has recorded it; a relative one if it was told to */
	int64_t built;    /**< when the program or library with that code was last modified, in s since
			   * 1970; -1: unknown */
	bool system;      /**< host_is_system_source() */
};

/** Is it a header of the compiler or of an installed library, whose functions may be inlined into the program? By its
 * folder, as "/usr/include". */
bool host_is_system_source(const char *path);

/**
 * Those of the lines of host_threads(), at most HOST_SOURCES_MAX. Call that first.
 *
 * @return borrowed, valid as long as those lines; NULL: there are none
 */
const struct host_source_file *host_source_files(const struct host_target *t, size_t *n_ret);

#endif /* HOST_SOURCE_FILES_H */
