/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file verdict.h
 * Why a job hangs: a snapshot of its ranks, and the analysis of the snapshot.
 *
 * A snapshot is plain data: ranks, their threads, their pending operations, the communicators they share.
 * vd_load_process() fills it from the JSON of docs/json.md; a test may fill it by hand. vd_judge() takes time and
 * memory linear in its size. Nothing here depends on processes, cores or MPI libraries.
 *
 * A rank is *live* if it may make progress: it is in no MPI function, polls, has made progress, is in an operation
 * that is not followed here, or waits for something that a live rank may still do. Unknown counts as live, so that
 * no conclusion is drawn from data that was not read. Ranks that are not live wait forever.
 */
#ifndef VD_VERDICT_H
#define VD_VERDICT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/** Special values of indexes of ranks and communicators. */
enum { VD_ANY = -1, VD_UNKNOWN = -2 };
#define VD_ANY_TAG INT64_MIN

/** A VD_PROBE whose communicator is VD_UNKNOWN is a call of MPI_Probe whose arguments are unavailable. */
enum vd_op_kind { VD_SEND, VD_RECEIVE, VD_PROBE, VD_MESSAGE, VD_COLLECTIVE };

/** A pending operation, or a message that has arrived and was not received. */
struct vd_op {
	uint64_t id;          /**< identifies the operation in its process */
	int64_t tag;          /**< or VD_ANY_TAG */
	int64_t sequence;     /**< of a non-blocking collective: its number in its communicator; -1: unknown */
	int64_t bytes;        /**< of a receive, the size of its buffer; -1: not known */
	uint64_t request;     /**< its handle; 0: not known */
	int64_t thread;       /**< that waits for it; -1: none is known to */
	const char *function; /**< that started it, borrowed from the job; NULL: not known */
	const char *place;    /**< recorded location of that call; NULL: not known */
	int32_t comm;         /**< index; VD_UNKNOWN */
	int32_t peer;         /**< index of a rank, VD_ANY, VD_UNKNOWN; of a message, its sender */
	int32_t absent; /**< world rank of a peer that is not in the snapshot; -1: it is in the snapshot, or unknown */
	uint32_t view, index; /**< where it is in the JSON of its process: index of the communicator, and in the list */
	uint8_t list;         /**< vd_op_list(): key of the list */
	uint8_t kind;         /**< enum vd_op_kind */
	bool internal;        /**< started by the library itself, for a collective */
	bool matched;         /**< matched or complete: it needs no other rank */
	bool persistent;      /**< of a persistent request */
	bool inactive;        /**< a persistent request that was not started */
	bool of_leaders;      /**< of MPI_Intercomm_create, with the program's tag, but not the program's own */
	bool unsure;          /**< the MPI library may have completed it without the program knowing */
};

/** What kind of function a thread is in. */
enum vd_call {
	VD_CALL_NONE, /**< in no MPI function */
	VD_CALL_POLL, /**< MPI_Test, MPI_Iprobe ...: returns without waiting */
	VD_CALL_ALL,  /**< waits for all its operations: MPI_Recv, MPI_Wait, MPI_Waitall ... */
	VD_CALL_SOME, /**< waits for one of them: MPI_Waitany, MPI_Waitsome */
	VD_CALL_COLLECTIVE,
	VD_CALL_NEIGHBORS, /**< a collective that waits for neighbours only: MPI_Neighbor_alltoall */
	VD_CALL_WINDOW,    /**< waits for other ranks at a window: MPI_Win_lock, MPI_Win_complete ... */
	VD_CALL_INIT,      /**< waits for ranks of its world that have not called MPI_Init */
	VD_CALL_FINALIZE,
	VD_CALL_OTHER /**< may wait for something that is not followed here */
};

/** What a thread did when it was stopped, as the kernel says. */
enum vd_doing {
	VD_DOING_UNKNOWN,
	VD_RUNS,
	VD_WAITS, /**< for an event, in a system call without an end of its own */
	VD_SLEEPS /**< in a system call that ends by itself */
};

