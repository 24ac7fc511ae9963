/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Included before every source of the in-target library (mpi2dd.mk): the library is loaded into programs of older
 * systems than the one it was built on, so it binds to the first version of each function of glibc that later got a
 * newer one. glibc 2.34 moved the functions of libdl and libpthread into libc and gave them this version number; the
 * earlier name remains and is the same function. tools/check_symbols verifies that nothing newer than glibc 2.17 is
 * needed, which is the first one of aarch64.
 */
#ifndef M2D_OLD_GLIBC_H
#define M2D_OLD_GLIBC_H

#if (defined(__x86_64__) || defined(__aarch64__)) && defined(__gnu_linux__) && !defined(__ILP32__)

/* The version is that of x86-64. */
#if defined(__aarch64__)
#define M2D_OLD(name, version) __asm__(".symver " #name ", " #name "@GLIBC_2.17")
#else
#define M2D_OLD(name, version) __asm__(".symver " #name ", " #name "@GLIBC_" #version)
#endif

M2D_OLD(dlopen, 2.2.5);
M2D_OLD(dlsym, 2.2.5);
M2D_OLD(dlclose, 2.2.5);
M2D_OLD(dladdr, 2.2.5);
M2D_OLD(dladdr1, 2.3.3);
M2D_OLD(pthread_create, 2.2.5);
M2D_OLD(pthread_once, 2.2.5);
M2D_OLD(pthread_sigmask, 2.2.5);
M2D_OLD(pthread_key_create, 2.2.5);
M2D_OLD(pthread_setspecific, 2.2.5);
M2D_OLD(pthread_mutex_trylock, 2.2.5);
M2D_OLD(pthread_getattr_np, 2.2.5);
M2D_OLD(pthread_attr_getstack, 2.2.5);
M2D_OLD(pthread_attr_setstacksize, 2.2.5);
M2D_OLD(pthread_condattr_setclock, 2.3.3);

#undef M2D_OLD

#endif

#endif /* M2D_OLD_GLIBC_H */
