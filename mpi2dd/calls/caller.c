/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whose code is it? The text of the MPI library and of its components, as ranges of addresses.
 */
#include "calls.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

static uintptr_t text_lo, text_hi;

/* The mapped span of the object that holds the address. */
static int find_span(struct dl_phdr_info *info, size_t size, void *address)
{
	uintptr_t at = (uintptr_t)address, lo = UINTPTR_MAX, hi = 0;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		if (ph->p_type != PT_LOAD)
			continue;
		uintptr_t from = info->dlpi_addr + ph->p_vaddr;
		lo = from < lo ? from : lo;
		hi = from + ph->p_memsz > hi ? from + ph->p_memsz : hi;
	}
	if (at < lo || at >= hi)
		return 0;
	__atomic_store_n(&text_hi, hi, __ATOMIC_RELAXED);
	__atomic_store_n(&text_lo, lo, __ATOMIC_RELEASE);
	return 1;
}

bool m2d_calls_from_library(const void *address)
{
	uintptr_t at = (uintptr_t)address, lo = __atomic_load_n(&text_lo, __ATOMIC_ACQUIRE);

	if (!lo && m2d_pmpi.Init) {
		dl_iterate_phdr(find_span, (void *)m2d_pmpi.Init);
		lo = __atomic_load_n(&text_lo, __ATOMIC_ACQUIRE);
	}
	return at >= lo && at < __atomic_load_n(&text_hi, __ATOMIC_RELAXED);
}
