/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_Comm_connect and MPI_Comm_accept. The process that opened a port listens on a socket named after it until the
 * port is closed. A connecting root sends its handshake there before its real call, and one more byte when that call
 * has succeeded. So when the real MPI_Comm_accept returns, the partner's handshake has arrived, or the partner does not
 * carry the library.
 *
 * Several processes may connect to a port at the same time. A process that has sent the byte is the partner of this
 * accept, or of an earlier one that did not wait for it. All others are still waiting for their turn, except one: the
 * partner itself, if it is slow to send the byte.
 */
#include "link_state.h"

#include "../../include/mpi2dd.h"
#include "../calls/calls.h"
#include "alloc_permanent.h"
#include "identity.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>

enum { CONNECTORS_MAX = 256 };

static const char connect_returned = 'R';

struct connector {
	int fd; /* -1: unused */
	bool has_handshake;
	bool is_answered; /* our handshake has been sent to it */
	bool is_taken;    /* it was accepted as a partner before it sent the byte */
	struct m2d_handshake handshake;
};

struct m2d_port {
	struct m2d_port *next;
	pthread_mutex_t lock; /* protects the fields below; held while waiting for a partner */
	bool is_open;
	char name[M2D_CONNECTION_NAME_MAX + 1];
	int listener;
	struct connector *connectors[CONNECTORS_MAX]; /* NULL: never used */
};

/* All ports ever opened; records of closed ones are reused. Lock order: this lock before a port's own. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct m2d_port *ports;

/* ---- ports --------------------------------------------------------------------------------------- */

static struct m2d_port *find_port(const char *name)
{
	for (struct m2d_port *p = ports; p; p = p->next)
		if (p->is_open && strcmp(p->name, name) == 0)
			return p;
	return NULL;
}

static struct m2d_port *unused_port(void)
{
	for (struct m2d_port *p = ports; p; p = p->next)
		if (!p->is_open)
			return p;
	struct m2d_port *p = m2d_alloc_permanent(sizeof(*p));
	if (p) {
		pthread_mutex_init(&p->lock, NULL);
		p->listener = -1;
		p->next = ports;
		ports = p;
	}
	return p;
}

/* The record of a port, with a listening socket; NULL: another process has the name, or out of memory. */
static struct m2d_port *open_port(const char *port_name)
{
	char name[M2D_CONNECTION_NAME_MAX + 1];

	m2d_link_socket_name(name, 'P', port_name);
	pthread_mutex_lock(&lock);
	struct m2d_port *p = find_port(name);
	if (!p) {
		int fd = m2d_connection_listen(name);
		p = fd >= 0 ? unused_port() : NULL;
		if (p) {
			p->listener = fd;
			memcpy(p->name, name, sizeof(p->name));
			p->is_open = true;
		} else {
			m2d_connection_close(&fd);
		}
	}
	pthread_mutex_unlock(&lock);
	return p;
}

/* ---- connectors ---------------------------------------------------------------------------------- */

static struct connector *unused_connector(struct m2d_port *p)
{
	for (size_t i = 0; i < CONNECTORS_MAX; i++) {
		if (!p->connectors[i]) {
			p->connectors[i] = m2d_alloc_permanent(sizeof(struct connector));
			if (p->connectors[i])
				p->connectors[i]->fd = -1;
			return p->connectors[i];
		}
		if (p->connectors[i]->fd < 0)
			return p->connectors[i];
	}
	return NULL;
}

/*
 * Accept the connections that have arrived since the last call.
 * Those for which there is no record stay in the socket's queue.
 */
static void take_connectors(struct m2d_port *p)
{
	for (struct connector *c; (c = unused_connector(p));) {
		int fd = m2d_connection_accept(p->listener);
		if (fd < 0)
			break;
		c->fd = fd;
		c->has_handshake = c->is_answered = c->is_taken = false;
	}
}

static void receive_handshake(struct connector *c, struct m2d_link *m)
{
	if (c->has_handshake || !m2d_connection_wait(c->fd, POLLIN, 0))
		return;
	c->has_handshake = m2d_handshake_receive(c->fd, &c->handshake, &m->scratch,
						 m2d_connection_now() + M2D_LINK_GRACE_MS);
	if (!c->has_handshake)
		m2d_connection_close(&c->fd);
}

