/* SPDX-License-Identifier: BSD-3-Clause */
#include "query.h"

#include "../access/limits.h"
#include "../mqs/callbacks.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

_Static_assert((int)MPIDBG_COMM == MDL_COMM && (int)MPIDBG_KEYVAL == MDL_KEYVAL &&
		       (int)MPIDBG_MESSAGE == MDL_A_MESSAGE && (int)MPIDBG_STATUS == MDL_N_HANDLE_KINDS,
	       "kinds have the same numbers");
_Static_assert((int)MPIDBG_COMBINER_VALUE_INDEX == MDL_VALUE_INDEX && (int)MPIDBG_COMBINER_STRUCT == MDL_STRUCT,
	       "and so have combiners");

int mpidbg_query_begin(mqs_process *process, bool need_track, struct _mqs_process_info **ret)
{
	struct _mqs_process_info *p = mqs_state_process(process);

	if (!p)
		return MPIDBG_ERR_OUT_OF_RANGE;
	mqs_state_begin(p);

	enum acc_rc rc = mqs_state_objects(p);
	if (rc && need_track)
		return rc == ACC_NONE ? MPIDBG_ERR_NOT_SUPPORTED : mpidbg_code(rc == ACC_EINVAL ? ACC_EREAD : rc);
	if (!p->space_made)
		return MPIDBG_ERR_UNAVAILABLE;
	if (!need_track)
		mqs_state_begin(p); /* a missing registry is not a failure here */
	acc_space_begin(&p->space);
	*ret = p;
	return MPIDBG_SUCCESS;
}

int mpidbg_query_end(struct _mqs_process_info *p, enum acc_rc rc, const char *what)
{
	acc_space_end(&p->space);
	if (rc && !p->note.rc)
		mqs_state_fail(p, rc, what);
	return mpidbg_code(rc);
}

void *mpidbg_query_array(enum acc_rc *rc, uint64_t n, size_t size)
{
	size_t bytes;

	if (!n || *rc)
		return NULL;
	void *p = __builtin_mul_overflow(n, size, &bytes) || bytes > ACC_ARENA_BYTES ? NULL
										     : mqs_callbacks_alloc(bytes);
	if (!p) {
		*rc = ACC_ENOMEM;
		return NULL;
	}
	return memset(p, 0, bytes);
}

int64_t mpidbg_known(struct mdl_num n, int64_t otherwise)
{
	return n.known == MDL_KNOWN ? n.value : otherwise;
}

mqs_taddr_t mpidbg_referred_handle(struct rd_track *t, enum mdl_handle_kind kind, struct mdl_num handle,
				   struct mdl_num id)
{
	struct mdl_handle h;

	if (id.known == MDL_KNOWN) {
		enum acc_rc rc = rd_track_find_id(t, kind, (uint64_t)id.value, &h);

		if (rc == ACC_NONE || (!rc && h.life != MDL_LIVE))
			return 0;
	}
	return (mqs_taddr_t)mpidbg_known(handle, 0);
}

int mpidbg_known_int(struct mdl_num n, int otherwise)
{
	return n.known == MDL_KNOWN && n.value >= INT_MIN && n.value <= INT_MAX ? (int)n.value : otherwise;
}

void mpidbg_copy_name(char ret[MPIDBG_MAX_OBJECT_NAME], const char *text)
{
	memset(ret, 0, MPIDBG_MAX_OBJECT_NAME);
	memcpy(ret, text, strnlen(text, MPIDBG_MAX_OBJECT_NAME - 1));
}

void mpidbg_fill_object(struct mpidbg_object_t *ret, const struct mdl_handle *h)
{
	ret->flags = (h->predefined ? MPIDBG_OBJECT_PREDEFINED : 0u) |
		     (h->life != MDL_LIVE ? MPIDBG_OBJECT_FREED_HANDLE : 0u) |
		     (h->life == MDL_EARLIER ? MPIDBG_OBJECT_EARLIER | MPIDBG_OBJECT_FREED_OBJECT : 0u) |
		     (h->unsettled ? MPIDBG_OBJECT_UNSETTLED : 0u);
	ret->has_fortran = h->fortran.known == MDL_KNOWN;
	ret->fortran_handle = mpidbg_fortran(h);
	ret->language = (int)h->language;
	ret->c_handle = h->handle;
	ret->number = (int64_t)h->id;
	ret->parent = mpidbg_known(h->parent, 0);
	ret->references = mpidbg_known(h->references, 0);
	ret->generation = mpidbg_known(h->generation, -1);
	mpidbg_copy_name(ret->name, h->name);
	mpidbg_copy_name(ret->made_by, h->call);
}

