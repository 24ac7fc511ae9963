/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Decides for all entries, when the first of them is called, where they lead: to our wrapper, to our MPI_T function,
 * or, with a library of the other flavour, to the real function.
 */
#include "calls.h"

#include "copies.h"

#include <dlfcn.h>
#include <errno.h>

static int absent(void)
{
	return MPI_ERR_INTERN;
}

static const char *const tool_names[M2D_N_TOOL_CALLS] = {
#define T(name) "PMPI_T_" #name,
#include "../mpit/functions.def"
#undef T
};

#define T(name) extern int mpit_##name();
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#include "../mpit/functions.def"
#undef T
static void *const tool_functions[M2D_N_TOOL_CALLS] = {
#define T(name) (void *)mpit_##name,
#include "../mpit/functions.def"
#undef T
};
#pragma GCC diagnostic pop

static void fill_calls(void *slots[], enum m2d_library library)
{
	void *const *next[2] = { (void **)&m2d_calls_next[M2D_MPI], (void **)&m2d_calls_next[M2D_PMPI] };

	for (unsigned i = 0; i < 2 * M2D_N_CALLS; i++) {
		void *real = __atomic_load_n(&next[i % 2][i / 2], __ATOMIC_RELAXED);
		void *wrapper = library == M2D_LIBRARY_OURS ? m2d_calls_wrappers[i] : real;
		m2d_calls_store_once(&slots[i], real ? wrapper : (void *)absent);
	}
}

/* MPI_T: our functions, which call the library's, if the library has our flavour; otherwise the library's own. */
static void fill_tool_calls(void *slots[], enum m2d_library library, void *scope)
{
	for (unsigned i = 0; i < 2 * M2D_N_TOOL_CALLS; i++) {
		void *real = dlsym(scope, tool_names[i / 2] + (i % 2 == M2D_MPI));
		void *to = library == M2D_LIBRARY_OURS ? tool_functions[i / 2] : real ? real : (void *)absent;
		m2d_calls_store_once(&slots[i], to);
	}
}

/*
 * A program linked with this library gets all its MPI symbols from it, so the linker may have omitted the MPI library
 * (--as-needed). Load it now: the MPI library of the copy that the program was linked with, which may be of another
 * flavour. If no object was linked with a copy and this one is preloaded, the program only tests for MPI (a weak
 * symbol, dlsym); then nothing is loaded and the call fails.
 */
static bool load_library(void)
{
	static const char *const names[][4] = { [M2D_OPENMPI] = { "libmpi.so.40", "libmpi.so.80", "libmpi.so" },
						[M2D_MPICH] = { "libmpich.so.12", "libmpi.so.12", "libmpich.so" },
						[M2D_STANDARD_ABI] = { "libmpi_abi.so.1" } };
#if defined(OPEN_MPI)
	enum m2d_flavour flavour = M2D_OPENMPI;
#elif defined(M2D_ABI)
	enum m2d_flavour flavour = M2D_STANDARD_ABI;
#else
	enum m2d_flavour flavour = M2D_MPICH;
#endif
	enum m2d_flavour linked = m2d_copies_linked();
	int saved = errno;
	bool loaded = false;

	if (linked)
		flavour = linked;
	else if (m2d_copies_is_preloaded())
		return false;
	for (const char *const *name = names[flavour]; *name && !loaded; name++)
		loaded = dlopen(*name, RTLD_NOW | RTLD_GLOBAL) != NULL;
	errno = saved;
	return loaded;
}

void *m2d_calls_fill_slots(void *slots[], unsigned entry, const void *caller)
{
	void *scope = NULL;
	enum m2d_library library = m2d_calls_find(caller, &scope);

	if (library == M2D_LIBRARY_NONE && load_library())
		library = m2d_calls_find(caller, &scope);
	if (library == M2D_LIBRARY_NONE)
		return absent;
	int saved = errno;
	fill_calls(slots, library);
	fill_tool_calls(slots + 2 * M2D_N_CALLS, library, scope);
	errno = saved;
	return __atomic_load_n(&slots[entry], __ATOMIC_ACQUIRE);
}
