/* SPDX-License-Identifier: BSD-3-Clause */
#include "objects.h"

#include <dlfcn.h>
#include <string.h>

uint64_t trk_id(enum trk_kind kind, uint64_t handle)
{
	uint64_t id = 0;

	if (trk_lock()) {
		id = trk_id_of(kind, handle);
		trk_unlock();
	}
	return id;
}

void trk_freed(enum trk_kind kind, uint64_t handle, uint64_t id)
{
	if (!id || !trk_lock())
		return;
	struct trk_object *o = trk_find(kind, handle);
	if (o && o->id == id)
		trk_drop_reference(kind, o);
	trk_unlock();
}

bool trk_is_predefined(enum trk_kind kind, uint64_t handle)
{
	bool is = false;

	if (trk_lock()) {
		const struct trk_object *o = trk_find(kind, handle);
		is = o && o->predefined;
		trk_unlock();
	}
	return is;
}

void trk_named(enum trk_kind kind, uint64_t handle, const char *name)
{
	if (!trk_lock())
		return;
	struct trk_object *o = trk_find(kind, handle);
	if (o) {
		trk_change(o);
		trk_set_name(o, name);
		trk_changed(o);
	}
	trk_unlock();
}

void trk_fortran(enum trk_kind kind, uint64_t handle, int index)
{
	if (!trk_lock())
		return;
	struct trk_object *o = trk_find(kind, handle);
	if (o && !(o->has_fortran && o->fortran == index)) {
		trk_change(o);
		trk_set_fortran(o, index);
		trk_changed(o);
	}
	trk_unlock();
}

static uint64_t *errhandler_of(enum trk_kind kind, void *record)
{
	switch (kind) {
	case TRK_COMM:
		return &((struct trk_comm *)record)->errhandler;
	case TRK_FILE:
		return &((struct trk_file *)record)->errhandler;
	case TRK_WIN:
		return &((struct trk_win *)record)->errhandler;
	case TRK_SESSION:
		return &((struct trk_session *)record)->errhandler;
	default:
		return NULL;
	}
}

void trk_errhandler_attached(enum trk_kind kind, uint64_t object, uint64_t errhandler)
{
	if (!trk_lock())
		return;
	struct trk_object *o = trk_find(kind, object);
	uint64_t *field = o ? errhandler_of(kind, o) : NULL;
	if (field)
		*field = errhandler;
	trk_unlock();
}

static bool starts_with(const char *name, const char *with)
{
	return strncmp(name, with, strlen(with)) == 0;
}

unsigned trk_language(const struct trk_frame *frame)
{
	Dl_info info;

	if (!frame || !dladdr((void *)(uintptr_t)frame->caller, &info) || !info.dli_fname)
		return 1;
	const char *slash = strrchr(info.dli_fname, '/'), *name = slash ? slash + 1 : info.dli_fname;
	if (starts_with(name, "libmpi_mpifh") || starts_with(name, "libmpi_usempi") ||
	    starts_with(name, "libmpichfort") || starts_with(name, "libmpichf90") || starts_with(name, "libmpifort"))
		return 2;
	if (starts_with(name, "libmpi_cxx") || starts_with(name, "libmpichcxx") || starts_with(name, "libmpicxx"))
		return 3;
	return 1;
}

const void *trk_user_function(const struct trk_frame *frame, const void *function, const void *extra_state)
{
	return trk_language(frame) == 1 || !extra_state ? function : *(void *const *)extra_state;
}
