/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * queue_speed PID receives|unexpected: walk all communicators and that queue of each through the plugin, as a
 * debugger does, and print one line: operations, seconds, seconds of processor time, bytes read by the plugin, reads,
 * kilobytes by which our memory grew at its peak. The process is stopped meanwhile.
 */
#include "../host/host.h"
#include "spent.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* @return operations; -1: something failed */
static long walk(const struct host_session *s, mqs_op_class op_class)
{
	const struct host_plugin *p = s->plugin;
	mqs_communicator comm;
	mqs_pending_operation op;
	long n = 0;
	int rc;

	if (p->mqs_update_communicator_list(s->process) != mqs_ok ||
	    p->mqs_setup_communicator_iterator(s->process) != mqs_ok)
		return -1;
	while ((rc = p->mqs_get_communicator(s->process, &comm)) == mqs_ok) {
		rc = p->mqs_setup_operation_iterator(s->process, op_class);
		if (rc == mqs_ok)
			while ((rc = p->mqs_next_operation(s->process, &op)) == mqs_ok)
				n++;
		if (rc != mqs_end_of_list && rc != mqs_no_information) {
			fprintf(stderr, "queue_speed: %s\n", p->mqs_dll_error_string(rc));
			return -1;
		}
		if (p->mqs_next_communicator(s->process) != mqs_ok)
			break;
	}
	return n;
}

int main(int argc, char **argv)
{
	struct host_error err = { 0 };
	struct host_target *target;
	struct host_plugin plugin;
	struct host_session session;
	uint64_t reads = 0, bytes = 0;

	if (argc != 3) {
		fprintf(stderr, "usage: queue_speed PID receives|unexpected\n");
		return 2;
	}
	const char *path = getenv("MPIDBG_PLUGIN");
	if (host_open_live((pid_t)atol(argv[1]), &target, &err) ||
	    host_plugin_load(path ? path : host_plugin_default_path(), &plugin, &err) ||
	    host_session_open(&plugin, target, NULL, &session, &err)) {
		fprintf(stderr, "queue_speed: %s\n", err.text);
		return 3;
	}
	long before_kb = spent_reset_peak();
	double start = spent_seconds(CLOCK_MONOTONIC), cpu_start = spent_seconds(CLOCK_PROCESS_CPUTIME_ID);
	long n = walk(&session, strcmp(argv[2], "receives") == 0 ? mqs_pending_receives : mqs_unexpected_messages);
	double seconds = spent_seconds(CLOCK_MONOTONIC) - start,
	       cpu = spent_seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_start;
	long grown_kb = spent_kb("VmHWM") - before_kb;

	host_session_reads(&session, &reads, &bytes);
	host_session_close(&session);
	host_plugin_unload(&plugin);
	host_close(target);
	if (n < 0)
		return 3;
	printf("%ld %.6f %.6f %llu %llu %ld\n", n, seconds, cpu, (unsigned long long)bytes, (unsigned long long)reads,
	       grown_kb);
	return 0;
}
