/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handles: one number that contains the slot, its use count and the kind. A handle that was never ours, or is freed,
 * names no slot in use; checking it does not access memory of the program. The lookup takes no lock.
 */
#include "mpit.h"

#include <stdlib.h>
#include <string.h>

enum { KIND_BITS = 4, SLOT_BITS = 20, CHUNK = 1024, CHUNKS = (1 << SLOT_BITS) / CHUNK };

struct slot {
	uintptr_t handle; /* 0: unused */
	void *object;
	uintptr_t uses;
	uint32_t next_free;
};

static struct slot *chunks[CHUNKS];
static uint32_t n_slots, free_slots; /* slot number + 1; 0: none */

static struct slot *slot_of(uint32_t number)
{
	struct slot *chunk = number < (uint32_t)CHUNKS * CHUNK
				     ? __atomic_load_n(&chunks[number / CHUNK], __ATOMIC_ACQUIRE)
				     : NULL;
	return chunk ? &chunk[number % CHUNK] : NULL;
}

static bool take_slot(uint32_t *ret)
{
	if (free_slots) {
		*ret = free_slots - 1;
		free_slots = slot_of(*ret)->next_free;
		return true;
	}
	if (n_slots == (uint32_t)CHUNKS * CHUNK)
		return false;
	if (n_slots % CHUNK == 0) {
		struct slot *chunk = calloc(CHUNK, sizeof(*chunk));
		if (!chunk)
			return false;
		__atomic_store_n(&chunks[n_slots / CHUNK], chunk, __ATOMIC_RELEASE);
	}
	*ret = n_slots++;
	return true;
}

uintptr_t mpit_handle_make(enum mpit_kind kind, void *object)
{
	uint32_t number;

	if (!take_slot(&number))
		return 0;
	struct slot *s = slot_of(number);
	s->uses++;
	s->object = object;
	uintptr_t handle = s->uses << (KIND_BITS + SLOT_BITS) | (uintptr_t)number << KIND_BITS | kind;
	__atomic_store_n(&s->handle, handle, __ATOMIC_RELEASE);
	return handle;
}

void *mpit_handle_find(enum mpit_kind kind, uintptr_t handle)
{
	if ((handle & ((1 << KIND_BITS) - 1)) != kind)
		return NULL;
	struct slot *s = slot_of(handle >> KIND_BITS & ((1 << SLOT_BITS) - 1));
	return s && __atomic_load_n(&s->handle, __ATOMIC_ACQUIRE) == handle ? s->object : NULL;
}

void mpit_handle_drop(enum mpit_kind kind, uintptr_t handle)
{
	if (!mpit_handle_find(kind, handle))
		return;
	uint32_t number = handle >> KIND_BITS & ((1 << SLOT_BITS) - 1);
	struct slot *s = slot_of(number);
	__atomic_store_n(&s->handle, 0, __ATOMIC_RELEASE);
	s->next_free = free_slots;
	free_slots = number + 1;
}

uint64_t mpit_object_bits(int bind, const void *obj_handle)
{
	uint64_t ret = 0;

	/* Files are pointers even if other handles are integers. */
	if (bind != MPI_T_BIND_NO_OBJECT)
		memcpy(&ret, obj_handle, bind == MPI_T_BIND_MPI_FILE ? sizeof(MPI_File) : sizeof(MPI_Comm));
	return ret;
}
