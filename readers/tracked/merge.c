/* SPDX-License-Identifier: BSD-3-Clause */
#include "merge.h"

#include "registry.h"

#include "../../access/limits.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum { MERGE_MAX = 1 << 20 }; /* live requests */

struct entry {
	uint64_t handle;
	uint32_t slot; /* + 1; 0: empty */
	bool twice;    /* several live ones have this value: none of them is meant for sure */
};

struct rd_track_merge {
	struct rd_track *t;
	struct entry *entries;
	uint64_t mask;
};

static struct entry *find(const struct rd_track_merge *m, uint64_t handle)
{
	uint64_t at = (handle * UINT64_C(0x9e3779b97f4a7c15) >> 20) & m->mask;

	while (m->entries[at].slot && m->entries[at].handle != handle)
		at = (at + 1) & m->mask;
	return &m->entries[at];
}

/* Once to count, once to fill. @return live requests */
static uint64_t walk(struct rd_track *t, struct rd_track_merge *m)
{
	uint64_t n = 0;

	for (uint64_t i = 0; i < t->slabs[TRK_REQUEST].high && n < MERGE_MAX; i++) {
		enum mdl_life life;
		uint64_t handle, id;

		if (rd_track_record_key(t, MDL_REQUEST, i, &life, &handle, &id) || life != MDL_LIVE)
			continue;
		n++;
		if (!m)
			continue;
		/* Read twice: a process that runs may have more now than were counted. */
		if (n > m->mask / 2 + 1)
			break;
		struct entry *e = find(m, handle);
		e->twice = e->slot != 0;
		e->handle = handle;
		e->slot = (uint32_t)i + 1;
	}
	return n;
}

enum acc_rc rd_track_merge_open(struct rd_track *t, struct rd_track_merge **ret)
{
	uint64_t n, size = 16;

	if (!t || !ret)
		return ACC_EINVAL;
	if (!t->slabs[TRK_REQUEST].known)
		return ACC_NONE;
	acc_space_begin(t->sp);
	n = walk(t, NULL);
	while (size < 2 * n)
		size *= 2;
	struct rd_track_merge *m = acc_array(t->sp, 1, sizeof(*m));
	struct entry *entries = acc_array(t->sp, size, sizeof(*entries));
	if (m && entries) {
		memset(entries, 0, size * sizeof(*entries));
		*m = (struct rd_track_merge){ t, entries, size - 1 };
		walk(t, m);
		*ret = m;
	} else {
		acc_array_free(t->sp, m);
		acc_array_free(t->sp, entries);
	}
	acc_space_end(t->sp);
	return m && entries ? ACC_OK : acc_note(&t->sp->note, ACC_ENOMEM, "requests: %s", acc_rc_text(ACC_ENOMEM));
}

void rd_track_merge_close(struct rd_track_merge *m)
{
	if (!m)
		return;
	acc_array_free(m->t->sp, m->entries);
	acc_array_free(m->t->sp, m);
}

/* A record that says of itself something else than the library does is of another life of the value. */
static bool contradicts(const struct mdl_op *op, const struct mdl_handle *h)
{
	const struct mdl_handle_request *r = &h->request;

	if (h->unsettled || r->shared || r->persistent != op->persistent)
		return true;
	if (op->tag.known == MDL_KNOWN && r->tag.known == MDL_KNOWN && op->tag.value != r->tag.value)
		return true;
	return op->kind == MDL_COLLECTIVE ? r->type != MDL_REQUEST_COLLECTIVE : r->type != MDL_REQUEST_POINT_TO_POINT;
}

void rd_track_merge_op(struct rd_track_merge *m, struct mdl_op *op)
{
	struct mdl_handle h, type;

	if (!m || op->request.known != MDL_KNOWN || op->internal || op->kind == MDL_MESSAGE)
		return;
	const struct entry *e = find(m, (uint64_t)op->request.value);
	if (!e->slot || e->twice || rd_track_record(m->t, MDL_REQUEST, e->slot - 1, &h) || h.life != MDL_LIVE ||
	    h.handle != (uint64_t)op->request.value || contradicts(op, &h))
		return;
	op->tracked = true;
	memcpy(op->call, h.call, sizeof(op->call));
	op->caller = h.request.caller;
	if (op->kind == MDL_COLLECTIVE) {
		op->peer = op->peer.known == MDL_NOT_APPLICABLE ? h.request.peer : op->peer;
		op->count = op->count.known == MDL_KNOWN ? op->count : h.request.count;
	}
	if (op->datatype_handle.known != MDL_KNOWN)
		op->datatype_handle = h.request.datatype;
	if (op->datatype_handle.known != MDL_KNOWN ||
	    rd_track_find(m->t, MDL_DATATYPE, (uint64_t)op->datatype_handle.value, &type) || type.life != MDL_LIVE)
		return;
	if (!op->datatype[0])
		memcpy(op->datatype, type.name, sizeof(op->datatype));
	memcpy(op->datatype_call, type.call, sizeof(op->datatype_call));
}

enum acc_rc rd_track_merge_comm(struct rd_track *t, const struct mdl_comm *comm, struct mdl_handle *ret)
{
	enum acc_rc rc = rd_track_find(t, MDL_COMM, comm->handle, ret);

	if (rc || ret->life != MDL_LIVE || ret->unsettled)
		return rc ? rc : ACC_NONE;
	/* another object has had this place in memory */
	if (ret->comm.size.known == MDL_KNOWN && ret->comm.size.value != comm->size)
		return ACC_NONE;
	return ACC_OK;
}
