/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file random.h
 * Random bytes of the kernel, without getrandom(), which the C library has only since glibc 2.25.
 */
#ifndef M2D_RANDOM_H
#define M2D_RANDOM_H

#include <stdbool.h>
#include <stddef.h>

/**
 * Fill @p ret with @p n random bytes (at most 256): by the system call getrandom, or, with kernels before 3.17, from
 * /dev/urandom. Never waits for the kernel's generator to be initialized.
 *
 * @return false: there are none; @p ret is undefined. Async-signal-safe; may change errno.
 */
bool m2d_random(void *ret, size_t n);

#endif /* M2D_RANDOM_H */
