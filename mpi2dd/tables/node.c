/* SPDX-License-Identifier: BSD-3-Clause */
#include "node.h"

#include "counts.h"
#include "alloc_permanent.h"
#include "connection.h"
#include "text.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

static int listener = -1;
static int *connections; /* in the directory: connections of the processes that have reported */
static size_t n_connections;
static uint64_t world_hash; /* of job, host and node: socket names are too short for names of any length */

static uint64_t hash(uint64_t h, const char *text)
{
	do /* FNV-1a, including the NUL */
		h = (h ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	while (*text++);
	return h;
}

static void socket_name(int local_rank, char *ret, size_t size)
{
	ret[0] = '\0';
	m2d_text_add(ret, size, "mpi2dd.");
	m2d_text_add_number(ret, size, (int64_t)geteuid());
	m2d_text_add(ret, size, ".");
	m2d_text_add_hexadecimal(ret, size, world_hash);
	m2d_text_add(ret, size, ".");
	m2d_text_add_number(ret, size, local_rank);
}

void m2d_node_listen(const struct m2d_launch *launch, const char *host)
{
	char name[M2D_CONNECTION_NAME_MAX];
	int saved = errno;

	world_hash = hash(hash(hash(UINT64_C(0xcbf29ce484222325), launch->job), host), launch->node);
	socket_name(launch->local_rank, name, sizeof(name));
	if (launch->local_size > 1)
		listener = m2d_connection_listen(name);
	errno = saved;
}

static bool is_listening(int local_rank)
{
	char name[M2D_CONNECTION_NAME_MAX];

	socket_name(local_rank, name, sizeof(name));
	int fd = m2d_connection_reach_name(name);
	bool there = fd >= 0;
	m2d_connection_close(&fd);
	m2d_counts.probes++;
	return there;
}

/* Decode and check a report of this world. @return the sender's local rank; -1: malformed. */
static int decode_report(struct m2d_message *m, struct m2d_process *ret)
{
	int local_rank = m2d_message_take_number(m);
	struct m2d_process p = { .rank = m2d_message_take_number(m) };

	p.pid = m2d_message_take_number(m);
	const char *host = m2d_message_take_text(m), *executable = m2d_message_take_text(m);
	if (m->failed || m->at != m->n || p.pid <= 0 || p.rank < 0)
		return -1;
	p.host = m2d_copy_permanent(host);
	p.executable = m2d_copy_permanent(executable);
	if (!p.host || !p.executable)
		return -1;
	*ret = p;
	return local_rank;
}

size_t m2d_node_gather(const struct m2d_launch *launch, struct m2d_process *ret)
{
	int64_t deadline = m2d_connection_now() + M2D_NODE_GATHER_MS;
	size_t n_others = (size_t)launch->local_size - 1, n_there = 0;
	int saved = errno;

	if (listener < 0 || n_others == 0)
		return 0;
	connections = m2d_alloc_permanent(n_others * sizeof(*connections));
	bool *seen = m2d_alloc_permanent((size_t)launch->local_size * sizeof(*seen));
	struct m2d_message *m = m2d_alloc_permanent(sizeof(*m));
	if (!connections || !seen || !m)
		return 0;
	for (int i = 1; i < launch->local_size; i++)
		n_there += is_listening(i);
	while (n_connections < n_there) {
		int fd = m2d_connection_wait(listener, POLLIN, deadline) ? m2d_connection_accept(listener) : -1;
		int local_rank = -1;
		if (fd < 0)
			break;
		if (m2d_message_receive(fd, m, deadline))
			local_rank = decode_report(m, &ret[n_connections]);
		if (local_rank < 1 || local_rank >= launch->local_size || seen[local_rank]) {
			m2d_connection_close(&fd);
			n_there--;
			continue;
		}
		seen[local_rank] = true;
		connections[n_connections++] = fd;
	}
	errno = saved;
	return n_connections;
}

void m2d_node_answer(const struct m2d_message *answer)
{
	int saved = errno;

	for (size_t i = 0; i < n_connections; i++) {
		/* Does not block: an answer is smaller than a socket's buffer. */
		m2d_message_send(connections[i], answer, m2d_connection_now() + M2D_NODE_GATHER_MS);
		m2d_connection_close(&connections[i]);
		m2d_counts.node_messages++;
		m2d_counts.node_bytes += answer->n;
	}
	n_connections = 0;
	errno = saved;
}

bool m2d_node_report(const struct m2d_launch *launch, const struct m2d_process *self, struct m2d_message *ret)
{
	char name[M2D_CONNECTION_NAME_MAX];
	int saved = errno;

	if (listener < 0) /* without a socket the directory does not find us */
		return false;
	socket_name(0, name, sizeof(name));
	int fd = m2d_connection_reach_name(name);
	m2d_counts.probes++;
	if (fd < 0) {
		errno = saved;
		return false;
	}
	*ret = (struct m2d_message){ 0 };
	m2d_message_put_number(ret, launch->local_rank);
	m2d_message_put_number(ret, self->rank);
	m2d_message_put_number(ret, self->pid);
	m2d_message_put_text(ret, self->host);
	m2d_message_put_text(ret, self->executable);
	m2d_counts.node_messages++;
	m2d_counts.node_bytes += ret->n;
	bool ok = m2d_message_send(fd, ret, m2d_connection_now() + M2D_NODE_GATHER_MS) &&
		  m2d_message_receive(fd, ret, m2d_connection_now() + M2D_NODE_ANSWER_MS);
	m2d_connection_close(&fd);
	errno = saved;
	return ok;
}

void m2d_node_close(void)
{
	int saved = errno;

	m2d_connection_close(&listener);
	for (size_t i = 0; i < n_connections; i++)
		m2d_connection_close(&connections[i]);
	n_connections = 0;
	errno = saved;
}
