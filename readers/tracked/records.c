/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Records with all their facts: single records, walks over a kind, and searches. slots.c finds where they are.
 */
#include "registry.h"

#include "../../access/limits.h"

#include <inttypes.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

/* OMPI_ABI_HANDLE_BASE_OFFSET of Open MPI 6.0's abi_converters.h:
 * MPI_Comm_toint and the others add it to its own Fortran handles */
enum { OPENMPI_TOINT = 16385 };

/* ---- walks -------------------------------------------------------------------------------------------------- */

enum acc_rc rd_track_first(struct rd_track *t, enum mdl_handle_kind kind, unsigned lives, struct rd_track_iter *ret)
{
	if (!t || !ret || (unsigned)kind >= MDL_N_HANDLE_KINDS)
		return ACC_EINVAL;
	*ret = (struct rd_track_iter){ .t = t, .kind = kind, .lives = lives };
	return rd_track_knows(t, kind) ? ACC_OK : ACC_NONE;
}

/* MPI_REQUEST_NULL is known only by its value. */
static void null_request(struct rd_track *t, struct mdl_handle *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->kind = MDL_REQUEST;
	ret->predefined = ret->null = true;
	ret->handle = t->request_null;
	ret->fortran = t->mpi == RD_TRACK_MPICH || t->mpi == RD_TRACK_ABI
			       ? mdl_known((int32_t)(uint32_t)ret->handle)
			       : mdl_unavailable("Fortran handles of requests are not asked for");
	ret->parent = ret->references = ret->generation = ret->born_at = mdl_none();
	ret->origin = "tracker";
	strcpy(ret->name, "MPI_REQUEST_NULL");

	struct mdl_handle_request *r = &ret->request;
	r->object = r->object_kind = r->datatype = r->buffer = r->count = r->peer = r->tag = r->op = r->caller =
		r->extra_state = r->source = r->receive_tag = mdl_none();
	r->second = mdl_no_second();
}

enum acc_rc rd_track_next(struct rd_track_iter *it, struct mdl_handle *ret)
{
	if (!it || !it->t || !ret)
		return ACC_EINVAL;
	if (it->kind == MDL_REQUEST && !it->i && !it->null_given && it->t->request_null && it->lives & RD_TRACK_LIVE) {
		it->null_given = true;
		null_request(it->t, ret);
		return ACC_OK;
	}
	for (; it->i < rd_track_high(it->t, it->kind); it->i++) {
		enum mdl_life life;
		uint64_t handle, id;
		enum acc_rc rc = rd_track_record_key(it->t, it->kind, it->i, &life, &handle, &id);

		if (!rc && it->lives & 1u << life)
			rc = rd_track_record(it->t, it->kind, it->i, ret);
		else if (!rc)
			continue;
		if (rc == ACC_NONE)
			continue;
		if (!rc) {
			it->i++;
			it->n_unsettled += ret->unsettled;
			return ACC_OK;
		}
		if (++it->n_bad > ACC_BAD_MAX) {
			it->i = UINT64_MAX;
			return ACC_ECORRUPT;
		}
	}
	return ACC_NONE;
}

/* ---- searches ------------------------------------------------------------------------------------------------ */

bool rd_track_is_request_null(const struct rd_track *t, uint64_t handle)
{
	uint64_t bits;

	return t && t->request_null && rd_track_bits(t, MDL_REQUEST, handle, &bits) && bits == t->request_null;
}

enum acc_rc rd_track_find(struct rd_track *t, enum mdl_handle_kind kind, uint64_t handle, struct mdl_handle *ret)
{
	uint64_t i;

	if (!t || !ret)
		return ACC_EINVAL;
	if (kind == MDL_REQUEST && rd_track_is_request_null(t, handle)) {
		null_request(t, ret);
		return ACC_OK;
	}
	acc_space_begin(t->sp);
	const char *constant = NULL;
	if (rd_track_has_no_registry(t) && t->library.abi) {
		constant = rd_track_name_of_standard(kind, handle);
		handle = rd_track_native(t, kind, handle);
	}
	enum acc_rc rc = rd_track_slot_of(t, kind, handle, &i);
	if (rc == ACC_NONE && rd_track_add(t, kind, handle))
		rc = rd_track_slot_of(t, kind, handle, &i);
	if (!rc)
		rc = rd_track_record(t, kind, i, ret);
	acc_space_end(t->sp);
	return rc == ACC_NONE && constant ? rd_track_find_name(t, kind, constant, ret) : rc;
}

