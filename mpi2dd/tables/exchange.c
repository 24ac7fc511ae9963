/* SPDX-License-Identifier: BSD-3-Clause */
#include "exchange.h"

#include "../calls/calls.h"
#include "counts.h"
#include "alloc_permanent.h"
#include "connection.h"

#include <string.h>
#include <time.h>

enum { TAG = 29876 }; /* below the upper bound of tags that every MPI supports */

/* Wait for a message until the deadline; a blocking MPI_Recv would wait forever for a process that has died. */
static bool receive(int source, struct m2d_message *ret, int *ret_source, int64_t deadline)
{
	struct timespec pause = { .tv_nsec = 20 * 1000 };
	MPI_Status status;
	int there = 0;

	for (;;) {
		bool late = m2d_connection_now() > deadline;
		if (m2d_pmpi.Iprobe(source, TAG, m2d_constants.comm_world, &there, &status) != MPI_SUCCESS)
			return false;
		if (there)
			break;
		if (late)
			return false;
		nanosleep(&pause, NULL);
		if (pause.tv_nsec < 1000 * 1000)
			pause.tv_nsec *= 2;
	}
	source = status.MPI_SOURCE;
	memset(ret->bytes, 0, sizeof(ret->bytes));
	if (m2d_pmpi.Recv(ret->bytes, sizeof(ret->bytes), m2d_constants.byte, source, TAG, m2d_constants.comm_world,
			  &status) != MPI_SUCCESS)
		return false;
	ret->n = sizeof(ret->bytes); /* the fields themselves say how many of the bytes are used */
	ret->at = 0;
	ret->failed = false;
	*ret_source = source;
	return true;
}

static void send(int to, const struct m2d_message *m)
{
	if (m->failed)
		return;
	m2d_pmpi.Send(m->bytes, (int)m->n, m2d_constants.byte, to, TAG, m2d_constants.comm_world);
	m2d_counts.mpi_messages++;
	m2d_counts.mpi_bytes += m->n;
}

bool m2d_exchange_gather(int n_processes, struct m2d_process **ret, size_t *ret_n, bool *ret_complete)
{
	int64_t deadline = m2d_connection_now() + M2D_EXCHANGE_WAIT_MS;
	struct m2d_message *m = m2d_alloc_permanent(sizeof(*m));
	size_t room = 0;

	*ret = NULL;
	*ret_n = 0;
	*ret_complete = true;
	while (n_processes > 0) {
		struct m2d_process p = { 0 };
		if (!m || !receive(MPI_ANY_SOURCE, m, &p.rank, deadline))
			return false;
		int local_size = m2d_message_take_number(m);
		bool complete = m2d_message_take_number(m) == 1;
		p.pid = m2d_message_take_number(m);
		p.host = m2d_copy_permanent(m2d_message_take_text(m));
		p.executable = m2d_copy_permanent(m2d_message_take_text(m));
		if (*ret_n == room) {
			room = room ? 2 * room : 64;
			struct m2d_process *more = m2d_alloc_permanent(room * sizeof(*more));
			if (more && *ret_n)
				memcpy(more, *ret, *ret_n * sizeof(*more));
			if (!more)
				return false;
			*ret = more;
		}
		if (!p.host || !p.executable)
			return false;
		(*ret)[(*ret_n)++] = p;
		if (m->failed || local_size < 1)
			return false;
		*ret_complete = *ret_complete && complete;
		n_processes -= local_size;
	}
	return n_processes == 0;
}

void m2d_exchange_answer(const struct m2d_process *directories, size_t n, const struct m2d_message *answer)
{
	for (size_t i = 0; i < n; i++)
		send(directories[i].rank, answer);
}

void m2d_exchange_wait_filled(const struct m2d_process *directories, size_t n)
{
	int64_t deadline = m2d_connection_now() + M2D_EXCHANGE_WAIT_MS;
	struct m2d_message *m = m2d_alloc_permanent(sizeof(*m));
	int from;

	for (size_t i = 0; m && i < n; i++)
		receive(directories[i].rank, m, &from, deadline);
}

bool m2d_exchange_report(const struct m2d_process *self, int local_size, bool complete, struct m2d_message *ret)
{
	int from;

	*ret = (struct m2d_message){ 0 };
	m2d_message_put_number(ret, local_size);
	m2d_message_put_number(ret, complete);
	m2d_message_put_number(ret, self->pid);
	m2d_message_put_text(ret, self->host);
	m2d_message_put_text(ret, self->executable);
	if (ret->failed)
		return false;
	send(0, ret);
	return receive(0, ret, &from, m2d_connection_now() + 2 * M2D_EXCHANGE_WAIT_MS);
}

void m2d_exchange_send_filled(void)
{
	struct m2d_message m;

	m.n = 0;
	m.failed = false;
	m2d_message_put_number(&m, 1);
	send(0, &m);
}
