/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The objects are those of glibc 2.31 to 2.41 on 64-bit machines: sysdeps/nptl/bits/thread-shared-types.h,
 * struct_mutex.h, struct_rwlock.h, and nptl/pthreadP.h of its sources.
 */
#include "glibc.h"

#include "../host/demangle.h"
#include "../host/modules.h"

#include <inttypes.h>
#include <linux/futex.h>
#include <stdio.h>
#include <string.h>

static const struct {
	const char *name;
	enum wt_kind kind;
} functions[] = {
	{ "pthread_mutex_lock", WT_MUTEX },
	{ "pthread_mutex_cond_lock", WT_MUTEX },
	{ "pthread_mutex_lock_full", WT_MUTEX },
	{ "pthread_mutex_timedlock", WT_MUTEX },
	{ "pthread_mutex_clocklock", WT_MUTEX },
	{ "pthread_mutex_clocklock_common", WT_MUTEX },
	{ "mtx_lock", WT_MUTEX },
	{ "mtx_timedlock", WT_MUTEX },
	{ "pthread_rwlock_rdlock", WT_RWLOCK },
	{ "pthread_rwlock_wrlock", WT_RWLOCK },
	{ "pthread_rwlock_timedrdlock", WT_RWLOCK },
	{ "pthread_rwlock_timedwrlock", WT_RWLOCK },
	{ "pthread_rwlock_clockrdlock", WT_RWLOCK },
	{ "pthread_rwlock_clockwrlock", WT_RWLOCK },
	{ "pthread_cond_wait", WT_CONDITION },
	{ "pthread_cond_timedwait", WT_CONDITION },
	{ "pthread_cond_clockwait", WT_CONDITION },
	{ "pthread_cond_wait_common", WT_CONDITION },
	{ "cnd_wait", WT_CONDITION },
	{ "cnd_timedwait", WT_CONDITION },
	{ "sem_wait", WT_SEMAPHORE },
	{ "new_sem_wait", WT_SEMAPHORE },
	{ "new_sem_wait_slow", WT_SEMAPHORE },
	{ "sem_timedwait", WT_SEMAPHORE },
	{ "sem_clockwait", WT_SEMAPHORE },
	{ "pthread_barrier_wait", WT_BARRIER },
	{ "pthread_once", WT_ONCE },
	{ "pthread_once_slow", WT_ONCE },
	{ "call_once", WT_ONCE },
	{ "pthread_join", WT_JOIN },
	{ "pthread_timedjoin_np", WT_JOIN },
	{ "pthread_clockjoin_np", WT_JOIN },
	{ "pthread_clockjoin_ex", WT_JOIN },
	{ "thrd_join", WT_JOIN },
};

enum wt_kind wt_glibc_kind(const char *function)
{
	function += strspn(function, "_");
	if (strncmp(function, "GI_", 3) == 0)
		function += 3 + strspn(function + 3, "_");
	size_t n = strlen(function);
	if (n > 2 && strcmp(function + n - 2, "64") == 0)
		n -= 2;
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (strlen(functions[i].name) == n && strncmp(functions[i].name, function, n) == 0)
			return functions[i].kind;
	return WT_NOTHING;
}

enum { WT_NAME_BYTES = 96 };

static uint32_t word(const uint8_t *bytes, size_t offset)
{
	uint32_t ret;

	memcpy(&ret, bytes + offset, sizeof(ret));
	return ret;
}

/*
 * Set wt_wait.what: "the mutex io_lock", "the mutex locks[2]", "the mutex pool+0x28" for an object of @p bytes in a
 * variable, "a mutex" otherwise; then @p more.
 */
static void set_what(struct host_target *t, struct wt_wait *x, const char *noun, uint64_t bytes, const char *more)
{
	struct host_module *m = x->addr ? host_module_of(t, x->addr) : NULL;
	char name[WT_NAME_BYTES], part[32] = "";
	uint64_t offset, n;

	if (!m || !host_module_object(m, x->addr, name, sizeof(name), &offset, &n)) {
		snprintf(x->what, sizeof(x->what), "a %s%s", noun, more);
		return;
	}
	host_demangle(name, sizeof(name));
	if (n > bytes && n % bytes == 0 && offset % bytes == 0)
		snprintf(part, sizeof(part), "[%" PRIu64 "]", offset / bytes);
	else if (offset)
		snprintf(part, sizeof(part), "+0x%" PRIx64, offset);
	snprintf(x->what, sizeof(x->what), "the %s %s%s%s", noun, name, part, more);
}

