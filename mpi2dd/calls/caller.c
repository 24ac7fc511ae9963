/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Classifies a return address. The loaded objects are kept as a sorted table of
 * address ranges; those of the MPI library and of its parts are marked. Language
 * bindings do not count as the library: calls they make are the program's.
 */
#include "calls.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>

/* A published table is never changed or freed, because another thread may be reading it. */
struct table {
	unsigned long long n_loads; /* dlpi_adds when the table was made */
	size_t n, capacity;
	struct m2d_span spans[];
};
static struct table *table;

static const struct m2d_span no_span;
const struct m2d_span *m2d_calls_program = &no_span;

/* Code outside of any object (from a JIT compiler): a hash table of pages known not to be the library's. */
enum { PAGES = 64 };
static uintptr_t pages[PAGES];

static bool starts_with(const char *name, const char *with)
{
	return strncmp(name, with, strlen(with)) == 0;
}

/*
 * Names of Open MPI's components (mca_*, libmca_*), of the libraries that Open MPI
 * and MPICH are built on, and of ROMIO. DT_NEEDED is no substitute: it includes
 * the C library, from which atexit(MPI_Finalize) makes a call of the program.
 */
static bool is_library_name(const char *path)
{
	static const char *const parts[] = { "mca_",      "libmca_",  "libopen-pal", "libopen-rte", "libopen_mpi",
					     "liboshmem", "libprrte", "libpmix",     "libpmi",      "libucp.",
					     "libucs.",   "libuct.",  "libuct_",     "libucs_",     "libucm",
					     "libfabric", "libromio", "libhcoll",    "libmpl.",     "libopa.",
					     "libpsm",    "libevent", "libhwloc",    "libmpichabi", "libmxm",
					     "libsharp",  "libocoms", "libibverbs",  NULL };
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	for (size_t i = 0; parts[i]; i++)
		if (starts_with(name, parts[i]))
			return true;
	for (size_t i = 0; m2d_calls_libraries[i]; i++)
		if (starts_with(name, m2d_calls_libraries[i]))
			return true;
	return false;
}

static bool span_of(const struct dl_phdr_info *info, struct m2d_span *ret)
{
	uintptr_t from = UINTPTR_MAX, to = 0;

	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		if (ph->p_type != PT_LOAD)
			continue;
		uintptr_t at = info->dlpi_addr + ph->p_vaddr;
		from = at < from ? at : from;
		to = at + ph->p_memsz > to ? at + ph->p_memsz : to;
	}
	if (to <= from)
		return false;
	*ret = (struct m2d_span){ .from = from, .bytes = to - from, .library = is_library_name(info->dlpi_name) };
	/* also a library under another name, or linked statically into a shared object */
	uintptr_t init = (uintptr_t)m2d_pmpi.Init;
	if (init >= from && init < to && info->dlpi_name[0])
		ret->library = true;
	return true;
}

struct count {
	unsigned long long n_loads;
	size_t n;
};

static int count_objects(struct dl_phdr_info *info, size_t size, void *ret)
{
	struct count *c = ret;

	(void)size;
	c->n_loads = info->dlpi_adds;
	c->n++;
	return 0;
}

static int add_object(struct dl_phdr_info *info, size_t size, void *ret)
{
	struct table *t = ret;
	struct m2d_span span;

	(void)size;
	t->n_loads = info->dlpi_adds;
	if (t->n == t->capacity || !span_of(info, &span))
		return 0;
	size_t at = t->n++;
	for (; at > 0 && t->spans[at - 1].from > span.from; at--)
		t->spans[at] = t->spans[at - 1];
	t->spans[at] = span;
	return 0;
}

static int read_load_count(struct dl_phdr_info *info, size_t size, void *ret)
{
	(void)size;
	*(unsigned long long *)ret = info->dlpi_adds;
	return 1;
}

/* Make a new table if objects were loaded since the last one. @return NULL: out of memory */
static const struct table *refresh(void)
{
	struct table *t = __atomic_load_n(&table, __ATOMIC_ACQUIRE);
	unsigned long long n_loads = 0;
	int saved = errno;

	dl_iterate_phdr(read_load_count, &n_loads);
	if (t && t->n_loads == n_loads)
		return t;
	struct count c = { 0 };
	dl_iterate_phdr(count_objects, &c);
	size_t capacity = c.n + 8, bytes = sizeof(*t) + capacity * sizeof(t->spans[0]);
	t = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	errno = saved;
	if (t == MAP_FAILED)
		return __atomic_load_n(&table, __ATOMIC_ACQUIRE);
	t->capacity = capacity;
	dl_iterate_phdr(add_object, t);
	__atomic_store_n(&table, t, __ATOMIC_RELEASE);
	for (size_t i = 0; i < PAGES; i++)
		__atomic_store_n(&pages[i], 0, __ATOMIC_RELAXED);
	return t;
}

static const struct m2d_span *find_span(const struct table *t, uintptr_t at)
{
	size_t lo = 0, hi = t ? t->n : 0;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		if (at - t->spans[mid].from < t->spans[mid].bytes)
			return &t->spans[mid];
		if (at < t->spans[mid].from)
			hi = mid;
		else
			lo = mid + 1;
	}
	return NULL;
}

bool m2d_calls_from_library(const void *address)
{
	uintptr_t at = (uintptr_t)address, page = at >> 12;
	const struct m2d_span *span = find_span(__atomic_load_n(&table, __ATOMIC_ACQUIRE), at);

	if (!span) {
		if (__atomic_load_n(&pages[page % PAGES], __ATOMIC_RELAXED) == page)
			return false;
		span = find_span(refresh(), at);
		if (!span) {
			__atomic_store_n(&pages[page % PAGES], page, __ATOMIC_RELAXED);
			return false;
		}
	}
	if (!span->library)
		__atomic_store_n(&m2d_calls_program, span, __ATOMIC_RELEASE);
	return span->library;
}

bool m2d_calls_is_ours(const void *address)
{
	static uintptr_t from, bytes;
	uintptr_t n = __atomic_load_n(&bytes, __ATOMIC_ACQUIRE);

	if (!n) {
		const struct m2d_span *own = find_span(refresh(), (uintptr_t)m2d_calls_is_ours);
		if (!own)
			return false;
		n = own->bytes;
		__atomic_store_n(&from, own->from, __ATOMIC_RELAXED);
		__atomic_store_n(&bytes, n, __ATOMIC_RELEASE);
	}
	return (uintptr_t)address - __atomic_load_n(&from, __ATOMIC_RELAXED) < n;
}
