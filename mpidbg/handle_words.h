/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file handle_words.h
 * One MPI object in words: a line of a list, or all that is known.
 */
#ifndef MPIDBG_HANDLE_WORDS_H
#define MPIDBG_HANDLE_WORDS_H

#include "describe.h"

/** Entries of a type map that a description shows. */
enum { MPIDBG_TYPE_MAP_SHOWN = 1000 };

/** Asked for by itself, has it ended with MPI_Finalize? A list counts what the program has left. */
bool mpidbg_ended(struct mpidbg_description *d, const struct mdl_handle *h);

/** A line of text: kind, creating call, and the most important facts. */
void mpidbg_handle_line(struct mpidbg_description *d, const struct mdl_handle *h);

/** All facts: members of an object that is open (JSON), or lines (text). What cannot be read becomes a problem. */
void mpidbg_handle_facts(struct mpidbg_description *d, const struct mdl_handle *h);

/** Only the facts of its kind. */
void mpidbg_handle_kind_facts(struct mpidbg_description *d, const struct mdl_handle *h);

/** The facts of a request, including how its handle was freed. */
void mpidbg_request_facts(struct mpidbg_description *d, const struct mdl_handle *h);

/** How many live requests have the handle value of this one, itself among them: more than one when it is shared. */
uint64_t mpidbg_requests_alike(struct mpidbg_description *d, const struct mdl_handle *h);

/**
 * A request that shares its handle value with other live ones: their common facts and a list, instead of the facts of
 * one.
 *
 * @return false: it is no such request; nothing is written
 */
bool mpidbg_shared_requests(struct mpidbg_description *d, const struct mdl_handle *h);

/** Earlier objects with this handle value, latest first. */
void mpidbg_earlier_lives(struct mpidbg_description *d, const struct mdl_handle *h);

/**
 * Text: the arguments that a datatype was made with, in words.
 *
 * @return false: they are not known, or not as the constructor takes them; nothing is written
 */
bool mpidbg_type_arguments(struct mpidbg_description *d, const struct mdl_handle *h);

/** The type map of a datatype, with its holes. */
void mpidbg_type_map(struct mpidbg_description *d, const struct mdl_handle *h);

#endif /* MPIDBG_HANDLE_WORDS_H */
