/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrays of request handles: saved before the call that completes some of them, compared after it. */
#include "requests.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

/*
 * Memory of each slot of threads, reserved once and touched as it is used, for the longest array that the slab of requests
 * can hold by default. A longer one, or a call within a call, takes its own.
 */
enum { KEPT_BYTES = 65536 * sizeof(MPI_Request) };
static void *reserved[TRK_THREADS];
static __thread struct {
	void *memory;
	bool in_use;
} kept __attribute__((tls_model("initial-exec")));

void trk_saved_begin(unsigned number)
{
	if (!reserved[number]) {
		void *memory = mmap(NULL, KEPT_BYTES, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		reserved[number] = memory == MAP_FAILED ? NULL : memory;
	}
	kept.memory = reserved[number];
	kept.in_use = false;
}

void trk_saved_end(void)
{
	kept.memory = NULL;
}

static size_t pages(size_t bytes)
{
	return (bytes + 65535) / 65536 * 65536;
}

void trk_save_many(struct trk_saved *saved, int n, const MPI_Request requests[])
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

void trk_saved_free(struct trk_saved *saved)
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

/* What there is of statuses says what has become of each. */
static bool tells(int rc, const MPI_Status statuses[])
{
	return rc == MPI_ERR_IN_STATUS && statuses && statuses != MPI_STATUSES_IGNORE;
}

/* Not all are complete: those that are gone, and persistent ones whose status says so. */
static void completed_in_part(struct m2d_thread *t, struct trk_saved *saved, int rc, const MPI_Request requests[],
			      const MPI_Status statuses[])
{
	for (int i = 0; i < saved->n; i++) {
		bool gone = requests[i] != saved->handles[i], told = tells(rc, statuses);
		if (gone || (told && statuses[i].MPI_ERROR != MPI_ERR_PENDING))
			trk_completed(t, saved->handles[i], requests[i], !told || statuses[i].MPI_ERROR != MPI_SUCCESS);
	}
}

void trk_saved_all(struct m2d_thread *t, struct trk_saved *saved, int rc, const MPI_Request requests[],
		   const MPI_Status statuses[])
{
	if (saved->handles && rc == MPI_SUCCESS)
		trk_completed_all(t, saved->n, saved->handles, requests);
	else if (saved->handles)
		completed_in_part(t, saved, rc, requests, statuses);
	trk_saved_free(saved);
}

void trk_saved_some(struct m2d_thread *t, struct trk_saved *saved, int rc, const int *n, const int indices[],
		    const MPI_Request requests[], const MPI_Status statuses[])
{
	bool told = tells(rc, statuses);

	for (int i = 0; saved->handles && (rc == MPI_SUCCESS || told) && i < *n; i++) {
		int k = indices[i];

		if (k < 0 || k >= saved->n)
			continue;
		trk_completed(t, saved->handles[k], requests[k], told && statuses[i].MPI_ERROR != MPI_SUCCESS);
		saved->handles[k] = requests[k];
	}
	for (int i = 0; saved->handles && rc != MPI_SUCCESS && i < saved->n; i++)
		if (saved->handles[i] != requests[i])
			trk_completed(t, saved->handles[i], requests[i], true);
	trk_saved_free(saved);
}
