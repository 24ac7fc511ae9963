/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The faults that are planted in scripts. What they lead to depends on the MPI library and on the phases that follow:
 * the test takes from the progress of the threads whether they hang.
 */
#include "script.h"

#include "../programs/player_functions.h"

#include <string.h>

/* A communicator of at least n members, two of these, a tag and a small size. */
struct place {
	struct script_comm *c;
	int a, b, tag, bytes;
};

static bool place(struct script *s, int n, struct place *ret)
{
	struct script_comm *c = script_comm(s, n);

	if (!c)
		return false;
	ret->c = c;
	ret->a = script_below(s, c->n);
	ret->b = c->n > 1 ? (ret->a + 1 + script_below(s, c->n - 1)) % c->n : ret->a;
	ret->tag = s->n_tags;
	ret->bytes = script_small(s);
	s->n_tags += 2;
	return true;
}

/* ---- messages --------------------------------------------------------------------------------------------- */

static bool receive_tag(struct script *s)
{
	struct place p;

	if (!place(s, 2, &p))
		return false;
	script_member(s, p.c, p.a, "send %d %d %d %d %d", script_below(s, 2), p.c->index, p.b, p.tag, p.bytes);
	script_member(s, p.c, p.b, "recv %d %d %d %d", p.c->index, p.a, p.tag + 1, p.bytes);
	return true;
}

static bool receive_source(struct script *s)
{
	struct place p;

	if (!place(s, 3, &p))
		return false;
	int other = 0;
	while (other == p.a || other == p.b)
		other++;
	script_member(s, p.c, p.a, "send %d %d %d %d %d", script_below(s, 2), p.c->index, p.b, p.tag, p.bytes);
	script_member(s, p.c, p.b, "recv %d %d %d %d", p.c->index, other, p.tag, p.bytes);
	return true;
}

static bool receive_comm(struct script *s)
{
	struct place p;

	if (!place(s, 2, &p))
		return false;
	const struct script_comm *other = script_dup(s, p.c);
	if (!other)
		return false;
	script_member(s, p.c, p.a, "send %d %d %d %d %d", script_below(s, 2), p.c->index, p.b, p.tag, p.bytes);
	script_member(s, p.c, p.b, "recv %d %d %d %d", other->index, p.a, p.tag, p.bytes);
	return true;
}

static bool no_send(struct script *s)
{
	struct place p;

	if (!place(s, 2, &p))
		return false;
	script_member(s, p.c, p.b, "recv %d %d %d %d", p.c->index, script_chance(s, 30) ? -1 : p.a, p.tag, p.bytes);
	return true;
}

static bool no_receive(struct script *s)
{
	struct place p;

	if (!place(s, 2, &p))
		return false;
	bool large = script_chance(s, 50);
	script_member(s, p.c, p.b, "send %d %d %d %d %d", !large, p.c->index, p.a, p.tag,
		      large ? script_large(s) : p.bytes);
	return true;
}

static bool send_self(struct script *s)
{
	struct place p;

	if (!place(s, 1, &p))
		return false;
	script_member(s, p.c, p.a, "send 1 %d %d %d %d", p.c->index, p.a, p.tag, p.bytes);
	return true;
}

/* way: 0 receives, 1 sends, 2 both with the wrong neighbour, 3 waits for a request */
static bool cycle(struct script *s, int way)
{
	struct place p;

	if (!place(s, way == 2 ? 3 : 2, &p))
		return false;
	for (int i = 0; i < p.c->n; i++) {
		int right = (i + 1) % p.c->n, left = (i + p.c->n - 1) % p.c->n, r = s->n_requests;
		if (way == 0) {
			script_member(s, p.c, i, "recv %d %d %d %d", p.c->index, left, p.tag, p.bytes);
			script_member(s, p.c, i, "send 0 %d %d %d %d", p.c->index, right, p.tag, p.bytes);
		} else if (way == 1) {
			script_member(s, p.c, i, "send 1 %d %d %d %d", p.c->index, right, p.tag, p.bytes);
			script_member(s, p.c, i, "recv %d %d %d %d", p.c->index, left, p.tag, p.bytes);
		} else if (way == 2) {
			script_member(s, p.c, i, "sendrecv %d %d %d %d %d %d", p.c->index, right, p.tag, p.bytes, right,
				      p.tag);
		} else {
			s->n_requests++;
			script_member(s, p.c, i, "irecv %d %d %d %d %d", r, p.c->index, left, p.tag, p.bytes);
			script_member(s, p.c, i, "wait %d", r);
			script_member(s, p.c, i, "send 0 %d %d %d %d", p.c->index, right, p.tag, p.bytes);
		}
	}
	return true;
}

