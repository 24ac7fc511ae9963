/* SPDX-License-Identifier: BSD-3-Clause */
#include "runs.h"

#include <dirent.h>
#include <stdio.h>

enum {
	RUN_NS = 2000000,
	RUNS = 20 /* of a process that sleeps between its polls */
};

bool cmd_run_take(int64_t pid, struct cmd_run *ret)
{
	char path[64], file[400];
	bool any = false;

	snprintf(path, sizeof(path), "/proc/%lld/task", (long long)pid);
	DIR *d = pid > 0 ? opendir(path) : NULL;
	*ret = (struct cmd_run){ .pid = pid };
	for (struct dirent *e; d && (e = readdir(d));) {
		unsigned long long ns, n_runs;
		snprintf(file, sizeof(file), "%s/%s/schedstat", path, e->d_name);
		FILE *f = e->d_name[0] == '.' ? NULL : fopen(file, "re");
		if (!f)
			continue;
		if (fscanf(f, "%llu %*u %llu", &ns, &n_runs) == 2) {
			ret->ran_ns += ns;
			ret->n_runs += n_runs;
			any = true;
		}
		fclose(f);
	}
	if (d)
		closedir(d);
	return any;
}

bool cmd_run_is_short(const struct cmd_run *since)
{
	struct cmd_run now;

	return cmd_run_take(since->pid, &now) && now.ran_ns - since->ran_ns < RUN_NS &&
	       now.n_runs - since->n_runs < RUNS;
}