/** Who can end the wait of a thread outside MPI. */
enum vd_held {
	VD_HELD_ANY,     /**< any thread of its rank */
	VD_HELD_UNKNOWN, /**< it is not known */
	VD_HELD_THREAD,  /**< only the thread vd_thread.owner of its rank */
	VD_HELD_SELF,    /**< only itself */
	VD_HELD_GONE     /**< only a thread that its process does not have */
};

/** What the other processes are that may end the wait of a thread outside MPI. */
enum vd_relation {
	VD_RELATION_UNKNOWN,
	VD_OTHER_END, /**< of a pipe or socket; if there is none, only the process itself has it */
	VD_CHILD,     /**< its children */
	VD_FILE_LOCK  /**< they hold the lock of a file */
};

struct vd_other {
	int64_t pid;
	const char *name, *does; /**< NULL: unknown */
	bool waits_back;         /**< the first process can end its wait */
};

enum { VD_N_SENDS_AT = 2 };

struct vd_thread {
	int64_t tid;          /**< -1: unknown */
	const char *function; /**< borrowed from the job; NULL: none */
	const char *place;    /**< "residual at solve.c:71": where the program is; NULL: not known */
	const char *callers;  /**< of VD_CALL_POLL: the functions on its stack, a line each; NULL: not known */
	const char *source;   /**< path of the file of the place; NULL: not known, or there are several of its name */
	int64_t built;        /**< when the code there was built, in s since 1970; -1: unknown */
	const char *inner;    /**< innermost function; NULL: not known */
	int32_t comm;         /**< of a collective, a poll or a call at a window: index; VD_UNKNOWN */
	int32_t comm_maybe;   /**< of MPI_Win_create and the like: where it waits now, perhaps not its argument */
	int32_t target;       /**< of a call at a window: index of the target rank; VD_ANY: all; VD_UNKNOWN */
	int32_t *targets; /**< of MPI_Win_start: indexes of the ranks that must post; VD_UNKNOWN: not in the snapshot */
	int32_t n_targets;     /**< 0: not known */
	uint8_t lock;          /**< of MPI_Win_lock: 1 shared, 2 exclusive; 0: not known */
	int32_t root;          /**< of a collective: index of a rank; VD_UNKNOWN: not known, or it has none */
	int64_t count;         /**< of a collective; -1: not known */
	const char *datatype;  /**< of a collective; NULL: not known */
	const char *signature; /**< basic types of one element of it: "MPI_INT*2 MPI_CHAR*1"; NULL: not known */
	const char *operation; /**< of a reduction: name of the predefined operation; NULL: user-defined or not known */
	int64_t ordinal;       /**< of a collective: its number in its communicator, from 1; -1: not known */
	int32_t leader; /**< of MPI_Intercomm_create: index of the rank given as the other group's leader; VD_UNKNOWN */
	int32_t peers;  /**< the communicator in which that leader has been named: index; VD_UNKNOWN */
	int64_t tag;    /**< of MPI_Intercomm_create */
	const char *port;              /**< at the root of MPI_Comm_accept or MPI_Comm_connect; NULL: none */
	size_t first_await, n_awaits;  /**< in vd_job.awaits */
	size_t first_polled, n_polled; /**< the same of VD_CALL_POLL: operations for which it polls, as far as known */
	uint8_t call;                  /**< enum vd_call */
	int32_t partitioned;           /**< 1 + index of a partitioned message for which it waits; 0: none */
	bool possible;                 /**< it waits for one at least of its awaits, and perhaps not for each */
	bool waits_for_more;   /**< it may wait for operations that are not among its awaits, which may be none */
	bool helper;           /**< created by a library: makes no MPI calls for the program */
	bool waits_for_own;    /**< in no MPI function, its stack shows that it waits for another thread of its rank */
	uint8_t doing;         /**< enum vd_doing */
	int64_t ends_ms;       /**< of VD_SLEEPS; -1: unknown */
	int64_t n_runs;        /**< how often it ran between two readings; -1: unknown */
	int64_t ran_permille;  /**< part of that time for which it used a processor or waited for one; -1: unknown */
	const char *waits_for; /**< "the mutex io_lock": outside MPI, or in a callback of MPI; NULL: not known */
	int64_t owner;         /**< id of the thread that holds it, or that it waits for to end; -1: unknown */
	uint8_t holder;        /**< enum vd_held */
	bool ends;             /**< that wait ends by itself after some time */
	bool progress;         /**< of a helper: the MPI library makes progress in it */
	bool in_futex;         /**< as the kernel says, it waits for another thread */
	bool joins;            /**< it waits for a thread to end */
	bool on_gpu;           /**< it waits for a GPU */
	bool call_waits;       /**< it waits in a system call for a descriptor, a child or a signal */
	bool foreign;          /**< another process, or a signal, may end that wait */
	bool hidden;           /**< other processes may have the other end of its pipe or socket, unseen */
	const char *place_before;     /**< place at the earlier moment, of a thread in no MPI function; NULL: unknown */
	const char *signal;           /**< the signal that may end it; NULL: none is known */
	uint8_t relation;             /**< enum vd_relation */
	size_t first_other, n_others; /**< in vd_job.others: the processes that may end it, as far as they are known */
	size_t first_ender, n_enders; /**< in vd_job.enders: ids of the only other processes that can end that wait */
	int64_t enders_state;         /**< changes when a process between these and the wait runs */
	bool enders_known;            /**< n_enders is known; 0: only its own process can end it */
	bool enders_sure;             /**< it was the same at two moments */
	const char *held; /**< in an uninterruptible system call: "fsync of /scratch/out", or "" if it is unknown which;
			     NULL: not */
	bool settled;     /**< its stack shows that it only waits (vd_stack_waits()) */
	uint64_t returns_to; /**< of a function that only waits: the address to which the call returns; 0: unknown */
	uint64_t sends_at[VD_N_SENDS_AT]; /**< where the functions of UCX begin with which it sends; 0: unknown */
	bool stays;      /**< it has run and has not left that call since the reading before: set by the caller */
	bool may_return; /**< of VD_CALL_SOME, VD_CALL_WINDOW and a probe: perhaps another call at each reading, of
			    which nothing tells: set by the caller */
	/** The last error that a call has returned to it: the call,
	 * the error's class, the call's place; NULL: none is recorded. */
	const char *failed, *error, *failed_place;
	int64_t failed_ns; /**< so long ago; -1: unknown */
};