static bool cycle_receive(struct script *s)
{
	return cycle(s, 0);
}

static bool cycle_send(struct script *s)
{
	return cycle(s, 1);
}

static bool cycle_sendrecv(struct script *s)
{
	return cycle(s, 2);
}

static bool cycle_wait(struct script *s)
{
	return cycle(s, 3);
}

/* Two requests, of which one is never fulfilled. */
static bool wait_missing(struct script *s)
{
	static const char *const ways[] = { "waitall", "waitany", "waitsome", "testall 200", "testall 0" };
	struct place p;

	if (!place(s, 2, &p))
		return false;
	int r = s->n_requests;
	s->n_requests += 2;
	script_member(s, p.c, p.a, "send 0 %d %d %d %d", p.c->index, p.b, p.tag, p.bytes);
	script_member(s, p.c, p.b, "irecv %d %d %d %d %d", r, p.c->index, p.a, p.tag, p.bytes);
	script_member(s, p.c, p.b, "irecv %d %d %d %d %d", r + 1, p.c->index, p.a, p.tag + 1, p.bytes);
	script_member(s, p.c, p.b, "%s %d %d", ways[script_below(s, 5)], r, r + 1);
	return true;
}

static bool persistent_missing(struct script *s)
{
	struct place p;

	if (!place(s, 2, &p))
		return false;
	int r = s->n_requests++;
	if (script_chance(s, 50))
		script_member(s, p.c, p.b, "recv_init %d %d %d %d %d", r, p.c->index, p.a, p.tag, p.bytes);
	else
		script_member(s, p.c, p.b, "send_init %d 1 %d %d %d %d", r, p.c->index, p.a, p.tag, p.bytes);
	script_member(s, p.c, p.b, "start %d", r);
	script_member(s, p.c, p.b, "wait %d", r);
	return true;
}

static bool poll_missing(struct script *s)
{
	struct place p;

	if (!place(s, 2, &p))
		return false;
	int r = s->n_requests++, us = 100 * script_below(s, 30);
	if (script_chance(s, 50)) {
		script_member(s, p.c, p.b, "irecv %d %d %d %d %d", r, p.c->index, p.a, p.tag, p.bytes);
		script_member(s, p.c, p.b, "test %d %d", r, us);
	} else {
		script_member(s, p.c, p.b, "iprobe %d %d %d %d", p.c->index, p.a, p.tag, us);
	}
	return true;
}

static bool probe_missing(struct script *s)
{
	struct place p;

	if (!place(s, 2, &p))
		return false;
	script_member(s, p.c, p.a, "send 0 %d %d %d %d", p.c->index, p.b, p.tag + 1, p.bytes);
	if (script_chance(s, 50))
		script_member(s, p.c, p.b, "probe %d %d %d", p.c->index, p.a, p.tag);
	else
		script_member(s, p.c, p.b, "mprobe %d %d %d %d", p.c->index, p.a, p.tag, p.bytes);
	return true;
}

/* ---- collectives ------------------------------------------------------------------------------------------ */

/* All but one call it. The one goes on with the next phase; at the end it is in MPI_Finalize. */
static bool collective_missing(struct script *s)
{
	struct place p;

	if (!place(s, 2, &p))
		return false;
	int f = script_function(s, p.c);
	for (int i = 0; i < p.c->n; i++)
		if (i != p.a)
			script_member(s, p.c, i, "coll %d %d %d 3", f, p.c->index, p.a);
	return true;
}

static bool collectives_differ(struct script *s)
{
	struct place p;

	if (!place(s, 2, &p))
		return false;
	int f = script_function(s, p.c), g = script_function(s, p.c);
	for (int i = 0; i < p.c->n; i++)
		script_member(s, p.c, i, "coll %d %d 0 3", i == p.a ? g : f, p.c->index);
	return true;
}

