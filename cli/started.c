/* SPDX-License-Identifier: BSD-3-Clause */
#include "started.h"

#include "../host/host.h"

#include <time.h>
#include <unistd.h>

int64_t cmd_started_ms(void)
{
	static int64_t started;
	struct timespec now;
	double age = 0;

	if (started)
		return started;
	clock_gettime(CLOCK_REALTIME, &now);
	host_process_age(getpid(), &age);
	started = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000 - (int64_t)(age * 1000);
	return started;
}
