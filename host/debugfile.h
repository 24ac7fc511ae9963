/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file debugfile.h
 * Finds the separate debug file of a stripped ELF file, by build-id or debuglink, in the places that GDB searches.
 */
#ifndef HOST_DEBUGFILE_H
#define HOST_DEBUGFILE_H

#include "elf_file.h"

/**
 * Find the separate debug file of @p e and map it.
 *
 * Tried in order: /usr/lib/debug/.build-id/xx/yyyy.debug (must have the same build-id); then, by .gnu_debuglink with
 * the right checksum: next to the file, in .debug/ next to it, in /usr/lib/debug and its subdirectory.
 *
 * @param file     path of @p e as it can be opened here
 * @param path     its name in the target's own file system, "/usr/lib/libx.so": the folder for /usr/lib/debug
 * @param[out] ret_path malloc'ed; untouched when nothing is found
 * @param[out] ret      the mapped file; untouched when nothing is found
 */
bool host_debugfile_find(const struct host_elf *e, const char *file, const char *path, char **ret_path,
			 struct host_elf **ret);

/** The checksum of .gnu_debuglink (the CRC-32 of zlib). */
uint32_t host_debuglink_crc(const uint8_t *bytes, size_t n);

#endif /* HOST_DEBUGFILE_H */
