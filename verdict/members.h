/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file members.h
 * The members of a group in a snapshot: numbers and objects; many consecutive ranks of the process's own world are
 * one string "0-4095", because a job of thousands of ranks would otherwise have millions of numbers.
 */
#ifndef VD_MEMBERS_H
#define VD_MEMBERS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/** Maximum number of members of a group; larger numbers are considered invalid. */
enum { VD_MEMBERS_MAX = 1 << 22 };

/**
 * Maximum number of members that the ranges of a snapshot have beyond the ranks in it: a range of millions is a few
 * characters of the file. A snapshot of a few ranks of a large job has as many for each of its large communicators.
 */
enum { VD_ABSENT_MAX = 1 << 20 };

/** Replace consecutive numbers by a string, in the array itself. NULL is accepted. */
void vd_members_pack(json_t *members);

/** Number of members in the array; 0: not an array, or too many. */
size_t vd_members_count(const json_t *members);

/** Is this element a range of consecutive ranks? */
bool vd_members_range(const json_t *member, int64_t *first, int64_t *last);

#endif /* VD_MEMBERS_H */
