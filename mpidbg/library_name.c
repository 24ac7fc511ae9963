/* SPDX-License-Identifier: BSD-3-Clause */
#include "library_name.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

bool mpidbg_library_names_open(struct _mqs_process_info *p)
{
	struct acc_note note = p->space.note, message = p->note;

	if (!p->track || rd_track_has_no_registry(p->track))
		return false;
	/* in the middle of an iteration over queues, what was read is kept */
	bool ok = ((p->reader && p->comm_current) || !mqs_state_update(p)) && !rd_library(p->reader)->origin &&
		  rd_library(p->reader)->state == MDL_INITIALIZED;

	p->space.note = note;
	p->note = message;
	return ok;
}

void mpidbg_library_name(struct _mqs_process_info *p, struct mdl_handle *h)
{
	struct acc_note note = p->space.note;
	struct mdl_comm comm;

	if (h->kind != MDL_COMM || h->life != MDL_LIVE || h->null || h->unsettled || h->name[0])
		return;
	if (!rd_comm_get(p->reader, h->handle, &comm) && comm.handle == h->handle)
		memcpy(h->name, comm.name, sizeof(h->name));
	p->space.note = note;
}
