/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file layout_types.h
 * A layout pack in a file, as a source of types for a plugin that asks its debugger for them.
 */
#ifndef HOST_LAYOUT_TYPES_H
#define HOST_LAYOUT_TYPES_H

#include "../access/pack.h"
#include "host.h"

/**
 * Read a whole file.
 *
 * @param[out] ret NUL-terminated, malloc'ed; untouched on failure.
 * @return HOST_OK; HOST_ABSENT, HOST_DENIED, HOST_UNREADABLE.
 */
enum host_errc host_read_text(const char *path, char **ret, size_t *n_ret, struct host_error *err);

/**
 * Read a layout pack.
 *
 * @param[out] ret released by host_layout_close(); unchanged on failure.
 * @return as host_read_text(); for HOST_UNREADABLE the error names the invalid line.
 */
enum host_errc host_layout_open(const char *path, struct acc_pack **ret, struct host_error *err);

/** Parse the text of a pack. @param name used in error messages. */
enum host_errc host_layout_parse(const char *name, const char *text, size_t n, struct acc_pack **ret,
				 struct host_error *err);

/** Takes NULL. */
void host_layout_close(struct acc_pack *pack);

#endif /* HOST_LAYOUT_TYPES_H */