static void send_handshake(struct connector *c, struct m2d_link *m)
{
	if (c->fd < 0 || !c->has_handshake || c->is_answered)
		return;
	c->is_answered = m2d_handshake_send(c->fd, &m->mine, &m->scratch, m2d_connection_now() + M2D_LINK_GRACE_MS);
	if (!c->is_answered)
		m2d_connection_close(&c->fd);
}

/* Has its real call succeeded? A connector that has disconnected is removed. */
static bool has_connected(struct connector *c)
{
	char byte;

	if (c->fd < 0 || !c->has_handshake)
		return false;
	ssize_t n = recv(c->fd, &byte, 1, 0);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	m2d_connection_close(&c->fd);
	return n == 1 && byte == connect_returned;
}

static void enter_partner(struct connector *c, struct m2d_link *m)
{
	m->theirs = c->handshake;
	m2d_link_enter(m);
}

/* Process the input of all connectors once. @return true: a partner was found. */
static bool poll_connectors(struct m2d_port *p, struct m2d_link *m)
{
	bool has_partner = false;

	take_connectors(p);
	for (size_t i = 0; i < CONNECTORS_MAX && p->connectors[i]; i++) {
		struct connector *c = p->connectors[i];
		if (c->fd < 0)
			continue;
		receive_handshake(c, m);
		send_handshake(c, m);
		if (has_connected(c)) {
			enter_partner(c, m);
			has_partner = has_partner || !c->is_taken;
		}
	}
	return has_partner;
}

/*
 * Count the connectors that may be the partner of this accept: a
 * handshake has arrived, the size fits, and it is still waiting.
 */
static size_t count_candidates(struct m2d_port *p, int remote_size, struct connector **ret_last)
{
	size_t n = 0;

	for (size_t i = 0; i < CONNECTORS_MAX && p->connectors[i]; i++) {
		struct connector *c = p->connectors[i];
		if (c->fd >= 0 && c->has_handshake && !c->is_taken && c->handshake.group_size == remote_size) {
			*ret_last = c;
			n++;
		}
	}
	return n;
}

static void wait_for_any(struct m2d_port *p, int64_t deadline)
{
	struct pollfd waiting[CONNECTORS_MAX];
	nfds_t n = 0;
	int64_t left = deadline - m2d_connection_now();

	for (size_t i = 0; i < CONNECTORS_MAX && p->connectors[i]; i++)
		if (p->connectors[i]->fd >= 0)
			waiting[n++] = (struct pollfd){ .fd = p->connectors[i]->fd, .events = POLLIN };
	poll(waiting, n, left > 0 ? (int)left : 0);
}

static bool find_partner(struct m2d_port *p, struct m2d_link *m, int remote_size)
{
	int64_t deadline = m2d_connection_now() + M2D_LINK_GRACE_MS;

	for (;;) {
		struct connector *last = NULL;
		if (poll_connectors(p, m))
			return true;
		size_t n = count_candidates(p, remote_size, &last);
		if (n == 0)
			return false;
		if (m2d_connection_now() >= deadline) {
			/* With one candidate, it is the slow partner, or it is about to connect to this port anyway. */
			if (n > 1)
				return false;
			last->is_taken = true;
			enter_partner(last, m);
			return true;
		}
		wait_for_any(p, deadline);
	}
}

/* ---- the wrappers' ------------------------------------------------------------------------------- */

void m2d_link_port_opened(const char *port_name)
{
	int saved = errno;

	if (port_name)
		open_port(port_name);
	errno = saved;
}

static void close_sockets(struct m2d_port *p)
{
	for (size_t i = 0; i < CONNECTORS_MAX && p->connectors[i]; i++)
		m2d_connection_close(&p->connectors[i]->fd);
	m2d_connection_close(&p->listener);
}

static void close_port(struct m2d_port *p, struct m2d_link *m)
{
	pthread_mutex_lock(&p->lock);
	if (p->is_open && m)
		poll_connectors(p, m);
	close_sockets(p);
	p->is_open = false;
	pthread_mutex_unlock(&p->lock);
}

