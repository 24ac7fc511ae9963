/* SPDX-License-Identifier: BSD-3-Clause */
#include "script.h"

#include "../programs/player_functions.h"

#include <check.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 1 << 18, SMALL = 200, LARGE = 1 << 18, MULTIPLE = 3, N_PHASES_MAX = 14 };

/* ---- numbers and lines ------------------------------------------------------------------------------------ */

/* splitmix64, as in the public description of Steele, Lea and Flood */
static uint64_t next_random(struct script *s)
{
	uint64_t z = s->random += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

int script_below(struct script *s, int n)
{
	return (int)(next_random(s) % (uint64_t)n);
}

void script_add(struct script *s, int rank, int thread, const char *format, ...)
{
	va_list ap;

	s->n_text += (size_t)snprintf(s->text + s->n_text, TEXT_MAX - s->n_text, "%d %d ", rank, thread);
	va_start(ap, format);
	s->n_text += (size_t)vsnprintf(s->text + s->n_text, TEXT_MAX - s->n_text, format, ap);
	va_end(ap);
	ck_assert_uint_lt(s->n_text, TEXT_MAX - 2);
	s->text[s->n_text++] = '\n';
	s->text[s->n_text] = '\0';
}

int script_small(struct script *s)
{
	return 4 + 4 * script_below(s, SMALL);
}

int script_large(struct script *s)
{
	return LARGE + 4 * script_below(s, LARGE);
}

static int any_size(struct script *s)
{
	return script_chance(s, 30) ? script_large(s) : script_small(s);
}

/* ---- communicators ---------------------------------------------------------------------------------------- */

struct script_comm *script_comm(struct script *s, int n)
{
	struct script_comm *fit[SCRIPT_COMMS_MAX];
	int n_fit = 0;

	for (int i = 0; i < s->n_comms; i++)
		if (!s->comms[i].ended && !s->comms[i].inter && s->comms[i].n >= n)
			fit[n_fit++] = &s->comms[i];
	return n_fit ? fit[script_below(s, n_fit)] : NULL;
}

struct script_comm *script_new_comm(struct script *s, const struct script_comm *like)
{
	if (s->n_comms == SCRIPT_COMMS_MAX)
		return NULL;
	struct script_comm *c = &s->comms[s->n_comms++];
	*c = *like;
	c->index = s->comm_numbers++;
	c->cart = false;
	return c;
}

struct script_comm *script_dup(struct script *s, const struct script_comm *c)
{
	struct script_comm *new = script_new_comm(s, c);

	for (int i = 0; new &&i < c->n; i++)
		script_member(s, c, i, "dup %d %d", new->index, c->index);
	return new;
}

/* The members of one colour only: the others get another, which the script does not use. */
static void split(struct script *s, const struct script_comm *c)
{
	struct script_comm *new = script_new_comm(s, c);
	int rest = s->comm_numbers++;

	if (!new)
		return;
	new->n = 0;
	for (int i = 0; i < c->n; i++) {
		bool in = script_chance(s, 70) || (new->n == 0 && i == c->n - 1);
		script_member(s, c, i, "split %d %d %d 0", in ? new->index : rest, c->index, in);
		if (in)
			new->ranks[new->n++] = c->ranks[i];
	}
}

static void create(struct script *s, const struct script_comm *c)
{
	struct script_comm *new = script_new_comm(s, c);
	char list[64];
	size_t n_list = 0;

	if (!new)
		return;
	new->n = 0;
	for (int i = c->n - 1; i >= 0; i--)
		if (script_chance(s, 70) || (new->n == 0 && i == 0)) {
			n_list += (size_t)snprintf(list + n_list, sizeof list - n_list, " %d", i);
			new->ranks[new->n++] = c->ranks[i];
		}
	for (int i = 0; i < c->n; i++)
		script_member(s, c, i, "create %d %d%s", new->index, c->index, list);
}

struct script_comm *script_inter(struct script *s, const struct script_comm *c)
{
	struct script_comm *new = script_new_comm(s, c);
	int first = c->n / 2, halves = s->comm_numbers++, tag = s->n_tags++;

	if (!new)
		return NULL;
	for (int i = 0; i < c->n; i++) {
		script_member(s, c, i, "split %d %d %d 0", halves, c->index, i < first);
		script_member(s, c, i, "inter %d %d 0 %d %d %d", new->index, halves, c->index, i < first ? first : 0,
			      tag);
	}
	new->inter = true;
	new->n = first;
	new->n_remote = c->n - first;
	for (int i = first; i < c->n; i++)
		new->remote[i - first] = c->ranks[i];
	return new;
}

struct script_comm *script_cart(struct script *s, const struct script_comm *c)
{
	struct script_comm *new = script_new_comm(s, c);

	for (int i = 0; new &&i < c->n; i++)
		script_member(s, c, i, "cart %d %d", new->index, c->index);
	if (new)
		new->cart = true;
	return new;
}

static void phase_comm(struct script *s)
{
	struct script_comm *c = script_comm(s, 2);

	switch (script_below(s, 6)) {
	case 0:
		split(s, c);
		break;
	case 1:
		create(s, c);
		break;
	case 2:
		script_inter(s, c);
		break;
	case 3:
		script_cart(s, c);
		break;
	default:
		script_dup(s, c);
	}
}

/* ---- messages --------------------------------------------------------------------------------------------- */

/* Later, or now, one way or another. */
static void wait_for(struct script *s, int rank, int thread, int request)
{
	if (s->n_late < SCRIPT_LATE_MAX && script_chance(s, 60)) {
		s->late[s->n_late++] = (struct script_late){ rank, thread, request };
		return;
	}
	if (script_chance(s, 40))
		script_add(s, rank, thread, "test %d %d", request, script_chance(s, 50) ? 0 : 200);
	else
		script_add(s, rank, thread, "wait %d", request);
}

static void wait_for_late(struct script *s, const struct script_late *l, int n)
{
	static const char *const all[] = { "waitall", "waitany", "waitsome", "testall 0", "testall 300" };
	char list[256];
	size_t n_list = 0;

	for (int i = 0; i < n; i++)
		n_list += (size_t)snprintf(list + n_list, sizeof list - n_list, " %d", l[i].request);
	script_add(s, l[0].rank, l[0].thread, "%s%s", all[script_below(s, 5)], list);
}

/* Wait for what a thread has left, or every one at the end of the script or before its threads end. */
static void flush(struct script *s, int only_thread, bool all)
{
	enum { AT_ONCE = 12 };
	struct script_late kept[SCRIPT_LATE_MAX] = { 0 };
	int n_kept = 0;

	for (int r = 0; r < s->n; r++)
		for (int t = 0; t < 2; t++) {
			struct script_late mine[SCRIPT_LATE_MAX];
			int n = 0;
			bool now = (only_thread < 0 || t == only_thread) && (all || script_chance(s, 40));
			for (int i = 0; i < s->n_late; i++)
				if (s->late[i].rank == r && s->late[i].thread == t) {
					if (now)
						mine[n++] = s->late[i];
					else
						kept[n_kept++] = s->late[i];
				}
			for (int i = 0; i < n; i += AT_ONCE)
				wait_for_late(s, mine + i, n - i < AT_ONCE ? n - i : AT_ONCE);
		}
	memcpy(s->late, kept, (size_t)n_kept * sizeof *kept);
	s->n_late = n_kept;
}

static void two_members(struct script *s, const struct script_comm *c, int *a, int *b)
{
	*a = script_below(s, c->n);
	*b = (*a + 1 + script_below(s, c->n - 1)) % c->n;
}

/* One message, sent and received in one of several ways. Its tag is its own, so that MPI_ANY_SOURCE takes no other. */
static void message(struct script *s, const struct script_comm *c, int from, int to)
{
	int tag = s->n_tags++, bytes = any_size(s), c_i = c->index;
	int source = script_chance(s, 25) ? -1 : from;
	int send = script_below(s, 4), receive = script_below(s, 7);

	if (send == 3) {
		int r = s->n_requests++;
		script_member(s, c, from, "isend %d %d %d %d %d %d", r, script_below(s, 2), c_i, to, tag, bytes);
		wait_for(s, c->ranks[from], c->thread, r);
	} else if (send == 2) {
		bytes = script_small(s);
		script_member(s, c, from, "send 2 %d %d %d %d", c_i, to, tag, bytes);
	} else {
		script_member(s, c, from, "send %d %d %d %d %d", send, c_i, to, tag, bytes);
	}
	int r = s->n_requests;
	switch (receive) {
	case 0:
		s->n_requests++;
		script_member(s, c, to, "irecv %d %d %d %d %d", r, c_i, source, tag, bytes);
		wait_for(s, c->ranks[to], c->thread, r);
		break;
	case 1:
		script_member(s, c, to, "probe %d %d %d", c_i, source, tag);
		script_member(s, c, to, "recv %d %d %d %d", c_i, from, tag, bytes);
		break;
	case 2:
		script_member(s, c, to, "iprobe %d %d %d %d", c_i, source, tag, 100 * script_below(s, 20));
		script_member(s, c, to, "recv %d %d %d %d", c_i, from, tag, bytes);
		break;
	case 3:
		script_member(s, c, to, "mprobe %d %d %d %d", c_i, source, tag, bytes);
		break;
	default:
		script_member(s, c, to, "recv %d %d %d %d", c_i, source, tag, bytes);
	}
}

static void phase_messages(struct script *s)
{
	struct script_comm *c = script_comm(s, 2);

	for (int i = 1 + script_below(s, 4); i > 0; i--) {
		int a, b;
		two_members(s, c, &a, &b);
		message(s, c, a, b);
	}
}

static void phase_ring(struct script *s)
{
	struct script_comm *c = script_comm(s, 2);
	int tag = s->n_tags++, bytes = any_size(s);

	for (int i = 0; i < c->n; i++)
		script_member(s, c, i, "sendrecv %d %d %d %d %d %d", c->index, (i + 1) % c->n, tag, bytes,
			      (i + c->n - 1) % c->n, tag);
}

static void phase_persistent(struct script *s)
{
	struct script_comm *c = script_comm(s, 2);
	int a, b, tag = s->n_tags++, bytes = any_size(s), out = s->n_requests++, in = s->n_requests++;

	two_members(s, c, &a, &b);
	script_member(s, c, a, "send_init %d %d %d %d %d %d", out, script_below(s, 2), c->index, b, tag, bytes);
	script_member(s, c, b, "recv_init %d %d %d %d %d", in, c->index, a, tag, bytes);
	for (int i = 1 + script_below(s, 3); i > 0; i--) {
		script_member(s, c, a, "start %d", out);
		script_member(s, c, b, "start %d", in);
		script_member(s, c, a, "wait %d", out);
		script_member(s, c, b, "wait %d", in);
	}
	script_member(s, c, a, "request_free %d", out);
	script_member(s, c, b, "request_free %d", in);
}

/* ---- collectives ------------------------------------------------------------------------------------------ */

int script_function(struct script *s, const struct script_comm *c)
{
	return script_below(s, c->cart ? PLAYER_N_FUNCTIONS : PLAYER_NEIGHBOR_ALLGATHER);
}

static void phase_collective(struct script *s)
{
	struct script_comm *c = script_comm(s, 1);
	int f = script_function(s, c), root = script_below(s, c->n);
	int count = 1 + script_below(s, script_chance(s, 20) ? 20000 : 100);

	if (script_chance(s, 25)) {
		for (int i = 0; i < c->n; i++) {
			int r = s->n_requests++;
			script_member(s, c, i, "icoll %d %d %d %d %d", r, f, c->index, root, count);
			wait_for(s, c->ranks[i], c->thread, r);
		}
		return;
	}
	for (int i = 0; i < c->n; i++)
		script_member(s, c, i, "coll %d %d %d %d", f, c->index, root, count);
}

static void phase_inter_collective(struct script *s)
{
	static const int functions[] = { PLAYER_BARRIER, PLAYER_ALLREDUCE, PLAYER_ALLGATHER, PLAYER_ALLTOALL };
	int f = functions[script_below(s, 4)];

	for (int k = 0; k < s->n_comms; k++) {
		const struct script_comm *c = &s->comms[k];
		if (!c->inter || c->ended)
			continue;
		for (int i = 0; i < c->n; i++)
			script_member(s, c, i, "coll %d %d 0 3", f, c->index);
		for (int i = 0; i < c->n_remote; i++)
			script_add(s, c->remote[i], c->thread, "coll %d %d 0 3", f, c->index);
	}
}

static void phase_traffic(struct script *s)
{
	static const int functions[] = { -1,           PLAYER_BARRIER,  PLAYER_ALLREDUCE,
					 PLAYER_BCAST, PLAYER_ALLTOALL, PLAYER_REDUCE };
	struct script_comm *c = script_comm(s, 2);
	int f = functions[script_below(s, 6)], times = 50 + script_below(s, 400), us = 0;

	if (script_chance(s, 40)) {
		times /= 10;
		us = 1000 * script_below(s, 10);
	}
	for (int i = 0; i < c->n; i++)
		script_member(s, c, i, "traffic %d %d %d %d %d", f, c->index, 1 + script_below(s, 1), times, us);
}

/* ---- windows ---------------------------------------------------------------------------------------------- */

static void phase_window(struct script *s)
{
	struct script_comm *c = script_comm(s, 2);
	int w = s->n_windows++, a, b, way = script_below(s, 3);

	two_members(s, c, &a, &b);
	for (int i = 0; i < c->n; i++)
		script_member(s, c, i, "win %d %d", w, c->index);
	if (way == 0) {
		for (int i = 0; i < c->n; i++)
			script_member(s, c, i, "fence %d", w);
		script_member(s, c, a, "put %d %d", w, b);
		for (int i = 0; i < c->n; i++)
			script_member(s, c, i, "fence %d", w);
	} else if (way == 1) {
		for (int i = 0; i < c->n; i++) {
			script_member(s, c, i, "win_lock %d %d", w, b);
			script_member(s, c, i, "put %d %d", w, b);
			script_member(s, c, i, "win_unlock %d %d", w, b);
		}
	} else {
		script_member(s, c, b, "win_post %d %d", w, a);
		script_member(s, c, a, "win_start %d %d", w, b);
		script_member(s, c, a, "put %d %d", w, b);
		script_member(s, c, a, "win_complete %d", w);
		script_member(s, c, b, "win_wait %d", w);
	}
	for (int i = 0; i < c->n; i++)
		script_member(s, c, i, "win_free %d", w);
}

/* ---- time and threads ------------------------------------------------------------------------------------- */

static void phase_time(struct script *s)
{
	int r = script_below(s, s->n);

	if (script_chance(s, 60))
		script_add(s, r, 0, "sleep %d", 20 + script_below(s, 1000));
	else
		script_add(s, r, 0, "compute %d", 20 + script_below(s, 500));
}

void script_leave(struct script *s, int rank, int thread)
{
	script_add(s, rank, thread, "leave");
	script_add(s, rank, 0, "join %d", thread);
}

static void end_threads(struct script *s)
{
	const struct script_comm *of = &s->comms[s->thread_of_comm];

	flush(s, 1, true);
	for (int i = 0; i < of->n; i++)
		script_leave(s, of->ranks[i], 1);
	for (int i = 0; i < s->n_comms; i++)
		if (s->comms[i].thread == 1)
			s->comms[i].ended = true;
	s->thread_of_comm = -1;
}

/* Second threads that call MPI, or compute; or threads that do nothing. */
static void phase_threads(struct script *s)
{
	int r = script_below(s, s->n), way = script_below(s, 4);

	if (way == 0) {
		script_add(s, r, 0, "pool %d", 1 + script_below(s, 3));
	} else if (way == 1) {
		script_add(s, r, 0, "napper %d", 10000 + 10000 * script_below(s, 20));
	} else if (s->thread_of_comm >= 0) {
		end_threads(s);
	} else if (s->level == MULTIPLE && way == 2) {
		struct script_comm *c = script_comm(s, 2), *new = script_dup(s, c);
		if (!new)
			return;
		for (int i = 0; i < new->n; i++)
			script_add(s, new->ranks[i], 0, "thread 1");
		new->thread = 1;
		s->thread_of_comm = (int)(new - s->comms);
	} else {
		script_add(s, r, 0, "thread 2");
		script_add(s, r, 2, "%s %d", script_chance(s, 50) ? "compute" : "sleep", 100 + script_below(s, 700));
		script_leave(s, r, 2);
	}
}

/* ---- the whole --------------------------------------------------------------------------------------------- */

static void phase(struct script *s)
{
	static const struct {
		int weight;
		void (*add)(struct script *s);
	} phases[] = { { 25, phase_messages },
		       { 8, phase_ring },
		       { 6, phase_persistent },
		       { 25, phase_collective },
		       { 5, phase_inter_collective },
		       { 12, phase_comm },
		       { 12, phase_traffic },
		       { 6, phase_window },
		       { 12, phase_time },
		       { 10, phase_threads } };
	const size_t n = sizeof phases / sizeof phases[0];
	int sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += phases[i].weight;
	int k = script_below(s, sum);
	for (size_t i = 0; i < n; i++) {
		if (k < phases[i].weight) {
			phases[i].add(s);
			return;
		}
		k -= phases[i].weight;
	}
}

static const char *pick_fault(struct script *s)
{
	size_t n = 0;

	while (script_fault_name(n))
		n++;
	return script_chance(s, 35) ? NULL : script_fault_name((size_t)script_below(s, (int)n));
}

void script_make(unsigned seed, bool mpich, const char *fault, struct script *ret)
{
	enum { BUFFER_BYTES = 1 << 20 };
	struct script *s = ret;

	*s = (struct script){ .seed = seed, .mpich = mpich, .fault = "", .random = seed, .thread_of_comm = -1 };
	s->text = calloc(1, TEXT_MAX);
	ck_assert_ptr_nonnull(s->text);
	s->n = 2 + script_below(s, SCRIPT_RANKS_MAX - 1);
	s->level = script_chance(s, 50) ? MULTIPLE : script_below(s, MULTIPLE);
	s->comms[0] = (struct script_comm){ .n = s->n };
	for (int i = 0; i < s->n; i++)
		s->comms[0].ranks[i] = i;
	s->n_comms = s->comm_numbers = 1;
	script_add(s, -1, 0, "level %d", s->level);
	script_add(s, -1, 0, "buffer %d", BUFFER_BYTES);
	const char *name = fault ? fault : pick_fault(s);
	int n_phases = 3 + script_below(s, N_PHASES_MAX - 3), faulty = script_below(s, n_phases);
	for (int i = 0; i < n_phases; i++) {
		if (name && i >= faulty && !s->has_fault) {
			s->has_fault = script_plant(s, name);
			s->fault = s->has_fault ? name : "";
		}
		phase(s);
		flush(s, -1, false);
	}
	if (s->thread_of_comm >= 0)
		end_threads(s);
	flush(s, -1, true);
	ck_assert_int_lt(s->n_requests, SCRIPT_NUMBERS_MAX);
	ck_assert_int_lt(s->n_windows, SCRIPT_WINDOWS_MAX);
}

const char *script_op(const struct script *s, unsigned line)
{
	const char *p = line ? s->text : NULL;

	while (p && --line > 0)
		if ((p = strchr(p, '\n')))
			p++;
	for (int words = 0; p && words < 2; words++)
		if ((p = strchr(p, ' ')))
			p++;
	return p ? p : "";
}

void script_free(struct script *s)
{
	free(s->text);
	*s = (struct script){ 0 };
}
