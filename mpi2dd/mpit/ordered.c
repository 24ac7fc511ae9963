/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ring. A cell's turn encodes its state: 2 * lap: free for that lap; 2 * lap + 1: filled. Many threads fill cells;
 * one at a time, which has set `delivering`, empties them.
 */
#include "ordered.h"

#include <string.h>

enum { CELLS = 256 };

static struct cell {
	unsigned turn;
	struct mpit_raised raised;
} ring[CELLS];

static unsigned head, tail; /* indexes of the next cell to empty and to fill */
static int delivering;
static __thread bool delivering_here __attribute__((tls_model("initial-exec")));
static int64_t last; /* time of the last delivered event */

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

/* The next cell, if it contains an event that may be delivered in this context; else NULL. */
static struct cell *next(MPI_T_cb_safety context)
{
	unsigned at = __atomic_load_n(&head, __ATOMIC_ACQUIRE);
	struct cell *c = &ring[at % CELLS];

	if (__atomic_load_n(&c->turn, __ATOMIC_SEQ_CST) != at / CELLS * 2 + 1 || c->raised.context < context)
		return NULL;
	return c;
}

/* Type of the function that calls the callbacks for an event. */
typedef void deliverer(const struct mpit_raised *raised, MPI_T_cb_safety context);

static void deliver_next(struct cell *c, MPI_T_cb_safety context, deliverer *deliver)
{
	struct mpit_raised r = c->raised;
	unsigned at = __atomic_load_n(&head, __ATOMIC_RELAXED);

	__atomic_store_n(&head, at + 1, __ATOMIC_RELEASE);
	__atomic_store_n(&c->turn, at / CELLS * 2 + 2, __ATOMIC_RELEASE);
	/* two events raised at the same time may have stored their times in another order than their positions */
	if (r.time < last)
		r.time = last;
	last = r.time;
	deliver(&r, context);
}

void mpit_ordered_deliver(MPI_T_cb_safety context, deliverer *deliver)
{
	/* Checked again after `delivering` is cleared: a thread
	 * that stored an event meanwhile found it set and left. */
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
