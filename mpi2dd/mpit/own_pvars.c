/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Our own performance variables: those that the registry always
 * counts, and those that are counted while a handle is started.
 */
#include "../calls/calls.h"
#include "../calls/watching.h"
#include "../tracker/registry.h"
#include "../tracker/requests.h"
#include "event.h"
#include "pvar.h"
#include "traffic.h"

/* Each kind of the registry: constant, name, description. */
#define KINDS(K)                                                                                                       \
	K(COMM, comm, "communicators")                                                                                 \
	K(GROUP, group, "groups")                                                                                      \
	K(DATATYPE, datatype, "datatypes")                                                                             \
	K(ERRHANDLER, errhandler, "error handlers")                                                                    \
	K(FILE, file, "files")                                                                                         \
	K(INFO, info, "info objects")                                                                                  \
	K(OP, op, "reduction operations")                                                                              \
	K(REQUEST, request, "requests")                                                                                \
	K(WIN, win, "windows")                                                                                         \
	K(MESSAGE, message, "messages of matched probes")                                                              \
	K(SESSION, session, "sessions")                                                                                \
	K(KEYVAL, keyval, "attribute keys")

#define NUMBER(function, expression)                                                                                   \
	static bool function(uint64_t object, void *ret)                                                               \
	{                                                                                                              \
		(void)object;                                                                                          \
		*(uint64_t *)ret = (expression);                                                                       \
		return true;                                                                                           \
	}

/* Other threads keep counting: each number is one that it had at some instant, but not all at the same one. */
#define LOOK(word) __atomic_load_n(&(word), __ATOMIC_RELAXED)

/* A number at a fixed address: fetch() reads it, and so does an outside reader. */
#define WORD(function, word)                                                                                           \
	NUMBER(function, LOOK(word))                                                                                   \
	static struct mpit_cells cells_of_##function(void)                                                             \
	{                                                                                                              \
		return (struct mpit_cells){ .first = &(word), .bytes = sizeof(word), .n = 1 };                         \
	}

/* ---- objects and tables -------------------------------------------------------------------------------- */

static uint64_t active_requests(void)
{
	const struct trk_slab *s = trk_slab_of(TRK_REQUEST);
	const struct trk_request *r = (const struct trk_request *)(uintptr_t)s->records;
	uint32_t high = __atomic_load_n(&s->high, __ATOMIC_ACQUIRE);
	uint64_t n = 0;

	for (uint32_t i = 0; r && i < high && i < s->capacity; i++)
		n += trk_request_state(&r[i]) == TRK_LIVE && LOOK(r[i].flags) & TRK_REQ_ACTIVE;
	return n;
}

static struct mpit_cells of_threads(const void *first, const void *minus)
{
	return (struct mpit_cells){ .first = first,
				    .minus = minus,
				    .bytes = sizeof(uint64_t),
				    .n = TRK_THREADS,
				    .stride = sizeof(struct trk_thread),
				    .in_use = &MPI2DD_registry.n_threads };
}

static struct mpit_cells live_cells(enum trk_kind kind)
{
	const uint32_t *n = &trk_slab_of(kind)->n_live;

	return kind == TRK_REQUEST ? of_threads(&trk_threads[0].n_born, &trk_threads[0].n_retired)
				   : (struct mpit_cells){ .first = n, .bytes = sizeof(*n), .n = 1 };
}

static struct mpit_cells cells_of_calls(void)
{
	return of_threads(&trk_threads[0].n_calls, NULL);
}

