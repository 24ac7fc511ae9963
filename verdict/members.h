/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file members.h
 * The members of a group as a snapshot has them: numbers and objects, and, for many ranks of the process's own world
 * that are consecutive, one string "0-4095". Otherwise a job of thousands would have millions of numbers.
 */
#ifndef VD_MEMBERS_H
#define VD_MEMBERS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/** Members that a group may have; what says that there are more is not believed. */
enum { VD_MEMBERS_MAX = 1 << 22 };

/** Put a text in place of numbers that follow each other, in the array itself. Takes NULL. */
void vd_members_pack(json_t *members);

/** How many members the array has; 0: it is none, or there are too many. */
size_t vd_members_count(const json_t *members);

/** Is it ranks that follow each other? */
bool vd_members_range(const json_t *member, int64_t *first, int64_t *last);

#endif /* VD_MEMBERS_H */
