/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file verdict.h
 * Why a job hangs: a snapshot of its ranks, and its analysis.
 *
 * A snapshot is plain data: ranks, their threads, the operations that they have pending, the communicators they share.
 * vd_load_process() fills it from the JSON of docs/json.md; a test may fill it by hand. vd_judge() decides in time and
 * memory linear in its size. Nothing here knows a process, a core or an MPI library.
 *
 * A rank is *live* if it may make progress: it is in no MPI function, polls, has made progress, is in an operation
 * that is not followed here, or waits for what a live rank may still do. What is not known counts as live, so that a
 * conclusion is never drawn from what was not read. Ranks that are not live wait forever.
 */
#ifndef VD_VERDICT_H
#define VD_VERDICT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/** In place of the index of a rank, or of a tag. */
enum { VD_ANY = -1, VD_UNKNOWN = -2 };
#define VD_ANY_TAG INT64_MIN

/** A VD_PROBE whose communicator is VD_UNKNOWN is a call of MPI_Probe with arguments that cannot be read. */
enum vd_op_kind { VD_SEND, VD_RECEIVE, VD_PROBE, VD_MESSAGE, VD_COLLECTIVE };

/** A pending operation, or a message that has arrived and was not received. */
struct vd_op {
	uint64_t id;          /**< of the operation in its process */
	int64_t tag;          /**< or VD_ANY_TAG */
	int64_t sequence;     /**< of a non-blocking collective: which of its communicator; -1: unknown */
	int64_t bytes;        /**< of a receive, the size of its buffer; -1: not known */
	const char *function; /**< that began it, borrowed from the job; NULL: not known */
	const char *place;    /**< where that was called, as far as it is recorded; NULL: not known */
	int32_t comm;         /**< index; VD_UNKNOWN */
	int32_t peer;         /**< index of a rank, VD_ANY, VD_UNKNOWN; of a message, its sender */
	int32_t absent;  /**< the peer is not in the snapshot: its rank in its MPI_COMM_WORLD; -1: it is, or unknown */
	uint8_t kind;    /**< enum vd_op_kind */
	bool internal;   /**< the library's own, for a collective */
	bool matched;    /**< or complete: it needs no other rank */
	bool persistent; /**< of a persistent request */
	bool inactive;   /**< a persistent request that was not started */
	bool unsure;     /**< the MPI library may have completed it, and the program was not told */
};

/** What kind of function a thread is in. */
enum vd_call {
	VD_CALL_NONE, /**< in no MPI function */
	VD_CALL_POLL, /**< MPI_Test, MPI_Iprobe ...: comes back by itself */
	VD_CALL_ALL,  /**< waits for all its operations: MPI_Recv, MPI_Wait, MPI_Waitall ... */
	VD_CALL_SOME, /**< waits for one of them: MPI_Waitany, MPI_Waitsome */
	VD_CALL_COLLECTIVE,
	VD_CALL_NEIGHBORS, /**< a collective that waits for neighbours alone: MPI_Neighbor_alltoall */
	VD_CALL_WINDOW,    /**< waits for other ranks at a window: MPI_Win_lock, MPI_Win_complete ... */
	VD_CALL_FINALIZE,
	VD_CALL_OTHER /**< may wait for something that is not followed here */
};

struct vd_thread {
	const char *function; /**< borrowed from the job; NULL: none */
	const char *place;    /**< "residual at solve.c:71": where the program is; NULL: not known */
	const char *inner;    /**< innermost function; NULL: not known */
	int32_t comm;         /**< of a collective or at a window; VD_UNKNOWN */
	int32_t target;       /**< at a window, index of the rank whose part it is; VD_ANY: of all; VD_UNKNOWN */
	int32_t *targets; /**< of MPI_Win_start, indexes of the ranks that must post; VD_UNKNOWN: not in the snapshot */
	int32_t n_targets;     /**< 0: not known */
	uint8_t lock;          /**< of MPI_Win_lock, 1 shared, 2 exclusive; 0: not known */
	int32_t root;          /**< of a collective, index of a rank; VD_UNKNOWN: not known, or it has none */
	int64_t count;         /**< of a collective; -1: not known */
	const char *datatype;  /**< of a collective; NULL: not known */
	const char *signature; /**< basic types of one element of it: "MPI_INT*2 MPI_CHAR*1"; NULL: not known */
	const char *operation; /**< of a reduction, the standard's name of it; NULL: not known, or the program's own */
	int64_t ordinal;       /**< of a collective: which of its communicator, from 1; -1: not known */
	size_t first_await, n_awaits; /**< in vd_job.awaits */
	uint8_t call;                 /**< enum vd_call */
	bool helper;                  /**< of a library: makes no MPI calls of the program's */
};

/** A rank. */
enum vd_state {
	VD_READ,   /**< its threads and operations are there */
	VD_UNREAD, /**< it exists, and could not be read */
	VD_ENDED   /**< MPI_Finalize is done, or the process has ended: it will never send or receive again */
};

