/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file copies.h
 * This library among the objects of the process: which of them is a copy of it (the other flavour's, or the same one
 * under another file name), which copy of a flavour is at work, and whether the program was linked with one.
 */
#ifndef M2D_COPIES_H
#define M2D_COPIES_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)

enum m2d_flavour { M2D_NO_FLAVOUR, M2D_OPENMPI, M2D_MPICH };

/** Is the object that the address lies in a copy of this library, of either flavour, whatever its file is called? */
bool m2d_copies_has(const void *address);

/**
 * Is another copy of our flavour before us in the scope of the program? That one works; this one hands every call on
 * and publishes nothing. Also in a constructor.
 */
bool m2d_copies_is_spare(void);

/** The flavour of the copy that an object of the process was linked with. M2D_NO_FLAVOUR: none was linked with one. */
enum m2d_flavour m2d_copies_linked(void);

/** Was this copy preloaded, as LD_PRELOAD says? */
bool m2d_copies_is_preloaded(void);

#pragma GCC visibility pop

#endif /* M2D_COPIES_H */
