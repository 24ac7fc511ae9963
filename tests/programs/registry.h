/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file registry.h
 * For test programs: look at the registry of the in-target library in one's own process, and compare it with what the
 * program did itself.
 *
 *     registry_open();                          after MPI_Init
 *     MPI_Irecv(buf, 3, MPI_INT, 1, 7, comm, &request);
 *     const struct trk_request *r = registry_request(request);
 *     EXPECT(r && r->tag == 7);
 *     return registry_close();                  prints "ok N checks", or what was wrong; the exit code
 */
#ifndef REGISTRY_H
#define REGISTRY_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif

#include "../../include/track_layout.h"

#include <mpi.h>

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct trk_registry *registry;
static int registry_n_checks, registry_n_bad;

/** Compare; goes on after a failure. */
#define EXPECT(condition) registry_expect(condition, #condition, __FILE__, __LINE__)

/** Compare two numbers. */
#define EXPECT_IS(seen, expected)                                                                                      \
	registry_expect_is((long long)(seen), (long long)(expected), #seen, __FILE__, __LINE__)

__attribute__((unused)) static bool registry_expect(bool ok, const char *what, const char *file, int line)
{
	registry_n_checks++;
	if (!ok) {
		registry_n_bad++;
		fprintf(stderr, "%s:%d: not so: %s\n", file, line, what);
	}
	return ok;
}

__attribute__((unused)) static bool registry_expect_is(long long seen, long long expected, const char *what,
						       const char *file, int line)
{
	registry_n_checks++;
	if (seen != expected) {
		registry_n_bad++;
		fprintf(stderr, "%s:%d: %s is %lld (0x%llx), expected %lld (0x%llx)\n", file, line, what, seen,
			(unsigned long long)seen, expected, (unsigned long long)expected);
	}
	return seen == expected;
}

/** Bits of a handle, as the registry has them. */
#define BITS(handle) (sizeof(handle) == 4 ? (uint64_t)(uint32_t)(uintptr_t)(handle) : (uint64_t)(uintptr_t)(handle))

__attribute__((unused)) static void registry_open(void)
{
	registry = dlsym(RTLD_DEFAULT, "MPI2DD_registry");
	if (!registry || memcmp(&registry->cookie, TRK_COOKIE, 8) != 0) {
		fprintf(stderr, "no registry: run with the in-target library preloaded\n");
		exit(3);
	}
}

__attribute__((unused)) static int registry_close(void)
{
	if (registry_n_bad == 0 && registry_n_checks > 0)
		printf("ok %d checks\n", registry_n_checks);
	else
		printf("%d of %d checks failed\n", registry_n_bad, registry_n_checks);
	fflush(stdout);
	return registry_n_bad == 0 && registry_n_checks > 0 ? 0 : 1;
}

__attribute__((unused)) static const struct trk_slab *registry_slab(enum trk_kind kind)
{
	return (const struct trk_slab *)(uintptr_t)registry->slabs + kind;
}

/** Record number i of a kind; NULL: beyond the last one that was ever used. */
__attribute__((unused)) static const void *registry_record(enum trk_kind kind, size_t i)
{
	const struct trk_slab *s = registry_slab(kind);

	return s->records && i < s->high ? (const char *)(uintptr_t)s->records + i * s->bytes : NULL;
}

/** The live record of any kind but requests with this handle value; NULL: none. */
#define registry_object(kind, handle) registry_find(kind, BITS(handle), TRK_LIVE)

struct registry_head {
	TRK_OBJECT_FIELDS(TRK_FIELD)
};

__attribute__((unused)) static const void *registry_find(enum trk_kind kind, uint64_t handle, enum trk_state state)
{
	const struct registry_head *r;

	for (size_t i = 0; (r = registry_record(kind, i)); i++)
		if (r->state == state && r->handle == handle)
			return r;
	return NULL;
}

/** "MPI_Isend"; "" for none. */
__attribute__((unused)) static const char *registry_call(uint32_t call)
{
	if (call >= registry->n_calls)
		return "";
	return (const char *)(uintptr_t)registry->call_names + (size_t)call * registry->call_name_bytes;
}

/** The number-th record of a request with this handle value and state, and the number of them. */
__attribute__((unused)) static int registry_requests(uint64_t handle, enum trk_state state, int number,
						     const struct trk_request **ret)
{
	const struct trk_request *r;
	int n = 0;

	*ret = NULL;
	for (size_t i = 0; (r = registry_record(TRK_REQUEST, i)); i++)
		if (r->state == state && r->handle == handle && n++ == number)
			*ret = r;
	return n;
}

/** The live request with this handle; NULL: none, or several. */
__attribute__((unused)) static const struct trk_request *registry_request(MPI_Request request)
{
	const struct trk_request *r;

	return registry_requests(BITS(request), TRK_LIVE, 0, &r) == 1 ? r : NULL;
}

/** All live requests. */
__attribute__((unused)) static int registry_n_requests(void)
{
	const struct trk_request *r;
	int n = 0;

	for (size_t i = 0; (r = registry_record(TRK_REQUEST, i)); i++)
		n += r->state == TRK_LIVE;
	return n;
}

/** The slot of a thread; NULL: none. */
__attribute__((unused)) static const struct trk_thread *registry_thread(pid_t tid)
{
	for (uint32_t i = 0; i < registry->n_threads; i++) {
		const struct trk_thread *t = (const struct trk_thread *)((const char *)(uintptr_t)registry->threads +
									 (size_t)i * registry->thread_bytes);
		if (t->tid == (uint32_t)tid)
			return t;
	}
	return NULL;
}

__attribute__((unused)) static const struct trk_thread *registry_own_thread(void)
{
	return registry_thread((pid_t)syscall(SYS_gettid));
}

#endif /* REGISTRY_H */