static bool roots_differ(struct script *s)
{
	static const int functions[] = { PLAYER_BCAST, PLAYER_SCATTER, PLAYER_REDUCE, PLAYER_GATHER };
	struct place p;

	if (!place(s, 2, &p))
		return false;
	int f = functions[script_below(s, 4)];
	for (int i = 0; i < p.c->n; i++)
		script_member(s, p.c, i, "coll %d %d %d 3", f, p.c->index, i == p.a ? p.a : p.b);
	return true;
}

static bool orders_differ(struct script *s)
{
	struct place p;

	if (!place(s, 2, &p))
		return false;
	const struct script_comm *other = script_dup(s, p.c);
	if (!other)
		return false;
	int f = script_function(s, other);
	for (int i = 0; i < p.c->n; i++) {
		bool first = i == p.a;
		script_member(s, p.c, i, "coll %d %d 0 3", f, first ? p.c->index : other->index);
		script_member(s, p.c, i, "coll %d %d 0 3", f, first ? other->index : p.c->index);
	}
	return true;
}

static bool nonblocking_differ(struct script *s)
{
	struct place p;

	if (!place(s, 2, &p))
		return false;
	int f = script_function(s, p.c), g = script_function(s, p.c), r = s->n_requests++;
	for (int i = 0; i < p.c->n; i++) {
		script_member(s, p.c, i, "icoll %d %d %d 0 3", r, i == p.a ? g : f, p.c->index);
		script_member(s, p.c, i, "wait %d", r);
	}
	return true;
}

/* MPI_Barrier against MPI_Ibarrier: they do not match. */
static bool blocking_differ(struct script *s)
{
	struct place p;

	if (!place(s, 2, &p))
		return false;
	int f = script_function(s, p.c), r = s->n_requests++;
	for (int i = 0; i < p.c->n; i++)
		if (i == p.a) {
			script_member(s, p.c, i, "icoll %d %d %d 0 3", r, f, p.c->index);
			script_member(s, p.c, i, "wait %d", r);
		} else {
			script_member(s, p.c, i, "coll %d %d 0 3", f, p.c->index);
		}
	return true;
}

/* One waits for a message of another, which waits for it in a collective. */
static bool collective_and_message(struct script *s)
{
	struct place p;

	if (!place(s, 2, &p))
		return false;
	int f = script_function(s, p.c);
	script_member(s, p.c, p.a, "recv %d %d %d %d", p.c->index, p.b, p.tag, p.bytes);
	for (int i = 0; i < p.c->n; i++)
		script_member(s, p.c, i, "coll %d %d 0 3", f, p.c->index);
	script_member(s, p.c, p.b, "send 0 %d %d %d %d", p.c->index, p.a, p.tag, p.bytes);
	return true;
}

static bool neighbours_missing(struct script *s)
{
	struct place p;

	if (!place(s, 2, &p))
		return false;
	const struct script_comm *ring = script_cart(s, p.c);
	if (!ring)
		return false;
	int f = script_chance(s, 50) ? PLAYER_NEIGHBOR_ALLGATHER : PLAYER_NEIGHBOR_ALLTOALL;
	for (int i = 0; i < p.c->n; i++)
		if (i != p.a)
			script_member(s, ring, i, "coll %d %d 0 3", f, ring->index);
	return true;
}

static bool inter_missing(struct script *s)
{
	static const int functions[] = { PLAYER_BARRIER, PLAYER_ALLREDUCE, PLAYER_ALLGATHER };
	struct place p;

	if (!place(s, 2, &p))
		return false;
	const struct script_comm *inter = script_inter(s, p.c);
	if (!inter)
		return false;
	int f = functions[script_below(s, 3)];
	for (int i = 0; i < p.c->n; i++)
		if (i != p.a)
			script_member(s, p.c, i, "coll %d %d 0 3", f, inter->index);
	return true;
}

/* ---- communicators ---------------------------------------------------------------------------------------- */

static bool making_missing(struct script *s)
{
	struct place p;
	int way = script_below(s, 3), n = s->comm_numbers++;

	if (!place(s, 2, &p))
		return false;
	for (int i = 0; i < p.c->n; i++)
		if (i != p.a && way == 0)
			script_member(s, p.c, i, "dup %d %d", n, p.c->index);
		else if (i != p.a && way == 1)
			script_member(s, p.c, i, "split %d %d 0 0", n, p.c->index);
		else if (i != p.a)
			script_member(s, p.c, i, "create %d %d 0", n, p.c->index);
	return true;
}

