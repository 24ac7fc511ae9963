/* SPDX-License-Identifier: BSD-3-Clause */
/* Converts what has happened to the values of an event, and decides which calls must be watched for each event type. */
#include "emit.h"

#include "../calls/watching.h"
#include "event.h"
#include "traffic.h"

#define RAISE(event, object, ...)                                                                                      \
	do {                                                                                                           \
		if (mpit_has_listener(event))                                                                          \
			mpit_raise(event, MPI_T_CB_REQUIRE_NONE, object, (const uint64_t[]){ __VA_ARGS__ });           \
	} while (0)

void mpit_emit_error(int call, int code)
{
	RAISE(MPIT_EVENT_ERROR_RETURNED, 0, (uint64_t)call, (uint64_t)code);
}

void mpit_emit_abort(int code)
{
	RAISE(MPIT_EVENT_ABORT, 0, (uint64_t)code);
}

bool mpit_has_message_listener(void)
{
	return __atomic_load_n(&m2d_watching, __ATOMIC_RELAXED) & M2D_WATCH_MESSAGES;
}

void mpit_emit_message_sent(const struct mpit_message *m)
{
	mpit_traffic_count(m->comm, false, m->bytes);
	RAISE(MPIT_EVENT_MESSAGE_SENT, 0, (uint64_t)m->peer, (uint64_t)m->tag, m->bytes, m->comm, (uint64_t)m->call);
}

void mpit_emit_message_received(const struct mpit_message *m)
{
	mpit_traffic_count(m->comm, true, m->bytes);
	RAISE(MPIT_EVENT_MESSAGE_RECEIVED, 0, (uint64_t)m->peer, (uint64_t)m->tag, m->bytes, m->comm,
	      (uint64_t)m->call);
}

void mpit_emit_request_started(uint64_t request, int call)
{
	__atomic_add_fetch(&mpit_requests_started, 1, __ATOMIC_RELAXED);
	RAISE(MPIT_EVENT_REQUEST_STARTED, 0, request, (uint64_t)call);
}

void mpit_emit_request_completed(uint64_t request, int call)
{
	__atomic_add_fetch(&mpit_requests_completed, 1, __ATOMIC_RELAXED);
	RAISE(MPIT_EVENT_REQUEST_COMPLETED, 0, request, (uint64_t)call);
}

void mpit_emit_collective_entered(uint64_t comm, int call)
{
	RAISE(MPIT_EVENT_COLLECTIVE_ENTERED, comm, (uint64_t)call);
}

void mpit_emit_collective_left(uint64_t comm, int call, int code)
{
	RAISE(MPIT_EVENT_COLLECTIVE_LEFT, comm, (uint64_t)call, (uint64_t)code);
}

void mpit_emit_epoch_opened(uint64_t win, enum mpit_epoch kind, int rank, int call)
{
	RAISE(MPIT_EVENT_EPOCH_OPENED, win, (uint64_t)kind, (uint64_t)rank, (uint64_t)call);
}

void mpit_emit_epoch_closed(uint64_t win, enum mpit_epoch kind, int rank, int call)
{
	RAISE(MPIT_EVENT_EPOCH_CLOSED, win, (uint64_t)kind, (uint64_t)rank, (uint64_t)call);
}

void mpit_emit_comm_created(uint64_t comm, uint64_t parent, int size, int call)
{
	RAISE(MPIT_EVENT_COMM_CREATED, 0, comm, parent, (uint64_t)size, (uint64_t)call);
}

void mpit_emit_comm_freed(uint64_t comm, int call)
{
	RAISE(MPIT_EVENT_COMM_FREED, comm, comm, (uint64_t)call);
}

void mpit_emit_comm_named(uint64_t comm)
{
	RAISE(MPIT_EVENT_COMM_NAMED, comm, comm);
}

void mpit_emit_file_opened(uint64_t file, uint64_t comm)
{
	RAISE(MPIT_EVENT_FILE_OPENED, 0, file, comm);
}

void mpit_emit_file_closed(uint64_t file)
{
	RAISE(MPIT_EVENT_FILE_CLOSED, file, file);
}

void mpit_emit_spawned(int n, uint64_t comm)
{
	RAISE(MPIT_EVENT_SPAWNED, 0, (uint64_t)n, comm);
}

void mpit_emit_errhandler(uint64_t errhandler, int call, int code)
{
	RAISE(MPIT_EVENT_ERRHANDLER, 0, errhandler, (uint64_t)call, (uint64_t)code);
}

int64_t mpit_emit_clock(void)
{
	return mpit_now();
}

void mpit_emit_time(int64_t nanoseconds)
{
	__atomic_add_fetch(&mpit_nanoseconds_in_mpi, (uint64_t)nanoseconds, __ATOMIC_RELAXED);
}

/* ---- who listens to what ------------------------------------------------------------------------------- */

void mpit_listener_changed(enum mpit_event event, int more)
{
	static const uint8_t watches[MPIT_N_EVENTS] = {
		[MPIT_EVENT_MESSAGE_SENT] = M2D_WATCH_MESSAGES,
		[MPIT_EVENT_MESSAGE_RECEIVED] = M2D_WATCH_MESSAGES,
		[MPIT_EVENT_REQUEST_STARTED] = M2D_WATCH_REQUESTS,
		[MPIT_EVENT_REQUEST_COMPLETED] = M2D_WATCH_REQUESTS,
		[MPIT_EVENT_COLLECTIVE_ENTERED] = M2D_WATCH_COLLECTIVES,
		[MPIT_EVENT_COLLECTIVE_LEFT] = M2D_WATCH_COLLECTIVES,
		[MPIT_EVENT_EPOCH_OPENED] = M2D_WATCH_EPOCHS,
		[MPIT_EVENT_EPOCH_CLOSED] = M2D_WATCH_EPOCHS,
		[MPIT_EVENT_COMM_CREATED] = M2D_WATCH_OBJECTS,
		[MPIT_EVENT_COMM_FREED] = M2D_WATCH_OBJECTS,
		[MPIT_EVENT_COMM_NAMED] = M2D_WATCH_OBJECTS,
		[MPIT_EVENT_FILE_OPENED] = M2D_WATCH_OBJECTS,
		[MPIT_EVENT_FILE_CLOSED] = M2D_WATCH_OBJECTS,
		[MPIT_EVENT_SPAWNED] = M2D_WATCH_OBJECTS,
		[MPIT_EVENT_ERRHANDLER] = M2D_WATCH_ERRHANDLERS,
	};

	if (watches[event] && more)
		m2d_watch_listen(watches[event], more);
}
