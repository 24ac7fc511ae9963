/* SPDX-License-Identifier: BSD-3-Clause */
#include "metadirectory.h"

#include "../../include/mpi2dd.h"
#include "info.h"
#include "alloc_permanent.h"
#include "identity.h"

#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool is_there(const struct MPI2DD_DIRECTORYENTRY *table, size_t n, const struct m2d_metadirectory_place *p)
{
	for (size_t i = 0; i < n; i++)
		if (table[i].pid == p->pid && strcmp((const char *)table[i].host_name, p->host) == 0)
			return true;
	return false;
}

/*
 * The new array is complete before the pointer changes, and the size grows after that. The old array is not freed: a
 * debugger may be reading it.
 */
static void publish(const struct MPI2DD_DIRECTORYENTRY *table, size_t n)
{
	__atomic_fetch_or(M2D_INFO_FIELD(mpi_flags), (MPI2DD_UINT32_T)MPI2DD_MPIFLAG_I_AM_METADIR, __ATOMIC_RELEASE);
	__atomic_store_n(M2D_INFO_FIELD(metadirectory_table), (MPI2DD_ADDR_T)table, __ATOMIC_RELEASE);
	__atomic_store_n(M2D_INFO_FIELD(metadirectory_size), (MPI2DD_INT32_T)n, __ATOMIC_RELEASE);
}

static bool enter(const struct m2d_metadirectory_place *places, size_t n_places)
{
	const struct MPI2DD_DIRECTORYENTRY *old = (const void *)MPI2DD_info.metadirectory_table;
	size_t n = old ? (size_t)MPI2DD_info.metadirectory_size : 0, n_old = n;
	struct MPI2DD_DIRECTORYENTRY *table = NULL;

	for (size_t i = 0; i < n_places; i++) {
		const struct m2d_metadirectory_place *p = &places[i];
		if (p->pid == m2d_world.pid && strcmp(p->host, m2d_world.host) == 0)
			continue;
		if (is_there(table ? table : old, n, p))
			continue;
		const char *host = m2d_copy_permanent(p->host), *executable = m2d_copy_permanent(p->executable);
		if (!table) {
			table = m2d_alloc_permanent((n + n_places) * sizeof(*table));
			if (table && n)
				memcpy(table, old, n * sizeof(*table));
		}
		if (!table || !host || !executable)
			return false;
		table[n++] = (struct MPI2DD_DIRECTORYENTRY){ .host_name = (MPI2DD_ADDR_T)host,
							     .executable_name = (MPI2DD_ADDR_T)executable,
							     .pid = p->pid };
	}
	if (n == n_old)
		return false;
	publish(table, n);
	return true;
}

bool m2d_metadirectory_enter(const struct m2d_metadirectory_place *places, size_t n)
{
	pthread_mutex_lock(&lock);
	bool changed = enter(places, n);
	pthread_mutex_unlock(&lock);
	return changed;
}
