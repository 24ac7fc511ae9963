/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI2DD_info, valid before the first instruction of the program. The plugin's path is known only at run time; the
 * library's constructor fills it in.
 */
#include "info.h"

#include "../../include/mpi2dd.h"

#include "settings.h"
#include "text.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

/* Aligned, so that each field can be written with one store. */
EXPORT struct MPI2DD_INFO MPI2DD_info __attribute__((aligned(64))) = {
	.magic = { 'M', 'P', 'I', '2', 0x7f },
	.version = MPI2DD_VERSION,
	.variant = MPI2DD_VARIANT,
	.padding = { (MPI2DD_INT32_T)MPI2DD_EXTENSION_MAGIC, MPI2DD_EXTENSION_VERSION }, /* struct MPI2DD_EXTENSION */
};

static char plugin[PATH_MAX];
static char *locations[2]; /* plugin, NULL */

EXPORT char **mpidbg_dll_locations = locations;
EXPORT char **mpimsgq_dll_locations = locations;

void m2d_info_restore_locations(void)
{
	__atomic_store_n(&mpidbg_dll_locations, locations, __ATOMIC_RELEASE);
	__atomic_store_n(&mpimsgq_dll_locations, locations, __ATOMIC_RELEASE);
}

int m2d_gate;

int m2d_info_has_gate(void)
{
	return m2d_gate;
}

void m2d_info_set_registry(const void *registry)
{
	enum { REGISTRY_AT = offsetof(struct MPI2DD_INFO, padding) + offsetof(struct MPI2DD_EXTENSION, registry) };

	_Static_assert(REGISTRY_AT % sizeof(uint64_t) == 0, "written by one store");
	__atomic_store_n((uint64_t *)(void *)((char *)&MPI2DD_info + REGISTRY_AT), (uint64_t)(uintptr_t)registry,
			 __ATOMIC_RELEASE);
}

/* The path of libmpidbg.so in this library's directory. */
static bool find_plugin(char *ret, size_t size)
{
	Dl_info own;
	char real[PATH_MAX];

	/* the address of a function: unlike MPI2DD_info, it cannot
	 * be copied into the executable by a copy relocation */
	if (!dladdr((void *)m2d_info_set_registry, &own) || !own.dli_fname || !realpath(own.dli_fname, real))
		return false;
	char *slash = strrchr(real, '/');
	if (!slash)
		return false;
	slash[1] = '\0';
	ret[0] = '\0';
	return m2d_text_add(ret, size, real) && m2d_text_add(ret, size, "libmpidbg.so") && access(ret, R_OK) == 0;
}

static __attribute__((constructor)) void on_load(void)
{
	int saved = errno;
	int64_t gate;

	m2d_gate = m2d_setting("MPI2DD_GATE", &gate) && gate == 1;
	if (!m2d_gate) /* without a gate, no rank waits for another one */
		MPI2DD_info.mpi_flags |= MPI2DD_MPIFLAG_PARTIAL_ATTACH_OK;
	if (!find_plugin(plugin, sizeof(plugin))) {
		plugin[0] = '\0';
		m2d_text_add(plugin, sizeof(plugin), MPIDBG_PREFIX "/lib/libmpidbg.so");
		if (access(plugin, R_OK) != 0)
			plugin[0] = '\0';
	}
	if (plugin[0]) {
		locations[0] = plugin;
		MPI2DD_info.dll_name_64 = (MPI2DD_ADDR_T)plugin;
	} else {
		MPI2DD_info.mpi_flags |= MPI2DD_MPIFLAG_IGNORE_QUEUE;
	}
	errno = saved;
}