/* Locks that may be in shared memory are in it only if it is shared; robust ones always look like that. */
static bool is_shared(struct host_target *t, const struct wt_wait *x, bool may_be)
{
	return may_be && host_may_be_shared(t, x->addr);
}

static void set_owner(const struct wt_threads *threads, struct wt_wait *x, int64_t own)
{
	int64_t here = wt_thread_here(threads, own);

	x->holder = here == x->tid ? WT_HOLDER_SELF
		    : here         ? WT_HOLDER_THREAD
		    : x->foreign   ? WT_HOLDER_UNKNOWN
				   : WT_HOLDER_GONE;
	x->owner = here ? here : own;
}

/* ---- objects ----------------------------------------------------------------------------------------------------- */

enum { MUTEX_BYTES = 40, RWLOCK_BYTES = 56, CONDITION_BYTES = 48, SEMAPHORE_BYTES = 32, BARRIER_BYTES = 32 };

/* struct __pthread_mutex_s: int __lock, unsigned __count, int __owner, unsigned __nusers, int __kind. */
static void read_mutex(struct host_target *t, const struct wt_threads *threads, struct wt_wait *x)
{
	enum { LOCK = 0, OWNER = 8, NUSERS = 12, KIND = 16, READ = 20 };
	enum { TYPE = 3, ROBUST = 16, INHERIT = 32, PROTECT = 64, SHARED = 128, ELISION = 256 | 512 };
	uint8_t bytes[READ];

	x->holder = WT_HOLDER_UNKNOWN;
	set_what(t, x, "mutex", MUTEX_BYTES, "");
	if (!host_read(t, x->addr, sizeof(bytes), bytes))
		return;
	uint32_t lock = word(bytes, LOCK), owner = word(bytes, OWNER), kind = word(bytes, KIND);
	bool by_id = kind & (ROBUST | INHERIT);
	if (kind & ~(uint32_t)(TYPE | ROBUST | INHERIT | PROTECT | SHARED | ELISION)) {
		set_what(t, x, "mutex", MUTEX_BYTES, ", whose memory is damaged");
		return;
	}
	x->foreign = is_shared(t, x, (kind & SHARED) != 0);
	if (by_id)
		owner = lock & FUTEX_TID_MASK;
	if (by_id && (lock & FUTEX_OWNER_DIED)) {
		set_what(t, x, "robust mutex", MUTEX_BYTES, ", whose owner has ended");
		return;
	}
	/* between the lock and the owner's number, or between that and the unlock, there may be some instructions */
	if (!owner || !word(bytes, NUSERS) || (by_id ? !lock : lock != 1 && lock != 2))
		return;
	set_owner(threads, x, owner);
}

/*
 * struct __pthread_rwlock_arch_t: unsigned __readers, __writers, __wrphase_futex, __writers_futex, __pad3, __pad4, int
 * __cur_writer, __shared ..., unsigned __flags at 48. Bits of __readers: 1 a writer's turn, 2 a writer has it or waits,
 * 8 and above the number of readers.
 */
static void read_rwlock(struct host_target *t, const struct wt_threads *threads, const struct host_stopped *s,
			const char *function, struct wt_wait *x)
{
	enum { READERS = 0, WRPHASE = 8, WRITERS = 12, OWNER = 24, SHARED = 28, FLAGS = 48, READ = 52 };
	enum { PREFER_WRITERS = 2, WRITING = 1, N_READERS = 3 };
	uint64_t word_addr = s->args[0];
	const char *to = strstr(function, "wrlock") ? ", to write" : ", to read";
	uint8_t bytes[READ];
	char more[64];

	x->holder = WT_HOLDER_UNKNOWN;
	/* readers of a lock that prefers writers wait for __readers, the others for one of the two futexes */
	x->addr = word_addr - (word_addr % 8 == 4 ? WRITERS : WRPHASE);
	if (word_addr % 8 == 0 && host_read(t, word_addr, sizeof(bytes), bytes) &&
	    word(bytes, FLAGS) == PREFER_WRITERS && word(bytes, READERS) == (uint32_t)s->args[2])
		x->addr = word_addr;
	set_what(t, x, "read-write lock", RWLOCK_BYTES, to);
	if (!host_read(t, x->addr, sizeof(bytes), bytes))
		return;
	uint32_t readers = word(bytes, READERS), n = readers >> N_READERS;
	x->foreign = is_shared(t, x, bytes[SHARED] != 0);
	if (word(bytes, OWNER) && (readers & WRITING)) {
		set_owner(threads, x, word(bytes, OWNER));
	} else if (n && !(readers & WRITING)) {
		snprintf(more, sizeof(more), "%s; %u thread%s read%s", to, n, n == 1 ? "" : "s", n == 1 ? "s" : "");
		set_what(t, x, "read-write lock", RWLOCK_BYTES, more);
	}
}

