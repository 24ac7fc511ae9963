/* SPDX-License-Identifier: BSD-3-Clause */
#include "threads.h"
#include "../access/sort.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

/* Limit of stack bytes read between the stack pointer and the frame of an MPI function; a few KiB are usual. */
#define STACK_BYTES_MAX (UINT64_C(256) << 10)

enum { REGISTERS_MAX = 1024 };

_Static_assert(FN_SENDS_STANDARD == 1 << MDL_STANDARD && FN_SENDS_SYNCHRONOUS == 1 << MDL_SYNCHRONOUS &&
		       FN_SENDS_BUFFERED == 1 << MDL_BUFFERED && FN_SENDS_READY == 1 << MDL_READY,
	       "sends by mode");

/* ---- functions -------------------------------------------------------------------------------------- */

static void classify(struct mpidbg_thread_matches *c)
{
	const struct fn_function *f = fn_find(c->thread->function);
	uint32_t facts = f ? f->facts : 0;

	c->waits = f ? (enum fn_wait)f->wait : FN_LOCAL;
	c->makes = facts & FN_REQUEST ? 0 : facts & FN_MAKES;
	c->kind = !c->thread->function     ? MPIDBG_CALL_NONE
		  : c->makes               ? MPIDBG_CALL_BLOCKING
		  : facts & FN_ONE_REQUEST ? MPIDBG_CALL_WAIT_ONE
		  : facts & FN_REQUESTS    ? MPIDBG_CALL_WAIT_MANY
					   : MPIDBG_CALL_OTHER;
}

/* Could the thread's function have created the operation, or be waiting for it? */
static bool fits(const struct mpidbg_thread_matches *c, const struct mdl_op *op)
{
	if (op->status == MDL_COMPLETE || !op->active)
		return false;
	if (c->kind == MPIDBG_CALL_OTHER)
		return op->internal;
	if (op->internal)
		return false;
	if (c->kind != MPIDBG_CALL_BLOCKING)
		return op->kind == MDL_SEND || op->kind == MDL_RECEIVE || op->kind == MDL_COLLECTIVE;
	if (op->persistent)
		return false;
	switch (op->kind) {
	case MDL_SEND:
		return op->mode == MDL_MODE_UNKNOWN ? c->makes & FN_SENDS : c->makes & (1u << op->mode);
	case MDL_RECEIVE:
		return c->makes & FN_RECEIVES;
	case MDL_PROBE:
		return c->makes & FN_PROBES;
	case MDL_MPROBE:
		return c->makes & (op->status == MDL_PENDING ? FN_MPROBES : FN_OF_MESSAGE);
	default:
		return false;
	}
}

/* ---- words of a stack ------------------------------------------------------------------------------- */

