/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * table_target N shared|separate: a process with an MPI2DD process table of N entries: 1000 hosts, one executable, one
 * world. shared: entries point to the same strings; separate: each entry has strings of its own. When the table is
 * made it prints "ready BYTES", the bytes of the table and its strings, and waits to be ended.
 */
#include "../include/mpi2dd.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HOSTS = 1000 };

struct MPI2DD_INFO MPI2DD_info = {
	.magic = { 'M', 'P', 'I', '2', 0x7f },
	.version = MPI2DD_VERSION,
	.variant = MPI2DD_VARIANT,
	.mpi_flags = MPI2DD_MPIFLAG_I_AM_DIR,
};

static size_t string_bytes;

static MPI2DD_ADDR_T keep_text(const char *text)
{
	char *copy = strdup(text);

	if (!copy) {
		fprintf(stderr, "table_target: no memory\n");
		exit(3);
	}
	string_bytes += strlen(text) + 1;
	return (MPI2DD_ADDR_T)copy;
}

int main(int argc, char **argv)
{
	long n = argc == 3 ? atol(argv[1]) : 0;
	bool separate = argc == 3 && strcmp(argv[2], "separate") == 0;
	MPI2DD_ADDR_T hosts[HOSTS], executable = keep_text("/lustre/project/build/bin/simulation");
	MPI2DD_ADDR_T world = keep_text("node000.cluster.example:1763712000.123456:4711:0");
	char host[64];

	if (n < 1 || n > INT32_MAX || (!separate && strcmp(argv[2], "shared") != 0)) {
		fprintf(stderr, "usage: table_target N shared|separate\n");
		return 2;
	}
	struct MPI2DD_PROCDESC *table = calloc((size_t)n, sizeof(*table));
	if (!table) {
		fprintf(stderr, "table_target: no memory\n");
		return 3;
	}
	for (int i = 0; i < HOSTS; i++) {
		snprintf(host, sizeof(host), "node%03d.cluster.example", i);
		hosts[i] = keep_text(host);
	}
	for (long i = 0; i < n; i++) {
		table[i].host_name = hosts[i % HOSTS];
		table[i].executable_name = executable;
		table[i].comm_world_id = world;
		if (separate) {
			table[i].host_name = keep_text((char *)hosts[i % HOSTS]);
			table[i].executable_name = keep_text((char *)executable);
			table[i].comm_world_id = keep_text((char *)world);
		}
		table[i].pid = (MPI2DD_INT32_T)(1000 + i);
		table[i].rank = (MPI2DD_INT32_T)i;
	}
	MPI2DD_info.proctable = (MPI2DD_ADDR_T)table;
	MPI2DD_info.proctable_size = (MPI2DD_INT32_T)n;
	printf("ready %zu\n", (size_t)n * sizeof(*table) + string_bytes);
	fflush(stdout);
	for (;;)
		pause();
}
