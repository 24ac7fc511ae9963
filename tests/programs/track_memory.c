/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Usage: track_memory, one rank, with the in-target library
 * Once it has started, does the library take memory for requests? The program's own malloc, calloc, realloc and mmap
 * count who calls them; what the MPI library takes is not ours.
 */
#include "registry.h"

#include <sys/mman.h>

enum { MANY = 20000, TURNS = 50 };

static const char *from, *to; /* code of the in-target library */
static unsigned long n_ours;

static unsigned long seen(void)
{
	return __atomic_load_n(&n_ours, __ATOMIC_RELAXED);
}

static void count(const char *caller)
{
	if (caller >= from && caller < to)
		__atomic_add_fetch(&n_ours, 1, __ATOMIC_RELAXED);
}

extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t n, size_t bytes);
extern void *__libc_realloc(void *at, size_t n);

void *malloc(size_t n)
{
	count(__builtin_return_address(0));
	return __libc_malloc(n);
}

void *calloc(size_t n, size_t bytes)
{
	count(__builtin_return_address(0));
	return __libc_calloc(n, bytes);
}

void *realloc(void *at, size_t n)
{
	count(__builtin_return_address(0));
	return __libc_realloc(at, n);
}

void *mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t offset)
{
	count(__builtin_return_address(0));
	return (void *)syscall(SYS_mmap, at, bytes, protection, flags, fd, offset); /* NOLINT */
}

/* The executable mapping that the registry's symbol belongs to, and its neighbours of the same file. */
static void find_library(void)
{
	char line[512], path[256] = "";
	Dl_info info;
	FILE *f = fopen("/proc/self/maps", "r");

	if (!f || !dladdr(registry, &info))
		return;
	snprintf(path, sizeof path, "%s", info.dli_fname);
	while (fgets(line, sizeof line, f)) {
		unsigned long a, b;
		if (!strstr(line, path) || sscanf(line, "%lx-%lx", &a, &b) != 2)
			continue;
		if (!from)
			from = (const char *)a;
		to = (const char *)b;
	}
	fclose(f);
}

static void traffic(int n)
{
	static MPI_Request requests[2 * MANY];
	static MPI_Status statuses[2 * MANY];
	static int in[MANY], out[MANY];

	for (int i = 0; i < n; i++)
		MPI_Irecv(&in[i], 1, MPI_INT, 0, i % 100, MPI_COMM_SELF, &requests[i]);
	for (int i = 0; i < n; i++)
		MPI_Isend(&out[i], 1, MPI_INT, 0, i % 100, MPI_COMM_SELF, &requests[n + i]);
	MPI_Waitall(2 * n, requests, statuses);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	registry_open();
	find_library();
	EXPECT(from && to > from);
	unsigned long before = seen();
	/* few; more than are saved on the stack; more than the tables begin with, all at once */
	for (int turn = 0; turn < TURNS; turn++)
		traffic(2);
	for (int turn = 0; turn < TURNS; turn++)
		traffic(100);
	traffic(MANY);
	traffic(MANY);
	EXPECT_IS(seen(), before);
	EXPECT_IS(registry_slab(TRK_REQUEST)->n_dropped, 0);
	/* proof that allocations are counted: an array longer than the reserved space allocates memory for the call */
	static MPI_Request none[1 << 17];
	static MPI_Status statuses[1 << 17];
	for (int i = 0; i < 1 << 17; i++)
		none[i] = MPI_REQUEST_NULL;
	MPI_Waitall(1 << 17, none, statuses);
	EXPECT(seen() > before);
	MPI_Finalize();
	return registry_close();
}
