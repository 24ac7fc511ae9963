/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parent's side of MPI_Comm_spawn. The root listens while its real call runs. The children find the place of the
 * socket in their environment, which Open MPI fills from an info key (lines of NAME=VALUE). Other MPIs have no such
 * key: nothing is passed to the children there, and the worlds are not linked.
 */
#include "link_state.h"

#include "../../include/mpi2dd.h"
#include "../calls/calls.h"
#include "../calls/copies.h"
#include "alloc_permanent.h"
#include "text.h"
#include "identity.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char m2d_link_filled = 'F';

/* Number of successful spawns with this process as root. */
static int n_spawned;

#if defined(M2D_OPENMPI_MAJOR)

/*
 * Open MPI 5 (ompi/dpm/dpm.c) also accepts "env", but prints a warning that it is deprecated; Open MPI 4 accepts only
 * "env". PRRTE, the launcher of Open MPI 5, passes the variables of "mpirun -x" to the first job only; the launcher of
 * Open MPI 4 passes them to spawned jobs, too.
 */
#if M2D_OPENMPI_MAJOR >= 5
static const char key[] = "PMIX_ENVAR";
static const bool is_preload_lost = true;
#else
static const char key[] = "env";
static const bool is_preload_lost = false;
#endif

enum { VALUE_MAX = MPI_MAX_INFO_VAL, SECRET_CHARS = M2D_HANDSHAKE_SECRET_CHARS, NAME_CHARS = 16 };

/* ---- the place ----------------------------------------------------------------------------------- */

static bool listen_for_children(struct m2d_link *m, char *ret_name)
{
	char unique[NAME_CHARS + 1];

	if (!m2d_connection_secret(unique, NAME_CHARS) || !m2d_connection_secret(m->mine.secret, SECRET_CHARS))
		return false;
	m2d_link_socket_name(ret_name, 'S', unique);
	m->listener = m2d_connection_listen(ret_name);
	return m->listener >= 0;
}

/*
 * Append "MPI2DD_PARENT=unix:NAME,tcp:...;SECRET" to the program's own value of the key, with as many addresses as fit.
 */
static bool add_line(struct m2d_link *m, const char *name, int port, char *value)
{
	char line[VALUE_MAX] = M2D_LINK_VARIABLE "=unix:";
	size_t taken = strlen(value) + (*value != '\0') + 1 + SECRET_CHARS, room = VALUE_MAX - 1;

	if (taken >= room || !m2d_text_add(line, room - taken, name))
		return false;
	if (port)
		m2d_connection_own_addresses(port, line, room - taken);
	return (!*value || m2d_text_add(value, VALUE_MAX, "\n")) && m2d_text_add(value, VALUE_MAX, line) &&
	       m2d_text_add(value, VALUE_MAX, ";") && m2d_text_add(value, VALUE_MAX, m->mine.secret);
}

static const char preload_variable[] = "LD_PRELOAD=";

/* Does the program itself set LD_PRELOAD for its children, with the other key that Open MPI 5 accepts? */
static bool has_own_preload(MPI_Info info)
{
	char value[VALUE_MAX + 1] = "";
	int has = 0;

	return info != m2d_constants.info_null &&
	       m2d_pmpi.Info_get(info, "env", VALUE_MAX, value, &has) == MPI_SUCCESS && has &&
	       strstr(value, preload_variable);
}

/*
 * Append "LD_PRELOAD=..." with this process's value, if it was loaded that way and the launcher would not pass it on.
 * Not if the program sets LD_PRELOAD for its children, nor if there would be no room left for the other line.
 */
static void add_preload(MPI_Info info, const char *name, char *value)
{
	const char *preload = getenv("LD_PRELOAD");

	if (!is_preload_lost || !preload || !m2d_copies_is_preloaded() || strstr(value, preload_variable) ||
	    has_own_preload(info))
		return;
	size_t other_line = strlen("\n" M2D_LINK_VARIABLE "=unix:") + strlen(name) + 1 + SECRET_CHARS;
	size_t taken = strlen(value) + (*value != '\0') + strlen(preload_variable) + strlen(preload);
	if (taken + other_line >= VALUE_MAX)
		return;
	if (*value)
		m2d_text_add(value, VALUE_MAX, "\n");
	m2d_text_add(value, VALUE_MAX, preload_variable);
	m2d_text_add(value, VALUE_MAX, preload);
}

