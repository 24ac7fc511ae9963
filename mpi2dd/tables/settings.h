/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file settings.h
 * The settings of the in-target library: environment variables MPI2DD_..., their allowed values, and the warnings about
 * invalid ones. Does not include mpi.h, because the starter uses it too (it warns before the job runs).
 *
 * An invalid setting is treated as unset; a number that is too large is replaced by the largest allowed one. The
 * library itself never prints: it keeps the warnings where a debugger finds them (trk_registry.refused).
 */
#ifndef M2D_SETTINGS_H
#define M2D_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { M2D_SETTING_LINE = 320 /**< bytes of one line of m2d_setting_wrong(), with the NUL */ };

/**
 * Get the value of a setting from the environment.
 *
 * @param name one of settings.def
 * @param[out] ret the number; for a setting with named values the number of the name. Unchanged on failure.
 * @return false: not set, or invalid
 */
bool m2d_setting(const char *name, int64_t *ret);

/**
 * Check one environment variable.
 *
 * @param variable "NAME=VALUE"
 * @param[out] ret one line of text: what is wrong, which values are allowed, what is used instead. Unprintable bytes
 *                 are replaced by '?'. Unchanged if the name does not begin with MPI2DD_.
 * @return false: nothing is wrong
 */
bool m2d_setting_wrong(const char *variable, char ret[M2D_SETTING_LINE]);

/**
 * The lines of m2d_setting_wrong() for a whole environment, each
 * followed by a newline. Output that does not fit is cut off.
 */
void m2d_settings_wrong(char *const *environment, char *ret, size_t size);

#endif /* M2D_SETTINGS_H */
