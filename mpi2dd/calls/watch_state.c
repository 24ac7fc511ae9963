/* SPDX-License-Identifier: BSD-3-Clause */
#include "watch_state.h"

#include <sys/mman.h>

/* Indexed by slot number: a slot has one thread at a time. */
static struct m2d_watched *states[TRK_THREADS];

bool m2d_watch_reserve(void **memory, size_t *bytes, size_t least)
{
	size_t size = (least + 8191) / 8192 * 8192;

	if (*bytes >= least)
		return true;
	void *room = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (room == MAP_FAILED)
		return false;
	if (*memory)
		munmap(*memory, *bytes);
	*memory = room;
	*bytes = size;
	return true;
}

struct m2d_watched *m2d_watched_of(const struct m2d_thread *t, const struct trk_frame *frame)
{
	size_t none = 0;

	if (t->number >= TRK_THREADS)
		return NULL;
	if (!states[t->number]) {
		void *memory = NULL;
		if (!m2d_watch_reserve(&memory, &none, TRK_FRAMES * sizeof(struct m2d_watched)))
			return NULL;
		states[t->number] = memory;
	}
	return &states[t->number][frame - t->slot->frames];
}
