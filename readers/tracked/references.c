/* SPDX-License-Identifier: BSD-3-Clause */
/* References to objects: by handle, and by number where the handle may have been reused. */
#include "registry.h"

#pragma GCC poison assert abort exit printf fprintf malloc free

static const char another_ones[] = "freed by the application, and its handle is another one's";

struct mdl_num rd_track_by_number(struct mdl_num *handle)
{
	uint64_t bits = (uint64_t)handle->value;

	if (handle->known != MDL_KNOWN || !(bits & TRK_BY_NUMBER))
		return mdl_none();
	*handle = mdl_unavailable(another_ones);
	return mdl_known((int64_t)(bits & ~TRK_BY_NUMBER));
}

struct mdl_num rd_track_moved(struct rd_track *t, enum mdl_handle_kind kind, struct mdl_num *handle, struct mdl_num id)
{
	struct acc_note note = t->sp->note;
	struct mdl_handle h;
	bool moved = handle->known == MDL_KNOWN && id.known == MDL_KNOWN &&
		     !rd_track_brief_of(t, kind, (uint64_t)handle->value, &h) && h.id != (uint64_t)id.value;

	t->sp->note = note; /* an object that cannot be found is assumed unchanged */
	if (!moved)
		return mdl_none();
	*handle = mdl_unavailable(another_ones);
	return id;
}

struct mdl_num rd_track_of_ended(struct rd_track *t, enum mdl_handle_kind kind, struct mdl_num handle)
{
	struct acc_note note = t->sp->note;
	struct mdl_handle h;
	bool several = handle.known == MDL_KNOWN && !rd_track_brief_of(t, kind, (uint64_t)handle.value, &h) &&
		       h.generation.known == MDL_KNOWN && h.generation.value > 0;

	t->sp->note = note;
	return several ? mdl_unavailable("several objects have had its handle, and which was meant is not known")
		       : handle;
}
