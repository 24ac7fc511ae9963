/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file library.h
 * Finds commands by $PATH, and the project's own libraries and commands relative to the starter.
 */
#ifndef RUN_LIBRARY_H
#define RUN_LIBRARY_H

#include "flavour.h"

#include <stdbool.h>

/**
 * The file that a shell would execute for this command name.
 *
 * @return its path, to be released with free(); NULL with errno: ENOENT, or EACCES if the only match is not executable
 */
char *run_library_find_command(const char *name);

/** Can this command be found and executed? */
bool run_library_is_command(const char *name);

/**
 * Full path of one of our libraries. Searched: the starter's own directory (a build tree), ../lib relative to it, the
 * installation prefix that it was built for.
 *
 * @param name the library's file name
 * @return the path, to be released with free(); NULL: not found
 */
char *run_library_find(const char *name);

/**
 * Full path of one of our commands, in the starter's own
 * directory. @return to be released with free(); NULL: not there.
 */
char *run_library_find_beside(const char *name);

/**
 * Why this path cannot be used in LD_PRELOAD, which separates names by spaces and colons and expands "$". @return
 * static text; NULL: it can be used.
 */
const char *run_library_wrong_path(const char *path);

#endif /* RUN_LIBRARY_H */
