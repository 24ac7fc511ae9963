/* SPDX-License-Identifier: BSD-3-Clause */
#include "transit.h"

#include "open_files.h"
#include "sockets.h"

#include "../host/maps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UNREAD_MAX = 1024 };

static struct {
	double read_ms;
	enum { NOT_READ, NONE, POSSIBLE } descriptor;
} transit;

void wt_transit_after(double ms)
{
	if (transit.read_ms >= ms)
		return;
	transit.read_ms = ms;
	transit.descriptor = NOT_READ;
}

/* Does the kernel say that no unread message of the socket contains a descriptor? (since Linux 5.11) */
static bool has_none(uint64_t inode)
{
	size_t n;
	bool all;
	const struct wt_open_file *f = wt_open_files_find(inode, false, &n, &all);
	char path[64];

	if (!n)
		return false;
	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%d", (int)f->pid, f->fd);
	char *text = host_read_file(path, NULL);
	const char *line = text ? strstr(text, "\nscm_fds:") : NULL;
	bool ret = line && atoi(line + strlen("\nscm_fds:")) == 0;
	free(text);
	return ret;
}

bool wt_transit_possible(void)
{
	uint64_t unread[UNREAD_MAX];

	if (transit.descriptor == NOT_READ) {
		bool all;
		size_t n = wt_sockets_unread(unread, UNREAD_MAX, &all);
		for (size_t i = 0; i < n && all; i++)
			all = has_none(unread[i]);
		transit.descriptor = all ? NONE : POSSIBLE;
	}
	return transit.descriptor == POSSIBLE;
}
