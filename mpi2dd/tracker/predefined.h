/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file predefined.h
 * Records of what the standard names, the null handles too: recorded when the registry is set up, before MPI_Init;
 * what the library knows of them comes after it. Their `predefined` is 1, their call TRK_NO_CALL.
 */
#ifndef TRK_PREDEFINED_H
#define TRK_PREDEFINED_H

#include "registry.h"

#pragma GCC visibility push(hidden)

/** What the library knows of them, but the communicators. After MPI_Init or MPI_Session_init. */
void trk_predefined_ask(void);

/** The attributes that MPI_COMM_WORLD has of itself, once MPI is there and has one. */
void trk_predefined_ask_world(void);

/** The program has asked for an attribute of a communicator, which has it or not. */
void trk_predefined_told(int key, int flag);

/** MPI_LASTUSEDCODE may be another one now. */
void trk_predefined_new_code(void);

/** Is it one that stands for no object? */
bool trk_is_null_name(const char *name);

#pragma GCC visibility pop

#endif /* TRK_PREDEFINED_H */
