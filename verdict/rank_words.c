/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks, and lists of them, in words. */
#include "words.h"

enum { RANGES_SHOWN = 12, RANGES_OF_MANY = 4 };

/* The number of a rank's world: the MPI's number, as in names of communicators, or else its position in the list. */
bool vd_world_number(const struct vd_job *job, int32_t rank, long long *ret)
{
	int64_t mpi_job = job->ranks[job->ranks[rank].first].mpi_job;

	*ret = mpi_job >= 0 ? (long long)mpi_job : job->ranks[rank].world + 1LL;
	return mpi_job >= 0;
}

static long long world_name(const struct vd_job *job, int32_t i)
{
	long long number;

	vd_world_number(job, i, &number);
	return number;
}

void vd_append_rank(struct vd_text *t, const struct vd_job *job, int32_t i)
{
	if (i < 0 || (size_t)i >= job->n_ranks)
		vd_append(t, "a rank that is not known");
	else if (job->n_worlds > 1)
		vd_append(t, "rank %d of world %lld", job->ranks[i].rank, world_name(job, i));
	else
		vd_append(t, "rank %d", job->ranks[i].rank);
}

/* @return the end of the range that begins at i: consecutive ranks of one world */
static size_t range_end(const struct vd_job *job, const int32_t *ranks, size_t n, size_t i)
{
	size_t k = i + 1;

	while (k < n && job->ranks[ranks[k]].rank == job->ranks[ranks[k - 1]].rank + 1 &&
	       job->ranks[ranks[k]].world == job->ranks[ranks[i]].world)
		k++;
	return k;
}

/* "rank 3", "ranks [0-2,5]", "ranks [0-2] of world 1, [0] of world 2", "61 ranks [26,31,41,58,...]": in order. */
void vd_append_ranks(struct vd_text *t, const struct vd_job *job, const int32_t *ranks, size_t n)
{
	size_t n_ranges = 0, last = 0;

	if (n == 1) {
		vd_append_rank(t, job, ranks[0]);
		return;
	}
	for (size_t i = 0; i < n; i = range_end(job, ranks, n, i))
		n_ranges++;
	bool many = n_ranges > RANGES_SHOWN;
	if (many)
		vd_append(t, "%zu ", n);
	vd_append(t, "ranks [");
	n_ranges = 0;
	for (size_t i = 0, k; i < n; i = k) {
		k = range_end(job, ranks, n, i);
		if (many && n_ranges++ == RANGES_OF_MANY) {
			vd_append(t, ",...");
			break;
		}
		bool other = i && job->ranks[ranks[i]].world != job->ranks[ranks[i - 1]].world;
		if (other)
			vd_append(t, "] of world %lld, [", world_name(job, ranks[i - 1]));
		vd_append(t, "%s%d", i && !other ? "," : "", job->ranks[ranks[i]].rank);
		last = k - 1;
		if (k > i + 1)
			vd_append(t, "-%d", job->ranks[ranks[k - 1]].rank);
	}
	vd_append(t, "]");
	if (job->n_worlds > 1)
		vd_append(t, " of world %lld", world_name(job, ranks[last]));
}
