/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file player_functions.h
 * The collectives that a script can name, by number.
 */
#ifndef PLAYER_FUNCTIONS_H
#define PLAYER_FUNCTIONS_H

enum player_function {
#define PLAYER_COLLECTIVE(name, blocking, other) PLAYER_##name,
#include "player_collectives.def"
#undef PLAYER_COLLECTIVE
	PLAYER_N_FUNCTIONS
};

#endif /* PLAYER_FUNCTIONS_H */