struct vd_rank {
	int32_t world, rank; /**< number of its MPI_COMM_WORLD in the job, from 0, and rank in it */
	int32_t first;       /**< index of the first rank of that world, whose n_there says how many there are */
	int32_t n_there;
	int32_t part; /**< number of the part of a merged snapshot: ranks of one part were read at one moment */
	int64_t mpi_job; /**< the MPI's number of that world; -1: it has none. For the first rank also if only another one contains it */
	int64_t pid;               /**< -1: unknown */
	const char *process_state; /**< "sleeping", "running", "stopped" ..., NULL: unknown */
	const char *ended;         /**< of VD_ENDED, how: "has finished MPI", "is gone" */
	size_t first_thread, n_threads, first_op, n_ops, first_epoch, n_epochs;
	uint64_t fingerprint;  /**< of everything that changes when it makes progress */
	uint64_t ops_print;    /**< of its operations only */
	int64_t n_calls;       /**< MPI calls that it has made, as they are recorded; -1: they are not */
	uint8_t state;         /**< enum vd_state */
	bool went_on;          /**< has made progress, or had no processor time to: it counts as live */
	bool had_no_processor; /**< between two looks: it could do nothing */
	bool multiple;         /**< MPI_THREAD_MULTIPLE, or it is not known */
	bool no_unexpected;    /**< unexpected messages are unavailable */
	bool no_operations;    /**< pending operations are unavailable, too */
	int64_t n_more;        /**< unexpected messages that the snapshot has only counted */
};

/** What a rank has begun at a window and not ended. */
enum vd_epoch_kind { VD_LOCKED_SHARED, VD_LOCKED_EXCLUSIVE, VD_STARTED, VD_POSTED };

struct vd_epoch {
	int32_t comm; /**< the window */
	int32_t peer; /**< index of the rank that is locked, that may access, or is accessed; VD_ANY: all; VD_UNKNOWN */
	uint8_t kind; /**< enum vd_epoch_kind */
};

/** Windows and files have the members of a communicator, and are among these. */
enum vd_comm_kind { VD_COMM, VD_WINDOW, VD_FILE };

struct vd_comm {
	const char *name;
	int32_t *
		members; /**< indexes of ranks, first the local group, then the remote one; VD_UNKNOWN: not in the snapshot */
	int32_t n, n_local; /**< members == NULL: the ranks 0 .. n - 1 of the job */
	bool inter;
	bool internal;       /**< the library's own, for nothing that the program waits in by name */
	bool is_mixed_up;    /**< of the first of those that are alike: ranks have different numbers of them */
	uint8_t kind;        /**< enum vd_comm_kind */
	int32_t first_alike; /**< of the windows or files of one communicator with one name the first, and how many */
	int32_t n_alike;
};

/**
 * What a rank knows of the messages between it and another one in a communicator: their numbers, of 16 bits each; or,
 * with n_early, of messages that came before an earlier one did; or, with peer VD_ANY, that its numbers are known.
 */
struct vd_flow {
	int32_t owner, peer, comm; /**< indexes */
	uint16_t sent;             /**< last number sent to the peer */
	uint16_t expected;         /**< next number that is taken in from it */
	uint32_t n_early;
};

/** Messages that were sent and have not arrived. */
struct vd_transit {
	int32_t comm, from, to; /**< indexes */
	uint32_t n;
	uint16_t sent, expected; /**< the last number that was sent, the next that is taken in */
	bool stayed;             /**< none of them has come though both ranks have polled */
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
	struct vd_transit *transits; /**< by communicator, sender, receiver (flows.h) */
	size_t n_flows, n_transits, cap_flows, cap_transits;
	size_t n_ranks, n_threads, n_ops, n_awaits, n_comms, n_epochs;
	size_t cap_ranks, cap_threads, cap_ops, cap_awaits, cap_comms, cap_epochs;
	size_t n_with_objects,
		n_without; /**< ranks whose windows and files are recorded, and those where they are not */
	int32_t n_worlds;
	struct vd_strings *strings;
	struct vd_names *comm_names; /**< communicators by what identifies them */
	struct vd_names *rank_names;
	struct vd_lists *lists; /**< members of communicators by how they are written (job.h) */
	const char *basis;      /**< the times at which the ranks were read, in words; NULL: not printed */
	bool no_memory;
};

/** Make room for @p more elements behind @p n. @return the array, which may have moved; NULL without memory: it is as
 * it was. */
void *vd_grow(void *array, size_t n, size_t more, size_t *cap, size_t size);

/** Add an element, zeroed. @return it, good until the next is added; NULL: no memory, and job->no_memory is set. */
struct vd_rank *vd_add_rank(struct vd_job *job);
struct vd_thread *vd_add_thread(struct vd_job *job); /**< of the last rank */
struct vd_op *vd_add_op(struct vd_job *job);         /**< of the last rank */
struct vd_comm *vd_add_comm(struct vd_job *job);
struct vd_epoch *vd_add_epoch(struct vd_job *job); /**< of the last rank */
bool vd_add_await(struct vd_job *job, int32_t op); /**< of the last thread */

