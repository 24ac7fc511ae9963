/* SPDX-License-Identifier: BSD-3-Clause */
#include "alloc_permanent.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

enum { CHUNK_BYTES = 256 * 1024, ALIGN = 16 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *chunk;
static size_t chunk_left;

static void *from_kernel(size_t bytes)
{
	int saved = errno;
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	errno = saved;
	return at == MAP_FAILED ? NULL : at;
}

void *m2d_alloc_permanent(size_t bytes)
{
	void *ret = NULL;

	if (bytes > SIZE_MAX - ALIGN)
		return NULL;
	bytes = (bytes + ALIGN - 1) / ALIGN * ALIGN;
	if (bytes > CHUNK_BYTES / 4)
		return from_kernel(bytes);
	pthread_mutex_lock(&lock);
	if (bytes > chunk_left) {
		chunk = from_kernel(CHUNK_BYTES);
		chunk_left = chunk ? CHUNK_BYTES : 0;
	}
	if (bytes <= chunk_left) {
		ret = chunk;
		chunk += bytes;
		chunk_left -= bytes;
	}
	pthread_mutex_unlock(&lock);
	return ret;
}

const char *m2d_copy_permanent(const char *text)
{
	size_t n = strlen(text) + 1;
	char *copy = m2d_alloc_permanent(n);

	return copy ? memcpy(copy, text, n) : NULL;
}
