/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file words.h
 * Ranks and their activity as text. The text contains unquoted bytes of the target: quote it when printing.
 */
#ifndef VD_WORDS_H
#define VD_WORDS_H

#include "text.h"
#include "verdict.h"

/**
 * The number of the world of a rank.
 * @param rank     its index
 * @param[out] ret the MPI's number of the world, as in names
 * of communicators; otherwise its position in the list, from 1
 * @return true: it is the MPI's number
 */
bool vd_world_number(const struct vd_job *job, int32_t world, long long *ret);

/** "rank 3"; in a job of several worlds "rank 3 of world 3571122178" */
void vd_append_rank(struct vd_text *t, const struct vd_job *job, int32_t i);

/** "rank 3", "ranks [0-2,5]": sorted ranks; a very long list is shortened. */
void vd_append_ranks(struct vd_text *t, const struct vd_job *job, const int32_t *ranks, size_t n);

/** The communicator's name, what tells it from others without name, or that it is not known. */
const char *vd_comm_name(const struct vd_job *job, int32_t comm);

/**
 * A peer in a communicator, by its rank there: "rank 1", "rank 2 (world rank 4)", "any rank".
 *
 * @param comm     index; VD_UNKNOWN: by its rank in the world
 * @param relative "rank+1" instead, if both are in the same group
 */
void vd_append_peer(struct vd_text *t, const struct vd_job *job, int32_t own, int32_t comm, int32_t peer,
		    bool relative);

/**
 * "receive from rank 1, tag 5 on MPI_COMM_WORLD"
 *
 * @param own      rank of the operation
 * @param relative write the peer as "rank+1" if it is in the same world
 * @param named    the function precedes it: "from rank 1, tag 5 on MPI_COMM_WORLD"
 */
void vd_append_op(struct vd_text *t, const struct vd_job *job, int32_t own, const struct vd_op *op, bool relative,
		  bool named);

/** The representative thread of a rank: one that is in MPI, otherwise the first that no library created; NULL: none. */
const struct vd_thread *vd_thread_of(const struct vd_job *job, int32_t i);

/** A thread of the rank that is in no MPI function: one that may act, or one that could, but waits for nobody who is
 * known; NULL: none. */
const struct vd_thread *vd_outside_of(const struct vd_job *job, int32_t i, bool acting);

/** "computes", "waits for another thread of its rank", static */
const char *vd_doing_text(const struct vd_job *job, const struct vd_rank *r, const struct vd_thread *t);

/** The call of a thread in MPI: "MPI_Recv from rank 1, tag 5 on MPI_COMM_WORLD". @param own rank of the thread */
void vd_append_call(struct vd_text *t, const struct vd_job *job, int32_t own, const struct vd_thread *x, bool relative);

/** Is it unknown in which function the thread is? It does not stop, so that its stack is not read. */
static inline bool vd_function_is_unknown(const struct vd_thread *t)
{
	return t->held && !t->place;
}

/** "stopped by a signal", "frozen by its cgroup /job": of a rank with vd_rank.stopped. */
const char *vd_stopped_text(const struct vd_rank *r);

/** ", in an uninterruptible system call (fsync of /scratch/out)" @param x with vd_thread.held */
void vd_append_held(struct vd_text *t, const struct vd_thread *x);

/** The same for the representative thread of a rank, and what its other threads do. */
void vd_append_activity(struct vd_text *t, const struct vd_job *job, const struct vd_verdict *v, int32_t i,
			bool relative);

/** "at solve.c:71 in residual"; nothing when it is not known. */
void vd_append_place(struct vd_text *t, const struct vd_job *job, const struct vd_verdict *v, int32_t i);

/** ", mesh.c:212", ", in read_block"; nothing when it is not known. */
void vd_append_short_place(struct vd_text *t, const struct vd_job *job, int32_t i);

#endif /* VD_WORDS_H */