/** A copy of a string that lives as long as the job; equal strings are one. NULL: no memory, or @p text is NULL. */
const char *vd_string(struct vd_job *job, const char *text);

/** What kind of function it is: "MPI_Waitall" is VD_CALL_ALL. NULL is VD_CALL_NONE. */
enum vd_call vd_call_of(const char *function);

/** Does no rank leave the collective before all have entered it? */
bool vd_synchronizes(const char *function);

/** Is the communicator another one for some ranks, because it is unknown which of several windows or files it is? */
bool vd_comm_is_unsure(const struct vd_job *job, int32_t comm);

/** Release. Takes an all-zero job. */
void vd_job_deinit(struct vd_job *job);

/* ---- from JSON --------------------------------------------------------------------------------------- */

/**
 * Set the identities of the ranks before any of them is loaded: messages name them.
 *
 * @param process a PROCESS of docs/json.md, as mpidbg snapshot has it
 * @return false: it is no object, or names a rank that is there already; nothing was added.
 */
bool vd_load_rank(struct vd_job *job, const json_t *process);

/** The rank that the process has counts as not read: there is another process that has it, too. Ranks that are not there: nothing. */
void vd_forget_rank(struct vd_job *job, const json_t *process);

/** Load threads, operations and communicators of the i-th rank. The ranks must be loaded in order. */
void vd_load_process(struct vd_job *job, size_t i, const json_t *process);

/** The rank with this number in this world; NULL: not among them. They are in the order of their world and number. */
const struct vd_rank *vd_find_rank(const struct vd_job *job, int32_t world, int32_t rank);

/**
 * Mark the ranks that went on between two snapshots of the same job: vd_rank.went_on of @p later.
 *
 * @return how many
 */
size_t vd_compare(const struct vd_job *earlier, struct vd_job *later);

/* ---- judgement --------------------------------------------------------------------------------------- */

enum vd_result { VD_NO_DEADLOCK, VD_MISSING_RANK, VD_MISMATCH, VD_DEADLOCK };

/** The activity of a rank. */
enum vd_class {
	VD_FREE,    /**< in no MPI function */
	VD_POLLING, /**< comes back by itself from what it calls */
	VD_WAITING, /**< it is known what for */
	VD_OPAQUE,  /**< it is not known what it waits for */
	VD_MOVING,  /**< it has made progress */
	VD_OVER     /**< it has ended, or is in MPI_Finalize */
};

/** Why two things do not match. */
enum vd_field {
	VD_FIELD_NONE,
	VD_FIELD_TAG,
	VD_FIELD_COMM,
	VD_FIELD_SOURCE,
	VD_FIELD_FUNCTION,
	VD_FIELD_ROOT,
	VD_FIELD_COUNT,
	VD_FIELD_DATATYPE,
	VD_FIELD_OPERATION
};

struct vd_verdict {
	enum vd_result result;
	bool stands_still; /**< no rank can make progress, as far as known; false: a suspect computes */
	int32_t *waiting;  /**< ranks that wait, in order */
	int32_t *dead;     /**< those of them that wait forever */
	int32_t *suspects; /**< of VD_MISSING_RANK: the missing ranks */
	int32_t *cycle;    /**< of VD_DEADLOCK: each waits for the next, the last for the first */
	int32_t *unknown;  /**< ranks of which it is not known what they wait for */
	uint8_t *classes;  /**< of each rank, enum vd_class */
	size_t n_waiting, n_dead, n_suspects, n_cycle, n_unknown;
	bool guessed;                       /**< a rank waits for some of several ranks, and which of them is unknown */
	bool knot;                          /**< the cycle goes through waits for any of several */
	enum vd_field field;                /**< of VD_MISMATCH */
	int32_t at_rank;                    /**< where it was seen */
	const struct vd_op *wanted, *there; /**< of a message: the receive, and what would match but for the field */
	int32_t there_rank;                 /**< whose operation that is */
	const struct vd_thread *here, *other; /**< of collectives: two that are not the same */
	int32_t other_rank;
	int32_t comm;         /**< the communicator of the collective that most wait in; VD_UNKNOWN */
	const char *function; /**< that collective */
	size_t n_in_collective;
};

/** Judge. @return false without memory. vd_verdict_deinit() frees. */
bool vd_judge(const struct vd_job *job, struct vd_verdict *ret);
void vd_verdict_deinit(struct vd_verdict *v);

/** "deadlock", "missing rank", "mismatch", "no deadlock" */
const char *vd_result_text(enum vd_result result);

/** The field's name: "tag". */
const char *vd_field_text(enum vd_field field);

/* ---- in words ---------------------------------------------------------------------------------------- */

/** The report: a headline, the location of the ranks, and the verdict, as text. */
void vd_report(const struct vd_job *job, const struct vd_verdict *v, FILE *out);

/** The report without the locations, for output that has shown them already. */
void vd_summary(const struct vd_job *job, const struct vd_verdict *v, FILE *out);

/** The report as a JSON object, a new reference; NULL without memory. */
json_t *vd_report_json(const struct vd_job *job, const struct vd_verdict *v);

#endif /* VD_VERDICT_H */
