/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file settings.h
 * The settings of the in-target library: variables MPI2DD_... of the environment, what each may be, and what is said of
 * one that makes no sense. Includes no mpi.h: the starter is built with the same (it warns before the job runs).
 *
 * A setting that is not understood is as if it were not set; a number that is too large is the largest. The library
 * never prints: it keeps what it has to say for a debugger (trk_registry.refused).
 */
#ifndef M2D_SETTINGS_H
#define M2D_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { M2D_SETTING_LINE = 320 /**< bytes of a line of m2d_setting_wrong(), with the NUL */ };

/**
 * What the environment says of a setting.
 *
 * @param name one of settings.def
 * @param[out] ret the number; of a word its number there. Untouched on failure.
 * @return false: it is not set, or not understood
 */
bool m2d_setting(const char *name, int64_t *ret);

/**
 * Is something wrong with a variable?
 *
 * @param variable "NAME=VALUE"
 * @param[out] ret a line in words: what, what it may be, what is used; bytes that do not print are '?'. Not for one that
 *                 is no MPI2DD_ variable.
 * @return false: nothing is
 */
bool m2d_setting_wrong(const char *variable, char ret[M2D_SETTING_LINE]);

/** The lines of m2d_setting_wrong() for a whole environment, each with a newline at its end; what has no room is cut. */
void m2d_settings_wrong(char *const *environment, char *ret, size_t size);

#endif /* M2D_SETTINGS_H */