int mpidbg_fortran(const struct mdl_handle *h)
{
	return mpidbg_known_int(h->fortran, MPIDBG_ERR_UNAVAILABLE);
}

/* ---- lists ------------------------------------------------------------------------------------------- */

/* Number of elements that exist and fit into an int. */
static uint64_t usable(const struct mdl_list *list, enum acc_rc *rc)
{
	if (*rc || !list->known)
		return 0;
	if (list->n > INT_MAX) {
		*rc = ACC_ELIMIT;
		return 0;
	}
	return list->n;
}

int64_t *mpidbg_fill_numbers(struct rd_track *t, enum acc_rc *rc, const struct mdl_list *list, int *n)
{
	uint64_t count = usable(list, rc);
	int64_t *v = mpidbg_query_array(rc, count, sizeof(*v));

	if (v && (*rc = rd_track_numbers(t, list, 8, 0, count, v)) != ACC_OK) {
		mqs_callbacks_release(v);
		v = NULL;
	}
	*n = v ? (int)count : 0;
	return v;
}

enum { BLOCK = 256 };

/* Convert numbers of some width to ints or bytes, in blocks. */
static void *narrow(struct rd_track *t, enum acc_rc *rc, const struct mdl_list *list, unsigned width, bool bytes,
		    int *n)
{
	uint64_t count = usable(list, rc);
	int64_t block[BLOCK];
	void *v = mpidbg_query_array(rc, count, bytes ? sizeof(int8_t) : sizeof(int));

	for (uint64_t i = 0, k; v && i < count; i += k) {
		k = count - i < BLOCK ? count - i : BLOCK;
		*rc = rd_track_numbers(t, list, width, i, k, block);
		if (*rc) {
			mqs_callbacks_release(v);
			v = NULL;
			break;
		}
		for (uint64_t j = 0; j < k; j++) {
			if (bytes)
				((int8_t *)v)[i + j] = (int8_t)block[j];
			else
				((int *)v)[i + j] = (int)block[j];
		}
	}
	*n = v ? (int)count : 0;
	return v;
}

int *mpidbg_fill_ints(struct rd_track *t, enum acc_rc *rc, const struct mdl_list *list, int *n)
{
	return narrow(t, rc, list, 4, false, n);
}

int8_t *mpidbg_fill_bytes(struct rd_track *t, enum acc_rc *rc, const struct mdl_list *list, unsigned width, int *n)
{
	return narrow(t, rc, list, width, true, n);
}

struct mpidbg_process_t *mpidbg_fill_procs(struct rd_track *t, enum acc_rc *rc, const struct mdl_list *list, int *n)
{
	struct mdl_handle_member block[BLOCK];
	uint64_t count = usable(list, rc);
	struct mpidbg_process_t *v = mpidbg_query_array(rc, count, sizeof(*v));

	for (uint64_t i = 0, k; v && i < count; i += k) {
		k = count - i < BLOCK ? count - i : BLOCK;
		*rc = rd_track_members(t, list, i, k, block);
		if (*rc) {
			mqs_callbacks_release(v);
			v = NULL;
			break;
		}
		for (uint64_t j = 0; j < k; j++)
			v[i + j].mpi_comm_world_rank = block[j].known && !block[j].world ? (int)block[j].rank : -1;
	}
	*n = v ? (int)count : 0;
	return v;
}

struct mpidbg_process_t *mpidbg_fill_identity(enum acc_rc *rc, int size, int *n)
{
	struct mpidbg_process_t *v = size > 0 ? mpidbg_query_array(rc, (uint64_t)size, sizeof(*v)) : NULL;

	for (int i = 0; v && i < size; i++)
		v[i].mpi_comm_world_rank = i;
	*n = v ? size : 0;
	return v;
}

static char *copy_text(enum acc_rc *rc, const char *text)
{
	size_t n = strlen(text) + 1;
	char *copy = mpidbg_query_array(rc, n, 1);

	return copy ? memcpy(copy, text, n) : NULL;
}

