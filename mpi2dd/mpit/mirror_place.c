/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Open MPI can report where the value of a variable is stored: mca_base_var_get_value() of
 * opal/mca/base/mca_base_var.h, exported by its library up to 5.0; the index is MPI_T's. MPICH cannot.
 */
#include "mirror_place.h"

#include "../calls/host.h"
#include "mirror_type.h"

#if defined(M2D_OPENMPI_MAJOR)
#include "../calls/calls.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

/* Does this address hold the value? If so, set *kind to the kind of storage. */
static bool holds(const void *place, enum trk_var_type type, const void *value, int count, uint32_t *kind)
{
	size_t bytes = mpit_mirror_bytes(type);
	const char *text;

	if (type != TRK_VAR_CHAR) {
		*kind = TRK_PLACE_MPI_VALUE;
		return count == 1 && bytes && memcmp(place, value, bytes) == 0;
	}
	memcpy(&text, place, sizeof(text));
	*kind = TRK_PLACE_MPI_TEXT;
	return count > 0 && strncmp(text ? text : "", value, (size_t)count) == 0;
}

static bool is_library(const char *file)
{
	const char *name = file ? strrchr(file, '/') : NULL;

	return name && strncmp(name + 1, "lib", 3) == 0;
}

/*
 * Is the address in a library that is not unloaded? Components are, when not needed; libopen-pal.so, libmpi.so and
 * similar are not.
 */
static bool stays_loaded(const void *place)
{
#if __GLIBC_PREREQ(2, 35)
	/* not linked, because older C libraries do not have it */
	static __typeof__(&_dl_find_object) find;
	struct dl_find_object found;

	if (!find)
		find = (__typeof__(find))dlsym(RTLD_DEFAULT, "_dl_find_object");
	if (find)
		return find((void *)place, &found) == 0 && is_library(found.dlfo_link_map->l_name);
#endif
	Dl_info info; /* takes longer: dladdr() searches all symbols of the library */
	return dladdr(place, &info) && is_library(info.dli_fname);
}

uint64_t mpit_cvar_address(const struct mpit_cvar_facts *f, enum trk_var_type type, const void *value, int count,
			   uint32_t *kind)
{
	static int (*get_value)(int, const void *, int *, const char **);
	const void *place = NULL;
	uint32_t found;

	if (!get_value)
		get_value = (int (*)(int, const void *, int *, const char **))m2d_calls_symbol(
			"mca_base_var_get_value");
	if (!get_value || get_value(f->host_index, &place, NULL, NULL) != 0 || !place || !stays_loaded(place) ||
	    !holds(place, type, value, count, &found))
		return 0;
	*kind = found;
	return (uintptr_t)place;
}

#else

uint64_t mpit_cvar_address(const struct mpit_cvar_facts *f, enum trk_var_type type, const void *value, int count,
			   uint32_t *kind)
{
	(void)f;
	(void)type;
	(void)value;
	(void)count;
	(void)kind;
	return 0;
}

#endif
