/* SPDX-License-Identifier: BSD-3-Clause */
#include "completion.h"

#pragma GCC poison assert abort exit printf fprintf malloc free

bool mpidbg_freed_by_application(const struct mdl_handle *h)
{
	return h->request.free_called || h->request.persistent;
}

enum acc_rc mpidbg_ask_library(struct _mqs_process_info *p, const struct mdl_handle *h, struct mdl_op *ret)
{
	struct acc_note note = p->space.note, message = p->note;
	struct mdl_comm comm;
	enum acc_rc rc = p->reader ? ACC_OK : mqs_state_open(p);

	if (!rc)
		rc = rd_request_get(p->reader, h->handle, &comm, ret);
	p->space.note = note;
	p->note = message;
	return rc;
}

static enum acc_rc ask_done(struct _mqs_process_info *p, const struct mdl_handle *h, bool *ret)
{
	struct acc_note note = p->space.note, message = p->note;
	enum acc_rc rc = p->reader ? ACC_OK : mqs_state_open(p);

	if (!rc)
		rc = rd_request_done(p->reader, h->handle, ret);
	p->space.note = note;
	p->note = message;
	return rc;
}

/* Does another request have this handle value now, so that the library's object belongs to it? */
static bool value_is_taken(struct _mqs_process_info *p, const struct mdl_handle *h)
{
	struct mdl_handle live;

	return h->life != MDL_LIVE && !rd_track_find(p->track, MDL_REQUEST, h->handle, &live) && live.life == MDL_LIVE;
}

static struct mpidbg_completion says(const char *origin, bool complete)
{
	return (struct mpidbg_completion){ .applies = true, .known = true, .complete = complete, .origin = origin };
}

struct mpidbg_completion mpidbg_completion_of(struct _mqs_process_info *p, const struct mdl_handle *h)
{
	static const char library[] = "MPI library";
	const char *tracker = rd_track_has_no_registry(p->track) ? library : "tracker";
	const struct mdl_handle_request *r = &h->request;
	bool done;

	if (h->predefined || (r->persistent && !r->active))
		return (struct mpidbg_completion){ .applies = false };
	if (r->shared || r->type == MDL_REQUEST_GENERALIZED || (h->life != MDL_LIVE && !mpidbg_freed_by_application(h)))
		return says(tracker, r->type != MDL_REQUEST_GENERALIZED || r->generalized_complete || r->shared ||
					     h->life != MDL_LIVE);
	enum acc_rc rc = value_is_taken(p, h) ? ACC_EINVAL : ask_done(p, h, &done);
	if (!rc)
		return says(library, done);
	if (rc == ACC_NONE && h->life != MDL_LIVE && r->type == MDL_REQUEST_POINT_TO_POINT)
		return says(library, true); /* the library has released the object */
	return (struct mpidbg_completion){ .applies = true };
}
