/* SPDX-License-Identifier: BSD-3-Clause */
/* Thread slots, and the slow path into a call. */
#include "threads.h"

#include "head.h"
#include "request_snapshot.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

struct trk_thread trk_threads[TRK_THREADS];
__thread struct m2d_thread m2d_thread __attribute__((tls_model("initial-exec")));

static struct trk_registry *registry;
static pthread_key_t at_exit_key;
static bool has_key;

void trk_drop_frames(struct trk_thread *s, uint32_t depth)
{
	uint32_t was = trk_depth(s);

	for (uint32_t i = depth; i < TRK_FRAMES && i < was; i++) {
		TRK_PUT(s->frames[i].since, 0);
		TRK_COUNT(s->n_calls);
	}
	trk_order();
	trk_set_depth(s, depth);
}

/* A thread ends. Its destructors may call MPI again: then it claims a slot again, and this function is called again. */
static void thread_ends(void *slot)
{
	struct trk_thread *s = slot;

	if (m2d_thread.slot != s)
		return;
	m2d_thread.program_bytes = 0;
	m2d_thread.slot = NULL;
	m2d_thread.last = NULL;
	trk_snapshot_thread_ends();
	trk_drop_frames(s, 0);
	TRK_PUT(s->error, 0);
	__atomic_store_n(&s->tid, 0, __ATOMIC_RELEASE);
}

/* A forked child has one thread, with another thread ID. */
static void after_fork(void)
{
	struct trk_thread *own = m2d_thread.slot;

	for (size_t i = 0; i < TRK_THREADS; i++) {
		if (&trk_threads[i] == own || !trk_threads[i].tid)
			continue;
		trk_drop_frames(&trk_threads[i], 0);
		trk_threads[i].tid = 0;
	}
	if (own)
		own->tid = (uint32_t)syscall(SYS_gettid);
}

__attribute__((constructor)) static void prepare(void)
{
	has_key = pthread_key_create(&at_exit_key, thread_ends) == 0;
	pthread_atfork(NULL, NULL, after_fork);
}

