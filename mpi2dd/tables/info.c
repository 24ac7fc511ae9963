/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI2DD_info: valid before the first instruction of the program.
 */
#include "../../include/mpi2dd.h"
#include "events.h"
#include "world.h"

#include <pthread.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT struct MPI2DD_INFO MPI2DD_info = {
	.magic = { 'M', 'P', 'I', '2', 0x7f },
	.version = MPI2DD_VERSION,
	.variant = MPI2DD_VARIANT,
};

/* Stays a function of its own, with a body that no linker folds with another one. */
EXPORT __attribute__((noinline, noclone, used)) void MPI2DD_breakpoint(void)
{
	__asm__ volatile("" ::: "memory");
}

struct m2d_world m2d_world = { .rank = -1, .id = "" };

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

void m2d_events_tell(int state)
{
	pthread_mutex_lock(&one_at_a_time);
	__atomic_store_n(&MPI2DD_info.debug_state, (MPI2DD_BYTE_T)state, __ATOMIC_RELEASE);
	MPI2DD_breakpoint();
	pthread_mutex_unlock(&one_at_a_time);
}

void m2d_events_abort(MPI_Comm comm, int errorcode)
{
	(void)comm;
	(void)errorcode;
	m2d_events_tell(MPI2DD_DEBUG_ABORT);
}

void m2d_world_before_init(void)
{
}

void m2d_world_after_init(int rc)
{
	if (rc == MPI_SUCCESS)
		m2d_events_tell(MPI2DD_DEBUG_START);
}

void m2d_world_before_finalize(void)
{
}

void m2d_world_after_finalize(int rc)
{
	(void)rc;
}
