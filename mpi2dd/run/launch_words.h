/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file launch_words.h
 * The options of mpirun and mpiexec, as far as needed to find the program that follows them.
 */
#ifndef RUN_LAUNCH_WORDS_H
#define RUN_LAUNCH_WORDS_H

#include "launch.h"

/** The name of an option without its dashes, inside @p word; NULL if the word is not an option. */
const char *run_launch_option(const char *word);

/**
 * How many of the words after an option of an Open MPI or MPICH launcher are its arguments.
 *
 * @param word the option
 * @param next the word after it, or NULL
 * @param is_program used for unknown options: the next word is an argument unless it is a program
 */
size_t run_launch_arguments(const char *word, const char *next, run_launch_is_program_fn *is_program);

#endif /* RUN_LAUNCH_WORDS_H */
