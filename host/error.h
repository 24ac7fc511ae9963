/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file error.h
 * Filling a struct host_error.
 */
#ifndef HOST_ERROR_H
#define HOST_ERROR_H

#include "host.h"

/**
 * Write an error: one line, lower case, cause last, what to do next where there is something to do. The last one
 * written counts. Text that does not fit is cut.
 *
 * @param err may be NULL: the text is not needed.
 * @return @p code, so that a caller can write return host_error_set(...).
 */
enum host_errc host_error_set(struct host_error *err, enum host_errc code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/** Clear an error: HOST_OK and "". @p err may be NULL. */
void host_error_clear(struct host_error *err);

#endif /* HOST_ERROR_H */
