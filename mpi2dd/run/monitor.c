/* SPDX-License-Identifier: BSD-3-Clause */
#include "monitor.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

enum { PATH_CHARS = 4096, REPORTS_MAX = 4096 };

/* Only letters of host names: nothing needs a quote in the label. */
static void host_name(char *ret, size_t size)
{
	struct utsname here;
	size_t n = 0;

	if (uname(&here) == 0)
		for (const char *c = here.nodename; *c && n + 1 < size; c++)
			ret[n++] = strchr("\"\\\n", *c) ? '_' : *c;
	ret[n] = '\0';
}

bool run_monitor_write(const char *path, int job, size_t n_stalled)
{
	char temporary[PATH_CHARS], host[128];
	struct stat there;

	if (!*path)
		return true;
	/* A device or a pipe is written to, not replaced: root could remove /dev/null. */
	bool in_place = stat(path, &there) == 0 && !S_ISREG(there.st_mode);
	if (snprintf(temporary, sizeof(temporary), "%s.%d", path, (int)getpid()) >= (int)sizeof(temporary)) {
		errno = ENAMETOOLONG;
		return false;
	}
	FILE *to = fopen(in_place ? path : temporary, "we");
	if (!to)
		return false;
	host_name(host, sizeof(host));
	fprintf(to,
		"# HELP mpidbg_job_hung Whether no rank of the job has finished an MPI call for the time of --hang.\n"
		"# TYPE mpidbg_job_hung gauge\n"
		"mpidbg_job_hung{job=\"%d\",host=\"%s\"} %d\n"
		"# HELP mpidbg_job_stalled_processes Processes of the job in which no MPI call has finished.\n"
		"# TYPE mpidbg_job_stalled_processes gauge\n"
		"mpidbg_job_stalled_processes{job=\"%d\",host=\"%s\"} %zu\n"
		"# HELP mpidbg_job_seen_timestamp_seconds When this was written.\n"
		"# TYPE mpidbg_job_seen_timestamp_seconds gauge\n"
		"mpidbg_job_seen_timestamp_seconds{job=\"%d\",host=\"%s\"} %lld\n",
		job, host, n_stalled > 0, job, host, n_stalled, job, host, (long long)time(NULL));
	bool ok = !ferror(to);
	ok = fclose(to) == 0 && ok && (in_place || rename(temporary, path) == 0);
	if (!ok && !in_place) {
		int error = errno;
		unlink(temporary);
		errno = error;
	}
	return ok;
}

/* ---- old reports -------------------------------------------------------------------------------------------- */

struct report {
	long long at_ns;
	int job;
};

static int newest_first(const void *a, const void *b)
{
	const struct report *x = a, *y = b;

	return (x->at_ns < y->at_ns) - (x->at_ns > y->at_ns);
}

/* The pid in "mpi2dd-hang.PID.txt"; 0: another name */
static int job_of(const char *name)
{
	int job = 0, end = 0;

	if (sscanf(name, "mpi2dd-hang.%9d.txt%n", &job, &end) != 1 || !end || name[end])
		return 0;
	return job > 0 ? job : 0;
}

static size_t reports_in(const char *folder, struct report *ret)
{
	DIR *dir = opendir(folder);
	size_t n = 0;

	for (const struct dirent *e; dir && n < REPORTS_MAX && (e = readdir(dir));) {
		struct stat s;
		int job = job_of(e->d_name);
		if (job && fstatat(dirfd(dir), e->d_name, &s, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(s.st_mode) &&
		    s.st_uid == geteuid())
			ret[n++] = (struct report){ s.st_mtim.tv_sec * 1000000000LL + s.st_mtim.tv_nsec, job };
	}
	if (dir)
		closedir(dir);
	return n;
}

void run_monitor_prune(const char *path, int keep)
{
	static const char *const suffixes[] = { "txt", "json", "html", "verdict.json" };
	const char *slash = strrchr(path, '/');
	char folder[PATH_CHARS], old[PATH_CHARS + 64];
	struct report *reports = calloc(REPORTS_MAX, sizeof(*reports));

	snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
	size_t n = reports ? reports_in(folder, reports) : 0;
	if (n)
		qsort(reports, n, sizeof(*reports), newest_first);
	for (size_t i = (size_t)keep; i < n; i++)
		for (size_t k = 0; k < sizeof(suffixes) / sizeof(suffixes[0]); k++) {
			snprintf(old, sizeof(old), "%s/mpi2dd-hang.%d.%s", folder, reports[i].job, suffixes[k]);
			unlink(old);
		}
	free(reports);
}
