/* SPDX-License-Identifier: BSD-3-Clause */
#include "descriptor.h"

#include "mounts.h"
#include "open_files.h"
#include "sockets.h"

#include "../host/maps.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- descriptors -------------------------------------------------------------------------------------- */

static bool starts(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

static void read_path(pid_t pid, const char *path, bool more, struct wt_descriptor *ret)
{
	char type[WT_MOUNT_TYPE_BYTES] = "";

	ret->kind = WT_FD_FILE;
	if (starts(path, "/dev/pts/") || starts(path, "/dev/tty") || strcmp(path, "/dev/console") == 0) {
		ret->kind = WT_FD_TERMINAL;
		snprintf(ret->text, sizeof(ret->text), "the terminal %s", path);
		return;
	}
	if (more) {
		char file[64];
		snprintf(file, sizeof(file), "/proc/%d/mountinfo", (int)pid);
		char *text = host_read_file(file, NULL);
		wt_mount_type(text, path, type);
		free(text);
	}
	int room = (int)sizeof(ret->text) - (int)strlen(type) - 16, n = (int)strlen(path);
	snprintf(ret->text, sizeof(ret->text), "the file %s%s%s%s%s", n > room ? "..." : "",
		 n > room ? path + n - room + 3 : path, *type ? " (" : "", type, *type ? ")" : "");
}

void wt_descriptor_read(pid_t pid, int fd, bool more, struct wt_descriptor *ret)
{
	char path[64], to[PATH_MAX];

	*ret = (struct wt_descriptor){ .kind = WT_FD_UNKNOWN };
	snprintf(ret->text, sizeof(ret->text), "descriptor %d", fd);
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)pid, fd);
	ssize_t n = readlink(path, to, sizeof(to) - 1);
	if (n <= 0)
		return;
	to[n] = '\0';
	if (sscanf(to, "pipe:[%" SCNu64 "]", &ret->inode) == 1) {
		ret->kind = WT_FD_PIPE;
		strcpy(ret->text, "a pipe");
	} else if (sscanf(to, "socket:[%" SCNu64 "]", &ret->inode) == 1) {
		ret->kind = WT_FD_SOCKET;
		strcpy(ret->text, "a socket");
		if (more)
			wt_socket_read(pid, ret->inode, ret->text, sizeof(ret->text), &ret->peer);
	} else if (starts(to, "anon_inode:")) {
		const char *name = to + strlen("anon_inode:");
		ret->kind = WT_FD_OTHER;
		snprintf(ret->text, sizeof(ret->text), "an object of the kernel (%.*s)",
			 (int)strcspn(name + (*name == '['), "]"), name + (*name == '['));
	} else if (to[0] == '/') {
		read_path(pid, to, more, ret);
	}
}

size_t wt_descriptor_watched(pid_t pid, int fd, int *ret, size_t max)
{
	char path[64];
	size_t n = 0;

	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%d", (int)pid, fd);
	char *text = host_read_file(path, NULL);
	for (const char *at = text; at && (at = strstr(at, "\ntfd:")); n++) {
		at += strlen("\ntfd:");
		if (n < max)
			ret[n] = atoi(at);
	}
	free(text);
	return n;
}

/* ---- other ends --------------------------------------------------------------------------------------- */

void wt_process_name(pid_t pid, char ret[17])
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	char *text = host_read_file(path, NULL);
	snprintf(ret, 17, "%.*s", text ? (int)strcspn(text, "\n") : 0, text ? text : "");
	free(text);
}

/* May the process write into the pipe, or read from it, by this descriptor? */
static bool may(pid_t pid, const char *fd, bool write)
{
	char path[64 + NAME_MAX];
	unsigned flags = O_RDWR;

	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%s", (int)pid, fd);
	char *text = host_read_file(path, NULL), *line = text ? strstr(text, "flags:") : NULL;
	if (line)
		sscanf(line, "flags: %o", &flags);
	free(text);
	return (flags & O_ACCMODE) != (write ? O_RDONLY : O_WRONLY);
}

/* Has the process this open, as far as its descriptors may be read? */
static bool has_open(pid_t pid, const char *name, bool pipe, bool write)
{
	char path[64], to[64];
	bool found = false;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	DIR *d = opendir(path);
	for (struct dirent *e; d && !found && (e = readdir(d));) {
		ssize_t n = readlinkat(dirfd(d), e->d_name, to, sizeof(to) - 1);
		if (n > 0)
			to[n] = '\0';
		found = n > 0 && strcmp(to, name) == 0 && (!pipe || may(pid, e->d_name, write));
	}
	if (d)
		closedir(d);
	return found;
}

enum { LINK_BYTES = 40 };

/* The link of the other end. @return false: not known */
static bool other_end(const struct wt_descriptor *d, char ret[LINK_BYTES])
{
	bool pipe = d->kind == WT_FD_PIPE;
	uint64_t inode = pipe ? d->inode : d->kind == WT_FD_SOCKET ? d->peer : 0;

	snprintf(ret, LINK_BYTES, "%s:[%" PRIu64 "]", pipe ? "pipe" : "socket", inode);
	return inode != 0;
}

bool wt_descriptor_is_peer(pid_t pid, const struct wt_descriptor *d, bool reads)
{
	char name[LINK_BYTES];

	return other_end(d, name) && has_open(pid, name, d->kind == WT_FD_PIPE, reads);
}

/* @param self is left out */
static size_t holders(const struct wt_descriptor *d, bool reads, pid_t self, pid_t *ret, size_t max, bool *all)
{
	bool pipe = d->kind == WT_FD_PIPE;
	char fd[16];
	size_t n = 0, n_files;
	const struct wt_open_file *files = wt_open_files_find(pipe ? d->inode : d->peer, pipe, &n_files, all);

	for (size_t i = 0; i < n_files; i++) {
		const struct wt_open_file *f = &files[i];
		snprintf(fd, sizeof(fd), "%d", f->fd);
		if (f->pid == self || (self && f->pid == getpid()) || (n && ret[n - 1] == f->pid) ||
		    (pipe && !may(f->pid, fd, reads)))
			continue;
		*all &= n < max;
		if (n < max)
			ret[n++] = f->pid;
	}
	return n;
}

size_t wt_descriptor_peers(pid_t pid, const struct wt_descriptor *d, bool reads, pid_t *ret, size_t max, bool *all)
{
	char name[LINK_BYTES];

	*all = false;
	return other_end(d, name) ? holders(d, reads, pid, ret, max, all) : 0;
}

size_t wt_pipe_holders(const struct wt_descriptor *d, bool reads, pid_t *ret, size_t max, bool *all)
{
	return holders(d, reads, 0, ret, max, all);
}