struct mpidbg_attribute_pair_t *mpidbg_fill_attributes(struct rd_track *t, enum acc_rc *rc, const struct mdl_list *list,
						       int *n)
{
	uint64_t count = usable(list, rc);
	struct mpidbg_attribute_pair_t *v = mpidbg_query_array(rc, count, sizeof(*v));

	*n = 0;
	for (uint64_t i = 0; v && i < count && !*rc; i++) {
		struct mdl_handle_attribute a;
		struct mdl_handle keyval;
		char text[32];

		*rc = rd_track_attribute(t, list, i, &a);
		if (*rc)
			break;
		bool known = a.keyval && !rd_track_find_id(t, MDL_KEYVAL, a.keyval, &keyval);
		if (known && keyval.predefined && a.integer)
			snprintf(text, sizeof(text), "%" PRId64, (int64_t)a.value);
		else
			snprintf(text, sizeof(text), "0x%" PRIx64, a.value);
		v[i].keyval = (int)a.key;
		v[i].value = copy_text(rc, text);
		if (known && keyval.name[0])
			v[i].keyval_name = copy_text(rc, keyval.name);
		*n = (int)i + 1;
	}
	return v;
}

struct mpidbg_info_pair_t *mpidbg_fill_pairs(struct rd_track *t, enum acc_rc *rc, const struct mdl_list *list, int *n)
{
	enum { TEXT = 1024, PAIRS_MAX = 65536 };
	char key[TEXT], value[TEXT];
	uint64_t count = usable(list, rc);
	size_t n_text = 0, at = 0;

	*n = 0;
	if (count > PAIRS_MAX)
		*rc = ACC_ELIMIT;
	for (uint64_t i = 0; !*rc && i < count; i++) {
		*rc = rd_track_pair(t, list, i, key, sizeof(key), value, sizeof(value));
		if (!*rc)
			n_text += strlen(key) + strlen(value) + 2;
	}
	if (*rc || !count)
		return NULL;

	struct mpidbg_info_pair_t *v = mpidbg_query_array(rc, 1, count * sizeof(*v) + n_text);
	if (!v)
		return NULL;
	char *text = (char *)(v + count);
	for (uint64_t i = 0; i < count; i++) {
		*rc = rd_track_pair(t, list, i, key, sizeof(key), value, sizeof(value));
		size_t n_key = strlen(key) + 1, n_value = strlen(value) + 1;
		/* a running process may have changed it between the passes */
		if (*rc || n_key + n_value > n_text - at) {
			*rc = *rc ? *rc : ACC_ECORRUPT;
			break;
		}
		v[i].key = memcpy(text + at, key, n_key);
		v[i].value = memcpy(text + at + n_key, value, n_value);
		at += n_key + n_value;
	}
	if (*rc) {
		mqs_callbacks_release(v);
		return NULL;
	}
	*n = (int)count;
	return v;
}

/* ---- references to an object -------------------------------------------------------------------------- */

bool mpidbg_request_on(const struct mdl_handle *h, const struct mdl_handle *to)
{
	return to->life != MDL_EARLIER && h->request.object_kind.known == MDL_KNOWN &&
	       h->request.object_kind.value == (int64_t)to->kind && h->request.object.known == MDL_KNOWN &&
	       (uint64_t)h->request.object.value == to->handle;
}

mqs_taddr_t *mpidbg_fill_users(struct rd_track *t, enum acc_rc *rc, enum mdl_handle_kind kind,
			       const struct mdl_handle *to, mpidbg_refers *refers, int *n)
{
	struct rd_track_iter it;
	struct mdl_handle h;
	mqs_taddr_t *v = NULL;
	uint64_t count = 0;

	*n = 0;
	/* one pass to count, one to fill */
	for (int pass = 0; pass < 2 && !*rc; pass++) {
		uint64_t i = 0;

		if (rd_track_first(t, kind, RD_TRACK_LIVE, &it)) {
			*n = MPIDBG_ERR_NOT_SUPPORTED;
			return NULL;
		}
		while (!rd_track_next(&it, &h)) {
			if (!refers(&h, to))
				continue;
			if (v && i < count)
				v[i] = h.handle;
			i++;
		}
		if (!pass) {
			count = i < INT_MAX ? i : INT_MAX;
			v = mpidbg_query_array(rc, count, sizeof(*v));
		}
	}
	*n = v ? (int)count : 0;
	return v;
}
