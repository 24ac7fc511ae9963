/* SPDX-License-Identifier: BSD-3-Clause */
/* Locks of the C library in memory that may contain anything: who holds them is known only if all of it agrees. */
#include "../../host/target.h"
#include "../../waits/glibc.h"
#include "../support/suite.h"

#include <check.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>

enum { AT = 0x10000, BYTES = 64, ME = 100, OTHER = 101, NOBODY = 999 };

static uint32_t memory[BYTES / 4];

static size_t read_memory(struct host_target *t, uint64_t addr, size_t n, void *ret)
{
	(void)t;
	if (addr < AT || addr + n > AT + BYTES)
		return 0;
	memcpy(ret, (uint8_t *)memory + (addr - AT), n);
	return n;
}

static struct wt_wait wait_for(enum wt_kind kind, const char *function, uint64_t word, int op, uint32_t expected)
{
	static int64_t ids[] = { ME, OTHER };
	struct host_target t = { .word_bytes = 8, .read = read_memory };
	const struct wt_threads threads = { ids, ids, 2 };
	const struct host_stopped s = { .tid = ME, .call = 202, .args = { word, (uint64_t)op, expected } };
	struct wt_wait ret = { .tid = ME, .kind = kind };

	wt_glibc_read(&t, &threads, &s, function, &ret);
	return ret;
}

/* lock, count, owner, users, kind */
static const struct mutex {
	uint32_t words[5];
	enum wt_holder holder;
	int64_t owner;
	const char *what;
} mutexes[] = {
	{ { 2, 0, OTHER, 1, 0 }, WT_HOLDER_THREAD, OTHER, "a mutex" },
	{ { 1, 0, OTHER, 1, 0 }, WT_HOLDER_THREAD, OTHER, "a mutex" },
	{ { 2, 0, ME, 1, 0 }, WT_HOLDER_SELF, ME, "a mutex" },
	{ { 2, 3, OTHER, 1, 1 }, WT_HOLDER_THREAD, OTHER, "a mutex" }, /* recursive */
	{ { 2, 0, NOBODY, 1, 0 }, WT_HOLDER_GONE, NOBODY, "a mutex" },
	{ { 2, 0, NOBODY, 1, 128 }, WT_HOLDER_UNKNOWN, NOBODY, "a mutex" }, /* of another process */
	{ { 2, 0, 0, 1, 0 }, WT_HOLDER_UNKNOWN, 0, "a mutex" },             /* just locked */
	{ { 0, 0, OTHER, 1, 0 }, WT_HOLDER_UNKNOWN, 0, "a mutex" },         /* just unlocked */
	{ { 2, 0, OTHER, 0, 0 }, WT_HOLDER_UNKNOWN, 0, "a mutex" },
	{ { 7, 0, OTHER, 1, 0 }, WT_HOLDER_UNKNOWN, 0, "a mutex" },
	{ { 2, 0, OTHER, 1, 0x6d2e }, WT_HOLDER_UNKNOWN, 0, "a mutex, whose memory is damaged" },
	{ { 0x80000000 | OTHER, 0, 0, 1, 32 }, WT_HOLDER_THREAD, OTHER, "a mutex" },
	{ { 0x80000000 | OTHER, 0, NOBODY, 1, 16 }, WT_HOLDER_THREAD, OTHER, "a mutex" },
	{ { 0xc0000000 | OTHER, 0, 0, 1, 16 }, WT_HOLDER_UNKNOWN, 0, "a robust mutex, whose owner has ended" },
};

START_TEST(test_mutex)
{
	const struct mutex *m = &mutexes[_i];

	memcpy(memory, m->words, sizeof(m->words));
	struct wt_wait x = wait_for(WT_MUTEX, "pthread_mutex_lock", AT, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 2);
	ck_assert_int_eq(x.holder, m->holder);
	ck_assert_int_eq(x.owner, m->owner);
	ck_assert_str_eq(x.what, m->what);
	ck_assert_uint_eq(x.addr, AT);
	ck_assert_int_eq(x.foreign, m->words[4] == 128);
}
END_TEST

START_TEST(test_unreadable)
{
	struct wt_wait x = wait_for(WT_MUTEX, "pthread_mutex_lock", 0x10, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 2);

	ck_assert_int_eq(x.holder, WT_HOLDER_UNKNOWN);
	ck_assert_int_eq(x.owner, 0);
	x = wait_for(WT_JOIN, "pthread_join", 0x10, FUTEX_WAIT, OTHER);
	ck_assert_int_eq(x.holder, WT_HOLDER_UNKNOWN);
	ck_assert_str_eq(x.what, "a thread to end");
	x = wait_for(WT_RWLOCK, "pthread_rwlock_wrlock", 0x0c, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 3);
	ck_assert_int_eq(x.holder, WT_HOLDER_UNKNOWN);
	x = wait_for(WT_BARRIER, "pthread_barrier_wait", 0x14, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 0);
	ck_assert_str_eq(x.what, "a barrier");
}
END_TEST

/* After its wait pthread_cond_wait() locks the mutex again: that is what it waits for then. */
START_TEST(test_condition)
{
	static const uint32_t words[5] = { 2, 0, OTHER, 1, 0 };

	memcpy(memory, words, sizeof(words));
	struct wt_wait x = wait_for(WT_CONDITION, "pthread_cond_wait", AT, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, 0);
	ck_assert_int_eq(x.kind, WT_CONDITION);
	ck_assert_int_eq(x.holder, WT_HOLDER_ANY);
	x = wait_for(WT_CONDITION, "pthread_cond_wait", AT, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 2);
	ck_assert_int_eq(x.kind, WT_MUTEX);
	ck_assert_int_eq(x.owner, OTHER);
}
END_TEST