/** A rank. */
enum vd_state {
	VD_READ,   /**< its threads and operations are loaded */
	VD_UNREAD, /**< it exists but could not be read */
	VD_ENDED   /**< MPI_Finalize is done or the process has ended: it will never send or receive again */
};

struct vd_rank {
	int32_t world, rank; /**< number of its MPI_COMM_WORLD in the job, from 0, and rank in it */
	int32_t first;       /**< index of the first rank of that world, whose n_there is the number of ranks of it */
	int32_t n_there;
	int32_t part;     /**< number of the part of a merged snapshot; ranks of one part were read at one moment */
	int64_t mpi_job;  /**< the MPI's number of that world; -1: none; the first rank has it if any has */
	int64_t pid;      /**< -1: unknown */
	const char *host; /**< name of its machine; NULL: unknown */
	const char *process_state; /**< "sleeping", "running", "stopped" ..., NULL: unknown */
	const char *kept;     /**< what keeps it from running: "frozen by its cgroup /job"; NULL: nothing is known */
	int64_t throttled_ms; /**< so long its cgroups had no processor: in all; after vd_compare(), between the two.
				 -1: unknown */
	int64_t swapped_kb;   /**< so much of it is swapped out; -1: unknown */
	const char *ended;    /**< of VD_ENDED: how it ended, "has finished MPI", "is gone" */
	size_t first_thread, n_threads, first_op, n_ops, first_epoch, n_epochs, first_partitioned, n_partitioned;
	size_t first_child, n_children; /**< in vd_job.children: those for which it may wait (children.h) */
	int64_t n_children_left;        /**< others that were not read */
	uint64_t fingerprint;           /**< of everything that changes when it makes progress */
	uint64_t ops_print;             /**< of its operations only */
	int64_t n_calls;                /**< recorded number of MPI calls; -1: not recorded */
	uint8_t state;                  /**< enum vd_state */
	bool may_poll;                  /**< outside at all moments: another one may show that it polls (polls.h) */
	int n_outside;         /**< of a rank that polls: at so many moments it was between two calls (polls.h) */
	bool went_on;          /**< has made progress, or got no processor time: it counts as live */
	bool one_moment;       /**< it could not run between two readings (flight.h): set by the caller */
	bool debugged;         /**< a debugger has stopped it: nobody need look for it */
	bool stopped;          /**< by a signal, or by what vd_rank.kept says */
	bool had_no_processor; /**< got no processor time between two snapshots */
	bool before_init;      /**< MPI_Init has not returned */
	bool multiple;         /**< MPI_THREAD_MULTIPLE, or the thread level is unknown */
	bool no_unexpected;    /**< unexpected messages are unavailable */
	bool no_operations;    /**< pending operations are unavailable */
	bool no_comms;         /**< it has no communicators, as in the last part of MPI_Finalize */
	int64_t n_more;        /**< unexpected messages that the snapshot has only counted */
	int64_t n_more_sends, n_more_receives; /**< pending ones that the snapshot has only counted */
};

