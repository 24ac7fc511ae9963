/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Launchers put into the environment of each rank how many ranks run on its machine, and which of them it is: Hydra
 * MPI_LOCALNRANKS and MPI_LOCALRANKID, Open MPI OMPI_COMM_WORLD_LOCAL_SIZE and OMPI_COMM_WORLD_LOCAL_RANK.
 */
#include "ended.h"

#include "maps.h"
#include "target.h"

#include "../access/grow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	ANCESTORS_MAX = 256,
	LOCAL_MAX = 1 << 16,           /* ranks of one machine */
	PROGRAM_MAX_BYTES = 256 << 20, /* a larger file is not searched */
};

/* The launcher's process that has started it: the nearest ancestor with a launcher's name. NULL: none. */
static const struct host_process *starter_of(const struct host_proclist *list, const struct host_process *p)
{
	for (unsigned n = 0; n < ANCESTORS_MAX && (p = host_proclist_find(list, p->parent)); n++)
		if (host_process_is_launcher(p))
			return p;
	return NULL;
}

/* Can it be a rank of which nothing is known, because its environment is not readable or was overwritten? */
static bool may_be_a_rank(struct host_process *p)
{
	if (p->state == 'Z' || p->state == 'X' || host_process_is_launcher(p))
		return false;
	return !host_process_look(p) || (!p->launch && host_process_has_mpi(p));
}

static bool has_unknown_child(const struct host_proclist *list, pid_t starter)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->v[i].parent == starter && may_be_a_rank(&list->v[i]))
			return true;
	return false;
}

/*
 * The members by their number on this machine: all started by one process, each rank and each number once. The numbers
 * must be in the order of the ranks, unless all ranks are on this machine: Open MPI 6.0 numbers ranks by the processor
 * that they are mapped to.
 */
static bool sort_local(const struct host_proclist *list, struct host_process *const *members, size_t n,
		       const struct host_process **local, size_t n_local, const struct host_process **starter)
{
	const bool all = members[0]->size == (int64_t)n_local;

	*starter = starter_of(list, members[0]);
	for (size_t i = 0; *starter && i < n; i++) {
		const struct host_process *p = members[i];
		if (p->local_size != (int64_t)n_local || p->local_rank < 0 || p->local_rank >= (int64_t)n_local ||
		    local[p->local_rank] || starter_of(list, p) != *starter || (i && p->rank <= members[i - 1]->rank) ||
		    (all && p->rank >= (int64_t)n_local) || (i && !all && p->local_rank <= members[i - 1]->local_rank))
			return false;
		local[p->local_rank] = p;
	}
	return *starter != NULL;
}

/* The rank of the i-th of this machine; -1: it is unknown, for the ranks around it are not consecutive. */
static int64_t rank_of(const struct host_process *const *local, size_t n, size_t i)
{
	size_t before = i, after = i;

	while (before > 0 && !local[before])
		before--;
	while (after < n - 1 && !local[after])
		after++;
	if (!local[before] || !local[after] || local[after]->rank - local[before]->rank != (int64_t)(after - before))
		return -1;
	return local[before]->rank + (int64_t)(i - before);
}

/*
 * How all of the n ranks have ended that have no process below their starter: it has not waited for any of them, and
 * they have ended alike. -1: unknown, or they differ, and it is unknown which is which.
 */
static int status_of_ended(const struct host_proclist *list, pid_t starter, size_t n)
{
	int ret = -1;
	size_t n_found = 0;

	for (size_t i = 0; i < list->n; i++) {
		if (list->v[i].parent != starter || list->v[i].state != 'Z')
			continue;
		int status = host_process_exit_status(list->v[i].pid);
		if (status < 0 || (n_found++ && status != ret))
			return -1;
		ret = status;
	}
	return n_found == n ? ret : -1;
}

static bool add_ended(struct host_job *job, const struct host_process *member, int64_t rank,
		      const struct host_process *starter)
{
	if (!ACC_GROW(job->ended, job->n_ended))
		return false;
	struct host_ended *e = &job->ended[job->n_ended++];
	*e = (struct host_ended){ .rank = rank, .world_size = member->size, .starter = starter->pid, .status = -1 };
	memcpy(e->job, member->job, sizeof(e->job));
	memcpy(e->starter_name, starter->name, sizeof(e->starter_name));
	return true;
}

bool host_ended_find(const struct host_proclist *list, struct host_process *const *members, size_t n,
		     struct host_job *job)
{
	const struct host_process *starter;
	int64_t size = n ? members[0]->local_size : -1;

	if (size <= (int64_t)n || size > LOCAL_MAX)
		return true;
	size_t n_local = (size_t)size, n_before = job->n_ended;
	const struct host_process **local = calloc(n_local, sizeof(struct host_process *));
	if (!local)
		return false;
	bool ok = true;
	bool known = sort_local(list, members, n, local, n_local, &starter) && !has_unknown_child(list, starter->pid);
	if (known && members[0]->size == size) { /* all ranks are on this machine: those that no member has */
		int64_t rank = 0;
		for (size_t i = 0; ok && rank < size; rank++)
			if (i < n && members[i]->rank == rank)
				i++;
			else
				ok = add_ended(job, members[0], rank, starter);
	} else {
		for (size_t i = 0; known && ok && i < n_local; i++) {
			int64_t rank = local[i] ? -1 : rank_of(local, n_local, i);
			if (rank >= 0)
				ok = add_ended(job, members[0], rank, starter);
		}
	}
	free(local);
	for (size_t i = n_before; i < job->n_ended; i++)
		job->ended[i].status = status_of_ended(list, starter->pid, job->n_ended - n_before);
	return ok;
}

/* ---- a script in the place of a rank -------------------------------------------------------------------- */

/* Does the program's file contain the name of an MPI function, as one that MPI is linked into does? */
static bool mentions_mpi(pid_t pid)
{
	static const char word[] = "MPI_Init";
	char path[64], piece[1 << 16];
	size_t n_kept = 0, n, total = 0;
	bool found = false;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	FILE *f = fopen(path, "re");
	if (!f)
		return true;
	while (!found && (n = fread(piece + n_kept, 1, sizeof(piece) - n_kept, f)) > 0) {
		n += n_kept;
		total += n;
		found = total > PROGRAM_MAX_BYTES || memmem(piece, n, word, sizeof(word) - 1);
		n_kept = n < sizeof(word) - 2 ? n : sizeof(word) - 2;
		memmove(piece, piece + n - n_kept, n_kept);
	}
	found |= ferror(f) != 0;
	fclose(f);
	return found;
}

static bool is_below(const struct host_proclist *list, const struct host_process *p, pid_t ancestor)
{
	for (unsigned n = 0; p && n < ANCESTORS_MAX; n++) {
		if (p->pid == ancestor)
			return true;
		p = host_proclist_find(list, p->parent);
	}
	return false;
}

bool host_is_no_mpi_program(pid_t pid)
{
	struct host_proclist list;
	bool none;

	if (!host_proclist_load(&list))
		return false;
	none = host_proclist_find(&list, pid) != NULL;
	for (size_t i = 0; none && i < list.n; i++) {
		struct host_process *p = &list.v[i];
		if (p->state != 'Z' && p->state != 'X' && is_below(&list, p, pid))
			none = host_process_look(p) && !host_process_has_mpi(p) && !mentions_mpi(p->pid);
	}
	host_proclist_deinit(&list);
	return none;
}
