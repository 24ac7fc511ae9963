/* SPDX-License-Identifier: BSD-3-Clause */
#include "fake_mpi2dd.h"

#include <stdio.h>
#include <string.h>

static size_t bytes_of(const struct fake *f, size_t wide, size_t narrow)
{
	return f->word_bytes == 8 ? wide : narrow;
}

void fake_mpi2dd_init(struct fake_mpi2dd *ret, struct fake *f)
{
	*ret = (struct fake_mpi2dd){ .f = f };
	ret->proc_bytes = (uint32_t)bytes_of(f, sizeof(struct MPI2DD_PROCDESC_64), sizeof(struct MPI2DD_PROCDESC_32));
	ret->info_addr = fake_alloc_last(f, bytes_of(f, sizeof(struct MPI2DD_INFO_64), sizeof(struct MPI2DD_INFO_32)));
	fake_write(f, ret->info_addr, MPI2DD_MAGIC, MPI2DD_MAGIC_BYTES);
	fake_mpi2dd_put(ret, FAKE_INFO(version), MPI2DD_VERSION);
	fake_mpi2dd_put(ret, FAKE_INFO(variant), MPI2DD_VARIANT);
	fake_symbol(f, "MPI2DD_info", ret->info_addr);
	snprintf(ret->world, sizeof(ret->world), "node0:1763712000:4711:1");
}

void fake_mpi2dd_put_at(struct fake_mpi2dd *m, uint64_t addr, struct fake_mpi2dd_field field, int64_t value)
{
	unsigned bytes = (unsigned)bytes_of(m->f, field.bytes64, field.bytes32);
	uint64_t mask = bytes == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * bytes) - 1;

	fake_write_u(m->f, addr + bytes_of(m->f, field.at64, field.at32), bytes, (uint64_t)value & mask);
}

void fake_mpi2dd_put(struct fake_mpi2dd *m, struct fake_mpi2dd_field field, int64_t value)
{
	fake_mpi2dd_put_at(m, m->info_addr, field, value);
}

uint64_t fake_mpi2dd_proc(const struct fake_mpi2dd *m, size_t i)
{
	return m->procs_addr + i * m->proc_bytes;
}

void fake_mpi2dd_job(struct fake_mpi2dd *m, size_t n)
{
	struct fake *f = m->f;
	uint64_t executable = fake_string(f, "/bin/ring"), world = fake_string(f, m->world);
	char host[32];

	m->procs_addr = fake_alloc_last(f, n * m->proc_bytes);
	for (size_t i = 0; i < n; i++) {
		uint64_t at = fake_mpi2dd_proc(m, i);

		snprintf(host, sizeof(host), "node%zu", i / 2);
		fake_mpi2dd_put_at(m, at, FAKE_PROC(host_name), (int64_t)fake_string(f, host));
		fake_mpi2dd_put_at(m, at, FAKE_PROC(executable_name), (int64_t)executable);
		fake_mpi2dd_put_at(m, at, FAKE_PROC(comm_world_id), (int64_t)world);
		fake_mpi2dd_put_at(m, at, FAKE_PROC(pid), (int64_t)(1000 + i));
		fake_mpi2dd_put_at(m, at, FAKE_PROC(rank), (int64_t)i);
	}
	fake_mpi2dd_put(m, FAKE_INFO(proctable), (int64_t)m->procs_addr);
	fake_mpi2dd_put(m, FAKE_INFO(proctable_size), (int64_t)n);
	fake_mpi2dd_put(m, FAKE_INFO(mpi_flags), MPI2DD_MPIFLAG_I_AM_DIR | MPI2DD_MPIFLAG_I_AM_METADIR);
	fake_mpi2dd_put(m, FAKE_INFO(meta_host_name), (int64_t)fake_string(f, "node0"));
	fake_mpi2dd_put(m, FAKE_INFO(meta_executable_name), (int64_t)executable);
	fake_mpi2dd_put(m, FAKE_INFO(meta_pid), 1000);
	fake_mpi2dd_put(m, FAKE_INFO(debug_state), MPI2DD_DEBUG_START);
}

void fake_mpi2dd_spawned(struct fake_mpi2dd *m, size_t i, const char *world, int parent_rank, int sequence)
{
	size_t bytes = bytes_of(m->f, sizeof(struct MPI2DD_SPAWNDESC_64), sizeof(struct MPI2DD_SPAWNDESC_32));
	uint64_t spawn = fake_alloc_last(m->f, bytes);

	fake_mpi2dd_put_at(m, spawn, FAKE_SPAWN(parent_comm_world_id), (int64_t)fake_string(m->f, world));
	fake_mpi2dd_put_at(m, spawn, FAKE_SPAWN(parent_rank), parent_rank);
	fake_mpi2dd_put_at(m, spawn, FAKE_SPAWN(sequence), sequence);
	fake_mpi2dd_put_at(m, fake_mpi2dd_proc(m, i), FAKE_PROC(spawn_desc), (int64_t)spawn);
}

uint64_t fake_mpi2dd_places(struct fake_mpi2dd *m, bool meta, size_t n, int first_pid, uint32_t stride)
{
	struct fake *f = m->f;
	uint64_t executable = fake_string(f, "/bin/ring");
	char host[32];

	size_t packed = bytes_of(f, sizeof(struct MPI2DD_DIRECTORYENTRY_64), sizeof(struct MPI2DD_DIRECTORYENTRY_32));
	if (!stride)
		stride = (uint32_t)packed;

	uint64_t table = fake_alloc_last(f, (n - 1) * stride + packed);
	for (size_t i = 0; i < n; i++) {
		snprintf(host, sizeof(host), "dir%zu", i);
		fake_mpi2dd_put_at(m, table + i * stride, FAKE_PLACE(host_name), (int64_t)fake_string(f, host));
		fake_mpi2dd_put_at(m, table + i * stride, FAKE_PLACE(executable_name), (int64_t)executable);
		fake_mpi2dd_put_at(m, table + i * stride, FAKE_PLACE(pid), first_pid + (int)i);
	}
	m->place_stride = stride;
	if (meta) {
		m->metadirectories_addr = table;
		fake_mpi2dd_put(m, FAKE_INFO(metadirectory_table), (int64_t)table);
		fake_mpi2dd_put(m, FAKE_INFO(metadirectory_size), (int64_t)n);
	} else {
		m->directories_addr = table;
		fake_mpi2dd_put(m, FAKE_INFO(directory_table), (int64_t)table);
		fake_mpi2dd_put(m, FAKE_INFO(directory_size), (int64_t)n);
	}
	return table;
}
