/* SPDX-License-Identifier: BSD-3-Clause */
#include "threads.h"

#include "../host/maps.h"
#include "../host/stopped.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Is the process in another pid namespace than this one? */
static bool is_elsewhere(pid_t pid)
{
	char path[64], its[64], ours[64];

	snprintf(path, sizeof(path), "/proc/%d/ns/pid", (int)pid);
	ssize_t n = readlink(path, its, sizeof(its)), m = readlink("/proc/self/ns/pid", ours, sizeof(ours));
	return n > 0 && m > 0 && (n != m || memcmp(its, ours, (size_t)n) != 0);
}

/* "NSpid:  4711  17": the last one is the innermost. */
static int64_t own_id(pid_t pid, pid_t tid)
{
	char path[96];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/status", (int)pid, (int)tid);
	char *text = host_read_file(path, NULL), *line = text ? strstr(text, "\nNSpid:") : NULL;
	int64_t ret = tid;
	if (line) {
		line += strlen("\nNSpid:");
		line[strcspn(line, "\n")] = '\0';
		const char *last = strrchr(line, '\t');
		ret = atoll(last ? last : line);
	}
	free(text);
	return ret;
}

struct pair {
	int64_t own, here;
};

static int by_own(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	return (x->own > y->own) - (x->own < y->own);
}

void wt_threads_init(struct wt_threads *ret, struct host_target *t)
{
	bool elsewhere = !host_core_path(t) && is_elsewhere(host_pid(t));
	struct host_stopped s;
	size_t n = 0;

	*ret = (struct wt_threads){ 0 };
	while (host_stopped_thread(t, n, &s))
		n++;
	struct pair *pairs = calloc(n + 1, sizeof(*pairs));
	ret->own = calloc(n + 1, sizeof(*ret->own));
	ret->here = calloc(n + 1, sizeof(*ret->here));
	if (pairs && ret->own && ret->here) {
		for (size_t i = 0; i < n && host_stopped_thread(t, i, &s); i++)
			pairs[i] = (struct pair){ elsewhere ? own_id(host_pid(t), s.tid) : s.tid, s.tid };
		qsort(pairs, n, sizeof(*pairs), by_own);
		for (size_t i = 0; i < n; i++) {
			ret->own[i] = pairs[i].own;
			ret->here[i] = pairs[i].here;
		}
		ret->n = n;
	}
	free(pairs);
}

void wt_threads_deinit(struct wt_threads *threads)
{
	free(threads->own);
	free(threads->here);
	*threads = (struct wt_threads){ 0 };
}

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

int64_t wt_thread_here(const struct wt_threads *threads, int64_t own)
{
	const int64_t *found = threads->n ? bsearch(&own, threads->own, threads->n, sizeof(own), by_value) : NULL;

	return found ? threads->here[found - threads->own] : 0;
}
