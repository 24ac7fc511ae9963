/* SPDX-License-Identifier: BSD-3-Clause */
#include "directory.h"

#include "../../include/mpi2dd.h"
#include "info.h"
#include "alloc_permanent.h"

#include <stdint.h>
#include <string.h>

/* Strings of one table that have been copied already. A table has few different ones: hosts and programs. */
enum { N_COPIES = 16 };
struct copies {
	const char *text[N_COPIES];
	size_t n;
};

static const char *copy_once(struct copies *c, const char *text)
{
	for (size_t i = 0; i < c->n; i++)
		if (strcmp(c->text[i], text) == 0)
			return c->text[i];
	const char *ret = m2d_copy_permanent(text);
	if (ret && c->n < N_COPIES)
		c->text[c->n++] = ret;
	return ret;
}

static void set_flag(MPI2DD_UINT32_T flag)
{
	__atomic_fetch_or(M2D_INFO_FIELD(mpi_flags), flag, __ATOMIC_RELEASE);
}

static void publish(MPI2DD_ADDR_T *table, MPI2DD_INT32_T *size, const void *new_table, size_t n)
{
	if ((MPI2DD_INT32_T)n < *size)
		__atomic_store_n(size, (MPI2DD_INT32_T)n, __ATOMIC_RELEASE);
	__atomic_store_n(table, (MPI2DD_ADDR_T)new_table, __ATOMIC_RELEASE);
	__atomic_store_n(size, (MPI2DD_INT32_T)n, __ATOMIC_RELEASE);
}

bool m2d_directory_set_processes(const struct m2d_process *processes, size_t n, const char *world_id,
				 const struct MPI2DD_SPAWNDESC *spawn)
{
	struct MPI2DD_PROCDESC *table = n <= INT32_MAX ? m2d_alloc_permanent(n * sizeof(*table)) : NULL;
	const char *id = *world_id ? m2d_copy_permanent(world_id) : NULL;
	struct copies hosts = { 0 }, executables = { 0 };

	if (!table || (*world_id && !id))
		return false;
	for (size_t i = 0; i < n; i++) {
		const char *host = copy_once(&hosts, processes[i].host);
		const char *executable = copy_once(&executables, processes[i].executable);
		if (!host || !executable)
			return false;
		table[i] = (struct MPI2DD_PROCDESC){
			.host_name = (MPI2DD_ADDR_T)host,
			.executable_name = (MPI2DD_ADDR_T)executable,
			.spawn_desc = (MPI2DD_ADDR_T)spawn,
			.comm_world_id = (MPI2DD_ADDR_T)id,
			.pid = processes[i].pid,
			.rank = processes[i].rank,
		};
	}
	publish(M2D_INFO_FIELD(proctable), M2D_INFO_FIELD(proctable_size), table, n);
	set_flag(MPI2DD_MPIFLAG_I_AM_DIR);
	return true;
}

bool m2d_directory_set_directories(const struct m2d_process *directories, size_t n)
{
	struct MPI2DD_DIRECTORYENTRY *table = n && n <= INT32_MAX ? m2d_alloc_permanent(n * sizeof(*table)) : NULL;
	struct copies executables = { 0 };

	if (n && !table)
		return false;
	for (size_t i = 0; i < n; i++) {
		const char *host = m2d_copy_permanent(directories[i].host); /* all differ */
		const char *executable = copy_once(&executables, directories[i].executable);
		if (!host || !executable)
			return false;
		table[i] = (struct MPI2DD_DIRECTORYENTRY){ .host_name = (MPI2DD_ADDR_T)host,
							   .executable_name = (MPI2DD_ADDR_T)executable,
							   .pid = directories[i].pid };
	}
	publish(M2D_INFO_FIELD(directory_table), M2D_INFO_FIELD(directory_size), table, n);
	set_flag(MPI2DD_MPIFLAG_I_AM_METADIR);
	return true;
}

void m2d_directory_set_meta(const char *host, const char *executable, int pid)
{
	__atomic_store_n(M2D_INFO_FIELD(meta_host_name), (MPI2DD_ADDR_T)host, __ATOMIC_RELEASE);
	__atomic_store_n(M2D_INFO_FIELD(meta_executable_name), (MPI2DD_ADDR_T)executable, __ATOMIC_RELEASE);
	__atomic_store_n(M2D_INFO_FIELD(meta_pid), (MPI2DD_INT32_T)pid, __ATOMIC_RELEASE);
}

void m2d_directory_forget(void)
{
	MPI2DD_info.mpi_flags &= ~(MPI2DD_UINT32_T)(MPI2DD_MPIFLAG_I_AM_DIR | MPI2DD_MPIFLAG_I_AM_METADIR);
	publish(M2D_INFO_FIELD(proctable), M2D_INFO_FIELD(proctable_size), NULL, 0);
	publish(M2D_INFO_FIELD(directory_table), M2D_INFO_FIELD(directory_size), NULL, 0);
	publish(M2D_INFO_FIELD(metadirectory_table), M2D_INFO_FIELD(metadirectory_size), NULL, 0);
}
