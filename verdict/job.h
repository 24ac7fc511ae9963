/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file job.h
 * What the files of this folder share of a snapshot: names that stand for numbers.
 */
#ifndef VD_JOB_H
#define VD_JOB_H

#include "verdict.h"

#define VD_HASH_SEED UINT64_C(0xcbf29ce484222325)

/** FNV-1a of some bytes, going on from @p seed. */
uint64_t vd_hash(uint64_t seed, const void *bytes, size_t n);

/**
 * The number of a name.
 *
 * @param value what a new name gets; VD_UNKNOWN: none is added
 * @return its number; VD_UNKNOWN: it is not there, or there is no memory.
 */
int32_t vd_name(struct vd_names **names, const char *text, int32_t value);

/** Release. Takes NULL. */
void vd_names_destroy(struct vd_names *names);

#endif /* VD_JOB_H */
