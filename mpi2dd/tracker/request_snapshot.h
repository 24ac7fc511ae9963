/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file request_snapshot.h
 * The handles of an array of requests as they were before a call that sets those that complete to MPI_REQUEST_NULL.
 */
#ifndef TRK_REQUEST_SNAPSHOT_H
#define TRK_REQUEST_SNAPSHOT_H

#include <mpi.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

enum { TRK_SNAPSHOT = 128 };

/** On the wrapper's stack; longer arrays are kept in memory of the thread, which is reserved when it first calls. */
struct trk_snapshot {
	int n;
	MPI_Request *handles; /**< NULL: there was no memory, and what has become of them is not recorded */
	size_t bytes;         /**< of memory to be given back: an array longer than what the thread has */
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

/** The memory for long arrays, of the calling thread: it goes with the slot of threads of this number. */
void trk_snapshot_thread_begins(unsigned number);
void trk_snapshot_thread_ends(void);

#pragma GCC visibility pop

#endif /* TRK_REQUEST_SNAPSHOT_H */
