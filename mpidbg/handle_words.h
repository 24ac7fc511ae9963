/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file handle_words.h
 * Writes one MPI object: as a line of a list, or with all its facts.
 */
#ifndef MPIDBG_HANDLE_WORDS_H
#define MPIDBG_HANDLE_WORDS_H

#include "describe.h"

/** Maximum number of entries of a type map in a description. */
enum { MPIDBG_TYPE_MAP_SHOWN = 1000 };

/** For a single object: did it end with MPI_Finalize? In
 * lists, objects that the program has not freed count as live. */
bool mpidbg_ended(struct mpidbg_description *d, const struct mdl_handle *h);

/** A line of text: kind, creating call, and the most important facts. */
void mpidbg_handle_line(struct mpidbg_description *d, const struct mdl_handle *h);

/** Write all facts: members of the open object (JSON), or lines (text). Unreadable facts are reported as problems. */
void mpidbg_handle_facts(struct mpidbg_description *d, const struct mdl_handle *h);

/** Only the facts of its kind. */
void mpidbg_handle_kind_facts(struct mpidbg_description *d, const struct mdl_handle *h);

/** The facts of a request, including how its handle was freed. */
void mpidbg_request_facts(struct mpidbg_description *d, const struct mdl_handle *h);

/** Number of live requests with the same handle value as this one, including itself: more than one if it is shared. */
uint64_t mpidbg_requests_alike(struct mpidbg_description *d, const struct mdl_handle *h);

/**
 * For a request that shares its handle value with other live ones: write their common facts and a list, instead of
 * the facts of one.
 *
 * @return false: its handle value is not shared; nothing is written
 */
bool mpidbg_shared_requests(struct mpidbg_description *d, const struct mdl_handle *h);

/** Earlier objects with this handle value, latest first. */
void mpidbg_earlier_objects(struct mpidbg_description *d, const struct mdl_handle *h);

/**
 * Write the constructor arguments of a datatype as text.
 *
 * @return false: they are unknown or do not match the constructor; nothing is written
 */
bool mpidbg_type_arguments(struct mpidbg_description *d, const struct mdl_handle *h);

/** The type map of a datatype, with its holes. */
void mpidbg_type_map(struct mpidbg_description *d, const struct mdl_handle *h);

#endif /* MPIDBG_HANDLE_WORDS_H */
