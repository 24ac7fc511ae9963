/* SPDX-License-Identifier: BSD-3-Clause */
#include "global_lock.h"

#include "../host/host.h"

/*
 * struct _gil_runtime_state has the same members in all these versions: unsigned long interval (microseconds);
 * PyThreadState *last_holder; int locked; unsigned long switch_number; PyCOND_T cond. The thread waits for a word of
 * cond, so the others are found from there, wherever the version has the structure. All that is read is checked: the
 * holder is a thread only if its state names one of this process.
 */
#define INTERVAL (-(uint64_t)32)
#define HOLDER   (-(uint64_t)24)
#define LOCKED   (-(uint64_t)16)
enum { INTERVAL_MAX_US = 1000000000 };

/* Where a thread at a condition variable waits in it: __g_signals, of glibc 2.25 and 2.41. */
static const uint64_t words[] = { 40, 44, 32, 36 };

/* Of a thread of glibc on x86-64: struct pthread, whose address is its pthread_t. */
enum { TCB = 0, SELF = 16, TID = 0x2d0, STATE_WORDS = 64 };

static bool read_word(struct host_target *t, uint64_t addr, unsigned bytes, uint64_t *ret)
{
	*ret = 0;
	return host_read(t, addr, bytes, ret);
}

/* The thread of a PyThreadState: one of its members is the thread's pthread_t. */
static int64_t thread_of_state(struct host_target *t, const struct wt_threads *threads, uint64_t state_addr)
{
	uint64_t state[STATE_WORDS], tcb, self, tid;

	if (!state_addr || !host_read(t, state_addr, sizeof(state), state))
		return 0;
	for (int i = 0; i < STATE_WORDS; i++)
		if (state[i] && state[i] % 8 == 0 && read_word(t, state[i] + SELF, 8, &self) && self == state[i] &&
		    read_word(t, state[i] + TCB, 8, &tcb) && tcb == state[i] && read_word(t, state[i] + TID, 4, &tid))
			return wt_thread_here(threads, (int64_t)tid);
	return 0;
}

int64_t wt_global_lock_holder(struct host_target *t, const struct wt_threads *threads, const struct host_stopped *s)
{
	uint64_t interval, holder, locked;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		uint64_t cond = s->args[0] - words[i];
		if (cond % 8 || !read_word(t, cond + INTERVAL, 8, &interval) ||
		    !read_word(t, cond + HOLDER, 8, &holder) || !read_word(t, cond + LOCKED, 4, &locked) || !interval ||
		    interval > INTERVAL_MAX_US || locked != 1)
			continue;
		int64_t tid = thread_of_state(t, threads, holder);
		if (tid)
			return tid;
	}
	return 0;
}