/** An open epoch of a rank at a window. */
enum vd_epoch_kind { VD_LOCKED_SHARED, VD_LOCKED_EXCLUSIVE, VD_STARTED, VD_POSTED };

struct vd_epoch {
	int32_t comm; /**< the window */
	int32_t peer; /**< index of the locked, accessing or accessed rank; VD_ANY: all; VD_UNKNOWN */
	int32_t held; /**< of a lock: index of a rank whose lock MPI has granted for certain; VD_UNKNOWN */
	uint8_t kind; /**< enum vd_epoch_kind */
};

/** Windows and files have the members of a communicator and are stored as communicators. */
enum vd_comm_kind { VD_COMM, VD_WINDOW, VD_FILE };

struct vd_comm {
	const char *name;
	int32_t *members;   /**< indexes of ranks: local group, then remote group; VD_UNKNOWN: not in the snapshot */
	int32_t n, n_local; /**< members == NULL: the ranks 0 .. n - 1 of the job */
	int64_t context;    /**< the MPI library's number of it; -1: not known */
	bool inter;
	bool shares_members; /**< they belong to vd_job.lists */
	bool internal;       /**< created by the library; the program cannot wait in it directly */
	bool of_program;     /**< for certain: it is no communicator that the library makes for a window */
	bool is_mixed_up;    /**< set in the first of those with one name: ranks have different numbers of them */
	uint8_t kind;        /**< enum vd_comm_kind */
	int32_t part_of; /**< of an internal one made for the collectives of another: index of that one; VD_UNKNOWN */
	int32_t first_alike; /**< first of the windows or files with this communicator and name, and their number */
	int32_t n_alike;
};

/**
 * Message numbers (16 bits) that a rank keeps for another rank in a communicator; or, if n_early is set, messages
 * that arrived before one with a lower number; or, if peer is VD_ANY, the fact that its numbers are known.
 */
struct vd_flow {
	int32_t owner, peer, comm; /**< indexes */
	uint16_t sent;             /**< last number sent to the peer */
	uint16_t expected;         /**< next number expected from it */
	uint32_t n_early;
};

/** A partitioned message in progress, recorded by one of its two ranks. */
struct vd_partitioned {
	uint64_t request;
	int64_t tag;        /**< -1: not known */
	int64_t n, n_ready; /**< partitions, and those that the sender has marked ready; -1: not known */
	int32_t comm;       /**< index */
	int32_t peer;       /**< index; VD_UNKNOWN */
	bool is_send;
};

/** Messages that were sent and have not arrived. */
struct vd_transit {
	int32_t comm, from, to;  /**< indexes */
	uint32_t n;              /**< 0: the numbers are of different moments and do not agree: unknown */
	uint16_t sent, expected; /**< last number sent, next number expected */
	bool stayed;             /**< none of them has arrived although both ranks have polled */
};