void m2d_link_port_closed(const char *port_name)
{
	int saved = errno;
	char name[M2D_CONNECTION_NAME_MAX + 1];

	if (!port_name)
		return;
	m2d_link_socket_name(name, 'P', port_name);
	pthread_mutex_lock(&lock);
	struct m2d_port *p = find_port(name);
	pthread_mutex_unlock(&lock);
	struct m2d_link *m = p ? m2d_link_begin(0, m2d_constants.comm_null) : NULL;
	if (m)
		m2d_link_write_handshake(m, -1);
	if (p)
		close_port(p, m);
	if (m)
		m2d_link_emit(m, 0);
	m2d_link_end(m);
	errno = saved;
}

void m2d_link_ports_forget(void)
{
	for (struct m2d_port *p = ports; p; p = p->next) {
		close_sockets(p);
		p->is_open = false;
	}
}

void m2d_link_ports_close(void)
{
	struct m2d_link *m = NULL;

	for (;;) {
		struct m2d_port *p;
		pthread_mutex_lock(&lock);
		for (p = ports; p && !p->is_open;)
			p = p->next;
		pthread_mutex_unlock(&lock);
		if (!p)
			break;
		m = m ? m : m2d_link_begin(0, m2d_constants.comm_null);
		if (m)
			m2d_link_write_handshake(m, -1);
		close_port(p, m);
	}
	if (m)
		m2d_link_emit(m, 0);
	m2d_link_end(m);
}

void m2d_link_before_accept(const char *port_name, int root, MPI_Comm comm)
{
	int saved = errno;
	struct m2d_link *m = m2d_link_begin(root, comm);

	if (m && m->is_root && port_name)
		m->port = open_port(port_name);
	errno = saved;
}

void m2d_link_after_accept(int rc, const MPI_Comm *newcomm)
{
	int saved = errno;
	struct m2d_link *m = m2d_link_current();

	if (m && rc == MPI_SUCCESS) {
		bool has_partner = false;
		if (m->port) {
			int remote_size = -1;
			m2d_pmpi.Comm_remote_size(*newcomm, &remote_size);
			m2d_link_write_handshake(m, -1);
			pthread_mutex_lock(&m->port->lock);
			has_partner = m->port->is_open && find_partner(m->port, m, remote_size);
			pthread_mutex_unlock(&m->port->lock);
		}
		m2d_link_inform_rank_0(m, has_partner);
		m2d_link_emit(m, m->is_root ? MPI2DD_DEBUG_ACCEPT : 0);
	}
	m2d_link_end(m);
	errno = saved;
}

void m2d_link_before_connect(const char *port_name, int root, MPI_Comm comm)
{
	int saved = errno;
	struct m2d_link *m = m2d_link_begin(root, comm);
	char name[M2D_CONNECTION_NAME_MAX + 1];

	if (m && m->is_root && port_name) {
		m2d_link_socket_name(name, 'P', port_name);
		m->partner = m2d_connection_reach_name(name);
		m2d_link_write_handshake(m, -1);
		if (m->partner >= 0 &&
		    !m2d_handshake_send(m->partner, &m->mine, &m->scratch, m2d_connection_now() + M2D_LINK_GRACE_MS))
			m2d_connection_close(&m->partner);
	}
	errno = saved;
}

void m2d_link_after_connect(int rc)
{
	int saved = errno;
	struct m2d_link *m = m2d_link_current();

	if (m && rc == MPI_SUCCESS) {
		int64_t deadline = m2d_connection_now() + M2D_LINK_WAIT_MS;
		bool has_partner = m->partner >= 0 && m2d_connection_send(m->partner, &connect_returned, 1, deadline) &&
				   m2d_handshake_receive(m->partner, &m->theirs, &m->scratch, deadline) &&
				   m->theirs.world[0];
		if (has_partner)
			m2d_link_enter(m);
		m2d_link_inform_rank_0(m, has_partner);
		m2d_link_emit(m, m->is_root ? MPI2DD_DEBUG_CONNECT : 0);
	}
	m2d_link_end(m);
	errno = saved;
}
