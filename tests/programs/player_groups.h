/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file player_groups.h
 * Operations of player.c: collectives, communicators, windows. Further letters of arguments: f function (enum
 * player_function), R root, n elements, w window, N the number of a new object.
 */
#ifndef PLAYER_GROUPS_H
#define PLAYER_GROUPS_H

#include "player_functions.h"
#include "player_messages.h"

struct buffers {
	int *out, *in, counts[PLAYER_RANKS_MAX], places[PLAYER_RANKS_MAX];
	size_t n;
};

static struct buffers buffers_for(MPI_Comm comm, int n)
{
	struct buffers b;
	int inter = 0, size = 1;

	MPI_Comm_test_inter(comm, &inter);
	if (inter)
		MPI_Comm_remote_size(comm, &size);
	else
		MPI_Comm_size(comm, &size);
	b.n = (size_t)n * PLAYER_RANKS_MAX;
	b.out = memory(2 * b.n * sizeof(int));
	b.in = b.out + b.n;
	for (int i = 0; i < PLAYER_RANKS_MAX; i++) {
		b.counts[i] = i < size ? n : 0;
		b.places[i] = i * n;
	}
	return b;
}

static void collective(int f, MPI_Comm c, int root, int n)
{
	struct buffers b = buffers_for(c, n);

	switch (f) {
#define PLAYER_COLLECTIVE(name, blocking, other)                                                                       \
	case PLAYER_##name:                                                                                            \
		blocking;                                                                                              \
		break;
#include "player_collectives.def"
#undef PLAYER_COLLECTIVE
	default:
		break;
	}
	free(b.out);
}

/* f c R n */
static void op_coll(const struct line *l)
{
	collective(l->args[0], comms[l->args[1]], l->args[2], l->args[3]);
}

/* r f c R n */
static void op_icoll(const struct line *l)
{
	const int *a = l->args;
	static struct buffers kept[REQUESTS_MAX];
	struct buffers *p = &kept[a[0]];
	MPI_Request *request = &requests[a[0]];
	MPI_Comm c = comms[a[2]];
	int root = a[3], n = a[4];

	*p = buffers_for(c, n);
	struct buffers b = *p;
	switch (a[1]) {
#define PLAYER_COLLECTIVE(name, blocking, other)                                                                       \
	case PLAYER_##name:                                                                                            \
		other;                                                                                                 \
		break;
#include "player_collectives.def"
#undef PLAYER_COLLECTIVE
	default:
		break;
	}
}

/* f c n times u: a loop of collectives, or of a ring (f -1) */
static void op_traffic(const struct line *l)
{
	const int *a = l->args;
	MPI_Comm c = comms[a[1]];
	int me, size;

	MPI_Comm_rank(c, &me);
	MPI_Comm_size(c, &size);
	char *data = memory((size_t)a[2] * 2);
	for (int i = 0; i < a[3]; i++) {
		if (a[0] >= 0)
			collective(a[0], c, i % size, a[2]);
		else
			MPI_Sendrecv(data, a[2], MPI_BYTE, (me + 1) % size, 3, data + a[2], a[2], MPI_BYTE,
				     (me + size - 1) % size, 3, c, MPI_STATUS_IGNORE);
		nap_us(a[4]);
		finished_one(l);
	}
	free(data);
}

/* ---- communicators ---------------------------------------------------------------------------------------- */

/* N c color key */
static void op_split(const struct line *l)
{
	MPI_Comm_split(comms[l->args[1]], l->args[2] < 0 ? MPI_UNDEFINED : l->args[2], l->args[3], &comms[l->args[0]]);
}

/* N c */
static void op_dup(const struct line *l)
{
	MPI_Comm_dup(comms[l->args[1]], &comms[l->args[0]]);
}

/* N c ranks of c: called by all of c */
static void op_create(const struct line *l)
{
	MPI_Group all, some;

	MPI_Comm_group(comms[l->args[1]], &all);
	MPI_Group_incl(all, l->n_args - 2, l->args + 2, &some);
	MPI_Comm_create(comms[l->args[1]], some, &comms[l->args[0]]);
	MPI_Group_free(&all);
	MPI_Group_free(&some);
}

/* N local c, leader in it, peer c, remote leader in it, t */
static void op_inter(const struct line *l)
{
	const int *a = l->args;

	MPI_Intercomm_create(comms[a[1]], a[2], comms[a[3]], a[4], a[5], &comms[a[0]]);
}

/* N c high */
static void op_merge(const struct line *l)
{
	MPI_Intercomm_merge(comms[l->args[1]], l->args[2], &comms[l->args[0]]);
}

/* N c: a periodic ring of all */
static void op_cart(const struct line *l)
{
	int size, periodic = 1;

	MPI_Comm_size(comms[l->args[1]], &size);
	MPI_Cart_create(comms[l->args[1]], 1, &size, &periodic, 0, &comms[l->args[0]]);
}

static void op_comm_free(const struct line *l)
{
	MPI_Comm_free(&comms[l->args[0]]);
}

static void op_disconnect(const struct line *l)
{
	MPI_Comm_disconnect(&comms[l->args[0]]);
}

/* ---- windows ---------------------------------------------------------------------------------------------- */

/* N c */
static void op_win(const struct line *l)
{
	void *base;

	MPI_Win_allocate(1024, 1, MPI_INFO_NULL, comms[l->args[1]], &base, &windows[l->args[0]]);
}

static void op_win_free(const struct line *l)
{
	MPI_Win_free(&windows[l->args[0]]);
}

static void op_fence(const struct line *l)
{
	MPI_Win_fence(0, windows[l->args[0]]);
}

/* w target */
static void op_put(const struct line *l)
{
	static int zero;

	MPI_Put(&zero, 1, MPI_INT, l->args[1], 0, 1, MPI_INT, windows[l->args[0]]);
}

/* w target */
static void op_win_lock(const struct line *l)
{
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, l->args[1], 0, windows[l->args[0]]);
}

static void op_win_unlock(const struct line *l)
{
	MPI_Win_unlock(l->args[1], windows[l->args[0]]);
}

static MPI_Group group_of(const struct line *l)
{
	MPI_Group all, some;

	MPI_Win_get_group(windows[l->args[0]], &all);
	MPI_Group_incl(all, l->n_args - 1, l->args + 1, &some);
	MPI_Group_free(&all);
	return some;
}

/* w ranks */
static void op_win_post(const struct line *l)
{
	MPI_Group g = group_of(l);

	MPI_Win_post(g, 0, windows[l->args[0]]);
	MPI_Group_free(&g);
}

/* w ranks */
static void op_win_start(const struct line *l)
{
	MPI_Group g = group_of(l);

	MPI_Win_start(g, 0, windows[l->args[0]]);
	MPI_Group_free(&g);
}

static void op_win_complete(const struct line *l)
{
	MPI_Win_complete(windows[l->args[0]]);
}

static void op_win_wait(const struct line *l)
{
	MPI_Win_wait(windows[l->args[0]]);
}

#endif /* PLAYER_GROUPS_H */
