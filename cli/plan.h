/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file plan.h
 * Which hosts have ranks of the job that the options name, what it is called there, and how they are reached.
 */
#ifndef CMD_PLAN_H
#define CMD_PLAN_H

#include "../host/host.h"
#include "commands.h"
#include "message.h"
#include "options.h"

/** Start with all zero; cmd_plan_deinit() frees. */
struct cmd_plan {
	char way[512];      /**< hosts/way.h */
	char name[1000];    /**< for mpidbg agent: "slurm:4711.0" */
	char slurm_job[32]; /**< for srun */
	char slurm_user[32], slurm_group[32];
	char flux_ranks[4096];
	pid_t launcher; /**< for pmix; 0: there is none */
	char **hosts;
	bool *here;
	size_t n_hosts; /**< 0: all ranks are on this machine, or nothing is known about other hosts */
};

/**
 * Make a plan for --job.
 *
 * @param[out] problems why there is none, if the job is one of other hosts
 * @return CMD_DONE; anything else: the job was named in a way that needs a plan, and there is none
 */
enum cmd_exit cmd_plan_make(const struct cmd_options *o, struct host_plugin *plugin, struct cmd_lines *problems,
			    struct cmd_plan *ret);

/** Release. Leaves all zero. */
void cmd_plan_deinit(struct cmd_plan *p);

#endif /* CMD_PLAN_H */
