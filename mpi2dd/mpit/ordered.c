/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ring. A cell's turn tells its state: 2 * round: free for that round; 2 * round + 1: filled. Many threads fill; one
 * at a time, the one that has set `delivering`, empties.
 */
#include "ordered.h"

#include <string.h>

enum { CELLS = 256 };

static struct cell {
	unsigned turn;
	struct mpit_raised raised;
} ring[CELLS];

static unsigned head, tail; /* next to be emptied, filled */
static int delivering;
static __thread bool delivering_here __attribute__((tls_model("initial-exec")));
static int64_t last; /* time of the event delivered last */

bool mpit_ordered_put(const struct mpit_raised *raised)
{
	unsigned at = __atomic_load_n(&tail, __ATOMIC_RELAXED);
	struct cell *c;

	for (;;) {
		c = &ring[at % CELLS];
		unsigned turn = __atomic_load_n(&c->turn, __ATOMIC_ACQUIRE), wanted = at / CELLS * 2;
		if (turn == wanted) {
			if (__atomic_compare_exchange_n(&tail, &at, at + 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
				break;
		} else if ((int)(turn - wanted) < 0) {
			return false;
		} else {
			at = __atomic_load_n(&tail, __ATOMIC_RELAXED);
		}
	}
	c->raised = *raised;
	__atomic_store_n(&c->turn, at / CELLS * 2 + 1, __ATOMIC_SEQ_CST);
	return true;
}

/* The next cell, when it is filled with something that may be delivered in this context. */
static struct cell *next(MPI_T_cb_safety context)
{
	unsigned at = __atomic_load_n(&head, __ATOMIC_ACQUIRE);
	struct cell *c = &ring[at % CELLS];

	if (__atomic_load_n(&c->turn, __ATOMIC_SEQ_CST) != at / CELLS * 2 + 1 || c->raised.context < context)
		return NULL;
	return c;
}

/* Calls the callbacks of an event. */
typedef void deliverer(const struct mpit_raised *raised, MPI_T_cb_safety context);

static void deliver_next(struct cell *c, MPI_T_cb_safety context, deliverer *deliver)
{
	struct mpit_raised r = c->raised;
	unsigned at = __atomic_load_n(&head, __ATOMIC_RELAXED);

	__atomic_store_n(&head, at + 1, __ATOMIC_RELEASE);
	__atomic_store_n(&c->turn, at / CELLS * 2 + 2, __ATOMIC_RELEASE);
	/* two that came at the same time may have taken their times in the other order than their places */
	if (r.time < last)
		r.time = last;
	last = r.time;
	deliver(&r, context);
}

void mpit_ordered_deliver(MPI_T_cb_safety context, deliverer *deliver)
{
	/* Looked at again after `delivering` is given back: who came in between has found it taken. */
	while (next(context)) {
		int nobody = 0;
		if (!__atomic_compare_exchange_n(&delivering, &nobody, 1, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
			return;
		delivering_here = true;
		for (struct cell *c = next(context); c; c = next(context))
			deliver_next(c, context, deliver);
		delivering_here = false;
		__atomic_store_n(&delivering, 0, __ATOMIC_SEQ_CST);
	}
}

void mpit_ordered_in_child(void)
{
	memset(ring, 0, sizeof(ring));
	head = tail = 0;
	if (!delivering_here)
		delivering = 0;
}
