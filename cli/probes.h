/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file probes.h
 * Which messages blocked calls of MPI_Probe and MPI_Mprobe ask UCX for.
 *
 * MPICH, and Open MPI over UCX, keep no request for them: they call ucp_tag_probe_nb() again and again, with the
 * source, tag and communicator in its arguments. A thread that is found in such a call is released, its calls are
 * sampled for a few milliseconds (host/arguments.h), and its process is read once more. What it was seen to ask for is
 * passed to the plugin if the thread is still in the same call: its return is counted meanwhile (host/returns.h).
 */
#ifndef CMD_PROBES_H
#define CMD_PROBES_H

#include "../host/host.h"

struct cmd_job;
struct cmd_proc;

/** Maximum number of threads of a process; what others ask for stays unknown. */
enum { CMD_PROBING_MAX = 4 };

/** A thread in MPI_Probe or MPI_Mprobe, found while its process is stopped. */
struct cmd_probing {
	int64_t tid;
	uint64_t returns_to; /**< the address to which MPI_Probe returns */
	uint64_t entry;      /**< of ucp_tag_probe_nb() */
	bool removes;        /**< MPI_Mprobe */
};

/** Find them in a stopped process, unless the in-target library records its calls. @return how many */
size_t cmd_probing_find(struct host_target *t, struct cmd_probing ret[CMD_PROBING_MAX]);

struct cmd_probes; /* of a process */

/**
 * See what the threads in the answers of the job ask for that have not been looked at yet. The processes run;
 * takes some milliseconds if there are such threads, at most 0.3 s.
 *
 * @return there are some: ask the processes again. cmd_probes_end() must follow.
 */
bool cmd_probes_take(struct cmd_job *job);

/** What the threads of a stopped process ask for that have not left their call since. @return how many */
size_t cmd_probes_give(const struct cmd_proc *p, struct mpidbg_probe ret[CMD_PROBING_MAX]);

void cmd_probes_end(struct cmd_job *job);

#endif /* CMD_PROBES_H */
