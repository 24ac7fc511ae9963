/* SPDX-License-Identifier: BSD-3-Clause */
#include "head.h"

#include <mpi.h>

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define COOKIE UINT64_C(0x4d50493244447472)
#else
#define COOKIE UINT64_C(0x727444443249504d)
#endif

/* A reader can identify it before any code has run; all tables are empty then. */
struct trk_registry MPI2DD_registry __attribute__((aligned(64))) = {
	.cookie = COOKIE,
	.byte_order = TRK_BYTE_ORDER,
	.version_major = TRK_VERSION_MAJOR,
	.version_minor = TRK_VERSION_MINOR,
	.bytes = sizeof(struct trk_registry),
	.word_bytes = sizeof(void *),
	.thread_level = -1,
	.world_rank = -1,
	.world_size = -1,
	.next_id = 1,
	.clock_hz = 1,
#if defined(M2D_ABI)
	.abi = MPI_ABI_VERSION,
#endif
};

int trk_capacities[TRK_N_KINDS] = {
	[TRK_COMM] = 4096, [TRK_GROUP] = 4096,   [TRK_DATATYPE] = 8192, [TRK_ERRHANDLER] = 1024,
	[TRK_FILE] = 1024, [TRK_INFO] = 4096,    [TRK_OP] = 1024,       [TRK_REQUEST] = 65536,
	[TRK_WIN] = 1024,  [TRK_MESSAGE] = 4096, [TRK_SESSION] = 256,   [TRK_KEYVAL] = 1024,
};
int trk_is_on = 1;
int trk_freed_max = -1;
uint64_t trk_arena_wanted;

static bool world;

bool trk_has_world(void)
{
	return __atomic_load_n(&world, __ATOMIC_RELAXED);
}

bool trk_set_has_world(void)
{
	return !__atomic_exchange_n(&world, true, __ATOMIC_RELAXED);
}
