/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file image.h
 * ELF files as mapped in a target: used when the file is not available, and to check whether a file is the right one.
 */
#ifndef HOST_IMAGE_H
#define HOST_IMAGE_H

#include "elf_file.h"
#include "host.h"

/**
 * Assemble an ELF file from its mapped segments, each at its file offset. Memory that cannot be read is zero, so that
 * nothing is found there; section headers are missing.
 *
 * @param at where its ELF header is mapped
 * @return released by host_elf_close(); NULL: no ELF header, or it is invalid.
 */
struct host_elf *host_image_read(struct host_target *t, uint64_t at);

/** The build-id in memory; n = 0: none can be read. @p at as above. */
void host_image_build_id(struct host_target *t, uint64_t at, struct host_build_id *ret);

#endif /* HOST_IMAGE_H */
