/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Usage: track_turns serialized | multiple [SEED], with the in-target library
 * Two threads that call MPI in turns, each posting and completing what either has posted, in every way there is. After
 * each step the program compares the live requests of the registry with those it has itself.
 */
#include "registry.h"

#include <pthread.h>

enum { STEPS = 4000, MOST = 400, ARRAY = 64 };

static MPI_Comm self;

/* A message: its receive or its send, or both, are not complete while it is used. */
static struct message {
	int in, out, n_used;
} messages[MOST];

/* What has been posted and is not complete. */
static struct posted {
	MPI_Request request;
	int tag;
	bool is_send, may_share; /* may_share: the handle value of others */
	struct message *message;
} posted[MOST];
static int n_posted, next_tag;

/* The same numbers in each run. */
static uint32_t random_state = 1;

static unsigned random_below(unsigned n)
{
	random_state = random_state * 1664525 + 1013904223;
	return (random_state >> 8) % n;
}

/* ---- the other thread --------------------------------------------------------------------------------- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static void (*step_elsewhere)(void);
static bool no_more;

static void *elsewhere(void *nothing)
{
	pthread_mutex_lock(&lock);
	while (!no_more) {
		if (!step_elsewhere) {
			pthread_cond_wait(&changed, &lock);
			continue;
		}
		step_elsewhere();
		step_elsewhere = NULL;
		pthread_cond_broadcast(&changed);
	}
	pthread_mutex_unlock(&lock);
	return nothing;
}

static void run_elsewhere(void (*step)(void))
{
	pthread_mutex_lock(&lock);
	step_elsewhere = step;
	pthread_cond_broadcast(&changed);
	while (step_elsewhere)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
}

/* ---- steps -------------------------------------------------------------------------------------------- */

/* Receives and the sends that they receive, with oneself; rarely with nobody. */
static void post(void)
{
	int n = 1 + (int)random_below(ARRAY / 2), peer = random_below(8) ? 0 : MPI_PROC_NULL;

	if (n_posted + 2 * n > MOST)
		return;
	struct posted *receives = posted + n_posted, *sends = receives + n;
	struct message *m = messages;
	for (int i = 0; i < n; i++) {
		while (m->n_used)
			m++;
		*m = (struct message){ .in = peer ? next_tag : 0, .out = next_tag, .n_used = 2 };
		receives[i] = (struct posted){ .tag = next_tag++, .message = m, .may_share = peer };
		sends[i] = (struct posted){ .tag = m->out, .message = m, .is_send = true, .may_share = true };
		MPI_Irecv(&m->in, 1, MPI_INT, peer, m->out, self, &receives[i].request);
	}
	for (int i = 0; i < n; i++)
		MPI_Isend(&sends[i].message->out, 1, MPI_INT, peer, sends[i].tag, self, &sends[i].request);
	n_posted += 2 * n;
}

/* Up to ARRAY of them, any or one after the other as they were posted, are taken from those that were posted. */
static struct posted taken[ARRAY];
static MPI_Request array[ARRAY];
static MPI_Status statuses[ARRAY];
static int n_taken;

static void take(int most)
{
	n_taken = 0;
	if (!n_posted)
		return;
	bool any = random_below(2);
	unsigned n = 1 + random_below((unsigned)most);
	for (; n && n_posted; n--) {
		unsigned i = any ? random_below((unsigned)n_posted) : 0;
		taken[n_taken] = posted[i];
		array[n_taken++] = posted[i].request;
		memmove(&posted[i], &posted[i + 1], sizeof *posted * (size_t)(n_posted - 1 - (int)i));
		n_posted--;
	}
}

/* These are complete, except those whose handles are kept: they are still pending. */
static void took(void)
{
	for (int i = 0; i < n_taken; i++) {
		const struct posted *p = &taken[i];
		if (array[i] != MPI_REQUEST_NULL) {
			posted[n_posted++] = *p;
			continue;
		}
		EXPECT(p->is_send || p->message->in == p->tag);
		p->message->n_used--;
	}
}

static void wait_all(void)
{
	take(ARRAY);
	MPI_Waitall(n_taken, array, statuses);
	took();
}