/** A rank whose message numbers in a communicator are known. */
struct vd_known {
	int32_t comm, owner; /**< indexes */
};

/** Start with all zero; vd_job_deinit() frees. */
struct vd_job {
	struct vd_rank *ranks;
	struct vd_thread *threads;
	struct vd_op *ops;
	int32_t *awaits; /**< indexes of operations */
	struct vd_comm *comms;
	struct vd_epoch *epochs;
	struct vd_flow *flows;
	struct vd_partitioned *partitioned;
	struct vd_other *others;
	struct vd_child *children;
	int64_t *enders;             /**< process ids */
	struct vd_transit *transits; /**< by communicator, sender, receiver (flows.h) */
	struct vd_known *known;      /**< by communicator, owner */
	size_t n_flows, n_transits, n_known;
	size_t n_partitioned, n_others, n_children, n_enders;
	size_t n_ranks, n_threads, n_ops, n_awaits, n_comms, n_epochs;
	size_t n_with_objects,
		n_without; /**< number of ranks whose windows and files are recorded, and of those where they are not */
	int32_t n_worlds;
	struct vd_strings *strings;
	struct vd_names *comm_names; /**< communicators by their identity (load_comms.c) */
	struct vd_names *rank_names;
	struct vd_names *ports; /**< ranks that wait at the two ends of a port (ports.h) */
	struct vd_lists *lists; /**< members of communicators, by their JSON text (job.h) */
	size_t n_absent;        /**< members in ranges beyond the ranks of the snapshot (members.h) */
	size_t n_refused; /**< lists of members that were left out: too long for the snapshot, or not as long as the
			     communicator */
	struct vd_sources *sources; /**< where source files are (source.h); NULL: none is read. Borrowed */
	bool any_memberless;  /**< a rank has a communicator whose members are unknown: it may be with another job */
	bool basis_is_moment; /**< the text is about one moment of all ranks */
	bool every_line;      /**< the lists of the report are not cut short */
	size_t columns;    /**< of the terminal for which it is: places that do not fit have a line of their own; 0: no
			      limit */
	const char *basis; /**< text about the times at which the ranks were read; NULL: not printed */
	const char *unseen_sends; /**< why it is unknown whether messages are sent that cannot be seen on their way, so
				     that ranks that poll may get one; NULL: it is known, or was not asked */
	const char *no_returns;   /**< why it is unknown whether calls return (vd_thread.stays, may_return); NULL: it is
				     not */
	bool no_memory;
};

/** Add a zeroed element. @return valid until the next one is added; NULL: out of memory, and job->no_memory is set. */
struct vd_rank *vd_add_rank(struct vd_job *job);
struct vd_thread *vd_add_thread(struct vd_job *job); /**< of the last rank */
struct vd_op *vd_add_op(struct vd_job *job);         /**< of the last rank */
struct vd_comm *vd_add_comm(struct vd_job *job);
struct vd_epoch *vd_add_epoch(struct vd_job *job); /**< of the last rank */
bool vd_add_await(struct vd_job *job, int32_t op); /**< of the last thread */

/** A copy of a string that lives as long as the job; equal strings are stored once. NULL: out of memory, or @p
 * text is NULL. */
const char *vd_string(struct vd_job *job, const char *text);

/** The kind of a function: VD_CALL_ALL for "MPI_Waitall", VD_CALL_NONE for NULL. */
enum vd_call vd_call_of(const char *function);

/** Does the function wait for a message without receiving it? "MPI_Probe", "MPI_Mprobe" */
bool vd_is_probe(const char *function);

/** Does it take the message from the queue, so that no receive gets it? "MPI_Mprobe" */
bool vd_takes_message(const char *function);

/**
 * Does a thread in the function only wait for messages of ranks, even if it is unknown for which? It does not work for
 * some time, or wait for another job. One that has stayed in its call (vd_thread.stays) waits for a message that has
 * not been sent.
 */
