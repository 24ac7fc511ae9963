/* SPDX-License-Identifier: BSD-3-Clause */
#include "open_files.h"

#include "../host/clock.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILES_MAX = 1 << 22 };

static struct {
	struct wt_open_file *v;
	size_t n, cap;
	double read_ms; /* when reading began; 0: not read */
	bool all;
} files;

void wt_open_files_after(double ms)
{
	if (files.read_ms >= ms)
		return;
	free(files.v);
	memset(&files, 0, sizeof(files));
}

static void add(const struct wt_open_file *f)
{
	if (files.n == files.cap) {
		size_t cap = files.cap ? 2 * files.cap : 1024;
		struct wt_open_file *v = cap <= FILES_MAX ? realloc(files.v, cap * sizeof(*v)) : NULL;
		files.all &= v != NULL;
		if (!v)
			return;
		files.v = v;
		files.cap = cap;
	}
	files.v[files.n++] = *f;
}

/* @return how many descriptors there are; -1: they may not be read */
static int read_folder(pid_t pid, const char *path)
{
	struct wt_open_file f = { .pid = pid };
	char to[64];
	int n_found = 0;
	DIR *d = opendir(path);

	if (!d)
		return errno == ENOENT || errno == ESRCH ? 0 : -1; /* it has ended */
	for (struct dirent *e; (e = readdir(d));) {
		ssize_t n = readlinkat(dirfd(d), e->d_name, to, sizeof(to) - 1);
		if (n <= 0)
			continue;
		n_found++;
		to[n] = '\0';
		f.fd = atoi(e->d_name);
		f.pipe = sscanf(to, "pipe:[%" SCNu64 "]", &f.inode) == 1;
		if (f.pipe || sscanf(to, "socket:[%" SCNu64 "]", &f.inode) == 1)
			add(&f);
	}
	closedir(d);
	return n_found;
}

/* Of a process whose first thread has ended only the other threads show the descriptors. */
static void read_process(const char *name)
{
	pid_t pid = (pid_t)atoi(name);
	char path[64 + NAME_MAX];

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	int n = read_folder(pid, path);
	files.all &= n >= 0;
	if (n)
		return;
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	DIR *d = opendir(path);
	for (struct dirent *e; d && n <= 0 && (e = readdir(d));) {
		if (atoi(e->d_name) <= 0 || atoi(e->d_name) == (int)pid)
			continue;
		snprintf(path, sizeof(path), "/proc/%d/task/%s/fd", (int)pid, e->d_name);
		n = read_folder(pid, path);
		files.all &= n >= 0;
	}
	if (d)
		closedir(d);
}

static int by_inode(const void *a, const void *b)
{
	const struct wt_open_file *x = a, *y = b;

	if (x->inode != y->inode)
		return x->inode < y->inode ? -1 : 1;
	if (x->pipe != y->pipe)
		return x->pipe ? 1 : -1;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return (x->fd > y->fd) - (x->fd < y->fd);
}

static void read_all(void)
{
	DIR *proc = opendir("/proc");
	bool first = false; /* each name space has a process 1; /proc may be mounted so that others' processes are not
			       listed */

	files.read_ms = host_now_ms();
	files.all = proc != NULL;
	for (struct dirent *e; proc && (e = readdir(proc));) {
		if (*e->d_name < '1' || *e->d_name > '9')
			continue;
		first |= strcmp(e->d_name, "1") == 0;
		read_process(e->d_name);
	}
	if (proc)
		closedir(proc);
	files.all &= first;
	if (files.n)
		qsort(files.v, files.n, sizeof(*files.v), by_inode);
}

const struct wt_open_file *wt_open_files_find(uint64_t inode, bool pipe, size_t *n_ret, bool *all)
{
	const struct wt_open_file key = { .inode = inode, .pipe = pipe };
	size_t lo = 0, hi;

	if (!files.read_ms)
		read_all();
	for (hi = files.n; lo < hi;) {
		size_t middle = lo + (hi - lo) / 2;
		if (by_inode(&files.v[middle], &key) < 0)
			lo = middle + 1;
		else
			hi = middle;
	}
	for (hi = lo; hi < files.n && files.v[hi].inode == inode && files.v[hi].pipe == pipe;)
		hi++;
	*n_ret = hi - lo;
	*all = files.all;
	return files.v ? files.v + lo : NULL;
}

bool wt_open_files_hidden(void)
{
	return files.read_ms && !files.all;
}
