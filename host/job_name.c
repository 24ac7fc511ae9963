/* SPDX-License-Identifier: BSD-3-Clause */
#include "job_name.h"

#include "hydra.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Open MPI 4 numbers its jobs, with the launcher in the upper 16 of 32 bits. */
static bool number_of(const char *name, unsigned long *ret)
{
	char *end;

	*ret = strtoul(name, &end, 10);
	return *name >= '0' && *name <= '9' && !*end && *ret <= UINT32_MAX;
}

/* Do two names of PMIx denote jobs of one launcher? PRRTE (Open MPI 5) writes "prterun-HOST-PID@NUMBER". */
static bool same_family(const char *a, const char *b)
{
	const char *at = strrchr(a, '@');
	unsigned long x, y;

	if (strcmp(a, b) == 0)
		return true;
	if (at)
		return strncmp(a, b, (size_t)(at - a) + 1) == 0;
	return number_of(a, &x) && number_of(b, &y) && x >> 16 == y >> 16;
}

void host_job_name(const struct host_proclist *list, const struct host_process *p, char *ret, size_t n)
{
	static const char of_slurm[] = "slurm.pmix.";
	const char *at = strrchr(p->job, '@');
	char address[128];
	unsigned long number;

	*ret = '\0';
	if (p->launch == HOST_LAUNCH_SLURM)
		snprintf(ret, n, "slurm:%s", p->job);
	else if (p->launch == HOST_LAUNCH_PMI && host_hydra_address(list, p, address, sizeof(address)))
		snprintf(ret, n, "hydra:%s", address);
	else if (p->launch == HOST_LAUNCH_PMI && *p->slurm_job && *p->slurm_step)
		snprintf(ret, n, "slurm:%s.%s", p->slurm_job, p->slurm_step); /* srun --mpi=pmi2 */
	else if (p->launch == HOST_LAUNCH_PMI && *p->flux_job)
		snprintf(ret, n, "flux:%s", p->flux_job);
	else if (p->launch != HOST_LAUNCH_PMIX)
		return;
	else if (strncmp(p->job, of_slurm, sizeof(of_slurm) - 1) == 0)
		snprintf(ret, n, "slurm:%s", p->job + sizeof(of_slurm) - 1);
	else if (at)
		snprintf(ret, n, "pmix:%.*s@1", (int)(at - p->job), p->job);
	else if (number_of(p->job, &number))
		snprintf(ret, n, "pmix:%lu", (number & 0xffff0000) | 1);
	else
		snprintf(ret, n, "pmix:%s", p->job);
}

/* Is it in the list, with commas in between? */
static bool is_in_list(const char *list, const char *name)
{
	size_t n = strlen(name);

	for (const char *at = list; at; at = strchr(at, ','), at = at ? at + 1 : NULL)
		if (strncmp(at, name, n) == 0 && (!at[n] || at[n] == ','))
			return true;
	return false;
}

bool host_job_has_name(const struct host_proclist *list, const struct host_process *p, const char *kind,
		       const char *name)
{
	char address[128];

	if (strcmp(kind, "pmix") == 0)
		return p->launch == HOST_LAUNCH_PMIX && same_family(name, p->job);
	if (strcmp(kind, "hydra") == 0)
		return p->launch == HOST_LAUNCH_PMI && host_hydra_address(list, p, address, sizeof(address)) &&
		       is_in_list(name, address);
	if (strcmp(kind, "flux") == 0)
		return strcmp(p->flux_job, name) == 0;
	size_t n = strcspn(name, ".");
	return strlen(p->slurm_job) == n && strncmp(p->slurm_job, name, n) == 0 &&
	       (!name[n] || strcmp(p->slurm_step, name + n + 1) == 0);
}
