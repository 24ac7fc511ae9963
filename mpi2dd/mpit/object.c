/* SPDX-License-Identifier: BSD-3-Clause */
#include "object.h"

#include "../calls/calls.h"
#include "../tracker/registry.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

bool mpit_object_is_readable(int bind, const void *obj_handle)
{
	char handle[sizeof(MPI_File)];
	struct iovec to = { handle, bind == MPI_T_BIND_MPI_FILE ? sizeof(MPI_File) : sizeof(MPI_Comm) };
	struct iovec from = { (void *)(uintptr_t)obj_handle, to.iov_len };

	if (bind == MPI_T_BIND_NO_OBJECT)
		return true;
	if (!obj_handle)
		return false;
	int before = errno;
	bool unreadable = process_vm_readv(getpid(), &to, 1, &from, 1, 0) < 0 && errno == EFAULT;
	errno = before;
	return !unreadable;
}

/* The registry's kind of an object, or TRK_N_KINDS. */
static enum trk_kind kind_of(int bind)
{
	if (bind == MPI_T_BIND_MPI_COMM)
		return TRK_COMM;
	if (bind == MPI_T_BIND_MPI_WIN)
		return TRK_WIN;
	return bind == MPI_T_BIND_MPI_FILE ? TRK_FILE : TRK_N_KINDS;
}

static bool is_null(int bind, uint64_t bits)
{
#if defined(OPEN_MPI)
	const char *symbol = bind == MPI_T_BIND_MPI_COMM   ? "ompi_mpi_comm_null"
			     : bind == MPI_T_BIND_MPI_WIN  ? "ompi_mpi_win_null"
			     : bind == MPI_T_BIND_MPI_FILE ? "ompi_mpi_file_null"
							   : NULL;

	return !bits || (symbol && bits == (uintptr_t)m2d_calls_symbol(symbol));
#else
	if (bind == MPI_T_BIND_MPI_COMM)
		return bits == TRK_BITS(MPI_COMM_NULL);
	if (bind == MPI_T_BIND_MPI_WIN)
		return bits == TRK_BITS(MPI_WIN_NULL);
	return !bits || (bind == MPI_T_BIND_MPI_FILE && bits == TRK_BITS(MPI_FILE_NULL));
#endif
}

bool mpit_object_is_live(int bind, const void *obj_handle)
{
	enum trk_kind kind = kind_of(bind);
	uint64_t bits = mpit_object_bits(bind, obj_handle);
	bool live = true;

	if (bind == MPI_T_BIND_NO_OBJECT)
		return true;
	if (is_null(bind, bits))
		return false;
	if (kind != TRK_N_KINDS && trk_lock()) {
		const struct trk_slab *slab = (const struct trk_slab *)(uintptr_t)MPI2DD_registry.slabs;
		bool has_all = slab && slab[kind].capacity && !slab[kind].n_dropped;
		live = trk_find(kind, bits) || !has_all;
		trk_unlock();
	}
	return live;
}

bool mpit_object_is_usable(int bind, const void *obj_handle)
{
	return bind == MPI_T_BIND_NO_OBJECT || (mpit_mpi_is_up() && mpit_object_is_live(bind, obj_handle));
}

void *mpit_object_for_host(int bind, const void *obj_handle, struct mpit_host_object *room)
{
	if (bind == MPI_T_BIND_NO_OBJECT)
		return NULL;
	*room = (struct mpit_host_object){ 0 };
	memcpy(&room->handle, obj_handle, bind == MPI_T_BIND_MPI_FILE ? sizeof(MPI_File) : sizeof(MPI_Comm));
	return room;
}

uint64_t mpit_object_number(int bind, uint64_t bits)
{
	enum trk_kind kind = kind_of(bind);
	const struct trk_object *o = kind != TRK_N_KINDS ? trk_find_unlocked(kind, bits) : NULL;

	return o ? __atomic_load_n(&o->id, __ATOMIC_RELAXED) : 0;
}

uint64_t mpit_object_number_freed(int bind, uint64_t bits)
{
	enum trk_kind kind = kind_of(bind);
	uint64_t number = 0;

	if (kind == TRK_N_KINDS || !trk_lock())
		return 0;
	const struct trk_object *o = trk_find_any(kind, bits);
	if (o && o->state != TRK_LIVE)
		number = o->id;
	trk_unlock();
	return number;
}

/* The registry's kind of the objects with this binding, or -1. */
static int kind_of_bind(int bind)
{
	static const int kinds[TRK_BINDS] = {
		-1,     TRK_COMM,    TRK_DATATYPE, TRK_ERRHANDLER, TRK_FILE, TRK_GROUP,
		TRK_OP, TRK_REQUEST, TRK_WIN,      TRK_MESSAGE,    TRK_INFO, TRK_SESSION
	};

	return bind >= 0 && bind < TRK_BINDS ? kinds[bind] : -1;
}

size_t mpit_live_objects(int bind, uint64_t *ret, size_t max, bool *all_predefined)
{
	const struct trk_slab *slabs = (const struct trk_slab *)(uintptr_t)MPI2DD_registry.slabs;
	int kind = kind_of_bind(bind);
	size_t n = 0;

	/* requests are created and freed while we look */
	if (kind < 0 || kind == TRK_REQUEST || !slabs || !slabs[kind].records)
		return 0;
	uint32_t high = __atomic_load_n(&slabs[kind].high, __ATOMIC_ACQUIRE);
	for (uint32_t i = 0; i < high; i++) {
		const struct trk_object *o = (const struct trk_object *)((uintptr_t)slabs[kind].records +
									 (size_t)i * slabs[kind].bytes);
		if (__atomic_load_n(&o->state, __ATOMIC_ACQUIRE) != TRK_LIVE ||
		    (all_predefined && !__atomic_load_n(&o->predefined, __ATOMIC_RELAXED)))
			continue;
		if (n < max)
			ret[n] = __atomic_load_n(&o->handle, __ATOMIC_RELAXED);
		n++;
	}
	return n;
}
