/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file grow.h
 * Arrays of the heap that grow by one element at a time. Not for the plugin, which allocates from the debugger.
 */
#ifndef ACC_GROW_H
#define ACC_GROW_H

#include <stdbool.h>
#include <stdlib.h>

/** As ACC_GROW(). @return the array, which may have moved; NULL: out of memory, and @p array is unchanged */
static inline void *acc_grown(void *array, size_t n, size_t size)
{
	if (n & (n - 1))
		return array;
	return reallocarray(array, n ? 2 * n : 1, size);
}

/**
 * Make room for one element behind the first @p n of @p array, a NULL pointer or an array that only this macro has
 * allocated. Its capacity is @p n rounded up to a power of two, so that it need not be stored; elements may be taken
 * off the end at any time.
 *
 * @return false: out of memory, and the array is unchanged
 */
#define ACC_GROW(array, n)                                                                                             \
	({                                                                                                             \
		void *grown_ = acc_grown((array), (n), sizeof(*(array)));                                              \
		if (grown_)                                                                                            \
			(array) = grown_;                                                                              \
		grown_ != NULL;                                                                                        \
	})

#endif /* ACC_GROW_H */
