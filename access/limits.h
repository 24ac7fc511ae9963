/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file limits.h
 * Every limit on what a target may make us do, with its reason. A limit derived from a fact of the target (the ranks of
 * the world, the slots of an array, the objects of a free list) takes precedence.
 */
#ifndef ACC_LIMITS_H
#define ACC_LIMITS_H

#include <stdint.h>

/** Ranks of a communicator: ten times the largest machine that has run MPI (about 10 million ranks). */
#define ACC_RANKS_MAX (UINT64_C(1) << 27)

/** Elements of one list or array that is walked: 10^6 is measured, 10^8 would take minutes. */
#define ACC_LIST_MAX (UINT64_C(1) << 27)

/** Slots of a pointer array (communicators, Fortran handles): context ids have 32 bits, tables stay small. */
#define ACC_SLOTS_MAX (UINT64_C(1) << 24)

/** Bytes of a string without known length (file name, host name): PATH_MAX. */
#define ACC_STRING_MAX 4096

/** Bytes of one object that is copied at once; larger spans are read field by field. */
#define ACC_OBJ_BYTES 1536

/** Bytes of a type: the largest that is read has some KiB; a size is input like any other. */
#define ACC_TYPE_BYTES_MAX (UINT32_C(1) << 20)

/** Bytes that one callback is asked for: the interface of debuggers counts them in an int. */
#define ACC_READ_BYTES_MAX (UINT64_C(16) << 20)

/** Bytes that a page cache may hold: it is memory of the debugger. */
#define ACC_CACHE_BYTES (UINT64_C(8) << 20)

/** Bytes that one arena may hold: mqs_* answers are small, mpidbg_describe() streams. */
#define ACC_ARENA_BYTES (UINT64_C(48) << 20)

/** Bad elements that are skipped in one walk before it is given up as corrupt. */
#define ACC_BAD_MAX 1000

/** Total size of the strings in one block of a process table: 262,144 entries with 1 KiB of strings each. */
#define ACC_TEXT_BYTES_MAX (UINT64_C(256) << 20)

/** Failed reads in one table before parts that cannot be read together are skipped. */
#define ACC_FAILED_READS_MAX 65536

#endif /* ACC_LIMITS_H */
