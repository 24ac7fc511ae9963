/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file launch_words.h
 * The options of mpirun and mpiexec, as far as it takes to find the program behind them.
 */
#ifndef RUN_LAUNCH_WORDS_H
#define RUN_LAUNCH_WORDS_H

#include "launch.h"

/** Name of an option without its dashes, or NULL when the word is none. */
const char *run_launch_option(const char *word);

/**
 * How many of the following words belong to an option of Open MPI's or MPICH's launchers.
 *
 * @param word the option; @p next what follows it, or NULL
 * @param is_program decides for options that are not known: what follows belongs to them unless it is a program.
 */
size_t run_launch_arguments(const char *word, const char *next, run_launch_is_program_fn *is_program);

#endif /* RUN_LAUNCH_WORDS_H */
