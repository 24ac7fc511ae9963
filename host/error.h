/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file error.h
 * Fills in a struct host_error.
 */
#ifndef HOST_ERROR_H
#define HOST_ERROR_H

#include "host.h"

/**
 * Set an error: one line, lower case, cause last, with the next step for the user if there is one. Overwrites an
 * earlier error. Text that does not fit is cut off.
 *
 * @param err may be NULL if the text is not needed
 * @return @p code, so that a caller can write return host_error_set(...).
 */
enum host_errc host_error_set(struct host_error *err, enum host_errc code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/** Clear an error: HOST_OK and "". @p err may be NULL. */
void host_error_clear(struct host_error *err);

#endif /* HOST_ERROR_H */
