/* SPDX-License-Identifier: BSD-3-Clause */
#include "signals.h"

#include "../host/maps.h"
#include "../host/proc_status.h"

#include <inttypes.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint64_t mask_of(const char *text, const char *name)
{
	const char *line = strstr(text, name);
	uint64_t ret = 0;

	if (line)
		sscanf(line + strlen(name), " %" SCNx64, &ret);
	return ret;
}

static bool has(uint64_t mask, int signal)
{
	return mask >> (signal - 1) & 1;
}

/* The file is there if the kernel can save and restore processes; each timer has some lines. */
static bool has_timers(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/timers", (int)pid);
	char *text = host_read_file(path, NULL);
	bool ret = text && *text;
	free(text);
	return ret;
}

bool wt_signals_read(pid_t pid, struct wt_signals *ret)
{
	enum { FIRST_FREE = 34 }; /* the C library has the first two of the real-time signals for itself */
	char *text = host_status_read(pid);

	*ret = (struct wt_signals){ .own = "" };
	if (!text || !strstr(text, "\nSigCgt:")) {
		free(text);
		return false;
	}
	uint64_t caught = mask_of(text, "\nSigCgt:"), ignored = mask_of(text, "\nSigIgn:");
	const char *tracer = strstr(text, "\nTracerPid:");
	int by = tracer ? atoi(tracer + strlen("\nTracerPid:")) : 0;
	ret->traced = by && by != (int)getpid();
	free(text);

	ret->children = has(caught, SIGCHLD);
	ret->alarm = !has(ignored, SIGALRM);
	for (int i = FIRST_FREE; i <= 64; i++)
		if (has(caught, i))
			snprintf(ret->own, sizeof(ret->own), "signal %d", i);
	if (has_timers(pid))
		strcpy(ret->own, "its timer");
	if (has(caught, SIGURG))
		strcpy(ret->own, "SIGURG");
	if (has(caught, SIGIO))
		strcpy(ret->own, "SIGIO");
	if (has(caught, SIGALRM))
		strcpy(ret->own, "SIGALRM");
	return true;
}
