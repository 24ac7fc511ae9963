/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file copies.h
 * Copies of this library in the process: which loaded objects are copies (of the other flavour, or the same one under
 * another file name), which copy of a flavour is active, and whether the program was linked with one.
 */
#ifndef M2D_COPIES_H
#define M2D_COPIES_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)

enum m2d_flavour { M2D_NO_FLAVOUR, M2D_OPENMPI, M2D_MPICH, M2D_STANDARD_ABI };

/** Is the object that contains this address a copy of this library, of any flavour and whatever its file name? */
bool m2d_copies_has(const void *address);

/**
 * Does another copy of our flavour come before this one in the program's symbol scope? That copy is the active one;
 * this one passes every call on and publishes nothing. May be called in a constructor.
 */
bool m2d_copies_is_inactive(void);

/** The flavour of the copy that some object of the process was linked with. M2D_NO_FLAVOUR: none was. */
enum m2d_flavour m2d_copies_linked(void);

/** Is this copy named in LD_PRELOAD? */
bool m2d_copies_is_preloaded(void);

#pragma GCC visibility pop

#endif /* M2D_COPIES_H */
