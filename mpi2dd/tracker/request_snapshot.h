/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file request_snapshot.h
 * A copy of an array of request handles from before a call that sets completed ones to MPI_REQUEST_NULL.
 */
#ifndef TRK_REQUEST_SNAPSHOT_H
#define TRK_REQUEST_SNAPSHOT_H

#include <mpi.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

enum { TRK_SNAPSHOT = 128 };

/** Lives on the wrapper's stack. Longer arrays are stored in memory of the thread, reserved at its first call. */
struct trk_snapshot {
	int n;
	MPI_Request *handles; /**< NULL: out of memory; the completions are not recorded then */
	size_t bytes;         /**< size of memory to be freed, for an array longer than the thread's memory */
	MPI_Request few[TRK_SNAPSHOT];
};

void trk_snapshot_take_many(struct trk_snapshot *saved, int n, const MPI_Request requests[]);
void trk_snapshot_free(struct trk_snapshot *saved);

static inline void trk_snapshot_take(struct trk_snapshot *saved, int n, const MPI_Request requests[])
{
	saved->n = requests && n > 0 ? n : 0;
	saved->handles = saved->few;
	if (saved->n > TRK_SNAPSHOT)
		trk_snapshot_take_many(saved, n, requests);
	else
		for (int i = 0; i < saved->n; i++)
			saved->few[i] = requests[i];
}

/** The calling thread starts or ends: its memory for long arrays belongs to the thread slot with this number. */
void trk_snapshot_thread_begins(unsigned number);
void trk_snapshot_thread_ends(void);

#pragma GCC visibility pop

#endif /* TRK_REQUEST_SNAPSHOT_H */
