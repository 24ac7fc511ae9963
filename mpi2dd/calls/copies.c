/* SPDX-License-Identifier: BSD-3-Clause */
#include "copies.h"

#include "calls.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

/* A symbol that every copy defines, and no MPI library: one name for each flavour. */
static const char *const marker_symbols[] = { "MPI2DD_copy_openmpi", "MPI2DD_copy_mpich", "MPI2DD_copy_abi" };
enum { N_MARKER_SYMBOLS = sizeof(marker_symbols) / sizeof(marker_symbols[0]) };
#if defined(OPEN_MPI)
M2D_EXPORT const char MPI2DD_copy_openmpi = 1;
enum { OWN = 0 };
#elif defined(M2D_ABI)
M2D_EXPORT const char MPI2DD_copy_abi = 1;
enum { OWN = 2 };
#else
M2D_EXPORT const char MPI2DD_copy_mpich = 1;
enum { OWN = 1 };
#endif

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static struct link_map *map_of(const void *address)
{
	struct link_map *map = NULL;
	Dl_info info;

	return address && dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP) ? map : NULL;
}

bool m2d_copies_has(const void *address)
{
	struct link_map *map = map_of(address);
	bool ret = false;

	if (!map || !map->l_name || !map->l_name[0])
		return false; /* the program itself */
	void *handle = dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD);
	/* dlsym on a handle also searches the object's dependencies, so check where the symbol is */
	for (unsigned i = 0; i < N_MARKER_SYMBOLS && handle && !ret; i++)
		ret = map_of(dlsym(handle, marker_symbols[i])) == map;
	if (handle)
		dlclose(handle);
	return ret;
}

bool m2d_copies_is_inactive(void)
{
	static int known; /* 0: not known; 1: no; 2: yes */
	int ret = __atomic_load_n(&known, __ATOMIC_RELAXED);

	if (!ret) {
		const struct link_map *first = map_of(dlsym(RTLD_DEFAULT, marker_symbols[OWN]));
		ret = first && first != map_of((const void *)m2d_copies_is_inactive) ? 2 : 1;
		__atomic_store_n(&known, ret, __ATOMIC_RELAXED);
	}
	return ret == 2;
}

/* ---- copies that objects were linked with -------------------------------------------------------------- */

static enum m2d_flavour of_name(const char *name)
{
	static const char *const names[] = { [M2D_OPENMPI] = "libmpi2dd-openmpi.so",
					     [M2D_MPICH] = "libmpi2dd-mpich.so",
					     [M2D_STANDARD_ABI] = "libmpi2dd-abi.so" };

	for (enum m2d_flavour f = M2D_OPENMPI; f <= M2D_STANDARD_ABI; f++)
		if (strncmp(name, names[f], strlen(names[f])) == 0)
			return f;
	return M2D_NO_FLAVOUR;
}

/* Read DT_NEEDED of an object from its dynamic section; the loader has located the string table. */
static int find_linked(struct dl_phdr_info *info, size_t size, void *ret)
{
	enum m2d_flavour *flavour = ret;
	const ElfW(Dyn) *dynamic = NULL;
	const char *strings = NULL;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			dynamic = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	for (const ElfW(Dyn) *d = dynamic; d && d->d_tag != DT_NULL; d++)
		if (d->d_tag == DT_STRTAB)
			strings = (const char *)d->d_un.d_ptr;
	/* the vDSO, and objects of some processors, are not relocated; they name no copy of this library */
	if (!strings || (uintptr_t)strings < info->dlpi_addr)
		return 0;
	for (const ElfW(Dyn) *d = dynamic; d->d_tag != DT_NULL && !*flavour; d++)
		if (d->d_tag == DT_NEEDED)
			*flavour = of_name(last_part(strings + d->d_un.d_val));
	return *flavour != M2D_NO_FLAVOUR;
}

enum m2d_flavour m2d_copies_linked(void)
{
	enum m2d_flavour ret = M2D_NO_FLAVOUR;

	dl_iterate_phdr(find_linked, &ret);
	return ret;
}

bool m2d_copies_is_preloaded(void)
{
	const struct link_map *map = map_of((const void *)m2d_copies_is_preloaded);
	const char *list = getenv("LD_PRELOAD");

	return list && map && map->l_name && strstr(list, last_part(map->l_name)) != NULL;
}
