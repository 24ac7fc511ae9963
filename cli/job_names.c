/* SPDX-License-Identifier: BSD-3-Clause */
#include "job_names.h"

#include "../host/host.h"

#include <stdlib.h>
#include <string.h>

bool cmd_job_is_slurm(const char *text)
{
	return strncmp(text, "slurm:", 6) == 0;
}

bool cmd_job_is_flux(const char *text)
{
	return strncmp(text, "flux:", 5) == 0;
}

bool cmd_job_is_name(const char *text)
{
	return strncmp(text, "pmix:", 5) == 0 || strncmp(text, "hydra:", 6) == 0;
}

pid_t cmd_job_pid(const char *name)
{
	struct host_error ignored = { 0 };
	struct host_job *jobs = NULL;
	size_t n = 0;
	pid_t ret = 0;

	if (host_jobs(&jobs, &n, &ignored) != HOST_OK)
		return 0;
	for (size_t i = 0; i < n; i++) {
		/* a rank is of one job; a launcher, such as a daemon of Slurm, may be above several */
		if (!ret && strcmp(jobs[i].name, name) == 0)
			ret = jobs[i].procs[0].pid;
		host_job_deinit(&jobs[i]);
	}
	free(jobs);
	return ret;
}
