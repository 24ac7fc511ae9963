/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file sort.h
 * Sorting without memory, because qsort() of some C libraries
 * allocates, and without a slow case that a target could provoke.
 */
#ifndef ACC_SORT_H
#define ACC_SORT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* All is inlined, so that the size and the comparison are constants of each loop. */
#define ACC_SORT_INLINE static inline __attribute__((always_inline))

typedef int acc_compare_fn(const void *a, const void *b);

/** The largest element that acc_sort() takes. */
enum { ACC_SORT_ELEMENT_MAX = 64 };

ACC_SORT_INLINE void acc_sort_swap(char *a, char *b, size_t size)
{
	char t[ACC_SORT_ELEMENT_MAX];

	memcpy(t, a, size);
	memcpy(a, b, size);
	memcpy(b, t, size);
}

/* Let element i sink to its place in the heap of n elements. */
ACC_SORT_INLINE void acc_sort_sink(char *base, size_t i, size_t n, size_t size, acc_compare_fn *compare)
{
	for (size_t child; (child = 2 * i + 1) < n; i = child) {
		if (child + 1 < n && compare(base + child * size, base + (child + 1) * size) < 0)
			child++;
		if (compare(base + i * size, base + child * size) >= 0)
			return;
		acc_sort_swap(base + i * size, base + child * size, size);
	}
}

/**
 * Heapsort. An array that is sorted already costs one comparison for each element.
 *
 * @param size    of an element, at most ACC_SORT_ELEMENT_MAX bytes
 * @param compare as for qsort(); equal elements come in any order
 */
ACC_SORT_INLINE void acc_sort(void *array, size_t n, size_t size, acc_compare_fn *compare)
{
	char *base = array;
	size_t i = 1;

	while (i < n && compare(base + (i - 1) * size, base + i * size) <= 0)
		i++;
	if (i >= n)
		return;
	for (i = n / 2; i > 0; i--)
		acc_sort_sink(base, i - 1, n, size, compare);
	for (i = n - 1; i > 0; i--) {
		acc_sort_swap(base, base + i * size, size);
		acc_sort_sink(base, 0, i, size, compare);
	}
}

/** Sort by the first member, a uint64_t. */
ACC_SORT_INLINE int acc_compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

#endif /* ACC_SORT_H */
