/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file image.h
 * ELF files as a target has them mapped: for files that are not available, and to check whether a file is the right
 * one.
 */
#ifndef HOST_IMAGE_H
#define HOST_IMAGE_H

#include "elf_file.h"
#include "host.h"

/**
 * Put an ELF file together from what is mapped of it, each segment at its file offset. What cannot be read is zero in
 * it, so that nothing is found there; section headers are missing.
 *
 * @param at where its ELF header is mapped
 * @return NULL: there is no ELF header, or it is invalid. host_elf_close() frees it.
 */
struct host_elf *host_image_read(struct host_target *t, uint64_t at);

/** The build-id in memory; n = 0: none can be read. @p at as above. */
void host_image_build_id(struct host_target *t, uint64_t at, struct host_build_id *ret);

#endif /* HOST_IMAGE_H */