#define LIVE(kind, name, words)                                                                                        \
	NUMBER(live_##name, TRK_##kind == TRK_REQUEST ? trk_requests_n_live() : LOOK(trk_slab_of(TRK_##kind)->n_live)) \
	static struct mpit_cells cells_of_live_##name(void)                                                            \
	{                                                                                                              \
		return live_cells(TRK_##kind);                                                                         \
	}                                                                                                              \
	WORD(dropped_##name, trk_slab_of(TRK_##kind)->n_dropped)
KINDS(LIVE)
WORD(dropped_lists, MPI2DD_registry.n_arena_dropped)
WORD(dropped_threads, MPI2DD_registry.n_threads_dropped)
WORD(arena_bytes, MPI2DD_registry.arena_bytes)
WORD(arena_used, MPI2DD_registry.arena_used)
WORD(threads_high, MPI2DD_registry.n_threads)
NUMBER(calls, trk_threads_sum(offsetof(struct trk_thread, n_calls)))
NUMBER(requests_active, active_requests())

/* ---- events -------------------------------------------------------------------------------------------- */

static uint64_t n_listeners(void)
{
	uint64_t n = 0;

	for (int i = 0; i < MPIT_N_EVENTS; i++)
		n += (uint64_t)__atomic_load_n(&mpit_n_listeners[i], __ATOMIC_RELAXED);
	return n;
}
NUMBER(event_listeners, n_listeners())
WORD(events_delivered, mpit_n_delivered)
WORD(events_dropped, mpit_n_lost)

static struct mpit_cells cells_of_event_listeners(void)
{
	return (struct mpit_cells){ .first = mpit_n_listeners,
				    .bytes = sizeof(mpit_n_listeners[0]),
				    .n = MPIT_N_EVENTS,
				    .stride = sizeof(mpit_n_listeners[0]) };
}

/* ---- counted while started ------------------------------------------------------------------------------ */

enum { NANOSECONDS = 1000 * 1000 * 1000 };

WORD(requests_started, mpit_requests_started)
WORD(requests_completed, mpit_requests_completed)

static bool time_in_mpi(uint64_t object, void *ret)
{
	(void)object;
	*(double *)ret = (double)__atomic_load_n(&mpit_nanoseconds_in_mpi, __ATOMIC_RELAXED) * 1e-9;
	return true;
}

static struct mpit_cells cells_of_time_in_mpi(void)
{
	return (struct mpit_cells){ .first = &mpit_nanoseconds_in_mpi,
				    .bytes = sizeof(mpit_nanoseconds_in_mpi),
				    .n = 1,
				    .divisor = NANOSECONDS };
}

#define TRAFFIC(function, which)                                                                                       \
	static bool function(uint64_t object, void *ret)                                                               \
	{                                                                                                              \
		return mpit_traffic_read(object, which, ret);                                                          \
	}                                                                                                              \
	static const uint64_t *cell_of_##function(uint64_t object, uint64_t *id)                                       \
	{                                                                                                              \
		return mpit_traffic_cell(object, which, id);                                                           \
	}
TRAFFIC(messages_sent, MPIT_MESSAGES_SENT)
TRAFFIC(bytes_sent, MPIT_BYTES_SENT)
TRAFFIC(messages_received, MPIT_MESSAGES_RECEIVED)
TRAFFIC(bytes_received, MPIT_BYTES_RECEIVED)

/* ---- the current call ----------------------------------------------------------------------------------- */

static bool current_function(uint64_t object, void *ret)
{
	uint32_t call = trk_current_call();

	(void)object;
	*(int *)ret = call == TRK_NO_CALL ? -1 : (int)call;
	return true;
}

static const struct mpit_enum_item *functions(int *n)
{
	static struct mpit_enum_item items[M2D_N_CALLS + 1];

	items[0] = (struct mpit_enum_item){ -1, "none" };
	for (int i = 0; i < M2D_N_CALLS; i++)
		items[i + 1] = (struct mpit_enum_item){ i, m2d_calls_names[i] + 1 };
	*n = M2D_N_CALLS + 1;
	return items;
}

/* ---- the table ------------------------------------------------------------------------------------------ */

#define ALWAYS(name_, class, words, function)                                                                          \
	{                                                                                                              \
		.name = "mpi2dd_" name_, .desc = words, .verbosity = MPI_T_VERBOSITY_USER_DETAIL,                      \
		.var_class = MPI_T_PVAR_CLASS_##class, .bind = MPI_T_BIND_NO_OBJECT, .type = MPIT_UNSIGNED_LONG_LONG,  \
		.continuous = true, .fetch = function, .cells = cells_of_##function                                    \
	}
#define WORKED_OUT(name_, class, words, function, how)                                                                 \
	{                                                                                                              \
		.name = "mpi2dd_" name_, .desc = words, .verbosity = MPI_T_VERBOSITY_USER_DETAIL,                      \
		.var_class = MPI_T_PVAR_CLASS_##class, .bind = MPI_T_BIND_NO_OBJECT, .type = MPIT_UNSIGNED_LONG_LONG,  \
		.continuous = true, .fetch = function, .worked_out = TRK_WORKED_OUT_##how                              \
	}
#define STARTED(name_, class, words, type_, watch_, function)                                                          \
	{                                                                                                              \
		.name = "mpi2dd_" name_, .desc = words, .verbosity = MPI_T_VERBOSITY_USER_BASIC,                       \
		.var_class = MPI_T_PVAR_CLASS_##class, .bind = MPI_T_BIND_NO_OBJECT, .type = type_, .watch = watch_,   \
		.fetch = function, .cells = cells_of_##function                                                        \
	}
#define OF_COMM(name_, class, words, function)                                                                         \
	{                                                                                                              \
		.name = "mpi2dd_" name_, .desc = words, .verbosity = MPI_T_VERBOSITY_USER_BASIC,                       \
		.var_class = MPI_T_PVAR_CLASS_##class, .bind = MPI_T_BIND_MPI_COMM, .type = MPIT_UNSIGNED_LONG_LONG,   \
		.watch = M2D_WATCH_MESSAGES, .prepare = mpit_traffic_of, .identity = mpit_traffic_identity,            \
		.fetch = function, .cell = cell_of_##function                                                          \
	}

const struct mpit_own_pvar mpit_own_pvars[] = {
	ALWAYS("event_listeners", LEVEL, "Registrations for events that have a callback.", event_listeners),
	ALWAYS("events_delivered", COUNTER, "Callbacks for events that were called.", events_delivered),
	ALWAYS("events_dropped", COUNTER,
	       "Callbacks for events that were not called: none was allowed in the context, it was running already, or "
	       "the "
	       "ring of the ordered source was full.",
	       events_dropped),
	ALWAYS("calls", COUNTER,
	       "MPI calls of the program that were finished, but those of threads beyond the capacity of the registry.",
	       calls),
	ALWAYS("threads_high", HIGHWATERMARK, "Most threads at a time that have called MPI and not ended.",
	       threads_high),
	WORKED_OUT("requests_active", LEVEL, "Requests recorded that are active and not known to be complete.",
		   requests_active, REQUESTS_ACTIVE),
#define LIVE_ROW(kind, name, words)                                                                                    \
	ALWAYS("live_" #name, LEVEL, "Live " words " that are recorded, predefined ones too.", live_##name),
	KINDS(LIVE_ROW)
#define DROPPED_ROW(kind, name, words)                                                                                 \
	ALWAYS("dropped_" #name, COUNTER, "New " words " that were not recorded, because there was no space.",         \
	       dropped_##name),
		KINDS(DROPPED_ROW)
			ALWAYS("dropped_lists", COUNTER,
			       "Lists (members, arguments, texts) that were not recorded, because there was no space.",
			       dropped_lists),
	ALWAYS("dropped_threads", COUNTER, "Threads that were not recorded, because there was no space.",
	       dropped_threads),
	ALWAYS("arena_bytes", SIZE, "Memory for lists (members, arguments, texts), bytes; 0 before the first object.",
	       arena_bytes),
	ALWAYS("arena_used", LEVEL, "Memory for lists that is in use, bytes.", arena_used),
	STARTED("requests_started", COUNTER,
		"Requests made active, or persistent ones started; counted while a handle is started.",
		MPIT_UNSIGNED_LONG_LONG, M2D_WATCH_REQUESTS, requests_started),
	STARTED("requests_completed", COUNTER,
		"Requests that the program was told are complete; counted while a handle is started.",
		MPIT_UNSIGNED_LONG_LONG, M2D_WATCH_REQUESTS, requests_completed),
	STARTED("time_in_mpi", TIMER,
		"Seconds that threads have spent in MPI calls, all together; counted while a handle is started, of "
		"calls "
		"that begin and end while it is.",
		MPIT_DOUBLE, M2D_WATCH_TIME, time_in_mpi),
	OF_COMM("messages_sent", COUNTER,
		"Point-to-point messages given to MPI on the communicator; counted while a handle is started.",
		messages_sent),
	OF_COMM("messages_received", COUNTER,
		"Point-to-point messages that the program was told it has received on the communicator; counted while "
		"a handle "
		"is started.",
		messages_received),
	OF_COMM("bytes_sent", AGGREGATE,
		"Bytes of the messages sent on the communicator, without partitioned ones; counted while a handle is "
		"started.",
		bytes_sent),
	OF_COMM("bytes_received", AGGREGATE,
		"Bytes of the messages received on the communicator; counted while a handle is started.",
		bytes_received),
	{ .name = "mpi2dd_current_function",
	  .desc = "Function that the calling thread is in, in a callback the one that has raised the event; its "
		  "enumeration "
		  "gives the names of the function numbers in events.",
	  .verbosity = MPI_T_VERBOSITY_TUNER_DETAIL,
	  .var_class = MPI_T_PVAR_CLASS_STATE,
	  .bind = MPI_T_BIND_NO_OBJECT,
	  .type = MPIT_INT,
	  .continuous = true,
	  .of_thread = true,
	  .fetch = current_function,
	  .items = functions,
	  .enum_name = "mpi2dd_function" },
};
const int mpit_n_own_pvars = sizeof(mpit_own_pvars) / sizeof(mpit_own_pvars[0]);
