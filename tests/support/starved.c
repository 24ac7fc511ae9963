/* SPDX-License-Identifier: BSD-3-Clause */
#include "starved.h"

#include "job.h"

#include <check.h>
#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { RUN_NS = 2000000, RUNS = 20, PROCESSES_MAX = 16 };

struct sample {
	double at;
	unsigned long long ran_ns, n_runs; /* of all threads */
	bool ready;                        /* one of them waits for a processor, or has one */
};

struct starved {
	pthread_t thread;
	pid_t pids[PROCESSES_MAX];
	struct sample since[PROCESSES_MAX];
	size_t n;
	double longest_s;
	atomic_bool over;
};

static bool read_line(const char *dir, const char *tid, const char *name, char *ret, int size)
{
	char path[400];

	snprintf(path, sizeof path, "%s/%s/%s", dir, tid, name);
	FILE *f = fopen(path, "re");
	bool ok = f && fgets(ret, size, f);
	if (f)
		fclose(f);
	return ok;
}

static struct sample take(pid_t pid)
{
	struct sample ret = { .at = job_now() };
	char dir[64], line[512], letter;

	snprintf(dir, sizeof dir, "/proc/%d/task", (int)pid);
	DIR *d = opendir(dir);
	for (struct dirent *e; d && (e = readdir(d));) {
		unsigned long long ns, n;
		if (e->d_name[0] == '.')
			continue;
		if (read_line(dir, e->d_name, "schedstat", line, sizeof line) &&
		    sscanf(line, "%llu %*u %llu", &ns, &n) == 2) {
			ret.ran_ns += ns;
			ret.n_runs += n;
		}
		if (read_line(dir, e->d_name, "stat", line, sizeof line) &&
		    sscanf(line, "%*d %*s %c", &letter) == 1) /* a debugger that reads it stops it for a moment */
			ret.ready |= letter == 'R' || letter == 't';
	}
	if (d)
		closedir(d);
	return ret;
}

static void look(struct starved *s)
{
	for (size_t i = 0; i < s->n; i++) {
		struct sample now = take(s->pids[i]), *since = &s->since[i];
		if (!now.ready || now.ran_ns - since->ran_ns >= RUN_NS || now.n_runs - since->n_runs >= RUNS)
			*since = now;
		else if (now.at - since->at > s->longest_s)
			s->longest_s = now.at - since->at;
	}
}

static void *watch(void *ctx)
{
	struct starved *s = ctx;

	while (!atomic_load(&s->over)) {
		look(s);
		job_nap();
	}
	return NULL;
}

struct starved *starved_begin(const pid_t *pids, size_t n)
{
	struct starved *s = calloc(1, sizeof *s);

	ck_assert_ptr_nonnull(s);
	for (; s->n < n && s->n < PROCESSES_MAX; s->n++) {
		s->pids[s->n] = pids[s->n];
		s->since[s->n] = take(pids[s->n]);
	}
	ck_assert_int_eq(pthread_create(&s->thread, NULL, watch, s), 0);
	return s;
}

double starved_end(struct starved *s)
{
	atomic_store(&s->over, true);
	ck_assert_int_eq(pthread_join(s->thread, NULL), 0);
	double ret = s->longest_s;
	free(s);
	return ret;
}
