/* SPDX-License-Identifier: BSD-3-Clause */
#include "tracer.h"

#include "clock.h"
#include "proc_status.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

enum {
	WAIT_MS = 1000,
	TURN_MS = 5000, /* a reading of many ranks on a loaded machine */
	SETTLE_MS = 20, /* processes that were just released need a processor to sleep again */
	NAP_NS = 2000000
};

/* A field of the status of a process or thread. @return false: it has none, or has ended */
static bool read_field(pid_t pid, const char *field, char ret[64])
{
	char *status = host_status_read(pid);
	bool found = host_status_field(status, field, ret, 64);

	free(status);
	return found;
}

pid_t host_tracer(pid_t pid)
{
	char tracer[64];

	return read_field(pid, "TracerPid", tracer) ? (pid_t)strtol(tracer, NULL, 10) : 0;
}

bool host_is_reader(pid_t tracer)
{
	char name[64];

	return tracer > 0 && tracer != getpid() && read_field(tracer, "Name", name) && strncmp(name, "mpidbg", 6) == 0;
}

static void nap(long ns)
{
	nanosleep(&(struct timespec){ .tv_nsec = ns }, NULL);
}

bool host_wait_for_reader(pid_t pid)
{
	static bool in_vain;
	double start = host_now_ms();
	pid_t tracer;

	while ((tracer = host_tracer(pid)) != 0) {
		bool over = in_vain || host_now_ms() - start > WAIT_MS;
		if (!host_is_reader(tracer) && host_tracer(pid) == tracer) /* it may just have ended */
			return false;
		in_vain = over;
		if (over)
			return false;
		nap(NAP_NS);
	}
	return true;
}

int host_turn_take(pid_t pid)
{
	static bool in_vain;
	double start = host_now_ms();
	bool waited = false;
	char path[64];

	/* a lock on a file of /proc needs no folder that all users may write to, and is that of the process */
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	int turn = in_vain ? -1 : open(path, O_RDONLY | O_CLOEXEC);
	while (turn >= 0 && flock(turn, LOCK_EX | LOCK_NB) != 0) {
		waited = true;
		if (host_now_ms() - start > TURN_MS) {
			in_vain = true;
			close(turn);
			turn = -1;
		} else {
			nap(NAP_NS);
		}
	}
	if (waited)
		nap(SETTLE_MS * 1000000L);
	return turn;
}

void host_turn_end(int turn)
{
	if (turn < 0)
		return;
	flock(turn, LOCK_UN); /* also of copies in other processes */
	close(turn);
}
