/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The MPI library: where it is, which flavour it has, its functions and constants.
 *
 * It is what follows us in scope order (RTLD_NEXT), when the program was linked with it. A library that came by
 * dlopen(RTLD_LOCAL) (Python's extension modules) is found in the scope of the object that calls, or by its name among
 * the loaded objects. Once found it stays loaded: the slots lead into it.
 */
#include "calls.h"

#include "copies.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <string.h>

struct m2d_functions m2d_pmpi, m2d_calls_next[2];
struct m2d_constants m2d_constants;

enum host { HOST_UNKNOWN, HOST_OURS, HOST_OTHER };

static struct {
	enum host host;
	void *scope;   /* where the next MPI_X is: RTLD_NEXT, or the handle of an object */
	void *library; /* handle of the library itself */
} found;

const char *const m2d_calls_libraries[] = {
	"libmpi.so", "libmpich.so", "libmpi_abi.so", "libmpi_cray.so", "libmpi_gnu", "libmpi_intel.so", NULL
};

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

/* The object that an address lies in, as a handle of its own; NULL: none. */
static void *object_of(const void *address, const char **ret_name)
{
	struct link_map *map = NULL;
	Dl_info info;

	if (!address || !dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP) || !map)
		return NULL;
	const char *slash = strrchr(map->l_name, '/');
	*ret_name = slash ? slash + 1 : map->l_name;
	return dlopen(map->l_name[0] ? map->l_name : NULL, RTLD_LAZY | RTLD_NOLOAD);
}

/* Fill in scope and library. @return false: there is no MPI library yet */
static bool find_library(const void *caller, void **ret_scope, void **ret_library, const char **ret_name)
{
	void *init = dlsym(RTLD_NEXT, "PMPI_Init"), *scope = RTLD_NEXT, *library = NULL;

	*ret_name = "";
	if (!init && caller) {
		const char *name = "";
		scope = object_of(caller, &name);
		init = scope ? dlsym(scope, "PMPI_Init") : NULL;
	}
	if (init)
		library = object_of(init, ret_name);
	/* two flavours may be loaded together, or two copies of one; neither is the library */
	if (!library || m2d_copies_has(init)) {
		library = NULL;
		dl_iterate_phdr(find_by_name, &library);
		if (!library)
			return false;
		if (!init || scope != RTLD_NEXT)
			scope = library;
		(void)object_of(dlsym(library, "PMPI_Init"), ret_name);
	}
	*ret_scope = scope;
	*ret_library = library;
	return true;
}

/* Open MPI is known by its predefined objects, MPICH and its kin by a constant that is an object only there. */
static enum host flavour(void *library, const char *name)
{
	bool open_mpi = dlsym(library, "ompi_mpi_comm_world");
	bool abi = strncmp(name, "libmpi_abi", 10) == 0;

	if (m2d_copies_is_spare())
		return HOST_OTHER;
#if defined(OPEN_MPI)
	return open_mpi && !abi ? HOST_OURS : HOST_OTHER;
#else
	return !open_mpi && !abi && dlsym(library, "MPI_UNWEIGHTED") ? HOST_OURS : HOST_OTHER;
#endif
}

const char *const m2d_calls_names[M2D_N_CALLS] = {
#define CALL(name, params, args, before, after)  "PMPI_" #name,
#define CALLX(name, params, args, before, after) "PMPIX_" #name,
#include "calls.def"
#undef CALL
};

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

/*
 * Several threads may fill the tables, while one that was faster uses them: each place is stored to once, and who finds it
 * done has what was stored before it.
 */
static void put(void **place, void *value)
{
	void *seen = __atomic_load_n(place, __ATOMIC_ACQUIRE);

	if (seen != value)
		__atomic_compare_exchange_n(place, &seen, value, false, __ATOMIC_RELEASE, __ATOMIC_ACQUIRE);
}

/* MPI_T: ours for a library of our flavour, which then asks the library's; for another one nothing of ours. */
static void fill_tool_slots(enum host host, void *scope)
{
	for (unsigned i = 0; i < 2 * M2D_N_TOOL_CALLS; i++) {
		void *real = dlsym(scope, tool_names[i / 2] + (i % 2 == M2D_MPI));
		void *to = host == HOST_OURS ? tool_functions[i / 2] : real ? real : (void *)absent;
		put(&m2d_slots[2 * M2D_N_CALLS + i], to);
	}
}

