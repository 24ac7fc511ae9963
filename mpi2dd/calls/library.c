/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The MPI library: where it is, its flavour, its functions and its constants.
 *
 * If the program was linked with it, it follows us in the symbol scope (RTLD_NEXT). A library loaded by
 * dlopen(RTLD_LOCAL), as by Python's extension modules, is found in the scope of the calling object, or by its file
 * name among the loaded objects. Once found it stays loaded, because the slots lead into it.
 */
#include "calls.h"

#include "../../functions/functions.h"
#include "copies.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <string.h>

struct m2d_functions m2d_pmpi, m2d_calls_next[2];
struct m2d_constants m2d_constants;

static struct {
	enum m2d_library host;
	void *scope;   /* where the next MPI_X is: RTLD_NEXT, or the handle of an object */
	void *library; /* handle of the library itself */
} found;

const char *const m2d_calls_libraries[] = { "libmpi.so",  "libmpich.so",     "libmpi_abi", "libmpi_cray.so",
					    "libmpi_gnu", "libmpi_intel.so", NULL };

static int find_by_name(struct dl_phdr_info *info, size_t size, void *ret)
{
	const char *slash = strrchr(info->dlpi_name, '/'), *name = slash ? slash + 1 : info->dlpi_name;

	(void)size;
	for (size_t i = 0; m2d_calls_libraries[i]; i++) {
		if (strncmp(name, m2d_calls_libraries[i], strlen(m2d_calls_libraries[i])) != 0)
			continue;
		void *handle = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
		if (handle && dlsym(handle, "PMPI_Init")) {
			*(void **)ret = handle;
			return 1;
		}
		if (handle)
			dlclose(handle);
	}
	return 0;
}

/* A dlopen handle for the object that contains an address; NULL: none. */
static void *open_object(const void *address, const char **ret_name)
{
	struct link_map *map = NULL;
	Dl_info info;

	if (!address || !dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP) || !map)
		return NULL;
	const char *slash = strrchr(map->l_name, '/');
	*ret_name = slash ? slash + 1 : map->l_name;
	return dlopen(map->l_name[0] ? map->l_name : NULL, RTLD_LAZY | RTLD_NOLOAD);
}

/* Find scope and library. @return false: no MPI library is loaded so far */
static bool find_library(const void *caller, void **ret_scope, void **ret_library, const char **ret_name)
{
	void *init = dlsym(RTLD_NEXT, "PMPI_Init"), *scope = RTLD_NEXT, *library = NULL;

	*ret_name = "";
	if (!init && caller) {
		const char *name = "";
		scope = open_object(caller, &name);
		init = scope ? dlsym(scope, "PMPI_Init") : NULL;
	}
	if (init)
		library = open_object(init, ret_name);
	/* both flavours, or two copies of one, may be loaded; these are not the MPI library */
	if (!library || m2d_copies_has(init)) {
		library = NULL;
		dl_iterate_phdr(find_by_name, &library);
		if (!library)
			return false;
		if (!init || scope != RTLD_NEXT)
			scope = library;
		(void)open_object(dlsym(library, "PMPI_Init"), ret_name);
	}
	*ret_scope = scope;
	*ret_library = library;
	return true;
}

#if defined(M2D_ABI)
enum m2d_mpi m2d_calls_mpi;

/* The functions that are called here work before MPI_Init. */
static bool is_known_abi(void *library)
{
	int (*get)(int *, int *) = (int (*)(int *, int *))dlsym(library, "PMPI_Abi_get_version");
	int major = -1, minor = -1;

	return !get || get(&major, &minor) != MPI_SUCCESS || major == MPI_ABI_VERSION;
}

/*
 * Functions of MPI 2 that are called here whatever the program calls. Every MPI has them; a library that has only some
 * functions of MPI is passed on to.
 */
static bool has_functions(void *library)
{
	static const char *const names[] = {
		"PMPI_Initialized",    "PMPI_Finalized",         "PMPI_Query_thread",
		"PMPI_Comm_rank",      "PMPI_Comm_size",         "PMPI_Comm_test_inter",
		"PMPI_Comm_group",     "PMPI_Comm_remote_group", "PMPI_Comm_get_name",
		"PMPI_Comm_get_attr",  "PMPI_Group_size",        "PMPI_Group_rank",
		"PMPI_Group_free",     "PMPI_Comm_remote_size",  "PMPI_Group_translate_ranks",
		"PMPI_Info_get_nkeys", "PMPI_Info_get_nthkey",   "PMPI_Info_get",
		"PMPI_Info_create",    "PMPI_Info_set",          "PMPI_Info_free",
		"PMPI_Type_free",      "PMPI_Errhandler_free",   "PMPI_Topo_test",
		"PMPI_Cartdim_get",    "PMPI_Cart_get",          "PMPI_Graphdims_get",
		"PMPI_Graph_get",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!dlsym(library, names[i]))
			return false;
	return true;
}

