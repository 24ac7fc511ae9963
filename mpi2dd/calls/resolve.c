/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The real functions and the host's constants. dlsym(RTLD_NEXT) finds a library that the program was linked with; one
 * that came by dlopen(RTLD_LOCAL) (Python's extension modules) is looked for by name among the loaded objects.
 */
#include "calls.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stddef.h>
#include <string.h>

struct m2d_functions m2d_mpi, m2d_pmpi;
struct m2d_constants m2d_constants;

/* Names of the libraries that define PMPI_Init, by the flavour we are built for. */
#if defined(OPEN_MPI)
static const char *const library_names[] = { "libmpi.so", NULL };
#else
static const char *const library_names[] = { "libmpich.so", "libmpi.so", "libmpi_intel.so", NULL };
#endif

static int find_library(struct dl_phdr_info *info, size_t size, void *ret)
{
	const char *slash = strrchr(info->dlpi_name, '/'), *name = slash ? slash + 1 : info->dlpi_name;

	(void)size;
	for (size_t i = 0; library_names[i]; i++) {
		if (strncmp(name, library_names[i], strlen(library_names[i])) != 0)
			continue;
		*(void **)ret = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
		return *(void **)ret != NULL;
	}
	return 0;
}

/* A handle of the MPI library that RTLD_NEXT does not see; NULL: there is none. */
static void *apart(void)
{
	void *handle = NULL;

	dl_iterate_phdr(find_library, &handle);
	return handle;
}

static void fill(struct m2d_functions *f, void *from, const char *const names[])
{
	void **slot = (void **)f;

	for (size_t i = 0; i < sizeof(*f) / sizeof(*slot); i++)
		__atomic_store_n(&slot[i], dlsym(from, names[i]), __ATOMIC_RELEASE);
}

static const char *const mpi_names[] = {
#define CALL(name, params, args, before, after) "MPI_" #name,
#include "calls.def"
#undef CALL
};
static const char *const pmpi_names[] = {
#define CALL(name, params, args, before, after) "PMPI_" #name,
#include "calls.def"
#undef CALL
};

static void *library = RTLD_NEXT;

static void fill_constants(void)
{
#if defined(OPEN_MPI)
#define CONSTANT(symbol) m2d_calls_symbol(symbol)
	m2d_constants = (struct m2d_constants){
		.comm_world = CONSTANT("ompi_mpi_comm_world"),
		.comm_self = CONSTANT("ompi_mpi_comm_self"),
		.comm_null = CONSTANT("ompi_mpi_comm_null"),
		.byte = CONSTANT("ompi_mpi_byte"),
		.int32 = CONSTANT("ompi_mpi_int32_t"),
		.uint64 = CONSTANT("ompi_mpi_uint64_t"),
		.info_null = CONSTANT("ompi_mpi_info_null"),
		.errors_return = CONSTANT("ompi_mpi_errors_return"),
		.request_null = CONSTANT("ompi_request_null"),
	};
#else
	m2d_constants = (struct m2d_constants){
		.comm_world = MPI_COMM_WORLD,
		.comm_self = MPI_COMM_SELF,
		.comm_null = MPI_COMM_NULL,
		.byte = MPI_BYTE,
		.int32 = MPI_INT32_T,
		.uint64 = MPI_UINT64_T,
		.info_null = MPI_INFO_NULL,
		.errors_return = MPI_ERRORS_RETURN,
		.request_null = MPI_REQUEST_NULL,
	};
#endif
}

bool m2d_calls_resolve(void)
{
	int saved = errno;

	if (m2d_pmpi.Init)
		return true;
	if (!dlsym(RTLD_NEXT, "PMPI_Init")) {
		void *handle = apart();
		if (!handle) {
			errno = saved;
			return false;
		}
		library = handle;
	}
	fill_constants();
	fill(&m2d_mpi, library, mpi_names);
	fill(&m2d_pmpi, library, pmpi_names);
	errno = saved;
	return m2d_pmpi.Init != NULL;
}

void *m2d_calls_symbol(const char *name)
{
	return dlsym(library, name);
}
