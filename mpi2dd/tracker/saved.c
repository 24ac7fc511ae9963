/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrays of request handles: saved before the call that completes some of them, compared after it. */
#include "requests.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

/* One array of each thread is kept for the next time; a call within a call takes its own. */
static __thread struct {
	void *memory;
	size_t bytes;
	bool in_use;
} kept __attribute__((tls_model("initial-exec")));

static size_t pages(size_t bytes)
{
	return (bytes + 65535) / 65536 * 65536;
}

void trk_save_many(struct trk_saved *saved, int n, const MPI_Request requests[])
{
	size_t bytes = pages((size_t)n * sizeof(requests[0]));
	int error = errno;

	if (!kept.in_use && kept.bytes >= bytes) {
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

void trk_saved_free(struct trk_saved *saved)
{
	int error = errno;

	if (saved->handles == saved->few || !saved->handles)
		return;
	if (!saved->bytes) {
		kept.in_use = false;
	} else if (!kept.in_use && saved->bytes > kept.bytes) {
		if (kept.memory)
			munmap(kept.memory, kept.bytes);
		kept.memory = saved->handles;
		kept.bytes = saved->bytes;
	} else {
		munmap(saved->handles, saved->bytes);
	}
	saved->handles = NULL;
	errno = error;
}

void trk_saved_end(void)
{
	if (kept.memory)
		munmap(kept.memory, kept.bytes);
	kept.memory = NULL;
	kept.bytes = 0;
	kept.in_use = false;
}

void trk_saved_all(struct m2d_thread *t, struct trk_saved *saved, int rc, const MPI_Request requests[],
		   const MPI_Status statuses[])
{
	for (int i = 0; saved->handles && i < saved->n; i++) {
		bool gone = requests[i] != saved->handles[i];
		/* not all are complete: those that are gone, and persistent ones whose status says so */
		if (rc != MPI_SUCCESS && !gone &&
		    (!statuses || statuses == MPI_STATUSES_IGNORE || statuses[i].MPI_ERROR == MPI_ERR_PENDING))
			continue;
		trk_completed(t, saved->handles[i], requests[i]);
	}
	trk_saved_free(saved);
}

void trk_saved_some(struct m2d_thread *t, struct trk_saved *saved, int rc, const int *n, const int indices[],
		    const MPI_Request requests[])
{
	if (rc == MPI_SUCCESS) {
		for (int i = 0; saved->handles && i < *n; i++)
			if (indices[i] >= 0 && indices[i] < saved->n)
				trk_completed(t, saved->handles[indices[i]], requests[indices[i]]);
	} else {
		for (int i = 0; saved->handles && i < saved->n; i++)
			if (saved->handles[i] != requests[i])
				trk_completed(t, saved->handles[i], requests[i]);
	}
	trk_saved_free(saved);
}
