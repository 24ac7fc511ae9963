/* SPDX-License-Identifier: BSD-3-Clause */
#include "detached.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { ANCESTORS_MAX = 256 };

static bool is_below_launcher(const struct host_proclist *list, const struct host_process *p)
{
	for (unsigned n = 0; n < ANCESTORS_MAX && (p = host_proclist_find(list, p->parent)); n++)
		if (host_process_is_launcher(p))
			return true;
	return false;
}

static bool may_be_a_rank(struct host_process *p)
{
	return p->state != 'Z' && p->state != 'X' && !host_process_is_launcher(p) && host_process_look(p) && p->launch;
}

/* The socket behind the descriptor: "socket:[4711]". */
static bool connection(const struct host_process *p, char *ret, size_t size)
{
	char path[64];

	if (p->pmi_fd < 0)
		return false;
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)p->tid, (int)p->pmi_fd);
	ssize_t n = readlink(path, ret, size - 1);
	if (n <= 0)
		return false;
	ret[n] = '\0';
	return strncmp(ret, "socket:", 7) == 0;
}

static bool is_same_rank(const struct host_process *a, const struct host_process *b)
{
	char mine[64], its[64];

	if (a->launch != b->launch || a->rank != b->rank || strcmp(a->job, b->job) != 0)
		return false;
	return *a->job || (connection(a, mine, sizeof(mine)) && connection(b, its, sizeof(its)) && !strcmp(mine, its));
}

/* The outermost of the processes that may have started it. NULL: none. */
static struct host_process *wrapper_of(struct host_proclist *list, const struct host_process *rank)
{
	uid_t mine, its;

	for (size_t i = 0; i < list->n; i++) {
		struct host_process *p = &list->v[i];

		if (p == rank || !may_be_a_rank(p) || !is_same_rank(rank, p) || !is_below_launcher(list, p) ||
		    host_process_has_mpi(p) || !host_owner(rank->pid, &mine) || !host_owner(p->pid, &its) ||
		    mine != its)
			continue;
		return p;
	}
	return NULL;
}

void host_detached_connect(struct host_proclist *list)
{
	for (size_t i = 0; i < list->n; i++) {
		struct host_process *p = &list->v[i];

		if (!may_be_a_rank(p) || is_below_launcher(list, p) || !host_process_has_mpi(p))
			continue;
		const struct host_process *wrapper = wrapper_of(list, p);
		if (wrapper)
			p->parent = p->wrapper = wrapper->pid;
	}
}