/* readers, writers, phase futex, writers' futex, two of padding, writer */
START_TEST(test_rwlock)
{
	static const uint32_t written[7] = { 3, 1, 2, 1, 0, 0, OTHER }, read[7] = { 2 << 3 | 2, 0, 0, 1, 0, 0, 0 },
			      senseless[7] = { 2, 0, 0, 0, 0, 0, OTHER };

	memset(memory, 0, sizeof(memory));
	memcpy(memory, written, sizeof(written));
	struct wt_wait x = wait_for(WT_RWLOCK, "pthread_rwlock_rdlock", AT + 8, FUTEX_WAIT_BITSET, 3);
	ck_assert_int_eq(x.holder, WT_HOLDER_THREAD);
	ck_assert_int_eq(x.owner, OTHER);
	ck_assert_uint_eq(x.addr, AT);
	memcpy(memory, read, sizeof(read));
	x = wait_for(WT_RWLOCK, "__pthread_rwlock_wrlock", AT + 12, FUTEX_WAIT_BITSET, 3);
	ck_assert_int_eq(x.holder, WT_HOLDER_UNKNOWN);
	ck_assert_str_eq(x.what, "a read-write lock, to write; 2 threads read");
	memcpy(memory, senseless, sizeof(senseless));
	x = wait_for(WT_RWLOCK, "__pthread_rwlock_wrlock", AT + 12, FUTEX_WAIT_BITSET, 3);
	ck_assert_int_eq(x.holder, WT_HOLDER_UNKNOWN);
	ck_assert_int_eq(x.owner, 0);
}
END_TEST

/* arrived, of earlier rounds, needed, shared */
START_TEST(test_barrier)
{
	static const uint32_t words[5] = { 13, 12, 4, 0, 12 }, senseless[5] = { 1, 12, 4, 0, 0 };

	memcpy(memory, words, sizeof(words));
	struct wt_wait x = wait_for(WT_BARRIER, "pthread_barrier_wait", AT + 4, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 12);
	ck_assert_str_eq(x.what, "a barrier, to which 1 of 4 threads have come");
	memcpy(memory, senseless, sizeof(senseless));
	x = wait_for(WT_BARRIER, "pthread_barrier_wait", AT + 4, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 12);
	ck_assert_str_eq(x.what, "a barrier");
}
END_TEST

START_TEST(test_join)
{
	memory[0] = OTHER;
	struct wt_wait x = wait_for(WT_JOIN, "pthread_join", AT, FUTEX_WAIT, OTHER);
	ck_assert_int_eq(x.holder, WT_HOLDER_THREAD);
	ck_assert_str_eq(x.what, "thread 101 to end");
	ck_assert(!x.foreign);
	memory[0] = 0; /* it has ended */
	x = wait_for(WT_JOIN, "pthread_join", AT, FUTEX_WAIT, OTHER);
	ck_assert_int_eq(x.holder, WT_HOLDER_UNKNOWN);
}
END_TEST

START_TEST(test_names)
{
	ck_assert_int_eq(wt_glibc_kind("pthread_mutex_lock"), WT_MUTEX);
	ck_assert_int_eq(wt_glibc_kind("___pthread_mutex_lock"), WT_MUTEX);
	ck_assert_int_eq(wt_glibc_kind("__GI___pthread_mutex_lock"), WT_MUTEX);
	ck_assert_int_eq(wt_glibc_kind("___pthread_cond_timedwait64"), WT_CONDITION);
	ck_assert_int_eq(wt_glibc_kind("pthread_mutex_locked"), WT_NOTHING);
	ck_assert_int_eq(wt_glibc_kind("64"), WT_NOTHING);
	ck_assert_int_eq(wt_glibc_kind(""), WT_NOTHING);
}
END_TEST

START_TEST(test_text)
{
	struct wt_wait x = { .tid = ME, .kind = WT_MUTEX, .holder = WT_HOLDER_THREAD, .owner = OTHER, .addr = AT };
	char text[WT_TEXT_BYTES];

	strcpy(x.what, "a mutex");
	wt_text(&x, ME, text);
	ck_assert_str_eq(text, "waits for a mutex at 0x10000, held by thread 101");
	wt_text(&x, OTHER, text);
	ck_assert_str_eq(text, "waits for a mutex at 0x10000, held by the main thread");
	x.holder = WT_HOLDER_GONE;
	strcpy(x.what, "the mutex io_lock");
	wt_text(&x, ME, text);
	ck_assert_str_eq(text, "waits for the mutex io_lock, held by thread 101, which this process does not have");
}
END_TEST

int main(void)
{
	Suite *s = suite_create("waits_locks");
	TCase *tc = tcase_create("locks");

	tcase_add_loop_test(tc, test_mutex, 0, (int)(sizeof(mutexes) / sizeof(mutexes[0])));
	tcase_add_test(tc, test_unreadable);
	tcase_add_test(tc, test_condition);
	tcase_add_test(tc, test_rwlock);
	tcase_add_test(tc, test_barrier);
	tcase_add_test(tc, test_join);
	tcase_add_test(tc, test_names);
	tcase_add_test(tc, test_text);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
