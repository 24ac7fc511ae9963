/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parts common to all kinds of links: the state of a call, the exchange, and who gets the entries.
 */
#include "link_state.h"

#include "../../include/mpi2dd.h"
#include "../calls/calls.h"
#include "events.h"
#include "alloc_permanent.h"
#include "connection.h"
#include "metadirectory.h"
#include "text.h"
#include "identity.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct m2d_link *unused;
static __thread struct m2d_link *current;

static struct m2d_link *alloc_state(void)
{
	pthread_mutex_lock(&lock);
	struct m2d_link *m = unused;
	if (m)
		unused = m->next;
	pthread_mutex_unlock(&lock);
	if (m)
		memset(m, 0, sizeof(*m));
	else
		m = m2d_alloc_permanent(sizeof(*m));
	if (m)
		m->listener = m->listener_tcp = m->partner = -1;
	return m;
}

/* Is this process between MPI_Init and MPI_Finalize, so that MPI may be called? */
static bool is_initialized(void)
{
	int initialized = 0, finalized = 1;

	return m2d_calls_resolve() && m2d_world.size > 0 && m2d_pmpi.Initialized(&initialized) == MPI_SUCCESS &&
	       initialized && m2d_pmpi.Finalized(&finalized) == MPI_SUCCESS && !finalized;
}

struct m2d_link *m2d_link_begin(int root, MPI_Comm comm)
{
	m2d_link_end(current);
	if (!is_initialized())
		return NULL;
	struct m2d_link *m = alloc_state();
	if (!m)
		return NULL;
	m->root = root;
	m->comm = comm;
	m->has_comm = comm != m2d_constants.comm_null;
	if (m->has_comm) {
		int rank = -1;
		m->is_root = m2d_pmpi.Comm_rank(comm, &rank) == MPI_SUCCESS && rank == root;
	}
	current = m;
	return m;
}

struct m2d_link *m2d_link_current(void)
{
	return current;
}

void m2d_link_end(struct m2d_link *m)
{
	if (!m)
		return;
	if (current == m)
		current = NULL;
	m2d_connection_close(&m->listener);
	m2d_connection_close(&m->listener_tcp);
	m2d_connection_close(&m->partner);
	for (int i = 0; i < m->n_infos; i++)
		if (m->infos[i] != m2d_constants.info_null)
			m2d_pmpi.Info_free(&m->infos[i]);
	m->n_infos = 0;
	if (m->is_in_use)
		return; /* an MPI operation still uses it: do not reuse it */
	pthread_mutex_lock(&lock);
	m->next = unused;
	unused = m;
	pthread_mutex_unlock(&lock);
}

/* ---- handshakes ------------------------------------------------------------------------------------- */

static void copy_text(char *ret, size_t ret_bytes, const char *text)
{
	*ret = '\0';
	m2d_text_add(ret, ret_bytes, text ? text : "");
}

static void fill_place(struct m2d_handshake_place *ret, const char *host, const char *executable, int pid)
{
	copy_text(ret->host, sizeof(ret->host), host);
	copy_text(ret->executable, sizeof(ret->executable), executable);
	ret->pid = pid;
}

void m2d_link_write_handshake(struct m2d_link *m, int sequence)
{
	struct m2d_handshake *l = &m->mine;

	copy_text(l->world, sizeof(l->world), m2d_world.id);
	fill_place(&l->meta, m2d_world.meta_host, m2d_world.meta_executable, m2d_world.meta_pid);
	fill_place(&l->root, m2d_world.host, m2d_world.executable, m2d_world.pid);
	l->root_rank = m2d_world.rank;
	l->sequence = sequence;
	l->group_size = 1;
	if (m->has_comm)
		m2d_pmpi.Comm_size(m->comm, &l->group_size);
}

bool m2d_link_exchange(struct m2d_link *m)
{
	int64_t deadline = m2d_connection_now() + M2D_LINK_WAIT_MS;

	return m2d_handshake_send(m->partner, &m->mine, &m->scratch, deadline) &&
	       m2d_handshake_receive(m->partner, &m->theirs, &m->scratch, deadline) && m->theirs.world[0];
}

/* ---- tables -------------------------------------------------------------------------------------- */

static bool is_metadirectory(void)
{
	return m2d_world.pid == m2d_world.meta_pid && strcmp(m2d_world.host, m2d_world.meta_host) == 0;
}

static struct m2d_metadirectory_place to_place(const struct m2d_handshake_place *p)
{
	return (struct m2d_metadirectory_place){ p->host, p->executable, p->pid };
}

static bool enter_places(const struct m2d_handshake *theirs, const struct m2d_handshake *ours)
{
	struct m2d_metadirectory_place places[3];
	size_t n = 0;

	/* both sides are parts of one world: its own tables list them already */
	if (strcmp(theirs->world, ours->world) == 0)
		return false;
	places[n++] = to_place(&theirs->meta);
	/* the partner's root becomes an additional metadirectory if it is not its world's first one */
	places[n++] = to_place(&theirs->root);
	places[n++] = to_place(is_metadirectory() ? &ours->root : &ours->meta);
	return m2d_metadirectory_enter(places, n);
}

