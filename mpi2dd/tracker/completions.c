/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds out which requests of an array a call has completed, from the handles before and after it. */
#include "requests.h"

/* Do the statuses say what has happened to each request? */
static bool statuses_are_valid(int rc, const MPI_Status statuses[])
{
	return rc == MPI_ERR_IN_STATUS && statuses && statuses != MPI_STATUSES_IGNORE;
}

/* Not all requests are complete: end those whose handle has changed, and persistent ones whose status shows it. */
static void end_completed(struct m2d_thread *t, struct trk_snapshot *saved, int rc, const MPI_Request requests[],
			  const MPI_Status statuses[])
{
	for (int i = 0; i < saved->n; i++) {
		bool changed = requests[i] != saved->handles[i], told = statuses_are_valid(rc, statuses);
		if (changed || (told && statuses[i].MPI_ERROR != MPI_ERR_PENDING))
			trk_completed(t, saved->handles[i], requests[i], !told || statuses[i].MPI_ERROR != MPI_SUCCESS);
	}
}

void trk_snapshot_all_done(struct m2d_thread *t, struct trk_snapshot *saved, int rc, const MPI_Request requests[],
			   const MPI_Status statuses[])
{
	if (saved->handles && rc == MPI_SUCCESS)
		trk_completed_all(t, saved->n, saved->handles, requests);
	else if (saved->handles)
		end_completed(t, saved, rc, requests, statuses);
	trk_snapshot_free(saved);
}

void trk_snapshot_some_done(struct m2d_thread *t, struct trk_snapshot *saved, int rc, const int *n, const int indices[],
			    const MPI_Request requests[], const MPI_Status statuses[])
{
	bool told = statuses_are_valid(rc, statuses);

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
	trk_snapshot_free(saved);
}