bool vd_only_waits(const char *function);

/**
 * May two calls of the function look like one in memory, so that it matters whether the thread has returned in between?
 * Those that only wait, those that return when one of several operations is complete while the others stay pending
 * ("MPI_Waitsome"), and those of a window, whose messages are not seen.
 */
bool vd_returns_count(const char *function);

/** Does the collective connect groups or jobs, so that it can be followed only if its arguments are recorded? */
bool vd_connects(const char *function);

/** May a thread that is in no MPI function end a wait of its rank? @param strict: unless that is excluded
 * at one moment */
bool vd_may_act(const struct vd_job *job, const struct vd_rank *r, const struct vd_thread *t, bool strict);

/**
 * Does the standard make sure that no rank leaves the collective before all have entered
 * it? What libraries usually do is no proof. If counts or datatypes of a collective with
 * data differ, which is an error of the program, a rank may leave early.
 */
bool vd_synchronizes(const struct vd_comm *c, const char *function);

/** Has the collective counts and datatypes? MPI_Barrier and those that create communicators have none. */
bool vd_has_data(const char *function);

/** Has the collective a root? */
bool vd_has_root(const char *function);

/** May ranks mean different windows or files by this entry, because several could not be told apart? */
bool vd_comm_is_unsure(const struct vd_job *job, int32_t comm);

/** Release. An all-zero job is accepted. */
void vd_job_deinit(struct vd_job *job);

/* ---- from JSON --------------------------------------------------------------------------------------- */

/**
 * Set the identities of the ranks before any of them is loaded: messages name them.
 *
 * @param world   index of its MPI_COMM_WORLD
 * @param mpi_job the MPI's number of it; -1: unknown
 * @return false: no rank of a job, or it exists already; nothing was added.
 */
bool vd_name_rank(struct vd_job *job, int64_t world, int64_t rank, int64_t mpi_job);

/** vd_name_rank() of a PROCESS of docs/json.md, as written by mpidbg snapshot. */
bool vd_load_rank(struct vd_job *job, const json_t *process);

/** Mark a rank as not read, because several processes claim to be it. Unknown ranks are ignored. */
void vd_forget_rank(struct vd_job *job, int64_t world, int64_t rank);

/** Load threads, operations and communicators of the i-th rank. The ranks must be loaded in order. */
void vd_load_process(struct vd_job *job, size_t i, const json_t *process);

/** Keys of the lists of operations of a communicator: "pending_sends" for 0; NULL: no more. */
const char *vd_op_list(unsigned list);

/** Find a rank by world and number, by which vd_job.ranks must be sorted; NULL: none. */
const struct vd_rank *vd_find_rank(const struct vd_job *job, int32_t world, int32_t rank);

/** Give communicators without a name texts that differ: their
 * ranks, and their numbers in the MPI library. After loading. */
void vd_name_comms(struct vd_job *job);

/**
 * Find the communicators of threads that make a window, when all ranks are loaded: a thread that waits in one which is
 * the program's for certain has passed this one.
 */
void vd_find_passed(struct vd_job *job);

/**
 * Mark the ranks that went on between two snapshots of the same job, and those that could not, because they were
 * stopped: vd_rank.went_on and one_moment of @p later. The others had time to receive what was in flight.
 *
 * @return how many
 */
size_t vd_compare(const struct vd_job *earlier, struct vd_job *later);

/* ---- analysis --------------------------------------------------------------------------------------- */

/**
 * VD_SPINS: ranks poll, all others wait for them, and nothing has happened between the readings: that may last for
 * ever, but is not certain.
 */
enum vd_result { VD_NO_DEADLOCK, VD_MISSING_RANK, VD_MISMATCH, VD_DEADLOCK, VD_SPINS };

/** The activity of a rank. */
enum vd_class {
	VD_FREE,    /**< in no MPI function */
	VD_POLLING, /**< calls functions that do not wait */
	VD_WAITING, /**< waits for something known */
	VD_BUSY,    /**< the same, but another of its threads may still call MPI */
	VD_OPAQUE,  /**< waits for something unknown */
	VD_MOVING,  /**< it has made progress */
	VD_STOPPED, /**< stopped by a signal: it may go on when it is continued */
	VD_OVER     /**< it has ended, or is in MPI_Finalize */
};

