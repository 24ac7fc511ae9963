/* SPDX-License-Identifier: BSD-3-Clause */
/* A child of the ranks of waits.c that uses no library at run time: it waits for a signal. */
#include <sys/prctl.h>
#include <unistd.h>

#include <signal.h>

int main(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		pause();
}