static enum m2d_mpi which_mpi(void *library)
{
	char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
	int n = 0;

	if (dlsym(library, "ompi_mpi_comm_world"))
		return M2D_MPI_OPENMPI;
	if (!m2d_pmpi.Get_library_version || m2d_pmpi.Get_library_version(text, &n) != MPI_SUCCESS)
		return M2D_MPI_OTHER;
	return strncmp(text, "MPICH Version:", 14) == 0 ? M2D_MPI_MPICH : M2D_MPI_OTHER;
}
#endif

/*
 * Open MPI is recognized by its predefined objects; MPICH and its derivatives by a constant that is an object only
 * there; the standard ABI by the name of the library.
 */
static enum m2d_library flavour_of(void *library, const char *name)
{
	bool open_mpi = dlsym(library, "ompi_mpi_comm_world");
	bool abi = strncmp(name, "libmpi_abi", 10) == 0;

	if (m2d_copies_is_inactive())
		return M2D_LIBRARY_OTHER;
#if defined(M2D_ABI)
	(void)open_mpi;
	return abi && has_functions(library) && is_known_abi(library) ? M2D_LIBRARY_OURS : M2D_LIBRARY_OTHER;
#elif defined(OPEN_MPI)
	return open_mpi && !abi ? M2D_LIBRARY_OURS : M2D_LIBRARY_OTHER;
#else
	return !open_mpi && !abi && dlsym(library, "MPI_UNWEIGHTED") ? M2D_LIBRARY_OURS : M2D_LIBRARY_OTHER;
#endif
}

const char *const m2d_calls_names[M2D_N_CALLS] = {
#define CALL(name, symbol, facts, params, args, before, after) "P" #symbol,
#include "calls.def"
};

const uint32_t m2d_calls_facts[M2D_N_CALLS] = {
#define CALL(name, symbol, facts, params, args, before, after) facts,
#include "calls.def"
};

/*
 * Fill in what our MPI_X and PMPI_X call next; also for a library of another flavour, to which every call is passed on.
 */
static void fill_next(void *scope)
{
	void **next[2] = { (void **)&m2d_calls_next[M2D_MPI], (void **)&m2d_calls_next[M2D_PMPI] };

	for (unsigned i = 0; i < 2 * M2D_N_CALLS; i++)
		m2d_calls_store_once(&next[i % 2][i / 2], dlsym(scope, m2d_calls_names[i / 2] + (i % 2 == M2D_MPI)));
}

#if !defined(OPEN_MPI)
/*
 * The library's own function, for readers of this process. Since 4.1 they find MPICH's version only in its code
 * (readers/mpich/version.c), and its name leads them to our function. Set when this library is loaded.
 */
M2D_EXPORT void *MPI2DD_get_library_version;

static __attribute__((constructor)) void show_version(void)
{
	void *library = NULL;
	int saved = errno;

	if (dl_iterate_phdr(find_by_name, &library)) {
		m2d_calls_store_once(&MPI2DD_get_library_version, dlsym(library, "PMPI_Get_library_version"));
		dlclose(library);
	}
	errno = saved;
}
#endif

static void fill_pmpi(void *library)
{
	void **pmpi = (void **)&m2d_pmpi;

	for (unsigned i = 0; i < M2D_N_CALLS; i++)
		m2d_calls_store_once(&pmpi[i], dlsym(library, m2d_calls_names[i]));
#if !defined(OPEN_MPI)
	m2d_calls_store_once(&MPI2DD_get_library_version, (void *)(uintptr_t)m2d_pmpi.Get_library_version);
#endif
}

/*
 * Address of an object of the library as the program sees it: the linker gives an executable its own copy of objects
 * that it references, and the library uses that copy, too.
 */
static void *find_object(void *scope, void *library, const char *name)
{
	void *ret = scope == RTLD_NEXT ? dlsym(RTLD_DEFAULT, name) : NULL;

	return ret ? ret : dlsym(library, name);
}

#if !defined(OPEN_MPI)
/* The request that operations share that are complete when created;
 * Open MPI's handles of the ABI are addresses of its objects. */
static MPI_Request shared_request(void *scope, void *library, const char *name)
{
	void *shared = m2d_calls_is_openmpi() ? find_object(scope, library, name) : NULL;

	if (m2d_calls_is_openmpi() && !shared)
		shared = find_object(scope, library, "ompi_request_empty");
	return shared ? (MPI_Request)(uintptr_t)shared : MPI_REQUEST_NULL;
}
#endif

