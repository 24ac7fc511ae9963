/* SPDX-License-Identifier: BSD-3-Clause */
/* Our own categories. A variable or event may be in several. */
#include "category.h"

#define LIST(name, ...) static const char *const name[] = { __VA_ARGS__, NULL }

LIST(library_cvars, "MPI2DD_VERSION", "MPI2DD_WRITE_ENUMS");
LIST(library_pvars, "mpi2dd_calls", "mpi2dd_threads_high", "mpi2dd_time_in_mpi", "mpi2dd_current_function");
LIST(library_events, "mpi2dd_error_returned", "mpi2dd_errhandler_invoked", "mpi2dd_abort");

LIST(registry_cvars, "MPI2DD_TRACK", "MPI2DD_TRACK_COMM", "MPI2DD_TRACK_GROUP", "MPI2DD_TRACK_DATATYPE",
     "MPI2DD_TRACK_ERRHANDLER", "MPI2DD_TRACK_FILE", "MPI2DD_TRACK_INFO", "MPI2DD_TRACK_OP", "MPI2DD_TRACK_REQUEST",
     "MPI2DD_TRACK_WIN", "MPI2DD_TRACK_MESSAGE", "MPI2DD_TRACK_SESSION", "MPI2DD_TRACK_KEYVAL", "MPI2DD_TRACK_ARENA",
     "MPI2DD_TRACK_WHERE", "MPI2DD_TRACK_FREED");
LIST(registry_pvars, "mpi2dd_live_comm", "mpi2dd_live_group", "mpi2dd_live_datatype", "mpi2dd_live_errhandler",
     "mpi2dd_live_file", "mpi2dd_live_info", "mpi2dd_live_op", "mpi2dd_live_request", "mpi2dd_live_win",
     "mpi2dd_live_message", "mpi2dd_live_session", "mpi2dd_live_keyval", "mpi2dd_arena_bytes", "mpi2dd_arena_used");
LIST(dropped_pvars, "mpi2dd_dropped_comm", "mpi2dd_dropped_group", "mpi2dd_dropped_datatype",
     "mpi2dd_dropped_errhandler", "mpi2dd_dropped_file", "mpi2dd_dropped_info", "mpi2dd_dropped_op",
     "mpi2dd_dropped_request", "mpi2dd_dropped_win", "mpi2dd_dropped_message", "mpi2dd_dropped_session",
     "mpi2dd_dropped_keyval", "mpi2dd_dropped_lists", "mpi2dd_dropped_threads");

LIST(comm_pvars, "mpi2dd_live_comm");
LIST(comm_events, "mpi2dd_comm_created", "mpi2dd_comm_freed", "mpi2dd_comm_named", "mpi2dd_processes_spawned");
LIST(file_pvars, "mpi2dd_live_file");
LIST(file_events, "mpi2dd_file_opened", "mpi2dd_file_closed");
LIST(window_pvars, "mpi2dd_live_win");
LIST(window_events, "mpi2dd_epoch_opened", "mpi2dd_epoch_closed");
LIST(request_pvars, "mpi2dd_requests_active", "mpi2dd_requests_started", "mpi2dd_requests_completed",
     "mpi2dd_live_request");
LIST(request_events, "mpi2dd_request_started", "mpi2dd_request_completed");
LIST(message_pvars, "mpi2dd_messages_sent", "mpi2dd_messages_received", "mpi2dd_bytes_sent", "mpi2dd_bytes_received");
LIST(message_events, "mpi2dd_message_sent", "mpi2dd_message_received");
LIST(collective_events, "mpi2dd_collective_entered", "mpi2dd_collective_left");

LIST(debugger_cvars, "MPI2DD_GATE", "MPI2DD_EVERYONE", "MPI2DD_DEBUGGER_FLAGS", "MPI2DD_VARS",
     "MPI2DD_REFRESH_SECONDS");
LIST(stall_cvars, "MPI2DD_STALL_SECONDS", "MPI2DD_HANG");
LIST(stall_events, "mpi2dd_stall");

LIST(event_pvars, "mpi2dd_event_listeners", "mpi2dd_events_delivered", "mpi2dd_events_dropped");
#define EVENT(id, name, source, bind, elements, desc) name,
static const char *const all_events[] = {
#include "own_events.def"
	NULL
};
#undef EVENT

const struct mpit_own_category mpit_own_categories[] = {
	{ .name = "MPI2DD",
	  .desc = "The in-target library of mpidbg.",
	  .cvars = library_cvars,
	  .pvars = library_pvars,
	  .events = library_events },
	{ .name = "MPI2DD_events",
	  .desc = "Events: all of them, and what becomes of them.",
	  .parent = "MPI2DD",
	  .pvars = event_pvars,
	  .events = all_events },
	{ .name = "MPI2DD_registry",
	  .desc = "What the library records of MPI objects, for a debugger.",
	  .parent = "MPI2DD",
	  .cvars = registry_cvars,
	  .pvars = registry_pvars },
	{ .name = "MPI2DD_dropped",
	  .desc = "What the registry had no room for.",
	  .parent = "MPI2DD_registry",
	  .pvars = dropped_pvars },
	{ .name = "MPI2DD_objects", .desc = "MPI objects that the program has.", .parent = "MPI2DD" },
	{ .name = "MPI2DD_communicators",
	  .desc = "Communicators.",
	  .parent = "MPI2DD_objects",
	  .pvars = comm_pvars,
	  .events = comm_events },
	{ .name = "MPI2DD_files",
	  .desc = "Files.",
	  .parent = "MPI2DD_objects",
	  .pvars = file_pvars,
	  .events = file_events },
	{ .name = "MPI2DD_windows",
	  .desc = "Windows and their epochs.",
	  .parent = "MPI2DD_objects",
	  .pvars = window_pvars,
	  .events = window_events },
	{ .name = "MPI2DD_requests",
	  .desc = "Requests.",
	  .parent = "MPI2DD_objects",
	  .pvars = request_pvars,
	  .events = request_events },
	{ .name = "MPI2DD_messages",
	  .desc = "Point-to-point messages.",
	  .parent = "MPI2DD",
	  .pvars = message_pvars,
	  .events = message_events },
	{ .name = "MPI2DD_collectives", .desc = "Collective calls.", .parent = "MPI2DD", .events = collective_events },
	{ .name = "MPI2DD_debugger",
	  .desc = "What a debugger, and who starts one, has to do with the process.",
	  .parent = "MPI2DD",
	  .cvars = debugger_cvars },
	{ .name = "MPI2DD_stall",
	  .desc = "The watchdog.",
	  .parent = "MPI2DD_debugger",
	  .cvars = stall_cvars,
	  .events = stall_events },
};
const int mpit_n_own_categories = sizeof(mpit_own_categories) / sizeof(mpit_own_categories[0]);
