/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The children's side of MPI_Comm_spawn, in MPI_Init.
 */
#include "link_state.h"

#include "../../include/mpi2dd.h"
#include "../calls/calls.h"
#include "alloc_permanent.h"
#include "text.h"
#include "identity.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct {
	int fd; /* connection to the parent's root, from before the real MPI_Init until the tables are filled */
	bool is_open, has_exchanged;
	bool is_spawned; /* the MPI library reports a parent */
	bool is_known;   /* desc and text identify the parent */
	char text[M2D_LINK_ORIGIN_MAX];
	struct MPI2DD_SPAWNDESC desc;
} parent = { .text = "?", .desc = { .parent_rank = -1, .sequence = -1 } };

/* Will this process be rank 0 of MPI_COMM_WORLD? Read from the launcher's environment. */
static bool is_rank_zero(void)
{
	static const char *const names[] = { "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *value = getenv(names[i]);
		if (value)
			return strcmp(value, "0") == 0;
	}
	return false;
}

/* Connect to the parent and send the first handshake. @p value: "PLACE;SECRET". */
static void connect_to_parent(const char *value)
{
	enum { SECRET_CHARS = M2D_HANDSHAKE_SECRET_CHARS, PLACE_MAX = 1024 };
	const char *end = strrchr(value, ';');
	char place[PLACE_MAX];
	static struct m2d_handshake hello;
	static struct m2d_message scratch;
	int64_t deadline = m2d_connection_now() + M2D_LINK_WAIT_MS;

	if (!end || (size_t)(end - value) >= sizeof(place) || strlen(end + 1) != SECRET_CHARS)
		return;
	memcpy(place, value, (size_t)(end - value));
	place[end - value] = '\0';
	memcpy(hello.secret, end + 1, SECRET_CHARS + 1);
	int fd = m2d_connection_reach(place, deadline);
	if (fd >= 0 && !m2d_handshake_send(fd, &hello, &scratch, deadline))
		m2d_connection_close(&fd);
	memset(&hello, 0, sizeof(hello));
	memset(&scratch, 0, sizeof(scratch));
	if (fd >= 0) {
		parent.fd = fd;
		parent.is_open = true;
	}
}

void m2d_link_before_init(void)
{
	int saved = errno;
	const char *value = getenv(M2D_LINK_VARIABLE);

	if (value && !parent.is_open && is_rank_zero())
		connect_to_parent(value);
	errno = saved;
}

/* ---- who it was ---------------------------------------------------------------------------------- */

static void set_parent(int rank, int sequence, const char *world)
{
	const char *kept = m2d_copy_permanent(world);

	if (!kept || rank < 0 || sequence < 0 || !*world || strlen(world) >= M2D_HANDSHAKE_WORLD_MAX)
		return;
	parent.desc = (struct MPI2DD_SPAWNDESC){ (MPI2DD_ADDR_T)kept, rank, sequence };
	parent.text[0] = '\0';
	m2d_text_add_number(parent.text, sizeof(parent.text), rank);
	m2d_text_add(parent.text, sizeof(parent.text), " ");
	m2d_text_add_number(parent.text, sizeof(parent.text), sequence);
	m2d_text_add(parent.text, sizeof(parent.text), " ");
	m2d_text_add(parent.text, sizeof(parent.text), world);
	parent.is_known = true;
}

void m2d_link_set_origin(const char *text)
{
	char *end;
	int saved = errno;

	if (parent.is_known || !parent.is_spawned || strlen(text) >= M2D_LINK_ORIGIN_MAX)
		return;
	errno = 0;
	long rank = strtol(text, &end, 10);
	bool valid = end != text && *end == ' ' && !errno;
	const char *rest = end + 1;
	long sequence = valid ? strtol(rest, &end, 10) : -1;
	valid = valid && end != rest && *end == ' ' && !errno && rank >= 0 && rank <= INT32_MAX && sequence >= 0 &&
		sequence <= INT32_MAX;
	if (valid)
		set_parent((int)rank, (int)sequence, end + 1);
	errno = saved;
}

const char *m2d_link_origin(void)
{
	return parent.is_spawned ? parent.text : "";
}

const struct MPI2DD_SPAWNDESC *m2d_link_spawn_desc(void)
{
	return parent.is_spawned ? &parent.desc : NULL;
}

static void close_parent(void)
{
	if (parent.is_open)
		m2d_connection_close(&parent.fd);
	parent.is_open = false;
}

void m2d_link_after_init(void)
{
	int saved = errno;
	MPI_Comm comm = m2d_constants.comm_null;
	struct m2d_link *m = NULL;

	parent.is_spawned = m2d_pmpi.Comm_get_parent && m2d_pmpi.Comm_get_parent(&comm) == MPI_SUCCESS &&
			    comm != m2d_constants.comm_null;
	if (parent.is_open && parent.is_spawned && !parent.has_exchanged)
		m = m2d_link_begin(0, m2d_constants.comm_world);
	if (m) {
		m->partner = parent.fd;
		parent.is_open = false;
		parent.has_exchanged = true;
		m2d_link_write_handshake(m, -1);
		if (m2d_link_exchange(m)) {
			set_parent(m->theirs.root_rank, m->theirs.sequence, m->theirs.world);
			m2d_link_enter(m);
			m2d_link_emit(m, 0);
			parent.is_open = true; /* still needed for the byte of m2d_link_tables_filled() */
			m->partner = -1;
		}
		m2d_link_end(m);
	}
	errno = saved;
}

void m2d_link_tables_filled(void)
{
	int saved = errno;

	if (parent.is_open)
		m2d_connection_send(parent.fd, &m2d_link_filled, 1, m2d_connection_now() + M2D_LINK_GRACE_MS);
	close_parent();
	errno = saved;
}

void m2d_link_forget(void)
{
	int saved = errno;

	close_parent();
	m2d_link_ports_forget();
	errno = saved;
}

void m2d_link_before_finalize(void)
{
	int saved = errno;

	m2d_link_ports_close();
	errno = saved;
}
