/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Something to take cores of: known values, two threads, and a function with the name of an MPI function to be blocked
 * in. It says where they are, on stdout, and never starts MPI: what a core of it says depends on nobody else.
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

uint64_t core_target_marker = 1;
const char core_target_constant[] = "read-only, so that it is not in every core";
static volatile uint64_t core_target_local = 2;

__attribute__((noinline)) int MPI_Send(uint64_t hole);

int MPI_Send(uint64_t hole)
{
	volatile int here = 1;

	printf("%llx %llx %llx %llx %llx\n", (unsigned long long)(uintptr_t)&core_target_marker,
	       (unsigned long long)(uintptr_t)core_target_constant, (unsigned long long)(uintptr_t)&core_target_local,
	       (unsigned long long)hole, (unsigned long long)(uintptr_t)&here);
	fflush(stdout);
	for (;;)
		pause();
	return here;
}

static void *other_thread(void *arg)
{
	for (;;)
		pause();
	return arg;
}

int main(void)
{
	pthread_t th;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* gcore must be allowed to trace us where Yama restricts it to descendants. */
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
	core_target_marker = 0x1122334455667788;
	core_target_local = 0x99;
	/* A program that changes its environment: the list of it on the stack then points elsewhere. */
	setenv("CORE_TARGET_CHANGED", "to something longer than before", 1);
	void *hole = mmap(NULL, 65536, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise(hole, 65536, MADV_DONTDUMP);
	if (pthread_create(&th, NULL, other_thread, NULL) != 0)
		return 1;
	return MPI_Send((uint64_t)(uintptr_t)hole);
}