/*
 * struct __pthread_cond_s of 48 bytes: a thread waits for one of the two words __g_signals, at 40, or at 32 in later
 * releases. Only the variable tells where it begins.
 */
static void read_condition(struct host_target *t, uint64_t word_addr, struct wt_wait *x)
{
	struct host_module *m = host_module_of(t, word_addr);
	char name[WT_NAME_BYTES];
	uint64_t offset, n;
	bool known = m && host_module_object(m, word_addr, name, sizeof(name), &offset, &n);

	x->holder = WT_HOLDER_ANY;
	x->addr = 0;
	if (known)
		host_demangle(name, sizeof(name));
	if (known && n == CONDITION_BYTES)
		x->addr = word_addr - offset;
	if (known)
		snprintf(x->what, sizeof(x->what), "%s %s",
			 x->addr ? "the condition variable" : "a condition variable in", name);
	else
		snprintf(x->what, sizeof(x->what), "a condition variable");
}

/* struct pthread_barrier: unsigned in, current_round, count, int shared, unsigned out. */
static void read_barrier(struct host_target *t, struct wt_wait *x)
{
	enum { IN = 0, ROUND = 4, COUNT = 8, SHARED = 12, READ = 20 };
	uint8_t bytes[READ];
	char more[64] = "";

	x->holder = WT_HOLDER_ANY;
	if (host_read(t, x->addr, sizeof(bytes), bytes)) {
		uint32_t come = word(bytes, IN) - word(bytes, ROUND), count = word(bytes, COUNT);
		x->foreign = is_shared(t, x, word(bytes, SHARED) != 0);
		if (come && count && come < count)
			snprintf(more, sizeof(more), ", to which %u of %u threads have come", come, count);
	}
	set_what(t, x, "barrier", BARRIER_BYTES, more);
}

/* It waits for the word in which the kernel clears the thread's id when it ends: struct pthread, member tid. */
static void read_join(struct host_target *t, const struct wt_threads *threads, const struct host_stopped *s,
		      struct wt_wait *x)
{
	uint32_t own;

	x->holder = WT_HOLDER_UNKNOWN;
	x->foreign = false;
	snprintf(x->what, sizeof(x->what), "a thread to end");
	if (!host_read(t, s->args[0], sizeof(own), &own) || !own || own != (uint32_t)s->args[2])
		return;
	set_owner(threads, x, own);
	snprintf(x->what, sizeof(x->what), "thread %" PRId64 " to end", x->owner);
}

void wt_glibc_read(struct host_target *t, const struct wt_threads *threads, const struct host_stopped *s,
		   const char *name, struct wt_wait *x)
{
	int op = (int)s->args[1] & FUTEX_CMD_MASK;

	x->addr = s->args[0];
	x->foreign = is_shared(t, x, !(s->args[1] & FUTEX_PRIVATE_FLAG));
	x->ends = s->args[3] != 0;
	/* after its wait pthread_cond_wait() locks the mutex again */
	if (x->kind == WT_CONDITION &&
	    (op == FUTEX_LOCK_PI || op == FUTEX_LOCK_PI2 || (op == FUTEX_WAIT && (uint32_t)s->args[2] == 2)))
		x->kind = WT_MUTEX;
	switch (x->kind) {
	case WT_MUTEX:
		read_mutex(t, threads, x);
		break;
	case WT_RWLOCK:
		read_rwlock(t, threads, s, name, x);
		break;
	case WT_CONDITION:
		read_condition(t, s->args[0], x);
		break;
	case WT_SEMAPHORE:
		x->holder = WT_HOLDER_ANY;
		set_what(t, x, "semaphore", SEMAPHORE_BYTES, "");
		break;
	case WT_BARRIER:
		x->addr -= 4;
		read_barrier(t, x);
		break;
	case WT_ONCE:
		x->holder = WT_HOLDER_UNKNOWN;
		snprintf(x->what, sizeof(x->what), "an initialization by another thread (pthread_once)");
		break;
	case WT_JOIN:
		x->addr = 0;
		read_join(t, threads, s, x);
		break;
	default:
		x->addr = 0;
		break;
	}
}
