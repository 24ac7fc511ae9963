/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file var_words.h
 * Names for MPI_T's constants, values of variables as text, and matching of names.
 */
#ifndef MPIDBG_VAR_WORDS_H
#define MPIDBG_VAR_WORDS_H

#include "../readers/tracked/vars.h"

/** "int", "unsigned long long", "char" ...; "other". */
const char *mpidbg_type_word(enum mdl_var_type type);

/** Names of the constants; NULL: not known. */
const char *mpidbg_scope_word(struct mdl_num scope);
const char *mpidbg_class_word(struct mdl_num var_class);
const char *mpidbg_bind_word(struct mdl_num bind);
const char *mpidbg_verbosity_word(struct mdl_num verbosity);

/** Names of the four levels of safety: "none", "mpi_restricted", "thread_safe", "async_signal_safe". */
const char *mpidbg_safety_word(unsigned level);

/** A number as text, according to its type. */
void mpidbg_var_number(enum mdl_var_type type, int64_t bits, char *ret, size_t size);

/** The number as a real, of MDL_VAR_DOUBLE. */
double mpidbg_var_real(int64_t bits);

/**
 * A value as text: "4096", "1.5", text unchanged, "1, 2, 3", if bound to objects "0x44000000: 3". Truncated to @p size.
 *
 * @return ACC_OK; ACC_NONE: it is not known (var->value.why says why); ACC_EREAD, noted.
 */
enum acc_rc mpidbg_var_value(const struct rd_track_vars *v, const struct mdl_variable *var, char *ret, size_t size);

/** Advice if the MPI library's variables are missing; NULL: they are not. */
const char *mpidbg_vars_todo(const struct mdl_vars *about);

/**
 * Does a name match a pattern? A pattern with * ? or [ must match the whole name (as in the shell, but / is not
 * special); any other pattern must be a part of it. Case is ignored. NULL and "" match every name.
 */
bool mpidbg_name_fits(const char *pattern, const char *name);

#endif /* MPIDBG_VAR_WORDS_H */
