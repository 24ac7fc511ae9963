/* SPDX-License-Identifier: BSD-3-Clause */
#include "events.h"

#include "../../include/mpi2dd.h"
#include "../calls/calls.h"
#include "identity.h"
#include "info.h"
#include "text.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

enum { GATE_POLL_NS = 2 * 1000 * 1000 };

/* noinline, with a body of its own, so that no linker merges it with an identical function. */
__attribute__((visibility("default"), noinline, used)) void MPI2DD_breakpoint(void)
{
	__asm__ volatile("" ::: "memory");
}

void (*m2d_events_before)(const char *why);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The debugger writes the field, hence volatile. */
static bool debugger_has_set(MPI2DD_UINT32_T flag)
{
	return __atomic_load_n(M2D_INFO_FIELD(debugger_flags), __ATOMIC_ACQUIRE) & flag;
}

static bool is_wanted(int state)
{
	return (state != MPI2DD_DEBUG_DIRECTORY_CHANGED && state != MPI2DD_DEBUG_METADIRECTORY_CHANGED) ||
	       debugger_has_set(MPI2DD_FLAG_REQUEST_DIRECTORY_EVENTS);
}

enum { TEXT_BYTES = 512 };

/* The cause of an event as text, for the mirror of MPI_T. */
static const char *cause_text(int state)
{
	static const char *const texts[] = {
		[MPI2DD_DEBUG_START] = "MPI_Init",           [MPI2DD_DEBUG_SPAWN] = "MPI_Comm_spawn",
		[MPI2DD_DEBUG_CONNECT] = "MPI_Comm_connect", [MPI2DD_DEBUG_ACCEPT] = "MPI_Comm_accept",
		[MPI2DD_DEBUG_JOIN] = "MPI_Comm_join",       [MPI2DD_DEBUG_ABORT] = "MPI_Abort",
	};
	size_t n = sizeof(texts) / sizeof(texts[0]);

	return state >= 0 && (size_t)state < n && texts[state] ? texts[state] : "MPI2DD_breakpoint";
}

static void raise_event(int state, const char *abort_string)
{
	void (*before)(const char *) = __atomic_load_n(&m2d_events_before, __ATOMIC_ACQUIRE);
	int saved = errno;

	if (before)
		before(cause_text(state));
	pthread_mutex_lock(&lock);
	if (abort_string)
		__atomic_store_n(M2D_INFO_FIELD(abort_string), (MPI2DD_ADDR_T)abort_string, __ATOMIC_RELEASE);
	__atomic_store_n(M2D_INFO_FIELD(debug_state), (MPI2DD_BYTE_T)state, __ATOMIC_RELEASE);
	MPI2DD_breakpoint();
	pthread_mutex_unlock(&lock);
	errno = saved;
}

void m2d_events_emit(int state)
{
	if (is_wanted(state))
		raise_event(state, NULL);
}

/* Append a description of the communicator. MPI is asked for its name only between MPI_Init and MPI_Finalize. */
static void add_name(char *text, size_t size, MPI_Comm comm)
{
	char name[MPI_MAX_OBJECT_NAME + 1] = "";
	int n, finalized = 0;

	if (comm == m2d_constants.comm_world) {
		m2d_text_add(text, size, "MPI_COMM_WORLD");
	} else if (comm == m2d_constants.comm_self) {
		m2d_text_add(text, size, "MPI_COMM_SELF");
	} else if (comm == m2d_constants.comm_null) {
		m2d_text_add(text, size, "MPI_COMM_NULL");
	} else if (m2d_world.rank >= 0 && m2d_pmpi.Comm_get_name && m2d_pmpi.Finalized(&finalized) == MPI_SUCCESS &&
		   !finalized && m2d_pmpi.Comm_get_name(comm, name, &n) == MPI_SUCCESS && name[0]) {
		m2d_text_add(text, size, "communicator \"");
		m2d_text_add(text, size, name);
		m2d_text_add(text, size, "\"");
	} else {
		m2d_text_add(text, size, "a communicator without a name");
	}
}

/* Keep printable ASCII only: the names come from the program. */
static void sanitize(char *text)
{
	for (; *text; text++)
		if (*text < ' ' || *text > '~')
			*text = '?';
}

/*
 * A buffer of its own for each text, so that threads that abort at the same time do not overwrite each other's. NULL:
 * all buffers are in use.
 */
static char *alloc_text(void)
{
	static char texts[4][TEXT_BYTES];
	static unsigned next;
	unsigned index = __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED);

	return index < sizeof(texts) / sizeof(texts[0]) ? texts[index] : NULL;
}

static void raise_abort(char *text)
{
	if (m2d_world.rank >= 0) {
		m2d_text_add(text, TEXT_BYTES, " by rank ");
		m2d_text_add_number(text, TEXT_BYTES, m2d_world.rank);
		m2d_text_add(text, TEXT_BYTES, m2d_world.id[0] ? " of " : "");
		m2d_text_add(text, TEXT_BYTES, m2d_world.id);
	} else {
		m2d_text_add(text, TEXT_BYTES, " before MPI_Init");
	}
	sanitize(text);
	raise_event(MPI2DD_DEBUG_ABORT, text);
}

void m2d_events_abort(MPI_Comm comm, int errorcode)
{
	char *text = alloc_text();
	int saved = errno;

	if (text) {
		m2d_text_add(text, TEXT_BYTES, "MPI_Abort(");
		add_name(text, TEXT_BYTES, comm);
		m2d_text_add(text, TEXT_BYTES, ", ");
		m2d_text_add_number(text, TEXT_BYTES, errorcode);
		m2d_text_add(text, TEXT_BYTES, ")");
		raise_abort(text);
	}
	errno = saved;
}

void m2d_events_fatal(const char *function, int code)
{
	char *text = alloc_text();
	int saved = errno;

	if (text) {
		m2d_text_add(text, TEXT_BYTES, "MPI_ERRORS_ARE_FATAL in ");
		m2d_text_add(text, TEXT_BYTES, function ? function : "a function that is not known");
		m2d_text_add(text, TEXT_BYTES, ", error code ");
		m2d_text_add_number(text, TEXT_BYTES, code);
		raise_abort(text);
	}
	errno = saved;
}

void m2d_events_gate(void)
{
	const struct timespec pause = { .tv_nsec = GATE_POLL_NS };
	int saved = errno;

	while (m2d_info_has_gate() && !debugger_has_set(MPI2DD_FLAG_GATE))
		nanosleep(&pause, NULL);
	errno = saved;
}