/* All there are, if they are few enough: of one thread, or of both. */
static void wait_for_all(void)
{
	do {
		n_taken = 0;
		for (; n_taken < ARRAY && n_posted; n_taken++) {
			taken[n_taken] = posted[--n_posted];
			array[n_taken] = taken[n_taken].request;
		}
		MPI_Waitall(n_taken, array, statuses);
		took();
	} while (n_posted);
}

static void test_all(void)
{
	int flag;

	take(ARRAY);
	MPI_Testall(n_taken, array, &flag, statuses);
	took();
}

static void wait_one(void)
{
	take(1);
	if (n_taken)
		MPI_Wait(&array[0], &statuses[0]);
	took();
}

static void test_one(void)
{
	int flag;

	take(1);
	if (n_taken)
		MPI_Test(&array[0], &flag, &statuses[0]);
	took();
}

static void wait_any(void)
{
	int index;

	take(ARRAY);
	MPI_Waitany(n_taken, array, &index, &statuses[0]);
	took();
}

static void test_some(void)
{
	int n, indices[ARRAY];

	take(ARRAY);
	MPI_Testsome(n_taken, array, &n, indices, statuses);
	took();
}

/* No rank waits for the sends. */
static void free_one(void)
{
	take(1);
	if (n_taken && taken[0].is_send)
		MPI_Request_free(&array[0]);
	took();
}

static void (*const steps[])(void) = { wait_all, wait_for_all, test_all,  wait_one,
				       test_one, wait_any,     test_some, free_one };

static void (*any_step(void))(void)
{
	return steps[random_below(sizeof steps / sizeof *steps)];
}

/* ---- the comparison ----------------------------------------------------------------------------------- */

/* With one handle value for several messages, as those that are complete when they are sent have it, one
 * is as another. */
static void compare(void)
{
	const struct trk_request *r;

	EXPECT_IS(registry_n_requests(), n_posted);
	for (int i = 0; i < n_posted; i += 1 + n_posted / 10) {
		int n = 0;
		for (int k = 0; k < n_posted; k++)
			n += posted[k].request == posted[i].request;
		EXPECT_IS(registry_requests(BITS(posted[i].request), TRK_LIVE, 0, &r), n);
		EXPECT(posted[i].may_share || (n == 1 && r && r->tag == posted[i].tag));
	}
}

static int n_steps[2];

static void do_step(unsigned thread, void (*step)(void))
{
	if (thread)
		run_elsewhere(step);
	else
		step();
	n_steps[thread]++;
	compare();
}

int main(int argc, char **argv)
{
	int level = argc > 1 && !strcmp(argv[1], "multiple") ? MPI_THREAD_MULTIPLE : MPI_THREAD_SERIALIZED;
	int provided;
	pthread_t other;

	if (argc > 2)
		random_state = (uint32_t)atoi(argv[2]);
	MPI_Init_thread(&argc, &argv, level, &provided);
	registry_open();
	EXPECT(provided >= level);
	MPI_Comm_dup(MPI_COMM_SELF, &self);
	EXPECT_IS(pthread_create(&other, NULL, elsewhere, NULL), 0);
	for (int i = 0; i < STEPS;) {
		/* For a while one thread posts and one, that or the other, completes, mostly all at once or mostly in
		 * one other way. */
		unsigned poster = random_below(4) == 0, completer = random_below(3) == 0 ? !poster : poster;
		bool at_once = random_below(2);
		void (*usual)(void) = at_once ? wait_for_all : any_step();
		for (unsigned n = 1 + random_below(at_once ? 100 : 20); n && i < STEPS; n--, i++) {
			do_step(poster, post);
			do_step(completer, random_below(30) ? usual : at_once ? any_step() : wait_for_all);
		}
	}
	wait_for_all();
	compare();
	EXPECT_IS(n_posted, 0);
	EXPECT_IS(registry_slab(TRK_REQUEST)->n_dropped, 0);
	printf("%d and %d steps\n", n_steps[0], n_steps[1]);
	EXPECT(n_steps[0] > 500 && n_steps[1] > 500);
	pthread_mutex_lock(&lock);
	no_more = true;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	pthread_join(other, NULL);
	MPI_Comm_free(&self);
	MPI_Finalize();
	return registry_close();
}