static bool making_orders_differ(struct script *s)
{
	struct place p;

	if (!place(s, 2, &p))
		return false;
	const struct script_comm *other = script_dup(s, p.c);
	int n = s->comm_numbers;
	if (!other)
		return false;
	s->comm_numbers += 2;
	for (int i = 0; i < p.c->n; i++) {
		bool first = i == p.a;
		script_member(s, p.c, i, "dup %d %d", n, first ? p.c->index : other->index);
		script_member(s, p.c, i, "dup %d %d", n + 1, first ? other->index : p.c->index);
	}
	return true;
}

static bool inter_tags_differ(struct script *s)
{
	struct place p;

	if (!place(s, 2, &p))
		return false;
	int n = s->comm_numbers, first = p.c->n / 2;
	s->comm_numbers += 2;
	for (int i = 0; i < p.c->n; i++) {
		script_member(s, p.c, i, "split %d %d %d 0", n, p.c->index, i < first);
		script_member(s, p.c, i, "inter %d %d 0 %d %d %d", n + 1, n, p.c->index, i < first ? first : 0,
			      p.tag + (i < first));
	}
	return true;
}

/* ---- windows ---------------------------------------------------------------------------------------------- */

static bool window_fault(struct script *s)
{
	struct place p;

	if (!place(s, 2, &p))
		return false;
	int w = s->n_windows++, way = script_below(s, 3);
	for (int i = 0; i < p.c->n; i++)
		script_member(s, p.c, i, "win %d %d", w, p.c->index);
	if (way == 0) {
		for (int i = 0; i < p.c->n; i++)
			if (i != p.a)
				script_member(s, p.c, i, "fence %d", w);
	} else if (way == 1) {
		/* a waits for a message while it has the lock; b, which would send it, waits for the lock */
		script_member(s, p.c, p.a, "win_lock %d %d", w, p.a);
		script_member(s, p.c, p.a, "put %d %d", w, p.a);
		for (int i = 0; i < p.c->n; i++)
			script_member(s, p.c, i, "coll %d %d 0 1", PLAYER_BARRIER, p.c->index);
		script_member(s, p.c, p.a, "recv %d %d %d %d", p.c->index, p.b, p.tag, p.bytes);
		script_member(s, p.c, p.b, "win_lock %d %d", w, p.a);
		script_member(s, p.c, p.b, "put %d %d", w, p.a);
		script_member(s, p.c, p.b, "win_unlock %d %d", w, p.a);
		script_member(s, p.c, p.b, "send 0 %d %d %d %d", p.c->index, p.a, p.tag, p.bytes);
		script_member(s, p.c, p.a, "win_unlock %d %d", w, p.a);
	} else {
		script_member(s, p.c, p.b, "win_start %d %d", w, p.a);
		script_member(s, p.c, p.b, "put %d %d", w, p.a);
		script_member(s, p.c, p.b, "win_complete %d", w);
	}
	for (int i = 0; i < p.c->n; i++)
		script_member(s, p.c, i, "win_free %d", w);
	return true;
}

/* ---- threads, ends ---------------------------------------------------------------------------------------- */

/* The first thread joins one that receives what nobody sends. */
static bool join_receiver(struct script *s)
{
	struct place p;

	if (s->level != 3 || !place(s, 2, &p))
		return false;
	int r = p.c->ranks[p.b];
	script_add(s, r, 0, "thread 3");
	script_add(s, r, 3, "recv %d %d %d %d", p.c->index, p.a, p.tag, p.bytes);
	script_leave(s, r, 3);
	return true;
}

/* A thread receives while it has a mutex, which the first thread needs before it would send. */
static bool mutex_receiver(struct script *s)
{
	struct place p;

	if (s->level != 3 || !place(s, 2, &p) || p.c->thread)
		return false;
	int a = p.c->ranks[p.a], b = p.c->ranks[p.b];
	script_add(s, b, 0, "thread 3");
	script_add(s, b, 3, "lock 0");
	script_add(s, b, 3, "send 0 %d %d %d %d", p.c->index, p.b, p.tag + 1, p.bytes);
	script_add(s, b, 3, "recv %d %d %d %d", p.c->index, p.a, p.tag, p.bytes);
	script_add(s, b, 3, "unlock 0");
	script_add(s, b, 0, "recv %d %d %d %d", p.c->index, p.b, p.tag + 1, p.bytes);
	script_add(s, b, 0, "lock 0");
	script_add(s, b, 0, "send 0 %d %d %d %d", p.c->index, p.a, p.tag, p.bytes);
	script_add(s, a, 0, "recv %d %d %d %d", p.c->index, p.b, p.tag, p.bytes);
	script_add(s, a, 0, "send 0 %d %d %d %d", p.c->index, p.b, p.tag, p.bytes);
	script_leave(s, b, 3);
	return true;
}

