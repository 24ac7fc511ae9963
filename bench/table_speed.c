/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * table_speed PID: read that process's MPI2DD process table through the plugin, as a debugger does, check it against
 * what bench/table_target.c writes, and print one line: entries, seconds, seconds of processor time, bytes read by the
 * plugin, reads, kilobytes by which our memory grew at its peak. The process is stopped meanwhile.
 */
#include "../host/host.h"
#include "spent.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_true(const struct mpidbg_world_proc *procs, size_t n)
{
	char host[64];

	for (size_t i = 0; i < n; i++) {
		snprintf(host, sizeof(host), "node%03zu.cluster.example", i % 1000);
		if (procs[i].rank != (int64_t)i || procs[i].pid != (int64_t)(1000 + i) || procs[i].parent_world ||
		    strcmp(procs[i].host, host) != 0 ||
		    strcmp(procs[i].executable, "/lustre/project/build/bin/simulation") != 0 ||
		    strcmp(procs[i].world, "node000.cluster.example:1763712000.123456:4711:0") != 0) {
			fprintf(stderr,
				"table_speed: entry %zu is not what was written: rank %lld, pid %lld, %s, %s, %s\n", i,
				(long long)procs[i].rank, (long long)procs[i].pid, procs[i].host, procs[i].executable,
				procs[i].world);
			return 0;
		}
	}
	return 1;
}

int main(int argc, char **argv)
{
	struct host_error err = { 0 };
	struct host_target *target;
	struct host_plugin plugin;
	struct host_session session;
	struct mpidbg_world_proc *procs = NULL;
	struct mpidbg_stats before = { 0 }, after = { 0 };
	size_t n = 0, n_bad = 0;

	if (argc != 2) {
		fprintf(stderr, "usage: table_speed PID\n");
		return 2;
	}
	const char *path = getenv("MPIDBG_PLUGIN");
	if (host_open_live((pid_t)atol(argv[1]), &target, &err) ||
	    host_plugin_load(path ? path : host_plugin_default_path(), &plugin, &err) ||
	    host_session_open(&plugin, target, NULL, &session, &err)) {
		fprintf(stderr, "table_speed: %s\n", err.text);
		return 3;
	}
	plugin.mpidbg_get_stats(session.process, &before);
	long before_kb = spent_reset_peak();
	double start = spent_seconds(CLOCK_MONOTONIC), cpu_start = spent_seconds(CLOCK_PROCESS_CPUTIME_ID);
	int rc = plugin.mpidbg_get_world_procs(session.process, &procs, &n, &n_bad);
	double seconds = spent_seconds(CLOCK_MONOTONIC) - start,
	       cpu = spent_seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_start;
	long grown_kb = spent_kb("VmHWM") - before_kb;

	plugin.mpidbg_get_stats(session.process, &after);
	if (rc != MPIDBG_SUCCESS || n_bad || !is_true(procs, n)) {
		fprintf(stderr, "table_speed: code %d, %zu entries, %zu bad: %s\n", rc, n, n_bad,
			plugin.mpidbg_error_string(session.process));
		return 3;
	}
	printf("%zu %.6f %.6f %llu %llu %ld\n", n, seconds, cpu,
	       (unsigned long long)(after.read_bytes - before.read_bytes),
	       (unsigned long long)(after.n_reads - before.n_reads), grown_kb);
	plugin.mpidbg_free(procs);
	host_session_close(&session);
	host_plugin_unload(&plugin);
	host_close(target);
	return 0;
}
