/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file handle_kind.h
 * The words for kinds of objects and their facts.
 */
#ifndef OUT_HANDLE_KIND_H
#define OUT_HANDLE_KIND_H

#include "../model/handle.h"

#include <stdbool.h>

/** "comm": the key in JSON, and the word of the command. */
const char *out_handle_kind(enum mdl_handle_kind kind);

/** "communicator"; "communicators". */
const char *out_handle_word(enum mdl_handle_kind kind);
const char *out_handle_words(enum mdl_handle_kind kind);

/** A kind by any of its names: comm, comms, communicator, communicators, MPI_Comm. @return false: none */
bool out_handle_kind_of(const char *name, enum mdl_handle_kind *ret);

/** "live", "freed", "earlier". */
const char *out_life(enum mdl_life life);

/** "MPI_COMBINER_VECTOR" without its prefix, in lower case: "vector". */
const char *out_combiner(int64_t combiner);

/** "MPI_MODE_CREATE|MPI_MODE_RDWR"; unknown bits as a number. */
void out_file_mode(int64_t mode, char *ret, size_t size);

/** "point-to-point", "collective" ...; NULL: unknown. */
const char *out_request_type(enum mdl_request_type type);

#endif /* OUT_HANDLE_KIND_H */