static bool try_claim(size_t i, uint32_t tid)
{
	uint32_t none = 0;

	return __atomic_load_n(&trk_threads[i].tid, __ATOMIC_RELAXED) == 0 &&
	       __atomic_compare_exchange_n(&trk_threads[i].tid, &none, tid, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

/* Release the slots of threads that have ended unnoticed (when no pthread key was left). */
static void reap(void)
{
	pid_t pid = getpid();

	for (size_t i = 0; i < TRK_THREADS; i++) {
		uint32_t tid = __atomic_load_n(&trk_threads[i].tid, __ATOMIC_RELAXED);
		if (!tid || syscall(SYS_tgkill, pid, (pid_t)tid, 0) == 0 || errno != ESRCH)
			continue;
		/* UINT32_MAX: no thread claims or reaps the slot until it has been cleaned up */
		if (!__atomic_compare_exchange_n(&trk_threads[i].tid, &tid, UINT32_MAX, false, __ATOMIC_ACQUIRE,
						 __ATOMIC_RELAXED))
			continue;
		trk_drop_frames(&trk_threads[i], 0);
		__atomic_store_n(&trk_threads[i].tid, 0, __ATOMIC_RELEASE);
	}
}

/* Slots up to number n have been used. Before the registry exists, trk_threads_publish() finds them. */
static void raise_high_mark(uint32_t n)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	struct trk_registry *r = __atomic_load_n(&registry, __ATOMIC_ACQUIRE);
	uint32_t high = r ? __atomic_load_n(&r->n_threads, __ATOMIC_RELAXED) : UINT32_MAX;

	while (high < n &&
	       !__atomic_compare_exchange_n(&r->n_threads, &high, n, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
}

void trk_threads_publish(struct trk_registry *r)
{
	r->threads = (uintptr_t)trk_threads;
	r->threads_capacity = TRK_THREADS;
	r->thread_bytes = sizeof(struct trk_thread);
	__atomic_store_n(&registry, r, __ATOMIC_RELEASE);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	/* constructors of the program's libraries may have called MPI before ours ran */
	for (uint32_t i = TRK_THREADS; i > 0; i--) {
		if (!__atomic_load_n(&trk_threads[i - 1].tid, __ATOMIC_RELAXED))
			continue;
		raise_high_mark(i);
		break;
	}
}

static void claim(struct m2d_thread *t)
{
	uint32_t tid = (uint32_t)syscall(SYS_gettid);

	for (int turn = 0; turn < 2; turn++) {
		for (size_t i = 0; i < TRK_THREADS; i++) {
			if (!try_claim(i, tid))
				continue;
			trk_drop_frames(&trk_threads[i], 0);
			t->number = (unsigned)i;
			t->slot = &trk_threads[i];
			trk_snapshot_thread_begins(t->number);
			raise_high_mark((uint32_t)i + 1);
			if (has_key)
				pthread_setspecific(at_exit_key, t->slot);
			return;
		}
		if (turn == 0)
			reap();
	}
	t->own.tid = tid;
	t->number = TRK_THREADS;
	t->slot = &t->own;
	struct trk_registry *r = __atomic_load_n(&registry, __ATOMIC_ACQUIRE);
	if (r)
		__atomic_fetch_add(&r->n_threads_dropped, 1, __ATOMIC_RELAXED);
}

/*
 * Was this call left by longjmp or an exception? Then the stack is shorter now, or has been overwritten. Two places are
 * checked: the return address of our wrapper, and the address of a call inside the wrapper's own code in the frame
 * below. The stack may be unmapped (a coroutine's), so it is read through the kernel.
 */
static bool was_abandoned(const struct trk_frame *f, const void *now)
{
	enum { BELOW = 192 }; /* in words; the frame of a wrapper with a snapshot of handles is smaller */
	uintptr_t words[BELOW + 1];

	if (!f->frame)
		return false;
	if ((uintptr_t)now >= f->frame)
		return true;
	size_t n = (f->frame - (uintptr_t)now) / sizeof(words[0]);
	n = n > BELOW ? BELOW : n;
	size_t bytes = (n + 1) * sizeof(words[0]);
	struct iovec to = { .iov_base = words, .iov_len = bytes };
	struct iovec from = { .iov_base = (void *)(uintptr_t)(f->frame - n * sizeof(words[0])), .iov_len = bytes };
	if (syscall(SYS_process_vm_readv, getpid(), &to, 1UL, &from, 1UL, 0UL) != (long)bytes)
		return errno == EFAULT;
	if (words[n] != f->caller)
		return true;
	for (size_t i = 0; i < n; i++)
		if (m2d_calls_is_ours((const void *)words[i]))
			return false;
	return true;
}

/* Is this PMPI_X called by a tool to which we passed the same call as MPI_X? */
static bool is_passed_on(struct trk_frame *outer, unsigned call, unsigned which)
{
	if (which != M2D_PMPI || outer->call != call || outer->flags & (TRK_FRAME_PMPI | TRK_FRAME_PASSED))
		return false;
	if (m2d_calls_from_library(((void **)&m2d_calls_next[M2D_MPI])[call]))
		return false;
	outer->flags |= TRK_FRAME_PASSED;
	return true;
}

/* Is this the C call of the Fortran routine whose caller was noted, or did that routine make no call? */
static bool binding_calls(const struct m2d_thread *t, unsigned call, const void *frame)
{
	enum { BINDING_BYTES = 1 << 16 }; /* maximum stack between the routine and the C function */

	return t->binding_call == call && (uintptr_t)t->binding_frame - (uintptr_t)frame < BINDING_BYTES &&
	       *(const void *const *)t->binding_frame == t->binding_caller;
}

struct trk_frame *trk_enter_slow_path(unsigned entry, const void *caller, const void *frame)
{
	struct m2d_thread *t = &m2d_thread;
	int saved = errno;
	bool own = false;

	/* Another thread may still be filling the tables that led here: make its earlier stores visible. */
	if (!t->slot)
		m2d_calls_resolve();
	if (m2d_calls_from_library(caller))
		return NULL;
	if (!t->slot)
		claim(t);
	struct trk_thread *s = t->slot;
	while (trk_depth(s) && was_abandoned(&s->frames[trk_depth(s) - 1], frame))
		trk_drop_frames(s, trk_depth(s) - 1);
	if (trk_depth(s) == 0)
		own = true;
	else if (trk_depth(s) < TRK_FRAMES)
		/* the next function may have jumped here with a tail call (MPI_Type_struct): then the return address is
		 * in our own code */
		own = !is_passed_on(&s->frames[trk_depth(s) - 1], entry / 2, entry % 2) && !m2d_calls_is_ours(caller);
	const struct m2d_span *program = __atomic_load_n(&m2d_calls_program, __ATOMIC_ACQUIRE);
	t->program_from = program->from;
	t->program_bytes = program->bytes;
	errno = saved;
	if (!own)
		return NULL;
	if (t->binding_caller && binding_calls(t, entry / 2, frame)) {
		caller = t->binding_caller;
		frame = NULL; /* the depth of the binding's stack is not known, so
			       * was_abandoned() cannot search for the wrapper there */
	}
	t->binding_caller = NULL;
	/* a nested call that was left may have stored a value */
	TRK_PUT(s->frames[trk_depth(s)].since, 0);
	return trk_begin(s, trk_depth(s), entry, caller, frame);
}

uint64_t trk_threads_sum(size_t field)
{
	uint32_t n = __atomic_load_n(&MPI2DD_registry.n_threads, __ATOMIC_ACQUIRE);
	uint64_t ret = 0;

	for (uint32_t i = 0; i < n && i < TRK_THREADS; i++)
		ret += __atomic_load_n((const uint64_t *)(const void *)((const char *)&trk_threads[i] + field),
				       __ATOMIC_RELAXED);
	return ret;
}