/* A copy of the program's info with both lines added; MPI_INFO_NULL: failed. */
static MPI_Info info_with_lines(struct m2d_link *m, MPI_Info info, const char *name, int port)
{
	char value[VALUE_MAX + 1] = "";
	MPI_Info copy = m2d_constants.info_null;
	int has = 0;

	if (info == m2d_constants.info_null) {
		if (m2d_pmpi.Info_create(&copy) != MPI_SUCCESS)
			return m2d_constants.info_null;
	} else {
		if (m2d_pmpi.Info_get(info, key, VALUE_MAX, value, &has) != MPI_SUCCESS)
			return m2d_constants.info_null;
		if (!has)
			value[0] = '\0';
		if (m2d_pmpi.Info_dup(info, &copy) != MPI_SUCCESS)
			return m2d_constants.info_null;
	}
	add_preload(info, name, value);
	if (!add_line(m, name, port, value) || m2d_pmpi.Info_set(copy, key, value) != MPI_SUCCESS) {
		m2d_pmpi.Info_free(&copy);
		return m2d_constants.info_null;
	}
	return copy;
}

static void pass_to_children(struct m2d_link *m, int count, const MPI_Info infos[])
{
	char name[M2D_CONNECTION_NAME_MAX + 1];
	int port = 0;

	if (!m2d_calls_is_openmpi())
		return;
	m->infos = m2d_alloc_permanent((size_t)count * sizeof(MPI_Info));
	if (!m->infos || !listen_for_children(m, name))
		return;
	m->listener_tcp = m2d_connection_listen_tcp(&port);
	for (int i = 0; i < count; i++) {
		m->infos[i] = info_with_lines(m, infos[i], name, m->listener_tcp >= 0 ? port : 0);
		m->n_infos = i + 1;
	}
}

/* ---- the children's word ------------------------------------------------------------------------- */

static bool is_hello(struct m2d_link *m, int fd)
{
	int64_t deadline = m2d_connection_now() + M2D_LINK_GRACE_MS;

	return m2d_handshake_receive(fd, &m->theirs, &m->scratch, deadline) &&
	       m2d_connection_same_secret(m->theirs.secret, m->mine.secret);
}

/*
 * Rank 0 of the children sends its handshake before its real MPI_Init, so it has either arrived by now or never will.
 * Only over a network the last packet may still be on its way.
 */
static bool accept_child(struct m2d_link *m)
{
	enum { STRANGERS_MAX = 8 };

	for (int i = 0; i < STRANGERS_MAX; i++) {
		int fd = m->listener >= 0 ? m2d_connection_accept(m->listener) : -1;
		if (fd < 0 && m->listener_tcp >= 0)
			fd = m2d_connection_accept(m->listener_tcp);
		if (fd < 0)
			return false;
		if (is_hello(m, fd)) {
			m->partner = fd;
			return true;
		}
		m2d_connection_close(&fd);
	}
	return false;
}

#else

static void pass_to_children(struct m2d_link *m, int count, const MPI_Info infos[])
{
	(void)m;
	(void)count;
	(void)infos;
}

static bool accept_child(struct m2d_link *m)
{
	(void)m;
	return false;
}

#endif

/* When a debugger is told of the spawn, the children's tables should be filled. */
static void wait_filled(struct m2d_link *m)
{
	char byte;

	m2d_connection_receive(m->partner, &byte, 1, m2d_connection_now() + M2D_LINK_WAIT_MS);
}

/* ---- the wrappers' ------------------------------------------------------------------------------- */

MPI_Info m2d_link_before_spawn(MPI_Info info, int root, MPI_Comm comm)
{
	int saved = errno;
	struct m2d_link *m = m2d_link_begin(root, comm);

	if (m && m->is_root) {
		pass_to_children(m, 1, &info);
		if (m->n_infos == 1 && m->infos[0] != m2d_constants.info_null)
			info = m->infos[0];
	}
	errno = saved;
	return info;
}

const MPI_Info *m2d_link_before_spawns(int count, const MPI_Info infos[], int root, MPI_Comm comm)
{
	int saved = errno;
	struct m2d_link *m = m2d_link_begin(root, comm);

	if (m && m->is_root && infos && count > 0) {
		pass_to_children(m, count, infos);
		bool all = m->n_infos == count;
		for (int i = 0; i < m->n_infos; i++)
			all = all && m->infos[i] != m2d_constants.info_null;
		if (all)
			infos = m->infos;
	}
	errno = saved;
	return infos;
}

void m2d_link_after_spawn(int rc)
{
	int saved = errno;
	struct m2d_link *m = m2d_link_current();

	if (m && rc == MPI_SUCCESS) {
		bool has_partner = false;
		if (m->is_root) {
			m2d_link_write_handshake(m, __atomic_fetch_add(&n_spawned, 1, __ATOMIC_RELAXED));
			has_partner = accept_child(m) && m2d_link_exchange(m);
			if (has_partner) {
				wait_filled(m);
				m2d_link_enter(m);
			}
		}
		m2d_link_inform_rank_0(m, has_partner);
		m2d_link_emit(m, m->is_root ? MPI2DD_DEBUG_SPAWN : 0);
	}
	m2d_link_end(m);
	errno = saved;
}