static void fill_slots(enum host host, void *scope)
{
	void **next[2] = { (void **)&m2d_calls_next[M2D_MPI], (void **)&m2d_calls_next[M2D_PMPI] };

	for (unsigned i = 0; i < 2 * M2D_N_CALLS; i++) {
		void *real = dlsym(scope, m2d_calls_names[i / 2] + (i % 2 == M2D_MPI));
		put(&next[i % 2][i / 2], real);
		put(&m2d_slots[i], !real ? (void *)absent : host == HOST_OURS ? m2d_calls_wrappers[i] : real);
	}
}

static void fill_pmpi(void *library)
{
	void **pmpi = (void **)&m2d_pmpi;

	for (unsigned i = 0; i < M2D_N_CALLS; i++)
		put(&pmpi[i], dlsym(library, m2d_calls_names[i]));
}

/*
 * An object of the library: where the program has it. The linker gives an executable a copy of its own of what it
 * refers to, and the library uses that copy as well.
 */
static void *object(void *scope, void *library, const char *name)
{
	void *ret = scope == RTLD_NEXT ? dlsym(RTLD_DEFAULT, name) : NULL;

	return ret ? ret : dlsym(library, name);
}

static void fill_constants(void *scope, void *library)
{
#if defined(OPEN_MPI)
#define CONSTANT(symbol) object(scope, library, symbol)
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
	};
#else
	(void)scope;
	(void)library;
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
		.request_empty = MPI_REQUEST_NULL,
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
 * Threads may come here at the same time: no lock, since dlsym takes the loader's and a constructor that holds it may
 * be waiting for us. They find the same and store the same.
 */
static enum host resolve(const void *caller)
{
	enum host host = __atomic_load_n(&found.host, __ATOMIC_ACQUIRE);
	int saved = errno;

	if (host == HOST_UNKNOWN) {
		void *scope, *library;
		const char *name;
		if (find_library(caller, &scope, &library, &name)) {
			host = flavour(library, name);
			put(&found.scope, scope);
			put(&found.library, library);
			if (host == HOST_OURS) {
				fill_constants(scope, library);
				fill_pmpi(library);
			}
			fill_slots(host, scope);
			fill_tool_slots(host, scope);
			__atomic_store_n(&found.host, host, __ATOMIC_RELEASE);
		}
	}
	errno = saved;
	return host;
}

/*
 * A program that was linked with us and calls MPI, and there is none: we define all that it needs of it, and the linker has
 * left the library out (--as-needed). It is loaded now: that of the copy which the program was linked with, which need not
 * be this one. When nobody was linked with a copy and we are preloaded, somebody only asks whether MPI is there (a weak
 * symbol, dlsym), and is told that it is not.
 */
static bool load_library(void)
{
	static const char *const of_openmpi[] = { "libmpi.so.40", "libmpi.so.80", "libmpi.so", NULL };
	static const char *const of_mpich[] = { "libmpich.so.12", "libmpi.so.12", "libmpich.so", NULL };
#if defined(OPEN_MPI)
	enum m2d_flavour flavour = M2D_OPENMPI;
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
	for (const char *const *name = flavour == M2D_OPENMPI ? of_openmpi : of_mpich; *name && !loaded; name++)
		loaded = dlopen(*name, RTLD_NOW | RTLD_GLOBAL) != NULL;
	errno = saved;
	return loaded;
}

bool m2d_calls_resolve(void)
{
	return resolve(NULL) == HOST_OURS;
}

void *m2d_calls_symbol(const char *name)
{
	if (!m2d_calls_resolve())
		return NULL;
	/* functions are the library's own: in the program's scope it would be ours */
	bool function = strncmp(name, "MPI", 3) == 0 || strncmp(name, "PMPI", 4) == 0;
	return function ? dlsym(found.library, name) : object(found.scope, found.library, name);
}

int m2d_calls_error_class(int code)
{
	static int (*ask)(int, int *);
	int class = code;

	if (!ask)
		ask = (int (*)(int, int *))m2d_calls_symbol("PMPI_Error_class");
	if (ask)
		ask(code, &class);
	return class;
}

void *m2d_calls_entry(unsigned entry, const void *caller)
{
	if (resolve(caller) == HOST_UNKNOWN && (!load_library() || resolve(caller) == HOST_UNKNOWN))
		return absent;
	return __atomic_load_n(&m2d_slots[entry], __ATOMIC_ACQUIRE);
}