enum acc_rc rd_track_find_id(struct rd_track *t, enum mdl_handle_kind kind, uint64_t id, struct mdl_handle *ret)
{
	uint64_t i;

	if (!id)
		return ACC_NONE;
	if (!t || !ret)
		return ACC_EINVAL;
	acc_space_begin(t->sp);
	enum acc_rc rc = rd_track_slot_of_id(t, kind, id, &i);
	if (!rc)
		rc = rd_track_record(t, kind, i, ret);
	acc_space_end(t->sp);
	return rc;
}

enum acc_rc rd_track_find_addr(struct rd_track *t, enum mdl_handle_kind kind, uint64_t addr, struct mdl_handle *ret)
{
	if (!t || !ret || (unsigned)kind >= MDL_N_HANDLE_KINDS)
		return ACC_EINVAL;
	const struct rd_track_slab *s = &t->slabs[kind];
	if (!s->known || !s->bytes || addr < s->records || (addr - s->records) % s->bytes)
		return ACC_NONE;
	acc_space_begin(t->sp);
	enum acc_rc rc = rd_track_record(t, kind, (addr - s->records) / s->bytes, ret);
	acc_space_end(t->sp);
	return rc;
}

enum acc_rc rd_track_find_standard(struct rd_track *t, enum mdl_handle_kind kind, const char *name,
				   struct mdl_handle *ret)
{
	uint64_t i;
	enum acc_rc rc = rd_track_slot_of_standard(t, kind, name, &i);

	return rc ? rc : rd_track_record(t, kind, i, ret);
}

/* Complete facts of each record are compared: these two functions are called for user input only. */
static enum acc_rc search_facts(struct rd_track *t, enum mdl_handle_kind kind, const char *name, int64_t fortran,
				struct mdl_handle *ret)
{
	struct mdl_handle h;
	struct rd_track_iter it;
	bool found = false;
	enum acc_rc rc = rd_track_first(t, kind, RD_TRACK_ALL, &it);

	if (rc)
		return rc;
	acc_space_begin(t->sp);
	while (!(rc = rd_track_next(&it, &h))) {
		bool fits = name ? !strcmp(h.name, name) : h.fortran.known == MDL_KNOWN && h.fortran.value == fortran;

		if (!fits || (found && ret->predefined && ret->life == MDL_LIVE))
			continue;
		bool first = found && h.life == MDL_LIVE && ret->life == MDL_LIVE && h.id < ret->id;
		if (first ||
		    rd_track_is_better(h.life, h.id, found, found ? ret->life : MDL_EARLIER, found ? ret->id : 0) ||
		    (h.predefined && h.life == MDL_LIVE))
			*ret = h;
		found = true;
	}
	acc_space_end(t->sp);
	return found ? ACC_OK : rc;
}

bool rd_track_fortran_handle(const struct rd_track *t, int64_t fortran, uint64_t *ret)
{
	if (!t || t->mpi != RD_TRACK_MPICH || fortran < INT32_MIN || fortran > UINT32_MAX)
		return false;
	*ret = (uint32_t)fortran;
	return true;
}

enum acc_rc rd_track_find_fortran(struct rd_track *t, enum mdl_handle_kind kind, int64_t fortran,
				  struct mdl_handle *ret)
{
	if (!t || !ret)
		return ACC_EINVAL;
	uint64_t handle;
	if (t->library.abi && fortran > 0 && fortran < TRK_ABI_PREDEFINED)
		return rd_track_find(t, kind, (uint64_t)fortran, ret);
	if (rd_track_has_no_registry(t) && t->library.abi && t->mpi == RD_TRACK_OPENMPI && kind != MDL_KEYVAL)
		fortran -= OPENMPI_TOINT;
	if (t->mpi == RD_TRACK_MPICH && kind != MDL_FILE)
		return rd_track_fortran_handle(t, fortran, &handle) ? rd_track_find(t, kind, handle, ret) : ACC_NONE;
	return search_facts(t, kind, NULL, fortran, ret);
}

enum acc_rc rd_track_find_name(struct rd_track *t, enum mdl_handle_kind kind, const char *name, struct mdl_handle *ret)
{
	if (!t || !name || !*name || !ret)
		return ACC_EINVAL;
	if (kind == MDL_REQUEST || (unsigned)kind >= MDL_N_HANDLE_KINDS)
		return search_facts(t, kind, name, 0, ret);
	acc_space_begin(t->sp);
	enum acc_rc rc = rd_track_find_standard(t, kind, name, ret);
	acc_space_end(t->sp);
	return rc ? search_facts(t, kind, name, 0, ret) : ACC_OK;
}
