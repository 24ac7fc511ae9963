/* SPDX-License-Identifier: BSD-3-Clause */
#include "request_snapshot.h"

#include "threads.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

/*
 * Memory of each thread slot for snapshots, reserved once; its pages are touched when used. Large enough for as many
 * requests as the slab holds by default. Longer arrays, and nested calls, allocate their own.
 */
enum { KEPT_BYTES = 65536 * sizeof(MPI_Request) };
static void *reserved[TRK_THREADS];
static __thread struct {
	void *memory;
	bool in_use;
} kept __attribute__((tls_model("initial-exec")));

void trk_snapshot_thread_begins(unsigned number)
{
	if (!reserved[number]) {
		void *memory = mmap(NULL, KEPT_BYTES, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		reserved[number] = memory == MAP_FAILED ? NULL : memory;
	}
	kept.memory = reserved[number];
	kept.in_use = false;
}

void trk_snapshot_thread_ends(void)
{
	kept.memory = NULL;
}

static size_t pages(size_t bytes)
{
	return (bytes + 65535) / 65536 * 65536;
}

void trk_snapshot_take_many(struct trk_snapshot *saved, int n, const MPI_Request requests[])
{
	size_t bytes = pages((size_t)n * sizeof(requests[0]));
	int error = errno;

	saved->bytes = 0;
	if (!kept.in_use && kept.memory && bytes <= KEPT_BYTES) {
		kept.in_use = true;
		saved->handles = kept.memory;
	} else {
		void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		errno = error;
		saved->handles = memory == MAP_FAILED ? NULL : memory;
		saved->bytes = bytes;
	}
	if (saved->handles)
		memcpy(saved->handles, requests, (size_t)n * sizeof(requests[0]));
}

void trk_snapshot_free(struct trk_snapshot *saved)
{
	int error = errno;

	if (saved->handles == saved->few || !saved->handles)
		return;
	if (!saved->bytes)
		kept.in_use = false;
	else
		munmap(saved->handles, saved->bytes);
	saved->handles = NULL;
	errno = error;
}