void m2d_link_enter(struct m2d_link *m)
{
	m->changed = enter_places(&m->theirs, &m->mine) || m->changed;
}

void m2d_link_emit(struct m2d_link *m, int state)
{
	if (m->changed)
		m2d_events_emit(MPI2DD_DEBUG_METADIRECTORY_CHANGED);
	m->changed = false;
	if (state)
		m2d_events_emit(state);
}

/* ---- from the root to rank 0 of the world ------------------------------------------------------- */

static bool all_in_world(MPI_Group group, MPI_Group world)
{
	enum { BLOCK = 256 };
	int size = 0, here[BLOCK], there[BLOCK];

	if (m2d_pmpi.Group_size(group, &size) != MPI_SUCCESS)
		return false;
	for (int first = 0; first < size; first += BLOCK) {
		int n = size - first < BLOCK ? size - first : BLOCK;
		for (int i = 0; i < n; i++)
			here[i] = first + i;
		if (m2d_pmpi.Group_translate_ranks(group, n, here, world, there) != MPI_SUCCESS)
			return false;
		for (int i = 0; i < n; i++)
			if (there[i] == MPI_UNDEFINED)
				return false;
	}
	return true;
}

/*
 * Must rank 0 be informed, and does it take part in the call?
 * The answer is the same in all processes of the communicator.
 */
static bool must_inform(struct m2d_link *m)
{
	MPI_Group group, world;
	int zero = 0, root_in_world = MPI_UNDEFINED, zero_in_group = MPI_UNDEFINED;
	bool ret = false;

	if (!m->has_comm || !m2d_world.complete || !m2d_pmpi.Ibcast || !m2d_pmpi.Ibarrier)
		return false;
	if (m2d_pmpi.Comm_group(m->comm, &group) != MPI_SUCCESS)
		return false;
	if (m2d_pmpi.Comm_group(m2d_constants.comm_world, &world) == MPI_SUCCESS) {
		ret = m2d_pmpi.Group_translate_ranks(group, 1, &m->root, world, &root_in_world) == MPI_SUCCESS &&
		      m2d_pmpi.Group_translate_ranks(world, 1, &zero, group, &zero_in_group) == MPI_SUCCESS &&
		      root_in_world != MPI_UNDEFINED && root_in_world != 0 && zero_in_group != MPI_UNDEFINED &&
		      all_in_world(group, world);
		m2d_pmpi.Group_free(&world);
	}
	m2d_pmpi.Group_free(&group);
	return ret;
}

/*
 * Wait for a request. If it does not complete in time it is abandoned, and its buffer is not reused: all processes have
 * started the operation.
 */
static bool wait_request(struct m2d_link *m, MPI_Request *request, int64_t deadline)
{
	for (;;) {
		int done = 0;

		if (m2d_pmpi.Test(request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
			break;
		if (done)
			return true;
		if (m2d_connection_now() > deadline)
			break;
		nanosleep(&(struct timespec){ .tv_nsec = 50000 }, NULL);
	}
	m->is_in_use = true;
	return false;
}

void m2d_link_inform_rank_0(struct m2d_link *m, bool has_partner)
{
	MPI_Request request;
	/* twice, because the root may itself be waiting for its partner */
	int64_t deadline = m2d_connection_now() + 2 * M2D_LINK_WAIT_MS;

	if (!must_inform(m))
		return;
	if (m->is_root && has_partner) {
		m2d_handshake_write(&m->mine, &m->broadcast[0]);
		m2d_handshake_write(&m->theirs, &m->broadcast[1]);
	}
	if (m2d_pmpi.Ibcast(m->broadcast, sizeof(m->broadcast), m2d_constants.byte, m->root, m->comm, &request) !=
	    MPI_SUCCESS)
		return;
	if (wait_request(m, &request, deadline) && !m->is_root && m2d_world.rank == 0 &&
	    m2d_handshake_read(&m->broadcast[0], &m->mine) && m2d_handshake_read(&m->broadcast[1], &m->theirs))
		m2d_link_enter(m);
	/* makes the root wait until rank 0 has its entry */
	if (m2d_pmpi.Ibarrier(m->comm, &request) == MPI_SUCCESS)
		wait_request(m, &request, deadline);
}

/* ---- names --------------------------------------------------------------------------------------- */

/* FNV-1a. Distinguishes names; not cryptographic. */
static uint64_t hash(const char *text, uint64_t start)
{
	uint64_t h = start;

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	return h;
}

void m2d_link_socket_name(char *ret, char kind, const char *key)
{
	const char kind_text[] = { '.', kind, '.', '\0' };
	size_t bytes = M2D_CONNECTION_NAME_MAX + 1;

	*ret = '\0';
	m2d_text_add(ret, bytes, "mpi2dd.");
	m2d_text_add_number(ret, bytes, getuid());
	m2d_text_add(ret, bytes, kind_text);
	m2d_text_add_hexadecimal(ret, bytes, hash(key, UINT64_C(0xcbf29ce484222325)));
	m2d_text_add_hexadecimal(ret, bytes, hash(key, UINT64_C(0x9e3779b97f4a7c15)));
}