/** Why two things do not match. */
enum vd_field {
	VD_FIELD_NONE,
	VD_FIELD_TAG,
	VD_FIELD_COMM,
	VD_FIELD_SOURCE,
	VD_FIELD_DESTINATION, /**< a message went to the rank whose number in the communicator is that of the receiver
				 in the world */
	VD_FIELD_FUNCTION,
	VD_FIELD_ROOT,
	VD_FIELD_COUNT,
	VD_FIELD_DATATYPE,
	VD_FIELD_OPERATION,
	VD_FIELD_LEADER,
	VD_FIELD_DATA /**< a rank has left a collective in which another one waits: root, count or datatype differ */
};

struct vd_verdict {
	enum vd_result result;
	bool stands_still; /**< as far as known no rank can make progress; false: a suspect computes */
	int32_t *waiting;  /**< ranks that wait, in order */
	int32_t *dead;     /**< the waiting ranks that wait forever */
	int32_t *suspects; /**< of VD_MISSING_RANK: the missing ranks */
	int32_t *cycle;    /**< of VD_DEADLOCK: each waits for the next, the last for the first */
	int32_t *unknown;  /**< ranks that wait for something unknown */
	uint8_t *classes;  /**< of each rank, enum vd_class */
	size_t n_waiting, n_dead, n_suspects, n_cycle, n_unknown;
	bool uncertain;      /**< a message in flight, which one moment does not show, may end the wait of the dead */
	bool guessed;        /**< a rank waits for some of several ranks, but it is unknown for which */
	bool knot;           /**< the cycle contains waits for any one of several ranks */
	enum vd_field field; /**< of VD_MISMATCH, and of VD_SPINS if a message is there instead (spinning.h) */
	int32_t at_rank;     /**< rank with the mismatch */
	const struct vd_op *wanted,
		*there;     /**< of a message: the receive, and the operation that differs only in the field */
	int32_t there_rank; /**< rank of that operation */
	const struct vd_thread *here, *other; /**< of collectives: two threads whose calls differ */
	int32_t other_rank;
	int32_t comm;         /**< communicator of the collective in which most ranks wait; VD_UNKNOWN */
	const char *function; /**< that collective */
	int64_t ordinal;      /**< its number in the communicator; 0: not known */
	size_t n_in_collective;
	size_t n_finalizing; /**< ranks in MPI_Finalize that wait for the missing ones; 0 unless no
			      * rank waits otherwise */
};

/**
 * Analyze a snapshot. If ranks are known of one moment only (vd_rank.one_moment), ranks that wait forever whatever is
 * in flight are searched first; if there are none, the verdict is what holds if nothing is in flight:
 * vd_verdict.uncertain.
 *
 * @return false: out of memory. vd_verdict_deinit() frees.
 */
bool vd_judge(const struct vd_job *job, struct vd_verdict *ret);
void vd_verdict_deinit(struct vd_verdict *v);

/** "deadlock", "mismatch", "spinning", "possible deadlock" and
 * "possible mismatch" if uncertain, "missing rank", "no deadlock" */
const char *vd_result_text(const struct vd_verdict *v);

/** The field's name: "tag". */
const char *vd_field_text(enum vd_field field);

/* ---- text ---------------------------------------------------------------------------------------- */

/** The report as text: the conclusion, the evidence, where the
 * ranks are, and what is not matched. @param color for a terminal */
void vd_report(const struct vd_job *job, const struct vd_verdict *v, bool color, FILE *out);

/** The conclusion and the evidence, for output that has shown the rest already. */
void vd_summary(const struct vd_job *job, const struct vd_verdict *v, bool color, FILE *out);

/** The report as a JSON object, a new reference; NULL: out of memory. */
json_t *vd_report_json(const struct vd_job *job, const struct vd_verdict *v);

#endif /* VD_VERDICT_H */