static bool rank_pauses(struct script *s)
{
	script_add(s, script_below(s, s->n), 0, "pause");
	return true;
}

static bool rank_computes(struct script *s)
{
	script_add(s, script_below(s, s->n), 0, "compute -1");
	return true;
}

static bool rank_stops(struct script *s)
{
	script_add(s, script_below(s, s->n), 0, "stop");
	return true;
}

static bool worker_computes(struct script *s)
{
	int r = script_below(s, s->n);

	script_add(s, r, 0, "thread 3");
	script_add(s, r, 3, "compute -1");
	script_leave(s, r, 3);
	return true;
}

static bool rank_ends(struct script *s)
{
	script_add(s, script_below(s, s->n), 0, "end");
	return true;
}

/* ---- all of them ------------------------------------------------------------------------------------------ */

static const struct {
	const char *name;
	bool (*plant)(struct script *s);
	enum script_effect effect;
} faults[] = { { "receive_tag", receive_tag, SCRIPT_HANGS },
	       { "receive_source", receive_source, SCRIPT_HANGS },
	       { "receive_comm", receive_comm, SCRIPT_HANGS },
	       { "no_send", no_send, SCRIPT_HANGS },
	       { "no_receive", no_receive, SCRIPT_HANGS },
	       { "send_self", send_self, SCRIPT_HANGS },
	       { "cycle_receive", cycle_receive, SCRIPT_HANGS },
	       { "cycle_send", cycle_send, SCRIPT_HANGS },
	       { "cycle_sendrecv", cycle_sendrecv, SCRIPT_HANGS },
	       { "cycle_wait", cycle_wait, SCRIPT_HANGS },
	       { "wait_missing", wait_missing, SCRIPT_HANGS },
	       { "persistent_missing", persistent_missing, SCRIPT_HANGS },
	       { "poll_missing", poll_missing, SCRIPT_HANGS },
	       { "probe_missing", probe_missing, SCRIPT_HANGS },
	       { "collective_missing", collective_missing, SCRIPT_HANGS },
	       { "collectives_differ", collectives_differ, SCRIPT_HANGS },
	       { "roots_differ", roots_differ, SCRIPT_HANGS },
	       { "orders_differ", orders_differ, SCRIPT_HANGS },
	       { "nonblocking_differ", nonblocking_differ, SCRIPT_HANGS },
	       { "blocking_differ", blocking_differ, SCRIPT_HANGS },
	       { "collective_and_message", collective_and_message, SCRIPT_HANGS },
	       { "neighbours_missing", neighbours_missing, SCRIPT_HANGS },
	       { "inter_missing", inter_missing, SCRIPT_HANGS },
	       { "making_missing", making_missing, SCRIPT_HANGS },
	       { "making_orders_differ", making_orders_differ, SCRIPT_HANGS },
	       { "inter_tags_differ", inter_tags_differ, SCRIPT_HANGS },
	       { "window_fault", window_fault, SCRIPT_HANGS },
	       { "join_receiver", join_receiver, SCRIPT_HANGS },
	       { "mutex_receiver", mutex_receiver, SCRIPT_HANGS },
	       { "rank_pauses", rank_pauses, SCRIPT_HANGS },
	       { "rank_ends", rank_ends, SCRIPT_HANGS },
	       { "rank_computes", rank_computes, SCRIPT_RUNS },
	       { "worker_computes", worker_computes, SCRIPT_RUNS },
	       { "rank_stops", rank_stops, SCRIPT_RUNS } };

const char *script_fault_name(size_t i)
{
	return i < sizeof faults / sizeof faults[0] ? faults[i].name : NULL;
}

bool script_plant(struct script *s, const char *name)
{
	for (size_t i = 0; script_fault_name(i); i++)
		if (!strcmp(faults[i].name, name) && faults[i].plant(s)) {
			s->effect = faults[i].effect;
			return true;
		}
	return false;
}