/* Index of the first word >= @p value. */
static size_t lower_bound(const uint64_t *a, size_t n, uint64_t value)
{
	size_t lo = 0;

	while (n) {
		size_t half = n / 2;

		if (a[lo + half] < value) {
			lo += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	return lo;
}

static size_t count_of(const uint64_t *a, size_t n, uint64_t value)
{
	size_t i = lower_bound(a, n, value), count = 0;

	while (i + count < n && a[i + count] == value)
		count++;
	return count;
}

/* Can it be the address of an object outside this stack? */
static bool is_address(const struct mpidbg_thread_matches *c, uint64_t word)
{
	return word >= 4096 && !(word & 7) && (word < c->lo || word >= c->hi);
}

static size_t keep_addresses(struct acc_space *sp, const struct mpidbg_thread_matches *c, const unsigned char *bytes,
			     uint64_t n_bytes, uint64_t *ret)
{
	unsigned width = sp->sizes.pointer_bytes;
	size_t n = 0;

	for (uint64_t at = 0; at + width <= n_bytes; at += width) {
		uint64_t word = acc_decode_u(sp, bytes + at, width);

		if (is_address(c, word))
			ret[n++] = word;
	}
	return n;
}

/* An unreadable stack gives no words; the other evidence remains. */
static enum acc_rc read_words(struct acc_space *sp, struct mpidbg_thread_matches *c, unsigned char *buffer)
{
	uint64_t width = sp->sizes.pointer_bytes, lo = (c->lo + width - 1) / width * width;
	uint64_t bytes = c->hi > lo ? c->hi - lo : 0;
	size_t n_registers = c->thread->registers ? c->thread->n_registers : 0;

	if (n_registers > REGISTERS_MAX)
		n_registers = REGISTERS_MAX;
	if (bytes > STACK_BYTES_MAX)
		bytes = STACK_BYTES_MAX;
	if (bytes && acc_read(sp, lo, (size_t)bytes, buffer))
		bytes = 0;

	/* a separate array, because decoded words would overlap the bytes */
	uint64_t *words = acc_array(sp, bytes / width + n_registers + 1, sizeof(*words));
	if (!words)
		return ACC_ENOMEM;
	c->n_words = keep_addresses(sp, c, buffer, bytes, words);
	for (size_t i = 0; i < n_registers; i++) {
		if (is_address(c, c->thread->registers[i]))
			words[c->n_words++] = c->thread->registers[i];
	}
	c->words = acc_array(sp, c->n_words, sizeof(*words));
	if (c->words)
		memcpy(c->words, words, c->n_words * sizeof(*words));
	acc_array_free(sp, words);
	if (!c->words)
		return ACC_ENOMEM;
	acc_sort(c->words, c->n_words, sizeof(*c->words), acc_compare_u64);
	return ACC_OK;
}

static enum acc_rc read_stacks(struct mpidbg_threads *t)
{
	unsigned char *buffer = acc_array(t->sp, STACK_BYTES_MAX, 1);
	enum acc_rc rc = buffer ? ACC_OK : ACC_ENOMEM;

	for (size_t i = 0; !rc && i < t->n; i++) {
		if (t->matches[i].kind != MPIDBG_CALL_NONE)
			rc = read_words(t->sp, &t->matches[i], buffer);
	}
	acc_array_free(t->sp, buffer);
	return rc;
}

static enum acc_rc take_stacks(struct mpidbg_threads *t)
{
	t->stacks = acc_array(t->sp, t->n_in_mpi, sizeof(*t->stacks));
	if (!t->stacks)
		return ACC_ENOMEM;
	for (size_t i = 0; i < t->n; i++)
		if (t->matches[i].kind != MPIDBG_CALL_NONE && t->matches[i].lo < t->matches[i].hi)
			t->stacks[t->n_stacks++] = (struct rd_stack){ t->matches[i].lo, t->matches[i].hi };
	return ACC_OK;
}

/* ---- init, deinit ------------------------------------------------------------------------------------------- */

enum acc_rc mpidbg_threads_init(struct mpidbg_threads *ret, struct acc_space *sp, const struct mpidbg_thread *threads,
				size_t n)
{
	memset(ret, 0, sizeof(*ret));
	ret->sp = sp;
	if (!threads)
		return ACC_OK;
	ret->given = true;
	ret->matches = acc_array(sp, n, sizeof(*ret->matches));
	if (!ret->matches) {
		memset(ret, 0, sizeof(*ret));
		return ACC_ENOMEM;
	}
	memset(ret->matches, 0, n * sizeof(*ret->matches));
	ret->n = n;
	for (size_t i = 0; i < n; i++) {
		struct mpidbg_thread_matches *c = &ret->matches[i];

		c->thread = &threads[i];
		if (threads[i].stack_lo < threads[i].stack_hi) {
			c->lo = threads[i].stack_lo;
			c->hi = threads[i].stack_hi;
		}
		classify(c);
		ret->n_in_mpi += c->kind != MPIDBG_CALL_NONE;
	}

	enum acc_rc rc = ret->n_in_mpi ? read_stacks(ret) : ACC_OK;
	if (!rc)
		rc = take_stacks(ret);
	if (rc)
		mpidbg_threads_deinit(ret);
	return rc;
}

void mpidbg_threads_deinit(struct mpidbg_threads *t)
{
	for (size_t i = 0; i < t->n; i++) {
		acc_array_free(t->sp, t->matches[i].words);
		acc_array_free(t->sp, t->matches[i].candidates);
		acc_array_free(t->sp, t->matches[i].ids);
		acc_array_free(t->sp, t->matches[i].unseen);
		acc_array_free(t->sp, t->matches[i].arrays);
		acc_array_free(t->sp, t->matches[i].possible);
	}
	if (t->sp) {
		acc_array_free(t->sp, t->stacks);
		acc_array_free(t->sp, t->matches);
	}
	memset(t, 0, sizeof(*t));
}

/* ---- requests that no queue shows -------------------------------------------------------------------- */

/* Maximum number of requests found for one thread, and of words read to find them. */
enum { UNSEEN_MAX = 256, ARRAYS_MAX = 4096, WORDS_READ_MAX = 1 << 16, NULLS_MAX = 4096 };

static void note_request(struct mpidbg_thread_matches *c, uint64_t addr, enum rd_request_is is)
{
	if (is != RD_PENDING_REQUEST)
		return;
	for (size_t i = 0; i < c->n_unseen; i++)
		if (c->unseen[i] == addr)
			return;
	if (c->n_unseen < UNSEEN_MAX)
		c->unseen[c->n_unseen++] = addr;
	else
		c->too_many = true;
}

/*
 * The word is a request, or the address of an array of requests; of MPI_Wait, of one. MPICH's arrays have null
 * pointers, and so does memory that is no array of requests.
 */
static void try_word(struct mpidbg_threads *t, struct rd_process *p, struct mpidbg_thread_matches *c, uint64_t word,
		     uint64_t *n_read)
{
	unsigned width = t->sp->sizes.pointer_bytes;
	enum rd_request_is is = rd_request_at(p, word);
	uint64_t addr, n_nulls = 0;
	bool any = false;

	note_request(c, word, is);
	if (is != RD_NO_REQUEST)
		return;
	for (uint64_t at = word; *n_read < WORDS_READ_MAX && n_nulls < NULLS_MAX; at += width) {
		++*n_read;
		if (acc_read_ptr(t->sp, at, &addr))
			return;
		is = rd_request_at(p, addr);
		if (is == RD_NO_REQUEST)
			return;
		any |= addr != 0;
		n_nulls = addr ? 0 : n_nulls + 1;
		note_request(c, addr, is);
		if (addr && c->n_arrays < ARRAYS_MAX)
			c->arrays[c->n_arrays++] = addr;
		else if (addr)
			c->too_many = true;
		if (c->kind == MPIDBG_CALL_WAIT_ONE)
			return;
	}
	if (!any && *n_read < WORDS_READ_MAX)
		return;
	c->too_many = true;
}

void mpidbg_threads_requests(struct mpidbg_threads *t, struct rd_process *p)
{
	struct acc_note note = t->sp->note;

	for (size_t i = 0; i < t->n; i++) {
		struct mpidbg_thread_matches *c = &t->matches[i];
		bool waits = c->waits == FN_ALL || c->waits == FN_SOME;
		uint64_t n_read = 0;

		if (!waits || (c->kind != MPIDBG_CALL_WAIT_ONE && c->kind != MPIDBG_CALL_WAIT_MANY))
			continue;
		c->unseen = acc_array(t->sp, UNSEEN_MAX, sizeof(*c->unseen));
		c->arrays = acc_array(t->sp, ARRAYS_MAX, sizeof(*c->arrays));
		c->possible = acc_array(t->sp, MPIDBG_CANDIDATES_MAX, sizeof(*c->possible));
		if (!c->unseen || !c->arrays || !c->possible) {
			c->too_many = true;
			continue;
		}
		for (size_t k = 0; k < c->n_words; k++)
			if (!k || c->words[k] != c->words[k - 1])
				try_word(t, p, c, c->words[k], &n_read);
		acc_sort(c->arrays, c->n_arrays, sizeof(*c->arrays), acc_compare_u64);
	}
	t->sp->note = note;
}

/* The operation shows this request. */
static void mark_seen(struct mpidbg_thread_matches *c, uint64_t addr)
{
	for (size_t i = 0; addr && i < c->n_unseen; i++)
		if (c->unseen[i] == addr) {
			c->unseen[i] = c->unseen[--c->n_unseen];
			return;
		}
}

/* ---- evidence --------------------------------------------------------------------------------------- */

static bool inside(const struct mpidbg_thread_matches *c, uint64_t addr)
{
	return addr && addr >= c->lo && addr < c->hi;
}

static bool has_room(struct mpidbg_threads *t, struct mpidbg_thread_matches *c)
{
	if (c->n_candidates < c->cap_candidates)
		return true;
	if (c->cap_candidates == MPIDBG_CANDIDATES_MAX)
		return false;

	size_t cap = c->cap_candidates ? 4 * c->cap_candidates : 16;
	if (cap > MPIDBG_CANDIDATES_MAX)
		cap = MPIDBG_CANDIDATES_MAX;

	struct mpidbg_candidate *more = acc_array(t->sp, cap, sizeof(*more));
	if (!more)
		return false;
	if (c->n_candidates)
		memcpy(more, c->candidates, c->n_candidates * sizeof(*more));
	acc_array_free(t->sp, c->candidates);
	c->candidates = more;
	c->cap_candidates = cap;
	return true;
}

static void add_match(struct mpidbg_threads *t, struct mpidbg_thread_matches *c,
		      const struct mpidbg_candidate *candidate)
{
	if (has_room(t, c))
		c->candidates[c->n_candidates++] = *candidate;
	else
		c->n_more++;
}

/* Only the receive posted last in a communicator can belong to the blocked call. */
static void add_latest(struct mpidbg_threads *t, struct mpidbg_thread_matches *c,
		       const struct mpidbg_candidate *candidate)
{
	struct mpidbg_candidate *last = c->n_candidates ? &c->candidates[c->n_candidates - 1] : NULL;

	if (!last || last->comm_id != candidate->comm_id || last->sequence < 0 || last->send)
		add_match(t, c, candidate);
	else if (candidate->sequence > last->sequence)
		*last = *candidate;
}

static void see(struct mpidbg_threads *t, struct mpidbg_thread_matches *c, const struct mdl_comm *comm,
		const struct mdl_op *op)
{
	struct mpidbg_candidate candidate = {
		.op_addr = op->addr,
		.comm_id = comm->local_of ? comm->local_of : comm->id,
		.send = op->kind == MDL_SEND,
		.n_words = count_of(c->words, c->n_words, op->addr) +
			   (op->persistent_addr ? count_of(c->words, c->n_words, op->persistent_addr) : 0),
		.sequence = op->sequence.known == MDL_KNOWN && op->kind != MDL_SEND ? op->sequence.value : -1,
	};

	if (!fits(c, op))
		return;
	if (inside(c, op->waiter_addr))
		candidate.evidence = MPIDBG_BY_WAITER;
	else if (inside(c, op->addr))
		candidate.evidence = MPIDBG_BY_PLACE;
	else if (candidate.n_words)
		candidate.evidence = MPIDBG_BY_WORD;
	bool in_array = c->n_arrays && (count_of(c->arrays, c->n_arrays, op->addr) ||
					(op->persistent_addr && count_of(c->arrays, c->n_arrays, op->persistent_addr)));
	if (c->possible && (candidate.evidence || in_array)) {
		if (c->n_possible < MPIDBG_CANDIDATES_MAX)
			c->possible[c->n_possible++] = op->addr;
		else
			c->too_many = true;
	}
	if (c->kind == MPIDBG_CALL_BLOCKING && t->serial && candidate.sequence >= 0)
		add_latest(t, c, &candidate);
	else if (candidate.evidence)
		add_match(t, c, &candidate);
}

static bool makes_window(const char *function)
{
	return !strncmp(function, "MPI_Win_create", 14) || !strncmp(function, "MPI_Win_allocate", 16);
}

/* MPI_Intercomm_create has two communicators, and these of windows and files are the library's, once they are made. */
static bool has_one_comm(const char *function)
{
	static const char *const without[] = { "MPI_Win_", "MPI_File_", "MPI_Intercomm_create", "MPI_Init",
					       "MPI_Finalize" };

	if (makes_window(function))
		return true;
	for (size_t i = 0; i < sizeof(without) / sizeof(without[0]); i++)
		if (!strncmp(function, without[i], strlen(without[i])))
			return false;
	return true;
}

void mpidbg_threads_comm(struct mpidbg_threads *t, const struct mdl_comm *comm)
{
	for (size_t i = 0; comm->addr && !comm->internal && !comm->part_of && i < t->n; i++) {
		struct mpidbg_thread_matches *c = &t->matches[i];

		if (c->kind != MPIDBG_CALL_OTHER || !has_one_comm(c->thread->function) ||
		    !count_of(c->words, c->n_words, comm->addr))
			continue;
		if (c->n_given < MPIDBG_GIVEN_MAX)
			c->given[c->n_given] = (struct mpidbg_given){ .comm_id = comm->id };
		c->n_given++;
	}
}

static void note_internal_of_given(struct mpidbg_thread_matches *c, uint64_t comm_id)
{
	for (size_t i = 0; i < c->n_given && i < MPIDBG_GIVEN_MAX; i++)
		c->given[i].internal |= c->given[i].comm_id == comm_id;
}

/* Note the communicators with internal operations of the library. */
static void note_internal(struct mpidbg_threads *t, const struct mdl_comm *comm, const struct mdl_op *op)
{
	bool collective = op->kind == MDL_COLLECTIVE;
	uint64_t id = comm->part_of ? comm->part_of : comm->local_of ? comm->local_of : comm->id;

	if (op->status == MDL_COMPLETE || !op->active || (!collective && !op->internal))
		return;
	t->n_collectives += collective;
	if (collective)
		t->collective_comm_id = comm->id;
	t->internal_comms_differ |= t->internal_comm_id && t->internal_comm_id != id;
	t->internal_comm_id = id;
	for (size_t i = 0; i < t->n; i++)
		note_internal_of_given(&t->matches[i], id);
}

void mpidbg_threads_match(struct mpidbg_threads *t, const struct mdl_comm *comm, const struct mdl_op *op)
{
	note_internal(t, comm, op);
	for (size_t i = 0; i < t->n; i++) {
		mark_seen(&t->matches[i], op->addr);
		mark_seen(&t->matches[i], op->persistent_addr);
		if (t->matches[i].kind != MPIDBG_CALL_NONE)
			see(t, &t->matches[i], comm, op);
	}
}

/* ---- decision --------------------------------------------------------------------------------------- */

static bool better(const struct mpidbg_candidate *a, const struct mpidbg_candidate *b)
{
	if (a->evidence != b->evidence)
		return a->evidence > b->evidence;
	/* both are on the stack: the operation of the blocked call was posted last; sends are numbered
	 * per receiver, so their numbers cannot be compared */
	if (a->comm_id == b->comm_id && a->sequence != b->sequence)
		return a->sequence > b->sequence;
	return a->n_words >= b->n_words;
}

/* The best of the sends, or of the other operations. NULL: none. */
static const struct mpidbg_candidate *best(const struct mpidbg_thread_matches *c, bool send)
{
	const struct mpidbg_candidate *ret = NULL;

	for (size_t i = 0; i < c->n_candidates; i++) {
		if (c->candidates[i].send == send && (!ret || better(&c->candidates[i], ret)))
			ret = &c->candidates[i];
	}
	return ret;
}

static void keep_matches(struct mpidbg_threads *t, struct mpidbg_thread_matches *c, const struct mpidbg_candidate *a,
			 const struct mpidbg_candidate *b)
{
	struct mpidbg_candidate kept[2];
	size_t n = 0;

	if (a)
		kept[n++] = *a;
	if (b)
		kept[n++] = *b;
	c->n_candidates = 0;
	c->n_more = 0;
	for (size_t i = 0; i < n; i++) {
		if (has_room(t, c))
			c->candidates[c->n_candidates++] = kept[i];
	}
}

/*
 * Does another communicator have a receive of which there are as many words? The numbers of receives of two
 * communicators cannot be compared, so it is unknown which one was posted last.
 */
static bool is_ambiguous(const struct mpidbg_thread_matches *c, const struct mpidbg_candidate *chosen)
{
	for (size_t i = 0; i < c->n_candidates; i++) {
		const struct mpidbg_candidate *x = &c->candidates[i];
		if (!x->send && x->comm_id != chosen->comm_id && x->evidence == MPIDBG_BY_WORD &&
		    chosen->evidence == MPIDBG_BY_WORD && x->n_words == chosen->n_words)
			return true;
	}
	return false;
}

static void decide_blocking(struct mpidbg_threads *t, struct mpidbg_thread_matches *c)
{
	const struct mpidbg_candidate *receive = best(c, false);
	size_t n_receives = 0;

	for (size_t i = 0; i < c->n_candidates; i++)
		n_receives += !c->candidates[i].send;
	if (receive && receive->evidence == MPIDBG_BY_NOTHING && n_receives + c->n_more > 1)
		receive = NULL;
	if (receive && is_ambiguous(c, receive))
		receive = NULL;
	keep_matches(t, c, best(c, true), receive);
}

static void decide_wait_one(struct mpidbg_threads *t, struct mpidbg_thread_matches *c)
{
	const struct mpidbg_candidate *send = best(c, true), *receive = best(c, false);

	if (send && receive) {
		if (better(receive, send))
			send = NULL;
		else
			receive = NULL;
	}
	keep_matches(t, c, send, receive);
}

static void decide_wait_many(struct mpidbg_thread_matches *c)
{
	bool waiters = false;
	size_t n = 0;

	for (size_t i = 0; i < c->n_candidates; i++)
		waiters |= c->candidates[i].evidence == MPIDBG_BY_WAITER;
	for (size_t i = 0; i < c->n_candidates; i++) {
		if (!waiters || c->candidates[i].evidence == MPIDBG_BY_WAITER)
			c->candidates[n++] = c->candidates[i];
	}
	c->n_candidates = n;
}

/*
 * Determine the communicator of a collective from internal operations. If a non-blocking collective is in
 * progress, they may be its messages, so they count only if all are of one communicator. In MPICH (has_parts),
 * MPI_Neighbor_alltoall and similar functions are a non-blocking collective and a wait
 * (src/mpi/coll/neighbor_alltoall/neighbor_alltoall_allcomm_nb.c, 3.4 to 5.0): if there is only one non-blocking
 * collective, it is that one.
 */
static void judge_comm(const struct mpidbg_threads *t, struct mpidbg_thread_matches *c)
{
	if (t->has_parts && t->n_collectives == 1 && c->waits == FN_NEIGHBORS) {
		c->comm_known = true;
		c->comm_id = t->collective_comm_id;
	} else if (t->n_collectives && (t->has_parts || t->internal_comms_differ)) {
		c->comm_known = false;
	}
}

/*
 * The only communicator whose address is among the words; of several the one with operations of the library: others may
 * be left over from earlier calls, or be the one that the function makes. A window has a communicator of its own, in
 * which its library may wait, so there the argument counts.
 */
static void judge_given(struct mpidbg_thread_matches *c)
{
	size_t n_internal = 0, last = 0;

	if ((c->comm_known && !(c->n_given == 1 && makes_window(c->thread->function))) || !c->n_given ||
	    c->n_given > MPIDBG_GIVEN_MAX)
		return;
	for (size_t i = 0; i < c->n_given; i++)
		if (c->given[i].internal) {
			n_internal++;
			last = i;
		}
	if (c->n_given > 1 && n_internal != 1)
		return;
	c->comm_known = true;
	c->comm_given = c->n_given == 1;
	c->comm_id = c->given[last].comm_id;
}

/* Set the communicator, if all operations have the same one, and the thread ids. */
static void conclude(struct mpidbg_threads *t, struct mpidbg_thread_matches *c)
{
	c->comm_known = c->n_candidates > 0;
	for (size_t i = 0; i < c->n_candidates; i++) {
		c->comm_known &= c->candidates[i].comm_id == c->candidates[0].comm_id;
		c->comm_id = c->candidates[0].comm_id;
	}
	if (c->kind == MPIDBG_CALL_OTHER) {
		judge_comm(t, c);
		judge_given(c);
		c->n_candidates = 0;
	}
	if (!c->n_candidates)
		return;
	c->ids = acc_array(t->sp, c->n_candidates, sizeof(*c->ids));
	if (!c->ids) {
		c->n_more += c->n_candidates;
		c->n_candidates = 0;
		return;
	}
	for (size_t i = 0; i < c->n_candidates; i++)
		c->ids[i] = c->candidates[i].op_addr;
	acc_sort(c->ids, c->n_candidates, sizeof(*c->ids), acc_compare_u64);
}

/*
 * All requests of MPI_Waitall refer to the thread, or none; those of MPI_Waitany, too, but there one that no queue
 * shows ends the wait.
 */
static void judge_possible(struct mpidbg_thread_matches *c, enum mpidbg_evidence strongest)
{
	bool all = c->kind == MPIDBG_CALL_WAIT_MANY && c->waits == FN_ALL;
	bool certain = strongest > MPIDBG_BY_WORD;

	if (c->possible && !(certain && (all || c->kind == MPIDBG_CALL_WAIT_ONE)))
		c->n_more += c->n_unseen + c->too_many;
	if (certain || (c->n_possible == 1 && c->n_candidates == 1))
		c->n_possible = 0;
	acc_sort(c->possible, c->n_possible, sizeof(*c->possible), acc_compare_u64);
}

void mpidbg_threads_decide(struct mpidbg_threads *t)
{
	for (size_t i = 0; i < t->n; i++) {
		struct mpidbg_thread_matches *c = &t->matches[i];
		enum mpidbg_evidence strongest = MPIDBG_BY_NOTHING;

		for (size_t k = 0; k < c->n_candidates; k++)
			if (c->candidates[k].evidence > strongest)
				strongest = c->candidates[k].evidence;
		switch (c->kind) {
		case MPIDBG_CALL_NONE:
			continue;
		case MPIDBG_CALL_BLOCKING:
			decide_blocking(t, c);
			break;
		case MPIDBG_CALL_WAIT_MANY:
			decide_wait_many(c);
			break;
		default:
			decide_wait_one(t, c);
			break;
		}
		judge_possible(c, strongest);
		conclude(t, c);
	}
}

bool mpidbg_threads_may_wait(const struct mpidbg_threads *t, const struct mdl_op *op)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct mpidbg_thread_matches *c = &t->matches[i];
		if ((c->n_candidates && c->ids && count_of(c->ids, c->n_candidates, op->addr)) ||
		    (c->n_possible && count_of(c->possible, c->n_possible, op->addr)))
			return true;
	}
	return false;
}

struct out_caller mpidbg_threads_caller(const struct mpidbg_threads *t, const struct mdl_op *op)
{
	struct out_caller ret = { .known = t->given };

	/* recorded calls are more reliable than a search of the stacks */
	if (op->call[0])
		return (struct out_caller){ .known = true,
					    .claimed = op->blocking,
					    .thread = (int64_t)op->thread,
					    .function = op->blocking ? op->call : NULL };
	for (size_t i = 0; i < t->n; i++) {
		const struct mpidbg_thread_matches *c = &t->matches[i];

		if (!c->n_candidates || !fits(c, op) || !count_of(c->ids, c->n_candidates, op->addr))
			continue;
		ret.claimed = true;
		ret.thread = c->thread->id;
		if (c->kind == MPIDBG_CALL_BLOCKING)
			ret.function = c->thread->function;
		break;
	}
	return ret;
}
