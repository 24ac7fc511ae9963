/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file waits.h
 * What the threads of a process wait for outside MPI: a lock of the C library and who holds it; a system call and what
 * its descriptor is.
 *
 * Everything is read from stacks, registers and memory of the process; a lock there may contain anything, so a fact
 * that does not agree with the others is unknown.
 */
#ifndef WT_WAITS_H
#define WT_WAITS_H

#include "signals.h"

#include "../host/host.h"

enum wt_kind {
	WT_NOTHING, /**< it does not wait, or it is not known for what */
	WT_MUTEX,
	WT_RWLOCK,
	WT_CONDITION,
	WT_SEMAPHORE,
	WT_BARRIER,
	WT_ONCE,
	WT_JOIN,
	WT_CALL,   /**< a system call: wt_wait.use */
	WT_PYTHON, /**< a lock of Python */
	WT_OPENMP, /**< a barrier, critical section ... of OpenMP; it may spin */
	WT_TBB,    /**< tasks, a lock or a queue of TBB; it may spin */
	WT_GPU
};

/** What a system call waits for. */
enum wt_use {
	WT_READS,
	WT_WRITES,
	WT_CLOSES,
	WT_ACCEPTS,
	WT_CONNECTS,
	WT_LOCKS, /**< the lock of a file */
	WT_POLLS, /**< an event of one of several descriptors */
	WT_REAPS, /**< a child to end */
	WT_SIGNALS
};

/** Who can end the wait. */
enum wt_holder {
	WT_HOLDER_ANY,     /**< any thread of the process: a condition variable, a semaphore */
	WT_HOLDER_UNKNOWN, /**< one that is not known */
	WT_HOLDER_THREAD,  /**< only the thread wt_wait.owner */
	WT_HOLDER_SELF,    /**< only the thread itself, which waits */
	WT_HOLDER_GONE     /**< only the thread wt_wait.owner, which this process does not have */
};

enum { WT_WHAT_BYTES = 240, WT_TEXT_BYTES = 700, WT_FDS_MAX = 8, WT_PEERS_MAX = 8 };

/** A process for which a thread of another one waits. */
struct wt_peer {
	pid_t pid;
	char name[17];   /**< "": unknown */
	char does[120];  /**< its first thread: "runs", "waits for data from a pipe"; "": unknown */
	bool waits_back; /**< the first process can end that wait */
};

/** The only other processes that can end a wait; none: only other threads of the process. */
struct wt_enders {
	bool known;
	pid_t v[WT_PEERS_MAX];
	size_t n;
	uint64_t state; /**< changes when a process between these and the wait runs */
};

/** The wait of one thread. */
struct wt_wait {
	int64_t tid;
	enum wt_kind kind;
	enum wt_holder holder;
	int64_t owner; /**< id of a thread; 0: none is known. Of WT_OPENMP: one that has not come; of Python's
				     global lock: the only one that does not wait for it */
	uint64_t addr; /**< of the object; 0: unknown */
	bool foreign;  /**< another process can end the wait, too */
	char signal[WT_SIGNAL_BYTES]; /**< one with a handler that may come from the process itself and end it:
					 "SIGALRM"; "": none */
	bool ends;                    /**< it ends by itself after some time */
	char what[WT_WHAT_BYTES];     /**< "the mutex io_lock", "thread 4719 to end", "data from a pipe" */

	/* of WT_CALL */
	enum wt_use use;
	int fds[WT_FDS_MAX]; /**< the first of n_fds descriptors */
	size_t n_fds;
	bool epoll;                         /**< fds is the epoll descriptor: those that it watches are not known yet */
	int64_t child;                      /**< of WT_REAPS: the child's id; not positive: any */
	struct wt_peer peers[WT_PEERS_MAX]; /**< children, processes at the other end of a pipe or socket, holders of a
					       file's lock */
	size_t n_peers;
	bool hidden; /**< processes whose descriptors may not be read may have the other end of a pipe or socket, too */
	bool peers_known; /**< peers was looked for and found; none: only this process has the other end */
	struct wt_enders enders;
};

/** Start with all zero. */
struct wt_waits {
	struct wt_wait *v; /**< threads that wait for something known, by their ids */
	size_t n, cap;
};

/**
 * Find what each thread of a stopped process, or of a core, waits for. host_threads() is called.
 *
 * Does nothing where stacks cannot be unwound. If memory runs out, some waits are missing.
 */
void wt_find(struct host_target *t, struct wt_waits *ret);

/**
 * Add what may be found out when the process runs again: descriptors and other processes. Nothing for a core.
 *
 * @param resumed_ms when the process was resumed, of host_now_ms(): what is shared by several processes may be as old
 */
void wt_look_up(struct host_target *t, struct wt_waits *w, double resumed_ms);

void wt_waits_deinit(struct wt_waits *w);

/** The wait of a thread; NULL: it waits for nothing that is known. */
const struct wt_wait *wt_of(const struct wt_waits *w, int64_t tid);

/**
 * "waits for the mutex io_lock, held by thread 4719". Contains unquoted bytes of the target.
 *
 * @param pid of the process: its first thread is "the main thread"
 */
void wt_text(const struct wt_wait *x, int64_t pid, char ret[WT_TEXT_BYTES]);

enum { WT_PEERS_BYTES = 360 };

/** "other end", "child", "holder", static: what the processes of a wait are. */
const char *wt_relation_text(const struct wt_wait *x);

/** "mutex", "thread", static: the member "kind" in docs/json.md. */
const char *wt_kind_text(enum wt_kind kind);

/** "thread", "self" ..., static: the member "holder". */
const char *wt_holder_text(enum wt_holder holder);

#endif /* WT_WAITS_H */