static void fill_constants(void *scope, void *library)
{
#if defined(OPEN_MPI)
#define CONSTANT(symbol) find_object(scope, library, symbol)
	const struct m2d_constants c = {
		.comm_world = CONSTANT("ompi_mpi_comm_world"),
		.comm_self = CONSTANT("ompi_mpi_comm_self"),
		.comm_null = CONSTANT("ompi_mpi_comm_null"),
		.byte = CONSTANT("ompi_mpi_byte"),
		.int32 = CONSTANT("ompi_mpi_int32_t"),
		.uint64 = CONSTANT("ompi_mpi_uint64_t"),
		.info_null = CONSTANT("ompi_mpi_info_null"),
		.errors_return = CONSTANT("ompi_mpi_errors_return"),
		.op_no_op = CONSTANT("ompi_mpi_op_no_op"),
		.request_null = CONSTANT("ompi_request_null"),
		.request_empty = CONSTANT("ompi_request_empty"),
		.request_empty_send = CONSTANT("ompi_request_empty_send") ?: CONSTANT("ompi_request_empty"),
	};
#else
	const struct m2d_constants c = {
		.comm_world = MPI_COMM_WORLD,
		.comm_self = MPI_COMM_SELF,
		.comm_null = MPI_COMM_NULL,
		.byte = MPI_BYTE,
		.int32 = MPI_INT32_T,
		.uint64 = MPI_UINT64_T,
		.info_null = MPI_INFO_NULL,
		.errors_return = MPI_ERRORS_RETURN,
		.op_no_op = MPI_NO_OP,
		.request_null = MPI_REQUEST_NULL,
		.request_empty = shared_request(scope, library, "ompi_request_empty"),
		.request_empty_send = shared_request(scope, library, "ompi_request_empty_send"),
	};
#endif
	typedef uint32_t word __attribute__((may_alias));
	const word *from = (const void *)&c;
	word *to = (void *)&m2d_constants;
	_Static_assert(sizeof(c) % sizeof(*to) == 0, "words");
	for (size_t i = 0; i < sizeof(c) / sizeof(*to); i++) {
		word seen = __atomic_load_n(&to[i], __ATOMIC_ACQUIRE);
		if (seen != from[i])
			__atomic_compare_exchange_n(&to[i], &seen, from[i], false, __ATOMIC_RELEASE, __ATOMIC_ACQUIRE);
	}
}

/*
 * Several threads may be here at the same time. No lock is used: dlsym takes the loader's lock, and a constructor that
 * holds that lock may be waiting for us. All threads find and store the same values.
 */
enum m2d_library m2d_calls_find(const void *caller, void **ret_scope)
{
	enum m2d_library host = __atomic_load_n(&found.host, __ATOMIC_ACQUIRE);
	int saved = errno;

	if (host == M2D_LIBRARY_NONE) {
		void *scope, *library;
		const char *name;
		if (find_library(caller, &scope, &library, &name)) {
			host = flavour_of(library, name);
			m2d_calls_store_once(&found.scope, scope);
			m2d_calls_store_once(&found.library, library);
			if (host == M2D_LIBRARY_OURS) {
				fill_pmpi(library);
#if defined(M2D_ABI)
				__atomic_store_n(&m2d_calls_mpi, which_mpi(library), __ATOMIC_RELAXED);
#endif
				fill_constants(scope, library);
			}
			fill_next(scope);
			__atomic_store_n(&found.host, host, __ATOMIC_RELEASE);
		}
	}
	errno = saved;
	if (host != M2D_LIBRARY_NONE && ret_scope)
		*ret_scope = __atomic_load_n(&found.scope, __ATOMIC_ACQUIRE);
	return host;
}

bool m2d_calls_resolve(void)
{
	return m2d_calls_find(NULL, NULL) == M2D_LIBRARY_OURS;
}

void *m2d_calls_symbol(const char *name)
{
	if (!m2d_calls_resolve())
		return NULL;
	/* functions: the library's own definition, because the first one in the program's scope is ours */
	bool function = strncmp(name, "MPI", 3) == 0 || strncmp(name, "PMPI", 4) == 0;
	return function ? dlsym(found.library, name) : find_object(found.scope, found.library, name);
}

int m2d_calls_error_class(int code)
{
	static int (*function)(int, int *); /* threads may store the same value at the same time */
	int (*ask)(int, int *) = __atomic_load_n(&function, __ATOMIC_RELAXED);
	int class = code;

	/* Its codes are classes, and it ends a program that asks about
	 * a number that is none, as a callback may have returned. */
	if (m2d_calls_is_openmpi())
		return code;
	if (!ask) {
		ask = (int (*)(int, int *))m2d_calls_symbol("PMPI_Error_class");
		__atomic_store_n(&function, ask, __ATOMIC_RELAXED);
	}
	if (ask)
		ask(code, &class);
	return class;
}
