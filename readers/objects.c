/* SPDX-License-Identifier: BSD-3-Clause */
#include "objects.h"

#pragma GCC poison assert abort exit printf fprintf malloc free

enum acc_rc rd_object_note(struct acc_space *sp, const char *library, uint64_t addr, enum acc_rc rc)
{
	if (!rc || rc == ACC_NONE)
		return rc;
	return acc_note(&sp->note, rc, "%s's object at 0x%llx: %s", library, (unsigned long long)addr, acc_rc_text(rc));
}

void rd_object_unrecorded(struct mdl_handle *h)
{
	static const char tracker_only[] = "only the in-target library knows it";

	h->parent = h->generation = h->born_at = mdl_unavailable(tracker_only);
	h->origin = "MPI library";
}
