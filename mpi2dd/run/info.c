/* SPDX-License-Identifier: BSD-3-Clause */
#include "info.h"

#include "../../include/mpi2dd.h"
#include "log.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT struct MPI2DD_INFO MPI2DD_info = {
	.magic = { 'M', 'P', 'I', '2', 0x7f },
	.version = MPI2DD_VERSION,
	.variant = MPI2DD_VARIANT,
	.mpi_flags = MPI2DD_MPIFLAG_I_AM_STARTER | MPI2DD_MPIFLAG_PARTIAL_ATTACH_OK,
};

/* A debugger reads and writes the structure; volatile keeps the compiler from caching fields. */
static volatile struct MPI2DD_INFO *const seen_info = &MPI2DD_info;

/* noinline, with a body of its own, so that no linker merges it with an identical function. */
EXPORT __attribute__((noinline, used)) void MPI2DD_breakpoint(void)
{
	__asm__ volatile("" ::: "memory");
}

bool run_info_is_debugged(void)
{
	return seen_info->debugger_flags & MPI2DD_FLAG_BEING_DEBUGGED;
}

void run_info_gate_is_closed(void)
{
	seen_info->mpi_flags &= ~(MPI2DD_UINT32_T)MPI2DD_MPIFLAG_PARTIAL_ATTACH_OK;
}

void run_info_set_dll(const char *path)
{
	seen_info->dll_name_64 = (MPI2DD_ADDR_T)run_text("%s", path);
}

void run_info_start(const char *host, const char *executable, int pid)
{
	/* The pid is written last: a debugger that stops us in between finds either no pid or all fields. */
	seen_info->meta_host_name = (MPI2DD_ADDR_T)run_text("%s", host);
	seen_info->meta_executable_name = (MPI2DD_ADDR_T)run_text("%s", executable);
	seen_info->meta_pid = pid;
	seen_info->debug_state = MPI2DD_DEBUG_START;
	MPI2DD_breakpoint();
}

void run_info_hang(void)
{
	seen_info->debug_state = MPI2DD_DEBUG_HANG;
	MPI2DD_breakpoint();
}
