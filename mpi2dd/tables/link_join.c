/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_Comm_join: two processes connected by a socket. Before its real call, each listens on a local socket named after
 * the two ends, its own end first; after the call, each looks for the other's socket. The process with the smaller end
 * accepts, the other one connects.
 */
#include "link_state.h"

#include "../../include/mpi2dd.h"
#include "../calls/calls.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { END_CHARS = 2 * (16 + 2 + 4) };

static void put_hex(char **at, const void *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		unsigned char c = ((const unsigned char *)bytes)[i];
		*(*at)++ = "0123456789abcdef"[c >> 4];
		*(*at)++ = "0123456789abcdef"[c & 15];
	}
	**at = '\0';
}

/* Encode an internet address and port; IPv4-mapped IPv6 addresses are encoded as IPv4. */
static bool write_address(const struct sockaddr_storage *a, char *ret)
{
	if (a->ss_family == AF_INET) {
		const struct sockaddr_in *in = (const void *)a;
		put_hex(&ret, &in->sin_addr, 4);
		put_hex(&ret, &in->sin_port, 2);
		return true;
	}
	if (a->ss_family == AF_INET6) {
		const struct sockaddr_in6 *in6 = (const void *)a;
		bool is_v4 = IN6_IS_ADDR_V4MAPPED(&in6->sin6_addr);
		put_hex(&ret, (const char *)&in6->sin6_addr + (is_v4 ? 12 : 0), is_v4 ? 4 : 16);
		put_hex(&ret, &in6->sin6_port, 2);
		return true;
	}
	return false;
}

/* Encode both ends so that both sides agree: the addresses, or for a local socket the processes. */
static bool name_ends(int fd, char *own, char *other)
{
	struct sockaddr_storage here = { 0 }, there = { 0 };
	socklen_t here_bytes = sizeof(here), there_bytes = sizeof(there);

	if (getsockname(fd, (struct sockaddr *)&here, &here_bytes) != 0 ||
	    getpeername(fd, (struct sockaddr *)&there, &there_bytes) != 0)
		return false;
	if (here.ss_family == AF_UNIX) {
		struct ucred peer;
		socklen_t bytes = sizeof(peer);
		pid_t self = getpid();
		if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) != 0 || peer.pid <= 0)
			return false;
		put_hex(&own, &self, sizeof(self));
		put_hex(&other, &peer.pid, sizeof(peer.pid));
		return self != peer.pid;
	}
	return write_address(&here, own) && write_address(&there, other);
}

static void name_socket(char *ret, const char *first, const char *second)
{
	char key[2 * END_CHARS + 2] = "";

	strcat(strcat(strcpy(key, first), ">"), second);
	m2d_link_socket_name(ret, 'J', key);
}

void m2d_link_before_join(int fd)
{
	int saved = errno;
	struct m2d_link *m = m2d_link_begin(0, m2d_constants.comm_null);
	char own[END_CHARS + 1] = "", other[END_CHARS + 1] = "", name[M2D_CONNECTION_NAME_MAX + 1];

	if (m && name_ends(fd, own, other) && strcmp(own, other) != 0) {
		m->is_root = true;
		m->is_server = strcmp(own, other) < 0;
		name_socket(name, own, other);
		name_socket(m->partner_name, other, own);
		m->listener = m2d_connection_listen(name);
	}
	errno = saved;
}

static bool find_partner(struct m2d_link *m)
{
	int64_t deadline = m2d_connection_now() + M2D_LINK_WAIT_MS;
	int seen = m->listener >= 0 ? m2d_connection_reach_name(m->partner_name) : -1;

	if (seen < 0)
		return false;
	if (!m->is_server) {
		m->partner = seen;
		return m2d_link_exchange(m);
	}
	/* The socket exists; the partner keeps it open until we have answered. */
	m->partner = m2d_connection_wait(m->listener, POLLIN, deadline) ? m2d_connection_accept(m->listener) : -1;
	m2d_connection_close(&seen);
	return m->partner >= 0 && m2d_link_exchange(m);
}

void m2d_link_after_join(int rc)
{
	int saved = errno;
	struct m2d_link *m = m2d_link_current();

	if (m && rc == MPI_SUCCESS) {
		m2d_link_write_handshake(m, -1);
		if (find_partner(m))
			m2d_link_enter(m);
		m2d_link_emit(m, MPI2DD_DEBUG_JOIN);
	}
	m2d_link_end(m);
	errno = saved;
}
