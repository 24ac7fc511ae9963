/* SPDX-License-Identifier: BSD-3-Clause */
#include "object_refs.h"

#pragma GCC poison assert abort exit printf fprintf malloc free

static void add_reference(struct mpidbg_ref ret[MPIDBG_REFS_MAX], size_t *n, const char *role,
			  enum mdl_handle_kind kind, struct mdl_num handle, struct mdl_num id)
{
	if (handle.known != MDL_NOT_APPLICABLE || id.known == MDL_KNOWN)
		ret[(*n)++] = (struct mpidbg_ref){ role, kind, handle, id };
}

static size_t of_request(const struct mdl_handle_request *r, struct mpidbg_ref ret[MPIDBG_REFS_MAX])
{
	int64_t kind = r->object_kind.known == MDL_KNOWN ? r->object_kind.value : -1;
	size_t n = 0;

	if (kind == MDL_COMM || kind == MDL_FILE || kind == MDL_WIN)
		add_reference(ret, &n, "object", (enum mdl_handle_kind)kind, r->object, r->object_id);
	add_reference(ret, &n, "datatype", MDL_DATATYPE, r->datatype, r->datatype_id);
	add_reference(ret, &n, "second_datatype", MDL_DATATYPE, r->second.datatype, r->second.datatype_id);
	add_reference(ret, &n, "op", MDL_OP, r->op, r->op_id);
	return n;
}

size_t mpidbg_refs_of(const struct mdl_handle *h, struct mpidbg_ref ret[MPIDBG_REFS_MAX])
{
	const struct mdl_num none = mdl_none();
	size_t n = 0;

	/* of null handles only MPI_FILE_NULL has a reference, its error handler */
	if (h->null && h->kind != MDL_FILE)
		return 0;
	switch (h->kind) {
	case MDL_COMM:
		add_reference(ret, &n, "errhandler", MDL_ERRHANDLER, h->comm.errhandler, none);
		add_reference(ret, &n, "info", MDL_INFO, h->comm.info, h->comm.info_id);
		add_reference(ret, &n, "group", MDL_GROUP, h->comm.group, h->comm.group_id);
		add_reference(ret, &n, "remote_group", MDL_GROUP, h->comm.remote_group, h->comm.remote_group_id);
		add_reference(ret, &n, "made_of", MDL_GROUP, none, h->comm.from_group_id);
		return n;
	case MDL_FILE:
		add_reference(ret, &n, "comm", MDL_COMM, h->file.comm, h->file.comm_id);
		add_reference(ret, &n, "info", MDL_INFO, h->file.info, h->file.info_id);
		add_reference(ret, &n, "errhandler", MDL_ERRHANDLER, h->file.errhandler, none);
		add_reference(ret, &n, "etype", MDL_DATATYPE, h->file.etype, h->file.etype_id);
		add_reference(ret, &n, "filetype", MDL_DATATYPE, h->file.filetype, h->file.filetype_id);
		return n;
	case MDL_WIN:
		add_reference(ret, &n, "comm", MDL_COMM, h->win.comm, h->win.comm_id);
		add_reference(ret, &n, "info", MDL_INFO, h->win.info, h->win.info_id);
		add_reference(ret, &n, "errhandler", MDL_ERRHANDLER, h->win.errhandler, none);
		return n;
	case MDL_SESSION:
		add_reference(ret, &n, "info", MDL_INFO, h->session.info, h->session.info_id);
		add_reference(ret, &n, "errhandler", MDL_ERRHANDLER, h->session.errhandler, none);
		return n;
	case MDL_REQUEST:
		return of_request(&h->request, ret);
	case MDL_A_MESSAGE:
		add_reference(ret, &n, "comm", MDL_COMM, h->message.comm, none);
		return n;
	default:
		return 0;
	}
}

bool mpidbg_ref_is(const struct mpidbg_ref *ref, const struct mdl_handle *to)
{
	if (ref->kind != to->kind)
		return false;
	if (ref->id.known == MDL_KNOWN)
		return to->id && (uint64_t)ref->id.value == to->id;
	return to->life != MDL_EARLIER && ref->handle.known == MDL_KNOWN && (uint64_t)ref->handle.value == to->handle;
}

bool mpidbg_refers(const struct mdl_handle *h, const struct mdl_handle *to)
{
	struct mpidbg_ref refs[MPIDBG_REFS_MAX];
	size_t n = mpidbg_refs_of(h, refs);

	for (size_t i = 0; i < n; i++)
		if (mpidbg_ref_is(&refs[i], to))
			return true;
	return false;
}
