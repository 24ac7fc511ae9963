/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file library.h
 * Where files are: commands by $PATH, the libraries beside the starter.
 */
#ifndef RUN_LIBRARY_H
#define RUN_LIBRARY_H

#include "flavour.h"

#include <stdbool.h>

/**
 * The file that a shell would execute.
 *
 * @return its path, ended by free(); NULL with errno: ENOENT, or EACCES when there is only one that may not be
 *         executed.
 */
char *run_library_find_command(const char *name);

/** Is there such a command? */
bool run_library_is_command(const char *name);

/**
 * Full path of a library of ours, by its file's name: beside the starter (a build folder), in ../lib of it, or in the
 * prefix that it was built for.
 *
 * @return ended by free(); NULL: in none of them.
 */
char *run_library_find(const char *name);

/** A command of ours: in the starter's folder. @return ended by free(); NULL: it is not there. */
char *run_library_find_beside(const char *name);

/** Why LD_PRELOAD cannot name this path: it separates names by spaces and colons and expands "$". NULL: it can. */
const char *run_library_wrong_path(const char *path);

#endif /* RUN_LIBRARY_H */
