/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file cleanup.h
 * Local pointers that are released where their scope ends, on every path.
 *
 * HOST_CLEANUP_OF(struct host_elf, host_elf_close) defines the guard: a variable declared with
 * HOST_CLEANUP(host_elf_close) is passed to this function at the end. It is initialised where it is declared.
 * HOST_TAKE() passes the object on instead.
 *
 * clang-tidy 14 and cppcheck do not know the attribute: they report a leak where they see the allocation. So guard what
 * another file has allocated.
 */
#ifndef HOST_CLEANUP_H
#define HOST_CLEANUP_H

#include <stdlib.h>

#define HOST_CLEANUP(destroy) __attribute__((cleanup(destroy##_at)))

/** @param destroy takes a pointer to @p type, and NULL */
#define HOST_CLEANUP_OF(type, destroy)                                                                                 \
	static inline void destroy##_at(type **at)                                                                     \
	{                                                                                                              \
		destroy(*at);                                                                                          \
	}

/** The pointer, which the guard then no longer releases. */
#define HOST_TAKE(pointer)                                                                                             \
	({                                                                                                             \
		__typeof__(pointer) taken_ = (pointer);                                                                \
		(pointer) = NULL;                                                                                      \
		taken_;                                                                                                \
	})

/** free() at the end of the scope. */
#define _cleanup_free_ __attribute__((cleanup(host_free_at)))

static inline void host_free_at(void *at)
{
	free(*(void **)at);
}

#endif /* HOST_CLEANUP_H */
